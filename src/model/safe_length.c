/* A cheap rigorous bound, in f64 with unit u = 2^-53, for every string of a length (doc/numerics.md has the arguments at
   length). Per role, with kappa = 8:

   once, nearest  Scores are 0 or 1, plus j/N with one rounding. Logits are off by at most 8 u kappa N, so up to
                  N = 2^40 by less than 2^-6; sums of N terms cost N u < 2^-12.
   count          Sums of multiples of 1/2 are exact while N * (sum of |weights|) <= 2^52; then the mean has one rounding.
   compare        y = (sum + 1/2)/(i+1) has one rounding, so its sign is right and |y| >= (1 - u)/(2(i+1)): the logit's relative
                  error does not grow with N. It fails only when the count does.
   balance        The two means are multiplied and added: in units of the sum the error is at most 32 u N * (sum of |weights|),
                  which must stay below 1/16.
   lookup         Logits kappa N (2 c j - j^2)/(i+1) reach kappa N^2; two of them differ by kappa or more and are off by at
                  most 64 u kappa N^2 together, which is 1/4 at N = 2^21. */
#include "model/safe_length.h"

#include <math.h>

#include "number/elementary.h"

static const double LARGEST_SIZE = 0x1p40;
static const double UNIT = 0x1p-53;

/* Sum of |weights| of a value row: a bound of |value| where channels are 0 or 1. */
static double row_weight(const model_rows *r, size_t row) {
    double sum = 0;
    for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++) sum += fabs(r->terms[k].weight);
    return sum;
}

static double largest_row(const model_rows *r) {
    double largest = 1;
    for (uint32_t row = 0; row < r->count; row++) largest = fmax(largest, row_weight(r, row));
    return largest;
}

static bool has_half_units(const model_rows *r) {
    for (uint32_t k = 0; k < r->start[r->count]; k++)
        if (floor(2 * r->terms[k].weight) != 2 * r->terms[k].weight) return false;
    return true;
}

/* The largest sum of |weights| that any count head of the model averages. */
static double largest_count(const temper_model *m) {
    double largest = 1;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            if (m->layers[l].heads[h].role == ROLE_COUNT)
                largest = fmax(largest, largest_row(&m->layers[l].heads[h].value));
    return largest;
}

/* The largest N for which the argument above holds for one head. The divisions round, so one position is given away. */
static double head_size_limit(const model_head *h, double counted) {
    switch (h->role) {
    case ROLE_ONCE:
    case ROLE_NEAREST:
    case ROLE_COMPARE: return LARGEST_SIZE;
    case ROLE_COUNT: return has_half_units(&h->value) ? floor(0x1p52 / largest_row(&h->value)) - 1 : 0;
    case ROLE_BALANCE: return floor(0x1p44 / counted) - 1;
    case ROLE_LOOKUP: return 0x1p21;
    case ROLE_NONE: break;
    }
    return 0;
}

void model_set_safe_length(temper_model *m) {
    double size = LARGEST_SIZE, counted = largest_count(m);
    text why;
    text_init(&why, &m->memory);
    text_puts(&why, "the bounds are stated up to 2^40 positions");
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t k = 0; k < m->layers[l].head_count; k++) {
            const model_head *h = &m->layers[l].heads[k];
            double limit = head_size_limit(h, counted);
            if (limit >= size) continue;
            size = limit;
            text_init(&why, &m->memory);
            if (h->role == ROLE_NONE)
                text_printf(&why, "head %u.%u was not made by the compiler, so nothing is known about its scores",
                            l + 1, k + 1);
            else
                text_printf(&why, "beyond it f64 cannot be trusted with the %s head %u.%u (%.100s)",
                            head_role_name(h->role), l + 1, k + 1, h->label);
        }
    double sentinels = m->has_end ? 2 : 1;
    m->safe_length = size > sentinels ? (size_t)(size - sentinels) : 0;
    m->safe_reason = text_string(&why);
}

double head_bound_at(const temper_model *m, const model_head *h, double size) {
    double off = 0; /* of a difference of two logits */
    switch (h->role) {
    case ROLE_ONCE: off = 32 * UNIT * (log_f64(size) + MODEL_KAPPA); break;
    case ROLE_NEAREST: off = 16 * UNIT * MODEL_KAPPA * size; break;
    case ROLE_COMPARE: off = 32 * UNIT * (2 * MODEL_KAPPA + log_f64(size)); break;
    case ROLE_BALANCE: off = 2 * MODEL_KAPPA * 32 * UNIT * size * size * largest_count(m); break;
    case ROLE_LOOKUP: off = 64 * UNIT * MODEL_KAPPA * size * size; break;
    case ROLE_NONE:
    case ROLE_COUNT: return 0;
    }
    return head_bound(h->role) * exp_f64(off) + 4 * UNIT * size;
}
