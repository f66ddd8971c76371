#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "real.h"

static void write_string(FILE *to, const char *bytes, size_t length) {
    putc('"', to);
    for (size_t k = 0, size; k < length; k += size) {
        uint32_t code;
        bool valid;
        size = char_decode(&code, &valid, bytes + k, length - k);
        if (!valid)
            fputs("\\ufffd", to);
        else if (code == '"' || code == '\\')
            fprintf(to, "\\%c", (int)code);
        else if (code == '\n')
            fputs("\\n", to);
        else if (code == '\t')
            fputs("\\t", to);
        else if (!char_is_unshowable(code))
            fwrite(bytes + k, 1, size, to);
        else if (code < 0x10000)
            fprintf(to, "\\u%04x", (unsigned)code);
        else
            fprintf(to, "\\u%04x\\u%04x", 0xD800 + (unsigned)((code - 0x10000) >> 10),
                    0xDC00 + (unsigned)((code - 0x10000) & 0x3FF));
    }
    putc('"', to);
}

static void write_key(json *j, const char *key) {
    if (j->comma) putc(',', j->to);
    j->comma = true;
    if (!key) return;
    write_string(j->to, key, strlen(key));
    putc(':', j->to);
}

void json_open(json *j, FILE *to) {
    j->to = to;
    j->comma = false;
    putc('{', to);
}

void json_close(json *j) { fputs("}\n", j->to); }

void json_begin(json *j, const char *key, char bracket) {
    write_key(j, key);
    putc(bracket, j->to);
    j->comma = false;
}

void json_end(json *j, char bracket) {
    putc(bracket, j->to);
    j->comma = true;
}

void json_bytes(json *j, const char *key, const char *bytes, size_t length) {
    write_key(j, key);
    write_string(j->to, bytes, length);
}

void json_text(json *j, const char *key, const char *string) { json_bytes(j, key, string, strlen(string)); }

void json_count(json *j, const char *key, uint64_t value) {
    write_key(j, key);
    fprintf(j->to, "%llu", (unsigned long long)value);
}

void json_real(json *j, const char *key, double value) {
    write_key(j, key);
    if (isnan(value)) {
        fputs("null", j->to);
    } else if (isinf(value)) {
        fputs(value > 0 ? "\"Infinity\"" : "\"-Infinity\"", j->to);
    } else {
        /* the fewest digits that read back to the same double */
        static const char *const formats[] = {"%.15g", "%.16g", "%.17g"};
        size_t k = 0;
        while (k < 2 && real_read(real_of(formats[k], value).text) != value) k++;
        fputs(real_of(formats[k], value).text, j->to);
    }
}

void json_flag(json *j, const char *key, bool value) {
    write_key(j, key);
    fputs(value ? "true" : "false", j->to);
}

void json_null(json *j, const char *key) {
    write_key(j, key);
    fputs("null", j->to);
}

void json_reals(json *j, const char *key, const double *values, size_t count) {
    json_begin(j, key, '[');
    for (size_t k = 0; k < count; k++) json_real(j, NULL, values[k]);
    json_end(j, ']');
}
