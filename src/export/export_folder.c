/* temper_export: the folder, file by file. config.json is written last and holds the digest of the weights, so that a loader
   notices a folder that was left half-written. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_io.h"
#include "base/json_read.h"
#include "export/export_parts.h"
#include "export/onnx.h"
#include "model/safetensors.h"

typedef struct exporter {
    const temper_model *m;
    const char *folder;
    temper_export_options options;
    arena *scratch, *tensor_scratch; /* the second is reset for every tensor */
    trap *trap;
    file_out *file;          /* the one that is being written */
    const char *certificate; /* its bytes; NULL: none */
    size_t certificate_length;
} exporter;

/* ---- what is refused ---- */

static void check_options(const temper_model *m, const temper_export_options *o, trap *t) {
    if (o->type != TEMPER_TYPE_F64 && o->type != TEMPER_TYPE_F32)
        trap_raise(t, TEMPER_RANGE, 0, 0, "ONNX graphs are f64 or f32, not %s", temper_type_name(o->type));
    if (o->outputs & ~(unsigned)(TEMPER_EXPORT_PATTERNS | TEMPER_EXPORT_CHANNELS | TEMPER_EXPORT_HEADS))
        trap_raise(t, TEMPER_RANGE, 0, 0, "there is no such output of a graph");
    if (o->unchecked) return;
    if (m->changed || !m->safe_length)
        trap_raise_hint(t, TEMPER_LIMIT, 0, 0, "--unchecked exports it without proof", "no length is proved safe%s%s",
                        *m->safe_reason ? ": " : "", m->safe_reason);
    if (o->type == TEMPER_TYPE_F32 && !model_proved_f32(m))
        trap_raise_hint(t, TEMPER_LIMIT, 0, 0, "--unchecked exports it without proof",
                        "no length is proved safe in f32: %s",
                        m->output_margin > 0 ? "the bound of this model's error is for f64" : m->safe_reason_f32);
}

/* ---- files ---- */

static const char *path_of(const exporter *e, const char *name) {
    text path;
    text_init(&path, e->scratch);
    text_printf(&path, "%s/%s", e->folder, name);
    return text_string(&path);
}

static void write_file(const exporter *e, const char *name, const void *bytes, size_t length) {
    file_create(e->file, path_of(e, name), e->scratch, e->trap);
    file_put(e->file, bytes, length);
    file_commit(e->file);
}

static void make_folder(const exporter *e) {
    struct stat st;
    const char *shown = text_escaped(e->scratch, e->folder, strlen(e->folder), 120);
    if (!*e->folder) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "the name of the folder is empty");
    if (mkdir(e->folder, 0777) == 0) return;
    if (errno != EEXIST)
        trap_raise(e->trap, TEMPER_IO, 0, 0, "cannot make the folder '%s': %s", shown, strerror(errno));
    if (stat(e->folder, &st) || !S_ISDIR(st.st_mode))
        trap_raise(e->trap, TEMPER_IO, 0, 0, "'%s' is there, but is not a folder", shown);
}

static void free_bytes(void *slot) { temper_free(*(char **)slot); }

/* Any JSON object; it is read before anything is written. */
static void read_certificate(exporter *e) {
    temper_error err;
    json_reader r;
    if (!e->options.certificate) return;
    char **slot = arena_zalloc(e->scratch, 1, sizeof *slot);
    arena_on_release(e->scratch, free_bytes, slot);
    if (temper_file_read(slot, &e->certificate_length, e->options.certificate, &err) != TEMPER_OK)
        trap_reraise(e->trap, &err);
    e->certificate = *slot;
    jread_begin(&r, e->certificate, e->certificate_length, e->scratch, e->trap);
    r.where = "the certificate";
    if (jread_peek(&r) != JSON_OBJECT) jread_expected(&r, r.at, "an object");
    jread_skip(&r, e->scratch);
    jread_end(&r);
}

/* One that an earlier export left would now speak about another model. */
static void refuse_old_certificate(const exporter *e) {
    struct stat st;
    if (!e->certificate && stat(path_of(e, "certificate.json"), &st) == 0)
        trap_raise_hint(e->trap, TEMPER_RANGE, 0, 0, "give --certificate FILE, or remove it",
                        "the folder has a certificate.json, which need not be about this model");
}

static void write_weights(const exporter *e, char digest[17]) {
    file_create(e->file, path_of(e, "model.safetensors"), e->scratch, e->trap);
    safetensors_write(e->file, digest, e->m, "pt", e->scratch, e->trap);
    file_commit(e->file);
}

static void write_folder(exporter *e) {
    text onnx, vocabulary, vectors, readme, config;
    text *all[] = {&onnx, &vocabulary, &vectors, &readme, &config};
    char digest[17];
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) text_init(all[k], e->scratch);
    read_certificate(e);
    onnx_print(&onnx, e->m, &e->options, e->tensor_scratch);
    export_sentinels s = export_sentinels_make(e->m, e->scratch);
    export_vocabulary_print(&vocabulary, e->m, &s);
    export_vectors_print(&vectors, e->m, e->options.seed, e->trap);
    export_readme_print(&readme, e->m, &s, &e->options);
    make_folder(e);
    refuse_old_certificate(e);
    write_weights(e, digest);
    write_file(e, "model.onnx", onnx.data, onnx.length);
    write_file(e, "vocab.json", vocabulary.data, vocabulary.length);
    write_file(e, "testvectors.jsonl", vectors.data, vectors.length);
    write_file(e, "README.md", readme.data, readme.length);
    for (size_t k = 0; k < export_python_file_count; k++)
        write_file(e, export_python_files[k].name, export_python_files[k].bytes, export_python_files[k].length);
    if (e->certificate) write_file(e, "certificate.json", e->certificate, e->certificate_length);
    export_config_print(&config, e->m, &s, digest);
    write_file(e, "config.json", config.data, config.length);
}

/* ---- entry points ---- */

static void write_graph(exporter *e) {
    text onnx;
    text_init(&onnx, e->scratch);
    onnx_print(&onnx, e->m, &e->options, e->tensor_scratch);
    file_create(e->file, e->folder, e->scratch, e->trap);
    file_put(e->file, onnx.data, onnx.length);
    file_commit(e->file);
}

static temper_status export_with(void (*write)(exporter *), const char *path, const temper_model *model,
                                 const temper_export_options *options, temper_error *err) {
    static const temper_export_options defaults;
    trap t;
    arena scratch, tensor_scratch;
    file_out file;
    file.fd = -1;
    file.temporary = NULL;
    arena_init(&scratch, &t);
    arena_init(&tensor_scratch, &t);
    if (trap_set(&t, err)) {
        file_abandon(&file);
        arena_free(&tensor_scratch);
        arena_free(&scratch);
        return t.error.code;
    }
    exporter e = {.m = model,
                  .folder = path,
                  .options = options ? *options : defaults,
                  .scratch = &scratch,
                  .tensor_scratch = &tensor_scratch,
                  .trap = &t,
                  .file = &file};
    check_options(model, &e.options, &t);
    write(&e);
    arena_free(&tensor_scratch);
    arena_free(&scratch);
    trap_clear(&t);
    return TEMPER_OK;
}

temper_status temper_export(const char *folder, const temper_model *model, const temper_export_options *options,
                            temper_error *err) {
    return export_with(write_folder, folder, model, options, err);
}

temper_status temper_export_onnx(const char *path, const temper_model *model, const temper_export_options *options,
                                 temper_error *err) {
    return export_with(write_graph, path, model, options, err);
}
