/* Sets are found breadth first, components by Tarjan's algorithm on letters that keep a set's size, tiles from the
   largest sets down, heights from the smallest sets up. */
#include "automata/skeleton.h"

#include "base/table.h"
#include "base/work.h"

#include <string.h>

typedef struct finding {
    skeleton *s;
    const unsigned char *live;
    arena *arena;
    table index; /* bits -> set number */
    size_t set_capacity;
    uint64_t limit;
    bool over;
    uint64_t work, most_work; /* states and words of sets that were looked at */
} finding;

static void spend(finding *g, uint64_t work) {
    work_at(g->work += work);
    if (g->work > g->most_work) g->over = g->s->over_work = true;
}

static uint32_t set_size(const uint64_t *bits, uint32_t words) {
    uint32_t size = 0;
    for (uint32_t w = 0; w < words; w++) size += (uint32_t)__builtin_popcountll(bits[w]);
    return size;
}

bool skeleton_within(const skeleton *s, uint32_t inner, uint32_t outer) {
    const uint64_t *x = skeleton_set(s, inner), *y = skeleton_set(s, outer);
    for (uint32_t w = 0; w < s->words; w++)
        if (x[w] & ~y[w]) return false;
    return true;
}

/* Sets are allocated one by one, so that the table may borrow them; skeleton_build copies them into one array. */
typedef struct found {
    uint64_t **bits;
    size_t count, capacity;
} found;

static uint32_t set_number(finding *g, found *all, const uint64_t *bits) {
    size_t bytes = g->s->words * sizeof *bits;
    const uint32_t *known = table_find(&g->index, bits, bytes);
    if (known) return *known;
    if (all->count >= g->limit) {
        g->over = true;
        return NO_SET;
    }
    uint64_t *kept = arena_alloc(g->arena, g->s->words, sizeof *kept);
    memcpy(kept, bits, bytes);
    bool fresh;
    table_put(&g->index, kept, bytes, (uint32_t)all->count, &fresh);
    array_push(g->arena, all->bits, all->count, all->capacity, kept);
    return (uint32_t)all->count - 1;
}

static uint32_t image_of(finding *g, found *all, uint32_t set, uint32_t letter, uint64_t *bits) {
    const dfa *d = g->s->d;
    bool any = false;
    memset(bits, 0, g->s->words * sizeof *bits);
    for (uint32_t w = 0; w < g->s->words; w++)
        for (uint64_t rest = all->bits[set][w]; rest; rest &= rest - 1) {
            uint32_t to = dfa_next(d, w * 64 + (uint32_t)__builtin_ctzll(rest), letter);
            if (!g->live[to]) continue;
            bits[to / 64] |= (uint64_t)1 << (to % 64);
            any = true;
        }
    return any ? set_number(g, all, bits) : NO_SET;
}

static bool find_sets(finding *g) {
    skeleton *s = g->s;
    const dfa *d = s->d;
    found all = {0};
    size_t image_count = 0, image_capacity = 0;
    uint64_t *bits = arena_zalloc(g->arena, s->words, sizeof *bits);
    for (uint32_t q = 0; q < d->state_count; q++)
        if (g->live[q]) bits[q / 64] |= (uint64_t)1 << (q % 64);
    set_number(g, &all, bits);
    for (uint32_t q = 0; q < d->state_count && !g->over; q++) {
        if (!g->live[q]) continue;
        memset(bits, 0, s->words * sizeof *bits);
        bits[q / 64] = (uint64_t)1 << (q % 64);
        set_number(g, &all, bits);
    }
    s->images = NULL;
    for (uint32_t k = 0; k < all.count && !g->over; k++)
        for (uint32_t c = 0; c < d->class_count && !g->over; c++) {
            spend(g, s->words + set_size(all.bits[k], s->words));
            uint32_t to = image_of(g, &all, k, c, bits);
            array_push(g->arena, s->images, image_count, image_capacity, to);
        }
    if (g->over) return false;
    s->set_count = (uint32_t)all.count;
    s->sets = arena_alloc(g->arena, all.count * s->words, sizeof *s->sets);
    s->sizes = arena_alloc(g->arena, all.count, sizeof *s->sizes);
    for (uint32_t k = 0; k < all.count; k++) {
        memcpy(s->sets + (size_t)k * s->words, all.bits[k], s->words * sizeof *bits);
        s->sizes[k] = set_size(all.bits[k], s->words);
    }
    return true;
}

/* ---- components: Tarjan's algorithm with a stack of its own; a component is numbered after all it leads to ---- */

typedef struct visit {
    uint32_t set, letter;
} visit;

typedef struct search {
    skeleton *s;
    uint32_t *order, *low; /* 0: not seen */
    unsigned char *open;
    uint32_t *stack;
    visit *calls;
    uint32_t clock, height, depth;
} search;

static void enter(search *t, uint32_t set) {
    t->order[set] = t->low[set] = ++t->clock;
    t->open[set] = 1;
    t->stack[t->height++] = set;
    t->calls[t->depth++] = (visit){set, 0};
}

static void leave(search *t, uint32_t set) {
    if (t->depth) {
        uint32_t parent = t->calls[t->depth - 1].set;
        if (t->low[set] < t->low[parent]) t->low[parent] = t->low[set];
    }
    if (t->low[set] != t->order[set]) return;
    uint32_t member;
    do {
        member = t->stack[--t->height];
        t->open[member] = 0;
        t->s->component[member] = t->s->component_count;
    } while (member != set);
    t->s->component_count++;
}

static void explore(search *t, uint32_t root) {
    skeleton *s = t->s;
    enter(t, root);
    while (t->depth) {
        visit *v = &t->calls[t->depth - 1];
        if (v->letter == s->d->class_count) {
            t->depth--;
            leave(t, v->set);
            continue;
        }
        uint32_t to = skeleton_image(s, v->set, v->letter++);
        if (to == NO_SET || s->sizes[to] != s->sizes[v->set]) continue;
        if (!t->order[to])
            enter(t, to);
        else if (t->open[to] && t->order[to] < t->low[v->set])
            t->low[v->set] = t->order[to];
    }
}

static void find_components(finding *g) {
    skeleton *s = g->s;
    size_t n = s->set_count;
    search t = {.s = s};
    t.order = arena_zalloc(g->arena, n, sizeof *t.order);
    t.low = arena_zalloc(g->arena, n, sizeof *t.low);
    t.open = arena_zalloc(g->arena, n, 1);
    t.stack = arena_alloc(g->arena, n, sizeof *t.stack);
    t.calls = arena_alloc(g->arena, n, sizeof *t.calls);
    s->component = arena_zalloc(g->arena, n, sizeof *s->component);
    s->component_count = 0;
    for (uint32_t k = 0; k < n; k++)
        if (!t.order[k]) explore(&t, k);
    s->first_member = arena_alloc(g->arena, s->component_count, sizeof *s->first_member);
    for (uint32_t k = 0; k < s->component_count; k++) s->first_member[k] = NO_SET;
    for (uint32_t k = 0; k < n; k++)
        if (s->first_member[s->component[k]] == NO_SET) s->first_member[s->component[k]] = k;
}

/* ---- tiles ---- */

/* Set numbers by size, the largest first; equal sizes in the order of numbers. */
static uint32_t *by_size(const skeleton *s, arena *a) {
    uint32_t n = s->set_count, most = s->d->state_count + 1;
    uint32_t *start = arena_zalloc(a, (size_t)most + 1, sizeof *start), *out = arena_alloc(a, n, sizeof *out);
    for (uint32_t k = 0; k < n; k++) start[most - s->sizes[k]]++;
    for (uint32_t k = 0, sum = 0; k <= most; k++) {
        uint32_t here = start[k];
        start[k] = sum;
        sum += here;
    }
    for (uint32_t k = 0; k < n; k++) out[start[most - s->sizes[k]]++] = k;
    return out;
}

/* The largest sets properly inside `set`, in the order of size. */
static void own_tiles(finding *g, const uint32_t *ordered, uint32_t set) {
    skeleton *s = g->s;
    uint32_t *tiles = NULL;
    size_t count = 0, capacity = 0;
    for (uint32_t k = 0; k < s->set_count && !g->over; k++) {
        uint32_t inner = ordered[k];
        spend(g, s->words);
        if (s->sizes[inner] >= s->sizes[set] || !skeleton_within(s, inner, set)) continue;
        bool covered = false;
        for (size_t t = 0; t < count && !covered; t++) covered = skeleton_within(s, inner, tiles[t]);
        spend(g, count * s->words);
        if (!covered) array_push(g->arena, tiles, count, capacity, inner);
    }
    s->tiles[set] = tiles;
    s->tile_count[set] = (uint32_t)count;
}

/* Tiles of the other members: the images of the representative's along a spanning tree. */
static void spread_tiles(finding *g, uint32_t root, uint32_t *queue) {
    skeleton *s = g->s;
    uint32_t head = 0, tail = 0;
    queue[tail++] = root;
    while (head < tail) {
        uint32_t set = queue[head++];
        for (uint32_t c = 0; c < s->d->class_count; c++) {
            uint32_t to = skeleton_image(s, set, c);
            if (to == NO_SET || s->component[to] != s->component[root] || s->tiles[to]) continue;
            s->tile_count[to] = s->tile_count[set];
            s->tiles[to] = arena_alloc(g->arena, s->tile_count[set], sizeof **s->tiles);
            for (uint32_t t = 0; t < s->tile_count[set]; t++)
                s->tiles[to][t] = skeleton_image(s, s->tiles[set][t], c);
            s->tree_from[to] = set;
            s->tree_letter[to] = c;
            queue[tail++] = to;
        }
    }
}

/* Only components that a chain can have get tiles: a set of all live states, tiles, and their components. */
static void find_tiles(finding *g) {
    skeleton *s = g->s;
    size_t n = s->set_count;
    uint32_t *ordered = by_size(s, g->arena), *queue = arena_alloc(g->arena, n, sizeof *queue);
    unsigned char *needed = arena_zalloc(g->arena, s->component_count, 1);
    s->tile_count = arena_zalloc(g->arena, n, sizeof *s->tile_count);
    s->tiles = arena_zalloc(g->arena, n, sizeof *s->tiles);
    s->tree_from = arena_alloc(g->arena, n, sizeof *s->tree_from);
    s->tree_letter = arena_zalloc(g->arena, n, sizeof *s->tree_letter);
    s->tile_place = arena_zalloc(g->arena, n, sizeof *s->tile_place);
    for (size_t k = 0; k < n; k++) s->tree_from[k] = NO_SET;
    needed[s->component[0]] = 1;
    for (size_t k = 0; k < n; k++) {
        uint32_t set = ordered[k];
        if (s->sizes[set] < 2) break;
        if (!needed[s->component[set]]) continue;
        if (!s->tiles[set]) {
            s->first_member[s->component[set]] = set;
            own_tiles(g, ordered, set);
            spread_tiles(g, set, queue);
        }
        for (uint32_t t = 0; t < s->tile_count[set]; t++) needed[s->component[s->tiles[set][t]]] = 1;
    }
}

/* ---- heights: components of one size are numbered after those they lead to ---- */

static void find_heights(finding *g) {
    skeleton *s = g->s;
    size_t n = s->set_count;
    s->heights = arena_zalloc(g->arena, n, sizeof *s->heights);
    uint32_t *of = arena_zalloc(g->arena, s->component_count, sizeof *of);
    uint32_t *ordered = by_size(s, g->arena);
    /* members of a component, in lists */
    uint32_t *next = arena_alloc(g->arena, n, sizeof *next);
    uint32_t *first = arena_alloc(g->arena, s->component_count, sizeof *first);
    for (uint32_t k = 0; k < s->component_count; k++) first[k] = NO_SET;
    for (uint32_t k = (uint32_t)n; k-- > 0;) {
        next[k] = first[s->component[k]];
        first[s->component[k]] = k;
    }
    for (size_t end = n; end > 0;) {
        uint32_t size = s->sizes[ordered[end - 1]];
        size_t start = end;
        uint32_t low = UINT32_MAX, high = 0;
        while (start > 0 && s->sizes[ordered[start - 1]] == size) {
            uint32_t c = s->component[ordered[--start]];
            if (c < low) low = c;
            if (c > high) high = c;
        }
        for (uint32_t c = low; size > 1 && c <= high; c++) {
            if (s->sizes[first[c]] != size || !s->tile_count[first[c]]) continue;
            uint32_t height = 0;
            for (uint32_t k = first[c]; k != NO_SET; k = next[k]) {
                for (uint32_t t = 0; t < s->tile_count[k]; t++)
                    if (of[s->component[s->tiles[k][t]]] > height) height = of[s->component[s->tiles[k][t]]];
                for (uint32_t letter = 0; letter < s->d->class_count; letter++) {
                    uint32_t to = skeleton_image(s, k, letter);
                    if (to != NO_SET && s->component[to] != c && of[s->component[to]] > height)
                        height = of[s->component[to]];
                }
            }
            of[c] = height + 1;
        }
        end = start;
    }
    for (size_t k = 0; k < n; k++) s->heights[k] = of[s->component[k]];
}

bool skeleton_build(skeleton *out, const dfa *d, const unsigned char *live, uint64_t sets, uint64_t work, arena *a) {
    *out = (skeleton){.d = d, .words = (d->state_count + 63) / 64};
    finding g = {.s = out, .live = live, .arena = a, .limit = sets, .most_work = work};
    work_begin("finding sets of states", work);
    table_init(&g.index, a);
    if (!find_sets(&g)) return false;
    find_components(&g);
    find_tiles(&g);
    if (g.over) return false;
    find_heights(&g);
    return true;
}

bool skeleton_move_tiles(uint32_t *move, const skeleton *s, uint32_t set, uint32_t letter) {
    uint32_t to = skeleton_image(s, set, letter);
    bool moves = false;
    for (uint32_t t = 0; t < s->tile_count[to]; t++) s->tile_place[s->tiles[to][t]] = t;
    for (uint32_t t = 0; t < s->tile_count[set]; t++) {
        move[t] = s->tile_place[skeleton_image(s, s->tiles[set][t], letter)];
        moves = moves || move[t] != t;
    }
    return moves;
}

uint32_t *skeleton_path(size_t *length, const skeleton *s, uint32_t from, uint32_t to, arena *a) {
    uint32_t *came = arena_alloc(a, s->set_count, sizeof *came), *by = arena_alloc(a, s->set_count, sizeof *by);
    uint32_t *queue = arena_alloc(a, s->set_count, sizeof *queue);
    uint32_t head = 0, tail = 0;
    for (uint32_t k = 0; k < s->set_count; k++) came[k] = NO_SET;
    came[from] = from;
    queue[tail++] = from;
    while (head < tail && came[to] == NO_SET) {
        uint32_t set = queue[head++];
        for (uint32_t c = 0; c < s->d->class_count; c++) {
            uint32_t image = skeleton_image(s, set, c);
            if (image == NO_SET || came[image] != NO_SET || s->component[image] != s->component[from]) continue;
            came[image] = set;
            by[image] = c;
            queue[tail++] = image;
        }
    }
    *length = 0;
    for (uint32_t k = to; k != from; k = came[k]) ++*length;
    uint32_t *word = arena_alloc(a, *length + 1, sizeof *word), *end = word + *length;
    for (uint32_t k = to; k != from; k = came[k]) *--end = by[k];
    return word;
}
