/* A cheap rigorous bound, with unit u = 2^-53 in f64 and 2^-24 in f32, for every string of a length (doc/numerics.md has the arguments at
   length). Per role, with kappa = 8:

   once           Scores are 0 or 1, so logits have a relative error of a few u. Sums of N terms cost N u, at most 2^-4: so N is at most
                  2^40 in f64 and 2^20 in f32.
   nearest        Scores are 0 or 1, plus j/N (one rounding, u), a sum up to 2 (2u), times 8 N, a logit up to 16 N (16 N u): each logit
                  is off by at most 8 N (u + 2 u) + 16 N u = 40 u N, a difference by 80 u N, which must be at most 1/2.
   count          Sums of multiples of 1/2 are exact while N * (sum of |weights|) <= 1/(2u); then the mean has one rounding.
   compare        y = (sum + 1/2)/(i+1) has one rounding, so its sign is right and |y| >= (1 - u)/(2(i+1)): the logit's relative
                  error does not grow with N. It fails only when the count does.
   balance        The two means are multiplied and added: in units of the sum the error is at most 32 u N * (sum of |weights|),
                  which must stay below 1/16.
   lookup         Logits kappa N (2 c j - j^2)/(i+1) reach kappa N^2; two of them differ by kappa or more and are off by at
                  most 64 u kappa N^2 together, which must be at most 1/4. */
#include "model/safe_length.h"

#include <math.h>

#include "number/elementary.h"

/* What the arguments need to know of a number format. */
typedef struct format {
    const char *name;
    double unit;         /* u = 2^-p */
    double largest_size; /* N u must stay small: sums of N terms */
} format;

static const format F64 = {"f64", 0x1p-53, 0x1p40}, F32 = {"f32", 0x1p-24, 0x1p20};

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
static double head_size_limit(const model_head *h, double counted, const format *f) {
    switch (h->role) {
    case ROLE_ONCE:
    case ROLE_COMPARE: return f->largest_size;
    case ROLE_NEAREST: return fmin(f->largest_size, floor(1 / (160 * f->unit)) - 1);
    case ROLE_COUNT: return has_half_units(&h->value) ? floor(0.5 / f->unit / largest_row(&h->value)) - 1 : 0;
    case ROLE_BALANCE: return floor(1 / (512 * f->unit) / counted) - 1;
    case ROLE_LOOKUP: return floor(sqrt(1 / (2048 * f->unit))) - 1;
    case ROLE_NONE: break;
    }
    return 0;
}

static size_t safe_length(const temper_model *m, const format *in, text *why) {
    double size = in->largest_size, counted = largest_count(m);
    text_printf(why, "the bounds are stated up to %.0f positions", size);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t k = 0; k < m->layers[l].head_count; k++) {
            const model_head *h = &m->layers[l].heads[k];
            double limit = head_size_limit(h, counted, in);
            if (limit >= size) continue;
            size = limit;
            why->length = 0;
            if (h->role == ROLE_NONE)
                text_printf(why, "head %u.%u was not made by the compiler, so nothing is known about its scores",
                            l + 1, k + 1);
            else
                text_printf(why, "beyond it %s cannot be trusted with the %s head %u.%u (%s)", in->name,
                            head_role_name(h->role), l + 1, k + 1, h->label);
        }
    double sentinels = m->has_end ? 2 : 1;
    return size > sentinels ? (size_t)(size - sentinels) : 0;
}

void model_set_safe_length(temper_model *m) {
    text why;
    text_init(&why, &m->memory);
    m->safe_length = safe_length(m, &F64, &why);
    m->safe_reason = text_string(&why);
}

void model_set_safe_length_f32(temper_model *m) {
    text why;
    text_init(&why, &m->memory);
    m->safe_length_f32 = 0;
    m->safe_reason_f32 = m->safe_reason;
    if (m->safe_length == 0) return;
    m->safe_length_f32 = safe_length(m, &F32, &why);
    m->safe_reason_f32 = text_string(&why);
}

double head_bound_at(const temper_model *m, const model_head *h, double size, bool single) {
    double unit = single ? F32.unit : F64.unit;
    double off = 0; /* of a difference of two logits */
    switch (h->role) {
    case ROLE_ONCE: off = 32 * unit * (log_f64(size) + MODEL_KAPPA); break;
    case ROLE_NEAREST: off = 10 * unit * MODEL_KAPPA * size; break;
    case ROLE_COMPARE: off = 32 * unit * (2 * MODEL_KAPPA + log_f64(size)); break;
    case ROLE_BALANCE: off = 2 * MODEL_KAPPA * 32 * unit * size * size * largest_count(m); break;
    case ROLE_LOOKUP: off = 64 * unit * MODEL_KAPPA * size * size; break;
    case ROLE_NONE:
    case ROLE_COUNT: return 0;
    }
    return head_bound(h->role) * exp_f64(off) + 4 * unit * size;
}
