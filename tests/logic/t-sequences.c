/* The suite of sequence tasks: the specification's outputs and the models' against the task's own program, at every
   position, on all short strings and on long ones; sizes; the table of the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/sequences.h"
#include "test.h"

enum { SHORT_STRINGS = 1500, LONGEST = 1000 };

static temper_spec *parse(const sequence_task *t) {
    temper_error e;
    temper_spec *spec = NULL;
    char letters[32][2];
    const char *names[32];
    size_t count = strlen(t->alphabet);
    for (size_t k = 0; k < count; k++) {
        letters[k][0] = t->alphabet[k];
        letters[k][1] = '\0';
        names[k] = letters[k];
    }
    temper_spec_options o = {.letters = names, .letter_count = count};
    temper_status status = temper_spec_parse(&spec, t->text, strlen(t->text), &o, &e);
    CHECK(status == TEMPER_OK, "%s: %zu:%zu: %s", t->name, e.line, e.column, e.text);
    return spec;
}

static temper_model *build(const sequence_task *t, const temper_spec *spec, temper_method method) {
    temper_error e;
    temper_model *m = NULL;
    temper_status status = temper_build(&m, spec, &(temper_build_options){.method = method}, &e);
    CHECK(status == TEMPER_OK, "%s by %s: %s", t->name, temper_method_name(method), e.text);
    return m;
}

/* The run of a model on a string: every position. */
static void check_run(const sequence_task *t, const temper_model *m, const char *w, size_t n, arena *a) {
    temper_error e;
    temper_run *run = NULL;
    uint32_t *letters = arena_alloc(a, n + 1, sizeof *letters);
    bool *right = arena_zalloc(a, n + 1, sizeof *right);
    for (size_t i = 0; i < n; i++) letters[i] = (uint32_t)(strchr(t->alphabet, w[i]) - t->alphabet);
    temper_status status =
        temper_model_run(&run, m, letters, n, &(temper_run_options){.threads = 1, .unchecked = 1}, &e);
    const char *how = temper_method_name(temper_model_about(m).method);
    if (!CHECK(status == TEMPER_OK, "%s by %s at %zu letters: %s", t->name, how, n, e.text)) return;
    sequence_right(right, t, m, run, w, n, a);
    for (size_t i = t->next ? 0 : 1; i <= n; i++)
        CHECK(right[i], "%s by %s: position %zu of '%.80s' (%zu letters)", t->name, how, i, w, n);
    temper_run_free(run);
}

static void check_strings(const sequence_task *t, const temper_model *m, test_random *r, arena *a) {
    size_t letters = strlen(t->alphabet), total = 1;
    char w[LONGEST + 1] = "";
    for (size_t n = 0; n == 0 || total * letters <= SHORT_STRINGS; n++) { /* all strings of n letters */
        if (n) total *= letters;
        for (size_t code = 0; code < total; code++) {
            for (size_t i = 0, rest = code; i < n; i++, rest /= letters) w[i] = t->alphabet[rest % letters];
            w[n] = '\0';
            check_run(t, m, w, n, a);
        }
    }
    for (unsigned k = 0; k < 9; k++) {
        size_t n = k < 6 ? 5 + random_below(r, 60) : k < 8 ? random_below(r, 300) : LONGEST;
        sequence_string(w, n, t, k % 3, &r->state);
        check_run(t, m, w, n, a);
    }
}

/* One string of a hundred thousand letters, with proof. */
static void check_far(const sequence_task *t, const temper_model *m, test_random *r, arena *a) {
    enum { FAR = 100000 };
    char *w = arena_alloc(a, FAR + 1, 1);
    sequence_string(w, FAR, t, 0, &r->state);
    check_run(t, m, w, FAR, a);
}

/* The page has the table of the suite. */
static void check_page(arena *a) {
    char *page;
    size_t length;
    temper_error e;
    if (CHECK(!temper_file_read(&page, &length, "doc/sequence.md", &e), "doc/sequence.md: %s", e.text))
        CHECK(strstr(page, sequence_table(a)) != NULL, "doc/sequence.md has another table; this is it:\n%s",
              sequence_table(a));
    temper_free(page);
}

static void check_task(const sequence_task *t, test_random *r, arena *a) {
    temper_spec *spec = parse(t);
    if (!spec) return;
    static const temper_method methods[] = {TEMPER_METHOD_HARD, TEMPER_METHOD_TEMPERATURE, TEMPER_METHOD_POSITIONS};
    for (size_t k = 0; k < 3; k++) {
        temper_model *m = build(t, spec, methods[k]);
        if (!m) continue;
        temper_model_info about = temper_model_about(m);
        if (methods[k] == TEMPER_METHOD_TEMPERATURE)
            CHECK(about.layers <= t->layers && about.heads <= t->heads, "%s: %zu layers, %zu heads", t->name,
                  about.layers, about.heads);
        CHECK((about.kind == TEMPER_KIND_NEXT) == (t->next != NULL), "%s: kind %d", t->name, (int)about.kind);
        check_strings(t, m, r, a);
        if (!strcmp(t->name, "add-low") && methods[k] == TEMPER_METHOD_TEMPERATURE) check_far(t, m, r, a);
        temper_model_free(m);
    }
    temper_spec_free(spec);
}

int main(int count, char **arguments) {
    trap t;
    arena a;
    test_random r = test_seed(15);
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
    } else if (count > 1 && !strcmp(arguments[1], "--table")) {
        fputs(sequence_table(&a), stdout);
        arena_free(&a);
        return 0;
    } else {
        check_page(&a);
        for (size_t k = 0; k < sequence_count(); k++) {
            check_task(&sequence_suite[k], &r, &a);
            arena_reset(&a);
        }
        trap_clear(&t);
    }
    arena_free(&a);
    return test_finish("t-sequences");
}
