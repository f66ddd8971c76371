/* The formulas of an automaton: several constructions are compiled, and the one with the fewest layers, then heads,
   is taken (doc/automata.md, "The choice"). */
#ifndef COMPILE_REGULAR_CHOOSE_H
#define COMPILE_REGULAR_CHOOSE_H

#include "compile/cascade.h"

typedef enum automaton_route {
    ROUTE_CASCADE, /* the levels of the skeleton */
    ROUTE_ORDERED, /* one since per state, where no word leads back to a state that was left */
    ROUTE_COUNTS,  /* the state is how many letters of a set there were */
    ROUTE_WORDS    /* a node for few of the states, and words from there to the others */
} automaton_route;

typedef struct formula_size {
    uint32_t layers;
    size_t heads, units;
} formula_size;

typedef struct regular_choice {
    automaton_route route;
    bool reverse; /* the formula looks forward and is read at the first position: for whole strings only */
    cascade_options options;
    formula_size size;
    cascade_report report;
} regular_choice;

/* Layers, heads and units of the transformer that computes several formulas. */
formula_size formulas_measure(const formula *f, const node_id *roots, size_t count, size_t letters, arena *scratch);

/* Few layers, but none that takes more heads than this to save. */
enum { HEADS_FOR_A_LAYER = 16 };

static inline bool size_is_smaller(formula_size x, formula_size y) {
    size_t a = HEADS_FOR_A_LAYER * (size_t)x.layers + x.heads, b = HEADS_FOR_A_LAYER * (size_t)y.layers + y.heads;
    if (a != b) return a < b;
    if (x.layers != y.layers) return x.layers < y.layers;
    return x.units < y.units;
}

/* The formulas of an automaton's sets of states, as cascade_from_dfa. backwards: the minimal automaton of the
   reversed strings of the only set; NULL: formulas must hold at every prefix. d: NULL only where the formula must
   hold for every suffix. options: letters for words in reports, or NULL, and which limits hold. False: refused,
   and the report says why. scratch is reset. */
bool regular_choose(node_id *roots, formula *f, const dfa *d, state_sets sets, const dfa *backwards,
                    cascade_options options, regular_choice *choice, arena *a, arena *scratch);

/* One construction; false if it does not apply. */
bool regular_make(node_id *roots, formula *f, const dfa *d, state_sets sets, automaton_route route,
                  cascade_options options, cascade_report *report, arena *a);

/* compile/cascade_ordered.c, cascade_counts.c, cascade_words.c: false if the automaton is not of their kind */
bool ordered_from_dfa(node_id *roots, formula *f, const dfa *d, state_sets sets, cascade_options options,
                      cascade_report *report, arena *a);
bool counts_from_dfa(node_id *roots, formula *f, const dfa *d, state_sets sets, bool future, cascade_report *report,
                     arena *a);
bool words_from_dfa(node_id *roots, formula *f, const dfa *d, state_sets sets, cascade_options options,
                    cascade_report *report, arena *a);

#endif
