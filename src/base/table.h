/* A hash table from byte strings to 32-bit numbers, in an arena: names, letters, shared nodes. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include "base/arena.h"

typedef struct table_entry {
    const void *key; /* borrowed */
    uint32_t length, hash, value;
    bool used;
} table_entry;

typedef struct table {
    arena *arena;
    table_entry *entries;
    size_t capacity, count;
} table;

void table_init(table *t, arena *a);

/* NULL if absent. */
const uint32_t *table_find(const table *t, const void *key, size_t length);

/* The entry's value, made with `value` (and the key borrowed, not copied) if it was absent; *fresh says which. */
uint32_t *table_put(table *t, const void *key, size_t length, uint32_t value, bool *fresh);

#endif
