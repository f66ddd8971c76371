/* Specification text that parses: the evaluator, the hard transformer and the soft one agree on all short strings. A
   specification that is too large for a thousand runs a second is passed over. */
#include "fuzz.h"

enum { LONGEST_TEXT = 160, LONGEST_WORD = 4, MOST_PARAMETERS = 4000 };

static void compare(const temper_spec *spec, const temper_model *model, int hard, const char *what) {
    uint32_t word[LONGEST_WORD];
    size_t n = 0, letters = temper_spec_about(spec).letters, longest = letters > 3 ? 2 : LONGEST_WORD;
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
    if (temper_spec_parse(&spec, fuzz_copy(data + 1, size - 1), size - 1, &o, &err) != TEMPER_OK) return 0;
    temper_spec_info about = temper_spec_about(spec);
    if (about.kind == TEMPER_KIND_ACCEPTOR && about.letters <= 8)
        for (temper_method method = TEMPER_METHOD_HARD; method <= TEMPER_METHOD_DIGITS; method++) {
            temper_model *model;
            temper_build_options build = {.method = method};
            temper_status status = temper_build(&model, spec, &build, &err);
            MUST(status == TEMPER_OK || err.text[0], "status %d, and no message", status);
            if (status != TEMPER_OK) continue;
            if (temper_model_about(model).parameters <= MOST_PARAMETERS)
                compare(spec, model, method == TEMPER_METHOD_HARD, temper_method_name(method));
            temper_model_free(model);
        }
    temper_spec_free(spec);
    return 0;
}
