/* The one reader of what people hand over as text: the bytes of standard input or of a file, and where its lines end.
   A line ends with LF or CR LF, also where CR is a letter; the last one may lack its end. Any other CR, a NUL and
   bytes that are not UTF-8 are part of the line. A byte-order mark at the very beginning is no part of it. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "message.h"

enum { INPUT_BUFFER = 1 << 16 };

typedef struct input {
    session *session;
    const char *name; /* for messages: "standard input", or the path */
    int fd;
    bool begun, ended;
    uint64_t size, read; /* bytes of a file, 0: of something else; how many of them were read */
    size_t at, filled;   /* the bytes not yet used */
    char buffer[INPUT_BUFFER];
} input;

/* The path "-" is standard input. False after a message; then nothing is open. */
bool input_open(input *in, session *s, const char *path);
void input_close(input *in);

/* More bytes behind those not yet used; false at the end, after a read error, which was reported, and if there is no
   room. Answers go out before we may have to wait. */
bool input_more(input *in);

/* The size of the end of a line at in->at: 2, 1, or 0 if none is here. After a CR it waits for one more byte. */
size_t input_line_end(input *in);

#endif
