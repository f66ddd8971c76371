/* The probabilities of a source that says what is viable, as the auditor finds them: a score for each set of outputs
   that can be legal together. Here each set is asked for once more, by what its complement means, and its weights
   are divided by their sum. What the auditor must refuse is known beforehand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/entry.h"
#include "number/rational.h"
#include "random_formula.h"

enum { MOST_LETTERS = 6, MOST_OUTPUTS = MOST_LETTERS + 1 };

static arena memory, scratch;
static trap failure;
static rational_pool pool;

typedef struct subject {
    temper_spec *spec;
    unsigned letters;
    char table[300];
    long top[MOST_OUTPUTS]; /* weights, in halves */
    audit audit;
    temper_error error;
} subject;

static void made(void *context) {
    subject *x = context;
    temper_model *m = arena_zalloc(&memory, 1, sizeof *m);
    m->letters = x->spec->letters;
    m->read.count = x->letters + 1;
    x->audit = (audit){.trap = memory.trap, .arena = &memory, .scratch = &scratch, .model = m};
    x->audit.outputs = arena_zalloc(&memory, x->letters + 1, sizeof *x->audit.outputs);
    meaning_init(&x->audit.meaning, x->letters, &memory, &scratch);
    audit_viable(&x->audit, x->spec, &(audit_request){.chances = true});
}

static bool make(subject *x) {
    trap inside;
    x->spec->memory.trap = NULL;
    memory.trap = scratch.trap = &inside;
    bool done = trap_attempt(&inside, &x->error, made, x);
    memory.trap = scratch.trap = &failure;
    x->spec->memory.trap = &failure;
    return done;
}

static void begin(subject *x, unsigned letters) {
    *x = (subject){.spec = make_spec(&failure, letters, TEMPER_AT_LAST), .letters = letters};
    x->spec->kind = TEMPER_KIND_NEXT;
    rational_pool_init(&pool, &memory);
}

static void end(subject *x) {
    temper_spec_free(x->spec);
    arena_reset(&memory);
    arena_reset(&scratch);
}

static void say(subject *x) {
    x->spec->probabilities = (spec_probabilities){.is_said = true, .text = x->table, .length = strlen(x->table)};
}

static void random_table(subject *x, test_random *r) {
    size_t at = 0;
    for (unsigned k = 0; k <= x->letters; k++) {
        char name[4] = {(char)('a' + k)};
        x->top[k] = 2;
        if (!random_below(r, 4)) continue;
        x->top[k] = (long)random_below(r, 4);
        at += (size_t)snprintf(x->table + at, sizeof x->table - at, "%s %ld/2\n", k == x->letters ? "end" : name,
                               x->top[k]);
    }
    say(x);
}

/* All positions have a comparison, or two. */
static node_id random_comparison(subject *x, test_random *r) {
    linear_sum sum;
    sum_init(&sum, &x->spec->memory, (int64_t)random_below(r, 4) - 1);
    for (uint32_t l = 0; l < x->letters; l++)
        if (random_below(r, 2)) {
            node_id letter = formula_letters(&x->spec->graph, &l, 1, false);
            sum_add_count(&sum, formula_unary(&x->spec->graph, OP_COUNT_PAST, letter),
                          (int64_t)random_below(r, 5) - 2);
        }
    return formula_compare(&x->spec->graph, &sum, (compare_op)random_below(r, 6));
}

/* What is viable, a part of it that is accepted, and whether the empty word is. */
static void random_language(subject *x, test_random *r) {
    formula *f = &x->spec->graph;
    node_id kept = formula_unary(f, OP_HISTORICALLY, random_comparison(x, r));
    if (random_below(r, 2))
        kept = formula_binary(f, OP_AND, kept, formula_unary(f, OP_HISTORICALLY, random_comparison(x, r)));
    x->spec->viable = kept;
    x->spec->root = random_below(r, 2) ? kept : formula_binary(f, OP_AND, kept, random_comparison(x, r));
    x->spec->accepts_empty = random_below(r, 2);
}

/* Where exactly these outputs are legal: not (one of them is not, or another one is). */
static dd where(subject *x, unsigned set) {
    diagram *d = &x->audit.meaning.d;
    dd wrong = 0;
    for (unsigned k = 0; k <= x->letters; k++) {
        dd legal = x->audit.outputs[k].meaning;
        wrong = dd_or(d, set >> k & 1 ? dd_not(d, legal) : legal, wrong);
    }
    return dd_not(d, wrong);
}

/* A set of outputs that weighs nothing, though it is not empty. */
static bool weighs_nothing(const subject *x, unsigned set) {
    long sum = 0;
    for (unsigned k = 0; k <= x->letters; k++) sum += set >> k & 1 ? x->top[k] : 0;
    return set && sum == 0;
}

static bool are_chances(const subject *x, const rational *found, unsigned set) {
    rational *wanted = rational_array(&pool, 1);
    long sum = 0;
    bool same = true;
    for (unsigned k = 0; k <= x->letters; k++) sum += set >> k & 1 ? x->top[k] : 0;
    for (unsigned k = 0; k <= x->letters; k++) {
        rational_set_ratio(wanted, set >> k & 1 ? x->top[k] : 0, sum ? (unsigned long)sum : 1);
        same = same && rational_equal(&found[k], wanted);
    }
    return same;
}

static unsigned empty_set(const subject *x) {
    unsigned set = 0;
    for (unsigned k = 0; k <= x->letters; k++) set |= (unsigned)x->audit.outputs[k].empty << k;
    return set;
}

static struct { size_t taken, refused, sets; } met;

static void check_sets(subject *x, bool taken) {
    size_t found = 0;
    bool nothing = weighs_nothing(x, empty_set(x));
    for (unsigned set = 0; set < 2u << x->letters; set++) {
        dd here = where(x, set);
        nothing = nothing || (here && weighs_nothing(x, set));
        if (!taken) continue;
        size_t count = 0;
        for (size_t k = 0; k < x->audit.score_count; k++)
            if (x->audit.scores[k].meaning == here) {
                count++;
                CHECK(are_chances(x, x->audit.scores[k].chances, set), "%s: set %x", x->table, set);
            }
        CHECK(count == (here != 0), "%s: set %x is there %zu times", x->table, set, count);
        found += count;
    }
    CHECK(taken != nothing, "%s: %s", x->table, taken ? "a set that weighs nothing" : x->error.text);
    if (!taken) return;
    met.sets += found;
    CHECK(found == x->audit.score_count, "%zu scores, %zu sets", x->audit.score_count, found);
    CHECK(are_chances(x, x->audit.first_chances, empty_set(x)), "%s: at the beginning, %x", x->table, empty_set(x));
}

static void check_random(test_random *r) {
    subject x;
    begin(&x, 1 + (unsigned)random_below(r, MOST_LETTERS - 1));
    random_table(&x, r);
    random_language(&x, r);
    bool taken = make(&x);
    if (taken || strstr(x.error.text, "weight 0")) {
        check_sets(&x, taken);
        *(taken ? &met.taken : &met.refused) += 1;
    } else {
        CHECK(strstr(x.error.text, "too large"), "%s", x.error.text);
    }
    end(&x);
}

/* Six outputs are as many as are audited, and weights have one state. */
static void check_refusals(test_random *r) {
    for (int k = 0; k < 6; k++) {
        subject x;
        unsigned letters = k < 2 ? 5u + (unsigned)k : 1;
        begin(&x, letters);
        static const char *const tables[] = {"",
                                             "",
                                             "start q\nq a q 1\nq end 1\n",
                                             "start q\nq a p 1\np end 1\n",
                                             "after a a 2\n",
                                             "start q\nq a p 1\np a s 1\ns end 1\n"};
        snprintf(x.table, sizeof x.table, "%s", tables[k]);
        say(&x);
        random_language(&x, r);
        x.spec->viable = x.spec->root = formula_atom(&x.spec->graph, OP_TRUE);
        bool taken = make(&x);
        CHECK(taken == (k == 0 || k == 2) && (taken || strstr(x.error.text, "of this form")), "case %d: %s", k,
              taken ? "taken" : x.error.text);
        end(&x);
    }
}

int main(void) {
    test_random r = test_seed(618);
    if (trap_set(&failure, NULL)) return 1;
    arena_init(&memory, &failure);
    arena_init(&scratch, &failure);
    check_refusals(&r);
    size_t trials = 150 + (size_t)(500 * test_effort());
    for (size_t k = 0; k < trials; k++) check_random(&r);
    CHECK(met.taken > trials / 4 && met.refused > trials / 20 && met.sets > 2 * met.taken, "%zu taken, %zu refused",
          met.taken, met.refused);
    printf("%zu taken with %zu sets, %zu refused\n", met.taken, met.sets, met.refused);
    arena_free(&memory);
    arena_free(&scratch);
    trap_clear(&failure);
    return test_finish("t-audit-scores");
}
