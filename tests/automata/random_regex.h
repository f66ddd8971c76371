/* Random regular expressions: a tree, its text, and what it matches by its definition, without any automaton. */
#ifndef TESTS_RANDOM_REGEX_H
#define TESTS_RANDOM_REGEX_H

#include "base/alphabet.h"
#include "test.h"

enum { REGEX_LETTERS = 14, REGEX_LONGEST = 9 }; /* of the alphabet; the longest word that is asked about */

typedef struct random_regex random_regex;

/* Extended ones have & and ~; those with looks have look-around and assertions, and speak mostly of few letters: a
   word letter, another one and the newline. */
enum { REGEX_PLAIN, REGEX_EXTENDED, REGEX_LOOKS };
enum { REGEX_FEW = 3 };
extern const uint32_t regex_few[REGEX_FEW];

/* One for the whole program, made anew by every call. */
random_regex *regex_random(test_random *r, size_t budget, unsigned kind);
const char *regex_random_text(const random_regex *x);

/* at[k] = 1 iff the first k letters match; n + 1 of them. */
void regex_random_matches(unsigned char *at, const random_regex *x, const uint32_t *word, size_t n);

/* Letters of the alphabet; few different ones match oftener. */
size_t regex_random_word(uint32_t word[REGEX_LONGEST], test_random *r);

void regex_random_alphabet(alphabet *abc, arena *a);

#endif
