#include "lab/language_sample.h"

#include <string.h>

static uint64_t draw_number(void *context) { return lab_random(context); }

void sample_make(sample *x, lab *l, const language *g, size_t n, size_t count, arena *scratch) {
    memset(x, 0, sizeof *x);
    x->count = count;
    for (size_t k = 0; k < count; k++) {
        uint32_t *w = arena_alloc(scratch, n + 1, sizeof *w);
        x->n[k] = language_string(w, n, g, (string_kind)(k % STRING_KINDS), draw_number, l, scratch);
        x->letters[k] = w;
        x->has[k] = language_has(g, w, x->n[k]);
    }
}

size_t sample_members(const sample *x) {
    size_t members = 0;
    for (size_t k = 0; k < x->count; k++) members += x->has[k];
    return members;
}

size_t sample_wrong(const sample *x, const temper_model *m, bool hard, lab *l) {
    unsigned char accept[STRINGS];
    size_t wrong = 0;
    temper_error e;
    temper_run_options o = {.hard = hard, .unchecked = 1, .threads = 1};
    if (temper_model_run_many(accept, m, x->letters, x->n, x->count, &o, &e)) trap_reraise(l->trap, &e);
    for (size_t k = 0; k < x->count; k++) wrong += accept[k] != x->has[k];
    return wrong;
}
