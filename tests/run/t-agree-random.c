/* Oracle = hard = soft (all methods) on random formulas and random strings up to length 400. */
#include <stdio.h>
#include <stdlib.h>

#include "agree.h"
#include "logic/formula_print.h"
#include "random_formula.h"

/* Short strings find most mistakes and cost little; a few are long. */
static size_t random_length(test_random *r) {
    uint64_t kind = random_below(r, 20);
    if (kind < 12) return random_below(r, 12);
    if (kind < 18) return random_below(r, 60);
    return random_below(r, 401);
}

static random_shape shape_of(test_random *r, unsigned letters) {
    uint64_t kind = random_below(r, 8);
    random_shape s = {.letters = letters, .size = 1 + random_below(r, 24), .depth = 1 + random_below(r, 8)};
    s.past = kind != 1;
    s.future = kind == 1 || kind >= 4;
    s.counting = kind >= 2;
    s.modulo = kind >= 3 && random_below(r, 2);
    s.places = random_below(r, 3) == 0;
    s.mixed_attend = kind == 7;
    return s;
}

int main(void) {
    test_random r = test_seed(11);
    size_t formulas = (size_t)(3000 * test_effort());
    for (size_t k = 0; k < formulas; k++) {
        unsigned letters = 1 + (unsigned)random_below(&r, 4);
        random_shape shape = shape_of(&r, letters);
        temper_spec *spec = random_spec(&r, &shape, random_below(&r, 2) ? TEMPER_AT_FIRST : TEMPER_AT_LAST);
        trap t;
        arena a;
        text label;
        arena_init(&a, &t);
        if (trap_set(&t, NULL)) abort();
        text_init(&label, &a);
        formula_label(&label, &spec->graph, &spec->letters, spec->root, 0);
        agree_set s;
        if (agree_compile(&s, text_string(&label), spec)) {
            bool ok = true;
            for (int word = 0; word < 6 && ok; word++) {
                uint32_t letters_of[401];
                size_t n = random_length(&r);
                random_word(letters_of, n, letters, &r);
                ok = agree_on(&s, letters_of, n, n <= 12);
            }
        }
        agree_free(&s);
        arena_free(&a);
        temper_spec_free(spec);
    }
    return test_finish("t-agree-random");
}
