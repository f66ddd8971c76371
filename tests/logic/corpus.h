/* Fixed specifications: every operator alone and nested, published patterns, known languages, all three syntaxes. */
#ifndef TESTS_CORPUS_H
#define TESTS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "temper.h"

typedef struct corpus_entry {
    const char *name; /* unique; FAMILY/MEMBER */
    const char *text;
    const char *alphabet; /* NULL: as the text says */
    temper_at at;
    temper_syntax syntax;
    int tokens;
    temper_empty empty;
} corpus_entry;

size_t corpus_size(void);
const corpus_entry *corpus_at(size_t k);
const corpus_entry *corpus_find(const char *name); /* aborts if there is none */

/* Parses an entry; on failure prints it with the error and returns NULL. The caller frees the spec. */
temper_spec *corpus_parse(const corpus_entry *e);

/* The largest length L <= most such that the strings of lengths 0..L over this many letters are at most `budget`. */
size_t corpus_length(size_t letters, size_t budget, size_t most);

/* The next word of n letters in counting order; false after the last. Starts from all zeros. */
bool corpus_next_word(uint32_t *word, size_t n, size_t letters);

#endif
