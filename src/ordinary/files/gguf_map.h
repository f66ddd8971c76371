/* What llama.cpp's unigram tokenizer makes of a text before it looks for tokens: tokenizer.ggml.precompiled_charsmap.
   From where it stands it takes the longest piece that the map knows and writes another text for it; where it knows
   none it copies one character. Here the map knows

       blanks between words, which become one kind of blank; U+2581, which would be taken for a blank, and becomes
       U+FFFD, which is no letter;
       where the specification has a line `other`: every character that is no letter, or every word that is none, and
       words whole; what is unknown becomes that letter. */
#ifndef ORDINARY_FILES_GGUF_MAP_H
#define ORDINARY_FILES_GGUF_MAP_H

#include "base/text.h"
#include "model/letter_clients.h"

/* `other`: what unknown characters, or words, become; NULL: nothing, they stay unknown. Raises TEMPER_LIMIT. */
void gguf_map_print(text *out, const letter_list *letters, const char *other);

#endif
