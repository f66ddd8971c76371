/* Automata as tables that read back. */
#include <stdlib.h>
#include <string.h>

#include "automata/dfa_table.h"

/* A character of a label, inside or outside of a class. */
static void put_character(text *out, uint32_t code, bool in_class) {
    char utf8[4];
    if (code == '\n' || code == '\t') {
        text_puts(out, code == '\n' ? "\\n" : "\\t");
    } else if (code <= ' ' || code == 0x7F) {
        text_printf(out, "\\x%02X", (unsigned)code);
    } else if (code < 0x80) {
        if (strchr(in_class ? "\\]^[-" : "\\.[<{};-/", (int)code)) text_putc(out, '\\');
        text_putc(out, (char)code);
    } else if (text_escaped(out->arena, utf8, utf8_encode(utf8, code), 0)[0] == '\\') {
        text_printf(out, "\\u{%X}", (unsigned)code);
    } else {
        text_add(out, utf8, utf8_encode(utf8, code));
    }
}

static void put_token(text *out, const char *word) {
    text_putc(out, '<');
    for (const char *c = word; *c; c++) {
        if (*c == '>' || *c == '\\') text_putc(out, '\\');
        text_putc(out, *c);
    }
    text_putc(out, '>');
}

static int compare_codes(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

static void put_characters(text *out, uint32_t *codes, size_t count) {
    if (count == 1 && codes[0] != '<') {
        put_character(out, codes[0], false);
        return;
    }
    qsort(codes, count, sizeof *codes, compare_codes);
    text_putc(out, '[');
    for (size_t k = 0, end; k < count; k = end) {
        for (end = k + 1; end < count && codes[end] == codes[end - 1] + 1;) end++;
        if (end - k > 2) {
            put_character(out, codes[k], true);
            text_putc(out, '-');
            put_character(out, codes[end - 1], true);
        } else {
            for (size_t i = k; i < end; i++) put_character(out, codes[i], true);
        }
    }
    text_putc(out, ']');
}

void dfa_print_label(text *out, const dfa *d, const alphabet *letters, uint32_t from, uint32_t to) {
    uint32_t *codes = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t k = 0; k < d->letter_count; k++) {
        if (from != DFA_ANYWHERE && dfa_next(d, from, d->class_of[k]) != to) continue;
        uint32_t code = k;
        if (!letters->tokens) utf8_decode(&code, letters->letters[k], strlen(letters->letters[k]));
        array_push(out->arena, codes, count, capacity, code);
    }
    if (!letters->tokens) {
        put_characters(out, codes, count);
        return;
    }
    if (count > 1) text_putc(out, '[');
    for (size_t k = 0; k < count; k++) put_token(out, letters->letters[codes[k]]);
    if (count > 1) text_putc(out, ']');
}

static bool is_dead(const dfa *d, uint32_t state) {
    bool dead = !d->accepts[state] && state != d->start;
    for (uint32_t c = 0; dead && c < d->class_count; c++) dead = dfa_next(d, state, c) == state;
    return dead;
}

void dfa_print_table(text *out, const dfa *d, const alphabet *letters) {
    bool *done = arena_alloc(out->arena, d->class_count, sizeof *done), some = false;
    text_printf(out, "start q%u\n", d->start);
    for (uint32_t s = 0; s < d->state_count; s++) some |= d->accepts[s];
    if (some) text_puts(out, "accept");
    for (uint32_t s = 0; s < d->state_count; s++)
        if (d->accepts[s]) text_printf(out, " q%u", s);
    if (some) text_putc(out, '\n');
    for (uint32_t s = 0; s < d->state_count; s++) {
        if (is_dead(d, s)) continue;
        memset(done, 0, d->class_count * sizeof *done);
        for (uint32_t c = 0; c < d->class_count; c++) {
            uint32_t to = dfa_next(d, s, c);
            if (done[c] || is_dead(d, to)) continue;
            for (uint32_t e = c; e < d->class_count; e++) done[e] |= dfa_next(d, s, e) == to;
            text_printf(out, "q%u ", s);
            dfa_print_label(out, d, letters, s, to);
            text_printf(out, " q%u\n", to);
        }
    }
}
