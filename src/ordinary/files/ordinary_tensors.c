#include "ordinary/files/ordinary_tensors.h"

#include <math.h>
#include <string.h>

#include "number/format.h"

/* ---- the lists ---- */

/* What a layer's tensors are called; NULL: the architecture or format has none. */
typedef struct layer_names {
    const char *attention_gain, *query, *key, *value, *mix, *net_gain, *gate, *up, *down;
} layer_names;

static const layer_names names_of[2][2] = {
    [ORDINARY_GPT2] = {[ORDINARY_GGUF] = {"blk.%u.attn_norm", "blk.%u.attn_qkv", NULL, NULL, "blk.%u.attn_output",
                                          "blk.%u.ffn_norm", NULL, "blk.%u.ffn_up", "blk.%u.ffn_down"},
                       [ORDINARY_HUGGING_FACE] = {"transformer.h.%u.ln_1", "transformer.h.%u.attn.c_attn", NULL, NULL,
                                                  "transformer.h.%u.attn.c_proj", "transformer.h.%u.ln_2", NULL,
                                                  "transformer.h.%u.mlp.c_fc", "transformer.h.%u.mlp.c_proj"}},
    [ORDINARY_LLAMA] =
        {[ORDINARY_GGUF] = {"blk.%u.attn_norm", "blk.%u.attn_q", "blk.%u.attn_k", "blk.%u.attn_v",
                            "blk.%u.attn_output", "blk.%u.ffn_norm", "blk.%u.ffn_gate", "blk.%u.ffn_up",
                            "blk.%u.ffn_down"},
         [ORDINARY_HUGGING_FACE] = {"model.layers.%u.input_layernorm", "model.layers.%u.self_attn.q_proj",
                                    "model.layers.%u.self_attn.k_proj", "model.layers.%u.self_attn.v_proj",
                                    "model.layers.%u.self_attn.o_proj", "model.layers.%u.post_attention_layernorm",
                                    "model.layers.%u.mlp.gate_proj", "model.layers.%u.mlp.up_proj",
                                    "model.layers.%u.mlp.down_proj"}},
};

typedef struct list_maker {
    ordinary_tensors *out;
    arena *arena;
    const struct ordinary_model *m;
    ordinary_naming naming;
    uint32_t layer;
} list_maker;

static const char *name_of(const list_maker *l, const char *name, const char *ending) {
    text t;
    text_init(&t, l->arena);
    const char *number = strstr(name, "%u");
    if (number) {
        text_add(&t, name, (size_t)(number - name));
        text_printf(&t, "%u%s", l->layer, number + 2);
    } else {
        text_puts(&t, name);
    }
    text_puts(&t, ending);
    return text_string(&t);
}

static ordinary_tensor *add(list_maker *l, const char *name, const char *ending, float *numbers, uint32_t rows,
                            uint32_t columns) {
    array_push(l->arena, l->out->all, l->out->count, l->out->capacity,
               (ordinary_tensor){.name = name_of(l, name, ending),
                                 .parts = {numbers},
                                 .part_count = 1,
                                 .rows = rows,
                                 .columns = columns,
                                 .is_matrix = true});
    return &l->out->all[l->out->count - 1];
}

static void add_vector(list_maker *l, const char *name, const char *ending, float *numbers, uint32_t size) {
    ordinary_tensor *t = add(l, name, ending, numbers, 1, size);
    t->is_matrix = false;
    t->is_wide = true;
}

/* GPT-2 has a bias beside everything, and its matrices are [inputs][outputs] in Hugging Face's files. */
static ordinary_tensor *add_matrix(list_maker *l, const char *name, float *numbers, uint32_t rows, uint32_t columns) {
    size_t at = l->out->count;
    add(l, name, ".weight", numbers, rows, columns)->is_transposed =
        l->m->architecture == ORDINARY_GPT2 && l->naming == ORDINARY_HUGGING_FACE;
    return &l->out->all[at];
}

static void add_bias(list_maker *l, const char *name, uint32_t size) {
    if (l->m->architecture == ORDINARY_GPT2) add_vector(l, name, ".bias", NULL, size);
}

static void add_norm(list_maker *l, const char *name, float *gain) {
    add_vector(l, name, ".weight", gain, l->m->width);
    add_bias(l, name, l->m->width);
}

static void add_attention(list_maker *l, const struct ordinary_layer *layer, const layer_names *n) {
    const struct ordinary_model *m = l->m;
    uint32_t size = m->heads * m->head_size;
    if (m->architecture == ORDINARY_GPT2) {
        ordinary_tensor *t = add_matrix(l, n->query, layer->query, size, m->width);
        t->parts[1] = layer->key;
        t->parts[2] = layer->value;
        t->part_count = 3;
        add_bias(l, n->query, 3 * size);
    } else {
        /* llama.cpp turns neighbours, Hugging Face an element of the first half with one of the second. */
        uint32_t pairs = l->naming == ORDINARY_GGUF ? m->head_size : 0;
        add_matrix(l, n->query, layer->query, size, m->width)->pair_rows = pairs;
        add_matrix(l, n->key, layer->key, size, m->width)->pair_rows = pairs;
        add_matrix(l, n->value, layer->value, size, m->width);
    }
    add_matrix(l, n->mix, layer->mix, m->width, size);
    add_bias(l, n->mix, m->width);
}

static void add_net(list_maker *l, const struct ordinary_layer *layer, const layer_names *n) {
    const struct ordinary_model *m = l->m;
    if (n->gate) add_matrix(l, n->gate, layer->gate, m->hidden, m->width);
    add_matrix(l, n->up, layer->up, m->hidden, m->width);
    add_bias(l, n->up, m->hidden);
    add_matrix(l, n->down, layer->down, m->width, m->hidden);
    add_bias(l, n->down, m->width);
}

ordinary_tensors ordinary_tensors_make(const struct ordinary_model *m, ordinary_naming naming, arena *a) {
    static const char *const embeddings[2][2] = {{"token_embd", "transformer.wte"},
                                                 {"token_embd", "model.embed_tokens"}};
    static const char *const norms[2][2] = {{"output_norm", "transformer.ln_f"}, {"output_norm", "model.norm"}};
    static const char *const positions[2] = {"position_embd", "transformer.wpe"};
    static const char *const outputs[2] = {"output", "lm_head"};
    ordinary_tensors out = {0};
    list_maker l = {&out, a, m, naming, 0};
    const layer_names *n = &names_of[m->architecture][naming];
    if (m->rope_factors && naming == ORDINARY_HUGGING_FACE)
        trap_raise(
            a->trap, TEMPER_UNSUPPORTED, 0, 0,
            "frequencies of its own for each pair of a head: a Hugging Face folder of a Llama cannot say them");
    if (m->architecture == ORDINARY_GPT2 && m->heads * m->head_size != m->width)
        trap_raise(a->trap, TEMPER_UNSUPPORTED, 0, 0, "a GPT-2 whose %u heads of %u do not make its width of %u",
                   m->heads, m->head_size, m->width);
    if (naming == ORDINARY_HUGGING_FACE && m->width % m->heads)
        trap_raise(a->trap, TEMPER_UNSUPPORTED, 0, 0, "a width of %u for %u heads: transformers refuses it", m->width,
                   m->heads);
    add(&l, embeddings[m->architecture][naming], ".weight", m->token_embedding, m->vocabulary, m->width);
    if (m->architecture == ORDINARY_GPT2)
        add(&l, positions[naming], ".weight", m->position_embedding, m->positions, m->width)->is_wide = true;
    if (m->rope_factors) add_vector(&l, "rope_freqs", ".weight", m->rope_factors, m->head_size / 2);
    for (uint32_t k = 0; k < m->layer_count; k++) {
        l.layer = k;
        add_norm(&l, n->attention_gain, m->layers[k].attention_gain);
        add_attention(&l, &m->layers[k], n);
        add_norm(&l, n->net_gain, m->layers[k].net_gain);
        add_net(&l, &m->layers[k], n);
    }
    add_norm(&l, norms[m->architecture][naming], m->final_gain);
    add(&l, outputs[naming], ".weight", m->output, m->vocabulary, m->width);
    return out;
}

/* ---- the numbers ---- */

void ordinary_tensor_shape(uint64_t shape[2], const ordinary_tensor *t) {
    uint64_t rows = (uint64_t)t->rows * t->part_count;
    shape[0] = t->is_transposed ? t->columns : rows;
    shape[1] = t->is_transposed ? rows : t->columns;
}

/* Where row `row` of the file is in the model's order: of pair k, the first is k, the second k + half. */
static uint32_t unpaired(uint32_t row, uint32_t size) {
    uint32_t within = row % size;
    return row - within + within / 2 + within % 2 * (size / 2);
}

float *ordinary_tensor_at(const ordinary_tensor *t, uint64_t row, uint64_t column) {
    uint64_t of = t->is_transposed ? column : row;
    uint64_t in = t->is_transposed ? row : column;
    float *part = t->parts[of / t->rows];
    uint32_t line = (uint32_t)(of % t->rows);
    if (!part) return NULL;
    if (t->pair_rows) line = unpaired(line, t->pair_rows);
    return &part[(size_t)line * t->columns + in];
}

static void put_bits(text *out, uint32_t bits, size_t bytes) {
    char b[4];
    for (size_t k = 0; k < bytes; k++) b[k] = (char)(bits >> (8 * k));
    text_add(out, b, bytes);
}

static void put_number(text *out, const ordinary_tensor *t, float x, bool as_f16) {
    uint32_t bits;
    if (!isfinite(x) || (as_f16 && isinf(format_round(&format_f16, x))))
        trap_raise(out->arena->trap, TEMPER_LIMIT, 0, 0, "%s: %g is beyond what %s holds", t->name, (double)x,
                   as_f16 ? "f16" : "f32");
    if (as_f16) {
        put_bits(out, (uint32_t)format_encode(&format_f16, x), 2);
    } else {
        memcpy(&bits, &x, sizeof bits);
        put_bits(out, bits, 4);
    }
}

void ordinary_tensor_put(text *out, const ordinary_tensor *t, bool as_f16) {
    uint64_t shape[2];
    ordinary_tensor_shape(shape, t);
    for (uint64_t r = 0; r < shape[0]; r++)
        for (uint64_t c = 0; c < shape[1]; c++) {
            const float *x = ordinary_tensor_at(t, r, c);
            put_number(out, t, x ? *x : 0, as_f16);
        }
}
