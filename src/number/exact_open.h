/* Makes FLINT ready before the first exact number. */
#ifndef NUMBER_EXACT_OPEN_H
#define NUMBER_EXACT_OPEN_H

#include <stdbool.h>
#include <stddef.h>

/* In the library FLINT is linked, so there is nothing to do (exact_open.c). The program `temper` loads it here, the
   first time (cli/lazy/flint_open.c). From any thread, any number of times. If it fails, *why says so: a text that
   stays as it is until the thread calls this again. */
bool exact_open(const char **why);

/* Whether it was opened, so that there can be numbers. */
bool exact_is_open(void);

#endif
