/* Deterministic automata over classes of letters. Every automaton here is complete: each state has a successor for each
   class. Letters that no state tells apart share a class, so 95 printable letters are often fewer than ten columns. */
#ifndef AUTOMATA_DFA_H
#define AUTOMATA_DFA_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dfa {
    uint32_t state_count;   /* at least 1 */
    uint32_t class_count;   /* at least 1, unless there are no letters */
    uint32_t letter_count;  /* letters of the alphabet, numbered as in base/alphabet.h */
    uint32_t start;         /* the state before the first letter; 0 in a minimal automaton */
    uint32_t *next;         /* [state_count][class_count] */
    unsigned char *accepts; /* [state_count] 0 or 1 */
    uint32_t *class_of;     /* [letter_count] the class of a letter */
} dfa;

static inline uint32_t dfa_next(const dfa *d, uint32_t state, uint32_t class) {
    return d->next[(size_t)state * d->class_count + class];
}

#endif
