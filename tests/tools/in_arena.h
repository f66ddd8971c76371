/* A body of a test that needs an arena and a trap: what it raises is a failure. */
#ifndef TESTS_IN_ARENA_H
#define TESTS_IN_ARENA_H

#include "base/arena.h"

/* The arena's trap is set. */
void test_in_arena(void (*body)(arena *a));

#endif
