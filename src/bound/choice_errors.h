/* The error recursion for hard choices, at one length and for a number format. From the facts about the hard model
   it finds, layer by layer, how far the computed one can be from it: doc/certificate.md, "Errors of sums", and
   what follows up to "When hard choices are proved". */
#ifndef BOUND_CHOICE_ERRORS_H
#define BOUND_CHOICE_ERRORS_H

#include "bound/choice_embedding.h"
#include "bound/choice_facts.h"
#include "bound/choice_sums.h"
#include "bound/choice_tie_break.h"

typedef struct at_length at_length;

typedef struct recursion {
    const temper_model *m;
    const hard_facts *f;
    const number_type *type;
    bool ascending;
    bool guess;           /* nothing is proved: results are about those of a proof (bound_terms.h); may be set after
                             recursion_begin */
    const double *scales; /* [heads] instead of the model's own; NULL: those; likewise */
    embedding_run *embed; /* of earlier recursions with this model and type; NULL: a new one; likewise */
    tie_break *ties;      /* [heads] */
    /* Of a proof, until the next length: */
    ball *share, *error; /* [heads]: D and the largest e_o, of the length */
    ball *logit, *off;   /* [heads]: the largest logit, and what a difference of two can be off by */
    ball *answer;        /* the read-out's error */
    ball *channels;      /* [channels] the errors after the last layer */
    at_length *at;       /* the length at work */
    arena *keep, *scratch;
    /* where a number can get too large for the format: layer from 1 (0: the embedding) and head from 1 (0: none) */
    bool too_large;
    uint32_t layer, head;
} recursion;

/* False: weights that are not finite in the storage format, or too near its ends to keep their proportions. */
bool recursion_begin(recursion *r, const hard_facts *f, const number_type *type, bool ascending, arena *keep,
                     arena *scratch);

/* One length; too_large or share, error, answer and channels are set. */
void recursion_run(recursion *r, size_t n);

/* The same step by step. `errors` [channels] are those of the channels to start with; NULL: those of the
   embedding. */
void recursion_start(recursion *r, size_t n, const double *errors);
void recursion_layer(recursion *r, uint32_t layer);
double recursion_channel(const recursion *r, uint32_t channel); /* its error, up */
void recursion_settle(recursion *r, uint32_t channel);          /* as if it were exact */
double recursion_answer(recursion *r);                          /* the read-out's error, up; after the last layer */

#endif
