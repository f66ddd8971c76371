/* The certificate of an ordinary transformer, as far as the audit starts from it. */
#include <string.h>

#include "audit/ordinary/audit_ordinary.h"
#include "base/json_read.h"

enum { VERSION = 1 };

static bool read_f16(json_reader *r) {
    static const char *const types[] = {"f32", "f16", NULL};
    return jread_choice(r, types, "\"f32\" or \"f16\"");
}

/* Nothing else may be there: what a certificate lists is confirmed. */
static void read_head(json_reader *r, ordinary_claim *c, arena *a) {
    static const char *const fields[] = {"layer", "head", "role", "which", NULL};
    struct ordinary_claimed_head h = {.role = ""};
    uint32_t seen = 0;
    size_t at = r->at;
    jread_object(r);
    for (int k; (k = jread_field(r, fields, &seen)) >= 0;) switch (k) {
        case 0: h.layer = (uint32_t)jread_integer(r, UINT32_MAX, "a layer"); break;
        case 1: h.head = (uint32_t)jread_integer(r, UINT32_MAX, "a head"); break;
        case 2: h.role = jread_c_string(r, a, "a role"); break;
        default: h.which = jread_c_string(r, a, "\"last\" or \"first\""); break;
        }
    jread_require(r, at, fields, seen, 7);
    array_push(a, c->heads, c->head_count, c->head_capacity, h);
}

static void read_file(json_reader *r, ordinary_claim *c, arena *a) {
    static const char *const fields[] = {"name", "sha256", NULL};
    struct ordinary_claimed_file f = {.name = "", .sha256 = ""};
    uint32_t seen = 0;
    size_t at = r->at;
    jread_object(r);
    for (int k; (k = jread_field(r, fields, &seen)) >= 0;)
        *(k == 0 ? &f.name : &f.sha256) = jread_c_string(r, a, k == 0 ? "a name" : "a SHA-256");
    jread_require(r, at, fields, seen, 3);
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
    MEMBER_TOKENS,
    MEMBER_OTHER,
    MEMBER_ARCHITECTURE,
    MEMBER_LENGTH,
    MEMBER_WEIGHTS,
    MEMBER_CACHE,
    MEMBER_POSITIONS,
    MEMBER_MIRRORED,
    MEMBER_FILES,
    MEMBER_ZERO_SUMS,
    MEMBER_HEADS,
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
                                    "tokens",
                                    "other",
                                    "architecture",
                                    "length",
                                    "weights",
                                    "cache",
                                    "positions",
                                    "mirrored",
                                    "files",
                                    "balances",
                                    "heads",
                                    "allowed",
                                    NULL};

static void read_member(json_reader *r, int k, ordinary_claim *c, arena *a) {
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
            uint32_t code;
            c->words |= utf8_decode(&code, letter, strlen(letter)) != strlen(letter);
            array_push(a, c->letters, c->letter_count, c->letter_capacity, letter);
        }
        break;
    case MEMBER_TOKENS: c->words |= jread_bool(r, "true or false"); break;
    case MEMBER_OTHER: c->other = jread_c_string(r, a, "a letter"); break;
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
    case MEMBER_ZERO_SUMS: c->zero_sums = (uint32_t)jread_integer(r, 65536, "a number of columns"); break;
    case MEMBER_HEADS:
        jread_array(r);
        while (jread_element(r)) read_head(r, c, a);
        break;
    case MEMBER_ALLOWED: c->allowed = jread_number(r, "a number"); break;
    case MEMBERS: break;
    }
}

ordinary_claim *ordinary_claim_read(const char *bytes, size_t length, arena *a) {
    ordinary_claim *c = arena_zalloc(a, 1, sizeof *c);
    json_reader r;
    uint32_t seen = 0;
    jread_begin(&r, bytes, length, a, a->trap);
    size_t at = r.at;
    jread_object(&r);
    for (int k; (k = jread_field(&r, names, &seen)) >= 0;) read_member(&r, k, c, a);
    jread_end(&r);
    /* tokens and other are there only where they say something */
    jread_require(&r, at, names, seen, ((1u << MEMBERS) - 1) & ~(1u << MEMBER_TOKENS | 1u << MEMBER_OTHER));
    return c;
}
