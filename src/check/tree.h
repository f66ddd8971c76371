/* All strings of a length at once: the tree of their prefixes, walked in the order of the strings, one step of every side at a
   node. For formulas and models that look back only. What looks forward only has the tree of suffixes, mirrored: letters are
   prepended, and the answers are the same as if the strings had come in their order. The length is fixed during a walk, since
   scales depend on it, so every length has a walk of its own: about two steps a string. */
#ifndef CHECK_TREE_H
#define CHECK_TREE_H

#include "logic/formula.h"
#include "model/model.h"

enum { SIDE_FORMULA, SIDE_HARD, SIDE_SOFT, SIDES };

/* What one side says of a string. */
typedef struct answers {
    bool present;
    int accept;
    unsigned char *truth; /* [n] */
} answers;

typedef struct tree tree;

/* NULL if the model and the formula (NULL: there is none) do not both look back only, or both forward only.
   spec_letter[letter of the model] = letter of the formula; `longest` is the largest length that will be walked. */
tree *tree_new(arena *a, const temper_spec *spec, const temper_model *model, const uint32_t *spec_letter,
               size_t longest, unsigned threads);

typedef enum tree_outcome {
    TREE_AGREED,
    TREE_DIFFERS,
    TREE_STOPPED, /* by report */
    TREE_BROKEN   /* the model is not what its heads' roles promise: nothing was found out */
} tree_outcome;

/* Told now and then, by the calling thread, how many strings are done; true to stop. */
typedef bool tree_report(void *context, uint64_t done);

/* All strings of length n. TREE_DIFFERS: word is the first in order on which two sides differ. *strings: how many were compared,
   that one included; *margin is raised to the largest error before rounding. None of it depends on the threads,
   unless report stops a walk. */
tree_outcome tree_walk(tree *t, size_t n, uint32_t *word, uint64_t *strings, double *margin, tree_report *report,
                       void *context);

/* What each side that is present says of one string, by the same steps. */
void tree_ask(tree *t, answers sides[SIDES], const uint32_t *word, size_t n);

#endif
