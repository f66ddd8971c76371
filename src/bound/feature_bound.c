#include "bound/feature_bound.h"

#include <math.h>

/* On paper: "Quantities". */
const ball *form_bound(const bounds *b, const feature_form *f) {
    const ball *c = b_double(b, fabs(f->c));
    switch (f->size) {
    case FORM_UNKNOWN: return b_div(b, b->one, b->zero);
    case FORM_CONSTANT:
    case FORM_BOOLEAN: return c;
    case FORM_POWER:
    case FORM_RATIO: return b_mul(b, c, b_pow(b, b->m, (uint64_t)f->power));
    case FORM_SHARE: return b->one;
    case FORM_LOG: return b_add(b, b->log_m, c);
    case FORM_LOG_STEP: return b_add(b, b->log_m, b_add(b, c, b_int(b, 4)));
    case FORM_DIGIT: return b_min(b, b_sub(b, c, b->one), b_div(b, b->m, b_double(b, 2 * f->d)));
    case FORM_TOP: return b_div(b, b->m, b_mul(b, b_int(b, 2), c));
    case FORM_CEIL2: return b_div(b, b_mul(b, b_mul(b, b_int(b, 2), c), b->m), b_double(b, f->d));
    }
    return NULL;
}

bool form_grid(int *grid, const feature_form *f) {
    switch (f->size) {
    case FORM_CONSTANT:
    case FORM_POWER: *grid = grid_of(f->c); return true;
    case FORM_BOOLEAN:
    case FORM_DIGIT:
    case FORM_TOP: *grid = 0; return true;
    case FORM_LOG_STEP: *grid = 2; return true;
    case FORM_CEIL2: /* at least C, itself rounded up to a power of two; D is one */
        *grid = 0;
        while ((double)((uint64_t)1 << *grid) < f->c) ++*grid;
        *grid -= grid_of(f->d);
        return grid_of(f->d) >= 0 && f->d == ldexp(1, grid_of(f->d));
    case FORM_UNKNOWN:
    case FORM_SHARE:
    case FORM_RATIO:
    case FORM_LOG: break;
    }
    return false;
}

/* Whether products up to x of whole multiples of 2^grid are certainly exact in f64. */
/* Coq: number_int. */
static bool is_whole_in_f64(const bounds *b, const ball *x, int grid) {
    return ball_is_at_most(x, b_power_of_two(b, (long)grid + 53));
}

/* On paper: "Quantities". */
uint64_t power_roundings(const bounds *b, double c, int power) {
    uint64_t count = 0;
    const ball *x = b_double(b, c);
    for (int k = 1; k <= power; k++) {
        x = b_mul(b, x, b->m);
        if (!is_whole_in_f64(b, x, grid_of(c))) count++;
    }
    return count;
}

/* On paper: "Quantities". */
uint64_t form_roundings(const bounds *b, const feature_form *f) {
    switch (f->size) {
    case FORM_UNKNOWN:
    case FORM_CONSTANT:
    case FORM_BOOLEAN:
    case FORM_LOG_STEP: /* the ideal value is the one that f64 finds */
    case FORM_DIGIT:
    case FORM_TOP:
    case FORM_CEIL2: break;
    case FORM_POWER: return power_roundings(b, f->c, f->power);
    case FORM_RATIO: return 1 + power_roundings(b, f->c, f->power);
    case FORM_SHARE: /* a quotient; the logarithm counts twice, and C N may round beside it */
        if (f->logarithm) return 4;
        return 1 + (is_whole_in_f64(b, b_mul(b, b->m, b->m), 0) ? 0 : (uint64_t)f->squares);
    case FORM_LOG: return 3; /* a logarithm and a sum */
    }
    return 0;
}
