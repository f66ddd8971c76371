/* Hard choices at their edges: which rows break ties (doc/certificate.md, "Errors of scores"), the share of losers in
   every case of "Shares of a softmax row", and which sums are exact. Each is asked on either side of every condition;
   shares are computed a second time in long double, key by key. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/choice_share.h"
#include "bound/choice_tie_break.h"
#include "bound_page.h"
#include "test.h"

static arena memory;
static trap no_memory;

/* ---- tie-breaks ---- */

typedef struct tie_case {
    const char *query, *key;         /* features */
    const char *query_row, *key_row; /* terms */
    const char *embedded;            /* of the letter a */
    const char *choice;
    double step; /* 0: none */
} tie_case;

static temper_model *tie_model(const tie_case *c, bool end) {
    char written[1500];
    snprintf(
        written, sizeof written,
        "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nend %s\nchannel 0 \"x\"\nchannel 1 \"q\" position "
        "\"%s\"\n"
        "channel 2 \"k\" soft \"%s\"\nchannel 3 \"y\"\nembed \"a\" %s\nembed \"b\" 0:1\nembed start\nembed end 0:1\n"
        "layer 1\nhead \"h\" mask all choice softmax for %s\n query 0:1\n query %s\n key 0:1\n key %s\n"
        " value 0:1\n value 0:1\n output 3:1\nread 3:1\n",
        end ? "yes" : "no", c->query, c->key, c->embedded, c->choice, c->query_row, c->key_row);
    char *values = strstr(written, " value 0:1\n value");
    memmove(values, values + 11, strlen(values + 11) + 1); /* one value row */
    temper_model *m = NULL;
    temper_error e;
    CHECK(temper_model_read(&m, written, strlen(written), &e) == TEMPER_OK, "%s\n%s", e.text, written);
    return m;
}

static double step_of(const temper_model *m, size_t length, const unsigned char *written, const number_format *f) {
    return tie_break_find(m, &m->layers[0].heads[0], length, written, f).step;
}

static void check_tie(const tie_case *c) {
    const unsigned char none[4] = {0};
    for (int end = 0; end < 2; end++) {
        temper_model *m = tie_model(c, end);
        if (!m) return;
        tie_break t = tie_break_find(m, &m->layers[0].heads[0], 4, none, &format_f64);
        CHECK(t.step == c->step && (t.step == 0 || t.row == 1),
              "query %s, key %s, rows %s and %s, %s: step %a, not %a", c->query, c->key, c->query_row, c->key_row,
              c->choice, t.step, c->step);
        if (c->step != 0)
            for (uint32_t k = 0; k < 4; k++) {
                unsigned char written[4] = {0};
                written[k] = 1;
                CHECK((step_of(m, 4, written, &format_f64) == 0) == (k == 1 || k == 2), "channel %u is written", k);
            }
        temper_model_free(m);
    }
}

static void check_ties(void) {
    static const tie_case cases[] = {
        {"1", "i", "1:1", "2:1", "0:1", "rightmost", 1},
        {"1", "i", "1:1", "2:1", "0:1", "leftmost", 0},
        {"1", "i", "1:0.5", "2:1", "0:1", "leftmost", 0},
        {"1", "i", "1:-1", "2:1", "0:1", "leftmost", 1},
        {"1", "i", "1:-1", "2:1", "0:1", "rightmost", 0},
        {"3", "i*0.5", "1:0.25", "2:-1", "0:1", "leftmost", 0.375},
        {"0", "i", "1:1", "2:1", "0:1", "rightmost", 0}, /* a step of 0 breaks nothing */
        {"0", "i", "1:1", "2:1", "0:1", "leftmost", 0},
        {"1", "0", "1:1", "2:1", "0:1", "rightmost", 0},
        {"1", "i", "1:1", "2:1", "0:1", "average", 0},
        {"1", "i + 1", "1:1", "2:1", "0:1", "rightmost", 0}, /* not through 0 */
        {"1", "i*i", "1:1", "2:1", "0:1", "rightmost", 0},
        {"i", "i", "1:1", "2:1", "0:1", "rightmost", 0},
        {"N", "i", "1:1", "2:1", "0:1", "rightmost", 0}, /* another one at another length */
        {"1", "i*N", "1:1", "2:1", "0:1", "rightmost", 0},
        {"1 + [N = 2]", "i", "1:1", "2:1", "0:1", "rightmost", 0},
        {"1 + [n = 0]", "i", "1:1", "2:1", "0:1", "rightmost", 0}, /* only at the shortest length */
        {"1", "i + [n = 1]*i", "1:1", "2:1", "0:1", "rightmost", 0},
        {"1", "i + [n = 4]*[i = 4]", "1:1", "2:1", "0:1", "rightmost", 0}, /* only at the last position */
        {"1 + [n = 4]*[i = 4]", "i", "1:1", "2:1", "0:1", "rightmost", 0},
        {"1 + [i = 0]", "i", "1:1", "2:1", "0:1", "rightmost", 0},
        {"1 + [i = 1]", "i", "1:1", "2:1", "0:1", "rightmost", 0},
        {"1", "i + [i = 0]", "1:1", "2:1", "0:1", "rightmost", 0},
        {"1", "i", "1:1", "2:1", "2:1", "rightmost", 0}, /* in the embedding */
        {"1", "i", "1:1", "2:1", "1:1", "rightmost", 0},
        {"1", "i", "1:1", "2:1", "0:1 3:1", "rightmost", 1},
        {"1", "i", "0:1 1:1", "2:1", "0:1", "rightmost", 0}, /* two terms */
        {"1", "i", "1:1", "0:1 2:1", "0:1", "rightmost", 0},
        {"0x1p-900", "i", "1:1", "2:1", "0:1", "rightmost", 0x1p-900},
        {"0x1p-450", "i*0x1p-450", "1:1", "2:1", "0:1", "rightmost", 0x1p-900},
        {"0x1p-450", "i*0x1p-451", "1:1", "2:1", "0:1", "rightmost", 0},
        {"0x1.8p-451", "i*0x1p-450", "1:1", "2:1", "0:1", "rightmost", 0},
        {"1", "i*0x1p-901", "1:1", "2:1", "0:1", "rightmost", 0},
        {"0.1", "i*0.1", "1:1", "2:1", "0:1", "rightmost", 0}, /* no double */
        {"1e300", "i*1e300", "1:1", "2:1", "0:1", "rightmost", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_tie(&cases[k]);
    const tie_case shortest = {"1", "i + [n = 0]*i", "1:1", "2:1", "0:1", "rightmost", 1};
    for (int end = 0; end < 2; end++) { /* the empty string has a position 1 only with an end sentinel */
        temper_model *m = tie_model(&shortest, end);
        if (m) CHECK((step_of(m, 4, (unsigned char[4]){0}, &format_f64) == 0) == end, "of the empty string");
        temper_model_free(m);
    }
    /* All numbers must be numbers of the format, up to the last position of the length. */
    const unsigned char none[4] = {0};
    temper_model *m = tie_model(&cases[0], false), *with_end = tie_model(&cases[0], true);
    for (size_t length = 0; length <= 40 && m && with_end; length++) {
        CHECK((step_of(m, length, none, &format_e4m3) > 0) == (length <= 16), "e4m3 has %zu", length);
        CHECK((step_of(with_end, length, none, &format_e4m3) > 0) == (length <= 15), "e4m3 has %zu, and an end",
              length);
        CHECK((step_of(m, length, none, &format_e5m2) > 0) == (length <= 8), "e5m2 has %zu", length);
    }
    temper_model_free(m);
    temper_model_free(with_end);
    static const tie_case fine[] = {{"1.125", "i", "1:1", "2:1", "0:1", "rightmost", 1.125},
                                    {"1", "i", "1:1.125", "2:1", "0:1", "rightmost", 1.125},
                                    {"1", "i", "1:1", "2:1.125", "0:1", "rightmost", 1.125},
                                    {"1", "i*1.125", "1:1", "2:1", "0:1", "rightmost", 1.125},
                                    {"1.25", "i", "1:1.25", "2:1", "0:1", "rightmost", 1.5625},
                                    {"1", "i*1.25", "1:1", "2:1.25", "0:1", "rightmost", 1.5625}};
    for (size_t k = 0; k < sizeof fine / sizeof *fine; k++) {
        m = tie_model(&fine[k], false);
        if (!m) continue;
        bool product = k >= 4;
        CHECK(step_of(m, 2, none, &format_f16) == fine[k].step, "f16 holds all of case %zu", k);
        CHECK(step_of(m, 1, none, &format_e4m3) == (product ? 0 : fine[k].step), "e4m3 holds case %zu: %d", k,
              !product);
        CHECK(step_of(m, 1, none, &format_e5m2) == 0, "e5m2 does not hold case %zu", k);
        temper_model_free(m);
    }
}

/* ---- shares ---- */

static const temper_type TYPES[] = {TEMPER_TYPE_F64,  TEMPER_TYPE_F32,      TEMPER_TYPE_BF16, TEMPER_TYPE_F16,
                                    TEMPER_TYPE_E4M3, TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E5M2};

static real of_losers(real r) { return r / (1 + r); }
static real single(uint64_t n, real below) { return of_losers((real)(n - 1) * expl(-below)); }

/* Line 3: key by key. */
static real by_step(uint64_t n, real u, real scale, real step, real gap, real off) {
    real r = 0, others = (real)n - 1;
    if (n == 1) return 0;
    if (scale * (step - off) * (1 - u) <= 0 || (isfinite(gap) && scale * (gap - step * others - off) * (1 - u) <= 0))
        return 1;
    for (uint64_t d = 1; d < n; d++) {
        real x = gap >= step * (real)n ? step * (real)d : gap - step * (real)d;
        r += expl(-scale * (x - off) * (1 - u));
    }
    return of_losers(r);
}

static real tied(uint64_t n, real within, real below, bool losers) {
    real a = expl(-within), q = losers ? a * (real)(n - 1) * expl(-below) : 0, b = -expm1l(-within);
    real root = expl((log1pl(q) - within) / 2), rest = -expm1l((log1pl(q) - within) / 2); /* of c, and 1 less it */
    if (within == 0) return q / (q + a);
    if (within < 0x1p-40L) return within / 4 + q / a;
    if (root * rest / b > q) return rest * rest / b + q;
    return q / (q + a);
}

/* Where exp ends, tried number by number from about there. */
static real ends_at(const number_format *f) {
    double z = format_round(f, (double)(logl(2) - logl(f->least)));
    while (format_exp(f, -z) > 0) z = format_next(f, z, true);
    while (format_exp(f, -format_next(f, z, false)) == 0) z = format_next(f, z, false);
    return z;
}

static real page_share(const share_problem *p, const page *g, uint64_t n, real tie, real lose, real S, bool *unable) {
    real u = g->ua, gap = p->gap, scale = p->scale, below = scale * (gap - lose) * (1 - u);
    bool settled = p->single || tie == 0, apart = isinf(p->gap) || gap > lose, losers = isfinite(p->gap);
    *unable = false;
    if (p->h->choice != TEMPER_CHOICE_SOFTMAX) return settled && apart ? 0 : 1;
    if (p->h->adaptive) {
        real e = powl(1 + u, 8) - 1, ma = ldexpl(1, 1 - g->a->bias), fa = g->a->largest;
        *unable = !settled || !apart || powl(1 + u, 9) > 2 || scale < 4 * ma * (S + (real)n) ||
                  (losers && scale * ((2 * S + 1) / (gap - lose) + 1) > fa / 4);
        if (p->h->hard_choice == TEMPER_CHOICE_AVERAGE) return losers ? single(n, scale * (1 - e)) : 0;
        return by_step(n, u, scale, 1 / (real)n, 1, 2 * e);
    }
    real z = ends_at(g->a), others = (real)n - 1;
    bool silent = !losers || scale * (gap - p->step * others - lose) >= z;
    if (silent && (p->single || (p->step > 0 && scale * (p->step - lose) >= z))) return 0;
    if (p->step > 0) {
        real share = by_step(n, u, scale, p->step, gap, lose);
        real favoured = scale * (gap - p->step * ((real)n - 1) - lose) * (1 - u);
        if (p->single && losers && favoured > 0) share = fminl(share, single(n, favoured));
        return share;
    }
    if (losers && below <= 0) return 1;
    if (p->single) return losers ? single(n, below) : 0;
    if (p->h->hard_choice != TEMPER_CHOICE_AVERAGE) return 1;
    return tied(n, scale * tie * (1 + u), below, losers && !silent);
}

static void check_share(const share_problem *given, temper_type type, uint64_t n, double tie, double lose, double S) {
    bounds b;
    bool unable;
    share_problem p = *given;
    bounds_init(&b, number_type_of(type), number_type_is_emulated(type), n, &memory);
    rounding_rules rules = rounding_rules_of(&b);
    page g = page_of(type, n);
    p.tie_off = b_double(&b, tie);
    p.lose_off = b_double(&b, lose);
    p.largest = b_double(&b, S);
    real share = fminl(1, page_share(&p, &g, n, tie, lose, S, &unable));
    const ball *found = share_bound(&p, &rules);
    double x = b_upper(&b, found);
    bool fine = unable ? !b_is_finite(&b, found) : fabsl(x - share) <= 1e-10L * share + 0x1p-1070L;
    CHECK(fine,
          "choice %d for %d%s%s in %s: N %llu, gap %g, scale %g, step %g, off %g and %g, S %g: %.15g, not %.15Lg%s",
          (int)p.h->choice, (int)p.h->hard_choice, p.h->adaptive ? " adaptive" : "", p.single ? " single" : "",
          temper_type_name(type), (unsigned long long)n, p.gap, p.scale, p.step, tie, lose, S, x, share,
          unable ? " (unable)" : "");
    arena_reset(&memory);
}

static void check_shares(void) {
    static const temper_choice choices[] = {TEMPER_CHOICE_LEFTMOST, TEMPER_CHOICE_RIGHTMOST, TEMPER_CHOICE_AVERAGE};
    static const double gaps[] = {1, 0.25, 6, INFINITY}, scales[] = {0.5, 20, 300}, steps[] = {0, 0.03125, 0.25, 1},
                        offs[] = {0, 0x1p-45, 0.01, 0.25};
    for (size_t t = 0; t < sizeof TYPES / sizeof *TYPES; t++)
        for (size_t k = 0; k < 3 * 2 * 2 * 2; k++) {
            model_head h = {.choice = k / 3 % 2 ? TEMPER_CHOICE_SOFTMAX : choices[k % 3],
                            .hard_choice = choices[k % 3]};
            h.adaptive = k / 3 % 2 && k / 6 % 2;
            for (size_t v = 0; v < 4 * 3 * 4 * 4; v++) {
                share_problem p = {.h = &h, .single = k / 12 % 2, .gap = gaps[v % 4], .scale = scales[v / 4 % 3]};
                p.step = h.adaptive ? 0 : steps[v / 12 % 4];
                double off = offs[v / 48];
                for (uint64_t n = 1; n <= 9; n += n < 3 ? 1 : 3) {
                    check_share(&p, TYPES[t], n, off, off, 3);
                    check_share(&p, TYPES[t], n, 0, off, 3);
                }
            }
            if (!h.adaptive) continue;
            double fa = number_type_of(TYPES[t])->accumulation->largest,
                   ma = ldexp(1, 1 - number_type_of(TYPES[t])->accumulation->bias);
            for (int S = 0; S < 4; S += 3) { /* where scales are too large or too small */
                share_problem p = {.h = &h, .single = true, .gap = 0.5};
                double most = fa / 4 / ((2 * S + 1) / 0.5 + 1), least = 4 * ma * (S + 2);
                for (int side = -1; side <= 1; side += 2) {
                    p.scale = most * (1 + 1e-6 * side);
                    check_share(&p, TYPES[t], 2, 0, 0, S);
                    p.scale = least * (1 + 1e-6 * side);
                    check_share(&p, TYPES[t], 2, 0, 0, S);
                    p.gap = INFINITY;
                    p.scale = fa / 3;
                    check_share(&p, TYPES[t], 2, 0, 0, S);
                    p.gap = 0.5;
                }
            }
        }
}

/* ---- sums ---- */

static void check_fits(temper_type type, bool guess) {
    bounds b;
    (guess ? bounds_guess : bounds_init)(&b, number_type_of(type), number_type_is_emulated(type), 7, &memory);
    rounding_rules r = rounding_rules_of(&b);
    const number_format *formats[] = {b.s, b.a};
    for (size_t k = 0; k < 2; k++) {
        const number_format *f = formats[k];
        int least = ilogb(f->least), grids[] = {least - 1, least, least + 1, -1, 0, 3};
        for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
            double top = fmin(ldexp(1, grids[g] + f->precision), f->largest);
            for (int side = -1; side <= 1; side++) {
                double x = side ? nextafter(top, side > 0 ? INFINITY : 0) : top;
                if (!isfinite(x)) continue;
                bool page_says = grids[g] >= least && x <= ldexp(1, grids[g] + f->precision) && x <= f->largest;
                CHECK(sum_fits(&r, b_double(&b, x), grids[g], f) == page_says, "%s: %a on 2^%d", f->name, x,
                      grids[g]);
            }
        }
        CHECK(sum_fits(&r, b.zero, GRID_NONE, f) && !sum_fits(&r, b.one, GRID_NONE, f) &&
                  sum_has_room(&r, b_double(&b, f->largest / 2), f) &&
                  !sum_has_room(&r, b_double(&b, nextafter(f->largest / 2, INFINITY)), f),
              "%s: no grid, and room", f->name);
    }
    arena_reset(&memory);
}

int main(void) {
    if (trap_set(&no_memory, NULL)) return 1;
    arena_init(&memory, &no_memory);
    check_ties();
    check_shares();
    for (temper_type type = TEMPER_TYPE_F64; number_type_of(type); type++)
        for (int guess = 0; guess < 2 && type != TEMPER_TYPE_EXACT; guess++) check_fits(type, guess);
    arena_free(&memory);
    return test_finish("t-choice-edges");
}
