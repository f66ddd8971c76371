#include "certify/general_error.h"

#include "certify/embedding_error.h"
#include "certify/share.h"

/* ---- beginning ---- */

static bool rows_are_finite(const model_rows *rows, const number_format *f) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++)
        if (!isfinite(format_round(f, rows->terms[k].weight))) return false;
    return true;
}

/* The rounded rows of a bundle are multiples of each other as well. */
static bool bundles_are_kept(const model_layer *l, const bundle_list *bundles, const number_format *f) {
    for (uint32_t b = 0; b < bundles->count; b++)
        for (uint32_t k = 0; k < bundles->items[b].unit_count; k++) {
            const bundle_unit *u = &bundles->items[b].units[k];
            const model_term *s = rows_begin_of(&l->in, bundles->items[b].row), *t = rows_begin_of(&l->in, u->unit);
            for (size_t c = rows_size(&l->in, u->unit); c-- > 0; s++, t++)
                if (format_round(f, t->weight) != u->ratio * format_round(f, s->weight)) return false;
        }
    return true;
}

static bool weights_are_finite(const temper_model *m, const number_format *f) {
    bool ok = rows_are_finite(&m->embedding, f) && rows_are_finite(&m->read, f);
    for (uint32_t l = 0; l < m->layer_count && ok; l++) {
        const model_layer *layer = &m->layers[l];
        for (uint32_t h = 0; h < layer->head_count && ok; h++)
            ok = rows_are_finite(&layer->heads[h].query, f) && rows_are_finite(&layer->heads[h].key, f) &&
                 rows_are_finite(&layer->heads[h].value, f) && rows_are_finite(&layer->heads[h].output, f);
        ok = ok && rows_are_finite(&layer->in, f) && rows_are_finite(&layer->out, f);
        for (uint32_t u = 0; u < layer->in.count; u++) ok = ok && isfinite(format_round(f, layer->bias[u]));
    }
    return ok;
}

static void mark(unsigned char *written, const model_rows *rows) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++) written[rows->terms[k].channel] = 1;
}

bool recursion_begin(recursion *r, const hard_facts *f, const number_type *type, bool ascending, arena *keep,
                     arena *scratch) {
    const temper_model *m = f->s.model;
    *r = (recursion){.m = m, .f = f, .ascending = ascending, .keep = keep, .scratch = scratch};
    if (!weights_are_finite(m, type->storage)) return false;
    for (uint32_t l = 0; l < m->layer_count; l++)
        if (!bundles_are_kept(&m->layers[l], &f->s.bundles[l], type->storage)) return false;
    rounding_rules_init(&r->rules, type, ascending, keep);
    uint32_t heads = f->head_start[m->layer_count];
    r->share = ball_array(keep, heads);
    r->error = ball_array(keep, heads);
    r->logit = ball_array(keep, heads);
    r->off = ball_array(keep, heads);
    r->answer = ball_array(keep, 1);
    r->ties = arena_zalloc(keep, heads, sizeof *r->ties);
    unsigned char *written = arena_zalloc(keep, m->channel_count, 1);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        mark(written, &m->layers[l].out);
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) mark(written, &m->layers[l].heads[h].output);
    }
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            r->ties[f->head_start[l] + h] =
                tie_break_find(m, &m->layers[l].heads[h], f->length, written, type->storage);
    return true;
}

/* ---- sums ---- */

/* What the recursion has for the length it is at. */
typedef struct at_length {
    recursion *r;
    const rounding_rules *rules;
    size_t n, size;
    ball *e; /* [channels] */
    ball *x; /* [1] work: sizes */
    arena *a;
} at_length;

static void too_large(const at_length *w, uint32_t layer, uint32_t head) {
    if (w->r->too_large) return;
    w->r->too_large = true;
    w->r->layer = layer;
    w->r->head = head;
}

static void add_known(const at_length *w, error_sum *s, double weight, const known *k, const ball *e) {
    ball_set_double(&w->x[0], known_size(k));
    error_sum_add(s, w->rules, weight, &w->x[0], e, k->grid);
}

/* Row of weights on the channels x. */
static error_sum sum_row(const at_length *w, const model_rows *rows, uint32_t row, const known *x) {
    error_sum s;
    error_sum_begin(&s, w->a);
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++) {
        uint32_t c = rows->terms[k].channel;
        add_known(w, &s, rows->terms[k].weight, &x[c], &w->e[c]);
    }
    return s;
}

static ball *row_error(const at_length *w, const model_rows *rows, uint32_t row, const known *x, uint32_t layer,
                       uint32_t head) {
    error_sum s = sum_row(w, rows, row, x);
    ball *out = ball_array(w->a, 1);
    error_sum_finish(out, &s, w->rules, SUM_STORED);
    if (!error_sum_has_room(&s, w->rules, SUM_STORED)) too_large(w, layer, head);
    return out;
}

/* ---- scores: section 8.4 ---- */

typedef struct score_error {
    ball *tie_off, *lose_off, *largest;
} score_error;

static int log2_of(double x) {
    int e;
    return frexp(x, &e) == 0.5 ? e - 1 : GRID_NONE;
}

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
        too_large(w, layer + 1, head + 1);
    ball_set(&w->r->logit[w->r->f->head_start[layer] + head], t);
    int shift = log2_of(scale);
    bool exact = clean && shift >= 0 && ball_fits(size, grid, rules->accumulation, rules) &&
                 ball_fits(t, grid <= GRID_NONE ? GRID_NONE : grid + shift, rules->accumulation, rules);
    if (constant || exact) return out; /* both 0 */
    rounding_factor(t, rules, (uint64_t)h->query.count + 2);
    ball_mul(t, t, size);
    ball_mul_2exp(t, t, 1);
    add_tiny(t, rules, 8 * ((uint64_t)h->query.count + 2));
    if (scale < 0.25) { /* what subnormal products and logits lose does not shrink with the scale */
        ball_set_double(k, rules->storage->least);
        ball_sub(k, rules->tiny, k);
        ball_set_double(q, 2 * ((double)h->query.count + 2));
        ball_mul(k, k, q);
        ball_set_double(q, scale);
        ball_div(k, k, q);
        ball_add(t, t, k);
    }
    if (!w->r->ascending) { /* kernels multiply queries by the scale, and what a small product loses is multiplied by keys */
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

/* The error of a stored mean of values that are off by `off` (e_v); `share` is D, `settled` says that all winners weigh exactly 1. */
static void mean_error(ball *out, const at_length *w, const known *value, const known *output, const ball *off,
                       const ball *share, bool even, bool settled) {
    const rounding_rules *rules = w->rules;
    ball *t = ball_array(w->a, 5), *most = t, *x = t + 1, *y = t + 2, *one = t + 3, *z = t + 4;
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
    ball_set(z, settled ? share : one);
    ball_mul(z, z, rules->storing);
    ball_mul_2exp(z, z, 1);
    ball_add(y, y, z);
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

static void head_through(const at_length *w, error_sum *to, uint32_t layer, uint32_t head) {
    const model_head *h = &w->r->m->layers[layer].heads[head];
    const layer_facts *known_of = &w->r->f->all->layers[layer];
    const head_facts *f = &known_of->heads[head];
    uint32_t index = w->r->f->head_start[layer] + head;
    ball *share = &w->r->share[index], *worst = &w->r->error[index];
    double scale = scale_at(w, h), gap = w->r->f->gap[index][w->n];
    if (!(scale > 0) || !isfinite(scale)) {
        too_large(w, layer + 1, head + 1);
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
        too_large(w, layer + 1, head + 1);
        return;
    }
    bool even = h->hard_choice == TEMPER_CHOICE_AVERAGE && gap == INFINITY && ball_is_zero(off.tie_off);
    bool settled = f->tieless || ball_is_zero(off.tie_off);
    ball_set_int(worst, 0);
    ball *b = ball_array(w->a, 3), *e = b, *t = b + 1;
    for (uint32_t d = 0; d < h->value.count; d++) {
        const ball *ev = row_error(w, &h->value, d, known_of->before, layer + 1, head + 1);
        mean_error(e, w, &f->value[d], &f->output[d], ev, share, even, settled);
        ball_set_double(t, known_size(&f->value[d]));
        ball_add(t, t, ev);
        ball_set_int(b + 2, 2 * (int64_t)w->size);
        ball_mul(t, t, b + 2);
        if (!ball_is_finite(e) || !ball_has_room(t, w->rules->accumulation, w->rules)) {
            too_large(w, layer + 1, head + 1);
            return;
        }
        ball_max(worst, worst, e);
        const model_term *term = rows_begin_of(&h->output, d);
        for (size_t k = rows_size(&h->output, d); k-- > 0; term++)
            add_known(w, &to[term->channel], term->weight, &f->output[d], e);
    }
}

/* ---- the feed-forward net: section 8.6 ---- */

typedef struct net_work {
    const model_layer *l;
    const layer_facts *f;
    error_sum *to;           /* [channels] */
    ball *moves;             /* [channels] */
    const uint32_t *writers; /* [channels]: how many bundles write it */
    unsigned char *ramps;    /* [channels]: what comes out is exact */
    uint32_t layer;
} net_work;

/* relu(z - c) - relu(z - c - 1), alone in an empty channel. */
static bool is_ramp(const at_length *w, const net_work *n, const bundle *b, const bundle_facts *f, uint32_t channel,
                    const ball *off) {
    int p = w->rules->accumulation->precision;
    const bundle_unit *u = NULL, *v = NULL; /* those that write the channel, with bias b and b - 1 */
    for (uint32_t k = 0; k < b->unit_count; k++) {
        if (bundle_weight(n->l, &b->units[k], channel) == 0) continue;
        if (v) return false;
        v = u;
        u = &b->units[k];
    }
    if (w->rules->storage != w->rules->accumulation || !u || !v) return false;
    if (u->bias < v->bias) {
        const bundle_unit *other = u;
        u = v;
        v = other;
    }
    double weight = bundle_weight(n->l, u, channel);
    if (u->ratio != 1 || v->ratio != 1 || !(u->bias < 0) || floor(2 * u->bias) != 2 * u->bias ||
        v->bias != u->bias - 1 || !(fabs(u->bias) < ldexp(1, p - 4)))
        return false;
    int k = log2_of(fabs(weight));
    int least = format_least_exponent(w->rules->accumulation) + p - 1; /* of normal numbers */
    if (weight == 0 || !format_holds(w->rules->storage, weight) || k < least || k <= -100 || k >= 100 ||
        bundle_weight(n->l, v, channel) != -weight)
        return false;
    if (n->writers[channel] != 1 || known_size(&n->f->middle[channel]) != 0 || !ball_is_zero(&w->e[channel]))
        return false;
    ball *t = ball_array(w->a, 2);
    for (uint32_t piece = 0; piece <= b->corner_count; piece++) { /* the pieces between the corners of the two */
        if (bundle_piece_left(b, piece) < u->corner || bundle_piece_right(b, piece) > v->corner) continue;
        if (f->distance[piece] == INFINITY) continue;
        ball_set_double(&t[0], f->distance[piece]);
        if (!ball_is_at_most(off, &t[0])) return false;
    }
    ball_set_double(&t[0], known_size(&f->input));
    ball_add(&t[0], &t[0], off);
    ball_set_double(&t[1], ldexp(1, p - 3));
    return ball_is_less(&t[0], &t[1]);
}

/* |slope| of a bundle's function into a channel on a piece, with weights as they are stored. */
static void piece_slope(ball *out, const at_length *w, const model_layer *l, const bundle *b, uint32_t channel,
                        uint32_t piece, ball *t) {
    double left = bundle_piece_left(b, piece), right = bundle_piece_right(b, piece);
    ball_set_int(out, 0);
    for (uint32_t k = 0; k < b->unit_count; k++) {
        const bundle_unit *u = &b->units[k];
        if (!(u->ratio > 0 ? left >= u->corner : right <= u->corner)) continue;
        ball_set_double(&t[0], format_round(w->rules->storage, bundle_weight(l, u, channel)));
        ball_set_double(&t[1], u->ratio);
        ball_mul(&t[0], &t[0], &t[1]);
        ball_add(out, out, &t[0]);
    }
    ball_neg(&t[0], out);
    ball_max(out, out, &t[0]);
}

static void add_moves(const at_length *w, const net_work *n, const bundle *b, const bundle_facts *f, uint32_t channel,
                      const ball *off) {
    if (ball_is_zero(off)) return;
    ball *t = ball_array(w->a, 5), *steepest = &t[2], *slope = &t[3], *distance = &t[4];
    for (uint32_t p = 0; p <= b->corner_count; p++) {
        if (f->distance[p] == INFINITY) continue;
        ball_set_double(distance, f->distance[p]);
        if (ball_is_less(off, distance)) continue;
        piece_slope(slope, w, n->l, b, channel, p, t);
        ball_max(steepest, steepest, slope);
    }
    ball_mul(steepest, steepest, off);
    ball_add(&n->moves[channel], &n->moves[channel], steepest);
}

typedef struct unit_error {
    ball *ideal, *size, *off; /* |r| Z + |b|, H and e_u */
    int grid;
} unit_error;

/* Whether the unit's own products are exact: they are the row's times a power of two, which may be less than the format holds, also
   where their sum is not. */
static bool unit_row_is_exact(const at_length *w, const bundle_unit *u, const error_sum *row) {
    return error_sum_is_exact(row, w->rules, SUM_PLAIN) &&
           row->grid + log2_of(fabs(u->ratio)) >= format_least_exponent(w->rules->accumulation);
}

static unit_error unit_through(const at_length *w, const bundle_unit *u, const bundle_facts *f, const ball *off,
                               const error_sum *row) {
    ball *b = ball_array(w->a, 7), *zero = b + 3, *one = b + 4, *t = b + 5, *slip = b + 6;
    double bias = format_round(w->rules->storage, u->bias);
    error_sum s;
    error_sum_begin(&s, w->a);
    ball_set_int(one, 1);
    add_known(w, &s, u->ratio, &f->input, zero);
    error_sum_add(&s, w->rules, u->bias, one, zero, 0);
    unit_error out = {s.ideal, b, b + 1, s.grid};
    ball_set_double(t, fabs(u->ratio));
    ball_mul(slip, t, off); /* what the row's error moves the unit by */
    ball_set_double(out.size, known_size(&f->input));
    ball_mul(out.size, out.size, t);
    ball_add(out.size, out.size, slip);
    ball_set_double(t, fabs(bias));
    ball_add(out.size, out.size, t);
    if (unit_row_is_exact(w, u, row) && error_sum_is_exact(&s, w->rules, SUM_STORED)) return out;
    rounding_factor(t, w->rules, 2);
    ball_mul(out.off, out.size, t);
    ball_set_double(t, fabs(bias - u->bias)); /* of a number and the one it was rounded to: exact */
    ball_add(out.off, out.off, t);
    add_tiny(out.off, w->rules, 4 * ((uint64_t)row->terms + 4)); /* its own row's too */
    ball_add(slip, slip, out.off);
    add_storing(out.off, out.size, ball_fits(s.ideal, s.grid, w->rules->storage, w->rules) ? slip : NULL, w->rules);
    return out;
}

static void bundle_through(const at_length *w, net_work *n, const bundle *b, const bundle_facts *f) {
    error_sum row = sum_row(w, &n->l->in, b->row, n->f->middle);
    ball *off = ball_array(w->a, 1);
    error_sum_finish(off, &row, w->rules, SUM_PLAIN);
    if (!error_sum_has_room(&row, w->rules, SUM_PLAIN)) too_large(w, n->layer + 1, 0);
    for (uint32_t k = 0; k < b->channel_count; k++) {
        uint32_t c = b->channels[k];
        if (is_ramp(w, n, b, f, c, off))
            n->ramps[c] = 1;
        else
            add_moves(w, n, b, f, c, off);
    }
    for (uint32_t k = 0; k < b->unit_count; k++) {
        const bundle_unit *u = &b->units[k];
        unit_error h = unit_through(w, u, f, off, &row);
        ball *most = ball_array(w->a, 1);
        ball_set_double(most, fabs(u->ratio));
        ball_mul(most, most, row.size);
        if (!ball_has_room(h.size, w->rules->storage, w->rules) ||
            !ball_has_room(most, w->rules->accumulation, w->rules))
            too_large(w, n->layer + 1, 0);
        const model_term *t = rows_begin_of(&n->l->out, u->unit);
        for (size_t c = rows_size(&n->l->out, u->unit); c-- > 0; t++) {
            error_sum_add_part(&n->to[t->channel], w->rules, t->weight, h.ideal, h.size, h.off, h.grid);
            if (!ball_is_zero(off)) n->to[t->channel].clean = false;
        }
    }
}

/* ---- one length ---- */

static error_sum *begin_sums(const at_length *w, const known *x) {
    uint32_t count = w->r->m->channel_count;
    error_sum *s = arena_alloc(w->a, count, sizeof *s);
    for (uint32_t c = 0; c < count; c++) {
        error_sum_begin(&s[c], w->a);
        add_known(w, &s[c], 1, &x[c], &w->e[c]);
    }
    return s;
}

static void end_sums(const at_length *w, error_sum *sums, const ball *moves, const unsigned char *ramps,
                     uint32_t layer) {
    for (uint32_t c = 0; c < w->r->m->channel_count; c++) {
        if (sums[c].terms < 2) continue;
        if (moves) ball_add(sums[c].error, sums[c].error, &moves[c]); /* 0 where the sum is clean */
        error_sum_finish(&w->e[c], &sums[c], w->rules, SUM_CHANNEL);
        if (ramps && ramps[c]) ball_set_int(&w->e[c], 0);
        if (!error_sum_has_room(&sums[c], w->rules, SUM_CHANNEL)) too_large(w, layer + 1, 0);
    }
}

static void layer_through(const at_length *w, uint32_t layer) {
    const model_layer *l = &w->r->m->layers[layer];
    const layer_facts *f = &w->r->f->all->layers[layer];
    const bundle_list *bundles = &w->r->f->s.bundles[layer];
    uint32_t count = w->r->m->channel_count;
    error_sum *sums = begin_sums(w, f->before);
    for (uint32_t h = 0; h < l->head_count && !w->r->too_large; h++) head_through(w, sums, layer, h);
    if (w->r->too_large) return;
    end_sums(w, sums, NULL, NULL, layer);
    uint32_t *writers = arena_zalloc(w->a, count, sizeof *writers);
    for (uint32_t b = 0; b < bundles->count; b++)
        for (uint32_t k = 0; k < bundles->items[b].channel_count; k++) writers[bundles->items[b].channels[k]]++;
    net_work n = {.l = l,
                  .f = f,
                  .to = begin_sums(w, f->middle),
                  .moves = ball_array(w->a, count),
                  .writers = writers,
                  .ramps = arena_zalloc(w->a, count, 1),
                  .layer = layer};
    for (uint32_t b = 0; b < bundles->count && !w->r->too_large; b++)
        bundle_through(w, &n, &bundles->items[b], &f->bundles[b]);
    end_sums(w, n.to, n.moves, n.ramps, layer);
}

void recursion_run(recursion *r, size_t n) {
    const temper_model *m = r->m;
    arena_reset(r->scratch);
    at_length w = {.r = r, .rules = &r->rules, .n = n, .size = n + 1 + m->has_end, .a = r->scratch};
    double *off = embedding_errors(m, n, r->rules.storage, r->rules.accumulation, r->scratch);
    w.e = ball_array(w.a, m->channel_count);
    w.x = ball_array(w.a, 2);
    r->too_large = false;
    for (uint32_t c = 0; c < m->channel_count; c++) {
        if (!isfinite(off[c])) too_large(&w, 0, 0);
        if (isfinite(off[c])) ball_set_double(&w.e[c], off[c]);
    }
    for (uint32_t l = 0; l < m->layer_count && !r->too_large; l++) layer_through(&w, l);
    if (r->too_large) return;
    r->channels = w.e;
    error_sum answer = sum_row(&w, &m->read, 0, r->f->all->after);
    error_sum_finish(r->answer, &answer, &r->rules, SUM_PLAIN);
    if (!error_sum_has_room(&answer, &r->rules, SUM_PLAIN) || !ball_is_finite(r->answer)) too_large(&w, 0, 0);
}
