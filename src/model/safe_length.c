/* A cheap rigorous bound, with unit u = 2^-53 in f64 and 2^-24 in f32, for every string of a length; doc/theory.md, section 6,
   has the arguments at length. Per role, with k = 8 (look-ups: 16), a difference of two logits is off by

   once, compare  a few u times the logits that matter, whatever N: scores are 0 or 1, or a mean with one rounding and so the
                  right sign
   nearest        nothing by positions and digits, whose logits are exact; by temperature 80 u N: scores 0 or 1, plus j/N (u), a sum up to 2 (2u), times 8 N, a logit up to 16 N (16 N u), twice
   balance        64 k u N W, W the largest sum of |weights| counted: two means multiplied and added err by 32 u N W in units of the
                  sum, against a half unit that becomes the gap k
   lookup         26 k u N^2: logits k N (2 c j - j^2)/(i+1) of two terms up to 2 k N^2 and k N^2 with three roundings each, three
                  more of the result, twice, and one of the difference

   and the error before rounding is the leak of head_bound, times exp of that. Sums: the largest weights are exactly 1 and add up
   exactly; an addition of small terms to whole numbers errs by at most those terms, or by the spacing of numbers there; so
   numerator and denominator err by less than another leak each, and 64 u. A count is exact while N * (sum of |weights|) <=
   1/(2u), since its terms are multiples of 1/2. The errors of all unrounded inputs of one gate must add up to less than 1/4. */
#include "model/safe_length.h"

#include <math.h>

#include "number/elementary.h"

/* What the arguments need to know of a number format. */
typedef struct format {
    const char *name;
    double unit;         /* u = 2^-p */
    double largest_size; /* whole numbers up to N are exact by far, and arguments are stated up to here */
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

/* What the gates of a model do with errors: the largest number of unrounded head outputs that one unit reads, whose errors
   add up, and the most terms such a unit sums, with a rounding each. */
typedef struct gates {
    double fan, terms;
} gates;

static gates find_gates(const temper_model *m, arena *a) {
    gates g = {1, 2};
    uint32_t *written = arena_zalloc(a, m->channel_count, sizeof *written); /* the last layer whose heads write it */
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        for (uint32_t h = 0; h < layer->head_count; h++)
            for (uint32_t k = 0; k < layer->heads[h].output.start[layer->heads[h].output.count]; k++)
                written[layer->heads[h].output.terms[k].channel] = l + 1;
        for (uint32_t u = 0; u < layer->in.count; u++) {
            double fan = 0;
            for (uint32_t k = layer->in.start[u]; k < layer->in.start[u + 1]; k++)
                fan += written[layer->in.terms[k].channel] == l + 1;
            g.fan = fmax(g.fan, fan);
            if (fan > 0) g.terms = fmax(g.terms, (double)rows_size(&layer->in, u));
        }
    }
    return g;
}

/* How far the unrounded inputs of a gate may be off together: 1/4, less what the gate's own sum of k terms up to 2 rounds. */
static double error_budget(const gates *g, double unit) { return 0.25 - g->terms * (4 * g->terms + 2) * unit / 2; }

/* What a difference of two logits may be off by. */
static double logit_error(head_role role, double size, double counted, double unit) {
    switch (role) {
    case ROLE_ONCE: return 32 * unit * (log_f64(size) + MODEL_KAPPA);
    case ROLE_NEAREST: return 80 * unit * size;
    case ROLE_COMPARE: return 32 * unit * (2 * MODEL_KAPPA + log_f64(size));
    case ROLE_BALANCE: return 64 * MODEL_KAPPA * unit * size * counted;
    case ROLE_LOOKUP: return 26 * MODEL_KAPPA_LOOKUP * unit * size * size;
    case ROLE_NONE:
    case ROLE_COUNT: break;
    }
    return 0;
}

/* The error before rounding: the leak with the logits' error, three times more for sums that lose small terms. */
static double head_error(head_role role, double size, double counted, double unit) {
    return head_bound(role) == 0 ? 0
                                 : 4 * head_bound(role) * exp_f64(logit_error(role, size, counted, unit)) + 64 * unit;
}

/* The largest N up to `most` at which the errors of such heads leave every gate right; errors grow with N. */
static double error_limit(head_role role, double counted, const gates *g, double most, double unit) {
    double good = 0, bad = most + 1;
    while (bad - good > 1) {
        double size = floor((good + bad) / 2);
        if (g->fan * head_error(role, size, counted, unit) <= error_budget(g, unit))
            good = size;
        else
            bad = size;
    }
    return good;
}

/* by_role holds what error_limit says of each role: a model has many heads and few roles. */
static double head_size_limit(const model_head *h, const double *by_role, const format *f) {
    if (h->role == ROLE_NONE) return 0;
    if (h->role == ROLE_COUNT)
        return has_half_units(&h->value) ? floor(0.5 / f->unit / largest_row(&h->value)) - 1 : 0;
    return by_role[h->role];
}

static size_t safe_length(const temper_model *m, const format *in, text *why) {
    double size = in->largest_size, counted = largest_count(m);
    gates g = find_gates(m, why->arena);
    double by_role[ROLE_LAST_ + 1];
    for (head_role role = ROLE_NONE; role <= ROLE_LAST_; role++)
        by_role[role] = error_limit(role, counted, &g, in->largest_size, in->unit);
    text_printf(why, "the bounds are stated up to %.0f positions", size);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t k = 0; k < m->layers[l].head_count; k++) {
            const model_head *h = &m->layers[l].heads[k];
            double limit = head_size_limit(h, by_role, in);
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
    if (head_bound(h->role) == 0) return 0;
    return head_bound(h->role) * exp_f64(logit_error(h->role, size, largest_count(m), unit)) + 64 * unit;
}
