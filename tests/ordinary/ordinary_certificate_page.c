#include "ordinary_certificate_page.h"

#include <string.h>

#include "base/json_write.h"
#include "base/sha256.h"

static void put_text(text *out, const char *key, const char *value) {
    text_printf(out, "  \"%s\": ", key);
    jwrite_string(out, value, strlen(value));
    text_puts(out, ",\n");
}

static void put_sha256(text *out, const text *bytes) {
    unsigned char digest[SHA256_SIZE];
    char hex[SHA256_HEX + 1];
    sha256 h;
    sha256_start(&h);
    sha256_add(&h, bytes->data, bytes->length);
    sha256_finish(digest, &h);
    sha256_hex(hex, digest);
    text_puts(out, hex);
}

static void put_head(text *out, const lift_head *h) {
    text_printf(out, "    {\"layer\": %u, \"head\": %u, \"role\": \"%s\"", h->layer, h->slot + 1,
                lift_role_name(h->role));
    if (h->role == LIFT_NEAREST) text_printf(out, ", \"which\": \"%s\"", h->last ? "last" : "first");
    text_putc(out, '}');
}

void ordinary_certificate_page(text *out, const struct ordinary_options *o, const temper_spec *read,
                               const struct ordinary_model *m, const lift *u, const text *bytes) {
    static const char *const syntaxes[] = {"spec", "crasp", "brasp", "regex", "dfa"};
    static const char *const kinds[] = {"acceptor", "next", "transducer"};
    bool llama = m->architecture == ORDINARY_LLAMA;
    text_puts(out, "{\n  \"temper-stock-certificate\": 1,\n");
    put_text(out, "claim", read->viable ? "formula if viable is right" : "formula");
    put_text(out, "source", arena_copy(out->arena, read->source, read->source_length));
    put_text(out, "syntax", syntaxes[read->syntax]);
    put_text(out, "at", read->at == TEMPER_AT_FIRST ? "first" : "last");
    put_text(out, "empty", read->accepts_empty ? "accept" : "reject");
    put_text(out, "kind", kinds[read->kind]);
    text_puts(out, "  \"alphabet\": [");
    for (size_t k = 0; k < read->letters.count; k++) {
        text_puts(out, k ? ", " : "");
        jwrite_string(out, read->letters.letters[k], strlen(read->letters.letters[k]));
    }
    text_puts(out, "],\n");
    put_text(out, "architecture", llama ? "llama" : "gpt2");
    text_printf(out, "  \"length\": %zu,\n", o->length);
    put_text(out, "weights", o->weights == ORDINARY_F16 ? "f16" : "f32");
    put_text(out, "cache", o->kv == ORDINARY_F16 ? "f16" : "f32");
    put_text(out, "positions", !llama ? "table" : u->ramp > 0 ? "ramp" : "digits");
    text_printf(out, "  \"mirrored\": %s,\n  \"files\": [{\"name\": \"model.gguf\", \"sha256\": \"",
                m->mirrored ? "true" : "false");
    put_sha256(out, bytes);
    text_printf(out, "\"}],\n  \"balances\": %u,\n  \"heads\": [\n", u->zero_sums);
    for (size_t k = 0; k < u->head_count; k++) {
        text_puts(out, k ? ",\n" : "");
        put_head(out, &u->heads[k]);
    }
    text_puts(out, "\n  ],\n  \"allowed\": 32\n}\n");
}
