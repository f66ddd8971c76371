#include "text_files.h"

#include <string.h>

const text_file *text_file_find(const char *name) {
    for (size_t k = 0; k < text_file_count; k++)
        if (strcmp(text_files[k].name, name) == 0) return &text_files[k];
    return NULL;
}
