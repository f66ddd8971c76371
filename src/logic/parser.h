/* What parse.c (formulas and sums) shares with parse_lines.c (definitions, outputs, the answer). */
#ifndef LOGIC_PARSER_H
#define LOGIC_PARSER_H

#include "logic/parse_values.h"

typedef struct definition {
    value value;
    size_t line;
} definition;

typedef struct parser {
    value_context context;
    tokenizer z;
    token t; /* the token to look at */
    entry *entries;
    size_t entry_count, entry_capacity;
    value *values;
    size_t value_count, value_capacity;
    definition *definitions;
    const char **names; /* one per definition */
    size_t definition_count, definition_capacity, name_count, name_capacity;
    table index;          /* name -> definition */
    const char *defining; /* the name of this line's definition, or NULL */
    bool last_is_number;  /* the operand before t is a number as written */
    const char *standing; /* in a line `emit letter = ...`: what the word letter stands for this time, "" if the
                             alphabet is not known; else NULL */
    bool stood;           /* ... and whether it was met */
} parser;

static inline arena *scratch_of(const parser *p) { return p->context.scratch; }

static inline void next(parser *p) { p->t = tokenizer_next(&p->z); }

/* value: from the token t to the end of the line, which becomes t */
value parser_value(parser *p);

/* Whether t is a word before a brace, which is no token. */
bool parser_at_brace(const parser *p);

/* Whether t begins a table: the word dfa before a brace or a quote. */
bool parser_at_table(const parser *p);

/* Whether t begins attention: the word rightmost or leftmost before a bracket. */
bool parser_at_attention(const parser *p);

_Noreturn void parser_refuse(parser *p, const token *t, const char *hint, const char *message);

#endif
