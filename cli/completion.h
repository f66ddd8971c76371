/* What may be typed next on a command line, for the shells: one word a line, "FILES" alone where a file's name may stand. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "session.h"

/* The words after the program's name; the last one is being typed and may be empty. */
void completion_print(const session *s);

#endif
