#include "model/stock_tokens.h"

#include <string.h>

#include "base/table.h"
#include "model/token_names.h"

/* GPT-2's alphabet of bytes: printable Latin-1 stands for itself, the others for U+0100 and on, in their order. */
static bool is_printable(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

static uint32_t mapped_byte(unsigned byte) {
    uint32_t before = 0;
    if (is_printable(byte)) return byte;
    for (unsigned b = 0; b < byte; b++) before += !is_printable(b);
    return 0x100 + before;
}

static void put_mapped(text *out, const char *bytes, size_t length) {
    for (size_t k = 0; k < length; k++) {
        char code[4];
        text_add(out, code, utf8_encode(code, mapped_byte((unsigned char)bytes[k])));
    }
}

bool stock_token_unmap(text *out, const char *mapped) {
    size_t length = strlen(mapped);
    for (size_t at = 0; at < length;) {
        uint32_t code;
        size_t size = utf8_decode(&code, mapped + at, length - at);
        unsigned byte = 0;
        while (byte < 256 && mapped_byte(byte) != code) byte++;
        if (!size || byte == 256) return false;
        text_putc(out, (char)byte);
        at += size;
    }
    return true;
}

/* ---- merges ---- */

/* The bytes of a character are put together from the left; no merge begins with a byte that does not begin one, so
   that the order of merges does not matter. */
static void add_merges(stock_tokens *t, const char *letter, table *known, arena *a) {
    size_t length = strlen(letter);
    for (size_t k = 1; k < length; k++) {
        text merge;
        bool fresh;
        text_init(&merge, a);
        put_mapped(&merge, letter, k);
        text_putc(&merge, ' ');
        put_mapped(&merge, letter + k, 1);
        table_put(known, merge.data, merge.length, 0, &fresh);
        if (fresh) array_push(a, t->merges, t->merge_count, t->merge_capacity, text_string(&merge));
    }
}

stock_tokens *stock_tokens_make(const struct stock_model *m, arena *a) {
    stock_tokens *t = arena_zalloc(a, 1, sizeof *t);
    table letters, merges, mapped;
    table_init(&letters, a);
    table_init(&merges, a);
    table_init(&mapped, a);
    t->count = m->vocabulary;
    t->has_words = m->words;
    t->names = arena_zalloc(a, t->count, sizeof *t->names);
    t->mapped = arena_zalloc(a, t->count, sizeof *t->mapped);
    t->is_word = arena_zalloc(a, t->count, sizeof *t->is_word);
    for (uint32_t k = STOCK_LETTERS; k < stock_dead(t); k++) {
        bool fresh;
        const char *letter = t->names[k] = m->tokens[k];
        table_put(&letters, letter, strlen(letter), k, &fresh);
        if (!fresh)
            trap_raise(a->trap, TEMPER_UNSUPPORTED, 0, 0, "two tokens are called '%s'",
                       text_escaped(a, letter, strlen(letter), 40));
        bool is_long = token_character_count(letter) != 1;
        t->is_word[k] = is_long && k < STOCK_LETTERS + m->letters;
        if (!is_long) add_merges(t, letter, &merges, a);
    }
    const uint32_t others[] = {STOCK_BOS, STOCK_EOS, stock_dead(t)};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        t->names[others[k]] =
            token_name(a, t->names + STOCK_LETTERS, stock_dead(t) - STOCK_LETTERS, m->tokens[others[k]]);
    for (uint32_t k = 0; k < t->count; k++) {
        text name;
        text_init(&name, a);
        if (stock_is_letter(t, k) && !t->is_word[k])
            put_mapped(&name, t->names[k], strlen(t->names[k]));
        else
            text_puts(&name, t->names[k]);
        t->mapped[k] = text_string(&name);
        bool fresh;
        table_put(&mapped, name.data, name.length, k, &fresh);
        if (!fresh)
            trap_raise(a->trap, TEMPER_UNSUPPORTED, 0, 0, "the token '%s' is another one's bytes in GPT-2's alphabet",
                       text_escaped(a, t->names[k], strlen(t->names[k]), 40));
    }
    return t;
}
