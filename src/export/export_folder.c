/* temper_export: the folder, file by file. config.json is written last and holds the digest of the weights, so that a
   loader notices a folder that was left half-written. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer/proved.h"
#include "base/file_io.h"
#include "export/export_parts.h"
#include "export/onnx.h"
#include "model/letter_clients.h"
#include "model/safetensors.h"

typedef struct exporter {
    const temper_model *m;
    const char *folder;
    temper_export_options options;
    arena *scratch, *tensor_scratch; /* the second is reset for every tensor */
    trap *trap;
    export_proofs proofs;
    file_out file;        /* the one that is being written */
    bool made, made_onnx; /* a folder was not there before */
} exporter;

/* ---- what is refused ---- */

static void refuse_unproved(const temper_proof *p, const char *type, trap *t) {
    if (p->claim == TEMPER_CLAIM_NONE)
        trap_raise_remedy(t, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EXPORT_UNCHECKED, "no length is proved in %s: %s",
                          type, p->obstacle);
}

static void check_options(const temper_model *m, const temper_export_options *o, const export_proofs *proofs,
                          trap *t) {
    if (o->type != TEMPER_TYPE_F64 && o->type != TEMPER_TYPE_F32)
        trap_raise(t, TEMPER_RANGE, 0, 0, "ONNX graphs are f64 or f32, not %s", temper_type_name(o->type));
    if (o->outputs & ~(unsigned)(TEMPER_EXPORT_PATTERNS | TEMPER_EXPORT_CHANNELS | TEMPER_EXPORT_HEADS))
        trap_raise(t, TEMPER_RANGE, 0, 0, "there is no such output of a graph");
    size_t layer, head;
    if (model_reads_position(m, &layer, &head))
        trap_raise(t, TEMPER_UNSUPPORTED, 0, 0,
                   "head %zu.%zu has a scale that reads the position, which the loaders do not know", layer, head);
    if (o->unchecked) return;
    refuse_unproved(&proofs->f64, "f64", t);
    if (o->type == TEMPER_TYPE_F32) refuse_unproved(&proofs->f32, "f32", t);
}

/* Of the graph. */
static const temper_proof *proof_of(const exporter *e) {
    return e->options.type == TEMPER_TYPE_F32 ? &e->proofs.f32 : &e->proofs.f64;
}

/* ---- files ---- */

bool export_folder_make(const char *folder, arena *scratch, trap *t) {
    struct stat st;
    const char *shown = text_escaped(scratch, folder, strlen(folder), 120);
    if (!*folder) trap_raise(t, TEMPER_RANGE, 0, 0, "the name of the folder is empty");
    if (mkdir(folder, 0777) == 0) return true;
    if (errno != EEXIST)
        trap_raise(t, TEMPER_IO, 0, 0, "cannot make the folder '%s': %s", shown, system_words(errno));
    if (stat(folder, &st) || !S_ISDIR(st.st_mode))
        trap_raise(t, TEMPER_IO, 0, 0, "'%s' is there, but is not a folder", shown);
    return false;
}

static const char *path_of(const exporter *e, const char *name) {
    text path;
    text_init(&path, e->scratch);
    text_printf(&path, "%s/%s", e->folder, name);
    return text_string(&path);
}

static void write_file(exporter *e, const char *name, const void *bytes, size_t length) {
    file_create(&e->file, path_of(e, name), e->scratch, e->trap);
    file_put(&e->file, bytes, length);
    file_commit(&e->file);
}

/* One that an earlier export left would now speak about another model. */
static void refuse_old_certificate(const exporter *e) {
    struct stat st;
    if (!e->options.certificate && stat(path_of(e, "certificate.json"), &st) == 0)
        trap_raise_remedy(e->trap, TEMPER_RANGE, 0, 0, TEMPER_REMEDY_GIVE_CERTIFICATE,
                          "the folder has a certificate.json, which need not be about this model");
}

/* Nothing of the folder changes before everything that can be refused was looked at; the weights are then in their
   temporary file. */
static void write_folder(exporter *e) {
    const letter_list letters = {
        .letters = e->m->letters.letters, .count = e->m->letters.count, .words = e->m->letters.tokens};
    text onnx, vocabulary, tokenizer, tokenizer_config, vectors, readme, printed, config;
    text *all[] = {&onnx, &vocabulary, &tokenizer, &tokenizer_config, &vectors, &readme, &printed, &config};
    char digest[17];
    export_examples examples = {0};
    export_certificate found = {0}, *certificate = e->options.certificate ? &found : NULL;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) text_init(all[k], e->scratch);
    letter_clients_check(&letters, CLIENTS_OF_FOLDER, TEMPER_UNSUPPORTED, e->scratch);
    if (certificate) export_certificate_read(certificate, e->options.certificate, e->scratch, e->trap);
    onnx_print(&onnx, e->m, &e->options, proof_of(e), e->tensor_scratch);
    export_sentinels s = export_sentinels_make(e->m, e->scratch);
    export_vocabulary_print(&vocabulary, e->m, &s);
    tokenizer_facts tokens = export_tokenizer(e->m, &s, e->scratch);
    tokenizer_print(&tokenizer, &tokens);
    tokenizer_config_print(&tokenizer_config, &tokens);
    export_vectors_print(&vectors, &examples, e->m, &e->proofs, e->options.seed, e->trap);
    model_print(&printed, e->m);
    e->made = export_folder_make(e->folder, e->scratch, e->trap);
    refuse_old_certificate(e);
    file_create(&e->file, path_of(e, "model.safetensors"), e->scratch, e->trap);
    safetensors_write(&e->file, digest, e->m, e->scratch, e->trap);
    file_flush(&e->file);
    if (certificate) export_certificate_check(certificate, &printed, e->file.temporary, e->scratch, e->trap);
    export_readme_print(&readme, e->m,
                        &(export_readme_facts){.folder = e->folder,
                                               .sentinels = &s,
                                               .options = &e->options,
                                               .proofs = &e->proofs,
                                               .examples = &examples,
                                               .certificate = certificate});
    export_config_print(&config, e->m, &s, &e->proofs, digest);
    e->made_onnx = export_folder_make(path_of(e, "onnx"), e->scratch, e->trap);
    file_commit(&e->file);
    write_file(e, "model.temper", printed.data, printed.length);
    write_file(e, "onnx/model.onnx", onnx.data, onnx.length);
    write_file(e, "vocab.json", vocabulary.data, vocabulary.length);
    write_file(e, "tokenizer.json", tokenizer.data, tokenizer.length);
    write_file(e, "tokenizer_config.json", tokenizer_config.data, tokenizer_config.length);
    write_file(e, "testvectors.jsonl", vectors.data, vectors.length);
    write_file(e, "README.md", readme.data, readme.length);
    for (size_t k = 0; k < export_python_file_count; k++)
        write_file(e, export_python_files[k].name, export_python_files[k].bytes, export_python_files[k].length);
    if (certificate) write_file(e, "certificate.json", certificate->bytes, certificate->size);
    write_file(e, "config.json", config.data, config.length);
}

/* ---- entry points ---- */

static void write_graph(exporter *e) {
    text onnx;
    text_init(&onnx, e->scratch);
    onnx_print(&onnx, e->m, &e->options, proof_of(e), e->tensor_scratch);
    file_create(&e->file, e->folder, e->scratch, e->trap);
    file_put(&e->file, onnx.data, onnx.length);
    file_commit(&e->file);
}

typedef struct export_call {
    void (*write)(exporter *);
    const char *path;
    const temper_model *model;
    const temper_export_options *options;
} export_call;

static void undo(void *context) {
    exporter *x = context;
    file_abandon(&x->file);
    if (x->made_onnx) rmdir(path_of(x, "onnx")); /* go only if nothing is in them */
    if (x->made) rmdir(x->folder);
}

static void export(entry *e, void *context) {
    const export_call *c = context;
    exporter *x = arena_alloc(&e->memory, 1, sizeof *x);
    x->m = c->model;
    x->folder = c->path;
    x->options = c->options ? *c->options : (temper_export_options){0};
    x->scratch = &e->memory;
    x->tensor_scratch = &e->scratch;
    x->trap = e->trap;
    x->file.fd = -1;
    x->file.temporary = NULL;
    x->made = x->made_onnx = false;
    x->proofs.f64 = proved_longest(c->model, TEMPER_TYPE_F64, false, e->trap);
    x->proofs.f32 = proved_longest(c->model, TEMPER_TYPE_F32, false, e->trap);
    check_options(x->m, &x->options, &x->proofs, e->trap);
    entry_on_failure(e, undo, x);
    c->write(x);
}

temper_status temper_export(const char *folder, const temper_model *model, const temper_export_options *options,
                            temper_error *err) {
    export_call call = {write_folder, folder, model, options};
    return entry_run(err, export, &call);
}

temper_status temper_export_onnx(const char *path, const temper_model *model, const temper_export_options *options,
                                 temper_error *err) {
    export_call call = {write_graph, path, model, options};
    return entry_run(err, export, &call);
}
