/* How many strings of each length an automaton accepts from each state, exactly; and one of them at random, each with
   the same probability. */
#ifndef SEQUENCE_STRING_COUNTS_H
#define SEQUENCE_STRING_COUNTS_H

#include "automata/dfa.h"
#include "number/rational.h"

typedef struct string_counts {
    const dfa *d;
    size_t length;
    rational_pool pool;
    rational *counts; /* [length + 1][states] strings of so many letters that lead from a state to one that accepts */
    rational *work;   /* [4] */
} string_counts;

/* For strings of exactly `length` letters. TEMPER_LIMIT: the table would take more memory than a gigabyte; it is
   costed first. */
void string_counts_make(string_counts *c, const dfa *d, size_t length, arena *a);

/* Whether there is a string of the length. */
bool string_counts_any(const string_counts *c);

/* word[length], drawn with random numbers from *seed. requires a string of the length */
void string_counts_draw(uint32_t *word, string_counts *c, uint64_t *seed);

#endif
