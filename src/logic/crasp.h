/* What the two halves of the C-RASP front end share: crasp.c reads, crasp_apply.c computes. */
#ifndef LOGIC_CRASP_H
#define LOGIC_CRASP_H

#include "logic/crasp_counts.h"
#include "logic/spec_parse.h"
#include "logic/tokenize.h"

/* How tightly, from loosest to tightest. */
enum {
    LEVEL_NONE,
    LEVEL_ELSE,
    LEVEL_IMPLIES,
    LEVEL_OR,
    LEVEL_XOR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_NEGATE,
    LEVEL_PRODUCT,
    LEVEL_COUNT
};

typedef struct place {
    size_t line, column; /* line 0: none */
} place;

/* 0 and 1 are both a Boolean and a count; so is P ? 1 : 0. */
typedef struct value {
    node_id truth;   /* 0: not a Boolean */
    case_id count;   /* 0: not a count */
    int64_t modulus; /* of a count: what stands after "%"; 0: nothing */
    place at, i, j;  /* where it begins; where it mentions (i) and (j) first */
} value;

typedef enum slot_kind {
    SLOT_OPEN,
    SLOT_SQUARE,
    SLOT_CALL,
    SLOT_QUESTION,
    SLOT_ELSE,
    SLOT_PREFIX,
    SLOT_BINARY
} slot_kind;

/* An operator or bracket that waits for operands; `operands` are on the value stack when the one it waits for is. */
typedef struct slot {
    slot_kind kind;
    int level;
    token sign;
    size_t operands;              /* CALL, BINARY: so far, with the one being read */
    bool masked, strict, largest; /* "# [j<=i]", "# [j<i]"; max */
} slot;

typedef struct definition {
    value value;
    size_t line;
    bool is_letter; /* not defined, but read as a letter on that line */
} definition;

typedef struct crasp {
    temper_spec *spec;
    spec_header *header;
    formula *graph;
    arena *arena;
    tokenizer in;
    token now;
    counts counts;
    slot *slots;
    value *values;
    size_t slot_count, slot_capacity, value_count, value_capacity;
    definition *definitions;
    size_t definition_count, definition_capacity;
    table names;
} crasp;

/* The value of an operator or call on its operands, which are s->operands, or 1 (PREFIX) or 3 (ELSE) values. */
value crasp_apply(crasp *p, const slot *s, const value *part);

/* The value as a Boolean; raises the type error if it is only a count. */
node_id crasp_truth(crasp *p, const value *v);

compare_op crasp_mirrored(compare_op op); /* x op y is y mirrored x */

_Noreturn void crasp_refuse(crasp *p, place at, const char *hint, const char *message);

static inline place token_place(const token *t) { return (place){t->line, t->column}; }

#endif
