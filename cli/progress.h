/* A progress bar on standard error, drawn only on a terminal and at most ten times a second; elsewhere heartbeat.h
   writes a line now and then. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    const char *what, *unit; /* "soften", "strings" */
    bool shown, visible;
    int64_t last; /* milliseconds */
} progress;

/* Counts strings, unless p->unit is then set to something else. */
void progress_start(progress *p, const char *what, bool shown);
/* For the options of the library: the context is the progress; never stops. */
int progress_step(void *context, uint64_t done, uint64_t total);
void progress_clear(progress *p);

#endif
