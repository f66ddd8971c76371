/* Formulas of regular languages: the prover's table, the auditor's opinion of it, and the formula's truth on strings.
   Automata of random expressions become formulas by way of their cascades; then tables, formulas and languages are
   damaged, and whatever the auditor still accepts must be true. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_language.h"
#include "automata/regex.h"
#include "base/entry.h"
#include "compile/cascade.h"
#include "decide/language_table.h"
#include "logic/formula_eval.h"
#include "random_regex.h"

typedef struct trial {
    arena *arena;
    const char *regex, *audited_regex; /* what the compiler has read, and the auditor */
    alphabet letters;
    temper_spec spec;
    const char **rows;
    size_t row_count;
    bool forward;
    temper_error error;
} trial;

static const dfa *automaton_of(trial *x, bool reversed) {
    const dfa *d = dfa_from_regex(x->arena, regex_parse(x->arena, x->regex, strlen(x->regex), false, 1, 1),
                                  &x->letters, x->arena);
    if (!reversed) return d;
    const audit_regex *p = audit_regex_read(x->arena, x->regex, strlen(x->regex), &x->letters);
    const automaton *back = automaton_from_regex(x->arena, p, true);
    dfa *out = dfa_new(x->arena, back->states, back->classes, (uint32_t)x->letters.count);
    memcpy(out->next, back->next, (size_t)back->states * back->classes * sizeof *out->next);
    memcpy(out->accepts, back->accepts, back->states);
    memcpy(out->class_of, back->class_of, x->letters.count * sizeof *out->class_of);
    return out;
}

/* The formula and its table; no rows: none was found. */
static void make(void *context) {
    trial *x = context;
    const dfa *d = automaton_of(x, x->forward);
    cascade_report report;
    if (d->state_count > 24) return; /* cascades of larger ones take long, and say nothing new */
    formula_init(&x->spec.graph, x->arena);
    x->spec.letters = x->letters;
    x->spec.at = x->forward ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
    const unsigned char *accepts = d->accepts;
    cascade_options o = {.future = x->forward};
    if (!cascade_from_dfa(&x->spec.root, &x->spec.graph, d, (state_sets){&accepts, 1}, o, &report, x->arena))
        x->spec.root = 0;
    if (!x->spec.root) return;
    language_rows rows =
        language_table_of(&x->spec.graph, x->spec.root, d, x->forward, &LANGUAGE_TABLE_LIMITS, x->arena);
    if (rows.why_not && strstr(rows.why_not, "too much")) x->spec.root = 0;
    CHECK(!rows.why_not || !x->spec.root, "%s: %s", x->regex, rows.why_not);
    x->rows = rows.rows;
    x->row_count = rows.count;
}

static void check(void *context) {
    trial *x = context;
    language_table t;
    const audit_regex *p = audit_regex_read(x->arena, x->audited_regex, strlen(x->audited_regex), &x->letters);
    language_begin(&t, &x->spec, automaton_from_regex(x->arena, p, x->forward), x->forward, x->arena);
    language_read_rows(&t, x->rows, x->row_count);
    language_check(&t);
    for (size_t k = 0; k < x->row_count; k++) {
        text out;
        text_init(&out, x->arena);
        language_write_row(&out, &t, k);
        CHECK(strcmp(text_string(&out), x->rows[k]) == 0, "%s: row %s is written %s", x->regex, x->rows[k],
              text_string(&out));
    }
}

static bool attempt(trial *x, void (*body)(void *)) {
    trap inside, *outside = x->arena->trap;
    x->arena->trap = x->letters.arena->trap = &inside;
    bool done = trap_attempt(&inside, &x->error, body, x);
    x->arena->trap = x->letters.arena->trap = outside;
    return done;
}

/* The formula against the language of what the auditor read, on a word of every prefix (every suffix). */
static bool is_true_of(trial *x, const dfa *d, const uint32_t *word, size_t n) {
    if (n == 0) return true;
    unsigned char truth[REGEX_LONGEST];
    formula_eval(truth, &x->spec.graph, x->spec.root, word, n, x->arena);
    for (size_t i = 0; i < n; i++) {
        uint32_t state = d->start;
        for (size_t k = 0; k <= i; k++) {
            uint32_t letter = word[x->forward ? n - 1 - k : k];
            state = dfa_next(d, state, d->class_of[letter]);
        }
        if (truth[x->forward ? n - 1 - i : i] != d->accepts[state]) return false;
    }
    return true;
}

static void check_truth(trial *x, test_random *r, const char *what) {
    const char *kept = x->regex;
    x->regex = x->audited_regex;
    const dfa *d = automaton_of(x, x->forward);
    x->regex = kept;
    for (unsigned k = 0; k < 12; k++) {
        uint32_t word[REGEX_LONGEST];
        size_t n = regex_random_word(word, r);
        CHECK(is_true_of(x, d, word, n), "%s: accepted for %s, %s, but it is wrong on a word of %zu letters",
              x->regex, x->audited_regex, what, n);
    }
}

/* ---- damage ---- */

static const char *damaged_row(const trial *x, test_random *r, const char *row) {
    char *copy = arena_copy(x->arena, row, strlen(row));
    static const char signs[] = "01-2z(:)9 ";
    copy[random_below(r, strlen(row))] = signs[random_below(r, sizeof signs - 1)];
    return copy;
}

static void damage_rows(trial *x, test_random *r) {
    const char **rows = arena_alloc(x->arena, x->row_count + 2, sizeof *rows);
    memcpy(rows, x->rows, x->row_count * sizeof *rows);
    size_t k = (size_t)random_below(r, x->row_count), j = (size_t)random_below(r, x->row_count);
    switch (random_below(r, 5)) {
    case 0: memmove(rows + k, rows + k + 1, (--x->row_count - k) * sizeof *rows); break;
    case 1: rows[x->row_count++] = rows[k]; break;
    case 2: rows[k] = rows[j]; break;
    default: rows[k] = damaged_row(x, r, rows[k]); break;
    }
    x->rows = rows;
}

/* Another operator or operand somewhere. */
static void damage_formula(trial *x, test_random *r) {
    formula *f = &x->spec.graph;
    node_id id = (node_id)(1 + random_below(r, x->spec.root));
    formula_node *n = &f->nodes[id];
    static const formula_op binary[] = {OP_SINCE, OP_TRIGGERED, OP_XOR, OP_IFF, OP_IMPLIES, OP_UNTIL};
    static const formula_op unary[] = {OP_YESTERDAY, OP_WEAK_YESTERDAY, OP_ONCE, OP_HISTORICALLY, OP_NOT, OP_NEXT};
    if (n->kid_count == 1 && n->op != OP_COUNT_PAST && n->op != OP_COUNT_FUTURE)
        n->op = unary[random_below(r, 6)];
    else if (n->kid_count == 2 && (n->op == OP_SINCE || n->op == OP_UNTIL) && random_below(r, 2))
        n->op = binary[random_below(r, 6)];
    else if (n->op == OP_AND || n->op == OP_OR)
        n->op = n->op == OP_AND ? OP_OR : OP_AND;
    else if (n->op == OP_MODULO)
        n->residue++;
    else if (n->op == OP_LETTERS)
        n->op = random_below(r, 2) ? OP_TRUE : OP_FIRST;
    else if (n->kid_count && n->op != OP_COMPARE && id > 1)
        f->kids[n->kid_start] = (node_id)(1 + random_below(r, id - 1));
    for (node_id k = 1; k <= x->spec.root; k++) { /* counts stand in sums only */
        const formula_node *y = formula_at(f, k);
        for (size_t i = 0; i < y->kid_count; i++) {
            formula_op kid = formula_at(f, formula_kid(f, k, i))->op;
            bool is_count = kid == OP_COUNT_PAST || kid == OP_COUNT_FUTURE;
            if (is_count != (y->op == OP_MODULO || y->op == OP_COMPARE)) x->spec.root = 0;
        }
    }
}

static void check_random(unsigned number, test_random *r, arena *a, unsigned accepted[2]) {
    static char kept[4000];
    trial x = {.arena = a, .forward = random_below(r, 4) == 0};
    regex_random_alphabet(&x.letters, a);
    const random_regex *random = regex_random(r, 1 + random_below(r, 9), random_below(r, 2));
    snprintf(kept, sizeof kept, "%s", regex_random_text(random));
    x.regex = x.audited_regex = kept;
    if (!attempt(&x, make) || !x.spec.root) return; /* too large, or not solvable */
    CHECK(attempt(&x, check), "trial %u: %s%s: %s", number, x.regex, x.forward ? " reversed" : "", x.error.text);
    check_truth(&x, r, "as it is");
    for (unsigned k = 0; k < 12; k++) {
        trial y = x;
        unsigned kind = (unsigned)random_below(r, 3);
        static const char *const kinds[] = {"with other rows", "with another formula", "as another language"};
        formula_node *nodes = arena_alloc(a, x.spec.graph.count, sizeof *nodes);
        node_id *kids = arena_alloc(a, x.spec.graph.kid_count + 1, sizeof *kids);
        memcpy(nodes, x.spec.graph.nodes, x.spec.graph.count * sizeof *nodes);
        if (x.spec.graph.kid_count) memcpy(kids, x.spec.graph.kids, x.spec.graph.kid_count * sizeof *kids);
        y.spec.graph.nodes = nodes;
        y.spec.graph.kids = kids;
        if (kind == 0)
            damage_rows(&y, r);
        else if (kind == 1)
            damage_formula(&y, r);
        else
            y.audited_regex = regex_random_text(regex_random(r, 1 + random_below(r, 6), random_below(r, 2)));
        if (!y.spec.root) continue;
        bool fine = attempt(&y, check);
        accepted[fine]++;
        if (!fine)
            CHECK(y.error.code == TEMPER_RANGE || y.error.code == TEMPER_LIMIT, "%s: %s", x.regex, y.error.text);
        if (fine) check_truth(&y, r, kinds[kind]);
    }
}

/* ---- fixed cases ---- */

static node_id letter(formula *f, uint32_t l) { return formula_letters(f, &l, 1, false); }

static void begin_fixed(trial *x, arena *a, const char *written) {
    *x = (trial){.arena = a, .regex = written, .audited_regex = written};
    alphabet_init(&x->letters, a, false);
    alphabet_add(&x->letters, "a", 1);
    alphabet_add(&x->letters, "b", 1);
    formula_init(&x->spec.graph, a);
    x->spec.letters = x->letters;
}

static bool fixed(trial *x, node_id root, const char *const *rows, size_t count) {
    x->spec.root = root;
    x->rows = arena_alloc(x->arena, count + 1, sizeof *x->rows);
    memcpy(x->rows, rows, count * sizeof *rows);
    x->row_count = count;
    return attempt(x, check);
}

/* By hand: the table of .*a.* as O a, of words of even length, and of words of two or three letters. */
static void check_fixed(arena *a) {
    trial x;
    begin_fixed(&x, a, ".*a.*");
    formula *f = &x.spec.graph;
    node_id once = formula_unary(f, OP_ONCE, letter(f, 0));
    CHECK(fixed(&x, once, (const char *[]){"0:0", "1:1"}, 2), "O a: %s", x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"0:0"}, 1) && strstr(x.error.text, "leads from row 1"), "%s",
          x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"1:1"}, 1) && strstr(x.error.text, "beginning"), "%s", x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"1:1", "0:0"}, 2) && strstr(x.error.text, "order"), "%s", x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"0:0", "0:0", "1:1"}, 3) && strstr(x.error.text, "order"), "%s",
          x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"0:0", "1:-"}, 2) && strstr(x.error.text, "open"), "%s", x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"0:0", "1:11"}, 2) && strstr(x.error.text, "too many"), "%s",
          x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"0:", "1:1"}, 2) && strstr(x.error.text, "too few"), "%s", x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"0:0", "1:2"}, 2) && strstr(x.error.text, "too large"), "%s",
          x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"0:0", "2:1"}, 2) && strstr(x.error.text, "not written"), "%s",
          x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"00:0", "1:1"}, 2) && strstr(x.error.text, "not written"), "%s",
          x.error.text);
    CHECK(!fixed(&x, once, (const char *[]){"0:0", "1:(99999999999999999999)"}, 2), "a long number");
    CHECK(!fixed(&x, formula_unary(f, OP_EVENTUALLY, letter(f, 0)), (const char *[]){"0:0", "1:1"}, 2) &&
              strstr(x.error.text, "forward"),
          "%s", x.error.text);
    begin_fixed(&x, a, "(..)*");
    f = &x.spec.graph;
    linear_sum sum;
    sum_init(&sum, a, 0);
    sum_add_count(&sum, formula_unary(f, OP_COUNT_PAST, formula_atom(f, OP_TRUE)), 1);
    CHECK(fixed(&x, formula_modulo(f, &sum, 2, CMP_EQ, 0), (const char *[]){"0:0", "1:1"}, 2), "even: %s",
          x.error.text);
    CHECK(!fixed(&x, formula_modulo(f, &sum, 2, CMP_EQ, 1), (const char *[]){"0:0", "1:1"}, 2), "odd is not even");
    CHECK(!fixed(&x, formula_modulo(f, &sum, 1 << 17, CMP_EQ, 1), (const char *[]){"0:0", "1:1"}, 2) &&
              strstr(x.error.text, "65536"),
          "%s", x.error.text);
    begin_fixed(&x, a, ".{2,3}");
    f = &x.spec.graph;
    node_id count = formula_unary(f, OP_COUNT_PAST, formula_atom(f, OP_TRUE));
    sum_init(&sum, a, -2);
    sum_add_count(&sum, count, 1);
    node_id low = formula_compare(f, &sum, CMP_GE);
    sum_init(&sum, a, 3);
    sum_add_count(&sum, count, -1);
    node_id kids[2] = {low, formula_compare(f, &sum, CMP_GE)}, both = formula_nary(f, OP_AND, kids, 2);
    CHECK(fixed(&x, both, (const char *[]){"0:00", "1:11", "2:22", "3:33", "4:34"}, 5), "2 to 3: %s", x.error.text);
    CHECK(!fixed(&x, both, (const char *[]){"0:00", "1:11", "2:22", "3:33"}, 4), "no fifth letter");
    sum_init(&sum, a, 0);
    sum_add_count(&sum, formula_unary(f, OP_COUNT_PAST, letter(f, 0)), 1);
    sum_add_count(&sum, formula_unary(f, OP_COUNT_PAST, letter(f, 1)), -1);
    CHECK(!fixed(&x, formula_compare(f, &sum, CMP_GE), (const char *[]){"0:0"}, 1) &&
              strstr(x.error.text, "infinitely"),
          "%s", x.error.text);
}

int main(void) {
    test_random r = test_seed(37);
    arena a;
    trap t;
    temper_error e;
    arena_init(&a, &t);
    if (trap_set(&t, &e)) {
        fprintf(stderr, "t-audit-language: %s\n", e.text);
        abort();
    }
    unsigned trials = (unsigned)(300 * test_effort()), accepted[2] = {0, 0};
    for (unsigned k = 0; k < trials; k++) {
        check_random(k, &r, &a, accepted);
        arena_reset(&a);
    }
    CHECK(trials < 50 || (accepted[0] > trials && accepted[1] > 0), "%u refused, %u accepted", accepted[0],
          accepted[1]);
    check_fixed(&a);
    arena_free(&a);
    trap_clear(&t);
    return test_finish("t-audit-language");
}
