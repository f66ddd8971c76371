#include "bound/every_length.h"

#include <math.h>

#include "number/upward.h"

enum { MOST_ROWS = 4, MOST_TERMS = 64 };

/* ---- the run's operations ---- */

static double stored(const every_length *e, double x) { return format_round(e->type->storage, x); }
static double summed(const every_length *e, double x) { return format_round(e->type->accumulation, x); }

/* A row, with `truth` for the sum of its Boolean terms, which stand first; x are the values of its features. */
static double row_of(const every_length *e, const row_shape *row, const expression *const *terms, const double *x,
                     double truth) {
    double sum = 0;
    for (size_t k = 0; k < row->count; k++)
        sum = terms[k] ? summed(e, sum + summed(e, row->terms[k].weight * x[k])) : truth;
    return stored(e, sum);
}

static void evaluate(const every_length *e, double *x, const expression *const *terms, size_t count, double i,
                     double n, double size) {
    for (size_t k = 0; k < count; k++)
        if (terms[k]) x[k] = stored(e, expression_eval(terms[k], i, n, size));
}

/* The logit of a key whose features are x. */
static double logit_of(const every_length *e, const double *query, const double *x, double truth, double scale) {
    const head_shape *s = e->shape;
    const expression *const *terms = e->key;
    double sum = 0;
    for (uint32_t r = 0; r < s->rows; r++) {
        sum = summed(e, sum + summed(e, query[r] * row_of(e, &s->key[r], terms, x, truth)));
        terms += s->key[r].count;
        x += s->key[r].count;
    }
    return e->scale ? summed(e, scale * sum) : sum;
}

/* The logits of all positions at length N, as candidate and as not. False if one is not finite. */
static bool make_logits(every_length *e, uint64_t size) {
    const head_shape *s = e->shape;
    double query[MOST_ROWS], x[MOST_TERMS], n = (double)size - 1 - e->has_end, scale = NAN;
    const expression *const *terms = e->query;
    for (uint32_t r = 0; r < s->rows; terms += s->query[r++].count) {
        evaluate(e, x, terms, s->query[r].count, 0, n, (double)size);
        query[r] = row_of(e, &s->query[r], terms, x, NAN); /* it has no Booleans */
    }
    if (e->scale) scale = summed(e, expression_eval(e->scale, 0, n, (double)size));
    for (uint64_t j = 0; j < size; j++) {
        evaluate(e, x, e->key, e->key_terms, (double)j, n, (double)size);
        e->candidate[j] = logit_of(e, query, x, 1, scale);
        e->other[j] = s->tests ? logit_of(e, query, x, 0, scale) : 0;
        if (!isfinite(e->candidate[j]) || !isfinite(e->other[j])) return false;
    }
    return true;
}

/* ---- rows ---- */

/* e^((1 - u)(logit - winner)), rounded up: what the weight may be when rescaled in whatever steps. */
static double weight_in_tiles(const number_format *a, double logit, double winner) {
    double difference = next_up(logit - winner);
    return difference < 0 ? up_exp(next_up(difference * (1 - ldexp(1, -a->precision)))) : INFINITY;
}

/* What a key of that logit weighs beside a winner of this one. exp is 0 in formats of up to 24 digits long before
   -150. */
static double weight_of(const every_length *e, double logit, double winner) {
    const number_format *a = e->type->accumulation;
    if (e->in_tiles) return weight_in_tiles(a, logit, winner);
    double difference = summed(e, logit - winner);
    return a->precision <= 24 && difference < -150 ? 0 : format_exp(a, difference);
}

enum { NEAR = 4 };

/* Position number k counted towards the winner from the far end of the losing side, and on the other side
   likewise. */
static uint64_t from_far(const every_length *e, uint64_t size, uint64_t k, bool losing) {
    return e->shape->rightmost == losing ? k : size - 1 - k;
}

/* Losers' logits move up by a unit in the last place, winners' down. For each count k the largest logit among the k
   farthest losers, and among all but the NEAR first of k on the other side. */
static void find_rests(every_length *e, uint64_t size) {
    const number_format *a = e->type->accumulation;
    double best = -INFINITY, other = -INFINITY;
    for (uint64_t j = 0; j < size; j++) {
        e->winner[j] = format_next(a, e->candidate[j], false);
        if (e->shape->tests) e->other[j] = format_next(a, e->other[j], true);
        e->loser[j] = format_next(a, e->candidate[j], true);
        if (e->shape->tests && e->other[j] > e->loser[j]) e->loser[j] = e->other[j];
    }
    for (uint64_t k = 0; k < size; k++) {
        e->best_before[k] = best;
        best = fmax(best, e->loser[from_far(e, size, k, true)]);
        e->rest_of_others[k] = other;
        if (k >= NEAR) other = fmax(other, e->other[from_far(e, size, k, false)]);
    }
}

/* The winner has `before` losers on the losing side. */
/* On paper: "Nearest". */
static double row_rest(const every_length *e, uint64_t size, uint64_t before) {
    double winner = e->winner[from_far(e, size, before, true)], sum = 0;
    for (uint64_t k = 1; k <= NEAR && k <= before; k++)
        sum = up_add(sum, weight_of(e, e->loser[from_far(e, size, before - k, true)], winner));
    if (before > NEAR)
        sum = up_add(sum, up_mul((double)(before - NEAR), weight_of(e, e->best_before[before - NEAR], winner)));
    uint64_t after = e->shape->tests ? size - 1 - before : 0;
    for (uint64_t k = 0; k < NEAR && k < after; k++)
        sum = up_add(sum, weight_of(e, e->other[from_far(e, size, k, false)], winner));
    if (after > NEAR)
        sum = up_add(sum, up_mul((double)(after - NEAR), weight_of(e, e->rest_of_others[after], winner)));
    return sum;
}

/* The largest rest of all rows, and of shorter lengths; a NaN in e4m3, which has no infinity, where a key is far
   above the winner. */
static double largest_rest(every_length *e, uint64_t size, bool in_tiles, double rest) {
    e->in_tiles = in_tiles;
    for (uint64_t k = 0; k < size; k++) {
        double sum = row_rest(e, size, k);
        if (isnan(sum)) return sum;
        rest = fmax(rest, sum);
    }
    return rest;
}

/* Whether a difference of any two logits is a number, moved or not. e4m3 has no infinity, so that a key far below the
   winner would weigh a NaN, not 0; it may be one that row_rest counts like a larger one. */
/* On paper: "Nearest". */
static bool has_differences(const every_length *e, uint64_t size) {
    const number_format *a = e->type->accumulation;
    double high = e->candidate[0], low = high;
    if (a->infinities) return true;
    for (uint64_t j = 0; j < size; j++) {
        high = fmax(high, fmax(e->candidate[j], e->shape->tests ? e->other[j] : high));
        low = fmin(low, fmin(e->candidate[j], e->shape->tests ? e->other[j] : low));
    }
    return high < a->largest && low > -a->largest &&
           isfinite(summed(e, format_next(a, high, true) - format_next(a, low, false)));
}

static bool do_length(every_length *e, uint64_t size) {
    double logit = e->logit[size - 1];
    if (!make_logits(e, size) || !has_differences(e, size)) return false;
    for (uint64_t j = 0; j < size; j++) logit = fmax(logit, fmax(fabs(e->candidate[j]), fabs(e->other[j])));
    find_rests(e, size);
    e->rest[size] = largest_rest(e, size, false, e->rest[size - 1]);
    if (e->type->tile) e->tiled[size] = largest_rest(e, size, true, e->tiled[size - 1]);
    e->logit[size] = logit;
    return e->rest[size] < 1; /* else this length is wrong, and so are all that contain it */
}

/* ---- the head ---- */

/* The expressions of a matrix's terms. NULL where the shape says Boolean. */
static const expression *const *expressions(certification *c, const model_rows *rows, const row_shape *shape) {
    const expression **out = arena_alloc(c->arena, rows->start[rows->count], sizeof *out);
    size_t at = 0;
    for (uint32_t r = 0; r < rows->count; r++)
        for (size_t k = 0; k < shape[r].count; k++, at++) {
            bool truth = shape[r].terms[k].form.size == FORM_BOOLEAN;
            out[at] = truth ? NULL : c->model->channels[rows->terms[at].channel].position;
        }
    return out;
}

/* Queries do not depend on the position; keys are sums of Booleans that are 0 or 1, and then features. */
static bool is_plain(const head_shape *s) {
    for (uint32_t r = 0; r < s->rows; r++) {
        for (size_t k = 0; k < s->query[r].count; k++) {
            const feature_form *f = &s->query[r].terms[k].form;
            if (f->size != FORM_CONSTANT && f->size != FORM_POWER) return false;
        }
        for (size_t k = 0; k < s->key[r].count; k++) {
            const term_shape *t = &s->key[r].terms[k];
            if (t->form.size == FORM_BOOLEAN ? k > 0 && t[-1].form.size != FORM_BOOLEAN
                                             : t->form.size != FORM_SHARE && t->form.size != FORM_POWER)
                return false;
        }
    }
    return true;
}

every_length *every_length_begin(certification *c, const head_shape *s) {
    const model_head *h = &c->model->layers[s->first_layer].heads[s->first_head];
    size_t terms = h->key.start[h->key.count];
    if (s->role != ROLE_NEAREST || s->rows > MOST_ROWS || terms > MOST_TERMS ||
        h->query.start[h->query.count] > MOST_TERMS || !is_plain(s))
        return NULL;
    every_length *e = arena_zalloc(c->arena, 1, sizeof *e);
    e->shape = s;
    e->type = c->type;
    e->has_end = c->model->has_end;
    e->query = expressions(c, &h->query, s->query);
    e->key = expressions(c, &h->key, s->key);
    e->key_terms = terms;
    e->scale = h->scale;
    e->candidate = arena_zalloc(c->arena, EVERY_LENGTH_MOST, sizeof *e->candidate);
    e->other = arena_zalloc(c->arena, EVERY_LENGTH_MOST, sizeof *e->other);
    e->winner = arena_zalloc(c->arena, EVERY_LENGTH_MOST, sizeof *e->winner);
    e->loser = arena_zalloc(c->arena, EVERY_LENGTH_MOST, sizeof *e->loser);
    e->best_before = arena_zalloc(c->arena, EVERY_LENGTH_MOST, sizeof *e->best_before);
    e->rest_of_others = arena_zalloc(c->arena, EVERY_LENGTH_MOST, sizeof *e->rest_of_others);
    return e;
}

bool every_length_bound(double *rest, double *logit, every_length *e, uint64_t size) {
    while (e->done < size && !e->failed) {
        bool exists = e->done > 0 || !e->has_end; /* N = 1 is no length with an end sentinel */
        if (!exists || do_length(e, e->done + 1))
            e->done++;
        else
            e->failed = true;
    }
    if (e->done < size) return false;
    *rest = e->type->tile && size > e->type->tile ? e->tiled[size] : e->rest[size];
    *logit = e->logit[size];
    return *rest < 1;
}
