/* Regular expressions, against the C library's matcher where both know what is written. Automata with long repeats
   are built for one text in a thousand. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { LONGEST_TEXT = 60, LONGEST_WORD = 5 };

/* What means the same in both: letters, ., groups, |, * + ?, {m,n} with small numbers. */
static int is_common(const char *text) {
    size_t repeats = 0;
    if (!*text) return 0;
    for (const char *p = text; *p; p++) {
        repeats += *p == '*' || *p == '+' || *p == '?' || *p == '{';
        if (!strchr("abc.()|*+?{},0123456789", *p)) return 0;
        if (*p == '{' && !strchr("0123456789", p[1])) return 0;
        if (strchr("*+?{", *p) && (p == text || strchr("(|*+?{}", p[-1]))) return 0;
        if (strchr("0123456789", *p) && strchr("0123456789", p[1])) return 0;
    }
    return repeats <= 6;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[LONGEST_TEXT + 1], whole[LONGEST_TEXT + 10];
    temper_spec *spec;
    temper_error err;
    regex_t matcher;
    if (size > LONGEST_TEXT || memchr(data, 0, size)) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    temper_spec_options o = {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = "abc"};
    fuzz_automata =
        fuzz_repeats(data, size, 1) <= 4 || (fuzz_hash(data, size) % 1024 == 0 && fuzz_repeats(data, size, 2) <= 4);
    temper_status status = temper_spec_parse(&spec, fuzz_copy(data, size), size, &o, &err);
    fuzz_count(status == TEMPER_OK);
    if (status != TEMPER_OK) return 0;
    snprintf(whole, sizeof whole, "^(%s)$", text);
    if (is_common(text) && regcomp(&matcher, whole, REG_EXTENDED | REG_NOSUB) == 0) {
        uint32_t word[LONGEST_WORD];
        size_t n = 0;
        do {
            char letters[LONGEST_WORD + 1] = "";
            int accept;
            for (size_t i = 0; i < n; i++) letters[i] = (char)('a' + word[i]);
            MUST(temper_spec_eval(&accept, NULL, spec, word, n, &err) == TEMPER_OK, "%s: %s", text, err.text);
            MUST(accept == !regexec(&matcher, letters, 0, NULL, 0), "/%s/ on '%s': %d", text, letters, accept);
        } while (fuzz_next_word(word, &n, 3, LONGEST_WORD));
        regfree(&matcher);
    }
    temper_spec_free(spec);
    return 0;
}
