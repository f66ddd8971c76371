/* The heart of the project as a test: oracle = hard = soft by temperature = soft by positions = soft by digits at
   every position, with the error before rounding below its bound and Boolean channels exactly 0.0 or 1.0. */
#ifndef TESTS_AGREE_H
#define TESTS_AGREE_H

#include "temper.h"
#include "test.h"

/* A specification from text and a model of it; on failure a failed check and NULL. */
temper_spec *spec_of(const char *source, const char *letters, temper_at at);
temper_model *model_of(const temper_spec *spec, temper_method method); /* digits: of bf16 */
temper_model *digits_of(const temper_spec *spec, temper_type type);

typedef struct agree_set {
    const char *name; /* for messages */
    const temper_spec *spec;
    temper_model *hard, *soft[3]; /* temperature, positions, digits of a format that the name decides */
} agree_set;

/* Compiles; on failure counts a failed check, prints the error and returns false. */
bool agree_compile(agree_set *s, const char *name, const temper_spec *spec);
void agree_free(agree_set *s);

/* Compares all on one string; channels too if `inside`. False and one failed check if anything differs. */
bool agree_on(const agree_set *s, const uint32_t *word, size_t n, bool inside);

#endif
