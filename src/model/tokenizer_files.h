/* tokenizer.json and tokenizer_config.json, for tokenizers, transformers and transformers.js: of both kinds of
   exported folders. */
#ifndef MODEL_TOKENIZER_FILES_H
#define MODEL_TOKENIZER_FILES_H

#include "base/text.h"

enum { TOKENIZER_NONE = UINT32_MAX };

typedef struct tokenizer_facts {
    uint32_t count;           /* ids */
    const char *const *names; /* [count]; NULL: the id has no token */
    uint32_t before, after;   /* around every string; TOKENIZER_NONE: nothing */
    uint32_t end, pad;        /* what strings end with and are padded with; TOKENIZER_NONE: there is none */
    uint32_t unknown;         /* what is no letter becomes */
    uint32_t dead;            /* no string has it, but models may answer it; TOKENIZER_NONE: there is none */
    bool unknown_is_letter;   /* ... one of them */
    bool has_words;           /* blanks separate letters; else every character is one */
    size_t length;            /* most tokens of a string; 0: there is no maximum */
} tokenizer_facts;

void tokenizer_print(text *out, const tokenizer_facts *t);
void tokenizer_config_print(text *out, const tokenizer_facts *t);

#endif
