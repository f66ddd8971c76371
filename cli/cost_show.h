/* What a proof that goes through all lengths will take, said on standard error before it is made. */
#ifndef CLI_COST_SHOW_H
#define CLI_COST_SHOW_H

#include "session.h"
#include "temper.h"

void time_show(char out[32], double seconds); /* "42 s" */

/* `what` is about to be done for strings up to a length and takes `times` as long as the facts; nothing is said of
   what takes a few seconds, or with --quiet. */
void cost_show(session *s, const char *what, const temper_model *model, size_t length, double times);

#endif
