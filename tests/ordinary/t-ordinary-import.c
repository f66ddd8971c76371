/* Reading ordinary transformers back: a specification is lowered and written, its file is read and the lowering
   undone, and the hard model that comes out gives the specification's answers at every position of all short strings.
   One changed weight is refused, or is another model, whose answers are those of the emulator. */
#define _GNU_SOURCE /* memmem */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ordinary/files/gguf_write.h"
#include "ordinary/write/ordinary_files.h"
#include "ordinary/lift/lift_model.h"
#include "lab/sequences.h"
#include "logic/formula.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary_trials.h"

static struct { size_t specs, models, folders, refused, strings, answers, changed, taken; } total;

typedef struct trial {
    const char *name;
    const temper_spec *spec;
    struct ordinary_options options;
    test_random *random;
    size_t changes;
} trial;

static const char *setting(const trial *t) { return ordinary_setting_text(t->name, &t->options); }

/* ---- reading ---- */

typedef struct reading {
    const struct ordinary_model *m;
    bool as_f16;
    temper_model *out;
} reading;

static void read_file(entry *e, void *context) {
    reading *r = context;
    text bytes;
    gguf_file f;
    struct ordinary_file s;
    text_init(&bytes, &e->memory);
    gguf_print(&bytes, r->m, ordinary_tokens_make(r->m, &e->memory), "a name", r->as_f16);
    gguf_open(&f, bytes.data, bytes.length, &e->memory);
    ordinary_read(&s, &f, &e->memory);
    temper_model *made = entry_model(e);
    model_from_lift(made, lift_file(&s, ORDINARY_GGUF, &e->memory), &e->memory);
    r->out = made;
}

/* The same by the files of a Hugging Face folder. */
typedef struct folder {
    const struct ordinary_model *m;
    bool as_f16;
    char *config, *tokenizer, *weights;
    size_t config_length, tokenizer_length, size;
    temper_model *out;
} folder;

static void make_folder(entry *e, void *context) {
    folder *f = context;
    text config, tokenizer, weights;
    text_init(&config, &e->memory);
    text_init(&tokenizer, &e->memory);
    text_init(&weights, &e->memory);
    ordinary_config_print(&config, f->m);
    tokenizer_facts facts = ordinary_tokenizer(f->m, ordinary_tokens_make(f->m, &e->memory));
    tokenizer_print(&tokenizer, &facts);
    ordinary_safetensors_print(&weights, f->m, f->as_f16);
    f->config = entry_hand_out(e, config.data, f->config_length = config.length);
    f->tokenizer = entry_hand_out(e, tokenizer.data, f->tokenizer_length = tokenizer.length);
    f->weights = entry_hand_out(e, weights.data, f->size = weights.length);
}

static void read_folder(entry *e, void *context) {
    folder *f = context;
    tensor_file file;
    struct ordinary_file s;
    ordinary_texts x = {f->config, f->tokenizer, f->config_length, f->tokenizer_length};
    tensor_file_open(&file, (tensor_source){.bytes = f->weights, .size = f->size}, &e->memory, e->trap);
    ordinary_read_folder(&s, &x, &file, &e->memory);
    temper_model *made = entry_model(e);
    model_from_lift(made, lift_file(&s, ORDINARY_HUGGING_FACE, &e->memory), &e->memory);
    f->out = made;
}

static void free_folder(folder *f) {
    temper_free(f->config);
    temper_free(f->tokenizer);
    temper_free(f->weights);
    temper_model_free(f->out);
}

static bool is_refusal(temper_status s) { return s == TEMPER_FORMAT || s == TEMPER_LIMIT || s == TEMPER_UNSUPPORTED; }

/* Both files give one model. */
static void check_folder(const trial *t, const struct ordinary_model *m, const temper_model *other) {
    folder f = {.m = m, .as_f16 = t->options.weights == ORDINARY_F16};
    temper_error e;
    char *x = NULL, *y = NULL;
    size_t length, size;
    if (m->rope_factors || m->width % m->heads) return;
    if (CHECK(entry_run(&e, make_folder, &f) == TEMPER_OK, "%s: %s", setting(t), e.text) &&
        CHECK(entry_run(&e, read_folder, &f) == TEMPER_OK, "%s, the folder: %s", setting(t), e.text)) {
        temper_model_print(&x, &length, f.out, &e);
        temper_model_print(&y, &size, other, &e);
        CHECK(length == size && memcmp(x, y, size) == 0, "%s: folder and GGUF file are different models", setting(t));
        total.folders++;
    }
    temper_free(x);
    temper_free(y);
    free_folder(&f);
}

/* ---- hostile files ---- */

typedef struct bytes {
    const char *data;
    size_t length;
} bytes;

static void read_bytes(entry *e, void *context) {
    const bytes *b = context;
    gguf_file f;
    struct ordinary_file s;
    gguf_open(&f, b->data, b->length, &e->memory);
    ordinary_read(&s, &f, &e->memory);
    model_from_lift(entry_passing_model(e), lift_file(&s, ORDINARY_GGUF, &e->memory), &e->memory);
}

/* A file cut short is refused, and one with a byte changed, unless that is another model; nothing is read beyond. */
static void check_hostile(entry *e, void *context) {
    const trial *t = context;
    const temper_spec *read;
    const struct ordinary_model *m =
        ordinary_from_model(&e->memory, ordinary_hard_model(e, t->spec, &read), &t->options);
    text out;
    text_init(&out, &e->memory);
    gguf_print(&out, m, ordinary_tokens_make(m, &e->memory), "a name", t->options.weights == ORDINARY_F16);
    size_t header = out.length < 6000 ? out.length : 6000, tries = (size_t)(120 * test_effort());
    for (size_t k = 0; k < tries; k++) {
        size_t size = k % 4 ? out.length : random_below(t->random, out.length);
        char *copy = malloc(size ? size : 1);
        memcpy(copy, out.data, size);
        for (uint64_t n = k % 4 ? 1 + random_below(t->random, 2) : 0; n > 0; n--) {
            size_t at = random_below(t->random, k % 4 == 1 ? size : header);
            copy[at] = k % 4 == 2 ? (char)random_u64(t->random) : (char)(copy[at] ^ 1 << random_below(t->random, 8));
        }
        temper_error why;
        bytes b = {copy, size};
        temper_status status = entry_run(&why, read_bytes, &b);
        CHECK(is_refusal(status) || (status == TEMPER_OK && size == out.length), "%s: hostile file %zu: %s",
              setting(t), k, why.text);
        free(copy);
    }
    folder f = {.m = m, .as_f16 = t->options.weights == ORDINARY_F16};
    if (m->rope_factors || entry_run(NULL, make_folder, &f) != TEMPER_OK) return;
    for (size_t k = 0; k < tries; k++) {
        folder g = f;
        char **which = k % 3 == 0 ? &g.config : k % 3 == 1 ? &g.tokenizer : &g.weights;
        size_t *length = k % 3 == 0 ? &g.config_length : k % 3 == 1 ? &g.tokenizer_length : &g.size;
        char *copy = malloc(*length);
        memcpy(copy, *which, *length);
        *which = copy;
        if (k % 2)
            *length = random_below(t->random, *length);
        else
            copy[random_below(t->random, *length < 4000 ? *length : 4000)] ^= (char)(1 << random_below(t->random, 8));
        temper_error why;
        temper_status status = entry_run(&why, read_folder, &g);
        CHECK(status == TEMPER_OK || is_refusal(status), "%s: hostile folder %zu: %s", setting(t), k, why.text);
        temper_model_free(g.out);
        free(copy);
    }
    free_folder(&f);
}

#define TEN "0000000000"

/* Fields that change what transformers computes with the same weights. */
static void check_texts(entry *e, void *context) {
    static const struct {
        const char *from, *to, *words;
    } changes[] = {
        {"\"scale_attn_weights\": true", "\"scale_attn_weights\": false", ""},
        {"\"scale_attn_weights\": true", "\"scale_attn_by_inverse_layer_idx\": true", ""},
        {"\"rope_type\": \"default\"", "\"rope_type\": \"linear\", \"factor\": 8.0", ""},
        {"\"use_cache\": true", "\"use_cache\": true, \"partial_rotary_factor\": 0.5", ""},
        {"\"bos_token_id\": 0", "\"bos_token_id\": 2", ""},
        {"\"float32\"", "\"float16\"", ""},
        {"\"normalizer\": null", "\"normalizer\": {\"type\": \"Lowercase\"}", ""},
        {"\"ids\": [0]", "\"ids\": [2]", ""},
        {"\"merges\": []", "\"merges\": [\"a b\"]", ""},
        {"\"n_embd\": ", "\"n_embd\": 0, \"x\": ", "a size of 0"},
        {"\"n_embd\": ", "\"n_embd\": 7, \"x\": ", "its heads do not make its width"},
        {"\"n_embd\": ", "\"n_embd\": 8, \"x\": ", "a size that no model has"},
        {"\"head_dim\": ", "\"head_dim\": 3, \"x\": ", "a size that no model has"},
        {"\"n_ctx\": ", "\"n_ctx\": 1, \"x\": ", "'n_ctx' is 1, not"},
        {"\"num_key_value_heads\": ", "\"num_key_value_heads\": 1, \"x\": ", "'num_key_value_heads' is 1, not"},
        {"\"gelu_new\"", "\"relu\"", "'activation_function' is not \"gelu_new\""},
        {"\"silu\"", "\"relu\"", "'hidden_act' is not \"silu\""},
        {"\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true", "'tie_word_embeddings' is true"},
        {"\"mlp_bias\": false", "\"mlp_bias\": true", "'mlp_bias' is true"},
        {"\"vocab_size\": ", "\"vocab_size\": 2, \"x\": ", "a size that no model has"},
        {"\"vocab_size\": ", "\"vocab_size\": 3, \"x\": ", "the number of a token"},
        {"\"vocab_size\": ", "\"vocab_size\": 9, \"x\": ", "another number of tokens"},
        {"\"vocab_size\": ", "\"words\": ", "config.json has no 'vocab_size'"},
        {"\"model_type\": ", "\"type\": ", "config.json has no model_type"},
        {"\"layer_norm_epsilon\": ",
         "\"layer_norm_epsilon\": 1." TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN ", \"x\": ",
         "a number of more than"},
        {"\"layer_norm_epsilon\": ", "\"layer_norm_epsilon\": \"" TEN TEN TEN TEN TEN TEN "\", \"x\": ", "a number"},
        {"\"model_type\": ", "\"model_type", ""},
        {"\"b\": 3", "\"b\": 2", "a second token 2"},
        {"\"b\": 3", "\"b\\u0000\": 3", "a token with a NUL byte"},
        {"\"vocab\": ", "\"words\": ", "tokenizer.json has no vocabulary"}};
    const trial *t = context;
    const temper_spec *read;
    folder f = {.m = ordinary_from_model(&e->memory, ordinary_hard_model(e, t->spec, &read), &t->options)};
    if (!CHECK(entry_run(NULL, make_folder, &f) == TEMPER_OK, "no folder")) return;
    CHECK(entry_run(NULL, read_folder, &f) == TEMPER_OK, "the folder is refused");
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
        for (int tokenizer = 0; tokenizer < 2; tokenizer++) {
            folder g = f;
            char **which = tokenizer ? &g.tokenizer : &g.config;
            size_t *length = tokenizer ? &g.tokenizer_length : &g.config_length;
            const char *from = memmem(*which, *length, changes[k].from, strlen(changes[k].from));
            if (!from) continue;
            text made;
            text_init(&made, &e->memory);
            text_add(&made, *which, (size_t)(from - *which));
            text_puts(&made, changes[k].to);
            from += strlen(changes[k].from);
            text_add(&made, from, *length - (size_t)(from - *which));
            *which = made.data;
            *length = made.length;
            g.out = NULL;
            temper_error why;
            temper_status status = entry_run(&why, read_folder, &g);
            CHECK(is_refusal(status) && strstr(why.text, changes[k].words), "%s: '%s' for '%s': %s", setting(t),
                  changes[k].to, changes[k].from, status == TEMPER_OK ? "it is taken" : why.text);
        }
    free_folder(&f);
}

static void check_hostile_files(test_random *r) {
    static const char *const sources[] = {"a S b", "H(#[a] >= #[b])", "#[a] % 2 = 1"};
    for (unsigned k = 0; k < 4; k++) {
        temper_error e;
        temper_spec *s = ordinary_parse(sources[k % 3], "ab");
        trial t = {.name = sources[k % 3], .spec = s, .random = r};
        t.options = ordinary_setting(k | 4 | (k == 3 ? 8 : 0), 10);
        CHECK(entry_run(&e, check_hostile, &t) == TEMPER_OK, "%s: %s", setting(&t), e.text);
        if (k < 2) {
            t.options = ordinary_setting(k, 10);
            t.options.positions = ORDINARY_POSITIONS_RAMP;
            CHECK(entry_run(&e, check_texts, &t) == TEMPER_OK, "%s: %s", setting(&t), e.text);
        }
        temper_spec_free(s);
    }
}

/* ---- answers ---- */

/* The output of an imported model for a token; -1: it never comes. */
static long output_of(const temper_model *m, const struct ordinary_model *ordinary, uint32_t token) {
    for (uint32_t k = 0; k < m->read.count; k++)
        if (token == ORDINARY_EOS ? !*m->output_names[k]
                                  : strcmp(m->output_names[k], ordinary->tokens[token]) == 0 && *m->output_names[k])
            return k;
    return -1;
}

/* [positions] whether a token may come, by an imported model's run. */
static bool may_come(const temper_model *m, const temper_run *run, const struct ordinary_model *ordinary,
                     uint32_t token, size_t row) {
    if (m->kind == TEMPER_KIND_ACCEPTOR && token != ORDINARY_EOS) return true;
    long k = output_of(m, ordinary, token);
    return k >= 0 && temper_run_output(run, (size_t)k)[row];
}

typedef struct subject {
    const trial *t;
    const struct ordinary_model *m;
    const temper_spec *read;
    temper_kind kind;
    size_t outputs, letters;
    unsigned char *truth;
} subject;

static uint32_t token_of(const subject *x, size_t output) {
    if (x->kind == TEMPER_KIND_ACCEPTOR) return ORDINARY_EOS;
    if (x->kind == TEMPER_KIND_NEXT) return output == x->letters ? ORDINARY_EOS : ORDINARY_LETTERS + (uint32_t)output;
    const char *name = temper_spec_output_name(x->read, output);
    for (uint32_t t = ORDINARY_LETTERS; t + 1 < x->m->vocabulary && *name; t++)
        if (!strcmp(x->m->tokens[t], name)) return t;
    return ORDINARY_EOS;
}

static bool holds(const subject *x, size_t output, size_t row, size_t n) {
    if (row == 0) return spec_output_empty(x->read, output);
    return x->truth[output * n + (x->m->mirrored ? n - row : row - 1)];
}

static void check_string(const subject *x, const temper_model *model, const uint32_t *w, size_t n) {
    uint32_t *fed = malloc((n + 1) * sizeof *fed);
    temper_error e;
    temper_run *run;
    temper_run_options o = {.hard = 1, .unchecked = 1, .dense = 1};
    for (size_t k = 0; k < n; k++) fed[k] = w[x->m->mirrored ? n - 1 - k : k];
    if (n) temper_spec_eval_outputs(x->truth, x->read, w, n, &e);
    total.strings++;
    if (CHECK(temper_model_run(&run, model, fed, n, &o, &e) == TEMPER_OK, "%s: %zu letters: %s", setting(x->t), n,
              e.text)) {
        for (size_t k = 0; k < x->outputs; k++)
            for (size_t row = 0; row <= n; row++) {
                total.answers++;
                if (row == 0 && x->kind == TEMPER_KIND_TRANSDUCER) continue; /* nothing is written there */
                bool said = may_come(model, run, x->m, token_of(x, k), row);
                CHECK(said == holds(x, k, row, n), "%s: output %zu at %zu of %zu letters", setting(x->t), k, row, n);
            }
        temper_run_free(run);
    }
    free(fed);
}

static void check_strings(const subject *x, const temper_model *model) {
    uint32_t w[64];
    size_t most = x->t->options.length < 64 ? x->t->options.length : 63;
    size_t all = x->letters == 1 ? 8 : x->letters == 2 ? 5 : x->letters == 3 ? 3 : 2;
    check_string(x, model, w, 0);
    for (size_t n = 1; n <= all && n <= most; n++) {
        size_t count = 1;
        for (size_t k = 0; k < n; k++) count *= x->letters;
        for (size_t number = 0; number < count; number++) {
            size_t rest = number;
            for (size_t k = 0; k < n; k++, rest /= x->letters) w[k] = (uint32_t)(rest % x->letters);
            check_string(x, model, w, n);
        }
    }
    for (int k = 0; k < 4; k++) {
        size_t n = 1 + random_below(x->t->random, most);
        random_word(w, n, (unsigned)x->letters, x->t->random);
        check_string(x, model, w, n);
    }
}

/* ---- changed weights ---- */

/* What the emulator says of the changed model must be what the imported one does. */
static void check_taken(const subject *x, const struct ordinary_model *m, const temper_model *model, const char *what,
                        arena *memory) {
    struct ordinary_kernel kernel = {.f16_weights = x->t->options.weights == ORDINARY_F16};
    const ordinary_runner *runner = ordinary_runner_new(memory, m, &kernel);
    arena scratch;
    arena_init(&scratch, memory->trap);
    for (int k = 0; k < 6; k++) {
        uint32_t w[40], tokens[41];
        size_t most = x->t->options.length < 40 ? x->t->options.length : 40, n = 1 + random_below(x->t->random, most);
        float *logits = arena_alloc(memory, (n + 1) * m->vocabulary, sizeof *logits);
        temper_error e;
        temper_run *run;
        temper_run_options o = {.hard = 1, .unchecked = 1, .dense = 1};
        random_word(w, n, (unsigned)model->letters.count, x->t->random);
        tokens[0] = ORDINARY_BOS;
        for (size_t j = 0; j < n; j++) tokens[j + 1] = ORDINARY_LETTERS + w[j];
        ordinary_run(logits, runner, tokens, n + 1, &scratch);
        if (!CHECK(temper_model_run(&run, model, w, n, &o, &e) == TEMPER_OK, "%s: %s: %s", setting(x->t), what,
                   e.text))
            break;
        for (size_t row = 0; row <= n; row++)
            for (uint32_t t = ORDINARY_EOS; t + 1 < m->vocabulary; t++) {
                bool said = may_come(model, run, m, t, row);
                double logit = (double)logits[row * m->vocabulary + t];
                CHECK(said == (logit > (model_has_logits(model) ? -512 : -128)),
                      "%s: %s: taken, and token %u at %zu is %d, but %g", setting(x->t), what, t, row, said, logit);
            }
        temper_run_free(run);
    }
    arena_free(&scratch);
}

static void change_weights(const subject *x, arena *memory) {
    ordinary_tensors all = ordinary_tensors_make(x->m, ORDINARY_GGUF, memory);
    for (size_t k = 0; k < x->t->changes; k++) {
        ordinary_change c;
        if (!ordinary_change_weight(&c, &all, x->t->random)) continue;
        reading r = {.m = x->m, .as_f16 = x->t->options.weights == ORDINARY_F16};
        temper_error e;
        temper_status status = entry_run(&e, read_file, &r);
        total.changed++;
        CHECK(status == TEMPER_OK || status == TEMPER_FORMAT, "%s: %s: %s", setting(x->t), c.what, e.text);
        if (status == TEMPER_FORMAT && !strstr(e.text, "tensor '") && getenv("ORDINARY_SHOW"))
            printf("%s: %s\n", c.what, e.text);
        if (status == TEMPER_OK) {
            total.taken++;
            if (getenv("ORDINARY_SHOW")) printf("taken: %s: %s\n", setting(x->t), c.what);
            check_taken(x, x->m, r.out, c.what, memory);
            temper_model_free(r.out);
        }
        *c.at = c.old;
    }
}

/* ---- trials ---- */

static void run_trial(entry *e, void *context) {
    const trial *t = context;
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model(e, t->spec, &read);
    const struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &t->options);
    subject x = {.t = t,
                 .m = m,
                 .read = read,
                 .kind = hard->kind,
                 .outputs = hard->read.count,
                 .letters = read->letters.count,
                 .truth = arena_alloc(&e->memory, (size_t)hard->read.count * 64, 1)};
    reading r = {.m = m, .as_f16 = t->options.weights == ORDINARY_F16};
    temper_error why;
    total.models++;
    if (!CHECK(entry_run(&why, read_file, &r) == TEMPER_OK, "%s: %s", setting(t), why.text)) return;
    check_strings(&x, r.out);
    check_folder(t, m, r.out);
    temper_model_free(r.out);
    change_weights(&x, &e->memory);
}

static void try_spec(trial *t) {
    temper_error e = {0};
    temper_status status = entry_run(&e, run_trial, t);
    total.specs++;
    total.refused += status != TEMPER_OK;
    CHECK(status == TEMPER_OK || status == TEMPER_UNSUPPORTED || status == TEMPER_LIMIT, "%s: %s", setting(t),
          e.text);
}

/* Both architectures and both kinds of weights, and positions of a Llama both ways. */
static void try_settings(const char *name, const temper_spec *s, test_random *r, size_t changes) {
    for (uint64_t number = 0; number < 4; number++) {
        trial t = {.name = name, .spec = s, .random = r, .changes = changes};
        static const size_t lengths[] = {1, 2, 3, 7, 20, 40, 63, 128, 200};
        t.options = ordinary_setting(number | random_below(r, 2) << 2,
                                     lengths[random_below(r, sizeof lengths / sizeof *lengths)]);
        t.options.positions = (enum ordinary_positions)random_below(r, 3);
        try_spec(&t);
    }
}

static void check_random_formulas(test_random *r) {
    size_t count = (size_t)(16 * test_effort());
    for (size_t k = 0; k < count; k++) {
        random_shape shape = ordinary_random_shape(r);
        shape.modulo = random_below(r, 4) == 0;
        shape.attend = random_below(r, 6) == 0 && !shape.counting && !shape.modulo;
        shape.places = random_below(r, 8) == 0 && !shape.attend;
        if (random_below(r, 10) == 0) shape.past = !(shape.future = true);
        char *printed = NULL;
        temper_spec *s = ordinary_random_formula(&printed, r, &shape);
        if (s) try_settings(printed, s, r, 4);
        temper_free(printed);
        temper_spec_free(s);
    }
}

static void check_regexes(test_random *r) {
    size_t count = (size_t)(8 * test_effort());
    for (size_t k = 0; k < count; k++) {
        char regex[ORDINARY_REGEX];
        temper_spec *s = ordinary_random_regex(regex, r);
        if (s) try_settings(regex, s, r, 2);
        temper_spec_free(s);
    }
}

static void check_tasks(test_random *r) {
    for (const sequence_task *task = sequence_suite; task < sequence_suite + sequence_count(); task++) {
        if (test_effort() < 1 && random_below(r, 3)) continue;
        temper_spec *s = ordinary_parse(task->text, task->alphabet);
        if (s) try_settings(task->name, s, r, 2);
        temper_spec_free(s);
    }
}

int main(void) {
    test_random r = test_seed(61);
    check_tasks(&r);
    check_regexes(&r);
    check_random_formulas(&r);
    check_hostile_files(&r);
    printf("%zu specifications and settings: %zu models (%zu refused), %zu folders, %zu strings, %zu answers; %zu "
           "changed weights, "
           "%zu taken\n",
           total.specs, total.models, total.refused, total.folders, total.strings, total.answers, total.changed,
           total.taken);
    return test_finish("t-ordinary-import");
}
