/* The units of a job in the threads of one process. Which thread does which unit changes no result. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "job/journal.h"
#include "job/parallel.h"

enum { MOST_THREADS = 64 };

/* Units that a worker does, one after the other. */
typedef struct stretch {
    uint64_t next, end;
} stretch;

typedef struct crew {
    temper_journal *journal;
    const temper_job *job;
    unsigned threads; /* each worker may use */
    uint64_t end;     /* units of this round end here */
    unsigned workers; /* of this round */
    stretch own[MOST_THREADS];
    pthread_mutex_t lock;
    atomic_uint_fast64_t done;
    atomic_bool stop;
    bool failed;
    temper_error error;
    pthread_t caller;
    int (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
} crew;

/* Only the calling thread speaks to the caller. */
static bool tick(void *context, uint64_t more) {
    crew *c = context;
    uint64_t done = atomic_fetch_add(&c->done, more) + more;
    if (c->progress && pthread_equal(pthread_self(), c->caller) && c->progress(c->context, done, c->job->total))
        atomic_store(&c->stop, true);
    return atomic_load(&c->stop);
}

static void note_error(crew *c, const temper_error *error) {
    pthread_mutex_lock(&c->lock);
    if (!c->failed) c->error = *error;
    c->failed = true;
    pthread_mutex_unlock(&c->lock);
    atomic_store(&c->stop, true);
}

/* What is left of a stretch once it begins with a unit that is open. */
static uint64_t open_units(const crew *c, stretch *s) {
    if (s->end > c->journal->needed) s->end = c->journal->needed;
    while (s->next < s->end && journal_is_settled(c->journal, s->next)) s->next++;
    return s->end > s->next ? s->end - s->next : 0;
}

/* The unit after the worker's last one. At the end of its stretch it takes the second half of the longest other. */
static bool next_in_row(uint64_t *unit, crew *c, size_t worker) {
    stretch *own = &c->own[worker];
    while (!open_units(c, own)) {
        stretch *longest = own;
        for (unsigned k = 0; k < c->workers; k++)
            if (open_units(c, &c->own[k]) > open_units(c, longest)) longest = &c->own[k];
        uint64_t left = open_units(c, longest);
        if (!left) return false;
        *own = (stretch){longest->next + left / 2, longest->end};
        longest->end = own->next;
    }
    *unit = own->next++;
    return true;
}

static bool next_of_all(uint64_t *unit, crew *c) {
    if (c->journal->next >= c->end || !temper_journal_next(unit, c->journal)) return false;
    if (*unit < c->end) return true;
    c->journal->next = *unit; /* it waits for the next round */
    return false;
}

static bool take_unit(uint64_t *unit, crew *c, size_t worker) {
    pthread_mutex_lock(&c->lock);
    bool in_row = c->job->in_rows && c->workers > 1;
    bool more = !atomic_load(&c->stop) && (in_row ? next_in_row(unit, c, worker) : next_of_all(unit, c));
    pthread_mutex_unlock(&c->lock);
    return more;
}

static bool do_unit(crew *c, temper_worker *w, uint64_t unit) {
    temper_error err;
    unsigned char *result;
    size_t size;
    temper_status status = worker_run(&result, &size, w, unit, &err);
    if (!status && !result) return false; /* given up */
    if (!status) {
        pthread_mutex_lock(&c->lock);
        status = temper_journal_add(c->journal, unit, result, size, &err);
        pthread_mutex_unlock(&c->lock);
        temper_free(result);
    }
    if (status) note_error(c, &err);
    return !status;
}

/* One thread: units until there are none. */
static void work(void *context, size_t number) {
    crew *c = context;
    temper_worker *w = NULL;
    temper_error err;
    uint64_t unit;
    while (take_unit(&unit, c, number)) {
        if (!w && temper_worker_open(&w, c->job, c->threads, &err)) {
            note_error(c, &err);
            break;
        }
        w->watch = (job_watch){tick, c};
        if (!do_unit(c, w, unit)) break;
    }
    temper_worker_free(w);
}

static void run_round(crew *c, unsigned workers, unsigned threads, uint64_t end) {
    uint64_t left = end > c->journal->next ? end - c->journal->next : 0;
    if (workers > left) workers = (unsigned)left;
    c->threads = threads;
    c->end = end;
    c->workers = workers;
    for (unsigned k = 0; k < workers; k++) c->own[k] = (stretch){end * k / workers, end * (k + 1) / workers};
    if (left && !atomic_load(&c->stop)) run_parallel(workers, workers, work, c);
}

static unsigned thread_count(unsigned asked) {
    long cores = asked ? (long)asked : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (unsigned)cores;
}

temper_status temper_job_run(int *stopped, temper_journal *journal, unsigned threads,
                             int (*progress)(void *context, uint64_t done, uint64_t total), void *context,
                             temper_error *err) {
    trap t;
    const temper_job *job = journal->job;
    crew c = {.journal = journal,
              .job = job,
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .caller = pthread_self(),
              .progress = progress,
              .context = context};
    if (stopped) *stopped = 0;
    trap_begin(&t, err);
    threads = thread_count(threads);
    for (uint64_t k = 0; k < job->units; k++)
        if (journal_is_settled(journal, k)) atomic_fetch_add(&c.done, job->kind->weight(job, k));
    run_round(&c, threads, 1, job->narrow);
    run_round(&c, 1, threads, job->units);
    pthread_mutex_destroy(&c.lock);
    if (c.failed) {
        if (err) *err = c.error;
        return c.error.code;
    }
    if (stopped) *stopped = atomic_load(&c.stop);
    if (progress && !atomic_load(&c.stop) && journal->first_unknown == job->units)
        progress(context, job->total, job->total);
    return TEMPER_OK;
}
