#include "run/plan.h"

#include <math.h>
#include <string.h>

/* A position is the start sentinel, a letter or the end sentinel; a channel has a range on each kind. */
enum { START, LETTER, END, KINDS };

typedef struct range {
    double lo, hi;
} range;

typedef struct analysis {
    const temper_model *m;
    range (*x)[KINDS];       /* [channels] */
    range (*delta)[KINDS];   /* [channels] what the current sublayer adds */
    unsigned char *constant; /* [channels] the same number at every position, and never written by a layer */
    unsigned char *position; /* [channels] a function of the position alone, never written by a layer */
    uint32_t *letters;       /* [channels] how many letters embed into it */
    unsigned char *clears;   /* [channels] bit 1: minus its positive part, bit 2: plus its negative part */
    unsigned char *changed;  /* [channels] the current sublayer adds to it or clears it */
} analysis;

static range widen(range a, range b) { return (range){a.lo + b.lo, a.hi + b.hi}; }

static range exactly(double x) { return (range){x, x}; }

static double times(double w, double x) { return w == 0 || x == 0 ? 0 : w * x; }

static range scaled(range a, double w) {
    double p = times(w, a.lo), q = times(w, a.hi);
    return p < q ? (range){p, q} : (range){q, p};
}

/* A plan is made for every single string, so these are not calls; a NaN gives way, as in fmin and fmax. */
static double least(double x, double y) { return x < y || isnan(y) ? x : y; }
static double most(double x, double y) { return x > y || isnan(y) ? x : y; }

static range hull(range a, range b) { return (range){least(a.lo, b.lo), most(a.hi, b.hi)}; }

static bool is_zero(range a) { return a.lo == 0 && a.hi == 0; }

static range row_range(const analysis *a, const model_rows *rows, size_t row, int kind) {
    range r = {0, 0};
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++)
        r = widen(r, scaled(a->x[rows->terms[k].channel][kind], rows->terms[k].weight));
    return r;
}

static bool is_constant(const expression *e, double value) { return e->op == EXPR_CONSTANT && e->constant == value; }

/* [i = 1]*[1 <= n] and [i = n]*[1 <= n]: the first and the last letter. */
static bool is_edge_letter(const expression *e) {
    if (e->op != EXPR_MUL || e->a->op != EXPR_EQ || e->b->op != EXPR_LE) return false;
    bool some = is_constant(e->b->a, 1) && e->b->b->op == EXPR_LENGTH;
    return some && e->a->a->op == EXPR_I && (e->a->b->op == EXPR_LENGTH || is_constant(e->a->b, 1));
}

/* The kinds of positions on which an expression may be other than 0, as bits. */
static unsigned expression_support(const expression *e, bool has_end) {
    unsigned all = 1u << START | 1u << LETTER | 1u << END;
    if (is_edge_letter(e)) return 1u << LETTER;
    switch (e->op) {
    case EXPR_CONSTANT: return e->constant == 0 ? 0 : all;
    case EXPR_NEG:
    case EXPR_DIV: return expression_support(e->a, has_end);
    case EXPR_MUL: return expression_support(e->a, has_end) & expression_support(e->b, has_end);
    case EXPR_EQ:
        if (e->a->op != EXPR_I) return all;
        if (is_constant(e->b, 0)) return 1u << START;
        if (has_end && e->b->op == EXPR_SUB && e->b->a->op == EXPR_SIZE && is_constant(e->b->b, 1))
            return 1u << END; /* N - 1 with an end sentinel is at least 1 */
        return all;
    default: return all;
    }
}

/* Tests are 0 or 1, and so are their products; for the rest it matters most what cannot be negative. */
static range expression_range(const expression *e) {
    range a = e->a ? expression_range(e->a) : exactly(0), b = e->b ? expression_range(e->b) : exactly(0);
    switch (e->op) {
    case EXPR_CONSTANT: return exactly(e->constant);
    case EXPR_I:
    case EXPR_LENGTH: return (range){0, INFINITY};
    case EXPR_SIZE: return (range){1, INFINITY};
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE: return (range){0, 1};
    case EXPR_ADD: return widen(a, b);
    case EXPR_SUB: /* i is at most N - 1 */
        if (e->b->op == EXPR_I && e->a->op == EXPR_SIZE) return (range){1, INFINITY};
        if (e->b->op == EXPR_I && e->a->op == EXPR_SUB && e->a->a->op == EXPR_SIZE && is_constant(e->a->b, 1))
            return (range){0, INFINITY};
        return (range){-INFINITY, INFINITY};
    case EXPR_MUL: return hull(scaled(a, b.lo), scaled(a, b.hi));
    case EXPR_MAX: return (range){most(a.lo, b.lo), most(a.hi, b.hi)};
    case EXPR_MIN: return (range){least(a.lo, b.lo), least(a.hi, b.hi)};
    case EXPR_DIV: return (range){a.lo >= 0 && b.lo >= 0 ? 0 : -INFINITY, INFINITY};
    case EXPR_COS:
    case EXPR_SIN: return (range){-INFINITY, INFINITY}; /* no number where the argument is large */
    case EXPR_SQRT:
    case EXPR_CEIL2: return (range){0, INFINITY};
    case EXPR_LN: return (range){a.lo >= 1 ? 0 : -INFINITY, INFINITY};
    default: return (range){-INFINITY, INFINITY};
    }
}

static void start_ranges(analysis *a, bool hard) {
    const temper_model *m = a->m;
    for (uint32_t c = 0; c < m->channel_count; c++) {
        const model_channel *channel = &m->channels[c];
        bool silent = !channel->position || (hard && channel->soft_only);
        unsigned support = silent ? 0 : expression_support(channel->position, m->has_end);
        a->position[c] = 1;
        a->constant[c] = silent || !expression_uses(channel->position, EXPR_I);
        range r = support ? expression_range(channel->position) : exactly(0);
        for (int kind = START; kind < KINDS; kind++) a->x[c][kind] = support >> kind & 1 ? r : exactly(0);
    }
    for (uint32_t token = 0; token < m->embedding.count; token++)
        for (uint32_t k = m->embedding.start[token]; k < m->embedding.start[token + 1]; k++) {
            model_term t = m->embedding.terms[k];
            a->constant[t.channel] = a->position[t.channel] = 0;
            if (token == model_start_token(m))
                a->x[t.channel][START] = widen(a->x[t.channel][START], exactly(t.weight));
            if (token == model_end_token(m)) a->x[t.channel][END] = widen(a->x[t.channel][END], exactly(t.weight));
            if (token >= m->letters.count) continue;
            range *r = &a->delta[t.channel][LETTER]; /* of the letters that have this term */
            *r = a->letters[t.channel]++ ? hull(*r, exactly(t.weight)) : exactly(t.weight);
        }
    for (uint32_t c = 0; c < m->channel_count; c++) {
        range r = a->delta[c][LETTER];
        if (a->letters[c] < m->letters.count) r = hull(r, exactly(0));
        a->x[c][LETTER] = widen(a->x[c][LETTER], r);
        a->delta[c][LETTER] = exactly(0);
    }
}

static void mark_written(analysis *a, const model_rows *rows) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++)
        a->constant[rows->terms[k].channel] = a->position[rows->terms[k].channel] = 0;
}

static void add_range(analysis *a, uint32_t channel, int kind, range r) {
    a->changed[channel] = 1;
    a->delta[channel][kind] = widen(a->delta[channel][kind], r);
}

/* A head's output is a convex combination of values, or zero. */
static void apply_head(analysis *a, const model_head *h) {
    for (uint32_t v = 0; v < h->value.count; v++) {
        range r = {0, 0};
        for (int kind = START; kind < KINDS; kind++)
            if (kind != END || a->m->has_end) r = hull(r, row_range(a, &h->value, v, kind));
        for (uint32_t k = h->output.start[v]; k < h->output.start[v + 1]; k++)
            for (int kind = START; kind < KINDS; kind++)
                add_range(a, h->output.terms[k].channel, kind, scaled(r, h->output.terms[k].weight));
    }
}

/* A unit that takes a channel's positive (or negative) part off that channel. */
static unsigned clearing(const model_layer *l, uint32_t u) {
    if (l->bias[u] != 0 || rows_size(&l->in, u) != 1 || rows_size(&l->out, u) != 1) return 0;
    model_term in = *rows_begin_of(&l->in, u), out = *rows_begin_of(&l->out, u);
    if (in.channel != out.channel || in.weight + out.weight != 0) return 0;
    return in.weight == 1 ? 1 : in.weight == -1 ? 2 : 0;
}

/* The range of row u's input minus row v's. */
static range difference_range(const analysis *a, const model_layer *l, uint32_t u, uint32_t v, int kind) {
    range r = exactly(l->bias[u] - l->bias[v]);
    uint32_t i = l->in.start[u], j = l->in.start[v];
    while (i < l->in.start[u + 1] || j < l->in.start[v + 1]) {
        const model_term *p = i < l->in.start[u + 1] ? &l->in.terms[i] : NULL;
        const model_term *q = j < l->in.start[v + 1] ? &l->in.terms[j] : NULL;
        bool left = p && (!q || p->channel <= q->channel), right = q && (!p || q->channel <= p->channel);
        double weight = (left ? p->weight : 0) - (right ? q->weight : 0);
        r = widen(r, scaled(a->x[left ? p->channel : q->channel][kind], weight));
        i += left;
        j += right;
    }
    return r;
}

static range unit_range(const analysis *a, const model_layer *l, uint32_t u, int kind) {
    range r = row_range(a, &l->in, u, kind);
    return (range){most(0, r.lo + l->bias[u]), most(0, r.hi + l->bias[u])};
}

/* Two units in a row that write +w and -w to one channel: a ramp. relu(s) - relu(s - d) is in [0, d] for d >= 0,
   which keeps the outputs of gates in [0, 1] however deep they are nested. */
static bool is_ramp(const model_layer *l, uint32_t u) {
    if (u + 1 >= l->in.count || rows_size(&l->out, u) != 1 || rows_size(&l->out, u + 1) != 1) return false;
    const model_term *p = rows_begin_of(&l->out, u), *q = rows_begin_of(&l->out, u + 1);
    return p->channel == q->channel && p->weight + q->weight == 0;
}

static range ramp_range(const analysis *a, const model_layer *l, uint32_t u, int kind) {
    range r = unit_range(a, l, u, kind), other = unit_range(a, l, u + 1, kind),
          d = difference_range(a, l, u, u + 1, kind);
    if (d.lo >= 0) return (range){0, least(d.hi, r.hi)};
    return widen(r, scaled(other, -1));
}

static void apply_units(analysis *a, const model_layer *l) {
    memset(a->clears, 0, a->m->channel_count);
    for (uint32_t u = 0; u < l->in.count; u++) {
        unsigned bit = clearing(l, u);
        unsigned char *cleared = bit ? &a->clears[rows_begin_of(&l->out, u)->channel] : NULL;
        if (bit && !(*cleared & bit)) { /* a second one takes the same off again: a unit like others */
            *cleared |= (unsigned char)bit;
            a->changed[rows_begin_of(&l->out, u)->channel] = 1;
            continue;
        }
        bool ramp = is_ramp(l, u);
        for (int kind = START; kind < KINDS; kind++) {
            range r = ramp ? ramp_range(a, l, u, kind) : unit_range(a, l, u, kind);
            for (uint32_t k = l->out.start[u]; k < l->out.start[u + 1]; k++)
                add_range(a, l->out.terms[k].channel, kind, scaled(r, l->out.terms[k].weight));
        }
        u += ramp;
    }
}

static void apply_delta(analysis *a) {
    for (uint32_t c = 0; c < a->m->channel_count; c++) {
        if (!a->changed[c]) continue;
        a->changed[c] = 0;
        for (int kind = START; kind < KINDS; kind++) {
            range *x = &a->x[c][kind];
            if (a->clears[c] & 1) *x = (range){least(x->lo, 0), least(x->hi, 0)};
            if (a->clears[c] & 2) *x = (range){most(x->lo, 0), most(x->hi, 0)};
            *x = widen(*x, a->delta[c][kind]);
            if (isnan(x->lo) || isnan(x->hi)) *x = (range){-INFINITY, INFINITY};
            a->delta[c][kind] = (range){0, 0};
        }
    }
}

static bool rows_zero_on(const analysis *a, const model_rows *rows, int kind) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++)
        if (!is_zero(a->x[rows->terms[k].channel][kind])) return false;
    return true;
}

static bool rows_all(const unsigned char *flags, const model_rows *rows) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++)
        if (!flags[rows->terms[k].channel]) return false;
    return true;
}

static bool has_row_scale(const model_head *h, bool hard) {
    temper_choice choice = hard ? h->hard_choice : h->choice;
    return choice == TEMPER_CHOICE_SOFTMAX && (h->adaptive || head_reads_position(h));
}

static head_plan classify(const analysis *a, const model_head *h, bool hard) {
    bool zero[KINDS];
    if (has_row_scale(h, hard)) return PLAN_DENSE;
    for (int kind = START; kind < KINDS; kind++) zero[kind] = rows_zero_on(a, &h->key, kind);
    if ((zero[START] && zero[LETTER] && (zero[END] || !a->m->has_end)) || h->query.start[h->query.count] == 0)
        return PLAN_UNIFORM;
    if (rows_all(a->constant, &h->query)) return PLAN_SCAN;
    temper_choice choice = hard ? h->hard_choice : h->choice; /* a soft model may have hard heads */
    bool unique = choice == TEMPER_CHOICE_LEFTMOST || choice == TEMPER_CHOICE_RIGHTMOST;
    if (zero[LETTER] && !unique && h->mask != TEMPER_MASK_ALL) return PLAN_FEW_KEYS;
    if (h->query.count == 2 && rows_all(a->position, &h->key) && !unique) return PLAN_PEAKED;
    return h->role == ROLE_MATCH ? PLAN_CLASSES : PLAN_DENSE;
}

void plan_make(model_plan *p, const temper_model *m, bool hard, arena *scratch) {
    analysis a = {.m = m};
    a.x = arena_zalloc(scratch, m->channel_count, sizeof *a.x);
    a.delta = arena_zalloc(scratch, m->channel_count, sizeof *a.delta);
    a.constant = arena_zalloc(scratch, m->channel_count, 1);
    a.position = arena_zalloc(scratch, m->channel_count, 1);
    a.clears = arena_zalloc(scratch, m->channel_count, 1);
    a.changed = arena_zalloc(scratch, m->channel_count, 1);
    memset(a.changed, 1, m->channel_count); /* so that no range begins as a NaN */
    a.letters = arena_zalloc(scratch, m->channel_count, sizeof *a.letters);
    memset(p, 0, sizeof *p);
    p->head_start = arena_zalloc(scratch, (size_t)m->layer_count + 1, sizeof *p->head_start);
    for (uint32_t l = 0; l < m->layer_count; l++) p->head_start[l + 1] = p->head_start[l] + m->layers[l].head_count;
    p->heads = arena_zalloc(scratch, p->head_start[m->layer_count], sizeof *p->heads);
    start_ranges(&a, hard);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        for (uint32_t h = 0; h < layer->head_count; h++) {
            const model_head *head = &layer->heads[h];
            head_plan plan = p->heads[p->head_start[l] + h] = classify(&a, head, hard);
            p->dense = p->dense || plan >= PLAN_CLASSES;
            p->adaptive = p->adaptive || has_row_scale(head, hard);
            p->past = p->past || head->mask == TEMPER_MASK_BEFORE || head->mask == TEMPER_MASK_UP_TO ||
                      head->mask == TEMPER_MASK_ALL;
            p->future = p->future || head->mask == TEMPER_MASK_AFTER || head->mask == TEMPER_MASK_FROM ||
                        head->mask == TEMPER_MASK_ALL;
            apply_head(&a, head);
            mark_written(&a, &head->output);
        }
        memset(a.clears, 0, m->channel_count);
        apply_delta(&a);
        apply_units(&a, layer);
        mark_written(&a, &layer->out);
        apply_delta(&a);
    }
}

const char *plan_name(head_plan plan) {
    static const char *const names[] = {"uniform", "scan", "few keys", "peaked", "classes", "dense"};
    return names[plan];
}

double plan_cost(head_plan plan, const model_head *h, double size) {
    double q = h->query.count, v = h->value.count;
    switch (plan) {
    case PLAN_UNIFORM: return size * (1 + v);
    case PLAN_SCAN: return size * (q + 2 * v + 12);
    case PLAN_FEW_KEYS: return size * (q + 2 * v + 12);
    case PLAN_PEAKED: return size * (8 * (q + v + 12) + 4);
    case PLAN_CLASSES: { /* each condition of a pattern doubles them at most */
        double classes = q > 8 ? 256 : ldexp(1, (int)q - 1);
        return fmin(plan_cost(PLAN_DENSE, h, size), classes * plan_cost(PLAN_SCAN, h, size));
    }
    case PLAN_DENSE: return (h->mask == TEMPER_MASK_ALL ? 1 : 0.5) * size * size * (q + v + 10);
    }
    return 0;
}
