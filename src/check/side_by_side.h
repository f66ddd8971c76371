/* Strings of a length where no tree helps, because something looks both ways: many of them side by side through the
   model's plans. The answers are those of asking about one string after the other. */
#ifndef CHECK_SIDE_BY_SIDE_H
#define CHECK_SIDE_BY_SIDE_H

#include "check/tree.h"

typedef struct abreast abreast;

/* NULL if the model's strings must be run one by one. Only abreast_ask uses several threads. */
abreast *abreast_new(arena *a, const check_sides *sides, unsigned threads);
void abreast_free(abreast *s); /* what is not in the arena; NULL is allowed */

/* As tree_walk, on `count` strings of length n from one number on, in the order of the strings; the margins are those
   of runs, bit for bit. TREE_BROKEN: some string must be run alone, or strings of this length. */
tree_outcome abreast_walk(abreast *s, size_t n, uint64_t first, uint64_t count, uint32_t *word, double *margin,
                          tree_report *report, void *context);

/* What came of one string. */
typedef struct abreast_answer {
    bool known; /* else it must be asked about alone */
    bool odd;   /* two sides differ */
    double margin;
} abreast_answer;

/* Any strings, word k of length n[k]; those of a length that is rare among them are left. */
void abreast_ask(abreast *s, abreast_answer *out, const uint32_t *const *words, const size_t *n, size_t count);

#endif
