/* Plain runs in the compiler's own types (native_run.h) for each pair of formats that it has. */
#ifndef TESTS_NATIVE_FORMATS_H
#define TESTS_NATIVE_FORMATS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "number/elementary.h"
#include "number/ieee.h"
#include "run/positions.h"

static float bf16_of(float x) {
    uint32_t bits = f32_bits(x);
    return isnan(x) ? x : f32_from_bits((bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16);
}

/* A double to bf16 by way of float can round twice; rounding to odd first cannot. */
static float bf16_of_double(double x) {
    float f = (float)x;
    if (isfinite(f) && (double)f != x && !(f32_bits(f) & 1)) f = nextafterf(f, x > f ? INFINITY : -INFINITY);
    return bf16_of(f);
}

#define REAL     double
#define RUN(x)   native_f64##x
#define STORE(x) ((double)(x))
#define SUM(x)   ((double)(x))
#define EXP(x)   exp_f64(x)
#include "native_run.h"

#define REAL     float
#define RUN(x)   native_f32##x
#define STORE(x) ((float)(x))
#define SUM(x)   ((float)(x))
#define EXP(x)   exp_f32(x)
#include "native_run.h"

#define REAL     float
#define RUN(x)   native_bf16_f32##x
#define STORE(x) bf16_of_double(x)
#define SUM(x)   ((float)(x))
#define EXP(x)   exp_f32(x)
#include "native_run.h"

#define REAL     float
#define RUN(x)   native_bf16##x
#define STORE(x) bf16_of_double(x)
#define SUM(x)   bf16_of_double(x)
#define EXP(x)   bf16_of_double(exp_f64(x))
#include "native_run.h"

#define REAL     double
#define RUN(x)   native_f32_f64##x
#define STORE(x) ((double)(float)(x))
#define SUM(x)   (x)
#define EXP(x)   exp_f64(x)
#include "native_run.h"

#define REAL     double
#define RUN(x)   native_bf16_f64##x
#define STORE(x) ((double)bf16_of_double(x))
#define SUM(x)   (x)
#define EXP(x)   exp_f64(x)
#include "native_run.h"

#ifdef __FLT16_MAX__
#define REAL     float
#define RUN(x)   native_f16_f32##x
#define STORE(x) ((float)(_Float16)(x))
#define SUM(x)   ((float)(x))
#define EXP(x)   exp_f32(x)
#include "native_run.h"

#define REAL     _Float16
#define RUN(x)   native_f16##x
#define STORE(x) ((_Float16)(x))
#define SUM(x)   ((_Float16)(x))
#define EXP(x)   ((_Float16)exp_f64((double)(x)))
#include "native_run.h"
#endif

typedef void native_run(double *out, unsigned char *truth, const temper_model *m, const uint32_t *letters, size_t n,
                        bool hard, size_t tile);

static const struct native {
    temper_type type;
    native_run *run;
} natives[] = {
    {TEMPER_TYPE_F64, native_f64},           {TEMPER_TYPE_F32, native_f32},
    {TEMPER_TYPE_BF16_F32, native_bf16_f32}, {TEMPER_TYPE_BF16, native_bf16},
    {TEMPER_TYPE_F32_F64, native_f32_f64},   {TEMPER_TYPE_BF16_F64, native_bf16_f64},
#ifdef __FLT16_MAX__
    {TEMPER_TYPE_F16_F32, native_f16_f32},   {TEMPER_TYPE_F16, native_f16},
#endif
};

#endif
