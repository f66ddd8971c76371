/* GGUF files: what is written is read back; a file cut short or with one bit changed is refused, or is another file
   that the writer makes, so that no byte is ignored; hostile files are refused, and say at which byte. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/entry.h"
#include "ordinary/files/gguf_write.h"
#include "ordinary/files/ordinary_read.h"
#include "ordinary/files/ordinary_tensors.h"
#include "ordinary_random.h"

typedef struct attempt {
    const char *bytes;
    size_t size;
    bool again; /* writes what was read, and compares */
    bool same;
} attempt;

static void read_back(entry *e, void *context) {
    attempt *x = context;
    gguf_file f;
    struct ordinary_file s;
    gguf_open(&f, x->bytes, x->size, &e->memory);
    ordinary_read(&s, &f, &e->memory);
    text t;
    text_init(&t, &e->memory);
    gguf_print(&t, s.model, ordinary_tokens_make(s.model, &e->memory), s.name, s.as_f16);
    x->same = t.length == x->size && memcmp(t.data, x->bytes, x->size) == 0;
}

/* A copy of its own size, so that a sanitizer sees every byte read beyond it. */
static temper_status try_bytes(attempt *x, const char *bytes, size_t size, temper_error *err) {
    char *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    *x = (attempt){.bytes = copy, .size = size};
    temper_status status = entry_run(err, read_back, x);
    free(copy);
    return status;
}

static bool is_refusal(temper_status s) { return s == TEMPER_FORMAT || s == TEMPER_LIMIT || s == TEMPER_UNSUPPORTED; }

/* ---- equal models ---- */

static void check_same(const struct ordinary_model *m, const struct ordinary_model *back, arena *a, int number) {
    ordinary_tensors x = ordinary_tensors_make(m, ORDINARY_GGUF, a),
                     y = ordinary_tensors_make(back, ORDINARY_GGUF, a);
    CHECK(x.count == y.count && m->positions == back->positions && m->vocabulary == back->vocabulary &&
              m->rope_base == back->rope_base && (float)m->epsilon == (float)back->epsilon,
          "model %d: sizes", number);
    for (size_t k = 0; k < x.count && k < y.count; k++)
        for (uint32_t p = 0; p < x.all[k].part_count; p++) {
            const float *u = x.all[k].parts[p], *v = y.all[k].parts[p];
            size_t bytes = (size_t)x.all[k].rows * x.all[k].columns * sizeof *u;
            CHECK(!u == !v && (!u || memcmp(u, v, bytes) == 0), "model %d: %s", number, x.all[k].name);
        }
    CHECK(m->words == back->words && (!m->words || m->letters == back->letters), "model %d: letters", number);
    for (uint32_t k = 0; k < m->vocabulary; k++)
        CHECK(strcmp(m->tokens[k], back->tokens[k]) == 0, "model %d: token %u", number, k);
}

static const char *const alphabets[][6] = {
    {"a", "b", "c", NULL},
    {"\xce\xb1", "\xf0\x9f\x8d\x8e", " ", "\n", NULL}, /* two bytes, four, a blank, a line's end */
    {"req", "ack", "r", "\xe6\xbc\xa2\xe6\xbc\xa2", NULL},
};

static struct ordinary_model *make_model(test_random *r, int k, arena *a) {
    struct ordinary_model *m =
        ordinary_random(r, k % 3 ? ORDINARY_LLAMA : ORDINARY_GPT2, k % 3 == 2, alphabets[k / 3 % 3], a);
    if (k / 9 % 2) ordinary_round(m);
    if (k % 2) m->letters--; /* the last token is only written */
    return m;
}

static void print_model(text *out, const struct ordinary_model *m, int k) {
    gguf_print(out, m, ordinary_tokens_make(m, out->arena), "round", k / 9 % 2);
}

static void test_round_trip(entry *e, void *context) {
    test_random *r = context;
    for (int k = 0; k < 18; k++) {
        struct ordinary_model *m = make_model(r, k, &e->memory);
        text t, again;
        gguf_file f;
        struct ordinary_file s;
        text_init(&t, &e->memory);
        text_init(&again, &e->memory);
        print_model(&t, m, k);
        print_model(&again, m, k);
        CHECK(t.length == again.length && memcmp(t.data, again.data, t.length) == 0, "model %d: other bytes", k);
        gguf_open(&f, t.data, t.length, &e->memory);
        ordinary_read(&s, &f, &e->memory);
        check_same(m, s.model, &e->memory, k);
        CHECK(strcmp(s.name, "round") == 0 && s.as_f16 == (k / 9 % 2), "model %d: name and type", k);
    }
}

/* ---- small files, whole ---- */

/* The least that the writer makes, so that all prefixes and all bits can be tried. */
static struct ordinary_model *make_small(test_random *r, int k, arena *a) {
    struct ordinary_model *m = ordinary_random(r, k == 0 ? ORDINARY_GPT2 : ORDINARY_LLAMA, k == 2, alphabets[k], a);
    m->positions = 3;
    m->heads = k == 0 ? 1 : 2;
    m->head_size = 2;
    m->width = k == 0 ? 2 : 4;
    m->hidden = 2;
    m->layer_count = 1;
    if (k == 1) ordinary_round(m);
    return m;
}

static void print_small(text *out, test_random *r, int k) {
    struct ordinary_model *m = make_small(r, k, out->arena);
    gguf_print(out, m, ordinary_tokens_make(m, out->arena), "small", k == 1);
}

static void test_damage(entry *e, void *context) {
    test_random *r = context;
    for (int k = 0; k < 3; k++) {
        text t;
        attempt x;
        temper_error err;
        text_init(&t, &e->memory);
        print_small(&t, r, k);
        CHECK(try_bytes(&x, t.data, t.length, &err) == TEMPER_OK && x.same, "file %d is not read: %s", k, err.text);
        for (size_t n = 0; n < t.length; n++)
            CHECK(is_refusal(try_bytes(&x, t.data, n, &err)), "file %d, its first %zu bytes", k, n);
        for (size_t bit = 0; bit < 8 * t.length; bit++) {
            t.data[bit / 8] ^= (char)(1 << bit % 8);
            temper_status s = try_bytes(&x, t.data, t.length, &err);
            CHECK(is_refusal(s) || (s == TEMPER_OK && x.same), "file %d, bit %zu: %s", k, bit,
                  s == TEMPER_OK ? "read, but not all of it" : err.text);
            t.data[bit / 8] ^= (char)(1 << bit % 8);
        }
        text longer;
        text_init(&longer, &e->memory);
        text_add(&longer, t.data, t.length);
        for (int more = 1; more <= 64; more++) {
            text_putc(&longer, 0);
            CHECK(is_refusal(try_bytes(&x, longer.data, longer.length, &err)), "file %d, %d bytes more", k, more);
        }
    }
}

/* ---- hostile files ---- */

static void put(text *t, uint64_t x, size_t bytes) {
    for (size_t k = 0; k < bytes; k++) text_putc(t, (char)(x >> (8 * k)));
}

static void put_name(text *t, const char *s) {
    put(t, strlen(s), 8);
    text_puts(t, s);
}

/* A header, one key of a type with eight bytes behind it, one tensor. Each argument can be wrong. */
typedef struct forged {
    uint64_t version, tensors, keys, key_length, type, value, rank, size, tensor_type, offset;
} forged;

static const forged honest = {3, 1, 1, 1, 8, 0, 1, 8, 0, 0};

static void print_forged(text *t, const forged *x) {
    text_puts(t, "GGUF");
    put(t, x->version, 4);
    put(t, x->tensors, 8);
    put(t, x->keys, 8);
    put(t, x->key_length, 8);
    text_puts(t, "k");
    put(t, x->type, 4);
    put(t, x->value, 8);
    put_name(t, "t");
    put(t, x->rank, 4);
    for (uint64_t k = 0; k < (x->rank < 5 ? x->rank : 1); k++) put(t, x->size, 8);
    put(t, x->tensor_type, 4);
    put(t, x->offset, 8);
    while (t->length % 32) text_putc(t, 0);
    for (int k = 0; k < 32; k++) text_putc(t, 0);
}

typedef struct bare_call {
    const char *bytes;
    size_t size;
} bare_call;

static void open_only(entry *e, void *context) {
    const bare_call *c = context;
    gguf_file f;
    gguf_open(&f, c->bytes, c->size, &e->memory);
}

static void refuse_forged(arena *a, const forged *x, const char *what, uint64_t number) {
    text t;
    temper_error err;
    text_init(&t, a);
    print_forged(&t, x);
    char *copy = malloc(t.length);
    memcpy(copy, t.data, t.length);
    temper_status s = entry_run(&err, open_only, &(bare_call){copy, t.length});
    CHECK(is_refusal(s), "%s %llu is not refused", what, (unsigned long long)number);
    free(copy);
}

static void test_forged(entry *e, void *context) {
    (void)context;
    static const uint64_t large[] = {2,          9,          64,         1000,       65536,      (uint64_t)1 << 20,
                                     1ull << 31, 1ull << 32, 1ull << 33, 1ull << 40, 1ull << 60, 1ull << 61,
                                     1ull << 62, 1ull << 63, ~0ull,      ~0ull - 7,  ~0ull >> 1, ~0ull / 4,
                                     ~0ull / 8,  ~0ull - 31, 1ull << 59, 3ull << 61, 0x100000001};
    text t;
    temper_error err;
    text_init(&t, &e->memory);
    print_forged(&t, &honest);
    CHECK(entry_run(&err, open_only, &(bare_call){t.data, t.length}) == TEMPER_OK, "the honest one: %s", err.text);
    size_t kinds = 0;
    for (size_t k = 0; k < sizeof large / sizeof *large; k++) {
        forged x = honest;
#define FORGE(field) (x = honest, x.field = large[k], refuse_forged(&e->memory, &x, #field, large[k]), kinds++)
        FORGE(tensors);
        FORGE(keys);
        FORGE(key_length);
        FORGE(value);
        if (large[k] > 8) FORGE(size); /* what fits into the padding is a tensor */
        FORGE(offset);
        if ((uint32_t)large[k]) {
            FORGE(version);
            if ((uint32_t)large[k] != 1) FORGE(tensor_type);
        }
        /* As an array of strings, and of numbers: its length is what the eight bytes behind say. */
        x = honest;
        x.type = 9;
        x.value = large[k] << 32 | 8;
        refuse_forged(&e->memory, &x, "array", large[k]);
        kinds++;
    }
    static const uint64_t types[] = {0, 1, 2, 3, 10, 11, 12, 13, 255};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++, kinds++) {
        forged x = honest;
        x.type = types[k];
        refuse_forged(&e->memory, &x, "type", types[k]);
    }
    static const uint64_t ranks[] = {0, 5, 6, 255, 0xffffffff};
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++, kinds++) {
        forged x = honest;
        x.rank = ranks[k];
        refuse_forged(&e->memory, &x, "rank", ranks[k]);
    }
    /* Products of sizes that overflow to something small. */
    for (uint64_t rank = 2; rank <= 4; rank++)
        for (int bits = 15; bits < 64; bits++, kinds++) {
            forged x = honest;
            x.rank = rank;
            x.size = 1ull << bits;
            refuse_forged(&e->memory, &x, "sizes of 2 to the power of", (uint64_t)bits);
        }
    CHECK(kinds >= 100, "only %zu kinds", kinds);
}

/* Names twice, names without letters, text that is not UTF-8, padding that is not 0, numbers that are not finite. */
static void test_contents(entry *e, void *context) {
    test_random *r = context;
    static const struct {
        const char *from, *to;
    } changes[] = {
        {"blk.0.attn_q.weight", "blk.0.attn_k.weight"},
        {"output_norm.weight", "output_norm.weighs"},
        {"token_embd.weight", "token_embd.w\xff"
                              "ight"},
        {"token_embd.weight", "token_embd.w\0ight"},
        {"general.name", "general.nam\xc3"},
        {"general.name", "llama.blocks"},
        {"general.file_type", "general.file_typo"},
        {"llama.vocab_size", "llama.vocab_seze"},
        {"llama.block_count", "gpt2x.block_count"},
        {"general.architecture", "general.architectura"},
        {"tokenizer.ggml.scores", "tokenizer.ggml.scorez"},
        {"tokenizer.ggml.precompiled_charsmap", "tokenizer.ggml.precompiled_charsmaq"},
        {"<s>\xe2\x96\x81", "<x>\xe2\x96\x81"}, /* a name of its own could be a letter to tokenizers */
        {"</s>\xe2\x96\x81", "zzzz\xe2\x96\x81"},
        {"<dead>\xe2\x96\x81", "<dear>\xe2\x96\x81"},
    };
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        text t;
        attempt x;
        temper_error err;
        size_t length = strlen(changes[k].from);
        text_init(&t, &e->memory);
        print_small(&t, r, 1);
        char *at = memmem(t.data, t.length, changes[k].from, length);
        if (!CHECK(at != NULL, "%s is not in the file", changes[k].from)) continue;
        memcpy(at, changes[k].to, length);
        CHECK(is_refusal(try_bytes(&x, t.data, t.length, &err)), "%s instead of %s", changes[k].to, changes[k].from);
    }
    for (size_t k = 0; k < 4; k++) { /* infinities and NaN in the last tensor, which is f32 in the first file */
        static const uint32_t bad[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001};
        text t;
        attempt x;
        temper_error err;
        text_init(&t, &e->memory);
        print_small(&t, r, 0);
        size_t output = (size_t)(3 + 3) * 2 * 4; /* [vocabulary][width] */
        size_t begin = t.length - (output + 31) / 32 * 32;
        for (int b = 0; b < 4; b++) t.data[begin + (size_t)b] = (char)(bad[k] >> (8 * b));
        CHECK(is_refusal(try_bytes(&x, t.data, t.length, &err)) && strstr(err.text, "finite"), "a number %x: %s",
              bad[k], err.text);
    }
}

static void run(const char *what, void (*body)(entry *, void *), test_random *r) {
    temper_error err;
    CHECK(entry_run(&err, body, r) == TEMPER_OK, "%s: %s", what, err.text);
}

int main(void) {
    test_random r = test_seed(1616);
    run("round trip", test_round_trip, &r);
    run("damage", test_damage, &r);
    run("forged", test_forged, &r);
    run("contents", test_contents, &r);
    return test_finish("t-gguf");
}
