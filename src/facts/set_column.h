/* One quantity of a model on all strings of a length, position by position, as sets of values (lattice.h): a channel
   after some layer, a row of a head's queries, what a head or a net gives. It is kept from one length to the next: a
   column says whether a position that there was before holds another set now. What reads a column that has not moved
   need only look at the new positions. */
#ifndef FACTS_SET_COLUMN_H
#define FACTS_SET_COLUMN_H

#include "facts/facts.h"
#include "facts/lattice.h"

enum { COLUMN_BLOCK = 64 };

typedef struct set_column {
    spread **blocks; /* of COLUMN_BLOCK positions each */
    size_t block_count, capacity;
    bool moved; /* at some position that the length before had */
    /* over all positions: */
    bool seen;
    rational *ends; /* [2] the least lo and the largest hi */
    int grid;
    known known; /* the same in doubles, after column_end */
} set_column;

/* Where columns live and how many positions they have: now, and at the length before. */
typedef struct column_room {
    rational_pool *pool;
    size_t size, old;
} column_room;

set_column *columns_new(const column_room *r, size_t count);

static inline spread *column_at(const set_column *c, size_t i) {
    return &c->blocks[i / COLUMN_BLOCK][i % COLUMN_BLOCK];
}

/* Begins a length, for all positions or for the new ones only: the first one to be put. They are put ascending or
   descending, each once. */
size_t column_begin(set_column *c, const column_room *r, bool all);
void column_put(set_column *c, const column_room *r, size_t i, const spread *x);
void column_end(set_column *c);

bool spread_is_same(const spread *x, const spread *y); /* all four numbers */
int spread_grid(const spread *x);

#endif
