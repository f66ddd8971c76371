/* Heads that look for the pattern of i (doc/certificate.md, "Match"). All rows but the last multiply whole numbers at i
   with multiples of 1/2 at j. The last one gives the sentinel at the end of the mask the largest score, and has the
   tie-break. For each query that a letter can have, those j are candidates whose score is the sentinel's. */
#include <math.h>

#include "recognise/head_rows.h"

enum { MOST_CASES = 4096, MOST_VALUES = 64 };

bool is_match(const recognising *w) {
    const model_rows *r = &head_of(w)->query;
    for (uint32_t k = 0; k < r->start[r->count]; k++)
        if (w->now[r->terms[k].channel].kind == HOLDS_BOOLEAN) return true;
    return false;
}

/* ---- numbers of a function ---- */

typedef struct number_list {
    double x[MOST_VALUES];
    size_t count;
} number_list;

/* The different leaves. */
static void list_numbers(recognising *w, fn f, number_list *out) {
    decisions *d = &w->q.d;
    table seen;
    fn *stack = NULL;
    size_t depth = 0, capacity = 0;
    out->count = 0;
    table_init(&seen, w->arena);
    array_push(w->arena, stack, depth, capacity, f);
    while (depth) {
        fn x = stack[--depth];
        const decision_node *n = decision_at(d, x);
        if (!fn_is_leaf(d, x)) {
            for (size_t k = 0; k < n->count; k++) {
                fn *key = arena_alloc(w->arena, 1, sizeof *key);
                bool fresh;
                *key = n->runs[k].to;
                table_put(&seen, key, sizeof *key, 1, &fresh);
                if (fresh) array_push(w->arena, stack, depth, capacity, *key);
            }
            continue;
        }
        bool known = false;
        for (size_t k = 0; k < out->count; k++) known = known || out->x[k] == n->value;
        if (known) continue;
        if (out->count == MOST_VALUES) unlike(w, "a row of it has more than %d values", MOST_VALUES);
        out->x[out->count++] = n->value;
    }
}

/* ---- rows ---- */

typedef struct match_rows {
    boolean_sum *query, *key; /* [count] */
    size_t count;
    double most; /* M: the sentinel's score */
} match_rows;

static bool is_multiple(double x, double unit) { return fabs(x) <= 0x1p40 && fmod(x, unit) == 0; }

static void check_grid(recognising *w, const model_rows *r, uint32_t row, double unit) {
    for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++)
        if (!is_multiple(r->terms[k].weight, unit)) unlike(w, "a weight of its rows is no multiple of %g", unit);
}

/* The last row: 1 times the sentinel's score and a tie-break. A second Boolean would round the tie-break once more,
   and Booleans that cancel out on letters would take its last bits away there. */
static void last_row(recognising *w, match_rows *m, head_shape *s, uint32_t row, bool past) {
    const model_head *h = head_of(w);
    const model_term *q = rows_begin_of(&h->query, row);
    boolean_sum sentinel = {.f = FN_FALSE};
    double tie = 0, size = 0;
    bool one = rows_size(&h->query, row) == 1 && q->weight == 1 && w->now[q->channel].kind == HOLDS_FEATURE &&
               w->forms[q->channel].kind == POSITION_CONSTANT && w->forms[q->channel].size.c == 1 &&
               !w->m->channels[q->channel].soft_only;
    if (!one) unlike(w, "it looks for a pattern, so 1 was expected as its last query");
    for (uint32_t k = h->key.start[row]; k < h->key.start[row + 1]; k++) {
        const model_term *t = &h->key.terms[k];
        const position_form *f = &w->forms[t->channel];
        if (w->now[t->channel].kind == HOLDS_BOOLEAN) {
            if (sentinel.terms) unlike(w, "its last key reads more than one Boolean");
            add_boolean(w, &sentinel, t);
            size = fabs(t->weight);
        } else if (is_silent(w, t)) {
            continue;
        } else if (w->now[t->channel].kind == HOLDS_FEATURE && f->kind == POSITION_SHARE && !f->mirrored &&
                   w->m->channels[t->channel].soft_only && s->scaled && tie == 0) {
            tie = t->weight;
        } else {
            unlike(w, "its last key reads something that is neither a sentinel nor a tie-break");
        }
    }
    check_grid(w, &h->key, row, 0.5);
    keep_sum(w, EXACT_ROW, size, -1);
    m->most = past ? sentinel.start : sentinel.end;
    if (sentinel.f != FN_FALSE || (past ? sentinel.end : sentinel.start) != 0 || !(m->most > 0))
        unlike(w, "its last key is not a number above 0 on the sentinel, and 0 elsewhere");
    s->kappa = 0;
    s->edges = past ? 0 : m->most;
    if (!is_soft(w)) return;
    if (!(s->scale.size == FORM_POWER && s->scale.power == 1)) unlike(w, "its scale is not a multiple of N");
    if (!(fabs(tie) == 1) || (tie > 0) != s->rightmost) unlike(w, "its tie-break does not fit its choice");
    s->kappa = s->scale.c;
}

static match_rows read_rows(recognising *w, head_shape *s, bool past) {
    const model_head *h = head_of(w);
    uint32_t count = h->query.count - 1;
    match_rows m = {.count = count};
    m.query = arena_alloc(w->arena, count, sizeof *m.query);
    m.key = arena_alloc(w->arena, count, sizeof *m.key);
    for (uint32_t row = 0; row < count; row++) {
        int grid;
        m.query[row] = boolean_row(w, &h->query, row, "a query");
        m.key[row] = boolean_row(w, &h->key, row, "a key");
        check_grid(w, &h->query, row, 1);
        check_grid(w, &h->key, row, 0.5);
        s->weight = fmax(s->weight, row_weight(w, &h->query, row, &grid));
        if ((past ? m.key[row].start : m.key[row].end) != 0) unlike(w, "a key of a pattern is not 0 on the sentinel");
    }
    last_row(w, &m, s, count, past);
    return m;
}

/* The largest size of a row anywhere, sentinels included. */
static double largest(recognising *w, const boolean_sum *row) {
    number_list values;
    double size = fmax(fabs(row->start), fabs(row->end));
    list_numbers(w, row->f, &values);
    for (size_t k = 0; k < values.count; k++) size = fmax(size, fabs(values.x[k]));
    return size;
}

/* T: what products add up to at most, in any order, also in rows of sentinels. */
static double most_of_products(recognising *w, const match_rows *m, const match_case *cases, size_t count) {
    double start = 0, end = 0, most = m->most;
    for (size_t row = 0; row < m->count; row++) {
        double key = largest(w, &m->key[row]);
        start += fabs(m->query[row].start) * key;
        end += fabs(m->query[row].end) * key;
    }
    for (size_t k = 0; k < count; k++) most = fmax(most, cases[k].size);
    most = fmax(most, fmax(start, end));
    if (!(most <= 0x1p50)) unlike(w, "its products are too large"); /* below, doubles add multiples of 1/2 exactly */
    return most;
}

/* ---- cases ---- */

/* Goes on with each value that a query row can have; partial sums of scores must stay within the sentinel's. */
static size_t split(recognising *w, const match_rows *m, size_t row, const match_case *from, size_t count,
                    match_case *to) {
    decisions *d = &w->q.d;
    number_list values, sums;
    size_t made = 0;
    double key = largest(w, &m->key[row]);
    list_numbers(w, m->query[row].f, &values);
    for (size_t k = 0; k < count; k++)
        for (size_t v = 0; v < values.count; v++) {
            fn here = fn_and(d, from[k].here, fn_equal(d, m->query[row].f, values.x[v]));
            if (here == FN_FALSE) continue;
            if (made == MOST_CASES) unlike(w, "it tells more than %d patterns apart", MOST_CASES);
            fn there = fn_add(d, from[k].there, fn_times(d, m->key[row].f, values.x[v]));
            list_numbers(w, there, &sums);
            for (size_t q = 0; q < sums.count; q++)
                if (fabs(sums.x[q]) > m->most) unlike(w, "a part of its scores is larger than the sentinel's score");
            to[made++] = (match_case){here, there, from[k].size + fabs(values.x[v]) * key};
        }
    return made;
}

const match_case *find_match(recognising *w, head_shape *s, size_t *count) {
    const model_head *h = head_of(w);
    decisions *d = &w->q.d;
    bool past = h->mask == TEMPER_MASK_BEFORE || h->mask == TEMPER_MASK_UP_TO;
    s->rightmost = h->hard_choice == TEMPER_CHOICE_RIGHTMOST;
    if (h->mask == TEMPER_MASK_ALL || s->rightmost != past) unlike(w, "it does not choose the nearest pattern");
    if (!past && !w->m->has_end) unlike(w, "it looks for patterns under a mask without a sentinel");
    if (h->query.count < 2) unlike(w, "it looks for a pattern, so two rows of queries or more were expected");
    match_rows m = read_rows(w, s, past);
    match_case *now = arena_alloc(w->arena, MOST_CASES, sizeof *now);
    match_case *next = arena_alloc(w->arena, MOST_CASES, sizeof *next), *swap;
    now[0] = (match_case){FN_TRUE, fn_number(d, 0), 0};
    *count = 1;
    for (size_t row = 0; row < m.count; row++) {
        *count = split(w, &m, row, now, *count, next);
        swap = now, now = next, next = swap;
    }
    s->total = most_of_products(w, &m, now, *count);
    for (size_t k = 0; k < *count; k++) {
        if (fn_above(d, now[k].there, m.most - 1) != fn_equal(d, now[k].there, m.most))
            unlike(w, "a score lies between a candidate's and the next whole number below");
        now[k].there = fn_equal(d, now[k].there, m.most);
    }
    return now;
}

/* ---- what is read ---- */

/* The one remainder of the position that f asks for: its variable and value. */
static bool is_place(const recognising *w, fn f, uint32_t *variable, int64_t *value) {
    const decisions *d = &w->q.d;
    if (fn_is_leaf(d, f)) return false;
    const decision_node *n = decision_at(d, f);
    const question *q = &w->q.asked[n->variable];
    if (q->kind != ASK_REMAINDER || q->x != FN_TRUE) return false;
    uint32_t begin = 0, found = 0;
    for (size_t k = 0; k < n->count; begin = n->runs[k++].end) {
        if (n->runs[k].to == FN_FALSE) continue;
        if (n->runs[k].to != FN_TRUE || n->runs[k].end != begin + 1 || found++) return false;
        *value = begin;
    }
    *variable = n->variable;
    return found == 1;
}

/* Candidates are the positions with one remainder, and i has another, or the same: the nearest is so many steps away.
   0: it is not so. */
static int64_t steps_to(const recognising *w, const match_case *c) {
    const model_head *h = head_of(w);
    uint32_t one, other;
    int64_t here, there;
    if (h->mask != TEMPER_MASK_BEFORE && h->mask != TEMPER_MASK_AFTER) return 0;
    if (!is_place(w, c->here, &one, &here) || !is_place(w, c->there, &other, &there) || one != other) return 0;
    const question *q = &w->q.asked[one];
    bool falls = q->forward == (h->mask == TEMPER_MASK_AFTER); /* the number gets less on the way to j */
    int64_t off = falls ? here - there : there - here;
    return (off % q->modulus + q->modulus - 1) % q->modulus + 1;
}

fn matched(recognising *w, const match_case *cases, size_t count, fn y) {
    const model_head *h = head_of(w);
    decisions *d = &w->q.d;
    fn answer = FN_FALSE;
    for (size_t k = 0; k < count; k++) {
        int64_t steps = steps_to(w, &cases[k]);
        fn found = y;
        for (int64_t s = 0; s < steps; s++) found = ask_step(&w->q, h->mask == TEMPER_MASK_AFTER, found);
        if (!steps) found = ask_choice(&w->q, h->mask, h->hard_choice, cases[k].there, fn_and(d, cases[k].there, y));
        answer = fn_or(d, answer, fn_and(d, cases[k].here, found));
    }
    return answer;
}
