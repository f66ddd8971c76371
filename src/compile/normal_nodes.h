/* Makers of normal nodes (compile/normal_form.h), one per kind of operator. They fold constants, duplicates,
   complements and sets of letters. */
#ifndef COMPILE_NORMAL_NODES_H
#define COMPILE_NORMAL_NODES_H

#include "compile/exclusive.h"
#include "compile/normal_form.h"
#include "logic/core.h"

/* x so many positions before, or after. */
typedef struct step_chain {
    bool past;
    int64_t steps;
    node_id x;
} step_chain;

typedef struct normal_maker {
    formula *g;
    arena *arena;
    size_t letters;
    match_use use;
    exclusion related; /* of the nodes */
    table strict;      /* ORs that are the remainder of a count one position before */
    table chains;      /* nodes that are several steps -> chain */
    step_chain *chain;
    size_t chain_count, chain_capacity;
} normal_maker;

static inline formula_op normal_op(const normal_maker *m, node_id id) { return m->g->nodes[id].op; }

node_id normal_constant(normal_maker *m, bool value);
/* Of bits over the whole alphabet, in arena: the letters of a node of f, or all others. */
uint64_t *normal_letter_bits(normal_maker *m, const formula *f, node_id id, bool negated);
node_id normal_letters(normal_maker *m, uint64_t *bits);
node_id normal_not(normal_maker *m, node_id x);
node_id normal_gate(normal_maker *m, formula_op op, node_id *kids, size_t count); /* AND, OR; changes kids */
node_id normal_and(normal_maker *m, node_id x, node_id y);
node_id normal_or(normal_maker *m, node_id x, node_id y);
node_id normal_xor(normal_maker *m, node_id x, node_id y);
node_id normal_step(normal_maker *m, bool past, node_id x);
node_id normal_range(normal_maker *m, core c, node_id x);
node_id normal_binary(normal_maker *m, core c, node_id x, node_id y); /* SINCE */
node_id normal_exists(normal_maker *m, temper_mask mask, node_id x);
node_id normal_nearest(normal_maker *m, temper_choice choice, temper_mask mask, node_id where, node_id value);

/* Sums of counts of normal nodes; place is for messages. */
node_id normal_compare(normal_maker *m, const linear_sum *sum, compare_op op, const formula_note *place);
node_id normal_modulo(normal_maker *m, const linear_sum *sum, int64_t modulus, compare_op op, int64_t residue);

#endif
