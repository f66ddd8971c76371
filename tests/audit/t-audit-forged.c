/* Prover and auditor on forged models. What the prover proves, the auditor proves too, with the same bytes. The
   auditor may see through a forgery that the prover does not recognise. Then the model must give the source's answers
   on all short strings, and there are few such models. So a condition that one of the two forgets shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "corpus.h"
#include "model_forger.h"

static const char *const FORMULAS[] = {"O a & Y b",
                                       "a S (b & O a)",
                                       "#[a] > #>[b] | X a",
                                       "#[a] % 3 = 1 ^ a",
                                       "2*#[a] - #[b] >= 1",
                                       "(#[a] + 2*#[b]) % 3 = 2",
                                       "G (a -> F b)",
                                       "a U b W a",
                                       "#>[a] % 2 = 0 & H b",
                                       "Z (a T b) -> first",
                                       "#[a] = #[b] | last",
                                       "O (a & #[b] >= 2)",
                                       "Y a",
                                       "O a",
                                       "#[a] >= #[b]",
                                       "#[a] % 2 = 0",
                                       "#[a] + 3*#>[b] >= 4",
                                       "Y Y b & X a",
                                       "(a S b) ^ (b U a)",
                                       "first & last | Y (a & O b)",
                                       "transduce\nemit 'x' = O a\nemit 'y' = Y b & a\nemit 'z' otherwise\n",
                                       "transduce\nemit 'x' = a S b\nemit 'y' = #[a] >= #[b]\n",
                                       "transduce\nemit 'x' = X a\nemit nothing otherwise\n"};
enum { FORMULA_COUNT = sizeof FORMULAS / sizeof *FORMULAS, LENGTH = 2 };

static struct { size_t both, one; } met;

/* The answers of the source that the model carries, at every position of all strings up to LENGTH. */
static bool is_right(const temper_model *m, temper_type type) {
    temper_spec *spec = NULL;
    temper_error e;
    if (temper_model_spec(&spec, m, &e) != TEMPER_OK) return false;
    size_t letters = temper_spec_about(spec).letters, outputs = temper_spec_about(spec).outputs;
    bool ok = outputs == temper_model_about(m).outputs;
    for (size_t n = 0; n <= LENGTH && ok; n++) {
        uint32_t word[LENGTH + 1] = {0};
        unsigned char truth[LENGTH + 1];
        do {
            int accept;
            temper_run *run = NULL;
            temper_run_options o = {.unchecked = 1, .threads = 1, .type = type};
            ok = temper_model_run(&run, m, word, n, &o, &e) == TEMPER_OK;
            for (size_t k = 0; ok && k < outputs; k++) {
                const unsigned char *found = temper_run_output(run, k);
                ok = temper_spec_eval(&accept, truth, temper_spec_output(spec, k), word, n, &e) == TEMPER_OK;
                if (n == 0) ok = ok && found[0] == accept;
                for (size_t i = 1; ok && i <= n; i++) ok = found[i] == truth[i - 1];
            }
            if (ok && outputs == 1) ok = temper_run_about(run).accept == accept;
            temper_run_free(run);
        } while (ok && corpus_next_word(word, n, letters));
    }
    temper_spec_free(spec);
    return ok;
}

static void check_forged(const char *forged, temper_type type) {
    temper_model *m = NULL;
    temper_certificate *proof = NULL;
    char *prover = NULL, *auditor = NULL;
    size_t size = strlen(forged), length = 0, own = 0;
    temper_error e = {0};
    temper_certify_options o = {.length = LENGTH, .type = type};
    if (temper_model_read(&m, forged, size, &e) != TEMPER_OK) return;
    bool proved = temper_certify(&proof, m, forged, size, &o, &e) == TEMPER_OK &&
                  temper_certificate_about(proof).verdict == TEMPER_PROVED &&
                  temper_certificate_print(&prover, &length, proof, &e) == TEMPER_OK;
    bool as_formula = proved && strstr(prover, "\"claim\": \"formula\"") != NULL;
    static const language_claim nothing[64];
    audit_request request = {.length = LENGTH, .type = type, .outputs = nothing};
    request.output_count = temper_model_about(m).kind ? temper_model_about(m).outputs : 0;
    bool audited = audit_requested(&auditor, &own, forged, size, &request, &e) == TEMPER_OK;
    if (as_formula && audited)
        CHECK(own == length && memcmp(prover, auditor, length) == 0,
              "in %s the prover writes\n%s\nthe auditor\n%s\nof\n%s", temper_type_name(type), prover, auditor,
              forged);
    else if (audited)
        CHECK(is_right(m, type), "in %s the auditor accepts a model with other answers:\n%s", temper_type_name(type),
              forged);
    met.both += as_formula && audited;
    met.one += as_formula != audited;
    if (proved)
        CHECK(temper_audit(prover, length, forged, size, NULL, &e) == TEMPER_OK,
              "in %s the prover proves what the auditor refuses: %s\n%s\nof\n%s", temper_type_name(type), e.text,
              prover, forged);
    temper_free(prover);
    temper_free(auditor);
    if (proof) temper_certificate_free(proof);
    temper_model_free(m);
}

static void check_formula(size_t k, test_random *r) {
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_F16, TEMPER_TYPE_BF16_F32,
                                        TEMPER_TYPE_F64};
    const char *source = FORMULAS[k % FORMULA_COUNT];
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    temper_error e;
    char *honest = NULL;
    size_t length;
    temper_spec_options o = {.alphabet = "ab",
                             .at = random_below(r, 3) ? TEMPER_AT_LAST : TEMPER_AT_FIRST,
                             .empty = random_below(r, 2) ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT};
    if (strstr(source, "transduce")) o = (temper_spec_options){.alphabet = "ab"};
    temper_build_options b = {.method = (temper_method)(TEMPER_METHOD_TEMPERATURE + random_below(r, 3))};
    if (CHECK(temper_spec_parse(&spec, source, strlen(source), &o, &e) == TEMPER_OK &&
                  temper_build(&m, spec, &b, &e) == TEMPER_OK &&
                  temper_model_print(&honest, &length, m, &e) == TEMPER_OK,
              "%s: %s", source, e.text)) {
        for (int times = 0; times < 8; times++) {
            char *forged = forge_model(honest, r);
            check_forged(forged, types[random_below(r, sizeof types / sizeof *types)]);
            free(forged);
        }
    }
    temper_free(honest);
    temper_model_free(m);
    temper_spec_free(spec);
}

int main(void) {
    test_random r = test_seed(1117);
    size_t count = (size_t)(300 * test_effort()) + 60;
    for (size_t k = 0; k < count; k++) check_formula(k, &r);
    CHECK(met.both > count && met.one * 6 <= met.both, "%zu are proved by both, %zu by one of the two", met.both,
          met.one);
    return test_finish("t-audit-forged");
}
