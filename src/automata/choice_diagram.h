/* Functions of the coordinates of chains, with freedom: each cell has a *set* of options that would all be right. A
   diagram asks coordinates from the top level down; it asks for one only where no option suits all its values. So
   conditions read few levels, and the deepest ones least of all. */
#ifndef AUTOMATA_CHOICE_DIAGRAM_H
#define AUTOMATA_CHOICE_DIAGRAM_H

#include "base/table.h"

typedef uint32_t choice_id; /* a node of a diagram */

typedef struct choice_node {
    uint32_t level;    /* UINT32_MAX: a leaf */
    uint32_t count;    /* values of the coordinate; 0: a leaf */
    choice_id *kids;   /* [count] */
    uint64_t *options; /* leaf: [words] */
} choice_node;

typedef struct choice_diagrams {
    arena *arena;
    uint32_t words; /* of an option set */
    uint32_t option_count;
    choice_node *nodes;
    size_t count, capacity;
    table index;  /* content -> node */
    table merged; /* pair -> node; UINT32_MAX: they have no option in common */
    choice_id any;
    uint32_t *room[3]; /* for the lists of one question, used again and again */
    size_t room_size[3];
    choice_id *stack; /* of who makes diagrams from the top down: choices_push */
    size_t height, stack_size;
} choice_diagrams;

enum { NO_CHOICE = UINT32_MAX };

void choices_init(choice_diagrams *d, uint32_t option_count, arena *a);

/* A leaf with one option; choices_any() has all. */
choice_id choices_one(choice_diagrams *d, uint32_t option);
choice_id choices_leaf(choice_diagrams *d, const uint64_t *options);

/* The diagram that does not ask for the coordinate if it need not; `preferred` is the value that free cells join. All
   questions for one level have the same count. */
choice_id choices_ask(choice_diagrams *d, uint32_t level, const choice_id *kids, uint32_t count, uint32_t preferred);

/* Keeps a kid until its question is asked: the last `count` kids, which are forgotten. */
void choices_push(choice_diagrams *d, choice_id kid);
choice_id choices_ask_pushed(choice_diagrams *d, uint32_t level, uint32_t count, uint32_t preferred);

/* A diagram whose options suit both; NO_CHOICE: there is none. */
choice_id choices_merge(choice_diagrams *d, choice_id x, choice_id y);

/* Makes diagrams equal where that costs nothing: one that is free, or that merges with another into either of the
   two, becomes that. */
void choices_unite(choice_diagrams *d, choice_id *roots, uint32_t count);

static inline bool choices_is_leaf(const choice_diagrams *d, choice_id x) { return d->nodes[x].count == 0; }
static inline bool choices_allows(const choice_diagrams *d, choice_id leaf, uint32_t option) {
    return d->nodes[leaf].options[option / 64] >> (option % 64) & 1;
}

#endif
