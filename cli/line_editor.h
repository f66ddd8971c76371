/* A line from a terminal: with editing and history if there is a library for that when the program runs. */
#ifndef CLI_LINE_EDITOR_H
#define CLI_LINE_EDITOR_H

#include <stddef.h>

typedef struct line_editor {
    void *library; /* NULL: none was found */
    char *(*read)(const char *prompt);
    void (*remember)(const char *line);
} line_editor;

/* What may stand at the beginning of a line, with Tab: candidate k, or NULL behind the last. */
typedef const char *editor_candidate(size_t k);

void editor_open(line_editor *out, editor_candidate *candidate);
/* The next line without its end, freed with free; NULL at the end of input. It joins the history. */
char *editor_line(const line_editor *e, const char *prompt);

#endif
