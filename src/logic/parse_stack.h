/* The stacks of the parser: operators and brackets that wait, and values. */
#ifndef LOGIC_PARSE_STACK_H
#define LOGIC_PARSE_STACK_H

#include "logic/parser.h"

bool entry_is_bracket(const entry *e);

entry parser_entry(const token *t, entry_kind kind, int binding, size_t operands);
void parser_push(parser *p, entry e);
void parser_push_value(parser *p, value v);
void parser_push_formula(parser *p, node_id id); /* as written at t */

entry *parser_top(parser *p); /* NULL: nothing waits */

/* Applies the operator on top of the stack. */
void parser_apply(parser *p);

/* The bracket that is open, or NULL. */
const entry *parser_bracket(const parser *p);

/* parse_attention.c: the word and bracket of attention, up to the first condition, or to the bracket's end. */
void parser_read_attention(parser *p);

/* "is", "," and "]" in the bracket of attention; false: t is none of them, or stands elsewhere. */
bool parser_read_condition_end(parser *p);

#endif
