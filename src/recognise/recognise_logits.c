/* Rows of logits, which are numbers over Booleans: where they are near to given numbers, and which numbers they are
   there. */
#include <math.h>
#include <string.h>

#include "recognise/recognise_work.h"

/* Numbers are looked for on this grid, so that sums of thousands of them are exact; what is found is then summed up
   as it is. */
enum { GRID = 32 };
static const double NEAR = 0x1p-24;

static double on_grid(double x) { return ldexp(rint(ldexp(x, GRID)), -GRID); }

/* The row with every channel cut down to `within`. */
static fn sum_of(recognising *w, uint32_t output, fn within, bool rounded) {
    const model_rows *rows = &w->m->logits;
    const model_term *t = rows_begin_of(rows, output);
    size_t count = rows_size(rows, output);
    fn *parts = arena_alloc(w->arena, count, sizeof *parts);
    for (size_t k = 0; k < count; k++)
        parts[k] = fn_times(&w->q.d, fn_and(&w->q.d, w->now[t[k].channel].f, within),
                            rounded ? on_grid(t[k].weight) : t[k].weight);
    return fn_add_all(&w->q.d, parts, count);
}

fn logits_near(recognising *w, const double *logits) {
    decisions *d = &w->q.d;
    uint32_t count = model_output_count(w->m);
    if (!w->logits) {
        fn *sums = arena_alloc(w->arena, count, sizeof *sums);
        for (uint32_t k = 0; k < count; k++) sums[k] = sum_of(w, k, FN_TRUE, true);
        w->logits = sums;
    }
    fn all = FN_TRUE;
    for (uint32_t k = 0; k < count; k++) {
        fn below = fn_not(d, fn_above(d, w->logits[k], logits[k] + NEAR));
        all = fn_and(d, all, fn_and(d, fn_above(d, w->logits[k], logits[k] - NEAR), below));
    }
    return all;
}

double logit_at_start(const recognising *w, uint32_t output) {
    const model_term *t = rows_begin_of(&w->m->logits, output);
    double sum = 0;
    for (size_t k = 0; k < rows_size(&w->m->logits, output); k++)
        sum = exact_add(w->arena, sum, exact_mul(w->arena, w->now[t[k].channel].start, t[k].weight));
    return sum;
}

const double *logit_values(recognising *w, uint32_t output, fn where, size_t *count) {
    const decisions *d = &w->q.d;
    fn *stack = NULL, sum = fn_ite(&w->q.d, where, sum_of(w, output, where, false), FN_BAD);
    double *found = NULL;
    size_t left = 0, capacity = 0, room = 0;
    unsigned char *seen = arena_zalloc(w->arena, d->count, 1);
    *count = 0;
    array_push(w->arena, stack, left, capacity, sum);
    while (left) {
        fn f = stack[--left];
        if (seen[f] || f == FN_BAD) continue;
        seen[f] = 1;
        if (fn_is_leaf(d, f)) array_push(w->arena, found, *count, room, decision_at(d, f)->value);
        for (size_t k = 0; !fn_is_leaf(d, f) && k < decision_at(d, f)->count; k++) {
            fn next = decision_at(d, f)->runs[k].to;
            array_push(w->arena, stack, left, capacity, next);
        }
    }
    return found;
}
