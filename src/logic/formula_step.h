/* A formula that looks only back, evaluated letter by letter: the oracle of prefix trees. One that looks only forward
   is the same thing mirrored: its letters are given from the last to the first. Independent of transformers: it uses
   the recurrences of the operators, as formula_eval does for whole strings. */
#ifndef LOGIC_FORMULA_STEP_H
#define LOGIC_FORMULA_STEP_H

#include "logic/formula.h"

typedef struct formula_stepper formula_stepper; /* immutable, may be shared between threads */

/* The program of one or more roots in arena a, or NULL if some operator looks forward (mirrored: back). The formula
   must outlive it. */
formula_stepper *formula_stepper_new(arena *a, const formula *f, const node_id *roots, size_t count, bool mirrored);

size_t formula_stepper_state_size(const formula_stepper *s); /* bytes; copied with memcpy; 16-byte aligned */
size_t formula_stepper_value_size(const formula_stepper *s); /* bytes of scratch that one thread needs */
void formula_stepper_start(const formula_stepper *s, void *state);

/* The truth of the first root at the next position; mirrored: the position before. */
bool formula_stepper_step(const formula_stepper *s, void *state, unsigned char *values, uint32_t letter);

/* The truth of any root there, after a step. */
bool formula_stepper_output(const formula_stepper *s, const unsigned char *values, size_t root);

#endif
