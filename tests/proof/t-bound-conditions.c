/* Where proofs for roles stop: the conditions of doc/certificate.md, each written a second time in role_page.c. For
   every type and kind of head the largest M at which all hold is found by halving, there and in src/bound; they must
   be the same number. Soft runs and hard ones. */
#include <math.h>
#include <stdio.h>

#include "bound/role_bounds.h"
#include "bound_page.h"
#include "role_page.h"
#include "test.h"

static arena memory;
static trap no_memory;

/* ---- where they stop ---- */

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
    for (size_t k = 0; k < PAGE_ROW_TYPES; k++) {
        uint64_t x = last_found(page_types[k], s, hard), y = last_page(page_types[k], s, holds);
        CHECK(x == y, "%s%s in %s holds to M = %llu, by the page to %llu", hard ? "hard " : "", what,
              temper_type_name(page_types[k]), (unsigned long long)x, (unsigned long long)y);
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
    for (size_t k = 0; k < PAGE_ROW_TYPES; k++)
        for (uint64_t m = 1; m <= 5; m += m) {
            uint64_t last[2];
            for (int second = 0; second < 2; second++) {
                uint64_t good = 0, bad = SHARPEST;
                while (bad - good > 1) {
                    uint64_t middle = (good + bad) / 2;
                    if (holds_at(page_types[k], *s, m, middle, hard, second ? holds : NULL))
                        good = middle;
                    else
                        bad = middle;
                }
                last[second] = good;
            }
            CHECK(last[0] == last[1], "%s%s in %s at M = %llu holds to kappa = %a, by the page to %a",
                  hard ? "hard " : "", what, temper_type_name(page_types[k]), (unsigned long long)m,
                  sharpness(last[0]), sharpness(last[1]));
        }
}

/* Count: weights on the least grid of the format. */
static void check_grids(void) {
    for (size_t k = 0; k < PAGE_ROW_TYPES; k++) {
        int least = (int)log2(number_type_of(page_types[k])->storage->least);
        for (int g = least - 1; g <= least + 1; g++) {
            head_shape s = {.role = ROLE_COUNT, .weight = ldexp(1, g), .grid = g};
            s.letters = s.edges = s.weight;
            page p = page_of(page_types[k], 3);
            if (s.weight > 0)
                CHECK(found(page_types[k], &s, 3, false) == page_count_holds(&p, &s), "count in %s on the grid 2^%d",
                      temper_type_name(page_types[k]), g);
        }
    }
}

/* Hard runs of once and nearest: a query ceil2(N)/d, or the constant 1 with a weight, and the key K*(1 - c), or c.
   The difference of candidates and others must not be rounded to 0. */
static void check_hard_difference(void) {
    for (size_t k = 0; k < PAGE_ROW_TYPES; k++) {
        const number_type *n = number_type_of(page_types[k]);
        int stored = (int)log2(n->storage->least), summed = (int)log2(n->accumulation->least);
        for (int q = -3; q <= 3; q++)
            for (int form = 0; form < 4; form++) {
                bool power = form & 1, product = form & 2;
                /* the query itself is near the least number, or its product with K is */
                int size = product ? -4 : stored + q, key = product ? summed + 4 + q : 0;
                if (product && (!power || key < stored)) continue;
                if (power && size < -1000) continue; /* 1/d would be no double */
                term_shape query = {{.size = FORM_CONSTANT, .c = 1, .d = 1}, ldexp(1, size)};
                term_shape keys[2] = {{{.size = FORM_CONSTANT, .c = 1, .d = 1}, -ldexp(1, key)},
                                      {{.size = FORM_BOOLEAN, .c = 1, .d = 1}, ldexp(1, key)}};
                if (power) query = (term_shape){{.size = FORM_CEIL2, .c = 1, .d = ldexp(1, -size)}, 1};
                if (query.weight == 0 || n->storage->least > query.weight) continue; /* no number of the format */
                row_shape a = {1, &query}, b = {power ? 2 : 1, power ? keys : keys + 1};
                head_shape s = {
                    .role = ROLE_NEAREST, .soft_ties = true, .tests = true, .rows = 1, .query = &a, .key = &b};
                bool fits = size >= stored + 1 && size + key >= summed + 1;
                CHECK(found(page_types[k], &s, 5, true) == fits, "hard nearest in %s: query %s 2^%d, key 2^%d",
                      temper_type_name(page_types[k]), power ? "from" : "of", size, key);
            }
    }
}

/* What the least query and the least key are, by the form of their terms. */
static void check_hard_forms(void) {
    for (size_t k = 0; k < PAGE_ROW_TYPES; k++) {
        const number_type *n = number_type_of(page_types[k]);
        int stored = (int)log2(n->storage->least);
        if (stored < -1000) continue; /* 1/d would be no double */
        for (int q = -2; q <= 2; q++) {
            double w = ldexp(1, stored + 1 + q);
            const struct {
                term_shape terms[2];
                size_t count;
                double least;
            } queries[] = {
                {{{{.size = FORM_CONSTANT, .c = 4}, w / 4}}, 1, w},
                {{{{.size = FORM_POWER, .power = 1, .c = 4}, -w / 4}}, 1, w},
                {{{{.size = FORM_CEIL2, .c = 1, .d = 0.5}, w}}, 1, 2 * w},
                {{{{.size = FORM_LOG, .c = 8}, w}}, 1, w / 2},
                {{{{.size = FORM_LOG_STEP, .c = 8}, -w}}, 1, w / 2},
                {{{{.size = FORM_SHARE}, 64 * w}}, 1, 0},
                {{{{.size = FORM_CONSTANT, .c = 1}, 64 * w}, {{.size = FORM_POWER, .power = 1, .c = 1}, 64 * w}},
                 2,
                 0},
            };
            /* K alone counts in a key that has it, whatever its Booleans weigh */
            double large = ldexp(1, 4) * w;
            const term_shape small = {{.size = FORM_CONSTANT, .c = 1}, 0x1p-4},
                             with_k[2] = {{{.size = FORM_BOOLEAN, .c = 1}, 4 * large},
                                          {{.size = FORM_CONSTANT, .c = -2}, large / 2}};
            row_shape of_small = {1, &small}, of_k = {2, with_k};
            head_shape odd = {.role = ROLE_ONCE, .soft_ties = true, .rows = 1, .query = &of_small, .key = &of_k};
            CHECK(found(page_types[k], &odd, 5, true) == (w >= 2 * n->accumulation->least),
                  "hard once in %s, K = 2^%d", temper_type_name(page_types[k]), stored + 5 + q);
            term_shape c = {{.size = FORM_BOOLEAN, .c = 1}, 4}, constant = {{.size = FORM_CONSTANT, .c = -2}, 2};
            const term_shape keys[2] = {c, constant};
            for (size_t j = 0; j < sizeof queries / sizeof *queries; j++)
                for (size_t count = 1; count <= 2; count++) {
                    row_shape a = {queries[j].count, queries[j].terms}, b = {count, keys};
                    head_shape s = {.role = ROLE_ONCE, .soft_ties = true, .rows = 1, .query = &a, .key = &b};
                    bool fits = queries[j].least >= 2 * n->storage->least;
                    CHECK(found(page_types[k], &s, 5, true) == fits,
                          "hard once in %s, query %zu with 2^%d, %zu key terms", temper_type_name(page_types[k]), j,
                          stored + 1 + q, count);
                }
        }
    }
}

/* Runs letter by letter count distances in the format of sums; once has none. */
static void check_hard_distances(void) {
    for (int nearest = 0; nearest < 2; nearest++)
        for (int more = 0; more < 2; more++) {
            term_shape one = {{.size = FORM_CONSTANT, .c = 1}, 1};
            /* what stands behind the only term of the key is no part of it */
            const term_shape c[2] = {{{.size = FORM_BOOLEAN, .c = 1}, 1},
                                     {{.size = FORM_CONSTANT, .c = 1}, 0x1p-900}};
            row_shape a = {1, &one}, b = {1, c};
            head_shape s = {.role = nearest ? ROLE_NEAREST : ROLE_ONCE, .soft_ties = true, .tests = true, .rows = 1};
            s.query = &a;
            s.key = &b;
            CHECK(found(TEMPER_TYPE_F32, &s, ((uint64_t)1 << 24) + (uint64_t)more, true) == !(nearest && more),
                  "hard, nearest: %d, %d more than 2^24 positions", nearest, more);
        }
}

static void check_letters(void) {
    for (size_t k = 0; k < PAGE_ROW_TYPES; k++) {
        bounds b;
        bool ascending = number_type_is_emulated(page_types[k]);
        bounds_init(&b, number_type_of(page_types[k]), ascending, 1000, &memory);
        CHECK(ball_upper(b.normal_s) == b.s->least * ldexp(1, b.s->precision - 1) &&
                  ball_upper(b.normal_a) == b.a->least * ldexp(1, b.a->precision - 1),
              "least normal numbers of %s", temper_type_name(page_types[k]));
        arena_reset(&memory);
    }
}

int main(void) {
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    check_letters();
    check_grids();
    check_hard_difference();
    check_hard_forms();
    check_hard_distances();
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
            head_shape place = lookup;
            place.anywhere = true;
            place.weight = large ? w : 0.5;
            if (!scaled) compare_ends("count", &count, page_count_holds, false);
            compare_ends("compare", &compare, page_compare_holds, false);
            compare_ends("compare", &compare, page_compare_holds_hard, true);
            compare_ends("balance", &balance, page_balance_holds, false);
            compare_ends("balance", &balance, page_balance_holds, true);
            compare_ends("look-up", &lookup, page_lookup_holds, false);
            compare_ends("look-up", &lookup, page_lookup_holds_hard, true);
            compare_ends("look-up of a position", &place, page_lookup_holds, false);
            compare_ends("look-up of a position", &place, page_lookup_holds_hard, true);
            balance.total /= 32;
            compare_sharpness("compare", &compare, page_compare_holds, false);
            compare_sharpness("balance", &balance, page_balance_holds, false);
            compare_sharpness("look-up", &lookup, page_lookup_holds_hard, true);
            compare.soft_ties = false;
            CHECK(!found(TEMPER_TYPE_F64, &compare, 5, true), "a hard run sees what breaks ties");
            CHECK(found(TEMPER_TYPE_F64, &compare, 5, false), "a soft run does not mind");
        }
    arena_free(&memory);
    return test_finish("bound-conditions");
}
