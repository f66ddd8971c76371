/* What the prover shows of sources with regular languages, and of language models. Its formulas are evaluated on all
   short strings against automata, and its tables must pass the auditor. A model with another source in the place of
   its own is not called that, and the reason has its words. What no table holds is refused at the edge of the
   limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_language.h"
#include "base/entry.h"
#include "bound/language_proof.h"
#include "decide/formula_dfa.h"
#include "model/model_spec.h"
#include "reference.h"
#include "test.h"

enum { LONGEST = 4 };

static arena memory;
static trap failure;

typedef struct subject {
    const char *text;
    temper_syntax syntax;
    int whole;
    temper_at at;               /* 0: the last position */
    temper_model *built, *read; /* the second has no memory of how it was made */
} subject;

static bool make(subject *s) {
    temper_spec *spec = NULL;
    temper_error e = {0};
    char *file = NULL;
    size_t length;
    temper_spec_options o = {.syntax = s->syntax, .at = s->at ? s->at : TEMPER_AT_LAST};
    if (s->syntax != TEMPER_SYNTAX_SPEC) o.alphabet = "abc";
    temper_build_options b = {.method = TEMPER_METHOD_TEMPERATURE, .whole = s->whole};
    bool ok = temper_spec_parse(&spec, s->text, strlen(s->text), &o, &e) == TEMPER_OK &&
              temper_build(&s->built, spec, &b, &e) == TEMPER_OK &&
              temper_model_print(&file, &length, s->built, &e) == TEMPER_OK &&
              temper_model_read(&s->read, file, length, &e) == TEMPER_OK;
    CHECK(ok, "%s: %s", s->text, e.text);
    temper_spec_free(spec);
    temper_free(file);
    return ok;
}

static void release(subject *s) {
    temper_model_free(s->built);
    temper_model_free(s->read);
    arena_reset(&memory);
}

/* The model with another text for its source. */
static temper_model *with_source(const temper_model *m, const char *source, temper_syntax syntax) {
    temper_model *copy = arena_alloc(&memory, 1, sizeof *copy);
    *copy = *m;
    copy->source = source;
    copy->syntax = syntax;
    copy->expansion = NULL;
    return copy;
}

/* ---- what is true ---- */

static const automaton *as_automaton(const dfa *d, const unsigned char *accepts) {
    automaton *x = arena_zalloc(&memory, 1, sizeof *x);
    *x = (automaton){.states = d->state_count, .classes = d->class_count};
    x->next = arena_alloc(&memory, (size_t)d->state_count * d->class_count, sizeof *x->next);
    memcpy(x->next, d->next, (size_t)d->state_count * d->class_count * sizeof *x->next);
    x->accepts = arena_alloc(&memory, d->state_count, 1);
    memcpy(x->accepts, accepts, d->state_count);
    x->class_of = arena_alloc(&memory, d->letter_count, sizeof *x->class_of);
    memcpy(x->class_of, d->class_of, d->letter_count * sizeof *x->class_of);
    CHECK(d->start == 0, "an automaton that does not start at 0");
    return automaton_least(&memory, x, d->letter_count);
}

static bool accepts(const automaton *x, const uint32_t *word, size_t n, bool reversed) {
    uint32_t at = 0;
    for (size_t k = 0; k < n; k++)
        at = x->next[(size_t)at * x->classes + x->class_of[word[reversed ? n - 1 - k : k]]];
    return x->accepts[at];
}

typedef struct table_check {
    const temper_spec *spec;
    const automaton *language;
    bool forward;
    const language_rows *rows;
} table_check;

static void check_table(void *context) {
    const table_check *c = context;
    language_table t;
    language_begin(&t, c->spec, c->language, c->forward, &memory);
    language_read_rows(&t, c->rows->rows, c->rows->count);
    language_check(&t);
}

/* The formula is the language at the end of all short strings (at their beginning), and its table passes. */
static void check_proof(const temper_model *m, const char *formula_text, const language_rows *rows,
                        const automaton *language, bool forward, const char *what) {
    const temper_spec *e = read_formula_text(m, formula_text, &memory);
    if (!CHECK(e && !rows->why_not, "%s: %s cannot be read", what, formula_text)) return;
    size_t letters = m->letters.count;
    for (size_t n = 1, strings = letters; n <= LONGEST; n++, strings *= letters)
        for (size_t s = 0; s < strings; s++) {
            uint32_t word[LONGEST];
            unsigned char truth[LONGEST];
            for (size_t k = 0, rest = s; k < n; k++, rest /= letters) word[k] = (uint32_t)(rest % letters);
            reference_eval(truth, &e->graph, e->root, word, n);
            if (!CHECK(truth[forward ? 0 : n - 1] == accepts(language, word, n, forward),
                       "%s: %s on string %zu of %zu letters", what, formula_text, s, n))
                return;
        }
    table_check c = {.spec = e, .language = language, .forward = forward, .rows = rows};
    trap inside, *outside = memory.trap;
    temper_error why;
    memory.trap = &inside;
    bool done = trap_attempt(&inside, &why, check_table, &c);
    memory.trap = outside;
    CHECK(done, "%s: %s: %s", what, formula_text, why.text);
}

/* ---- regular languages ---- */

static void check_languages(const temper_model *m, size_t count, const char *what) {
    source_recognition r = recognise_source(m, false, &memory);
    const temper_spec *spec = model_spec(m, &memory);
    if (!CHECK(r.is_formula && r.languages.count == count && !r.outputs && !r.viable, "%s: %zu languages, %s", what,
               r.languages.count, r.why ? r.why : "no reason"))
        return;
    for (size_t k = 0, at = 0; k < count; k++, at++) {
        const language_proof *p = &r.languages.all[k];
        const formula_language *l = &spec->graph.languages[at];
        while (at + 1 < spec->graph.language_count && strcmp(l->source, p->language) != 0)
            l = &spec->graph.languages[++at];
        if (!CHECK(p->length == l->source_length && strcmp(p->language, l->source) == 0, "%s: language %zu", what, k))
            return;
        const dfa *d = l->reversed ? l->reversed : l->automaton;
        check_proof(m, p->formula, &p->rows, as_automaton(d, d->accepts), l->reversed != NULL, what);
    }
}

static void check_acceptors(void) {
    static const struct {
        const char *text;
        temper_syntax syntax;
        size_t count;
        int whole;
    } cases[] = {
        {"(ab)*", TEMPER_SYNTAX_REGEX, 1, 0},
        {"a*b(a|c)*", TEMPER_SYNTAX_REGEX, 1, 0},
        {"(a|b)*c(a|b)", TEMPER_SYNTAX_REGEX, 1, 1},
        {"start p; accept q; p a q; q b p", TEMPER_SYNTAX_DFA, 1, 0},
        {"alphabet a b c\n/(ab)*/ & O /a+/", TEMPER_SYNTAX_SPEC, 2, 0},
        {"alphabet a b c\n/(ab)*/ & O /a+/ | Y /(ab)*/ & /c*/", TEMPER_SYNTAX_SPEC, 3, 0},
        {"alphabet a b c\nunused = /(ba)*/\n/c*a/ S /a+/", TEMPER_SYNTAX_SPEC, 2, 0},
        {"alphabet a b c\nO a & !b", TEMPER_SYNTAX_SPEC, 0, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s = {.text = cases[k].text, .syntax = cases[k].syntax, .whole = cases[k].whole};
        if (make(&s)) {
            check_languages(s.built, cases[k].count, s.text);
            check_languages(s.read, cases[k].count, s.text);
        }
        release(&s);
    }
}

/* Other sources for the same weights. */
static void check_sources(void) {
    static const struct {
        const char *weights, *source;
        temper_syntax syntax, own;
        const char *words; /* of the reason; NULL: it is that */
    } cases[] = {
        {"(ab)*", "(abab)*|(ab)*", TEMPER_SYNTAX_REGEX, TEMPER_SYNTAX_REGEX, NULL},
        {"(ab)*", "(ba)*", TEMPER_SYNTAX_REGEX, TEMPER_SYNTAX_REGEX, "was not shown to be it"},
        {"(ab)*", "(ab)*c?", TEMPER_SYNTAX_REGEX, TEMPER_SYNTAX_REGEX, "was not shown to be it"},
        {"alphabet a b c\nO (b & Y a)", ".*ab.*", TEMPER_SYNTAX_REGEX, TEMPER_SYNTAX_SPEC, NULL},
        {"alphabet a b c\nO (b & Y a)", ".*ba.*", TEMPER_SYNTAX_REGEX, TEMPER_SYNTAX_SPEC, "was not shown to be it"},
        {"alphabet a b c\nO (b & Y a)", "alphabet a b c\nO /.*ba/", TEMPER_SYNTAX_SPEC, TEMPER_SYNTAX_SPEC, ""},
        {"alphabet a b c\nO a", "alphabet a b c\nO b", TEMPER_SYNTAX_SPEC, TEMPER_SYNTAX_SPEC, ""},
        /* all even permutations of five: no formula has it */
        {"alphabet a b c\nO a",
         "start 0; accept 1; 0 a 1; 1 a 2; 2 a 3; 3 a 4; 4 a 0; 0 b 1; 1 b 2; 2 b 0; 3 b 3; 4 b 4; "
         "0 c 0; 1 c 1; 2 c 2; 3 c 3; 4 c 4",
         TEMPER_SYNTAX_DFA, TEMPER_SYNTAX_SPEC, ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s = {.text = cases[k].weights, .syntax = cases[k].own};
        if (make(&s)) {
            const temper_model *m = with_source(s.read, cases[k].source, cases[k].syntax);
            if (!cases[k].words) {
                check_languages(m, 1, cases[k].source);
            } else {
                source_recognition r = recognise_source(m, false, &memory);
                CHECK(!r.is_formula && !r.languages.count && !r.outputs && r.why && strstr(r.why, cases[k].words),
                      "%s as %s: %s", cases[k].weights, cases[k].source, r.why ? r.why : "no reason");
            }
        }
        release(&s);
    }
}

/* ---- language models ---- */

static void find_alive(unsigned char *alive, const dfa *d) {
    memcpy(alive, d->accepts, d->state_count);
    for (uint32_t round = 0; round < d->state_count; round++)
        for (uint32_t q = 0; q < d->state_count; q++)
            for (uint32_t c = 0; c < d->class_count; c++) alive[q] |= alive[d->next[(size_t)q * d->class_count + c]];
}

static void check_outputs(const temper_model *m, const output_proof *outputs, const char *what) {
    const temper_spec *spec = model_spec(m, &memory);
    const dfa *d = spec_dfa(&memory, spec, NULL);
    size_t letters = m->letters.count;
    unsigned char *alive = arena_alloc(&memory, d->state_count, 1), *next = arena_alloc(&memory, d->state_count, 1);
    find_alive(alive, d);
    for (size_t k = 0; k <= letters; k++) {
        for (uint32_t q = 0; q < d->state_count; q++)
            next[q] = k < letters ? alive[dfa_next(d, q, d->class_of[k])] : d->accepts[q];
        check_proof(m, outputs[k].formula, &outputs[k].rows, as_automaton(d, next), false, what);
        for (size_t j = 0; j < k && k < letters; j++) /* letters that nothing tells apart have one table */
            if (d->class_of[j] == d->class_of[k])
                CHECK(outputs[j].formula == outputs[k].formula && outputs[j].rows.rows == outputs[k].rows.rows,
                      "%s: outputs %zu and %zu", what, j, k);
    }
}

static void check_next(void) {
    static const struct {
        const char *text, *other, *words;
        temper_at at;
    } cases[] = {
        {"alphabet a b c\nnext\nregex (ab)*\n", "alphabet a b c\nnext\nregex (ba)*\n", "what comes next", 0},
        {"alphabet a b c\nnext\nregex (a[bc])*\n", "alphabet a b c\nnext\nregex (a[bc])+\n",
         "wrong before the first letter", 0},
        {"alphabet a b c\nnext\nempty accept\nH (b -> Y a)\n", "alphabet a b c\nnext\nempty accept\nH (c -> Y a)\n",
         "what comes next", 0},
        {"alphabet a b c\nnext\nregex ([ab]c)*\n", "alphabet a b c\nnext\nregex ([ab]c)*b?\n", "what comes next", 0},
        {"alphabet a b c\nnext\nregex a{1,3}\n", "alphabet a b c\nnext\nregex a{1,4}\n", "what comes next", 0},
        {"alphabet a b c\nnext\n#[a] % 3 = 1 & !O c\n", "alphabet a b c\nnext\n#[a] % 3 = 2 & !O c\n",
         "what comes next", 0},
        {"alphabet a b\nnext\nF b & G (a -> X b)\n", NULL, NULL, TEMPER_AT_FIRST},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s = {.text = cases[k].text, .at = cases[k].at};
        if (make(&s)) {
            source_recognition r = recognise_source(s.read, false, &memory);
            if (CHECK(r.is_formula && r.outputs && !r.viable && !r.languages.count, "%s: %s", s.text,
                      r.why ? r.why : "no reason"))
                check_outputs(s.read, r.outputs, s.text);
            if (cases[k].other) {
                temper_model *m = with_source(s.read, cases[k].other, TEMPER_SYNTAX_SPEC);
                if (strchr(cases[k].other, '+')) m->accepts_empty = false;
                r = recognise_source(m, false, &memory);
                CHECK(!r.is_formula && !r.outputs && !r.viable && r.why && strstr(r.why, cases[k].words),
                      "%s as %s: %s", s.text, cases[k].other, r.why ? r.why : "no reason");
            }
        }
        release(&s);
    }
}

/* Counts without an automaton: the line `viable`. */
static void check_viable(void) {
    static const char WEIGHTS[] = "alphabet a b\nnext\nviable H (#[a] >= #[b])\n#[a] = #[b] & H (#[a] >= #[b])\n";
    static const struct {
        const char *source;
        bool viable;
    } cases[] = {
        {WEIGHTS, true},
        {"alphabet a b\nnext\nviable H (#[a] >= #[b]) & (a | b)\n#[a] = #[b] & H (#[a] >= #[b])\n", true},
        {"alphabet a b\nnext\nviable H (#[a] + 1 >= #[b])\n#[a] = #[b] & H (#[a] >= #[b])\n", false},
        {"alphabet a b\nnext\nviable H (#[b] >= #[a])\n#[a] = #[b] & H (#[b] >= #[a])\n", false},
        {"alphabet a b\nnext\n#[a] = #[b] & H (#[a] >= #[b])\n", false},
        {"alphabet a b\nnext\nviable H (#[a] >= #[b]) | /a*/\n#[a] = #[b] & H (#[a] >= #[b])\n", false},
        {"alphabet a b\nnext\nviable H (#[a] >= #[b]) & F true\n#[a] = #[b] & H (#[a] >= #[b])\n", false},
        {"alphabet a b\nnext\nviable H (\n", false},
        /* more counts than are followed */
        {"alphabet a b\nnext\nviable H (#[Y a] + #[Y Y a] + #[Y Y Y a] + #[Y Y Y Y a] + #[Y Y Y Y Y a] + "
         "#[Y Y Y Y Y Y a] + #[Y Y Y Y Y Y Y a] + #[Y Y Y Y Y Y Y Y a] + #[Y Y Y Y Y Y Y Y Y a] >= #[b])\n"
         "#[a] = #[b] & H (#[a] >= #[b])\n",
         false},
    };
    subject s = {.text = WEIGHTS};
    if (make(&s))
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            const temper_model *m = with_source(s.read, cases[k].source, TEMPER_SYNTAX_SPEC);
            source_recognition r = recognise_source(m, false, &memory);
            CHECK(r.viable == cases[k].viable && r.is_formula == cases[k].viable && !r.outputs, "%s: %s",
                  cases[k].source, r.why ? r.why : "no reason");
            CHECK(!r.viable || !r.why, "%s: %s", cases[k].source, r.why);
        }
    release(&s);
}

/* ---- what has no automaton ---- */

static const char *obstacle_of(const temper_model *m, temper_spec *spec, node_id root) {
    const char *why = NULL;
    spec->root = root;
    spec->memory.trap = &failure;
    output_proof *p = next_proofs(m, spec, recognise(m, NULL, false, &memory), &why, &memory);
    spec->memory.trap = NULL;
    CHECK(!p == (why != NULL), "a reason, or a proof");
    return why ? why : "";
}

/* Sums at the edge of what a coordinate holds; weights as large, so that there are few states. */
static void check_sums(const temper_model *m, temper_spec *spec) {
    static const char words[] = "compares counts without a finite automaton";
    formula *f = &spec->graph;
    spec->memory.trap = &failure;
    node_id counts[2];
    for (uint32_t l = 0; l < 2; l++) counts[l] = formula_unary(f, OP_COUNT_PAST, formula_letters(f, &l, 1, false));
    for (int64_t more = -2; more <= 2; more++)
        for (int64_t sign = -1; sign <= 1; sign += 2) {
            linear_sum sum;
            int64_t number = 65536 + more;
            spec->memory.trap = &failure;
            sum_init(&sum, &memory, -sign * number);
            sum_add_count(&sum, counts[0], sign * number);
            node_id compared = formula_compare(f, &sum, CMP_GE);
            CHECK(!strstr(obstacle_of(m, spec, compared), words) == (more < 0), "%lld", (long long)(sign * number));
            spec->memory.trap = &failure;
            sum_init(&sum, &memory, 0);
            sum_add_count(&sum, counts[0], number % 3 ? number / 2 : number / 3);
            node_id rest = formula_modulo(f, &sum, number, CMP_EQ, 0);
            CHECK(!strstr(obstacle_of(m, spec, rest), words) == (more <= 0), "modulo %lld", (long long)number);
        }
    for (int turned = 0; turned < 4; turned++) { /* two weights with two signs, whichever stands first */
        linear_sum sum;
        spec->memory.trap = &failure;
        sum_init(&sum, &memory, -1);
        sum_add_count(&sum, counts[0], turned & 1 ? -1 : 1);
        sum_add_count(&sum, counts[1], turned & 2 ? -1 : 1);
        node_id compared = formula_compare(f, &sum, CMP_GE);
        CHECK(!strstr(obstacle_of(m, spec, compared), words) == (turned == 0 || turned == 3), "signs %d", turned);
    }
}

static void check_obstacles(void) {
    static const struct {
        const char *text, *words;
        temper_at at;
        bool progression;
    } cases[] = {
        {"F a", "looks forward, and is read at the last position", TEMPER_AT_LAST, false},
        {"O a", "looks back, and is read at the first position", TEMPER_AT_FIRST, true},
        {"a & X b", "looks forward, and is read at the last position", TEMPER_AT_LAST, false},
        {"#[a] > #[b]", "compares counts without a finite automaton", TEMPER_AT_LAST, true},
        {"O (a & #[a] > #[b])", "compares counts without a finite automaton", TEMPER_AT_LAST, true},
        {"b @ (#[a] + 1)", "looks forward, and is read at the last position", TEMPER_AT_LAST, false},
        {"/ab*/ | b", "", TEMPER_AT_LAST, false},
        {"/ab*/", "", TEMPER_AT_LAST, false},
        {"/ab*/", "its source", TEMPER_AT_FIRST, false},
        {"#[a] % 65536 = 1 & #[b] % 7 = 1", "states", TEMPER_AT_LAST, true},
        {"Y a S (b | first)", "", TEMPER_AT_LAST, true},
        {"H (a -> Z b) T (a ^ b) & (a <-> O b)", "", TEMPER_AT_LAST, true},
        {"true | false", "", TEMPER_AT_LAST, true},
        {"#[a] % 4 = 1 & #[b] <= 3", "", TEMPER_AT_LAST, true},
    };
    subject s = {.text = "alphabet a b\nnext\nempty accept\nH (b -> Y a)\n"};
    if (!make(&s)) return;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *spec = NULL;
        temper_error e;
        temper_spec_options o = {.alphabet = "ab", .at = cases[k].at};
        if (!CHECK(temper_spec_parse(&spec, cases[k].text, strlen(cases[k].text), &o, &e) == TEMPER_OK, "%s: %s",
                   cases[k].text, e.text))
            continue;
        const char *why = obstacle_of(s.read, spec, spec->root);
        static const char *const all[] = {"read at the", "without a finite automaton"};
        CHECK(strstr(why, cases[k].words), "%s: %s", cases[k].text, why);
        for (size_t j = 0; j < 2 && !*cases[k].words; j++) CHECK(!strstr(why, all[j]), "%s: %s", cases[k].text, why);
        CHECK(has_progression(&spec->graph, spec->root, &memory) == cases[k].progression, "%s progresses",
              cases[k].text);
        if (!k) check_sums(s.read, spec);
        temper_spec_free(spec);
    }
    release(&s);
}

int main(void) {
    temper_error e;
    if (trap_set(&failure, &e)) {
        fprintf(stderr, "t-bound-languages: %s\n", e.text);
        abort();
    }
    arena_init(&memory, &failure);
    check_acceptors();
    check_sources();
    check_next();
    check_viable();
    check_obstacles();
    arena_free(&memory);
    trap_clear(&failure);
    return test_finish("t-bound-languages");
}
