#include "reply.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

static char *text;
static size_t used, room;

static int ensure(size_t more) {
    if (used + more + 1 <= room) return 1;
    size_t wanted = 2 * room + more + 4096;
    char *bigger = realloc(text, wanted);
    if (!bigger) return 0;
    text = bigger;
    room = wanted;
    return 1;
}

static void put(const char *s, size_t length) {
    if (!ensure(length)) return;
    memcpy(text + used, s, length);
    used += length;
    text[used] = 0;
}

void reply_begin(void) {
    used = 0;
    put("", 0);
}

void reply_text(const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length > 0) put(line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void reply_bytes(const char *s, size_t length) {
    put("\"", 1);
    for (size_t k = 0; k < length; k++) {
        unsigned char c = (unsigned char)s[k];
        if (c == '"' || c == '\\') {
            put("\\", 1);
            put(s + k, 1);
        } else if (c < 0x20)
            reply_text("\\u%04x", c);
        else
            put(s + k, 1);
    }
    put("\"", 1);
}

void reply_string(const char *s) {
    if (s)
        reply_bytes(s, strlen(s));
    else
        put("null", 4);
}

void reply_field(const char *name) {
    char last = used ? text[used - 1] : '{';
    if (last != '{' && last != '[' && last != ',') put(",", 1);
    if (name) {
        reply_string(name);
        put(":", 1);
    }
}

static void put_real(double x) {
    char digits[40];
    int length = temper_real_format(digits, sizeof digits, "%.17g", x);
    if (length > 0) put(digits, (size_t)length);
}

void reply_number(const char *name, double x) {
    reply_field(name);
    if (isfinite(x))
        put_real(x);
    else
        reply_string(isnan(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity");
}

void reply_words(const char *name, const char *s) {
    reply_field(name);
    reply_string(s);
}

void reply_error(const temper_error *err) {
    reply_begin();
    reply_text("{");
    reply_words("status", temper_status_name(err->code));
    reply_number("line", (double)err->line);
    reply_number("column", (double)err->column);
    reply_words("error", err->text);
    reply_words("hint", err->hint);
    reply_number("remedy", err->remedy);
    reply_text("}");
}

SHIM_EXPORT uint32_t tw_reply(void) { return POINTER(text); }
SHIM_EXPORT uint32_t tw_reply_length(void) { return (uint32_t)used; }
SHIM_EXPORT uint32_t tw_alloc(uint32_t size) { return POINTER(malloc(size)); }
SHIM_EXPORT void tw_free(uint32_t address) { free((void *)(uintptr_t)address); }
