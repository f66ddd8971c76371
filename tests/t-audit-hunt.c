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
#include "base/sha256.h"
#include "corpus.h"
#include "model_forger.h"
#include "random_formula.h"
#include "run/exact_run.h"
#include "run/dense.h"

enum { LONGEST = 300, SHORT_STRINGS = 40, LONG_STRINGS = 8, HARD_LONGEST = 12, PER_MODEL = 40, TRIALS = 3000 };

typedef struct hunt {
    test_random r;
    uint64_t tried, readable, certified, by_formula, by_choices, proved, strings;
    uint64_t types[32], methods[8];
} hunt;

/* ---- what is claimed, and what comes out ---- */

typedef struct target {
    const char *honest; /* the formula that the honest model was made of */
    const char *text;
    size_t size;
    const temper_model *model;
    const temper_spec *spec; /* of the model; NULL: its hard choices are the claim */
    audit_request request;
    bool verdict_only;
} target;

static bool blame(const target *t, const char *what, const uint32_t *word, size_t n) {
    char shown[LONGEST + 1];
    for (size_t k = 0; k < n; k++) shown[k] = (char)('a' + word[k] % 26);
    shown[n] = 0;
    return CHECK(false, "CERTIFIED AND WRONG: made of '%s', in %s to %llu, claim %s: %s on '%s'\n%s", t->honest,
                 temper_type_name(t->request.type), (unsigned long long)t->request.length,
                 t->spec ? "formula" : "hard choices", what, shown, t->text);
}

/* The answers that are claimed at the letters, and that of the empty string. */
static bool consult(const target *t, const uint32_t *word, size_t n, unsigned char *truth, int *accept) {
    if (t->spec) return temper_spec_eval(accept, truth, t->spec, word, n, NULL) == TEMPER_OK;
    trap guard;
    arena memory, scratch;
    rational_pool pool;
    volatile bool ok = false;
    arena_init(&memory, &guard);
    arena_init(&scratch, &guard);
    if (!trap_set(&guard, NULL)) {
        rational_pool_init(&pool, &memory);
        rational *answer = exact_run(t->model, word, n, NULL, &pool, &scratch), *half = rational_array(&pool, 1);
        rational_set_ratio(half, 1, 2);
        for (size_t k = 0; k < n; k++) truth[k] = rational_cmp(&answer[k + 1], half) > 0;
        *accept = rational_cmp(&answer[0], half) > 0;
        ok = true;
        trap_clear(&guard);
    }
    arena_free(&memory);
    arena_free(&scratch);
    return ok;
}

static bool is_claimed(const target *t, size_t k, size_t n) {
    return !t->verdict_only || k == (t->model->at == TEMPER_AT_FIRST ? 0 : n - 1);
}

/* The run of doc/numerics.md in the type's formats. */
static bool emulate(const target *t, const uint32_t *word, size_t n, const unsigned char *truth, int accept,
                    uint64_t shake) {
    const number_type *type = number_type_of(t->request.type);
    dense_setting s = {.storage = type->storage, .accumulation = type->accumulation, .shake = shake};
    dense_answer answer;
    trap guard;
    arena stream, scratch;
    volatile bool same = false;
    arena_init(&stream, &guard);
    arena_init(&scratch, &guard);
    if (!trap_set(&guard, NULL)) {
        dense_run(&answer, t->model, word, n, &s, &stream, &scratch);
        bool equal = !answer.broken && (n > 0 || answer.truth[0] == accept);
        for (size_t k = 0; k < n && equal; k++) equal = answer.truth[k + 1] == truth[k] || !is_claimed(t, k, n);
        same = equal;
        trap_clear(&guard);
    }
    arena_free(&stream);
    arena_free(&scratch);
    return same || blame(t, shake ? "other answers with logits moved by a unit" : "other answers", word, n);
}

/* The runner's own kernels, for the types that it has. */
static bool run(const target *t, const uint32_t *word, size_t n, const unsigned char *truth) {
    temper_run_options o = {.type = t->request.type, .unchecked = 1, .threads = 1};
    temper_run *r;
    temper_error e;
    temper_status status = temper_model_run(&r, t->model, word, n, &o, &e);
    if (status != TEMPER_OK) return status == TEMPER_UNSUPPORTED || blame(t, e.text, word, n); /* no plan in f32 */
    bool same = true;
    for (size_t k = 0; k < n && same; k++)
        same = temper_run_about(r).truth[k + 1] == truth[k] || !is_claimed(t, k, n);
    temper_run_free(r);
    return same || blame(t, "other answers in the runner", word, n);
}

static bool try_string(hunt *h, const target *t, const uint32_t *word, size_t n) {
    unsigned char truth[LONGEST];
    int accept = 0;
    if (!consult(t, word, n, truth, &accept)) return true; /* exact arithmetic has its limits */
    h->strings++;
    if (!emulate(t, word, n, truth, accept, 0)) return false;
    if (random_below(&h->r, 3) == 0 && !emulate(t, word, n, truth, accept, 1 + random_u64(&h->r) / 2)) return false;
    return number_type_is_emulated(t->request.type) || run(t, word, n, truth);
}

static void attack(hunt *h, const target *t) {
    size_t letters = t->model->letters.count, longest = t->spec ? LONGEST : HARD_LONGEST;
    size_t most = t->request.length < longest ? (size_t)t->request.length : longest;
    size_t all = corpus_length(letters, SHORT_STRINGS, most);
    uint32_t word[LONGEST] = {0};
    bool ok = true;
    for (size_t n = 0; n <= all && ok; n++) {
        memset(word, 0, sizeof word);
        do ok = try_string(h, t, word, n);
        while (ok && corpus_next_word(word, n, letters));
    }
    for (int k = 0; k < LONG_STRINGS && ok; k++) {
        size_t n = k == 0 ? most : random_below(&h->r, (k % 2 && most > 30 ? 30 : most) + 1);
        random_word(word, n, letters < 26 ? (unsigned)letters : 26, &h->r);
        ok = try_string(h, t, word, n);
    }
    CHECK(ok, "made of '%s'", t->honest);
}

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
        CHECK(temper_audit(written, size, t->text, t->size, &e) == TEMPER_OK,
              "certify proves what the audit refuses: %s\n%s", e.text, t->text);
        h->proved++;
    }
    temper_free(written);
    temper_certificate_free(c);
}

/* The honest certificate with the SHA-256 and the size of the forged model: it is accepted only if it is the audit's
   own. */
static void check_address(const target *t, const char *honest, const char *audited) {
    unsigned char digest[SHA256_SIZE];
    char hex[SHA256_HEX + 1], *readdressed = malloc(strlen(honest) + 100);
    sha256 s;
    const char *at = strstr(honest, "\"sha256\": \""), *end = at ? strchr(at, '}') : NULL;
    if (!readdressed || !end) abort();
    sha256_start(&s);
    sha256_add(&s, t->text, t->size);
    sha256_finish(digest, &s);
    sha256_hex(hex, digest);
    sprintf(readdressed, "%.*s\"sha256\": \"%s\", \"bytes\": %zu%s", (int)(at - honest), honest, hex, t->size, end);
    bool accepted = temper_audit(readdressed, strlen(readdressed), t->text, t->size, NULL) == TEMPER_OK;
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
        t.verdict_only = strstr(audited, "\"positions\": \"verdict\"") != NULL;
        bool has_spec = !of_source || temper_model_spec(&spec, model, NULL) == TEMPER_OK;
        t.spec = spec;
        if (CHECK(has_spec, "the source is none:\n%s", t.text)) {
            attack(h, &t);
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
    uint64_t kind = random_below(&h->r, 7);
    shape.past = random_below(&h->r, 3) != 0;
    shape.future = !shape.past || random_below(&h->r, 3) == 0;
    shape.counting = kind == 1 || kind == 2;
    shape.modulo = kind == 3;
    shape.attend = kind == 4;
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
        do q.type = (temper_type)random_below(&h->r, TEMPER_TYPE_BF16_F64 + 1);
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
                               audit_request *q) {
    bool choices = random_below(&h->r, 10) == 0;
    size_t length;
    *made = NULL;
    for (int k = 0; k < 4 && !*made; k++) {
        *q = random_request(h, storage, choices);
        audit_requested(made, &length, model, size, q, NULL);
    }
}

static void hunt_model(hunt *h, const temper_spec *spec) {
    temper_type storage;
    temper_model *m = make_model(h, spec, &storage);
    char *printed = NULL, *source = NULL;
    size_t size;
    if (m && temper_model_print(&printed, &size, m, NULL) == TEMPER_OK && size < 12000 &&
        temper_spec_print(&source, spec, NULL) == TEMPER_OK)
        for (int k = 0; k < PER_MODEL; k++) {
            target t = {.honest = source};
            char *honest, *forged = forge_model(printed, &h->r);
            honest_certificate(&honest, h, printed, size, storage, &t.request);
            if (random_below(&h->r, 20) == 0) drop_source(forged);
            t.text = forged;
            t.size = strlen(forged);
            try_forgery(h, t, honest);
            temper_free(honest);
            free(forged);
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
    printf("%llu changed models, %llu readable; %llu certified, %llu as their formula, %llu as their hard choices; "
           "%llu of those asked by certify, too; %llu strings\n",
           (unsigned long long)h.tried, (unsigned long long)h.readable, (unsigned long long)h.certified,
           (unsigned long long)h.by_formula, (unsigned long long)h.by_choices, (unsigned long long)h.proved,
           (unsigned long long)h.strings);
    CHECK(test_effort() < 1 || h.certified > 100, "only %llu certified", (unsigned long long)h.certified);
    CHECK(h.certified * 3 < h.readable, "%llu of %llu changed models are certified", (unsigned long long)h.certified,
          (unsigned long long)h.readable);
    for (int k = TEMPER_METHOD_TEMPERATURE; k <= TEMPER_METHOD_DIGITS; k++)
        CHECK(test_effort() < 1 || h.methods[k] > 0, "nothing certified of method %d", k);
    return test_finish("t-audit-hunt");
}
