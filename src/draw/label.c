#include "draw/label.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct range {
    uint32_t low, high;
} range;

/* The common blocks, not all of Unicode: a missing one only shifts a column. */
static const range combining[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},     {0x64B, 0x65F},    {0x6D6, 0x6DC},
    {0x900, 0x902},   {0x93C, 0x93C},   {0x941, 0x948},   {0x94D, 0x94D},     {0xE31, 0xE31},    {0xE34, 0xE3A},
    {0xE47, 0xE4E},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F},   {0x20D0, 0x20FF},  {0x302A, 0x302D},
    {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF}};
static const range wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26BD, 0x26BE},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x274C, 0x274C},
    {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},   {0x2E80, 0x303E},
    {0x3041, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x16FE0, 0x18AFF}, {0x1B000, 0x1B2FF}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F7E0, 0x1F7EB}, {0x1F90C, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}};

static bool is_in(const range *ranges, size_t count, uint32_t code) {
    for (size_t k = 0; k < count; k++)
        if (code >= ranges[k].low && code <= ranges[k].high) return true;
    return false;
}

double label_columns(uint32_t code) {
    if (code < 0x300) return 1;
    if (is_in(combining, sizeof combining / sizeof *combining, code)) return 0;
    return is_in(wide, sizeof wide / sizeof *wide, code) ? 2 : 1;
}

double label_ems(uint32_t code) {
    if (code < 0x80) {
        if (strchr(" !'()[],./:;|fijlrtI-", (int)code)) return 0.42;
        if (strchr("mwMW@%", (int)code)) return 1;
        if ((code >= 'A' && code <= 'Z') || strchr("<>=+^~&#_", (int)code)) return 0.82;
        return 0.64;
    }
    double columns = label_columns(code);
    return columns == 1 ? 0.9 : columns * 0.55;
}

/* The next character; bytes that are not UTF-8 count as one each. */
static size_t next(uint32_t *code, const char *at) {
    size_t size = utf8_decode(code, at, 4); /* stops at the closing NUL, which continues no character */
    if (size) return size;
    *code = 0xFFFD;
    return 1;
}

double label_width(const char *string, label_measure *measure) {
    double width = 0;
    uint32_t code;
    for (const char *at = string; *at;) {
        at += next(&code, at);
        width += measure(code);
    }
    return width;
}

/* Bytes of the longest beginning that fits, with the combining characters that follow it. */
static size_t prefix(const char *string, double room, label_measure *measure) {
    double width = 0;
    uint32_t code;
    size_t length = 0;
    while (string[length]) {
        size_t size = next(&code, string + length);
        width += measure(code);
        if (width > room) break;
        length += size;
    }
    return length;
}

const char *label_cut(arena *a, const char *string, double room, label_measure *measure, const char *ellipsis) {
    if (string[prefix(string, room, measure)] == 0) return string;
    double rest = room - label_width(ellipsis, measure);
    size_t kept = rest > 0 ? prefix(string, rest, measure) : 0;
    if (kept == 0) return arena_copy(a, string, prefix(string, room, measure));
    while (kept > 0 && string[kept - 1] == ' ') kept--;
    text t;
    text_init(&t, a);
    text_add(&t, string, kept);
    text_puts(&t, ellipsis);
    return text_string(&t);
}

size_t label_wrap(const char **lines, size_t most, arena *a, const char *string, double room, label_measure *measure,
                  const char *ellipsis) {
    size_t count = 0;
    while (count + 1 < most) {
        size_t fits = prefix(string, room, measure);
        if (string[fits] == 0) break;
        size_t end = fits;
        while (end > 0 && string[end] != ' ') end--;
        if (end < fits / 2 || end == 0) end = fits; /* no blank that leaves a decent line */
        if (end == 0) break;                        /* not even one character fits */
        lines[count++] = arena_copy(a, string, end);
        string += end;
        while (*string == ' ') string++;
    }
    if (*string || count == 0) lines[count++] = label_cut(a, string, room, measure, ellipsis);
    return count;
}

const char *label_shown(arena *a, const char *string) {
    const char *escaped = text_escaped(a, string, strlen(string), 0);
    uint32_t code = 0;
    if (!*escaped || next(&code, escaped) == 0 || label_columns(code) > 0) return escaped;
    text t;
    text_init(&t, a);
    text_puts(&t, "\u25CC");
    text_puts(&t, escaped);
    return text_string(&t);
}

void label_number(text *t, double x, int digits) {
    if (isnan(x)) {
        text_puts(t, "NaN");
        return;
    }
    if (isinf(x)) {
        text_puts(t, x < 0 ? "-inf" : "inf");
        return;
    }
    char buffer[64];
    double back;
    int least = digits > 0 ? digits : 1, most = digits > 0 ? digits : 17;
    for (digits = least; digits <= most; digits++) {
        print_to(buffer, sizeof buffer, "%.*g", digits, x);
        if (least < most && text_to_double(&back, buffer, strlen(buffer)) && back == x) break;
    }
    text_puts(t, buffer);
}
