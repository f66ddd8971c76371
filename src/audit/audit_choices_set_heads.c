/* Heads on sets: rules 2, 4 and 5 of doc/certificate.md, "Facts about the hard model". */
#include <string.h>

#include "audit/audit_choices_set_run.h"

enum { PAIRS_MOST = 32 }; /* keys of a row whose pairs are looked at one by one in several dimensions */

static const lattice *query_of(const set_head *h, size_t i, uint32_t d) { return &h->query[i * h->d + d]; }
static const lattice *key_of(const set_head *h, size_t j, uint32_t d) { return &h->key[j * h->d + d]; }
static const lattice *value_of(const set_head *h, size_t j, uint32_t r) { return &h->value[j * h->v + r]; }

/* ---- what is the same for all rows ---- */

/* The t-th key in the order in which rows gain keys. */
static size_t key_at(const set_run *s, size_t t) { return s->head.from_right ? s->positions - 1 - t : t; }

static void measure_keys(set_run *s) {
    set_head *h = &s->head;
    rational *unit = h->key_unit;
    h->constant_keys = h->keys_are_small = true;
    rational_set_int(unit, 0);
    for (size_t k = 0; k < s->positions * h->d; k++) {
        h->constant_keys = h->constant_keys && rational_is_zero(&h->key[k].g);
        rational_gcd(unit, unit, &h->key[k].a);
    }
    for (uint32_t d = 0; d < h->d; d++) h->largest_key[d] = 0;
    if (!h->constant_keys) return;
    for (size_t k = 0; k < s->positions * h->d; k++) {
        int64_t *key = &h->whole_keys[k];
        *key = 0;
        if (rational_is_zero(&h->key[k].a)) continue;
        rational_div(&s->t[0], &h->key[k].a, unit);
        h->keys_are_small = h->keys_are_small && rational_to_int64(key, &s->t[0]) && *key <= (int64_t)1 << 40 &&
                            *key >= -((int64_t)1 << 40);
        double size = *key < 0 ? -(double)*key : (double)*key;
        double *largest = &h->largest_key[k % h->d];
        if (size > *largest) *largest = size;
    }
}

void set_head_begin(set_run *s) {
    set_head *h = &s->head;
    size_t stride = s->most + 1;
    temper_mask mask = h->claim->exact.head->mask;
    h->from_right = mask == TEMPER_MASK_AFTER || mask == TEMPER_MASK_FROM;
    measure_keys(s);
    for (uint32_t d = 0; d < h->d; d++) {
        h->closest_known[d] = false;
        for (size_t t = 0; t < s->positions; t++) {
            const lattice *k = key_of(h, key_at(s, t), d);
            lattice *to = &h->joined[d * stride + t + 1];
            if (t == 0)
                lattice_set(to, k);
            else
                lattice_join(to, to - 1, k, &s->work);
        }
    }
}

static void find_closest(set_run *s, uint32_t d) {
    set_head *h = &s->head;
    rational *to = &h->closest[d * (s->most + 1)], *x = &s->t[0]; /* to[0] stays 0 */
    h->closest_known[d] = true;
    set_spend(s, (double)s->positions * (double)s->positions);
    for (size_t t = 0; t < s->positions; t++) {
        rational_set(&to[t + 1], &to[t]);
        for (size_t k = 0; k < t; k++) {
            size_t p = key_at(s, k), q = key_at(s, t);
            lattice_sub(&s->s[0], key_of(h, p < q ? p : q, d), key_of(h, p < q ? q : p, d), &s->work);
            lattice_least(x, &s->s[0], &s->work);
            if (rational_is_zero(x)) continue;
            if (rational_is_zero(&to[t + 1]) || rational_cmp(x, &to[t + 1]) < 0) rational_set(&to[t + 1], x);
        }
    }
}

/* ---- rule 4: the gap ---- */

static bool is_active(const set_run *s, const set_row *row, uint32_t d) {
    const set_head *h = &s->head;
    const lattice *keys = &h->joined[d * (s->most + 1) + (row->keys.end - row->keys.first)];
    return !lattice_is_zero(query_of(h, row->i, d)) && !rational_is_zero(&keys->g);
}

static void gap_of_pairs(set_run *s, set_row *row) {
    const set_head *h = &s->head;
    lattice *difference = &s->s[0], *sum = &s->s[1];
    rational *x = &s->t[0];
    double t = (double)(row->keys.end - row->keys.first);
    set_spend(s, t * t * h->d);
    rational_set_int(row->gap, 0);
    for (size_t k = row->keys.first + 1; k < row->keys.end; k++)
        for (size_t j = row->keys.first; j < k; j++) {
            lattice_set_zero(sum);
            for (uint32_t d = 0; d < h->d; d++) {
                lattice_sub(difference, key_of(h, j, d), key_of(h, k, d), &s->work);
                lattice_mul(difference, query_of(h, row->i, d), difference, &s->work);
                lattice_add(sum, sum, difference);
            }
            lattice_least(x, sum, &s->work);
            if (rational_is_zero(x)) continue;
            if (rational_is_zero(row->gap) || rational_cmp(x, row->gap) < 0) rational_set(row->gap, x);
        }
}

static void find_gap(set_run *s, set_row *row, uint32_t active, uint32_t last_active) {
    const set_head *h = &s->head;
    size_t t = row->keys.end - row->keys.first, stride = s->most + 1;
    if (active == 1) {
        if (!h->closest_known[last_active]) find_closest(s, last_active);
        lattice_least(row->gap, query_of(h, row->i, last_active), &s->work);
        rational_mul(row->gap, row->gap, &h->closest[last_active * stride + t]);
        return;
    }
    if (t <= PAIRS_MOST) {
        gap_of_pairs(s, row);
        return;
    }
    rational *x = &s->t[0];
    rational_set_int(row->gap, 0);
    for (uint32_t d = 0; d < h->d; d++) {
        if (!is_active(s, row, d)) continue;
        const lattice *q = query_of(h, row->i, d);
        rational_gcd(x, &q->a, &q->g);
        rational_mul(x, x, &h->joined[d * stride + t].g);
        rational_gcd(row->gap, row->gap, x);
    }
}

/* ---- rule 5: ties, and the output ---- */

static bool rows_are_equal(const model_rows *x, const model_rows *y, size_t r) { /* row 0 of x, row r of y */
    size_t size = rows_size(x, 0);
    const model_term *p = rows_begin_of(x, 0), *q = rows_begin_of(y, r);
    if (rows_size(y, r) != size) return false;
    if (size == 1) return p[0].channel == q[0].channel;
    for (size_t k = 0; k < size; k++)
        if (p[k].channel != q[k].channel || p[k].weight != q[k].weight) return false;
    return true;
}

/* Keys that tie have the same value: it is a multiple of the only key, and the query is not 0. */
static bool ties_agree(set_run *s, size_t i, uint32_t r) {
    const set_head *h = &s->head;
    const model_head *head = h->claim->exact.head;
    if (h->d != 1 || !rows_are_equal(&head->key, &head->value, r)) return false;
    rational *zero = &s->t[0], *away = &s->t[1];
    rational_set_int(zero, 0);
    lattice_distance(away, query_of(h, i, 0), zero, &s->work);
    return !rational_is_zero(away);
}

/* Joins the mean of the values of keys[0..count), ascending, to `out`, or sets it if that is empty. */
static void join_mean(set_run *s, size_t i, uint32_t r, const size_t *keys, size_t count, lattice *out, bool empty) {
    const set_head *h = &s->head;
    lattice *mean = &s->s[2];
    lattice_set(mean, value_of(h, keys[0], r));
    for (size_t k = 1; k < count; k++) lattice_join(mean, mean, value_of(h, keys[k], r), &s->work);
    if (h->claim->exact.head->hard_choice == TEMPER_CHOICE_AVERAGE && count > 1 && !ties_agree(s, i, r))
        rational_div(&mean->g, &mean->g, &s->lcm[count]);
    if (empty)
        lattice_set(out, mean);
    else
        lattice_join(out, out, mean, &s->work);
}

static void output_of_cases(set_run *s, const set_row *row, uint32_t r, lattice *out) {
    bool empty = true;
    size_t tied = 0;
    for (size_t j = row->keys.first; j < row->keys.end; j++) {
        if (s->mark[j] & CASE_ALONE) join_mean(s, row->i, r, &j, 1, out, empty), empty = false;
        if (s->mark[j] & CASE_TIED) s->order[tied++] = j;
    }
    if (tied) join_mean(s, row->i, r, s->order, tied, out, empty);
}

static bool neighbours_are_alike(const set_run *s, const set_row *row) {
    const set_head *h = &s->head;
    for (size_t j = row->keys.first; j + 1 < row->keys.end; j++) {
        bool equal = true, varies = false;
        for (uint32_t d = 0; d < h->d && equal; d++) {
            equal = lattice_equal(key_of(h, j, d), key_of(h, j + 1, d));
            varies = varies || !rational_is_zero(&key_of(h, j, d)->g);
        }
        if (equal && varies) return true;
    }
    return false;
}

/* The keys that can win, in s->order, sorted by s->remainders and then by place: equal remainders are a group. */
static size_t find_groups(set_run *s, const set_row *row) {
    const set_head *h = &s->head;
    rational *largest = &s->t[0], *step = &s->t[1];
    lattice *product = &s->s[0];
    size_t count = 0;
    for (size_t j = row->keys.first; j < row->keys.end; j++) {
        lattice *score = &s->scores[j];
        lattice_set_zero(score);
        for (uint32_t d = 0; d < h->d; d++) {
            lattice_mul(product, query_of(h, row->i, d), key_of(h, j, d), &s->work);
            lattice_add(score, score, product);
        }
        if (j == row->keys.first || rational_cmp(&score->lo, largest) > 0) rational_set(largest, &score->lo);
    }
    rational_set_int(step, 0);
    for (size_t j = row->keys.first; j < row->keys.end; j++) {
        if (rational_cmp(&s->scores[j].hi, largest) < 0) continue;
        rational_gcd(step, step, &s->scores[j].g);
        s->order[count++] = j;
    }
    for (size_t k = 0; k < count; k++)
        rational_mod(&s->remainders[s->order[k]], &s->scores[s->order[k]].a, step, &s->work);
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

static void output_of_groups(set_run *s, set_row *row) {
    const set_head *h = &s->head;
    bool alike = neighbours_are_alike(s, row);
    size_t count = 0;
    if (alike)
        for (size_t j = row->keys.first; j < row->keys.end; j++) s->order[count++] = j;
    else
        count = find_groups(s, row);
    row->single = true;
    for (size_t from = 0, end; from < count; from = end) {
        end = group_end(s, from, count, alike);
        if (end - from > 1) row->single = false;
        for (uint32_t r = 0; r < h->v; r++)
            join_mean(s, row->i, r, s->order + from, end - from, &h->output[row->i * h->v + r], from == 0);
    }
}

/* ---- rule 2 ---- */

static void output_of_equal_scores(set_run *s, const set_row *row, uint32_t r, lattice *out) {
    const set_head *h = &s->head;
    rational *share = &s->t[0];
    switch (h->claim->exact.head->hard_choice) {
    case TEMPER_CHOICE_LEFTMOST: lattice_set(out, value_of(h, row->keys.first, r)); return;
    case TEMPER_CHOICE_RIGHTMOST: lattice_set(out, value_of(h, row->keys.end - 1, r)); return;
    case TEMPER_CHOICE_AVERAGE:
    case TEMPER_CHOICE_SOFTMAX: break;
    }
    lattice_set(out, value_of(h, row->keys.first, r));
    for (size_t j = row->keys.first + 1; j < row->keys.end; j++) lattice_add(out, out, value_of(h, j, r));
    rational_set_ratio(share, 1, row->keys.end - row->keys.first);
    lattice_scale(out, out, share, &s->work);
}

void set_attend(set_run *s, size_t i) {
    set_head *h = &s->head;
    set_row row = {.i = i, .keys = general_keys(h->claim->exact.head->mask, i, s->positions), .gap = &s->t[7]};
    uint32_t active = 0, last_active = 0;
    if (row.keys.first >= row.keys.end) {
        for (uint32_t r = 0; r < h->v; r++) lattice_set_zero(&h->output[i * h->v + r]);
        return;
    }
    set_spend(s, (double)(row.keys.end - row.keys.first) * (h->d + h->v));
    for (uint32_t d = 0; d < h->d; d++)
        if (is_active(s, &row, d)) active++, last_active = d;
    bool cases = active && set_cases(s, &row);
    if (active && !cases) find_gap(s, &row, active, last_active);
    if (!active || rational_is_zero(row.gap)) {
        row.single = row.keys.end - row.keys.first == 1;
        for (uint32_t r = 0; r < h->v; r++) output_of_equal_scores(s, &row, r, &h->output[i * h->v + r]);
    } else {
        h->claim->gap[s->n] = least_of(h->claim->gap[s->n], rational_below(row.gap));
        if (cases)
            for (uint32_t r = 0; r < h->v; r++) output_of_cases(s, &row, r, &h->output[i * h->v + r]);
        else
            output_of_groups(s, &row);
    }
    if (!row.single) h->claim->single = false;
}
