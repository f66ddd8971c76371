#include "bound/role_bounds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- conditions ---- */

static const char *say(const bounds *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *say(const bounds *b, const char *format, ...) {
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    print_list(line, sizeof line, format, arguments);
    va_end(arguments);
    return arena_copy(b->arena, line, strlen(line));
}

/* The first condition that fails is told; most hold, and nothing is written of those. */
#define need(h, holds, failure_of) ((holds) || (h)->failure ? (void)0 : (void)((h)->failure = (failure_of)))

/* Coq: ones_tree, count_exact. */
static void need_counting(const bounds *b, head_certificate *h) {
    need(h, ball_is_at_most(b->m, b_power_of_two(b, b->a->precision)),
         say(b, "%s counts only up to 2^%d", b->a->name, b->a->precision));
}

static void need_below(const bounds *b, head_certificate *h, const ball *x, const ball *most, const char *what,
                       const number_format *f) {
    need(h, ball_is_at_most(x, most),
         say(b, "%s of up to %.4g overflow %s, whose largest number is %.4g", what, ball_upper(x), f->name,
             f->largest));
}

/* Arithmetic. */
static const ball *inverse(const bounds *b, const ball *x) { return b_div(b, b->one, x); }

/* Arithmetic. */
static const ball *twice(const bounds *b, const ball *x) { return b_mul(b, b_int(b, 2), x); }

/* (1 + u_a)^i (1 + u_s)^j (1 + v)^k - 1 */
/* Arithmetic. */
static const ball *growth(const bounds *b, uint64_t i, uint64_t j, uint64_t k) {
    const ball *factor = b_mul(b, b_more(b, b->unit_a, i), b_mul(b, b_more(b, b->unit_s, j), b_more(b, b->v, k)));
    return b_sub(b, factor, b->one);
}

/* (1 + 2 u_a) */
/* Coq: E_high_factor. */
static const ball *exp_factor(const bounds *b) { return b_add(b, b->one, twice(b, b->unit_a)); }

/* ---- doc/certificate.md, "Once" ---- */

/* Coq: once_out; on paper: "Scales of one's own" (close). */
static const ball *once_error_ascending(const bounds *b, const ball *rest) {
    const ball *less = b_mul(b, b_less(b, b->unit_a, 1), b_less(b, b->unit_stored, 1));
    const ball *sum = b_mul(b, b_add(b, b->one, twice(b, rest)), b_more(b, b->unit_a, (uint64_t)b->a->precision + 1));
    if (b->close) { /* numerator and denominator, each by its relative error */
        const ball *growth = b_mul(b, b_sum_growth(b), b_sum_growth(b));
        sum = b_min(b, sum, b_mul(b, b_add(b, b->one, rest), growth));
    }
    return b_sub(b, b->one, b_div(b, less, sum));
}

/* Coq: once_any_out. */
static const ball *once_error_any(const bounds *b, const ball *rest, const ball *logit) {
    const ball *apart = b_mul(b, b_mul(b, b_int(b, 5), b->unit_a), logit); /* two candidates, and a unit each */
    const ball *w = b_mul(b, b_pow(b, b_sub(b, b->one, twice(b, b->unit_a)), 3), b_exp(b, b_neg(b, apart)));
    const ball *sum = b_mul(b, b_add(b, b->one, b_div(b, rest, w)), b_more(b, b->unit_a, b->size + 5));
    return b_sub(b, b->one, b_div(b, b_less(b, b->unit_a, b->size + 6), sum));
}

/* Coq: once_out (C = 8), once_any_out (C from 1 to 16), once_room (overflow); on paper: "Once", other C, steps of 4, tiles. */
static head_certificate once(const bounds *b, const head_shape *s) {
    head_certificate h = {.logit = form_bound(b, &s->scale)};
    const ball *kept = b_mul(b, b_less(b, b->unit_s, 2), b_mul(b, b_less(b, b->unit_a, 5), b_less(b, b->v, 4)));
    const ball *least = b_add(b, b->log_m, b_double(b, s->kappa)); /* of the candidates' ideal logits */
    h.rounding = b_mul(b, b_sub(b, b->one, kept), h.logit);
    const ball *power = b_add(b, b_neg(b, b_mul(b, kept, least)), twice(b, b->tiny_a));
    const ball *factors = b_pow(b, exp_factor(b), b->ascending ? 1 : 6); /* a loser meets up to six exps */
    const ball *weight = b_add(b, b_mul(b, factors, b_exp(b, power)), b->tiny_a);
    const ball *rest = b_mul(b, b_sub(b, b->m, b->one), weight);
    need(&h, ball_is_less(weight, b->one), "its losers weigh as much as its candidates");
    need_below(b, &h, twice(b, b_add(b, h.logit, h.rounding)), b->most_a, "differences of logits", b->a);
    if (b->ascending) {
        /* the sum of the tiles before the first candidate is rescaled once, and is then one crumb more */
        if (b->tiled) rest = b_add(b, b_mul(b, b_more(b, b->unit_a, 1), rest), b->tiny_a);
        if (b->tiled) need(&h, ball_is_less(rest, b->one), "its losers weigh as much as its candidates");
        h.error = once_error_ascending(b, rest);
    } else {
        need_counting(b, &h);
        h.error = once_error_any(b, b_add(b, rest, b->crumbs), h.logit);
    }
    return h;
}

/* Runs letter by letter count distances in the format of sums; the types that they have add up in any order. Sums
   that are rescaled must not be larger than the number of their keys. */
static void need_distances(const bounds *b, head_certificate *h) {
    if (!b->ascending || b->tiled) need_counting(b, h);
}

/* ---- doc/certificate.md, "Nearest" ---- */

/* What all losers weigh together, each gap being at least a multiple of kappa of which `sides` occur at a time. */
/* Coq: leak_le, mass_le, lookup_mass (two sides). */
static const ball *losers(const bounds *b, double kappa, const ball *off, int sides) {
    const ball *q = b_exp(b, b_neg(b, b_mul(b, b_double(b, kappa), b_sub(b, b->one, b->unit_a))));
    const ball *sum = b_mul(b, b_int(b, sides), b_div(b, q, b_sub(b, b->one, q)));
    return b_add(b, b_mul(b, b_mul(b, exp_factor(b), b_exp(b, twice(b, off))), sum), b->crumbs);
}

static const char *too_near(const bounds *b, const ball *off, double kappa) {
    return say(b, "two logits may be off by %.4g each, %s the %g that separate them", ball_upper(off),
               2 * ball_upper(off) > kappa ? "together more than" : "which leaves too little of", kappa);
}

static void need_separation(const bounds *b, head_certificate *h, double kappa) {
    need(h, ball_is_at_most(h->error, b->quarter), too_near(b, h->rounding, kappa));
}

/* Bounds beyond this are useless, and their exponentials would take all memory. */
static bool is_hopeless(const ball *off) { return !(ball_upper(off) < 0x1p20); }

/* The error of one winner beside losers on `sides` sides, whose logits are off by h's rounding. */
/* Coq: nearest_ascending, nearest_any. */
static void winner_error(const bounds *b, head_certificate *h, double kappa, int sides) {
    h->error = is_hopeless(h->rounding) ? b->one : b_row_error(b, losers(b, kappa, h->rounding, sides));
    need_separation(b, h, kappa);
}

/* A row is stored, and summed before. */
static quantity checked_row(const bounds *b, head_certificate *h, const row_shape *row, bool chooses,
                            const char *overflow) {
    quantity q = quantity_row(b, row, chooses);
    need(h, ball_is_at_most(q.most, b->most_s) && quantity_fits(&q, b->most_a), overflow);
    return q;
}

typedef struct rows_of_head {
    quantity *queries, *keys;
} rows_of_head;

static rows_of_head checked_rows(const bounds *b, head_certificate *h, const head_shape *s) {
    rows_of_head r = {arena_alloc(b->arena, s->rows, sizeof *r.queries),
                      arena_alloc(b->arena, s->rows, sizeof *r.keys)};
    for (uint32_t k = 0; k < s->rows; k++) {
        r.queries[k] = checked_row(b, h, &s->query[k], false, "a query overflows");
        r.keys[k] = checked_row(b, h, &s->key[k], s->role == ROLE_NEAREST, "a key overflows");
    }
    return r;
}

/* How far a logit of the rows is off: its error, and one unit in the last place. */
/* Coq: ulp_bound, logit_sizes; on paper: "Quantities", the range by positions. */
static const ball *checked_logit(const bounds *b, head_certificate *h, const quantity *l) {
    const ball *ulp = b_ulp(b, b->a, l->most);
    need(h, quantity_fits(l, b->most_a), "a score overflows");
    need_below(b, h, twice(b, b_add(b, l->most, ulp)), b->most_a, "differences of logits", b->a);
    return b_add(b, l->error, ulp);
}

static head_certificate nearest(const bounds *b, const head_shape *s) {
    head_certificate h = {0};
    rows_of_head r = checked_rows(b, &h, s);
    quantity scale;
    if (s->scaled) {
        scale = quantity_scale(b, &s->scale);
        need(&h, quantity_fits(&scale, b->most_a), "its scale overflows");
    }
    quantity l = quantity_logit(b, s->scaled ? &scale : NULL, r.queries, r.keys, s->rows);
    h.logit = l.size;
    h.rounding = checked_logit(b, &h, &l);
    winner_error(b, &h, s->kappa, 1);
    need_distances(b, &h);
    return h;
}

/* ---- doc/certificate.md, "Match" ---- */

/* Whole numbers times multiples of a half: the scores of patterns are exact, also if queries are scaled before. */
/* On paper: "Match". */
static void need_patterns(const bounds *b, head_certificate *h, const head_shape *s, bool scaled) {
    const ball *most = b_double(b, s->total > s->weight ? s->total : s->weight);
    double kappa = scaled ? s->kappa : 1;
    if (scaled) most = b_mul(b, b_mul(b, b_double(b, kappa), b->m), most);
    need(h, ball_is_at_most(most, b_power_of_two(b, (long)grid_of(kappa) - 1 + b->a->precision)),
         say(b, "scores of patterns up to %.4g are not exact in %s", ball_upper(most), b->a->name));
    need(h, b->a->least <= 0.5 && b->s->least <= 0.5, "a half is too small for the number format");
}

/* The end sentinel's key is M less its tie-break, rounded as one number; the start's is M, since 0/N is 0. The other
   keys are 0 there. What counts is how far two logits are off together, and only one of them is a sentinel's. */
/* On paper: "Match". */
static const ball *with_sentinel(const bounds *b, head_certificate *h, const head_shape *s, const quantity *scale,
                                 const ball *letters) {
    const term_shape terms[2] = {{{.size = FORM_BOOLEAN, .c = 1}, s->edges}, {{.size = FORM_SHARE}, -1}};
    const term_shape one = {{.size = FORM_CONSTANT, .c = 1}, 1};
    const row_shape query = {1, &one}, last = {2, terms};
    quantity q = checked_row(b, h, &query, false, "a query overflows");
    quantity k = checked_row(b, h, &last, false, "a key overflows");
    quantity l = quantity_logit(b, scale, &q, &k, 1);
    return b_mul(b, b->half, b_add(b, letters, b_max(b, letters, checked_logit(b, h, &l))));
}

/* The logit of two rows: an exact key of size T, and the tie-break. */
static head_certificate match(const bounds *b, const head_shape *s) {
    head_certificate h = {0};
    const term_shape one = {{.size = FORM_CONSTANT, .c = 1}, 1}, place = {{.size = FORM_SHARE}, 1};
    const row_shape query = {1, &one}, tie = {1, &place};
    const ball *most = b_double(b, s->total);
    /* it has a grid, which is of no use beside the tie-break */
    quantity pattern = {.size = most, .most = most, .error = b->zero, .widest = most, .exact = true};
    quantity queries[2] = {checked_row(b, &h, &query, false, "a query overflows")}, keys[2] = {pattern};
    queries[1] = queries[0];
    keys[1] = checked_row(b, &h, &tie, false, "a key overflows");
    quantity scale = quantity_scale(b, &s->scale);
    need(&h, quantity_fits(&scale, b->most_a), "its scale overflows");
    need_patterns(b, &h, s, s->scaled);
    quantity l = quantity_logit(b, &scale, queries, keys, 2);
    h.logit = l.size;
    h.rounding = checked_logit(b, &h, &l);
    if (s->edges > 0) h.rounding = with_sentinel(b, &h, s, &scale, h.rounding);
    winner_error(b, &h, s->kappa, 1);
    need_distances(b, &h);
    return h;
}

static head_certificate hard_match(const bounds *b, const head_shape *s) {
    head_certificate h = {.logit = b_double(b, s->total), .rounding = b->zero};
    need_patterns(b, &h, s, false); /* a hard run leaves the scale of a softmax head out */
    need_distances(b, &h);
    return h;
}

/* Coq: nearest_ascending; on paper: "Nearest", every length. */
head_certificate head_certify_rest(const bounds *b, double rest, double logit) {
    head_certificate h = {.logit = b_double(b, logit), .rounding = b->zero};
    const ball *losers = b_double(b, rest);
    h.error = b_row_error(b, b->tiled ? b_add(b, losers, b->crumbs) : losers);
    if (b->tiled) need_counting(b, &h);
    return h;
}

/* ---- doc/certificate.md, "Count" ---- */

/* Coq: count_out, mean_error, count_row (overflow). */
static head_certificate count(const bounds *b, const head_shape *s) {
    head_certificate h = {.logit = b->zero, .rounding = b->zero, .error = b->zero};
    const ball *w = b_double(b, s->weight);
    const ball *sum = b_add(b, b_mul(b, b->m, b_double(b, s->letters)), b_double(b, s->edges));
    if (s->grid != GRID_OF_ZERO) {
        need(&h,
             ball_is_at_most(w, b_power_of_two(b, (long)s->grid + b->s->precision)) &&
                 s->grid >= grid_of(b->s->least), /* t_a is no larger */
             say(b, "weights that add up to %g are not exact in %s", s->weight, b->s->name));
        need(&h, ball_is_at_most(sum, b_power_of_two(b, (long)s->grid + b->a->precision)),
             say(b, "sums of up to %.4g are not exact in %s", ball_upper(sum), b->a->name));
    }
    need_below(b, &h, w, b->most_s, "values", b->s);
    need_below(b, &h, sum, b->most_a, "sums", b->a);
    need_counting(b, &h);
    need(&h, ball_is_at_most(b->normal_s, inverse(b, twice(b, b->m))),
         say(b, "a mean may be too small for %s", b->s->name));
    return h;
}

/* ---- doc/certificate.md, "Compare" and "Balance" ---- */

/* rho and then the error, with e for epsilon or omega and the share of kappa that is left. */
/* Coq: compare_row_ok, kappa = 8; on paper: "Compare" and "Balance", other kappa. */
static void share_error(const bounds *b, head_certificate *h, const ball *kappa_left, const ball *e) {
    const ball *two_tiny = twice(b, b->tiny_a);
    const ball *power = b_add(b, b_sub(b, b_mul(b, e, b->log_m), kappa_left), two_tiny);
    const ball *rho = b_add(b, b_mul(b, exp_factor(b), b_exp(b, power)), b->crumbs);
    const ball *more = b_mul(b, b_more(b, b->unit_a, 1), b_more(b, b->unit_stored, 1));
    const ball *above = b_add(b, b_mul(b, b_more(b, b->unit_stored, 1), rho), b->tiny_s);
    above = b_mul(b, above, b_mul(b, more, b_exp(b, two_tiny)));
    const ball *below = b_mul(b, b_sub(b, b->one, twice(b, b->unit_a)), b_less(b, b->unit_a, 4 * b->size));
    const ball *f = b_add(b, b_div(b, above, below), b->tiny_s);
    h->error = b_max(b, b_row_error(b, rho), f);
}

/* What compare and balance heads both need, with e for epsilon or omega. */
/* Coq: compare_row_ok, compare_page (overflow), kappa = 8; on paper: "Compare", other kappa. */
static void need_sentinel(const bounds *b, head_certificate *h, const head_shape *s, const ball *e) {
    const ball *one_more = b_add(b, b->one, e), *scale = b_mul(b, b_double(b, 2 * s->kappa), b->m);
    need_counting(b, h);
    need(h, ball_is_at_most(b_exp(b, b_mul(b, one_more, b->log_m)), inverse(b, b->normal_a)),
         say(b, "weights of 1/N are too small for %s", b->a->name));
    need_below(b, h, twice(b, b_mul(b, one_more, h->logit)), b->most_a, "differences of logits", b->a);
    need_below(b, h, scale, s->scaled ? b->most_a : b->most_s, "scales", s->scaled ? b->a : b->s);
    need(h, ball_is_at_most(b->normal_s, b_div(b, b_log(b, b_int(b, 2)), scale)),
         say(b, "its normaliser is too small for %s", b->s->name));
}

/* Coq: compare_logit, compare_row_ok, kappa = 8; on paper: "Compare", other kappa, positions. */
static head_certificate compare(const bounds *b, const head_shape *s) {
    head_certificate h = {.rounding = growth(b, 8, 3, 6)};
    const ball *kappa = b_double(b, s->kappa);
    h.logit = b_add(b, b_mul(b, b_mul(b, twice(b, kappa), b->m), b_double(b, s->weight)), b->log_m);
    need_sentinel(b, &h, s, h.rounding);
    share_error(b, &h, b_mul(b, kappa, b_sub(b, b->one, h.rounding)), h.rounding);
    return h;
}

/* e_u: the row 1/(i + 1) - real + x, of three terms in any order. */
/* On paper: "Balance". */
static const ball *own_unit_error(const bounds *b) {
    quantity share = quantity_feature(b, &(feature_form){.size = FORM_SHARE});
    const ball *three = b_int(b, 3), *error = b_add(b, share.error, twice(b, b_half(b, b->a, three)));
    return b->one_format ? error : b_add(b, error, b_half(b, b->s, three));
}

/* E: how far the sum may be off, in units of it. */
/* On paper: "Balance". */
static const ball *balance_rounding(const bounds *b, const head_shape *s, const ball *omega) {
    const ball *w_h = b_double(b, s->weight), *w_t = b_double(b, s->total), *w_o = b_double(b, s->own);
    const ball *mean = b_sub(b, b_mul(b, b_more(b, b->unit_a, 1), b_more(b, b->unit_stored, 1)), b->one);
    const ball *sum = b_mul(b, b_more(b, b->unit_a, (uint64_t)s->own_units + 1), b_more(b, b->unit_stored, 1));
    const ball *units = b_mul(b, w_o, own_unit_error(b));
    const ball *e_o = b_add(b, units, b_mul(b, b_add(b, w_o, units), b_sub(b, sum, b->one)));
    const ball *errors = b_add(b, b_mul(b, b_add(b, w_h, w_t), mean), e_o);
    const ball *sizes = b_add(b, b_add(b, b_mul(b, b->m, w_h), w_o), b_mul(b, b->m, w_t));
    return b_add(b, b_mul(b, b_mul(b, b->m, errors), b_add(b, b->one, omega)), b_mul(b, sizes, omega));
}

/* All that a balance head needs but a sum that is nearly right. */
/* On paper: "Balance". */
static void need_balance(const bounds *b, head_certificate *h, const head_shape *s, const ball *omega) {
    const ball *kappa = b_double(b, s->kappa), *square = b_mul(b, b->m, b->m);
    const ball *w_h = b_double(b, s->weight), *w_o = b_double(b, s->own);
    need_sentinel(b, h, s, omega);
    need(h,
         ball_is_at_most(b->normal_a, inverse(b, twice(b, square))) && ball_is_at_most(b->normal_s, inverse(b, b->m)),
         "its scores are too small for the number format");
    need_below(b, h, b_mul(b, twice(b, kappa), square), s->scaled ? b->most_a : b->most_s, "scales",
               s->scaled ? b->a : b->s);
    if (s->scaled && !b->ascending)
        need_below(b, h,
                   b_mul(b, b_mul(b, b_int(b, 4), b_mul(b, kappa, square)), b_add(b, b_add(b, w_h, w_o), b->one)),
                   b->most_a, "scaled queries", b->a);
    need_below(b, h, twice(b, w_o), b->most_s, "own parts", b->s);
}

/* On paper: "Balance". */
static head_certificate balance_begin(const bounds *b, const head_shape *s, const ball *omega) {
    head_certificate h = {.rounding = balance_rounding(b, s, omega)};
    const ball *kappa = b_double(b, s->kappa), *w_t = b_double(b, s->total);
    const ball *sum = b_add(b, b_add(b, b_double(b, s->weight), b_double(b, s->own)), b_mul(b, b->m, w_t));
    h.logit = b_add(b, b_mul(b, b_mul(b, twice(b, kappa), b->m), sum), b->log_m);
    need(&h, ball_is_less(h.rounding, b->half),
         say(b, "its sum may be off by %.4g where a half separates yes and no", ball_upper(h.rounding)));
    need_balance(b, &h, s, omega);
    return h;
}

/* On paper: "Balance". */
static head_certificate balance(const bounds *b, const head_shape *s) {
    const ball *omega = growth(b, 10, 4, 8), *kappa = b_double(b, s->kappa);
    head_certificate h = balance_begin(b, s, omega);
    if (h.failure)
        h.error = b->one;
    else
        share_error(b, &h, b_mul(b, kappa, b_sub(b, b->one, twice(b, h.rounding))), omega);
    return h;
}

/* ---- doc/certificate.md, "Look-up" ---- */

/* e: A_0 - A_1 in exact arithmetic against what is computed, as a share of kappa M^2. */
/* On paper: "Look-up". */
static const ball *lookup_share(const bounds *b, const head_shape *s) {
    uint64_t scaled = s->scaled;
    feature_form first = {.size = FORM_SHARE, .squares = 1}, second = {.size = FORM_SHARE, .squares = 2};
    if (!scaled) {
        first = (feature_form){.size = FORM_POWER, .power = 2, .c = s->kappa};
        second = (feature_form){.size = FORM_POWER, .power = 3, .c = s->kappa};
    }
    const ball *stored = b_more(b, b->unit_stored, 1), *feature = b_more(b, b->unit_feature, 1);
    const ball *e0 = b_mul(b, b_mul(b, b_more(b, b->unit_a, 2 + scaled), stored),
                           b_mul(b, feature, b_more(b, b->v, form_roundings(b, &first))));
    const ball *e1 = b_mul(b, b_mul(b, b_more(b, b->unit_a, 1 + scaled), b_mul(b, feature, feature)),
                           b_more(b, b->v, 1 + form_roundings(b, &second)));
    const ball *e2 = b_more(b, b->unit_a, 1 + scaled);
    if (scaled)
        e2 = b_mul(b, b_mul(b, e2, b_more(b, b->unit_scale, 1)), b_more(b, b->v, power_roundings(b, s->kappa, 3)));
    e0 = b_sub(b, e0, b->one);
    e1 = b_sub(b, e1, b->one);
    return b_add(b, b_mul(b, b_add(b, twice(b, e0), e1), e2), b_sub(b, e2, b->one));
}

/* All but the error. */
/* On paper: "Look-up". */
static head_certificate lookup_begin(const bounds *b, const head_shape *s) {
    const ball *kappa = b_double(b, s->kappa), *square = b_mul(b, b->m, b->m), *cube = b_mul(b, square, b->m);
    const ball *share = lookup_share(b, s), *size = b_mul(b, kappa, square), *error = b_mul(b, size, share);
    head_certificate h = {.logit = size};
    h.rounding = b_add(b, b_add(b, error, b_mul(b, twice(b, b->unit_a), b_add(b, size, error))), b->tiny_a);
    const ball *weight = s->anywhere ? b_double(b, fmax(s->weight, 1)) : b->one;
    if (s->anywhere) h.logit = b_mul(b, size, b_add(b, twice(b, weight), b->m));
    const ball *most = b_add(b, h.logit, b_mul(b, h.logit, share));
    need_counting(b, &h);
    need(&h,
         ball_is_at_most(b->normal_a, inverse(b, cube)) &&
             (!s->scaled || ball_is_at_most(b->normal_s, inverse(b, square))),
         "its scores are too small for the number format");
    need_below(b, &h, b_mul(b, b_int(b, 6), most), b->most_a, "differences of logits", b->a);
    const ball *scale = b_mul(b, kappa, cube);
    need_below(b, &h, scale, s->scaled ? b->most_a : b->most_s, "scales", s->scaled ? b->a : b->s);
    if (s->scaled && !b->ascending)
        need_below(b, &h, b_mul(b, b_mul(b, b_int(b, 4), scale), weight), b->most_a, "scaled queries", b->a);
    need_below(b, &h, twice(b, weight), b->most_s, "queries", b->s);
    return h;
}

static head_certificate lookup(const bounds *b, const head_shape *s) {
    head_certificate h = lookup_begin(b, s);
    winner_error(b, &h, s->kappa, 2);
    return h;
}

/* ---- hard choices ---- */

/* The least that a query of one term can be, above 0, in a row with a letter: N is 2 or more. 0: not known. */
static double least_query(const row_shape *query) {
    const term_shape *t = query->terms;
    if (query->count != 1) return 0;
    switch (t->form.size) {
    case FORM_CONSTANT:
    case FORM_POWER: return fabs(t->weight * t->form.c);
    case FORM_CEIL2: return fabs(t->weight * t->form.c / t->form.d);
    case FORM_LOG:
    case FORM_LOG_STEP: return fabs(t->weight / 2); /* ln 2 is more than that */
    default: return 0;
    }
}

/* A key row is 0 and 1, or K and 0 where it has the constant K. */
static double least_key(const row_shape *key) {
    for (size_t k = 0; k < key->count; k++)
        if (key->terms[k].form.size == FORM_CONSTANT) return fabs(key->terms[k].weight * key->terms[k].form.c);
    return 1;
}

/* The scores of candidates and others differ also after rounding: neither the query nor its product with the key
   becomes 0. Twice the least number makes up for what these doubles may have lost. */
static void need_difference(const bounds *b, head_certificate *h, const row_shape *query, const row_shape *key) {
    double least = least_query(query);
    need(h, least >= 2 * b->s->least && least * least_key(key) >= 2 * b->a->least,
         "a score of candidates is too small for the number format");
}

/* Once and nearest: scores are functions of a Boolean row. */
static head_certificate hard_rows(const bounds *b, const head_shape *s) {
    head_certificate h = {0};
    rows_of_head r = checked_rows(b, &h, s);
    quantity score = quantity_score(b, r.queries, r.keys, s->rows);
    need(&h, quantity_fits(&score, b->most_a), "a score overflows");
    h.logit = score.size;
    h.rounding = b->zero;
    for (uint32_t k = 0; k < s->rows; k++) need_difference(b, &h, &s->query[k], &s->key[k]);
    if (s->role == ROLE_NEAREST) need_distances(b, &h);
    return h;
}

/* Compare: what the sum needs that soft and hard rows share. */
/* On paper: "Hard runs". */
static head_certificate hard_compare(const bounds *b, const head_shape *s) {
    head_certificate h = {.rounding = b->zero};
    h.logit = b_double(b, s->weight);
    if (!s->scaled) h.logit = b_mul(b, b_mul(b, b_double(b, 2 * s->kappa), b->m), h.logit);
    need_counting(b, &h);
    need_below(b, &h, twice(b, h.logit), b->most_a, "scores", b->a);
    return h;
}

/* On paper: "Hard runs". */
head_certificate head_certify_hard(const bounds *b, const head_shape *s) {
    head_certificate h = {.failure = "it has no role"};
    switch (s->role) {
    case ROLE_ONCE:
    case ROLE_NEAREST: h = hard_rows(b, s); break;
    case ROLE_MATCH: h = hard_match(b, s); break;
    case ROLE_COUNT: h = count(b, s); break;
    case ROLE_COMPARE: h = hard_compare(b, s); break;
    case ROLE_BALANCE: h = balance_begin(b, s, growth(b, 10, 4, 8)); break;
    case ROLE_LOOKUP:
        h = lookup_begin(b, s);
        need(&h, ball_is_less(twice(b, h.rounding), b_double(b, s->kappa)), too_near(b, h.rounding, s->kappa));
        break;
    case ROLE_NONE: break;
    }
    need(&h, s->soft_ties, "what breaks its ties is not in soft channels, so a hard run sees it");
    h.error = h.failure ? b->one : b->zero;
    return h;
}

head_certificate head_certify(const bounds *b, const head_shape *s) {
    switch (s->role) {
    case ROLE_ONCE: return once(b, s);
    case ROLE_NEAREST: return nearest(b, s);
    case ROLE_MATCH: return match(b, s);
    case ROLE_COUNT: return count(b, s);
    case ROLE_COMPARE: return compare(b, s);
    case ROLE_BALANCE: return balance(b, s);
    case ROLE_LOOKUP: return lookup(b, s);
    case ROLE_NONE: break;
    }
    return (head_certificate){.logit = b->zero, .rounding = b->zero, .error = b->one, .failure = "it has no role"};
}
