/* What rounding does to rows of logits, in every format: the bound of doc/certificate.md, "Language models", computed
   once more in exact numbers, and sums of Booleans that are really rounded. Weights favour corners: just stored, just
   on a grid, as large as a format goes. Then what the auditor must refuse. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_bounds.h"
#include "base/entry.h"
#include "number/rational.h"
#include "test.h"

enum { MOST_TERMS = 6, ROWS = 2 };

static arena memory, scratch;
static trap failure;

typedef struct subject {
    temper_type type;
    audit audit;
    temper_model model;
    uint32_t start[ROWS + 1];
    model_term terms[ROWS * MOST_TERMS];
    double off[ROWS];
    bool with_off;
    content channels[ROWS * MOST_TERMS];
    temper_error error;
} subject;

static void begun(subject *x) {
    x->audit = (audit){.trap = memory.trap, .arena = &memory, .scratch = &scratch, .model = &x->model};
    x->model.logits.start = x->start;
    x->model.logits.terms = x->terms;
    x->audit.channels = x->channels;
    calc_init(&x->audit.calculus, &scratch);
    audit_type_begin(&x->audit, x->type);
}

static void bounded(void *context) {
    subject *x = context;
    begun(x);
    if (x->with_off) {
        x->audit.off = arena_alloc(&memory, ROWS, sizeof *x->audit.off);
        for (size_t k = 0; k < ROWS; k++) {
            x->audit.off[k] = ball_array(&memory, 1);
            ball_set_double(x->audit.off[k], x->off[k]);
        }
    }
    audit_logits(&x->audit);
}

static void looked_at(void *context) {
    begun(context);
    audit_read_out(&((subject *)context)->audit);
}

static bool attempt(subject *x, void (*body)(void *)) {
    trap inside;
    memory.trap = scratch.trap = &inside;
    bool done = trap_attempt(&inside, &x->error, body, x);
    memory.trap = scratch.trap = &failure;
    return done;
}

/* ---- the page, in exact numbers ---- */

static rational_pool pool;

static rational *number(double x) {
    rational *z = rational_array(&pool, 1);
    rational_set_double(z, x);
    return z;
}

/* The least k with p <= 2^k, for p > 0. */
static int ceil_log2(const rational *p) {
    int k = (int)rational_log2(p) - 2;
    while (rational_cmp(p, number(ldexp(1, k))) > 0) k++;
    return k;
}

static const rational *half(const number_format *f, const rational *p) {
    rational *z = number(0);
    if (!rational_is_zero(p)) rational_add(z, number(ldexp(1, ceil_log2(p) - 1 - f->precision)), number(f->least));
    return z;
}

/* Is p a multiple of the distance of numbers below 2^k, where p <= 2^k? */
static bool is_number(const number_format *f, const rational *p) {
    rational *multiple = number(0), *whole = number(0);
    if (rational_is_zero(p)) return true;
    rational_div(multiple, p, number(fmax(ldexp(1, ceil_log2(p) - f->precision), f->least)));
    rational_floor(whole, multiple);
    return rational_equal(whole, multiple);
}

static const rational *after(const number_format *f, const rational *p) {
    rational *z = number(0);
    rational_add(z, p, is_number(f, p) ? number(0) : half(f, p));
    return z;
}

static bool is_stored(const number_type *t, double x) { return format_round(t->storage, x) == x; }

/* Does 2^g divide all weights, with g as large as can be, and is their sum a number of the sums' format then? */
static bool is_exact(const number_type *t, const model_term *terms, size_t count) {
    double grid = ldexp(1, 1000);
    rational *sum = number(0);
    for (size_t k = 0; k < count; k++) {
        double w = fabs(terms[k].weight);
        if (!is_stored(t, w)) return false;
        while (fmod(w, grid) != 0) grid /= 2;
        rational_add(sum, sum, number(w));
    }
    double most = fmin(ldexp(grid, t->accumulation->precision), t->accumulation->largest);
    return rational_cmp(sum, number(most)) <= 0;
}

/* NAN: the auditor refuses it. */
static double error_of(const number_type *t, const model_term *terms, size_t count) {
    rational *error = number(0), *sum = number(0);
    if (is_exact(t, terms, count)) return 0;
    for (size_t k = 0; k < count; k++) {
        const rational *w = number(fabs(terms[k].weight));
        if (fabs(terms[k].weight) > t->storage->largest) return NAN;
        if (!is_stored(t, terms[k].weight)) rational_add(error, error, half(t->storage, w));
        rational_add(sum, sum, after(t->storage, w));
        if (k) {
            rational_add(error, error, half(t->accumulation, sum));
            rational_set(sum, after(t->accumulation, sum));
        }
        if (rational_cmp(sum, number(t->accumulation->largest)) > 0) return NAN;
    }
    return rational_above(error);
}

/* ---- rows ---- */

static double random_weight(const number_type *t, const model_term *before, size_t k, test_random *r) {
    const number_format *s = t->storage;
    double x = (double)(1 + random_below(r, 40)), sign = random_below(r, 2) ? 1 : -1;
    switch (random_below(r, 9)) {
    case 0: return sign * x;
    case 1: return sign * 1024;
    case 2: return sign * ldexp(1, (int)random_below(r, (uint64_t)t->accumulation->precision + 2));
    case 3: return sign * x / 8;
    case 4: return sign * log(x);                  /* not stored */
    case 5: return sign * format_round(s, log(x)); /* just stored */
    case 6: return s->precision < 53 ? sign * s->largest / (double)(1 + random_below(r, 2)) : 1;
    case 7: return random_below(r, 3) ? sign * s->least * x : 0;
    default: /* with the weight before it, just up to a power of two */
        return k ? ldexp(1, (int)random_below(r, 26)) - fabs(before[k - 1].weight) : 0;
    }
}

/* One wrong sum is enough: Booleans that are drawn, added in the order of the row. */
static double real_error(const number_type *t, const model_term *terms, size_t count, test_random *r) {
    double exact = 0, sum = 0;
    for (size_t k = 0; k < count; k++) {
        if (!random_below(r, 2)) continue;
        exact += terms[k].weight;
        sum = format_round(t->accumulation, sum + format_round(t->storage, terms[k].weight));
    }
    return fabs(exact - sum);
}

static struct { size_t exact, rounded, refused, never; } met;

static const temper_type TYPES[] = {TEMPER_TYPE_F64,      TEMPER_TYPE_F32,     TEMPER_TYPE_BF16_F32,
                                    TEMPER_TYPE_BF16,     TEMPER_TYPE_F16_F32, TEMPER_TYPE_F16,
                                    TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E4M3,    TEMPER_TYPE_E5M2_F32,
                                    TEMPER_TYPE_E5M2,     TEMPER_TYPE_F32_F64, TEMPER_TYPE_BF16_F64};

static void random_rows(subject *x, test_random *r) {
    *x = (subject){.type = TYPES[random_below(r, sizeof TYPES / sizeof *TYPES)], .with_off = random_below(r, 2)};
    x->model.logits.count = ROWS;
    const number_type *t = number_type_of(x->type);
    for (uint32_t row = 0; row < ROWS; row++) {
        uint32_t count = (uint32_t)random_below(r, MOST_TERMS + 1);
        model_term *terms = x->terms + x->start[row];
        for (size_t k = 0; k < count; k++) terms[k] = (model_term){.weight = random_weight(t, terms, k, r)};
        x->start[row + 1] = x->start[row] + count;
        x->off[row] = (double)random_below(r, 5) / 4;
    }
}

static bool is_near(double x, double y) { return x == y || fabs(x - y) <= 1e-9 * fabs(y); }

static void check_rows(test_random *r) {
    subject x;
    double most = 0, chances = 0;
    rational_pool_init(&pool, &memory);
    random_rows(&x, r);
    const number_type *t = number_type_of(x.type);
    for (uint32_t row = 0; row < ROWS; row++) {
        double error = error_of(t, x.terms + x.start[row], x.start[row + 1] - x.start[row]);
        most = isnan(error) ? NAN : isnan(most) ? NAN : fmax(most, error);
        chances = fmax(chances, x.off[row] + error);
    }
    bool never = x.with_off && most > 1, taken = attempt(&x, bounded);
    CHECK(taken == !(isnan(most) || never), "%s: %s, error %g", t->name, taken ? "taken" : x.error.text, most);
    if (taken) {
        CHECK(is_near(ball_upper(x.audit.logits), most), "%s: an error of %.17g, not %.17g", t->name,
              ball_upper(x.audit.logits), most);
        CHECK(!x.with_off == !x.audit.chances && (!x.with_off || is_near(ball_upper(x.audit.chances), chances)),
              "%s: chances", t->name);
        for (int k = 0; k < 8 && t->storage != &format_f64; k++) {
            double off = real_error(t, x.terms, x.start[1], r);
            CHECK(off <= ball_upper(x.audit.logits), "%s: off by %g, bound %g", t->name, off,
                  ball_upper(x.audit.logits));
        }
    }
    *(isnan(most) ? &met.refused : never ? &met.never : most > 0 ? &met.rounded : &met.exact) += 1;
    arena_reset(&memory);
    arena_reset(&scratch);
}

/* The largest stored number beside one that is rounded: neither is too large. */
static void check_largest(void) {
    for (int k = 0; k < 2; k++) {
        subject x = {.type = TEMPER_TYPE_E4M3_F32};
        x.model.logits.count = ROWS;
        x.start[1] = x.start[2] = 2;
        x.terms[0].weight = k ? 448.5 : 448;
        x.terms[1].weight = 0.3;
        bool taken = attempt(&x, bounded);
        CHECK(taken == !k, "%g beside 0.3 in e4m3/f32: %s", x.terms[0].weight, taken ? "taken" : x.error.text);
        arena_reset(&memory);
        arena_reset(&scratch);
    }
}

/* A logit reads exact Booleans only, whichever of its terms it is. */
static void check_channels(void) {
    for (size_t wrong = 0; wrong <= 4; wrong++) {
        subject x = {.type = TEMPER_TYPE_F64};
        x.model.logits.count = ROWS;
        x.start[1] = 2;
        x.start[2] = 4;
        for (uint32_t k = 0; k < 4; k++) {
            x.terms[k] = (model_term){.channel = k, .weight = 1};
            x.channels[k].kind = k == wrong ? HOLDS_RAW : HOLDS_EXACT;
        }
        bool taken = attempt(&x, looked_at);
        CHECK(taken == (wrong == 4), "term %zu: %s", wrong, taken ? "taken" : x.error.text);
        arena_reset(&memory);
        arena_reset(&scratch);
    }
}

int main(void) {
    test_random r = test_seed(4048);
    if (trap_set(&failure, NULL)) return 1;
    arena_init(&memory, &failure);
    arena_init(&scratch, &failure);
    size_t trials = 3000 + (size_t)(12000 * test_effort());
    for (size_t k = 0; k < trials; k++) check_rows(&r);
    check_largest();
    check_channels();
    CHECK(met.exact > trials / 20 && met.rounded > trials / 10 && met.refused > trials / 40 &&
              met.never > trials / 40,
          "%zu exact, %zu rounded, %zu refused, %zu with a chance", met.exact, met.rounded, met.refused, met.never);
    printf("%zu exact, %zu rounded, %zu refused, %zu with a chance\n", met.exact, met.rounded, met.refused,
           met.never);
    arena_free(&memory);
    arena_free(&scratch);
    trap_clear(&failure);
    return test_finish("t-audit-logit-rows");
}
