/* What may have been meant by words of other tools. */
#ifndef LOGIC_WORD_HINT_H
#define LOGIC_WORD_HINT_H

#include "base/arena.h"

/* How a word of other tools is written here, in any case, as a hint, or NULL. */
const char *word_elsewhere(arena *scratch, const char *word);

#endif
