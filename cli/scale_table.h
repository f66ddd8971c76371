/* temper lab schedules --scale EXPR: how far softmax scales of one's own carry each operator. */
#ifndef CLI_SCALE_TABLE_H
#define CLI_SCALE_TABLE_H

#include "session.h"

void scale_table(session *s);

#endif
