/* Nearest heads, length by length: the logits as a run in a short format makes them, and what the losers of a row may
   weigh together at most (doc/certificate.md, "Nearest": every length). */
#ifndef BOUND_EVERY_LENGTH_H
#define BOUND_EVERY_LENGTH_H

#include "bound/certification.h"
#include "recognise/recognised_model.h"

enum { EVERY_LENGTH_MOST = 4096 }; /* positions */

typedef struct every_length {
    const head_shape *shape;
    const number_type *type;
    bool has_end;
    uint64_t done;                                                    /* N up to this are known ... */
    bool failed;                                                      /* ... and the next one has no bound below 1 */
    double rest[EVERY_LENGTH_MOST + 1], logit[EVERY_LENGTH_MOST + 1]; /* [N] the largest up to N */
    double tiled[EVERY_LENGTH_MOST + 1];                              /* [N] in tiles, the largest up to N */
    const expression *const *query, *const *key;                      /* of the terms, row by row; NULL: a Boolean */
    size_t key_terms;
    const expression *scale;
    double *candidate, *other; /* [N] logits as candidate and as not; 0 where there are only candidates */
    double *winner, *loser;    /* [N] moved */
    double *best_before, *rest_of_others;
    bool in_tiles; /* weights are those of rows in tiles */
} every_length;

/* NULL: the head's rows are not such that this can be done. Lives in c's arena. */
every_length *every_length_begin(certification *c, const head_shape *s);

/* Bounds for all N <= size, size <= EVERY_LENGTH_MOST: false if a logit is not finite, or losers may weigh as much as
   a winner. Where size is more than a tile, rest is the bound for tiles, without T. Work goes on from the last
   call. */
bool every_length_bound(double *rest, double *logit, every_length *e, uint64_t size);

#endif
