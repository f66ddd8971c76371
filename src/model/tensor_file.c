#include "model/tensor_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"

enum { LENGTH_BYTES = 8, PIECE_BYTES = 32768 };

static const struct {
    const char *name;
    size_t size;
} types[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"I16", 2}, {"U16", 2}, {"F16", 2},
             {"BF16", 2}, {"I32", 4}, {"U32", 4}, {"F32", 4},     {"F64", 8},     {"I64", 8}, {"U64", 8}};

enum { TYPE_COUNT = sizeof types / sizeof *types };

const char *tensor_type_name(tensor_type type) { return types[type].name; }
size_t tensor_type_size(tensor_type type) { return types[type].size; }

static uint64_t little_endian(const unsigned char *b, size_t size) {
    uint64_t x = 0;
    for (size_t k = 0; k < size; k++) x |= (uint64_t)b[k] << (8 * k);
    return x;
}

bool is_tensor_file(const char *bytes, size_t length) {
    size_t first = length < LENGTH_BYTES ? length : LENGTH_BYTES;
    return (length > LENGTH_BYTES && bytes[LENGTH_BYTES] == '{') || (first && memchr(bytes, 0, first));
}

/* ---- the header ---- */

/* Arrays for what the first pass over the header counted. */
typedef struct header_sizes {
    size_t tensors, dimensions, name_bytes, metadata;
} header_sizes;

static void read_bytes(void *out, const tensor_source *s, uint64_t offset, size_t length) {
    if (s->file)
        file_read_at(s->file, out, offset, length);
    else if (length)
        memcpy(out, s->bytes + offset, length);
}

static void read_type(json_reader *r, tensor *t) {
    size_t at = (jread_peek(r), r->at);
    json_text name = jread_string(r, "a type in quotes");
    for (unsigned k = 0; k < TYPE_COUNT; k++)
        if (jread_is(name, types[k].name)) {
            t->type = (uint8_t)k;
            return;
        }
    jread_fail(r, at, "unknown type '%s'", text_escaped(r->scratch, name.bytes, name.length, 24));
}

static void read_shape(json_reader *r, tensor *t, uint64_t *shape) {
    t->rank = 0;
    for (jread_array(r); jread_element(r);) {
        if (t->rank == TENSOR_RANK_LIMIT) jread_fail(r, r->at, "more than %d dimensions", TENSOR_RANK_LIMIT);
        shape[t->rank++] = jread_integer(r, UINT64_MAX, "a whole number below 2^64");
    }
}

static void read_offsets(json_reader *r, tensor *t, uint64_t available) {
    uint64_t offsets[2];
    size_t count = 0, at = (jread_peek(r), r->at);
    for (jread_array(r); jread_element(r);) {
        if (count == 2) jread_fail(r, r->at, "more than two numbers");
        offsets[count++] = jread_integer(r, UINT64_MAX, "a whole number below 2^64");
    }
    if (count < 2) jread_fail(r, at, "fewer than two numbers");
    t->begin = offsets[0];
    t->end = offsets[1];
    if (t->begin > t->end) jread_fail(r, at, "the begin is after the end");
    if (t->end > available)
        jread_fail(r, at, "the end is %llu, but the file has only %llu bytes of data", (unsigned long long)t->end,
                   (unsigned long long)available);
}

/* shape times type, which must be the number of bytes. */
static void check_size(const json_reader *r, size_t at, const tensor *t, const uint64_t *shape) {
    uint64_t size = types[t->type].size;
    for (unsigned k = 0; k < t->rank; k++)
        if (__builtin_mul_overflow(size, shape[k], &size))
            jread_fail(r, at, "shape: the number of bytes does not fit in 64 bits");
    if (size != t->end - t->begin)
        jread_fail(r, at, "data_offsets: %llu bytes, but shape and dtype make %llu",
                   (unsigned long long)(t->end - t->begin), (unsigned long long)size);
}

static void read_tensor(json_reader *r, tensor *t, uint64_t *shape, uint64_t available) {
    static const char *const names[] = {"dtype", "shape", "data_offsets", NULL};
    uint32_t seen = 0;
    size_t at = (jread_peek(r), r->at);
    jread_object(r);
    for (int k; (k = jread_field(r, names, &seen)) >= 0;) {
        if (k == 0) read_type(r, t);
        if (k == 1) read_shape(r, t, shape);
        if (k == 2) read_offsets(r, t, available);
    }
    jread_require(r, at, names, seen, 7);
    check_size(r, at, t, shape);
}

/* Pass 2 stores what pass 1 counted. */
static void read_metadata(tensor_file *f, json_reader *r, header_sizes *n, bool store) {
    json_text key;
    for (jread_object(r); jread_key(r, &key); n->metadata++) {
        if (n->metadata == TENSOR_METADATA_LIMIT) jread_fail(r, r->at, "more than %d keys", TENSOR_METADATA_LIMIT);
        json_text value = jread_string(r, "a string (all metadata are)");
        if (store) f->metadata[n->metadata] = (tensor_metadata){key, value};
    }
}

static void read_entry(tensor_file *f, json_reader *r, json_text name, header_sizes *n, char *names,
                       uint64_t *shapes) {
    uint64_t local[TENSOR_RANK_LIMIT];
    uint64_t *shape = shapes ? shapes + n->dimensions : local;
    tensor t = {.at = (uint32_t)jread_offset(r, (size_t)(name.bytes - r->bytes) - 1), .shape = shape};
    r->where = "tensor";
    r->subject = name;
    uint64_t data = LENGTH_BYTES + (uint64_t)f->header.length;
    read_tensor(r, &t, shape, f->source.size - data);
    t.begin += data;
    t.end += data;
    size_t length = jread_decoded_length(name);
    if (names) {
        t.name = names + n->name_bytes;
        jread_decode(names + n->name_bytes, name);
        names[n->name_bytes + length] = 0;
        if (strlen(t.name) < length) jread_fail(r, t.at - LENGTH_BYTES, "a name with a NUL character");
        f->tensors[n->tensors] = t;
    }
    r->where = "header";
    r->subject = (json_text){0};
    n->name_bytes += length + 1;
    n->dimensions += t.rank;
    n->tensors++;
}

/* One pass over the header: counts, and stores into names and shapes if they are not NULL. */
static header_sizes read_header(tensor_file *f, char *names, uint64_t *shapes) {
    header_sizes n = {0};
    json_reader r = f->header;
    json_text key;
    bool metadata = false;
    for (jread_object(&r); jread_key(&r, &key);) {
        size_t at = (size_t)(key.bytes - r.bytes) - 1;
        if (!jread_is(key, "__metadata__")) {
            if (n.tensors == TENSOR_COUNT_LIMIT)
                trap_raise(f->trap, TEMPER_LIMIT, 0, 0, "byte %llu: header: more than %d tensors",
                           (unsigned long long)jread_offset(&r, at), TENSOR_COUNT_LIMIT);
            read_entry(f, &r, key, &n, names, shapes);
            continue;
        }
        if (metadata) jread_fail(&r, at, "a second key '__metadata__'");
        metadata = true;
        r.where = "__metadata__";
        read_metadata(f, &r, &n, names != NULL);
        r.where = "header";
    }
    for (; r.at < r.length; r.at++)
        if (r.bytes[r.at] != ' ') jread_fail(&r, r.at, "only spaces may follow the closing brace");
    return n;
}

/* ---- checks of the whole ---- */

static int by_begin(const void *x, const void *y) {
    const tensor *a = *(const tensor *const *)x, *b = *(const tensor *const *)y;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* The number of a name comes second, so that of two equal ones the later is the one refused. */
static int by_name(const void *x, const void *y) {
    const tensor *a = *(const tensor *const *)x, *b = *(const tensor *const *)y;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* The place in the header second, as above. */
static int by_key(const void *x, const void *y) {
    json_text a = ((const tensor_metadata *)x)->key, b = ((const tensor_metadata *)y)->key;
    int order = jread_compare(a, b);
    return order ? order : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

static void check_cover(const tensor_file *f) {
    uint64_t at = LENGTH_BYTES + (uint64_t)f->header.length, data = at;
    for (size_t k = 0; k < f->count; k++) {
        const tensor *t = f->by_name[k];
        if (t->begin != at)
            tensor_fail(f, t, "data_offsets: it begins at %llu of the data, %s %llu",
                        (unsigned long long)(t->begin - data),
                        t->begin < at ? "inside the tensor before it, which ends at" : "after a hole that begins at",
                        (unsigned long long)(at - data));
        at = t->end;
    }
    if (at != f->source.size)
        trap_raise(f->trap, TEMPER_FORMAT, 0, 0, "byte %llu: the tensors end here, but the file has %llu bytes",
                   (unsigned long long)at, (unsigned long long)f->source.size);
}

static void check_names(const tensor_file *f) {
    for (size_t k = 1; k < f->count; k++)
        if (!strcmp(f->by_name[k - 1]->name, f->by_name[k]->name))
            tensor_fail(f, f->by_name[k], "a second tensor of this name");
    for (size_t k = 1; k < f->metadata_count; k++)
        if (!jread_compare(f->metadata[k - 1].key, f->metadata[k].key)) {
            json_text key = f->metadata[k].key;
            jread_fail(&f->header, (size_t)(key.bytes - f->header.bytes) - 1, "__metadata__: a second key '%s'",
                       text_escaped(f->scratch, key.bytes, key.length, 40));
        }
}

/* The header's bytes: borrowed from memory, or read from the file. */
static void load_header(tensor_file *f, arena *a) {
    unsigned char first[LENGTH_BYTES];
    trap *t = f->trap;
    const tensor_source *s = &f->source;
    if (s->size < LENGTH_BYTES)
        trap_raise(t, TEMPER_FORMAT, 0, 0, "byte 0: a file of %llu bytes; safetensors begin with a length of 8 bytes",
                   (unsigned long long)s->size);
    read_bytes(first, s, 0, LENGTH_BYTES);
    uint64_t length = little_endian(first, LENGTH_BYTES);
    if (length > TENSOR_HEADER_LIMIT)
        trap_raise(t, TEMPER_FORMAT, 0, 0, "byte 0: a header of %llu bytes; the limit is %d",
                   (unsigned long long)length, TENSOR_HEADER_LIMIT);
    if (length > s->size - LENGTH_BYTES)
        trap_raise(t, TEMPER_FORMAT, 0, 0, "byte 0: a header of %llu bytes, but the file has only %llu",
                   (unsigned long long)length, (unsigned long long)s->size);
    const char *bytes;
    if (s->file) {
        char *copy = arena_alloc(a, (size_t)length, 1);
        read_bytes(copy, s, LENGTH_BYTES, (size_t)length);
        bytes = copy;
    } else {
        bytes = s->bytes + LENGTH_BYTES;
    }
    jread_begin(&f->header, bytes, (size_t)length, f->scratch, t);
    f->header.where = "header";
    f->header.by_byte = true;
    f->header.base = LENGTH_BYTES;
    if (length == 0 || bytes[0] != '{') jread_fail(&f->header, 0, "it must begin with {");
}

void tensor_file_open(tensor_file *f, tensor_source source, arena *a, trap *t) {
    *f = (tensor_file){.source = source, .trap = t, .scratch = a};
    load_header(f, a);
    header_sizes n = read_header(f, NULL, NULL);
    f->tensors = arena_alloc(a, n.tensors, sizeof *f->tensors);
    f->metadata = arena_alloc(a, n.metadata, sizeof *f->metadata);
    f->by_name = arena_alloc(a, n.tensors, sizeof *f->by_name);
    uint64_t *shapes = arena_alloc(a, n.dimensions, sizeof *shapes);
    char *names = arena_alloc(a, n.name_bytes + 1, 1);
    read_header(f, names, shapes);
    f->count = n.tensors;
    f->metadata_count = n.metadata;
    for (size_t k = 0; k < f->count; k++) f->by_name[k] = &f->tensors[k];
    if (f->count) qsort(f->by_name, f->count, sizeof *f->by_name, by_begin);
    check_cover(f);
    if (f->count) qsort(f->by_name, f->count, sizeof *f->by_name, by_name);
    if (f->metadata_count) qsort(f->metadata, f->metadata_count, sizeof *f->metadata, by_key);
    check_names(f);
}

const tensor *tensor_find(const tensor_file *f, const char *name) {
    size_t low = 0, high = f->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, f->by_name[middle]->name);
        if (!order) return f->by_name[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

uint64_t tensor_elements(const tensor *t) { return (t->end - t->begin) / types[t->type].size; }

_Noreturn void tensor_fail(const tensor_file *f, const tensor *t, const char *format, ...) {
    char message[240];
    va_list args;
    va_start(args, format);
    print_list(message, sizeof message, format, args);
    va_end(args);
    trap_raise(f->trap, TEMPER_FORMAT, 0, 0, "byte %u: tensor '%s': %s", t->at,
               text_escaped(f->scratch, t->name, strlen(t->name), 40), message);
}

ptrdiff_t tensor_metadata_find(const tensor_file *f, const char *key) {
    for (size_t k = 0; k < f->metadata_count; k++)
        if (jread_is(f->metadata[k].key, key)) return (ptrdiff_t)k;
    return -1;
}

void tensor_metadata_begin(json_reader *r, const tensor_file *f, size_t k, arena *a) {
    json_text value = f->metadata[k].value;
    char *decoded = arena_alloc(a, jread_decoded_length(value), 1);
    size_t length = jread_decode(decoded, value);
    jread_begin(r, decoded, length, f->scratch, f->trap);
    r->outer = &f->header;
    r->quoted = value;
    r->where = "__metadata__";
}

/* ---- numbers ---- */

static double from_f16(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31);
    double mantissa = (double)(bits & 1023), sign = bits >> 15 ? -1 : 1;
    if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
    return sign * (exponent ? ldexp(mantissa + 1024, exponent - 25) : ldexp(mantissa, -24));
}

static double from_f32(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static double to_double(const unsigned char *b, tensor_type type) {
    double x;
    uint64_t bits = little_endian(b, types[type].size);
    if (type == TENSOR_F32) return from_f32(bits);
    if (type == TENSOR_BF16) return from_f32(bits << 16);
    if (type == TENSOR_F16) return from_f16(bits);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static _Noreturn void not_finite(const tensor_file *f, const tensor *t, uint64_t element, double x) {
    char index[TENSOR_RANK_LIMIT * 24 + 4] = "";
    uint64_t strides[TENSOR_RANK_LIMIT + 1], rest = element;
    size_t used = 0;
    strides[t->rank] = 1;
    for (unsigned k = t->rank; k > 0; k--) strides[k - 1] = strides[k] * t->shape[k - 1];
    for (unsigned k = 0; k < t->rank; k++) {
        used += (size_t)snprintf(index + used, sizeof index - used, "%s%llu", k ? ", " : "",
                                 (unsigned long long)(rest / strides[k + 1]));
        rest %= strides[k + 1];
    }
    trap_raise(f->trap, TEMPER_FORMAT, 0, 0, "byte %llu: tensor '%s': element [%s] is %s",
               (unsigned long long)(t->begin + element * types[t->type].size),
               text_escaped(f->scratch, t->name, strlen(t->name), 40), index, isnan(x) ? "not a number" : "infinite");
}

void tensor_read(double *out, const tensor_file *f, const tensor *t, uint64_t first, size_t count) {
    unsigned char piece[PIECE_BYTES];
    tensor_type type = (tensor_type)t->type;
    size_t size = types[type].size;
    if (type != TENSOR_F64 && type != TENSOR_F32 && type != TENSOR_F16 && type != TENSOR_BF16)
        tensor_fail(f, t, "dtype %s; weights are F64, F32, F16 or BF16", types[type].name);
    for (size_t done = 0; done < count;) {
        size_t now = count - done < PIECE_BYTES / size ? count - done : PIECE_BYTES / size;
        read_bytes(piece, &f->source, t->begin + (first + done) * size, now * size);
        for (size_t k = 0; k < now; k++) {
            double x = to_double(piece + k * size, type);
            if (!isfinite(x)) not_finite(f, t, first + done + k, x);
            out[done + k] = x;
        }
        done += now;
    }
}

/* ---- writing ---- */

uint64_t tensor_plan_size(const tensor_plan *p, trap *t) {
    uint64_t size = types[p->type].size;
    for (unsigned k = 0; k < p->rank; k++)
        if (__builtin_mul_overflow(size, p->shape[k], &size))
            trap_raise(t, TEMPER_LIMIT, 0, 0, "tensor %s would have more than 2^64 bytes", p->name);
    return size;
}

void tensor_header_print(text *out, const tensor_plan *plans, size_t count, const char *const *metadata,
                         size_t pairs) {
    size_t begin = out->length;
    uint64_t at = 0;
    text_add(out, "\0\0\0\0\0\0\0\0{\"__metadata__\":{", LENGTH_BYTES + 17);
    for (size_t k = 0; k < pairs; k++) {
        if (k) text_putc(out, ',');
        jwrite_string(out, metadata[2 * k], strlen(metadata[2 * k]));
        text_putc(out, ':');
        jwrite_string(out, metadata[2 * k + 1], strlen(metadata[2 * k + 1]));
    }
    text_putc(out, '}');
    for (size_t k = 0; k < count; k++) {
        const tensor_plan *p = &plans[k];
        uint64_t end = at + tensor_plan_size(p, out->arena->trap);
        text_putc(out, ',');
        jwrite_string(out, p->name, strlen(p->name));
        text_printf(out, ":{\"dtype\":\"%s\",\"shape\":[", types[p->type].name);
        for (unsigned d = 0; d < p->rank; d++)
            text_printf(out, "%s%llu", d ? "," : "", (unsigned long long)p->shape[d]);
        text_printf(out, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)at, (unsigned long long)end);
        at = end;
    }
    text_putc(out, '}');
    while ((out->length - begin) % 8) text_putc(out, ' ');
    size_t length = out->length - begin - LENGTH_BYTES;
    if (length > TENSOR_HEADER_LIMIT)
        trap_raise(out->arena->trap, TEMPER_LIMIT, 0, 0,
                   "the header of the file would have %zu bytes; safetensors allow %d", length, TENSOR_HEADER_LIMIT);
    for (size_t k = 0; k < LENGTH_BYTES; k++) out->data[begin + k] = (char)(length >> (8 * k) & 255);
}
