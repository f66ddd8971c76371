/* Expressions at their edges: the exact text that is printed, the last byte of a text with bytes behind it that
   would change its meaning, numbers and trees just large enough and just too large, and the words of refusals. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/expression.h"
#include "in_arena.h"
#include "test.h"

static const expression *read_text(arena *a, const char *bytes, size_t length) {
    return expression_parse(a, bytes, length, 3, 5);
}

/* ---- printing: no parentheses but those that are needed ---- */

static void print_texts(arena *a) {
    static const struct {
        const char *given, *printed; /* NULL: as it is given */
    } cases[] = {
        {"i", NULL},
        {"n + N", NULL},
        {"i - 1 - 2 + n", NULL},
        {"((i - 1) - 2) + n", "i - 1 - 2 + n"},
        {"i - (1 - 2)", NULL},
        {"i + (1 + 2)", NULL},
        {"i - (1 + n)", NULL},
        {"i*2/3 % 5", NULL},
        {"((i*2)/3) % 5", "i*2/3 % 5"},
        {"i*2*n", NULL},
        {"i/2/n", NULL},
        {"i % 5 % 3", NULL},
        {"i*(2*3)", NULL},
        {"i/(2/3)", NULL},
        {"i % (n % 3)", NULL},
        {"(i + 1)*(n - 1)", NULL},
        {"i*2 + n/3 - N % 4", NULL},
        {"(i*2) + (n/3) - (N % 4)", "i*2 + n/3 - N % 4"},
        {"(i + 1)/2", NULL},
        {"2/(i + 1)", NULL},
        {"(i - 1) % 2", NULL},
        {"[i + 1 = n - 1]", NULL},
        {"[(i + 1) = (n - 1)]", "[i + 1 = n - 1]"},
        {"[i*2 != n/3]", NULL},
        {"[i < n]*[n <= N]", NULL},
        {"[[i = 1] = [n < 2]]", NULL},
        {"-i", NULL},
        {"--i", NULL},
        {"-(2)", NULL},
        {"-2", NULL},
        {"-(i + 1)", NULL},
        {"-(i*n)", NULL},
        {"-ln(i + 1)", NULL},
        {"i - -1", NULL},
        {"i*-n", NULL},
        {"min(i + 1, n*2)", NULL},
        {"max((i), ((n)))", "max(i, n)"},
        {"ln(sqrt(cos(sin(floor(ceil2(i))))))", NULL},
        {" i+n ", "i + n"},
        {"0x1.8p+0", NULL},
        {"1.5", "0x1.8p+0"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        text out;
        text_init(&out, a);
        const char *given = cases[k].given, *wanted = cases[k].printed ? cases[k].printed : given;
        expression_print(&out, read_text(a, given, strlen(given)));
        CHECK(!strcmp(text_string(&out), wanted), "%s: %s, not %s", given, text_string(&out), wanted);
    }
}

/* ---- values ---- */

static void read_values(arena *a) {
    static const struct {
        const char *given, *behind;
        double value; /* at i = 2, n = 7, N = 8 */
    } cases[] = {
        {"i", "n", 2},
        {"n", "1", 7},
        {"1", "2", 1},
        {"12", ".5", 12},
        {"1 +i", "x", 3},
        {"-1", "0", -1},
        {"0", "x1", 0},
        /* an e is a digit of hexadecimal numbers, and begins the exponent of others */
        {"0x1e+1", "", 31},
        {"0X1E-1", "", 29},
        {"0x1e + 1", "", 31},
        {"0x1E", "", 30},
        {"0x.8p+1", "", 1},
        {"0x1P-1", "", 0.5},
        {"0e+1", "", 0},
        {"0E-2", "", 0},
        {"1e+2", "", 100},
        {"25E-2", "", 0.25},
        {"5e1+1", "", 51},
        {"10-1", "", 9},
        {"1.5+0.5", "", 2},
        {"ceil2(0)", "", 0},
        {"ceil2(-3)", "", 0},
        {"ceil2(-1/0)", "", 0},
        {"ceil2(1/0)", "", INFINITY},
        {"ceil2(0.75)", "", 1},
        {"ceil2(1)", "", 1},
        {"ceil2(1.25)", "", 2},
        {"ceil2(1/4)", "", 0.25},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char bytes[40];
        snprintf(bytes, sizeof bytes, "%s%s", cases[k].given, cases[k].behind);
        double x = expression_eval(read_text(a, bytes, strlen(cases[k].given)), 2, 7, 8);
        CHECK(x == cases[k].value, "%s = %g, not %g", cases[k].given, x, cases[k].value);
    }
    CHECK(isnan(expression_ceil2(NAN)) && expression_ceil2(0x1p1023) == 0x1p1023, "NaN, 2^1023");
    CHECK(expression_ceil2(0x1.8p1023) == INFINITY && expression_ceil2(0x1p-1074) == 0x1p-1074, "beyond, least");
}

/* ---- refusals ---- */

static temper_status refused(temper_error *e, const char *bytes, size_t length) {
    trap t;
    arena a;
    arena_init(&a, &t);
    *e = (temper_error){0};
    if (trap_set(&t, e)) {
        arena_free(&a);
        return t.error.code;
    }
    read_text(&a, bytes, length);
    arena_free(&a);
    trap_clear(&t);
    return TEMPER_OK;
}

#define FACTORS "a number, i, n, N, (, [, ln, log2, sqrt, cos, sin, floor, ceil2, min or max"

static void test_refusals(void) {
    static const struct {
        const char *given, *behind;
        size_t column;
        const char *message;
    } cases[] = {
        {"", "1", 5, "expected " FACTORS " in an expression, which ends here"},
        {"-", "1", 6, "expected " FACTORS " in an expression, which ends here"},
        {"i + ", "2", 9, "expected " FACTORS " in an expression, which ends here"},
        {"(i", ")", 7, "expected ) in an expression, which ends here"},
        {"[i", "=", 7, "expected =, !=, < or <= in an expression, which ends here"},
        {"[i = 1", "]", 11, "expected ] in an expression, which ends here"},
        {"min(i", ",", 10, "expected , in an expression, which ends here"},
        {"ln", "(", 7, "expected ( in an expression, which ends here"},
        {"in", "", 5, "expected " FACTORS " in an expression, found 'in'"},
        {"i n", "", 7, "expected an operator or the end in an expression, found 'n'"},
        {"0x", "1", 5, "expected a finite number in an expression, found '0x'"},
        {"1e", "1", 5, "expected a finite number in an expression, found '1e'"},
        {"1 2345678901234", "", 7, "expected an operator or the end in an expression, found '234567890123...'"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char bytes[40];
        temper_error e;
        snprintf(bytes, sizeof bytes, "%s%s", cases[k].given, cases[k].behind);
        temper_status status = refused(&e, bytes, strlen(cases[k].given));
        CHECK(status == TEMPER_FORMAT && e.line == 3 && e.column == cases[k].column &&
                  !strcmp(e.text, cases[k].message),
              "%s: %zu:%zu: %s", cases[k].given, e.line, e.column, status == TEMPER_OK ? "read" : e.text);
    }
}

/* A number has at most 62 characters. */
static void test_long_numbers(void) {
    for (size_t length = 60; length <= 70; length++) {
        char bytes[80] = "1.";
        temper_error e;
        memset(bytes + 2, '0', 77);
        temper_status status = refused(&e, bytes, length);
        if (length <= 62)
            CHECK(status == TEMPER_OK, "%zu characters: %s", length, e.text);
        else
            CHECK(status == TEMPER_FORMAT && e.column == 5 && strstr(e.text, "expected a finite number"),
                  "%zu characters: %zu: %s", length, e.column, e.text);
    }
}

/* Chains of constants, of variables and of calls nest 64 deep. */
static void test_depth(void) {
    static const char *const first[] = {"1", "i", "1"}, *const more[] = {" + 1", "*1", " - i"};
    for (size_t kind = 0; kind < 3; kind++)
        for (size_t terms = 63; terms <= 66; terms++) {
            char bytes[400];
            temper_error e;
            size_t length = (size_t)snprintf(bytes, sizeof bytes, "%s", first[kind]);
            for (size_t k = 1; k < terms; k++)
                length += (size_t)snprintf(bytes + length, sizeof bytes - length, "%s", more[kind]);
            temper_status status = refused(&e, bytes, length);
            CHECK(terms <= 64 ? status == TEMPER_OK
                              : status == TEMPER_LIMIT &&
                                    !strcmp(e.text, "an expression nested deeper than 64, or with longer chains"),
                  "%zu terms of %s: %s", terms, more[kind], status == TEMPER_OK ? "read" : e.text);
        }
}

/* ---- expressions of our own source ---- */

static temper_status make(temper_error *e, double *value, const char *bytes) {
    trap t;
    arena a;
    arena_init(&a, &t);
    *e = (temper_error){0};
    if (trap_set(&t, e)) {
        arena_free(&a);
        return t.error.code;
    }
    *value = expression_eval(expression_make(&a, "%s", bytes), 2, 7, 8);
    arena_free(&a);
    trap_clear(&t);
    return TEMPER_OK;
}

static void test_made(void) {
    double x = 0;
    temper_error e;
    CHECK(make(&e, &x, "i*n") == TEMPER_OK && x == 14, "i*n");
    CHECK(make(&e, &x, "") == TEMPER_FORMAT && e.line == 0 && e.column == 0, "nothing: %s", e.text);
    CHECK(make(&e, &x, "i )") == TEMPER_FORMAT && e.line == 0 && e.column == 2, "i ): %zu:%zu", e.line, e.column);
    for (size_t length = 198; length <= 202; length++) {
        char bytes[210];
        memset(bytes, ' ', length);
        bytes[0] = 'n';
        bytes[length] = 0;
        temper_status status = make(&e, &x, bytes);
        CHECK(length < 200 ? status == TEMPER_OK && x == 7
                           : status == TEMPER_LIMIT && !strcmp(e.text, "an expression of more than 199 bytes"),
              "%zu bytes: %s", length, e.text);
    }
}

static void try_texts(arena *a) {
    temper_error e = {0};
    trap *outer = a->trap;
    const expression *made = expression_try(a, "i + 1", &e);
    CHECK(made && expression_eval(made, 2, 7, 8) == 3 && a->trap == outer, "i + 1");
    CHECK(!expression_try(a, "i + )", &e) && e.code == TEMPER_FORMAT && e.line == 0 && e.column == 4 &&
              a->trap == outer,
          "i + ): %zu:%zu", e.line, e.column);
}

int main(void) {
    test_in_arena(print_texts);
    test_in_arena(read_values);
    test_refusals();
    test_long_numbers();
    test_depth();
    test_made();
    test_in_arena(try_texts);
    return test_finish("expression-edges");
}
