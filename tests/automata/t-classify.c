/* Classes of regular languages two ways: the tests on automata against the definitions over the whole semigroup of
   words, on random automata and on languages whose place is known; and every witness is run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automata/classify.h"
#include "automata/dfa.h"
#include "logic/formula.h"
#include "test.h"

/* ---- the semigroup: all transformations of states by words of one letter or more ---- */

enum { STATES = 7, MOST = 400 };

typedef struct semigroup {
    uint32_t n;
    unsigned char map[MOST][STATES];
    int count;
    bool over;
} semigroup;

static int find_map(const semigroup *s, const unsigned char *map) {
    for (int k = 0; k < s->count; k++)
        if (!memcmp(s->map[k], map, s->n)) return k;
    return -1;
}

static void add_map(semigroup *s, const unsigned char *map) {
    if (find_map(s, map) >= 0) return;
    if (s->count == MOST)
        s->over = true;
    else
        memcpy(s->map[s->count++], map, s->n);
}

static void make_semigroup(semigroup *s, const dfa *d) {
    unsigned char map[STATES];
    *s = (semigroup){.n = d->state_count};
    for (uint32_t c = 0; c < d->class_count; c++) {
        for (uint32_t q = 0; q < s->n; q++) map[q] = (unsigned char)dfa_next(d, q, c);
        add_map(s, map);
    }
    for (int k = 0; k < s->count && !s->over; k++)
        for (uint32_t c = 0; c < d->class_count; c++) {
            for (uint32_t q = 0; q < s->n; q++) map[q] = (unsigned char)dfa_next(d, s->map[k][q], c);
            add_map(s, map);
        }
}

static int products[MOST][MOST];

static void multiply_all(const semigroup *s) {
    unsigned char map[STATES];
    for (int x = 0; x < s->count; x++)
        for (int y = 0; y < s->count; y++) {
            for (uint32_t q = 0; q < s->n; q++) map[q] = s->map[y][s->map[x][q]];
            products[x][y] = find_map(s, map);
        }
}

static bool is_idempotent(int e) { return products[e][e] == e; }

/* ---- the definitions ---- */

static bool is_finite(const dfa *d) {
    bool now[STATES] = {0}, next[STATES];
    now[d->start] = true;
    for (uint32_t length = 0; length < 2 * d->state_count; length++) {
        for (uint32_t q = 0; q < d->state_count; q++)
            if (length >= d->state_count && now[q] && d->accepts[q]) return false;
        memset(next, 0, sizeof next);
        for (uint32_t q = 0; q < d->state_count; q++)
            for (uint32_t c = 0; now[q] && c < d->class_count; c++) next[dfa_next(d, q, c)] = true;
        memcpy(now, next, sizeof now);
    }
    return true;
}

static bool is_definite(const semigroup *s, bool reverse) {
    for (int e = 0; e < s->count; e++)
        for (int x = 0; is_idempotent(e) && x < s->count; x++)
            if ((reverse ? products[e][x] : products[x][e]) != e) return false;
    return true;
}

static bool is_locally_testable(const semigroup *s) {
    for (int e = 0; e < s->count; e++)
        for (int x = 0; is_idempotent(e) && x < s->count; x++) {
            int exe = products[products[e][x]][e];
            if (products[exe][exe] != exe) return false;
            for (int y = 0; y < x; y++) {
                int eye = products[products[e][y]][e];
                if (products[exe][eye] != products[eye][exe]) return false;
            }
        }
    return true;
}

/* Does each of x and y lie in the ideal of the other, for x and y different? */
static bool ideals_are_trivial(const semigroup *s, bool two_sided) {
    static unsigned char below[MOST][MOST];
    memset(below, 0, sizeof below);
    for (int x = 0; x < s->count; x++) {
        below[x][x] = 1;
        for (int r = 0; r < s->count; r++) {
            below[x][products[x][r]] = 1;
            if (!two_sided) continue;
            below[x][products[r][x]] = 1;
            for (int l = 0; l < s->count; l++) below[x][products[l][products[x][r]]] = 1;
        }
    }
    for (int x = 0; x < s->count; x++)
        for (int y = 0; y < x; y++)
            if (below[x][y] && below[y][x]) return false;
    return true;
}

static bool is_aperiodic(const semigroup *s) {
    for (int x = 0; x < s->count; x++) {
        int power = x;
        for (int k = 0; k < s->count; k++) power = products[power][x];
        if (products[power][x] != power) return false;
    }
    return true;
}

/* The units of eSe are a group: it is solvable iff its commutators shrink to e. */
static bool is_solvable(const semigroup *s) {
    static bool in[MOST], next[MOST];
    for (int e = 0; e < s->count; e++) {
        if (!is_idempotent(e)) continue;
        int size = 0;
        for (int x = 0; x < s->count; x++) {
            int power = x, steps = 0;
            in[x] = products[e][x] == x && products[x][e] == x;
            while (in[x] && power != e && steps++ < s->count) power = products[power][x];
            in[x] &= power == e;
            size += in[x];
        }
        for (int before = size + 1; size > 1 && size < before;) {
            before = size;
            memset(next, 0, sizeof next);
            next[e] = true;
            for (int x = 0; x < s->count; x++)
                for (int y = 0; in[x] && y < s->count; y++) {
                    if (!in[y]) continue;
                    int backx = x, backy = y;
                    while (products[backx][x] != e) backx = products[backx][x];
                    while (products[backy][y] != e) backy = products[backy][y];
                    next[products[products[backx][backy]][products[x][y]]] = true;
                }
            for (bool more = true; more;) {
                more = false;
                for (int x = 0; x < s->count; x++)
                    for (int y = 0; next[x] && y < s->count; y++)
                        if (next[y] && !next[products[x][y]]) next[products[x][y]] = more = true;
            }
            memcpy(in, next, sizeof in);
            size = 0;
            for (int x = 0; x < s->count; x++) size += in[x];
        }
        if (size > 1) return false;
    }
    return true;
}

/* ---- witnesses ---- */

enum { LONG = 200000 };

static size_t spell(uint32_t *out, const word_family *f, size_t n) {
    size_t length = 0;
    for (size_t k = 0; k < f->count; k++)
        for (size_t times = f->parts[k].power ? n : 1; times > 0; times--)
            for (size_t i = 0; i < f->parts[k].length; i++) {
                if (length == LONG) abort();
                out[length++] = f->parts[k].word[i];
            }
    return length;
}

static bool accepts(const dfa *d, const uint32_t *word, size_t n) {
    uint32_t q = d->start;
    for (size_t k = 0; k < n; k++) q = dfa_next(d, q, word[k]);
    return d->accepts[q];
}

/* Whether one of the words of k letters, as a number, is a factor (subword) of the word. */
static bool contains(const uint32_t *word, size_t n, uint32_t number, size_t k, uint32_t letters, bool scattered) {
    uint32_t wanted[4];
    for (size_t i = k; i-- > 0; number /= letters) wanted[i] = number % letters;
    if (scattered) {
        size_t met = 0;
        for (size_t i = 0; i < n && met < k; i++) met += word[i] == wanted[met];
        return met == k;
    }
    for (size_t i = 0; i + k <= n; i++)
        if (!memcmp(word + i, wanted, k * sizeof *wanted)) return true;
    return false;
}

/* Nothing that languages of the class look at, up to k letters, tells the two words apart. */
static bool look_alike(language_class c, const uint32_t *x, size_t n, const uint32_t *y, size_t m, uint32_t letters) {
    const size_t k = 3;
    if (n < k || m < k) return true;
    bool ends = !memcmp(x + n - k, y + m - k, k * sizeof *x), starts = !memcmp(x, y, k * sizeof *x);
    if (c == CLASS_DEFINITE) return ends;
    if (c == CLASS_REVERSE_DEFINITE) return starts;
    if (c != CLASS_LOCALLY_TESTABLE && c != CLASS_PIECEWISE_TESTABLE) return true;
    if (c == CLASS_LOCALLY_TESTABLE && !(ends && starts)) return false;
    for (uint32_t number = 0; number < letters * letters * letters; number++)
        if (contains(x, n, number, k, letters, c == CLASS_PIECEWISE_TESTABLE) !=
            contains(y, m, number, k, letters, c == CLASS_PIECEWISE_TESTABLE))
            return false;
    return true;
}

static void check_witness(const char *name, language_class c, const class_verdict *v, const dfa *d) {
    static uint32_t x[LONG], y[LONG];
    for (size_t n = 0; n < 8; n++) {
        size_t long_x = spell(x, &v->accepted, n), long_y = spell(y, &v->rejected, n);
        CHECK(accepts(d, x, long_x), "%s, not %s: the first word for n = %zu", name, language_class_name(c), n);
        if (c == CLASS_FINITE) continue;
        CHECK(!accepts(d, y, long_y), "%s, not %s: the second word for n = %zu", name, language_class_name(c), n);
        if (n == 7)
            CHECK(look_alike(c, x, long_x, y, long_y, d->class_count), "%s, not %s: the words do not look alike",
                  name, language_class_name(c));
    }
}

/* ---- automata ---- */

static void check_dfa(const char *name, const dfa *d, size_t counts[LANGUAGE_CLASSES][2], arena *a) {
    static semigroup s;
    class_verdict v[LANGUAGE_CLASSES];
    dfa_classify(v, d, a);
    for (int c = 0; c < LANGUAGE_CLASSES; c++) {
        if (!CHECK(v[c].answer != CLASS_UNKNOWN, "%s: %s is not known", name, language_class_name(c))) return;
        if (v[c].answer == CLASS_NO && c != CLASS_SOLVABLE) check_witness(name, c, &v[c], d);
    }
    make_semigroup(&s, d);
    if (s.over) return;
    multiply_all(&s);
    bool truth[LANGUAGE_CLASSES] = {
        [CLASS_FINITE] = is_finite(d),
        [CLASS_DEFINITE] = is_definite(&s, false),
        [CLASS_REVERSE_DEFINITE] = is_definite(&s, true),
        [CLASS_LOCALLY_TESTABLE] = is_locally_testable(&s),
        [CLASS_R_TRIVIAL] = ideals_are_trivial(&s, false),
        [CLASS_PIECEWISE_TESTABLE] =
            s.count < 120 ? ideals_are_trivial(&s, true) : v[CLASS_PIECEWISE_TESTABLE].answer,
        [CLASS_STAR_FREE] = is_aperiodic(&s),
        [CLASS_SOLVABLE] = is_solvable(&s),
    };
    for (int c = 0; c < LANGUAGE_CLASSES; c++) {
        CHECK(v[c].answer == (truth[c] ? CLASS_YES : CLASS_NO), "%s: %s should be %d", name, language_class_name(c),
              truth[c]);
        counts[c][truth[c]]++;
    }
}

/* Random, with more structure now and then: moves to later states only, or letters that reset or do nothing. */
static dfa *random_dfa(arena *a, test_random *r) {
    uint32_t n = 1 + (uint32_t)random_below(r, 6), k = 1 + (uint32_t)random_below(r, 3);
    dfa *d = dfa_new(a, n, k, k);
    uint64_t kind = random_below(r, 4);
    for (uint32_t c = 0; c < k; c++) {
        uint32_t target = (uint32_t)random_below(r, n);
        uint64_t does = random_below(r, 3);
        d->class_of[c] = c;
        for (uint32_t q = 0; q < n; q++) {
            uint32_t to = (uint32_t)random_below(r, n);
            if (kind == 1) to = q + (uint32_t)random_below(r, n - q);
            if (kind == 2 && does == 0) to = target;
            if (kind == 2 && does == 1) to = q;
            if (kind == 3) to = random_below(r, 2) ? q : q + 1 < n ? q + 1 : q;
            d->next[q * k + c] = to;
        }
    }
    for (uint32_t q = 0; q < n; q++) d->accepts[q] = random_below(r, 2);
    return dfa_minimise(a, d);
}

/* moves: for each state a digit for each letter; accepts: 0 and 1 for each state. */
static dfa *make_dfa(arena *a, uint32_t letters, const char *moves, const char *accept) {
    uint32_t n = (uint32_t)strlen(accept);
    dfa *d = dfa_new(a, n, letters, letters);
    for (uint32_t k = 0; k < letters; k++) d->class_of[k] = k;
    for (uint32_t k = 0; k < n * letters; k++) d->next[k] = (uint32_t)(moves[k] - '0');
    for (uint32_t q = 0; q < n; q++) d->accepts[q] = (unsigned char)(accept[q] - '0');
    return dfa_minimise(a, d);
}

/* The letters of the classes that hold: f d r l p R s S. */
static void check_known(size_t counts[LANGUAGE_CLASSES][2], arena *a) {
    static const struct {
        const char *name;
        uint32_t letters;
        const char *moves, *accepts, *classes;
    } known[] = {
        {"nothing", 2, "00", "0", "fdrlpRsS"},          {"everything", 2, "00", "1", "drlpRsS"},
        {"{ab}", 2, "133233333", "0010", "fdrlpRsS"},   {"ends with a", 2, "1010", "01", "dlsS"},
        {"begins with a", 2, "121122", "010", "rlRsS"}, {"somewhere a", 2, "1011", "01", "lpRsS"},
        {"a, later b", 3, "100121222", "001", "pRsS"},  {"aa somewhere", 2, "102022", "001", "lsS"},
        {"(ab)*", 2, "122022", "100", "lsS"},           {"a*ba*", 2, "011222", "010", "pRsS"},
        {"even number of a", 1, "10", "10", "S"},       {"S3", 2, "112002", "100", "S"},
        {"A5", 2, "1122304304", "10000", ""},           {"S5", 2, "1120324304", "10000", ""},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const dfa *d = make_dfa(a, known[k].letters, known[k].moves, known[k].accepts);
        class_verdict v[LANGUAGE_CLASSES];
        check_dfa(known[k].name, d, counts, a);
        dfa_classify(v, d, a);
        for (int c = 0; c < LANGUAGE_CLASSES; c++)
            CHECK((v[c].answer == CLASS_YES) == (strchr(known[k].classes, "fdrlpRsS"[c]) != NULL), "%s: %s is %d",
                  known[k].name, language_class_name(c), v[c].answer);
    }
}

/* Degrees, by trying: the least k that decides. */
static void check_degrees(arena *a) {
    class_verdict v[LANGUAGE_CLASSES];
    dfa_classify(v, make_dfa(a, 2, "133233333", "0010"), a);
    CHECK(v[CLASS_FINITE].degree == 2, "{ab} has words of %zu letters", v[CLASS_FINITE].degree);
    CHECK(v[CLASS_REVERSE_DEFINITE].degree == 3, "{ab} is decided by %zu letters", v[CLASS_REVERSE_DEFINITE].degree);
    dfa_classify(v, make_dfa(a, 2, "01230123", "0010"), a); /* the last letter but one is b */
    CHECK(v[CLASS_DEFINITE].degree == 2, "the last %zu letters", v[CLASS_DEFINITE].degree);
    dfa_classify(v, make_dfa(a, 2, "00", "0"), a);
    CHECK(v[CLASS_FINITE].degree == 0 && v[CLASS_DEFINITE].degree == 0, "nothing");
    dfa_classify(v, make_dfa(a, 2, "1111", "10"), a); /* the empty word */
    CHECK(v[CLASS_FINITE].degree == 0 && v[CLASS_DEFINITE].degree == 1, "the empty word");
}

/* ---- limits ---- */

/* The words 0^(states - 2) and those that have letter c in place of number c: finitely many, and none longer. */
static dfa *make_chain(arena *a, uint32_t states, uint32_t letters) {
    dfa *d = dfa_new(a, states, letters, letters);
    for (uint32_t c = 0; c < letters; c++) d->class_of[c] = c;
    for (uint32_t s = 0; s < states; s++)
        for (uint32_t c = 0; c < letters; c++)
            d->next[s * letters + c] = s + 1 < states && (c == 0 || s == c % states) ? s + 1 : states - 1;
    d->accepts[states - 2] = 1;
    return d;
}

/* At each limit the answer is still known; one state or class beyond it is not, and what has no such limit is. */
static void check_limits(arena *a) {
    static const struct {
        uint32_t states, letters;
        class_answer finite, piecewise;
        bool slow;
    } all[] = {
        {2000, 1, CLASS_YES, CLASS_YES, false},         {2001, 1, CLASS_UNKNOWN, CLASS_UNKNOWN, false},
        {1024, 4, CLASS_YES, CLASS_YES, false},         {1024, 5, CLASS_UNKNOWN, CLASS_UNKNOWN, false},
        {1025, 4, CLASS_UNKNOWN, CLASS_UNKNOWN, false}, {16, 2048, CLASS_YES, CLASS_YES, true},
        {16, 2049, CLASS_YES, CLASS_UNKNOWN, false},
    };
    class_verdict v[LANGUAGE_CLASSES];
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (all[k].slow && test_effort() < 1) continue;
        dfa_classify(v, make_chain(a, all[k].states, all[k].letters), a);
        const class_verdict *f = &v[CLASS_FINITE], *p = &v[CLASS_PIECEWISE_TESTABLE];
        CHECK(f->answer == all[k].finite && v[CLASS_R_TRIVIAL].answer == all[k].finite,
              "%u states, %u letters: finite %d, R-trivial %d", all[k].states, all[k].letters, f->answer,
              v[CLASS_R_TRIVIAL].answer);
        CHECK(f->answer != CLASS_YES || f->degree == all[k].states - 2, "%u states: words of %zu letters",
              all[k].states, f->degree);
        CHECK(p->answer == all[k].piecewise, "%u states, %u letters: piecewise testable %d", all[k].states,
              all[k].letters, p->answer);
        arena_reset(a);
    }
}

/* Automata that are too large to list the semigroup of: the words of a witness are read. In the first, the way back
   from a set of states undoes what the letter to it has moved. */
static void check_large(arena *a) {
    static const char *const all[] = {
        "((.|[bc]b)[^a]b){2,}(.[ab][^a]|[ab]bb.)([ab]|[bc])[^a][^a][bc]b(.|)",
        "((a|b.)c){2,}(.[ab][^a]){3}b*",
        "(ab|c(a|b){5}){3,}",
    };
    class_verdict v[LANGUAGE_CLASSES];
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        temper_spec_options o = {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "abc"};
        temper_spec *spec = NULL;
        temper_error e;
        if (!CHECK(!temper_spec_parse(&spec, all[k], strlen(all[k]), &o, &e), "%s: %s", all[k], e.text)) continue;
        const dfa *d = spec->graph.languages[0].automaton;
        static uint32_t x[LONG], y[LONG];
        dfa_classify(v, d, a);
        for (int c = 0; c < LANGUAGE_CLASSES; c++)
            for (size_t n = 0; n < 3 && v[c].answer == CLASS_NO && c != CLASS_SOLVABLE; n++) {
                size_t long_x = spell(x, &v[c].accepted, n), long_y = spell(y, &v[c].rejected, n);
                CHECK(accepts(d, x, long_x) && (c == CLASS_FINITE || !accepts(d, y, long_y)),
                      "%s, not %s: words for n = %zu", all[k], language_class_name(c), n);
            }
        CHECK(v[CLASS_STAR_FREE].answer != CLASS_UNKNOWN, "%s: star-free is not known", all[k]);
        temper_spec_free(spec);
        arena_reset(a);
    }
}

int main(void) {
    test_random r = test_seed(3);
    size_t counts[LANGUAGE_CLASSES][2] = {{0}};
    arena a;
    trap t;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) abort();
    check_known(counts, &a);
    check_degrees(&a);
    check_limits(&a);
    check_large(&a);
    for (unsigned trial = 0; trial < 600 * test_effort(); trial++) {
        char name[40];
        snprintf(name, sizeof name, "trial %u", trial);
        check_dfa(name, random_dfa(&a, &r), counts, &a);
        arena_reset(&a);
    }
    for (int c = 0; c < LANGUAGE_CLASSES; c++)
        if (getenv("TEMPER_TEST_VERBOSE"))
            printf("%s: %zu yes, %zu no\n", language_class_name(c), counts[c][1], counts[c][0]);
    arena_free(&a);
    trap_clear(&t);
    return test_finish("t-classify");
}
