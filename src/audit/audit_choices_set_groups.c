/* Heads on sets: how close keys are, and which can tie (doc/certificate.md, "Facts about the hard model", rules 4 and
   5). */
#include <string.h>

#include "audit/audit_choices_set_run.h"

/* ---- the least difference of two keys ---- */

/* The least difference of keys p and q, in order of their places, into t[0]. */
static const rational *difference(set_run *s, uint32_t d, size_t p, size_t q) {
    const set_head *h = s->head;
    lattice_sub(&s->s[0], key_of(h, p < q ? p : q, d), key_of(h, p < q ? q : p, d), &s->work);
    lattice_least(&s->t[0], &s->s[0], &s->work);
    return &s->t[0];
}

static void lower_to(rational *least, const rational *x) {
    if (rational_is_zero(x)) return;
    if (rational_is_zero(least) || rational_cmp(x, least) < 0) rational_set(least, x);
}

/* Where the remainder of the t-th key belongs among the sorted ones of those before it; SIZE_MAX: one is equal. */
static size_t find_place(const set_closest *c, size_t t) {
    size_t low = 0, high = t;
    if (t && rational_cmp(&c->places[c->sorted[t - 1]], &c->places[t]) < 0) return t;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = rational_cmp(&c->places[c->sorted[middle]], &c->places[t]);
        if (order == 0) return SIZE_MAX;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The distance of two remainders on the circle of the step; on the line if there is none. */
static void round_distance(const set_closest *c, size_t p, size_t q, rational *out, rational *t) {
    rational_sub(out, &c->places[p], &c->places[q]);
    rational_abs(out, out);
    if (rational_is_zero(c->step)) return;
    rational_sub(t, c->step, out);
    if (rational_cmp(t, out) < 0) rational_swap(t, out);
}

/* All keys so far are constants, or have the same step and other remainders than this one. Then it differs from each
   by at least the distance of remainders on the circle, and from its neighbours there by no more if their sets say
   so. False: not so. */
static bool add_round(set_run *s, set_closest *c, uint32_t d, size_t t) {
    const set_head *h = s->head;
    size_t j = set_key_at(s, t);
    const lattice *key = key_of(h, j, d);
    rational *near = &s->t[1], *other = &s->t[2], *least = &c->least[t + 1];
    if (t == 0) {
        c->round = true;
        rational_set_int(c->step, 0);
    }
    if (!c->round) return false;
    if (!rational_is_zero(&key->g) && !rational_equal(&key->g, c->step)) {
        c->round = rational_is_zero(c->step);
        if (!c->round) return false;
        rational_set(c->step, &key->g); /* so far there were constants; their remainders are new */
        for (size_t k = 0; k < t && c->round; k++) {
            rational_mod(&c->places[k], &key_of(h, set_key_at(s, k), d)->a, c->step, &s->work);
            size_t at = find_place(c, k);
            if (at == SIZE_MAX) c->round = false;
            if (c->round) memmove(c->sorted + at + 1, c->sorted + at, (k - at) * sizeof *c->sorted);
            if (c->round) c->sorted[at] = k;
        }
        if (!c->round) return false;
    }
    rational_mod(&c->places[t], &key->a, c->step, &s->work);
    size_t at = find_place(c, t);
    if (at == SIZE_MAX) {
        c->round = false;
        return false;
    }
    memmove(c->sorted + at + 1, c->sorted + at, (t - at) * sizeof *c->sorted);
    c->sorted[at] = t;
    if (t == 0) return true;
    size_t left = c->sorted[at ? at - 1 : t], right = c->sorted[at < t ? at + 1 : 0], beside = left;
    round_distance(c, left, t, near, other);
    round_distance(c, right, t, &s->t[3], other);
    if (rational_cmp(&s->t[3], near) < 0) {
        rational_swap(&s->t[3], near);
        beside = right;
    }
    if (!rational_is_zero(least) && rational_cmp(near, least) >= 0) return true;
    if (!rational_equal(difference(s, d, set_key_at(s, beside), j), near)) return false; /* their ends are apart */
    lower_to(least, near);
    return true;
}

/* Compares the t-th key with those before it. Keys with the same set differ from the others alike: one of each kind
   is compared, and a kind with itself once. */
static void add_pairs(set_run *s, set_closest *c, uint32_t d, size_t t) {
    const set_head *h = s->head;
    size_t j = set_key_at(s, t), same = 0;
    rational *least = &c->least[t + 1];
    for (; c->listed < t; c->listed++) { /* they were compared, and no two remainders were equal */
        c->twice[c->kinds] = false;
        c->kind[c->kinds++] = c->listed;
    }
    c->listed++;
    while (same < c->kinds && !lattice_equal(key_of(h, set_key_at(s, c->kind[same]), d), key_of(h, j, d))) same++;
    set_spend(s, (double)same / 16 + 1);
    if (same == c->kinds) {
        set_spend(s, (double)same);
        for (size_t k = 0; k < c->kinds; k++) lower_to(least, difference(s, d, set_key_at(s, c->kind[k]), j));
        c->twice[c->kinds] = false;
        c->kind[c->kinds++] = t;
    } else if (!c->twice[same]) {
        lower_to(least, difference(s, d, set_key_at(s, c->kind[same]), j));
        c->twice[same] = true;
    }
}

const rational *set_closest_of(set_run *s, uint32_t d, size_t t) {
    set_closest *c = &s->head->closest[d];
    if (c->known == 0) c->kinds = c->listed = 0;
    for (; c->known < t; c->known++) {
        rational_set(&c->least[c->known + 1], &c->least[c->known]); /* least[0] stays 0 */
        if (!add_round(s, c, d, c->known)) add_pairs(s, c, d, c->known);
    }
    return &c->least[t];
}

/* ---- rule 5 ---- */

static void find_score(set_run *s, const set_row *row, size_t j, lattice *score) {
    const set_head *h = s->head;
    lattice *product = &s->s[0];
    lattice_set_zero(score);
    for (uint32_t d = 0; d < h->d; d++) {
        const lattice *query = query_of(h, row->i, d);
        if (rational_is_zero(&query->g))
            lattice_scale(product, key_of(h, j, d), &query->a, &s->work);
        else
            lattice_mul(product, query, key_of(h, j, d), &s->work);
        lattice_add(score, score, product);
    }
}

/* The keys that can win, in s->order, sorted by s->remainders and then by place: equal remainders are a group. */
static size_t find_groups(set_run *s, const set_row *row) {
    set_winners *w = &s->head->winners;
    size_t count = 0;
    set_spend(s, (double)(row->keys.end - row->keys.first) * (s->head->d + s->head->v));
    for (size_t j = row->keys.first; j < row->keys.end; j++) {
        find_score(s, row, j, &s->scores[j]);
        if (j == row->keys.first || rational_cmp(&s->scores[j].lo, w->low) > 0)
            rational_set(w->low, &s->scores[j].lo);
    }
    rational_set_int(w->step, 0);
    for (size_t j = row->keys.first; j < row->keys.end; j++) {
        if (rational_cmp(&s->scores[j].hi, w->low) < 0) continue;
        rational_gcd(w->step, w->step, &s->scores[j].g);
        if (count == 0 || rational_cmp(&s->scores[j].hi, w->high) < 0) rational_set(w->high, &s->scores[j].hi);
        s->order[count++] = j;
    }
    for (size_t k = 0; k < count; k++)
        rational_mod(&s->remainders[s->order[k]], &s->scores[s->order[k]].a, w->step, &s->work);
    for (size_t k = 1; k < count; k++) { /* stable insertion: keys come nearly sorted, or are few */
        size_t key = s->order[k], at = k;
        for (; at > 0 && rational_cmp(&s->remainders[s->order[at - 1]], &s->remainders[key]) > 0; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = key;
    }
    return count;
}

/* Where the group of s->order[from] ends. */
static size_t group_end(const set_run *s, size_t from, size_t count, bool alike) {
    const rational *remainder = &s->remainders[s->order[from]];
    size_t end = from + 1;
    while (end < count && (alike || rational_equal(&s->remainders[s->order[end]], remainder))) end++;
    return end;
}

/* Kept for the next row. */
static void keep_winners(set_run *s, const set_row *row, size_t count, const lattice *out) {
    set_head *h = s->head;
    set_winners *w = &h->winners;
    w->known = row->single && row->keys.first == 0;
    if (!w->known) return;
    w->end = row->keys.end;
    w->sharp = true;
    w->lost = count < row->keys.end;
    rational_set(w->top, &s->remainders[s->order[count - 1]]);
    for (uint32_t d = 0; d < h->d; d++) lattice_set(&w->query[d], query_of(h, row->i, d));
    for (uint32_t r = 0; r < h->v; r++) lattice_set(&w->output[r], &out[r]);
}

/* How the row's query relates to that of the row before: the same, the same steps with no narrower ends, or other. */
typedef enum relation { QUERY_SAME, QUERY_WIDER, QUERY_OTHER } relation;

static relation compare_queries(const set_head *h, size_t i) {
    relation found = QUERY_SAME;
    for (uint32_t d = 0; d < h->d; d++) {
        const lattice *x = &h->winners.query[d], *y = query_of(h, i, d);
        if (!rational_equal(&x->a, &y->a) || !rational_equal(&x->g, &y->g)) return QUERY_OTHER;
        if (rational_cmp(&y->lo, &x->lo) > 0 || rational_cmp(&y->hi, &x->hi) < 0) return QUERY_OTHER;
        if (!lattice_equal(x, y)) found = QUERY_WIDER;
    }
    return found;
}

/* The row has one key more than the row before. With the same query all other scores are what they were; with a wider
   one their ends move outward, so keys that could win still can. False: all keys have to be looked at. */
static bool add_winner(set_run *s, set_row *row, lattice *out) {
    set_head *h = s->head;
    set_winners *w = &h->winners;
    if (!w->known || row->keys.first != 0 || row->keys.end != w->end + 1) return false;
    relation query = compare_queries(h, row->i);
    if (query == QUERY_OTHER || (query == QUERY_WIDER && w->lost)) return false;
    w->sharp = w->sharp && query == QUERY_SAME;
    size_t j = row->keys.end - 1;
    lattice *score = &s->s[1];
    rational *at = &s->t[0];
    find_score(s, row, j, score);
    if (rational_cmp(&score->lo, w->high) > 0) return false;
    if (rational_cmp(&score->hi, w->low) >= 0) {
        rational_gcd(at, w->step, &score->g);
        if (!rational_equal(at, w->step)) return false;
        rational_mod(at, &score->a, w->step, &s->work);
        if (rational_cmp(at, w->top) <= 0) return false;
        rational_set(w->top, at);
        for (uint32_t r = 0; r < h->v; r++) lattice_join(&w->output[r], &w->output[r], value_of(h, j, r), &s->work);
        if (rational_cmp(&score->hi, w->high) < 0) rational_set(w->high, &score->hi);
    } else if (w->sharp) {
        w->lost = true;
    } else {
        return false;
    }
    if (rational_cmp(&score->lo, w->low) > 0) rational_set(w->low, &score->lo);
    for (uint32_t d = 0; d < h->d && query == QUERY_WIDER; d++) lattice_set(&w->query[d], query_of(h, row->i, d));
    for (uint32_t r = 0; r < h->v; r++) lattice_set(&out[r], &w->output[r]);
    w->end = row->keys.end;
    row->single = true;
    return true;
}

void set_groups(set_run *s, set_row *row, lattice *out) {
    const set_head *h = s->head;
    bool alike = h->twin[row->keys.end - 1] > row->keys.first;
    size_t count = 0;
    if (!alike && add_winner(s, row, out)) return;
    if (alike)
        for (size_t j = row->keys.first; j < row->keys.end; j++) s->order[count++] = j;
    else
        count = find_groups(s, row);
    row->single = true;
    for (size_t from = 0, end; from < count; from = end) {
        end = group_end(s, from, count, alike);
        if (end - from > 1) row->single = false;
        for (uint32_t r = 0; r < h->v; r++)
            set_join_mean(s, row->i, r, s->order + from, end - from, &out[r], from == 0);
    }
    if (!alike) keep_winners(s, row, count, out);
}
