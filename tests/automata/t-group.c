/* Groups from generators, with many that are not needed, and at the limit of elements. */
#include "automata/group.h"

#include <string.h>

#include "base/trap.h"
#include "test.h"

enum { MOST_DEGREE = 16, MOST_GENERATORS = 200 };

static void shuffle(uint32_t *permutation, uint32_t degree, test_random *r) {
    for (uint32_t k = 0; k < degree; k++) permutation[k] = k;
    for (uint32_t k = degree; k > 1; k--) {
        uint32_t at = (uint32_t)random_below(r, k), other = permutation[at];
        permutation[at] = permutation[k - 1];
        permutation[k - 1] = other;
    }
}

/* By the definition: multiply all with all until nothing is new. Slow, for small groups. */
static size_t closure_order(const uint32_t *generators, size_t count, uint32_t degree, arena *a) {
    enum { MOST = 6000 };
    uint32_t *all = arena_alloc(a, (size_t)MOST * degree, sizeof *all);
    size_t known = 1;
    table seen;
    bool fresh;
    table_init(&seen, a);
    for (uint32_t p = 0; p < degree; p++) all[p] = p;
    table_put(&seen, all, degree * sizeof *all, 0, &fresh);
    for (size_t x = 0; x < known; x++)
        for (size_t g = 0; g < count && known < MOST - 1; g++) {
            uint32_t *next = all + known * degree;
            for (uint32_t p = 0; p < degree; p++) next[p] = generators[g * degree + all[x * degree + p]];
            table_put(&seen, next, degree * sizeof *next, 0, &fresh);
            known += fresh;
        }
    return known;
}

static void check_random(test_random *r, arena *a) {
    static uint32_t generators[MOST_GENERATORS * MOST_DEGREE];
    uint32_t degree = 1 + (uint32_t)random_below(r, 6);
    size_t count = (size_t)random_below(r, 12);
    group g = {0};
    for (size_t k = 0; k < count; k++) {
        bool repeats = k && random_below(r, 3) == 0;
        shuffle(generators + k * degree, degree, r);
        for (uint32_t p = 0; p < degree && repeats; p++) generators[k * degree + p] = generators[p];
    }
    if (!CHECK(group_generate(&g, generators, count, degree, a), "degree %u, %zu generators", degree, count)) return;
    size_t order = closure_order(generators, count, degree, a);
    CHECK(g.order == order, "degree %u, %zu generators: order %u, not %zu", degree, count, g.order, order);
    for (size_t k = 0; k < count; k++)
        CHECK(group_find(&g, generators + k * degree) != UINT32_MAX, "generator %zu is no element", k);
    for (uint32_t x = 0; x < g.order && x < 20; x++)
        CHECK(group_product(&g, x, group_inverse(&g, x)) == 0, "element %u times its inverse", x);
}

/* Z2^13 has 8,192 elements, as many as are listed; a cycle of three beside it makes more. */
static void check_limit(arena *a) {
    enum { FACTORS = 13, DEGREE = 2 * FACTORS + 3, COUNT = FACTORS + 1 };
    static uint32_t generators[COUNT * DEGREE];
    group g = {0};
    for (uint32_t k = 0; k < COUNT; k++)
        for (uint32_t p = 0; p < DEGREE; p++) generators[k * DEGREE + p] = p;
    for (uint32_t k = 0; k < FACTORS; k++) {
        generators[k * DEGREE + 2 * k] = 2 * k + 1;
        generators[k * DEGREE + 2 * k + 1] = 2 * k;
    }
    for (uint32_t p = 0; p < 3; p++) generators[FACTORS * DEGREE + 2 * FACTORS + p] = 2 * FACTORS + (p + 1) % 3;
    CHECK(group_generate(&g, generators, FACTORS, DEGREE, a) && g.order == GROUP_ORDER_LIMIT, "order %u", g.order);
    CHECK(!group_generate(&g, generators, COUNT, DEGREE, a), "more elements than the limit");
}

/* Known groups by generators, each a row of images; those that share an order with a named one have no name. */
static void check_names(arena *a) {
    static const struct {
        const char *generators, *name;
    } known[] = {{"012", "trivial"},
                 {"120 102", "S3"},
                 {"1203 1032", "A4"},
                 {"1203456 0214563", "a group of order 12"},         /* Z3 by Z4 */
                 {"1203456 1023456 0124563", "a group of order 24"}, /* S3 x Z4 */
                 {"1023 1230", "S4"},
                 {"1203456 1032456 0123546 0123564", "a group of order 72"}, /* A4 x S3 */
                 {"1234065 0432156", "D10"},
                 {"123405678 043215678 012346785", "a group of order 40"}, /* D5 x Z4 */
                 {"123405678 043216785", "a group of order 20"},           /* Z5 by Z4, whose square is -1 */
                 {"12340 02413", "F20"},
                 {"12340 12034", "A5"},
                 {"10234 12340", "S5"},
                 {"1203456 1234056 0123465", "a group of order 120"}, /* A5 x Z2 */
                 {"102345 123450", "S6"},
                 {"1234560 0216453", "PSL(2,7)"},
                 {"12304567 01235674", "Z4 x Z4"},
                 {"1234056789 1203456789 0123467895 0123467589", "a perfect group of order 3600"}, /* A5 x A5 */
                 {"12340567 12034567 01234675", "a group of order 180"}};                          /* A5 x Z3 */
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        uint32_t generators[MOST_GENERATORS], degree = 0;
        size_t count = 0;
        group g = {0};
        for (const char *p = known[k].generators; *p; p++)
            if (*p != ' ') generators[count++] = (uint32_t)(*p - '0');
        while (known[k].generators[degree] && known[k].generators[degree] != ' ') degree++;
        arena_reset(a);
        if (CHECK(group_generate(&g, generators, count / degree, degree, a), "%s", known[k].name))
            CHECK(strcmp(group_name(&g, a), known[k].name) == 0, "%s: %s, not %s", known[k].generators,
                  group_name(&g, a), known[k].name);
    }
}

int main(void) {
    test_random r = test_seed(77);
    trap t;
    temper_error error;
    arena memory;
    if (trap_set(&t, &error)) {
        CHECK(false, "%s", error.text);
        return test_finish("t-group");
    }
    arena_init(&memory, &t);
    for (size_t k = 0; k < (size_t)(300 * test_effort()); k++) {
        arena_reset(&memory);
        check_random(&r, &memory);
    }
    arena_reset(&memory);
    check_limit(&memory);
    check_names(&memory);
    arena_free(&memory);
    return test_finish("t-group");
}
