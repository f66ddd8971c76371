/* config.json and tokenizer.json of an ordinary model's Hugging Face folder: writers write these bytes, readers ask
   for them, since every field may change what is computed. */
#ifndef ORDINARY_FILES_TEXTS_H
#define ORDINARY_FILES_TEXTS_H

#include "ordinary/files/ordinary_tokens.h"
#include "model/tokenizer_files.h"

void ordinary_config_print(text *out, const struct ordinary_model *m);

/* What tokenizer.json and tokenizer_config.json say. */
tokenizer_facts ordinary_tokenizer(const struct ordinary_model *m, const ordinary_tokens *t);

#endif
