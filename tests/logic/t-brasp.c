/* B-RASP: programs against plain C functions for their languages, and random programs against an interpreter that
   looks at every j for every i, as the definition of attention says. */
#include "program.h"
#include "temper.h"
#include "test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- programs whose language is known ------------------------------------------------------------------------- */

static bool dyck_of_depth(const char *w, int most) {
    int depth = 0;
    for (; *w; w++) {
        depth += *w == '(' ? 1 : -1;
        if (depth < 0 || depth > most) return false;
    }
    return depth == 0;
}

static bool is_dyck_1(const char *w) { return dyck_of_depth(w, 1); }
static bool is_dyck_2(const char *w) { return dyck_of_depth(w, 2); }
static bool ends_in_a(const char *w) { return w[strlen(w) - 1] == 'a'; }
static bool holds_a(const char *w) { return strchr(w, 'a'); }
static bool holds_ab(const char *w) { return strstr(w, "ab"); }
static bool first_is_a(const char *w) { return *w == 'a'; }
static bool ends_meet(const char *w) { return w[0] == w[strlen(w) - 1]; }
static bool everything(const char *w) { return w || true; }
static bool nothing(const char *w) { return !w; }
static bool alternates(const char *w) {
    for (; w[1]; w++)
        if (w[0] == w[1]) return false;
    return true;
}
static bool is_sorted(const char *w) {
    for (; w[1]; w++)
        if (w[0] > w[1]) return false;
    return true;
}
/* The last letter occurred before. */
static bool repeats_last(const char *w) {
    size_t n = strlen(w);
    return memchr(w, w[n - 1], n - 1);
}
/* The letter before the last earlier occurrence of the last letter was not it, i.e. an a follows that occurrence. */
static bool induction_a(const char *w) {
    size_t n = strlen(w);
    for (size_t j = n - 1; j-- > 1;)
        if (w[j - 1] == w[n - 1]) return w[j] == 'a';
    return false;
}
/* w sets, u unsets, r reads: the last letter reads a set flip-flop (unset at first). */
static bool flip_flop(const char *w) {
    size_t n = strlen(w);
    if (w[n - 1] != 'r') return false;
    for (size_t j = n - 1; j-- > 0;)
        if (w[j] != 'r') return w[j] == 'w';
    return false;
}
/* Before the last position: a since the last c, or no c at all. */
static bool no_c_before(const char *w) {
    size_t n = strlen(w);
    return !memchr(w, 'c', n - 1);
}

static const struct {
    const char *letters, *text;
    bool (*accepts)(const char *w);
} programs[] = {
    {"ab", "alphabet a b\nY(i) := Q_a(i)\n", ends_in_a},
    {"ab", "alphabet a b\nY(i) := rightmost [1, 1] Q_a(j) : 0", ends_in_a},
    {"ab", "alphabet a b\nY(i) := rightmost [j<=i, 1] Q_a(j)", ends_in_a},
    {"ab", "alphabet a b\nY(i) := leftmost [i<=j, 1] Q_a(j)", ends_in_a},
    {"ab", "alphabet a b\nY(i) := leftmost [j>=i, 1] Q_a(j) : 1", ends_in_a},
    {"ab", "alphabet a b\nY(i) := leftmost [j>i, 1] 0 : Q_a(i)", ends_in_a},
    {"ab", "alphabet a b\nO(i) := ▶ [j<=i, Q_a(j)] 1 : 0", holds_a},
    {"ab", "alphabet a b\nO(i) := ◀_j [j≤i, Q_a(j)] Q_a(j) : 0", holds_a},
    {"ab", "alphabet a b\nN(i) := leftmost [1, Q_a(j)] 0 : 1\nY(i) := !N(i)", holds_a},
    {"ab",
     "P(i) := rightmost [j<i, 1] Q_a(j) : 0  -- the letter before\nM(i) := Q_b(i) & P(i)\n"
     "Y(i) := leftmost [j<=i, M(j)] 1 : 0",
     holds_ab},
    {"ab", "alphabet a b\nY(i) := leftmost [1, 1] Q_a(j) : 0", first_is_a},
    {"ab", "alphabet a b\nF(i) := leftmost [j<i, 1] 0 : 1\nY(i) := leftmost [j<=i, F(j)] Q_a(j)", first_is_a},
    {"abc", "Y(i) := leftmost [1, 1] (Q_a(i) & Q_a(j)) | (Q_b(i) & Q_b(j)) | (Q_c(i) & Q_c(j)) : 0", ends_meet},
    {"ab", "Y(i) := leftmost [j<=i, 1] Q_a(i) <-> Q_a(j)\nZ(i) := Y(i) & (Q_a(i) | Q_b(i))", ends_meet},
    {"ab", "alphabet a b\nY(i) := 1", everything},
    {"ab", "alphabet a b\nY(i) := leftmost [j<=i, 1] 1 : 0", everything},
    {"ab", "alphabet a b\nY(i) := ⊥ ∨ ¬⊤", nothing},
    {"ab", "alphabet a b\nY(i) := leftmost [j<=i, 0] 1", nothing},
    {"()",
     "Left(i) := ▶ [j<i, 1] Q_'('(j) : 0\nRight(i) := ◀ [j>i, 1] Q_')'(j) : 0\n"
     "Paired(i) := (Q_'('(i) ∧ Right(i)) ∨ (Q_')'(i) ∧ Left(i))\n"
     "L2(i) := ▶ [j<i, ¬Paired(j)] Q_'('(j) : 0\nR2(i) := ◀ [j>i, ¬Paired(j)] Q_')'(j) : 0\n"
     "Error(i) := (Q_'('(i) ∧ ¬R2(i) ∧ ¬Paired(i)) ∨ (Q_')'(i) ∧ ¬L2(i) ∧ ¬Paired(i))\n"
     "Y(i) := ▶ [1, Error(j)] 0 : 1",
     is_dyck_2},
    {"()",
     "L(i) := rightmost [j<i, 1] Q_\"(\"(j)\nBad(i) := (Q_'('(i) & L(i)) | (Q_')'(i) & !L(i))\n"
     "Y(i) := leftmost [j<=i, Bad(j)] 0 : Q_')'(i)",
     is_dyck_1},
    {"ab",
     "Same(i) := rightmost [j<i, 1] (Q_a(i) & Q_a(j)) | (Q_b(i) & Q_b(j)) : 0\n"
     "Y(i) := rightmost [j<=i, Same(j)] 0 : 1",
     alternates},
    {"ab",
     "Same(i) := rightmost [j<i, 1] !(Q_a(i) ^ Q_a(j))\nY(i) = rightmost [i>=j, Same(j) | 0] 0 : !0 & !(Q_b(i) & !1)",
     alternates},
    {"abc",
     "Drop(i) := rightmost [j<i, (Q_a(i) & (Q_b(j) | Q_c(j))) | (Q_b(i) & Q_c(j))] 1 : 0\n"
     "Y(i) := rightmost [i>=j, Drop(j)] 0 : 1",
     is_sorted},
    {"abc", "Y(i) := rightmost [j<i, (Q_a(i)&Q_a(j))|(Q_b(i)&Q_b(j))|(Q_c(i)&Q_c(j))] 1 : 0", repeats_last},
    {"abc",
     "A(i) := rightmost [j<i, 1] Q_a(j)\nB(i) := rightmost [j<i, 1] Q_b(j)\nC(i) := rightmost [j<i, 1] Q_c(j)\n"
     "Y(i) := rightmost [j<i, (Q_a(i) & A(j)) | (Q_b(i) & B(j)) | (Q_c(i) & C(j))] Q_a(j) : 0",
     induction_a},
    {"wur", "V(i) := rightmost [j<i, !Q_r(j)] Q_w(j) : 0\nY(i) := Q_r(i) & V(i) & !Q_u(i)", flip_flop},
    {"abc", "alphabet a b c\nY(i) := rightmost [j<i, Q_c(j)] 0 : 1", no_c_before},
};

static temper_spec *parse(const char *source) { return program_parse(source, TEMPER_SYNTAX_BRASP); }

/* The specification printed and parsed again; NULL if one of the two fails. */
static temper_spec *reprint(const temper_spec *spec) {
    char *printed = NULL;
    temper_error err = {0};
    temper_spec_print(&printed, spec, &err);
    if (!CHECK(printed, "%s", err.text)) return NULL;
    temper_spec *again = parse(printed);
    temper_free(printed);
    return again;
}

static void test_programs(void) {
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        temper_spec *spec = parse(programs[k].text);
        if (!spec) continue;
        temper_spec *again = reprint(spec);
        char w[16] = "";
        while (program_next_word(w, programs[k].letters, 7)) {
            int accept = program_truths(NULL, spec, w);
            CHECK(accept == programs[k].accepts(w), "on %s: %d from\n%s", w, accept, programs[k].text);
            if (again) CHECK(program_truths(NULL, again, w) == accept, "reprinted, on %s:\n%s", w, programs[k].text);
        }
        temper_spec_free(spec);
        temper_spec_free(again);
    }
}

/* ---- random programs ---- */

typedef enum kind { LETTER, NAME, TRUTH, NOT, AND, OR, XOR, IMPLIES, IFF } kind;

typedef struct expression {
    kind kind;
    int number; /* letter, line, constant */
    bool at_j;
    struct expression *kids[2];
} expression;

enum { LINES = 5, LONGEST = 5 };

typedef struct line {
    bool attends, rightmost;
    int mask; /* index into masks */
    expression *score, *value, *otherwise;
} line;

static const struct {
    const char *text;
    bool before, here, after;
} masks[] = {{"1", 1, 1, 1},   {"j<i", 1, 0, 0}, {"j <= i", 1, 1, 0}, {"i<j", 0, 0, 1}, {"i<=j", 0, 1, 1},
             {"j>i", 0, 0, 1}, {"j≥i", 0, 1, 1}, {"i > j", 1, 0, 0},  {"i>=j", 1, 1, 0}};

static test_random rnd;
static expression pool[1024];
static size_t pool_used;
static char out[1 << 16];
static size_t used;

static int below(int limit) { return (int)random_below(&rnd, (uint64_t)limit); }

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...) {
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(out + used, sizeof out - used, format, args);
    va_end(args);
}

/* `looks`: 1 at i only, 2 at j only, 3 at both */
static expression *random_expression(int lines, int looks, int depth) {
    expression *e = &pool[pool_used++];
    if (depth == 0 || below(5) == 0) {
        *e = (expression){.kind = lines && below(2) ? NAME : below(10) ? LETTER : TRUTH};
        e->number = below(e->kind == NAME ? lines : e->kind == LETTER ? 3 : 2);
        e->at_j = looks == 2 || (looks == 3 && below(2));
        return e;
    }
    *e = (expression){.kind = NOT + below(6)};
    for (int k = 0; k < (e->kind == NOT ? 1 : 2); k++) e->kids[k] = random_expression(lines, looks, depth - 1);
    return e;
}

static bool holds(const expression *e, bool truth[LINES][LONGEST + 1], const char *w, int i, int j) {
#define KID(k) holds(e->kids[k], truth, w, i, j)
    int at = e->at_j ? j : i;
    switch (e->kind) {
    case LETTER: return w[at - 1] == "abc"[e->number];
    case NAME: return truth[e->number][at];
    case TRUTH: return e->number;
    case NOT: return !KID(0);
    case AND: return KID(0) && KID(1);
    case OR: return KID(0) || KID(1);
    case XOR: return KID(0) != KID(1);
    case IMPLIES: return !KID(0) || KID(1);
    case IFF: return KID(0) == KID(1);
    }
    return false;
#undef KID
}

static bool attends(const line *l, bool truth[LINES][LONGEST + 1], const char *w, int n, int i) {
    int chosen = 0;
    for (int j = 1; j <= n; j++) {
        bool open = j < i ? masks[l->mask].before : j > i ? masks[l->mask].after : masks[l->mask].here;
        if (!open || !holds(l->score, truth, w, i, j)) continue;
        if (!chosen || l->rightmost) chosen = j;
    }
    return chosen ? holds(l->value, truth, w, i, chosen) : l->otherwise && holds(l->otherwise, truth, w, i, 0);
}

/* Printing with the parentheses that are needed, and sometimes more. */
static void print(const expression *e, int level) {
    static const int levels[] = {
        [LETTER] = 6, [NAME] = 6, [TRUTH] = 6, [NOT] = 5, [AND] = 4, [OR] = 2, [XOR] = 3, [IMPLIES] = 1, [IFF] = 1};
    static const char *const signs[][3] = {[AND] = {"&", "&&", "∧"},
                                           [OR] = {"|", "||", "∨"},
                                           [XOR] = {"^", " ^ ", "⊕"},
                                           [IMPLIES] = {"->", "=>", "→"},
                                           [IFF] = {"<->", "<=>", "↔"}};
    int own = levels[e->kind];
    bool parens = own < level || below(8) == 0;
    if (parens) put("(");
    switch (e->kind) {
    case LETTER:
        put((const char *[]){"Q_%c(%c)", "Q_'%c'(%c)", "Q_\"%c\"( %c )"}[below(3)], "abc"[e->number], "ij"[e->at_j]);
        break;
    case NAME: put("L%d(%c)", e->number, "ij"[e->at_j]); break;
    case TRUTH: put("%d", e->number); break;
    case NOT:
        put("!");
        print(e->kids[0], own);
        break;
    default: {
        bool right = e->kind == IMPLIES, left = e->kind != IMPLIES && e->kind != IFF;
        print(e->kids[0], left ? own : own + 1);
        put("%s", signs[e->kind][below(3)]);
        print(e->kids[1], right && e->kids[1]->kind == IMPLIES ? own : own + 1);
    }
    }
    if (parens) put(")");
}

static void print_line(const line *l, int number) {
    put("L%d(i) := ", number);
    if (!l->attends) {
        print(l->value, 0);
    } else {
        put("%s [%s, ",
            l->rightmost ? (below(2) ? "rightmost" : "▶")
            : below(2)   ? "leftmost"
                         : "◀_j",
            masks[l->mask].text);
        print(l->score, 0);
        put("] ");
        print(l->value, 0);
        if (l->otherwise) {
            put(" : ");
            print(l->otherwise, 0);
        }
    }
    put("\n");
}

static void test_random_program(void) {
    line lines[LINES];
    int count = 1 + below(LINES);
    pool_used = used = 0;
    put("alphabet a b c\n");
    for (int k = 0; k < count; k++) {
        line *l = &lines[k];
        *l = (line){.attends = below(4), .rightmost = below(2), .mask = below(sizeof masks / sizeof *masks)};
        l->value = random_expression(k, l->attends ? 1 + below(3) : 1, 3);
        if (l->attends) {
            l->score = random_expression(k, 1 + below(3), 3);
            if (below(4)) l->otherwise = random_expression(k, 1, 2);
        }
        print_line(l, k);
    }
    temper_spec *spec = parse(out), *again = spec ? reprint(spec) : NULL;
    if (!spec) return;
    char w[16] = "";
    unsigned char truth[16], other[16];
    while (program_next_word(w, "abc", LONGEST)) {
        bool right[LINES][LONGEST + 1];
        int n = (int)strlen(w);
        for (int k = 0; k < count; k++)
            for (int i = 1; i <= n; i++)
                right[k][i] =
                    lines[k].attends ? attends(&lines[k], right, w, n, i) : holds(lines[k].value, right, w, i, 0);
        program_truths(truth, spec, w);
        if (again) program_truths(other, again, w);
        for (int i = 1; i <= n; i++) {
            CHECK(truth[i - 1] == right[count - 1][i], "on %s at %d: %d from\n%s", w, i, truth[i - 1], out);
            if (again)
                CHECK(truth[i - 1] == other[i - 1], "reprinted, on %s at %d: %d from\n%s", w, i, other[i - 1], out);
        }
    }
    temper_spec_free(spec);
    temper_spec_free(again);
}

/* ---- size ---- */

static void test_size(void) {
    static const struct {
        const char *prefix, *middle, *suffix;
    } deep[] = {{"(", "Q_a(i)", ")"}, {"!", "Q_a(i)", ""}, {"1->", "Q_a(i)", ""}, {"(1 <-> ", "Q_a(i)", ")"}};
    enum { TIMES = 30000 };
    for (size_t k = 0; k < sizeof deep / sizeof *deep; k++) {
        char *text = malloc(TIMES * 16 + 64), *t = text;
        t += sprintf(t, "alphabet a b\nY(i) := ");
        for (int times = 0; times < TIMES; times++) t += sprintf(t, "%s", deep[k].prefix);
        t += sprintf(t, "%s", deep[k].middle);
        for (int times = 0; times < TIMES; times++) t += sprintf(t, "%s", deep[k].suffix);
        temper_spec *spec = parse(text);
        if (spec) CHECK(program_truths(NULL, spec, "a") == 1, "nested %d times: %s", TIMES, deep[k].prefix);
        temper_spec_free(spec);
        free(text);
    }
    /* two hundred letters: they exclude each other, so there are as many cases */
    used = 0;
    put("tokens yes\nY(i) := rightmost [j<i, 0");
    for (int k = 0; k < 200; k++) put(" | (Q_t%d(i) & Q_t%d(j))", k, k);
    put("] 1 : 0\n");
    temper_spec *spec = parse(out);
    if (spec) {
        CHECK(program_truths(NULL, spec, "t3 t199 t0 t199") == 1, "same letter before");
        CHECK(program_truths(NULL, spec, "t3 t199 t0 t198") == 0, "no same letter before");
    }
    temper_spec_free(spec);
    /* thirty predicates that do not: refused */
    used = 0;
    put("tokens yes\n");
    for (int k = 0; k < 30; k++) put("P%d(i) := leftmost [j<=i, Q_t%d(j)] 1\n", k, k);
    put("Y(i) := rightmost [j<i, 0");
    for (int k = 0; k < 30; k++) put(" | (P%d(i) & P%d(j))", k, k);
    put("] 1 : 0\n");
    temper_error err;
    temper_spec_options options = {.syntax = TEMPER_SYNTAX_BRASP};
    temper_status status = temper_spec_parse(&spec, out, used, &options, &err);
    CHECK(status == TEMPER_LIMIT && err.line == 32 && !spec, "%d %zu %s", (int)status, err.line, err.text);
}

int main(void) {
    rnd = test_seed(11);
    test_programs();
    int rounds = (int)(200 * test_effort());
    for (int k = 0; k < rounds; k++) test_random_program();
    test_size();
    return test_finish("t-brasp");
}
