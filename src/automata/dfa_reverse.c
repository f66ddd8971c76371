#include "automata/dfa_reverse.h"

#include "base/table.h"

#include <string.h>

typedef struct subsets {
    arena *arena;
    uint32_t words;
    table index;
    uint64_t **list;
    size_t count, capacity;
} subsets;

static uint32_t subset_number(subsets *s, const uint64_t *bits) {
    size_t bytes = s->words * sizeof *bits;
    const uint32_t *known = table_find(&s->index, bits, bytes);
    bool fresh;
    if (known) return *known;
    uint64_t *kept = arena_alloc(s->arena, s->words, sizeof *kept);
    memcpy(kept, bits, bytes);
    table_put(&s->index, kept, bytes, (uint32_t)s->count, &fresh);
    array_push(s->arena, s->list, s->count, s->capacity, kept);
    return (uint32_t)s->count - 1;
}

/* A set of states stands for the words that lead from one of them to acceptance: reading a letter backwards, the
   states that it leads into the set. */
dfa *dfa_reverse(arena *a, const dfa *d, uint32_t most, arena *scratch) {
    subsets s = {.arena = scratch, .words = (d->state_count + 63) / 64};
    uint32_t *next = NULL;
    size_t count = 0, capacity = 0;
    table_init(&s.index, scratch);
    uint64_t *bits = arena_zalloc(scratch, s.words, sizeof *bits);
    for (uint32_t q = 0; q < d->state_count; q++) bits[q / 64] |= (uint64_t)d->accepts[q] << (q % 64);
    subset_number(&s, bits);
    for (size_t k = 0; k < s.count; k++)
        for (uint32_t c = 0; c < d->class_count; c++) {
            memset(bits, 0, s.words * sizeof *bits);
            for (uint32_t q = 0; q < d->state_count; q++) {
                uint32_t to = dfa_next(d, q, c);
                if (s.list[k][to / 64] >> (to % 64) & 1) bits[q / 64] |= (uint64_t)1 << (q % 64);
            }
            uint32_t to = subset_number(&s, bits);
            if (s.count > most) return NULL;
            array_push(scratch, next, count, capacity, to);
        }
    dfa *out = dfa_new(a, (uint32_t)s.count, d->class_count, d->letter_count);
    if (count) memcpy(out->next, next, count * sizeof *next);
    if (d->letter_count) memcpy(out->class_of, d->class_of, d->letter_count * sizeof *d->class_of);
    for (size_t k = 0; k < s.count; k++) out->accepts[k] = s.list[k][d->start / 64] >> (d->start % 64) & 1;
    return dfa_minimise(a, out);
}
