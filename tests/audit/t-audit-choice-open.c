/* Prover and auditor on hard choices, number by number: models whose read-out is far from 1/2, so that certificates
   show what the recursion and the facts have, however large (choice_twins.h). */
#include <math.h>
#include <stdio.h>

#include "choice_twins.h"
#include "number/number_type.h"
#include "wild_model.h"
#include "written_choices.h"

static const temper_type TYPES[] = {TEMPER_TYPE_F16,      TEMPER_TYPE_BF16,     TEMPER_TYPE_F32,
                                    TEMPER_TYPE_F16_F32,  TEMPER_TYPE_BF16_F32, TEMPER_TYPE_E4M3_F32,
                                    TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_F64,      TEMPER_TYPE_E4M3,
                                    TEMPER_TYPE_E5M2,     TEMPER_TYPE_F32_F64,  TEMPER_TYPE_BF16_F64};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static struct { size_t tries, proofs; } met;

static void check(const char *source, size_t n, temper_type type, bool strings, test_random *r) {
    met.tries += 2;
    met.proofs += choice_twins_opened(source, n, type, strings, r);
}

static void check_wild(test_random *r) {
    static char source[RANDOM_MODEL_TEXT];
    temper_type which = TYPES[random_below(r, TYPE_COUNT)];
    const number_type *type = number_type_of(which);
    int reach;
    (void)frexp(random_below(r, 2) ? type->storage->largest : 1 / type->storage->least, &reach);
    wild_model_text(source, r, reach > 1023 ? 1023 : reach);
    check(source, random_below(r, 4), which, random_below(r, 3) == 0, r);
}

static void check_written(test_random *r) {
    static char source[WRITTEN_CHOICE];
    if (!written_choice(source, random_below(r, written_choice_count()))) return;
    check(source, random_below(r, 4), TYPES[random_below(r, TYPE_COUNT)], random_below(r, 3) == 0, r);
}

/* Weights that the format does not hold, of tokens that are in no string: of letters at length 0, and of an end
   sentinel in a model without one. The auditor once accepted them. */
static void check_unseen_weights(void) {
    static const char *const embeddings[] = {"embed \"a\" 1:0x1p20\nembed start\nembed end\n",
                                             "embed \"a\"\nembed start\nembed end 1:0x1p20\n"};
    for (size_t k = 0; k < 2; k++) {
        char source[400];
        snprintf(source, sizeof source,
                 "temper-model 1\nmethod temperature\nalphabet \"a\"\nend no\nchannel 0 \"one\" position \"1\"\n"
                 "channel 1 \"x\"\n%slayer 1\nread 0:1\n",
                 embeddings[k]);
        for (int strings = 0; strings < 2; strings++) {
            CHECK(!choice_twins(source, 0, TEMPER_TYPE_F16, strings, NULL, NULL), "proved in f16:\n%s", source);
            CHECK(choice_twins(source, 0, TEMPER_TYPE_F32, strings, NULL, NULL), "not proved in f32:\n%s", source);
        }
    }
}

int main(void) {
    test_random r = test_seed(6113);
    size_t count = (size_t)(200 * test_effort()) + 80;
    for (size_t k = 0; k < count; k++) {
        check_wild(&r);
        check_written(&r);
    }
    check_unseen_weights();
    CHECK(met.proofs * 5 >= met.tries, "only %zu proofs of %zu", met.proofs, met.tries);
    return test_finish("t-audit-choice-open");
}
