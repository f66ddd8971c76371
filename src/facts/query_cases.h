/* Rows whose keys depend on the position only and whose query takes few values, as of a look-up by a count: every
   value of the query is tried, with exact integer scores, so that it is known which keys can win, by how much, and
   whether they tie. */
#ifndef FACTS_QUERY_CASES_H
#define FACTS_QUERY_CASES_H

#include "model/model.h"
#include "facts/lattice.h"

enum { WINS_ALONE = 1, WINS_TIED = 2 };

typedef struct query_cases {
    size_t size, dims;
    bool usable;      /* all keys are constants that fit */
    int64_t *keys;    /* [dims][N] in units */
    int64_t *largest; /* [dims] of their sizes */
    rational *unit;   /* of keys */
    /* work for one row */
    rational *t;                      /* [3] */
    int64_t *firsts, *steps, *values; /* [dims] */
    size_t *counts;                   /* [dims] */
    int64_t *scores;                  /* [N] */
    unsigned char *wins;              /* [N]: how the last row's keys can win */
} query_cases;

typedef struct case_result {
    bool uniform, tieless; /* for every value of the query */
} case_result;

/* Keys [N][dims]. */
void query_cases_init(query_cases *c, const spread *keys, size_t size, size_t dims, rational_pool *pool);

/* Row with keys first..end-1 and query [dims]. False: too many values, or too large numbers. Otherwise *gap (0: no
   two scores ever differ) and `wins` are filled. */
bool query_cases_row(query_cases *c, case_result *out, rational *gap, const spread *query, size_t first, size_t end,
                     const spread_work *w);

#endif
