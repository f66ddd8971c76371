#include "lab/wrong_scales.h"

static void free_model(void *model) { temper_model_free(model); }

static const char *scale_of(const model_head *h, const wrong_scale *s, bool has_end, arena *a) {
    text t;
    text_init(&t, a);
    if (s->at_most)
        text_printf(&t, "min(%s, %s)", h->scale_text, s->at_most);
    else
        text_printf(&t, "%.17g",
                    expression_eval(h->scale, 0, (double)s->frozen_at, (double)s->frozen_at + 1 + has_end));
    return text_string(&t);
}

temper_model *model_with_wrong_scale(const temper_model *soft, const wrong_scale *s, arena *scratch) {
    temper_scale *scales = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t k = 0; k < soft->layer_count; k++)
        for (uint32_t h = 0; h < soft->layers[k].head_count; h++) {
            const model_head *head = &soft->layers[k].heads[h];
            if (!head->scale) continue;
            temper_scale scale = {.layer = k + 1, .head = h + 1, .scale = scale_of(head, s, soft->has_end, scratch)};
            array_push(scratch, scales, count, capacity, scale);
        }
    temper_model *m;
    temper_error e;
    if (temper_model_with_scale(&m, soft, scales, count, &e)) trap_reraise(scratch->trap, &e);
    arena_on_release(scratch, free_model, m);
    return m;
}
