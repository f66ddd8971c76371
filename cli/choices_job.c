#include "choices_job.h"

#include "job_runner.h"
#include "message.h"

bool choices_job_run(choices_job *c, session *s, const temper_model *model, size_t length, progress *bar) {
    temper_error err;
    *c = (choices_job){0};
    if (!is_given(s, OPT_JOURNAL)) return true;
    const char *unit = bar->unit;
    bar->unit = "lengths";
    temper_status status = temper_choices_job(&c->job, model, length, &err);
    if (!status) status = run_local(&c->journal, s, c->job, s->opt.value[OPT_JOURNAL].text, 0, bar, &err);
    progress_clear(bar);
    bar->unit = unit;
    if (!status) return true;
    temper_job_free(c->job);
    message_error(s, &err, NULL, NULL, 0);
    return false;
}

bool choices_job_end(choices_job *c, session *s) {
    temper_error err;
    temper_status status = temper_journal_close(c->journal, &err);
    temper_job_free(c->job);
    if (status) message_error(s, &err, NULL, NULL, 0);
    return !status;
}
