/* The dense pass: a model on a string, all pairs of positions, in any number format. It is the reference that every
   faster plan is compared with, and the only run in short formats. Numbers are stored in one format and sums are made
   in another; every rounding that a real kernel makes is made, in a fixed order (doc/numerics.md has the table). In
   f64 nothing is rounded beyond the doubles themselves.

   dense_pass.inc and dense_heads.inc are the one text of the pass. dense_f64.c and dense_f32.c compile it for doubles
   and for floats throughout, dense_any.c for every other pair of formats. */
#ifndef RUN_DENSE_H
#define RUN_DENSE_H

#include "model/model.h"
#include "number/format.h"
#include "run/adaptive_doubt.h"

/* A head that has just been evaluated; nothing of it is kept. */
typedef struct dense_view {
    const model_head *h;
    uint32_t layer, head;              /* from 0 */
    size_t size;                       /* N */
    const double *scales;              /* [N] of each row's scores, in the accumulation format */
    const double *x;                   /* [N][channels] what it read */
    const double *query, *key, *value; /* [N][query_size], [N][value_size], stored */
    const double *output;              /* [N][value_size] stored */
} dense_view;

typedef struct dense_watch {
    void (*see)(void *context, const dense_view *view);
    void *context;
} dense_watch;

typedef struct dense_setting {
    const number_format *storage, *accumulation; /* every stored number is one of the accumulation format */
    size_t tile;                                 /* keys that a softmax takes at a time; 0: all of a row */
    bool hard;                                   /* each head's hard choice */
    bool pairs;     /* all pairs, even where a pass over the string gives the same bits */
    bool unlimited; /* however many pairs there are */
    bool doubts;    /* look for adaptive heads that may take rounding for a gap */
    uint64_t
        /* not 0: every logit of a softmax is moved by -1, 0 or 1 unit in the last place, as this seed says; all
           pairs */
        shake;
    const dense_watch *watch; /* is shown every head; NULL: nobody looks */
    /* Not 0: of every head only this row and that of the start sentinel are computed, in O(N). The answer there is
       right if no key or value of a later head depends on what heads say in other rows. */
    size_t row;
    arena *keep; /* not NULL: what every head computes, and the channels of every layer, are kept there; all pairs */
} dense_setting;

/* What a run keeps of one head. */
typedef struct head_trace {
    double margin; /* largest |a - nearest Boolean| of a stored output, -1 where values are no Booleans */
    double scale;  /* at the last letter, if the scale reads the position */
    /* only if kept: */
    double *query, *key;    /* [N][query_size] */
    double *value, *output; /* [N][value_size] */
    double *scales;         /* [N] of each row */
    double *scores;         /* [N][N] as they were summed */
    double *logits;         /* [N][N] what goes through exp; NULL: a hard choice */
    double *weights;        /* [N][N] what values are multiplied by, divided by the sum of the row */
} head_trace;

typedef struct dense_answer {
    size_t size;          /* N */
    unsigned char *truth; /* [outputs][N] */
    double *logits;       /* [outputs][N]; NULL: the model has none */
    head_trace *heads;    /* [heads] */
    double *x;            /* [N][channels] after the last layer */
    double **channels;    /* [layers + 1] of [N][channels], only if kept */
    /* Overflow: weights of a row that have no finite sum, or an answer that is not finite. Then the run ended
       there. */
    bool broken;
    uint32_t layer, head; /* from 0; layer = layers: the answer of the output `head` */
    size_t position;
    double work;         /* multiply-adds of all heads */
    bool doubtful;       /* an answer depends on a gap that may be rounding ... */
    doubt_place doubted; /* ... of which this is the first */
} dense_answer;

/* Needs letters of the alphabet. The answer lives in `stream`; `scratch` is one head's. Raises TEMPER_LIMIT if heads
   would look at too many pairs. */
void dense_run(dense_answer *out, const temper_model *m, const uint32_t *letters, size_t n, const dense_setting *s,
               arena *stream, arena *scratch);

#endif
