#define _GNU_SOURCE
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_fail(const char *condition, const char *format, ...) {
    va_list more;
    fprintf(stderr, "fuzz: not so: %s\n", condition);
    va_start(more, format);
    vfprintf(stderr, format, more);
    va_end(more);
    fputc('\n', stderr);
    abort();
}

static unsigned long long read_count, refused_count;

static void say_counts(void) { fprintf(stderr, "fuzz: %llu were read, %llu refused\n", read_count, refused_count); }

void fuzz_count(bool was_read) {
    if (!read_count && !refused_count) MUST(atexit(say_counts) == 0, "no memory");
    ++*(was_read ? &read_count : &refused_count);
}

const char *fuzz_copy(const uint8_t *data, size_t size) {
    static char *last;
    free(last);
    last = malloc(size ? size : 1);
    if (size) memcpy(last, data, size);
    return last;
}

const char *fuzz_file(const uint8_t *data, size_t size) {
    static int fd = -1;
    static char path[40];
    if (fd < 0) {
        fd = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    MUST(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size, "no file in memory");
    return path;
}

int fuzz_next_word(uint32_t *word, size_t *n, size_t letters, size_t longest) {
    for (size_t i = *n; i-- > 0;) {
        if (++word[i] < letters) return 1;
        word[i] = 0;
    }
    if (*n == longest || !letters) return 0;
    memset(word, 0, ++*n * sizeof *word);
    return 1;
}
