#include "bound/choice_share.h"

#include <math.h>

/* A key that is at least `below` under the winner weighs at most this, beside 1. As on the page, its score is a
   double. */
/* On paper: "Shares of a softmax row". */
static const ball *loser_weight(const bounds *b, const ball *below) {
    return b_exp(b, b_double(b, b_upper(b, b_neg(b, below))));
}

/* One winner of value 0, and losers of value 1 that weigh r together: the box problem has its maximum with all of
   them at their upper ends. */
/* Coq: softmax_total_variation, score_boxes. */
static const ball *share_of_losers(const bounds *b, const ball *r) { return b_div(b, r, b_add(b, b->one, r)); }

/* Lambda (distance - off) (1 - u): what is left of a distance of scores in computed logits. */
/* On paper: "Shares of a softmax row". */
static const ball *left_of(const bounds *b, const ball *scale, const ball *distance, const ball *off) {
    return b_mul(b, b_mul(b, scale, b_sub(b, distance, off)), b_sub(b, b->one, b->unit_a));
}

/* N - 1 keys that are at least `below` under the winner; NULL: there is none. */
/* On paper: "Shares of a softmax row". */
static const ball *single_share(const bounds *b, const ball *below) {
    if (!below || b->size == 1) return b->zero;
    return share_of_losers(b, b_times(b, (int64_t)b->size - 1, loser_weight(b, below)));
}

/* Terms beyond which the rest of a falling sum is bounded by its first term, since more would not change a printed
   digit. */
/* Arithmetic. */
static bool rest_is_nothing(const bounds *b, const ball *term, const ball *sum) {
    return b_is_less(b, b_times(b, (int64_t)b->size, term), b_shift(b, sum, -120));
}

/* Keys at distances that are multiples of `step`, `off` apart from that. `gap` NULL: all scores tie. */
/* On paper: "Shares of a softmax row". */
static const ball *tie_break_share(const bounds *b, const ball *scale, const ball *step, const ball *gap,
                                   const ball *off) {
    int64_t others = (int64_t)b->size - 1;
    if (others == 0) return b->zero;
    const ball *nearest = left_of(b, scale, step, off);
    if (!b_is_less(b, b->zero, nearest)) return b->one;
    if (gap) {
        const ball *farthest = b_sub(b, gap, b_times(b, others, step));
        if (!b_is_less(b, b->zero, left_of(b, scale, farthest, off))) return b->one;
    }
    bool losing = !gap || b_is_at_most(b, b_times(b, others + 1, step), gap);
    const ball *sum = b->zero;
    for (int64_t k = 1; k <= others; k++) { /* the heaviest key first */
        const ball *distance = losing ? b_times(b, k, step) : b_sub(b, gap, b_times(b, others + 1 - k, step));
        const ball *weight = loser_weight(b, left_of(b, scale, distance, off));
        if (k > 1 && rest_is_nothing(b, weight, sum))
            return share_of_losers(b, b_add(b, sum, b_times(b, others + 1 - k, weight)));
        sum = b_add(b, sum, weight);
    }
    return share_of_losers(b, sum);
}

/* Winners within B of each other, the others at least A below the least of them (NULL: none): the maximum of
   (p + q)/(p + q + (1 - p) a) - p over p in [0, 1]. */
/* On paper: "Shares of a softmax row". */
static const ball *tied_share(const bounds *b, const ball *within, const ball *below) {
    const ball *a = b_exp(b, b_neg(b, within)), *q = b->zero;
    if (below) q = b_mul(b, b_mul(b, a, b_int(b, (int64_t)b->size - 1)), b_exp(b, b_neg(b, below)));
    if (!b_is_zero(b, within)) {
        if (!b_is_at_most(b, b_power_of_two(b, -40), within)) /* 1 - a would be lost in the balls */
            return b_add(b, b_shift(b, within, -2), b_div(b, q, a));
        const ball *c = b_mul(b, a, b_add(b, b->one, q)), *rest = b_sub(b, b->one, a), *root = b_sqrt(b, c);
        if (b_is_less(b, q, b_div(b, b_sub(b, root, c), rest))) {
            const ball *short_of_one = b_sub(b, b->one, root);
            return b_add(b, b_div(b, b_mul(b, short_of_one, short_of_one), rest), q);
        }
    }
    return b_div(b, q, b_add(b, q, a));
}

/* On paper: "Shares of a softmax row". */
static const ball *adaptive_share(const share_problem *p, const rounding_rules *r) {
    const bounds *b = r->b;
    const ball *scale = b_double(b, p->scale), *size = b_int(b, (int64_t)b->size);
    const ball *least = b_mul(b, b_shift(b, b->normal_a, 2), b_add(b, p->largest, size));
    if (!growth_is_small(r, 9) || !b_is_at_most(b, least, scale)) return b_none(b);
    if (p->gap < INFINITY) { /* logits, and the scale over a gap, which is a number of the format as well */
        const ball *twice = b_add(b, b_shift(b, p->largest, 1), b->one);
        const ball *gaps = b_div(b, twice, b_sub(b, b_double(b, p->gap), p->lose_off));
        const ball *most = b_mul(b, scale, b_add(b, gaps, b->one));
        if (!b_is_at_most(b, most, b_shift(b, b->most_a, -2))) return b_none(b);
    }
    const ball *error = b_grow(b, b->unit_a, 8);
    if (p->h->hard_choice == TEMPER_CHOICE_AVERAGE)
        return single_share(b, p->gap < INFINITY ? b_mul(b, scale, b_sub(b, b->one, error)) : NULL);
    return tie_break_share(b, scale, b_div(b, b->one, size), b->one, b_shift(b, error, 1));
}

/* Differences of logits are rounded to nearest, which keeps order, and z is a number of the format: so there is no
   factor 1 - u. */
/* Coq: far, silent (from computed logits on); on paper: "Saturation", how far apart they are. */
static bool is_silent(const share_problem *p, const rounding_rules *r, const ball *distance) {
    const bounds *b = r->b;
    const ball *below = b_mul(b, b_double(b, p->scale), b_sub(b, distance, p->lose_off));
    return b_is_at_most(b, b_double(b, r->silence), below);
}

/* Coq: one_hot, silent (from computed logits on); on paper: "Saturation", how far apart they are. */
row_peak share_peak(const share_problem *p, const rounding_rules *r) {
    const bounds *b = r->b;
    if (p->h->choice != TEMPER_CHOICE_SOFTMAX || p->h->adaptive) return PEAK_SOFT;
    const ball *gap = p->gap < INFINITY ? b_double(b, p->gap) : NULL;
    row_peak alone = p->single || p->step > 0 ? PEAK_ONE_HOT : PEAK_SILENT;
    if (p->step > 0 && gap) gap = b_sub(b, gap, b_times(b, (int64_t)b->size - 1, b_double(b, p->step)));
    if (gap && !is_silent(p, r, gap)) return PEAK_SOFT;
    return p->single || p->step == 0 || is_silent(p, r, b_double(b, p->step)) ? alone : PEAK_SOFT;
}

/* On paper: "Shares of a softmax row". */
static const ball *softmax_share(const share_problem *p, const rounding_rules *r) {
    const bounds *b = r->b;
    row_peak peak = share_peak(p, r);
    if (peak == PEAK_ONE_HOT) return b->zero;
    const ball *scale = b_double(b, p->scale), *gap = p->gap < INFINITY ? b_double(b, p->gap) : NULL;
    const ball *below = gap ? left_of(b, scale, gap, p->lose_off) : NULL;
    if (p->step > 0) {
        const ball *step = b_double(b, p->step);
        const ball *share = tie_break_share(b, scale, step, gap, p->lose_off);
        if (!p->single || !gap) return share;
        const ball *favoured = b_sub(b, gap, b_times(b, (int64_t)b->size - 1, step));
        below = left_of(b, scale, favoured, p->lose_off);
        if (!b_is_less(b, b->zero, below)) return share;
        const ball *other = single_share(b, below);
        return b_is_less(b, other, share) ? other : share;
    }
    if (below && !b_is_less(b, b->zero, below)) return b->one;
    if (p->single) return single_share(b, below);
    if (p->h->hard_choice != TEMPER_CHOICE_AVERAGE) return b->one; /* ties need a tie-break */
    if (peak == PEAK_SILENT) below = NULL;
    return tied_share(b, b_mul(b, b_mul(b, scale, p->tie_off), b_add(b, b->one, b->unit_a)), below);
}

const ball *share_bound(const share_problem *p, const rounding_rules *r) {
    const bounds *b = r->b;
    bool settled = p->single || b_is_zero(b, p->tie_off);
    bool apart = p->gap == INFINITY || b_is_less(b, p->lose_off, b_double(b, p->gap));
    if (p->h->choice != TEMPER_CHOICE_SOFTMAX) return settled && apart ? b->zero : b->one;
    if (p->h->adaptive && !(settled && apart)) return b_none(b); /* it may divide by any rounding error */
    const ball *share = p->h->adaptive ? adaptive_share(p, r) : softmax_share(p, r);
    if (p->h->adaptive && !b_is_finite(b, share)) return share;
    return b_is_at_most(b, share, b->one) ? share : b->one;
}
