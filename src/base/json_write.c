#include "base/json_write.h"

#include <stdio.h>
#include <string.h>

void jwrite_string(text *out, const char *bytes, size_t length) {
    text_putc(out, '"');
    for (size_t k = 0, size; k < length; k += size) {
        uint32_t code;
        size = utf8_decode(&code, bytes + k, length - k);
        if (!size) trap_raise(out->arena->trap, TEMPER_FORMAT, 0, 0, "a text that is not valid UTF-8");
        if (code == '"' || code == '\\')
            text_printf(out, "\\%c", (char)code);
        else if (code == '\n')
            text_puts(out, "\\n");
        else if (code == '\t')
            text_puts(out, "\\t");
        else if (code < 0x20)
            text_printf(out, "\\u%04x", (unsigned)code);
        else
            text_add(out, bytes + k, size);
    }
    text_putc(out, '"');
}

void jwrite_number(text *out, double x) { text_printf(out, "%.17g", x); }
