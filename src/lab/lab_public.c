/* The lab for callers of the library. */
#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>

struct temper_lab {
    lab inside;
};

size_t temper_lab_count(void) {
    size_t count = 0;
    while (lab_experiments[count]) count++;
    return count;
}

temper_status temper_lab_about(temper_lab_info *out, size_t index, temper_error *err) {
    trap t;
    if (trap_set(&t, err)) return t.error.code;
    if (index >= temper_lab_count())
        trap_raise(&t, TEMPER_RANGE, 0, 0, "there are only %zu experiments", temper_lab_count());
    const lab_experiment *e = lab_experiments[index];
    *out = (temper_lab_info){e->name, e->title, e->claim};
    trap_clear(&t);
    return TEMPER_OK;
}

void temper_lab_free(temper_lab *l) {
    if (!l) return;
    arena_free(&l->inside.memory);
    free(l);
}

static void set_options(lab *l, const temper_lab_options *o) {
    l->seed = o ? o->seed : 1;
    l->quick = o && o->quick;
    l->progress = o ? o->progress : NULL;
    l->context = o ? o->context : NULL;
}

temper_status temper_lab_run(temper_lab **out, const char *name, const temper_lab_options *options,
                             temper_error *err) {
    trap t;
    arena scratch;
    temper_lab *volatile made = NULL;
    *out = NULL;
    arena_init(&scratch, &t);
    if (trap_set(&t, err)) {
        arena_free(&scratch);
        temper_lab_free(made);
        return t.error.code;
    }
    const lab_experiment *e = lab_experiment_find(name);
    if (!e)
        trap_raise_hint(&t, TEMPER_RANGE, 0, 0, "temper lab lists the experiments", "there is no experiment '%s'",
                        text_escaped(&scratch, name, strlen(name), 60));
    temper_lab *l = made = caller_alloc(&t, 1, sizeof *l);
    memset(l, 0, sizeof *l);
    arena_init(&l->inside.memory, &t);
    set_options(&l->inside, options);
    lab_run(&l->inside, e);
    l->inside.memory.trap = NULL; /* this function's own: gone when it returns */
    l->inside.trap = NULL;
    arena_free(&scratch);
    *out = l;
    trap_clear(&t);
    return TEMPER_OK;
}

int temper_lab_holds(const temper_lab *l) { return lab_holds(&l->inside); }
size_t temper_lab_claims(const temper_lab *l) { return l->inside.claim_count; }

temper_status temper_lab_claim_at(temper_lab_claim *out, const temper_lab *l, size_t index, temper_error *err) {
    trap t;
    if (trap_set(&t, err)) return t.error.code;
    if (index >= l->inside.claim_count)
        trap_raise(&t, TEMPER_RANGE, 0, 0, "there are only %zu claims", l->inside.claim_count);
    const lab_claim *c = &l->inside.claims[index];
    *out = (temper_lab_claim){c->text, c->measured, c->holds};
    trap_clear(&t);
    return TEMPER_OK;
}

temper_status temper_lab_write(const temper_lab *l, const char *folder, temper_error *err) {
    trap t;
    arena scratch;
    arena_init(&scratch, &t);
    if (trap_set(&t, err)) {
        arena_free(&scratch);
        return t.error.code;
    }
    lab_write(&l->inside, folder, &scratch);
    arena_free(&scratch);
    trap_clear(&t);
    return TEMPER_OK;
}

static char *for_caller(const char *string, trap *t) {
    size_t size = strlen(string) + 1;
    char *copy = caller_alloc(t, size, 1);
    memcpy(copy, string, size);
    return copy;
}

temper_status temper_lab_report(char **markdown, char **json, const temper_lab *l, temper_error *err) {
    trap t;
    arena scratch;
    char *volatile report = NULL;
    arena_init(&scratch, &t);
    if (trap_set(&t, err)) {
        arena_free(&scratch);
        temper_free(report);
        return t.error.code;
    }
    if (markdown) report = for_caller(lab_markdown(&scratch, &l->inside), &t);
    if (json) *json = for_caller(lab_json(&scratch, &l->inside), &t);
    if (markdown) *markdown = report;
    arena_free(&scratch);
    trap_clear(&t);
    return TEMPER_OK;
}

/* ---- all of them, in a folder ---- */

temper_status temper_lab_keep(temper_lab_kept *out, const char *name, const char *folder,
                              const temper_lab_options *options, temper_error *err) {
    trap t;
    arena scratch;
    temper_lab *volatile made = NULL;
    *out = (temper_lab_kept){0};
    arena_init(&scratch, &t);
    if (trap_set(&t, err)) {
        arena_free(&scratch);
        temper_lab_free(made);
        return t.error.code;
    }
    const lab_experiment *e = lab_experiment_find(name);
    lab_outcome outcome = {0};
    lab asked = {0};
    set_options(&asked, options);
    if (e && lab_is_kept(&outcome, e, asked.seed, asked.quick, folder, &scratch)) {
        *out = (temper_lab_kept){outcome.claims, outcome.failed, NULL};
    } else {
        temper_lab *fresh = NULL;
        temper_error inner;
        if (temper_lab_run(&fresh, name, options, &inner) != TEMPER_OK) trap_reraise(&t, &inner);
        made = fresh;
        lab_keep(&fresh->inside, folder, &scratch);
        outcome = lab_outcome_of(&fresh->inside);
        *out = (temper_lab_kept){outcome.claims, outcome.failed, fresh};
    }
    arena_free(&scratch);
    trap_clear(&t);
    return TEMPER_OK;
}

temper_status temper_lab_page(const char *folder, const temper_lab_options *options, temper_error *err) {
    trap t;
    arena scratch;
    temper_error inner;
    arena_init(&scratch, &t);
    if (trap_set(&t, err)) {
        arena_free(&scratch);
        return t.error.code;
    }
    size_t count = temper_lab_count();
    const char **parts = arena_alloc(&scratch, count, sizeof *parts);
    lab_outcome *outcomes = arena_alloc(&scratch, count, sizeof *outcomes);
    lab asked = {0};
    set_options(&asked, options);
    for (size_t k = 0; k < count; k++) {
        if (!lab_is_kept(&outcomes[k], lab_experiments[k], asked.seed, asked.quick, folder, &scratch))
            trap_raise(&t, TEMPER_FORMAT, 0, 0, "experiment %s was not run with seed %llu in '%s'",
                       lab_experiments[k]->name, (unsigned long long)asked.seed,
                       text_escaped(&scratch, folder, strlen(folder), 120));
        parts[k] = lab_kept_part(lab_experiments[k], folder, &scratch);
    }
    const char *page = lab_page(&scratch, parts, outcomes, asked.seed, asked.quick);
    text path;
    text_init(&path, &scratch);
    text_printf(&path, "%s/report.html", folder);
    if (temper_file_write(text_string(&path), page, strlen(page), &inner) != TEMPER_OK) trap_reraise(&t, &inner);
    arena_free(&scratch);
    trap_clear(&t);
    return TEMPER_OK;
}
