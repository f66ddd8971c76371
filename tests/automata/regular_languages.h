/* Regular languages of the literature, by expression or by generators of a permutation group. */
#ifndef TESTS_REGULAR_LANGUAGES_H
#define TESTS_REGULAR_LANGUAGES_H

#include "automata/dfa.h"

typedef struct regular_language {
    const char *name;
    const char *alphabet; /* "ascii": the 95 printable characters */
    const char *regex;    /* NULL: permutations */
    /* states 0 .. 9 in the order of images, one letter of the alphabet each: "10 12", state 0 starts and accepts */
    const char *permutations;
    const char *groups; /* of the cascade's levels, from the top; "": star-free; NULL: refused */
} regular_language;

size_t regular_count(void);
const regular_language *regular_at(size_t k);

/* Its minimal automaton. */
const dfa *regular_automaton(const regular_language *g, arena *a, arena *scratch);

#endif
