/* Regular languages of the literature, from automaton to soft transformer, against the automaton at every prefix:
   members, near misses and random strings. Their groups; what is refused; sizes that must not grow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/regular_choose.h"
#include "random_formula.h"
#include "regular_languages.h"
#include "test.h"

enum { LONG = 90 };

/* A walk that keeps to states from which acceptance can be reached, and stops at an accepting one now and then. */
static size_t member(uint32_t *w, size_t most, const dfa *d, const unsigned char *useful, test_random *r) {
    uint32_t state = d->start;
    size_t n = 0, accepted = d->accepts[state] ? 1 : 0, last = 0;
    while (n < most) {
        uint32_t tries = 0, letter, to;
        do {
            letter = (uint32_t)random_below(r, d->letter_count);
            to = dfa_next(d, state, d->class_of[letter]);
        } while (!useful[to] && ++tries < 4000);
        if (!useful[to]) break;
        w[n++] = letter;
        state = to;
        if (d->accepts[state]) accepted = 1, last = n;
        if (d->accepts[state] && random_below(r, 8) == 0) break;
    }
    return accepted ? last : n;
}

static unsigned char *useful_states(const dfa *d, arena *a) {
    unsigned char *useful = arena_zalloc(a, d->state_count, 1);
    memcpy(useful, d->accepts, d->state_count);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t q = 0; q < d->state_count; q++)
            for (uint32_t c = 0; c < d->class_count && !useful[q]; c++)
                if (useful[dfa_next(d, q, c)]) useful[q] = more = 1;
    }
    return useful;
}

static bool compare(const char *name, const temper_model *m, const dfa *d, const uint32_t *w, size_t n) {
    temper_run *run = NULL;
    temper_error e;
    bool same = true;
    if (!CHECK(!temper_model_run(&run, m, w, n, NULL, &e), "%s: %s", name, e.text)) return false;
    const unsigned char *truth = temper_run_about(run).truth;
    uint32_t state = d->start;
    for (size_t i = 0; i < n && same; i++) {
        state = dfa_next(d, state, d->class_of[w[i]]);
        same = truth[i + 1] == d->accepts[state];
        CHECK(same, "%s: wrong at letter %zu of %zu", name, i + 1, n);
    }
    temper_run_free(run);
    return same;
}

static size_t compare_strings(const char *name, const temper_model *m, const dfa *d, test_random *r, arena *a) {
    const unsigned char *useful = useful_states(d, a);
    uint32_t w[LONG];
    size_t rounds = (size_t)(60 * test_effort()), done = 0;
    if (rounds < 6) rounds = 6;
    for (size_t k = 0; k < rounds; k++) {
        size_t n, most = k % 6 == 5 ? LONG : 30;
        if (k % 3 == 2) {
            n = 1 + (size_t)random_below(r, most);
            random_word(w, n, d->letter_count, r);
        } else {
            n = member(w, most, d, useful, r);
        }
        if (k % 3 == 1 && n) /* a near miss: one letter changed, put in or left out */
            switch (random_below(r, 3)) {
            case 0: w[random_below(r, n)] = (uint32_t)random_below(r, d->letter_count); break;
            case 1: memmove(w + n / 2, w + n / 2 + 1, (n - n / 2 - 1) * sizeof *w), n--; break;
            default:
                if (n < LONG) memmove(w + n / 2 + 1, w + n / 2, (n - n / 2) * sizeof *w), n++;
            }
        if (!compare(name, m, d, w, n)) return done;
        done++;
    }
    return done;
}

static const char *groups_of(const cascade_report *report, arena *a) {
    text t;
    text_init(&t, a);
    for (uint32_t k = 0; k < report->level_count; k++)
        if (report->levels && report->levels[k].group_order > 1)
            text_printf(&t, "%s%s", t.length ? "," : "", report->levels[k].group);
    return text_string(&t);
}

/* Layers at most, of languages whose sizes are known to be reached. */
static const struct {
    const char *name;
    uint32_t layers;
} sizes[] = {{"(ab)*", 2},
             {"IPv4", 13},
             {"ISO timestamp", 10},
             {"access-log line", 32},
             {"8 to 64 letters", 3},
             {"float", 4},
             {"date", 8},
             {"C string", 9},
             {"e-mail", 9},
             {"C comment", 5},
             {"semver", 11},
             {"uuid", 24},
             {"S3", 8},
             {"S4", 12},
             {"F20", 10},
             {"bracket depth 12", 14}};

static void check_size(const regular_language *g, const regular_choice *c) {
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (!strcmp(sizes[k].name, g->name))
            CHECK(c->size.layers <= sizes[k].layers, "%s: %u layers, not %u", g->name, c->size.layers,
                  sizes[k].layers);
}

static temper_model *soft_model(const char *name, temper_spec *spec) {
    temper_model *m = NULL;
    temper_error e;
    temper_build_options o = {.method = TEMPER_METHOD_TEMPERATURE};
    CHECK(!temper_build(&m, spec, &o, &e), "%s: %s", name, e.text);
    return m;
}

static size_t check_language(const regular_language *g, trap *t, test_random *r, arena *memory, arena *scratch) {
    regular_choice choice;
    cascade_report report;
    formula other;
    size_t done = 0;
    arena_reset(memory);
    arena_reset(scratch);
    const dfa *d = regular_automaton(g, memory, scratch);
    temper_spec *spec = make_spec(t, 1, TEMPER_AT_LAST);
    for (uint32_t l = 1; l < d->letter_count; l++) {
        char letter[4];
        snprintf(letter, sizeof letter, "%u", l % 1000);
        alphabet_add(&spec->letters, letter, strlen(letter));
    }
    node_id root, unused;
    const unsigned char *accepts = d->accepts;
    state_sets set = {&accepts, 1};
    if (!regular_choose(&root, &spec->graph, d, set, NULL, (cascade_options){0}, &choice, memory, scratch)) root = 0;
    CHECK((root != 0) == (g->groups != NULL), "%s: %s", g->name, root ? "not refused" : choice.report.refusal);
    /* the groups are the cascade's, whatever route won */
    formula_init(&other, memory);
    cascade_from_dfa(&unused, &other, d, set, (cascade_options){0}, &report, memory);
    const char *groups = groups_of(&report, memory);
    if (g->groups) CHECK(!strcmp(groups, g->groups), "%s: groups '%s', not '%s'", g->name, groups, g->groups);
    if (!g->groups) CHECK(strstr(choice.report.refusal, "not solvable"), "%s: %s", g->name, choice.report.refusal);
    spec->memory.trap = NULL;
    if (root) {
        check_size(g, &choice);
        finish_spec(spec, root);
        temper_model *m = soft_model(g->name, spec);
        if (m) done = compare_strings(g->name, m, d, r, memory);
        temper_model_free(m);
        if (getenv("TEMPER_TEST_SIZES"))
            printf("%-32s %3u states %3u layers %3zu heads %5zu units  route %d  %s\n", g->name, d->state_count,
                   choice.size.layers, choice.size.heads, choice.size.units, (int)choice.route, groups);
    }
    temper_spec_free(spec);
    return done;
}

/* Through the public header: what explain tells, and how a group that is not solvable is refused. */
static temper_spec *parse(const char *source, temper_syntax syntax) {
    temper_spec *spec = NULL;
    temper_error e;
    temper_spec_options o = {.syntax = syntax, .alphabet = "ab"};
    CHECK(!temper_spec_parse(&spec, source, strlen(source), &o, &e), "%s: %s", source, e.text);
    return spec;
}

static void check_routes(void) {
    static const struct {
        const char *regex, *route, *groups, *why;
        size_t states, levels, layers;
    } cases[] = {{"(ab)*", "cascade", "", "", 3, 1, 2},
                 {"(b|ab*a)*", "counts", "Z2", "'a' leads state 0 to 1 to 0", 2, 0, 2},
                 {"ab.*", "words", "", "", 4, 1, 2},
                 {"(b|aaa)*", "cascade", "Z3", "'a' leads state 0 to 1 to 2 to 0", 4, 1, 4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *spec = parse(cases[k].regex, TEMPER_SYNTAX_REGEX);
        temper_routes *routes = NULL;
        temper_error e;
        if (!spec || !CHECK(!temper_routes_find(&routes, spec, &e), "%s: %s", cases[k].regex, e.text)) continue;
        temper_route_info r = temper_routes_at(routes, 0);
        CHECK(temper_routes_count(routes) == 1 && !strcmp(r.language, cases[k].regex), "%s", r.language);
        CHECK(!strcmp(r.route, cases[k].route) && r.states == cases[k].states && r.levels == cases[k].levels &&
                  r.layers == cases[k].layers,
              "%s: %s, %zu states, %zu levels, %zu layers", r.language, r.route, r.states, r.levels, r.layers);
        CHECK(!strcmp(r.groups, cases[k].groups) && !strcmp(r.why, cases[k].why), "%s: groups '%s', '%s'", r.language,
              r.groups, r.why);
        CHECK(!*temper_routes_at(routes, 1).route, "a second route");
        temper_routes_free(routes);
        temper_spec_free(spec);
    }
    temper_spec *plain = parse("O a", TEMPER_SYNTAX_SPEC);
    temper_routes *none = NULL;
    CHECK(plain && !temper_routes_find(&none, plain, NULL) && temper_routes_count(none) == 0, "no languages");
    temper_routes_free(none);
    temper_spec_free(plain);
}

static void check_refusal(void) {
    static const char s5[] = "start 0\naccept 0\n0 a 1\n1 a 0\n2 a 2\n3 a 3\n4 a 4\n"
                             "0 b 1\n1 b 2\n2 b 3\n3 b 4\n4 b 0\n";
    temper_spec *spec = parse(s5, TEMPER_SYNTAX_DFA);
    temper_model *m = NULL;
    temper_error e;
    if (!spec) return;
    CHECK(temper_build(&m, spec, NULL, &e) == TEMPER_UNSUPPORTED && !m, "S5 is not refused");
    CHECK(!strcmp(e.text,
                  "no transformer of constant depth: the words 'a' and 'b' permute the states {0, 1, 2, 3, 4} "
                  "as S5, of order 120, which is not solvable: it has the perfect subgroup A5, of order 60"),
          "%s", e.text);
    temper_spec_free(spec);
}

int main(void) {
    test_random r = test_seed(140);
    trap t;
    temper_error error;
    arena memory, scratch;
    size_t strings = 0;
    if (trap_set(&t, &error)) {
        CHECK(false, "%s", error.text);
        return test_finish("t-regular");
    }
    arena_init(&memory, &t);
    arena_init(&scratch, &t);
    CHECK(regular_count() >= 130, "only %zu languages", regular_count());
    for (size_t k = 0; k < regular_count(); k++) strings += check_language(regular_at(k), &t, &r, &memory, &scratch);
    check_routes();
    check_refusal();
    printf("%zu languages, %zu strings at every prefix\n", regular_count(), strings);
    arena_free(&memory);
    arena_free(&scratch);
    return test_finish("t-regular");
}
