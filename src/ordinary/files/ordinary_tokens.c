#include "ordinary/files/ordinary_tokens.h"

#include <string.h>

#include "base/table.h"
#include "model/token_names.h"

stock_tokens *stock_tokens_make(const struct stock_model *m, arena *a) {
    stock_tokens *t = arena_zalloc(a, 1, sizeof *t);
    table letters;
    table_init(&letters, a);
    t->count = m->vocabulary;
    t->has_words = m->words;
    t->names = arena_zalloc(a, t->count, sizeof *t->names);
    for (uint32_t k = STOCK_LETTERS; k < stock_dead(t); k++) {
        bool fresh;
        const char *letter = t->names[k] = m->tokens[k];
        table_put(&letters, letter, strlen(letter), k, &fresh);
        if (!fresh)
            trap_raise(a->trap, TEMPER_UNSUPPORTED, 0, 0, "two tokens are called '%s'",
                       text_escaped(a, letter, strlen(letter), 40));
    }
    const struct {
        uint32_t token;
        const char *name;
    } others[] = {{STOCK_BOS, STOCK_BOS_NAME}, {STOCK_EOS, STOCK_EOS_NAME}, {stock_dead(t), STOCK_DEAD_NAME}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        t->names[others[k].token] =
            token_name(a, t->names + STOCK_LETTERS, stock_dead(t) - STOCK_LETTERS, others[k].name);
    return t;
}
