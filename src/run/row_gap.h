/* What an adaptive head divides its scale by. */
#ifndef RUN_ROW_GAP_H
#define RUN_ROW_GAP_H

#include "run/positions.h"

/* The best score of a row and the next different one. */
typedef struct row_gap {
    size_t best, next; /* keys; next is SIZE_MAX where no two scores differ */
    double gap;        /* between them */
} row_gap;

static inline row_gap row_gap_find(const double *scores, key_range keys) {
    row_gap g = {.best = keys.first, .next = SIZE_MAX};
    for (size_t j = keys.first + 1; j < keys.end; j++) {
        if (scores[j] > scores[g.best])
            g.next = g.best, g.best = j;
        else if (scores[j] < scores[g.best] && (g.next == SIZE_MAX || scores[j] > scores[g.next]))
            g.next = j;
    }
    if (g.next != SIZE_MAX) g.gap = scores[g.best] - scores[g.next];
    return g;
}

#endif
