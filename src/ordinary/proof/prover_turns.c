/* Heads of a Llama whose scores come from turning pairs of dimensions (doc/ordinary.md, "Turning heads"). */
#include <math.h>

#include "number/elementary.h"
#include "number/format.h"
#include "number/trig.h"
#include "ordinary/proof/prover.h"

double prover_frequency(const prover *p, uint32_t pair) {
    const struct ordinary_model *m = p->m;
    double f = exp_f64(-2 * log_f64(m->rope_base) * pair / m->head_size);
    return m->rope_factors ? f / (double)m->rope_factors[pair] : f;
}

/* Runtimes multiply powers of the base in f32, pair after pair, and our own angle is rounded far below that; their
   sines and cosines are within 2^-22. */
double prover_turn_error(const prover *p, uint32_t pair, double position) {
    double angle = up_mul(up_mul(prover_frequency(p, pair), position), (3.0 * pair + 6) * UNIT);
    return up_add(angle, 0x1p-22);
}

/* Query (a, b) and key (k, 0) of a pair, both from the pin alone: their numbers on letters and the start sentinel
   are the same. */
typedef struct turning_pair {
    double a, b, k;
    double errors[3]; /* of each, as computed before it is turned */
} turning_pair;

static bool read_pair(prover *p, const head_work *h, uint32_t pair, bool start_key, turning_pair *out) {
    uint32_t half = p->m->head_size / 2;
    const proved_row *rows[3] = {&h->query[pair], &h->query[pair + half], &h->key[pair]};
    double *to[3] = {&out->a, &out->b, &out->k};
    for (size_t r = 0; r < 3; r++) {
        const ideal_form *f = &rows[r]->form;
        bool constant = f->count == 0 && (r == 2 && start_key ? f->one == 0 : f->one == f->start);
        if (!constant) return prover_fail(p, "a pair that turns reads something else than the constant 1");
        *to[r] = f->start;
        out->errors[r] = prover_row_error(rows[r]);
    }
    return h->key[pair + half].is_zero || prover_fail(p, "a key has both dimensions of a pair that turns");
}

/* The score of a pair at a distance, times the root: k (a cos - b sin). */
static double pair_score(const turning_pair *t, double angle) {
    return t->k * (t->a * cos_f64(angle) - t->b * sin_f64(angle));
}

/* How far a computed product of a pair, in any row, may be from pair_score. */
static double pair_error(const prover *p, const turning_pair *t, uint32_t pair) {
    double n = (double)p->positions, turn = prover_turn_error(p, pair, n);
    double query = up_add(fabs(t->a), fabs(t->b)), key = fabs(t->k);
    double eq = up_add(up_add(t->errors[0], t->errors[1]), up_mul(query, up_add(turn, 4 * UNIT)));
    double ek = up_add(t->errors[2], up_mul(key, up_add(turn, 4 * UNIT)));
    if (p->options.kv == ORDINARY_F16) {
        eq = up_add(eq, up_add(up_mul(HALF_UNIT, up_add(query, eq)), HALF_TINY));
        ek = up_add(ek, up_add(up_mul(HALF_UNIT, up_add(key, ek)), HALF_TINY));
    }
    double product = up_add(up_mul(query, ek), up_add(up_mul(key, eq), up_mul(eq, ek)));
    return up_mul(2, product); /* two dimensions */
}

static bool in_half(const prover *p, double x) { return p->options.kv != ORDINARY_F16 || x <= HALF_MOST; }

bool prove_turning_yesterday(prover *p, head_work *h, proved_head *out) {
    uint32_t half = p->m->head_size / 2, pairs = 0;
    turning_pair *turning = arena_alloc(p->arena, half, sizeof *turning);
    uint32_t *which = arena_alloc(p->arena, half, sizeof *which);
    double error = 0, size = 0;
    for (uint32_t k = 0; k < half; k++) {
        if (h->query[k].is_zero && h->query[k + half].is_zero) continue;
        if (h->key[k].is_zero && h->key[k + half].is_zero) continue;
        if (!read_pair(p, h, k, false, &turning[pairs])) return false;
        double all = up_mul(up_add(fabs(turning[pairs].a), fabs(turning[pairs].b)), fabs(turning[pairs].k));
        if (!in_half(p, 2 * all)) return prover_fail(p, "a query or key is beyond f16");
        error = up_add(error, pair_error(p, &turning[pairs], k));
        size = up_add(size, all);
        which[pairs++] = k;
    }
    error = up_add(error, up_mul(up_mul(2.0 * pairs + 4, UNIT * 1.01), up_mul(2, size)));
    error = up_div(error, h->root);
    double best = 0, leak = 0, gap = INFINITY;
    for (uint32_t k = 0; k < pairs; k++) best += pair_score(&turning[k], prover_frequency(p, which[k]));
    for (double distance = 0; distance < (double)p->positions; distance++) {
        if (distance == 1) continue;
        double score = 0;
        for (uint32_t k = 0; k < pairs; k++)
            score += pair_score(&turning[k], prover_frequency(p, which[k]) * distance);
        double below = (best - score) / h->root - 2 * error - size * 0x1p-40;
        gap = fmin(gap, below);
        leak = up_add(leak, up_exp(-next_down(below)));
    }
    out->score = up_div(size, h->root);
    out->rounding = error;
    out->gap = gap;
    out->leak = leak;
    return true;
}

/* ---- the ramp ---- */

/* A number and how far it may be off. */
typedef struct about {
    double x, off;
} about;

/* What f16 makes of it; without `always` it may also stay as it is. */
static about rounded(bool half, double x, double off, bool always) {
    if (!half) return (about){x, off};
    double least = format_round(&format_f16, next_down(x - off));
    double most = format_round(&format_f16, next_up(x + off));
    if (!always) {
        least = fmin(least, next_down(x - off));
        most = fmax(most, next_up(x + off));
    }
    double middle = least / 2 + most / 2;
    return (about){middle, fmax(next_up(most - middle), next_up(middle - least))};
}

static double product_off(about x, about y) {
    return up_add(up_mul(fabs(x.x), y.off), up_add(up_mul(fabs(y.x), x.off), up_mul(x.off, y.off)));
}

/* Scores of pair 4, as they are computed with a key that was rounded after it was turned: the steps from one key to
   the next, in every row, and the whole way. f16 caches always round keys, and queries or not. The steps are
   computed in doubles, whose roundings the slack of 2^-45 of the largest score covers. */
static bool ramp_with(prover *p, head_work *h, bool half, double worth, double content_error, double ties,
                      proved_head *out) {
    enum { RAMP = 4 };
    size_t n = p->positions;
    turning_pair t;
    double sign = h->hint->last ? 1 : -1, least_step = INFINITY, widest = 0;
    if (!read_pair(p, h, RAMP, false, &t)) return false;
    if (t.a != 0) return prover_fail(p, "the query of a ramp has both dimensions");
    if (!in_half(p, fmax(fabs(t.b), fabs(t.k)))) return prover_fail(p, "a query or key is beyond f16");
    double frequency = prover_frequency(p, RAMP), product = up_mul(2, fabs(t.b * t.k));
    about *keys[2], *steps[2];
    for (size_t k = 0; k < 2; k++) {
        keys[k] = arena_alloc(p->arena, n, sizeof **keys);
        steps[k] = arena_alloc(p->arena, n, sizeof **steps);
    }
    for (size_t j = 0; j < n; j++) {
        double angle = frequency * (double)j, turn = prover_turn_error(p, RAMP, (double)j);
        double off = up_add(t.errors[2], up_mul(fabs(t.k), up_add(turn, 4 * UNIT)));
        keys[0][j] = rounded(half, t.k * cos_f64(angle), off, true);
        keys[1][j] = rounded(half, t.k * sin_f64(angle), off, true);
        for (size_t k = 0; k < 2 && j; k++)
            steps[k][j] = (about){keys[k][j].x - keys[k][j - 1].x, up_add(keys[k][j].off, keys[k][j - 1].off)};
    }
    for (size_t i = 0; i < n; i++) {
        double angle = frequency * (double)i, turn = prover_turn_error(p, RAMP, (double)i);
        double off = up_add(t.errors[1], up_mul(fabs(t.b), up_add(turn, 4 * UNIT)));
        about q[2] = {rounded(half, -t.b * sin_f64(angle), off, false),
                      rounded(half, t.b * cos_f64(angle), off, false)};
        double a = sign * q[0].x, b = sign * q[1].x, size_a = fabs(a) + q[0].off, size_b = fabs(b) + q[1].off;
        for (size_t j = 1; j <= i; j++) {
            about f = steps[0][j], s = steps[1][j];
            double step =
                a * f.x + b * s.x - size_a * f.off - size_b * s.off - q[0].off * fabs(f.x) - q[1].off * fabs(s.x);
            least_step = fmin(least_step, step);
        }
        /* steps all go one way, or nothing is proved: the ends are the first key and the last */
        double from = q[0].x * keys[0][0].x + q[1].x * keys[1][0].x;
        double to = q[0].x * keys[0][i].x + q[1].x * keys[1][i].x;
        double apart = up_add(up_add(product_off(q[0], keys[0][0]), product_off(q[1], keys[1][0])),
                              up_add(product_off(q[0], keys[0][i]), product_off(q[1], keys[1][i])));
        widest = fmax(widest, up_add(fabs(to - from), apart));
    }
    double slack =
        up_add(up_mul(product, 0x1p-45), up_mul(up_mul(fmax(8, (double)h->products + 4) * UNIT, 1.01), product));
    double rounding = up_div(slack, h->root);
    double both = up_mul(2, up_add(rounding, content_error));
    double step = next_down(next_down(least_step / h->root) - up_mul(2, up_add(rounding, ties)));
    double gap = next_down(next_down(worth - next_up(widest / h->root)) - both);
    if (n == 1) step = gap;
    out->gap = fmin(step, gap);
    out->rounding = up_add(rounding, content_error);
    out->score = up_add(worth, next_up(widest / h->root));
    out->leak = INFINITY;
    if (step > 0 && gap > 0) out->leak = up_div(up_add(up_exp(-step), up_exp(-gap)), next_down(1 - up_exp(-step)));
    return true;
}

/* A model for an f16 cache is also run with one of f32, by runtimes that have no other. */
bool prove_ramp(prover *p, head_work *h, double worth, double content_error, double ties, proved_head *out) {
    proved_head plain;
    if (!ramp_with(p, h, false, worth, content_error, ties, out)) return false;
    if (p->options.kv != ORDINARY_F16) return true;
    plain = *out;
    if (!ramp_with(p, h, true, worth, content_error, ties, out)) return false;
    out->gap = fmin(out->gap, plain.gap);
    out->leak = fmax(out->leak, plain.leak);
    return true;
}

/* ---- waves ---- */

/* The start sentinel has the score k (a cos - b sin) + a constant, all others 0: says[i] is what the head then says,
   0 or 1. */
bool prove_wave(prover *p, head_work *h, proved_head *out, double *says) {
    uint32_t half = p->m->head_size / 2, pair = half, dimension = p->m->head_size;
    turning_pair t;
    double constant = 0, error = 0, size = 0;
    for (uint32_t d = 0; d < p->m->head_size; d++) {
        if (h->key[d].is_zero || (h->query[d].is_zero && (d >= half || h->query[d + half].is_zero))) continue;
        if (h->hint->rows == 1 && d == h->hint->dimensions[0])
            dimension = d;
        else if (d < half && pair == half)
            pair = d;
        else
            return prover_fail(p, "a wave has more than one pair");
    }
    if (pair == half) return prover_fail(p, "a wave has no pair");
    for (uint32_t d = 0; d < p->m->head_size; d++) {
        bool partner =
            dimension < p->m->head_size && d % half == dimension % half && h->query[d].is_zero && h->key[d].is_zero;
        if (head_uses(p, h, d) && d % half != pair && d != dimension && !partner)
            return prover_fail(p, "a wave has products beside its pair");
    }
    if (!read_pair(p, h, pair, true, &t)) return false;
    if (dimension < p->m->head_size) {
        const ideal_form *q = &h->query[dimension].form, *k = &h->key[dimension].form;
        if (q->count || k->count || k->one != 0 || q->one != q->start)
            return prover_fail(p, "the offset of a wave is no constant");
        constant = q->one * k->start;
        error = up_mul(head_product_error(p, h, dimension), h->root);
        size = fabs(constant);
    }
    double all = up_mul(up_add(fabs(t.a), fabs(t.b)), fabs(t.k));
    if (!in_half(p, up_add(fabs(t.a), fabs(t.b))) || !in_half(p, fabs(t.k)))
        return prover_fail(p, "a query or key is beyond f16");
    /* The sentinel's key is not turned: one product counts, and f16 rounds it by a share of itself. Keys of letters
       are 0 up to their error, and take part in both products. */
    double query = up_add(fabs(t.a), fabs(t.b)),
           turn = up_add(prover_turn_error(p, pair, (double)p->positions), 4 * UNIT);
    double off = up_add(up_add(t.errors[0], t.errors[1]), up_add(up_mul(query, turn), HALF_TINY));
    double stray = up_mul(up_mul(4, t.errors[2]), up_add(query, off));
    double share = up_add(up_div(t.errors[2], fabs(t.k)), p->options.kv == ORDINARY_F16 ? 1.01 * HALF_UNIT : 0);
    size = up_add(size, all);
    error = up_add(up_mul(2, error), up_add(up_mul(fabs(t.k), off), up_add(stray, up_mul(16 * UNIT, size))));
    error = up_div(error, h->root);
    double frequency = prover_frequency(p, pair), gap = INFINITY, leak = 0;
    says[0] = 1;
    for (size_t i = 1; i < p->positions; i++) {
        double wave = pair_score(&t, frequency * (double)i), score = (wave + constant) / h->root;
        double rounded_off = up_div(up_mul(up_mul(2, share), fabs(wave)), h->root);
        double sure = next_down(next_down(next_down(fabs(score) - size * 0x1p-40) - error) - rounded_off);
        says[i] = score > 0;
        gap = fmin(gap, sure);
        leak = fmax(leak, score > 0 ? up_mul((double)i, up_exp(-sure)) : up_exp(-sure));
    }
    out->score = up_div(size, h->root);
    out->rounding = error;
    out->gap = gap;
    out->leak = gap > 0 ? leak : INFINITY;
    return true;
}
