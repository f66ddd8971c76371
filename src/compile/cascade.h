/* Automata to formulas (doc/automata.md): the cascade of an automaton's skeleton, level by level, as nodes of a
   formula that looks back only (or, for the automaton of the reversed language, forward only). */
#ifndef COMPILE_CASCADE_H
#define COMPILE_CASCADE_H

#include "automata/chains.h"
#include "logic/formula.h"

/* How far the states of a partial order may lie from the anchors they are seen from, and from how many places. */
typedef struct words_limits {
    uint32_t steps, places;
} words_limits;

typedef struct cascade_options {
    bool future; /* the automaton reads strings from their end; the formula is read at the first position */
    chain_options chains;
    words_limits words;
    size_t term_limit;       /* conjunctions; 0: CASCADE_TERM_LIMIT */
    bool raised;             /* limits that are not given are those of the effort (base/work.h) */
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
    bool impossible;      /* there is none, however long one works */
} cascade_report;

enum { CASCADE_TERM_LIMIT = 20000 }; /* conjunctions of one automaton's formula */

/* What is asked of the state that an automaton is in: several sets of states, each of which becomes a formula. */
typedef struct state_sets {
    const unsigned char *const *holds; /* [count][state_count] 0 or 1 */
    size_t count;
} state_sets;

/* roots[k] holds at i iff the state after the prefix up to i is in set k (in the future: after the suffix from i,
   read backwards). All share their levels, so one set more costs gates and no heads. False: refused, and the report
   says why. Results in f; the report and all else in arena a. */
bool cascade_from_dfa(node_id *roots, formula *f, const dfa *d, state_sets sets, cascade_options options,
                      cascade_report *report, arena *a);

/* No letter leaves `dead`, which is in no set, and `win`, which is in all of them. UINT32_MAX: none. */
void dfa_sinks(uint32_t *dead, uint32_t *win, const dfa *d, state_sets sets);

#endif
