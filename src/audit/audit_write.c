/* The certificate as text (doc/certificate.md, "The file"), byte for byte. */
#include <string.h>

#include "audit/audit.h"
#include "base/json_write.h"
#include "base/sha256.h"

static const char *const kinds[] = {"once", "nearest", "count", "compare", "balance", "lookup", "match"};

void audit_put_text(text *out, const char *key, const char *value) {
    text_printf(out, "\"%s\": ", key);
    jwrite_string(out, value, strlen(value));
}

void audit_put_bound(text *out, const char *key, const ball *x) {
    char bound[BALL_TEXT];
    ball_upper_text(bound, x);
    text_printf(out, "\"%s\": \"%s\"", key, bound);
}

void audit_put_member(text *out, const char *key, const char *value) {
    text_puts(out, "  ");
    audit_put_text(out, key, value);
    text_puts(out, ",\n");
}

/* Elements are objects, one a line. */
void audit_next_element(text *out, size_t before) { text_puts(out, before ? ",\n    {" : "\n    {"); }
void audit_end_array(text *out, size_t count) { text_puts(out, count ? "\n  ],\n" : "],\n"); }

static void put_model(text *out, const audit *a) {
    unsigned char digest[SHA256_SIZE];
    char hex[SHA256_HEX + 1];
    sha256 h;
    sha256_start(&h);
    sha256_add(&h, a->bytes, a->size);
    sha256_finish(digest, &h);
    sha256_hex(hex, digest);
    text_printf(out, "  \"model\": {\"sha256\": \"%s\", \"bytes\": %zu},\n", hex, a->size);
}

static void put_rows(text *out, const language_table *t) {
    text_puts(out, ", \"table\": [");
    for (size_t row = 0; row < t->row_count; row++) {
        text_puts(out, row ? ", \"" : "\"");
        language_write_row(out, t, row);
        text_putc(out, '"');
    }
    text_putc(out, ']');
}

static void put_languages(text *out, const audit *a) {
    if (!a->language_count) return;
    text_puts(out, "  \"languages\": [");
    for (size_t k = 0; k < a->language_count; k++) {
        const audited_language *l = &a->languages[k];
        audit_next_element(out, k);
        text_puts(out, "\"language\": ");
        jwrite_string(out, l->language->source, l->language->source_length);
        text_puts(out, ", ");
        audit_put_text(out, "formula", l->formula);
        put_rows(out, &l->table);
        text_putc(out, '}');
    }
    audit_end_array(out, a->language_count);
}

static void put_outputs(text *out, const audit *a) {
    const temper_model *m = a->model;
    if (m->kind == TEMPER_KIND_ACCEPTOR) return;
    text_puts(out, "  \"outputs\": [");
    for (size_t k = 0; k < model_output_count(m); k++) {
        const audited_output *x = &a->outputs[k];
        audit_next_element(out, k);
        audit_put_text(out, "output", m->output_names[k]);
        text_printf(out, ", \"empty\": \"%s\"", x->empty ? "accept" : "reject");
        if (x->formula) {
            text_puts(out, ", ");
            audit_put_text(out, "formula", x->formula);
        }
        if (x->table) put_rows(out, x->table);
        text_putc(out, '}');
    }
    audit_end_array(out, model_output_count(m));
}

static void put_scores(text *out, const audit *a) {
    if (!a->score_count || !a->scores[0].formula) return;
    text_puts(out, "  \"scores\": [");
    for (size_t k = 0; k < a->score_count; k++) {
        audit_next_element(out, k);
        audit_put_text(out, "formula", a->scores[k].formula);
        put_rows(out, a->scores[k].table);
        text_putc(out, '}');
    }
    audit_end_array(out, a->score_count);
}

static void put_channels(text *out, const audit *a) {
    const temper_model *m = a->model;
    size_t count = 0;
    text_puts(out, "  \"channels\": [");
    for (size_t k = 0; k < m->part_count; k++) {
        const model_part *p = &m->parts[k];
        if (p->channel < 0 || a->choices || a->language_count || m->kind == TEMPER_KIND_NEXT) continue;
        audit_next_element(out, count++);
        text_printf(out, "\"layer\": %u, \"channel\": %lld, ", p->layer, (long long)p->channel);
        audit_put_text(out, "formula", p->formula);
        text_putc(out, '}');
    }
    audit_end_array(out, count);
}

static void put_heads(text *out, const audit *a) {
    text_puts(out, "  \"heads\": [");
    for (size_t k = 0; k < a->head_count; k++) {
        const audit_head *f = &a->heads[k];
        audit_next_element(out, k);
        text_printf(out, "\"layer\": %u, \"head\": %u, ", f->layer, f->number);
        audit_put_text(out, "label", f->head->label);
        text_printf(out, ", \"kind\": \"%s\", \"by\": \"%s\", ", kinds[f->kind],
                    f->every_length ? "every length" : "bound");
        audit_put_bound(out, "logit", f->size);
        text_puts(out, ", ");
        audit_put_bound(out, "rounding", f->rounding);
        text_puts(out, ", ");
        audit_put_bound(out, "error", f->error);
        text_putc(out, '}');
    }
    audit_end_array(out, a->head_count);
}

static void put_gates(text *out, const audit *a) {
    const temper_model *m = a->model;
    size_t count = 0;
    text_puts(out, "  \"gates\": [");
    for (uint32_t l = 0; l < m->layer_count; l++) {
        if (m->layers[l].in.count == 0) continue;
        audit_next_element(out, count++);
        text_printf(out, "\"layer\": %u, \"units\": %u, \"raw\": %u, ", l + 1, m->layers[l].in.count,
                    a->layers[l].raw);
        audit_put_bound(out, "error", a->layers[l].error);
        text_putc(out, '}');
    }
    audit_end_array(out, count);
}

/* The members that every certificate begins with. */
void audit_write_claim(text *out, const audit *a, const char *claim) {
    static const char *const syntaxes[] = {[TEMPER_SYNTAX_SPEC] = "spec",
                                           [TEMPER_SYNTAX_CRASP] = "crasp",
                                           [TEMPER_SYNTAX_BRASP] = "brasp",
                                           [TEMPER_SYNTAX_REGEX] = "regex",
                                           [TEMPER_SYNTAX_DFA] = "dfa"};
    const temper_model *m = a->model;
    bool several = m->kind != TEMPER_KIND_ACCEPTOR;
    text_printf(out, "{\n  \"temper-certificate\": %d,\n", several ? 3 : 2);
    put_model(out, a);
    audit_put_member(out, "claim", claim);
    audit_put_member(out, "source", m->source);
    audit_put_member(out, "syntax", syntaxes[m->syntax]);
    audit_put_member(out, "at", m->at == TEMPER_AT_FIRST ? "first" : "last");
    audit_put_member(out, "empty", m->accepts_empty ? "accept" : "reject");
    if (several) audit_put_member(out, "kind", m->kind == TEMPER_KIND_NEXT ? "next" : "transducer");
    if (a->read_off && !several) audit_put_member(out, "read-off", a->read_off);
    text_printf(out, "  \"length\": %llu,\n", (unsigned long long)a->length);
    audit_put_member(out, "type", a->type.type->name);
    audit_put_member(out, "order", a->type.tile ? "tiles" : a->type.any_order ? "any" : "ascending");
}

void audit_write(text *out, const audit *a) {
    audit_write_claim(out, a, a->choices ? "hard choices" : a->viable ? "formula if viable is right" : "formula");
    put_outputs(out, a);
    put_scores(out, a);
    put_languages(out, a);
    put_channels(out, a);
    put_heads(out, a);
    put_gates(out, a);
    text_puts(out, "  ");
    audit_put_bound(out, "error", a->largest);
    text_puts(out, ",\n  \"allowed\": \"2.500e-01\"");
    if (a->logits) {
        text_puts(out, ",\n  ");
        audit_put_bound(out, "logits", a->logits);
        text_puts(out, ",\n  ");
        if (a->chances)
            audit_put_bound(out, "log-probabilities", a->chances);
        else
            audit_put_text(out, "log-probabilities", "not proved");
    }
    text_puts(out, "\n}\n");
}
