/* Expressions of (i, n): parse(print(e)) is e, bit by bit, and the value is that of a second evaluator, which works
   on the printed text with two stacks. Hostile texts are refused without deep recursion. */
#include "in_arena.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/expression_tile.h"
#include "number/elementary.h"
#include "number/trig.h"

static bool same_bits(double x, double y) { return (isnan(x) && isnan(y)) || !memcmp(&x, &y, sizeof x); }

static bool is_same(const expression *x, const expression *y) {
    if (!x || !y) return x == y;
    return x->op == y->op && same_bits(x->constant, y->constant) && is_same(x->a, y->a) && is_same(x->b, y->b);
}

static double random_constant(test_random *r) {
    static const double corners[] = {0,   -0.0,  1,     -1,      2,      8,         16,
                                     0.5, -0.25, 1e300, -1e-300, 0x1p53, 0x1p-1074, 1.0 / 3};
    if (random_below(r, 2)) return corners[random_below(r, sizeof corners / sizeof *corners)];
    return (double)(int64_t)random_below(r, 41) - 20;
}

static const expression *random_tree(arena *a, test_random *r, unsigned depth) {
    expression *e = arena_zalloc(a, 1, sizeof *e);
    e->op = depth ? (expression_op)random_below(r, EXPR_MAX + 1) : (expression_op)random_below(r, EXPR_SIZE + 1);
    if (e->op == EXPR_CONSTANT) e->constant = random_constant(r);
    if (e->op >= EXPR_NEG) e->a = random_tree(a, r, depth - 1);
    if (e->op >= EXPR_ADD) e->b = random_tree(a, r, depth - 1);
    return e;
}

/* ---- the second evaluator ---- */

typedef struct machine {
    double values[256];
    char ops[256]; /* + - * / % ~ (negation) ( [ L S c s F C m M (calls) = ! < l (tests) */
    size_t value_count, op_count;
} machine;

static int strength(char op) {
    switch (op) {
    case '~': return 3;
    case '*':
    case '/':
    case '%': return 2;
    case '+':
    case '-': return 1;
    case '=':
    case '!':
    case '<':
    case 'l': return 0;
    default: return -1;
    }
}

static void apply(machine *m) {
    char op = m->ops[--m->op_count];
    double y = m->values[--m->value_count];
    if (op == '~') {
        m->values[m->value_count++] = -y;
        return;
    }
    double x = m->values[--m->value_count], z = 0;
    if (op == '+') z = x + y;
    if (op == '-') z = x - y;
    if (op == '*') z = x * y;
    if (op == '/') z = x / y;
    if (op == '%') {
        z = fmod(x, y);
        if (z < 0) z += fabs(y);
    }
    if (op == '=') z = x == y;
    if (op == '!') z = x != y;
    if (op == '<') z = x < y;
    if (op == 'l') z = x <= y;
    m->values[m->value_count++] = z;
}

static void reduce(machine *m, int least) {
    while (m->op_count && strength(m->ops[m->op_count - 1]) >= least) apply(m);
}

/* By doubling and halving, where expression_ceil2 looks at the bits. */
static double next_power(double x) {
    double p = 1;
    if (isnan(x) || isinf(x) || x <= 0) return isnan(x) || x > 0 ? x : 0;
    while (p < x) p *= 2;
    while (p / 2 >= x && p / 2 > 0) p /= 2;
    return p;
}

static void close_call(machine *m) {
    reduce(m, 0);
    char call = m->ops[--m->op_count];
    double *top = &m->values[m->value_count - 1];
    if (call == 'L') *top = log_f64(*top);
    if (call == 'S') *top = sqrt(*top);
    if (call == 'c') *top = cos_f64(*top);
    if (call == 's') *top = sin_f64(*top);
    if (call == 'F') *top = floor(*top);
    if (call == 'C') *top = next_power(*top);
    if (call != 'm' && call != 'M') return;
    double y = m->values[--m->value_count], *x = &m->values[m->value_count - 1];
    if (call == 'm' ? !(*x < y) : !(*x > y)) *x = y;
}

static double evaluate_text(const char *s, double i, double n, double size) {
    machine m = {.value_count = 0};
    bool operand = true; /* what may come next */
    while (*s) {
        char c = *s;
        if (c == ' ') {
            s++;
        } else if (operand && ((c >= '0' && c <= '9') || (c == '-' && s[1] >= '0' && s[1] <= '9'))) {
            char *end;
            m.values[m.value_count++] = strtod(s, &end);
            s = end;
            operand = false;
        } else if (operand && c == '-') {
            m.ops[m.op_count++] = '~', s++;
        } else if (c == '(' || c == '[') {
            m.ops[m.op_count++] = c, s++;
        } else if (!strncmp(s, "ln(", 3)) {
            m.ops[m.op_count++] = 'L', s += 3;
        } else if (!strncmp(s, "sqrt(", 5)) {
            m.ops[m.op_count++] = 'S', s += 5;
        } else if (!strncmp(s, "cos(", 4) || !strncmp(s, "sin(", 4)) {
            m.ops[m.op_count++] = *s == 'c' ? 'c' : 's', s += 4;
        } else if (!strncmp(s, "floor(", 6)) {
            m.ops[m.op_count++] = 'F', s += 6;
        } else if (!strncmp(s, "ceil2(", 6)) {
            m.ops[m.op_count++] = 'C', s += 6;
        } else if (!strncmp(s, "min(", 4) || !strncmp(s, "max(", 4)) {
            m.ops[m.op_count++] = s[1] == 'i' ? 'm' : 'M', s += 4;
        } else if (c == 'i' || c == 'n' || c == 'N') {
            m.values[m.value_count++] = c == 'i' ? i : c == 'n' ? n : size;
            s++, operand = false;
        } else if (c == ')' || c == ']') {
            close_call(&m), s++;
        } else if (c == ',') {
            reduce(&m, 0), s++, operand = true;
        } else {
            char op = c == '<' && s[1] == '=' ? 'l' : c;
            s += op == 'l' || op == '!' ? 2 : 1;
            reduce(&m, strength(op));
            m.ops[m.op_count++] = op, operand = true;
        }
    }
    reduce(&m, 0);
    return m.values[0];
}

/* An n that is a word of its own: not that of ln or min. */
static bool mentions_length(const char *s) {
    for (const char *p = s; (p = strchr(p, 'n')); p++)
        if (p == s || (p[-1] != 'l' && p[-1] != 'i')) return true;
    return false;
}

static void test_trees(arena *a) {
    test_random r = test_seed(3);
    size_t rounds = (size_t)(20000 * test_effort());
    for (size_t k = 0; k < rounds; k++, arena_reset(a)) {
        const expression *e = random_tree(a, &r, 1 + (unsigned)random_below(&r, 5));
        text printed, again;
        text_init(&printed, a);
        expression_print(&printed, e);
        const expression *back = expression_parse(a, printed.data, printed.length, 1, 1);
        CHECK(is_same(e, back), "%s reads back to another tree", printed.data);
        text_init(&again, a);
        expression_print(&again, expression_copy(a, back));
        CHECK(!strcmp(printed.data, again.data), "%s prints again as %s", printed.data, again.data);
        double n = (double)random_below(&r, 30), size = n + 1 + (double)random_below(&r, 2);
        double i = (double)random_below(&r, (uint64_t)size);
        double x = expression_eval(e, i, n, size), y = evaluate_text(printed.data, i, n, size);
        CHECK(same_bits(x, y), "%s at i = %g, n = %g, N = %g: %a and %a", printed.data, i, n, size, x, y);
        double tile[40], *scratch = arena_alloc(a, 40 * expression_scratch(e), sizeof *scratch);
        expression_tile(tile, e, 0, (size_t)size, n, size, scratch);
        CHECK(same_bits(x, tile[(size_t)i]), "%s at i = %g, n = %g, N = %g: %a, in a tile %a", printed.data, i, n,
              size, x, tile[(size_t)i]);
        CHECK(expression_uses(e, EXPR_LENGTH) == mentions_length(printed.data), "does %s use n?", printed.data);
    }
}

/* ---- fixed values and bad texts ---- */

static temper_status try_parse(double *value, const char *s, size_t length, temper_error *e) {
    trap t;
    arena a;
    arena_init(&a, &t);
    if (trap_set(&t, e)) {
        arena_free(&a);
        return t.error.code;
    }
    *value = expression_eval(expression_parse(&a, s, length, 3, 5), 2, 7, 8);
    arena_free(&a);
    trap_clear(&t);
    return TEMPER_OK;
}

static void test_fixed(void) {
    static const struct {
        const char *text;
        double value; /* at i = 2, n = 7, N = 8 */
    } good[] = {{"i", 2},           {"n + N*i", 23},      {"-5 % 3", 1},        {"5 % -3", 2},
                {"-5 % -3", 1},     {"N - 1 - i", 5},     {"1 - 2*3 - 4", -9},  {"8/2/2", 2},
                {"-i*-i", 4},       {"-(2)", -2},         {"- 2", -2},          {"[i = 2]", 1},
                {"[i != 2]", 0},    {"[i < 2]", 0},       {"[i <= 2]", 1},      {"[1 < n]*N", 8},
                {"min(i, n)", 2},   {"max(i, n)", 7},     {"floor(n/i)", 3},    {"floor(-n/i)", -4},
                {"ceil2(N)", 8},    {"ceil2(16*n)", 128}, {"ceil2(-i)", 0},     {"ceil2(i/n)", 0.5},
                {"ln(1)", 0},       {"0x1.8p+1", 3},      {"1e2", 100},         {"0x1e", 30},
                {" ( ( i ) ) ", 2}, {"1/0", INFINITY},    {"ln(0)", -INFINITY}, {"0/0", NAN},
                {"1 % 0", NAN},     {"ln(-1)", NAN}};
    static const struct {
        const char *text;
        size_t column;
    } bad[] = {{"", 5},         {"i +", 8}, {"(i", 7},    {"i)", 6},    {"[i]", 7},  {"[i = 2", 11}, {"x", 5},
               {"in", 5},       {"i n", 7}, {"1e999", 5}, {"inf", 5},   {"nan", 5},  {"min(i)", 10}, {"ln i", 8},
               {"ln(i, i)", 9}, {"+1", 5},  {"2i", 5},    {"i > 2", 7}, {"\x01", 5}, {"1.2.3", 5},   {"é", 5}};
    double x = 0;
    temper_error e;
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        temper_status s = try_parse(&x, good[k].text, strlen(good[k].text), &e);
        CHECK(s == TEMPER_OK && (isnan(good[k].value) ? isnan(x) : x == good[k].value), "%s = %g, got %g (%s)",
              good[k].text, good[k].value, x, e.text);
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        temper_status s = try_parse(&x, bad[k].text, strlen(bad[k].text), &e);
        CHECK(s == TEMPER_FORMAT && e.line == 3 && e.column == bad[k].column, "%s: %zu:%zu: %s", bad[k].text, e.line,
              e.column, e.text);
    }
}

/* A million of the same beginning, and chains up to the limit and one beyond. */
static void test_hostile(void) {
    static const char *const pieces[] = {"(", "-", "[", "ln(", "min(", "1 + ", "1*", "i - (", "1", "min(1,", "--"};
    size_t size = 1000000;
    char *s = malloc(size + 1);
    double x;
    temper_error e;
    for (size_t k = 0; k < sizeof pieces / sizeof *pieces; k++) {
        size_t step = strlen(pieces[k]);
        for (size_t at = 0; at + step <= size; at += step) memcpy(s + at, pieces[k], step);
        temper_status status = try_parse(&x, s, size / step * step, &e);
        CHECK(status == TEMPER_LIMIT || status == TEMPER_FORMAT, "a million of %s: %d", pieces[k], status);
    }
    for (size_t terms = EXPRESSION_DEPTH - 1; terms <= EXPRESSION_DEPTH + 1; terms++) {
        size_t length = 0;
        for (size_t k = 0; k < terms; k++) length += (size_t)sprintf(s + length, k ? " + i" : "i");
        temper_status status = try_parse(&x, s, length, &e);
        CHECK(status == (terms <= EXPRESSION_DEPTH ? TEMPER_OK : TEMPER_LIMIT), "%zu terms: %s", terms, e.text);
        length = 0;
        for (size_t k = 1; k < terms; k++) s[length++] = '(';
        s[length++] = 'i';
        for (size_t k = 1; k < terms; k++) s[length++] = ')';
        status = try_parse(&x, s, length, &e);
        CHECK(status == (terms <= EXPRESSION_DEPTH ? TEMPER_OK : TEMPER_LIMIT), "%zu parentheses: %s", terms, e.text);
    }
    free(s);
}

int main(void) {
    test_in_arena(test_trees);
    test_fixed();
    test_hostile();
    return test_finish("expression");
}
