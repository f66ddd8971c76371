/* The hunt for a false certificate. Honest models of random formulas, by every method, are changed as a forger would
   (model_forger.h). The forger may write any certificate, so we ask for the strongest one: that which the audit
   itself would accept of the changed model, for a random type, length and claim. Nearly always there is none. Where
   there is one, the model is run in that type, with logits as they come and moved by one unit in the last place, on
   all short strings and on random longer ones. Every answer must be what the certificate claims: that of the source
   that the model carries, or that of its hard choices in exact arithmetic.

   `make test` tries some thousands; `make certify-hunt` tries more than 10^5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "corpus.h"
#include "hunted_model.h"
#include "language_claims.h"
#include "model_forger.h"
#include "random_formula.h"
#include "random_language.h"

enum { PER_MODEL = 40, TRIALS = 3000 };

typedef struct hunt {
    test_random r;
    uint64_t tried, readable, certified, by_formula, by_choices, by_language, proved, strings;
    uint64_t types[NUMBER_TYPES], methods[8];
} hunt;

/* ---- certificates ---- */

/* What the prover says of it: it may be unable, but it must not refute what the audit accepts, and the audit must
   accept what it proves, whichever claim that is. */
static void ask_prover(hunt *h, const target *t) {
    temper_certificate *c = NULL;
    temper_certify_options o = {.length = (size_t)t->request.length, .type = t->request.type};
    char *written = NULL;
    size_t size = 0;
    temper_error e;
    if (temper_certify(&c, t->model, t->text, t->size, &o, &e) != TEMPER_OK) return;
    CHECK(temper_certificate_about(c).verdict != TEMPER_REFUTED || !t->spec,
          "the audit accepts what certify refutes: %s\n%s", temper_certificate_about(c).reason, t->text);
    if (temper_certificate_about(c).verdict == TEMPER_PROVED &&
        temper_certificate_print(&written, &size, c, &e) == TEMPER_OK) {
        CHECK(temper_audit(written, size, t->text, t->size, NULL, &e) == TEMPER_OK,
              "certify proves what the audit refuses: %s\n%s", e.text, t->text);
        h->proved++;
    }
    temper_free(written);
    temper_certificate_free(c);
}

/* The honest certificate with the SHA-256 and the size of the forged model: it is accepted only if it is the audit's
   own. */
static void check_address(const target *t, const char *honest, const char *audited) {
    char *readdressed = hunted_address(honest, t);
    bool accepted = temper_audit(readdressed, strlen(readdressed), t->text, t->size, NULL, NULL) == TEMPER_OK;
    CHECK(accepted == (audited && strcmp(audited, readdressed) == 0), "accepted: %d\n%s\n%s", accepted, readdressed,
          t->text);
    free(readdressed);
}

static void try_forgery(hunt *h, target t, const char *honest_certificate) {
    temper_model *model = NULL;
    temper_spec *spec = NULL;
    char *audited = NULL;
    size_t length;
    h->tried++;
    if (temper_model_read(&model, t.text, t.size, NULL) != TEMPER_OK) return;
    t.model = model;
    h->readable++;
    bool certified = audit_requested(&audited, &length, t.text, t.size, &t.request, NULL) == TEMPER_OK;
    if (honest_certificate) check_address(&t, honest_certificate, audited);
    if (certified) {
        h->certified++;
        h->types[t.request.type]++;
        h->methods[model->method]++;
        bool of_source = strstr(audited, "\"claim\": \"formula\"") != NULL;
        h->by_formula += of_source;
        h->by_choices += !of_source;
        h->by_language += t.request.language_count > 0;
        t.verdict_only = strstr(audited, "\"positions\": \"verdict\"") != NULL;
        bool has_spec = !of_source || temper_model_spec(&spec, model, NULL) == TEMPER_OK;
        t.spec = spec;
        if (CHECK(has_spec, "the source is none:\n%s", t.text)) {
            hunted_attack(&t, &h->r, &h->strings);
            if (random_below(&h->r, 4) == 0) ask_prover(h, &t);
        }
    }
    temper_free(audited);
    temper_spec_free(spec);
    temper_model_free(model);
}

/* ---- honest models ---- */

static temper_model *make_model(hunt *h, const temper_spec *spec, temper_type *storage) {
    static const temper_type storages[] = {TEMPER_TYPE_BF16, TEMPER_TYPE_F16, TEMPER_TYPE_E4M3, TEMPER_TYPE_E5M2,
                                           TEMPER_TYPE_F32};
    uint64_t method = random_below(&h->r, 3);
    static const temper_method methods[] = {TEMPER_METHOD_POSITIONS, TEMPER_METHOD_TEMPERATURE, TEMPER_METHOD_DIGITS};
    temper_model *model;
    *storage = method == 2 ? storages[random_below(&h->r, 5)] : TEMPER_TYPE_F64;
    temper_build_options o = {.method = methods[method], .digits = *storage};
    temper_build(&model, spec, &o, NULL);
    return model;
}

static temper_spec *random_source(hunt *h) {
    random_shape shape = {
        .letters = 1 + (unsigned)random_below(&h->r, 3), .size = 1 + random_below(&h->r, 7), .depth = 5};
    uint64_t kind = random_below(&h->r, 9);
    shape.past = random_below(&h->r, 3) != 0;
    shape.future = !shape.past || random_below(&h->r, 3) == 0;
    shape.counting = kind == 1 || kind == 2;
    shape.modulo = kind == 3;
    shape.places = kind < 4 && random_below(&h->r, 3) == 0;
    shape.attend = kind == 4;
    if (kind >= 7) return random_language(&h->r);
    if (kind >= 5) return corpus_parse(corpus_at(random_below(&h->r, corpus_size())));
    return random_spec(&h->r, &shape, random_below(&h->r, 2) ? TEMPER_AT_LAST : TEMPER_AT_FIRST);
}

static audit_request random_request(hunt *h, temper_type storage, bool choices) {
    static const uint64_t lengths[] = {
        0, 1, 2, 5, 8, 15, 30, 62, 100, 200, 255, 1000, 65534, 1000000, (uint64_t)1 << 40};
    audit_request q = {.choices = choices, .strings = random_below(&h->r, 2)};
    q.length = lengths[random_below(&h->r, sizeof lengths / sizeof *lengths)];
    if (q.choices) q.length = random_below(&h->r, 5);
    if (storage == TEMPER_TYPE_F64 && random_below(&h->r, 3) == 0)
        q.type = TEMPER_TYPE_F64;
    else if (random_below(&h->r, 3) == 0)
        q.type = storage;
    else
        do q.type = (temper_type)random_below(&h->r, NUMBER_TYPES);
        while (q.type == TEMPER_TYPE_EXACT);
    if (number_type_is_emulated(q.type) && q.length > 300 && q.length < 4096)
        q.length = 60; /* trying takes its time */
    return q;
}

/* Without a source, so that certify has nothing to compile. */
static void drop_source(char *model) {
    char *at = strstr(model, "\nsource \""), *end = at ? strchr(at + 1, '\n') : NULL;
    if (end) memmove(at, end, strlen(end) + 1);
}

/* A claim that is true of the honest model, if one is soon found. Else *made is NULL, and the last one that was tried
   is false. */
static void honest_certificate(char **made, hunt *h, const char *model, size_t size, temper_type storage,
                               const language_claims *claims, audit_request *q) {
    bool choices = random_below(&h->r, 10) == 0;
    size_t length;
    *made = NULL;
    for (int k = 0; k < 4 && !*made; k++) {
        *q = random_request(h, storage, choices);
        q->languages = claims->all;
        q->language_count = claims->count;
        audit_requested(made, &length, model, size, q, NULL);
    }
}

static void hunt_model(hunt *h, const temper_spec *spec) {
    temper_type storage;
    temper_model *m = make_model(h, spec, &storage);
    char *printed = NULL, *source = NULL;
    size_t size = 0;
    if (m) temper_model_print(&printed, &size, m, NULL);
    if (printed && size < 12000 && temper_spec_print(&source, spec, NULL) == TEMPER_OK) {
        language_claims claims;
        claims_begin(&claims, printed, size);
        for (int k = 0; k < PER_MODEL; k++) {
            target t = {.honest = source};
            char *honest, *forged = forge_model(printed, &h->r);
            honest_certificate(&honest, h, printed, size, storage, &claims, &t.request);
            if (random_below(&h->r, 20) == 0) drop_source(forged);
            t.text = forged;
            t.size = strlen(forged);
            if (random_below(&h->r, 2)) t.request.languages = claims_damaged(&claims, &h->r);
            try_forgery(h, t, t.request.languages == claims.all ? honest : NULL);
            temper_free(honest);
            free(forged);
        }
        claims_end(&claims);
    }
    temper_free(printed);
    temper_free(source);
    temper_model_free(m);
}

int main(void) {
    static hunt h;
    h.r = test_seed(1066);
    while ((double)h.tried < TRIALS * test_effort()) {
        temper_spec *spec = random_source(&h);
        if (spec) hunt_model(&h, spec);
        temper_spec_free(spec);
    }
    printf(
        "%llu changed models, %llu readable; %llu certified, %llu as their formula, %llu as their hard choices, %llu "
        "with languages; %llu of those asked by certify, too; %llu strings\n",
        (unsigned long long)h.tried, (unsigned long long)h.readable, (unsigned long long)h.certified,
        (unsigned long long)h.by_formula, (unsigned long long)h.by_choices, (unsigned long long)h.by_language,
        (unsigned long long)h.proved, (unsigned long long)h.strings);
    CHECK(test_effort() < 1 || h.certified > 100, "only %llu certified", (unsigned long long)h.certified);
    CHECK(h.certified * 3 < h.readable, "%llu of %llu changed models are certified", (unsigned long long)h.certified,
          (unsigned long long)h.readable);
    for (int k = TEMPER_METHOD_TEMPERATURE; k <= TEMPER_METHOD_DIGITS; k++)
        CHECK(test_effort() < 1 || h.methods[k] > 0, "nothing certified of method %d", k);
    return test_finish("t-audit-hunt");
}
