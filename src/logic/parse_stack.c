#include "logic/parse_stack.h"

entry *parser_top(parser *p) { return p->entry_count ? &p->entries[p->entry_count - 1] : NULL; }

bool entry_is_bracket(const entry *e) {
    return e->kind == ENTRY_OPEN || e->kind == ENTRY_COUNT || e->kind == ENTRY_WHERE;
}

entry parser_entry(const token *t, entry_kind kind, int binding, size_t operands) {
    return (entry){.kind = kind,
                   .op = t->op,
                   .binding = binding,
                   .operands = operands,
                   .times = 1,
                   .text = t->text,
                   .length = clip(t->length),
                   .line = clip(t->line),
                   .column = clip(t->column)};
}

void parser_push(parser *p, entry e) { array_push(scratch_of(p), p->entries, p->entry_count, p->entry_capacity, e); }

void parser_push_value(parser *p, value v) {
    array_push(scratch_of(p), p->values, p->value_count, p->value_capacity, v);
}

void parser_push_formula(parser *p, node_id id) {
    parser_push_value(
        p, (value){.kind = VALUE_FORMULA, .node = id, .line = clip(p->t.line), .column = clip(p->t.column)});
}

void parser_apply(parser *p) {
    entry e = p->entries[--p->entry_count];
    p->value_count -= e.operands;
    value *operands = p->values + p->value_count;
    *operands = value_apply(&p->context, &e, operands);
    p->value_count++;
}

const entry *parser_bracket(const parser *p) {
    for (size_t k = p->entry_count; k > 0; k--)
        if (entry_is_bracket(&p->entries[k - 1])) return &p->entries[k - 1];
    return NULL;
}
