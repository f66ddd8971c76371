#include "check/units.h"

enum { LEAST_UNITS = 256, MOST_UNITS = 1 << 20 }; /* what unit sizes aim at */

/* Of one length. With one letter a string costs its length. */
static uint64_t cost(size_t letters, size_t n) {
    uint64_t strings = 1;
    if (letters <= 1) return n + 1;
    for (size_t k = 0; k < n; k++) strings *= letters;
    return strings;
}

static uint64_t unit_size(size_t letters, size_t longest, unit_sizes sizes) {
    __uint128_t total = 0;
    if (letters <= 1)
        total = ((__uint128_t)longest + 1) * ((__uint128_t)longest + 2) / 2;
    else
        for (size_t n = 0; n <= longest; n++) total += cost(letters, n);
    __uint128_t size = total / LEAST_UNITS;
    if (size > sizes.most) size = sizes.most;
    if (size < sizes.least) size = sizes.least;
    if (size < total / MOST_UNITS) size = total / MOST_UNITS;
    return size > (uint64_t)1 << 62 ? (uint64_t)1 << 62 : (uint64_t)size;
}

/* One length in several units. */
static unit_layer split(size_t letters, size_t n, uint64_t size) {
    unit_layer l = {.shortest = n, .longest = n, .prefixes = 1, .below = cost(letters, n)};
    while (l.below > size) {
        l.depth++;
        l.prefixes *= letters;
        l.below /= letters;
    }
    l.block = size / l.below;
    l.units = (l.prefixes + l.block - 1) / l.block;
    return l;
}

void units_make(unit_plan *p, size_t letters, size_t longest, uint64_t random, unit_sizes sizes, arena *a) {
    uint64_t size = unit_size(letters, longest, sizes), used = 0;
    unit_layer *layers = NULL;
    size_t count = 0, capacity = 0;
    *p = (unit_plan){.random_strings = random};
    for (size_t n = 0; n <= longest; n++) {
        uint64_t more = cost(letters, n), strings = letters > 1 ? more : 1;
        if (letters > 1 && more > size) {
            array_push(a, layers, count, capacity, split(letters, n, size));
        } else if (count && used + more <= size) {
            layers[count - 1].longest = n;
            layers[count - 1].below += strings;
        } else {
            array_push(
                a, layers, count, capacity,
                (unit_layer){.shortest = n, .longest = n, .prefixes = 1, .block = 1, .below = strings, .units = 1});
            used = 0;
        }
        used += more;
    }
    for (size_t k = 0; k < count; k++) {
        layers[k].first = p->exhaustive;
        p->exhaustive += layers[k].units;
    }
    p->layers = layers;
    p->layer_count = count;
    uint64_t blocks = random / BLOCK_STRINGS + (random % BLOCK_STRINGS != 0);
    p->unit_blocks = blocks / MOST_UNITS + 1;
    p->random = (blocks + p->unit_blocks - 1) / p->unit_blocks;
}

const unit_layer *units_layer(const unit_plan *p, uint64_t unit) {
    size_t low = 0, high = p->layer_count; /* the layer is in low..high-1 */
    if (unit >= p->exhaustive) return NULL;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (p->layers[middle].first <= unit)
            low = middle;
        else
            high = middle;
    }
    return &p->layers[low];
}

uint64_t units_strings(const unit_plan *p, uint64_t unit) {
    const unit_layer *l = units_layer(p, unit);
    uint64_t at, left, size;
    if (l) {
        at = (unit - l->first) * l->block;
        left = l->prefixes - at;
        return (left < l->block ? left : l->block) * l->below;
    }
    size = p->unit_blocks * BLOCK_STRINGS;
    at = (unit - p->exhaustive) * size;
    left = p->random_strings - at;
    return left < size ? left : size;
}
