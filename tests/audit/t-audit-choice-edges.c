/* Prover and auditor on hard choices, where their numbers are large: random softened models, with scales that are
   smaller or larger than the proved ones, in every number type. Either both prove a length, and the certificates are
   the same bytes, or neither does. In the formats whose sums have three to eleven digits each constant of
   doc/certificate.md, "Errors of sums" to "Errors of gates", shows in a printed digit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "bytes.h"
#include "random_model.h"

static const temper_type TYPES[] = {TEMPER_TYPE_F16,      TEMPER_TYPE_BF16,     TEMPER_TYPE_F32,
                                    TEMPER_TYPE_F16_F32,  TEMPER_TYPE_BF16_F32, TEMPER_TYPE_E4M3_F32,
                                    TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_F64,      TEMPER_TYPE_E4M3,
                                    TEMPER_TYPE_E5M2,     TEMPER_TYPE_F32_F64};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static struct { size_t proofs, tries; } met;

/* By sets and by strings: the auditor's own certificate is the prover's where the prover chose the same way. */
static void check_types(const bytes *file, const temper_model *m, size_t n, size_t first, size_t types) {
    for (size_t k = 0; k < types; k++) {
        temper_type type = TYPES[(first + k) % TYPE_COUNT];
        temper_certify_options o = {.length = n, .type = type};
        temper_certificate *proof = NULL;
        bytes prover = {0}, sets = {0}, strings = {0};
        temper_error e = {0}, why = {0};
        audit_request by_sets = {.length = n, .type = type, .choices = true}, by_strings = by_sets;
        by_strings.strings = true;
        if (!CHECK(temper_certify(&proof, m, file->data, file->length, &o, &e) == TEMPER_OK, "%s\n%s", e.text,
                   file->data))
            return;
        bool proved = temper_certificate_about(proof).verdict == TEMPER_PROVED;
        bool found = audit_requested(&sets.data, &sets.length, file->data, file->length, &by_sets, &why) == TEMPER_OK;
        bool also =
            audit_requested(&strings.data, &strings.length, file->data, file->length, &by_strings, &e) == TEMPER_OK;
        CHECK(proved == (found || also), "to %zu in %s: certify has %s proof, the audit says %s\n%s", n,
              temper_type_name(type), proved ? "a" : "no", found || also ? "yes" : why.text, file->data);
        if (proved && temper_certificate_print(&prover.data, &prover.length, proof, &e) == TEMPER_OK)
            CHECK((found && sets.length == prover.length && memcmp(sets.data, prover.data, sets.length) == 0) ||
                      (also && strings.length == prover.length &&
                       memcmp(strings.data, prover.data, strings.length) == 0),
                  "to %zu in %s: the prover writes\n%s\nthe auditor\n%s\nof\n%s", n, temper_type_name(type),
                  prover.data, found ? sets.data : strings.data, file->data);
        met.proofs += proved;
        met.tries++;
        temper_free(prover.data);
        temper_free(sets.data);
        temper_free(strings.data);
        temper_certificate_free(proof);
    }
}

/* A weight of a letter that short formats round: 1 becomes a little more. Its digest goes. */
static void bend(bytes *file) {
    char *digest = strstr(file->data, "\ndigest "), *letter = strstr(file->data, "\nembed \"");
    if (!digest || !letter) return;
    file->length = (size_t)(digest - file->data) + 1;
    file->data[file->length] = 0;
    char *end = strchr(letter + 1, '\n'), *weight = strstr(letter, ":1");
    if (weight && weight < end && (weight[2] == ' ' || weight[2] == '\n'))
        splice(file, (size_t)(weight - file->data), 2, ":0x1.0102p+0");
}

static void check_model(const temper_model *m, size_t n, size_t first, size_t types, bool bent) {
    bytes printed = {0};
    temper_error e;
    if (!CHECK(temper_model_print(&printed.data, &printed.length, m, &e) == TEMPER_OK, "%s", e.text)) return;
    bytes file = copy_of(&printed, 16);
    temper_model *other = NULL;
    temper_free(printed.data);
    if (bent) bend(&file);
    if (CHECK(temper_model_read(&other, file.data, file.length, &e) == TEMPER_OK, "%s\n%s", e.text, file.data))
        check_types(&file, other, n, first, types);
    temper_model_free(other);
    free(file.data);
}

/* Factors of the scale: the share of the losers is large with the first ones, and nothing with the last. */
static const char *const SCALES[] = {NULL, "0.5x", "0.25x", "0.125x", "2x", "0.75x", "16x"};
enum { SCALE_COUNT = sizeof SCALES / sizeof *SCALES };

static void check_random(test_random *r, size_t k, size_t types) {
    char sketch[RANDOM_MODEL_TEXT];
    random_model_options o = {.average = random_below(r, 2),
                              .fractions = random_below(r, 3) == 0,
                              .small = random_below(r, 4) > 0,
                              .varied = random_below(r, 2),
                              .extreme = random_below(r, 8) == 0};
    temper_model *hard = random_model(sketch, r, &o), *soft = NULL, *scaled = NULL;
    size_t n = random_below(r, 4);
    temper_soften_options s = {.method = random_below(r, 2) ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS,
                               .length = n,
                               .gap = TEMPER_GAP_PROVED};
    s.adaptive = s.method == TEMPER_METHOD_TEMPERATURE && random_below(r, 4) == 0;
    const char *scale = SCALES[random_below(r, SCALE_COUNT)];
    temper_error e;
    if (hard && temper_soften(&soft, NULL, hard, &s, &e) == TEMPER_OK) {
        temper_scale other = {.scale = scale};
        bool copied = scale && temper_model_with_scale(&scaled, soft, &other, 1, &e) == TEMPER_OK;
        check_model(copied ? scaled : soft, n, k * types, types, k % 3 == 0);
    }
    temper_model_free(scaled);
    temper_model_free(soft);
    temper_model_free(hard);
}

int main(void) {
    test_random r = test_seed(1113);
    double effort = test_effort();
    size_t count = (size_t)(200 * effort) + 80;
    for (size_t k = 0; k < count; k++) check_random(&r, k, 3);
    CHECK(met.proofs * 5 >= met.tries, "only %zu proofs of %zu", met.proofs, met.tries);
    return test_finish("t-audit-choice-edges");
}
