/* Short ways of the auditor's run on sets (doc/certificate.md, "Facts about the hard model"), each against the long
   one: the case of one varying component of the query by convex layers, against every key and every value; the least
   difference of keys, key by key, against every pair; and groups of keys that can win, row after row, against each
   row by itself. */
#include <stdio.h>
#include <string.h>

#include "audit/audit_choices_set_run.h"
#include "base/entry.h"
#include "test.h"

enum { MOST = 24, VALUES = 2 };

static struct { size_t layers, cases, closest, rows, single; } total;

typedef struct bench {
    set_run s;
    set_head h;
    hard_choices g;
    audit a;
    head_claim claim;
    model_head model;
    rational *r; /* [4] */
    test_random *random;
} bench;

static void begin(bench *b, entry *e, uint32_t d, test_random *r) {
    arena *a = &e->memory;
    b->random = r;
    b->a = (audit){.trap = e->trap, .arena = a, .scratch = &e->scratch};
    b->g = (hard_choices){.audit = &b->a};
    rational_pool_init(&b->g.pool, a);
    rational_pool *pool = &b->g.pool;
    set_run *s = &b->s;
    *s = (set_run){.g = &b->g, .positions = MOST, .most = MOST, .head = &b->h};
    lattice_work_init(&s->work, pool);
    s->s = lattice_array(pool, 5);
    s->t = rational_array(pool, 8);
    s->lcm = rational_array(pool, MOST + 1);
    long lcm = 1;
    for (long k = 0; k <= MOST; k++) {
        long x = lcm, y = k;
        while (y) {
            long rest = x % y;
            x = y;
            y = rest;
        }
        lcm = k > 1 ? lcm / x * k : 1;
        rational_set_int(&s->lcm[k], lcm);
    }
    s->scores = lattice_array(pool, MOST);
    s->remainders = rational_array(pool, MOST);
    s->whole_scores = arena_alloc(a, MOST, sizeof *s->whole_scores);
    s->mark = arena_zalloc(a, MOST, sizeof *s->mark);
    s->order = arena_zalloc(a, MOST, sizeof *s->order);
    set_layers_allocate(s, a);
    b->h = (set_head){.claim = &b->claim, .d = d, .v = VALUES, .from_right = random_below(r, 2)};
    b->h.query = lattice_array(pool, MOST * d);
    b->h.key = lattice_array(pool, MOST * d);
    b->h.value = lattice_array(pool, MOST * VALUES);
    b->h.whole_keys = arena_zalloc(a, MOST * d, sizeof(int64_t));
    b->h.closest = arena_zalloc(a, d, sizeof *b->h.closest);
    for (uint32_t k = 0; k < d; k++) {
        set_closest *c = &b->h.closest[k];
        c->least = rational_array(pool, MOST + 1);
        c->step = rational_array(pool, 1);
        c->places = rational_array(pool, MOST);
        c->sorted = arena_zalloc(a, MOST, sizeof(size_t));
        c->kind = arena_zalloc(a, MOST, sizeof(size_t));
        c->twice = arena_zalloc(a, MOST, sizeof(bool));
    }
    b->h.twin = arena_zalloc(a, MOST, sizeof *b->h.twin);
    rational *w = rational_array(pool, 4);
    b->h.winners = (set_winners){.query = lattice_array(pool, d), .output = lattice_array(pool, VALUES)};
    b->h.winners.low = w;
    b->h.winners.high = w + 1;
    b->h.winners.step = w + 2;
    b->h.winners.top = w + 3;
    b->r = rational_array(pool, 4);
    b->model = (model_head){.hard_choice = random_below(r, 2) ? TEMPER_CHOICE_AVERAGE : TEMPER_CHOICE_LEFTMOST};
    b->claim.exact.head = &b->model;
}

/* a + k g within lo and hi, in halves. */
static void put(lattice *z, long a, long g, long lo, long hi) {
    rational_set_ratio(&z->a, a, 2);
    rational_set_ratio(&z->g, g, 2);
    rational_set_ratio(&z->lo, g ? lo : a, 2);
    rational_set_ratio(&z->hi, g ? hi : a, 2);
}

/* ---- convex layers ---- */

typedef struct plain_case {
    int64_t gap;
    bool single;
    uint8_t mark[MOST];
} plain_case;

static plain_case try_values(const bench *b, key_range keys, const query_values *q, uint32_t varies) {
    plain_case out = {.single = true};
    const set_head *h = &b->h;
    for (int64_t k = 0; k < q[varies].count; k++) {
        int64_t score[MOST], best = INT64_MIN, next = INT64_MIN;
        size_t winners = 0;
        for (size_t j = keys.first; j < keys.end; j++) {
            score[j] = 0;
            for (uint32_t d = 0; d < h->d; d++)
                score[j] += (q[d].first + (d == varies ? k * q[d].step : 0)) * h->whole_keys[j * h->d + d];
            best = score[j] > best ? score[j] : best;
        }
        for (size_t j = keys.first; j < keys.end; j++) {
            winners += score[j] == best;
            if (score[j] < best && score[j] > next) next = score[j];
        }
        for (size_t j = keys.first; j < keys.end; j++)
            if (score[j] == best) out.mark[j] |= winners > 1 ? CASE_TIED : CASE_ALONE;
        if (winners > 1) out.single = false;
        if (next != INT64_MIN && (out.gap == 0 || best - next < out.gap)) out.gap = best - next;
    }
    return out;
}

static void check_layers(entry *e, void *context) {
    test_random *r = context;
    bench b;
    uint32_t d = 1 + (uint32_t)random_below(r, 3), varies = (uint32_t)random_below(r, d);
    begin(&b, e, d, r);
    size_t first = random_below(r, 4), end = first + 1 + random_below(r, MOST - first);
    int64_t slope = (int64_t)random_below(r, 9) - 4, way = random_below(r, 2) ? 1 : -1,
            few = 1 + (int64_t)random_below(r, 4);
    bool any = random_below(r, 8) == 0;
    for (size_t j = first; j < end; j++) {
        slope += any ? (int64_t)random_below(r, 3) - 1
                     : way * (int64_t)random_below(r, 3) / (1 + (int64_t)random_below(r, 2));
        for (uint32_t k = 0; k < d; k++)
            b.h.whole_keys[j * d + k] = (int64_t)random_below(r, 4 * (uint64_t)few) - 2 * few;
        b.h.whole_keys[j * d + varies] = slope;
        if (random_below(r, 3) == 0 && d > 1) /* on a parabola every point is on the first layer */
            b.h.whole_keys[j * d + (varies + 1) % d] = -slope * slope;
    }
    query_values q[3];
    for (uint32_t k = 0; k < d; k++) q[k] = (query_values){(int64_t)random_below(r, 7) - 3, 1, 1};
    q[varies] = (query_values){(int64_t)random_below(r, 21) - 10, 1 + (int64_t)random_below(r, 3),
                               1 + (int64_t)random_below(r, 12)};
    set_row row = {.keys = {first, end}, .gap = &b.r[0]};
    case_result found;
    bool up = true, down = true;
    for (size_t j = first + 1; j < end; j++) {
        up = up && b.h.whole_keys[j * d + varies] >= b.h.whole_keys[(j - 1) * d + varies];
        down = down && b.h.whole_keys[j * d + varies] <= b.h.whole_keys[(j - 1) * d + varies];
    }
    bool is = set_layers(&b.s, &row, q, varies, &found);
    CHECK(is == (up || down), "%zu keys, slopes that %s", end - first, up || down ? "rise or fall" : "do neither");
    if (!is) return;
    plain_case plain = try_values(&b, row.keys, q, varies);
    total.layers++;
    CHECK(found.gap == plain.gap && found.single == plain.single,
          "%zu keys, %lld values: gap %lld, not %lld; single %d", end - first, (long long)q[varies].count,
          (long long)found.gap, (long long)plain.gap, found.single);
    for (size_t j = first; j < end; j++)
        CHECK(b.s.mark[j] == plain.mark[j], "key %zu of %zu: %d, not %d", j - first, end - first, b.s.mark[j],
              plain.mark[j]);
}

/* ---- every value of the query ---- */

typedef struct plain_query {
    long first, step, count; /* in halves */
} plain_query;

static plain_case try_cases(const bench *b, key_range keys, const plain_query *q, const long *key) {
    plain_case out = {.single = true};
    uint32_t d = b->h.d;
    long total_cases = 1;
    for (uint32_t k = 0; k < d; k++) total_cases *= q[k].count;
    for (long number = 0; number < total_cases; number++) {
        int64_t score[MOST], best = INT64_MIN, next = INT64_MIN;
        size_t winners = 0;
        for (size_t j = keys.first; j < keys.end; j++) {
            long rest = number;
            score[j] = 0;
            for (uint32_t k = 0; k < d; k++, rest /= q[k - 1].count)
                score[j] += (q[k].first + rest % q[k].count * q[k].step) * key[j * d + k];
            best = score[j] > best ? score[j] : best;
        }
        for (size_t j = keys.first; j < keys.end; j++) {
            winners += score[j] == best;
            if (score[j] < best && score[j] > next) next = score[j];
        }
        for (size_t j = keys.first; j < keys.end; j++)
            if (score[j] == best) out.mark[j] |= winners > 1 ? CASE_TIED : CASE_ALONE;
        if (winners > 1) out.single = false;
        if (next != INT64_MIN && (out.gap == 0 || best - next < out.gap)) out.gap = best - next;
    }
    return out;
}

/* Keys come with lengths; they may be large, or no constants, from some length on. */
static void check_cases(entry *e, void *context) {
    test_random *r = context;
    bench b;
    uint32_t d = 1 + (uint32_t)random_below(r, 3);
    begin(&b, e, d, r);
    b.h.key_unit = rational_array(&b.g.pool, 1);
    b.h.largest_key = arena_zalloc(&e->memory, d, sizeof(double));
    b.h.largest_query = arena_zalloc(&e->memory, d, sizeof(double));
    long key[MOST * 3], unit = 1 + (long)random_below(r, 3), large = random_below(r, 4) ? 4 : 1L << 41;
    size_t sets = random_below(r, 3) ? SIZE_MAX : random_below(r, MOST * 3); /* from this one on, no constants */
    for (size_t k = 0; k < (size_t)MOST * d; k++) {
        key[k] = unit * ((long)random_below(r, 9) - 4);
        if (random_below(r, 40) == 0) key[k] = (random_below(r, 2) ? -1 : 1) * large * unit;
        if (random_below(r, 60) == 0 && k > (size_t)4 * d) key[k] += 1; /* the unit becomes smaller */
        put(&b.h.key[k], key[k], k >= sets ? 2 : 0, key[k] - 2, key[k] + 4);
    }
    b.s.positions = 0;
    while (b.s.positions < MOST) {
        size_t old = b.s.positions;
        b.s.old = old;
        b.s.positions += 1 + random_below(r, 6);
        if (b.s.positions > MOST) b.s.positions = MOST;
        set_measure_keys(&b.s, old == 0);
        bool constant = b.s.positions * d <= sets, small = true;
        long gcd = 0, most = 0;
        for (size_t k = 0; k < b.s.positions * d; k++) {
            long x = gcd, y = key[k] < 0 ? -key[k] : key[k];
            most = y > most ? y : most;
            while (y) {
                long rest = x % y;
                x = y;
                y = rest;
            }
            gcd = x;
        }
        small = gcd == 0 || most / gcd <= 1L << 40;
        for (int tries = 0; tries < 4; tries++) {
            plain_query q[3];
            long count = 1, varying = 0;
            bool zero = true;
            for (uint32_t k = 0; k < d; k++) {
                q[k] = (plain_query){(long)random_below(r, 9) - 4, 1 + (long)random_below(r, 2),
                                     1 + (long)random_below(r, 5)};
                if (random_below(r, 3) == 0) q[k].count = 1;
                if (random_below(r, 60) == 0) q[k].count = 63 + (long)random_below(r, 3);
                put(&b.h.query[k], q[k].first, q[k].count > 1 ? q[k].step : 0, q[k].first,
                    q[k].first + q[k].step * (q[k].count - 1));
                count *= q[k].count;
                varying += q[k].count > 1;
                zero = zero && q[k].first == 0 && q[k].count == 1;
            }
            if (zero || gcd == 0) continue; /* no dimension is active */
            size_t first = random_below(r, b.s.positions), end = first + 1 + random_below(r, b.s.positions - first);
            set_row row = {.keys = {first, end}, .gap = &b.r[0]};
            bool is = set_cases(&b.s, &row), few = count <= (varying > 1 ? CASES_MOST : MEMBERS_MOST);
            CHECK(is == (constant && small && few), "%zu keys of %u numbers, %ld cases: %d", b.s.positions, d, count,
                  is);
            if (!is || !constant || large > 4) continue;
            plain_case plain = try_cases(&b, row.keys, q, key);
            rational_set_ratio(&b.r[1], (long)plain.gap, 4);
            total.cases++;
            CHECK(rational_equal(row.gap, &b.r[1]) && row.single == plain.single,
                  "%zu keys, %ld cases: gap %g, not %g; single %d", end - first, count, rational_below(row.gap),
                  (double)plain.gap / 4, row.single);
            for (size_t j = first; j < end; j++)
                CHECK(b.s.mark[j] == plain.mark[j], "key %zu of %zu: %d, not %d", j - first, end - first, b.s.mark[j],
                      plain.mark[j]);
        }
    }
}

/* ---- the least difference ---- */

/* Keys with one step and other remainders, constants, both, and anything. */
static void make_keys(bench *b, uint32_t d, int kind) {
    test_random *r = b->random;
    long step = 2 + 2 * (long)random_below(r, 12), from = (long)random_below(r, 40) - 20,
         rise = 1 + (long)random_below(r, 3);
    size_t later = random_below(r, MOST);
    for (size_t t = 0; t < MOST; t++) {
        size_t j = set_key_at(&b->s, t);
        long a = kind == 0 ? from + rise * (long)t : (long)random_below(r, 50) - 25, g = step;
        if (kind == 1 && t && random_below(r, 6) == 0) a = rational_is_zero(&b->h.key[0].g) ? a : from; /* a twin */
        if (kind == 2 || t < later) g = kind == 4 ? (long)random_below(r, 3) : 0;
        if (kind == 3) g = step * (1 + (long)random_below(r, 2));
        long wide = random_below(r, 3) ? g * (long)random_below(r, 5) : (long)random_below(r, 20);
        put(&b->h.key[j * b->h.d + d], a, g, a - wide, a + g * (long)random_below(r, 4));
    }
}

static void check_closest(entry *e, void *context) {
    test_random *r = context;
    bench b;
    begin(&b, e, 1, r);
    make_keys(&b, 0, (int)random_below(r, 5));
    rational *least = &b.r[0], *x = &b.r[1];
    size_t order = 1 + random_below(r, 3); /* rows gain some keys at once, too */
    for (size_t t = 1; t <= MOST; t += order) {
        const rational *found = set_closest_of(&b.s, 0, t);
        rational_set_int(least, 0);
        for (size_t p = 0; p < t; p++)
            for (size_t q = p + 1; q < t; q++) {
                size_t i = set_key_at(&b.s, p), j = set_key_at(&b.s, q);
                lattice_sub(&b.s.s[3], key_of(&b.h, i < j ? i : j, 0), key_of(&b.h, i < j ? j : i, 0), &b.s.work);
                lattice_least(x, &b.s.s[3], &b.s.work);
                if (rational_is_zero(x)) continue;
                if (rational_is_zero(least) || rational_cmp(x, least) < 0) rational_set(least, x);
            }
        total.closest++;
        CHECK(rational_equal(found, least), "the first %zu of some keys", t);
    }
}

/* ---- groups ---- */

static void check_groups(entry *e, void *context) {
    test_random *r = context;
    bench b;
    uint32_t d = 2;
    begin(&b, e, d, r);
    b.h.from_right = false;
    int kind = (int)random_below(r, 4);
    make_keys(&b, 0, kind == 3 ? 2 : kind);
    make_keys(&b, 1, random_below(r, 2) ? 2 : kind);
    bool same = random_below(r, 2), wider = random_below(r, 2);
    long low = (long)random_below(r, 8), high = low + (long)random_below(r, 6);
    for (size_t i = 0; i < MOST; i++) {
        if (!same || random_below(r, 10) == 0) {
            if (wider)
                low -= (long)random_below(r, 2), high += (long)random_below(r, 2);
            else
                low = (long)random_below(r, 8), high = low + (long)random_below(r, 6);
        }
        put(&b.h.query[i * d], 2, random_below(r, 30) ? 2 : 4, low, high);
        put(&b.h.query[i * d + 1], 2, 0, 0, 0);
        for (uint32_t v = 0; v < VALUES; v++) {
            long a = (long)random_below(r, 5), g = (long)random_below(r, 3);
            put(&b.h.value[i * VALUES + v], a, g, a - g, a + 2 * g);
        }
        b.h.twin[i] = random_below(r, 12) || i == 0 ? i ? b.h.twin[i - 1] : 0 : i;
    }
    if (random_below(r, 3)) memset(b.h.twin, 0, MOST * sizeof *b.h.twin);
    lattice *out = lattice_array(&b.g.pool, VALUES), *fresh = lattice_array(&b.g.pool, VALUES);
    set_winners none = b.h.winners;
    none.query = lattice_array(&b.g.pool, d);
    none.output = lattice_array(&b.g.pool, VALUES);
    none.low = rational_array(&b.g.pool, 4);
    none.high = none.low + 1;
    none.step = none.low + 2;
    none.top = none.low + 3;
    for (size_t i = 0; i < MOST; i++) {
        size_t first = random_below(r, 40) ? 0 : random_below(r, i + 1),
               end = random_below(r, 40) ? i + 1 : 1 + random_below(r, i + 1);
        if (first >= end) first = 0;
        set_row row = {.i = i, .keys = {first, end}, .gap = &b.r[0]}, alone = row;
        set_groups(&b.s, &row, out);
        set_winners kept = b.h.winners;
        b.h.winners = none;
        b.h.winners.known = false;
        set_groups(&b.s, &alone, fresh);
        b.h.winners = kept;
        total.rows++;
        total.single += row.single;
        bool equal = row.single == alone.single;
        for (uint32_t v = 0; v < VALUES; v++) equal = equal && lattice_equal(&out[v], &fresh[v]);
        CHECK(equal, "row %zu with keys %zu to %zu: single %d, by itself %d", i, first, end, row.single,
              alone.single);
    }
}

static void repeat(void (*what)(entry *, void *), size_t count, test_random *r) {
    for (size_t k = 0; k < count; k++) {
        temper_error e = {0};
        CHECK(entry_run(&e, what, r) == TEMPER_OK, "%s", e.text);
    }
}

int main(void) {
    test_random r = test_seed(4014);
    double effort = test_effort();
    repeat(check_layers, 1500 + (size_t)(3000 * effort), &r);
    repeat(check_cases, 150 + (size_t)(250 * effort), &r);
    repeat(check_closest, 400 + (size_t)(400 * effort), &r);
    repeat(check_groups, 600 + (size_t)(600 * effort), &r);
    printf("%zu rows by layers, %zu by cases, %zu least differences, %zu rows by groups, %zu of them single\n",
           total.layers, total.cases, total.closest, total.rows, total.single);
    return test_finish("t-audit-choice-set-parts");
}
