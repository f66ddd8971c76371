/* The certificate of an ordinary transformer, as far as the audit starts from it. */
#include <string.h>

#include "audit/audit_stock.h"
#include "base/json_read.h"

enum { VERSION = 1 };

/* A bound, written as text. */
static double read_bound(json_reader *r, arena *a) {
    const char *digits = jread_c_string(r, a, "a bound");
    double x;
    if (!text_to_double(&x, digits, strlen(digits)) || !(x >= 0))
        trap_raise(a->trap, TEMPER_FORMAT, 0, 0, "%s is no bound", text_escaped(a, digits, strlen(digits), 40));
    return x;
}

static bool read_f16(json_reader *r) {
    static const char *const types[] = {"f32", "f16", NULL};
    return jread_choice(r, types, "\"f32\" or \"f16\"");
}

static uint32_t *read_dimensions(json_reader *r, size_t *count, size_t *capacity, arena *a) {
    uint32_t *all = NULL;
    jread_array(r);
    while (jread_element(r)) {
        uint32_t x = (uint32_t)jread_integer(r, 65536, "a dimension");
        array_push(a, all, *count, *capacity, x);
    }
    return all;
}

static void read_head(json_reader *r, stock_claim *c, arena *a) {
    struct stock_claimed_head h = {.role = "", .which = ""};
    json_keys keys;
    jread_keys_init(&keys, a);
    jread_object(r);
    for (json_text key; jread_key(r, &key);) {
        jread_keys_add(&keys, r, key);
        if (jread_is(key, "layer"))
            h.layer = (uint32_t)jread_integer(r, UINT32_MAX, "a layer");
        else if (jread_is(key, "head"))
            h.head = (uint32_t)jread_integer(r, UINT32_MAX, "a head");
        else if (jread_is(key, "role"))
            h.role = jread_c_string(r, a, "a role");
        else if (jread_is(key, "which"))
            h.which = jread_c_string(r, a, "\"last\" or \"first\"");
        else if (jread_is(key, "content"))
            h.content = read_dimensions(r, &h.content_count, &h.content_capacity, a);
        else if (jread_is(key, "digits"))
            h.digits = read_dimensions(r, &h.digit_count, &h.digit_capacity, a);
        else
            jread_skip(r, a);
    }
    array_push(a, c->heads, c->head_count, c->head_capacity, h);
}

static void read_file(json_reader *r, stock_claim *c, arena *a) {
    struct stock_claimed_file f = {.name = "", .sha256 = ""};
    json_keys keys;
    jread_keys_init(&keys, a);
    jread_object(r);
    for (json_text key; jread_key(r, &key);) {
        jread_keys_add(&keys, r, key);
        if (jread_is(key, "name"))
            f.name = jread_c_string(r, a, "a name");
        else if (jread_is(key, "sha256"))
            f.sha256 = jread_c_string(r, a, "a SHA-256");
        else
            jread_skip(r, a);
    }
    array_push(a, c->files, c->file_count, c->file_capacity, f);
}

typedef enum member {
    MEMBER_VERSION,
    MEMBER_CLAIM,
    MEMBER_SOURCE,
    MEMBER_SYNTAX,
    MEMBER_AT,
    MEMBER_EMPTY,
    MEMBER_KIND,
    MEMBER_ALPHABET,
    MEMBER_ARCHITECTURE,
    MEMBER_LENGTH,
    MEMBER_WEIGHTS,
    MEMBER_CACHE,
    MEMBER_POSITIONS,
    MEMBER_MIRRORED,
    MEMBER_FILES,
    MEMBER_BALANCES,
    MEMBER_HEADS,
    MEMBER_LAYERS,
    MEMBER_LOGITS,
    MEMBER_ALLOWED,
    MEMBERS
} member;

static const char *const names[] = {"temper-stock-certificate",
                                    "claim",
                                    "source",
                                    "syntax",
                                    "at",
                                    "empty",
                                    "kind",
                                    "alphabet",
                                    "architecture",
                                    "length",
                                    "weights",
                                    "cache",
                                    "positions",
                                    "mirrored",
                                    "files",
                                    "balances",
                                    "heads",
                                    "layers",
                                    "logits",
                                    "allowed",
                                    NULL};

static void read_member(json_reader *r, int k, stock_claim *c, arena *a) {
    static const char *const claims[] = {"formula", "formula if viable is right", NULL},
                             *const syntaxes[] = {"spec", "crasp", "brasp", "regex", "dfa", NULL},
                             *const ats[] = {"last", "first", NULL}, *const empties[] = {"reject", "accept", NULL},
                             *const kinds[] = {"acceptor", "next", "transducer", NULL},
                             *const architectures[] = {"gpt2", "llama", NULL};
    switch ((member)k) {
    case MEMBER_VERSION:
        if (jread_integer(r, UINT64_MAX, "a version") != VERSION)
            trap_raise(a->trap, TEMPER_FORMAT, 0, 0, "a certificate of a version that this auditor does not know");
        break;
    case MEMBER_CLAIM: c->viable = jread_choice(r, claims, "\"formula\" or \"formula if viable is right\""); break;
    case MEMBER_SOURCE: c->source = jread_c_string(r, a, "a source"); break;
    case MEMBER_SYNTAX: c->syntax = (temper_syntax)jread_choice(r, syntaxes, "a syntax"); break;
    case MEMBER_AT: c->at = jread_choice(r, ats, "\"last\" or \"first\"") ? TEMPER_AT_FIRST : TEMPER_AT_LAST; break;
    case MEMBER_EMPTY: c->accepts_empty = jread_choice(r, empties, "\"accept\" or \"reject\""); break;
    case MEMBER_KIND: c->kind = (temper_kind)jread_choice(r, kinds, "a kind"); break;
    case MEMBER_ALPHABET:
        jread_array(r);
        while (jread_element(r)) {
            const char *letter = jread_c_string(r, a, "a letter");
            array_push(a, c->letters, c->letter_count, c->letter_capacity, letter);
        }
        break;
    case MEMBER_ARCHITECTURE: c->llama = jread_choice(r, architectures, "\"gpt2\" or \"llama\""); break;
    case MEMBER_LENGTH: c->length = jread_integer(r, UINT32_MAX, "a length"); break;
    case MEMBER_WEIGHTS: c->f16_weights = read_f16(r); break;
    case MEMBER_CACHE: c->f16_cache = read_f16(r); break;
    case MEMBER_POSITIONS: c->positions = jread_c_string(r, a, "\"table\", \"ramp\" or \"digits\""); break;
    case MEMBER_MIRRORED: c->mirrored = jread_bool(r, "true or false"); break;
    case MEMBER_FILES:
        jread_array(r);
        while (jread_element(r)) read_file(r, c, a);
        break;
    case MEMBER_BALANCES: c->balances = (uint32_t)jread_integer(r, 65536, "a number of columns"); break;
    case MEMBER_HEADS:
        jread_array(r);
        while (jread_element(r)) read_head(r, c, a);
        break;
    case MEMBER_LOGITS: c->logits = read_bound(r, a); break;
    case MEMBER_ALLOWED: c->allowed = jread_number(r, "a number"); break;
    default: jread_skip(r, a); break;
    }
}

stock_claim *stock_claim_read(const char *bytes, size_t length, arena *a) {
    stock_claim *c = arena_zalloc(a, 1, sizeof *c);
    json_reader r;
    uint32_t seen = 0;
    jread_begin(&r, bytes, length, a, a->trap);
    size_t at = r.at;
    jread_object(&r);
    for (int k; (k = jread_field(&r, names, &seen)) >= 0;) read_member(&r, k, c, a);
    jread_end(&r);
    jread_require(&r, at, names, seen, (1u << MEMBERS) - 1);
    return c;
}
