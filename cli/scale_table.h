/* temper lab schedules --scale EXPR: how far softmax scales of one's own carry each operator. */
#ifndef CLI_SCALE_TABLE_H
#define CLI_SCALE_TABLE_H

#include "session.h"

void scale_table(session *s);

/* --base of this table or that of biases, 0 if it is not given; false: an option is wrong, as was said. */
bool table_settings(double *base, session *s);

#endif
