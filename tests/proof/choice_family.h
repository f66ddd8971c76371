/* Families of small models about hard choices: one shape, with numbers that are drawn near the place where a
   condition ceases to hold. Each is certified twice, opened (choice_twins.h). */
#ifndef TESTS_CHOICE_FAMILY_H
#define TESTS_CHOICE_FAMILY_H

#include "choice_twins.h"
#include "number/number_type.h"

typedef struct choice_family {
    test_random *r;
    temper_type which;
    const number_format *s, *a; /* of storage and of sums */
    size_t n;
    bool end, first;
    int letters;
    char channels[2000], embedding[2000], body[8000], text[RANDOM_MODEL_TEXT];
    size_t tries, proofs;
} choice_family;

/* A new model, with channel 0, which is 1; n is the length that is asked for. */
void family_begin(choice_family *f, temper_type type, size_t n);
/* One line for each letter and sentinel, each with a number of its own on channel c; values repeat. */
void family_embed(choice_family *f, int c, const double *values, int count);
void family_check(choice_family *f, bool strings);

/* Calls `make` so often; at least one in five of the models is proved. */
void family_run(choice_family *f, const char *name, void (*make)(choice_family *), size_t times);

void family_put(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define CHANNELS(f, ...) family_put((f)->channels, sizeof(f)->channels, __VA_ARGS__)
#define BODY(f, ...)     family_put((f)->body, sizeof(f)->body, __VA_ARGS__)

bool one_in(choice_family *f, uint64_t k);
int from_to(choice_family *f, int lo, int hi);
double between(choice_family *f, double lo, double hi); /* its logarithm is uniform */
double weight_of(double x);                             /* x, but neither 0 nor infinite */
#define PICK(f, array) ((array)[random_below((f)->r, sizeof(array) / sizeof *(array))])

extern const char *const FAMILY_MASKS[5], *const FAMILY_CHOICES[3];
temper_type any_type(choice_family *f);

#endif
