/* Prover and auditor on hard choices of models that were written to be at the edge: ramps at the ends of a format,
   weights that it rounds, scales at and below a quarter, adaptive heads, tie-breaks. Either both prove a length, and
   the certificates are the same bytes, or neither does. */
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "test.h"
#include "written_choices.h"

static const temper_type TYPES[] = {TEMPER_TYPE_F16,      TEMPER_TYPE_BF16,     TEMPER_TYPE_F32,
                                    TEMPER_TYPE_F16_F32,  TEMPER_TYPE_BF16_F32, TEMPER_TYPE_E4M3_F32,
                                    TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_F64,      TEMPER_TYPE_E4M3,
                                    TEMPER_TYPE_E5M2,     TEMPER_TYPE_F32_F64,  TEMPER_TYPE_BF16_F64};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static struct { size_t proofs, tries; } met;

static void check(const char *source, size_t n, temper_type type) {
    temper_model *m = NULL;
    temper_certificate *proof = NULL;
    temper_error e = {0}, why = {0};
    char *prover = NULL, *auditor[2] = {NULL, NULL};
    size_t length = 0, lengths[2];
    temper_certify_options o = {.length = n, .type = type};
    if (!CHECK(temper_model_read(&m, source, strlen(source), &e) == TEMPER_OK &&
                   temper_certify(&proof, m, source, strlen(source), &o, &e) == TEMPER_OK,
               "%s\n%s", e.text, source)) {
        temper_model_free(m);
        return;
    }
    bool proved = temper_certificate_about(proof).verdict == TEMPER_PROVED, found = false, same = false;
    if (proved && temper_certificate_print(&prover, &length, proof, &e) != TEMPER_OK) prover = NULL;
    for (int strings = 0; strings < 2; strings++) {
        audit_request r = {.length = n, .type = type, .choices = true, .strings = strings};
        if (audit_requested(&auditor[strings], &lengths[strings], source, strlen(source), &r, &why) != TEMPER_OK)
            continue;
        found = true;
        same = same || (prover && lengths[strings] == length && memcmp(auditor[strings], prover, length) == 0);
        temper_free(auditor[strings]);
    }
    CHECK(proved == found && proved == same, "to %zu in %s: certify has %s proof, the audit says %s%s\n%s", n,
          temper_type_name(type), proved ? "a" : "no", found ? "yes" : why.text,
          proved && found && !same ? ", with other bytes" : "", source);
    met.proofs += proved;
    met.tries++;
    temper_free(prover);
    temper_certificate_free(proof);
    temper_model_free(m);
}

int main(void) {
    char source[WRITTEN_CHOICE];
    size_t step = test_effort() < 0.1 ? 3 : 2, number = 0;
    for (size_t k = 0; k < written_choice_count(); k += step)
        if (written_choice(source, k)) {
            check(source, number % 3, TYPES[number % TYPE_COUNT]);
            number++;
        }
    CHECK(met.proofs * 10 >= met.tries, "only %zu proofs of %zu", met.proofs, met.tries);
    return test_finish("t-audit-choice-written");
}
