/* The line `probabilities` as the auditor reads it, and its machine of language and weights. Random tables, good and
   bad, are read by the compiler, too: both take or refuse a table, and what they take is the same. The machine's
   probabilities are computed once more, word by word, in exact arithmetic. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_weights.h"
#include "base/entry.h"
#include "compile/letter_odds.h"
#include "corpus.h"
#include "test.h"

static arena memory;
static trap failure;
static rational_pool pool;

typedef struct subject {
    temper_spec spec;
    weight_table *audited;
    letter_odds compiled;
    temper_error error;
} subject;

static void begin(void) {
    arena_reset(&memory);
    rational_pool_init(&pool, &memory);
}

static void audited(void *context) {
    subject *x = context;
    x->audited = weight_table_read(&x->spec, &pool, &memory);
}

static void compiled(void *context) {
    subject *x = context;
    letter_odds_read(&x->compiled, &x->spec, &pool, &memory);
}

static bool attempt(void (*body)(void *), void *context, temper_error *e) {
    trap inside;
    memory.trap = &inside;
    bool done = trap_attempt(&inside, e, body, context);
    memory.trap = &failure;
    return done;
}

/* ---- tables ---- */

static void say(subject *x, const char *written, size_t length) {
    x->spec.probabilities = (spec_probabilities){.is_said = true, .text = written, .length = length};
}

/* Both read the same; true: they take it. */
static bool check_reading(subject *x, const char *shown) {
    bool here = attempt(audited, x, &x->error), there = attempt(compiled, x, &x->error);
    if (!CHECK(here == there, "%s: the auditor %s it, the compiler %s it: %s", shown, here ? "takes" : "refuses",
               there ? "takes" : "refuses", x->error.text) ||
        !here)
        return false;
    const weight_table *w = x->audited;
    const letter_odds *c = &x->compiled;
    bool same = w->states == c->state_count && w->start == c->start && w->count == c->move_count;
    for (size_t k = 0; k < w->count && same; k++) {
        const weight_arc *a = &w->arcs[k];
        const odds_move *m = &c->moves[k];
        same = a->from == m->from && a->letter == m->letter && rational_equal(a->weight, m->weight) &&
               (a->to == m->to || a->letter == x->spec.letters.count);
    }
    return CHECK(same, "%s: they read different weights", shown);
}

/* One letter is called as the end is. */
static void few_letters(subject *x) {
    *x = (subject){0};
    alphabet_init(&x->spec.letters, &memory, false);
    alphabet_add(&x->spec.letters, "a", 1);
    alphabet_add(&x->spec.letters, "bc", 2);
    alphabet_add(&x->spec.letters, "end", 3);
}

static size_t append(char *out, size_t at, const char *word) {
    size_t length = strlen(word);
    memcpy(out + at, word, length);
    return at + length;
}

static const char *pick(const char *const *words, size_t count, test_random *r) {
    return words[random_below(r, count)];
}
#define PICK(words, r) pick(words, sizeof(words) / sizeof *(words), r)

static const char *random_letter(test_random *r) {
    static const char *const letters[] = {"a", "bc", "'end'", "end", "'a'"};
    static const char *const odd[] = {"b", "'bc'", "''", "'", "after", "start", "x", "'bc", "bca", "c"};
    return random_below(r, 60) ? PICK(letters, r) : PICK(odd, r);
}

static const char *random_number(test_random *r) {
    static const char *const numbers[] = {"3", "0", "0.25", "1/3", "10", "7/12", "5.", ".5", "09", "0.90", "19/90"};
    static const char *const long_ones[] = {"123456789012345678", "0.12345678901234567", "1/999999999999999999",
                                            "999999999999999999/7"};
    static const char *const odd[] = {"1/0", ".",   "1/",  "/2",    "1e3",   "-1", "1234567890123456789",
                                      "1.x", "1:2", "2/:", "1.2/3", "1/2/3", "+1", "0.123456789012345678",
                                      "x",   "3;",  "/",   "1/2.5", "1.5:",  "2a", "1/1234567890123456789"};
    size_t kind = random_below(r, 40);
    return kind < 30 ? PICK(numbers, r) : kind < 39 ? PICK(long_ones, r) : PICK(odd, r);
}

static size_t add_line(char *out, size_t at, unsigned form, bool first, test_random *r) {
    static const char *const blanks[] = {" ", " ", " ", "\t", "  ", " \r"};
    static const char *const ends[] = {"", "", "", " ", " -- 3", "--", "-", " - -", " --", " x", "\r"};
    static const char *const states[] = {"q0", "q1", "q", "'q0'"};
    const char *words[4];
    size_t count = 0;
    if (form == 2 && first) {
        words[count++] = "start";
        words[count++] = PICK(states, r);
    } else {
        if (form == 1) words[count++] = "after", words[count++] = random_below(r, 3) ? random_letter(r) : "start";
        if (form == 2) words[count++] = PICK(states, r);
        words[count++] = random_letter(r);
        if (form == 2 && strcmp(words[1], "end") != 0) words[count++] = PICK(states, r);
        words[count++] = random_number(r);
    }
    if (!random_below(r, 40)) count--;
    if (!random_below(r, 8)) at = append(out, at, PICK(blanks, r));
    for (size_t k = 0; k < count; k++) {
        if (k) at = append(out, at, PICK(blanks, r));
        at = append(out, at, words[k]);
    }
    return append(out, at, random_below(r, 3) ? "" : PICK(ends, r));
}

/* The compiler lets a quote go on in the next line. */
static bool is_closed(const char *written, size_t length) {
    size_t quotes = 0;
    for (size_t k = 0; k < length; k++) {
        if (written[k] == '\n' && quotes % 2) return false;
        quotes += written[k] == '\'';
    }
    return true;
}

static size_t taken, refused;

static void check_table(test_random *r) {
    static char line[2000];
    unsigned form = (unsigned)random_below(r, 3);
    size_t at = 0, lines = random_below(r, 5);
    subject x;
    begin();
    few_letters(&x);
    for (size_t k = 0; k < lines; k++) {
        unsigned here = random_below(r, 60) ? form : (unsigned)random_below(r, 3);
        at = add_line(line, at, here, k == 0 || !random_below(r, 30), r);
        if (k + 1 < lines || random_below(r, 2)) at = append(line, at, random_below(r, 5) ? "\n" : "\n\n");
    }
    line[at] = 0;
    if (!is_closed(line, at)) return;
    say(&x, arena_copy(&memory, line, at), at);
    *(check_reading(&x, line) ? &taken : &refused) += 1;
}

/* What stands behind the text is no part of it. */
static void check_ends(void) {
    static const char *const texts[] = {"a 3",
                                        "a 0.25",
                                        "a 1/3",
                                        "a 123456789012345678",
                                        "a 1234567890123456789",
                                        "a 0.12345678901234567",
                                        "a 0.123456789012345678",
                                        "a 5.",
                                        "a .5",
                                        "a .",
                                        "a 1/",
                                        "a 1/0",
                                        "a 0/5",
                                        "a 1/999999999999999999",
                                        "a 1/1234567890123456789",
                                        "a 3 -",
                                        "-",
                                        "a 3 --",
                                        "a 3\n",
                                        "start ''",
                                        "start 'q'",
                                        "start 'q",
                                        "'a' 3"};
    static const char *const behind[] = {"", "9", "/4", ".5", "-", "'", " 1", "\na 2"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (size_t j = 0; j < sizeof behind / sizeof *behind; j++) {
            char line[100];
            subject x;
            begin();
            few_letters(&x);
            snprintf(line, sizeof line, "%s%s", texts[k], behind[j]);
            say(&x, line, strlen(texts[k]));
            check_reading(&x, texts[k]);
        }
}

/* No table, and a source that says nothing. */
static void check_nothing(void) {
    subject x;
    begin();
    few_letters(&x);
    say(&x, NULL, 0);
    CHECK(check_reading(&x, "no table") && x.audited->count == 4 && x.audited->states == 1, "uniform weights");
    x.spec.probabilities.is_said = false;
    CHECK(!attempt(audited, &x, &x.error), "a source that says nothing");
}

/* Weights after each letter: 1,023 letters and the end are as many as are taken. */
static void check_many_letters(void) {
    for (unsigned count = 1023; count <= 1024; count++)
        for (int after = 0; after < 2; after++) {
            subject x = {0};
            begin();
            alphabet_init(&x.spec.letters, &memory, false);
            for (unsigned k = 0; k < count; k++) {
                char name[20];
                alphabet_add(&x.spec.letters, name, (size_t)snprintf(name, sizeof name, "x%u", k));
            }
            say(&x, after ? "after x7 x1022 3" : "x1022 3", after ? 16 : 7);
            CHECK(check_reading(&x, "many letters") == (!after || count == 1023), "%u letters, after: %d", count,
                  after);
        }
}

/* ---- the machine ---- */

enum { LETTERS = 2, OUTPUTS = LETTERS + 1, STATES = 4, WEIGHT_STATES = 2, LONGEST = 6 };

typedef struct trial {
    automaton language;
    uint32_t class_of[LETTERS], next[STATES * LETTERS];
    unsigned char accepts[STATES], alive[STATES];
    weight_table w;
    const chance_machine *made;
    temper_error error;
} trial;

static void find_alive(trial *x) {
    memcpy(x->alive, x->accepts, STATES);
    for (int round = 0; round < STATES; round++)
        for (uint32_t q = 0; q < x->language.states; q++)
            for (uint32_t c = 0; c < x->language.classes; c++)
                if (x->alive[x->next[q * x->language.classes + c]]) x->alive[q] = 1;
}

static void random_trial(trial *x, test_random *r) {
    *x = (trial){0};
    automaton *l = &x->language;
    l->states = 1 + (uint32_t)random_below(r, STATES);
    l->classes = random_below(r, 4) ? LETTERS : 1;
    l->class_of = x->class_of;
    l->next = x->next;
    l->accepts = x->accepts;
    x->class_of[1] = l->classes - 1;
    for (size_t k = 0; k < (size_t)l->states * l->classes; k++) x->next[k] = (uint32_t)random_below(r, l->states);
    for (size_t q = 0; q < l->states; q++) x->accepts[q] = !random_below(r, 3);
    find_alive(x);
    x->w.states = 1 + (uint32_t)random_below(r, WEIGHT_STATES);
    x->w.start = (uint32_t)random_below(r, x->w.states);
    for (uint32_t q = 0; q < x->w.states; q++)
        for (uint32_t letter = 0; letter < OUTPUTS; letter++)
            for (int more = random_below(r, 12) ? 1 : 2; more > 0; more--) {
                rational *weight = rational_array(&pool, 1);
                rational_set_ratio(weight, (long)random_below(r, 3), 1 + random_below(r, 3));
                weight_arc arc = {q, letter, (uint32_t)random_below(r, x->w.states), weight};
                array_push(&memory, x->w.arcs, x->w.count, x->w.capacity, arc);
            }
}

static void machine_made(void *context) {
    trial *x = context;
    x->made = chance_machine_make(&x->language, x->alive, LETTERS, &x->w, &pool, &memory);
}

static uint32_t language_after(const trial *x, const uint32_t *word, size_t n) {
    uint32_t q = 0;
    for (size_t k = 0; k < n; k++) q = x->next[q * x->language.classes + x->class_of[word[k]]];
    return q;
}

/* The probabilities after a word, by its weights in all states. False: something is legal, and all of it weighs 0. */
static bool chances_after(const trial *x, rational *out, const uint32_t *word, size_t n) {
    rational *here = rational_array(&pool, WEIGHT_STATES), *sum = rational_array(&pool, 1);
    uint32_t q = language_after(x, word, n);
    bool reached = false;
    rational_set_int(&here[x->w.start], 1);
    for (size_t k = 0; k < n; k++) {
        rational *then = rational_array(&pool, WEIGHT_STATES);
        for (size_t j = 0; j < x->w.count; j++)
            if (x->w.arcs[j].letter == word[k])
                rational_add_product(&then[x->w.arcs[j].to], &here[x->w.arcs[j].from], x->w.arcs[j].weight);
        here = then;
    }
    for (size_t j = 0; j < x->w.count && x->alive[q]; j++) {
        const weight_arc *a = &x->w.arcs[j];
        bool legal = a->letter == LETTERS ? x->accepts[q]
                                          : x->alive[x->next[q * x->language.classes + x->class_of[a->letter]]];
        reached = reached || !rational_is_zero(&here[a->from]);
        if (legal) rational_add_product(&out[a->letter], &here[a->from], a->weight);
    }
    for (size_t k = 0; k < OUTPUTS; k++) rational_add(sum, sum, &out[k]);
    if (rational_is_zero(sum)) return !reached;
    for (size_t k = 0; k < OUTPUTS; k++) rational_div(&out[k], &out[k], sum);
    return true;
}

static void check_word(const trial *x, const uint32_t *word, size_t n, const rational *wanted, uint32_t *met) {
    const automaton *m = &x->made->moves;
    uint32_t state = 0;
    for (size_t k = 0; k < n; k++) state = m->next[(size_t)state * m->classes + m->class_of[word[k]]];
    uint32_t score = x->made->score[state];
    bool same = score <= *met && score < x->made->score_count;
    for (size_t k = 0; k < OUTPUTS && same; k++) same = rational_equal(&x->made->scores[score][k], &wanted[k]);
    CHECK(same, "score %u of %u after %zu letters, %u %u %u", score, *met, n, word[0], word[1], word[2]);
    *met += score == *met; /* new ones come in order */
}

static size_t machines, without;

static void check_machine(test_random *r) {
    trial x;
    begin();
    random_trial(&x, r);
    bool made = attempt(machine_made, &x, &x.error), zero = false;
    if (!made && x.error.code == TEMPER_LIMIT) return; /* beliefs that never come again */
    uint32_t met = 0;
    for (size_t n = 0; n <= LONGEST; n++) {
        uint32_t word[LONGEST + 1] = {0};
        do {
            rational *wanted = rational_array(&pool, OUTPUTS);
            bool some = chances_after(&x, wanted, word, n);
            zero = zero || !some;
            if (made && some) check_word(&x, word, n, wanted, &met);
        } while (corpus_next_word(word, n, LETTERS));
    }
    CHECK(made != zero, "%s", made ? "a machine although everything legal weighs 0" : x.error.text);
    if (made)
        for (uint32_t j = 0; j < x.made->score_count; j++)
            for (uint32_t k = 0; k < j; k++) {
                bool same = true;
                for (size_t i = 0; i < OUTPUTS; i++)
                    same = same && rational_equal(&x.made->scores[j][i], &x.made->scores[k][i]);
                CHECK(!same, "scores %u and %u are equal", k, j);
            }
    machines += made;
    without += !made;
}

int main(void) {
    test_random r = test_seed(1718);
    if (trap_set(&failure, NULL)) return 1;
    arena_init(&memory, &failure);
    size_t tables = 3000 + (size_t)(3000 * test_effort()), trials = 100 + (size_t)(80 * test_effort());
    for (size_t k = 0; k < tables; k++) check_table(&r);
    check_ends();
    check_nothing();
    check_many_letters();
    for (size_t k = 0; k < trials; k++) check_machine(&r);
    CHECK(taken > tables / 4 && refused > tables / 10, "%zu tables taken, %zu refused", taken, refused);
    CHECK(machines > trials / 4 && without > 0, "%zu machines, %zu without", machines, without);
    printf("%zu tables taken, %zu refused; %zu machines, %zu without\n", taken, refused, machines, without);
    arena_free(&memory);
    trap_clear(&failure);
    return test_finish("t-audit-weights");
}
