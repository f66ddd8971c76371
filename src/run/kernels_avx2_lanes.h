/* Scans of strings side by side with AVX2 and FMA, for one number type; kernels_avx2.c includes this file after kernels_avx2.h for
   float and for double. No include guard for that reason. A string is a lane, so nothing is shuffled; two vectors at a time,
   since a single chain of operations would mostly wait. */

/* `vectors` vectors of strings, all positions. */
INLINE void NAME(scan_some_lanes)(REAL *state, REAL *out, const REAL *logits, const REAL *values, size_t stride,
                                  size_t n, size_t lanes, size_t width, const bool exclusive, bool backward,
                                  const int vectors) {
    VEC m[2], s[2], empty = SET1(-INFINITY), one = SET1(1);
    UNROLL for (int w = 0; w < vectors; w++) {
        m[w] = LOAD(state + w * LANES);
        s[w] = LOAD(state + lanes + w * LANES);
    }
    REAL *v = state + 2 * lanes;
    for (size_t k = 0; k < n; k++) {
        size_t at = (backward ? n - 1 - k : k) * lanes;
        VEC keep[2], weight[2], divisor[2], x[2], larger[2];
        UNROLL for (int w = 0; w < vectors; w++) {
            VEC l = LOAD(logits + at + w * LANES);
            larger[w] = GREATER(l, m[w]);
            x[w] = BLEND(NEGATIVE(l - m[w]), empty, EQUAL(l, empty));
            m[w] = BLEND(m[w], l, larger[w]);
        }
        NAME(exp_down)(x, vectors);
        UNROLL for (int w = 0; w < vectors; w++) {
            keep[w] = BLEND(one, x[w], larger[w]);
            weight[w] = BLEND(x[w], one, larger[w]);
            VEC before = s[w];
            s[w] = FMA(before, keep[w], weight[w]);
            divisor[w] = exclusive ? before : s[w];
            divisor[w] = BLEND(divisor[w], one, EQUAL(divisor[w], ZERO()));
        }
        for (size_t d = 0; d < width; d++) {
            UNROLL for (int w = 0; w < vectors; w++) {
                size_t column = d * stride + at + (size_t)w * LANES;
                VEC before = LOAD(v + d * lanes + w * LANES);
                VEC after = FMA(before, keep[w], weight[w] * LOAD(values + column));
                STORE(v + d * lanes + w * LANES, after);
                STORE(out + column, (exclusive ? before : after) / divisor[w]);
            }
        }
    }
    UNROLL for (int w = 0; w < vectors; w++) {
        STORE(state + w * LANES, m[w]);
        STORE(state + lanes + w * LANES, s[w]);
    }
}

static void NAME(scan_lanes)(REAL *state, REAL *out, const REAL *logits, const REAL *values, size_t stride, size_t n,
                             size_t lanes, size_t width, bool exclusive, bool backward) {
    size_t b = 0;
    for (; b + 2 * LANES <= lanes; b += 2 * LANES) {
        if (exclusive) NAME(scan_some_lanes)
        (state + b, out + b, logits + b, values + b, stride, n, lanes, width, true, backward, 2);
        else NAME(scan_some_lanes)(state + b, out + b, logits + b, values + b, stride, n, lanes, width, false,
                                   backward, 2);
    }
    for (; b < lanes; b += LANES) {
        if (exclusive) NAME(scan_some_lanes)
        (state + b, out + b, logits + b, values + b, stride, n, lanes, width, true, backward, 1);
        else NAME(scan_some_lanes)(state + b, out + b, logits + b, values + b, stride, n, lanes, width, false,
                                   backward, 1);
    }
}
