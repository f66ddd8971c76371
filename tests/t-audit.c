/* driver */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "corpus.h"
#include "random_formula.h"

static int tally[2];
static int one(const char *name, const temper_spec *spec, temper_method method, temper_type type, size_t n) {
    temper_error e;
    temper_model *hard, *soft;
    if (temper_compile(&hard, spec, &e) != TEMPER_OK) return -1;
    if (temper_soften(&soft, hard, method, &e) != TEMPER_OK) { printf("%s soften: %s\n", name, e.text); return -1; }
    char *text; size_t length;
    temper_model_print(&text, &length, soft, &e);
    char *out; size_t ol;
    temper_status s = audit_certificate(&out, &ol, text, length, n, type, &e);
    if (s != TEMPER_OK) printf("FAIL %s m%d %s: %s\n", name, method, temper_type_name(type), e.text);
    tally[s == TEMPER_OK]++;
    temper_free(out); temper_free(text);
    temper_model_free(hard); temper_model_free(soft);
    return s == TEMPER_OK;
}
int main(int c, char **v) {
    size_t len = c > 1 ? atoi(v[1]) : 50;
    temper_type type = c > 2 ? atoi(v[2]) : 0;
    for (size_t k = 0; k < corpus_size(); k++) {
        const corpus_entry *e = corpus_at(k);
        temper_spec *spec = corpus_parse(e);
        if (!spec) continue;
        one(e->name, spec, TEMPER_METHOD_TEMPERATURE, type, len);
        one(e->name, spec, TEMPER_METHOD_POSITIONS, type, len);
        temper_spec_free(spec);
    }
    printf("corpus: %d failed %d ok\n", tally[0], tally[1]);
    tally[0] = tally[1] = 0;
    test_random r = test_seed(5);
    int skipped = 0, unparsed = 0;
    for (int k = 0; k < (c > 3 ? atoi(v[3]) : 3000); k++) {
        random_shape s = {.letters = 1 + random_below(&r, 4), .size = 1 + random_below(&r, 24), .depth = 1 + random_below(&r, 8)};
        int dir = random_below(&r, 3);
        s.past = dir != 1; s.future = dir != 0;
        int kind = random_below(&r, 4);
        s.counting = kind == 1 || kind == 2; s.modulo = kind == 2; s.attend = kind == 3; s.large = random_below(&r, 4) == 0;
        temper_spec *raw = random_spec(&r, &s, random_below(&r, 2) ? TEMPER_AT_FIRST : TEMPER_AT_LAST), *spec;
        if (!raw) { skipped++; continue; }
        char *printed; temper_error e;
        if (temper_spec_print(&printed, raw, &e) != TEMPER_OK) { skipped++; temper_spec_free(raw); continue; }
        char alphabet[8] = "abcd"; alphabet[s.letters] = 0;
        temper_spec_options o = {.syntax = s.attend ? TEMPER_SYNTAX_BRASP : TEMPER_SYNTAX_SPEC, .alphabet = alphabet, .at = temper_spec_at(raw)};
        if (temper_spec_parse(&spec, printed, strlen(printed), &o, &e) != TEMPER_OK) { unparsed++; if (unparsed < 3) printf("unparsed %s\n%s\n", e.text, printed); temper_free(printed); temper_spec_free(raw); continue; }
        for (int m = TEMPER_METHOD_TEMPERATURE; m <= TEMPER_METHOD_POSITIONS; m++)
            if (one("random", spec, m, type, len) == 0) printf("%s\n", printed);
        temper_free(printed); temper_spec_free(raw); temper_spec_free(spec);
    }
    printf("skipped %d unparsed %d\n", skipped, unparsed);
    printf("random: %d failed %d ok\n", tally[0], tally[1]);
    return 0;
}
