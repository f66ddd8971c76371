/* A run in given number formats: numbers are stored in one and sums made in another, and every rounding that a real kernel makes is
   made, in a fixed order (doc/numerics.md has the table). The model is what it is in f64; what short formats do to it is the
   subject. With f64 for both this is forward.c, bit for bit. */
#ifndef RUN_FORMAT_RUN_H
#define RUN_FORMAT_RUN_H

#include "model/model.h"
#include "number/format.h"

typedef struct format_setting {
    const number_format *storage, *accumulation; /* every stored number is one of the accumulation format */
    bool hard;                                   /* each head's hard choice */
    bool dense;                                  /* all pairs, even where a pass gives the same bits */
    uint64_t
        shake; /* not 0: every logit of a softmax is moved by -1, 0 or 1 unit in the last place, as this seed says; all pairs */
} format_setting;

typedef struct format_answer {
    size_t size;          /* N */
    unsigned char *truth; /* [N] */
    double *margins; /* [heads] largest |a - nearest Boolean| of a stored output, -1 where values are no Booleans */
    double *x;       /* [N][channels] after the last layer */
    /* Overflow: weights of a row that have no finite sum, or an answer that is not finite. Then the run ended there. */
    bool broken;
    uint32_t layer, head; /* from 0; layer = layers: the answer itself */
    size_t position;
    double work; /* multiply-adds of all heads */
} format_answer;

/* Needs letters of the alphabet. The answer lives in `stream`; `scratch` is one head's. Raises TEMPER_LIMIT if heads would look at too
   many pairs. */
void format_run(format_answer *out, const temper_model *m, const uint32_t *letters, size_t n, const format_setting *s,
                arena *stream, arena *scratch);

#endif
