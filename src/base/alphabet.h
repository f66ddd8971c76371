/* The letters of a language, numbered in order, and the way from text to letter numbers. */
#ifndef BASE_ALPHABET_H
#define BASE_ALPHABET_H

#include "base/table.h"
#include "base/text.h"

enum { ALPHABET_LIMIT = 65536 }; /* letters */

typedef struct alphabet {
    arena *arena;
    const char **letters; /* UTF-8, NUL-terminated, never empty, without NUL */
    size_t count, capacity;
    table index;
    uint32_t ascii[128]; /* the number of a letter that is one ASCII character; UINT32_MAX: no letter */
    bool tokens;         /* strings are split on blanks; else every character is a letter */
    uint32_t other;      /* what letters that are not in the alphabet are read as; UINT32_MAX: they are refused */
} alphabet;

void alphabet_init(alphabet *s, arena *a, bool tokens);

/* The number of a letter, adding it if it is new. */
uint32_t alphabet_add(alphabet *s, const char *letter, size_t length);

/* UINT32_MAX if absent. */
uint32_t alphabet_find(const alphabet *s, const char *letter, size_t length);

/* Whether a string can contain the letter at all: one character, or with tokens a word without blanks. */
bool alphabet_can_read(const alphabet *s, const char *letter);

/* The same letters in the same order, split in the same way. */
bool alphabet_same(const alphabet *a, const alphabet *b);

/* The letter that unknown ones are read as; NULL: they are refused. */
const char *alphabet_other(const alphabet *s);

void alphabet_copy(alphabet *to, arena *a, const alphabet *from);

/* Text to letter numbers; if there is no `other`, raises TEMPER_RANGE naming the first unknown letter and its
   position (counted in letters from 1, also in column). Returns memory of caller_alloc. */
uint32_t *alphabet_encode(size_t *n, const alphabet *s, const char *bytes, size_t length, arena *scratch);

/* The same as the whole of a public function. */
temper_status alphabet_encode_entry(uint32_t **letters, size_t *n, const alphabet *s, const char *bytes,
                                    size_t length, temper_error *err);

#endif
