/* Which letters of an alphabet a set holds, and which it names. */
#include "automata/symbols.h"

#include <string.h>

#include "base/case_fold.h"

/* A letter, as a character and in all cases if they do not matter; with tokens a word. */
typedef struct seen_letter {
    const char *word;
    uint32_t code, cases[CASE_ORBIT];
    size_t count;
} seen_letter;

/* (?i) changes what RE2 has, categories and scripts; not what only PCRE2 has, nor its named classes. */
static bool matters(const property *p) { return p->kind != PROPERTY_CATEGORY && p->kind != PROPERTY_SCRIPT; }

static bool has_property(const property *p, const seen_letter *x) {
    if (matters(p)) return property_has(p, x->code);
    for (size_t k = 0; k < x->count; k++)
        if (property_has(p, x->cases[k])) return true;
    return false;
}

static bool is_member(const symbol_item *item, const seen_letter *x) {
    if (item->use == SYMBOL_BARRED) return false;
    if (item->word) return strcmp(item->word, x->word) == 0;
    if (item->property.kind) return has_property(&item->property, x) != item->lacking;
    for (size_t k = 0; k < x->count; k++)
        if (item->barred ? symbol_class_has(item->barred - 1, x->cases[k])
                         : item->low <= x->cases[k] && x->cases[k] <= item->high)
            return !item->barred;
    return item->barred != 0;
}

size_t symbol_cost(const symbol_set *set) {
    size_t cost = set->count + 1;
    for (size_t k = 0; k < set->count; k++)
        if (set->items[k].property.kind) cost += property_cost(&set->items[k].property);
    return cost;
}

/* The orbit of a character, or those of it that are of ASCII as it is. */
static size_t cases_of(uint32_t cases[CASE_ORBIT], uint32_t code, bool ascii, bool apart) {
    size_t count = case_orbit(cases, code, ascii), kept = 0;
    for (size_t k = 0; k < count; k++)
        if (!apart || (cases[k] < 0x80) == (code < 0x80)) cases[kept++] = cases[k];
    return kept;
}

void symbol_members(unsigned char *member, const symbol_set *set, const alphabet *letters) {
    for (size_t k = 0; k < letters->count; k++) {
        seen_letter x = {.word = letters->letters[k], .count = 1};
        if (!letters->tokens) utf8_decode(&x.code, x.word, strlen(x.word));
        x.cases[0] = x.code;
        if (set->fold) x.count = cases_of(x.cases, x.code, set->ascii, set->apart);
        bool found = false;
        for (size_t i = 0; i < set->count && !found; i++) found = is_member(&set->items[i], &x);
        member[k] = found != set->negated;
    }
}

typedef struct mentioning {
    const symbol_item *item;
    const alphabet *given;
    bool ascii, apart;
    symbol_mention *mention;
    void *context;
} mentioning;

static void mention_code(const mentioning *m, uint32_t code) {
    char utf8[4];
    m->mention(m->context, utf8, utf8_encode(utf8, code), m->item->line, m->item->column);
}

static bool is_given(const mentioning *m, uint32_t code) {
    char utf8[4];
    return alphabet_find(m->given, utf8, utf8_encode(utf8, code)) != UINT32_MAX;
}

/* All cases of a character, or the one that the alphabet has. */
static void mention_cases(const mentioning *m, uint32_t code) {
    uint32_t cases[CASE_ORBIT];
    size_t count = cases_of(cases, code, m->ascii, m->apart), k = 0;
    if (!m->given) {
        mention_code(m, code);
        for (; k < count; k++)
            if (cases[k] != code && (code >= 0x80 || cases[k] < 0x80)) mention_code(m, cases[k]);
        return;
    }
    while (k < count && !is_given(m, cases[k])) k++;
    mention_code(m, k < count ? cases[k] : code);
}

void symbol_each_mention(const symbol_set *set, const alphabet *given, symbol_mention *mention, void *context) {
    for (size_t i = 0; i < set->count; i++) {
        const symbol_item *item = &set->items[i];
        const mentioning m = {item, given, set->ascii, set->apart, mention, context};
        if (item->use == SYMBOL_OTHERS || (given && item->use != SYMBOL_LETTER)) continue;
        if (item->word) {
            mention(context, item->word, item->word_length, item->line, item->column);
            continue;
        }
        for (uint32_t code = item->low; code <= item->high; code++) {
            if (code >= 0xD800 && code <= 0xDFFF) continue;
            (set->fold ? mention_cases : mention_code)(&m, code);
        }
    }
}
