/* Heads on sets: rules 2 and 4 of doc/certificate.md, "Facts about the hard model". */
#include "audit/audit_choices_set_run.h"

enum { PAIRS_MOST = 32 }; /* keys of a row whose pairs are looked at one by one in several dimensions */

/* ---- what is the same for all rows ---- */

/* The union of the first t keys of a dimension has the step apart[t]. */
static void join_keys(set_run *s, size_t from) {
    set_head *h = s->head;
    size_t stride = s->most + 1;
    rational *off = &s->t[0];
    for (uint32_t d = 0; d < h->d; d++)
        for (size_t t = from; t < s->positions; t++) {
            const lattice *k = key_of(h, set_key_at(s, t), d);
            rational *to = &h->apart[d * stride + t + 1];
            if (t == 0) {
                rational_set(to, &k->g);
                continue;
            }
            rational_sub(off, &k->a, &key_of(h, set_key_at(s, 0), d)->a);
            rational_gcd(to, to - 1, off);
            if (!rational_is_zero(&k->g)) rational_gcd(to, to, &k->g);
        }
}

static void find_twins(set_run *s) {
    set_head *h = s->head;
    for (; h->alike < s->positions; h->alike++) {
        size_t j = h->alike;
        bool equal = j > 0, varies = false;
        for (uint32_t d = 0; d < h->d && equal; d++) {
            equal = lattice_equal(key_of(h, j - 1, d), key_of(h, j, d));
            varies = varies || !rational_is_zero(&key_of(h, j, d)->g);
        }
        h->twin[j] = equal && varies ? j : j ? h->twin[j - 1] : 0;
    }
}

bool set_head_begin(set_run *s, bool again) {
    set_head *h = s->head;
    again = again || s->old == 0 || h->from_right;
    bool rows = set_measure_keys(s, again);
    if (again) {
        for (uint32_t d = 0; d < h->d; d++) h->closest[d].known = 0;
        h->alike = h->summed = 0;
    }
    if (again || rows) h->winners.known = false;
    join_keys(s, again ? 0 : s->old);
    find_twins(s);
    return again || rows;
}

/* ---- rule 4: the gap ---- */

static bool is_active(const set_run *s, const set_row *row, uint32_t d) {
    const set_head *h = s->head;
    const rational *apart = &h->apart[d * (s->most + 1) + (row->keys.end - row->keys.first)];
    return !lattice_is_zero(query_of(h, row->i, d)) && !rational_is_zero(apart);
}

/* The gcd over active dimensions: every difference of scores is a multiple of it. */
static void common_step(set_run *s, const set_row *row, rational *out) {
    const set_head *h = s->head;
    size_t t = row->keys.end - row->keys.first;
    rational *x = &s->t[0];
    rational_set_int(out, 0);
    for (uint32_t d = 0; d < h->d; d++) {
        if (!is_active(s, row, d)) continue;
        const lattice *q = query_of(h, row->i, d);
        rational_gcd(x, &q->a, &q->g);
        rational_mul(x, x, &h->apart[d * (s->most + 1) + t]);
        rational_gcd(out, out, x);
    }
}

/* Neighbours first: once a pair has the common step, none has less. */
static void gap_of_pairs(set_run *s, set_row *row) {
    const set_head *h = s->head;
    lattice *difference = &s->s[0], *sum = &s->s[1];
    rational *x = &s->t[0], *step = &s->t[1];
    size_t t = row->keys.end - row->keys.first;
    common_step(s, row, step);
    rational_set_int(row->gap, 0);
    for (size_t apart = 1; apart < t; apart++)
        for (size_t j = row->keys.first; j + apart < row->keys.end; j++) {
            set_spend(s, h->d);
            lattice_set_zero(sum);
            for (uint32_t d = 0; d < h->d; d++) {
                lattice_sub(difference, key_of(h, j, d), key_of(h, j + apart, d), &s->work);
                lattice_mul(difference, query_of(h, row->i, d), difference, &s->work);
                lattice_add(sum, sum, difference);
            }
            lattice_least(x, sum, &s->work);
            if (rational_is_zero(x)) continue;
            if (rational_is_zero(row->gap) || rational_cmp(x, row->gap) < 0) rational_set(row->gap, x);
            if (rational_equal(row->gap, step)) return;
        }
}

static void find_gap(set_run *s, set_row *row, uint32_t active, uint32_t last_active) {
    const set_head *h = s->head;
    size_t t = row->keys.end - row->keys.first;
    if (active == 1) {
        const rational *closest = set_closest_of(s, last_active, t);
        lattice_least(row->gap, query_of(h, row->i, last_active), &s->work);
        rational_mul(row->gap, row->gap, closest);
    } else if (t <= PAIRS_MOST) {
        gap_of_pairs(s, row);
    } else {
        common_step(s, row, row->gap);
    }
}

/* ---- outputs ---- */

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
    const set_head *h = s->head;
    const model_head *head = h->claim->exact.head;
    if (h->d != 1 || !rows_are_equal(&head->key, &head->value, r)) return false;
    rational *zero = &s->t[0], *away = &s->t[1];
    rational_set_int(zero, 0);
    lattice_distance(away, query_of(h, i, 0), zero, &s->work);
    return !rational_is_zero(away);
}

/* Joins the mean of the values of keys[0..count), ascending, to `out`, or sets it if that is empty. Values that are
   like one of the last two add nothing. */
void set_join_mean(set_run *s, size_t i, uint32_t r, const size_t *keys, size_t count, lattice *out, bool empty) {
    const set_head *h = s->head;
    lattice *mean = &s->s[2];
    const lattice *last = value_of(h, keys[0], r), *before = last;
    lattice_set(mean, last);
    for (size_t k = 1; k < count; k++) {
        const lattice *v = value_of(h, keys[k], r);
        if (lattice_equal(v, last) || lattice_equal(v, before)) continue;
        lattice_join(mean, mean, v, &s->work);
        before = last;
        last = v;
    }
    if (h->claim->exact.head->hard_choice == TEMPER_CHOICE_AVERAGE && count > 1 && !ties_agree(s, i, r))
        rational_div(&mean->g, &mean->g, &s->lcm[count]);
    if (empty)
        lattice_set(out, mean);
    else
        lattice_join(out, out, mean, &s->work);
}

/* Keys that win alone one by one, then those that win together. */
static void output_of_cases(set_run *s, const set_row *row, lattice *out) {
    const set_head *h = s->head;
    for (uint32_t r = 0; r < h->v; r++) {
        const lattice *last = NULL, *before = NULL;
        size_t tied = 0;
        for (size_t j = row->keys.first; j < row->keys.end; j++) {
            if (s->mark[j] & CASE_TIED) s->order[tied++] = j;
            if (!(s->mark[j] & CASE_ALONE)) continue;
            const lattice *v = value_of(h, j, r);
            if (last && (lattice_equal(v, last) || lattice_equal(v, before))) continue;
            if (last)
                lattice_join(&out[r], &out[r], v, &s->work);
            else
                lattice_set(&out[r], v);
            before = last ? last : v;
            last = v;
        }
        if (tied) set_join_mean(s, row->i, r, s->order, tied, &out[r], last == NULL);
    }
}

/* ---- rule 2 ---- */

/* The sums of the values of the keys that rows have gained; keys come one by one. */
static void sum_values(set_run *s, size_t count) {
    set_head *h = s->head;
    if (h->summed > count) h->summed = 0;
    for (; h->summed < count; h->summed++)
        for (uint32_t r = 0; r < h->v; r++) {
            const lattice *v = value_of(h, set_key_at(s, h->summed), r);
            if (h->summed == 0)
                lattice_set(&h->running[r], v);
            else
                lattice_add(&h->running[r], &h->running[r], v);
        }
}

static void output_of_equal_scores(set_run *s, const set_row *row, lattice *out) {
    const set_head *h = s->head;
    temper_choice choice = h->claim->exact.head->hard_choice;
    size_t key = choice == TEMPER_CHOICE_LEFTMOST ? row->keys.first : row->keys.end - 1;
    rational *share = &s->t[0];
    bool unique = choice == TEMPER_CHOICE_LEFTMOST || choice == TEMPER_CHOICE_RIGHTMOST;
    if (!unique) sum_values(s, row->keys.end - row->keys.first);
    rational_set_ratio(share, 1, row->keys.end - row->keys.first);
    for (uint32_t r = 0; r < h->v; r++) {
        if (unique)
            lattice_set(&out[r], value_of(h, key, r));
        else
            lattice_scale(&out[r], &h->running[r], share, &s->work);
    }
}

void set_attend(set_run *s, size_t i, lattice *out) {
    set_head *h = s->head;
    set_row row = {.i = i, .keys = choices_keys(h->claim->exact.head->mask, i, s->positions), .gap = &s->t[7]};
    uint32_t active = 0, last_active = 0;
    if (row.keys.first >= row.keys.end) {
        for (uint32_t r = 0; r < h->v; r++) lattice_set_zero(&out[r]);
        return;
    }
    set_spend(s, h->d + h->v);
    for (uint32_t d = 0; d < h->d; d++)
        if (is_active(s, &row, d)) active++, last_active = d;
    bool cases = active && set_cases(s, &row);
    if (active && !cases) find_gap(s, &row, active, last_active);
    if (!active || rational_is_zero(row.gap)) {
        row.single = row.keys.end - row.keys.first == 1;
        output_of_equal_scores(s, &row, out);
    } else {
        set_mean_gap(s, &row);
        h->claim->gap[s->n] = least_of(h->claim->gap[s->n], rational_below(row.gap));
        if (cases)
            output_of_cases(s, &row, out);
        else
            set_groups(s, &row, out);
    }
    if (!row.single) h->claim->single = false;
}
