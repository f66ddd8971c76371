/* How a command that runs a model runs it, and what it says of answers that are not proved. */
#ifndef CLI_RUN_SETTINGS_H
#define CLI_RUN_SETTINGS_H

#include "message.h"

/* What --hard, --unchecked, --scale, --type, --plan and --threads say. */
temper_run_options run_settings(const session *s);

/* Warns that the answer on n letters is unproved, and why. proof: in the type that is run. */
void warn_unproved(session *s, const temper_model *model, const temper_proof *proof, size_t n);

/* A model that carries a specification is expected to compute it. */
void warn_of_choices(session *s);

#endif
