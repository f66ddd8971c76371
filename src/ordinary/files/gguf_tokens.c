#include "ordinary/files/gguf_tokens.h"

#include <string.h>

#include "base/table.h"
#include "ordinary/files/gguf_map.h"
#include "model/letter_clients.h"

/* U+2581, as llama.cpp writes a blank. */
static const char MARK[] = "\xe2\x96\x81";

const char *gguf_token_name(const char *token_text, uint32_t k, uint32_t count, bool words, arena *a) {
    size_t length = strlen(token_text), mark = strlen(MARK);
    bool letter = k >= ORDINARY_LETTERS && k + 1 < count;
    if (letter && !words) return strcmp(token_text, MARK) == 0 ? " " : token_text;
    const char *begin = letter ? token_text + mark : token_text;
    if (length < mark || strncmp(letter ? token_text : token_text + length - mark, MARK, mark) != 0) return NULL;
    return arena_copy(a, begin, length - mark);
}

/* llama.cpp looks for names of control tokens in a text if it is asked to: the mark behind them is in no letter. */
static const char *text_of(const ordinary_tokens *t, uint32_t k, arena *a) {
    text out;
    const char *name = t->names[k];
    bool letter = ordinary_is_letter(t, k);
    if (letter && !t->has_words) return strcmp(name, " ") == 0 ? MARK : name;
    text_init(&out, a);
    text_printf(&out, "%s%s%s", letter ? MARK : "", name, letter ? "" : MARK);
    return text_string(&out);
}

/* Texts that are only written are cut out of a string only where it has more than letters, and are <dead>, too. */
static void add_token(gguf_tokens *out, const struct ordinary_model *m, const ordinary_tokens *t, uint32_t k,
                      arena *a) {
    out->texts[k] = text_of(t, k, a);
    out->scores[k] = k >= ORDINARY_LETTERS + m->letters && ordinary_is_letter(t, k) ? -1 : 0;
    out->types[k] = ordinary_is_letter(t, k) ? GGUF_TOKEN_NORMAL
                    : k == ordinary_dead(t)  ? GGUF_TOKEN_UNKNOWN
                                             : GGUF_TOKEN_CONTROL;
}

gguf_tokens *gguf_tokens_make(const struct ordinary_model *m, const ordinary_tokens *t, temper_status code,
                              arena *a) {
    gguf_tokens *out = arena_zalloc(a, 1, sizeof *out);
    table known;
    table_init(&known, a);
    out->count = t->count;
    out->texts = arena_alloc(a, t->count, sizeof *out->texts);
    out->scores = arena_alloc(a, t->count, sizeof *out->scores);
    out->types = arena_alloc(a, t->count, sizeof *out->types);
    letter_clients_check(&(letter_list){.letters = t->names + ORDINARY_LETTERS,
                                        .count = t->count - ORDINARY_LETTERS - 1,
                                        .words = t->has_words},
                         CLIENTS_OF_GGUF, code, a);
    for (uint32_t k = 0; k < t->count; k++) {
        bool fresh;
        add_token(out, m, t, k, a);
        table_put(&known, out->texts[k], strlen(out->texts[k]), k, &fresh);
        if (!fresh)
            trap_raise(a->trap, code, 0, 0, "two tokens are called '%s'",
                       text_escaped(a, out->texts[k], strlen(out->texts[k]), 40));
    }
    text_init(&out->map, a);
    const letter_list letters = {.letters = t->names + ORDINARY_LETTERS, .count = m->letters, .words = t->has_words};
    gguf_map_print(&out->map, &letters, m->other ? t->names[m->other] : NULL);
    return out;
}
