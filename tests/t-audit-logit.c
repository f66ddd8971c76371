/* The auditor's size and error of logits against doc/certificate.md, "Quantities", written from the page in long
   double: random rows of Booleans, constants and position features, with and without a scale, in every number type.
   Heads that look for patterns are scored with the same rules. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit_bench.h"
#include "bound_page.h"

static const temper_type TYPES[] = {TEMPER_TYPE_F64,      TEMPER_TYPE_F32,     TEMPER_TYPE_BF16_F32,
                                    TEMPER_TYPE_BF16,     TEMPER_TYPE_F16_F32, TEMPER_TYPE_F16,
                                    TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E4M3,    TEMPER_TYPE_E5M2_F32,
                                    TEMPER_TYPE_E5M2,     TEMPER_TYPE_F32_F64, TEMPER_TYPE_BF16_F64};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

/* ---- the page ---- */

typedef struct part {
    real x, y, e; /* X, Y, e */
    bool nothing, gridded, constant;
    int grid;
} part;

static int grid_of_number(real x) {
    int e, g = 0;
    real m = frexpl(x, &e);
    while (m != floorl(m)) m *= 2, g++;
    return e - g;
}

static bool is_power(real x) {
    int e;
    return fabsl(frexpl(x, &e)) == 0.5L;
}

static real after_of(const number_format *f, real p) {
    bool is_number = (real)(double)p == p && format_round(f, (double)p) == (double)p;
    return is_number ? p : p + half_of(f, p);
}

static bool fits(const part *q, const number_format *f) {
    return q->nothing || (q->gridded && q->x <= ldexpl(1, q->grid + f->precision) && ldexpl(1, q->grid) >= f->least);
}

/* A value of an expression, stored in the format. */
static part value_of(real x, bool gridded, int grid, int roundings, bool power, const number_format *f) {
    part q = {.x = x, .y = x, .gridded = gridded, .grid = grid, .nothing = x == 0};
    bool exact = power ? ldexpl(1, grid) >= f->least : fits(&q, f) && (q.nothing || x <= ldexpl(1, grid + 53));
    if (exact) return q;
    q.e = x * expm1l((real)roundings * log1pl(0x1p-53L));
    q.y = x == 1 ? x : x + q.e;
    if (f->precision < 53) {
        q.e += half_of(f, q.y);
        q.y = after_of(f, q.y);
    }
    return q;
}

static int over_53(real x, int grid) { return x > ldexpl(1, grid + 53); }

/* C*N^k or C*i*N^(k-1) */
static part product(const page *p, real c, int k, const number_format *f) {
    real x = c;
    int roundings = 0, grid = grid_of_number(c);
    for (int j = 0; j < k; j++) x *= p->m, roundings += over_53(x, grid);
    return value_of(x, true, grid, roundings, false, f);
}

/* What rows may read. */
enum { IN_A, IN_ONE, IN_B, IN_SHARE, IN_PLACE, IN_CENTRED, IN_SIZE, IN_THREE, IN_FINE, IN_ZERO, IN_POWER, IN_COUNT };
static const uint32_t CHANNEL[IN_COUNT] = {BENCH_A,
                                           BENCH_ONE,
                                           BENCH_B,
                                           BENCH_FEATURES,
                                           BENCH_FEATURES + 1,
                                           BENCH_FEATURES + 2,
                                           BENCH_FEATURES + 3,
                                           BENCH_FEATURES + 4,
                                           BENCH_FEATURES + 5,
                                           BENCH_FEATURES + 6,
                                           BENCH_FEATURES + 7};
static const char *const FEATURES[] = {"i/N",    "3*i", "i - floor(N/2)", "8*N", "-3",
                                       "0.0625", "0",   "ceil2(5*N)/8",   NULL};

static bool is_boolean(int in) { return in == IN_A || in == IN_B; }
static bool is_constant(int in) { return in == IN_ONE || in == IN_THREE || in == IN_FINE || in == IN_ZERO; }

static part channel(const page *p, int in) {
    const number_format *s = p->s;
    switch (in) {
    case IN_SHARE: return value_of(1, false, 0, 1, false, s);
    case IN_PLACE: return product(p, 3, 1, s);
    case IN_CENTRED: return value_of(p->m / 2, true, 0, 0, false, s);
    case IN_SIZE: return product(p, 8, 1, s);
    case IN_THREE: return value_of(3, true, 0, 0, false, s);
    case IN_FINE: return value_of(0.0625L, true, -4, 0, false, s);
    case IN_ZERO: return value_of(0, true, 0, 0, false, s);
    case IN_POWER: return value_of(10 * p->m / 8, true, 0, 0, true, s);
    default: return (part){.x = 1, .y = 1, .gridded = true}; /* Booleans and 1 */
    }
}

typedef struct term {
    int in;
    double weight;
} term;

typedef struct row {
    term terms[6];
    size_t count;
} row;

static void add_term(part *sum, const part *x, double weight) {
    if (x->nothing) return;
    int grid = x->grid + grid_of_number(weight);
    sum->x += fabsl((real)weight) * x->x;
    sum->e += fabsl((real)weight) * x->e;
    sum->gridded = x->gridded && (sum->nothing || sum->gridded);
    sum->grid = sum->nothing || grid < sum->grid ? grid : sum->grid;
    sum->nothing = false;
}

typedef struct running {
    real sum, error;
    bool begun;
} running;

static void run_on(running *r, const number_format *f, real product, bool exact) {
    if (!exact) {
        r->error += half_of(f, product);
        product = after_of(f, product);
    }
    if (r->begun) {
        product += r->sum;
        r->error += half_of(f, product);
        product = after_of(f, product);
    }
    r->sum = product;
    r->begun = true;
}

/* How many terms the head part has, and H. */
static size_t head_part(const page *p, const row *w, real *size) {
    size_t end = 0, booleans = 0, constants = 0;
    part sum = {.nothing = true};
    real value = 0;
    while (end < w->count && (is_boolean(w->terms[end].in) || is_constant(w->terms[end].in))) {
        const term *t = &w->terms[end++];
        part x = channel(p, t->in);
        booleans += is_boolean(t->in);
        constants += is_constant(t->in);
        if (is_constant(t->in)) value = fabsl((real)t->weight) * x.x;
        add_term(&sum, &x, t->weight);
    }
    for (size_t k = end; k < w->count; k++)
        if (is_boolean(w->terms[k].in)) return 0;
    if (!booleans || constants > 1 || !fits(&sum, p->s) || !fits(&sum, p->a)) return 0;
    *size = constants ? value : 1;
    return end;
}

static part row_of(const page *p, const row *w, bool is_key, bool *large) {
    part all = {.nothing = true};
    real head = 0;
    size_t first = is_key ? head_part(p, w, &head) : 0;
    running r = {.sum = head, .begun = first > 0};
    real size = head;
    for (size_t k = 0; k < w->count; k++) {
        part x = channel(p, w->terms[k].in);
        real weight = fabsl((real)w->terms[k].weight);
        add_term(&all, &x, w->terms[k].weight);
        if (k < first) continue;
        size += weight * x.x;
        run_on(&r, p->a, weight * x.y, is_boolean(w->terms[k].in) || (is_power(weight) && weight >= 1));
    }
    bool moved = w->count == 1 && is_power(w->terms[0].weight) && all.gridded;
    bool fine = ldexpl(1, all.grid) >= p->ts && ldexpl(1, all.grid) >= p->ta;
    bool exact = all.e == 0 && (all.nothing || (fits(&all, p->s) && fits(&all, p->a)) || (moved && fine));
    part q = {.x = size, .y = size, .nothing = all.nothing, .gridded = all.gridded, .grid = all.grid};
    real largest = (real)p->a->largest;
    if (!exact) {
        q.e = all.e + r.error;
        q.y = r.sum;
        *large = *large || q.y > largest;
        if (p->s != p->a) {
            q.e += half_of(p->s, q.y);
            q.y = after_of(p->s, q.y);
        }
    }
    *large = *large || all.x > largest || q.y > largest || q.y > (real)p->s->largest;
    if (w->count == 1 && is_constant(w->terms[0].in)) {
        real value = fabsl((real)w->terms[0].weight) * channel(p, w->terms[0].in).x;
        q.constant = is_power(value) && value >= 1;
    }
    return q;
}

static part times(const part *x, const part *y) {
    return (part){.x = x->x * y->x,
                  .y = x->y * y->y,
                  .e = x->x * y->e + y->x * x->e + x->e * y->e,
                  .nothing = x->nothing || y->nothing,
                  .gridded = x->gridded && y->gridded,
                  .grid = x->grid + y->grid};
}

static part score_of(const page *p, const part *query, const part *key, size_t count, bool *large) {
    part sum = {.nothing = true};
    running r = {0};
    bool exact = true;
    for (size_t k = 0; k < count; k++) {
        part x = times(&query[k], &key[k]);
        exact = exact && query[k].e == 0 && key[k].e == 0;
        add_term(&sum, &x, 1);
        run_on(&r, p->a, x.y, query[k].constant || key[k].constant);
    }
    exact = exact && fits(&sum, p->a);
    sum.y = exact ? sum.x : r.sum;
    if (!exact) sum.e += r.error;
    *large = *large || sum.y > (real)p->a->largest;
    return sum;
}

static part by_scale(const page *p, const part *scale, const part *x, bool exactly) {
    part z = times(scale, x);
    if (exactly || (scale->e == 0 && x->e == 0 && fits(&z, p->a))) return z;
    z.e += half_of(p->a, z.y);
    z.y = after_of(p->a, z.y);
    return z;
}

static part logit_of(const page *p, const part *scale, part *query, const part *key, size_t count, bool *large) {
    part logit = score_of(p, query, key, count, large);
    if (scale) {
        *large = *large || scale->y > (real)p->a->largest;
        logit = by_scale(p, scale, &logit, false);
    }
    if (scale && !p->ascending) {
        for (size_t k = 0; k < count; k++) {
            query[k] = by_scale(p, scale, &query[k], query[k].constant);
            *large = *large || query[k].y > (real)p->a->largest;
        }
        part other = score_of(p, query, key, count, large);
        logit.e = fmaxl(logit.e, other.e);
        logit.y = fmaxl(logit.y, other.y);
    }
    real room = logit.y == 0 ? (real)p->a->least : ulp_of(p->a, logit.y);
    *large = *large || 2 * (logit.y + room) > (real)p->a->largest;
    logit.e += room;
    return logit;
}

static part scale_of(const page *p, int which) {
    if (which == 0) return value_of(logl(p->m) + 8, false, 0, 3, false, p->a);
    return product(p, which == 3 ? 0.25L : which == 4 ? 12 : 3, which == 4 ? 2 : 1, p->a);
}
static const char *const SCALES[] = {"ln(N) + 8", "3*N", NULL, "0.25*N", "12*N*N"};

/* ---- the auditor ---- */

/* NaN: it is infinite on both sides. */
static bool is_near(double found, real page_says) {
    return fabsl((real)found - page_says) <= 1e-9L * page_says || (!isfinite(page_says) && !isfinite(found));
}

static struct { size_t fine, large, refused; } met;

static void audit_it(audit_bench *b, audit_head *f, const part *expected, bool large, const char *what,
                     const char *type, uint64_t n) {
    audit_logit(&b->a, f);
    double size = ball_upper(f->logit.size), off = ball_upper(f->logit.error);
    CHECK((f->failure != NULL) == large, "%sin %s, n = %llu: %s, by the page %s", what, type, (unsigned long long)n,
          f->failure ? f->failure : "no overflow", large ? "one" : "none");
    if (!large)
        CHECK(is_near(size, expected->x) && is_near(off, expected->e),
              "%sin %s, n = %llu: X = %.17g, eta = %.17g, by the page %.17Lg and %.17Lg", what, type,
              (unsigned long long)n, size, off, expected->x, expected->e);
    met.fine += !large;
    met.large += large;
}

/* Features must fit the type, or the auditor stops there. */
static bool all_features_fit(const page *p) {
    for (int in = 0; in < IN_COUNT; in++)
        if (channel(p, in).y > (real)p->s->largest) return false;
    return true;
}

static const uint64_t LENGTHS[] = {0, 1, 5, 14, 15, 30, 60, 61, 100, 1000, 65534, 1000000, 16777214, 94906264};

static double random_weight(test_random *r, const number_format *f) {
    static const double weights[] = {1, -1, 2, -4, 0.5, 0.25, 3, -5, 0.75, 12, 17, 0x1p-3, 0x1p-9, 0x1p10};
    double w = weights[random_below(r, random_below(r, 2) ? 5 : sizeof weights / sizeof *weights)];
    return format_round(f, w) == w ? w : 1;
}

static void random_row(test_random *r, row *w, bool is_key, const number_format *f) {
    static const int usual[] = {IN_ONE, IN_SIZE, IN_POWER, IN_THREE};
    w->count = 0;
    if (!is_key && random_below(r, 3)) {
        w->terms[w->count++] = (term){usual[random_below(r, 4)], random_weight(r, f)};
        return;
    }
    for (int in = 0; in < IN_COUNT; in++)
        if (random_below(r, 4) == 0 && w->count < 6) w->terms[w->count++] = (term){in, random_weight(r, f)};
    if (is_key && random_below(r, 3) == 0) w->count = w->count > 2 ? 2 : w->count;
}

static void print_row(char *out, const char *name, const row *w) {
    strcat(out, name);
    for (size_t k = 0; k < w->count; k++)
        sprintf(out + strlen(out), " %u:%a", CHANNEL[w->terms[k].in], w->terms[k].weight);
    strcat(out, "\n");
}

static void check_rows(test_random *r, temper_type type, uint64_t n) {
    page p = page_of(type, n + 2);
    row query[4], key[4];
    size_t count = 1 + random_below(r, 4);
    int scale = (int)random_below(r, 5);
    char text_of[2000] = "head \"x\" role nearest mask j<i choice softmax for average";
    if (SCALES[scale]) sprintf(text_of + strlen(text_of), " scale \"%s\"", SCALES[scale]);
    strcat(text_of, "\n");
    for (size_t k = 0; k < count; k++) random_row(r, &query[k], false, p.s), print_row(text_of, "  query", &query[k]);
    for (size_t k = 0; k < count; k++) random_row(r, &key[k], true, p.s), print_row(text_of, "  key", &key[k]);
    if (!all_features_fit(&p)) {
        met.refused++;
        return;
    }
    audit_bench b;
    if (bench_begin(&b, text_of, FEATURES, type, n)) {
        part q[4], x[4], lambda = SCALES[scale] ? scale_of(&p, scale) : (part){0};
        bool large = false;
        for (size_t k = 0; k < count; k++) {
            q[k] = row_of(&p, &query[k], false, &large);
            x[k] = row_of(&p, &key[k], true, &large);
        }
        part expected = logit_of(&p, SCALES[scale] ? &lambda : NULL, q, x, count, &large);
        audit_head f = {.layer = 1, .number = 1, .kind = KIND_NEAREST, .head = &b.model->layers[0].heads[0]};
        audit_it(&b, &f, &expected, large, text_of, temper_type_name(type), n);
    }
    bench_free(&b);
}

/* doc/certificate.md, "Match": T on a grid of halves, and i/N. */
static void check_pattern(test_random *r, temper_type type, uint64_t n) {
    page p = page_of(type, n + 2);
    static const double totals[] = {0.5, 1, 1.5, 7, 8, 100, 1000.5, 0x1p20, 0x1.8p30};
    double total = totals[random_below(r, sizeof totals / sizeof *totals)];
    int scale = random_below(r, 2) ? 1 : 3;
    char text_of[400];
    snprintf(text_of, sizeof text_of,
             "head \"T = %g\" role nearest mask j<i choice softmax for average scale \"%s\"\n", total, SCALES[scale]);
    audit_bench b;
    if (bench_begin(&b, text_of, NULL, type, n)) {
        part one = {.x = 1, .y = 1, .gridded = true, .constant = true}, q[2] = {one, one},
             k[2] = {{.x = total, .y = total, .gridded = true, .grid = -1}, channel(&p, IN_SHARE)},
             lambda = scale_of(&p, scale);
        bool large = false;
        if (p.s != p.a) {
            k[1].e += half_of(p.s, k[1].y);
            k[1].y = after_of(p.s, k[1].y);
        }
        part expected = logit_of(&p, &lambda, q, k, 2, &large);
        audit_head f = {.layer = 1, .number = 1, .kind = KIND_MATCH, .total_weight = total};
        f.head = &b.model->layers[0].heads[0];
        audit_it(&b, &f, &expected, large, text_of, temper_type_name(type), n);
    }
    bench_free(&b);
}

int main(void) {
    test_random r = test_seed(2213);
    size_t count = (size_t)(2000 * test_effort()) + 600;
    for (size_t k = 0; k < count; k++) {
        temper_type type = TYPES[k % TYPE_COUNT];
        uint64_t n = LENGTHS[random_below(&r, sizeof LENGTHS / sizeof *LENGTHS)];
        check_rows(&r, type, n);
        if (k % 8 == 0) check_pattern(&r, TYPES[random_below(&r, TYPE_COUNT)], n);
    }
    CHECK(met.fine > count / 3 && met.large > count / 20, "%zu are fine, %zu too large, %zu have too large features",
          met.fine, met.large, met.refused);
    return test_finish("t-audit-logit");
}
