/* The hard model as a plan. Places of the hard model's residual stream that are cleared and used again become columns
   of their own. */
#include "ordinary/lower/ordinary_plan.h"

#include <math.h>
#include <string.h>

#include "number/elementary.h"

/* ---- columns ---- */

/* The constant 1, or a position feature, is no column before somebody reads it. */
void plan_add_channel(ordinary_plan *p, ordinary_form *f, uint32_t channel, double weight) {
    const model_channel *c = &p->hard->channels[channel];
    if (p->at[channel] == NO_COLUMN) return; /* nobody has written it: 0 */
    if (p->at[channel] != PLACE_COLUMN) {
        ordinary_form_add(p, f, p->at[channel], weight);
        return;
    }
    ordinary_form place = plan_place(p, c->position, 0);
    ordinary_form_add_form(p, f, &place, weight);
}

static ordinary_form form_of(ordinary_plan *p, const model_rows *rows, size_t row) {
    ordinary_form f = {0};
    for (uint32_t k = rows->start[row]; k < rows->start[row + 1]; k++)
        plan_add_channel(p, &f, rows->terms[k].channel, rows->terms[k].weight);
    return f;
}

static ordinary_form *forms_of(ordinary_plan *p, const model_rows *rows) {
    ordinary_form *f = arena_alloc(p->arena, rows->count, sizeof *f);
    for (size_t r = 0; r < rows->count; r++) f[r] = form_of(p, rows, r);
    return f;
}

static double embedded(const ordinary_plan *p, uint32_t token, uint32_t channel) {
    const model_rows *e = &p->hard->embedding;
    for (uint32_t k = e->start[token]; k < e->start[token + 1]; k++)
        if (e->terms[k].channel == channel) return e->terms[k].weight;
    return 0;
}

static column_id embedding_column(ordinary_plan *p, uint32_t channel, const char *label) {
    return plan_column(
        p, (ordinary_column){.label = label, .writer = WRITER_EMBEDDING, .token_channel = channel, .scale = 1});
}

/* `real` and `start` always have columns, also if the hard model has no such channels. A mirrored model has one
   sentinel, where its strings begin: it is the hard model's end sentinel for heads, and its start sentinel for the
   read-out, where nothing else is asked of that. */
static void begin_columns(ordinary_plan *p) {
    const temper_model *m = p->hard;
    size_t letters = m->letters.count;
    p->at = arena_alloc(p->arena, m->channel_count, sizeof *p->at);
    p->real = embedding_column(p, ORDINARY_REAL_CHANNEL, "real");
    p->start = embedding_column(p, ORDINARY_START_CHANNEL, "start");
    for (uint32_t c = 0; c < m->channel_count; c++) {
        bool any = false, real = true, start = true;
        for (uint32_t t = 0; t < letters; t++) {
            double x = embedded(p, t, c);
            any = any || x != 0;
            real = real && x == 1;
            start = start && x == 0;
        }
        double x = embedded(p, model_start_token(m), c);
        if (p->mirrored) x += embedded(p, model_end_token(m), c);
        any = any || x != 0;
        real = real && x == 0;
        start = start && x == 1;
        p->at[c] = m->channels[c].position ? PLACE_COLUMN : NO_COLUMN;
        if (!any) continue;
        if (m->channels[c].position)
            trap_raise(p->arena->trap, TEMPER_UNSUPPORTED, 0, 0, "a channel has letters and a position together");
        p->at[c] = real ? p->real : start ? p->start : embedding_column(p, c, m->channels[c].label);
    }
}

/* ---- heads ---- */

typedef struct head_place {
    const model_head *head;
    uint32_t layer, number; /* from 1 */
    bool strict;
} head_place;

static _Noreturn void refuse_head(const ordinary_plan *p, const head_place *h, const char *why) {
    trap_raise(p->arena->trap, TEMPER_UNSUPPORTED, 0, 0, "head %u.%u (%s) %s", h->layer, h->number,
               text_escaped(p->arena, h->head->label, strlen(h->head->label), 60), why);
}

static const ordinary_form *kept(ordinary_plan *p, ordinary_form f) {
    ordinary_form *out = arena_alloc(p->arena, 1, sizeof *out);
    *out = f;
    return out;
}

/* Keys and values are read one position before where the head may not look at its own. */
static ordinary_form seen(ordinary_plan *p, const head_place *h, ordinary_form f) {
    return h->strict ? plan_shifted(p, &f) : f;
}

/* A new column is where the value of a head goes from here on. */
static void put_value(ordinary_plan *p, ordinary_head *made, const head_place *h, size_t v,
                      const ordinary_form *value, double scale) {
    const model_rows *out = &h->head->output;
    for (uint32_t k = out->start[v]; k < out->start[v + 1]; k++) {
        uint32_t channel = out->terms[k].channel;
        if (out->terms[k].weight != 1 || p->at[channel] != NO_COLUMN)
            refuse_head(p, h, "does not write as compiled heads do");
        p->at[channel] = plan_value(p, made, value, p->hard->channels[channel].label, scale);
    }
}

static void name_head(ordinary_head *made, const head_place *h) {
    made->label = h->head->label;
    made->hard_layer = h->layer;
    made->hard_head = h->number;
}

/* One head for as many values as a head has room for. */
static void lower_values(ordinary_plan *p, const head_place *h, ordinary_role role, const ordinary_form *query,
                         const ordinary_form *key, size_t rows, size_t content, const ordinary_form *values,
                         double sign) {
    size_t count = h->head->value.count;
    for (size_t first = 0; first < count; first += p->head_size) {
        size_t some = count - first < p->head_size ? count - first : p->head_size;
        ordinary_head *made = plan_head(p, role, query, key, rows, values + first, some);
        name_head(made, h);
        made->sign = sign;
        made->content = content;
        for (size_t v = first; v < first + some; v++) put_value(p, made, h, v, &values[v], 1);
    }
}

static void lower_yesterday(ordinary_plan *p, const head_place *h) {
    for (size_t v = 0; v < h->head->value.count; v++) {
        ordinary_form value = form_of(p, &h->head->value, v);
        const model_rows *out = &h->head->output;
        ordinary_head *made = plan_shift_head(p, &value);
        if (!made->hard_layer) name_head(made, h);
        if (rows_size(out, v) != 1) refuse_head(p, h, "does not write as compiled heads do");
        put_value(p, made, h, v, &value, 1);
    }
}

/* Rows of a score that has positions beside content. */
static void need_rows(ordinary_plan *p, size_t rows) {
    if (rows > p->need_rows) p->need_rows = rows;
}

/* Heads with digits of the position as further rows, so that they are placed after these. */
static size_t add_digits(ordinary_plan *p, ordinary_form *query, ordinary_form *key, size_t rows, double sign) {
    if (p->options.architecture == ORDINARY_LLAMA && !p->digits) return rows;
    key[rows] = plan_digit(p, 0, ORDINARY_DIGIT);
    query[rows++] = (ordinary_form){.one = sign};
    key[rows] = plan_digit(p, ORDINARY_DIGIT, ORDINARY_TOP_DIGIT);
    query[rows++] = (ordinary_form){.one = sign * (1 << ORDINARY_DIGIT)};
    return rows;
}

static void lower_nearest(ordinary_plan *p, const head_place *h, bool rightmost) {
    const model_head *head = h->head;
    size_t count = head->value.count;
    bool everywhere = rows_size(&head->key, 0) == 0;
    if (everywhere && h->strict && rightmost) {
        lower_yesterday(p, h);
        return;
    }
    ordinary_form *values = arena_alloc(p->arena, count, sizeof *values);
    for (size_t v = 0; v < count; v++) values[v] = seen(p, h, form_of(p, &head->value, v));
    ordinary_form *query = arena_zalloc(p->arena, 3, sizeof *query), *key = arena_zalloc(p->arena, 3, sizeof *key);
    query[0].one = 1;
    key[0] = seen(p, h, form_of(p, &head->key, 0));
    size_t rows = add_digits(p, query, key, 1, rightmost ? 1 : -1);
    need_rows(p, rows);
    lower_values(p, h, ORDINARY_NEAREST, query, key, rows, 1, values, rightmost ? 1 : -1);
}

static void lower_match(ordinary_plan *p, const head_place *h, bool rightmost) {
    const model_head *head = h->head;
    size_t rows = head->key.count, count = head->value.count;
    ordinary_form *values = arena_alloc(p->arena, count, sizeof *values);
    ordinary_form *query = arena_zalloc(p->arena, rows + 2, sizeof *query);
    ordinary_form *key = arena_zalloc(p->arena, rows + 2, sizeof *key);
    for (size_t v = 0; v < count; v++) values[v] = seen(p, h, form_of(p, &head->value, v));
    for (size_t r = 0; r < rows; r++) {
        query[r] = form_of(p, &head->query, r);
        key[r] = seen(p, h, form_of(p, &head->key, r));
    }
    size_t content = rows;
    rows = add_digits(p, query, key, rows, rightmost ? 1 : -1);
    need_rows(p, rows);
    lower_values(p, h, ORDINARY_MATCH, query, key, rows, content, values, rightmost ? 1 : -1);
}

/* A kernel that adds values in f16 cannot add up more candidates than this. */
enum { ONCE_CANDIDATES = 1024 };

/* Where weights are f16, too, its sum of rounded shares would not be rounded back to 1. */
static bool is_nearest_better(const ordinary_plan *p) {
    return p->options.kv == ORDINARY_F16 &&
           (p->options.length > ONCE_CANDIDATES || p->options.weights == ORDINARY_F16);
}

static void lower_once(ordinary_plan *p, const head_place *h) {
    if (is_nearest_better(p)) {
        lower_nearest(p, h, true); /* one candidate is as good as all */
        return;
    }
    size_t count = h->head->value.count;
    ordinary_form *values = arena_alloc(p->arena, count, sizeof *values);
    for (size_t v = 0; v < count; v++) values[v] = seen(p, h, form_of(p, &h->head->value, v));
    ordinary_form query = {.one = 1};
    need_rows(p, 1);
    const ordinary_form *asks = kept(p, query), *has = kept(p, seen(p, h, form_of(p, &h->head->key, 0)));
    lower_values(p, h, ORDINARY_ONCE, asks, has, 1, 1, values, 1);
}

/* ---- counts ---- */

/* Means are kept below this, so that they are small beside the pin. */
static const double MEAN_MOST = 4;

static double mean_scale(const ordinary_form *value) {
    double most = 0, scale = 1;
    for (size_t k = 0; k < value->count; k++) most += fabs(value->terms[k].weight);
    while (most * scale > MEAN_MOST) scale /= 2;
    return scale;
}

/* A channel that only look-ups read gets no plain mean. */
static bool is_looked_up(const ordinary_plan *p, uint32_t channel, uint32_t layer) {
    for (uint32_t l = layer; l < p->hard->layer_count; l++)
        for (uint32_t k = 0; k < p->hard->layers[l].head_count; k++) {
            const model_head *h = &p->hard->layers[l].heads[k];
            if (h->role == ROLE_LOOKUP && rows_size(&h->query, 0) == 1 &&
                rows_begin_of(&h->query, 0)->channel == channel)
                return l == layer;
        }
    return false;
}

/* The mean for a look-up. The start sentinel weighs about an eighth of all others, so that neither a count nor 1
   divided by the same weights grows large in short strings; constants therefore lie on the first letter. */
static void lower_weighed(ordinary_plan *p, const head_place *h, size_t v) {
    ordinary_form value = form_of(p, &h->head->value, v), start = {0};
    ordinary_form *values = arena_zalloc(p->arena, 2, sizeof *values);
    ordinary_form_add(p, &start, p->start, 1);
    values[1] = plan_shifted(p, &start);
    for (size_t k = 0; k < value.count; k++)
        if (value.terms[k].channel == p->start)
            ordinary_form_add_form(p, &values[0], &values[1], value.terms[k].weight);
        else
            ordinary_form_add(p, &values[0], value.terms[k].channel, value.terms[k].weight);
    ordinary_head *made = plan_head(p, ORDINARY_WEIGHED, NULL, NULL, 0, values, 2);
    name_head(made, h);
    for (made->weight = 1; made->weight * 8 < plan_positions(p);) made->weight *= 2;
    put_value(p, made, h, v, &values[0], mean_scale(&values[0]));
    uint32_t channel = rows_begin_of(&h->head->output, v)->channel;
    p->inverse[channel] = plan_value(p, made, &values[1], "1 divided by the weights", made->weight);
    need_rows(p, 2);
}

static void lower_count(ordinary_plan *p, const head_place *h) {
    ordinary_head *made = NULL;
    if (h->strict) refuse_head(p, h, "counts before its own position only, as no compiled head does");
    for (size_t v = 0; v < h->head->value.count; v++) {
        if (rows_size(&h->head->output, v) != 1) refuse_head(p, h, "does not write as compiled heads do");
        if (is_looked_up(p, rows_begin_of(&h->head->output, v)->channel, h->layer)) {
            lower_weighed(p, h, v);
            continue;
        }
        ordinary_form value = form_of(p, &h->head->value, v);
        if (!made || made->value_count == p->head_size || !plan_can_read(p, made, &value)) {
            made = plan_head(p, ORDINARY_MEAN, NULL, NULL, 0, &value, 1);
            name_head(made, h);
        }
        put_value(p, made, h, v, &value, mean_scale(&value));
    }
}

/* Is y positive: the start sentinel has the score y, the others 0. */
static void lower_compare(ordinary_plan *p, const head_place *h) {
    ordinary_form *values = forms_of(p, &h->head->value);
    ordinary_form key = {0};
    ordinary_form_add(p, &key, p->start, 1);
    need_rows(p, 1);
    const ordinary_form *asks = kept(p, form_of(p, &h->head->query, 0)), *has = kept(p, key);
    lower_values(p, h, ORDINARY_COMPARE, asks, has, 1, 1, values, 1);
}

/* Score (2 e j - j^2)/weights, j in digits: e and 1 divided by the same weights are in the queries. */
static void lower_lookup(ordinary_plan *p, const head_place *h) {
    const model_head *head = h->head;
    enum { D = ORDINARY_SQUARE_DIGIT, ROWS = 5 };
    if (rows_size(&head->query, 0) != 1) refuse_head(p, h, "does not look up as compiled heads do");
    uint32_t mean = rows_begin_of(&head->query, 0)->channel;
    if (p->inverse[mean] == NO_COLUMN) refuse_head(p, h, "does not look up as compiled heads do");
    if (p->options.architecture == ORDINARY_LLAMA && !p->digits)
        refuse_head(p, h, "looks up a position, which in a Llama needs binary digits of the position");
    ordinary_form *query = arena_zalloc(p->arena, ROWS, sizeof *query),
                  *key = arena_alloc(p->arena, ROWS, sizeof *key);
    double two = rows_begin_of(&head->query, 0)->weight / p->columns[p->at[mean]].scale;
    double minus = -1 / p->columns[p->inverse[mean]].scale;
    key[0] = plan_digit(p, D, D);
    key[1] = plan_digit(p, 0, D);
    key[2] = plan_digit_product(p, D, D, D);
    key[3] = plan_digit_product(p, D, 0, D);
    key[4] = plan_digit_product(p, 0, 0, D);
    ordinary_form_add(p, &query[0], p->at[mean], two * (1 << D));
    ordinary_form_add(p, &query[1], p->at[mean], two);
    ordinary_form_add(p, &query[2], p->inverse[mean], minus * (1 << 2 * D));
    ordinary_form_add(p, &query[3], p->inverse[mean], minus * (2 << D));
    ordinary_form_add(p, &query[4], p->inverse[mean], minus);
    need_rows(p, ROWS);
    lower_values(p, h, ORDINARY_LOOKUP, query, key, ROWS, ROWS, forms_of(p, &head->value), 1);
}

static void lower_head(ordinary_plan *p, const model_head *head, uint32_t layer, uint32_t number) {
    head_place h = {head, layer, number, false};
    temper_mask strict = p->mirrored ? TEMPER_MASK_AFTER : TEMPER_MASK_BEFORE;
    temper_mask up_to = p->mirrored ? TEMPER_MASK_FROM : TEMPER_MASK_UP_TO;
    temper_choice last = p->mirrored ? TEMPER_CHOICE_LEFTMOST : TEMPER_CHOICE_RIGHTMOST;
    if (head->mask != strict && head->mask != up_to)
        refuse_head(p, &h, "looks at positions that a causal transformer cannot see: the model looks both ways");
    h.strict = head->mask == strict;
    switch (head->role) {
    case ROLE_ONCE: lower_once(p, &h); break;
    case ROLE_NEAREST: lower_nearest(p, &h, head->choice == last); break;
    case ROLE_COUNT: lower_count(p, &h); break;
    case ROLE_COMPARE: lower_compare(p, &h); break;
    case ROLE_LOOKUP: lower_lookup(p, &h); break;
    case ROLE_MATCH: lower_match(p, &h, head->choice == last); break;
    case ROLE_BALANCE: refuse_head(p, &h, "adds up counts of both directions");
    case ROLE_NONE: refuse_head(p, &h, "does not come from a formula, so there is no known temperature for it");
    }
}

/* ---- unknown text ---- */

/* Tokenizers make <dead> of what is no letter, and nothing completes a string that has it. Strings of letters have 0
   there. */
static void remember_dead(ordinary_plan *p) {
    ordinary_form dead = {0};
    ordinary_form_add(p, &dead, embedding_column(p, ORDINARY_DEAD_CHANNEL, "dead"), 1);
    need_rows(p, 1);
    const ordinary_form *asks = kept(p, (ordinary_form){.one = 1}), *has = kept(p, dead);
    ordinary_head *made = plan_head(p, ORDINARY_ONCE, asks, has, 1, &dead, 1);
    made->label = "dead";
    made->content = 1;
    p->died = plan_value(p, made, &dead, "there was <dead>", 1);
}

/* ---- the pass ---- */

static void check_directions(ordinary_plan *p) {
    const temper_model *m = p->hard;
    bool back = false, forward = m->has_end;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t k = 0; k < m->layers[l].head_count; k++) {
            temper_mask mask = m->layers[l].heads[k].mask;
            back = back || mask == TEMPER_MASK_BEFORE || mask == TEMPER_MASK_UP_TO || mask == TEMPER_MASK_ALL;
            forward = forward || mask == TEMPER_MASK_AFTER || mask == TEMPER_MASK_FROM || mask == TEMPER_MASK_ALL;
        }
    if (back && forward)
        trap_raise(p->arena->trap, TEMPER_UNSUPPORTED, 0, 0,
                   "the model looks both ways, and a causal transformer sees only what came before");
    p->mirrored = forward;
}

void plan_from_model(ordinary_plan *p) {
    const temper_model *m = p->hard;
    check_directions(p);
    begin_columns(p);
    p->inverse = arena_alloc(p->arena, m->channel_count, sizeof *p->inverse);
    for (uint32_t c = 0; c < m->channel_count; c++) p->inverse[c] = NO_COLUMN;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        for (uint32_t k = 0; k < m->layers[l].head_count; k++) lower_head(p, &m->layers[l].heads[k], l + 1, k + 1);
        plan_net(p, &m->layers[l]);
    }
    remember_dead(p);
    p->reads = forms_of(p, &m->read);
    if (model_has_logits(m)) p->logits = forms_of(p, &m->logits);
}
