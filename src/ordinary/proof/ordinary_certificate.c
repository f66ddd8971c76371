#include "ordinary/proof/ordinary_certificate.h"

#include <string.h>

#include "base/json_write.h"
#include "base/sha256.h"

static void key(text *out, const char *name) { text_printf(out, ",\n  \"%s\": ", name); }

static void put_text(text *out, const char *value) { jwrite_string(out, value, strlen(value)); }

static void member(text *out, const char *name, const char *value) {
    key(out, name);
    put_text(out, value);
}

static void put_files(text *out, const ordinary_digest *files, size_t count) {
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

static void put_head(text *out, const struct ordinary_hint *h) {
    bool chooses = h->role == ORDINARY_NEAREST || h->role == ORDINARY_MATCH;
    text_printf(out, "{\"layer\": %u, \"head\": %u, \"role\": \"%s\"", h->layer + 1, h->slot + 1,
                ordinary_role_name(h->role));
    if (chooses) text_printf(out, ", \"which\": \"%s\"", h->last ? "last" : "first");
    text_putc(out, '}');
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
    if (hard->letters.tokens) {
        key(out, "tokens");
        text_puts(out, "true");
    }
    if (alphabet_other(&hard->letters)) member(out, "other", alphabet_other(&hard->letters));
}

void ordinary_certificate_print(text *out, const ordinary_proof *proof, const temper_model *hard,
                                const ordinary_digest *files, size_t count) {
    const prover *p = proof->details;
    bool gpt2 = p->m->architecture == ORDINARY_GPT2;
    text_puts(out, "{\n  \"temper-stock-certificate\": 1");
    member(out, "claim", temper_claim_name(proof->claim));
    put_source(out, hard);
    member(out, "architecture", gpt2 ? "gpt2" : "llama");
    key(out, "length");
    text_printf(out, "%zu", p->positions - 1);
    member(out, "weights", p->options.weights == ORDINARY_F16 ? "f16" : "f32");
    member(out, "cache", p->options.kv == ORDINARY_F16 ? "f16" : "f32");
    member(out, "positions", gpt2 ? "table" : p->m->digits ? "digits" : "ramp");
    key(out, "mirrored");
    text_puts(out, p->m->mirrored ? "true" : "false");
    put_files(out, files, count);
    key(out, "balances");
    text_printf(out, "%u", p->m->zero_sums);
    key(out, "heads");
    text_putc(out, '[');
    for (size_t k = 0; k < p->head_count; k++) {
        text_printf(out, "%s\n    ", k ? "," : "");
        put_head(out, p->heads[k].hint);
    }
    text_puts(out, p->head_count ? "\n  ]" : "]");
    key(out, "allowed");
    text_puts(out, "32\n}\n");
}
