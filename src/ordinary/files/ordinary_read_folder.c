/* A Hugging Face folder of ours: sizes from config.json, letters from tokenizer.json, numbers from
   model.safetensors. */
#include <string.h>

#include "ordinary/files/ordinary_read.h"
#include "ordinary/files/ordinary_tensors.h"
#include "ordinary/files/ordinary_texts.h"

_Noreturn static void refuse(arena *a, const char *what) {
    trap_raise(a->trap, TEMPER_FORMAT, 0, 0, "this folder is not one that temper writes: %s", what);
}

/* ---- config.json ---- */

typedef enum config_kind { SIZE, SAME_SIZE, NUMBER, EQUAL, FALSE_, IGNORED } config_kind;

typedef struct config_field {
    const char *name;
    config_kind kind;
    size_t at;        /* of struct ordinary_model */
    const char *text; /* EQUAL */
} config_field;

#define AT(field) offsetof(struct ordinary_model, field)

static const config_field gpt2_fields[] = {{"model_type", EQUAL, 0, "gpt2"},
                                           {"n_positions", SIZE, AT(positions), NULL},
                                           {"n_ctx", SAME_SIZE, AT(positions), NULL},
                                           {"n_embd", SIZE, AT(width), NULL},
                                           {"n_layer", SIZE, AT(layer_count), NULL},
                                           {"n_head", SIZE, AT(heads), NULL},
                                           {"n_inner", SIZE, AT(hidden), NULL},
                                           {"activation_function", EQUAL, 0, "gelu_new"},
                                           {"layer_norm_epsilon", NUMBER, AT(epsilon), NULL},
                                           {"vocab_size", SIZE, AT(vocabulary), NULL},
                                           {"tie_word_embeddings", FALSE_, 0, NULL},
                                           {NULL, IGNORED, 0, NULL}};

static const config_field llama_fields[] = {{"model_type", EQUAL, 0, "llama"},
                                            {"max_position_embeddings", SIZE, AT(positions), NULL},
                                            {"hidden_size", SIZE, AT(width), NULL},
                                            {"num_hidden_layers", SIZE, AT(layer_count), NULL},
                                            {"num_attention_heads", SIZE, AT(heads), NULL},
                                            {"num_key_value_heads", SAME_SIZE, AT(heads), NULL},
                                            {"head_dim", SIZE, AT(head_size), NULL},
                                            {"intermediate_size", SIZE, AT(hidden), NULL},
                                            {"hidden_act", EQUAL, 0, "silu"},
                                            {"attention_bias", FALSE_, 0, NULL},
                                            {"mlp_bias", FALSE_, 0, NULL},
                                            {"rms_norm_eps", NUMBER, AT(epsilon), NULL},
                                            {"rope_theta", NUMBER, AT(rope_base), NULL},
                                            {"vocab_size", SIZE, AT(vocabulary), NULL},
                                            {"tie_word_embeddings", FALSE_, 0, NULL},
                                            {NULL, IGNORED, 0, NULL}};

/* The fields that the reader needs, or that deserve a message of their own. */
static void read_field(json_reader *r, const config_field *f, struct ordinary_model *m, bool again, arena *a) {
    size_t at = r->at;
    void *place = (char *)m + f->at;
    uint32_t size;
    switch (f->kind) {
    case SIZE:
        size = (uint32_t)jread_integer(r, ORDINARY_SIZE_LIMIT, "a size");
        if (!size) jread_fail(r, at, "a size of 0");
        if (!again) *(uint32_t *)place = size;
        break;
    case SAME_SIZE: /* looked at when all sizes are known */
        size = (uint32_t)jread_integer(r, ORDINARY_SIZE_LIMIT, "a size");
        if (again && size != *(uint32_t *)place)
            jread_fail(r, at, "'%s' is %u, not %u", f->name, size, *(uint32_t *)place);
        break;
    case NUMBER: *(double *)place = jread_number(r, "a number"); break;
    case EQUAL:
        if (!jread_is(jread_string(r, f->text), f->text)) jread_fail(r, at, "'%s' is not \"%s\"", f->name, f->text);
        break;
    case FALSE_:
        if (jread_bool(r, "false")) jread_fail(r, at, "'%s' is true", f->name);
        break;
    case IGNORED: jread_skip(r, a); break;
    }
}

static void read_config(struct ordinary_model *m, const ordinary_texts *x, const config_field *fields, bool again,
                        arena *a) {
    json_reader r;
    json_keys keys;
    uint32_t seen = 0;
    jread_begin(&r, x->config, x->config_length, a, a->trap);
    r.where = "config.json";
    jread_keys_init(&keys, a);
    jread_object(&r);
    for (json_text key; jread_key(&r, &key);) {
        jread_keys_add(&keys, &r, key);
        uint32_t k = 0;
        while (fields[k].name && !jread_is(key, fields[k].name)) k++;
        read_field(&r, &fields[k], m, again, a);
        seen |= 1u << k;
    }
    jread_end(&r);
    for (uint32_t k = 0; fields[k].name; k++)
        if (!(seen >> k & 1)) trap_raise(a->trap, TEMPER_FORMAT, 0, 0, "config.json has no '%s'", fields[k].name);
}

/* Which architecture, before its fields are known. */
static bool is_llama(const ordinary_texts *x, arena *a) {
    static const char *const types[] = {"gpt2", "llama", NULL};
    json_reader r;
    int found = -1;
    jread_begin(&r, x->config, x->config_length, a, a->trap);
    r.where = "config.json";
    jread_object(&r);
    for (json_text key; jread_key(&r, &key);)
        if (jread_is(key, "model_type"))
            found = (int)jread_choice(&r, types, "\"gpt2\" or \"llama\"");
        else
            jread_skip(&r, NULL);
    jread_end(&r);
    if (found < 0) refuse(a, "config.json has no model_type");
    return found;
}

/* ---- tokenizer.json ---- */

static void read_vocabulary(json_reader *r, struct ordinary_model *m, arena *a) {
    const char **tokens = arena_zalloc(a, m->vocabulary, sizeof *tokens);
    json_keys keys;
    uint32_t count = 0;
    jread_keys_init(&keys, a);
    jread_object(r);
    for (json_text key; jread_key(r, &key); count++) {
        jread_keys_add(&keys, r, key);
        size_t at = r->at;
        char *name = arena_alloc(a, key.length + 1, 1);
        name[jread_decode(name, key)] = 0;
        if (strlen(name) != jread_decoded_length(key)) jread_fail(r, at, "a token with a NUL byte");
        uint64_t id = jread_integer(r, m->vocabulary - 1, "the number of a token");
        if (tokens[id]) jread_fail(r, at, "a second token %llu", (unsigned long long)id);
        tokens[id] = name;
    }
    if (count != m->vocabulary) refuse(a, "tokenizer.json has another number of tokens");
    m->tokens = tokens;
}

/* Unknown text is read as a letter, or as the last token. */
static uint32_t other_of(const struct ordinary_model *m, const char *unknown) {
    for (uint32_t k = ORDINARY_LETTERS; unknown && k + 1 < m->vocabulary; k++)
        if (strcmp(m->tokens[k], unknown) == 0) return k;
    return 0;
}

static void read_tokenizer(struct ordinary_model *m, const ordinary_texts *x, arena *a) {
    json_reader r;
    json_keys keys, inner;
    const char *unknown = NULL;
    jread_begin(&r, x->tokenizer, x->tokenizer_length, a, a->trap);
    r.where = "tokenizer.json";
    jread_keys_init(&keys, a);
    jread_object(&r);
    for (json_text key; jread_key(&r, &key);) {
        jread_keys_add(&keys, &r, key);
        if (!jread_is(key, "model")) {
            jread_skip(&r, a);
            continue;
        }
        jread_keys_init(&inner, a);
        jread_object(&r);
        for (json_text part; jread_key(&r, &part);) {
            jread_keys_add(&inner, &r, part);
            if (jread_is(part, "vocab"))
                read_vocabulary(&r, m, a);
            else if (jread_is(part, "unk_token"))
                unknown = jread_c_string(&r, a, "a token");
            else
                jread_skip(&r, a);
        }
    }
    jread_end(&r);
    if (!m->tokens) refuse(a, "tokenizer.json has no vocabulary");
    m->other = other_of(m, unknown);
}

/* ---- both texts ---- */

static bool is_same(const text *x, const char *bytes, size_t length) {
    return x->length == length && memcmp(x->data, bytes, length) == 0;
}

/* Any field can change the result or its input, so both files must equal our writer's output byte for byte. */
static void check_texts(struct ordinary_model *m, const ordinary_texts *x, arena *a) {
    text config;
    bool known = false;
    text_init(&config, a);
    ordinary_config_print(&config, m);
    if (!is_same(&config, x->config, x->config_length)) refuse(a, "config.json has another field, number or order");
    for (int words = 0; words < 2 && !known; words++) {
        text tokenizer;
        m->words = words;
        const tokenizer_facts facts = ordinary_tokenizer(m, ordinary_tokens_make(m, a));
        text_init(&tokenizer, a);
        tokenizer_print(&tokenizer, &facts);
        known = is_same(&tokenizer, x->tokenizer, x->tokenizer_length);
    }
    if (!known) refuse(a, "tokenizer.json has more or less than its letters ask for");
}

/* ---- model.safetensors ---- */

static void read_tensor(const ordinary_tensor *t, const tensor *from, const tensor_file *f, bool as_f16, arena *a) {
    uint64_t shape[2];
    as_f16 = as_f16 && !t->is_wide;
    ordinary_tensor_shape(shape, t);
    bool fits = from->type == (as_f16 ? TENSOR_F16 : TENSOR_F32) && from->rank == (t->is_matrix ? 2 : 1) &&
                from->shape[from->rank - 1] == shape[1] && (!t->is_matrix || from->shape[0] == shape[0]);
    if (!fits)
        tensor_fail(f, from, "%llu by %llu numbers of %s are expected", (unsigned long long)shape[0],
                    (unsigned long long)shape[1], as_f16 ? "F16" : "F32");
    double *row = arena_alloc(a, (size_t)shape[1], sizeof *row);
    for (uint64_t r = 0; r < shape[0]; r++) {
        tensor_read(row, f, from, r * shape[1], (size_t)shape[1]);
        for (uint64_t c = 0; c < shape[1]; c++) {
            float *place = ordinary_tensor_at(t, r, c);
            if (place)
                *place = (float)row[c];
            else if (row[c] != 0)
                tensor_fail(f, from, "a bias that is not 0");
        }
    }
}

struct ordinary_model *ordinary_read_texts(const ordinary_texts *texts, arena *a) {
    struct ordinary_model *m = arena_zalloc(a, 1, sizeof *m);
    bool llama = is_llama(texts, a);
    m->architecture = llama ? ORDINARY_LLAMA : ORDINARY_GPT2;
    for (int again = 0; again < 2; again++) read_config(m, texts, llama ? llama_fields : gpt2_fields, again, a);
    if (!llama) {
        if (m->width % m->heads) refuse(a, "its heads do not make its width");
        m->head_size = m->width / m->heads;
    }
    if (m->head_size % 2 || m->vocabulary < 3) refuse(a, "a size that no model has");
    read_tokenizer(m, texts, a);
    check_texts(m, texts, a);
    return m;
}

void ordinary_read_folder(struct ordinary_file *out, const ordinary_texts *texts, const tensor_file *f, arena *a) {
    struct ordinary_model *m = ordinary_read_texts(texts, a);
    *out = (struct ordinary_file){.model = m, .name = ""};
    ordinary_allocate(m, f->source.size, false, a);
    ordinary_tensors all = ordinary_tensors_make(m, ORDINARY_HUGGING_FACE, a);
    if (all.count != f->count) refuse(a, "another number of tensors");
    const tensor *first = tensor_find(f, all.all[0].name); /* of tokens */
    out->as_f16 = first && first->type == TENSOR_F16;
    for (size_t k = 0; k < all.count; k++) {
        const tensor *from = tensor_find(f, all.all[k].name);
        if (!from) trap_raise(a->trap, TEMPER_FORMAT, 0, 0, "there is no tensor '%s'", all.all[k].name);
        read_tensor(&all.all[k], from, f, out->as_f16, a);
    }
}
