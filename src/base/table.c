#include "base/table.h"

#include <string.h>

void table_init(table *t, arena *a) {
    t->arena = a;
    t->entries = NULL;
    t->capacity = t->count = 0;
}

/* FNV-1a over 8 bytes at a time with a final mix; keys are not adversarial secrets, but a mix keeps runs short. */
static uint32_t hash_bytes(const void *key, size_t length) {
    const unsigned char *b = key;
    uint64_t h = 0xcbf29ce484222325u ^ length;
    for (; length >= 8; b += 8, length -= 8) {
        uint64_t w;
        memcpy(&w, b, 8);
        h = (h ^ w) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    for (; length; b++, length--) h = (h ^ *b) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return (uint32_t)(h >> 32);
}

static size_t slot_of(const table *t, const void *key, size_t length, uint32_t hash) {
    size_t k = hash & (t->capacity - 1);
    while (t->entries[k].used && !(t->entries[k].hash == hash && t->entries[k].length == length &&
                                   memcmp(t->entries[k].key, key, length) == 0))
        k = (k + 1) & (t->capacity - 1);
    return k;
}

const uint32_t *table_find(const table *t, const void *key, size_t length) {
    if (!t->capacity) return NULL;
    size_t k = slot_of(t, key, length, hash_bytes(key, length));
    return t->entries[k].used ? &t->entries[k].value : NULL;
}

static void grow(table *t) {
    table_entry *old = t->entries;
    size_t old_capacity = t->capacity;
    size_t capacity = old_capacity ? 2 * old_capacity : 32;
    t->entries = arena_zalloc(t->arena, capacity, sizeof *t->entries);
    t->capacity = capacity;
    for (size_t k = 0; k < old_capacity; k++) {
        if (!old[k].used) continue;
        size_t j = old[k].hash & (capacity - 1);
        while (t->entries[j].used) j = (j + 1) & (capacity - 1);
        t->entries[j] = old[k];
    }
}

uint32_t *table_put(table *t, const void *key, size_t length, uint32_t value, bool *fresh) {
    if (2 * (t->count + 1) > t->capacity) grow(t);
    uint32_t hash = hash_bytes(key, length);
    size_t k = slot_of(t, key, length, hash);
    table_entry *e = &t->entries[k];
    *fresh = !e->used;
    if (!e->used) {
        *e = (table_entry){.key = key, .length = (uint32_t)length, .hash = hash, .value = value, .used = true};
        t->count++;
    }
    return &e->value;
}
