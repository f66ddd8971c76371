/* What is said of outputs: which there are, and whether exactly one of a transducer's holds at each position. */
#ifndef CLI_OUTPUTS_SHOW_H
#define CLI_OUTPUTS_SHOW_H

#include "json.h"
#include "session.h"

/* "proved for strings of every length", without a full stop. */
void one_output_words(char *out, size_t size, const temper_one_output *one);

/* The members of an object. */
void one_output_json(json *j, const temper_one_output *one);

/* A line of check; a string that is not clear is a counterexample. */
void one_output_line(session *s, const temper_spec *spec);

/* A warning if there is a string that is not clear. */
void one_output_warn(session *s, const temper_spec *spec);

/* The table of explain, and the same as lines of JSON. Nothing for an acceptor. */
void outputs_print(const temper_model *model);
void outputs_json(const temper_model *model);

/* What show says of a run: for each output a row of 0 and 1, one for each letter, and before the first letter if it
   is a language model. Nothing for an acceptor. */
void outputs_of_run(session *s, const temper_model *model, const temper_run *run, const uint32_t *letters, size_t n);

#endif
