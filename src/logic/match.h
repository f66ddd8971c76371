/* MATCH: attention whose candidates are the positions with the pattern of i. A pattern is a list of conditions; j is
   a candidate if each holds at j iff its partner holds at i. See doc/language.md, "Attention". */
#ifndef LOGIC_MATCH_H
#define LOGIC_MATCH_H

#include "logic/formula.h"

enum {
    MATCH_CONDITIONS = 63, /* of one pattern, at most */
    MATCH_CLASSES = 4096   /* patterns that are told apart, at most */
};

static inline size_t match_conditions(const formula_node *n) { return (n->kid_count - 2) / 2; }

/* The node with its meaning in other operators: for each pattern, "i has it, and the value at the chosen j that has
   it". conditions[2 k] is looked at at j, conditions[2 k + 1] at i. Without conditions at i it is an ATTEND. Raises
   TEMPER_LIMIT, naming the place, where there are too many patterns. */
node_id match_make(formula *f, temper_choice choice, temper_mask mask, const node_id *conditions, size_t count,
                   node_id value, size_t line, size_t column);

/* Conditions for "the letter at j is the letter at i": one for each bit of the letter's number. Letters count from
   1, so that none is 0. `steps` has TRUE where the letter stands below Y and X, as in Y true. Writes two for each
   bit, and returns how many bits there are. */
size_t match_letters(formula *f, size_t letters, node_id steps_there, node_id steps_here, node_id *out);

/* Of LETTERS nodes: that no letter is in both, and the letters of either. */
bool letters_exclude(formula *f, node_id x, node_id y);
node_id letters_join(formula *f, node_id x, node_id y);

/* Truth at all positions from those of conditions and value. */
void match_eval(unsigned char *out, const formula_node *n, const unsigned char *const *there,
                const unsigned char *const *here, const unsigned char *value, size_t length, arena *scratch);

#endif
