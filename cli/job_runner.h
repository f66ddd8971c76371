/* Who does the units of a job: the threads of this process or, in temper-mpi, all processes of an MPI job. */
#ifndef CLI_JOB_RUNNER_H
#define CLI_JOB_RUNNER_H

#include "progress.h"
#include "session.h"

typedef struct job_runner {
    /* Does what the journal at `path` (NULL: in memory only) lacks, and leaves it in *journal for the caller to
       close. NULL and TEMPER_OK: another process has the results and answers. */
    temper_status (*run)(temper_journal **journal, session *s, const temper_job *job, const char *path, progress *bar,
                         temper_error *err);
} job_runner;

/* The threads of this process; --threads or else `threads` of them (0: one for each core). */
temper_status run_local(temper_journal **journal, session *s, const temper_job *job, const char *path,
                        unsigned threads, progress *bar, temper_error *err);

/* By the session's runner, with --journal; as job_runner.run. */
temper_status run_job(temper_journal **journal, session *s, const temper_job *job, progress *bar, temper_error *err);

/* Opens a journal, and warns if its end was damaged. */
temper_status open_journal(temper_journal **journal, session *s, const temper_job *job, const char *path,
                           temper_error *err);

/* temper, with commands whose jobs are done by a runner (NULL: here, and all commands); the exit code. */
int temper_main(int argc, char **argv, const job_runner *runner);

#endif
