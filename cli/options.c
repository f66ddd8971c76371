#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_values.h"

const option_row option_table[OPTION_COUNT] = {
#define X(id, letter, name, kind, argument, fallback, least, most, commands, help)                                   \
    {letter, name, kind, argument, fallback, least, most, commands, help},
    OPTION_TABLE(X)
#undef X
};

/* Edit distance with a cap: insert, delete, replace, and swap of neighbours. */
static size_t distance(const char *a, const char *b) {
    enum { LONGEST = 40 };
    size_t n = strlen(a), m = strlen(b), row[3][LONGEST + 1];
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (size_t j = 0; j <= m; j++) row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *nearest_name(const char *wrong, const char *const *names, size_t count) {
    const char *best = NULL;
    size_t length = strlen(wrong), least = length / 3 + 2;
    for (size_t k = 0; k < count; k++) {
        size_t d = distance(wrong, names[k]);
        /* A prefix is what people type who know only the beginning. */
        if (length >= 2 && strncmp(wrong, names[k], length) == 0) d = 1;
        size_t size = strlen(names[k]); /* and those who write it out: evaluate for eval */
        if (size >= 3 && strncmp(wrong, names[k], size) == 0 && d > 1) d = 1;
        if (d < least && d < size) {
            least = d;
            best = names[k];
        }
    }
    return best;
}

/* Text of the user in a message: short, and nothing that could disturb the terminal. */
static const char *shown(char out[64], const char *text) {
    size_t k = 0;
    for (; k < 40 && text[k]; k++) {
        unsigned char c = (unsigned char)text[k];
        out[k] = c < 0x20 || c == 0x7F ? '?' : (char)c;
    }
    while (text[k] && k > 0 && ((unsigned char)out[k - 1] & 0xC0) == 0x80) k--; /* not half a character */
    if (text[k] && k > 0 && ((unsigned char)out[k - 1] & 0xC0) == 0xC0) k--;
    strcpy(out + k, text[k] ? "..." : "");
    return out;
}

/* Number formats have other names elsewhere. */
static bool is_format(option_id id) {
    return id == OPT_TYPE || id == OPT_DIGITS || id == OPT_WEIGHTS || id == OPT_KV;
}

static bool set_choice(option_value *value, option_id id, const char *text, usage_error *err) {
    const option_row *row = &option_table[id];
    char safe[64], near[40];
    if ((value->number = choice_read(row->argument, text))) return true;
    if (id == OPT_TYPE && (value->number = tiled_type_read(text))) return true;
    if (is_format(id) && (value->number = choice_read(row->argument, type_name_read(text)))) return true;
    snprintf(err->text, sizeof err->text, "--%s: '%s' is not one of %s%s", row->name, shown(safe, text),
             row->argument, id == OPT_TYPE ? "; each but exact also with @tile64, @tile128 or @tile512" : "");
    if (is_format(id) && (strncmp(text, "fp8", 3) == 0 || strncmp(text, "float8", 6) == 0)) {
        snprintf(err->hint, sizeof err->hint, "there are two formats of 8 bits: e4m3 and e5m2");
        return false;
    }
    if ((id == OPT_WEIGHTS || id == OPT_KV) && strncmp(type_name_read(text), "bf16", 4) == 0) {
        snprintf(err->hint, sizeof err->hint,
                 "bf16 keeps 8 bits: positions and counts above 256 are rounded, and nothing is proved; f16 keeps 11 "
                 "(doc/ordinary.md, \"Formats that are refused\")");
        return false;
    }
    const char *name = id == OPT_TYPE ? tiled_type_nearest(text) : "";
    if (!*name && choice_nearest(near, sizeof near, row->argument, text)) name = near;
    if (!*name && is_format(id) && choice_read(row->argument, type_name_nearest(text)))
        name = type_name_nearest(text);
    if (*name) snprintf(err->hint, sizeof err->hint, "did you mean %s?", name);
    return false;
}

static const char NUMBER_HINT[] = "write it as 1000, 1_000_000, 1e6, 128k (128,000) or 128Ki (131,072)";

static bool set_value(options *out, option_id id, const char *text, usage_error *err) {
    const option_row *row = &option_table[id];
    option_value *value = &out->value[id];
    char safe[64];
    if (row->kind == KIND_LIST) {
        value->given = true;
        bool bias = id == OPT_BIAS;
        size_t *count = bias ? &out->bias_count : &out->list_count;
        if (*count < OPTION_LIST) {
            (bias ? out->biases : out->list)[(*count)++] = text;
            return true;
        }
        snprintf(err->text, sizeof err->text, "--%s is given more than %d times", row->name, OPTION_LIST);
        return false;
    }
    if (value->given) {
        snprintf(err->text, sizeof err->text, "--%s is given twice", row->name);
        return false;
    }
    value->given = true;
    value->text = text;
    if (row->kind == KIND_CHOICE) return set_choice(value, id, text, err);
    if (row->kind != KIND_NUMBER) return true;
    if (!number_read(&value->number, text)) {
        snprintf(err->text, sizeof err->text, "--%s: '%s' is not a whole number from %llu to %llu", row->name,
                 shown(safe, text), (unsigned long long)row->least, (unsigned long long)row->most);
        snprintf(err->hint, sizeof err->hint, "%s", NUMBER_HINT);
        return false;
    }
    if (value->number < row->least || value->number > row->most) {
        snprintf(err->text, sizeof err->text, "--%s: %llu is not between %llu and %llu", row->name,
                 (unsigned long long)value->number, (unsigned long long)row->least, (unsigned long long)row->most);
        return false;
    }
    return true;
}

static const char DASH_HINT[] =
    "temper help COMMAND lists the options; a string that begins with '-' goes after '--'";

static bool is_allowed(const options *out, option_id id, usage_error *err) {
    const option_row *row = &option_table[id];
    if (row->commands == FOR_ALL) return true;
    if (!out->command) {
        snprintf(err->text, sizeof err->text, "--%s stands before the command", row->name);
        snprintf(err->hint, sizeof err->hint, "write temper COMMAND --%s ...", row->name);
        return false;
    }
    if (row->commands & out->command_bit) return true;
    snprintf(err->text, sizeof err->text, "%s does not take --%s", out->command, row->name);
    snprintf(err->hint, sizeof err->hint, "temper help %s lists what it takes", out->command);
    return false;
}

static bool unknown_option(const char *name, size_t length, usage_error *err) {
    const char *names[OPTION_COUNT];
    char wrong[64], safe[64];
    size_t count = 0;
    for (size_t k = 0; k < OPTION_COUNT; k++)
        if (option_table[k].help) names[count++] = option_table[k].name;
    snprintf(wrong, sizeof wrong, "%.*s", (int)(length < 50 ? length : 50), name);
    static const struct {
        const char *word, *hint;
    } elsewhere[] = {
        {"temperature",
         "--scale is what multiplies scores, one over the temperature; --method temperature is a method"},
        {"temp", "--scale is what multiplies scores, one over the temperature"},
        {"dtype", "did you mean --type?"},
        {"precision", "did you mean --type?"},
        {"format", "did you mean --type?"},
        {"max-length", "did you mean --length?"},
        {"vocab", "did you mean --alphabet?"},
        {"letters", "did you mean --alphabet?"},
        {"words", "did you mean --tokens?"},
    };
    const char *near = nearest_name(wrong, names, count);
    snprintf(err->text, sizeof err->text, "there is no option --%s", shown(safe, wrong));
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
        if (strcmp(wrong, elsewhere[k].word) == 0) {
            snprintf(err->hint, sizeof err->hint, "%s", elsewhere[k].hint);
            return false;
        }
    if (near)
        snprintf(err->hint, sizeof err->hint, "did you mean --%s?", near);
    else
        snprintf(err->hint, sizeof err->hint, "%s", DASH_HINT);
    return false;
}

static bool missing_value(option_id id, usage_error *err) {
    snprintf(err->text, sizeof err->text, "--%s needs a value: %s", option_table[id].name, option_table[id].argument);
    return false;
}

static bool is_for(const options *out, option_id id) {
    return option_table[id].commands == FOR_ALL || (option_table[id].commands & out->command_bit);
}

/* Two commands may mean different things by one name: the row of the command that was named, else the first one. */
static bool is_another(const options *out, option_id id) {
    for (option_id other = id + 1; other < OPTION_COUNT && !is_for(out, id); other++)
        if (!strcmp(option_table[other].name, option_table[id].name) && is_for(out, other)) return true;
    return false;
}

/* `name` is an option's name, or was until 1.0. */
static bool is_called(const option_row *row, const char *name, size_t length) {
    static const struct { const char *former, *name; } renamed[] = {{"margins", "errors"}};
    for (size_t k = 0; k < sizeof renamed / sizeof *renamed; k++)
        if (strlen(renamed[k].former) == length && memcmp(renamed[k].former, name, length) == 0)
            return strcmp(row->name, renamed[k].name) == 0;
    return strlen(row->name) == length && memcmp(row->name, name, length) == 0;
}

/* --name, --name=value, --name value */
static bool read_long(options *out, const char *text, char **argv, int argc, int *at, usage_error *err) {
    size_t length = strcspn(text, "=");
    for (option_id id = 0; id < OPTION_COUNT; id++) {
        const option_row *row = &option_table[id];
        if (!is_called(row, text, length) || is_another(out, id)) continue;
        if (!is_allowed(out, id, err)) return false;
        if (row->kind == KIND_FLAG) {
            if (text[length]) {
                snprintf(err->text, sizeof err->text, "--%s takes no value", row->name);
                return false;
            }
            out->value[id].given = true;
            return true;
        }
        if (text[length]) return set_value(out, id, text + length + 1, err);
        if (*at + 1 >= argc) return missing_value(id, err);
        return set_value(out, id, argv[++*at], err);
    }
    return unknown_option(text, length, err);
}

/* -q, -f value, -fvalue, -qf value */
static bool read_short(options *out, const char *text, char **argv, int argc, int *at, usage_error *err) {
    for (; *text; text++) {
        option_id id = 0;
        while (id < OPTION_COUNT && option_table[id].letter != *text) id++;
        if (id == OPTION_COUNT) {
            char letter[2] = {*text, 0}, safe[64];
            if ((unsigned char)*text >= 0x80) letter[0] = '?';
            snprintf(err->text, sizeof err->text, "there is no option -%s", shown(safe, letter));
            snprintf(err->hint, sizeof err->hint, "%s", DASH_HINT);
            return false;
        }
        if (!is_allowed(out, id, err)) return false;
        if (option_table[id].kind == KIND_FLAG) {
            out->value[id].given = out->value[id].is_short = true;
            continue;
        }
        if (text[1]) return set_value(out, id, text + 1, err);
        if (*at + 1 >= argc) return missing_value(id, err);
        return set_value(out, id, argv[++*at], err);
    }
    return true;
}

bool options_parse(options *out, int argc, char **argv, int (*command_bit)(const char *name, usage_error *err),
                   usage_error *err) {
    memset(out, 0, sizeof *out);
    memset(err, 0, sizeof *err);
    out->arguments = calloc((size_t)argc + 1, sizeof *out->arguments);
    if (!out->arguments) {
        err->no_memory = true;
        return false;
    }
    bool literal = false;
    for (int k = 1; k < argc; k++) {
        const char *text = argv[k];
        if (!literal && text[0] == '-' && text[1] != 0) {
            bool is_long = text[1] == '-';
            literal = is_long && !text[2];
            if (literal) continue;
            if (!(is_long ? read_long(out, text + 2, argv, argc, &k, err)
                          : read_short(out, text + 1, argv, argc, &k, err)))
                return false;
        } else if (!out->command) {
            out->command = text;
            out->command_bit = command_bit(text, err);
            if (!out->command_bit) return false;
        } else {
            out->arguments[out->count++] = (argument){text, literal};
        }
    }
    return true;
}
