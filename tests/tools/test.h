/* What every test program shares: a counter of checks, a reproducible random source, and the closing line.
   A test computes one thing two ways; when they differ it prints the inputs. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CHECK(condition, "inputs: %s ...", ...): counts; on failure prints file, line and the message (first 20 only). Only
   then the message's arguments are computed, for there are millions of checks. With TEMPER_TEST_STOP in the
   environment the first failure ends the program: scripts/mutants.py asks for no more. */
#define CHECK(condition, ...) test_count((condition) || test_fail(__FILE__, __LINE__, __VA_ARGS__))
extern unsigned long test_passed;
static inline bool test_count(bool ok) {
    test_passed += ok;
    return ok;
}
bool test_fail(const char *file, int line, const char *format, ...) __attribute__((cold, format(printf, 3, 4)));

/* Prints "NAME: P passed, F failed" and returns the exit code for main. */
int test_finish(const char *name);

/* xorshift64*: the same numbers everywhere. test_seed reads TEMPER_TEST_SEED when it is set. */
typedef struct test_random {
    uint64_t state;
} test_random;
test_random test_seed(uint64_t fallback);
uint64_t random_u64(test_random *r);
uint64_t random_below(test_random *r, uint64_t limit); /* 0 .. limit-1 */

/* Effort: 1 in `make test`, more in `make test-long` (TEMPER_TEST_EFFORT), less under sanitizers. */
double test_effort(void);

/* A new empty folder, in memory where there is such a place, for every file is synced; false, and a failed check:
   there is none. */
enum { TEST_FOLDER = 40 };
bool test_folder(char folder[TEST_FOLDER]);

#endif
