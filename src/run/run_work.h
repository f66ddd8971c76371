/* What a run tells of its progress (base/work.h), for who watches a long one. Heads that look at all pairs count
   them; where a head knows its answers sooner, its pairs are done at its end. Short runs tell nothing: there may be
   millions of them, in many threads. */
#ifndef RUN_RUN_WORK_H
#define RUN_RUN_WORK_H

#include "base/work.h"
#include "model/model.h"
#include "run/positions.h"

typedef struct run_work {
    bool tells;
    uint64_t done; /* pairs of the heads before */
} run_work;

/* Pairs of a key and one of the rows first <= i < end. */
static inline uint64_t run_pairs(temper_mask mask, size_t first, size_t end, size_t size) {
    uint64_t pairs = 0;
    for (size_t i = first; i < end; i++) {
        key_range keys = mask_keys(mask, i, size);
        if (keys.first < keys.end) pairs += keys.end - keys.first;
    }
    return pairs;
}

/* A run of so many steps tells of them if they take about half a second or more. */
static inline void run_work_steps(run_work *w, double steps, double nanoseconds_each) {
    *w = (run_work){.tells = steps * nanoseconds_each >= 5e8};
    if (w->tells) work_count("running the string", (uint64_t)steps);
}

static inline void run_work_pairs(run_work *w, const temper_model *m, size_t size, double nanoseconds_each) {
    double pairs = 0, all = (double)size * (double)size;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            pairs += m->layers[l].heads[h].mask == TEMPER_MASK_ALL ? all : all / 2;
    run_work_steps(w, pairs, nanoseconds_each);
}

/* In any thread. */
static inline void run_work_rows(const run_work *w, temper_mask mask, size_t first, size_t end, size_t size) {
    if (w->tells) work_add(run_pairs(mask, first, end, size));
}

static inline void run_work_head(run_work *w, temper_mask mask, size_t size) {
    if (!w->tells) return;
    w->done += run_pairs(mask, 0, size, size);
    work_at(w->done);
}

#endif
