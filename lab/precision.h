/* What the parts of `temper lab precision` share: the operators, and the length at which theory has each of them
   break. */
#ifndef LAB_PRECISION_H
#define LAB_PRECISION_H

#include "base/text.h"
#include "number/number_type.h"

typedef enum breaking_operator {
    BREAKS_ONCE,
    BREAKS_SINCE,
    BREAKS_YESTERDAY,
    BREAKS_COMPARE,
    BREAKS_BALANCE,
    BREAKS_LOOKUP,
    BREAKS
} breaking_operator;

/* What ends an operator first. */
typedef enum law_kind {
    LAW_NEVER,     /* nothing does */
    LAW_PRECISION, /* too few bits: positions, logits or counts that should differ are equal */
    LAW_OVERFLOW,  /* a scale, a feature or a logit leaves the format */
    LAW_UNDERFLOW, /* a mean is stored as 0 */
    LAW_NONE       /* no law is known */
} law_kind;

typedef struct forecast {
    law_kind law;
    double size;     /* N, positions with sentinels; infinite: never; NaN: no law */
    const char *why; /* as a formula */
} forecast;

extern const char *const law_names[];

forecast precision_forecast(breaking_operator op, temper_method method, temper_type type);

#endif
