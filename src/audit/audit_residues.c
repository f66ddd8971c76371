/* Remainders of counts. A count c is known by its digits: for every prime p its remainder modulo p, that of
   floor(c/p), and so on, each a number written in binary. c mod m is a function of the digits of m's primes, whatever
   other moduli the same count is taken by; and remainders of one count exclude each other by themselves. */
#include <stdlib.h>

#include "audit/audit_meaning.h"

int64_t meaning_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

static int64_t reduce(int64_t a, int64_t m) {
    int64_t r = a % m;
    return r < 0 ? r + m : r;
}

static int64_t multiply(int64_t a, int64_t b, int64_t m) { return (int64_t)((__int128)a * b % m); }

/* The x with a x = 1 modulo m, which have no common divisor. */
static int64_t inverse(int64_t a, int64_t m) {
    int64_t r = m, next = a % m, t = 0, tn = 1;
    while (next) {
        int64_t q = r / next, swap = t - q * tn;
        t = tn, tn = swap;
        swap = r - q * next;
        r = next, next = swap;
    }
    return m == 1 ? 0 : reduce(t, m);
}

typedef struct digit {
    uint32_t var, bits;
    int64_t base;
    int64_t factor; /* what a 1 of it adds to c modulo m */
} digit;

enum { DIGITS = 16 }; /* of a modulus up to RESIDUE_TABLE */

typedef struct digits {
    digit at[DIGITS];
    size_t count;
    int64_t modulus;
    diagram *d;
    const double *values; /* [modulus] */
} digits;

static int by_variable(const void *left, const void *right) {
    const digit *x = left, *y = right;
    return (x->var > y->var) - (x->var < y->var);
}

/* The digits that c mod m depends on. By the Chinese remainder theorem c = sum over prime powers q of m of (c mod q)
   (m/q) x, x the inverse of m/q modulo q. */
static void find_digits(digits *out, meaning *m, bool past, dd f, int64_t modulus) {
    int64_t rest = modulus;
    *out = (digits){.modulus = modulus, .d = &m->d};
    for (int64_t p = 2; rest > 1; p++) {
        if (p * p > rest) p = rest;
        if (rest % p) continue;
        int64_t q = 1, place = 1;
        while (rest % p == 0) rest /= p, q *= p;
        int64_t other = modulus / q, unit = multiply(other, inverse(other % q, q), modulus);
        for (int64_t level = 0; place < q; level++, place *= p) {
            bool fresh;
            digit x = {.base = p, .bits = dd_bits((uint64_t)p), .factor = multiply(unit, place, modulus)};
            atom_key key = {.question = ASK_DIGIT, .past = past, .f = f, .number = {p, level}};
            x.var = meaning_variables(m, &key, sizeof key, x.bits, &fresh);
            out->at[out->count++] = x;
        }
    }
    qsort(out->at, out->count, sizeof *out->at, by_variable);
}

/* The values as a function of the digits from number k on, given those before; at most DIGITS deep. */
static dd value_of(const digits *x, size_t k, int64_t c, arena *a) {
    if (k == x->count) return dd_number(x->d, x->values[c]);
    const digit *g = &x->at[k];
    dd *branch = arena_alloc(a, (size_t)g->base, sizeof *branch);
    for (int64_t v = 0; v < g->base; v++)
        branch[v] = value_of(x, k + 1, (c + multiply(g->factor, v, x->modulus)) % x->modulus, a);
    return dd_select(x->d, g->var, g->bits, (uint64_t)g->base, branch);
}

/* values[c mod modulus] */
static dd of_count(meaning *m, bool past, dd f, int64_t modulus, const double *values) {
    digits x;
    find_digits(&x, m, past, f, modulus);
    x.values = values;
    return value_of(&x, 0, 0, m->scratch);
}

static double *new_values(meaning *m, int64_t count) {
    arena_reset(m->scratch);
    return arena_zalloc(m->scratch, (size_t)count, sizeof(double));
}

dd meaning_remainder(meaning *m, bool past, dd f, int64_t weight, int64_t modulus) {
    weight = reduce(weight, modulus);
    int64_t period = modulus / meaning_divisor(modulus, weight);
    if (f == 0 || period == 1) return 0;
    double *values = new_values(m, period);
    for (int64_t c = 0; c < period; c++) values[c] = (double)multiply(weight, c, modulus);
    return of_count(m, past, f, period, values);
}

/* Large moduli: an atom of its own, known by the numbers. */
static dd large(meaning *m, bool past, dd f, int64_t x, int64_t y, int64_t z, int64_t w) {
    bool fresh;
    atom_key key = {.question = ASK_RESIDUE, .past = past, .f = f, .number = {x, y, z, w}};
    return dd_variable(&m->d, meaning_variables(m, &key, sizeof key, 1, &fresh));
}

/* weight c + constant = residue modulo m is c = r modulo m/g, g the common divisor of weight and m, or never. */
static dd residue_equal(meaning *m, bool past, dd f, int64_t weight, int64_t constant, int64_t modulus,
                        int64_t residue) {
    int64_t g = meaning_divisor(modulus, weight), period = modulus / g;
    int64_t wanted = reduce(residue - constant, modulus);
    if (wanted % g) return 0;
    if (period == 1) return 1;
    int64_t r = multiply(wanted / g, inverse(weight / g, period), period);
    if (period > RESIDUE_TABLE) return large(m, past, f, period, r, -1, 0);
    double *values = new_values(m, period);
    values[r] = 1;
    return of_count(m, past, f, period, values);
}

static dd residue_at_most(meaning *m, bool past, dd f, int64_t weight, int64_t constant, int64_t modulus,
                          int64_t residue) {
    int64_t period = modulus / meaning_divisor(modulus, weight);
    if (residue == modulus - 1) return 1;
    if (period > RESIDUE_TABLE) return large(m, past, f, modulus, weight, constant, residue);
    double *values = new_values(m, period);
    for (int64_t c = 0; c < period; c++) values[c] = (multiply(weight, c, modulus) + constant) % modulus <= residue;
    return of_count(m, past, f, period, values);
}

dd meaning_residue(meaning *m, bool past, dd f, int64_t weight, int64_t constant, int64_t modulus, residue_test test,
                   int64_t residue) {
    weight = f == 0 ? 0 : reduce(weight, modulus);
    constant = reduce(constant, modulus);
    dd made = test == RESIDUE_EQUAL ? residue_equal(m, past, f, weight, constant, modulus, residue)
                                    : residue_at_most(m, past, f, weight, constant, modulus, residue);
    if (dd_is_leaf(&m->d, made) || table_find(&m->remainders, &made, sizeof made)) return made;
    dd *key = arena_alloc(m->arena, 1, sizeof *key);
    bool fresh;
    *key = made;
    array_push(m->arena, m->tested, m->tested_count, m->tested_capacity,
               (struct audit_remainder){past, test, f, weight, constant, modulus, residue});
    table_put(&m->remainders, key, sizeof made, (uint32_t)m->tested_count, &fresh);
    return made;
}
