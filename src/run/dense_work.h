/* A dense run at work, which the three compilations of its text share. */
#ifndef RUN_DENSE_WORK_H
#define RUN_DENSE_WORK_H

#include "run/dense.h"
#include "run/run_work.h"

typedef struct dense_work {
    const temper_model *m;
    const dense_setting *s;
    const uint32_t *letters;
    size_t n, size; /* N */
    double *x;      /* [N][channels] stored */
    double *delta;  /* [N][channels] what a sublayer adds, being summed */
    doubt *doubt;   /* NULL: nobody asks */
    run_work told;
    arena *scratch; /* of one head */
    dense_answer *out;
} dense_work;

/* The pass, from the embedding to the answers. */
void dense_pass_f64(dense_work *p);
void dense_pass_f32(dense_work *p);
void dense_pass_any(dense_work *p);

#endif
