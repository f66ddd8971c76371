/* How far each setting goes. These are limits of the constructions, found by analysis and tried on runtimes; they are
   no proof. */
#include <math.h>
#include <string.h>

#include "ordinary/lower/ordinary_plan.h"

/* What goes least far, and why. */
typedef struct least_reach {
    const ordinary_plan *plan;
    const ordinary_head *head;
    double most;
    const char *what;
} least_reach;

static _Noreturn void refuse(const least_reach *r) {
    const ordinary_plan *p = r->plan;
    const ordinary_head *h = r->head;
    const char *label = text_escaped(p->arena, h->label, strlen(h->label), 60);
    const char *arch = p->options.architecture == ORDINARY_GPT2 ? "gpt2" : "llama";
    const char *weights = p->options.weights == ORDINARY_F16 ? "f16" : "f32";
    const char *kv = p->options.kv == ORDINARY_F16 ? "f16" : "f32";
    trap_raise(p->arena->trap, TEMPER_LIMIT, 0, 0,
               "head %u.%u (%s) %s: as %s with %s weights and an %s cache it goes up to %zu letters", h->hard_layer,
               h->hard_head, label, r->what, arch, weights, kv, r->most < 0 ? 0 : (size_t)r->most);
}

static void need(least_reach *r, const ordinary_head *h, double most, const char *what) {
    if (most >= r->most) return;
    *r = (least_reach){r->plan, h, most, what};
}

/* A kernel that decodes one token adds values in f16, which holds halves up to 1024. f32 holds them up to 2^23. */
static void check_mean(least_reach *r, const ordinary_head *h) {
    const ordinary_plan *p = r->plan;
    double exact = p->options.kv == ORDINARY_F16 ? 1024 : 0x1p22;
    for (size_t v = 0; v < h->value_count; v++) {
        double most = 0, least = 0, constant = 0;
        for (size_t k = 0; k < h->values[v].count; k++) {
            double weight = h->values[v].terms[k].weight;
            column_id c = h->values[v].terms[k].channel;
            if (c == p->start)
                constant = fabs(weight);
            else if (weight > 0)
                most += weight;
            else
                least -= weight;
        }
        double step = fmax(fmax(most, least), 1);
        if (p->options.weights == ORDINARY_F16 && fmax(fmax(most, least), constant) > 65504)
            need(r, h, 0, "has coefficients beyond what f16 holds");
        need(r, h, floor((exact - constant) / step), "counts");
    }
}

/* Digits of look-ups have ten bits. Roundings of queries to f16 move the place by a share of it, and sums of squares
   in f32 have 24 bits. */
static void check_lookup(least_reach *r, const ordinary_head *h) {
    const struct ordinary_options *o = &r->plan->options;
    bool f16 = o->kv == ORDINARY_F16 || o->weights == ORDINARY_F16;
    need(r, h, f16 ? 300 : 1000, "looks up a position by its square");
}

/* Keys of a ramp are rounded after they are turned. In the ramp for 1,493 letters two neighbours get the same score,
   after 1,129 letters; in shorter ones the least step of a score is above 3, also where a key may be rounded either
   way (doc/ordinary.md, "Reach"). */
enum { RAMP_F16 = 1492 };

static void check_nearest(least_reach *r, const ordinary_head *h) {
    const ordinary_plan *p = r->plan;
    bool ramp = p->options.architecture == ORDINARY_LLAMA && !p->digits;
    if (ramp && p->options.kv == ORDINARY_F16) need(r, h, RAMP_F16, "chooses the nearest position by a ramp");
}

void plan_check_reach(const ordinary_plan *p) {
    least_reach r = {.plan = p, .most = INFINITY};
    for (size_t k = 0; k < p->head_count; k++) {
        const ordinary_head *h = p->heads[k];
        switch (h->role) {
        case ORDINARY_MEAN:
        case ORDINARY_WEIGHED: check_mean(&r, h); break;
        case ORDINARY_LOOKUP: check_lookup(&r, h); break;
        case ORDINARY_NEAREST:
        case ORDINARY_MATCH: check_nearest(&r, h); break;
        default: break;
        }
    }
    if ((double)p->options.length > r.most) refuse(&r);
}
