/* Specifications with several outputs. The words of their lines (next, transduce, emit, viable, probabilities, ...)
   change no text that meant something without them: the same text with other words in their place is the oracle, for
   no word is special to it. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "temper.h"

static const char *const words[] = {"next",          "transduce", "emit",    "viable",
                                    "probabilities", "otherwise", "nothing", "uniform"};
static const char *const plain[] = {"nexy",          "transducy", "emiy",    "viably",
                                    "probabilitiey", "otherwisy", "nothiny", "uniforz"};
enum { WORDS = sizeof words / sizeof *words };

typedef struct soup {
    char special[2000], other[2000];
} soup;

static void put(soup *s, const char *x, const char *y) {
    strncat(s->special, x, sizeof s->special - strlen(s->special) - 1);
    strncat(s->other, y, sizeof s->other - strlen(s->other) - 1);
}

static void put_both(soup *s, const char *x) { put(s, x, x); }

static void put_word(soup *s, test_random *r) {
    size_t k = random_below(r, WORDS);
    put(s, words[k], plain[k]);
}

static void put_operand(soup *s, test_random *r) {
    static const char *const unary[] = {"", "", "", "!", "Y ", "O ", "X "};
    put_both(s, unary[random_below(r, sizeof unary / sizeof *unary)]);
    if (random_below(r, 3))
        put_word(s, r);
    else
        put_both(s, random_below(r, 2) ? "b" : "('b')");
}

static void put_formula(soup *s, test_random *r) {
    static const char *const binary[] = {" & ", " | ", " S ", " -> ", " = ", " "};
    put_operand(s, r);
    while (!random_below(r, 2)) {
        put_both(s, binary[random_below(r, random_below(r, 8) ? 4 : 6)]);
        put_operand(s, r);
    }
}

static void put_line(soup *s, test_random *r) {
    switch (random_below(r, 7)) {
    case 0:
        put_word(s, r);
        put_both(s, " = ");
        put_formula(s, r);
        break;
    case 1: put(s, "alphabet b next emit transduce viable", "alphabet b nexy emiy transducy viably"); break;
    case 2: put_word(s, r); break;
    case 3: put_both(s, random_below(r, 2) ? "" : "-- a comment"); break;
    case 4: put_both(s, random_below(r, 2) ? "regex (<b>|<c>)*" : "at last"); break;
    default: put_formula(s, r);
    }
    put_both(s, random_below(r, 6) ? "\n" : " -- said\n");
}

/* The printed text with plain words put in the place of special ones. */
static void rename_words(char *out, size_t size, const char *in) {
    size_t at = 0;
    while (*in && at + 20 < size) {
        size_t k = 0;
        while (k < WORDS && strncmp(in, words[k], strlen(words[k])) != 0) k++;
        const char *from = k < WORDS ? plain[k] : NULL;
        if (from) {
            memcpy(out + at, from, strlen(from));
            at += strlen(from);
            in += strlen(words[k]);
        } else {
            out[at++] = *in++;
        }
    }
    out[at] = '\0';
}

static temper_spec *parse(const char *source, temper_syntax syntax, temper_error *e) {
    temper_spec_options o = {.syntax = syntax};
    temper_spec *s;
    temper_spec_parse(&s, source, strlen(source), &o, e);
    return s;
}

static void check_pair(const char *special, const char *other, temper_syntax syntax, size_t *meant) {
    temper_error e, f;
    temper_spec *x = parse(special, syntax, &e), *y = parse(other, syntax, &f);
    char *left = NULL, *right = NULL, renamed[4000];
    if (y) {
        (*meant)++;
        CHECK(x != NULL, "parsed without the new words:\n%s%zu:%zu %s", special, e.line, e.column, e.text);
    }
    if (x && y) {
        CHECK(temper_spec_about(x).kind == TEMPER_KIND_ACCEPTOR, "not an acceptor any more:\n%s", special);
        temper_spec_print(&left, x, NULL);
        temper_spec_print(&right, y, NULL);
        rename_words(renamed, sizeof renamed, left);
        CHECK(!strcmp(renamed, right), "another meaning:\n%s\n%s\n%s", special, renamed, right);
    }
    temper_free(left);
    temper_free(right);
    temper_spec_free(x);
    temper_spec_free(y);
}

static void check_old_texts(void) {
    test_random r = test_seed(15);
    size_t meant = 0;
    for (int round = 0; round < 20000 * test_effort(); round++) {
        soup s = {{0}, {0}};
        if (random_below(&r, 3)) put_both(&s, "tokens yes\n");
        size_t lines = 1 + random_below(&r, 4);
        for (size_t k = 0; k < lines; k++) put_line(&s, &r);
        check_pair(s.special, s.other, TEMPER_SYNTAX_SPEC, &meant);
    }
    CHECK(meant > 1000 * test_effort(), "only %zu random texts meant anything", meant);
    static const char *const fixed[][2] = {
        {"tokens yes\nnext", "tokens yes\nnexy"},
        {"tokens yes\nnext\n", "tokens yes\nnexy\n"},
        {"tokens yes\nnext -- last\n\n-- comment", "tokens yes\nnexy -- last\n\n-- comment"},
        {"tokens yes\nnext & O viable", "tokens yes\nnexy & O viably"},
        {"tokens yes\nregex <b>*\ntransduce", "tokens yes\nregex <b>*\ntransducy"},
        {"next = a\nviable = Y next\nnext & viable", "nexy = a\nviably = Y nexy\nnexy & viably"},
        {"transduce = a\nemit = b\n(transduce\n| emit)", "transducy = a\nemiy = b\n(transducy\n| emiy)"},
    };
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++) {
        size_t before = meant;
        check_pair(fixed[k][0], fixed[k][1], TEMPER_SYNTAX_SPEC, &meant);
        CHECK(meant == before + 1, "the oracle refuses:\n%s", fixed[k][1]);
    }
    static const char *const programs[][2] = {
        {"next = Q_a\nnext", "nexy = Q_a\nnexy"},
        {"viable = # Q_a\ntransduce = viable > 1\ntransduce", "viably = # Q_a\ntransducy = viably > 1\ntransducy"},
    };
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        size_t before = meant;
        check_pair(programs[k][0], programs[k][1], TEMPER_SYNTAX_CRASP, &meant);
        CHECK(meant == before + 1, "the oracle refuses:\n%s", programs[k][1]);
    }
    size_t before = meant;
    check_pair("next(i) := Q_a(i)\nviable(i) := rightmost [j<i, 1] next(j) : 0",
               "nexy(i) := Q_a(i)\nviably(i) := rightmost [j<i, 1] nexy(j) : 0", TEMPER_SYNTAX_BRASP, &meant);
    CHECK(meant == before + 1, "the oracle refuses a B-RASP program");
}

/* ---- what the new texts say ---- */

static void check_kind(const char *source, temper_syntax syntax, temper_kind kind, size_t outputs) {
    temper_error e;
    temper_spec *s = parse(source, syntax, &e);
    CHECK(s != NULL, "%s\n%zu:%zu %s", source, e.line, e.column, e.text);
    if (!s) return;
    temper_spec_info about = temper_spec_about(s);
    CHECK(about.kind == kind && about.outputs == outputs, "%s\nkind %s, %zu outputs", source,
          temper_kind_name(about.kind), about.outputs);
    char *printed = NULL, *again = NULL;
    temper_spec_print(&printed, s, NULL);
    temper_spec *t = syntax == TEMPER_SYNTAX_BRASP ? NULL : parse(printed, TEMPER_SYNTAX_SPEC, &e);
    CHECK(t || syntax == TEMPER_SYNTAX_BRASP, "%s\nprints\n%s\nwhich is refused: %zu:%zu %s", source, printed, e.line,
          e.column, e.text);
    if (t) {
        temper_spec_print(&again, t, NULL);
        CHECK(!strcmp(printed, again), "%s\nprints\n%s\nwhich prints\n%s", source, printed, again);
        CHECK(temper_spec_about(t).kind == kind && temper_spec_about(t).outputs == outputs, "%s\nprints\n%s", source,
              printed);
    }
    temper_free(printed);
    temper_free(again);
    temper_spec_free(t);
    temper_spec_free(s);
}

static void check_new_texts(void) {
    check_kind("next\na & O b", TEMPER_SYNTAX_SPEC, TEMPER_KIND_NEXT, 0);
    check_kind("next -- a model\n\nregex (ab)*", TEMPER_SYNTAX_SPEC, TEMPER_KIND_NEXT, 0);
    check_kind("regex (ab)*\nnext\n", TEMPER_SYNTAX_SPEC, TEMPER_KIND_NEXT, 0);
    check_kind("next\nviable #[#[a] < #[b]] = 0\n#[a] = #[b]", TEMPER_SYNTAX_SPEC, TEMPER_KIND_NEXT, 0);
    check_kind("next\nx = #[#[a] < #[b]] = 0\nviable x\nprobabilities uniform\n#[a] = #[b] & x", TEMPER_SYNTAX_SPEC,
               TEMPER_KIND_NEXT, 0);
    check_kind("next\nprobabilities {\n a 1/2\n '}' 3\n}\na & '}'", TEMPER_SYNTAX_SPEC, TEMPER_KIND_NEXT, 0);
    check_kind("next\nviable = # Q_a >= # Q_b\nviable & # Q_a == # Q_b", TEMPER_SYNTAX_CRASP, TEMPER_KIND_NEXT, 0);
    check_kind("transduce\nemit '1' = [bc] ^ Y([bc] S d)\nemit '0' otherwise", TEMPER_SYNTAX_SPEC,
               TEMPER_KIND_TRANSDUCER, 2);
    check_kind("tokens yes\ntransduce\nemit yes = next\nemit nothing otherwise\n", TEMPER_SYNTAX_SPEC,
               TEMPER_KIND_TRANSDUCER, 2);
    check_kind("transduce\nemit 1 = a\nx = b & Y a\nemit 'long text' = x | x & O x\nemit nothing = !x & !a",
               TEMPER_SYNTAX_SPEC, TEMPER_KIND_TRANSDUCER, 3);
}

static void check_views(void) {
    temper_error e;
    temper_spec *s =
        parse("transduce\nemit 'x' = a\nemit 'y' = b & Y a\nemit nothing otherwise", TEMPER_SYNTAX_SPEC, &e);
    const uint32_t word[] = {0, 1, 1, 0, 0, 1};
    static const unsigned char wanted[3][6] = {{1, 0, 0, 1, 1, 0}, {0, 1, 0, 0, 0, 1}, {0, 0, 1, 0, 0, 0}};
    static const char *const names[] = {"x", "y", ""};
    for (size_t k = 0; s && k < 3; k++) {
        unsigned char truth[6];
        const temper_spec *x = temper_spec_output(s, k);
        CHECK(temper_spec_eval(NULL, truth, x, word, 6, &e) == TEMPER_OK, "output %zu: %s", k, e.text);
        CHECK(!memcmp(truth, wanted[k], 6), "output %zu differs", k);
        CHECK(!strcmp(temper_spec_output_name(s, k), names[k]), "output %zu has another name", k);
    }
    CHECK(s && !temper_spec_output(s, 3) && !temper_spec_output_name(s, 3), "a fourth output");
    temper_model *m;
    CHECK(s && temper_build(&m, temper_spec_output(s, 0), NULL, &e) == TEMPER_RANGE, "a view was built");
    int accept;
    CHECK(s && temper_spec_eval(&accept, NULL, s, word, 6, &e) == TEMPER_UNSUPPORTED, "a transducer has a verdict");
    temper_spec_free(s);
}

/* A line `emit letter = ...` against the lines that it stands for, which are made by putting each letter in the place
   of '%'. A letter of a condition stays the word. */
static void put_pattern(char *out, const char *pattern, const char *letter) {
    out += strlen(out);
    for (; *pattern; pattern++)
        out += sprintf(out, *pattern == '%' ? "%s" : "%.1s", *pattern == '%' ? letter : pattern);
}

static void check_each_letter(void) {
    static const char *const operands[] = {"%",
                                           "Y %",
                                           "% @ #>[true]",
                                           "#[%] > #[a]",
                                           "rightmost[j<i, Y letter is letter] %",
                                           "rightmost[j<=i, a] Y %",
                                           "(a S %)",
                                           "has"},
                             *const joins[] = {" & ", " | ", " S ", " -> "}, *const letters[] = {"a", "'|'", "c"};
    test_random r = test_seed(7);
    for (size_t round = 0; round < 200; round++) {
        char pattern[300] = "", brief[600] = "", full[2000] = "";
        const char *head = "alphabet a '|' c\ntransduce\nhas = O a\n";
        for (size_t k = 0, parts = 1 + random_below(&r, 4); k < parts; k++) {
            if (k) strcat(pattern, joins[random_below(&r, 4)]);
            strcat(pattern, k ? operands[random_below(&r, 8)] : operands[random_below(&r, 7)]);
        }
        if (!strchr(pattern, '%')) continue;
        strcat(strcpy(full, head), "emit x = has\n");
        strcat(strcpy(brief, full), "emit letter = ");
        put_pattern(brief, pattern, "letter");
        for (size_t k = 0; k < 3; k++) {
            strcat(strcat(strcat(full, "emit "), letters[k]), " = ");
            put_pattern(full, pattern, letters[k]);
            strcat(full, "\n");
        }
        strcat(strcat(brief, "\n"), "emit nothing otherwise\n");
        strcat(full, "emit nothing otherwise\n");
        temper_error e, f;
        temper_spec *x = parse(brief, TEMPER_SYNTAX_SPEC, &e), *y = parse(full, TEMPER_SYNTAX_SPEC, &f);
        char *left = NULL, *right = NULL;
        CHECK(!x == !y, "one of these is refused:\n%s%s\n%s%s", brief, x ? "" : e.text, full, y ? "" : f.text);
        if (x && y && CHECK(!temper_spec_print(&left, x, &e) && !temper_spec_print(&right, y, &e), "%s", e.text))
            CHECK(!strcmp(left, right), "these differ:\n%s\n%s\n%s", brief, left, right);
        temper_free(left);
        temper_free(right);
        temper_spec_free(x);
        temper_spec_free(y);
    }
}

/* Where the word letter meant something before, it means that still. */
static void check_letter_as_word(void) {
    static const char *const texts[] = {
        "alphabet a b\ntransduce\nemit letter = a\nemit x otherwise",
        "alphabet a b\ntransduce\nletter = Y a\nemit letter = letter\nemit x otherwise",
        "tokens yes\nalphabet letter b\ntransduce\nemit letter = letter\nemit x otherwise",
        "tokens yes\ntransduce\nemit letter = letter | b\nemit x otherwise",
        "alphabet a b\ntransduce\nemit letter = rightmost[j<i, letter is letter] a\nemit x otherwise"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        temper_error e;
        temper_spec *s = parse(texts[k], TEMPER_SYNTAX_SPEC, &e);
        CHECK(s && temper_spec_about(s).outputs == 2 && !strcmp(temper_spec_output_name(s, 0), "letter"),
              "text %zu has outputs for letters: %s", k, s ? "" : e.text);
        temper_spec_free(s);
    }
    char *text = malloc(400000);
    if (!text) return;
    strcpy(text, "tokens yes\nalphabet");
    char *at = text + strlen(text);
    for (unsigned k = 0; k < 4000; k++) at += sprintf(at, " t%u", k);
    at += sprintf(at, "\ntransduce\nemit letter = letter");
    for (unsigned k = 0; k < 2000; k++) at += sprintf(at, " | Y t%u", k);
    temper_error e;
    temper_spec *s = parse(text, TEMPER_SYNTAX_SPEC, &e);
    CHECK(!s && strstr(e.text, "bytes for each of 4000 letters"), "a long line for each of many letters: %s",
          s ? "taken" : e.text);
    temper_spec_free(s);
    free(text);
}

static size_t count_of(const char *text, const char *what) {
    size_t count = 0;
    for (; (text = strstr(text, what)); text += strlen(what)) count++;
    return count;
}

/* The picture has a dark cell for each position where an output holds, and none more; and what is written. */
static void check_picture(const char *spec, unsigned seed, bool next) {
    temper_error e;
    temper_spec *s = parse(spec, TEMPER_SYNTAX_SPEC, &e);
    temper_model *m = NULL;
    temper_run *run = NULL;
    char *picture = NULL;
    uint32_t word[40];
    test_random r = {seed};
    size_t n = random_below(&r, 41), holds = 0;
    for (size_t k = 0; k < n; k++) word[k] = (uint32_t)random_below(&r, 2);
    temper_run_options o = {.capture = 1, .unchecked = 1};
    if (!CHECK(s && !temper_build(&m, s, NULL, &e) && !temper_model_run(&run, m, word, n, &o, &e) &&
                   !temper_draw_svg(&picture, m, run, word, NULL, &e),
               "'%s', %zu letters: %s", spec, n, e.text))
        return;
    for (size_t k = 0; k < temper_model_about(m).outputs; k++)
        for (size_t i = next ? 0 : 1; i <= n; i++) holds += temper_run_output(run, k)[i];
    CHECK(count_of(picture, ": holds</title>") == holds && count_of(picture, "#1c1c5c\"") >= holds,
          "'%s', %zu letters: %zu cells are dark, not %zu", spec, n, count_of(picture, ": holds</title>"), holds);
    CHECK(count_of(picture, "<title>output ") == temper_model_about(m).outputs, "'%s': rows of outputs are missing",
          spec);
    char *text;
    size_t length;
    if (!next && CHECK(!temper_run_write(&text, &length, run, m, &e), "%s", e.text)) {
        char line[100];
        snprintf(line, sizeof line, ">writes %s<", text);
        CHECK(strstr(picture, line), "'%s', %zu letters: the picture does not say '%s'", spec, n, line);
        temper_free(text);
    }
    temper_free(picture);
    temper_run_free(run);
    temper_model_free(m);
    temper_spec_free(s);
}

static void check_pictures(void) {
    for (unsigned k = 0; k < 4; k++) {
        check_picture("alphabet a b\ntransduce\nemit x = a & Y O b\nemit nothing = b\nemit z otherwise", k, false);
        check_picture("alphabet a b\ntransduce\nemit x = a\nemit y otherwise", 10 + k, false); /* no heads */
        check_picture("alphabet a b\ntransduce\nemit x = X a\nemit y otherwise", 20 + k, false);
        check_picture("next\nregex (ab|ba)*", 30 + k, true);
    }
}

int main(void) {
    check_each_letter();
    check_letter_as_word();
    check_pictures();
    check_old_texts();
    check_new_texts();
    check_views();
    return test_finish("t-outputs");
}
