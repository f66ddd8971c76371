#include "facts/facts_lengths.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/entry.h"
#include "job/parallel.h"

/* A run that begins at a length finds all rows of that length first. So parts are few, and as they take the longer
   the longer their strings are, they get shorter: about equal parts of the sum of all lengths. */
enum { PARTS_A_THREAD = 2, WORTH_WHILE = 64, THREADS_MOST = 64 };

typedef struct part {
    size_t first, end;
    arena *keep; /* of what is found */
    trap trap;
    temper_error why;
    bool done;
    struct lengths_work *all;
} part;

typedef struct lengths_work {
    facts **out;
    const subject_model *s;
    part *parts;
    size_t count;
    facts_report *report;
    void *context;
    pthread_t caller;
    atomic_size_t done;
    atomic_bool stop;
} lengths_work;

static void tell(lengths_work *w) {
    size_t done = atomic_fetch_add(&w->done, 1) + 1;
    if (w->report && pthread_equal(w->caller, pthread_self()) && w->report(w->context, done))
        atomic_store(&w->stop, true);
}

/* What is found has no rationals, so that those of the run can end with it, in their thread. */
static void run_part(void *context) {
    part *p = context;
    lengths_work *w = p->all;
    arena *work = arena_alloc(p->keep, 1, sizeof *work);
    arena_init(work, &p->trap);
    arena_on_release(p->keep, (void (*)(void *))arena_free, work); /* if an error ends this */
    facts_run *run = facts_run_begin(w->s, p->first, work);
    for (size_t n = p->first; n < p->end && !atomic_load(&w->stop); n++) {
        w->out[n] = facts_run_next(run, p->keep);
        tell(w);
    }
    arena_free(work);
}

/* The longest lengths first: nobody waits for them at the end. */
static void do_part(void *context, size_t number) {
    lengths_work *w = context;
    part *p = &w->parts[w->count - 1 - number];
    p->done = trap_attempt(&p->trap, &p->why, run_part, p);
    if (!p->done) arena_reset(p->keep); /* the run's numbers are those of this thread */
}

static bool reads_length(const temper_model *m) {
    if (m->has_end) return true;
    for (uint32_t c = 0; c < m->channel_count; c++) {
        const expression *e = m->channels[c].soft_only ? NULL : m->channels[c].position;
        if (e && (expression_uses(e, EXPR_LENGTH) || expression_uses(e, EXPR_SIZE))) return true;
    }
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            temper_mask mask = m->layers[l].heads[h].mask;
            if (mask != TEMPER_MASK_UP_TO && mask != TEMPER_MASK_BEFORE) return true;
        }
    return false;
}

unsigned facts_lengths_threads(const temper_model *m, size_t first, size_t last, unsigned threads) {
    long cores = threads ? (long)threads : sysconf(_SC_NPROCESSORS_ONLN);
    unsigned most = cores < 1 ? 1 : cores > THREADS_MOST ? THREADS_MOST : (unsigned)cores;
    return most > 1 && last - first >= WORTH_WHILE && reads_length(m) ? most : 1;
}

static bool find_alone(facts **out, const subject_model *s, size_t first, size_t last, facts_report *report,
                       void *context, arena *keep) {
    facts_run *run = facts_run_begin(s, first, keep);
    for (size_t n = first; n <= last; n++) {
        out[n] = facts_run_next(run, keep);
        if (report && report(context, n - first + 1)) return false;
    }
    return true;
}

bool facts_lengths_find(facts **out, const subject_model *s, size_t first, size_t last, unsigned threads,
                        facts_report *report, void *context, arena *keep) {
    threads = facts_lengths_threads(s->model, first, last, threads);
    if (threads == 1) return find_alone(out, s, first, last, report, context, keep);
    lengths_work w = {.out = out, .s = s, .report = report, .context = context, .caller = pthread_self()};
    w.count = (size_t)threads * PARTS_A_THREAD;
    w.parts = arena_zalloc(keep, w.count, sizeof *w.parts);
    double from = (double)first * (double)first, to = ((double)last + 1) * ((double)last + 1);
    for (size_t k = 0; k < w.count; k++) {
        part *p = &w.parts[k];
        p->all = &w;
        p->first = k ? w.parts[k - 1].end : first;
        p->end = k + 1 == w.count ? last + 1 : (size_t)sqrt(from + (to - from) * (double)(k + 1) / (double)w.count);
        p->keep = arena_alloc(keep, 1, sizeof *p->keep);
        arena_init(p->keep, &p->trap);
        arena_on_release(keep, (void (*)(void *))arena_free, p->keep);
    }
    run_parallel(threads, w.count, do_part, &w);
    bool room = true;
    for (size_t k = 0; k < w.count; k++) {
        w.parts[k].keep->trap = NULL;
        room = room && (w.parts[k].done || w.parts[k].why.code != TEMPER_NO_MEMORY);
    }
    if (!room) { /* one run takes less: what is refused must not depend on the threads */
        for (size_t k = 0; k < w.count; k++) arena_free(w.parts[k].keep);
        return find_alone(out, s, first, last, report, context, keep);
    }
    for (size_t k = 0; k < w.count; k++)
        if (!w.parts[k].done) trap_reraise(keep->trap, &w.parts[k].why);
    /* The caller hears of the end, also if other threads did all there was to do. */
    return !atomic_load(&w.stop) && !(report && report(context, last - first + 1));
}
