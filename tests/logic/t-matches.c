/* Regular languages inside specifications: truths against what a random expression matches by its definition, letter
   by letter too; printed texts read back; tables of random automata in braces, in files and as files of JFLAP against
   the automata themselves; and texts that meant something before still mean it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automata/dfa_table.h"
#include "logic/formula.h"
#include "logic/formula_step.h"
#include "random_regex.h"
#include "reference.h"
#include "test.h"

enum { LONGEST = REGEX_LONGEST, STATES = 7 };

static alphabet abc;

static temper_spec *parse(const char *bytes, temper_spec_options o, temper_error *e) {
    temper_spec *spec = NULL;
    if (o.letters == abc.letters && !o.letter_count) o.letter_count = abc.count;
    temper_spec_parse(&spec, bytes, strlen(bytes), &o, e);
    return spec;
}

/* ---- expressions -------------------------------------------------------------------------------------------- */

/* What each text says about the rows of /R/. */
typedef enum use { PLAIN, NOT, YESTERDAY, ONCE, NEXT, TWICE, AND_A, LINE, USES } use;

static const char *const forms[USES] = {"/%s/",        "!/%s/",           "at last\nword = /%s/ -- a comment\nY word",
                                        "O /%s/",      "at last\nX /%s/", "#[/%s/] >= 2",
                                        "/%s/ & [ab]", "regex %s"};

static void expected_truth(unsigned char *truth, use u, const unsigned char *at, const uint32_t *word, size_t n) {
    size_t seen = 0;
    for (size_t i = 0; i < n; i++) {
        bool here = at[i + 1];
        seen += here;
        switch (u) {
        case PLAIN:
        case LINE:
        case USES: truth[i] = here; break;
        case NOT: truth[i] = !here; break;
        case YESTERDAY: truth[i] = i > 0 && at[i]; break;
        case ONCE: truth[i] = seen > 0; break;
        case NEXT: truth[i] = i + 1 < n && at[i + 2]; break;
        case TWICE: truth[i] = seen >= 2; break;
        case AND_A: truth[i] = here && word[i] < 2; break;
        }
    }
}

static void check_steps(const char *name, const temper_spec *spec, const uint32_t *word, size_t n,
                        const unsigned char *truth, arena *a) {
    formula_stepper *s = formula_stepper_new(a, &spec->graph, &spec->root, 1, false);
    if (!s) return; /* it looks forward */
    void *state = arena_alloc(a, formula_stepper_state_size(s) + 16, 1);
    unsigned char *values = arena_alloc(a, formula_stepper_value_size(s) + 1, 1);
    formula_stepper_start(s, state);
    for (size_t i = 0; i < n; i++)
        CHECK(formula_stepper_step(s, state, values, word[i]) == (bool)truth[i], "%s: step %zu", name, i + 1);
}

static void check_truths(const char *name, use u, const temper_spec *spec, const random_regex *x, test_random *r,
                         arena *a) {
    for (unsigned k = 0; k < 8; k++) {
        uint32_t word[LONGEST];
        unsigned char at[LONGEST + 1], truth[LONGEST], got[LONGEST], second[LONGEST];
        size_t n = regex_random_word(word, r);
        int accept;
        regex_random_matches(at, x, word, n);
        expected_truth(truth, u, at, word, n);
        temper_spec_eval(&accept, got, spec, word, n, NULL);
        CHECK(!n || !memcmp(truth, got, n), "%s: truth of a word of %zu letters", name, n);
        if (n) CHECK(accept == truth[n - 1], "%s: verdict", name);
        reference_eval(second, &spec->graph, spec->root, word, n);
        CHECK(!n || !memcmp(truth, second, n), "%s: the second oracle", name);
        check_steps(name, spec, word, n, truth, a);
        if (!n && (u == PLAIN || u == LINE || u == NOT))
            CHECK(accept == (u == NOT ? !at[0] : at[0]), "%s: the empty string", name);
    }
}

static void check_expression(unsigned trial, test_random *r, arena *a) {
    const random_regex *x = regex_random(r, 1 + random_below(r, 8), random_below(r, 2));
    use u = (use)random_below(r, USES);
    if (u == LINE && *regex_random_text(x) == ' ') u = PLAIN; /* blanks before it are not the line's expression */
    char written[9000], name[9100];
    snprintf(written, sizeof written, forms[u], regex_random_text(x));
    snprintf(name, sizeof name, "trial %u: %s", trial, written);
    temper_error e;
    temper_spec_options o = {.letters = abc.letters};
    temper_spec *spec = parse(written, o, &e);
    if (!spec) {
        CHECK(e.code == TEMPER_LIMIT, "%s: %zu:%zu: %s", name, e.line, e.column, e.text);
        return;
    }
    check_truths(name, u, spec, x, r, a);
    char *printed = NULL;
    temper_spec_print(&printed, spec, &e);
    temper_spec *again = printed ? parse(printed, (temper_spec_options){0}, &e) : NULL;
    if (CHECK(again, "%s: printed as\n%s\n%s", name, printed ? printed : "nothing", e.text))
        check_truths(printed, u, again, x, r, a);
    temper_spec_free(again);
    temper_free(printed);
    temper_spec_free(spec);
}

/* ---- tables ------------------------------------------------------------------------------------------------- */

static dfa *random_dfa(arena *a, test_random *r, uint32_t letters) {
    uint32_t states = 1 + (uint32_t)random_below(r, STATES), range = 1 + (uint32_t)random_below(r, states);
    dfa *d = dfa_new(a, states, letters, letters);
    d->start = (uint32_t)random_below(r, states);
    for (uint32_t k = 0; k < letters; k++) d->class_of[k] = k;
    for (uint32_t s = 0; s < states; s++) {
        d->accepts[s] = random_below(r, 3) == 0;
        for (uint32_t k = 0; k < letters; k++)
            d->next[s * letters + k] = (uint32_t)random_below(r, random_below(r, 2) ? states : range);
    }
    return dfa_minimise(a, d);
}

static const dfa *automaton_of(const temper_spec *spec) {
    return spec && spec->graph.language_count == 1 ? spec->graph.languages[0].automaton : NULL;
}

static void check_same(const char *what, unsigned trial, temper_spec *spec, const temper_error *e, const dfa *d,
                       const char *written) {
    const dfa *got = automaton_of(spec);
    CHECK(got && dfa_equal(got, d), "trial %u: %s: another automaton; %zu:%zu: %s\n%s", trial, what, e->line,
          e->column, e->text, written);
    if (got) CHECK(spec->accepts_empty == (bool)d->accepts[0], "trial %u: %s: the empty string", trial, what);
    temper_spec_free(spec);
}

static bool write_file(const char *folder, const char *name, const char *content) {
    char path[TEST_FOLDER + 40];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    bool ok = f && fputs(content, f) >= 0;
    if (f) fclose(f);
    return CHECK(ok, "cannot write %s", path);
}

/* One move a letter, as the program writes it; the letters are a, b, c. */
static void write_jflap(text *out, const dfa *d) {
    text_puts(out, "<?xml version=\"1.0\"?>\n<structure><type>fa</type><automaton>\n");
    for (uint32_t s = 0; s < d->state_count; s++)
        text_printf(out, "<state id=\"%u\" name=\"q%u\"><x>1.0</x>%s%s</state>\n", s, s,
                    s == d->start ? "<initial/>" : "", d->accepts[s] ? "<final/>" : "");
    for (uint32_t s = 0; s < d->state_count; s++)
        for (uint32_t k = 0; k < d->letter_count; k++)
            text_printf(out, "<transition>\n<from>%u</from><to>%u</to>\n<read>%c</read></transition>\n", s,
                        dfa_next(d, s, d->class_of[k]), (int)('a' + k));
    text_puts(out, "</automaton></structure>\n");
}

/* With words as letters a table reads back too. */
static void check_words(unsigned trial, test_random *r, arena *a) {
    alphabet words;
    alphabet_init(&words, a, true);
    static const char *const each[] = {"req", "a>b", "\\", "é"};
    for (size_t k = 0; k < 4; k++) alphabet_add(&words, each[k], strlen(each[k]));
    const dfa *d = random_dfa(a, r, 4);
    text printed;
    text_init(&printed, a);
    dfa_print_table(&printed, d, &words);
    temper_error e;
    temper_spec_options o = {.letters = words.letters, .letter_count = 4, .tokens = 1, .syntax = TEMPER_SYNTAX_DFA};
    check_same("words", trial, parse(text_string(&printed), o, &e), &e, d, text_string(&printed));
}

static void check_table(unsigned trial, test_random *r, arena *a, const char *folder) {
    const dfa *d = random_dfa(a, r, (uint32_t)abc.count);
    text plain, braces, jflap;
    temper_error e;
    temper_spec_options o = {.letters = abc.letters, .syntax = TEMPER_SYNTAX_DFA};
    text_init(&plain, a);
    text_init(&braces, a);
    text_init(&jflap, a);
    dfa_print_table(&plain, d, &abc);
    const char *written = text_string(&plain);
    check_same("a file", trial, parse(written, o, &e), &e, d, written);
    text_printf(&braces, "dfa {%s}", written);
    o.syntax = TEMPER_SYNTAX_SPEC;
    check_same("braces", trial, parse(text_string(&braces), o, &e), &e, d, written);
    for (char *c = braces.data; *c; c++)
        if (*c == '\n') *c = ';';
    check_same("one line", trial, parse(text_string(&braces), o, &e), &e, d, text_string(&braces));
    temper_spec *spec = parse(text_string(&braces), o, &e);
    char *printed = NULL;
    if (spec) temper_spec_print(&printed, spec, &e);
    check_same("printed", trial, printed ? parse(printed, (temper_spec_options){0}, &e) : NULL, &e, d, written);
    temper_spec_free(spec);
    temper_free(printed);
    /* named in a text: as a line, and as a part of a formula. What is kept names no file. */
    static const char *const texts[] = {"dfa t.dfa\n", "at last\ndfa t.dfa\nempty %s\n", "dfa \"t.dfa\"",
                                        "x = dfa 't.dfa' -- it\nx", "dfa t.dfa\nmatches | matches"};
    if (!write_file(folder, "t.dfa", written)) return;
    o.folder = folder;
    char text_of[100];
    size_t which = (size_t)random_below(r, 5);
    snprintf(text_of, sizeof text_of, texts[which], d->accepts[0] ? "accept" : "reject");
    spec = parse(text_of, o, &e);
    o.folder = NULL;
    if (CHECK(spec, "trial %u: %s: %s", trial, text_of, e.text)) {
        CHECK(!strstr(spec->source, "t.dfa"), "trial %u: a file is named in\n%s", trial, spec->source);
        check_same("what is kept", trial, parse(spec->source, o, &e), &e, d, spec->source);
    }
    if (spec) check_same("a file that is named", trial, spec, &e, d, text_of);
    spec = parse(text_of, o, &e);
    CHECK(!spec && strstr(e.text, "may not name files"), "trial %u: opens a file", trial);
    temper_spec_free(spec);
    const dfa *small = random_dfa(a, r, 3);
    temper_spec_options three = {.alphabet = "abc", .syntax = TEMPER_SYNTAX_DFA};
    write_jflap(&jflap, small);
    check_same("JFLAP", trial, parse(text_string(&jflap), three, &e), &e, small, text_string(&jflap));
    check_words(trial, r, a);
}

/* ---- what was said before ----------------------------------------------------------------------------------- */

/* Texts with the new words that were specifications before, and the formula that they are. */
static void check_old_texts(void) {
    static const struct {
        const char *written, *same;
        bool tokens;
    } cases[] = {{"regex = a & F b\nregex", "a & F b", false},
                 {"dfa = F a\nmatches = dfa | b\nmatches", "F a | b", false},
                 {"regex", "'regex'", true},
                 {"regex U b", "'regex' U b", true},
                 {"regex & dfa", "'regex' & 'dfa'", true},
                 {"regex <-> matches", "'regex' <-> 'matches'", true},
                 {"regex <=> b", "'regex' <-> b", true},
                 {"regex ^ b", "'regex' ^ b", true},
                 {"dfa", "'dfa'", true},
                 {"dfa S b", "'dfa' S b", true},
                 {"matches & X dfa", "'matches' & X 'dfa'", true},
                 {"F a // a comment /b/", "F a", false},
                 {"F a -- /b/", "F a", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_error e, f;
        temper_spec_options o = {.tokens = cases[k].tokens, .at = TEMPER_AT_FIRST};
        temper_spec *x = parse(cases[k].written, o, &e), *y = parse(cases[k].same, o, &f);
        char *left = NULL, *right = NULL;
        if (x) temper_spec_print(&left, x, NULL);
        if (y) temper_spec_print(&right, y, NULL);
        CHECK(x && y && !strcmp(left, right), "'%s': %s%s", cases[k].written, x ? left : e.text, y ? "" : f.text);
        temper_free(left);
        temper_free(right);
        temper_spec_free(x);
        temper_spec_free(y);
    }
}

int main(void) {
    test_random r = test_seed(31);
    arena a, keep;
    trap t;
    char folder[TEST_FOLDER];
    arena_init(&a, &t);
    arena_init(&keep, &t);
    if (trap_set(&t, NULL)) abort();
    regex_random_alphabet(&abc, &keep);
    for (unsigned trial = 0; trial < 1000 * test_effort(); trial++) {
        check_expression(trial, &r, &a);
        arena_reset(&a);
    }
    if (test_folder(folder))
        for (unsigned trial = 0; trial < 200 * test_effort(); trial++) {
            check_table(trial, &r, &a, folder);
            arena_reset(&a);
        }
    check_old_texts();
    arena_free(&a);
    arena_free(&keep);
    trap_clear(&t);
    return test_finish("t-matches");
}
