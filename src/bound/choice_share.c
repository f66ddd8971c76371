#include "bound/choice_share.h"

#include "number/score_box.h"

/* One winner of value 0 against boxes of value 1. */
static void one_winner(ball *out, score_box *boxes, size_t size, arena *scratch) {
    ball *least = ball_array(scratch, 1);
    boxes[0] = (score_box){0, 0, 0, 0, 1};
    score_box_extremes(least, out, boxes, size, scratch);
}

static score_box loser(const ball *below, ball *t, uint64_t count) {
    ball_neg(t, below);
    return (score_box){-INFINITY, ball_upper(t), 1, 1, count};
}

static void set_one(ball *out) { ball_set_int(out, 1); }

/* No bound at all: the row may not even have a finite sum. */
static void set_none(ball *out, ball *t) {
    ball_set_int(t, 0);
    ball_div(out, out, t);
}

/* N - 1 keys that are at least `below` under the winner; NULL: there is none. */
static void single_share(ball *out, const ball *below, size_t size, arena *scratch) {
    if (!below || size == 1) {
        ball_set_int(out, 0);
        return;
    }
    score_box boxes[2];
    boxes[1] = loser(below, out, size - 1);
    one_winner(out, boxes, 2, scratch);
}

/* Distinct multiples of `step`. `gap` NULL: all scores tie. */
static void tie_break_share(ball *out, size_t size, const ball *scale, const ball *step, const ball *gap,
                            const ball *off, const rounding_rules *r, arena *scratch) {
    score_box *boxes = arena_alloc(scratch, size, sizeof *boxes);
    ball *t = ball_array(scratch, 3), *x = &t[0], *zero = &t[2];
    ball_set_int(x, (int64_t)size);
    ball_mul(x, x, step);
    bool losing = !gap || ball_is_at_most(x, gap);
    ball_set_int(zero, 0);
    for (size_t d = 1; d < size; d++) {
        for (int side = 0; side < 2; side++) { /* first the side that is not worst: it is only looked at */
            bool use_losing = side == 0 ? !losing : losing;
            if (!use_losing && !gap) continue;
            ball_set_int(x, (int64_t)d);
            ball_mul(x, x, step);
            if (!use_losing) ball_sub(x, gap, x);
            ball_sub(x, x, off);
            ball_mul(x, x, scale);
            ball_sub(&t[1], r->step, r->unit);
            ball_sub(&t[1], &t[1], r->unit); /* 1 - u */
            ball_mul(x, x, &t[1]);
            if (!ball_is_less(zero, x)) {
                set_one(out);
                return;
            }
        }
        boxes[d] = loser(x, &t[1], 1);
    }
    one_winner(out, boxes, size, scratch);
}

/* Winners within B of each other, the others at least A below the least of them (NULL: none): the maximum of
   (p + q)/(p + q + (1 - p) a) - p over p in [0, 1]. */
static void tied_share(ball *out, const ball *within, const ball *below, size_t size, arena *scratch) {
    ball *t = ball_array(scratch, 7), *a = t, *q = t + 1, *b = t + 2, *c = t + 3, *root = t + 4, *one = t + 5,
         *x = t + 6;
    ball_set_int(one, 1);
    ball_neg(a, within);
    ball_exp(a, a);
    ball_set_int(q, 0);
    if (below) {
        ball_neg(q, below);
        ball_exp(q, q);
        ball_set_int(x, (int64_t)size - 1);
        ball_mul(q, q, x);
        ball_mul(q, q, a);
    }
    ball_mul_2exp(x, one, -40);
    if (!ball_is_zero(within) && !ball_is_at_most(x, within)) { /* 1 - a would be lost in the balls */
        ball_mul_2exp(x, within, -2);
        ball_div(q, q, a);
        ball_add(out, x, q);
        return;
    }
    ball_sub(b, one, a);
    ball_add(c, one, q);
    ball_mul(c, c, a);
    ball_log(root, c);
    ball_mul_2exp(root, root, -1);
    ball_exp(root, root);
    ball_set_int(x, 0);
    if (!ball_is_zero(within) && ball_is_less(x, b)) {
        ball_sub(x, root, c);
        ball_div(x, x, b);
        if (ball_is_less(q, x)) {
            ball_sub(x, one, root);
            ball_mul(x, x, x);
            ball_div(x, x, b);
            ball_add(out, x, q);
            return;
        }
    }
    ball_add(x, q, a);
    ball_div(out, q, x);
}

static void adaptive_share(ball *out, const share_problem *p, const rounding_rules *r, arena *scratch) {
    ball *t = ball_array(scratch, 6), *gap = t, *x = t + 1, *scale = t + 2, *step = t + 3, *error = t + 4,
         *one = t + 5;
    ball_set_double(scale, p->scale);
    ball_set_int(one, 1);
    rounding_factor(error, r, 8);
    if (p->gap < INFINITY) {
        ball_set_double(gap, p->gap);
        ball_sub(gap, gap, p->lose_off);
        ball_mul_2exp(x, p->largest, 1); /* logits: (scale/gap)(score - best), and no more than the scale for ties */
        ball_add(x, x, one);             /* scale/gap itself is a number of the format, too */
        ball_div(x, x, gap);
        ball_add(x, x, one);
        ball_mul(x, x, scale);
        if (!ball_has_room(x, r->accumulation, r)) {
            set_none(out, x);
            return;
        }
    }
    if (p->h->hard_choice == TEMPER_CHOICE_AVERAGE) {
        ball_sub(x, one, error);
        ball_mul(x, x, scale);
        single_share(out, p->gap < INFINITY ? x : NULL, p->size, scratch);
        return;
    }
    ball_set_int(x, (int64_t)p->size);
    ball_div(step, one, x);
    ball_mul_2exp(error, error, 1);
    tie_break_share(out, p->size, scale, step, one, error, r, scratch);
}

/* The least distance, in computed logits, from a winner to a key that lost and that the tie-break favours by so many steps; false: not
   certainly above 0. */
static bool lost_by(ball *out, const share_problem *p, double steps, const rounding_rules *r) {
    ball *t = &r->t[0];
    ball_set_double(out, p->step);
    ball_set_double(t, steps);
    ball_mul(out, out, t);
    ball_set_double(t, p->gap);
    ball_sub(out, t, out);
    ball_sub(out, out, p->lose_off);
    ball_set_double(t, p->scale);
    ball_mul(out, out, t);
    ball_set_int(t, 1);
    ball_sub(t, t, r->unit);
    ball_mul(out, out, t);
    ball_set_int(t, 0);
    return ball_is_less(t, out);
}

void share_bound(ball *out, const share_problem *p, const rounding_rules *r, arena *scratch) {
    ball *t = ball_array(scratch, 4), *below = t, *within = t + 1, *scale = t + 2, *x = t + 3;
    bool settled = p->single || ball_is_zero(p->tie_off);
    bool apart = p->gap == INFINITY || lost_by(below, p, 0, r);
    const ball *under = p->gap == INFINITY ? NULL : below;
    ball_set_double(scale, p->scale);
    if (p->h->choice != TEMPER_CHOICE_SOFTMAX) {
        ball_set_int(out, !settled || !apart);
    } else if (p->h->adaptive) {
        if (settled && apart)
            adaptive_share(out, p, r, scratch);
        else
            set_none(out, x); /* it may divide by any rounding error */
        if (!ball_is_finite(out)) return;
    } else if (p->step > 0) {
        ball *step = ball_array(scratch, 2), *gap = step + 1;
        ball_set_double(step, p->step);
        if (p->gap < INFINITY) ball_set_double(gap, p->gap);
        tie_break_share(out, p->size, scale, step, p->gap < INFINITY ? gap : NULL, p->lose_off, r, scratch);
        if (p->single && p->gap < INFINITY && lost_by(below, p, (double)(p->size - 1), r)) {
            single_share(x, below, p->size, scratch);
            if (ball_is_less(x, out)) ball_set(out, x);
        }
    } else if (!apart) {
        set_one(out);
    } else if (p->single) {
        single_share(out, under, p->size, scratch);
    } else if (p->h->hard_choice == TEMPER_CHOICE_AVERAGE) {
        ball_mul(within, scale, p->tie_off);
        ball_mul(within, within, r->step);
        tied_share(out, within, under, p->size, scratch);
    } else {
        set_one(out);
    }
    ball_set_int(x, 1);
    if (!ball_is_at_most(out, x)) set_one(out);
}
