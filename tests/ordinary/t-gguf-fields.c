/* GGUF files by hand, field by field: each is whole, or differs from a whole one in one number, and the byte and the
   words of the refusal are those of the definition in gguf_file.h; files end where a count, a name or an array just
   fits, and one byte before. Then files of ordinary models that say another size, lack a key, or ask for more numbers
   than they have. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "ordinary/files/gguf_write.h"
#include "ordinary/files/ordinary_read.h"
#include "ordinary_random.h"

/* ---- bytes ---- */

typedef struct page {
    unsigned char bytes[140000];
    size_t length;
} page;

static void put(page *p, uint64_t x, size_t bytes) {
    for (size_t k = 0; k < bytes; k++) p->bytes[p->length++] = (unsigned char)(x >> (8 * k));
}

static void put_letters(page *p, const char *letters) {
    memcpy(p->bytes + p->length, letters, strlen(letters));
    p->length += strlen(letters);
}

static void put_string(page *p, const char *s) {
    put(p, strlen(s), 8);
    put_letters(p, s);
}

static void put_header(page *p, uint64_t version, uint64_t tensors, uint64_t keys) {
    p->length = 0;
    put_letters(p, "GGUF");
    put(p, version, 4);
    put(p, tensors, 8);
    put(p, keys, 8);
}

static void put_key(page *p, const char *name, uint64_t type) {
    put_string(p, name);
    put(p, type, 4);
}

static void put_tensor(page *p, const char *name, uint64_t rank, uint64_t size, uint64_t type, uint64_t offset) {
    put_string(p, name);
    put(p, rank, 4);
    for (uint64_t k = 0; k < rank; k++) put(p, k < 3 ? size : 1, 8);
    put(p, type, 4);
    put(p, offset, 8);
}

static void pad(page *p, size_t alignment) {
    while (p->length % alignment) put(p, 0, 1);
}

/* ---- opening ---- */

typedef struct open_call {
    const unsigned char *bytes;
    size_t size;
    void (*look)(const gguf_file *f);
} open_call;

static void open_body(entry *e, void *context) {
    const open_call *c = context;
    gguf_file f;
    gguf_open(&f, c->bytes, c->size, &e->memory);
    if (c->look) c->look(&f);
}

/* In memory that ends where the file does. words NULL: it opens, and `look` looks at it. */
static void check_file(const unsigned char *bytes, size_t size, void (*look)(const gguf_file *), const char *words) {
    unsigned char *copy = malloc(size ? size : 1);
    temper_error e = {0};
    memcpy(copy, bytes, size);
    temper_status s = entry_run(&e, open_body, &(open_call){copy, size, look});
    CHECK(words ? s != TEMPER_OK && !strcmp(e.text, words) : s == TEMPER_OK, "%s\nnot %s",
          s == TEMPER_OK ? "accepted" : e.text, words ? words : "accepted");
    free(copy);
}

static void check(const page *p, const char *words) { check_file(p->bytes, p->length, NULL, words); }

static const char *words_of(const char *format, size_t x, size_t y) {
    static char words[160];
    snprintf(words, sizeof words, format, x, y);
    return words;
}

static void check_header(void) {
    static page p;
    CHECK(is_gguf_file("GGUF", 4) && !is_gguf_file("GGUF", 3) && !is_gguf_file("GGUX", 4) &&
              !is_gguf_file("XGUF", 4) && is_gguf_file("GGUFx", 5) && !is_gguf_file("", 0),
          "what a file begins with");
    check_file((const unsigned char *)"GGUX", 4, NULL, "byte 0: no GGUF file: it does not begin with 'GGUF'");
    check_file((const unsigned char *)"GGUF", 4, NULL, "byte 4: the file ends inside the version");
    put_header(&p, 2, 0, 0);
    check(&p, "byte 4: version 2 of GGUF; only 3 is known here");
    put_header(&p, 4, 0, 0);
    check(&p, "byte 4: version 4 of GGUF; only 3 is known here");
    put_header(&p, 3, 0, 0);
    for (p.length = 24; p.length < 32; p.bytes[p.length++] = 0)
        check(&p, words_of("byte %zu: the file ends inside padding", p.length, 0));
    check(&p, NULL);
    p.bytes[31] = 1;
    check(&p, "byte 31: padding that is not 0");
    p.bytes[31] = 0;
    put(&p, 0, 1);
    check(&p, "byte 32: 1 bytes behind the last tensor");
    put_header(&p, 3, 100000, 0);
    check(&p, "byte 8: more tensors than the file has room for");
    put_header(&p, 3, 100001, 0);
    check(&p, "100001 tensors and 0 keys; at most 100000 and 4096 are allowed");
    put_header(&p, 3, 0, 4096);
    check(&p, "byte 16: more keys than the file has room for");
    put_header(&p, 3, 0, 4097);
    check(&p, "0 tensors and 4097 keys; at most 100000 and 4096 are allowed");
}

/* The least key: its name of one byte ends at byte 33, its type at 37. */
static void check_values(void) {
    static page p;
    static const struct {
        uint64_t type, value;
        const char *words;
    } values[] = {{7, 0, NULL},
                  {7, 1, NULL},
                  {7, 2, "byte 37: a Boolean that is 2"},
                  {7, 255, "byte 37: a Boolean that is 255"},
                  {6, 0x7f7fffff, NULL},
                  {6, 0x7f800000, "byte 37: a number that is not finite"},
                  {6, 0xff800000, "byte 37: a number that is not finite"},
                  {6, 0x7f800001, "byte 37: a number that is not finite"},
                  {4, 0x7f800000, NULL},
                  {5, 0xffffffff, NULL},
                  {3, 0, "byte 33: type 3 of a value, which is not known here"},
                  {10, 0, "byte 33: type 10 of a value, which is not known here"}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        size_t size = values[k].type == 7 ? 1 : 4;
        put_header(&p, 3, 0, 1);
        put_key(&p, "k", values[k].type);
        put(&p, values[k].value, size);
        check(&p,
              values[k].words ? values[k].words : words_of("byte %zu: the file ends inside padding", 37 + size, 0));
        pad(&p, 32);
        check(&p, values[k].words);
    }
    put_header(&p, 3, 0, 1);
    put_key(&p, "k", 7); /* 13 bytes, of 14 that the least key has */
    check(&p, "byte 16: more keys than the file has room for");
    put_header(&p, 3, 0, 1);
    put_key(&p, "k", 8);
    put_string(&p, "abcde");
    check(&p, "byte 50: the file ends inside padding");
    p.bytes[37] = 6;
    check(&p, "byte 37: a string of 6 bytes, but the file has only 5 more");
    put_header(&p, 3, 0, 2);
    for (int k = 0; k < 2; k++) put_key(&p, "a key", 7), put(&p, 0, 1);
    check(&p, "byte 42: a second key 'a key'");
}

/* Arrays of three, of one more, and without their last byte. */
static void check_arrays(void) {
    static const size_t sizes[] = {4, 4, 4, 1, 8}; /* of the types 4 to 8 */
    static page p;
    for (size_t type = 4; type < 9; type++) {
        size_t bytes = 3 * sizes[type - 4];
        put_header(&p, 3, 0, 1);
        put_key(&p, "k", 9);
        put(&p, type, 4);
        put(&p, 3, 8);
        put(&p, 0, bytes > 8 ? 8 : bytes);
        while (p.length < 49 + bytes) put(&p, 0, 1);
        check(&p, words_of("byte %zu: the file ends inside padding", 49 + bytes, 0));
        p.bytes[41] = 4;
        check(&p, words_of("byte 41: an array of 4, but the file has only %zu more bytes", bytes, 0));
        p.bytes[41] = 3;
        p.length--;
        check(&p, words_of("byte 41: an array of 3, but the file has only %zu more bytes", bytes - 1, 0));
    }
    put_header(&p, 3, 0, 1);
    put_key(&p, "k", 9);
    put(&p, 9, 4);
    put(&p, 0, 8);
    check(&p, "byte 37: type 9 of a value in an array, which is not known here");
}

static void check_names(void) {
    static page p;
    static char name[65600];
    for (size_t more = 0; more < 2; more++) {
        memset(name, 'n', sizeof name);
        name[65535 + more] = 0;
        put_header(&p, 3, 0, 1);
        put_key(&p, name, 7);
        put(&p, 0, 1);
        pad(&p, 32);
        check(&p, more ? "byte 24: a key of 65536 bytes; at most 65535 are allowed" : NULL);
        name[63 + more] = 0;
        put_header(&p, 3, 1, 0);
        put_tensor(&p, name, 1, 8, 0, 0);
        pad(&p, 32);
        put(&p, 0, 8);
        pad(&p, 32);
        check(&p, more ? "byte 24: a tensor's name of 64 bytes; at most 63 are allowed" : NULL);
    }
}

/* ---- tensors ---- */

static void look_at_one(const gguf_file *f) {
    const gguf_tensor *t = gguf_tensor_find(f, "t");
    if (!CHECK(f->tensor_count == 1 && t && t->rank == 4, "one tensor of rank 4")) return;
    CHECK(t->shape[0] == 2 && t->shape[1] == 2 && t->shape[2] == 2 && t->shape[3] == 1 && t->elements == 8 &&
              t->begin == 96 && t->at == 24 && !gguf_tensor_find(f, "u"),
          "a tensor at %zu", t->begin);
    for (uint64_t k = 0; k < 8; k++)
        CHECK(gguf_number(f, t, k) == (float)(1 + k) / 4, "number %d is %g", (int)k, (double)gguf_number(f, t, k));
}

/* Two halves; the byte behind each is not 0. */
static void look_at_halves(const gguf_file *f) {
    const gguf_tensor *t = gguf_tensor_find(f, "t");
    if (CHECK(t && t->elements == 3, "three halves"))
        CHECK(gguf_number(f, t, 0) == 1.5F && gguf_number(f, t, 1) == -1.5F && gguf_number(f, t, 2) == 65504,
              "%g %g %g", (double)gguf_number(f, t, 0), (double)gguf_number(f, t, 1), (double)gguf_number(f, t, 2));
}

/* Values that end where the file does. */
static void look_at_number(const gguf_file *f) {
    CHECK(gguf_u32(f, "a key with twenty-four b") == 0x87654321, "%x", gguf_u32(f, "a key with twenty-four b"));
}

static void look_at_array(const gguf_file *f) {
    const gguf_key *k = gguf_array(f, "four", GGUF_INT32);
    CHECK(k->count == 3 && gguf_int_at(f, k, 0) == 7 && gguf_int_at(f, k, 1) == -1 &&
              gguf_int_at(f, k, 2) == INT32_MIN,
          "%d %d", gguf_int_at(f, k, 0), gguf_int_at(f, k, 2));
}

static void look_at_last_half(const gguf_file *f) {
    CHECK(gguf_number(f, &f->tensors[0], 15) == -2, "%g", (double)gguf_number(f, &f->tensors[0], 15));
}

static void check_ends(void) {
    static page p;
    put_header(&p, 3, 0, 1);
    put_key(&p, "a key with twenty-four b", 4);
    put(&p, 0x87654321, 4);
    check_file(p.bytes, p.length, look_at_number, NULL);
    put_header(&p, 3, 0, 1);
    put_key(&p, "four", 9);
    put(&p, 5, 4);
    put(&p, 3, 8);
    put(&p, 0xffffffff00000007, 8);
    put(&p, 0x80000000, 4);
    check_file(p.bytes, p.length, look_at_array, NULL);
    put_header(&p, 3, 1, 0);
    put_tensor(&p, "t", 1, 16, 1, 0);
    pad(&p, 32);
    for (int k = 0; k < 16; k++) put(&p, 0xc000, 2);
    check_file(p.bytes, p.length, look_at_last_half, NULL);
}

static void check_tensors(void) {
    static page p;
    put_header(&p, 3, 1, 0);
    put_tensor(&p, "t", 4, 2, 0, 0);
    pad(&p, 32);
    for (int k = 1; k <= 8; k++) { /* the last number ends the file */
        float x = (float)k / 4;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        put(&p, bits, 4);
    }
    check_file(p.bytes, p.length, look_at_one, NULL);
    p.bytes[33] = 5;
    check(&p, "byte 33: a tensor of rank 5");
    p.bytes[33] = 0;
    check(&p, "byte 33: a tensor of rank 0");
    put_header(&p, 3, 1, 0);
    put_tensor(&p, "t", 1, 3, 1, 0);
    pad(&p, 32);
    put(&p, 0x7bffbe003e00, 6);
    pad(&p, 32);
    check_file(p.bytes, p.length, look_at_halves, NULL);
    put_header(&p, 3, 1, 0);
    put_tensor(&p, "t", 1, 1, 0, 0); /* 33 bytes, the least that a tensor has */
    check(&p, "byte 57: the file ends inside padding");
    p.length--;
    check(&p, "byte 8: more tensors than the file has room for");
    put_header(&p, 3, 2, 0);
    for (int k = 0; k < 2; k++) put_tensor(&p, "twice", 1, 1, 0, 0);
    check(&p, "byte 61: a second tensor 'twice'");
    for (size_t more = 0; more < 2; more++) { /* 96 bytes would be 48 halves */
        put_header(&p, 3, 1, 0);
        put_tensor(&p, "t", 1, 48 + more, 1, 0);
        pad(&p, 32);
        put(&p, 0, 8);
        pad(&p, 32);
        check(&p, more ? "byte 37: a tensor with more numbers than the file has room for"
                       : "byte 64: the file ends inside tensor 't'");
    }
}

static void check_alignment(void) {
    static page p;
    static const size_t alignments[] = {8, 16, 65536, 4, 12, 131072, 0};
    for (size_t k = 0; k < sizeof alignments / sizeof *alignments; k++) {
        bool fits = k < 3;
        put_header(&p, 3, 1, 1);
        put_key(&p, "general.alignment", 4);
        put(&p, alignments[k], 4);
        put_tensor(&p, "t", 1, 1, 0, 0);
        pad(&p, fits ? alignments[k] : 32);
        put(&p, 0, 4);
        pad(&p, fits ? alignments[k] : 32);
        check(&p, fits ? NULL
                       : words_of("byte 53: an alignment of %zu: a power of two from 8 to 65536 is expected",
                                  alignments[k], 0));
        if (fits) p.length -= 4, check(&p, words_of("byte %zu: the file ends inside padding", p.length, 0));
    }
}

/* ---- files of ordinary models ---- */

typedef struct ordinary_call {
    const unsigned char *bytes;
    size_t size;
} ordinary_call;

static void read_body(entry *e, void *context) {
    const ordinary_call *c = context;
    gguf_file f;
    struct ordinary_file s;
    gguf_open(&f, c->bytes, c->size, &e->memory);
    ordinary_read(&s, &f, &e->memory);
}

static void check_ordinary(const unsigned char *bytes, size_t size, const char *words) {
    unsigned char *copy = malloc(size);
    temper_error e = {0};
    memcpy(copy, bytes, size);
    temper_status s = entry_run(&e, read_body, &(ordinary_call){copy, size});
    CHECK(words ? (s == TEMPER_FORMAT || s == TEMPER_UNSUPPORTED) && strstr(e.text, words) : s == TEMPER_OK,
          "%s\nnot %s", s == TEMPER_OK ? "accepted" : e.text, words ? words : "accepted");
    free(copy);
}

/* Before the value come the name with its length, the type, and of an array its elements' type and their number. */
static size_t begin_of(const gguf_key *k) { return k->at - 12 - strlen(k->name) - (k->type == GGUF_ARRAY ? 12 : 0); }

/* The same file with key `without` left out: keys, then the rest as it was. */
static void check_without(const gguf_file *f, size_t without) {
    static page p;
    char words[160];
    put_header(&p, 3, f->tensor_count, f->key_count - 1);
    for (size_t k = 0; k < f->key_count; k++) {
        size_t begin = begin_of(&f->keys[k]),
               end = k + 1 < f->key_count ? begin_of(&f->keys[k + 1]) : f->tensors[0].at;
        if (k == without) continue;
        memcpy(p.bytes + p.length, f->bytes + begin, end - begin);
        p.length += end - begin;
    }
    const gguf_tensor *last = &f->tensors[f->tensor_count - 1];
    size_t end = last->at + 24 + strlen(last->name) + 8 * last->rank;
    memcpy(p.bytes + p.length, f->bytes + f->tensors[0].at, end - f->tensors[0].at);
    p.length += end - f->tensors[0].at;
    pad(&p, 32);
    memcpy(p.bytes + p.length, f->bytes + f->tensors[0].begin, f->size - f->tensors[0].begin);
    p.length += f->size - f->tensors[0].begin;
    snprintf(words, sizeof words, "this GGUF file is not one that temper writes: key %zu is not '%s'", without + 1,
             f->keys[without].name);
    check_ordinary(p.bytes, p.length, words);
}

/* The file with other numbers under some keys. */
static void check_sizes(const gguf_file *f, const char *keys, uint32_t x, const char *words) {
    unsigned char *copy = malloc(f->size);
    memcpy(copy, f->bytes, f->size);
    for (size_t k = 0; k < f->key_count; k++) {
        const char *dot = strchr(f->keys[k].name, '.');
        if (!dot || !strstr(keys, dot)) continue;
        for (int b = 0; b < 4; b++) copy[f->keys[k].at + (size_t)b] = (unsigned char)(x >> (8 * b));
    }
    check_ordinary(copy, f->size, words);
    free(copy);
}

/* As many hidden units as half of the file's bytes have numbers for, and one more. */
static void check_room(const gguf_file *f, const struct ordinary_model *m) {
    bool is_llama = m->architecture == ORDINARY_LLAMA;
    size_t wide = (size_t)m->heads * m->head_size, each = (is_llama ? 3u : 2u) * m->width * m->layer_count;
    size_t rest = 2 * (size_t)m->vocabulary * m->width + m->layer_count * 4 * wide * m->width +
                  (is_llama ? 0 : (size_t)m->positions * m->width);
    size_t most = (f->size / 2 - rest) / each;
    if (!is_llama) CHECK(most * each + rest == f->size / 2, "%zu numbers, not %zu", most * each + rest, f->size / 2);
    check_sizes(f, ".feed_forward_length", (uint32_t)most, " is expected");
    check_sizes(f, ".feed_forward_length", (uint32_t)most + 1,
                "the sizes of the model ask for more numbers than the file has");
}

static struct ordinary_model *make_small(test_random *r, bool llama, arena *a) {
    struct ordinary_model *m = ordinary_random(r, llama ? ORDINARY_LLAMA : ORDINARY_GPT2, llama, NULL, a);
    m->positions = 4;
    m->heads = 1;
    m->head_size = m->width = m->hidden = 2;
    m->layer_count = 1;
    return m;
}

static void check_models(entry *e, void *context) {
    test_random *r = context;
    for (int llama = 0; llama < 2; llama++) {
        struct ordinary_model *m = make_small(r, llama, &e->memory);
        text t;
        gguf_file f;
        text_init(&t, &e->memory);
        gguf_print(&t, m, ordinary_tokens_make(m, &e->memory), "small", false);
        gguf_open(&f, t.data, t.length, &e->memory);
        check_ordinary(f.bytes, f.size, NULL);
        for (size_t k = 0; k < f.key_count; k++) check_without(&f, k);
        static const char bad[] = "this GGUF file is not one that temper writes: a size that no model has";
        check_sizes(&f, ".context_length", 0, bad);
        check_sizes(&f, ".context_length", (1 << 20) + 1, bad);
        check_sizes(&f, ".context_length", 1 << 20,
                    llama ? NULL : "the sizes of the model ask for more numbers than the file has");
        check_sizes(&f, ".file_type", 2, "this GGUF file is not one that temper writes: neither f32 nor f16");
        check_sizes(&f, ".file_type", 1, " is expected");
        check_sizes(&f, ".attention.key_length .attention.value_length .rope.dimension_count", 3, bad);
        check_sizes(&f, ".attention.key_length .attention.value_length .rope.dimension_count", 4,
                    llama ? " is expected" : "a GPT-2 whose 1 heads of 4 do not make its width of 2");
        check_sizes(&f, ".vocab_size", 2, bad);
        check_sizes(&f, ".vocab_size", 3,
                    "this GGUF file is not one that temper writes: a vocabulary of another size");
        check_room(&f, m);
    }
    /* Of halves, with so many letters that nearly all of the file is the embedding and the output. */
    enum { LETTERS = 200 };
    static char names[LETTERS][8];
    const char *tokens[LETTERS + 1] = {0};
    for (int k = 0; k < LETTERS; k++) sprintf(names[k], "w%d", k), tokens[k] = names[k];
    struct ordinary_model *m = ordinary_random(r, ORDINARY_GPT2, false, tokens, &e->memory);
    m->hidden = m->layer_count = 1;
    ordinary_round(m);
    text t;
    text_init(&t, &e->memory);
    gguf_print(&t, m, ordinary_tokens_make(m, &e->memory), "", true);
    check_ordinary((const unsigned char *)t.data, t.length, NULL);
}

int main(void) {
    temper_error e;
    test_random r = test_seed(2020);
    check_header();
    check_values();
    check_arrays();
    check_names();
    check_tensors();
    check_ends();
    check_alignment();
    CHECK(entry_run(&e, check_models, &r) == TEMPER_OK, "%s", e.text);
    return test_finish("t-gguf-fields");
}
