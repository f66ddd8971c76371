/* show --row: one row of one head, from the query to the rounded output, soft beside hard. */
#ifndef CLI_SHOW_ROW_H
#define CLI_SHOW_ROW_H

#include "subject.h"

typedef struct row_place {
    size_t layer, head, position;
} row_place;

/* LAYER.HEAD@POSITION; false if it is not of that form. */
bool row_read(row_place *out, const char *text);

/* Both runs are captured; `soft` is the run as the model is, `hard` the one with hard choices. */
void row_print(const session *s, const temper_model *model, const temper_run *soft, const temper_run *hard,
               const uint32_t *letters, size_t n, const row_place *at);

#endif
