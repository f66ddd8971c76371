/* Norms, rows, steps and logits; heads are in audit_ordinary_heads.c. */
#include "audit/ordinary/audit_ordinary_bounds.h"

#include <math.h>

#include "number/elementary.h"
#include "number/format.h"

static const double LLAMA_PIN = 0x1p15, GPT2_PIN = 0x1p13;
static const double HALF_GATE = LIFT_GATE / 2; /* by so much two units of a step differ, halved */
static const double GELU_SURE = 10, SILU_SURE = 17;

static double size_of(const lift_column *c) { return fmax(fabs(c->low), fabs(c->high)); }

/* ---- norms ---- */

/* [columns] The first layer whose steps write it. */
static const uint32_t *first_layers(const ordinary_bounding *b) {
    const lift *u = b->u;
    uint32_t *first = arena_alloc(b->s->arena, u->column_count, sizeof *first);
    for (uint32_t c = 0; c < u->column_count; c++) first[c] = UINT32_MAX;
    for (size_t k = u->step_count; k > 0; k--)
        for (size_t t = 0; t < u->steps[k - 1].count; t++)
            first[u->steps[k - 1].terms[t].channel] = u->steps[k - 1].layer;
    return first;
}

/* Columns that are written before the norm are anything up to their size; those of letters at most as many as one
   token has. */
static void add_sizes(const ordinary_bounding *b, uint32_t layer, bool net, double *sum, double *squares) {
    const lift *u = b->u;
    double most = 0;
    const uint32_t *first = first_layers(b);
    for (uint32_t t = 0; t < ORDINARY_LETTERS + u->letters; t++) {
        double own = 0;
        for (uint32_t c = 0; c < u->column_count; c++)
            if (u->columns[c].writer == LIFT_TOKEN) own += u->columns[c].tokens[t];
        most = fmax(most, own);
    }
    *sum = *squares = most; /* zeros and ones */
    for (uint32_t c = 0; c < u->column_count; c++) {
        const lift_column *x = &u->columns[c];
        bool there = x->layer < layer || (x->layer == layer && net && x->writer == LIFT_HEAD);
        if (x->writer == LIFT_NET) there = first[c] < layer;
        if (x->writer == LIFT_NOBODY || x->writer == LIFT_TOKEN || !there) continue;
        double size = size_of(x) * (1 + b->columns[c].relative) + b->columns[c].error;
        *sum += size;
        *squares += size * size;
    }
    *sum *= SLACK;
    *squares *= SLACK;
}

static bool is_power_of_four(uint32_t d) { return d && !(d & (d - 1)) && (d & 0x55555555u); }

void ordinary_norm(ordinary_bounding *b, uint32_t layer, bool net) {
    const lift *u = b->u;
    double sum, squares, d = u->m->width, epsilon = u->m->epsilon;
    add_sizes(b, layer, net, &sum, &squares);
    b->sum = sum;
    if (u->m->architecture == ORDINARY_LLAMA) {
        double pin = LLAMA_PIN * LLAMA_PIN;
        b->mean = 0;
        b->common = b->own = 0;
        squares *= 1 + 2 * d * F32; /* each is rounded, and so is what some of them add up to without the pin */
        if (is_power_of_four(u->m->width) && squares < 63 && epsilon < 0x1p-25 * pin / d) return;
        if (squares > 0x1p20) ordinary_refuse(b->s, layer, 0, "its columns are too large beside the pin");
        b->common = ((squares + epsilon * d) / pin + 4 * F32) * SLACK;
        b->own = 4 * F32;
        return;
    }
    /* zero-sum columns have as much as all others together, in equal parts */
    squares += sum * sum / u->zero_sums;
    sum *= 2;
    double all = 2 * GPT2_PIN + sum;
    b->mean = (b->imbalance / d + (b->k.f32_norms ? 4 * F32 : 0x1p-50) * all) * SLACK;
    double spread = squares + 2 * sum * b->mean + d * b->mean * b->mean;
    b->common = ((2 * spread + epsilon * d) / (4 * GPT2_PIN * GPT2_PIN) + (d / 2 + 8) * F32) * SLACK;
    b->own = 4 * F32;
    if (b->common > 0x1p-10) ordinary_refuse(b->s, layer, 0, "its norm is too far from the identity");
}

/* ---- rows ---- */

double ordinary_lowest_bit(double x) {
    int exponent;
    if (x == 0) return 0;
    double m = ldexp(frexp(fabs(x), &exponent), 53); /* a whole number */
    uint64_t bits = (uint64_t)m;
    return ldexp((double)(bits & -bits), exponent - 53);
}

/* Multiples of grain, up to this size, are numbers of f16. */
static bool has_f16(double size, double grain) {
    double bit = ordinary_lowest_bit(grain);
    return bit >= 2 * F16_TINY && size <= 2048 * bit;
}

bool ordinary_f16_back(double size, double error, double relative, double grain) {
    return has_f16(size, grain) && (error + relative * grain) * SLACK < grain * 0x1p-12;
}

bool ordinary_row_back(const ordinary_row *r, double relative, double grain) {
    return ordinary_f16_back(r->size, r->error, relative, grain) ||
           ordinary_f16_back(r->size, r->zero, relative + r->share, grain);
}

double ordinary_f16_error(double size, double error, double relative, double grain) {
    double all = error + relative * size, rounding = F16 * (size + all) + F16_TINY;
    return (all + (has_f16(size, grain) ? fmin(rounding, all) : rounding)) * SLACK;
}

double ordinary_f16_zero(double zero) { return (zero + fmin(zero, F16 * zero + F16_TINY)) * SLACK; }

double ordinary_back_error(double plain, double zero) { return fmax(plain, ordinary_f16_zero(zero)); }

/* In f16 it is rounded back to 1, or by as much as numbers are. */
double ordinary_pin_error(const ordinary_bounding *b) {
    double off = b->u->m->architecture == ORDINARY_GPT2 ? b->own + b->mean / GPT2_PIN * SLACK : b->own;
    return b->k.f16_vectors && !ordinary_f16_back(1, off, b->common, 1) ? off + 1.01 * F16 : off;
}

/* How large products above 0 may be together, and those below. */
static void add_sides(double sides[2], double weight, const lift_column *c) {
    double low = weight * c->low, high = weight * c->high;
    sides[0] += fmax(0, fmax(low, high));
    sides[1] += fmax(0, fmax(-low, -high));
}

/* How large products may be together where they cancel out. */
static double cancelling(const lift *u, const lift_form *f) {
    double sides[2] = {fmax(f->one, 0), fmax(-f->one, 0)}, worst = 0;
    bool tokens = true;
    for (size_t k = 0; k < f->count; k++) {
        const lift_column *c = &u->columns[f->terms[k].channel];
        add_sides(sides, f->terms[k].weight, c);
        tokens = tokens && c->writer == LIFT_TOKEN;
    }
    for (uint32_t t = 0; tokens && t < ORDINARY_LETTERS + u->letters; t++) {
        double sum = f->one, size = fabs(f->one);
        for (size_t k = 0; k < f->count; k++) {
            double x = f->terms[k].weight * u->columns[f->terms[k].channel].tokens[t];
            sum += x;
            size += fabs(x);
        }
        if (sum == 0) worst = fmax(worst, size);
    }
    return tokens ? worst : 2 * fmin(sides[0], sides[1]);
}

static bool is_power(double w) {
    int e;
    return frexp(fabs(w), &e) == 0.5;
}

/* Rounding error of a sum of `terms` products in any order. products: the total size of those that round, which
   are no products with a power of two; partial: the largest partial sum; result: the sum. */
static double sum_rounding(double terms, double products, double partial, double result) {
    double added = terms < 2 ? 0 : (terms - 2) * partial + fmin(partial, result);
    return 1.01 * F32 * (products + added) * SLACK;
}

ordinary_row ordinary_row_bound(const ordinary_bounding *b, const lift_form *f) {
    const lift *u = b->u;
    double products = fabs(f->one), weights = 0, zeros = 0, errors = 0, error = ordinary_pin_error(b) * fabs(f->one),
           grain = fabs(f->one), share = 0, sides[2] = {fmax(f->one, 0), fmax(-f->one, 0)},
           rounded = b->common + ordinary_pin_error(b) > 0 ? 2 * fabs(f->one) : 0,
           terms = (double)f->count + (f->one != 0);
    bool exact = b->own == 0 && b->common == 0, powers = true;
    for (size_t k = 0; k < f->count; k++) {
        const lift_column *c = &u->columns[f->terms[k].channel];
        const ordinary_column_bound *x = &b->columns[f->terms[k].channel];
        double w = fabs(f->terms[k].weight), size = size_of(c);
        double off = x->error + (x->relative + b->own) * size;
        bool back = !c->mean;
        if (b->k.f16_vectors) {
            double seen = x->error + b->mean, relative = x->relative + b->own + b->common;
            back = back && ordinary_f16_back(size, seen, relative, c->grain);
            if (back)
                off = ordinary_back_error(off, x->zero);
            else
                off = fmax(off, ordinary_f16_error(size, seen, relative, c->mean ? 0 : c->grain));
        }
        /* a number of it that is not 0 is `grain` at least */
        if (size > 0)
            share = fmax(share, back && c->grain > 0 ? x->error / c->grain + x->relative + b->own : INFINITY);
        add_sides(sides, f->terms[k].weight, c);
        exact = exact && off == 0;
        errors += 2 * w * x->error;
        /* in f16 the mean that was taken off is rounded with it, and no longer as the ground is */
        zeros += 2 * w * (x->zero + (b->k.f16_vectors && x->zero > 0 ? b->mean : 0));
        error += w * off;
        products += w * (size + off);
        powers = powers && is_power(w);
        if (!is_power(w)) rounded += w * (size + off);
        weights += w;
        grain = lift_common(grain, w * c->grain);
    }
    if (u->m->architecture == ORDINARY_GPT2) {
        double left = b->mean * (b->k.f16_vectors ? 2.01 * weights : fabs(f->rest) + 8 * F32 * weights);
        error += left;
        share += grain > 0 ? left / grain : 0;
        if (weights > 0) { /* the ground */
            terms++;
            rounded += 2 * weights * b->mean;
        }
    }
    /* it is 0 where all columns are, or where products cancel out, and then all that they are off counts */
    double cancel = cancelling(u, f), zero = cancel > 0 ? errors : zeros;
    zero += cancel * (b->own + ordinary_pin_error(b) + (f->count + 2) * 1.01 * F32);
    if (u->m->architecture == ORDINARY_GPT2) {
        double left = fabs(f->rest) + 8 * F32 * weights;
        if (b->k.f16_vectors) left = cancel > 0 ? 2.01 * weights : fabs(f->rest) + 2.01 * F16 * 2 * weights;
        zero += b->mean * left;
    }
    ordinary_row r = {.scale = b->common};
    double low, high;
    lift_range(u, f, &low, &high);
    r.size = fmax(fabs(low), fabs(high)) * SLACK;
    exact = exact && products <= 0x1p24 * ordinary_lowest_bit(grain);
    double more = error + 2 * weights * b->mean, partial = fmax(sides[0], sides[1]) * (1 + 2 * b->common) + more;
    r.rounded = exact ? 0 : sum_rounding(terms, rounded + more, partial, r.size * (1 + 2 * b->common) + more);
    r.error = (error + r.rounded) * SLACK;
    r.zero = fmin(zero * SLACK, r.error); /* what all share is a share of the ideal number, which is 0 */
    /* products of one sign: none is larger than their sum, and columns that are 0 are in `zero` */
    bool one_sign = f->one == 0 && fmin(sides[0], sides[1]) == 0;
    double sums = u->m->architecture == ORDINARY_GPT2 ? terms + 1 : fmax(terms - 1, 0) + !powers;
    r.share = one_sign ? (share + sums * 1.01 * F32 * (1 + share)) * SLACK : INFINITY;
    return r;
}

/* ---- steps ---- */

typedef struct net_bound {
    double *added;   /* [columns] errors of what is written */
    double *tails;   /* [columns] where no step is 1 */
    double *written; /* [columns] the sizes of all products that are added up, ... */
    double *rounded; /* [columns] ... and of those that may be rounded */
    size_t *count;   /* [columns] of products */
    double total;    /* of all products of all columns */
    double rest;     /* GPT-2 */
} net_bound;

/* An argument that is a multiple of 32, which f16 has, and off by so much: how far what f16 makes of it is from that
   multiple. Rounding keeps order, so the ends say it. */
static double rounded_off(double argument, double off) {
    double low = format_round(&format_f16, (argument - off) * (1 - 0x1p-50)),
           high = format_round(&format_f16, (argument + off) * (1 + 0x1p-50));
    return fmax(argument - low, high - argument);
}

static double argument_rounding(double argument, double off) { return fmin(F16 * (argument + off), off); }

/* Both units of a step, whose arguments are 64 apart; the first one's is at most `high`, and the second one is off
   by `more` beside. They share what they are off, and that cancels out if none is rounded; else each is as far off as
   f16 leaves it, or as it is rounded. What is rounded is the argument times a number within `share` of 1. */
static double step_rounding(double high, double off, double more, double share) {
    double most = 0;
    for (double x = 96; x <= high + 32; x += 32) {
        double first = off + share * (x + off), second = off + more + share * (x - 64 + off + more);
        double apart = rounded_off(x, first) + rounded_off(x - 64, second);
        double each = argument_rounding(x, first) + argument_rounding(x - 64, second);
        most = fmax(most, fmin(apart, each));
    }
    return most;
}

static void bound_step(ordinary_bounding *b, const lift_step *s, net_bound *n) {
    const lift *u = b->u;
    bool llama = u->m->architecture == ORDINARY_LLAMA;
    ordinary_row r = ordinary_row_bound(b, &s->sum);
    double low, high, off = r.error + r.scale * r.size;
    lift_range(u, &s->sum, &low, &high);
    double most = fmax(fabs(low), fabs(high)) + LIFT_GATE; /* the second unit's constant is by that much less */
    double active = fmax(high, 0) + off;                   /* a unit says no more, tails aside */
    /* ideal arguments are 32 away from 0 at least: sums are whole, and cuts a quarter away from whole numbers */
    double more = LIFT_GATE * ordinary_pin_error(b); /* of the second unit's constant */
    double sure = 32 - off - b->common * 32 - more;
    if (!(sure >= (llama ? SILU_SURE : GELU_SURE)))
        ordinary_refuse(b->s, s->layer, 0, "units %u and on may not be saturated: an argument is off by %.3g",
                        s->unit + 1, off);
    if (b->k.f16_vectors && most + off > F16_MOST)
        ordinary_refuse(b->s, s->layer, 0, "units %u and on may be beyond f16", s->unit + 1);
    /* both units read the same vector: what is left is the roundings of each, and the scale of the constant */
    double scale = b->common + ordinary_pin_error(b);
    double unit = 2 * r.rounded + 2 * HALF_GATE * scale;
    /* of two units, each of which f16 rounds by at most itself */
    double tails = llama ? 4 * 1.01 * sure * exp_f64(-sure) : 0;
    /* the other projection is the constant 1: where that is exact, so are products with it */
    double share = llama && scale > 0 ? scale + 3 * F32 : 0;
    if (share > 0) unit += 2 * HALF_GATE * share + 2 * F32 * active;
    unit += tails;
    if (b->k.f16_vectors) unit += step_rounding(high, off, more, share);
    for (size_t k = 0; k < s->count; k++) {
        double w = fabs(s->terms[k].weight) / LIFT_GATE;
        uint32_t c = s->terms[k].channel;
        n->added[c] += w * unit * SLACK;
        n->tails[c] += 1.01 * w * tails;
        n->written[c] += 2 * w * (active + tails);
        if (!is_power(w)) n->rounded[c] += 2 * w * (active + tails);
        n->total += 2 * w * (active + tails);
        n->count[c] += 2;
    }
    n->rest += fabs(s->rest) * 2 * (active + tails);
}

void ordinary_net(ordinary_bounding *b, uint32_t layer) {
    const lift *u = b->u;
    arena *a = b->s->arena;
    net_bound n = {.added = arena_zalloc(a, u->column_count, sizeof *n.added),
                   .tails = arena_zalloc(a, u->column_count, sizeof *n.tails),
                   .written = arena_zalloc(a, u->column_count, sizeof *n.written),
                   .rounded = arena_zalloc(a, u->column_count, sizeof *n.rounded),
                   .count = arena_zalloc(a, u->column_count, sizeof *n.count)};
    size_t products = 0;
    const uint32_t *first = first_layers(b);
    for (size_t k = 0; k < u->step_count; k++)
        if (u->steps[k].layer == layer) {
            bound_step(b, &u->steps[k], &n);
            products += 2;
        }
    for (uint32_t c = 0; c < u->column_count; c++) {
        if (!n.count[c]) continue;
        /* what is added to 0 stays as it is; else a layer adds up to twice what there is in the end */
        bool fresh = u->columns[c].writer == LIFT_NET && first[c] == layer;
        double size = size_of(&u->columns[c]), after = fresh ? 0 : F32 * (size + 1);
        double whole = (fresh ? 1 : 2) * size + n.added[c];
        double sums = sum_rounding((double)n.count[c], n.rounded[c], n.written[c], whole);
        b->columns[c].error = (b->columns[c].error + n.added[c] + sums + after) * SLACK;
        b->columns[c].zero = u->columns[c].returns ? b->columns[c].error : b->columns[c].zero + n.tails[c];
    }
    /* what is rounded away in columns, and in zero-sum columns, does not cancel */
    b->imbalance += (2 * ((double)products + 4) * 1.01 * F32 * n.total + 4 * F32 * b->sum + n.rest) * SLACK;
}

static void bound_attention(ordinary_bounding *b, uint32_t layer, size_t *head) {
    const lift *u = b->u;
    double total = 0, rest = 0;
    size_t count = 0, first = *head;
    for (; *head < u->head_count && u->heads[*head].layer == layer; (*head)++) {
        const lift_head *h = &u->heads[*head];
        double error = ordinary_head_bound(b, h);
        b->s->errors[*head] = fmax(b->s->errors[*head], error);
        count += h->value_count;
    }
    for (size_t k = first; k < *head; k++)
        for (size_t v = 0; v < u->heads[k].value_count; v++) {
            double size = size_of(&u->columns[u->heads[k].values[v].column]) + 1;
            total += size;
            rest += fabs(u->heads[k].values[v].rest) * size / u->heads[k].values[v].scale;
        }
    b->imbalance += (2 * ((double)count + 4) * 1.01 * F32 * total + 4 * F32 * b->sum + rest) * SLACK;
}

/* What the columns of a row add up to, the pins aside, and how large they are together. */
static double row_sum(const lift *u, const float *row, double *size) {
    enum { COUNTER_PIN = 1 };
    double sum = 0;
    *size = 0;
    for (uint32_t k = COUNTER_PIN + 1; k < u->m->width; k++) {
        sum += (double)row[k];
        *size += fabs((double)row[k]);
    }
    return fabs(sum) + 0x1p-40 * *size;
}

double ordinary_embedding(const lift *u) {
    double tokens = 0, positions = 0, most[2] = {0}, size;
    if (u->m->architecture != ORDINARY_GPT2) return 0;
    for (uint32_t t = 0; t < u->m->vocabulary; t++) {
        tokens = fmax(tokens, row_sum(u, u->m->token_embedding + (size_t)t * u->m->width, &size));
        most[0] = fmax(most[0], size);
    }
    for (uint32_t i = 0; i < u->m->positions; i++) {
        positions = fmax(positions, row_sum(u, u->m->position_embedding + (size_t)i * u->m->width, &size));
        most[1] = fmax(most[1], size);
    }
    return (tokens + positions + F32 * (most[0] + most[1])) * SLACK;
}

static double bound_logits(const ordinary_bounding *b) {
    double worst = 0;
    for (uint32_t t = 0; t < b->u->m->vocabulary; t++) {
        ordinary_row r = ordinary_row_bound(b, &b->u->logits[t]);
        worst = fmax(worst, (r.error + r.scale * r.size) * SLACK);
    }
    return worst;
}

static void bound_kernels(ordinary_audit *s, ordinary_kernels k) {
    ordinary_bounding b = {.s = s, .u = s->u, .k = k};
    size_t head = 0;
    b.columns = arena_zalloc(s->arena, s->u->column_count, sizeof *b.columns);
    b.imbalance = ordinary_embedding(s->u);
    for (uint32_t l = 1; l <= s->u->m->layer_count; l++) {
        ordinary_norm(&b, l, false);
        bound_attention(&b, l, &head);
        ordinary_norm(&b, l, true);
        ordinary_net(&b, l);
    }
    ordinary_norm(&b, s->u->m->layer_count + 1, false);
    s->logits = fmax(s->logits, bound_logits(&b));
}

void ordinary_bounds(ordinary_audit *s) {
    s->errors = arena_zalloc(s->arena, s->u->head_count, sizeof *s->errors);
    bound_kernels(s, (ordinary_kernels){.f16_vectors = s->claim->f16_weights, .f16_cache = s->claim->f16_cache});
    bound_kernels(s, (ordinary_kernels){.f32_norms = true});
}
