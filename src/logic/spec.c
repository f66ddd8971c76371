#include <string.h>

#include "base/entry.h"
#include "logic/formula_eval.h"
#include "logic/formula_print.h"
#include "logic/spec_parse.h"
#include "logic/written.h"

/* A text of this size is no formula but a mistake, and would need many times its size in memory. */
#define SOURCE_LIMIT ((size_t)256 << 20)

static spec_header header_of(const temper_spec_options *o) {
    bool given = o->alphabet || o->ascii || o->letter_count;
    return (spec_header){.alphabet_given = given,
                         .at = o->at,
                         .empty = o->empty,
                         .tokens = o->tokens,
                         .alphabet_fixed = given,
                         .at_fixed = o->at != TEMPER_AT_DEFAULT,
                         .empty_fixed = o->empty != TEMPER_EMPTY_DEFAULT,
                         .tokens_fixed = o->tokens,
                         .alphabet_option = o->alphabet,
                         .letter_option = o->letters,
                         .letter_option_count = o->letter_count,
                         .ascii_option = o->ascii,
                         .other = {.letter = o->other, .length = o->other ? strlen(o->other) : 0},
                         .other_fixed = o->other != NULL,
                         .folder = o->folder,
                         .kind = o->kind};
}

static const char *place_of(temper_spec *s, node_id id) {
    const formula_node *n = formula_at(&s->graph, id);
    text t, label;
    text_init(&t, &s->memory);
    text_init(&label, &s->memory);
    if (n->op == OP_MATCHES)
        formula_label(&label, &s->graph, &s->letters, id, 40);
    else
        text_puts(&label, operator_spelling(n->op));
    text_printf(&t, "'%s' at %u:%u", text_escaped(&s->memory, text_string(&label), label.length, 60),
                s->graph.notes[id].line, s->graph.notes[id].column);
    return text_string(&t);
}

/* Only-forward formulas are read at the first position, others at the last; both ways must be told. */
static temper_at decide_at(temper_spec *s, temper_at said) {
    bool is_language = s->syntax == TEMPER_SYNTAX_REGEX || s->syntax == TEMPER_SYNTAX_DFA;
    if (is_language && said == TEMPER_AT_FIRST)
        trap_raise(s->memory.trap, TEMPER_RANGE, 0, 0, "a regular language is read at the last position");
    if (said != TEMPER_AT_DEFAULT) return said;
    if (s->syntax != TEMPER_SYNTAX_SPEC) return TEMPER_AT_LAST;
    node_id back, forward;
    unsigned directions = formula_directions(&s->graph, s->root, &back, &forward);
    if (directions == 3)
        trap_raise_remedy(s->memory.trap, TEMPER_RANGE, s->graph.notes[forward].line, s->graph.notes[forward].column,
                          TEMPER_REMEDY_AT, "%s looks back and %s looks forward", place_of(s, back),
                          place_of(s, forward));
    return directions == 2 ? TEMPER_AT_FIRST : TEMPER_AT_LAST;
}

/* A language says itself whether the empty string is in it. */
static bool decide_empty(temper_spec *s, temper_empty said, arena *scratch) {
    bool accepts;
    if (s->at != TEMPER_AT_LAST || !s->graph.language_count || !spec_empty_from_languages(s, &accepts, scratch))
        return said == TEMPER_EMPTY_ACCEPT;
    if (said != TEMPER_EMPTY_DEFAULT && (said == TEMPER_EMPTY_ACCEPT) != accepts)
        trap_raise_hint(s->memory.trap, TEMPER_RANGE, s->graph.notes[s->root].line, s->graph.notes[s->root].column,
                        "leave the setting out: the language itself answers for the empty string",
                        accepts ? "the empty string is in the language, but it is said to be rejected"
                                : "the empty string is not in the language, but it is said to be accepted");
    return accepts;
}

/* The text that the specification keeps names no files any more. */
static void inline_files(temper_spec *s, const spec_header *h) {
    text made;
    size_t at = 0;
    text_init(&made, &s->memory);
    for (size_t k = 0; k < h->splice_count; k++) {
        const spec_splice *x = &h->splices[k];
        text_add(&made, s->source + at, x->begin - at);
        text_add(&made, x->text, x->length);
        at = x->end;
    }
    text_add(&made, s->source + at, s->source_length - at);
    s->source = text_string(&made);
    s->source_length = made.length;
}

static size_t count_nodes(const temper_spec *s, arena *scratch) {
    unsigned char *marks = spec_reachable(s, scratch);
    size_t count = 0;
    for (size_t k = 1; k < s->graph.count; k++) count += marks[k];
    return count;
}

static void fill(temper_spec *s, const char *source, size_t length, const temper_spec_options *o, arena *scratch) {
    trap *t = s->memory.trap;
    if (length > SOURCE_LIMIT)
        trap_raise(t, TEMPER_LIMIT, 0, 0, "the specification has %zu bytes, but the limit is %zu", length,
                   SOURCE_LIMIT);
    if (o->syntax > TEMPER_SYNTAX_DFA || o->at > TEMPER_AT_LAST || o->empty > TEMPER_EMPTY_ACCEPT ||
        o->kind > TEMPER_KIND_LAST_)
        trap_raise(t, TEMPER_RANGE, 0, 0, "an option of the specification is out of range");
    spec_header h = header_of(o);
    s->syntax = o->syntax;
    s->source = arena_copy(&s->memory, source, length);
    s->source_length = length;
    formula_init(&s->graph, &s->memory);
    alphabet_init(&s->letters, &s->memory, h.tokens);
    switch (s->syntax) {
    case TEMPER_SYNTAX_SPEC: spec_parse_formula(s, &h, scratch); break;
    case TEMPER_SYNTAX_CRASP: spec_parse_crasp(s, &h); break;
    case TEMPER_SYNTAX_BRASP: spec_parse_brasp(s, &h); break;
    case TEMPER_SYNTAX_REGEX:
    case TEMPER_SYNTAX_DFA: spec_parse_language(s, &h); break;
    }
    spec_set_other(s, &h);
    if (s->letters.count == 0)
        trap_raise_remedy(t, TEMPER_RANGE, s->graph.notes[s->root].line, s->graph.notes[s->root].column,
                          TEMPER_REMEDY_ALPHABET, "the specification names no letters");
    s->alphabet_given = h.alphabet_given;
    spec_check_kind(s, &h);
    s->at = s->kind == TEMPER_KIND_TRANSDUCER ? TEMPER_AT_LAST : decide_at(s, h.at);
    spec_build_languages(s, scratch);
    s->accepts_empty = s->kind != TEMPER_KIND_TRANSDUCER && decide_empty(s, h.empty, scratch);
    if (h.splice_count) inline_files(s, &h);
    s->node_count = count_nodes(s, scratch);
    if (s->output_count) spec_make_views(s);
}

void temper_spec_free(temper_spec *spec) {
    if (!spec || spec->whole) return;
    if (spec->users && atomic_fetch_sub(spec->users, 1) > 0) return;
    arena memory = spec->memory; /* it holds the spec itself */
    arena_free(&memory);
}

temper_spec *spec_share(const temper_spec *s) {
    if (!s->users) return NULL;
    atomic_fetch_add(s->users, 1);
    return (temper_spec *)(uintptr_t)s; /* it is not changed, only freed */
}

typedef struct parse_call {
    temper_spec **out;
    const char *source;
    size_t length;
    const temper_spec_options *options;
} parse_call;

static void free_spec(void *spec) { temper_spec_free(spec); }

static void parse(entry *e, void *context) {
    const parse_call *c = context;
    arena memory;
    arena_init(&memory, e->trap);
    temper_spec *s = arena_zalloc(&memory, 1, sizeof *s);
    s->memory = memory;
    entry_on_failure(e, free_spec, s);
    s->users = arena_alloc(&s->memory, 1, sizeof *s->users);
    atomic_init(s->users, 0);
    fill(s, c->source, c->length, c->options, &e->scratch);
    s->memory.trap = NULL;
    *c->out = s;
}

temper_status temper_spec_parse(temper_spec **out, const char *source, size_t length,
                                const temper_spec_options *options, temper_error *err) {
    static const temper_spec_options defaults;
    parse_call call = {out, source, length, options ? options : &defaults};
    *out = NULL;
    return entry_run(err, parse, &call);
}

typedef struct print_call {
    char **out;
    const temper_spec *spec;
} print_call;

static void print(entry *e, void *context) {
    const print_call *c = context;
    text printed;
    text_init(&printed, &e->scratch);
    spec_print(&printed, c->spec);
    *c->out = entry_hand_out(e, printed.data, printed.length);
}

temper_status temper_spec_print(char **out, const temper_spec *spec, temper_error *err) {
    print_call call = {out, spec};
    *out = NULL;
    return entry_run(err, print, &call);
}

temper_spec_info temper_spec_about(const temper_spec *spec) {
    return (temper_spec_info){.letters = spec->letters.count,
                              .nodes = spec->node_count,
                              .at = spec->at,
                              .tokens = spec->letters.tokens,
                              .accepts_empty = spec->accepts_empty,
                              .kind = spec->kind,
                              .outputs = spec->kind == TEMPER_KIND_ACCEPTOR ? 1 : spec->output_count,
                              .alphabet_stated = spec->alphabet_given,
                              .other = spec->letters.other == UINT32_MAX ? SIZE_MAX : spec->letters.other};
}

const char *temper_spec_letter(const temper_spec *spec, size_t letter) {
    return letter < spec->letters.count ? spec->letters.letters[letter] : NULL;
}

temper_status temper_spec_encode(uint32_t **letters, size_t *n, const temper_spec *spec, const char *source,
                                 size_t length, temper_error *err) {
    return alphabet_encode_entry(letters, n, &spec->letters, source, length, err);
}

typedef struct eval_call {
    int *accept;
    unsigned char *truth;
    const temper_spec *spec;
    const uint32_t *letters;
    size_t n;
} eval_call;

static void check_letters(const temper_spec *spec, const uint32_t *letters, size_t n, trap *t) {
    for (size_t k = 0; k < n; k++)
        if (letters[k] >= spec->letters.count)
            trap_raise(t, TEMPER_RANGE, 0, k + 1, "letter number %lu at position %zu is not in the alphabet",
                       (unsigned long)letters[k], k + 1);
}

static void eval(entry *e, void *context) {
    const eval_call *c = context;
    const temper_spec *spec = c->spec;
    if (!spec->root) spec_need_acceptor(spec, e->trap);
    check_letters(spec, c->letters, c->n, e->trap);
    int verdict = spec->accepts_empty;
    if (c->n) {
        unsigned char *values = c->truth ? c->truth : arena_alloc(&e->scratch, c->n, 1);
        formula_eval(values, &spec->graph, spec->root, c->letters, c->n, &e->scratch);
        verdict = values[spec->at == TEMPER_AT_FIRST ? 0 : c->n - 1];
    }
    if (c->accept) *c->accept = verdict;
}

temper_status temper_spec_eval(int *accept, unsigned char *truth, const temper_spec *spec, const uint32_t *letters,
                               size_t n, temper_error *err) {
    eval_call call = {accept, truth, spec, letters, n};
    return entry_run(err, eval, &call);
}

typedef struct outputs_call {
    unsigned char *truth;
    char **written; /* NULL: truth is asked for */
    size_t *length;
    const temper_spec *spec;
    const uint32_t *letters;
    size_t n;
} outputs_call;

static void eval_outputs(entry *e, void *context) {
    const outputs_call *c = context;
    const temper_spec *s = c->spec;
    size_t count = spec_output_count(s);
    if (!count || (c->written && s->kind != TEMPER_KIND_TRANSDUCER))
        trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0,
                   count ? "only a transducer writes strings" : "the outputs of this language model were not made");
    check_letters(s, c->letters, c->n, e->trap);
    node_id *roots = arena_alloc(&e->scratch, count, sizeof *roots);
    for (size_t k = 0; k < count; k++) roots[k] = spec_output_root(s, k);
    unsigned char *truth = c->written ? arena_alloc(&e->scratch, count * c->n, 1) : c->truth;
    formula_eval_roots(truth, &s->graph, roots, count, c->letters, c->n, &e->scratch);
    if (!c->written) return;
    text out;
    const char **names = arena_alloc(&e->scratch, count, sizeof *names);
    for (size_t k = 0; k < count; k++) names[k] = s->outputs[k].name;
    text_init(&out, &e->scratch);
    written_text(&out, names, count, truth, c->n, c->n, s->letters.tokens);
    *c->length = out.length;
    *c->written = entry_hand_out(e, text_string(&out), out.length);
}

temper_status temper_spec_eval_outputs(unsigned char *truth, const temper_spec *spec, const uint32_t *letters,
                                       size_t n, temper_error *err) {
    outputs_call call = {.truth = truth, .spec = spec, .letters = letters, .n = n};
    return entry_run(err, eval_outputs, &call);
}

temper_status temper_spec_write(char **out, size_t *length, const temper_spec *spec, const uint32_t *letters,
                                size_t n, temper_error *err) {
    outputs_call call = {.written = out, .length = length, .spec = spec, .letters = letters, .n = n};
    *out = NULL;
    return entry_run(err, eval_outputs, &call);
}

typedef struct label_call {
    char **out;
    const temper_spec *spec;
    size_t output;
} label_call;

static void label_output(entry *e, void *context) {
    enum { SHOWN = 120 };
    const label_call *c = context;
    const temper_spec *s = c->spec;
    if (c->output >= spec_output_count(s)) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "there is no such output");
    text label;
    text_init(&label, &e->scratch);
    formula_label(&label, &s->graph, &s->letters, spec_output_root(s, c->output), SHOWN);
    *c->out = entry_hand_out(e, text_string(&label), label.length);
}

temper_status temper_spec_output_formula(char **out, const temper_spec *spec, size_t output, temper_error *err) {
    label_call call = {out, spec, output};
    *out = NULL;
    return entry_run(err, label_output, &call);
}
