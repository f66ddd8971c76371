#include "facts/set_column.h"

set_column *columns_new(const column_room *r, size_t count) {
    set_column *c = arena_zalloc(r->pool->arena, count, sizeof *c);
    for (size_t k = 0; k < count; k++) c[k].ends = rational_array(r->pool, 2);
    return c;
}

bool spread_is_same(const spread *x, const spread *y) {
    return rational_equal(&x->a, &y->a) && rational_equal(&x->g, &y->g) && rational_equal(&x->hi, &y->hi) &&
           rational_equal(&x->lo, &y->lo);
}

int spread_grid(const spread *x) {
    int a = rational_grid(&x->a), g = rational_grid(&x->g);
    return a < g ? a : g;
}

size_t column_begin(set_column *c, const column_room *r, bool all) {
    c->moved = false;
    if (all || r->old == 0) {
        c->seen = false;
        c->grid = GRID_ANY;
    }
    while (c->block_count * COLUMN_BLOCK < r->size)
        array_push(r->pool->arena, c->blocks, c->block_count, c->capacity, spread_array(r->pool, COLUMN_BLOCK));
    return all ? 0 : r->old;
}

void column_put(set_column *c, const column_room *r, size_t i, const spread *x) {
    spread *to = column_at(c, i);
    bool same = i < r->old && spread_is_same(to, x);
    if (!same) {
        if (i < r->old) c->moved = true;
        spread_set(to, x);
    }
    if (c->grid > GRID_NONE) {
        int grid = spread_grid(x);
        if (grid < c->grid) c->grid = grid;
    }
    if (!c->seen || rational_cmp(&x->lo, &c->ends[0]) < 0) rational_set(&c->ends[0], &x->lo);
    if (!c->seen || rational_cmp(&x->hi, &c->ends[1]) > 0) rational_set(&c->ends[1], &x->hi);
    c->seen = true;
}

void column_end(set_column *c) {
    c->known = (known){INFINITY, -INFINITY, c->grid};
    if (c->seen) known_add_interval(&c->known, &c->ends[0], &c->ends[1], c->grid);
}
