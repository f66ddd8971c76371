/* Heads in the error recursion: how far logits are off, and what softmax makes of that (doc/certificate.md 8.4 and 8.5). */
#include "bound/choice_work.h"
#include "bound/choice_share.h"

static ball *row_error(const at_length *w, const model_rows *rows, uint32_t row, const known *x, uint32_t layer,
                       uint32_t head) {
    error_sum s = length_row(w, rows, row, x);
    ball *out = ball_array(w->a, 1);
    error_sum_finish(out, &s, w->rules, SUM_STORED);
    if (!error_sum_has_room(&s, w->rules, SUM_STORED)) length_too_large(w, layer, head);
    return out;
}

/* ---- scores: section 8.4 ---- */

typedef struct score_error {
    ball *tie_off, *lose_off, *largest;
} score_error;

static double scale_at(const at_length *w, const model_head *h) {
    if (h->choice != TEMPER_CHOICE_SOFTMAX || !h->scale) return 1;
    return format_round(w->rules->accumulation, expression_eval(h->scale, 0, (double)w->n, (double)w->size));
}

static score_error score_errors(const at_length *w, uint32_t layer, uint32_t head, double scale) {
    const model_head *h = &w->r->m->layers[layer].heads[head];
    const layer_facts *known_of = &w->r->f->all->layers[layer];
    const head_facts *f = &known_of->heads[head];
    const tie_break *tie = &w->r->ties[w->r->f->head_start[layer] + head];
    const rounding_rules *rules = w->rules;
    ball *b = ball_array(w->a, 9), *size = b, *off = b + 1, *q = b + 2, *k = b + 3, *t = b + 4, *most = b + 7,
         *keys = b + 8;
    score_error out = {b + 5, b + 6, size};
    int grid = GRID_ANY;
    bool clean = true, constant = tie->step == 0;
    for (uint32_t d = 0; d < h->query.count; d++) {
        if (tie->step > 0 && d == tie->row) continue;
        const ball *eq = row_error(w, &h->query, d, known_of->before, layer + 1, head + 1);
        const ball *ek = row_error(w, &h->key, d, known_of->before, layer + 1, head + 1);
        clean = clean && ball_is_zero(eq) && ball_is_zero(ek);
        double width = known_width(&f->key[d]), qs = known_size(&f->query[d]), ks = known_size(&f->key[d]);
        ball_set_double(q, qs);
        ball_add(q, q, eq);
        ball_max(most, most, q);
        ball_set_double(k, ks);
        ball_add(k, k, ek);
        ball_add(keys, keys, k);
        ball_mul(t, q, k);
        ball_add(size, size, t);
        if (!ball_is_zero(q) && !(width == 0 && ball_is_zero(ek))) {
            constant = false;
            ball_set_double(t, width);
            ball_mul(t, t, eq);
            ball_add(off, off, t);
            ball_mul(t, q, ek);
            ball_mul_2exp(t, t, 1);
            ball_add(off, off, t);
        }
        if (qs > 0 && ks > 0) {
            bool none = f->query[d].grid <= GRID_NONE || f->key[d].grid <= GRID_NONE;
            int g = none ? GRID_NONE : f->query[d].grid + f->key[d].grid;
            if (g < grid) grid = g;
        }
    }
    if (tie->step > 0) {
        ball_set_double(t, tie->query);
        ball_max(most, most, t);
        ball_set_double(t, tie->step);
        ball_set_int(k, (int64_t)w->size - 1);
        ball_mul(t, t, k);
        ball_add(size, size, t);
        ball_set_double(k, tie->query);
        ball_div(t, t, k);
        ball_add(keys, keys, t);
        if (double_grid(tie->step) < grid) grid = double_grid(tie->step);
    }
    ball_set_double(k, scale);
    ball_mul(t, size, k); /* the largest logit */
    ball_mul(most, most, k);
    if (!ball_has_room(size, rules->accumulation, rules) || !ball_has_room(t, rules->accumulation, rules) ||
        !ball_has_room(most, rules->accumulation, rules))
        length_too_large(w, layer + 1, head + 1);
    ball_set(&w->r->logit[w->r->f->head_start[layer] + head], t);
    int shift = log2_of(scale);
    bool exact = clean && shift >= 0 && ball_fits(size, grid, rules->accumulation, rules) &&
                 ball_fits(t, grid <= GRID_NONE ? GRID_NONE : grid + shift, rules->accumulation, rules);
    bool moves = h->choice == TEMPER_CHOICE_SOFTMAX && !h->adaptive && !ball_is_zero(size);
    uint64_t steps = (uint64_t)h->query.count + 2;
    ball_set_double(k, rules->storage->least);
    ball_sub(k, rules->tiny, k); /* tau - t_s, over the scale */
    ball_set_double(q, scale);
    ball_div(k, k, q);
    if (moves) { /* by a unit in the last place each */
        rounding_factor(q, rules, steps);
        rounding_factor(t, rules, 2);
        ball_mul(q, q, t);
        ball_add(t, t, q);
        ball_mul(t, t, size);
        ball_add(t, t, k);
        ball_mul_2exp(out.tie_off, t, 1);
    }
    if (constant || exact) {
        ball_set(out.lose_off, out.tie_off);
        return out;
    }
    rounding_factor(t, rules, moves ? steps + 2 : steps);
    ball_mul(t, t, size);
    ball_mul_2exp(t, t, 1);
    add_tiny(t, rules, 8 * steps);
    if (scale < 0.25) { /* what subnormal products and logits lose does not shrink with the scale */
        ball_set_double(q, 2 * (double)steps);
        ball_mul(k, k, q);
        ball_add(t, t, k);
    }
    if (!w->r->ascending) { /* queries are multiplied by the scale, and what a small product loses is multiplied by keys */
        ball_mul(k, keys, rules->tiny);
        ball_mul_2exp(k, k, 1);
        ball_set_double(q, scale);
        ball_div(k, k, q);
        ball_add(t, t, k);
    }
    if (clean && h->query.count == 1 && tie->step == 0) {
        ball_set(out.lose_off, t);
        return out;
    }
    ball_add(out.lose_off, off, t);
    ball_set(out.tie_off, out.lose_off);
    return out;
}

/* ---- heads: section 8.5 ---- */

/* How far the stored weights of a row are from those that were added up, relatively. `spread` is how far the logits of winners are apart;
   NULL: they all weigh exactly 1. Where it is little they do so when they are stored. */
static void stored_weights(ball *out, const rounding_rules *rules, const ball *share, const ball *spread, ball *t) {
    ball_set(out, rules->storing);
    ball_mul_2exp(t, rules->storing, -2);
    if (spread && !ball_is_at_most(spread, t)) return;
    ball_mul(out, out, share);
    if (!spread) return;
    ball_mul_2exp(t, spread, 1);
    ball_add(out, out, t);
}

/* The error of a stored mean of values that are off by `off` (e_v); `share` is D. */
static void mean_error(ball *out, const at_length *w, const known *value, const known *output, const ball *off,
                       const ball *share, bool even, const ball *spread) {
    const rounding_rules *rules = w->rules;
    ball *t = ball_array(w->a, 6), *most = t, *x = t + 1, *y = t + 2, *one = t + 3, *z = t + 4;
    ball_set_int(one, 1);
    ball_set_double(most, known_size(value));
    ball_set_int(x, (int64_t)w->size);
    ball_mul(x, x, most);
    ball_set_double(y, known_size(output));
    bool holds = ball_fits(y, output->grid, rules->storage, rules);
    ball_set_int(out, 0);
    if (even && ball_is_zero(off) && (double)w->size <= ldexp(1, rules->accumulation->precision) &&
        ball_fits(most, value->grid, rules->storage, rules) &&
        ball_fits(x, value->grid, rules->accumulation, rules)) {
        if (holds) return;
        ball_mul(out, most, rules->unit);
        add_tiny(out, rules, 4);
        add_storing(out, most, NULL, rules);
        return;
    }
    ball_add(most, most, off);
    rounding_factor(x, rules, 4 * (uint64_t)w->size + 12);
    ball_mul_2exp(z, one, -2);
    bool bounded = ball_is_at_most(x, z);
    ball_sub(x, one, x); /* 2 - (1 + u)^(4 N + 12) */
    rounding_factor(y, rules, 4 * (uint64_t)w->size + 13);
    ball_add(y, y, one);
    ball_div(y, y, x);
    ball_sub(y, y, one);
    if (!ball_is_zero(rules->storing)) {
        stored_weights(z, rules, share, spread, t + 5);
        ball_mul_2exp(z, z, 1);
        ball_add(y, y, z);
    }
    ball_mul(y, y, most);
    ball_set_double(x, known_width(value));
    ball_mul(x, x, share);
    ball_add(out, off, x);
    ball_add(out, out, y);
    ball_add(x, most, one);
    ball_set_int(y, 16 * (int64_t)w->size);
    ball_mul(x, x, y);
    ball_mul(x, x, rules->tiny);
    ball_add(out, out, x);
    ball_set_int(z, 0);
    if (!bounded) ball_div(out, one, z); /* not finite */
    ball_set(x, out);
    add_storing(out, most, holds ? x : NULL, rules);
}

void head_errors(const at_length *w, error_sum *to, uint32_t layer, uint32_t head) {
    const model_head *h = &w->r->m->layers[layer].heads[head];
    const layer_facts *known_of = &w->r->f->all->layers[layer];
    const head_facts *f = &known_of->heads[head];
    uint32_t index = w->r->f->head_start[layer] + head;
    ball *share = &w->r->share[index], *worst = &w->r->error[index];
    double scale = scale_at(w, h), gap = w->r->f->gap[index][w->n];
    if (!(scale > 0) || !isfinite(scale)) {
        length_too_large(w, layer + 1, head + 1);
        return;
    }
    score_error off = score_errors(w, layer, head, scale);
    if (w->r->too_large) return;
    ball_set_double(&w->r->off[index], scale);
    ball_mul(&w->r->off[index], &w->r->off[index], off.lose_off);
    share_problem p = {.h = h,
                       .size = w->size,
                       .single = f->tieless,
                       .gap = gap,
                       .scale = scale,
                       .step = w->r->ties[index].step,
                       .tie_off = off.tie_off,
                       .lose_off = off.lose_off,
                       .largest = off.largest};
    share_bound(share, &p, w->rules, w->a);
    if (!ball_is_finite(share)) {
        length_too_large(w, layer + 1, head + 1);
        return;
    }
    bool even = h->hard_choice == TEMPER_CHOICE_AVERAGE && gap == INFINITY && ball_is_zero(off.tie_off);
    ball_set_int(worst, 0);
    ball *b = ball_array(w->a, 4), *e = b, *t = b + 1, *spread = b + 3;
    ball_set_double(spread, scale);
    ball_mul(spread, spread, off.tie_off);
    if (f->tieless || ball_is_zero(off.tie_off)) spread = NULL;
    for (uint32_t d = 0; d < h->value.count; d++) {
        const ball *ev = row_error(w, &h->value, d, known_of->before, layer + 1, head + 1);
        mean_error(e, w, &f->value[d], &f->output[d], ev, share, even, spread);
        ball_set_double(t, known_size(&f->value[d]));
        ball_add(t, t, ev);
        ball_set_int(b + 2, 2 * (int64_t)w->size);
        ball_mul(t, t, b + 2);
        if (!ball_is_finite(e) || !ball_has_room(t, w->rules->accumulation, w->rules)) {
            length_too_large(w, layer + 1, head + 1);
            return;
        }
        ball_max(worst, worst, e);
        const model_term *term = rows_begin_of(&h->output, d);
        for (size_t k = rows_size(&h->output, d); k-- > 0; term++)
            length_add(w, &to[term->channel], term->weight, &f->output[d], e);
    }
}
