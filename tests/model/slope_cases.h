/* Tie-breaks by the position, which add slope times j to every score, exactly (doc/certificate.md, "Errors of
   scores"): models that have one, and models in which it has one more writer, or is of another form. What prover and
   auditor find of each is the same. */
#ifndef TESTS_SLOPE_CASES_H
#define TESTS_SLOPE_CASES_H

#include "temper.h"
#include "test.h"

/* A model of three layers with two heads and two units each. Channel 3 is the query's, channel 4 the key's; one of
   the writers below writes `to` as well, first or last of its terms. */
typedef struct slope_shape {
    const char *query, *key; /* features */
    const char *query_row, *key_row;
    const char *choice;
    int writer; /* -1: none; then rows of the embedding, of heads, of units */
    bool ahead; /* the term stands before the others of its row */
    int to;
    temper_type type;
    size_t length;
} slope_shape;

/* What is said of the second head of layer 2; its tie-break is in the second dimension. */
typedef struct slope_answer {
    bool found;
    uint32_t dimension;
    double sigma, query;
} slope_answer;

typedef slope_answer slope_asker(const temper_model *m, const slope_shape *s);

/* Compares what `ask` says of all models with what is right. */
void slope_cases(slope_asker *ask);

#endif
