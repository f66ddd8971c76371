/* What softmax can do with logits that are off by so much: D of doc/certificate.md, "Shares of a softmax row", from
   the extremes of score boxes. */
#include <math.h>

#include "audit/audit_choices_errors.h"

typedef struct share {
    errors *e;
    calculus *c;
    const ball *scale, *lost;
    const ball *gap; /* NULL: infinite */
} share;

/* ---- saturation ---- */

/* The least number of the format of sums that is certainly above ln(2/t): exp of its negative is below half of the
   least number t. */
double share_silence(const errors *e) {
    calculus *c = e->c;
    double above = ball_upper(logarithm(c, over(c, num(c, 2), num(c, e->t->ta))));
    double z = format_round(e->t->sums, above);
    return z < above ? format_next(e->t->sums, z, true) : z;
}

/* Keys of a score that is lower by so much weigh exactly 0. */
static bool is_out(errors *e, const score_error *s, const ball *lower) {
    calculus *c = e->c;
    return ball_is_at_most(num(c, e->silence), mul(c, num(c, s->scale), sub(c, lower, s->lost)));
}

/* Keys with another score than the best. */
static bool losers_are_out(errors *e, const head_claim *f, const score_error *s) {
    calculus *c = e->c;
    double gap = f->gap[e->n];
    if (!isfinite(gap)) return true;
    if (!s->tie.found) return is_out(e, s, num(c, gap));
    const ball *turn = mul(c, num(c, s->tie.sigma), num(c, (double)e->positions - 1)); /* what a tie-break can give */
    return is_out(e, s, sub(c, num(c, gap), turn));
}

bool share_is_one_hot(errors *e, const head_claim *f, const score_error *s) {
    const model_head *h = f->exact.head;
    if (h->choice != TEMPER_CHOICE_SOFTMAX || h->adaptive || !losers_are_out(e, f, s)) return false;
    return f->single || (s->tie.found && is_out(e, s, num(e->c, s->tie.sigma)));
}

/* ---- shares ---- */

static const ball *less_than_one(const errors *e, const ball *x) { return ball_is_less(x, e->one) ? x : e->one; }

/* One winner, of value 0, against weights r of value 1. */
static const ball *against(const share *s, const ball *r) {
    return less_than_one(s->e, over(s->c, r, add(s->c, s->e->one, r)));
}

static const ball *negative_exp(const share *s, const ball *x) {
    ball *z = calc_ball(s->c);
    ball_neg(z, x);
    return expo(s->c, num(s->c, ball_upper(z)));
}

/* N - 1 others, each `below` the winner at least (NULL: they weigh nothing). */
static const ball *one_winner(const share *s, const ball *below) {
    if (!below) return s->e->zero;
    if (!ball_is_less(s->e->zero, below)) return s->e->one;
    return against(s, mul(s->c, num(s->c, (double)s->e->positions - 1), negative_exp(s, below)));
}

static const ball *below_winner(const share *s, const ball *gap) {
    if (!gap) return NULL;
    calculus *c = s->c;
    return mul(c, mul(c, s->scale, sub(c, gap, s->lost)), sub(c, s->e->one, num(c, s->e->t->ua)));
}

/* Ties are decided by sigma times the distance. */
static const ball *by_distance(const share *s, const ball *sigma) {
    calculus *c = s->c;
    const ball *x = s->e->zero, *y = s->e->zero;
    for (size_t d = 1; d < s->e->positions; d++) {
        const ball *away = mul(c, sigma, num(c, (double)d));
        const ball *loser = below_winner(s, away);
        const ball *other = s->gap ? below_winner(s, sub(c, s->gap, away)) : NULL;
        bool first = d == 1, last = d + 1 == s->e->positions;
        if (first && !ball_is_less(s->e->zero, loser)) return s->e->one;
        if (last && other && !ball_is_less(s->e->zero, other)) return s->e->one;
        x = add(c, x, negative_exp(s, loser));
        if (other) y = add(c, y, negative_exp(s, other));
    }
    /* all on the losing side or all on the other: the larger sum is the one that the gap decides on */
    return against(s, larger(c, x, y));
}

static const ball *square_root(const share *s, const ball *x) {
    return expo(s->c, over(s->c, logarithm(s->c, x), num(s->c, 2)));
}

/* An average over several winners whose logits are within `spread` of each other. */
static const ball *several_winners(const share *s, const ball *below, const ball *tied) {
    errors *e = s->e;
    calculus *c = s->c;
    if (below && !ball_is_less(e->zero, below)) return e->one;
    const ball *spread = mul(c, mul(c, s->scale, tied), add(c, e->one, num(c, e->t->ua)));
    ball *t = calc_ball(c);
    const ball *a = e->one, *q = e->zero;
    if (!error_is_zero(e, tied)) {
        ball_neg(t, spread);
        a = expo(c, t);
    }
    if (below) {
        ball *z = calc_ball(c);
        ball_neg(z, below);
        q = mul(c, mul(c, a, num(c, (double)e->positions - 1)), expo(c, z));
    }
    const ball *none = over(c, q, add(c, q, a));
    if (error_is_zero(e, tied)) return less_than_one(e, none);
    if (!ball_is_at_most(two_to(c, -40), spread))
        return less_than_one(e, add(c, over(c, spread, num(c, 4)), over(c, q, a)));
    const ball *b = sub(c, e->one, a), *half = mul(c, a, add(c, e->one, q)), *root = square_root(s, half);
    if (!ball_is_less(e->zero, b)) return e->one;
    if (ball_is_less(over(c, sub(c, root, half), b), q)) return less_than_one(e, none);
    const ball *rest = sub(c, e->one, root);
    return less_than_one(e, add(c, over(c, mul(c, rest, rest), b), q));
}

static const ball *adaptive(share *s, const head_claim *f, const score_error *score, bool surely_tied) {
    errors *e = s->e;
    calculus *c = s->c;
    const ball *keys = add(c, score->size, num(c, (double)e->positions));
    bool safe = surely_tied && error_grows_little(e, 9) &&
                ball_is_at_most(mul(c, num(c, 4 * e->t->ma), keys), s->scale); /* neither quotient is subnormal */
    if (safe && s->gap) { /* the largest factor and logit that a row can make with the least gap it can see */
        const ball *room = sub(c, s->gap, s->lost), *most = add(c, mul(c, num(c, 2), score->size), e->one);
        safe = ball_is_less(e->zero, room) &&
               ball_is_at_most(mul(c, s->scale, add(c, over(c, most, room), e->one)), num(c, e->t->fa / 4));
    }
    if (!safe)
        audit_refuse(e->a, f->layer, f->number, "at length %zu an adaptive head may take rounding for its gap", e->n);
    const ball *epsilon = sub(c, up(c, e->t->ua, 8), e->one);
    if (f->exact.head->hard_choice == TEMPER_CHOICE_AVERAGE)
        return one_winner(s, s->gap ? mul(c, s->scale, sub(c, e->one, epsilon)) : NULL);
    share own = *s;
    own.gap = e->one;
    own.lost = mul(c, num(c, 2), epsilon);
    return by_distance(&own, over(c, e->one, num(c, (double)e->positions)));
}

const ball *share_find(errors *e, const head_claim *f, const score_error *score) {
    const model_head *h = f->exact.head;
    calculus *c = e->c;
    double gap = f->gap[e->n];
    bool surely_tied = f->single || error_is_zero(e, score->tied);
    share s = {e, c, num(c, score->scale), score->lost, isfinite(gap) ? num(c, gap) : NULL};
    if (h->choice != TEMPER_CHOICE_SOFTMAX)
        return surely_tied && (!s.gap || ball_is_less(s.lost, s.gap)) ? e->zero : e->one;
    if (h->adaptive) return adaptive(&s, f, score, surely_tied);
    if (share_is_one_hot(e, f, score)) return e->zero;
    if (score->tie.found) {
        const ball *sigma = num(c, score->tie.sigma), *found = by_distance(&s, sigma);
        if (!f->single || !s.gap) return found;
        const ball *lead = sub(c, s.gap, mul(c, sigma, num(c, (double)e->positions - 1)));
        const ball *below = below_winner(&s, lead);
        return ball_is_less(e->zero, below) ? error_least(e, found, one_winner(&s, below)) : found;
    }
    if (f->single) return one_winner(&s, below_winner(&s, s.gap));
    if (h->hard_choice != TEMPER_CHOICE_AVERAGE) return e->one;
    return several_winners(&s, losers_are_out(e, f, score) ? NULL : below_winner(&s, s.gap), score->tied);
}
