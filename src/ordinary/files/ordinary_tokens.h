/* The vocabulary of an ordinary model as tokenizers want it. Letters are single characters, or words of several; the
   names of the three tokens that are no letters must not be readable as letters. */
#ifndef ORDINARY_FILES_TOKENS_H
#define ORDINARY_FILES_TOKENS_H

#include "base/text.h"
#include "ordinary/files/ordinary_model.h"

typedef struct ordinary_tokens {
    uint32_t count;
    const char **names; /* [count]; of letters the letters, of others names that no string of letters spells */
    bool has_words;     /* then blanks separate letters */
} ordinary_tokens;

/* Names of the three, in brackets where letters spell them. No file says another one: it could be in a string. */
#define ORDINARY_BOS_NAME  "<s>"
#define ORDINARY_EOS_NAME  "</s>"
#define ORDINARY_DEAD_NAME "<dead>"

static inline uint32_t ordinary_dead(const ordinary_tokens *t) { return t->count - 1; }
static inline bool ordinary_is_letter(const ordinary_tokens *t, uint32_t k) {
    return k >= ORDINARY_LETTERS && k < ordinary_dead(t);
}

/* Raises TEMPER_UNSUPPORTED if two tokens have one name. */
ordinary_tokens *ordinary_tokens_make(const struct ordinary_model *m, arena *a);

#endif
