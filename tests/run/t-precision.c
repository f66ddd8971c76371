/* The laws of breaking lengths: against the first rounding that goes wrong, computed here by itself, and against
   strings that the search finds when it is told where to look. */
#include <math.h>
#include <string.h>

#include "limits/adversary.h"
#include "lab/precision.h"
#include "test.h"

/* Positions from which two neighbours are stored as one number or in the wrong order: the least N, 0 if none up to
   `most`. */
static double first_collision(const number_format *f, bool since, double most) {
    for (double size = 2; size <= most; size++) {
        double last = -1;
        for (double j = 0; j < size; j++) {
            double feature = format_round(f, j / size), key = since ? format_round(f, 1 + feature) : feature;
            if (key <= last) return size;
            last = key;
        }
    }
    return 0;
}

static void check_keys(temper_type type, double most) {
    const number_format *f = number_type_of(type)->storage;
    for (int since = 0; since < 2; since++) {
        forecast x = precision_forecast(since ? BREAKS_SINCE : BREAKS_YESTERDAY, TEMPER_METHOD_TEMPERATURE, type);
        double found = first_collision(f, since, most);
        CHECK(x.law == LAW_PRECISION && found > x.size && found <= x.size + 3, "%s: keys %s meet at N = %g, not %g",
              temper_type_name(type), since ? "1 + j/N" : "j/N", found, x.size);
    }
}

static void check_numbers(void) {
    static const struct {
        breaking_operator op;
        temper_method method;
        temper_type type;
        law_kind law;
        double size;
    } known[] = {{BREAKS_ONCE, TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_E5M2, LAW_NEVER, INFINITY},
                 {BREAKS_SINCE, TEMPER_METHOD_POSITIONS, TEMPER_TYPE_BF16, LAW_PRECISION, 128},
                 {BREAKS_SINCE, TEMPER_METHOD_POSITIONS, TEMPER_TYPE_BF16_F32, LAW_PRECISION, 256},
                 {BREAKS_SINCE, TEMPER_METHOD_DIGITS, TEMPER_TYPE_BF16, LAW_PRECISION, 512},
                 {BREAKS_SINCE, TEMPER_METHOD_DIGITS, TEMPER_TYPE_F16, LAW_OVERFLOW, 2048},
                 {BREAKS_SINCE, TEMPER_METHOD_DIGITS, TEMPER_TYPE_E4M3_F32, LAW_OVERFLOW, 4096},
                 {BREAKS_YESTERDAY, TEMPER_METHOD_DIGITS, TEMPER_TYPE_E4M3_F32, LAW_PRECISION, 8192},
                 {BREAKS_COMPARE, TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_E4M3_F32, LAW_UNDERFLOW, 512},
                 {BREAKS_COMPARE, TEMPER_METHOD_POSITIONS, TEMPER_TYPE_E4M3_F32, LAW_OVERFLOW, 29},
                 {BREAKS_COMPARE, TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F16, LAW_PRECISION, 2048},
                 {BREAKS_LOOKUP, TEMPER_METHOD_TEMPERATURE, TEMPER_TYPE_F16_F32, LAW_PRECISION, 32}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        forecast x = precision_forecast(known[k].op, known[k].method, known[k].type);
        CHECK(x.law == known[k].law && x.size == known[k].size, "row %zu: %s at %g", k, law_names[x.law], x.size);
    }
}

/* A search that is too small to climb there finds it if it is told, and says the truth. */
static void check_aim(arena *a) {
    temper_spec *spec = NULL;
    temper_model *soft = NULL;
    temper_error e;
    temper_spec_options so = {.alphabet = "abc", .at = TEMPER_AT_LAST};
    temper_build_options digits = {.method = TEMPER_METHOD_DIGITS, .digits = TEMPER_TYPE_F16};
    wrong_answer blind, aimed;
    adversary_options o = {.longest = 20000, .budget = 150000000, .seed = 1};
    bool ok = !temper_spec_parse(&spec, "a S b", 5, &so, &e) && !temper_build(&soft, spec, &digits, &e);
    if (CHECK(ok, "%s", e.text)) {
        bool found = adversary_search(&blind, NULL, soft, TEMPER_TYPE_F16, &o, a);
        CHECK(!found || blind.n >= 2048, "a wrong answer at %zu", blind.n);
        o.near = 2048;
        found = adversary_search(&aimed, NULL, soft, TEMPER_TYPE_F16, &o, a);
        CHECK(found && aimed.n >= 2048 && aimed.n <= 2050 && aimed.why == TEMPER_WHY_OVERFLOW,
              "told of 2048 it found %zu", found ? aimed.n : 0);
        temper_run *run = NULL;
        temper_run_options ro = {.type = TEMPER_TYPE_F16, .unchecked = 1, .threads = 1};
        if (found)
            CHECK(temper_model_run(&run, soft, aimed.letters, aimed.n, &ro, &e) == TEMPER_RANGE,
                  "the string does not overflow");
        temper_run_free(run);
    }
    temper_model_free(soft);
    temper_spec_free(spec);
}

int main(void) {
    trap t;
    arena a;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) {
        CHECK(false, "raised: %s", t.error.text);
    } else {
        check_keys(TEMPER_TYPE_E4M3, 40);
        check_keys(TEMPER_TYPE_BF16, 600);
        check_keys(TEMPER_TYPE_F16, 2200);
        check_numbers();
        check_aim(&a);
        trap_clear(&t);
    }
    arena_free(&a);
    return test_finish("t-precision");
}
