/* SHA-256 by the instructions of x86-64 that are made for it: about seven times as fast as in C. */
#include "base/sha256_blocks.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

/* The instructions keep the state as words a b e f and c d g h, and do two rounds at a time. */
__attribute__((target("sha,sse4.1"))) static void blocks(uint32_t state[8], const unsigned char *p, size_t count) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    __m128i x = _mm_alignr_epi8(low, high, 8), y = _mm_blend_epi16(high, low, 0xf0);
    for (; count > 0; count--, p += 64) {
        __m128i w[4], x_before = x, y_before = y;
        for (int k = 0; k < 4; k++) w[k] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + 16 * k)), order);
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++) {
            __m128i more = _mm_loadu_si128((const __m128i *)(sha256_constants + 4 * k));
            more = _mm_add_epi32(more, w[k & 3]);
            y = _mm_sha256rnds2_epu32(y, x, more);
            x = _mm_sha256rnds2_epu32(x, y, _mm_shuffle_epi32(more, 0x0e));
            /* the four words that come sixteen words later */
            __m128i last = w[(k + 3) & 3], part = _mm_sha256msg1_epu32(w[k & 3], w[(k + 1) & 3]);
            part = _mm_add_epi32(part, _mm_alignr_epi8(last, w[(k + 2) & 3], 4));
            w[k & 3] = _mm_sha256msg2_epu32(part, last);
        }
        x = _mm_add_epi32(x, x_before);
        y = _mm_add_epi32(y, y_before);
    }
    low = _mm_shuffle_epi32(x, 0x1b);
    high = _mm_shuffle_epi32(y, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

sha256_blocks *sha256_blocks_fast(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1)) return NULL;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA ? blocks : NULL;
}
#else
sha256_blocks *sha256_blocks_fast(void) { return NULL; }
#endif
