/* The tables of doc/regex.md: what is supported matches and does not match what the page says, to the library and to
   the auditor; what is refused is refused by both, with the words of the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_regex.h"
#include "automata/regex.h"
#include "base/entry.h"
#include "test.h"

enum { CELLS = 6, PIECES = 8 };

typedef struct reading {
    arena *arena;
    alphabet letters;
    const char *text;
    const dfa *compiled;
    const automaton *audited;
    temper_error compile_error, audit_error;
} reading;

static void compile(void *context) {
    reading *x = context;
    x->compiled =
        dfa_from_regex(x->arena, regex_parse(x->arena, x->text, strlen(x->text), false, 1, 1), &x->letters, x->arena);
}

static void audit_text(void *context) {
    reading *x = context;
    x->audited =
        automaton_from_regex(x->arena, audit_regex_read(x->arena, x->text, strlen(x->text), &x->letters), false);
}

static void read_both(reading *x) {
    trap inside, *outside = x->arena->trap;
    x->arena->trap = &inside;
    trap_attempt(&inside, &x->compile_error, compile, x);
    trap_attempt(&inside, &x->audit_error, audit_text, x);
    x->arena->trap = outside;
}

/* Printable letters, those that end lines, and some beyond ASCII. */
static void all_letters(alphabet *abc, arena *a) {
    static const uint32_t others[] = {'\t',  '\n',  0x0B,  '\f',   '\r',   0xDF,    0x1E9E,
                                      0x3A3, 0x3C3, 0x3C2, 0x212A, 0x17F,  0x3000,  0x2028,
                                      0xE4,  0x301, 0x342, 0x663,  0x200D, 0x1F1E9, 0x1F1EA};
    char utf8[4];
    alphabet_init(abc, a, false);
    for (uint32_t c = 32; c < 127; c++) alphabet_add(abc, utf8, utf8_encode(utf8, c));
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) alphabet_add(abc, utf8, utf8_encode(utf8, others[k]));
}

/* The cells of a row; "\|" inside is "|". */
static size_t split_row(char *cells[CELLS], const char *line) {
    static char copy[2000];
    size_t count = 0;
    char *out = copy;
    if (*line != '|') return 0;
    for (const char *p = line; *p && *p != '\n'; p++) {
        bool escaped = p[0] == '\\' && p[1] == '|', bar = *p == '|';
        if (bar) *out++ = 0;
        if (bar && count < CELLS) cells[count++] = out;
        p += escaped;
        if (!bar) *out++ = *p;
    }
    *out = 0;
    return count ? count - 1 : 0; /* the last bar begins none */
}

/* The pieces of a cell between back quotes, with escapes of characters if they are strings. */
static size_t split_cell(arena *a, const char *pieces[PIECES], const char *cell, bool strings) {
    size_t count = 0;
    for (const char *p = strchr(cell, '`'); p && count < PIECES; p = strchr(p + 1, '`')) {
        const char *end = strchr(p + 1, '`');
        text t;
        if (!end) break;
        text_init(&t, a);
        for (p++; p < end; p++) {
            static const char names[] = "ntr", codes[] = "\n\t\r";
            const char *name = strings && *p == '\\' && p[1] ? strchr(names, p[1]) : NULL;
            char utf8[4], hex[5] = {0};
            if (name) {
                text_putc(&t, codes[name - names]), p++;
            } else if (strings && *p == '\\' && (p[1] == 'u' || p[1] == 'x')) {
                size_t digits = p[1] == 'u' ? 4 : 2;
                memcpy(hex, p + 2, digits);
                text_add(&t, utf8, utf8_encode(utf8, (uint32_t)strtoul(hex, NULL, 16)));
                p += 1 + digits;
            } else {
                text_putc(&t, *p);
            }
        }
        pieces[count++] = strings && !strcmp(text_string(&t), "\"\"") ? "" : text_string(&t);
    }
    return count;
}

static size_t spell(uint32_t *word, const reading *x, const char *string) {
    size_t n = 0;
    for (size_t at = 0, length = strlen(string); at < length; n++) {
        uint32_t code;
        size_t size = utf8_decode(&code, string + at, length - at);
        word[n] = alphabet_find(&x->letters, string + at, size);
        if (!CHECK(word[n] != UINT32_MAX, "'%s': a letter that the test does not know", string)) return 0;
        at += size;
    }
    return n;
}

static bool audited_accepts(const automaton *x, const uint32_t *word, size_t n) {
    uint32_t at = 0;
    for (size_t k = 0; k < n; k++) at = x->next[(size_t)at * x->classes + x->class_of[word[k]]];
    return x->accepts[at];
}

static void check_supported(arena *a, char *const *cells) {
    const char *example[PIECES], *strings[PIECES];
    uint32_t word[100];
    reading x = {.arena = a};
    all_letters(&x.letters, a);
    if (!CHECK(split_cell(a, example, cells[1], false) == 1, "no example in: %s", cells[0])) return;
    x.text = example[0];
    read_both(&x);
    if (!CHECK(x.compiled && x.audited, "%s: %s %s", x.text, x.compile_error.text, x.audit_error.text)) return;
    for (size_t k = 2; k < 4; k++) {
        size_t count = split_cell(a, strings, cells[k], true);
        CHECK(count > 0, "%s: no strings", x.text);
        for (size_t j = 0; j < count; j++) {
            size_t n = spell(word, &x, strings[j]);
            CHECK(dfa_accepts(x.compiled, word, n) == (k == 2), "%s on '%s'", x.text, strings[j]);
            CHECK(audited_accepts(x.audited, word, n) == (k == 2), "%s on '%s', audited", x.text, strings[j]);
        }
    }
}

static void check_refused(arena *a, char *const *cells) {
    const char *example[PIECES], *says[PIECES];
    reading x = {.arena = a};
    all_letters(&x.letters, a);
    if (!CHECK(split_cell(a, example, cells[1], false) == 1 && split_cell(a, says, cells[2], false) == 1,
               "no example in: %s", cells[0]))
        return;
    x.text = example[0];
    read_both(&x);
    CHECK(!x.compiled && !x.audited, "%s is read", x.text);
    CHECK(x.compile_error.code == TEMPER_UNSUPPORTED || x.compile_error.code == TEMPER_SYNTAX, "%s: code %d", x.text,
          (int)x.compile_error.code);
    CHECK(strstr(x.compile_error.text, says[0]) && *x.compile_error.hint, "%s: %s (%s)", x.text, x.compile_error.text,
          x.compile_error.hint);
}

int main(void) {
    arena a;
    trap t;
    temper_error e;
    static char line[2000];
    FILE *page = fopen("doc/regex.md", "r");
    size_t supported = 0, refused = 0;
    void (*check)(arena *, char *const *) = NULL;
    arena_init(&a, &t);
    if (trap_set(&t, &e)) {
        fprintf(stderr, "t-regex-page: %s\n", e.text);
        abort();
    }
    while (CHECK(page != NULL, "no doc/regex.md") && fgets(line, sizeof line, page)) {
        char *cells[CELLS];
        size_t count = split_row(cells, line);
        if (!count) check = NULL;
        if (!count || !strncmp(cells[0], " ---", 4)) continue;
        if (!strcmp(cells[0], " supported ") || !strcmp(cells[0], " refused ")) {
            check = cells[0][1] == 's' ? check_supported : check_refused;
            continue;
        }
        if (!check || !CHECK(count >= 4, "too few cells: %s", cells[0])) continue;
        check(&a, cells);
        ++*(check == check_supported ? &supported : &refused);
        arena_reset(&a);
    }
    CHECK(supported >= 20 && refused >= 12, "only %zu and %zu rows", supported, refused);
    if (page) fclose(page);
    arena_free(&a);
    trap_clear(&t);
    return test_finish("t-regex-page");
}
