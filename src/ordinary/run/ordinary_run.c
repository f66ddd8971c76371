#include "ordinary/run/ordinary_run.h"

#include <math.h>
#include <string.h>

#include "number/elementary.h"
#include "number/format.h"
#include "number/trig.h"
#include "run/run_work.h"

/* Most weights are 0 and change no sum. */
typedef struct sparse {
    uint32_t rows;
    uint32_t *start, *column;
    float *weight;
} sparse;

typedef struct run_layer {
    sparse query, key, value, mix, gate, up, down;
} run_layer;

struct ordinary_runner {
    const struct ordinary_model *m;
    struct ordinary_kernel kernel;
    run_layer *layers;
    sparse output;
    double *frequencies; /* [head_size / 2] */
};

static float to_f16(float x) { return (float)format_round(&format_f16, (double)x); }

static sparse make_sparse(const ordinary_runner *r, arena *a, const float *matrix, size_t rows, size_t columns) {
    sparse s = {.rows = (uint32_t)rows};
    size_t count = 0;
    for (size_t k = 0; k < rows * columns; k++) count += matrix[k] != 0;
    s.start = arena_alloc(a, rows + 1, sizeof *s.start);
    s.column = arena_alloc(a, count, sizeof *s.column);
    s.weight = arena_alloc(a, count, sizeof *s.weight);
    s.start[0] = 0;
    count = 0;
    for (size_t row = 0; row < rows; row++) {
        for (size_t c = 0; c < columns; c++) {
            float w = matrix[row * columns + c];
            if (w == 0) continue;
            s.column[count] = (uint32_t)c;
            s.weight[count++] = r->kernel.f16_weights ? to_f16(w) : w;
        }
        s.start[row + 1] = (uint32_t)count;
    }
    return s;
}

ordinary_runner *ordinary_runner_new(arena *a, const struct ordinary_model *m, const struct ordinary_kernel *kernel) {
    ordinary_runner *r = arena_zalloc(a, 1, sizeof *r);
    size_t all = (size_t)m->heads * m->head_size, width = m->width;
    r->m = m;
    r->kernel = *kernel;
    r->layers = arena_zalloc(a, m->layer_count, sizeof *r->layers);
    for (uint32_t k = 0; k < m->layer_count; k++) {
        const struct ordinary_layer *l = &m->layers[k];
        run_layer *to = &r->layers[k];
        to->query = make_sparse(r, a, l->query, all, width);
        to->key = make_sparse(r, a, l->key, all, width);
        to->value = make_sparse(r, a, l->value, all, width);
        to->mix = make_sparse(r, a, l->mix, width, all);
        if (l->gate) to->gate = make_sparse(r, a, l->gate, m->hidden, width);
        to->up = make_sparse(r, a, l->up, m->hidden, width);
        to->down = make_sparse(r, a, l->down, width, m->hidden);
    }
    r->output = make_sparse(r, a, m->output, m->vocabulary, width);
    if (m->architecture != ORDINARY_LLAMA) return r;
    r->frequencies = arena_alloc(a, m->head_size / 2, sizeof *r->frequencies);
    for (uint32_t k = 0; k < m->head_size / 2; k++) {
        double f = exp_f64(-2 * log_f64(m->rope_base) * k / m->head_size);
        r->frequencies[k] = m->rope_factors ? f / (double)m->rope_factors[k] : f;
    }
    return r;
}

/* ---- parts of a layer ---- */

/* out = matrix x, or out += matrix x; x is rounded in place where kernels do it. */
static void multiply(float *out, const ordinary_runner *r, const sparse *s, float *x, size_t columns, bool add) {
    if (r->kernel.f16_weights)
        for (size_t c = 0; c < columns; c++) x[c] = to_f16(x[c]);
    for (uint32_t row = 0; row < s->rows; row++) {
        float sum = 0;
        for (uint32_t k = s->start[row]; k < s->start[row + 1]; k++) sum += s->weight[k] * x[s->column[k]];
        out[row] = add ? out[row] + sum : sum;
    }
}

static double add_up(const ordinary_runner *r, const float *x, size_t n, float shift, bool squares) {
    enum { LANES = 16 };
    float lanes[LANES] = {0}, total = 0;
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        float y = x[k] - shift;
        if (squares) y *= y;
        lanes[k % LANES] += y;
        sum += (double)y;
    }
    for (size_t k = 0; k < LANES; k++) total += lanes[k];
    return r->kernel.f32_norm ? (double)total : sum;
}

static void norm(float *out, const ordinary_runner *r, const float *x, const float *gain) {
    size_t n = r->m->width;
    float mean = 0;
    if (r->m->architecture == ORDINARY_GPT2) mean = (float)(add_up(r, x, n, 0, false) / (double)n);
    float square = (float)(add_up(r, x, n, mean, true) / (double)n);
    float scale = 1 / sqrtf(square + (float)r->m->epsilon);
    for (size_t k = 0; k < n; k++) out[k] = (x[k] - mean) * scale * gain[k];
}

/* Tables of f16 hold GELU between -10 and 10. */
static float gelu(float x) {
    if (x <= -10) return 0;
    if (x >= 10) return x;
    double t = (double)to_f16(x), u = 0.79788456080286535588 * t * (1 + 0.044715 * t * t);
    return to_f16((float)(0.5 * t * (2 - 2 / (exp_f64(2 * u) + 1))));
}

static float silu(float x) { return x / (1 + exp_f32(-x)); }

static void net(float *x, const ordinary_runner *r, const run_layer *l, float *normed, arena *scratch) {
    size_t hidden = r->m->hidden;
    float *h = arena_alloc(scratch, hidden, sizeof *h), *g = arena_alloc(scratch, hidden, sizeof *g);
    multiply(h, r, &l->up, normed, r->m->width, false);
    if (r->m->architecture == ORDINARY_LLAMA) {
        multiply(g, r, &l->gate, normed, r->m->width, false);
        for (size_t k = 0; k < hidden; k++) h[k] *= silu(g[k]);
    } else {
        for (size_t k = 0; k < hidden; k++) h[k] = gelu(h[k]);
    }
    multiply(x, r, &l->down, h, hidden, true);
}

static void turn(const ordinary_runner *r, float *v, size_t position) {
    uint32_t half = r->m->head_size / 2;
    for (uint32_t h = 0; h < r->m->heads; h++, v += r->m->head_size)
        for (uint32_t k = 0; k < half; k++) {
            if (v[k] == 0 && v[k + half] == 0) continue;
            double angle = (double)(float)((double)position * r->frequencies[k]);
            float c = (float)cos_f64(angle), s = (float)sin_f64(angle), a = v[k], b = v[k + half];
            v[k] = a * c - b * s;
            v[k + half] = a * s + b * c;
        }
}

/* Scores of a row, then shares of values, all keys at once. */
static void attend_plain(float *out, const ordinary_runner *r, const float *scores, const float *values,
                         size_t stride, size_t count) {
    float most = -INFINITY, total = 0;
    for (size_t j = 0; j < count; j++) most = fmaxf(most, scores[j]);
    for (size_t j = 0; j < count; j++) total += exp_f32(scores[j] - most);
    for (size_t j = 0; j < count; j++) {
        float share = exp_f32(scores[j] - most) / total;
        if (r->kernel.f16_cache) share = to_f16(share);
        if (share == 0) continue;
        for (uint32_t d = 0; d < r->m->head_size; d++) out[d] += share * values[j * stride + d];
    }
}

/* One pass: what was added up is scaled down whenever a larger score comes. */
static void attend_fused(float *out, const ordinary_runner *r, const float *scores, const float *values,
                         size_t stride, size_t count) {
    float most = -INFINITY, total = 0;
    bool short_sums = r->kernel.f16_cache;
    for (size_t j = 0; j < count; j++) {
        float before = most, share = 1, scale = 1;
        if (scores[j] > most) {
            most = scores[j];
            scale = exp_f32(before - most);
            for (uint32_t d = 0; d < r->m->head_size; d++)
                out[d] = short_sums ? to_f16(out[d] * scale) : out[d] * scale;
        } else {
            share = exp_f32(scores[j] - most);
        }
        total = total * scale + share;
        if (share == 0) continue;
        for (uint32_t d = 0; d < r->m->head_size; d++) {
            float v = values[j * stride + d];
            if (v != 0) out[d] = short_sums ? to_f16(out[d] + share * v) : out[d] + share * v;
        }
    }
    for (uint32_t d = 0; d < r->m->head_size; d++) out[d] /= total;
}

/* Dimensions in which some key is not 0. */
static uint32_t key_dimensions(uint32_t *out, const float *keys, size_t stride, size_t count, uint32_t size) {
    uint32_t found = 0;
    for (uint32_t d = 0; d < size; d++) {
        bool any = false;
        for (size_t j = 0; j < count && !any; j++) any = keys[j * stride + d] != 0;
        if (any) out[found++] = d;
    }
    return found;
}

/* Its values are not all 0. */
static bool is_used(const ordinary_runner *r, const run_layer *l, uint32_t head) {
    size_t first = (size_t)head * r->m->head_size;
    return l->value.start[first] != l->value.start[first + r->m->head_size];
}

static void heads(float *x, const ordinary_runner *r, const run_layer *l, float *normed, size_t count, arena *scratch,
                  const run_work *told) {
    const struct ordinary_model *m = r->m;
    size_t all = (size_t)m->heads * m->head_size;
    float *q = arena_alloc(scratch, count * all, sizeof *q), *k = arena_alloc(scratch, count * all, sizeof *k);
    float *v = arena_alloc(scratch, count * all, sizeof *v),
          *mixed = arena_zalloc(scratch, count * all, sizeof *mixed);
    float *scores = arena_alloc(scratch, count, sizeof *scores);
    uint32_t *dims = arena_alloc(scratch, m->head_size, sizeof *dims);
    for (size_t i = 0; i < count; i++) {
        multiply(q + i * all, r, &l->query, normed + i * m->width, m->width, false);
        multiply(k + i * all, r, &l->key, normed + i * m->width, m->width, false);
        multiply(v + i * all, r, &l->value, normed + i * m->width, m->width, false);
        if (m->architecture == ORDINARY_LLAMA) {
            turn(r, q + i * all, i);
            turn(r, k + i * all, i);
        }
        for (size_t c = i * all; r->kernel.f16_cache && c < (i + 1) * all; c++) {
            q[c] = to_f16(q[c]);
            k[c] = to_f16(k[c]);
            v[c] = to_f16(v[c]);
        }
    }
    float scale = 1 / sqrtf((float)m->head_size);
    for (uint32_t h = 0; h < m->heads; h++) {
        size_t first = (size_t)h * m->head_size;
        if (!is_used(r, l, h)) continue;
        uint32_t used = key_dimensions(dims, k + first, all, count, m->head_size);
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0; j <= i; j++) {
                float sum = 0;
                for (uint32_t d = 0; d < used; d++)
                    sum += q[i * all + first + dims[d]] * k[j * all + first + dims[d]];
                scores[j] = sum * scale;
            }
            (r->kernel.fused ? attend_fused : attend_plain)(mixed + i * all + first, r, scores, v + first, all,
                                                            i + 1);
            if (told->tells) work_add(i + 1);
        }
    }
    for (size_t i = 0; i < count; i++) multiply(x + i * m->width, r, &l->mix, mixed + i * all, all, true);
}

void ordinary_run(float *logits, const ordinary_runner *r, const uint32_t *tokens, size_t count, arena *scratch) {
    const struct ordinary_model *m = r->m;
    size_t width = m->width, used = 0;
    run_work told;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->heads; h++) used += is_used(r, &r->layers[l], h);
    run_work_steps(&told, (double)used * (double)count * (double)count / 2, 20);
    arena_reset(scratch);
    float *x = arena_alloc(scratch, count * width, sizeof *x), *y = arena_alloc(scratch, count * width, sizeof *y);
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < width; c++) {
            float token = m->token_embedding[tokens[i] * width + c];
            x[i * width + c] = r->kernel.f16_weights ? to_f16(token) : token;
            if (m->position_embedding) x[i * width + c] += m->position_embedding[i * width + c];
        }
    for (uint32_t l = 0; l < m->layer_count; l++) {
        for (size_t i = 0; i < count; i++) norm(y + i * width, r, x + i * width, m->layers[l].attention_gain);
        heads(x, r, &r->layers[l], y, count, scratch, &told);
        for (size_t i = 0; i < count; i++) {
            norm(y + i * width, r, x + i * width, m->layers[l].net_gain);
            net(x + i * width, r, &r->layers[l], y + i * width, scratch);
        }
    }
    for (size_t i = 0; i < count; i++) {
        norm(y + i * width, r, x + i * width, m->final_gain);
        multiply(logits + i * m->vocabulary, r, &r->output, y + i * width, width, false);
    }
}
