#include "ordinary/files/ordinary_read.h"

#include <math.h>
#include <string.h>

#include "ordinary/files/gguf_tokens.h"
#include "ordinary/files/ordinary_tensors.h"

typedef struct reader {
    const gguf_file *f;
    arena *arena;
    const char *prefix;
    size_t next; /* the key that comes next */
} reader;

_Noreturn static void refuse(const reader *r, const char *what) {
    trap_raise(r->arena->trap, TEMPER_FORMAT, 0, 0, "this GGUF file is not one that temper writes: %s", what);
}

/* The full name of the key that must come next. */
static const char *expect(reader *r, const char *key) {
    text name;
    text_init(&name, r->arena);
    text_printf(&name, "%s%s", *key == '.' ? r->prefix : "", key);
    if (r->next >= r->f->key_count || strcmp(r->f->keys[r->next].name, text_string(&name)) != 0) {
        text why;
        text_init(&why, r->arena);
        text_printf(&why, "key %zu is not '%s'", r->next + 1, text_string(&name));
        refuse(r, text_string(&why));
    }
    r->next++;
    return text_string(&name);
}

static uint32_t size_of(reader *r, const char *key) {
    uint32_t x = gguf_u32(r->f, expect(r, key));
    if (x < 1 || x > ORDINARY_SIZE_LIMIT) refuse(r, "a size that no model has");
    return x;
}

static void expect_u32(reader *r, const char *key, uint32_t x) {
    if (gguf_u32(r->f, expect(r, key)) != x) refuse(r, key);
}

static void expect_string(reader *r, const char *key, const char *x) {
    if (strcmp(gguf_string(r->f, expect(r, key)), x) != 0) refuse(r, key);
}

static void expect_bool(reader *r, const char *key, bool x) {
    if (gguf_bool(r->f, expect(r, key)) != x) refuse(r, key);
}

/* ---- keys ---- */

static void read_sizes(reader *r, struct ordinary_file *out) {
    struct ordinary_model *m = out->model;
    const char *architecture = gguf_string(r->f, expect(r, "general.architecture"));
    bool is_llama = strcmp(architecture, "llama") == 0;
    if (!is_llama && strcmp(architecture, "gpt2") != 0) refuse(r, "neither a GPT-2 nor a Llama");
    r->prefix = architecture;
    m->architecture = is_llama ? ORDINARY_LLAMA : ORDINARY_GPT2;
    expect_string(r, "general.name", "temper");
    out->name = gguf_string(r->f, expect(r, "general.description"));
    uint32_t type = gguf_u32(r->f, expect(r, "general.file_type"));
    if (type > 1) refuse(r, "neither f32 nor f16");
    out->as_f16 = type;
    expect_u32(r, "general.alignment", 32);
    m->positions = size_of(r, ".context_length");
    m->width = size_of(r, ".embedding_length");
    m->layer_count = size_of(r, ".block_count");
    m->hidden = size_of(r, ".feed_forward_length");
    m->heads = size_of(r, ".attention.head_count");
    expect_u32(r, ".attention.head_count_kv", m->heads);
    m->head_size = size_of(r, ".attention.key_length");
    expect_u32(r, ".attention.value_length", m->head_size);
    m->vocabulary = size_of(r, ".vocab_size");
    m->epsilon = (double)gguf_f32(
        r->f, expect(r, is_llama ? ".attention.layer_norm_rms_epsilon" : ".attention.layer_norm_epsilon"));
    if (is_llama) {
        expect_u32(r, ".rope.dimension_count", m->head_size);
        m->rope_base = (double)gguf_f32(r->f, expect(r, ".rope.freq_base"));
    }
    if (m->head_size % 2 || m->vocabulary < 3) refuse(r, "a size that no model has");
}

/* The letters as the user wrote them. Texts that are only written have a lower score. */
static void read_letters(reader *r, struct ordinary_model *m, const gguf_key *names, const gguf_key *scores) {
    const char **tokens = arena_alloc(r->arena, m->vocabulary, sizeof *tokens);
    m->letters = m->vocabulary - 3;
    for (uint32_t k = 0; k < m->vocabulary; k++) {
        bool special = k < ORDINARY_LETTERS || k + 1 == m->vocabulary;
        tokens[k] = gguf_token_name(gguf_string_at(r->f, names, k), k, m->vocabulary, m->words, r->arena);
        if (!tokens[k]) refuse(r, "a token without the mark of a blank");
        if (!special && gguf_float_at(r->f, scores, k) != 0 && m->letters > k - ORDINARY_LETTERS)
            m->letters = k - ORDINARY_LETTERS;
    }
    m->tokens = tokens;
}

/* -0 is not 0. */
static bool is_same(double x, float y) { return x == (double)y && !signbit(x) == !signbit(y); }

/* The bytes of an array must be these. */
static void expect_bytes(reader *r, const gguf_key *array, const text *bytes) {
    if (array->count != bytes->length || memcmp(r->f->bytes + array->at, bytes->data, bytes->length) != 0)
        refuse(r, "characters become others than they should");
}

/* Letters are what they were; then the whole tokenizer must be what the writer makes of them. */
static void read_tokens(reader *r, struct ordinary_model *m) {
    expect_string(r, "tokenizer.ggml.model", "t5");
    const gguf_key *names = gguf_array(r->f, expect(r, "tokenizer.ggml.tokens"), GGUF_STRING);
    const gguf_key *scores = gguf_array(r->f, expect(r, "tokenizer.ggml.scores"), GGUF_FLOAT32);
    const gguf_key *types = gguf_array(r->f, expect(r, "tokenizer.ggml.token_type"), GGUF_INT32);
    const gguf_key *map = gguf_array(r->f, expect(r, "tokenizer.ggml.precompiled_charsmap"), GGUF_UINT8);
    if (names->count != m->vocabulary || scores->count != m->vocabulary || types->count != m->vocabulary)
        refuse(r, "a vocabulary of another size");
    expect_u32(r, "tokenizer.ggml.bos_token_id", ORDINARY_BOS);
    expect_u32(r, "tokenizer.ggml.eos_token_id", ORDINARY_EOS);
    expect_u32(r, "tokenizer.ggml.unknown_token_id", m->vocabulary - 1);
    expect_u32(r, "tokenizer.ggml.padding_token_id", ORDINARY_EOS);
    expect_bool(r, "tokenizer.ggml.add_bos_token", true);
    expect_bool(r, "tokenizer.ggml.add_eos_token", false);
    m->words = gguf_bool(r->f, expect(r, "tokenizer.ggml.add_space_prefix"));
    expect_bool(r, "tokenizer.ggml.remove_extra_whitespaces", m->words);
    m->other = gguf_u32(r->f, expect(r, "temper.other_token_id"));
    if (r->next != r->f->key_count) refuse(r, "more keys");
    read_letters(r, m, names, scores);
    if (m->other == 1 || m->other >= ORDINARY_LETTERS + m->letters) refuse(r, "unknown text becomes no letter");
    const gguf_tokens *t = gguf_tokens_make(m, ordinary_tokens_make(m, r->arena), TEMPER_FORMAT, r->arena);
    for (uint32_t k = 0; k < m->vocabulary; k++)
        if (strcmp(t->texts[k], gguf_string_at(r->f, names, k)) != 0 ||
            (int32_t)t->types[k] != gguf_int_at(r->f, types, k) ||
            !is_same(t->scores[k], gguf_float_at(r->f, scores, k)))
            refuse(r, "a token of another kind");
    expect_bytes(r, map, &t->map);
}

/* ---- weights ---- */

static float *numbers(arena *a, uint64_t rows, uint64_t columns) {
    return arena_alloc(a, (size_t)(rows * columns), sizeof(float));
}

void ordinary_allocate(struct ordinary_model *m, uint64_t bytes, bool has_factors, arena *a) {
    bool is_llama = m->architecture == ORDINARY_LLAMA;
    double wide = (double)m->heads * m->head_size, width = m->width;
    double layer = 4 * wide * width + (is_llama ? 3.0 : 2.0) * m->hidden * width;
    double all = 2.0 * m->vocabulary * width + m->layer_count * layer;
    if (!is_llama) all += (double)m->positions * width;
    if (all > (double)bytes / 2)
        trap_raise(a->trap, TEMPER_FORMAT, 0, 0, "the sizes of the model ask for more numbers than the file has");
    uint64_t inner = (uint64_t)m->heads * m->head_size;
    m->token_embedding = numbers(a, m->vocabulary, m->width);
    m->output = numbers(a, m->vocabulary, m->width);
    m->final_gain = numbers(a, 1, m->width);
    if (!is_llama) m->position_embedding = numbers(a, m->positions, m->width);
    if (is_llama && has_factors) m->rope_factors = numbers(a, 1, m->head_size / 2);
    m->layers = arena_zalloc(a, m->layer_count, sizeof *m->layers);
    for (uint32_t k = 0; k < m->layer_count; k++)
        m->layers[k] = (struct ordinary_layer){.attention_gain = numbers(a, 1, m->width),
                                               .query = numbers(a, inner, m->width),
                                               .key = numbers(a, inner, m->width),
                                               .value = numbers(a, inner, m->width),
                                               .mix = numbers(a, m->width, inner),
                                               .net_gain = numbers(a, 1, m->width),
                                               .gate = is_llama ? numbers(a, m->hidden, m->width) : NULL,
                                               .up = numbers(a, m->hidden, m->width),
                                               .down = numbers(a, m->width, m->hidden)};
}

static void read_tensor(const reader *r, const ordinary_tensor *t, const gguf_tensor *from, bool as_f16) {
    uint64_t shape[2];
    ordinary_tensor_shape(shape, t);
    gguf_tensor_type type = as_f16 && !t->is_wide ? GGUF_TENSOR_F16 : GGUF_TENSOR_F32;
    bool fits = strcmp(from->name, t->name) == 0 && from->rank == (t->is_matrix ? 2 : 1) &&
                from->shape[0] == shape[1] && from->shape[1] == shape[0] && from->type == type;
    if (!fits) gguf_fail(r->f, from->at, "here '%s' of %u by %u is expected", t->name, t->rows, t->columns);
    for (uint64_t row = 0, k = 0; row < shape[0]; row++)
        for (uint64_t column = 0; column < shape[1]; column++, k++) {
            float x = gguf_number(r->f, from, k), *place = ordinary_tensor_at(t, row, column);
            uint32_t bits;
            memcpy(&bits, &x, sizeof bits);
            if (place)
                *place = x;
            else if (bits)
                gguf_fail(r->f, from->begin, "a bias '%s' that is not 0", t->name);
        }
}

void ordinary_read(struct ordinary_file *out, const gguf_file *f, arena *a) {
    reader r = {.f = f, .arena = a};
    *out = (struct ordinary_file){.model = arena_zalloc(a, 1, sizeof *out->model)};
    read_sizes(&r, out);
    read_tokens(&r, out->model);
    ordinary_allocate(out->model, f->size, gguf_tensor_find(f, "rope_freqs.weight") != NULL, a);
    ordinary_tensors all = ordinary_tensors_make(out->model, ORDINARY_GGUF, a);
    if (all.count != f->tensor_count) refuse(&r, "another number of tensors");
    for (size_t k = 0; k < all.count; k++) read_tensor(&r, &all.all[k], &f->tensors[k], out->as_f16);
}
