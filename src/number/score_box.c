#include "number/score_box.h"

#include <math.h>
#include <stdlib.h>

typedef struct sorted_key {
    double value;
    size_t key;
} sorted_key;

static int downward(const void *a, const void *b) {
    const sorted_key *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value) - (x->value > y->value)
                                : (x->key > y->key) - (x->key < y->key);
}

typedef struct box_work {
    const score_box *boxes;
    sorted_key *order; /* those that are not masked */
    size_t size;
    double shift;       /* the largest score: weights are relative to it */
    ball *weight, *sum; /* [2]: those at their lower ends, and all at the present cut */
    ball *lower;        /* [size + 1] sums of the weights of the keys from here on, at their lower ends */
    ball *lower_values; /* and of weight times value */
    ball *best, *t, *x;
} box_work;

static void weight_at(box_work *w, double score, uint64_t count) {
    if (score == -INFINITY) {
        ball_set_int(w->weight, 0);
        return;
    }
    ball_set_double(w->weight, score);
    ball_set_double(w->t, w->shift);
    ball_sub(w->weight, w->weight, w->t);
    ball_exp(w->weight, w->weight);
    ball_set_double(w->t, (double)(count >> 32));
    ball_mul_2exp(w->t, w->t, 32);
    ball_set_int(w->x, (int64_t)(count & 0xffffffff));
    ball_add(w->t, w->t, w->x);
    ball_mul(w->weight, w->weight, w->t);
}

/* The greatest sum of w_j v_j for v_j = order[].value, sorted downward. Some cut has a weight: the one with every key
   at its upper end. */
static void greatest_of(ball *out, box_work *w) {
    ball_set_int(&w->lower[w->size], 0);
    ball_set_int(&w->lower_values[w->size], 0);
    for (size_t k = w->size; k-- > 0;) {
        const score_box *b = &w->boxes[w->order[k].key];
        weight_at(w, b->lo, b->count);
        ball_add(&w->lower[k], &w->lower[k + 1], w->weight);
        ball_set_double(w->t, w->order[k].value);
        ball_mul(w->t, w->t, w->weight);
        ball_add(&w->lower_values[k], &w->lower_values[k + 1], w->t);
    }
    ball_set_int(&w->sum[0], 0);
    ball_set_int(&w->sum[1], 0);
    bool found = false, weighs = false; /* at the present cut: a key weighs more than nothing */
    for (size_t k = w->size; k-- > 0;) weighs = weighs || w->boxes[w->order[k].key].lo > -INFINITY;
    for (size_t k = 0;; k++) {
        if (weighs) {
            ball_add(w->x, &w->sum[1], &w->lower_values[k]);
            ball_add(w->t, &w->sum[0], &w->lower[k]);
            ball_div(w->x, w->x, w->t);
            if (found)
                ball_max(w->best, w->best, w->x);
            else
                ball_set(w->best, w->x);
            found = true;
        }
        if (k == w->size) break;
        const score_box *b = &w->boxes[w->order[k].key];
        weight_at(w, b->hi, b->count);
        weighs = true;
        ball_add(&w->sum[0], &w->sum[0], w->weight);
        ball_set_double(w->t, w->order[k].value);
        ball_mul(w->t, w->t, w->weight);
        ball_add(&w->sum[1], &w->sum[1], w->t);
    }
    ball_set(out, w->best);
}

void score_box_extremes(ball *least, ball *greatest, const score_box *boxes, size_t size, arena *scratch) {
    box_work w = {.boxes = boxes, .shift = -INFINITY};
    w.order = arena_alloc(scratch, size, sizeof *w.order);
    for (size_t j = 0; j < size; j++) {
        if (boxes[j].hi == -INFINITY || boxes[j].count == 0) continue;
        w.shift = fmax(w.shift, boxes[j].hi);
        w.order[w.size++] = (sorted_key){boxes[j].vhi, j};
    }
    if (w.size == 0) {
        ball_set_int(least, 0);
        ball_set_int(greatest, 0);
        return;
    }
    w.weight = ball_array(scratch, 6);
    w.sum = w.weight + 1;
    w.best = w.weight + 3;
    w.t = w.weight + 4;
    w.x = w.weight + 5;
    w.lower = ball_array(scratch, w.size + 1);
    w.lower_values = ball_array(scratch, w.size + 1);
    qsort(w.order, w.size, sizeof *w.order, downward);
    greatest_of(greatest, &w);
    for (size_t k = 0; k < w.size; k++) w.order[k].value = -boxes[w.order[k].key].vlo;
    qsort(w.order, w.size, sizeof *w.order, downward);
    greatest_of(least, &w);
    ball_neg(least, least);
}
