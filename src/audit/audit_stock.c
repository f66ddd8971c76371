/* temper_audit_stock: a certificate of an ordinary transformer against its files. */
#define _GNU_SOURCE
#include "audit/audit_stock.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/sha256.h"
#include "model/stock_texts.h"

static const double ALLOWED = 32;

void stock_refuse(const stock_audit *s, uint32_t layer, uint32_t head, const char *format, ...) {
    char why[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (layer && head) trap_raise(s->trap, TEMPER_RANGE, 0, 0, "head %u of layer %u: %s", head, layer, why);
    if (layer) trap_raise(s->trap, TEMPER_RANGE, 0, 0, "layer %u: %s", layer, why);
    trap_raise(s->trap, TEMPER_RANGE, 0, 0, "%s", why);
}

/* ---- files ---- */

static const struct stock_claimed_file *claimed_file(const stock_audit *s, const char *name) {
    for (size_t k = 0; k < s->claim->file_count; k++)
        if (strcmp(s->claim->files[k].name, name) == 0) return &s->claim->files[k];
    return NULL;
}

static void check_digest(const stock_audit *s, const char *name, const char *bytes, size_t size) {
    const struct stock_claimed_file *f = claimed_file(s, name);
    unsigned char digest[SHA256_SIZE];
    char hex[SHA256_HEX + 1];
    sha256 h;
    if (!f) stock_refuse(s, 0, 0, "it is not about a file %s", name);
    sha256_start(&h);
    sha256_add(&h, bytes, size);
    sha256_finish(digest, &h);
    sha256_hex(hex, digest);
    if (strcmp(hex, f->sha256) != 0)
        stock_refuse(s, 0, 0, "it is about another %s: its SHA-256 is %s, this one's %s", name,
                     text_escaped(s->arena, f->sha256, strlen(f->sha256), 80), hex);
}

static void free_bytes(void *bytes) { temper_free(bytes); }

/* Freed with the arena: a folder has more files than an entry has duties. */
static char *read_whole(entry *e, size_t *length, const char *path) {
    char *bytes;
    temper_error err;
    if (temper_file_read(&bytes, length, path, &err) != TEMPER_OK) trap_reraise(e->trap, &err);
    arena_on_release(&e->memory, free_bytes, bytes);
    return bytes;
}

static const char *path_in(entry *e, const char *folder, const char *name) {
    text path;
    text_init(&path, &e->memory);
    text_printf(&path, "%s/%s", folder, name);
    return text_string(&path);
}

static const char *const weight_files[] = {"model.gguf", "model.safetensors", "onnx/model.onnx"};
enum { WEIGHT_FILES = sizeof weight_files / sizeof *weight_files };

static bool ends_in(const char *name, const char *ending) {
    size_t length = strlen(name), end = strlen(ending);
    return length >= end && strcasecmp(name + length - end, ending) == 0;
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
        if (strcasecmp(name, others[k]) == 0) return true;
    return false;
}

/* `part`: "", or a folder of it and a slash. */
static void check_others(entry *e, const stock_audit *s, const char *folder, const char *part) {
    DIR *d = opendir(path_in(e, folder, part));
    char other[300] = "";
    if (!d) return;
    for (struct dirent *x; !*other && (x = readdir(d));) {
        bool known = !is_looked_for(x->d_name);
        size_t length = strlen(part);
        for (size_t k = 0; k < WEIGHT_FILES; k++)
            known |= strncmp(weight_files[k], part, length) == 0 && strcmp(weight_files[k] + length, x->d_name) == 0;
        if (!known) snprintf(other, sizeof other, "%s%s", part, x->d_name);
    }
    closedir(d);
    if (*other)
        stock_refuse(s, 0, 0, "the folder has a file %s, of which it says nothing",
                     text_escaped(s->arena, other, strlen(other), 80));
}

/* The list has nothing but files of weights, each by its one name, since by another one it would not be compared; of
   a folder it has all that are there. */
static void check_names(entry *e, const stock_audit *s, const char *folder) {
    size_t seen[WEIGHT_FILES] = {0};
    for (size_t k = 0; k < s->claim->file_count; k++) {
        size_t which = 0;
        while (which < WEIGHT_FILES && strcmp(s->claim->files[k].name, weight_files[which]) != 0) which++;
        if (which == WEIGHT_FILES || seen[which]++)
            stock_refuse(s, 0, 0, "files has a name that a folder of weights does not have, or one twice");
    }
    for (size_t k = 0; folder && k < WEIGHT_FILES; k++) {
        struct stat about;
        if (!seen[k] && lstat(path_in(e, folder, weight_files[k]), &about) == 0)
            stock_refuse(s, 0, 0, "the folder has a file %s, of which it says nothing", weight_files[k]);
    }
    if (folder) check_others(e, s, folder, "");
    if (folder) check_others(e, s, folder, "onnx/");
}

static void check_same_sizes(const stock_audit *s, const struct stock_model *x, const struct stock_model *y,
                             const char *name) {
    bool same = x->architecture == y->architecture && x->positions == y->positions && x->width == y->width &&
                x->heads == y->heads && x->head_size == y->head_size && x->hidden == y->hidden &&
                x->layer_count == y->layer_count && x->vocabulary == y->vocabulary &&
                (float)x->epsilon == (float)y->epsilon && (float)x->rope_base == (float)y->rope_base;
    if (!same || y->rope_factors) stock_refuse(s, 0, 0, "%s is of another model than model.gguf", name);
}

/* The same numbers in the other file, so that what is proved of one holds of both. */
static void check_same_weights(const stock_audit *s, const struct stock_model *x, const struct stock_model *y) {
    check_same_sizes(s, x, y, "model.safetensors");
    stock_tensors p = stock_tensors_make(x, STOCK_HUGGING_FACE, s->arena);
    stock_tensors q = stock_tensors_make(y, STOCK_HUGGING_FACE, s->arena);
    for (size_t k = 0; k < p.count; k++)
        for (uint32_t part = 0; part < p.all[k].part_count; part++) {
            const float *u = p.all[k].parts[part], *v = q.all[k].parts[part];
            size_t count = (size_t)p.all[k].rows * p.all[k].columns;
            for (size_t j = 0; u && v && j < count; j++)
                if (u[j] != v[j])
                    stock_refuse(
                        s, 0, 0,
                        "tensor '%s' of model.safetensors differs from model.gguf, of which alone this is proved",
                        p.all[k].name);
        }
}

/* A text of the folder; NULL: there is none, and nobody needs it. */
static const char *read_text(entry *e, const char *folder, const char *name, bool needed, size_t *length) {
    struct stat about;
    const char *path = path_in(e, folder, name);
    return needed || lstat(path, &about) == 0 ? read_whole(e, length, path) : NULL;
}

/* How strings become tokens is said in two files, which programs read for the weights of any file: both must be what
   a writer makes of the letters of model.gguf, whose tokens are the same if they are words of one character. */
static void check_tokenizer(entry *e, const stock_audit *s, const char *folder, const struct stock_model *m,
                            bool needed) {
    static const char *const names[2] = {"tokenizer.json", "tokenizer_config.json"};
    static void (*const print[2])(text *, const tokenizer_facts *) = {tokenizer_print, tokenizer_config_print};
    struct stock_model like = *m;
    bool same[2][2] = {{false}};
    for (int words = 0; words < 2; words++) {
        like.words = words;
        const tokenizer_facts facts = stock_tokenizer(&like, stock_tokens_make(&like, &e->memory));
        for (int k = 0; k < 2; k++) {
            size_t length = 0;
            text expected;
            const char *bytes = read_text(e, folder, names[k], needed, &length);
            text_init(&expected, &e->memory);
            print[k](&expected, &facts);
            same[words][k] = !bytes || (length == expected.length && memcmp(bytes, expected.data, length) == 0);
        }
        if (same[words][0] && same[words][1]) return;
    }
    bool other = same[0][0] || same[1][0];
    stock_refuse(s, 0, 0, "%s has another field, or another value", names[other]);
}

/* Texts beside weights change what is computed of the same numbers, whatever file these are in. */
static void check_texts(entry *e, const stock_audit *s, const char *folder, const struct stock_model *m) {
    bool needed = claimed_file(s, "model.safetensors") || claimed_file(s, "onnx/model.onnx");
    stock_texts x;
    check_tokenizer(e, s, folder, m, needed);
    x.config = read_text(e, folder, "config.json", needed, &x.config_length);
    if (!x.config) return;
    x.tokenizer = read_whole(e, &x.tokenizer_length, path_in(e, folder, "tokenizer.json"));
    check_same_sizes(s, stock_read_texts(&x, &e->memory), m, "config.json");
}

static void check_folder(entry *e, stock_audit *s, const char *folder, const struct stock_model *m) {
    static const char safetensors[] = "model.safetensors";
    check_texts(e, s, folder, m);
    for (size_t k = 0; k < s->claim->file_count; k++) {
        const char *name = s->claim->files[k].name;
        size_t length;
        if (strcmp(name, "model.gguf") == 0) continue;
        const char *bytes = read_whole(e, &length, path_in(e, folder, name));
        check_digest(s, name, bytes, length);
        if (strcmp(name, safetensors) != 0) continue;
        stock_texts x;
        struct stock_file other;
        tensor_file f;
        x.config = read_whole(e, &x.config_length, path_in(e, folder, "config.json"));
        x.tokenizer = read_whole(e, &x.tokenizer_length, path_in(e, folder, "tokenizer.json"));
        tensor_file_open(&f, (tensor_source){.bytes = bytes, .size = length}, &e->memory, e->trap);
        stock_read_folder(&other, &x, &f, &e->memory);
        check_same_weights(s, other.model, m);
    }
}

/* ---- what is claimed against what is there ---- */

static void check_settings(const stock_audit *s, const struct stock_file *file) {
    const stock_claim *c = s->claim;
    const struct stock_model *m = file->model;
    const undo *u = s->u;
    const char *positions = m->architecture == STOCK_GPT2 ? "table" : u->ramp > 0 ? "ramp" : "digits";
    if (c->llama != (m->architecture == STOCK_LLAMA)) stock_refuse(s, 0, 0, "architecture is not that of the file");
    if (c->length + 1 != m->positions)
        stock_refuse(s, 0, 0, "length is %llu, but the file has %u positions", (unsigned long long)c->length,
                     m->positions);
    if (c->f16_weights != file->as_f16) stock_refuse(s, 0, 0, "weights are not of the type that the file has");
    if (strcmp(c->positions, positions) != 0) stock_refuse(s, 0, 0, "positions is not %s", positions);
    if (c->balances != u->balances) stock_refuse(s, 0, 0, "balances is not %u", u->balances);
    if (c->allowed != ALLOWED) stock_refuse(s, 0, 0, "logits are allowed to be off by 32");
    if (c->letter_count != u->letters) stock_refuse(s, 0, 0, "alphabet has other letters than the file");
    for (uint32_t t = 0; t < u->letters; t++)
        if (strcmp(c->letters[t], m->tokens[STOCK_AUDIT_LETTERS + t]) != 0)
            stock_refuse(s, 0, 0, "alphabet has other letters than the file");
    if (c->kind != TEMPER_KIND_TRANSDUCER && m->vocabulary != u->letters + 3)
        stock_refuse(s, 0, 0, "the file has tokens that only a transducer has");
    const undo_form *first = &u->outputs[STOCK_AUDIT_BOS], *dead = &u->outputs[m->vocabulary - 1];
    if (first->count || first->one != -256 || dead->count || dead->one != -128)
        stock_refuse(s, 0, 0, "the logits of <s> and <dead> are not -256 and -128");
}

static bool varies(const undo_head *h) {
    for (size_t k = 0; k < h->content; k++)
        if (h->products[k].query.count) return true;
    return false;
}

static void check_heads(const stock_audit *s) {
    const undo *u = s->u;
    if (s->claim->head_count != u->head_count)
        stock_refuse(s, 0, 0, "heads has %zu entries, but the file has %zu heads", s->claim->head_count,
                     u->head_count);
    bool *seen = arena_zalloc(s->arena, u->head_count, sizeof *seen);
    for (size_t k = 0; k < s->claim->head_count; k++) {
        const struct stock_claimed_head *c = &s->claim->heads[k];
        size_t h = 0;
        while (h < u->head_count && (u->heads[h].layer != c->layer || u->heads[h].slot + 1 != c->head)) h++;
        if (h == u->head_count || seen[h]) stock_refuse(s, c->layer, c->head, "there is no such head");
        seen[h] = true;
        const undo_head *x = &u->heads[h];
        bool match = x->role == UNDO_NEAREST && (varies(x) || x->content > 1);
        bool fits = strcmp(c->role, undo_role_name(x->role)) == 0 || (match && strcmp(c->role, "match") == 0);
        if (!fits)
            stock_refuse(s, c->layer, c->head, "role is %s, but the audit finds %s",
                         text_escaped(s->arena, c->role, strlen(c->role), 40), undo_role_name(x->role));
        const char *which = x->role == UNDO_NEAREST ? (x->last ? "last" : "first") : NULL;
        if (!which != !c->which || (which && strcmp(c->which, which) != 0))
            stock_refuse(s, c->layer, c->head, "which is not %s", which ? which : "asked of such a head");
    }
}

/* ---- the source ---- */

static void release_spec(void *spec) { temper_spec_free(spec); }

void stock_read_source(stock_audit *s) {
    const stock_claim *c = s->claim;
    temper_model *m = arena_zalloc(s->arena, 1, sizeof *m);
    bool words = false;
    for (size_t k = 0; k < c->letter_count; k++) {
        uint32_t code;
        words |= utf8_decode(&code, c->letters[k], strlen(c->letters[k])) != strlen(c->letters[k]);
    }
    alphabet_init(&m->letters, s->arena, words);
    for (size_t k = 0; k < c->letter_count; k++) alphabet_add(&m->letters, c->letters[k], strlen(c->letters[k]));
    m->kind = c->kind;
    m->source = c->source;
    m->syntax = c->syntax;
    m->at = c->at;
    m->accepts_empty = c->accepts_empty;
    audit *shell = arena_zalloc(s->arena, 1, sizeof *shell);
    *shell = (audit){.trap = s->trap, .arena = s->arena, .scratch = s->scratch, .model = m, .length = c->length};
    calc_init(&shell->calculus, s->arena);
    meaning_init(&shell->meaning, c->letter_count, s->arena, s->scratch);
    s->shell = shell;
    s->spec = audit_read_spec(shell, c->source, c->syntax, c->kind, "the source");
    arena_on_release(s->arena, release_spec, s->spec);
    if (s->spec->probabilities.is_said)
        stock_refuse(s, 0, 0, "the source has probabilities, whose logarithms are not audited");
}

static void follow_machine(void *context) { stock_machine_check(context); }

/* A machine with more states than are followed may still be understood: an acceptor's only output is the source. */
static void check_machine(stock_audit *s) {
    trap inner, *outer = s->trap;
    temper_error why;
    s->trap = &inner;
    bool done = trap_attempt(&inner, &why, follow_machine, s);
    s->trap = outer;
    if (done) return;
    if (why.code != TEMPER_LIMIT) trap_reraise(outer, &why);
    if (s->claim->kind != TEMPER_KIND_ACCEPTOR) stock_refuse(s, 0, 0, "%s", why.text);
    s->largest = NULL; /* not all were met */
    stock_meaning_check(s);
}

static void find_meaning(void *context) { stock_meaning_check(context); }

/* Whether columns mean what the source says; a refusal is not raised. */
static bool is_understood(stock_audit *s) {
    trap frame = *s->trap;
    temper_error why;
    bool done = trap_attempt(s->trap, &why, find_meaning, s);
    *s->trap = frame;
    if (!done && why.code == TEMPER_NO_MEMORY) trap_reraise(s->trap, &why);
    return done;
}

/* Counts are understood by meaning; a model without them is followed as a machine, and a language model with bounded
   counts, too. A transducer is followed if it is not understood: two ways to say the same position are two meanings,
   and a machine of many letters has many states. What is viable is not proved, and the claim must say so. */
void stock_check_meaning(stock_audit *s) {
    bool acceptor = s->claim->kind == TEMPER_KIND_ACCEPTOR, transducer = s->claim->kind == TEMPER_KIND_TRANSDUCER;
    bool finite = stock_is_finite(s->u, !acceptor) && !s->claim->viable;
    stock_exact_check(s);
    if (!finite)
        stock_meaning_check(s);
    else if (!transducer || !is_understood(s))
        check_machine(s);
    if (s->shell->viable != s->claim->viable) stock_refuse(s, 0, 0, "claim does not say whether viable is proved");
}

/* ---- the whole ---- */

typedef struct stock_call {
    const char *certificate;
    size_t length;
    const char *path; /* NULL: the GGUF file is given */
    const char *gguf;
    size_t size;
} stock_call;

static void check_certificate(entry *e, void *context) {
    const stock_call *c = context;
    stock_audit *s = arena_zalloc(&e->memory, 1, sizeof *s);
    struct stock_file file;
    gguf_file f;
    struct stat about;
    size_t size = c->size;
    bool folder = c->path && stat(c->path, &about) == 0 && S_ISDIR(about.st_mode);
    *s = (stock_audit){.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch};
    s->claim = stock_claim_read(c->certificate, c->length, s->arena);
    const char *bytes = c->gguf;
    if (c->path) bytes = read_whole(e, &size, folder ? path_in(e, c->path, "model.gguf") : c->path);
    check_names(e, s, folder ? c->path : NULL);
    check_digest(s, "model.gguf", bytes, size);
    gguf_open(&f, bytes, size, s->arena);
    stock_read(&file, &f, s->arena);
    s->u = undo_stock(&file, STOCK_GGUF, s->arena);
    check_settings(s, &file);
    check_heads(s);
    if (folder) check_folder(e, s, c->path, file.model);
    stock_read_source(s);
    stock_check_meaning(s);
    stock_bounds(s);
    if (!(s->logits < ALLOWED)) stock_refuse(s, 0, 0, "logits may be off by %.3g", s->logits);
}

temper_status temper_audit_stock(const char *certificate, size_t length, const char *path, temper_error *err) {
    stock_call call = {.certificate = certificate, .length = length, .path = path};
    return entry_run(err, check_certificate, &call);
}

temper_status temper_audit_gguf(const char *certificate, size_t length, const char *gguf, size_t size,
                                temper_error *err) {
    stock_call call = {.certificate = certificate, .length = length, .gguf = gguf, .size = size};
    return entry_run(err, check_certificate, &call);
}
