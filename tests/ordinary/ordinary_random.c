#include "ordinary_random.h"

#include <math.h>
#include <string.h>

#include "model/token_names.h"
#include "number/format.h"

/* About normal, with a spread of `size`. */
static float *random_numbers(test_random *r, size_t count, double size, double around, arena *a) {
    float *x = arena_alloc(a, count, sizeof *x);
    for (size_t k = 0; k < count; k++) {
        double sum = 0;
        for (int j = 0; j < 4; j++) sum += (double)random_below(r, 1u << 20) / (1u << 20) - 0.5;
        x[k] = (float)(around + size * sum * 1.7);
    }
    return x;
}

static void make_layer(struct ordinary_layer *l, const struct ordinary_model *m, test_random *r, arena *a) {
    size_t width = m->width, inner = (size_t)m->heads * m->head_size, hidden = m->hidden;
    double spread = 1 / sqrt((double)width);
    l->attention_gain = random_numbers(r, width, 0.2, 1, a);
    l->query = random_numbers(r, inner * width, 3 * spread, 0, a);
    l->key = random_numbers(r, inner * width, 3 * spread, 0, a);
    l->value = random_numbers(r, inner * width, spread, 0, a);
    l->mix = random_numbers(r, width * inner, 1 / sqrt((double)inner), 0, a);
    l->net_gain = random_numbers(r, width, 0.2, 1, a);
    l->gate = m->architecture == ORDINARY_LLAMA ? random_numbers(r, hidden * width, 2 * spread, 0, a) : NULL;
    l->up = random_numbers(r, hidden * width, 2 * spread, 0, a);
    l->down = random_numbers(r, width * hidden, 1 / sqrt((double)hidden), 0, a);
}

struct ordinary_model *ordinary_random(test_random *r, enum ordinary_architecture architecture, bool has_factors,
                                       const char *const *tokens, arena *a) {
    static const char *const plain[] = {"a", "b", "c", NULL};
    struct ordinary_model *m = arena_zalloc(a, 1, sizeof *m);
    size_t letters = 0;
    if (!tokens) tokens = plain;
    while (tokens[letters]) letters++;
    m->architecture = architecture;
    m->positions = 16 + (uint32_t)random_below(r, 40);
    m->head_size = 16;
    m->heads = 2 << random_below(r, 2); /* transformers 5 wants a width that is a multiple */
    m->width = architecture == ORDINARY_GPT2 ? m->heads * m->head_size : 64;
    m->hidden = 32 * (1 + (uint32_t)random_below(r, 3));
    m->layer_count = 1 + (uint32_t)random_below(r, 3);
    m->vocabulary = (uint32_t)letters + 3;
    m->epsilon = 1e-5;
    m->rope_base = architecture == ORDINARY_LLAMA ? 10000 : 0;
    if (has_factors) {
        m->rope_factors = arena_alloc(a, m->head_size / 2, sizeof *m->rope_factors);
        for (uint32_t k = 0; k < m->head_size / 2; k++) m->rope_factors[k] = (float)(1 + random_below(r, 9)) / 2;
    }
    m->token_embedding = random_numbers(r, (size_t)m->vocabulary * m->width, 1, 0, a);
    if (architecture == ORDINARY_GPT2)
        m->position_embedding = random_numbers(r, (size_t)m->positions * m->width, 1, 0, a);
    m->layers = arena_zalloc(a, m->layer_count, sizeof *m->layers);
    for (uint32_t k = 0; k < m->layer_count; k++) make_layer(&m->layers[k], m, r, a);
    m->final_gain = random_numbers(r, m->width, 0.2, 1, a);
    m->output = random_numbers(r, (size_t)m->vocabulary * m->width, 0.3, 0, a);
    const char **names = arena_alloc(a, m->vocabulary, sizeof *names);
    names[0] = "<s>";
    names[1] = "</s>";
    memcpy(names + 2, tokens, letters * sizeof *names);
    names[m->vocabulary - 1] = "<dead>";
    m->tokens = names;
    m->letters = (uint32_t)letters;
    for (size_t k = 0; k < letters; k++) m->words |= token_character_count(tokens[k]) != 1;
    return m;
}

static void round_all(float *x, size_t count) {
    for (size_t k = 0; x && k < count; k++) x[k] = (float)format_round(&format_f16, (double)x[k]);
}

void ordinary_round(struct ordinary_model *m) {
    size_t width = m->width, inner = (size_t)m->heads * m->head_size, hidden = m->hidden;
    round_all(m->token_embedding, m->vocabulary * width);
    round_all(m->position_embedding, m->positions * width);
    round_all(m->final_gain, width);
    round_all(m->output, m->vocabulary * width);
    for (uint32_t k = 0; k < m->layer_count; k++) {
        struct ordinary_layer *l = &m->layers[k];
        round_all(l->attention_gain, width);
        round_all(l->query, inner * width);
        round_all(l->key, inner * width);
        round_all(l->value, inner * width);
        round_all(l->mix, inner * width);
        round_all(l->net_gain, width);
        round_all(l->gate, hidden * width);
        round_all(l->up, hidden * width);
        round_all(l->down, hidden * width);
    }
}

/* ---- the forward pass ---- */

static void multiply(double *out, const float *matrix, size_t rows, size_t columns, const double *x) {
    for (size_t r = 0; r < rows; r++) {
        out[r] = 0;
        for (size_t c = 0; c < columns; c++) out[r] += (double)matrix[r * columns + c] * x[c];
    }
}

static void normalise(double *out, const struct ordinary_model *m, const float *gain, const double *x) {
    double mean = 0, square = 0;
    if (m->architecture == ORDINARY_GPT2)
        for (uint32_t k = 0; k < m->width; k++) mean += x[k] / m->width;
    for (uint32_t k = 0; k < m->width; k++) square += (x[k] - mean) * (x[k] - mean) / m->width;
    for (uint32_t k = 0; k < m->width; k++) out[k] = (x[k] - mean) / sqrt(square + m->epsilon) * gain[k];
}

static void turn(double *x, const struct ordinary_model *m, size_t position) {
    uint32_t half = m->head_size / 2;
    for (uint32_t h = 0; h < m->heads; h++)
        for (uint32_t k = 0; k < half; k++) {
            double frequency = pow(m->rope_base, -2.0 * k / m->head_size);
            double angle = (double)position * frequency / (m->rope_factors ? (double)m->rope_factors[k] : 1);
            double *u = x + (size_t)h * m->head_size + k, *v = u + half, first = *u, second = *v;
            *u = first * cos(angle) - second * sin(angle);
            *v = first * sin(angle) + second * cos(angle);
        }
}

static double activate(const struct ordinary_model *m, double x) {
    if (m->architecture == ORDINARY_LLAMA) return x / (1 + exp(-x));
    return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

static void attend(double *out, const struct ordinary_model *m, const double *query, const double *keys,
                   const double *values, size_t i, double *weights) {
    size_t inner = (size_t)m->heads * m->head_size;
    for (uint32_t h = 0; h < m->heads; h++) {
        size_t first = (size_t)h * m->head_size;
        double most = -INFINITY, sum = 0;
        for (size_t j = 0; j <= i; j++) {
            weights[j] = 0;
            for (uint32_t k = 0; k < m->head_size; k++) weights[j] += query[first + k] * keys[j * inner + first + k];
            weights[j] /= sqrt((double)m->head_size);
            if (weights[j] > most) most = weights[j];
        }
        for (size_t j = 0; j <= i; j++) sum += weights[j] = exp(weights[j] - most);
        for (uint32_t k = 0; k < m->head_size; k++) {
            out[first + k] = 0;
            for (size_t j = 0; j <= i; j++) out[first + k] += weights[j] / sum * values[j * inner + first + k];
        }
    }
}

void ordinary_forward(double *logits, const struct ordinary_model *m, const uint32_t *ids, size_t n, arena *scratch) {
    size_t width = m->width, inner = (size_t)m->heads * m->head_size;
    double *x = arena_alloc(scratch, n * width, sizeof *x), *y = arena_alloc(scratch, width, sizeof *y);
    double *query = arena_alloc(scratch, inner, sizeof *query), *z = arena_alloc(scratch, inner, sizeof *z);
    double *keys = arena_alloc(scratch, n * inner, sizeof *keys),
           *values = arena_alloc(scratch, n * inner, sizeof *x);
    double *up = arena_alloc(scratch, m->hidden, sizeof *up), *gate = arena_alloc(scratch, m->hidden, sizeof *gate);
    double *weights = arena_alloc(scratch, n, sizeof *weights), *added = arena_alloc(scratch, width, sizeof *added);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < width; c++)
            x[i * width + c] = (double)m->token_embedding[ids[i] * width + c] +
                               (m->position_embedding ? (double)m->position_embedding[i * width + c] : 0);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const struct ordinary_layer *layer = &m->layers[l];
        for (size_t i = 0; i < n; i++) {
            double *row = x + i * width;
            normalise(y, m, layer->attention_gain, row);
            multiply(query, layer->query, inner, width, y);
            multiply(keys + i * inner, layer->key, inner, width, y);
            multiply(values + i * inner, layer->value, inner, width, y);
            if (m->architecture == ORDINARY_LLAMA) {
                turn(query, m, i);
                turn(keys + i * inner, m, i);
            }
            attend(z, m, query, keys, values, i, weights);
            multiply(added, layer->mix, width, inner, z);
            for (size_t c = 0; c < width; c++) row[c] += added[c];
            normalise(y, m, layer->net_gain, row);
            multiply(up, layer->up, m->hidden, width, y);
            if (layer->gate) multiply(gate, layer->gate, m->hidden, width, y);
            for (uint32_t k = 0; k < m->hidden; k++)
                up[k] = layer->gate ? activate(m, gate[k]) * up[k] : activate(m, up[k]);
            multiply(added, layer->down, width, m->hidden, up);
            for (size_t c = 0; c < width; c++) row[c] += added[c];
        }
    }
    for (size_t i = 0; i < n; i++) {
        normalise(y, m, m->final_gain, x + i * width);
        multiply(logits + i * m->vocabulary, m->output, m->vocabulary, width, y);
    }
}
