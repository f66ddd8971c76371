/* Nets in the error recursion: ramps that repair their input, and how far other units are off (doc/certificate.md 8.6). */
#include "bound/choice_work.h"

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
    length_add(w, &s, u->ratio, &f->input, zero);
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

void net_errors(const at_length *w, net_work *n, const bundle *b, const bundle_facts *f) {
    error_sum row = length_row(w, &n->l->in, b->row, n->f->middle);
    ball *off = ball_array(w->a, 1);
    error_sum_finish(off, &row, w->rules, SUM_PLAIN);
    if (!error_sum_has_room(&row, w->rules, SUM_PLAIN)) length_too_large(w, n->layer + 1, 0);
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
            length_too_large(w, n->layer + 1, 0);
        const model_term *t = rows_begin_of(&n->l->out, u->unit);
        for (size_t c = rows_size(&n->l->out, u->unit); c-- > 0; t++) {
            error_sum_add_part(&n->to[t->channel], w->rules, t->weight, h.ideal, h.size, h.off, h.grid);
            if (!ball_is_zero(off)) n->to[t->channel].clean = false;
        }
    }
}
