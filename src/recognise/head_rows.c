/* Rows of heads, and shapes of heads that are equal. */
#include "recognise/head_rows.h"

#include <math.h>

void add_boolean(recognising *w, boolean_sum *s, const model_term *t) {
    const content *x = &w->now[t->channel];
    decisions *d = &w->q.d;
    s->f = s->terms++ ? fn_add(d, s->f, fn_times(d, x->f, t->weight)) : fn_times(d, x->f, t->weight);
    s->start = exact_add(w->arena, s->start, exact_mul(w->arena, x->start, t->weight));
    s->end = exact_add(w->arena, s->end, exact_mul(w->arena, x->end, t->weight));
}

const position_form *term_form(const recognising *w, const model_term *t) {
    static const position_form none = {.kind = POSITION_UNKNOWN};
    return w->now[t->channel].kind == HOLDS_FEATURE ? &w->forms[t->channel] : &none;
}

bool is_silent(const recognising *w, const model_term *t) {
    return w->hard && is_soft_only(w, t) && term_content(w, t)->kind == HOLDS_FEATURE;
}

/* A row of Booleans only. */
boolean_sum boolean_row(recognising *w, const model_rows *r, uint32_t row, const char *what) {
    boolean_sum s = {.f = FN_FALSE};
    int grid;
    for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++) {
        if (term_content(w, &r->terms[k])->kind != HOLDS_BOOLEAN)
            unlike(w, "%s reads channel %u, which holds no Boolean there", what, r->terms[k].channel);
        add_boolean(w, &s, &r->terms[k]);
    }
    double size = row_weight(w, r, row, &grid);
    keep_sum(w, EXACT_ROW, size, grid);
    return s;
}

/* The same, with 0 or 1 on letters and 0 on sentinels. */
fn condition_row(recognising *w, const model_rows *r, uint32_t row, const char *what) {
    boolean_sum s = boolean_row(w, r, row, what);
    if (!fn_is_boolean(&w->q.d, s.f)) unlike(w, "%s is not 0 or 1 on every letter", what);
    if (s.start != 0 || s.end != 0) unlike(w, "%s is not 0 on sentinels", what);
    return s.f;
}

bool is_feature(const recognising *w, const model_rows *r, uint32_t row, position_kind kind, bool mirrored) {
    const model_term *t = single_term(r, row);
    const position_form *f = t ? term_form(w, t) : NULL;
    return f && f->kind == kind && f->mirrored == mirrored && t->weight == 1 && !is_soft_only(w, t);
}

const row_shape *shape_rows(recognising *w, const model_rows *r) {
    row_shape *rows = arena_alloc(w->arena, r->count, sizeof *rows);
    for (uint32_t row = 0; row < r->count; row++) {
        const model_term *t = rows_begin_of(r, row);
        term_shape *terms = arena_alloc(w->arena, rows_size(r, row), sizeof *terms);
        rows[row] = (row_shape){.terms = terms};
        for (size_t k = 0; k < rows_size(r, row); k++, t++) {
            if (is_silent(w, t)) continue;
            const content *x = term_content(w, t);
            terms[rows[row].count++] =
                (term_shape){.weight = t->weight,
                             .form = x->kind == HOLDS_FEATURE ? w->forms[t->channel].size
                                                              : (feature_form){.size = FORM_BOOLEAN, .c = 1, .d = 1}};
        }
    }
    return rows;
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

uint32_t head_shape_number(recognising *w, const head_shape *s) {
    text key;
    bool fresh;
    text_init(&key, w->arena);
    text_printf(&key, "%d %a %d %d ", (int)s->role, s->kappa, s->scaled, s->soft_ties);
    text_printf(&key, "%d %d %d %u ", s->rightmost, s->tests, s->anywhere, s->rows);
    text_printf(&key, "%a %a %a %zu %d ", s->weight, s->total, s->own, s->own_units, s->grid);
    text_printf(&key, "%a %a ", s->letters, s->edges);
    describe_form(&key, &s->scale);
    describe_rows(&key, s->query, s->rows);
    describe_rows(&key, s->key, s->rows);
    uint32_t number = *table_put(&w->shape_index, key.data, key.length, (uint32_t)w->out->shape_count, &fresh);
    if (fresh) array_push(w->arena, w->out->shapes, w->out->shape_count, w->out->shape_capacity, *s);
    return number;
}
