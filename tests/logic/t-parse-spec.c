/* What surrounds a formula: files that a text names and the text that is kept, tables of probabilities, regular
   languages, outputs, and the calls of temper.h on a specification, at the first and the last thing that each
   takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/entry.h"
#include "exact_text.h"
#include "logic/formula.h"
#include "temper.h"
#include "test.h"

#define BOM  "\xEF\xBB\xBF"
#define DOOR "start q\naccept q\nq a r\nr b q\n"
#define ODD                                                                                                          \
    "\xEF\xBB\xBC a \xEF\xBB\xBC\nstart \xEF\xBB\xBC\naccept \xEF\xBB\xBC\n" /* begins nearly as a mark does */
#define TABLE "start q;accept q;q a r;r b q"

/* ---- files --------------------------------------------------------------------------------------------------- */

static const char *const FILES[][2] = {
    {"door.dfa", BOM DOOR},
    {"mark.dfa", BOM},
    {"odd.dfa", ODD},
    {"bad.dfa", "start q x\n"},
    {"words.dfa", "tokens yes\nstart q\naccept q\nq req q\n"},
    {"w.txt", "a 3\nb 1/2\n"},
    {"brace.txt", "}\na 3\n"},
    {"s/w.txt", "a 7\n"},
};

static char folder[TEST_FOLDER];

static void for_each_file(bool make) {
    for (size_t k = 0; k < sizeof FILES / sizeof *FILES; k++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", folder, FILES[k][0]);
        if (!make) {
            unlink(path);
            continue;
        }
        FILE *file = fopen(path, "wb");
        if (!CHECK(file != NULL, "%s", path)) continue;
        CHECK(fwrite(FILES[k][1], 1, strlen(FILES[k][1]), file) == strlen(FILES[k][1]), "%s", path);
        CHECK(fclose(file) == 0, "%s", path);
    }
}

/* What is printed, without ends of lines: a table has them where it was a file's. */
static char *printed_in_one(const temper_spec *s) {
    char *printed = NULL, *to;
    temper_error e;
    if (!CHECK(temper_spec_print(&printed, s, &e) == TEMPER_OK, "%s", e.text)) return NULL;
    to = printed;
    for (const char *from = printed; *from; from++)
        if (*from != '\n') *to++ = *from;
    *to = 0;
    return printed;
}

/* The text that is kept names no file, and means the same without a folder. */
static void check_kept(const char *source, const char *expected) {
    temper_spec_options o = {.folder = folder};
    temper_spec *s = exact_parse(source, &o);
    if (!s) return;
    CHECK(s->source_length == strlen(s->source) && strcmp(s->source, expected) == 0, "'%s' is kept as\n%s\nnot\n%s",
          source, s->source, expected);
    temper_spec *again = exact_parse(s->source, NULL);
    char *one = printed_in_one(s), *other = again ? printed_in_one(again) : NULL;
    CHECK(one && other && strcmp(one, other) == 0, "'%s' is printed as\n%s\nand then as\n%s", source, one ? one : "",
          other ? other : "");
    temper_free(one);
    temper_free(other);
    temper_spec_free(s);
    temper_spec_free(again);
}

static void test_kept(void) {
    check_kept("dfa 'door.dfa' & O a", "dfa {\n" DOOR "\n} & O a");
    check_kept("dfa odd.dfa\n", "\nmatches = dfa {\n" ODD "\n}\nmatches\n");
    check_kept("next\ndfa door.dfa\nprobabilities w.txt\n",
               "next\n\nprobabilities {\na 3\nb 1/2\n\n}\nmatches = dfa {\n" DOOR "\n}\nmatches\n");
    check_kept("next\nprobabilities s/w.txt\ndfa door.dfa\n",
               "next\nprobabilities {\na 7\n\n}\n\nmatches = dfa {\n" DOOR "\n}\nmatches\n");
    check_kept("next\ndfa door.dfa\nx = dfa 'odd.dfa' | O a\nprobabilities w.txt\nx & matches",
               "next\n\nmatches = dfa {\n" DOOR "\n}\nx = dfa {\n" ODD
               "\n} | O a\nprobabilities {\na 3\nb 1/2\n\n}\nx & matches");
    char absolute[200], inlined[200];
    snprintf(absolute, sizeof absolute, "next\nprobabilities %s/w.txt\n/a*b/", folder);
    snprintf(inlined, sizeof inlined, "next\nprobabilities {\na 3\nb 1/2\n\n}\n/a*b/");
    check_kept(absolute, inlined);
}

#define LINE " | a line is 'start q0', 'accept q1 q2' or 'q0 a q1', a state, a letter, a state"

static void test_bad_files(void) {
    const exact_text TEXTS[] = {
        {"dfa mark.dfa",
         "syntax 1:5: mark.dfa:1:1: the automaton has no line 'start' | write 'start q0'",
         {.folder = folder}},
        {"dfa bad.dfa", "syntax 1:5: bad.dfa:1:9: expected the end of the line, found 'x'" LINE, {.folder = folder}},
        {"O a & dfa 'bad.dfa'",
         "syntax 1:11: bad.dfa:1:9: expected the end of the line, found 'x'" LINE,
         {.folder = folder}},
        {"dfa words.dfa",
         "range 1:5: words.dfa: its letters are words, those of the specification characters | letters of several "
         "characters need tokens: begin with a line 'tokens yes'",
         {.folder = folder}},
        {"next\nprobabilities brace.txt\n/a*/",
         "syntax 2:15: 'brace.txt' is no table of probabilities: a line ends with a brace",
         {.folder = folder}},
        {"next\nprobabilities w.txt\n/a*/",
         "range 2:15: this text may not name files, but it names 'w.txt' | write the table itself: probabilities { "
         "... }",
         {0}},
    };
    for (size_t k = 0; k < sizeof TEXTS / sizeof *TEXTS; k++) exact_refusal(&TEXTS[k]);
}

/* ---- texts ---------------------------------------------------------------------------------------------------- */

#define NO_ANSWER                                                                                                    \
    "expected a formula, found end of text | the last line of a specification is its answer, as in 'a & F b'"

static const exact_text REFUSALS[] = {
    /* lines and columns behind a table */
    {"next\nprobabilities {\na 1\n}", "syntax 4:2: " NO_ANSWER, {0}},
    {"next\nprobabilities {\na 1\n  }  ", "syntax 4:6: " NO_ANSWER, {0}},
    {"next\nprobabilities {a 1}", "syntax 2:20: " NO_ANSWER, {0}},
    {"next\nprobabilities uniform", "syntax 2:22: " NO_ANSWER, {0}},
    {"next\nprobabilities {\na 1\n}\n)", "syntax 5:1: expected a formula or a count, found ')'", {0}},
    {"next\nx = O a\nprobabilities {\na 1\n}\n)", "syntax 6:1: expected a formula or a count, found ')'", {0}},
    {"next\nprobabilities {\na 1\n",
     "syntax 2:15: this '{' is never closed | the brace that closes it is the last "
     "character of its line",
     {0}},
    /* texts that are one language */
    {BOM, "syntax 1:1: the automaton has no line 'start' | write 'start q0'", {.syntax = TEMPER_SYNTAX_DFA}},
    {"start q x", "syntax 1:9: expected the end of the line, found 'x'" LINE, {.syntax = TEMPER_SYNTAX_DFA}},
    {"a\r",
     "syntax 1:2: the expression has the control byte 0x0D | write it with an escape, as \\n or \\x01",
     {.syntax = TEMPER_SYNTAX_REGEX}},
    {DOOR,
     "range 1:1: the empty string is in the language, but it is said to be rejected | leave the setting out: the "
     "language itself answers for the empty string",
     {.syntax = TEMPER_SYNTAX_DFA, .empty = TEMPER_EMPTY_REJECT}},
};

static const exact_text PRINTED[] = {
    {"dfa {" TABLE "}", "alphabet a b\nat last\nempty accept\ndfa {" TABLE "\n}\n", {0}},
    {"dfa {" TABLE " \t\r\n}", "alphabet a b\nat last\nempty accept\ndfa {" TABLE "\n}\n", {0}},
    {"/a/ | /ab/", "alphabet a b\nat last\n/a/ | /ab/\n", {0}},
    {"next\nprobabilities {a 3\nb 1/2}\n/a*b/",
     "next\nalphabet a b\nat last\nprobabilities {a 3\nb 1/2}\n/a*b/\n",
     {0}},
};

static const exact_text MEANINGS[] = {
    {"/a/ | /ab/", "/ab?/", {0}},
    {"/ab/ | /a/", "/ab?/", {0}},
    {"dfa {" TABLE "}", "/(ab)*/", {0}},
    {BOM DOOR, "/(ab)*/", {.syntax = TEMPER_SYNTAX_DFA}},
    {ODD, "/a*/", {.syntax = TEMPER_SYNTAX_DFA}},
    {"a*b\r\n", "/a*b/", {.syntax = TEMPER_SYNTAX_REGEX}},
};

/* A table of probabilities is what stands between its braces. */
static void test_table(void) {
    static const char *const TABLES[] = {"a 3\nb 1/2", "\na 30\n", "a 1/16"};
    for (size_t k = 0; k < sizeof TABLES / sizeof *TABLES; k++) {
        char source[100];
        snprintf(source, sizeof source, "next\nprobabilities {%s}\n/a*b/", TABLES[k]);
        temper_spec *s = exact_parse(source, NULL);
        if (s)
            CHECK(s->probabilities.length == strlen(TABLES[k]) && !strcmp(s->probabilities.text, TABLES[k]),
                  "%s: %zu", source, s->probabilities.length);
        temper_spec_free(s);
    }
}

/* Of a Boolean combination of languages: whether the empty string is accepted. /a*+/ has it, /a+/ not. */
static void test_empty(void) {
    static const struct {
        const char *form;    /* %s twice */
        const char *accepts; /* for NO NO, NO YES, YES NO, YES YES */
    } CASES[] = {{"%s & %s", "0001"},        {"%s | %s", "0111"},        {"%s ^ %s", "0110"},
                 {"%s -> %s", "1101"},       {"%s <-> %s", "1001"},      {"!%s & %s", "0100"},
                 {"%s & /b*/ & %s", "0001"}, {"%s | /bb/ | %s", "0111"}, {"%s & b | %s & b", "0000"},
                 {"!(%s | b) & %s", "0000"}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++)
        for (size_t of = 0; of < 4; of++) {
            char source[100];
            snprintf(source, sizeof source, CASES[k].form, of & 2 ? "/a*/" : "/a+/", of & 1 ? "/(ab)*/" : "/b|a/");
            temper_spec *s = exact_parse(source, &(temper_spec_options){.alphabet = "ab"});
            if (s)
                CHECK(temper_spec_about(s).accepts_empty == CASES[k].accepts[of] - '0', "%s: %d", source,
                      temper_spec_about(s).accepts_empty);
            temper_spec_free(s);
        }
}

/* ---- languages ------------------------------------------------------------------------------------------------- */

static void test_shared(void) {
    static const struct {
        const char *source;
        size_t nodes;
    } CASES[] = {{"/ab/ & /ab/", 2},
                 {"/ab/ & /a/", 3},
                 {"/a/ | /ab/ | /a/", 3},
                 {"dfa {" TABLE "} & dfa {" TABLE "}", 2},
                 {"dfa {" TABLE "} & dfa {" TABLE "\n}", 2},
                 {"dfa {" TABLE "} & /ab/", 3}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        temper_spec *s = exact_parse(CASES[k].source, NULL);
        if (s)
            CHECK(temper_spec_about(s).nodes == CASES[k].nodes, "%s: %zu nodes", CASES[k].source,
                  temper_spec_about(s).nodes);
        temper_spec_free(s);
    }
}

static void turn(entry *e, void *context) {
    const temper_spec *s = context;
    temper_spec *turned = spec_from_right(s, &e->memory, &e->scratch);
    temper_spec_info about = temper_spec_about(turned);
    CHECK(about.nodes == 1 && about.at == TEMPER_AT_FIRST && about.letters == 2, "%zu nodes", about.nodes);
    for (uint32_t word = 0; word < 32; word++) { /* a b*: from i to the end */
        uint32_t letters[5];
        unsigned char truth[5];
        int accept = -1;
        temper_error error;
        for (uint32_t i = 0; i < 5; i++) letters[i] = word >> i & 1;
        CHECK(temper_spec_eval(&accept, truth, turned, letters, 5, &error) == TEMPER_OK, "%s", error.text);
        for (uint32_t i = 0; i < 5; i++) {
            bool matches = letters[i] == 0;
            for (uint32_t j = i + 1; j < 5; j++) matches = matches && letters[j] == 1;
            CHECK(truth[i] == matches && (i || accept == matches), "word %u at %u", word, i);
        }
    }
}

static void test_turned(void) {
    static const struct {
        const char *source;
        temper_syntax syntax;
        bool is_language;
    } CASES[] = {{"ab*", TEMPER_SYNTAX_REGEX, true},
                 {"start q\naccept r\nq a r\nr b r", TEMPER_SYNTAX_DFA, true},
                 {"/ab*/", TEMPER_SYNTAX_SPEC, false}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        temper_spec *s = exact_parse(CASES[k].source, &(temper_spec_options){.syntax = CASES[k].syntax});
        temper_error e;
        if (!s) continue;
        CHECK(spec_is_language(s) == CASES[k].is_language, "%s", CASES[k].source);
        CHECK(entry_run(&e, turn, s) == TEMPER_OK, "%s", e.text);
        temper_spec_free(s);
    }
}

/* ---- outputs --------------------------------------------------------------------------------------------------- */

static void need_acceptor(entry *e, void *context) { spec_need_acceptor(context, e->trap); }

static void test_kinds(void) {
    static const struct {
        const char *source, *why;
    } CASES[] = {{"O a", ""},
                 {"next\nO a", "a language model says what comes next, not whether a string belongs"},
                 {"alphabet a\ntransduce\nemit x = a", "a transducer accepts no strings, it writes them"}};
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        temper_spec *s = exact_parse(CASES[k].source, NULL);
        temper_error e = {0};
        if (!s) continue;
        temper_status status = entry_run(&e, need_acceptor, s);
        CHECK(status == (*CASES[k].why ? TEMPER_UNSUPPORTED : TEMPER_OK) && strcmp(e.text, CASES[k].why) == 0,
              "%s: %s", CASES[k].source, e.text);
        temper_spec_free(s);
    }
}

static void test_outputs(void) {
    temper_spec *s = exact_parse("O a", NULL);
    temper_error e = {0};
    char *label = NULL;
    if (!s) return;
    CHECK(temper_spec_output(s, 0) == s && !temper_spec_output(s, 1), "the output of an acceptor");
    CHECK(!strcmp(temper_spec_output_name(s, 0), "") && !temper_spec_output_name(s, 1), "its name");
    CHECK(temper_spec_output_formula(&label, s, 1, &e) == TEMPER_RANGE && !label &&
              !strcmp(e.text, "there is no such output"),
          "%s", e.text);
    CHECK(temper_spec_output_formula(&label, s, 0, &e) == TEMPER_OK && !strcmp(label, "O a"), "%s", e.text);
    temper_free(label);
    temper_spec_free(s);
}

/* The outputs of a language model are acceptors, and printed as such. */
static void test_views(void) {
    temper_spec *s = exact_parse("next\nalphabet a b\nviable H (#[a] >= #[b])\n#[a] = #[b] & H (#[a] >= #[b])", NULL),
                *next = NULL;
    temper_error e = {0};
    if (!s) return;
    CHECK(temper_spec_next(&next, NULL, s, &e) == TEMPER_OK, "%s", e.text);
    for (size_t k = 0; next && k < 3; k++) {
        const temper_spec *view = temper_spec_output(next, k);
        char *printed = NULL;
        if (!CHECK(view && temper_spec_about(view).kind == TEMPER_KIND_ACCEPTOR && !view->output_count, "output %zu",
                   k))
            continue;
        CHECK(temper_spec_print(&printed, view, &e) == TEMPER_OK &&
                  !strncmp(printed, "alphabet a b\nat last\n", 21) && !strstr(printed, "viable"),
              "output %zu:\n%s", k, printed ? printed : e.text);
        temper_free(printed);
    }
    if (next) CHECK(!temper_spec_output(next, 3) && !temper_spec_output_name(next, 3), "a fourth output");
    temper_spec_free(s);
    temper_spec_free(next);
}

/* ---- letters --------------------------------------------------------------------------------------------------- */

static void check_range(const temper_spec *s, const uint32_t *letters, size_t position) {
    unsigned char truth[3];
    char expected[100];
    temper_error e = {0};
    int accept;
    snprintf(expected, sizeof expected, "letter number %lu at position %zu is not in the alphabet",
             (unsigned long)letters[position - 1], position);
    CHECK(temper_spec_eval(&accept, truth, s, letters, 3, &e) == TEMPER_RANGE && e.column == position &&
              !strcmp(e.text, expected),
          "%zu: %s", e.column, e.text);
}

static void test_letters(void) {
    temper_spec *s = exact_parse("alphabet a b\nO b", NULL);
    temper_error e;
    if (!s) return;
    check_range(s, (uint32_t[]){2, 0, 1}, 1);
    check_range(s, (uint32_t[]){0, 2, 1}, 2);
    check_range(s, (uint32_t[]){0, 1, 2}, 3);
    check_range(s, (uint32_t[]){UINT32_MAX, 1, 2}, 1);
    uint32_t *letters = NULL;
    size_t n = 77;
    CHECK(temper_spec_encode(&letters, &n, s, "abc", 3, &e) == TEMPER_RANGE && !letters && n == 0, "%zu letters", n);
    CHECK(temper_spec_encode(&letters, &n, s, "bab", 3, &e) == TEMPER_OK && n == 3 && letters[0] == 1, "%zu", n);
    temper_free(letters);
    temper_spec_free(s);
}

/* Long strings, without room of the caller's. */
static void test_long(void) {
    enum { LONG = 400000 };
    uint32_t *word = malloc(LONG * sizeof *word);
    temper_spec *s = exact_parse("alphabet a b\nO b", NULL),
                *t = exact_parse("alphabet a b\ntransduce\nemit x = a\nemit y = b", NULL);
    temper_error e;
    int accept = -1;
    char *out = NULL;
    size_t length = 0;
    if (!CHECK(word != NULL, "no memory")) return;
    for (size_t k = 0; k < LONG; k++) word[k] = k == LONG / 2;
    if (s) CHECK(temper_spec_eval(&accept, NULL, s, word, LONG, &e) == TEMPER_OK && accept == 1, "%d", accept);
    if (t)
        CHECK(temper_spec_write(&out, &length, t, word, LONG, &e) == TEMPER_OK && length == LONG &&
                  strspn(out, "x") == LONG / 2 && out[LONG / 2] == 'y' &&
                  strspn(out + LONG / 2 + 1, "x") == LONG / 2 - 1,
              "%zu", length);
    temper_free(out);
    temper_spec_free(s);
    temper_spec_free(t);
    free(word);
}

/* The limit of doc/language.md: 256 MiB of text. What is too long is not even read. */
static void test_size(void) {
    enum { MOST = 256 << 20 };
    char *zeros = calloc((size_t)MOST + 1, 1);
    if (!zeros) return; /* a small machine */
    exact_refusal_of(&(exact_text){zeros,
                                   "syntax 1:1: NUL byte 0x00 in the text | a letter that is a control character is "
                                   "written with an escape, as '\\x01' or '\\n'",
                                   {0}},
                     MOST);
    exact_refusal_of(
        &(exact_text){zeros, "limit 0:0: the specification has 268435457 bytes, but the limit is 268435456", {0}},
        (size_t)MOST + 1);
    free(zeros);
}

int main(void) {
    char sub[TEST_FOLDER + 2];
    if (test_folder(folder)) {
        snprintf(sub, sizeof sub, "%s/s", folder);
        CHECK(mkdir(sub, 0700) == 0, "%s", sub);
        for_each_file(true);
        test_kept();
        test_bad_files();
        for_each_file(false);
        rmdir(sub);
        rmdir(folder);
    }
    for (size_t k = 0; k < sizeof REFUSALS / sizeof *REFUSALS; k++) exact_refusal(&REFUSALS[k]);
    for (size_t k = 0; k < sizeof PRINTED / sizeof *PRINTED; k++) exact_print(&PRINTED[k]);
    for (size_t k = 0; k < sizeof MEANINGS / sizeof *MEANINGS; k++) exact_meaning(&MEANINGS[k], TEMPER_SYNTAX_SPEC);
    test_table();
    test_empty();
    test_shared();
    test_turned();
    test_kinds();
    test_outputs();
    test_views();
    test_letters();
    test_long();
    test_size();
    return test_finish("t-parse-spec");
}
