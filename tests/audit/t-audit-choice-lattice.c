/* The auditor's sets {a + k g} within [lo, hi]: every operation against the formulas of doc/certificate.md, "Facts
   about the hard model", in whole numbers of twelfths, and against the members one by one. */
#include <stdlib.h>

#include "audit/audit_choices_lattice.h"
#include "test.h"

enum { UNIT = 12 };

typedef struct plain {
    long a, g, lo, hi;
} plain;

static long gcd(long x, long y) {
    x = labs(x), y = labs(y);
    while (y) {
        long rest = x % y;
        x = y, y = rest;
    }
    return x;
}

static long least(long x, long y) { return x < y ? x : y; }
static long most(long x, long y) { return x > y ? x : y; }
static long mod(long x, long m) { return ((x % m) + m) % m; }

static plain random_plain(test_random *r) {
    plain x = {(long)random_below(r, 61) - 30, (long)random_below(r, 9), 0, 0};
    if (random_below(r, 8) == 0) x.a = 0;
    if (random_below(r, 4) == 0) x.a = x.g * ((long)random_below(r, 5) - 2);
    x.lo = x.a - (long)random_below(r, 30), x.hi = x.a + (long)random_below(r, 30);
    if (random_below(r, 3) == 0)
        x.lo = x.a - x.g * (long)random_below(r, 4), x.hi = x.a + x.g * (long)random_below(r, 4);
    if (x.g && random_below(r, 6) == 0)
        x.lo = x.a + 1 + (long)random_below(r, 20), x.hi = x.lo + (long)random_below(r, 20);
    if (x.g == 0) x.lo = x.hi = x.a;
    return x;
}

static void set(lattice *z, const plain *x, unsigned long unit) {
    rational_set_ratio(&z->a, x->a, unit);
    rational_set_ratio(&z->g, x->g, unit);
    rational_set_ratio(&z->lo, x->lo, unit);
    rational_set_ratio(&z->hi, x->hi, unit);
}

static bool is(const rational *x, long k, unsigned long unit, rational *t) {
    rational_set_ratio(t, k, unit);
    return rational_equal(x, t);
}

typedef struct bench {
    lattice *x, *y, *z;
    lattice_work work;
    rational *t;
} bench;

static void expect(bench *b, const char *what, const lattice *z, plain e, unsigned long unit, const plain *x,
                   const plain *y) {
    CHECK(is(&z->a, e.a, unit, b->t) && is(&z->g, e.g, unit, b->t) && is(&z->lo, e.lo, unit, b->t) &&
              is(&z->hi, e.hi, unit, b->t),
          "%s of (%ld %ld %ld %ld) and (%ld %ld %ld %ld) is not (%ld %ld %ld %ld)/%lu", what, x->a, x->g, x->lo,
          x->hi, y->a, y->g, y->lo, y->hi, e.a, e.g, e.lo, e.hi, unit);
}

static void check_operations(bench *b, plain x, plain y, long factor) {
    plain sum = {x.a + y.a, gcd(x.g, y.g), x.lo + y.lo, x.hi + y.hi};
    plain difference = {x.a - y.a, gcd(x.g, y.g), x.lo - y.hi, x.hi - y.lo};
    plain hull = {x.a, gcd(gcd(x.g, y.g), x.a - y.a), least(x.lo, y.lo), most(x.hi, y.hi)};
    long corner[] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi};
    plain product = {x.a * y.a, gcd(gcd(x.a * y.g, y.a * x.g), x.g * y.g), 0, 0};
    product.lo = least(least(corner[0], corner[1]), least(corner[2], corner[3]));
    product.hi = most(most(corner[0], corner[1]), most(corner[2], corner[3]));
    plain scaled = {x.a * factor, x.g * labs(factor), least(x.lo * factor, x.hi * factor),
                    most(x.lo * factor, x.hi * factor)};
    for (int alias = 0; alias < 3; alias++) { /* into a third one, and over x or y */
        lattice *z = alias == 0 ? b->z : alias == 1 ? b->x : b->y;
        set(b->x, &x, UNIT), set(b->y, &y, UNIT);
        lattice_add(z, b->x, b->y);
        expect(b, "the sum", z, sum, UNIT, &x, &y);
        set(b->x, &x, UNIT), set(b->y, &y, UNIT);
        lattice_sub(z, b->x, b->y, &b->work);
        expect(b, "the difference", z, difference, UNIT, &x, &y);
        set(b->x, &x, UNIT), set(b->y, &y, UNIT);
        lattice_join(z, b->x, b->y, &b->work);
        expect(b, "the union", z, hull, UNIT, &x, &y);
        set(b->x, &x, UNIT), set(b->y, &y, UNIT);
        lattice_mul(z, b->x, b->y, &b->work);
        expect(b, "the product", z, product, UNIT * UNIT, &x, &y);
        if (alias == 2) continue;
        set(b->x, &x, UNIT);
        rational_set_ratio(&b->t[1], factor, UNIT);
        lattice_scale(z, b->x, &b->t[1], &b->work);
        expect(b, "the multiple", z, scaled, UNIT * UNIT, &x, &y);
    }
    set(b->x, &x, UNIT), set(b->y, &y, UNIT);
    CHECK(lattice_equal(b->x, b->y) == (x.a == y.a && x.g == y.g && x.lo == y.lo && x.hi == y.hi), "equality");
    lattice_set(b->y, b->x);
    CHECK(lattice_equal(b->x, b->y), "a copy is equal");
    CHECK(lattice_is_zero(b->x) == (x.a == 0 && x.g == 0), "(%ld %ld) is 0", x.a, x.g);
}

/* How far 0 and c are from the members of all of {a + k g}, and from [lo, hi]. */
static void check_distances(bench *b, plain x, long c) {
    rational *out = &b->t[1], *to = &b->t[2];
    set(b->x, &x, UNIT);
    long away = x.g ? least(mod(c - x.a, x.g), x.g - mod(c - x.a, x.g)) : labs(c - x.a);
    away = most(away, most(x.lo - c, c - x.hi));
    rational_set_ratio(to, c, UNIT);
    lattice_distance(out, b->x, to, &b->work);
    CHECK(is(out, away, UNIT, b->t), "(%ld %ld %ld %ld) is %ld from %ld", x.a, x.g, x.lo, x.hi, away, c);
    long rest = x.g ? mod(x.a, x.g) : 0, size = rest ? least(rest, x.g - rest) : x.g;
    size = x.g ? most(size, most(x.lo, -x.hi)) : labs(x.a);
    lattice_least(out, b->x, &b->work);
    CHECK(is(out, size, UNIT, b->t), "the least of (%ld %ld %ld %ld) is %ld", x.a, x.g, x.lo, x.hi, size);
    rational_mod(out, to, &b->x->g, &b->work);
    CHECK(is(out, x.g ? mod(c, x.g) : c, UNIT, b->t), "%ld mod %ld", c, x.g);
    for (long m = x.a - 40 * x.g; x.g && m <= x.a + 40 * x.g; m += x.g) {
        if (m < x.lo || m > x.hi) continue;
        CHECK(labs(m - c) >= away && (m == 0 || labs(m) >= size), "%ld is a member of (%ld %ld %ld %ld)", m, x.a, x.g,
              x.lo, x.hi);
    }
}

static void check_members(bench *b, plain x, uint64_t limit) {
    uint64_t count = 0;
    long first = 0;
    for (long m = x.a - 80 * x.g; x.g && m <= x.a + 80 * x.g; m += x.g)
        if (m >= x.lo && m <= x.hi && count++ == 0) first = m;
    if (x.g == 0) count = 1, first = x.a;
    set(b->x, &x, UNIT);
    uint64_t found = lattice_members(&b->t[1], b->x, limit, &b->work);
    CHECK(found == (count <= limit ? count : limit + 1), "(%ld %ld %ld %ld) has %llu members, not %llu (of %llu)",
          x.a, x.g, x.lo, x.hi, (unsigned long long)count, (unsigned long long)found, (unsigned long long)limit);
    CHECK(count == 0 || is(&b->t[1], first, UNIT, b->t), "the first of (%ld %ld %ld %ld) is %ld", x.a, x.g, x.lo,
          x.hi, first);
}

int main(void) {
    test_random r = test_seed(1213);
    trap no_memory = {0};
    arena memory;
    rational_pool pool;
    bench b;
    arena_init(&memory, &no_memory);
    rational_pool_init(&pool, &memory);
    b.x = lattice_array(&pool, 3);
    b.y = b.x + 1;
    b.z = b.x + 2;
    b.t = rational_array(&pool, 3);
    lattice_work_init(&b.work, &pool);
    size_t count = (size_t)(20000 * test_effort()) + 1000;
    for (size_t k = 0; k < count; k++) {
        plain x = random_plain(&r), y = random_plain(&r);
        check_operations(&b, x, random_below(&r, 8) ? y : x, (long)random_below(&r, 15) - 7);
        check_distances(&b, x, (long)random_below(&r, 81) - 40);
        check_members(&b, x, 1 + random_below(&r, 8));
    }
    lattice_set_number(b.x, &b.z->lo);
    CHECK(rational_equal(&b.x->a, &b.z->lo) && rational_equal(&b.x->hi, &b.z->lo) && rational_is_zero(&b.x->g),
          "a number is a set");
    rational_pool_clear(&pool);
    arena_free(&memory);
    return test_finish("t-audit-choice-lattice");
}
