/* Short text for pictures: how wide it is, cutting, wrapping, and numbers that do not depend on the locale. */
#ifndef DRAW_LABEL_H
#define DRAW_LABEL_H

#include "base/text.h"

/* How much room one character takes. */
typedef double label_measure(uint32_t code);

double label_columns(uint32_t code); /* terminal cells: 0 combining, 1, 2 wide */
double label_ems(uint32_t code);     /* a generous guess for sans-serif fonts, in units of the font size */

double label_width(const char *string, label_measure *measure);

/* The longest beginning that fits, followed by `ellipsis` if something was cut. Combining characters stay with the
   character they belong to. */
const char *label_cut(arena *a, const char *string, double room, label_measure *measure, const char *ellipsis);

/* Broken into at most `most` lines, at blanks where possible; the last is cut. Returns how many there are (at least
   one) in lines[0...]. */
size_t label_wrap(const char **lines, size_t most, arena *a, const char *string, double room, label_measure *measure,
                  const char *ellipsis);

/* User text on one line, without invisible characters; a combining character that comes first gets a dotted circle
   to stand on. */
const char *label_shown(arena *a, const char *string);

/* Decimal with `digits` significant digits, or as few as read back to the same double if digits is 0. */
void label_number(text *t, double x, int digits);

#endif
