/* How a run ends before its time: Ctrl-C, SIGTERM, --timeout. Files are old or new then, temporary ones are removed,
   journals keep what was done, and a message says how to go on. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include "session.h"

/* Sets what a signal does, and the timer; at the prompt only the timer, since signals are the prompt's. */
void stop_prepare(const session *s, const command *c, bool at_prompt);
/* The command is done: no timer any more. */
void stop_forget(void);

#endif
