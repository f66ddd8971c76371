#include "recognise/recognise.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/entry.h"
#include "logic/formula_print.h"
#include "model/model_spec.h"
#include "recognise/recognise_work.h"
#include "recognise/source_reading.h"

struct recognition {
    trap trap;          /* what cannot be recognised ends here */
    const arena *outer; /* of the caller */
    arena arena;
    recognising work;
    recognised_model recognised;
    bool done, formula;
    temper_error why_not;
    const char *differs;     /* why it is not the source's */
    fn *answers;             /* [outputs] */
    bool *empty;             /* [outputs] at the start sentinel */
    const char **texts;      /* [outputs] what was read off; NULL: not asked for yet, or too large */
    size_t asked;            /* the output that is being read off */
    const temper_spec *spec; /* NULL: none */
    const fn *meaning;       /* [nodes] of the spec; NULL: it has none that can be said */
    const char *unreadable;  /* then: why */
    int64_t *part_of_layer;  /* [layers + 1] the first part of a layer; -1: none */
    int64_t *next_part;      /* [parts] */
    table labels;            /* of the spec's nodes -> the first node with it */
    node_id *same_label;     /* [nodes] the next one */
};

void unlike(const recognising *w, const char *format, ...) {
    char line[200];
    va_list arguments;
    va_start(arguments, format);
    print_list(line, sizeof line, format, arguments);
    va_end(arguments);
    if (!w->head) trap_raise(w->arena->trap, TEMPER_UNSUPPORTED, 0, 0, "%s", line);
    const char *label = w->m->layers[w->layer - 1].heads[w->head - 1].label;
    trap_raise(w->arena->trap, TEMPER_UNSUPPORTED, 0, 0, "head %u.%u (%s): %s", w->layer, w->head,
               text_escaped(w->arena, label, strlen(label), 40), line);
}

/* ---- what number formats must hold ---- */

void keep_weight(recognising *w, double weight, uint32_t layer, uint32_t head) {
    double size = fabs(weight); /* formats have signs */
    if (size == 0 || size == 1 || table_find(&w->stored_index, &size, sizeof size)) return;
    double *key = arena_alloc(w->arena, 1, sizeof *key);
    bool fresh;
    *key = size;
    table_put(&w->stored_index, key, sizeof *key, 1, &fresh);
    array_push(w->arena, w->out->stored, w->out->stored_count, w->out->stored_capacity,
               (stored_weight){size, layer, head});
}

void keep_stored(recognising *w, const model_rows *r, uint32_t layer, uint32_t head) {
    for (uint32_t k = 0; k < r->start[r->count]; k++) keep_weight(w, r->terms[k].weight, layer, head);
}

void keep_sum(recognising *w, exact_kind kind, double size, int grid) {
    if (grid == GRID_OF_ZERO) return;
    int32_t key[2] = {(int32_t)kind, grid};
    const uint32_t *known = table_find(&w->sum_index, key, sizeof key);
    if (known) {
        exact_sum *s = &w->out->sums[*known];
        if (size > s->size) *s = (exact_sum){kind, size, grid, w->layer, w->head};
        return;
    }
    int32_t *kept = arena_alloc(w->arena, 2, sizeof *kept);
    bool fresh;
    memcpy(kept, key, sizeof key);
    table_put(&w->sum_index, kept, sizeof key, (uint32_t)w->out->sum_count, &fresh);
    array_push(w->arena, w->out->sums, w->out->sum_count, w->out->sum_capacity,
               (exact_sum){kind, size, grid, w->layer, w->head});
}

double row_weight(const recognising *w, const model_rows *r, size_t row, int *grid) {
    double sum = 0;
    *grid = GRID_OF_ZERO;
    for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++) {
        int g = grid_of(r->terms[k].weight);
        if (g < *grid) *grid = g;
        double before = sum, weight = fabs(r->terms[k].weight);
        sum += weight;
        if (sum - before != weight || sum - weight != before) sum = nextafter(sum, INFINITY); /* never below */
    }
    if (*grid != GRID_OF_ZERO && !(sum <= ldexp(1, *grid + 53)))
        unlike(w, "weights add up to more than doubles hold exactly");
    return sum;
}

/* ---- the embedding ---- */

static bool may_be_negative(const position_form *f) {
    return f->kind == POSITION_CENTRED || f->kind == POSITION_DIGIT || f->kind == POSITION_TOP ||
           (f->kind == POSITION_CONSTANT && f->size.c < 0);
}

static void embed_feature(recognising *w, uint32_t c, bool weights) {
    const model_channel *channel = &w->m->channels[c];
    position_form *f = &w->forms[c];
    *f = position_form_of(channel->position);
    if (f->kind == POSITION_UNKNOWN)
        unlike(w, "the position feature of channel %u, %.80s, is none that is known", c, channel->position_text);
    content *x = &w->now[c];
    *x = (content){.kind = HOLDS_FEATURE, .negative = may_be_negative(f)};
    if (weights) unlike(w, "channel %u has a position feature and an embedding", c);
    if (f->kind == POSITION_FIRST || f->kind == POSITION_LAST) {
        *x = (content){.kind = HOLDS_BOOLEAN, .f = ask_edge(&w->q, f->kind == POSITION_LAST)};
        if (channel->soft_only) x->kind = HOLDS_UNKNOWN;
    } else if (f->kind == POSITION_PLACE && !channel->soft_only && (!f->mirrored || w->m->has_end)) {
        *x = (content){.kind = HOLDS_BOOLEAN,
                       .f = ask_residue(&w->q, f->mirrored, FN_TRUE, f->factor % f->modulus, f->constant, f->modulus,
                                        f->at_most, f->remainder)};
    }
}

/* The letters of each channel, in order: what the embedding says, by channel. */
static void embed(recognising *w) {
    const temper_model *m = w->m;
    const model_rows *e = &m->embedding;
    uint32_t letters = (uint32_t)m->letters.count, terms = e->start[e->count];
    uint32_t *start = arena_zalloc(w->arena, (size_t)m->channel_count + 2, sizeof *start);
    uint32_t *token = arena_alloc(w->arena, terms, sizeof *token);
    for (uint32_t k = 0; k < terms; k++) start[e->terms[k].channel + 2]++;
    for (uint32_t c = 0; c < m->channel_count; c++) start[c + 2] += start[c + 1];
    for (uint32_t t = 0; t < e->count; t++)
        for (uint32_t k = e->start[t]; k < e->start[t + 1]; k++) {
            token[start[e->terms[k].channel + 1]++] = t;
            if (e->terms[k].weight != 1)
                unlike(w, "the embedding has a weight that is not 1, in channel %u", e->terms[k].channel);
        }
    keep_stored(w, e, 0, 0);
    feature_form *features = arena_alloc(w->arena, m->channel_count, sizeof *features);
    for (uint32_t c = 0; c < m->channel_count; c++) {
        content *x = &w->now[c];
        *x = (content){.kind = HOLDS_BOOLEAN, .f = FN_FALSE};
        decision_run *runs = NULL;
        size_t count = 0, capacity = 0;
        uint32_t at = 0;
        for (uint32_t k = start[c]; k < start[c + 1]; k++) {
            if (token[k] == letters) x->start = 1;
            if (token[k] == letters + 1) x->end = m->has_end;
            if (token[k] >= letters) continue;
            if (token[k] > at) array_push(w->arena, runs, count, capacity, (decision_run){token[k], FN_FALSE});
            array_push(w->arena, runs, count, capacity, (decision_run){token[k] + 1, FN_TRUE});
            at = token[k] + 1;
        }
        if (count && at < letters) array_push(w->arena, runs, count, capacity, (decision_run){letters, FN_FALSE});
        if (count) x->f = fn_node(&w->q.d, DECISION_LETTER, runs, count);
        if (!m->channels[c].position) continue;
        embed_feature(w, c, start[c] != start[c + 1]);
        features[w->out->feature_count++] = w->forms[c].size;
    }
    w->out->features = features;
}

/* ---- the source ---- */

static void read_meaning(void *context) {
    recognition *r = context;
    r->meaning = source_read(&r->work.q, r->spec);
}

/* Its meaning comes first, so that variables are in the order in which a formula mentions them. What cannot be said
   of it does not matter for the model. */
static void read_source(recognition *r) {
    recognising *w = &r->work;
    if (!r->spec) r->spec = model_spec(w->m, &r->arena);
    if (!r->spec || !spec_output_count(r->spec)) return; /* a language model's language is no answer of its own */
    trap inner, *outer = r->arena.trap;
    temper_error why;
    r->arena.trap = &inner;
    bool read = trap_attempt(&inner, &why, read_meaning, r);
    r->arena.trap = outer;
    if (read) return;
    if (why.code == TEMPER_NO_MEMORY) trap_reraise(outer, &why);
    r->unreadable = arena_copy(&r->arena, why.text, strlen(why.text));
    r->meaning = NULL;
    w->q.d.work_count = 0;
}

/* ---- parts ---- */

enum { LABEL_LENGTH = 72 }; /* of the texts that parts have */

/* Parts are listed by layer, subformulas by their text. */
static void prepare_parts(recognition *r) {
    recognising *w = &r->work;
    const temper_model *m = w->m;
    size_t claimed = 0;
    r->part_of_layer = arena_alloc(&r->arena, (size_t)m->layer_count + 1, sizeof *r->part_of_layer);
    for (size_t k = 0; k <= m->layer_count; k++) r->part_of_layer[k] = -1;
    r->next_part = arena_alloc(&r->arena, m->part_count, sizeof *r->next_part);
    for (size_t k = m->part_count; k-- > 0;) {
        if (m->parts[k].channel < 0) continue;
        r->next_part[k] = r->part_of_layer[m->parts[k].layer];
        r->part_of_layer[m->parts[k].layer] = (int64_t)k;
        claimed++;
    }
    table_init(&r->labels, &r->arena);
    if (!r->meaning || !claimed) return;
    const formula *f = &r->spec->graph;
    r->same_label = arena_zalloc(&r->arena, f->count, sizeof *r->same_label);
    for (node_id id = (node_id)f->count - 1; id > 0; id--) {
        if (!r->meaning[id]) continue;
        text t;
        bool fresh;
        text_init(&t, &r->arena);
        formula_label(&t, f, &r->spec->letters, id, LABEL_LENGTH);
        uint32_t *first = table_put(&r->labels, text_string(&t), t.length, id, &fresh);
        if (!fresh) r->same_label[id] = *first;
        *first = id;
    }
}

static void say_differs(recognition *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say_differs(recognition *r, const char *format, ...) {
    char line[240];
    va_list arguments;
    if (r->differs) return;
    va_start(arguments, format);
    print_list(line, sizeof line, format, arguments);
    va_end(arguments);
    r->differs = arena_copy(&r->arena, line, strlen(line));
}

static void check_parts(recognition *r, uint32_t layer) {
    const recognising *w = &r->work;
    if (!r->meaning) return;
    for (int64_t k = r->part_of_layer[layer]; k >= 0; k = r->next_part[k]) {
        const model_part *p = &w->m->parts[k];
        const content *x = &w->now[p->channel];
        const uint32_t *node = table_find(&r->labels, p->formula, strlen(p->formula));
        bool fits = false;
        for (node_id id = node ? *node : 0; id && !fits; id = r->same_label[id])
            fits = x->kind == HOLDS_BOOLEAN && r->meaning[id] == x->f;
        if (!fits)
            say_differs(r, "channel %lld after layer %u is not the subformula that it is listed as",
                        (long long)p->channel, layer);
    }
}

/* ---- the read-out ---- */

static fn read_answer(recognising *w, uint32_t output, bool *empty) {
    const model_rows *read = &w->m->read;
    decisions *d = &w->q.d;
    size_t count = rows_size(read, output);
    const model_term *t = rows_begin_of(read, output);
    fn *parts = arena_alloc(w->arena, count, sizeof *parts);
    double start = 0;
    int grid;
    for (size_t k = 0; k < count; k++) {
        const content *x = &w->now[t[k].channel];
        if (x->kind != HOLDS_BOOLEAN)
            unlike(w, "the read-out reads channel %u, which holds no Boolean", t[k].channel);
        parts[k] = fn_times(d, x->f, t[k].weight);
        start = exact_add(w->arena, start, exact_mul(w->arena, x->start, t[k].weight));
    }
    double size = row_weight(w, read, output, &grid);
    if (grid < 0) unlike(w, "the read-out has a weight that is no whole number");
    keep_sum(w, EXACT_READ, size, grid);
    fn answer = fn_add_all(d, parts, count);
    if (!fn_is_boolean(d, answer)) unlike(w, "the read-out is not 0 or 1 on every letter");
    *empty = start == 1;
    if (start != 0 && start != 1) unlike(w, "the read-out at the start sentinel is not 0 or 1");
    if (w->m->kind == TEMPER_KIND_ACCEPTOR && *empty != w->m->accepts_empty)
        unlike(w, "the read-out at the start sentinel is not the empty string's answer");
    return answer;
}

/* Rows of numbers over Booleans, that decide nothing. */
static void read_logits(recognising *w) {
    const model_rows *rows = &w->m->logits;
    if (!model_has_logits(w->m)) return;
    for (uint32_t k = 0; k < rows->start[rows->count]; k++)
        if (w->now[rows->terms[k].channel].kind != HOLDS_BOOLEAN)
            unlike(w, "a logit reads channel %u, which holds no Boolean", rows->terms[k].channel);
}

static void read_answers(recognition *r) {
    recognising *w = &r->work;
    uint32_t count = model_output_count(w->m);
    r->answers = arena_zalloc(&r->arena, count, sizeof *r->answers);
    r->empty = arena_zalloc(&r->arena, count, sizeof *r->empty);
    r->texts = arena_zalloc(&r->arena, count, sizeof *r->texts);
    w->layer = w->head = 0;
    keep_stored(w, &w->m->read, 0, 0);
    for (uint32_t k = 0; k < count; k++) r->answers[k] = read_answer(w, k, &r->empty[k]);
    read_logits(w);
}

static void compare_with_source(recognition *r) {
    const temper_model *m = r->work.m;
    if (!r->spec)
        say_differs(r,
                    *m->source ? "its source cannot be read with its letters and settings" : "it carries no source");
    else if (!spec_output_count(r->spec))
        say_differs(r, "its source is a language, not what comes next in it");
    else if (!r->meaning)
        say_differs(r, "the meaning of its source was not found: %s", r->unreadable);
    else
        for (size_t k = 0; k < spec_output_count(r->spec); k++) {
            bool same = r->meaning[spec_output_root(r->spec, k)] == r->answers[k];
            if (same && r->empty[k] == spec_output_empty(r->spec, k)) continue;
            r->differs = NULL; /* this says more than which part of another source was not found */
            if (m->kind == TEMPER_KIND_ACCEPTOR)
                say_differs(r, "its source was not recognised in its weights");
            else
                say_differs(r, "output %zu of its source was not recognised in its weights", k + 1);
            break;
        }
    r->formula = !r->differs;
}

/* ---- the pass ---- */

static void run(void *context) {
    recognition *r = context;
    recognising *w = &r->work;
    const temper_model *m = w->m;
    arena *a = &r->arena;
    r->recognised = (recognised_model){.model = m, .hard = w->hard || m->method == TEMPER_METHOD_HARD};
    questions_init(&w->q, (uint32_t)m->letters.count, a);
    table_init(&w->shape_index, a);
    table_init(&w->ramp_index, a);
    table_init(&w->sum_index, a);
    table_init(&w->stored_index, a);
    w->now = arena_zalloc(a, m->channel_count, sizeof *w->now);
    w->forms = arena_zalloc(a, m->channel_count, sizeof *w->forms);
    w->written = arena_zalloc(a, m->channel_count, sizeof *w->written);
    w->cleared = arena_zalloc(a, m->channel_count, sizeof *w->cleared);
    r->recognised.layers = arena_zalloc(a, m->layer_count, sizeof *r->recognised.layers);
    read_source(r);
    prepare_parts(r);
    embed(w);
    check_parts(r, 0);
    for (uint32_t layer = 1; layer <= m->layer_count; layer++) {
        w->layer = layer;
        recognise_heads(w);
        recognise_net(w);
        check_parts(r, layer);
    }
    read_answers(r);
    compare_with_source(r);
    r->done = true;
}

static void release(void *what) { arena_free(&((recognition *)what)->arena); }

/* After an attempt that failed: a lack of memory says nothing about the model. */
static void pass_no_memory(const recognition *r) {
    if (r->trap.error.code == TEMPER_NO_MEMORY) trap_reraise(r->outer->trap, &r->trap.error);
}

recognition *recognise(const temper_model *m, const temper_spec *spec, bool hard, arena *a) {
    recognition *r = arena_zalloc(a, 1, sizeof *r);
    r->spec = spec;
    arena_init(&r->arena, &r->trap);
    arena_on_release(a, release, r);
    r->work = (recognising){.m = m, .hard = hard, .arena = &r->arena, .out = &r->recognised};
    r->outer = a;
    if (!trap_attempt(&r->trap, &r->why_not, run, r)) pass_no_memory(r);
    return r;
}

bool recognition_is_whole(const recognition *r) { return r->done && r->trap.error.code == TEMPER_OK; }

const recognised_model *recognition_model(const recognition *r) { return r->done ? &r->recognised : NULL; }

const char *recognition_reason(const recognition *r, size_t *layer, size_t *head) {
    *layer = r->work.layer;
    *head = r->work.head;
    return r->why_not.text;
}

bool recognition_is_formula(const recognition *r, const char **why) {
    if (why) *why = r->differs ? r->differs : "";
    return r->formula;
}

bool recognition_empty(const recognition *r, size_t output) { return r->empty[output]; }

bool recognition_same_output(const recognition *r, size_t x, size_t y) { return r->answers[x] == r->answers[y]; }

static void print(void *context) {
    recognition *r = context;
    r->texts[r->asked] = read_off(&r->work, r->answers[r->asked]);
}

/* Outputs with one meaning have one text. */
const char *recognition_formula(recognition *r, size_t output) {
    for (size_t k = 0; k < output && !r->texts[output]; k++)
        if (recognition_same_output(r, k, output)) r->texts[output] = r->texts[k];
    r->asked = output;
    if (!r->texts[output] && !trap_attempt(&r->trap, NULL, print, r)) {
        pass_no_memory(r);
        r->texts[output] = NULL;
    }
    return r->texts[output];
}

/* ---- logits ---- */

typedef struct logit_question {
    recognition *r;
    logit_reading *out;
    const double *logits; /* near to these, or ... */
    const bool *hold;     /* ... where these outputs hold */
    size_t output;
    double start;
} logit_question;

static void read_logit_places(void *context) {
    const logit_question *x = context;
    recognition *r = x->r;
    recognising *w = &r->work;
    decisions *d = &w->q.d;
    uint32_t count = model_output_count(w->m);
    fn where = x->logits ? logits_near(w, x->logits) : FN_TRUE;
    for (uint32_t k = 0; k < count && x->hold; k++)
        where = fn_and(d, where, x->hold[k] ? r->answers[k] : fn_not(d, r->answers[k]));
    x->out->possible = where != FN_FALSE;
    x->out->values = arena_alloc(&r->arena, count, sizeof *x->out->values);
    x->out->counts = arena_zalloc(&r->arena, count, sizeof *x->out->counts);
    for (uint32_t k = 0; k < count; k++) x->out->values[k] = logit_values(w, k, where, &x->out->counts[k]);
    if (x->logits) x->out->formula = read_off(w, where);
}

static bool read_places(logit_question *x, const char **why) {
    recognition *r = x->r;
    *x->out = (logit_reading){0};
    if (trap_attempt(&r->trap, &r->why_not, read_logit_places, x)) return true;
    pass_no_memory(r);
    r->work.q.d.work_count = 0;
    *why = r->why_not.text;
    return false;
}

bool recognition_logits_near(recognition *r, logit_reading *out, const double *logits, const char **why) {
    return read_places(&(logit_question){.r = r, .out = out, .logits = logits}, why);
}

bool recognition_logits_where(recognition *r, logit_reading *out, const bool *hold, const char **why) {
    return read_places(&(logit_question){.r = r, .out = out, .hold = hold}, why);
}

static void read_start(void *context) {
    logit_question *x = context;
    x->start = logit_at_start(&x->r->work, (uint32_t)x->output);
}

double recognition_logit_at_start(recognition *r, size_t output) {
    logit_question x = {.r = r, .output = output};
    if (trap_attempt(&r->trap, NULL, read_start, &x)) return x.start;
    pass_no_memory(r);
    return NAN;
}
