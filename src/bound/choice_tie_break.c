#include "bound/choice_tie_break.h"

#include <math.h>

static bool embedded(const temper_model *m, uint32_t channel) {
    for (uint32_t k = 0; k < m->embedding.start[m->embedding.count]; k++)
        if (m->embedding.terms[k].channel == channel) return true;
    return false;
}

/* a b, if it is a double. */
static bool product(double *out, double a, double b) {
    *out = a * b;
    return isfinite(*out) && fma(a, b, -*out) == 0 && (*out == 0 || fabs(*out) >= 0x1p-900);
}

static bool holds(const number_format *f, double x) { return format_round(f, x) == x; }

/* The feature is `each` times the position plus `base`, at all lengths; one is enough where it does not depend on the
   length. */
static bool is_linear(const temper_model *m, const expression *e, double base, double each, size_t length) {
    bool varies = expression_uses(e, EXPR_LENGTH) || expression_uses(e, EXPR_SIZE);
    for (size_t n = varies ? 0 : length; n <= length; n++) {
        size_t size = n + 1 + m->has_end;
        for (size_t i = 0; i < size; i++) {
            double x;
            if (!product(&x, each, (double)i) || expression_eval(e, (double)i, (double)n, (double)size) != base + x)
                return false;
        }
    }
    return true;
}

static bool find_step(double *step, double *reach, const temper_model *m, const model_term *q, const model_term *k,
                      size_t length, const unsigned char *written, const number_format *storage) {
    const model_channel *query = &m->channels[q->channel], *key = &m->channels[k->channel];
    if (!key->soft_only || !key->position || query->soft_only || !query->position) return false;
    if (written[q->channel] || written[k->channel] || embedded(m, q->channel) || embedded(m, k->channel))
        return false;
    size_t size = length + 1 + m->has_end;
    double constant = expression_eval(query->position, 0, (double)length, (double)size);
    double each = expression_eval(key->position, 1, (double)length, (double)size), left, right, x;
    if (!is_linear(m, query->position, constant, 0, length) || !is_linear(m, key->position, 0, each, length))
        return false;
    if (!holds(storage, q->weight) || !holds(storage, k->weight) || !holds(storage, constant)) return false;
    if (!product(&left, q->weight, constant) || !product(&right, k->weight, each) || !holds(storage, left))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!holds(storage, each * (double)i) || !product(&x, right, (double)i) || !holds(storage, x)) return false;
    *reach = fabs(left);
    return product(step, left, right);
}

tie_break tie_break_find(const temper_model *m, const model_head *h, size_t length, const unsigned char *written,
                         const number_format *storage) {
    tie_break none = {0};
    bool right = h->hard_choice == TEMPER_CHOICE_RIGHTMOST, left = h->hard_choice == TEMPER_CHOICE_LEFTMOST;
    if (h->choice != TEMPER_CHOICE_SOFTMAX || h->adaptive || !(left || right)) return none;
    for (uint32_t d = 0; d < h->query.count; d++) {
        double step, query;
        if (rows_size(&h->query, d) != 1 || rows_size(&h->key, d) != 1) continue;
        if (!find_step(&step, &query, m, rows_begin_of(&h->query, d), rows_begin_of(&h->key, d), length, written,
                       storage))
            continue;
        if (right ? step > 0 : step < 0) return (tie_break){d, fabs(step), query};
        return none;
    }
    return none;
}
