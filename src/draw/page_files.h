/* The files of src/draw/page as bytes, with a NUL byte after each. scripts/embed.sh makes the array. */
#ifndef DRAW_PAGE_FILES_H
#define DRAW_PAGE_FILES_H

#include <stddef.h>

typedef struct page_file {
    const char *name;
    const unsigned char *bytes;
    size_t size; /* without the NUL byte */
} page_file;
extern const page_file page_files[];
extern const size_t page_file_count;

#endif
