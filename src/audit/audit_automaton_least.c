/* The least automaton, after Moore: states are told apart by longer and longer words, until nothing new is told. */
#include "audit/audit_regex.h"

#include <string.h>

#include "base/work.h"

typedef struct sorting {
    const automaton *x;
    arena *arena;
    uint32_t *colour; /* [states] numbered in the order of the states */
    uint32_t count;   /* of colours; 0: not counted yet */
} sorting;

/* One more letter. */
static bool refine(sorting *s, arena *scratch, uint32_t *fresh_colour) {
    const automaton *x = s->x;
    table index;
    arena_reset(scratch);
    table_init(&index, scratch);
    size_t row = (size_t)x->classes + 1;
    uint32_t *keys = arena_alloc(scratch, row * x->states, sizeof *keys);
    for (uint32_t k = 0; k < x->states; k++) {
        uint32_t *key = keys + row * k;
        bool fresh;
        key[0] = s->colour[k];
        for (uint32_t c = 0; c < x->classes; c++) key[c + 1] = s->colour[x->next[(size_t)k * x->classes + c]];
        fresh_colour[k] = *table_put(&index, key, row * sizeof *key, (uint32_t)index.count, &fresh);
    }
    bool more = index.count > s->count;
    s->count = (uint32_t)index.count;
    memcpy(s->colour, fresh_colour, x->states * sizeof *fresh_colour);
    return more;
}

static void release_arena(void *what) { arena_free(what); }

static void sort_states(sorting *s) {
    arena *scratch = arena_alloc(s->arena, 1, sizeof *scratch);
    arena_init(scratch, s->arena->trap);
    arena_on_release(s->arena, release_arena, scratch);
    uint32_t *fresh = arena_alloc(s->arena, s->x->states, sizeof *fresh);
    uint64_t work = 0;
    for (uint32_t k = 0; k < s->x->states; k++) s->colour[k] = s->x->accepts[k];
    do {
        work += (uint64_t)s->x->states * (s->x->classes + 1);
        if (work > work_limit(AUTOMATON_WORK))
            trap_raise_remedy(s->arena->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                              "the automaton of a regular expression takes more steps than are audited");
    } while (refine(s, scratch, fresh));
}

/* Classes with the same column become one; both numberings follow the first letters. */
static uint32_t merge_columns(uint32_t *to, uint32_t *from, const sorting *s, arena *a) {
    const automaton *x = s->x;
    table index;
    table_init(&index, a);
    for (uint32_t c = 0; c < x->classes; c++) {
        uint32_t *column = arena_alloc(a, x->states, sizeof *column);
        bool fresh;
        for (uint32_t k = 0; k < x->states; k++) column[k] = s->colour[x->next[(size_t)k * x->classes + c]];
        to[c] = *table_put(&index, column, x->states * sizeof *column, (uint32_t)index.count, &fresh);
        if (fresh) from[to[c]] = c;
    }
    return (uint32_t)index.count;
}

/* Classes without letters are of no use, and others come in the order of their first letters. */
static const automaton *ordered_classes(arena *a, const automaton *x, size_t letters) {
    uint32_t *number = arena_alloc(a, x->classes, sizeof *number);
    uint32_t *old = arena_alloc(a, x->classes, sizeof *old), count = 0;
    automaton *y = arena_zalloc(a, 1, sizeof *y);
    memset(number, 0xFF, x->classes * sizeof *number);
    *y = *x;
    y->class_of = arena_alloc(a, letters, sizeof *y->class_of);
    for (size_t k = 0; k < letters; k++) {
        uint32_t c = x->class_of[k];
        if (number[c] == UINT32_MAX) old[count] = c, number[c] = count++;
        y->class_of[k] = number[c];
    }
    y->classes = count;
    y->next = arena_alloc(a, (size_t)x->states * count, sizeof *y->next);
    for (uint32_t k = 0; k < x->states; k++)
        for (uint32_t c = 0; c < count; c++)
            y->next[(size_t)k * count + c] = x->next[(size_t)k * x->classes + old[c]];
    return y;
}

/* States that words lead to, in the order of their least words: breadth first from the start, letters ascending. */
static const automaton *reached_states(arena *a, const automaton *x) {
    uint32_t *number = arena_alloc(a, x->states, sizeof *number), *old = arena_alloc(a, x->states, sizeof *old);
    uint32_t count = 1;
    automaton *y = arena_zalloc(a, 1, sizeof *y);
    memset(number, 0xFF, x->states * sizeof *number);
    number[0] = old[0] = 0;
    *y = *x;
    y->next = arena_alloc(a, (size_t)x->states * x->classes, sizeof *y->next);
    y->accepts = arena_alloc(a, x->states, sizeof *y->accepts);
    for (uint32_t k = 0; k < count; k++) {
        y->accepts[k] = x->accepts[old[k]];
        for (uint32_t c = 0; c < x->classes; c++) {
            uint32_t to = x->next[(size_t)old[k] * x->classes + c];
            if (number[to] == UINT32_MAX) old[count] = to, number[to] = count++;
            y->next[(size_t)k * x->classes + c] = number[to];
        }
    }
    y->states = count;
    return y;
}

/* States are in the order of their least words, and so are colours, which are numbered in the order of the states. */
automaton *automaton_least(arena *a, const automaton *given, size_t letters) {
    const automaton *x = reached_states(a, ordered_classes(a, given, letters));
    sorting s = {.x = x, .arena = a, .colour = arena_alloc(a, x->states, sizeof(uint32_t))};
    sort_states(&s);
    uint32_t *to = arena_alloc(a, x->classes, sizeof *to), *from = arena_alloc(a, x->classes, sizeof *from);
    uint32_t classes = merge_columns(to, from, &s, a);
    automaton *y = arena_zalloc(a, 1, sizeof *y);
    *y = (automaton){.states = s.count, .classes = classes};
    y->next = arena_alloc(a, (size_t)s.count * classes, sizeof *y->next);
    y->accepts = arena_alloc(a, s.count, sizeof *y->accepts);
    for (uint32_t k = 0; k < x->states; k++) {
        y->accepts[s.colour[k]] = x->accepts[k];
        for (uint32_t c = 0; c < classes; c++)
            y->next[(size_t)s.colour[k] * classes + c] = s.colour[x->next[(size_t)k * x->classes + from[c]]];
    }
    y->class_of = arena_alloc(a, letters, sizeof *y->class_of);
    for (size_t k = 0; k < letters; k++) y->class_of[k] = to[x->class_of[k]];
    return y;
}
