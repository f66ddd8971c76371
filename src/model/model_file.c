/* Models in files: the text form and safetensors, told apart by content when reading and by the name when writing. */
#include <string.h>

#include "model/model.h"
#include "model/safetensors.h"

/* A model from a source in either form; NULL until it is there, so that the error branch knows what to free. */
static void read_source(temper_model *volatile *out, tensor_source source, arena *scratch, trap *t) {
    *out = model_new(t);
    safetensors_read(*out, source, scratch, t);
}

temper_status temper_model_read(temper_model **out, const char *bytes, size_t length, temper_error *err) {
    trap t;
    arena scratch;
    temper_model *volatile model = NULL;
    *out = NULL;
    arena_init(&scratch, &t);
    if (trap_set(&t, err)) {
        temper_model_free(model);
        arena_free(&scratch);
        return t.error.code;
    }
    if (is_tensor_file(bytes, length))
        read_source(&model, (tensor_source){.bytes = bytes, .size = length}, &scratch, &t);
    else
        model = model_read(bytes, length, &t);
    arena_free(&scratch);
    *out = model;
    trap_clear(&t);
    return TEMPER_OK;
}

/* The first bytes, enough to tell the forms apart. Only of files that can be read again from the start. */
static bool holds_tensors(const file_in *f) {
    char first[9];
    size_t length = f->size < sizeof first ? (size_t)f->size : sizeof first;
    if (!f->seekable) return false;
    file_read_at(f, first, 0, length);
    return is_tensor_file(first, length);
}

temper_status temper_model_load(temper_model **out, const char *path, temper_error *err) {
    trap t;
    arena scratch;
    temper_model *volatile model = NULL;
    char *volatile bytes = NULL;
    file_in file = {.fd = -1};
    *out = NULL;
    arena_init(&scratch, &t);
    if (trap_set(&t, err)) {
        temper_model_free(model);
        temper_free(bytes);
        file_close(&file);
        arena_free(&scratch);
        return t.error.code;
    }
    file_open(&file, path, &scratch, &t);
    if (holds_tensors(&file)) {
        read_source(&model, (tensor_source){.file = &file, .size = file.size}, &scratch, &t);
    } else {
        size_t length;
        bytes = file_read_all(&length, &file);
        if (is_tensor_file(bytes, length)) /* from a pipe */
            read_source(&model, (tensor_source){.bytes = bytes, .size = length}, &scratch, &t);
        else
            model = model_read(bytes, length, &t);
    }
    temper_free(bytes);
    file_close(&file);
    arena_free(&scratch);
    *out = model;
    trap_clear(&t);
    return TEMPER_OK;
}

static bool is_tensor_path(const char *path) {
    static const char end[] = ".safetensors";
    size_t length = strlen(path), size = sizeof end - 1;
    return length >= size && !strcmp(path + length - size, end);
}

temper_status temper_model_save(const char *path, const temper_model *model, temper_error *err) {
    trap t;
    arena scratch;
    file_out file;
    file.fd = -1;
    file.temporary = NULL;
    arena_init(&scratch, &t);
    if (trap_set(&t, err)) {
        file_abandon(&file);
        arena_free(&scratch);
        return t.error.code;
    }
    file_create(&file, path, &scratch, &t);
    if (is_tensor_path(path)) {
        char digest[17];
        safetensors_write(&file, digest, model, &scratch, &t);
    } else {
        text printed;
        text_init(&printed, &scratch);
        model_print(&printed, model);
        file_put(&file, printed.data, printed.length);
    }
    file_commit(&file);
    arena_free(&scratch);
    trap_clear(&t);
    return TEMPER_OK;
}
