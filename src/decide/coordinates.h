/* A formula that looks one way, against an automaton: does it hold exactly where the automaton accepts what was
   read so far? A pair is what the formula remembers (its temporal coordinates) and a state of the automaton. All
   pairs that can be met are gone through, on each class of letters. */
#ifndef DECIDE_COORDINATES_H
#define DECIDE_COORDINATES_H

#include "automata/dfa.h"
#include "decide/formula_dfa.h"
#include "decide/machine.h"

/* Pairs are numbered in the order of the least words that reach them; pair 0 is before any letter. */
typedef struct coordinate_table {
    uint32_t coordinate_count;
    const node_id *nodes; /* [coordinate_count] what each coordinate belongs to; machine.h says what it remembers */
    uint32_t class_count; /* of letters that neither formula nor automaton tells apart */
    const uint32_t *class_of;
    uint32_t pair_count;
    slot *values;         /* [pair_count][coordinate_count] */
    uint32_t *states;     /* [pair_count] of the automaton */
    uint32_t *next;       /* [pair_count][class_count] */
    unsigned char *holds; /* [pair_count][class_count] the formula at the letter; as accepts[states[next]] */
} coordinate_table;

typedef struct coordinates_answer {
    bool same; /* then the table is there; else: */
    coordinate_table table;
    uint32_t *word; /* a shortest string at whose last (mirrored: first) letter the two differ, */
    size_t n;
    bool formula_holds; /* and what the formula says there */
} coordinates_answer;

/* root must look back only; mirrored: forward only, and the automaton then reads from the last letter to the first.
   The automaton has names->count letters. All in a. TEMPER_UNSUPPORTED: an operator that looks the other way, or a
   comparison without a finite automaton; TEMPER_LIMIT: more pairs or work than the limits (NULL: those of
   formula_dfa.h). */
void coordinates_decide(coordinates_answer *out, arena *a, const formula *f, node_id root, const alphabet *names,
                        const dfa *d, bool mirrored, const decide_limits *limits);

#endif
