/* Expressions of (i, n): position features and softmax scales. i is the position 0..N-1, n the length of the string,
   N = n + 1 or n + 2 the number of positions, sentinels included. So a model has no maximum length.

       expr   = term { ("+" | "-") term }
       term   = factor { ("*" | "/" | "%") factor }
       factor = number | "i" | "n" | "N" | "-" factor | "(" expr ")" | "[" expr ("=" | "!=" | "<" | "<=") expr "]"
              | ("ln" | "log" | "log2" | "sqrt" | "cos" | "sin" | "floor" | "ceil2") "(" expr ")"
              | ("min" | "max") "(" expr "," expr ")"

   log is ln, and log2(a) is read as ln(a)/ln(2). [a = b] is 1 or 0. a % b is the remainder in 0..b-1. ceil2(a) is the
   least power of two that is not below a, and 0 where a is not positive: a number of every format that reaches so
   far. Evaluation is in doubles, one rounding per operation, with our own ln, cos and sin: the same bits everywhere.
   cos and sin of more than 2^20 are no numbers. */
#ifndef MODEL_EXPRESSION_H
#define MODEL_EXPRESSION_H

#include "base/text.h"

typedef enum expression_op {
    EXPR_CONSTANT,
    EXPR_I,
    EXPR_LENGTH,
    EXPR_SIZE, /* number, i, n, N */
    EXPR_NEG,
    EXPR_LN,
    EXPR_SQRT,
    EXPR_COS,
    EXPR_SIN,
    EXPR_FLOOR,
    EXPR_CEIL2,
    EXPR_ADD,
    EXPR_SUB,
    EXPR_MUL,
    EXPR_DIV,
    EXPR_MOD,
    EXPR_EQ,
    EXPR_NE,
    EXPR_LT,
    EXPR_LE,
    EXPR_MIN,
    EXPR_MAX
} expression_op;

typedef struct expression {
    expression_op op;
    double constant;
    const struct expression *a, *b; /* operands, NULL where there are none */
} expression;

enum { EXPRESSION_DEPTH = 64 };

/* Reads text[0..length); raises TEMPER_FORMAT at `line` with the column counted from `column`. */
const expression *expression_parse(arena *a, const char *bytes, size_t length, size_t line, size_t column);

/* NULL: the text is no expression, and *error says why. Lack of memory is raised. */
const expression *expression_try(arena *a, const char *bytes, temper_error *error);

/* For expressions written in our own source: the text is known to be right. */
const expression *expression_make(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

void expression_print(text *out, const expression *e);
double expression_ceil2(double x); /* exact; NaN stays NaN, beyond 2^1023 infinity */
double expression_eval(const expression *e, double i, double n, double size);
/* NULL: it is finite there. Else a clause that says what it is, where, and which part of it is to blame. */
const char *expression_fault(const expression *e, double i, double n, double size, arena *a);
const expression *expression_copy(arena *a, const expression *e);
bool expression_uses(const expression *e, expression_op variable);

#endif
