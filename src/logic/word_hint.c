/* What may have been meant by a word that is not defined. */
#include "logic/parse_values.h"

#include <string.h>

enum { LONGEST = 32, MOST_NAMES = 1000 };

/* The number of single-letter changes, insertions, deletions and swaps between two words; both at most LONGEST. */
static size_t distance(const char *x, size_t m, const char *y, size_t n) {
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= n; j++) rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = last[j - 1] + (x[i - 1] != y[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[m % 3][n];
}

static const char *nearest(const char *word, const char *const *names, size_t count) {
    size_t length = strlen(word), best = length < 4 ? 2 : 3;
    const char *found = NULL;
    if (length > LONGEST || count > MOST_NAMES) return NULL;
    for (size_t k = 0; k < count; k++) {
        size_t other = strlen(names[k]);
        if (other > LONGEST || other < 2) continue;
        size_t d = distance(word, length, names[k], other);
        if (d < best) best = d, found = names[k];
    }
    return found;
}

const char *word_elsewhere(value_context *c, const char *word) {
    static const struct {
        const char *word, *meant;
    } elsewhere[] = {{"and", "&"},        {"or", "|"},       {"not", "!"},       {"implies", "->"},
                     {"iff", "<->"},      {"next", "X"},     {"until", "U"},     {"release", "R"},
                     {"since", "S"},      {"always", "G"},   {"globally", "G"},  {"finally", "F"},
                     {"eventually", "F"}, {"once", "O"},     {"yesterday", "Y"}, {"historically", "H"},
                     {"triggered", "T"},  {"mod", "%"},      {"tt", "true"},     {"ff", "false"},
                     {"end", "last"},     {"begin", "first"}};
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++) {
        if (strcmp(word, elsewhere[k].word) != 0) continue;
        text t;
        text_init(&t, c->scratch);
        text_printf(&t, "'%s' is written '%s'", word, elsewhere[k].meant);
        return text_string(&t);
    }
    return NULL;
}

const char *word_hint(value_context *c, const char *word, const char *const *names, size_t count) {
    const char *hint = word_elsewhere(c, word), *meant = nearest(word, names, count);
    if (hint) return hint;
    if (!meant)
        return "define it on a line before; or make words letters, with the option --tokens or a first line 'tokens "
               "yes'";
    text t;
    text_init(&t, c->scratch);
    text_printf(&t, "did you mean '%s'?", meant);
    return text_string(&t);
}
