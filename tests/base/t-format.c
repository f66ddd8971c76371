/* Number formats against a second implementation: the nearest of the sorted list of all numbers. Every pattern of the
   short formats, every tie between neighbours and the doubles beside it; f32 against the machine's, f16 against the
   compiler's where it has one. Then operations: one rounding in double and one to the format are as good as one
   rounding. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number/elementary.h"
#include "number/number_type.h"
#include "test.h"

static const number_format *const all_formats[] = {&format_e4m3, &format_e5m2, &format_f16,
                                                   &format_bf16, &format_f32,  &format_f64};
enum { SHORT = 4, ALL = 6 };

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || f64_bits(a) == f64_bits(b); }

/* ---- the second implementation ---- */

/* The positive finite numbers in order, 0 first, and after the last what would follow it if the exponent went on: the
   tie between the last two decides what overflows. Made from the definition of the formats with ldexp. */
typedef struct listing {
    double *value;
    size_t count; /* without the one that is too large */
} listing;

static const struct definition {
    const char *name;
    int exponent_bits, fraction_bits;
    bool last_binade_is_special; /* infinity and NaN; else it has one NaN at its end */
} definitions[SHORT] = {{"e4m3", 4, 3, false}, {"e5m2", 5, 2, true}, {"f16", 5, 10, true}, {"bf16", 8, 7, true}};

static listing list_numbers(const struct definition *d) {
    int fractions = 1 << d->fraction_bits, fields = 1 << d->exponent_bits, bias = fields / 2 - 1;
    listing l = {calloc((size_t)(fractions * fields + 2), sizeof(double)), 0};
    for (int field = 0; field < fields; field++)
        for (int fraction = 0; fraction < fractions; fraction++) {
            double significand = field ? 1 + (double)fraction / fractions : (double)fraction / fractions;
            l.value[l.count++] = ldexp(significand, (field ? field : 1) - bias);
        }
    l.count -= d->last_binade_is_special ? (size_t)fractions : 1;
    return l;
}

static double nearest(const listing *l, const struct definition *d, double x) {
    double a = fabs(x), result;
    if (isnan(x)) return NAN;
    size_t lo = 0, hi = l->count; /* value[lo] <= a < value[hi], taking value[count] as unbounded */
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (l->value[middle] <= a)
            lo = middle;
        else
            hi = middle;
    }
    double tie = (l->value[lo] + l->value[lo + 1]) / 2; /* exact */
    bool up = a > tie || (a == tie && lo % 2 == 1);     /* patterns alternate: an odd one has an odd last bit */
    if (lo + 1 == l->count && up)
        result = d->last_binade_is_special ? INFINITY : NAN;
    else
        result = l->value[lo + up];
    return copysign(result, x);
}

/* ---- one format, everything ---- */

static void compare(const number_format *f, const listing *l, const struct definition *d, double x) {
    double want = nearest(l, d, x), fast = format_round(f, x), slow = format_round_any(f, x);
    CHECK(same(fast, want) && same(slow, want), "%s: %a rounds to %a and %a, not to %a", f->name, x, fast, slow,
          want);
}

static void compare_both(const number_format *f, const listing *l, const struct definition *d, double x) {
    compare(f, l, d, x);
    compare(f, l, d, -x);
}

static void check_patterns(const number_format *f, const listing *l) {
    size_t nans = 0, half = (size_t)1 << (f->bits - 1);
    for (size_t pattern = 0; pattern < 2 * half; pattern++) {
        double x = format_decode(f, pattern);
        nans += isnan(x) != 0;
        if (isnan(x)) {
            CHECK(isnan(format_decode(f, format_encode(f, x))), "%s: NaN %zx is encoded as a number", f->name,
                  pattern);
            continue;
        }
        CHECK(format_encode(f, x) == pattern, "%s: pattern %zx is %a, which is encoded as %llx", f->name, pattern, x,
              (unsigned long long)format_encode(f, x));
        size_t magnitude = pattern % half;
        double want = magnitude < l->count ? l->value[magnitude] : INFINITY;
        CHECK(same(x, pattern >= half ? -want : want), "%s: pattern %zx is %a", f->name, pattern, x);
    }
    size_t expected = f == &format_e4m3 ? 2 : 2 * (((size_t)1 << (f->precision - 1)) - 1);
    CHECK(nans == expected, "%s: %zu patterns are NaN", f->name, nans);
    CHECK(format_last(f) == (int64_t)l->count - 1, "%s: the last number has ordinal %lld", f->name,
          (long long)format_last(f));
    CHECK(f->largest == l->value[l->count - 1] && f->least == l->value[1], "%s: largest or least", f->name);
    for (int64_t k = -format_last(f); k < format_last(f); k++)
        CHECK(format_at(f, k) < format_at(f, k + 1) && format_next(f, format_at(f, k), true) == format_at(f, k + 1) &&
                  format_next(f, format_at(f, k + 1), false) == format_at(f, k),
              "%s: number %lld is not below the next", f->name, (long long)k);
    CHECK(format_next(f, f->largest, true) == f->largest && format_next(f, -0.0, true) == f->least, "%s: ends",
          f->name);
}

static void check_rounding(const number_format *f, const listing *l, const struct definition *d, test_random *r) {
    for (size_t k = 0; k < l->count; k++) {
        double x = l->value[k], tie = (x + l->value[k + 1]) / 2;
        const double points[] = {x, tie};
        for (size_t p = 0; p < 2; p++) {
            compare_both(f, l, d, points[p]);
            compare_both(f, l, d, nextafter(points[p], INFINITY));
            if (points[p] > 0) compare_both(f, l, d, nextafter(points[p], 0));
        }
    }
    const double special[] = {INFINITY, NAN, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023, 464, 480};
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) compare_both(f, l, d, special[k]);
    for (size_t k = 0; k < 100000 * test_effort(); k++) {
        compare(f, l, d, f64_from_bits(random_u64(r)));
        double x = f64_from_bits(random_u64(r) >> 12 | (uint64_t)(1023 - 40 + random_below(r, 80)) << 52);
        compare_both(f, l, d, x);
    }
}

/* exp is correctly rounded: exp_f64 errs by less than an ulp, and a step of two ulps to either side rounds alike. */
static void check_exp(const number_format *f) {
    for (int64_t k = -format_last(f); k <= format_last(f); k++) {
        double x = format_at(f, k), e = exp_f64(x);
        double below = nextafter(nextafter(e, 0), 0), above = nextafter(nextafter(e, INFINITY), INFINITY);
        CHECK(same(format_round(f, below), format_round(f, above)) && same(format_exp(f, x), format_round(f, e)),
              "%s: exp(%a) = %a is too close to a tie", f->name, x, e);
    }
    CHECK(format_exp(f, 0) == 1 && format_exp(f, -INFINITY) == 0 && isnan(format_exp(f, NAN)), "%s: exp", f->name);
}

/* ---- the machine's own formats ---- */

static double random_double(test_random *r) {
    double x = f64_from_bits(random_u64(r));
    if (random_below(r, 2)) { /* in the range of floats, often with few bits: ties of f32 */
        uint64_t bits = f64_bits(x) & 0x800fffffffffffffu, field = 1023 - 155 + random_below(r, 290);
        if (random_below(r, 2)) bits &= ~(uint64_t)0 << random_below(r, 53);
        x = f64_from_bits(bits | field << 52);
    }
    return x;
}

static void check_machine(test_random *r) {
    for (size_t k = 0; k < 400000 * test_effort(); k++) {
        double x = random_double(r), single = (float)x;
        CHECK(same(format_round(&format_f32, x), single) && same(format_round_any(&format_f32, x), single),
              "f32: %a rounds to %a, not %a", x, format_round_any(&format_f32, x), single);
        CHECK(same(format_round(&format_f64, x), x), "f64: %a changes", x);
        if (!isnan(x)) {
            CHECK(format_encode(&format_f32, x) == f32_bits((float)x), "f32: the pattern of %a", x);
            CHECK(same(format_decode(&format_f32, f32_bits((float)x)), single), "f32: the number of %a", x);
            CHECK(format_encode(&format_f64, x) == f64_bits(x), "f64: the pattern of %a", x);
        }
        /* bf16 is the upper half of a float */
        uint32_t bits = f32_bits((float)x);
        if (!isnan(x)) {
            uint32_t upper = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
            CHECK(format_encode(&format_bf16, (double)(float)x) == upper, "bf16: %a", single);
        }
#ifdef __FLT16_MAX__
        CHECK(same(format_round(&format_f16, x), (double)(_Float16)x), "f16: %a differs from the compiler's", x);
#endif
    }
    for (size_t k = 0; k < 20000; k++) {
        float x = f32_from_bits((uint32_t)random_u64(r));
        if (!isnan(x)) CHECK(same(format_exp(&format_f32, x), exp_f32(x)), "f32: exp(%a)", (double)x);
    }
}

/* ---- operations ---- */

/* Whether r is the number nearest to the quotient: a lies on the right side of the ties beside r, times b. All exact
   for p <= 11. */
static bool is_quotient(const number_format *f, double a, double b, double r) {
    double sign = (a < 0) != (b < 0) ? -1 : 1, x = fabs(a), y = fabs(b), q = sign * r;
    int64_t k = (int64_t)format_encode(f, fabs(q));
    double last_gap = f->largest - format_at(f, format_last(f) - 1);
    if (isinf(q) || isnan(q)) return x >= (f->largest + last_gap / 2) * y;
    if (q < 0) return false;
    double above = (q + (k == format_last(f) ? q + last_gap : format_at(f, k + 1))) / 2;
    double below = k ? (q + format_at(f, k - 1)) / 2 : 0;
    bool even = k % 2 == 0;
    return (x < above * y || (even && x == above * y)) && (k == 0 || x > below * y || (even && x == below * y));
}

static void check_pair(const number_format *f, double a, double b) {
    if (b != 0)
        CHECK(is_quotient(f, a, b, format_round(f, a / b)), "%s: %a / %a is not %a", f->name, a, b,
              format_round(f, a / b));
    if (f->bits == 8) { /* sums and products are exact in double: nothing is rounded twice */
        CHECK(a + b - a == b && a + b - b == a, "%s: %a + %a", f->name, a, b);
        CHECK(fma(a, b, -(a * b)) == 0, "%s: %a * %a", f->name, a, b);
    }
}

static void check_operations(test_random *r) {
    for (size_t k = 0; k < 2; k++)
        for (int64_t i = -format_last(all_formats[k]); i <= format_last(all_formats[k]); i++)
            for (int64_t j = -format_last(all_formats[k]); j <= format_last(all_formats[k]); j++)
                check_pair(all_formats[k], format_at(all_formats[k], i), format_at(all_formats[k], j));
    for (size_t k = 0; k < 200000 * test_effort(); k++) {
        const number_format *f = k % 2 ? &format_f16 : &format_bf16;
        int64_t most = format_last(f);
        check_pair(f, format_at(f, (int64_t)random_below(r, 2 * (uint64_t)most) - most),
                   format_at(f, (int64_t)random_below(r, 2 * (uint64_t)most) - most));
        /* f32: the machine rounds once */
        float a = f32_from_bits((uint32_t)random_u64(r)), b = f32_from_bits((uint32_t)random_u64(r));
        if (random_below(r, 2)) b = f32_from_bits((f32_bits(b) & 0x807fffff) | (f32_bits(a) & 0x7f800000));
        if (random_below(r, 2)) b = f32_from_bits(f32_bits(b) & ((uint32_t)-1 << random_below(r, 24)));
        if (isnan(a) || isnan(b)) continue;
        double x = a, y = b;
        CHECK(same(format_round(&format_f32, x + y), (double)(a + b)) &&
                  same(format_round(&format_f32, x - y), (double)(a - b)) &&
                  same(format_round(&format_f32, x * y), (double)(a * b)) &&
                  same(format_round(&format_f32, x / y), (double)(a / b)),
              "f32: %a and %a: rounding twice differs", x, y);
    }
}

/* ---- names ---- */

static void check_types(void) {
    size_t count = 0;
    for (temper_type type = TEMPER_TYPE_F64; number_type_of(type); type++, count++) {
        const number_type *t = number_type_of(type);
        char want[32] = "exact";
        if (t->storage) strcpy(want, t->storage->name);
        if (t->storage != t->accumulation) strcat(strcat(want, "/"), t->accumulation->name);
        if (t->tile) sprintf(want + strlen(want), "@tile%zu", t->tile);
        CHECK(strcmp(temper_type_name(type), want) == 0, "type %zu is called %s", count, temper_type_name(type));
        if (t->storage && !t->tile) /* what is stored can be added without a rounding */
            for (int64_t k = 0; t->storage->bits <= 16 && k <= format_last(t->storage); k++)
                CHECK(format_round(t->accumulation, format_at(t->storage, k)) == format_at(t->storage, k),
                      "%s: %a is lost", want, format_at(t->storage, k));
    }
    CHECK(count == 49 && count == NUMBER_TYPES && strcmp(temper_type_name((temper_type)99), "") == 0, "%zu types",
          count);
}

int main(void) {
    test_random r = test_seed(5);
    for (size_t k = 0; k < SHORT; k++) {
        const number_format *f = all_formats[k];
        listing l = list_numbers(&definitions[k]);
        CHECK(strcmp(f->name, definitions[k].name) == 0, "%s is not %s", f->name, definitions[k].name);
        check_patterns(f, &l);
        check_rounding(f, &l, &definitions[k], &r);
        check_exp(f);
        free(l.value);
    }
    check_machine(&r);
    check_operations(&r);
    check_types();
    return test_finish("t-format");
}
