/* Any hard model to a soft one, for strings up to a length: the scales that scales.h has found, the model with them,
   and its proof. */
#include <stdio.h>
#include <string.h>

#include "number/upward.h"
#include "soften/soft_proof.h"
#include "soften/soften.h"
#include "soften/soften_build.h"

/* By temperature positions are fractions, by positions they are whole, and the query has the scale. */
static void add_tie_break(softener *s, model_head *h, double step, double most, double scale) {
    char feature[64] = "i";
    bool bounded = s->method == TEMPER_METHOD_TEMPERATURE;
    if (bounded) print_to(feature, sizeof feature, "i/%.0f", most);
    uint32_t one = soften_feature(s, "1", false), place = soften_feature(s, feature, true);
    scales_add_tie_break(h, bounded ? step : step * scale, one, place, bounded ? 1 / most : 1, &s->to->memory);
}

static void scale_rows(model_rows *rows, double scale) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++) rows->terms[k].weight *= scale;
}

/* "[N <= 4]*64 + [4 < N]*[N <= 8]*256 + [8 < N]*1024", or one number. */
static const expression *ladder_expression(const scale_search *g, uint32_t head, arena *a, arena *scratch) {
    text t;
    text_init(&t, scratch);
    for (size_t k = 0, from = 0; k < g->rung_count; k++) {
        double scale = g->rungs[k].scale[head];
        if (k + 1 < g->rung_count && g->rungs[k + 1].scale[head] == scale) continue;
        size_t low = g->facts[g->rungs[from].first]->size - 1, high = g->facts[g->rungs[k].last]->size;
        if (from > 0) text_printf(&t, " + [%zu < N]*", low);
        if (k + 1 < g->rung_count) text_printf(&t, "[N <= %zu]*", high);
        text_double(&t, scale);
        from = k + 1;
    }
    return expression_parse(a, text_string(&t), t.length, 0, 0);
}

static void soften_choice_head(const scale_search *g, softener *s, uint32_t layer, uint32_t head) {
    model_head *h = &s->to->layers[layer].heads[head];
    uint32_t k = g->head_start[layer] + head;
    const rung *last = &g->rungs[g->rung_count - 1];
    arena *a = &s->to->memory;
    h->role = ROLE_NONE;
    h->choice = TEMPER_CHOICE_SOFTMAX;
    if (g->o->adaptive) {
        h->adaptive = true;
        h->scale = expression_make(a, h->hard_choice == TEMPER_CHOICE_AVERAGE ? "ln(N) + %.0f" : "%.0f*N",
                                   last->sharpness[layer]);
        return;
    }
    double most = power_of_two_above((double)g->facts[g->o->length]->size);
    bool positions = s->method == TEMPER_METHOD_POSITIONS;
    if (positions) scale_rows(&h->query, last->scale[k]);
    if (g->heads[k].step > 0) add_tie_break(s, h, g->heads[k].step, most, last->scale[k]);
    if (!positions && !(g->heads[k].uniform && g->heads[k].step == 0))
        h->scale = ladder_expression(g, k, a, s->scratch);
}

/* With gaps that were given nothing is proved here, so nothing is recorded. */
static void set_record(const scale_search *g, const soft_proof *proof, temper_model *m) {
    static const char *const how[] = {"proved from denominators", "found on all of them"};
    if (g->o->gap == TEMPER_GAP_GIVEN) return;
    text why;
    text_init(&why, &m->memory);
    text_printf(&why, "it was softened for strings up to %zu letters, with gaps %s", g->o->length, how[g->o->gap]);
    m->record = (model_record){.length = g->o->length,
                               .made_here = true,
                               .reason = text_string(&why),
                               .error = proof->error,
                               .margin = proof->margin,
                               .verdict_only = !proof->every_position};
}

static void fill_report(temper_soften_report *out, const scale_search *g, const soft_proof *proof) {
    *out = (temper_soften_report){
        .error = proof->error, .margin = proof->margin, .every_position = proof->every_position};
    const rung *last = &g->rungs[g->rung_count - 1];
    for (uint32_t l = 0; l < g->hard->layer_count && !g->o->adaptive; l++)
        for (uint32_t h = 0; h < g->hard->layers[l].head_count; h++) {
            double log2 = log_f64(last->scale[g->head_start[l] + h]) / log_f64(2);
            if (out->layer && log2 <= out->log2_scale) continue;
            out->log2_scale = log2;
            out->layer = l + 1;
            out->head = h + 1;
        }
}

/* A gap that was only given proves nothing; the search's guess is what is known then. */
static soft_proof prove(scale_search *g, const softener *s) {
    if (g->o->gap == TEMPER_GAP_GIVEN)
        return (soft_proof){.error = g->error, .margin = g->margin, .every_position = g->everywhere};
    uint32_t *source = arena_alloc(g->keep, s->to->channel_count, sizeof *source);
    memcpy(source, s->source, s->to->channel_count * sizeof *source);
    bool scaled = g->o->method == TEMPER_METHOD_POSITIONS;
    soft_model soft = {s->to, source, scaled ? g->rungs[g->rung_count - 1].scale : NULL};
    soft_proof proof = soft_proof_find(g, &soft);
    if (!proof.proved) scales_refuse(g, proof.fails);
    return proof;
}

void soften_by_search(temper_model *m, temper_soften_report *report, const temper_model *hard,
                      const temper_soften_options *options, entry *e) {
    scale_search g = {.hard = hard, .o = options, .trap = e->trap, .keep = &e->memory, .scratch = &e->scratch};
    softener s;
    scales_find(&g);
    soften_begin(&s, hard, m, options->method, e->trap, &e->scratch);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        soften_copy_layer(&s, l);
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) soften_choice_head(&g, &s, l, h);
    }
    soften_end(&s);
    soft_proof proof = prove(&g, &s);
    set_record(&g, &proof, m);
    if (report) fill_report(report, &g, &proof);
}
