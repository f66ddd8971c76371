/* Rule 3 of doc/certificate.md, "Facts about the hard model": where keys are constants and the query takes few
   values, every one of them is tried, with scores in whole numbers. */
#include <string.h>

#include "audit/audit_choices_set_run.h"

enum { CASES_DIMENSIONS = 16, CASES_MOST = 4096 };
typedef __int128 wide;
static const double largest_number = 0x1p40;

typedef struct query_values {
    int64_t first, step, count;
} query_values;

static bool whole(int64_t *k, const rational *x, const rational *unit, rational *t) {
    rational_div(t, x, unit);
    return rational_to_int64(k, t) && (double)*k <= largest_number && (double)*k >= -largest_number;
}

/* The query's values in units of their gcd, which is not 0: a dimension is active. 0 if they are too many or too
   large. */
static int64_t read_query(set_run *s, const set_row *row, query_values *q, rational *unit) {
    const set_head *h = &s->head;
    const lattice *x = &h->query[row->i * h->d];
    int64_t total = 1;
    unsigned varying = 0;
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
    }
    return sum < (wide)1 << 62 ? total : 0;
}

bool set_cases(set_run *s, set_row *row) {
    const set_head *h = &s->head;
    query_values q[CASES_DIMENSIONS];
    if (!h->constant_keys || h->d > CASES_DIMENSIONS || !h->keys_are_small) return false;
    rational *unit = &s->t[0];
    int64_t total = read_query(s, row, q, unit);
    if (total == 0) return false;
    set_spend(s, (double)total * (double)(row->keys.end - row->keys.first) * h->d / 16);
    int64_t gap = 0;
    row->single = true;
    memset(s->mark, 0, s->positions);
    for (int64_t k = 0; k < total; k++) {
        int64_t value[CASES_DIMENSIONS], rest = k;
        for (uint32_t d = 0; d < h->d; d++) {
            value[d] = q[d].first + rest % q[d].count * q[d].step;
            rest /= q[d].count;
        }
        int64_t best = INT64_MIN, next = INT64_MIN;
        size_t ties = 0;
        for (size_t pass = 0; pass < 2; pass++) /* first the best score, then who has it */
            for (size_t j = row->keys.first; j < row->keys.end; j++) {
                int64_t score = 0;
                for (uint32_t d = 0; d < h->d; d++) score += value[d] * h->whole_keys[j * h->d + d];
                if (pass == 0) {
                    ties = score > best ? 1 : score == best ? ties + 1 : ties;
                    if (score > best)
                        next = best, best = score;
                    else if (score < best && score > next)
                        next = score;
                } else if (score == best) {
                    s->mark[j] |= ties == 1 ? CASE_ALONE : CASE_TIED;
                }
            }
        if (ties > 1) row->single = false;
        if (next != INT64_MIN && (gap == 0 || best - next < gap)) gap = best - next;
    }
    rational_set_int(row->gap, (long)gap);
    rational_mul(row->gap, row->gap, unit);
    rational_mul(row->gap, row->gap, h->key_unit);
    return true;
}
