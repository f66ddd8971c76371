/* How commands say why a hard transformer cannot be softened for longer strings (temper_soften_explain). */
#ifndef CLI_LIMIT_SHOW_H
#define CLI_LIMIT_SHOW_H

#include "session.h"
#include "temper.h"

/* Finds it for strings up to a length and prints it on standard output, as text or as one object of JSON; false after
   a message. */
bool limit_show(session *s, const temper_model *hard, const temper_soften_options *asked);

#endif
