/* A compiled model that looks only back, run one position at a time, in constant memory per head. The state knows
   nothing of the final length. So one machine serves streams (N = i + 1 after i letters) and prefix trees (N fixed).

   Why that is right: Boolean channels are exact after every layer (doc/theory.md, "Boolean channels that heal") and
   mean the same whatever n is, so earlier rows need not be visited again; real-valued channels (means) are read only
   in their own row; and in the logits of doc/theory.md, "Heads", the part that depends on n separates the two classes
   c_j = 0 and c_j = 1 as wholes, so it is applied when a head reads its state. Per role:

       once      per class the number of keys and the sums of values; class 0 weighs exp(-(ln N + 8)) = exp(-8)/N
       nearest   per class (m, s, v) over the logits +-8j; class 1 is 8N above class 0
       count     sums of values
       compare   no state: the weight on the sentinel is sigmoid(16 N y_i)
       match     per pattern of keys (m, s, v) as for nearest; a class that has d conditions less is 8Nd below
       lookup    no state: the keys around j = c_i weigh exp(-16N/(i+1) (j - c_i)^2); those beyond two places
                 weigh less than 3 exp(-144) in all, far below any rounding, and are left out

   A model that looks only forward is the same machine in a mirror: steps begin at the end sentinel and go to the
   left, i and j above count from the end, leftmost is rightmost, and N = n + 2. It serves trees of suffixes; streams
   look back.

   A head is run by its role only if its rows are exactly those the compiler makes for that role; every channel
   that feeds a key or a value must be exactly 0 or 1 in every row. Hard choices are the limits of the same
   weights. */
#ifndef RUN_STEPPER_H
#define RUN_STEPPER_H

#include "model/model.h"

typedef struct stepper stepper; /* the program: immutable, may be shared between threads */

/* What depends on the position and the length only; in a prefix tree it is made once per depth. */
typedef struct step_place {
    double i, size; /* position, counted from where steps begin, and N */
    bool is_letter; /* neither of the sentinels */
    double once;    /* the weight of class 0 in once heads */
    double near[3]; /* look-up: the weight of keys at distance 0, 1, 2 */
    double *features;
} step_place;

typedef struct step_head step_head;

/* Scratch and results of one thread. */
typedef struct step_work {
    void *x, *out, *hidden, *memo, *base; /* in the number format of the stepper */
    double *margins; /* [heads]: largest |a - nearest Boolean| before rounding in letters' rows; -1: no Booleans;
                                 not computed for hard choices */
    bool broken;     /* something read is not what a head's role promises: answers mean nothing */
    const step_head *culprit; /* that head or one near it, NULL if there is none */
} step_work;

/* The program in arena a; the model must outlive it. Raises TEMPER_UNSUPPORTED naming the head if the model looks
   forward (mirrored: back, or reads no end sentinel) or a head's rows are not those of its role. */
stepper *stepper_new(arena *a, const temper_model *m, bool hard, bool mirrored, temper_type type);

size_t stepper_state_size(const stepper *s); /* bytes; a state is one flat block and may be copied with memcpy */
void stepper_start(const stepper *s, void *state);

void step_work_init(step_work *w, const stepper *s, arena *a);
void step_work_reset(step_work *w, const stepper *s);          /* forgets margins and `broken` */
double step_work_margin(const step_work *w, const stepper *s); /* the largest of all heads */
void step_place_init(step_place *p, const stepper *s, arena *a);
/* For position i of a string of length n; mirrored: for position n + 1 - i. */
void step_place_set(step_place *p, const stepper *s, size_t i, size_t n);

/* Takes the next position into the state, the start (mirrored: end) sentinel first; returns the truth of the first
   output there. */
bool stepper_step(const stepper *s, step_work *w, void *state, const step_place *p, uint32_t token);

/* The truth of any output at the position that was taken last. */
bool stepper_output(const stepper *s, const step_work *w, size_t output);
/* The number beside an output there. requires a model with logits */
double stepper_logit(const stepper *s, const step_work *w, size_t output);

/* "head 2.1 (a S b)", for messages; lives in arena a. */
const char *step_head_name(const step_head *h, arena *a);

#endif
