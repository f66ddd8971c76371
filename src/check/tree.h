/* Many strings of a length at once: the tree of their prefixes, walked in the order of the strings, one step of every
   side at a node. For formulas and models that look back only. What looks forward only has the tree of suffixes,
   mirrored: letters are prepended, and the answers are the same as if the strings had come in their order. The length
   is fixed during a walk, since scales depend on it, so every length has a walk of its own: about two steps a
   string. */
#ifndef CHECK_TREE_H
#define CHECK_TREE_H

#include "logic/formula.h"
#include "model/model.h"

enum { SIDE_FORMULA, SIDE_HARD, SIDE_SOFT, SIDES };

/* What one side says of a string. */
typedef struct answers {
    bool present;
    int accept;           /* of acceptors */
    unsigned char *truth; /* [outputs][n] */
    unsigned char *start; /* [outputs] before the first letter, of models that are no acceptors; 0 where unknown */
} answers;

/* What is compared. Letters and outputs have the numbers that the model gives them. */
typedef struct check_sides {
    const temper_spec *spec; /* NULL: none */
    const temper_model *model;
    const uint32_t *spec_letter; /* [letters] as the formula numbers them */
    const uint32_t *spec_output; /* [outputs] likewise */
    /* Letters that no side tells apart; numbered by their first letters, which stand for them where all strings are
       walked. The digits of a walk are classes, and behind them all letters. */
    size_t classes;
    const uint32_t *class_of; /* [letters] */
    const uint32_t *letter;   /* [classes + letters] of a digit */
} check_sides;

typedef struct tree tree;

/* NULL if the model and the formula do not both look back only, or both forward only. `longest` is the largest length
   that will be walked. */
tree *tree_new(arena *a, const check_sides *c, size_t longest);
bool tree_is_mirrored(const tree *t);

typedef enum tree_outcome {
    TREE_AGREED,
    TREE_DIFFERS,
    TREE_STOPPED, /* by report */
    TREE_BROKEN   /* the model is not what its heads' roles promise: nothing was found out */
} tree_outcome;

/* Some strings of length n: those whose first (mirrored: last) `depth` letters are, read as a number in the order of
   the strings, first ... first + count - 1. */
typedef struct tree_part {
    size_t n, depth;
    uint64_t first, count;
} tree_part;

/* Told now and then how many more strings are done; true to stop. */
typedef bool tree_report(void *context, uint64_t more);

/* TREE_AGREED: *margin is the largest error before rounding. TREE_DIFFERS: word is the first in the order of the
   strings on which two sides differ, and *margin is its own. */
tree_outcome tree_walk(tree *t, const tree_part *part, uint32_t *word, double *margin, tree_report *report,
                       void *context);

/* What each side that is present says of one string, by the same steps. */
void tree_ask(tree *t, answers sides[SIDES], const uint32_t *word, size_t n);

#endif
