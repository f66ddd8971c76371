/* The kernels with AVX-512: dense attention, its exps and wide scans of doubles in vectors of twice the length, the
   operations of kernels_ref.c in the same order, hence the same bits (the scans divide in another way, to the same
   quotients); the rest is kernels_avx2.c's. Compiled with -mavx512f -mavx512dq -mfma; on other processors the file is
   empty. */
#include "run/kernels_select.h"

#ifdef KERNELS_AVX512
#if !defined(__AVX512F__) || !defined(__AVX512DQ__)
#error "compile this file with -mavx512f -mavx512dq"
#endif

#include <immintrin.h>
#include "run/kernels.h"
#include "run/kernels_shape.h"

/* GROUP rows, that is PAIRS pairs, go together, TILE_VECTORS half vectors of keys or VALUES components at a time; up
   to MOST_BLOCKS blocks of at most PACKED components are packed at once, into PACKED_BYTES; states of groups take
   STATE_VECTORS; up to EXPS vectors' exps go side by side, since one is a long chain. */
enum { GROUP = 8, PAIRS = GROUP / 2, KEY_VECTORS = 3, TILE_VECTORS = 2 * KEY_VECTORS, VALUES = 4 };
enum {
    PACKED = 64,
    PAIRED = 16,
    PACKED_BYTES = 786432,
    MOST_BLOCKS = 4,
    STATE_VECTORS = 16384,
    EXPS = PAIRS,
    MOST_EXPS = EXPS
};
_Static_assert(BLOCK_VECTORS % (2 * TILE_VECTORS) == 0, "tiles of keys fill both lengths of a block");
_Static_assert(PACKED % VALUES == 0 && PACKED_BYTES >= 2 * PACKED * BLOCK_F32 * 2, "components and a block fit");

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 32")
/* Loops over registers have functions of their own, so that nothing else wants the registers. */
#define SEPARATE static __attribute__((noinline))

/* sum += a * b in place: left to itself the compiler moves sums between registers and memory. */
#define ADD_PRODUCT_IN(instruction, sum, a, b) __asm__(instruction " %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b))

/* ---- two rows in a vector ---- */

/* The largest lane of each half, in all lanes of it. No lane is NaN. */
INLINE __m512 max_halves_f32(__m512 x) {
    x = _mm512_max_ps(x, _mm512_shuffle_f32x4(x, x, 0xb1));
    x = _mm512_max_ps(x, _mm512_permute_ps(x, 0x4e));
    return _mm512_max_ps(x, _mm512_permute_ps(x, 0xb1));
}

INLINE __m512d max_halves_f64(__m512d x) {
    x = _mm512_max_pd(x, _mm512_shuffle_f64x2(x, x, 0xb1));
    return _mm512_max_pd(x, _mm512_permute_pd(x, 0x55));
}

/* The maxima of the halves of a in the lower half, those of b in the upper one. */
INLINE __m512 max_rows_f32(__m512 a, __m512 b) {
    return _mm512_max_ps(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee));
}

INLINE __m512d max_rows_f64(__m512d a, __m512d b) {
    return _mm512_max_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
}

/* The lanes of each half, added in the order of doc/numerics.md, in all lanes of it. */
INLINE __m512 sum_halves_f32(__m512 x) {
    x = _mm512_add_ps(x, _mm512_shuffle_f32x4(x, x, 0xb1));
    x = _mm512_add_ps(x, _mm512_permute_ps(x, 0x4e));
    return _mm512_add_ps(x, _mm512_permute_ps(x, 0xb1));
}

INLINE __m512d sum_halves_f64(__m512d x) {
    x = _mm512_add_pd(x, _mm512_shuffle_f64x2(x, x, 0xb1));
    return _mm512_add_pd(x, _mm512_permute_pd(x, 0x55));
}

/* The same for as many vectors as a half has lanes: the sums of x[k] in lane k of each half. */
INLINE __m512 sum_rows_f32(const __m512 *x) {
    __m512 four[4], two[2];
    UNROLL for (int k = 0; k < 4; k++) four[k] = _mm512_add_ps(_mm512_shuffle_f32x4(x[2 * k], x[2 * k + 1], 0x88),
                                                               _mm512_shuffle_f32x4(x[2 * k], x[2 * k + 1], 0xdd));
    UNROLL for (int k = 0; k < 2; k++) two[k] = _mm512_add_ps(_mm512_shuffle_ps(four[2 * k], four[2 * k + 1], 0x44),
                                                              _mm512_shuffle_ps(four[2 * k], four[2 * k + 1], 0xee));
    __m512 one = _mm512_add_ps(_mm512_shuffle_ps(two[0], two[1], 0x88), _mm512_shuffle_ps(two[0], two[1], 0xdd));
    return _mm512_permutexvar_ps(_mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15), one);
}

INLINE __m512d sum_rows_f64(const __m512d *x) {
    __m512d two[2];
    UNROLL for (int k = 0; k < 2; k++) two[k] = _mm512_add_pd(_mm512_shuffle_f64x2(x[2 * k], x[2 * k + 1], 0x88),
                                                              _mm512_shuffle_f64x2(x[2 * k], x[2 * k + 1], 0xdd));
    __m512d one = _mm512_add_pd(_mm512_unpacklo_pd(two[0], two[1]), _mm512_unpackhi_pd(two[0], two[1]));
    return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), one);
}

/* ---- dense attention, once per type ---- */

#define REAL                   float
#define VEC                    __m512
#define MASK                   __mmask16
#define LOWER                  0xff
#define LANES                  LANES_F32
#define BLOCK                  BLOCK_F32
#define NEAR                   80
#define NAME(x)                x##_f32
#define ZERO                   _mm512_setzero_ps
#define SET1                   _mm512_set1_ps
#define LOAD                   _mm512_loadu_ps
#define LOAD_SOME              _mm512_maskz_loadu_ps
#define STORE                  _mm512_storeu_ps
#define STORE_LOW(to, x)       _mm256_storeu_ps(to, _mm512_castps512_ps256(x))
#define STORE_HIGH(to, x)      _mm256_storeu_ps(to, _mm512_extractf32x8_ps(x, 1))
#define STORE_SOME             _mm512_mask_storeu_ps
#define UPPER(x)               _mm512_shuffle_f32x4(x, x, 0xee)
#define HALF_LOAD              _mm256_loadu_ps
#define HALF_STORE             _mm256_storeu_ps
#define DOUBLED(from)          _mm512_broadcast_f32x8(_mm256_loadu_ps(from))
#define ADD                    _mm512_add_ps
#define SUBTRACT               _mm512_sub_ps
#define MULTIPLY               _mm512_mul_ps
#define DIVIDE                 _mm512_div_ps
#define FAST(x)                FAST_##x##_F32
#define FMA                    _mm512_fmadd_ps
#define TWO_TO(k)              _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(k), 23))
#define MASKED_FMA             _mm512_mask3_fmadd_ps
#define ADD_PRODUCT(sum, a, b) ADD_PRODUCT_IN("vfmadd231ps", sum, a, b)
#define SQRT                   _mm512_sqrt_ps
#define MAX                    _mm512_max_ps
#define CHOOSE(mask, no, yes)  _mm512_mask_mov_ps(no, mask, yes)
#define EQUAL(a, b)            _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define UNEQUAL(a, b)          _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ)
#define LESS(a, b)             _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define FIRST                  _mm512_cvtss_f32
#define TOTAL                  _mm512_reduce_add_ps
#include "run/kernels_exp.inc"
#include "run/kernels_avx512.inc"

#undef REAL
#undef VEC
#undef MASK
#undef LOWER
#undef LANES
#undef BLOCK
#undef NEAR
#undef NAME
#undef ZERO
#undef SET1
#undef LOAD
#undef STORE
#undef STORE_LOW
#undef STORE_HIGH
#undef STORE_SOME
#undef UPPER
#undef HALF_LOAD
#undef HALF_STORE
#undef DOUBLED
#undef ADD
#undef SUBTRACT
#undef MULTIPLY
#undef DIVIDE
#undef FAST
#undef FMA
#undef TWO_TO
#undef MASKED_FMA
#undef ADD_PRODUCT
#undef LOAD_SOME
#undef TOTAL
#undef SQRT
#undef MAX
#undef CHOOSE
#undef EQUAL
#undef UNEQUAL
#undef LESS
#undef FIRST

#define REAL                   double
#define VEC                    __m512d
#define MASK                   __mmask8
#define LOWER                  0xf
#define LANES                  LANES_F64
#define BLOCK                  BLOCK_F64
#define NEAR                   400
#define NAME(x)                x##_f64
#define ZERO                   _mm512_setzero_pd
#define SET1                   _mm512_set1_pd
#define LOAD                   _mm512_loadu_pd
#define LOAD_SOME              _mm512_maskz_loadu_pd
#define STORE                  _mm512_storeu_pd
#define STORE_LOW(to, x)       _mm256_storeu_pd(to, _mm512_castpd512_pd256(x))
#define STORE_HIGH(to, x)      _mm256_storeu_pd(to, _mm512_extractf64x4_pd(x, 1))
#define STORE_SOME             _mm512_mask_storeu_pd
#define UPPER(x)               _mm512_shuffle_f64x2(x, x, 0xee)
#define HALF_LOAD              _mm256_loadu_pd
#define HALF_STORE             _mm256_storeu_pd
#define DOUBLED(from)          _mm512_broadcast_f64x4(_mm256_loadu_pd(from))
#define ADD                    _mm512_add_pd
#define SUBTRACT               _mm512_sub_pd
#define MULTIPLY               _mm512_mul_pd
#define DIVIDE                 _mm512_div_pd
#define FAST(x)                FAST_##x##_F64
#define FMA                    _mm512_fmadd_pd
#define TWO_TO(k)              _mm512_castsi512_pd(_mm512_slli_epi64(_mm512_castpd_si512(k), 52))
#define MASKED_FMA             _mm512_mask3_fmadd_pd
#define ADD_PRODUCT(sum, a, b) ADD_PRODUCT_IN("vfmadd231pd", sum, a, b)
#define SQRT                   _mm512_sqrt_pd
#define MAX                    _mm512_max_pd
#define CHOOSE(mask, no, yes)  _mm512_mask_mov_pd(no, mask, yes)
#define EQUAL(a, b)            _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#define UNEQUAL(a, b)          _mm512_cmp_pd_mask(a, b, _CMP_NEQ_UQ)
#define LESS(a, b)             _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define FIRST                  _mm512_cvtsd_f64
#define TOTAL                  _mm512_reduce_add_pd
#include "run/kernels_exp.inc"
#include "run/kernels_avx512.inc"

/* ---- scans ---- */

#include "run/kernels_avx512_scan.inc"

/* ---- the fast exp of any number ---- */

static void exp_all_f32(float *out, const float *x, size_t n) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512 a = _mm512_loadu_ps(x + i), shifted;
        __mmask16 positive = _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_GT_OQ);
        a = _mm512_max_ps(_mm512_set1_ps(FAST_LEAST_F32), a);
        a = _mm512_min_ps(_mm512_set1_ps(FAST_LARGEST_F32), a);
        polynomial_f32(&a, &shifted, 1);
        a = _mm512_mask_add_ps(a, positive, a, a);
        __m512i k = _mm512_castps_si512(shifted);
        k = _mm512_slli_epi32(_mm512_mask_sub_epi32(k, positive, k, _mm512_set1_epi32(1)), 23);
        _mm512_storeu_ps(out + i, _mm512_mul_ps(a, _mm512_castsi512_ps(k)));
    }
    for (; i < n; i++) out[i] = exp_fast_f32(x[i]);
}

/* ---- what AVX2 does as well ---- */

static void exp_all_f64(double *out, const double *x, size_t n) { kernels_avx2.exp_f64(out, x, n); }

static void scan_values_f32(scan_f32 *state, float *out, const float *logits, const float *values, size_t stride,
                            size_t n, size_t width, bool exclusive) {
    kernels_avx2.scan_f32(state, out, logits, values, stride, n, width, exclusive);
}

static void scan_lanes_f64(double *state, double *out, const double *logits, const double *values, size_t stride,
                           size_t n, size_t lanes, size_t width, bool exclusive, bool backward) {
    kernels_avx2.scan_lanes_f64(state, out, logits, values, stride, n, lanes, width, exclusive, backward);
}

static void scan_lanes_f32(float *state, float *out, const float *logits, const float *values, size_t stride,
                           size_t n, size_t lanes, size_t width, bool exclusive, bool backward) {
    kernels_avx2.scan_lanes_f32(state, out, logits, values, stride, n, lanes, width, exclusive, backward);
}

const kernels kernels_avx512 = {
    .name = "avx512",
    .exp_f64 = exp_all_f64,
    .exp_f32 = exp_all_f32,
    .scan_f64 = scan_values_f64,
    .scan_f32 = scan_values_f32,
    .scan_lanes_f64 = scan_lanes_f64,
    .scan_lanes_f32 = scan_lanes_f32,
    .dense_f64 = dense_rows_f64,
    .dense_f32 = dense_rows_f32,
    .exp_down_f64 = exp_down_all_f64,
    .exp_down_f32 = exp_down_all_f32,
};

#endif
