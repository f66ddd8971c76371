/* The kernels with AVX2 and FMA: the operations of kernels_ref.c in the same order, hence the same bits. Compiled
   with -mavx2 -mfma; on other processors the file is empty. */
#include "run/kernels_select.h"

#ifdef KERNELS_AVX2
#if !defined(__AVX2__) || !defined(__FMA__)
#error "compile this file with -mavx2 -mfma"
#endif

#include <immintrin.h>
#include <string.h>
#include "number/elementary.h"
#include "number/ieee.h"
#include "run/kernels.h"
#include "run/kernels_shape.h"

/* GROUP rows go together; a packed block has at most PACKED components; the sums of up to MOST_ROWS rows take
   SUM_VECTORS; EXPS vectors' exps go side by side, of double more, since its chain is longer; DENSE_EXPS in dense
   attention. */
enum { GROUP = 6, PACKED = 64, SUM_VECTORS = 32768, MOST_ROWS = 1008, EXPS_F32 = 2, EXPS_F64 = 4, MOST_EXPS = 4 };

/* sum += a * b in place: left to itself the compiler moves sums between registers and memory. */
#define ADD_PRODUCT_IN(instruction, sum, a, b) __asm__(instruction " %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b))

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

/* ---- exp of double: exp_f64 in four lanes ---- */

/* Two vectors as one, since a single chain of operations would mostly wait. */
typedef double pair __attribute__((vector_size(64)));
typedef uint64_t pair_bits __attribute__((vector_size(64)));

/* exp.c: from -NORMAL_SIZE to NORMAL_SIZE the result is normal. */
#define NORMAL_SIZE 0x1.6232bdd7abcd2p+9

/* x becomes exp(x); exp.c has the method and the names. Lanes beyond NORMAL_SIZE become nonsense. */
INLINE void exp_normal(pair *x) {
    pair shifted = *x * 0x1.71547652b82fep+0 + 0x1.8p+52;
    pair k = shifted - 0x1.8p+52;
    pair hi = *x - k * 0x1.62e42fefa38p-1;
    pair h = (hi + 0x1.8p+27) - 0x1.8p+27;
    pair t = (hi - h) - k * 0x1.ef35793c7673p-45;
    pair r = h + t;
    pair r2 = r * r;
    pair r4 = r2 * r2;
    pair p23 = 0x1.111111110e4fep-7 + r * 0x1.6c16c16c152e9p-10;
    pair p45 = 0x1.a01a01b5d7845p-13 + r * 0x1.a01a01ac85a1dp-16;
    pair p67 = 0x1.71ddeb1e4d63ap-19 + r * 0x1.27e4ce35a4518p-22;
    pair p89 = 0x1.af738d168addbp-26 + r * 0x1.1f8884029ca36p-29;
    pair q = (p45 + r2 * p67) + r4 * p89;
    pair p = 0x1.555555555555dp-3 + ((r * 0x1.5555555555558p-5 + r2 * p23) + r4 * q);
    pair head = 1.0 + (h + 0.5 * h * h);
    pair tail = t + (t * (0.5 * (r + h)) + r * r2 * p);
    *x = (pair)((pair_bits)(head + tail) + ((pair_bits)shifted << 52));
}

/* Where exp_normal does not hold: 0 below LEAST, which is common, or one by one. */
static __attribute__((noinline)) void exp_special(double *out, __m256d x) {
    __m256d below = _mm256_cmp_pd(x, _mm256_set1_pd(-0x1.74910d52d3051p+9), _CMP_LT_OQ);
    __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
    __m256d special = _mm256_cmp_pd(size, _mm256_set1_pd(NORMAL_SIZE), _CMP_NLE_UQ);
    _mm256_storeu_pd(out, _mm256_andnot_pd(below, _mm256_loadu_pd(out)));
    int lanes = _mm256_movemask_pd(_mm256_andnot_pd(below, special));
    double in[LANES_F64];
    _mm256_storeu_pd(in, x);
    for (int lane = 0; lane < LANES_F64; lane++)
        if (lanes >> lane & 1) out[lane] = exp_f64(in[lane]);
}

static void exp_all_f64(double *out, const double *x, size_t n) {
    const __m256d limit = _mm256_set1_pd(NORMAL_SIZE), sign = _mm256_set1_pd(-0.0);
    size_t k = 0;
    for (; k + 2 * LANES_F64 <= n; k += 2 * LANES_F64) {
        __m256d a = _mm256_loadu_pd(x + k), b = _mm256_loadu_pd(x + k + LANES_F64);
        __m256d special = _mm256_or_pd(_mm256_cmp_pd(_mm256_andnot_pd(sign, a), limit, _CMP_NLE_UQ),
                                       _mm256_cmp_pd(_mm256_andnot_pd(sign, b), limit, _CMP_NLE_UQ));
        pair y;
        memcpy(&y, x + k, sizeof y);
        exp_normal(&y);
        memcpy(out + k, &y, sizeof y);
        if (__builtin_expect(_mm256_movemask_pd(special) != 0, 0)) {
            exp_special(out + k, a);
            exp_special(out + k + LANES_F64, b);
        }
    }
    for (; k < n; k++) out[k] = exp_f64(x[k]);
}

/* ---- lanes ---- */

/* All ones in the lanes whose keys at, at+1, ... are in lo .. hi-1, of which at least one is. */
static inline __m256 lanes_f32(size_t lo, size_t hi, size_t at) {
    static const int32_t window[24] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    size_t skip = lo > at ? lo - at : 0, count = hi - at < LANES_F32 ? hi - at : LANES_F32;
    __m256i after = _mm256_loadu_si256((const __m256i *)(const void *)(window + 8 - skip));
    __m256i before = _mm256_loadu_si256((const __m256i *)(const void *)(window + 16 - count));
    return _mm256_castsi256_ps(_mm256_and_si256(after, before));
}

static inline __m256d lanes_f64(size_t lo, size_t hi, size_t at) {
    static const int64_t window[12] = {0, 0, 0, 0, -1, -1, -1, -1};
    size_t skip = lo > at ? lo - at : 0, count = hi - at < LANES_F64 ? hi - at : LANES_F64;
    __m256i after = _mm256_loadu_si256((const __m256i *)(const void *)(window + 4 - skip));
    __m256i before = _mm256_loadu_si256((const __m256i *)(const void *)(window + 8 - count));
    return _mm256_castsi256_pd(_mm256_and_si256(after, before));
}

static inline float sum_lanes_f32(__m256 x) {
    __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

static inline double sum_lanes_f64(__m256d x) {
    __m128d two = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

static inline float max_lanes_f32(__m256 x) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

static inline double max_lanes_f64(__m256d x) {
    __m128d two = _mm_max_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
}

static inline bool all_lanes_f32(__m256 x) { return _mm256_movemask_ps(x) == 255; }
static inline bool all_lanes_f64(__m256d x) { return _mm256_movemask_pd(x) == 15; }

INLINE void transpose_f32(__m128 *x) { _MM_TRANSPOSE4_PS(x[0], x[1], x[2], x[3]); }

INLINE void transpose_f64(__m256d *x) {
    __m256d a = _mm256_unpacklo_pd(x[0], x[1]), b = _mm256_unpackhi_pd(x[0], x[1]);
    __m256d c = _mm256_unpacklo_pd(x[2], x[3]), d = _mm256_unpackhi_pd(x[2], x[3]);
    x[0] = _mm256_permute2f128_pd(a, c, 0x20);
    x[1] = _mm256_permute2f128_pd(b, d, 0x20);
    x[2] = _mm256_permute2f128_pd(a, c, 0x31);
    x[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

/* Lane k of x[k]. */
INLINE __m128 diagonal_f32(const __m128 *x) {
    return _mm_blend_ps(_mm_blend_ps(x[0], x[1], 2), _mm_blend_ps(x[2], x[3], 8), 12);
}

INLINE __m256d diagonal_f64(const __m256d *x) {
    return _mm256_blend_pd(_mm256_blend_pd(x[0], x[1], 2), _mm256_blend_pd(x[2], x[3], 8), 12);
}

/* ---- dense attention and scans, once per type ---- */

#define REAL                   float
#define VEC                    __m256
#define LANES                  LANES_F32
#define BLOCK                  BLOCK_F32
#define EXPS                   EXPS_F32
#define DENSE_EXPS             3
#define NEAR                   0
#define USE_NEAR               false /* would save too little of the shorter exp */
#define NAME(x)                x##_f32
#define ZERO                   _mm256_setzero_ps
#define SET1                   _mm256_set1_ps
#define LOAD                   _mm256_loadu_ps
#define STORE                  _mm256_storeu_ps
#define FAST(x)                FAST_##x##_F32
#define SUBTRACT               _mm256_sub_ps
#define MULTIPLY               _mm256_mul_ps
#define FMA                    _mm256_fmadd_ps
#define TWO_TO(k)              _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(k), 23))
#define ADD_PRODUCT(sum, a, b) ADD_PRODUCT_IN("vfmadd231ps", sum, a, b)
#define FMA1                   fmaf
#define SQRT                   sqrtf
#define MAX                    _mm256_max_ps
#define BLEND                  _mm256_blendv_ps
#define EQUAL(a, b)            _mm256_cmp_ps(a, b, _CMP_EQ_OQ)
#define GREATER(a, b)          _mm256_cmp_ps(a, b, _CMP_GT_OQ)
#define NEGATIVE(a)            _mm256_or_ps(a, _mm256_set1_ps(-0.0f)) /* -|a| */
#define FOUR                   __m128
#define FOUR_LOAD              _mm_loadu_ps
#define FOUR_STORE             _mm_storeu_ps
#define FOUR_SET1              _mm_set1_ps
#define FOUR_FMA               _mm_fmadd_ps
#define FOUR_BLEND             _mm_blendv_ps
#define FOUR_IS_ZERO(a)        _mm_cmpeq_ps(a, _mm_setzero_ps())
#define FOUR_FIRST             _mm_cvtss_f32
#include "run/kernels_exp.inc"
#include "run/kernels_avx2.inc"
#include "run/kernels_avx2_scan.inc"
#include "run/kernels_avx2_lanes.inc"

#undef REAL
#undef VEC
#undef LANES
#undef BLOCK
#undef EXPS
#undef DENSE_EXPS
#undef NEAR
#undef USE_NEAR
#undef NAME
#undef ZERO
#undef SET1
#undef LOAD
#undef STORE
#undef FAST
#undef SUBTRACT
#undef MULTIPLY
#undef FMA
#undef TWO_TO
#undef ADD_PRODUCT
#undef FMA1
#undef SQRT
#undef MAX
#undef BLEND
#undef EQUAL
#undef GREATER
#undef NEGATIVE
#undef FOUR
#undef FOUR_LOAD
#undef FOUR_STORE
#undef FOUR_SET1
#undef FOUR_FMA
#undef FOUR_BLEND
#undef FOUR_IS_ZERO
#undef FOUR_FIRST

#define REAL                   double
#define VEC                    __m256d
#define LANES                  LANES_F64
#define BLOCK                  BLOCK_F64
#define EXPS                   EXPS_F64
#define DENSE_EXPS             EXPS_F64
#define NEAR                   400
#define USE_NEAR               true
#define NAME(x)                x##_f64
#define ZERO                   _mm256_setzero_pd
#define SET1                   _mm256_set1_pd
#define LOAD                   _mm256_loadu_pd
#define STORE                  _mm256_storeu_pd
#define FAST(x)                FAST_##x##_F64
#define SUBTRACT               _mm256_sub_pd
#define MULTIPLY               _mm256_mul_pd
#define FMA                    _mm256_fmadd_pd
#define TWO_TO(k)              _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(k), 52))
#define ADD_PRODUCT(sum, a, b) ADD_PRODUCT_IN("vfmadd231pd", sum, a, b)
#define FMA1                   fma
#define SQRT                   sqrt
#define MAX                    _mm256_max_pd
#define BLEND                  _mm256_blendv_pd
#define EQUAL(a, b)            _mm256_cmp_pd(a, b, _CMP_EQ_OQ)
#define GREATER(a, b)          _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define NEGATIVE(a)            _mm256_or_pd(a, _mm256_set1_pd(-0.0))
#define FOUR                   __m256d
#define FOUR_LOAD              _mm256_loadu_pd
#define FOUR_STORE             _mm256_storeu_pd
#define FOUR_SET1              _mm256_set1_pd
#define FOUR_FMA               _mm256_fmadd_pd
#define FOUR_BLEND             _mm256_blendv_pd
#define FOUR_IS_ZERO(a)        _mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_EQ_OQ)
#define FOUR_FIRST             _mm256_cvtsd_f64
#include "run/kernels_exp.inc"
#include "run/kernels_avx2.inc"
#include "run/kernels_avx2_scan.inc"
#include "run/kernels_avx2_lanes.inc"

/* ---- the fast exp of any number ---- */

static void exp_all_f32(float *out, const float *x, size_t n) {
    size_t i = 0;
    for (; i + LANES_F32 <= n; i += LANES_F32) {
        __m256 a = _mm256_loadu_ps(x + i);
        __m256 positive = _mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_GT_OQ), shifted;
        a = _mm256_max_ps(_mm256_set1_ps(FAST_LEAST_F32), a);
        a = _mm256_min_ps(_mm256_set1_ps(FAST_LARGEST_F32), a);
        polynomial_f32(&a, &shifted, 1);
        a = _mm256_blendv_ps(a, _mm256_add_ps(a, a), positive);
        __m256i k = _mm256_add_epi32(_mm256_castps_si256(shifted), _mm256_castps_si256(positive));
        _mm256_storeu_ps(out + i, _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32(k, 23))));
    }
    for (; i < n; i++) out[i] = exp_fast_f32(x[i]);
}

const kernels kernels_avx2 = {
    .name = "avx2",
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
