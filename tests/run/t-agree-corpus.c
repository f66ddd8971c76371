/* Oracle = hard = soft (all methods) on every corpus entry: all strings up to length 7, and some long ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "corpus.h"

static void all_strings(const agree_set *s, size_t letters, size_t most) {
    uint32_t word[16];
    for (size_t n = 0; n <= most; n++) {
        memset(word, 0, sizeof word);
        do {
            if (!agree_on(s, word, n, n <= 4)) return; /* one counterexample a formula is enough */
        } while (corpus_next_word(word, n, letters));
    }
}

static void long_strings(const agree_set *s, size_t letters, test_random *r) {
    static const size_t lengths[] = {31, 100, 257};
    for (size_t k = 0; k < 3; k++) {
        uint32_t *word = calloc(lengths[k], sizeof *word);
        for (size_t i = 0; i < lengths[k]; i++) word[i] = (uint32_t)random_below(r, letters);
        agree_on(s, word, lengths[k], false);
        free(word);
    }
}

/* Entries that no transformer of ours can hold; they must be refused, by name of a limit. */
static bool is_refused(const char *name) {
    static const char *const names[] = {"count/huge-constant", "residue/large-modulus", "residue/large-weights"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k]) == 0) return true;
    return false;
}

static void expect_refusal(const temper_spec *spec, const char *name) {
    temper_error error;
    temper_model *m;
    CHECK(temper_build(&m, spec, NULL, &error) == TEMPER_LIMIT && !m, "%s: compiled, or refused for another reason",
          name);
}

int main(void) {
    test_random r = test_seed(7);
    size_t budget = (size_t)(500 * test_effort());
    for (size_t k = 0; k < corpus_size(); k++) {
        const corpus_entry *e = corpus_at(k);
        temper_spec *spec = corpus_parse(e);
        if (!CHECK(spec != NULL, "%s does not parse", e->name)) continue;
        agree_set s;
        size_t letters = temper_spec_about(spec).letters;
        if (is_refused(e->name)) {
            expect_refusal(spec, e->name);
            temper_spec_free(spec);
            continue;
        }
        if (agree_compile(&s, e->name, spec)) {
            all_strings(&s, letters, corpus_length(letters, budget, 7));
            long_strings(&s, letters, &r);
        }
        agree_free(&s);
        temper_spec_free(spec);
    }
    return test_finish("t-agree-corpus");
}
