/* A string as repeated words: (bc)^341 b. Adversarial strings are long and regular, so this is short; any string can
   be written so. */
#ifndef LIMITS_WORD_RUNS_H
#define LIMITS_WORD_RUNS_H

#include "base/alphabet.h"
#include "base/text.h"

enum { RUN_WORD = 8 };

typedef struct word_run {
    uint32_t word[RUN_WORD];
    uint32_t length; /* of the word */
    size_t count;    /* how often */
} word_run;

/* In arena a; returns how many. */
size_t word_runs_of(word_run **out, const uint32_t *letters, size_t n, arena *a);

/* The string again, of n letters. */
uint32_t *word_runs_expand(const word_run *runs, size_t count, size_t n, arena *a);

/* For people, at most about `most` bytes: words one after another, with exponents. */
const char *word_runs_text(const word_run *runs, size_t count, const alphabet *letters, size_t most, arena *a);

#endif
