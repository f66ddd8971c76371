/* Regular languages of a source as the auditor takes them from a certificate. A Boolean combination of languages says
   itself whether the empty string is in it, and a model that says otherwise is refused; other sources leave it to the
   model. Tables, their number and their order must be those of the source's languages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/entry.h"
#include "test.h"

static arena memory, scratch;
static trap failure;

/* Both are "only a so far" at every position; they differ in the empty word. */
static const char *STAR_ROWS[] = {"0:1", "1:0"}, *PLUS_ROWS[] = {"0:1", "1:1", "2:0"};
static const language_claim STAR = {.formula = "H a", .rows = STAR_ROWS, .row_count = 2},
                            PLUS = {.formula = "H a", .rows = PLUS_ROWS, .row_count = 3};

typedef struct subject {
    const temper_spec *spec;
    bool accepts_empty;
    language_claim claims[4];
    size_t claim_count;
    const dd *meanings;
    audit audit;
    temper_error error;
} subject;

static void audited(void *context) {
    subject *x = context;
    temper_model *m = arena_zalloc(&memory, 1, sizeof *m);
    audit_request *request = arena_zalloc(&memory, 1, sizeof *request);
    m->letters = x->spec->letters;
    m->at = x->spec->at;
    m->kind = x->spec->kind;
    m->accepts_empty = x->accepts_empty;
    x->audit = (audit){.trap = memory.trap, .arena = &memory, .scratch = &scratch, .model = m};
    meaning_init(&x->audit.meaning, (uint32_t)m->letters.count, &memory, &scratch);
    request->languages = x->claims;
    request->language_count = x->claim_count;
    x->meanings = audit_languages(&x->audit, x->spec, request);
}

static bool passes(subject *x) {
    trap inside;
    memory.trap = scratch.trap = &inside;
    bool done = trap_attempt(&inside, &x->error, audited, x);
    memory.trap = scratch.trap = &failure;
    return done;
}

/* The claims of the source's languages, in their order. */
static void claim_all(subject *x) {
    for (size_t k = 0; k < x->spec->graph.language_count; k++)
        x->claims[x->claim_count++] = strncmp(x->spec->graph.languages[k].source, "a*", 2) == 0 ? STAR : PLUS;
}

static temper_spec *parsed(const char *source, temper_at at) {
    temper_spec *spec = NULL;
    temper_error e;
    temper_spec_options o = {.alphabet = "ab", .at = at};
    CHECK(temper_spec_parse(&spec, source, strlen(source), &o, &e) == TEMPER_OK, "%s: %s", source, e.text);
    return spec;
}

typedef enum answer { NO, YES, LEFT_OPEN } answer;

static void check(const char *source, temper_at at, answer expected) {
    temper_spec *spec = parsed(source, at);
    for (int accepts = 0; spec && accepts < 2; accepts++) {
        subject x = {.spec = spec, .accepts_empty = accepts};
        claim_all(&x);
        bool fine = passes(&x);
        CHECK(fine == (expected == LEFT_OPEN || expected == (answer)accepts) &&
                  (fine || strstr(x.error.text, "the empty string another answer")),
              "%s, the empty string %s: %s", source, accepts ? "accepted" : "rejected",
              fine ? "accepted" : x.error.text);
        if (fine && x.claim_count) {
            CHECK(x.audit.language_count == x.claim_count, "%s: %zu languages", source, x.audit.language_count);
            for (size_t k = 0; k < x.claim_count; k++)
                CHECK(x.audit.languages[k].language == &spec->graph.languages[k] && x.meanings[k] == x.meanings[0],
                      "%s: language %zu", source, k);
        }
        arena_reset(&memory);
        arena_reset(&scratch);
    }
    temper_spec_free(spec);
}

static void check_operators(void) {
    static const char *const words[] = {"/a+/", "/a*/"};
    char source[100];
    for (int p = 0; p < 2; p++) {
        check(words[p], TEMPER_AT_LAST, (answer)p);
        check(words[p], TEMPER_AT_FIRST, LEFT_OPEN);
        snprintf(source, sizeof source, "!%s", words[p]);
        check(source, TEMPER_AT_LAST, (answer)!p);
        snprintf(source, sizeof source, "!!%s", words[p]);
        check(source, TEMPER_AT_LAST, (answer)p);
        static const char *const open[] = {"%s & b",          "b | %s", "O %s",    "Y %s",         "%s S a",
                                           "!(b & %s)",       "%s ^ b", "b -> %s", "%s <-> first", "%s & true",
                                           "H %s | #[a] >= 1"};
        for (size_t k = 0; k < sizeof open / sizeof *open; k++) {
            snprintf(source, sizeof source, open[k], words[p]);
            check(source, TEMPER_AT_LAST, LEFT_OPEN);
        }
        for (int q = 0; q < 2; q++) {
            const struct {
                const char *form;
                bool value;
            } forms[] = {{"%s & %s", p && q},          {"%s | %s", p || q},     {"%s ^ %s", p != q},
                         {"%s <-> %s", p == q},        {"%s -> %s", !p || q},   {"!(%s & %s)", !(p && q)},
                         {"!%s | !%s", !p || !q},      {"!(%s ^ !%s)", p != q}, {"!(%s -> %s)", p && !q},
                         {"(%s | %s) & !/a+/", p || q}};
            for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
                snprintf(source, sizeof source, forms[k].form, words[p], words[q]);
                check(source, TEMPER_AT_LAST, (answer)forms[k].value);
            }
            for (int s = 0; s < 2; s++) {
                snprintf(source, sizeof source, "%s & %s & %s", words[p], words[q], words[s]);
                check(source, TEMPER_AT_LAST, (answer)(p && q && s));
                snprintf(source, sizeof source, "%s | %s | %s", words[p], words[q], words[s]);
                check(source, TEMPER_AT_LAST, (answer)(p || q || s));
            }
        }
    }
    check("H a", TEMPER_AT_LAST, LEFT_OPEN);
}

/* A number, an order or a formula of languages that is not the source's. */
static void check_claims(void) {
    static const language_claim none = {.row_count = 0},
                                other = {.formula = "O a", .rows = STAR_ROWS, .row_count = 2};
    const struct {
        language_claim claims[3];
        size_t count;
        const char *words; /* NULL: accepted */
    } cases[] = {{{STAR, PLUS}, 2, NULL},
                 {{PLUS, STAR}, 2, "of its table"},
                 {{STAR}, 1, "2 regular languages, the certificate 1"},
                 {{STAR}, 0, "2 regular languages, the certificate 0"},
                 {{STAR, PLUS, PLUS}, 3, "2 regular languages, the certificate 3"},
                 {{STAR, none}, 2, "has no formula"},
                 {{other, PLUS}, 2, "its table"}};
    temper_spec *spec = parsed("/a*/ & /a+/", TEMPER_AT_LAST);
    for (size_t k = 0; spec && k < sizeof cases / sizeof *cases; k++) {
        subject x = {.spec = spec, .claim_count = cases[k].count};
        memcpy(x.claims, cases[k].claims, sizeof cases[k].claims);
        bool fine = passes(&x);
        CHECK(fine == !cases[k].words && (fine || strstr(x.error.text, cases[k].words)), "case %zu: %s", k,
              fine ? "accepted" : x.error.text);
        arena_reset(&memory);
        arena_reset(&scratch);
    }
    temper_spec_free(spec);
}

int main(void) {
    temper_error e;
    if (trap_set(&failure, &e)) {
        fprintf(stderr, "t-audit-empty: %s\n", e.text);
        abort();
    }
    arena_init(&memory, &failure);
    arena_init(&scratch, &failure);
    check_operators();
    check_claims();
    arena_free(&memory);
    arena_free(&scratch);
    trap_clear(&failure);
    return test_finish("t-audit-empty");
}
