/* --journal of soften and certify: what they know of hard choices, length by length, as a job that goes on after a
   crash. */
#ifndef CLI_CHOICES_JOB_H
#define CLI_CHOICES_JOB_H

#include "progress.h"
#include "session.h"

typedef struct choices_job {
    temper_job *job;
    temper_journal *journal; /* complete; NULL without --journal */
} choices_job;

/* Does what the journal lacks; without --journal nothing. False after an error, which is said. */
bool choices_job_run(choices_job *c, session *s, const temper_model *model, size_t length, progress *bar);
/* Closes the journal; false if that fails, which is said. */
bool choices_job_end(choices_job *c, session *s);

#endif
