/* Parts of one piece of work on several threads. */
#ifndef JOB_PARALLEL_H
#define JOB_PARALLEL_H

#include <stddef.h>

/* job(context, part) for every part below `parts`, on up to `threads` threads; returns when all are done. */
void run_parallel(unsigned threads, size_t parts, void (*job)(void *context, size_t part), void *context);

#endif
