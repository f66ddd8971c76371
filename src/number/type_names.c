/* Names of number formats: temper's own, and what they are called elsewhere. */
#include <string.h>

#include "number/number_type.h"

static const struct {
    const char *alias, *name;
} known[] = {
    {"fp64", "f64"},         {"float64", "f64"},        {"double", "f64"},    {"fp32", "f32"},
    {"float32", "f32"},      {"single", "f32"},         {"float", "f32"},     {"fp16", "f16"},
    {"float16", "f16"},      {"half", "f16"},           {"bfloat16", "bf16"}, {"brain", "bf16"},
    {"float8_e4m3", "e4m3"}, {"float8_e4m3fn", "e4m3"}, {"fp8_e4m3", "e4m3"}, {"float8_e5m2", "e5m2"},
    {"fp8_e5m2", "e5m2"},    {"rational", "exact"},     {"f64", "f64"},       {"f32", "f32"},
    {"f16", "f16"},          {"bf16", "bf16"},          {"e4m3", "e4m3"},     {"e5m2", "e5m2"},
    {"exact", "exact"},
};
enum { KNOWN = sizeof known / sizeof *known };

const char *temper_type_alias(size_t k) { return k < KNOWN ? known[k].alias : ""; }

/* One number format by any of its names, in any case. */
static const char *format_name(const char *text, size_t length) {
    for (size_t k = 0; k < KNOWN; k++) {
        size_t i = 0;
        for (; i < length && known[k].alias[i]; i++) {
            char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
            if (c != known[k].alias[i]) break;
        }
        if (i == length && !known[k].alias[i]) return known[k].name;
    }
    return NULL;
}

/* Takes a word off the front of a text. */
static bool take(const char **text, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0) return false;
    *text += length;
    return true;
}

/* Whether a type is called STORED, or STORED/SUMMED where these differ, and then as the text goes on. */
static bool is_called(temper_type type, const char *stored, const char *summed, const char *rest) {
    const char *name = temper_type_name(type);
    if (!take(&name, stored)) return false;
    if (strcmp(stored, summed) != 0 && !(take(&name, "/") && take(&name, summed))) return false;
    return strcmp(name, rest) == 0;
}

temper_type temper_type_named(const char *name) {
    size_t length = strcspn(name, "@"), first = strcspn(name, "/@");
    const char *stored = format_name(name, first), *summed = stored;
    if (name[first] == '/') summed = format_name(name + first + 1, length - first - 1);
    temper_type type = TEMPER_TYPE_F64;
    for (; stored && summed && *temper_type_name(type); type++)
        if (is_called(type, stored, summed, name + length)) return type;
    return (temper_type)NUMBER_TYPES;
}
