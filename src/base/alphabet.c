#include "base/alphabet.h"

#include <stdlib.h>
#include <string.h>

#include "base/entry.h"

void alphabet_init(alphabet *s, arena *a, bool tokens) {
    memset(s, 0, sizeof *s);
    s->arena = a;
    s->tokens = tokens;
    s->other = UINT32_MAX;
    memset(s->ascii, 0xFF, sizeof s->ascii);
    table_init(&s->index, a);
}

uint32_t alphabet_add(alphabet *s, const char *letter, size_t length) {
    const uint32_t *known = table_find(&s->index, letter, length);
    if (known) return *known;
    if (s->count == ALPHABET_LIMIT)
        trap_raise(s->arena->trap, TEMPER_LIMIT, 0, 0, "more than %d letters", ALPHABET_LIMIT);
    char *copy = arena_copy(s->arena, letter, length);
    bool fresh;
    uint32_t number = (uint32_t)s->count;
    table_put(&s->index, copy, length, number, &fresh);
    array_push(s->arena, s->letters, s->count, s->capacity, copy);
    if (length == 1 && (unsigned char)letter[0] < 128) s->ascii[(unsigned char)letter[0]] = number;
    return number;
}

uint32_t alphabet_find(const alphabet *s, const char *letter, size_t length) {
    const uint32_t *known = table_find(&s->index, letter, length);
    return known ? *known : UINT32_MAX;
}

void alphabet_copy(alphabet *to, arena *a, const alphabet *from) {
    alphabet_init(to, a, from->tokens);
    for (size_t k = 0; k < from->count; k++) alphabet_add(to, from->letters[k], strlen(from->letters[k]));
    to->other = from->other;
}

const char *alphabet_other(const alphabet *s) { return s->other == UINT32_MAX ? NULL : s->letters[s->other]; }

bool alphabet_can_read(const alphabet *s, const char *letter) {
    uint32_t code;
    if (s->tokens) return letter[strcspn(letter, " \t\n\r\v\f")] == 0;
    return utf8_decode(&code, letter, strlen(letter)) == strlen(letter);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

/* The next letter at bytes[*at]: its length, or 0 at the end. Moves *at to it. Invalid UTF-8 counts as one byte. */
static size_t next_letter(size_t *at, const alphabet *s, const char *bytes, size_t length) {
    if (s->tokens) {
        while (*at < length && is_blank(bytes[*at])) ++*at;
        size_t end = *at;
        while (end < length && !is_blank(bytes[end])) end++;
        return end - *at;
    }
    if (*at == length) return 0;
    uint32_t code;
    size_t size = utf8_decode(&code, bytes + *at, length - *at);
    return size ? size : 1;
}

static _Noreturn void unknown_letter(const alphabet *s, const char *letter, size_t size, size_t position,
                                     arena *scratch) {
    const char *shown = text_escaped(scratch, letter, size, 40), *what = s->tokens ? "token" : "letter";
    uint32_t code;
    if (!s->tokens && !utf8_decode(&code, letter, size))
        trap_raise(scratch->trap, TEMPER_RANGE, 0, position, "byte %s at position %zu is not valid UTF-8", shown,
                   position);
    trap_raise(scratch->trap, TEMPER_RANGE, 0, position, "unknown %s '%s' at position %zu", what, shown, position);
}

/* The number of a letter or token of a string. */
static uint32_t letter_number(const alphabet *s, const char *letter, size_t size) {
    if (size == 1 && (unsigned char)letter[0] < 128) return s->ascii[(unsigned char)letter[0]];
    return alphabet_find(s, letter, size);
}

uint32_t *alphabet_encode(size_t *n, const alphabet *s, const char *bytes, size_t length, arena *scratch) {
    uint32_t *out = caller_alloc(scratch->trap, length, sizeof *out); /* a letter has at least one byte */
    size_t count = 0;
    for (size_t at = 0, size; (size = next_letter(&at, s, bytes, length)) != 0; at += size) {
        uint32_t number = letter_number(s, bytes + at, size);
        if (number == UINT32_MAX) number = s->other;
        if (number == UINT32_MAX) {
            free(out);
            unknown_letter(s, bytes + at, size, count + 1, scratch);
        }
        out[count++] = number;
    }
    *n = count;
    return out;
}

bool alphabet_same(const alphabet *a, const alphabet *b) {
    if (a->count != b->count || a->tokens != b->tokens) return false;
    for (size_t k = 0; k < a->count; k++)
        if (strcmp(a->letters[k], b->letters[k]) != 0) return false;
    return true;
}

typedef struct encode_call {
    uint32_t **letters;
    size_t *n;
    const alphabet *alphabet;
    const char *text;
    size_t length;
} encode_call;

static void encode(entry *e, void *context) {
    const encode_call *c = context;
    *c->letters = alphabet_encode(c->n, c->alphabet, c->text, c->length, &e->scratch);
}

temper_status alphabet_encode_entry(uint32_t **letters, size_t *n, const alphabet *s, const char *bytes,
                                    size_t length, temper_error *err) {
    encode_call call = {letters, n, s, bytes, length};
    *letters = NULL;
    *n = 0;
    return entry_run(err, encode, &call);
}
