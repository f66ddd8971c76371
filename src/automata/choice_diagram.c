#include "automata/choice_diagram.h"

#include <string.h>

static choice_id share(choice_diagrams *d, const uint32_t *key, size_t length, choice_node node) {
    bool fresh;
    const uint32_t *known = table_find(&d->index, key, length * sizeof *key);
    if (known) return *known;
    uint32_t *kept = arena_alloc(d->arena, length, sizeof *kept);
    memcpy(kept, key, length * sizeof *key);
    table_put(&d->index, kept, length * sizeof *key, (uint32_t)d->count, &fresh);
    array_push(d->arena, d->nodes, d->count, d->capacity, node);
    return (choice_id)d->count - 1;
}

choice_id choices_leaf(choice_diagrams *d, const uint64_t *options) {
    size_t length = 1 + 2 * (size_t)d->words;
    uint32_t small[33], *key = length <= 33 ? small : arena_alloc(d->arena, length, sizeof *key);
    key[0] = UINT32_MAX;
    memcpy(key + 1, options, d->words * sizeof *options);
    const uint32_t *known = table_find(&d->index, key, length * sizeof *key);
    if (known) return *known;
    uint64_t *kept = arena_alloc(d->arena, d->words, sizeof *kept);
    memcpy(kept, options, d->words * sizeof *options);
    return share(d, key, length, (choice_node){.level = UINT32_MAX, .options = kept});
}

void choices_init(choice_diagrams *d, uint32_t option_count, arena *a) {
    *d = (choice_diagrams){.arena = a, .words = (option_count + 63) / 64, .option_count = option_count};
    table_init(&d->index, a);
    table_init(&d->merged, a);
    uint64_t *all = arena_zalloc(a, d->words, sizeof *all);
    for (uint32_t k = 0; k < option_count; k++) all[k / 64] |= (uint64_t)1 << (k % 64);
    d->any = choices_leaf(d, all);
}

choice_id choices_one(choice_diagrams *d, uint32_t option) {
    uint64_t *one = arena_zalloc(d->arena, d->words, sizeof *one);
    one[option / 64] = (uint64_t)1 << (option % 64);
    return choices_leaf(d, one);
}

static uint32_t *room_for(choice_diagrams *d, int which, size_t count) {
    if (count > d->room_size[which])
        d->room[which] = arena_grow(d->arena, d->room[which], &d->room_size[which], count, sizeof **d->room);
    return d->room[which];
}

static choice_id decision(choice_diagrams *d, uint32_t level, const choice_id *kids, uint32_t count) {
    size_t length = (size_t)count + 1;
    uint32_t *key = room_for(d, 2, length);
    key[0] = level;
    memcpy(key + 1, kids, count * sizeof *kids);
    const uint32_t *known = table_find(&d->index, key, length * sizeof *key);
    if (known) return *known;
    choice_id *kept = arena_alloc(d->arena, count, sizeof *kept);
    memcpy(kept, kids, count * sizeof *kept);
    return share(d, key, length, (choice_node){.level = level, .count = count, .kids = kept});
}

static choice_id merge_leaves(choice_diagrams *d, choice_id x, choice_id y) {
    uint64_t *both = arena_alloc(d->arena, d->words, sizeof *both);
    uint64_t some = 0;
    for (uint32_t w = 0; w < d->words; w++) some |= both[w] = d->nodes[x].options[w] & d->nodes[y].options[w];
    return some ? choices_leaf(d, both) : NO_CHOICE;
}

/* Recursion goes down by levels, which are fewer than the states of the automaton. Where one diagram asks for a level
   that the other does not, the other is the same for all values. */
static choice_id merge_new(choice_diagrams *d, choice_id x, choice_id y) {
    choice_node p = d->nodes[x], q = d->nodes[y];
    if (!p.count && !q.count) return merge_leaves(d, x, y);
    uint32_t level = p.level < q.level ? p.level : q.level;
    uint32_t count = p.level == level ? p.count : q.count;
    choice_id *kids = arena_alloc(d->arena, count, sizeof *kids);
    bool same = true;
    for (uint32_t k = 0; k < count; k++) {
        kids[k] = choices_merge(d, p.level == level ? p.kids[k] : x, q.level == level ? q.kids[k] : y);
        if (kids[k] == NO_CHOICE) return NO_CHOICE;
        same = same && kids[k] == kids[0];
    }
    return same ? kids[0] : decision(d, level, kids, count);
}

choice_id choices_merge(choice_diagrams *d, choice_id x, choice_id y) {
    if (x == y || y == d->any) return x;
    if (x == d->any) return y;
    uint32_t pair[2] = {x < y ? x : y, x < y ? y : x};
    const uint32_t *known = table_find(&d->merged, pair, sizeof pair);
    if (known) return *known;
    choice_id z = merge_new(d, pair[0], pair[1]);
    uint32_t *key = arena_alloc(d->arena, 2, sizeof *key);
    bool fresh;
    memcpy(key, pair, sizeof pair);
    table_put(&d->merged, key, sizeof pair, z, &fresh);
    return z;
}

/* Values with a common choice share it: first fit, the preferred value first, so that free cells join it. */
choice_id choices_ask(choice_diagrams *d, uint32_t level, const choice_id *kids, uint32_t count, uint32_t preferred) {
    uint32_t groups = 0, equal = 1;
    while (equal < count && kids[equal] == kids[0]) equal++;
    if (equal == count) return kids[0];
    choice_id *group = room_for(d, 0, count);
    uint32_t *of = room_for(d, 1, count);
    for (uint32_t turn = 0; turn < count; turn++) {
        uint32_t k = turn == 0 ? preferred : turn <= preferred ? turn - 1 : turn;
        uint32_t g = 0;
        choice_id both = NO_CHOICE;
        for (; g < groups; g++) {
            both = choices_merge(d, group[g], kids[k]);
            if (both != NO_CHOICE) break;
        }
        if (g == groups) groups++, both = kids[k];
        group[g] = both;
        of[k] = g;
    }
    if (groups == 1) return group[0];
    for (uint32_t k = 0; k < count; k++) of[k] = group[of[k]];
    return decision(d, level, of, count);
}

void choices_push(choice_diagrams *d, choice_id kid) {
    array_push(d->arena, d->stack, d->height, d->stack_size, kid);
}

choice_id choices_ask_pushed(choice_diagrams *d, uint32_t level, uint32_t count, uint32_t preferred) {
    d->height -= count;
    return choices_ask(d, level, d->stack + d->height, count, preferred);
}

static void replace(choice_id *roots, uint32_t count, choice_id from, choice_id to) {
    for (uint32_t k = 0; k < count; k++)
        if (roots[k] == from) roots[k] = to;
}

void choices_unite(choice_diagrams *d, choice_id *roots, uint32_t count) {
    for (uint32_t x = 0; x < count; x++)
        for (uint32_t y = 0; y < x; y++) {
            if (roots[x] == roots[y] || roots[x] == d->any || roots[y] == d->any) continue;
            choice_id both = choices_merge(d, roots[x], roots[y]);
            if (both == roots[x]) replace(roots, count, roots[y], both);
            if (both == roots[y]) replace(roots, count, roots[x], both);
        }
    choice_id best = d->any;
    uint32_t most = 0;
    for (uint32_t x = 0; x < count; x++) {
        uint32_t same = 0;
        for (uint32_t y = 0; y < count; y++) same += roots[y] == roots[x];
        if (roots[x] != d->any && same > most) best = roots[x], most = same;
    }
    replace(roots, count, d->any, best);
}
