/* Large coefficients: whatever compiles and runs inside its safe length gives the formula's answers; the rest is refused by
   naming a limit. */
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "random_formula.h"

static size_t compiled, refused;

static void one_formula(test_random *r) {
    random_shape shape = {.letters = 2,
                          .size = 1 + random_below(r, 8),
                          .depth = 4,
                          .past = true,
                          .future = random_below(r, 2),
                          .counting = true,
                          .large = true};
    temper_spec *spec = random_spec(r, &shape, TEMPER_AT_LAST);
    temper_model *hard;
    temper_error e;
    agree_set s;
    if (temper_compile(&hard, spec, &e) != TEMPER_OK) {
        CHECK(e.code == TEMPER_LIMIT, "refused for another reason: %s", e.text);
        refused++;
    } else {
        temper_model_info info;
        temper_model_about(&info, hard);
        temper_model_free(hard);
        size_t most = info.safe_length < 9 ? info.safe_length : 9;
        compiled++;
        if (agree_compile(&s, "a formula with large coefficients", spec)) {
            for (int k = 0; k < 20; k++) {
                uint32_t word[9];
                size_t n = random_below(r, most + 1);
                random_word(word, n, 2, r);
                if (info.safe_length > 0 && !agree_on(&s, word, n, false)) break;
            }
        }
        agree_free(&s);
    }
    temper_spec_free(spec);
}

int main(void) {
    test_random r = test_seed(31);
    for (size_t k = 0; k < (size_t)(1500 * test_effort()); k++) one_formula(&r);
    CHECK(compiled > 0 && refused > 0, "compiled %zu, refused %zu: one of the two kinds was not met", compiled,
          refused);
    return test_finish("t-agree-large");
}
