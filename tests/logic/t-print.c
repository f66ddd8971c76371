/* parse(print(f)) == f, node for node; print(parse(print(f))) == print(f); sizes; labels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "corpus.h"
#include "logic/formula_eval.h"
#include "logic/formula_print.h"
#include "random_formula.h"
#include "test.h"

static trap caught;

/* ---- two graphs, node by node --------------------------------------------------------------------------------- */

/* The same letters; a set of all or of none may come back from the other side. */
static bool same_set(const temper_spec *x, node_id a, const temper_spec *y, node_id b) {
    size_t members = 0;
    for (uint32_t k = 0; k < x->letters.count; k++) {
        members += formula_has_letter(&x->graph, a, k);
        if (formula_has_letter(&x->graph, a, k) != formula_has_letter(&y->graph, b, k)) return false;
    }
    bool whole = members == 0 || members == x->letters.count;
    return whole ||
           x->graph.sets[formula_at(&x->graph, a)->set].rest == y->graph.sets[formula_at(&y->graph, b)->set].rest;
}

static bool same_node(const temper_spec *x, node_id a, const temper_spec *y, node_id b, const node_id *twin) {
    const formula_node *m = formula_at(&x->graph, a), *n = formula_at(&y->graph, b);
    if (m->op != n->op || m->kid_count != n->kid_count || m->choice != n->choice || m->mask != n->mask) return false;
    if (m->compare != n->compare || m->constant != n->constant) return false;
    if (m->modulus != n->modulus || m->residue != n->residue) return false;
    if (m->op == OP_LETTERS) return same_set(x, a, y, b);
    for (size_t k = 0; k < m->kid_count; k++) {
        if (twin[formula_kid(&x->graph, a, k)] != formula_kid(&y->graph, b, k)) return false;
        if (formula_weight(&x->graph, a, k) != formula_weight(&y->graph, b, k)) return false;
    }
    return true;
}

/* Walks down from the roots giving every node of x its twin in y, then compares them. */
static bool same_graph(const temper_spec *x, const temper_spec *y) {
    node_id *twin = calloc(x->graph.count, sizeof *twin);
    if (!twin) exit(1);
    bool same = true;
    twin[x->root] = y->root;
    for (node_id a = x->root; a > 0 && same; a--) {
        node_id b = twin[a];
        if (!b) continue;
        const formula_node *m = formula_at(&x->graph, a);
        same = m->kid_count == formula_at(&y->graph, b)->kid_count;
        for (size_t k = 0; same && k < m->kid_count; k++) {
            node_id kid = formula_kid(&x->graph, a, k), other = formula_kid(&y->graph, b, k);
            if (twin[kid] && twin[kid] != other) same = false;
            twin[kid] = other;
        }
    }
    for (node_id a = 1; a <= x->root && same; a++)
        if (twin[a]) same = same_node(x, a, y, twin[a], twin);
    free(twin);
    return same;
}

static bool same_settings(const temper_spec *x, const temper_spec *y) {
    if (x->at != y->at || x->accepts_empty != y->accepts_empty || x->letters.tokens != y->letters.tokens)
        return false;
    if (x->letters.count != y->letters.count) return false;
    for (size_t k = 0; k < x->letters.count; k++)
        if (strcmp(x->letters.letters[k], y->letters.letters[k]) != 0) return false;
    return true;
}

static bool same_answers(const char *name, const temper_spec *x, const temper_spec *y, test_random *r) {
    unsigned char left[32], right[32];
    for (int k = 0; k < 12; k++) {
        uint32_t word[32];
        size_t n = 1 + random_below(r, 24);
        random_word(word, n, (unsigned)x->letters.count, r);
        temper_spec_eval(NULL, left, x, word, n, NULL);
        temper_spec_eval(NULL, right, y, word, n, NULL);
        if (!CHECK(!memcmp(left, right, n), "%s: the printed program answers otherwise", name)) return false;
    }
    return true;
}

/* ---- round trips ---- */

static void round_trip(const char *name, const temper_spec *x, test_random *r) {
    char *once = NULL, *twice = NULL;
    temper_spec *y = NULL;
    temper_error err;
    temper_spec_options options = {.syntax = spec_print_syntax(x)};
    bool is_spec = options.syntax == TEMPER_SYNTAX_SPEC;
    temper_status printed = temper_spec_print(&once, x, &err);
    if (!CHECK(printed == TEMPER_OK, "%s does not print: %s", name, err.text)) return;
    temper_status parsed = temper_spec_parse(&y, once, strlen(once), &options, &err);
    if (CHECK(parsed == TEMPER_OK, "%s: printed text does not parse: %zu:%zu: %s\n%.2000s", name, err.line,
              err.column, err.text, once)) {
        CHECK(same_settings(x, y), "%s: settings differ after\n%.2000s", name, once);
        if (is_spec) {
            CHECK(same_graph(x, y), "%s: another graph after\n%.2000s", name, once);
            temper_spec_print(&twice, y, &err);
            CHECK(twice && !strcmp(once, twice), "%s: printed first\n%.2000s\nand then\n%.2000s", name, once, twice);
        } else if (!same_answers(name, x, y, r)) {
            fprintf(stderr, "%.2000s\n", once);
        }
        temper_spec_free(y);
    }
    temper_free(once);
    temper_free(twice);
}

static void test_corpus(test_random *r) {
    for (size_t k = 0; k < corpus_size(); k++) {
        temper_spec *s = corpus_parse(corpus_at(k));
        if (!CHECK(s != NULL, "%s does not parse", corpus_at(k)->name)) continue;
        round_trip(corpus_at(k)->name, s, r);
        temper_spec_free(s);
    }
}

static void test_random_formulas(test_random *r) {
    long rounds = (long)(1500 * test_effort());
    for (long round = 0; round < rounds; round++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(r, 5),
                              .size = 1 + random_below(r, 40),
                              .depth = 2 + random_below(r, 8),
                              .counting = random_below(r, 2),
                              .modulo = random_below(r, 2),
                              .places = random_below(r, 2),
                              .attend = random_below(r, 5) == 0,
                              .large = random_below(r, 3) == 0};
        uint64_t ways = random_below(r, 8);
        shape.past = ways != 0;
        shape.future = ways <= 4;
        char name[40];
        snprintf(name, sizeof name, "random formula %ld", round);
        temper_spec *s = random_spec(r, &shape, random_below(r, 2) ? TEMPER_AT_FIRST : TEMPER_AT_LAST);
        round_trip(name, s, r);
        temper_spec_free(s);
    }
}

/* ---- exact texts ---- */

static const struct {
    const char *text, *answer;
} exact[] = {
    {"((a))", "a"},
    {"a & (b & c)", "a & (b & c)"},
    {"(a & b) & c", "(a & b) & c"},
    {"a && b && c", "a & b & c"},
    {"a | b & c", "a | b & c"},
    {"(a | b) & c", "(a | b) & c"},
    {"a -> (b -> c)", "a -> b -> c"},
    {"(a -> b) -> c", "(a -> b) -> c"},
    {"a <-> (b -> c)", "a <-> (b -> c)"},
    {"(a <-> b) <-> c", "(a <-> b) <-> c"},
    {"a ^ b ^ c", "a ^ b ^ c"},
    {"a ^ (b ^ c)", "a ^ (b ^ c)"},
    {"a & b ^ c", "(a & b) ^ c"},
    {"a U (b U c)", "a U b U c"},
    {"(a U b) U c", "(a U b) U c"},
    {"(a U b) R c", "(a U b) R c"},
    {"a U b R c", "a U (b R c)"},
    {"(a S b) U c", "(a S b) U c"},
    {"!a U b & c", "!a U b & c"},
    {"!(a U b)", "!(a U b)"},
    {"GF a", "G F a"},
    {"!X !a", "!X !a"},
    {"[ab] & [^a] & [a]", "[ab] & [^a] & a"},
    {"X [ab]", "X [ab]"},
    {"#[a] = #[b]", "#[a] = #[b]"},
    {"#[a] - #[b] = 0", "#[a] = #[b]"},
    {"2*#[a] + 1 >= #[b]", "2*#[a] + 1 >= #[b]"},
    {"#[b] <= 2*#[a] + 1", "#[b] <= 2*#[a] + 1"},
    {"-#[a] + #[b] > 0", "-#[a] + #[b] > 0"},
    {"#[a] > 3", "#[a] > 3"},
    {"3 > #[a]", "3 > #[a]"},
    {"0 > #[a] + 3", "0 > #[a] + 3"},
    {"#[a] + 3 > 0", "#[a] + 3 > 0"},
    {"!#[a] = 1", "!(#[a] = 1)"},
    {"#[a] = 1 & #[b] = 2", "#[a] = 1 & #[b] = 2"},
    {"#[a] % 3 = 1", "#[a] % 3 = 1"},
    {"(2*#[a] - #[b] - 1) % 5 != 0", "(2*#[a] - #[b] - 1) % 5 != 0"},
    {"#[a] % 3 > -1", "#[a] % 3 > -1"},
    {"#>[#[a] = 1] > 2", "#>[#[a] = 1] > 2"},
    {"start", "first"},
};

static void test_exact(void) {
    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
        temper_spec *s;
        temper_spec_options options = {.alphabet = "abc", .at = TEMPER_AT_LAST};
        temper_error err;
        char *printed = NULL, wanted[200];
        temper_spec_parse(&s, exact[k].text, strlen(exact[k].text), &options, &err);
        if (!CHECK(s != NULL, "%s: %s", exact[k].text, err.text)) continue;
        temper_spec_print(&printed, s, NULL);
        snprintf(wanted, sizeof wanted, "alphabet a b c\nat last\n%s\n", exact[k].answer);
        CHECK(printed && !strcmp(printed, wanted), "%s: expected\n%sprinted\n%s", exact[k].text, wanted, printed);
        temper_free(printed);
        temper_spec_free(s);
    }
}

/* Letters that mean something else when they are bare. */
static void test_odd_letters(test_random *r) {
    static const char *const characters[] = {"a",
                                             "w",
                                             "x",
                                             "'",
                                             "\"",
                                             "\\",
                                             "[",
                                             "]",
                                             "^",
                                             "-",
                                             "#",
                                             " ",
                                             "\t",
                                             "\n",
                                             "\x01",
                                             "\x7f",
                                             "é",
                                             "🙂",
                                             "\xE2\x80\x8B",
                                             "(",
                                             ")",
                                             "0",
                                             "A",
                                             "P",
                                             "/",
                                             ":",
                                             "=",
                                             "!",
                                             "i",
                                             "j",
                                             "Q",
                                             "_",
                                             "*",
                                             "%",
                                             "&",
                                             "|",
                                             ",",
                                             "."};
    static const char *const words[] = {
        "true", "at",  "x1",   "x2",       "x3",        "alphabet", "empty", "tokens", "req", "--", "//",
        "#[a]", "[a]", "a]",   "'",        "\"",        "a'b",      "\\",    "^",      "^x",  "P1", "P2",
        "é",    "0",   "Q_a",  "leftmost", "rightmost", "a-b",      "first", "start",  "xor", "wX", "i",
        "j",    "a",   "\x02", "U",        "no",        "yes",      "min",   "a:b",    "(",   "=",  ":="};
    enum { CHARACTERS = sizeof characters / sizeof *characters, WORDS = sizeof words / sizeof *words };
    for (int round = 0; round < 300; round++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(r, 9), .size = 12, .depth = 6, .past = true};
        shape.counting = random_below(r, 2);
        shape.attend = random_below(r, 3) == 0;
        bool tokens = random_below(r, 2);
        temper_spec *s = make_spec(&caught, 0, TEMPER_AT_LAST);
        alphabet_init(&s->letters, &s->memory, tokens);
        while (s->letters.count < shape.letters) {
            const char *letter = tokens ? words[random_below(r, WORDS)] : characters[random_below(r, CHARACTERS)];
            alphabet_add(&s->letters, letter, strlen(letter));
        }
        if (shape.attend) s->syntax = TEMPER_SYNTAX_BRASP;
        s->accepts_empty = random_below(r, 2);
        finish_spec(s, random_formula(&s->graph, r, &shape));
        char name[40];
        snprintf(name, sizeof name, "odd letters %d", round);
        round_trip(name, s, r);
        temper_spec_free(s);
    }
}

/* Sets that no class denotes: the printed class must hold the same letters. */
static void test_whole_sets(test_random *r) {
    for (int negated = 0; negated < 2; negated++) {
        temper_spec *s = make_spec(&caught, 3, TEMPER_AT_LAST);
        node_id set = formula_letters(&s->graph, NULL, 0, negated);
        finish_spec(s, formula_unary(&s->graph, OP_ONCE, set));
        round_trip(negated ? "all letters" : "no letter", s, r);
        temper_spec_free(s);
    }
}

/* ---- sizes ---- */

/* Unary operators a million deep; all of them, with parentheses on the left or on the right, a hundred thousand. */
static void test_deep(test_random *r) {
    static const formula_op ops[] = {OP_NOT, OP_YESTERDAY, OP_AND,     OP_SINCE, OP_IMPLIES,
                                     OP_XOR, OP_OR,        OP_COMPARE, OP_AT};
    static const char *const names[] = {"deep on the left", "deep on the right", "deep and unary"};
    for (int kind = 0; kind < 3; kind++) {
        bool right = kind == 1, unary = kind == 2;
        temper_spec *s = make_spec(&caught, 2, TEMPER_AT_LAST);
        uint32_t a = 0;
        node_id atom = formula_letters(&s->graph, &a, 1, false), id = atom;
        for (int k = 0; k < (unary ? 1000000 : 100000); k++) {
            formula_op op = ops[random_below(r, unary ? 2 : sizeof ops / sizeof *ops)];
            node_id kids[2] = {right ? atom : id, right ? id : atom};
            linear_sum sum;
            if (op == OP_COMPARE) {
                sum_init(&sum, &s->memory, -1);
                sum_add_count(&sum, formula_unary(&s->graph, OP_COUNT_PAST, id), 2);
                id = formula_compare(&s->graph, &sum, CMP_GE);
            } else if (op == OP_AT) {
                sum_init(&sum, &s->memory, 1);
                sum_add_count(&sum, formula_unary(&s->graph, OP_COUNT_PAST, right ? id : atom), -1);
                id = formula_read_at(&s->graph, right ? atom : id, &sum);
            } else if (operator_kids(op) == 1) {
                id = formula_unary(&s->graph, op, id);
            } else if (operator_kids(op) == 2) {
                id = formula_binary(&s->graph, op, kids[0], kids[1]);
            } else {
                id = formula_nary(&s->graph, op, kids, 2);
            }
        }
        finish_spec(s, id);
        round_trip(names[kind], s, r);
        temper_spec_free(s);
    }
}

/* Each level uses the one below twice: as a tree it would have 2^60 nodes. */
static void test_doubling(test_random *r) {
    temper_spec *s = make_spec(&caught, 2, TEMPER_AT_LAST);
    uint32_t a = 0;
    node_id id = formula_letters(&s->graph, &a, 1, false);
    for (int k = 0; k < 60; k++)
        id = formula_binary(&s->graph, OP_XOR, id, formula_unary(&s->graph, OP_YESTERDAY, id));
    for (int k = 0; k < 60; k++) { /* and through counts, which have no definitions of their own */
        linear_sum sum;
        sum_init(&sum, &s->memory, k);
        sum_add_count(&sum, formula_unary(&s->graph, OP_COUNT_PAST, id), 2);
        node_id sums[2] = {formula_compare(&s->graph, &sum, CMP_GE), formula_modulo(&s->graph, &sum, 3, CMP_EQ, 1)};
        id = formula_nary(&s->graph, OP_OR, sums, 2);
    }
    finish_spec(s, id);
    char *printed = NULL;
    temper_spec_print(&printed, s, NULL);
    CHECK(printed && strlen(printed) < 60 * 120, "doubling prints %zu bytes", printed ? strlen(printed) : 0);
    temper_free(printed);
    round_trip("doubling", s, r);

    arena memory;
    text label;
    arena_init(&memory, &caught);
    text_init(&label, &memory);
    text_puts(&label, "<");
    formula_label(&label, &s->graph, &s->letters, s->root, 40);
    CHECK(label.length == 44 && !strcmp(text_string(&label) + 41, "..."), "label %s", text_string(&label));
    arena_free(&memory);
    temper_spec_free(s);
}

static void test_labels(void) {
    static const struct {
        const char *entry, *label;
        size_t most;
    } labels[] = {{"past/S", "a S b", 0},
                  {"past/S", "a S b", 5},
                  {"past/S", "a S ...", 4},
                  {"brasp/last-letter", "rightmost[1, true] a", 0},
                  {"letters/unicode", "O 'é' & 'ß'", 0},
                  {"letters/unicode", "O 'é...", 4},
                  {"letters/control", "O '\\x01' & '\\u{200B}'", 0},
                  {"residue/sum", "(2*#[a] + #[b]) % 5 = 0", 40}};
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++) {
        temper_spec *s = corpus_parse(corpus_find(labels[k].entry));
        if (!CHECK(s != NULL, "%s does not parse", labels[k].entry)) continue;
        arena memory;
        text label;
        arena_init(&memory, &caught);
        text_init(&label, &memory);
        formula_label(&label, &s->graph, &s->letters, s->root, labels[k].most);
        CHECK(!strcmp(text_string(&label), labels[k].label), "label of %s: expected %s, got %s", labels[k].entry,
              labels[k].label, text_string(&label));
        arena_free(&memory);
        temper_spec_free(s);
    }
}

int main(void) {
    if (trap_set(&caught, NULL)) {
        fprintf(stderr, "t-print: unexpected error: %s\n", caught.error.text);
        return 1;
    }
    test_random r = test_seed(2);
    test_corpus(&r);
    test_random_formulas(&r);
    test_exact();
    test_odd_letters(&r);
    test_whole_sets(&r);
    test_doubling(&r);
    test_labels();
    test_deep(&r);
    return test_finish("t-print");
}
