/* What recognise.c, recognise_heads.c and recognise_nets.c share: the contents of every channel as one goes through
   the layers. */
#ifndef RECOGNISE_RECOGNISE_WORK_H
#define RECOGNISE_RECOGNISE_WORK_H

#include "recognise/questions.h"
#include "recognise/recognised_model.h"

typedef enum content_kind {
    HOLDS_BOOLEAN, /* exactly 0 or 1: f on letters, start and end on the sentinels */
    HOLDS_FEATURE, /* a position feature that is no condition on letters */
    HOLDS_RAW,     /* a head's output in its own layer: near f on letters, anywhere in [0, 1] on sentinels */
    HOLDS_MEAN,    /* a count head's: of `sum` on letters, start and end on the sentinels */
    HOLDS_OWN,     /* of a balance: `sum` at the position, divided by i + 1, ... */
    HOLDS_COPY,    /* ... and a mean over all positions at the start sentinel, 0 elsewhere */
    HOLDS_UNKNOWN
} content_kind;

typedef struct content {
    content_kind kind;
    fn f;
    double start, end;
    uint32_t shape;   /* raw: of the head */
    count_id sum;     /* mean, own, copy */
    temper_mask mask; /* mean */
    bool whole;       /* mean: whole numbers on letters */
    bool negative;    /* feature: it may be below 0 */
    double weight;    /* mean, copy: sum of |weights| of the row it is the mean of; own: sum of the units' */
    size_t units;     /* own */
} content;

typedef struct change {
    uint32_t channel;
    content to;
} change;

/* How a function came about, for printing it: an AND, OR or XOR of literals. */
typedef struct origin {
    fn result;
    const fn *parts; /* the inputs that count positively, as they are, and the negations of the others */
    size_t count;
} origin;

typedef struct recognising {
    const temper_model *m;
    bool hard;
    arena *arena;
    questions q;
    recognised_model *out;
    content *now;         /* [channels] */
    position_form *forms; /* [channels] */
    uint32_t layer, head; /* of the message, from 1; 0: none */
    uint32_t *written;    /* [channels] the last layer that wrote it, from 1 */
    uint32_t *cleared;    /* [channels] the last layer whose net cleared it */
    change *changes;      /* of the present net */
    size_t change_count, change_capacity;
    uint32_t *raw; /* channels with unrounded values */
    size_t raw_count, raw_capacity;
    table shape_index, ramp_index, sum_index, stored_index;
    origin *origins;
    size_t origin_count, origin_capacity;
    const fn *logits; /* [outputs] rows of logits, on a grid; NULL: not made yet */
} recognising;

/* Not recognised, for this reason, at the present layer and head. */
_Noreturn void unlike(const recognising *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool is_zero(const content *x) {
    return x->kind == HOLDS_BOOLEAN && x->f == FN_FALSE && x->start == 0 && x->end == 0;
}

/* Records what number formats must hold. */
void keep_stored(recognising *w, const model_rows *r, uint32_t layer, uint32_t head);
void keep_weight(recognising *w, double weight, uint32_t layer, uint32_t head);
void keep_sum(recognising *w, exact_kind kind, double size, int grid);

/* Sum of |weights| of a row, with the grid of its terms. */
double row_weight(const recognising *w, const model_rows *r, size_t row, int *grid);

/* The heads of a layer, whose number is w->layer: shapes, and what they write. */
void recognise_heads(recognising *w);

/* Its net: shapes, and what channels hold after it. */
void recognise_net(recognising *w);

/* ---- read_off.c ---- */

/* The function as a formula, NULL if it is too large. */
const char *read_off(recognising *w, fn f);

/* ---- recognise_logits.c ---- */

/* Where every logit is within 2^-24 of these numbers. */
fn logits_near(recognising *w, const double *logits);

/* The different values of a row of logits where `where` holds. */
const double *logit_values(recognising *w, uint32_t output, fn where, size_t *count);

/* Its value at the start sentinel; TEMPER_LIMIT if doubles do not hold it. */
double logit_at_start(const recognising *w, uint32_t output);

#endif
