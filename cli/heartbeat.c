#define _POSIX_C_SOURCE 200809L
#include "heartbeat.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cost_show.h"
#include "json.h"
#include "option_values.h"

static const double FIRST = 8, NEXT = 10; /* seconds; later the next line comes after a tenth of the time so far */
static const double FAR = 100.0 * 3600;   /* seconds until a limit beyond which they tell nobody anything */

/* What is being done, as far as it is known: what is "" where nothing is. */
typedef struct count {
    const char *what, *unit;
    uint64_t done, total;
    bool is_limit; /* the total is what it may take at most */
    bool is_share; /* the steps are too many to be shown */
} count;

static struct {
    pthread_t thread;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t wake;
    bool runs, ends;
    const char *what; /* of a command's own count */
} pulse = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic uint64_t own_done, own_total;
static _Atomic(const char *) own_unit;
static _Atomic double drawn_at;

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void heartbeat_count(const char *what) {
    pthread_mutex_lock(&pulse.lock);
    pulse.what = what;
    pthread_mutex_unlock(&pulse.lock);
    heartbeat_at("", 0, 0);
}

void heartbeat_at(const char *unit, uint64_t done, uint64_t total) {
    atomic_store_explicit(&own_unit, unit, memory_order_relaxed);
    atomic_store_explicit(&own_done, done, memory_order_relaxed);
    atomic_store_explicit(&own_total, total, memory_order_relaxed);
}

void heartbeat_drawn(void) { atomic_store(&drawn_at, seconds_of(CLOCK_MONOTONIC)); }

static count own_count(void) {
    const char *unit = atomic_load(&own_unit);
    return (count){.what = pulse.what ? pulse.what : "",
                   .unit = unit ? unit : "",
                   .done = atomic_load(&own_done),
                   .total = atomic_load(&own_total)};
}

static count library_count(void) {
    temper_work w = temper_work_now();
    uint64_t done = w.counted && w.done > w.most ? w.most : w.done;
    return (count){w.what, "steps", done, w.most, !w.counted, w.counted != 0};
}

/* ---- a line ---- */

static void print_json(const char *name, double seconds, const count *c, double left) {
    json j;
    json_open(&j, stderr);
    json_text(&j, "command", name);
    json_real(&j, "seconds", seconds);
    if (*c->what) {
        json_text(&j, "what", c->what);
        json_count(&j, "done", c->done);
        if (c->total) json_count(&j, c->is_limit ? "most" : "total", c->total);
    }
    if (left >= 0) json_real(&j, "about_seconds", left);
    json_close(&j);
}

/* left: seconds, below 0 where nobody knows. One call of fprintf, so that no other line comes between. */
static void print_line(const char *name, double seconds, const count *c, double left) {
    char so_far[32], more[32], at[80] = "", then[80] = "";
    time_show(so_far, seconds);
    if (*c->what && (c->is_limit || c->is_share) && c->total)
        snprintf(at, sizeof at, ": %d %% %s", (int)(100 * (double)c->done / (double)c->total),
                 c->is_limit ? "of the limit" : "done");
    else if (*c->what && c->total)
        snprintf(at, sizeof at, ": %llu of %llu %s", (unsigned long long)c->done, (unsigned long long)c->total,
                 c->unit);
    else if (*c->what)
        snprintf(at, sizeof at, ": %llu %s", (unsigned long long)c->done, c->unit);
    if (left >= 0) {
        time_show(more, left < 1 ? 1 : left);
        snprintf(then, sizeof then, c->is_limit ? ", at most %s more of this" : ", about %s more", more);
    }
    fprintf(stderr, "temper: %s: %s so far%s%s%s%s\n", name, so_far, *c->what ? "; " : "", c->what, at, then);
}

/* ---- the thread ---- */

/* A count over time: at the last look, and when this part of the work was first seen. */
typedef struct track {
    count now, first;
    double first_at;
    bool moves;
} track;

typedef struct watch {
    const char *name;
    bool json;
    double tick, start, busy, next; /* busy: seconds in which the process worked, and did not wait for input */
    double cpu;
    track own, library;
} watch;

static bool is_same_work(const count *x, const count *y) {
    return x->what == y->what && x->total == y->total && x->done >= y->done;
}

static void follow(track *t, count c, double now) {
    t->moves = is_same_work(&c, &t->now) && c.done > t->now.done;
    if (!is_same_work(&c, &t->first)) {
        t->first = c;
        t->first_at = now;
    }
    t->now = c;
}

static double seconds_left(const track *t, double now) {
    double steps = (double)(t->now.done - t->first.done);
    if (t->now.total < t->now.done || steps <= 0) return -1;
    return (double)(t->now.total - t->now.done) / steps * (now - t->first_at);
}

static void look(watch *w) {
    double now = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (cpu - w->cpu > w->tick / 20) w->busy += w->tick;
    w->cpu = cpu;
    follow(&w->own, own_count(), now);
    follow(&w->library, library_count(), now);
    if (w->busy < w->next || now - atomic_load(&drawn_at) < NEXT) return;
    const track *t = !w->own.moves && (w->library.moves || !*w->own.now.what) ? &w->library : &w->own;
    count c = t->now;
    double left = seconds_left(t, now);
    if (t == &w->library && !t->moves) c.what = "", left = -1; /* it is at something that nobody counts */
    if (c.is_limit && left > FAR) left = -1;
    w->next = w->busy + (w->busy > 10 * NEXT ? w->busy / 10 : NEXT);
    (w->json ? print_json : print_line)(w->name, now - w->start, &c, left);
}

static void *beat(void *context) {
    watch *w = context;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    pthread_mutex_lock(&pulse.lock);
    while (!pulse.ends) {
        double t = (double)until.tv_nsec / 1e9 + w->tick;
        until.tv_sec += (time_t)t;
        until.tv_nsec = (long)((t - (double)(time_t)t) * 1e9);
        while (!pulse.ends && !pthread_cond_timedwait(&pulse.wake, &pulse.lock, &until)) continue;
        if (!pulse.ends) look(w);
    }
    pthread_mutex_unlock(&pulse.lock);
    free(w);
    return NULL;
}

static double first_line_after(void) {
    const char *given = getenv("TEMPER_PROGRESS");
    double seconds;
    return given && decimal_read(&seconds, given) ? seconds : FIRST;
}

void heartbeat_start(const session *s, const char *name) {
    double first = first_line_after();
    watch *w = s->quiet || first <= 0 ? NULL : calloc(1, sizeof *w);
    pthread_condattr_t by;
    sigset_t all, old;
    if (!w) return;
    *w = (watch){.name = name, .json = s->json, .tick = first < 4 ? first / 4 : 1, .next = first};
    w->start = seconds_of(CLOCK_MONOTONIC);
    w->cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    follow(&w->own, own_count(), w->start);
    follow(&w->library, library_count(), w->start);
    pulse.ends = false;
    pthread_condattr_init(&by);
    pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
    pthread_cond_init(&pulse.wake, &by);
    pthread_condattr_destroy(&by);
    sigfillset(&all); /* signals are the main thread's */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pulse.runs = pthread_create(&pulse.thread, NULL, beat, w) == 0; /* without a thread nothing is said */
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!pulse.runs) free(w);
}

void heartbeat_stop(void) {
    if (!pulse.runs) return;
    pthread_mutex_lock(&pulse.lock);
    pulse.ends = true;
    pthread_cond_signal(&pulse.wake);
    pthread_mutex_unlock(&pulse.lock);
    pthread_join(pulse.thread, NULL);
    pthread_cond_destroy(&pulse.wake);
    pulse.runs = false;
}
