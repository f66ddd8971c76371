/* Sizes, grids and roundings of position features, and where features, rows, scores and logits stop being exact:
   doc/certificate.md, "Quantities", at the last value that is exact and at the next one. */
#include <math.h>
#include <stdio.h>

#include "bound/quantity.h"
#include "bound_page.h"
#include "test.h"

static arena memory;
static trap no_memory;

static bounds bounds_of(temper_type type, uint64_t size) {
    bounds b;
    bounds_init(&b, number_type_of(type), number_type_is_emulated(type), size, &memory);
    return b;
}

static feature_form power_of(double c, int power) {
    return (feature_form){.size = FORM_POWER, .power = power, .c = c, .d = 1};
}

static const feature_form TRUTH = {.size = FORM_BOOLEAN, .c = 1, .d = 1},
                          SHARE = {.size = FORM_SHARE, .c = 1, .d = 1};

static feature_form constant_of(double c) { return (feature_form){.size = FORM_CONSTANT, .c = c, .d = 1}; }

/* ---- forms ---- */

static void check_form(feature_form f, uint64_t m, double size, int grid, uint64_t roundings) {
    bounds b = bounds_of(TEMPER_TYPE_F64, m);
    int g = 12345;
    bool gridded = form_grid(&g, &f);
    double x = ball_upper(form_bound(&b, &f));
    CHECK(fabs(x - size) <= 1e-15 * size, "form %d at %llu: size %.17g, not %.17g", (int)f.size,
          (unsigned long long)m, x, size);
    CHECK(gridded == (grid != 12345) && (!gridded || g == grid), "form %d, c = %g, d = %g: grid %d, not %d",
          (int)f.size, f.c, f.d, g, grid);
    CHECK(form_roundings(&b, &f) == roundings, "form %d at %llu: %llu roundings, not %llu", (int)f.size,
          (unsigned long long)m, (unsigned long long)form_roundings(&b, &f), (unsigned long long)roundings);
    arena_reset(&memory);
}

static void check_forms(void) {
    enum { NONE = 12345 };
    const uint64_t root = 94906265; /* its square is the last one below 2^53 */
    double m = 1000, log_m = log(1000);
    check_form(constant_of(-0.375), 1000, 0.375, -3, 0);
    check_form(TRUTH, 1000, 1, 0, 0);
    check_form(power_of(1, 1), 1000, m, 0, 0);
    check_form(power_of(12, 2), 1000, 12 * m * m, 2, 0);
    check_form(power_of(1, 2), root, (double)root * (double)root, 0, 0);
    check_form(power_of(1, 2), root + 1, (double)(root + 1) * (double)(root + 1), 0, 1);
    check_form(power_of(8, 3), 208063, 8 * 208063.0 * 208063.0 * 208063.0, 3, 0); /* its cube is the last one */
    check_form(power_of(8, 3), 208064, 8 * 208064.0 * 208064.0 * 208064.0, 3, 1);
    check_form(power_of(9e14, 3), 11, 9e14 * 11 * 11 * 11, 14, 0);
    check_form(power_of(899999999999999, 3), 11, 899999999999999. * 11 * 11 * 11, 0, 3);
    check_form(power_of(899999999999999, 2), 10, 899999999999999. * 10 * 10, 0, 1);
    check_form(SHARE, 1000, 1, NONE, 1);
    check_form((feature_form){.size = FORM_SHARE, .squares = 1}, root, 1, NONE, 1);
    check_form((feature_form){.size = FORM_SHARE, .squares = 1}, root + 1, 1, NONE, 2);
    check_form((feature_form){.size = FORM_SHARE, .squares = 2}, root, 1, NONE, 1);
    check_form((feature_form){.size = FORM_SHARE, .squares = 2}, root + 1, 1, NONE, 3);
    check_form((feature_form){.size = FORM_SHARE, .logarithm = true, .c = 16, .d = 1}, 1000, 1, NONE, 4);
    check_form((feature_form){.size = FORM_RATIO, .power = 2, .c = 16, .d = 1}, root,
               16. * (double)root * (double)root, NONE, 1);
    check_form((feature_form){.size = FORM_RATIO, .power = 2, .c = 16, .d = 1}, root + 1,
               16. * (double)(root + 1) * (double)(root + 1), NONE, 2);
    check_form((feature_form){.size = FORM_LOG, .c = 8, .d = 1}, 1000, log_m + 8, NONE, 3);
    check_form((feature_form){.size = FORM_LOG_STEP, .c = 8, .d = 1}, 1000, log_m + 12, 2, 0);
    check_form((feature_form){.size = FORM_DIGIT, .c = 256, .d = 1}, 1000, 255, 0, 0);
    check_form((feature_form){.size = FORM_DIGIT, .c = 256, .d = 2}, 1000, 250, 0, 0);
    check_form((feature_form){.size = FORM_TOP, .c = 4, .d = 1}, 1000, 125, 0, 0);
    check_form((feature_form){.size = FORM_CEIL2, .c = 1, .d = 1}, 1000, 2000, 0, 0);
    check_form((feature_form){.size = FORM_CEIL2, .c = 16, .d = 1}, 1000, 32000, 4, 0);
    check_form(constant_of(-3), 1000, 3, 0, 0);
    check_form((feature_form){.size = FORM_CEIL2, .c = 17, .d = 4}, 1000, 8500, 3, 0);
    check_form((feature_form){.size = FORM_CEIL2, .c = 16, .d = 3}, 1000, 32000. / 3, NONE, 0);
    bounds b = bounds_of(TEMPER_TYPE_F64, 10);
    CHECK(!isfinite(ball_upper(form_bound(&b, &(feature_form){.size = FORM_UNKNOWN}))),
          "an unknown form has no bound");
}

/* ---- where things stop being exact ---- */

static void check_row(temper_type type, uint64_t m, size_t count, const term_shape *terms, bool chooses, bool exact,
                      const char *what) {
    bounds b = bounds_of(type, m);
    quantity q = quantity_row(&b, &(row_shape){count, terms}, chooses);
    CHECK(q.exact == exact && exact == (ball_upper(q.error) == 0), "%s in %s at M = %llu: exact %d, error %g", what,
          temper_type_name(type), (unsigned long long)m, q.exact, ball_upper(q.error));
    arena_reset(&memory);
}

static void check_feature(temper_type type, uint64_t m, feature_form f, bool scale, bool exact, const char *what) {
    bounds b = bounds_of(type, m);
    quantity q = scale ? quantity_scale(&b, &f) : quantity_feature(&b, &f);
    CHECK(q.exact == exact && exact == (ball_upper(q.error) == 0), "%s in %s at M = %llu: exact %d, error %g", what,
          temper_type_name(type), (unsigned long long)m, q.exact, ball_upper(q.error));
    arena_reset(&memory);
}

static void check_ends(temper_type type) {
    const number_format *s = number_type_of(type)->storage, *a = number_type_of(type)->accumulation;
    uint64_t end = (uint64_t)1 << s->precision, sums = (uint64_t)1 << a->precision;
    term_shape place = {power_of(1, 1), 1}, two[] = {place, place};
    if (s->precision < 53) {
        check_feature(type, end, power_of(1, 1), false, true, "i");
        check_feature(type, end + 1, power_of(1, 1), false, false, "i");
        check_row(type, end / 2, 2, two, false, true, "i + i");
        check_row(type, end / 2 + 1, 2, two, false, false, "i + i");
        check_feature(type, 3, constant_of(s->least / 2), false, false, "half the least number");
    } else {
        check_feature(type, 94906265, power_of(1, 2), false, true, "N*i");
        check_feature(type, 94906266, power_of(1, 2), false, false, "N*i");
    }
    if (a->precision < 53) {
        check_feature(type, sums, power_of(1, 1), true, true, "the scale N");
        check_feature(type, sums + 1, power_of(1, 1), true, false, "the scale N");
    }
    check_feature(type, 3, constant_of(s->least), false, true, "the least number");
    const feature_form ceil2 = {.size = FORM_CEIL2, .c = 16, .d = 1};
    check_feature(type, (uint64_t)1 << 12, ceil2, false, true, "a power of two");
    check_row(type, (uint64_t)1 << 12, 1, (term_shape[]){{ceil2, -4}}, false, true, "a power of two, times 4");
    if (s->precision < 20)
        check_row(type, (uint64_t)1 << 30, 1, (term_shape[]){{ceil2, 3}}, false, false, "a power of two, times 3");
    double tiny = ldexp(1, grid_of(s->least));
    check_row(type, 3, 1, (term_shape[]){{constant_of(tiny), 1}}, false, true, "the least number, alone");
    if (s->least > 0x1p-1000)
        check_row(type, 3, 1, (term_shape[]){{constant_of(tiny), 0.5}}, false, false, "half of it");
    check_row(type, 3, 0, NULL, false, true, "nothing");
    check_feature(type, 3, constant_of(0), false, true, "zero");
    if (s->precision < 40) { /* a power of two with as many digits after it as fit below: only t_s limits it */
        uint64_t m = (uint64_t)1 << 40;
        double down = ldexp(s->least, -4);
        check_row(type, m, 1, (term_shape[]){{ceil2, down}}, false, true, "a power of two, on the least grid");
        check_row(type, m, 1, (term_shape[]){{ceil2, down / 2}}, false, false,
                  "a power of two, below the least grid");
    }
    if (s->least >= 0x1p-40) {
        feature_form deep = {.size = FORM_CEIL2, .c = 1, .d = 1 / s->least};
        check_feature(type, 1000, deep, false, true, "ceil2 over D, on the least grid");
        deep.d *= 2;
        check_feature(type, 1000, deep, false, false, "ceil2 over D, below the least grid");
    }
}

/* 3 i and 3 i times N: the last exact M is where the product fills the digits. */
static void check_scores(temper_type type) {
    const number_format *a = number_type_of(type)->accumulation;
    uint64_t last = (((uint64_t)1 << a->precision) - 1) / 3, root = 1;
    while (3 * (root + 1) * (root + 1) <= (uint64_t)1 << a->precision) root++;
    for (int more = 0; more < 2; more++) {
        bounds b = bounds_of(type, last + (uint64_t)more);
        quantity q = quantity_row(&b, &(row_shape){1, (term_shape[]){{constant_of(3), 1}}}, false);
        quantity k = quantity_row(&b, &(row_shape){1, (term_shape[]){{power_of(1, 1), 1}}}, false);
        if (k.exact)
            CHECK(quantity_score(&b, &q, &k, 1).exact == !more, "3 i in %s, %d more", temper_type_name(type), more);
        bounds c = bounds_of(type, root + (uint64_t)more);
        quantity scale = quantity_scale(&c, &(feature_form){.size = FORM_POWER, .power = 1, .c = 1, .d = 1});
        q = quantity_row(&c, &(row_shape){1, (term_shape[]){{constant_of(3), 1}}}, false);
        k = quantity_row(&c, &(row_shape){1, (term_shape[]){{power_of(1, 1), 1}}}, false);
        if (k.exact)
            CHECK(quantity_logit(&c, &scale, &q, &k, 1).exact == !more, "3 N i in %s, %d more",
                  temper_type_name(type), more);
        arena_reset(&memory);
    }
    bounds b = bounds_of(type, 5);
    const double values[] = {1, 2, -4, 0.5, 3, 0.75};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        quantity q = quantity_row(&b, &(row_shape){1, (term_shape[]){{constant_of(1), values[k]}}}, false);
        CHECK(q.doubles == (k < 3), "products with %g are %s", values[k], q.doubles ? "exact" : "not exact");
    }
    quantity q = quantity_row(&b, &(row_shape){2, (term_shape[]){{constant_of(1), 1}, {constant_of(1), 1}}}, false);
    CHECK(!q.doubles, "two terms are not one");
    q = quantity_row(&b, &(row_shape){1, (term_shape[]){{TRUTH, 1}}}, false);
    CHECK(!q.doubles, "a Boolean may be 0");
    arena_reset(&memory);
}

/* ---- the head part ---- */

static double size_of(const term_shape *terms, size_t count, bool chooses) {
    bounds b = bounds_of(TEMPER_TYPE_F32, 100);
    double x = ball_upper(quantity_row(&b, &(row_shape){count, terms}, chooses).size);
    arena_reset(&memory);
    return x;
}

static void check_head_part(void) {
    const term_shape yes = {TRUTH, 1}, no = {TRUTH, -1}, share = {SHARE, 1}, one = {constant_of(1), -1},
                     four = {constant_of(2), -2}, fine = {TRUTH, 0x1p-30};
    CHECK(size_of((term_shape[]){yes, no, yes, share}, 4, true) == 2, "Booleans that are one");
    CHECK(size_of((term_shape[]){yes, no, yes, share}, 4, false) == 4, "not of a key that chooses");
    CHECK(size_of((term_shape[]){one, yes, share}, 3, true) == 2, "a constant and a Boolean");
    CHECK(size_of((term_shape[]){four, yes, yes, share}, 4, true) == 5, "a larger constant");
    CHECK(size_of((term_shape[]){one, one, yes, share}, 4, true) == 4, "two constants");
    CHECK(size_of((term_shape[]){yes, share, no}, 3, true) == 3, "a Boolean after a feature");
    CHECK(size_of((term_shape[]){yes, no, share, no}, 4, true) == 4, "another one");
    CHECK(size_of((term_shape[]){share, yes, no}, 3, true) == 3, "Booleans after a feature");
    CHECK(size_of((term_shape[]){one, share}, 2, true) == 2, "no Boolean");
    CHECK(size_of((term_shape[]){yes, fine, share}, 3, true) > 2, "a sum that is not exact");
}

int main(void) {
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    check_forms();
    for (size_t k = 0; k < PAGE_ROW_TYPES; k++) {
        check_ends(page_types[k]);
        if (number_type_of(page_types[k])->accumulation->precision < 30) check_scores(page_types[k]);
    }
    check_head_part();
    arena_free(&memory);
    return test_finish("bound-quantities");
}
