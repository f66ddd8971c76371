/* A job: work split into numbered units whose results are short strings of bytes. This layer knows nothing of what
   the units do; each kind of job is a table of functions. Journals keep results (journal.h), run/job_run.c does units
   in threads, and temper-mpi does them on many machines. */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include "base/entry.h"
#include "base/sha256.h"
#include "base/text.h"

/* Told now and then how much more of a unit is done, in the measure of progress; true to give the unit up. */
typedef struct job_watch {
    bool (*tick)(void *context, uint64_t more);
    void *context;
} job_watch;

typedef struct job_kind {
    const char *name;
    /* A worker's state, in arena a, whose trap lives as long as the worker; `close` frees what is not in the
       arena. */
    void *(*open)(const temper_job *job, unsigned threads, arena *a);
    void (*close)(void *state);
    /* Does a unit; false: given up because the watch said so. */
    bool (*run)(text *result, void *state, uint64_t unit, const job_watch *watch);
    /* How many units, from 0 on, are needed at most, given the result of one; NULL: all. */
    uint64_t (*needed)(const temper_job *job, uint64_t unit, const unsigned char *result, size_t size);
    uint64_t (*weight)(const temper_job *job, uint64_t unit);
    /* Both may be NULL. is_needless: the unit's result is elsewhere, so it need not be done. kept: what to do when
       a result has come, in the one process that has the journal. */
    bool (*is_needless)(const temper_job *job, uint64_t unit);
    void (*kept)(const temper_job *job, const temper_journal *journal, uint64_t unit, arena *scratch);
} job_kind;

struct temper_job {
    arena arena;
    const job_kind *kind;
    const void *plan;       /* the kind's own */
    uint64_t units, narrow; /* units from `narrow` on use several threads themselves */
    uint64_t total;         /* weight */
    bool in_rows;           /* a unit takes less time where a worker did the one before it */
    char digest[SHA256_HEX + 1];
};

struct temper_worker {
    const temper_job *job;
    trap trap; /* of whichever call is under way */
    arena memory, scratch;
    unsigned threads;
    void *state;
    job_watch watch;
};

enum {
    JOB_MOST_UNITS = 1 << 28,    /* a journal in memory has a few words a unit */
    JOB_LONGEST_RESULT = 1 << 28 /* bytes: a record is one write, and a message of MPI has an int for its size */
};

/* An empty job, freed if the body fails. Its arena raises to the trap of the body until the maker takes it away. */
temper_job *entry_job(entry *e);
/* Raises TEMPER_LIMIT if the result of a unit is longer. */
void job_check_size(size_t size, uint64_t unit, trap *t);

/* As temper_worker_run; *result NULL and TEMPER_OK: given up. */
temper_status worker_run(unsigned char **result, size_t *size, temper_worker *w, uint64_t unit, temper_error *err);

#endif
