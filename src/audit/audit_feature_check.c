/* What a feature is worth at a position by its definition, beside what its expression is worth there. audit_feature.c
   goes by the form alone; a wrong table there, or a number that it misread, would show here. */
#include <math.h>

#include "audit/audit.h"
#include "model/expression_rational.h"
#include "number/rational.h"

typedef struct place {
    uint64_t i, n, size; /* position, letters, positions */
    uint64_t p;          /* i, counted from the end if the feature is mirrored */
} place;

/* ---- rational features ---- */

/* The features that are products: constant * N^size * p^place / (p + 1)^next, times [p = 0]. */
typedef struct exponents {
    int size, place, next;
    bool edge;
} exponents;

static bool product_of(exponents *out, const feature *f) {
    switch (f->kind) {
    case FEATURE_CONSTANT: *out = (exponents){0}; return true;
    case FEATURE_PLACE: *out = (exponents){.place = 1}; return true;
    case FEATURE_SIZE: *out = (exponents){.size = f->power}; return true;
    case FEATURE_SIZE_PLACE: *out = (exponents){.size = 1, .place = 1}; return true;
    case FEATURE_SIZE_SQUARE: *out = (exponents){.size = 1, .place = 2}; return true;
    case FEATURE_SHARE: *out = (exponents){.size = -1, .place = 1}; return true;
    case FEATURE_INVERSE: *out = (exponents){.next = 1}; return true;
    case FEATURE_SMALL: *out = (exponents){.size = -2, .place = 1}; return true;
    case FEATURE_SQUARE: *out = (exponents){.size = -2, .place = 2}; return true;
    case FEATURE_EDGE_SHARE: *out = (exponents){.size = -1, .edge = true}; return true;
    case FEATURE_EDGE_SIZE: *out = (exponents){.size = 1, .edge = true}; return true;
    case FEATURE_WEIGHTED: *out = (exponents){.size = 2, .next = 1}; return true;
    default: return false;
    }
}

static void multiply(rational *z, uint64_t x, int exponent, rational *factor) {
    rational_set_int(factor, (long)x);
    for (int k = 0; k < exponent; k++) rational_mul(z, z, factor);
    for (int k = 0; k > exponent; k--) rational_div(z, z, factor);
}

/* Those that are whole numbers by themselves. */
static int64_t whole_of(const feature *f, const place *at) {
    int64_t middle = (int64_t)(at->size / 2), centred = (int64_t)at->i - middle;
    int64_t distance = centred < 0 ? -centred : centred, digit = distance / (int64_t)f->divisor;
    switch (f->kind) {
    case FEATURE_FIRST: return at->n >= 1 && at->i == 1;
    case FEATURE_LAST: return at->n >= 1 && at->i == at->n;
    case FEATURE_LETTER:
        if (at->i < 1 || at->i > at->n) return 0;
        /* fall through */
    case FEATURE_RESIDUE: {
        int64_t rest = (int64_t)(((__int128)f->a * (int64_t)at->p + f->b) % f->modulus);
        return f->at_most ? rest <= f->residue : rest == f->residue;
    }
    case FEATURE_CENTRED: return centred;
    default: /* DIGIT */
        if (f->modulus) digit %= f->modulus;
        return centred < 0 ? -digit : digit;
    }
}

/* ceil2(C*N)/D */
static double power_at(const feature *f, const place *at) {
    double power = 1;
    while (power < f->constant * (double)at->size) power *= 2; /* C*N is below 2^53 */
    return power / f->divisor;
}

static void value_of(rational *z, const feature *f, const place *at, rational *work) {
    exponents x;
    if (product_of(&x, f)) {
        rational_set_double(z, x.edge && at->p != 0 ? 0 : f->constant);
        multiply(z, at->size, x.size, work);
        multiply(z, at->p, x.place, work);
        multiply(z, at->p + 1, -x.next, work);
    } else if (f->kind == FEATURE_POWER) {
        rational_set_double(z, power_at(f, at));
    } else {
        rational_set_int(z, (long)whole_of(f, at));
    }
}

/* Values on a grid g are computed exactly up to 2^(g + 53); quotients by N or i + 1 are on none. */
static bool is_on_grid(const feature *f) {
    exponents x;
    return !product_of(&x, f) || (x.size >= 0 && x.next == 0);
}

/* (1 + v)^4 - 1 is a little more than 2^-51. */
static const double ROUNDINGS = 0x1.0000001p-51;

static bool agrees_rationally(const feature *f, const expression *e, const place *at, arena *scratch) {
    rational_pool pool;
    rational_pool_init(&pool, scratch);
    rational *r = rational_array(&pool, 4), *ideal = &r[0], *found = &r[1], *off = &r[2], *room = &r[3];
    value_of(ideal, f, at, room);
    if (!expression_rational(found, e, at->i, at->n, at->size, &pool) || !rational_equal(ideal, found)) return false;
    double computed = expression_eval(e, (double)at->i, (double)at->n, (double)at->size);
    if (!isfinite(computed)) return false;
    rational_set_double(off, computed);
    rational_sub(off, off, ideal);
    if (rational_is_zero(off)) return true;
    if (f->kind == FEATURE_CONSTANT) return false;
    rational_abs(ideal, ideal);
    rational_set_double(room, ldexp(1, audit_grid_of(f->constant) + 53));
    if (is_on_grid(f) && rational_cmp(ideal, room) <= 0) return false;
    rational_set_double(room, ROUNDINGS);
    rational_mul(room, room, ideal);
    rational_abs(off, off);
    return rational_cmp(off, room) <= 0;
}

/* ---- logarithms ---- */

static const ball *logarithm_at(const feature *f, const place *at, calculus *c) {
    const ball *size = num(c, (double)at->size);
    if (f->kind != FEATURE_NORMALISER) return add(c, logarithm(c, size), num(c, f->constant));
    return over(c, logarithm(c, num(c, (double)(at->p > 0 ? at->p : 1))), mul(c, num(c, f->constant), size));
}

/* A stepped logarithm is rounded before it is stepped. Then it is the least multiple of 4 that is not below what came
   out. */
static bool agrees_with_logarithm(const feature *f, const expression *e, const place *at, arena *scratch) {
    calculus c;
    calc_init(&c, scratch);
    const ball *ideal = logarithm_at(f, at, &c), *room = mul(&c, ideal, num(&c, ROUNDINGS));
    double computed = expression_eval(e, (double)at->i, (double)at->n, (double)at->size);
    if (!isfinite(computed)) return false;
    const ball *found = num(&c, computed), *above = add(&c, ideal, room);
    if (!ball_is_at_most(sub(&c, ideal, room), found)) return false;
    if (f->kind != FEATURE_STEPPED) return ball_is_at_most(found, above);
    return fmod(computed, 4) == 0 && ball_is_less(found, add(&c, above, num(&c, 4)));
}

bool audit_feature_agrees(const feature *f, const expression *e, uint64_t i, uint64_t n, uint64_t size,
                          arena *scratch) {
    place at = {i, n, size, f->mirrored ? size - 1 - i : i};
    arena_reset(scratch);
    if (f->kind == FEATURE_UNKNOWN) return false;
    if (f->kind == FEATURE_LOG || f->kind == FEATURE_STEPPED || f->kind == FEATURE_NORMALISER)
        return agrees_with_logarithm(f, e, &at, scratch);
    return agrees_rationally(f, e, &at, scratch);
}

/* ---- where it is looked at ---- */

/* Short strings, the longest one, and positions at both ends and around the middle. */
bool audit_feature_holds(const audit *a, const feature *f, const expression *e) {
    const uint64_t lengths[] = {0, 1, 2, 3, 8, 29, a->length / 2, a->length};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        uint64_t n = lengths[k], size = n + 1 + a->model->has_end, cut = f->modulus > 1 ? (uint64_t)f->modulus : 2;
        const uint64_t places[] = {0, 1, 2, size / 2 - 1, size / 2, size / 2 + 1, cut - 1, cut, n, size - 1};
        if (n > a->length) continue;
        for (size_t p = 0; p < sizeof places / sizeof *places; p++)
            if (places[p] < size && !audit_feature_agrees(f, e, places[p], n, size, a->scratch)) return false;
    }
    return true;
}
