/* A mechanism in the place of a hard choice: the rows that compiled heads produce, given to the mechanism after an
   affine map of the scores that is as good for it as the search finds, and the length up to which its decisions are
   right.

   A compiled head may choose its scale b and a constant c by length, so scores are b (s - anchor) + c: the anchor
   puts the top, the bottom or the middle of the scores at 0, c is 0 or one of a few values that some formula asks
   for. Everything else is the mechanism's own: parameters are its defaults, its output is multiplied by its fixed
   gain. */
#ifndef LAB_MECHANISM_SEARCH_H
#define LAB_MECHANISM_SEARCH_H

#include "lab/mechanism.h"

typedef enum head_kind {
    HEAD_ONCE,    /* scores 1 (candidates) and 0; right: at least 3/4 of the output on them */
    HEAD_SINCE,   /* n for candidates plus the position: the nearest candidate's value */
    HEAD_COUNT,   /* all scores equal: the mean of the values to less than 1/(2n) */
    HEAD_COMPARE, /* one sentinel with +-1 ... +-2n, the others 0: its weight is 1 or 0 */
    HEAD_KINDS
} head_kind;

extern const char *const head_kind_names[HEAD_KINDS];

/* How scores are mapped. */
typedef struct score_map {
    double scale, anchor, offset;
} score_map;

/* The row as the mechanism takes it: q and k whose score it is, the same row for all queries, two equal maps.
   `ceiling` is the largest score that a row of this kind can have: SOFT, whose query is a key, has it at distance 0,
   and the last key is the query itself. */
attention_row mechanism_row(const mechanism *m, const double *scores, size_t n, double ceiling, arena *scratch);

/* The row of a comparison: score x on the first key, `others` on the rest. Feature maps see x through the query. */
attention_row mechanism_sentinel_row(const mechanism *m, double x, double others, double ceiling, size_t n,
                                     arena *scratch);

double score_mapped(score_map map, double s);

/* Calls try(map) for every map worth trying, for scores between floor and ceiling in rows of n keys, until it says
   true. */
typedef bool map_trial(const score_map *map, void *context);
bool mechanism_try_maps(score_map *found, const mechanism *m, double floor, double ceiling, size_t n, map_trial *try,
                        void *context);
/* Scales from the least up; k = 0, 1, ...; 0: there are no more. */
double mechanism_scale_step(const mechanism *m, int k);

/* Memory for the trials: rows up to a length, and an arena that is reset for every row. */
typedef struct search_room {
    double *raw, *values; /* [longest] */
    size_t longest;
    arena *scratch;
} search_room;

/* The x at which the first key has half the output, if there is one. */
double mechanism_half_level(const mechanism *m, double others, size_t n, const search_room *room);

/* Whether one row of n^2 or more work makes lengths beyond some hundreds too slow. */
bool mechanism_is_costly(const mechanism *m);

/* Whether every adversarial row of length n is decided rightly with some map; *map is it (and where the search
   starts, if scale > 0). */
bool mechanism_works(score_map *map, const mechanism *m, head_kind kind, size_t n, const search_room *room);

/* The largest of the lengths such that it and all before it work; 0: none. *map: at that length. */
size_t mechanism_reach(score_map *map, const mechanism *m, head_kind kind, const size_t *lengths, size_t count,
                       const search_room *room);

/* For one key with score 1 among n with 0: the smallest scale at which both leak and gain error are at most e, over
   all maps; infinite if there is none up to 2^30. */
double mechanism_least_scale(score_map *map, const mechanism *m, size_t n, double e, arena *scratch);

/* Leak and gain error of that row under a map. */
void mechanism_row_errors(double *leak, double *gain_error, const mechanism *m, size_t n, score_map map,
                          arena *scratch);

#endif
