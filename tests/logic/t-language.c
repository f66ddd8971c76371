/* doc/language.md and doc/regex.md: every fenced block in them is an example, and every example is true of the
   oracle, of the hard transformer and of both soft ones. The first page tells the form of an example. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"

enum {
    LEAST_EXAMPLES = 60,
    LEAST_REGEX_EXAMPLES = 20,
    LEAST_STRINGS = 300,
    MOST_WORDS = 1200,
    MOST_LENGTH = 7,
    PATH_SIZE = 1024
};

static const char *document, *binary_folder;
static size_t example_count, string_count;

typedef struct example {
    size_t line; /* of the fence */
    temper_syntax syntax;
    char *text;    /* the specification */
    char **claims; /* the lines about it */
    size_t claim_count;
    temper_spec_options options;
} example;

/* ---- text ---------------------------------------------------------------------------------------------------- */

static bool starts(const char *line, const char *prefix) { return strncmp(line, prefix, strlen(prefix)) == 0; }

/* What follows a keyword and blanks, or NULL. */
static char *after(char *line, const char *keyword) {
    if (!starts(line, keyword)) return NULL;
    line += strlen(keyword);
    return line + strspn(line, " ");
}

/* The next of the words of a line, which may stand in double quotes; NULL: no more. Words are cut out of the line. */
static char *next_word(char **at) {
    char *word = *at + strspn(*at, " ");
    if (!*word) return NULL;
    char end = ' ';
    if (*word == '"') end = *word++;
    char *stop = strchr(word, end);
    *at = stop ? stop + 1 : word + strlen(word);
    if (stop) *stop = 0;
    return word;
}

/* A whole file, NUL-terminated, or NULL. */
static char *slurp(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t capacity = 1 << 18, n = 0, got;
    char *data = malloc(capacity);
    while (data && (got = fread(data + n, 1, capacity - n - 1, f)) > 0) {
        n += got;
        if (capacity - n > 1) continue;
        char *larger = realloc(data, capacity *= 2);
        if (!larger) free(data);
        data = larger;
    }
    fclose(f);
    if (data) data[n] = 0;
    return data;
}

/* ---- claims about one specification ---------------------------------------------------------------------------- */

static void read_options(example *x, char *words) {
    for (char *w; (w = next_word(&words));) {
        const char *value = "";
        if (!strcmp(w, "--tokens") || !strcmp(w, "--ascii")) {
            *(w[2] == 't' ? &x->options.tokens : &x->options.ascii) = 1;
            continue;
        }
        value = next_word(&words);
        bool first = value && !strcmp(value, "first"), last = value && !strcmp(value, "last");
        bool yes = value && !strcmp(value, "accept"), no = value && !strcmp(value, "reject");
        if (!strcmp(w, "--alphabet") && value)
            x->options.alphabet = value;
        else if (!strcmp(w, "--at") && (first || last))
            x->options.at = first ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
        else if (!strcmp(w, "--empty") && (yes || no))
            x->options.empty = yes ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT;
        else
            CHECK(false, "%s:%zu: unknown option %s", document, x->line, w);
    }
}

/* "LINE:COLUMN: TEXT", as the command line prints it */
static void show_error(char *out, size_t size, const temper_error *e) {
    if (e->line)
        snprintf(out, size, "%zu:%zu: %s", e->line, e->column, e->text);
    else
        snprintf(out, size, "%s", e->text);
}

/* The specification is refused: the claims are the message and perhaps a hint. */
static void check_refused(const example *x, temper_status status, const temper_error *e) {
    char shown[512];
    char *said = NULL, *hint = NULL;
    bool kind = false;
    show_error(shown, sizeof shown, e);
    for (size_t k = 0; k < x->claim_count; k++) {
        char *line = x->claims[k], *text;
        if ((text = after(line, "error:")))
            said = text, kind = status == TEMPER_SYNTAX || status == TEMPER_RANGE;
        else if ((text = after(line, "limit:")))
            said = text, kind = status == TEMPER_LIMIT;
        else if ((text = after(line, "unsupported:")))
            said = text, kind = status == TEMPER_UNSUPPORTED;
        else if ((text = after(line, "hint:")))
            hint = text;
        else if (!after(line, "options:"))
            CHECK(false, "%s:%zu: '%s', but it is refused: %s", document, x->line, line, shown);
    }
    if (!CHECK(said, "%s:%zu: is refused: %s", document, x->line, shown)) return;
    CHECK(!strcmp(said, shown), "%s:%zu: the message is\n  %s", document, x->line, shown);
    CHECK(kind, "%s:%zu: the message is of kind %s", document, x->line, temper_status_name(status));
    CHECK(!strcmp(hint ? hint : "", e->hint), "%s:%zu: the hint is\n  %s", document, x->line, e->hint);
}

/* One string: the oracle's answer (-1: any) and truth (NULL: any), and the transformers' unless there are none. */
static void check_string(const example *x, const temper_spec *spec, const agree_set *models, const char *string,
                         int answer, const char *row) {
    temper_error e;
    uint32_t *word = NULL;
    size_t n;
    int accept;
    string_count++;
    if (!CHECK(temper_spec_encode(&word, &n, spec, string, strlen(string), &e) == TEMPER_OK, "%s:%zu: '%s': %s",
               document, x->line, string, e.text))
        return;
    unsigned char *truth = calloc(n + 1, 1);
    if (CHECK(temper_spec_eval(&accept, truth, spec, word, n, &e) == TEMPER_OK, "%s:%zu: no evaluation", document,
              x->line)) {
        CHECK(answer < 0 || accept == answer, "%s:%zu: '%s' is %s", document, x->line, string,
              accept ? "accepted" : "rejected");
        for (size_t k = 0; k < n; k++) truth[k] += '0';
        CHECK(!row || !strcmp(row, (char *)truth), "%s:%zu: the truth of '%s' is %s", document, x->line, string,
              (char *)truth);
        if (models) agree_on(models, word, n, true);
    }
    free(truth);
    temper_free(word);
}

/* STRING: MESSAGE, the error for a string with an unknown letter */
static void check_unknown(const example *x, const temper_spec *spec, char *text) {
    char *colon = strstr(text, ": ");
    if (!CHECK(colon, "%s:%zu: no string and message", document, x->line)) return;
    *colon = 0;
    temper_error e;
    uint32_t *word = NULL;
    size_t n;
    char *string = next_word(&text);
    bool refused = temper_spec_encode(&word, &n, spec, string, strlen(string), &e) != TEMPER_OK;
    if (CHECK(refused, "%s:%zu: '%s' is not refused", document, x->line, string))
        CHECK(!strcmp(e.text, colon + 2), "%s:%zu: the message for '%s' is\n  %s", document, x->line, string, e.text);
    temper_free(word);
}

/* Do two specifications of one alphabet differ on some short string? */
static bool differ(const temper_spec *left, const temper_spec *right) {
    size_t letters = temper_spec_about(left).letters, words = 1;
    uint32_t word[MOST_LENGTH] = {0};
    unsigned char truth[2][MOST_LENGTH];
    for (size_t n = 0; n <= MOST_LENGTH && words <= MOST_WORDS; n++, words *= letters) {
        for (size_t w = 0; w < words; w++) {
            size_t rest = w;
            for (size_t k = 0; k < n; k++, rest /= letters) word[k] = (uint32_t)(rest % letters);
            int accept[2];
            if (temper_spec_eval(&accept[0], truth[0], left, word, n, NULL) != TEMPER_OK) return true;
            if (temper_spec_eval(&accept[1], truth[1], right, word, n, NULL) != TEMPER_OK) return true;
            if (accept[0] != accept[1] || memcmp(truth[0], truth[1], n) != 0) return true;
        }
    }
    return false;
}

/* A formula that agrees with the specification at every position of every short string, or does not. */
static void check_meaning(const example *x, const temper_spec *spec, const char *formula, bool same) {
    size_t count = temper_spec_about(spec).letters;
    const char **letters = calloc(count + 1, sizeof *letters);
    for (size_t k = 0; k < count; k++) letters[k] = temper_spec_letter(spec, k);
    temper_spec_options o = {.letters = letters,
                             .letter_count = count,
                             .tokens = temper_spec_about(spec).tokens,
                             .at = temper_spec_about(spec).at,
                             .empty =
                                 temper_spec_about(spec).accepts_empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT};
    temper_spec *other = NULL;
    temper_error e;
    if (CHECK(temper_spec_parse(&other, formula, strlen(formula), &o, &e) == TEMPER_OK, "%s:%zu: '%s': %zu: %s",
              document, x->line, formula, e.column, e.text))
        CHECK(differ(spec, other) != same, "%s:%zu: it is %s as '%s'", document, x->line,
              same ? "not the same" : "the same", formula);
    temper_spec_free(other);
    free(letters);
}

/* What a transducer writes: by its formulas, and by every transformer. */
static void check_writing(const example *x, const temper_spec *spec, const agree_set *models, const char *string,
                          const char *wanted) {
    const temper_model *const all[] = {models ? models->hard : NULL, models ? models->soft[0] : NULL,
                                       models ? models->soft[1] : NULL};
    uint32_t *word = NULL;
    char *written = NULL;
    size_t n, length;
    temper_error e;
    string_count++;
    if (!CHECK(temper_spec_encode(&word, &n, spec, string, strlen(string), &e) == TEMPER_OK, "%s:%zu: '%s': %s",
               document, x->line, string, e.text))
        return;
    temper_status status = temper_spec_write(&written, &length, spec, word, n, &e);
    CHECK(!strcmp(status ? e.text : written, wanted), "%s:%zu: for '%s' it writes '%s'", document, x->line, string,
          status ? e.text : written);
    temper_free(written);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        temper_run *run = NULL;
        if (!all[k] ||
            !CHECK(temper_model_run(&run, all[k], word, n, &(temper_run_options){.unchecked = 1}, &e) == TEMPER_OK,
                   "%s:%zu: '%s': %s", document, x->line, string, e.text))
            continue;
        status = temper_run_write(&written, &length, run, all[k], &e);
        CHECK(!strcmp(status ? e.text : written, wanted), "%s:%zu: for '%s' transformer %zu writes '%s'", document,
              x->line, string, k, status ? e.text : written);
        temper_free(written);
        temper_run_free(run);
    }
    temper_free(word);
}

/* Whether exactly one output holds at each position. */
static void check_one(const example *x, const temper_spec *spec, const char *wanted) {
    temper_one_output one;
    temper_error e;
    char found[400];
    if (!CHECK(temper_spec_one_output(&one, spec, &e) == TEMPER_OK, "%s:%zu: %s", document, x->line, e.text)) return;
    if (one.answer == TEMPER_ONE_REFUTED)
        snprintf(found, sizeof found, "%s of '%s'", one.why, one.string);
    else
        snprintf(found, sizeof found, "%s", one.answer == TEMPER_ONE_PROVED ? "proved" : "tested");
    CHECK(!strcmp(found, wanted), "%s:%zu: %s", document, x->line, found);
    temper_one_output_clear(&one);
}

static void check_claim(const example *x, const temper_spec *spec, const agree_set *models, char *line) {
    char *text, *word;
    if ((text = after(line, "accept:")) || (text = after(line, "reject:"))) {
        while ((word = next_word(&text))) check_string(x, spec, models, word, line[0] == 'a', NULL);
    } else if ((text = after(line, "truth:"))) {
        while ((word = next_word(&text))) {
            const char *row = next_word(&text);
            if (CHECK(row, "%s:%zu: no row for '%s'", document, x->line, word))
                check_string(x, spec, models, word, -1, row);
        }
    } else if ((text = after(line, "writes:"))) {
        while ((word = next_word(&text))) {
            const char *written = next_word(&text);
            if (CHECK(written, "%s:%zu: nothing is written for '%s'", document, x->line, word))
                check_writing(x, spec, models, word, written);
        }
    } else if ((text = after(line, "one output:"))) {
        check_one(x, spec, text);
    } else if ((text = after(line, "means:"))) {
        check_meaning(x, spec, text, true);
    } else if ((text = after(line, "unlike:"))) {
        check_meaning(x, spec, text, false);
    } else if ((text = after(line, "error in"))) {
        check_unknown(x, spec, text);
    } else if (!after(line, "options:") && !after(line, "compile:")) {
        CHECK(false, "%s:%zu: '%s', but it is not refused", document, x->line, line);
    }
}

static void check_accepted(const example *x, const temper_spec *spec) {
    char name[PATH_SIZE];
    const char *uncompiled = NULL;
    temper_error e;
    for (size_t k = 0; k < x->claim_count; k++)
        if (after(x->claims[k], "compile:")) uncompiled = after(x->claims[k], "compile:");
    snprintf(name, sizeof name, "%s:%zu", document, x->line);
    agree_set models;
    bool compiled = false;
    if (uncompiled) {
        temper_model *model = NULL;
        if (CHECK(temper_build(&model, spec, NULL, &e) == TEMPER_LIMIT, "%s: compiles", name))
            CHECK(!strcmp(e.text, uncompiled), "%s: the message is\n  %s", name, e.text);
        temper_model_free(model);
    } else {
        compiled = agree_compile(&models, name, spec);
    }
    for (size_t k = 0; k < x->claim_count; k++) check_claim(x, spec, compiled ? &models : NULL, x->claims[k]);
    if (!uncompiled) agree_free(&models);
}

static void check_example(example *x) {
    temper_spec *spec = NULL;
    temper_error e;
    example_count++;
    if (!CHECK(x->claim_count, "%s:%zu: an example that claims nothing", document, x->line)) return;
    x->options.syntax = x->syntax;
    for (size_t k = 0; k < x->claim_count; k++) {
        char *words = after(x->claims[k], "options:");
        if (words) read_options(x, words);
    }
    temper_status status = temper_spec_parse(&spec, x->text, strlen(x->text), &x->options, &e);
    if (status == TEMPER_OK)
        check_accepted(x, spec);
    else
        check_refused(x, status, &e);
    temper_spec_free(spec);
}

/* ---- the command line ---- */

/* A command and the lines it prints, on standard output or as messages. */
static void check_command(size_t line, const char *command, const char *expected) {
    char full[4 * PATH_SIZE], got[8 * PATH_SIZE];
    example_count++;
    if (!binary_folder) return;
    snprintf(full, sizeof full, "PATH='%s':\"$PATH\"; { %s\n} 2>&1", binary_folder, command);
    FILE *f = popen(full, "r");
    if (!CHECK(f, "%s:%zu: cannot run a shell", document, line)) return;
    size_t n = fread(got, 1, sizeof got - 1, f);
    got[n] = 0;
    pclose(f);
    CHECK(!strcmp(got, expected), "%s:%zu: '%s' prints\n%s", document, line, command, got);
}

/* The lines of a console block, joined again by newlines. */
static void check_console(size_t line, char **lines, size_t count) {
    char expected[8 * PATH_SIZE];
    for (size_t k = 0; k < count;) {
        size_t at = k, used = 0;
        if (!CHECK(starts(lines[k], "$ "), "%s:%zu: no command", document, line + k + 1)) return;
        expected[0] = 0;
        for (k++; k < count && !starts(lines[k], "$ "); k++)
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s\n", lines[k]);
        check_command(line + at + 1, lines[at] + 2, expected);
    }
}

/* ---- the page ---- */

static bool is_claim(const char *line) {
    static const char *const keywords[] = {
        "options:", "accept:", "reject:", "truth:",       "writes:", "one output:", "means:",
        "unlike:",  "error:",  "limit:",  "unsupported:", "hint:",   "compile:",    "error in "};
    for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++)
        if (starts(line, keywords[k])) return true;
    return false;
}

/* The lines of a block after its fence; `language` is what the fence says. */
static void check_block(size_t line, const char *language, char **lines, size_t count) {
    example x = {.line = line};
    if (!strcmp(language, "console")) {
        check_console(line, lines, count);
        return;
    }
    if (!strcmp(language, "crasp"))
        x.syntax = TEMPER_SYNTAX_CRASP;
    else if (!strcmp(language, "brasp"))
        x.syntax = TEMPER_SYNTAX_BRASP;
    else if (!strcmp(language, "regex"))
        x.syntax = TEMPER_SYNTAX_REGEX;
    else if (!strcmp(language, "dfa"))
        x.syntax = TEMPER_SYNTAX_DFA;
    else if (!CHECK(!strcmp(language, "spec"), "%s:%zu: a block '%s' that no test runs", document, line, language))
        return;
    size_t body = 0, size = 1;
    while (body < count && !is_claim(lines[body])) size += strlen(lines[body++]) + 1;
    x.text = calloc(size, 1);
    for (size_t k = 0; k < body; k++) {
        if (k) strcat(x.text, "\n");
        strcat(x.text, lines[k]);
    }
    x.claims = lines + body;
    x.claim_count = count - body;
    check_example(&x);
    free(x.text);
}

static void check_page(char *page) {
    size_t count = 0, fence = 0;
    for (const char *p = page; (p = strchr(p, '\n')); p++) count++;
    char **lines = calloc(count + 1, sizeof *lines);
    count = 0;
    for (char *p = page, *end; *p; p = end) {
        end = strchr(p, '\n');
        if (end)
            *end++ = 0;
        else
            end = p + strlen(p);
        lines[count++] = p;
        if (!starts(p, "```")) continue;
        if (fence) check_block(fence, lines[fence - 1] + 3, lines + fence, count - 1 - fence);
        fence = fence ? 0 : count;
    }
    CHECK(!fence, "%s:%zu: a block that is not closed", document, fence);
    free(lines);
}

/* Every connective is named on the page. */
static void check_operators(const char *page) {
    static const char *const spellings[] = {
#define OPERATOR(name, spelling, kids, direction, binding, kind, all, beyond) spelling,
#include "logic/operators.h"
#undef OPERATOR
    };
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++) {
        char quoted[64];
        if (!*spellings[k]) continue;
        snprintf(quoted, sizeof quoted, "`%s", spellings[k]);
        CHECK(strstr(page, quoted), "%s does not tell of %s", document, spellings[k]);
    }
}

/* The folder above this program's, where the command line is built too. */
static const char *find_binary(const char *program) {
    static char folder[PATH_SIZE];
    char path[PATH_SIZE + 16];
    const char *slash = strrchr(program, '/');
    snprintf(folder, sizeof folder, "%.*s/..", slash ? (int)(slash - program) : 1, slash ? program : ".");
    snprintf(path, sizeof path, "%s/temper", folder);
    bool built = access(path, X_OK) == 0;
    CHECK(built, "%s is not built (make all), so console examples cannot be run", path);
    return built ? folder : NULL;
}

int main(int argc, char **argv) {
    static char path[PATH_SIZE];
    const char *folder = getenv("TEMPER_DOC_DIR");
    snprintf(path, sizeof path, "%s/language.md", folder ? folder : "doc");
    document = path;
    binary_folder = find_binary(argc ? argv[0] : "");
    char *page = slurp(path);
    if (!CHECK(page, "cannot read %s", path)) return test_finish("t-language");
    check_operators(page);
    check_page(page);
    CHECK(example_count >= LEAST_EXAMPLES, "%s has only %zu examples", path, example_count);
    CHECK(string_count >= LEAST_STRINGS, "%s has only %zu strings", path, string_count);
    free(page);
    example_count = 0;
    snprintf(path, sizeof path, "%s/regex.md", folder ? folder : "doc");
    page = slurp(path);
    if (!CHECK(page, "cannot read %s", path)) return test_finish("t-language");
    check_page(page);
    CHECK(example_count >= LEAST_REGEX_EXAMPLES, "%s has only %zu examples", path, example_count);
    free(page);
    return test_finish("t-language");
}
