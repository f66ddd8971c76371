#include "bytes.h"

#include <stdlib.h>
#include <string.h>

bytes copy_of(const bytes *b, size_t room) {
    bytes c = {malloc(b->length + room + 1), b->length};
    memcpy(c.data, b->data, b->length);
    c.data[c.length] = 0;
    return c;
}

void splice(bytes *b, size_t at, size_t length, const char *with) {
    size_t size = strlen(with);
    char *data = malloc(b->length - length + size + 1);
    memcpy(data, b->data, at);
    memcpy(data + at, with, size);
    memcpy(data + at + size, b->data + at + length, b->length - at - length);
    b->length += size - length;
    data[b->length] = 0;
    free(b->data);
    b->data = data;
}
