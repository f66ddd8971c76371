/* How much work the library may do before it gives up, and what it is doing: both of the whole process. A limit is
   written where the work is done, for an effort of 1; temper_limit_work multiplies all of them. */
#ifndef BASE_WORK_H
#define BASE_WORK_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_EFFORT = 1000 };

uint64_t work_limit(uint64_t usual);
bool work_is_raised(void);
/* The same where the usual limit is tried first, so that what it is enough for stays as it is. */
static inline uint64_t work_limit_if(bool raised, uint64_t usual) { return raised ? work_limit(usual) : usual; }

/* For who shows progress (temper_work_now): `what` is a literal, "making the cascade"; most is how many steps it may
   take, and ends it if it takes more; 0: not known. In several threads the last one is seen. */
void work_begin(const char *what, uint64_t most);
void work_at(uint64_t done);
/* The same where the steps are counted before: there will be so many, about, and any thread adds its own. */
void work_count(const char *what, uint64_t total);
void work_add(uint64_t steps);

#endif
