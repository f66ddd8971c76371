/* What a run calls proved, where proofs were wrong once: the balance of thousands of counts, whose sums round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proved.h"
#include "test.h"

enum { FURTHER = 13 }; /* letters beside a: a count for every subset of them */

/* #>[[a]] + #>[[ab]] + ... >= factor * #[a], a count for each of the 2^letters subsets */
static char *sum_of_subsets(unsigned letters, unsigned factor) {
    char *out = malloc(((size_t)1 << letters) * (letters + 12) + 64), *p = out;
    for (unsigned set = 0; set < 1u << letters; set++) {
        p += sprintf(p, "%s#>[[a", set ? " + " : "");
        for (unsigned k = 0; k < letters; k++)
            if (set >> k & 1) *p++ = (char)('b' + k);
        p += sprintf(p, "]]");
    }
    sprintf(p, " >= %u*#[a]", factor);
    return out;
}

/* Either unproved or right. */
static void check_run(const temper_spec *spec, const temper_model *m, temper_run_options o, size_t n) {
    uint32_t word[8] = {0};
    temper_run *run;
    temper_error e;
    int want;
    CHECK(!temper_spec_eval(&want, NULL, spec, word, n, &e), "%s", e.text);
    temper_status status = temper_model_run(&run, m, word, n, &o, &e);
    if (status == TEMPER_LIMIT) {
        CHECK(!o.unchecked && strstr(e.text, temper_type_name(o.type)), "%s", e.text);
        return;
    }
    if (!CHECK(!status, "%s", e.text)) return;
    CHECK(!temper_run_about(run).proved || temper_run_about(run).accept == want, "%s%s, length %zu: proved and wrong",
          temper_type_name(o.type), o.hard ? ", hard" : "", n);
    CHECK(temper_run_about(run).proved == (n < proved_lengths(m, o.type, o.hard)) || (o.hard && !o.unchecked),
          "%s%s, length %zu: not what temper_model_proof says", temper_type_name(o.type), o.hard ? ", hard" : "", n);
    temper_run_free(run);
}

int main(void) {
    char *source = sum_of_subsets(FURTHER, 2048);
    temper_spec *spec;
    temper_model *m;
    temper_error e;
    temper_spec_options options = {.alphabet = "abcdefghijklmn", .at = TEMPER_AT_LAST};
    temper_build_options method = {.method = TEMPER_METHOD_TEMPERATURE};
    if (CHECK(!temper_spec_parse(&spec, source, strlen(source), &options, &e), "%s", e.text)) {
        if (CHECK(!temper_build(&m, spec, &method, &e), "%s", e.text)) {
            for (size_t n = 0; n <= 5; n++)
                for (int way = 0; way < 8; way++)
                    check_run(spec, m,
                              (temper_run_options){.type = way & 1 ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64,
                                                   .hard = way >> 1 & 1,
                                                   .unchecked = way >> 2},
                              n);
            temper_model_free(m);
        }
        temper_spec_free(spec);
    }
    free(source);
    return test_finish("t-answer");
}
