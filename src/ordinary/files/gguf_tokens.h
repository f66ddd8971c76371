/* The vocabulary of an ordinary model as llama.cpp's unigram tokenizer wants it (doc/ordinary.md, "Text in
   llama.cpp"). Of all ways to cut a text it takes the one with the largest sum of scores, and a character that no
   token covers is the unknown token, which is <dead>. */
#ifndef ORDINARY_FILES_GGUF_TOKENS_H
#define ORDINARY_FILES_GGUF_TOKENS_H

#include "ordinary/files/ordinary_tokens.h"

typedef enum gguf_token_type { /* as in the format */
                               GGUF_TOKEN_NORMAL = 1,
                               GGUF_TOKEN_UNKNOWN = 2,
                               GGUF_TOKEN_CONTROL = 3
} gguf_token_type;

typedef struct gguf_tokens {
    uint32_t count;
    const char **texts; /* [count]; of words after U+2581, which stands for a blank */
    double *scores;     /* [count] 0 of letters, so that no other way to cut a text is as good as letters alone */
    gguf_token_type *types;
    text map; /* bytes: what characters, or words, become before anything else */
} gguf_tokens;

/* Raises `code` if llama.cpp cannot carry a letter, or a text that is written; TEMPER_LIMIT if the map is too
   large. */
gguf_tokens *gguf_tokens_make(const struct ordinary_model *m, const ordinary_tokens *t, temper_status code, arena *a);

/* The name of token k of `count` whose text this is; NULL: none has it. */
const char *gguf_token_name(const char *token_text, uint32_t k, uint32_t count, bool words, arena *a);

#endif
