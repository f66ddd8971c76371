/* The cascade of a skeleton (doc/automata.md, "The cascade"). A chain goes from the set of all live states down to one
   state, each set a tile of the one before. Level by level a coordinate says which tile; a letter resets it, keeps it
   or permutes it, depending on the letter and on the coordinates above, all read before the letter. */
#ifndef AUTOMATA_CHAINS_H
#define AUTOMATA_CHAINS_H

#include "automata/choice_diagram.h"
#include "automata/skeleton.h"

enum { CHAIN_LIMIT = 4096, CHAIN_WORK = 1 << 28, NO_NODE = UINT32_MAX };

typedef struct chain_node {
    uint32_t set;
    uint32_t level; /* the level whose coordinate chooses a tile of the set; level_count: a singleton */
    uint32_t kids;  /* the node of tile 0, the others follow; NO_NODE: none yet */
    unsigned char reached;
} chain_node;

/* What a letter does to a level's coordinate, as options of choice diagrams: value v: reset to v; then keep; then
   the permutations. */
typedef struct chain_level {
    uint32_t value_count;
    uint32_t first;      /* the coordinate before the first letter */
    uint32_t move_count; /* permutations other than keep */
    uint32_t *moves;     /* [move_count][value_count] */
    uint32_t component;  /* of the sets with permutations */
    bool prefer_keep;    /* where a letter may keep or reset, it keeps */
    choice_diagrams diagrams;
    choice_id *action; /* [class_count] what the letter does: chain_chosen of the leaves */
} chain_level;

typedef struct chains {
    const skeleton *s;
    chain_node *nodes; /* node 0: all live states */
    size_t node_count, node_capacity;
    uint32_t level_count;
    chain_level *levels; /* from the top */
    uint32_t start;      /* the leaf of the automaton's start */
    uint32_t *leaves;    /* the leaves that some string reaches */
    size_t leaf_count;
    uint32_t *to;   /* [leaf_count][class_count] positions in leaves; NO_NODE: the state dies */
    bool over_work; /* of chains that were not made: they take too many steps, and are perhaps few */
} chains;

typedef struct chain_options {
    bool split;       /* every component has a level of its own */
    bool prefer_keep; /* where a letter may keep or reset and does not reset everywhere, it keeps */
    uint32_t limit;   /* chains; 0: CHAIN_LIMIT */
    uint64_t work;    /* steps; 0: CHAIN_WORK */
} chain_options;

static inline uint32_t chain_keep(const chain_level *l) { return l->value_count; }
static inline uint32_t chain_state(const chains *c, uint32_t leaf);

/* false: more chains, or steps to make them, than the limits */
bool chains_build(chains *out, const skeleton *s, uint32_t start, chain_options options, arena *a);

/* A diagram over all coordinates: leaf k of c->leaves has the choice cells[k]. */
choice_id chains_diagram(const chains *c, choice_diagrams *d, const choice_id *cells, arena *a);

/* The one option that a leaf of an action stands for. */
uint32_t chain_chosen(const chain_level *l, choice_id leaf);

static inline uint32_t chain_state(const chains *c, uint32_t leaf) {
    const uint64_t *bits = skeleton_set(c->s, c->nodes[leaf].set);
    uint32_t w = 0;
    while (!bits[w]) w++;
    return w * 64 + (uint32_t)__builtin_ctzll(bits[w]);
}

#endif
