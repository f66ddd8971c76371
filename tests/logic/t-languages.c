/* The suite of languages: oracles against formulas on all short strings and on long ones of every kind; names; the
   table of the document. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/languages.h"
#include "test.h"

enum { LONGEST = 300, WIDE = 3000 /* strings of the exhaustive part, about */ };

static uint64_t next(void *context) { return random_u64(context); }

static temper_spec *parse(const language *g) {
    temper_spec *spec = NULL;
    temper_error e;
    temper_spec_options o = {.alphabet = g->alphabet, .empty = g->empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT};
    temper_status status = temper_spec_parse(&spec, g->formula, strlen(g->formula), &o, &e);
    CHECK(status == TEMPER_OK, "%s: %zu:%zu: %s", g->name, e.line, e.column, e.text);
    CHECK(!spec || temper_spec_about(spec).letters == language_letters(g), "%s: letters", g->name);
    return spec;
}

typedef struct tally {
    size_t members, others, wrong;
} tally;

static void compare(tally *t, const language *g, const temper_spec *spec, const uint32_t *w, size_t n) {
    char shown[LONGEST + 1];
    int accept = -1;
    temper_error e;
    bool has = language_has(g, w, n);
    temper_status status = temper_spec_eval(&accept, NULL, spec, w, n, &e);
    for (size_t i = 0; i < n; i++) shown[i] = g->alphabet[w[i]];
    shown[n] = 0;
    t->members += has;
    t->others += !has;
    t->wrong += accept != has;
    if (g->class_ == CLASS_OUTSIDE) return;
    CHECK(status == TEMPER_OK && accept == has, "%s: oracle %d, formula %d on '%s'", g->name, has, accept, shown);
}

static void check_automaton(const language *g) {
    size_t letters = language_letters(g), states = g->accept ? strlen(g->accept) : 0;
    if (g->program) {
        CHECK(!g->next && !g->accept, "%s has two oracles", g->name);
        return;
    }
    if (!CHECK(strlen(g->next) == states * (letters + 1) - 1, "%s: %zu states", g->name, states)) return;
    for (size_t k = 0; g->next[k]; k++) {
        char c = g->next[k];
        size_t to = (size_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        CHECK(k % (letters + 1) == letters ? c == ' ' : to < states, "%s: '%c' in the table", g->name, c);
    }
}

static void check_language(const language *g, test_random *r, arena *a) {
    size_t letters = language_letters(g), n = 0, total = 0, power = 1;
    uint32_t w[LONGEST];
    tally t = {0, 0, 0};
    check_automaton(g);
    temper_spec *spec = parse(g);
    if (!spec) return;
    CHECK(language_has(g, w, 0) == g->empty, "%s: the empty string", g->name);
    for (; total + power <= (size_t)(WIDE * (test_effort() < 1 ? 1 : test_effort())) && n < 40;
         power *= letters, n++) {
        for (size_t k = 0; k < power; k++) {
            size_t rest = k;
            for (size_t i = 0; i < n; i++, rest /= letters) w[i] = (uint32_t)(rest % letters);
            compare(&t, g, spec, w, n);
        }
        total += power;
    }
    tally all = t;
    t = (tally){0, 0, 0};
    for (size_t k = 0; k < 60; k++) {
        size_t most = k < 40 ? (size_t)random_below(r, 40) : LONGEST;
        n = language_string(w, most, g, (string_kind)(k % STRING_KINDS), next, r, a);
        CHECK(n <= most, "%s: %zu letters of %zu", g->name, n, most);
        compare(&t, g, spec, w, n);
    }
    CHECK(t.members >= 3 && t.others >= 3, "%s: %zu strings of the language, %zu others", g->name, t.members,
          t.others);
    if (g->class_ == CLASS_OUTSIDE)
        CHECK(all.wrong + t.wrong > 0, "%s is not outside: its formula was right on all %zu strings", g->name,
              total + 60);
    temper_spec_free(spec);
    arena_reset(a);
}

/* The class says which heads a compiled formula has: the growth that the experiment's predictions go by. */
static void check_class(const language *g) {
    temper_model *m = NULL;
    temper_model_info about;
    temper_error e;
    bool once = false, near = false, sum = false, remainder = false;
    temper_spec *spec = parse(g);
    if (!spec || !CHECK(!temper_build(&m, spec, NULL, &e), "%s: %s", g->name, e.text)) {
        temper_spec_free(spec);
        return;
    }
    about = temper_model_about(m);
    for (size_t k = 1; k <= about.layers; k++)
        for (size_t h = 1; h <= temper_model_layer(m, k).heads; h++) {
            temper_head_info head;
            CHECK(!temper_model_head(&head, m, k, h, &e), "%s", e.text);
            once = once || !strcmp(head.role, "once");
            near = near || !strcmp(head.role, "nearest") || !strcmp(head.role, "match");
            sum = sum || !strcmp(head.role, "compare") || !strcmp(head.role, "balance");
            remainder = remainder || !strcmp(head.role, "lookup");
        }
    switch (g->class_) {
    case CLASS_ONCE: CHECK(!near && !sum && !remainder, "%s needs more than once", g->name); break;
    case CLASS_YESTERDAY:
    case CLASS_SINCE: CHECK(near && !sum && !remainder, "%s: heads of another class", g->name); break;
    case CLASS_COUNTING: CHECK(sum && !remainder, "%s: heads of another class", g->name); break;
    case CLASS_MODULAR: CHECK(remainder || strstr(g->formula, "#[true] %"), "%s: no remainder", g->name); break;
    default: break;
    }
    temper_model_free(m);
    temper_spec_free(spec);
}

/* What a suite for this experiment must have: families, each with the languages that stand for it. */
static void check_families(void) {
    static const struct {
        const char *family, *members; /* separated by blanks */
        language_class class_;
    } families[] = {{"Tomita, once", "tomita-1 tomita-7", CLASS_ONCE},
                    {"Tomita, yesterday", "tomita-2 tomita-4", CLASS_YESTERDAY},
                    {"Tomita, remainders", "tomita-3 tomita-5 tomita-6", CLASS_MODULAR},
                    {"bounded Dyck", "dyck-1-depth-1", CLASS_YESTERDAY},
                    {"bounded Dyck", "dyck-1-depth-2", CLASS_SINCE},
                    {"bounded Dyck", "dyck-1-depth-3 dyck-1-depth-4", CLASS_COUNTING},
                    {"Dyck-1", "dyck-1", CLASS_COUNTING},
                    {"Shuffle-Dyck", "shuffle-dyck-2 shuffle-dyck-3", CLASS_COUNTING},
                    {"blocks", "anbn anbncn", CLASS_COUNTING},
                    {"MAJORITY", "majority", CLASS_COUNTING},
                    {"PARITY", "parity", CLASS_MODULAR},
                    {"piecewise testable", "subword-ab subword-aba subword-abcabc", CLASS_ONCE},
                    {"flip-flop", "flip-flop", CLASS_SINCE},
                    {"n-grams", "contains-aa no-abc bigrams-ab-bc", CLASS_YESTERDAY},
                    {"outside", "dyck-2 palindrome copy", CLASS_OUTSIDE}};
    size_t of_class[CLASSES] = {0};
    for (size_t k = 0; k < language_count(); k++) {
        const language *g = &language_suite[k];
        of_class[g->class_]++;
        CHECK(*g->about && *g->formula && (g->program || g->next), "%s has no definition", g->name);
        CHECK(!g->gallery || g->class_ == CLASS_OUTSIDE, "%s: a model of the gallery, though it has a formula",
              g->name);
    }
    for (size_t c = 0; c < CLASSES; c++)
        CHECK(of_class[c] >= 5, "%s: %zu languages", language_class_names[c], of_class[c]);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (const char *at = families[f].members; *at;) {
            size_t length = strcspn(at, " ");
            const language *found = NULL;
            for (size_t k = 0; k < language_count(); k++)
                if (strlen(language_suite[k].name) == length && !strncmp(language_suite[k].name, at, length))
                    found = &language_suite[k];
            CHECK(found && found->class_ == families[f].class_, "%s: no %.*s in its class", families[f].family,
                  (int)length, at);
            at += length + (at[length] == ' ');
        }
}

static void check_document(arena *a) {
    char *file = NULL;
    size_t length;
    temper_error e;
    const char *table = language_table(a);
    if (CHECK(!temper_file_read(&file, &length, "doc/languages.md", &e), "%s", e.text))
        CHECK(strstr(file, table), "doc/languages.md does not hold the table of the suite, which is\n%s", table);
    temper_free(file);
}

int main(int count, char **arguments) {
    trap t;
    arena a;
    test_random r = test_seed(61);
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
    } else if (count > 1 && !strcmp(arguments[1], "--table")) {
        fputs(language_table(&a), stdout);
        arena_free(&a);
        return 0;
    } else {
        CHECK(language_count() >= 60, "%zu languages", language_count());
        for (size_t k = 0; k < language_count(); k++) {
            for (size_t j = 0; j < k; j++)
                CHECK(strcmp(language_suite[j].name, language_suite[k].name) != 0, "two are called %s",
                      language_suite[k].name);
            check_language(&language_suite[k], &r, &a);
            check_class(&language_suite[k]);
        }
        check_families();
        check_document(&a);
        trap_clear(&t);
    }
    arena_free(&a);
    return test_finish("t-languages");
}
