/* The safetensors container by itself: sizes of types, orders of tensors, the numbers of F16, lengths of headers at
   their ends, and where a number that is not finite stands. Every file is made here; what it must mean is computed
   from the format's definition. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/tensor_file.h"
#include "test.h"

typedef struct trial {
    char *bytes;
    size_t length;
    tensor_file file;
    arena memory;
    trap trap;
    temper_error error;
} trial;

static const char *const type_names[] = {"BOOL", "U8",  "I8",  "F8_E5M2", "F8_E4M3", "I16", "U16", "F16",
                                         "BF16", "I32", "U32", "F32",     "F64",     "I64", "U64"};
static const size_t type_sizes[] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 8, 8, 8};

/* A file of these bytes; `behind` follows them in memory and does not belong to it. */
static void begin(trial *t, const char *header, size_t header_length, uint64_t said, const void *data, size_t bytes,
                  const char *behind) {
    t->length = 8 + header_length + bytes;
    t->bytes = malloc(t->length + strlen(behind));
    for (int k = 0; k < 8; k++) t->bytes[k] = (char)(said >> (8 * k));
    memcpy(t->bytes + 8, header, header_length);
    if (bytes) memcpy(t->bytes + 8 + header_length, data, bytes);
    memcpy(t->bytes + t->length, behind, strlen(behind));
    t->error = (temper_error){0};
    arena_init(&t->memory, &t->trap);
}

static void end(trial *t) {
    arena_free(&t->memory);
    free(t->bytes);
}

static bool opens(trial *t) {
    if (trap_set(&t->trap, &t->error)) return false;
    tensor_file_open(&t->file, (tensor_source){.bytes = t->bytes, .size = t->length}, &t->memory, &t->trap);
    return true;
}

/* All numbers of the first tensor. */
static bool reads(trial *t, double *out, size_t count) {
    if (trap_set(&t->trap, &t->error)) return false;
    tensor_read(out, &t->file, &t->file.tensors[0], 0, count);
    return true;
}

/* said: the length in the first bytes, as it is if it is WHOLE. */
static const uint64_t WHOLE = UINT64_MAX;
static void check_open(const char *header, uint64_t said, size_t bytes, const char *behind, const char *words) {
    static const char zeros[64];
    trial t;
    begin(&t, header, strlen(header), said == WHOLE ? strlen(header) : said, zeros, bytes, behind);
    bool opened = opens(&t);
    CHECK(words ? !opened && t.error.code == TEMPER_FORMAT && !strcmp(t.error.text, words) : opened, "%s: %s\nnot %s",
          header, opened ? "accepted" : t.error.text, words ? words : "accepted");
    end(&t);
}

/* ---- types ---- */

static void check_types(void) {
    for (size_t k = 0; k < sizeof type_sizes / sizeof *type_sizes; k++) {
        char header[200], words[200];
        size_t bytes = 3 * type_sizes[k];
        CHECK(!strcmp(tensor_type_name((tensor_type)k), type_names[k]) &&
                  tensor_type_size((tensor_type)k) == type_sizes[k],
              "%s", type_names[k]);
        for (int more = -1; more < 2; more++) {
            size_t said = bytes + (size_t)more;
            snprintf(header, sizeof header, "{\"x\":{\"dtype\":\"%s\",\"shape\":[3],\"data_offsets\":[0,%zu]}}",
                     type_names[k], said);
            snprintf(words, sizeof words,
                     "byte 13: tensor 'x': data_offsets: %zu bytes, but shape and dtype make %zu", said, bytes);
            check_open(header, WHOLE, said, "", more ? words : NULL);
        }
    }
}

/* ---- lengths ---- */

static void check_lengths(void) {
    static const char no_brace[] = "byte 8: header: it must begin with {";
    check_open("", 0, 0, "", no_brace);
    check_open("", 0, 0, "{}", no_brace);
    check_open("{", 1, 0, "}", "byte 9: header: expected a key in quotes, found the end of the text");
    check_open("x", 1, 0, "", no_brace);
    check_open("{}", 2, 0, "", NULL);
    check_open("{}", 2, 1, "", "byte 10: the tensors end here, but the file has 11 bytes");
    check_open("{}", 3, 0, "", "byte 0: a header of 3 bytes, but the file has only 10");
    check_open("{}", 100000000, 0, "", "byte 0: a header of 100000000 bytes, but the file has only 10");
    check_open("{}", 100000001, 0, "", "byte 0: a header of 100000001 bytes; the limit is 100000000");
    check_open("{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,1]}}", WHOLE, 1, "",
               "byte 59: tensor 'x': data_offsets: more than two numbers");
    check_open("{\"x\":{\"dtype\":\"nothing\",\"shape\":[1],\"data_offsets\":[0,1]}}", WHOLE, 1, "",
               "byte 22: tensor 'x': dtype: unknown type 'nothing'");
    trial t;
    for (size_t length = 0; length < 8; length++) {
        char words[120];
        begin(&t, "", 0, 0, "", 0, "{}");
        t.length = length;
        snprintf(words, sizeof words, "byte 0: a file of %zu bytes; safetensors begin with a length of 8 bytes",
                 length);
        CHECK(!opens(&t) && !strcmp(t.error.text, words), "%s", t.error.text);
        end(&t);
    }
    /* Whether it looks like one: a brace at byte 8, or a NUL before that. */
    CHECK(is_tensor_file("12345678{", 9) && !is_tensor_file("12345678{", 8) && !is_tensor_file("123456789", 9),
          "a brace");
    CHECK(is_tensor_file("1234567\0", 8) && !is_tensor_file("1234567\0", 7) && is_tensor_file("\0", 1) &&
              !is_tensor_file("\0", 0) && !is_tensor_file("12345678\0", 9),
          "a NUL");
}

/* ---- orders: five tensors, of which two are empty, in every order of their names and of their places ---- */

enum { TENSORS = 5 };

static void put_tensor(char *header, size_t which, const size_t *begins) {
    static const size_t sizes[TENSORS] = {3, 0, 1, 0, 2};
    static const char *const shapes[TENSORS] = {"[3]", "[0,7]", "[]", "[0]", "[2,1]"};
    sprintf(header + strlen(header), "%s\"%c\":{\"dtype\":\"U8\",\"shape\":%s,\"data_offsets\":[%zu,%zu]}",
            header[1] ? "," : "", (int)('p' + which), shapes[which], begins[which], begins[which] + sizes[which]);
}

static void check_order(const size_t *names, const size_t *places) {
    static const size_t sizes[TENSORS] = {3, 0, 1, 0, 2};
    char header[600] = "{";
    size_t begins[TENSORS], at = 0;
    for (int k = 0; k < TENSORS; at += sizes[places[k++]]) begins[places[k]] = at;
    for (int k = 0; k < TENSORS; k++) put_tensor(header, names[k], begins);
    strcat(header, "}");
    trial t;
    begin(&t, header, strlen(header), strlen(header), "abcdef", 6, "");
    if (CHECK(opens(&t), "%s: %s", header, t.error.text))
        for (size_t k = 0; k < TENSORS; k++) {
            char name[3] = {(char)('p' + k), 0, 0};
            const tensor *x = tensor_find(&t.file, name);
            CHECK(x && !strcmp(x->name, name) && x->begin == 8 + strlen(header) + begins[k] &&
                      x->end == x->begin + sizes[k] && tensor_elements(x) == sizes[k],
                  "%s: %s", header, name);
            name[1] = '!';
            CHECK(!tensor_find(&t.file, name), "%s: %s", header, name);
        }
    CHECK(!tensor_find(&t.file, "") && !tensor_find(&t.file, "z"), "%s", header);
    end(&t);
}

static bool next_order(size_t *order) {
    int k = TENSORS - 2, j = TENSORS - 1;
    while (k >= 0 && order[k] > order[k + 1]) k--;
    if (k < 0) return false;
    while (order[j] < order[k]) j--;
    size_t x = order[k];
    order[k] = order[j], order[j] = x;
    for (int a = k + 1, b = TENSORS - 1; a < b; a++, b--) x = order[a], order[a] = order[b], order[b] = x;
    return true;
}

static void check_orders(void) {
    size_t names[TENSORS] = {0, 1, 2, 3, 4}, count = 0;
    do {
        size_t places[TENSORS] = {0, 1, 2, 3, 4};
        do {
            if (count++ % 3 == 0) check_order(names, places);
        } while (next_order(places));
    } while (next_order(names));
    CHECK(count == 120 * 120, "%zu orders", count);
    /* Of two tensors, or keys, with one name the later is refused. */
    check_open("{\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]},"
               "\"x\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}",
               WHOLE, 2, "", "byte 61: tensor 'x': a second tensor of this name");
    check_open("{\"__metadata__\":{\"b\":\"1\",\"a\":\"1\",\"b\":\"2\"}}", WHOLE, 0, "",
               "byte 41: header: __metadata__: a second key 'b'");
    check_open("{\"__metadata__\":{},\"__metadata__\":{}}", WHOLE, 0, "",
               "byte 27: header: a second key '__metadata__'");
}

/* ---- numbers ---- */

/* The value of the bits of an F16, by IEEE 754. */
static double value_of(unsigned bits) {
    double sign = bits & 0x8000 ? -1 : 1, fraction = (bits & 0x3ff) / 1024.0;
    int exponent = (int)(bits >> 10 & 31);
    if (exponent == 31) return fraction > 0 ? NAN : sign * INFINITY;
    return sign * (exponent ? pow(2, exponent - 15) * (1 + fraction) : pow(2, -14) * fraction);
}

static void check_halves(void) {
    static unsigned char data[2 << 16];
    static double out[1 << 16];
    size_t finite = 0;
    char header[100], words[100];
    trial t;
    for (unsigned bits = 0; bits < 1 << 16; bits++) {
        if (!isfinite(value_of(bits))) continue;
        data[2 * finite] = (unsigned char)bits;
        data[2 * finite++ + 1] = (unsigned char)(bits >> 8);
    }
    snprintf(header, sizeof header, "{\"x\":{\"dtype\":\"F16\",\"shape\":[%zu],\"data_offsets\":[0,%zu]}}", finite,
             2 * finite);
    begin(&t, header, strlen(header), strlen(header), data, 2 * finite, "");
    if (CHECK(opens(&t) && reads(&t, out, finite), "%s", t.error.text))
        for (unsigned bits = 0, k = 0; bits < 1 << 16; bits++)
            if (isfinite(value_of(bits))) {
                CHECK(out[k] == value_of(bits) && signbit(out[k]) == signbit(value_of(bits)), "F16 %04x: %a", bits,
                      out[k]);
                k++;
            }
    end(&t);
    static const unsigned wrong[] = {0x7c00, 0xfc00, 0x7c01, 0xffff};
    for (int k = 0; k < 4; k++) {
        const char *one = "{\"x\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}";
        unsigned char pair[4] = {0, 0, (unsigned char)wrong[k], (unsigned char)(wrong[k] >> 8)};
        begin(&t, one, strlen(one), strlen(one), pair, 4, "");
        snprintf(words, sizeof words, "byte %zu: tensor 'x': element [1] is %s", 8 + strlen(one) + 2,
                 k < 2 ? "infinite" : "not a number");
        CHECK(opens(&t) && !reads(&t, out, 2) && !strcmp(t.error.text, words), "%s\nnot %s", t.error.text, words);
        end(&t);
    }
}

/* The index of a number in a tensor of eight dimensions. */
static void check_index(void) {
    static const int shape[8] = {1, 2, 1, 1, 3, 1, 1, 2};
    const char *header = "{\"x\":{\"dtype\":\"F64\",\"shape\":[1,2,1,1,3,1,1,2],\"data_offsets\":[0,96]}}";
    for (int at = 0; at < 12; at++) {
        double numbers[12] = {0}, out[12];
        char words[120], index[60] = "";
        int rest = at, places[8];
        for (int d = 7; d >= 0; d--) places[d] = rest % shape[d], rest /= shape[d];
        for (int d = 0; d < 8; d++) sprintf(index + strlen(index), "%s%d", d ? ", " : "", places[d]);
        numbers[at] = NAN;
        trial t;
        begin(&t, header, strlen(header), strlen(header), numbers, sizeof numbers, "");
        snprintf(words, sizeof words, "byte %zu: tensor 'x': element [%s] is not a number",
                 8 + strlen(header) + 8 * (size_t)at, index);
        CHECK(opens(&t) && !reads(&t, out, 12) && !strcmp(t.error.text, words), "%s\nnot %s", t.error.text, words);
        end(&t);
    }
}

/* ---- what is written: numbers begin at a multiple of 8, and the reader finds what was planned ---- */

static void check_written(void) {
    for (int length = 1; length < 20; length++) {
        static const char zeros[48];
        char name[32] = "nnnnnnnnnnnnnnnnnnnnnnnnn";
        name[length] = 0;
        trial t;
        arena a;
        text out;
        arena_init(&a, &t.trap);
        text_init(&out, &a);
        const tensor_plan plans[] = {{name, TENSOR_F64, 2, {2, 3}}};
        const char *const metadata[] = {"key", "value"};
        tensor_header_print(&out, plans, 1, metadata, 1);
        size_t header = out.length - 8, said = 0;
        for (int k = 0; k < 8; k++) said |= (size_t)(unsigned char)out.data[k] << (8 * k);
        CHECK(said == header && out.length % 8 == 0 && out.length < 130, "a header of %zu bytes, %zu are said",
              header, said);
        begin(&t, out.data + 8, header, said, zeros, 48, "");
        const tensor *x = opens(&t) ? tensor_find(&t.file, name) : NULL;
        CHECK(x && x->rank == 2 && x->shape[0] == 2 && x->shape[1] == 3 && x->type == TENSOR_F64 &&
                  x->begin == out.length,
              "%s: %s", name, t.error.text);
        CHECK(tensor_metadata_find(&t.file, "key") == 0 && tensor_metadata_find(&t.file, "none") < 0, "%s", name);
        end(&t);
        arena_free(&a);
    }
}

int main(void) {
    check_types();
    check_lengths();
    check_orders();
    check_halves();
    check_index();
    check_written();
    return test_finish("t-safetensors-container");
}
