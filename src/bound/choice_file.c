#include "bound/choice_file.h"

#include <string.h>

#include "base/json_write.h"

void choice_results_begin(choice_results *g, const hard_facts *f, arena *a) {
    uint32_t heads = f->head_start[f->s.model->layer_count];
    g->share = arena_alloc(a, heads, sizeof *g->share);
    g->error = arena_alloc(a, heads, sizeof *g->error);
    for (uint32_t h = 0; h < heads; h++) {
        g->share[h] = ball_array(a, f->length + 1);
        g->error[h] = ball_array(a, f->length + 1);
    }
    g->logit = ball_array(a, heads);
    g->off = ball_array(a, heads);
    g->answer = ball_array(a, f->length + 1);
}

void choice_results_take(choice_results *g, const recursion *r, size_t n) {
    for (uint32_t h = 0; h < r->f->head_start[r->m->layer_count]; h++) {
        ball_set(&g->share[h][n], &r->share[h]);
        ball_set(&g->error[h][n], &r->error[h]);
        ball_max(&g->logit[h], &g->logit[h], &r->logit[h]);
        ball_max(&g->off[h], &g->off[h], &r->off[h]);
    }
    ball_set(&g->answer[n], r->answer);
}

/* ---- members; arrays on one line ---- */

static void put_member(certification *c, const char *key, const char *value) {
    text_printf(&c->json, ",\n  \"%s\": ", key);
    jwrite_string(&c->json, value, strlen(value));
}

static void begin_list(certification *c, const char *key) {
    text_printf(&c->json, "%s\"%s\": [", c->json.data[c->json.length - 1] == '{' ? "" : ", ", key);
}

static void put_size(text *t, double x) {
    text_putc(t, '"');
    if (x == INFINITY)
        text_puts(t, "inf");
    else
        text_double(t, x == 0 ? 0 : x); /* no -0 */
    text_putc(t, '"');
}

static void put_bound(text *t, const ball *x) {
    char digits[BALL_TEXT];
    ball_upper_text(digits, x);
    text_printf(t, "\"%s\"", digits);
}

typedef enum known_field { FIELD_SIZE, FIELD_WIDTH, FIELD_GRID } known_field;

static void put_grid(text *out, int grid) {
    if (grid == GRID_ANY)
        text_puts(out, "\"any\"");
    else if (grid == GRID_NONE)
        text_puts(out, "null");
    else
        text_printf(out, "%d", grid);
}

static void put_knowns(certification *c, const char *key, const known *k, size_t count, known_field field) {
    begin_list(c, key);
    for (size_t d = 0; d < count; d++) {
        if (d) text_puts(&c->json, ", ");
        if (field == FIELD_GRID)
            put_grid(&c->json, k[d].grid);
        else
            put_size(&c->json, field == FIELD_SIZE ? known_size(&k[d]) : known_width(&k[d]));
    }
    text_putc(&c->json, ']');
}

static void put_sizes(certification *c, const char *key, const double *x, size_t count) {
    begin_list(c, key);
    for (size_t k = 0; k < count; k++) {
        if (k) text_puts(&c->json, ", ");
        put_size(&c->json, x[k]);
    }
    text_putc(&c->json, ']');
}

static void put_bounds(certification *c, const char *key, const ball *x, size_t count) {
    begin_list(c, key);
    for (size_t k = 0; k < count; k++) {
        if (k) text_puts(&c->json, ", ");
        put_bound(&c->json, &x[k]);
    }
    text_putc(&c->json, ']');
}

/* ---- the parts ---- */

static void put_channels(certification *c, const hard_facts *f) {
    static const char *const after[] = {"embedding", "heads", "units"};
    uint32_t layers = f->s.model->layer_count, count = f->s.model->channel_count;
    certificate_array(c, "channels");
    for (uint32_t k = 0; k <= 2 * layers; k++) {
        uint32_t layer = (k + 1) / 2; /* 0, 1, 1, 2, 2, ... */
        const known *x = k == 2 * layers ? f->all->after
                         : k % 2 == 1    ? f->all->layers[layer - 1].middle
                                         : f->all->layers[layer].before;
        certificate_element(c);
        certificate_count(c, "layer", layer);
        certificate_text(c, "after", after[k == 0 ? 0 : k % 2 == 1 ? 1 : 2]);
        put_knowns(c, "size", x, count, FIELD_SIZE);
        put_knowns(c, "grid", x, count, FIELD_GRID);
        certificate_element_end(c);
    }
    certificate_array_end(c);
}

static const char *choice_name(temper_choice choice) {
    return choice == TEMPER_CHOICE_AVERAGE ? "average" : choice == TEMPER_CHOICE_LEFTMOST ? "leftmost" : "rightmost";
}

static const char *bound_text(certification *c, const ball *x) {
    char digits[BALL_TEXT];
    ball_upper_text(digits, x);
    return arena_copy(c->arena, digits, strlen(digits));
}

/* The same for temper_certificate_head, in short. */
static void keep_head(certification *c, const hard_facts *f, const choice_results *g, uint32_t layer, uint32_t head) {
    const model_head *h = &f->s.model->layers[layer].heads[head];
    uint32_t index = f->head_start[layer] + head;
    ball *error = ball_array(c->arena, 1);
    for (size_t n = 0; n <= f->length; n++) ball_max(error, error, &g->error[index][n]);
    temper_certified_head x = {.layer = layer + 1,
                               .head = head + 1,
                               .label = h->label,
                               .kind = choice_name(h->hard_choice),
                               .by = f->strings ? "strings" : "sets",
                               .logit = bound_text(c, &g->logit[index]),
                               .rounding = bound_text(c, &g->off[index]),
                               .error = bound_text(c, error)};
    array_push(c->arena, c->heads, c->head_count, c->head_capacity, x);
}

static void put_heads(certification *c, const hard_facts *f, const choice_results *g) {
    const temper_model *m = f->s.model;
    certificate_array(c, "heads");
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t k = 0; k < m->layers[l].head_count; k++) {
            const model_head *h = &m->layers[l].heads[k];
            const head_facts *known_of = &f->all->layers[l].heads[k];
            uint32_t index = f->head_start[l] + k;
            certificate_element(c);
            certificate_count(c, "layer", l + 1);
            certificate_count(c, "head", k + 1);
            certificate_text(c, "label", h->label);
            certificate_text(c, "choice", choice_name(h->hard_choice));
            certificate_text(c, "ties", known_of->tieless ? "single" : "some");
            certificate_bound(c, "logit", &g->logit[index]);
            certificate_bound(c, "rounding", &g->off[index]);
            put_knowns(c, "query", known_of->query, h->query.count, FIELD_SIZE);
            put_knowns(c, "query-grid", known_of->query, h->query.count, FIELD_GRID);
            put_knowns(c, "key", known_of->key, h->key.count, FIELD_SIZE);
            put_knowns(c, "key-width", known_of->key, h->key.count, FIELD_WIDTH);
            put_knowns(c, "key-grid", known_of->key, h->key.count, FIELD_GRID);
            put_knowns(c, "value", known_of->value, h->value.count, FIELD_SIZE);
            put_knowns(c, "value-width", known_of->value, h->value.count, FIELD_WIDTH);
            put_knowns(c, "value-grid", known_of->value, h->value.count, FIELD_GRID);
            put_knowns(c, "output", known_of->output, h->value.count, FIELD_SIZE);
            put_knowns(c, "output-grid", known_of->output, h->value.count, FIELD_GRID);
            put_sizes(c, "gap", f->gap[index], f->length + 1);
            put_bounds(c, "share", g->share[index], f->length + 1);
            put_bounds(c, "error", g->error[index], f->length + 1);
            certificate_element_end(c);
            keep_head(c, f, g, l, k);
        }
    certificate_array_end(c);
}

static void put_gates(certification *c, const hard_facts *f) {
    const temper_model *m = f->s.model;
    certificate_array(c, "gates");
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t k = 0; k < f->s.bundles[l].count; k++) {
            const bundle *b = &f->s.bundles[l].items[k];
            const bundle_facts *known_of = &f->all->layers[l].bundles[k];
            certificate_element(c);
            certificate_count(c, "layer", l + 1);
            certificate_count(c, "unit", b->row);
            certificate_count(c, "units", b->unit_count);
            put_knowns(c, "size", &known_of->input, 1, FIELD_SIZE);
            put_knowns(c, "grid", &known_of->input, 1, FIELD_GRID);
            put_sizes(c, "distance", known_of->distance, (size_t)b->corner_count + 1);
            certificate_element_end(c);
        }
    certificate_array_end(c);
}

void choice_file_write(certification *c, const hard_facts *f, const choice_results *g, bool everywhere) {
    const double *margin = everywhere ? f->margin_everywhere : f->margin;
    double least = INFINITY;
    ball *most = ball_array(c->arena, 1);
    for (size_t n = 0; n <= f->length; n++) {
        least = fmin(least, margin[n]);
        ball_max(most, most, &g->answer[n]);
    }
    certificate_begin(c);
    put_member(c, "positions", everywhere ? "every" : "verdict");
    put_member(c, "facts", f->strings ? "strings" : "sets");
    put_channels(c, f);
    put_heads(c, f, g);
    put_gates(c, f);
    certificate_array(c, "lengths");
    certificate_element(c);
    put_sizes(c, "margin", margin, f->length + 1);
    put_bounds(c, "error", g->answer, f->length + 1);
    certificate_element_end(c);
    certificate_array_end(c);
    certificate_member_bound(c, "error", most);
    text t;
    text_init(&t, c->arena);
    if (least < INFINITY)
        text_double(&t, least);
    else
        text_puts(&t, "inf");
    put_member(c, "margin", text_string(&t));
    text shown;
    text_init(&shown, c->arena);
    text_printf(&shown, "%.4g", least);
    c->allowed = text_string(&shown);
    certificate_end(c);
}
