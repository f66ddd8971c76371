#include "bound/role_bounds.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- conditions ---- */

static const char *say(const bounds *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *say(const bounds *b, const char *format, ...) {
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return arena_copy(b->arena, line, strlen(line));
}

/* The first condition that fails is told. */
static void need(head_certificate *h, bool holds, const char *failure) {
    if (!holds && !h->failure) h->failure = failure;
}

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

static const ball *inverse(const bounds *b, const ball *x) { return b_div(b, b->one, x); }

static const ball *twice(const bounds *b, const ball *x) { return b_mul(b, b_int(b, 2), x); }

/* (1 + u_a)^i (1 + u_s)^j (1 + v)^k - 1 */
static const ball *growth(const bounds *b, uint64_t i, uint64_t j, uint64_t k) {
    const ball *factor = b_mul(b, b_more(b, b->unit_a, i), b_mul(b, b_more(b, b->unit_s, j), b_more(b, b->v, k)));
    return b_sub(b, factor, b->one);
}

/* (1 + 2 u_a) */
static const ball *exp_factor(const bounds *b) { return b_add(b, b->one, twice(b, b->unit_a)); }

/* ---- once ---- */

static const ball *once_error_ascending(const bounds *b, const ball *rest) {
    const ball *less = b_mul(b, b_less(b, b->unit_a, 1), b_less(b, b->unit_s, 1));
    const ball *sum = b_mul(b, b_add(b, b->one, twice(b, rest)), b_more(b, b->unit_a, (uint64_t)b->a->precision + 1));
    const ball *low = b_sub(b, b->one, b_div(b, less, sum));
    return b_max(b, low, growth(b, 1, 1, 0));
}

static const ball *once_error_any(const bounds *b, const ball *rest, const ball *logit) {
    const ball *lost = b_exp(b, b_neg(b, b_mul(b, b_mul(b, b_int(b, 4), b->unit_a), logit)));
    const ball *w = b_mul(b, b_sub(b, b->one, twice(b, b->unit_a)), lost);
    const ball *less = b_mul(b, b_mul(b, w, b_less(b, b->unit_a, b->size + 1)), b_less(b, b->unit_s, 2));
    const ball *sum = b_mul(b, b_add(b, b->one, rest), b_more(b, b->unit_a, b->size));
    const ball *more = b_mul(b, b_more(b, b->unit_a, b->size + 1), b_more(b, b->unit_s, 2));
    const ball *low = b_sub(b, b->one, b_div(b, less, sum));
    const ball *high = b_sub(b, b_div(b, more, b_mul(b, w, b_less(b, b->unit_a, b->size))), b->one);
    return b_max(b, low, high);
}

static head_certificate once(const bounds *b, const head_shape *s) {
    head_certificate h = {.logit = form_bound(b, &s->scale)};
    const ball *kept = b_mul(b, b_less(b, b->unit_s, 2), b_mul(b, b_less(b, b->unit_a, 5), b_less(b, b->v, 4)));
    const ball *least = b_add(b, b->log_m, b_double(b, s->kappa)); /* of the candidates' ideal logits */
    h.rounding = b_mul(b, b_sub(b, b->one, kept), h.logit);
    const ball *power = b_add(b, b_neg(b, b_mul(b, kept, least)), twice(b, b->tiny_a));
    const ball *weight = b_add(b, b_mul(b, exp_factor(b), b_exp(b, power)), b->tiny_a);
    const ball *rest = b_mul(b, b_sub(b, b->m, b->one), weight);
    if (!b->ascending) need_counting(b, &h);
    need(&h, ball_is_less(weight, b->one), "its losers weigh as much as its candidates");
    need_below(b, &h, twice(b, b_add(b, h.logit, h.rounding)), b->most_a, "differences of logits", b->a);
    h.error = b->ascending ? once_error_ascending(b, rest) : once_error_any(b, rest, h.logit);
    return h;
}

/* ---- nearest ---- */

/* What all losers weigh together, each gap being a multiple of kappa of which `sides` occur at a time. */
static const ball *losers(const bounds *b, double kappa, const ball *off, int sides) {
    const ball *q = b_exp(b, b_neg(b, b_mul(b, b_double(b, kappa), b_sub(b, b->one, b->unit_a))));
    const ball *sum = b_mul(b, b_int(b, sides), b_div(b, q, b_sub(b, b->one, q)));
    const ball *all = b_mul(b, b_mul(b, exp_factor(b), b_exp(b, twice(b, off))), sum);
    return b_add(b, all, b_mul(b, b->m, b->tiny_a));
}

static void need_separation(const bounds *b, head_certificate *h, double kappa) {
    need(h, ball_is_at_most(h->error, b->quarter),
         say(b, "a logit may be off by %.4g where %g separates the keys", ball_upper(h->rounding), kappa));
}

/* Bounds beyond this are useless, and their exponentials would take all memory. */
static bool is_hopeless(const ball *off) { return !(ball_upper(off) < 0x1p20); }

static head_certificate hopeless(const bounds *b, head_certificate h, double kappa) {
    h.error = b->one;
    need_separation(b, &h, kappa);
    return h;
}

static head_certificate nearest(const bounds *b, const head_shape *s) {
    head_certificate h = {0};
    quantity *q = arena_alloc(b->arena, s->rows, sizeof *q), *k = arena_alloc(b->arena, s->rows, sizeof *k);
    for (uint32_t r = 0; r < s->rows; r++) {
        q[r] = quantity_row(b, &s->query[r]);
        k[r] = quantity_row(b, &s->key[r]);
        need(&h, quantity_fits(b, &q[r], b->most_s) && quantity_fits(b, &q[r], b->most_a), "a query overflows");
        need(&h, quantity_fits(b, &k[r], b->most_s) && quantity_fits(b, &k[r], b->most_a), "a key overflows");
    }
    quantity l = quantity_score(b, q, k, s->rows);
    need(&h, quantity_fits(b, &l, b->most_a), "a score overflows");
    if (s->scaled) {
        quantity scale = quantity_scale(b, &s->scale);
        need(&h, quantity_fits(b, &scale, b->most_a), "its scale overflows");
        l = quantity_logit(b, &scale, &l);
    }
    const ball *most = b_add(b, l.size, l.error);
    need_below(b, &h, twice(b, most), b->most_a, "differences of logits", b->a);
    h.logit = l.size;
    h.rounding = b_add(b, b_add(b, l.error, b_mul(b, twice(b, b->unit_a), most)), b->tiny_a);
    if (is_hopeless(h.rounding)) return hopeless(b, h, s->kappa);
    h.error = b_row_error(b, losers(b, s->kappa, h.rounding, 1));
    need_separation(b, &h, s->kappa);
    return h;
}

head_certificate head_certify_rest(const bounds *b, double rest, double logit) {
    head_certificate h = {.logit = b_double(b, logit), .rounding = b->zero};
    h.error = b_row_error(b, b_double(b, rest));
    return h;
}

/* ---- count ---- */

static head_certificate count(const bounds *b, const head_shape *s) {
    head_certificate h = {.logit = b->zero, .rounding = b->zero, .error = b->zero};
    const ball *w = b_double(b, s->weight), *sum = b_mul(b, b->m, w);
    if (s->grid != GRID_OF_ZERO) {
        need(&h,
             ball_is_at_most(w, b_power_of_two(b, (long)s->grid + b->s->precision)) &&
                 s->grid >= grid_of(b->s->least) && s->grid >= grid_of(b->a->least),
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

/* ---- compare and balance ---- */

/* rho and then the error, with e for epsilon or omega and the share of kappa that is left. */
static void share_error(const bounds *b, head_certificate *h, const ball *kappa_left, const ball *e) {
    const ball *two_tiny = twice(b, b->tiny_a);
    const ball *power = b_add(b, b_sub(b, b_mul(b, e, b->log_m), kappa_left), two_tiny);
    const ball *rho = b_add(b, b_mul(b, exp_factor(b), b_exp(b, power)), b_mul(b, b->m, b->tiny_a));
    const ball *above = b_add(b, b_mul(b, b_add(b, b->one, b->unit_s), rho), b->tiny_s);
    above = b_mul(b, above, b_mul(b, b_mul(b, b_more(b, b->unit_a, 1), b_more(b, b->unit_s, 1)), b_exp(b, two_tiny)));
    const ball *below = b_mul(b, b_sub(b, b->one, twice(b, b->unit_a)), b_less(b, b->unit_a, 4 * b->size));
    const ball *f = b_add(b, b_div(b, above, below), b->tiny_s);
    h->error = b_max(b, b_row_error(b, rho), f);
}

/* What compare and balance heads both need, with e for epsilon or omega. */
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

static head_certificate compare(const bounds *b, const head_shape *s) {
    head_certificate h = {.rounding = growth(b, 7, 3, 4)};
    const ball *kappa = b_double(b, s->kappa);
    h.logit = b_add(b, b_mul(b, b_mul(b, twice(b, kappa), b->m), b_double(b, s->weight)), b->log_m);
    need_sentinel(b, &h, s, h.rounding);
    share_error(b, &h, b_mul(b, kappa, b_sub(b, b->one, h.rounding)), h.rounding);
    return h;
}

/* e_u: the row 1/(i + 1) - real + x. */
static const ball *own_unit_error(const bounds *b) {
    static const term_shape terms[3] = {{{.size = FORM_SHARE, .c = 1, .d = 1}, 1},
                                        {{.size = FORM_BOOLEAN, .c = 1, .d = 1}, -1},
                                        {{.size = FORM_BOOLEAN, .c = 1, .d = 1}, 1}};
    return quantity_row(b, &(row_shape){3, terms}).error;
}

static head_certificate balance(const bounds *b, const head_shape *s) {
    head_certificate h = {0};
    const ball *kappa = b_double(b, s->kappa), *one_rounding = growth(b, 1, 1, 0);
    const ball *w_h = b_double(b, s->weight), *w_t = b_double(b, s->total), *w_o = b_double(b, s->own);
    const ball *units = b_mul(b, w_o, own_unit_error(b)), *omega = growth(b, 10, 4, 8);
    const ball *e_o = b_add(b, units, b_mul(b, b_add(b, w_o, units), growth(b, (uint64_t)s->own_units + 1, 1, 0)));
    const ball *errors = b_add(b, b_mul(b, b_add(b, w_h, w_t), one_rounding), e_o);
    const ball *sizes = b_add(b, b_add(b, b_mul(b, b->m, w_h), w_o), b_mul(b, b->m, w_t));
    h.rounding = b_add(b, b_mul(b, b_mul(b, b->m, errors), b_add(b, b->one, omega)), b_mul(b, sizes, omega));
    const ball *sum = b_add(b, b_add(b, w_h, w_o), b_mul(b, b->m, w_t));
    h.logit = b_add(b, b_mul(b, b_mul(b, twice(b, kappa), b->m), sum), b->log_m);
    need(&h, ball_is_less(h.rounding, b->half),
         say(b, "its sum may be off by %.4g where a half separates yes and no", ball_upper(h.rounding)));
    need_sentinel(b, &h, s, omega);
    const ball *square = b_mul(b, b->m, b->m);
    need(&h,
         ball_is_at_most(b->normal_a, inverse(b, twice(b, square))) && ball_is_at_most(b->normal_s, inverse(b, b->m)),
         "its scores are too small for the number format");
    need_below(b, &h, b_mul(b, twice(b, kappa), square), s->scaled ? b->most_a : b->most_s, "scales",
               s->scaled ? b->a : b->s);
    need_below(b, &h, twice(b, w_o), b->most_s, "own parts", b->s);
    if (h.failure) {
        h.error = b->one;
        return h;
    }
    share_error(b, &h, b_mul(b, kappa, b_sub(b, b->one, twice(b, h.rounding))), omega);
    return h;
}

/* ---- look-up ---- */

static head_certificate lookup(const bounds *b, const head_shape *s) {
    head_certificate h = {0};
    const ball *kappa = b_double(b, s->kappa), *omega = growth(b, 7, 2, 12);
    const ball *square = b_mul(b, b->m, b->m), *cube = b_mul(b, square, b->m);
    h.logit = b_mul(b, kappa, square);
    h.rounding = b_mul(b, b_mul(b, b_int(b, 3), omega), h.logit);
    need_counting(b, &h);
    need(&h,
         ball_is_at_most(b->normal_a, inverse(b, cube)) &&
             (!s->scaled || ball_is_at_most(b->normal_s, inverse(b, square))),
         "its scores are too small for the number format");
    need_below(b, &h, b_mul(b, b_mul(b, b_int(b, 6), h.logit), b_add(b, b->one, omega)), b->most_a,
               "differences of logits", b->a);
    need_below(b, &h, b_mul(b, kappa, cube), s->scaled ? b->most_a : b->most_s, "scales", s->scaled ? b->a : b->s);
    if (is_hopeless(h.rounding)) return hopeless(b, h, s->kappa);
    h.error = b_row_error(b, losers(b, s->kappa, h.rounding, 2));
    need_separation(b, &h, s->kappa);
    return h;
}

head_certificate head_certify(const bounds *b, const head_shape *s) {
    switch (s->role) {
    case ROLE_ONCE: return once(b, s);
    case ROLE_NEAREST: return nearest(b, s);
    case ROLE_COUNT: return count(b, s);
    case ROLE_COMPARE: return compare(b, s);
    case ROLE_BALANCE: return balance(b, s);
    case ROLE_LOOKUP: return lookup(b, s);
    case ROLE_NONE: break;
    }
    return (head_certificate){.logit = b->zero, .rounding = b->zero, .error = b->one, .failure = "it has no role"};
}
