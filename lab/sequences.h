/* The suite of sequence tasks: what comes next, and what to write. Each has a specification and an oracle that was
   written without it. */
#ifndef LAB_SEQUENCES_H
#define LAB_SEQUENCES_H

#include "lab/lab.h"
#include "lab/sequence_oracles.h"

typedef struct sequence_task {
    const char *name;
    const char *about;    /* the definition, in words */
    const char *alphabet; /* one character a letter */
    const char *text;     /* the specification; its kind says which oracle there is */
    size_t layers, heads; /* by temperature, no more than these */
    next_oracle *next;    /* of a language model, else NULL */
    write_oracle *write;  /* of a transducer, else NULL */
    /* A string of n letters as the task has them. NULL: of a transducer any string, of a language model one that goes
       along the legal letters. */
    void (*make)(char *w, size_t n, uint64_t *random);
} sequence_task;

extern const sequence_task sequence_suite[];
size_t sequence_count(void);

/* A string of n letters into w, which has room for one byte more; of kind 0 typical, of kind 1 typical with a letter
   changed, of kind 2 any. */
void sequence_string(char *w, size_t n, const sequence_task *t, unsigned kind, uint64_t *random);

/* right[p] for p = 0 ... n: whether the run's outputs at position p are the oracle's. Of a transducer right[0] is not
   filled. */
void sequence_right(bool *right, const sequence_task *t, const temper_model *m, const temper_run *run, const char *w,
                    size_t n, arena *scratch);

/* doc/sequence.md's table of the suite: a test compares it with the page. */
const char *sequence_table(arena *a);

#endif
