/* The strings a command is asked about, one after the other: arguments, and lines of standard input for "-"; or
   the lines of a file. input.h says what a line is; an empty one is the empty string. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include "input.h"

enum { LINE_LIMIT = 64 << 20 }; /* bytes of a line that are kept */

typedef struct line {
    const char *bytes;
    size_t length;
    size_t number;     /* which argument or which line, from 1 */
    const char *input; /* what it is a line of, for messages; NULL: an argument */
    const char *cut;   /* not NULL: bytes holds only the beginning of the line, and why */
} line;

typedef struct lines {
    session *session;
    size_t next, first;       /* arguments */
    bool in_input, has_input; /* lines are read at this moment, or at some time */
    size_t line_number;
    char *line;
    size_t capacity;
    size_t asked; /* how often there was a next one */
    input from;
} lines;

/* The strings are the arguments from number `first` on; false and a message if there are none. */
bool lines_start(lines *in, session *s, size_t first);

/* The strings are the lines of a file, or of standard input if the path is "-"; false after a message. */
bool lines_of_file(lines *in, session *s, const char *path);

bool lines_next(line *out, lines *in); /* false at the end or after a read error, which was reported */
void lines_stop(lines *in);

/* Another line of standard input is here already, without waiting for more. */
bool lines_ready(const lines *in);

/* "string 3", "standard input" or the path. */
const char *line_origin(char out[40], const line *l);

#endif
