/* The auditor's decision diagrams against tables: every operation on random functions of eight variables is done a
   second time on all 256 rows. Equal functions must be the same node, whatever the way to them; questions about a
   function (leaves, range, variables, implication) are answered from the table as well. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_diagram.h"
#include "test.h"

enum { VARS = 8, ROWS = 1 << VARS };

static arena memory;
static trap failure;
static diagram d;

typedef struct function {
    dd node;
    double value[ROWS];
} function;

/* Variable k is bit VARS - 1 - k of the row: the first is the most significant. */
static bool bit(size_t row, uint32_t var) { return row >> (VARS - 1 - var) & 1; }

static double at(dd f, size_t row) {
    uint32_t last = 0;
    for (bool first = true; !dd_is_leaf(&d, f); first = false) {
        uint32_t var = d.nodes[f].var;
        CHECK(first || var > last, "variable %u behind %u", var, last);
        last = var;
        CHECK(d.nodes[f].lo != d.nodes[f].hi, "a node that decides nothing");
        f = bit(row, var) ? d.nodes[f].hi : d.nodes[f].lo;
    }
    return dd_value(&d, f);
}

static bool is_boolean(const function *f) {
    for (size_t k = 0; k < ROWS; k++)
        if (f->value[k] != 0 && f->value[k] != 1) return false;
    return true;
}

static void check(const function *f, const char *what) {
    for (size_t k = 0; k < ROWS; k++) {
        double x = at(f->node, k);
        if (!CHECK(x == f->value[k] && !signbit(x) == !(x < 0), "%s: row %zu is %g, not %g", what, k, x, f->value[k]))
            return;
    }
}

/* ---- questions ---- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_questions(const function *f) {
    double sorted[ROWS], low, high;
    size_t count = 0, found;
    memcpy(sorted, f->value, sizeof sorted);
    qsort(sorted, ROWS, sizeof *sorted, ascending);
    for (size_t k = 0; k < ROWS; k++)
        if (k == 0 || sorted[k] != sorted[k - 1]) sorted[count++] = sorted[k];
    double *leaves = dd_leaves(&d, f->node, &found, &memory);
    CHECK(found == count && memcmp(leaves, sorted, count * sizeof *sorted) == 0, "%zu leaves, not %zu", found, count);
    dd_range(&d, f->node, &low, &high);
    CHECK(low == sorted[0] && high == sorted[count - 1], "from %g to %g, not %g to %g", low, high, sorted[0],
          sorted[count - 1]);
    CHECK(dd_is_boolean(&d, f->node) == is_boolean(f), "Boolean: %d", is_boolean(f));
    CHECK(dd_at_zero(&d, f->node) == f->value[0], "at zero");
    for (uint32_t v = 0; v < VARS; v++) {
        bool depends = false;
        for (size_t k = 0; k < ROWS; k++) depends = depends || f->value[k] != f->value[k ^ (1u << (VARS - 1 - v))];
        CHECK(dd_depends(&d, f->node, v) == depends, "it %s on variable %u", depends ? "depends" : "does not depend",
              v);
    }
}

static void check_pair(const function *f, const function *g) {
    bool same = memcmp(f->value, g->value, sizeof f->value) == 0, implies = true;
    CHECK(same == (f->node == g->node), "%s, and nodes %u and %u", same ? "equal" : "different", f->node, g->node);
    if (!is_boolean(f) || !is_boolean(g)) return;
    for (size_t k = 0; k < ROWS; k++) implies = implies && f->value[k] <= g->value[k];
    CHECK(dd_implies(&d, f->node, g->node) == implies, "implication: %d", implies);
}

/* ---- operations ---- */

static double twice_and_one(void *context, double x) { return 2 * x + *(double *)context; }

static function apply(dd_op op, const function *f, const function *g) {
    function h = {.node = dd_apply(&d, op, f->node, g->node)};
    for (size_t k = 0; k < ROWS; k++) {
        bool x = f->value[k] != 0, y = g->value[k] != 0;
        h.value[k] = op == DD_AND ? x && y : op == DD_OR ? x || y : op == DD_XOR ? x != y : f->value[k] + g->value[k];
    }
    check(&h, op == DD_AND ? "and" : op == DD_OR ? "or" : op == DD_XOR ? "xor" : "sum of two");
    return h;
}

static function constant(double x) {
    function f = {.node = dd_number(&d, x)};
    for (size_t k = 0; k < ROWS; k++) f.value[k] = x;
    return f;
}

static function variable(uint32_t var) {
    function f = {.node = dd_variable(&d, var)};
    for (size_t k = 0; k < ROWS; k++) f.value[k] = bit(k, var);
    return f;
}

/* Some functions at random: all leaves are small whole numbers. */
static function random_function(test_random *r, bool boolean) {
    dd rows[ROWS];
    function f;
    uint64_t values = boolean ? 2 : 1 + random_below(r, 5), period = (uint64_t)1 << random_below(r, VARS + 1);
    for (size_t k = 0; k < ROWS; k++) {
        f.value[k] = k % period != k ? f.value[k % period] : (double)random_below(r, values) - (boolean ? 0 : 2);
        rows[k] = dd_number(&d, f.value[k]);
    }
    f.node = dd_select(&d, 0, VARS, ROWS, rows);
    check(&f, "a table");
    return f;
}

static void check_map(const function *f, double add) {
    function g = {.node = dd_map(&d, f->node, twice_and_one, &add)}, h = {.node = dd_times(&d, f->node, add + 1)};
    for (size_t k = 0; k < ROWS; k++) {
        g.value[k] = 2 * f->value[k] + add;
        h.value[k] = (add + 1) * f->value[k];
    }
    check(&g, "map");
    check(&h, "times");
}

static void check_not(const function *f) {
    function g = {.node = dd_not(&d, f->node)};
    for (size_t k = 0; k < ROWS; k++) g.value[k] = !f->value[k];
    check(&g, "not");
}

/* Sums of up to seven, with ends beyond which values need not be told apart. */
static void check_sum(test_random *r, const function *all, size_t count) {
    dd f[7];
    double weight[7], sum[ROWS] = {0}, least = NAN, most = NAN;
    size_t terms = random_below(r, 8);
    for (size_t k = 0; k < terms; k++) {
        const function *x = &all[random_below(r, count)];
        f[k] = x->node;
        weight[k] = ((double)random_below(r, 4) - 4) / 2;
        if (random_below(r, 2)) weight[k] = -weight[k];
        for (size_t i = 0; i < ROWS; i++) sum[i] += weight[k] * x->value[i];
    }
    if (random_below(r, 3)) {
        least = (double)random_below(r, 9) - 6;
        most = least + (double)random_below(r, 6);
    }
    dd s = dd_sum(&d, f, weight, terms, least, most);
    for (size_t k = 0; k < ROWS; k++) {
        double x = at(s, k);
        bool fine = isnan(least)      ? x == sum[k]
                    : sum[k] <= least ? x <= least
                    : sum[k] >= most  ? x >= most
                                      : x == sum[k];
        if (!CHECK(fine, "a sum of %zu between %g and %g: row %zu is %g, not %g", terms, least, most, k, x, sum[k]))
            return;
    }
}

/* What clamping is for: many inputs, few values. */
static void check_clamping(void) {
    enum { MANY = 40 };
    dd f[MANY];
    double weight[MANY];
    diagram e;
    diagram_init(&e, &memory);
    uint32_t first = dd_new_vars(&e, MANY);
    for (uint32_t k = 0; k < MANY; k++) {
        f[k] = dd_variable(&e, first + k);
        weight[k] = k % 2 ? 3 : 1;
    }
    size_t before = e.count;
    dd all = dd_sum(&e, f, weight, MANY, 1, 2), none = dd_sum(&e, f, weight, MANY, -1, 0);
    double low, high;
    dd_range(&e, all, &low, &high);
    CHECK(low <= 1 && high >= 2, "from %g to %g", low, high);
    CHECK(dd_is_leaf(&e, none) && dd_value(&e, none) >= 0, "all are at least 0");
    CHECK(e.count - before < 40 * MANY, "%zu nodes", e.count - before);
}

/* ---- numbers in binary ---- */

static void check_numbers(test_random *r) {
    for (uint64_t count = 1; count <= 70; count++) {
        uint32_t bits = dd_bits(count), var = (uint32_t)random_below(r, VARS - bits + 1), members[70];
        CHECK(((uint64_t)1 << bits) >= count && (bits == 0 || ((uint64_t)1 << (bits - 1)) < count),
              "%u bits for %llu", bits, (unsigned long long)count);
        bool in[70];
        dd branch[70];
        double leaf[70];
        size_t size = 0;
        uint64_t dense = random_below(r, 5);
        for (uint64_t k = 0; k < count; k++) {
            in[k] = dense == 4 || random_below(r, 4) < dense;
            if (in[k]) members[size++] = (uint32_t)k;
            leaf[k] = (double)random_below(r, 3);
            branch[k] = dd_number(&d, leaf[k]);
        }
        function f = {.node = dd_members(&d, var, bits, count, members, size)},
                 g = {.node = dd_select(&d, var, bits, count, branch)};
        for (size_t k = 0; k < ROWS; k++) {
            uint64_t code = k >> (VARS - var - bits) & (((uint64_t)1 << bits) - 1),
                     number = code < count ? code : count - 1;
            f.value[k] = in[number];
            g.value[k] = leaf[number];
        }
        check(&f, "members");
        check(&g, "select");
    }
    CHECK(dd_bits(0) == 0 && dd_bits((uint64_t)1 << 62) == 62 && dd_bits(UINT64_MAX) == 63, "bits of large numbers");
}

/* ---- refusals ---- */

typedef void attempt(void *context);

static bool refuses(attempt *f, void *context) {
    trap outer = failure;
    if (trap_set(&failure, NULL)) {
        failure = outer;
        return true;
    }
    f(context);
    failure = outer;
    return false;
}

static double to_infinity(void *context, double x) { return *(double *)context / (x * 0); }
static void number(void *x) { dd_number(&d, *(double *)x); }
static void sum(void *x) { dd_add(&d, dd_number(&d, ((double *)x)[0]), dd_number(&d, ((double *)x)[1])); }
static void times(void *x) { dd_times(&d, dd_number(&d, ((double *)x)[0]), ((double *)x)[1]); }
static void map(void *x) { dd_map(&d, dd_number(&d, 3), to_infinity, x); }
static void variables(void *x) { dd_new_vars(&d, *(uint32_t *)x); }

static void check_refusals(void) {
    CHECK(refuses(number, &(double){INFINITY}) && refuses(number, &(double){NAN}) &&
              !refuses(number, &(double){1e308}),
          "only finite numbers");
    CHECK(refuses(sum, (double[]){1, 0x1p-60}) && refuses(sum, (double[]){0x1p53, 1}) &&
              refuses(sum, (double[]){1e308, 1e308}) && !refuses(sum, (double[]){0x1p53, 2}) &&
              !refuses(sum, (double[]){-0x1p53, 1}) && !refuses(sum, (double[]){3, 0x1p-50}),
          "sums that are doubles");
    CHECK(refuses(times, (double[]){0.1, 0.1}) && refuses(times, (double[]){1e200, 1e200}) &&
              refuses(times, (double[]){0x1p-1000, 0x1p-1000}) && !refuses(times, (double[]){0.1, 4}) &&
              !refuses(times, (double[]){0x1p-500, 0x1p-500}),
          "products that are doubles");
    CHECK(refuses(map, &(double){1}), "only finite numbers at leaves");
    uint32_t left = DD_LEAF - 2 - d.vars;
    CHECK(refuses(variables, &(uint32_t){left + 1}) && !refuses(variables, &left), "%u variables are left", left);
}

/* Node 2 is the first that is neither 0 nor 1. */
static void check_first_number(void) {
    diagram fresh;
    diagram_init(&fresh, &memory);
    dd x = dd_number(&fresh, 7), v = dd_variable(&fresh, dd_new_vars(&fresh, 1));
    CHECK(!dd_is_boolean(&fresh, x) && !dd_is_boolean(&fresh, dd_add(&fresh, x, v)), "7 is not Boolean");
    CHECK(dd_is_boolean(&fresh, 0) && dd_is_boolean(&fresh, 1) && dd_is_boolean(&fresh, v),
          "0, 1 and a variable are");
}

int main(void) {
    enum { COUNT = 24 };
    test_random r = test_seed(4711);
    if (trap_set(&failure, NULL)) return 1;
    arena_init(&memory, &failure);
    function all[COUNT];
    size_t rounds = 4 + (size_t)(4 * test_effort());
    for (size_t round = 0; round < rounds; round++) {
        diagram_init(&d, &memory);
        CHECK(dd_new_vars(&d, 3) == 0 && dd_new_vars(&d, VARS - 3) == 3, "variables are numbered in order");
        CHECK(dd_number(&d, 0) == 0 && dd_number(&d, -0.0) == 0 && dd_number(&d, 1) == 1 &&
                  dd_number(&d, 0.5) == dd_number(&d, 0.5) && dd_number(&d, 0x1p32) != dd_number(&d, 0x1p33),
              "leaves");
        if (round == 1) d.pass = UINT32_MAX - 20; /* passes are counted beyond 32 bits */
        for (uint32_t k = 0; k < COUNT; k++)
            all[k] = k < VARS        ? variable(k)
                     : k < VARS + 2  ? constant(k % 2)
                     : k == VARS + 2 ? constant(-3)
                                     : random_function(&r, k % 3 > 0);
        for (size_t k = 0; k < COUNT; k++) {
            check_questions(&all[k]);
            check_map(&all[k], (double)(k % 4));
            if (is_boolean(&all[k])) check_not(&all[k]);
            for (size_t i = 0; i < COUNT; i++) {
                const function *f = &all[k], *g = &all[i];
                check_pair(f, g);
                function x = apply(DD_ADD, f, g);
                if (is_boolean(f) && is_boolean(g))
                    for (dd_op op = DD_AND; op <= DD_XOR; op++) {
                        function y = apply(op, f, g);
                        check_pair(&x, &y);
                        check_pair(&y, f);
                    }
            }
        }
        for (size_t k = 0; k < 40; k++) check_sum(&r, all, COUNT);
        check_numbers(&r);
        CHECK(round < 1 || d.count > 1200, "only %zu nodes: the table did not grow", d.count);
    }
    check_first_number();
    check_clamping();
    check_refusals();
    arena_free(&memory);
    return test_finish("t-audit-diagram");
}
