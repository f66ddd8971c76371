/* Whole specifications as text: header lines, definitions for what is large and shared, the answer. */
#include "logic/formula_print.h"
#include "logic/match.h"

#include <string.h>

/* A shared subformula with a text longer than this gets a definition. */
enum { LONG_TEXT = 16 };

typedef struct spec_printer {
    const temper_spec *spec;
    arena *scratch;
    const formula *f;
    text *out;
    bool brasp;
    unsigned char *reachable;
    const char **names; /* per node: its definition's name, or NULL */
    table taken;        /* names in use */
    unsigned long next_name;
} spec_printer;

static bool is_count(formula_op op) { return op == OP_COUNT_PAST || op == OP_COUNT_FUTURE; }

temper_syntax spec_print_syntax(const temper_spec *s) {
    bool attends = false;
    if (s->syntax == TEMPER_SYNTAX_BRASP) return TEMPER_SYNTAX_BRASP;
    for (node_id id = 1; id <= s->root; id++) {
        formula_op op = formula_at(&s->graph, id)->op;
        attends = attends || op == OP_ATTEND;
        if (op == OP_MATCH || (op != OP_ATTEND && operator_direction(op) != 'n')) return TEMPER_SYNTAX_SPEC;
    }
    return attends ? TEMPER_SYNTAX_BRASP : TEMPER_SYNTAX_SPEC;
}

/* ---- names ------------------------------------------------------------------------------------------------- */

static bool is_taken_by_brasp(const char *word) {
    return !strncmp(word, "Q_", 2) || !strcmp(word, "i") || !strcmp(word, "j") || !strcmp(word, "leftmost") ||
           !strcmp(word, "rightmost");
}

/* A line of these kinds may begin with it. */
static bool begins_line(const spec_printer *p, const char *word) {
    return p->spec->kind != TEMPER_KIND_ACCEPTOR &&
           (!strcmp(word, "viable") || !strcmp(word, "probabilities") || !strcmp(word, "emit"));
}

/* The user's name if it can be one here; C-RASP's upper-case names become lower-case ones. NULL: none. */
static const char *usable_name(const spec_printer *p, const char *name) {
    if (!name || !*name) return NULL;
    size_t length = strlen(name);
    if (length > 40) return NULL;
    char *copy = arena_copy(p->scratch, name, length);
    for (char *c = copy; *c; c++) {
        bool upper = *c >= 'A' && *c <= 'Z', lower = *c >= 'a' && *c <= 'z';
        bool inner = (*c >= '0' && *c <= '9') || *c == '_';
        if (!upper && !lower && !(inner && c != copy)) return NULL;
        if (upper && !p->brasp) *c = (char)(*c - 'A' + 'a');
    }
    if (word_is_reserved(copy) || begins_line(p, copy) || table_find(&p->taken, copy, length)) return NULL;
    bool clashes = p->brasp ? is_taken_by_brasp(copy) : alphabet_find(&p->spec->letters, copy, length) != UINT32_MAX;
    if (clashes) return NULL;
    return copy;
}

static const char *choose_name(spec_printer *p, node_id id) {
    const char *name = usable_name(p, p->f->notes[id].name);
    while (!name) {
        text t;
        text_init(&t, p->scratch);
        text_printf(&t, "%s%lu", p->brasp ? "P" : "x", ++p->next_name);
        name = usable_name(p, text_string(&t));
    }
    bool fresh;
    table_put(&p->taken, name, strlen(name), id, &fresh);
    return name;
}

static bool is_transducer(const spec_printer *p) { return p->spec->kind == TEMPER_KIND_TRANSDUCER; }

/* How often each node's text would be printed without definitions, counts being transparent; at most UINT32_MAX. */
static uint32_t *find_uses(const spec_printer *p) {
    const formula *f = p->f;
    uint32_t *uses = arena_zalloc(p->scratch, f->count, sizeof *uses);
    for (size_t k = 0; is_transducer(p) && k < p->spec->output_count; k++)
        if (!p->spec->outputs[k].is_otherwise) uses[p->spec->outputs[k].root]++;
    if (p->spec->viable) uses[p->spec->viable]++;
    for (node_id id = (node_id)(f->count - 1); id > 0; id--) {
        if (!p->reachable[id]) continue;
        const formula_node *n = formula_at(f, id);
        for (size_t k = 0; k < n->kid_count; k++) {
            uint32_t *use = &uses[formula_kid(f, id, k)];
            uint32_t more = is_count(n->op) ? uses[id] : 1;
            *use = *use > UINT32_MAX - more ? UINT32_MAX : *use + more;
        }
    }
    return uses;
}

/* What the bracket of attention asks at both positions. */
static void print_brasp_conditions(spec_printer *p, formula_printer *q, node_id id) {
    size_t count = match_conditions(formula_at(p->f, id));
    for (size_t k = 0; k < count; k++) {
        text_puts(p->out, k ? " & (" : "(");
        q->variable = 'j';
        formula_print_operand(q, formula_kid(p->f, id, 2 * k));
        text_puts(p->out, " <-> ");
        q->variable = 'i';
        formula_print_operand(q, formula_kid(p->f, id, 2 * k + 1));
        text_putc(p->out, ')');
    }
    q->variable = 'j';
}

/* Names what must be defined before it is used: attention in B-RASP, and long texts that would be printed twice. What
   stays unnamed and is printed twice is short, so the whole text is linear in the graph. */
static void name_nodes(spec_printer *p) {
    const formula *f = p->f;
    uint32_t *uses = find_uses(p);
    size_t *cost = arena_zalloc(p->scratch, f->count, sizeof *cost);
    p->names = arena_zalloc(p->scratch, f->count, sizeof *p->names);
    for (node_id id = 1; id < f->count; id++) {
        if (!p->reachable[id] || id == p->spec->root) continue;
        const formula_node *n = formula_at(f, id);
        cost[id] = n->op == OP_LETTERS   ? letters_print_cost(f, &p->spec->letters, id)
                   : n->op == OP_MATCHES ? matches_print_cost(f, id)
                                         : 4;
        for (size_t k = 0; k < n->kid_count; k++) {
            node_id kid = formula_kid(f, id, k);
            cost[id] += 4 + (p->names[kid] ? strlen(p->names[kid]) : cost[kid]);
        }
        bool is_long = cost[id] > LONG_TEXT && uses[id] > 1 && !is_count(n->op);
        bool has_line = p->brasp && (n->op == OP_ATTEND || n->op == OP_MATCH);
        if (is_long || has_line) p->names[id] = choose_name(p, id);
    }
}

/* ---- lines --------------------------------------------------------------------------------------------------- */

static void print_header(spec_printer *p) {
    const temper_spec *s = p->spec;
    if (s->kind == TEMPER_KIND_NEXT) text_puts(p->out, "next\n");
    if (is_transducer(p)) text_puts(p->out, "transduce\n");
    if (s->letters.tokens) text_puts(p->out, "tokens yes\n");
    if (s->letters.count) {
        text_puts(p->out, "alphabet");
        for (size_t k = 0; k < s->letters.count; k++) {
            text_putc(p->out, ' ');
            letter_print(p->out, s->letters.letters[k], s->letters.tokens);
        }
        text_putc(p->out, '\n');
    }
    if (s->letters.other != UINT32_MAX) {
        text_puts(p->out, "other ");
        letter_print(p->out, s->letters.letters[s->letters.other], s->letters.tokens);
        text_putc(p->out, '\n');
    }
    if (is_transducer(p)) return;
    text_printf(p->out, "at %s\n", s->at == TEMPER_AT_FIRST ? "first" : "last");
    if (s->accepts_empty) text_puts(p->out, "empty accept\n");
}

static void print_brasp_line(spec_printer *p, formula_printer *q, node_id id, const char *name) {
    const formula_node *n = formula_at(p->f, id);
    text_printf(p->out, "%s(i) := ", name);
    if (n->op != OP_ATTEND && n->op != OP_MATCH) {
        q->variable = 'i';
        formula_print_node(q, id);
    } else {
        /* average: the candidates all have the value 1, so any choice among them will do */
        text_printf(p->out, "%s [%s, ", n->choice == TEMPER_CHOICE_LEFTMOST ? "leftmost" : "rightmost",
                    mask_print_name(n->mask));
        q->variable = 'j';
        if (n->op == OP_MATCH)
            print_brasp_conditions(p, q, id);
        else
            formula_print_operand(q, formula_kid(p->f, id, 0));
        text_puts(p->out, "] ");
        formula_print_operand(q, formula_kid(p->f, id, n->op == OP_MATCH ? (size_t)n->kid_count - 2 : 1));
        text_puts(p->out, " : 0");
    }
    text_putc(p->out, '\n');
}

static void print_line(spec_printer *p, formula_printer *q, node_id id, const char *name) {
    if (p->brasp) {
        print_brasp_line(p, q, id, name ? name : choose_name(p, id));
        return;
    }
    if (name) text_printf(p->out, "%s = ", name);
    formula_print_node(q, id);
    text_putc(p->out, '\n');
}

static void print_value(spec_printer *p, formula_printer *q, node_id id) {
    if (p->names[id])
        text_puts(p->out, p->names[id]);
    else
        formula_print_node(q, id);
}

static void print_outputs(spec_printer *p, formula_printer *q) {
    for (size_t k = 0; k < p->spec->output_count; k++) {
        const spec_output *x = &p->spec->outputs[k];
        text_puts(p->out, "emit ");
        if (*x->name)
            letter_print_quoted(p->out, x->name);
        else
            text_puts(p->out, "nothing");
        text_puts(p->out, x->is_otherwise ? " otherwise" : " = ");
        if (!x->is_otherwise) print_value(p, q, x->root);
        text_putc(p->out, '\n');
    }
}

/* What is printed: not the outputs that are made of others, nor what a MATCH is in other operators. */
static unsigned char *printed_nodes(const temper_spec *s, arena *a) {
    spec_output *written = arena_alloc(a, s->output_count, sizeof *written);
    temper_spec some = *s;
    some.outputs = written;
    some.output_count = 0;
    for (size_t k = 0; s->kind == TEMPER_KIND_TRANSDUCER && k < s->output_count; k++)
        if (!s->outputs[k].is_otherwise) written[some.output_count++] = s->outputs[k];
    unsigned char *all = spec_reachable(&some, a), *marks = arena_zalloc(a, s->graph.count, 1);
    marks[s->root] = marks[s->viable] = 1;
    for (size_t k = 0; k < some.output_count; k++) marks[written[k].root] = 1;
    marks[0] = 0;
    for (size_t id = s->graph.count; id-- > 1;) {
        const formula_node *n = formula_at(&s->graph, (node_id)id);
        if (!all[id] || !marks[id]) continue;
        for (size_t k = 0; k < n->kid_count - (n->op == OP_MATCH); k++)
            marks[formula_kid(&s->graph, (node_id)id, k)] = 1;
    }
    return marks;
}

/* What a language model says besides its language. */
static void print_model_lines(spec_printer *p, formula_printer *q) {
    const temper_spec *s = p->spec;
    if (s->probabilities.is_said && s->probabilities.is_uniform) text_puts(p->out, "probabilities uniform\n");
    if (s->probabilities.text) text_printf(p->out, "probabilities {%s}\n", s->probabilities.text);
    if (!s->viable) return;
    if (p->brasp) {
        print_brasp_line(p, q, s->viable, "viable");
        return;
    }
    text_puts(p->out, "viable ");
    print_value(p, q, s->viable);
    text_putc(p->out, '\n');
}

static void print_spec(text *out, const temper_spec *s, bool header) {
    spec_printer p = {.spec = s, .scratch = out->arena, .f = &s->graph, .out = out};
    p.brasp = spec_print_syntax(s) == TEMPER_SYNTAX_BRASP;
    p.reachable = printed_nodes(s, p.scratch);
    table_init(&p.taken, p.scratch);
    name_nodes(&p);
    if (header) print_header(&p);
    formula_printer q = {
        .out = out, .scratch = p.scratch, .f = p.f, .letters = &s->letters, .names = p.names, .limit = SIZE_MAX};
    for (node_id id = 1; id < p.f->count; id++)
        if (p.names[id]) print_line(&p, &q, id, p.names[id]);
    print_model_lines(&p, &q);
    if (is_transducer(&p))
        print_outputs(&p, &q);
    else
        print_line(&p, &q, s->root, NULL);
}

void spec_print(text *out, const temper_spec *s) { print_spec(out, s, true); }

void spec_print_formula(text *out, const temper_spec *s) { print_spec(out, s, false); }
