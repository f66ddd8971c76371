/* Names of tokens that are no letters, for vocabularies and tokenizers: these look for such names in a text before
   they look for letters. */
#ifndef MODEL_TOKEN_NAMES_H
#define MODEL_TOKEN_NAMES_H

#include "base/arena.h"

/* The name, or the name in brackets such that no letter contains it and no letters of one character spell it. */
const char *token_name(arena *a, const char *const *letters, size_t count, const char *name);

/* How many characters of UTF-8; bytes that are none count as one each. */
size_t token_character_count(const char *letter);

#endif
