#include "ordinary_page_parts.h"

#include <math.h>
#include <stdlib.h>

#include "number/format.h"

static const real F16_LARGEST = 65504;
static const real TURNED = 0x1p-22L;   /* sines and cosines of kernels */
static const real OWN_TRIG = 0x1p-30L; /* those of the audit, which adds it where it computes them */

typedef page_view view;
typedef page_row line;

static bool is_gpt2(const view *x) { return x->u->m->architecture == ORDINARY_GPT2; }
static real width_of(const lift_column *c) { return fmaxl(fabsl(c->low), fabsl(c->high)); }
static real count_of(const view *x) { return x->u->m->positions; }
static real head_root(const view *x) { return sqrtl(x->u->m->head_size); }

void page_ask(page_view *x, bool ok, const char *why) {
    if (!ok && !x->refused) x->refused = why;
}

/* ---- norms ---- */

void page_norm(page_view *x, uint32_t layer, bool net) {
    const lift *u = x->u;
    real d = u->m->width, epsilon = u->m->epsilon, letters = 0, sum, squares;
    for (uint32_t t = 0; t < 2 + u->letters; t++) {
        real own = 0;
        for (uint32_t c = 0; c < u->column_count; c++)
            own += u->columns[c].writer == LIFT_TOKEN ? u->columns[c].tokens[t] : 0;
        letters = fmaxl(letters, own);
    }
    sum = squares = letters;
    for (uint32_t c = 0; c < u->column_count; c++) {
        const lift_column *k = &u->columns[c];
        bool written = false;
        for (size_t j = 0; k->writer == LIFT_NET && j < u->step_count && !written; j++)
            for (size_t t = 0; t < u->steps[j].count; t++)
                written = written || (u->steps[j].terms[t].channel == c && u->steps[j].layer < layer);
        if (k->writer == LIFT_TABLE || k->writer == LIFT_HEAD)
            written = k->layer < layer + (net && k->writer == LIFT_HEAD);
        if (!written) continue;
        real most = width_of(k) * (1 + x->relative[c]) + x->error[c];
        sum += most;
        squares += most * most;
    }
    x->sum = sum;
    x->mean = x->common = x->own = 0;
    if (!is_gpt2(x)) {
        real pin = 0x1p30L;
        bool four = false;
        squares += 2 * d * U * squares; /* as they are in f32, and as some of them add up */
        for (uint32_t p = 1; p && p <= u->m->width; p *= 4) four = four || p == u->m->width;
        if (four && squares < 63 && epsilon < 0x1p-25L * pin / d) return;
        page_ask(x, squares <= 0x1p20L, "columns beside the pin");
        x->common = (squares + epsilon * d) / pin + 4 * U;
        x->own = 4 * U;
        return;
    }
    real pin = 0x1p13L;
    squares += sum * sum / u->zero_sums;
    x->mean = x->imbalance / d + (x->norms32 ? 4 * U : 0x1p-50L) * (2 * pin + 2 * sum);
    real spread = squares + 4 * sum * x->mean + d * x->mean * x->mean;
    x->common = (2 * spread + epsilon * d) / (4 * pin * pin) + (d / 2 + 8) * U;
    x->own = 4 * U;
    page_ask(x, x->common <= 0x1p-10L, "the norm");
}

/* ---- rows ---- */

/* The largest power of two that a number is a multiple of. */
static real low_bit(real x) {
    real bit = 1;
    if (x == 0) return 0;
    while (fmodl(x, bit) != 0) bit /= 2;
    while (fmodl(x, 2 * bit) == 0) bit *= 2;
    return bit;
}

/* The sizes of rows have the slack of the audit, those of columns have not. */
static bool is_strict;

void page_be_strict(bool strict) { is_strict = strict; }

/* f16 has all multiples of the grain up to the size. */
static bool is_f16(real size, real grain) {
    real most = 2048 * low_bit(grain);
    return low_bit(grain) >= 0x1p-24L && (is_strict ? size < most : size <= most);
}

bool page_is_back(real size, real error, real relative, real grain) {
    return is_f16(size, grain) && error + relative * grain < grain / 4096;
}

real page_rounded(real size, real error, real relative, real grain) {
    real off = error + relative * size, most = off + V * (size + off) + TINY;
    return is_f16(size, grain) && 2 * off < most ? 2 * off : most;
}

real page_zero_rounded(real zero) { return zero + fminl(zero, V * zero + TINY); }

bool page_row_is_back(const page_row *r, real relative, real grain) {
    return page_is_back(r->size, r->error, relative, grain) ||
           page_is_back(r->size, r->zero, relative + r->share, grain);
}

/* The constant 1 of a row is the pin, less the mean in a GPT-2, and may be rounded to f16. */
static real one_error(const view *x) {
    real off = x->own + (is_gpt2(x) ? x->mean / 0x1p13L : 0);
    return off + (x->vectors16 && !page_is_back(1, off, x->common, 1) ? 1.01L * V : 0);
}

static real cancelled(const view *x, const lift_form *f) {
    real up = f->one > 0 ? f->one : 0, down = f->one < 0 ? -f->one : 0, worst = 0;
    bool letters = true;
    for (size_t k = 0; k < f->count; k++) {
        const lift_column *c = &x->u->columns[f->terms[k].channel];
        real ends[2] = {(real)f->terms[k].weight * c->low, (real)f->terms[k].weight * c->high}, above = 0, below = 0;
        for (int end = 0; end < 2; end++) {
            if (ends[end] > above) above = ends[end];
            if (ends[end] < below) below = ends[end];
        }
        up += above;
        down -= below;
        if (c->writer != LIFT_TOKEN) letters = false;
    }
    if (!letters) return 2 * fminl(up, down);
    for (uint32_t t = 0; t < 2 + x->u->letters; t++) {
        real sum = f->one, sizes = fabsl(f->one);
        for (size_t k = 0; k < f->count; k++) {
            real product = (real)f->terms[k].weight * x->u->columns[f->terms[k].channel].tokens[t];
            sum += product;
            sizes += fabsl(product);
        }
        if (sum == 0 && sizes > worst) worst = sizes;
    }
    return worst;
}

/* Roundings of a sum of products: `by` may be rounded themselves; some of them add up to `part`, all to `whole`. */
static real added_up(real terms, real by, real part, real whole) {
    real sums = terms >= 2 ? (terms - 2) * part + (part < whole ? part : whole) : 0;
    return 1.01L * U * (by + sums);
}

static bool is_two_to(real w) { return w != 0 && low_bit(w) == fabsl(w); }

page_row page_read_row(const page_view *x, const lift_form *f) {
    const lift *u = x->u;
    line r = {0};
    bool strict = is_strict;
    is_strict = false;
    double low, high, grain = fabs(f->one);
    real products = fabsl(f->one), weights = 0, error = one_error(x) * fabsl(f->one), together = 0, apart = 0;
    bool exact = x->own == 0 && x->common == 0, all_powers = true;
    real above = f->one > 0 ? f->one : 0, below = f->one < 0 ? -f->one : 0, terms = f->count + (f->one != 0),
         by = x->common + one_error(x) > 0 ? 2 * fabsl(f->one) : 0;
    for (size_t k = 0; k < f->count; k++) {
        uint32_t at = f->terms[k].channel;
        const lift_column *c = &u->columns[at];
        real w = fabsl(f->terms[k].weight), size = width_of(c),
             off = x->error[at] + (x->relative[at] + x->own) * size, part = x->error[at];
        bool back = !c->mean && c->grain > 0;
        if (x->vectors16) {
            real seen = x->error[at] + x->mean, relative = x->relative[at] + x->own + x->common;
            back = back && page_is_back(size, seen, relative, c->grain);
            if (!back)
                off = fmaxl(off, page_rounded(size, seen, relative, c->mean ? 0 : c->grain));
            else /* a number that is not 0 is exact */
                off = fmaxl(off, page_zero_rounded(x->zero[at]));
        }
        if (size > 0) r.share = fmaxl(r.share, back ? part / c->grain + x->relative[at] + x->own : INFINITY);
        real ends[2] = {(real)f->terms[k].weight * c->low, (real)f->terms[k].weight * c->high};
        above += fmaxl(0, fmaxl(ends[0], ends[1]));
        below -= fminl(0, fminl(ends[0], ends[1]));
        if (!is_two_to(w)) by += w * (size + off);
        all_powers = all_powers && is_two_to(w);
        exact = exact && off == 0;
        apart += 2 * w * x->error[at];
        together += 2 * w * (x->zero[at] > 0 && x->vectors16 ? x->zero[at] + x->mean : x->zero[at]);
        error += w * off;
        products += w * (size + off);
        weights += w;
        grain = lift_common(grain, (double)w * c->grain);
    }
    real cancel = cancelled(x, f), roundings = (f->count + 2) * 1.01L * U;
    r.zero = (cancel == 0 ? together : apart) + cancel * (x->own + one_error(x) + roundings);
    if (is_gpt2(x)) {
        real kept = fabsl(f->rest) + 8 * U * weights;
        real left = x->mean * (x->vectors16 ? 2.01L * weights : kept);
        error += left;
        if (grain > 0) r.share += left / grain;
        terms += weights > 0;
        by += 2 * weights * x->mean;
        if (x->vectors16) kept = cancel > 0 ? 2.01L * weights : fabsl(f->rest) + 4.02L * V * weights;
        r.zero += x->mean * kept;
    }
    lift_range(u, f, &low, &high);
    r.size = fmaxl(fabsl(low), fabsl(high));
    exact = exact && products <= 0x1p24L * low_bit(grain);
    real more = error + 2 * weights * x->mean, scale = 1 + 2 * x->common;
    r.own = exact ? 0 : added_up(terms, by + more, fmaxl(above, below) * scale + more, r.size * scale + more);
    r.error = error + r.own;
    r.zero = fminl(r.zero, r.error);
    /* a GPT-2 has the ground, which may have the other sign; powers of two round no product */
    real adding = is_gpt2(x) ? terms + 1 : (terms > 1 ? terms - 1 : 0) + (all_powers ? 0 : 1);
    r.share += adding * 1.01L * U * (1 + r.share);
    if (f->one != 0 || (above > 0 && below > 0)) r.share = INFINITY;
    is_strict = strict;
    return r;
}

/* ---- heads ---- */

/* Of the angle of a pair at the last position. */
static real angle_off(const view *x, uint32_t pair) {
    return x->u->frequencies[pair] * count_of(x) * (3 * (real)pair + 4) * U;
}

static uint32_t pair_of(const view *x, uint32_t dimension) { return dimension % (x->u->m->head_size / 2); }

typedef struct factor {
    real size, error, turned;
} factor;

static factor read_factor(const view *x, const lift_form *f, uint32_t dimension, bool key) {
    line r = page_read_row(x, f);
    factor s = {.size = r.size};
    real relative = key ? x->common : 0, grain = lift_grain(x->u, f);
    bool mean = false;
    for (size_t k = 0; k < f->count; k++) mean = mean || x->u->columns[f->terms[k].channel].mean;
    if (x->u->frequencies) {
        s.turned = x->u->frequencies[pair_of(x, dimension)] * count_of(x);
        relative += s.turned * s.turned / 2 + angle_off(x, pair_of(x, dimension)) + 2 * TURNED;
    }
    if (mean) grain = 0;
    bool back = page_row_is_back(&r, relative + (key ? 0 : x->common), grain);
    if (x->cache16 && !back && !key) relative += x->common; /* others may be rounded back, and lose the scale */
    if (!x->cache16)
        s.error = r.error + relative * r.size;
    else if (!back)
        s.error = page_rounded(r.size, r.error, relative, grain);
    else /* a query may stay as it is */
        s.error = key ? page_zero_rounded(r.zero) : fmaxl(page_zero_rounded(r.zero), r.error + relative * r.size);
    return s;
}

enum { BY_QUERY = 1, BY_KEY = 2 };

static real score_off(const view *x, const lift_head *h, size_t from, size_t to, int by) {
    real off = 0, terms = (h->product_count + h->turn_count) * (x->u->frequencies ? 2 : 1) + 2;
    for (size_t k = from; k < to; k++) {
        const lift_product *p = &h->products[k];
        factor q = read_factor(x, &p->query, p->dimension, false), j = read_factor(x, &p->key, p->dimension, true);
        if (by & BY_KEY) off += (q.size + q.error) * j.error;
        if (by & BY_QUERY) off += j.size * q.error;
        off += terms * 1.01L * U * (q.size + q.error) * (j.size + j.error);
        real turns = q.size * j.size * q.turned;
        off += turns * (2 * TURNED + j.turned * (by & BY_QUERY ? 2 : 0.5L + 2 * V));
        off += (q.size + j.size) * q.turned * (TURNED + TINY + V * j.turned);
        for (size_t o = 0; x->u->frequencies && o < h->product_count; o++) { /* the key of another of the same pair */
            const lift_product *other = &h->products[o];
            if (o == k || pair_of(x, other->dimension) != pair_of(x, p->dimension)) continue;
            factor y = read_factor(x, &other->key, other->dimension, true);
            off += (q.size + q.error) * (y.size + y.error) * (q.turned + TURNED);
        }
    }
    return off / head_root(x);
}

real page_score_off(const page_view *x, const lift_head *h) {
    return score_off(x, h, 0, h->product_count, BY_QUERY | BY_KEY);
}

/* What an f16 cache cannot hold, or not add up; two numbers of a pair may turn into one. */
static void ask_f16(view *x, const lift_head *h) {
    uint32_t half = x->u->m->head_size / 2;
    real *sizes = calloc(2 * x->u->m->head_size, sizeof *sizes), *key = sizes + x->u->m->head_size;
    for (size_t v = 0; v < h->value_count; v++) {
        line r = page_read_row(x, &h->values[v].value);
        real size = r.size * (1 + x->common) + r.error;
        page_ask(x, !x->vectors16 || size <= F16_LARGEST, "a value beyond f16");
        page_ask(x, !x->cache16 || count_of(x) * size <= F16_LARGEST, "values beyond f16");
    }
    for (size_t k = 0; k < h->product_count; k++) {
        line q = page_read_row(x, &h->products[k].query), j = page_read_row(x, &h->products[k].key);
        sizes[h->products[k].dimension] = q.size * (1 + x->common) + q.error;
        key[h->products[k].dimension] = j.size * (1 + x->common) + j.error;
    }
    for (size_t k = 0; k < h->turn_count; k++) {
        const lift_turn *t = &h->turns[k];
        sizes[t->pair] = fabsl(t->first);
        sizes[t->pair + half] = fabsl(t->second);
        key[t->pair] = fabsl(t->key_weight);
    }
    for (uint32_t d = 0; x->cache16 && d < 2 * half; d++) {
        uint32_t partner = d < half ? d + half : d - half;
        real q = sizes[d] + (x->u->frequencies ? sizes[partner] : 0),
             j = key[d] + (x->u->frequencies ? key[partner] : 0);
        page_ask(x, q * (1 + V) <= F16_LARGEST, "a query beyond f16");
        page_ask(x, j * (1 + V) <= F16_LARGEST, "a key beyond f16");
    }
    free(sizes);
}

static real value_off(const view *x, const lift_head *h, real *size) {
    real worst = 0;
    *size = 0;
    for (size_t v = 0; v < h->value_count; v++) {
        line r = page_read_row(x, &h->values[v].value);
        real e = r.error + x->common * r.size, grain = lift_grain(x->u, &h->values[v].value);
        if (x->cache16)
            e = page_row_is_back(&r, x->common, grain) ? page_zero_rounded(r.zero)
                                                       : page_rounded(r.size, r.error, x->common, grain);
        worst = fmaxl(worst, e);
        *size = fmaxl(*size, r.size);
    }
    return worst;
}

static real chosen(view *x, const lift_head *h, real leak) {
    real size, e = value_off(x, h, &size), width = 0;
    page_ask(x, leak < 0.25L, "the leak");
    for (size_t v = 0; v < h->value_count; v++) {
        double low, high;
        lift_range(x->u, &h->values[v].value, &low, &high);
        width = fmaxl(width, fmaxl((real)high - low, fmaxl(fabsl(low), fabsl(high))));
    }
    real share = x->cache16 && leak >= 0x1p-13L ? V : 0;
    return 2.01L * leak * (width + e) + e + (4 * U + share) * (size + e);
}

static real once_off(view *x, const lift_head *h) {
    const lift_product *p = &h->products[0];
    real grain = lift_grain(x->u, &p->key), n = count_of(x), size, e = value_off(x, h, &size);
    real leak = grain == 0 ? 0
                           : n * expl(2 * score_off(x, h, 0, 1, BY_QUERY | BY_KEY) -
                                      (1 - x->common) * p->query.one * grain / head_root(x));
    page_ask(x, leak < 0.25L, "the leak of once");
    real error = 2.01L * leak * (1 + e) + e + (n + 8) * 1.01L * U * (size + e);
    if (!x->cache16) return error;
    line key = page_read_row(x, &p->key), value = page_read_row(x, &h->values[0].value);
    real turn = 0;
    if (x->u->frequencies) {
        uint32_t pair = pair_of(x, p->dimension);
        turn = powl(x->u->frequencies[pair] * n, 2) / 2 + angle_off(x, pair) + 2 * TURNED;
    }
    real differ = score_off(x, h, 0, 1, 0);
    real apart = 2 * (differ + leak), sums = 2.2L * n * V;
    if (apart < 0x1p-10L && sums > 20 * V) sums = 20 * V;
    real shares = 6 * differ + (apart < 0x1p-12L ? 0 : sums);
    page_ask(x, n * size < 2048, "candidates of once");
    page_ask(x, grain == 0 || page_is_back(key.size, key.error, x->common + turn, grain), "keys of once");
    page_ask(x, grain == 0 || page_is_back(value.size, value.error, x->common, 1), "values of once");
    page_ask(x, shares < 0.125L && n * leak < 0.125L && n * e < 0.125L, "weights of once");
    return error + (V + shares) * (size + e);
}

static double f16(real y) { return format_round(&format_f16, (double)y); }

/* The key of a position, after the cache: between what numbers each part of it lies. */
typedef struct ends {
    real low[2], high[2];
} ends;

/* Of a turned number of length 1 at a position: the angle's error there, and what else a kernel does. */
static real turned_off(const view *x, const lift_turn *t, real position) {
    return angle_off(x, t->pair) * position / count_of(x) + TURNED + OWN_TRIG + 4 * U + one_error(x);
}

static ends *ramp_keys(const view *x, const lift_turn *t) {
    ends *all = malloc(x->u->m->positions * sizeof *all);
    for (uint32_t j = 0; j < x->u->m->positions; j++)
        for (int part = 0; part < 2; part++) {
            real angle = (real)t->frequency * j, at = t->key_weight * (part ? sinl(angle) : cosl(angle));
            real off = fabsl(t->key_weight) * (turned_off(x, t, j) + x->common);
            all[j].low[part] = x->cache16 ? f16(at - off) : at - off;
            all[j].high[part] = x->cache16 ? f16(at + off) : at + off;
        }
    return all;
}

static real lesser(real x, real y) { return y < x ? y : x; } /* fminl takes most of the time of the test */

/* The longest way of a ramp from the first key to the row's own: numbers in the middle of where they may be, and how
   far they may be from there. */
static real longest_way(const view *x, const lift_head *h, const ends *keys) {
    const lift_turn *t = &h->turns[0];
    real longest = 0;
    for (uint32_t i = 1; i < x->u->m->positions; i++) {
        real angle = (real)t->frequency * i, way = 0, q[2] = {-t->second * sinl(angle), t->second * cosl(angle)};
        real query_off = hypotl(t->first, t->second) * turned_off(x, t, i) + TINY;
        for (int part = 0; part < 2; part++) {
            real off = query_off + (x->cache16 ? V * (fabsl(q[part]) + query_off) : 0);
            real low = keys[i].low[part] - keys[0].high[part], high = keys[i].high[part] - keys[0].low[part];
            real middle = (low + high) / 2, wide = (high - low) / 2;
            way += (h->last ? 1 : -1) * q[part] * middle;
            way += fabsl(q[part]) * wide + off * fmaxl(fabsl(low), fabsl(high));
        }
        longest = fmaxl(longest, way);
    }
    return longest;
}

/* The least step of a ramp from key to key. */
static real least_step(const view *x, const lift_head *h, real *span) {
    const lift_turn *t = &h->turns[0];
    uint32_t n = x->u->m->positions;
    real length = hypotl(t->first, t->second), least = INFINITY, w = t->frequency;
    ends *keys = ramp_keys(x, t);
    real sums =
        2 * (2 * (real)(h->product_count + h->turn_count) + 4) * 1.01L * U * length * fabsl(t->key_weight) * 1.5L;
    *span = longest_way(x, h, keys) * (1 + 0x1p-20L) + sums;
    for (uint32_t i = 1; i < n; i++) {
        real query_off = length * turned_off(x, t, i) + TINY;
        real q[2] = {-t->second * sinl(w * i), t->second * cosl(w * i)};
        for (uint32_t j = 1; j <= i; j++) {
            real step = 0;
            for (int part = 0; part < 2; part++) {
                real y = h->last ? q[part] : -q[part], worst = INFINITY;
                real off = query_off + (x->cache16 ? V * (fabsl(y) + query_off) : 0);
                for (int side = -1; side <= 1; side += 2) {
                    worst = lesser(worst, (y + side * off) * (keys[j].low[part] - keys[j - 1].high[part]));
                    worst = lesser(worst, (y + side * off) * (keys[j].high[part] - keys[j - 1].low[part]));
                }
                step += worst;
            }
            least = lesser(least, step);
        }
    }
    free(keys);
    return least - sums - 0x1p-20L * fabsl(least);
}

static real nearest_off(view *x, const lift_head *h) {
    real all = score_off(x, h, 0, h->content, BY_QUERY | BY_KEY);
    real keys = h->content > 1 ? all : score_off(x, h, 0, h->content, BY_KEY);
    real worth = lift_content_gap(x->u, h) / head_root(x), step, span;
    if (h->turn_count) {
        page_ask(x, x->u->m->positions <= 16385, "pairs of a ramp");
        page_ask(x, h->turn_count == 1 && h->turns[0].first == 0, "a ramp of one sine");
        if (x->refused) return 0;
        step = least_step(x, h, &span) / head_root(x);
        step -= fabsl(step) * x->common + 2 * keys;
        span /= head_root(x);
    } else {
        int by = BY_KEY;
        for (size_t k = 0; k < h->product_count; k++) { /* constants that are rounded back together, or not at all */
            line q = page_read_row(x, &h->products[k].query);
            bool back = page_row_is_back(&q, x->common, lift_grain(x->u, &h->products[k].query));
            if (h->products[k].query.count || (x->cache16 && !back)) by = BY_QUERY | BY_KEY;
        }
        real digits = score_off(x, h, h->content, h->product_count, by), slope = fabsl(h->slope) / head_root(x);
        step = slope * (1 - one_error(x) - x->common) - 2 * digits - 2 * keys;
        span = slope * (count_of(x) - 1) + 2 * digits;
    }
    real ahead = worth == 0 ? INFINITY : worth - span - fabsl(worth - span) * x->common - 2 * all;
    if (x->u->m->positions < 2) step = INFINITY;
    page_ask(x, step >= 2, "neighbours");
    page_ask(x, ahead >= 2, "content");
    return chosen(x, h, (expl(-step) + expl(-ahead)) / (1 - expl(-step)));
}

static real wave_at(const lift_turn *t, real distance) {
    return t->first * cosl(t->frequency * distance) - t->second * sinl(t->frequency * distance);
}

static real yesterday_off(view *x, const lift_head *h) {
    real leak = 0, r = head_root(x), size = x->u->m->head_size;
    if (h->turn_count) {
        real off = 0;
        for (size_t k = 0; k < h->turn_count; k++) {
            const lift_turn *t = &h->turns[k];
            real each = angle_off(x, t->pair) + 2 * TURNED + one_error(x) + x->common + 8 * U;
            if (x->cache16) {
                each += 1.01L * V;
                off += 2.01L * TINY * (fabsl(t->key_weight) + hypotl(t->first, t->second));
            }
            off += fabsl(t->key_weight) * hypotl(t->first, t->second) *
                   (2.01L * each + 2 * (size + 4) * 1.01L * U + 4 * OWN_TRIG);
        }
        for (uint32_t d = 0; d < x->u->m->positions; d++) {
            real behind = 0;
            for (size_t k = 0; k < h->turn_count; k++)
                behind += h->turns[k].key_weight * (wave_at(&h->turns[k], d) - wave_at(&h->turns[k], 1));
            if (d != 1) leak += expl((behind + 2 * off) / r);
        }
        return chosen(x, h, leak);
    }
    real off = score_off(x, h, 0, h->product_count, BY_QUERY | BY_KEY);
    uint32_t n = x->u->m->positions;
    const double *query[2], *key[2];
    for (size_t k = 0; k < 2; k++) {
        query[k] = lift_place(x->u, &h->products[2 + k].query);
        key[k] = lift_place(x->u, &h->products[2 + k].key);
    }
    for (uint32_t i = n > 4 ? n - 4 : 1; i < n; i++) { /* rows of each remainder by 4: the longest */
        real sum = 0;
        for (uint32_t j = 0; j <= i; j++) {
            real behind = h->slope * ((real)j - (i - 1));
            for (size_t k = 0; k < 2; k++) behind += (real)query[k][i] * ((real)key[k][j] - key[k][i - 1]);
            if (j + 1 != i) sum += expl((behind + fabsl(behind) * x->common) / r + 2 * off);
        }
        leak = fmaxl(leak, sum);
    }
    return chosen(x, h, leak);
}

static real wave_off(view *x, const lift_head *h) {
    const lift_turn *t = &h->turns[0];
    real k = fabsl(t->key_weight), length = hypotl(t->first, t->second), worst = 0;
    real share = 2 * one_error(x) + 2 * x->common + 8 * U + 2 * (x->u->m->head_size + 4) * 1.01L * U +
                 (x->cache16 ? 2.01L * V : 0);
    for (uint32_t i = 1; i < x->u->m->positions; i++) {
        real y = wave_at(t, i),
             off = k * length * (t->frequency * i * (3 * (real)t->pair + 4) * U + 6 * TURNED + OWN_TRIG);
        real plus = 0, sizes = 0;
        for (size_t j = 0; j < h->product_count; j++) { /* the sentinel is at distance i, by this pair, too */
            uint32_t pair = pair_of(x, h->products[j].dimension);
            real product = (real)h->products[j].query.one * h->products[j].key.terms[0].weight,
                 angle = x->u->frequencies[pair] * (real)i;
            plus += product * cosl(angle);
            sizes += fabsl(product);
            off += fabsl(product) * (angle * (3 * (real)pair + 4) * U + TURNED + OWN_TRIG);
            /* either factor may be so small that f16 has few bits of it */
            real tiny = x->cache16 ? TINY : 0;
            off +=
                fabsl((real)h->products[j].query.one) * tiny + fabsl((real)h->products[j].key.terms[0].weight) * tiny;
        }
        off += (k * fabsl(y) + sizes) * share + (x->cache16 ? (k + length) * TINY : 0);
        real score = (fabsl(t->key_weight * y + plus) - off) / head_root(x);
        page_ask(x, score >= 2, "a wave");
        worst = fmaxl(worst, count_of(x) * expl(-score));
    }
    return chosen(x, h, worst);
}

static real mean_off(view *x, const lift_head *h) {
    real n = count_of(x), worst = 0;
    for (size_t k = 0; k < h->value_count; k++) {
        const lift_value *v = &h->values[k];
        line r = page_read_row(x, &v->value);
        real e = r.error + x->common * r.size, grain = lift_grain(x->u, &v->value);
        real error = v->scale * (e + (n + 4) * 1.01L * U * (r.size + e)), relative = 0;
        if (x->cache16) {
            page_ask(x, n * r.size < 2048 * low_bit(grain), "sums of a mean");
            page_ask(x,
                     page_is_back(r.size, r.error, x->common, grain) &&
                         n * page_zero_rounded(r.zero) < grain * 0x1p-17L,
                     "values of a mean");
            error = v->scale * 8 * page_zero_rounded(r.zero);
            relative = V + 8 * U;
        }
        if (x->vectors16) {
            error = error * (1 + V) + v->scale * TINY;
            relative += 1.01L * V;
        }
        x->error[v->column] = x->zero[v->column] = error;
        x->relative[v->column] = relative;
        worst = fmaxl(worst, error);
    }
    return worst;
}

static real compare_off(view *x, const lift_head *h) {
    const lift_product *p = &h->products[0];
    uint32_t column = p->query.terms[0].channel;
    real w = p->query.terms[0].weight, key = p->key.terms[0].weight, n = count_of(x), r = head_root(x);
    real relative = x->relative[column] + x->own + 2 * x->common + 8 * U, error = x->error[column];
    if (is_gpt2(x)) error += x->mean * (x->vectors16 ? 2.01L : fabsl(p->query.rest) / fabsl(w) + 8 * U);
    if (x->vectors16) relative += 1.01L * V, error += TINY;
    if (x->u->frequencies) {
        uint32_t pair = pair_of(x, p->dimension);
        relative += powl(x->u->frequencies[pair] * n, 2) + 4 * TURNED + 2 * angle_off(x, pair);
    }
    if (x->cache16) relative += 1.01L * V, error += TINY / w;
    real key_off = read_factor(x, &p->key, p->dimension, true).error;
    real score = w * (lift_least_mean(x->u, column) * (1 - relative) - error) * (key - key_off) / r;
    score *= 1 - (x->u->m->head_size + 4) * 1.01L * U;
    /* letters have a key of 0 */
    real zero = page_read_row(x, &p->key).zero, most = lift_most_mean(x->u, column) * (1 + relative) + error;
    real others = w * most * 2.01L * (x->cache16 ? page_zero_rounded(zero) : zero) / r;
    page_ask(x, score - others >= 2, "a sign");
    return chosen(x, h, n * expl(2 * others - score));
}

/* What rounding to f16 adds to the values of a head, before they are mixed. */
static real mixed(const view *x, const lift_head *h, real error) {
    real most = 0;
    for (size_t v = 0; x->vectors16 && v < h->value_count; v++) {
        line r = page_read_row(x, &h->values[v].value);
        real grain = lift_grain(x->u, &h->values[v].value), by = V * (r.size + error) + TINY;
        if (grain == 0 || page_is_back(r.size, error, 0, grain))
            by = V * error + TINY;
        else if (is_f16(r.size, grain))
            by = fminl(by, error);
        most = fmaxl(most, by);
    }
    return error + most;
}

real page_head(page_view *x, const lift_head *h) {
    real error = 0, wrote;
    ask_f16(x, h);
    switch (h->role) {
    case LIFT_MEAN: return mean_off(x, h);
    case LIFT_ONCE: error = once_off(x, h); break;
    case LIFT_NEAREST: error = nearest_off(x, h); break;
    case LIFT_YESTERDAY: error = yesterday_off(x, h); break;
    case LIFT_WAVE: error = wave_off(x, h); break;
    case LIFT_COMPARE: error = compare_off(x, h); break;
    case LIFT_WEIGHED: return page_weighed(x, h);
    case LIFT_LOOKUP: error = chosen(x, h, page_lookup_leak(x, h)); break;
    }
    wrote = mixed(x, h, error);
    for (size_t v = 0; v < h->value_count; v++) {
        x->error[h->values[v].column] = x->zero[h->values[v].column] = wrote;
        x->relative[h->values[v].column] = 0;
    }
    return error;
}

/* ---- layers ---- */

static void take_attention(view *x, uint32_t layer, real *errors) {
    const lift *u = x->u;
    real total = 0, rest = 0, values = 0;
    for (size_t k = 0; k < u->head_count; k++) {
        const lift_head *h = &u->heads[k];
        if (h->layer != layer) continue;
        errors[k] = fmaxl(errors[k], page_head(x, h));
        for (size_t v = 0; v < h->value_count; v++) {
            real size = width_of(&u->columns[h->values[v].column]) + 1;
            total += size;
            rest += fabsl(h->values[v].rest) * size / h->values[v].scale;
            values++;
        }
    }
    x->imbalance += 2 * (values + 4) * 1.01L * U * total + 4 * U * x->sum + rest;
}

/* What f16 makes of a number from 32 on. */
static real in_f16(real y) {
    int e;
    frexpl(y, &e);
    real unit = ldexpl(1, e - 11);
    return rintl(y / unit) * unit;
}

/* What a step adds to each column is off by the first number, and by `none` where it is 0; its two products are up
   to `product`. */
static real step_off(view *x, const lift_step *s, real *product, real *none) {
    line r = page_read_row(x, &s->sum);
    bool llama = !is_gpt2(x);
    real off = r.error + x->common * r.size, sure = 32 - off - 32 * x->common - LIFT_GATE * one_error(x),
         scale = x->common + one_error(x);
    double low, high;
    lift_range(x->u, &s->sum, &low, &high);
    page_ask(x, sure >= (llama ? 17 : 10), "a step");
    page_ask(x, !x->vectors16 || r.size + LIFT_GATE + off <= F16_LARGEST, "a step beyond f16");
    real unit = 2 * r.own + LIFT_GATE * scale, most = (high > 0 ? high : 0) + off;
    *none = llama ? 4.04L * sure * expl(-sure) : 0;
    *product = most + *none;
    if (llama && scale > 0) unit += LIFT_GATE * (scale + 3 * U) + 2 * U * most; /* times 1, which is exact or not */
    unit += *none;
    /* the arguments of a step are a and a - 64: each as f16 leaves it, or both moved by roundings alone */
    real moved = 0;
    for (real a = 96; x->vectors16 && a <= high + 32; a += 32) {
        real two[2] = {a, a - 64}, left = 0, roundings = 0;
        for (int k = 0; k < 2; k++) {
            real said = k ? off + LIFT_GATE * one_error(x) : off; /* and times what is 1 in a Llama */
            if (llama && scale > 0) said += (two[k] + said) * (scale + 3 * U);
            left += fmaxl(two[k] - in_f16(two[k] - said), in_f16(two[k] + said) - two[k]);
            roundings += fminl(V * (two[k] + said), said);
        }
        moved = fmaxl(moved, fminl(left, roundings));
    }
    return unit + moved;
}

void page_net(page_view *x, uint32_t layer, arena *a) {
    const lift *u = x->u;
    real *added = arena_zalloc(a, u->column_count, sizeof *added),
         *sizes = arena_zalloc(a, u->column_count, sizeof *sizes);
    real *count = arena_zalloc(a, u->column_count, sizeof *count),
         *nothing = arena_zalloc(a, u->column_count, sizeof *nothing),
         *inexact = arena_zalloc(a, u->column_count, sizeof *inexact);
    real total = 0, rest = 0, products = 0, product, none;
    for (size_t k = 0; k < u->step_count; k++) {
        const lift_step *s = &u->steps[k];
        if (s->layer != layer) continue;
        real unit = step_off(x, s, &product, &none);
        for (size_t j = 0; j < s->count; j++) {
            real w = fabsl(s->terms[j].weight) / LIFT_GATE;
            added[s->terms[j].channel] += w * unit;
            nothing[s->terms[j].channel] += 1.01L * w * none;
            sizes[s->terms[j].channel] += 2 * w * product;
            if (!is_two_to(w)) inexact[s->terms[j].channel] += 2 * w * product;
            count[s->terms[j].channel] += 2;
            total += 2 * w * product;
        }
        rest += fabsl(s->rest) * 2 * product;
        products += 2;
    }
    for (uint32_t c = 0; c < u->column_count; c++)
        if (count[c] > 0) {
            bool earlier = u->columns[c].writer != LIFT_NET;
            for (size_t j = 0; j < u->step_count; j++)
                for (size_t t = 0; t < u->steps[j].count; t++)
                    earlier = earlier || (u->steps[j].terms[t].channel == c && u->steps[j].layer < layer);
            real size = width_of(&u->columns[c]), whole = (earlier ? 2 : 1) * size + added[c];
            x->error[c] +=
                added[c] + added_up(count[c], inexact[c], sizes[c], whole) + (earlier ? U * (size + 1) : 0);
            x->zero[c] += nothing[c];
            if (u->columns[c].returns) x->zero[c] = x->error[c]; /* two steps may cancel out */
        }
    x->imbalance += 2 * (products + 4) * 1.01L * U * total + 4 * U * x->sum + rest;
}

/* Of a row of an embedding, without the two pins. */
static real row_imbalance(const lift *u, const float *row, real *size) {
    real sum = 0, all = 0;
    for (uint32_t k = 2; k < u->m->width; k++) {
        sum += row[k];
        all += fabsf(row[k]);
    }
    *size = fmaxl(*size, all);
    return fabsl(sum) + 0x1p-40L * all;
}

real page_embedding(const lift *u) {
    const struct ordinary_model *m = u->m;
    real tokens = 0, places = 0, size[2] = {0};
    if (m->architecture != ORDINARY_GPT2) return 0;
    for (size_t t = 0; t < m->vocabulary; t++)
        tokens = fmaxl(tokens, row_imbalance(u, m->token_embedding + t * m->width, &size[0]));
    for (size_t i = 0; i < m->positions; i++)
        places = fmaxl(places, row_imbalance(u, m->position_embedding + i * m->width, &size[1]));
    return tokens + places + U * (size[0] + size[1]);
}

static void take_kernels(ordinary_page *out, view x, arena *a) {
    const lift *u = x.u;
    x.error = arena_zalloc(a, u->column_count, sizeof *x.error);
    x.zero = arena_zalloc(a, u->column_count, sizeof *x.zero);
    x.relative = arena_zalloc(a, u->column_count, sizeof *x.relative);
    x.number = arena_zalloc(a, u->column_count, sizeof *x.number);
    x.imbalance = page_embedding(u);
    for (uint32_t l = 1; l <= u->m->layer_count; l++) {
        page_norm(&x, l, false);
        take_attention(&x, l, out->errors);
        page_norm(&x, l, true);
        page_net(&x, l, a);
    }
    page_norm(&x, u->m->layer_count + 1, false);
    for (uint32_t t = 0; t < u->m->vocabulary; t++) {
        line r = page_read_row(&x, &u->logits[t]);
        out->logits = fmaxl(out->logits, r.error + x.common * r.size);
    }
    if (!out->refused) out->refused = x.refused;
}

ordinary_page ordinary_page_bounds(const lift *u, bool f16_weights, bool f16_cache, arena *a) {
    ordinary_page out = {.errors = arena_zalloc(a, u->head_count, sizeof *out.errors)};
    take_kernels(&out, (view){.u = u, .vectors16 = f16_weights, .cache16 = f16_cache}, a);
    take_kernels(&out, (view){.u = u, .norms32 = true}, a);
    return out;
}
