/* temper help: examples first, then the options, from the table. */
#include <stdio.h>
#include <string.h>

#include "session.h"
#include "message.h"

/* "-f, --formula FORMULA" */
static int print_name(const option_row *row, char *out, size_t size) {
    char letter[8] = "    ";
    if (row->letter) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    return snprintf(out, size, "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
                    row->argument ? row->argument : "");
}

static void print_option(const option_row *row) {
    char name[80];
    int used = print_name(row, name, sizeof name);
    if (used > 30)
        printf("  %s\n  %30s  %s", name, "", row->help);
    else
        printf("  %-30s  %s", name, row->help);
    if (*row->fallback)
        printf("%s(default: %s)",
               strlen(row->help) + strlen(row->fallback) > 55 ? "\n                                  " : " ",
               row->fallback);
    putchar('\n');
}

static void print_options(int bit, bool global) {
    for (size_t k = 0; k < OPTION_COUNT; k++) {
        const option_row *row = &option_table[k];
        if (row->help && (row->commands == FOR_ALL) == global && (row->commands & bit)) print_option(row);
    }
}

static void print_indented(const char *text) {
    while (*text) {
        size_t length = strcspn(text, "\n");
        printf("  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_general(void) {
    printf("temper compiles a specification of a language of strings into a softmax transformer\n"
           "that gives exactly its answers.\n\nExamples:\n");
    print_indented("temper eval -f 'O a & #[b] >= 2' abab ba      what the formula says\n"
                   "temper run -f 'O a & #[b] >= 2' abab ba       what the transformer says\n"
                   "temper compile -f 'O a' --alphabet ab -o m.temper\n"
                   "temper run m.temper - < strings.txt\n"
                   "temper show -f 'a S b' abba                   the attention of each head\n");
    printf("\nUsage:\n  temper COMMAND [options] [arguments]\n\nCommands:\n");
    for (size_t k = 0; k < COMMAND_COUNT; k++) printf("  %-9s %s\n", command_table[k].name, command_table[k].summary);
    printf("\nOptions of every command:\n");
    print_options(FOR_ALL, true);
    printf(
        "\nExit status: 0 fine; 1 the answer is no (a rejection with -q, a counterexample); 2 wrong input;\n"
        "3 reading or writing failed; 4 beyond a limit.\n\ntemper help COMMAND tells more; man temper tells all.\n");
}

void help_print(const command *about) {
    if (!about) {
        print_general();
        return;
    }
    printf("temper %s: %s\n\nExamples:\n", about->name, about->summary);
    print_indented(about->examples);
    printf("\nUsage:\n");
    print_indented(about->usage);
    if (*about->details) printf("\n%s", about->details);
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
            printf("%s\t--%s\t%s%.1s\t%s\n", global ? "*" : command_table[c].name, row->name, row->letter ? "-" : "",
                   row->letter ? &row->letter : "", row->argument ? row->argument : "");
            if (global) break;
        }
    }
}

void cmd_help(session *s) {
    if (is_given(s, OPT_OPTIONS)) {
        list_options();
        return;
    }
    if (s->opt.count == 0) help_print(NULL);
    for (size_t k = 0; k < s->opt.count; k++) {
        const char *name = s->opt.arguments[k].text;
        size_t c = 0;
        while (c < COMMAND_COUNT && strcmp(command_table[c].name, name) != 0) c++;
        if (c < COMMAND_COUNT) {
            if (k) putchar('\n');
            help_print(&command_table[c]);
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
