/* --scale: a model with other softmax scales, on purpose. */
#ifndef CLI_SCALE_H
#define CLI_SCALE_H

#include "message.h"
#include "session.h"

/* Replaces *model by a copy with the scales that --scale gives, if it gives any. False after a message. */
bool scale_model(temper_model **model, session *s);

#endif
