/* Nets in the error recursion: ramps that repair their input, and how far other units are off: doc/certificate.md,
   "Errors of gates". */
#include "bound/choice_work.h"

/* The two units of a ramp into a channel, with bias b and b - 1; false: not exactly two write it. */
static bool find_pair(const bundle_unit **first, const bundle_unit **second, const model_layer *l, const bundle *b,
                      uint32_t channel) {
    *first = *second = NULL;
    for (uint32_t k = 0; k < b->unit_count; k++) {
        if (bundle_weight(l, &b->units[k], channel) == 0) continue;
        if (*second) return false;
        *second = *first;
        *first = &b->units[k];
    }
    if (!*first || !*second) return false;
    if ((*first)->bias < (*second)->bias) {
        const bundle_unit *other = *first;
        *first = *second;
        *second = other;
    }
    return true;
}

/* Weights and biases of relu(z - c) - relu(z - c - 1), times a power of two. */
static bool has_ramp_shape(const at_length *w, const model_layer *l, uint32_t channel, const bundle_unit *u,
                           const bundle_unit *v) {
    int p = w->b->a->precision;
    double weight = bundle_weight(l, u, channel);
    int k = log2_of(fabs(weight)), least = format_least_exponent(w->b->a) + p - 1; /* of normal numbers */
    return u->ratio == 1 && v->ratio == 1 && u->bias < 0 && floor(2 * u->bias) == 2 * u->bias &&
           v->bias == u->bias - 1 && fabs(u->bias) < ldexp(1, p - 4) && format_holds(w->b->s, weight) && k >= least &&
           k > -100 && k < 100 && bundle_weight(l, v, channel) == -weight;
}

/* A ramp that is alone in an empty channel, and whose input stays out of the piece that rises. */
/* On paper: "Errors of gates". */
static bool is_ramp(const at_length *w, const net_work *n, const bundle *b, const bundle_facts *f, uint32_t channel,
                    const ball *off) {
    const bundle_unit *u, *v;
    if (w->b->s != w->b->a || !find_pair(&u, &v, n->l, b, channel) || !has_ramp_shape(w, n->l, channel, u, v))
        return false;
    if (n->writers[channel] != 1 || known_size(&n->f->middle[channel]) != 0 || !b_is_zero(w->b, w->e[channel]))
        return false;
    for (uint32_t piece = 0; piece <= b->corner_count; piece++) { /* the pieces between the corners of the two */
        if (bundle_piece_left(b, piece) < u->corner || bundle_piece_right(b, piece) > v->corner) continue;
        if (f->distance[piece] == INFINITY) continue;
        if (!b_is_at_most(w->b, off, b_double(w->b, f->distance[piece]))) return false;
    }
    const ball *most = b_add(w->b, b_double(w->b, known_size(&f->input)), off);
    return b_is_less(w->b, most, b_power_of_two(w->b, w->b->a->precision - 3));
}

/* |slope| of a bundle's function into a channel on a piece, with weights as they are stored. */
/* On paper: "Errors of gates". */
static const ball *piece_slope(const at_length *w, const model_layer *l, const bundle *b, uint32_t channel,
                               uint32_t piece) {
    double left = bundle_piece_left(b, piece), right = bundle_piece_right(b, piece);
    const ball *slope = w->b->zero;
    for (uint32_t k = 0; k < b->unit_count; k++) {
        const bundle_unit *u = &b->units[k];
        if (!(u->ratio > 0 ? left >= u->corner : right <= u->corner)) continue;
        double weight = format_round(w->b->s, bundle_weight(l, u, channel));
        if (weight != 0) slope = b_add(w->b, slope, b_mul(w->b, b_double(w->b, weight), b_double(w->b, u->ratio)));
    }
    return b_abs(w->b, slope);
}

/* How far the bundle's function into the channel moves when its input is off. */
/* On paper: "Errors of gates". */
static void add_moves(const at_length *w, const net_work *n, const bundle *b, const bundle_facts *f, uint32_t channel,
                      const ball *off) {
    const ball *steepest = w->b->zero;
    if (b_is_zero(w->b, off)) return;
    for (uint32_t p = 0; p <= b->corner_count; p++) {
        if (f->distance[p] == INFINITY || b_is_less(w->b, off, b_double(w->b, f->distance[p]))) continue;
        steepest = b_max(w->b, steepest, piece_slope(w, n->l, b, channel, p));
    }
    const ball *moves = b_mul(w->b, steepest, off), **to = &n->moves[channel];
    *to = *to ? b_add(w->b, *to, moves) : moves;
}

/* Whether the unit's own products are exact: they are the row's times a power of two, which may be less than the
   format holds, also where their sum is not. */
static bool unit_row_is_exact(const at_length *w, const bundle_unit *u, const error_sum *row) {
    return error_sum_is_exact(row, &w->rules, SUM_PLAIN) &&
           row->grid + log2_of(fabs(u->ratio)) >= format_least_exponent(w->b->a);
}

/* The unit's number as a term of the sums it goes into: X_u, Y_u, e_u and its grid. */
/* On paper: "Errors of gates". */
static sum_term unit_term(const at_length *w, const bundle_unit *u, const bundle_facts *f, const ball *off,
                          const error_sum *row) {
    const bounds *b = w->b;
    double bias = format_round(b->s, u->bias);
    const ball *input = b_double(b, known_size(&f->input)), *ratio = b_double(b, fabs(u->ratio));
    error_sum exact = error_sum_begin(&w->rules);
    error_sum_add(&exact, &w->rules, u->ratio, &(sum_term){input, input, b->zero, f->input.grid});
    error_sum_add(&exact, &w->rules, u->bias, &(sum_term){b->one, b->one, b->zero, 0});
    const ball *slip = b_mul(b, ratio, off); /* what the row's error moves the unit by */
    sum_term out = {.size = exact.ideal, .error = b->zero, .grid = exact.grid};
    out.most = b_add(b, b_add(b, b_mul(b, ratio, input), slip), b_double(b, fabs(bias)));
    if (unit_row_is_exact(w, u, row) && error_sum_is_exact(&exact, &w->rules, SUM_STORED)) return out;
    const ball *rounding = b_mul(b, out.most, b_grow(b, b->unit_a, 2));
    rounding =
        b_add(b, rounding, b_double(b, fabs(bias - u->bias))); /* of a number and what it was rounded to: exact */
    rounding = b_add(b, rounding, b_times(b, 4 * ((int64_t)row->terms + 4), w->rules.tau)); /* its own row's too */
    bool holds = sum_fits(&w->rules, exact.ideal, exact.grid, b->s);
    out.error = stored_error(&w->rules, rounding, out.most, holds ? b_add(b, slip, rounding) : NULL);
    return out;
}

/* On paper: "Errors of gates". */
void net_errors(const at_length *w, net_work *n, const bundle *b, const bundle_facts *f) {
    error_sum row = length_row(w, &n->l->in, b->row, n->f->middle);
    const ball *off = error_sum_finish(&row, &w->rules, SUM_PLAIN);
    if (!error_sum_has_room(&row, &w->rules, SUM_PLAIN)) length_too_large(w, n->layer + 1, 0);
    for (uint32_t k = 0; k < b->channel_count; k++) {
        uint32_t c = b->channels[k];
        if (is_ramp(w, n, b, f, c, off))
            n->ramps[c] = 1;
        else
            add_moves(w, n, b, f, c, off);
    }
    for (uint32_t k = 0; k < b->unit_count; k++) {
        const bundle_unit *u = &b->units[k];
        sum_term h = unit_term(w, u, f, off, &row);
        const ball *sum = b_mul(w->b, b_double(w->b, fabs(u->ratio)), row.size);
        if (!sum_has_room(&w->rules, h.most, w->b->s) || !sum_has_room(&w->rules, sum, w->b->a))
            length_too_large(w, n->layer + 1, 0);
        const model_term *t = rows_begin_of(&n->l->out, u->unit);
        for (size_t c = rows_size(&n->l->out, u->unit); c-- > 0; t++) {
            error_sum_add(&n->to[t->channel], &w->rules, t->weight, &h);
            if (!b_is_zero(w->b, off)) n->to[t->channel].clean = false;
        }
    }
}
