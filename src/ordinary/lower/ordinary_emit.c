/* The plan as weights. One column, the pin, holds a constant that is so large that the norm divides by it and nothing
   else: norms are the identity, and the pin becomes the constant 1 (doc/ordinary.md, "Norms").

   Llama: pin, columns. GPT-2: pin, minus the pin, a column that nobody writes, columns that together hold minus the
   sum of all others, so that the mean is 0, columns. What rounding leaves of the mean is in the column that nobody
   writes, and readers take it off. */
#include <math.h>
#include <string.h>

#include "ordinary/files/ordinary_tokens.h"
#include "number/elementary.h"
#include "ordinary/lower/ordinary_plan.h"

static const double LLAMA_PIN = 0x1p15, GPT2_PIN = 0x1p13;
static const double EPSILON = 1e-5;

enum { PIN, GPT2_COUNTER_PIN, GPT2_GROUND, GPT2_ZERO_SUM };
enum { MOST_ZERO_SUMS = 16, HIDDEN_UNIT = 32 };

static uint32_t first_column(const ordinary_plan *p) {
    return p->options.architecture == ORDINARY_GPT2 ? GPT2_ZERO_SUM + p->zero_sums : PIN + 1;
}

uint32_t ordinary_zero_sums(size_t columns, uint32_t width) {
    uint32_t zero_sums = MOST_ZERO_SUMS;
    while (zero_sums && GPT2_ZERO_SUM + columns + zero_sums > width) zero_sums /= 2;
    return zero_sums;
}

void ordinary_put_form(const ordinary_plan *p, float *row, const ordinary_form *f, double factor) {
    double sum = 0;
    uint32_t first = first_column(p);
    row[PIN] += (float)(f->one * factor);
    for (size_t k = 0; k < f->count; k++) {
        row[first + f->terms[k].channel] += (float)(f->terms[k].weight * factor);
        sum += f->terms[k].weight * factor;
    }
    if (p->options.architecture == ORDINARY_GPT2) row[GPT2_GROUND] -= (float)sum;
}

/* Adds to what is written to a column: to matrix[index * stride], index a place of the residual stream. */
static void put_output(const ordinary_plan *p, float *matrix, size_t stride, column_id column, double weight) {
    matrix[(first_column(p) + column) * stride] += (float)weight;
    if (p->options.architecture != ORDINARY_GPT2) return;
    for (uint32_t k = 0; k < p->zero_sums; k++)
        matrix[(GPT2_ZERO_SUM + k) * stride] -= (float)(weight / p->zero_sums);
}

static float *matrix_new(arena *a, size_t rows, size_t columns) {
    return arena_zalloc(a, rows * columns, sizeof(float));
}

static float *gains(const ordinary_plan *p, arena *a, uint32_t width) {
    float *g = arena_zalloc(a, width, sizeof *g);
    bool gpt2 = p->options.architecture == ORDINARY_GPT2;
    double spread = gpt2 ? GPT2_PIN * sqrt(2.0 / width) : LLAMA_PIN / sqrt((double)width);
    uint32_t from = gpt2 ? GPT2_GROUND : PIN + 1;
    for (uint32_t k = from; k < width; k++) g[k] = (float)spread;
    for (uint32_t k = 0; gpt2 && k < p->zero_sums; k++) g[GPT2_ZERO_SUM + k] = 0;
    g[PIN] = (float)(spread / (gpt2 ? GPT2_PIN : LLAMA_PIN));
    return g;
}

/* ---- layers ---- */

static struct ordinary_hint *emit_hint(struct ordinary_model *m, arena *a, const ordinary_head *h) {
    struct ordinary_hint *hint = &m->hints[m->hint_count++];
    *hint = (struct ordinary_hint){.layer = h->layer - 1,
                                   .slot = h->slot,
                                   .role = h->role,
                                   .label = arena_copy(a, h->label, strlen(h->label)),
                                   .hard_layer = h->hard_layer,
                                   .hard_head = h->hard_head,
                                   .last = h->sign > 0,
                                   .content = (uint32_t)h->content};
    hint->dimensions = arena_alloc(a, m->head_size, sizeof *hint->dimensions);
    return hint;
}

static void emit_head(const ordinary_plan *p, struct ordinary_model *m, arena *a, const ordinary_head *h) {
    struct ordinary_layer *l = &m->layers[h->layer - 1];
    size_t first = (size_t)h->slot * p->head_size, all = (size_t)m->heads * m->head_size;
    score_writer w = {.plan = p,
                      .head = h,
                      .query = l->query + first * m->width,
                      .key = l->key + first * m->width,
                      .width = m->width,
                      .hint = emit_hint(m, a, h)};
    ordinary_scores(&w);
    w.hint->rows = w.row;
    for (size_t v = 0; v < h->value_count; v++) {
        ordinary_put_form(p, l->value + (first + v) * m->width, &h->values[v], 1);
        put_output(p, l->mix + first + v, all, h->outputs[v], p->columns[h->outputs[v]].scale);
    }
}

/* Two units: act(2 K (t - 1/4)) - act(2 K (t - 3/4)) is K where t is 1 or more, and 0 where it is 0 or less. */
static void emit_step(const ordinary_plan *p, struct ordinary_model *m, const ordinary_step *s, uint32_t unit) {
    struct ordinary_layer *l = &m->layers[s->layer - 1];
    bool gpt2 = p->options.architecture == ORDINARY_GPT2;
    for (uint32_t half = 0; half < 2; half++) {
        float *row = (gpt2 ? l->up : l->gate) + (size_t)(unit + half) * m->width;
        double cut = s->at - 1 + (half ? 0.75 : 0.25);
        ordinary_put_form(p, row, s->sum, 2 * ORDINARY_GATE);
        row[PIN] -= (float)(2 * ORDINARY_GATE * cut);
        if (!gpt2) l->up[(size_t)(unit + half) * m->width + PIN] = 1;
        for (size_t k = 0; k < s->term_count; k++)
            put_output(p, l->down + unit + half, m->hidden, s->terms[k].channel,
                       (half ? -1 : 1) * s->terms[k].weight / ORDINARY_GATE);
    }
}

static void new_layers(const ordinary_plan *p, struct ordinary_model *m, arena *a) {
    size_t all = (size_t)m->heads * m->head_size;
    m->layers = arena_zalloc(a, m->layer_count, sizeof *m->layers);
    for (uint32_t k = 0; k < m->layer_count; k++)
        m->layers[k] = (struct ordinary_layer){
            .attention_gain = gains(p, a, m->width),
            .query = matrix_new(a, all, m->width),
            .key = matrix_new(a, all, m->width),
            .value = matrix_new(a, all, m->width),
            .mix = matrix_new(a, m->width, all),
            .net_gain = gains(p, a, m->width),
            .gate = m->architecture == ORDINARY_LLAMA ? matrix_new(a, m->hidden, m->width) : NULL,
            .up = matrix_new(a, m->hidden, m->width),
            .down = matrix_new(a, m->width, m->hidden)};
}

/* ---- the two ends ---- */

static double token_value(const ordinary_plan *p, const ordinary_column *c, uint32_t token) {
    const temper_model *hard = p->hard;
    size_t letters = hard->letters.count;
    bool letter = token >= ORDINARY_LETTERS && token < ORDINARY_LETTERS + letters;
    if (c->token_channel == ORDINARY_REAL_CHANNEL) return letter;
    if (c->token_channel == ORDINARY_START_CHANNEL) return token == ORDINARY_BOS;
    if (c->token_channel == ORDINARY_DEAD_CHANNEL) return !letter && token != ORDINARY_BOS;
    if (c->token_channel == UINT32_MAX || (!letter && token != ORDINARY_BOS)) return 0;
    uint32_t row = letter ? token - ORDINARY_LETTERS : p->mirrored ? model_end_token(hard) : model_start_token(hard);
    for (uint32_t k = hard->embedding.start[row]; k < hard->embedding.start[row + 1]; k++)
        if (hard->embedding.terms[k].channel == c->token_channel) return hard->embedding.terms[k].weight;
    return 0;
}

static void emit_embeddings(const ordinary_plan *p, struct ordinary_model *m, arena *a) {
    bool gpt2 = m->architecture == ORDINARY_GPT2;
    m->token_embedding = matrix_new(a, m->vocabulary, m->width);
    for (uint32_t t = 0; t < m->vocabulary; t++) {
        float *row = m->token_embedding + (size_t)t * m->width;
        row[PIN] = (float)(gpt2 ? GPT2_PIN : LLAMA_PIN);
        if (gpt2) row[GPT2_COUNTER_PIN] = (float)-GPT2_PIN;
        for (column_id c = 0; c < p->column_count; c++) {
            double x = token_value(p, &p->columns[c], t);
            if (p->columns[c].writer == WRITER_EMBEDDING && x != 0) put_output(p, row, 1, c, x);
        }
    }
    if (!gpt2) return;
    m->position_embedding = matrix_new(a, m->positions, m->width);
    for (uint32_t i = 0; i < m->positions; i++)
        for (column_id c = 0; c < p->column_count; c++) {
            double x = plan_place_at(p, &p->columns[c], i);
            if (x != 0) put_output(p, m->position_embedding + (size_t)i * m->width, 1, c, x);
        }
}

/* The token of an output: letters may come, the string may end, a text is written. */
static uint32_t output_token(const ordinary_plan *p, const struct ordinary_model *m, uint32_t output) {
    const temper_model *hard = p->hard;
    if (hard->kind == TEMPER_KIND_ACCEPTOR) return ORDINARY_EOS;
    if (hard->kind == TEMPER_KIND_NEXT)
        return output < hard->letters.count ? ORDINARY_LETTERS + output : (uint32_t)ORDINARY_EOS;
    for (uint32_t t = ORDINARY_LETTERS; t + 1 < m->vocabulary; t++)
        if (!strcmp(m->tokens[t], hard->output_names[output])) return t;
    return ORDINARY_EOS;
}

static void emit_output(const ordinary_plan *p, struct ordinary_model *m, arena *a) {
    const temper_model *hard = p->hard;
    bool all_legal = hard->kind == TEMPER_KIND_ACCEPTOR;
    m->final_gain = gains(p, a, m->width);
    m->output = matrix_new(a, m->vocabulary, m->width);
    for (uint32_t t = 0; t < m->vocabulary; t++) {
        double below = t + 1 == m->vocabulary               ? ORDINARY_UNKNOWN
                       : all_legal && t >= ORDINARY_LETTERS ? 0
                                                            : ORDINARY_LEGAL;
        m->output[(size_t)t * m->width + PIN] = (float)-below;
    }
    for (uint32_t k = 0; k < hard->read.count; k++) {
        float *row = m->output + (size_t)output_token(p, m, k) * m->width;
        if (p->logits) row[PIN] = 0; /* numbers that say themselves what never comes */
        ordinary_put_form(p, row, p->logits ? &p->logits[k] : &p->reads[k], p->logits ? 1 : ORDINARY_LEGAL);
    }
    ordinary_form died = {.terms = &(model_term){p->died, 1}, .count = 1};
    for (uint32_t t = ORDINARY_EOS; t + 1 < m->vocabulary; t++)
        ordinary_put_form(p, m->output + (size_t)t * m->width, &died, -ORDINARY_DIED);
}

/* Letters, then texts that are written and are no letters. Writing nothing is </s>. */
static void name_tokens(const ordinary_plan *p, struct ordinary_model *m, arena *a) {
    const temper_model *hard = p->hard;
    size_t letters = hard->letters.count, count = 0;
    const char **tokens = arena_alloc(a, letters + hard->read.count + 3, sizeof *tokens);
    tokens[count++] = ORDINARY_BOS_NAME;
    tokens[count++] = ORDINARY_EOS_NAME;
    for (size_t k = 0; k < letters; k++)
        tokens[count++] = arena_copy(a, hard->letters.letters[k], strlen(hard->letters.letters[k]));
    for (uint32_t k = 0; hard->kind == TEMPER_KIND_TRANSDUCER && k < hard->read.count; k++) {
        const char *name = hard->output_names[k];
        bool known = !*name;
        for (size_t t = ORDINARY_LETTERS; t < count && !known; t++) known = !strcmp(tokens[t], name);
        if (!known) tokens[count++] = arena_copy(a, name, strlen(name));
    }
    tokens[count++] = ORDINARY_DEAD_NAME;
    m->tokens = tokens;
    m->letters = (uint32_t)letters;
    m->words = hard->letters.tokens;
    if (hard->letters.other != UINT32_MAX) m->other = ORDINARY_LETTERS + hard->letters.other;
    m->vocabulary = (uint32_t)count;
}

static void emit_rope(const ordinary_plan *p, struct ordinary_model *m, arena *a) {
    m->rope_base = (float)plan_rope_base(p);
    if (!plan_has_factors(p)) return;
    m->rope_factors = arena_alloc(a, p->head_size / 2, sizeof *m->rope_factors);
    for (uint32_t k = 0; k < p->head_size / 2; k++)
        m->rope_factors[k] = (float)(exp_f64(-2 * log_f64(m->rope_base) * k / p->head_size) / plan_frequency(p, k));
}

/* What f16 cannot hold would be infinite in the file. */
static void check_range(const ordinary_plan *p, const float *x, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (fabsf(x[k]) > 65504)
            trap_raise(p->arena->trap, TEMPER_LIMIT, 0, 0,
                       "as %s with f16 weights it goes up to 0 letters: a weight of a gate is %g, which f16 cannot "
                       "hold; f32 can",
                       p->options.architecture == ORDINARY_GPT2 ? "gpt2" : "llama", (double)x[k]);
}

static void check_weights(const ordinary_plan *p, const struct ordinary_model *m) {
    size_t all = (size_t)m->heads * m->head_size * m->width, net = (size_t)m->hidden * m->width;
    if (p->options.weights != ORDINARY_F16) return;
    check_range(p, m->output, (size_t)m->vocabulary * m->width);
    for (uint32_t k = 0; k < m->layer_count; k++) {
        const struct ordinary_layer *l = &m->layers[k];
        check_range(p, l->query, all);
        check_range(p, l->key, all);
        check_range(p, l->value, all);
        check_range(p, l->mix, all);
        check_range(p, l->up, net);
        if (l->gate) check_range(p, l->gate, net);
        check_range(p, l->down, net);
    }
}

/* Costs are known before anything is allocated. */
static const double MOST_WEIGHTS = 0x1p29;

static void check_size(const ordinary_plan *p, const struct ordinary_model *m) {
    double width = m->width, all = (double)m->heads * m->head_size;
    double layer = 4 * all * width + (m->architecture == ORDINARY_LLAMA ? 3 : 2) * (double)m->hidden * width;
    double ends = 2 * (double)m->vocabulary * width + (m->architecture == ORDINARY_GPT2 ? m->positions * width : 0);
    if (m->layer_count * layer + ends > MOST_WEIGHTS)
        trap_raise(p->arena->trap, TEMPER_LIMIT, 0, 0,
                   "the transformer would have %.0f weights, in %u layers of width %u: more than %.0f",
                   m->layer_count * layer + ends, m->layer_count, m->width, MOST_WEIGHTS);
}

struct ordinary_model *ordinary_emit(const ordinary_plan *p, arena *a, uint32_t width) {
    struct ordinary_model *m = arena_zalloc(a, 1, sizeof *m);
    uint32_t layers = p->layer_count ? p->layer_count : 1;
    uint32_t *units = arena_zalloc(p->arena, layers + 1, sizeof *units);
    for (size_t k = 0; k < p->step_count; k++) units[p->steps[k].layer] += 2;
    m->architecture = p->options.architecture;
    m->positions = (uint32_t)p->options.length + 1;
    m->width = width;
    m->heads = p->slots;
    m->head_size = p->head_size;
    m->layer_count = layers;
    m->hidden = HIDDEN_UNIT;
    for (uint32_t l = 1; l <= layers; l++)
        while (m->hidden < units[l]) m->hidden += HIDDEN_UNIT;
    m->epsilon = EPSILON;
    m->mirrored = p->mirrored;
    m->digits = p->digits;
    m->zero_sums = m->architecture == ORDINARY_GPT2 ? p->zero_sums : 0;
    name_tokens(p, m, a);
    check_size(p, m);
    new_layers(p, m, a);
    if (m->architecture == ORDINARY_LLAMA) emit_rope(p, m, a);
    m->hints = arena_zalloc(a, p->head_count, sizeof *m->hints);
    for (size_t k = 0; k < p->head_count; k++) emit_head(p, m, a, p->heads[k]);
    memset(units, 0, (layers + 1) * sizeof *units);
    for (size_t k = 0; k < p->step_count; k++) {
        emit_step(p, m, &p->steps[k], units[p->steps[k].layer]);
        units[p->steps[k].layer] += 2;
    }
    emit_embeddings(p, m, a);
    emit_output(p, m, a);
    check_weights(p, m);
    return m;
}
