/* run --stream: standard input as one endless string. */
#ifndef CLI_STREAM_INPUT_H
#define CLI_STREAM_INPUT_H

#include "session.h"

/* Feeds the letters of standard input to the stream and prints a line after each. Stops at the end of the input, at a
   letter that cannot be read, or when standard output is broken; what went wrong has then been said. */
void stream_input(session *s, const temper_model *model, const temper_run_options *o, temper_stream *stream);

#endif
