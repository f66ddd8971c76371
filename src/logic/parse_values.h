/* What the formula parser keeps on its two stacks, and what each operator makes of its operands. */
#ifndef LOGIC_PARSE_VALUES_H
#define LOGIC_PARSE_VALUES_H

#include "logic/spec_parse.h"
#include "logic/tokenize.h"
#include "logic/word_hint.h"

typedef enum value_kind {
    VALUE_FORMULA,
    VALUE_SUM,
    VALUE_REMAINDER,
    VALUE_LETTER /* "letter" in a condition of attention, below Y and X: node has them, over TRUE */
} value_kind;

typedef struct value {
    value_kind kind;
    bool is_shared;        /* the sum belongs to a definition: copy it before changing it */
    bool is_literal;       /* a number as written, perhaps meant as a letter */
    node_id node;          /* FORMULA, LETTER */
    linear_sum *sum;       /* SUM, REMAINDER */
    int64_t modulus;       /* REMAINDER: sum mod modulus */
    uint32_t line, column; /* where it starts */
} value;

typedef enum entry_kind {
    ENTRY_OPEN,   /* ( */
    ENTRY_COUNT,  /* #[ and #>[ */
    ENTRY_WHERE,  /* rightmost[ and leftmost[; operands: two for each condition that is complete */
    ENTRY_ATTEND, /* the same after its ], before the value */
    ENTRY_PREFIX,
    ENTRY_NEGATE,
    ENTRY_BINARY, /* Boolean and temporal; AND and OR take any number of operands */
    ENTRY_ADD,
    ENTRY_SUBTRACT,
    ENTRY_TIMES,
    ENTRY_MODULO,
    ENTRY_COMPARE,
    ENTRY_AT /* a formula at the position that a sum names */
} entry_kind;

/* An operator or bracket that waits for its operands. */
typedef struct entry {
    entry_kind kind;
    formula_op op;
    compare_op compare;
    int binding; /* larger binds tighter; brackets: -1 */
    size_t operands;
    int64_t times;        /* prefix operators: Y^3 */
    temper_choice choice; /* WHERE, ATTEND */
    temper_mask mask;
    bool compares;    /* WHERE: "is" stands in the present condition */
    const char *text; /* as written, not terminated */
    uint32_t length, line, column;
} entry;

typedef struct value_context {
    temper_spec *spec;
    spec_header *header;
    arena *scratch; /* freed when the text is parsed */
} value_context;

/* Lines and columns as they are kept. */
static inline uint32_t clip(size_t n) { return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n; }

/* The operator as written, for messages. */
const char *entry_shown(const value_context *c, const entry *e);

value value_number(value_context *c, int64_t number, const token *t);

/* Applies an operator, or the bracket of a count, to e->operands values. */
value value_apply(value_context *c, const entry *e, value *operands);

/* Raises unless v is a formula; `needs` begins the message: "the answer must be". */
void value_need_formula(value_context *c, const value *v, const char *needs);

/* letter_class.c: the LETTERS node of a class [abc] */
node_id letter_class(value_context *c, const token *t);

/* word_hint.c: what may have been meant by a word that is not defined; NULL if nothing is near. */
const char *word_hint(value_context *c, const char *word, const char *const *names, size_t count);

#endif
