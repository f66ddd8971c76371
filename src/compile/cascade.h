/* Automata to formulas (doc/automata.md): the cascade of an automaton's skeleton, level by level, as nodes of a
   formula that looks back only (or, for the automaton of the reversed language, forward only). */
#ifndef COMPILE_CASCADE_H
#define COMPILE_CASCADE_H

#include "automata/chains.h"
#include "logic/formula.h"

typedef struct cascade_options {
    bool future; /* the automaton reads strings from their end; the formula is read at the first position */
    chain_options chains;
    size_t term_limit;       /* conjunctions; 0: CASCADE_TERM_LIMIT */
    const alphabet *letters; /* for words in messages; NULL: no words */
} cascade_options;

/* What one level became. */
typedef struct cascade_level {
    uint32_t values;      /* tiles */
    uint32_t group_order; /* 1: none */
    const char *group;    /* its name */
    const char *why;      /* with letters: a word that leads states round, "ab: 0 > 2 > 0"; else NULL */
} cascade_level;

typedef struct cascade_report {
    uint32_t level_count;
    cascade_level *levels;
    size_t term_count;    /* conjunctions that were made */
    uint32_t live_states; /* without those that no letter leaves */
    const char *refusal;  /* why there is no formula: one sentence, in the arena; NULL: there is one */
} cascade_report;

enum { CASCADE_TERM_LIMIT = 20000 }; /* conjunctions of one automaton's formula */

/* A node that holds at i iff the automaton accepts the prefix up to i (in the future: the suffix from i, read
   backwards). 0: refused, and the report says why. Results in f; the report and all else in arena a. */
node_id cascade_from_dfa(formula *f, const dfa *d, cascade_options options, cascade_report *report, arena *a);

/* The states that are neither: no letter leaves `dead`, which rejects, and `win`, which accepts. UINT32_MAX: none. */
void dfa_sinks(uint32_t *dead, uint32_t *win, const dfa *d);

#endif
