/* From a sketch, in which channels have names, to the text form of a model. gallery.h says what a sketch is. */
#include <string.h>

#include "gallery/gallery.h"

typedef struct sketcher {
    arena *arena;
    text *out;
    table names; /* of channels -> number */
    uint32_t count;
} sketcher;

typedef struct word {
    const char *at;
    size_t length;
} word;

static _Noreturn void fail(const sketcher *s, const char *what, word w) {
    trap_raise(s->arena->trap, TEMPER_FORMAT, 0, 0, "a gallery sketch: %s: %s", what,
               text_escaped(s->arena, w.at, w.length, 40));
}

static bool is(word w, const char *what) { return w.length == strlen(what) && memcmp(w.at, what, w.length) == 0; }

/* The next word of a line that ends at `end`; empty at the end. A quoted text is one word. */
static word next(const char **p, const char *end) {
    while (*p < end && **p == ' ') ++*p;
    word w = {*p, 0};
    bool quoted = false;
    for (; *p < end && (quoted || **p != ' '); ++*p)
        if (**p == '"') quoted = !quoted;
    w.length = (size_t)(*p - w.at);
    return w;
}

/* name, -name or name:weight */
static model_term read_term(const sketcher *s, word w) {
    model_term term = {.weight = 1};
    word name = w;
    const char *colon = memchr(w.at, ':', w.length);
    if (w.length && *w.at == '-') {
        term.weight = -1;
        name.at++, name.length--;
    }
    if (colon) {
        name.length = (size_t)(colon - name.at);
        if (name.at != w.at || !text_to_double(&term.weight, colon + 1, w.length - name.length - 1))
            fail(s, "not a weight", w);
    }
    const uint32_t *channel = table_find(&s->names, name.at, name.length);
    if (!channel) fail(s, "no such channel", name);
    term.channel = *channel;
    return term;
}

/* The terms up to the end of the line or "->", which is taken; their weights times `factor`. */
static void put_row(const sketcher *s, const char **p, const char *end, double factor) {
    rows_builder b;
    rows_begin(&b, s->arena);
    for (word w = next(p, end); w.length && !is(w, "->"); w = next(p, end)) {
        model_term term = read_term(s, w);
        rows_term(&b, term.channel, factor * term.weight);
    }
    rows_end_row(&b);
    model_rows row = rows_finish(&b);
    for (uint32_t k = 0; k < row.start[1]; k++) {
        text_printf(s->out, " %u:", row.terms[k].channel);
        text_double(s->out, row.terms[k].weight);
    }
}

static void put_word(const sketcher *s, word w) { text_add(s->out, w.at, w.length); }

static double read_bias(const sketcher *s, const char **p, const char *end) {
    double bias;
    word w = next(p, end);
    if (!text_to_double(&bias, w.at, w.length)) fail(s, "not a bias", w);
    return bias;
}

static void put_unit(const sketcher *s, const char *p, const char *end, double bias, double factor, double sign) {
    text_puts(s->out, "unit ");
    text_double(s->out, bias);
    put_row(s, &p, end, factor);
    text_puts(s->out, " ->");
    put_row(s, &p, end, sign);
    text_putc(s->out, '\n');
}

static void put_channel(sketcher *s, const char *p, const char *end) {
    bool fresh;
    word name = next(&p, end), label = next(&p, end);
    table_put(&s->names, name.at, name.length, s->count, &fresh);
    if (!fresh) fail(s, "a channel twice", name);
    text_printf(s->out, "channel %u ", s->count++);
    if (label.length) {
        text_add(s->out, label.at, (size_t)(end - label.at));
    } else {
        text_putc(s->out, '"');
        put_word(s, name);
        text_putc(s->out, '"');
    }
    text_putc(s->out, '\n');
}

static bool has_terms(word w) {
    static const char *const kinds[] = {"query", "key", "value", "output", "read", "embed"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (is(w, kinds[k])) return true;
    return false;
}

static void expand_line(sketcher *s, const char *line, const char *end) {
    const char *p = line;
    word kind = next(&p, end);
    if (is(kind, "channel")) {
        put_channel(s, p, end);
    } else if (is(kind, "unit")) {
        double bias = read_bias(s, &p, end);
        put_unit(s, p, end, bias, 1, 1);
    } else if (is(kind, "step")) {
        double bias = read_bias(s, &p, end);
        put_unit(s, p, end, 2 * bias - 0.5, 2, 1);
        put_unit(s, p, end, 2 * bias - 1.5, 2, -1);
    } else if (has_terms(kind)) {
        put_word(s, kind);
        if (is(kind, "embed")) {
            text_putc(s->out, ' ');
            put_word(s, next(&p, end));
        }
        put_row(s, &p, end, 1);
        text_putc(s->out, '\n');
    } else {
        text_add(s->out, line, (size_t)(end - line));
        text_putc(s->out, '\n');
    }
}

void gallery_expand(text *out, const char *sketch, arena *a) {
    sketcher s = {.arena = a, .out = out};
    table_init(&s.names, a);
    for (const char *line = sketch; *line;) {
        const char *end = line + strcspn(line, "\n");
        expand_line(&s, line, end);
        line = end + (*end == '\n');
    }
}
