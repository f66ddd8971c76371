#include "model/gguf_tokens.h"

#include <string.h>

#include "base/table.h"
#include "model/gguf_map.h"
#include "model/letter_clients.h"

/* U+2581, as llama.cpp writes a blank. */
static const char MARK[] = "\xe2\x96\x81";

const char *gguf_token_letter(const char *token_text, bool words, arena *a) {
    size_t mark = strlen(MARK);
    bool marked = strncmp(token_text, MARK, mark) == 0;
    if (words) return marked ? arena_copy(a, token_text + mark, strlen(token_text) - mark) : NULL;
    return strcmp(token_text, MARK) == 0 ? " " : token_text;
}

static const char *text_of(const stock_tokens *t, uint32_t k, arena *a) {
    text out;
    const char *name = t->names[k];
    if (!stock_is_letter(t, k)) return name;
    if (!t->has_words) return strcmp(name, " ") == 0 ? MARK : name;
    text_init(&out, a);
    text_printf(&out, "%s%s", MARK, name);
    return text_string(&out);
}

/* <s> in a text is text, so its type is none that llama.cpp looks for there. Texts that are only written are cut out of
   a string only where it has no letters, and are <dead> then. */
static void add_token(gguf_tokens *out, const struct stock_model *m, const stock_tokens *t, uint32_t k, arena *a) {
    out->texts[k] = text_of(t, k, a);
    out->scores[k] = k >= STOCK_LETTERS + m->letters && stock_is_letter(t, k) ? -1 : 0;
    out->types[k] = stock_is_letter(t, k) ? GGUF_TOKEN_NORMAL
                    : k == STOCK_BOS      ? GGUF_TOKEN_UNDEFINED
                    : k == STOCK_EOS      ? GGUF_TOKEN_CONTROL
                                          : GGUF_TOKEN_UNKNOWN;
}

gguf_tokens *gguf_tokens_make(const struct stock_model *m, const stock_tokens *t, arena *a) {
    gguf_tokens *out = arena_zalloc(a, 1, sizeof *out);
    table known;
    table_init(&known, a);
    out->count = t->count;
    out->texts = arena_alloc(a, t->count, sizeof *out->texts);
    out->scores = arena_alloc(a, t->count, sizeof *out->scores);
    out->types = arena_alloc(a, t->count, sizeof *out->types);
    letter_clients_check(&(letter_list){t->names + STOCK_LETTERS, t->count - STOCK_LETTERS - 1, t->has_words},
                         CLIENTS_OF_GGUF, TEMPER_UNSUPPORTED, a);
    for (uint32_t k = 0; k < t->count; k++) {
        bool fresh;
        add_token(out, m, t, k, a);
        table_put(&known, out->texts[k], strlen(out->texts[k]), k, &fresh);
        if (!fresh)
            trap_raise(a->trap, TEMPER_UNSUPPORTED, 0, 0, "two tokens are called '%s'",
                       text_escaped(a, out->texts[k], strlen(out->texts[k]), 40));
    }
    text_init(&out->map, a);
    const letter_list letters = {t->names + STOCK_LETTERS, m->letters, t->has_words};
    gguf_map_print(&out->map, &letters, m->other ? t->names[m->other] : NULL);
    return out;
}
