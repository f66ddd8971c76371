/* Equality of two finite-state specifications for strings of every length. */
#ifndef DECIDE_SAME_LANGUAGE_H
#define DECIDE_SAME_LANGUAGE_H

#include "automata/dfa.h"
#include "decide/formula_dfa.h"

typedef struct language_answer {
    bool same;
    const char **letters; /* of both, those of the left one first */
    uint32_t letter_count;
    const dfa *left, *right; /* minimal, over all these letters */
    uint32_t *word;          /* not the same: the least of the shortest differences */
    size_t n;
    bool in_left; /* the left one accepts it, else the right one does */
} language_answer;

/* As temper_spec_compare says; all in a. */
void specs_compare(language_answer *out, arena *a, const temper_spec *left, const temper_spec *right,
                   const decide_limits *limits);

/* An automaton with its letters renumbered: number[k] is what letter k becomes. Letters below `letters` that are no
   letter's number lead to a state that rejects for ever. */
dfa *dfa_with_letters(arena *a, const dfa *d, const uint32_t *number, uint32_t letters);

#endif
