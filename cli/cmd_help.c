/* temper help: examples first, then the options, from the table. */
#include <stdio.h>
#include <string.h>

#include "completion.h"
#include "session.h"
#include "message.h"
#include "option_words.h"

enum { WIDTH = 100, NAMES = 34 }; /* no line is wider; where the texts begin */

/* "-f, --formula FORMULA"; a long list of choices is the option's name in capitals, and true is returned. */
static bool write_name(char *out, size_t size, const option_row *row, const char *value) {
    char letter[8] = "    ", word[24] = "";
    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    int used = snprintf(out, size, "%s--%s%s%s", letter, row->name, value ? " " : "", value ? value : "");
    if (used + 4 <= NAMES || row->kind != KIND_CHOICE) return false;
    for (size_t k = 0; row->name[k] && k + 1 < sizeof word; k++)
        word[k] = (char)(row->name[k] == '-' ? '_' : row->name[k] - 'a' + 'A');
    snprintf(out, size, "%s--%s %s", letter, row->name, word);
    return true;
}

/* Words of `text` from column `at` on, broken before WIDTH; later lines begin at `indent`. Returns the column. */
static int print_words(int at, int indent, const char *text, size_t size) {
    const char *end = text + size;
    while (text < end) {
        int length = 0;
        while (text + length < end && text[length] != ' ' && text[length] != '\n') length++;
        if (at > indent && at + 1 + length > WIDTH) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (at > indent && length) {
            putchar(' ');
            at++;
        }
        printf("%.*s", length, text);
        at += length;
        text += length + (text + length < end);
    }
    return at;
}

/* A paragraph ends with a line that ends in a full stop. */
static void print_paragraphs(const char *text) {
    while (*text) {
        const char *end = strstr(text, ".\n");
        size_t size = end ? (size_t)(end + 1 - text) : strlen(text);
        print_words(0, 0, text, size);
        putchar('\n');
        text += size + (text[size] == '\n');
    }
}

static void print_option(option_id id, int bit) {
    const option_row *row = &option_table[id];
    option_text text = option_text_for(id, bit);
    char name[120], line[600];
    bool is_long = write_name(name, sizeof name, row, text.argument);
    if (2 + strlen(name) + 2 > NAMES)
        printf("  %s\n%*s", name, NAMES, "");
    else
        printf("  %-*s", NAMES - 2, name);
    int at = print_words(NAMES, NAMES, text.help, strlen(text.help));
    if (is_long) { /* f64|f32: "f64, f32" */
        size_t used = (size_t)snprintf(line, sizeof line, "(one of ");
        for (const char *p = text.argument; *p && used + 4 < sizeof line; p++) {
            line[used++] = *p == '|' ? ',' : *p;
            if (*p == '|') line[used++] = ' ';
        }
        snprintf(line + used, sizeof line - used, ")");
        at = print_words(at, NAMES, line, strlen(line));
    }
    if (*text.fallback) {
        snprintf(line, sizeof line, "(default: %s)", text.fallback);
        print_words(at, NAMES, line, strlen(line));
    }
    putchar('\n');
}

static void print_options(int bit, bool global) {
    for (option_id id = 0; id < OPTION_COUNT; id++) {
        const option_row *row = &option_table[id];
        if (row->help && (row->commands == FOR_ALL) == global && (row->commands & bit)) print_option(id, bit);
    }
}

static void print_indented(const char *text) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        printf("  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_general(bool is_short) {
    printf("temper compiles a specification of a language of strings into a softmax transformer\n"
           "that gives exactly its answers.\n\nExamples:\n");
    print_indented("temper eval -f 'O a & #[b] >= 2' abab ba      # what the formula says\n"
                   "temper run -f 'O a & #[b] >= 2' abab ba       # what the transformer says\n"
                   "temper compile -f 'O a' --alphabet ab -o m.temper\n"
                   "printf 'ab\\nbb\\n' | temper run m.temper -     # lines of standard input\n"
                   "temper show -f 'a S b' --alphabet abc abbca   # the attention of each head\n"
                   "temper show -f 'a S b' --alphabet abc -o page.html abbca\n"
                   "temper run -F dyck.spec '(())'                # one of temper examples\n"
                   "temper                                        # on a terminal: type formulas and strings\n");
    printf("\nUsage:\n  temper COMMAND [options] [arguments]\n");
    for (int group = 0; group < GROUP_COUNT; group++) {
        static const char *const titles[] = {"Ask", "Build", "Prove and break", "Take it elsewhere", "Learn"};
        printf("\n%s:\n", titles[group]);
        for (size_t k = 0; k < COMMAND_COUNT; k++)
            if ((int)command_table[k].group == group)
                printf("  %-11s %s\n", command_table[k].name, command_table[k].summary);
    }
    if (!is_short) {
        printf("\nOptions of every command:\n");
        print_options(FOR_ALL, true);
        printf("\nExit status: 0 fine; 1 the answer is no (a rejection with -q, a counterexample); 2 wrong input;\n"
               "3 reading or writing failed; 4 beyond a limit.\n");
    }
    printf("\ntemper help COMMAND tells more, temper help language what formulas say; man temper tells all.\n");
}

/* A formula and what it says, by the library's own words. */
static void print_operator(const char *formula) {
    temper_spec_options o = {.alphabet = "ab"};
    temper_spec *spec = NULL;
    char *words = NULL;
    printf("  %-14s", formula);
    if (is_done(temper_spec_parse(&spec, formula, strlen(formula), &o, NULL)) &&
        is_done(temper_spec_words(&words, spec, NULL)))
        print_words(16, 16, words, strlen(words));
    putchar('\n');
    temper_free(words);
    temper_spec_free(spec);
}

void help_language(void) {
    static const struct {
        const char *title, *formulas[9];
    } parts[] = {{"Letters and Boolean connectives: 'x' and [ab] are letters, too",
                  {"a", "[^a]", "!a & Y a", "a -> O b", "first"}},
                 {"Looking back", {"O a", "H a", "H (b -> O a)", "Y a", "Z a", "a S b", "a T b"}},
                 {"Looking forward", {"F a", "G a", "X a", "wX a", "a U b", "a W b", "a R b", "a M b"}},
                 {"Counting", {"#[a] > #[b]", "#[a] % 2 = 1", "#>[a] >= 3", "b @ #[a]"}},
                 {"Regular languages", {"/(ab)*/"}}};
    printf("A formula says what holds at a place of the string. \"So far\" and \"from here on\" include the place\n"
           "itself. The answer is read at the last letter, or at the first one if the formula looks forward.\n");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        printf("\n%s:\n", parts[k].title);
        for (size_t i = 0; i < 9 && parts[k].formulas[i]; i++) print_operator(parts[k].formulas[i]);
    }
    printf("\nWhat binds most comes first: ! and O H Y F G X, then S T U R W M, then &, xor, |, ->, <->.\n"
           "A line 'name = FORMULA' gives a name; 'alphabet a b', 'tokens yes' and 'empty accept' go before.\n"
           "temper explain -f FORMULA says any formula in words. temper examples has programs to begin with.\n");
}

/* Examples and forms; then the details and options, unless that is all that was asked for. */
void help_print(const command *about, bool is_short) {
    if (!about) {
        print_general(is_short);
        return;
    }
    printf("temper %s: %s\n\nExamples:\n", about->name, about->summary);
    print_indented(about->examples);
    printf("\nUsage:\n");
    print_indented(about->usage);
    if (is_short) {
        printf("\ntemper help %s tells more.\n", about->name);
        return;
    }
    if (*about->details) putchar('\n');
    print_paragraphs(about->details);
    bool any = false;
    for (size_t k = 0; k < OPTION_COUNT; k++)
        any |= option_table[k].help && option_table[k].commands != FOR_ALL && (option_table[k].commands & about->bit);
    if (any) {
        printf("\nOptions:\n");
        print_options(about->bit, false);
    }
    printf("\nOptions of every command:\n");
    print_options(about->bit, true);
}

/* For completion and the tests: command, option, letter, argument, separated by tabs; global options under "*". */
static void list_options(void) {
    for (size_t c = 0; c < COMMAND_COUNT; c++) printf("command\t%s\n", command_table[c].name);
    for (size_t k = 0; k < OPTION_COUNT; k++) {
        const option_row *row = &option_table[k];
        if (!row->help) continue;
        for (size_t c = 0; c < COMMAND_COUNT; c++) {
            if (!(row->commands & command_table[c].bit)) continue;
            bool global = row->commands == FOR_ALL;
            const char *value = option_text_for((option_id)k, command_table[c].bit).argument;
            printf("%s\t--%s\t%s%.1s\t%s\n", global ? "*" : command_table[c].name, row->name, row->letter ? "-" : "",
                   row->letter ? &row->letter : "", value ? value : "");
            if (global) break;
        }
    }
}

void cmd_help(session *s) {
    if (is_given(s, OPT_OPTIONS)) {
        list_options();
        return;
    }
    if (is_given(s, OPT_COMPLETE)) {
        completion_print(s);
        return;
    }
    if (s->opt.count == 0) help_print(NULL, false);
    for (size_t k = 0; k < s->opt.count; k++) {
        const char *name = s->opt.arguments[k].text;
        size_t c = 0;
        while (c < COMMAND_COUNT && strcmp(command_table[c].name, name) != 0) c++;
        if (c < COMMAND_COUNT) {
            if (k) putchar('\n');
            help_print(&command_table[c], false);
            continue;
        }
        if (strcmp(name, "language") == 0) {
            if (k) putchar('\n');
            help_language();
            continue;
        }
        const char *names[COMMAND_COUNT];
        char hint[80] = "temper help lists the commands";
        for (c = 0; c < COMMAND_COUNT; c++) names[c] = command_table[c].name;
        const char *near = nearest_name(name, names, COMMAND_COUNT);
        if (near) snprintf(hint, sizeof hint, "did you mean %s?", near);
        message_usage(s, hint, "there is no command '%.60s'", name);
        return;
    }
}
