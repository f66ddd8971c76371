/* make test-ordinary: random weights, so that every tensor and every layout matters, with the logits that a forward
   pass in double precision gives.

       make_random FOLDER

   FOLDER/NAME/ has the files of an ordinary folder, and expected.json: {"ids": [...], "logits": [[...], ...],
   "emulated": {setting: [[...], ...], ...}}, the second by the emulator of kernels. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/entry.h"
#include "base/json_write.h"
#include "ordinary/files/gguf_write.h"
#include "ordinary/write/ordinary_files.h"
#include "ordinary/run/ordinary_run.h"
#include "ordinary_random.h"

static void write_file(const char *folder, const char *name, const text *t) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(t->data, 1, t->length, f) != t->length || fclose(f)) {
        fprintf(stderr, "make_random: cannot write %s\n", path);
        exit(1);
    }
}

static void put_rows(text *t, const double *logits, size_t n, uint32_t vocabulary) {
    for (size_t i = 0; i < n; i++) {
        text_puts(t, i ? ",\n[" : "[[");
        for (uint32_t k = 0; k < vocabulary; k++) {
            text_puts(t, k ? ", " : "");
            jwrite_number(t, logits[i * vocabulary + k]);
        }
        text_putc(t, ']');
    }
    text_putc(t, ']');
}

/* What the emulator makes of it with the roundings of a setting. */
static void put_emulated(text *t, const struct ordinary_model *m, bool as_f16, const uint32_t *ids, size_t n,
                         arena *a) {
    static const struct {
        const char *name;
        struct ordinary_kernel kernel;
    } settings[] = {
        {"plain-f32", {0}},
        {"plain-f16", {.f16_cache = true}},
        {"fused-f16", {.f16_cache = true, .fused = true}},
    };
    double *wide = arena_alloc(a, n * m->vocabulary, sizeof *wide);
    float *logits = arena_alloc(a, n * m->vocabulary, sizeof *logits);
    arena scratch;
    arena_init(&scratch, a->trap);
    text_puts(t, ",\n\"emulated\": {");
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        struct ordinary_kernel kernel = settings[s].kernel;
        kernel.f16_weights = as_f16;
        ordinary_run(logits, ordinary_runner_new(a, m, &kernel), ids, n, &scratch);
        for (size_t k = 0; k < n * m->vocabulary; k++) wide[k] = (double)logits[k];
        text_printf(t, "%s\"%s\": ", s ? ",\n" : "", settings[s].name);
        put_rows(t, wide, n, m->vocabulary);
    }
    text_putc(t, '}');
    arena_free(&scratch);
}

static void make_case(const char *parent, const char *name, const struct ordinary_model *m, bool as_f16,
                      test_random *r, arena *a) {
    char folder[2048], inner[2060];
    text t;
    snprintf(folder, sizeof folder, "%s/%s", parent, name);
    snprintf(inner, sizeof inner, "%s/onnx", folder);
    mkdir(folder, 0777);
    ordinary_tokens *tokens = ordinary_tokens_make(m, a);
    text_init(&t, a);
    gguf_print(&t, m, tokens, name, as_f16);
    write_file(folder, "model.gguf", &t);
    tokenizer_facts tokenizer = ordinary_tokenizer(m, tokens);
#define WRITE(file, ...) (text_init(&t, a), __VA_ARGS__, write_file(folder, file, &t))
    WRITE("tokenizer.json", tokenizer_print(&t, &tokenizer));
    WRITE("tokenizer_config.json", tokenizer_config_print(&t, &tokenizer));
    if (!m->rope_factors) {
        mkdir(inner, 0777);
        WRITE("model.safetensors", ordinary_safetensors_print(&t, m, as_f16));
        WRITE("config.json", ordinary_config_print(&t, m));
        WRITE("generation_config.json", ordinary_generation_print(&t, m));
        WRITE("onnx/model.onnx", ordinary_onnx_print(&t, m, false));
    }
    uint32_t ids[256];
    size_t n = m->positions;
    double *logits = arena_alloc(a, n * m->vocabulary, sizeof *logits);
    for (size_t i = 0; i < n; i++) ids[i] = i ? 2 + (uint32_t)random_below(r, m->vocabulary - 3) : 0;
    ordinary_forward(logits, m, ids, n, a);
    text_init(&t, a);
    text_puts(&t, "{\"ids\": [");
    for (size_t i = 0; i < n; i++) text_printf(&t, "%s%u", i ? ", " : "", ids[i]);
    text_puts(&t, "],\n\"logits\": ");
    put_rows(&t, logits, n, m->vocabulary);
    put_emulated(&t, m, as_f16, ids, n, a);
    text_puts(&t, "}\n");
    write_file(folder, "expected.json", &t);
    printf("%s\n", name);
}

static void make(entry *e, void *context) {
    test_random r = test_seed(2027);
    static const char *const kinds[] = {"gpt2", "llama", "llama-factors"};
    for (int k = 0; k < 3; k++)
        for (int f16 = 0; f16 < 2; f16++)
            for (int copy = 0; copy < 2; copy++) {
                char name[40];
                struct ordinary_model *m =
                    ordinary_random(&r, k ? ORDINARY_LLAMA : ORDINARY_GPT2, k == 2, NULL, &e->memory);
                if (f16) ordinary_round(m);
                snprintf(name, sizeof name, "%s-%s-%d", kinds[k], f16 ? "f16" : "f32", copy);
                make_case(context, name, m, f16, &r, &e->memory);
            }
}

int main(int argc, char **argv) {
    temper_error err;
    if (argc != 2) return 2;
    mkdir(argv[1], 0777);
    if (entry_run(&err, make, argv[1]) == TEMPER_OK) return 0;
    fprintf(stderr, "make_random: %s\n", err.text);
    return 1;
}
