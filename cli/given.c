#include "given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "examples_list.h"
#include "picture_file.h"

static const option_id texts[] = {OPT_FORMULA, OPT_FILE, OPT_REGEX, OPT_DFA};
enum { TEXTS = sizeof texts / sizeof *texts };

bool has_formula(const session *s) {
    for (size_t k = 0; k < TEXTS; k++)
        if (is_given(s, texts[k])) return true;
    return false;
}

bool syntax_of_path(temper_syntax *out, const char *path) {
    static const struct {
        const char *end;
        temper_syntax syntax;
    } known[] = {{".spec", TEMPER_SYNTAX_SPEC},   {".crasp", TEMPER_SYNTAX_CRASP}, {".brasp", TEMPER_SYNTAX_BRASP},
                 {".regex", TEMPER_SYNTAX_REGEX}, {".dfa", TEMPER_SYNTAX_DFA},     {".jff", TEMPER_SYNTAX_DFA}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (!path_ends(path, known[k].end)) continue;
        *out = known[k].syntax;
        return true;
    }
    return false;
}

static temper_syntax syntax_of(const session *s) {
    const char *path = s->opt.value[OPT_FILE].text;
    temper_syntax syntax = TEMPER_SYNTAX_SPEC;
    if (is_given(s, OPT_REGEX)) return TEMPER_SYNTAX_REGEX;
    if (is_given(s, OPT_DFA)) return TEMPER_SYNTAX_DFA;
    if (is_given(s, OPT_SYNTAX)) return (temper_syntax)(s->opt.value[OPT_SYNTAX].number - 1);
    if (path) syntax_of_path(&syntax, path);
    return syntax;
}

temper_spec_options given_options(const session *s) {
    temper_spec_options o = {0};
    o.syntax = syntax_of(s);
    o.alphabet = s->opt.value[OPT_ALPHABET].text;
    o.ascii = is_given(s, OPT_ASCII);
    o.tokens = is_given(s, OPT_TOKENS);
    o.other = s->opt.value[OPT_OTHER].text;
    if (is_given(s, OPT_AT)) o.at = s->opt.value[OPT_AT].number == 1 ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
    if (is_given(s, OPT_EMPTY))
        o.empty = s->opt.value[OPT_EMPTY].number == 1 ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT;
    if (s->opt.command_bit & FOR_LANGUAGE_MODEL) o.kind = TEMPER_KIND_NEXT;
    return o;
}

static const char *option_shown(option_id id) {
    return id == OPT_FORMULA ? "-f" : id == OPT_FILE ? "-F" : id == OPT_REGEX ? "--regex" : "--dfa";
}

/* One text, and nothing that says the same in another way. */
static bool check_given(session *s) {
    option_id first = OPTION_COUNT;
    for (size_t k = 0; k < TEXTS; k++) {
        if (!is_given(s, texts[k])) continue;
        if (first != OPTION_COUNT) {
            message_usage(s, NULL, "%s and %s are both given; one specification at a time", option_shown(first),
                          option_shown(texts[k]));
            return false;
        }
        first = texts[k];
    }
    if (is_given(s, OPT_SYNTAX) && (first == OPT_REGEX || first == OPT_DFA)) {
        message_usage(s, NULL, "%s and --syntax exclude each other", option_shown(first));
        return false;
    }
    if (is_given(s, OPT_ALPHABET) && is_given(s, OPT_ASCII)) {
        message_usage(s, "leave one of them out", "--alphabet and --ascii exclude each other");
        return false;
    }
    const char *alphabet = s->opt.value[OPT_ALPHABET].text;
    if (alphabet && !alphabet[strspn(alphabet, " \t")]) {
        message_usage(s, "such as --alphabet abc", "--alphabet names no letters");
        return false;
    }
    const char *comma = alphabet ? strchr(alphabet, ',') : NULL;
    bool between = alphabet && alphabet[0] && alphabet[1] == ' ' && alphabet[2] > ' ' && !alphabet[3];
    if (between && !is_given(s, OPT_TOKENS) && !s->quiet)
        message_warning(s, "the blank in --alphabet is a letter, too: --alphabet %c%c has two letters", alphabet[0],
                        alphabet[2]);
    if (comma && comma > alphabet && comma[1] && !s->quiet)
        message_warning(s, "the comma in --alphabet is a letter, too: --alphabet abc has three letters");
    size_t width = alphabet ? strlen(alphabet) : 0;
    if (width > 2 && alphabet[0] == '[' && alphabet[width - 1] == ']' && strchr(alphabet, '-')) {
        message_usage(s, "such as --alphabet abc; --ascii has all printable characters",
                      "--alphabet '%.40s' is no class: letters are written out", alphabet);
        return false;
    }
    size_t dash = alphabet ? strcspn(alphabet, "-") : 0;
    if (alphabet && dash == 1 && alphabet[1] && alphabet[2] && !alphabet[3] && !s->quiet)
        message_warning(s, "the dash in --alphabet is a letter, too: letters are written out, as in --alphabet abc");
    return true;
}

void given_folder(temper_spec_options *o, char folder[4096], const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (slash && length < 4096) {
        memcpy(folder, path, length);
        folder[length] = 0;
        o->folder = length ? folder : "/";
    } else {
        o->folder = ".";
    }
}

static bool is_there(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

/* --ignore-case: (?i) before an expression, but behind (?&). */
static bool mark_case(subject *x, session *s, const temper_spec_options *o) {
    static const char mark[] = "(?i)";
    if (!is_given(s, OPT_IGNORE_CASE)) return true;
    if (o->syntax != TEMPER_SYNTAX_REGEX) {
        message_usage(s, "in a formula write /(?i)abc/",
                      "--ignore-case is for a regular expression, --regex or a file .regex");
        return false;
    }
    size_t before = strncmp(x->source, "(?&)", 4) ? 0 : 4;
    x->marked = malloc(x->length + sizeof mark);
    if (!x->marked) {
        message_error(s, &(temper_error){.code = TEMPER_NO_MEMORY, .text = "out of memory"}, NULL, NULL, 0);
        return false;
    }
    memcpy(x->marked, x->source, before);
    memcpy(x->marked + before, mark, strlen(mark));
    memcpy(x->marked + before + strlen(mark), x->source + before, x->length - before);
    x->source = x->marked;
    x->length += strlen(mark);
    x->marked[x->length] = 0;
    return true;
}

/* A text that is no formula, but would be a regular expression with something in it that only those have. */
static bool is_expression(const subject *x, const temper_error *err, const temper_spec_options *given) {
    temper_spec_options o = {.syntax = TEMPER_SYNTAX_REGEX, .alphabet = given->alphabet, .tokens = given->tokens};
    temper_spec *spec = NULL;
    if (given->syntax != TEMPER_SYNTAX_SPEC || err->code != TEMPER_SYNTAX || x->length > 60) return false;
    if (!strpbrk(x->source, "*+?.\\{^$") || strpbrk(x->source, "#'\"\n>=&/@ ")) return false;
    temper_status status = temper_spec_parse(&spec, x->source, x->length, &o, NULL);
    temper_spec_free(spec);
    return status == TEMPER_OK;
}

/* Commands whose strings tell whether a letter is missing. */
enum { SILENT = FOR_EVAL | FOR_RUN | FOR_SHOW | FOR_LANGUAGE_MODEL | FOR_AUTOMATON | FOR_GAP };

bool given_parse(subject *x, session *s, temper_spec_options *o) {
    temper_error err;
    char folder[4096];
    if (!check_given(s)) return false;
    const char *path = is_given(s, OPT_DFA) ? s->opt.value[OPT_DFA].text : s->opt.value[OPT_FILE].text;
    bool is_regex = is_given(s, OPT_REGEX);
    x->source = s->opt.value[is_regex ? OPT_REGEX : OPT_FORMULA].text;
    x->name = path ? path : is_regex ? "regex" : "formula";
    if (!path) x->length = strlen(x->source);
    const char *example = path && !is_there(path) ? examples_text(&x->length, path) : NULL;
    if (example && !s->quiet) message_warning(s, "there is no file %s here: this is the example of that name", path);
    if (path && !example && temper_file_read(&x->text, &x->length, path, &err) != TEMPER_OK) {
        if (!*err.hint)
            snprintf(err.hint, sizeof err.hint, "%s",
                     is_given(s, OPT_DFA)
                         ? "--dfa takes the file of an automaton: temper examples door.dfa shows one"
                         : "-F takes a file, such as temper examples prints; a formula goes after -f");
        message_error(s, &err, NULL, NULL, 0);
        return false;
    }
    if (path) x->source = example ? example : x->text;
    if (!mark_case(x, s, o)) return false;
    given_folder(o, folder, path);
    if (temper_spec_parse(&x->spec, x->source, x->length, o, &err) == TEMPER_OK) {
        if (!(s->opt.command_bit & SILENT) && o->syntax == TEMPER_SYNTAX_SPEC) note_one_letter(s, x->spec);
        return true;
    }
    if (x->model && err.code == TEMPER_RANGE && o->syntax <= TEMPER_SYNTAX_BRASP) { /* --alphabet cannot help */
        alphabet_hint(err.hint, NULL, x->model);
        err.remedy = TEMPER_REMEDY_NONE;
    }
    if (!path && !*err.hint && !err.remedy && s->opt.count && err.column > x->length && !strchr(x->source, ' '))
        snprintf(err.hint, sizeof err.hint, "a formula with blanks stands in quotes: -f '%.40s %.40s'", x->source,
                 s->opt.arguments[0].text);
    if (!path && is_expression(x, &err, o)) {
        snprintf(err.hint, sizeof err.hint, "for a regular expression write --regex '%.60s', or /%.60s/ in a formula",
                 x->source, x->source);
        err.remedy = TEMPER_REMEDY_NONE;
    }
    message_error(s, &err, x->name, x->source, x->length);
    return false;
}
