/* Scans with AVX2 and FMA, for one number type: included by kernels_avx2.c after kernels_avx2.h, whose header says how. */

/* Positions at a time, so that all of it stays in the first-level cache. Columns of a tile are often 4096 bytes apart,
   which the cache would put in the same place: inside a step they are SPACED. */
enum { NAME(STEP) = 64, NAME(SPACED) = NAME(STEP) + 8 };

/* What a step's positions do: the state is multiplied by `keep`, the new value by `weight`; results are divided. */
typedef struct NAME(step) {
    _Alignas(64) REAL keep[NAME(STEP)], weight[NAME(STEP)], divisor[NAME(STEP)], columns[8 * NAME(SPACED)];
} NAME(step);

/* `known`: the state has a maximum and no logit exceeds it. */
INLINE void NAME(weigh_some)(NAME(step) * step, const REAL *logits, const REAL *before, REAL m, size_t at,
                             const bool known) {
    VEC empty = SET1(-INFINITY), one = SET1(1), top = SET1(m), x[EXPS], larger[EXPS];
    UNROLL for (int w = 0; w < EXPS; w++) {
        VEC l = LOAD(logits + w * LANES);
        if (known) {
            x[w] = l - top;
            continue;
        }
        VEC most = LOAD(before + at + w * LANES);
        larger[w] = GREATER(l, most);
        x[w] = BLEND(NEGATIVE(l - most), empty, EQUAL(l, empty));
    }
    NAME(exp_down)(x, EXPS);
    UNROLL for (int w = 0; w < EXPS; w++) {
        STORE(step->keep + at + w * LANES, known ? one : BLEND(one, x[w], larger[w]));
        STORE(step->weight + at + w * LANES, known ? x[w] : BLEND(x[w], one, larger[w]));
    }
}

static void NAME(weigh_step)(NAME(step) * step, NAME(scan) * state, const REAL *logits, size_t n) {
    enum { ONCE = EXPS * LANES };
    _Alignas(32) REAL before[NAME(STEP)], last[ONCE];
    size_t whole = n / ONCE * ONCE;
    REAL m = state->m;
    VEC most = SET1(m), top = most;
    for (size_t i = 0; i < whole; i += LANES) top = MAX(LOAD(logits + i), top);
    if (whole < n) {
        for (size_t i = 0; i < ONCE; i++) last[i] = whole + i < n ? logits[whole + i] : -INFINITY;
        for (size_t i = 0; i < ONCE; i += LANES) top = MAX(LOAD(last + i), top);
    }
    if (m != -INFINITY && NAME(all_lanes)(EQUAL(top, most))) {
        for (size_t i = 0; i < whole; i += ONCE) NAME(weigh_some)(step, logits + i, NULL, m, i, true);
        if (whole < n) NAME(weigh_some)(step, last, NULL, m, whole, true);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        before[i] = m;
        m = logits[i] > m ? logits[i] : m;
    }
    for (size_t i = n; i < (n + ONCE - 1) / ONCE * ONCE; i++) before[i] = m;
    state->m = m;
    for (size_t i = 0; i < whole; i += ONCE) NAME(weigh_some)(step, logits + i, before, m, i, false);
    if (whole < n) NAME(weigh_some)(step, last, before, m, whole, false);
}

/* Four positions and four components at a time: values are transposed, so that the recurrence runs over the components
   of a position at once, and its results transposed back, in step->columns. The recurrence of s is run along, four
   times the same, and gives the divisors. n is a multiple of 4. */
INLINE void NAME(scan_fours)(REAL *v, REAL *sum, NAME(step) * step, size_t n, const REAL *next_values,
                             const REAL *next_out, size_t stride, const bool exclusive, const int fours) {
    FOUR state[2], s = FOUR_SET1(*sum), one = FOUR_SET1(1);
    UNROLL for (int g = 0; g < fours; g++) state[g] = FOUR_LOAD(v + 4 * g);
    for (size_t i = 0; i < n; i += 4) {
        FOUR keep[4], sums[4];
        if (next_values) { /* the next step's columns: too short and too far apart for the processor to foresee */
            size_t column = i / 8 * stride + i % 8 * 8;
            UNROLL for (size_t line = 0; line < 32; line += 64 / sizeof(REAL)) {
                _mm_prefetch((const char *)(next_values + column + line), _MM_HINT_T1);
                _mm_prefetch((const char *)(next_out + column + line), _MM_HINT_T0);
            }
        }
        UNROLL for (int k = 0; k < 4; k++) {
            keep[k] = FOUR_SET1(step->keep[i + (size_t)k]);
            FOUR before = s;
            s = FOUR_FMA(before, keep[k], FOUR_SET1(step->weight[i + (size_t)k]));
            sums[k] = exclusive ? before : s;
        }
        FOUR divisor = NAME(diagonal)(sums);
        divisor = FOUR_BLEND(divisor, one, FOUR_IS_ZERO(divisor));
        FOUR_STORE(step->divisor + i, divisor);
        UNROLL for (int g = 0; g < fours; g++) {
            FOUR x[4];
            REAL *at = step->columns + (size_t)(4 * g) * NAME(SPACED) + i;
            UNROLL for (int k = 0; k < 4; k++) x[k] = FOUR_LOAD(at + k * NAME(SPACED));
            NAME(transpose)(x);
            UNROLL for (int k = 0; k < 4; k++) {
                FOUR before = state[g];
                state[g] = FOUR_FMA(before, keep[k], x[k]);
                x[k] = exclusive ? before : state[g];
            }
            NAME(transpose)(x);
            UNROLL for (int k = 0; k < 4; k++) FOUR_STORE(at + k * NAME(SPACED), x[k] / divisor);
        }
    }
    UNROLL for (int g = 0; g < fours; g++) FOUR_STORE(v + 4 * g, state[g]);
    *sum = FOUR_FIRST(s);
}

INLINE void NAME(scan_steps)(REAL *v, REAL *sum, REAL *out, const REAL *values, size_t stride, NAME(step) * step,
                             const size_t n, bool more, bool exclusive, const int fours) {
    for (size_t d = 0; d < 4 * (size_t)fours; d++)
        for (size_t i = 0; i < n; i += 4)
            FOUR_STORE(step->columns + d * NAME(SPACED) + i,
                       FOUR_LOAD(step->weight + i) * FOUR_LOAD(values + d * stride + i));
    const REAL *next_values = more && fours == 2 ? values + NAME(STEP) : NULL, *next_out = out + NAME(STEP);
    if (exclusive)
        NAME(scan_fours)(v, sum, step, n, next_values, next_out, stride, true, fours);
    else
        NAME(scan_fours)(v, sum, step, n, next_values, next_out, stride, false, fours);
    for (size_t d = 0; d < 4 * (size_t)fours; d++)
        for (size_t i = 0; i + 8 <= n; i += 8) {
            FOUR a = FOUR_LOAD(step->columns + d * NAME(SPACED) + i);
            FOUR b = FOUR_LOAD(step->columns + d * NAME(SPACED) + i + 4);
            FOUR_STORE(out + d * stride + i, a);
            FOUR_STORE(out + d * stride + i + 4, b);
        }
    if (n % 8)
        for (size_t d = 0; d < 4 * (size_t)fours; d++)
            FOUR_STORE(out + d * stride + n - 4, FOUR_LOAD(step->columns + d * NAME(SPACED) + n - 4));
}

INLINE void NAME(scan_some)(REAL *v, REAL *sum, REAL *out, const REAL *values, size_t stride, NAME(step) * step,
                            size_t n, bool more, bool exclusive, const int fours) {
    if (n == NAME(STEP)) /* nearly always: loops of known length */
        NAME(scan_steps)(v, sum, out, values, stride, step, NAME(STEP), more, exclusive, fours);
    else
        NAME(scan_steps)(v, sum, out, values, stride, step, n, more, exclusive, fours);
}

/* What does not fill fours: one component, positions from .. n-1. */
static void NAME(scan_one)(REAL *v, REAL *out, const REAL *values, const NAME(step) * step, size_t from, size_t n,
                           bool exclusive) {
    for (size_t i = from; i < n; i++) {
        REAL before = *v;
        *v = FMA1(before, step->keep[i], step->weight[i] * values[i]);
        out[i] = (exclusive ? before : *v) / step->divisor[i];
    }
}

/* n <= STEP positions. */
static void NAME(scan_step)(NAME(scan) * state, REAL *out, const REAL *logits, const REAL *values, size_t stride,
                            size_t n, size_t width, bool more, bool exclusive) {
    NAME(step) step;
    NAME(weigh_step)(&step, state, logits, n);
    size_t whole = n / 4 * 4, d = 0;
    REAL s = state->s;
    for (; d + 8 <= width; d += 8) {
        s = state->s;
        NAME(scan_some)
        (state->v + d, &s, out + d * stride, values + d * stride, stride, &step, whole, more, exclusive, 2);
    }
    for (; d + 4 <= width; d += 4) {
        s = state->s;
        NAME(scan_some)
        (state->v + d, &s, out + d * stride, values + d * stride, stride, &step, whole, more, exclusive, 1);
    }
    for (size_t i = width < 4 ? 0 : whole; i < n; i++) {
        REAL before = s;
        s = FMA1(before, step.keep[i], step.weight[i]);
        step.divisor[i] = exclusive ? before : s;
        if (step.divisor[i] == 0) step.divisor[i] = 1;
    }
    for (size_t c = 0; c < width; c++)
        NAME(scan_one)(state->v + c, out + c * stride, values + c * stride, &step, c < d ? whole : 0, n, exclusive);
    state->s = s;
}

static void NAME(scan_values)(NAME(scan) * state, REAL *out, const REAL *logits, const REAL *values, size_t stride,
                              size_t n, size_t width, bool exclusive) {
    for (size_t d = 0; d < width && n >= NAME(STEP); d++) /* the first step's, as scan_fours does it for the next */
        for (size_t line = 0; line < NAME(STEP); line += 64 / sizeof(REAL)) {
            _mm_prefetch((const char *)(values + d * stride + line), _MM_HINT_T1);
            _mm_prefetch((const char *)(out + d * stride + line), _MM_HINT_T0);
        }
    for (size_t i = 0; i < n; i += NAME(STEP)) NAME(scan_step)
    (state, out + i, logits + i, values + i, stride, n - i < NAME(STEP) ? n - i : NAME(STEP), width,
     n - i >= 2 * NAME(STEP), exclusive);
}
