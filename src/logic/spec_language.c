/* Regular languages inside specifications: reading them, the letters they name, and their automata. */
#include <string.h>

#include "automata/dfa_reverse.h"
#include "automata/dfa_table.h"
#include "automata/jflap.h"
#include "automata/regex.h"
#include "base/file_io.h"
#include "logic/spec_parse.h"

/* Letters that the sets of one language may name in all, so that a hostile text ends in time. */
enum { MENTIONS = 1 << 24 };

typedef struct mention_context {
    temper_spec *spec;
    const spec_header *header;
    size_t left;
} mention_context;

static void mention(void *context, const char *letter, size_t length, size_t line, size_t column) {
    mention_context *c = context;
    if (!c->left--)
        trap_raise(c->spec->memory.trap, TEMPER_LIMIT, line, column, "the language names more than %d letters",
                   MENTIONS);
    spec_letter_number(c->spec, c->header, letter, length, line, column);
}

static void mention_set(mention_context *c, const symbol_set *set) {
    symbol_each_mention(set, c->header->alphabet_given ? &c->spec->letters : NULL, mention, c);
}

/* A new language, or the same text again. */
static node_id add_language(temper_spec *s, formula_language l) {
    formula *f = &s->graph;
    for (size_t k = 0; k < f->language_count; k++) {
        const formula_language *old = &f->languages[k];
        if (old->kind == l.kind && old->source_length == l.source_length &&
            !memcmp(old->source, l.source, l.source_length))
            return formula_matches(f, OP_MATCHES, (uint32_t)k);
    }
    uint32_t index = (uint32_t)f->language_count;
    array_push(f->arena, f->languages, f->language_count, f->language_capacity, l);
    node_id id = formula_matches(f, OP_MATCHES, index);
    formula_note_place(f, id, l.line, l.column);
    return id;
}

static formula_language language_of(temper_spec *s, language_kind kind, const char *bytes, size_t length, size_t line,
                                    size_t column) {
    return (formula_language){.kind = kind,
                              .source = arena_copy(&s->memory, bytes, length),
                              .source_length = length,
                              .line = (uint32_t)line,
                              .column = (uint32_t)column};
}

node_id spec_regex(temper_spec *s, spec_header *h, const char *bytes, size_t length, size_t line, size_t column) {
    formula_language l = language_of(s, LANGUAGE_REGEX, bytes, length, line, column);
    mention_context c = {s, h, MENTIONS};
    regex *r = regex_parse(&s->memory, bytes, length, s->letters.tokens, line, column);
    for (size_t k = 0; k < r->set_count; k++) mention_set(&c, &r->sets[k]);
    l.regex = r;
    return add_language(s, l);
}

static void mention_table(temper_spec *s, const spec_header *h, const dfa_table *t) {
    mention_context c = {s, h, MENTIONS};
    mention_set(&c, &t->alphabet);
    for (size_t k = 0; k < t->move_count; k++) mention_set(&c, &t->moves[k].letters);
}

node_id spec_table(temper_spec *s, spec_header *h, const char *bytes, size_t length, size_t *used, size_t line,
                   size_t column) {
    dfa_table *t = dfa_table_parse(&s->memory, bytes, length, true, s->letters.tokens, line, column, used);
    if (t->tokens != s->letters.tokens)
        trap_raise(s->memory.trap, TEMPER_RANGE, line, column,
                   t->tokens ? "the letters of the table are words, those of the specification characters"
                             : "the letters of the table are characters, those of the specification words");
    mention_table(s, h, t);
    formula_language l = language_of(s, LANGUAGE_TABLE, bytes + 1, *used - 2, line, column);
    while (l.source_length && strchr(" \t\r\n", l.source[l.source_length - 1])) l.source_length--;
    l.table = t;
    return add_language(s, l);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

/* Something that is done with a file's table. Its errors have places in the file, so they are told apart. */
typedef struct file_work {
    void (*run)(struct file_work *w, arena *scratch);
    temper_spec *spec;
    const spec_header *header;
    formula_language *language;
    const char *path, *content;
    const dfa_table *table;
} file_work;

static void run_work(entry *e, void *context) {
    file_work *w = context;
    w->spec->memory.trap = e->trap;
    w->run(w, &e->scratch);
}

/* Runs it; an error is raised at the place where the text names the file, with the file's own place in its words. */
static void work_on_file(file_work *w, size_t line, size_t column) {
    trap *outside = w->spec->memory.trap;
    temper_error error;
    temper_status status = entry_run(&error, run_work, w);
    w->spec->memory.trap = outside;
    if (status == TEMPER_OK) return;
    if (status == TEMPER_NO_MEMORY || status == TEMPER_IO) {
        error.line = line;
        error.column = column;
        trap_reraise(outside, &error);
    }
    const char *path = text_escaped(&w->spec->memory, w->path, strlen(w->path), 60);
    if (error.line)
        trap_raise_hint(outside, status, line, column, error.hint, "%s:%zu:%zu: %.150s", path, error.line,
                        error.column, error.text);
    trap_raise_hint(outside, status, line, column, error.hint, "%s: %.150s", path, error.text);
}

static void release_text(void *what) { temper_free(what); }

static void read_table_file(file_work *w, arena *scratch) {
    temper_spec *s = w->spec;
    text path;
    text_init(&path, scratch);
    if (w->path[0] != '/' && w->header->folder) text_printf(&path, "%s/", w->header->folder);
    text_puts(&path, w->path);
    char *bytes;
    size_t length;
    temper_error error;
    if (temper_file_read(&bytes, &length, text_string(&path), &error) != TEMPER_OK)
        trap_reraise(scratch->trap, &error);
    arena_on_release(scratch, release_text, bytes);
    size_t skip = strncmp(bytes, "\xEF\xBB\xBF", 3) ? 0 : 3; /* a NUL byte follows */
    text content;
    text_init(&content, scratch);
    if (jflap_is(bytes, length))
        jflap_to_table(&content, bytes, length);
    else
        text_add(&content, bytes + skip, length - skip);
    w->content = arena_copy(&s->memory, text_string(&content), content.length);
    w->table = dfa_table_parse(&s->memory, w->content, content.length, false, s->letters.tokens, 1, 1, NULL);
    if (w->table->tokens != s->letters.tokens)
        trap_raise_remedy(scratch->trap, TEMPER_RANGE, 0, 0, TEMPER_REMEDY_TOKENS,
                          w->table->tokens ? "its letters are words, those of the specification characters"
                                           : "its letters are characters, those of the specification words");
    mention_table(s, w->header, w->table);
}

node_id spec_table_file(temper_spec *s, spec_header *h, const char *path, size_t line, size_t column,
                        const char **content, arena *scratch) {
    if (!h->folder)
        trap_raise_hint(s->memory.trap, TEMPER_RANGE, line, column,
                        "write the table itself: dfa { start q0; accept q1; q0 a q1 }",
                        "this text may not name files, but it names '%s'",
                        text_escaped(scratch, path, strlen(path), 60));
    file_work w = {.run = read_table_file, .spec = s, .header = h, .path = path};
    work_on_file(&w, line, column);
    formula_language l = language_of(s, LANGUAGE_TABLE, w.content, strlen(w.content), line, column);
    l.table = w.table;
    l.file = arena_copy(&s->memory, path, strlen(path));
    text inlined;
    text_init(&inlined, &s->memory);
    text_printf(&inlined, "dfa {\n%s\n}", w.content);
    *content = text_string(&inlined);
    return add_language(s, l);
}

/* ---- automata -------------------------------------------------------------------------------------------------- */

static void build_one(temper_spec *s, formula_language *l, arena *scratch) {
    l->automaton = l->regex ? dfa_from_regex(&s->memory, l->regex, &s->letters, scratch)
                            : dfa_from_table(&s->memory, l->table, &s->letters, scratch);
}

static void build_file(file_work *w, arena *scratch) { build_one(w->spec, w->language, scratch); }

void spec_build_languages(temper_spec *s, arena *scratch) {
    for (size_t k = 0; k < s->graph.language_count; k++) {
        formula_language *l = &s->graph.languages[k];
        file_work w = {.run = build_file, .spec = s, .language = l, .path = l->file};
        if (l->file)
            work_on_file(&w, l->line, l->column);
        else
            build_one(s, l, scratch);
    }
}

bool spec_empty_from_languages(const temper_spec *s, bool *accepts, arena *scratch) {
    enum { NO, YES, UNKNOWN };
    const formula *f = &s->graph;
    const unsigned char *marks = formula_reachable(f, s->root, scratch);
    unsigned char *of = arena_alloc(scratch, (size_t)s->root + 1, 1);
    for (node_id id = 1; id <= s->root; id++) {
        const formula_node *n = formula_at(f, id);
        unsigned char x = n->kid_count > 0 ? of[formula_kid(f, id, 0)] : UNKNOWN;
        unsigned char y = n->kid_count > 1 ? of[formula_kid(f, id, 1)] : UNKNOWN;
        bool known = n->kid_count > 0, all = true, any = false;
        of[id] = UNKNOWN;
        if (!marks[id]) continue;
        for (size_t k = 0; k < n->kid_count; k++) {
            unsigned char kid = of[formula_kid(f, id, k)];
            known &= kid != UNKNOWN;
            all &= kid == YES;
            any |= kid == YES;
        }
        if (n->op == OP_MATCHES) {
            const dfa *d = f->languages[n->set].automaton;
            of[id] = d->accepts[d->start];
        }
        if (!known) continue;
        switch (n->op) {
        case OP_NOT: of[id] = !x; break;
        case OP_AND: of[id] = all; break;
        case OP_OR: of[id] = any; break;
        case OP_XOR: of[id] = x != y; break;
        case OP_IFF: of[id] = x == y; break;
        case OP_IMPLIES: of[id] = !x || y; break;
        default: break;
        }
    }
    *accepts = of[s->root] == YES;
    return of[s->root] != UNKNOWN;
}

/* ---- texts that are one language ------------------------------------------------------------------------------- */

/* One newline at the end belongs to the file, not to the expression. */
static void parse_regex_text(temper_spec *s, spec_header *h) {
    size_t length = s->source_length;
    const char *bytes = s->source;
    if (length && bytes[length - 1] == '\n') length--;
    if (length && length < s->source_length && bytes[length - 1] == '\r') length--;
    spec_read_options(s, h);
    s->root = spec_regex(s, h, bytes, length, 1, 1);
}

static void parse_dfa_text(temper_spec *s, spec_header *h) {
    size_t skip = strncmp(s->source, "\xEF\xBB\xBF", 3) ? 0 : 3; /* a NUL byte follows */
    dfa_table *t =
        dfa_table_parse(&s->memory, s->source + skip, s->source_length - skip, false, h->tokens, 1, 1, NULL);
    if (h->tokens_fixed && !t->tokens)
        trap_raise(s->memory.trap, TEMPER_RANGE, 0, 0, "the letters of the table are characters, not words");
    h->tokens = s->letters.tokens = t->tokens;
    spec_read_options(s, h);
    mention_table(s, h, t);
    formula_language l = language_of(s, LANGUAGE_TABLE, s->source + skip, s->source_length - skip, 1, 1);
    if (jflap_is(l.source, l.source_length)) {
        text written;
        text_init(&written, &s->memory);
        jflap_to_table(&written, l.source, l.source_length);
        l.source = text_string(&written);
        l.source_length = written.length;
    }
    l.table = t;
    s->root = add_language(s, l);
}

void spec_parse_language(temper_spec *s, spec_header *h) {
    if (s->syntax == TEMPER_SYNTAX_REGEX)
        parse_regex_text(s, h);
    else
        parse_dfa_text(s, h);
}

bool spec_is_language(const temper_spec *s) {
    return s->root && s->at == TEMPER_AT_LAST && s->kind == TEMPER_KIND_ACCEPTOR &&
           (s->syntax == TEMPER_SYNTAX_REGEX || s->syntax == TEMPER_SYNTAX_DFA) &&
           formula_at(&s->graph, s->root)->op == OP_MATCHES;
}

temper_spec *spec_from_right(const temper_spec *s, arena *a, arena *scratch) {
    temper_spec *turned = arena_alloc(a, 1, sizeof *turned);
    formula_language l = s->graph.languages[formula_at(&s->graph, s->root)->set];
    l.reversed = dfa_reverse(a, l.automaton, dfa_reverse_limit(l.automaton), scratch);
    if (!l.reversed)
        trap_raise(a->trap, TEMPER_LIMIT, l.line, l.column,
                   "read from the right, the language's automaton has more than %u states",
                   dfa_reverse_limit(l.automaton));
    *turned = *s;
    formula_init(&turned->graph, a);
    array_push(a, turned->graph.languages, turned->graph.language_count, turned->graph.language_capacity, l);
    turned->root = formula_matches(&turned->graph, OP_MATCHES_REST, 0);
    formula_note_place(&turned->graph, turned->root, l.line, l.column);
    turned->at = TEMPER_AT_FIRST;
    turned->node_count = 1;
    return turned;
}
