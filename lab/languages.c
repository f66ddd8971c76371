/* The suite itself, and its oracles that are no automata. doc/languages.md lists it. */
#include "lab/languages.h"

#include <string.h>

const char *const language_class_names[CLASSES] = {"once",     "once + yesterday", "since",
                                                   "counting", "modular counting", "outside"};

/* ---- programs ---- */

static size_t count(const uint32_t *w, size_t n, uint32_t letter) {
    size_t c = 0;
    for (size_t i = 0; i < n; i++) c += w[i] == letter;
    return c;
}

static bool majority(const uint32_t *w, size_t n) { return 2 * count(w, n, 0) > n; }
static bool two_thirds(const uint32_t *w, size_t n) { return 3 * count(w, n, 0) >= 2 * n && n > 0; }
static bool half(const uint32_t *w, size_t n) { return 2 * count(w, n, 0) == n; }
static bool plurality(const uint32_t *w, size_t n) {
    size_t a = count(w, n, 0);
    return a > count(w, n, 1) && a > count(w, n, 2);
}
static bool all_equal(const uint32_t *w, size_t n) {
    size_t a = count(w, n, 0);
    return a == count(w, n, 1) && a == count(w, n, 2);
}
static bool ten(const uint32_t *w, size_t n) { return count(w, n, 0) >= 10; }
static bool five(const uint32_t *w, size_t n) { return count(w, n, 0) == 5; }
static bool window(const uint32_t *w, size_t n) {
    size_t a = count(w, n, 0), b = n - a;
    return a >= 2 * b && b >= 3;
}

/* k[0] times the first letter, k[1] times the second, ..., all times the same number */
static bool is_blocks(const uint32_t *w, size_t n, const size_t *k, size_t kinds) {
    size_t total = 0, at = 0;
    for (size_t d = 0; d < kinds; d++) total += k[d];
    if (total == 0 || n % total) return false;
    for (uint32_t d = 0; d < kinds; d++)
        for (size_t c = 0; c < k[d] * (n / total); c++)
            if (w[at++] != d) return false;
    return true;
}
static bool anbn(const uint32_t *w, size_t n) { return is_blocks(w, n, (size_t[]){1, 1}, 2); }
static bool anb2n(const uint32_t *w, size_t n) { return is_blocks(w, n, (size_t[]){1, 2}, 2); }
static bool anbncn(const uint32_t *w, size_t n) { return is_blocks(w, n, (size_t[]){1, 1, 1}, 3); }
static bool anbncndn(const uint32_t *w, size_t n) { return is_blocks(w, n, (size_t[]){1, 1, 1, 1}, 4); }
static bool ambn(const uint32_t *w, size_t n) { /* more a than b, a first */
    size_t a = 0;
    while (a < n && w[a] == 0) a++;
    return count(w + a, n - a, 1) == n - a && a > n - a;
}

/* A counter for each kind of bracket, none ever below 0, all 0 at the end. */
static bool counters(const uint32_t *w, size_t n) {
    size_t depth[3] = {0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        if (w[i] % 2 == 0)
            depth[w[i] / 2]++;
        else if (depth[w[i] / 2]-- == 0)
            return false;
    }
    return !depth[0] && !depth[1] && !depth[2];
}

/* What a stack of one kind above the other sees: a bracket closes the innermost open one. Two kinds take two bits of
   memory a level; here by matching backwards instead, with no memory but the string. */
static bool nested(const uint32_t *w, size_t n) {
    if (!counters(w, n)) return false;
    for (size_t i = 0; i < n; i++) {
        size_t depth = 0, j = i;
        if (w[i] % 2 == 0) continue;
        do depth += w[j] % 2 ? 1 : (size_t)-1;
        while (depth && j-- > 0);
        if (depth || w[j] + 1 != w[i]) return false;
    }
    return true;
}

static bool ballot(const uint32_t *w, size_t n) { /* a never behind */
    int64_t lead = 0;
    for (size_t i = 0; i < n; i++)
        if ((lead += w[i] == 0 ? 1 : -1) < 0) return false;
    return n > 0;
}
static bool lead_three(const uint32_t *w, size_t n) {
    int64_t lead = 0;
    for (size_t i = 0; i < n; i++)
        if ((lead += w[i] == 0 ? 1 : -1) >= 3) return true;
    return false;
}
static bool middle(const uint32_t *w, size_t n) { return n % 2 && w[n / 2] == 0; }
static bool crossing(const uint32_t *w, size_t n) { /* a position with as many a up to it as b from it on */
    size_t a = 0, b = count(w, n, 1);
    for (size_t i = 0; i < n; i++) {
        a += w[i] == 0;
        if (a == b) return true;
        b -= w[i] == 1;
    }
    return false;
}

static bool palindrome(const uint32_t *w, size_t n) {
    for (size_t i = 0; i < n / 2; i++)
        if (w[i] != w[n - 1 - i]) return false;
    return true;
}
static bool copy(const uint32_t *w, size_t n) {
    return n % 2 == 0 && (n == 0 || !memcmp(w, w + n / 2, n / 2 * sizeof *w));
}
static bool square(const uint32_t *w, size_t n) {
    size_t k = 0;
    (void)w;
    while (k * k < n) k++;
    return n > 0 && k * k == n;
}
static bool power(const uint32_t *w, size_t n) {
    (void)w;
    return n > 0 && (n & (n - 1)) == 0;
}
static bool prime(const uint32_t *w, size_t n) {
    (void)w;
    for (size_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return n >= 2;
}
static bool square_count(const uint32_t *w, size_t n) { return square(w, count(w, n, 0)); }

/* ---- the suite ---- */

#define O CLASS_ONCE
#define Y CLASS_YESTERDAY
#define S CLASS_SINCE
#define C CLASS_COUNTING
#define M CLASS_MODULAR
#define X CLASS_OUTSIDE
#define DFA(name, class_, letters, empty, about, formula, next, accept)                                              \
    { name, class_, letters, empty, about, formula, next, accept, NULL, MAKE_BLEND, NULL, NULL }
#define RUN(name, class_, letters, empty, about, formula, program, maker, blend)                                     \
    { name, class_, letters, empty, about, formula, NULL, NULL, program, maker, blend, NULL }
#define OUT(name, letters, empty, about, formula, program, maker, gallery)                                           \
    { name, X, letters, empty, about, formula, NULL, NULL, program, maker, NULL, gallery }
#define BALANCED(open, close) "#['" open "'] = #['" close "'] & H (#['" open "'] >= #['" close "'])"
#define DEPTH(d)                                                                                                     \
    BALANCED("(", ")")                                                                                               \
    " & H (#['('] <= #[')'] + " #d ")"

const language language_suite[] = {
    /* once: piecewise testable and near it (YO is a strict once) */
    DFA("contains-a", O, "ab", false, "an a", "O a", "10 11", "01"),
    DFA("no-a", O, "ab", true, "no a", "H !a", "10 11", "10"),
    DFA("a-and-b", O, "abc", false, "an a and a b", "O a & O b", "120 131 322 333", "0001"),
    DFA("not-a-and-b", O, "abc", true, "not both a and b", "!(O a & O b)", "120 131 322 333", "1110"),
    DFA("every-letter", O, "abcd", false, "all four letters", "O a & O b & O c & O d",
        "1248 1359 326a 337b 564c 575d 766e 777f 9ac8 9bd9 baea bbfb decc dfdd feee ffff", "0000000000000001"),
    DFA("subword-ab", O, "abc", false, "a ... b", "O (b & O a)", "100 121 222", "001"),
    DFA("subword-aba", O, "ab", false, "a ... b ... a", "O (a & O (b & O a))", "10 12 32 33", "0001"),
    DFA("subword-abcabc", O, "abc", false, "a ... b ... c ... a ... b ... c",
        "O (c & O (b & O (a & O (c & O (b & O a)))))", "100 121 223 433 454 556 666", "0000001"),
    DFA("subword-ab-not-ba", O, "abc", false, "a ... b but not b ... a", "O (b & O a) & !O (a & O b)",
        "120 131 422 433 444", "00010"),
    DFA("a-star-b-star", O, "ab", true, "no a after a b", "H (a -> H a)", "01 21 22", "110"),
    DFA("sorted", O, "abc", true, "letters in order", "H (a -> H a) & H (b -> H [ab])", "012 312 332 333", "1110"),
    DFA("b-after-a-only", O, "abc", true, "no b before the first a", "H (b -> O a)", "120 111 222", "110"),
    DFA("response", O, "ab", true, "after every a a b, at some time", "G (a -> F b)", "10 10", "10"),
    DFA("first-a", O, "ab", false, "begins with a", "O (first & a)", "12 11 22", "010"),
    DFA("last-a", O, "ab", false, "ends with a", "a", "10 10", "01"),
    DFA("first-is-last", O, "ab", false, "begins and ends with the same letter",
        "(a & O (first & a)) | (b & O (first & b))", "13 12 12 43 43", "01010"),
    DFA("two-a", O, "ab", false, "at least two a's", "O (a & YO a)", "10 21 22", "001"),
    DFA("one-a", O, "ab", false, "exactly one a", "O a & !O (a & YO a)", "10 21 22", "010"),
    DFA("four-a", O, "ab", false, "at least four a's", "O (a & YO (a & YO (a & YO a)))", "10 21 32 43 44", "00001"),
    DFA("tomita-1", O, "01", true, "1*", "H '1'", "10 11", "10"),
    DFA("tomita-7", O, "01", true, "0*1*0*1*", "!O ('0' & O ('1' & O ('0' & O '1')))", "01 21 23 43 44", "11110"),

    /* once and yesterday: locally testable, n-grams */
    DFA("contains-aa", Y, "ab", false, "aa, adjacent", "O (a & Y a)", "10 20 22", "001"),
    DFA("no-aa", Y, "ab", true, "no two a's adjacent", "!O (a & Y a)", "10 20 22", "110"),
    DFA("contains-aba", Y, "ab", false, "aba, adjacent", "O (a & Y (b & Y a))", "10 12 30 33", "0001"),
    DFA("no-abc", Y, "abc", true, "the trigram abc does not occur", "!O (c & Y (b & Y a))", "100 120 103 333",
        "1110"),
    DFA("bigrams-ab-bc", Y, "abc", false, "the bigrams ab and bc occur", "O (b & Y a) & O (c & Y b)",
        "120 150 126 453 453 459 786 7b6 786 ab9 ab9 ab9", "000000000111"),
    DFA("b-follows-a", Y, "abc", true, "only b stands after an a", "H (Y a -> b)", "100 202 222", "110"),
    DFA("a-next-b", Y, "ab", true, "right after every a a b", "G (a -> X b)", "10 20 22", "100"),
    DFA("alternating", Y, "ab", true, "no letter twice in a row", "H (a -> !Y a) & H (b -> !Y b)", "12 32 13 33",
        "1110"),
    DFA("ab-star", Y, "ab", true, "(ab)*", "H (a -> !Y a) & H (b -> Y a) & b", "12 20 22", "100"),
    DFA("abc-star", Y, "abc", true, "(abc)*", "H (a -> first | Y c) & H (b -> Y a) & H (c -> Y b) & c",
        "133 323 330 333", "1000"),
    DFA("second-a", Y, "ab", false, "the second letter is a", "O (a & Y first)", "11 23 22 33", "0010"),
    DFA("third-a", Y, "ab", false, "the third letter is a", "X X a", "11 22 34 33 44", "00010"),
    DFA("last-but-one-a", Y, "ab", false, "the last letter but one is a", "Y a", "10 32 10 32", "0011"),
    DFA("last-but-two-a", Y, "ab", false, "the last letter but two is a", "Y Y a", "10 32 54 76 10 32 54 76",
        "00001111"),
    DFA("ab-to-ba", Y, "ab", false, "begins with ab and ends with ba", "O (b & Y (a & first)) & a & Y b",
        "15 52 32 42 42 55", "000100"),
    DFA("tomita-2", Y, "01", true, "(10)*", "H ('1' -> !Y '1') & H ('0' -> Y '1') & '0'", "21 02 22", "100"),
    DFA("tomita-4", Y, "01", true, "no 000", "!O ('0' & Y ('0' & Y '0'))", "10 20 30 33", "1110"),
    DFA("dyck-1-depth-1", Y, "()", true, "balanced, at most 1 deep", "H ('(' -> !Y '(') & H (')' -> Y '(') & ')'",
        "12 20 22", "100"),

    /* since: the star-free rest */
    DFA("since", S, "abc", false, "the last letter that is not a is b", "a S b", "010 110", "01"),
    DFA("until", S, "abc", false, "a's, then a b", "a U b", "012 111 222", "010"),
    DFA("weak-until", S, "abc", true, "b's for ever, or b's and then a c", "b W c", "201 111 222", "110"),
    DFA("latch", S, "abc", false, "the last letter that is not c is a", "!b S a", "100 101", "01"),
    DFA("b-between-a", S, "abc", true, "between two a's there is a b", "H (a -> !Y (!b S a))", "100 201 222", "110"),
    DFA("lock", S, "abc", true, "no b between an a and the next c", "H (b -> !(!c S a))", "100 120 222", "110"),
    DFA("mutual-exclusion", S, "abcd", true, "a and b enter and leave, c and d too, never both inside",
        "busy = !b S a\ntaken = !d S c\n"
        "H (a | c -> !Y busy & !Y taken) & H (b -> Y busy) & H (d -> Y taken)",
        "1323 3033 3330 3333", "1110"),
    DFA("flip-flop", S, "wri01", true, "orders and bits in turn, first w; a bit after r is the last one after a w",
        "bit = '0' | '1'\nwrote = bit & Y w\nmemory = !wrote S ('1' & Y w)\n"
        "H (bit -> Y !bit) & H (!bit -> first | Y bit) & O (first & w) & bit & "
        "H (Y r -> ('1' <-> memory))",
        "18888 88823 14688 15788 88828 88883 88822 88833 88888", "101100000"),
    DFA("dyck-1-depth-2", S, "()", true, "balanced, at most 2 deep: doubles (( and )) take turns",
        "up = '(' & Y '('\ndown = ')' & Y ')'\ndeep = !down S up\n"
        "H (up -> !Y deep) & H (down -> Y deep) & O (first & '(') & ')' & !deep",
        "13 20 31 33", "1000"),
    DFA("nearest-of-two", S, "abcd", false, "before the last d, the last a or b was an a", "!d S (d & (!b S a))",
        "1000 1013 3220 3233", "0011"),
    DFA("dot-depth-two", S, "abc", false, "an a, then b's only, then a c, somewhere", "O (c & Y (b S a))",
        "100 112 222", "001"),

    /* counting */
    RUN("majority", C, "ab", false, "more a than b", "#[a] > #[b]", majority, MAKE_BLEND, NULL),
    RUN("two-thirds", C, "ab", false, "at least two thirds are a", "#[a] >= 2*#[b]", two_thirds, MAKE_BLEND, "21"),
    RUN("exact-half", C, "ab", true, "as many a as b", "#[a] = #[b]", half, MAKE_BLEND, NULL),
    RUN("plurality", C, "abc", false, "more a than b, and than c", "#[a] > #[b] & #[a] > #[c]", plurality, MAKE_BLEND,
        NULL),
    RUN("equal-three", C, "abc", true, "as many a as b as c", "#[a] = #[b] & #[a] = #[c]", all_equal, MAKE_BLEND,
        NULL),
    RUN("ten-a", C, "ab", false, "at least ten a's", "#[a] >= 10", ten, MAKE_FEW, NULL),
    RUN("five-a", C, "ab", false, "exactly five a's", "#[a] = 5", five, MAKE_FEW, NULL),
    RUN("window", C, "ab", false, "three b's or more, and twice as many a's", "#[a] >= 2*#[b] & #[b] >= 3", window,
        MAKE_BLEND, "21"),
    RUN("anbn", C, "ab", true, "n times a, then n times b", "#[a] = #[b] & H (a -> H a)", anbn, MAKE_BLOCKS, NULL),
    RUN("anb2n", C, "ab", true, "n times a, then 2n times b", "2*#[a] = #[b] & H (a -> H a)", anb2n, MAKE_BLOCKS,
        "12"),
    RUN("ambn", C, "ab", false, "m times a, then n < m times b", "#[a] > #[b] & H (a -> H a)", ambn, MAKE_BLOCKS,
        NULL),
    RUN("anbncn", C, "abc", true, "n times a, then b, then c",
        "#[a] = #[b] & #[b] = #[c] & H (a -> H a) & H (b -> H [ab])", anbncn, MAKE_BLOCKS, NULL),
    RUN("anbncndn", C, "abcd", true, "n times a, then b, then c, then d",
        "#[a] = #[b] & #[b] = #[c] & #[c] = #[d] & H (a -> H a) & H (b -> H [ab]) & H (c -> H [abc])", anbncndn,
        MAKE_BLOCKS, NULL),
    RUN("dyck-1", C, "()", true, "balanced", BALANCED("(", ")"), counters, MAKE_NESTED, NULL),
    DFA("dyck-1-depth-3", C, "()", true, "balanced, at most 3 deep", DEPTH(3), "14 20 31 42 44", "10000"),
    DFA("dyck-1-depth-4", C, "()", true, "balanced, at most 4 deep", DEPTH(4), "15 20 31 42 53 55", "100000"),
    RUN("shuffle-dyck-2", C, "()[]", true, "two kinds of brackets, each balanced",
        BALANCED("(", ")") " & " BALANCED("[", "]"), counters, MAKE_SHUFFLE, NULL),
    RUN("shuffle-dyck-3", C, "()[]{}", true, "three kinds of brackets, each balanced",
        BALANCED("(", ")") " & " BALANCED("[", "]") " & " BALANCED("{", "}"), counters, MAKE_SHUFFLE, NULL),
    RUN("ballot", C, "ab", false, "a is never behind", "H (#[a] >= #[b])", ballot, MAKE_NESTED, NULL),
    RUN("lead-of-three", C, "ab", false, "at some time a leads by three", "O (#[a] >= #[b] + 3)", lead_three,
        MAKE_LEAD, NULL),
    DFA("always-near", C, "ab", true, "neither ever leads by more than four",
        "H (#[a] <= #[b] + 4 & #[b] <= #[a] + 4)", "15 20 31 42 93 06 57 68 79 99", "1111111110"),
    RUN("middle-a", C, "ab", false, "the letter in the middle is a", "at last\nO (a & #[true] = #>[true])", middle,
        MAKE_BLEND, NULL),
    RUN("crossing", C, "ab", false, "somewhere as many a so far as b to come", "at last\nO (#[a] = #>[b])", crossing,
        MAKE_BLEND, NULL),

    /* modular counting: regular, but not star-free */
    DFA("parity", M, "ab", false, "an odd number of a's", "#[a] % 2 = 1", "10 01", "01"),
    DFA("mod-3", M, "ab", true, "a's in threes", "#[a] % 3 = 0", "10 21 02", "100"),
    DFA("mod-5", M, "ab", true, "a's in fives", "#[a] % 5 = 0", "10 21 32 43 04", "10000"),
    DFA("mod-7-at-least-4", M, "ab", false, "a's modulo 7 are 4, 5 or 6", "#[a] % 7 >= 4", "10 21 32 43 54 65 06",
        "0000111"),
    DFA("length-mod-3", M, "ab", true, "a length that is a multiple of 3", "#[true] % 3 = 0", "11 22 00", "100"),
    DFA("weighted-mod-5", M, "ab", true, "2a + b is a multiple of 5", "(2*#[a] + #[b]) % 5 = 0", "21 32 43 04 10",
        "10000"),
    DFA("a-at-odd-places", M, "ab", true, "a's at odd positions only", "H (a -> #[true] % 2 = 1)", "11 20 22", "110"),
    DFA("parity-since-b", M, "ab", false, "an odd number of a's after the last b",
        "even = #[a] % 2 = 0\n(O b & ((!b S (b & even)) <-> !even)) | (!O b & !even)", "10 00", "01"),
    DFA("two-parities", M, "abc", true, "a's are even, or b's are", "#[a] % 2 = 0 | #[b] % 2 = 0", "120 031 302 213",
        "1110"),
    DFA("tomita-3", M, "01", true, "no odd run of 0 right after an odd run of 1",
        "odd = #[true] % 2 = 1\n"
        "ones = '1' & (('1' S ('1' & !Y '1' & odd)) <-> odd)\n"
        "zeros = '0' & (('0' S ('0' & !Y '0' & odd)) <-> odd)\n"
        "bad = zeros & ('0' S ('0' & Y ones))\n"
        "!bad & !O ('1' & Y bad)",
        "01 20 34 21 44", "11010"),
    DFA("tomita-5", M, "01", true, "even numbers of 0 and of 1", "#['0'] % 2 = 0 & #['1'] % 2 = 0", "12 03 30 21",
        "1000"),
    DFA("tomita-6", M, "01", true, "0's minus 1's are a multiple of 3", "(#['0'] - #['1']) % 3 = 0", "12 20 01",
        "100"),

    /* outside: the formula is the best simple approximation */
    OUT("dyck-2", "()[]", true, "balanced, two kinds inside each other; taken for Shuffle-Dyck",
        BALANCED("(", ")") " & " BALANCED("[", "]"), nested, MAKE_NESTED, "dyck-2"),
    OUT("palindrome", "ab", true, "reads the same backwards; only both ends are looked at",
        "((a & O (first & a)) | (b & O (first & b))) & (#[true] <= 3 | (Y a <-> O (a & Y first)))", palindrome,
        MAKE_MIRROR, "palindrome"),
    OUT("copy", "ab", true, "ww; only parities are looked at", "#[a] % 2 = 0 & #[b] % 2 = 0", copy, MAKE_TWICE,
        "copy"),
    OUT("square-length", "a", false, "of length k^2; remainders by 16",
        "#[a] % 16 <= 1 | #[a] % 16 = 4 | #[a] % 16 = 9", square, MAKE_SQUARE, NULL),
    OUT("power-length", "a", false, "of length 2^k; the powers up to 64",
        "#[a] = 1 | #[a] = 2 | #[a] = 4 | #[a] = 8 | #[a] = 16 | #[a] = 32 | #[a] = 64", power, MAKE_DOUBLE, NULL),
    OUT("prime-length", "a", false, "of prime length; divisors 2, 3 and 5 are looked for",
        "#[a] = 2 | #[a] = 3 | #[a] = 5 | (#[a] > 1 & #[a] % 2 != 0 & #[a] % 3 != 0 & #[a] % 5 != 0)", prime,
        MAKE_BLEND, NULL),
    OUT("square-count", "ab", false, "k^2 a's among b's; remainders by 16",
        "O a & (#[a] % 16 <= 1 | #[a] % 16 = 4 | #[a] % 16 = 9)", square_count, MAKE_BLEND, NULL),
};

size_t language_count(void) { return sizeof language_suite / sizeof *language_suite; }
size_t language_letters(const language *g) { return strlen(g->alphabet); }

bool language_has(const language *g, const uint32_t *w, size_t n) {
    if (g->program) return g->program(w, n);
    size_t state = 0, row = language_letters(g) + 1;
    for (size_t i = 0; i < n; i++) {
        char c = g->next[state * row + w[i]];
        state = (size_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return g->accept[state] == '1';
}

const char *language_table(arena *a) {
    text t;
    text_init(&t, a);
    text_puts(&t, "| name | class | letters | strings with | formula |\n| --- | --- | --- | --- | --- |\n");
    for (size_t k = 0; k < language_count(); k++) {
        const language *g = &language_suite[k];
        text_printf(&t, "| %s | %s | `%s` | ", g->name, language_class_names[g->class_], g->alphabet);
        for (const char *c = g->about; *c; c++) { /* a star or a bar is no markup */
            if (*c == '*' || *c == '|') text_putc(&t, '\\');
            text_putc(&t, *c);
        }
        text_puts(&t, " | `");
        for (const char *c = g->formula; *c; c++) {
            if (*c == '|') text_putc(&t, '\\');
            text_puts(&t, *c == '\n' ? "` <br> `" : (char[]){*c, 0});
        }
        text_puts(&t, "` |\n");
    }
    return text_string(&t);
}
