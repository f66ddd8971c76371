/* The audit of a folder of an ordinary transformer: what temper_ordinary_write writes is accepted, and no folder in
   which one file is another, or is missing, or does not say the same as model.gguf, though the certificate names the
   new digests. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "addressed.h"
#include "ordinary_trials.h"
#include "ordinary_calls.h"

static struct { size_t folders, changed; } total;

static pid_t owner; /* of the folder */
static char folder[TEST_FOLDER], here[TEST_FOLDER + 40], path[TEST_FOLDER + 100];

static const char *const names[] = {
    "model.gguf",     "model.safetensors",      "onnx/model.onnx",       "config.json",
    "tokenizer.json", "generation_config.json", "tokenizer_config.json", "Modelfile",
    "README.md",      "testvectors.jsonl",      "certificate.json"};
enum { GGUF, SAFETENSORS, ONNX, CONFIG, TOKENIZER, TOKENIZER_CONFIG = 6, CERTIFICATE = 10, FILES };

typedef struct trial {
    const char *source;
    temper_ordinary_options options;
    bytes files[FILES];
} trial;

static bool changed[FILES]; /* on disk */

/* ---- files; a mutant is a process of its own, and has its own folder ---- */

static const char *path_of(const char *name) {
    snprintf(path, sizeof path, "%s/%s", here, name);
    return path;
}

static void make_here(void) {
    owner = getpid();
    snprintf(here, sizeof here, "%s/%d", folder, (int)owner);
    mkdir(here, 0700);
    mkdir(path_of("onnx"), 0700);
}

static void remove_here(void) {
    if (owner != getpid()) return;
    for (int k = 0; k < FILES; k++) unlink(path_of(names[k]));
    rmdir(path_of("onnx"));
    rmdir(here);
}

static bool write_file(int which, const bytes *b) {
    temper_error e = {0};
    changed[which] = true;
    return CHECK(temper_file_write(path_of(names[which]), b->data, b->length, &e) == TEMPER_OK, "%s", e.text);
}

/* The folder of a trial as it was exported. Only files that were changed since are written again. */
static void write_all(const trial *t) {
    static const trial *there;
    static pid_t process;
    bool whole = there != t || process != getpid();
    if (whole) make_here();
    there = t;
    process = getpid();
    for (int k = 0; k < FILES; k++) {
        if (whole || changed[k]) write_file(k, &t->files[k]);
        changed[k] = false;
    }
}

/* ---- changes ---- */

static void put_digest(char *out, const bytes *b) {
    char hex[SHA256_HEX + 1];
    sha256_of(hex, b->data, b->length);
    memcpy(out, hex, SHA256_HEX);
}

/* The certificate with the digest of a file. */
static bytes addressed(const trial *t, int which, const bytes *b) {
    bytes c = {malloc(t->files[CERTIFICATE].length + 1), t->files[CERTIFICATE].length};
    memcpy(c.data, t->files[CERTIFICATE].data, c.length + 1);
    char *at = strstr(c.data, names[which]), *digest = at ? strstr(at, "\"sha256\": \"") : NULL;
    if (digest) put_digest(digest + 11, b);
    return c;
}

static temper_status audit_here(const bytes *certificate, temper_error *e) {
    *e = (temper_error){0};
    return temper_audit(certificate->data, certificate->length, NULL, 0, &(temper_audit_options){.path = here}, e);
}

static void check_refused(const trial *t, const bytes *certificate, const char *what) {
    temper_error e;
    temper_status s = audit_here(certificate, &e);
    total.changed++;
    CHECK(s == TEMPER_RANGE || s == TEMPER_FORMAT || s == TEMPER_IO, "%s: %s is accepted", t->source, what);
}

/* A file with some bytes changed: its own digest does not fit, and with the new one what it says does not. */
static void change_file(const trial *t, int which, size_t at, const char *to, size_t length, bool matters) {
    bytes b = {malloc(t->files[which].length + 1), t->files[which].length};
    char what[100];
    temper_error e;
    if (!CHECK(at + length <= b.length, "%s: %s is too short", t->source, names[which])) return;
    memcpy(b.data, t->files[which].data, b.length + 1);
    memcpy(b.data + at, to, length);
    write_all(t);
    write_file(which, &b);
    snprintf(what, sizeof what, "%s with byte %zu changed", names[which], at);
    if (which <= ONNX) check_refused(t, &t->files[CERTIFICATE], what);
    bytes c = addressed(t, which, &b);
    if (matters)
        check_refused(t, &c, what);
    else
        CHECK(audit_here(&c, &e) == TEMPER_OK, "%s: %s: %s", t->source, what, e.text);
    free(b.data);
    free(c.data);
}

static void change_text(const trial *t, int which, const char *from, const char *to) {
    const char *at = strstr(t->files[which].data, from);
    if (CHECK(at && strlen(from) == strlen(to), "%s: %s has no %s", t->source, names[which], from))
        change_file(t, which, (size_t)(at - t->files[which].data), to, strlen(to), true);
}

/* The certificate with one text in the place of another of any length. */
static void change_certificate(const trial *t, const char *from, const char *to) {
    const bytes *c = &t->files[CERTIFICATE];
    const char *at = strstr(c->data, from);
    if (!CHECK(at, "%s: the certificate has no %s", t->source, from)) return;
    size_t before = (size_t)(at - c->data), rest = c->length - before - strlen(from);
    bytes made = {malloc(before + strlen(to) + rest + 1), before + strlen(to) + rest};
    memcpy(made.data, c->data, before);
    memcpy(made.data + before, to, strlen(to));
    memcpy(made.data + before + strlen(to), at + strlen(from), rest + 1);
    write_all(t);
    check_refused(t, &made, to);
    free(made.data);
}

/* One number of a tensor is another: the last, one in its midst, or the first. */
static void change_tensors(const trial *t) {
    const bytes *f = &t->files[SAFETENSORS];
    uint64_t header;
    size_t count = 0;
    memcpy(&header, f->data, sizeof header);
    bool f16 = t->options.weights_f16;
    for (const char *at = f->data + 8; (at = strstr(at, "\"data_offsets\":[")) && at < f->data + 8 + header; at++) {
        size_t first, end, size = 4, place;
        if (!CHECK(sscanf(at, "\"data_offsets\":[%zu,%zu]", &first, &end) == 2, "%.60s", at)) return;
        char number[4];
        if (f16) { /* norms and tables of positions are f32 all the same */
            const char *type = at;
            while (type > f->data && strncmp(type, "\"dtype\":\"", 9) != 0) type--;
            size = strncmp(type + 9, "F16", 3) == 0 ? 2 : 4;
        }
        size_t middle = (end - first) / 2 / size * size;
        place = 8 + header + (count % 3 == 0 ? end - size : count % 3 == 1 ? first + middle : first);
        count++;
        memcpy(number, f->data + place, size);
        number[size - 1] ^= 0x01;
        change_file(t, SAFETENSORS, place, number, size, true);
    }
}

/* Where the value of a key of model.gguf begins; of an array its first element. */
static size_t value_of(const trial *t, const char *key, bool array) {
    const bytes *f = &t->files[GGUF];
    const char *at = memmem(f->data, f->length, key, strlen(key));
    if (!CHECK(at, "%s: no key %s", t->source, key)) return f->length;
    return (size_t)(at - f->data) + strlen(key) + (array ? 16 : 4);
}

/* How llama.cpp makes tokens of a text: kinds and scores of tokens, flags, numbers of tokens, characters that become
   others, the tokenizer's name. */
static void change_gguf_tokens(const trial *t) {
    static const char *const flags[] = {"add_bos_token", "add_eos_token", "add_space_prefix",
                                        "remove_extra_whitespaces"};
    static const char *const ids[] = {"bos_token_id", "eos_token_id", "unknown_token_id", "padding_token_id"};
    static const float scores[] = {-1, 1, 1e-30f};
    enum { TOKENS = 3 + 3 };
    size_t types = value_of(t, "tokenizer.ggml.token_type", true), score = value_of(t, "tokenizer.ggml.scores", true);
    for (size_t k = 0; k < TOKENS; k++) {
        char other = (char)(t->files[GGUF].data[types + 4 * k] % 6 + 1);
        change_file(t, GGUF, types + 4 * k, &other, 1, true);
        change_file(t, GGUF, score + 4 * k, (const char *)&scores[k % 3], sizeof *scores, true);
    }
    /* the last letter as if it were only written */
    change_file(t, GGUF, score + 4 * (TOKENS - 2), (const char *)&scores[0], sizeof *scores, true);
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
        size_t at = value_of(t, flags[k], false);
        char other = !t->files[GGUF].data[at];
        change_file(t, GGUF, at, &other, 1, true);
    }
    for (size_t k = 0; k < sizeof ids / sizeof *ids; k++)
        change_file(t, GGUF, value_of(t, ids[k], false), "\3", 1, true);
    change_file(t, GGUF, value_of(t, "temper.other_token_id", false), "\2", 1, true);
    size_t map = value_of(t, "precompiled_charsmap", true);
    for (size_t k = 0; k < 5; k++) change_file(t, GGUF, map + k * k * k * 50, "\7", 1, true);
    change_file(t, GGUF, value_of(t, "tokenizer.ggml.model", false) + 8, "T5", 2, true);
}

/* The list of files in another order: each is looked at all the same. */
static void reorder(const trial *t) {
    bytes c = {malloc(t->files[CERTIFICATE].length + 1), t->files[CERTIFICATE].length};
    memcpy(c.data, t->files[CERTIFICATE].data, c.length + 1);
    char *first = strstr(c.data, "{\"name\": \"model.gguf\""),
         *second = strstr(c.data, "{\"name\": \"model.safetensors\"");
    temper_error e;
    if (CHECK(first && second && first < second, "%s: the certificate has other files", t->source)) {
        size_t a = (size_t)(strchr(first, '}') + 1 - first), b = (size_t)(strchr(second, '}') + 1 - second);
        size_t between = (size_t)(second - first) - a;
        char *made = malloc(a + between + b);
        memcpy(made, second, b);
        memcpy(made + b, first + a, between);
        memcpy(made + b + between, first, a);
        memcpy(first, made, a + between + b);
        free(made);
        write_all(t);
        CHECK(audit_here(&c, &e) == TEMPER_OK, "%s: files in another order: %s", t->source, e.text);
        bytes other = t->files[SAFETENSORS];
        other.length--;
        write_file(SAFETENSORS, &other);
        check_refused(t, &c, "a shorter file in another order");
    }
    free(c.data);
}

static void remove_file(const trial *t, int which) {
    write_all(t);
    unlink(path_of(names[which]));
    changed[which] = true;
    check_refused(t, &t->files[CERTIFICATE], "a missing file");
}

/* The certificate without a file, or with another name of it: the file in the folder then has other numbers, which
   nobody would compare. */
static void change_name(const trial *t, const char *to) {
    bytes b = t->files[SAFETENSORS], c = {malloc(t->files[CERTIFICATE].length + 8), 0};
    char *data = malloc(b.length + 1), *at;
    memcpy(data, b.data, b.length + 1);
    data[b.length - 1] ^= 0x01;
    b.data = data;
    bytes with = addressed(t, SAFETENSORS, &b);
    at = strstr(with.data, "{\"name\": \"model.safetensors\"");
    if (CHECK(at, "%s: the certificate has no model.safetensors", t->source)) {
        size_t before = (size_t)(at - with.data);
        const char *end = strchr(at, '}') + 1;
        while (!to && *end != '{' && *end != ']') end++;
        const char *rest = to ? at + strlen("{\"name\": \"model.safetensors\"") : end;
        c.length = (size_t)sprintf(c.data, "%.*s%s%s", (int)before, with.data, to ? to : "", rest);
        write_all(t);
        write_file(SAFETENSORS, &b);
        check_refused(t, &c, to ? to : "a file that is not in the list");
    }
    free(with.data);
    free(c.data);
    free(data);
}

/* Another file of weights beside the three, which a program would look for first, or add to them; or more of a
   tokenizer. */
static void add_file(const trial *t, const char *name) {
    temper_error e = {0};
    write_all(t);
    CHECK(temper_file_write(path_of(name), "x", 1, &e) == TEMPER_OK, "%s", e.text);
    check_refused(t, &t->files[CERTIFICATE], name);
    unlink(path_of(name));
}

/* The folder, and the certificate's list, without model.safetensors: onnx/model.onnx and programs that read it have
   the same texts, which must still be those of the model. */
static void drop_safetensors(const trial *t, int which, const char *from, const char *to) {
    bytes c = {malloc(t->files[CERTIFICATE].length + 1), 0}, b = t->files[which];
    const char *at = strstr(t->files[CERTIFICATE].data, "{\"name\": \"model.safetensors\"");
    temper_error e;
    if (CHECK(at, "%s: the certificate has no model.safetensors", t->source)) {
        const char *rest = strchr(strchr(at, '}'), '{');
        c.length = (size_t)sprintf(c.data, "%.*s%s", (int)(at - t->files[CERTIFICATE].data),
                                   t->files[CERTIFICATE].data, rest);
        write_all(t);
        unlink(path_of(names[SAFETENSORS]));
        changed[SAFETENSORS] = true;
        CHECK(audit_here(&c, &e) == TEMPER_OK, "%s: without model.safetensors: %s", t->source, e.text);
        char *data = malloc(b.length + 1), *place;
        memcpy(data, b.data, b.length + 1);
        b.data = data;
        if (CHECK((place = strstr(data, from)) != NULL, "%s has no %s", names[which], from))
            memcpy(place, to, strlen(to));
        write_file(which, &b);
        check_refused(t, &c, names[which]);
        unlink(path_of(names[which]));
        check_refused(t, &c, names[which]);
        free(data);
    }
    free(c.data);
}

/* A Llama by digits has no file but model.gguf, and a tokenizer. */
static void check_digits(void) {
    static const char *const there[] = {"model.gguf", "tokenizer.json",    "tokenizer_config.json", "Modelfile",
                                        "README.md",  "testvectors.jsonl", "certificate.json",      "config.json"};
    enum { WRITTEN = 7, COUNT = 8 };
    const temper_ordinary_options o = {
        .length = 12, .architecture = TEMPER_ORDINARY_LLAMA, .positions = TEMPER_ORDINARY_POSITIONS_DIGITS};
    temper_spec *s = ordinary_parse("Y a", "abc");
    bytes f[WRITTEN] = {0};
    temper_error e;
    make_here();
    bool ok = s && CHECK(ordinary_folder_once(NULL, here, s, &o, &e) == TEMPER_OK, "%s", e.text);
    for (int k = 0; k < WRITTEN && ok; k++)
        ok = CHECK(temper_file_read(&f[k].data, &f[k].length, path_of(there[k]), &e) == TEMPER_OK, "%s", e.text);
    trial t = {.source = "Y a by digits"};
    if (ok) CHECK(audit_here(&f[6], &e) == TEMPER_OK, "%s", e.text);
    for (int k = 1; k <= 2 && ok; k++) {
        char *at = strstr(f[k].data, "\"<s>\"");
        at[1] = '(';
        temper_file_write(path_of(there[k]), f[k].data, f[k].length, &e);
        check_refused(&t, &f[6], there[k]);
        at[1] = '<';
        temper_file_write(path_of(there[k]), f[k].data, f[k].length, &e);
    }
    if (ok) {
        CHECK(audit_here(&f[6], &e) == TEMPER_OK, "%s", e.text);
        temper_file_write(path_of("config.json"), "{}", 2, &e);
        check_refused(&t, &f[6], "a config.json");
    }
    for (int k = 0; k < WRITTEN; k++) temper_free(f[k].data);
    for (int k = 0; k < COUNT; k++) unlink(path_of(there[k]));
    rmdir(path_of("onnx"));
    rmdir(here);
    temper_spec_free(s);
}

/* Letters that are words: a tokenizer splits at blanks. */
static void check_words(void) {
    const temper_ordinary_options o = {.length = 8};
    const temper_spec_options words = {.alphabet = "req b", .tokens = true};
    temper_spec *s = NULL;
    bytes certificate = {0};
    temper_error e;
    make_here();
    bool ok =
        CHECK(temper_spec_parse(&s, "O req", 5, &words, &e) == TEMPER_OK, "%s", e.text) &&
        CHECK(ordinary_folder_once(NULL, here, s, &o, &e) == TEMPER_OK, "%s", e.text) &&
        CHECK(temper_file_read(&certificate.data, &certificate.length, path_of(names[CERTIFICATE]), &e) == TEMPER_OK,
              "%s", e.text);
    if (ok) CHECK(audit_here(&certificate, &e) == TEMPER_OK, "words: %s", e.text);
    temper_free(certificate.data);
    remove_here();
    temper_spec_free(s);
}

/* One that is no weights is not looked at. */
static void add_note(const trial *t) {
    temper_error e = {0};
    write_all(t);
    CHECK(temper_file_write(path_of("notes.txt"), "x", 1, &e) == TEMPER_OK, "%s", e.text);
    CHECK(audit_here(&t->files[CERTIFICATE], &e) == TEMPER_OK, "%s: %s", t->source, e.text);
    unlink(path_of("notes.txt"));
}

static void change_all(const trial *t) {
    static const char *const others[] = {"pytorch_model.bin",
                                         "model.safetensors.index.json",
                                         "adapter_config.json",
                                         "adapter_model.safetensors",
                                         "lora.GGUF",
                                         "onnx/model_quantized.onnx",
                                         "added_tokens.json",
                                         "special_tokens_map.json",
                                         "vocab.json",
                                         "merges.txt",
                                         ".bin"};
    temper_error e;
    write_all(t);
    CHECK(audit_here(&t->files[CERTIFICATE], &e) == TEMPER_OK, "%s: %s", t->source, e.text);
    for (int k = 0; k < 5; k++) remove_file(t, k);
    if (t->options.weights_f16 || t->options.architecture == TEMPER_ORDINARY_GPT2) change_tensors(t);
    reorder(t);
    change_file(t, ONNX, t->files[ONNX].length / 2, "x", 1, false); /* of this one only the digest counts */
    change_gguf_tokens(t);
    change_text(t, CONFIG, "e-0", "e-1");
    change_text(t, TOKENIZER, "\"a\"", "\"x\"");
    change_text(t, TOKENIZER_CONFIG, "\"<s>\"", "\"</s\"");
    change_text(t, TOKENIZER_CONFIG, ": false", ": true ");
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) add_file(t, others[k]);
    add_note(t);
    change_text(t, TOKENIZER, "\"c\"", "\"x\"");
    change_certificate(t, "onnx/model.onnx", "../model.onnx");
    change_certificate(t, "onnx/model.onnx", "/dev/null");
    change_certificate(t, "onnx/model.onnx", "onnx/none");
    drop_safetensors(t, TOKENIZER, "\"a\"", "\"x\"");
    drop_safetensors(t, TOKENIZER_CONFIG, "\"<s>\"", "\"</s\"");
    drop_safetensors(t, CONFIG, "e-0", "e-1");
    change_name(t, NULL);
    change_name(t, "{\"name\": \"./model.safetensors\"");
    change_certificate(t, "\"name\": \"model.gguf\"", "\"name\": \"other.gguf\"");
}

/* ---- models ---- */

static bool read_all(trial *t) {
    temper_error e;
    temper_spec *s = ordinary_parse(t->source, "abc");
    make_here();
    bool ok =
        s && CHECK(ordinary_folder_once(NULL, here, s, &t->options, &e) == TEMPER_OK, "%s: %s", t->source, e.text);
    temper_spec_free(s);
    for (int k = 0; ok && k < FILES; k++)
        ok = CHECK(temper_file_read(&t->files[k].data, &t->files[k].length, path_of(names[k]), &e) == TEMPER_OK,
                   "%s: %s", t->source, e.text);
    return ok;
}

static void free_all(trial *t) {
    for (int k = 0; k < FILES; k++) temper_free(t->files[k].data);
    remove_here();
}

/* model.safetensors, config.json and tokenizer.json of another model, whole. */
static void exchange(const trial *t, const trial *other) {
    for (int which = SAFETENSORS; which <= TOKENIZER; which++) {
        if (which == ONNX) continue;
        write_all(t);
        for (int k = SAFETENSORS; k <= TOKENIZER; k++)
            if (k == which || which == SAFETENSORS) write_file(k, &other->files[k]);
        bytes c =
            addressed(t, SAFETENSORS, which == SAFETENSORS ? &other->files[SAFETENSORS] : &t->files[SAFETENSORS]);
        if (t->files[which].length != other->files[which].length ||
            memcmp(t->files[which].data, other->files[which].data, t->files[which].length) != 0)
            check_refused(t, &c, names[which]);
        free(c.data);
    }
}

int main(void) {
    trial all[] = {
        {.source = "H(b -> O a)", .options = {.length = 12}},
        {.source = "H(b -> O a)", .options = {.length = 13}},
        {.source = "O a & O b", .options = {.length = 12}},
        {.source = "Y a", .options = {.length = 12, .architecture = TEMPER_ORDINARY_LLAMA}},
        {.source = "Y a", .options = {.length = 12, .architecture = TEMPER_ORDINARY_LLAMA, .weights_f16 = 1}},
        {.source = "Y a & O c", .options = {.length = 12, .architecture = TEMPER_ORDINARY_LLAMA}},
    };
    enum { COUNT = sizeof all / sizeof *all };
    if (!test_folder(folder)) return 1;
    for (size_t k = 0; k < COUNT; k++) {
        total.folders++;
        if (!read_all(&all[k])) continue;
        if (k != 1 && k != 5) change_all(&all[k]);
        remove_here();
    }
    for (size_t k = 0; k < COUNT; k++)
        for (size_t d = 1, j; d <= 3; d++)
            if (j = (k + d) % COUNT, all[j].files[CERTIFICATE].data && all[k].files[CERTIFICATE].data)
                exchange(&all[k], &all[j]);
    for (size_t k = 0; k < COUNT; k++) free_all(&all[k]);
    check_digits();
    check_words();
    rmdir(folder);
    printf("%zu folders, %zu changed ones\n", total.folders, total.changed);
    return test_finish("t-audit-ordinary-folder");
}
