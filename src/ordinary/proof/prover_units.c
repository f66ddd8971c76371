/* Scores of content in whole units (doc/ordinary.md, "Heads that choose"). */
#include <math.h>

#include "ordinary/proof/prover.h"

/* A key is whole numbers and this much more, which depends on the position alone. False: it is not. */
static bool rest_of_key(const prover *p, const ideal_form *key, double *rest) {
    for (size_t j = 0; j < p->positions; j++) rest[j] = j ? key->one : key->start;
    for (size_t t = 0; t < key->count; t++) {
        const ideal_node *n = &p->x->nodes[key->terms[t].node];
        double w = key->terms[t].weight;
        if (!n->whole || (w != rint(w) && n->kind != IDEAL_PLACE)) return false;
        for (size_t j = 1; j < p->positions && w != rint(w); j++) rest[j] += w * n->values[j];
    }
    return true;
}

/* The key's number at position 1. False: it depends on the letter. */
static bool first_key(const prover *p, const ideal_form *key, double *out) {
    *out = key->one;
    for (size_t t = 0; t < key->count; t++) {
        const ideal_node *n = &p->x->nodes[key->terms[t].node];
        if (n->kind != IDEAL_PLACE && n->kind != IDEAL_BEFORE) return false;
        *out += key->terms[t].weight * (n->kind == IDEAL_PLACE ? n->values[1] : p->x->forms[n->value].start);
    }
    return true;
}

/* Whether position 1 beats the start sentinel by a unit in every other row, so that it is not chosen. */
static bool is_start_beaten(const prover *p, const ideal_product *products, size_t count) {
    double gap = 0, key, least, most;
    for (size_t r = 0; r < count; r++) {
        if (p->positions < 2 || !first_key(p, &products[r].key, &key)) return false;
        ideal_letter_range(p->x, &products[r].query, &least, &most);
        key -= products[r].key.start;
        gap += fmin(key * least, key * most);
    }
    return gap >= 1;
}

bool prover_is_apart_by_units(const prover *p, const ideal_product *products, size_t count) {
    double *sum = arena_zalloc(p->arena, p->positions, sizeof *sum);
    double *rest = arena_alloc(p->arena, p->positions, sizeof *rest);
    size_t from = is_start_beaten(p, products, count);
    for (size_t r = 0; r < count; r++) {
        ideal_form query = products[r].query;
        bool same = true;
        if (!ideal_is_whole(p->x, &query, 1) || !rest_of_key(p, &products[r].key, rest)) return false;
        for (size_t j = from; j < p->positions; j++) {
            if (2 * rest[j] != rint(2 * rest[j])) return false;
            same = same && rest[j] - rest[from] == rint(rest[j] - rest[from]);
            sum[j] += rest[j] * query.one;
        }
        query.one = query.start = 0;
        if (!same && !ideal_is_whole(p->x, &query, 2)) return false;
        for (size_t j = from; j < p->positions && same; j++) sum[j] -= rest[j] * products[r].query.one;
    }
    for (size_t j = from; j < p->positions; j++)
        if (sum[j] - sum[from] != rint(sum[j] - sum[from])) return false;
    return true;
}
