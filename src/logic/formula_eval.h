/* Textbook semantics by linear-time recurrences: the oracle that everything is compared with. */
#ifndef LOGIC_FORMULA_EVAL_H
#define LOGIC_FORMULA_EVAL_H

#include "logic/formula.h"

/* truth[i-1] = 1 iff word, i |= root, for i = 1..n. Memory is O(live nodes * n); scratch is the caller's. */
void formula_eval(unsigned char *truth, const formula *f, node_id root, const uint32_t *word, size_t n,
                  arena *scratch);

/* The same for several roots, whose common parts are evaluated once: truth [count][n]. */
void formula_eval_roots(unsigned char *truth, const formula *f, const node_id *roots, size_t count,
                        const uint32_t *word, size_t n, arena *scratch);

/* The same for every node at once, n > 0: rows[id][i-1] for id <= root, NULL for counts and nodes that are not below
   root. Memory is O(nodes * n). */
const unsigned char *const *formula_eval_all(const formula *f, node_id root, const uint32_t *word, size_t n,
                                             arena *scratch);

#endif
