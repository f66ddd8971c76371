/* Sums of exclusive conjunctions, from choice diagrams: what the conditions of a cascade are made of. */
#ifndef COMPILE_CASCADE_TERMS_H
#define COMPILE_CASCADE_TERMS_H

#include "compile/cascade.h"

/* A conjunction of nodes, sorted; TRUE if there are none. */
typedef struct term {
    node_id *literals;
    size_t count;
} term;

typedef struct term_list {
    term *terms;
    size_t count, capacity;
} term_list;

typedef struct emitter emitter;

struct emitter {
    formula *f;
    const dfa *d;
    arena *arena;
    formula_op yesterday, since, once, count;
    const chains *c;
    node_id **values; /* [level][value] holds before the letter iff the coordinate is this; 0: "none of the others" */
    size_t term_count, term_limit;
    bool over;                                               /* there were more terms than the limit */
    node_id (*letters)(emitter *e, const uint64_t *classes); /* what letters_node does instead; NULL: as it says */
    void *context;
};

emitter emitter_for(formula *f, const dfa *d, bool future, arena *a);

/* The letters of a set of classes (bits), as a node; 0 if they are all letters. */
node_id letters_node(emitter *e, const uint64_t *classes);

/* For each option the conjunctions of coordinates and letters under which a diagram has it; options that are not
   `wanted` get none. */
term_list *terms_of(emitter *e, const choice_diagrams *d, const choice_id *roots, uint32_t option_count,
                    uint32_t (*option_of)(const void *context, choice_id leaf), const void *context);

node_id term_node(emitter *e, const term *t);
node_id terms_node(emitter *e, const term_list *l);
void terms_add(emitter *e, term_list *l, const term *t);
void terms_join(emitter *e, term_list *l, const term_list *more);
term term_and(emitter *e, const term *x, const node_id *literals, size_t count);

node_id not_node(emitter *e, node_id x);

/* compile/cascade.c: at[q] holds before a letter iff the state is q, for q below `count`; no letter is taken that
   leads to the state `never`. False: refused. */
bool cascade_states(emitter *e, node_id *at, uint32_t count, uint32_t never, cascade_options options);

#endif
