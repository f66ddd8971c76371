/* What the auditor's diagrams mean, on all strings of up to four letters (meaning_values.h). Random formulas
   of every kind, and all their parts, must have the values of the second oracle. Remainders are asked for every count
   up to twice the modulus and further. So a wrong constant in an atom, a residue or a rule that joins questions shows
   as a wrong value. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit_source_meaning.h"
#include "meaning_values.h"
#include "random_formula.h"
#include "reference.h"

enum { LETTERS = 3, LONGEST = 4 };

typedef __int128 wide;

static arena memory, scratch, kept;
static trap failure;
static meaning m;
static meaning_values values;

static const double *values_of(dd f) { return meaning_values_of(&values, f); }

/* ---- formulas ---- */

static void begin(void) {
    arena_reset(&memory);
    values = (meaning_values){&m, &memory, values.points, values.count, NULL, 0};
    meaning_init(&m, LETTERS, &memory, &scratch);
}

static void check_spec(const temper_spec *spec) {
    const dd *of = source_meanings(&m, spec, NULL, &memory);
    unsigned char truth[LONGEST];
    for (node_id id = 1; id < spec->graph.count; id++) {
        if (of[id] == NO_MEANING) continue;
        if (!CHECK(dd_is_boolean(&m.d, of[id]), "node %u is not Boolean", id)) return;
        const double *v = values_of(of[id]);
        for (size_t k = 0; k < values.count; k++) {
            const meaning_point *p = &values.points[k];
            if (p->i == 1) reference_eval(truth, &spec->graph, id, p->word, p->n);
            if (v[k] != truth[p->i - 1]) {
                char *written = NULL;
                temper_error e;
                if (temper_spec_print(&written, spec, &e)) written = NULL;
                CHECK(false, "node %u of %s: string %zu of %zu letters, position %zu: %g, not %d", id,
                      written ? written : "?", p->first, p->n, p->i, v[k], truth[p->i - 1]);
                temper_free(written);
                return;
            }
        }
        CHECK(true, "values");
    }
}

static void check_random(test_random *r, int kind) {
    random_shape shape = {.letters = LETTERS,
                          .size = 2 + random_below(r, 9),
                          .depth = 4,
                          .past = kind != 1,
                          .future = kind != 0,
                          .counting = kind % 2 == 0,
                          .modulo = kind % 3 == 0,
                          .places = random_below(r, 2),
                          .attend = kind == 4,
                          .mixed_attend = kind == 5,
                          .large = kind == 2};
    temper_spec *spec = random_spec(r, &shape, TEMPER_AT_LAST);
    check_spec(spec);
    temper_spec_free(spec);
}

/* Numbers that are too large for a diagram, and what must not be mistaken for one another. */
static const char *const WRITTEN[] = {
    "9007199254740993*#[a] > 3*#[b]",
    "9007199254740993*#[a] > 9007199254740992*#[b]",
    "9007199254740993*#[a] - 9007199254740992*#>[b] >= 2",
    "4503599627370496*#[a] - 3*#[b] >= 1",
    "4503599627370497*#[a] - 3*#[b] >= 1",
    "#[a] + 9007199254740993*#[b] >= 2",
    "#[a] + 9007199254740993*#>[b] >= 9007199254740994",
    "9007199254740993*#[b] <= 2",
    "0 - #[a] - 9007199254740993*#>[b] >= 0 - 2",
    "(#[a] + 2*#>[b]) % 65537 = 3",
    "(#[a] + 2*#>[b]) % 65537 <= 3",
    "(#[a] + 2*#>[b]) % 24 = 3",
    "(31*#[a] + 2*#>[b]) % 32 <= 3",
    "(#[a] + 65536*#[b]) % 65537 <= 0",
    "(#[a] + 65535*#[b]) % 65536 <= 0",
    "(#[a] + 2*#>[b] + 7*#[c]) % 65536 = 3",
    "(32768*#[a] + 16384*#[b]) % 65536 = 0",
    "(3*#[a]) % 65537 = 6",
    "(3*#[a] + 5) % 65537 <= 8",
    "(3*#[a] + 5) % 65538 = 8",
    "(#[a] + 3*#[b]) % 4 = 2",
    "(6*#[a] + 4*#[b] + 5) % 8 > 3",
    "[^a]",
    "[^ab]",
    "b @ (#[a] + #>[b])",
    "b @ (#[a] + #>[true] - 1)",
    "b @ (#>[a] + #[true])",
    "b @ (#>[a] + 2*#[true] - 3)",
    "b @ (2*#[a] - 1)",
    "b @ (9007199254740993*#[a] - 9007199254740992)",
    "#[a] % 3 < 0",
    "#[a] % 3 >= 0",
    "#[a] % 3 < 1",
    "#[a] % 3 <= 2",
    "#[a] % 3 != 5",
    "#[a] % 3 > 1",
    "Y (#[a] % 3 = 1)",
    "X (#>[a] % 3 = 1)",
    "Y !(#[a] % 3 = 1)",
    "Y (#[a] % 3 <= 1)",
    "X !((2*#>[a] + 1) % 4 <= 2)",
    "Y (#>[a] % 3 = 1)",
    "Y O a",
    "Y (a S b)",
    "X F (a & b)",
    "X (a U b)",
    "Y !(a S b)",
    "Y first",
    "X last",
    "Y true",
    "O (first & a)",
    "O first",
    "F last",
    "O (a & O a)",
    "O (a & Y O a)",
    "F (X F c & a)",
    "true S a",
    "a S true",
    "(Y a) S (Y b)",
    "Y a & Y b",
    "Y a | Y (b | a)",
    "Y (a & O b) & Y a",
    "#[false] + #[a] >= 1",
    "2*#[a] + 2*#[b] >= 3",
    "2*#[a] + 4*#[b] >= 3*#[c]",
    "0 - 2*#[a] >= 0 - 3",
    "#[a] >= 0 - 1",
    "#[a] + #[a] - 2*#[a] >= 0",
    "(#[a] - #[a] + #[b]) % 2 = 1",
};

static void check_written(void) {
    for (size_t k = 0; k < sizeof WRITTEN / sizeof *WRITTEN; k++) {
        temper_spec *spec = NULL;
        temper_error e;
        temper_spec_options o = {.alphabet = "abc", .at = TEMPER_AT_LAST};
        if (!CHECK(temper_spec_parse(&spec, WRITTEN[k], strlen(WRITTEN[k]), &o, &e) == TEMPER_OK, "%s: %s",
                   WRITTEN[k], e.text))
            continue;
        check_spec(spec);
        temper_spec_free(spec);
    }
}

/* ---- what must be found to be the same ---- */

static dd meaning_of(const char *source) {
    temper_spec *spec = NULL;
    temper_error e;
    temper_spec_options o = {.alphabet = "abc", .at = TEMPER_AT_LAST};
    if (!CHECK(temper_spec_parse(&spec, source, strlen(source), &o, &e) == TEMPER_OK, "%s: %s", source, e.text))
        return 0;
    dd f = source_meanings(&m, spec, NULL, &memory)[spec->root];
    temper_spec_free(spec);
    return f;
}

/* Sums that no diagram holds, and that differ in one number only. */
static void check_different(void) {
    static const char *const different[] = {
        "9007199254740993*#[a] - 9007199254740995*#[b] >= 1",
        "9007199254740993*#[a] - 9007199254740995*#[b] >= 2",
        "9007199254740993*#[a] - 9007199254740997*#[b] >= 1",
        "9007199254740991*#[a] - 9007199254740995*#[b] >= 1",
        "9007199254740993*#[b] - 9007199254740995*#[a] >= 1",
        "9007199254740993*#>[a] - 9007199254740995*#[b] >= 1",
        "9007199254740993*#[a] - 9007199254740995*#>[b] >= 1",
        "9007199254740993*#[a] - 9007199254740995*#[c] >= 1",
        "(#[a] + #[b]) % 1099511627776 <= 5",
        "(#[a] + #[b]) % 1099511627776 <= 6",
        "(#[a] + #[b]) % 1099511627776 = 5",
        "(#[a] + #[b]) % 1099511627776 = 6",
        "(#[a] + #[b] + 1) % 1099511627776 <= 5",
        "(#[a] + #[b]) % 1099511627777 <= 5",
        "(#[a] + 2*#[b]) % 1099511627776 <= 5",
        "(#[a] + #[b]) % 65536 <= 5",
        "(#[a] + #[b]) % 65536 = 5",
        "(#[a] + 2*#[b]) % 65536 = 5",
    };
    enum { COUNT = sizeof different / sizeof *different };
    for (size_t k = 0; k < COUNT; k++)
        for (size_t j = 0; j < k; j++)
            CHECK(meaning_of(different[k]) != meaning_of(different[j]), "%s is not %s", different[k], different[j]);
}

static void check_same(void) {
    static const char *const same[][2] = {
        {"Y O a", "Y O (a | (a & b))"},
        {"O a", "a | Y O a"},
        {"F a", "a | X F a"},
        {"a S b", "b | (a & Y (a S b))"},
        {"a U b", "b | (a & X (a U b))"},
        {"O O a", "O a"},
        {"Y !a", "!first & !Y a"},
        {"X !a", "!last & !X a"},
        {"Y true", "!first"},
        {"X true", "!last"},
        {"Y !(a S b)", "!first & !Y (a S b)"},
        {"Y (a & b)", "false"},
        {"Y a & Y b", "false"},
        {"Y (a | b) & Y a", "Y a"},
        {"Y a & Y (a | c)", "Y a"},
        {"#[a] >= 1", "O a"},
        {"#>[a] >= 1", "F a"},
        {"3*#[a] >= 2", "O a"},
        {"#[a] <= 0", "!O a"},
        {"#[a] >= 0", "true"},
        {"#[a] < 0", "false"},
        {"2*#[a] >= 3", "#[a] >= 2"},
        {"2*#[a] + 4*#[b] >= 3", "#[a] + 2*#[b] >= 2"},
        {"2*#[a] - 4*#>[b] >= 0 - 3", "#[a] - 2*#>[b] >= 0 - 1"},
        {"#[a] % 2 = 1", "!(#[a] % 2 = 0)"},
        {"#[a] % 6 = 4", "#[a] % 2 = 0 & #[a] % 3 = 1"},
        {"(2*#[a]) % 6 = 4", "#[a] % 3 = 2"},
        {"(5*#[a] + 1) % 6 = 0", "#[a] % 6 = 1"},
        {"#[a] % 4 <= 1", "#[a] % 4 = 0 | #[a] % 4 = 1"},
        {"#[a] % 4 = 3", "#[a] % 8 = 3 | #[a] % 8 = 7"},
        {"Y (#[a] % 3 = 1)", "!first & ((a & #[a] % 3 = 2) | (!a & #[a] % 3 = 1))"},
        {"X (#>[a] % 3 = 1)", "!last & ((a & #>[a] % 3 = 2) | (!a & #>[a] % 3 = 1))"},
        {"Y !(#[a] % 3 = 1)", "!first & !Y (#[a] % 3 = 1)"},
        {"(#[a] + #[b]) % 3 = 0", "(#[b] + 4*#[a]) % 3 = 0"},
        {"(32768*#[a] + 16384*#[b]) % 65536 = 0", "(2*#[a] + #[b]) % 4 = 0"},
        {"(128*#[a] + 128*#[b]) % 65536 <= 128", "(#[a] + #[b]) % 512 <= 1"},
        {"(#[a] + #[b]) % 65536 <= 5", "(#[b] + #[a]) % 65536 < 6"},
        {"(2*#[a]) % 131074 = 4", "#[a] % 65537 = 2"},
        {"(#[a] + 70000) % 65537 <= 3", "(#[a] + 4463) % 65537 <= 3"},
        {"9007199254740993*#[a] > 9007199254740992*#[b]", "18014398509481986*#[a] > 18014398509481984*#[b]"},
        {"#[a] + 9007199254740993*#[b] >= 5", "#[a] + 6*#[b] >= 5"},
        {"9007199254740993*#[b] + #[a] >= 5", "#[a] + 6*#[b] >= 5"},
        {"0 - #[a] - 9007199254740993*#[b] >= 0 - 5", "0 - #[a] - 6*#[b] >= 0 - 5"},
        {"#[a] + 2*#[b] >= 0 - 9007199254740993", "true"},
        {"0 - #[a] - 2*#[b] >= 9007199254740993", "false"},
        {"0 - #[a] >= 0", "!O a"},
        {"0 - #[a] >= 1", "false"},
        {"#[a & b] >= 0", "true"},
        {"#[a & b] >= 1", "false"},
        {"#[a & b] <= 0", "true"},
        {"#[a & b] > 0", "false"},
        {"#[a & b] >= 0 - 1", "true"},
        {"(#[a] + #[b]) % 1099511627776 <= 1099511627775", "true"},
        {"(#[a] + #[b]) % 1099511627776 < 1099511627776", "true"},
        {"(#[a] + #[b]) % 1099511627776 >= 1099511627776", "false"},
        {"(#[a] + #[b]) % 1099511627776 > 1099511627775", "false"},
        {"(#[a] + #[b]) % 1099511627776 = 1099511627776", "false"},
        {"(#[a] + #[b]) % 1099511627776 != 1099511627776", "true"},
        {"(#[a] + #[b]) % 1099511627776 < 0", "false"},
        {"(#[a] + #[b]) % 1099511627776 >= 0", "true"},
        {"(#[a] + #[b]) % 1099511627776 <= 5", "!((#[a] + #[b]) % 1099511627776 > 5)"},
        {"(#[a] + #[b]) % 1099511627776 <= 5", "(#[b] + #[a]) % 1099511627776 < 6"},
        {"[^a]", "b | c"},
        {"[^c]", "a | b"},
        {"[^ab]", "c"},
        {"b @ (#[a | c] + #[b])", "b @ (#[true])"},
        {"b @ (#>[a | c] + #>[b])", "b @ (#>[true])"},
        {"b @ (#[a | c] + #[b] + 2*#>[true] - 1)", "b @ (#[true] + 2*#>[true] - 1)"},
        {"b @ (#>[a | c] + #>[b] - 2*#[true] + 1)", "b @ (#>[true] - 2*#[true] + 1)"},
        {"b @ (#[a] + #>[a | c] + #>[b])", "b @ (#[a] + #>[true])"},
        {"b @ (#>[a] + #[a | c] + #[b])", "b @ (#>[a] + #[true])"},
        {"(5*#[a] + 2) % 5 <= 2", "true"},
        {"(5*#[a] + 2) % 5 <= 1", "false"},
        {"(5*#[a] + 2) % 5 = 2", "true"},
        {"(5*#[a] + 2) % 5 < 3", "true"},
        {"(5*#[a] + 2) % 5 < 2", "false"},
        /* sums that no diagram holds, with their terms in another order */
        {"9007199254740993*#[a] - 9007199254740995*#[b] >= 1",
         "0 - 9007199254740995*#[b] + 9007199254740993*#[a] >= 1"},
        {"9007199254740993*#[a] - 9007199254740995*#>[a] >= 1",
         "0 - 9007199254740995*#>[a] + 9007199254740993*#[a] >= 1"},
        {"9007199254740993*#>[a] - 9007199254740995*#[b] >= 1",
         "0 - 9007199254740995*#[b] + 9007199254740993*#>[a] >= 1"},
        {"9007199254740993*#[a] - 9007199254740995*#>[b] >= 1",
         "0 - 9007199254740995*#>[b] + 9007199254740993*#[a] >= 1"},
        {"9007199254740993*#[a] - 9007199254740995*#[b] + 9007199254740997*#[c] >= 1",
         "9007199254740997*#[c] + 9007199254740993*#[a] - 9007199254740995*#[b] >= 1"},
    };
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        CHECK(meaning_of(same[k][0]) == meaning_of(same[k][1]), "%s is %s", same[k][0], same[k][1]);
}

/* ---- remainders of many counts ---- */

static void check_residue(test_random *r, int64_t modulus) {
    dd letter = meaning_letters(&m, &(uint32_t){1}, 1);
    int64_t weight = (int64_t)random_below(r, (uint64_t)(3 * modulus)) - modulus,
            constant = (int64_t)random_below(r, (uint64_t)(3 * modulus)) - modulus,
            residue = (int64_t)random_below(r, (uint64_t)modulus), step = 1 + 2 * modulus / 300;
    if (random_below(r, 4) == 0) residue = random_below(r, 2) ? modulus - 1 : 0;
    dd equal = meaning_residue(&m, true, letter, weight, constant, modulus, RESIDUE_EQUAL, residue),
       most = meaning_residue(&m, true, letter, weight, constant, modulus, RESIDUE_AT_MOST, residue),
       number = modulus <= RESIDUE_TABLE ? meaning_remainder(&m, true, letter, weight, modulus) : 0;
    for (int64_t c = 0; c <= 2 * modulus + 1; c += step) {
        int64_t product = (int64_t)(((wide)weight * c % modulus + modulus) % modulus),
                rest = (int64_t)(((wide)product + constant % modulus + modulus) % modulus);
        CHECK(meaning_value_at_count(&m, equal, c) == (rest == residue) &&
                  meaning_value_at_count(&m, most, c) == (rest <= residue) &&
                  (modulus > RESIDUE_TABLE || meaning_value_at_count(&m, number, c) == (double)product),
              "(%lld c + %lld) %% %lld, residue %lld, at c = %lld", (long long)weight, (long long)constant,
              (long long)modulus, (long long)residue, (long long)c);
    }
    CHECK(meaning_residue(&m, true, 0, weight, constant, modulus, RESIDUE_EQUAL, residue) ==
              (((constant % modulus) + modulus) % modulus == residue),
          "nothing is counted");
}

static void check_residues(test_random *r) {
    static const int64_t moduli[] = {2,  3,  4,  5,  6,  7,   8,   9,   10,  12,  16,    18,    25,    30,
                                     36, 49, 60, 64, 97, 100, 128, 360, 961, 997, 65535, 65536, 65537, 131072};
    for (size_t k = 0; k < sizeof moduli / sizeof *moduli; k++)
        for (int again = 0; again < (moduli[k] < 1000 ? 12 : 2); again++) check_residue(r, moduli[k]);
}

int main(void) {
    test_random r = test_seed(2718);
    if (trap_set(&failure, NULL)) return 1;
    arena_init(&memory, &failure);
    arena_init(&scratch, &failure);
    arena_init(&kept, &failure);
    values.points = meaning_points(&values.count, LETTERS, LONGEST, &kept);
    begin();
    check_same();
    check_different();
    check_written();
    begin();
    check_residues(&r);
    int rounds = 2 + (int)(10 * test_effort());
    for (int k = 0; k < rounds; k++) {
        begin();
        for (int kind = 0; kind < 6; kind++)
            for (int again = 0; again < 4; again++) check_random(&r, kind);
    }
    arena_free(&memory);
    arena_free(&scratch);
    arena_free(&kept);
    return test_finish("t-audit-meaning");
}
