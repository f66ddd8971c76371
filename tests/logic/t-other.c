/* The letter that unknown ones are read as: a text with unknown pieces is read as the text in which each of them is
   replaced by hand, by the specification, by its print, by the model and by its files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "temper.h"
#include "test.h"

enum { PIECES = 12, ROOM = 400 };

static char folder[TEST_FOLDER];
static test_random dice;

/* Pieces of strings; the first four are the alphabet. */
static const char *const letters[] = {"a", "b", "x", "c", "q", "?", "7", "\xC3\xA9", "\xE2\x82\xAC", "\xFF"};
static const char *const words[] = {"req",     "ack", "other", "GET", "reqs", "r", "/x", "17", "\xC3\xA9t\xC3\xA9",
                                    "\xFF\xFE"};
enum { KNOWN = 4, OTHER = 2, ALL = 10 };

typedef temper_status encoder(uint32_t **out, size_t *n, const void *of, const char *text, size_t length);

static temper_status by_spec(uint32_t **out, size_t *n, const void *of, const char *text, size_t length) {
    return temper_spec_encode(out, n, of, text, length, NULL);
}

static temper_status by_model(uint32_t **out, size_t *n, const void *of, const char *text, size_t length) {
    return temper_model_encode(out, n, of, text, length, NULL);
}

/* The text is read as the numbers that its pieces have. */
static void compare(const char *what, encoder *encode, const void *of, bool tokens) {
    const char *const *pieces = tokens ? words : letters;
    for (int round = 0; round < 20; round++) {
        char text[ROOM] = "";
        uint32_t want[PIECES], *got;
        size_t n = random_u64(&dice) % (PIECES + 1), read;
        for (size_t k = 0; k < n; k++) {
            size_t piece = random_u64(&dice) % ALL;
            want[k] = piece < KNOWN ? (uint32_t)piece : OTHER;
            if (tokens && k) strcat(text, " ");
            strcat(text, pieces[piece]);
        }
        bool fine = encode(&got, &read, of, text, strlen(text)) == TEMPER_OK && read == n &&
                    (!n || memcmp(got, want, n * sizeof *want) == 0);
        CHECK(fine, "%s: '%s'", what, text);
        temper_free(got);
    }
}

static void refuses(const char *what, encoder *encode, const void *of) {
    uint32_t *got;
    size_t n;
    CHECK(encode(&got, &n, of, "?", 1) == TEMPER_RANGE && !got, "%s", what);
}

/* Files, text and safetensors, and both kinds of models keep the letter. */
static void check_files(const temper_model *m, bool tokens) {
    static const char *const names[] = {"m.temper", "m.safetensors"};
    for (int k = 0; k < 2; k++) {
        char path[ROOM];
        temper_model *again;
        temper_error e;
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        if (!CHECK(temper_model_save(path, m, &e) == TEMPER_OK, "%s", e.text)) continue;
        if (!CHECK(temper_model_load(&again, path, &e) == TEMPER_OK, "%s", e.text)) continue;
        CHECK(temper_model_about(again).other == OTHER, "%s", names[k]);
        compare(names[k], by_model, again, tokens);
        temper_model_free(again);
        unlink(path);
    }
}

static void check_copies(const temper_model *m, bool tokens) {
    temper_model *without, *with;
    temper_error e;
    if (!CHECK(temper_model_with_other(&without, m, NULL, &e) == TEMPER_OK, "%s", e.text)) return;
    CHECK(temper_model_about(without).other == SIZE_MAX, "it is gone");
    refuses("without", by_model, without);
    if (CHECK(temper_model_with_other(&with, without, tokens ? words[OTHER] : letters[OTHER], &e) == TEMPER_OK, "%s",
              e.text))
        compare("with", by_model, with, tokens);
    temper_model_free(with);
    CHECK(temper_model_with_other(&with, m, "no such", &e) == TEMPER_RANGE && !with, "%s", e.text);
    temper_model_free(without);
}

static void check_spec(const temper_spec *spec, temper_syntax syntax, bool tokens) {
    temper_model *hard = NULL, *soft = NULL;
    temper_spec *again = NULL;
    temper_error e;
    char *printed;
    CHECK(temper_spec_about(spec).other == OTHER, "of the specification");
    compare("spec", by_spec, spec, tokens);
    if (CHECK(temper_spec_print(&printed, spec, &e) == TEMPER_OK, "%s", e.text)) {
        bool parsed = temper_spec_parse(&again, printed, strlen(printed), &(temper_spec_options){.syntax = syntax},
                                        &e) == TEMPER_OK;
        if (CHECK(parsed, "%s: %s", printed, e.text)) compare("printed", by_spec, again, tokens);
        temper_spec_free(again);
        temper_free(printed);
    }
    if (CHECK(temper_build(&hard, spec, NULL, &e) == TEMPER_OK, "%s", e.text)) {
        compare("hard", by_model, hard, tokens);
        check_files(hard, tokens);
        check_copies(hard, tokens);
        bool is_soft = temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE},
                                     &e) == TEMPER_OK;
        if (CHECK(is_soft, "%s", e.text)) compare("soft", by_model, soft, tokens);
        if (CHECK(temper_model_spec(&again, soft, &e) == TEMPER_OK, "%s", e.text))
            compare("carried", by_spec, again, tokens);
        temper_spec_free(again);
    }
    temper_model_free(soft);
    temper_model_free(hard);
}

static temper_spec *parse(const char *text, const temper_spec_options *o) {
    temper_spec *spec;
    temper_error e;
    CHECK(temper_spec_parse(&spec, text, strlen(text), o, &e) == TEMPER_OK, "%s: %s", text, e.text);
    return spec;
}

static void check_bad_options(void) {
    static const char *const bad[] = {"", "xy", "z"}; /* of abc */
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        temper_spec *spec;
        temper_error e;
        temper_spec_options o = {.alphabet = "abc", .other = bad[k]};
        CHECK(temper_spec_parse(&spec, "a S b", 5, &o, &e) != TEMPER_OK && !spec && *e.text, "other '%s'", bad[k]);
    }
}

static void check_line_and_option(void) {
    static const struct {
        const char *text;
        temper_spec_options o;
    } cases[] = {
        {"alphabet a b x c\nother x\na S b", {0}},
        {"other 'x'  -- as others\nalphabet a b x c\na S b", {0}},
        {"a S b", {.alphabet = "abxc", .other = "x"}},
        {"alphabet a b x c\nother a\na S b", {.other = "x"}}, /* the option counts */
        {"alphabet a b x c\nother x\n# \"a\" > # \"b\"", {.syntax = TEMPER_SYNTAX_CRASP}},
        {"alphabet a b x c\nother x\nAny(i) := Q_a(i)", {.syntax = TEMPER_SYNTAX_BRASP}},
        {"(ab)*", {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "abxc", .other = "x"}},
        {"next\nalphabet a b x c\nother x\nH !b", {0}},
        {"tokens yes\nalphabet req ack other GET\nother other\nreq S ack", {0}},
        {"req S ack", {.tokens = 1, .alphabet = "req ack other GET", .other = "other"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *spec = parse(cases[k].text, &cases[k].o);
        if (spec && cases[k].o.syntax == TEMPER_SYNTAX_REGEX)
            compare("regex", by_spec, spec, false);
        else if (spec)
            check_spec(spec, cases[k].o.syntax, temper_spec_about(spec).tokens);
        temper_spec_free(spec);
    }
}

/* The word begins no line but `other LETTER`; and the letter joins an alphabet that is not stated. */
static void check_words(void) {
    static const struct {
        const char *text;
        size_t letters, other;
    } cases[] = {
        {"other", 1, SIZE_MAX},         {"other S req", 2, SIZE_MAX}, {"other = req\nO other", 1, SIZE_MAX},
        {"'other' | req", 2, SIZE_MAX}, {"other req\nO req", 1, 0},   {"other 'else'\nreq S ack", 3, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *spec = parse(cases[k].text, &(temper_spec_options){.tokens = 1});
        if (!spec) continue;
        temper_spec_info info = temper_spec_about(spec);
        CHECK(info.letters == cases[k].letters && info.other == cases[k].other, "%s: %zu letters, other %zu",
              cases[k].text, info.letters, info.other);
        temper_spec_free(spec);
    }
}

int main(void) {
    dice = test_seed(18);
    if (!test_folder(folder)) return test_finish("other");
    check_line_and_option();
    check_bad_options();
    check_words();
    rmdir(folder);
    return test_finish("other");
}
