/* Numbers of an undone transformer that become others, beyond what a lowering writes, and are taken back. */
#ifndef TESTS_ORDINARY_SHAKES_H
#define TESTS_ORDINARY_SHAKES_H

#include "ordinary/lift/lift.h"
#include "test.h"

enum { SHAKES_MOST = 64 };

typedef struct shake {
    void *at;
    size_t size;
    unsigned char old[8];
} shake;

typedef struct shakes {
    shake all[SHAKES_MOST];
    size_t count;
} shakes;

/* Fields of the model are const for whoever reads it. */
void shake_put(shakes *c, const void *at, const void *value, size_t size);
void shake_put_number(shakes *c, const double *at, double value);
void shake_put_whole(shakes *c, const uint32_t *at, uint32_t value);
void shake_put_truth(shakes *c, const bool *at, bool value);
void shake_scale(shakes *c, const double *at, double by);
void shake_scale_form(shakes *c, const lift_form *f, double by);

/* All changes from one on, the last first. */
void shake_undo(shakes *c, size_t from);

/* 0, or a power of two with something added, at most 2^(least + 1). */
double shake_error(test_random *r, int least);

/* Small whole numbers, powers of two, signs, nothing. */
double shake_factor(test_random *r);

/* A factor goes from the keys of a product or of a turn to its queries, and scores stay. */
void shake_move_factor(shakes *c, const lift_head *h, double by, test_random *r);

/* A query, a key or a value of a head. */
const lift_form *shake_form_of(const lift_head *h, test_random *r);

/* One number of a form, of a column, or of a head and what it reads: frequencies, positions and dimensions, too. */
void shake_form(shakes *c, const lift_form *f, test_random *r);
void shake_column(shakes *c, const lift *u, uint32_t at, test_random *r);
void shake_any(shakes *c, const lift *u, const lift_head *h, test_random *r);

#endif
