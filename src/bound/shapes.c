#include "bound/shapes.h"

#include <math.h>

#include "bound/shapes_work.h"

/* ---- numbers ---- */

bool study_is_stored(const study_work *w, double x) { return format_round(w->c->type->storage, x) == x; }

/* Sum of |weights| of a row, exactly, with the grid of its terms; false if doubles do not hold it. */
bool study_row_weight(double *sum, int *grid, const model_rows *r, size_t row) {
    *sum = 0;
    *grid = GRID_OF_ZERO;
    for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++) {
        int g = grid_of(r->terms[k].weight);
        if (g < *grid) *grid = g;
        *sum += fabs(r->terms[k].weight);
    }
    return *grid == GRID_OF_ZERO || *sum <= ldexp(1, *grid + 53);
}

static bool are_stored(const study_work *w, const model_rows *r) {
    for (uint32_t k = 0; k < r->start[r->count]; k++)
        if (!study_is_stored(w, r->terms[k].weight)) return false;
    return true;
}

/* ---- contents of channels ---- */

static void embed(study_work *w) {
    const temper_model *m = w->c->model;
    feature_form *features = arena_alloc(w->c->arena, m->channel_count, sizeof *features);
    for (uint32_t k = 0; k < m->channel_count; k++) {
        holding *x = &w->now[k];
        *x = (holding){.kind = HOLDS_BOOLEAN};
        if (!m->channels[k].position) continue;
        x->form = feature_form_of(m->channels[k].position, w->c->arena);
        features[w->out->feature_count++] = x->form;
        if (x->form.size != FORM_BOOLEAN) x->kind = HOLDS_FEATURE;
        if (x->form.size == FORM_UNKNOWN)
            certification_unable(w->c, 0, 0, "the position feature of channel %u, %s, has no known bound", k,
                                 m->channels[k].position_text);
    }
    w->out->features = features;
}

static void heads_write(study_work *w, const model_layer *l, const uint32_t *shapes) {
    for (uint32_t h = 0; h < l->head_count; h++)
        for (uint32_t v = 0; v < l->heads[h].value.count; v++)
            for (uint32_t k = l->heads[h].output.start[v]; k < l->heads[h].output.start[v + 1]; k++) {
                holding *x = &w->now[l->heads[h].output.terms[k].channel];
                int grid;
                *x = (holding){.kind = l->heads[h].role == ROLE_COUNT ? HOLDS_MEAN : HOLDS_RAW, .shape = shapes[h]};
                study_row_weight(&x->weight, &grid, &l->heads[h].value, v);
            }
}

static void study_layer(study_work *w) {
    const model_layer *l = &w->c->model->layers[w->layer];
    layer_study *out = &w->out->layers[w->layer];
    uint32_t *shapes = arena_alloc(w->c->arena, l->head_count, sizeof *shapes);
    for (uint32_t h = 0; h < l->head_count; h++) {
        const model_head *head = &l->heads[h];
        if (!are_stored(w, &head->query) || !are_stored(w, &head->key) || !are_stored(w, &head->value) ||
            !are_stored(w, &head->output))
            certification_unable(w->c, w->layer + 1, h + 1, "%s has a weight that is no number of %s",
                                 certification_head(w->c, w->layer + 1, h + 1), w->c->type->storage->name);
        shapes[h] = study_head(w, h);
    }
    out->head_shapes = shapes;
    heads_write(w, l, shapes);
    study_units(w);
}

static void check_read_out(study_work *w) {
    const model_rows *read = &w->c->model->read;
    double sum;
    int grid;
    bool known = study_row_weight(&sum, &grid, read, 0) && grid >= 0;
    if (!are_stored(w, read) || !known || sum > ldexp(1, w->c->type->accumulation->precision))
        certification_unable(w->c, 0, 0, "the read-out sums more than %s holds exactly",
                             w->c->type->accumulation->name);
}

bool study_make(study *out, certification *c) {
    const temper_model *m = c->model;
    *out = (study){.model = m};
    study_work w = {.c = c, .out = out};
    table_init(&w.shape_index, c->arena);
    table_init(&w.ramp_index, c->arena);
    w.now = arena_zalloc(c->arena, m->channel_count, sizeof *w.now);
    w.next = arena_zalloc(c->arena, m->channel_count, sizeof *w.next);
    out->layers = arena_zalloc(c->arena, m->layer_count, sizeof *out->layers);
    embed(&w);
    if (!are_stored(&w, &m->embedding))
        certification_unable(c, 0, 0, "the embedding has a weight that is no number of %s", c->type->storage->name);
    for (w.layer = 0; w.layer < m->layer_count && !c->reason.length; w.layer++) study_layer(&w);
    if (!c->reason.length) check_read_out(&w);
    return !c->reason.length;
}
