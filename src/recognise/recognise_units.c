/* What each unit of a net is (doc/certificate.md, "Gates"): one that clears a channel, one over Booleans, one of a
   pair that rounds, or one of the two numbers that a balance head needs; and its sum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recognise/net_work.h"

/* ---- kinds of units ---- */

/* x - relu(x) and x + relu(-x). */
static bool clears(const model_layer *l, uint32_t u) {
    if (l->bias[u] != 0 || rows_size(&l->in, u) != 1 || rows_size(&l->out, u) != 1) return false;
    const model_term *in = rows_begin_of(&l->in, u), *out = rows_begin_of(&l->out, u);
    return in->channel == out->channel && fabs(in->weight) == 1 && in->weight == -out->weight;
}

static bool same_row(const model_rows *r, uint32_t a, uint32_t b) {
    if (rows_size(r, a) != rows_size(r, b)) return false;
    for (size_t k = 0; k < rows_size(r, a); k++)
        if (rows_begin_of(r, a)[k].channel != rows_begin_of(r, b)[k].channel ||
            rows_begin_of(r, a)[k].weight != rows_begin_of(r, b)[k].weight)
            return false;
    return true;
}

static bool is_half_whole(double x) { return floor(2 * x) == 2 * x && fabs(x) < 0x1p50; }

/* Units u and u + 1: the same row, biases -c and -c - 1, opposite weights to one channel. */
static bool is_ramp(const model_layer *l, uint32_t u) {
    if (u + 1 >= l->in.count || !same_row(&l->in, u, u + 1)) return false;
    if (rows_size(&l->out, u) != 1 || rows_size(&l->out, u + 1) != 1) return false;
    const model_term *a = rows_begin_of(&l->out, u), *b = rows_begin_of(&l->out, u + 1);
    double c = -l->bias[u];
    bool fine = a->channel == b->channel && fabs(a->weight) == 1 && a->weight == -b->weight && c > 0 &&
                l->bias[u + 1] == -c - 1 && is_half_whole(c);
    for (uint32_t k = l->in.start[u]; k < l->in.start[u + 1]; k++)
        fine = fine && is_half_whole(l->in.terms[k].weight);
    return fine;
}

static size_t count_kind(const net *n, uint32_t u, content_kind kind) {
    size_t count = 0;
    for (uint32_t k = n->l->in.start[u]; k < n->l->in.start[u + 1]; k++)
        count += net_input(n, &n->l->in.terms[k])->kind == kind;
    return count;
}

/* ---- sums ---- */

typedef struct ordered_term {
    uint32_t variable;
    count_term term;
} ordered_term;

static int by_variable(const void *x, const void *y) {
    const ordered_term *a = x, *b = y;
    if (a->variable != b->variable) return a->variable < b->variable ? -1 : 1;
    return (a->term.f > b->term.f) - (a->term.f < b->term.f);
}

static uint32_t group_of(net *n, ordered_term *found, size_t count) {
    recognising *w = n->w;
    if (count > 1) qsort(found, count, sizeof *found, by_variable);
    count_term *terms = arena_zalloc(w->arena, count + 1, sizeof *terms);
    size_t kept = 0;
    for (size_t k = 0; k < count; k++)
        if (kept && terms[kept - 1].f == found[k].term.f)
            terms[kept - 1].weight = exact_add(w->arena, terms[kept - 1].weight, found[k].term.weight);
        else
            terms[kept].f = found[k].term.f, terms[kept++].weight = found[k].term.weight;
    bool fresh;
    uint32_t id = *table_put(&n->group_index, terms, kept * sizeof *terms, (uint32_t)n->group_count, &fresh);
    if (fresh) array_push(w->arena, n->groups, n->group_count, n->group_capacity, (term_group){terms, kept});
    return id;
}

double unit_size(net *n, uint32_t u, double bias, int *grid) {
    recognising *w = n->w;
    double size = row_weight(w, &n->l->in, u, grid) + fabs(bias);
    if (grid_of(bias) < *grid) *grid = grid_of(bias);
    if (*grid != GRID_OF_ZERO && !(size <= ldexp(1, *grid + 52) && size <= 0x1p52))
        unlike(w, "a gate of layer %u has weights whose sums doubles do not hold", w->layer);
    return size;
}

/* Fills group, constant and the sums on sentinels. Features and means are left out. */
static void read_sum(net *n, uint32_t u, double bias) {
    recognising *w = n->w;
    const model_rows *in = &n->l->in;
    unit_sum *s = &n->units[u];
    int grid;
    unit_size(n, u, bias, &grid);
    ordered_term *found = arena_alloc(w->arena, rows_size(in, u), sizeof *found);
    size_t count = 0;
    s->constant = s->start = s->end = bias;
    for (uint32_t k = in->start[u]; k < in->start[u + 1]; k++) {
        const content *x = net_input(n, &in->terms[k]);
        double weight = in->terms[k].weight, most = weight > 0 ? weight : 0;
        if (x->kind != HOLDS_BOOLEAN && x->kind != HOLDS_RAW) continue;
        bool raw = x->kind == HOLDS_RAW;
        s->start = exact_add(w->arena, s->start, raw ? most : exact_mul(w->arena, weight, x->start));
        s->end = exact_add(w->arena, s->end, raw ? most : exact_mul(w->arena, weight, x->end));
        if (x->f == FN_TRUE)
            s->constant = exact_add(w->arena, s->constant, weight);
        else if (x->f != FN_FALSE)
            found[count++] = (ordered_term){decision_at(&w->q.d, x->f)->variable, {x->f, weight}};
    }
    s->group = group_of(n, found, count);
}

/* ---- shapes of ramps ---- */

static uint32_t ramp_number(recognising *w, const ramp_shape *r) {
    text key;
    bool fresh;
    text_init(&key, w->arena);
    text_printf(&key, "%zu %zu %zu %a %a ", r->terms, r->raw, r->inputs, r->size, r->most);
    text_printf(&key, "%a %d %d ", r->raw_weight, r->negative, r->lone);
    for (size_t k = 0; k < r->raw; k++) text_printf(&key, "%u %a,", r->heads[k], r->weights[k]);
    uint32_t number = *table_put(&w->ramp_index, key.data, key.length, (uint32_t)w->out->ramp_count, &fresh);
    if (fresh) array_push(w->arena, w->out->ramps, w->out->ramp_count, w->out->ramp_capacity, *r);
    return number;
}

/* Raw inputs of equal shape are put together, so that large gates have small shapes; `inputs` still counts all. */
static void shape_ramp(net *n, uint32_t u, size_t raw) {
    recognising *w = n->w;
    const model_layer *l = n->l;
    uint32_t *heads = arena_alloc(w->arena, raw, sizeof *heads);
    double *weights = arena_alloc(w->arena, raw, sizeof *weights), size = 1 - l->bias[u], most = l->bias[u];
    size_t count = 0;
    ramp_shape r = {.terms = rows_size(&l->in, u), .inputs = raw, .lone = l->bias[u] == -2.5};
    r.negative = rows_begin_of(&l->out, u)->weight < 0;
    for (uint32_t k = l->in.start[u]; k < l->in.start[u + 1]; k++) {
        const content *x = net_input(n, &l->in.terms[k]);
        double weight = l->in.terms[k].weight, factor = x->kind == HOLDS_RAW ? 1.25 : 1;
        size += factor * fabs(weight);
        if (weight > 0) most += factor * weight;
        r.lone = r.lone && weight == 2;
        if (x->kind != HOLDS_RAW) continue;
        if (weight != floor(weight)) unlike(w, "a gate of layer %u reads an unrounded value by halves", w->layer);
        r.raw_weight = raw == 1 ? weight : 0;
        size_t at = 0;
        while (at < count && heads[at] != x->shape) at++;
        if (at == count) heads[count] = x->shape, weights[count++] = 0;
        weights[at] += fabs(weight);
    }
    if (!(size < 0x1p50)) unlike(w, "a gate sums up more than doubles hold exactly");
    r.lone = r.lone && raw == 1 && r.terms <= 2;
    r.size = size;
    r.most = most;
    r.raw = count;
    r.heads = heads;
    r.weights = weights;
    r.first_layer = w->layer - 1;
    recognised_layer *out = &w->out->layers[w->layer - 1];
    if (raw > out->raw) out->raw = (uint32_t)raw;
    uint32_t number = ramp_number(w, &r);
    if (!n->ramp_count || n->ramps[n->ramp_count - 1] != number) n->ramps[n->ramp_count++] = number;
}

/* ---- numbers of balance heads ---- */

/* The sum of a unit's Boolean inputs, as numbers. */
static fn boolean_part(net *n, uint32_t u) {
    recognising *w = n->w;
    const model_rows *in = &n->l->in;
    fn sum = FN_FALSE;
    for (uint32_t k = in->start[u]; k < in->start[u + 1]; k++)
        if (net_input(n, &in->terms[k])->kind == HOLDS_BOOLEAN)
            sum = fn_add(&w->q.d, sum, fn_times(&w->q.d, net_input(n, &in->terms[k])->f, in->terms[k].weight));
    return sum;
}

const model_term *number_term(const net *n, uint32_t u) {
    for (uint32_t k = n->l->in.start[u]; k < n->l->in.start[u + 1]; k++)
        if (net_input(n, &n->l->in.terms[k])->kind != HOLDS_BOOLEAN) return &n->l->in.terms[k];
    return NULL;
}

static void keep_number(net *n, uint32_t u) {
    double size = 0;
    for (uint32_t k = n->l->in.start[u]; k < n->l->in.start[u + 1]; k++) {
        const content *x = net_input(n, &n->l->in.terms[k]);
        size += fabs(n->l->in.terms[k].weight) * (x->kind == HOLDS_MEAN ? x->weight : 1);
    }
    keep_sum(n->w, EXACT_NUMBER, size, 0);
}

/* Booleans that cancel out, K x - K y with x = y, are worth nothing on paper, but they would take the last bits of
   the number beside them away. The error of an own part is counted with three terms of size 1. */
static bool adds_little(const net *n, uint32_t u) {
    const model_rows *in = &n->l->in;
    double sum = 0;
    for (uint32_t k = in->start[u]; k < in->start[u + 1]; k++) sum += fabs(in->terms[k].weight);
    return rows_size(in, u) <= 3 && sum <= 3;
}

static bool has_whole_weights(const net *n, uint32_t u) {
    const model_rows *in = &n->l->in;
    for (uint32_t k = in->start[u]; k < in->start[u + 1]; k++)
        if (in->terms[k].weight != floor(in->terms[k].weight)) return false;
    return true;
}

/* relu(1/(i + 1) - 1 + [x]), which is 1/(i + 1) where x holds, and 0 elsewhere. */
static void read_own(net *n, uint32_t u) {
    recognising *w = n->w;
    const model_term *t = number_term(n, u);
    const position_form *f = &w->forms[t->channel];
    fn sum = boolean_part(n, u), here = fn_equal(&w->q.d, sum, 0);
    bool fits = f->kind == POSITION_INVERSE && !f->mirrored && t->weight == 1 && n->l->bias[u] == 0 &&
                !w->m->channels[t->channel].soft_only && rows_size(&n->l->out, u) == 1;
    read_sum(n, u, 0);
    fits = fits && adds_little(n, u) && has_whole_weights(n, u) && n->units[u].start <= 0 &&
           n->units[u].end <= 0; /* sentinels stay as small */
    if (!fits || fn_add(&w->q.d, here, fn_number(&w->q.d, -1)) != sum)
        unlike(w, "the net of layer %u reads a position feature in a way that is not known", w->layer);
    n->units[u].condition = here;
    keep_number(n, u);
}

/* Nothing is added to the total on the start sentinel, and nothing to -C elsewhere: what cancels out would take the
   last bits of either away. Nor are there many terms: a sum of small ones may stop before it gets to -C. */
static bool only_subtracts(const net *n, uint32_t u) {
    if (rows_size(&n->l->in, u) > 3) return false;
    for (uint32_t k = n->l->in.start[u]; k < n->l->in.start[u + 1]; k++) {
        const content *x = net_input(n, &n->l->in.terms[k]);
        if (x->kind == HOLDS_BOOLEAN && (x->start != 0 || n->l->in.terms[k].weight > 0)) return false;
    }
    return true;
}

/* relu(t - C) on letters and the end sentinel, relu(t) on the start sentinel; C is larger than t can be, with room
   for rounding. */
static void read_copy(net *n, uint32_t u) {
    recognising *w = n->w;
    const model_term *t = number_term(n, u);
    const content *mean = net_input(n, t);
    const decision_node *sum = decision_at(&w->q.d, boolean_part(n, u));
    read_sum(n, u, 0);
    bool constant = sum->variable == DECISION_LEAF, out = rows_size(&n->l->out, u) == 1;
    const model_term *to = rows_begin_of(&n->l->out, u);
    bool fits = out && fabs(t->weight) == 1 && to->weight == t->weight && n->l->bias[u] == 0 && constant &&
                only_subtracts(n, u) && has_whole_weights(n, u) &&
                (!w->m->has_end || -n->units[u].end >= 2 * mean->weight);
    if (!fits || !(-sum->value >= 2 * mean->weight))
        unlike(w, "the net of layer %u reads a mean in a way that is not known", w->layer);
    if (mean->mask != TEMPER_MASK_ALL || !mean->whole || mean->start != 0 || mean->end != 0)
        unlike(w, "the net of layer %u copies a mean that is no total of whole numbers", w->layer);
    keep_number(n, u);
}

/* ---- what a unit is ---- */

void read_unit(net *n, uint32_t u) {
    recognising *w = n->w;
    const model_layer *l = n->l;
    unit_sum *s = &n->units[u];
    if (s->kind == UNIT_SECOND) {
        read_sum(n, u, l->bias[u]);
        return;
    }
    size_t raw = count_kind(n, u, HOLDS_RAW), features = count_kind(n, u, HOLDS_FEATURE);
    size_t means = count_kind(n, u, HOLDS_MEAN), booleans = count_kind(n, u, HOLDS_BOOLEAN);
    if (clears(l, u)) {
        s->kind = UNIT_CLEARS;
        return;
    }
    if (raw + features + means + booleans < rows_size(&l->in, u))
        unlike(w, "the net of layer %u reads a channel that holds no number that is known", w->layer);
    if (raw) {
        if (features || means || !is_ramp(l, u))
            unlike(w, "the net of layer %u reads an unrounded value without rounding it", w->layer);
        s->kind = UNIT_RAMP;
        n->units[u + 1].kind = UNIT_SECOND;
        read_sum(n, u, l->bias[u]);
        shape_ramp(n, u, raw);
        if (s->start > -0.5 || (w->m->has_end && s->end > -0.5))
            unlike(w, "a gate of layer %u may not be 0 on a sentinel", w->layer);
        s->start = s->end = 0;
    } else if (features + means == 1) {
        s->kind = features ? UNIT_OWN : UNIT_COPY;
        if (features)
            read_own(n, u);
        else
            read_copy(n, u);
    } else if (features + means) {
        unlike(w, "the net of layer %u reads several numbers at once", w->layer);
    } else {
        s->kind = UNIT_EXACT;
        read_sum(n, u, l->bias[u]);
    }
}
