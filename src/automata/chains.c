/* Levels are made from the top. At each one the frontier is the nodes that no level above has split: their
   coordinates so far. A letter leads a frontier node to one whose set holds the image of its own; that is what every
   level keeps true. */
#include "automata/chains.h"

#include <string.h>

#include "base/work.h"

typedef struct building {
    chains *c;
    const skeleton *s;
    chain_options options;
    arena *arena;
    uint32_t classes;
    uint32_t start; /* the automaton's state */
    uint32_t *rank; /* [component] its level among `stages`; UINT32_MAX: none */
    uint32_t stage; /* the one being made */
    uint32_t stage_count;
    uint32_t *frontier;
    size_t frontier_count, frontier_capacity;
    uint32_t **to; /* [node][class_count] of frontier nodes */
    size_t to_count, to_capacity;
    uint32_t at;      /* the frontier node of the start */
    uint32_t *chosen; /* [frontier][class_count] options, while a level is made */
    uint32_t *place;  /* [node] in the frontier */
    bool conflict;
    uint64_t work, work_limit;
} building;

/* ---- which components make a level together ---- */

static bool permutes(const skeleton *s, uint32_t component, uint32_t *move) {
    for (uint32_t k = 0; k < s->set_count; k++) {
        if (s->component[k] != component) continue;
        for (uint32_t a = 0; a < s->d->class_count; a++) {
            uint32_t to = skeleton_image(s, k, a);
            if (to != NO_SET && s->component[to] == component && skeleton_move_tiles(move, s, k, a)) return true;
        }
    }
    return false;
}

static void rank_components(building *b) {
    const skeleton *s = b->s;
    uint32_t top = s->heights[0], *move = arena_alloc(b->arena, s->set_count, sizeof *move);
    b->rank = arena_alloc(b->arena, s->component_count, sizeof *b->rank);
    for (uint32_t k = 0; k < s->component_count; k++) b->rank[k] = UINT32_MAX;
    for (uint32_t h = top; h > 0; h--) {
        uint32_t together = UINT32_MAX;
        for (uint32_t k = 0; k < s->component_count; k++) {
            uint32_t set = s->first_member[k];
            if (s->heights[set] != h || !s->tile_count[set]) continue;
            bool own = b->options.split || permutes(s, k, move);
            if (own || together == UINT32_MAX) b->rank[k] = b->stage_count++;
            if (!own && together == UINT32_MAX) together = b->rank[k];
            if (!own) b->rank[k] = together;
        }
    }
}

static uint32_t rank_of(const building *b, uint32_t node) { return b->rank[b->s->component[b->c->nodes[node].set]]; }

/* ---- nodes ---- */

static uint32_t add_node(building *b, uint32_t set) {
    array_push(b->arena, b->c->nodes, b->c->node_count, b->c->node_capacity,
               (chain_node){.set = set, .level = UINT32_MAX, .kids = NO_NODE});
    array_push(b->arena, b->to, b->to_count, b->to_capacity, (uint32_t *)NULL);
    return (uint32_t)b->c->node_count - 1;
}

static void split_node(building *b, uint32_t node, uint32_t level) {
    uint32_t set = b->c->nodes[node].set;
    b->c->nodes[node].level = level;
    b->c->nodes[node].kids = (uint32_t)b->c->node_count;
    for (uint32_t t = 0; t < b->s->tile_count[set]; t++) add_node(b, b->s->tiles[set][t]);
}

/* The frontier nodes that the start leads to stay; the others are forgotten. */
static void keep_reached(building *b, const uint32_t *candidates, size_t count) {
    chains *c = b->c;
    for (size_t k = 0; k < count; k++) c->nodes[candidates[k]].reached = 0;
    b->frontier_count = 0;
    array_push(b->arena, b->frontier, b->frontier_count, b->frontier_capacity, b->at);
    c->nodes[b->at].reached = 1;
    for (size_t k = 0; k < b->frontier_count; k++)
        for (uint32_t a = 0; a < b->classes; a++) {
            uint32_t next = b->to[b->frontier[k]][a];
            if (next == NO_NODE || c->nodes[next].reached) continue;
            c->nodes[next].reached = 1;
            array_push(b->arena, b->frontier, b->frontier_count, b->frontier_capacity, next);
        }
}

/* ---- what letters may do to a level ---- */

static uint32_t find_move(building *b, chain_level *l, size_t *capacity, const uint32_t *move) {
    bool kept = true;
    for (uint32_t t = 0; t < l->value_count; t++) kept = kept && move[t] == t;
    if (kept) return chain_keep(l);
    for (uint32_t k = 0; k < l->move_count; k++)
        if (!memcmp(l->moves + (size_t)k * l->value_count, move, l->value_count * sizeof *move))
            return chain_keep(l) + 1 + k;
    size_t used = (size_t)l->move_count * l->value_count;
    for (uint32_t t = 0; t < l->value_count; t++) array_push(b->arena, l->moves, used, *capacity, move[t]);
    return chain_keep(l) + 1 + l->move_count++;
}

/* A letter that leads all of the node's set onto all of the next one permutes tiles. */
static bool moves_all(const building *b, uint32_t node, uint32_t next, uint32_t letter) {
    uint32_t set = b->c->nodes[node].set, to = b->c->nodes[next].set;
    return skeleton_image(b->s, set, letter) == to && b->s->component[set] == b->s->component[to];
}

static void find_moves(building *b, chain_level *l) {
    size_t capacity = 0;
    uint32_t *move = arena_alloc(b->arena, l->value_count, sizeof *move);
    for (size_t k = 0; k < b->frontier_count; k++)
        for (uint32_t a = 0; a < b->classes; a++) {
            uint32_t node = b->frontier[k], next = b->to[node][a];
            if (next == NO_NODE || rank_of(b, next) != b->stage || !moves_all(b, node, next, a)) continue;
            uint32_t set = b->c->nodes[node].set;
            skeleton_move_tiles(move, b->s, set, a);
            for (uint32_t t = b->s->tile_count[set]; t < l->value_count; t++) move[t] = t;
            b->chosen[k * b->classes + a] = find_move(b, l, &capacity, move);
            l->component = b->s->component[set];
        }
}

static void allow(uint64_t *options, uint32_t option) { options[option / 64] |= (uint64_t)1 << (option % 64); }

/* Keeping is right if each tile is led into the tile of the same number. */
static bool may_keep(const building *b, uint32_t set, uint32_t to, uint32_t letter) {
    const skeleton *s = b->s;
    if (b->rank[s->component[set]] != b->stage) return false;
    for (uint32_t t = 0; t < s->tile_count[set]; t++) {
        uint32_t image = skeleton_image(s, s->tiles[set][t], letter);
        if (image == NO_SET) continue;
        if (t >= s->tile_count[to] || !skeleton_within(s, image, s->tiles[to][t])) return false;
    }
    return true;
}

static choice_id cell(building *b, chain_level *l, size_t k, uint32_t letter, uint64_t *options) {
    uint32_t node = b->frontier[k], next = b->to[node][letter];
    if (next == NO_NODE || rank_of(b, next) != b->stage) return l->diagrams.any;
    if (moves_all(b, node, next, letter)) return choices_one(&l->diagrams, b->chosen[k * b->classes + letter]);
    uint32_t set = b->c->nodes[node].set, to = b->c->nodes[next].set, image = skeleton_image(b->s, set, letter);
    memset(options, 0, l->diagrams.words * sizeof *options);
    for (uint32_t t = 0; t < b->s->tile_count[to]; t++)
        if (skeleton_within(b->s, image, b->s->tiles[to][t])) allow(options, t);
    if (may_keep(b, set, to, letter)) allow(options, chain_keep(l));
    return choices_leaf(&l->diagrams, options);
}

/* ---- diagrams over the coordinates above ---- */

/* Depth: one call a level. */
static choice_id diagram_below(const chains *c, choice_diagrams *d, uint32_t node, const choice_id *cells,
                               const uint32_t *place, uint32_t levels) {
    const chain_node *n = &c->nodes[node];
    if (n->level >= levels) return n->reached ? cells[place[node]] : d->any;
    /* a set with fewer tiles than the level has values: the others do not occur here */
    uint32_t count = c->levels[n->level].value_count, tiles = c->s->tile_count[n->set];
    for (uint32_t t = 0; t < count; t++)
        choices_push(d, t < tiles ? diagram_below(c, d, n->kids + t, cells, place, levels) : d->any);
    return choices_ask_pushed(d, n->level, count, c->levels[n->level].first);
}

uint32_t chain_chosen(const chain_level *l, choice_id leaf) {
    const choice_diagrams *d = &l->diagrams;
    uint32_t keep = chain_keep(l);
    if (leaf == d->any || (l->prefer_keep && choices_allows(d, leaf, keep))) return keep;
    for (uint32_t k = 0; k < d->option_count; k++)
        if (choices_allows(d, leaf, k)) return k;
    return keep;
}

/* Fills `chosen` for a letter. A diagram may ask for a level that a node's chain skips; then all its answers must
   mean the same to the node, unless the node is free. */
static void settle(building *b, const chain_level *l, uint32_t node, choice_id x, const choice_id *cells,
                   uint32_t letter) {
    const chain_node *n = &b->c->nodes[node];
    const choice_node *d = &l->diagrams.nodes[x];
    if (++b->work > b->work_limit) return;
    if (d->count && d->level < n->level) {
        for (uint32_t t = 0; t < d->count; t++) settle(b, l, node, d->kids[t], cells, letter);
        return;
    }
    if (n->kids != NO_NODE && n->level < b->c->level_count) {
        for (uint32_t t = 0; t < b->s->tile_count[n->set]; t++)
            settle(b, l, n->kids + t, d->count && d->level == n->level ? d->kids[t] : x, cells, letter);
        return;
    }
    if (!n->reached || cells[b->place[node]] == l->diagrams.any) return;
    uint32_t *slot = &b->chosen[b->place[node] * b->classes + letter];
    uint32_t option = chain_chosen(l, x);
    if (*slot != UINT32_MAX && *slot != option) b->conflict = true;
    *slot = option;
}

/* The first option that the most cells allow, for each cell: no freedom is left but that of free cells. */
static void fix_cells(building *b, chain_level *l, choice_id *cells) {
    uint32_t *votes = arena_zalloc(b->arena, l->diagrams.option_count, sizeof *votes);
    for (size_t k = 0; k < b->frontier_count; k++)
        for (uint32_t o = 0; o < l->diagrams.option_count; o++)
            if (cells[k] != l->diagrams.any) votes[o] += choices_allows(&l->diagrams, cells[k], o);
    for (size_t k = 0; k < b->frontier_count; k++) {
        if (cells[k] == l->diagrams.any) continue;
        uint32_t best = UINT32_MAX;
        for (uint32_t o = 0; o < l->diagrams.option_count; o++)
            if (choices_allows(&l->diagrams, cells[k], o) && (best == UINT32_MAX || votes[o] > votes[best])) best = o;
        cells[k] = choices_one(&l->diagrams, best);
    }
}

/* known: [diagram nodes] 0: not looked at yet, 1: no, 2: yes; diagrams share their parts */
static bool every_leaf_resets(const chain_level *l, choice_id x, unsigned char *known) {
    const choice_node *n = &l->diagrams.nodes[x];
    if (known[x]) return known[x] == 2;
    bool all = n->count > 0;
    for (uint32_t k = 0; k < n->count && all; k++) all = every_leaf_resets(l, n->kids[k], known);
    for (uint32_t k = 0; k < l->value_count && !n->count; k++) all = all || choices_allows(&l->diagrams, x, k);
    known[x] = all ? 2 : 1;
    return all;
}

static void forget_chosen(building *b, uint32_t letter) {
    for (size_t k = 0; k < b->frontier_count; k++) b->chosen[k * b->classes + letter] = UINT32_MAX;
}

/* False: it would take more work than the limit. */
static bool choose_actions(building *b, chain_level *l) {
    chains *c = b->c;
    uint64_t *options = arena_alloc(b->arena, l->diagrams.words, sizeof *options);
    choice_id *cells = arena_alloc(b->arena, b->frontier_count * b->classes, sizeof *cells); /* [class][frontier] */
    bool resets = true;
    l->action = arena_alloc(b->arena, b->classes, sizeof *l->action);
    for (uint32_t a = 0; a < b->classes; a++) {
        choice_id *column = cells + a * b->frontier_count;
        work_at(b->work += b->frontier_count + c->node_count);
        if (b->work > b->work_limit) return false;
        for (size_t k = 0; k < b->frontier_count; k++) column[k] = cell(b, l, k, a, options);
        l->action[a] = diagram_below(c, &l->diagrams, 0, column, b->place, c->level_count);
    }
    choices_unite(&l->diagrams, l->action, b->classes);
    unsigned char *known = arena_zalloc(b->arena, l->diagrams.count, 1);
    for (uint32_t a = 0; a < b->classes; a++) resets = resets && every_leaf_resets(l, l->action[a], known);
    l->prefer_keep = b->options.prefer_keep && !resets;
    for (uint32_t a = 0; a < b->classes; a++) {
        choice_id *column = cells + a * b->frontier_count;
        forget_chosen(b, a);
        b->conflict = false;
        settle(b, l, 0, l->action[a], column, a);
        if (!b->conflict) continue;
        fix_cells(b, l, column);
        l->action[a] = diagram_below(c, &l->diagrams, 0, column, b->place, c->level_count);
        forget_chosen(b, a);
        settle(b, l, 0, l->action[a], column, a);
    }
    return b->work <= b->work_limit;
}

/* ---- one level ---- */

/* Where a letter leads a node of the frontier, or a new tile of it, below the level. */
static uint32_t below(const building *b, const chain_level *l, uint32_t next, uint32_t option, uint32_t tile) {
    const chain_node *n = &b->c->nodes[next];
    if (rank_of(b, next) != b->stage) return next;
    if (option < chain_keep(l)) return n->kids + option;
    if (option == chain_keep(l)) return n->kids + tile;
    return n->kids + l->moves[(size_t)(option - chain_keep(l) - 1) * l->value_count + tile];
}

static uint32_t *row(building *b) { return arena_alloc(b->arena, b->classes ? b->classes : 1, sizeof(uint32_t)); }

static void descend(building *b, const chain_level *l, uint32_t level) {
    chains *c = b->c;
    uint32_t *next_frontier = NULL;
    size_t count = 0, capacity = 0;
    uint32_t **rows = arena_alloc(b->arena, b->frontier_count, sizeof *rows);
    for (size_t k = 0; k < b->frontier_count; k++) rows[k] = b->to[b->frontier[k]];
    for (size_t k = 0; k < b->frontier_count; k++) {
        uint32_t node = b->frontier[k], set = c->nodes[node].set;
        bool splits = c->nodes[node].level == level;
        for (uint32_t t = 0; t < (splits ? b->s->tile_count[set] : 1); t++) {
            uint32_t inner = splits ? c->nodes[node].kids + t : node, *out = row(b);
            for (uint32_t a = 0; a < b->classes; a++) {
                bool dies = rows[k][a] == NO_NODE || skeleton_image(b->s, c->nodes[inner].set, a) == NO_SET;
                out[a] = dies ? NO_NODE : below(b, l, rows[k][a], b->chosen[k * b->classes + a], t);
            }
            b->to[inner] = out;
            array_push(b->arena, next_frontier, count, capacity, inner);
        }
    }
    if (c->nodes[b->at].level == level) b->at = c->nodes[b->at].kids + l->first;
    keep_reached(b, next_frontier, count);
}

static uint32_t first_tile(const building *b) {
    const chain_node *n = &b->c->nodes[b->at];
    if (rank_of(b, b->at) != b->stage) return 0;
    for (uint32_t t = 0; t < b->s->tile_count[n->set]; t++)
        if (skeleton_has(b->s, b->s->tiles[n->set][t], b->start)) return t;
    return 0;
}

static bool make_level(building *b) {
    chains *c = b->c;
    chain_level l = {.value_count = 0};
    size_t size = b->frontier_count; /* of the next frontier */
    for (size_t k = 0; k < b->frontier_count; k++) {
        uint32_t node = b->frontier[k];
        if (rank_of(b, node) != b->stage) continue;
        uint32_t tiles = b->s->tile_count[c->nodes[node].set];
        if (tiles > l.value_count) l.value_count = tiles;
        size += tiles - 1;
    }
    if (!l.value_count) return true; /* no string has a set of this stage */
    if (size > (b->options.limit ? b->options.limit : CHAIN_LIMIT)) return false;
    l.first = first_tile(b);
    b->place = arena_alloc(b->arena, c->node_count, sizeof *b->place);
    for (size_t k = 0; k < b->frontier_count; k++) b->place[b->frontier[k]] = (uint32_t)k;
    b->chosen = arena_alloc(b->arena, b->frontier_count * b->classes + 1, sizeof *b->chosen);
    find_moves(b, &l);
    /* one option more, which only free cells have: a cell where all else is right is not free, for its tile counts */
    choices_init(&l.diagrams, l.value_count + 1 + l.move_count + 1, b->arena);
    if (!choose_actions(b, &l)) return false;
    uint32_t level = c->level_count;
    for (size_t k = 0; k < b->frontier_count; k++)
        if (rank_of(b, b->frontier[k]) == b->stage) split_node(b, b->frontier[k], level);
    size_t capacity = c->level_count;
    c->levels = arena_grow(b->arena, c->levels, &capacity, c->level_count + 1, sizeof *c->levels);
    c->levels[c->level_count++] = l;
    descend(b, &c->levels[level], level);
    return true;
}

bool chains_build(chains *out, const skeleton *s, uint32_t start, chain_options options, arena *a) {
    *out = (chains){.s = s};
    building b = {.c = out, .s = s, .options = options, .arena = a, .classes = s->d->class_count, .start = start};
    b.work_limit = options.work ? options.work : CHAIN_WORK;
    work_begin("making the cascade", b.work_limit);
    rank_components(&b);
    add_node(&b, 0);
    b.to[0] = row(&b);
    for (uint32_t c = 0; c < b.classes; c++) b.to[0][c] = skeleton_image(s, 0, c) == NO_SET ? NO_NODE : 0;
    keep_reached(&b, NULL, 0);
    for (b.stage = 0; b.stage < b.stage_count; b.stage++)
        if (!make_level(&b)) {
            out->over_work = b.work > b.work_limit;
            return false;
        }
    out->start = b.at;
    out->leaves = b.frontier;
    out->leaf_count = b.frontier_count;
    out->to = arena_alloc(a, b.frontier_count * b.classes + 1, sizeof *out->to);
    uint32_t *place = arena_alloc(a, out->node_count, sizeof *place);
    for (size_t k = 0; k < b.frontier_count; k++) place[b.frontier[k]] = (uint32_t)k;
    for (size_t k = 0; k < b.frontier_count; k++)
        for (uint32_t c = 0; c < b.classes; c++) {
            uint32_t next = b.to[b.frontier[k]][c];
            out->to[k * b.classes + c] = next == NO_NODE ? NO_NODE : place[next];
        }
    return true;
}

choice_id chains_diagram(const chains *c, choice_diagrams *d, const choice_id *cells, arena *a) {
    uint32_t *place = arena_zalloc(a, c->node_count, sizeof *place);
    for (size_t k = 0; k < c->leaf_count; k++) place[c->leaves[k]] = (uint32_t)k;
    return diagram_below(c, d, 0, cells, place, c->level_count);
}
