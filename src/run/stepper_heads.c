/* Recognises every head's rows: they must be exactly those of the table in soften.c, or in a mirrored stepper those
   of the same table for masks that look forward. */
#include <math.h>
#include <string.h>

#include "run/stepper_make.h"

/* ---- refusals ---- */

static _Noreturn void odd(const maker *k, const char *what) {
    trap_raise_remedy(k->arena->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_WHOLE_STRINGS,
                      "%s is not one of the compiler's %s heads, so it cannot run letter by letter: %s",
                      maker_head_name(k), k->h->role == ROLE_NONE ? "own" : head_role_name(k->h->role), what);
}

static void require(const maker *k, bool condition, const char *what) {
    if (!condition) odd(k, what);
}

/* ---- recognising rows ---- */

/* A feature's text where steps begin at the start, and where they begin at the end. */
static const char *either(const maker *k, const char *from_start, const char *from_end) {
    return k->s->mirrored ? from_end : from_start;
}

bool maker_same(const model_rows *r, size_t row, const model_rows *q, size_t other) {
    const model_term *x = rows_begin_of(r, row), *y = rows_begin_of(q, other);
    if (rows_size(r, row) != rows_size(q, other)) return false;
    for (size_t n = rows_size(r, row); n-- > 0; x++, y++)
        if (x->channel != y->channel || x->weight != y->weight) return false;
    return true;
}

static bool is_feature(maker *k, uint32_t channel, const char *expression_text, bool soft_only) {
    const model_channel *c = &k->m->channels[channel];
    bool is = c->position && !k->written[channel] && !k->embedded[channel] && c->soft_only == soft_only &&
              strcmp(c->position_text, expression_text) == 0;
    if (is) k->known[channel] = 1;
    return is;
}

/* The row is one term: a feature with this weight. */
static void require_feature(maker *k, const model_rows *r, size_t row, const char *expression_text, bool soft_only,
                            double weight) {
    require(k, row < r->count && rows_size(r, row) == 1, "a row with other than one term");
    const model_term *t = rows_begin_of(r, row);
    require(k, t->weight == weight && is_feature(k, t->channel, expression_text, soft_only),
            "another position feature or weight");
}

/* The term of a row that is this soft-only feature with this weight: its channel. */
static uint32_t find_feature(maker *k, const model_rows *r, size_t row, const char *expression_text, double weight) {
    require(k, row < r->count, "a missing row");
    const model_term *t = rows_begin_of(r, row);
    for (size_t n = rows_size(r, row); n-- > 0; t++)
        if (t->weight == weight && is_feature(k, t->channel, expression_text, true)) return t->channel;
    odd(k, "no tie-break or normaliser in its row");
}

static void require_edge(maker *k, const model_rows *r, size_t row) {
    bool is = rows_size(r, row) == 1 && rows_begin_of(r, row)->weight == 1 &&
              k->edge_only[rows_begin_of(r, row)->channel] && !k->written[rows_begin_of(r, row)->channel];
    require(k, is, "another row than the sentinel's indicator");
}

static void require_choice(maker *k, const char *scale) {
    const model_head *h = k->h;
    bool soft = k->m->method != TEMPER_METHOD_HARD;
    require(k, (h->choice == TEMPER_CHOICE_SOFTMAX) == soft, "another choice");
    bool near = h->hard_choice == TEMPER_CHOICE_RIGHTMOST || h->hard_choice == TEMPER_CHOICE_LEFTMOST;
    require(k, h->role == ROLE_NEAREST ? near : h->hard_choice == TEMPER_CHOICE_AVERAGE, "another hard choice");
    bool by_digits = k->m->method == TEMPER_METHOD_DIGITS && h->role != ROLE_ONCE && h->role != ROLE_NEAREST;
    if (k->m->method != TEMPER_METHOD_TEMPERATURE && !by_digits) scale = NULL; /* the rest is by temperature there */
    require(k, scale ? h->scale && strcmp(h->scale_text, scale) == 0 : !h->scale, "another scale");
}

/* ---- one function per role ---- */

static void require_size(maker *k, uint32_t rows) {
    require(k, k->h->query.count == rows && k->h->key.count == rows, "another number of query rows");
}

static void value_rows(maker *k, step_head *out, step_layer *l) {
    out->values = arena_alloc(k->arena, out->width, sizeof *out->values);
    for (uint32_t d = 0; d < out->width; d++) {
        out->values[d] = maker_row(k, &k->h->value, d, NO_CHANNEL);
        maker_boolean(k, l, &k->h->value, d, NO_CHANNEL);
    }
}

static void make_once(maker *k, step_head *out, step_layer *l) {
    const char *const queries[] = {"1", "1", "ln(N) + 8", DIGITS_ONCE}; /* by method */
    require_choice(k, "ln(N) + 8");
    require_size(k, 1);
    require_feature(k, &k->h->query, 0, queries[k->m->method], false, 1);
    out->key = maker_row(k, &k->h->key, 0, NO_CHANNEL);
    maker_boolean(k, l, &k->h->key, 0, NO_CHANNEL);
    value_rows(k, out, l);
    out->value_is_key = out->width == 1 && maker_same(&k->h->key, 0, &k->h->value, 0);
    out->state = (uint32_t)k->s->state_count;
    k->s->state_count += 2 + 2 * (size_t)out->width;
}

/* The rows of soften_digits.c. The key's first row is 2^bonus (c_j - 1): gives the channel of the 1, or that of the
   only digit if there is no candidate to prefer. */
static uint32_t require_digits(maker *k, double sign) {
    const model_head *h = k->h;
    const digit_format *f = k->m->digits;
    uint32_t row = (uint32_t)f->count == h->query.count ? 0 : 1;
    require_size(k, (uint32_t)f->count + row);
    for (int b = f->count - 1; b >= 0; b--, row++) {
        require_feature(k, &h->query, row, "1", false, ldexp(1, digit_query_power(f, b)));
        require_feature(k, &h->key, row, digit_text(f, b, k->arena), true, ldexp(sign, digit_key_power(f, b)));
    }
    if (row == (uint32_t)f->count) return rows_begin_of(&h->key, 0)->channel;
    require_feature(k, &h->query, 0, digit_bonus_text(f, k->arena), false, 1);
    uint32_t one = rows_begin_of(&h->query, 1)->channel;
    const model_term *t = rows_begin_of(&h->key, 0);
    for (size_t n = rows_size(&h->key, 0); n-- > 0; t++)
        if (t->channel == one && t->weight == -ldexp(1, f->bonus)) return one;
    odd(k, "no bonus in its row");
}

static void scale_row(maker *k, const step_row *row, double factor) {
    for (size_t b = row->first; b < row->first + row->count; b++)
        for (int n = 0; n < 4; n++) k->s->blocks[b].weight[n] *= factor;
}

static void make_nearest(maker *k, step_head *out, step_layer *l) {
    const model_head *h = k->h;
    double sign = h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? 1 : -1;
    uint32_t tie = NO_CHANNEL;
    require_choice(k, "8*N");
    if (k->m->method == TEMPER_METHOD_DIGITS) {
        tie = require_digits(k, sign);
    } else if (k->m->method != TEMPER_METHOD_POSITIONS) {
        require_size(k, 1);
        require_feature(k, &h->query, 0, "1", false, 1);
        if (k->m->method == TEMPER_METHOD_TEMPERATURE) tie = find_feature(k, &h->key, 0, "i/N", sign);
    } else if (h->query.count == 1) { /* no candidates to prefer */
        require_size(k, 1);
        require_feature(k, &h->query, 0, "1", false, 8);
        require_feature(k, &h->key, 0, "i", true, sign);
        tie = rows_begin_of(&h->key, 0)->channel;
    } else {
        require_size(k, 2);
        require_feature(k, &h->query, 0, "8*N", false, 1);
        require_feature(k, &h->query, 1, "1", false, 8);
        require_feature(k, &h->key, 1, "i", true, sign);
    }
    out->far = (sign < 0) != k->s->mirrored;
    out->key = maker_row(k, &h->key, 0, tie);
    if (k->m->digits) scale_row(k, &out->key, ldexp(1, -k->m->digits->bonus));
    maker_boolean(k, l, &h->key, 0, tie);
    value_rows(k, out, l);
    out->state = (uint32_t)k->s->state_count;
    k->s->state_count += 4 + 2 * (size_t)out->width;
}

/* The sentinel's score: its term of the last key row. */
static double sentinel_score(maker *k, uint32_t row, uint32_t tie) {
    const model_term *t = rows_begin_of(&k->h->key, row);
    double most = 0;
    for (size_t n = rows_size(&k->h->key, row); n-- > 0; t++) {
        if (t->channel == tie) continue;
        require(k, k->edge_only[t->channel] && !k->written[t->channel] && most == 0,
                "another last key than the sentinel's");
        most = t->weight;
    }
    return most;
}

enum { MOST_CONDITIONS = 8 }; /* patterns of more would take too much memory */

/* Rows of lower_match.c: query 1 or -1 and key 1/2 or -1/2, or exactly one query and at most one key 1. */
static void make_match(maker *k, step_head *out, step_layer *l) {
    const model_head *h = k->h;
    bool hard = k->m->method == TEMPER_METHOD_HARD, right = h->hard_choice == TEMPER_CHOICE_RIGHTMOST;
    uint32_t tie = NO_CHANNEL, rows = h->query.count - 1;
    require(k, (h->choice == TEMPER_CHOICE_SOFTMAX) != hard && right != k->s->mirrored, "another choice");
    require(k, hard ? !h->scale : h->scale && strcmp(h->scale_text, "8*N") == 0, "another scale");
    require(k, h->query.count > 1, "another number of query rows");
    require_feature(k, &h->query, rows, "1", false, 1);
    if (!hard) tie = find_feature(k, &h->key, rows, "i/N", right ? 1 : -1);
    out->most = sentinel_score(k, rows, tie);
    out->one_hot = out->most == 1;
    for (uint32_t n = 0; n < h->key.start[rows]; n++)
        if (h->key.terms[n].weight != 1) out->one_hot = false;
    for (uint32_t n = 0; n < h->query.start[rows]; n++)
        if (h->query.terms[n].weight != 1) out->one_hot = false;
    require(k, out->one_hot || out->most == 0.5 * rows, "another score of the sentinel");
    require(k, out->one_hot || rows <= MOST_CONDITIONS, "it has more than 8 conditions");
    out->rows = rows;
    out->classes = out->one_hot ? rows + 2 : ((uint32_t)1 << rows) + 1;
    out->pattern = arena_alloc(k->arena, 2 * (size_t)rows, sizeof *out->pattern);
    for (uint32_t r = 0; r < rows; r++) {
        out->pattern[2 * r] = maker_row(k, &h->query, r, NO_CHANNEL);
        maker_boolean(k, l, &h->query, r, NO_CHANNEL);
        out->pattern[2 * r + 1] = maker_row(k, &h->key, r, NO_CHANNEL);
        maker_boolean(k, l, &h->key, r, NO_CHANNEL);
    }
    out->key = maker_row(k, &h->key, rows, tie);
    maker_boolean(k, l, &h->key, rows, tie);
    value_rows(k, out, l);
    out->state = (uint32_t)k->s->state_count;
    k->s->state_count += out->classes * (2 + (size_t)out->width);
}

static void make_count(maker *k, step_head *out, step_layer *l) {
    require_choice(k, NULL);
    require(k, !k->h->scale, "a scale");
    require_size(k, 0);
    value_rows(k, out, l);
    out->state = (uint32_t)k->s->state_count;
    k->s->state_count += out->width;
}

static void make_compare(maker *k, step_head *out) {
    const model_head *h = k->h;
    uint32_t others = NO_CHANNEL;
    require_choice(k, "16*N");
    require_size(k, 1);
    require(k, !out->before, "another mask");
    if (k->m->method != TEMPER_METHOD_HARD)
        others = find_feature(k, &h->query, 0, either(k, "ln(max(i, 1))/(16*N)", "ln(max(N - 1 - i, 1))/(16*N)"), 1);
    if (k->m->method == TEMPER_METHOD_POSITIONS)
        require_feature(k, &h->key, 0, either(k, "[i = 0]*16*N", "[i = N - 1]*16*N"), false, 1);
    else
        require_edge(k, &h->key, 0);
    for (uint32_t d = 0; d < out->width; d++) require_edge(k, &h->value, d);
    out->query = maker_row(k, &h->query, 0, others);
}

static void make_lookup(maker *k, step_head *out) {
    const model_head *h = k->h;
    bool positions = k->m->method == TEMPER_METHOD_POSITIONS;
    require_choice(k, "16*N*N*N");
    require_size(k, 2);
    require(k, !out->before, "another mask");
    require(k, rows_size(&h->query, 0) == 1 && rows_begin_of(&h->query, 0)->weight == 2,
            "another row than twice a mean");
    require_feature(k, &h->query, 1, either(k, "1/(i + 1)", "1/(N - i)"), false, -1);
    require_feature(k, &h->key, 0,
                    positions ? either(k, "16*N*i", "16*N*(N - 1 - i)") : either(k, "i/(N*N)", "(N - 1 - i)/(N*N)"),
                    false, 1);
    require_feature(k, &h->key, 1,
                    positions ? either(k, "16*N*i*i", "16*N*(N - 1 - i)*(N - 1 - i)")
                              : either(k, "i*i/(N*N)", "(N - 1 - i)*(N - 1 - i)/(N*N)"),
                    false, 1);
    for (uint32_t d = 0; d < out->width; d++) {
        const model_term *t = rows_begin_of(&h->value, d);
        for (size_t n = rows_size(&h->value, d); n-- > 0; t++) {
            const model_channel *c = &k->m->channels[t->channel];
            bool is_test = c->position && (c->position->op == EXPR_EQ || c->position->op == EXPR_LE);
            if (!is_test)
                trap_raise_remedy(
                    k->arena->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_WHOLE_STRINGS,
                    "%s reads at a position that may be any so far, which no state of a fixed size keeps",
                    maker_head_name(k));
            require(k,
                    !c->soft_only && !k->written[t->channel] && !k->embedded[t->channel] &&
                        !maker_varies(k, c->position),
                    "a value that is not a function of the position alone");
            k->known[t->channel] = 1;
        }
    }
    out->query = maker_row(k, &h->query, 0, NO_CHANNEL);
    out->memo = (uint32_t)k->s->memo_count;
    k->s->memo_count += STEP_MEMO * ((size_t)out->width + 1);
    k->s->has_lookup = true;
}

void maker_head(maker *k, step_head *out, step_layer *l) {
    const model_head *h = k->h;
    *out = (step_head){.role = h->role,
                       .before = h->mask == TEMPER_MASK_BEFORE || h->mask == TEMPER_MASK_AFTER,
                       .width = h->value.count,
                       .layer = k->layer,
                       .index = k->index,
                       .model = h};
    switch (h->role) {
    case ROLE_ONCE: make_once(k, out, l); break;
    case ROLE_NEAREST: make_nearest(k, out, l); break;
    case ROLE_COUNT: make_count(k, out, l); break;
    case ROLE_COMPARE: make_compare(k, out); break;
    case ROLE_LOOKUP: make_lookup(k, out); break;
    case ROLE_BALANCE: odd(k, "it weighs both sides of a position");
    case ROLE_MATCH: make_match(k, out, l); break;
    case ROLE_NONE: odd(k, "nothing is known about its scores");
    }
}
