/* Models in files: the text form and safetensors, told apart by content when reading and by the name when writing. */
#include <string.h>

#include "model/model.h"
#include "model/safetensors.h"

static temper_model *model_from_bytes(entry *e, const char *bytes, size_t length) {
    temper_model *m = entry_model(e);
    if (is_tensor_file(bytes, length))
        safetensors_read(m, (tensor_source){.bytes = bytes, .size = length}, &e->scratch, e->trap);
    else
        model_read(m, bytes, length, &e->scratch);
    return m;
}

typedef struct read_call {
    temper_model **out;
    const char *bytes;
    size_t length;
} read_call;

static void read_bytes(entry *e, void *context) {
    const read_call *c = context;
    *c->out = model_from_bytes(e, c->bytes, c->length);
}

temper_status temper_model_read(temper_model **out, const char *bytes, size_t length, temper_error *err) {
    read_call call = {out, bytes, length};
    *out = NULL;
    return entry_run(err, read_bytes, &call);
}

/* The first bytes, enough to tell the forms apart. Only of files that can be read again from the start. */
static bool holds_tensors(const file_in *f) {
    char first[9];
    size_t length = f->size < sizeof first ? (size_t)f->size : sizeof first;
    if (!f->seekable) return false;
    file_read_at(f, first, 0, length);
    return is_tensor_file(first, length);
}

typedef struct load_call {
    temper_model **out;
    const char *path;
} load_call;

static void free_bytes(void *bytes) { temper_free(bytes); }

static void load(entry *e, void *context) {
    const load_call *c = context;
    file_in *file = entry_open(e, c->path);
    if (holds_tensors(file)) {
        temper_model *m = entry_model(e);
        safetensors_read(m, (tensor_source){.file = file, .size = file->size}, &e->scratch, e->trap);
        *c->out = m;
    } else { /* text, or a pipe with either */
        size_t length;
        char *bytes = file_read_all(&length, file);
        entry_on_leaving(e, free_bytes, bytes);
        *c->out = model_from_bytes(e, bytes, length);
    }
}

temper_status temper_model_load(temper_model **out, const char *path, temper_error *err) {
    load_call call = {out, path};
    *out = NULL;
    return entry_run(err, load, &call);
}

static bool is_tensor_path(const char *path) {
    static const char end[] = ".safetensors";
    size_t length = strlen(path), size = sizeof end - 1;
    return length >= size && !strcmp(path + length - size, end);
}

typedef struct save_call {
    const char *path;
    const temper_model *model;
} save_call;

static void save(entry *e, void *context) {
    const save_call *c = context;
    file_out *file = entry_create(e, c->path);
    if (is_tensor_path(c->path)) {
        char digest[17];
        safetensors_write(file, digest, c->model, &e->scratch, e->trap);
    } else {
        text printed;
        text_init(&printed, &e->scratch);
        model_print(&printed, c->model);
        file_put(file, printed.data, printed.length);
    }
    file_commit(file);
}

temper_status temper_model_save(const char *path, const temper_model *model, temper_error *err) {
    save_call call = {path, model};
    return entry_run(err, save, &call);
}
