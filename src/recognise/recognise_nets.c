/* The net of a layer: units that clear a channel, units over Booleans, pairs that round, and the two numbers that a
   balance head needs (doc/certificate.md, "Gates"). Units that add to one channel are read together: those whose sums
   differ by a constant are one piecewise-linear function of one sum, which must come out as 0 or 1 on every
   letter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recognise/recognise_work.h"

typedef enum unit_kind { UNIT_CLEARS, UNIT_EXACT, UNIT_RAMP, UNIT_SECOND, UNIT_OWN, UNIT_COPY } unit_kind;

/* A unit's sum on letters: terms that differ from letter to letter or string to string, and a constant. */
typedef struct unit_sum {
    unit_kind kind;
    uint32_t group; /* units with equal terms */
    double constant;
    double start, end; /* the sum on sentinels; of a ramp its largest value */
    fn condition;      /* own part */
} unit_sum;

typedef struct addition {
    uint32_t channel, unit;
    double weight;
    uint32_t group;
} addition;

typedef struct term_group {
    const count_term *terms; /* sorted by first variable */
    size_t count;
} term_group;

typedef struct net {
    recognising *w;
    const model_layer *l;
    unit_sum *units; /* [units] */
    term_group *groups;
    size_t group_count, group_capacity;
    table group_index;
    addition *additions;
    size_t addition_count, addition_capacity;
    uint32_t *ramps;
    size_t ramp_count;
} net;

static const content *input(const net *n, const model_term *t) { return &n->w->now[t->channel]; }

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
        count += input(n, &n->l->in.terms[k])->kind == kind;
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

/* Whether doubles hold every sum of some of the numbers of a unit. */
static double unit_size(net *n, uint32_t u, double bias, int *grid) {
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
        const content *x = input(n, &in->terms[k]);
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
        const content *x = input(n, &l->in.terms[k]);
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
    layer_study *out = &w->out->layers[w->layer - 1];
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
        if (input(n, &in->terms[k])->kind == HOLDS_BOOLEAN)
            sum = fn_add(&w->q.d, sum, fn_times(&w->q.d, input(n, &in->terms[k])->f, in->terms[k].weight));
    return sum;
}

static const model_term *number_term(const net *n, uint32_t u) {
    for (uint32_t k = n->l->in.start[u]; k < n->l->in.start[u + 1]; k++)
        if (input(n, &n->l->in.terms[k])->kind != HOLDS_BOOLEAN) return &n->l->in.terms[k];
    return NULL;
}

static void keep_number(net *n, uint32_t u) {
    double size = 0;
    for (uint32_t k = n->l->in.start[u]; k < n->l->in.start[u + 1]; k++) {
        const content *x = input(n, &n->l->in.terms[k]);
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
        const content *x = input(n, &n->l->in.terms[k]);
        if (x->kind == HOLDS_BOOLEAN && (x->start != 0 || n->l->in.terms[k].weight > 0)) return false;
    }
    return true;
}

/* relu(t - C) on letters and the end sentinel, relu(t) on the start sentinel; C is larger than t can be, with room
   for rounding. */
static void read_copy(net *n, uint32_t u) {
    recognising *w = n->w;
    const model_term *t = number_term(n, u);
    const content *mean = input(n, t);
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

static void read_unit(net *n, uint32_t u) {
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

/* ---- what units of one group add to a channel ---- */

typedef struct piecewise {
    const net *n;
    const addition *parts;
    size_t count;
} piecewise;

/* The value where the sum of the terms lies in [low, high]: false if that is not one number. NAN: it must not lie
   there. */
static bool settled(const piecewise *p, double low, double high, double *value) {
    double slope = 0, constant = 0;
    bool bad = false;
    for (size_t k = 0; k < p->count; k++) {
        const unit_sum *s = &p->n->units[p->parts[k].unit];
        double from = low + s->constant, to = high + s->constant, weight = p->parts[k].weight;
        if (s->kind == UNIT_RAMP && !(to <= -0.5) && !(from >= 1.5)) {
            if (low != high) return false;
            bad = true;
        }
        if (to <= 0) continue;
        if (from < 0) return false;
        slope += weight;
        constant += weight * s->constant;
    }
    if (slope != 0 && low != high) return false;
    *value = bad ? NAN : constant + slope * low;
    return true;
}

/* Partial sums after each term, ascending, those that do not matter any more left out: then from the last term
   back. */
typedef struct partial_sums {
    double *sums;
    fn *made;
    size_t count;
} partial_sums;

static fn leaf_of(decisions *d, double value) { return isnan(value) ? FN_BAD : fn_number(d, value); }

static size_t find_sum(const partial_sums *p, double x) {
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->sums[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void next_sums(net *n, partial_sums *to, const partial_sums *from, double weight, const piecewise *p,
                      double low, double high) {
    recognising *w = n->w;
    to->sums = arena_alloc(w->arena, 2 * from->count, sizeof *to->sums);
    size_t a = 0, b = 0;
    double value;
    while (a < from->count || b < from->count) {
        double x = a < from->count ? from->sums[a] : INFINITY;
        double y = b < from->count ? exact_add(w->arena, from->sums[b], weight) : INFINITY;
        double least = fmin(x, y);
        if (x == least) a++;
        if (y == least) b++;
        if (!settled(p, least + low, least + high, &value)) to->sums[to->count++] = least;
    }
    to->made = arena_alloc(w->arena, to->count, sizeof *to->made);
}

static fn after_term(decisions *d, const partial_sums *next, double sum, const piecewise *p, double low,
                     double high) {
    double value;
    if (settled(p, sum + low, sum + high, &value)) return leaf_of(d, value);
    return next->made[find_sum(next, sum)];
}

static fn add_group(net *n, const addition *parts, size_t count) {
    recognising *w = n->w;
    decisions *d = &w->q.d;
    const term_group *g = &n->groups[parts->group];
    piecewise p = {n, parts, count};
    double *low = arena_zalloc(w->arena, g->count + 1, sizeof *low), value;
    double *high = arena_zalloc(w->arena, g->count + 1, sizeof *high);
    for (size_t k = g->count; k-- > 0;) {
        low[k] = exact_add(w->arena, low[k + 1], fmin(g->terms[k].weight, 0));
        high[k] = exact_add(w->arena, high[k + 1], fmax(g->terms[k].weight, 0));
    }
    if (settled(&p, low[0], high[0], &value)) return leaf_of(d, value);
    partial_sums *after = arena_zalloc(w->arena, g->count + 1, sizeof *after);
    double zero = 0;
    fn result = FN_FALSE;
    after[0] = (partial_sums){.sums = &zero, .made = &result, .count = 1};
    size_t states = 0;
    for (size_t k = 0; k < g->count; k++) {
        next_sums(n, &after[k + 1], &after[k], g->terms[k].weight, &p, low[k + 1], high[k + 1]);
        states += after[k + 1].count;
        if (states > DECISION_STATES) unlike(w, "a gate of layer %u has too many different sums", w->layer);
    }
    for (size_t k = g->count; k-- > 0;)
        for (size_t s = 0; s < after[k].count; s++) {
            double sum = after[k].sums[s];
            fn yes = after_term(d, &after[k + 1], sum + g->terms[k].weight, &p, low[k + 1], high[k + 1]);
            fn no = after_term(d, &after[k + 1], sum, &p, low[k + 1], high[k + 1]);
            after[k].made[s] = fn_ite(d, g->terms[k].f, yes, no);
        }
    return result;
}

/* ---- channels ---- */

static int by_channel(const void *x, const void *y) {
    const addition *a = x, *b = y;
    if (a->channel != b->channel) return a->channel < b->channel ? -1 : 1;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static void change_to(net *n, uint32_t channel, content x) {
    recognising *w = n->w;
    array_push(w->arena, w->changes, w->change_count, w->change_capacity, (change){channel, x});
}

static void keep_origin(net *n, fn result, uint32_t group) {
    recognising *w = n->w;
    const term_group *g = &n->groups[group];
    fn *parts = arena_alloc(w->arena, g->count, sizeof *parts);
    for (size_t k = 0; k < g->count; k++)
        parts[k] = g->terms[k].weight > 0 ? g->terms[k].f : fn_not(&w->q.d, g->terms[k].f);
    array_push(w->arena, w->origins, w->origin_count, w->origin_capacity, (origin){result, parts, g->count});
}

/* Sums are exact whatever the order: exact units add whole multiples of one grid; of ramps at most one adds 1, or a
   second one of the same inputs takes away what the first one adds (doc/certificate.md, "Gates"). */
static void check_mixture(const net *n, const addition *parts, size_t count) {
    size_t exact = 0, up = 0, down = 0;
    uint32_t first_up = 0, first_down = 0;
    for (size_t k = 0; k < count; k++) {
        unit_kind kind = n->units[parts[k].unit].kind;
        exact += kind == UNIT_EXACT;
        if (kind != UNIT_RAMP) continue;
        if (parts[k].weight > 0)
            first_up = up++ ? first_up : parts[k].unit;
        else
            first_down = down++ ? first_down : parts[k].unit;
    }
    bool pair = up == 1 && down == 1 && first_up < first_down && parts[0].group == parts[count - 1].group;
    if ((exact && up + down) || (down && !pair))
        unlike(n->w, "the net of layer %u adds to channel %u in a way that is not known", n->w->layer,
               parts->channel);
}

/* All that is added to a channel must be 0 or 1. */
static void write_boolean(net *n, const addition *parts, size_t count) {
    recognising *w = n->w;
    uint32_t channel = parts->channel;
    content x = {.kind = HOLDS_BOOLEAN};
    fn *sums = arena_alloc(w->arena, count, sizeof *sums);
    size_t groups = 0;
    double added = 0;
    int grid = GRID_OF_ZERO;
    check_mixture(n, parts, count);
    for (size_t k = 0; k < count; k++) {
        const unit_sum *s = &n->units[parts[k].unit];
        if (k == 0 || parts[k].group != parts[k - 1].group) {
            size_t end = k + 1;
            while (end < count && parts[end].group == parts[k].group) end++;
            sums[groups++] = add_group(n, parts + k, end - k);
        }
        x.start = exact_add(w->arena, x.start, exact_mul(w->arena, fmax(s->start, 0), parts[k].weight));
        x.end = exact_add(w->arena, x.end, exact_mul(w->arena, fmax(s->end, 0), parts[k].weight));
        if (s->kind != UNIT_EXACT) continue;
        int g;
        double size = unit_size(n, parts[k].unit, n->l->bias[parts[k].unit], &g);
        if (g == GRID_OF_ZERO) continue;
        keep_sum(w, EXACT_UNIT, size, g);
        g += grid_of(parts[k].weight);
        added += fabs(parts[k].weight) * size;
        if (g < grid) grid = g;
    }
    if (grid != GRID_OF_ZERO) {
        if (!(added <= ldexp(1, grid + 52) && added <= 0x1p52))
            unlike(w, "the gates of layer %u add up to more than doubles hold", w->layer);
        keep_sum(w, EXACT_CHANNEL, added, grid);
    }
    x.f = fn_add_all(&w->q.d, sums, groups);
    if (!fn_is_boolean(&w->q.d, x.f) || (x.start != 0 && x.start != 1) || (x.end != 0 && x.end != 1))
        unlike(w, "what the net of layer %u adds to channel %u is not 0 or 1 everywhere", w->layer, channel);
    if (groups == 1) keep_origin(n, x.f, parts->group);
    change_to(n, channel, x);
}

static void write_own(net *n, const addition *parts, size_t count) {
    recognising *w = n->w;
    content x = {.kind = HOLDS_OWN, .units = count};
    count_term *terms = arena_alloc(w->arena, count, sizeof *terms);
    for (size_t k = 0; k < count; k++) {
        terms[k] = (count_term){n->units[parts[k].unit].condition, parts[k].weight};
        x.weight = exact_add(w->arena, x.weight, fabs(parts[k].weight));
        if (parts[k].weight != floor(parts[k].weight) || x.weight > 0x1p52)
            unlike(w, "an own part of layer %u has weights that are not whole, or too large", w->layer);
    }
    x.sum = count_from_terms(&w->q.counts, terms, count);
    change_to(n, parts->channel, x);
}

static bool may_be_negative(const recognising *w, const content *x) {
    double least, most;
    if (x->kind == HOLDS_BOOLEAN || x->kind == HOLDS_RAW) return false;
    if (x->kind == HOLDS_FEATURE) return x->negative;
    if (x->kind != HOLDS_MEAN) return true;
    count_extremes(&w->q.counts, x->sum, &least, &most);
    return least < 0 || x->start < 0 || x->end < 0;
}

/* relu(t - C) - relu(-t - C): both, or the first if t is never below 0. */
static void write_copy(net *n, const addition *parts, size_t count) {
    recognising *w = n->w;
    const model_term *first = number_term(n, parts[0].unit);
    const content *mean = input(n, first);
    bool both = count == 2 && number_term(n, parts[1].unit)->channel == first->channel &&
                number_term(n, parts[1].unit)->weight == -first->weight;
    bool one = count == 1 && first->weight == 1 && !may_be_negative(w, mean);
    if (!both && !one) unlike(w, "the net of layer %u does not copy all of a mean", w->layer);
    change_to(n, parts->channel, (content){.kind = HOLDS_COPY, .sum = mean->sum, .weight = mean->weight});
}

static void write_channel(net *n, const addition *parts, size_t count) {
    recognising *w = n->w;
    uint32_t channel = parts->channel;
    unit_kind kind = n->units[parts->unit].kind;
    if (!is_zero(&w->now[channel]) || w->written[channel] == w->layer)
        unlike(w, "the net of layer %u writes to channel %u, which is not 0 there", w->layer, channel);
    for (size_t k = 0; k < count; k++) {
        unit_kind other = n->units[parts[k].unit].kind;
        bool number = other == UNIT_OWN || other == UNIT_COPY || kind == UNIT_OWN || kind == UNIT_COPY;
        if (number && other != kind) unlike(w, "the net of layer %u mixes numbers in channel %u", w->layer, channel);
    }
    if (kind == UNIT_OWN)
        write_own(n, parts, count);
    else if (kind == UNIT_COPY)
        write_copy(n, parts, count);
    else
        write_boolean(n, parts, count);
}

/* The two units that clear a channel, counted. */
static void clear_channels(net *n) {
    recognising *w = n->w;
    const model_layer *l = n->l;
    for (uint32_t u = 0; u < l->in.count; u++) {
        if (n->units[u].kind != UNIT_CLEARS) continue;
        const model_term *t = rows_begin_of(&l->in, u);
        bool up = false, down = false, more = false;
        /* the other unit of the channel stands beside this one */
        for (uint32_t other = u; other < l->in.count && other < u + 2 && n->units[other].kind == UNIT_CLEARS;
             other++) {
            const model_term *x = rows_begin_of(&l->in, other);
            if (x->channel != t->channel) continue;
            more = more || (x->weight > 0 ? up : down);
            *(x->weight > 0 ? &up : &down) = true;
        }
        const content *x = &w->now[t->channel];
        bool fresh = x->kind == HOLDS_RAW || x->kind == HOLDS_MEAN; /* a head of this layer may have written it */
        if (w->cleared[t->channel] == w->layer || (w->written[t->channel] == w->layer && !fresh))
            unlike(w, "the net of layer %u clears channel %u twice, or what it writes", w->layer, t->channel);
        w->cleared[t->channel] = w->layer;
        if (more || !up || (!down && may_be_negative(w, x)) || x->kind == HOLDS_UNKNOWN)
            unlike(w, "the net of layer %u does not clear channel %u", w->layer, t->channel);
        change_to(n, t->channel, (content){.kind = HOLDS_BOOLEAN, .f = FN_FALSE});
        u += up && down;
    }
}

/* ---- the net ---- */

static void collect(net *n) {
    recognising *w = n->w;
    for (uint32_t u = 0; u < n->l->in.count; u++) {
        if (n->units[u].kind == UNIT_CLEARS || n->units[u].kind == UNIT_SECOND) continue;
        for (uint32_t k = n->l->out.start[u]; k < n->l->out.start[u + 1]; k++) {
            const model_term *t = &n->l->out.terms[k];
            array_push(w->arena, n->additions, n->addition_count, n->addition_capacity,
                       (addition){t->channel, u, t->weight, n->units[u].group});
        }
    }
}

/* A ramp counts as both of its units: the second has the bias -c - 1 and the opposite weight. */
static void add_second_units(net *n) {
    size_t count = n->addition_count;
    for (size_t k = 0; k < count; k++) {
        addition a = n->additions[k];
        if (n->units[a.unit].kind != UNIT_RAMP) continue;
        a.unit++;
        a.weight = -a.weight;
        array_push(n->w->arena, n->additions, n->addition_count, n->addition_capacity, a);
    }
}

void recognise_net(recognising *w) {
    const model_layer *l = &w->m->layers[w->layer - 1];
    layer_study *out = &w->out->layers[w->layer - 1];
    net n = {.w = w, .l = l};
    n.units = arena_zalloc(w->arena, (size_t)l->in.count + 1, sizeof *n.units);
    n.ramps = arena_alloc(w->arena, l->in.count, sizeof *n.ramps);
    table_init(&n.group_index, w->arena);
    keep_stored(w, &l->in, w->layer, 0);
    keep_stored(w, &l->out, w->layer, 0);
    for (uint32_t u = 0; u < l->in.count; u++) keep_weight(w, l->bias[u], w->layer, 0);
    for (uint32_t u = 0; u < l->in.count; u++) read_unit(&n, u);
    collect(&n);
    add_second_units(&n);
    if (n.addition_count) qsort(n.additions, n.addition_count, sizeof *n.additions, by_channel);
    for (size_t k = 0; k < n.addition_count;) {
        size_t end = k + 1;
        while (end < n.addition_count && n.additions[end].channel == n.additions[k].channel) end++;
        write_channel(&n, n.additions + k, end - k);
        k = end;
    }
    for (size_t k = 0; k < w->change_count; k++) w->written[w->changes[k].channel] = w->layer;
    clear_channels(&n);
    for (size_t k = 0; k < w->raw_count; k++) w->now[w->raw[k]].kind = HOLDS_UNKNOWN;
    for (size_t k = 0; k < w->change_count; k++) w->now[w->changes[k].channel] = w->changes[k].to;
    w->change_count = 0;
    out->units = l->in.count;
    out->ramps = n.ramps;
    out->ramp_count = n.ramp_count;
}
