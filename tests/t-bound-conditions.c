/* Where proofs for roles stop: the conditions of doc/certificate.md, each written a second time in long double. For
   every type and kind of head the largest M at which all hold is found by halving, here and in src/bound; they must
   be the same number. Soft runs and hard ones. */
#include <math.h>
#include <stdio.h>

#include "bound/role_bounds.h"
#include "bound_page.h"
#include "test.h"

static arena memory;
static trap no_memory;

static const temper_type TYPES[] = {TEMPER_TYPE_F64,      TEMPER_TYPE_F32,     TEMPER_TYPE_BF16_F32,
                                    TEMPER_TYPE_BF16,     TEMPER_TYPE_F16_F32, TEMPER_TYPE_F16,
                                    TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E4M3,    TEMPER_TYPE_E5M2_F32,
                                    TEMPER_TYPE_E5M2,     TEMPER_TYPE_F32_F64, TEMPER_TYPE_BF16_F64};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

typedef struct numbers {
    real fs, fa, ms, ma, gs, ga; /* largest, least normal, grid of the least number */
    real ps, pa;
} numbers;

static numbers numbers_of(const page *p) {
    return (numbers){.fs = p->s->largest,
                     .fa = p->a->largest,
                     .ms = ldexpl(1, 1 - p->s->bias),
                     .ma = ldexpl(1, 1 - p->a->bias),
                     .gs = log2l(p->s->least),
                     .ga = log2l(p->a->least),
                     .ps = p->s->precision,
                     .pa = p->a->precision};
}

/* ---- the page ---- */

static bool counts(const page *p) { return p->m <= ldexpl(1, p->a->precision); }

static bool count_holds(const page *p, const head_shape *s) {
    numbers n = numbers_of(p);
    real w = s->weight, sum = p->m * s->letters + s->edges, g = s->grid;
    return w <= exp2l(g + n.ps) && sum <= exp2l(g + n.pa) && g >= n.gs && g >= n.ga && w <= n.fs && sum <= n.fa &&
           counts(p) && 1 / (2 * p->m) >= n.ms;
}

/* What compare and balance share, with epsilon or omega and the logit. */
static bool sentinel_holds(const page *p, const head_shape *s, real e, real logit) {
    numbers n = numbers_of(p);
    real scale = 2 * s->kappa * p->m;
    return counts(p) && expl((1 + e) * logl(p->m)) <= 1 / n.ma && 2 * (1 + e) * logit <= n.fa &&
           scale <= (s->scaled ? n.fa : n.fs) && logl(2) / scale >= n.ms;
}

static bool compare_holds(const page *p, const head_shape *s) {
    return sentinel_holds(p, s, grow(p, 8, 3, 6), 2 * s->kappa * p->m * s->weight + logl(p->m));
}

static bool compare_holds_hard(const page *p, const head_shape *s) {
    return counts(p) && 2 * s->weight * (s->scaled ? 1 : 2 * s->kappa * p->m) <= (real)p->a->largest;
}

static bool balance_holds(const page *p, const head_shape *s) {
    numbers n = numbers_of(p);
    real k = s->kappa, m = p->m, omega = grow(p, 10, 4, 8), mean = grow3(p->ua, 1, p->stored, 1, 0, 0);
    real unit =
        p->v + (n.ps < 53 ? half_of(p->s, 1) : 0) + 2 * half_of(p->a, 3) + (p->s == p->a ? 0 : half_of(p->s, 3));
    real own = s->own * unit + s->own * (1 + unit) * grow3(p->ua, (real)s->own_units + 1, p->stored, 1, 0, 0);
    real off = m * (s->weight * mean + own + s->total * mean) * (1 + omega) +
               (m * s->weight + s->own + m * s->total) * omega;
    bool fits = 2 * k * m * m <= (s->scaled ? n.fa : n.fs) && 2 * s->own <= n.fs;
    if (s->scaled && !p->ascending) fits = fits && 4 * k * m * m * (s->weight + s->own + 1) <= n.fa;
    return off < 0.5L && fits && 1 / (2 * m * m) >= n.ma && 1 / m >= n.ms &&
           sentinel_holds(p, s, omega, 2 * k * m * (s->weight + s->own + m * s->total) + logl(m));
}

static real lookup_off(const page *p, const head_shape *s, real *e) {
    real n = s->scaled, m = p->m, square = m * m > 0x1p53L, cube = m * m * m > 0x1p53L, first = 1 + square,
         second = 1 + 2 * square;
    if (!s->scaled) first = square, second = square + cube; /* M itself is below 2^53 */
    real e0 = expm1l((2 + n) * log1pl(p->ua) + log1pl(p->stored) + log1pl(p->feature) + first * log1pl(p->v));
    real e1 = expm1l((1 + n) * log1pl(p->ua) + 2 * log1pl(p->feature) + (1 + second) * log1pl(p->v));
    real e2 = expm1l((1 + n) * log1pl(p->ua) + n * (log1pl(p->scale) + (square + cube) * log1pl(p->v)));
    real x = s->kappa * m * m;
    *e = x * ((2 * e0 + e1) * (1 + e2) + e2);
    return *e + 2 * p->ua * (x + *e) + p->ta;
}

static bool lookup_fits(const page *p, const head_shape *s, real e) {
    numbers n = numbers_of(p);
    real m = p->m, scale = s->kappa * m * m * m;
    bool fits =
        s->scaled ? scale <= n.fa && (p->ascending || 4 * scale <= n.fa) && 1 / (m * m) >= n.ms : scale <= n.fs;
    return counts(p) && 1 / (m * m * m) >= n.ma && fits && 6 * (s->kappa * m * m + e) <= n.fa;
}

static bool lookup_holds(const page *p, const head_shape *s) {
    real e, eta = lookup_off(p, s, &e), q = expl(-s->kappa * (1 - p->ua));
    if (!lookup_fits(p, s, e) || eta > 1000) return false;
    return page_error(p, (1 + 2 * p->ua) * expl(2 * eta) * 2 * q / (1 - q) + p->crumbs) <= 0.25L;
}

static bool lookup_holds_hard(const page *p, const head_shape *s) {
    real e, eta = lookup_off(p, s, &e);
    return lookup_fits(p, s, e) && 2 * eta < s->kappa;
}

/* ---- where they stop ---- */

typedef bool condition(const page *p, const head_shape *s);

static bool found(temper_type type, const head_shape *s, uint64_t m, bool hard) {
    bounds b;
    bounds_init(&b, number_type_of(type), number_type_is_emulated(type), m, &memory);
    head_certificate h = hard ? head_certify_hard(&b, s) : head_certify(&b, s);
    bool holds = h.failure == NULL;
    if (hard && holds) CHECK(ball_upper(h.error) == 0 || s->role == ROLE_COUNT, "hard choices have no error");
    arena_reset(&memory);
    return holds;
}

static uint64_t last_found(temper_type type, const head_shape *s, bool hard) {
    uint64_t good = 0, bad = ((uint64_t)1 << 40) + 3;
    while (bad - good > 1) {
        uint64_t middle = good + (bad - good) / 2;
        if (found(type, s, middle, hard))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

static uint64_t last_page(temper_type type, const head_shape *s, condition *holds) {
    uint64_t good = 0, bad = ((uint64_t)1 << 40) + 3;
    while (bad - good > 1) {
        uint64_t middle = good + (bad - good) / 2;
        page p = page_of(type, middle);
        if (holds(&p, s))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

static void compare_ends(const char *what, const head_shape *s, condition *holds, bool hard) {
    for (size_t k = 0; k < TYPE_COUNT; k++) {
        uint64_t x = last_found(TYPES[k], s, hard), y = last_page(TYPES[k], s, holds);
        CHECK(x == y, "%s%s in %s holds to M = %llu, by the page to %llu", hard ? "hard " : "", what,
              temper_type_name(TYPES[k]), (unsigned long long)x, (unsigned long long)y);
    }
}

/* ---- the same for the sharpness ---- */

/* The x-th number: eight a power of two. */
static double sharpness(uint64_t x) { return ldexp(1 + (double)(x % 8) / 8, (int)(x / 8) - 8); }
enum { SHARPEST = 8 * 1020 };

static bool holds_at(temper_type type, head_shape s, uint64_t m, uint64_t x, bool hard, condition *by_page) {
    s.kappa = sharpness(x);
    if (!by_page) return found(type, &s, m, hard);
    page p = page_of(type, m);
    return by_page(&p, &s);
}

static void compare_sharpness(const char *what, const head_shape *s, condition *holds, bool hard) {
    for (size_t k = 0; k < TYPE_COUNT; k++)
        for (uint64_t m = 1; m <= 5; m += m) {
            uint64_t last[2];
            for (int second = 0; second < 2; second++) {
                uint64_t good = 0, bad = SHARPEST;
                while (bad - good > 1) {
                    uint64_t middle = (good + bad) / 2;
                    if (holds_at(TYPES[k], *s, m, middle, hard, second ? holds : NULL))
                        good = middle;
                    else
                        bad = middle;
                }
                last[second] = good;
            }
            CHECK(last[0] == last[1], "%s%s in %s at M = %llu holds to kappa = %a, by the page to %a",
                  hard ? "hard " : "", what, temper_type_name(TYPES[k]), (unsigned long long)m, sharpness(last[0]),
                  sharpness(last[1]));
        }
}

/* Count: weights on the least grid of the format. */
static void check_grids(void) {
    for (size_t k = 0; k < TYPE_COUNT; k++) {
        int least = (int)log2(number_type_of(TYPES[k])->storage->least);
        for (int g = least - 1; g <= least + 1; g++) {
            head_shape s = {.role = ROLE_COUNT, .weight = ldexp(1, g), .grid = g};
            s.letters = s.edges = s.weight;
            page p = page_of(TYPES[k], 3);
            if (s.weight > 0)
                CHECK(found(TYPES[k], &s, 3, false) == count_holds(&p, &s), "count in %s on the grid 2^%d",
                      temper_type_name(TYPES[k]), g);
        }
    }
}

static void check_letters(void) {
    for (size_t k = 0; k < TYPE_COUNT; k++) {
        bounds b;
        bool ascending = number_type_is_emulated(TYPES[k]);
        bounds_init(&b, number_type_of(TYPES[k]), ascending, 1000, &memory);
        page p = page_of(TYPES[k], 1000);
        CHECK(fabsl(ball_upper(b.crumbs) / p.crumbs - 1) < 1e-15L, "T in %s", temper_type_name(TYPES[k]));
        CHECK(ball_upper(b.normal_s) == b.s->least * ldexp(1, b.s->precision - 1) &&
                  ball_upper(b.normal_a) == b.a->least * ldexp(1, b.a->precision - 1),
              "least normal numbers of %s", temper_type_name(TYPES[k]));
        arena_reset(&memory);
    }
}

int main(void) {
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    check_letters();
    check_grids();
    for (int scaled = 0; scaled < 2; scaled++)
        for (int large = 0; large < 3; large++) {
            double w = ldexp(1.5, 5 * large);
            head_shape count = {
                .role = ROLE_COUNT, .weight = w, .letters = w, .edges = 7 * w, .grid = -1, .soft_ties = true};
            head_shape compare = {.role = ROLE_COMPARE, .kappa = 8, .scaled = scaled, .weight = w, .soft_ties = true};
            head_shape balance = {.role = ROLE_BALANCE,
                                  .kappa = 8,
                                  .scaled = scaled,
                                  .weight = w,
                                  .total = 2 * w,
                                  .own = 3 * w,
                                  .own_units = 1 + 50 * (size_t)large,
                                  .soft_ties = true};
            head_shape lookup = {.role = ROLE_LOOKUP, .kappa = large ? 16 : 4, .scaled = scaled, .soft_ties = true};
            if (!scaled) compare_ends("count", &count, count_holds, false);
            compare_ends("compare", &compare, compare_holds, false);
            compare_ends("compare", &compare, compare_holds_hard, true);
            compare_ends("balance", &balance, balance_holds, false);
            compare_ends("balance", &balance, balance_holds, true);
            compare_ends("look-up", &lookup, lookup_holds, false);
            compare_ends("look-up", &lookup, lookup_holds_hard, true);
            balance.total /= 32;
            compare_sharpness("compare", &compare, compare_holds, false);
            compare_sharpness("balance", &balance, balance_holds, false);
            compare_sharpness("look-up", &lookup, lookup_holds_hard, true);
            compare.soft_ties = false;
            CHECK(!found(TEMPER_TYPE_F64, &compare, 5, true), "a hard run sees what breaks ties");
            CHECK(found(TEMPER_TYPE_F64, &compare, 5, false), "a soft run does not mind");
        }
    arena_free(&memory);
    return test_finish("bound-conditions");
}
