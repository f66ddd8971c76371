/* What a transducer writes: at every position the text of the one output that holds there. */
#ifndef LOGIC_WRITTEN_H
#define LOGIC_WRITTEN_H

#include <stdbool.h>

#include "base/text.h"
#include "temper.h"

/* Of outputs that hold where truth[k * stride] is not 0: the number of the only one, TEMPER_WRITES_NONE or
   TEMPER_WRITES_SEVERAL. */
long written_at(const unsigned char *truth, size_t outputs, size_t stride);

/* The texts one behind the other, with a blank between tokens that are not "". truth[k * stride + i] is output k at
   position i + 1, of n. Raises TEMPER_RANGE, with the position as the column, where no output holds or several do. */
void written_text(text *out, const char *const *names, size_t outputs, const unsigned char *truth, size_t stride,
                  size_t n, bool tokens);

/* Why there is no text at a position, as a sentence without a full stop: "at position 3 no output holds". */
void written_refusal(text *out, const char *const *names, size_t outputs, const unsigned char *truth, size_t stride,
                     size_t position);

#endif
