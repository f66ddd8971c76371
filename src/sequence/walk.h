/* A language model on its way through a string: letter by letter where the number type can be streamed, else by a run
   of the whole prefix after each letter. */
#ifndef SEQUENCE_WALK_H
#define SEQUENCE_WALK_H

#include "model/model.h"

typedef struct walk {
    const temper_model *model;
    temper_run_options options;
    temper_stream *stream; /* NULL: whole runs */
    temper_run *run;
    uint32_t *word;
    size_t length, capacity;
    arena *memory;
    bool proved; /* everything so far */
} walk;

/* Raises TEMPER_UNSUPPORTED for a model that is no language model. What it holds is freed with arena a. */
void walk_open(walk *w, const temper_model *m, const temper_run_options *o, arena *a);

/* Errors go to t: a length that is not proved is TEMPER_LIMIT. */
void walk_restart(walk *w, trap *t);
void walk_push(walk *w, uint32_t letter, trap *t);

/* Whether an output holds after the letters so far. */
bool walk_output(const walk *w, size_t output);

/* The number beside it; NaN: there is none. */
double walk_logit(const walk *w, size_t output);

#endif
