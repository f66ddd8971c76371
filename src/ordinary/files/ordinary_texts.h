/* config.json and tokenizer.json of a stock model's Hugging Face folder: writers write these bytes, readers ask for
   them, since every field may change what is computed. */
#ifndef ORDINARY_FILES_TEXTS_H
#define ORDINARY_FILES_TEXTS_H

#include "ordinary/files/ordinary_tokens.h"
#include "model/tokenizer_files.h"

void stock_config_print(text *out, const struct stock_model *m);

/* What tokenizer.json and tokenizer_config.json say. */
tokenizer_facts stock_tokenizer(const struct stock_model *m, const stock_tokens *t);

#endif
