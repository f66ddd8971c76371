/* Specification text that parses: the evaluator, the hard transformer and a soft one (the input says by which method)
   agree on all short strings. A specification that is too large for a thousand runs a second is passed over; of those
   with regular expressions, for which formulas are sought, all but one in 32. */
#include "fuzz.h"

enum { LONGEST_TEXT = 160, LONGEST_WORD = 4, MOST_PARAMETERS = 1000 };

static void compare(const temper_spec *spec, const temper_model *model, int hard, const char *what) {
    uint32_t word[LONGEST_WORD];
    size_t n = 0, letters = temper_spec_about(spec).letters,
           longest = letters > 3   ? 2
                     : letters > 2 ? 3
                                   : LONGEST_WORD;
    temper_error err;
    do {
        unsigned char truth[LONGEST_WORD + 1];
        int accept;
        temper_run *run;
        temper_run_options o = {.hard = hard, .unchecked = 1, .threads = 1};
        if (temper_spec_eval(&accept, n ? truth : NULL, spec, word, n, &err) != TEMPER_OK) return;
        if (temper_model_run(&run, model, word, n, &o, &err) != TEMPER_OK) return; /* beyond a limit */
        temper_run_info about = temper_run_about(run);
        MUST(about.accept == accept, "%s: %zu letters, the first %u: %d, not %d", what, n, n ? word[0] : 0,
             about.accept, accept);
        for (size_t i = 1; i <= n; i++)
            MUST(about.truth[i] == truth[i - 1], "%s: %zu letters, at %zu: %d", what, n, i, about.truth[i]);
        temper_run_free(run);
    } while (fuzz_next_word(word, &n, letters, longest));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    temper_spec *spec;
    temper_error err;
    if (size < 2 || size > LONGEST_TEXT) return 0;
    temper_spec_options o = {.syntax = (temper_syntax)(data[0] % 5), .alphabet = data[0] & 16 ? "ab" : "abc"};
    uint32_t hash = fuzz_hash(data, size);
    fuzz_automata = hash % 32 == 0 && fuzz_repeats(data, size, 1) <= 2;
    temper_status status = temper_spec_parse(&spec, fuzz_copy(data + 1, size - 1), size - 1, &o, &err);
    fuzz_count(status == TEMPER_OK);
    if (status != TEMPER_OK) return 0;
    temper_spec_info about = temper_spec_about(spec);
    temper_method soft =
        (temper_method)(TEMPER_METHOD_HARD + 1 + hash / 32 % (TEMPER_METHOD_DIGITS - TEMPER_METHOD_HARD));
    if (about.kind == TEMPER_KIND_ACCEPTOR && about.letters <= 8)
        for (int round = 0; round < 2; round++) {
            temper_method method = round ? soft : TEMPER_METHOD_HARD;
            temper_model *model;
            temper_build_options build = {.method = method};
            status = temper_build(&model, spec, &build, &err);
            MUST(status == TEMPER_OK || err.text[0], "status %d, and no message", status);
            if (status != TEMPER_OK) continue;
            if (temper_model_about(model).parameters <= MOST_PARAMETERS)
                compare(spec, model, method == TEMPER_METHOD_HARD, temper_method_name(method));
            temper_model_free(model);
        }
    temper_spec_free(spec);
    return 0;
}
