#include "exact_text.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

enum { LONGEST = 5, MOST_STRINGS = 1100 };

void exact_refusal_of(const exact_text *x, size_t length) {
    char found[1024] = "accepted";
    temper_spec *s = NULL;
    temper_error e = {0};
    temper_status status = temper_spec_parse(&s, x->text, length, &x->options, &e);
    if (status != TEMPER_OK)
        snprintf(found, sizeof found, "%s %zu:%zu: %s%s%s", temper_status_name(status), e.line, e.column, e.text,
                 *e.hint ? " | " : "", e.hint);
    CHECK(strcmp(found, x->expected) == 0, "'%.200s':\n  %s\nnot\n  %s", x->text, found, x->expected);
    CHECK(!s == (status != TEMPER_OK), "'%.200s': refused, but there is a specification", x->text);
    temper_spec_free(s);
}

void exact_refusal(const exact_text *x) { exact_refusal_of(x, strlen(x->text)); }

temper_spec *exact_parse(const char *text, const temper_spec_options *o) {
    temper_spec *s = NULL;
    temper_error e;
    CHECK(temper_spec_parse(&s, text, strlen(text), o, &e) == TEMPER_OK, "'%.200s': %zu:%zu: %s", text, e.line,
          e.column, e.text);
    return s;
}

void exact_print(const exact_text *x) {
    temper_spec *s = exact_parse(x->text, &x->options), *again = NULL;
    char *printed = NULL, *twice = NULL;
    temper_error e;
    if (!s) return;
    CHECK(temper_spec_print(&printed, s, &e) == TEMPER_OK && strcmp(printed, x->expected) == 0,
          "'%.200s':\n%s\nnot\n%s", x->text, printed ? printed : e.text, x->expected);
    temper_spec_options o = {.syntax =
                                 x->options.syntax == TEMPER_SYNTAX_BRASP ? TEMPER_SYNTAX_BRASP : TEMPER_SYNTAX_SPEC};
    if (printed) again = exact_parse(printed, &o);
    if (again)
        CHECK(temper_spec_print(&twice, again, &e) == TEMPER_OK && strcmp(printed, twice) == 0,
              "'%.200s': printed as\n%s\nand then as\n%s", x->text, printed, twice ? twice : e.text);
    temper_free(printed);
    temper_free(twice);
    temper_spec_free(s);
    temper_spec_free(again);
}

void exact_meaning(const exact_text *x, temper_syntax syntax) {
    temper_spec_options second = x->options;
    second.syntax = syntax;
    temper_spec *one = exact_parse(x->text, &x->options), *other = exact_parse(x->expected, &second);
    size_t letters = one ? temper_spec_about(one).letters : 0;
    if (one && other) CHECK(temper_spec_about(other).letters == letters, "'%.200s': letters", x->text);
    for (size_t n = 0, strings = 1; one && other && n <= LONGEST && strings <= MOST_STRINGS; n++, strings *= letters)
        for (size_t k = 0; k < strings; k++) {
            uint32_t word[LONGEST] = {0};
            unsigned char truth[2][LONGEST] = {{0}};
            int accept[2] = {-1, -2};
            temper_error e;
            for (size_t i = 0, rest = k; i < n; i++, rest /= letters) word[i] = (uint32_t)(rest % letters);
            bool ok = temper_spec_eval(&accept[0], truth[0], one, word, n, &e) == TEMPER_OK &&
                      temper_spec_eval(&accept[1], truth[1], other, word, n, &e) == TEMPER_OK;
            CHECK(ok && accept[0] == accept[1] && memcmp(truth[0], truth[1], n) == 0,
                  "'%.200s' is not '%.200s' on string %zu of length %zu", x->text, x->expected, k, n);
        }
    temper_spec_free(one);
    temper_spec_free(other);
}
