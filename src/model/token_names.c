#include "model/token_names.h"

#include <string.h>

#include "base/table.h"
#include "base/text.h"

static size_t character_at(const char *bytes, size_t length) {
    uint32_t code;
    size_t size = utf8_decode(&code, bytes, length);
    return size ? size : 1;
}

size_t token_character_count(const char *letter) {
    size_t count = 0, length = strlen(letter);
    for (size_t at = 0; at < length; count++) at += character_at(letter + at, length - at);
    return count;
}

/* requires `known`: all letters */
static bool is_spelled(const table *known, const char *name) {
    size_t length = strlen(name);
    for (size_t at = 0; at < length;) {
        size_t size = character_at(name + at, length - at);
        if (!table_find(known, name + at, size)) return false;
        at += size;
    }
    return true;
}

static bool is_contained(const char *const *letters, size_t count, const char *name) {
    for (size_t k = 0; k < count; k++)
        if (strstr(letters[k], name)) return true;
    return false;
}

/* The longest run of the character in a letter. */
static size_t longest_run(const char *const *letters, size_t count, const char *character, size_t size) {
    size_t longest = 0;
    for (size_t k = 0; k < count; k++)
        for (const char *at = letters[k]; (at = strstr(at, character));) {
            size_t run = 0;
            for (; strncmp(at, character, size) == 0; at += size) run++;
            if (run > longest) longest = run;
        }
    return longest;
}

/* Brackets are characters from U+27E8 on, in pairs, of which the first is no letter; there are more of them than
   letters have together. */
const char *token_name(arena *a, const char *const *letters, size_t count, const char *name) {
    const uint32_t first = 0x27e8, surrogates = 0xd800, after = 0xe000;
    table known;
    bool fresh;
    char open[5] = {0}, close[4];
    table_init(&known, a);
    for (size_t k = 0; k < count; k++) table_put(&known, letters[k], strlen(letters[k]), 0, &fresh);
    if (!is_spelled(&known, name) && !is_contained(letters, count, name)) return name;
    uint32_t code = first;
    size_t size = utf8_encode(open, code);
    while (table_find(&known, open, size)) {
        code = code + 2 == surrogates ? after : code + 2;
        memset(open, 0, sizeof open);
        size = utf8_encode(open, code);
    }
    size_t depth = 1 + longest_run(letters, count, open, size), end = utf8_encode(close, code + 1);
    text t;
    text_init(&t, a);
    for (size_t k = 0; k < depth; k++) text_add(&t, open, size);
    text_puts(&t, name);
    for (size_t k = 0; k < depth; k++) text_add(&t, close, end);
    return text_string(&t);
}
