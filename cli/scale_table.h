/* temper lab schedules --scale EXPR: how far softmax scales of one's own carry each operator. */
#ifndef CLI_SCALE_TABLE_H
#define CLI_SCALE_TABLE_H

#include "session.h"

void scale_table(session *s);

/* What this table and that of biases share: --base, 0 if it is not given, --head-size and --type; false: an option is
   wrong, as was said. */
bool table_settings(double *base, size_t *head_size, temper_type *type, session *s);
/* Frees the figure, which may be NULL, and writes it to the file of -o. False: something went wrong, and was said. */
bool table_is_well(session *s, temper_status status, const temper_error *err, char *svg);

#endif
