/* Signs of life: what works for long says on standard error how far it is, and about how long it will go on. A thread
   looks at what the library does (temper_work_now) and at the progress of the command; it writes whole lines, to a
   terminal and to anything else, unless a bar is drawn there. */
#ifndef CLI_HEARTBEAT_H
#define CLI_HEARTBEAT_H

#include "session.h"

/* With --quiet nothing is said. The first line comes after eight seconds of work, or after those of the variable
   TEMPER_PROGRESS; 0 there: never. */
void heartbeat_start(const session *s, const char *name);
void heartbeat_stop(void);

/* A command's own count, said instead of the library's while it moves: from heartbeat_count with words until it is
   called with NULL. unit is a literal; total 0: not known. */
void heartbeat_count(const char *what);
void heartbeat_at(const char *unit, uint64_t done, uint64_t total);
void heartbeat_drawn(void); /* a bar has just been drawn */

#endif
