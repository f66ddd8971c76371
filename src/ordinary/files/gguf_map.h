/* What llama.cpp's unigram tokenizer makes of a text before it looks for tokens: tokenizer.ggml.precompiled_charsmap.
   From where it stands it takes the longest piece that the map knows and writes another text for it; where it knows
   none it copies one character. Here the map knows

       blanks between words: they become one kind of blank;
       U+2581, which would be taken for a blank: it becomes U+FFFD, which is no letter;
       where the specification has a line `other`, every character, or every word, that is no letter: it becomes that
       letter. Words are known whole. */
#ifndef ORDINARY_FILES_GGUF_MAP_H
#define ORDINARY_FILES_GGUF_MAP_H

#include "base/text.h"
#include "model/letter_clients.h"

/* `other`: what unknown characters, or words, become; NULL: nothing, they stay unknown. Raises TEMPER_LIMIT. */
void gguf_map_print(text *out, const letter_list *letters, const char *other);

#endif
