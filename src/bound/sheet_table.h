/* The sheet of inequalities (src/number/heads.sheet) as scripts/sheet.awk compiles it: a tree for every line. */
#ifndef BOUND_SHEET_TABLE_H
#define BOUND_SHEET_TABLE_H

#include <stdint.h>

#include "sheet_names.h" /* made while building: SHEET_ and the name of each line */

typedef enum sheet_op {
    SHEET_OP_NUMBER,    /* a */
    SHEET_OP_NAME,      /* the line a */
    SHEET_OP_PARAMETER, /* the first or second one: a is 0 or 1 */
    SHEET_OP_NEGATIVE,
    SHEET_OP_PLUS,
    SHEET_OP_MINUS,
    SHEET_OP_TIMES,
    SHEET_OP_OVER,
    SHEET_OP_POWER,  /* a to the whole number b */
    SHEET_OP_TWO_TO, /* 2 to the whole number a, which may be negative */
    SHEET_OP_EXP,
    SHEET_OP_LN,
    SHEET_OP_MAX,
    SHEET_OP_MIN,
    SHEET_OP_CALL,   /* the line a with the parameters b and c */
    SHEET_OP_CHOICE, /* b where a flag holds, else c; a is 1 more than the flag's line, negative for "not" */
    SHEET_OP_WHERE,  /* of a condition: b where the flag holds */
    SHEET_OP_LESS,
    SHEET_OP_AT_MOST
} sheet_op;

/* Operands are nodes unless said otherwise; -1: there is none. */
typedef struct sheet_node {
    uint8_t op;
    int16_t a, b, c;
} sheet_node;

typedef enum sheet_kind {
    SHEET_IS_FLAG,
    SHEET_IS_NATURAL,
    SHEET_IS_INTEGER,
    SHEET_IS_REAL,
    SHEET_IS_VALUE,
    SHEET_IS_CONDITION
} sheet_kind;

typedef struct sheet_line {
    const char *name;
    uint8_t kind;
    int16_t root; /* a node; -1: it is given */
} sheet_line;

extern const sheet_node sheet_nodes[];
extern const sheet_line sheet_lines[SHEET_COUNT];

#endif
