/* The certificate about hard choices twice: by the prover and by the auditor, with facts by sets or by strings,
   whichever is asked for. Both write the same bytes, or neither writes any. */
#ifndef TESTS_CHOICE_TWINS_H
#define TESTS_CHOICE_TWINS_H

#include "choice_prover.h"
#include "random_model.h"

/* Whether it is proved; a failed check, with the model, if the two differ. `reach`, if there is one, is that of
   choice_prover.h, and `channels` their number. */
bool choice_twins(const char *source, size_t n, temper_type type, bool strings, size_t *channels, double *reach);

/* The same model with another read-out: `weight` times channel 0, which is 1 in all of these models, plus channel
   `channel` (0: nothing more). Its answer is not near 1/2 if the weight is large, so that certificates show what the
   facts and the recursion have, however large. */
void choice_opened(char out[RANDOM_MODEL_TEXT], const char *source, double weight, size_t channel);

/* Opened, and then opened at a random channel, so that the read-out's error shows that channel's. How many of the two
   are proved. */
size_t choice_twins_opened(const char *source, size_t n, temper_type type, bool strings, test_random *r);

/* The same at every channel. Whether the first is proved. */
bool choice_twins_everywhere(const char *source, size_t n, temper_type type, bool strings);

#endif
