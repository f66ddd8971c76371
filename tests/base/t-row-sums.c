/* The lemmas of doc/certificate.md, "Softmax rows, with rounding", on sums that are really rounded: random terms in
   every format, ascending and in random trees, with crumbs that favour ties and the ends of binades. */
#include <math.h>

#include "number/format.h"
#include "test.h"

static const number_format *const formats[] = {&format_f64, &format_f32,  &format_bf16,
                                               &format_f16, &format_e4m3, &format_e5m2};
enum { FORMATS = sizeof formats / sizeof *formats, MOST = 6000 };

static double terms[MOST];

static double add(const number_format *f, double a, double b) { return format_round(f, a + b); }

/* A number of the format in [0, most], of any size. */
static double crumb(const number_format *f, test_random *r, double most) {
    double x = most * ldexp((double)random_below(r, 1 << 20), -20) * ldexp(1, -(int)random_below(r, 24));
    x = format_round(f, x);
    return x > most ? 0 : x;
}

/* Lemma 2: ones and crumbs, however many. */
static void check_ones(const number_format *f, test_random *r) {
    double u = ldexp(1, -f->precision), s = 0, o = 0, sigma = 0;
    size_t count = 1 + random_below(r, random_below(r, 8) == 0 ? MOST : 400);
    unsigned ones = 1 + (unsigned)random_below(r, 99);
    double most = random_below(r, 3) == 0 ? 0.999 : ldexp(1, -(int)random_below(r, 14));
    for (size_t k = 0; k < count; k++) {
        bool one = random_below(r, 100) < ones;
        double x = one ? 1 : crumb(f, r, most);
        if (!(x < 1) && !one) x = 0;
        s = add(f, s, x);
        if (one)
            o = add(f, o, 1);
        else
            sigma += x;
    }
    double bound = (o + 2 * sigma) * pow(1 + u, f->precision + 1);
    CHECK(o <= s && s <= bound * (1 + 0x1p-40), "%s: %zu terms up to %g, %u%% ones: ones %g, all %.17g, bound %.17g",
          f->name, count, most, ones, o, s, bound);
}

/* Lemma 1, ascending: one winner, the others R together. */
static void check_winner(const number_format *f, test_random *r) {
    size_t count = 1 + random_below(r, 300), winner = random_below(r, count);
    double s = 0, rest = 0, most = ldexp(1, -(int)random_below(r, 20));
    for (size_t k = 0; k < count; k++) {
        double x = k == winner ? 1 : crumb(f, r, most);
        s = add(f, s, x);
        if (k != winner) rest += x;
    }
    CHECK(1 <= s && s <= (1 + 4 * rest) * (1 + 0x1p-40), "%s: %zu terms, winner %zu: sum %.17g, rest %.17g", f->name,
          count, winner, s, rest);
}

/* Lemma 1, any order: neighbours in a random order are added until one is left. */
static void check_tree(const number_format *f, test_random *r) {
    size_t count = 1 + random_below(r, 60), winner = random_below(r, count), left = count;
    double rest = 0, most = ldexp(1, -(int)random_below(r, 20)), u = ldexp(1, -f->precision);
    for (size_t k = 0; k < count; k++) {
        terms[k] = k == winner ? 1 : crumb(f, r, most);
        if (k != winner) rest += terms[k];
    }
    while (left > 1) {
        size_t a = random_below(r, left), b = random_below(r, left - 1);
        if (b >= a) b++;
        double sum = add(f, terms[a], terms[b]);
        size_t low = a < b ? a : b, high = a < b ? b : a;
        terms[low] = sum;
        terms[high] = terms[--left];
    }
    double bound = 1 + 2 * rest * pow(1 + u, 4.0 * (double)count);
    CHECK(1 <= terms[0] && terms[0] <= bound * (1 + 0x1p-40), "%s: tree of %zu, rest %.17g: %.17g above %.17g",
          f->name, count, rest, terms[0], bound);
}

int main(void) {
    test_random r = test_seed(505);
    for (int k = 0; k < 3000 * test_effort(); k++)
        for (size_t f = 0; f < FORMATS; f++) {
            check_ones(formats[f], &r);
            check_winner(formats[f], &r);
            check_tree(formats[f], &r);
        }
    /* Sums that stick: 2^p ones and as many again. */
    for (size_t f = 2; f < FORMATS; f++) {
        double s = 0, o = 0, full = ldexp(1, formats[f]->precision);
        for (double k = 0; k < 2 * full; k++) {
            s = add(formats[f], add(formats[f], s, 1), format_round(formats[f], 0.49));
            o = add(formats[f], o, 1);
        }
        CHECK(o == full && s <= (o + 2 * 0.5 * 2 * full) * pow(1 + 1 / full, formats[f]->precision + 1), "%s sticks",
              formats[f]->name);
    }
    return test_finish("t-row-sums");
}
