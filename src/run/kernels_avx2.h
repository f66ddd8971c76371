/* Dense attention and scans with AVX2 and FMA, for one number type: kernels_avx2.c includes this file for float and for
   double after defining REAL, VEC, LANES, BLOCK, NAME and the vector operations. No include guard for that reason.

   Keys are in lanes, so nothing is shuffled before the end of a row. Rows go in groups of GROUP: a group's scores for
   one block of keys, in registers GROUP x 2 vectors at a time; maxima; weights; then weights times values, 3 rows x 4
   components at a time. All loops over registers have constant bounds and must be unrolled completely. */

/* Memory of one call, 0.7 MB on the stack. The rows of a chunk, as many as SUM_VECTORS holds, share one packed copy of
   a block: read in order, no two components in the same place of the cache, 0 behind the last key. Sizes and widths
   above PACKED go in pieces. */
typedef struct NAME(scratch) {
    _Alignas(64) REAL keys[PACKED * BLOCK];
    _Alignas(64) REAL values[PACKED * BLOCK];
    _Alignas(64) REAL scores[GROUP * BLOCK];
    _Alignas(64) VEC sums[SUM_VECTORS]; /* [row][1 + width]: the weights' sum, then the components' */
    REAL top[SUM_VECTORS / 2];          /* [row]: the largest score so far */
} NAME(scratch);

/* A block of keys by component: two vectors of keys, the tile of the score loop, at a time. The caller's array has
   components `stride` apart and tiles side by side; a packed one has a tile's components side by side. */
typedef struct NAME(keys) {
    const REAL *at;
    size_t tile, stride;
} NAME(keys);

/* One block as the rows of a chunk see it: its keys, and values [width][value_stride] from its first key. */
typedef struct NAME(block) {
    NAME(keys) keys;
    const REAL *values;
    size_t value_stride;
    size_t start, size, width;
} NAME(block);

/* acc[r][w] += q[r] * keys[w] for one component. */
INLINE void NAME(score_component)(VEC *acc, const REAL *q, size_t size, const REAL *keys, const int rows,
                                  const int vectors) {
    VEC key[8];
    UNROLL for (int w = 0; w < vectors; w++) key[w] = LOAD(keys + w * LANES);
    UNROLL for (int r = 0; r < rows; r++) {
        VEC query = SET1(q[(size_t)r * size]);
        UNROLL for (int w = 0; w < vectors; w++) acc[r * vectors + w] = FMA(query, key[w], acc[r * vectors + w]);
    }
}

/* scores[r][0 .. vectors*LANES) (+)= q[r] . keys, for components first .. end-1 of a query; tops[r] = the largest by
   lanes. MAX gives its second argument when the first is NaN. */
INLINE void NAME(score_tile)(REAL *scores, VEC *tops, const REAL *q, size_t size, const REAL *keys, size_t key_stride,
                             size_t first, size_t end, const int rows, const int vectors) {
    VEC acc[12];
    UNROLL for (int i = 0; i < rows * vectors; i++) acc[i] = ZERO();
    if (first > 0) {
        UNROLL for (int i = 0; i < rows * vectors; i++) acc[i] =
            LOAD(scores + i / vectors * BLOCK + i % vectors * LANES);
    }
    size_t c = first;
    for (; c + 8 <= end; c += 8) {
        UNROLL for (size_t step = 0; step < 8; step++)
            NAME(score_component)(acc, q + c + step, size, keys + (c + step - first) * key_stride, rows, vectors);
    }
    for (; c < end; c++) NAME(score_component)(acc, q + c, size, keys + (c - first) * key_stride, rows, vectors);
    UNROLL for (int r = 0; r < rows; r++) {
        VEC top = tops[r];
        UNROLL for (int w = 0; w < vectors; w++) {
            STORE(scores + r * BLOCK + w * LANES, acc[r * vectors + w]);
            top = MAX(acc[r * vectors + w], top);
        }
        tops[r] = top;
    }
}

/* Vectors from .. to-1 of a block of keys, whole tiles; tops from tiles whole_from .. whole_to-1 only. */
INLINE void NAME(score_rows)(REAL *scores, VEC *tops, const REAL *q, size_t size, const NAME(keys) * k, size_t first,
                             size_t end, size_t from, size_t to, size_t whole_from, size_t whole_to, const int rows) {
    VEC ignored[GROUP];
    UNROLL for (int r = 0; r < rows; r++) ignored[r] = ZERO();
    for (size_t w = from; w < to; w += 2) NAME(score_tile)
    (scores + w * LANES, w >= whole_from && w < whole_to ? tops : ignored, q, size, k->at + w / 2 * k->tile,
     k->stride, first, end, rows, 2);
}

/* One row, the caller's keys: eight vectors at a time. */
static size_t NAME(score_row)(REAL *scores, const REAL *q, size_t size, const NAME(keys) * k, size_t from,
                              size_t to) {
    VEC ignored = ZERO();
    for (; from + 8 <= to; from += 8)
        NAME(score_tile)(scores + from * LANES, &ignored, q, size, k->at + from * LANES, k->stride, 0, size, 1, 8);
    return from;
}

/* sums[r][c] += weights[r] * values[c] over vectors from .. to-1. */
INLINE void NAME(value_tile)(VEC *sums, size_t row_sums, const REAL *weights, const REAL *values, size_t value_stride,
                             size_t from, size_t to, const int rows, const int components) {
    VEC acc[12];
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int c = 0; c < components; c++) acc[r * components + c] =
        sums[(size_t)r * row_sums + (size_t)c];
    for (size_t w = from; w < to; w++) {
        VEC value[8];
        UNROLL for (int c = 0; c < components; c++) value[c] = LOAD(values + (size_t)c * value_stride + w * LANES);
        UNROLL for (int r = 0; r < rows; r++) {
            VEC weight = LOAD(weights + r * BLOCK + w * LANES);
            UNROLL for (int c = 0; c < components; c++) acc[r * components + c] =
                FMA(weight, value[c], acc[r * components + c]);
        }
    }
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int c = 0; c < components; c++)
        sums[(size_t)r * row_sums + (size_t)c] = acc[r * components + c];
}

INLINE void NAME(value_rows)(VEC *sums, const REAL *weights, const NAME(block) * b, size_t from, size_t to,
                             const int rows, const int components) {
    size_t row_sums = 1 + b->width, c = 0;
    for (; c + (size_t)components <= b->width; c += (size_t)components) NAME(value_tile)
    (sums + 1 + c, row_sums, weights, b->values + c * b->value_stride, b->value_stride, from, to, rows, components);
    for (; c < b->width; c++) NAME(value_tile)
    (sums + 1 + c, row_sums, weights, b->values + c * b->value_stride, b->value_stride, from, to, rows, 1);
}

/* The same for one row where some lanes are outside its keys lo .. hi-1: those sums stay untouched. */
static void NAME(value_edge)(VEC *sums, const REAL *weights, const NAME(block) * b, size_t from, size_t to, size_t lo,
                             size_t hi) {
    for (size_t w = from; w < to; w++) {
        VEC inside = NAME(lanes)(lo, hi, w * LANES);
        VEC weight = LOAD(weights + w * LANES);
        for (size_t c = 0; c < b->width; c++) {
            VEC sum = sums[1 + c];
            sums[1 + c] = BLEND(sum, FMA(weight, LOAD(b->values + c * b->value_stride + w * LANES), sum), inside);
        }
    }
}

/* Scores outside lo .. hi-1 become -inf, in the row's vectors; returns the largest score, of `top` and of those outside
   vectors done_from .. done_to-1, which `top` knows. NaN is ignored. */
INLINE REAL NAME(mask_and_max)(REAL *scores, size_t lo, size_t hi, size_t done_from, size_t done_to, VEC top) {
    size_t from = lo / LANES, to = (hi + LANES - 1) / LANES;
    for (size_t w = from; w < to; w++) {
        if (w == done_from && done_to > w) {
            w = done_to - 1;
            continue;
        }
        VEC x = BLEND(SET1(-INFINITY), LOAD(scores + w * LANES), NAME(lanes)(lo, hi, w * LANES));
        STORE(scores + w * LANES, x);
        top = MAX(x, top);
    }
    return NAME(max_lanes)(top);
}

/* Scores become weights exp(score - base); returns sum + the weights, by lanes. Several at once, step by step, since
   one exp is a long chain. */
INLINE VEC NAME(weigh_tile)(REAL *scores, VEC base, VEC sum, const int vectors) {
    VEC x[4];
    UNROLL for (int w = 0; w < vectors; w++) x[w] = LOAD(scores + w * LANES) - base;
    NAME(exp_down)(x, vectors);
    UNROLL for (int w = 0; w < vectors; w++) {
        STORE(scores + w * LANES, x[w]);
        sum += x[w];
    }
    return sum;
}

INLINE VEC NAME(weigh)(REAL *scores, size_t from, size_t to, REAL base, VEC sum) {
    VEC minus = SET1(base);
    size_t w = from;
    for (; w + EXPS <= to; w += EXPS) sum = NAME(weigh_tile)(scores + w * LANES, minus, sum, EXPS);
    for (; w < to; w++) sum = NAME(weigh_tile)(scores + w * LANES, minus, sum, 1);
    return sum;
}

/* Copies one component of `count` keys, the rest of the last tile 0; tiles go `tile` apart. */
INLINE void NAME(pack_component)(REAL *packed, const REAL *column, size_t tile, size_t count) {
    size_t whole = count / (2 * LANES);
    for (size_t t = 0; t < whole; t++) {
        VEC a = LOAD(column + t * 2 * LANES), b = LOAD(column + t * 2 * LANES + LANES);
        STORE(packed + t * tile, a);
        STORE(packed + t * tile + LANES, b);
    }
    size_t rest = count - whole * 2 * LANES;
    if (rest == 0) return;
    REAL last[2 * LANES] = {0};
    for (size_t j = 0; j < rest; j++) last[j] = column[whole * 2 * LANES + j];
    STORE(packed + whole * tile, LOAD(last));
    STORE(packed + whole * tile + LANES, LOAD(last + LANES));
}

static NAME(keys) NAME(pack_keys)(REAL *packed, const REAL *kt, size_t stride, size_t size, size_t count) {
    NAME(keys) k = {packed, size * 2 * LANES, 2 * LANES};
    for (size_t c = 0; c < size; c++) NAME(pack_component)(packed + c * k.stride, kt + c * stride, k.tile, count);
    return k;
}

static void NAME(pack_values)(REAL *packed, const REAL *vt, size_t stride, size_t width, size_t count) {
    for (size_t c = 0; c < width; c++) NAME(pack_component)(packed + c * BLOCK, vt + c * stride, 2 * LANES, count);
}

/* One block for `rows` neighbouring rows, GROUP or 1. `kt` is the caller's, for sizes above PACKED. */
INLINE void NAME(attend_block)(NAME(scratch) * s, size_t row, const NAME(block) * b, const REAL *q, const REAL *kt,
                               size_t stride, size_t last, const size_t *first, const size_t *end, const int rows) {
    size_t lo[GROUP], hi[GROUP], from = BLOCK_VECTORS, to = 0, common_from = 0, common_to = BLOCK_VECTORS;
    for (int r = 0; r < rows; r++) {
        lo[r] = first[r] > b->start ? first[r] - b->start : 0;
        hi[r] = end[r] > b->start ? end[r] - b->start : 0;
        if (hi[r] > BLOCK) hi[r] = BLOCK;
        if (lo[r] >= hi[r]) {
            lo[r] = hi[r] = common_to = 0;
            continue;
        }
        if (lo[r] / LANES < from) from = lo[r] / LANES;
        if ((hi[r] + LANES - 1) / LANES > to) to = (hi[r] + LANES - 1) / LANES;
        if ((lo[r] + LANES - 1) / LANES > common_from) common_from = (lo[r] + LANES - 1) / LANES;
        if (hi[r] / LANES < common_to) common_to = hi[r] / LANES;
    }
    if (from >= to) return;
    if (common_from > common_to) common_to = common_from;

    /* Tiles that are whole for all rows give the maxima at once; in the others some scores do not count. */
    VEC tops[GROUP];
    for (int r = 0; r < rows; r++) tops[r] = SET1(s->top[row + (size_t)r]);
    size_t whole_from = (common_from + 1) / 2 * 2, whole_to = common_to / 2 * 2;
    if (whole_from >= whole_to) whole_from = whole_to = (to + 1) / 2 * 2;
    for (size_t c = 0; c == 0 || c < b->size; c += PACKED) {
        size_t c_end = b->size - c < PACKED ? b->size : c + PACKED;
        NAME(keys) k = b->keys;
        if (b->size > PACKED)
            k = NAME(pack_keys)(s->keys, kt + c * stride + b->start, stride, c_end - c, last - b->start);
        size_t known_to = c_end == b->size ? whole_to : whole_from, scored = from / 2 * 2;
        if (rows == 1 && k.at == b->keys.at && k.tile == 2 * LANES) {
            scored = NAME(score_row)(s->scores, q, b->size, &k, scored, (to + 1) / 2 * 2);
            if (whole_from < scored) whole_from = scored < whole_to ? scored : whole_to;
            known_to = whole_to;
        }
        NAME(score_rows)
        (s->scores, tops, q, b->size, &k, c, c_end, scored, (to + 1) / 2 * 2, whole_from, known_to, rows);
    }

    _Alignas(32) REAL keep[8] = {0}, base[8];
    REAL *top = s->top + row;
    VEC *sums = s->sums + row * (1 + b->width);
    for (int r = 0; r < rows; r++) {
        base[r] = 0;
        if (hi[r] == 0) continue;
        REAL before = top[r];
        top[r] = NAME(mask_and_max)(s->scores + r * BLOCK, lo[r], hi[r], whole_from, whole_to, tops[r]);
        base[r] = top[r] == -INFINITY ? 0 : top[r];
        keep[r] = before - base[r];
    }
    UNROLL for (int r = 0; r < rows; r += LANES) {
        VEC x = LOAD(keep + r);
        NAME(exp_down)(&x, 1);
        STORE(keep + r, x);
    }
    for (int r = 0; r < rows; r++) {
        if (hi[r] == 0) continue;
        VEC *row_sums = sums + (size_t)r * (1 + b->width);
        if (keep[r] != 1) {
            VEC factor = SET1(keep[r]);
            for (size_t c = 0; c < 1 + b->width; c++) row_sums[c] *= factor;
        }
        REAL *scores = s->scores + r * BLOCK;
        size_t row_from = lo[r] / LANES, row_to = (hi[r] + LANES - 1) / LANES;
        row_sums[0] = NAME(weigh)(scores, row_from, row_to, base[r], row_sums[0]);
        size_t edge = common_from < common_to ? common_from : row_to;
        NAME(value_edge)(row_sums, scores, b, row_from, edge, lo[r], hi[r]);
    }
    if (common_from >= common_to) return;
    if (rows == 1) {
        NAME(value_rows)(sums, s->scores, b, common_from, common_to, 1, 8);
    } else {
        for (size_t r = 0; r < GROUP; r += 3) NAME(value_rows)
        (sums + r * (1 + b->width), s->scores + r * BLOCK, b, common_from, common_to, 3, 4);
    }
    for (int r = 0; r < rows; r++) NAME(value_edge)
    (sums + (size_t)r * (1 + b->width), s->scores + r * BLOCK, b, common_to, (hi[r] + LANES - 1) / LANES, lo[r],
     hi[r]);
}

static __attribute__((noinline)) void NAME(attend_group)(NAME(scratch) * s, size_t row, const NAME(block) * b,
                                                         const REAL *q, const REAL *kt, size_t stride, size_t last,
                                                         const size_t *first, const size_t *end) {
    NAME(attend_block)(s, row, b, q, kt, stride, last, first, end, GROUP);
}

static __attribute__((noinline)) void NAME(attend_one)(NAME(scratch) * s, size_t row, const NAME(block) * b,
                                                       const REAL *q, const REAL *kt, size_t stride, size_t last,
                                                       const size_t *first, const size_t *end) {
    NAME(attend_block)(s, row, b, q, kt, stride, last, first, end, 1);
}

/* A chunk of rows whose sums fit the scratch memory; width <= PACKED, rows of out are out_stride apart. */
static void NAME(attend_chunk)(NAME(scratch) * s, REAL *out, size_t out_stride, const REAL *q, const REAL *kt,
                               const REAL *vt, size_t stride, const size_t *first, const size_t *end, size_t rows,
                               size_t size, size_t width) {
    size_t start = SIZE_MAX, stop = 0;
    for (size_t r = 0; r < rows; r++) {
        s->top[r] = -INFINITY;
        if (first[r] >= end[r]) continue;
        if (first[r] < start) start = first[r];
        if (end[r] > stop) stop = end[r];
    }
    for (size_t k = 0; k < rows * (1 + width); k++) s->sums[k] = ZERO();
    for (start = start / BLOCK * BLOCK; start < stop; start += BLOCK) {
        size_t last = stop - start < BLOCK ? stop : start + BLOCK; /* keys of this block: start .. last-1 */
        NAME(block) b = {{kt + start, 2 * LANES, stride}, vt + start, stride, start, size, width};
        if (rows >= 2 * GROUP || start + BLOCK > stride) { /* else packing would not pay */
            NAME(pack_values)(s->values, vt + start, stride, width, last - start);
            b.values = s->values;
            b.value_stride = BLOCK;
            if (size <= PACKED) b.keys = NAME(pack_keys)(s->keys, kt + start, stride, size, last - start);
        }
        size_t r = 0;
        for (; r + GROUP <= rows; r += GROUP)
            NAME(attend_group)(s, r, &b, q + r * size, kt, stride, last, first + r, end + r);
        for (; r < rows; r++) NAME(attend_one)(s, r, &b, q + r * size, kt, stride, last, first + r, end + r);
    }
    for (size_t r = 0; r < rows; r++) {
        const VEC *sums = s->sums + r * (1 + width);
        REAL total = NAME(sum_lanes)(sums[0]);
        for (size_t d = 0; d < width; d++)
            out[r * out_stride + d] = total == 0 ? 0 : NAME(sum_lanes)(sums[1 + d]) / total;
    }
}

static void NAME(dense_rows)(REAL *out, const REAL *q, const REAL *kt, const REAL *vt, size_t stride,
                             const size_t *first, const size_t *end, size_t rows, size_t size, size_t width) {
    NAME(scratch) s;
    for (size_t d = 0; d < width; d += PACKED) {
        size_t piece = width - d < PACKED ? width - d : PACKED;
        size_t chunk = SUM_VECTORS / (1 + piece) / GROUP * GROUP;
        for (size_t r = 0; r < rows; r += chunk) NAME(attend_chunk)
        (&s, out + r * width + d, width, q + r * size, kt, vt + d * stride, stride, first + r, end + r,
         rows - r < chunk ? rows - r : chunk, size, piece);
    }
}

/* ---- scans ------------------------------------------------------------------------------------------------------ */

/* Positions at a time, so that all of it stays in the first-level cache. Columns of a tile are often 4096 bytes apart,
   which the cache would put in the same place: inside a step they are SPACED. */
enum { NAME(STEP) = 64, NAME(SPACED) = NAME(STEP) + 8 };

/* What a step's positions do: the state is multiplied by `keep`, the new value by `weight`; results are divided. */
typedef struct NAME(step) {
    _Alignas(64) REAL keep[NAME(STEP)], weight[NAME(STEP)], divisor[NAME(STEP)], columns[8 * NAME(SPACED)];
} NAME(step);

static void NAME(weigh_step)(NAME(step) * step, NAME(scan) * state, const REAL *logits, size_t n) {
    enum { PAIR = 2 * LANES };
    _Alignas(32) REAL before[NAME(STEP)] = {0}, last[PAIR] = {0};
    size_t whole = n / PAIR * PAIR;
    REAL m = state->m;
    for (size_t i = 0; i < n; i++) {
        before[i] = m;
        m = logits[i] > m ? logits[i] : m;
    }
    state->m = m;
    for (size_t i = whole; i < n; i++) last[i - whole] = logits[i];
    VEC empty = SET1(-INFINITY), one = SET1(1);
    for (size_t i = 0; i < n; i += PAIR) {
        VEC x[2], larger[2];
        UNROLL for (int w = 0; w < 2; w++) {
            VEC l = LOAD((i < whole ? logits + i : last) + w * LANES), top = LOAD(before + i + w * LANES);
            larger[w] = GREATER(l, top);
            x[w] = BLEND(NEGATIVE(l - top), empty, EQUAL(l, empty));
        }
        NAME(exp_down)(x, 2);
        UNROLL for (int w = 0; w < 2; w++) {
            STORE(step->keep + i + w * LANES, BLEND(one, x[w], larger[w]));
            STORE(step->weight + i + w * LANES, BLEND(x[w], one, larger[w]));
        }
    }
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
                _mm_prefetch((const char *)(next_out + column + line), _MM_HINT_T1);
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

INLINE void NAME(scan_some)(REAL *v, REAL *sum, REAL *out, const REAL *values, size_t stride, NAME(step) * step,
                            size_t n, bool more, bool exclusive, const int fours) {
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
    for (size_t i = 0; i < n; i += NAME(STEP)) NAME(scan_step)
    (state, out + i, logits + i, values + i, stride, n - i < NAME(STEP) ? n - i : NAME(STEP), width,
     n - i >= 2 * NAME(STEP), exclusive);
}
