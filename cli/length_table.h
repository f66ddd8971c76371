/* temper lab schedules --at LENGTHS: whether softmax scales carry each operator at these lengths. */
#ifndef CLI_LENGTH_TABLE_H
#define CLI_LENGTH_TABLE_H

#include "session.h"

void length_table(session *s);
/* temper lab schedules --scale EXPR --as pytorch: the scales as code. */
void scale_code(session *s);

#endif
