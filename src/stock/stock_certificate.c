#include "stock/stock_certificate.h"

#include <math.h>
#include <string.h>

#include "base/json_write.h"
#include "base/sha256.h"
#include "number/ball.h"

static void key(text *out, const char *name) { text_printf(out, ",\n  \"%s\": ", name); }

static void put_text(text *out, const char *value) { jwrite_string(out, value, strlen(value)); }

static void member(text *out, const char *name, const char *value) {
    key(out, name);
    put_text(out, value);
}

/* Four digits, rounded up, or down. */
static void put_bound(text *out, double x, bool is_least) {
    char decimal[BALL_TEXT];
    if (isinf(x)) { /* no unit, or no other position */
        text_puts(out, "\"inf\"");
        return;
    }
    ball *b = ball_array(out->arena, 1);
    ball_set_double(b, is_least ? -x : x);
    ball_upper_text(decimal, b);
    const char *digits = is_least && decimal[0] == '-' ? decimal + 1 : decimal;
    text_printf(out, "\"%s%s\"", is_least && digits == decimal && x < 0 ? "-" : "", digits);
}

static void inner_bound(text *out, const char *name, double x, bool is_least) {
    text_printf(out, ", \"%s\": ", name);
    put_bound(out, x, is_least);
}

static void put_files(text *out, const stock_digest *files, size_t count) {
    key(out, "files");
    text_putc(out, '[');
    for (size_t k = 0; k < count; k++) {
        unsigned char digest[SHA256_SIZE];
        char hex[SHA256_HEX + 1];
        sha256 h;
        sha256_start(&h);
        sha256_add(&h, files[k].bytes, files[k].length);
        sha256_finish(digest, &h);
        sha256_hex(hex, digest);
        text_printf(out, "%s\n    {\"name\": ", k ? "," : "");
        put_text(out, files[k].name);
        text_printf(out, ", \"sha256\": \"%s\"}", hex);
    }
    text_puts(out, count ? "\n  ]" : "]");
}

static void put_dimensions(text *out, const char *name, const uint32_t *all, uint32_t from, uint32_t to) {
    text_printf(out, ", \"%s\": [", name);
    for (uint32_t k = from; k < to; k++) text_printf(out, "%s%u", k > from ? ", " : "", all[k]);
    text_putc(out, ']');
}

static void put_head(text *out, const proved_head *h) {
    const struct stock_hint *hint = h->hint;
    bool chooses = hint->role == STOCK_NEAREST || hint->role == STOCK_MATCH;
    uint32_t content = chooses ? hint->content : hint->role == STOCK_YESTERDAY ? 0 : hint->rows;
    text_printf(out, "{\"layer\": %u, \"head\": %u, \"role\": \"%s\", \"which\": \"%s\"", hint->layer + 1,
                hint->slot + 1, stock_role_name(hint->role), hint->last ? "last" : "first");
    put_dimensions(out, "content", hint->dimensions, 0, content);
    put_dimensions(out, "digits", hint->dimensions, content, hint->rows);
    text_puts(out, ", \"query\": ");
    jwrite_number(out, hint->query);
    text_puts(out, ", \"key\": ");
    jwrite_number(out, hint->key);
    text_printf(out, ", \"of\": [%u, %u], \"label\": ", hint->hard_layer, hint->hard_head);
    put_text(out, hint->label);
    inner_bound(out, "score", h->score, false);
    inner_bound(out, "rounding", h->rounding, false);
    inner_bound(out, "gap", h->gap, true);
    inner_bound(out, "leak", h->leak, false);
    inner_bound(out, "error", h->error, false);
    text_putc(out, '}');
}

static void put_layers(text *out, const prover *p) {
    key(out, "layers");
    text_putc(out, '[');
    for (uint32_t l = 0; l < p->m->layer_count; l++) {
        const proved_layer *x = &p->layers[l];
        text_printf(out, "%s\n    {\"layer\": %u", l ? "," : "", l + 1);
        inner_bound(out, "attention-norm", x->attention_norm, false);
        inner_bound(out, "net-norm", x->net_norm, false);
        inner_bound(out, "saturation", x->saturation, true);
        inner_bound(out, "error", x->error, false);
        text_putc(out, '}');
    }
    text_puts(out, "\n  ]");
}

static void put_source(text *out, const temper_model *hard) {
    member(out, "source", hard->source);
    member(out, "syntax", syntax_names[hard->syntax]);
    member(out, "at", hard->at == TEMPER_AT_FIRST ? "first" : "last");
    member(out, "empty", hard->accepts_empty ? "accept" : "reject");
    member(out, "kind", temper_kind_name(hard->kind));
    key(out, "alphabet");
    text_putc(out, '[');
    for (size_t k = 0; k < hard->letters.count; k++) {
        if (k) text_puts(out, ", ");
        put_text(out, hard->letters.letters[k]);
    }
    text_putc(out, ']');
}

void stock_certificate_print(text *out, const stock_proof *proof, const temper_model *hard, const stock_digest *files,
                             size_t count) {
    const prover *p = proof->details;
    bool gpt2 = p->m->architecture == STOCK_GPT2;
    text_puts(out, "{\n  \"temper-stock-certificate\": 1");
    member(out, "claim", temper_claim_name(proof->claim));
    put_source(out, hard);
    member(out, "architecture", gpt2 ? "gpt2" : "llama");
    key(out, "length");
    text_printf(out, "%zu", p->positions - 1);
    member(out, "weights", p->options.weights == STOCK_F16 ? "f16" : "f32");
    member(out, "cache", p->options.kv == STOCK_F16 ? "f16" : "f32");
    member(out, "positions", gpt2 ? "table" : p->m->digits ? "digits" : "ramp");
    key(out, "mirrored");
    text_puts(out, p->m->mirrored ? "true" : "false");
    put_files(out, files, count);
    key(out, "balances");
    text_printf(out, "%u", p->m->balances);
    key(out, "heads");
    text_putc(out, '[');
    for (size_t k = 0; k < p->head_count; k++) {
        text_printf(out, "%s\n    ", k ? "," : "");
        put_head(out, &p->heads[k]);
    }
    text_puts(out, p->head_count ? "\n  ]" : "]");
    put_layers(out, p);
    key(out, "logits");
    put_bound(out, p->logit_error, false);
    key(out, "allowed");
    text_puts(out, "32\n}\n");
}
