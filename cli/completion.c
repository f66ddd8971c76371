#include "completion.h"

#include <stdio.h>
#include <string.h>

#include "examples_list.h"
#include "option_words.h"
#include "temper_lab.h"

/* What is typed, and what stands before it in the same word ("--type=" of --type=bf). */
typedef struct typing {
    const char *prefix;
    size_t prefix_length;
    const char *word;
    int bit; /* of the command, or 0 */
} typing;

static void offer_part(const typing *t, const char *candidate, size_t length) {
    size_t typed = strlen(t->word);
    if (typed > length || memcmp(candidate, t->word, typed) != 0) return;
    printf("%.*s%.*s\n", (int)t->prefix_length, t->prefix ? t->prefix : "", (int)length, candidate);
}

static void offer(const typing *t, const char *candidate) { offer_part(t, candidate, strlen(candidate)); }

static void offer_files(void) { puts("FILES"); }

static void offer_commands(const typing *t) {
    for (size_t k = 0; k < COMMAND_COUNT; k++) offer(t, command_table[k].name);
}

static void offer_gallery(const typing *t) {
    temper_gallery_info info;
    for (size_t k = 0; k < temper_gallery_count(); k++)
        if (temper_gallery_about(&info, k, NULL) == TEMPER_OK) offer(t, info.name);
}

static void offer_lab(const typing *t) {
    temper_lab_info info;
    offer(t, "all");
    for (size_t k = 0; k < temper_lab_count(); k++)
        if (temper_lab_about(&info, k, NULL) == TEMPER_OK) offer(t, info.name);
}

static void offer_examples(const typing *t) {
    for (size_t k = 0; k < examples_count(); k++) offer(t, examples_name(k));
}

/* A word in capitals stands for what is not a choice; some of them are files. */
static bool is_capital(const char *word, size_t length) {
    for (size_t k = 0; k < length; k++)
        if (!(word[k] >= 'A' && word[k] <= 'Z') && word[k] != '-') return false;
    return true;
}

static bool is_file_word(const char *word, size_t length) {
    static const char *const files[] = {"FILE", "MODEL", "CERTIFICATE", "DIR"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (strlen(files[k]) == length && memcmp(files[k], word, length) == 0) return true;
    return false;
}

static void offer_list(const typing *t, const char *const *words) {
    for (; *words; words++) offer(t, *words);
}

/* Types in tiles are many: they are offered once there is an @. */
static void offer_tiled_types(const typing *t) {
    for (temper_type type = TEMPER_TYPE_F64; *temper_type_name(type) && strchr(t->word, '@'); type++)
        offer(t, temper_type_name(type));
}

static void offer_values(const typing *t, const char *choices) {
    static const char *const stages[] = {"formula", "hard", "soft", "formula,hard,soft", NULL};
    static const char *const outputs[] = {"patterns", "channels", "heads", "patterns,channels,heads", NULL};
    if (strcmp(choices, "NAME") == 0) {
        offer_gallery(t);
        return;
    }
    if (strcmp(choices, "LIST") == 0 || strcmp(choices, "OUTPUTS") == 0) {
        offer_list(t, *choices == 'L' ? stages : outputs);
        return;
    }
    for (const char *p = choices; *p;) {
        size_t length = strcspn(p, "|");
        if (!is_capital(p, length))
            offer_part(t, p, length);
        else if (is_file_word(p, length))
            offer_files();
        p += length + (p[length] == '|');
    }
}

static void offer_option_values(const typing *t, option_id id) {
    offer_values(t, option_text_for(id, t->bit).argument);
    if (id == OPT_TYPE && t->bit != FOR_EXPORT) offer_tiled_types(t);
}

/* The option that `name` ("--type" or "-o") is for the command, if it takes a value. */
static bool find_option(option_id *out, const char *name, size_t length, int bit) {
    for (option_id id = 0; id < OPTION_COUNT; id++) {
        const option_row *row = &option_table[id];
        bool is_letter = length == 2 && row->letter && name[1] == row->letter;
        bool is_name = length > 2 && strlen(row->name) == length - 2 && memcmp(row->name, name + 2, length - 2) == 0;
        if ((!is_letter && !is_name) || row->kind == KIND_FLAG) continue;
        if (row->commands != FOR_ALL && !(row->commands & bit)) continue;
        *out = id;
        return true;
    }
    return false;
}

static void offer_options(const typing *t) {
    for (size_t k = 0; k < OPTION_COUNT; k++) {
        const option_row *row = &option_table[k];
        char name[40];
        if (!row->help || (row->commands != FOR_ALL && !(row->commands & t->bit))) continue;
        snprintf(name, sizeof name, "--%s", row->name);
        offer(t, name);
        if (!row->letter) continue;
        snprintf(name, sizeof name, "-%c", row->letter);
        offer(t, name);
    }
}

static void offer_arguments(const typing *t) {
    static const char *const shells[] = {"bash", "zsh", "fish", NULL};
    switch (t->bit) {
    case 0:
    case FOR_HELP: offer_commands(t); break;
    case FOR_LAB: offer_lab(t); break;
    case FOR_GALLERY: offer_gallery(t); break;
    case FOR_EXAMPLES: offer_examples(t); break;
    case FOR_COMPLETION: offer_list(t, shells); break;
    default: offer_files();
    }
}

void completion_print(const session *s) {
    size_t count = s->opt.count;
    const argument *words = s->opt.arguments;
    if (!count) return;
    typing t = {.word = words[count - 1].text};
    const char *before = count > 1 ? words[count - 2].text : "";
    for (size_t w = 0; w + 1 < count && !t.bit; w++)
        for (size_t k = 0; k < COMMAND_COUNT; k++)
            if (strcmp(words[w].text, command_table[k].name) == 0) t.bit = command_table[k].bit;
    /* bash makes three words of --option=value, others one. */
    if (strcmp(t.word, "=") == 0)
        t.word = "";
    else if (strcmp(before, "=") == 0 && count > 2)
        before = words[count - 3].text;
    const char *equals = strncmp(t.word, "--", 2) == 0 ? strchr(t.word, '=') : NULL;
    option_id id;
    if (equals && find_option(&id, t.word, (size_t)(equals - t.word), t.bit)) {
        t.prefix = t.word;
        t.prefix_length = (size_t)(equals - t.word) + 1;
        t.word = equals + 1;
        offer_option_values(&t, id);
    } else if (*before == '-' && find_option(&id, before, strlen(before), t.bit)) {
        offer_option_values(&t, id);
    } else if (*t.word == '-') {
        offer_options(&t);
    } else {
        offer_arguments(&t);
    }
}
