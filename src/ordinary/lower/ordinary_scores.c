/* Queries and keys, one function per role (doc/ordinary.md, "Heads"). Scores are divided by the root of head_size,
   which queries make up for. Weights have few bits, so that f16 holds them, and large factors are split between query
   and key, so that both stay below what f16 holds. */
#include <math.h>

#include "number/elementary.h"
#include "number/trig.h"
#include "ordinary/lower/ordinary_plan.h"

/* The least number of six bits that is not below x. */
static double up(double x) {
    int e;
    frexp(x, &e);
    return ldexp(ceil(ldexp(x, 6 - e)), e - 6);
}

static double root(const score_writer *w) { return sqrt((double)w->plan->head_size); }
static double lambda(const score_writer *w) { return log_f64(plan_positions(w->plan)) + ORDINARY_KAPPA; }

static void put(const score_writer *w, float *matrix, uint32_t dimension, const ordinary_form *f, double factor) {
    ordinary_put_form(w->plan, matrix + (size_t)dimension * w->width, f, factor);
}

/* One product of content. */
static void content(score_writer *w, const ordinary_form *query, double q, const ordinary_form *key, double k) {
    uint32_t d = plan_content_dimension(w->plan, w->row);
    w->hint->dimensions[w->row++] = d;
    put(w, w->query, d, query, q);
    put(w, w->key, d, key, k);
}

static const ordinary_form ONE = {.one = 1};

/* amplitude cos(frequency (i - j) - phase), where j has the key. */
static void turning(const score_writer *w, uint32_t pair, double amplitude, double phase, const ordinary_form *key,
                    double k) {
    uint32_t half = w->plan->head_size / 2;
    put(w, w->query, pair, &ONE, amplitude * cos_f64(phase) / k);
    put(w, w->query, pair + half, &ONE, -amplitude * sin_f64(phase) / k);
    put(w, w->key, pair, key, k);
}

static ordinary_form start_form(const score_writer *w, model_term *term) {
    *term = (model_term){w->plan->start, 1};
    return (ordinary_form){.terms = term, .count = 1};
}

static void once(score_writer *w) {
    content(w, &w->head->query[0], up(lambda(w) * root(w) / 8), &w->head->key[0], 8);
}

/* ln of the start sentinel's weight in two parts, since f16 holds only eleven bits of it. */
static void weighed(score_writer *w) {
    model_term term;
    ordinary_form start = start_form(w, &term);
    double all = log_f64(w->head->weight) * root(w), most = rint(all * 16) / 16;
    content(w, &ONE, most, &start, 1);
    content(w, &ONE, (double)(float)((all - most) * 256), &start, 0x1p-8);
}

static void compare(score_writer *w) {
    double scale = 1, k = 1;
    const ordinary_form *query = &w->head->query[0];
    for (size_t t = 0; t < query->count; t++) scale = fmin(scale, w->plan->columns[query->terms[t].channel].scale);
    double factor = up(2 * plan_positions(w->plan) * lambda(w) * root(w) / scale);
    while (k * k < factor) k *= 2;
    content(w, query, factor / k, &w->head->key[0], k);
}

static double slope(const score_writer *w, double kappa) { return up(kappa * root(w)); }

/* sign B sin((j - i)/n) goes up from key to key, by kappa at least. Returns B, in units of scores. */
static double ramp(score_writer *w) {
    enum { RAMP = 4, KEY = 64 };
    double n = plan_ramp_positions(w->plan);
    double amplitude = up(ORDINARY_KAPPA * n * root(w) / cos_f64(1) / KEY);
    uint32_t half = w->plan->head_size / 2;
    put(w, w->query, RAMP + half, &ONE, w->head->sign * amplitude);
    put(w, w->key, RAMP, &ONE, KEY);
    return amplitude * KEY;
}

/* What a unit of content must be worth, and the position as a tie-break: digits, or the ramp. */
static void nearest(score_writer *w, double key) {
    const ordinary_head *h = w->head;
    double s = slope(w, ORDINARY_KAPPA), worth = plan_positions(w->plan) * s;
    if (w->plan->options.architecture == ORDINARY_LLAMA && !w->plan->digits) worth = ramp(w) * sin_f64(1) + 2 * s;
    w->hint->query = up(worth / key);
    w->hint->key = key;
    for (size_t r = 0; r < h->content; r++) content(w, &h->query[r], w->hint->query, &h->key[r], key);
    for (size_t r = h->content; r < h->rows; r++) content(w, &h->query[r], s, &h->key[r], 1);
}

/* How much weight other positions get beside the one before, by the pairs of a Llama. */
static double yesterday_leak(const ordinary_plan *p, uint32_t pairs, double amplitude) {
    double leak = 0;
    for (double distance = 0; distance < plan_positions(p); distance++) {
        double gap = 0;
        for (uint32_t k = 0; k < pairs; k++) gap += amplitude * (1 - cos_f64(plan_frequency(p, k) * (distance - 1)));
        if (distance != 1) leak += exp_f64(-gap);
    }
    return leak;
}

enum { YESTERDAY_PAIRS = 5 };

static void yesterday(score_writer *w) {
    const ordinary_plan *p = w->plan;
    const ordinary_head *h = w->head;
    for (size_t r = 0; r < h->rows; r++) content(w, &h->query[r], slope(w, ORDINARY_KAPPA), &h->key[r], 1);
    if (p->options.architecture == ORDINARY_GPT2) return;
    uint32_t pairs = p->digits ? p->bits : YESTERDAY_PAIRS;
    double amplitude = 8;
    while (yesterday_leak(p, pairs, amplitude) > exp_f64(-ORDINARY_KAPPA)) amplitude *= 2;
    for (uint32_t k = 0; k < pairs; k++) turning(w, k, amplitude * root(w), plan_frequency(p, k), &ONE, 16);
}

/* (2 e j - j^2) S/weights, with S such that neighbours differ by kappa even where the weights are largest. */
static void lookup(score_writer *w) {
    enum { KEY_DIGIT = 256, KEY_PRODUCT = 32 }; /* columns hold 1/128 and 1/1024 of digits and products */
    const ordinary_head *h = w->head;
    double weights = plan_positions(w->plan) * 5 / 4 + 1, s = up(ORDINARY_KAPPA_LOOKUP * root(w) * weights);
    for (size_t r = 0; r < h->rows; r++) {
        double k = r < 2 ? KEY_DIGIT : KEY_PRODUCT;
        content(w, &h->query[r], s / k, &h->key[r], k);
    }
}

static void wave(score_writer *w) {
    const ordinary_head *h = w->head;
    model_term term;
    ordinary_form start = start_form(w, &term);
    double amplitude = h->amplitude * root(w), k = 8;
    while (amplitude / k > 8192) k *= 2;
    turning(w, h->pair, amplitude, h->phase, &start, k);
    if (h->offset != 0) content(w, &ONE, -amplitude * h->offset / k, &start, k);
}

void ordinary_scores(score_writer *w) {
    switch (w->head->role) {
    case ORDINARY_ONCE: once(w); break;
    case ORDINARY_MEAN: break;
    case ORDINARY_WEIGHED: weighed(w); break;
    case ORDINARY_COMPARE: compare(w); break;
    case ORDINARY_NEAREST: nearest(w, 64); break;
    case ORDINARY_YESTERDAY: yesterday(w); break;
    case ORDINARY_MATCH: nearest(w, 32); break;
    case ORDINARY_LOOKUP: lookup(w); break;
    case ORDINARY_WAVE: wave(w); break;
    }
}
