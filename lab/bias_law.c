/* How far a bias carries an operator, in real arithmetic. E(d) = exp(bias(d)), B = exp(content of the last row n).
   A head looks at d = 0 (itself), ..., n - 1 (the first letter), n (the start sentinel, whose content and value
   are 0). Each operator has a worst string, so that all strings are right where one inequality holds for each place
   of what is looked for:

       once       value 1 at one place d, 0 elsewhere           B E(d) >= 3 (sum of the others)
       since      value 1 at d, content but value 0 at all      B E(d) >= 3 (B (sum beyond d) + sum before d + E(n))
                  letters beyond, no content before
       yesterday  keys j < i; no content                        E(1) >= 3 (E(2) + ... + E(n))
       compare    values 1 and -1, 1/2 at the start; no         the k least E(d) and E(n)/2 against the k greatest,
                  content                                       the k + 1 least against the k greatest and E(n)/2

   doc/lab.md, "Biases", says why these are the worst. Sums are kept as logarithms relative to E(d), by
   ln(1 + exp(x)), so that nothing overflows; every step rounds up. */
#include "lab/biases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number/upward.h"

static const double LN3_UP = 0x1.193ea7aad030bp+0; /* above ln 3, by 9e-17 */

static double bias_at(const biased_head *h, size_t d, size_t n) {
    return expression_eval(h->of_d, (double)d, (double)n, (double)n + 1);
}

static double content_at(const biased_head *h, size_t n) {
    return expression_eval(h->contents, (double)n, (double)n, (double)n + 1);
}

/* Sums towards infinity of numbers of any sign. */
static double sum_up(double a, double b) { return a == 0 ? b : b == 0 ? a : next_up(a + b); }

/* ln(1 + exp(x)), up; log_f64 and exp_f64 err by less than a unit of the last place. */
static double log_more(double x) {
    if (x == -INFINITY) return 0;
    double small = up_exp(-fabs(x)), rest = next_up(next_up(log_f64(next_up(1 + small))));
    return sum_up(x > 0 ? x : 0, rest);
}

/* ln(exp(x) + exp(y)), up. */
static double log_sum(double x, double y) {
    if (x == -INFINITY) return y;
    if (y == -INFINITY) return x;
    return x > y ? sum_up(x, log_more(next_up(y - x))) : sum_up(y, log_more(next_up(x - y)));
}

/* ---- one length ---- */

typedef struct row {
    size_t n;
    double *bias; /* [n + 1] by d */
    double content;
    double *beyond, *before; /* [n + 1] ln of the sums over n > d' > d, and over d' < d, less bias[d] */
    double *sorted;          /* [n] biases of letters, rising */
} row;

/* bias[d'] - bias[d], up. */
static double step(const row *r, size_t to, size_t from) {
    double s = r->bias[to] - r->bias[from];
    return r->bias[to] == r->bias[from] ? 0 : next_up(s);
}

static void fill_sums(row *r) {
    if (!r->n) return;
    r->before[0] = r->beyond[r->n - 1] = -INFINITY;
    for (size_t d = 1; d < r->n; d++) r->before[d] = sum_up(step(r, d - 1, d), log_more(r->before[d - 1]));
    for (size_t d = r->n - 1; d-- > 0;) r->beyond[d] = sum_up(step(r, d + 1, d), log_more(r->beyond[d + 1]));
}

static row row_of(const biased_head *h, size_t n, arena *scratch) {
    row r = {.n = n, .content = content_at(h, n)};
    r.bias = arena_alloc(scratch, n + 1, sizeof *r.bias);
    r.beyond = arena_alloc(scratch, n + 1, sizeof *r.beyond);
    r.before = arena_alloc(scratch, n + 1, sizeof *r.before);
    r.sorted = arena_alloc(scratch, n + 1, sizeof *r.sorted);
    for (size_t d = 0; d <= n; d++) r.bias[d] = bias_at(h, d, n);
    fill_sums(&r);
    return r;
}

/* ln of the others' weights over that of the key at d; right if it is at most -ln 3. */
static double others(const row *r, biased_kind op, size_t d) {
    double start = sum_up(step(r, r->n, d), -r->content);
    double near = sum_up(r->before[d], -r->content);
    double far = op == BIASED_ONCE ? sum_up(r->beyond[d], -r->content) : r->beyond[d];
    return log_sum(log_sum(near, far), start);
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The margins of the two cases for k, as lower bounds, relative to the greatest weight. */
typedef struct counts {
    double tie, less;
} counts;

static counts worst_counts(row *r) {
    counts worst = {INFINITY, INFINITY};
    memcpy(r->sorted, r->bias, r->n * sizeof *r->sorted);
    qsort(r->sorted, r->n, sizeof *r->sorted, rising);
    double top = r->n ? fmax(r->sorted[r->n - 1], r->bias[r->n]) : r->bias[0], low = 0, high = 0;
    double start_up = up_exp(next_up(r->bias[r->n] - top)) / 2;
    double start_down = fmax(next_down(next_down(exp_f64(next_down(r->bias[r->n] - top)))), 0) / 2;
    for (size_t k = 0; k <= r->n; k++) { /* low: the k least, from below; high: the k greatest, from above */
        if (2 * k <= r->n) worst.tie = fmin(worst.tie, next_down(next_down(low + start_down) - high));
        if (k == r->n) break;
        double next = fmax(next_down(next_down(exp_f64(next_down(r->sorted[k] - top)))), 0);
        low = low == 0 ? next : next_down(low + next);
        if (2 * k + 1 <= r->n) worst.less = fmin(worst.less, next_down(low - next_up(high + start_up)));
        high = up_add(high, up_exp(next_up(r->sorted[r->n - 1 - k] - top)));
    }
    return worst;
}

/* Equal weights: whole and half numbers of them. */
static bool is_flat(const row *r) {
    for (size_t d = 1; d <= r->n; d++)
        if (r->bias[d] != r->bias[0]) return false;
    return true;
}

static bool holds(row *r, biased_kind op) {
    if (!isfinite(r->content)) return false;
    for (size_t d = 0; d <= r->n; d++)
        if (!isfinite(r->bias[d])) return false;
    switch (op) {
    case BIASED_ONCE:
    case BIASED_SINCE:
        for (size_t d = 0; d < r->n; d++)
            if (!(others(r, op, d) <= -LN3_UP)) return false;
        return true;
    case BIASED_YESTERDAY: /* the letter before; the sum beyond ends before the start sentinel */
        return r->n < 2 || log_sum(r->beyond[1], step(r, r->n, 1)) <= -LN3_UP;
    case BIASED_COMPARE: {
        if (is_flat(r)) return true;
        counts c = worst_counts(r);
        return c.tie > 0 && c.less > 0;
    }
    case BIASED: break;
    }
    return false;
}

/* ---- every length ---- */

/* Whether it is slope d + shift, by its form; both are a few roundings off. */
static bool linear(const expression *e, double *slope, double *shift) {
    double p = 0, q = 0, u = 0, v = 0;
    if (e->a && !linear(e->a, &p, &q)) return false;
    if (e->b && !linear(e->b, &u, &v)) return false;
    switch (e->op) {
    case EXPR_CONSTANT: *slope = 0, *shift = e->constant; return true;
    case EXPR_I: *slope = 1, *shift = 0; return true;
    case EXPR_NEG: *slope = -p, *shift = -q; return true;
    case EXPR_ADD: *slope = p + u, *shift = q + v; return true;
    case EXPR_SUB: *slope = p - u, *shift = q - v; return true;
    case EXPR_MUL: *slope = p == 0 ? q * u : p * v, *shift = q * v; return p == 0 || u == 0;
    case EXPR_DIV: *slope = p / v, *shift = q / v; return u == 0 && v != 0;
    default: return false;
    }
}

static bool reads_length(const expression *e) {
    return expression_uses(e, EXPR_LENGTH) || expression_uses(e, EXPR_SIZE);
}

/* Slopes whose geometric series is at most 1/3 of its head, those below -ln 4, carry yesterday everywhere; a bias
   that is one number counts everywhere. (One that reads the length is the same at all distances, too, but may be no
   number at some length.) A hair more is asked for, since the slope may be rounded. */
static bool holds_everywhere(const biased_head *h, biased_kind op) {
    double slope, shift;
    if (op == BIASED_COMPARE) return !expression_uses(h->of_d, EXPR_I) && !reads_length(h->of_d);
    if (op != BIASED_YESTERDAY || !linear(h->of_d, &slope, &shift)) return false;
    return slope <= -1.3863; /* ln 4 = 1.386294... */
}

static bool holds_at(const biased_head *h, biased_kind op, size_t n, arena *scratch) {
    arena_reset(scratch);
    row r = row_of(h, n, scratch);
    return holds(&r, op);
}

/* Where neither bias nor content depend on the length, a row of n - 1 letters is one of n letters whose first letter
   has less weight: what holds at n holds at all lengths below (not so of counts, whose half is at the start). */
static bool is_monotone(const biased_head *h, biased_kind op) {
    if (reads_length(h->of_d) || (op != BIASED_YESTERDAY && reads_length(h->contents))) return false;
    return op == BIASED_YESTERDAY || (op != BIASED_COMPARE && !expression_uses(h->contents, EXPR_I));
}

enum { LAW_SCAN = 600 }; /* letters, where every length is looked at */

double bias_law(const biased_head *h, biased_kind op, size_t most, bool *every, arena *scratch) {
    size_t good = 0, bad = 1;
    *every = holds_everywhere(h, op);
    if (!is_monotone(h, op)) {
        if (most > LAW_SCAN) most = LAW_SCAN;
        while (good < most && holds_at(h, op, good + 1, scratch)) good++;
        *every = *every && good == most;
        return (double)good;
    }
    while (bad <= most && holds_at(h, op, bad, scratch))
        good = bad, bad = bad < most && 2 * bad > most ? most : 2 * bad;
    if (bad > most) return (double)good;
    *every = false;
    while (bad - good > 1) {
        size_t middle = good + (bad - good) / 2;
        *(holds_at(h, op, middle, scratch) ? &good : &bad) = middle;
    }
    return (double)good;
}

/* ---- worst strings ---- */

/* The distance where a key has most against it. */
static size_t hardest(const row *r, biased_kind op) {
    size_t at = 0;
    for (size_t d = 1; d < r->n; d++)
        if (others(r, op, d) > others(r, op, at)) at = d;
    return at;
}

static void put_needle(uint32_t *out, size_t n, biased_kind op, size_t d) {
    enum { A, B, C };
    for (size_t j = 0; j < n; j++) out[j] = op == BIASED_SINCE && n - 1 - j < d ? B : C;
    out[n - 1 - d] = A;
}

/* The k letters whose biases are least, then the next, ..., are `few`, the greatest are `many`, the rest c. */
static void put_counts(uint32_t *out, const row *r, size_t k, size_t more, uint32_t few, uint32_t many) {
    double low = k + more ? r->sorted[k + more - 1] : 0, high = k ? r->sorted[r->n - k] : 0;
    size_t lows = k + more, highs = k;
    for (size_t j = 0; j < r->n; j++) out[j] = 2;
    for (size_t d = 0; d < r->n; d++) { /* strictly least and greatest first, then those at the edge */
        uint32_t *letter = &out[r->n - 1 - d];
        if (lows && k + more && r->bias[d] < low) *letter = few, lows--;
        if (highs && k && r->bias[d] > high) *letter = many, highs--;
    }
    for (size_t d = 0; d < r->n; d++) {
        uint32_t *letter = &out[r->n - 1 - d];
        if (*letter != 2) continue;
        if (lows && k + more && r->bias[d] == low)
            *letter = few, lows--;
        else if (highs && k && r->bias[d] == high)
            *letter = many, highs--;
    }
}

static bool put_compare(uint32_t *out, row *r, size_t which) {
    double low = 0, high = 0, worst[2] = {INFINITY, INFINITY};
    size_t at[2] = {0, 0};
    (void)worst_counts(r); /* sorts */
    double top = fmax(r->sorted[r->n - 1], r->bias[r->n]), start = exp_f64(r->bias[r->n] - top) / 2;
    for (size_t k = 0; 2 * k <= r->n; k++) {
        double next = exp_f64(r->sorted[k] - top);
        if (low + start - high < worst[0]) worst[0] = low + start - high, at[0] = k;
        if (2 * k < r->n && low + next - high - start < worst[1]) worst[1] = low + next - high - start, at[1] = k;
        low += next;
        high += exp_f64(r->sorted[r->n - 1 - k] - top);
    }
    if (which > 1 || isinf(worst[which])) return false;
    if (which == 0) /* as many a's as b's: accepted */
        put_counts(out, r, at[0], 0, 0, 1);
    else /* one b more: not */
        put_counts(out, r, at[1], 1, 1, 0);
    return true;
}

bool bias_worst(uint32_t *out, const biased_head *h, biased_kind op, size_t n, size_t which, arena *scratch) {
    if (!n || which >= BIAS_WORST) return false;
    if (op == BIASED_YESTERDAY) { /* the letter before is the only a, or the only one that is none */
        if (n < 2 || which > 1) return false;
        for (size_t j = 0; j < n; j++) out[j] = which ? 0 : 1;
        out[n - 2] = which ? 1 : 0;
        return true;
    }
    row r = row_of(h, n, scratch);
    if (op == BIASED_COMPARE) return put_compare(out, &r, which);
    size_t places[BIAS_WORST] = {hardest(&r, op),   0,     n - 1,    n / 2, n > 1 ? 1 : 0,
                                 n > 2 ? n - 2 : 0, n / 4, 3 * n / 4};
    put_needle(out, n, op, places[which]);
    return true;
}
