#include "ordinary/files/gguf_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/table.h"
#include "number/format.h"

enum { VERSION = 3, DEFAULT_ALIGNMENT = 32, LEAST_ALIGNMENT = 8, MOST_ALIGNMENT = 65536 };

bool is_gguf_file(const char *bytes, size_t length) { return length >= 4 && memcmp(bytes, "GGUF", 4) == 0; }

_Noreturn void gguf_fail(const gguf_file *f, size_t at, const char *format, ...) {
    char words[400];
    va_list arguments;
    va_start(arguments, format);
    print_list(words, sizeof words, format, arguments);
    va_end(arguments);
    trap_raise(f->arena->trap, TEMPER_FORMAT, 0, 0, "byte %zu: %s", at, words);
}

/* ---- a cursor that cannot leave the file ---- */

typedef struct cursor {
    const gguf_file *f;
    size_t at;
} cursor;

static size_t left(const cursor *c) { return c->f->size - c->at; }

static uint64_t bits_at(const gguf_file *f, size_t at, size_t bytes) {
    uint64_t x = 0;
    for (size_t k = 0; k < bytes; k++) x |= (uint64_t)f->bytes[at + k] << (8 * k);
    return x;
}

static uint64_t take(cursor *c, size_t bytes, const char *what) {
    if (left(c) < bytes) gguf_fail(c->f, c->at, "the file ends inside %s", what);
    uint64_t x = bits_at(c->f, c->at, bytes);
    c->at += bytes;
    return x;
}

static const char *shown(const gguf_file *f, size_t at, size_t length) {
    return text_escaped(f->arena, (const char *)f->bytes + at, length, 60);
}

/* A string of UTF-8; its length, and the cursor behind it. */
static size_t take_string(cursor *c, const char *what) {
    size_t begin = c->at;
    uint64_t length = take(c, 8, what);
    if (length > left(c))
        gguf_fail(c->f, begin, "%s of %llu bytes, but the file has only %zu more", what, (unsigned long long)length,
                  left(c));
    for (size_t k = 0; k < length;) {
        uint32_t code;
        size_t size = utf8_decode(&code, (const char *)c->f->bytes + c->at + k, (size_t)length - k);
        if (!size) gguf_fail(c->f, c->at + k, "%s that is not UTF-8", what);
        if (!code) gguf_fail(c->f, c->at + k, "%s with a NUL byte", what);
        k += size;
    }
    c->at += (size_t)length;
    return (size_t)length;
}

static const char *take_name(cursor *c, size_t most, const char *what) {
    size_t begin = c->at, length = take_string(c, what);
    if (!length) gguf_fail(c->f, begin, "%s without a letter", what);
    if (length > most) gguf_fail(c->f, begin, "%s of %zu bytes; at most %zu are allowed", what, length, most);
    return arena_copy(c->f->arena, (const char *)c->f->bytes + c->at - length, length);
}

/* ---- keys ---- */

static gguf_type take_type(cursor *c, bool in_array) {
    size_t at = c->at;
    uint64_t type = take(c, 4, "a type");
    bool is_known = (type == GGUF_UINT8 && in_array) || type == GGUF_UINT32 || type == GGUF_INT32 ||
                    type == GGUF_FLOAT32 || type == GGUF_BOOL || type == GGUF_STRING ||
                    (type == GGUF_ARRAY && !in_array);
    if (!is_known)
        gguf_fail(c->f, at, "type %llu of a value%s, which is not known here", (unsigned long long)type,
                  in_array ? " in an array" : "");
    return (gguf_type)type;
}

static void check_bool(const gguf_file *f, size_t at) {
    if (f->bytes[at] > 1) gguf_fail(f, at, "a Boolean that is %u", f->bytes[at]);
}

static void check_float(const gguf_file *f, size_t at) {
    uint32_t bits = (uint32_t)bits_at(f, at, 4);
    float x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) gguf_fail(f, at, "a number that is not finite");
}

/* At least, of a string. */
static size_t value_size(gguf_type type) {
    return type == GGUF_STRING ? 8 : type == GGUF_BOOL || type == GGUF_UINT8 ? 1 : 4;
}

static void skip_element(cursor *c, gguf_type type) {
    size_t at = c->at;
    if (type == GGUF_STRING) {
        take_string(c, "a string");
    } else {
        take(c, value_size(type), "a value");
        if (type == GGUF_BOOL) check_bool(c->f, at);
        if (type == GGUF_FLOAT32) check_float(c->f, at);
    }
}

static void take_array(cursor *c, gguf_key *k) {
    k->element = take_type(c, true);
    size_t at = c->at, least = value_size(k->element);
    k->count = take(c, 8, "an array's length");
    if (k->count > left(c) / least)
        gguf_fail(c->f, at, "an array of %llu, but the file has only %zu more bytes", (unsigned long long)k->count,
                  left(c));
    k->at = c->at;
    size_t *strings = NULL;
    if (k->element == GGUF_STRING) strings = arena_alloc(c->f->arena, (size_t)k->count, sizeof *strings);
    for (uint64_t i = 0; i < k->count; i++) {
        if (strings) strings[i] = c->at;
        skip_element(c, k->element);
    }
    k->strings = strings;
}

static void take_key(cursor *c, gguf_key *k, table *names, uint32_t number) {
    size_t at = c->at;
    bool fresh;
    k->name = take_name(c, GGUF_NAME_LIMIT, "a key");
    table_put(names, k->name, strlen(k->name), number, &fresh);
    if (!fresh) gguf_fail(c->f, at, "a second key '%s'", shown(c->f, at + 8, strlen(k->name)));
    k->type = take_type(c, false);
    k->at = c->at;
    if (k->type == GGUF_ARRAY)
        take_array(c, k);
    else
        skip_element(c, k->type);
}

/* ---- tensors ---- */

static const char *shown_name(const gguf_file *f, const gguf_tensor *t) {
    return text_escaped(f->arena, t->name, strlen(t->name), 60);
}

static size_t type_size(gguf_tensor_type type) { return type == GGUF_TENSOR_F16 ? 2 : 4; }

static void take_tensor(cursor *c, gguf_tensor *t, table *names, uint32_t number, uint64_t *offset) {
    bool fresh;
    t->at = c->at;
    t->name = take_name(c, GGUF_TENSOR_NAME_LIMIT, "a tensor's name");
    table_put(names, t->name, strlen(t->name), number, &fresh);
    if (!fresh) gguf_fail(c->f, t->at, "a second tensor '%s'", shown(c->f, t->at + 8, strlen(t->name)));
    size_t at = c->at;
    uint64_t rank = take(c, 4, "a rank");
    if (rank < 1 || rank > GGUF_RANK_LIMIT) gguf_fail(c->f, at, "a tensor of rank %llu", (unsigned long long)rank);
    t->rank = (uint32_t)rank;
    t->elements = 1;
    for (uint32_t k = 0; k < GGUF_RANK_LIMIT; k++) {
        at = c->at;
        t->shape[k] = k < t->rank ? take(c, 8, "a size") : 1;
        if (!t->shape[k]) gguf_fail(c->f, at, "a size of 0");
        /* Each number takes two bytes at least, so a product beyond the file is refused before it can overflow. */
        if (__builtin_mul_overflow(t->elements, t->shape[k], &t->elements) || t->elements > c->f->size / 2)
            gguf_fail(c->f, at, "a tensor with more numbers than the file has room for");
    }
    at = c->at;
    uint64_t type = take(c, 4, "a type");
    if (type != GGUF_TENSOR_F32 && type != GGUF_TENSOR_F16)
        gguf_fail(c->f, at, "type %llu of a tensor; only f32 and f16 are known here", (unsigned long long)type);
    t->type = (gguf_tensor_type)type;
    *offset = take(c, 8, "a tensor's place");
}

static uint32_t find_alignment(const gguf_file *f) {
    const gguf_key *k = gguf_find(f, "general.alignment");
    if (!k) return DEFAULT_ALIGNMENT;
    uint32_t x = gguf_u32(f, "general.alignment");
    if (x < LEAST_ALIGNMENT || x > MOST_ALIGNMENT || (x & (x - 1)))
        gguf_fail(f, k->at, "an alignment of %u: a power of two from %d to %d is expected", x, LEAST_ALIGNMENT,
                  MOST_ALIGNMENT);
    return x;
}

static size_t skip_padding(cursor *c, uint32_t alignment) {
    for (; c->at % alignment; c->at++) {
        if (c->at == c->f->size) gguf_fail(c->f, c->at, "the file ends inside padding");
        if (c->f->bytes[c->at]) gguf_fail(c->f, c->at, "padding that is not 0");
    }
    return c->at;
}

/* Tensors lie one behind the other in the order of their names, with nothing between them but padding. */
static void place_tensors(cursor *c, gguf_tensor *tensors, size_t count, const uint64_t *offsets) {
    uint32_t alignment = find_alignment(c->f);
    size_t data = skip_padding(c, alignment);
    for (size_t k = 0; k < count; k++) {
        gguf_tensor *t = &tensors[k];
        if (offsets[k] != c->at - data)
            gguf_fail(c->f, t->at, "tensor '%s' is said to be at %llu of the data; it follows the one before at %zu",
                      shown_name(c->f, t), (unsigned long long)offsets[k], c->at - data);
        t->begin = c->at;
        uint64_t size = t->elements * type_size(t->type); /* elements are at most half the file */
        if (size > left(c)) gguf_fail(c->f, c->at, "the file ends inside tensor '%s'", shown_name(c->f, t));
        c->at += (size_t)size;
        skip_padding(c, alignment);
    }
    if (c->at != c->f->size) gguf_fail(c->f, c->at, "%zu bytes behind the last tensor", left(c));
}

void gguf_open(gguf_file *f, const void *bytes, size_t size, arena *a) {
    enum { LEAST_KEY = 8 + 1 + 4 + 1, LEAST_TENSOR = 8 + 1 + 4 + 8 + 4 + 8 };
    table keys, names;
    *f = (gguf_file){.bytes = bytes, .size = size, .arena = a};
    cursor c = {f, 4};
    if (!is_gguf_file(bytes, size)) gguf_fail(f, 0, "no GGUF file: it does not begin with 'GGUF'");
    uint64_t version = take(&c, 4, "the version");
    if (version != VERSION)
        gguf_fail(f, 4, "version %llu of GGUF; only %d is known here", (unsigned long long)version, VERSION);
    uint64_t tensors = take(&c, 8, "the number of tensors"), count = take(&c, 8, "the number of keys");
    if (tensors > GGUF_TENSOR_LIMIT || count > GGUF_KEY_LIMIT)
        trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "%llu tensors and %llu keys; at most %d and %d are allowed",
                   (unsigned long long)tensors, (unsigned long long)count, GGUF_TENSOR_LIMIT, GGUF_KEY_LIMIT);
    if (count > left(&c) / LEAST_KEY) gguf_fail(f, 16, "more keys than the file has room for");
    table_init(&keys, a);
    f->keys = arena_zalloc(a, (size_t)count, sizeof *f->keys);
    for (; f->key_count < count; f->key_count++) take_key(&c, &f->keys[f->key_count], &keys, (uint32_t)f->key_count);
    if (tensors > left(&c) / LEAST_TENSOR) gguf_fail(f, 8, "more tensors than the file has room for");
    table_init(&names, a);
    f->tensors = arena_zalloc(a, (size_t)tensors, sizeof *f->tensors);
    uint64_t *offsets = arena_alloc(a, (size_t)tensors, sizeof *offsets);
    for (; f->tensor_count < tensors; f->tensor_count++)
        take_tensor(&c, &f->tensors[f->tensor_count], &names, (uint32_t)f->tensor_count, &offsets[f->tensor_count]);
    place_tensors(&c, f->tensors, f->tensor_count, offsets);
}

/* ---- looking up ---- */

const gguf_key *gguf_find(const gguf_file *f, const char *name) {
    for (size_t k = 0; k < f->key_count; k++)
        if (strcmp(f->keys[k].name, name) == 0) return &f->keys[k];
    return NULL;
}

const gguf_tensor *gguf_tensor_find(const gguf_file *f, const char *name) {
    for (size_t k = 0; k < f->tensor_count; k++)
        if (strcmp(f->tensors[k].name, name) == 0) return &f->tensors[k];
    return NULL;
}

static const gguf_key *need(const gguf_file *f, const char *name, gguf_type type) {
    const gguf_key *k = gguf_find(f, name);
    if (!k) trap_raise(f->arena->trap, TEMPER_FORMAT, 0, 0, "there is no key '%s'", name);
    if (k->type != type) gguf_fail(f, k->at, "key '%s' has type %d, not %d", name, (int)k->type, (int)type);
    return k;
}

static float float_at(const gguf_file *f, size_t at) {
    uint32_t bits = (uint32_t)bits_at(f, at, 4);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const char *string_at(const gguf_file *f, size_t at) {
    return arena_copy(f->arena, (const char *)f->bytes + at + 8, (size_t)bits_at(f, at, 8));
}

uint32_t gguf_u32(const gguf_file *f, const char *name) {
    return (uint32_t)bits_at(f, need(f, name, GGUF_UINT32)->at, 4);
}
float gguf_f32(const gguf_file *f, const char *name) { return float_at(f, need(f, name, GGUF_FLOAT32)->at); }
bool gguf_bool(const gguf_file *f, const char *name) { return f->bytes[need(f, name, GGUF_BOOL)->at]; }
const char *gguf_string(const gguf_file *f, const char *name) { return string_at(f, need(f, name, GGUF_STRING)->at); }

const gguf_key *gguf_array(const gguf_file *f, const char *name, gguf_type element) {
    const gguf_key *k = need(f, name, GGUF_ARRAY);
    if (k->element != element)
        gguf_fail(f, k->at, "key '%s' has elements of type %d, not %d", name, (int)k->element, (int)element);
    return k;
}

const char *gguf_string_at(const gguf_file *f, const gguf_key *array, uint64_t k) {
    return string_at(f, array->strings[k]);
}

int32_t gguf_int_at(const gguf_file *f, const gguf_key *array, uint64_t k) {
    return (int32_t)(uint32_t)bits_at(f, array->at + 4 * (size_t)k, 4);
}

float gguf_float_at(const gguf_file *f, const gguf_key *array, uint64_t k) {
    return float_at(f, array->at + 4 * (size_t)k);
}

float gguf_number(const gguf_file *f, const gguf_tensor *t, uint64_t k) {
    size_t size = type_size(t->type), at = t->begin + (size_t)k * size;
    float x = t->type == GGUF_TENSOR_F16 ? (float)format_decode(&format_f16, bits_at(f, at, 2)) : float_at(f, at);
    if (!isfinite(x)) gguf_fail(f, at, "tensor '%s': a number that is not finite", shown_name(f, t));
    return x;
}
