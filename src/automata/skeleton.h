/* The skeleton of an automaton (doc/automata.md, "The skeleton"): the sets of states that words lead to, which of
   them words lead back and forth between, and the largest ones inside each other. States that are not alive have no
   part in it: a letter that leads to one of them is not defined there. */
#ifndef AUTOMATA_SKELETON_H
#define AUTOMATA_SKELETON_H

#include "automata/dfa.h"

enum { SKELETON_SET_LIMIT = 4000, SKELETON_WORK = 1 << 28, NO_SET = UINT32_MAX };

typedef struct skeleton {
    const dfa *d;
    uint32_t words; /* 64-bit words of a set */
    uint32_t set_count;
    uint64_t *sets;      /* [set_count][words] bits over states; set 0 is all states that are alive */
    uint32_t *sizes;     /* [set_count] */
    uint32_t *images;    /* [set_count][class_count] where a letter class leads; NO_SET: nowhere */
    uint32_t *component; /* [set_count] sets with words back and forth between them share a number */
    uint32_t component_count;
    uint32_t *first_member; /* [component_count] the representative of a component */
    uint32_t *heights;      /* [set_count] 0 for singletons; more than those of tiles and of images elsewhere */
    uint32_t *tile_count;   /* [set_count] 0: a singleton, or a set that no chain has */
    uint32_t **tiles;       /* [set_count][tile_count] the largest sets inside, in the numbering of the component */
    uint32_t *tree_from, *tree_letter; /* [set_count] the spanning tree of a component; NO_SET at its root */
    uint32_t *tile_place;              /* [set_count] for skeleton_move_tiles */
    bool over_work;                    /* of a skeleton that was not made: it takes too many steps */
} skeleton;

static inline uint32_t skeleton_image(const skeleton *s, uint32_t set, uint32_t letter) {
    return s->images[(size_t)set * s->d->class_count + letter];
}
static inline const uint64_t *skeleton_set(const skeleton *s, uint32_t set) {
    return s->sets + (size_t)set * s->words;
}
static inline bool skeleton_has(const skeleton *s, uint32_t set, uint32_t state) {
    return skeleton_set(s, set)[state / 64] >> (state % 64) & 1;
}
bool skeleton_within(const skeleton *s, uint32_t inner, uint32_t outer);

/* requires at least one live state; false: there are more than `sets` sets, or `work` steps are not enough */
bool skeleton_build(skeleton *out, const dfa *d, const unsigned char *live, uint64_t sets, uint64_t work, arena *a);

/* The numbers of the tiles that the letter class moves the tiles of `set` to: move[tile_count]; the image has the
   same component. False: each keeps its number. */
bool skeleton_move_tiles(uint32_t *move, const skeleton *s, uint32_t set, uint32_t letter);

/* A shortest word from one set to another of its component: letter classes, in arena a. */
uint32_t *skeleton_path(size_t *length, const skeleton *s, uint32_t from, uint32_t to, arena *a);

#endif
