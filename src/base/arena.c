#include "base/arena.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Under the address sanitizer whatever was not asked for is poisoned, with a gap after each allocation. So it finds
   an index that is one too large, although neighbours share a block. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { GAP = 16, GROWS_IN_PLACE = 0 };
static void forbid(const void *p, size_t size) { __asan_poison_memory_region(p, size); }
static void permit(const void *p, size_t size) { __asan_unpoison_memory_region(p, size); }
#else
enum { GAP = 0, GROWS_IN_PLACE = 1 };
static void forbid(const void *p, size_t size) { (void)p, (void)size; }
static void permit(const void *p, size_t size) { (void)p, (void)size; }
#endif

struct arena_block {
    arena_block *next;
    size_t used, size;
    _Alignas(16) unsigned char data[];
};

struct arena_duty {
    arena_duty *next;
    void (*run)(void *what);
    void *what;
};

enum { FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20, ALIGN = 16 };

static unsigned long fail_countdown;

void arena_fail_after(unsigned long k) { fail_countdown = k; }

static void *system_alloc(size_t size) {
    if (fail_countdown && --fail_countdown == 0) return NULL;
    return malloc(size);
}

/* What all arenas hold, and may hold; 0: as much as there is. */
static atomic_size_t held, most_held;

void temper_limit_memory(size_t bytes) { atomic_store(&most_held, bytes); }

static bool is_over_limit(size_t bytes) {
    size_t most = atomic_load(&most_held);
    return most && (bytes > most || atomic_load(&held) > most - bytes);
}

/* NULL: there is not so much memory. */
static arena_block *block_new(size_t size) {
    size_t bytes = sizeof(arena_block) + size;
    if (is_over_limit(bytes)) return NULL;
    arena_block *b = system_alloc(bytes);
    if (b) atomic_fetch_add(&held, bytes);
    return b;
}

static void block_free(arena_block *b) {
    permit(b->data, b->size);
    atomic_fetch_sub(&held, sizeof *b + b->size);
    free(b);
}

void arena_init(arena *a, trap *t) {
    a->blocks = NULL;
    a->hint = 0;
    a->trap = t;
    a->duties = NULL;
}

static void do_duties(arena *a) {
    for (const arena_duty *d = a->duties; d; d = d->next) d->run(d->what);
    a->duties = NULL;
}

void arena_free(arena *a) {
    do_duties(a);
    arena_block *b = a->blocks;
    while (b) {
        arena_block *next = b->next;
        block_free(b);
        b = next;
    }
    a->blocks = NULL;
}

void arena_reset(arena *a) {
    do_duties(a);
    arena_block *b = a->blocks;
    if (b && !b->next) {
        b->used = 0;
        forbid(b->data, b->size);
        return;
    }
    size_t total = 0;
    for (; b; b = b->next) total += b->size;
    arena_free(a);
    a->hint = total; /* next time everything fits into one block */
}

static _Noreturn void out_of_memory(trap *t, size_t size) {
    if (size < SIZE_MAX && is_over_limit(sizeof(arena_block) + size))
        trap_raise(t, TEMPER_NO_MEMORY, 0, 0, "this takes more than %zu bytes of memory, which is the limit",
                   atomic_load(&most_held));
    trap_raise(t, TEMPER_NO_MEMORY, 0, 0, "out of memory (asked for %zu bytes)", size);
}

static size_t product(trap *t, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) out_of_memory(t, SIZE_MAX);
    return bytes;
}

/* The next bytes of the arena, or NULL: then it has become no larger, and *asked says what for. */
static void *take(arena *a, size_t size, size_t *asked) {
    size_t bytes = ((size + ALIGN - 1) & ~(size_t)(ALIGN - 1)) + GAP;
    arena_block *b = a->blocks;
    if (!b || b->size - b->used < bytes) {
        size_t want = !b ? FIRST_BLOCK : b->size < LARGEST_BLOCK ? 2 * b->size : LARGEST_BLOCK;
        if (want < a->hint) want = a->hint;
        if (want < bytes) want = bytes;
        *asked = want;
        a->hint = 0;
        arena_block *fresh = block_new(want);
        if (!fresh) return NULL;
        fresh->next = b;
        fresh->used = 0;
        fresh->size = want;
        forbid(fresh->data, want);
        a->blocks = b = fresh;
    }
    void *p = b->data + b->used;
    b->used += bytes;
    permit(p, size);
    return p;
}

void *arena_alloc(arena *a, size_t count, size_t size) {
    size_t asked = 0;
    void *p = take(a, product(a->trap, count, size), &asked);
    if (!p) out_of_memory(a->trap, asked);
    return p;
}

void arena_on_release(arena *a, void (*run)(void *what), void *what) {
    size_t asked = 0;
    arena_duty *d = take(a, sizeof *d, &asked);
    if (!d) {
        run(what);
        out_of_memory(a->trap, asked);
    }
    *d = (arena_duty){a->duties, run, what};
    a->duties = d;
}

void *arena_zalloc(arena *a, size_t count, size_t size) {
    void *p = arena_alloc(a, count, size);
    if (count && size) memset(p, 0, count * size);
    return p;
}

void *arena_grow(arena *a, void *array, size_t *capacity, size_t need, size_t size) {
    if (need <= *capacity) return array;
    size_t fresh = *capacity < 8 ? 8 : *capacity;
    while (fresh < need) {
        if (fresh > SIZE_MAX / 4) out_of_memory(a->trap, SIZE_MAX);
        fresh *= 2;
    }
    size_t old_bytes = (*capacity * size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    size_t bytes = (product(a->trap, fresh, size) + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    arena_block *b = a->blocks;
    if (GROWS_IN_PLACE && array && b && b->used >= old_bytes &&
        (unsigned char *)array == b->data + (b->used - old_bytes) && b->size - b->used >= bytes - old_bytes) {
        b->used += bytes - old_bytes;
        *capacity = fresh;
        return array;
    }
    void *moved = arena_alloc(a, fresh, size);
    if (*capacity) memcpy(moved, array, *capacity * size);
    *capacity = fresh;
    return moved;
}

char *arena_copy(arena *a, const char *text, size_t length) {
    char *copy = arena_alloc(a, length + 1, 1);
    if (length) memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

void *caller_alloc(trap *t, size_t count, size_t size) {
    size_t bytes = product(t, count, size);
    void *p = system_alloc(bytes ? bytes : 1);
    if (!p) out_of_memory(t, bytes);
    return p;
}

void temper_free(void *text) { free(text); }
