/* Messages on standard error: where, what, the source line with a caret, a hint. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "session.h"

/* Where a message points: `name` of the source or NULL, a line number or 0, and the text of that line with the
   column (in characters from 1; 0: no caret), or NULL. */
typedef struct place {
    const char *name;
    size_t line, column;
    const char *bytes;
    size_t length;
} place;

/* Prints a message and notes the exit code. `at` and `hint` may be NULL. */
void message_print(session *s, int exit_code, const place *at, const char *text, const char *hint);

/* An error of the library; `name`, `text`, `length`: the source that err->line counts in, or NULL. */
void message_error(session *s, const temper_error *err, const char *name, const char *text, size_t length);

/* A wrong command line, exit code 2; printf for the text. */
void message_usage(session *s, const char *hint, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A warning changes no exit code. */
void message_warning(session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Standard output so far; false once it is broken, and the reason is kept for the end. */
bool output_flush(session *s);
bool output_is_fine(session *s);

int exit_code_of(temper_status status);

/* Whether a call did what it was asked for, where a failure needs no message but for one: a lack of memory is
   remembered, since what is printed then lacks something. The program ends with a message and its exit code. */
bool is_done(temper_status status);
bool memory_was_short(void);

#endif
