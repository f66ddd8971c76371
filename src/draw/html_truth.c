/* The string as cells, one row of true and false per subformula, and the transformer's answer at every position.

   Truth is the formula's own (the oracle's), so that it is there for subformulas that have no channel, too. Where the
   model keeps a subformula in a channel, its value there is compared, and a difference is marked: it can only be one
   in a model that was changed or a run that is not proved.

   Behind a regular expression or an automaton there is a formula, which is what the model computes. Its subformulas
   are rows, too; the row of the language itself has the truth of its automaton. */
#include "compile/regular_expand.h"
#include "draw/html.h"
#include "logic/formula_eval.h"
#include "logic/formula_print.h"
#include "model/model_spec.h"

#include <stdlib.h>
#include <string.h>

enum {
    TRUTH_CELLS = 100000,   /* rows times positions on the page */
    EVAL_BYTES = 256 << 20, /* of the rows of all subformulas */
    LABEL_LENGTH = 72,      /* as the compiler cuts the labels of parts */
    LABEL_SHOWN = 60
};

size_t html_verdict_position(const html_page *p) {
    return p->map.n == 0 ? 0 : p->map.about.at == TEMPER_AT_FIRST ? 1 : p->map.n;
}

/* ---- rows ---- */

static bool is_count(formula_op op) { return op == OP_COUNT_PAST || op == OP_COUNT_FUTURE; }

static const char *node_label(html_page *p, const temper_spec *spec, node_id id) {
    text t;
    text_init(&t, p->arena);
    formula_label(&t, &spec->graph, &spec->letters, id, LABEL_LENGTH);
    return text_string(&t);
}

typedef struct labelled {
    const char *label;
    size_t index;
} labelled;

static int by_label(const void *a, const void *b) {
    const labelled *x = a, *y = b;
    int order = strcmp(x->label, y->label);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

static size_t same_labels(const labelled *from, size_t count) {
    size_t same = 1;
    while (same < count && strcmp(from[same].label, from->label) == 0) same++;
    return same;
}

static void place_row(html_page *p, truth_row *row, size_t part) {
    temper_part_info info;
    if (temper_model_part(&info, p->model, part, NULL)) return;
    row->placed = true;
    row->layer = info.layer;
    row->head = info.head;
    row->channel = info.channel;
}

/* Gives rows their places: a row and a part of the model that have the same label are the same subformula. Long
   labels are cut, so several may be equal; both lists are in the formula's order, and as many of one as of the other
   are the same ones. */
static void place_rows(html_page *p, const temper_spec *spec, truth_row *rows, const node_id *ids, size_t count) {
    size_t part_count = temper_model_about(p->model).parts;
    labelled *nodes = arena_alloc(p->arena, count + 1, sizeof *nodes);
    labelled *parts = arena_alloc(p->arena, part_count + 1, sizeof *parts);
    for (size_t k = 0; k < count; k++) nodes[k] = (labelled){node_label(p, spec, ids[k]), k};
    for (size_t k = 0; k < part_count; k++) {
        temper_part_info info;
        parts[k] = (labelled){temper_model_part(&info, p->model, k, NULL) ? "" : info.formula, k};
    }
    qsort(nodes, count, sizeof *nodes, by_label);
    qsort(parts, part_count, sizeof *parts, by_label);
    for (size_t i = 0, j = 0; i < count && j < part_count;) {
        size_t some = same_labels(nodes + i, count - i), others = same_labels(parts + j, part_count - j);
        int order = strcmp(nodes[i].label, parts[j].label);
        for (size_t k = 0; order == 0 && some == others && k < some; k++)
            place_row(p, &rows[nodes[i + k].index], parts[j + k].index);
        if (order <= 0) i += some;
        if (order >= 0) j += others;
    }
    /* Parts leave negations out: a model keeps what is negated. */
    node_id root = spec->root;
    if (spec->graph.nodes[root].op == OP_NOT) root = formula_kid(&spec->graph, root, 0);
    for (size_t k = 0; k < count; k++) p->compiled |= ids[k] == root && rows[k].placed;
}

/* ---- formulas behind languages ---- */

typedef struct expansion_call {
    regular_expansion out;
    const temper_spec *spec;
    arena *arena, *scratch;
} expansion_call;

static void expand(void *context) {
    expansion_call *c = context;
    regular_expand(&c->out, c->spec, true, c->arena, c->scratch);
}

static void release_arena(void *memory) { arena_free(memory); }

/* False: it has no languages, or none whose formula can be made. */
static bool find_expansion(regular_expansion *out, html_page *p, const temper_spec *spec) {
    trap inner, *outer = p->arena->trap;
    temper_error why;
    expansion_call c = {.spec = spec, .arena = p->arena, .scratch = arena_alloc(p->arena, 1, sizeof *c.scratch)};
    if (!spec->graph.language_count) return false;
    arena_init(c.scratch, &inner);
    arena_on_release(p->arena, release_arena, c.scratch);
    p->arena->trap = &inner;
    bool done = trap_attempt(&inner, &why, expand, &c);
    p->arena->trap = c.scratch->trap = outer;
    if (!done && why.code == TEMPER_NO_MEMORY) trap_reraise(outer, &why);
    *out = c.out;
    return done && c.out.count > 0;
}

/* Rows of formulas that stand for languages get the language's name and its automaton's truth. */
static void name_languages(html_page *p, const temper_spec *spec, const regular_expansion *x, const node_id *ids,
                           size_t count) {
    const unsigned char *const *truth = NULL;
    if (p->map.n) truth = formula_eval_all(&spec->graph, spec->root, p->map.letters, p->map.n, p->arena);
    for (size_t l = 0; l < x->count; l++)
        for (size_t k = 0; k < count; k++) {
            if (ids[k] != x->languages[l].root) continue;
            p->rows[k].label = label_shown(p->arena, node_label(p, spec, x->languages[l].source));
            p->rows[k].truth = truth ? truth[x->languages[l].source] : NULL;
        }
}

static bool is_language_root(const regular_expansion *x, node_id id) {
    for (size_t l = 0; x && l < x->count; l++)
        if (x->languages[l].root == id) return true;
    return false;
}

/* ---- all rows ---- */

static bool is_shown(const temper_spec *spec, const regular_expansion *x, node_id id) {
    formula_op op = spec->graph.nodes[id].op;
    return !is_count(op) && (op != OP_NOT || id == spec->root || is_language_root(x, id));
}

/* x: the expansion of spec; NULL: there is none. */
static void add_formula_rows(html_page *p, const temper_spec *source, const regular_expansion *x) {
    const temper_spec *spec = x ? x->spec : source;
    const formula *f = &spec->graph;
    const unsigned char *marks = formula_reachable(f, spec->root, p->arena);
    size_t n = p->map.n, capacity = 0, id_capacity = 0, count = 0;
    node_id *ids = NULL;
    const unsigned char *const *truth = NULL;
    if (n) truth = formula_eval_all(f, spec->root, p->map.letters, n, p->arena);
    for (node_id id = 1; id <= spec->root; id++) {
        if (!marks[id] || !is_shown(spec, x, id)) continue;
        truth_row row = {.truth = truth ? truth[id] : NULL, .head = -1, .channel = -1};
        array_push(p->arena, p->rows, p->row_count, capacity, row);
        array_push(p->arena, ids, count, id_capacity, id);
    }
    place_rows(p, spec, p->rows, ids, count);
    for (size_t k = 0; k < count; k++) p->rows[k].label = label_shown(p->arena, node_label(p, spec, ids[k]));
    if (x) name_languages(p, source, x, ids, count);
}

static void add_part_rows(html_page *p) {
    size_t capacity = 0;
    for (size_t k = 0, parts = temper_model_about(p->model).parts; k < parts; k++) {
        temper_part_info info;
        if (temper_model_part(&info, p->model, k, NULL)) continue;
        truth_row row = {.label = label_shown(p->arena, info.formula),
                         .placed = true,
                         .layer = info.layer,
                         .head = info.head,
                         .channel = info.channel};
        array_push(p->arena, p->rows, p->row_count, capacity, row);
    }
}

void html_find_rows(html_page *p) {
    bool one = p->map.about.kind == TEMPER_KIND_ACCEPTOR; /* else no formula is the answer */
    const temper_spec *spec = one ? model_spec(p->model, p->arena) : NULL;
    size_t most_nodes = EVAL_BYTES / (p->map.n + 1);
    regular_expansion x;
    if (spec && find_expansion(&x, p, spec) && x.spec->graph.count <= most_nodes)
        add_formula_rows(p, spec, &x);
    else if (spec && spec->graph.count <= most_nodes)
        add_formula_rows(p, spec, NULL);
    else
        add_part_rows(p);
    size_t most = TRUTH_CELLS / (p->map.size + 1);
    if (p->row_count > most) { /* operands come first: what is left out is inside what is shown */
        p->rows_left_out = p->row_count - most;
        p->rows += p->rows_left_out;
        p->row_count = most;
    }
}

/* ---- the table ---- */

void html_put_columns(html_page *p, size_t cells, size_t block) {
    html *h = &p->out;
    for (size_t k = 0; k < cells; k++) {
        size_t first = k * block, last = (k + 1) * block < p->map.size ? (k + 1) * block - 1 : p->map.size - 1;
        markup_open(h, "th");
        markup_string(h, "scope", "col");
        if (first == last) {
            bool sentinel = first == 0 || first > p->map.n;
            const char *letter = p->letters[first];
            markup_open(h, "b");
            if (sentinel)
                markup_string(h, "class", "sentinel");
            else if (label_width(letter, label_columns) > 2)
                markup_string(h, "class", "long");
            markup_string(h, "title", !sentinel ? letter : first == 0 ? "start sentinel" : "end sentinel");
            markup_put(h, letter);
            html_close(h);
        }
        markup_open(h, "small");
        if (first == last)
            html_print(h, "%zu", first);
        else
            html_print(h, "%zu\u2013%zu", first, last);
        html_close(h);
        html_close(h);
    }
}

typedef struct truth_cell {
    int shown;         /* 0, 1; -1: not known here */
    bool is_held;      /* there is another value: */
    double held;       /* in a channel; in the row of answers: what the formula says */
    const char *where; /* "channel 3 holds "; NULL: it is not told */
} truth_cell;

static void put_cell(html_page *p, size_t position, const truth_cell *c, bool verdict) {
    html *h = &p->out;
    bool differs = c->is_held && c->shown >= 0 && c->held != c->shown;
    markup_open(h, "td");
    html_format(h, "class", "%s%s%s",
                c->shown < 0 ? "u"
                : c->shown   ? "t"
                             : "f",
                differs ? " x" : "", verdict ? " read" : "");
    html_title_begin(h);
    html_print(h, "position %zu, ", position);
    markup_put(h, position == 0 ? "start sentinel" : position > p->map.n ? "end sentinel" : p->letters[position]);
    markup_put(h, ": ");
    markup_put(h, c->shown < 0 ? "not defined here" : c->shown ? "true" : "false");
    if (c->is_held && c->where) {
        markup_raw(h, html_newline);
        markup_put(h, c->where);
        html_number(h, c->held, 0);
    }
    if (differs) {
        html_print(h, ", not %d", c->shown);
        p->differences++;
    }
    if (verdict) {
        markup_raw(h, html_newline);
        markup_put(h, "the verdict is read here");
    }
    html_title_end(h);
    markup_put(h, c->shown < 0 ? "" : c->shown ? "\u25CF" : "\u25CB");
    html_close(h);
}

/* The layer (head < 1) or head is on the page, so that a link leads somewhere. */
static bool is_drawn(const html_page *p, size_t layer, long head) {
    if (p->is_part) return false;
    for (size_t k = 0; k < p->map.panel_count && !p->whole; k++)
        if (p->map.panels[k].layer == layer && (head < 1 || p->map.panels[k].head == (size_t)head)) return true;
    return p->whole;
}

static void put_place(html_page *p, const truth_row *r) {
    html *h = &p->out;
    markup_open(h, "small");
    if (r->placed && r->layer == 0) {
        markup_put(h, "embedding");
    } else if (r->placed) {
        markup_open(h, is_drawn(p, r->layer, r->head) ? "a" : "span");
        if (is_drawn(p, r->layer, r->head))
            html_format(h, "href", r->head > 0 ? "#head-%zu-%ld" : "#layer-%zu", r->layer, r->head);
        html_print(h, r->head > 0 ? "head %zu.%ld" : "layer %zu", r->layer, r->head);
        html_close(h);
    }
    if (r->placed && r->channel >= 0) html_print(h, ", channel %ld", r->channel);
    html_close(h);
}

static void put_row(html_page *p, const truth_row *r) {
    html *h = &p->out;
    text where;
    text_init(&where, p->arena);
    text_printf(&where, "channel %ld holds ", r->channel);
    markup_open(h, "tr");
    markup_open(h, "th");
    markup_string(h, "scope", "row");
    markup_open(h, "div");
    markup_open(h, "code");
    markup_string(h, "title", r->label);
    markup_put(h, label_cut(p->arena, r->label, LABEL_SHOWN, label_columns, "\u2026"));
    html_close(h);
    put_place(p, r);
    html_close(h);
    html_close(h);
    for (size_t i = 0; i < p->map.size; i++) {
        truth_cell c = {.shown = -1};
        bool letter = i >= 1 && i <= p->map.n;
        const double *channels = temper_run_channels(p->run, r->layer, i);
        if (r->placed && r->channel >= 0 && channels && (size_t)r->channel < p->map.about.channels) {
            c.is_held = true;
            c.held = channels[r->channel];
            c.where = text_string(&where);
        }
        if (letter && r->truth)
            c.shown = r->truth[i - 1];
        else if (letter && c.is_held && (c.held == 0 || c.held == 1))
            c.shown = c.held == 1;
        put_cell(p, i, &c, false);
    }
    html_close(h);
}

/* The transformer's own answer. Positions other than the verdict's are compared with the formula only if the model
   was compiled from it: another one may use them as it likes. */
static void put_answer(html_page *p) {
    html *h = &p->out;
    const truth_row *root = p->row_count ? &p->rows[p->row_count - 1] : NULL;
    size_t at = html_verdict_position(p);
    markup_open(h, "tr");
    markup_string(h, "class", "answer");
    markup_open(h, "th");
    markup_string(h, "scope", "row");
    markup_open(h, "div");
    html_element(h, "span", NULL, "answer");
    html_element(h, "small", NULL, "of the transformer");
    html_close(h);
    html_close(h);
    for (size_t i = 0; i < p->map.size; i++) {
        int truth = temper_run_about(p->run).truth[i];
        truth_cell c = {.shown = truth};
        if (root && root->truth && i >= 1 && i <= p->map.n && (p->compiled || i == at)) {
            c.is_held = true;
            c.held = root->truth[i - 1];
            if (c.held != truth) c.where = "the formula says ";
        }
        if (i != at && (i == 0 || i > p->map.n)) c.shown = -1;
        put_cell(p, i, &c, i == at);
    }
    html_close(h);
}

/* Where an output holds, of a model with several. Before the first letter only what may come next means anything. */
static void put_output(html_page *p, size_t output) {
    html *h = &p->out;
    const unsigned char *holds = temper_run_output(p->run, output);
    const char *name = temper_model_output_name(p->model, output);
    bool next = p->map.about.kind == TEMPER_KIND_NEXT;
    const char *shown = *name ? text_escaped(p->arena, name, strlen(name), 0) : next ? "the end" : "nothing";
    markup_open(h, "tr");
    markup_string(h, "class", "answer");
    markup_open(h, "th");
    markup_string(h, "scope", "row");
    markup_open(h, "div");
    html_element(h, "span", NULL, label_cut(p->arena, shown, LABEL_SHOWN, label_columns, "\u2026"));
    html_element(h, "small", NULL, next ? "may come" : "is written");
    html_close(h);
    html_close(h);
    for (size_t i = 0; i < p->map.size; i++) {
        truth_cell c = {.shown = (i == 0 && !next) || i > p->map.n ? -1 : holds[i]};
        put_cell(p, i, &c, false);
    }
    html_close(h);
}

static void put_answers(html_page *p) {
    if (p->map.about.kind == TEMPER_KIND_ACCEPTOR) {
        put_answer(p);
        return;
    }
    for (size_t k = 0; k < p->map.about.outputs; k++) put_output(p, k);
}

void html_put_string(html_page *p) {
    html *h = &p->out;
    markup_open(h, "div");
    markup_string(h, "class", "scroll");
    markup_string(h, "role", "region");
    markup_string(h, "aria-label", "the string and its subformulas");
    markup_string(h, "tabindex", "0");
    markup_open(h, "table");
    if (!p->is_part) markup_string(h, "id", "string");
    markup_string(h, "class", "cells truth");
    markup_open(h, "thead");
    markup_open(h, "tr");
    markup_open(h, "th");
    markup_string(h, "class", "corner");
    html_element(h, "small", NULL, p->map.about.tokens ? "token" : "letter");
    html_element(h, "small", NULL, "position");
    html_close(h);
    html_put_columns(p, p->map.size, 1);
    html_close(h);
    html_close(h);
    markup_open(h, "tbody");
    for (size_t k = 0; k < p->row_count; k++) put_row(p, &p->rows[k]);
    put_answers(p);
    html_close(h);
    html_close(h);
    html_close(h);
}
