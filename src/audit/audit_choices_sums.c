/* Sums of rounded products, and the embedding (doc/certificate.md, "Errors of sums"). */
#include <math.h>

#include "audit/audit_choices_errors.h"

bool error_is_zero(const errors *e, const ball *x) { return ball_is_at_most(x, e->zero); }

const ball *error_least(errors *e, const ball *x, const ball *y) {
    ball *z = calc_ball(e->c), *t = calc_ball(e->c);
    ball_neg(z, x);
    ball_neg(t, y);
    ball_max(z, z, t);
    ball_neg(z, z);
    return z;
}

int grid_of_double(double x) { return x == 0 ? GRID_ZERO : audit_grid_of(x); }

bool error_fits(const errors *e, const number_format *f, const ball *size, int grid) {
    if (error_is_zero(e, size)) return true;
    calculus *c = e->c;
    return grid != GRID_NONE && ball_is_at_most(num(c, f->least), two_to(c, grid)) &&
           ball_is_at_most(size, two_to(c, (long)grid + f->precision)) && ball_is_at_most(size, num(c, f->largest));
}

const ball *error_store(errors *e, const ball *eta, const ball *size, const ball *near) {
    calculus *c = e->c;
    if (e->t->ps >= e->t->pa) return eta;
    const ball *moved = mul(c, e->more, add(c, size, eta));
    return add(c, eta, near ? error_least(e, moved, near) : moved);
}

void error_room(const errors *e, const ball *size, double largest, uint32_t layer, uint32_t head, const char *what) {
    if (!ball_is_at_most(size, num(e->c, largest / 2)))
        audit_refuse(e->a, layer, head, "at length %zu %s may become too large for the type", e->n, what);
}

bool error_grows_little(const errors *e, uint64_t roundings) {
    return ball_is_at_most(up(e->c, e->t->ua, roundings), num(e->c, 2));
}

/* ---- sums ---- */

error_sum sum_begin(errors *e, uint32_t layer, uint32_t head) {
    return (error_sum){.error = e->zero,
                       .size = e->zero,
                       .ideal = e->zero,
                       .grid = GRID_ZERO,
                       .clean = true,
                       .layer = layer,
                       .head = head};
}

void sum_term(errors *e, error_sum *s, double weight, const ball *x, const ball *y, const ball *error, int grid) {
    calculus *c = e->c;
    double stored = format_round(e->t->storage, weight);
    if (!isfinite(stored)) audit_refuse(e->a, s->layer, s->head, "a weight is too large for the type");
    s->terms++;
    s->size = add(c, s->size, mul(c, num(c, fabs(stored)), y));
    s->ideal = add(c, s->ideal, mul(c, num(c, fabs(weight)), x));
    if (!error_is_zero(e, error)) {
        s->clean = false;
        s->error = add(c, s->error, mul(c, num(c, fabs(stored)), error));
    }
    if (stored != weight) {
        ball *off = calc_ball(c), *back = calc_ball(c);
        ball_sub(off, num(c, stored), num(c, weight));
        ball_neg(back, off);
        ball_max(off, off, back);
        s->clean = false;
        s->error = add(c, s->error, mul(c, off, x));
    }
    if (error_is_zero(e, x) || weight == 0 || s->grid == GRID_NONE) return;
    int total = grid == GRID_NONE ? GRID_NONE : grid + grid_of_double(weight);
    if (total < s->grid) s->grid = total;
}

void sum_fact(errors *e, error_sum *s, double weight, const extent *x, const ball *error) {
    const ball *size = num(e->c, x->size);
    sum_term(e, s, weight, size, add(e->c, size, error), error, x->grid);
}

error_sum sum_row(errors *e, const model_rows *rows, size_t row, const extent *stage, uint32_t layer, uint32_t head) {
    error_sum s = sum_begin(e, layer, head);
    const model_term *terms = rows_begin_of(rows, row);
    for (size_t k = 0; k < rows_size(rows, row); k++)
        sum_fact(e, &s, terms[k].weight, &stage[terms[k].channel], e->channel[terms[k].channel]);
    return s;
}

bool sum_is_exact(errors *e, const error_sum *s, bool stored) {
    return s->clean && error_fits(e, e->t->sums, s->size, s->grid) &&
           (!stored || error_fits(e, e->t->storage, s->size, s->grid));
}

const ball *sum_error(errors *e, const error_sum *s, sum_kind kind) {
    calculus *c = e->c;
    bool stored = kind != SUM_PLAIN;
    error_room(e, s->size, stored ? e->t->fs : e->t->fa, s->layer, s->head, "a sum");
    if (sum_is_exact(e, s, stored)) return e->zero;
    if (!error_grows_little(e, s->terms + 2))
        audit_refuse(e->a, s->layer, s->head, "at length %zu a sum has too many terms for the type", e->n);
    uint64_t roundings = s->terms + (kind == SUM_CHANNEL ? 2 : 1);
    const ball *relative = sub(c, up(c, e->t->ua, roundings), e->one);
    const ball *eta =
        add(c, add(c, s->error, mul(c, s->size, relative)), mul(c, num(c, 4 * (double)(s->terms + 2)), e->tau));
    bool near = error_fits(e, e->t->storage, s->ideal, s->grid);
    for (int times = (int)kind; times > 0; times--) eta = error_store(e, eta, s->size, near ? eta : NULL);
    return eta;
}

/* ---- the embedding ---- */

/* The distance of the computed number from the exact one, for a feature (NULL: none) and a weight (0: none). */
static double embedded(const errors *e, const model_channel *channel, const rational *exact, double weight, size_t i,
                       rational *t) {
    const number_format *s = e->t->storage;
    double stored = format_round(s, weight), x = stored;
    if (channel->position) {
        x = format_round(s, expression_eval(channel->position, (double)i, (double)e->n, (double)e->positions));
        if (weight != 0) x = format_round(s, format_round(e->t->sums, x + stored));
    }
    if (!isfinite(x))
        trap_raise(e->a->trap, TEMPER_RANGE, 0, 0, "the embedding is not finite at position %zu of length %zu", i,
                   e->n);
    rational_set_double(&t[0], weight);
    if (!channel->soft_only) rational_add(&t[0], &t[0], exact); /* 0 where there is none */
    return rational_distance(&t[0], x);
}

/* A feature that does not read the length is what it was: of letters only the last one is new. The start sentinel and
   the letters before it are in e->worst. */
void choices_embedding(errors *e) {
    const hard_choices *g = e->g;
    const temper_model *m = g->model;
    const model_rows *rows = &m->embedding;
    uint32_t tokens = model_end_token(m) + 1;
    double *worst = arena_zalloc(e->a->scratch, g->channels, sizeof *worst);
    double *weight = arena_alloc(e->a->scratch, g->channels, sizeof *weight);
    if (!e->worst) {
        e->worst = arena_zalloc(e->a->arena, g->channels, sizeof *e->worst);
        e->t2 = rational_array(&e->g->pool, 2);
    }
    rational *t = e->t2;
    double *before = arena_alloc(e->a->scratch, g->channels, sizeof *before); /* the weights of the letter before */
    for (uint32_t token = 0; token < tokens; token++) {
        size_t first = 1, end = e->n + 1;
        if (token == model_start_token(m)) first = 0, end = 1;
        if (token == model_end_token(m)) first = e->n + 1, end = e->positions;
        bool other = token == 0 || token == model_start_token(m) || token == model_end_token(m);
        for (size_t c = 0; c < g->channels; c++) {
            before[c] = other ? NAN : weight[c];
            weight[c] = 0;
        }
        for (uint32_t k = rows->start[token]; k < rows->start[token + 1]; k++) {
            weight[rows->terms[k].channel] = rows->terms[k].weight;
            if (!isfinite(format_round(e->t->storage, rows->terms[k].weight))) /* also where no such token is */
                audit_refuse(e->a, 0, 0, "a weight of the embedding is too large for the type");
        }
        for (size_t c = 0; c < g->channels; c++) {
            const model_channel *channel = &m->channels[c];
            if ((weight[c] == 0 && !channel->position) || weight[c] == before[c]) continue;
            bool ends = token == model_end_token(m), fixed = !choices_reads_length(g, (uint32_t)c);
            size_t from = fixed && token != model_start_token(m) && !ends && first < e->n ? e->n : first;
            if (!channel->position && e->n > 1 && !ends) continue;
            for (size_t i = from; i < end; i++) {
                double off = embedded(e, channel, &g->features[i * g->channels + c], weight[c], i, t);
                double *to = fixed && !ends ? &e->worst[c] : &worst[c];
                if (off > *to) *to = off;
            }
        }
    }
    for (size_t c = 0; c < g->channels; c++)
        if (e->worst[c] > worst[c]) worst[c] = e->worst[c];
    for (size_t c = 0; c < g->channels; c++) e->channel[c] = worst[c] == 0 ? e->zero : num(e->c, worst[c]);
}
