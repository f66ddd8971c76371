#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tensor_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "test.h"

typedef struct stream {
    FILE *out;
    char *text;
    size_t size;
} stream;

typedef struct tensor_text {
    stream metadata, tensors, header, data;
    const char *comma, *colon;
    size_t length, cut; /* what lines `length` and `cut` say */
    bool raw, cut_short, says_length;
} tensor_text;

static void stream_open(stream *s) { s->out = open_memstream(&s->text, &s->size); }

static size_t size_of(const char *dtype) {
    return strstr(dtype, "64") ? 8 : strstr(dtype, "32") ? 4 : strstr(dtype, "16") ? 2 : 1;
}

/* One number in the order of bytes that files have: the least first. */
static void put_value(FILE *out, const char *dtype, double value) {
    uint64_t bits = (uint64_t)(int64_t)value;
    float single = (float)value;
    uint32_t short_bits;
    memcpy(&short_bits, &single, sizeof short_bits);
    if (!strcmp(dtype, "F64")) memcpy(&bits, &value, sizeof bits);
    if (!strcmp(dtype, "F32")) bits = short_bits;
    if (!strcmp(dtype, "BF16")) bits = short_bits >> 16;
    for (size_t k = 0; k < size_of(dtype); k++) putc((int)(bits >> 8 * k & 255), out);
}

static void put_shape(tensor_text *t, const char *shape) {
    for (; *shape; shape++)
        if (*shape == ',')
            fputs(t->comma, t->tensors.out);
        else
            putc(*shape, t->tensors.out);
}

/* The product of the numbers of [2,3]; 1 of []. */
static size_t count_of(const char *shape) {
    size_t count = 1;
    for (shape++; *shape && *shape != ']';) {
        char *end;
        count *= strtoul(shape, &end, 10);
        shape = end + 1;
    }
    return count;
}

static bool put_tensor(tensor_text *t, const char *line) {
    char name[128], dtype[16], shape[64];
    int used = 0;
    if (sscanf(line, "%127s %15s %63[][0-9,]:%n", name, dtype, shape, &used) != 3 || !used) return false;
    size_t count = count_of(shape);
    fflush(t->data.out);
    size_t from = t->data.size;
    const char *values = line + used, *at = values;
    for (size_t k = 0; k < count; k++) {
        char *end;
        double value = strtod(at, &end);
        if (end == at) value = strtod(values, &end);
        put_value(t->data.out, dtype, value);
        at = end;
    }
    fflush(t->data.out);
    fflush(t->tensors.out);
    fprintf(t->tensors.out, "%s\"%s\"%s{\"dtype\"%s\"%s\"%s\"shape\"%s", t->tensors.size ? t->comma : "", name,
            t->colon, t->colon, dtype, t->comma, t->colon);
    put_shape(t, shape);
    fprintf(t->tensors.out, "%s\"data_offsets\"%s[%zu%s%zu]}", t->comma, t->colon, from, t->comma, t->data.size);
    return true;
}

static bool put_metadata(tensor_text *t, const char *line) {
    const char *text = strchr(line, ' ');
    if (!text) return false;
    FILE *out = t->metadata.out;
    fflush(out);
    fprintf(out, "%s\"%.*s\"%s\"", t->metadata.size ? t->comma : "", (int)(text - line), line, t->colon);
    for (text++; *text; text++) fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    putc('"', out);
    return true;
}

static bool read_line(tensor_text *t, const char *line, size_t length) {
    size_t zeros = 0;
    if (!strcmp(line, "spaced")) {
        t->comma = ", ";
        t->colon = ": ";
    } else if (!strncmp(line, "__metadata__ ", 13))
        return put_metadata(t, line + 13);
    else if (!strncmp(line, "header", 6)) {
        if (t->raw) putc('\n', t->header.out);
        t->raw = true;
        if (length > 7) fwrite(line + 7, 1, length - 7, t->header.out);
    } else if (sscanf(line, "data %zu", &zeros) == 1)
        while (zeros--) putc(0, t->data.out);
    else if (sscanf(line, "length %zu", &t->length) == 1)
        t->says_length = true;
    else if (sscanf(line, "cut %zu", &t->cut) == 1)
        t->cut_short = true;
    else
        return put_tensor(t, line);
    return true;
}

static bool read_lines(tensor_text *t, const char *name, const char *text, size_t length) {
    bool ok = true;
    for (const char *end = text + length; ok && text < end;) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((stop ? stop : end) - text);
        char *line = malloc(size + 1);
        memcpy(line, text, size);
        line[size] = 0;
        ok = CHECK(read_line(t, line, size), "%s: no line of a file of tensors: %s", name, line);
        free(line);
        text += size + 1;
    }
    return ok;
}

static void put_header(tensor_text *t) {
    fflush(t->metadata.out);
    fflush(t->tensors.out);
    if (t->raw) return;
    FILE *out = t->header.out;
    putc('{', out);
    if (t->metadata.size) fprintf(out, "\"__metadata__\"%s{%s}", t->colon, t->metadata.text);
    fprintf(out, "%s%s}", t->metadata.size && t->tensors.size ? t->comma : "", t->tensors.text);
}

static char *whole(size_t *size, tensor_text *t) {
    stream all;
    stream_open(&all);
    uint64_t claimed = t->says_length ? t->length : t->header.size;
    for (int k = 0; k < 8; k++) putc((int)(claimed >> 8 * k & 255), all.out);
    fwrite(t->header.text, 1, t->header.size, all.out);
    fwrite(t->data.text, 1, t->data.size, all.out);
    fclose(all.out);
    *size = t->cut_short && t->cut < all.size ? t->cut : all.size;
    return all.text;
}

char *tensor_text_file(size_t *size, const char *name, const char *text, size_t length) {
    tensor_text t = {.comma = ",", .colon = ":"};
    stream *all[] = {&t.metadata, &t.tensors, &t.header, &t.data};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) stream_open(all[k]);
    bool ok = read_lines(&t, name, text, length);
    if (ok) put_header(&t);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) fclose(all[k]->out);
    char *file = ok ? whole(size, &t) : NULL;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]->text);
    return file;
}
