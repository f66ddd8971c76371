#include "soften/soften_digits.h"

#include <math.h>

/* ---- heads ---- */

/* -(1 - c_j), of which the query makes the bonus of candidates: exactly 0 for candidates, so that their logits are
   those of the digits alone. */
static void put_bonus(softener *s, const model_head *h, uint32_t one, rows_builder *q, rows_builder *k) {
    const digit_format *f = s->to->digits;
    double factor = ldexp(1, f->bonus);
    rows_term(q, soften_feature(s, digit_bonus_text(f, s->scratch), false), 1);
    rows_end_row(q);
    rows_term(k, one, -factor);
    for (uint32_t t = 0; t < h->key.start[1]; t++)
        rows_term(k, h->key.terms[t].channel, factor * h->key.terms[t].weight);
    rows_end_row(k);
}

void soften_nearest_digits(softener *s, model_head *h) {
    const digit_format *f = s->to->digits;
    double sign = h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? 1 : -1;
    uint32_t one = h->query.terms[0].channel;
    rows_builder q, k;
    rows_begin(&q, &s->to->memory);
    rows_begin(&k, &s->to->memory);
    if (h->key.start[1] > 0) put_bonus(s, h, one, &q, &k); /* else there are no candidates to prefer */
    for (int b = f->count - 1; b >= 0; b--) {
        rows_term(&q, one, ldexp(1, digit_query_power(f, b)));
        rows_end_row(&q);
        uint32_t digit = soften_feature(s, digit_text(f, b, s->scratch), true);
        text label;
        text_init(&label, &s->to->memory);
        text_printf(&label, "digit %d of i - floor(N/2)", b);
        s->channels[digit].label = text_string(&label);
        rows_term(&k, digit, ldexp(sign, digit_key_power(f, b)));
        rows_end_row(&k);
    }
    h->query = rows_finish(&q);
    h->key = rows_finish(&k);
}

/* ---- gates ---- */

/* What a place of the residual stream holds. */
enum { BOOLEAN, RAW, NUMBER };

typedef struct gate_check {
    const softener *s;
    const number_format *format;
    unsigned char *holds; /* [channels] */
    uint32_t layer;
} gate_check;

static bool is_test(const expression *e) { /* 0 or 1; the parser bounds the depth */
    if (e->op == EXPR_MUL) return is_test(e->a) && is_test(e->b);
    return (e->op >= EXPR_EQ && e->op <= EXPR_LE) ||
           (e->op == EXPR_CONSTANT && (e->constant == 0 || e->constant == 1));
}

static _Noreturn void inexact(const gate_check *c, const char *what) {
    trap_raise_hint(c->s->trap, TEMPER_UNSUPPORTED, 0, 0, "compile it for numbers stored in that format",
                    "layer %u: %s, which is not exact in %s", c->layer + 1, what, c->format->name);
}

static void heads_write(const gate_check *c, const model_layer *l) {
    for (uint32_t h = 0; h < l->head_count; h++) {
        const model_head *head = &l->heads[h];
        for (uint32_t k = 0; k < head->output.start[head->output.count]; k++)
            c->holds[head->output.terms[k].channel] = head->role == ROLE_COUNT ? NUMBER : RAW;
    }
}

/* x - relu(x) and x + relu(-x). */
static bool clears(const model_layer *l, uint32_t u) {
    if (l->bias[u] != 0 || rows_size(&l->in, u) != 1 || rows_size(&l->out, u) != 1) return false;
    const model_term *in = rows_begin_of(&l->in, u), *out = rows_begin_of(&l->out, u);
    return in->channel == out->channel && fabs(in->weight) == 1 && in->weight + out->weight == 0;
}

static size_t count_held(const gate_check *c, const model_rows *r, uint32_t row, int what) {
    size_t count = 0;
    for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++) count += c->holds[r->terms[k].channel] == what;
    return count;
}

static void require_rounding(const gate_check *c, const model_layer *l, uint32_t u) {
    bool fine =
        rows_size(&l->in, u) <= 2 && count_held(c, &l->in, u, RAW) == 1 && (l->bias[u] == -2.5 || l->bias[u] == -3.5);
    for (uint32_t k = l->in.start[u]; k < l->in.start[u + 1]; k++) fine = fine && l->in.terms[k].weight == 2;
    if (!fine) inexact(c, "a gate reads head outputs before they are rounded");
}

static bool is_whole(const gate_check *c, double x) { return x == floor(x) && format_round(c->format, x) == x; }

/* Inputs are 0 or 1, so every partial sum, in any order, lies between the sums of its negative and of its positive
   terms. */
static void require_counting(const gate_check *c, const model_layer *l, uint32_t u) {
    double most = ldexp(1, c->format->precision), up = fmax(l->bias[u], 0), down = fmax(-l->bias[u], 0);
    bool fine = is_whole(c, l->bias[u]);
    for (uint32_t k = l->in.start[u]; k < l->in.start[u + 1]; k++) {
        double weight = l->in.terms[k].weight;
        fine = fine && is_whole(c, weight);
        up += fmax(weight, 0);
        down += fmax(-weight, 0);
    }
    for (uint32_t k = l->out.start[u]; k < l->out.start[u + 1]; k++)
        fine = fine && is_whole(c, l->out.terms[k].weight);
    if (!fine || up > most || down > most) inexact(c, "a gate sums too much");
}

void soften_require_gates(const softener *s) {
    const temper_model *m = s->from;
    gate_check c = {.s = s, .format = digit_storage(s->to->digits)};
    c.holds = arena_zalloc(s->scratch, m->channel_count, 1);
    unsigned char *after = arena_zalloc(s->scratch, m->channel_count, 1);
    for (uint32_t k = 0; k < m->channel_count; k++)
        if (m->channels[k].position && !is_test(m->channels[k].position)) c.holds[k] = NUMBER;
    for (c.layer = 0; c.layer < m->layer_count; c.layer++) {
        const model_layer *l = &m->layers[c.layer];
        heads_write(&c, l);
        for (uint32_t k = 0; k < m->channel_count; k++) after[k] = c.holds[k];
        for (uint32_t u = 0; u < l->in.count; u++) {
            bool number = count_held(&c, &l->in, u, NUMBER) > 0;
            if (clears(l, u)) {
                after[rows_begin_of(&l->out, u)->channel] = BOOLEAN;
                continue;
            }
            if (count_held(&c, &l->in, u, RAW) > 0)
                require_rounding(&c, l, u);
            else if (!number)
                require_counting(&c, l, u);
            for (uint32_t k = l->out.start[u]; number && k < l->out.start[u + 1]; k++)
                after[l->out.terms[k].channel] = NUMBER;
        }
        for (uint32_t k = 0; k < m->channel_count; k++) c.holds[k] = after[k];
    }
}
