/* The functions that bench.py calls in libbench.so; the temper_* functions of the library are in it too. */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include "temper.h"

/* One causal head: out, q, k, v are [n][d]; the scale is 1/sqrt(d). 0: fine. */
TEMPER_API int bench_head_f32(float *out, const float *q, const float *k, const float *v, size_t n, size_t d,
                              int threads, int reference);
TEMPER_API int bench_head_f64(double *out, const double *q, const double *k, const double *v, size_t n, size_t d,
                              int threads, int reference);
TEMPER_API void bench_forget(void); /* frees the buffer that the heads keep */
TEMPER_API const char *bench_kernels_name(void);

/* What one writes first: three loops and libm. `scores` holds n numbers. */
TEMPER_API void bench_plain_f32(float *out, const float *q, const float *k, const float *v, float *scores, size_t n,
                                size_t d);
TEMPER_API void bench_plain_f64(double *out, const double *q, const double *k, const double *v, double *scores,
                                size_t n, size_t d);

/* One run of a model, beyond its proved length too; *accept gets the verdict, truth (NULL: not wanted) the answer at
   each of the N positions. */
TEMPER_API temper_status bench_model_run(int *accept, unsigned char *truth, const temper_model *model,
                                         const uint32_t *letters, size_t n, temper_type type, int threads,
                                         temper_error *err);

#endif
