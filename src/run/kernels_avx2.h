/* Dense attention with AVX2 and FMA, for one number type: kernels_avx2.c includes this file for float and for
   double after defining REAL, VEC, LANES, BLOCK, DENSE_EXPS, NAME and the vector operations. No include guard for that reason.

   Keys are in lanes, so nothing is shuffled before the end of a row. Rows go in groups of GROUP: a group's scores for
   one block of keys, in registers 3 rows x 4 vectors at a time (the fewer rows, the fewer maxima to load and store);
   maxima; weights; then weights times values, 3 rows x 4 components at a time. All loops over registers have constant
   bounds and must be unrolled completely. */

/* Memory of one call, 1.5 MB on the stack. The rows of a chunk, as many as SUM_VECTORS holds, share one packed copy of a
   block: read in order, no two components in the same place of the cache, 0 behind the last key. Sizes and widths above
   PACKED go in pieces. */
typedef struct NAME(scratch) {
    _Alignas(64) REAL keys[PACKED * BLOCK];
    _Alignas(64) REAL values[PACKED * BLOCK];
    _Alignas(64) REAL scores[GROUP * BLOCK];
    _Alignas(64) VEC sums[SUM_VECTORS]; /* [row][1 + width]: the weights' sum, then the components' */
    REAL top[MOST_ROWS];                /* [row]: the largest score so far */
    REAL length[MOST_ROWS];             /* [row]: of the query; only USE_NEAR */
} NAME(scratch);

/* A block of keys by component: four vectors of keys, the tile of the score loop, at a time. The caller's array has
   components `stride` apart and tiles side by side; a packed one has a tile's components side by side. */
typedef struct NAME(keys) {
    const REAL *at;
    size_t tile, stride;
} NAME(keys);

/* A block of values: four components, the tile of the value loop, at a time. The caller's array has components `stride`
   apart; a packed one has the four components of a vector of keys side by side, a tile after the other. */
typedef struct NAME(values) {
    const REAL *at;
    size_t tile, stride, step; /* from tile to tile, component to component, vector to vector */
} NAME(values);

/* One block as the rows of a chunk see it. */
typedef struct NAME(block) {
    NAME(keys) keys;
    NAME(values) values;
    size_t start, length, size, width; /* keys start .. start+length-1 */
    REAL longest;                      /* no key is longer; infinite if unknown */
} NAME(block);

/* acc[r][w] += q[r] * keys[w] for one component; `first`: there is nothing to add to yet. */
INLINE void NAME(score_component)(VEC *acc, const REAL *q, size_t size, const REAL *keys, const int rows,
                                  const int vectors, const bool first) {
    VEC query[3];
    UNROLL for (int r = 0; r < rows; r++) query[r] = SET1(q[(size_t)r * size]);
    UNROLL for (int w = 0; w < vectors; w++) {
        VEC key = LOAD(keys + w * LANES);
        UNROLL for (int r = 0; r < rows; r++) {
            if (first)
                acc[r * vectors + w] = query[r] * key;
            else
                ADD_PRODUCT(acc[r * vectors + w], query[r], key);
        }
    }
}

/* scores[r][0 .. vectors*LANES) (+)= q[r] . keys, for components first .. end-1 of a query; tops[r] = the largest by
   lanes. MAX gives its second argument when the first is NaN. */
INLINE void NAME(score_tile)(REAL *scores, VEC *tops, const REAL *q, size_t size, const REAL *keys, size_t key_stride,
                             size_t first, size_t end, const int rows, const int vectors) {
    VEC acc[12];
    size_t c = first;
    if (first > 0) {
        UNROLL for (int i = 0; i < rows * vectors; i++) acc[i] =
            LOAD(scores + i / vectors * BLOCK + i % vectors * LANES);
    } else if (end >= 8) {
        NAME(score_component)(acc, q, size, keys, rows, vectors, true);
        UNROLL for (size_t step = 1; step < 8; step++)
            NAME(score_component)(acc, q + step, size, keys + step * key_stride, rows, vectors, false);
        c = 8;
    } else if (end > 0) {
        NAME(score_component)(acc, q, size, keys, rows, vectors, true);
        c = 1;
    } else {
        UNROLL for (int i = 0; i < rows * vectors; i++) acc[i] = ZERO();
    }
    for (; c + 8 <= end; c += 8) {
        UNROLL for (size_t step = 0; step < 8; step++) NAME(score_component)(
            acc, q + c + step, size, keys + (c + step - first) * key_stride, rows, vectors, false);
    }
    for (; c < end; c++)
        NAME(score_component)(acc, q + c, size, keys + (c - first) * key_stride, rows, vectors, false);
    UNROLL for (int i = 0; i < rows * vectors; i++) STORE(scores + i / vectors * BLOCK + i % vectors * LANES, acc[i]);
    UNROLL for (int r = 0; r < rows; r++) {
        VEC top = tops[r];
        UNROLL for (int w = vectors; w-- > 0;) top = MAX(acc[r * vectors + w], top);
        tops[r] = top;
    }
}

/* Vectors from .. to-1 of a block of keys, whole tiles; tops from tiles whole_from .. whole_to-1 only. */
INLINE void NAME(score_rows)(REAL *scores, VEC *tops, const REAL *q, size_t size, const NAME(keys) * k, size_t first,
                             size_t end, size_t from, size_t to, size_t whole_from, size_t whole_to, const int rows) {
    VEC ignored[GROUP];
    UNROLL for (int r = 0; r < rows; r++) ignored[r] = ZERO();
    for (size_t w = from; w < to; w += 4) {
        VEC *known = w >= whole_from && w < whole_to ? tops : ignored;
        const REAL *keys = k->at + w / 4 * k->tile;
        for (int r = 0; r < rows; r += 3) NAME(score_tile)
        (scores + r * BLOCK + w * LANES, known + r, q + (size_t)r * size, size, keys, k->stride, first, end,
         rows < 3 ? rows : 3, 4);
    }
}

/* GROUP rows, packed keys, all components. */
INLINE void NAME(score_known)(REAL *scores, VEC *tops, const REAL *q, const REAL *keys, size_t from, size_t to,
                              size_t whole_from, size_t whole_to, const size_t size) {
    const NAME(keys) k = {keys, size * 4 * LANES, 4 * LANES};
    NAME(score_rows)(scores, tops, q, size, &k, 0, size, from, to, whole_from, whole_to, GROUP);
}

/* One row, the caller's keys: eight vectors at a time. */
static size_t NAME(score_row)(REAL *scores, const REAL *q, size_t size, const NAME(keys) * k, size_t from,
                              size_t to) {
    VEC ignored = ZERO();
    for (; from + 8 <= to; from += 8)
        NAME(score_tile)(scores + from * LANES, &ignored, q, size, k->at + from * LANES, k->stride, 0, size, 1, 8);
    return from;
}

/* acc[r][c] += weights[r] * values[c] for one vector of keys. */
INLINE void NAME(value_vector)(VEC *acc, const REAL *weights, const NAME(values) * v, const REAL *values,
                               const int rows, const int components) {
    VEC weight[3];
    UNROLL for (int r = 0; r < rows; r++) weight[r] = LOAD(weights + r * BLOCK);
    UNROLL for (size_t c = 0; c < (size_t)components; c++) {
        VEC value = LOAD(values + c / 4 * v->tile + c % 4 * v->stride);
        UNROLL for (int r = 0; r < rows; r++) ADD_PRODUCT(acc[r * components + (int)c], weight[r], value);
    }
}

/* sums[r][i] = sums[r][i] * keep[r] + weights[r] * component c + i over vectors from .. to-1; keep is NULL where all
   factors are 1. The multiplication is here since the sums, too many for the second-level cache, are loaded anyway. */
INLINE void NAME(value_tile)(VEC *sums, size_t row_sums, const REAL *keep, const REAL *weights,
                             const NAME(values) * v, size_t c, size_t from, size_t to, const int rows,
                             const int components) {
    const REAL *values = v->at + c / 4 * v->tile + c % 4 * v->stride;
    VEC acc[12];
    UNROLL for (int i = 0; i < rows * components; i++) acc[i] =
        sums[(size_t)(i / components) * row_sums + (size_t)(i % components)];
    if (keep) {
        UNROLL for (int i = 0; i < rows * components; i++) acc[i] *= SET1(keep[i / components]);
    }
    size_t w = from;
    for (; w + 2 <= to; w += 2) {
        NAME(value_vector)(acc, weights + w * LANES, v, values + w * v->step, rows, components);
        NAME(value_vector)(acc, weights + (w + 1) * LANES, v, values + (w + 1) * v->step, rows, components);
    }
    if (w < to) NAME(value_vector)(acc, weights + w * LANES, v, values + w * v->step, rows, components);
    UNROLL for (int i = 0; i < rows * components; i++)
        sums[(size_t)(i / components) * row_sums + (size_t)(i % components)] = acc[i];
}

/* All rows, `once` of them and `components` at a time; the next rows find a tile of values in the first-level cache. */
INLINE void NAME(value_rows)(VEC *sums, const REAL *keep, const REAL *weights, const NAME(values) * v, size_t width,
                             size_t from, size_t to, const int rows, const int once, const int components) {
    const REAL *kept[GROUP];
    for (int r = 0; r < rows; r += once) {
        kept[r] = NULL;
        for (int i = r; i < r + once; i++)
            if (keep[i] != 1) kept[r] = keep + r;
    }
    size_t row_sums = 1 + width, c = 0;
    for (; c + (size_t)components <= width; c += (size_t)components)
        for (int r = 0; r < rows; r += once) NAME(value_tile)
    (sums + (size_t)r * row_sums + 1 + c, row_sums, kept[r], weights + r * BLOCK, v, c, from, to, once, components);
    for (; c < width; c++)
        for (int r = 0; r < rows; r += once) NAME(value_tile)
    (sums + (size_t)r * row_sums + 1 + c, row_sums, kept[r], weights + r * BLOCK, v, c, from, to, once, 1);
}

/* The same for one row where some lanes are outside its keys lo .. hi-1: those sums stay untouched. */
static void NAME(value_edge)(VEC *sums, const REAL *weights, const NAME(block) * b, size_t from, size_t to, size_t lo,
                             size_t hi) {
    for (size_t w = from; w < to; w++) {
        VEC inside = NAME(lanes)(lo, hi, w * LANES);
        VEC weight = LOAD(weights + w * LANES);
        const REAL *tile = b->values.at + w * b->values.step;
        for (size_t c = 0; c < b->width; c += 4, tile += b->values.tile)
            for (size_t i = c; i < c + 4 && i < b->width; i++) {
                VEC sum = sums[1 + i], value = LOAD(tile + (i - c) * b->values.stride);
                sums[1 + i] = BLEND(sum, FMA(weight, value, sum), inside);
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
   one exp is a long chain. `near`: no score is more than NEAR below the base. */
INLINE VEC NAME(weigh_tile)(REAL *scores, VEC base, VEC sum, const int vectors, const bool near) {
    VEC x[4];
    UNROLL for (int w = 0; w < vectors; w++) x[w] = LOAD(scores + w * LANES) - base;
    if (near)
        NAME(exp_near)(x, vectors);
    else
        NAME(exp_down)(x, vectors);
    UNROLL for (int w = 0; w < vectors; w++) {
        STORE(scores + w * LANES, x[w]);
        sum += x[w];
    }
    return sum;
}

INLINE VEC NAME(weigh)(REAL *scores, size_t from, size_t to, REAL base, VEC sum, const bool near) {
    VEC minus = SET1(base);
    size_t w = from;
    for (; w + DENSE_EXPS <= to; w += DENSE_EXPS)
        sum = NAME(weigh_tile)(scores + w * LANES, minus, sum, DENSE_EXPS, near);
    for (; w < to; w++) sum = NAME(weigh_tile)(scores + w * LANES, minus, sum, 1, near);
    return sum;
}

/* Copies one component of `count` keys, the rest of the last tile 0; tiles go `tile` apart. */
INLINE void NAME(pack_component)(REAL *packed, const REAL *column, size_t tile, size_t count) {
    size_t whole = count / (4 * LANES);
    for (size_t t = 0; t < whole; t++) {
        UNROLL for (size_t w = 0; w < 4; w++)
            STORE(packed + t * tile + w * LANES, LOAD(column + t * 4 * LANES + w * LANES));
    }
    size_t rest = count - whole * 4 * LANES;
    if (rest == 0) return;
    REAL last[4 * LANES] = {0};
    for (size_t j = 0; j < rest; j++) last[j] = column[whole * 4 * LANES + j];
    UNROLL for (size_t w = 0; w < 4; w++) STORE(packed + whole * tile + w * LANES, LOAD(last + w * LANES));
}

static NAME(keys) NAME(pack_keys)(REAL *packed, const REAL *kt, size_t stride, size_t size, size_t count) {
    NAME(keys) k = {packed, size * 4 * LANES, 4 * LANES};
    for (size_t c = 0; c < size; c++) NAME(pack_component)(packed + c * k.stride, kt + c * stride, k.tile, count);
    return k;
}

/* A score is at least -|query| |key|; if that is less than NEAR below the base for all keys of a block, no argument of exp needs
   to be raised to LEAST. Rounding, of lengths and of scores of up to PACKED components, is far below 2 %; components so
   small that their squares vanish add less than 2 each, that is 256, which NEAR leaves room for. */
static REAL NAME(query_length)(const REAL *q, size_t size) {
    REAL square = 0;
    for (size_t c = 0; c < size; c++) square = FMA1(q[c], q[c], square);
    return SQRT(square);
}

/* The length of the longest of `count` packed keys; infinite if one is not finite. */
static REAL NAME(longest_key)(const NAME(keys) * k, size_t size, size_t count) {
    VEC most = ZERO(), finite = EQUAL(most, most);
    for (size_t j = 0; j < count; j += 4 * LANES) {
        const REAL *key = k->at + j / (4 * LANES) * k->tile;
        VEC square[4];
        UNROLL for (int w = 0; w < 4; w++) square[w] = ZERO();
        for (size_t c = 0; c < size; c++, key += k->stride) {
            UNROLL for (int w = 0; w < 4; w++) {
                VEC x = LOAD(key + w * LANES);
                square[w] = FMA(x, x, square[w]);
            }
        }
        UNROLL for (int w = 0; w < 4; w++) {
            most = MAX(square[w], most);
            finite = BLEND(ZERO(), finite, GREATER(SET1(INFINITY), square[w]));
        }
    }
    return NAME(all_lanes)(finite) ? SQRT(NAME(max_lanes)(most)) : (REAL)INFINITY;
}

static NAME(values)
    NAME(pack_values)(REAL *packed, const REAL *vt, size_t stride, size_t width, size_t count, size_t length) {
    NAME(values) v = {packed, length * 4, LANES, 4 * LANES};
    size_t whole = count / LANES, c = 0;
    for (; c + 4 <= width; c += 4) {
        REAL *to = packed + c * length;
        const REAL *column = vt + c * stride;
        for (size_t w = 0; w < whole; w++) {
            UNROLL for (size_t i = 0; i < 4; i++)
                STORE(to + (w * 4 + i) * LANES, LOAD(column + i * stride + w * LANES));
        }
    }
    for (; c < width; c++)
        for (size_t w = 0; w < whole; w++)
            STORE(packed + c / 4 * v.tile + w * v.step + c % 4 * LANES, LOAD(vt + c * stride + w * LANES));
    if (whole * LANES == count) return v;
    for (c = 0; c < width; c++) {
        REAL last[LANES] = {0};
        for (size_t j = whole * LANES; j < count; j++) last[j - whole * LANES] = vt[c * stride + j];
        STORE(packed + c / 4 * v.tile + whole * v.step + c % 4 * LANES, LOAD(last));
    }
    return v;
}

/* One block for `rows` neighbouring rows, GROUP or 1. `kt` is the caller's, for sizes above PACKED. */
INLINE void NAME(attend_block)(NAME(scratch) * s, size_t row, const NAME(block) * b, const REAL *q, const REAL *kt,
                               size_t stride, size_t last, const size_t *first, const size_t *end, const int rows) {
    size_t lo[GROUP], hi[GROUP], from = BLOCK_VECTORS, to = 0, common_from = 0, common_to = BLOCK_VECTORS;
    for (int r = 0; r < rows; r++) {
        lo[r] = first[r] > b->start ? first[r] - b->start : 0;
        hi[r] = end[r] > b->start ? end[r] - b->start : 0;
        if (hi[r] > b->length) hi[r] = b->length;
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
    size_t whole_from = (common_from + 3) / 4 * 4, whole_to = common_to / 4 * 4;
    if (whole_from >= whole_to) whole_from = whole_to = (to + 3) / 4 * 4;
    for (size_t c = 0; c == 0 || c < b->size; c += PACKED) {
        size_t c_end = b->size - c < PACKED ? b->size : c + PACKED;
        NAME(keys) k = b->keys;
        if (b->size > PACKED)
            k = NAME(pack_keys)(s->keys, kt + c * stride + b->start, stride, c_end - c, last - b->start);
        size_t known_to = c_end == b->size ? whole_to : whole_from, scored = from / 4 * 4;
        if (rows == 1 && k.at == b->keys.at && k.tile == 4 * LANES) {
            scored = NAME(score_row)(s->scores, q, b->size, &k, scored, (to + 3) / 4 * 4);
            if (whole_from < scored) whole_from = scored < whole_to ? scored : whole_to;
            known_to = whole_to;
        }
        size_t end_tile = (to + 3) / 4 * 4;
        bool packed = k.stride == 4 * LANES;
        if (rows == GROUP && packed && b->size == 8) /* known sizes: nothing to decide for each tile */
            NAME(score_known)(s->scores, tops, q, k.at, scored, end_tile, whole_from, known_to, 8);
        else if (rows == GROUP && packed && b->size == 16)
            NAME(score_known)(s->scores, tops, q, k.at, scored, end_tile, whole_from, known_to, 16);
        else if (rows == GROUP && packed && b->size == 64)
            NAME(score_known)(s->scores, tops, q, k.at, scored, end_tile, whole_from, known_to, 64);
        else
            NAME(score_rows)
        (s->scores, tops, q, b->size, &k, c, c_end, scored, end_tile, whole_from, known_to, rows);
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
        row_sums[0] *= SET1(keep[r]);
        REAL *scores = s->scores + r * BLOCK;
        size_t row_from = lo[r] / LANES, row_to = (hi[r] + LANES - 1) / LANES;
        VEC sum = row_sums[0];
        if (USE_NEAR && base[r] + (REAL)1.02 * s->length[row + (size_t)r] * b->longest <= NEAR) {
            size_t near_from = (lo[r] + LANES - 1) / LANES, near_to = hi[r] / LANES;
            if (near_from > near_to) near_from = near_to = row_to;
            sum = NAME(weigh)(scores, row_from, near_from, base[r], sum, false);
            sum = NAME(weigh)(scores, near_from, near_to, base[r], sum, true);
            sum = NAME(weigh)(scores, near_to, row_to, base[r], sum, false);
        } else {
            sum = NAME(weigh)(scores, row_from, row_to, base[r], sum, false);
        }
        row_sums[0] = sum;
        size_t edge = common_from < common_to ? common_from : row_to;
        if (row_from >= edge) continue;
        for (size_t c = 1; c < 1 + b->width; c++) row_sums[c] *= SET1(keep[r]);
        keep[r] = 1;
        NAME(value_edge)(row_sums, scores, b, row_from, edge, lo[r], hi[r]);
    }
    if (common_from >= common_to) return;
    if (rows == 1) {
        NAME(value_rows)(sums, keep, s->scores, &b->values, b->width, common_from, common_to, 1, 1, 8);
    } else if (b->values.step != LANES) { /* packed: steps known to the compiler */
        const NAME(values) v = {b->values.at, b->values.tile, LANES, 4 * LANES};
        NAME(value_rows)(sums, keep, s->scores, &v, b->width, common_from, common_to, GROUP, 3, 4);
    } else {
        NAME(value_rows)(sums, keep, s->scores, &b->values, b->width, common_from, common_to, GROUP, 3, 4);
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
                               size_t length, size_t size, size_t width) {
    size_t start = SIZE_MAX, stop = 0;
    for (size_t r = 0; r < rows; r++) {
        s->top[r] = -INFINITY;
        if (USE_NEAR) s->length[r] = NAME(query_length)(q + r * size, size);
        if (first[r] >= end[r]) continue;
        if (first[r] < start) start = first[r];
        if (end[r] > stop) stop = end[r];
    }
    for (size_t k = 0; k < rows * (1 + width); k++) s->sums[k] = ZERO();
    for (start = start / length * length; start < stop; start += length) {
        size_t last = stop - start < length ? stop : start + length; /* keys of this block: start .. last-1 */
        const NAME(keys) keys = {kt + start, 4 * LANES, stride};
        const NAME(values) values = {vt + start, 4 * stride, stride, LANES};
        NAME(block) b = {keys, values, start, length, size, width, INFINITY};
        if (rows >= 2 * GROUP || start + length > stride) { /* else packing would not pay */
            b.values = NAME(pack_values)(s->values, vt + start, stride, width, last - start, length);
            if (size <= PACKED) {
                b.keys = NAME(pack_keys)(s->keys, kt + start, stride, size, last - start);
                if (USE_NEAR) b.longest = NAME(longest_key)(&b.keys, size, last - start);
            }
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
        if (chunk > MOST_ROWS) chunk = MOST_ROWS;
        for (size_t r = 0; r < rows; r += chunk) NAME(attend_chunk)
        (&s, out + r * width + d, width, q + r * size, kt, vt + d * stride, stride, first + r, end + r,
         rows - r < chunk ? rows - r : chunk, LANES * block_vectors(size, width), size, piece);
    }
}
