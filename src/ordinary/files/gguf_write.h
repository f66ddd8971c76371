/* An ordinary model as one GGUF file (version 3): what llama.cpp, Ollama and LM Studio load. Equal models give equal
   bytes. */
#ifndef ORDINARY_FILES_GGUF_WRITE_H
#define ORDINARY_FILES_GGUF_WRITE_H

#include "ordinary/files/ordinary_tokens.h"

enum { GGUF_ALIGNMENT = 32 };

/* `name` is general.name. Raises TEMPER_LIMIT, before anything is made, beyond 2 GiB, and where a weight does not fit
   into f16. */
void gguf_print(text *out, const struct ordinary_model *m, const ordinary_tokens *tokens, const char *name,
                bool as_f16);

#endif
