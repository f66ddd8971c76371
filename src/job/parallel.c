/* A few threads for parts that do not depend on each other. Parts are handed out by a counter; which thread does
   which part does not change any result. */
#include <pthread.h>
#include <stdatomic.h>

#include "job/parallel.h"
#include "number/rational.h"

typedef struct work {
    atomic_size_t next;
    size_t parts;
    void (*job)(void *, size_t);
    void *context;
} work;

static void *worker(void *p) {
    work *w = p;
    for (;;) {
        size_t part = atomic_fetch_add(&w->next, 1);
        if (part >= w->parts) return NULL;
        w->job(w->context, part);
    }
}

/* A thread that was started here. */
static void *other_worker(void *p) {
    worker(p);
    rational_thread_end();
    return NULL;
}

void run_parallel(unsigned threads, size_t parts, void (*job)(void *context, size_t part), void *context) {
    enum { MOST = 64 };
    work w = {.parts = parts, .job = job, .context = context};
    pthread_t others[MOST];
    unsigned started = 0;
    atomic_init(&w.next, 0);
    if (threads > MOST) threads = MOST;
    if (threads > parts) threads = (unsigned)parts;
    while (started + 1 < threads && pthread_create(&others[started], NULL, other_worker, &w) == 0) started++;
    worker(&w); /* a thread that could not be started is no error: the rest do its parts */
    for (unsigned k = 0; k < started; k++) pthread_join(others[k], NULL);
}
