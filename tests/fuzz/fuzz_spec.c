/* Specification text in all syntaxes: it is refused with a place, or it is read; then one in eight prints as text
   that means the same again. The first byte says which syntax. Automata are built for one text in a thousand, since
   that takes a hundred times as long as to read it; fuzz_regex.c builds them all. */
#include <string.h>

#include "fuzz.h"
#include "logic/formula_print.h"

enum { LONGEST_WORD = 2, MOST_LETTERS = 3, MOST_NODES = 1000 };

static void mean_the_same(const temper_spec *spec, const temper_spec *again, const char *text) {
    uint32_t word[LONGEST_WORD];
    size_t n = 0;
    temper_spec_info about = temper_spec_about(spec), other = temper_spec_about(again);
    MUST(about.letters == other.letters && about.kind == other.kind && about.outputs == other.outputs, "%s", text);
    if (about.kind == TEMPER_KIND_ACCEPTOR && about.letters <= MOST_LETTERS && about.nodes <= MOST_NODES) do {
            int left, right;
            temper_error err;
            MUST(temper_spec_eval(&left, NULL, spec, word, n, &err) == TEMPER_OK, "%s", err.text);
            MUST(temper_spec_eval(&right, NULL, again, word, n, &err) == TEMPER_OK, "%s", err.text);
            MUST(left == right, "%zu letters, the first %u: %d, and printed %d\n%s", n, n ? word[0] : 0, left, right,
                 text);
        } while (fuzz_next_word(word, &n, about.letters, LONGEST_WORD));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    temper_spec *spec, *again;
    temper_error err;
    char *text = NULL;
    if (!size) return 0;
    uint32_t hash = fuzz_hash(data, size);
    fuzz_automata = hash % 1024 == 0 && fuzz_repeats(data, size, 2) <= 4;
    temper_spec_options o = {.syntax = (temper_syntax)(data[0] % 5), .alphabet = data[0] & 16 ? NULL : "abc"};
    const char *bytes = fuzz_copy(data + 1, size - 1);
    temper_status status = temper_spec_parse(&spec, bytes, size - 1, &o, &err);
    MUST((status == TEMPER_OK) == (spec != NULL) && status == err.code, "status %d, code %d", status, err.code);
    MUST(status == TEMPER_OK || err.text[0], "status %d, and no message", status);
    fuzz_count(status == TEMPER_OK);
    if (status != TEMPER_OK) return 0;
    status = hash % 8 ? TEMPER_UNSUPPORTED : temper_spec_print(&text, spec, &err);
    if (status == TEMPER_OK) {
        temper_spec_info about = temper_spec_about(spec);
        temper_spec_options same = {.syntax = spec_print_syntax(spec),
                                    .at = about.at,
                                    .empty = about.accepts_empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT};
        status = temper_spec_parse(&again, text, strlen(text), &same, &err);
        MUST(status == TEMPER_OK, "what was printed does not parse: %s\n%s", err.text, text);
        mean_the_same(spec, again, text);
        temper_spec_free(again);
    }
    temper_free(text);
    temper_spec_free(spec);
    return 0;
}
