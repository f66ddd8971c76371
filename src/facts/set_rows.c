/* One row of a head on sets of values: how far apart its scores are, what ties, and what it gives
   (doc/certificate.md, "Facts about the hard model", rules 2 to 5). */
#include <math.h>

#include "facts/set_run.h"

enum { PAIR_LIMIT = 32 }; /* keys of which all pairs are looked at, for each row */

/* ---- rule 4 ---- */

/* Two scores of the row differ by sum_d q_d (k_jd - k_j'd), where every bracket is a multiple of the keys' g: so by a
   multiple of *gap; 0: no two differ. The number of dimensions in which they do, and one of them. */
static size_t row_step(rational *gap, const facts_run *p, const set_head *w, size_t *last) {
    size_t active = 0;
    rational_set_int(gap, 0);
    for (size_t d = 0; d < w->qs; d++) {
        const spread *q = w->query[d];
        if (spread_is_zero(q) || spread_is_constant(&w->keys[d])) continue;
        active++;
        *last = d;
        rational_gcd(&p->r[1], &q->a, &q->g);
        rational_mul(&p->r[1], &p->r[1], &w->keys[d].g);
        rational_gcd(gap, gap, &p->r[1]);
    }
    return active;
}

/* All pairs of keys with this row's query, until one has the common step: no difference is smaller. */
static void gap_of_pairs(facts_run *p, set_head *w) {
    rational *zero = &p->r[2], *least = &p->r[1], *step = &p->r[3];
    rational_set_int(zero, 0);
    rational_set(step, w->gap);
    rational_set_int(w->gap, 0);
    for (size_t j = w->end; j-- > w->first;)
        for (size_t k = j; k-- > w->first;) {
            p->steps += 2 * (double)w->qs;
            spread_set_constant(w->score, zero);
            for (size_t d = 0; d < w->qs; d++) {
                spread_set_difference(w->difference, column_at(&w->k[d], j), column_at(&w->k[d], k));
                spread_add_product(w->score, w->query[d], w->difference, &p->work);
            }
            spread_least(least, w->score, &p->work);
            bool smaller = rational_is_zero(w->gap) || rational_cmp(least, w->gap) < 0;
            if (!rational_is_zero(least) && smaller) rational_set(w->gap, least);
            if (rational_equal(w->gap, step)) return;
        }
}

/* A larger lower bound. One dimension: the product of two numbers that are not 0. More: all pairs, if they are
   few. */
static void sharpen_gap(facts_run *p, set_head *w, size_t active, size_t last) {
    if (active == 1) {
        set_pairs_catch_up(p, w);
        spread_least(w->gap, w->query[last], &p->work);
        rational_mul(w->gap, w->gap, w->pairs[last].least);
    } else if (active > 1 && w->end - w->first <= PAIR_LIMIT) {
        gap_of_pairs(p, w);
    }
}

/* ---- what a row can give ---- */

/* The mean of up to `most` members is in a + (g/lcm(1..most)) Z. A value that is a multiple of the key is the same
   for all keys that tie. */
void set_add_outcome(facts_run *p, set_head *w, const spread *values, size_t most, bool fresh) {
    bool mean = w->h->hard_choice == TEMPER_CHOICE_AVERAGE && most > 1;
    for (size_t d = 0; d < w->vs; d++) {
        spread_set(w->score, &values[d]);
        if (mean && !(w->query_is_not_zero && w->follows[d]))
            rational_div(&w->score->g, &w->score->g, set_lcm(p, most));
        if (fresh)
            spread_set(&w->now[d], w->score);
        else
            spread_join(&w->now[d], w->score, &p->work);
    }
}

/* The values of keys, ascending, together in w->group. */
static void join_values(facts_run *p, set_head *w, const size_t *keys, size_t count) {
    bool all = count == w->end - w->first && !w->from_right;
    if (!all) p->steps += (double)count;
    for (size_t d = 0; d < w->vs; d++) {
        if (all) spread_set(&w->group[d], &w->values[d]);
        for (size_t k = 0; k < count && !all; k++) {
            const spread *v = column_at(&w->v[d], keys[k]);
            if (k == 0)
                spread_set(&w->group[d], v);
            else
                spread_join(&w->group[d], v, &p->work);
        }
    }
}

/* The values of kinds of keys that win so, together in w->group; how many keys they are. */
static size_t join_kinds(const facts_run *p, set_head *w, unsigned char how) {
    size_t count = 0;
    for (size_t k = 0; k < w->cases.kind_count; k++) {
        if (!(w->cases.kind_wins[k] & how)) continue;
        for (size_t d = 0; d < w->vs; d++) {
            if (count == 0)
                spread_set(&w->group[d], &w->kind_values[k * w->vs + d]);
            else
                spread_join(&w->group[d], &w->kind_values[k * w->vs + d], &p->work);
        }
        count += w->cases.joined[k];
    }
    return count;
}

/* Where every value of the query was tried: keys that win alone, and keys that win with others. */
static void outcomes_by_cases(facts_run *p, set_head *w) {
    const query_cases *c = &w->cases;
    size_t alone = c->alone_count, tied = c->tied_count;
    if (c->by_kind)
        alone = join_kinds(p, w, WINS_ALONE);
    else
        join_values(p, w, c->alone, alone);
    if (alone) set_add_outcome(p, w, w->group, 1, true);
    if (c->by_kind)
        tied = join_kinds(p, w, WINS_TIED);
    else
        join_values(p, w, c->tied, tied);
    if (tied) set_add_outcome(p, w, w->group, tied, alone == 0);
}

/* All scores are equal. */
static void outcome_uniform(set_head *w) {
    size_t count = w->end - w->first;
    w->single = count == 1;
    for (size_t d = 0; d < w->vs; d++) {
        spread *out = &w->now[d];
        if (w->h->hard_choice == TEMPER_CHOICE_AVERAGE) {
            rational_div_int(&out->a, &w->sums[d].a, count);
            rational_div_int(&out->g, &w->sums[d].g, count);
            rational_div_int(&out->lo, &w->sums[d].lo, count);
            rational_div_int(&out->hi, &w->sums[d].hi, count);
        } else {
            size_t key = w->h->hard_choice == TEMPER_CHOICE_LEFTMOST ? w->first : w->end - 1;
            spread_set(out, column_at(&w->v[d], key));
        }
    }
}

void set_row_run(facts_run *p, set_head *w, size_t i) {
    rational *zero = &p->r[0];
    rational_set_int(w->gap, 0);
    w->single = true;
    if (w->end == w->first) { /* adds nothing */
        rational_set_int(zero, 0);
        for (size_t d = 0; d < w->vs; d++) spread_set_constant(&w->now[d], zero);
        return;
    }
    for (size_t d = 0; d < w->qs; d++) w->query[d] = column_at(&w->q[d], i);
    w->query_is_not_zero = false;
    size_t last = 0, active = row_step(w->gap, p, w, &last);
    if (rational_is_zero(w->gap)) {
        outcome_uniform(w);
        return;
    }
    bool cases = query_cases_row(&w->cases, &w->single, &p->r[5], w->query, w->first, w->end, &p->work);
    if (cases)
        rational_set(w->gap, &p->r[5]);
    else
        sharpen_gap(p, w, active, last);
    if (rational_is_zero(w->gap)) { /* looked at more closely, no two differ */
        outcome_uniform(w);
        return;
    }
    set_means_gap(p, w, i);
    w->uniform = false;
    w->least_gap = fmin(w->least_gap, rational_below(w->gap));
    w->log2_gap = fmin(w->log2_gap, rational_log2(w->gap));
    if (cases) {
        outcomes_by_cases(p, w);
        return;
    }
    if (w->qs == 1) {
        rational_set_int(zero, 0);
        spread_distance(&p->r[2], w->query[0], zero, &p->work);
        w->query_is_not_zero = !rational_is_zero(&p->r[2]);
    }
    w->single = set_groups_run(p, w);
}
