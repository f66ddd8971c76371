/* temper-mpi: temper's commands whose work is a job, with the units done by all processes of an MPI job. Rank 0 hands
   out the numbers of units one at a time, keeps the journal and answers; the others compute. A process that dies
   takes the MPI job with it; the same command then goes on from the journal. With one rank everything is done by that
   one. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "job_runner.h"

enum { TAG_READY = 1, TAG_RESULT, TAG_ERROR, TAG_UNIT };

static const uint64_t NO_UNIT = UINT64_MAX;

static int rank, ranks;
static int real_stderr = -1; /* of ranks that are silent unless something is wrong with them alone */

/* ---- all ranks do the same ---- */

/* What a silent rank said, for everybody to read. */
static void speak_up(void) {
    char part[4096];
    ssize_t got;
    fflush(stderr);
    if (real_stderr < 0) return;
    lseek(STDERR_FILENO, 0, SEEK_SET);
    while ((got = read(STDERR_FILENO, part, sizeof part)) > 0)
        if (write(real_stderr, part, (size_t)got) < 0) return;
}

/* Every rank reads the same arguments and files, and must come to the same job, or to none: what it is about to do is
   compared. */
static void meet(const char *about) {
    enum { LONGEST = 128 };
    char mine[LONGEST] = "", first[LONGEST];
    snprintf(mine, sizeof mine, "%s", about);
    memcpy(first, mine, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    int same = memcmp(first, mine, sizeof mine) == 0, all;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) return;
    if (!same) {
        speak_up();
        dprintf(real_stderr < 0 ? STDERR_FILENO : real_stderr,
                "temper-mpi: rank %d has another job than rank 0: do all machines see the same files and the same "
                "temper-mpi?\n",
                rank);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* so that all have spoken */
    MPI_Abort(MPI_COMM_WORLD, EXIT_INPUT);
}

/* ---- rank 0 ---- */

static void nap(void) {
    struct timespec t = {.tv_nsec = 200000};
    nanosleep(&t, NULL);
}

/* Waits for a message without taking a core from those who compute. */
static unsigned char *receive(MPI_Status *from, int *size) {
    int there = 0;
    for (;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, from);
        if (there) break;
        nap();
    }
    MPI_Get_count(from, MPI_BYTE, size);
    unsigned char *bytes = malloc((size_t)*size + 1);
    if (!bytes) MPI_Abort(MPI_COMM_WORLD, EXIT_LIMIT);
    MPI_Recv(bytes, *size, MPI_BYTE, from->MPI_SOURCE, from->MPI_TAG, MPI_COMM_WORLD, from);
    return bytes;
}

/* A result: the unit's number and its bytes. */
static temper_status keep_result(uint64_t *done, temper_journal *journal, const temper_job *job,
                                 const unsigned char *bytes, int size, temper_error *err) {
    uint64_t unit;
    memcpy(&unit, bytes, sizeof unit);
    *done += temper_job_weight(job, unit);
    return temper_journal_add(journal, unit, bytes + sizeof unit, (size_t)size - sizeof unit, err);
}

/* Until every other rank has been told that there is nothing left. After an error nothing more is handed out. */
static temper_status serve(temper_journal *journal, const temper_job *job, progress *bar, temper_status status,
                           temper_error *err) {
    uint64_t done = 0;
    for (int working = ranks - 1; working > 0;) {
        MPI_Status from;
        int size;
        unsigned char *bytes = receive(&from, &size);
        temper_error now = {0};
        temper_status came = TEMPER_OK;
        if (from.MPI_TAG == TAG_ERROR) {
            memcpy(&now, bytes, sizeof now);
            came = now.code;
        } else if (from.MPI_TAG == TAG_RESULT && !status) {
            came = keep_result(&done, journal, job, bytes, size, &now);
        }
        free(bytes);
        if (came && !status) {
            status = came;
            *err = now;
        }
        uint64_t unit;
        if (status || !temper_journal_next(&unit, journal)) unit = NO_UNIT;
        MPI_Send(&unit, 1, MPI_UINT64_T, from.MPI_SOURCE, TAG_UNIT, MPI_COMM_WORLD);
        if (unit == NO_UNIT) working--;
        if (bar) progress_step(bar, done, temper_job_about(job).total);
    }
    return status;
}

/* ---- the others ---- */

static temper_status send_result(temper_worker *worker, uint64_t unit, temper_error *err) {
    unsigned char *result, *message;
    size_t size;
    temper_status status = temper_worker_run(&result, &size, worker, unit, err);
    if (status) return status;
    message = malloc(sizeof unit + size);
    if (!message) MPI_Abort(MPI_COMM_WORLD, EXIT_LIMIT);
    memcpy(message, &unit, sizeof unit);
    memcpy(message + sizeof unit, result, size);
    MPI_Send(message, (int)(sizeof unit + size), MPI_BYTE, 0, TAG_RESULT, MPI_COMM_WORLD);
    free(message);
    temper_free(result);
    return TEMPER_OK;
}

static void work(const temper_job *job, unsigned threads) {
    temper_worker *worker;
    temper_error err;
    uint64_t unit;
    temper_status status = temper_worker_open(&worker, job, threads, &err);
    if (!status) MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_READY, MPI_COMM_WORLD);
    for (;;) {
        if (status) MPI_Send(&err, sizeof err, MPI_BYTE, 0, TAG_ERROR, MPI_COMM_WORLD);
        MPI_Recv(&unit, 1, MPI_UINT64_T, 0, TAG_UNIT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (unit == NO_UNIT) break;
        status = send_result(worker, unit, &err);
    }
    temper_worker_free(worker);
}

/* ---- both ---- */

static temper_status run_ranks(temper_journal **journal, session *s, const temper_job *job, const char *path,
                               progress *bar, temper_error *err) {
    unsigned threads = is_given(s, OPT_THREADS) ? (unsigned)s->opt.value[OPT_THREADS].number : 1;
    char about[128];
    *journal = NULL;
    snprintf(about, sizeof about, "%s %s", temper_job_about(job).name, temper_job_about(job).digest);
    meet(about);
    if (ranks == 1) return run_local(journal, s, job, path, threads, bar, err);
    if (rank > 0) {
        work(job, threads);
        return TEMPER_OK;
    }
    temper_status status = open_journal(journal, s, job, path, err);
    status = serve(*journal, job, status ? NULL : bar, status, err);
    if (!status) return status;
    temper_journal_close(*journal, NULL);
    *journal = NULL;
    return status;
}

/* Only rank 0 speaks; what others say is kept in case they alone have something to say. */
static void be_silent(void) {
    FILE *kept = tmpfile();
    int nowhere = open("/dev/null", O_WRONLY);
    fflush(stdout);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    if (!kept) return;
    real_stderr = dup(STDERR_FILENO);
    dup2(fileno(kept), STDERR_FILENO);
}

static const char usage[] =
    "Usage: mpirun [mpirun's options] temper-mpi check|limits|lab [arguments and options of temper's command]\n"
    "\n"
    "As temper check, limits or lab, but the units of work are done by all processes that mpirun\n"
    "starts; rank 0 hands them out, prints the result and writes the files. Give --journal FILE, so\n"
    "that after a crash the same command goes on from there. --threads is 1 unless given. temper help\n"
    "COMMAND has the options, temper-mpi(1) and doc/scale.md the rest.\n";

int main(int argc, char **argv) {
    static const job_runner runner = {run_ranks};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int code = EXIT_FINE;
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        if (rank == 0) fputs(usage, argc < 2 ? stderr : stdout);
        code = argc < 2 ? EXIT_INPUT : EXIT_FINE;
    } else {
        if (rank > 0) be_silent();
        code = temper_main(argc, argv, &runner);
    }
    meet("the end");
    MPI_Finalize();
    return rank == 0 ? code : EXIT_FINE;
}
