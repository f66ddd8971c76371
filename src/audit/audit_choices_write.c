/* The certificate of a model without Boolean channels as text (doc/certificate.md, "The file for hard choices"), byte
   for byte. */
#include <math.h>

#include "audit/audit_choices_facts.h"

static void put_size(text *out, double x) {
    text_putc(out, '"');
    if (isinf(x))
        text_puts(out, "inf");
    else
        text_double(out, x);
    text_putc(out, '"');
}

static void put_comma(text *out, size_t k) {
    if (k) text_puts(out, ", ");
}

static void put_sizes(text *out, const char *key, const double *x, size_t count) {
    text_printf(out, "\"%s\": [", key);
    for (size_t k = 0; k < count; k++) {
        put_comma(out, k);
        put_size(out, x[k]);
    }
    text_putc(out, ']');
}

typedef enum member { MEMBER_SIZE, MEMBER_WIDTH } member;

static void put_extents(text *out, const char *key, const extent *e, size_t count, member which) {
    text_printf(out, "\"%s\": [", key);
    for (size_t k = 0; k < count; k++) {
        put_comma(out, k);
        put_size(out, which == MEMBER_SIZE ? e[k].size : e[k].width);
    }
    text_putc(out, ']');
}

static void put_grids(text *out, const char *key, const extent *e, size_t count) {
    text_printf(out, "\"%s\": [", key);
    for (size_t k = 0; k < count; k++) {
        put_comma(out, k);
        if (e[k].grid == GRID_ZERO)
            text_puts(out, "\"any\"");
        else if (e[k].grid == GRID_NONE)
            text_puts(out, "null");
        else
            text_printf(out, "%d", e[k].grid);
    }
    text_putc(out, ']');
}

static void put_texts(text *out, const char *key, const char *const *x, size_t count) {
    text_printf(out, "\"%s\": [", key);
    for (size_t k = 0; k < count; k++) {
        put_comma(out, k);
        text_printf(out, "\"%s\"", x[k]);
    }
    text_putc(out, ']');
}

static void put_channels(text *out, const hard_choices *g) {
    size_t stages = 2 * (size_t)g->model->layer_count + 1;
    text_puts(out, "  \"channels\": [");
    for (size_t s = 0; s < stages; s++) {
        audit_next_element(out, s);
        text_printf(out, "\"layer\": %zu, \"after\": \"%s\", ", (s + 1) / 2,
                    s == 0  ? "embedding"
                    : s % 2 ? "heads"
                            : "units");
        put_extents(out, "size", choices_stage(g, s), g->channels, MEMBER_SIZE);
        text_puts(out, ", ");
        put_grids(out, "grid", choices_stage(g, s), g->channels);
        text_putc(out, '}');
    }
    audit_end_array(out, stages);
}

static void put_head(text *out, const hard_choices *g, const head_claim *f) {
    static const char *const choices[] = {[TEMPER_CHOICE_LEFTMOST] = "leftmost",
                                          [TEMPER_CHOICE_RIGHTMOST] = "rightmost",
                                          [TEMPER_CHOICE_AVERAGE] = "average",
                                          [TEMPER_CHOICE_SOFTMAX] = "softmax"};
    const model_head *h = f->exact.head;
    size_t d = h->query.count, v = h->value.count, lengths = g->length + 1;
    text_printf(out, "\"layer\": %u, \"head\": %u, ", f->layer, f->number);
    audit_put_text(out, "label", h->label);
    text_printf(out, ", \"choice\": \"%s\", \"ties\": \"%s\", ", choices[h->hard_choice],
                f->single ? "single" : "some");
    audit_put_bound(out, "logit", f->logit);
    text_puts(out, ", ");
    audit_put_bound(out, "rounding", f->rounding);
    text_puts(out, ", ");
    put_extents(out, "query", f->query, d, MEMBER_SIZE);
    text_puts(out, ", ");
    put_grids(out, "query-grid", f->query, d);
    text_puts(out, ", ");
    put_extents(out, "key", f->key, d, MEMBER_SIZE);
    text_puts(out, ", ");
    put_extents(out, "key-width", f->key, d, MEMBER_WIDTH);
    text_puts(out, ", ");
    put_grids(out, "key-grid", f->key, d);
    text_puts(out, ", ");
    put_extents(out, "value", f->value, v, MEMBER_SIZE);
    text_puts(out, ", ");
    put_extents(out, "value-width", f->value, v, MEMBER_WIDTH);
    text_puts(out, ", ");
    put_grids(out, "value-grid", f->value, v);
    text_puts(out, ", ");
    put_extents(out, "output", f->output, v, MEMBER_SIZE);
    text_puts(out, ", ");
    put_grids(out, "output-grid", f->output, v);
    text_puts(out, ", ");
    put_sizes(out, "gap", f->gap, lengths);
    text_puts(out, ", ");
    put_texts(out, "share", f->share, lengths);
    text_puts(out, ", ");
    put_texts(out, "error", f->error, lengths);
    text_putc(out, '}');
}

static void put_gates(text *out, const hard_choices *g) {
    text_puts(out, "  \"gates\": [");
    for (size_t k = 0; k < g->bundle_count; k++) {
        const bundle_claim *b = &g->bundles[k];
        audit_next_element(out, k);
        text_printf(out, "\"layer\": %u, \"unit\": %u, \"units\": %zu, ", b->layer, b->units[0], b->count);
        put_extents(out, "size", &b->z, 1, MEMBER_SIZE);
        text_puts(out, ", ");
        put_grids(out, "grid", &b->z, 1);
        text_puts(out, ", ");
        put_sizes(out, "distance", b->distance, b->corner_count + 1);
        text_putc(out, '}');
    }
    audit_end_array(out, g->bundle_count);
}

void choices_print(text *out, const hard_choices *g) {
    const double *margin = g->every ? g->margin : g->verdict;
    double least = INFINITY;
    for (size_t n = 0; n <= g->length; n++) least = least_of(least, margin[n]);
    audit_write_claim(out, g->audit, "hard choices");
    audit_put_member(out, "positions", g->every ? "every" : "verdict");
    audit_put_member(out, "facts", g->by_sets ? "sets" : "strings");
    put_channels(out, g);
    text_puts(out, "  \"heads\": [");
    for (size_t k = 0; k < g->head_count; k++) {
        audit_next_element(out, k);
        put_head(out, g, &g->heads[k]);
    }
    audit_end_array(out, g->head_count);
    put_gates(out, g);
    text_puts(out, "  \"lengths\": [\n    {");
    put_sizes(out, "margin", margin, g->length + 1);
    text_puts(out, ", ");
    put_texts(out, "error", g->errors, g->length + 1);
    text_puts(out, "}\n  ],\n  ");
    audit_put_bound(out, "error", g->largest);
    text_puts(out, ",\n  \"margin\": ");
    put_size(out, least);
    text_puts(out, "\n}\n");
}
