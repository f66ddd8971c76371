/* Shortest words between states of an automaton. Words are of classes of letters. */
#ifndef AUTOMATA_DFA_WORDS_H
#define AUTOMATA_DFA_WORDS_H

#include "automata/dfa.h"

typedef struct word_part {
    uint32_t *word;
    size_t length;
    bool power; /* in a family of words (classify.h): as often as n says */
} word_part;

word_part word_of_letter(uint32_t class, arena *a);
word_part words_joined(word_part x, word_part y, arena *a);

/* The shortest word (of classes) from one state to another, at least `least` letters (0 or 1) long; false: none. */
bool dfa_path(word_part *out, const dfa *d, uint32_t from, uint32_t to, size_t least, arena *a);

/* The shortest word that is accepted from one of two states and not from the other; *first: from p. False: there is
   none. */
bool dfa_tell_apart(word_part *out, bool *first, const dfa *d, uint32_t p, uint32_t q, arena *a);

/* The shortest word of one letter or more that leads both of two states back to themselves; false: none. */
bool dfa_pair_loop(word_part *out, const dfa *d, uint32_t p, uint32_t q, arena *a);

#endif
