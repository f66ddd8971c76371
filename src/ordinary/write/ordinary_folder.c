/* The folder of an ordinary transformer. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "base/file_io.h"
#include "export/export_parts.h"
#include "ordinary/files/gguf_write.h"
#include "model/letter_clients.h"
#include "ordinary/write/ordinary_files.h"
#include "ordinary/proof/ordinary_certificate.h"

enum { MOST_FILES = 16 };

typedef struct ordinary_file {
    const char *name;
    text bytes;
} ordinary_file;

typedef struct ordinary_exporter {
    const char *folder;
    arena *memory;
    trap *trap;
    file_out out; /* the one that is being written */
    bool made, made_onnx;
    ordinary_file files[MOST_FILES];
    size_t count;
} ordinary_exporter;

static const char *path_of(const ordinary_exporter *e, const char *name) {
    text path;
    text_init(&path, e->memory);
    text_printf(&path, "%s/%s", e->folder, name);
    return text_string(&path);
}

static text *add(ordinary_exporter *e, const char *name) {
    ordinary_file *f = &e->files[e->count++];
    f->name = name;
    text_init(&f->bytes, e->memory);
    return &f->bytes;
}

/* Also for the empty folder that an export which fails leaves behind; only what was made goes. */
static void undo(void *context) {
    ordinary_exporter *e = context;
    file_abandon(&e->out);
    if (e->made_onnx) rmdir(path_of(e, "onnx"));
    if (e->made) rmdir(e->folder);
}

/* Files of an earlier export that this one does not have would be of another model. */
static void remove_stale(const ordinary_exporter *e) {
    static const char *const all[] = {"config.json", "generation_config.json", "model.safetensors", "onnx/model.onnx",
                                      "vocab.json",  "certificate.json"};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        bool is_written = false;
        for (size_t j = 0; j < e->count; j++) is_written |= strcmp(e->files[j].name, all[k]) == 0;
        if (!is_written) unlink(path_of(e, all[k]));
    }
}

static void write_all(ordinary_exporter *e, bool has_graph) {
    e->made = export_folder_make(e->folder, e->memory, e->trap);
    if (has_graph) e->made_onnx = export_folder_make(path_of(e, "onnx"), e->memory, e->trap);
    remove_stale(e);
    for (size_t k = 0; k < e->count; k++) {
        file_create(&e->out, path_of(e, e->files[k].name), e->memory, e->trap);
        file_put(&e->out, e->files[k].bytes.data, e->files[k].bytes.length);
        file_commit(&e->out);
    }
}

/* The certificate names the files of weights. */
static void add_certificate(ordinary_exporter *e, const ordinary_proof *proof, const temper_model *hard) {
    static const char *const weights[] = {"model.gguf", "model.safetensors", "onnx/model.onnx"};
    ordinary_digest files[3];
    size_t count = 0;
    for (size_t k = 0; k < e->count; k++)
        for (size_t w = 0; w < 3; w++)
            if (!strcmp(e->files[k].name, weights[w]))
                files[count++] = (ordinary_digest){weights[w], e->files[k].bytes.data, e->files[k].bytes.length};
    ordinary_certificate_print(add(e, "certificate.json"), proof, hard, files, count);
}

static void make_files(ordinary_exporter *e, const ordinary_made *made) {
    const struct ordinary_model *m = made->model;
    const temper_model *hard = made->hard;
    bool as_f16 = made->options.weights_f16;
    ordinary_tokens *t = ordinary_tokens_make(m, e->memory);
    ordinary_example example = {0};
    ordinary_vectors_print(add(e, "testvectors.jsonl"), &example, m, t, hard, made->options.seed);
    gguf_print(add(e, "model.gguf"), m, t, made->name, as_f16);
    ordinary_modelfile_print(add(e, "Modelfile"), m, t);
    tokenizer_facts tokenizer = ordinary_tokenizer(m, t);
    tokenizer_print(add(e, "tokenizer.json"), &tokenizer);
    tokenizer_config_print(add(e, "tokenizer_config.json"), &tokenizer);
    if (!made->info.only_gguf) {
        ordinary_safetensors_print(add(e, "model.safetensors"), m, as_f16);
        ordinary_onnx_print(add(e, "onnx/model.onnx"), m, as_f16);
        ordinary_generation_print(add(e, "generation_config.json"), m);
        ordinary_config_print(add(e, "config.json"), m);
    }
    if (made->proof.proved) add_certificate(e, &made->proof, hard);
    ordinary_readme_print(add(e, "README.md"), m, t,
                          &(ordinary_readme_facts){.folder = e->folder,
                                                   .source = hard->source,
                                                   .hard = hard,
                                                   .options = &made->options,
                                                   .info = &made->info,
                                                   .example = &example});
}

void ordinary_folder_write(entry *x, const char *folder, const ordinary_made *made) {
    ordinary_exporter *e = arena_zalloc(&x->memory, 1, sizeof *e);
    *e = (ordinary_exporter){.folder = folder, .memory = &x->memory, .trap = x->trap, .out = {.fd = -1}};
    make_files(e, made);
    entry_on_failure(x, undo, e);
    write_all(e, !made->info.only_gguf);
}
