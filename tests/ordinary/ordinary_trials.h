/* What the tests of ordinary transformers share: settings by a number and their names in messages; specifications by
   a text and at random; changed weights. */
#ifndef TESTS_ORDINARY_TRIALS_H
#define TESTS_ORDINARY_TRIALS_H

#include "ordinary/files/ordinary_tensors.h"
#include "random_formula.h"
#include "ordinary/lower/ordinary_from_model.h"
#include "temper.h"
#include "test.h"

/* The bits of number: a Llama, weights in f16, a cache in f16, positions in digits. */
struct ordinary_options ordinary_setting(uint64_t number, size_t length);

/* For messages; static memory. */
const char *ordinary_setting_text(const char *name, const struct ordinary_options *o);

/* A specification over these letters, one character each; NULL: a failed check. */
temper_spec *ordinary_parse(const char *source, const char *letters);

/* A random expression over abc and its text; NULL: it is refused. */
enum { ORDINARY_REGEX = 2000 };
temper_spec *ordinary_random_regex(char out[ORDINARY_REGEX], test_random *r);

/* A small formula that looks back, and may count. */
random_shape ordinary_random_shape(test_random *r);

/* A random formula read from its text, which is freed with temper_free; NULL: a failed check. */
temper_spec *ordinary_random_formula(char **out, test_random *r, const random_shape *shape);

typedef struct ordinary_change {
    float *at, old;
    char what[200];
} ordinary_change;

/* One weight, most often one that is not 0, becomes another one that f16 holds; *at = old undoes it. false: the place
   holds none. */
bool ordinary_change_weight(ordinary_change *out, const ordinary_tensors *all, test_random *r);

#endif
