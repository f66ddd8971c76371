/* What the auditor knows of its atoms without asking strings: sums that are always or never at least 0 or only ask
   whether anything was counted, remainders one position earlier, and readings at one position, which may be a
   computed one, that imply or exclude each other. */
#include "audit/audit_match.h"
#include "audit_bench.h"

static trap failure;
static arena memory, scratch;

/* Sets of four letters. */
static dd letters(meaning *m, unsigned set) {
    uint32_t members[4];
    size_t count = 0;
    for (uint32_t k = 0; k < 4; k++)
        if (set >> k & 1) members[count++] = k;
    return meaning_letters(m, members, count);
}

static void check_sums(meaning *m) {
    diagram *d = &m->d;
    dd a = letters(m, 1), b = letters(m, 2), both = dd_add(d, a, b), some = meaning_exists(m, TEMPER_MASK_UP_TO, a),
       ahead = meaning_exists(m, TEMPER_MASK_FROM, a);
    dd less = dd_times(d, a, -1), twice = dd_times(d, a, 2), mixed = dd_add(d, twice, dd_times(d, b, -1));
    CHECK(meaning_at_least(m, a, 0, 0) == 1 && meaning_at_least(m, 0, a, 0) == 1 &&
              meaning_at_least(m, a, both, 3) == 1,
          "counts are never below 0");
    CHECK(meaning_at_least(m, 0, 0, 0) == 1 && meaning_at_least(m, 0, 0, -1) == 0, "the empty sum is 0");
    CHECK(meaning_at_least(m, less, 0, -1) == 0 && meaning_at_least(m, less, less, -5) == 0, "-#a >= 1 never holds");
    CHECK(meaning_at_least(m, a, 0, -1) == some && meaning_at_least(m, 0, a, -1) == ahead, "#a >= 1");
    CHECK(meaning_at_least(m, twice, 0, -2) == some && meaning_at_least(m, twice, 0, -1) == some, "2 #a >= 2");
    CHECK(meaning_at_least(m, twice, 0, -3) != some && meaning_at_least(m, a, 0, -2) != some, "#a >= 2");
    CHECK(meaning_at_least(m, less, 0, 0) == dd_not(d, some) && meaning_at_least(m, 0, less, 0) == dd_not(d, ahead),
          "-#a >= 0 is that there is none");
    CHECK(meaning_at_least(m, dd_times(d, a, -2), 0, 1) == dd_not(d, some), "1 - 2 #a >= 0");
    CHECK(meaning_at_least(m, less, 0, 1) != dd_not(d, some) && meaning_at_least(m, less, 0, 1) != 1, "1 - #a >= 0");
    CHECK(meaning_at_least(m, both, 0, -1) == meaning_exists(m, TEMPER_MASK_UP_TO, letters(m, 3)), "#a + #b >= 1");
    dd four = dd_times(d, mixed, 2);
    CHECK(meaning_at_least(m, mixed, 0, -2) == meaning_at_least(m, four, 0, -3) &&
              meaning_at_least(m, mixed, 0, -2) == meaning_at_least(m, four, 0, -4) &&
              meaning_at_least(m, mixed, 0, -2) != meaning_at_least(m, four, 0, -5),
          "a common factor is divided out");
    CHECK(meaning_at_least(m, mixed, a, 0) != meaning_at_least(m, mixed, b, 0) &&
              meaning_at_least(m, mixed, a, 0) != meaning_at_least(m, a, mixed, 0),
          "sums that differ");
}

/* What a remainder was at the position before, in both directions. */
static void check_remainders(meaning *m) {
    diagram *d = &m->d;
    for (int past = 1; past >= 0; past--)
        for (int64_t modulus = 2; modulus <= 4; modulus++)
            for (int64_t r = 0; r < modulus; r++) {
                dd f = letters(m, 5), inside = dd_not(d, past ? m->first : m->last);
                dd now = meaning_residue(m, past, f, 1, 0, modulus, RESIDUE_EQUAL, r);
                dd less = meaning_residue(m, past, f, 1, -1, modulus, RESIDUE_EQUAL, r);
                dd before = dd_and(d, inside, dd_or(d, dd_and(d, f, less), dd_and(d, dd_not(d, f), now)));
                CHECK(meaning_step(m, past, now) == before, "%d modulo %d, %s", (int)r, (int)modulus,
                      past ? "back" : "ahead");
                CHECK(meaning_step(m, past, dd_not(d, now)) == dd_and(d, inside, dd_not(d, before)),
                      "and its negation");
                CHECK(meaning_step(m, !past, now) != before, "the other direction");
            }
}

/* As many digits as a remainder may have: those of 2^16, all of base 2. What is known of 2^16 is known of 2 and
   2^8. */
static void check_many_digits(meaning *m) {
    diagram *d = &m->d;
    dd f = letters(m, 6);
    for (int64_t r = 0; r < RESIDUE_TABLE; r += 9973) {
        dd is = meaning_residue(m, true, f, 1, 0, RESIDUE_TABLE, RESIDUE_EQUAL, r);
        for (int64_t k = 0; k < 2; k++) {
            dd small = meaning_residue(m, true, f, 1, 0, 2, RESIDUE_EQUAL, k),
               more = meaning_residue(m, true, f, 1, 0, 256, RESIDUE_EQUAL, (r + k) % 256);
            CHECK(k == r % 2 ? dd_implies(d, is, small) : dd_and(d, is, small) == 0, "%d modulo 2^16 and 2", (int)r);
            CHECK(k == 0 ? dd_implies(d, is, more) : dd_and(d, is, more) == 0, "%d modulo 2^16 and 2^8", (int)r);
        }
        CHECK(is != 0 && dd_and(d, is, meaning_residue(m, true, f, 1, 1, RESIDUE_TABLE, RESIDUE_EQUAL, r)) == 0,
              "%d and the one before it", (int)r);
    }
}

/* Readings of the letter before, in many orders: sets that contain or exclude each other. */
static void check_readings(test_random *random) {
    for (int round = 0; round < 30; round++) {
        meaning m;
        unsigned sets[8];
        dd read[8];
        arena_reset(&memory);
        meaning_init(&m, 4, &memory, &scratch);
        dd where = round % 2 ? meaning_exists(&m, TEMPER_MASK_FROM, letters(&m, 8)) : 0;
        for (int k = 0; k < 8; k++) {
            sets[k] = (unsigned)(1 + random_below(random, 14));
            dd value = letters(&m, sets[k]);
            read[k] = where ? meaning_chosen(&m, TEMPER_MASK_BEFORE, true, where, dd_and(&m.d, where, value))
                            : meaning_step(&m, true, value);
        }
        for (int j = 0; j < 8; j++)
            for (int k = 0; k < 8; k++) {
                bool contains = (sets[j] & ~sets[k]) == 0, apart = (sets[j] & sets[k]) == 0;
                if (contains)
                    CHECK(dd_implies(&m.d, read[j], read[k]), "round %d: letters %x there, but not %x", round,
                          sets[j], sets[k]);
                if (apart)
                    CHECK(dd_and(&m.d, read[j], read[k]) == 0, "round %d: letters %x and %x there", round, sets[j],
                          sets[k]);
                if (sets[j] == sets[k]) CHECK(read[j] == read[k], "round %d: letters %x twice", round, sets[j]);
            }
    }
}

/* The nearest j that agrees with i on conditions, by one choice for each way to agree. */
static void check_alike(meaning *m) {
    diagram *d = &m->d;
    static const temper_mask masks[] = {TEMPER_MASK_BEFORE, TEMPER_MASK_UP_TO, TEMPER_MASK_AFTER, TEMPER_MASK_ALL};
    dd value = meaning_exists(m, TEMPER_MASK_FROM, letters(m, 9)), x = letters(m, 3), y = letters(m, 5);
    dd both[2] = {x, y}, one = 0;
    for (size_t k = 0; k < 4; k++)
        for (int last = 0; last < 2; last++) {
            dd all = 0;
            for (unsigned l = 0; l < 4; l++) {
                dd same = letters(m, 1u << l);
                all = dd_or(d, all, dd_and(d, same, meaning_chosen(m, masks[k], last, same, dd_and(d, same, value))));
            }
            CHECK(audit_alike(m, masks[k], last, both, both, 2, value) == all, "two conditions, mask %zu", k);
            dd no_x = dd_not(d, x), no_y = dd_not(d, y);
            one = dd_or(d, dd_and(d, y, meaning_chosen(m, masks[k], last, x, dd_and(d, x, value))),
                        dd_and(d, no_y, meaning_chosen(m, masks[k], last, no_x, dd_and(d, no_x, value))));
            CHECK(audit_alike(m, masks[k], last, &x, &y, 1, value) == one, "there and here differ, mask %zu", k);
            CHECK(audit_alike(m, masks[k], last, &x, &y, 0, value) == meaning_chosen(m, masks[k], last, 1, value),
                  "no condition, mask %zu", k);
        }
}

/* a*i + ends*(n + 1) + constant; or, with `counts`, the sum of 3 at a and 0 elsewhere instead of i. */
typedef struct place {
    int a, ends, constant;
    bool counts, past;
    dd is, other; /* two values there that exclude each other */
} place;

/* How a sum over j >= i says it: there are n + 1 - i positions from i on. */
static dd read_place(meaning *m, const place *x, bool past, dd value) {
    if (x->counts) return meaning_read(m, x->past, dd_times(&m->d, letters(m, 1), 3), x->ends, x->constant, value);
    return past ? meaning_read(m, true, dd_number(&m->d, x->a), x->ends, x->constant, value)
                : meaning_read(m, false, dd_number(&m->d, -x->a), x->ends + x->a, x->constant, value);
}

/* Whether a place without counts is i + step in all short strings; whether it is nowhere, if `outside`. */
static bool is_always(const place *x, bool outside, int step) {
    bool holds = !x->counts;
    for (int n = 1; n <= 9; n++)
        for (int i = 1; i <= n; i++) {
            int e = x->a * i + x->ends * (n + 1) + x->constant;
            holds = holds && (outside ? e < 1 || e > n : e == i + step);
        }
    return holds;
}

static void check_place(meaning *m, const place *x) {
    dd value = letters(m, 5), steps[3] = {meaning_step(m, true, value), value, meaning_step(m, false, value)};
    for (int k = 0; k < 3; k++)
        CHECK((x->is == steps[k]) == is_always(x, false, k - 1), "%d*i + %d*(n + 1) + %d is i + %d", x->a, x->ends,
              x->constant, k - 1);
    CHECK(x->is != 0 || is_always(x, true, 0), "%d*i + %d*(n + 1) + %d is nowhere", x->a, x->ends, x->constant);
    CHECK(x->is == 0 || x->a || (x->ends != 0 && x->ends != 1) || !is_always(x, true, 0),
          "%d*(n + 1) + %d is somewhere", x->ends, x->constant);
    CHECK(read_place(m, x, false, value) == x->is && read_place(m, x, true, value) == x->is,
          "%d*i + %d*(n + 1) + %d from the end", x->a, x->ends, x->constant);
    CHECK(read_place(m, x, true, 0) == 0, "what holds nowhere");
}

static void check_places(meaning *m) {
    static place all[600];
    size_t count = 0;
    for (int a = -1; a <= 2; a++)
        for (int ends = -1; ends <= 2; ends++)
            for (int constant = -2; constant <= 2; constant++)
                for (int kind = a ? 2 : 0; kind < 3; kind++) /* counts have no a */
                    all[count++] = (place){a, ends, constant, kind < 2, kind == 1, 0, 0};
    for (size_t k = 0; k < count; k++) {
        all[k].is = read_place(m, &all[k], k % 2, letters(m, 5));
        all[k].other = read_place(m, &all[k], k % 3, letters(m, 10));
        check_place(m, &all[k]);
    }
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; k < count; k++)
            CHECK((dd_and(&m->d, all[j].is, all[k].other) == 0) == (j == k || !all[j].is || !all[k].other),
                  "places %zu and %zu", j, k);
}

/* Numbers of a place go to 2^52. */
static void check_large_places(meaning *m) {
    for (volatile int k = 0; k < 16; k++) {
        double sign = k & 1 ? -1 : 1, large = sign * (k & 2 ? 0x1p52 + 1 : 0x1p52);
        bool refused = false, ends = k & 4;
        trap outer = failure;
        temper_error e = {0};
        if (trap_set(&failure, &e))
            refused = true;
        else
            meaning_read(m, true, k & 8 ? letters(m, 1) : 1, ends ? large : 0, ends ? 0 : large, letters(m, 2));
        failure = outer;
        CHECK(refused == ((k & 2) != 0), "case %d: %s", k, refused ? e.text : "accepted");
    }
}

/* 2^14 ways to agree are too many, 2^13 are not. */
static void check_many(void) {
    static meaning m;
    dd conditions[14];
    arena_reset(&memory);
    meaning_init(&m, 16, &memory, &scratch);
    for (uint32_t k = 0; k < 14; k++)
        conditions[k] = meaning_exists(&m, TEMPER_MASK_BEFORE, meaning_letters(&m, &k, 1));
    for (size_t count = 13; count <= 14; count++) {
        trap outer = failure;
        temper_error e = {0};
        bool refused = false;
        if (trap_set(&failure, &e))
            refused = true;
        else
            audit_alike(&m, TEMPER_MASK_BEFORE, true, conditions, conditions, count, 0);
        failure = outer;
        CHECK(refused == (count == 14), "%zu conditions: %s", count, e.text);
    }
}

int main(void) {
    test_random random = test_seed(512);
    meaning m;
    if (trap_set(&failure, NULL)) return 1;
    arena_init(&memory, &failure);
    arena_init(&scratch, &failure);
    meaning_init(&m, 4, &memory, &scratch);
    check_sums(&m);
    check_remainders(&m);
    check_many_digits(&m);
    check_alike(&m);
    check_places(&m);
    check_large_places(&m);
    check_readings(&random);
    check_many();
    arena_free(&scratch);
    arena_free(&memory);
    return test_finish("t-audit-atoms");
}
