#include "role_page.h"

#include <math.h>

typedef struct numbers {
    real fs, fa, ms, ma, gs, ga; /* largest, least normal, grid of the least number */
    real ps, pa;
} numbers;

static numbers numbers_of(const page *p) {
    return (numbers){.fs = p->s->largest,
                     .fa = p->a->largest,
                     .ms = ldexpl(1, 1 - p->s->bias),
                     .ma = ldexpl(1, 1 - p->a->bias),
                     .gs = log2l(p->s->least),
                     .ga = log2l(p->a->least),
                     .ps = p->s->precision,
                     .pa = p->a->precision};
}

/* ---- the page ---- */

bool page_counts(const page *p) { return p->m <= ldexpl(1, p->a->precision); }

bool page_count_holds(const page *p, const head_shape *s) {
    numbers n = numbers_of(p);
    real w = s->weight, sum = p->m * s->letters + s->edges, g = s->grid;
    return w <= exp2l(g + n.ps) && sum <= exp2l(g + n.pa) && g >= n.gs && g >= n.ga && w <= n.fs && sum <= n.fa &&
           page_counts(p) && 1 / (2 * p->m) >= n.ms;
}

/* What compare and balance share, with epsilon or omega and the logit. */
static bool sentinel_holds(const page *p, const head_shape *s, real e, real logit) {
    numbers n = numbers_of(p);
    real scale = 2 * s->kappa * p->m;
    return page_counts(p) && expl((1 + e) * logl(p->m)) <= 1 / n.ma && 2 * (1 + e) * logit <= n.fa &&
           scale <= (s->scaled ? n.fa : n.fs) && logl(2) / scale >= n.ms;
}

bool page_compare_holds(const page *p, const head_shape *s) {
    return sentinel_holds(p, s, grow(p, 8, 3, 6), 2 * s->kappa * p->m * s->weight + logl(p->m));
}

bool page_compare_holds_hard(const page *p, const head_shape *s) {
    return page_counts(p) && 2 * s->weight * (s->scaled ? 1 : 2 * s->kappa * p->m) <= (real)p->a->largest;
}

/* How far the sum may be off. */
static real balance_off(const page *p, const head_shape *s) {
    real m = p->m, omega = grow(p, 10, 4, 8), mean = grow3(p->ua, 1, p->stored, 1, 0, 0);
    real unit = p->v + (p->s->precision < 53 ? half_of(p->s, 1) : 0) + 2 * half_of(p->a, 3) +
                (p->s == p->a ? 0 : half_of(p->s, 3));
    real own = s->own * unit + s->own * (1 + unit) * grow3(p->ua, (real)s->own_units + 1, p->stored, 1, 0, 0);
    return m * (s->weight * mean + own + s->total * mean) * (1 + omega) +
           (m * s->weight + s->own + m * s->total) * omega;
}

bool page_balance_holds(const page *p, const head_shape *s) {
    numbers n = numbers_of(p);
    real k = s->kappa, m = p->m, omega = grow(p, 10, 4, 8), off = balance_off(p, s);
    bool fits = 2 * k * m * m <= (s->scaled ? n.fa : n.fs) && 2 * s->own <= n.fs;
    if (s->scaled && !p->ascending) fits = fits && 4 * k * m * m * (s->weight + s->own + 1) <= n.fa;
    return off < 0.5L && fits && 1 / (2 * m * m) >= n.ma && 1 / m >= n.ms &&
           sentinel_holds(p, s, omega, 2 * k * m * (s->weight + s->own + m * s->total) + logl(m));
}

static real lookup_off(const page *p, const head_shape *s, real *e) {
    real n = s->scaled, m = p->m, square = m * m > 0x1p53L, cube = m * m * m > 0x1p53L, first = 1 + square,
         second = 1 + 2 * square;
    if (!s->scaled) first = square, second = square + cube; /* M itself is below 2^53 */
    real e0 = expm1l((2 + n) * log1pl(p->ua) + log1pl(p->stored) + log1pl(p->feature) + first * log1pl(p->v));
    real e1 = expm1l((1 + n) * log1pl(p->ua) + 2 * log1pl(p->feature) + (1 + second) * log1pl(p->v));
    real e2 = expm1l((1 + n) * log1pl(p->ua) + n * (log1pl(p->scale) + (square + cube) * log1pl(p->v)));
    real x = s->kappa * m * m;
    *e = x * ((2 * e0 + e1) * (1 + e2) + e2);
    return *e + 2 * p->ua * (x + *e) + p->ta;
}

/* W of a computed position; 1 for a count. */
static real lookup_weight(const head_shape *s) { return s->anywhere ? fmaxl(1, s->weight) : 1; }

static real lookup_logit(const page *p, const head_shape *s) {
    return s->kappa * p->m * p->m * (s->anywhere ? 2 * lookup_weight(s) + p->m : 1);
}

static bool lookup_fits(const page *p, const head_shape *s, real e) {
    numbers n = numbers_of(p);
    real m = p->m, scale = s->kappa * m * m * m, w = lookup_weight(s);
    bool fits =
        s->scaled ? scale <= n.fa && (p->ascending || 4 * scale * w <= n.fa) && 1 / (m * m) >= n.ms : scale <= n.fs;
    real most = lookup_logit(p, s) * (1 + e / (s->kappa * m * m));
    return page_counts(p) && 1 / (m * m * m) >= n.ma && fits && 6 * most <= n.fa && 2 * w <= n.fs;
}

bool page_lookup_holds(const page *p, const head_shape *s) {
    real e, eta = lookup_off(p, s, &e), q = expl(-s->kappa * (1 - p->ua));
    if (!lookup_fits(p, s, e) || eta > 1000) return false;
    return page_error(p, (1 + 2 * p->ua) * expl(2 * eta) * 2 * q / (1 - q) + p->subnormal_loss) <= 0.25L;
}

bool page_lookup_holds_hard(const page *p, const head_shape *s) {
    real e, eta = lookup_off(p, s, &e);
    return lookup_fits(p, s, e) && 2 * eta < s->kappa;
}

/* ---- what a certificate says ---- */

static page_bounds once_bounds(const page *p, const head_shape *s) {
    real least = logl(p->m) + s->kappa, x = least + (s->scale.size == FORM_LOG_STEP ? 4 : 0),
         lost = -expm1l(2 * log1pl(-p->us) + 5 * log1pl(-p->ua) + 4 * log1pl(-p->v));
    real exps = powl(1 + 2 * p->ua, p->ascending ? 1 : 6);
    real weight = exps * expl(-(1 - lost) * least + 2 * p->ta) + p->ta, rest = (p->m - 1) * weight, error;
    if (p->ascending) {
        if (!p->known) rest = rest * (1 + p->ua) + p->ta;
        error = 1 - (1 - p->ua) * (1 - p->stored) / ((1 + 2 * rest) * powl(1 + p->ua, p->a->precision + 1));
    } else {
        real w = powl(1 - 2 * p->ua, 3) * expl(-5 * p->ua * x);
        rest += p->subnormal_loss;
        error = -expm1l((p->m + 6) * log1pl(-p->ua) - log1pl(rest / w) - (p->m + 5) * log1pl(p->ua));
    }
    bool holds = 2 * (1 + lost) * x <= (real)p->a->largest &&
                 (p->ascending ? weight < 1 && (p->known || rest < 1) : page_counts(p));
    return (page_bounds){x, lost * x, error, holds};
}

static page_bounds compare_bounds(const page *p, const head_shape *s) {
    real e = grow(p, 8, 3, 6);
    return (page_bounds){2 * s->kappa * p->m * s->weight + logl(p->m), e, page_share_error(p, s->kappa * (1 - e), e),
                         page_compare_holds(p, s)};
}

static page_bounds balance_bounds(const page *p, const head_shape *s) {
    real off = balance_off(p, s), omega = grow(p, 10, 4, 8);
    return (page_bounds){2 * s->kappa * p->m * (s->weight + s->own + p->m * s->total) + logl(p->m), off,
                         page_share_error(p, s->kappa * (1 - 2 * off), omega), page_balance_holds(p, s)};
}

static page_bounds lookup_bounds(const page *p, const head_shape *s) {
    real e, eta = lookup_off(p, s, &e), q = expl(-s->kappa * (1 - p->ua));
    real rest = (1 + 2 * p->ua) * expl(2 * eta) * 2 * q / (1 - q) + p->subnormal_loss;
    return (page_bounds){lookup_logit(p, s), eta, page_error(p, rest), lookup_fits(p, s, e)};
}

page_bounds page_bounds_of(const page *p, const head_shape *s) {
    switch (s->role) {
    case ROLE_ONCE: return once_bounds(p, s);
    case ROLE_COUNT: return (page_bounds){0, 0, 0, page_count_holds(p, s)};
    case ROLE_COMPARE: return compare_bounds(p, s);
    case ROLE_BALANCE: return balance_bounds(p, s);
    case ROLE_LOOKUP: return lookup_bounds(p, s);
    default: return (page_bounds){0};
    }
}
