/* The specification syntax: aliases and precedence (two spellings, one graph), settings, depth, failing memory, and
   random token soup, whose accepted texts must print and parse back to the same text. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "temper.h"

static temper_spec *parse_with(const char *source, const temper_spec_options *o) {
    temper_spec *s;
    temper_error e;
    temper_status status = temper_spec_parse(&s, source, strlen(source), o, &e);
    CHECK(status == TEMPER_OK, "%.200s\n%zu:%zu: %s (%s)", source, e.line, e.column, e.text, e.hint);
    return s;
}

static char *print(const temper_spec *s) {
    char *printed = NULL;
    temper_error e;
    if (s) CHECK(temper_spec_print(&printed, s, &e) == TEMPER_OK, "print: %s", e.text);
    return printed;
}

/* Both texts give the same graph: they print alike. */
static void check_same(const char *x, const char *y, const temper_spec_options *o) {
    temper_spec *s = parse_with(x, o), *t = parse_with(y, o);
    char *left = print(s), *right = print(t);
    CHECK(left && right && !strcmp(left, right), "%s\n%s\n%s%s", x, y, left ? left : "", right ? right : "");
    CHECK(s && t && temper_spec_about(s).nodes == temper_spec_about(t).nodes, "%s: another number of nodes", x);
    temper_spec *again = left ? parse_with(left, NULL) : NULL;
    char *third = print(again);
    CHECK(left && third && !strcmp(left, third), "does not print back:\n%s%s", left ? left : "", third ? third : "");
    temper_free(left);
    temper_free(right);
    temper_free(third);
    temper_spec_free(s);
    temper_spec_free(t);
    temper_spec_free(again);
}

static const char *const aliases[][2] = {{"!a", "~a"},
                                         {"!a", "¬a"},
                                         {"a & b", "a && b"},
                                         {"a & b", "a ∧ b"},
                                         {"a | b", "a || b"},
                                         {"a | b", "a ∨ b"},
                                         {"a ^ b", "a xor b"},
                                         {"a ^ b", "a ⊕ b"},
                                         {"a -> b", "a => b"},
                                         {"a -> b", "a → b"},
                                         {"a <-> b", "a <=> b"},
                                         {"a <-> b", "a ↔ b"},
                                         {"a & true", "a & ⊤"},
                                         {"a & false", "a & ⊥"},
                                         {"a & first", "a & start"},
                                         {"X a", "X[!] a"},
                                         {"X a", "○ a"},
                                         {"X a", "○a"},
                                         {"wX a", "WX a"},
                                         {"F a", "<> a"},
                                         {"F a", "◇a"},
                                         {"G a", "[] a"},
                                         {"G a", "[]a"},
                                         {"G a", "□ a"},
                                         {"a R b", "a V b"},
                                         {"Y a", "● a"},
                                         {"Z a", "wY a"},
                                         {"Z a", "WY a"},
                                         {"O a", "◆ a"},
                                         {"H a", "■ a"},
                                         {"#[a] > 0", "←#[a] > 0"},
                                         {"#>[a] > 0", "→#[a] > 0"},
                                         {"#[a] = 1", "#[a] == 1"},
                                         {"#[a] >= 1", "#[a] ≥ 1"},
                                         {"#[a] != 1", "#[a] ≠ 1"},
                                         {"#[a] <= 1", "#[a] ≤ 1"},
                                         {"G F a", "GF a"},
                                         {"X X X a", "XXX a"},
                                         {"wX wX a", "WXWX a"},
                                         {"wX X a", "wXX a"},
                                         {"a & b", "a&b"},
                                         {"a", "'a'"},
                                         {"a", "\"a\""},
                                         {"'\\''", "\"'\""},
                                         {"'\\x41'", "'A'"},
                                         {"'\\u{e9}'", "'é'"},
                                         {"[abc]", "[a-c]"},
                                         {"['-]", "['\\-]"},
                                         {"[-a]", "[\\x2Da]"},
                                         {"[a-]", "[a\\-]"},
                                         {"a & b -- c", "a & b"},
                                         {"a // b", "a"},
                                         {"a\r\n", "a"},
                                         {"\xEF\xBB\xBF"
                                          "a",
                                          "a"},
                                         {"(a\n& b)", "a & b"},
                                         {"#[a\n] > 0 -- x\n\n", "#[a] > 0"},
                                         {"# [a] > 0", "#[a] > 0"},
                                         {"x = a & b\nX x", "X (a & b)"},
                                         {"n = 2*#[a] - 1\nn = 3", "2*#[a] - 1 = 3"},
                                         {"r = #[a] % 3\nr = 1", "#[a] % 3 = 1"},
                                         {"n = #[a]\n2*n + n > n - 1", "2*#[a] > -1"},
                                         {"a →#[b] > 0", "a -> #[b] > 0"}};

static const char *const precedence[][2] = {{"!a & b", "(!a) & b"},
                                            {"!a U b", "(!a) U b"},
                                            {"X a U b", "(X a) U b"},
                                            {"a U X b", "a U (X b)"},
                                            {"a U b U c", "a U (b U c)"},
                                            {"a S b S c", "a S (b S c)"},
                                            {"a U b R c", "a U (b R c)"},
                                            {"a S b T c", "a S (b T c)"},
                                            {"a W b M c", "a W (b M c)"},
                                            {"a U b & c", "(a U b) & c"},
                                            {"a & b U c", "a & (b U c)"},
                                            {"a & b ^ c", "(a & b) ^ c"},
                                            {"a ^ b ^ c", "(a ^ b) ^ c"},
                                            {"a ^ b | c", "(a ^ b) | c"},
                                            {"a | b & c", "a | (b & c)"},
                                            {"a | b -> c", "(a | b) -> c"},
                                            {"a -> b -> c", "a -> (b -> c)"},
                                            {"a | b <-> c", "(a | b) <-> c"},
                                            {"G a -> F b", "(G a) -> (F b)"},
                                            {"!#[a] = 1", "!(#[a] = 1)"},
                                            {"X #[a] = 1", "X (#[a] = 1)"},
                                            {"#[a] = 1 U b", "(#[a] = 1) U b"},
                                            {"#[a] = 1 & b", "(#[a] = 1) & b"},
                                            {"2*#[a] + #[b] > 0", "(2*#[a]) + #[b] > 0"},
                                            {"#[a] - #[b] - 1 > 0", "(#[a] - #[b]) - 1 > 0"},
                                            {"#[a] + #[b] * 3 > 0", "#[a] + (#[b] * 3) > 0"},
                                            {"2*#[a] % 3 = 1", "(2*#[a]) % 3 = 1"},
                                            {"-#[a] % 3 = 1", "(-#[a]) % 3 = 1"},
                                            {"-2*#[a] > 0", "(-2)*#[a] > 0"},
                                            {"1 = #[a] % 3", "#[a] % 3 = 1"},
                                            {"1 < #[a] % 3", "#[a] % 3 > 1"},
                                            {"3 > 2 & a", "true & a"},
                                            {"5 % 3 = 2 & a", "true & a"},
                                            {"(0 - 5) % 3 = 1 & a", "true & a"},
                                            {"F a W X b", "(F a) W (X b)"},
                                            {"(a W WX b)", "a W (wX b)"},
                                            {"a WWX b", "a W (wX b)"}};

static void test_spellings(void) {
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++)
        check_same(aliases[k][0], aliases[k][1], &(temper_spec_options){.at = TEMPER_AT_LAST});
    for (size_t k = 0; k < sizeof precedence / sizeof *precedence; k++)
        check_same(precedence[k][0], precedence[k][1], &(temper_spec_options){.at = TEMPER_AT_FIRST});
    temper_spec_options tokens = {.tokens = 1};
    check_same("G (req -> F ack)", "tokens yes\nG (\"req\" -> F 'ack')", &tokens);
    check_same("F [req 'x]' \"a\\\"b\"]", "F [req \"x]\" a\\\"b]", &tokens);
}

/* One node for a chain, nested nodes for parentheses. */
static void test_sharing(void) {
    static const struct {
        const char *text;
        size_t nodes;
    } cases[] = {{"a", 1},
                 {"a & b & c", 4},
                 {"(a & b) & c", 5},
                 {"a | b | c | a", 4},
                 {"X a & X a", 3},
                 {"x = a\nx & a", 2},
                 {"#[a] + #[a] = 2*#[a] & b", 3},
                 {"#[a] = 1 & #[a] = 2", 5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_spec *s = parse_with(cases[k].text, NULL);
        if (!s) continue;
        CHECK(temper_spec_about(s).nodes == cases[k].nodes, "%s: %zu nodes", cases[k].text,
              temper_spec_about(s).nodes);
        temper_spec_free(s);
    }
}

static void check_settings(const char *source, const temper_spec_options *o, const char *letters, temper_at at,
                           bool empty) {
    temper_spec *s = parse_with(source, o);
    if (!s) return;
    char got[64] = "";
    for (size_t k = 0; k < temper_spec_about(s).letters; k++) {
        if (k) strcat(got, " ");
        strcat(got, temper_spec_letter(s, k));
    }
    CHECK(!strcmp(got, letters), "%s: letters %s, expected %s", source, got, letters);
    CHECK(temper_spec_about(s).at == at && temper_spec_about(s).accepts_empty == empty, "%s: at or empty", source);
    temper_spec_free(s);
}

static void test_settings(void) {
    temper_at first = TEMPER_AT_FIRST, last = TEMPER_AT_LAST;
    check_settings("b & a", NULL, "b a", last, false);
    check_settings("X a", NULL, "a", first, false);
    check_settings("Y a", NULL, "a", last, false);
    check_settings("a & last", NULL, "a", first, false);
    check_settings("a & first", NULL, "a", last, false);
    check_settings("#>[a] > 0", NULL, "a", first, false);
    check_settings("x = Y a\ny = F b\ny", NULL, "a b", first,
                   false); /* an unused definition does not look anywhere */
    check_settings("alphabet c a b\nat last\nempty accept\nF a", NULL, "c a b", last, true);
    check_settings("-- one\n\nalphabet ( ) -- two\n// three\n#['('] = 0", NULL, "( )", last, false);
    check_settings("alphabet - / = ' ' \"'\"\na = '-'\na", NULL, "- / =   '", last, false);
    check_settings("alphabet a b\nat last\nempty accept\nF a",
                   &(temper_spec_options){.alphabet = "za", .at = first, .empty = TEMPER_EMPTY_REJECT}, "z a", first,
                   false);
    check_settings("tokens yes\nreq", &(temper_spec_options){.alphabet = "ack req ab"}, "ack req ab", last, false);
    check_settings("tokens yes\nalphabet req ( a.b\n[^req]", NULL, "req ( a.b", last, false);
    check_settings("low = #['('] < #[')']\n#['('] = #[')'] & #[low] = 0", NULL, "( )", last, false);
}

/* ---- depth and length ---------------------------------------------------------------------------------------- */

static char *repeat(const char *before, const char *middle, const char *after, size_t times) {
    size_t b = strlen(before), m = strlen(middle), a = strlen(after);
    char *out = malloc((a + b) * times + m + 1), *at = out;
    for (size_t k = 0; k < times; k++, at += b) memcpy(at, before, b);
    memcpy(at, middle, m);
    at += m;
    for (size_t k = 0; k < times; k++, at += a) memcpy(at, after, a);
    *at = 0;
    return out;
}

/* Accepts the word `yes` and rejects `no`, which may be NULL. */
static void check_long(const char *before, const char *middle, const char *after, size_t times, size_t nodes,
                       const char *yes, const char *no) {
    char *source = repeat(before, middle, after, times);
    temper_spec *s = parse_with(source, &(temper_spec_options){.alphabet = "ab"});
    free(source);
    if (!s) return;
    CHECK(temper_spec_about(s).nodes == nodes, "%s x %zu: %zu nodes", before, times, temper_spec_about(s).nodes);
    const char *words[2] = {no, yes};
    for (int k = 0; k < 2; k++) {
        if (!words[k]) continue;
        uint32_t *letters;
        size_t n;
        int accept = -1;
        temper_error e;
        CHECK(!temper_spec_encode(&letters, &n, s, words[k], strlen(words[k]), &e), "%s", e.text);
        CHECK(!temper_spec_eval(&accept, NULL, s, letters, n, &e), "%s", e.text);
        CHECK(accept == k, "%s x %zu on %s: %d", before, times, words[k], accept);
        temper_free(letters);
    }
    temper_spec_free(s);
}

static void test_depth(void) {
    size_t n = test_effort() < 1 ? 100000 : 1000000;
    check_long("!", "a", "", n, n + 1, "a", "b");
    check_long("(", "a", ")", n, 1, "a", "b");
    check_long("X ", "a", "", n / 10, n / 10 + 1, NULL, "a");
    check_long("WX", " a", "", n / 10, n / 10 + 1, "b", NULL);
    check_long("a U (", "b", ")", n / 10, n / 10 + 2, "ab", "aa");
    check_long("a -> ", "b", "", n / 10, n / 10 + 2, "b", "a");
    check_long("a & ", "a", "", n / 4, 2, "a", "b");
    check_long("#[", "a", "] > 0", n / 10, n / 5 + 1, "a", "b");
    check_long("-(", "#[a] + 0", ") > -1", 1, 3, "b", "a");
}

/* A sum of many different counts, each twice, and a chain of many conjuncts. */
static void test_length(void) {
    size_t terms = 10000, size = 64 * terms;
    char *source = malloc(size);
    size_t at = 0;
    for (size_t k = 0; k < terms; k++)
        at += (size_t)snprintf(source + at, size - at, "%s#[#[a] > %zu]", k ? " + " : "", k % (terms / 2));
    snprintf(source + at, size - at, " = 0");
    temper_spec *s = parse_with(source, NULL);
    /* the sum, its counts, what they count, #[a], a */
    CHECK(s && temper_spec_about(s).nodes == terms + 3, "%zu terms", terms);
    temper_spec_free(s);
    free(source);
    temper_error e; /* refused before a byte of it is read */
    CHECK(temper_spec_parse(&s, "a", ((size_t)256 << 20) + 1, NULL, &e) == TEMPER_LIMIT && !s, "%s", e.text);
}

/* ---- failing memory ------------------------------------------------------------------------------------------- */

static void test_memory(void) {
    static const char *const texts[] = {"alphabet ( )\nlow = #['('] < #[')']\n#['('] = #[')'] & #[low] = 0",
                                        "a U (b S 'c') & [^a-z] | X[!] \"\\u{e9}\"",
                                        "x = 2*#[a] - #[b]\nr = (x + 1) % 5\nr = 2 -> x >= -3",
                                        "a & abc",
                                        "a U b S c",
                                        "(a & 'b"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        temper_status wanted, status = TEMPER_NO_MEMORY;
        temper_spec *s;
        temper_error e;
        temper_spec_options o = {.at = TEMPER_AT_LAST};
        wanted = temper_spec_parse(&s, texts[k], strlen(texts[k]), &o, &e);
        temper_spec_free(s);
        for (unsigned long fail = 1; status == TEMPER_NO_MEMORY && fail < 1000; fail++) {
            arena_fail_after(fail);
            status = temper_spec_parse(&s, texts[k], strlen(texts[k]), &o, &e);
            arena_fail_after(0);
            CHECK(status == e.code && (status == TEMPER_NO_MEMORY || status == wanted) && !s == (status != TEMPER_OK),
                  "%s: allocation %lu: %s", texts[k], fail, e.text);
            temper_spec_free(s);
        }
        CHECK(status == wanted, "%s: never succeeds", texts[k]);
    }
}

/* ---- token soup ------------------------------------------------------------------------------------------------ */

static const char *const soup[] = {"a",
                                   "b",
                                   "c",
                                   "x",
                                   "x =",
                                   "y =",
                                   "y",
                                   "abc",
                                   "'a'",
                                   "'(",
                                   "\"tok\"",
                                   "[ab]",
                                   "[^a-c]",
                                   "[",
                                   "]",
                                   "(",
                                   ")",
                                   "((",
                                   "))",
                                   "!",
                                   "&",
                                   "&&",
                                   "|",
                                   "^",
                                   "->",
                                   "<->",
                                   "=>",
                                   "X",
                                   "wX",
                                   "WX",
                                   "F",
                                   "G",
                                   "U",
                                   "R",
                                   "W",
                                   "M",
                                   "Y",
                                   "Z",
                                   "O",
                                   "H",
                                   "S",
                                   "T",
                                   "V",
                                   "P",
                                   "Q",
                                   "GF",
                                   "X[!]",
                                   "[]",
                                   "<>",
                                   "#[",
                                   "#>[",
                                   "←#[",
                                   "→#[",
                                   "→",
                                   "#",
                                   "+",
                                   "-",
                                   "--",
                                   "//",
                                   "*",
                                   "%",
                                   "=",
                                   "==",
                                   "!=",
                                   "<",
                                   "<=",
                                   ">",
                                   ">=",
                                   "0",
                                   "1",
                                   "2",
                                   "3",
                                   "9223372036854775807",
                                   "99999999999999999999",
                                   "true",
                                   "false",
                                   "first",
                                   "last",
                                   "start",
                                   "xor",
                                   "\n",
                                   "\n",
                                   "\n\n",
                                   "\t",
                                   "alphabet a b c\n",
                                   "at first\n",
                                   "at last\n",
                                   "tokens yes\n",
                                   "empty accept\n",
                                   "alphabet",
                                   ":=",
                                   "?",
                                   ":",
                                   ",",
                                   "é",
                                   "∧",
                                   "□",
                                   "\\",
                                   "\r\n",
                                   "\xFF",
                                   ";",
                                   "#[a]",
                                   "#[b] % 2",
                                   "(a)",
                                   "#[a] > 0",
                                   "#>[b] = #>[a]",
                                   "X a",
                                   "a U b",
                                   "a S b",
                                   "@",
                                   "rightmost[j<i, ",
                                   "leftmost[1, ",
                                   "is",
                                   "letter",
                                   "alphabet a b c\ntransduce\n",
                                   "emit",
                                   "\nemit x = ",
                                   "\nemit letter = ",
                                   "otherwise"};

/* Half of the soup is thrown together, half grows from a grammar with a slip now and then, so that much is
   accepted. */
static size_t cook(char *out, size_t size, test_random *r) {
    static const char *const unary[] = {
        "!", "X ", "wX ", "F ", "G ", "Y ", "Z ", "O ", "H ", "GF ", "(", "#[", "rightmost[j<i, Y a is b] "};
    static const char *const binary[] = {" & ", " | ", " ^ ", "->",  " & ", " | ", "<->",
                                         " U ", " R ", " S ", " T ", " W ", "+"};
    static const char *const atoms[] = {"a",
                                        "b",
                                        "[ab]",
                                        "'('",
                                        "true",
                                        "last",
                                        "first",
                                        "2*#[a] - 1 > #>[b]",
                                        "(#[a]-#[b])% 3 = 1",
                                        "#[a]",
                                        "(b @ #[a] - 1)"};
    size_t n = 0, words = 1 + random_below(r, 8);
    bool wild = random_below(r, 2);
    size_t depth = 0;
    char closers[64];
#define PUT(text) n += (size_t)snprintf(out + n, size - n, "%s", text)
    for (size_t k = 0; k < words; k++) {
        if (wild) {
            PUT(soup[random_below(r, sizeof soup / sizeof *soup)]);
            if (random_below(r, 2)) PUT(" ");
            continue;
        }
        if (k) PUT(binary[random_below(r, sizeof binary / sizeof *binary)]);
        while (random_below(r, 3) == 0 && depth < 60) {
            const char *u = unary[random_below(r, sizeof unary / sizeof *unary)];
            PUT(u);
            if (*u == '(' || *u == '#') closers[depth++] = *u == '(' ? ')' : ']';
        }
        PUT(atoms[random_below(r, sizeof atoms / sizeof *atoms)]);
        while (depth && random_below(r, 2)) PUT(closers[--depth] == ')' ? ")" : "] > 0");
        if (random_below(r, 60) == 0) PUT(soup[random_below(r, sizeof soup / sizeof *soup)]);
    }
    while (depth) PUT(closers[--depth] == ')' ? ")" : "] = 1");
#undef PUT
    return n;
}

static void test_soup(void) {
    test_random r = test_seed(20250);
    size_t rounds = (size_t)(10000 * test_effort()), accepted = 0;
    for (size_t k = 0; k < rounds; k++) {
        char source[2048];
        size_t length = cook(source, sizeof source, &r);
        temper_spec_options o = {.tokens = random_below(&r, 4) == 0, .at = TEMPER_AT_LAST};
        temper_spec *s;
        temper_error e;
        if (temper_spec_parse(&s, source, length, &o, &e)) {
            CHECK(!s && e.code != TEMPER_NO_MEMORY && *e.text, "%s: no message", source);
            continue;
        }
        accepted++;
        char *printed = print(s);
        temper_spec *again = parse_with(printed, NULL);
        char *twice = print(again);
        CHECK(twice && !strcmp(printed, twice), "%s\n%s%s", source, printed, twice ? twice : "");
        temper_free(printed);
        temper_free(twice);
        temper_spec_free(s);
        temper_spec_free(again);
    }
    CHECK(accepted * 20 > rounds, "only %zu of %zu accepted", accepted, rounds);
}

int main(void) {
    test_spellings();
    test_sharing();
    test_settings();
    test_depth();
    test_length();
    test_memory();
    test_soup();
    return test_finish("parse");
}
