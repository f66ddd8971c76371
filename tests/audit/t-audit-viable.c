/* What the auditor says may come, by the line `viable` of a source: a letter may come after a string exactly if what
   is viable holds of the string with that letter. On all short strings the second oracle says the same of random
   formulas of every operator that looks back. Then its limits, at their edges, and what it must refuse. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/entry.h"
#include "logic/formula_eval.h"
#include "random_formula.h"
#include "reference.h"

enum { LETTERS = 3, LONGEST = 4 };

static arena memory, scratch;
static trap failure;

typedef struct subject {
    temper_spec *spec;
    node_id viable;
    audit audit;
    temper_error error;
} subject;

static void begin(subject *x) {
    *x = (subject){.spec = make_spec(&failure, LETTERS, TEMPER_AT_LAST)};
    x->spec->kind = TEMPER_KIND_NEXT;
}

static void end(subject *x) {
    temper_spec_free(x->spec);
    arena_reset(&memory);
    arena_reset(&scratch);
}

static void made(void *context) {
    subject *x = context;
    temper_model *m = arena_zalloc(&memory, 1, sizeof *m);
    m->letters = x->spec->letters;
    x->audit = (audit){.trap = memory.trap, .arena = &memory, .scratch = &scratch, .model = m};
    x->audit.outputs = arena_zalloc(&memory, LETTERS + 1, sizeof *x->audit.outputs);
    meaning_init(&x->audit.meaning, LETTERS, &memory, &scratch);
    audit_viable(&x->audit, x->spec, &(audit_request){0});
}

/* Outputs for what is viable; false: refused. */
static bool make(subject *x, node_id viable) {
    trap inside;
    x->viable = x->spec->root = x->spec->viable = viable;
    x->spec->memory.trap = NULL;
    memory.trap = scratch.trap = &inside;
    bool done = trap_attempt(&inside, &x->error, made, x);
    memory.trap = scratch.trap = &failure;
    x->spec->memory.trap = &failure;
    return done;
}

static node_id letter(subject *x, uint32_t l) { return formula_letters(&x->spec->graph, &l, 1, false); }

/* ---- on all short strings ---- */

static bool viable_after(const subject *x, const uint32_t *word, size_t n, uint32_t next) {
    uint32_t longer[LONGEST + 1];
    unsigned char truth[LONGEST + 1];
    if (n) memcpy(longer, word, n * sizeof *word);
    longer[n] = next;
    reference_eval(truth, &x->spec->graph, x->viable, longer, n + 1);
    return truth[n];
}

static void check_truth(const subject *x, size_t longest, const char *what) {
    const temper_spec *s = x->spec;
    CHECK(s->output_count == LETTERS + 1 && s->outputs[LETTERS].root == s->root && x->audit.viable, "%s: outputs",
          what);
    for (uint32_t l = 0; l < LETTERS; l++)
        CHECK(s->outputs[l].accepts_empty == viable_after(x, NULL, 0, l) &&
                  x->audit.outputs[l].empty == s->outputs[l].accepts_empty,
              "%s: letter %u alone", what, l);
    for (size_t n = 1, strings = LETTERS; n <= longest; n++, strings *= LETTERS)
        for (size_t string = 0; string < strings; string++) {
            uint32_t word[LONGEST];
            unsigned char truth[LONGEST];
            for (size_t k = 0, rest = string; k < n; k++, rest /= LETTERS) word[k] = (uint32_t)(rest % LETTERS);
            for (uint32_t l = 0; l < LETTERS; l++) {
                formula_eval(truth, &s->graph, s->outputs[l].root, word, n, &memory);
                if (!CHECK(truth[n - 1] == viable_after(x, word, n, l),
                           "%s: letter %u after string %zu of %zu letters", what, l, string, n))
                    return;
            }
        }
}

/* The meanings are those of the nodes: what differs somewhere has different ones. */
static void check_meanings(const subject *x) {
    unsigned char left[LONGEST], right[LONGEST];
    for (size_t k = 0; k <= LETTERS; k++)
        for (size_t j = 0; j < k; j++) {
            uint32_t word[LONGEST] = {0, 1, 2, 0};
            bool same = true;
            formula_eval(left, &x->spec->graph, x->spec->outputs[k].root, word, LONGEST, &memory);
            formula_eval(right, &x->spec->graph, x->spec->outputs[j].root, word, LONGEST, &memory);
            for (size_t i = 0; i < LONGEST; i++) same = same && left[i] == right[i];
            CHECK(same || x->audit.outputs[k].meaning != x->audit.outputs[j].meaning, "outputs %zu and %zu", j, k);
        }
}

/* ---- random ones ---- */

static node_id random_comparison(subject *x, test_random *r) {
    linear_sum sum;
    sum_init(&sum, &x->spec->memory, (int64_t)random_below(r, 7) - 2);
    for (uint32_t l = 0; l < LETTERS; l++)
        if (random_below(r, 3))
            sum_add_count(&sum, formula_unary(&x->spec->graph, OP_COUNT_PAST, letter(x, l)),
                          (int64_t)random_below(r, 5) - 2);
    return formula_compare(&x->spec->graph, &sum, (compare_op)random_below(r, 6));
}

/* All positions have several comparisons: where a letter only eases them, nothing is said anew. */
static node_id random_kept(subject *x, test_random *r) {
    node_id parts[3];
    size_t count = 1 + random_below(r, 3);
    for (size_t k = 0; k < count; k++) parts[k] = random_comparison(x, r);
    node_id all = formula_nary(&x->spec->graph, OP_AND, parts, count);
    if (random_below(r, 3) == 0) all = formula_binary(&x->spec->graph, OP_AND, all, random_comparison(x, r));
    return formula_unary(&x->spec->graph, OP_HISTORICALLY, all);
}

static node_id random_any(subject *x, test_random *r) {
    random_shape shape = {.letters = LETTERS,
                          .size = 1 + random_below(r, 5),
                          .depth = 4,
                          .past = true,
                          .counting = random_below(r, 2),
                          .modulo = random_below(r, 2)};
    return random_formula(&x->spec->graph, r, &shape);
}

static struct { unsigned kept, any, refused; } met;

static void check_random(test_random *r, bool kept) {
    subject x;
    begin(&x);
    if (make(&x, kept ? random_kept(&x, r) : random_any(&x, r))) {
        check_truth(&x, 3, kept ? "kept" : "any");
        check_meanings(&x);
        *(kept ? &met.kept : &met.any) += 1;
    } else { /* attention is in no such source */
        CHECK(!kept && strstr(x.error.text, "not followed"), "%s", x.error.text);
        met.refused++;
    }
    end(&x);
}

/* Each operator on letters, and on what was before. */
static void check_each(void) {
    static const formula_op unary[] = {OP_NOT, OP_YESTERDAY, OP_WEAK_YESTERDAY, OP_ONCE, OP_HISTORICALLY};
    static const formula_op binary[] = {OP_AND, OP_OR, OP_XOR, OP_IFF, OP_IMPLIES, OP_SINCE, OP_TRIGGERED};
    for (size_t k = 0; k < 15; k++)
        for (int before = 0; before < 2; before++) {
            subject x;
            begin(&x);
            formula *f = &x.spec->graph;
            node_id p = letter(&x, 0), q = formula_letters(f, (uint32_t[]){1, 2}, 2, false), root;
            if (before) p = formula_unary(f, OP_YESTERDAY, p), q = formula_unary(f, OP_WEAK_YESTERDAY, q);
            if (k < 5)
                root = formula_unary(f, unary[k], p);
            else if (k < 12)
                root = formula_binary(f, binary[k - 5], p, q);
            else
                root = formula_atom(f, k == 12 ? OP_TRUE : k == 13 ? OP_FALSE : OP_FIRST);
            formula_unary(f, OP_ONCE, p); /* what stands behind the node is no kid of it */
            if (CHECK(make(&x, root), "operator %zu: %s", k, x.error.text)) check_truth(&x, LONGEST, "an operator");
            end(&x);
        }
}

/* ---- where nothing needs saying anew ---- */

static void check_kept(void) {
    static const struct {
        int64_t constant, weight[LETTERS];
        compare_op op;
        bool stays[LETTERS];
    } cases[] = {
        {0, {1, -1, 0}, CMP_GE, {true, false, true}},  {3, {2, -1, 0}, CMP_GT, {true, false, true}},
        {2, {1, -1, 0}, CMP_LE, {false, true, true}},  {2, {1, -3, 0}, CMP_LT, {false, true, true}},
        {0, {1, -1, 0}, CMP_EQ, {false, false, true}}, {1, {0, 1, 2}, CMP_NE, {true, false, false}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject x;
        linear_sum sum;
        begin(&x);
        sum_init(&sum, &x.spec->memory, cases[k].constant);
        for (uint32_t l = 0; l < LETTERS; l++)
            sum_add_count(&sum, formula_unary(&x.spec->graph, OP_COUNT_PAST, letter(&x, l)), cases[k].weight[l]);
        node_id root =
            formula_unary(&x.spec->graph, OP_HISTORICALLY, formula_compare(&x.spec->graph, &sum, cases[k].op));
        if (CHECK(make(&x, root), "%s", x.error.text)) {
            check_truth(&x, LONGEST, "what stays");
            for (uint32_t l = 0; l < LETTERS; l++)
                CHECK((x.spec->outputs[l].root == root) == cases[k].stays[l], "case %zu, letter %u", k, l);
        }
        end(&x);
    }
}

/* Two comparisons at all positions: one of them must not be taken for the other, nor be overlooked, nor is what
   happens to stand behind them in the graph a part of them. */
static node_id comparison(subject *x, const int64_t first[2], const int64_t second[2], int64_t constant) {
    linear_sum sum;
    sum_init(&sum, &x->spec->memory, constant);
    sum_add_count(&sum, formula_unary(&x->spec->graph, OP_COUNT_PAST, letter(x, (uint32_t)first[0])), first[1]);
    sum_add_count(&sum, formula_unary(&x->spec->graph, OP_COUNT_PAST, letter(x, (uint32_t)second[0])), second[1]);
    return formula_compare(&x->spec->graph, &sum, CMP_GE);
}

static void check_pairs(void) {
    static const struct {
        int64_t left[2][2], left_constant, right[2][2], right_constant, behind[2][2], behind_constant;
    } cases[] = {
        {{{1, -1}, {2, 1}}, 0, {{0, -1}, {2, 1}}, 1, {{0, 1}, {1, 1}}, 0},
        {{{0, 1}, {2, 1}}, 0, {{0, -1}, {2, 1}}, 1, {{0, 1}, {1, 1}}, 0},
        {{{2, 1}, {1, -1}}, 0, {{2, 1}, {0, -1}}, 1, {{0, 1}, {1, 1}}, 0},
        {{{2, 1}, {0, 1}}, 0, {{2, 1}, {0, -1}}, 1, {{0, 1}, {1, 1}}, 0},
        {{{0, 1}, {1, -1}}, 0, {{1, 1}, {2, -1}}, 1, {{0, 1}, {1, 1}}, 0},
        {{{1, 1}, {2, -1}}, 1, {{0, 1}, {1, -1}}, 0, {{0, 1}, {1, 1}}, 0},
        {{{2, 1}, {1, -1}}, 1, {{0, 1}, {2, 1}}, 1, {{2, 1}, {1, -1}}, -1},
        {{{2, 1}, {1, -1}}, 1, {{2, 1}, {0, -1}}, 1, {{2, 1}, {1, -1}}, -1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject x;
        begin(&x);
        formula *f = &x.spec->graph;
        node_id left = comparison(&x, cases[k].left[0], cases[k].left[1], cases[k].left_constant),
                right = comparison(&x, cases[k].right[0], cases[k].right[1], cases[k].right_constant),
                behind = comparison(&x, cases[k].behind[0], cases[k].behind[1], cases[k].behind_constant),
                all = formula_binary(f, OP_AND, left, right), root;
        formula_unary(f, OP_NOT, behind);
        root = formula_unary(f, OP_HISTORICALLY, all);
        if (CHECK(make(&x, root), "%s", x.error.text)) {
            check_truth(&x, LONGEST, "a pair");
            for (uint32_t l = 0; l < LETTERS; l++) { /* nothing needs saying anew where neither sum shrinks */
                bool shrinks = false;
                for (int j = 0; j < 2; j++)
                    shrinks = shrinks || (cases[k].left[j][0] == l && cases[k].left[j][1] < 0) ||
                              (cases[k].right[j][0] == l && cases[k].right[j][1] < 0);
                CHECK((x.spec->outputs[l].root == root) == !shrinks, "case %zu, letter %u", k, l);
            }
        }
        end(&x);
    }
}

/* ---- limits and refusals ---- */

static void check_many_counts(void) {
    for (size_t count = 7; count <= 9; count++) {
        subject x;
        linear_sum sum;
        begin(&x);
        node_id before = letter(&x, 0);
        sum_init(&sum, &x.spec->memory, -2);
        for (size_t k = 0; k < count; k++) {
            before = formula_unary(&x.spec->graph, OP_YESTERDAY, before);
            sum_add_count(&sum, formula_unary(&x.spec->graph, OP_COUNT_PAST, before), 1);
        }
        /* counts that a letter settles are free, and so are those that it leaves as open as another one */
        sum_add_count(&sum, formula_unary(&x.spec->graph, OP_COUNT_PAST, letter(&x, 1)), 1);
        before = letter(&x, 0);
        for (size_t k = 0; k < count; k++) {
            node_id weak = formula_unary(&x.spec->graph, OP_WEAK_YESTERDAY, before);
            sum_add_count(&sum, formula_unary(&x.spec->graph, OP_COUNT_PAST, weak), -1);
            before = formula_unary(&x.spec->graph, OP_YESTERDAY, before);
        }
        bool fine = make(&x, formula_compare(&x.spec->graph, &sum, CMP_GE));
        CHECK(fine == (count <= 8) && (fine || strstr(x.error.text, "too many counts")), "%zu counts: %s", count,
              fine ? "accepted" : x.error.text);
        if (fine) check_truth(&x, 3, "many counts");
        end(&x);
    }
}

static void check_large(void) {
    static const struct {
        int64_t constant, weight[2];
        bool fits;
    } cases[] = {
        {INT64_MAX - 1, {1, 0}, true}, {INT64_MAX, {1, 0}, false},    {-INT64_MAX + 1, {-1, 0}, true},
        {-INT64_MAX, {-1, 0}, false},  {0, {INT64_MAX - 1, 1}, true}, {0, {INT64_MAX, 1}, false},
        {-5, {INT64_MAX, 1}, false}, /* the weights alone are too large */
        {0, {-INT64_MAX, -1}, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int modulo = 0; modulo < 2; modulo++) {
            subject x;
            linear_sum sum;
            begin(&x);
            formula *f = &x.spec->graph;
            sum_init(&sum, &x.spec->memory, cases[k].constant);
            sum_add_count(&sum, formula_unary(f, OP_COUNT_PAST, letter(&x, 0)), cases[k].weight[0]);
            sum_add_count(&sum, formula_unary(f, OP_COUNT_PAST, formula_letters(f, (uint32_t[]){0, 1}, 2, false)),
                          cases[k].weight[1]);
            bool fine = make(&x, modulo ? formula_modulo(f, &sum, 7, CMP_LE, 3) : formula_compare(f, &sum, CMP_GE));
            CHECK(fine == cases[k].fits && (fine || strstr(x.error.text, "too large")), "case %zu: %s", k,
                  fine ? "accepted" : x.error.text);
            if (fine) check_truth(&x, 1, "large numbers");
            end(&x);
        }
}

static void check_refusals(void) {
    for (int k = 0; k < 7; k++) {
        subject x;
        linear_sum sum;
        begin(&x);
        formula *f = &x.spec->graph;
        node_id a = letter(&x, 0), past = formula_unary(f, OP_COUNT_PAST, a);
        sum_init(&sum, &x.spec->memory, 0);
        if (k == 4) sum_add_count(&sum, past, 1);
        if (k > 2) sum_add_count(&sum, formula_unary(f, OP_COUNT_FUTURE, letter(&x, 1)), -1);
        if (k == 3) sum_add_count(&sum, past, 1);
        node_id root = k == 0   ? formula_atom(f, OP_LAST)
                       : k == 1 ? formula_unary(f, OP_NEXT, a)
                       : k == 2 ? formula_binary(f, OP_UNTIL, a, a)
                       : k < 5  ? formula_compare(f, &sum, CMP_GE)
                                : a;
        if (k == 5) x.spec->at = TEMPER_AT_FIRST;
        if (k == 6) root = 0;
        CHECK(!make(&x, root), "case %d", k);
        end(&x);
    }
}

int main(void) {
    test_random r = test_seed(907);
    temper_error e;
    if (trap_set(&failure, &e)) {
        fprintf(stderr, "t-audit-viable: %s\n", e.text);
        abort();
    }
    arena_init(&memory, &failure);
    arena_init(&scratch, &failure);
    check_each();
    check_kept();
    check_pairs();
    check_many_counts();
    check_large();
    check_refusals();
    unsigned trials = 200 + (unsigned)(400 * test_effort());
    for (unsigned k = 0; k < trials; k++) check_random(&r, k % 2);
    CHECK(met.kept > trials / 3 && met.any > trials / 4, "%u kept, %u of any kind, %u refused", met.kept, met.any,
          met.refused);
    arena_free(&memory);
    arena_free(&scratch);
    trap_clear(&failure);
    return test_finish("t-audit-viable");
}
