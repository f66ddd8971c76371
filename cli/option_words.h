/* What an option means for one command, where that differs from the line of the table. */
#ifndef CLI_OPTION_WORDS_H
#define CLI_OPTION_WORDS_H

#include "options.h"

typedef struct option_text {
    const char *argument; /* NULL: a flag */
    const char *fallback; /* "": none */
    const char *help;
} option_text;

/* For the command with this bit; FOR_ALL gives the line of the table. */
option_text option_text_for(option_id id, int command_bit);

#endif
