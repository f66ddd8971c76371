/* The audit of a model: the source's meaning, the induction over the layers, the bounds, and the certificate that
   follows. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/audit_source_meaning.h"
#include "logic/formula_print.h"

enum { LABEL_LENGTH = 72 };             /* of parts */
#define LENGTH_MOST ((uint64_t)1 << 40) /* n + 2 and all features are then exact in f64 */

void audit_refuse(const audit *a, uint32_t layer, uint32_t head, const char *format, ...) {
    char why[400];
    va_list args;
    va_start(args, format);
    print_list(why, sizeof why, format, args);
    va_end(args);
    if (layer && head) {
        const char *label = a->model->layers[layer - 1].heads[head - 1].label;
        trap_raise(a->trap, TEMPER_RANGE, 0, 0, "head %u.%u (%s): %s", layer, head,
                   text_escaped(a->arena, label, strlen(label), 60), why);
    }
    if (layer) trap_raise(a->trap, TEMPER_RANGE, 0, 0, "the net of layer %u: %s", layer, why);
    trap_raise(a->trap, TEMPER_RANGE, 0, 0, "%s", why);
}

/* ---- the source ---- */

/* doc/certificate.md, "Regular languages": a model that is read at the first position, and whose source is one
   language. */
bool audit_reads_from_right(const temper_model *m) {
    return m->kind == TEMPER_KIND_ACCEPTOR && m->at == TEMPER_AT_FIRST &&
           (m->syntax == TEMPER_SYNTAX_REGEX || m->syntax == TEMPER_SYNTAX_DFA);
}

/* The specification must have the model's settings, whatever lines stand in its text. */
static const char *difference(const temper_model *m, const temper_spec *spec, temper_kind kind, temper_at at) {
    if (!alphabet_same(&spec->letters, &m->letters)) return "it has another alphabet than the model";
    if (spec->kind != kind) return "it is of another kind than the model";
    if (spec->at != at) return "its answer is read at another position than the model's";
    if (spec->accepts_empty != m->accepts_empty) return "it gives the empty string another answer than the model";
    return NULL;
}

/* With the model's settings. */
temper_spec *audit_read_spec(const audit *a, const char *source, temper_syntax syntax, temper_kind kind,
                             const char *what) {
    const temper_model *m = a->model;
    temper_spec *spec;
    temper_error err;
    bool is_language = syntax == TEMPER_SYNTAX_REGEX || syntax == TEMPER_SYNTAX_DFA;
    temper_at at = is_language ? TEMPER_AT_LAST : m->at; /* from the right: languages of the source mean the rest */
    temper_spec_options o = {.syntax = syntax,
                             .letters = m->letters.letters,
                             .letter_count = m->letters.count,
                             .tokens = m->letters.tokens,
                             .at = at,
                             .empty = m->accepts_empty ? TEMPER_EMPTY_ACCEPT : TEMPER_EMPTY_REJECT,
                             .kind = kind};
    temper_status status = temper_spec_parse(&spec, source, strlen(source), &o, &err);
    if (status == TEMPER_NO_MEMORY) trap_reraise(a->trap, &err);
    if (status != TEMPER_OK) trap_raise(a->trap, TEMPER_RANGE, 0, 0, "%s: %s", what, err.text);
    const char *why = difference(m, spec, kind, at);
    if (!why) return spec;
    temper_spec_free(spec);
    trap_raise(a->trap, TEMPER_RANGE, 0, 0, "%s: %s", what, why);
}

/* ---- parts ---- */

typedef struct part_check {
    audit *a;
    const temper_spec *spec;
    const dd *meanings;
    uint32_t *by_label;  /* [nodes] the next node with the same label; 0: none */
    table index;         /* label -> first node */
    size_t *by_layer;    /* parts with a channel, by the layer that makes them */
    size_t *layer_start; /* [layers + 2] */
} part_check;

static void label_nodes(part_check *p) {
    const formula *f = &p->spec->graph;
    arena *a = p->a->arena;
    table_init(&p->index, a);
    p->by_label = arena_zalloc(a, f->count, sizeof *p->by_label);
    for (node_id id = 1; id < f->count; id++) {
        if (p->meanings[id] == NO_MEANING) continue;
        text t;
        arena_reset(p->a->scratch);
        text_init(&t, p->a->scratch);
        formula_label(&t, f, &p->spec->letters, id, LABEL_LENGTH);
        bool fresh;
        uint32_t *first = table_put(&p->index, arena_copy(a, text_string(&t), t.length), t.length, id, &fresh);
        if (fresh) continue;
        p->by_label[id] = *first;
        *first = id;
    }
}

/* Beside a read-off no part is claimed, nor where formulas stand for languages, nor of language models. */
static bool has_claim(const part_check *p, size_t part) {
    return p->a->model->parts[part].channel >= 0 && p->spec != NULL;
}

static void sort_parts(part_check *p) {
    const temper_model *m = p->a->model;
    arena *a = p->a->arena;
    p->by_layer = arena_alloc(a, m->part_count, sizeof *p->by_layer);
    p->layer_start = arena_zalloc(a, (size_t)m->layer_count + 2, sizeof *p->layer_start);
    for (size_t k = 0; k < m->part_count; k++)
        if (has_claim(p, k)) p->layer_start[m->parts[k].layer + 1]++;
    for (uint32_t l = 0; l <= m->layer_count; l++) p->layer_start[l + 1] += p->layer_start[l];
    size_t *next = arena_alloc(a, (size_t)m->layer_count + 1, sizeof *next);
    memcpy(next, p->layer_start, ((size_t)m->layer_count + 1) * sizeof *next);
    for (size_t k = 0; k < m->part_count; k++)
        if (has_claim(p, k)) p->by_layer[next[m->parts[k].layer]++] = k;
}

/* The parts that are made in this layer hold what their subformula means. */
static void check_parts(const part_check *p, uint32_t layer) {
    const temper_model *m = p->a->model;
    for (size_t k = p->layer_start[layer]; k < p->layer_start[layer + 1]; k++) {
        const model_part *x = &m->parts[p->by_layer[k]];
        const uint32_t *first = table_find(&p->index, x->formula, strlen(x->formula));
        const content *c = &p->a->channels[x->channel];
        bool found = false;
        for (uint32_t id = first ? *first : 0; id && !found; id = p->by_label[id])
            found = c->kind == HOLDS_EXACT && c->letters == p->meanings[id];
        const char *shown = text_escaped(p->a->arena, x->formula, strlen(x->formula), 80);
        if (!first) audit_refuse(p->a, 0, 0, "the source has no subformula %s", shown);
        if (!found)
            audit_refuse(p->a, 0, 0, "channel %lld after layer %u does not hold %s", (long long)x->channel, layer,
                         shown);
    }
}

/* ---- all of it ---- */

static void read_layers(audit *a, const temper_spec *spec, const dd *meanings) {
    const temper_model *m = a->model;
    part_check parts = {.a = a, .spec = spec, .meanings = meanings};
    size_t heads = 0;
    for (uint32_t l = 0; l < m->layer_count; l++) heads += m->layers[l].head_count;
    a->heads = arena_alloc(a->arena, heads, sizeof *a->heads);
    a->layers = arena_zalloc(a->arena, m->layer_count, sizeof *a->layers);
    if (spec) label_nodes(&parts);
    sort_parts(&parts);
    contents_begin(a);
    audit_check_features(a);
    check_parts(&parts, 0);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        audit_heads(a, l);
        audit_units(a, l);
        check_parts(&parts, l + 1);
    }
    audit_read_out(a);
}

const char *audit_text(size_t *length, const char *model, size_t size, const audit_request *request,
                       const audit_memory *memory) {
    arena *keep = memory->arena;
    audit *a = arena_zalloc(keep, 1, sizeof *a);
    temper_error err;
    *a = (audit){.trap = keep->trap,
                 .arena = keep,
                 .scratch = memory->scratch,
                 .bytes = model,
                 .size = size,
                 .length = request->length,
                 .strings = request->strings,
                 .by_bound = request->by_bound,
                 .watch = request->watch};
    if (request->length > LENGTH_MOST) trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "a length beyond 2^40 is not audited");
    temper_model *read;
    if (temper_model_read(&read, model, size, &err) != TEMPER_OK) trap_reraise(a->trap, &err);
    *memory->model = read;
    a->model = read;
    a->positions = (double)request->length + 1 + a->model->has_end;
    audit_type_begin(a, request->type);
    calc_init(&a->calculus, keep);
    audit_sheet_read(&a->sheet, &a->calculus);
    if (request->choices && !request->read_off && a->type.tile && a->positions > (double)a->type.tile)
        audit_refuse(a, 0, 0, "hard choices in general are proved for one tile of %zu keys only", a->type.tile);
    bool several = a->model->kind != TEMPER_KIND_ACCEPTOR;
    if (request->choices && !request->read_off && !several) return audit_general(a, length);
    a->choices = request->choices;
    a->read_off = request->read_off;
    if (!a->choices && !*a->model->source)
        audit_refuse(a, 0, 0, "the model has no source, so no claim about one is proved");
    if (a->model->method == TEMPER_METHOD_HARD) audit_refuse(a, 0, 0, "the model makes hard choices");
    meaning_init(&a->meaning, a->model->letters.count, keep, memory->scratch);
    const dd *meanings = NULL;
    const temper_spec *parts_of = audit_outputs(a, request, memory->spec, &meanings);
    read_layers(a, parts_of, meanings);
    if (a->choices) audit_hard_choices(a);
    audit_logits(a);
    audit_bounds(a);
    text out;
    text_init(&out, keep);
    audit_write(&out, a);
    *length = out.length;
    return text_string(&out);
}
