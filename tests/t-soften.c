/* Hard to soft for any model: on random small hard models, wherever a softened model is said to be proved, the exact run, the floating
   hard run and the soft run agree, and the soft read-out is as near to the exact one as was proved; refusals say why. */
#include <stdio.h>

#include "model/model.h"
#include "random_model.h"
#include "soft_agree.h"

enum { SHORT = 6, MODELS = 500 };

static void test_random_models(void) {
    test_random r = test_seed(4001);
    size_t models = (size_t)(MODELS * test_effort());
    soft_totals exhaustive = {0}, proved = {0}, far = {0}, adaptive = {0};
    char source[RANDOM_MODEL_TEXT], name[RANDOM_MODEL_TEXT + 100];
    for (size_t k = 0; k < models; k++) {
        random_model_options kind = {.average = random_below(&r, 3) > 0, .fractions = random_below(&r, 3) == 0};
        temper_model *hard = random_model(source, &r, &kind);
        if (!hard) continue;
        snprintf(name, sizeof name, "random model %zu\n%s", k, source);
        uint32_t word[8] = {0};
        for (size_t n = 0; n <= 5; n++) {
            for (size_t i = 0; i < n; i++) word[i] = (uint32_t)random_below(&r, 2);
            soft_agree_hard(&proved, name, hard, word, n);
        }
        temper_method method = random_below(&r, 2) ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS;
        temper_soften_options o = {.method = method, .length = SHORT, .gap = TEMPER_GAP_PROVED};
        soft_agree(&proved, name, hard, &o, SHORT, 0, &r);
        o.length = 4;
        o.gap = TEMPER_GAP_EXHAUSTIVE;
        soft_agree(&exhaustive, name, hard, &o, 4, 0, &r);
        o = (temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE, .length = 5, .adaptive = 1};
        soft_agree(&adaptive, name, hard, &o, 5, 0, &r);
        if (k % 20 == 0) { /* far ones take their time */
            o = (temper_soften_options){.method = method, .length = k % 160 ? 40 : 200};
            soft_agree(&far, name, hard, &o, 3, 6, &r);
        }
        temper_model_free(hard);
    }
    soft_totals_print("proved", &proved);
    soft_totals_print("exhaustive", &exhaustive);
    soft_totals_print("adaptive", &adaptive);
    soft_totals_print("far", &far);
    CHECK(proved.proved > models / 10, "only %zu of %zu random models could be proved", proved.proved, models);
}

int main(void) {
    test_random_models();
    return test_finish("t-soften");
}
