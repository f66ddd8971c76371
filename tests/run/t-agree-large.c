/* Large coefficients: whatever compiles and runs inside its safe length gives the formula's answers; the rest is
   refused by naming a limit. */
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "random_formula.h"
#include "proved.h"

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
    if (temper_build(&hard, spec, NULL, &e) != TEMPER_OK) {
        CHECK(e.code == TEMPER_LIMIT, "refused for another reason: %s", e.text);
        refused++;
    } else {
        temper_model_free(hard);
        compiled++;
        if (agree_compile(&s, "a formula with large coefficients", spec)) {
            size_t proved = proved_lengths(s.soft[0], TEMPER_TYPE_F64, false);
            for (int k = 0; k < 20 && proved; k++) {
                uint32_t word[9];
                size_t n = random_below(r, proved < 10 ? proved : 10);
                random_word(word, n, 2, r);
                if (!agree_on(&s, word, n, false)) break;
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
