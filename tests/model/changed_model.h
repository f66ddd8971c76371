/* The model of a formula over a, b and c, with a piece of its text replaced wherever it stands: other sharpness,
   other scales. */
#ifndef TESTS_CHANGED_MODEL_H
#define TESTS_CHANGED_MODEL_H

#include "bytes.h"
#include "temper.h"
#include "test.h"

/* The text, without a digest; `from` NULL: as it was built. On failure a failed check and false. */
bool changed_text(bytes *out, const char *formula, temper_method method, const char *from, const char *to);

/* The same, read; NULL on failure. */
temper_model *changed_model(const char *formula, temper_method method, const char *from, const char *to);

#endif
