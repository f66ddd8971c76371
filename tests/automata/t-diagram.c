/* Decision diagrams against tables of all assignments: random functions of a few variables, combined, mapped and
   summed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_diagram.h"
#include "test.h"

enum { VARS = 6, ROWS = 1 << VARS, FUNCTIONS = 12 };

static double at(const diagram *d, dd f, unsigned row) {
    while (!dd_is_leaf(d, f)) f = row >> d->nodes[f].var & 1 ? d->nodes[f].hi : d->nodes[f].lo;
    return dd_value(d, f);
}

typedef struct function {
    dd f;
    double value[ROWS];
} function;

static function of_variable(diagram *d, unsigned var) {
    function x = {.f = dd_variable(d, var)};
    for (unsigned row = 0; row < ROWS; row++) x.value[row] = row >> var & 1;
    return x;
}

static double combined(dd_op op, double x, double y) {
    switch (op) {
    case DD_AND: return x != 0 && y != 0;
    case DD_OR: return x != 0 || y != 0;
    case DD_XOR: return (x != 0) != (y != 0);
    case DD_ADD: break;
    }
    return x + y;
}

static bool agrees(const diagram *d, const function *x, const char *what) {
    for (unsigned row = 0; row < ROWS; row++)
        if (at(d, x->f, row) != x->value[row])
            return CHECK(false, "%s: row %u is %g, not %g", what, row, at(d, x->f, row), x->value[row]);
    return CHECK(true, "%s", what);
}

/* Equal tables are equal nodes. */
static void check_canonical(const function *x, size_t count) {
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < k; j++) {
            bool same = memcmp(x[k].value, x[j].value, sizeof x[k].value) == 0;
            CHECK(same == (x[k].f == x[j].f), "equal functions are different nodes, or the other way round");
        }
}

/* With limits, values between them are exact, and the others stay on their side. */
static void check_sum(diagram *d, const function *x, test_random *r) {
    dd f[FUNCTIONS];
    double weight[FUNCTIONS], table[ROWS] = {0};
    size_t count = 1 + random_below(r, FUNCTIONS);
    for (size_t k = 0; k < count; k++) {
        size_t which = random_below(r, FUNCTIONS);
        weight[k] = (double)(int64_t)random_below(r, 9) - 4;
        if (weight[k] == 0) weight[k] = 0.5;
        f[k] = x[which].f;
        for (unsigned row = 0; row < ROWS; row++) table[row] += weight[k] * x[which].value[row];
    }
    double least = (double)(int64_t)random_below(r, 17) - 8, most = least + 0.5 + (double)random_below(r, 6);
    bool limited = random_below(r, 4) != 0, open = random_below(r, 4) == 0;
    dd sum = dd_sum(d, f, weight, count, limited ? least : NAN, limited ? open ? INFINITY : most : NAN);
    for (unsigned row = 0; row < ROWS; row++) {
        double got = at(d, sum, row), want = table[row];
        bool ok = got == want;
        if (limited && want <= least) ok = got <= least;
        if (limited && !open && want >= most) ok = got >= most;
        if (!CHECK(ok, "a sum of %zu is %g, not %g; limits %g, %g", count, got, want, limited ? least : NAN, most))
            return;
    }
}

static double doubled(void *context, double x) {
    (void)context;
    return 2 * x + 1;
}

/* Members and branches of a number in binary; codes beyond the last one mean the last one. */
static void check_numbers(test_random *r, arena *a) {
    diagram d;
    diagram_init(&d, a);
    uint64_t count = 1 + random_below(r, 40);
    uint32_t bits = dd_bits(count), members[40];
    dd branch[40];
    size_t member_count = 0;
    dd_new_vars(&d, bits);
    for (uint32_t k = 0; k < count; k++) {
        if (random_below(r, 3) == 0) members[member_count++] = k;
        branch[k] = dd_number(&d, (double)random_below(r, 4));
    }
    dd f = dd_members(&d, 0, bits, count, members, member_count), g = dd_select(&d, 0, bits, count, branch);
    for (uint64_t code = 0; code < (uint64_t)1 << bits; code++) {
        uint64_t number = code < count ? code : count - 1;
        unsigned row = 0;
        bool member = false;
        for (uint32_t b = 0; b < bits; b++) row |= (unsigned)(code >> (bits - 1 - b) & 1) << b;
        for (size_t k = 0; k < member_count; k++) member = member || members[k] == number;
        CHECK(at(&d, f, row) == member, "%llu of %llu: membership", (unsigned long long)code,
              (unsigned long long)count);
        CHECK(at(&d, g, row) == dd_value(&d, branch[number]), "%llu of %llu: branch", (unsigned long long)code,
              (unsigned long long)count);
    }
}

int main(void) {
    test_random r = test_seed(31);
    arena a;
    trap t;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "%s", t.error.text);
        return test_finish("t-diagram");
    }
    for (size_t round = 0; round < (size_t)(400 * test_effort()) + 1; round++) {
        diagram d;
        function x[FUNCTIONS];
        arena_reset(&a);
        diagram_init(&d, &a);
        dd_new_vars(&d, VARS);
        for (unsigned k = 0; k < FUNCTIONS; k++) {
            if (k < VARS && random_below(&r, 8)) {
                x[k] = of_variable(&d, k);
                continue;
            }
            dd_op op = (dd_op)random_below(&r, 3);
            const function *p = &x[k ? random_below(&r, k) : 0], *q = &x[k ? random_below(&r, k) : 0];
            if (k == 0) {
                x[k] = (function){.f = 0};
                continue;
            }
            function z = {.f = dd_apply(&d, op, p->f, q->f)};
            for (unsigned row = 0; row < ROWS; row++) z.value[row] = combined(op, p->value[row], q->value[row]);
            x[k] = z;
            agrees(&d, &x[k], "a connective");
        }
        check_canonical(x, FUNCTIONS);
        function mapped = {.f = dd_map(&d, x[FUNCTIONS - 1].f, doubled, NULL)};
        for (unsigned row = 0; row < ROWS; row++) mapped.value[row] = 2 * x[FUNCTIONS - 1].value[row] + 1;
        agrees(&d, &mapped, "a map");
        for (int k = 0; k < 8; k++) check_sum(&d, x, &r);
        check_numbers(&r, &a);
    }
    arena_free(&a);
    return test_finish("t-diagram");
}
