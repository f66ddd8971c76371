#include "job/job.h"

#include <stdlib.h>
#include <string.h>

const char *temper_job_name(const temper_job *job) { return job->kind->name; }

const char *temper_job_digest(const temper_job *job) { return job->digest; }

uint64_t temper_job_units(const temper_job *job) { return job->units; }

uint64_t temper_job_weight(const temper_job *job, uint64_t unit) {
    return unit < job->units ? job->kind->weight(job, unit) : 0;
}

uint64_t temper_job_total(const temper_job *job) { return job->total; }

temper_job *job_new(trap *t) {
    temper_job *job = caller_alloc(t, 1, sizeof *job);
    memset(job, 0, sizeof *job);
    arena_init(&job->arena, t);
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

temper_status temper_worker_open(temper_worker **out, const temper_job *job, unsigned threads, temper_error *err) {
    trap t;
    temper_worker *volatile w = NULL;
    *out = NULL;
    if (trap_set(&t, err)) return t.error.code;
    w = caller_alloc(&t, 1, sizeof *w);
    memset(w, 0, sizeof *w);
    trap_clear(&t);
    w->job = job;
    w->watch.tick = never_stop;
    arena_init(&w->memory, &w->trap);
    arena_init(&w->scratch, &w->trap);
    if (trap_set(&w->trap, err)) {
        temper_status code = w->trap.error.code;
        temper_worker_free(w);
        return code;
    }
    w->state = job->kind->open(job, threads, &w->memory);
    trap_clear(&w->trap);
    *out = w;
    return TEMPER_OK;
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

temper_status worker_run(unsigned char **result, size_t *size, temper_worker *w, uint64_t unit, temper_error *err) {
    text bytes;
    *result = NULL;
    *size = 0;
    if (trap_set(&w->trap, err)) return w->trap.error.code;
    if (unit >= w->job->units)
        trap_raise(&w->trap, TEMPER_RANGE, 0, 0, "there is no unit %llu: the job has %llu", (unsigned long long)unit,
                   (unsigned long long)w->job->units);
    arena_reset(&w->scratch);
    text_init(&bytes, &w->scratch);
    if (w->job->kind->run(&bytes, w->state, unit, &w->watch)) {
        job_check_size(bytes.length, unit, &w->trap);
        *result = caller_alloc(&w->trap, bytes.length, 1);
        *size = bytes.length;
        if (bytes.length) memcpy(*result, bytes.data, bytes.length);
    }
    trap_clear(&w->trap);
    return TEMPER_OK;
}

temper_status temper_worker_run(unsigned char **result, size_t *size, temper_worker *worker, uint64_t unit,
                                temper_error *err) {
    return worker_run(result, size, worker, unit, err);
}
