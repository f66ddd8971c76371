#include "plain_net.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a random transformer ---- */

static size_t below(net *n, size_t limit) { return random_below(n->r, limit); }

static matrix fill(net *n, unsigned rank, size_t a, size_t b, size_t c) {
    matrix m = {.rank = rank, .shape = {a, b, c}};
    size_t count = a * (rank > 1 ? b : 1) * (rank > 2 ? c : 1);
    m.data = malloc(count * sizeof *m.data);
    for (size_t k = 0; k < count; k++)
        m.data[k] = below(n, 3) ? 0 : ((double)below(n, 13) - 6) / (below(n, 2) ? 4 : 2);
    return m;
}

static matrix maybe(net *n, unsigned rank, size_t a, size_t b) {
    return below(n, 2) ? fill(n, rank, a, b, 1) : (matrix){0};
}

static void random_layer(net *n, net_layer *l, bool last) {
    size_t d = n->width;
    bool attention = below(n, 5) > 0;
    *l = (net_layer){.heads = attention ? 1 + below(n, 2) : 0, .size = 1 + below(n, 3)};
    for (size_t h = 0; h < l->heads; h++) {
        l->mask[h] = (temper_mask)below(n, 5);
        l->choice[h] = n->soft ? TEMPER_CHOICE_SOFTMAX : (temper_choice)below(n, last ? 3 : 2);
        if (l->choice[h] > TEMPER_CHOICE_RIGHTMOST) n->exact = false;
    }
    if (attention) {
        matrix *inputs[] = {&l->q, &l->k, &l->v}, *biases[] = {&l->b_q, &l->b_k, &l->b_v};
        for (int k = 0; k < 3; k++) {
            *inputs[k] = fill(n, 3, l->heads, d, l->size);
            *biases[k] = maybe(n, 2, l->heads, l->size);
        }
        l->o = fill(n, 3, l->heads, l->size, d);
        l->b_o = maybe(n, 1, d, 1);
    }
    l->units = !attention || below(n, 2) ? 1 + below(n, 4) : 0;
    if (l->units) {
        l->in = fill(n, 2, d, l->units, 1);
        l->b_in = maybe(n, 1, l->units, 1);
        l->out = fill(n, 2, l->units, d, 1);
        l->b_out = maybe(n, 1, d, 1);
    }
}

void net_random(net *n, test_random *r) {
    *n = (net){.r = r, .exact = true};
    n->lens = below(n, 2);
    n->soft = below(n, 3) == 0;
    n->rows = 4 + below(n, 3);
    n->width = 2 + below(n, 4);
    n->tied = !n->lens && below(n, 2);
    n->logits = n->tied ? n->rows : 2 + below(n, 2);
    n->contexts = below(n, 2) ? 3 + below(n, 6) : 0;
    n->layers = 1 + below(n, 3);
    n->has_end = below(n, 2);
    n->at_first = below(n, 3) == 0;
    for (int k = 0; k < 4; k++) n->token[k] = k < 2 ? k : (int)below(n, n->rows);
    if (below(n, 2)) n->token[0] = 3, n->token[1] = 0;
    if (below(n, 3) == 0) n->token[2] = -1;
    if (!n->has_end) n->token[3] = -1;
    n->embed = fill(n, 2, n->rows, n->width, 1);
    if (n->contexts) n->positions = fill(n, 2, n->contexts, n->width, 1);
    if (!n->tied) n->unembed = fill(n, 2, n->lens ? n->width : n->logits, n->lens ? n->logits : n->width, 1);
    if (n->lens) n->b_u = maybe(n, 1, n->logits, 1);
    for (size_t k = 0; k < n->layers; k++) random_layer(n, &n->layer[k], k + 1 == n->layers);
    n->feature_channel = below(n, 2) ? (int)below(n, n->width) : -1;
    n->scaled = below(n, 2);
    n->answer = (int)below(n, 3);
    n->threshold = n->answer ? ((double)below(n, 9) - 4) / 4 : 0;
}

void net_free(net *n) {
    matrix *globals[] = {&n->embed, &n->positions, &n->unembed, &n->b_u};
    for (size_t k = 0; k < 4; k++) free(globals[k]->data);
    for (size_t k = 0; k < n->layers; k++) {
        net_layer *l = &n->layer[k];
        matrix *all[] = {&l->q,   &l->k,   &l->v,  &l->o,    &l->b_q, &l->b_k,
                         &l->b_v, &l->b_o, &l->in, &l->b_in, &l->out, &l->b_out};
        for (size_t m = 0; m < 12; m++) free(all[m]->data);
    }
}

/* ---- the forward pass ---- */

static bool sees(temper_mask mask, size_t i, size_t j) {
    switch (mask) {
    case TEMPER_MASK_BEFORE: return j < i;
    case TEMPER_MASK_UP_TO: return j <= i;
    case TEMPER_MASK_AFTER: return j > i;
    case TEMPER_MASK_FROM: return j >= i;
    case TEMPER_MASK_ALL: break;
    }
    return true;
}

/* x W + b of one head, W [d][e] */
static void apply(double *y, const double *x, const matrix *w, const matrix *b, size_t head, size_t d, size_t e) {
    for (size_t k = 0; k < e; k++) {
        y[k] = b->data ? b->data[head * e + k] : 0;
        for (size_t c = 0; c < d; c++) y[k] += x[c] * w->data[(head * d + c) * e + k];
    }
}

static void attend(const net *n, const net_layer *l, size_t h, net_stream x, net_stream delta, size_t size) {
    double q[NET_POSITIONS][3], k[NET_POSITIONS][3], v[NET_POSITIONS][3];
    size_t d = n->width, e = l->size;
    for (size_t i = 0; i < size; i++) {
        apply(q[i], x[i], &l->q, &l->b_q, h, d, e);
        apply(k[i], x[i], &l->k, &l->b_k, h, d, e);
        apply(v[i], x[i], &l->v, &l->b_v, h, d, e);
    }
    double scale = n->scaled ? log((double)size) + 1 : 1 / sqrt((double)e);
    for (size_t i = 0; i < size; i++) {
        if (n->row_scale) scale = n->row_scale(i, size);
        double score[NET_POSITIONS], weight[NET_POSITIONS] = {0}, best = -INFINITY, total = 0;
        for (size_t j = 0; j < size; j++) {
            score[j] = 0;
            for (size_t a = 0; a < e; a++) score[j] += q[i][a] * k[j][a];
            if (sees(l->mask[h], i, j) && score[j] > best) best = score[j];
        }
        for (size_t j = 0; j < size; j++) {
            if (!sees(l->mask[h], i, j)) continue;
            bool top = score[j] == best;
            if (l->choice[h] == TEMPER_CHOICE_SOFTMAX)
                weight[j] = exp(scale * (score[j] - best));
            else if (l->choice[h] == TEMPER_CHOICE_LEFTMOST)
                weight[j] = top && total == 0;
            else
                weight[j] = top;
            if (top && l->choice[h] == TEMPER_CHOICE_RIGHTMOST) total = 0, memset(weight, 0, j * sizeof *weight);
            total += weight[j];
        }
        for (size_t j = 0; j < size && total > 0; j++)
            for (size_t a = 0; a < e; a++)
                for (size_t c = 0; c < d; c++)
                    delta[i][c] += weight[j] / total * v[j][a] * l->o.data[(h * e + a) * d + c];
    }
}

static void run_layer(const net *n, const net_layer *l, net_stream x, size_t size) {
    size_t d = n->width;
    net_stream delta = {{0}};
    for (size_t h = 0; h < l->heads; h++) attend(n, l, h, x, delta, size);
    for (size_t i = 0; i < size; i++)
        for (size_t c = 0; c < d; c++) x[i][c] += delta[i][c] + (l->b_o.data ? l->b_o.data[c] : 0);
    for (size_t i = 0; i < size && l->units; i++) {
        double hidden[4], y[NET_WIDTH];
        for (size_t u = 0; u < l->units; u++) {
            hidden[u] = l->b_in.data ? l->b_in.data[u] : 0;
            for (size_t c = 0; c < d; c++) hidden[u] += x[i][c] * l->in.data[c * l->units + u];
            if (hidden[u] < 0) hidden[u] = 0;
        }
        for (size_t c = 0; c < d; c++) {
            y[c] = l->b_out.data ? l->b_out.data[c] : 0;
            for (size_t u = 0; u < l->units; u++) y[c] += hidden[u] * l->out.data[u * d + c];
        }
        for (size_t c = 0; c < d; c++) x[i][c] += y[c];
    }
}

static double logit(const net *n, const double *x, size_t column) {
    double y = n->b_u.data ? n->b_u.data[column] : 0;
    for (size_t c = 0; c < n->width; c++)
        y += x[c] * (n->tied   ? n->embed.data[column * n->width + c]
                     : n->lens ? n->unembed.data[c * n->logits + column]
                               : n->unembed.data[column * n->width + c]);
    return y;
}

double net_margin(const net *n, const double *x) {
    if (n->answer == 0) return logit(n, x, 1) - logit(n, x, 0);
    return (n->answer == 1 ? logit(n, x, 1) : x[1]) - n->threshold;
}

void net_run(const net *n, const uint32_t *letters, size_t length, net_stream x) {
    size_t size = length + 1 + n->has_end;
    for (size_t i = 0; i < size; i++) {
        int row = n->token[i == 0 ? 2 : i <= length ? (int)letters[i - 1] : 3];
        for (size_t c = 0; c < n->width; c++) {
            x[i][c] = row < 0 ? 0 : n->embed.data[(size_t)row * n->width + c];
            if (n->contexts) x[i][c] += n->positions.data[i * n->width + c];
            if ((int)c == n->feature_channel) x[i][c] += (double)(i % 3) - 1;
        }
    }
    for (size_t k = 0; k < n->layers; k++) run_layer(n, &n->layer[k], x, size);
}

/* ---- writing it ---- */

void plain_put(plain_file *f, const matrix *m, const char *format, ...) {
    static const tensor_type types[] = {TENSOR_F64, TENSOR_F32, TENSOR_F16, TENSOR_BF16};
    char name[80];
    va_list args;
    if (!m->data) return;
    va_start(args, format);
    int length = vsnprintf(name, sizeof name, format, args);
    va_end(args);
    tensor_plan *p = &f->plans[f->count];
    *p = (tensor_plan){
        .name = arena_copy(&f->memory, name, (size_t)length), .type = types[random_below(f->r, 4)], .rank = m->rank};
    for (unsigned k = 0; k < m->rank; k++) p->shape[k] = m->shape[k];
    f->data[f->count++] = m->data;
}

static uint64_t encode(tensor_type type, double x) {
    uint64_t bits = 0;
    float single = (float)x;
    uint32_t low;
    memcpy(&low, &single, sizeof low);
    if (type == TENSOR_F64) memcpy(&bits, &x, sizeof bits);
    if (type == TENSOR_F32) bits = low;
    if (type == TENSOR_BF16) bits = low >> 16;
    if (type != TENSOR_F16 || x == 0) return bits;
    int exponent;
    double fraction = frexp(fabs(x), &exponent);
    return (uint64_t)(x < 0) << 15 | (uint64_t)(exponent + 14) << 10 | (uint64_t)(fraction * 2048 - 1024);
}

void plain_write(plain_file *f, const char *path) {
    text header;
    text_init(&header, &f->memory);
    tensor_header_print(&header, f->plans, f->count, NULL, 0);
    FILE *out = fopen(path, "wb");
    fwrite(header.data, 1, header.length, out);
    for (size_t k = 0; k < f->count; k++) {
        size_t count = 1, size = tensor_type_size(f->plans[k].type);
        for (unsigned d = 0; d < f->plans[k].rank; d++) count *= f->plans[k].shape[d];
        for (size_t i = 0; i < count; i++) {
            uint64_t bits = encode(f->plans[k].type, f->data[k][i]);
            for (size_t b = 0; b < size; b++) fputc((int)(bits >> (8 * b) & 255), out);
        }
    }
    fclose(out);
}

static void put_lens(plain_file *f, const net *n) {
    plain_put(f, &n->embed, "embed.W_E");
    plain_put(f, &n->positions, "pos_embed.W_pos");
    for (size_t k = 0; k < n->layers; k++) {
        const net_layer *l = &n->layer[k];
        const matrix *all[] = {&l->q,   &l->k,   &l->v,  &l->o,    &l->b_q, &l->b_k,
                               &l->b_v, &l->b_o, &l->in, &l->b_in, &l->out, &l->b_out};
        static const char *const names[] = {"attn.W_Q", "attn.W_K", "attn.W_V", "attn.W_O", "attn.b_Q",  "attn.b_K",
                                            "attn.b_V", "attn.b_O", "mlp.W_in", "mlp.b_in", "mlp.W_out", "mlp.b_out"};
        for (int m = 0; m < 12; m++) plain_put(f, all[m], "blocks.%zu.%s", k, names[m]);
        if (l->heads) { /* buffers of a state dictionary */
            static double no = -INFINITY;
            matrix ignore = {.rank = 1, .shape = {1}, .data = &no};
            plain_put(f, &ignore, "blocks.%zu.attn.IGNORE", k);
            f->plans[f->count - 1].type = TENSOR_F64;
            f->plans[f->count - 1].rank = 0;
        }
    }
    plain_put(f, &n->unembed, "unembed.W_U");
    plain_put(f, &n->b_u, "unembed.b_U");
}

/* [d][3][h][e] and [3][h][e] of the three matrices of a layer. */
static void put_joined(plain_file *f, const net *n, const net_layer *l, const char *prefix, size_t layer) {
    const matrix *w[] = {&l->q, &l->k, &l->v}, *b[] = {&l->b_q, &l->b_k, &l->b_v};
    size_t d = n->width, e = l->size, all = l->heads * e;
    matrix joined = {.rank = 2, .shape = {d, 3 * all}}, bias = {.rank = 1, .shape = {3 * all}};
    joined.data = arena_zalloc(&f->memory, d * 3 * all, sizeof(double));
    bias.data = arena_zalloc(&f->memory, 3 * all, sizeof(double));
    for (size_t k = 0; k < 3; k++)
        for (size_t h = 0; h < l->heads; h++)
            for (size_t a = 0; a < e; a++) {
                for (size_t c = 0; c < d; c++)
                    joined.data[c * 3 * all + k * all + h * e + a] = w[k]->data[(h * d + c) * e + a];
                if (b[k]->data) bias.data[k * all + h * e + a] = b[k]->data[h * e + a];
            }
    plain_put(f, &joined, "%sh.%zu.attn.c_attn.weight", prefix, layer);
    if (b[0]->data || b[1]->data || b[2]->data) plain_put(f, &bias, "%sh.%zu.attn.c_attn.bias", prefix, layer);
    matrix o = {.rank = 2, .shape = {all, d}, .data = l->o.data};
    plain_put(f, &o, "%sh.%zu.attn.c_proj.weight", prefix, layer);
    plain_put(f, &l->b_o, "%sh.%zu.attn.c_proj.bias", prefix, layer);
    static double one = 1;
    matrix mask = {.rank = 1, .shape = {1}, .data = &one};
    plain_put(f, &mask, "%sh.%zu.attn.%s", prefix, layer, layer % 2 ? "bias" : "masked_bias");
}

static void put_gpt2(plain_file *f, const net *n) {
    const char *prefix = random_below(n->r, 2) ? "transformer." : "";
    plain_put(f, &n->unembed, "lm_head.weight");
    plain_put(f, &n->embed, "%swte.weight", prefix);
    plain_put(f, &n->positions, "%swpe.weight", prefix);
    for (size_t k = 0; k < n->layers; k++) {
        const net_layer *l = &n->layer[k];
        if (l->heads) put_joined(f, n, l, prefix, k);
        plain_put(f, &l->in, "%sh.%zu.mlp.c_fc.weight", prefix, k);
        plain_put(f, &l->b_in, "%sh.%zu.mlp.c_fc.bias", prefix, k);
        plain_put(f, &l->out, "%sh.%zu.mlp.c_proj.weight", prefix, k);
        plain_put(f, &l->b_out, "%sh.%zu.mlp.c_proj.bias", prefix, k);
    }
}

void config_say(import_config *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    c->length += (size_t)vsnprintf(c->bytes + c->length, CONFIG_SIZE - c->length, format, args);
    va_end(args);
}

void config_write(const import_config *c, const char *path) {
    FILE *out = fopen(path, "wb");
    fwrite(c->bytes, 1, c->length, out);
    fclose(out);
}

void config_describe(import_config *c, const net *n) {
    c->length = 0;
    config_say(c, "{\"answer\": ");
    if (n->answer == 0) config_say(c, "{\"accept\": 1, \"reject\": 0}");
    if (n->answer == 1) config_say(c, "{\"column\": 1, \"threshold\": %.2f}", n->threshold);
    if (n->answer == 2) config_say(c, "{\"threshold\": %.2f, \"channel\": 1}", n->threshold);
    config_say(c, ",\n \"heads\": [");
    for (size_t k = 0; k < n->layers; k++) {
        const net_layer *l = &n->layer[k];
        config_say(c, "%s[", k ? ",\n  " : "");
        for (size_t h = 0; h < l->heads; h++) {
            config_say(c, "%s{\"choice\": \"%s\"", h ? ", " : "", temper_choice_name(l->choice[h]));
            if (l->mask[h] != TEMPER_MASK_UP_TO) config_say(c, ", \"mask\": \"%s\"", temper_mask_name(l->mask[h]));
            if (n->soft && n->scaled) config_say(c, ", \"scale\": \"ln(N) + 1\"");
            config_say(c, "}");
        }
        config_say(c, "]");
    }
    config_say(c, "],\n \"alphabet\": [\"a\", \"b\"], \"normalization\": null, \"activation\": \"relu\"");
    config_say(c, ", \"at\": \"%s\"", n->at_first ? "first" : "last");
    if (n->token[0] != 0) config_say(c, ", \"vocab\": {\"b\": %d, \"a\": %d}", n->token[1], n->token[0]);
    if (n->token[2] < 0) config_say(c, ", \"start\": null");
    if (n->token[2] >= 0) config_say(c, ", \"start\": %d", n->token[2]);
    if (n->has_end) config_say(c, ", \"end\": %d", n->token[3]);
    if (n->feature_channel >= 0) config_say(c, ",\n \"positions\": {\"%d\": \"i %% 3 - 1\"}", n->feature_channel);
    config_say(c, "}\n");
}

void plain_put_net(plain_file *f, const net *n) {
    if (n->lens)
        put_lens(f, n);
    else
        put_gpt2(f, n);
}
