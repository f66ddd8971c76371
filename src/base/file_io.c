/* Files in and out. A file is written under a temporary name in the target's folder, synced and renamed, so that
   readers see the old file or the new one and never a part. */
#define _GNU_SOURCE
#include "base/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t LARGEST_FILE = (size_t)4 << 30;

static _Noreturn void io_error(trap *t, arena *a, const char *what, const char *path, int code) {
    trap_raise(t, TEMPER_IO, 0, 0, "cannot %s '%s': %s", what, text_escaped(a, path, strlen(path), 120),
               system_words(code));
}

/* ---- reading ---- */

static _Noreturn void too_large(const file_in *f) {
    trap_raise(f->trap, TEMPER_LIMIT, 0, 0, "'%s' is larger than the limit of 4 GiB",
               text_escaped(f->scratch, f->path, strlen(f->path), 120));
}

void file_open(file_in *f, const char *path, arena *scratch, trap *t) {
    struct stat st;
    *f = (file_in){.path = path, .scratch = scratch, .trap = t, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (f->fd < 0 || fstat(f->fd, &st)) io_error(t, scratch, "read", path, errno);
    if (S_ISDIR(st.st_mode)) io_error(t, scratch, "read", path, EISDIR);
    f->seekable = S_ISREG(st.st_mode);
    f->size = f->seekable ? (uint64_t)st.st_size : 0;
    if (f->size >= LARGEST_FILE) too_large(f);
}

void file_close(file_in *f) {
    if (f->fd >= 0) close(f->fd);
    f->fd = -1;
}

void file_read_at(const file_in *f, void *out, uint64_t offset, size_t length) {
    char *p = out;
    while (length) {
        ssize_t got = pread(f->fd, p, length, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) io_error(f->trap, f->scratch, "read", f->path, errno);
        if (got == 0)
            trap_raise(f->trap, TEMPER_IO, 0, 0, "'%s' became shorter while it was read",
                       text_escaped(f->scratch, f->path, strlen(f->path), 120));
        p += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
}

/* Reads until the end into *data, which grows. */
/* The error that stopped the reading; `data` goes first. */
static _Noreturn void give_up(char *data, const file_in *f, int code, size_t capacity) {
    free(data);
    if (code) io_error(f->trap, f->scratch, "read", f->path, code);
    if (capacity >= LARGEST_FILE) too_large(f);
    trap_raise(f->trap, TEMPER_NO_MEMORY, 0, 0, "out of memory (asked for %zu bytes)", 2 * capacity);
}

char *file_read_all(size_t *length, file_in *f) {
    size_t capacity = f->seekable ? (size_t)f->size + 1 : 65536, used = 0;
    char *data = caller_alloc(f->trap, capacity, 1);
    for (;;) {
        ssize_t got = read(f->fd, data + used, capacity - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) give_up(data, f, errno, capacity);
        if (got == 0) break;
        used += (size_t)got;
        if (used < capacity) continue;
        char *bigger = capacity < LARGEST_FILE ? realloc(data, 2 * capacity) : NULL;
        if (!bigger) give_up(data, f, 0, capacity);
        data = bigger;
        capacity *= 2;
    }
    data[used] = 0;
    *length = used;
    return data;
}

static void close_file(void *file) { file_close(file); }

file_in *entry_open(entry *e, const char *path) {
    file_in *f = arena_alloc(&e->memory, 1, sizeof *f);
    f->fd = -1;
    entry_on_leaving(e, close_file, f);
    file_open(f, path, &e->memory, e->trap);
    return f;
}

const char *entry_path(entry *e, const char *folder, const char *name) {
    text path;
    text_init(&path, &e->memory);
    text_printf(&path, "%s/%s", folder, name);
    return text_string(&path);
}

typedef struct read_call {
    char **out;
    size_t *length;
    const char *path;
} read_call;

static void read_file(entry *e, void *context) {
    const read_call *c = context;
    *c->out = file_read_all(c->length, entry_open(e, c->path));
}

temper_status temper_file_read(char **out, size_t *length, const char *path, temper_error *err) {
    read_call call = {out, length, path};
    *out = NULL;
    *length = 0;
    return entry_run(err, read_file, &call);
}

/* ---- writing ---- */

/* A device or a pipe (/dev/stdout, /dev/null) cannot be replaced by renaming: it is written directly. */
static bool is_special(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* The permissions a file made by open(path, O_CREAT, 0666) would get, or those of the file it replaces. */
static mode_t target_mode(const char *path) {
    struct stat st;
    if (stat(path, &st) == 0) return st.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Temporary names of files that are being written, for a handler of signals; of more at a time some are not noted. */
enum { WRITTEN_AT_A_TIME = 16 };
static struct {
    atomic_int state; /* 0: free, 1: being filled, 2: there is a file */
    char path[PATH_MAX];
} written[WRITTEN_AT_A_TIME];

static void note_written(const char *path) {
    for (size_t k = 0; k < WRITTEN_AT_A_TIME && strlen(path) < PATH_MAX; k++) {
        int unused = 0;
        if (!atomic_compare_exchange_strong(&written[k].state, &unused, 1)) continue;
        strcpy(written[k].path, path);
        atomic_store(&written[k].state, 2);
        return;
    }
}

static void forget_written(const char *path) {
    for (size_t k = 0; k < WRITTEN_AT_A_TIME; k++)
        if (atomic_load(&written[k].state) == 2 && strcmp(written[k].path, path) == 0)
            atomic_store(&written[k].state, 0);
}

void temper_files_abandon(void) {
    for (size_t k = 0; k < WRITTEN_AT_A_TIME; k++)
        if (atomic_load(&written[k].state) == 2) unlink(written[k].path);
}

static _Noreturn void write_error(const file_out *f) { io_error(f->trap, f->scratch, "write", f->path, errno); }

void file_create(file_out *f, const char *path, arena *scratch, trap *t) {
    f->path = path;
    f->scratch = scratch;
    f->trap = t;
    f->fd = -1;
    f->temporary = f->target = NULL;
    f->size = f->used = 0;
    if (is_special(path)) {
        f->fd = open(path, O_WRONLY | O_CLOEXEC);
        if (f->fd < 0) write_error(f);
        return;
    }
    char real[PATH_MAX];
    const char *target = realpath(path, real) ? real : path; /* follow a symbolic link to the file it names */
    f->target = arena_copy(scratch, target, strlen(target));
    text name;
    text_init(&name, scratch);
    text_printf(&name, "%s.XXXXXX", f->target);
    f->fd = mkostemp(name.data, O_CLOEXEC);
    if (f->fd < 0) write_error(f);
    f->temporary = name.data;
    note_written(f->temporary);
}

static void write_all(const file_out *f, const char *data, size_t length) {
    while (length) {
        ssize_t put = write(f->fd, data, length);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) write_error(f);
        data += put;
        length -= (size_t)put;
    }
}

void file_flush(file_out *f) {
    write_all(f, f->buffer, f->used);
    f->used = 0;
}

void file_put(file_out *f, const void *bytes, size_t length) {
    f->size += length;
    if (length > sizeof f->buffer - f->used) file_flush(f);
    if (length >= sizeof f->buffer) {
        write_all(f, bytes, length);
        return;
    }
    if (length) memcpy(f->buffer + f->used, bytes, length);
    f->used += length;
}

void file_commit(file_out *f) {
    file_flush(f);
    if (f->temporary) {
        if (fchmod(f->fd, target_mode(f->target)) || fsync(f->fd)) write_error(f);
        if (rename(f->temporary, f->target)) write_error(f);
        forget_written(f->temporary);
        f->temporary = NULL;
    }
    int failed = close(f->fd);
    f->fd = -1;
    if (failed) write_error(f);
}

void file_abandon(file_out *f) {
    if (f->fd >= 0) close(f->fd);
    if (f->temporary) {
        unlink(f->temporary);
        forget_written(f->temporary);
    }
    f->fd = -1;
    f->temporary = NULL;
}

static void abandon_file(void *file) { file_abandon(file); }

file_out *entry_create(entry *e, const char *path) {
    file_out *f = arena_alloc(&e->memory, 1, sizeof *f);
    f->fd = -1;
    f->temporary = NULL;
    entry_on_failure(e, abandon_file, f);
    file_create(f, path, &e->memory, e->trap);
    return f;
}

typedef struct write_call {
    const char *path, *data;
    size_t length;
} write_call;

static void write_file(entry *e, void *context) {
    const write_call *c = context;
    file_out *file = entry_create(e, c->path);
    file_put(file, c->data, c->length);
    file_commit(file);
}

temper_status temper_file_write(const char *path, const char *data, size_t length, temper_error *err) {
    write_call call = {path, data, length};
    return entry_run(err, write_file, &call);
}
