#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <time.h>

#include "heartbeat.h"

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void progress_start(progress *p, const char *what, bool shown) {
    *p = (progress){.what = what, .unit = "strings", .shown = shown};
    p->last = now(); /* what is done in a moment needs no bar */
    heartbeat_count(what);
}

int progress_step(void *context, uint64_t done, uint64_t total) {
    enum { WIDTH = 30 };
    progress *p = context;
    heartbeat_at(p->unit, done, total);
    int64_t time = p->shown ? now() : 0;
    if (!p->shown || time - p->last < 100) return 0;
    p->last = time;
    p->visible = true;
    double part = total ? (double)done / (double)total : 1;
    int full = (int)(part * WIDTH);
    char bar[WIDTH + 1];
    for (int k = 0; k < WIDTH; k++) bar[k] = k < full ? '#' : '.';
    bar[WIDTH] = 0;
    fprintf(stderr, "\r%-12s [%s] %3d%%  %llu of %llu %s\033[K", p->what, bar, (int)(part * 100),
            (unsigned long long)done, (unsigned long long)total, p->unit);
    fflush(stderr);
    heartbeat_drawn();
    return 0;
}

void progress_clear(progress *p) {
    heartbeat_count(NULL);
    if (!p->visible) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->visible = false;
}
