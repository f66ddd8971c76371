/* Which question a head asks, from its rows and what the channels hold that they read. The structure that each bound
   needs is doc/certificate.md, "Heads". */
#include <math.h>

#include "recognise/head_rows.h"

/* ---- once ---- */

static fn find_once(recognising *w, head_shape *s) {
    const model_head *h = head_of(w);
    const model_term *q = h->query.count == 1 ? single_term(&h->query, 0) : NULL;
    const position_form *f = q ? term_form(w, q) : NULL;
    if (!f || q->weight != 1 || is_soft_only(w, q))
        unlike(w, "it averages, so a query of one feature with weight 1 was expected");
    bool one = f->kind == POSITION_CONSTANT && f->size.c == 1;
    bool log = f->kind == POSITION_LOG || f->kind == POSITION_LOG_STEP;
    if (!one && !log) unlike(w, "its query is neither 1 nor ln(N) and a constant");
    if (is_soft(w)) {
        if (one != s->scaled) unlike(w, "one factor ln(N) + C was expected, in its scale or in its query");
        if (log) s->scale = f->size;
        bool fits = s->scale.size == FORM_LOG || (log && s->scale.size == FORM_LOG_STEP);
        if (!fits) unlike(w, "its scale is not ln(N) and a constant");
        s->kappa = s->scale.c;
    }
    fn x = condition_row(w, &h->key, 0, "its key");
    for (uint32_t v = 0; v < h->value.count; v++)
        if (condition_row(w, &h->value, v, "a value") != x)
            unlike(w, "it averages, so its values were expected to be its key");
    return x;
}

/* ---- count ---- */

static void find_count(recognising *w, head_shape *s) {
    const model_head *h = head_of(w);
    if (s->scaled) unlike(w, "it has a scale and no scores");
    s->grid = GRID_OF_ZERO;
    for (uint32_t v = 0; v < h->value.count; v++) {
        int grid;
        double sum = row_weight(w, &h->value, v, &grid);
        s->weight = fmax(s->weight, sum);
        if (grid < s->grid) s->grid = grid;
        double letters = 0, edges = 0; /* exact, as the sum of all */
        for (uint32_t k = h->value.start[v]; k < h->value.start[v + 1]; k++) {
            const content *x = term_content(w, &h->value.terms[k]);
            double size = fabs(h->value.terms[k].weight);
            if (x->kind != HOLDS_BOOLEAN)
                unlike(w, "it counts channel %u, which holds no Boolean there", h->value.terms[k].channel);
            if (x->f != FN_FALSE)
                letters += size;
            else /* a sentinel's alone */
                edges += size * (x->start + x->end);
        }
        s->letters = fmax(s->letters, letters);
        s->edges = fmax(s->edges, edges);
    }
}

static content mean_of(recognising *w, uint32_t value) {
    const model_head *h = head_of(w);
    const model_rows *r = &h->value;
    content x = {.kind = HOLDS_MEAN, .mask = h->mask};
    count_term *terms = arena_alloc(w->arena, rows_size(r, value), sizeof *terms);
    int grid;
    size_t count = 0;
    for (uint32_t k = r->start[value]; k < r->start[value + 1]; k++) {
        const content *c = term_content(w, &r->terms[k]);
        terms[count++] = (count_term){c->f, r->terms[k].weight};
        x.start = exact_add(w->arena, x.start, exact_mul(w->arena, c->start, r->terms[k].weight));
        x.end = exact_add(w->arena, x.end, exact_mul(w->arena, c->end, r->terms[k].weight));
    }
    x.sum = count_from_terms(&w->q.counts, terms, count);
    x.whole = count_is_whole(&w->q.counts, x.sum);
    x.weight = row_weight(w, r, value, &grid);
    return x;
}

/* ---- heads ---- */

static bool reads_mean(const recognising *w, const model_rows *r) {
    for (uint32_t k = 0; r->count && k < r->start[1]; k++)
        if (term_content(w, &r->terms[k])->kind == HOLDS_MEAN) return true;
    return false;
}

static head_role role_of(const recognising *w) {
    const model_head *h = head_of(w);
    if (h->query.count == 0) return ROLE_COUNT;
    if (h->hard_choice != TEMPER_CHOICE_AVERAGE) return is_match(w) ? ROLE_MATCH : ROLE_NEAREST;
    if (!reads_mean(w, &h->query)) return ROLE_ONCE;
    if (h->query.count == 1) return ROLE_COMPARE;
    const model_term *q = single_term(&h->query, 0);
    return q && q->weight == 2 ? ROLE_LOOKUP : ROLE_BALANCE;
}

static void check_choice(const recognising *w, head_role role) {
    const model_head *h = head_of(w);
    bool softmax = h->choice == TEMPER_CHOICE_SOFTMAX;
    if (h->adaptive) unlike(w, "it is adaptive");
    if (h->hard_choice == TEMPER_CHOICE_SOFTMAX) unlike(w, "it stands for no hard choice");
    if (!w->hard && softmax != (w->m->method != TEMPER_METHOD_HARD))
        unlike(w, "it is %s in a model of the other kind", softmax ? "softmax" : "a hard choice");
    if (role == ROLE_COUNT && h->hard_choice != TEMPER_CHOICE_AVERAGE)
        unlike(w, "it has no scores, and does not average");
    if ((role == ROLE_BALANCE || role == ROLE_LOOKUP) && h->query.count != 2)
        unlike(w, "two rows of queries were expected");
}

/* Writes a value: its channels were 0, and nothing else writes them in this layer. */
static void write_value(recognising *w, uint32_t v, const content *x) {
    const model_rows *r = &head_of(w)->output;
    for (uint32_t k = r->start[v]; k < r->start[v + 1]; k++) {
        uint32_t c = r->terms[k].channel;
        if (r->terms[k].weight != 1) unlike(w, "it writes with a weight that is not 1");
        if (!is_zero(&w->now[c]) || w->written[c] == w->layer)
            unlike(w, "it writes to channel %u, which is not 0 there", c);
        w->written[c] = w->layer;
        array_push(w->arena, w->changes, w->change_count, w->change_capacity, (change){c, *x});
        if (x->kind == HOLDS_RAW) array_push(w->arena, w->raw, w->raw_count, w->raw_capacity, c);
    }
}

static uint32_t recognise_head(recognising *w) {
    const model_head *h = head_of(w);
    head_shape s = {.role = role_of(w), .soft_ties = true, .first_layer = w->layer - 1, .first_head = w->head - 1};
    check_choice(w, s.role);
    s.scaled = h->choice == TEMPER_CHOICE_SOFTMAX && h->scale;
    if (s.scaled && head_reads_position(h)) unlike(w, "its scale reads the position");
    if (s.scaled) {
        position_form f = position_form_of(h->scale);
        bool known = f.kind == POSITION_LOG || f.kind == POSITION_SIZE || f.kind == POSITION_SIZE_2 ||
                     f.kind == POSITION_SIZE_3;
        if (!known) unlike(w, "its scale, %.80s, is none that is known", h->scale_text);
        s.scale = f.size;
    }
    fn x = FN_FALSE, exists = FN_FALSE;
    const match_case *cases = NULL;
    size_t case_count = 0;
    lookup_place place = {0};
    switch (s.role) {
    case ROLE_ONCE:
        x = find_once(w, &s);
        exists = ask_exists(&w->q, h->mask, x);
        break;
    case ROLE_NEAREST: x = find_nearest(w, &s); break;
    case ROLE_COUNT: find_count(w, &s); break;
    case ROLE_COMPARE: x = find_compare(w, &s); break;
    case ROLE_BALANCE: x = find_balance(w, &s); break;
    case ROLE_LOOKUP: recognise_lookup(w, &s, &place); break;
    case ROLE_MATCH: cases = find_match(w, &s, &case_count); break;
    case ROLE_NONE: break;
    }
    if (s.role == ROLE_ONCE || s.role == ROLE_NEAREST) {
        s.rows = h->query.count;
        s.query = shape_rows(w, &h->query);
        s.key = shape_rows(w, &h->key);
    }
    uint32_t number = head_shape_number(w, &s);
    for (uint32_t v = 0; v < h->value.count; v++) {
        content out = {.kind = HOLDS_RAW, .shape = number};
        if (s.role == ROLE_COUNT) {
            out = mean_of(w, v);
        } else if (s.role == ROLE_NEAREST) {
            fn y = condition_row(w, &h->value, v, "a value");
            if (fn_and(&w->q.d, y, fn_not(&w->q.d, x)) != FN_FALSE)
                unlike(w, "a value is not 0 where its key has no candidate");
            out.f = ask_choice(&w->q, h->mask, h->hard_choice, x, y);
        } else if (s.role == ROLE_MATCH) {
            out.f = matched(w, cases, case_count, condition_row(w, &h->value, v, "a value"));
        } else {
            out.f = s.role == ROLE_ONCE ? exists : s.role == ROLE_LOOKUP ? looked_up(w, &place, v) : x;
        }
        write_value(w, v, &out);
    }
    return number;
}

void recognise_heads(recognising *w) {
    const model_layer *l = &w->m->layers[w->layer - 1];
    uint32_t *shapes = arena_alloc(w->arena, l->head_count, sizeof *shapes);
    w->change_count = w->raw_count = 0;
    for (w->head = 1; w->head <= l->head_count; w->head++) {
        const model_head *h = head_of(w);
        keep_stored(w, &h->query, w->layer, w->head);
        keep_stored(w, &h->key, w->layer, w->head);
        keep_stored(w, &h->value, w->layer, w->head);
        keep_stored(w, &h->output, w->layer, w->head);
        shapes[w->head - 1] = recognise_head(w);
    }
    w->head = 0;
    w->out->layers[w->layer - 1].head_shapes = shapes;
    for (size_t k = 0; k < w->change_count; k++) w->now[w->changes[k].channel] = w->changes[k].to;
    w->change_count = 0;
}
