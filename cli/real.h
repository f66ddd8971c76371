/* Numbers with a point in lines of text: printf("%s bits", real_of("%.3g", x).text). What real_of gives lives as long as
   the statement. No locale changes it, which is not so of printf. */
#ifndef CLI_REAL_H
#define CLI_REAL_H

#include "temper.h"

typedef struct real {
    char text[340]; /* as many digits as a double has before the point, and more */
} real;

static inline real real_of(const char *format, double x) {
    real out = {""};
    temper_real_format(out.text, sizeof out.text, format, x);
    return out;
}

/* The number that a text is; NaN if it is none. */
static inline double real_read(const char *text) {
    double x;
    return temper_real_read(&x, text) ? x : __builtin_nan("");
}

#endif
