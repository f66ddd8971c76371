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

/* In any case. */
static bool is_same(const char *word, size_t length, const char *other) {
    if (strlen(other) != length) return false;
    for (size_t k = 0; k < length; k++)
        if ((word[k] >= 'A' && word[k] <= 'Z' ? word[k] - 'A' + 'a' : word[k]) != other[k]) return false;
    return true;
}

/* Words of other languages that no single sign stands for. */
static const char *whole_hint(const char *word) {
    static const char rasp[] =
        "RASP's selectors are not read; B-RASP and C-RASP programs are: temper examples alternating.brasp",
                      count[] = "the number of positions so far where a holds is '#[a]'",
                      quantifier[] = "positions are not named: 'G' and 'F' look from here on, 'H' and 'O' back",
                      always[] = "'always' is written 'H' so far, 'G' from here on",
                      rasp_row[] =
                          "RASP programs are not read; '#[a]' counts, 'b @ #[a]' reads at a computed position";
    static const struct {
        const char *word, *hint;
    } known[] = {{"select", rasp},
                 {"aggregate", rasp},
                 {"selector_width", rasp},
                 {"indices", rasp},
                 {"select_width", rasp},
                 {"select_next", rasp},
                 {"sum", count},
                 {"number", count},
                 {"count", count},
                 {"len", count},
                 {"length", count},
                 {"num", count},
                 {"forall", quantifier},
                 {"exists", quantifier},
                 {"always", always},
                 {"tokens_str", rasp_row},
                 {"selector", rasp},
                 {"map", rasp_row},
                 {"sequence_map", rasp_row},
                 {"full", rasp_row},
                 {"rasp", rasp_row},
                 {"tokens", "'tokens yes' is a line before the formula; RASP programs are not read"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (is_same(word, strlen(word), known[k].word)) return known[k].hint;
    return NULL;
}

const char *word_elsewhere(arena *scratch, const char *word) {
    static const struct {
        const char *word, *meant;
    } elsewhere[] = {{"and", "&"},        {"or", "|"},       {"not", "!"},       {"implies", "->"},
                     {"iff", "<->"},      {"next", "X"},     {"until", "U"},     {"release", "R"},
                     {"since", "S"},      {"globally", "G"}, {"finally", "F"},   {"previously", "Y"},
                     {"eventually", "F"}, {"once", "O"},     {"yesterday", "Y"}, {"historically", "H"},
                     {"triggered", "T"},  {"mod", "%"},      {"tt", "true"},     {"ff", "false"},
                     {"end", "last"},     {"begin", "first"}};
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++) {
        if (!is_same(word, strlen(word), elsewhere[k].word)) continue;
        text t;
        text_init(&t, scratch);
        text_printf(&t, "'%s' is written '%s'", word, elsewhere[k].meant);
        return text_string(&t);
    }
    return whole_hint(word);
}

const char *word_hint(value_context *c, const char *word, const char *const *names, size_t count) {
    const char *hint = word_elsewhere(c->scratch, word), *meant = nearest(word, names, count);
    if (hint || !meant) return hint;
    text t;
    text_init(&t, c->scratch);
    text_printf(&t, "did you mean '%s'?", meant);
    return text_string(&t);
}
