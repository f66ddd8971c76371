/* The journal of a job: whatever it holds, it is refused, or the job's result is that of the work itself. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

static temper_job *job;
static temper_spec *spec;
static temper_model *model;
static char path[40];

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    temper_error err;
    temper_spec_options o = {.alphabet = "ab"};
    temper_build_options build = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_check_options check = {.exhaustive = 3, .random = 2, .length = 5, .threads = 1};
    (void)argc, (void)argv;
    MUST(temper_spec_parse(&spec, "a S b", 5, &o, &err) == TEMPER_OK, "%s", err.text);
    MUST(temper_build(&model, spec, &build, &err) == TEMPER_OK, "%s", err.text);
    MUST(temper_check_job(&job, spec, model, &check, &err) == TEMPER_OK, "%s", err.text);
    snprintf(path, sizeof path, "/dev/shm/fuzz-journal-%d", (int)getpid());
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    temper_journal *journal;
    temper_check_result result;
    temper_error err;
    int stopped;
    FILE *file = fopen(path, "wb");
    MUST(file && fwrite(data, 1, size, file) == size && fclose(file) == 0, "no file in memory");
    temper_status status = temper_journal_open(&journal, path, job, &err);
    MUST(status == TEMPER_OK || err.text[0], "status %d, and no message", status);
    fuzz_count(status == TEMPER_OK);
    if (status == TEMPER_OK) {
        status = temper_job_run(&stopped, journal, 1, NULL, NULL, &err);
        if (status == TEMPER_OK) {
            MUST(temper_check_merge(&result, job, journal, &err) == TEMPER_OK, "%s", err.text);
            MUST(!result.counterexample, "a counterexample out of a journal");
            temper_check_clear(&result);
        }
        temper_journal_close(journal, NULL);
    }
    unlink(path);
    return 0;
}
