/* The short ways of rule 3 of doc/certificate.md, "Facts about the hard model". */
#include <string.h>

#include "facts/query_cases.h"

typedef __int128 wide;

/* ---- what keys are like ---- */

static bool is_alike(const query_cases *c, size_t i, size_t j) {
    for (size_t d = 0; d < c->dims; d++)
        if (c->keys[d][i] != c->keys[d][j]) return false;
    return true;
}

static void look_for_kind(query_cases *c, size_t j) {
    if (j == 0) c->few = true, c->kind_count = 0;
    size_t k = 0;
    while (c->few && k < c->kind_count && !is_alike(c, c->kind_first[k], j)) k++;
    if (k == CASE_KINDS) c->few = false;
    if (!c->few) return;
    if (k == c->kind_count) c->kind_first[c->kind_count++] = j;
    c->kind_of[j] = (unsigned char)k;
}

/* In one dimension keys rise, or fall. In two, the first component does, and the slope from one key to the next
   falls: a score is then a function of the place that rises, has one or two largest values, and falls. */
static void look_for_bend(query_cases *c, size_t j) {
    if (j == 0) {
        c->bends = c->dims <= 2;
        c->turns = 0;
        c->at = 0;
    }
    if (j == 0 || !c->bends) return;
    const int64_t *x = c->keys[0];
    int turn = x[j] > x[j - 1] ? 1 : x[j] < x[j - 1] ? -1 : 0;
    if (j == 1) c->turns = turn;
    c->bends = turn != 0 && turn == c->turns;
    if (j == 1 || !c->bends || c->dims == 1) return;
    const int64_t *y = c->keys[1];
    wide right = (wide)(x[j] - x[j - 1]) * turn, left = (wide)(x[j - 1] - x[j - 2]) * turn;
    c->bends = (wide)(y[j - 1] - y[j - 2]) * right > (wide)(y[j] - y[j - 1]) * left;
}

void query_cases_look(query_cases *c, size_t j) {
    look_for_kind(c, j);
    look_for_bend(c, j);
}

/* ---- few kinds ---- */

static int64_t score_of(const query_cases *c, size_t j) {
    int64_t score = 0;
    for (size_t d = 0; d < c->dims; d++) score += c->values[d] * c->keys[d][j];
    return score;
}

bool query_cases_by_kind(query_cases *c, case_result *out) {
    size_t present[CASE_KINDS], count = 0;
    if (!c->few || !c->prefix) return false;
    for (size_t k = 0; k < c->kind_count; k++)
        if (c->joined[k]) present[count++] = k;
    memset(c->kind_wins, 0, sizeof c->kind_wins);
    do {
        int64_t scores[CASE_KINDS], best = INT64_MIN, next = INT64_MIN;
        size_t winners = 0;
        for (size_t k = 0; k < count; k++) {
            scores[k] = score_of(c, c->kind_first[present[k]]);
            if (scores[k] > best)
                next = best, best = scores[k], winners = c->joined[present[k]];
            else if (scores[k] == best)
                winners += c->joined[present[k]];
            else if (scores[k] > next)
                next = scores[k];
        }
        for (size_t k = 0; k < count; k++)
            if (scores[k] == best) c->kind_wins[present[k]] |= winners > 1 ? WINS_TIED : WINS_ALONE;
        c->tried += (double)count;
        if (winners > 1) out->tieless = false;
        if (next == INT64_MIN) continue;
        if (!out->differs || best - next < out->gap) out->gap = best - next;
        out->differs = true;
    } while (query_cases_next(c));
    return true;
}

/* ---- keys that bend ---- */

/* Adds a key to a list that grows upward, or downward. */
static void add_winner(size_t *list, size_t *count, size_t j) {
    if (*count == 0 || list[*count - 1] != j) list[(*count)++] = j;
}

static void turn_round(size_t *list, size_t count) {
    for (size_t k = 0; k < count / 2; k++) {
        size_t other = list[count - 1 - k];
        list[count - 1 - k] = list[k];
        list[k] = other;
    }
}

/* Only the first component varies, rising, so that winners move one way. */
bool query_cases_by_bend(query_cases *c, case_result *out, size_t first, size_t end) {
    if (!c->bends || (c->dims == 2 && (c->counts[1] > 1 || c->firsts[1] < 0))) return false;
    bool level = c->dims == 1 || c->firsts[1] == 0; /* then scores go one way, or are all equal */
    if (level && c->firsts[0] <= 0 && c->firsts[0] + (int64_t)(c->counts[0] - 1) * c->steps[0] >= 0 &&
        end - first > 1)
        return false;
    size_t p = c->at < first ? first : c->at >= end ? end - 1 : c->at;
    c->alone_count = c->tied_count = 0;
    do {
        int64_t best = score_of(c, p), beside;
        while (p + 1 < end && (beside = score_of(c, p + 1)) > best) p++, best = beside;
        while (p > first && (beside = score_of(c, p - 1)) >= best) p--, best = beside;
        size_t last = p + 1 < end && score_of(c, p + 1) == best ? p + 1 : p; /* p is the first of the largest */
        if (last > p) {
            bool up = c->turns > 0;
            add_winner(c->tied, &c->tied_count, up ? p : last);
            add_winner(c->tied, &c->tied_count, up ? last : p);
            out->tieless = false;
        } else {
            add_winner(c->alone, &c->alone_count, p);
        }
        c->tried += 4;
        int64_t next = p > first ? score_of(c, p - 1) : INT64_MIN;
        if (last + 1 < end && score_of(c, last + 1) > next) next = score_of(c, last + 1);
        if (next == INT64_MIN) continue;
        if (!out->differs || best - next < out->gap) out->gap = best - next;
        out->differs = true;
    } while (query_cases_next(c));
    c->at = p;
    if (c->turns < 0) turn_round(c->alone, c->alone_count), turn_round(c->tied, c->tied_count);
    return true;
}
