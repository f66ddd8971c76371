/* Rule 3 of doc/certificate.md, "Facts about the hard model": where keys are constants and the query takes few
   values, every one of them is tried, with scores in whole numbers. */
#include <string.h>

#include "audit/audit_choices_set_run.h"

typedef __int128 wide;
static const double largest_number = 0x1p40;

/* ---- keys ---- */

static void measure(set_run *s, size_t from) {
    set_head *h = s->head;
    for (size_t k = from * h->d; k < s->positions * h->d; k++) {
        int64_t *key = &h->whole_keys[k];
        *key = 0;
        if (rational_is_zero(&h->key[k].a)) continue;
        rational_div(&s->t[0], &h->key[k].a, h->key_unit);
        h->keys_are_small = h->keys_are_small && rational_to_int64(key, &s->t[0]) && *key <= (int64_t)1 << 40 &&
                            *key >= -((int64_t)1 << 40);
        double size = *key < 0 ? -(double)*key : (double)*key;
        double *largest = &h->largest_key[k % h->d];
        if (size > *largest) *largest = size;
    }
}

/* A longer string has more keys, so their gcd is less and numbers are larger: the rule may apply to a row at one
   length and not at the next. */
bool set_measure_keys(set_run *s, bool again) {
    set_head *h = s->head;
    bool was = h->constant_keys && h->keys_are_small;
    rational *unit = &s->t[1];
    size_t from = again ? 0 : s->old;
    if (again) h->constant_keys = h->keys_are_small = true;
    rational_set_int(unit, 0);
    if (!again) rational_set(unit, h->key_unit);
    for (size_t k = from * h->d; k < s->positions * h->d && h->constant_keys; k++) {
        h->constant_keys = rational_is_zero(&h->key[k].g);
        rational_gcd(unit, unit, &h->key[k].a);
    }
    bool other = again || !rational_equal(unit, h->key_unit);
    rational_set(h->key_unit, unit);
    for (uint32_t d = 0; d < h->d && other; d++) h->largest_key[d] = h->largest_query[d] = 0;
    if (h->constant_keys && (h->keys_are_small || other)) {
        if (other) h->keys_are_small = true;
        measure(s, other ? 0 : from);
    }
    wide sum = 0;
    for (uint32_t d = 0; d < h->d; d++) sum += (wide)h->largest_query[d] * (wide)h->largest_key[d];
    return other || was != (h->constant_keys && h->keys_are_small) || sum >= (wide)1 << 62;
}

/* ---- queries ---- */

static bool whole(int64_t *k, const rational *x, const rational *unit, rational *t) {
    rational_div(t, x, unit);
    return rational_to_int64(k, t) && (double)*k <= largest_number && (double)*k >= -largest_number;
}

/* The query's values in units of their gcd, which is not 0: a dimension is active. 0 if they are too many or too
   large. */
static int64_t read_query(set_run *s, const set_row *row, query_values *q, rational *unit) {
    const set_head *h = s->head;
    const lattice *x = &h->query[row->i * h->d];
    int64_t total = 1;
    unsigned varying = 0;
    double largest[CASES_DIMENSIONS];
    wide sum = 0;
    rational_set_int(unit, 0);
    for (uint32_t d = 0; d < h->d; d++) {
        rational_gcd(unit, unit, &x[d].a);
        rational_gcd(unit, unit, &x[d].g);
    }
    for (uint32_t d = 0; d < h->d; d++) {
        rational *first = &s->t[1], *t = &s->t[2];
        uint64_t count = lattice_members(first, &x[d], MEMBERS_MOST, &s->work);
        total *= (int64_t)count;
        varying += count > 1;
        if (count == 0 || total > (varying > 1 ? CASES_MOST : MEMBERS_MOST)) return 0;
        int64_t last;
        if (!whole(&q[d].first, first, unit, t) || !whole(&q[d].step, &x[d].g, unit, t)) return 0;
        q[d].count = (int64_t)count;
        last = q[d].first + (q[d].count - 1) * q[d].step;
        int64_t most = last > -q[d].first ? last : -q[d].first;
        if ((double)most > largest_number) return 0;
        sum += (wide)most * (wide)h->largest_key[d];
        largest[d] = (double)most;
    }
    if (sum >= (wide)1 << 62) return 0;
    for (uint32_t d = 0; d < h->d; d++)
        if (largest[d] > h->largest_query[d]) h->largest_query[d] = largest[d];
    return total;
}

/* The scores of a row's keys for one query, and the best of them. Most heads have one or two dimensions. */
static int64_t score_all(set_run *s, const set_row *row, const int64_t *value) {
    const set_head *h = s->head;
    const int64_t *key = h->whole_keys + row->keys.first * h->d;
    int64_t *score = s->whole_scores, best = INT64_MIN;
    size_t count = row->keys.end - row->keys.first;
    if (h->d == 1)
        for (size_t j = 0; j < count; j++) score[j] = value[0] * key[j];
    else if (h->d == 2)
        for (size_t j = 0; j < count; j++) score[j] = value[0] * key[2 * j] + value[1] * key[2 * j + 1];
    else
        for (size_t j = 0; j < count; j++) {
            score[j] = 0;
            for (uint32_t d = 0; d < h->d; d++) score[j] += value[d] * key[j * h->d + d];
        }
    for (size_t j = 0; j < count; j++) best = score[j] > best ? score[j] : best;
    return best;
}

static case_result try_all(set_run *s, const set_row *row, const query_values *q, int64_t total) {
    const set_head *h = s->head;
    case_result out = {.single = true};
    size_t count = row->keys.end - row->keys.first;
    const int64_t *score = s->whole_scores;
    uint8_t *mark = s->mark + row->keys.first;
    set_spend(s, (double)total * (double)count * h->d / 64);
    memset(mark, 0, count);
    for (int64_t k = 0; k < total; k++) {
        int64_t value[CASES_DIMENSIONS], rest = k;
        for (uint32_t d = 0; d < h->d; d++) {
            value[d] = q[d].first + rest % q[d].count * q[d].step;
            rest /= q[d].count;
        }
        int64_t best = score_all(s, row, value), next = INT64_MIN;
        size_t ties = 0;
        for (size_t j = 0; j < count; j++) {
            ties += score[j] == best;
            next = score[j] < best && score[j] > next ? score[j] : next;
        }
        for (size_t j = 0, left = ties; left; j++) {
            if (score[j] != best) continue;
            mark[j] |= ties == 1 ? CASE_ALONE : CASE_TIED;
            left--;
        }
        if (ties > 1) out.single = false;
        if (next != INT64_MIN && (out.gap == 0 || best - next < out.gap)) out.gap = best - next;
    }
    return out;
}

bool set_cases(set_run *s, set_row *row) {
    enum { FEW = 4 }; /* values, for which keys are gone through one by one */
    const set_head *h = s->head;
    query_values q[CASES_DIMENSIONS];
    case_result found;
    if (!h->constant_keys || h->d > CASES_DIMENSIONS || !h->keys_are_small) return false;
    rational *unit = &s->t[0];
    int64_t total = read_query(s, row, q, unit);
    if (total == 0) return false;
    uint32_t varies = 0;
    while (varies + 1 < h->d && q[varies].count == 1) varies++;
    set_spend(s, (double)(total + (int64_t)(row->keys.end - row->keys.first)) / 16);
    bool line = total > FEW && total == q[varies].count;
    if (!line || !set_layers(s, row, q, varies, &found)) found = try_all(s, row, q, total);
    row->single = found.single;
    rational_set_int(row->gap, (long)found.gap);
    rational_mul(row->gap, row->gap, unit);
    rational_mul(row->gap, row->gap, h->key_unit);
    return true;
}
