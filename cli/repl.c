#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "line_editor.h"
#include "proof_show.h"
#include "session.h"

enum { MOST_WORDS = 64, ALPHABET = 400, TEXT = 4096 };

typedef struct repl {
    repl_call *call;
    line_editor editor;
    char formula[TEXT]; /* "": none yet */
    char alphabet[ALPHABET], last[TEXT];
    bool tokens, fixed; /* fixed: the user has said what the alphabet is */
} repl;

static const char HELP[] =
    "A formula, such as H(b -> O a), a S b, #[a] > #[b] or /(ab)*/; then strings, one a line.\n"
    "Each is answered by the transformer: accept or reject, and the truth at every position.\n"
    "An empty line, or :f FORMULA, goes to another formula; '' is the empty string.\n\n"
    "  :alphabet abc        the letters (letters of your strings are added by themselves)\n"
    "  :tokens              letters are words, or single characters again\n"
    "  :show [STRING]       where the heads look; -o page.html writes a page\n"
    "  :explain :check :certify :limits :automaton ...   any command of temper, on this formula\n"
    "  :language            one screen of operators\n"
    "  :help  :quit         also without the colon; Tab completes commands\n";

/* ---- calling commands ---- */

typedef struct call_words {
    char *words[MOST_WORDS];
    int count;
    char room[4 * TEXT]; /* their bytes */
    size_t used;
} call_words;

static void add(call_words *c, const char *word) {
    size_t size = strlen(word) + 1;
    if (c->count + 1 == MOST_WORDS || c->used + size > sizeof c->room) return;
    c->words[c->count++] = memcpy(c->room + c->used, word, size);
    c->words[c->count] = NULL;
    c->used += size;
}

static void begin(call_words *c, const repl *r, const char *verb) {
    c->count = 0;
    c->used = 0;
    add(c, "temper");
    add(c, verb);
    add(c, "-f");
    add(c, r->formula);
    if (*r->alphabet) {
        add(c, "--alphabet");
        add(c, r->alphabet);
    }
    if (r->tokens) add(c, "--tokens");
}

/* Words between blanks, with ' and " around those that have blanks; the text is changed. */
static void add_words(call_words *c, char *text) {
    while (*text) {
        while (*text == ' ' || *text == '\t') text++;
        if (!*text) return;
        char quote = *text == '\'' || *text == '"' ? *text++ : 0;
        char *word = text;
        while (*text && (quote ? *text != quote : *text != ' ' && *text != '\t')) text++;
        if (*text) *text++ = 0;
        add(c, word);
    }
}

/* ---- formulas ---- */

static void parse_options(temper_spec_options *o, const repl *r) {
    *o = (temper_spec_options){.alphabet = *r->alphabet ? r->alphabet : NULL, .tokens = r->tokens};
}

/* What the transformer of a formula is like, in a line or two. */
static void describe(const repl *r) {
    temper_spec_options o;
    temper_build_options b = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_spec *spec = NULL;
    temper_model *model = NULL;
    temper_proof proof;
    char length[24];
    parse_options(&o, r);
    if (temper_spec_parse(&spec, r->formula, strlen(r->formula), &o, NULL) == TEMPER_OK &&
        temper_build(&model, spec, &b, NULL) == TEMPER_OK) {
        temper_model_info info = temper_model_about(model);
        char *words = NULL;
        if (temper_spec_words(&words, spec, NULL) == TEMPER_OK && *words) {
            show_write(stdout, words, strlen(words), 0);
            putchar('\n');
        }
        temper_free(words);
        printf("%zu layer%s, %zu head%s, letters", info.layers, info.layers == 1 ? "" : "s", info.heads,
               info.heads == 1 ? "" : "s");
        for (size_t k = 0; k < info.letters && k < 40; k++) {
            const char *letter = temper_model_letter(model, k);
            printf(" %s", strcmp(letter, " ") == 0 ? "' '" : letter);
        }
        puts(info.letters > 40 ? " ..." : "");
        if (temper_model_proof(&proof, model, TEMPER_TYPE_F64, 0, NULL) == TEMPER_OK && proof.length)
            printf("proved for every string of up to %s letters, in f64\n", proof_length(length, proof.length));
    }
    temper_model_free(model);
    temper_spec_free(spec);
}

static void take_formula(repl *r, const char *text) {
    call_words c;
    if (strlen(text) >= TEXT) {
        puts("the formula is too long to be typed; put it into a file, and give the file with temper run -F FILE");
        return;
    }
    snprintf(r->formula, TEXT, "%s", text);
    if (!r->fixed) *r->alphabet = 0;
    *r->last = 0;
    begin(&c, r, "run"); /* says what is wrong */
    add(&c, "-q");
    add(&c, "");
    if (r->call(c.count, c.words) > EXIT_NO)
        *r->formula = 0;
    else
        describe(r);
}

/* ---- strings ---- */

/* Words that are typed to the program rather than to the transformer, unless they are a string of the alphabet that
   the user has stated. */
static bool is_plea(const repl *r, const char *text) {
    static const char *const pleas[] = {"help", "exit", "quit", "?"};
    bool found = false;
    for (size_t k = 0; k < sizeof pleas / sizeof *pleas; k++) found |= strcmp(text, pleas[k]) == 0;
    if (!found || !r->fixed) return found;
    if (!r->tokens) return text[strspn(text, r->alphabet)] != 0;
    char words[ALPHABET + 2], word[ALPHABET];
    snprintf(words, sizeof words, " %s ", r->alphabet);
    snprintf(word, sizeof word, " %s ", text);
    return !strstr(words, word);
}

/* Letters of the string that the alphabet lacks join it, unless the user has said what it is. */
static bool add_letters(repl *r, const char *text) {
    temper_spec_options o;
    temper_spec *spec;
    char alphabet[ALPHABET] = "", added[ALPHABET] = "";
    parse_options(&o, r);
    if (temper_spec_parse(&spec, r->formula, strlen(r->formula), &o, NULL) != TEMPER_OK) return false;
    size_t used = 0, count = temper_spec_about(spec).letters;
    for (size_t k = 0; k < count && used < ALPHABET; k++)
        used += (size_t)snprintf(alphabet + used, ALPHABET - used, "%s%s", r->tokens && k ? " " : "",
                                 temper_spec_letter(spec, k));
    for (size_t at = 0, length = strlen(text), size, new = 0; at < length &&used < ALPHABET; at += size) {
        uint32_t code;
        bool valid = true, known = false;
        if (r->tokens)
            size = text[at] == ' ' ? 1 : strcspn(text + at, " ");
        else
            size = char_decode(&code, &valid, text + at, length - at);
        if (!valid || (unsigned char)text[at] <= ' ') continue;
        for (size_t k = 0; k < count && !known; k++)
            known =
                strlen(temper_spec_letter(spec, k)) == size && !memcmp(temper_spec_letter(spec, k), text + at, size);
        for (const char *found = added; !known && (found = strchr(found, ' ')) != NULL; found++)
            known = strncmp(found + 1, text + at, size) == 0 && (found[size + 1] == ' ' || !found[size + 1]);
        if (known || new + size + 2 >= ALPHABET) continue;
        new += (size_t)snprintf(added + new, ALPHABET - new, " %.*s", (int)size, text + at);
        used +=
            (size_t)snprintf(alphabet + used, ALPHABET - used, "%s%.*s", r->tokens ? " " : "", (int)size, text + at);
    }
    temper_spec_free(spec);
    if (*added && !r->fixed && used < ALPHABET) {
        snprintf(r->alphabet, ALPHABET, "%s", alphabet);
        printf("added to the letters:%s (:alphabet LETTERS sets them)\n", added);
    }
    return true;
}

static void take_string(repl *r, const char *text) {
    call_words c;
    if (strcmp(text, "''") == 0) text = "";
    if (!r->tokens && strchr(text, ' ')) {
        puts("a string has no blanks here; :f FORMULA takes another formula, :tokens makes words the letters");
        for (size_t k = 0; k < COMMAND_COUNT; k++)
            if (strcspn(text, " ") == strlen(command_table[k].name) &&
                strncmp(text, command_table[k].name, strcspn(text, " ")) == 0)
                printf("commands begin with a colon: :%s\n", text);
        return;
    }
    if (!add_letters(r, text)) return;
    snprintf(r->last, TEXT, "%s", text);
    begin(&c, r, "run");
    add(&c, "--per-position");
    add(&c, "--");
    add(&c, text);
    r->call(c.count, c.words);
}

/* ---- commands ---- */

static bool wants_string(const char *verb) {
    static const char *const names[] = {"run", "eval", "show", "next"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(verb, names[k]) == 0) return true;
    return false;
}

static void take_command(repl *r, const char *verb, char *rest) {
    call_words c;
    if (!*r->formula) {
        puts("first a formula, such as H(b -> O a)");
        return;
    }
    begin(&c, r, verb);
    int own = c.count;
    add_words(&c, rest);
    bool has_string = c.count > own && c.words[c.count - 1][0] != '-' && c.words[c.count - 2][0] != '-';
    if (wants_string(verb) && !has_string) {
        add(&c, "--");
        add(&c, r->last);
    }
    r->call(c.count, c.words);
}

/* Letters as --alphabet has them, with quotes around or not; false: they were refused, and nothing changed. */
static bool take_alphabet(repl *r, char *letters) {
    repl changed = *r;
    call_words c;
    size_t length = strlen(letters);
    if (length > 2 && (*letters == '\'' || *letters == '"') && letters[length - 1] == *letters) {
        letters[length - 1] = 0;
        letters++;
    }
    snprintf(changed.alphabet, ALPHABET, "%s", letters);
    if (!*r->formula) snprintf(changed.formula, TEXT, "first");
    begin(&c, &changed, "run");
    add(&c, "");
    add(&c, "-q");
    if (r->call(c.count, c.words) > EXIT_NO) return false;
    snprintf(r->alphabet, ALPHABET, "%s", letters);
    r->fixed = true;
    return true;
}

/* ":name rest"; false: the end. */
static bool take_colon(repl *r, char *line) {
    char *name = line + 1, *rest = name + strcspn(name, " \t");
    if (*rest) *rest++ = 0;
    rest += strspn(rest, " \t");
    if (strcmp(name, "quit") == 0 || strcmp(name, "q") == 0 || strcmp(name, "exit") == 0) return false;
    if (strcmp(name, "language") == 0) {
        help_language();
    } else if (strcmp(name, "help") == 0 || strcmp(name, "h") == 0 || strcmp(name, "?") == 0 || !*name) {
        fputs(HELP, stdout);
    } else if (strcmp(name, "f") == 0 || strcmp(name, "formula") == 0) {
        if (*rest)
            take_formula(r, rest);
        else
            *r->formula = 0;
    } else if (strcmp(name, "alphabet") == 0) {
        if (*rest && !take_alphabet(r, rest)) return true;
        if (*r->formula) describe(r);
    } else if (strcmp(name, "tokens") == 0) {
        r->tokens = !r->tokens;
        *r->alphabet = 0;
        r->fixed = false;
        puts(r->tokens ? "letters are words, separated by blanks" : "letters are single characters");
    } else {
        take_command(r, name, rest);
    }
    return true;
}

/* Tab: the prompt's own commands, then those of temper, each behind its colon. */
static const char *candidate(size_t k) {
    static const char *const own[] = {":help", ":quit", ":language", ":alphabet ", ":tokens", ":f "};
    enum { OWN = sizeof own / sizeof *own };
    static char name[40];
    if (k < OWN) return own[k];
    if (k - OWN >= COMMAND_COUNT) return NULL;
    snprintf(name, sizeof name, ":%s", command_table[k - OWN].name);
    return name;
}

int repl_run(repl_call *call) {
    repl *r = calloc(1, sizeof *r);
    if (!r) return EXIT_LIMIT;
    r->call = call;
    editor_open(&r->editor, candidate);
    printf("temper %s. Type a formula, such as H(b -> O a), then strings; help tells more, quit ends.\n",
           temper_version());
    for (;;) {
        char *line = editor_line(&r->editor, *r->formula ? "string> " : "formula> ");
        if (!line) {
            putchar('\n');
            break;
        }
        bool go_on = true;
        char *text = line + strspn(line, " \t");
        for (size_t n = strlen(text); n && (text[n - 1] == ' ' || text[n - 1] == '\t'); n--) text[n - 1] = 0;
        char plea[16];
        if (is_plea(r, text)) {
            snprintf(plea, sizeof plea, ":%s", text);
            text = plea;
        }
        if (*text == ':')
            go_on = take_colon(r, text);
        else if (!*text)
            *r->formula = 0;
        else if (!*r->formula)
            take_formula(r, text);
        else
            take_string(r, text);
        free(line);
        if (!go_on) break;
    }
    free(r);
    return EXIT_FINE;
}
