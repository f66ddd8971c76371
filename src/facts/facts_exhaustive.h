/* Facts about strings of one length, by running each of them exactly: all there are, or some at random. */
#ifndef FACTS_FACTS_EXHAUSTIVE_H
#define FACTS_FACTS_EXHAUSTIVE_H

#include "facts/facts.h"

typedef struct string_watch {
    int (*progress)(void *context, uint64_t done, uint64_t total); /* may be NULL */
    void *context;
    uint64_t done, total;
} string_watch;

/* Counts a string; raises TEMPER_LIMIT when progress says stop. */
void string_watch_step(string_watch *w, trap *t);

/* The number of strings of length n, UINT64_MAX if it is larger; and of all up to n. */
uint64_t strings_of_length(size_t letters, size_t n);
uint64_t strings_up_to(size_t letters, size_t n);

/* The next string in order; false after the last one. */
bool next_string(uint32_t *letters, size_t n, size_t letter_count);
void random_string(uint32_t *letters, size_t n, size_t letter_count, uint64_t *state);

facts *facts_exhaustive(const subject_model *s, size_t n, string_watch *watch, arena *keep, arena *scratch);
/* Nothing is proved by these: `count` random strings. */
facts *facts_sampled(const subject_model *s, size_t n, uint64_t count, uint64_t seed, string_watch *watch,
                     arena *keep, arena *scratch);

#endif
