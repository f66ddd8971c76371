/* Whole files in and out. A file is written under a temporary name in the target's folder, synced and renamed,
   so that readers see the old file or the new one and never a part. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

static const size_t LARGEST_FILE = (size_t)4 << 30;

static _Noreturn void io_error(trap *t, arena *a, const char *what, const char *path, int code) {
    trap_raise(t, TEMPER_IO, 0, 0, "cannot %s '%s': %s", what, text_escaped(a, path, strlen(path), 120),
               strerror(code));
}

temper_status temper_file_read(char **out, size_t *length, const char *path, temper_error *err) {
    trap t;
    arena a;
    volatile int fd = -1;
    char *volatile data = NULL;
    *out = NULL;
    *length = 0;
    arena_init(&a, &t);
    if (trap_set(&t, err)) {
        if (fd >= 0) close(fd);
        free(data);
        arena_free(&a);
        return t.error.code;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) io_error(&t, &a, "read", path, errno);
    struct stat st;
    if (fstat(fd, &st)) io_error(&t, &a, "read", path, errno);
    if (S_ISDIR(st.st_mode)) io_error(&t, &a, "read", path, EISDIR);
    size_t capacity = S_ISREG(st.st_mode) ? (size_t)st.st_size + 1 : 65536;
    if (capacity > LARGEST_FILE)
        trap_raise(&t, TEMPER_LIMIT, 0, 0, "'%s' is larger than the limit of 4 GiB",
                   text_escaped(&a, path, strlen(path), 120));
    data = caller_alloc(&t, capacity, 1);
    size_t used = 0;
    for (;;) {
        ssize_t got = read(fd, data + used, capacity - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) io_error(&t, &a, "read", path, errno);
        if (got == 0) break;
        used += (size_t)got;
        if (used == capacity) {
            if (capacity >= LARGEST_FILE)
                trap_raise(&t, TEMPER_LIMIT, 0, 0, "'%s' is larger than the limit of 4 GiB",
                           text_escaped(&a, path, strlen(path), 120));
            capacity *= 2;
            char *bigger = realloc(data, capacity);
            if (!bigger) trap_raise(&t, TEMPER_NO_MEMORY, 0, 0, "out of memory (asked for %zu bytes)", capacity);
            data = bigger;
        }
    }
    data[used] = 0;
    close(fd);
    arena_free(&a);
    *out = data;
    *length = used;
    trap_clear(&t);
    return TEMPER_OK;
}

/* A device or a pipe (/dev/stdout, /dev/null) cannot be replaced by renaming: it is written directly. */
static bool is_special(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool write_all(int fd, const char *data, size_t length) {
    while (length) {
        ssize_t put = write(fd, data, length);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        data += put;
        length -= (size_t)put;
    }
    return true;
}

/* The permissions a file made by open(path, O_CREAT, 0666) would get, or those of the file it replaces. */
static mode_t target_mode(const char *path) {
    struct stat st;
    if (stat(path, &st) == 0) return st.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

temper_status temper_file_write(const char *path, const char *data, size_t length, temper_error *err) {
    trap t;
    arena a;
    volatile int fd = -1;
    char *volatile temporary = NULL;
    arena_init(&a, &t);
    if (trap_set(&t, err)) {
        if (fd >= 0) close(fd);
        if (temporary) unlink(temporary);
        arena_free(&a);
        return t.error.code;
    }
    if (is_special(path)) {
        fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 || !write_all(fd, data, length)) io_error(&t, &a, "write", path, errno);
    } else {
        char *real = realpath(path, NULL); /* follow a symbolic link to the file it names */
        const char *target = arena_copy(&a, real ? real : path, strlen(real ? real : path));
        free(real);
        text name;
        text_init(&name, &a);
        text_printf(&name, "%s.XXXXXX", target);
        fd = mkostemp(name.data, O_CLOEXEC);
        if (fd < 0) io_error(&t, &a, "write", path, errno);
        temporary = name.data;
        if (!write_all(fd, data, length) || fchmod(fd, target_mode(target)) || fsync(fd))
            io_error(&t, &a, "write", path, errno);
        if (rename(temporary, target)) io_error(&t, &a, "write", path, errno);
        temporary = NULL;
    }
    int failed = close(fd);
    fd = -1;
    if (failed) io_error(&t, &a, "write", path, errno);
    arena_free(&a);
    trap_clear(&t);
    return TEMPER_OK;
}
