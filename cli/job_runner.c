#include "job_runner.h"

#include "message.h"

temper_status open_journal(temper_journal **journal, session *s, const temper_job *job, const char *path,
                           temper_error *err) {
    temper_status status = temper_journal_open(journal, path, job, err);
    if (!status && temper_journal_about(*journal).dropped)
        message_warning(s, "the end of the journal was damaged: %llu bytes are cut off, %llu of %llu units are kept",
                        (unsigned long long)temper_journal_about(*journal).dropped,
                        (unsigned long long)temper_journal_about(*journal).kept,
                        (unsigned long long)temper_job_about(job).units);
    return status;
}

temper_status run_local(temper_journal **journal, session *s, const temper_job *job, const char *path,
                        unsigned threads, progress *bar, temper_error *err) {
    if (is_given(s, OPT_THREADS)) threads = (unsigned)s->opt.value[OPT_THREADS].number;
    temper_status status = open_journal(journal, s, job, path, err);
    if (!status) status = temper_job_run(NULL, *journal, threads, progress_step, bar, err);
    if (!status) return status;
    temper_journal_close(*journal, NULL);
    *journal = NULL;
    return status;
}

temper_status run_job(temper_journal **journal, session *s, const temper_job *job, progress *bar, temper_error *err) {
    const char *path = is_given(s, OPT_JOURNAL) ? s->opt.value[OPT_JOURNAL].text : NULL;
    return s->runner ? s->runner->run(journal, s, job, path, bar, err)
                     : run_local(journal, s, job, path, 0, bar, err);
}
