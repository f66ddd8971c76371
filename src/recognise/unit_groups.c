/* What units of one group add to a channel: those whose sums differ by a constant are one piecewise-linear function
   of one sum. Where it is constant the sum is not told apart. */
#include <math.h>

#include "recognise/net_work.h"

typedef struct piecewise {
    const net *n;
    const addition *parts;
    size_t count;
} piecewise;

/* The value where the sum of the terms lies in [low, high]: false if that is not one number. NAN: it must not lie
   there. */
static bool settled(const piecewise *p, double low, double high, double *value) {
    double slope = 0, constant = 0;
    bool bad = false;
    for (size_t k = 0; k < p->count; k++) {
        const unit_sum *s = &p->n->units[p->parts[k].unit];
        double from = low + s->constant, to = high + s->constant, weight = p->parts[k].weight;
        if (s->kind == UNIT_RAMP && !(to <= -0.5) && !(from >= 1.5)) {
            if (low != high) return false;
            bad = true;
        }
        if (to <= 0) continue;
        if (from < 0) return false;
        slope += weight;
        constant += weight * s->constant;
    }
    if (slope != 0 && low != high) return false;
    *value = bad ? NAN : constant + slope * low;
    return true;
}

/* Partial sums after each term, ascending, those that do not matter any more left out: then from the last term
   back. */
typedef struct partial_sums {
    double *sums;
    fn *made;
    size_t count;
} partial_sums;

static fn leaf_of(decisions *d, double value) { return isnan(value) ? FN_BAD : fn_number(d, value); }

static size_t find_sum(const partial_sums *p, double x) {
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->sums[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void next_sums(net *n, partial_sums *to, const partial_sums *from, double weight, const piecewise *p,
                      double low, double high) {
    recognising *w = n->w;
    to->sums = arena_alloc(w->arena, 2 * from->count, sizeof *to->sums);
    size_t a = 0, b = 0;
    double value;
    while (a < from->count || b < from->count) {
        double x = a < from->count ? from->sums[a] : INFINITY;
        double y = b < from->count ? exact_add(w->arena, from->sums[b], weight) : INFINITY;
        double least = fmin(x, y);
        if (x == least) a++;
        if (y == least) b++;
        if (!settled(p, least + low, least + high, &value)) to->sums[to->count++] = least;
    }
    to->made = arena_alloc(w->arena, to->count, sizeof *to->made);
}

static fn after_term(decisions *d, const partial_sums *next, double sum, const piecewise *p, double low,
                     double high) {
    double value;
    if (settled(p, sum + low, sum + high, &value)) return leaf_of(d, value);
    return next->made[find_sum(next, sum)];
}

fn add_group(net *n, const addition *parts, size_t count) {
    recognising *w = n->w;
    decisions *d = &w->q.d;
    const term_group *g = &n->groups[parts->group];
    piecewise p = {n, parts, count};
    double *low = arena_zalloc(w->arena, g->count + 1, sizeof *low), value;
    double *high = arena_zalloc(w->arena, g->count + 1, sizeof *high);
    for (size_t k = g->count; k-- > 0;) {
        low[k] = exact_add(w->arena, low[k + 1], fmin(g->terms[k].weight, 0));
        high[k] = exact_add(w->arena, high[k + 1], fmax(g->terms[k].weight, 0));
    }
    if (settled(&p, low[0], high[0], &value)) return leaf_of(d, value);
    partial_sums *after = arena_zalloc(w->arena, g->count + 1, sizeof *after);
    double zero = 0;
    fn result = FN_FALSE;
    after[0] = (partial_sums){.sums = &zero, .made = &result, .count = 1};
    size_t states = 0;
    for (size_t k = 0; k < g->count; k++) {
        next_sums(n, &after[k + 1], &after[k], g->terms[k].weight, &p, low[k + 1], high[k + 1]);
        states += after[k + 1].count;
        if (states > DECISION_STATES) unlike(w, "a gate of layer %u has too many different sums", w->layer);
    }
    for (size_t k = g->count; k-- > 0;)
        for (size_t s = 0; s < after[k].count; s++) {
            double sum = after[k].sums[s];
            fn yes = after_term(d, &after[k + 1], sum + g->terms[k].weight, &p, low[k + 1], high[k + 1]);
            fn no = after_term(d, &after[k + 1], sum, &p, low[k + 1], high[k + 1]);
            after[k].made[s] = fn_ite(d, g->terms[k].f, yes, no);
        }
    return result;
}
