/* MATCH: one head that looks for the pattern of i (doc/theory.md, "Match"). Scores are products of what holds at i
   and at j; the sentinel at the end of the mask always has the largest score, and stands for "there is none". */
#include "compile/lower.h"

/* Remainders of the position modulo one number, each once and the same at i and at j: exactly one holds. */
static bool is_one_hot(const lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    size_t count = normal_conditions(n);
    for (size_t k = 0; k < count; k++) {
        node_id x = formula_kid(w->g, id, 2 * k);
        const formula_node *test = formula_at(w->g, x);
        if (x != formula_kid(w->g, id, 2 * k + 1) || !is_place_test(w->g, x)) return false;
        if (test->compare != CMP_EQ || test->modulus != (int64_t)count || test->residue != (int64_t)k) return false;
        if (test->constant != 0 || formula_weight(w->g, x, 0) != 1) return false;
    }
    return true;
}

void lower_match(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    size_t count = normal_conditions(n);
    uint32_t layer = w->level[id];
    bool past = n->mask == TEMPER_MASK_BEFORE || n->mask == TEMPER_MASK_UP_TO, one_hot = is_one_hot(w, id);
    draft_form *query = arena_zalloc(w->arena, count + 1, sizeof *query);
    draft_form *key = arena_zalloc(w->arena, count + 1, sizeof *key), value;
    for (size_t k = 0; k < count; k++) {
        draft_form there = exact_form(w, formula_kid(w->g, id, 2 * k));
        draft_form here = exact_form(w, formula_kid(w->g, id, 2 * k + 1));
        form_add_form(w->d, &query[k], &here, one_hot ? 1 : 2);
        form_add_form(w->d, &key[k], &there, 1);
        if (one_hot) continue;
        form_add(w->d, &query[k], real_channel(w), -1); /* 1 or -1, times 1/2 or -1/2 */
        form_add(w->d, &key[k], real_channel(w), -0.5);
    }
    form_add(w->d, &query[count], one_channel(w), 1);
    form_add(w->d, &key[count], past ? start_channel(w) : end_channel(w), one_hot ? 1 : 0.5 * (double)count);
    value = exact_form(w, formula_kid(w->g, id, 2 * count));
    draft_head *h = draft_head_for(w->d, layer, ROLE_MATCH, n->mask, n->choice, query, key, count + 1);
    w->raw[id] = draft_value(w->d, h, layer, &value, w->labels[id], false);
    w->d->places[id] = (draft_place){.layer = layer, .head = h->number, .channel = w->raw[id]};
}
