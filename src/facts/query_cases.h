/* Rows whose keys depend on the position only and whose query takes few values, as in a look-up by a count. Every
   value of the query is tried, with exact integer scores. This tells which keys can win, by how much, and whether
   they tie (doc/certificate.md, "Facts about the hard model", rule 3).

   Three ways find the same. Keys of few kinds: each kind is tried once. Keys that bend one way, like (2j, -j^2):
   the winner of one value is found from that of the value before, and who comes next stands beside it. Else all
   keys. */
#ifndef FACTS_QUERY_CASES_H
#define FACTS_QUERY_CASES_H

#include "facts/set_column.h"

enum {
    CASE_DIMENSIONS = 16,
    CASE_LIMIT = 4096,   /* values of the query */
    CASE_LINE = 1 << 16, /* where only one of its components varies */
    CASE_KINDS = 16,
    WINS_ALONE = 1,
    WINS_TIED = 2
};

typedef struct query_cases {
    size_t dims, size;
    bool usable; /* all keys are constants that fit */
    bool prefix; /* rows have keys 0, 1, 2, ...: kinds count from there */
    size_t capacity;
    int64_t *keys[CASE_DIMENSIONS];   /* [N] in units */
    int64_t largest[CASE_DIMENSIONS]; /* of their sizes */
    int64_t asked[CASE_DIMENSIONS];   /* the largest component of a query that was tried */
    rational *unit;                   /* of keys */
    rational *t;                      /* [3] */
    /* keys of few kinds */
    bool few;
    size_t kind_count, kind_first[CASE_KINDS]; /* the first key of each */
    unsigned char *kind_of;                    /* [N] */
    size_t joined[CASE_KINDS];                 /* how many keys of the row there are of each */
    /* keys that bend one way */
    bool bends;
    int turns; /* +-1: the first components rise or fall */
    size_t at; /* the last winner */
    /* the present row: */
    int64_t firsts[CASE_DIMENSIONS], steps[CASE_DIMENSIONS], values[CASE_DIMENSIONS];
    size_t counts[CASE_DIMENSIONS];
    int64_t *scores;     /* [N] */
    unsigned char *wins; /* [N] */
    /* its winners, by kind (WINS_...) or ascending */
    bool by_kind;
    unsigned char kind_wins[CASE_KINDS];
    size_t *alone, *tied, alone_count, tied_count; /* [N] */
    double tried;                                  /* scores, of all rows so far */
} query_cases;

typedef struct case_result {
    bool differs, tieless;
    int64_t gap; /* if two scores ever differ */
} case_result;

void query_cases_init(query_cases *c, size_t dims, bool prefix, rational_pool *pool);

/* Keys [dims] of the present length. Whether the rule may apply to other rows than at the length before. */
bool query_cases_update(query_cases *c, const set_column *keys, const column_room *r);

/* Row with keys first..end-1 and query [dims]. False: too many values, or too large numbers. Otherwise *gap (0: no
   two scores ever differ), *tieless and the winners are filled. */
bool query_cases_row(query_cases *c, bool *tieless, rational *gap, const spread *const *query, size_t first,
                     size_t end, const spread_work *w);

/* query_bends.c: key j is measured, or all have to be again. */
void query_cases_look(query_cases *c, size_t j);
/* The values of the query that prepare has read, by kinds, or where keys bend; false: not this way. */
bool query_cases_by_kind(query_cases *c, case_result *out);
bool query_cases_by_bend(query_cases *c, case_result *out, size_t first, size_t end);

/* The next combination of values, the first dimension that varies changing fastest; false: that was the last. */
bool query_cases_next(query_cases *c);

#endif
