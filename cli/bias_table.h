/* temper lab schedules --bias EXPR: how far terms of logits that depend on i - j carry each operator. */
#ifndef CLI_BIAS_TABLE_H
#define CLI_BIAS_TABLE_H

#include "session.h"

void bias_table(session *s);

#endif
