/* Hard to soft for any model: on random small hard models, wherever a softened model is said to be proved, the exact
   run, the floating hard run and the soft run agree, and the soft read-out is as near to the exact one as was proved;
   refusals say why. */
#include <stdio.h>

#include "model/model.h"
#include "random_model.h"
#include "soft_agree.h"

enum { SHORT = 6, MODELS = 200 };

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

/* At the ends of the range of doubles bounds of relative errors mean nothing: products that underflow to 0, or
   overflow before the choice is made. Such weights are refused. */
static void test_extreme_weights(void) {
    static const char *const weights[] = {"0x1p-201", "-0x1p201", "0x1p-540", "0x1p1000", "0x1p-1074", "0x1.8p1023"};
    for (size_t k = 0; k < sizeof weights / sizeof *weights; k++)
        for (int place = 0; place < 7; place++) {
            char source[2000];
            const char *w[7] = {"1", "1", "1", "1", "-0.5", "2", "1"};
            w[place] = weights[k];
            snprintf(source, sizeof source,
                     "temper-model 1\nalphabet \"a\" \"b\"\nchannel 0 \"one\" position \"1\"\nchannel 1 "
                     "\"a\"\nchannel 2 \"x\"\n"
                     "channel 3 \"y\"\nembed \"a\" 1:%s\nembed \"b\"\nembed start\nembed end\nlayer 1\n"
                     "head \"h\" mask j<=i choice leftmost\n  query 0:%s\n  key 1:%s\n  value 1:%s\n  output 2:1\n"
                     "unit %s 2:%s -> 3:%s\nread 3:1\n",
                     w[0], w[1], w[2], w[3], w[4], w[5], w[6]);
            temper_model *hard = model_from(source), *soft = NULL;
            if (!hard) return;
            temper_error e;
            temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = 4};
            CHECK(temper_soften(&soft, NULL, hard, &o, &e) == TEMPER_LIMIT, "%s is not refused\n%s", weights[k],
                  source);
            temper_model_free(soft);
            temper_model_free(hard);
        }
}

int main(void) {
    test_extreme_weights();
    test_random_models();
    return test_finish("t-soften");
}
