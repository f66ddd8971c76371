/* A finite-state language with weights, as one deterministic machine whose states know what may come and how likely
   it is. */
#ifndef COMPILE_WEIGHTED_MACHINE_H
#define COMPILE_WEIGHTED_MACHINE_H

#include "compile/letter_odds.h"

/* The logit of what never comes: exp of it is exactly 0, in f64 and in f32. */
#define LOGIT_NEVER (-1024.0)

typedef struct weighted_machine {
    dfa *d;          /* states are told apart by `state`, `row` and what follows; it accepts nothing */
    uint32_t *state; /* [states] of the language's automaton */
    uint32_t *row;   /* [states] */
    /* [row_count][letters + 1] probabilities, all different, in the order of the least words that lead to them; all 0
       where nothing is legal, and after what has probability 0. Numbers of the pool. */
    const rational **rows;
    uint32_t row_count;
} weighted_machine;

/* Weights of what is legal are divided by their sum, exactly. A nondeterministic automaton of weights is
   determinised. alive: as in next_outputs.c. TEMPER_LIMIT: too many states; TEMPER_RANGE: where something is legal,
   all its weights are 0. */
void weighted_machine_make(weighted_machine *out, const temper_spec *s, const dfa *d, const unsigned char *alive,
                           const letter_odds *w, rational_pool *pool, arena *a);

/* The probabilities where a set of outputs is legal, by weights without memory. False: all weights are 0, and so are
   they. */
bool letter_odds_chances(rational *chances, const bool *legal, size_t letters, const letter_odds *w,
                         rational_pool *pool);

/* Their logarithms, rounded; LOGIT_NEVER for 0. */
void chances_logits(double *logits, const rational *chances, size_t outputs);

#endif
