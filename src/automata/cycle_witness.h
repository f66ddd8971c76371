/* Why a language needs counters: words that permute a set of states, in which the powers of a word never come to
   rest. */
#ifndef AUTOMATA_CYCLE_WITNESS_H
#define AUTOMATA_CYCLE_WITNESS_H

#include "automata/group.h"
#include "automata/skeleton.h"
#include "base/alphabet.h"

typedef struct class_word {
    uint32_t *classes; /* letter classes */
    size_t length;
} class_word;

/* A word whose powers lead states round: states[0] to states[1] to ... to states[0]. */
typedef struct cycle_witness {
    class_word word;
    uint32_t *states;
    uint32_t state_count; /* at least 2 */
} cycle_witness;

/* The shortest such word among the generators of the component's group; its tiles are permuted. */
void cycle_find(cycle_witness *out, const skeleton *s, uint32_t component, arena *a);

/* Words that generate the permutations of the component's tiles, the shortest first, each with elements that those
   before it lack. Returns how many; stops at `most`. */
size_t generating_words(class_word *out, size_t most, const skeleton *s, uint32_t component, arena *a);

/* "abba": the least letter of each class, quoted and escaped; with tokens words with blanks between them. */
const char *class_word_text(const class_word *w, const dfa *d, const alphabet *letters, arena *a);

/* "{0, 1, 2}" */
const char *state_set_text(const skeleton *s, uint32_t set, arena *a);

#endif
