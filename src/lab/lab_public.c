/* The lab for callers of the library. */
#include "lab/lab_job.h"

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

/* What a lab holds outlives the trap it was made with. */
static void let_go(lab *l) {
    l->memory.trap = NULL;
    l->trap = NULL;
    l->cells = NULL;
}

static temper_lab *new_lab(trap *t) {
    temper_lab *l = caller_alloc(t, 1, sizeof *l);
    memset(l, 0, sizeof *l);
    arena_init(&l->inside.memory, t);
    return l;
}

/* ---- from a job ---- */

static const lab_plan *plan_of(const temper_job *job, const temper_journal *journal, trap *t) {
    if (job->kind != &lab_kind || journal->job != job)
        trap_raise(t, TEMPER_RANGE, 0, 0, "the journal is not one of this job of the lab");
    return job->plan;
}

temper_status temper_lab_take(temper_lab_kept *out, const temper_job *job, const temper_journal *journal,
                              size_t index, temper_error *err) {
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
    const lab_plan *p = plan_of(job, journal, &t);
    if (index >= temper_lab_job_count(job))
        trap_raise(&t, TEMPER_RANGE, 0, 0, "the job has only %zu experiments", temper_lab_job_count(job));
    if (p->had && p->had[index]) {
        *out = (temper_lab_kept){p->outcomes[index].claims, p->outcomes[index].failed, NULL};
    } else {
        temper_lab *l = made = new_lab(&t);
        lab_plan_fill(&l->inside, p, journal, index, &scratch);
        if (p->folder && !p->written[index]) { /* its last unit was in the journal already */
            lab_keep(&l->inside, p->folder, &scratch);
            p->written[index] = true;
        }
        let_go(&l->inside);
        lab_outcome outcome = lab_outcome_of(&l->inside);
        *out = (temper_lab_kept){outcome.claims, outcome.failed, l};
    }
    arena_free(&scratch);
    trap_clear(&t);
    return TEMPER_OK;
}

temper_status temper_lab_sweep(temper_lab **out, const temper_job *job, const temper_journal *journal,
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
    const lab_plan *p = plan_of(job, journal, &t);
    if (!p->sweep) trap_raise(&t, TEMPER_RANGE, 0, 0, "the job is no sweep over seeds");
    temper_lab *l = made = new_lab(&t);
    lab_sweep(&l->inside, p, journal, &scratch);
    let_go(&l->inside);
    arena_free(&scratch);
    trap_clear(&t);
    *out = l;
    return TEMPER_OK;
}

/* ---- at once ---- */

/* One experiment as a job in threads of this process. */
static temper_status run_now(temper_lab_kept *out, const char *name, const char *folder, const temper_lab_options *o,
                             temper_error *err) {
    static const temper_lab_options defaults = {.seed = 1};
    if (!o) o = &defaults;
    temper_lab_job_options job_options = {.seed = o->seed, .quick = o->quick, .folder = folder};
    temper_job *job;
    temper_journal *journal = NULL;
    int stopped = 0;
    *out = (temper_lab_kept){0};
    temper_status status = temper_lab_job(&job, &name, 1, &job_options, err);
    if (!status) status = temper_journal_open(&journal, NULL, job, err);
    if (!status) status = temper_job_run(&stopped, journal, o->threads, o->progress, o->context, err);
    if (!status && stopped) {
        trap t;
        if (trap_set(&t, err))
            status = t.error.code;
        else
            trap_raise(&t, TEMPER_LIMIT, 0, 0, "lab %s: stopped", lab_experiment_find(name)->name);
    }
    if (!status) status = temper_lab_take(out, job, journal, 0, err);
    temper_journal_close(journal, NULL);
    temper_job_free(job);
    return status;
}

temper_status temper_lab_run(temper_lab **out, const char *name, const temper_lab_options *options,
                             temper_error *err) {
    temper_lab_kept kept;
    temper_status status = run_now(&kept, name, NULL, options, err);
    *out = kept.lab;
    return status;
}

temper_status temper_lab_keep(temper_lab_kept *out, const char *name, const char *folder,
                              const temper_lab_options *options, temper_error *err) {
    return run_now(out, name, folder, options, err);
}

/* ---- what was found ---- */

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
    uint64_t seed = options ? options->seed : 1;
    bool quick = options && options->quick;
    for (size_t k = 0; k < count; k++) {
        if (!lab_is_kept(&outcomes[k], lab_experiments[k], seed, quick, folder, &scratch))
            trap_raise(&t, TEMPER_FORMAT, 0, 0, "experiment %s was not run with seed %llu in '%s'",
                       lab_experiments[k]->name, (unsigned long long)seed,
                       text_escaped(&scratch, folder, strlen(folder), 120));
        parts[k] = lab_kept_part(lab_experiments[k], folder, &scratch);
    }
    const char *page = lab_page(&scratch, parts, outcomes, seed, quick);
    text path;
    text_init(&path, &scratch);
    text_printf(&path, "%s/report.html", folder);
    if (temper_file_write(text_string(&path), page, strlen(page), &inner) != TEMPER_OK) trap_reraise(&t, &inner);
    arena_free(&scratch);
    trap_clear(&t);
    return TEMPER_OK;
}
