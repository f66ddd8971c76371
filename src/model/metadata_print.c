/* A model without its weights as JSON; metadata_read.c reads it back. What has its default is left out. */
#include <string.h>

#include "logic/formula.h"
#include "base/json_write.h"
#include "model/model_metadata.h"

static void put_name(text *out, const char *name) {
    if (out->data[out->length - 1] != '{') text_putc(out, ',');
    text_printf(out, "\"%s\":", name);
}

static void put_text(text *out, const char *name, const char *value) {
    put_name(out, name);
    jwrite_string(out, value, strlen(value));
}

static void put_count(text *out, const char *name, unsigned long long value) {
    put_name(out, name);
    text_printf(out, "%llu", value);
}

static void put_true(text *out, const char *name, bool value) {
    if (!value) return;
    put_name(out, name);
    text_puts(out, "true");
}

static void put_expression(text *out, const char *name, const expression *e) {
    put_name(out, name);
    text_putc(out, '"');
    expression_print(out, e); /* holds nothing to escape */
    text_putc(out, '"');
}

/* JSON has no hexadecimal numbers: doubles are texts. */
static void put_double(text *out, const char *name, double x) {
    put_name(out, name);
    text_putc(out, '"');
    text_double(out, x);
    text_putc(out, '"');
}

/* Opens an element of an array. */
static void open_element(text *out) { text_puts(out, out->data[out->length - 1] == '[' ? "{" : ",{"); }

static void open_array(text *out, const char *name) {
    put_name(out, name);
    text_putc(out, '[');
}

static void put_texts(text *out, const char *name, const char *const *texts, size_t count) {
    open_array(out, name);
    for (size_t k = 0; k < count; k++) {
        if (k) text_putc(out, ',');
        jwrite_string(out, texts[k], strlen(texts[k]));
    }
    text_putc(out, ']');
}

static void print_settings(text *out, const temper_model *m) {
    put_count(out, "version", model_version(m));
    if (m->kind != TEMPER_KIND_ACCEPTOR) {
        put_text(out, "kind", temper_kind_name(m->kind));
        put_texts(out, "outputs", m->output_names, m->read.count);
        put_true(out, "logits", model_has_logits(m));
    }
    if (m->digits) {
        put_name(out, "method");
        text_printf(out, "\"digits %s\"", temper_type_name(m->digits->type));
    } else {
        put_text(out, "method", temper_method_name(m->method));
    }
    put_text(out, "syntax", syntax_names[m->syntax]);
    put_text(out, "source", m->source);
    put_texts(out, "alphabet", m->letters.letters, m->letters.count);
    if (m->letters.other != UINT32_MAX) put_text(out, "other", m->letters.letters[m->letters.other]);
    put_true(out, "tokens", m->letters.tokens);
    put_text(out, "at", m->at == TEMPER_AT_FIRST ? "first" : "last");
    put_text(out, "empty", m->accepts_empty ? "accept" : "reject");
    put_true(out, "end", m->has_end);
    if (model_has_record(&m->record)) {
        put_count(out, "safe", m->record.length);
        put_text(out, "reason", m->record.reason);
        put_name(out, "bound");
        text_putc(out, '{');
        put_double(out, "error", m->record.error);
        put_double(out, "margin", m->record.margin);
        put_text(out, "of", m->record.verdict_only ? "verdict" : "positions");
        text_putc(out, '}');
    }
}

static void print_channels(text *out, const temper_model *m) {
    open_array(out, "channels");
    for (uint32_t k = 0; k < m->channel_count; k++) {
        const model_channel *c = &m->channels[k];
        open_element(out);
        put_text(out, "label", c->label);
        if (c->position) put_expression(out, c->soft_only ? "soft" : "position", c->position);
        text_putc(out, '}');
    }
    text_putc(out, ']');
}

static void print_head(text *out, const model_head *h) {
    open_element(out);
    put_text(out, "label", h->label);
    if (h->role) put_text(out, "role", head_role_name(h->role));
    put_text(out, "mask", temper_mask_name(h->mask));
    put_text(out, "choice", temper_choice_name(h->choice));
    if (h->hard_choice != h->choice) put_text(out, "for", temper_choice_name(h->hard_choice));
    if (h->scale) put_expression(out, h->adaptive ? "adaptive" : "scale", h->scale);
    put_count(out, "query", h->query.count);
    put_count(out, "value", h->value.count);
    text_putc(out, '}');
}

static void print_layers(text *out, const temper_model *m) {
    open_array(out, "layers");
    for (uint32_t k = 0; k < m->layer_count; k++) {
        const model_layer *l = &m->layers[k];
        open_element(out);
        open_array(out, "heads");
        for (uint32_t h = 0; h < l->head_count; h++) print_head(out, &l->heads[h]);
        text_putc(out, ']');
        put_count(out, "units", l->in.count);
        text_putc(out, '}');
    }
    text_putc(out, ']');
}

static void print_parts(text *out, const temper_model *m) {
    open_array(out, "parts");
    for (size_t k = 0; k < m->part_count; k++) {
        const model_part *p = &m->parts[k];
        open_element(out);
        put_text(out, "formula", p->formula);
        put_count(out, "layer", p->layer);
        if (p->head >= 0) put_count(out, "head", (unsigned long long)p->head + 1);
        if (p->channel >= 0) put_count(out, "channel", (unsigned long long)p->channel);
        text_putc(out, '}');
    }
    text_putc(out, ']');
}

void metadata_print(text *out, const temper_model *m) {
    text_putc(out, '{');
    print_settings(out, m);
    print_channels(out, m);
    print_layers(out, m);
    print_parts(out, m);
    text_putc(out, '}');
}
