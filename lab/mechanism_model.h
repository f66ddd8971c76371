/* Compiled models with a mechanism in the place of softmax: a plain forward pass in doubles in which the row of every
   head goes through mechanism_output. Heads keep their queries, keys and values. What they may choose for the
   mechanism is what a compiled model could: scale and shift by the length of the string, and, for counts and
   comparisons, a constant by the row's number of keys, for which models have features. */
#ifndef LAB_MECHANISM_MODEL_H
#define LAB_MECHANISM_MODEL_H

#include "lab/mechanism_search.h"
#include "model/model.h"

typedef struct model_maps {
    score_map once, since; /* of scores 0 and 1; of N for candidates plus the position */
    double scale, others;  /* compare: the sentinel has scale 2N y + level, the other keys have `others` */
    double *level;         /* [keys + 1] where the sentinel has half the weight */
    double *uniform;       /* [keys + 1] the one score of all keys of a count */
} model_maps;

typedef struct model_case { /* strings of one length with their answers */
    const temper_model *model;
    size_t n, count;
    const uint32_t *letters; /* [count][n] */
    const bool *truth;       /* [count] */
    arena *memory;           /* reset for every string */
} model_case;

/* The answer at the last letter of string k. A mechanism without an output (NaN) answers no. The room's scratch is
   reset. */
bool mechanism_model_answer(const model_case *c, size_t k, const mechanism *m, const model_maps *maps,
                            const search_room *room);

/* The keys of the first head of a role, when string k runs with softmax at the maps: [positions][*size], *size >= 1.
   NULL if there is none. */
double *mechanism_model_keys(size_t *size, const model_case *c, size_t k, head_role role, const model_maps *maps,
                             const search_room *room, arena *a);

/* Whether some maps make the model, which has heads of this kind beside counts, right on all strings. *maps are they;
   its arrays are the caller's, and the search begins with the scales that are there, if any. Rows must fit into the
   room. */
bool mechanism_model_works(model_maps *maps, const model_case *c, const mechanism *m, head_kind kind,
                           const search_room *room);

#endif
