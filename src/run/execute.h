/* The runner: a model on one string by its plan, tile by tile. Where everything looks one way, a tile goes through
   all layers before the next one is made. So memory does not grow with the length, but for look-up tables of
   peaked heads. Otherwise the whole string goes from layer to layer. */
#ifndef RUN_EXECUTE_H
#define RUN_EXECUTE_H

#include "run/kernels.h"
#include "job/parallel.h"
#include "run/plan.h"
#include "run/run_work.h"

/* Loops over positions that the compiler may also make for AVX2, chosen when the program starts. They only add and
   multiply element by element, without contraction, so the bits are the same. Sanitizers do not get along with such a
   choice. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&                         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

typedef struct execution {
    const temper_model *model;
    const model_plan *plan;
    const kernels *kernels;
    const uint32_t *letters;
    size_t n, size; /* N */
    bool hard;
    unsigned threads;
    unsigned char *truth; /* [outputs][N] out */
    double *logits;       /* [outputs][N] out; NULL: the model has none */
    double *margins;      /* [heads] out, -1 where values are no Booleans */
    arena *memory;        /* scratch; reset by the caller */
} execution;

/* False: a plan's precondition did not hold for these numbers; the caller evaluates densely instead. */
bool execute_f64(execution *e);
bool execute_f32(execution *e);

#endif
