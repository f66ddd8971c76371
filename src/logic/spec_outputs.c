/* Specifications that say more than whether a string belongs: their kinds, their outputs as acceptors, and the line
   `probabilities` of language models. */
#include <string.h>

#include "base/file_io.h"
#include "logic/spec_parse.h"
#include "logic/tokenize.h"

const char *temper_kind_name(temper_kind kind) {
    static const char *const names[] = {"acceptor", "next", "transducer"};
    return kind <= TEMPER_KIND_LAST_ ? names[kind] : "";
}

void spec_splice_add(spec_header *h, spec_splice x, arena *scratch) {
    array_push(scratch, h->splices, h->splice_count, h->splice_capacity, x);
    for (size_t k = h->splice_count - 1; k > 0 && h->splices[k - 1].begin > x.begin; k--) {
        h->splices[k] = h->splices[k - 1];
        h->splices[k - 1] = x;
    }
}

void spec_check_kind(temper_spec *s, const spec_header *h) {
    trap *t = s->memory.trap;
    s->kind = h->kind;
    if (s->kind == TEMPER_KIND_TRANSDUCER && !s->output_count)
        trap_raise(t, TEMPER_RANGE, 0, 0, "the options ask for a transducer, but the text has no line 'transduce'");
    if (s->kind == TEMPER_KIND_TRANSDUCER && (h->at == TEMPER_AT_FIRST || h->at_said))
        trap_raise(t, TEMPER_RANGE, 0, 0, "a transducer writes at every position: it has no line 'at'");
    if (s->kind == TEMPER_KIND_TRANSDUCER && h->empty == TEMPER_EMPTY_ACCEPT)
        trap_raise(t, TEMPER_RANGE, 0, 0, "a transducer writes nothing for the empty string, which it cannot accept");
}

void spec_need_acceptor(const temper_spec *s, trap *t) {
    if (s->kind == TEMPER_KIND_TRANSDUCER)
        trap_raise(t, TEMPER_UNSUPPORTED, 0, 0, "a transducer accepts no strings, it writes them");
    if (s->kind == TEMPER_KIND_NEXT)
        trap_raise(t, TEMPER_UNSUPPORTED, 0, 0,
                   "a language model says what comes next, not whether a string belongs");
}

/* ---- outputs as acceptors ---- */

void spec_make_views(temper_spec *s) {
    s->views = arena_alloc(&s->memory, s->output_count, sizeof *s->views);
    for (size_t k = 0; k < s->output_count; k++) {
        temper_spec *v = &s->views[k];
        *v = *s;
        v->memory = (arena){0}; /* it lives in that of the whole */
        v->kind = TEMPER_KIND_ACCEPTOR;
        v->at = TEMPER_AT_LAST;
        v->viable = 0;
        v->root = s->outputs[k].root;
        v->accepts_empty = s->outputs[k].accepts_empty;
        v->outputs = NULL;
        v->views = NULL;
        v->output_count = 0;
        v->whole = s;
    }
}

const temper_spec *temper_spec_output(const temper_spec *spec, size_t output) {
    if (spec->kind == TEMPER_KIND_ACCEPTOR) return output == 0 ? spec : NULL;
    return output < spec->output_count ? &spec->views[output] : NULL;
}

const char *temper_spec_output_name(const temper_spec *spec, size_t output) {
    if (spec->kind == TEMPER_KIND_ACCEPTOR) return output == 0 ? "" : NULL;
    return output < spec->output_count ? spec->outputs[output].name : NULL;
}

/* ---- probabilities ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool ends_line(const char *bytes, size_t length, size_t at) {
    while (at < length && is_blank(bytes[at])) at++;
    return at == length || bytes[at] == '\n';
}

/* A table in braces ends with the first brace at the end of a line. SIZE_MAX: there is none. */
static size_t find_brace(const char *bytes, size_t length) {
    for (size_t k = 0; k < length; k++)
        if (bytes[k] == '}' && ends_line(bytes, length, k + 1)) return k;
    return SIZE_MAX;
}

static void release_text(void *what) { temper_free(what); }

static void read_weights_file(temper_spec *s, spec_header *h, const char *path, size_t begin, const tokenizer *z) {
    spec_probabilities *p = &s->probabilities;
    trap *t = s->memory.trap;
    if (!h->folder)
        trap_raise_hint(t, TEMPER_RANGE, p->line, p->column, "write the table itself: probabilities { ... }",
                        "this text may not name files, but it names '%s'",
                        text_escaped(z->arena, path, strlen(path), 60));
    text full;
    text_init(&full, z->arena);
    if (path[0] != '/') text_printf(&full, "%s/", h->folder);
    text_puts(&full, path);
    char *bytes;
    size_t length;
    temper_error error;
    if (temper_file_read(&bytes, &length, text_string(&full), &error) != TEMPER_OK) {
        error.line = p->line;
        error.column = p->column;
        trap_reraise(t, &error);
    }
    arena_on_release(z->arena, release_text, bytes);
    if (find_brace(bytes, length) != SIZE_MAX || memchr(bytes, '\0', length))
        trap_raise(t, TEMPER_SYNTAX, p->line, p->column, "'%s' is no table of probabilities: %s",
                   text_escaped(z->arena, path, strlen(path), 60),
                   memchr(bytes, '\0', length) ? "it holds a NUL byte" : "a line ends with a brace");
    p->file = arena_copy(&s->memory, path, strlen(path));
    p->text = arena_copy(&s->memory, bytes, length);
    p->length = length;
    text inlined;
    text_init(&inlined, z->arena);
    text_printf(&inlined, " {\n%s\n}", p->text);
    spec_splice_add(
        h, (spec_splice){.begin = begin, .end = z->at, .text = text_string(&inlined), .length = inlined.length},
        z->arena);
}

/* Past the bytes of a table, which has lines of its own. */
static void pass_lines(tokenizer *z, size_t count) {
    for (size_t k = 0; k < count; k++) {
        z->column = z->bytes[z->at] == '\n' ? 1 : z->column + 1;
        z->line += z->bytes[z->at] == '\n';
        z->at++;
    }
}

void spec_probabilities_line(temper_spec *s, spec_header *h, struct tokenizer *z, size_t line, size_t column) {
    spec_probabilities *p = &s->probabilities;
    size_t begin = z->at, left, size = 0;
    if (p->is_said) trap_raise(z->arena->trap, TEMPER_SYNTAX, line, column, "a second line '%s'", "probabilities");
    while (tokenizer_look(z, 0) == ' ' || tokenizer_look(z, 0) == '\t') tokenizer_advance(z, 1);
    *p = (spec_probabilities){.is_said = true, .line = (uint32_t)z->line, .column = (uint32_t)z->column};
    const char *bytes = z->bytes + z->at;
    left = z->length - z->at;
    if (left && *bytes == '{') {
        size_t brace = find_brace(bytes, left);
        if (brace == SIZE_MAX)
            trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, p->line, p->column,
                            "the brace that closes it is the last character of its line", "this '{' is never closed");
        p->text = arena_copy(&s->memory, bytes + 1, brace - 1);
        p->length = brace - 1;
        pass_lines(z, brace + 1);
        return;
    }
    while (size < left && bytes[size] != '\n') size++;
    while (size && is_blank(bytes[size - 1])) size--;
    const char *path = arena_copy(z->arena, bytes, size);
    bool quoted = size && (*bytes == '\'' || *bytes == '"');
    if (quoted) {
        token name = tokenizer_quote(z);
        path = name.text;
        if (!ends_line(z->bytes, z->length, z->at))
            trap_raise(z->arena->trap, TEMPER_SYNTAX, z->line, z->column,
                       "expected end of line after the file's name");
    } else {
        tokenizer_advance(z, size);
    }
    if (!*path)
        trap_raise_hint(z->arena->trap, TEMPER_SYNTAX, line, column,
                        "write 'probabilities uniform', a file's name, or a table in braces",
                        "the line says no probabilities");
    p->is_uniform = !quoted && !strcmp(path, "uniform");
    if (!p->is_uniform) read_weights_file(s, h, path, begin, z);
}
