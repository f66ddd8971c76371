/* Regular expressions two ways: a random tree is written as text, which the library reads and turns into an automaton;
   the tree itself says which parts of a string it matches, by its definition and without any automaton. The two must
   agree on every prefix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "automata/regex.h"
#include "test.h"

enum { LETTERS = 14, LONGEST = 9, TREE = 60 };

static const char *const letters[LETTERS] = {"a", "b", "Z", "7", "8", "_", " ", "-", "]", "^", "é", "\n", "&", "\\"};

/* What each named class holds of them. */
static const struct {
    const char *text;
    const char *members;
} named[] = {{"\\d", "78"},
             {"\\D", "abZ_ -]^é\n&\\"},
             {"\\w", "abZ78_"},
             {"\\W", " -]^é\n&\\"},
             {"\\s", " \n"},
             {"\\S", "abZ78_-]^é&\\"},
             {".", "abZ78_ -]^é&\\"},
             {"[[:alpha:]]", "abZ"},
             {"[[:upper:]]", "Z"},
             {"[[:lower:]_]", "ab_"},
             {"[[:punct:]]", "_-]^&\\"},
             {"[a-z]", "ab"},
             {"[6-9]", "78"},
             {"[\\x00-\\x7f]", "abZ78_ -]^\n&\\"},
             {"[^\\W]", "abZ78_"},
             {"[\\D7]", "abZ_ -]^é\n&\\7"},
             {"[^[:print:]]", "é\n"},
             {"[\\]-]", "]-"},
             {"[]^]", "]^"},
             {"[^]^]", "abZ78_ -é\n&\\"},
             {"[\\u{E9}\\x20]", "é "},
             {"[-a]", "-a"}};

typedef enum tree_op { T_SET, T_EMPTY, T_JOIN, T_OR, T_AND, T_NOT, T_REPEAT } tree_op;

typedef struct tree {
    tree_op op;
    size_t left, right;
    unsigned set;
    unsigned least, most; /* most 99: without end */
} tree;

typedef struct writer {
    char bytes[4000];
    size_t length;
} writer;

static void put(writer *w, const char *s) {
    size_t n = strlen(s);
    if (w->length + n >= sizeof w->bytes) abort();
    memcpy(w->bytes + w->length, s, n + 1);
    w->length += n;
}

/* ---- random trees, and their texts -------------------------------------------------------------------------------- */

static unsigned members_of(const char *list) {
    unsigned set = 0;
    for (size_t k = 0; k < LETTERS; k++)
        if (strstr(list, letters[k])) set |= 1u << k;
    return set;
}

/* One letter in a way that means it inside and outside of classes. */
static void put_letter(writer *w, test_random *r, unsigned k, bool in_class) {
    static const char *const special = "\\^$.[]|()*+?{}&~-/";
    char hex[16];
    if (!strcmp(letters[k], "\n")) {
        put(w, random_below(r, 2) ? "\\n" : "\\x0A");
    } else if (!strcmp(letters[k], "é")) {
        put(w, random_below(r, 3) ? "é" : random_below(r, 2) ? "\\u00e9" : "\\x{E9}");
    } else if (!random_below(r, 8)) {
        snprintf(hex, sizeof hex, random_below(r, 2) ? "\\x%02X" : "\\u{%x}", (unsigned char)letters[k][0]);
        put(w, hex);
    } else {
        bool must = strchr(in_class ? "\\^]-" : "\\^$.[|()*+?{&~", letters[k][0]);
        bool may = strchr(special, letters[k][0]) && !random_below(r, 3);
        if (must || may) put(w, "\\");
        put(w, letters[k]);
    }
}

static void put_set(writer *w, test_random *r, unsigned set) {
    unsigned all = (1u << LETTERS) - 1, count = 0, only = 0;
    for (unsigned k = 0; k < LETTERS; k++)
        if (set >> k & 1) count++, only = k;
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        if (members_of(named[k].members) == set && random_below(r, 4)) {
            put(w, named[k].text);
            return;
        }
    if (count == 1 && random_below(r, 8)) {
        put_letter(w, r, only, false);
        return;
    }
    bool negated = count == LETTERS ? false : count == 0 || random_below(r, 4) == 0;
    put(w, negated ? "[^" : "[");
    unsigned written = negated ? all & ~set : set;
    for (unsigned k = 0; k < LETTERS; k++)
        if (written >> k & 1) put_letter(w, r, k, true);
    put(w, "]");
}

static size_t random_tree(tree *t, size_t *count, test_random *r, size_t budget, bool extended) {
    size_t me = (*count)++;
    tree made = {.op = T_SET};
    if (budget < 2) {
        unsigned choice = (unsigned)random_below(r, 10);
        if (choice == 0)
            made.op = T_EMPTY;
        else if (choice < 5)
            made.set = 1u << random_below(r, LETTERS);
        else if (choice < 8)
            made.set = members_of(named[random_below(r, sizeof named / sizeof *named)].members);
        else
            made.set = (unsigned)random_below(r, 1u << LETTERS);
        t[me] = made;
        return me;
    }
    size_t half = 1 + (size_t)random_below(r, budget - 1);
    unsigned choice = (unsigned)random_below(r, extended ? 11 : 8);
    made.op = choice < 3 ? T_JOIN : choice < 5 ? T_OR : choice < 8 ? T_REPEAT : choice < 10 ? T_AND : T_NOT;
    if (made.op == T_REPEAT) {
        static const unsigned bounds[][2] = {{0, 99}, {1, 99}, {0, 1}, {2, 2}, {1, 3},
                                             {2, 99}, {0, 2},  {0, 0}, {3, 5}};
        size_t b = (size_t)random_below(r, sizeof bounds / sizeof *bounds);
        made.least = bounds[b][0];
        made.most = bounds[b][1];
    }
    bool one = made.op == T_REPEAT || made.op == T_NOT;
    made.left = random_tree(t, count, r, one ? budget - 1 : half, extended);
    if (!one) made.right = random_tree(t, count, r, budget - half, extended);
    t[me] = made;
    return me;
}

/* Binding: 0 or, 1 and, 2 join, 3 not, 4 what may be repeated. */
static void write_tree(writer *w, const tree *t, size_t at, test_random *r, int binding) {
    static const int own[] = {4, 2, 2, 0, 1, 3, 3};
    const tree *n = &t[at];
    bool paren = own[n->op] < binding || n->op == T_EMPTY || !random_below(r, 12);
    if (paren) {
        static const char *const open[] = {"(", "(", "(?:", "(?P<name_1>", "(?<n>"};
        put(w, open[random_below(r, 5)]);
    }
    switch (n->op) {
    case T_EMPTY: break;
    case T_SET: put_set(w, r, n->set); break;
    case T_JOIN:
    case T_OR:
    case T_AND:
        write_tree(w, t, n->left, r, own[n->op]);
        if (n->op != T_JOIN) put(w, n->op == T_OR ? "|" : "&");
        write_tree(w, t, n->right, r, own[n->op]);
        break;
    case T_NOT:
        put(w, "~");
        write_tree(w, t, n->left, r, 3);
        break;
    case T_REPEAT: {
        char braces[40];
        write_tree(w, t, n->left, r, 4);
        bool plain = random_below(r, 2);
        if (plain && n->least == 0 && n->most == 99)
            put(w, "*");
        else if (plain && n->least == 1 && n->most == 99)
            put(w, "+");
        else if (plain && n->least == 0 && n->most == 1)
            put(w, "?");
        else {
            if (n->most == 99)
                snprintf(braces, sizeof braces, "{%u,}", n->least);
            else if (n->least == n->most && plain)
                snprintf(braces, sizeof braces, "{%u}", n->least);
            else if (n->least == 0 && plain)
                snprintf(braces, sizeof braces, "{,%u}", n->most);
            else
                snprintf(braces, sizeof braces, "{%u,%u}", n->least, n->most);
            put(w, braces);
        }
        if (!random_below(r, 4)) put(w, "?");
        break;
    }
    }
    if (paren) put(w, ")");
}

/* ---- what a tree matches ------------------------------------------------------------------------------------------ */

typedef struct spans {
    unsigned char of[LONGEST + 1][LONGEST + 1]; /* [i][j]: letters i to j - 1 match */
} spans;

static spans joined(const spans *x, const spans *y, size_t n) {
    spans z = {0};
    for (size_t i = 0; i <= n; i++)
        for (size_t k = i; k <= n; k++)
            for (size_t j = k; j <= n; j++) z.of[i][j] |= x->of[i][k] && y->of[k][j];
    return z;
}

static spans matches(const tree *t, size_t at, const uint32_t *word, size_t n) {
    const tree *x = &t[at];
    spans z = {0}, left, right, empty = {0};
    for (size_t i = 0; i <= n; i++) empty.of[i][i] = 1;
    if (x->op >= T_JOIN) left = matches(t, x->left, word, n);
    if (x->op == T_JOIN || x->op == T_OR || x->op == T_AND) right = matches(t, x->right, word, n);
    switch (x->op) {
    case T_EMPTY: return empty;
    case T_SET:
        for (size_t i = 0; i < n; i++) z.of[i][i + 1] = x->set >> word[i] & 1;
        return z;
    case T_JOIN: return joined(&left, &right, n);
    case T_OR:
    case T_AND:
    case T_NOT:
        for (size_t i = 0; i <= n; i++)
            for (size_t j = i; j <= n; j++)
                z.of[i][j] = x->op == T_NOT  ? !left.of[i][j]
                             : x->op == T_OR ? left.of[i][j] || right.of[i][j]
                                             : left.of[i][j] && right.of[i][j];
        return z;
    case T_REPEAT: {
        spans power = empty; /* of exactly k */
        for (unsigned k = 0; k <= x->most && k <= x->least + n; k++) {
            for (size_t i = 0; k >= x->least && i <= n; i++)
                for (size_t j = i; j <= n; j++) z.of[i][j] |= power.of[i][j];
            power = joined(&power, &left, n);
        }
        return z;
    }
    }
    return z;
}

static void fill_alphabet(alphabet *abc, arena *a) {
    alphabet_init(abc, a, false);
    for (size_t k = 0; k < LETTERS; k++) alphabet_add(abc, letters[k], strlen(letters[k]));
}

/* The automaton over our letters, or NULL and the error. */
static const dfa *read_regex(arena *a, const char *bytes, temper_error *e) {
    trap inside, *outside = a->trap;
    const dfa *volatile d = NULL;
    memset(e, 0, sizeof *e);
    a->trap = &inside;
    if (!trap_set(&inside, e)) {
        alphabet abc;
        fill_alphabet(&abc, a);
        d = dfa_from_regex(a, regex_parse(a, bytes, strlen(bytes), false, 1, 1), &abc, a);
        trap_clear(&inside);
    }
    a->trap = outside;
    return d;
}

static void check_one(unsigned trial, test_random *r, arena *a, unsigned *refused) {
    static tree t[4 * TREE];
    size_t count = 0;
    bool extended = random_below(r, 2);
    random_tree(t, &count, r, 1 + random_below(r, 12), extended);
    writer w = {0};
    if (extended) put(&w, "(?&)");
    size_t prefix = w.length;
    write_tree(&w, t, 0, r, 0);
    if (w.length == prefix) put(&w, "()");
    temper_error e;
    const dfa *d = read_regex(a, w.bytes, &e);
    if (!d) {
        CHECK(e.code == TEMPER_LIMIT, "trial %u: %s: %s", trial, w.bytes, e.text);
        ++*refused;
        return;
    }
    CHECK(d->start == 0 && dfa_equal(d, dfa_minimise(a, d)), "trial %u: %s is not minimal", trial, w.bytes);
    for (unsigned s = 0; s < 30; s++) {
        uint32_t word[LONGEST];
        size_t n = (size_t)random_below(r, LONGEST + 1);
        unsigned pool = 1 + (unsigned)random_below(r, LETTERS); /* few letters match oftener */
        for (size_t k = 0; k < n; k++) word[k] = (uint32_t)(random_below(r, pool) * 5 % LETTERS);
        spans m = matches(t, 0, word, n);
        for (size_t k = 0; k <= n; k++)
            CHECK(dfa_accepts(d, word, k) == (bool)m.of[0][k], "trial %u: %s at prefix %zu of %zu", trial, w.bytes, k,
                  n);
    }
}

/* ---- single cases ------------------------------------------------------------------------------------------------- */

/* Sizes that the constructions must reach, and that a slip in sharing terms would miss. */
static void check_sizes(arena *a) {
    static const struct {
        const char *written;
        uint32_t states, classes;
    } cases[] = {{"()", 2, 1},
                 {"(?&)~()", 2, 1},
                 {"(ab)*", 3, 3},
                 {"(a|b)*a(a|b){9}", 1025, 3},
                 {".{8,64}", 66, 2},
                 {"[ab]{0,5000}", 5002, 2},
                 {"(?&)~(.*aa.*)", 4, 3},
                 {"^a$|^b$", 3, 2},
                 {"((((a*)*)*)*)*", 2, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_error e;
        const dfa *d = read_regex(a, cases[k].written, &e);
        CHECK(d && d->state_count == cases[k].states && d->class_count == cases[k].classes,
              "%s: %u states, %u classes; %s", cases[k].written, d ? d->state_count : 0, d ? d->class_count : 0,
              e.text);
    }
}

/* Texts that must be refused, where, and by which words. */
static void check_refusals(void) {
    static const struct {
        const char *text;
        temper_status code;
        size_t column;
        const char *says;
    } cases[] = {{"", TEMPER_SYNTAX, 1, "empty"},
                 {"(a)\\1", TEMPER_UNSUPPORTED, 4, "back reference"},
                 {"(?P<q>a)(?P=q)", TEMPER_UNSUPPORTED, 9, "back reference"},
                 {"\\k<q>", TEMPER_UNSUPPORTED, 1, "back reference"},
                 {"a(?=b)", TEMPER_UNSUPPORTED, 2, "look-ahead"},
                 {"a(?!b)", TEMPER_UNSUPPORTED, 2, "negative look-ahead"},
                 {"(?<=a)b", TEMPER_UNSUPPORTED, 1, "look-behind"},
                 {"(?<!a)b", TEMPER_UNSUPPORTED, 1, "negative look-behind"},
                 {"é\\bb", TEMPER_UNSUPPORTED, 2, "word boundary"},
                 {"a*+", TEMPER_UNSUPPORTED, 3, "possessive"},
                 {"(?>a)", TEMPER_UNSUPPORTED, 1, "atomic"},
                 {"(?i)a", TEMPER_UNSUPPORTED, 1, "flags"},
                 {"(?R)", TEMPER_UNSUPPORTED, 1, "recursion"},
                 {"a|(?&)b", TEMPER_UNSUPPORTED, 3, "beginning"},
                 {"a^b", TEMPER_UNSUPPORTED, 2, "anchor '^'"},
                 {"(a$)b", TEMPER_UNSUPPORTED, 3, "anchor '$'"},
                 {"\\Aab", TEMPER_UNSUPPORTED, 1, "an anchor"},
                 {"\\p{L}", TEMPER_UNSUPPORTED, 1, "property"},
                 {"[[.a.]]", TEMPER_UNSUPPORTED, 2, "collating"},
                 {"a**", TEMPER_SYNTAX, 3, "two repetitions"},
                 {"*a", TEMPER_SYNTAX, 1, "repetition of nothing"},
                 {"a|+", TEMPER_SYNTAX, 3, "repetition of nothing"},
                 {"a{2,1}", TEMPER_SYNTAX, 2, "at least as many"},
                 {"a{x}", TEMPER_SYNTAX, 2, "does not begin a repetition"},
                 {"a{20001}", TEMPER_LIMIT, 2, "more than 20000"},
                 {"(ab", TEMPER_SYNTAX, 1, "never closed"},
                 {"ab)", TEMPER_SYNTAX, 3, "closes nothing"},
                 {"a[bc", TEMPER_SYNTAX, 2, "never closed"},
                 {"[z-a]", TEMPER_SYNTAX, 2, "reversed"},
                 {"[\\d-z]", TEMPER_SYNTAX, 4, "begin with a class"},
                 {"[a-\\d]", TEMPER_SYNTAX, 4, "end with a class"},
                 {"[[:foo:]]", TEMPER_SYNTAX, 2, "this is none"},
                 {"\\x4", TEMPER_SYNTAX, 1, "does not name a character"},
                 {"\\x00", TEMPER_SYNTAX, 1, "NUL"},
                 {"\\y", TEMPER_SYNTAX, 1, "not a known escape"},
                 {"a\\", TEMPER_SYNTAX, 2, "backslash at the end"},
                 {"(?&)a~", TEMPER_SYNTAX, 7, "after '~'"},
                 {"a\nb", TEMPER_SYNTAX, 2, "control byte"},
                 {"a\xFF", TEMPER_SYNTAX, 2, "UTF-8"}};
    arena a;
    arena_init(&a, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_error e;
        const dfa *d = read_regex(&a, cases[k].text, &e);
        CHECK(!d && e.code == cases[k].code && e.column == cases[k].column && strstr(e.text, cases[k].says),
              "'%s': code %d, column %zu: %s", cases[k].text, (int)e.code, e.column, e.text);
        arena_reset(&a);
    }
    arena_free(&a);
}

/* Blow-ups end with their name, in little time and memory, and nesting does not need the stack. */
static void check_limits(void) {
    enum { DEPTH = 100000 };
    static char deep[2 * DEPTH + 2];
    memset(deep, '(', DEPTH);
    deep[DEPTH] = 'a';
    memset(deep + DEPTH + 1, ')', DEPTH);
    static const struct {
        const char *written, *says;
    } cases[] = {{"(a|b)*a(a|b){20}", "more than 20000 derivatives"},
                 {"(a{5000}){5000}", "take more than 20000000 steps"},
                 {"((a{9}){9}|b{8}){9000}", "more than"},
                 {deep, NULL}};
    arena a;
    arena_init(&a, NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_error e;
        const dfa *d = read_regex(&a, cases[k].written, &e);
        bool right = cases[k].says ? !d && e.code == TEMPER_LIMIT && strstr(e.text, cases[k].says) : d != NULL;
        CHECK(right, "'%.30s': %s", cases[k].written, e.text);
        arena_reset(&a);
    }
    arena_free(&a);
}

/* Words in angle brackets, with and without blanks between them. */
static void check_tokens(arena *a) {
    alphabet abc;
    alphabet_init(&abc, a, true);
    static const char *const words[] = {"req", "ack", "a>b", "é"};
    for (size_t k = 0; k < 4; k++) alphabet_add(&abc, words[k], strlen(words[k]));
    static const char written[] = "(<req> <ack>|[^<req><ack>] .)*<a\\>b>?";
    const dfa *d = dfa_from_regex(a, regex_parse(a, written, strlen(written), true, 1, 1), &abc, a);
    static const struct {
        uint32_t word[4];
        size_t n;
        bool accepts;
    } cases[] = {{{0, 1}, 2, true},    {{0, 0}, 2, false},      {{2}, 1, true},           {{2, 0}, 2, true},
                 {{0, 1, 2}, 3, true}, {{3, 3, 0, 1}, 4, true}, {{3, 3, 1, 0}, 4, false}, {{0}, 0, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        CHECK(dfa_accepts(d, cases[k].word, cases[k].n) == cases[k].accepts, "tokens: case %zu", k);
}

int main(void) {
    test_random r = test_seed(29);
    arena a;
    trap t;
    arena_init(&a, &t);
    temper_error e;
    if (trap_set(&t, &e)) {
        fprintf(stderr, "t-regex: %zu:%zu: %s\n", e.line, e.column, e.text);
        abort();
    }
    unsigned trials = (unsigned)(1200 * test_effort()), refused = 0;
    for (unsigned trial = 0; trial < trials; trial++) {
        check_one(trial, &r, &a, &refused);
        arena_reset(&a);
    }
    CHECK(50 * refused <= trials, "%u of %u expressions are too large", refused, trials);
    check_sizes(&a);
    check_tokens(&a);
    arena_free(&a);
    trap_clear(&t);
    check_refusals();
    check_limits();
    return test_finish("t-regex");
}
