#include "ordinary/files/gguf_write.h"

#include <string.h>

#include "ordinary/files/gguf_tokens.h"
#include "ordinary/files/ordinary_tensors.h"

enum { VERSION = 3 };

/* As in the format. */
enum {
    TYPE_UINT8 = 0,
    TYPE_UINT32 = 4,
    TYPE_INT32 = 5,
    TYPE_FLOAT32 = 6,
    TYPE_BOOL = 7,
    TYPE_STRING = 8,
    TYPE_ARRAY = 9
};
enum { TENSOR_F32 = 0, TENSOR_F16 = 1 };

static const uint64_t LARGEST_FILE = (uint64_t)2 << 30;

/* ---- the container ---- */

static void put_bits(text *out, uint64_t bits, size_t bytes) {
    char b[8];
    for (size_t k = 0; k < bytes; k++) b[k] = (char)(bits >> (8 * k));
    text_add(out, b, bytes);
}

static void put_u32(text *out, uint32_t x) { put_bits(out, x, 4); }
static void put_u64(text *out, uint64_t x) { put_bits(out, x, 8); }

static void put_string(text *out, const char *s) {
    put_u64(out, strlen(s));
    text_puts(out, s);
}

static void pad(text *out, size_t start) {
    while ((out->length - start) % GGUF_ALIGNMENT) text_putc(out, 0);
}

static uint64_t padded(uint64_t size) { return (size + GGUF_ALIGNMENT - 1) / GGUF_ALIGNMENT * GGUF_ALIGNMENT; }

/* ---- keys ---- */

typedef struct keys {
    text values;
    uint64_t count;
    const char *prefix; /* of the architecture's own keys */
} keys;

static void put_key(keys *k, const char *key, uint32_t type) {
    if (*key == '.') {
        text name;
        text_init(&name, k->values.arena);
        text_printf(&name, "%s%s", k->prefix, key);
        key = text_string(&name);
    }
    put_string(&k->values, key);
    put_u32(&k->values, type);
    k->count++;
}

static void key_u32(keys *k, const char *key, uint32_t x) {
    put_key(k, key, TYPE_UINT32);
    put_u32(&k->values, x);
}

static void put_f32(text *out, double x) {
    float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put_u32(out, bits);
}

static void key_f32(keys *k, const char *key, double x) {
    put_key(k, key, TYPE_FLOAT32);
    put_f32(&k->values, x);
}

static void key_bool(keys *k, const char *key, bool x) {
    put_key(k, key, TYPE_BOOL);
    text_putc(&k->values, (char)x);
}

static void key_string(keys *k, const char *key, const char *x) {
    put_key(k, key, TYPE_STRING);
    put_string(&k->values, x);
}

static void begin_array(keys *k, const char *key, uint32_t element, size_t count) {
    put_key(k, key, TYPE_ARRAY);
    put_u32(&k->values, element);
    put_u64(&k->values, count);
}

static void key_strings(keys *k, const char *key, const char *const *all, size_t count) {
    begin_array(k, key, TYPE_STRING, count);
    for (size_t i = 0; i < count; i++) put_string(&k->values, all[i]);
}

static void put_architecture(keys *k, const struct ordinary_model *m, const char *name, bool as_f16) {
    bool is_llama = m->architecture == ORDINARY_LLAMA;
    key_string(k, "general.architecture", k->prefix);
    key_string(k, "general.name", "temper");
    key_string(k, "general.description", name);
    key_u32(k, "general.file_type", as_f16 ? 1 : 0);
    key_u32(k, "general.alignment", GGUF_ALIGNMENT);
    key_u32(k, ".context_length", m->positions);
    key_u32(k, ".embedding_length", m->width);
    key_u32(k, ".block_count", m->layer_count);
    key_u32(k, ".feed_forward_length", m->hidden);
    key_u32(k, ".attention.head_count", m->heads);
    key_u32(k, ".attention.head_count_kv", m->heads);
    key_u32(k, ".attention.key_length", m->head_size);
    key_u32(k, ".attention.value_length", m->head_size);
    key_u32(k, ".vocab_size", m->vocabulary);
    key_f32(k, is_llama ? ".attention.layer_norm_rms_epsilon" : ".attention.layer_norm_epsilon", m->epsilon);
    if (!is_llama) return;
    key_u32(k, ".rope.dimension_count", m->head_size);
    key_f32(k, ".rope.freq_base", m->rope_base);
}

/* Words have a blank before each, and all blanks between them are one; a blank may be a letter among others. */
static void put_tokenizer(keys *k, const struct ordinary_model *m, const ordinary_tokens *names) {
    const gguf_tokens *t = gguf_tokens_make(m, names, TEMPER_UNSUPPORTED, k->values.arena);
    key_string(k, "tokenizer.ggml.model", "t5");
    key_strings(k, "tokenizer.ggml.tokens", t->texts, t->count);
    begin_array(k, "tokenizer.ggml.scores", TYPE_FLOAT32, t->count);
    for (uint32_t i = 0; i < t->count; i++) put_f32(&k->values, t->scores[i]);
    begin_array(k, "tokenizer.ggml.token_type", TYPE_INT32, t->count);
    for (uint32_t i = 0; i < t->count; i++) put_u32(&k->values, t->types[i]);
    begin_array(k, "tokenizer.ggml.precompiled_charsmap", TYPE_UINT8, t->map.length);
    text_add(&k->values, t->map.data, t->map.length);
    key_u32(k, "tokenizer.ggml.bos_token_id", ORDINARY_BOS);
    key_u32(k, "tokenizer.ggml.eos_token_id", ORDINARY_EOS);
    key_u32(k, "tokenizer.ggml.unknown_token_id", ordinary_dead(names));
    key_u32(k, "tokenizer.ggml.padding_token_id", ORDINARY_EOS);
    key_bool(k, "tokenizer.ggml.add_bos_token", true);
    key_bool(k, "tokenizer.ggml.add_eos_token", false);
    key_bool(k, "tokenizer.ggml.add_space_prefix", names->has_words);
    key_bool(k, "tokenizer.ggml.remove_extra_whitespaces", names->has_words);
    key_u32(k, "temper.other_token_id", m->other);
}

/* ---- tensors ---- */

static uint64_t tensor_bytes(const ordinary_tensor *t, bool as_f16) {
    return (uint64_t)t->rows * t->part_count * t->columns * (as_f16 && !t->is_wide ? 2 : 4);
}

/* Refuses a file that would be too large. */
static void check_cost(const ordinary_tensors *all, bool as_f16, trap *t) {
    uint64_t size = 0;
    for (size_t k = 0; k < all->count; k++) {
        size += padded(tensor_bytes(&all->all[k], as_f16));
        if (size > LARGEST_FILE)
            trap_raise(t, TEMPER_LIMIT, 0, 0, "the weights would make a file of more than 2 GiB");
    }
}

/* Sizes are given from the one that changes fastest. */
static void put_infos(text *out, const ordinary_tensors *all, bool as_f16) {
    uint64_t offset = 0;
    for (size_t k = 0; k < all->count; k++) {
        const ordinary_tensor *t = &all->all[k];
        uint64_t shape[2];
        ordinary_tensor_shape(shape, t);
        put_string(out, t->name);
        put_u32(out, t->is_matrix ? 2 : 1);
        put_u64(out, shape[1]);
        if (t->is_matrix) put_u64(out, shape[0]);
        put_u32(out, as_f16 && !t->is_wide ? TENSOR_F16 : TENSOR_F32);
        put_u64(out, offset);
        offset += padded(tensor_bytes(t, as_f16));
    }
}

void gguf_print(text *out, const struct ordinary_model *m, const ordinary_tokens *tokens, const char *name,
                bool as_f16) {
    keys k = {.prefix = m->architecture == ORDINARY_LLAMA ? "llama" : "gpt2"};
    ordinary_tensors all = ordinary_tensors_make(m, ORDINARY_GGUF, out->arena);
    size_t start = out->length;
    check_cost(&all, as_f16, out->arena->trap);
    text_init(&k.values, out->arena);
    put_architecture(&k, m, name, as_f16);
    put_tokenizer(&k, m, tokens);
    text_puts(out, "GGUF");
    put_u32(out, VERSION);
    put_u64(out, all.count);
    put_u64(out, k.count);
    text_add(out, k.values.data, k.values.length);
    put_infos(out, &all, as_f16);
    pad(out, start);
    for (size_t i = 0; i < all.count; i++) {
        ordinary_tensor_put(out, &all.all[i], as_f16 && !all.all[i].is_wide);
        pad(out, start);
    }
}
