/* The sheet of inequalities (heads.sheet) as text, with a NUL byte behind it. scripts/embed.sh makes the array. */
#ifndef NUMBER_SHEET_TEXT_H
#define NUMBER_SHEET_TEXT_H

#include <stddef.h>

typedef struct sheet_file {
    const char *name;
    const unsigned char *bytes;
    size_t size; /* without the NUL byte */
} sheet_file;
extern const sheet_file sheet_files[];
extern const size_t sheet_file_count;

#endif
