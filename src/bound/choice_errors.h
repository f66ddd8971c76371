/* The error recursion of doc/certificate.md 8.3 to 8.6: from the facts about the hard model to how far the computed one can be from it, layer by
   layer, at one length, for a number format. */
#ifndef BOUND_CHOICE_ERRORS_H
#define BOUND_CHOICE_ERRORS_H

#include "bound/choice_terms.h"
#include "bound/choice_facts.h"
#include "bound/choice_tie_break.h"

typedef struct recursion {
    const temper_model *m;
    const hard_facts *f;
    rounding_rules rules;
    bool ascending;
    tie_break *ties;      /* [heads] */
    ball *share, *error;  /* [heads]: D and the largest e_o, of the length */
    ball *logit, *off;    /* [heads]: the largest logit, and what a difference of two can be off by */
    ball *answer;         /* the read-out's error */
    const ball *channels; /* [channels] the errors after the last layer; until the next length */
    arena *keep, *scratch;
    /* where a number can get too large for the format: layer from 1 (0: the embedding) and head from 1 (0: none) */
    bool too_large;
    uint32_t layer, head;
} recursion;

/* False: weights that are not finite in the storage format, or too near its ends to keep their proportions. */
bool recursion_begin(recursion *r, const hard_facts *f, const number_type *type, bool ascending, arena *keep,
                     arena *scratch);

/* One length; too_large or share, error and answer are set. */
void recursion_run(recursion *r, size_t n);

#endif
