/* The forms that position features and scales take in models of formulas: doc/certificate.md, "Quantities". Found in the text of the
   expression, in which a position counted from the end, N - 1 - i, stands for i. */
#ifndef BOUND_FEATURE_FORM_H
#define BOUND_FEATURE_FORM_H

#include <stdbool.h>

#include "base/arena.h"
#include "model/expression.h"

typedef enum form_size {
    FORM_UNKNOWN,
    FORM_CONSTANT, /* |c| */
    FORM_BOOLEAN,  /* 1 */
    FORM_POWER,    /* c M^power */
    FORM_SHARE,    /* at most 1, on no grid */
    FORM_RATIO,    /* c M^power, on no grid */
    FORM_LOG,      /* ln M + c, on no grid */
    FORM_LOG_STEP, /* the least multiple of 4 that is not below ln N + c */
    FORM_DIGIT,    /* below c, and M/(2 d): whole */
    FORM_TOP,      /* M/(2 c), whole */
    FORM_CEIL2     /* the least power of two that is not below c N, divided by d */
} form_size;

typedef struct feature_form {
    form_size size;
    int power;
    int squares;    /* shares: how many of i*i and N*N are in it */
    bool logarithm; /* shares: ln(max(i, 1))/(c*N) */
    double c, d;    /* constants found in it */
} feature_form;

/* FORM_UNKNOWN if there is no such form. */
feature_form feature_form_of(const expression *e, arena *scratch);

#endif
