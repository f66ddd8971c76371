/* Balls against doubles, where those are exact, and against the long double functions of the C library within their
   error; upper bounds in decimal against the decimal read back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number/ball.h"
#include "number/format.h"
#include "test.h"

typedef struct fixture {
    trap trap;
    arena memory;
    ball *b; /* [8] */
} fixture;

static double small_dyadic(test_random *r) {
    return (double)((long)random_below(r, 2001) - 1000) * ldexp(1, (int)random_below(r, 21) - 10);
}

static bool is_exactly(const ball *x, double want) { return ball_upper(x) == want && ball_lower(x) == want; }

static void check_exact(fixture *f, test_random *r) {
    ball *x = f->b, *y = f->b + 1, *z = f->b + 2;
    double a = small_dyadic(r), b = small_dyadic(r);
    ball_set_double(x, a);
    ball_set_double(y, b);
    ball_add(z, x, y);
    CHECK(is_exactly(z, a + b), "%g + %g", a, b);
    ball_sub(z, x, y);
    CHECK(is_exactly(z, a - b), "%g - %g", a, b);
    ball_mul(z, x, y);
    CHECK(is_exactly(z, a * b), "%g * %g", a, b);
    ball_neg(z, x);
    CHECK(is_exactly(z, -a), "-%g", a);
    ball_max(z, x, y);
    CHECK(is_exactly(z, fmax(a, b)), "max(%g, %g)", a, b);
    ball_mul_2exp(z, x, -7);
    CHECK(is_exactly(z, a / 128), "%g / 128", a);
    ball_set_double(z, 1.5);
    ball_pow(z, z, 9);
    CHECK(is_exactly(z, 38.443359375), "1.5^9");
    CHECK(ball_is_less(x, y) == (a < b) && ball_is_at_most(x, y) == (a <= b), "order of %g and %g", a, b);
    if (b != 0) {
        ball_div(z, x, y);
        CHECK(ball_lower(z) <= a / b && a / b <= ball_upper(z), "%g / %g", a, b);
        ball_mul(z, z, y);
        CHECK(ball_lower(z) <= a && a <= ball_upper(z), "%g / %g * %g", a, b, b);
    }
}

static void check_functions(fixture *f, test_random *r) {
    ball *x = f->b, *z = f->b + 1;
    double a = fmod(small_dyadic(r) / 16, 600);
    ball_set_double(x, a);
    ball_exp(z, x);
    long double e = expl(a), room = e * 0x1p-58L;
    CHECK((long double)ball_lower(z) <= e + room && e - room <= (long double)ball_upper(z) &&
              ball_upper(z) <= nextafter(nextafter((double)e, INFINITY), INFINITY),
          "exp(%g)", a);
    ball_log(z, z);
    CHECK(ball_lower(z) <= a && a <= ball_upper(z) && ball_upper(z) - ball_lower(z) <= fabs(a) * 0x1p-50 + 0x1p-100,
          "log(exp(%g))", a);
    ball_set_double(x, a <= 0 ? a : -a);
    ball_log(z, x);
    CHECK(!ball_is_finite(z) && !ball_is_less(z, x) && !ball_is_at_most(z, x), "log(%g)", a);
}

static void check_text(fixture *f, test_random *r) {
    char shown[BALL_TEXT], again[BALL_TEXT];
    ball *x = f->b, *y = f->b + 1;
    double a = small_dyadic(r) * ldexp(1, (int)random_below(r, 400) - 200);
    ball_set_double(x, a);
    ball_upper_text(shown, x);
    double back = strtod(shown, NULL);
    CHECK(a == 0 ? strcmp(shown, "0") == 0 : back >= a && back - a <= fabs(a) * 0.0011, "%.17g shown as %s", a,
          shown);
    ball_set_double(y, 3);
    ball_div(x, x, y); /* a ball with a radius */
    ball_mul(x, x, y);
    ball_set_double(y, 1 + 0x1p-40);
    ball_mul(x, x, y);
    ball_upper_text(again, x);
    back = strtod(again, NULL);
    CHECK(a <= 0 || (back >= a && back - a <= a * 0.0011), "%.17g times 1 + 2^-40 shown as %s", a, again);
}

static void check_ends(fixture *f) {
    static const struct {
        double x;
        const char *shown;
    } cases[] = {{1, "1.000e+00"},   {0.25, "2.500e-01"},     {9.75, "9.750e+00"},   {9.9991, "1.000e+01"},
                 {-1, "-1.000e+00"}, {-9.9999, "-9.999e+00"}, {1e300, "1.001e+300"}, {123456, "1.235e+05"}};
    char shown[BALL_TEXT];
    ball *x = f->b;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ball_set_double(x, cases[k].x);
        ball_upper_text(shown, x);
        CHECK(strcmp(shown, cases[k].shown) == 0 || (cases[k].x == 1e300 && strcmp(shown, "1.000e+300") == 0),
              "%g shown as %s, want %s", cases[k].x, shown, cases[k].shown);
    }
    ball_set_int(x, 1);
    ball_mul_2exp(x, x, 40000);
    ball_upper_text(shown, x);
    CHECK(strcmp(shown, "inf") == 0 && ball_upper(x) == INFINITY, "2^40000 shown as %s", shown);
    ball_set_int(x, 1);
    ball_mul_2exp(x, x, -40000);
    ball_upper_text(shown, x);
    CHECK(strcmp(shown, "1.000e-9000") == 0 && ball_upper(x) > 0 && ball_lower(x) == 0, "2^-40000 shown as %s",
          shown);
}

/* Powers of two around an end, and which balls are numbers of a format, against frexp and format_round. */
static void check_grids(fixture *f, test_random *r) {
    static const number_format *const formats[] = {&format_f64, &format_f32, &format_bf16, &format_f16, &format_e5m2};
    ball *x = f->b, *y = f->b + 1;
    double a = fabs(small_dyadic(r)) + ldexp(1, -12);
    int e;
    bool power = frexp(a, &e) == 0.5;
    ball_set_double(x, a);
    CHECK(ball_floor_log2(x) == e - 1 && ball_ceil_log2(x) == (power ? e - 1 : e), "log2 of %a: %ld %ld", a,
          ball_floor_log2(x), ball_ceil_log2(x));
    const number_format *format = formats[random_below(r, 5)];
    double b = random_below(r, 3) ? a : a * ldexp(1, -(int)random_below(r, 30));
    ball_set_double(x, b);
    bool number = b <= format->largest && format_round(format, b) == b;
    if (b <= format->largest)
        CHECK(ball_is_number(x, format->precision, format->least) == number, "%a in %s", b, format->name);
    ball_set_double(y, 3);
    ball_log(x, y);
    CHECK(!ball_is_number(x, 53, 0x1p-1074), "ln 3 has a radius");
    ball_set_double(y, a);
    ball_set_double(x, 0);
    ball_div(x, y, x);
    CHECK(ball_ceil_log2(x) == BALL_FAR && ball_floor_log2(x) == BALL_FAR && !ball_is_number(x, 53, 1), "1/0");
}

int main(void) {
    static fixture f;
    test_random r = test_seed(71);
    arena_init(&f.memory, &f.trap);
    if (trap_set(&f.trap, NULL)) {
        CHECK(false, "%s", f.trap.error.text);
        return test_finish("t-ball");
    }
    f.b = ball_array(&f.memory, 8);
    for (int k = 0; k < 10000 * test_effort(); k++) {
        check_exact(&f, &r);
        check_functions(&f, &r);
        check_text(&f, &r);
        check_grids(&f, &r);
    }
    check_ends(&f);
    arena_free(&f.memory);
    trap_clear(&f.trap);
    return test_finish("t-ball");
}
