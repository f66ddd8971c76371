/* Texts of specifications and exactly what comes of them: the message that refuses one, what is printed of one, and
   whether two of them mean the same. */
#ifndef TESTS_EXACT_TEXT_H
#define TESTS_EXACT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "temper.h"

typedef struct exact_text {
    const char *text, *expected;
    temper_spec_options options;
} exact_text;

/* Expected is "STATUS LINE:COLUMN: MESSAGE", and " | HINT" if there is one. */
void exact_refusal(const exact_text *x);
/* The same for a text of this length. */
void exact_refusal_of(const exact_text *x, size_t length);

/* Expected is what is printed, and that must parse back to the same text. */
void exact_print(const exact_text *x);

/* NULL, and a failed check: it is refused. */
temper_spec *exact_parse(const char *text, const temper_spec_options *o);

/* Expected is a text of this syntax that has the same truth at every position of all strings up to five letters, and
   the same answers. */
void exact_meaning(const exact_text *x, temper_syntax syntax);

#endif
