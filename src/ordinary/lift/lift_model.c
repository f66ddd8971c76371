#include "ordinary/lift/lift_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ordinary/lift/lift_place.h"
#include "number/elementary.h"

typedef struct builder {
    temper_model *model;
    const lift *u;
    arena *memory, *scratch;
    bool *is_read;                             /* [columns] it gets a channel */
    uint32_t *channels;                        /* [columns] */
    uint32_t one, end, place, square, inverse; /* UINT32_MAX: not there */
    bool has_one, has_lookup;
    bool scored; /* logits are numbers, not answers */
} builder;

/* ---- which columns are needed ---- */

static void need(builder *b, const lift_form *f) {
    for (size_t k = 0; k < f->count; k++) b->is_read[f->terms[k].channel] = true;
    b->has_one |= f->one != 0;
}

/* Written where nothing but the position matters: then it is an expression of that. */
static bool is_place(const builder *b, uint32_t column) {
    const lift_column *c = &b->u->columns[column];
    return c->place && c->writer != LIFT_TOKEN;
}

static bool is_needed(const builder *b, const lift_head *h) {
    bool any = false;
    for (size_t v = 0; v < h->value_count; v++)
        any |= b->is_read[h->values[v].column] && !is_place(b, h->values[v].column);
    return any;
}

static void need_head(builder *b, const lift_head *h) {
    bool lookup = h->role == LIFT_LOOKUP;
    for (size_t k = 0; k < h->content && !lookup; k++) {
        need(b, &h->products[k].query);
        need(b, &h->products[k].key);
    }
    if (lookup) b->is_read[h->number] = b->has_lookup = true;
    for (size_t v = 0; v < h->value_count; v++) need(b, &h->values[v].value);
}

/* From the last layer back, so that what nobody needs is not made. */
static void find_needed(builder *b) {
    const lift *u = b->u;
    size_t head = u->head_count, step = u->step_count;
    for (uint32_t t = ORDINARY_EOS; t + 1 < u->m->vocabulary; t++) need(b, &u->outputs[t]);
    b->is_read[u->start] = true;
    for (uint32_t l = u->m->layer_count; l > 0; l--) {
        for (; step > 0 && u->steps[step - 1].layer == l; step--) {
            const lift_step *s = &u->steps[step - 1];
            bool any = false;
            for (size_t k = 0; k < s->count; k++)
                any |= b->is_read[s->terms[k].channel] && !is_place(b, s->terms[k].channel);
            for (size_t k = 0; any && k < s->sum.count; k++) b->is_read[s->sum.terms[k].channel] = true;
        }
        for (; head > 0 && u->heads[head - 1].layer == l; head--)
            if (is_needed(b, &u->heads[head - 1])) need_head(b, &u->heads[head - 1]);
    }
}

/* ---- channels ---- */

/* "column 7 of letters"; layer 0: it has none. */
static const char *label(builder *b, const char *what, uint32_t x, const char *more, uint32_t layer) {
    text out;
    text_init(&out, b->memory);
    text_printf(&out, "%s %u%s", what, x, more);
    if (layer) text_printf(&out, " %u", layer);
    return text_string(&out);
}

static const char *label_of(builder *b, uint32_t column) {
    const lift *u = b->u;
    const lift_column *c = &u->columns[column];
    if (column == u->real) return "real";
    if (column == u->start) return "start";
    switch (c->writer) {
    case LIFT_HEAD: return label(b, "column", column, ", by a head of layer", c->layer);
    case LIFT_NET: return label(b, "column", column, ", by the net of layer", c->layer);
    case LIFT_TABLE: return label(b, "column", column, " of positions", 0);
    default: return label(b, "column", column, " of letters", 0);
    }
}

static uint32_t add_channel(builder *b, const char *name, const expression *position) {
    temper_model *m = b->model;
    m->channels[m->channel_count] = (model_channel){.label = name, .position = position};
    return m->channel_count++;
}

static void make_channels(builder *b) {
    enum { EXTRA = 5 };
    const lift *u = b->u;
    temper_model *m = b->model;
    uint32_t outputs = b->scored ? u->m->vocabulary : 0;
    m->channels = arena_zalloc(b->memory, (size_t)u->column_count + EXTRA + outputs, sizeof *m->channels);
    for (uint32_t c = 0; c < u->column_count; c++) {
        if (!b->is_read[c]) continue;
        const expression *e = NULL;
        if (is_place(b, c)) e = expression_from_place(b->memory, b->scratch, u->columns[c].place, u->m->positions);
        b->channels[c] = add_channel(b, label_of(b, c), e);
    }
    if (b->has_one) b->one = add_channel(b, "one", expression_make(b->memory, "1"));
    if (b->has_lookup) {
        b->place = add_channel(b, "i", expression_make(b->memory, "i"));
        b->square = add_channel(b, "i*i", expression_make(b->memory, "i*i"));
        b->inverse = add_channel(b, "1/(i + 1)", expression_make(b->memory, "1/(i + 1)"));
    }
    b->end = add_channel(b, label(b, "positions end at", u->m->positions, "", 0),
                         expression_make(b->memory, "1/[i < %u] - 1", u->m->positions));
}

static void make_embedding(builder *b) {
    const lift *u = b->u;
    rows_builder rows;
    rows_begin(&rows, b->memory);
    for (uint32_t k = 0; k < u->letters + 2; k++) { /* letters, the start; there is no end */
        uint32_t token = k < u->letters ? ORDINARY_LETTERS + k : ORDINARY_BOS;
        for (uint32_t c = 0; k <= u->letters && c < u->column_count; c++)
            if (b->is_read[c] && u->columns[c].writer == LIFT_TOKEN)
                rows_term(&rows, b->channels[c], u->columns[c].tokens[token]);
        rows_end_row(&rows);
    }
    b->model->embedding = rows_finish(&rows);
}

/* ---- rows ---- */

static void put_form(const builder *b, rows_builder *rows, const lift_form *f, double by) {
    if (f->one != 0) rows_term(rows, b->one, f->one / by);
    for (size_t k = 0; k < f->count; k++) rows_term(rows, b->channels[f->terms[k].channel], f->terms[k].weight / by);
    rows_end_row(rows);
}

static model_rows one_term(const builder *b, uint32_t channel, double weight) {
    rows_builder rows;
    rows_begin(&rows, b->memory);
    rows_term(&rows, channel, weight);
    rows_end_row(&rows);
    return rows_finish(&rows);
}

static model_rows no_rows(const builder *b) {
    rows_builder rows;
    rows_begin(&rows, b->memory);
    return rows_finish(&rows);
}

/* What all queries, or all keys, are multiples of: only the order of scores matters. */
static double unit_of(const builder *b, const lift_head *h, bool key) {
    double unit = 0;
    for (size_t k = 0; k < h->content; k++)
        unit = lift_common(unit, lift_grain(b->u, key ? &h->products[k].key : &h->products[k].query));
    return unit > 0 ? unit : 1;
}

static void put_content(const builder *b, model_head *out, const lift_head *h) {
    rows_builder query, key;
    double q = unit_of(b, h, false), k = unit_of(b, h, true);
    rows_begin(&query, b->memory);
    rows_begin(&key, b->memory);
    for (size_t r = 0; r < h->content; r++) {
        put_form(b, &query, &h->products[r].query, q);
        put_form(b, &key, &h->products[r].key, k);
    }
    out->query = rows_finish(&query);
    out->key = rows_finish(&key);
}

/* 2 e j/(i + 1) - j*j/(i + 1), e/(i + 1) the mean. */
static void put_lookup(const builder *b, model_head *out, const lift_head *h) {
    rows_builder query, key;
    rows_begin(&query, b->memory);
    rows_begin(&key, b->memory);
    rows_term(&query, b->channels[h->number], 2 / b->u->columns[h->number].scale);
    rows_end_row(&query);
    rows_term(&key, b->place, 1);
    rows_end_row(&key);
    rows_term(&query, b->inverse, -1);
    rows_end_row(&query);
    rows_term(&key, b->square, 1);
    rows_end_row(&key);
    out->query = rows_finish(&query);
    out->key = rows_finish(&key);
}

static bool is_first(const builder *b, uint32_t column) {
    const lift_column *c = &b->u->columns[column];
    for (uint32_t i = 0; c->place && i < b->u->m->positions; i++)
        if (c->place[i] != (i == 1)) return false;
    return c->place != NULL;
}

/* A constant lies on the first letter in a weighed mean, on the start sentinel in a plain one. */
static void put_value(const builder *b, rows_builder *rows, const lift_head *h, const lift_form *f) {
    if (h->role != LIFT_WEIGHED) {
        put_form(b, rows, f, 1);
        return;
    }
    for (size_t k = 0; k < f->count; k++) {
        uint32_t c = f->terms[k].channel;
        rows_term(rows, b->channels[is_first(b, c) ? b->u->start : c], f->terms[k].weight);
    }
    rows_end_row(rows);
}

static void put_values(const builder *b, model_head *out, const lift_head *h) {
    rows_builder values, outputs;
    rows_begin(&values, b->memory);
    rows_begin(&outputs, b->memory);
    for (size_t v = 0; v < h->value_count; v++) {
        const lift_value *x = &h->values[v];
        if (!b->is_read[x->column] || is_place(b, x->column)) continue;
        put_value(b, &values, h, &x->value);
        rows_term(&outputs, b->channels[x->column], x->scale);
        rows_end_row(&outputs);
    }
    out->value = rows_finish(&values);
    out->output = rows_finish(&outputs);
}

static void make_head(builder *b, model_head *out, const lift_head *h) {
    temper_choice choice = TEMPER_CHOICE_AVERAGE;
    temper_mask mask = TEMPER_MASK_UP_TO;
    char name[60];
    int length =
        snprintf(name, sizeof name, "%s, head %u of layer %u", lift_role_name(h->role), h->slot + 1, h->layer);
    if (h->role == LIFT_NEAREST) choice = h->last ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST;
    if (h->role == LIFT_YESTERDAY) {
        choice = TEMPER_CHOICE_RIGHTMOST;
        mask = TEMPER_MASK_BEFORE;
    }
    *out = (model_head){
        .label = arena_copy(b->memory, name, (size_t)length), .mask = mask, .choice = choice, .hard_choice = choice};
    switch (h->role) {
    case LIFT_COMPARE:
        out->query = one_term(b, b->channels[h->products[0].query.terms[0].channel], 1);
        out->key = one_term(b, b->channels[b->u->start], 1);
        break;
    case LIFT_LOOKUP: put_lookup(b, out, h); break;
    case LIFT_ONCE:
    case LIFT_NEAREST: put_content(b, out, h); break;
    default: out->query = out->key = no_rows(b); break;
    }
    put_values(b, out, h);
}

/* ---- nets ---- */

/* relu(2t - 1/2) - relu(2t - 3/2), t = sum - at + 1. */
static void make_net(const builder *b, model_layer *out, uint32_t layer) {
    const lift *u = b->u;
    rows_builder in, to;
    size_t count = 0;
    rows_begin(&in, b->memory);
    rows_begin(&to, b->memory);
    out->bias = arena_alloc(b->memory, 2 * u->step_count, sizeof *out->bias);
    for (size_t k = 0; k < u->step_count; k++) {
        const lift_step *s = &u->steps[k];
        bool any = false;
        for (size_t t = 0; t < s->count; t++)
            any |= b->is_read[s->terms[t].channel] && !is_place(b, s->terms[t].channel);
        if (s->layer != layer || !any) continue;
        for (int half = 0; half < 2; half++) {
            for (size_t t = 0; t < s->sum.count; t++)
                rows_term(&in, b->channels[s->sum.terms[t].channel], s->sum.terms[t].weight / LIFT_GATE);
            rows_end_row(&in);
            out->bias[count++] = 1.5 - half - 2 * s->at;
            for (size_t t = 0; t < s->count; t++) {
                uint32_t c = s->terms[t].channel;
                if (b->is_read[c] && !is_place(b, c))
                    rows_term(&to, b->channels[c], half ? -s->terms[t].weight : s->terms[t].weight);
            }
            rows_end_row(&to);
        }
    }
    out->in = rows_finish(&in);
    out->out = rows_finish(&to);
}

static void make_layers(builder *b) {
    const lift *u = b->u;
    temper_model *m = b->model;
    size_t head = 0;
    m->layer_count = u->m->layer_count + b->scored;
    m->layers = arena_zalloc(b->memory, m->layer_count, sizeof *m->layers);
    for (uint32_t l = 1; l <= u->m->layer_count; l++) {
        model_layer *out = &m->layers[l - 1];
        out->heads = arena_zalloc(b->memory, u->m->heads, sizeof *out->heads);
        for (; head < u->head_count && u->heads[head].layer == l; head++)
            if (is_needed(b, &u->heads[head])) make_head(b, &out->heads[out->head_count++], &u->heads[head]);
        make_net(b, out, l);
    }
}

/* ---- outputs ---- */

static bool is_constant(const lift_form *f, double x) { return !f->count && f->one == x; }

/* -256 and 256 times a Boolean, or the same of its negation. */
static bool is_answer(const lift_form *f) {
    for (size_t k = 0; k < f->count; k++)
        if (fabs(f->terms[k].weight) != ORDINARY_LEGAL) return false;
    return f->one == 0 || f->one == -ORDINARY_LEGAL;
}

/* Logarithms of probabilities: before the first letter they add up to 1, or nothing may come. */
static void check_scores(const lift *u) {
    static const double NEVER = -1000, LEAST = -104, OFF = 0.01; /* exp(-104) is 0 in f32 */
    double sum = 0;
    for (uint32_t t = ORDINARY_EOS; t < ORDINARY_LETTERS + u->letters; t++) {
        double x = lift_at_start(u, &u->outputs[t]);
        if (x <= NEVER) continue;
        if (x < LEAST || x > OFF) lift_refuse(u, u->outputs[t].row, "a logit is no logarithm of a probability");
        sum += exp_f64(x);
    }
    if (sum != 0 && fabs(sum - 1) > OFF)
        lift_refuse(u, u->outputs[ORDINARY_EOS].row, "logits are neither answers nor logarithms of probabilities");
}

typedef struct outputs {
    uint32_t *tokens;
    uint32_t count;
} outputs;

static bool every_letter_is_legal(const lift *u) {
    for (uint32_t t = ORDINARY_LETTERS; t < ORDINARY_LETTERS + u->letters; t++)
        if (!is_constant(&u->outputs[t], 0)) return false;
    return true;
}

/* What kind of outputs there are. The file does not say it: a transducer has texts that are no letters, or ends
   nowhere and yet something comes. */
static void find_kind(builder *b, outputs *out) {
    const lift *u = b->u;
    temper_model *m = b->model;
    uint32_t last = u->m->vocabulary - 1;
    bool texts = ORDINARY_LETTERS + u->letters < last, answers = true, any = false;
    if (!is_constant(&u->outputs[ORDINARY_BOS], -ORDINARY_LEGAL))
        lift_refuse(u, u->outputs[ORDINARY_BOS].row, "a logit of the start");
    if (!is_constant(&u->outputs[last], -ORDINARY_UNKNOWN))
        lift_refuse(u, u->outputs[last].row, "a logit of the last token");
    for (uint32_t t = ORDINARY_EOS; t < last; t++) {
        answers &= is_answer(&u->outputs[t]);
        any |= t >= ORDINARY_LETTERS && !is_constant(&u->outputs[t], -ORDINARY_LEGAL);
    }
    out->tokens = arena_alloc(b->scratch, last, sizeof *out->tokens);
    b->scored = !answers;
    if (b->scored && texts) lift_refuse(u, u->outputs[ORDINARY_LETTERS].row, "numbers that are no answers");
    if (b->scored) check_scores(u);
    m->kind = answers && every_letter_is_legal(u) && !texts ? TEMPER_KIND_ACCEPTOR
              : texts || (answers && any && is_constant(&u->outputs[ORDINARY_EOS], -ORDINARY_LEGAL))
                  ? TEMPER_KIND_TRANSDUCER
                  : TEMPER_KIND_NEXT;
    bool transducer = m->kind == TEMPER_KIND_TRANSDUCER;
    for (uint32_t t = ORDINARY_LETTERS; t < last && m->kind != TEMPER_KIND_ACCEPTOR; t++)
        if (!transducer || !is_constant(&u->outputs[t], -ORDINARY_LEGAL)) out->tokens[out->count++] = t;
    if (!transducer || !is_constant(&u->outputs[ORDINARY_EOS], -ORDINARY_LEGAL) || !out->count)
        out->tokens[out->count++] = ORDINARY_EOS;
}

/* [logit > -512]: what never comes has a logit of -1024, by the page. */
static void make_reads_of_logits(builder *b, const outputs *o) {
    enum { NEVER = 512 };
    temper_model *m = b->model;
    model_layer *out = &m->layers[m->layer_count - 1];
    rows_builder in, to, read;
    rows_begin(&in, b->memory);
    rows_begin(&to, b->memory);
    rows_begin(&read, b->memory);
    out->bias = arena_alloc(b->memory, 2 * (size_t)o->count, sizeof *out->bias);
    for (uint32_t k = 0; k < o->count; k++) {
        const lift_form *f = &b->u->outputs[o->tokens[k]];
        uint32_t channel = add_channel(b, label(b, "token", o->tokens[k], " may come", 0), NULL);
        for (int half = 0; half < 2; half++) {
            put_form(b, &in, f, 1);
            out->bias[2 * k + (uint32_t)half] = NEVER + 1 - half;
            rows_term(&to, channel, half ? -1 : 1);
            rows_end_row(&to);
        }
        rows_term(&read, channel, 1);
        rows_term(&read, b->end, 1);
        rows_end_row(&read);
    }
    out->in = rows_finish(&in);
    out->out = rows_finish(&to);
    m->read = rows_finish(&read);
}

static void make_outputs(builder *b, const outputs *o) {
    temper_model *m = b->model;
    rows_builder rows;
    if (b->scored) make_reads_of_logits(b, o);
    rows_begin(&rows, b->memory);
    for (uint32_t k = 0; k < o->count; k++) {
        lift_form f = b->u->outputs[o->tokens[k]];
        if (!b->scored) {
            f.one += ORDINARY_LEGAL;
            rows_term(&rows, b->end, 1);
        }
        put_form(b, &rows, &f, b->scored ? 1 : ORDINARY_LEGAL);
    }
    *(b->scored ? &m->logits : &m->read) = rows_finish(&rows);
    m->output_names = arena_alloc(b->memory, o->count, sizeof *m->output_names);
    for (uint32_t k = 0; k < o->count; k++) {
        const char *name = o->tokens[k] == ORDINARY_EOS ? "" : b->u->m->tokens[o->tokens[k]];
        m->output_names[k] = arena_copy(b->memory, name, strlen(name));
    }
}

/* ---- the whole ---- */

static void make_letters(builder *b) {
    const lift *u = b->u;
    alphabet_init(&b->model->letters, b->memory, u->m->words);
    for (uint32_t t = ORDINARY_LETTERS; t < ORDINARY_LETTERS + u->letters; t++) {
        const char *letter = u->m->tokens[t];
        if (alphabet_find(&b->model->letters, letter, strlen(letter)) != UINT32_MAX)
            trap_raise(b->memory->trap, TEMPER_FORMAT, 0, 0, "two letters are the same");
        alphabet_add(&b->model->letters, letter, strlen(letter));
    }
    if (u->m->other >= ORDINARY_LETTERS && u->m->other - ORDINARY_LETTERS < u->letters)
        b->model->letters.other = u->m->other - ORDINARY_LETTERS;
}

void model_from_lift(temper_model *m, const lift *u, arena *scratch) {
    builder b = {.model = m, .u = u, .memory = &m->memory, .scratch = scratch};
    outputs o = {0};
    b.one = b.end = b.place = b.square = b.inverse = UINT32_MAX;
    b.is_read = arena_zalloc(scratch, u->column_count, sizeof *b.is_read);
    b.channels = arena_zalloc(scratch, u->column_count, sizeof *b.channels);
    m->source = "";
    m->method = TEMPER_METHOD_HARD;
    m->at = TEMPER_AT_LAST;
    make_letters(&b);
    find_kind(&b, &o);
    m->accepts_empty = lift_at_start(u, &u->outputs[ORDINARY_EOS]) > -ORDINARY_LEGAL / 2;
    b.has_one = true;
    find_needed(&b);
    make_channels(&b);
    make_embedding(&b);
    make_layers(&b);
    make_outputs(&b, &o);
    model_check(m, scratch->trap);
    model_seal(m);
}
