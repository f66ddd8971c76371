/* Random small hard transformers as text: 1-3 layers, all masks and choices, dyadic weights, with and without
   ties. */
#ifndef TESTS_RANDOM_MODEL_H
#define TESTS_RANDOM_MODEL_H

#include "temper.h"
#include "test.h"

typedef struct random_model_options {
    bool average;   /* heads that average, too: numbers with any denominator appear */
    bool fractions; /* position features such as 1/(i + 1), too */
    bool small;     /* one layer, or two with one head each */
    bool
        /* up to three letters and query rows, weights from 2^-20 to 1000, more features, gates, units that share
           rows */
        varied;
    bool extreme; /* and weights from 2^-30 to 2^30 */
} random_model_options;

enum { RANDOM_MODEL_TEXT = 1 << 14 };

/* Letters a and b, and with `varied` sometimes c. */
void random_model_text(char text[RANDOM_MODEL_TEXT], test_random *r, const random_model_options *o);

/* The same, read; on failure a failed check with the text, and NULL. */
temper_model *random_model(char text[RANDOM_MODEL_TEXT], test_random *r, const random_model_options *o);

/* Any model from text; on failure a failed check, and NULL. */
temper_model *model_from(const char *text);

#endif
