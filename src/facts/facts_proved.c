/* Facts about every string of one length after the other, from the weights alone: the model is run on sets of values
   (lattice.h) instead of values. This is "What is known of the hard model" of doc/theory.md with more than
   denominators: the grids of single rows and channels, and what ties.

   Every quantity is kept from one length to the next (set_column.h). A model whose features do not read the length
   and whose heads look to the left has the same sets at a position whatever comes after it, so that a length costs
   one position; elsewhere what reads the length is found again, and what comes out as before goes no further. */
#include <math.h>

#include "facts/set_run.h"
#include "model/expression_rational.h"

const rational *set_lcm(facts_run *p, size_t t) {
    if (t < p->lcm_count) return &p->lcm[t];
    size_t count = t + 1 < 64 ? 64 : 2 * (t + 1);
    p->lcm = rational_array(&p->pool, count);
    p->lcm_count = count;
    rational_set_int(&p->lcm[0], 1);
    for (size_t k = 1; k < count; k++) { /* lcm(a, b) = a b / gcd(a, b) */
        rational_set_int(&p->r[0], (long)k);
        rational_gcd(&p->r[1], &p->lcm[k - 1], &p->r[0]);
        rational_mul(&p->lcm[k], &p->lcm[k - 1], &p->r[0]);
        rational_div(&p->lcm[k], &p->lcm[k], &p->r[1]);
    }
    return &p->lcm[t];
}

/* ---- embedding ---- */

static double token_weight(const temper_model *m, uint32_t token, uint32_t channel) {
    const model_term *t = rows_begin_of(&m->embedding, token);
    double weight = 0;
    for (size_t k = rows_size(&m->embedding, token); k-- > 0; t++)
        if (t->channel == channel) weight = t->weight;
    return weight;
}

static void token_set(facts_run *p, spread *to, uint32_t token, uint32_t channel) {
    rational_set_double(&p->r[0], token_weight(p->m, token, channel));
    spread_set_constant(to, &p->r[0]);
}

/* What all letters can be on a channel. */
static void letter_set(facts_run *p, spread *to, uint32_t channel) {
    spread *one = &p->one[1];
    for (uint32_t k = 0; k < p->m->letters.count; k++) {
        token_set(p, k ? one : to, k, channel);
        if (k) spread_join(to, one, &p->work);
    }
}

void set_embed_letters(facts_run *p, spread *to, uint32_t c, size_t i) {
    if (i >= 1 && i <= p->n)
        letter_set(p, to, c);
    else
        token_set(p, to, i == 0 ? model_start_token(p->m) : model_end_token(p->m), c);
}

void set_embed(facts_run *p, uint32_t c) {
    const temper_model *m = p->m;
    const expression *feature = m->channels[c].soft_only ? NULL : m->channels[c].position;
    bool varies =
        m->has_end || (feature && (expression_uses(feature, EXPR_LENGTH) || expression_uses(feature, EXPR_SIZE)));
    spread *x = &p->one[0], *here = &p->one[1], *letters = &p->one[2];
    letter_set(p, letters, c);
    for (size_t i = column_begin(p->embedding[c], &p->room, varies); i < p->room.size; i++) {
        p->steps++;
        if (i >= 1 && i <= p->n)
            spread_set(x, letters);
        else
            token_set(p, x, i == 0 ? model_start_token(m) : model_end_token(m), c);
        if (feature) {
            if (!expression_rational(&p->r[0], feature, i, p->n, p->room.size, &p->pool))
                trap_raise(p->pool.arena->trap, TEMPER_UNSUPPORTED, 0, 0,
                           "the feature of channel %u is not a rational number at position %zu of length %zu", c, i,
                           p->n);
            spread_set_constant(here, &p->r[0]);
            spread_add(x, here, &p->work);
        }
        column_put(p->embedding[c], &p->room, i, x);
    }
    column_end(p->embedding[c]);
    if (!p->drifts[c]) return;
    if (p->drifts[c]->stale) p->embedding[c]->moved = true;
    p->drifts[c]->here = true;
    p->drifts[c]->stale = false;
}

/* ---- layers ---- */

/* Numbers that grow without end are refused here. */
static void add_up(facts_run *p, set_sum *s) {
    bool moved = s->before->moved;
    spread *x = &p->one[0];
    for (size_t k = 0; k < s->term_count; k++) moved = moved || s->terms[k].column->moved;
    for (size_t i = column_begin(s->sum, &p->room, moved); i < p->room.size; i++) {
        p->steps++;
        spread_set(x, column_at(s->before, i));
        for (size_t k = 0; k < s->term_count; k++)
            spread_add_scaled(x, column_at(s->terms[k].column, i), s->terms[k].weight, &p->work);
        rational_require_short(&p->pool, &x->a);
        rational_require_short(&p->pool, &x->g);
        column_put(s->sum, &p->room, i, x);
    }
    column_end(s->sum);
}

static void run_layer(facts_run *p, uint32_t layer) {
    set_layer *to = &p->layers[layer];
    const model_layer *l = &p->m->layers[layer];
    for (uint32_t h = 0; h < l->head_count; h++) set_head_run(p, &to->heads[h], to->before);
    for (size_t k = 0; k < to->head_sum_count; k++) add_up(p, &to->head_sums[k]);
    for (uint32_t b = 0; b < p->s->bundles[layer].count; b++) set_bundle_run(p, &to->bundles[b], l, to->middle);
    for (size_t k = 0; k < to->unit_sum_count; k++) add_up(p, &to->unit_sums[k]);
}

static void read_out(facts_run *p, facts *f) {
    const model_rows *read = &p->m->read;
    size_t verdict = p->n == 0 ? 0 : p->m->at == TEMPER_AT_FIRST ? 1 : p->n;
    spread *y = &p->one[0];
    rational *half = &p->r[6], *distance = &p->r[7];
    bool all = p->n <= 1 || p->room.old == 0 || p->m->has_end;
    for (uint32_t k = read->start[0]; k < read->start[1]; k++) all = all || p->after[read->terms[k].channel]->moved;
    if (all) p->margin = INFINITY;
    for (size_t i = p->n ? 1 : 0; i <= p->n; i++) {
        if (!all && i < p->room.old && i != verdict) {
            i = p->room.old - 1;
            continue;
        }
        rational_set_int(half, 0);
        spread_set_constant(y, half);
        for (uint32_t k = read->start[0]; k < read->start[1]; k++)
            spread_add_scaled(y, column_at(p->after[read->terms[k].channel], i), read->terms[k].weight, &p->work);
        rational_set_ratio(half, 1, 2);
        spread_distance(distance, y, half, &p->work);
        double margin = rational_below(distance);
        p->margin = fmin(p->margin, margin);
        if (i == verdict) f->margin = margin;
    }
    f->margin_everywhere = p->margin;
}

/* ---- facts ---- */

static void copy_columns(known *to, const set_column *from, size_t count) {
    for (size_t k = 0; k < count; k++) to[k] = from[k].known;
}

static void copy_stage(known *to, set_column *const *from, size_t count) {
    for (size_t c = 0; c < count; c++) to[c] = from[c]->known;
}

static void copy_head(head_facts *to, const set_head *from) {
    to->uniform = from->uniform;
    to->tieless = from->tieless;
    to->gap = from->least_gap;
    to->log2_gap = from->log2_gap;
    copy_columns(to->query, from->q, from->qs);
    copy_columns(to->key, from->k, from->qs);
    copy_columns(to->value, from->v, from->vs);
    copy_columns(to->output, from->out, from->vs);
}

static void copy_layer(layer_facts *to, const set_layer *from, const facts_run *p, uint32_t layer) {
    copy_stage(to->before, from->before, p->m->channel_count);
    copy_stage(to->middle, from->middle, p->m->channel_count);
    for (uint32_t h = 0; h < p->m->layers[layer].head_count; h++) copy_head(&to->heads[h], &from->heads[h]);
    for (uint32_t b = 0; b < p->s->bundles[layer].count; b++) {
        const set_bundle *w = &from->bundles[b];
        to->bundles[b].input = w->input;
        for (uint32_t k = 0; k <= w->b->corner_count; k++) to->bundles[b].distance[k] = w->distance[k];
    }
}

facts *facts_run_next(facts_run *p, arena *keep) {
    facts *f = facts_new(p->s, p->n, keep);
    p->room.size = f->size;
    for (uint32_t c = 0; c < p->m->channel_count; c++)
        if (!drift_embed(p, c)) set_embed(p, c);
    for (uint32_t l = 0; l < p->m->layer_count; l++) {
        run_layer(p, l);
        copy_layer(&f->layers[l], &p->layers[l], p, l);
    }
    copy_stage(f->after, p->after, p->m->channel_count);
    read_out(p, f);
    p->room.old = p->room.size;
    p->n++;
    return f;
}

double facts_run_steps(const facts_run *p) {
    double tried = 0;
    for (uint32_t l = 0; l < p->m->layer_count; l++)
        for (uint32_t h = 0; h < p->m->layers[l].head_count; h++) tried += p->layers[l].heads[h].cases.tried;
    return p->steps + tried / 128;
}

/* ---- beginning ---- */

static void add_term(facts_run *p, set_sum **sums, size_t *count, size_t *capacity, set_column **stage,
                     uint32_t channel, set_column *column, double weight) {
    size_t k = 0;
    while (k < *count && (*sums)[k].channel != channel) k++;
    if (k == *count) {
        set_sum fresh = {.channel = channel, .before = stage[channel], .sum = columns_new(&p->room, 1)};
        array_push(p->pool.arena, *sums, *count, *capacity, fresh);
        stage[channel] = fresh.sum;
    }
    set_sum *s = &(*sums)[k];
    struct set_term term = {column, weight};
    array_push(p->pool.arena, s->terms, s->term_count, s->capacity, term);
}

static set_column **copy_of(facts_run *p, set_column *const *stage) {
    set_column **copy = arena_alloc(p->pool.arena, p->m->channel_count, sizeof *copy);
    for (uint32_t c = 0; c < p->m->channel_count; c++) copy[c] = stage[c];
    return copy;
}

static void begin_layer(facts_run *p, uint32_t layer, set_column **stage) {
    set_layer *to = &p->layers[layer];
    const model_layer *l = &p->m->layers[layer];
    arena *a = p->pool.arena;
    size_t capacity = 0;
    to->before = copy_of(p, stage);
    to->heads = arena_zalloc(a, l->head_count, sizeof *to->heads);
    for (uint32_t h = 0; h < l->head_count; h++) {
        const model_head *head = &l->heads[h];
        set_head_init(p, &to->heads[h], head);
        for (uint32_t d = 0; d < head->value.count; d++)
            for (uint32_t k = head->output.start[d]; k < head->output.start[d + 1]; k++)
                add_term(p, &to->head_sums, &to->head_sum_count, &capacity, stage, head->output.terms[k].channel,
                         &to->heads[h].out[d], head->output.terms[k].weight);
    }
    to->middle = copy_of(p, stage);
    to->bundles = arena_zalloc(a, p->s->bundles[layer].count, sizeof *to->bundles);
    capacity = 0;
    for (uint32_t b = 0; b < p->s->bundles[layer].count; b++) {
        const bundle *from = &p->s->bundles[layer].items[b];
        set_bundle_init(p, &to->bundles[b], from);
        for (uint32_t k = 0; k < from->channel_count; k++)
            add_term(p, &to->unit_sums, &to->unit_sum_count, &capacity, stage, from->channels[k],
                     &to->bundles[b].out[k], 1);
    }
}

facts_run *facts_run_begin(const subject_model *s, size_t first, arena *work) {
    const temper_model *m = s->model;
    facts_run *p = arena_zalloc(work, 1, sizeof *p);
    p->s = s;
    p->m = m;
    p->n = first;
    rational_pool_init(&p->pool, work);
    p->room.pool = &p->pool;
    spread_work_init(&p->work, &p->pool);
    p->r = rational_array(&p->pool, 8);
    p->one = spread_array(&p->pool, 3);
    p->embedding = arena_alloc(work, m->channel_count, sizeof *p->embedding);
    set_column *columns = columns_new(&p->room, m->channel_count);
    for (uint32_t c = 0; c < m->channel_count; c++) p->embedding[c] = &columns[c];
    p->layers = arena_zalloc(work, m->layer_count, sizeof *p->layers);
    p->after = copy_of(p, p->embedding);
    for (uint32_t l = 0; l < m->layer_count; l++) begin_layer(p, l, p->after);
    drift_find(p);
    set_means_find(p);
    return p;
}
