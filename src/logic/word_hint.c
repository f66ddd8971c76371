/* What may have been meant by a word that is not defined. */
#include "logic/parse_values.h"

#include <string.h>

#include "base/near_word.h"

enum { MOST_NAMES = 1000 };

static const char *nearest(const char *word, const char *const *names, size_t count) {
    size_t length = strlen(word), best = length < 4 ? 2 : 3;
    const char *found = NULL;
    if (length > WORD_LONGEST || count > MOST_NAMES) return NULL;
    for (size_t k = 0; k < count; k++) {
        size_t other = strlen(names[k]);
        if (other > WORD_LONGEST || other < 2) continue;
        size_t d = word_distance(word, length, names[k], other);
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
    if (hint || !meant) return hint;
    text t;
    text_init(&t, c->scratch);
    text_printf(&t, "did you mean '%s'?", meant);
    return text_string(&t);
}
