#include "model/expression.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/entry.h"

#include "number/elementary.h"
#include "number/trig.h"

/* ---- reading ---- */

typedef struct reader {
    arena *arena;
    const char *bytes;
    size_t length, at, line, column;
    unsigned depth;
} reader;

static _Noreturn void expected(const reader *r, const char *what) {
    if (r->at >= r->length)
        trap_raise(r->arena->trap, TEMPER_FORMAT, r->line, r->column + r->at,
                   "expected %s in an expression, which ends here", what);
    const char *found = text_escaped(r->arena, r->bytes + r->at, r->length - r->at, 12);
    trap_raise(r->arena->trap, TEMPER_FORMAT, r->line, r->column + r->at, "expected %s in an expression, found '%s'",
               what, found);
}

static void skip_blanks(reader *r) {
    while (r->at < r->length && r->bytes[r->at] == ' ') r->at++;
}

static bool accept(reader *r, const char *word) {
    skip_blanks(r);
    size_t length = strlen(word);
    if (r->length - r->at < length || memcmp(r->bytes + r->at, word, length) != 0) return false;
    if (ascii_is_letter(word[0]) && r->at + length < r->length && ascii_is_name(r->bytes[r->at + length]))
        return false;
    r->at += length;
    return true;
}

static void require(reader *r, const char *word) {
    if (!accept(r, word)) expected(r, word);
}

/* Evaluation and printing recurse, so the parser bounds the height of the tree; a chain a + b + c nests to the left
   and counts too. Nodes carry their height while they are being read. */
typedef struct measured {
    expression e;
    unsigned height;
} measured;

static unsigned height(const expression *e) { return e ? ((const measured *)e)->height : 0; }

static const expression *node(reader *r, expression_op op, const expression *x, const expression *y) {
    unsigned below = height(x) > height(y) ? height(x) : height(y);
    if (below == EXPRESSION_DEPTH)
        trap_raise(r->arena->trap, TEMPER_LIMIT, r->line, r->column + r->at,
                   "an expression nested deeper than %d, or with longer chains", EXPRESSION_DEPTH);
    measured *m = arena_zalloc(r->arena, 1, sizeof *m);
    m->e = (expression){.op = op, .a = x, .b = y};
    m->height = below + 1;
    return &m->e;
}

static const expression *constant(reader *r, double value) {
    measured *m = arena_zalloc(r->arena, 1, sizeof *m);
    m->e = (expression){.op = EXPR_CONSTANT, .constant = value};
    m->height = 1;
    return &m->e;
}

static const expression *read_sum(reader *r);
static const expression *read_factor(reader *r);

static const expression *read_number(reader *r, double sign) {
    char digits[64];
    size_t length = 0;
    const char *start = r->bytes + r->at;
    bool hex = r->length - r->at > 1 && start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
    while (r->at + length < r->length && length + 1 < sizeof digits) {
        char c = start[length];
        char before = length ? start[length - 1] : 0;
        bool exponent = before == 'p' || before == 'P' || (!hex && (before == 'e' || before == 'E'));
        if (!ascii_is_name(c) && c != '.' && !(exponent && (c == '+' || c == '-'))) break;
        digits[length++] = c;
    }
    double value;
    if (!text_to_double(&value, digits, length) || length + 1 == sizeof digits || !isfinite(value))
        expected(r, "a finite number");
    r->at += length;
    return constant(r, sign * value);
}

static const expression *read_bracket(reader *r) {
    const expression *x = read_sum(r);
    expression_op op;
    if (accept(r, "!="))
        op = EXPR_NE;
    else if (accept(r, "<="))
        op = EXPR_LE;
    else if (accept(r, "<"))
        op = EXPR_LT;
    else if (accept(r, "="))
        op = EXPR_EQ;
    else
        expected(r, "=, !=, < or <=");
    const expression *y = read_sum(r);
    require(r, "]");
    return node(r, op, x, y);
}

static const expression *read_call(reader *r, expression_op op) {
    require(r, "(");
    const expression *x = read_sum(r), *y = NULL;
    if (op == EXPR_MIN || op == EXPR_MAX) {
        require(r, ",");
        y = read_sum(r);
    }
    require(r, ")");
    return node(r, op, x, y);
}

static bool at_digit(reader *r) {
    skip_blanks(r);
    return r->at < r->length && ascii_is_digit(r->bytes[r->at]);
}

/* A minus before a digit belongs to the number. */
static const expression *read_minus(reader *r) {
    if (at_digit(r)) return read_number(r, -1);
    return node(r, EXPR_NEG, read_factor(r), NULL);
}

static const expression *read_factor(reader *r) {
    if (++r->depth > EXPRESSION_DEPTH)
        trap_raise(r->arena->trap, TEMPER_LIMIT, r->line, r->column + r->at, "an expression nested deeper than %d",
                   EXPRESSION_DEPTH);
    const expression *e;
    if (at_digit(r))
        e = read_number(r, 1);
    else if (accept(r, "i"))
        e = node(r, EXPR_I, NULL, NULL);
    else if (accept(r, "n"))
        e = node(r, EXPR_LENGTH, NULL, NULL);
    else if (accept(r, "N"))
        e = node(r, EXPR_SIZE, NULL, NULL);
    else if (accept(r, "-"))
        e = read_minus(r);
    else if (accept(r, "["))
        e = read_bracket(r);
    else if (accept(r, "(")) {
        e = read_sum(r);
        require(r, ")");
    } else if (accept(r, "ln") || accept(r, "log"))
        e = read_call(r, EXPR_LN);
    else if (accept(r, "log2"))
        e = node(r, EXPR_DIV, read_call(r, EXPR_LN), constant(r, log_f64(2)));
    else if (accept(r, "sqrt"))
        e = read_call(r, EXPR_SQRT);
    else if (accept(r, "cos"))
        e = read_call(r, EXPR_COS);
    else if (accept(r, "sin"))
        e = read_call(r, EXPR_SIN);
    else if (accept(r, "floor"))
        e = read_call(r, EXPR_FLOOR);
    else if (accept(r, "ceil2"))
        e = read_call(r, EXPR_CEIL2);
    else if (accept(r, "min"))
        e = read_call(r, EXPR_MIN);
    else if (accept(r, "max"))
        e = read_call(r, EXPR_MAX);
    else
        expected(r, "a number, i, n, N, (, [, ln, log2, sqrt, cos, sin, floor, ceil2, min or max");
    r->depth--;
    return e;
}

static const expression *read_product(reader *r) {
    const expression *e = read_factor(r);
    for (;;) {
        if (accept(r, "*"))
            e = node(r, EXPR_MUL, e, read_factor(r));
        else if (accept(r, "/"))
            e = node(r, EXPR_DIV, e, read_factor(r));
        else if (accept(r, "%"))
            e = node(r, EXPR_MOD, e, read_factor(r));
        else
            return e;
    }
}

static const expression *read_sum(reader *r) {
    const expression *e = read_product(r);
    for (;;) {
        if (accept(r, "+"))
            e = node(r, EXPR_ADD, e, read_product(r));
        else if (accept(r, "-"))
            e = node(r, EXPR_SUB, e, read_product(r));
        else
            return e;
    }
}

const expression *expression_parse(arena *a, const char *bytes, size_t length, size_t line, size_t column) {
    reader r = {.arena = a, .bytes = bytes, .length = length, .line = line, .column = column};
    const expression *e = read_sum(&r);
    skip_blanks(&r);
    if (r.at < length) expected(&r, "an operator or the end");
    return e;
}

typedef struct parse_call {
    arena *arena;
    const char *bytes;
    const expression *made;
} parse_call;

static void parse_text(void *context) {
    parse_call *c = context;
    c->made = expression_parse(c->arena, c->bytes, strlen(c->bytes), 0, 0);
}

const expression *expression_try(arena *a, const char *bytes, temper_error *error) {
    trap inner, *outer = a->trap;
    parse_call call = {a, bytes, NULL};
    a->trap = &inner;
    bool done = trap_attempt(&inner, error, parse_text, &call);
    a->trap = outer;
    if (!done && inner.error.code == TEMPER_NO_MEMORY) trap_reraise(outer, &inner.error);
    return done ? call.made : NULL;
}

const expression *expression_make(arena *a, const char *format, ...) {
    char buffer[200];
    va_list args;
    va_start(args, format);
    int length = print_list(buffer, sizeof buffer, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof buffer)
        trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "an expression of more than %zu bytes", sizeof buffer - 1);
    return expression_parse(a, buffer, (size_t)length, 0, 0);
}

/* ---- printing ---- */

/* How tightly the top operator binds: 1 sum, 2 product, 3 factor. */
static int binding(const expression *e) {
    switch (e->op) {
    case EXPR_ADD:
    case EXPR_SUB: return 1;
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_MOD: return 2;
    default: return 3;
    }
}

static void print_at(text *out, const expression *e, int least) {
    bool wrap = binding(e) < least;
    if (wrap) text_putc(out, '(');
    expression_print(out, e);
    if (wrap) text_putc(out, ')');
}

static void print_infix(text *out, const expression *e, const char *op, int left, int right) {
    print_at(out, e->a, left);
    text_puts(out, op);
    print_at(out, e->b, right);
}

static void print_call(text *out, const expression *e, const char *name) {
    text_printf(out, "%s(", name);
    expression_print(out, e->a);
    if (e->b) {
        text_puts(out, ", ");
        expression_print(out, e->b);
    }
    text_putc(out, ')');
}

static void print_test(text *out, const expression *e, const char *op) {
    text_putc(out, '[');
    print_infix(out, e, op, 1, 1);
    text_putc(out, ']');
}

void expression_print(text *out, const expression *e) {
    switch (e->op) {
    case EXPR_CONSTANT: text_double(out, e->constant); break;
    case EXPR_I: text_putc(out, 'i'); break;
    case EXPR_LENGTH: text_putc(out, 'n'); break;
    case EXPR_SIZE: text_putc(out, 'N'); break;
    case EXPR_NEG:
        text_putc(out, '-');
        print_at(out, e->a, e->a->op == EXPR_CONSTANT ? 4 : 3); /* -(2): a minus before a digit is the number's */
        break;
    case EXPR_LN: print_call(out, e, "ln"); break;
    case EXPR_SQRT: print_call(out, e, "sqrt"); break;
    case EXPR_COS: print_call(out, e, "cos"); break;
    case EXPR_SIN: print_call(out, e, "sin"); break;
    case EXPR_FLOOR: print_call(out, e, "floor"); break;
    case EXPR_CEIL2: print_call(out, e, "ceil2"); break;
    case EXPR_MIN: print_call(out, e, "min"); break;
    case EXPR_MAX: print_call(out, e, "max"); break;
    case EXPR_ADD: print_infix(out, e, " + ", 1, 2); break;
    case EXPR_SUB: print_infix(out, e, " - ", 1, 2); break;
    case EXPR_MUL: print_infix(out, e, "*", 2, 3); break;
    case EXPR_DIV: print_infix(out, e, "/", 2, 3); break;
    case EXPR_MOD: print_infix(out, e, " % ", 2, 3); break;
    case EXPR_EQ: print_test(out, e, " = "); break;
    case EXPR_NE: print_test(out, e, " != "); break;
    case EXPR_LT: print_test(out, e, " < "); break;
    case EXPR_LE: print_test(out, e, " <= "); break;
    }
}

/* ---- values ---- */

double expression_ceil2(double x) {
    int e;
    if (!(x > 0) || isinf(x)) return x > 0 || isnan(x) ? x : 0;
    double m = frexp(x, &e); /* 1/2 <= m < 1 */
    return ldexp(1, m == 0.5 ? e - 1 : e);
}

double expression_eval(const expression *e, double i, double n, double size) {
    double x = e->a ? expression_eval(e->a, i, n, size) : 0;
    double y = e->b ? expression_eval(e->b, i, n, size) : 0;
    switch (e->op) {
    case EXPR_CONSTANT: return e->constant;
    case EXPR_I: return i;
    case EXPR_LENGTH: return n;
    case EXPR_SIZE: return size;
    case EXPR_NEG: return -x;
    case EXPR_LN: return log_f64(x);
    case EXPR_SQRT: return sqrt(x);
    case EXPR_COS: return cos_f64(x);
    case EXPR_SIN: return sin_f64(x);
    case EXPR_FLOOR: return floor(x);
    case EXPR_CEIL2: return expression_ceil2(x);
    case EXPR_ADD: return x + y;
    case EXPR_SUB: return x - y;
    case EXPR_MUL: return x * y;
    case EXPR_DIV: return x / y;
    case EXPR_MOD: {
        double rest = fmod(x, y); /* exact in IEEE arithmetic */
        return rest < 0 ? rest + fabs(y) : rest;
    }
    case EXPR_EQ: return x == y;
    case EXPR_NE: return x != y;
    case EXPR_LT: return x < y;
    case EXPR_LE: return x <= y;
    case EXPR_MIN: return x < y ? x : y;
    case EXPR_MAX: return x > y ? x : y;
    }
    return 0;
}

const expression *expression_copy(arena *a, const expression *e) {
    if (!e) return NULL;
    expression *copy = arena_alloc(a, 1, sizeof *copy);
    *copy = *e;
    copy->a = expression_copy(a, e->a);
    copy->b = expression_copy(a, e->b);
    return copy;
}

bool expression_uses(const expression *e, expression_op variable) {
    return e && (e->op == variable || expression_uses(e->a, variable) || expression_uses(e->b, variable));
}
