#include "certify/choices_search.h"

#include <string.h>

#include "base/entry.h"
#include "run/exact_run.h"
#include "run/dense.h"
#include "facts/facts_exhaustive.h"

enum {
    SHORT_STRINGS = 2000, /* all strings up to the length at which there are more are run */
    LONG_STRINGS = 200,   /* random ones of lengths up to the one asked for */
    LONGEST_SEARCHED = 200
};

static void refute(certification *c, const uint32_t *letters, size_t n, size_t output, size_t position, bool soft) {
    uint32_t *copy = arena_alloc(c->arena, n, sizeof *copy);
    if (n) memcpy(copy, letters, n * sizeof *copy);
    c->verdict = TEMPER_REFUTED;
    c->fault.letters = copy;
    c->fault.n = c->fault.length = n;
    c->fault.position = position;
    c->fault.output = output;
    c->reason.length = 0;
    if (c->model->kind != TEMPER_KIND_ACCEPTOR) {
        const char *name = c->model->output_names[output];
        text_printf(
            &c->reason,
            "after %zu letters of a string of length %zu output %zu ('%s') %s in %s, but %s by the model's hard "
            "choices",
            position, n, output + 1, text_escaped(c->arena, name, strlen(name), 40), soft ? "holds" : "does not hold",
            c->type->name, soft ? "does not" : "it does");
        return;
    }
    text_printf(&c->reason, "a string of length %zu is %s in %s, but %s by the model's hard choices", n,
                soft ? "accepted" : "rejected", c->type->name, soft ? "rejected" : "accepted");
}

/* Whether the answers of one string differ where the verdict is read; of models with several outputs, anywhere. */
static bool differs(certification *c, const uint32_t *letters, size_t n, arena *one, arena *scratch) {
    const temper_model *m = c->model;
    size_t verdict = n == 0 ? 0 : m->at == TEMPER_AT_FIRST ? 1 : n, size = n + 1 + m->has_end;
    dense_setting setting = {
        .storage = c->type->storage, .accumulation = c->type->accumulation, .tile = c->type->tile};
    dense_answer soft;
    arena_reset(one);
    arena_reset(scratch);
    dense_run(&soft, m, letters, n, &setting, one, scratch);
    if (soft.broken) return false;
    rational_pool pool;
    rational_pool_init(&pool, one);
    rational *half = rational_array(&pool, 1);
    rational_set_ratio(half, 1, 2);
    arena_reset(scratch);
    const rational *y = exact_run(m, letters, n, NULL, &pool, scratch);
    bool verdict_only = m->kind == TEMPER_KIND_ACCEPTOR;
    for (size_t i = verdict_only ? verdict : 0; i <= (verdict_only ? verdict : n); i++)
        for (size_t k = 0; k < model_output_count(m); k++) {
            bool hard = rational_cmp(&y[k * size + i], half) > 0, found = soft.truth[k * size + i] != 0;
            if (hard == found) continue;
            refute(c, letters, n, k, i, found);
            return true;
        }
    return false;
}

static void search(certification *c, arena *one, arena *scratch) {
    size_t letters = c->model->letters.count, most = c->options.length, n = 0;
    if (most > LONGEST_SEARCHED) most = LONGEST_SEARCHED;
    uint32_t *string = arena_alloc(c->arena, most, sizeof *string);
    for (; n <= most && strings_up_to(letters, n) <= SHORT_STRINGS; n++) {
        memset(string, 0, n * sizeof *string);
        do {
            if (differs(c, string, n, one, scratch)) return;
        } while (next_string(string, n, letters));
    }
    uint64_t dice = 1;
    for (size_t k = 0; k < LONG_STRINGS && n <= most; k++) {
        size_t length = n + k % (most - n + 1);
        random_string(string, length, letters, &dice);
        if (differs(c, string, length, one, scratch)) return;
    }
}

static void search_all(entry *e, void *context) { search(context, &e->memory, &e->scratch); }

void choices_search(certification *c) {
    temper_error why;
    if (entry_run(&why, search_all, c) == TEMPER_NO_MEMORY) trap_reraise(c->trap, &why);
}
