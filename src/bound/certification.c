#include "bound/certification.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "logic/formula.h"

#include "base/json_write.h"
#include "base/sha256.h"

const char *certification_head(const certification *c, size_t layer, size_t head) {
    const char *label = c->model->layers[layer - 1].heads[head - 1].label;
    text t;
    text_init(&t, c->arena);
    text_printf(&t, "head %zu.%zu (%s)", layer, head, text_escaped(c->arena, label, strlen(label), 60));
    return text_string(&t);
}

void certification_unable(certification *c, size_t layer, size_t head, const char *format, ...) {
    if (c->reason.length) return;
    char line[400];
    va_list arguments;
    va_start(arguments, format);
    print_list(line, sizeof line, format, arguments);
    va_end(arguments);
    text_puts(&c->reason, line);
    c->verdict = TEMPER_UNABLE;
    c->fault.layer = layer;
    c->fault.head = head;
}

void certification_progress(certification *c, uint64_t done, uint64_t total) {
    if (c->options.progress && c->options.progress(c->options.context, done, total))
        trap_raise(c->trap, TEMPER_LIMIT, 0, 0, "stopped after %llu of %llu steps", (unsigned long long)done,
                   (unsigned long long)total);
}

/* ---- the file ---- */

/* Commas: json ends in an open bracket or not. */
static void separate(certification *c, const char *between) {
    char last = c->json.data[c->json.length - 1];
    if (last != '[' && last != '{') text_putc(&c->json, ',');
    if (*between == '\n' || last != '{') text_puts(&c->json, between);
}

static void member(certification *c, const char *key) {
    separate(c, "\n  ");
    jwrite_string(&c->json, key, strlen(key));
    text_puts(&c->json, ": ");
}

void certificate_member_text(certification *c, const char *key, const char *value) {
    member(c, key);
    jwrite_string(&c->json, value, strlen(value));
}

void certificate_begin(certification *c) {
    const temper_model *m = c->model;
    unsigned char digest[SHA256_SIZE];
    char hex[SHA256_HEX + 1];
    sha256 h;
    sha256_start(&h);
    sha256_add(&h, c->bytes, c->size);
    sha256_finish(digest, &h);
    sha256_hex(hex, digest);
    text_init(&c->json, c->arena);
    bool several = m->kind != TEMPER_KIND_ACCEPTOR;
    text_printf(&c->json, "{\n  \"temper-certificate\": %d", several ? 3 : 2);
    member(c, "model");
    text_printf(&c->json, "{\"sha256\": \"%s\", \"bytes\": %zu}", hex, c->size);
    certificate_member_text(c, "claim", temper_claim_name(c->claim));
    certificate_member_text(c, "source", m->source);
    certificate_member_text(c, "syntax", syntax_names[m->syntax]);
    certificate_member_text(c, "at", m->at == TEMPER_AT_FIRST ? "first" : "last");
    certificate_member_text(c, "empty", m->accepts_empty ? "accept" : "reject");
    if (several) certificate_member_text(c, "kind", temper_kind_name(m->kind));
    if (c->read_off && !several) certificate_member_text(c, "read-off", c->read_off);
    member(c, "length");
    text_printf(&c->json, "%zu", c->options.length);
    certificate_member_text(c, "type", c->type->name);
    certificate_member_text(c, "order", c->type->tile ? "tiles" : c->ascending ? "ascending" : "any");
}

void certificate_array(certification *c, const char *key) {
    member(c, key);
    text_putc(&c->json, '[');
}

void certificate_array_end(certification *c) {
    bool empty = c->json.data[c->json.length - 1] == '[';
    text_puts(&c->json, empty ? "]" : "\n  ]");
}

void certificate_element(certification *c) {
    separate(c, "\n    ");
    text_putc(&c->json, '{');
}

void certificate_element_end(certification *c) { text_putc(&c->json, '}'); }

static void element_key(certification *c, const char *key) {
    separate(c, " ");
    jwrite_string(&c->json, key, strlen(key));
    text_puts(&c->json, ": ");
}

void certificate_count(certification *c, const char *key, uint64_t value) {
    element_key(c, key);
    text_printf(&c->json, "%llu", (unsigned long long)value);
}

void certificate_bytes(certification *c, const char *key, const char *value, size_t length) {
    element_key(c, key);
    jwrite_string(&c->json, value, length);
}

void certificate_text(certification *c, const char *key, const char *value) {
    certificate_bytes(c, key, value, strlen(value));
}

void certificate_texts(certification *c, const char *key, const char *const *values, size_t count) {
    element_key(c, key);
    text_putc(&c->json, '[');
    for (size_t k = 0; k < count; k++) {
        if (k) text_puts(&c->json, ", ");
        jwrite_string(&c->json, values[k], strlen(values[k]));
    }
    text_putc(&c->json, ']');
}

void certificate_bound(certification *c, const char *key, const ball *value) {
    char bound[BALL_TEXT];
    ball_upper_text(bound, value);
    certificate_text(c, key, bound);
}

static const char *bound_text(certification *c, const ball *value) {
    char bound[BALL_TEXT];
    ball_upper_text(bound, value);
    return arena_copy(c->arena, bound, strlen(bound));
}

void certificate_head(certification *c, size_t layer, size_t head, const char *kind, const char *by,
                      const ball *logit, const ball *rounding, const ball *error) {
    temper_certified_head x = {.layer = layer,
                               .head = head,
                               .label = c->model->layers[layer - 1].heads[head - 1].label,
                               .kind = kind,
                               .by = by,
                               .logit = bound_text(c, logit),
                               .rounding = bound_text(c, rounding),
                               .error = bound_text(c, error)};
    certificate_element(c);
    certificate_count(c, "layer", layer);
    certificate_count(c, "head", head);
    certificate_text(c, "label", x.label);
    certificate_text(c, "kind", kind);
    certificate_text(c, "by", by);
    certificate_text(c, "logit", x.logit);
    certificate_text(c, "rounding", x.rounding);
    certificate_text(c, "error", x.error);
    certificate_element_end(c);
    array_push(c->arena, c->heads, c->head_count, c->head_capacity, x);
}

void certificate_member_bound(certification *c, const char *key, const ball *value) {
    const char *bound = bound_text(c, value);
    certificate_member_text(c, key, bound);
    if (strcmp(key, "error") == 0) c->error = bound;
    if (strcmp(key, "allowed") == 0) c->allowed = bound;
    if (strcmp(key, "logits") == 0) c->logits = bound;
    if (strcmp(key, "log-probabilities") == 0) c->chances = bound;
}

void certificate_end(certification *c) {
    text_puts(&c->json, "\n}\n");
    c->verdict = TEMPER_PROVED;
    c->reason.length = 0;
}
