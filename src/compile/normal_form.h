/* The normal form that compile/ reads: a second graph with few kinds of nodes, where equal subformulas are one node.

       TRUE FALSE          only as a root, or as `where` of an ATTEND (TRUE)
       LETTERS             neither empty nor full
       FIRST LAST
       NOT x               x is not a NOT, a constant or LETTERS
       AND OR              at least two kids, no constants, no duplicates, no x with NOT x, at most one LETTERS,
                           kids not nested in the same operator unless they are shared
       XOR x y             neither is a NOT or a constant
       ATTEND              value implies where. choice AVERAGE: value = where, "there is such a j";
                           LEFTMOST, RIGHTMOST: the value at the chosen j
       MATCH              without its meaning; the nearest j under j < i, j <= i, j > i or j >= i; not all
                           conditions are constants at i
       COMPARE sum >= 0    weights without a common factor; kids COUNT_PAST, COUNT_FUTURE of normal nodes
       MODULO              compare is EQ or LE, residue in 0..modulus-1, weights and constant in 0..modulus-1

       AT                  counts of one direction, `true` among them; residue times n + 1 is added, which is 0 or
                           1; mask UP_TO: the position is never above i, FROM: never below i. Not i, i - 1, i + 1

   Once, since, yesterday and their relatives all become ATTEND; see the makers of normal_nodes.c, one per kind. */
#ifndef COMPILE_NORMAL_FORM_H
#define COMPILE_NORMAL_FORM_H

#include "logic/formula.h"

typedef struct normal_form {
    formula graph;
    node_id *roots; /* [root_count] of the outputs, then of the scores */
    size_t root_count;
    node_id *of; /* [source.count] the normal node of each source node; 0: not reachable, or merged into its parent */
} normal_form;

/* What heads that look for patterns are used for (doc/theory.md, "Match"). */
typedef struct match_use {
    bool match; /* MATCH nodes stay */
    bool steps; /* several steps are one; it tells positions apart by their remainders */
} match_use;

/* requires a specification without regular languages; all its outputs share one graph, which is in arena a. */
void formula_simplify(normal_form *out, const temper_spec *spec, match_use use, arena *a);

/* marks[id] = 1 for the nodes below the roots; [graph.count] entries, in arena a. */
unsigned char *normal_reachable(const normal_form *n, arena *a);

/* Of a normal form: conditions of a MATCH, whose value comes after them. */
static inline size_t normal_conditions(const formula_node *n) { return (n->kid_count - 1) / 2; }

/* A remainder of the position: (a i + b) mod m, = or <= r. It needs no head. */
static inline bool is_place_test(const formula *g, node_id id) {
    const formula_node *n = formula_at(g, id);
    return n->op == OP_MODULO && n->kid_count == 1 &&
           formula_at(g, formula_kid(g, formula_kid(g, id, 0), 0))->op == OP_TRUE;
}

#endif
