/* A Hugging Face folder of an ordinary model, field by field: config.json, tokenizer.json and model.safetensors as
   they are written are read back; without any one field, or with another size, token or tensor, they are refused, and
   the message says which and where. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "ordinary/files/ordinary_read.h"
#include "ordinary/files/ordinary_tensors.h"
#include "ordinary/files/ordinary_texts.h"
#include "ordinary_random.h"

typedef struct folder {
    const char *config, *tokenizer;
    const char *tensors; /* NULL: only the texts are read */
    size_t size;
    struct ordinary_model *model; /* what is read is this one */
} folder;

static void same_numbers(const struct ordinary_model *m, const struct ordinary_model *back, arena *a) {
    ordinary_tensors x = ordinary_tensors_make(m, ORDINARY_HUGGING_FACE, a),
                     y = ordinary_tensors_make(back, ORDINARY_HUGGING_FACE, a);
    CHECK(x.count == y.count && m->width == back->width && m->positions == back->positions &&
              m->vocabulary == back->vocabulary && m->hidden == back->hidden && m->head_size == back->head_size,
          "sizes");
    for (size_t k = 0; k < x.count && k < y.count; k++)
        for (uint32_t p = 0; p < x.all[k].part_count; p++) {
            const float *u = x.all[k].parts[p], *v = y.all[k].parts[p];
            CHECK(!u == !v && (!u || !memcmp(u, v, (size_t)x.all[k].rows * x.all[k].columns * sizeof *u)), "%s",
                  x.all[k].name);
        }
    for (uint32_t k = 0; k < m->vocabulary; k++) CHECK(!strcmp(m->tokens[k], back->tokens[k]), "token %u", k);
}

static void read_body(entry *e, void *context) {
    const folder *f = context;
    const ordinary_texts texts = {f->config, f->tokenizer, strlen(f->config), strlen(f->tokenizer)};
    if (!f->tensors) {
        ordinary_read_texts(&texts, &e->memory);
        return;
    }
    tensor_file tensors;
    struct ordinary_file out;
    tensor_file_open(&tensors, (tensor_source){.bytes = f->tensors, .size = f->size}, &e->memory, e->trap);
    ordinary_read_folder(&out, &texts, &tensors, &e->memory);
    same_numbers(f->model, out.model, &e->memory);
}

/* words NULL: it is read. line 0: a message without a place. */
static void check(folder *f, size_t line, size_t column, const char *words) {
    temper_error e = {0};
    temper_status s = entry_run(&e, read_body, f);
    CHECK(words ? s == TEMPER_FORMAT && e.line == line && e.column == column && !strcmp(e.text, words)
                : s == TEMPER_OK,
          "%zu:%zu: %s\nnot %zu:%zu: %s", e.line, e.column, s == TEMPER_OK ? "accepted" : e.text, line, column,
          words ? words : "accepted");
}

/* One text in the place of another; a ^ in it is dropped, and *line and *column say where it stood. */
static char *changed(arena *a, const char *whole, const char *from, const char *to, size_t *line, size_t *column) {
    const char *at = strstr(whole, from), *hat = strchr(to, '^');
    text out;
    text_init(&out, a);
    CHECK(at, "no %s in %s", from, whole);
    text_add(&out, whole, at ? (size_t)(at - whole) : 0);
    text_add(&out, to, hat ? (size_t)(hat - to) : strlen(to));
    *line = *column = 1;
    for (size_t k = 0; k < out.length; k++) {
        ++*column;
        if (out.data[k] == '\n') ++*line, *column = 1;
    }
    if (!hat) *line = *column = 0;
    if (hat) text_puts(&out, hat + 1);
    text_puts(&out, at ? at + strlen(from) : "");
    return (char *)(size_t)text_string(&out);
}

#define NOT_OURS "this folder is not one that temper writes: "

typedef struct edit {
    const char *from, *to, *words;
} edit;

static const edit gpt2_edits[] = {
    {"\"model_type\": \"gpt2\",", "", NOT_OURS "config.json has no model_type"},
    {"\"gpt2\"", "^\"gpt3\"", "config.json: expected \"gpt2\" or \"llama\", found \"gpt3\""},
    {"  \"n_positions\": 4,\n", "", "config.json has no 'n_positions'"},
    {"  \"n_ctx\": 4,\n", "", "config.json has no 'n_ctx'"},
    {"\"n_ctx\": 4", "\"n_ctx\":^ 5", "config.json: 'n_ctx' is 5, not 4"},
    {"  \"n_embd\": 2,\n", "", "config.json has no 'n_embd'"},
    {"  \"n_layer\": 1,\n", "", "config.json has no 'n_layer'"},
    {"\"n_layer\": 1", "\"n_layer\":^ 0", "config.json: a size of 0"},
    {"\"n_layer\": 1", "\"n_layer\": ^1048577", "config.json: expected a size, found 1048577"},
    {"\"n_layer\": 1", "\"n_layer\": 1048576", NULL}, /* of the texts alone */
    {"  \"n_head\": 1,\n", "", "config.json has no 'n_head'"},
    {"\"n_head\": 1", "\"n_head\": 3", NOT_OURS "its heads do not make its width"},
    {"\"n_head\": 1", "\"n_head\": 2", NOT_OURS "a size that no model has"}, /* heads of size 1 */
    {"  \"n_inner\": 2,\n", "", "config.json has no 'n_inner'"},
    {"  \"activation_function\": \"gelu_new\",\n", "", "config.json has no 'activation_function'"},
    {" \"gelu_new\"", "^ \"gelu\"", "config.json: 'activation_function' is not \"gelu_new\""},
    {" false", "^ true", "config.json: 'tie_word_embeddings' is true"},
    {"\"vocab_size\": 6,", "", "config.json has no 'vocab_size'"},
    {"\"vocab_size\": 6", "\"vocab_size\": 2", NOT_OURS "a size that no model has"},
    {"  \"tie_word_embeddings\": false,\n", "", "config.json has no 'tie_word_embeddings'"},
    {"\"use_cache\": true", "\"use_cache\": false", NOT_OURS "config.json has another field, number or order"},
};

static const edit llama_edits[] = {
    {"  \"max_position_embeddings\": 4,\n", "", "config.json has no 'max_position_embeddings'"},
    {"  \"hidden_size\": 2,\n", "", "config.json has no 'hidden_size'"},
    {"  \"num_hidden_layers\": 1,\n", "", "config.json has no 'num_hidden_layers'"},
    {"  \"num_attention_heads\": 1,\n", "", "config.json has no 'num_attention_heads'"},
    {"  \"num_key_value_heads\": 1,\n", "", "config.json has no 'num_key_value_heads'"},
    {"\"num_key_value_heads\": 1", "\"num_key_value_heads\":^ 2", "config.json: 'num_key_value_heads' is 2, not 1"},
    {"  \"head_dim\": 2,\n", "", "config.json has no 'head_dim'"},
    {"\"head_dim\": 2", "\"head_dim\": 3", NOT_OURS "a size that no model has"},
    {"  \"intermediate_size\": 2,\n", "", "config.json has no 'intermediate_size'"},
    {"  \"hidden_act\": \"silu\",\n", "", "config.json has no 'hidden_act'"},
    {"  \"attention_bias\": false,\n", "", "config.json has no 'attention_bias'"},
    {"  \"mlp_bias\": false,\n", "", "config.json has no 'mlp_bias'"},
    {"  \"vocab_size\": 6,\n", "", "config.json has no 'vocab_size'"},
    {"\"vocab_size\": 6", "\"vocab_size\": 2", NOT_OURS "a size that no model has"},
};

static const edit tokenizer_edits[] = {
    {"\"c\": 4", "\"c\": ^6", "tokenizer.json: expected the number of a token, found 6"},
    {"\"c\": 4", "\"c\":^ 3", "tokenizer.json: a second token 3"},
    {"\"c\": 4, ", "", NOT_OURS "tokenizer.json has another number of tokens"},
    {"\"c\": 4", "\"c\\u0000\":^ 4", "tokenizer.json: a token with a NUL byte"},
    {"\"vocab\"", "\"vocabs\"", NOT_OURS "tokenizer.json has no vocabulary"},
    {"\"added_tokens\": []", "\"added_tokens\": [1]",
     NOT_OURS "tokenizer.json has more or less than its letters ask for"},
};

static void check_edits(entry *e, const folder *whole, const edit *edits, size_t count, bool of_tokenizer) {
    for (size_t k = 0; k < count; k++) {
        size_t line, column;
        folder f = *whole;
        const char **file = of_tokenizer ? &f.tokenizer : &f.config;
        f.tensors = NULL; /* the texts are refused by themselves */
        *file = changed(&e->memory, *file, edits[k].from, edits[k].to, &line, &column);
        check(&f, line, column, edits[k].words);
    }
}

/* Just three tokens, none of which is a letter: the size is one that a model has. */
static void check_no_letters(entry *e, const folder *whole) {
    size_t line, column;
    folder f = *whole;
    f.tensors = NULL;
    f.config = changed(&e->memory, f.config, "\"vocab_size\": 6", "\"vocab_size\": 3", &line, &column);
    f.tokenizer = changed(&e->memory, f.tokenizer, "\"a\": 2, \"b\": 3, \"c\": 4, ", "", &line, &column);
    f.tokenizer = changed(&e->memory, f.tokenizer, "\": 5}", "\": 2}", &line, &column);
    check(&f, 0, 0, NULL);
}

/* ---- tensors ---- */

typedef enum fault { NONE, MATRIX_TURNED, VECTOR_OF_ROWS, OTHER_TYPE, OTHER_NAME } fault;

/* All tensors of a model, with a fault in tensor `which`. */
static void put_tensors(text *out, const struct ordinary_model *m, bool as_f16, size_t which, fault wrong) {
    ordinary_tensors all = ordinary_tensors_make(m, ORDINARY_HUGGING_FACE, out->arena);
    tensor_plan *plans = arena_zalloc(out->arena, all.count, sizeof *plans);
    for (size_t k = 0; k < all.count; k++) {
        uint64_t shape[2];
        tensor_plan *p = &plans[k];
        ordinary_tensor_shape(shape, &all.all[k]);
        *p = (tensor_plan){all.all[k].name, as_f16 && !all.all[k].is_wide ? TENSOR_F16 : TENSOR_F32, 0, {0}};
        if (all.all[k].is_matrix) p->shape[p->rank++] = shape[0];
        p->shape[p->rank++] = shape[1];
        if (k != which) continue;
        if (wrong == MATRIX_TURNED) p->shape[0] = shape[1], p->shape[1] = shape[0];
        if (wrong == VECTOR_OF_ROWS) p->rank = 2, p->shape[0] = 1, p->shape[1] = shape[1];
        if (wrong == OTHER_TYPE) p->type = p->type == TENSOR_F32 ? TENSOR_I32 : TENSOR_BF16;
        if (wrong == OTHER_NAME) p->name = "another";
    }
    tensor_header_print(out, plans, all.count, NULL, 0);
    for (size_t k = 0; k < all.count; k++)
        ordinary_tensor_put(out, &all.all[k], plans[k].type == TENSOR_F16 || plans[k].type == TENSOR_BF16);
}

static void check_fault(arena *a, folder f, bool as_f16, size_t which, const ordinary_tensor *t, fault wrong) {
    text out;
    char words[200], name[100];
    uint64_t shape[2];
    text_init(&out, a);
    put_tensors(&out, f.model, as_f16, which, wrong);
    f.tensors = out.data;
    f.size = out.length;
    ordinary_tensor_shape(shape, t);
    if (wrong == MATRIX_TURNED && shape[0] == shape[1]) return;
    snprintf(name, sizeof name, "\"%s\"", t->name);
    const char *at = strstr(text_string(&out) + 8, name);
    snprintf(words, sizeof words, "byte %zu: tensor '%.40s%s': %llu by %llu numbers of %s are expected",
             at ? (size_t)(at - out.data) : 0, t->name, strlen(t->name) > 40 ? "..." : "",
             (unsigned long long)shape[0], (unsigned long long)shape[1], as_f16 && !t->is_wide ? "F16" : "F32");
    if (wrong == OTHER_NAME) snprintf(words, sizeof words, "there is no tensor '%s'", t->name);
    check(&f, 0, 0, wrong == NONE ? NULL : words);
}

static void check_tensors(entry *e, const folder *f, bool as_f16) {
    ordinary_tensors all = ordinary_tensors_make(f->model, ORDINARY_HUGGING_FACE, &e->memory);
    check_fault(&e->memory, *f, as_f16, 0, &all.all[0], NONE);
    for (size_t k = 0; k < all.count; k++) {
        bool first = k == 0; /* its type says which one all have */
        check_fault(&e->memory, *f, as_f16, k, &all.all[k], all.all[k].is_matrix ? MATRIX_TURNED : VECTOR_OF_ROWS);
        if (!first) check_fault(&e->memory, *f, as_f16, k, &all.all[k], OTHER_TYPE);
        if (!first) check_fault(&e->memory, *f, as_f16, k, &all.all[k], OTHER_NAME);
    }
}

/* ---- models ---- */

static folder make_folder(arena *a, struct ordinary_model *m) {
    text config, tokenizer;
    const tokenizer_facts facts = ordinary_tokenizer(m, ordinary_tokens_make(m, a));
    text_init(&config, a);
    text_init(&tokenizer, a);
    ordinary_config_print(&config, m);
    tokenizer_print(&tokenizer, &facts);
    return (folder){.config = text_string(&config), .tokenizer = text_string(&tokenizer), .model = m};
}

static void check_models(entry *e, void *context) {
    static const char *const words[] = {"req", "ack", NULL};
    test_random *r = context;
    for (int k = 0; k < 4; k++) { /* letters and words, f32 and f16 */
        struct ordinary_model *m =
            ordinary_random(r, k % 2 ? ORDINARY_LLAMA : ORDINARY_GPT2, false, k < 2 ? NULL : words, &e->memory);
        m->positions = 4;
        m->heads = m->layer_count = 1;
        m->head_size = m->width = m->hidden = 2;
        if (k > 1) ordinary_round(m);
        folder f = make_folder(&e->memory, m);
        check_tensors(e, &f, k > 1);
        if (k > 1) continue;
        check_edits(e, &f, k ? llama_edits : gpt2_edits,
                    k ? sizeof llama_edits / sizeof *llama_edits : sizeof gpt2_edits / sizeof *gpt2_edits, false);
        check_edits(e, &f, tokenizer_edits, sizeof tokenizer_edits / sizeof *tokenizer_edits, true);
        check_no_letters(e, &f);
    }
}

int main(void) {
    temper_error e;
    test_random r = test_seed(2121);
    CHECK(entry_run(&e, check_models, &r) == TEMPER_OK, "%s", e.text);
    return test_finish("t-model-folder");
}
