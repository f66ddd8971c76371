/* Changes of texts: words, numbers and lines are moved, copied, dropped and replaced, so that most of what comes of
   it is read beyond the first error. Now and then libFuzzer changes bytes as it does everywhere. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

enum { MOST_TOKENS = 4096, LONGEST = 1 << 16 };

typedef struct token {
    size_t at, length;
} token;

typedef struct dice {
    uint64_t state;
} dice;

static size_t below(dice *d, size_t limit) {
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return limit ? (size_t)((d->state >> 33) % limit) : 0;
}

static int kind_of(uint8_t c) {
    if (isalpha(c) || c == '_' || c >= 128) return 1;
    if (isdigit(c) || c == '.') return 2;
    return isspace(c) ? 3 : 4;
}

/* From a table: it is asked for every byte of every input. */
static int kind(uint8_t c) {
    static uint8_t kinds[256];
    if (!kinds[0])
        for (int k = 0; k < 256; k++) kinds[k] = (uint8_t)kind_of((uint8_t)k);
    return kinds[c];
}

/* Words, numbers, blanks; every other byte alone. */
static size_t find_tokens(token *out, const uint8_t *data, size_t size) {
    size_t count = 0;
    for (size_t at = 0, end; at < size && count < MOST_TOKENS; at = end) {
        int is = kind(data[at]);
        for (end = at + 1; end < size && is != 4 && kind(data[end]) == is;) end++;
        out[count++] = (token){at, end - at};
    }
    return count;
}

static size_t find_lines(token *out, const uint8_t *data, size_t size) {
    size_t count = 0;
    for (size_t at = 0, end; at < size && count < MOST_TOKENS; at = end) {
        for (end = at; end < size && data[end] != '\n';) end++;
        end += end < size;
        out[count++] = (token){at, end - at};
    }
    return count;
}

/* data[at .. at + old) becomes the given bytes. */
static size_t replace(uint8_t *data, size_t size, size_t most, token old, const uint8_t *bytes, size_t length) {
    static uint8_t copy[LONGEST];
    if (length > sizeof copy || size - old.length + length > most) return size;
    memcpy(copy, bytes, length); /* it may lie in data itself */
    memmove(data + old.at + length, data + old.at + old.length, size - old.at - old.length);
    memcpy(data + old.at, copy, length);
    return size - old.length + length;
}

static size_t put_number(uint8_t *data, size_t size, size_t most, token old, dice *d) {
    static const char *const corners[] = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "4",
                                          "7",
                                          "8",
                                          "16",
                                          "255",
                                          "256",
                                          "1000",
                                          "65535",
                                          "65536",
                                          "1048576",
                                          "2147483647",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "4503599627370496",
                                          "9007199254740992",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "18446744073709551615",
                                          "99999999999999999999",
                                          "0.5",
                                          "1e308",
                                          "1e-320",
                                          "0x1p-1074",
                                          "0x1p1023",
                                          "0x1.8p-1"};
    const char *text = corners[below(d, sizeof corners / sizeof *corners)];
    return replace(data, size, most, old, (const uint8_t *)text, strlen(text));
}

size_t fuzz_change_text(uint8_t *data, size_t size, size_t most, unsigned seed) {
    static token tokens[MOST_TOKENS];
    dice d = {seed * 2654435761u + 1};
    if (!size || size > LONGEST / 2 || below(&d, 4) == 0) return LLVMFuzzerMutate(data, size, most);
    for (size_t times = 1 + below(&d, 3); times-- && size;) {
        bool lines = below(&d, 4) == 0;
        size_t count = lines ? find_lines(tokens, data, size) : find_tokens(tokens, data, size);
        token one = tokens[below(&d, count)], other = tokens[below(&d, count)];
        token gap = {one.at, 0};
        switch (below(&d, 6)) {
        case 0: size = replace(data, size, most, one, data, 0); break;
        case 1: size = replace(data, size, most, gap, data + other.at, other.length); break;
        case 2: size = replace(data, size, most, one, data + other.at, other.length); break;
        case 3: /* two change places */
            if (one.at + one.length <= other.at) {
                static uint8_t first[LONGEST];
                memcpy(first, data + one.at, one.length);
                size_t before = size;
                size = replace(data, size, most, one, data + other.at, other.length);
                if (size == before && one.length != other.length) break;
                other.at += other.length - one.length;
                size = replace(data, size, most, other, first, one.length);
            }
            break;
        case 4:
            for (size_t k = 0; k < count && kind(data[one.at]) != 2; k++) one = tokens[below(&d, count)];
            if (kind(data[one.at]) == 2) size = put_number(data, size, most, one, &d);
            break;
        default: { /* a part of the text in brackets, or again */
            size_t from = one.at < other.at ? one.at : other.at, to = one.at < other.at ? other.at : one.at;
            token open = {from, 0}, close = {to, 0};
            if (below(&d, 2)) {
                size = replace(data, size, most, close, (const uint8_t *)")", 1);
                size = replace(data, size, most, open, (const uint8_t *)"(", 1);
            } else {
                size = replace(data, size, most, close, data + from, to - from);
            }
        }
        }
    }
    return size;
}
