/* Bounds for hard choices. Every formula of doc/certificate.md, from "Errors of sums" to "Errors of gates", is
   computed a second time, in long double and without looking at src/bound: random softened models, with odd weights
   and scales, in every number type, also those whose sums are so short that the smallest term of a formula shows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/choice_errors.h"
#include "bound/choice_share.h"
#include "number/upward.h"
#include "random_model.h"
#include "written_choices.h"

typedef long double L;

/* ---- the page in long double ---- */

typedef struct page {
    const recursion *r;
    const temper_model *m;
    const hard_facts *f;
    const number_format *s, *a;
    bool ascending;
    size_t n, N;
    L u, us, tau, ts, ma;
    L *e; /* [channels] */
    bool unable;
    uint32_t at_layer, at_head, layer, head; /* where it looks, and where it was unable first; from 1, 0: none */
    /* of the head looked at last */
    L share, worst, logit, off;
} page;

static void give_up(page *p) {
    if (p->unable) return;
    p->unable = true;
    p->layer = p->at_layer;
    p->head = p->at_head;
}

static L grow(const page *p, L k) { return expm1l(k * log1pl(p->u)); }
static L storing(const page *p) { return p->s == p->a ? 0 : p->us; }

static int grid_of_double(double x) {
    int e;
    if (x == 0) return GRID_ANY;
    double m = frexp(x, &e);
    while (m != floor(m)) m *= 2, e--;
    return e;
}

static bool fits(const number_format *f, L size, int grid) {
    if (size == 0) return true;
    return grid > GRID_NONE && ldexpl(1, grid) >= f->least && size <= ldexpl(1, grid + f->precision) &&
           size <= f->largest;
}

static L store(const page *p, L error, L size, L near) {
    L rounding = storing(p) * (size + error);
    return error + (near < rounding ? near : rounding);
}

typedef struct error_total {
    L E, S, T;
    int g, k;
    bool clean;
} error_total;

static void add(const page *p, error_total *x, double weight, L size, L most, L error, int grid) {
    double w = format_round(p->s, weight);
    x->E += fabsl((L)w) * error + fabsl((L)w - weight) * size;
    x->S += fabsl((L)w) * most;
    x->T += fabsl((L)weight) * size;
    if (error != 0 || w != weight) x->clean = false;
    int g = grid <= GRID_NONE ? GRID_NONE : grid + grid_of_double(weight);
    if (size > 0 && g < x->g) x->g = g;
    x->k++;
}

static void add_known(const page *p, error_total *x, double weight, const known *k, L error) {
    add(p, x, weight, known_size(k), known_size(k) + error, error, k->grid);
}

static bool is_exact(const page *p, const error_total *x, bool stored) {
    return x->clean && fits(p->a, x->S, x->g) && (!stored || fits(p->s, x->S, x->g));
}

typedef enum use { PLAIN, ROW, CHANNEL } use;

static L finish(page *p, const error_total *x, use to) {
    L room = to == PLAIN ? p->a->largest : p->s->largest;
    if (x->S > room / 2) give_up(p);
    if (is_exact(p, x, to != PLAIN)) return 0;
    if (grow(p, x->k + 2) > 1) give_up(p);
    L error = x->E + x->S * grow(p, x->k + (to == CHANNEL ? 2 : 1)) + 4 * (x->k + 2) * p->tau;
    bool near = fits(p->s, x->T, x->g);
    for (int k = 0; k < (int)to; k++) error = store(p, error, x->S, near ? error : INFINITY);
    return error;
}

static const error_total NOTHING = {.g = GRID_ANY, .clean = true};

static error_total row_of(const page *p, const model_rows *rows, uint32_t r, const known *x) {
    error_total s = NOTHING;
    for (uint32_t k = rows->start[r]; k < rows->start[r + 1]; k++)
        add_known(p, &s, rows->terms[k].weight, &x[rows->terms[k].channel], p->e[rows->terms[k].channel]);
    return s;
}

static L stored_row(page *p, const model_rows *rows, uint32_t r, const known *x) {
    error_total s = row_of(p, rows, r, x);
    return finish(p, &s, ROW);
}

/* ---- shares ---- */

static L of_losers(L r) { return r / (1 + r); }
static L weight(L below) { return expl((double)-below < -below ? next_up((double)-below) : (double)-below); }

static L share_of_one(L below, L others) {
    return others == 0 || below == INFINITY ? 0 : of_losers(others * weight(below));
}

static L share_with_steps(const page *p, L scale, L step, L gap, L off) {
    L r = 0, N = p->N;
    if (N == 1) return 0;
    if (!(scale * (step - off) * (1 - p->u) > 0) || !(scale * (gap - step * (N - 1) - off) * (1 - p->u) > 0))
        return 1;
    for (L d = 1; d < N; d++) r += weight(scale * ((gap >= step * N ? step * d : gap - step * d) - off) * (1 - p->u));
    return of_losers(r);
}

static L share_of_ties(const page *p, L B, L A) {
    L a = expl(-B), q = A == INFINITY ? 0 : a * (p->N - 1) * expl(-A), c = a * (1 + q), b = -expm1l(-B);
    if (B > 0 && B < 0x1p-40L) return B / 4 + q / a;
    L rest = -expm1l((log1pl(q) - B) / 2); /* 1 - sqrt(c) */
    if (B > 0 && (sqrtl(c) - c) / b > q) return rest * rest / b + q;
    return q / (q + a);
}

/* The least number of the format beyond ln(2/t); no such logarithm is a number of long double. */
static L silence(const page *p) {
    double z = format_round(p->a, (double)(logl(2) - logl(p->a->least)));
    while ((L)z < logl(2) - logl(p->a->least)) z = format_next(p->a, z, true);
    return z;
}

/* Which weights are exact: 0, none; 1, those of losers are 0; 2, and one is 1. */
static int saturated(const page *p, const model_head *h, bool single, L gap, L scale, L step, L lose_off) {
    L z = silence(p), others = p->N - 1;
    if (h->choice != TEMPER_CHOICE_SOFTMAX || h->adaptive) return 0;
    if (gap < INFINITY && scale * (gap - step * others - lose_off) < z) return 0;
    if (single || step == 0) return single ? 2 : 1;
    return scale * (step - lose_off) >= z ? 2 : 0;
}

static L share(page *p, const model_head *h, bool single, L gap, L scale, L step, L tie_off, L lose_off, L size) {
    bool settled = single || tie_off == 0, apart = gap > lose_off;
    L A = gap == INFINITY ? INFINITY : scale * (gap - lose_off) * (1 - p->u), N = p->N;
    if (h->choice != TEMPER_CHOICE_SOFTMAX) return settled && apart ? 0 : 1;
    if (h->adaptive) {
        L eps = grow(p, 8);
        bool fine = settled && apart && grow(p, 9) <= 1 && scale >= 4 * p->ma * (size + N) &&
                    (gap == INFINITY || scale * ((2 * size + 1) / (gap - lose_off) + 1) <= p->a->largest / 4);
        if (!fine) give_up(p);
        if (h->hard_choice == TEMPER_CHOICE_AVERAGE)
            return share_of_one(gap == INFINITY ? INFINITY : scale * (1 - eps), N - 1);
        return share_with_steps(p, scale, 1 / N, 1, 2 * eps);
    }
    int exact = saturated(p, h, single, gap, scale, step, lose_off);
    if (exact == 2) return 0;
    if (step > 0) {
        L D = share_with_steps(p, scale, step, gap, lose_off);
        L other = scale * (gap - step * (N - 1) - lose_off) * (1 - p->u);
        if (single && gap < INFINITY && other > 0 && share_of_one(other, N - 1) < D) D = share_of_one(other, N - 1);
        return D;
    }
    if (!(A > 0)) return 1;
    if (single) return share_of_one(A, N - 1);
    if (h->hard_choice != TEMPER_CHOICE_AVERAGE) return 1;
    L D = share_of_ties(p, scale * tie_off * (1 + p->u), exact ? INFINITY : A);
    return D <= 1 ? D : 1;
}

/* ---- heads ---- */

static L mean(page *p, const known *v, const known *o, L ev, L D, bool even, bool settled, L apart) {
    L V = known_size(v), O = known_size(o), N = p->N;
    if (even && ev == 0 && N <= ldexpl(1, p->a->precision) && fits(p->s, V, v->grid) && fits(p->a, N * V, v->grid))
        return fits(p->s, O, o->grid) ? 0 : store(p, V * p->u + 4 * p->tau, V, INFINITY);
    L theta = grow(p, 4 * N + 12), nu = D * storing(p), most = V + ev;
    if (theta > 0.25L) give_up(p);
    if (storing(p) > 0 && !settled) nu = apart <= storing(p) / 4 ? nu + 2 * apart : storing(p);
    L quotient = (grow(p, 4 * N + 13) + theta) / (1 - theta);
    L error = ev + D * known_width(v) + most * (quotient + 2 * nu) + 16 * N * p->tau * (most + 1);
    return store(p, error, most, fits(p->s, O, o->grid) ? error : INFINITY);
}

static void through_head(page *p, error_total *to, uint32_t layer, uint32_t head) {
    const model_head *h = &p->m->layers[layer].heads[head];
    const layer_facts *f = &p->f->all->layers[layer];
    const head_facts *x = &f->heads[head];
    uint32_t index = p->f->head_start[layer] + head, R = h->query.count;
    tie_break tie = p->r->ties[index];
    bool soft = h->choice == TEMPER_CHOICE_SOFTMAX, clean = true, constant = tie.step == 0;
    L gap = p->f->gap[index][p->n], scale = 1, S = 0, off = 0, keys = 0, query = 0;
    int g = GRID_ANY;
    if (soft && h->scale) scale = format_round(p->a, expression_eval(h->scale, 0, (double)p->n, (double)p->N));
    if (!(scale > 0) || !isfinite((double)scale)) give_up(p); /* e4m3 rounds 1024 to a NaN */
    for (uint32_t d = 0; d < R; d++) {
        if (tie.step > 0 && d == tie.row) continue;
        L eq = stored_row(p, &h->query, d, f->before), ek = stored_row(p, &h->key, d, f->before);
        L q = known_size(&x->query[d]) + eq, k = known_size(&x->key[d]) + ek, width = known_width(&x->key[d]);
        clean = clean && eq == 0 && ek == 0;
        S += q * k;
        keys += k;
        query = fmaxl(query, q);
        if (q != 0 && (width != 0 || ek != 0)) {
            constant = false;
            off += eq * width + 2 * q * ek;
        }
        bool none = x->query[d].grid <= GRID_NONE || x->key[d].grid <= GRID_NONE;
        int grid = none ? GRID_NONE : x->query[d].grid + x->key[d].grid;
        if (known_size(&x->query[d]) > 0 && known_size(&x->key[d]) > 0 && grid < g) g = grid;
    }
    if (tie.step > 0) {
        S += (L)tie.step * (p->N - 1);
        keys += (L)tie.step * (p->N - 1) / tie.query;
        query = fmaxl(query, tie.query);
        if (grid_of_double(tie.step) < g) g = grid_of_double(tie.step);
    }
    L G = 1 + grow(p, R + 4), half = (L)p->a->largest / 2;
    if (G > 2 || G * S > half || G * scale * S > half || G * scale * query > half) give_up(p);
    bool moved = soft && !h->adaptive;
    L apart = !moved || S == 0 ? 0 : 2 * S * (1 + grow(p, R + 2)) * grow(p, 2) + 2 * (p->tau - p->ts) / scale;
    L rho = 2 * S * grow(p, moved && S > 0 ? R + 4 : R + 2) + 8 * (R + 2) * p->tau;
    if (scale < 0.25L) rho += 2 * (R + 2) * (p->tau - p->ts) / scale;
    if (!p->ascending) rho += 2 * p->tau * keys / scale;
    int k;
    bool power = frexpl(scale, &k) == 0.5L && k >= 1;
    L tie_off = off + rho, lose_off = off + rho;
    if (constant || (clean && power && fits(p->a, S, g) && fits(p->a, scale * S, g + k - 1)))
        tie_off = lose_off = apart;
    else if (clean && R == 1 && tie.step == 0)
        tie_off = apart, lose_off = rho;
    p->logit = scale * S;
    p->off = scale * lose_off;
    p->share = share(p, h, x->tieless, gap, scale, tie.step, tie_off, lose_off, S);
    p->worst = 0;
    bool even = h->hard_choice == TEMPER_CHOICE_AVERAGE && gap == INFINITY && tie_off == 0;
    bool one_hot = saturated(p, h, x->tieless, gap, scale, tie.step, lose_off) == 2;
    for (uint32_t d = 0; d < h->value.count; d++) {
        L ev = stored_row(p, &h->value, d, f->before);
        L e = one_hot ? ev
                      : mean(p, &x->value[d], &x->output[d], ev, p->share, even, x->tieless || tie_off == 0,
                             scale * tie_off);
        if (2 * p->N * (known_size(&x->value[d]) + ev) > half) give_up(p);
        p->worst = fmaxl(p->worst, e);
        for (uint32_t t = h->output.start[d]; t < h->output.start[d + 1]; t++)
            add_known(p, &to[h->output.terms[t].channel], h->output.terms[t].weight, &x->output[d], e);
    }
}

/* ---- gates ---- */

static bool is_ramp(const page *p, const model_layer *l, const layer_facts *f, const bundle *b, const bundle_facts *x,
                    uint32_t c, L ez, uint32_t writers) {
    const bundle_unit *pair[3] = {0};
    int count = 0, k;
    for (uint32_t u = 0; u < b->unit_count && count < 3; u++)
        if (bundle_weight(l, &b->units[u], c) != 0) pair[count++] = &b->units[u];
    if (count != 2 || p->s != p->a || writers != 1 || known_size(&f->middle[c]) != 0 || p->e[c] != 0) return false;
    const bundle_unit *u = pair[0]->bias > pair[1]->bias ? pair[0] : pair[1], *v = u == pair[0] ? pair[1] : pair[0];
    double w = bundle_weight(l, u, c);
    L normal = (L)p->a->least * ldexpl(1, p->a->precision - 1);
    bool power = fabs(frexp(w, &k)) == 0.5 && abs(k - 1) < 100 && fabsl((L)w) >= normal && format_round(p->s, w) == w;
    if (!power || bundle_weight(l, v, c) != -w || u->ratio != 1 || v->ratio != 1) return false;
    if (!(u->bias < 0) || fmod(u->bias, 0.5) != 0 || v->bias != u->bias - 1) return false;
    if (!(fabs(u->bias) < ldexp(1, p->a->precision - 4))) return false;
    for (uint32_t piece = 0; piece <= b->corner_count; piece++)
        if (bundle_piece_left(b, piece) >= -u->bias && bundle_piece_right(b, piece) <= -v->bias &&
            x->distance[piece] < ez)
            return false;
    return known_size(&x->input) + ez < ldexpl(1, p->a->precision - 3);
}

static L steepest(const page *p, const model_layer *l, const bundle *b, const bundle_facts *x, uint32_t c, L ez) {
    L most = 0;
    for (uint32_t piece = 0; piece <= b->corner_count && ez > 0; piece++) {
        L slope = 0, middle, left = bundle_piece_left(b, piece), right = bundle_piece_right(b, piece);
        if (x->distance[piece] > ez) continue;
        middle = left == -INFINITY   ? (right == INFINITY ? 0 : right - 1)
                 : right == INFINITY ? left + 1
                                     : (left + right) / 2;
        for (uint32_t u = 0; u < b->unit_count; u++)
            if (b->units[u].ratio * middle + b->units[u].bias > 0)
                slope += (L)format_round(p->s, bundle_weight(l, &b->units[u], c)) * b->units[u].ratio;
        most = fmaxl(most, fabsl(slope));
    }
    return most;
}

typedef struct unit_number {
    L X, Y, e;
    int g;
} unit_number;

static unit_number through_unit(page *p, const bundle_unit *u, const bundle_facts *x, L ez, const error_total *row) {
    double bias = format_round(p->s, u->bias);
    L r = fabsl((L)u->ratio), Z = known_size(&x->input);
    unit_number out = {r * Z + fabsl((L)u->bias), r * (Z + ez) + fabsl((L)bias), 0, 0};
    error_total P = NOTHING;
    add(p, &P, u->ratio, Z, Z, 0, x->input.grid);
    add(p, &P, u->bias, 1, 1, 0, 0);
    out.g = P.g;
    if (out.Y > (L)p->s->largest / 2 || r * row->S > (L)p->a->largest / 2) give_up(p);
    bool finer = row->g <= GRID_NONE || ldexpl(r, row->g) < p->a->least;
    if (is_exact(p, row, false) && !finer && is_exact(p, &P, true)) return out;
    L eta = out.Y * grow(p, 2) + fabsl((L)bias - u->bias) + 4 * (row->k + 4) * p->tau;
    out.e = store(p, eta, out.Y, fits(p->s, P.T, P.g) ? r * ez + eta : INFINITY);
    return out;
}

static void through_net(page *p, uint32_t layer, arena *a) {
    const model_layer *l = &p->m->layers[layer];
    const layer_facts *f = &p->f->all->layers[layer];
    const bundle_list *bundles = &p->f->s.bundles[layer];
    uint32_t channels = p->m->channel_count;
    error_total *to = arena_alloc(a, channels, sizeof *to);
    uint32_t *writers = arena_zalloc(a, channels, sizeof *writers);
    bool *ramp = arena_zalloc(a, channels, sizeof *ramp), *clean = arena_zalloc(a, channels, sizeof *clean);
    for (uint32_t b = 0; b < bundles->count; b++)
        for (uint32_t k = 0; k < bundles->items[b].channel_count; k++) writers[bundles->items[b].channels[k]]++;
    for (uint32_t c = 0; c < channels; c++) {
        to[c] = NOTHING;
        clean[c] = true;
        add_known(p, &to[c], 1, &f->middle[c], p->e[c]);
    }
    for (uint32_t b = 0; b < bundles->count; b++) {
        const bundle *x = &bundles->items[b];
        error_total row = row_of(p, &l->in, x->row, f->middle);
        L ez = finish(p, &row, PLAIN);
        for (uint32_t k = 0; k < x->channel_count; k++) {
            uint32_t c = x->channels[k];
            ramp[c] = is_ramp(p, l, f, x, &f->bundles[b], c, ez, writers[c]);
            if (!ramp[c]) to[c].E += ez * steepest(p, l, x, &f->bundles[b], c, ez);
        }
        for (uint32_t k = 0; k < x->unit_count; k++) {
            unit_number u = through_unit(p, &x->units[k], &f->bundles[b], ez, &row);
            uint32_t unit = x->units[k].unit;
            for (uint32_t t = l->out.start[unit]; t < l->out.start[unit + 1]; t++) {
                add(p, &to[l->out.terms[t].channel], l->out.terms[t].weight, u.X, u.Y, u.e, u.g);
                if (ez > 0) to[l->out.terms[t].channel].clean = false;
            }
        }
    }
    for (uint32_t c = 0; c < channels; c++)
        if (to[c].k > 1) {
            p->e[c] = finish(p, &to[c], CHANNEL);
            if (ramp[c]) p->e[c] = 0;
        }
}

/* ---- one against the other ---- */

typedef struct totals {
    size_t models, lengths, unable, heads, ramps;
} totals;

/* Shares below any double are rounded up to one. */
static bool near(L expected, const ball *bound) {
    double x = ball_upper(bound);
    return x == expected || fabsl(x - expected) <= 1e-9L * fabsl(expected) + 0x1p-1073L;
}

static bool check_length(totals *sum, recursion *r, size_t n, const char *name, arena *a) {
    const temper_model *m = r->m;
    const number_type *t = r->type;
    page p = {.r = r, .m = m, .f = r->f, .s = t->storage, .a = t->accumulation, .ascending = r->ascending, .n = n};
    p.N = n + 1 + m->has_end;
    p.u = ldexpl(1, -p.a->precision);
    p.us = ldexpl(1, -p.s->precision);
    p.ts = p.s->least;
    p.ma = ldexpl(p.a->least, p.a->precision - 1);
    p.tau = p.ts + (p.ascending ? p.a->least : p.ma);
    p.e = arena_alloc(a, m->channel_count, sizeof *p.e);
    recursion_run(r, n);
    sum->lengths++;
    for (uint32_t c = 0; c < m->channel_count; c++) {
        p.e[c] = embedding_errors(r->embed, n)[c];
        p.unable = p.unable || !isfinite(embedding_errors(r->embed, n)[c]);
    }
    bool ok = true;
    for (uint32_t l = 0; l < m->layer_count && !p.unable && ok; l++) {
        error_total *to = arena_alloc(a, m->channel_count, sizeof *to);
        for (uint32_t c = 0; c < m->channel_count; c++) {
            to[c] = NOTHING;
            add_known(&p, &to[c], 1, &r->f->all->layers[l].before[c], p.e[c]);
        }
        for (uint32_t h = 0; h < m->layers[l].head_count && !p.unable && ok; h++) {
            uint32_t k = r->f->head_start[l] + h;
            p.at_layer = l + 1;
            p.at_head = h + 1;
            through_head(&p, to, l, h);
            if (p.unable || r->too_large) continue;
            sum->heads++;
            ok = CHECK(near(p.logit, &r->logit[k]) && near(p.off, &r->off[k]) && near(p.share, &r->share[k]) &&
                           near(p.worst, &r->error[k]),
                       "%s in %s at %zu, head %u.%u: logit %.17Lg %.17g, off %.17Lg %.17g, share %.17Lg %.17g, error "
                       "%.17Lg %.17g",
                       name, t->name, n, l + 1, h + 1, p.logit, ball_upper(&r->logit[k]), p.off,
                       ball_upper(&r->off[k]), p.share, ball_upper(&r->share[k]), p.worst, ball_upper(&r->error[k]));
        }
        p.at_layer = l + 1;
        p.at_head = 0;
        for (uint32_t c = 0; c < m->channel_count; c++)
            if (to[c].k > 1) p.e[c] = finish(&p, &to[c], CHANNEL);
        if (!p.unable) through_net(&p, l, a);
    }
    p.at_layer = p.at_head = 0;
    error_total answer = row_of(&p, &m->read, 0, r->f->all->after);
    L error = p.unable ? 0 : finish(&p, &answer, PLAIN);
    ok = ok && CHECK(p.unable == r->too_large && (!p.unable || (p.layer == r->layer && p.head == r->head)),
                     "%s in %s at %zu: the page is %s, the recursion %s (layer %u, head %u)", name, t->name, n,
                     p.unable ? "unable" : "able", r->too_large ? "unable" : "able", r->layer, r->head);
    sum->unable += p.unable;
    if (!ok || p.unable) return ok;
    for (uint32_t c = 0; c < m->channel_count && ok; c++)
        ok = CHECK(near(p.e[c], &r->channels[c]), "%s in %s at %zu, channel %u: %.17Lg, not %.17g", name, t->name, n,
                   c, p.e[c], ball_upper(&r->channels[c]));
    return ok && CHECK(near(error, r->answer), "%s in %s at %zu: answers are off by %.17Lg, not %.17g", name, t->name,
                       n, error, ball_upper(r->answer));
}

static const temper_type types[] = {
    TEMPER_TYPE_F64,  TEMPER_TYPE_F32,      TEMPER_TYPE_BF16,    TEMPER_TYPE_F16,      TEMPER_TYPE_E4M3,
    TEMPER_TYPE_E5M2, TEMPER_TYPE_BF16_F32, TEMPER_TYPE_F16_F32, TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E5M2_F32};

/* In every type; also in those orders of sums that the type's runner does not have. */
static bool check_model(totals *sum, const char *name, const temper_model *m, size_t length) {
    trap t;
    temper_error e;
    arena keep, scratch, work;
    arena_init(&keep, &t);
    arena_init(&scratch, &t);
    arena_init(&work, &t);
    volatile bool ok = true;
    if (!trap_set(&t, &e)) {
        certification c = {.model = m, .options = {.length = length}, .arena = &keep, .trap = &t};
        hard_facts *f = arena_zalloc(&keep, 1, sizeof *f);
        hard_facts_find(f, &c, false, &keep, &scratch);
        sum->models++;
        for (size_t k = 0; k < 2 * sizeof types / sizeof *types && ok; k++) {
            recursion *r = arena_zalloc(&keep, 1, sizeof *r);
            if (!recursion_begin(r, f, number_type_of(types[k / 2]), k % 2, &keep, &scratch)) continue;
            for (size_t n = 0; n <= length && ok; n++) {
                arena_reset(&work);
                ok = check_length(sum, r, n, name, &work);
            }
        }
        trap_clear(&t);
    }
    arena_free(&keep);
    arena_free(&scratch);
    arena_free(&work);
    return ok;
}

/* Models by hand: what random ones rarely have. */
static void test_written(totals *sum) {
    char source[WRITTEN_CHOICE];
    for (size_t k = 0; k < written_choice_count(); k += test_effort() < 1 ? 5 : 3) {
        if (!written_choice(source, k)) continue;
        temper_model *m = model_from(source);
        if (!CHECK(m != NULL, "cannot be read:\n%s", source)) return;
        bool ok = check_model(sum, source, m, 5);
        temper_model_free(m);
        if (!ok) return;
    }
}

static void test_random_models(totals *sum) {
    test_random r = test_seed(6101);
    char source[RANDOM_MODEL_TEXT];
    for (int k = 0; k < (int)(30 * test_effort()); k++) {
        random_model_options kind = {.average = random_below(&r, 3) > 0,
                                     .fractions = random_below(&r, 2),
                                     .small = random_below(&r, 2),
                                     .varied = random_below(&r, 4) > 0};
        temper_model *hard = random_model(source, &r, &kind), *soft = NULL;
        temper_soften_options o = {.length = 3 + random_below(&r, 4), .adaptive = random_below(&r, 4) == 0};
        o.method = o.adaptive || random_below(&r, 2) ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS;
        bool ok = true;
        if (hard && temper_soften(&soft, NULL, hard, &o, NULL) == TEMPER_OK)
            ok = check_model(sum, source, soft, o.length);
        temper_model_free(soft);
        temper_model_free(hard);
        if (!ok) return;
    }
}

/* Grids and formats by their definitions. */
static void test_grids(void) {
    CHECK(log2_of(8) == 3 && log2_of(1) == 0 && log2_of(0x1p-30) == -30 && log2_of(3) == GRID_NONE, "log2_of");
    CHECK(double_grid(12) == 2 && double_grid(-0.375) == -3 && double_grid(0) == GRID_ANY, "double_grid");
    CHECK(grid_times(5, 0.75) == 3 && grid_times(GRID_NONE, 4) == GRID_NONE, "grid_times");
    CHECK(format_least_exponent(&format_f16) == -24 && format_least_exponent(&format_f64) == -1074,
          "least exponents");
    CHECK(format_holds(&format_f16, 2048) && !format_holds(&format_f16, 2049), "format_holds");
}

/* What finding facts is said to cost, from short lengths, against what it takes at a longer one. */
static void check_cost(const char *name, const temper_model *m, arena *keep, arena *one) {
    enum { LENGTH = 160 };
    certification c = {.model = m, .arena = keep, .trap = keep->trap};
    subject_model s;
    subject_model_init(&s, m, keep);
    facts_run *run = facts_run_begin(&s, 0, keep);
    for (size_t n = 0; n <= LENGTH; n++) {
        arena_reset(one);
        facts_run_next(run, one);
    }
    double steps = facts_run_steps(run), rows = 0;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        rows += m->channel_count + m->layers[l].in.count + 10.0 * m->layers[l].head_count;
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            rows += m->layers[l].heads[h].query.count + m->layers[l].heads[h].key.count +
                    m->layers[l].heads[h].value.count;
    }
    double said = hard_facts_cost(&c, LENGTH) - 10 * rows * (LENGTH + 1);
    CHECK(said > steps / 2 && said < 2 * steps, "%s: %g steps, said to be %g", name, steps, said);
    size_t reach = hard_facts_reach(&c, FACTS_SECOND);
    CHECK(reach == FACTS_LONGEST ||
              (hard_facts_cost(&c, reach) <= FACTS_SECOND && hard_facts_cost(&c, reach + 1) > FACTS_SECOND),
          "%s: a second reaches %zu", name, reach);
}

static void test_cost(const char *name, const temper_model *m) {
    trap t;
    arena keep, one;
    temper_error e;
    arena_init(&keep, &t);
    arena_init(&one, &t);
    if (!trap_set(&t, &e)) {
        check_cost(name, m, &keep, &one);
        trap_clear(&t);
    } else {
        CHECK(false, "%s: %s", name, e.text);
    }
    arena_free(&keep);
    arena_free(&one);
}

/* Where all strings are run, and which lengths are easy: the last ones, and the first that are not. */
static void test_few(void) {
    temper_model m = {.channel_count = 1};
    m.letters.count = 2;
    CHECK(hard_facts_by_strings(&m, 11) && !hard_facts_by_strings(&m, 12), "4,095 strings of two letters");
    m.letters.count = 1; /* 160 * 161^2 and 161 * 162^2 */
    CHECK(hard_facts_by_strings(&m, 159) && !hard_facts_by_strings(&m, 160), "long strings of one letter");
    CHECK(hard_facts_easy(&m) == 62, "one channel: %zu", hard_facts_easy(&m));
    m.channel_count = 1000; /* 8^3 * 1000 and 9^3 * 1000 */
    CHECK(hard_facts_easy(&m) == 7, "1,000 channels: %zu", hard_facts_easy(&m));
    model_layer gates = {.in.count = 100};
    m = (temper_model){.layers = &gates, .layer_count = 1};
    CHECK(hard_facts_easy(&m) == 5, "100 units: %zu", hard_facts_easy(&m));
}

static void test_costs(void) {
    for (size_t k = 0; k < temper_gallery_count(); k++) {
        temper_gallery_info about;
        temper_model *m;
        if (temper_gallery_about(&about, k, NULL) || temper_gallery_model(&m, about.name, NULL)) continue;
        test_cost(about.name, m);
        temper_model_free(m);
    }
}

int main(void) {
    totals sum = {0};
    test_grids();
    test_few();
    test_costs();
    test_written(&sum);
    test_random_models(&sum);
    printf("%zu models, %zu lengths, %zu unable, %zu heads\n", sum.models, sum.lengths, sum.unable, sum.heads);
    CHECK(sum.heads > 1000 * test_effort() && sum.unable > 0, "too few were compared");
    return test_finish("t-choice-bound");
}
