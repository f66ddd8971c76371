/* Deterministic automata over classes of letters. Every automaton here is complete: each state has a successor for
   each class. Letters that no state tells apart share a class, so 95 printable letters are often fewer than ten
   columns. */
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

/* Memory for an automaton of this size; start is 0, accepts are 0, next and class_of are not set. */
dfa *dfa_new(arena *a, uint32_t states, uint32_t classes, uint32_t letters);

dfa *dfa_copy(arena *a, const dfa *d);

/* [states] From which of them something is accepted. */
unsigned char *dfa_alive(arena *a, const dfa *d);

/* The state after a word, and whether it is accepted. */
uint32_t dfa_run(const dfa *d, const uint32_t *word, size_t n);
static inline bool dfa_accepts(const dfa *d, const uint32_t *word, size_t n) {
    return d->accepts[dfa_run(d, word, n)];
}

/* The minimal automaton of the same language. Classes with equal columns are merged, and numbered by their first
   letters; states are numbered in the order of the least words that reach them (shorter first, then by letters). So
   two automata over the same letters have the same language iff their minimal ones are equal in every field. */
dfa *dfa_minimise(arena *a, const dfa *d);
bool dfa_equal(const dfa *x, const dfa *y);

/* Whether two automata over the same letters accept the same words; if not, *word (in a) is the shortest word that
   one accepts and the other does not, the least of those by letters. */
bool dfa_same_language(uint32_t **word, size_t *n, const dfa *x, const dfa *y, arena *a);

/* The least letter of each class; classes that have none get UINT32_MAX. */
uint32_t *dfa_class_letters(const dfa *d, arena *a);

/* Classes of letters that neither of two arrays tells apart, numbered by their first letters; *count of them. */
uint32_t *classes_join(uint32_t *count, const uint32_t *x, const uint32_t *y, uint32_t letters, arena *a);

#endif
