/* \X two ways: automata of the library and of the auditor, and clusters found one boundary after the other by the
   rules of annex 29, on all short strings of one letter of each kind and on random longer ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit_regex.h"
#include "automata/regex.h"
#include "base/entry.h"
#include "test.h"

typedef enum kind {
    CR,
    LF,
    CONTROL,
    EXTEND,
    ZWJ,
    FLAG,
    PREPEND,
    SPACING,
    L,
    V,
    T,
    LV,
    LVT,
    EMOJI,
    OTHER,
    KINDS
} kind;

/* Some characters of each. */
static const uint32_t characters[KINDS][2] = {
    {'\r', '\r'},       {'\n', '\n'},     {'\t', 0x200B},   {0x301, 0x1F3FD}, {0x200D, 0x200D},
    {0x1F1E9, 0x1F1EA}, {0x600, 0x110BD}, {0x903, 0x1B3E},  {0x1100, 0xA960}, {0x1161, 0xD7B0},
    {0x11A8, 0xD7CB},   {0xAC00, 0xD788}, {0xAC01, 0xD7A3}, {0xA9, 0x1F468},  {'a', 0x4E00}};

static bool is_mark(kind k) { return k == EXTEND || k == ZWJ || k == SPACING; }
static bool is_control(kind k) { return k == CR || k == LF || k == CONTROL; }

/* Whether a joiner before i, in a cluster from `start` on, joins a picture before it to the one at i. */
static bool is_joined(const kind *s, size_t start, size_t i) {
    if (s[i] != EMOJI || s[i - 1] != ZWJ) return false;
    size_t k = i - 1;
    while (k > start && s[k - 1] == EXTEND) k--;
    return k > start && s[k - 1] == EMOJI;
}

/* Whether nothing ends between i - 1 and i. */
static bool goes_on(const kind *s, size_t start, size_t i) {
    kind x = s[i - 1], y = s[i];
    size_t flags = 0;
    while (flags < i && s[i - 1 - flags] == FLAG) flags++;
    if (x == CR && y == LF) return true;
    if (is_control(x) || is_control(y)) return false;
    if (is_mark(y) || x == PREPEND) return true;
    if (x == L) return y == L || y == V || y == LV || y == LVT;
    if (x == LV || x == V) return y == V || y == T;
    if (x == LVT || x == T) return y == T;
    if (x == FLAG) return y == FLAG && flags % 2;
    return is_joined(s, start, i);
}

static size_t cluster_end(const kind *s, size_t n, size_t start) {
    size_t i = start + 1;
    while (i < n && goes_on(s, start, i)) i++;
    return i;
}

/* ---- expressions: a sequence of letters and clusters, each once, perhaps, or again and again ---- */

enum { ITEMS = 4, LONGEST = 12 };

typedef struct item {
    bool cluster;
    char repeat; /* 0 ? * */
} item;

typedef struct expression {
    item items[ITEMS];
    size_t count;
    char text[60];
} expression;

static expression random_expression(test_random *r) {
    expression e = {.count = 1 + (size_t)random_below(r, ITEMS)};
    size_t length = (size_t)sprintf(e.text, "(?s)");
    for (size_t k = 0; k < e.count; k++) {
        e.items[k] = (item){random_below(r, 3) > 0, "\0\0?*"[random_below(r, 4)]};
        length += (size_t)sprintf(e.text + length, "%s", e.items[k].cluster ? "\\X" : ".");
        if (e.items[k].repeat) e.text[length++] = e.items[k].repeat, e.text[length] = 0;
    }
    return e;
}

static bool matches(const expression *e, const kind *s, size_t n) {
    bool at[LONGEST + 1] = {true};
    for (size_t k = 0; k < e->count; k++) {
        bool next[LONGEST + 1] = {false};
        for (size_t i = 0; i <= n; i++) {
            if (e->items[k].repeat) next[i] |= at[i];
            if (i == n || !(at[i] || (e->items[k].repeat == '*' && next[i]))) continue;
            next[e->items[k].cluster ? cluster_end(s, n, i) : i + 1] = true;
        }
        memcpy(at, next, sizeof at);
    }
    return at[n];
}

/* ---- both readers ---- */

typedef struct reading {
    arena *arena;
    const char *text;
    alphabet letters;
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

static unsigned long compared, audited;

static void check_string(const reading *x, const expression *e, const kind *s, size_t n) {
    uint32_t word[LONGEST], state = 0;
    char shown[LONGEST + 1] = "";
    for (size_t k = 0; k < n; k++) {
        word[k] = s[k];
        shown[k] = (char)('a' + s[k]);
        if (x->audited) state = x->audited->next[(size_t)state * x->audited->classes + x->audited->class_of[s[k]]];
    }
    bool right = matches(e, s, n);
    compared++;
    audited += x->audited != NULL;
    CHECK(dfa_accepts(x->compiled, word, n) == right, "%s on kinds '%s': %d", e->text, shown, !right);
    if (x->audited)
        CHECK(x->audited->accepts[state] == right, "%s on kinds '%s': audited %d", e->text, shown, !right);
}

static void check_expression(test_random *r, arena *a, size_t longest, unsigned random_strings) {
    expression e = random_expression(r);
    reading x = {.arena = a, .text = e.text};
    trap inside, *outside = a->trap;
    alphabet_init(&x.letters, a, false);
    for (int k = 0; k < KINDS; k++) {
        char utf8[4];
        alphabet_add(&x.letters, utf8, utf8_encode(utf8, characters[k][random_below(r, 2)]));
    }
    a->trap = &inside;
    bool done = trap_attempt(&inside, &x.compile_error, compile, &x);
    trap_attempt(&inside, &x.audit_error, audit_text, &x);
    a->trap = outside;
    if (!CHECK(done, "%s: %s", e.text, x.compile_error.text)) return;
    CHECK(x.audited || x.audit_error.code == TEMPER_LIMIT, "%s: %s", e.text, x.audit_error.text);
    for (size_t n = 0; n <= longest; n++) {
        kind s[LONGEST] = {CR};
        for (size_t k = 0; k < n || !k;) {
            check_string(&x, &e, s, n);
            for (k = 0; k < n && ++s[k] == KINDS; k++) s[k] = CR;
            if (k >= n) break;
            k = 0;
        }
    }
    for (unsigned t = 0; t < random_strings; t++) {
        static const kind often[] = {FLAG, FLAG, EMOJI, ZWJ, EXTEND, PREPEND, L, V, OTHER};
        kind s[LONGEST];
        size_t n = 1 + (size_t)random_below(r, LONGEST);
        for (size_t k = 0; k < n; k++)
            s[k] = random_below(r, 2) ? often[random_below(r, 9)] : (kind)random_below(r, KINDS);
        check_string(&x, &e, s, n);
    }
}

int main(void) {
    test_random r = test_seed(72);
    arena a;
    trap t;
    temper_error e;
    arena_init(&a, &t);
    if (trap_set(&t, &e)) {
        fprintf(stderr, "t-regex-cluster: %s\n", e.text);
        abort();
    }
    unsigned trials = (unsigned)(30 * test_effort()) + 1;
    for (unsigned k = 0; k < trials; k++) {
        check_expression(&r, &a, k % 8 ? 2 : 3, 300);
        arena_reset(&a);
    }
    CHECK(test_effort() < 1 || compared > 20000, "only %lu strings", compared);
    CHECK(2 * audited >= compared, "only %lu of %lu audited", audited, compared);
    printf("%lu strings, %lu audited\n", compared, audited);
    arena_free(&a);
    trap_clear(&t);
    return test_finish("t-regex-cluster");
}
