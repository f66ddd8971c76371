/* Models for whole strings, whose language is read from the right: every verdict is the automaton's, every position
   tells of the rest of the string, and nobody takes it for a prefix. Each model is made twice, for prefixes and for
   whole strings, compared with the language's own automaton, written, read back, proved and audited. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automata/dfa.h"
#include "bytes.h"
#include "logic/formula.h"
#include "temper.h"
#include "test.h"

static temper_spec *parse(const char *source) {
    temper_spec *spec = NULL;
    temper_error e;
    temper_spec_options o = {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "abc"};
    CHECK(!temper_spec_parse(&spec, source, strlen(source), &o, &e), "%s: %s", source, e.text);
    return spec;
}

static temper_model *build(const temper_spec *spec, const char *name, int whole) {
    temper_model *m = NULL;
    temper_error e;
    temper_build_options o = {.method = TEMPER_METHOD_TEMPERATURE, .whole = whole};
    temper_status status = temper_build(&m, spec, &o, &e);
    CHECK(status == TEMPER_OK || status == TEMPER_LIMIT || status == TEMPER_UNSUPPORTED, "%s: %s", name, e.text);
    return m;
}

static void show(char out[64], const uint32_t *word, size_t n) {
    for (size_t k = 0; k < n && k < 60; k++) out[k] = (char)('a' + word[k]);
    out[n < 60 ? n : 60] = 0;
}

/* The next word of the same length; false after the last. */
static bool advance(uint32_t *word, size_t n) {
    for (size_t k = n; k-- > 0; word[k] = 0)
        if (++word[k] < 3) return true;
    return false;
}

static void check_string(const char *name, const temper_model *m, const dfa *d, const uint32_t *word, size_t n) {
    temper_run *run;
    temper_error e;
    char shown[64];
    show(shown, word, n);
    if (!CHECK(!temper_model_run(&run, m, word, n, NULL, &e), "%s on '%s': %s", name, shown, e.text)) return;
    temper_run_info about = temper_run_about(run);
    bool whole = temper_model_about(m).whole;
    CHECK(about.proved && about.accept == dfa_accepts(d, word, n), "%s on '%s'", name, shown);
    for (size_t i = 1; i <= n; i++) {
        bool wanted = whole ? dfa_accepts(d, word + i - 1, n - i + 1) : dfa_accepts(d, word, i);
        CHECK(about.truth[i] == wanted, "%s on '%s' at %zu", name, shown, i);
    }
    CHECK(about.every_position == !whole, "%s on '%s': every position", name, shown);
    temper_run_free(run);
    temper_status asked = temper_model_run(&run, m, word, n, &(temper_run_options){.positions = 1}, &e);
    CHECK(asked == (whole ? TEMPER_UNSUPPORTED : TEMPER_OK), "%s on '%s': asked for positions", name, shown);
    CHECK(!whole || e.remedy == TEMPER_REMEDY_PREFIXES, "%s on '%s': no remedy", name, shown);
    temper_run_free(run);
}

static void check_strings(const char *name, const temper_model *m, const dfa *d, test_random *r) {
    uint32_t word[40] = {0};
    for (size_t n = 0; n <= 4; n++) {
        memset(word, 0, sizeof word);
        do check_string(name, m, d, word, n);
        while (advance(word, n));
    }
    for (int k = 0; k < 20; k++) {
        size_t n = 5 + random_below(r, 30);
        for (size_t i = 0; i < n; i++) word[i] = (uint32_t)random_below(r, 3);
        check_string(name, m, d, word, n);
    }
}

/* What the model carries means the same as the model, at every position; and check finds nothing, given what was
   written or what the model carries. */
static void check_source(const char *name, const temper_spec *written, const temper_model *m) {
    temper_spec *own;
    temper_error e;
    temper_check_result result;
    temper_difference difference;
    temper_check_options o = {.exhaustive = 4, .random = 20, .length = 30, .threads = 1};
    if (!CHECK(!temper_model_spec(&own, m, &e), "%s: %s", name, e.text)) return;
    CHECK(temper_spec_about(own).at == temper_model_about(m).at, "%s: read elsewhere", name);
    if (CHECK(!temper_spec_compare(&difference, own, written, &e), "%s: %s", name, e.text)) {
        CHECK(difference.same, "%s: the model's source differs on '%s'", name, difference.string);
        temper_difference_clear(&difference);
    }
    const temper_spec *sides[] = {own, written};
    for (size_t k = 0; k < 2; k++)
        if (CHECK(!temper_check(&result, sides[k], m, &o, &e), "%s: %s", name, e.text)) {
            CHECK(result.agreed, "%s: check finds a difference", name);
            temper_check_clear(&result);
        }
    temper_spec_free(own);
}

static void check_refusals(const char *name, const temper_model *m) {
    temper_stream *stream;
    temper_spec *other;
    temper_check_result result;
    temper_error e;
    temper_spec_options o = {.alphabet = "abc"};
    CHECK(temper_stream_open(&stream, m, NULL, &e) == TEMPER_UNSUPPORTED && e.remedy == TEMPER_REMEDY_PREFIXES,
          "%s: streamed", name);
    if (!CHECK(!temper_spec_parse(&other, "O a", 3, &o, &e), "%s", e.text)) return;
    CHECK(temper_check(&result, other, m, NULL, &e) == TEMPER_UNSUPPORTED && e.remedy == TEMPER_REMEDY_PREFIXES,
          "%s: compared with a formula", name);
    temper_spec_free(other);
}

/* Proved of the language, and audited; under another language's name neither. */
static void check_proof(const char *name, const temper_model *m, const char *other) {
    temper_certificate *c;
    temper_error e;
    temper_certify_options o = {.length = 1000};
    bytes file = {0}, proof = {0};
    temper_model *back = NULL;
    if (!CHECK(!temper_model_print(&file.data, &file.length, m, &e) &&
                   !temper_model_read(&back, file.data, file.length, &e),
               "%s: %s", name, e.text))
        return;
    CHECK(temper_model_about(back).whole == temper_model_about(m).whole, "%s: read back for prefixes", name);
    if (CHECK(!temper_certify(&c, back, file.data, file.length, &o, &e), "%s: %s", name, e.text)) {
        temper_certificate_info about = temper_certificate_about(c);
        CHECK(about.verdict == TEMPER_PROVED && about.claim == TEMPER_CLAIM_FORMULA && about.every_position,
              "%s: %s%s", name, about.reason, about.note);
        if (CHECK(!temper_certificate_print(&proof.data, &proof.length, c, &e), "%s: %s", name, e.text))
            CHECK(!temper_audit(proof.data, proof.length, file.data, file.length, NULL, &e), "%s: %s", name, e.text);
        temper_certificate_free(c);
    }
    temper_model_free(back);
    /* the same weights under another expression */
    bytes forged = copy_of(&file, 100);
    const char *at = strstr(forged.data, name);
    if (CHECK(at != NULL, "%s is not in its file", name))
        splice(&forged, (size_t)(at - forged.data), strlen(name), other);
    if (CHECK(!temper_model_read(&back, forged.data, forged.length, &e), "%s: %s", name, e.text)) {
        if (CHECK(!temper_certify(&c, back, forged.data, forged.length, &o, &e), "%s: %s", other, e.text)) {
            CHECK(temper_certificate_about(c).claim != TEMPER_CLAIM_FORMULA, "%s passes for %s", name, other);
            temper_certificate_free(c);
        }
        temper_model_free(back);
    }
    free(forged.data);
    temper_free(proof.data);
    temper_free(file.data);
}

/* Languages whose models for whole strings have fewer layers, and another language of the same alphabet. */
static const struct {
    const char *regex, *other;
} fewer[] = {{"[ab][abc]*", "[ab]+[abc]"}, {"a[abc]*", "[abc]*a"}, {"ab[abc]*", "[abc]*ba"}, {"c(a|b)*", "(a|b)*c"}};

static void check_fewer(test_random *r) {
    for (size_t k = 0; k < sizeof fewer / sizeof *fewer; k++) {
        temper_spec *spec = parse(fewer[k].regex);
        temper_model *prefixes = build(spec, fewer[k].regex, 0), *whole = build(spec, fewer[k].regex, 1);
        const dfa *d = spec->graph.languages[0].automaton;
        if (!prefixes || !whole) continue;
        CHECK(!temper_model_about(prefixes).whole && temper_model_about(prefixes).at == TEMPER_AT_LAST, "%s",
              fewer[k].regex);
        CHECK(temper_model_about(whole).whole && temper_model_about(whole).at == TEMPER_AT_FIRST &&
                  temper_model_about(whole).layers <= temper_model_about(prefixes).layers,
              "%s is not read from the right", fewer[k].regex);
        check_strings(fewer[k].regex, prefixes, d, r);
        check_strings(fewer[k].regex, whole, d, r);
        check_source(fewer[k].regex, spec, prefixes);
        check_source(fewer[k].regex, spec, whole);
        check_refusals(fewer[k].regex, whole);
        check_proof(fewer[k].regex, whole, fewer[k].other);
        temper_model_free(prefixes);
        temper_model_free(whole);
        temper_spec_free(spec);
    }
}

static void add(char *out, size_t size, const char *more) { strncat(out, more, size - strlen(out) - 1); }

static void random_regex(char *out, size_t size, test_random *r, int depth) {
    static const char *const leaves[] = {"a", "b", "c", "[ab]", "[bc]", ".", "ab"};
    static const char *const after[] = {"", "", "*", "+", "?", "{2}", "{1,3}"};
    int parts = 1 + (int)random_below(r, 3);
    for (int k = 0; k < parts; k++) {
        if (k && random_below(r, 3) == 0) add(out, size, "|");
        if (depth && random_below(r, 3) == 0) {
            add(out, size, "(");
            random_regex(out, size, r, depth - 1);
            add(out, size, ")");
        } else {
            add(out, size, leaves[random_below(r, sizeof leaves / sizeof *leaves)]);
        }
        add(out, size, after[random_below(r, sizeof after / sizeof *after)]);
    }
}

/* Whichever direction is chosen. */
static void check_random(test_random *r, int count) {
    int whole_count = 0;
    for (int k = 0; k < count; k++) {
        char regex[400] = "";
        random_regex(regex, sizeof regex - 100, r, 2);
        temper_spec *spec = parse(regex);
        temper_model *m = spec ? build(spec, regex, 1) : NULL;
        if (m) {
            whole_count += temper_model_about(m).whole;
            check_strings(regex, m, spec->graph.languages[0].automaton, r);
            check_source(regex, spec, m);
            temper_model_free(m);
        }
        temper_spec_free(spec);
    }
    CHECK(count < 20 || whole_count > count / 20, "only %d of %d are read from the right", whole_count, count);
}

/* Subformulas and specifications of other kinds are never read from the right. */
static void check_never(void) {
    static const char *const specs[] = {"/a[ab]*/", "/a[ab]*/ & /[ab]*b/", "!/a[ab]*/", "regex a[ab]*"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        temper_spec *spec;
        temper_error e;
        temper_spec_options o = {.alphabet = "ab"};
        if (!CHECK(!temper_spec_parse(&spec, specs[k], strlen(specs[k]), &o, &e), "%s: %s", specs[k], e.text))
            continue;
        temper_model *m = build(spec, specs[k], 1);
        if (m) CHECK(!temper_model_about(m).whole && temper_model_about(m).at == TEMPER_AT_LAST, "%s", specs[k]);
        temper_model_free(m);
        temper_spec_free(spec);
    }
}

int main(void) {
    test_random r = test_seed(20);
    check_fewer(&r);
    check_random(&r, (int)(30 * test_effort()));
    check_never();
    return test_finish("t-whole");
}
