/* Files in memory, for what the library exports as a folder: a flat table of paths. Folders exist once they are made and
   hold nothing of their own. The linker takes these functions before those of musl. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim.h"

enum { FILES = 64, OPEN = 16, FIRST = 3 };

typedef struct memory_file {
    char *path; /* NULL: free */
    unsigned char *bytes;
    size_t size, room;
    int folder;
} memory_file;

typedef struct descriptor {
    memory_file *file; /* NULL: free */
    size_t at;
} descriptor;

static memory_file files[FILES];
static descriptor descriptors[OPEN];

static long fail(int code) {
    errno = code;
    return -1;
}

static memory_file *find(const char *path) {
    for (size_t k = 0; k < FILES; k++)
        if (files[k].path && !strcmp(files[k].path, path)) return &files[k];
    return NULL;
}

static void forget(memory_file *f) {
    free(f->path);
    free(f->bytes);
    memset(f, 0, sizeof *f);
}

static memory_file *make(const char *path, int folder) {
    for (size_t k = 0; k < FILES; k++)
        if (!files[k].path) {
            files[k] = (memory_file){.path = strdup(path), .folder = folder};
            return files[k].path ? &files[k] : NULL;
        }
    return NULL;
}

static descriptor *get(int fd) {
    int k = fd - FIRST;
    return k >= 0 && k < OPEN && descriptors[k].file ? &descriptors[k] : NULL;
}

int open(const char *path, int flags, ...) {
    memory_file *f = find(path);
    if (f && (flags & O_CREAT) && (flags & O_EXCL)) return (int)fail(EEXIST);
    if (!f && !(flags & O_CREAT)) return (int)fail(ENOENT);
    if (!f) f = make(path, 0);
    if (!f) return (int)fail(ENOSPC);
    if (flags & O_TRUNC) f->size = 0;
    for (int k = 0; k < OPEN; k++)
        if (!descriptors[k].file) {
            descriptors[k] = (descriptor){f, 0};
            return k + FIRST;
        }
    return (int)fail(EMFILE);
}

int close(int fd) {
    descriptor *d = get(fd);
    if (!d) return (int)fail(EBADF);
    d->file = NULL;
    return 0;
}

ssize_t pread(int fd, void *out, size_t size, off_t offset) {
    const descriptor *d = get(fd);
    if (!d) return fail(EBADF);
    size_t at = (size_t)offset;
    if (at >= d->file->size) return 0;
    if (size > d->file->size - at) size = d->file->size - at;
    memcpy(out, d->file->bytes + at, size);
    return (ssize_t)size;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
    descriptor *d = get(fd);
    if (!d) return fail(EBADF);
    memory_file *f = d->file;
    size_t end = (size_t)offset + size;
    if (end > f->room) {
        size_t room = end + end / 2 + 64;
        unsigned char *bytes = realloc(f->bytes, room);
        if (!bytes) return fail(ENOSPC);
        f->bytes = bytes;
        f->room = room;
    }
    if (end > f->size) {
        memset(f->bytes + f->size, 0, end - f->size);
        f->size = end;
    }
    memcpy(f->bytes + offset, data, size);
    return (ssize_t)size;
}

ssize_t read(int fd, void *out, size_t size) {
    descriptor *d = get(fd);
    if (!d) return fail(EBADF);
    ssize_t got = pread(fd, out, size, (off_t)d->at);
    if (got > 0) d->at += (size_t)got;
    return got;
}

ssize_t write(int fd, const void *data, size_t size) {
    descriptor *d = get(fd);
    if (!d) return fail(EBADF);
    ssize_t put = pwrite(fd, data, size, (off_t)d->at);
    if (put > 0) d->at += (size_t)put;
    return put;
}

static int describe(struct stat *out, const memory_file *f) {
    if (!f) return (int)fail(ENOENT);
    memset(out, 0, sizeof *out);
    out->st_mode = f->folder ? S_IFDIR | 0777 : S_IFREG | 0666;
    out->st_size = (off_t)f->size;
    return 0;
}

int stat(const char *restrict path, struct stat *restrict out) { return describe(out, find(path)); }
int lstat(const char *restrict path, struct stat *restrict out) { return stat(path, out); } /* there are no links */
int fstat(int fd, struct stat *out) { return describe(out, get(fd) ? get(fd)->file : NULL); }

int ftruncate(int fd, off_t size) {
    descriptor *d = get(fd);
    if (!d) return (int)fail(EBADF);
    if ((size_t)size < d->file->size) d->file->size = (size_t)size;
    return 0;
}

int rename(const char *from, const char *to) {
    memory_file *f = find(from), *old = find(to);
    if (!f) return (int)fail(ENOENT);
    if (old == f) return 0;
    char *path = strdup(to);
    if (!path) return (int)fail(ENOSPC);
    if (old) forget(old);
    free(f->path);
    f->path = path;
    return 0;
}

int unlink(const char *path) {
    memory_file *f = find(path);
    if (!f) return (int)fail(ENOENT);
    forget(f);
    return 0;
}

int mkdir(const char *path, mode_t mode) {
    (void)mode;
    if (find(path)) return (int)fail(EEXIST);
    return make(path, 1) ? 0 : (int)fail(ENOSPC);
}

/* ---- what a folder holds ---- */

struct __dirstream {
    struct dirent entry;
    size_t at, length; /* the next file; of the folder's path */
    char path[];
};

DIR *opendir(const char *path) {
    const memory_file *f = find(path);
    size_t length = strlen(path);
    DIR *d = f && f->folder ? calloc(1, sizeof *d + length + 1) : NULL;
    if (!d) return errno = f ? ENOTDIR : ENOENT, (DIR *)NULL;
    d->length = length;
    memcpy(d->path, path, length + 1);
    return d;
}

struct dirent *readdir(DIR *d) {
    while (d->at < FILES) {
        const char *path = files[d->at++].path;
        if (!path || strncmp(path, d->path, d->length) != 0 || path[d->length] != '/') continue;
        const char *name = path + d->length + 1;
        if (strchr(name, '/') || strlen(name) >= sizeof d->entry.d_name) continue;
        strcpy(d->entry.d_name, name);
        return &d->entry;
    }
    return NULL;
}

int closedir(DIR *d) {
    free(d);
    return 0;
}

char *realpath(const char *restrict path, char *restrict out) {
    (void)out;
    (void)path;
    errno = EINVAL; /* there are no links to follow */
    return NULL;
}

int fsync(int fd) { return get(fd) ? 0 : (int)fail(EBADF); }
int fchmod(int fd, mode_t mode) { return (void)mode, get(fd) ? 0 : (int)fail(EBADF); }
int flock(int fd, int how) { return (void)how, get(fd) ? 0 : (int)fail(EBADF); }
mode_t umask(mode_t mask) { return mask; }

/* ---- for the page ---- */

SHIM_EXPORT uint32_t tw_file_data(const char32 path) {
    const memory_file *f = find(TEXT(path));
    return f ? POINTER(f->bytes) : 0;
}

SHIM_EXPORT uint32_t tw_file_size(const char32 path) {
    const memory_file *f = find(TEXT(path));
    return f ? (uint32_t)f->size : 0;
}

SHIM_EXPORT void tw_files_clear(void) {
    for (size_t k = 0; k < FILES; k++)
        if (files[k].path) forget(&files[k]);
}
