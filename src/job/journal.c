#define _GNU_SOURCE
#include "job/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file_io.h"

enum { SUM = 16, SYNC_SECONDS = 1, LONGEST_HEADER = 256 };

static const char *shown_path(temper_journal *j) { return text_escaped(&j->scratch, j->path, strlen(j->path), 120); }

static _Noreturn void io_error(temper_journal *j, const char *what, int code) {
    trap_raise(j->scratch.trap, TEMPER_IO, 0, 0, "cannot %s journal '%s': %s", what, shown_path(j),
               system_words(code));
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* ---- lines ---- */

/* 16 digits over the job's digest and the line so far. */
static void make_sum(char out[SUM], const char *digest, const char *line, size_t length) {
    sha256 h;
    unsigned char bytes[SHA256_SIZE];
    char hex[SHA256_HEX + 1];
    sha256_start(&h);
    sha256_add(&h, digest, strlen(digest));
    sha256_add(&h, " ", 1);
    sha256_add(&h, line, length);
    sha256_finish(bytes, &h);
    sha256_hex(hex, bytes);
    memcpy(out, hex, SUM);
}

static void end_line(text *t, const char *digest) {
    char sum[SUM];
    text_putc(t, ' ');
    make_sum(sum, digest, t->data, t->length);
    text_add(t, sum, SUM);
    text_putc(t, '\n');
}

static void make_header(text *t, const temper_job *job) {
    text_init(t, t->arena);
    text_printf(t, "temper-journal 1 %s %s %llu", job->kind->name, job->digest, (unsigned long long)job->units);
    end_line(t, job->digest);
}

static void make_record(text *t, const temper_job *job, uint64_t unit, const unsigned char *result, size_t size) {
    text_printf(t, "%llu ", (unsigned long long)unit);
    for (size_t k = 0; k < size; k++) {
        text_putc(t, "0123456789abcdef"[result[k] >> 4]);
        text_putc(t, "0123456789abcdef"[result[k] & 15]);
    }
    if (size == 0) text_putc(t, '-');
    end_line(t, job->digest);
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* A line without its end, the sum included. False: damaged. */
static bool read_record(uint64_t *unit, unsigned char *result, size_t *size, const temper_job *job, const char *line,
                        size_t length) {
    char sum[SUM];
    size_t k = 0;
    if (length < SUM + 4) return false;
    length -= SUM;
    make_sum(sum, job->digest, line, length);
    if (memcmp(sum, line + length, SUM) != 0) return false;
    *unit = 0;
    for (; line[k] >= '0' && line[k] <= '9' && k < 12; k++) *unit = 10 * *unit + (uint64_t)(line[k] - '0');
    if (k == 0 || line[k++] != ' ' || line[--length] != ' ' || *unit >= job->units) return false;
    *size = 0;
    if (length - k == 1 && line[k] == '-') return true;
    for (; k + 1 < length; k += 2) {
        int high = digit(line[k]), low = digit(line[k + 1]);
        if (high < 0 || low < 0) return false;
        result[(*size)++] = (unsigned char)(16 * high + low);
    }
    return k == length;
}

/* ---- results in memory ---- */

bool journal_is_settled(const temper_journal *j, uint64_t unit) {
    const job_kind *kind = j->job->kind;
    return j->results[unit].bytes || (kind->is_needless && kind->is_needless(j->job, unit));
}

static void advance(temper_journal *j) {
    while (j->first_unknown < j->job->units && journal_is_settled(j, j->first_unknown)) j->first_unknown++;
}

static void remember(temper_journal *j, uint64_t unit, const unsigned char *result, size_t size) {
    unsigned char *copy = arena_alloc(&j->memory, size ? size : 1, 1);
    if (size) memcpy(copy, result, size);
    j->results[unit] = (journal_result){copy, size};
    const job_kind *kind = j->job->kind;
    uint64_t needed = kind->needed ? kind->needed(j->job, unit, result, size) : j->job->units;
    if (needed < j->needed) j->needed = needed;
    advance(j);
}

/* True if the result is there already. */
static bool is_known(temper_journal *j, uint64_t unit, const unsigned char *result, size_t size) {
    const journal_result *r = &j->results[unit];
    if (!r->bytes) return false;
    if (r->size != size || (size && memcmp(r->bytes, result, size) != 0))
        trap_raise_hint(j->scratch.trap, TEMPER_FORMAT, 0, 0,
                        "one of the two was computed wrongly: start a new journal",
                        "unit %llu has two different results", (unsigned long long)unit);
    return true;
}

/* ---- the file ---- */

static void read_all(temper_journal *j, char *out, size_t length) {
    for (size_t at = 0; at < length;) {
        ssize_t got = pread(j->fd, out + at, length - at, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) io_error(j, "read", got ? errno : EIO);
        at += (size_t)got;
    }
}

/* One write; a part of a record is taken back. */
static void append(temper_journal *j, const text *t) {
    ssize_t put;
    do put = pwrite(j->fd, t->data, t->length, (off_t)j->size);
    while (put < 0 && errno == EINTR);
    int code = put < 0 ? errno : ENOSPC;
    if (put != (ssize_t)t->length) {
        if (ftruncate(j->fd, (off_t)j->size)) code = errno;
        io_error(j, "write", code);
    }
    j->size += t->length;
    j->dirty = true;
}

static void sync_file(temper_journal *j) {
    if (fsync(j->fd)) io_error(j, "sync", errno);
    j->synced = now();
    j->dirty = false;
}

/* The first line of a file that does not begin with the job's own header: whose journal is it? */
static _Noreturn void refuse(temper_journal *j, const char *bytes, size_t length) {
    static const char title[] = "temper-journal 1 ";
    char line[LONGEST_HEADER];
    size_t size = 0;
    while (size < length && size < sizeof line - 1 && bytes[size] != '\n') size++;
    memcpy(line, bytes, size);
    line[size] = 0;
    bool titled = strncmp(line, title, strlen(title)) == 0;
    const char *name = line + (titled ? strlen(title) : 0);
    size_t name_size = strspn(name, "abcdefghijklmnopqrstuvwxyz-");
    const char *digest = name + name_size + (name[name_size] == ' ');
    size_t digest_size = strspn(digest, "0123456789abcdef");
    const char *units = digest + digest_size + (digest[digest_size] == ' ');
    int unit_size = (int)strspn(units, "0123456789");
    if (titled && name_size && digest_size == SHA256_HEX && unit_size && unit_size < 20)
        trap_raise_hint(j->scratch.trap, TEMPER_RANGE, 0, 0,
                        "another formula, model, option or version of temper is another job; give it another file",
                        "'%s' is the journal of another job: %.*s %.12s... of %.*s units, not %s %.12s... of %llu",
                        shown_path(j), (int)name_size, name, digest, unit_size, units, j->job->kind->name,
                        j->job->digest, (unsigned long long)j->job->units);
    trap_raise_hint(j->scratch.trap, TEMPER_FORMAT, 0, 0, "it is left as it is; give a new file",
                    "'%s' is not a journal", shown_path(j));
}

/* Keeps whole records up to the first that is damaged, and returns where that begins. */
static size_t read_records(temper_journal *j, const char *bytes, size_t at, size_t length) {
    unsigned char *result = arena_alloc(&j->scratch, length / 2 + 1, 1);
    for (;;) {
        const char *line = bytes + at, *end = memchr(line, '\n', length - at);
        uint64_t unit;
        size_t size;
        if (!end || !read_record(&unit, result, &size, j->job, line, (size_t)(end - line))) return at;
        if (!is_known(j, unit, result, size)) {
            remember(j, unit, result, size);
            j->kept++;
        }
        at = (size_t)(end - bytes) + 1;
    }
}

static void open_file(temper_journal *j) {
    struct stat st;
    j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->fd < 0 || fstat(j->fd, &st)) io_error(j, "open", errno);
    if (!S_ISREG(st.st_mode))
        trap_raise(j->scratch.trap, TEMPER_IO, 0, 0, "journal '%s' is not a regular file", shown_path(j));
    if (flock(j->fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK) io_error(j, "lock", errno);
        trap_raise(j->scratch.trap, TEMPER_IO, 0, 0, "journal '%s' is in use by another process", shown_path(j));
    }
    if (fstat(j->fd, &st)) io_error(j, "read", errno); /* the size that the last owner left */
    text header = {.arena = &j->scratch};
    size_t length = (size_t)st.st_size;
    char *bytes = arena_alloc(&j->scratch, length + 1, 1);
    make_header(&header, j->job);
    read_all(j, bytes, length);
    if (length < header.length && memcmp(bytes, header.data, length) == 0) { /* new, or killed while it was begun */
        append(j, &header);
        sync_file(j);
        return;
    }
    if (length < header.length || memcmp(bytes, header.data, header.length) != 0) refuse(j, bytes, length);
    j->size = read_records(j, bytes, header.length, length);
    j->dropped = length - j->size;
    if (j->dropped && ftruncate(j->fd, (off_t)j->size)) io_error(j, "write", errno);
    if (j->dropped) sync_file(j);
}

void journal_start(temper_journal *j, const char *path, const temper_job *job) {
    j->job = job;
    j->needed = job->units;
    j->synced = now();
    j->results = arena_zalloc(&j->memory, job->units, sizeof *j->results);
    advance(j);
    if (!path) return;
    j->path = arena_copy(&j->memory, path, strlen(path));
    open_file(j);
}

void journal_keep(temper_journal *j, uint64_t unit, const unsigned char *result, size_t size) {
    if (unit >= j->job->units)
        trap_raise(j->scratch.trap, TEMPER_RANGE, 0, 0, "there is no unit %llu: the job has %llu",
                   (unsigned long long)unit, (unsigned long long)j->job->units);
    job_check_size(size, unit, j->scratch.trap);
    if (is_known(j, unit, result, size)) return;
    if (j->fd >= 0) {
        text record;
        text_init(&record, &j->scratch);
        make_record(&record, j->job, unit, result, size);
        append(j, &record);
        if (now() >= j->synced + SYNC_SECONDS) sync_file(j);
    }
    remember(j, unit, result, size);
    if (j->job->kind->kept) j->job->kind->kept(j->job, j, unit, &j->scratch);
}

/* ---- entry points ---- */

static void set_trap(temper_journal *j, trap *t) { j->memory.trap = j->scratch.trap = t; }

static void discard(temper_journal *j) {
    if (j->fd >= 0) close(j->fd); /* and unlocks */
    arena_free(&j->memory);
    arena_free(&j->scratch);
    free(j);
}

typedef struct open_call {
    temper_journal **out;
    const char *path;
    const temper_job *job;
} open_call;

static void discard_journal(void *journal) { discard(journal); }

static void open_journal(entry *e, void *context) {
    const open_call *c = context;
    temper_journal *j = caller_alloc(e->trap, 1, sizeof *j);
    memset(j, 0, sizeof *j);
    j->fd = -1;
    arena_init(&j->memory, e->trap);
    arena_init(&j->scratch, e->trap);
    entry_on_failure(e, discard_journal, j);
    journal_start(j, c->path, c->job);
    arena_free(&j->scratch); /* it held the file */
    set_trap(j, NULL);
    *c->out = j;
}

temper_status temper_journal_open(temper_journal **out, const char *path, const temper_job *job, temper_error *err) {
    open_call call = {out, path, job};
    *out = NULL;
    return entry_run(err, open_journal, &call);
}

static void close_journal(entry *e, void *context) {
    temper_journal *j = context;
    entry_on_leaving(e, discard_journal, j);
    set_trap(j, e->trap);
    if (j->fd >= 0 && j->dirty) sync_file(j);
}

temper_status temper_journal_close(temper_journal *journal, temper_error *err) {
    return journal ? entry_run(err, close_journal, journal) : TEMPER_OK;
}

temper_journal_info temper_journal_about(const temper_journal *journal) {
    return (temper_journal_info){
        .kept = journal->kept, .dropped = journal->dropped, .complete = journal->first_unknown >= journal->needed};
}

int temper_journal_next(uint64_t *unit, temper_journal *journal) {
    temper_journal *j = journal;
    while (j->next < j->needed && journal_is_settled(j, j->next)) j->next++;
    if (j->next >= j->needed) return 0;
    *unit = j->next++;
    return 1;
}

typedef struct add_call {
    temper_journal *journal;
    uint64_t unit;
    const unsigned char *result;
    size_t size;
} add_call;

static void add(entry *e, void *context) {
    const add_call *c = context;
    set_trap(c->journal, e->trap);
    arena_reset(&c->journal->scratch);
    journal_keep(c->journal, c->unit, c->result, c->size);
}

temper_status temper_journal_add(temper_journal *journal, uint64_t unit, const unsigned char *result, size_t size,
                                 temper_error *err) {
    add_call call = {journal, unit, result, size};
    return entry_run(err, add, &call);
}
