/* Weights of letters, as a weighted automaton: the table of a line `probabilities` (doc/sequence.md,
   "Probabilities"). */
#ifndef COMPILE_LETTER_ODDS_H
#define COMPILE_LETTER_ODDS_H

#include "logic/formula.h"
#include "number/rational.h"

typedef struct odds_move {
    uint32_t from, letter, to; /* letter: the number of letters for the end, and `to` is then not looked at */
    const rational *weight;    /* >= 0 */
} odds_move;

typedef struct letter_odds {
    uint32_t state_count, start;
    odds_move *moves;
    size_t move_count, move_capacity;
    bool has_memory; /* more than one state */
} letter_odds;

/* Reads what the specification says; without a table all weights are 1. Places in messages are those of the table.
   TEMPER_SYNTAX: no table of weights; TEMPER_RANGE: a letter or state that is not there. Numbers are of the pool,
   the rest in a. */
void letter_odds_read(letter_odds *out, const temper_spec *s, rational_pool *pool, arena *a);

#endif
