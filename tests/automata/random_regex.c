#include "random_regex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TREE = 60 };

static const char *const letters[REGEX_LETTERS] = {"a", "b", "Z", "7", "8",  "_", " ",
                                                   "-", "]", "^", "é", "\n", "&", "\\"};

const uint32_t regex_few[REGEX_FEW] = {0, 7, 11};

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

typedef enum tree_op { T_SET, T_EMPTY, T_ASSERT, T_JOIN, T_OR, T_AND, T_NOT, T_REPEAT, T_LOOK } tree_op;

typedef enum assertion {
    AT_START,
    AT_END,
    AT_LAST_LINE,
    AT_BOUNDARY,
    AT_NO_BOUNDARY,
    AT_LINE,
    AT_LINE_END
} assertion;

static const struct {
    const char *text;
    assertion holds;
} assertions[] = {{"^", AT_START},         {"\\A", AT_START},        {"$", AT_END},
                  {"\\z", AT_END},         {"\\Z", AT_LAST_LINE},    {"\\b", AT_BOUNDARY},
                  {"\\B", AT_NO_BOUNDARY}, {"(?m:^)", AT_LINE},      {"(?m:$)", AT_LINE_END},
                  {"(?-m:^)", AT_START},   {"(?^ms:$)", AT_LINE_END}};
enum { ASSERTIONS = sizeof assertions / sizeof *assertions };

typedef struct tree {
    tree_op op;
    size_t left, right;
    unsigned set;
    unsigned least, most; /* most 99: without end */
    unsigned assertion;
    bool behind, negated; /* LOOK */
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

/* ---- random trees, and their texts ---- */

static unsigned members_of(const char *list) {
    unsigned set = 0;
    for (size_t k = 0; k < REGEX_LETTERS; k++)
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
    unsigned all = (1u << REGEX_LETTERS) - 1, count = 0, only = 0;
    for (unsigned k = 0; k < REGEX_LETTERS; k++)
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
    bool negated = count == REGEX_LETTERS ? false : count == 0 || random_below(r, 4) == 0;
    put(w, negated ? "[^" : "[");
    unsigned written = negated ? all & ~set : set;
    for (unsigned k = 0; k < REGEX_LETTERS; k++)
        if (written >> k & 1) put_letter(w, r, k, true);
    put(w, "]");
}

static size_t random_tree(tree *t, size_t *count, test_random *r, size_t budget, unsigned kind) {
    size_t me = (*count)++;
    bool looks = kind & REGEX_LOOKS, extended = kind & REGEX_EXTENDED;
    tree made = {.op = T_SET};
    if (budget < 2) {
        unsigned choice = (unsigned)random_below(r, looks ? 12 : 10);
        if (choice >= 10) {
            made.op = T_ASSERT;
            made.assertion = (unsigned)random_below(r, ASSERTIONS);
            t[me] = made;
            return me;
        }
        if (choice == 0)
            made.op = T_EMPTY;
        else if (choice < 5)
            made.set = 1u << (looks ? regex_few[random_below(r, REGEX_FEW)] : random_below(r, REGEX_LETTERS));
        else if (choice < 8)
            made.set = members_of(named[random_below(r, sizeof named / sizeof *named)].members);
        else
            made.set = (unsigned)random_below(r, 1u << REGEX_LETTERS);
        t[me] = made;
        return me;
    }
    size_t half = 1 + (size_t)random_below(r, budget - 1);
    unsigned choice = (unsigned)random_below(r, extended ? 11 : 8);
    bool look = looks && !random_below(r, 3);
    made.op = choice < 3 ? T_JOIN : choice < 5 ? T_OR : choice < 8 ? T_REPEAT : choice < 10 ? T_AND : T_NOT;
    if (made.op == T_REPEAT) {
        static const unsigned bounds[][2] = {{0, 99}, {1, 99}, {0, 1}, {2, 2}, {1, 3},
                                             {2, 99}, {0, 2},  {0, 0}, {3, 5}};
        size_t b = (size_t)random_below(r, sizeof bounds / sizeof *bounds);
        made.least = bounds[b][0];
        made.most = bounds[b][1];
    }
    if (look) {
        made.op = T_LOOK;
        made.behind = random_below(r, 2);
        made.negated = random_below(r, 2);
    }
    bool one = made.op == T_REPEAT || made.op == T_NOT || made.op == T_LOOK;
    made.left = random_tree(t, count, r, one ? budget - 1 : half, kind);
    if (!one) made.right = random_tree(t, count, r, budget - half, kind);
    t[me] = made;
    return me;
}

/* Binding: 0 or, 1 and, 2 join, 3 not, 4 what may be repeated. */
static void write_tree(writer *w, const tree *t, size_t at, test_random *r, int binding) {
    static const int own[] = {4, 2, 4, 2, 0, 1, 3, 3, 4};
    const tree *n = &t[at];
    bool paren = own[n->op] < binding || n->op == T_EMPTY || !random_below(r, 12);
    if (paren) {
        static const char *const open[] = {"(", "(", "(?:", "(?P<name_1>", "(?<n>"};
        put(w, open[random_below(r, 5)]);
    }
    switch (n->op) {
    case T_EMPTY: break;
    case T_ASSERT: put(w, assertions[n->assertion].text); break;
    case T_LOOK:
        put(w, n->behind ? n->negated ? "(?<!" : "(?<=" : n->negated ? "(?!" : "(?=");
        write_tree(w, t, n->left, r, 0);
        put(w, ")");
        break;
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

/* ---- what a tree matches ---- */

typedef struct spans {
    unsigned char of[REGEX_LONGEST + 1][REGEX_LONGEST + 1]; /* [i][j]: letters i to j - 1 match */
} spans;

static spans joined(const spans *x, const spans *y, size_t n) {
    spans z = {0};
    for (size_t i = 0; i <= n; i++)
        for (size_t k = i; k <= n; k++)
            for (size_t j = k; j <= n; j++) z.of[i][j] |= x->of[i][k] && y->of[k][j];
    return z;
}

static bool is_word(const uint32_t *word, size_t n, size_t k) { return k < n && members_of("abZ78_") >> word[k] & 1; }

static bool is_newline(const uint32_t *word, size_t k) { return !strcmp(letters[word[k]], "\n"); }

static bool asserts(assertion x, const uint32_t *word, size_t n, size_t i) {
    bool boundary = (i > 0 && is_word(word, n, i - 1)) != is_word(word, n, i);
    switch (x) {
    case AT_START: return i == 0;
    case AT_END: return i == n;
    case AT_LAST_LINE: return i == n || (i + 1 == n && is_newline(word, i));
    case AT_BOUNDARY: return boundary;
    case AT_NO_BOUNDARY: return !boundary;
    case AT_LINE: return i == 0 || is_newline(word, i - 1);
    case AT_LINE_END: return i == n || is_newline(word, i);
    }
    return false;
}

static spans matches(const tree *t, size_t at, const uint32_t *word, size_t n) {
    const tree *x = &t[at];
    spans z = {0}, left, right, empty = {0};
    for (size_t i = 0; i <= n; i++) empty.of[i][i] = 1;
    if (x->op >= T_JOIN) left = matches(t, x->left, word, n);
    if (x->op == T_JOIN || x->op == T_OR || x->op == T_AND) right = matches(t, x->right, word, n);
    switch (x->op) {
    case T_EMPTY: return empty;
    case T_ASSERT:
        for (size_t i = 0; i <= n; i++) z.of[i][i] = asserts(assertions[x->assertion].holds, word, n, i);
        return z;
    case T_LOOK:
        for (size_t i = 0; i <= n; i++) {
            for (size_t j = 0; j <= n; j++) z.of[i][i] |= x->behind ? left.of[j][i] : left.of[i][j];
            z.of[i][i] ^= x->negated;
        }
        return z;
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

void regex_random_alphabet(alphabet *abc, arena *a) {
    alphabet_init(abc, a, false);
    for (size_t k = 0; k < REGEX_LETTERS; k++) alphabet_add(abc, letters[k], strlen(letters[k]));
}

/* ---- all of it ---- */

struct random_regex {
    tree nodes[4 * TREE];
    writer text;
};

random_regex *regex_random(test_random *r, size_t budget, unsigned kind) {
    static random_regex x;
    bool extended = kind & REGEX_EXTENDED;
    size_t count = 0, prefix = extended ? 4 : 0;
    random_tree(x.nodes, &count, r, budget, kind);
    x.text.length = 0;
    if (extended) put(&x.text, "(?&)");
    write_tree(&x.text, x.nodes, 0, r, 0);
    if (x.text.length == prefix) put(&x.text, "()");
    return &x;
}

const char *regex_random_text(const random_regex *x) { return x->text.bytes; }

void regex_random_matches(unsigned char *at, const random_regex *x, const uint32_t *word, size_t n) {
    for (size_t k = 0; k <= n; k++) at[k] = matches(x->nodes, 0, word, k).of[0][k]; /* assertions see the end */
}

size_t regex_random_word(uint32_t word[REGEX_LONGEST], test_random *r) {
    size_t n = (size_t)random_below(r, REGEX_LONGEST + 1);
    unsigned pool = 1 + (unsigned)random_below(r, REGEX_LETTERS);
    for (size_t k = 0; k < n; k++) word[k] = (uint32_t)(random_below(r, pool) * 5 % REGEX_LETTERS);
    return n;
}
