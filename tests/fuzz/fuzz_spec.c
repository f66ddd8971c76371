/* Specification text in all syntaxes: it is refused with a place, or it prints as text that means the same again. The
   first byte says which syntax. */
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    temper_spec *spec, *again;
    temper_error err;
    char *text = NULL;
    if (!size) return 0;
    temper_spec_options o = {.syntax = (temper_syntax)(data[0] % 5), .alphabet = data[0] & 16 ? NULL : "abc"};
    const char *bytes = fuzz_copy(data + 1, size - 1);
    temper_status status = temper_spec_parse(&spec, bytes, size - 1, &o, &err);
    MUST((status == TEMPER_OK) == (spec != NULL) && status == err.code, "status %d, code %d", status, err.code);
    MUST(status == TEMPER_OK || err.text[0], "status %d, and no message", status);
    if (status != TEMPER_OK) return 0;
    status = temper_spec_print(&text, spec, &err);
    if (status == TEMPER_OK) {
        temper_spec_info about = temper_spec_about(spec);
        temper_spec_options same = {.syntax = TEMPER_SYNTAX_SPEC, /* whatever it was written in */
                                    .at = about.at,
                                    .empty = about.accepts_empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT};
        status = temper_spec_parse(&again, text, strlen(text), &same, &err);
        MUST(status == TEMPER_OK, "what was printed does not parse: %s\n%s", err.text, text);
        temper_spec_free(again);
    }
    temper_free(text);
    temper_spec_free(spec);
    return 0;
}
