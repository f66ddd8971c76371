/* sin and cos against 80-bit arithmetic, near multiples of pi/2 and far out. */
#include "number/trig.h"
#include "test.h"

#include <math.h>

static double worst;

static void compare(double x) {
    double got[2] = {sin_f64(x), cos_f64(x)};
    long double want[2] = {sinl((long double)x), cosl((long double)x)};
    for (int k = 0; k < 2; k++) {
        double unit = nextafter(fabs((double)want[k]), INFINITY) - fabs((double)want[k]);
        double error = (double)(fabsl((long double)got[k] - want[k]) / (long double)unit);
        if (error > worst) worst = error;
        CHECK(error < 0.8, "%s(%a) = %a, %.3f units off", k ? "cos" : "sin", x, got[k], error);
    }
}

int main(void) {
    test_random r = test_seed(31);
    unsigned rounds = (unsigned)(300000 * test_effort());
    for (unsigned k = 0; k < rounds; k++) {
        double x = ldexp((double)(random_u64(&r) >> 11), -53) * 2 - 1; /* -1 ... 1 */
        compare(x);
        compare(ldexp(x, (int)random_below(&r, 21)));
        compare(ldexp(x, -(int)random_below(&r, 60)));
        double near = (double)random_below(&r, 600000) * 1.57079632679489661923; /* cancellation */
        compare(k % 2 ? near : nextafter(near, 0));
    }
    CHECK(isnan(sin_f64(INFINITY)) && isnan(cos_f64(NAN)) && isnan(sin_f64(0x1.8p20)), "outside the range");
    CHECK(signbit(sin_f64(-0.0)) && sin_f64(-0.0) == 0 && cos_f64(-0.0) == 1, "zeros");
    CHECK(worst > 0.5 && worst < 0.8, "worst error %.4f", worst);
    return test_finish("t-trig");
}
