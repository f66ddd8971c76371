#include "ordinary/files/ordinary_tokens.h"

#include <string.h>

#include "base/table.h"
#include "model/token_names.h"

ordinary_tokens *ordinary_tokens_make(const struct ordinary_model *m, arena *a) {
    ordinary_tokens *t = arena_zalloc(a, 1, sizeof *t);
    table letters;
    table_init(&letters, a);
    t->count = m->vocabulary;
    t->has_words = m->words;
    t->names = arena_zalloc(a, t->count, sizeof *t->names);
    for (uint32_t k = ORDINARY_LETTERS; k < ordinary_dead(t); k++) {
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
    } others[] = {
        {ORDINARY_BOS, ORDINARY_BOS_NAME}, {ORDINARY_EOS, ORDINARY_EOS_NAME}, {ordinary_dead(t), ORDINARY_DEAD_NAME}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        t->names[others[k].token] =
            token_name(a, t->names + ORDINARY_LETTERS, ordinary_dead(t) - ORDINARY_LETTERS, others[k].name);
    return t;
}
