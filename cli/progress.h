/* A progress bar on standard error, drawn only on a terminal and at most ten times a second. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    const char *what;
    bool shown, visible;
    int64_t last; /* milliseconds */
} progress;

void progress_start(progress *p, const char *what, bool shown);
/* For temper_check_options: the context is the progress; never stops. */
int progress_step(void *context, uint64_t done, uint64_t total);
void progress_clear(progress *p);

#endif
