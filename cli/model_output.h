/* Models on their way out: printed, or written to the file of -o. */
#ifndef CLI_MODEL_OUTPUT_H
#define CLI_MODEL_OUTPUT_H

#include "message.h"

/* The text of a stage of the compiler on standard output, below a title if `titled`; with --json as an object. */
void stage_print(session *s, const char *name, const char *text, size_t length, bool titled);

/* Both return false after a message. */
bool model_output_print(session *s, const temper_model *model, const char *name, bool titled);
bool model_output_write(size_t *bytes, session *s, const temper_model *model, const char *path);

/* Three digits of a bound that stays one: rounded up for an upper bound, down for a lower one. */
const char *bound_show(char out[32], double value, bool up);

#endif
