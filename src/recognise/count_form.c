#include "recognise/count_form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- equal forms are one ---- */

static count_id share(count_forms *c, fn letters, const count_term *terms, size_t count) {
    struct {
        fn letters;
        uint32_t blank;
    } head = {letters, 0};
    size_t bytes = sizeof head + count * (sizeof(fn) + sizeof(double));
    char *key = arena_alloc(c->arena, bytes, 1), *at = key + sizeof head;
    memcpy(key, &head, sizeof head);
    for (size_t k = 0; k < count; k++) {
        memcpy(at, &terms[k].f, sizeof terms[k].f);
        memcpy(at + sizeof(fn), &terms[k].weight, sizeof terms[k].weight);
        at += sizeof(fn) + sizeof(double);
    }
    bool fresh;
    count_id id = *table_put(&c->index, key, bytes, (uint32_t)c->count, &fresh);
    if (!fresh) return id;
    count_term *kept = arena_alloc(c->arena, count, sizeof *kept);
    if (count) memcpy(kept, terms, count * sizeof *kept);
    array_push(c->arena, c->forms, c->count, c->capacity, (count_form){letters, count, kept});
    return id;
}

void count_forms_init(count_forms *c, decisions *d) {
    *c = (count_forms){.d = d, .arena = d->arena};
    table_init(&c->index, c->arena);
    share(c, FN_FALSE, NULL, 0);
}

/* ---- making ---- */

static int by_function(const void *x, const void *y) {
    const count_term *a = x, *b = y;
    return (a->f > b->f) - (a->f < b->f);
}

static size_t add_equal(arena *a, count_term *terms, size_t count) {
    size_t kept = 0;
    if (count) qsort(terms, count, sizeof *terms, by_function);
    for (size_t k = 0; k < count; k++)
        if (kept && terms[kept - 1].f == terms[k].f)
            terms[kept - 1].weight = exact_add(a, terms[kept - 1].weight, terms[k].weight);
        else
            terms[kept++] = terms[k];
    return kept;
}

/* The functions of the letter alone, summed: by differences from letter to letter if there are many. */
static fn add_letters(count_forms *c, const count_term *terms, size_t count) {
    decisions *d = c->d;
    enum { FEW = 8 };
    if (count <= FEW) {
        fn sum = FN_FALSE;
        for (size_t k = 0; k < count; k++) sum = fn_add(d, sum, fn_times(d, terms[k].f, terms[k].weight));
        return sum;
    }
    uint32_t letters = d->sizes[DECISION_LETTER];
    double *rise = arena_zalloc(c->arena, (size_t)letters + 1, sizeof *rise), sum = 0;
    for (size_t k = 0; k < count; k++) {
        const decision_node *n = decision_at(d, terms[k].f);
        uint32_t from = 0;
        for (size_t r = 0; n->variable != DECISION_LEAF && r < n->count; from = n->runs[r++].end) {
            if (n->runs[r].to == FN_FALSE) continue;
            rise[from] = exact_add(c->arena, rise[from], terms[k].weight);
            rise[n->runs[r].end] = exact_add(c->arena, rise[n->runs[r].end], -terms[k].weight);
        }
        if (terms[k].f == FN_TRUE) rise[0] = exact_add(c->arena, rise[0], terms[k].weight);
    }
    decision_run *runs = arena_alloc(c->arena, letters, sizeof *runs);
    for (uint32_t l = 0; l < letters; l++) {
        sum = exact_add(c->arena, sum, rise[l]);
        runs[l] = (decision_run){l + 1, fn_number(d, sum)};
    }
    return fn_node(d, DECISION_LETTER, runs, letters);
}

/* a[f] + b[not f] = b + (a - b)[f]: of both only the one with the larger weight stays. Weights are above 0 here. */
static size_t cancel_opposites(count_forms *c, count_term *terms, size_t count, double *constant) {
    for (size_t k = 0; k < count; k++) {
        if (terms[k].weight == 0) continue;
        count_term wanted = {.f = fn_not(c->d, terms[k].f)};
        count_term *other = bsearch(&wanted, terms, count, sizeof *terms, by_function);
        if (!other || other->weight == 0) continue;
        double both = fmin(terms[k].weight, other->weight);
        *constant = exact_add(c->arena, *constant, both);
        terms[k].weight -= both;
        other->weight -= both;
    }
    size_t kept = 0;
    for (size_t k = 0; k < count; k++)
        if (terms[k].weight != 0) terms[kept++] = terms[k];
    return kept;
}

static count_id finish(count_forms *c, fn letters, count_term *terms, size_t count) {
    double constant = 0;
    for (size_t k = 0; k < count; k++) {
        if (terms[k].weight >= 0) continue;
        constant = exact_add(c->arena, constant, terms[k].weight);
        terms[k] = (count_term){fn_not(c->d, terms[k].f), -terms[k].weight};
    }
    count = cancel_opposites(c, terms, add_equal(c->arena, terms, count), &constant);
    return share(c, fn_add(c->d, letters, fn_number(c->d, constant)), terms, count);
}

count_id count_from_terms(count_forms *c, count_term *terms, size_t count) {
    size_t others = 0, letters = 0;
    count_term *simple = arena_alloc(c->arena, count, sizeof *simple);
    for (size_t k = 0; k < count; k++)
        if (decision_at(c->d, terms[k].f)->letters)
            simple[letters++] = terms[k];
        else
            terms[others++] = terms[k];
    return finish(c, add_letters(c, simple, letters), terms, others);
}

count_id count_combine(count_forms *c, count_id x, double factor, count_id y) {
    const count_form a = *count_at(c, x), b = *count_at(c, y);
    count_term *terms = arena_alloc(c->arena, a.count + b.count, sizeof *terms);
    for (size_t k = 0; k < a.count; k++)
        terms[k] = (count_term){a.terms[k].f, exact_mul(c->arena, factor, a.terms[k].weight)};
    if (b.count) memcpy(terms + a.count, b.terms, b.count * sizeof *terms);
    return finish(c, fn_add(c->d, fn_times(c->d, a.letters, factor), b.letters), terms, a.count + b.count);
}

/* ---- conditions that exclude each other ---- */

enum { FEW_TERMS = 64 };

/* [f] + [g] = [f or g] where the two exclude each other, and 1 + [f and g] where one of them always holds. */
static bool merge_pair(count_forms *c, count_term *into, const count_term *other, double *constant) {
    decisions *d = c->d;
    if (into->weight != other->weight) return false;
    if (fn_and(d, into->f, other->f) == FN_FALSE) {
        into->f = fn_or(d, into->f, other->f);
        return true;
    }
    if (fn_or(d, into->f, other->f) != FN_TRUE) return false;
    into->f = fn_and(d, into->f, other->f);
    *constant = exact_add(c->arena, *constant, into->weight);
    return true;
}

count_id count_merge(count_forms *c, count_id x) {
    const count_form a = *count_at(c, x);
    if (a.count < 2 || a.count > FEW_TERMS) return x;
    count_term *terms = arena_alloc(c->arena, a.count + 1, sizeof *terms);
    size_t kept = 0;
    double constant = 0;
    for (size_t k = 0; k < a.count; k++) {
        size_t into = 0;
        while (into < kept && !merge_pair(c, &terms[into], &a.terms[k], &constant)) into++;
        if (into == kept) terms[kept++] = a.terms[k];
    }
    if (kept == a.count) return x;
    size_t others = 0;
    fn letters = fn_add(c->d, a.letters, fn_number(c->d, constant));
    for (size_t k = 0; k < kept; k++)
        if (decision_at(c->d, terms[k].f)->letters)
            letters = fn_add(c->d, letters, fn_times(c->d, terms[k].f, terms[k].weight));
        else
            terms[others++] = terms[k];
    return finish(c, letters, terms, others);
}

/* ---- asking ---- */

/* The numbers of a function of the letter, one after the other. */
static double leaf_at(const decisions *d, fn x, size_t k) {
    const decision_node *n = decision_at(d, x);
    return n->variable == DECISION_LEAF ? n->value : decision_at(d, n->runs[k].to)->value;
}

static size_t leaf_count(const decisions *d, fn x) {
    const decision_node *n = decision_at(d, x);
    return n->variable == DECISION_LEAF ? 1 : n->count;
}

static bool is_whole(double x) { return x == floor(x) && fabs(x) <= 0x1p53; }

bool count_is_whole(const count_forms *c, count_id x) {
    const count_form *f = count_at(c, x);
    bool whole = true;
    for (size_t k = 0; k < leaf_count(c->d, f->letters); k++) whole = whole && is_whole(leaf_at(c->d, f->letters, k));
    for (size_t k = 0; k < f->count; k++) whole = whole && is_whole(f->terms[k].weight);
    return whole;
}

static double common(double a, double b) {
    for (b = fabs(b); b != 0;) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

double count_divisor(const count_forms *c, count_id x) {
    const count_form *f = count_at(c, x);
    double g = 0;
    for (size_t k = 0; k < leaf_count(c->d, f->letters); k++) g = common(g, leaf_at(c->d, f->letters, k));
    for (size_t k = 0; k < f->count; k++) g = common(g, f->terms[k].weight);
    return g;
}

count_id count_divide(count_forms *c, count_id x, double divisor) {
    if (divisor == 1) return x;
    const count_form f = *count_at(c, x);
    decisions *d = c->d;
    const decision_node n = *decision_at(d, f.letters);
    size_t count = leaf_count(d, f.letters);
    decision_run *runs = arena_alloc(c->arena, count, sizeof *runs);
    for (size_t k = 0; k < count; k++) {
        fn to = fn_number(d, leaf_at(d, f.letters, k) / divisor);
        runs[k] = (decision_run){n.variable == DECISION_LEAF ? d->sizes[DECISION_LETTER] : n.runs[k].end, to};
    }
    count_term *terms = arena_alloc(c->arena, f.count, sizeof *terms);
    for (size_t k = 0; k < f.count; k++) terms[k] = (count_term){f.terms[k].f, f.terms[k].weight / divisor};
    return share(c, fn_node(d, DECISION_LETTER, runs, count), terms, f.count);
}

void count_extremes(const count_forms *c, count_id x, double *least, double *most) {
    const count_form *f = count_at(c, x);
    fn_extremes(c->d, f->letters, least, most);
    for (size_t k = 0; k < f->count; k++) *most = exact_add(c->arena, *most, f->terms[k].weight);
}

fn count_some(count_forms *c, count_id x, double step) {
    const count_form f = *count_at(c, x);
    decisions *d = c->d;
    bool up = step > 0;
    double shift = 0; /* downwards: w[f] = w - w[not f] */
    for (size_t k = 0; k < f.count; k++) {
        if (f.terms[k].weight < fabs(step)) return 0;
        shift = exact_add(c->arena, shift, f.terms[k].weight);
    }
    fn letters = up ? f.letters : fn_add(d, f.letters, fn_number(d, shift));
    for (size_t k = 0; k < leaf_count(d, letters); k++) {
        double value = leaf_at(d, letters, k);
        if (value != 0 && (up ? value < step : value > step)) return 0;
    }
    fn *parts = arena_alloc(c->arena, f.count + 1, sizeof *parts);
    for (size_t k = 0; k < f.count; k++) parts[k] = up ? f.terms[k].f : fn_not(d, f.terms[k].f);
    parts[f.count] = fn_not(d, fn_equal(d, letters, 0));
    return fn_or_all(d, parts, f.count + 1);
}
