#include "run/guarded_run.h"

#include <float.h>
#include <string.h>

#include "base/text.h"
#include "number/upward.h"
#include "run/exact_run.h"
#include "run/positions.h"
#include "run/run_work.h"

/* ---- numbers with a bound ---- */

/* |v - what is meant| <= e */
typedef struct ball {
    double v, e;
} ball;

/* Below this, the error of a product or quotient may be too small to be a double. */
static const double SMALL = 0x1p-960;

static ball exactly(double v) { return (ball){v, 0}; }
static bool is_exact_zero(ball a) { return a.v == 0 && a.e == 0; }
static ball negative(ball a) { return (ball){-a.v, a.e}; }

/* The error of one addition is a double, and found without error. */
static ball sum(ball a, ball b) {
    double s = a.v + b.v, t = s - a.v, rest = (a.v - (s - t)) + (b.v - t);
    return (ball){s, up_add(up_add(a.e, b.e), fabs(rest))};
}

static ball product(ball a, ball b) {
    if (is_exact_zero(a) || is_exact_zero(b)) return exactly(0);
    double p = a.v * b.v, e = fabs(fma(a.v, b.v, -p));
    if (fabs(p) < SMALL && a.v != 0 && b.v != 0) e = up_add(e, DBL_TRUE_MIN);
    if (a.e == 0 && b.e == 0) return (ball){p, e};
    double spread = up_add(up_mul(fabs(a.v), b.e), up_mul(up_add(fabs(b.v), b.e), a.e));
    return (ball){p, up_add(e, spread)};
}

static ball quotient(ball a, size_t count) {
    if (count == 1) return a;
    double t = (double)count, q = a.v / t, e = up_div(up_add(a.e, fabs(fma(-q, t, a.v))), t);
    if (fabs(a.v) < SMALL && a.v != 0) e = up_add(e, DBL_TRUE_MIN);
    return (ball){q, e};
}

/* relu moves no two numbers apart. */
static ball relu(ball a) { return -a.v >= a.e ? exactly(0) : (ball){fmax(a.v, 0), a.e}; }

/* -1, 0, 1: which side of zero it is on; 2: cannot tell */
static int side(ball a) {
    if (a.v > a.e) return 1;
    if (-a.v > a.e) return -1;
    return is_exact_zero(a) ? 0 : 2;
}

/* ---- the run ---- */

typedef struct guarded {
    const temper_model *m;
    const uint32_t *letters;
    size_t n, size; /* N */
    rational_pool *pool;
    arena *memory;
    ball *x, *delta; /* [N][channels] the residual stream, and what a sublayer adds to it */
    ball *q, *k, *v; /* of one head */
    ball *out;       /* [value_size] of one row */
    ball *scores;    /* [N] of one row */
    size_t *best;    /* [N] the keys of one row that may have the largest score */
    size_t count;    /* how many */
    run_work told;
} guarded;

static void require_finite(const guarded *g, ball a, size_t position) {
    if (isfinite(a.v) && isfinite(a.e)) return;
    trap_raise_remedy(g->memory->trap, TEMPER_UNSUPPORTED, 0, position, TEMPER_REMEDY_EXACT,
                      "a number at position %zu, or the bound of its rounding, is beyond the range of doubles",
                      position);
}

/* The row of a matrix applied to x. */
static ball dot(const model_rows *rows, size_t row, const ball *x) {
    ball z = exactly(0);
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++)
        z = sum(z, product(exactly(rows->terms[k].weight), x[rows->terms[k].channel]));
    return z;
}

static void add_row(ball *z, const model_rows *rows, size_t row, ball a) {
    if (is_exact_zero(a)) return;
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        ball *c = &z[rows->terms[k].channel];
        *c = sum(*c, product(exactly(rows->terms[k].weight), a));
    }
}

/* out[N][rows] = rows applied to every position */
static void project(ball *out, const guarded *g, const model_rows *rows) {
    for (size_t i = 0; i < g->size; i++)
        for (uint32_t r = 0; r < rows->count; r++) {
            out[i * rows->count + r] = dot(rows, r, g->x + i * g->m->channel_count);
            require_finite(g, out[i * rows->count + r], i);
        }
}

/* ---- embedding ---- */

static ball from_rational(const rational *x, rational *work) {
    ball b = exactly(rational_to_double(x));
    if (!isfinite(b.v)) return b;
    rational_set_double(work, b.v);
    rational_sub(work, x, work);
    rational_abs(work, work);
    b.e = rational_above(work);
    return b;
}

static void embed_feature(guarded *g, uint32_t c, rational *work) {
    const model_channel *channel = &g->m->channels[c];
    if (!channel->position || channel->soft_only) return;
    bool same = !expression_uses(channel->position, EXPR_I);
    ball b = exactly(0);
    for (size_t i = 0; i < g->size; i++) {
        if (i == 0 || !same) {
            exact_feature(&work[0], g->m, c, i, g->n, g->pool);
            b = from_rational(&work[0], &work[1]);
        }
        g->x[i * g->m->channel_count + c] = b;
    }
}

static void embed(guarded *g) {
    const temper_model *m = g->m;
    rational *work = rational_array(g->pool, 2);
    for (uint32_t c = 0; c < m->channel_count; c++) embed_feature(g, c, work);
    for (size_t i = 0; i < g->size; i++)
        add_row(g->x + i * m->channel_count, &m->embedding, position_token(m, g->letters, g->n, i), exactly(1));
}

/* ---- one head ---- */

typedef struct place { /* a row */
    uint32_t layer, head;
    size_t i;
    key_range keys;
} place;

static const model_head *head_of(const guarded *g, const place *p) { return &g->m->layers[p->layer].heads[p->head]; }

static double below(ball a) { return sub_down(a.v, a.e); }
static double above(ball a) { return a.e == 0 ? a.v : next_up(a.v + a.e); }

/* Keys whose score may be the largest; true if they are known to have the same one. */
static bool find_candidates(guarded *g, const place *p) {
    const model_head *h = head_of(g, p);
    size_t qs = h->query.count;
    const ball *q = g->q + p->i * qs;
    double least = -INFINITY;
    for (size_t j = p->keys.first; j < p->keys.end; j++) {
        ball s = exactly(0);
        for (size_t d = 0; d < qs; d++) s = sum(s, product(q[d], g->k[j * qs + d]));
        require_finite(g, s, p->i);
        g->scores[j] = s;
        least = fmax(least, below(s));
    }
    bool tied = true;
    g->count = 0;
    for (size_t j = p->keys.first; j < p->keys.end; j++) {
        if (above(g->scores[j]) < least) continue;
        g->best[g->count++] = j;
        tied = tied && g->scores[j].e == 0;
    }
    return tied || g->count == 1;
}

/* score of a minus score of b: keys that are equal make no difference, however far off the query may be */
static ball score_difference(const guarded *g, const place *p, size_t a, size_t b) {
    size_t qs = head_of(g, p)->query.count;
    const ball *q = g->q + p->i * qs, *ka = g->k + a * qs, *kb = g->k + b * qs;
    ball s = exactly(0);
    for (size_t d = 0; d < qs; d++) s = sum(s, product(q[d], sum(ka[d], negative(kb[d]))));
    return s;
}

static bool values_agree(const guarded *g, size_t vs) {
    const ball *first = g->v + g->best[0] * vs;
    for (size_t k = 0; k < g->count; k++)
        for (size_t d = 0; d < vs; d++) {
            ball b = g->v[g->best[k] * vs + d];
            if (first[d].e != 0 || b.e != 0 || b.v != first[d].v) return false;
        }
    return true;
}

static _Noreturn void refuse_tie(const guarded *g, const place *p, size_t a, size_t b) {
    const char *label = head_of(g, p)->label;
    trap_raise_remedy(g->memory->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_EXACT,
                      "head %u.%u (%s) at position %zu: positions %zu and %zu may tie, and rounding cannot tell "
                      "(scores %.17g and %.17g)",
                      p->layer + 1, p->head + 1, text_escaped(g->memory, label, strlen(label), 24), p->i,
                      a < b ? a : b, a < b ? b : a, g->scores[a < b ? a : b].v, g->scores[a < b ? b : a].v);
}

/* Compares all candidates with one of them, directly. A candidate that beats it takes its place, and so on: what is
   left either has the largest score for certain, or its value does not depend on who has. */
static void decide(guarded *g, const place *p) {
    size_t leader = g->best[0], doubtful;
    bool beaten;
    for (size_t k = 1; k < g->count; k++)
        if (g->scores[g->best[k]].v > g->scores[leader].v) leader = g->best[k];
    do {
        size_t kept = 0, next = leader;
        doubtful = SIZE_MAX;
        beaten = false;
        for (size_t k = 0; k < g->count; k++) {
            size_t j = g->best[k];
            int order = j == leader ? 0 : side(score_difference(g, p, leader, j));
            if (order == 1) continue;
            if (order == -1) next = j, beaten = true;
            if (order == 2) doubtful = j;
            g->best[kept++] = j;
        }
        g->count = kept;
        if (!beaten) break;
        leader = next;
    } while (true);
    if (doubtful == SIZE_MAX) return;
    if (!values_agree(g, head_of(g, p)->value.count)) refuse_tie(g, p, leader, doubtful);
    g->count = 1;
}

/* out = the value that the head chooses */
static void choose(guarded *g, const place *p) {
    const model_head *h = head_of(g, p);
    size_t vs = h->value.count;
    if (!find_candidates(g, p)) decide(g, p);
    if (h->hard_choice != TEMPER_CHOICE_AVERAGE) {
        size_t j = g->best[h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? g->count - 1 : 0];
        memcpy(g->out, g->v + j * vs, vs * sizeof *g->out);
        return;
    }
    for (size_t d = 0; d < vs; d++) {
        ball total = exactly(0);
        for (size_t k = 0; k < g->count; k++) total = sum(total, g->v[g->best[k] * vs + d]);
        g->out[d] = quotient(total, g->count);
    }
}

/* delta += the head's output; returns the largest distance of its values from a Boolean, -1 if they need not be
   any */
static double run_head(guarded *g, uint32_t layer, uint32_t head) {
    const model_head *h = &g->m->layers[layer].heads[head];
    double margin = head_is_boolean(h) ? 0 : -1;
    project(g->q, g, &h->query);
    project(g->k, g, &h->key);
    project(g->v, g, &h->value);
    for (size_t i = 0; i < g->size; i++) {
        place p = {layer, head, i, mask_keys(h->mask, i, g->size)};
        if (p.keys.first >= p.keys.end) continue;
        choose(g, &p);
        for (uint32_t d = 0; d < h->value.count; d++) {
            require_finite(g, g->out[d], i);
            add_row(g->delta + i * g->m->channel_count, &h->output, d, g->out[d]);
            if (margin >= 0 && i >= 1 && i <= g->n) margin = fmax(margin, distance_to_boolean(g->out[d].v));
        }
        run_work_rows(&g->told, h->mask, i, i + 1, g->size);
    }
    run_work_head(&g->told, h->mask, g->size);
    return margin;
}

/* ---- one layer ---- */

static void run_units(const guarded *g, const model_layer *l, size_t i) {
    const ball *x = g->x + i * g->m->channel_count;
    for (uint32_t u = 0; u < l->in.count; u++) {
        ball h = sum(dot(&l->in, u, x), exactly(l->bias[u]));
        require_finite(g, h, i);
        add_row(g->delta + i * g->m->channel_count, &l->out, u, relu(h));
    }
}

/* x += delta, which becomes zero */
static void apply_delta(guarded *g) {
    size_t count = g->size * g->m->channel_count;
    for (size_t k = 0; k < count; k++) g->x[k] = sum(g->x[k], g->delta[k]);
    memset(g->delta, 0, count * sizeof *g->delta);
}

static void read_out(unsigned char *truth, const guarded *g) {
    for (size_t k = 0; k < g->m->read.count * g->size; k++) {
        size_t i = k % g->size;
        ball y = dot(&g->m->read, (uint32_t)(k / g->size), g->x + i * g->m->channel_count);
        require_finite(g, y, i);
        int order = side(sum(y, exactly(-0.5)));
        if (order == 2)
            trap_raise_remedy(g->memory->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_EXACT,
                              "the read-out at position %zu is within rounding of 1/2 (%.17g, off by at most %.3g)",
                              i, y.v, y.e);
        truth[k] = order == 1;
    }
}

static void raise_to(size_t *most, size_t count) {
    if (count > *most) *most = count;
}

static void prepare(guarded *g) {
    static const double most_pairs = 4294967296.0, most_numbers = 1 << 26;
    const temper_model *m = g->m;
    size_t qs = 0, vs = 0, heads = 0;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++, heads++) {
            raise_to(&qs, m->layers[l].heads[h].query.count);
            raise_to(&vs, m->layers[l].heads[h].value.count);
        }
    double size = (double)g->size, pairs = size * size * (double)heads;
    double numbers = size * (2.0 * m->channel_count + 2.0 * (double)qs + (double)vs + 2);
    if (pairs > most_pairs || numbers > most_numbers)
        trap_raise_remedy(g->memory->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_UNCHECKED,
                          "hard choices of this model are proved string by string, which for length %zu takes %.3g "
                          "scores and %.3g numbers; the limits are %.3g and %.3g",
                          g->n, pairs, numbers, most_pairs, most_numbers);
    g->x = arena_zalloc(g->memory, g->size * m->channel_count, sizeof *g->x);
    g->delta = arena_zalloc(g->memory, g->size * m->channel_count, sizeof *g->delta);
    g->q = arena_alloc(g->memory, g->size * qs, sizeof *g->q);
    g->k = arena_alloc(g->memory, g->size * qs, sizeof *g->k);
    g->v = arena_alloc(g->memory, g->size * vs, sizeof *g->v);
    g->out = arena_alloc(g->memory, vs, sizeof *g->out);
    g->scores = arena_alloc(g->memory, g->size, sizeof *g->scores);
    g->best = arena_alloc(g->memory, g->size, sizeof *g->best);
}

void guarded_run(unsigned char *truth, double *margins, const temper_model *m, const uint32_t *letters, size_t n,
                 rational_pool *pool, arena *memory) {
    guarded g = {.m = m, .letters = letters, .n = n, .size = n + 1 + m->has_end, .pool = pool, .memory = memory};
    exact_require(m, memory->trap);
    prepare(&g);
    run_work_pairs(&g.told, m, g.size, 5);
    embed(&g);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) *margins++ = run_head(&g, l, h);
        if (m->layers[l].head_count) apply_delta(&g);
        for (size_t i = 0; i < g.size; i++) run_units(&g, &m->layers[l], i);
        apply_delta(&g);
    }
    read_out(truth, &g);
}
