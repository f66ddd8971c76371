/* Prover and auditor on hard choices up to some dozens of letters, where both keep what lengths share and take short
   ways of their own: models of features (feature_model.h), opened such that certificates show what both found
   (choice_twins.h). */
#include "base/arena.h"
#include "choice_twins.h"
#include "feature_model.h"

static size_t test_model(arena *a, test_random *r, size_t n) {
    text t;
    arena_reset(a);
    text_init(&t, a);
    feature_model_text(&t, r);
    return choice_twins_opened(text_string(&t), n, TEMPER_TYPE_F64, false, r);
}

static size_t test_models(test_random *r, size_t models) {
    trap errors;
    arena a;
    temper_error e;
    size_t volatile proved = 0;
    arena_init(&a, &errors);
    if (!trap_set(&errors, &e)) {
        for (size_t k = 0; k < models; k++) proved += test_model(&a, r, k % 8 ? random_below(r, 14) : 40);
        trap_clear(&errors);
    } else {
        CHECK(false, "%s", e.text);
    }
    arena_free(&a);
    return proved;
}

int main(void) {
    test_random r = test_seed(4013);
    size_t models = (size_t)(120 * test_effort()), proved = test_models(&r, models);
    CHECK(proved > models / 4, "only %zu certificates of %zu models", proved, models);
    return test_finish("t-audit-choice-lengths");
}
