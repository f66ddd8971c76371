#include "bound/role_bounds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bound/sheet.h"

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

/* The sheet with the numbers of a head, and what is found of it. */
typedef struct head_bounds {
    sheet sheet;
    head_certificate h;
} head_bounds;

static head_bounds begin(const bounds *b, const head_shape *s) {
    head_bounds x = {.h.rounding = b->zero};
    sheet_begin(&x.sheet, b);
    sheet_give_whole(&x.sheet, SHEET_scaled, s->scaled);
    sheet_give_whole(&x.sheet, SHEET_anywhere, s->anywhere);
    sheet_give_double(&x.sheet, SHEET_kappa, s->kappa);
    sheet_give_double(&x.sheet, SHEET_W, s->weight);
    sheet_give_double(&x.sheet, SHEET_W_t, s->total);
    return x;
}

static const ball *value(head_bounds *x, sheet_name name) { return sheet_value(&x->sheet, name); }

/* A condition of the sheet. */
#define must(x, condition, failure_of) need(&(x)->h, sheet_holds(&(x)->sheet, condition), failure_of)
#define must_of(x, condition, first, second, failure_of)                                                             \
    need(&(x)->h, sheet_holds_of(&(x)->sheet, condition, first, second), failure_of)

static void must_count(const bounds *b, head_bounds *x) {
    must(x, SHEET_ones_counted, say(b, "%s counts only up to 2^%d", b->a->name, b->a->precision));
}

static const char *overflow(const bounds *b, const ball *x, const char *what, const number_format *f) {
    return say(b, "%s of up to %.4g overflow %s, whose largest number is %.4g", what, ball_upper(x), f->name,
               f->largest);
}

static void need_below(const bounds *b, head_certificate *h, const ball *x, const ball *most, const char *what,
                       const number_format *f) {
    need(h, ball_is_at_most(x, most), overflow(b, x, what, f));
}

/* Arithmetic. */
static const ball *twice(const bounds *b, const ball *x) { return b_shift(b, x, 1); }

/* ---- doc/certificate.md, "Once" ---- */

/* Coq: once_out (C = 8), once_any_out (C from 1 to 16), once_room (overflow); on paper: "Once", other C, steps of 4,
   tiles. */
static head_certificate once(const bounds *b, const head_shape *s) {
    head_bounds x = begin(b, s);
    x.h.logit = form_bound(b, &s->scale);
    sheet_give(&x.sheet, SHEET_X, x.h.logit);
    x.h.rounding = value(&x, SHEET_once_rounding);
    must(&x, SHEET_once_light, "its losers weigh as much as its candidates");
    must(&x, SHEET_once_range,
         overflow(b, twice(b, b_add(b, x.h.logit, x.h.rounding)), "differences of logits", b->a));
    if (b->tiled) must(&x, SHEET_once_lighter, "its losers weigh as much as its candidates");
    if (!b->ascending) must_count(b, &x);
    x.h.error = value(&x, SHEET_once_error);
    return x.h;
}

/* Runs letter by letter count distances in the format of sums; the types that they have add up in any order. Sums
   that are rescaled must not be larger than the number of their keys. */
static void must_tell_apart(const bounds *b, head_bounds *x) {
    if (!b->ascending || b->tiled) must_count(b, x);
}

/* ---- doc/certificate.md, "Nearest" ---- */

static const char *too_near(const bounds *b, const ball *off, double kappa) {
    return say(b, "two logits may be off by %.4g each, %s the %g that separate them", ball_upper(off),
               2 * ball_upper(off) > kappa ? "together more than" : "which leaves too little of", kappa);
}

/* Bounds beyond this are useless, and their exponentials would take all memory. */
static bool is_hopeless(const ball *off) { return !(ball_upper(off) < 0x1p20); }

/* The error of one winner beside losers on `sides` sides, whose logits are off by h's rounding. */
/* Coq: nearest_ascending, nearest_any, lookup_mass (two sides). */
static void winner_error(const bounds *b, head_bounds *x, double kappa, int sides) {
    x->h.error = is_hopeless(x->h.rounding)
                     ? b->one
                     : sheet_value_of(&x->sheet, SHEET_pick_error, x->h.rounding, b_int(b, sides));
    need(&x->h, ball_is_at_most(x->h.error, b->quarter), too_near(b, x->h.rounding, kappa));
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
/* Coq: ulp_bound, logit_sizes, sheet_pick_range; on paper: "Quantities", the range by positions. */
static const ball *checked_logit(const bounds *b, head_bounds *x, const quantity *l) {
    const ball *ulp = b_ulp(b, b->a, l->most);
    need(&x->h, quantity_fits(l, b->most_a), "a score overflows");
    must_of(x, SHEET_pick_range, l->most, ulp,
            overflow(b, twice(b, b_add(b, l->most, ulp)), "differences of logits", b->a));
    return b_add(b, l->error, ulp);
}

static head_certificate nearest(const bounds *b, const head_shape *s) {
    head_bounds x = begin(b, s);
    rows_of_head r = checked_rows(b, &x.h, s);
    quantity scale;
    if (s->scaled) {
        scale = quantity_scale(b, &s->scale);
        need(&x.h, quantity_fits(&scale, b->most_a), "its scale overflows");
    }
    quantity l = quantity_logit(b, s->scaled ? &scale : NULL, r.queries, r.keys, s->rows);
    x.h.logit = l.size;
    x.h.rounding = checked_logit(b, &x, &l);
    winner_error(b, &x, s->kappa, 1);
    must_tell_apart(b, &x);
    return x.h;
}

/* ---- doc/certificate.md, "Match" ---- */

/* Whole numbers times multiples of a half: the scores of patterns are exact, also if queries are scaled before. A
   hard run leaves the scale out. */
/* On paper: "Match". */
static void must_hold_patterns(const bounds *b, head_bounds *x, const head_shape *s, bool scaled) {
    sheet_give_whole(&x->sheet, SHEET_scaled, scaled);
    sheet_give_whole(&x->sheet, SHEET_grid, scaled ? grid_of(s->kappa) : 0);
    must(x, SHEET_match_scores,
         say(b, "scores of patterns up to %.4g are not exact in %s", ball_upper(value(x, SHEET_match_score)),
             b->a->name));
    need(&x->h, b->a->least <= 0.5 && b->s->least <= 0.5, "a half is too small for the number format");
}

/* The end sentinel's key is M less its tie-break, rounded as one number; the start's is M, since 0/N is 0. The other
   keys are 0 there. What counts is how far two logits are off together, and only one of them is a sentinel's. */
/* On paper: "Match". */
static const ball *with_sentinel(const bounds *b, head_bounds *x, const head_shape *s, const quantity *scale,
                                 const ball *letters) {
    const term_shape terms[2] = {{{.size = FORM_BOOLEAN, .c = 1}, s->edges}, {{.size = FORM_SHARE}, -1}};
    const term_shape one = {{.size = FORM_CONSTANT, .c = 1}, 1};
    const row_shape query = {1, &one}, last = {2, terms};
    quantity q = checked_row(b, &x->h, &query, false, "a query overflows");
    quantity k = checked_row(b, &x->h, &last, false, "a key overflows");
    quantity l = quantity_logit(b, scale, &q, &k, 1);
    return b_mul(b, b->half, b_add(b, letters, b_max(b, letters, checked_logit(b, x, &l))));
}

/* The logit of two rows: an exact key of size T, and the tie-break. */
static head_certificate match(const bounds *b, const head_shape *s) {
    head_bounds x = begin(b, s);
    const term_shape one = {{.size = FORM_CONSTANT, .c = 1}, 1}, place = {{.size = FORM_SHARE}, 1};
    const row_shape query = {1, &one}, tie = {1, &place};
    const ball *most = b_double(b, s->total);
    /* it has a grid, which is of no use beside the tie-break */
    quantity pattern = {.size = most, .most = most, .error = b->zero, .widest = most, .exact = true};
    quantity queries[2] = {checked_row(b, &x.h, &query, false, "a query overflows")}, keys[2] = {pattern};
    queries[1] = queries[0];
    keys[1] = checked_row(b, &x.h, &tie, false, "a key overflows");
    quantity scale = quantity_scale(b, &s->scale);
    need(&x.h, quantity_fits(&scale, b->most_a), "its scale overflows");
    must_hold_patterns(b, &x, s, s->scaled);
    quantity l = quantity_logit(b, &scale, queries, keys, 2);
    x.h.logit = l.size;
    x.h.rounding = checked_logit(b, &x, &l);
    if (s->edges > 0) x.h.rounding = with_sentinel(b, &x, s, &scale, x.h.rounding);
    winner_error(b, &x, s->kappa, 1);
    must_tell_apart(b, &x);
    return x.h;
}

static head_certificate hard_match(const bounds *b, const head_shape *s) {
    head_bounds x = begin(b, s);
    x.h.logit = b_double(b, s->total);
    must_hold_patterns(b, &x, s, false);
    must_tell_apart(b, &x);
    return x.h;
}

/* Coq: nearest_ascending; on paper: "Nearest", every length. */
head_certificate head_certify_rest(const bounds *b, double rest, double logit) {
    head_bounds x = begin(b, &(head_shape){0});
    const ball *losers = b_double(b, rest);
    if (b->tiled) losers = b_add(b, losers, value(&x, SHEET_subnormal_loss));
    x.h.logit = b_double(b, logit);
    x.h.error = sheet_value_of(&x.sheet, SHEET_row_error, losers, NULL);
    if (b->tiled) must_count(b, &x);
    return x.h;
}

/* ---- doc/certificate.md, "Count" ---- */

/* Coq: count_out, mean_error, count_row (overflow). */
static head_certificate count(const bounds *b, const head_shape *s) {
    head_bounds x = begin(b, s);
    x.h.logit = x.h.error = b->zero;
    sheet_give_double(&x.sheet, SHEET_W_l, s->letters);
    sheet_give_double(&x.sheet, SHEET_W_e, s->edges);
    if (s->grid != GRID_OF_ZERO) {
        sheet_give_whole(&x.sheet, SHEET_grid, s->grid);
        bool stored = sheet_holds(&x.sheet, SHEET_count_weights) && sheet_holds(&x.sheet, SHEET_count_grid);
        need(&x.h, stored, say(b, "weights that add up to %g are not exact in %s", s->weight, b->s->name));
        must(&x, SHEET_count_sums,
             say(b, "sums of up to %.4g are not exact in %s", ball_upper(value(&x, SHEET_count_sum)), b->a->name));
    }
    must(&x, SHEET_count_values, overflow(b, value(&x, SHEET_W), "values", b->s));
    must(&x, SHEET_count_range, overflow(b, value(&x, SHEET_count_sum), "sums", b->a));
    must_count(b, &x);
    must(&x, SHEET_count_normal, say(b, "a mean may be too small for %s", b->s->name));
    return x.h;
}

/* ---- doc/certificate.md, "Compare" and "Balance" ---- */

/* What compare and balance heads both need, with e for epsilon or omega. */
/* Coq: compare_row_ok, compare_page (overflow), kappa = 8; on paper: "Compare", other kappa. */
static void must_tell_sentinel(const bounds *b, head_bounds *x, const head_shape *s, const ball *e) {
    must_count(b, x);
    must_of(x, SHEET_sentinel_weight, e, NULL, say(b, "weights of 1/N are too small for %s", b->a->name));
    must_of(x, SHEET_sentinel_range, e, x->h.logit,
            overflow(b, twice(b, b_mul(b, b_add(b, b->one, e), x->h.logit)), "differences of logits", b->a));
    must(x, SHEET_sentinel_fits, overflow(b, value(x, SHEET_sentinel_scale), "scales", s->scaled ? b->a : b->s));
    must(x, SHEET_sentinel_normal, say(b, "its normaliser is too small for %s", b->s->name));
}

/* Coq: compare_logit, compare_row_ok, kappa = 8; on paper: "Compare", other kappa, positions. */
static head_certificate compare(const bounds *b, const head_shape *s) {
    head_bounds x = begin(b, s);
    x.h.rounding = value(&x, SHEET_compare_off);
    x.h.logit = value(&x, SHEET_compare_logit);
    must_tell_sentinel(b, &x, s, x.h.rounding);
    x.h.error = value(&x, SHEET_compare_error);
    return x.h;
}

/* e_u: the row 1/(i + 1) - real + x, of three terms in any order. */
/* On paper: "Balance". */
static const ball *own_unit_error(const bounds *b) {
    quantity share = quantity_feature(b, &(feature_form){.size = FORM_SHARE});
    const ball *three = b_int(b, 3), *error = b_add(b, share.error, twice(b, b_half(b, b->a, three)));
    return b->one_format ? error : b_add(b, error, b_half(b, b->s, three));
}

/* All but the error. */
/* On paper: "Balance". */
static head_bounds balance_begin(const bounds *b, const head_shape *s) {
    head_bounds x = begin(b, s);
    sheet_give_double(&x.sheet, SHEET_W_o, s->own);
    sheet_give_whole(&x.sheet, SHEET_parts, (int64_t)s->own_units);
    sheet_give(&x.sheet, SHEET_e_u, own_unit_error(b));
    const number_format *holder = s->scaled ? b->a : b->s;
    x.h.rounding = value(&x, SHEET_balance_off);
    x.h.logit = value(&x, SHEET_balance_logit);
    must(&x, SHEET_balance_sign,
         say(b, "its sum may be off by %.4g where a half separates yes and no", ball_upper(x.h.rounding)));
    must_tell_sentinel(b, &x, s, value(&x, SHEET_balance_after));
    bool normal = sheet_holds(&x.sheet, SHEET_balance_keys) && sheet_holds(&x.sheet, SHEET_balance_normal);
    need(&x.h, normal, "its scores are too small for the number format");
    must(&x, SHEET_balance_fits, overflow(b, value(&x, SHEET_balance_scale), "scales", holder));
    must(&x, SHEET_balance_query, overflow(b, value(&x, SHEET_balance_scaled), "scaled queries", b->a));
    must(&x, SHEET_balance_parts, overflow(b, twice(b, value(&x, SHEET_W_o)), "own parts", b->s));
    return x;
}

static head_certificate balance(const bounds *b, const head_shape *s) {
    head_bounds x = balance_begin(b, s);
    x.h.error = x.h.failure ? b->one : value(&x, SHEET_balance_error);
    return x.h;
}

/* ---- doc/certificate.md, "Look-up" ---- */

/* How often f64 rounds the two keys and the scale. */
static void give_roundings(const bounds *b, head_bounds *x, const head_shape *s) {
    feature_form first = {.size = FORM_SHARE, .squares = 1}, second = {.size = FORM_SHARE, .squares = 2};
    if (!s->scaled) {
        first = (feature_form){.size = FORM_POWER, .power = 2, .c = s->kappa};
        second = (feature_form){.size = FORM_POWER, .power = 3, .c = s->kappa};
    }
    sheet_give_whole(&x->sheet, SHEET_r_0, (int64_t)form_roundings(b, &first));
    sheet_give_whole(&x->sheet, SHEET_r_1, (int64_t)form_roundings(b, &second));
    if (s->scaled) sheet_give_whole(&x->sheet, SHEET_r_2, (int64_t)power_roundings(b, s->kappa, 3));
}

/* All but the error. */
/* On paper: "Look-up". */
static head_bounds lookup_begin(const bounds *b, const head_shape *s) {
    head_bounds x = begin(b, s);
    give_roundings(b, &x, s);
    const number_format *holder = s->scaled ? b->a : b->s;
    x.h.logit = value(&x, SHEET_lookup_logit);
    x.h.rounding = value(&x, SHEET_lookup_rounding);
    must_count(b, &x);
    bool normal = sheet_holds(&x.sheet, SHEET_lookup_keys) && sheet_holds(&x.sheet, SHEET_lookup_normal);
    need(&x.h, normal, "its scores are too small for the number format");
    must(&x, SHEET_lookup_range, overflow(b, value(&x, SHEET_lookup_most), "differences of logits", b->a));
    must(&x, SHEET_lookup_fits, overflow(b, value(&x, SHEET_lookup_scale), "scales", holder));
    must(&x, SHEET_lookup_query, overflow(b, value(&x, SHEET_lookup_scaled), "scaled queries", b->a));
    must(&x, SHEET_lookup_queries, overflow(b, twice(b, value(&x, SHEET_lookup_weight)), "queries", b->s));
    return x;
}

static head_certificate lookup(const bounds *b, const head_shape *s) {
    head_bounds x = lookup_begin(b, s);
    winner_error(b, &x, s->kappa, 2);
    return x.h;
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
    head_bounds x = begin(b, s);
    rows_of_head r = checked_rows(b, &x.h, s);
    quantity score = quantity_score(b, r.queries, r.keys, s->rows);
    need(&x.h, quantity_fits(&score, b->most_a), "a score overflows");
    x.h.logit = score.size;
    for (uint32_t k = 0; k < s->rows; k++) need_difference(b, &x.h, &s->query[k], &s->key[k]);
    if (s->role == ROLE_NEAREST) must_tell_apart(b, &x);
    return x.h;
}

/* Compare: what the sum needs that soft and hard rows share. */
/* On paper: "Hard runs". */
static head_certificate hard_compare(const bounds *b, const head_shape *s) {
    head_bounds x = begin(b, s);
    x.h.logit = b_double(b, s->weight);
    if (!s->scaled) x.h.logit = b_mul(b, value(&x, SHEET_sentinel_scale), x.h.logit);
    must_count(b, &x);
    need_below(b, &x.h, twice(b, x.h.logit), b->most_a, "scores", b->a);
    return x.h;
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
    case ROLE_BALANCE: h = balance_begin(b, s).h; break;
    case ROLE_LOOKUP:
        h = lookup_begin(b, s).h;
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

/* ---- doc/certificate.md, "Gates" ---- */

/* Coq: fused_ramp, round_raw_ok; on paper: "Gates", rounded products, several ramps for one channel. */
const ball *ramp_bound(const bounds *b, const ramp_shape *r, const head_certificate *heads) {
    sheet x;
    const ball *raw = b->zero;
    for (size_t k = 0; k < r->raw; k++)
        raw = b_add(b, raw, b_mul(b, b_double(b, r->weights[k]), heads[r->heads[k]].error));
    sheet_begin(&x, b);
    sheet_give(&x, SHEET_raw, raw);
    sheet_give_double(&x, SHEET_X, r->size);
    sheet_give_whole(&x, SHEET_terms, (int64_t)r->terms);
    sheet_give_whole(&x, SHEET_lone, r->lone);
    return sheet_value(&x, SHEET_ramp_error);
}
