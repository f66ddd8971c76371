#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

unsigned long test_passed;
static unsigned long failed;

bool test_fail(const char *file, int line, const char *format, ...) {
    if (failed++ < 20) {
        va_list args;
        fprintf(stderr, "%s:%d: ", file, line);
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        fputc('\n', stderr);
    }
    if (getenv("TEMPER_TEST_STOP")) exit(1);
    return false;
}

int test_finish(const char *name) {
    printf("%s: %lu passed, %lu failed\n", name, test_passed, failed);
    return failed || !test_passed;
}

test_random test_seed(uint64_t fallback) {
    const char *given = getenv("TEMPER_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : fallback;
    return (test_random){seed * 0x9e3779b97f4a7c15u + 0x123456789abcdefu};
}

uint64_t random_u64(test_random *r) {
    if (!r->state) r->state = 88172645463325252u;
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * 0x2545F4914F6CDD1Du;
}

uint64_t random_below(test_random *r, uint64_t limit) { return limit ? (random_u64(r) >> 11) % limit : 0; }

double test_effort(void) {
    const char *given = getenv("TEMPER_TEST_EFFORT");
    double effort = given ? strtod(given, NULL) : 1;
    return effort > 0 ? effort : 1;
}

bool test_folder(char folder[TEST_FOLDER]) {
    snprintf(folder, TEST_FOLDER, "%s/temper-test-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    return CHECK(mkdtemp(folder) != NULL, "no temporary folder");
}
