/* Part of execute_impl.h: heads without structure, over the whole string: one scan for each different query if those are few, else
   all pairs. It is no header of its own. */
typedef struct dense_job {
    const runner *r;
    REAL *out;
    const REAL *q, *kt, *vt;
    const size_t *first, *end;
    size_t query, value, rows, parts; /* rows a part */
    bool grows;                       /* later rows have more keys */
} dense_job;

/* The dense kernels like many rows at once, in multiples of 6; threads need several parts each to finish together. */
static size_t rows_a_part(size_t size, unsigned threads) {
    enum { STEP = 42, MOST = 252, ALONE = 1008 };
    if (threads <= 1) return ALONE;
    size_t rows = size / (8 * (size_t)threads) / STEP * STEP;
    return rows > MOST ? MOST : rows < STEP ? STEP : rows;
}

static void dense_part(void *context, size_t part) {
    const dense_job *j = context;
    if (j->grows) part = j->parts - 1 - part; /* the longest first, so that the threads finish together */
    size_t row = part * j->rows, rows = j->r->size - row < j->rows ? j->r->size - row : j->rows;
    j->r->e->kernels->KERNEL_DENSE(j->out + row * j->value, j->q + row * j->query, j->kt, j->vt, j->r->size,
                                   j->first + row, j->end + row, rows, j->query, j->value);
}

static void key_ranges(size_t *first, size_t *end, temper_mask mask, size_t size) {
    for (size_t i = 0; i < size; i++) {
        first[i] = mask == TEMPER_MASK_AFTER ? i + 1 : mask == TEMPER_MASK_FROM ? i : 0;
        end[i] = mask == TEMPER_MASK_BEFORE ? i : mask == TEMPER_MASK_UP_TO ? i + 1 : size;
        if (first[i] > end[i]) first[i] = end[i];
    }
}

static void hard_dense_row(const dense_job *j, temper_choice choice, size_t i) {
    size_t size = j->r->size, chosen = SIZE_MAX;
    REAL best = -INFINITY, total = 0, *out = j->out + i * j->value;
    for (size_t d = 0; d < j->value; d++) out[d] = 0;
    for (size_t k = j->first[i]; k < j->end[i]; k++) {
        REAL dot = 0;
        for (size_t d = 0; d < j->query; d++) dot += j->q[i * j->query + d] * j->kt[d * size + k];
        bool better = chosen == SIZE_MAX || dot > best;
        if (better || (dot == best && choice == TEMPER_CHOICE_RIGHTMOST)) {
            best = dot;
            chosen = k;
            total = 1;
            for (size_t d = 0; d < j->value; d++) out[d] = j->vt[d * size + k];
        } else if (dot == best && choice == TEMPER_CHOICE_AVERAGE) {
            total += 1;
            for (size_t d = 0; d < j->value; d++) out[d] += j->vt[d * size + k];
        }
    }
    for (size_t d = 0; d < j->value && total > 0; d++) out[d] /= total;
}

/* ---- few different queries: one scan for each ---- */

enum { CLASS_LIMIT = 16 };

typedef struct query_classes {
    REAL *queries;     /* [CLASS_LIMIT][query] */
    unsigned char *of; /* [N] */
    size_t count;
} query_classes;

/* Sorts the rows of q [N][query] by equal queries; false if there are more than CLASS_LIMIT. */
static bool find_classes(query_classes *c, const runner *r, const REAL *q, size_t qs) {
    c->queries = arena_alloc(r->e->memory, CLASS_LIMIT * qs, sizeof *c->queries);
    c->of = arena_alloc(r->e->memory, r->size, 1);
    c->count = 0;
    for (size_t i = 0; i < r->size; i++) {
        size_t k = 0;
        while (k < c->count && memcmp(c->queries + k * qs, q + i * qs, qs * sizeof *q) != 0) k++;
        if (k == CLASS_LIMIT) return false;
        if (k == c->count) memcpy(c->queries + c->count++ * qs, q + i * qs, qs * sizeof *q);
        c->of[i] = (unsigned char)k;
    }
    return true;
}

/* One tile of keys for one query, in the head's order: r->out as after a scanned head. */
static void class_tile(runner *r, head_state *s, const model_head *h, const REAL *query, size_t first, size_t count) {
    project(r, r->v, &h->value, r->x + first, count, s->forward);
    project(r, r->k, &h->key, r->x + first, count, s->forward);
    for (uint32_t d = 0; d < h->query.count; d++) r->q[d * r->tile] = query[d];
    scan_tile(r, s, h, count);
    if (s->forward)
        for (uint32_t d = 0; d < h->value.count; d++) reverse(r->out + d * r->tile, count);
}

/* out [N][value]: the rows whose query this is. Under an `all` mask every row sees the state after the last key. */
static void class_scan(runner *r, head_state *s, const model_head *h, const query_classes *c, size_t k, REAL *out) {
    size_t tiles = (r->size + TILE - 1) / TILE, vs = h->value.count, count = 0;
    bool all = h->mask == TEMPER_MASK_ALL;
    for (size_t t = 0; t < tiles; t++) {
        size_t first = (s->forward ? tiles - 1 - t : t) * TILE;
        count = r->size - first < TILE ? r->size - first : TILE;
        class_tile(r, s, h, c->queries + k * h->query.count, first, count);
        for (size_t i = 0; i < count && !all; i++)
            for (size_t d = 0; d < vs && c->of[first + i] == k; d++)
                out[(first + i) * vs + d] = r->out[d * r->tile + i];
    }
    for (size_t i = 0; i < r->size && all; i++)
        for (size_t d = 0; d < vs && c->of[i] == k; d++) out[i * vs + d] = r->out[d * r->tile + count - 1];
}

static void class_head(runner *r, const head_state *fresh, const model_head *h, const query_classes *c, REAL *out) {
    size_t vs = h->value.count;
    for (size_t k = 0; k < c->count; k++) {
        head_state s = *fresh;
        memset(s.sums, 0, vs * sizeof *s.sums);
        memset(s.scan.v, 0, vs * sizeof *s.scan.v);
        class_scan(r, &s, h, c, k, out);
    }
}

/* All pairs; q [N][query] is scaled in place for softmax. */
static void dense_rows(runner *r, const head_state *s, const model_head *h, REAL *q, REAL *out) {
    arena *a = r->e->memory;
    size_t size = r->size, qs = h->query.count, vs = h->value.count;
    REAL *kt = arena_alloc(a, size * qs, sizeof *kt), *vt = arena_alloc(a, size * vs, sizeof *vt);
    size_t *first = arena_alloc(a, size, sizeof *first), *end = arena_alloc(a, size, sizeof *end);
    bool soft = s->choice == TEMPER_CHOICE_SOFTMAX;
    for (uint32_t d = 0; d < qs; d++) project_row(kt + d * size, &h->key, d, r->x, r->stride, size);
    for (uint32_t d = 0; d < vs; d++) project_row(vt + d * size, &h->value, d, r->x, r->stride, size);
    for (size_t k = 0; k < size * qs && soft; k++) q[k] *= s->scale;
    key_ranges(first, end, h->mask, size);
    dense_job job = {
        .r = r, .out = out, .q = q, .kt = kt, .vt = vt, .first = first, .end = end, .query = qs, .value = vs};
    job.rows = rows_a_part(size, r->e->threads);
    job.parts = (size + job.rows - 1) / job.rows;
    job.grows = h->mask == TEMPER_MASK_BEFORE || h->mask == TEMPER_MASK_UP_TO;
    if (soft)
        run_parallel(r->e->threads, job.parts, dense_part, &job);
    else
        for (size_t i = 0; i < size; i++) hard_dense_row(&job, s->choice, i);
}

static bool dense_head(runner *r, uint32_t layer, uint32_t head) {
    const model_head *h = &r->m->layers[layer].heads[head];
    uint32_t index = r->e->plan->head_start[layer] + head;
    const head_state *s = &r->states[index];
    arena *a = r->e->memory;
    size_t size = r->size, qs = h->query.count, vs = h->value.count;
    REAL *q = arena_alloc(a, size * qs, sizeof *q), *out = arena_alloc(a, size * vs, sizeof *out);
    REAL *row = arena_alloc(a, size, sizeof *row);
    query_classes classes;
    for (uint32_t d = 0; d < qs; d++) {
        project_row(row, &h->query, d, r->x, r->stride, size);
        for (size_t i = 0; i < size; i++) q[i * qs + d] = row[i];
    }
    if (find_classes(&classes, r, q, qs))
        class_head(r, s, h, &classes, out);
    else
        dense_rows(r, s, h, q, out);
    for (size_t t = 0; t < size; t += TILE) {
        size_t count = size - t < TILE ? size - t : TILE;
        for (size_t d = 0; d < vs; d++)
            for (size_t i = 0; i < count; i++) r->out[d * r->tile + i] = out[(t + i) * vs + d];
        record_margin(r, h, index, t, count);
        add_output(r, h, r->delta + t, count);
    }
    return true;
}
