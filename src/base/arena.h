/* Memory that is freed whole. Each stage object owns one arena. Allocation never returns NULL: it raises
   TEMPER_NO_MEMORY through the arena's trap. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/trap.h"

typedef struct arena_block arena_block;
typedef struct arena_duty arena_duty;

typedef struct arena {
    arena_block *blocks;
    size_t hint; /* the least size of the next block */
    trap *trap;  /* who is told when memory runs out; NULL only while nothing allocates */
    arena_duty *duties;
} arena;

void arena_init(arena *a, trap *t);
void arena_free(arena *a);

/* Forgets everything but keeps the memory as one block, so that a loop can use it again. */
void arena_reset(arena *a);

/* The arena calls run(what) before its memory is freed or forgotten, the last one first; at once, if it has no memory
   to remember this, before the error is raised. It is for things in the arena that hold memory of their own: an error
   then leaks nothing. */
void arena_on_release(arena *a, void (*run)(void *what), void *what);

/* 16-byte aligned. arena_alloc does not clear, arena_zalloc does. count * size is checked for overflow. */
void *arena_alloc(arena *a, size_t count, size_t size);
void *arena_zalloc(arena *a, size_t count, size_t size);

/* Grows an array in the arena so that it holds at least `need` elements, doubling; returns the new array and
   updates *capacity. The old array is extended in place when it is the last allocation, else left behind. */
void *arena_grow(arena *a, void *array, size_t *capacity, size_t need, size_t size);

char *arena_copy(arena *a, const char *text, size_t length); /* NUL-terminated */

/* Memory that outlives the arena: handed to the caller of the library, freed with temper_free. */
void *caller_alloc(trap *t, size_t count, size_t size);

/* Tests: fail the k-th allocation from now (1: the next); 0 switches it off. Not thread-safe. */
void arena_fail_after(unsigned long k);

/* array_push(arena, array, count, capacity, value): append, growing as needed. */
#define array_push(a, array, count, capacity, ...)                                                                   \
    do {                                                                                                             \
        if ((count) == (capacity)) (array) = arena_grow((a), (array), &(capacity), (count) + 1, sizeof *(array));    \
        (array)[(count)++] = __VA_ARGS__;                                                                            \
    } while (0)

#endif
