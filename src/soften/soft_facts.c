#include "soften/soft_facts.h"

#include <string.h>

#include "bound/choice_sums.h"

static void copy_channels(known *to, const soft_model *soft, const known *from) {
    for (uint32_t c = 0; c < soft->model->channel_count; c++) {
        if (soft->source[c] != CHANNEL_ADDED)
            to[c] = from[soft->source[c]];
        else if (soft->model->channels[c].soft_only)
            to[c] = (known){0, 0, GRID_ANY};
        else
            to[c] = (known){1, 1, 0}; /* the feature 1, for the query of a tie-break */
    }
}

static known scaled(known x, double factor) {
    int shift = log2_of(factor);
    return (known){x.lo * factor, x.hi * factor, x.grid == GRID_ANY || x.grid <= GRID_NONE ? x.grid : x.grid + shift};
}

static void copy_head(head_facts *to, const head_facts *from, const model_head *soft, const model_head *hard,
                      double factor) {
    to->uniform = from->uniform;
    to->tieless = from->tieless;
    to->gap = from->gap * factor;
    to->log2_gap = from->log2_gap + log2_of(factor);
    for (uint32_t d = 0; d < hard->query.count; d++) {
        to->query[d] = scaled(from->query[d], factor);
        to->key[d] = from->key[d];
    }
    for (uint32_t d = hard->query.count; d < soft->query.count; d++) { /* the tie-break */
        double weight = rows_begin_of(&soft->query, d)->weight;
        to->query[d] = (known){weight, weight, double_grid(weight)};
        to->key[d] = (known){0, 0, GRID_ANY};
    }
    for (uint32_t d = 0; d < hard->value.count; d++) {
        to->value[d] = from->value[d];
        to->output[d] = from->output[d];
    }
}

static facts *of_length(const subject_model *s, const soft_model *soft, const temper_model *hard, const facts *from,
                        arena *a) {
    facts *to = facts_new(s, from->n, a);
    uint32_t head = 0;
    for (uint32_t l = 0; l < hard->layer_count; l++) {
        const layer_facts *of = &from->layers[l];
        copy_channels(to->layers[l].before, soft, of->before);
        copy_channels(to->layers[l].middle, soft, of->middle);
        for (uint32_t h = 0; h < hard->layers[l].head_count; h++, head++)
            copy_head(&to->layers[l].heads[h], &of->heads[h], &soft->model->layers[l].heads[h],
                      &hard->layers[l].heads[h], soft->factors ? soft->factors[head] : 1);
        for (uint32_t b = 0; b < s->bundles[l].count; b++) {
            to->layers[l].bundles[b].input = of->bundles[b].input;
            memcpy(to->layers[l].bundles[b].distance, of->bundles[b].distance,
                   (s->bundles[l].items[b].corner_count + 1) * sizeof *of->bundles[b].distance);
        }
    }
    copy_channels(to->after, soft, from->after);
    to->margin = from->margin;
    to->margin_everywhere = from->margin_everywhere;
    return to;
}

void soft_facts_find(hard_facts *out, const soft_model *soft, const temper_model *hard, facts *const *of_hard,
                     size_t length, arena *keep, arena *scratch) {
    hard_facts_begin(out, soft->model, length, keep);
    for (size_t n = 0; n <= length; n++) {
        arena_reset(scratch);
        hard_facts_add(out, of_length(&out->s, soft, hard, of_hard[n], scratch));
    }
    arena_reset(scratch);
}
