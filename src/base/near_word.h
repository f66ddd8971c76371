/* How far a word is from another, for "did you mean". */
#ifndef BASE_NEAR_WORD_H
#define BASE_NEAR_WORD_H

#include <stddef.h>

enum { WORD_LONGEST = 32 };

/* Changes, insertions, deletions of a byte and exchanges of neighbours that make x, of m bytes, into y, of n; both at
   most WORD_LONGEST. */
size_t word_distance(const char *x, size_t m, const char *y, size_t n);

#endif
