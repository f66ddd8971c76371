#include "quantity_page.h"

#include <math.h>
#include <string.h>

int page_grid(real x) {
    int e, g = 0;
    real m = frexpl(x, &e);
    while (m != floorl(m)) m *= 2, g++;
    return e - g;
}

bool page_is_power(real x) {
    int e;
    return fabsl(frexpl(x, &e)) == 0.5L;
}

/* Long doubles round, too; and half_of ends with the least number of the format, which they may lose beside P. Then
   sums and products are a little more or less than they show, which counts if they show a number of the format. */
static bool upward;

static real sum_of(real x, real y) {
    real sum = x + y;
    return upward && (sum - x != y || sum - y != x) ? nextafterl(sum, INFINITY) : sum;
}

static real times_of(real x, real y) {
    real z = x * y;
    return upward && fmal(x, y, -z) != 0 ? nextafterl(z, INFINITY) : z;
}

real page_after(const number_format *f, real p) {
    bool is_number = (real)(double)p == p && format_round(f, (double)p) == (double)p;
    real half = half_of(f, p), sum = sum_of(p, half);
    bool lost = half - f->least == half && half > 0;
    return is_number ? p : upward && lost ? nextafterl(sum, INFINITY) : sum;
}

bool page_fits(const part *q, const number_format *f) {
    return q->nothing || (q->gridded && q->x <= ldexpl(1, q->grid + f->precision) && ldexpl(1, q->grid) >= f->least);
}

/* A value of an expression, stored in the format. */
part page_value(real x, bool gridded, int grid, int roundings, bool power, const number_format *f) {
    part q = {.x = x, .y = x, .gridded = gridded, .grid = grid, .nothing = x == 0};
    bool exact = power ? ldexpl(1, grid) >= f->least : page_fits(&q, f) && (q.nothing || x <= ldexpl(1, grid + 53));
    if (exact) return q;
    q.e = x * expm1l((real)roundings * log1pl(0x1p-53L));
    q.y = x == 1 ? x : x + q.e;
    if (f->precision < 53) {
        q.e += half_of(f, q.y);
        q.y = page_after(f, q.y);
    }
    return q;
}

static int over_53(real x, int grid) { return x > ldexpl(1, grid + 53); }

/* C*N^k or C*i*N^(k-1) */
part page_product(const page *p, real c, int k, const number_format *f) {
    real x = c;
    int roundings = 0, grid = page_grid(c);
    for (int j = 0; j < k; j++) x *= p->m, roundings += over_53(x, grid);
    return page_value(x, true, grid, roundings, false, f);
}

void page_add(part *sum, const part *x, double weight) {
    if (x->nothing) return;
    int grid = x->grid + page_grid(weight);
    sum->x += fabsl((real)weight) * x->x;
    sum->e += fabsl((real)weight) * x->e;
    sum->gridded = x->gridded && (sum->nothing || sum->gridded);
    sum->grid = sum->nothing || grid < sum->grid ? grid : sum->grid;
    sum->nothing = false;
}

void page_run(running *r, const number_format *f, real product, bool exact) {
    if (!exact) {
        r->error += half_of(f, product);
        product = page_after(f, product);
    }
    if (r->begun) {
        product = sum_of(product, r->sum);
        r->error += half_of(f, product);
        product = page_after(f, product);
    }
    r->sum = product;
    r->begun = true;
}

static part times(const part *x, const part *y) {
    return (part){.x = x->x * y->x,
                  .y = times_of(x->y, y->y),
                  .e = x->x * y->e + y->x * x->e + x->e * y->e,
                  .nothing = x->nothing || y->nothing,
                  .gridded = x->gridded && y->gridded,
                  .grid = x->grid + y->grid};
}

static part page_score(const page *p, const part *query, const part *key, size_t count, bool *large) {
    part sum = {.nothing = true};
    running r = {0};
    bool exact = true;
    for (size_t k = 0; k < count; k++) {
        part x = times(&query[k], &key[k]);
        exact = exact && query[k].e == 0 && key[k].e == 0;
        page_add(&sum, &x, 1);
        page_run(&r, p->a, x.y, query[k].constant || key[k].constant);
    }
    exact = exact && page_fits(&sum, p->a);
    sum.y = exact ? sum.x : r.sum;
    if (!exact) sum.e += r.error;
    *large = *large || sum.y > (real)p->a->largest;
    return sum;
}

static part by_scale(const page *p, const part *scale, const part *x, bool exactly) {
    part z = times(scale, x);
    if (exactly || (scale->e == 0 && x->e == 0 && page_fits(&z, p->a))) return z;
    z.e += half_of(p->a, z.y);
    z.y = page_after(p->a, z.y);
    return z;
}

static part logit_once(const page *p, const part *scale, part *query, const part *key, size_t count, bool *large) {
    part logit = page_score(p, query, key, count, large);
    if (scale) {
        *large = *large || scale->y > (real)p->a->largest;
        logit = by_scale(p, scale, &logit, false);
    }
    if (scale && !p->ascending) {
        for (size_t k = 0; k < count; k++) {
            query[k] = by_scale(p, scale, &query[k], query[k].constant);
            *large = *large || query[k].y > (real)p->a->largest;
        }
        part other = page_score(p, query, key, count, large);
        logit.e = fmaxl(logit.e, other.e);
        logit.y = fmaxl(logit.y, other.y);
    }
    real room = logit.y == 0 ? (real)p->a->least : ulp_of(p->a, logit.y);
    *large = *large || 2 * (logit.y + room) > (real)p->a->largest;
    logit.e += room;
    return logit;
}

void page_round(bool up) { upward = up; }

part page_logit(const page *p, const part *scale, const part *query, const part *key, size_t count, bool *large) {
    part own[16];
    memcpy(own, query, count * sizeof *own);
    return logit_once(p, scale, own, key, count, large);
}

/* Both query rows are 1. The first key is exact; the second is i/N, which is stored once more as a row where formats
   differ. */
part page_pattern(const page *p, real total, real c, bool *large) {
    part one = {.x = 1, .y = 1, .gridded = true, .constant = true}, query[2] = {one, one},
         key[2] = {{.x = total, .y = total, .gridded = true, .grid = -1}, page_value(1, false, 0, 1, false, p->s)},
         scale = page_product(p, c, 1, p->a);
    if (p->s != p->a) {
        key[1].e += half_of(p->s, key[1].y);
        key[1].y = page_after(p->s, key[1].y);
    }
    return page_logit(p, &scale, query, key, 2, large);
}

/* The query 1, and a key row of a Boolean with the weight M and i/N with the weight -1, which is stored. */
part page_pattern_end(const page *p, real total, real edge, real c, bool *large) {
    part logit = page_pattern(p, total, c, large), share = page_value(1, false, 0, 1, false, p->s),
         one = {.x = 1, .y = 1, .gridded = true, .constant = true}, scale = page_product(p, c, 1, p->a);
    running r = {0};
    page_run(&r, p->a, edge, true);
    page_run(&r, p->a, share.y, true);
    part key = {.x = edge + 1, .y = r.sum, .e = share.e + r.error};
    *large = *large || key.y > (real)p->a->largest;
    if (p->s != p->a) {
        key.e += half_of(p->s, key.y);
        key.y = page_after(p->s, key.y);
    }
    *large = *large || key.x > (real)p->a->largest || key.y > (real)p->s->largest;
    part end = page_logit(p, &scale, &one, &key, 1, large);
    logit.e = (logit.e + fmaxl(logit.e, end.e)) / 2;
    return logit;
}
