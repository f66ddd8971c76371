/* Automata that guess, put together from the parts of a regular expression: what the auditor's files about them
   share. */
#ifndef AUDIT_AUDIT_GUESSES_H
#define AUDIT_AUDIT_GUESSES_H

#include "audit/audit_regex.h"

#define NO_LETTER  UINT32_MAX  /* the label of an edge that reads nothing */
#define TEST_LABEL 0x80000000u /* + 2 * look: it reads nothing where the look holds; + 1: where it does not */

typedef struct edge {
    uint32_t label; /* a set of the expression, or set_count + a class, or NO_LETTER, or a test */
    uint32_t to;
    uint32_t next; /* of the same state, + 1; 0: the last */
} edge;

/* Guessing states. A part of the expression is a run of neighbours with one way in and one way out; nothing leaves
   the way out, and no edge leaves the run. */
typedef struct guesses {
    arena *arena;
    const audit_regex *p;
    uint32_t classes;
    const uint32_t *class_of;
    bool **in_set;   /* [sets][classes] */
    uint32_t *first; /* [states] edge + 1; 0: none */
    size_t count, capacity;
    edge *edges;
    size_t edge_count, edge_capacity;
    uint64_t work;
    /* what following all guesses needs of each state; one for all parts, of which there may be many */
    uint32_t *mark;          /* [room] the round in which it was met */
    uint32_t *found, *stack; /* [room] */
    size_t room;
    uint32_t round;
    /* look-around, inner ones first */
    struct guessed_look *looks;
    size_t look_count, look_capacity;
    table look_index; /* what it looks for, as numbers -> the look */
} guesses;

/* Something to look for, read from the position away from it if it is ahead: the edges are turned then. */
typedef struct guessed_look {
    guesses body;
    uint32_t from, to; /* its beginning, as it is read, and its end */
    bool behind;
} guessed_look;

typedef struct run {
    uint32_t low, in, out; /* from state low to the end of what there was then */
} run;

void guesses_spend(guesses *g, uint64_t steps);
uint32_t guesses_state(guesses *g);
void guesses_edge(guesses *g, uint32_t from, uint32_t label, uint32_t to);
void guesses_turn(guesses *g); /* all edges */
static inline bool guesses_reads(const guesses *g, uint32_t label, uint32_t class) {
    if (label >= g->p->set_count) return label - g->p->set_count == class;
    return g->in_set[label][class];
}
static inline bool guesses_is_test(uint32_t label) { return label >= TEST_LABEL && label != NO_LETTER; }

/* The run, which is the end of g, goes into an automaton of its own; *x is what it is there. */
void guesses_cut(guesses *out, guesses *g, run *x);

/* The run, which is the end of g, becomes something to look for, and a test for it takes its place. */
run guesses_look(guesses *g, run x, bool behind, bool negated);

/* Whether a run has tests. */
bool guesses_has_tests(const guesses *g, run x);
/* ~x, and x & y, of runs at the end of g of which one has tests. */
run guesses_tested_not(guesses *g, run x);
run guesses_tested_both(guesses *g, run x, run y);

/* An automaton that guesses without tests and accepts what `all` of g accepts; its states are g's with what looks
   see. Raises TEMPER_LIMIT if there are too many. */
guesses *guesses_without_looks(guesses *g, run *all);

/* Sets of states, a bit each. */
static inline size_t guesses_words(const guesses *g) { return (g->count + 63) / 64; }
static inline bool guesses_has(const uint64_t *set, uint32_t state) { return set[state / 64] >> (state % 64) & 1; }
void guesses_step(guesses *x, uint64_t *set, const uint64_t *before, uint32_t class);
/* Adds what is reached without a letter, where holds[look] says which looks hold. */
void guesses_close(guesses *x, uint64_t *set, const unsigned char *holds);

#endif
