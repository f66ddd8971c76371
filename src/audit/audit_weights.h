/* The line `probabilities` of a source as the auditor reads it, and the machine of language and weights
   (doc/certificate.md, "Probabilities"). The compiler has code of its own. */
#ifndef AUDIT_AUDIT_WEIGHTS_H
#define AUDIT_AUDIT_WEIGHTS_H

#include "audit/audit_regex.h"
#include "logic/formula.h"
#include "number/rational.h"

typedef struct weight_arc {
    uint32_t from, letter, to; /* letter: the number of letters for the end */
    const rational *weight;
} weight_arc;

typedef struct weight_table {
    uint32_t states, start;
    weight_arc *arcs;
    size_t count, capacity;
} weight_table;

/* Raises TEMPER_RANGE for what it does not understand. */
weight_table *weight_table_read(const temper_spec *source, rational_pool *pool, arena *a);

/* Weights of what is legal, divided by their sum; all 0 if that is 0. */
void weights_to_chances(rational *weights, size_t count, rational_pool *pool);

/* After each word: what comes with which probability. */
typedef struct chance_machine {
    automaton moves;         /* a class for each letter; accepts is not set */
    uint32_t *score;         /* [states] equal iff the probabilities are; numbered by the least words */
    const rational **scores; /* [score_count][letters + 1] */
    uint32_t score_count;
} chance_machine;

/* language: the least automaton; alive: its states from which something is accepted. Raises TEMPER_RANGE where
   everything that is legal has the weight 0, TEMPER_LIMIT if there are more states than are audited. */
chance_machine *chance_machine_make(const automaton *language, const unsigned char *alive, size_t letters,
                                    const weight_table *w, rational_pool *pool, arena *a);

#endif
