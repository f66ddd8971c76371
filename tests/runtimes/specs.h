/* The specifications of make test-ordinary: every causal operator alone and nested, counts, remainders, regular
   expressions, brackets, tasks with known answers, transducers, C-RASP and B-RASP, letters beyond ASCII, and words as
   letters. */
#ifndef TESTS_ORDINARY_SPECS_H
#define TESTS_ORDINARY_SPECS_H

#include <stdbool.h>

#include "temper.h"

/* Also tried at 1,024 letters and more; as far as counts go in an f16 cache. */
typedef enum ordinary_group { ORDINARY_ANY, ORDINARY_FAR, ORDINARY_COUNTS } ordinary_group;

typedef struct ordinary_spec {
    const char *name, *text;
    const char *alphabet; /* NULL: as the text says */
    temper_syntax syntax;
    int tokens;
    ordinary_group group;
} ordinary_spec;

#define F(name, text, alphabet)                                                                                      \
    { name, text, alphabet, TEMPER_SYNTAX_SPEC, 0, ORDINARY_ANY }
#define FAR(name, text, alphabet)                                                                                    \
    { name, text, alphabet, TEMPER_SYNTAX_SPEC, 0, ORDINARY_FAR }
#define COUNTS(name, text, alphabet)                                                                                 \
    { name, text, alphabet, TEMPER_SYNTAX_SPEC, 0, ORDINARY_COUNTS }
#define R(name, text, alphabet)                                                                                      \
    { name, text, alphabet, TEMPER_SYNTAX_REGEX, 0, ORDINARY_ANY }

static const ordinary_spec ordinary_specs[] = {
    /* operators alone */
    F("letter", "a", "abc"),
    F("not", "!a", "abc"),
    F("true", "true", "ab"),
    F("false", "false", "ab"),
    F("first", "first", "ab"),
    FAR("yesterday", "Y a", "ab"),
    F("weak-yesterday", "Z a", "ab"),
    F("once", "O a", "ab"),
    F("historically", "H a", "ab"),
    FAR("since", "a S b", "abc"),
    FAR("trigger", "a T b", "abc"),
    F("xor", "a ^ Y b", "abc"),
    F("iff", "O a <-> Y b", "abc"),
    /* nested */
    FAR("once-before", "H(b -> O a)", "abc"),
    FAR("since-yesterday", "H(c -> Y (a S b))", "abc"),
    FAR("yesterday-since", "(Y a) S (b & Y c)", "abc"),
    FAR("twice", "O(a & Y O a)", "ab"),
    F("thrice", "O(a & Y O(a & Y O a))", "ab"),
    F("yesterday-yesterday", "Y Y a", "ab"),
    F("four-ago", "Y Y Y Y a", "ab"),
    F("alternate", "H(a -> Z b) & H(b -> Z a)", "ab"),
    F("since-since", "(a S b) S (b S c)", "abc"),
    F("historically-since", "H(a -> (b S c))", "abc"),
    F("boolean-nest", "(O a & !Y b) | (H !c -> (a S b))", "abc"),
    FAR("first-letter", "O(first & a)", "abc"),
    FAR("handshake", "H(b -> Y(!b S a)) & H(a -> Z(!a S b | H !a))", "abc"),
    F("mutual", "H(a -> Z((!a) S b) | Z H !a)", "abc"),
    /* counts */
    COUNTS("majority", "#[a] >= #[b]", "ab"),
    F("minority", "#[a] < #[b]", "ab"),
    F("equal", "#[a] = #[b]", "abc"),
    F("ratio", "2 * #[a] >= 3 * #[b] + 1", "abc"),
    F("three-way", "#[a] + #[b] >= 2 * #[c]", "abc"),
    F("count-of-formula", "#[a & Y b] >= #[c]", "abc"),
    F("at-least-four", "#[a] >= 4", "ab"),
    F("exactly-three", "#[a] = 3", "ab"),
    COUNTS("prefix-majority", "H(#[a] >= #[b])", "ab"),
    COUNTS("dyck-1", "H(#[a] >= #[b]) & #[a] = #[b]", "ab"),
    F("count-in-since", "(#[a] >= #[b]) S c", "abc"),
    F("nested-count", "#[#[a] >= #[b]] >= #[c]", "abc"),
    /* remainders */
    F("even", "#[a] % 2 = 0", "ab"),
    F("third", "#[a] % 3 = 1", "ab"),
    F("parities", "#[a] % 2 = 0 & #[b] % 3 = 0", "ab"),
    F("length-even", "#[true] % 2 = 0", "ab"),
    /* regular expressions */
    R("ab-star", "(ab)*", "ab"),
    R("ends-abb", "(a|b)*abb", "ab"),
    R("even-regex", "(b*ab*a)*b*", "ab"),
    R("no-aa", "(b|ab)*a?", "ab"),
    R("a-plus-b-plus", "a+b+", "ab"),
    R("triples", "(aaa)*", "a"),
    R("between", "a(b|c)*a", "abc"),
    R("words-regex", "(ab|cd)*", "abcd"),
    R("one-of", "ab|ba|abc", "abc"),
    R("fourth-from-end", "(a|b)*a(a|b)(a|b)(a|b)", "ab"),
    R("mod-four", "((a|b)(a|b)(a|b)(a|b))*", "ab"),
    R("comment", "/(a|b)*/", "ab/"),
    R("shuffle", "(ab|ba|cc)*", "abc"),
    R("sorted", "a*b*c*", "abc"),
    R("dyck-2-deep", "(a(ab)*b)*", "ab"),
    /* other languages for specifications */
    {"crasp-majority", "A = # \"a\"\nB = # \"b\"\nA > B\n", "ab", TEMPER_SYNTAX_CRASP, 0, ORDINARY_ANY},
    {"crasp-min", "A = # \"a\"\nB = # \"b\"\nY = min(A, B) >= 1\n", "abc", TEMPER_SYNTAX_CRASP, 0, ORDINARY_ANY},
    {"brasp-yesterday", "P(i) := rightmost [j<i, 1] Q_a(j) : 0\n", "ab", TEMPER_SYNTAX_BRASP, 0, ORDINARY_ANY},
    {"brasp-since", "P(i) := rightmost [j<=i, Q_b(j) | !Q_a(j)] Q_b(j) : 0\n", "abc", TEMPER_SYNTAX_BRASP, 0,
     ORDINARY_FAR},
    {"dfa", "alphabet [a-c]\nstart q0\naccept q1\nq0 [ac] q0\nq0 b q1\nq1 [ab] q1\nq1 c q0\n", NULL,
     TEMPER_SYNTAX_DFA, 0, ORDINARY_ANY},
    {"dfa-mod", "alphabet a b\nstart q0\naccept q0 q2\nq0 a q1\nq1 a q2\nq2 a q0\nq0 b q0\nq1 b q2\nq2 b q1\n", NULL,
     TEMPER_SYNTAX_DFA, 0, ORDINARY_ANY},
    /* what can be completed, by a line of its own; probabilities */
    F("viable-dyck", "next\nempty accept\nok = H (#[a] >= #[b])\nviable ok\nok & #[a] <= #[b]\n", "ab"),
    F("viable-blocks", "next\nviable H(b -> H[ab]) & H(a -> H a)\nH(b -> H[ab]) & H(a -> H a) & b\n", "ab"),
    F("weighed", "next\nprobabilities {\nafter start a 3\nafter a b 1/2\nafter b end 2\n}\nregex (a(ab)*b)*\n", "ab"),
    F("uniform", "next\nprobabilities uniform\nH(b -> Y a)\n", "abc"),
    /* transducers, with texts of several characters and of none */
    F("add", "transduce\nemit '1' = [bc] ^ Y([bc] S d)\nemit '0' otherwise\n", "abcd"),
    F("texts", "transduce\nemit '10' = '1' & Y '0'\nemit nothing = '0' & first\nemit 'x' otherwise\n", "01"),
    F("most", "transduce\nemit 'a' = #[a] > #[b]\nemit 'b' = #[b] > #[a]\nemit '=' otherwise\n", "ab"),
    F("echo", "transduce\nemit a = Y a\nemit b = Y b\nemit '-' otherwise\n", "ab"),
    /* patterns of Dwyer, Avrunin and Corbett */
    F("absence-between", "H (r -> Z !(!r S (p & !r & (!r S (q & !r)))))", "pqrx"),
    F("response", "!(!s S (p & !s))", "psx"),
    F("bounded", "!O (p & Z !p & Y O (p & Z !p & Y O (p & Z !p)))", "px"),
    FAR("chain", "H (p -> O (t & Y O s))", "pstx"),
    /* letters */
    F("greek", "H('\xce\xb2' -> O '\xce\xb1')", "\xce\xb1\xce\xb2\xce\xb3"),
    F("emoji", "H('\xf0\x9f\x8d\x8e' -> Y '\xf0\x9f\x8d\x8f')", "\xf0\x9f\x8d\x8e\xf0\x9f\x8d\x8f\xe6\xbc\xa2"),
    {"words", "H('ack' -> Y ('req' | O 'req'))", "req ack idle", TEMPER_SYNTAX_SPEC, 1, ORDINARY_ANY},
    {"word-parts", "H('aa' -> O 'a') & !'aab'", "a aa aab b", TEMPER_SYNTAX_SPEC, 1, ORDINARY_ANY},
    /* from the right */
    F("ahead-counts", "#>[a] >= #>[b]", "ab"),
    F("ahead-always", "G(#>[a] >= #>[b])", "ab"),
};

enum { ORDINARY_SPECS = sizeof ordinary_specs / sizeof *ordinary_specs };

#undef F
#undef FAR
#undef COUNTS
#undef R

#endif
