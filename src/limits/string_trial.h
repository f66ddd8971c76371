/* One string at a time: run in a number format, compared with what the answers ought to be, and paid for out of a
   budget. Costs are estimated from lengths and not measured, so that the same search finds the same strings
   everywhere. */
#ifndef LIMITS_STRING_TRIAL_H
#define LIMITS_STRING_TRIAL_H

#include "limits/adversary.h"
#include "limits/answer_key.h"
#include "number/number_type.h"

typedef struct trial {
    const temper_model *m;
    temper_type type_id;
    const number_type *type;
    answer_key *key;
    const job_watch *watch;      /* NULL: nobody is told */
    arena *a, *stream, *scratch; /* what lasts; of one run */
    double spent, budget, unreported;
    bool stopped; /* the watch said so */
    /* costs of a run, for lengths that were not run yet */
    double letter_cost, pair_cost; /* nanoseconds a letter; a pair of positions, learned */
    double all_pairs;              /* a pair of positions where a plan does not hold, */
    size_t unplanned;              /* from this length on, learned */
    size_t skipped;                /* strings that were not run, since that would have cost more than is left */
    double bytes;                  /* a letter */
    uint32_t *word;                /* room for the string under test */
    unsigned char *truth;          /* and its right answers */
    size_t room;
    bool found;
    wrong_answer best; /* the shortest found, and the lengths that were tried */
    bool expected;     /* the right answer at its position */
    size_t best_room;
} trial;

/* An arena that is freed with a. */
arena *trial_arena(arena *a);

/* All in arena a; raises TEMPER_RANGE for a type without rounding. */
void trial_start(trial *t, const temper_model *m, temper_type type, const adversary_options *o, arena *a);

/* Room in word and truth for strings of n letters. */
void trial_make_room(trial *t, size_t n);

double trial_cost(const trial *t, size_t n);                      /* of a run and its right answers */
bool trial_is_affordable(const trial *t, size_t n, double share); /* by memory, and as a part of the budget */
void trial_spend(trial *t, double cost);
static inline bool trial_has_budget(const trial *t, double share) {
    return !t->stopped && t->spent < share * t->budget;
}

/* Whether an answer is wrong, or there is none; the shortest such string is kept. *margin: the largest error before
   rounding of the heads that mean a Boolean. A string that turns out to cost too much is skipped: nothing is wrong
   with it, and its length does not count as tried. */
bool trial_is_wrong(trial *t, double *margin, const uint32_t *letters, size_t n);

#endif
