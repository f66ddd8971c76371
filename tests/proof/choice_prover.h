/* The certificate about hard choices that the parts of the prover (src/facts, src/bound) write, with facts by sets or
   by strings, whichever is asked for; certify takes the better one. */
#ifndef TESTS_CHOICE_PROVER_H
#define TESTS_CHOICE_PROVER_H

#include <stdbool.h>
#include <stddef.h>

#include "temper.h"

enum { PROVED_CHANNELS = 64 };

typedef struct choice_proved {
    char *text; /* the certificate, for free(); NULL: nothing is proved */
    size_t length;
    size_t channels;               /* 0: some length has no bounds */
    double reach[PROVED_CHANNELS]; /* sizes of channels after the last layer, with their errors */
    char why[300];                 /* facts cannot be found */
} choice_proved;

void choice_prove(choice_proved *out, const temper_model *m, const char *source, size_t n, temper_type type,
                  bool strings);

#endif
