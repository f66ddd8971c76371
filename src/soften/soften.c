/* clang-format off */
/* Hard to soft, for models made from formulas: every head becomes softmax with the logits of doc/theory.md, "Heads".

       temperature   features are at most 1 and no weight depends on n; all growth is in the scale
       positions     the scale is 1; the same logits come out of features that grow
       digits        positions in digits of a short number format, for once and nearest; temperature for the rest

  | role    | logit                               | temperature: scale, added        | positions: where it moves     |
  | once    | (ln N + k) c_j                      | ln N + k                         | query: ln N + k               |
  | nearest | k N c_j +- k j                      | k N; key +- j/N                  | query: k N; key +- j, query k |
  | match   | k N (pattern of i at j) +- k j      | k N; last key +- j/N             | as by temperature             |
  | count   | 0                                   | 1                                | as by temperature             |
  | compare | (2 k N y_i + ln #others) [sentinel] | 2 k N; query ln(#others)/(2 k N) | key: 2 k N [sentinel]         |
  | balance | 2 k N^2 (y_i/N + t/(i+1)) + ln i,   | 2 k N^2; the same query          | key: 2 k N [j = 0];           |
  |         | on the start sentinel               |                                  | query: 2 k N^2/(i+1)          |
  | lookup  | k N (2 c_i j - j^2)/(i+1)           | k N^3                            | keys: k N j, k N j^2          |

   By digits a nearest head has logits +-k (j - floor(N/2)) - ceil2(2 k N) (1 - c_j), see soften_digits.c, and a once
   head has ln N + k rounded up to a multiple of 4.

   k = 8, but 16 for look-ups, whose logits grow so fast that rounding eats more of the gap.

   Tie-breaks and normalisers go into channels marked soft_only, which are zero in a hard run, so that a soft model
   still knows its hard one. */
/* clang-format on */
#include <string.h>

#include "soften/soften.h"
#include "soften/soften_digits.h"

/* ---- rows with something added ---- */

static model_rows one_row(softener *s, uint32_t channel, double weight) {
    rows_builder b;
    rows_begin(&b, &s->to->memory);
    rows_term(&b, channel, weight);
    rows_end_row(&b);
    return rows_finish(&b);
}

/* The rows of a hard head, with a term added to row 0. */
static model_rows with_term(softener *s, const model_rows *rows, uint32_t channel, double weight) {
    rows_builder b;
    rows_begin(&b, &s->to->memory);
    for (uint32_t r = 0; r < rows->count; r++) {
        for (uint32_t k = rows->start[r]; k < rows->start[r + 1]; k++)
            rows_term(&b, rows->terms[k].channel, rows->terms[k].weight);
        if (r == 0) rows_term(&b, channel, weight);
        rows_end_row(&b);
    }
    return rows_finish(&b);
}

static model_rows two_rows(softener *s, uint32_t first, double weight, uint32_t second, double weight2) {
    rows_builder b;
    rows_begin(&b, &s->to->memory);
    rows_term(&b, first, weight);
    rows_end_row(&b);
    rows_term(&b, second, weight2);
    rows_end_row(&b);
    return rows_finish(&b);
}

/* ---- one function per role ---- */

static void set_scale(softener *s, model_head *h, const char *expression_text) {
    h->scale = expression_parse(&s->to->memory, expression_text, strlen(expression_text), 0, 0);
}

static void soften_once(softener *s, model_head *h) {
    bool digits = s->method == TEMPER_METHOD_DIGITS;
    if (s->method == TEMPER_METHOD_TEMPERATURE)
        set_scale(s, h, "ln(N) + 8");
    else
        h->query = one_row(s, soften_feature(s, digits ? DIGITS_ONCE : "ln(N) + 8", false), 1);
}

static void soften_nearest(softener *s, model_head *h) {
    double sign = h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? 1 : -1;
    if (s->method == TEMPER_METHOD_DIGITS) {
        soften_nearest_digits(s, h);
        return;
    }
    if (s->method == TEMPER_METHOD_TEMPERATURE) {
        set_scale(s, h, "8*N");
        h->key = with_term(s, &h->key, soften_feature(s, "i/N", true), sign);
        return;
    }
    uint32_t tie = soften_feature(s, "i", true), one = h->query.terms[0].channel;
    if (h->key.start[1] == 0) { /* no candidates to prefer: only the tie-break */
        h->query = one_row(s, one, 8);
        h->key = one_row(s, tie, sign);
        return;
    }
    rows_builder b;
    rows_begin(&b, &s->to->memory);
    for (uint32_t k = 0; k < h->key.start[1]; k++) rows_term(&b, h->key.terms[k].channel, h->key.terms[k].weight);
    rows_end_row(&b);
    rows_term(&b, tie, sign);
    rows_end_row(&b);
    h->key = rows_finish(&b);
    h->query = two_rows(s, soften_feature(s, "8*N", false), 1, one, 8);
}

/* The positions beside the sentinel that share the row: i under j <= i, N-1-i under j >= i. */
static uint32_t others(softener *s, const model_head *h) {
    return soften_feature(s, h->mask == TEMPER_MASK_FROM ? "ln(max(N - 1 - i, 1))/(16*N)" : "ln(max(i, 1))/(16*N)",
                          true);
}

static void soften_compare(softener *s, model_head *h) {
    h->query = with_term(s, &h->query, others(s, h), 1);
    if (s->method != TEMPER_METHOD_POSITIONS)
        set_scale(s, h, "16*N");
    else
        h->key = one_row(
            s, soften_feature(s, h->mask == TEMPER_MASK_FROM ? "[i = N - 1]*16*N" : "[i = 0]*16*N", false), 1);
}

static void soften_balance(softener *s, model_head *h) {
    h->query = with_term(s, &h->query, others(s, h), 1);
    if (s->method != TEMPER_METHOD_POSITIONS) {
        set_scale(s, h, "16*N*N");
        return;
    }
    rows_builder q, k;
    rows_begin(&q, &s->to->memory);
    for (uint32_t t = 0; t < h->query.start[1]; t++)
        rows_term(&q, h->query.terms[t].channel, h->query.terms[t].weight);
    rows_end_row(&q);
    rows_term(&q, soften_feature(s, "16*N*N/(i + 1)", false), 1);
    rows_end_row(&q);
    h->query = rows_finish(&q);
    rows_begin(&k, &s->to->memory);
    rows_term(&k, soften_feature(s, "[i = 0]*16*N", false), 1);
    rows_end_row(&k);
    for (uint32_t t = h->key.start[1]; t < h->key.start[2]; t++)
        rows_term(&k, h->key.terms[t].channel, h->key.terms[t].weight);
    rows_end_row(&k);
    h->key = rows_finish(&k);
}

static void soften_lookup(softener *s, model_head *h) {
    if (s->method != TEMPER_METHOD_POSITIONS) {
        set_scale(s, h, "16*N*N*N");
        return;
    }
    const expression *place = h->key.start[1] ? s->channels[h->key.terms[0].channel].position : NULL;
    bool from_end = place && expression_eval(place, 0, 1, 2) != 0; /* the start sentinel has not the number 0 */
    /* In statements of their own: channels are numbered as they are asked for, with every compiler in this order. */
    uint32_t square = soften_feature(s, from_end ? "16*N*(N - 1 - i)*(N - 1 - i)" : "16*N*i*i", false);
    uint32_t number = soften_feature(s, from_end ? "16*N*(N - 1 - i)" : "16*N*i", false);
    h->key = two_rows(s, number, 1, square, 1);
}

/* A pattern is found by products of Booleans, which only a scale can make larger: it has one by every method. The
   last row has the sentinel that stands for "none", and the tie-break. */
static void soften_match(softener *s, model_head *h) {
    double sign = h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? 1 : -1;
    set_scale(s, h, "8*N");
    rows_builder b;
    rows_begin(&b, &s->to->memory);
    uint32_t tie = soften_feature(s, "i/N", true);
    for (uint32_t r = 0; r < h->key.count; r++) {
        for (uint32_t k = h->key.start[r]; k < h->key.start[r + 1]; k++)
            rows_term(&b, h->key.terms[k].channel, h->key.terms[k].weight);
        if (r + 1 == h->key.count) rows_term(&b, tie, sign);
        rows_end_row(&b);
    }
    h->key = rows_finish(&b);
}

static void soften_head(softener *s, model_head *h, uint32_t layer, uint32_t number) {
    switch (h->role) {
    case ROLE_ONCE: soften_once(s, h); break;
    case ROLE_NEAREST: soften_nearest(s, h); break;
    case ROLE_COUNT: break;
    case ROLE_COMPARE: soften_compare(s, h); break;
    case ROLE_BALANCE: soften_balance(s, h); break;
    case ROLE_LOOKUP: soften_lookup(s, h); break;
    case ROLE_MATCH: soften_match(s, h); break;
    case ROLE_NONE:
        trap_raise(s->trap, TEMPER_UNSUPPORTED, 0, 0,
                   "head %u.%u does not come from a formula, so there is no known temperature for it", layer, number);
    }
    h->choice = TEMPER_CHOICE_SOFTMAX;
}

/* ---- the pass ---- */

void soften_by_roles(temper_model *m, const temper_model *hard, temper_method method, temper_type type, entry *e) {
    const digit_format *digits = method == TEMPER_METHOD_DIGITS ? digit_format_of(type) : NULL;
    softener s;
    if (method != TEMPER_METHOD_TEMPERATURE && method != TEMPER_METHOD_POSITIONS && method != TEMPER_METHOD_DIGITS)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the method must be temperature, positions or digits");
    if (method == TEMPER_METHOD_DIGITS && !digits)
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "digits are for numbers stored in f32, bf16, f16, e4m3 or e5m2");
    if (hard->method != TEMPER_METHOD_HARD) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the model is soft already");
    soften_begin(&s, hard, m, method, e->trap, &e->scratch);
    m->digits = digits;
    if (digits) soften_require_gates(&s);
    for (uint32_t layer = 0; layer < m->layer_count; layer++) {
        soften_copy_layer(&s, layer);
        for (uint32_t h = 0; h < m->layers[layer].head_count; h++)
            soften_head(&s, &m->layers[layer].heads[h], layer + 1, h + 1);
    }
    soften_end(&s);
}
