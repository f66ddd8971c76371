/* phi at a computed position: the look-up of doc/theory.md, "Look-up: a computed position". One uniform head makes
   e/(i + 1), the constant lying on the sentinel of the range; the look-up's key is the position and its value phi. */
#include "compile/lower.h"

#include <math.h>

uint32_t read_level(const lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t level = level_of(w, formula_kid(w->g, id, 0)) + 1;
    for (size_t k = 1; k < n->kid_count; k++) level = max_u32(level, w->level[formula_kid(w->g, id, k)] + 2);
    return max_u32(level, 2);
}

static bool looks_forward(const lowering *w, node_id id) {
    return formula_at(w->g, id)->kid_count > 1 && formula_at(w->g, formula_kid(w->g, id, 1))->op == OP_COUNT_FUTURE;
}

/* Weights of one channel add up, and negations meet in `real`: within 2^51 together, every such sum is exact. */
static void check_weights(const lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    double total = fabs((double)n->constant);
    for (size_t k = 1; k < n->kid_count; k++) total += fabs((double)formula_weight(w->g, id, k));
    if (total > 0x1p51)
        trap_raise(w->arena->trap, TEMPER_LIMIT, 0, 0,
                   "coefficients of a position that are too large together for exact sums in a transformer (eval can "
                   "still answer)");
}

/* requires the position, or n + 1 less it where `from_end`, to have no n in it */
static channel_id place_mean(lowering *w, node_id id, bool from_end, temper_mask mask) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t before = w->level[id] - 1;
    double sign = from_end ? -1 : 1;
    bool negative = sign * (double)n->constant < 0;
    draft_form sum = {0};
    for (size_t k = 1; k < n->kid_count; k++) {
        draft_form kid = exact_form(w, formula_kid(w->g, formula_kid(w->g, id, k), 0));
        double weight = sign * exact_weight(w, formula_weight(w->g, id, k));
        form_add_form(w->d, &sum, &kid, weight);
        negative = negative || weight < 0;
    }
    channel_id sentinel = mask == TEMPER_MASK_FROM ? end_channel(w) : start_channel(w);
    if (n->constant) form_add(w->d, &sum, sentinel, sign * exact_weight(w, n->constant));
    return draft_value(w->d, count_head(w, before, mask), before, &sum,
                       lower_label(w, "mean for the position of %s", w->labels[id]), negative);
}

void lower_read(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t layer = w->level[id];
    bool from_end = n->residue == 1;
    temper_mask averaged = looks_forward(w, id) ? TEMPER_MASK_FROM : TEMPER_MASK_UP_TO;
    check_weights(w, id);
    channel_id mean = place_mean(w, id, from_end, averaged);
    draft_head *h = lookup_head(w, layer, n->mask, mean, averaged, from_end);
    draft_form value = exact_form(w, formula_kid(w->g, id, 0));
    w->raw[id] = draft_value(w->d, h, layer, &value, w->labels[id], false);
    w->d->places[id] = (draft_place){.layer = layer, .head = h->number, .channel = w->raw[id]};
}
