/* From a model to a stepper: recognises every head's rows (the table in soften.c) and lists what must be computed. A
   position feature that only feeds scores is part of a closed form and is not computed at all. */
#include <math.h>
#include <string.h>

#include "number/elementary.h"
#include "run/stepper_make.h"

/* Position features that name the length but, on the rows of a string, tell only how far it is from where steps
   begin. */
static const char FIRST_TEXT[] = "[i = 1]*[1 <= n]", LAST_TEXT[] = "[i = n]*[1 <= n]";

/* ---- refusals ---- */

const char *step_head_name(const step_head *h, arena *a) {
    text t;
    text_init(&t, a);
    text_printf(&t, "head %u.%u (%s)", h->layer, h->index,
                text_escaped(a, h->model->label, strlen(h->model->label), 60));
    return text_string(&t);
}

const char *maker_head_name(const maker *k) {
    step_head h = {.layer = k->layer, .index = k->index, .model = k->h};
    return step_head_name(&h, k->arena);
}

static void refuse_direction(maker *k) {
    bool mirrored = k->s->mirrored;
    const char *why = mirrored ? "looks back, which steps from the end cannot do"
                               : "looks forward, so there is no answer before the string ends";
    for (k->layer = 1; k->layer <= k->m->layer_count; k->layer++)
        for (k->index = 1; k->index <= k->m->layers[k->layer - 1].head_count; k->index++) {
            k->h = &k->m->layers[k->layer - 1].heads[k->index - 1];
            temper_mask mask = k->h->mask;
            if (k->h->adaptive && !k->s->hard)
                trap_raise_remedy(k->arena->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_WHOLE_STRINGS,
                                  "%s looks for the gap of every row", maker_head_name(k));
            if (head_reads_position(k->h) && !k->s->hard)
                trap_raise_remedy(k->arena->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_WHOLE_STRINGS,
                                  "%s has a scale that reads the position", maker_head_name(k));
            if (mirrored ? mask == TEMPER_MASK_FROM || mask == TEMPER_MASK_AFTER
                         : mask == TEMPER_MASK_UP_TO || mask == TEMPER_MASK_BEFORE)
                continue;
            trap_raise_remedy(k->arena->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_WHOLE_STRINGS, "%s %s",
                              maker_head_name(k), why);
        }
    if (k->m->has_end && !mirrored)
        trap_raise_remedy(k->arena->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_WHOLE_STRINGS,
                          "the model reads an end sentinel, so there is no answer before the string ends");
    if (!k->m->has_end && mirrored)
        trap_raise_remedy(k->arena->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_WHOLE_STRINGS,
                          "the model reads no end sentinel, so steps from the end have no beginning");
}

/* ---- who reads what ---- */

/* Every i and N in it is part of N - 1 - i, the position counted from the end. */
static bool counts_from_end(const expression *e) { /* the parser bounds the depth */
    if (!e) return true;
    if (e->op == EXPR_I || e->op == EXPR_LENGTH || e->op == EXPR_SIZE) return false;
    const expression *last = e->a; /* N - 1? */
    if (e->op == EXPR_SUB && e->b->op == EXPR_I && last->op == EXPR_SUB && last->a->op == EXPR_SIZE &&
        last->b->op == EXPR_CONSTANT && last->b->constant == 1)
        return true;
    return counts_from_end(e->a) && counts_from_end(e->b);
}

bool maker_varies(const maker *k, const expression *e) {
    if (k->s->mirrored) return !counts_from_end(e);
    return expression_uses(e, EXPR_LENGTH) || expression_uses(e, EXPR_SIZE);
}

/* [...]*[1 <= i]*[i <= n]: a remainder of the position, on letters. */
static const char ON_LETTERS[] = "*[1 <= i]*[i <= n]";

static bool is_place_test(const maker *k, const model_channel *c) {
    size_t length = strlen(c->position_text), tail = strlen(ON_LETTERS);
    const expression *e = c->position;
    bool is = e && e->op == EXPR_MUL && e->a->op == EXPR_MUL && length > tail &&
              strcmp(c->position_text + length - tail, ON_LETTERS) == 0;
    return is && (e->a->a->op == EXPR_EQ || e->a->a->op == EXPR_LE) && !maker_varies(k, e->a->a);
}

static bool is_edge(const maker *k, const model_channel *c) {
    return strcmp(c->position_text, k->s->mirrored ? LAST_TEXT : FIRST_TEXT) == 0 || is_place_test(k, c);
}

/* The channel's position feature takes part in something that is computed. */
static void need(maker *k, uint32_t channel) {
    const model_channel *c = &k->m->channels[channel];
    if (!c->position || !k->live[channel] || k->needed[channel] || (k->s->hard && c->soft_only)) return;
    if (maker_varies(k, c->position) && !is_edge(k, c))
        trap_raise_remedy(k->arena->trap, TEMPER_UNSUPPORTED, 0, 0, TEMPER_REMEDY_WHOLE_STRINGS,
                          k->s->mirrored ? "channel %u (%s) looks back: it depends on where the string begins"
                                         : "channel %u (%s) looks forward: it depends on where the string ends",
                          channel, text_escaped(k->arena, c->label, strlen(c->label), 60));
    k->needed[channel] = 1;
}

step_row maker_row(maker *k, const model_rows *r, size_t row, uint32_t except) {
    stepper *s = k->s;
    step_row out = {.first = s->block_count};
    uint32_t count = 0;
    const model_term *t = rows_begin_of(r, row);
    for (size_t n = rows_size(r, row); n-- > 0; t++) {
        if (t->channel == except) continue;
        need(k, t->channel);
        k->reader[t->channel] = k->sublayer;
        if (count % 4 == 0) array_push(k->arena, s->blocks, s->block_count, s->block_capacity, (step_block){0});
        s->blocks[s->block_count - 1].from[count % 4] = k->place[t->channel];
        s->blocks[s->block_count - 1].weight[count % 4] = t->weight;
        count++;
    }
    uint32_t terms = count;
    /* what is filled up reads a register that the row reads anyway */
    for (; count % 4; count++) s->blocks[s->block_count - 1].from[count % 4] = s->blocks[s->block_count - 1].from[0];
    out.count = (uint32_t)(s->block_count - out.first);
    out.is_short = terms > 0 && terms <= 2;
    return out;
}

/* Outputs that are means of Booleans, or the sentinel's weight. */
static bool has_positive_values(const step_head *h) {
    const model_rows *r = &h->model->value;
    if (h->role == ROLE_COMPARE || h->value_is_key) return true;
    if (h->role != ROLE_ONCE && h->role != ROLE_NEAREST && h->role != ROLE_MATCH) return false;
    for (uint32_t n = 0; n < r->start[r->count]; n++)
        if (r->terms[n].weight < 0) return false;
    return true;
}

static void mark_written(maker *k, const step_head *h) {
    const model_rows *r = &h->model->output;
    for (uint32_t n = 0; n < r->start[r->count]; n++) {
        uint32_t channel = r->terms[n].channel;
        need(k, channel); /* what is added stays beside the feature */
        k->written[channel] = 1;
        k->fresh[channel] = 0;
        if (!(has_positive_values(h) && r->terms[n].weight > 0)) k->positive[channel] = 0;
    }
}

/* 0 or 1 by the embedding alone. */
static bool is_boolean(const maker *k, uint32_t channel) { return k->plain[channel] && !k->written[channel]; }

void maker_boolean(maker *k, step_layer *l, const model_rows *r, size_t row, uint32_t except) {
    const model_term *t = rows_begin_of(r, row);
    for (size_t n = rows_size(r, row); n-- > 0; t++) {
        if (t->channel == except || k->listed[t->channel] || is_boolean(k, t->channel)) continue;
        k->listed[t->channel] = 1;
        array_push(k->arena, l->booleans, l->boolean_count, l->boolean_capacity, k->place[t->channel]);
    }
}

/* ---- layers ---- */

/* A unit that only empties the channel it reads: the place gets a new tenant. +1: -relu(x), -1: +relu(-x). */
static int clears(const model_layer *l, uint32_t unit) {
    const model_term *in = rows_begin_of(&l->in, unit), *out = rows_begin_of(&l->out, unit);
    if (rows_size(&l->in, unit) != 1 || rows_size(&l->out, unit) != 1 || l->bias[unit] != 0) return 0;
    if (in->channel != out->channel || in->weight != -out->weight) return 0;
    return in->weight == 1 ? 1 : in->weight == -1 ? -1 : 0;
}

/* The positions method leaves these without a reader where their place is used again. */
static bool is_left_over(const maker *k, const model_channel *c) {
    bool mirrored = k->s->mirrored;
    return c->position && (strcmp(c->position_text, mirrored ? "(N - 1 - i)/(N*N)" : "i/(N*N)") == 0 ||
                           strcmp(c->position_text, mirrored ? "(N - 1 - i)*(N - 1 - i)/(N*N)" : "i*i/(N*N)") == 0);
}

/* Known features are not negative, so one clearing unit empties them; as they are never computed, it finds 0. */
static bool clears_known(const maker *k, const model_layer *l, uint32_t unit) {
    if (!clears(l, unit)) return false;
    uint32_t channel = rows_begin_of(&l->in, unit)->channel;
    return k->live[channel] && (k->known[channel] || is_left_over(k, &k->m->channels[channel])) &&
           !k->needed[channel] && !k->written[channel] && !k->embedded[channel];
}

/* Two units that make a ramp: the same sum, one output, opposite weights. */
static bool is_ramp(const model_layer *l, uint32_t unit) {
    if (unit + 1 >= l->in.count || rows_size(&l->out, unit) != 1 || rows_size(&l->out, unit + 1) != 1) return false;
    const model_term *up = rows_begin_of(&l->out, unit), *down = rows_begin_of(&l->out, unit + 1);
    return up->channel == down->channel && up->weight == -down->weight && maker_same(&l->in, unit, &l->in, unit + 1);
}

/* How the layer empties each channel: bit 1 by -relu(x), bit 2 by +relu(-x), and bit 4 if another unit writes there
   too, perhaps the same once more. */
static void look_at_clears(maker *k, const model_layer *l) {
    for (uint32_t u = 0; u < l->in.count; u++)
        for (uint32_t n = l->out.start[u]; n < l->out.start[u + 1]; n++) {
            int sign = clears(l, u), how = sign > 0 ? 1 : sign < 0 ? 2 : 4;
            unsigned char *emptied = &k->emptied[l->out.terms[n].channel];
            *emptied |= (unsigned char)(*emptied & how ? 4 : how);
        }
}

static bool moves(const maker *k, uint32_t channel) { return (k->emptied[channel] & 5) == 1; }

static void add_unit(maker *k, step_layer *out, const model_layer *l, uint32_t u, double down) {
    step_row in = maker_row(k, &l->in, u, NO_CHANNEL);
    for (uint32_t n = l->out.start[u]; n < l->out.start[u + 1]; n++) {
        const model_term *t = &l->out.terms[n];
        need(k, t->channel);
        if (!(t->weight > 0 && down <= l->bias[u])) k->positive[t->channel] = 0;
        step_unit unit = {.in = in, .to = k->place[t->channel], .weight = t->weight, .up = l->bias[u], .down = down};
        array_push(k->arena, out->units, out->unit_count, out->unit_capacity, unit);
    }
}

/* Channels that are emptied go on in fresh registers. */
static void move_channels(maker *k, step_layer *out, const model_layer *l) {
    for (uint32_t u = 0; u < l->in.count; u++)
        for (uint32_t n = l->out.start[u]; n < l->out.start[u + 1]; n++) {
            uint32_t channel = l->out.terms[n].channel;
            if (k->emptied[channel]) k->fresh[channel] = moves(k, channel);
            if (moves(k, channel)) {
                bool computed = !k->live[channel] || k->needed[channel];
                if (computed && !(k->emptied[channel] & 2) && !k->positive[channel])
                    array_push(k->arena, out->cleared, out->cleared_count, out->cleared_capacity, k->place[channel]);
                k->place[channel] = k->s->register_count++;
                k->live[channel] = 0;
                k->positive[channel] = 1;
            }
            k->emptied[channel] = 0;
            k->written[channel] = 1;
        }
}

static void make_units(maker *k, step_layer *out, const model_layer *l) {
    look_at_clears(k, l);
    for (uint32_t u = 0; u < l->in.count; u++) { /* readers first: clearing ends a feature's life only after them */
        if (clears(l, u)) continue;
        bool ramp = is_ramp(l, u);
        add_unit(k, out, l, u, ramp ? l->bias[u + 1] : -INFINITY);
        u += ramp;
    }
    for (uint32_t u = 0; u < l->in.count; u++) {
        if (!clears(l, u) || clears_known(k, l, u)) continue;
        uint32_t channel = rows_begin_of(&l->in, u)->channel;
        need(k, channel);
        if (!moves(k, channel)) add_unit(k, out, l, u, -INFINITY);
    }
    out->direct = true;
    for (uint32_t u = 0; u < l->in.count; u++)
        for (uint32_t n = l->out.start[u]; n < l->out.start[u + 1]; n++)
            if (!moves(k, l->out.terms[n].channel) && k->reader[l->out.terms[n].channel] == k->sublayer)
                out->direct = false;
    move_channels(k, out, l);
}

/* One value into a register of its own: still zero, and read by no head of this layer. */
static bool is_direct(maker *k, const model_head *h) {
    if (h->output.count != 1 || rows_size(&h->output, 0) != 1 || rows_begin_of(&h->output, 0)->weight != 1)
        return false;
    uint32_t channel = rows_begin_of(&h->output, 0)->channel;
    bool alone = k->fresh[channel] && k->reader[channel] != k->sublayer && k->writer[channel] != k->sublayer;
    k->writer[channel] = k->sublayer;
    return alone;
}

static void make_outputs(maker *k, step_layer *out, const model_layer *l) {
    uint32_t from = 0;
    for (uint32_t n = 0; n < l->head_count; n++) {
        const model_rows *r = &out->heads[n].model->output;
        if (is_direct(k, out->heads[n].model)) {
            out->heads[n].direct = true;
            out->heads[n].to = k->place[rows_begin_of(r, 0)->channel];
            continue;
        }
        for (uint32_t d = 0; d < r->count; d++, from++)
            for (uint32_t c = r->start[d]; c < r->start[d + 1]; c++) {
                step_output made = {.from = from, .to = k->place[r->terms[c].channel], .weight = r->terms[c].weight};
                array_push(k->arena, out->outputs, out->output_count, out->output_capacity, made);
            }
    }
    k->s->most_outputs = from > k->s->most_outputs ? from : k->s->most_outputs;
}

static void unlist(maker *k, const model_rows *r) {
    for (uint32_t n = 0; n < r->start[r->count]; n++) k->listed[r->terms[n].channel] = 0;
}

static void make_layer(maker *k, uint32_t layer) {
    const model_layer *l = &k->m->layers[layer];
    step_layer *out = &k->s->layers[layer];
    out->head_count = l->head_count;
    out->heads = arena_alloc(k->arena, l->head_count, sizeof *out->heads);
    uint32_t made = 0;
    for (head_role role = ROLE_NONE; role <= ROLE_LAST_; role++) {
        for (uint32_t n = 0; n < l->head_count; n++) {
            if (l->heads[n].role != role) continue;
            k->h = &l->heads[n];
            k->layer = layer + 1;
            k->index = n + 1;
            maker_head(k, &out->heads[made], out);
            out->heads[made++].number = k->s->head_count + n;
        }
        out->role_end[role] = made;
    }
    k->s->head_count += l->head_count;
    make_outputs(k, out, l);
    k->sublayer++;
    for (uint32_t n = 0; n < l->head_count; n++) {
        unlist(k, &l->heads[n].query);
        unlist(k, &l->heads[n].key);
        unlist(k, &l->heads[n].value);
        mark_written(k, &out->heads[n]);
    }
    make_units(k, out, l);
    k->sublayer++;
    k->s->most_units = out->unit_count > k->s->most_units ? out->unit_count : k->s->most_units;
}

/* ---- the whole ---- */

static void look_at_embedding(maker *k) {
    const temper_model *m = k->m;
    uint32_t edge = k->s->mirrored ? model_end_token(m) : model_start_token(m);
    for (uint32_t token = 0; token < m->embedding.count; token++) {
        const model_term *t = rows_begin_of(&m->embedding, token);
        for (size_t n = rows_size(&m->embedding, token); n-- > 0; t++) {
            bool fresh = !k->embedded[t->channel];
            k->embedded[t->channel] = 1;
            k->edge_only[t->channel] = fresh && token == edge && t->weight == 1 && !m->channels[t->channel].position;
        }
    }
    for (uint32_t c = 0; c < m->channel_count; c++) {
        const model_channel *x = &m->channels[c];
        k->live[c] = x->position != NULL;
        k->fresh[c] = !x->position && !k->embedded[c];
        k->plain[c] = !x->position || (!k->embedded[c] && is_edge(k, x));
    }
    for (uint32_t n = 0; n < m->embedding.start[m->embedding.count]; n++)
        if (m->embedding.terms[n].weight != 1) k->plain[m->embedding.terms[n].channel] = 0;
    memcpy(k->positive, k->plain, m->channel_count);
}

static void list_features(maker *k) {
    for (uint32_t c = 0; c < k->m->channel_count; c++) {
        const expression *e = k->m->channels[c].position;
        if (!k->needed[c]) continue;
        bool constant =
            !expression_uses(e, EXPR_I) && !expression_uses(e, EXPR_LENGTH) && !expression_uses(e, EXPR_SIZE);
        if (constant)
            k->s->base[c] = expression_eval(e, 0, 0, 1);
        else
            array_push(k->arena, k->s->features, k->s->feature_count, k->s->feature_capacity,
                       (step_feature){.channel = c, .position = e});
    }
}

/* A row without terms has no blocks, and perhaps there are none at all. */
static void settle_row(const maker *k, step_row *r) { r->blocks = r->count ? k->s->blocks + r->first : NULL; }

/* The blocks have stopped growing. */
static void settle_rows(maker *k) {
    for (uint32_t o = 0; o < k->m->read.count; o++) settle_row(k, &k->s->reads[o]);
    for (uint32_t o = 0; k->s->logits && o < k->m->read.count; o++) settle_row(k, &k->s->logits[o]);
    k->s->read = k->s->reads[0];
    for (uint32_t l = 0; l < k->s->layer_count; l++) {
        step_layer *layer = &k->s->layers[l];
        for (step_head *h = layer->heads; h < layer->heads + layer->head_count; h++) {
            settle_row(k, &h->query);
            settle_row(k, &h->key);
            for (uint32_t d = 0; h->values && d < h->width; d++) settle_row(k, &h->values[d]);
            for (uint32_t r = 0; r < 2 * h->rows; r++) settle_row(k, &h->pattern[r]);
            if (h->values && h->width) h->value = h->values[0];
        }
        for (size_t u = 0; u < layer->unit_count; u++) settle_row(k, &layer->units[u].in);
    }
}

stepper *stepper_new(arena *a, const temper_model *m, bool hard, bool mirrored, temper_type type) {
    stepper *s = arena_zalloc(a, 1, sizeof *s);
    maker k = {.m = m, .s = s, .arena = a};
    unsigned char **marks[] = {&k.embedded, &k.positive, &k.fresh,  &k.plain,  &k.edge_only, &k.live,
                               &k.written,  &k.known,    &k.needed, &k.listed, &k.emptied};
    for (size_t n = 0; n < sizeof marks / sizeof *marks; n++) *marks[n] = arena_zalloc(a, m->channel_count, 1);
    s->model = m;
    s->mirrored = mirrored;
    s->single = type == TEMPER_TYPE_F32;
    s->hard = hard || m->method == TEMPER_METHOD_HARD;
    s->layer_count = m->layer_count;
    s->layers = arena_zalloc(a, m->layer_count, sizeof *s->layers);
    s->register_count = m->channel_count;
    k.place = arena_alloc(a, m->channel_count, sizeof *k.place);
    k.reader = arena_zalloc(a, m->channel_count, sizeof *k.reader);
    k.writer = arena_zalloc(a, m->channel_count, sizeof *k.writer);
    k.sublayer = 1;
    for (uint32_t c = 0; c < m->channel_count; c++) k.place[c] = c;
    for (int d = 0; d < (s->single ? STEP_DECAYS_F32 : STEP_DECAYS); d++)
        s->decay[d] = s->hard ? d == 0 : exp_f64(-MODEL_KAPPA * d);
    refuse_direction(&k);
    look_at_embedding(&k);
    for (uint32_t layer = 0; layer < m->layer_count; layer++) make_layer(&k, layer);
    s->reads = arena_zalloc(a, m->read.count, sizeof *s->reads);
    for (uint32_t o = 0; o < m->read.count; o++) s->reads[o] = maker_row(&k, &m->read, o, NO_CHANNEL);
    if (model_has_logits(m)) s->logits = arena_zalloc(a, m->read.count, sizeof *s->logits);
    for (uint32_t o = 0; s->logits && o < m->read.count; o++) s->logits[o] = maker_row(&k, &m->logits, o, NO_CHANNEL);
    s->base = arena_zalloc(a, s->register_count, sizeof *s->base);
    settle_rows(&k);
    list_features(&k);
    return s;
}
