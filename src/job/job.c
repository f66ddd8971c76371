#include "job/job.h"

#include <stdlib.h>
#include <string.h>

temper_job_info temper_job_about(const temper_job *job) {
    return (temper_job_info){
        .name = job->kind->name, .digest = job->digest, .units = job->units, .total = job->total};
}

uint64_t temper_job_weight(const temper_job *job, uint64_t unit) {
    return unit < job->units ? job->kind->weight(job, unit) : 0;
}

static void free_job(void *job) { temper_job_free(job); }

temper_job *entry_job(entry *e) {
    temper_job *job = caller_alloc(e->trap, 1, sizeof *job);
    memset(job, 0, sizeof *job);
    arena_init(&job->arena, e->trap);
    entry_on_failure(e, free_job, job);
    return job;
}

void temper_job_free(temper_job *job) {
    if (!job) return;
    arena_free(&job->arena);
    free(job);
}

/* ---- workers ---- */

static bool never_stop(void *context, uint64_t more) {
    (void)context;
    (void)more;
    return false;
}

/* Units raise through the worker's own trap, which lives as long as its arenas. */
static void open_state(void *context) {
    temper_worker *w = context;
    w->state = w->job->kind->open(w->job, w->threads, &w->memory);
}

typedef struct open_call {
    temper_worker **out;
    const temper_job *job;
    unsigned threads;
} open_call;

static void free_worker(void *worker) { temper_worker_free(worker); }

static void open_worker(entry *e, void *context) {
    const open_call *c = context;
    temper_worker *w = caller_alloc(e->trap, 1, sizeof *w);
    memset(w, 0, sizeof *w);
    w->job = c->job;
    w->threads = c->threads;
    w->watch.tick = never_stop;
    arena_init(&w->memory, &w->trap);
    arena_init(&w->scratch, &w->trap);
    entry_on_failure(e, free_worker, w);
    if (!trap_attempt(&w->trap, NULL, open_state, w)) trap_reraise(e->trap, &w->trap.error);
    *c->out = w;
}

temper_status temper_worker_open(temper_worker **out, const temper_job *job, unsigned threads, temper_error *err) {
    open_call call = {out, job, threads};
    *out = NULL;
    return entry_run(err, open_worker, &call);
}

void temper_worker_free(temper_worker *worker) {
    if (!worker) return;
    if (worker->state) worker->job->kind->close(worker->state);
    arena_free(&worker->memory);
    arena_free(&worker->scratch);
    free(worker);
}

void job_check_size(size_t size, uint64_t unit, trap *t) {
    if (size > JOB_LONGEST_RESULT)
        trap_raise(t, TEMPER_LIMIT, 0, 0, "the result of unit %llu has %zu bytes, more than %d",
                   (unsigned long long)unit, size, JOB_LONGEST_RESULT);
}

typedef struct unit_call {
    unsigned char **result;
    size_t *size;
    temper_worker *worker;
    uint64_t unit;
} unit_call;

static void run_unit(void *context) {
    const unit_call *c = context;
    temper_worker *w = c->worker;
    text bytes;
    if (c->unit >= w->job->units)
        trap_raise(&w->trap, TEMPER_RANGE, 0, 0, "there is no unit %llu: the job has %llu",
                   (unsigned long long)c->unit, (unsigned long long)w->job->units);
    arena_reset(&w->scratch);
    text_init(&bytes, &w->scratch);
    if (!w->job->kind->run(&bytes, w->state, c->unit, &w->watch)) return;
    job_check_size(bytes.length, c->unit, &w->trap);
    *c->result = caller_alloc(&w->trap, bytes.length, 1);
    *c->size = bytes.length;
    if (bytes.length) memcpy(*c->result, bytes.data, bytes.length);
}

temper_status worker_run(unsigned char **result, size_t *size, temper_worker *w, uint64_t unit, temper_error *err) {
    unit_call call = {result, size, w, unit};
    *result = NULL;
    *size = 0;
    return trap_attempt(&w->trap, err, run_unit, &call) ? TEMPER_OK : w->trap.error.code;
}

temper_status temper_worker_run(unsigned char **result, size_t *size, temper_worker *worker, uint64_t unit,
                                temper_error *err) {
    return worker_run(result, size, worker, unit, err);
}
