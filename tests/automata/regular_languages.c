#include "regular_languages.h"

#include <string.h>

#include "automata/regex.h"

/* Bounded Dyck languages: (a (a ... b)* b)*, nested k deep. */
#define D1  "(ab)*"
#define D2  "(a" D1 "b)*"
#define D3  "(a" D2 "b)*"
#define D4  "(a" D3 "b)*"
#define D5  "(a" D4 "b)*"
#define D6  "(a" D5 "b)*"
#define D7  "(a" D6 "b)*"
#define D8  "(a" D7 "b)*"
#define D12 "(a(a(a(a" D8 "b)*b)*b)*b)*"

#define OCTET "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"

static const regular_language languages[] = {
    /* Tomita's seven (1982) */
    {"tomita 1", "01", "1*", NULL, ""},
    {"tomita 2", "01", "(10)*", NULL, ""},
    {"tomita 3", "01", "(?&)~(((0|1)*0)?1(11)*0(00)*(1(0|1)*)?)", NULL, "Z2,Z2"},
    {"tomita 4", "01", "(?&)~((0|1)*000(0|1)*)", NULL, ""},
    {"tomita 5", "01", "((00|11)|(01|10)(00|11)*(01|10))*", NULL, "Z2 x Z2"},
    {"tomita 6", "01", "(01|10|(0|11)(01)*(1|00)|(1|00)(10)*(0|11))*", NULL, "Z3"},
    {"tomita 7", "01", "0*1*0*1*", NULL, ""},
    /* finite and cofinite */
    {"nothing but the empty word", "ab", "()", NULL, ""},
    {"one word", "abc", "abcab", NULL, ""},
    {"three words", "ab", "a|ba|bba", NULL, ""},
    {"all words up to 5", "ab", "(a|b){0,5}", NULL, ""},
    {"all but aba", "ab", "(?&)~(aba)", NULL, ""},
    {"all words from 4", "ab", "(a|b){4,}", NULL, ""},
    {"words of length 3 to 6 without c", "abc", "(a|b){3,6}", NULL, ""},
    /* piecewise testable (Simon 1975) */
    {"has a", "ab", "(a|b)*a(a|b)*", NULL, ""},
    {"subsequence ab", "ab", ".*a.*b.*", NULL, ""},
    {"subsequence aa", "ab", ".*a.*a.*", NULL, ""},
    {"subsequence abc", "abc", ".*a.*b.*c.*", NULL, ""},
    {"subsequence abab", "ab", ".*a.*b.*a.*b.*", NULL, ""},
    {"subsequence abcabc", "abc", ".*a.*b.*c.*a.*b.*c.*", NULL, ""},
    {"no subsequence aba", "ab", "(?&)~(.*a.*b.*a.*)", NULL, ""},
    {"no subsequence abc", "abc", "(?&)~(.*a.*b.*c.*)", NULL, ""},
    {"a*b*", "ab", "a*b*", NULL, ""},
    {"a*b*c*", "abc", "a*b*c*", NULL, ""},
    {"a*b*a*", "ab", "a*b*a*", NULL, ""},
    {"a+b+c+", "abc", "a+b+c+", NULL, ""},
    {"each letter", "abc", "(?&).*a.*&.*b.*&.*c.*", NULL, ""},
    {"a before every b", "ab", "(a.*)?", NULL, ""},
    {"exactly two a", "ab", "b*ab*ab*", NULL, ""},
    {"at most three a", "ab", "b*(ab*){0,3}", NULL, ""},
    {"at least four a", "ab", "b*(ab*){4,}", NULL, ""},
    {"two a or five a", "ab", "b*(ab*){2}|b*(ab*){5}", NULL, ""},
    {"ab or ba as a subsequence", "ab", ".*a.*b.*|.*b.*a.*", NULL, ""},
    {"one a and one b", "abc", "(?&)[bc]*a[bc]*&[ac]*b[ac]*", NULL, ""},
    /* definite, reverse definite, generalized definite */
    {"ends in ab", "ab", ".*ab", NULL, ""},
    {"ends in aab or bb", "ab", ".*(aab|bb)", NULL, ""},
    {"ends in abab", "ab", ".*abab", NULL, ""},
    {"third from the end is a", "ab", ".*a..", NULL, ""},
    {"fourth from the end is a", "ab", ".*a...", NULL, ""},
    {"fifth from the end is a", "ab", ".*a....", NULL, ""},
    {"starts with ab", "ab", "ab.*", NULL, ""},
    {"starts with aab or bb", "ab", "(aab|bb).*", NULL, ""},
    {"fourth letter is a", "ab", "...a.*", NULL, ""},
    {"starts with ab and ends in ba", "ab", "(?&)ab.*&.*ba", NULL, ""},
    {"first and last letter equal", "abc", "a|b|c|a.*a|b.*b|c.*c", NULL, ""},
    {"first and last letter differ", "ab", "a.*b|b.*a", NULL, ""},
    /* strictly locally testable and locally testable */
    {"no aa", "ab", "(?&)~(.*aa.*)", NULL, ""},
    {"no aa, no bb", "ab", "(?&)~(.*(aa|bb).*)", NULL, ""},
    {"no aab", "ab", "(?&)~(.*aab.*)", NULL, ""},
    {"(ab)*", "ab", "(ab)*", NULL, ""},
    {"(ab)* over three letters", "abc", "(ab)*", NULL, ""},
    {"(aab)*", "ab", "(aab)*", NULL, ""},
    {"(abc)*", "abc", "(abc)*", NULL, ""},
    {"(abcd)*", "abcd", "(abcd)*", NULL, ""},
    {"(ab|c)*", "abc", "(ab|c)*", NULL, ""},
    {"(a|bb)*", "ab", "(a|bb)*", NULL, "Z2"},
    {"factor ab", "abc", ".*ab.*", NULL, ""},
    {"factor abab", "ab", ".*abab.*", NULL, ""},
    {"factor aabaa", "ab", ".*aabaa.*", NULL, ""},
    {"factors aa and bb", "ab", "(?&).*aa.*&.*bb.*", NULL, ""},
    {"factor aa but not bb", "ab", "(?&).*aa.*&~(.*bb.*)", NULL, ""},
    {"no a after aa", "ab", "(?&)~(.*aa.*a.*)", NULL, ""},
    {"aa at most once", "ab", "(?&)~(.*aa.*aa.*|.*aaa.*)", NULL, ""},
    {"every a has b next to it", "ab", "(?&)~(.*aaa.*|aa.*|.*aa|a)", NULL, ""},
    {"runs of a of length 2 or 3", "ab", "(b|aab|aaab)*(aa|aaa)?", NULL, ""},
    {"b between any two a", "abc", "(?&)~(.*a[ac]*a.*)", NULL, ""},
    {"c only right after ab", "abc", "(?&)~((.*[^b]|(.*[^a])?b)?c.*)", NULL, ""},
    /* star-free beyond: flip-flops, dot-depth, bounded Dyck */
    {"flip-flop", "abc", "(a|b|c)*bc*", NULL, ""},
    {"flip-flop with a tail", "abcd", "[abcd]*b[cd]*d[c]*", NULL, ""},
    {"two flip-flops", "abcd", "(?&).*a[^b]*&.*c[^d]*", NULL, ""},
    {"three flip-flops", "abcdef", "(?&).*a[^b]*&.*c[^d]*&.*e[^f]*", NULL, ""},
    {"cascade of flip-flops", "abc", "(b|c|a[ac]*b)*a[ac]*", NULL, ""},
    {"last of a and b is a, once c", "abc", "(?&).*a[^b]*&.*c.*", NULL, ""},
    {"between every two a a b", "abc", "[bc]*(a[c]*b[bc]*)*a?[bc]*", NULL, ""},
    {"requests are answered", "rgn", "([gn]|r[rn]*g)*", NULL, ""},
    {"no answer without request", "rgn", "(n|rn*g)*(rn*)?", NULL, ""},
    {"mutual exclusion", "abxy", "([^abxy]|ax|by)*", NULL, ""},
    {"bracket depth 1", "ab", D1, NULL, ""},
    {"bracket depth 2", "ab", D2, NULL, ""},
    {"bracket depth 3", "ab", D3, NULL, ""},
    {"bracket depth 4", "ab", D4, NULL, ""},
    {"bracket depth 5", "ab", D5, NULL, ""},
    {"bracket depth 6", "ab", D6, NULL, ""},
    {"bracket depth 8", "ab", D8, NULL, ""},
    {"bracket depth 12", "ab", D12, NULL, ""},
    {"bracket depth 2 with letters", "abc", "(c|a(c|a(c)*b)*b)*", NULL, ""},
    {"bracket depth 3 with letters", "abc", "(c|a(c|a(c|ac*b)*b)*b)*", NULL, ""},
    {"two brackets, depth 2", "abxy", "(ax*b|a(ab|xy)*b|x(ab|xy)*y)*", NULL, ""},
    {"two brackets, depth 1", "abxy", "(ab|xy)*", NULL, ""},
    {"counter up to 2 that sticks", "ab", "(a|b)*aab*", NULL, ""},
    {"induction over 4 letters", "abcd", "(?&)~(.*(a[^b]*c|b[^c]*d).*)", NULL, ""},
    {"at most one b between c", "abc", "([ac]*|[^c]*)(b[ac]*)?", NULL, ""},
    {"prefixes with more than a lead of 2 rejected", "ab", "(a(ab)*b|ab)*(a(ab)*a?)?", NULL, ""},
    {"depth never 3, anywhere between", "ab", "(ab|a(ab)*b)*(a|a(ab)*a|a(ab)*)?", NULL, ""},
    /* R-trivial, L-trivial, J-trivial */
    {"a*b(a|c)*", "abc", "a*b(a|c)*", NULL, ""},
    {"a*b(b|c)*a.*", "abc", "a*b(b|c)*a.*", NULL, ""},
    {"first b before first c", "abc", "a*b.*", NULL, ""},
    {"chain of five", "abcde", "a*b[ab]*c[abc]*d[abcd]*e.*", NULL, ""},
    {"last c after last b", "abc", ".*b[ac]*c[ac]*", NULL, ""},
    {"letters in order", "abcd", "a*b*c*d*", NULL, ""},
    {"in order, twice", "abc", "a*b*c*a*b*c*", NULL, ""},
    /* counters */
    {"even a", "ab", "(b*ab*a)*b*", NULL, "Z2"},
    {"a divisible by 3", "ab", "((b*a){3})*b*", NULL, "Z3"},
    {"a divisible by 4", "ab", "((b*a){4})*b*", NULL, "Z4"},
    {"a divisible by 5", "ab", "((b*a){5})*b*", NULL, "Z5"},
    {"a divisible by 6", "ab", "((b*a){6})*b*", NULL, "Z6"},
    {"even length", "ab", "(..)*", NULL, "Z2"},
    {"length divisible by 3", "ab", "(...)*", NULL, "Z3"},
    {"length 2 modulo 5", "ab", "..(.{5})*", NULL, "Z5"},
    {"(aa)*", "ab", "(aa)*", NULL, "Z2"},
    {"(aaa)*b", "ab", "(aaa)*b", NULL, "Z3"},
    {"a minus b divisible by 3", "ab", NULL, "120 201", "Z3"},
    {"even a and even b", "abc", "(?&)([^a]*a[^a]*a)*[^a]*&([^b]*b[^b]*b)*[^b]*", NULL, "Z2 x Z2"},
    {"even a, b divisible by 3", "ab", "(?&)(b*ab*a)*b*&((a*b){3})*a*", NULL, "Z6"},
    {"even a since the last c", "abc", "(.*c)?(b*ab*a)*b*", NULL, "Z2"},
    {"a divisible by 3 since the last c", "abc", "(.*c)?((b*a){3})*b*", NULL, "Z3"},
    {"even a in every block", "abc", "((b*ab*a)*b*c)*(b*ab*a)*b*", NULL, "Z2"},
    {"even position of every b", "ab", "((a|b)a)*(a|b)?", NULL, "Z2"},
    {"a at even positions only", "ab", "(b(a|b))*b?", NULL, "Z2"},
    {"even runs of a", "ab", "(b|aa)*", NULL, "Z2"},
    {"runs of a divisible by 3", "ab", "(b|aaa)*", NULL, "Z3"},
    {"even number of ab", "ab", "(b*a+b+a+b)*b*a*", NULL, "Z2"},
    {"odd a and ends in b", "ab", "(?&)b*a(b*ab*a)*b*&.*b", NULL, "Z2"},
    {"(ab)* of even half", "ab", "(abab)*", NULL, "Z2"},
    {"even a before the first c", "abc", "(b*ab*a)*b*c.*", NULL, "Z2"},
    {"quoted string with escapes", "qxs", "q([x]|s.)*q", NULL, "Z2"},
    {"ab or ba in pairs", "ab", "(abba|baab)*", NULL, ""},
    /* permutation groups, as automata */
    {"Z2 by one letter", "a", NULL, "10", "Z2"},
    {"Z7", "a", NULL, "1234560", "Z7"},
    {"Z8", "a", NULL, "12345670", "Z8"},
    {"Z6 as 2 and 3", "ab", NULL, "10234 01342", "Z6"},
    {"S3", "ab", NULL, "102 120", "S3"},
    {"D4", "ab", NULL, "1230 0321", "D4"},
    {"D5", "ab", NULL, "12340 04321", "D5"},
    {"D6", "ab", NULL, "123450 054321", "D6"},
    {"A4", "ab", NULL, "1203 1032", "A4"},
    {"S4", "ab", NULL, "1023 1230", "S4"},
    {"F20", "ab", NULL, "12340 02413", "F20"},
    {"Z7 by Z3", "ab", NULL, "1234560 0246135", "a group of order 21"},
    {"Z2 x Z2 x Z2", "abc", NULL, "10325476 23016745 45670123", "Z2 x Z2 x Z2"},
    {"Q8", "ab", NULL, "12307456 45672301", "Q8"},
    {"A5", "ab", NULL, "12340 12034", NULL},
    {"S5", "ab", NULL, "10234 12340", NULL},
    {"S6", "ab", NULL, "102345 123450", NULL},
    /* what people write */
    {"identifier", "ascii", "[A-Za-z_][A-Za-z0-9_]*", NULL, ""},
    {"IPv4", "ascii", "(" OCTET "\\.){3}" OCTET, NULL, ""},
    {"ISO timestamp", "ascii",
     "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?"
     "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])",
     NULL, ""},
    {"date", "ascii", "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])", NULL, ""},
    {"float", "ascii", "[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?", NULL, ""},
    {"C string", "ascii", "\"([^\"\\\\]|\\\\.)*\"", NULL, "Z2"},
    {"C comment", "ascii", "/\\*([^*]|\\*+[^*/])*\\*+/", NULL, ""},
    {"e-mail", "ascii", "[a-zA-Z0-9_+-]+(\\.[a-zA-Z0-9_+-]+)*@[a-zA-Z0-9-]+(\\.[a-zA-Z0-9-]+)*\\.[a-zA-Z]{2,}", NULL,
     ""},
    {"semver", "ascii",
     "(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)(-[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?"
     "(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?",
     NULL, ""},
    {"uuid", "ascii", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", NULL, ""},
    {"access-log line", "ascii",
     "[0-9.]+ [^ ]+ [^ ]+ \\[[^]]+\\] \"[A-Z]+ [^ \"]+ HTTP/[0-9]\\.[0-9]\" [0-9]{3} ([0-9]+|-)", NULL, ""},
    {"8 to 64 letters", "ascii", ".{8,64}", NULL, ""},
    {"hexadecimal colour", "ascii", "#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", NULL, ""},
    {"CSV line", "ascii", "([^,\"]*|\"([^\"]|\"\")*\")(,([^,\"]*|\"([^\"]|\"\")*\"))*", NULL, "Z2"},
    {"time of day", "ascii", "([01][0-9]|2[0-3]):[0-5][0-9]", NULL, ""},
    {"base64", "ascii", "([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", NULL, "Z4"},
};

size_t regular_count(void) { return sizeof languages / sizeof *languages; }
const regular_language *regular_at(size_t k) { return &languages[k]; }

static const dfa *permutation_automaton(const regular_language *g, arena *a) {
    uint32_t letters = (uint32_t)strlen(g->alphabet), states = (uint32_t)strcspn(g->permutations, " ");
    dfa *d = dfa_new(a, states, letters, letters);
    d->accepts[0] = 1;
    for (uint32_t c = 0; c < letters; c++) {
        d->class_of[c] = c;
        for (uint32_t q = 0; q < states; q++)
            d->next[q * letters + c] = (uint32_t)(g->permutations[c * (states + 1) + q] - '0');
    }
    return d;
}

const dfa *regular_automaton(const regular_language *g, arena *a, arena *scratch) {
    if (!g->regex) return permutation_automaton(g, a);
    alphabet letters;
    alphabet_init(&letters, a, false);
    for (char c = ' '; c <= '~'; c++)
        if (!strcmp(g->alphabet, "ascii") || strchr(g->alphabet, c)) alphabet_add(&letters, &c, 1);
    return dfa_from_regex(a, regex_parse(a, g->regex, strlen(g->regex), false, 1, 1), &letters, scratch);
}
