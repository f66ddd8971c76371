/* What a run calls proved, where proofs were wrong once: the balance of thousands of counts, whose sums round. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/proved.h"
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

/* The file may name any role: growth and bound are those of what the weights are. */
static void check_named_role(const char *formula, const char *role, const char *named, temper_growth growth) {
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    char *written = NULL, from[40], to[40];
    size_t length;
    temper_error e;
    temper_spec_options o = {.alphabet = "ab"};
    temper_build_options method = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_head_info honest, other;
    if (CHECK(!temper_spec_parse(&spec, formula, strlen(formula), &o, &e) && !temper_build(&m, spec, &method, &e) &&
                  !temper_model_head(&honest, m, 1, 1, &e) && !temper_model_print(&written, &length, m, &e),
              "%s: %s", formula, e.text)) {
        snprintf(from, sizeof from, " role %s ", role);
        snprintf(to, sizeof to, " role %s ", named);
        char *at = strstr(written, from), *changed = calloc(length + 40, 1), *digest;
        temper_model *back = NULL;
        if (CHECK(at && changed, "%s has no role %s", formula, role)) {
            snprintf(changed, length + 40, "%.*s%s%s", (int)(at - written), written, to, at + strlen(from));
            if ((digest = strstr(changed, "\ndigest "))) digest[1] = 0;
            CHECK(!temper_model_read(&back, changed, strlen(changed), &e) &&
                      !temper_model_head(&other, back, 1, 1, &e),
                  "%s: %s", formula, e.text);
            if (back)
                CHECK(honest.growth == growth && other.growth == growth && other.bound == honest.bound &&
                          !strcmp(other.role, named),
                      "%s named %s: growth %s, bound %g", formula, named, temper_growth_name(other.growth),
                      other.bound);
        }
        temper_model_free(back);
        free(changed);
    }
    temper_free(written);
    temper_model_free(m);
    temper_spec_free(spec);
}

/* The second length that is asked for settles all: a proof by roles is opened no third time. What is proved does not
   depend on the order of questions. */
static void check_lengths_asked(const char *source, temper_type type) {
    static const size_t asked[] = {40, 3000, 7, 100000, 0};
    temper_spec *spec;
    temper_model *m[2];
    temper_error e;
    trap t;
    temper_spec_options options = {.alphabet = "ab", .at = TEMPER_AT_LAST};
    temper_build_options method = {.method = TEMPER_METHOD_TEMPERATURE};
    if (!CHECK(!temper_spec_parse(&spec, source, strlen(source), &options, &e), "%s", e.text)) return;
    CHECK(!temper_build(&m[0], spec, &method, &e) && !temper_build(&m[1], spec, &method, &e), "%s", e.text);
    size_t lengths = proved_lengths(m[1], type, false);
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++) {
        size_t n = asked[k];
        bool proved = proved_cheaply(m[0], type, false, n, &t).claim != TEMPER_CLAIM_NONE;
        CHECK(proved == (n < lengths), "%s in %s: %zu letters are %sproved, %zu lengths are", source,
              temper_type_name(type), n, proved ? "" : "not ", lengths);
        CHECK(k == 0 || n >= lengths || proved_up_to(m[0], type, false, n) == lengths - 1,
              "%s in %s: after %zu questions %zu is known, %zu lengths are proved", source, temper_type_name(type),
              k + 1, proved_up_to(m[0], type, false, n), lengths);
    }
    temper_model_free(m[0]);
    temper_model_free(m[1]);
    temper_spec_free(spec);
}

int main(void) {
    check_lengths_asked("a S b", TEMPER_TYPE_F32);
    check_lengths_asked("#[a] % 3 = 1", TEMPER_TYPE_F32);
    check_lengths_asked("Y a", TEMPER_TYPE_BF16);
    check_lengths_asked("a S Y b", TEMPER_TYPE_F64);
    check_named_role("O a", "once", "lookup", TEMPER_GROWTH_LOG);
    check_named_role("Y a", "nearest", "count", TEMPER_GROWTH_LINEAR);
    check_named_role("#[a] >= #[b]", "count", "balance", TEMPER_GROWTH_NONE);
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
