/* What certify answers, quickly: proved exactly up to the proved length, refuted with a string that is run and
   evaluated here, every regular language of a source in its certificate, every output in what was read off, and of
   two proofs the one that says more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/entry.h"
#include "bytes.h"
#include "logic/formula_eval.h"
#include "test.h"

static temper_error why;

static bool built_as(temper_spec **spec, temper_model **m, const char *source, temper_syntax syntax, bool whole) {
    temper_build_options b = {.method = TEMPER_METHOD_TEMPERATURE, .whole = whole};
    temper_spec_options o = {.alphabet = strstr(source, "alphabet") ? NULL : "abc", .syntax = syntax};
    *spec = NULL;
    *m = NULL;
    return CHECK(temper_spec_parse(spec, source, strlen(source), &o, &why) == TEMPER_OK &&
                     temper_build(m, *spec, &b, &why) == TEMPER_OK,
                 "%s: %s", source, why.text);
}

static bool built(temper_spec **spec, temper_model **m, const char *source) {
    return built_as(spec, m, source, TEMPER_SYNTAX_SPEC, false);
}

/* NULL if that is not the verdict. */
static temper_certificate *certified(const temper_model *m, const bytes *file, temper_certify_options o,
                                     temper_verdict expected, const char *what) {
    temper_certificate *c = NULL;
    CHECK(temper_certify(&c, m, file ? file->data : NULL, file ? file->length : 0, &o, &why) == TEMPER_OK, "%s: %s",
          what, why.text);
    if (!c) return NULL;
    temper_certificate_info about = temper_certificate_about(c);
    if (CHECK(about.verdict == expected, "%s, length %zu in %s: verdict %d, %s", what, o.length,
              temper_type_name(o.type), (int)about.verdict, about.reason))
        return c;
    temper_certificate_free(c);
    return NULL;
}

/* ---- lengths ---- */

static const struct {
    const char *source;
    temper_type type;
} LENGTHS[] = {
    {"Y a", TEMPER_TYPE_BF16},         {"a S b", TEMPER_TYPE_BF16},         {"#[a] >= #[b]", TEMPER_TYPE_BF16},
    {"#[a] >= #[b]", TEMPER_TYPE_F16}, {"#[a] % 2 = 1", TEMPER_TYPE_F32},   {"a S b", TEMPER_TYPE_F32},
    {"Y a", TEMPER_TYPE_F16},          {"#[a] >= 3", TEMPER_TYPE_E5M2_F32}, {"Y Y a", TEMPER_TYPE_F16},
};

static void check_lengths(void) {
    for (size_t k = 0; k < sizeof LENGTHS / sizeof *LENGTHS; k++) {
        temper_spec *spec;
        temper_model *m;
        temper_proof longest = {0};
        const char *source = LENGTHS[k].source;
        temper_type type = LENGTHS[k].type;
        if (built(&spec, &m, source) &&
            CHECK(temper_model_proof(&longest, m, type, 0, &why) == TEMPER_OK, "%s: %s", source, why.text) &&
            CHECK(longest.length > 1 && longest.length < (size_t)1 << 30, "%s: length %zu", source, longest.length))
            for (int step = 0; step < 3; step++) {
                size_t n = step == 0 ? longest.length / 2 : longest.length - 1 + (size_t)step;
                temper_certificate *c = certified(m, NULL, (temper_certify_options){.length = n, .type = type},
                                                  n <= longest.length ? TEMPER_PROVED : TEMPER_UNABLE, source);
                bytes file = {0};
                char line[60];
                snprintf(line, sizeof line, "\n  \"length\": %zu,\n", n);
                if (c && n <= longest.length)
                    CHECK(temper_certificate_print(&file.data, &file.length, c, &why) == TEMPER_OK &&
                              strstr(file.data, line),
                          "%s is proved up to %zu, but not stated for %zu:\n%s", source, longest.length, n,
                          file.data);
                temper_free(file.data);
                temper_certificate_free(c);
            }
        temper_model_free(m);
        temper_spec_free(spec);
    }
}

/* 2^40 letters are the longest that bounds are stated for. */
static void check_cap(void) {
    temper_spec *spec;
    temper_model *m;
    size_t cap = (size_t)1 << 40;
    if (built(&spec, &m, "a S b")) {
        temper_certificate_free(certified(m, NULL, (temper_certify_options){.length = cap}, TEMPER_PROVED, "a S b"));
        temper_certificate_free(
            certified(m, NULL, (temper_certify_options){.length = cap + 1}, TEMPER_UNABLE, "a S b"));
    }
    temper_model_free(m);
    temper_spec_free(spec);
}

/* ---- wrong answers ---- */

static void check_wrong(const temper_spec *spec, const temper_model *m, const temper_fault *fault, temper_type type) {
    temper_run *run = NULL;
    temper_run_options o = {.type = type, .unchecked = 1, .threads = 1};
    trap t;
    arena memory;
    unsigned char truth[100];
    if (!CHECK(fault->n > 0 && fault->n <= 60 && fault->length == fault->n && fault->position > 0 &&
                   fault->position <= fault->n && fault->output == 0,
               "a string of %zu letters, position %zu", fault->n, fault->position) ||
        !CHECK(temper_model_run(&run, m, fault->letters, fault->n, &o, &why) == TEMPER_OK, "%s", why.text))
        return;
    if (trap_set(&t, NULL)) return;
    arena_init(&memory, &t);
    formula_eval(truth, &spec->graph, spec->root, fault->letters, fault->n, &memory);
    CHECK(temper_run_output(run, 0)[fault->position] != truth[fault->position - 1],
          "the answer at %zu of %zu is right", fault->position, fault->n);
    arena_free(&memory);
    trap_clear(&t);
    temper_run_free(run);
}

static void check_refuted(void) {
    for (int search = 0; search < 2; search++) {
        temper_spec *spec;
        temper_model *m;
        temper_certify_options o = {.length = 60, .type = TEMPER_TYPE_E4M3, .search = search};
        if (built(&spec, &m, "a S b")) {
            temper_certificate *c = certified(m, NULL, o, search ? TEMPER_REFUTED : TEMPER_UNABLE, "a S b");
            if (c && search) {
                temper_certificate_info about = temper_certificate_about(c);
                check_wrong(spec, m, &about.fault, o.type);
            }
            temper_certificate_free(c);
        }
        temper_model_free(m);
        temper_spec_free(spec);
    }
}

/* ---- languages ---- */

/* How many there are; one alone, in its own syntax, may be read from the right. */
static const struct {
    const char *source;
    temper_syntax syntax;
    bool right;
    size_t count;
} LANGUAGES[] = {
    {"/(ab)*/", TEMPER_SYNTAX_SPEC, false, 1},
    {"/(ab)*/ & !/b*/", TEMPER_SYNTAX_SPEC, false, 2},
    {"/a*/ | O /b+c/ | Y /[ab]c*/", TEMPER_SYNTAX_SPEC, false, 3},
    {"a*b(a|c)", TEMPER_SYNTAX_REGEX, false, 1},
    {"(a|b|c)*c(a|b)", TEMPER_SYNTAX_REGEX, false, 1},
    {"c(a|b)(a|b|c)*", TEMPER_SYNTAX_REGEX, false, 1},
    {"c(a|b)(a|b|c)*", TEMPER_SYNTAX_REGEX, true, 1},
    {"start p; accept q; p a q; q b p", TEMPER_SYNTAX_DFA, false, 1},
};

static void check_languages(void) {
    for (size_t k = 0; k < sizeof LANGUAGES / sizeof *LANGUAGES; k++) {
        temper_spec *spec;
        temper_model *m;
        bytes file = {0}, proof = {0};
        const char *source = LANGUAGES[k].source;
        if (built_as(&spec, &m, source, LANGUAGES[k].syntax, LANGUAGES[k].right) &&
            CHECK(temper_model_print(&file.data, &file.length, m, &why) == TEMPER_OK, "%s", why.text)) {
            CHECK(temper_model_about(m).whole == LANGUAGES[k].right, "%s: the direction", source);
            temper_certificate *c = certified(m, &file, (temper_certify_options){.length = 9}, TEMPER_PROVED, source);
            size_t count = 0;
            if (c &&
                CHECK(temper_certificate_print(&proof.data, &proof.length, c, &why) == TEMPER_OK, "%s", why.text)) {
                for (const char *at = proof.data; (at = strstr(at, "{\"language\": ")); at++) count++;
                CHECK(count == LANGUAGES[k].count && temper_certificate_about(c).claim == TEMPER_CLAIM_FORMULA,
                      "%s: %zu languages\n%s", source, count, proof.data);
                CHECK(temper_audit(proof.data, proof.length, file.data, file.length, NULL, &why) == TEMPER_OK,
                      "%s: %s\n%s", source, why.text, proof.data);
            }
            temper_certificate_free(c);
        }
        temper_free(proof.data);
        temper_free(file.data);
        temper_model_free(m);
        temper_spec_free(spec);
    }
}

/* ---- what is read off ---- */

/* A transducer without its source: the formulas of the certificate, below the names of their outputs. */
static void check_read_off(void) {
    temper_spec *spec;
    temper_model *m, *again = NULL;
    bytes printed = {0}, proof = {0};
    if (built(&spec, &m, "alphabet a b\ntransduce\nemit 'x' = Y a\nemit 'y' = O b\nemit 'z' = a\n") &&
        CHECK(temper_model_print(&printed.data, &printed.length, m, &why) == TEMPER_OK, "%s", why.text)) {
        bytes file = copy_of(&printed, 0);
        char *source = strstr(file.data, "\nsource "), *end = strchr(source + 1, '\n');
        splice(&file, (size_t)(source - file.data), (size_t)(end - source), "");
        char *digest = strstr(file.data, "\ndigest ") + 1;
        splice(&file, (size_t)(digest - file.data), file.length - (size_t)(digest - file.data), "");
        CHECK(temper_model_read(&again, file.data, file.length, &why) == TEMPER_OK, "%s", why.text);
        temper_certificate *c = again ? certified(again, &file, (temper_certify_options){.length = 9}, TEMPER_PROVED,
                                                  "a transducer without a source")
                                      : NULL;
        if (c && CHECK(temper_certificate_print(&proof.data, &proof.length, c, &why) == TEMPER_OK, "%s", why.text)) {
            temper_certificate_info about = temper_certificate_about(c);
            char wanted[400] = "";
            size_t used = 0;
            const char *at = proof.data, *key = "\"formula\": \"";
            for (int k = 0; k < 3 && (at = strstr(at, key)); k++) {
                at += strlen(key);
                used += (size_t)snprintf(wanted + used, sizeof wanted - used, "%soutput '%c'\n%.*s", k ? "\n" : "",
                                         'x' + k, (int)strcspn(at, "\""), at);
            }
            CHECK(about.claim == TEMPER_CLAIM_CHOICES && strcmp(about.read_off, wanted) == 0 && *about.note,
                  "read off was\n%s\nnot\n%s", about.read_off, wanted);
        }
        temper_certificate_free(c);
        free(file.data);
    }
    temper_free(proof.data);
    temper_free(printed.data);
    temper_model_free(again);
    temper_model_free(m);
    temper_spec_free(spec);
}

/* ---- hard choices ---- */

/* Sets of values prove the answer, strings prove every position: the certificate has what is more. */
static char GROUPED[] =
    "temper-model 1\nmethod positions\nsyntax spec\nsource \"\"\nalphabet \"a\" \"b\"\ntokens no\nat last\nempty "
    "reject\n"
    "end no\nchannel 0 \"one\" position \"1\"\nchannel 1 \"c1\"\nchannel 2 \"c2\"\nchannel 3 \"c3\"\nchannel 4 \"1\" "
    "position \"1\"\nchannel 5 \"i\" soft \"i\"\nembed \"a\" 2:0.5 3:-0.5\nembed \"b\" 1:0.25\nembed start 0:2 "
    "2:0.25\n"
    "embed end 1:3 2:1.5\nlayer 1\nhead \"h\" mask j>i choice softmax for rightmost scale \"0.5\"\n  query 0:16 "
    "2:192\n"
    "  query 4:8\n  key 3:1\n  key 5:1\n  value 3:1\n  output 3:1\nunit 0 0:1.5 2:0.25 -> 3:1\nunit 3 0:1 1:1 -> "
    "0:-1\n"
    "layer 2\nhead \"h\" mask j>i choice softmax for average scale \"0.5\"\n  value 3:1.5\n  output 2:-0.5\n"
    "unit 0 -> 1:1\nread 2:1.5 3:3\n";

static void check_better_facts(void) {
    temper_model *m = NULL;
    bytes file = {GROUPED, sizeof GROUPED - 1}, proof = {0}, sets = {0};
    audit_request request = {.length = 2, .type = TEMPER_TYPE_F16_F32, .choices = true};
    if (!CHECK(temper_model_read(&m, file.data, file.length, &why) == TEMPER_OK, "%s", why.text)) return;
    temper_certify_options o = {.length = 2, .type = request.type};
    temper_certificate *c = certified(m, &file, o, TEMPER_PROVED, "hard choices");
    if (c && CHECK(temper_certificate_print(&proof.data, &proof.length, c, &why) == TEMPER_OK, "%s", why.text)) {
        CHECK(temper_certificate_about(c).every_position && strstr(proof.data, "\"facts\": \"strings\"") &&
                  strstr(proof.data, "\"positions\": \"every\""),
              "%s", proof.data);
        CHECK(temper_audit(proof.data, proof.length, file.data, file.length, NULL, &why) == TEMPER_OK, "%s",
              why.text);
    }
    /* facts that cannot be found are a reason, not an error */
    o.length = (size_t)1 << 30;
    temper_certificate_free(certified(m, &file, o, TEMPER_UNABLE, "hard choices of long strings"));
    CHECK(audit_requested(&sets.data, &sets.length, file.data, file.length, &request, &why) == TEMPER_OK &&
              strstr(sets.data, "\"positions\": \"verdict\""),
          "%s", sets.data ? sets.data : why.text);
    temper_free(sets.data);
    temper_free(proof.data);
    temper_certificate_free(c);
    temper_model_free(m);
}

int main(void) {
    check_better_facts();
    check_lengths();
    check_cap();
    check_refuted();
    check_languages();
    check_read_off();
    return test_finish("t-certify-answers");
}
