#include "in_arena.h"

#include "test.h"

void test_in_arena(void (*body)(arena *a)) {
    trap t;
    arena a;
    temper_error e;
    arena_init(&a, &t);
    if (trap_set(&t, &e))
        CHECK(false, "%s", e.text);
    else
        body(&a);
    arena_free(&a);
}
