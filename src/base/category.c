#include "base/category.h"

#include <stdbool.h>
#include <string.h>

#include "base/unicode_facts.h"

enum { CATEGORIES = 30, IN_TURN = 30 };
static const struct {
    const char *name, *words;
} names[CATEGORIES] = {{"lu", "uppercaseletter"},    {"ll", "lowercaseletter"},  {"lt", "titlecaseletter"},
                       {"lm", "modifierletter"},     {"lo", "otherletter"},      {"mn", "nonspacingmark"},
                       {"mc", "spacingmark"},        {"me", "enclosingmark"},    {"nd", "decimalnumber"},
                       {"nl", "letternumber"},       {"no", "othernumber"},      {"pc", "connectorpunctuation"},
                       {"pd", "dashpunctuation"},    {"ps", "openpunctuation"},  {"pe", "closepunctuation"},
                       {"pi", "initialpunctuation"}, {"pf", "finalpunctuation"}, {"po", "otherpunctuation"},
                       {"sm", "mathsymbol"},         {"sc", "currencysymbol"},   {"sk", "modifiersymbol"},
                       {"so", "othersymbol"},        {"zs", "spaceseparator"},   {"zl", "lineseparator"},
                       {"zp", "paragraphseparator"}, {"cc", "control"},          {"cf", "format"},
                       {"cs", "surrogate"},          {"co", "privateuse"},       {"cn", "unassigned"}};

static uint32_t read_run(const char **at, uint32_t *count) {
    char c = *(*at)++;
    *count = 0;
    while (**at >= '0' && **at <= '9') *count = *count * 10 + (uint32_t)(*(*at)++ - '0');
    if (!*count) *count = 1;
    return (uint32_t)(c >= 'a' ? c - 'a' + 26 : c - 'A');
}

uint32_t category_of(uint32_t code) {
    const char *at = unicode_categories;
    uint32_t start = 0, count = 0, category = 0;
    while (*at && start + count <= code) {
        start += count;
        category = read_run(&at, &count);
    }
    return code > 0x10FFFF ? 0 : 1u << (category == IN_TURN ? (code - start) & 1 : category);
}

static const struct {
    const char *name;
    uint32_t mask;
} groups[] = {{"letter", 0x1F},     {"casedletter", 0x7},     {"lc", 0x7},
              {"l&", 0x7},          {"mark", 0xE0},           {"combiningmark", 0xE0},
              {"number", 0x700},    {"punctuation", 0x3F800}, {"punct", 0x3F800},
              {"symbol", 0x3C0000}, {"separator", 0x1C00000}, {"other", 0x3E000000},
              {"any", 0x3FFFFFFF},  {"assigned", 0x1FFFFFFF}, {"digit", 0x100},
              {"cntrl", 0x2000000}};

uint32_t category_named(const char *name, size_t length) {
    char plain[32];
    size_t n = 0;
    uint32_t mask = 0;
    for (size_t k = 0; k < length && n < sizeof plain - 1; k++)
        if (!strchr(" _-", name[k])) plain[n++] = (char)(name[k] >= 'A' && name[k] <= 'Z' ? name[k] | 0x20 : name[k]);
    plain[n] = 0;
    for (size_t k = 0; k < CATEGORIES; k++)
        if (!strcmp(plain, names[k].name) || !strcmp(plain, names[k].words) ||
            (n == 1 && plain[0] == names[k].name[0]))
            mask |= 1u << k;
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        if (!strcmp(plain, groups[k].name)) mask |= groups[k].mask;
    return mask;
}

bool category_names(bool (*test)(void *context, const char *name, size_t length), void *context) {
    for (size_t k = 0; k < CATEGORIES; k++)
        if (test(context, names[k].words, strlen(names[k].words))) return true;
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++)
        if (test(context, groups[k].name, strlen(groups[k].name))) return true;
    return false;
}
