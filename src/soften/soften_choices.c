/* Any hard model to a soft one, for strings up to a length: builds the model with the scales that scales.h has proved. */
#include <stdio.h>
#include <string.h>

#include "number/upward.h"
#include "soften/scales.h"
#include "soften/soften.h"
#include "soften/soften_build.h"

static void add_tie_break(softener *s, model_head *h, const head_class *c, double most, double scale) {
    double sign = h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? 1 : -1;
    char feature[64] = "i";
    bool bounded = s->method == TEMPER_METHOD_TEMPERATURE;
    if (bounded) snprintf(feature, sizeof feature, "i/%.0f", most);
    uint32_t one = soften_feature(s, "1", false), place = soften_feature(s, feature, true);
    rows_builder q, k;
    rows_begin(&q, &s->to->memory);
    rows_begin(&k, &s->to->memory);
    for (uint32_t r = 0; r < h->query.count; r++) {
        for (uint32_t t = h->query.start[r]; t < h->query.start[r + 1]; t++)
            rows_term(&q, h->query.terms[t].channel, h->query.terms[t].weight);
        rows_end_row(&q);
        for (uint32_t t = h->key.start[r]; t < h->key.start[r + 1]; t++)
            rows_term(&k, h->key.terms[t].channel, h->key.terms[t].weight);
        rows_end_row(&k);
    }
    rows_term(&q, one, bounded ? c->step * most : c->step * scale);
    rows_end_row(&q);
    rows_term(&k, place, sign);
    rows_end_row(&k);
    h->query = rows_finish(&q);
    h->key = rows_finish(&k);
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

static void soften_general_head(const scale_search *g, softener *s, uint32_t layer, uint32_t head) {
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
    if (g->heads[k].step > 0) add_tie_break(s, h, &g->heads[k], most, last->scale[k]);
    if (!positions && !(g->heads[k].uniform && g->heads[k].step == 0))
        h->scale = ladder_expression(g, k, a, s->scratch);
}

static void set_proof(const scale_search *g, temper_model *m) {
    static const char *const how[] = {"proved from denominators", "found on all of them"};
    text why;
    text_init(&why, &m->memory);
    if (g->o->gap == TEMPER_GAP_GIVEN) {
        text_printf(&why,
                    "it was softened for strings up to %zu letters with a gap of %.6g that was given, not proved",
                    g->o->length, g->o->gap_value);
        m->safe_length = 0;
    } else {
        text_printf(&why, "it was softened for strings up to %zu letters, with gaps %s", g->o->length,
                    how[g->o->gap]);
        m->safe_length = g->o->length;
        m->output_error = g->error;
        m->output_margin = g->margin;
        m->verdict_only = !g->everywhere;
    }
    m->safe_reason = text_string(&why);
}

static void fill_report(temper_soften_report *out, const scale_search *g) {
    *out = (temper_soften_report){.error = g->error, .margin = g->margin, .every_position = g->everywhere};
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

void soften_by_search(temper_model *m, temper_soften_report *report, const temper_model *hard,
                      const temper_soften_options *options, entry *e) {
    scale_search g = {.hard = hard, .o = options, .trap = e->trap, .keep = &e->memory, .scratch = &e->scratch};
    softener s;
    scales_find(&g);
    soften_begin(&s, hard, m, options->method, e->trap, &e->scratch);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        soften_copy_layer(&s, l);
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) soften_general_head(&g, &s, l, h);
    }
    soften_end(&s);
    set_proof(&g, m);
    if (report) fill_report(report, &g);
}
