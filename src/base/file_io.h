/* Files in pieces, for the whole library: what temper_file_read and temper_file_write do at once. Functions raise
   TEMPER_IO with the path in the message. */
#ifndef BASE_FILE_IO_H
#define BASE_FILE_IO_H

#include "base/entry.h"
#include "base/text.h"

/* What errno says, in words that no locale changes. */
const char *system_words(int code);

/* ---- reading ---- */

typedef struct file_in {
    const char *path; /* borrowed */
    arena *scratch;   /* for texts of messages */
    trap *trap;
    int fd;        /* -1: closed */
    bool seekable; /* a regular file: `size` is known and file_read_at works */
    uint64_t size;
} file_in;

/* A file that is closed when the body is left. */
file_in *entry_open(entry *e, const char *path);

/* folder/name, in the memory of the entry. */
const char *entry_path(entry *e, const char *folder, const char *name);

/* Opens a file; raises TEMPER_LIMIT if it is larger than 4 GiB. Whoever calls closes it, also after an error. */
void file_open(file_in *f, const char *path, arena *scratch, trap *t);
void file_close(file_in *f); /* also when nothing is open */

/* Bytes offset ... offset+length-1; raises if the file ends before. */
void file_read_at(const file_in *f, void *out, uint64_t offset, size_t length);

/* All that is left, NUL-terminated; memory of caller_alloc, freed with temper_free. */
char *file_read_all(size_t *length, file_in *f);

/* ---- writing ---- */

enum { FILE_BUFFER = 65536 };

typedef struct file_out {
    const char *path; /* borrowed */
    arena *scratch;
    trap *trap;
    int fd;                /* -1: closed */
    const char *temporary; /* NULL: a device or pipe, written directly */
    const char *target;    /* what the temporary file is renamed to */
    uint64_t size;         /* bytes put */
    size_t used;
    char buffer[FILE_BUFFER];
} file_out;

/* A file to write, which is abandoned if the body fails before file_commit. */
file_out *entry_create(entry *e, const char *path);

/* A temporary file in the target's folder; file_commit syncs it and renames it. file_abandon removes it, for error
   branches; it may be called after file_commit, and before file_create if fd is -1 and temporary NULL. */
void file_create(file_out *f, const char *path, arena *scratch, trap *t);
void file_put(file_out *f, const void *bytes, size_t length);
void file_flush(file_out *f); /* what was put can be read in the temporary file */
void file_commit(file_out *f);
void file_abandon(file_out *f);

#endif
