/* A MODEL among the arguments: a file of temper, a folder of temper export, or an ordinary transformer. */
#ifndef CLI_MODEL_ARGUMENT_H
#define CLI_MODEL_ARGUMENT_H

#include "encode.h"

/* All return false after a message. */

/* The first argument, which is not there if nothing was given. */
bool model_argument_path(const char **out, session *s);

/* A model brings its own alphabet, reading position and method: options that would change them are refused. */
bool model_argument_refuse(session *s, bool with_formula);

/* Read, with the scales and the other letter that options give it. */
bool model_argument_read(temper_model **out, session *s, const char *path);

#endif
