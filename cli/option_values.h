/* How people write numbers and number formats on a command line. */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole number: 1000000, 1_000_000, 1e6, 1.5e6, 128k (128,000), 128Ki (131,072); also M, G, T, Mi, Gi, Ti. False:
   something else, a fraction, or more than 2^64 - 1. */
bool number_read(uint64_t *out, const char *text);

/* A number in decimals, such as 12 or 0.05, in any locale. */
bool decimal_read(double *out, const char *text);

/* The number of a choice from 1, or 0. */
uint64_t choice_read(const char *choices, const char *text);

/* A number format as temper calls it: fp32, float32 and single are f32, bfloat16 is bf16, half/float is f16/f32. "" if
   the text has no such names. */
const char *type_name_read(const char *text);

/* The number format one of whose names is nearest to `text`; "" if none is near. */
const char *type_name_nearest(const char *text);

/* A type in tiles, such as bf16/f32@tile128, by any name of its formats: its temper_type and 1, or 0. */
uint64_t tiled_type_read(const char *text);

/* The type in tiles whose name is nearest to `text`, which has an @; "" if none is near. */
const char *tiled_type_nearest(const char *text);

/* The choice that is nearest to `text`, into `out`; false if none is near. */
bool choice_nearest(char *out, size_t size, const char *choices, const char *text);

#endif
