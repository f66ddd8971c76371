/* Files that the program carries with it: the scripts of completions/, the texts of examples/. */
#ifndef CLI_TEXT_FILES_H
#define CLI_TEXT_FILES_H

#include <stddef.h>

typedef struct text_file {
    const char *name; /* without its folder */
    const unsigned char *bytes;
    size_t size;
} text_file;

extern const text_file text_files[];
extern const size_t text_file_count;

const text_file *text_file_find(const char *name); /* or NULL */

#endif
