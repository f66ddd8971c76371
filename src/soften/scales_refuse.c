/* What stands in the way where no scales do, and the messages about it. */
#include <math.h>

#include "soften/scales.h"

/* The least gap of the head up to the length: a tie-break is made for that one. */
static size_t length_of_least_gap(const scale_search *g, uint32_t layer, uint32_t head, size_t n) {
    for (size_t m = 0; m <= g->o->length; m++)
        if (scale_facts(g, m, layer, head)->gap < scale_facts(g, n, layer, head)->gap) n = m;
    return n;
}

static scale_blame blame_head(const scale_search *g, uint32_t layer, uint32_t head, size_t n, double off) {
    uint32_t k = g->head_start[layer] + head;
    scale_blame b = {.obstacle = TEMPER_OBSTACLE_GAP, .layer = layer + 1, .head = head + 1, .n = n, .off = off};
    b.needs = g->heads[k].step > 0 ? g->heads[k].step : scale_facts(g, n, layer, head)->gap;
    if (g->heads[k].step > 0 && !g->o->adaptive) b.n = length_of_least_gap(g, layer, head, n);
    return b;
}

scale_blame scales_blame(scale_search *g, size_t n) {
    recursion *r = &g->recursion;
    if (!(g->margin > 0)) {
        for (n = 0; n < g->o->length && g->facts[n]->margin > 0;) n++;
        return (scale_blame){.obstacle = TEMPER_OBSTACLE_MARGIN, .n = n};
    }
    scales_at(g, n);
    r->guess = false;
    recursion_run(r, n);
    r->guess = true;
    uint32_t worst = 0, layer_of = 0;
    for (uint32_t l = 0; l < g->hard->layer_count; l++)
        for (uint32_t h = 0; h < g->hard->layers[l].head_count; h++) {
            uint32_t k = g->head_start[l] + h;
            bool stops = r->too_large && r->layer == l + 1 && r->head == h + 1;
            double off = ball_upper(&r->off[k]) / g->scales[k];
            if (stops && !g->o->adaptive)
                return (scale_blame){.obstacle = TEMPER_OBSTACLE_LOGITS,
                                     .layer = l + 1,
                                     .head = h + 1,
                                     .n = n,
                                     .needs = scale_facts(g, n, l, h)->gap,
                                     .off = off};
            if (stops || ball_upper(&r->share[k]) >= 1) return blame_head(g, l, h, n, off);
            if (k == 0 || ball_upper(&r->error[k]) > ball_upper(&r->error[worst])) {
                worst = k;
                layer_of = l;
            }
        }
    if (r->too_large) return (scale_blame){.obstacle = TEMPER_OBSTACLE_LOGITS, .layer = r->layer, .n = n};
    scale_blame b = {.obstacle = TEMPER_OBSTACLE_OUTPUT, .n = n, .answer = ball_upper(r->answer)};
    if (scale_search_heads(g) == 0) return b;
    b.layer = layer_of + 1;
    b.head = worst - g->head_start[layer_of] + 1;
    b.needs = scale_facts(g, n, layer_of, b.head - 1)->gap;
    b.off = ball_upper(&r->off[worst]) / g->scales[worst];
    b.error = ball_upper(&r->error[worst]);
    return b;
}

/* ---- messages ---- */

static _Noreturn void refuse_margin(const scale_search *g, size_t n) {
    if (g->o->gap == TEMPER_GAP_PROVED)
        trap_raise_remedy(
            g->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_GAP_EXHAUSTIVE,
            "length %zu: an answer of the hard model may be exactly at the threshold 1/2, so no softmax can "
            "be near enough",
            n);
    trap_raise_hint(
        g->trap, TEMPER_LIMIT, 0, 0, "move the answers away from 1/2: a quarter of a letter more or less",
        "length %zu: an answer of the hard model is exactly at the threshold 1/2, so no softmax can be near "
        "enough",
        n);
}

static _Noreturn void refuse_gap(const scale_search *g, const scale_blame *b, temper_remedy remedy) {
    if (g->o->adaptive)
        trap_raise_remedy(g->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_NOT_ADAPTIVE,
                          "head %u.%u at length %zu: its scores can tie and are off by up to %.3g, which an adaptive "
                          "temperature takes for the gap",
                          b->layer, b->head, b->n, b->off);
    trap_raise_remedy(
        g->trap, TEMPER_LIMIT, 0, 0, remedy,
        "head %u.%u at length %zu: it must tell scores apart that differ by %.3g, but they are off by up "
        "to %.3g%s",
        b->layer, b->head, b->n, b->needs, b->off,
        b->off < b->needs ? ", and ties by more than its scale allows" : "");
}

_Noreturn void scales_refuse(scale_search *g, size_t n) {
    temper_remedy remedy = g->o->gap == TEMPER_GAP_PROVED ? TEMPER_REMEDY_GAP_OR_SHORTER : TEMPER_REMEDY_SHORTER;
    scale_blame b = scales_blame(g, n);
    if (b.obstacle == TEMPER_OBSTACLE_MARGIN) refuse_margin(g, b.n);
    if (b.obstacle == TEMPER_OBSTACLE_GAP) refuse_gap(g, &b, remedy);
    if (b.obstacle == TEMPER_OBSTACLE_LOGITS && b.head)
        trap_raise_remedy(
            g->trap, TEMPER_LIMIT, 0, 0, remedy,
            "head %u.%u at length %zu: its gap may be as small as 2^%.0f, which needs logits beyond f64", b.layer,
            b.head, b.n, scale_facts(g, n, b.layer - 1, b.head - 1)->log2_gap);
    if (b.obstacle == TEMPER_OBSTACLE_LOGITS)
        trap_raise_remedy(g->trap, TEMPER_LIMIT, 0, 0, remedy,
                          "layer %u at length %zu: a number may be too large for f64", b.layer, b.n);
    if (!b.head)
        trap_raise_remedy(g->trap, TEMPER_LIMIT, 0, 0, remedy,
                          "length %zu: answers are known to within %.3g, but are %.3g from 1/2", b.n, b.answer,
                          g->margin);
    trap_raise_remedy(
        g->trap, TEMPER_LIMIT, 0, 0, remedy,
        "head %u.%u at length %zu: its output may be off by %.3g, so that answers are known to within %.3g only, but "
        "their margin is %.3g",
        b.layer, b.head, b.n, b.error, b.answer, g->margin);
}
