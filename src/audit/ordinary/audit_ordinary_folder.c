/* A certificate of an ordinary transformer against a folder or a file. What is in the folder
   beside model.gguf must not make another model of it. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/ordinary/audit_ordinary.h"
#include "base/ascii.h"
#include "model/letter_clients.h"
#include "ordinary/files/ordinary_texts.h"

/* ---- names ---- */

static void free_bytes(void *bytes) { temper_free(bytes); }

/* Freed with the arena: a folder has more files than an entry has duties. */
static char *read_whole(entry *e, size_t *length, const char *path) {
    char *bytes;
    temper_error err;
    if (temper_file_read(&bytes, length, path, &err) != TEMPER_OK) trap_reraise(e->trap, &err);
    arena_on_release(&e->memory, free_bytes, bytes);
    return bytes;
}

static bool ends_in(const char *name, const char *ending) {
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && ascii_same(name + length - end, ending, SIZE_MAX);
}

/* Files that programs look for in a folder beside the three, or before them: weights whole, in parts, and what is
   added to others; and more of a tokenizer. */
static bool is_looked_for(const char *name) {
    static const char *const endings[] = {".gguf", ".safetensors", ".onnx", ".onnx_data", ".bin",        ".pt",
                                          ".pth",  ".ckpt",        ".h5",   ".msgpack",   ".index.json", ".npz"};
    /* tokenizers read these beside theirs, and strings become other tokens */
    static const char *const others[] = {"adapter_config.json", "added_tokens.json", "special_tokens_map.json",
                                         "vocab.json",          "vocab.txt",         "merges.txt",
                                         "tokenizer.model",     "spiece.model",      "sentencepiece.bpe.model"};
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (ends_in(name, endings[k])) return true;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (ascii_same(name, others[k], SIZE_MAX)) return true;
    return false;
}

/* `part`: "", or a folder of it and a slash. */
static void check_others(entry *e, const ordinary_audit *s, const char *folder, const char *part) {
    DIR *d = opendir(entry_path(e, folder, part));
    char other[300] = "";
    if (!d) return;
    for (struct dirent *x; !*other && (x = readdir(d));) {
        bool known = !is_looked_for(x->d_name);
        size_t length = strlen(part);
        for (size_t k = 0; k < ORDINARY_WEIGHT_FILES; k++)
            known |= strncmp(ordinary_weight_files[k], part, length) == 0 &&
                     strcmp(ordinary_weight_files[k] + length, x->d_name) == 0;
        if (!known) snprintf(other, sizeof other, "%s%s", part, x->d_name);
    }
    closedir(d);
    if (*other)
        ordinary_refuse(s, 0, 0, "the folder has a file %s, of which it says nothing",
                        text_escaped(s->arena, other, strlen(other), 80));
}

/* Of a folder the list has all files of weights that are there. */
static void check_folder_names(entry *e, const ordinary_audit *s, const char *folder) {
    for (size_t k = 0; k < ORDINARY_WEIGHT_FILES; k++) {
        struct stat about;
        if (!ordinary_file_of(s, ordinary_weight_files[k]) &&
            lstat(entry_path(e, folder, ordinary_weight_files[k]), &about) == 0)
            ordinary_refuse(s, 0, 0, "the folder has a file %s, of which it says nothing", ordinary_weight_files[k]);
    }
    check_others(e, s, folder, "");
    check_others(e, s, folder, "onnx/");
}

/* ---- contents ---- */

static void check_same_sizes(const ordinary_audit *s, const struct ordinary_model *x, const struct ordinary_model *y,
                             const char *name) {
    bool same = x->architecture == y->architecture && x->positions == y->positions && x->width == y->width &&
                x->heads == y->heads && x->head_size == y->head_size && x->hidden == y->hidden &&
                x->layer_count == y->layer_count && x->vocabulary == y->vocabulary &&
                (float)x->epsilon == (float)y->epsilon && (float)x->rope_base == (float)y->rope_base;
    if (!same || y->rope_factors) ordinary_refuse(s, 0, 0, "%s is of another model than model.gguf", name);
}

/* The same numbers in the other file, so that what is proved of one holds of both. */
static void check_same_weights(const ordinary_audit *s, const struct ordinary_model *x,
                               const struct ordinary_model *y) {
    check_same_sizes(s, x, y, "model.safetensors");
    ordinary_tensors p = ordinary_tensors_make(x, ORDINARY_HUGGING_FACE, s->arena);
    ordinary_tensors q = ordinary_tensors_make(y, ORDINARY_HUGGING_FACE, s->arena);
    for (size_t k = 0; k < p.count; k++)
        for (uint32_t part = 0; part < p.all[k].part_count; part++) {
            const float *u = p.all[k].parts[part], *v = q.all[k].parts[part];
            size_t count = (size_t)p.all[k].rows * p.all[k].columns;
            for (size_t j = 0; u && v && j < count; j++)
                if (u[j] != v[j])
                    ordinary_refuse(
                        s, 0, 0,
                        "tensor '%s' of model.safetensors differs from model.gguf, of which alone this is proved",
                        p.all[k].name);
        }
}

/* A text of the folder; NULL: there is none, and nobody needs it. */
static const char *read_text(entry *e, const char *folder, const char *name, bool needed, size_t *length) {
    struct stat about;
    const char *path = entry_path(e, folder, name);
    return needed || lstat(path, &about) == 0 ? read_whole(e, length, path) : NULL;
}

/* How strings become tokens is said in two files, which programs read for the weights of any file: both must be what
   a writer makes of the letters of model.gguf, which says how they are read, too. */
static void check_tokenizer(entry *e, const ordinary_audit *s, const char *folder, const struct ordinary_model *m,
                            bool needed) {
    static const char *const names[2] = {"tokenizer.json", "tokenizer_config.json"};
    static void (*const print[2])(text *, const tokenizer_facts *) = {tokenizer_print, tokenizer_config_print};
    const tokenizer_facts facts = ordinary_tokenizer(m, ordinary_tokens_make(m, &e->memory));
    for (int k = 0; k < 2; k++) {
        size_t length = 0;
        text expected;
        const char *bytes = read_text(e, folder, names[k], needed, &length);
        text_init(&expected, &e->memory);
        print[k](&expected, &facts);
        if (bytes && (length != expected.length || memcmp(bytes, expected.data, length) != 0))
            ordinary_refuse(s, 0, 0, "%s has another field, or another value", names[k]);
    }
}

/* Texts beside weights change what is computed of the same numbers, whatever file these are in. */
static void check_texts(entry *e, const ordinary_audit *s, const char *folder, const struct ordinary_model *m) {
    bool needed = ordinary_file_of(s, "model.safetensors") || ordinary_file_of(s, "onnx/model.onnx");
    ordinary_texts x;
    ordinary_check_letters(s, m, CLIENTS_OF_ORDINARY);
    check_tokenizer(e, s, folder, m, needed);
    x.config = read_text(e, folder, "config.json", needed, &x.config_length);
    if (!x.config) return;
    x.tokenizer = read_whole(e, &x.tokenizer_length, entry_path(e, folder, "tokenizer.json"));
    check_same_sizes(s, ordinary_read_texts(&x, &e->memory), m, "config.json");
}

static void check_folder(entry *e, ordinary_audit *s, const char *folder, const struct ordinary_model *m) {
    static const char safetensors[] = "model.safetensors";
    check_texts(e, s, folder, m);
    for (size_t k = 0; k < s->claim->file_count; k++) {
        const char *name = s->claim->files[k].name;
        size_t length;
        if (strcmp(name, "model.gguf") == 0) continue;
        const char *bytes = read_whole(e, &length, entry_path(e, folder, name));
        ordinary_check_digest(s, name, bytes, length);
        if (strcmp(name, safetensors) != 0) continue;
        ordinary_texts x;
        struct ordinary_file other;
        tensor_file f;
        x.config = read_whole(e, &x.config_length, entry_path(e, folder, "config.json"));
        x.tokenizer = read_whole(e, &x.tokenizer_length, entry_path(e, folder, "tokenizer.json"));
        tensor_file_open(&f, (tensor_source){.bytes = bytes, .size = length}, &e->memory, e->trap);
        ordinary_read_folder(&other, &x, &f, &e->memory);
        check_same_weights(s, other.model, m);
    }
}

/* ---- the whole ---- */

void ordinary_check_path(entry *e, const audit_call *x, const char *path) {
    struct stat about;
    size_t size;
    ordinary_audit *s = ordinary_audit_begin(e, x->certificate, x->length);
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    const char *bytes = read_whole(e, &size, folder ? entry_path(e, path, "model.gguf") : path);
    if (folder) check_folder_names(e, s, path);
    const struct ordinary_model *m = ordinary_check_file(s, bytes, size);
    if (folder) check_folder(e, s, path, m);
    ordinary_check_claim(s);
}
