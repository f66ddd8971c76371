/* x = k pi/2 + r + t with |r| <= pi/4 and t the rest below the last bit of r; then Taylor polynomials, which converge
   fast enough there that the first term left out is below 2^-57. pi/2 is cut into pieces of 33 bits, so that k times
   a piece is exact for k < 2^20. */
#include "number/trig.h"

#include "number/ieee.h"

#define TO_INTEGER 0x1.8p+52
#define INV_PIO2   0x1.45f306dc9c883p-1
#define PIO2_1     0x1.921fb544p+0
#define PIO2_2     0x1.0b4611a6p-34
#define PIO2_3     0x1.3198a2ep-69
#define PIO2_4     0x1.b839a252049c1p-104

typedef struct {
    double r, t;
    unsigned quadrant;
} reduced;

static reduced reduce(double x) {
    double k = (x * INV_PIO2 + TO_INTEGER) - TO_INTEGER;
    double a = x - k * PIO2_1; /* exact: both are multiples of the last bit of the smaller, and they are close */
    double b = k * PIO2_2, s = a - b;
    double e = (a - s) - b; /* what s lost, exactly or below 2^-90 */
    double c = k * PIO2_3, u = s - c;
    double f = ((s - u) - c) + (e - k * PIO2_4);
    double r = u + f;
    return (reduced){r, (u - r) + f, (unsigned)((long long)k & 3)};
}

static double sine(double r, double t) {
    double z = r * r;
    double p =
        -1.0 / 6 +
        z * (1.0 / 120 +
             z * (-1.0 / 5040 +
                  z * (1.0 / 362880 +
                       z * (-1.0 / 39916800 + z * (1.0 / 6227020800.0 +
                                                   z * (-1.0 / 1307674368000.0 + z * (1.0 / 355687428096000.0)))))));
    return r + (r * z * p + t * (1 - 0.5 * z));
}

static double cosine(double r, double t) {
    double z = r * r;
    double p =
        1.0 / 24 +
        z * (-1.0 / 720 +
             z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600.0 + z * (-1.0 / 87178291200.0 +
                                                                                    z * (1.0 / 20922789888000.0))))));
    double h = 0.5 * z, w = 1 - h;
    return w + (((1 - w) - h) + (z * z * p - r * t));
}

static double value(double x, unsigned shift) {
    if (!(x >= -TRIG_LARGEST && x <= TRIG_LARGEST)) return f64_nan();
    reduced y = reduce(x);
    unsigned quadrant = (y.quadrant + shift) & 3;
    double v = quadrant & 1 ? cosine(y.r, y.t) : sine(y.r, y.t);
    return quadrant & 2 ? -v : v;
}

double sin_f64(double x) { return x == 0 ? x : value(x, 0); }
double cos_f64(double x) { return value(x, 1); }
