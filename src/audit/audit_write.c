/* The certificate as text (doc/certificate.md, section 2), byte for byte. */
#include <string.h>

#include "audit/audit.h"
#include "base/json_write.h"
#include "base/sha256.h"

static const char *const kinds[] = {"once", "nearest", "count", "compare", "balance", "lookup"};

static void put_text(text *out, const char *key, const char *value) {
    text_printf(out, "\"%s\": ", key);
    jwrite_string(out, value, strlen(value));
}

static void put_bound(text *out, const char *key, const ball *x) {
    char bound[BALL_TEXT];
    ball_upper_text(bound, x);
    text_printf(out, "\"%s\": \"%s\"", key, bound);
}

static void put_member(text *out, const char *key, const char *value) {
    text_puts(out, "  ");
    put_text(out, key, value);
    text_puts(out, ",\n");
}

/* Elements are objects, one a line. */
static void next_element(text *out, size_t before) { text_puts(out, before ? ",\n    {" : "\n    {"); }
static void end_array(text *out, size_t count) { text_puts(out, count ? "\n  ],\n" : "],\n"); }

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

static void put_channels(text *out, const audit *a) {
    const temper_model *m = a->model;
    size_t count = 0;
    text_puts(out, "  \"channels\": [");
    for (size_t k = 0; k < m->part_count; k++) {
        const model_part *p = &m->parts[k];
        if (p->channel < 0) continue;
        next_element(out, count++);
        text_printf(out, "\"layer\": %u, \"channel\": %lld, ", p->layer, (long long)p->channel);
        put_text(out, "formula", p->formula);
        text_putc(out, '}');
    }
    end_array(out, count);
}

static void put_heads(text *out, const audit *a) {
    text_puts(out, "  \"heads\": [");
    for (size_t k = 0; k < a->head_count; k++) {
        const head_facts *f = &a->heads[k];
        next_element(out, k);
        text_printf(out, "\"layer\": %u, \"head\": %u, ", f->layer, f->number);
        put_text(out, "label", f->head->label);
        text_printf(out, ", \"kind\": \"%s\", \"by\": \"%s\", ", kinds[f->kind],
                    f->every_length ? "every length" : "bound");
        put_bound(out, "logit", f->size);
        text_puts(out, ", ");
        put_bound(out, "rounding", f->rounding);
        text_puts(out, ", ");
        put_bound(out, "error", f->error);
        text_putc(out, '}');
    }
    end_array(out, a->head_count);
}

static void put_gates(text *out, const audit *a) {
    const temper_model *m = a->model;
    size_t count = 0;
    text_puts(out, "  \"gates\": [");
    for (uint32_t l = 0; l < m->layer_count; l++) {
        if (m->layers[l].in.count == 0) continue;
        next_element(out, count++);
        text_printf(out, "\"layer\": %u, \"units\": %u, \"raw\": %u, ", l + 1, m->layers[l].in.count,
                    a->layers[l].raw);
        put_bound(out, "error", a->layers[l].error);
        text_putc(out, '}');
    }
    end_array(out, count);
}

void audit_write(text *out, const audit *a) {
    static const char *const syntaxes[] = {
        [TEMPER_SYNTAX_SPEC] = "spec", [TEMPER_SYNTAX_CRASP] = "crasp", [TEMPER_SYNTAX_BRASP] = "brasp"};
    const temper_model *m = a->model;
    text_puts(out, "{\n  \"temper-certificate\": 1,\n");
    put_model(out, a);
    put_member(out, "claim", "formula");
    put_member(out, "source", m->source);
    put_member(out, "syntax", syntaxes[m->syntax]);
    put_member(out, "at", m->at == TEMPER_AT_FIRST ? "first" : "last");
    put_member(out, "empty", m->accepts_empty ? "accept" : "reject");
    text_printf(out, "  \"length\": %llu,\n", (unsigned long long)a->length);
    put_member(out, "type", a->type.type->name);
    put_member(out, "order", a->type.any_order ? "any" : "ascending");
    put_channels(out, a);
    put_heads(out, a);
    put_gates(out, a);
    text_puts(out, "  ");
    put_bound(out, "error", a->largest);
    text_puts(out, ",\n  \"allowed\": \"2.500e-01\"\n}\n");
}
