/* The inner loops of the runner: one table per instruction set. kernels_ref.c fills every entry in plain C and stays
   as the oracle. kernels_avx2.c and kernels_avx512.c do the same operations in the same order, so the bits are the
   same (doc/numerics.md says how). kernels_select.c picks at run time.

   Data comes in tiles: up to TILE positions, stored by channel: row r of a tile is `stride` numbers apart from row
   r + 1. */
#ifndef RUN_KERNELS_H
#define RUN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

enum { TILE = 512 };

/* The state of a scanned softmax head (constant query): m the largest logit so far (-inf: nothing yet), s the sum of
   exp(l - m), v[width] the sums of exp(l - m) * value. */
typedef struct scan_f64 {
    double m, s;
    double *v;
} scan_f64;

typedef struct scan_f32 {
    float m, s;
    float *v;
} scan_f32;

typedef struct kernels {
    const char *name;

    /* out[k] = exp(x[k]); f64: the bits of exp_f64; f32: the runner's own fast exp, below 1 ulp, exp(0) = 1 exactly,
       0 far below. out may be x. */
    void (*exp_f64)(double *out, const double *x, size_t n);
    void (*exp_f32)(float *out, const float *x, size_t n);

    /* n <= TILE positions in order: each is combined into the state, (m,s,v) with (l,1,value): s = s exp(m - m') +
       exp(l - m') and so on. out[d][i] = v[d]/s after position i (exclusive: before it; 0 while the state is empty).
       Sequential shape: the result of a string does not depend on how it is cut into tiles. */
    void (*scan_f64)(scan_f64 *state, double *out, const double *logits, const double *values, size_t stride,
                     size_t n, size_t width, bool exclusive);
    void (*scan_f32)(scan_f32 *state, float *out, const float *logits, const float *values, size_t stride, size_t n,
                     size_t width, bool exclusive);

    /* Scans of `lanes` strings side by side, a multiple of 8: number b of position i is at [i * lanes + b] of logits
       and of each row of values and out. state [2 + width][lanes] holds m, s and v of every string. The operations of
       a string are those of a scan of its own; `backward`: from the last position to the first. */
    void (*scan_lanes_f64)(double *state, double *out, const double *logits, const double *values, size_t stride,
                           size_t n, size_t lanes, size_t width, bool exclusive, bool backward);
    void (*scan_lanes_f32)(float *state, float *out, const float *logits, const float *values, size_t stride,
                           size_t n, size_t lanes, size_t width, bool exclusive, bool backward);

    /* Dense softmax attention with online softmax over blocks of keys. Row r of q [rows][size] is a query, scale
       included; kt [size][stride] and vt [width][stride] are keys and values by component; row r attends to keys
       first[r] .. end[r]-1. out [rows][width]; an empty range gives zeros. A row's result depends only on its own
       query and range. */
    void (*dense_f64)(double *out, const double *q, const double *kt, const double *vt, size_t stride,
                      const size_t *first, const size_t *end, size_t rows, size_t size, size_t width);
    void (*dense_f32)(float *out, const float *q, const float *kt, const float *vt, size_t stride,
                      const size_t *first, const size_t *end, size_t rows, size_t size, size_t width);

    /* The exp inside dense attention, for x <= 0 or NaN: below 1 ulp, exp(0) = 1 exactly, 0 below -708.74 and
       -87.68. */
    void (*exp_down_f64)(double *out, const double *x, size_t n);
    void (*exp_down_f32)(float *out, const float *x, size_t n);
} kernels;

extern const kernels kernels_reference;

/* The fastest table for this machine, or the one that TEMPER_KERNELS in the environment names: reference, avx2 or
   avx512. A name that this machine cannot run changes nothing. */
const kernels *kernels_select(void);

#endif
