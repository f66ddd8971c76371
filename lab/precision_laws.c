/* The length at which an operator breaks, from the number of bits: the heads of doc/theory.md, "Heads", with
   rounding. Storage has p significand bits, sums have q; kappa is 8, for look-ups 16, powers of two, so that products
   with it are exact. N counts positions.

   - since, temperature: the key 1 + j/N is rounded twice, j/N to multiples of 2^-p and the sum to multiples of
   2^(1-p), ties to even. Neighbours that
     are 2 multiples apart may meet, those 3 apart cannot: 2^p/3.
   - since, positions: j is stored to 2^p; with sums in the same format logits of kappa up to 2 N are integers to
   2^(p-1) only. - yesterday: j/N below 1, or j itself: 2^p. - digits: centred logits, so half as large: 2^(p+1);
   where sums are longer, 2^(q+1), or what K digits hold: 2^(K p + 1). - compare: the running count holds its half
   unit to 2^(q-1), and two counts make 2^q; its mean 1/(2 N) is stored as 0 from N = 1/(least number) on. - look-up:
   logits of size kappa N^2 with relative errors 2^-p each, and gaps of kappa: 2 N^2 = 2^p. - overflow: the scale of
   the temperature method is kept as sums are, features of the positions method as they are stored. */
#include "lab/precision.h"

#include "model/digits.h"
#include "number/elementary.h"

#include <math.h>

const char *const law_names[] = {"never", "precision", "overflow", "underflow", "none"};

/* 2^bits; bits may end in 1/2. */
static double two_to(double bits) {
    double whole = floor(bits), root = bits - whole > 0 ? sqrt(2) : 1;
    return ldexp(root, (int)whole);
}

static double cube_root(double x) { return exp_f64(log_f64(x) / 3); }

static double power_below(double x) {
    double p = 1;
    while (2 * p <= x) p *= 2;
    return p;
}

/* What is not less is rounded beyond the largest number. */
static double overflow_at(const number_format *f) {
    return f->largest + power_below(f->largest) * two_to(-f->precision);
}

static void lower(forecast *f, law_kind law, double size, const char *why) {
    if (size < f->size) *f = (forecast){law, size, why};
}

static void nearest(forecast *f, bool since, temper_method method, temper_type type) {
    const number_type *t = number_type_of(type);
    double p = t->storage->precision, q = t->accumulation->precision, sums = overflow_at(t->accumulation),
           stored = overflow_at(t->storage);
    const digit_format *digits = digit_format_of(type);
    if (method == TEMPER_METHOD_TEMPERATURE) {
        lower(f, LAW_PRECISION, since ? two_to(p) / 3 : two_to(p), since ? "2^p/3" : "2^p");
        lower(f, LAW_OVERFLOW, sums / (since ? 16 : 8), since ? "16 N" : "8 N");
    } else if (method == TEMPER_METHOD_POSITIONS) {
        if (since) lower(f, LAW_PRECISION, two_to(q - 1), "2^(q-1)");
        lower(f, LAW_PRECISION, two_to(p), "2^p");
        lower(f, LAW_OVERFLOW, since ? stored / 8 : stored, since ? "8 N" : "N");
        lower(f, LAW_OVERFLOW, sums / (since ? 16 : 8), since ? "16 N" : "8 N");
    } else if (digits) {
        lower(f, LAW_PRECISION, two_to(q + 1), "2^(q+1)");
        lower(f, LAW_PRECISION, two_to(digits->count * p + 1), "2^(K p+1)");
        if (since) { /* the bonus, a power of two of at least 16 N */
            lower(f, LAW_OVERFLOW, power_below(stored) * two_to(digits->bonus) / 16, "16 N");
            lower(f, LAW_OVERFLOW, power_below(sums) / 16, "16 N");
        } else {
            lower(f, LAW_OVERFLOW, sums / 4, "4 N");
        }
    }
}

forecast precision_forecast(breaking_operator op, temper_method method, temper_type type) {
    const number_type *t = number_type_of(type);
    double p = t->storage->precision, q = t->accumulation->precision;
    /* where the scale is: in the format of sums, or in a feature */
    double scales = overflow_at(method == TEMPER_METHOD_POSITIONS ? t->storage : t->accumulation);
    forecast f = {LAW_NEVER, INFINITY, ""};
    switch (op) {
    case BREAKS_SINCE: nearest(&f, true, method, type); break;
    case BREAKS_YESTERDAY: nearest(&f, false, method, type); break;
    case BREAKS_COMPARE:
        lower(&f, LAW_PRECISION, two_to(q), "2^q");
        lower(&f, LAW_UNDERFLOW, 1 / t->storage->least, "1/least");
        lower(&f, LAW_OVERFLOW, scales / 16, "16 N");
        break;
    case BREAKS_BALANCE:
        f = (forecast){LAW_NONE, NAN, ""};
        if (sqrt(scales / 16) < 100) f = (forecast){LAW_OVERFLOW, sqrt(scales / 16), "16 N^2"};
        break;
    case BREAKS_LOOKUP:
        lower(&f, LAW_PRECISION, two_to((p - 1) / 2), "2^((p-1)/2)");
        lower(&f, LAW_OVERFLOW, cube_root(scales / 16), "16 N^3");
        break;
    default: break;
    }
    return f;
}
