#include "escape.h"

#include <string.h>

size_t char_decode(uint32_t *code, bool *valid, const char *bytes, size_t length) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *b = (const unsigned char *)bytes;
    *code = b[0];
    *valid = b[0] < 0x80;
    if (*valid || b[0] < 0xC2 || b[0] > 0xF4) return 1;
    size_t need = b[0] >= 0xF0 ? 4 : b[0] >= 0xE0 ? 3 : 2;
    if (length < need) return 1;
    uint32_t c = b[0] & (0xFFu >> (need + 1));
    for (size_t k = 1; k < need; k++) {
        if ((b[k] & 0xC0) != 0x80) return 1;
        c = c << 6 | (b[k] & 0x3F);
    }
    if (c < smallest[need] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return 1;
    *code = c;
    *valid = true;
    return need;
}

typedef struct range {
    uint32_t first, last;
} range;

static bool is_in(uint32_t code, const range *ranges, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (code >= ranges[k].first && code <= ranges[k].last) return true;
    return false;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

bool char_is_unshowable(uint32_t code) {
    static const range hidden[] = {{0, 0x1F},        {0x7F, 0x9F},      {0xAD, 0xAD},     {0x61C, 0x61C},
                                   {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F}, {0xFEFF, 0xFEFF},
                                   {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    return is_in(code, hidden, COUNT(hidden));
}

int char_width(uint32_t code) {
    static const range none[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},
                                 {0x64B, 0x65F},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                 {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
    static const range wide[] = {{0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},
                                 {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26AA, 0x26AB},   {0x26BD, 0x26BE},
                                 {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},   {0x274C, 0x274C},
                                 {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2E80, 0x303E},
                                 {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
                                 {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},
                                 {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    if (code < 0x300) return 1;
    return is_in(code, none, COUNT(none)) ? 0 : is_in(code, wide, COUNT(wide)) ? 2 : 1;
}

int char_show(char out[24], size_t *size, const char *bytes, size_t length, bool reversible) {
    uint32_t code;
    bool valid;
    *size = char_decode(&code, &valid, bytes, length);
    if (valid && code == '\\' && reversible) {
        strcpy(out, "\\\\");
        return 2;
    }
    if (valid && !char_is_unshowable(code)) {
        memcpy(out, bytes, *size);
        out[*size] = 0;
        return char_width(code);
    }
    const char *name = valid && code == '\n'   ? "\\n"
                       : valid && code == '\t' ? "\\t"
                       : valid && code == '\r' ? "\\r"
                                               : "";
    if (*name) {
        strcpy(out, name);
        return 2;
    }
    char *p = out;
    for (size_t k = 0; k < *size; k++) p += sprintf(p, "\\x%02X", (unsigned char)bytes[k]);
    return (int)(p - out);
}

static size_t write_text(FILE *to, const char *bytes, size_t length, size_t most, bool reversible) {
    size_t columns = 0, shown = 0;
    for (size_t k = 0, size; k < length; k += size) {
        char cell[24];
        if (most && shown++ == most) {
            if (to) fputs("...", to);
            return columns + 3;
        }
        columns += (size_t)char_show(cell, &size, bytes + k, length - k, reversible);
        if (to) fputs(cell, to);
    }
    return columns;
}

void escape_write(FILE *to, const char *bytes, size_t length, size_t most) {
    /* Most strings are plain; they go out whole. */
    size_t plain = 0;
    while (plain < length && (unsigned char)bytes[plain] >= 0x20 && (unsigned char)bytes[plain] < 0x7F &&
           bytes[plain] != '\\')
        plain++;
    if (plain == length && (!most || length <= most))
        fwrite(bytes, 1, length, to);
    else
        write_text(to, bytes, length, most, true);
}

size_t show_write(FILE *to, const char *bytes, size_t length, size_t most) {
    return write_text(to, bytes, length, most, false);
}

size_t show_width(const char *bytes, size_t length, size_t most) {
    return write_text(NULL, bytes, length, most, false);
}
