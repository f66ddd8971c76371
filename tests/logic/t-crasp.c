/* C-RASP: programs against plain C functions for their languages, and random programs against an interpreter that
   follows the definitions of the language position by position. */
#include "program.h"
#include "temper.h"
#include "test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- programs whose language is known ------------------------------------------------------------------------- */

static size_t occurrences(const char *w, char c) {
    size_t count = 0;
    for (; *w; w++) count += *w == c;
    return count;
}

static bool is_dyck(const char *w) {
    long depth = 0;
    for (; *w; w++) {
        depth += *w == '(' ? 1 : -1;
        if (depth < 0) return false;
    }
    return depth == 0;
}

static bool is_majority(const char *w) { return 2 * occurrences(w, 'a') > strlen(w); }
static bool is_parity(const char *w) { return occurrences(w, 'a') % 2 == 1; }
static bool is_equal(const char *w) { return occurrences(w, 'a') == occurrences(w, 'b'); }
static bool is_tie(const char *w) {
    size_t a = occurrences(w, 'a'), b = occurrences(w, 'b'), c = occurrences(w, 'c');
    return (a < b ? a : b) == c;
}
static bool is_top(const char *w) {
    size_t a = occurrences(w, 'a'), b = occurrences(w, 'b'), c = occurrences(w, 'c');
    size_t top = a > b ? a : b;
    return top >= c && top <= 2;
}

/* a^n b^n c^n, n >= 0 */
static bool is_abc(const char *w) {
    size_t n = strlen(w);
    if (n % 3) return false;
    for (size_t k = 0; k < n; k++)
        if (w[k] != "abc"[k / (n / 3)]) return false;
    return true;
}

static bool ends_in_a(const char *w) { return *w && w[strlen(w) - 1] == 'a'; }
static bool is_sorted(const char *w) {
    for (; w[0] && w[1]; w++)
        if (w[0] > w[1]) return false;
    return true;
}
static bool holds_ab(const char *w) { return strstr(w, "ab"); }
static bool first_is_a(const char *w) { return *w == 'a'; }
static bool everything(const char *w) { return w || true; }
static bool nothing(const char *w) { return !w; }
static bool before_last_even(const char *w) {
    size_t n = strlen(w), count = 0;
    for (size_t k = 0; k + 1 < n; k++) count += w[k] == 'b';
    return count % 2 == 0;
}
static bool weighted(const char *w) {
    return 3 * (long)occurrences(w, 'a') - 2 * (long)occurrences(w, 'b') + 1 >= (long)occurrences(w, 'c');
}
static bool by_last(const char *w) {
    size_t n = strlen(w);
    switch (w[n - 1]) {
    case 'a': return occurrences(w, 'a') > 2;
    case 'b': return occurrences(w, 'b') > 1;
    default: return n > 3;
    }
}

static const struct {
    const char *letters, *text;
    bool (*accepts)(const char *w);
} programs[] = {
    {"()",
     "C_open = # \"(\"\nC_close = # \")\"\nV = C_open < C_close\nC_V = # V\nM = C_V == 0\nB = C_open == C_close\n"
     "D = M && B\n",
     is_dyck},
    {"()", "// one line\n# '(' = # ')' & # (# '(' < # ')') = 0", is_dyck},
    {"()",
     "alphabet ( )\nC_l(i) := # [j <= i] Q_'('(j)\nC_r(i) := #[j≤i] Q_')'(j)\nV(i) := C_l(i) < C_r(i)\n"
     "C_v(i) := # [j<=i] V(j)\nY(i) := C_v(i) = 0 ∧ C_l(i) = C_r(i)",
     is_dyck},
    {"ab", "alphabet a b\n2*#a > #1", is_majority},
    {"ab", "alphabet a b\nN = # true\nMAJ = # Q_a > N - #[a]", is_majority},
    {"ab", "alphabet a b\nA = #a\nA % 2 == 1", is_parity},
    {"ab", "alphabet a b\n1 == (3*#a + 4) % 2", is_parity},
    {"ab", "# a == # b", is_equal},
    {"ab", "X = (#a - #b)\n!(X < 0 || X > 0)", is_equal},
    {"abc", "A = # a\nB = # b\nC = # c\nBad = (a && B + C > 0) || (b && C > 0)\nV = # Bad == 0 && A == B && B == C",
     is_abc},
    {"abc", "min(#a, #b) == #c", is_tie},
    {"abc", "(#a <= #b ? #a : #b) = #c", is_tie},
    {"abc", "alphabet a b c\nT = max(#a, #b)\nT >= #c && T <= 2", is_top},
    {"abc", "-max(-3, -max(#a, #b), -#c) <= 2 & max(#a, #b) >= #c & max(#a, #b) < 3", is_top},
    {"ab", "alphabet a b\n(Q_a)", ends_in_a},
    {"ab", "alphabet a b\nL = \"a\" ? 1 : 0\nL", ends_in_a},
    {"ab", "alphabet a b\nL = \"a\" ? 1 : 0\nL + L == 2", ends_in_a},
    {"ab", "#[a & #b > 0] = 0", is_sorted},
    {"abc", "# ((a && #b + #c > 0) || (b && #c > 0)) = 0", is_sorted},
    {"ab", "alphabet a b\nT = 1\nP = #T == 1\nF = #(P && a) > 0\nF", first_is_a},
    {"ab", "alphabet a b\n#[j<i] 1 == 0 ? a : #(#1 = 1 & a) = 1", first_is_a},
    {"ab", "alphabet a b\n1", everything},
    {"ab", "alphabet a b\nZ = 0\n# Z > Z", nothing},
    {"ab", "alphabet a b\n# [j < i] Q_b(j) % 2 = 0", before_last_even},
    {"abc", "3*#a - #b*2 + 1 >= #c", weighted},
    {"abc", "#a + #a - -#a - #b - #b - #c >= -1", weighted},
    {"abc", "C = a ? #a - 2 : b ? #b - 1 : #(a | b | c) - 3\nC > 0", by_last},
    {"ab", "#[b & #a > 0 & !(# [j<i] a < 1)] > 0", holds_ab},
    {"ab", "!# !(b -> #a = 0) == 0", holds_ab},
};

static temper_spec *parse(const char *source) { return program_parse(source, TEMPER_SYNTAX_CRASP); }

static void test_programs(void) {
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        temper_spec *spec = parse(programs[k].text), *again = NULL;
        if (!spec) continue;
        char *printed = NULL;
        temper_error err = {0};
        temper_spec_print(&printed, spec, &err);
        if (CHECK(printed, "%s: %s", programs[k].text, err.text)) {
            temper_spec_parse(&again, printed, strlen(printed), NULL, &err);
            CHECK(again, "printed text does not parse: %s in\n%s", err.text, printed);
        }
        char w[16] = "";
        unsigned char truth[16], other[16];
        while (program_next_word(w, programs[k].letters, 7)) {
            int accept = program_truths(truth, spec, w);
            CHECK(accept == programs[k].accepts(w), "on %s: %d from\n%s", w, accept, programs[k].text);
            if (again) CHECK(program_truths(other, again, w) == accept, "reprinted, on %s:\n%s", w, printed);
        }
        temper_free(printed);
        temper_spec_free(spec);
        temper_spec_free(again);
    }
}

/* ---- random programs ---- */

typedef enum kind {
    LETTER,
    TRUTH,
    NAME_TRUTH,
    NOT,
    AND,
    OR,
    XOR,
    IMPLIES,
    IFF,
    IF_TRUTH,
    COMPARE,
    MODULO,
    NUMBER,
    NAME_COUNT,
    COUNT,
    COUNT_STRICT,
    ADD,
    SUBTRACT,
    SCALE,
    NEGATE,
    MIN,
    MAX,
    IF_COUNT
} kind;

typedef struct expression {
    kind kind;
    int number; /* letter, name, constant, factor, comparison */
    int modulus, residue;
    struct expression *kids[3];
} expression;

enum { LINES = 6, LONGEST = 5 };

typedef struct program {
    expression *lines[LINES];
    bool counts[LINES];
    size_t count;
} program;

static test_random rnd;
static expression pool[4096];
static size_t pool_used;

static int below(int limit) { return (int)random_below(&rnd, (uint64_t)limit); }

static expression *node(kind k) {
    expression *e = &pool[pool_used++];
    *e = (expression){.kind = k};
    return e;
}

/* A line of this type above, or -1. */
static int pick_line(const program *p, bool count) {
    for (int tries = 0; tries < 4 && p->count; tries++) {
        int k = below((int)p->count);
        if (p->counts[k] == count) return k;
    }
    return -1;
}

static expression *random_count(const program *p, int depth);

static expression *random_truth(const program *p, int depth) {
    static const kind inner[] = {NOT, AND,      AND,     OR,      OR,      XOR,   IMPLIES,
                                 IFF, IF_TRUTH, COMPARE, COMPARE, COMPARE, MODULO};
    int line = pick_line(p, false);
    if (depth == 0 || below(6) == 0) {
        expression *e = node(line >= 0 && below(2) ? NAME_TRUTH : below(8) ? LETTER : TRUTH);
        e->number = e->kind == NAME_TRUTH ? line : e->kind == LETTER ? below(3) : below(2);
        return e;
    }
    expression *e = node(inner[below(sizeof inner / sizeof *inner)]);
    if (e->kind == COMPARE || e->kind == MODULO) {
        e->number = below(6);
        e->modulus = 1 + below(4);
        e->residue = below(5) - 1;
        e->kids[0] = random_count(p, depth - 1);
        if (e->kind == COMPARE) e->kids[1] = random_count(p, depth - 1);
        return e;
    }
    int kids = e->kind == NOT ? 1 : e->kind == IF_TRUTH ? 3 : 2;
    for (int k = 0; k < kids; k++) e->kids[k] = random_truth(p, depth - 1);
    return e;
}

static expression *random_count(const program *p, int depth) {
    static const kind inner[] = {COUNT, COUNT, COUNT, COUNT_STRICT, ADD, SUBTRACT, SCALE, NEGATE, MIN, MAX, IF_COUNT};
    int line = pick_line(p, true);
    if (depth == 0 || below(6) == 0) {
        expression *e = node(line >= 0 && below(2) ? NAME_COUNT : NUMBER);
        e->number = e->kind == NAME_COUNT ? line : below(4);
        return e;
    }
    expression *e = node(inner[below(sizeof inner / sizeof *inner)]);
    e->number = below(4);
    bool counts = e->kind == COUNT || e->kind == COUNT_STRICT;
    int kids = counts || e->kind == SCALE || e->kind == NEGATE ? 1 : e->kind == IF_COUNT ? 3 : 2;
    for (int k = 0; k < kids; k++)
        e->kids[k] =
            counts || (e->kind == IF_COUNT && k == 0) ? random_truth(p, depth - 1) : random_count(p, depth - 1);
    return e;
}

/* The definitions of the language; values[line][i] for the lines above. */
static long value(const expression *e, long values[LINES][LONGEST + 1], const char *w, int i) {
    long x, y, m;
#define KID(k) value(e->kids[k], values, w, i)
    switch (e->kind) {
    case LETTER: return w[i - 1] == "abc"[e->number];
    case TRUTH:
    case NUMBER: return e->number;
    case NAME_TRUTH:
    case NAME_COUNT: return values[e->number][i];
    case NOT: return !KID(0);
    case AND: return KID(0) && KID(1);
    case OR: return KID(0) || KID(1);
    case XOR: return KID(0) != KID(1);
    case IMPLIES: return !KID(0) || KID(1);
    case IFF: return KID(0) == KID(1);
    case IF_TRUTH:
    case IF_COUNT: return KID(0) ? KID(1) : KID(2);
    case COMPARE:
    case MODULO:
        x = KID(0);
        if (e->kind == COMPARE) {
            y = KID(1);
        } else {
            m = e->modulus;
            x = (x % m + m) % m;
            y = e->residue;
        }
        return (long[]){x == y, x != y, x<y, x <= y, x> y, x >= y}[e->number];
    case COUNT:
    case COUNT_STRICT:
        x = 0;
        for (int j = 1; e->kind == COUNT ? j <= i : j < i; j++) x += value(e->kids[0], values, w, j);
        return x;
    case ADD: return KID(0) + KID(1);
    case SUBTRACT: return KID(0) - KID(1);
    case SCALE: return e->number * KID(0);
    case NEGATE: return -KID(0);
    case MIN: return x = KID(0), y = KID(1), x < y ? x : y;
    case MAX: return x = KID(0), y = KID(1), x > y ? x : y;
    }
    return 0;
#undef KID
}

/* Printing with the parentheses that are needed, and sometimes more. */
static const int levels[] = {
    [LETTER] = 11, [TRUTH] = 11,      [NAME_TRUTH] = 11, [NOT] = 6,           [AND] = 5,     [OR] = 3,
    [XOR] = 4,     [IMPLIES] = 2,     [IFF] = 2,         [IF_TRUTH] = 1,      [COMPARE] = 7, [MODULO] = 7,
    [NUMBER] = 11, [NAME_COUNT] = 11, [COUNT] = 11,      [COUNT_STRICT] = 11, [ADD] = 8,     [SUBTRACT] = 8,
    [SCALE] = 10,  [NEGATE] = 9,      [MIN] = 11,        [MAX] = 11,          [IF_COUNT] = 1};

static char out[1 << 16];
static size_t used;
static bool plain_equals; /* not on a line without a name: NAME = ... would define it */

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...) {
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(out + used, sizeof out - used, format, args);
    va_end(args);
}

static void print(const expression *e, int level, char index);

static void print_binary(const expression *e, const char *sign, int left, int right, char index) {
    print(e->kids[0], left, index);
    put("%s%s%s", below(2) ? " " : "", sign, below(2) || *sign == '-' || *sign == '=' ? " " : "");
    print(e->kids[1], right, index);
}

static void print_bare(const expression *e, char index) {
    static const char *const compares[] = {"==", "!=", "<", "<=", ">", ">="};
    int own = levels[e->kind];
    char at[4] = "";
    if (index) snprintf(at, sizeof at, "(%c)", index);
    switch (e->kind) {
    case LETTER:
        put((const char *[]){"%c", "\"%c\"", "Q_%c", "'%c'"}[below(4)], "abc"[e->number]);
        put("%s", at);
        break;
    case TRUTH: put("%s", (const char *[]){"false", "true", "0", "1"}[e->number + 2 * below(2)]); break;
    case NUMBER: put("%d", e->number); break;
    case NAME_TRUTH:
    case NAME_COUNT: put("L%d%s", e->number, at); break;
    case NOT:
        put("%s", (const char *[]){"!", "~", "¬"}[below(3)]);
        print(e->kids[0], own, index);
        break;
    case AND: print_binary(e, (const char *[]){"&&", "&", "∧"}[below(3)], own, own + 1, index); break;
    case OR: print_binary(e, (const char *[]){"||", "|", "∨"}[below(3)], own, own + 1, index); break;
    case XOR: print_binary(e, below(2) ? "^" : "⊕", own, own + 1, index); break;
    case IMPLIES: print_binary(e, "->", own + 1, e->kids[1]->kind == IMPLIES ? own : own + 1, index); break;
    case IFF: print_binary(e, "<->", own + 1, own + 1, index); break;
    case IF_TRUTH:
    case IF_COUNT:
        print(e->kids[0], own + 1, index);
        put(" ? ");
        print(e->kids[1], own, index);
        put(" : ");
        print(e->kids[2], own, index);
        break;
    case COMPARE:
        print_binary(e,
                     e->number                  ? compares[e->number]
                     : plain_equals && below(2) ? "="
                                                : "==",
                     own + 1, own + 1, index);
        break;
    case MODULO:
        print(e->kids[0], 10, index);
        put(" %% %d %s %d", e->modulus, compares[e->number], e->residue);
        break;
    case COUNT:
    case COUNT_STRICT:
        if (e->kind == COUNT && below(2)) {
            put("#[");
            print(e->kids[0], 0, index == 'j' ? 0 : index);
            put("]");
        } else {
            bool masked = e->kind == COUNT_STRICT || below(2);
            bool negated = e->kids[0]->kind == NOT;
            put(masked ? (e->kind == COUNT ? "# [j<=i] " : "# [j < i]") : "# ");
            if (negated) put("!");
            print(negated ? e->kids[0]->kids[0] : e->kids[0], 11,
                  masked         ? (below(2) ? 'j' : 0)
                  : index == 'i' ? 'i'
                                 : 0);
        }
        break;
    case ADD: print_binary(e, "+", own, own + 1, index); break;
    case SUBTRACT: print_binary(e, "-", own, own + 1, index); break;
    case SCALE:
        if (below(2)) {
            put("%d * ", e->number);
            print(e->kids[0], own + 1, index);
        } else {
            print(e->kids[0], own + 1, index);
            put("*%d", e->number);
        }
        break;
    case NEGATE:
        put("- ");
        print(e->kids[0], own + 1, index);
        break;
    case MIN:
    case MAX:
        put(e->kind == MIN ? "min(" : "max (");
        print(e->kids[0], 0, index);
        put(", ");
        print(e->kids[1], 0, index);
        put(")");
        break;
    }
}

static void print(const expression *e, int level, char index) {
    bool parens = levels[e->kind] < level || below(8) == 0;
    if (parens) put("(");
    print_bare(e, index);
    if (parens) put(")");
}

static void test_random_program(void) {
    program p = {0};
    pool_used = used = 0;
    put("alphabet a b c\n");
    size_t lines = 1 + (size_t)below(LINES);
    while (p.count < lines) {
        bool count = p.count + 1 < lines && below(2);
        expression *e = count ? random_count(&p, 3) : random_truth(&p, 4);
        bool positions = below(2);
        plain_equals = p.count + 1 < lines || below(2);
        if (plain_equals) put("L%zu%s %s ", p.count, positions ? "(i)" : "", below(2) ? ":=" : "=");
        print(e, 0, positions ? 'i' : 0);
        put("\n");
        p.counts[p.count] = count;
        p.lines[p.count++] = e;
    }
    temper_spec *spec = parse(out);
    if (!spec) return;
    char w[16] = "";
    unsigned char truth[16];
    while (program_next_word(w, "abc", LONGEST)) {
        long values[LINES][LONGEST + 1];
        int n = (int)strlen(w);
        for (size_t k = 0; k < p.count; k++)
            for (int i = 1; i <= n; i++) values[k][i] = value(p.lines[k], values, w, i);
        program_truths(truth, spec, w);
        for (int i = 1; i <= n; i++)
            if (!CHECK(truth[i - 1] == values[p.count - 1][i], "on %s at %d: %d from\n%s", w, i, truth[i - 1], out))
                break;
    }
    temper_spec_free(spec);
}

/* ---- size ---- */

/* prefix repeated, middle, suffix repeated */
static char *nest(const char *prefix, const char *middle, const char *suffix, size_t times) {
    size_t a = strlen(prefix), b = strlen(middle), c = strlen(suffix);
    char *text = malloc(times * (a + c) + b + 1), *t = text;
    for (size_t k = 0; k < times; k++, t += a) memcpy(t, prefix, a);
    memcpy(t, middle, b);
    t += b;
    for (size_t k = 0; k < times; k++, t += c) memcpy(t, suffix, c);
    *t = 0;
    return text;
}

static void test_size(void) {
    static const struct {
        const char *prefix, *middle, *suffix;
        int on_a;
    } deep[] = {{"(", "a", ")", 1},        {"!", "a", "", 1},        {"#[", "a", "] > 0", 1},
                {"# (", "a", ") > 0", 1},  {"b -> ", "a", "", 1},    {"", "a", " & a", 1},
                {"a ? ", "a", " : b", 1},  {"b ? b : ", "a", "", 1}, {"- ", "1", "", -1},
                {"(", "#a", " + #a)", -1}, {"(1 + ", "#a", ")", -1}, {"min(2, ", "#a", ")", -1}};
    for (size_t k = 0; k < sizeof deep / sizeof *deep; k++) {
        char *body = nest(deep[k].prefix, deep[k].middle, deep[k].suffix, 30000);
        char *text = malloc(strlen(body) + 64);
        sprintf(text, "alphabet a b\n%s%s", body, deep[k].on_a < 0 ? " > 0" : "");
        temper_spec *spec = parse(text);
        if (spec) {
            int accept = program_truths(NULL, spec, "a");
            CHECK(accept == 1, "nested 30000 times: %s %s %s", deep[k].prefix, deep[k].middle, deep[k].suffix);
        }
        temper_spec_free(spec);
        free(text);
        free(body);
    }
    /* forty conditions, forty-one sums: no power of two */
    used = 0;
    put("tokens yes\n");
    for (int k = 0; k < 40; k++) put("P%d = # t%d > 0\n", k, k);
    put("0");
    for (int k = 0; k < 40; k++) put(" + (P%d ? 1 : 0)", k);
    put(" == 2\n");
    temper_spec *spec = parse(out);
    if (spec) {
        CHECK(program_truths(NULL, spec, "t3 t3 t17") == 1, "two of forty");
        CHECK(program_truths(NULL, spec, "t3 t3 t17 t0") == 0, "three of forty");
    }
    temper_spec_free(spec);
    /* as many conditions with different weights: refused, at the sum */
    used = 0;
    put("tokens yes\n");
    for (int k = 0; k < 20; k++) put("P%d = # t%d > 0\n", k, k);
    put("0");
    for (int k = 0; k < 20; k++) put(" + (P%d ? %d : 0)", k, 1 << k);
    put(" == 2\n");
    temper_error err;
    temper_spec_options options = {.syntax = TEMPER_SYNTAX_CRASP};
    temper_status status = temper_spec_parse(&spec, out, used, &options, &err);
    CHECK(status == TEMPER_LIMIT && err.line == 22 && !spec, "%d %zu %s", (int)status, err.line, err.text);
}

int main(void) {
    rnd = test_seed(7);
    test_programs();
    int rounds = (int)(250 * test_effort());
    for (int k = 0; k < rounds; k++) test_random_program();
    test_size();
    return test_finish("t-crasp");
}
