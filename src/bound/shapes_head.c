/* The shape of a head, from its rows and what the channels hold that they read. */
#include <math.h>

#include "bound/shapes_work.h"

static void no_shape(study_work *w, uint32_t head, const char *what) {
    certification_unable(w->c, w->layer + 1, head + 1, "%s: %s", certification_head(w->c, w->layer + 1, head + 1),
                         what);
}

/* ---- rows of Booleans and features ---- */

static const row_shape *shape_rows(study_work *w, uint32_t head, const model_rows *r) {
    row_shape *rows = arena_alloc(w->c->arena, r->count, sizeof *rows);
    for (uint32_t row = 0; row < r->count; row++) {
        const model_term *t = rows_begin_of(r, row);
        term_shape *terms = arena_alloc(w->c->arena, rows_size(r, row), sizeof *terms);
        rows[row] = (row_shape){.count = rows_size(r, row), .terms = terms};
        for (size_t k = 0; k < rows[row].count; k++, t++) {
            const holding *x = &w->now[t->channel];
            if (x->kind != HOLDS_BOOLEAN && x->kind != HOLDS_FEATURE)
                no_shape(w, head, "it reads a number that is neither a Boolean nor a position feature");
            terms[k] = (term_shape){
                .weight = t->weight,
                .form = x->kind == HOLDS_FEATURE ? x->form : (feature_form){.size = FORM_BOOLEAN, .c = 1, .d = 1}};
        }
    }
    return rows;
}

static bool is_constant(const row_shape *row, double *value) {
    if (row->count != 1 || row->terms[0].form.size != FORM_CONSTANT) return false;
    *value = row->terms[0].weight * row->terms[0].form.c;
    return true;
}

/* The factor of j in the logits: of i/N under a scale, else of i or of the lowest digit times the query. */
static double nearest_kappa(const head_shape *s) {
    for (uint32_t r = 0; r < s->rows; r++)
        for (size_t k = 0; k < s->key[r].count; k++) {
            const term_shape *t = &s->key[r].terms[k];
            double q;
            if (!is_constant(&s->query[r], &q)) continue;
            q = fabs(q * t->weight);
            bool whole = (t->form.size == FORM_POWER && t->form.power == 1) ||
                         (t->form.size == FORM_TOP && t->form.c == 1) ||
                         (t->form.size == FORM_DIGIT && t->form.d == 1);
            if (s->scaled && t->form.size == FORM_SHARE && s->scale.size == FORM_POWER && s->scale.power == 1)
                return q * s->scale.c;
            if (!s->scaled && whole) return q * (t->form.size == FORM_POWER ? t->form.c : 1);
        }
    return 0;
}

/* Whether the features of a row, if they depend on more than the length, are in soft channels. */
static bool features_are_soft(const study_work *w, const model_rows *r, uint32_t row, bool only_logarithms) {
    for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++) {
        const holding *x = &w->now[r->terms[k].channel];
        if (x->kind != HOLDS_FEATURE || x->form.size == FORM_CONSTANT) continue;
        if (only_logarithms && !x->form.logarithm) continue;
        if (!w->c->model->channels[r->terms[k].channel].soft_only) return false;
    }
    return true;
}

static bool has_tests(const head_shape *s) {
    for (uint32_t r = 0; r < s->rows; r++)
        for (size_t k = 0; k < s->key[r].count; k++)
            if (s->key[r].terms[k].form.size == FORM_BOOLEAN) return true;
    return false;
}

/* ---- one function per role ---- */

static void shape_once(study_work *w, head_shape *s, uint32_t head) {
    if (!s->scaled && s->rows == 1 && s->query[0].count == 1) s->scale = s->query[0].terms[0].form;
    if (s->scale.size == FORM_LOG || s->scale.size == FORM_LOG_STEP)
        s->kappa = s->scale.c;
    else if (!w->c->hard)
        no_shape(w, head, "its scale is not ln(N) and a constant");
}

static void shape_nearest(study_work *w, head_shape *s, uint32_t head) {
    const model_head *h = &w->c->model->layers[w->layer].heads[head];
    s->rightmost = h->hard_choice == TEMPER_CHOICE_RIGHTMOST;
    s->tests = has_tests(s);
    s->kappa = nearest_kappa(s);
    for (uint32_t r = 0; r < s->rows; r++) s->soft_ties = s->soft_ties && features_are_soft(w, &h->key, r, false);
    if (s->kappa == 0 && !w->c->hard) no_shape(w, head, "the positions in its scores were not found");
}

static void shape_count(study_work *w, head_shape *s, uint32_t head) {
    const model_rows *v = &w->c->model->layers[w->layer].heads[head].value;
    s->grid = GRID_OF_ZERO;
    for (uint32_t row = 0; row < v->count; row++) {
        double sum;
        int grid;
        if (!study_row_weight(&sum, &grid, v, row)) no_shape(w, head, "its weights add up to more than doubles hold");
        s->weight = fmax(s->weight, sum);
        if (grid < s->grid) s->grid = grid;
        for (uint32_t k = v->start[row]; k < v->start[row + 1]; k++)
            if (w->now[v->terms[k].channel].kind != HOLDS_BOOLEAN)
                no_shape(w, head, "it counts a number that is no Boolean");
    }
}

/* Compare and balance: what the first query row sums; kappa from the normaliser's 1/(2 kappa N). */
static void shape_sum(study_work *w, head_shape *s, uint32_t head) {
    const model_head *h = &w->c->model->layers[w->layer].heads[head];
    for (uint32_t k = h->query.start[0]; k < h->query.start[1]; k++) {
        const holding *x = &w->now[h->query.terms[k].channel];
        if (x->kind == HOLDS_MEAN) s->weight = x->weight;
        if (x->kind == HOLDS_OWN) s->own = x->weight, s->own_units = x->units;
        if (x->kind == HOLDS_FEATURE && x->form.logarithm) s->kappa = x->form.c / 2;
    }
    s->soft_ties = features_are_soft(w, &h->query, 0, true);
    if (w->c->hard && s->kappa == 0) s->kappa = MODEL_KAPPA;
    if (h->role == ROLE_BALANCE)
        for (uint32_t k = h->key.start[1]; k < h->key.start[2]; k++) {
            const holding *x = &w->now[h->key.terms[k].channel];
            if (x->kind == HOLDS_COPY) s->total = x->weight;
        }
    bool both = h->role == ROLE_COMPARE || (s->own > 0 && s->total > 0);
    if (s->weight == 0 || s->kappa == 0 || !both) no_shape(w, head, "what it compares was not found");
}

static void shape_lookup(study_work *w, head_shape *s, uint32_t head) {
    const model_head *h = &w->c->model->layers[w->layer].heads[head];
    s->kappa = s->scaled ? s->scale.c : 0;
    if (!s->scaled && h->key.count == 2 && rows_size(&h->key, 0) == 1)
        s->kappa = w->now[rows_begin_of(&h->key, 0)->channel].form.c;
    if (w->c->hard && s->kappa == 0) { /* scores by temperature, without their scale */
        s->kappa = MODEL_KAPPA_LOOKUP;
        s->scaled = true;
    }
    if (s->kappa == 0) no_shape(w, head, "its scale was not found");
}

/* ---- equal shapes ---- */

static void describe_form(text *t, const feature_form *f) {
    text_printf(t, "%d %d %d %d %a %a,", (int)f->size, f->power, f->squares, f->logarithm, f->c, f->d);
}

static void describe_rows(text *t, const row_shape *rows, uint32_t count) {
    for (uint32_t r = 0; rows && r < count; r++) {
        text_putc(t, '[');
        for (size_t k = 0; k < rows[r].count; k++) {
            describe_form(t, &rows[r].terms[k].form);
            text_printf(t, "%a;", rows[r].terms[k].weight);
        }
        text_putc(t, ']');
    }
}

static uint32_t number_of(study_work *w, const head_shape *s) {
    text key;
    bool fresh;
    text_init(&key, w->c->arena);
    text_printf(&key, "%d %a %d %d %d %d %u ", (int)s->role, s->kappa, s->scaled, s->soft_ties, s->rightmost,
                s->tests, s->rows);
    text_printf(&key, "%a %a %a %zu %d ", s->weight, s->total, s->own, s->own_units, s->grid);
    describe_form(&key, &s->scale);
    describe_rows(&key, s->query, s->rows);
    describe_rows(&key, s->key, s->rows);
    uint32_t number = *table_put(&w->shape_index, key.data, key.length, (uint32_t)w->out->shape_count, &fresh);
    if (fresh) array_push(w->c->arena, w->out->shapes, w->out->shape_count, w->out->shape_capacity, *s);
    return number;
}

uint32_t study_head(study_work *w, uint32_t head) {
    const model_head *h = &w->c->model->layers[w->layer].heads[head];
    head_shape s = {
        .role = h->role, .first_layer = w->layer, .first_head = head, .scaled = h->scale != NULL, .soft_ties = true};
    if (h->scale) s.scale = feature_form_of(h->scale, w->c->arena);
    if (h->scale && s.scale.size == FORM_UNKNOWN) no_shape(w, head, "its scale has no known bound");
    if (h->role == ROLE_ONCE || h->role == ROLE_NEAREST) {
        s.rows = h->query.count;
        s.query = shape_rows(w, head, &h->query);
        s.key = shape_rows(w, head, &h->key);
    }
    switch (h->role) {
    case ROLE_ONCE: shape_once(w, &s, head); break;
    case ROLE_NEAREST: shape_nearest(w, &s, head); break;
    case ROLE_COUNT: shape_count(w, &s, head); break;
    case ROLE_COMPARE:
    case ROLE_BALANCE: shape_sum(w, &s, head); break;
    case ROLE_LOOKUP: shape_lookup(w, &s, head); break;
    case ROLE_NONE: no_shape(w, head, "it was not made from a formula");
    }
    return number_of(w, &s);
}
