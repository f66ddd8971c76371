/* The results of a job's units: in memory and, if there is a path, in an append-only file. The file is text:

       temper-journal 1 NAME DIGEST UNITS SUM
       UNIT RESULT SUM
       ...

   RESULT is in hexadecimal ("-": empty), SUM the first 64 bits of the SHA-256 of the digest, a blank and the line
   before SUM. A record is one write; what a crash leaves behind it is cut off when the file is opened again. */
#ifndef JOB_JOURNAL_H
#define JOB_JOURNAL_H

#include "job/job.h"

typedef struct journal_result {
    const unsigned char *bytes; /* NULL: not known */
    size_t size;
} journal_result;

struct temper_journal {
    const temper_job *job;
    arena memory, scratch;
    journal_result *results;      /* [units] */
    uint64_t next, first_unknown; /* the next to hand out; all before first_unknown are settled */
    uint64_t needed;              /* units from here on are not needed */
    uint64_t kept, dropped;
    int fd;           /* -1: memory only */
    const char *path; /* in memory */
    uint64_t size;    /* of the file, whole records only */
    int64_t synced;   /* when, in seconds */
    bool dirty;       /* something was written since */
};

/* The parts of the public functions that raise. */
void journal_start(temper_journal *j, const char *path, const temper_job *job); /* arenas are set up, fd is -1 */
void journal_keep(temper_journal *j, uint64_t unit, const unsigned char *result, size_t size);
bool journal_is_settled(const temper_journal *j, uint64_t unit); /* known, or needless */

#endif
