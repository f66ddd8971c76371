/* The text of a model that is read: where a run is called proved with the claim `formula` its answers are those of
   the source, on all short strings. */
#include "fuzz.h"

enum { LONGEST_WORD = 4, MOST_LETTERS = 3, MOST_PARAMETERS = 1000 };

static void look_at_proof(const temper_model *model, temper_type type, int hard) {
    temper_spec *spec;
    temper_error err;
    uint32_t word[LONGEST_WORD];
    size_t n = 0;
    if (temper_model_spec(&spec, model, &err) != TEMPER_OK) return;
    temper_spec_info about = temper_spec_about(spec);
    if (about.kind == TEMPER_KIND_ACCEPTOR && about.letters <= MOST_LETTERS) do {
            temper_run *run;
            int accept;
            temper_run_options o = {.type = type, .hard = hard, .unchecked = 1, .threads = 1};
            if (temper_model_run(&run, model, word, n, &o, &err) != TEMPER_OK) break;
            temper_run_info is = temper_run_about(run);
            if (is.proved && is.claim == TEMPER_CLAIM_FORMULA) {
                MUST(temper_spec_eval(&accept, NULL, spec, word, n, &err) == TEMPER_OK, "%s", err.text);
                MUST(is.accept == accept, "%s%s: a proved answer is wrong: %zu letters, the first %u",
                     hard ? "hard " : "", temper_type_name(type), n, n ? word[0] : 0);
            }
            temper_run_free(run);
        } while (fuzz_next_word(word, &n, about.letters, LONGEST_WORD));
    temper_spec_free(spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32, TEMPER_TYPE_F16};
    temper_model *model;
    temper_error err;
    temper_status status = temper_model_read(&model, fuzz_copy(data, size), size, &err);
    fuzz_count(status == TEMPER_OK);
    if (status != TEMPER_OK) return 0;
    if (temper_model_about(model).parameters <= MOST_PARAMETERS)
        look_at_proof(model, types[size % 4], size / 4 % 4 == 0);
    temper_model_free(model);
    return 0;
}
