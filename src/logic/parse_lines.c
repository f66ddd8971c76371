/* The lines of a specification: definitions, a transducer's outputs, what a language model says besides, and the
   answer. parse.c reads what stands on them. */
#include <string.h>

#include "logic/parser.h"

/* Is t, at the start of a line, followed by a single "="? */
static bool is_assignment(const parser *p) {
    if (parser_at_attention(p)) return false;
    tokenizer ahead = p->z;
    if (p->t.kind != TOK_WORD && !(p->t.kind == TOK_SYMBOL && p->t.symbol == SYM_OPERATOR)) return false;
    if (parser_at_table(p) || parser_at_brace(p)) return false;
    token second = tokenizer_next(&ahead);
    return second.kind == TOK_SYMBOL && second.symbol == SYM_EQ && second.length == 1;
}

static const char SECOND_VIABLE[] = "a second line 'viable'", SECOND_VIABLE_HINT[] = "join the two conditions by '&'";

static void check_name(parser *p, const token *name) {
    temper_spec *s = p->context.spec;
    trap *raise = scratch_of(p)->trap;
    const char *shown = text_escaped(scratch_of(p), name->text, name->length, 40);
    if (spec_is_header_word(name->text, name->length) || name->kind != TOK_WORD)
        trap_raise_hint(raise, TEMPER_SYNTAX, name->line, name->column, "choose another name, a lower-case word",
                        "'%s' has a meaning of its own and cannot be a name", shown);
    const uint32_t *known = table_find(&p->index, name->text, name->length);
    if (known)
        trap_raise(raise, TEMPER_SYNTAX, name->line, name->column, "'%s' is already defined on line %zu", shown,
                   p->definitions[*known].line);
    if (alphabet_find(&s->letters, name->text, name->length) != UINT32_MAX)
        trap_raise_hint(raise, TEMPER_SYNTAX, name->line, name->column, "choose another name",
                        p->context.header->alphabet_given ? "'%s' is a letter of the alphabet and cannot be a name"
                                                          : "'%s' was used as a letter before and cannot be a name",
                        shown);
}

/* definition = NAME "=" value */
static void read_definition(parser *p) {
    temper_spec *s = p->context.spec;
    token name = p->t;
    check_name(p, &name);
    next(p);
    next(p);
    p->defining = name.text;
    definition d = {.value = parser_value(p), .line = name.line};
    p->defining = NULL;
    if (p->t.kind == TOK_NEWLINE) next(p);
    if (p->t.kind == TOK_END && p->context.header->kind != TEMPER_KIND_TRANSDUCER) {
        text hint;
        text_init(&hint, scratch_of(p));
        const char *shown = text_escaped(scratch_of(p), name.text, name.length, 40);
        text_printf(&hint,
                    d.value.kind == VALUE_FORMULA
                        ? "add a last line such as '%s'; formulas are compared by '<->'"
                        : "add a last line such as '%s > 0'; the count of a letter is '#[a]'",
                    shown);
        trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, name.line, name.column, text_string(&hint),
                        "the last line must be the answer, but it defines '%s'", shown);
    }
    if (d.value.kind == VALUE_FORMULA) formula_note_name(&s->graph, d.value.node, name.text);
    /* By this name a definition is the line of language models, so that one text serves acceptors, too. */
    if (d.value.kind == VALUE_FORMULA && p->context.header->kind == TEMPER_KIND_NEXT &&
        token_is_word(&name, "viable")) {
        if (s->viable) parser_refuse(p, &name, SECOND_VIABLE_HINT, SECOND_VIABLE);
        s->viable = d.value.node;
    }
    d.value.is_literal = false;
    bool fresh;
    table_put(&p->index, name.text, name.length, (uint32_t)p->definition_count, &fresh);
    array_push(scratch_of(p), p->names, p->name_count, p->name_capacity, name.text);
    array_push(scratch_of(p), p->definitions, p->definition_count, p->definition_capacity, d);
}

/* Is t the name of a definition that can be compared? Then "name = ..." is the answer, not a second definition. */
static bool is_count_name(const parser *p) {
    if (p->t.kind != TOK_WORD) return false;
    const uint32_t *known = table_find(&p->index, p->t.text, p->t.length);
    return known && p->definitions[*known].value.kind != VALUE_FORMULA;
}

static const char *hint_defined(parser *p, const token *name) {
    text t;
    text_init(&t, scratch_of(p));
    text_printf(&t, "'%s' is a count defined on line %zu, so this line compares it",
                text_escaped(scratch_of(p), name->text, name->length, 40),
                p->definitions[*table_find(&p->index, name->text, name->length)].line);
    return text_string(&t);
}

/* answer = formula */
static void read_answer(parser *p) {
    temper_spec *s = p->context.spec;
    token start = p->t;
    bool is_header = start.kind == TOK_WORD && spec_is_header_word(start.text, start.length) && !s->letters.tokens;
    if (is_header)
        parser_refuse(p, &start, "move it to the top", "lines such as 'alphabet a b' stand before all others");
    bool compares = is_assignment(p);
    value v = parser_value(p);
    if (p->t.kind == TOK_NEWLINE) next(p);
    if (p->t.kind != TOK_END) {
        const char *hint = "a definition is 'name = ...'; a formula of several lines stands in brackets";
        if (compares) hint = hint_defined(p, &start);
        trap_raise_hint(scratch_of(p)->trap, TEMPER_SYNTAX, start.line, start.column, hint,
                        "this line is an answer, but only the last line can be one, and line %zu follows", p->t.line);
    }
    value_need_formula(&p->context, &v, "the answer must be a formula");
    s->root = v.node;
}

/* The line `regex R` or `dfa FILE` is a definition of the name "matches", and the answer if there is no other. */
static void define_language(parser *p) {
    static const char name[] = "matches";
    spec_header *h = p->context.header;
    const spec_language_line *l = &h->language;
    value v = {.kind = VALUE_FORMULA, .line = clip(l->line), .column = clip(l->column)};
    if (l->is_file) {
        const char *content;
        v.node = spec_table_file(p->context.spec, h, l->text, l->line, l->column, &content, scratch_of(p));
        text inlined;
        text_init(&inlined, scratch_of(p));
        text_printf(&inlined, "%s = %s\n", name, content);
        spec_splice gone = {.begin = l->begin, .end = l->end, .text = ""};
        spec_splice here = {
            .begin = p->z.at, .end = p->z.at, .text = text_string(&inlined), .length = inlined.length};
        spec_splice_add(h, gone, scratch_of(p));
        spec_splice_add(h, here, scratch_of(p));
    } else {
        v.node = spec_regex(p->context.spec, h, l->text, l->length, l->line, l->column);
    }
    bool fresh;
    table_put(&p->index, name, strlen(name), (uint32_t)p->definition_count, &fresh);
    array_push(scratch_of(p), p->names, p->name_count, p->name_capacity, name);
    array_push(scratch_of(p), p->definitions, p->definition_count, p->definition_capacity,
               (definition){.value = v, .line = l->line});
}

/* Nothing follows the line `regex R` or `dfa FILE`. */
static void answer_by_language(parser *p) {
    spec_header *h = p->context.header;
    if (h->at == TEMPER_AT_FIRST)
        trap_raise(scratch_of(p)->trap, TEMPER_RANGE, h->language.line, h->language.column,
                   "a regular language is read at the last position");
    spec_splice answer = {.begin = p->z.at, .end = p->z.at, .text = "matches\n", .length = strlen("matches\n")};
    if (h->language.is_file) spec_splice_add(h, answer, scratch_of(p));
    p->context.spec->root = p->definitions[0].value.node;
}

/* ---- outputs ------------------------------------------------------------------------------------------------ */

/* t is the word at the start of a line, and no definition's name. */
static bool begins(const parser *p, const char *word) { return token_is_word(&p->t, word) && !is_assignment(p); }

static void end_line(parser *p) {
    if (p->t.kind == TOK_NEWLINE) next(p);
}

/* What is written; "nothing" is the empty text. */
static const char *read_output_name(parser *p) {
    const token *t = &p->t;
    temper_spec *s = p->context.spec;
    bool named = t->kind == TOK_LETTER || t->kind == TOK_WORD || t->kind == TOK_NUMBER;
    if (!named)
        parser_refuse(p, t, "write it as emit 'x' = ..., emit nothing = ... or emit 'x' otherwise",
                      "expected what to emit, in quotes");
    for (size_t k = 0; s->letters.tokens && k < t->length; k++)
        if (strchr(" \t\r\n\v\f", t->text[k]))
            parser_refuse(p, t, "tokens are written with blanks between them, so it would be two",
                          "the output holds a blank");
    return token_is_word(t, "nothing") ? "" : arena_copy(&s->memory, t->text, t->length);
}

static void check_output(parser *p, const token *at, const char *name, bool otherwise) {
    const temper_spec *s = p->context.spec;
    trap *raise = scratch_of(p)->trap;
    for (size_t k = 0; k < s->output_count; k++) {
        if (!strcmp(s->outputs[k].name, name))
            trap_raise_hint(raise, TEMPER_SYNTAX, at->line, at->column, "join the two conditions by '|'",
                            "a second line that emits %s, as line %u does", token_shown(scratch_of(p), at),
                            s->outputs[k].line);
        if (otherwise && s->outputs[k].is_otherwise)
            trap_raise(raise, TEMPER_SYNTAX, at->line, at->column, "a second 'otherwise', after the one on line %u",
                       s->outputs[k].line);
    }
    if (s->output_count == SPEC_OUTPUTS)
        trap_raise(raise, TEMPER_LIMIT, at->line, at->column, "a specification has at most %d outputs", SPEC_OUTPUTS);
}

static node_id read_output_formula(parser *p) {
    p->defining = ""; /* no name that the formula could use */
    value v = parser_value(p);
    p->defining = NULL;
    value_need_formula(&p->context, &v, "an output must be a formula");
    return v.node;
}

/* In `emit letter = ...` the word letter may stand for each letter in turn, first for this one; "": the alphabet is
   not stated. NULL: a letter or a definition is called so, or a word may be a new letter. In a formula the word meant
   nothing otherwise, so that no other text changes. */
static const char *first_standing(const parser *p, const token *name) {
    const temper_spec *s = p->context.spec;
    bool given = p->context.header->alphabet_given && s->letters.count;
    if (!token_is_word(name, "letter") || (!given && s->letters.tokens) ||
        alphabet_find(&s->letters, name->text, name->length) != UINT32_MAX ||
        table_find(&p->index, name->text, name->length))
        return NULL;
    return given ? s->letters.letters[0] : "";
}

enum { MOST_READ = 1 << 24 }; /* bytes of a line, once for each letter */

/* Reads the formula of `emit letter = ...` again for each letter but the first; x is that of the first. */
static void read_each_letter(parser *p, size_t *capacity, spec_output x, const token *name, const parser *start) {
    temper_spec *s = p->context.spec;
    spec_header *h = p->context.header;
    spec_splice *splices = arena_alloc(scratch_of(p), h->splice_count, sizeof *splices);
    size_t splice_count = h->splice_count, size = p->z.at - start->z.at + 1;
    if (splice_count) memcpy(splices, h->splices, splice_count * sizeof *splices);
    if (size > MOST_READ / s->letters.count)
        trap_raise(scratch_of(p)->trap, TEMPER_LIMIT, name->line, name->column,
                   "%zu bytes for each of %zu letters are more than %d", size, s->letters.count, MOST_READ);
    for (size_t k = 0; k < s->letters.count; k++) {
        token emitted = *name;
        emitted.kind = TOK_LETTER;
        emitted.text = x.name = s->letters.letters[k];
        emitted.length = strlen(x.name);
        check_output(p, &emitted, x.name, false);
        if (k > 0) {
            p->z = start->z;
            p->t = start->t;
            p->standing = x.name;
            x.root = read_output_formula(p);
            p->standing = NULL;
        }
        array_push(&s->memory, s->outputs, s->output_count, *capacity, x);
    }
    h->splice_count = splice_count; /* files were named once */
    if (splice_count) memcpy(h->splices, splices, splice_count * sizeof *splices);
}

/* output = "emit" NAME "=" formula | "emit" NAME "otherwise" */
static void read_output(parser *p, size_t *capacity) {
    temper_spec *s = p->context.spec;
    next(p);
    token name = p->t;
    spec_output x = {.name = read_output_name(p), .line = clip(name.line), .column = clip(name.column)};
    next(p);
    x.is_otherwise = token_is_word(&p->t, "otherwise");
    bool equals = p->t.kind == TOK_SYMBOL && p->t.symbol == SYM_EQ && p->t.length == 1;
    if (!x.is_otherwise && !equals)
        parser_refuse(p, &p->t, "write it as emit 'x' = ... or emit 'x' otherwise", "expected '=' or 'otherwise'");
    check_output(p, &name, x.name, x.is_otherwise);
    next(p);
    if (equals) {
        parser start = *p;
        p->stood = false;
        p->standing = first_standing(p, &name);
        x.root = read_output_formula(p);
        p->standing = NULL;
        if (p->stood) {
            read_each_letter(p, capacity, x, &name, &start);
            end_line(p);
            return;
        }
    } else if (p->t.kind != TOK_NEWLINE && p->t.kind != TOK_END) {
        parser_refuse(p, &p->t, "", "expected end of line after 'otherwise'");
    }
    end_line(p);
    array_push(&s->memory, s->outputs, s->output_count, *capacity, x);
}

/* Where no other output holds. */
static void settle_otherwise(temper_spec *s, arena *scratch) {
    node_id *others = arena_alloc(scratch, s->output_count, sizeof *others);
    size_t count = 0;
    for (size_t k = 0; k < s->output_count; k++)
        if (!s->outputs[k].is_otherwise) others[count++] = s->outputs[k].root;
    for (size_t k = 0; k < s->output_count; k++) {
        spec_output *x = &s->outputs[k];
        if (!x->is_otherwise) continue;
        x->root = formula_unary(&s->graph, OP_NOT, formula_nary(&s->graph, OP_OR, others, count));
        formula_note_place(&s->graph, x->root, x->line, x->column);
    }
}

/* Where not exactly one output holds, for those who decide whether there is such a place. An `otherwise` holds where
   nothing else does, so only the others can clash, and one always holds. */
static void settle_unclear(temper_spec *s, arena *scratch) {
    formula *g = &s->graph;
    node_id *clashes = arena_alloc(scratch, s->output_count, sizeof *clashes), seen = 0;
    size_t count = 0;
    bool otherwise = false;
    for (size_t k = 0; k < s->output_count; k++) {
        node_id root = s->outputs[k].root;
        otherwise = otherwise || s->outputs[k].is_otherwise;
        if (s->outputs[k].is_otherwise) continue;
        if (seen) clashes[count++] = formula_binary(g, OP_AND, root, seen);
        seen = seen ? formula_binary(g, OP_OR, seen, root) : root;
    }
    if (!otherwise) clashes[count++] = formula_unary(g, OP_NOT, seen);
    s->unclear = count ? formula_nary(g, OP_OR, clashes, count) : formula_atom(g, OP_FALSE);
    s->unclear_so_far = formula_unary(g, OP_ONCE, s->unclear);
}

static void read_outputs(parser *p) {
    temper_spec *s = p->context.spec;
    size_t capacity = 0;
    while (p->t.kind != TOK_END) {
        if (begins(p, "emit"))
            read_output(p, &capacity);
        else if (is_assignment(p))
            read_definition(p);
        else
            parser_refuse(p, &p->t, "the lines of a transducer are emit 'x' = ... and definitions 'name = ...'",
                          "expected 'emit' or a definition");
    }
    if (!s->output_count)
        parser_refuse(p, &p->t, "write a line such as emit 'x' = a & Y b", "the transducer has no line 'emit'");
    settle_otherwise(s, scratch_of(p));
    settle_unclear(s, scratch_of(p));
}

/* ---- language models ---------------------------------------------------------------------------------------- */

/* "viable" formula */
static void read_viable(parser *p) {
    temper_spec *s = p->context.spec;
    if (s->viable) parser_refuse(p, &p->t, SECOND_VIABLE_HINT, SECOND_VIABLE);
    next(p);
    value v = parser_value(p);
    value_need_formula(&p->context, &v, "what is viable must be a formula");
    s->viable = v.node;
    end_line(p);
}

/* A line that only language models have. */
static bool read_model_line(parser *p) {
    if (p->context.header->kind != TEMPER_KIND_NEXT) return false;
    if (begins(p, "viable") && !table_find(&p->index, p->t.text, p->t.length)) { /* else it is a definition's name */
        read_viable(p);
        return true;
    }
    if (!begins(p, "probabilities")) return false;
    spec_probabilities_line(p->context.spec, p->context.header, &p->z, p->t.line, p->t.column);
    p->z.line_has_tokens = false;
    next(p);
    return true;
}

/* The stacks and the text of tokens are scratch, so that the specification keeps only its graph. */
void spec_parse_formula(temper_spec *s, spec_header *h, arena *scratch) {
    parser p = {.context = {.spec = s, .header = h, .scratch = scratch}};
    table_init(&p.index, scratch);
    tokenizer_init(&p.z, scratch, TEMPER_SYNTAX_SPEC, s->source, s->source_length);
    while (spec_header_line(s, h, &p.z)) continue;
    if (h->language.is_said) define_language(&p);
    next(&p);
    if (h->kind == TEMPER_KIND_TRANSDUCER) {
        read_outputs(&p);
        return;
    }
    for (;;) {
        if (read_model_line(&p)) continue;
        if (!is_assignment(&p) || is_count_name(&p)) break;
        read_definition(&p);
    }
    if (p.t.kind == TOK_END && h->language.is_said) {
        answer_by_language(&p);
        return;
    }
    if (p.t.kind == TOK_END)
        parser_refuse(&p, &p.t, "the last line of a specification is its answer, as in 'a & F b'",
                      "expected a formula, found end of text");
    read_answer(&p);
}
