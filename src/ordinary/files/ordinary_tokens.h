/* The vocabulary of a stock model as tokenizers want it. Letters are single characters, or words of several; the
   names of the three tokens that are no letters must not be readable as letters. */
#ifndef ORDINARY_FILES_TOKENS_H
#define ORDINARY_FILES_TOKENS_H

#include "base/text.h"
#include "ordinary/files/ordinary_model.h"

typedef struct stock_tokens {
    uint32_t count;
    const char **names; /* [count]; of letters the letters, of others names that no string of letters spells */
    bool has_words;     /* then blanks separate letters */
} stock_tokens;

/* Names of the three, in brackets where letters spell them. No file says another one: it could be in a string. */
#define STOCK_BOS_NAME  "<s>"
#define STOCK_EOS_NAME  "</s>"
#define STOCK_DEAD_NAME "<dead>"

enum { STOCK_BOS = 0, STOCK_EOS = 1, STOCK_LETTERS = 2 };

static inline uint32_t stock_dead(const stock_tokens *t) { return t->count - 1; }
static inline bool stock_is_letter(const stock_tokens *t, uint32_t k) {
    return k >= STOCK_LETTERS && k < stock_dead(t);
}

/* Raises TEMPER_UNSUPPORTED if two tokens have one name. */
stock_tokens *stock_tokens_make(const struct stock_model *m, arena *a);

#endif
