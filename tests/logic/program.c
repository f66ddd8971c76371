#include "program.h"

#include <string.h>

#include "test.h"

temper_spec *program_parse(const char *source, temper_syntax syntax) {
    temper_spec *spec = NULL;
    temper_error err;
    temper_spec_options options = {.syntax = syntax};
    temper_spec_parse(&spec, source, strlen(source), &options, &err);
    CHECK(spec, "%zu:%zu: %s (%s) in\n%s", err.line, err.column, err.text, err.hint, source);
    return spec;
}

bool program_next_word(char *w, const char *letters, size_t longest) {
    size_t n = strlen(w), base = strlen(letters);
    for (size_t k = n; k-- > 0;) {
        size_t digit = (size_t)(strchr(letters, w[k]) - letters);
        w[k] = letters[(digit + 1) % base];
        if (digit + 1 < base) return true;
    }
    if (n == longest) return false;
    w[n] = letters[0];
    w[n + 1] = 0;
    return true;
}

int program_truths(unsigned char *truth, const temper_spec *spec, const char *w) {
    uint32_t *word;
    size_t n;
    int accept = -1;
    if (temper_spec_encode(&word, &n, spec, w, strlen(w), NULL)) return -1;
    temper_spec_eval(&accept, truth, spec, word, n, NULL);
    temper_free(word);
    return accept;
}
