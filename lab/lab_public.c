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
    if (index >= temper_lab_count())
        return error_write(err, TEMPER_RANGE, 0, 0, "", "there are only %zu experiments", temper_lab_count());
    const lab_experiment *e = lab_experiments[index];
    *out = (temper_lab_info){e->name, e->prose->title, e->prose->text};
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

static void free_lab(void *l) { temper_lab_free(l); }

static temper_lab *entry_lab(entry *e) {
    temper_lab *l = caller_alloc(e->trap, 1, sizeof *l);
    memset(l, 0, sizeof *l);
    arena_init(&l->inside.memory, e->trap);
    entry_on_failure(e, free_lab, l);
    return l;
}

/* ---- from a job ---- */

static const lab_plan *plan_of(const temper_job *job, const temper_journal *journal, trap *t) {
    if (job->kind != &lab_kind || journal->job != job)
        trap_raise(t, TEMPER_RANGE, 0, 0, "the journal is not one of this job of the lab");
    return job->plan;
}

typedef struct take_call {
    temper_lab_kept *out;
    const temper_job *job;
    const temper_journal *journal;
    size_t index;
} take_call;

static void take(entry *e, void *context) {
    const take_call *c = context;
    const lab_plan *p = plan_of(c->job, c->journal, e->trap);
    size_t index = c->index;
    if (index >= temper_lab_job_count(c->job))
        trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the job has only %zu experiments", temper_lab_job_count(c->job));
    if (p->had && p->had[index]) {
        *c->out = (temper_lab_kept){p->outcomes[index].claims, p->outcomes[index].failed, NULL};
        return;
    }
    temper_lab *l = entry_lab(e);
    lab_plan_fill(&l->inside, p, c->journal, index, &e->scratch);
    if (p->folder && !p->written[index]) { /* its last unit was in the journal already */
        lab_keep(&l->inside, p->folder, &e->scratch);
        p->written[index] = true;
    }
    let_go(&l->inside);
    lab_outcome outcome = lab_outcome_of(&l->inside);
    *c->out = (temper_lab_kept){outcome.claims, outcome.failed, l};
}

temper_status temper_lab_take(temper_lab_kept *out, const temper_job *job, const temper_journal *journal,
                              size_t index, temper_error *err) {
    take_call call = {out, job, journal, index};
    *out = (temper_lab_kept){0};
    return entry_run(err, take, &call);
}

typedef struct sweep_call {
    temper_lab **out;
    const temper_job *job;
    const temper_journal *journal;
} sweep_call;

static void sweep(entry *e, void *context) {
    const sweep_call *c = context;
    const lab_plan *p = plan_of(c->job, c->journal, e->trap);
    if (!p->sweep) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the job is no sweep over seeds");
    temper_lab *l = entry_lab(e);
    lab_sweep(&l->inside, p, c->journal, &e->scratch);
    let_go(&l->inside);
    *c->out = l;
}

temper_status temper_lab_sweep(temper_lab **out, const temper_job *job, const temper_journal *journal,
                               temper_error *err) {
    sweep_call call = {out, job, journal};
    *out = NULL;
    return entry_run(err, sweep, &call);
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
    if (!status && stopped)
        status = error_write(err, TEMPER_LIMIT, 0, 0, "", "lab %s: stopped", lab_experiment_find(name)->name);
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
    if (index >= l->inside.claim_count)
        return error_write(err, TEMPER_RANGE, 0, 0, "", "there are only %zu claims", l->inside.claim_count);
    const lab_claim *c = &l->inside.claims[index];
    *out = (temper_lab_claim){c->text, c->measured, c->holds};
    return TEMPER_OK;
}

typedef struct write_call {
    const lab *lab;
    const char *folder;
} write_call;

static void write(entry *e, void *context) {
    const write_call *c = context;
    lab_write(c->lab, c->folder, &e->scratch);
}

temper_status temper_lab_write(const temper_lab *l, const char *folder, temper_error *err) {
    write_call call = {&l->inside, folder};
    return entry_run(err, write, &call);
}

typedef struct report_call {
    char **markdown, **json;
    const lab *lab;
} report_call;

static void free_text(void *bytes) { temper_free(bytes); }

static void report(entry *e, void *context) {
    const report_call *c = context;
    char *markdown = NULL;
    if (c->markdown) {
        const char *made = lab_markdown(&e->scratch, c->lab);
        markdown = entry_hand_out(e, made, strlen(made));
        entry_on_failure(e, free_text, markdown);
    }
    if (c->json) {
        const char *made = lab_json(&e->scratch, c->lab);
        *c->json = entry_hand_out(e, made, strlen(made));
    }
    if (c->markdown) *c->markdown = markdown;
}

temper_status temper_lab_report(char **markdown, char **json, const temper_lab *l, temper_error *err) {
    report_call call = {markdown, json, &l->inside};
    return entry_run(err, report, &call);
}

/* ---- all of them, in a folder ---- */

typedef struct page_call {
    const char *folder;
    uint64_t seed;
    bool quick;
} page_call;

static void write_page(entry *e, void *context) {
    const page_call *c = context;
    arena *a = &e->memory;
    temper_error inner;
    size_t count = temper_lab_count();
    const char **parts = arena_alloc(a, count, sizeof *parts);
    lab_outcome *outcomes = arena_alloc(a, count, sizeof *outcomes);
    for (size_t k = 0; k < count; k++) {
        if (!lab_is_kept(&outcomes[k], lab_experiments[k], c->seed, c->quick, c->folder, a))
            trap_raise(e->trap, TEMPER_FORMAT, 0, 0, "experiment %s was not run with seed %llu in '%s'",
                       lab_experiments[k]->name, (unsigned long long)c->seed,
                       text_escaped(a, c->folder, strlen(c->folder), 120));
        parts[k] = lab_kept_part(lab_experiments[k], c->folder, a);
    }
    const char *page = lab_page(a, parts, outcomes, c->seed, c->quick);
    text path;
    text_init(&path, a);
    text_printf(&path, "%s/report.html", c->folder);
    if (temper_file_write(text_string(&path), page, strlen(page), &inner) != TEMPER_OK) trap_reraise(e->trap, &inner);
}

temper_status temper_lab_page(const char *folder, const temper_lab_options *options, temper_error *err) {
    page_call call = {folder, options ? options->seed : 1, options && options->quick};
    return entry_run(err, write_page, &call);
}
