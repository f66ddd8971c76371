/* The formula of an automaton: several constructions are compiled, and the one with the fewest layers, then heads, is
   taken (doc/automata.md, "The portfolio"). */
#ifndef COMPILE_PORTFOLIO_H
#define COMPILE_PORTFOLIO_H

#include "compile/cascade.h"

typedef enum automaton_route {
    ROUTE_CASCADE, /* the levels of the skeleton */
    ROUTE_ORDERED, /* one since per state, where no word leads back to a state that was left */
    ROUTE_COUNTS   /* the state is how many letters of a set there were */
} automaton_route;

typedef struct formula_size {
    uint32_t layers;
    size_t heads, units;
} formula_size;

typedef struct portfolio_choice {
    automaton_route route;
    bool reverse; /* the formula looks forward and is read at the first position: for whole strings only */
    cascade_options options;
    formula_size size;
    cascade_report report;
} portfolio_choice;

/* Layers, heads and units of the transformer that a formula becomes. */
formula_size formula_measure(const formula *f, node_id root, size_t letters, arena *scratch);

/* The formula of an automaton, as cascade_from_dfa; backwards is the minimal automaton of the reversed strings, or
   NULL where the formula must hold at every prefix; letters are for words in reports, or NULL. 0: refused, and the
   report says why. scratch is reset. */
node_id portfolio_expand(formula *f, const dfa *d, const dfa *backwards, const alphabet *letters,
                         portfolio_choice *choice, arena *a, arena *scratch);

/* One construction, or 0 if it does not apply. */
node_id portfolio_make(formula *f, const dfa *d, automaton_route route, cascade_options options,
                       cascade_report *report, arena *a);

/* compile/cascade_ordered.c, compile/cascade_counts.c: 0 if the automaton is not of their kind */
node_id ordered_from_dfa(formula *f, const dfa *d, bool future, cascade_report *report, arena *a);
node_id counts_from_dfa(formula *f, const dfa *d, bool future, cascade_report *report, arena *a);

#endif
