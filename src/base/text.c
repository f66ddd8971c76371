#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_init(text *t, arena *a) {
    t->arena = a;
    t->data = NULL;
    t->length = t->capacity = 0;
}

static void reserve(text *t, size_t extra) {
    t->data = arena_grow(t->arena, t->data, &t->capacity, t->length + extra + 1, 1);
}

void text_add(text *t, const char *bytes, size_t length) {
    reserve(t, length);
    if (length) memcpy(t->data + t->length, bytes, length);
    t->length += length;
    t->data[t->length] = 0;
}

void text_puts(text *t, const char *string) { text_add(t, string, strlen(string)); }

void text_putc(text *t, char c) { text_add(t, &c, 1); }

void text_printf(text *t, const char *format, ...) {
    char small[256];
    va_list args;
    va_start(args, format);
    int need = print_list(small, sizeof small, format, args);
    va_end(args);
    if (need < 0) return;
    if ((size_t)need < sizeof small) {
        text_add(t, small, (size_t)need);
        return;
    }
    reserve(t, (size_t)need);
    va_start(args, format);
    print_list(t->data + t->length, (size_t)need + 1, format, args);
    va_end(args);
    t->length += (size_t)need;
}

const char *text_string(const text *t) { return t->data ? t->data : ""; }

void text_double(text *t, double x) {
    if (x == floor(x) && fabs(x) < 0x1p53 && !(x == 0 && signbit(x)))
        text_printf(t, "%.0f", x);
    else
        text_printf(t, "%a", x);
}

size_t utf8_decode(uint32_t *code, const char *bytes, size_t length) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *b = (const unsigned char *)bytes;
    if (length == 0) return 0;
    if (b[0] < 0x80) {
        *code = b[0];
        return 1;
    }
    size_t need = b[0] >= 0xF0 ? 4 : b[0] >= 0xE0 ? 3 : 2;
    if (b[0] < 0xC2 || b[0] > 0xF4 || length < need) return 0;
    uint32_t c = b[0] & (0xFFu >> (need + 1));
    for (size_t k = 1; k < need; k++) {
        if ((b[k] & 0xC0) != 0x80) return 0;
        c = c << 6 | (b[k] & 0x3F);
    }
    if (c < smallest[need] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 0;
    *code = c;
    return need;
}

size_t utf8_encode(char out[4], uint32_t code) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t need = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t k = need - 1; k > 0; k--) {
        out[k] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)((0xF00u >> need) | code);
    return need;
}

/* Characters that would move the cursor, hide, or reorder what is around them. */
static bool is_unshowable(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || c == 0xAD || c == 0x61C || (c >= 0xFFF9 && c <= 0xFFFB) ||
           (c >= 0xE0000 && c <= 0xE007F);
}

const char *text_escaped(arena *a, const char *bytes, size_t length, size_t most) {
    text t;
    text_init(&t, a);
    size_t shown = 0;
    for (size_t k = 0; k < length;) {
        if (most && shown++ == most) {
            text_puts(&t, "...");
            break;
        }
        uint32_t code;
        size_t size = utf8_decode(&code, bytes + k, length - k);
        if (size == 0) {
            text_printf(&t, "\\x%02X", (unsigned char)bytes[k]);
            size = 1;
        } else if (!is_unshowable(code)) {
            text_add(&t, bytes + k, size);
        } else if (code == '\n') {
            text_puts(&t, "\\n");
        } else if (code == '\t') {
            text_puts(&t, "\\t");
        } else if (code < 0x80) {
            text_printf(&t, "\\x%02X", (unsigned)code);
        } else {
            text_printf(&t, "\\u{%X}", (unsigned)code);
        }
        k += size;
    }
    return text_string(&t);
}
