/* Facts from one run per length on sets of rationals (doc/certificate.md, "Facts about the hard model"): embedding,
   channels, nets and margins. */
#include "audit/audit_choices_set_run.h"

#include "base/work.h"

double choices_steps_most(void) { return (double)work_limit((uint64_t)1 << 32); }

void set_spend(set_run *s, double steps) {
    s->cost += steps;
    if (s->cost > choices_steps_most())
        trap_raise_remedy(s->g->audit->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "the facts take too many steps at length %zu", s->n);
}

int lattice_grid(const lattice *x) {
    int a = exact_grid(&x->a), g = exact_grid(&x->g);
    return a < g ? a : g;
}

void extent_see_lattice(extent *e, const lattice *x) { extent_see_ends(e, &x->lo, &x->hi, lattice_grid(x)); }

bool set_put(set_run *s, lattice *to, const lattice *x, size_t i, extent *e) {
    bool before = i < s->old;
    if (before && lattice_equal(to, x)) return false;
    rational_require_short(&s->g->pool, &x->g);
    rational_require_short(&s->g->pool, &x->a);
    lattice_set(to, x);
    if (e) extent_see_lattice(e, x);
    return before;
}

/* ---- rule 1 ---- */

/* The weight of a token on channel c, 0 if there is none. */
static void token_weight(const hard_choices *g, uint32_t token, uint32_t c, rational *out) {
    const model_rows *rows = &g->model->embedding;
    rational_set_int(out, 0);
    for (uint32_t k = rows->start[token]; k < rows->start[token + 1]; k++)
        if (rows->terms[k].channel == c) rational_set(out, &g->embedding.weights[k]);
}

static void embed(set_run *s) {
    const hard_choices *g = s->g;
    lattice *letter = &s->s[0], *letters = &s->s[1], *here = &s->s[2], *x = &s->s[3];
    for (uint32_t c = 0; c < g->channels; c++) {
        bool all = s->old == 0 || g->model->has_end || choices_reads_length(g, c), changed = false;
        for (uint32_t k = 0; k < g->model->letters.count; k++) {
            token_weight(g, k, c, &s->t[0]);
            lattice_set_number(letter, &s->t[0]);
            if (k == 0)
                lattice_set(letters, letter);
            else
                lattice_join(letters, letters, letter, &s->work);
        }
        for (size_t i = all ? 0 : s->old; i < s->positions; i++) {
            token_weight(g, i == 0 ? model_start_token(g->model) : model_end_token(g->model), c, &s->t[0]);
            if (i == 0 || i > s->n)
                lattice_set_number(x, &s->t[0]);
            else
                lattice_set(x, letters);
            lattice_set_number(here, &g->features[i * g->channels + c]);
            lattice_add(x, x, here);
            if (set_put(s, channel_of(s, 0, c, i), x, i, &choices_stage(g, 0)[c])) changed = true;
        }
        s->changed[0][c] = changed;
    }
}

/* ---- rules 2 and 6 ---- */

static void apply(set_run *s, lattice *out, const exact_rows *m, uint32_t r, size_t stage, size_t i) {
    lattice *product = &s->s[3];
    bool first = true;
    for (uint32_t k = m->rows->start[r]; k < m->rows->start[r + 1]; k++, first = false) {
        const lattice *x = channel_of(s, stage, m->rows->terms[k].channel, i);
        if (!first && rational_is_zero(&x->g) && rational_is_zero(&x->a)) continue;
        lattice_scale(first ? out : product, x, &m->weights[k], &s->work);
        if (!first) lattice_add(out, out, product);
    }
    if (first) lattice_set_zero(out);
}

/* One row of queries, keys or values; whether it has changed. */
static bool make_row(set_run *s, lattice *to, size_t width, const exact_rows *m, uint32_t r, size_t stage,
                     extent *e) {
    bool all = s->old == 0, changed = false;
    for (uint32_t k = m->rows->start[r]; k < m->rows->start[r + 1]; k++)
        all = all || s->changed[stage][m->rows->terms[k].channel];
    for (size_t i = all ? 0 : s->old; i < s->positions; i++) {
        apply(s, &s->s[0], m, r, stage, i);
        if (set_put(s, &to[i * width + r], &s->s[0], i, e)) changed = true;
    }
    return changed;
}

/* Of a mean more is known than its set: it differs from row to row. */
static bool queries_are_equal(const set_head *h, size_t i) {
    for (uint32_t d = 0; d < h->d; d++)
        if (h->mean[d].of || !lattice_equal(query_of(h, i, d), query_of(h, i - 1, d))) return false;
    return true;
}

/* The rows of scores that can be other than at the length before. */
static void run_rows(set_run *s, bool all) {
    set_head *h = s->head;
    head_claim *f = h->claim;
    bool everywhere = f->exact.head->mask == TEMPER_MASK_ALL;
    lattice *out = s->made;
    if (!all && s->n) f->gap[s->n] = f->gap[s->n - 1];
    if (all) h->winners.known = false;
    for (size_t k = 0, first = all ? 0 : s->old; k < s->positions - first; k++) {
        size_t i = h->from_right ? s->positions - 1 - k : first + k;
        if (!(everywhere && i > 0 && queries_are_equal(h, i))) set_attend(s, i, out); /* else as the row before */
        for (uint32_t r = 0; r < h->v; r++)
            if (set_put(s, &h->output[i * h->v + r], &out[r], i, &f->output[r])) h->output_changed[r] = true;
    }
}

static void run_head(set_run *s, set_head *h, size_t stage) {
    head_claim *f = h->claim;
    const exact_head *e = &f->exact;
    bool queries = false, keys = false, values = false;
    s->head = h;
    for (uint32_t r = 0; r < h->d; r++) {
        queries |= make_row(s, h->query, h->d, &e->query, r, stage, &f->query[r]);
        keys |= make_row(s, h->key, h->d, &e->key, r, stage, &f->key[r]);
    }
    for (uint32_t r = 0; r < h->v; r++) values |= make_row(s, h->value, h->v, &e->value, r, stage, &f->value[r]);
    for (uint32_t r = 0; r < h->v; r++) h->output_changed[r] = false;
    bool again = set_head_begin(s, keys || values);
    if (set_mean_changed(h)) queries = true;
    set_mean_span(s, again || s->old == 0);
    run_rows(s, again || queries || e->head->mask == TEMPER_MASK_ALL);
}

/* What head k adds to a channel at position i. */
static void add_output(set_run *s, size_t k, uint32_t c, size_t i, lattice *sum) {
    const exact_rows *m = &s->g->heads[k].exact.output;
    const set_head *h = &s->heads[k];
    for (uint32_t r = 0; r < h->v; r++)
        for (uint32_t t = m->rows->start[r]; t < m->rows->start[r + 1]; t++) {
            if (m->rows->terms[t].channel != c) continue;
            lattice_scale(&s->s[0], &h->output[i * h->v + r], &m->weights[t], &s->work);
            lattice_add(sum, sum, &s->s[0]);
        }
}

/* Adds the outputs of a layer's heads to the channels, at the positions where something is new. */
static void add_outputs(set_run *s, uint32_t l) {
    hard_choices *g = s->g;
    size_t from = 2 * (size_t)l, channels = g->channels;
    bool *again = s->again;
    for (size_t c = 0; c < channels; c++) again[c] = s->old == 0 || s->changed[from][c];
    for (size_t k = g->layer_heads[l]; k < g->layer_heads[l + 1]; k++) {
        const model_rows *rows = &g->heads[k].exact.head->output;
        for (uint32_t r = 0; r < s->heads[k].v; r++)
            for (uint32_t t = rows->start[r]; t < rows->start[r + 1]; t++)
                if (s->heads[k].output_changed[r]) again[rows->terms[t].channel] = true;
    }
    for (uint32_t c = 0; c < channels; c++) {
        bool *changed = &s->changed[from + 1][c];
        *changed = !is_written(s, from + 1, c) && s->changed[from][c];
        if (!is_written(s, from + 1, c)) continue;
        for (size_t i = again[c] ? 0 : s->old; i < s->positions; i++) {
            lattice *sum = &s->s[1];
            lattice_set(sum, channel_of(s, from, c, i));
            for (size_t k = g->layer_heads[l]; k < g->layer_heads[l + 1]; k++) add_output(s, k, c, i, sum);
            if (set_put(s, channel_of(s, from + 1, c, i), sum, i, &choices_stage(g, from + 1)[c])) *changed = true;
        }
    }
}

/* ---- rule 8 ---- */

static void read_out(set_run *s) {
    hard_choices *g = s->g;
    size_t verdict = s->n == 0 ? 0 : g->model->at == TEMPER_AT_FIRST ? 1 : s->n;
    size_t last = 2 * (size_t)g->model->layer_count;
    rational *half = &s->t[0], *away = &s->t[1];
    bool all = s->n <= 1 || s->old == 0 || g->model->has_end; /* the start sentinel counts only where it is alone */
    for (uint32_t k = 0; k < g->read.rows->start[1]; k++)
        all = all || s->changed[last][g->read.rows->terms[k].channel];
    rational_set_ratio(half, 1, 2);
    if (!all) g->margin[s->n] = g->margin[s->n - 1];
    for (size_t i = s->n == 0 ? 0 : 1; i <= s->n; i++) {
        if (!all && i < s->old && i != verdict) continue;
        apply(s, &s->s[0], &g->read, 0, last, i);
        lattice_distance(away, &s->s[0], half, &s->work);
        double margin = rational_below(away);
        g->margin[s->n] = least_of(g->margin[s->n], margin);
        if (i == verdict) g->verdict[s->n] = margin;
    }
}

/* ---- all lengths ---- */

/* lcm of 1...k: it grows where k is a power of a prime. */
static void make_lcm(set_run *s, rational_pool *pool) {
    s->lcm = rational_array(pool, s->most + 1);
    rational *factor = &s->t[0];
    rational_set_int(&s->lcm[0], 1);
    for (size_t k = 1; k <= s->most; k++) {
        size_t prime = 2, rest = k;
        while (prime < k && k % prime) prime++;
        while (rest % prime == 0) rest /= prime;
        rational_set_int(factor, k > 1 && rest == 1 ? (long)prime : 1);
        rational_mul(&s->lcm[k], &s->lcm[k - 1], factor);
    }
}

static void allocate_head(set_run *s, set_head *h, head_claim *f) {
    rational_pool *pool = &s->g->pool;
    arena *a = s->g->audit->arena;
    const model_head *head = f->exact.head;
    size_t d = head->query.count, v = head->value.count, most = s->most;
    *h = (set_head){.claim = f, .d = (uint32_t)d, .v = (uint32_t)v};
    h->from_right = head->mask == TEMPER_MASK_AFTER || head->mask == TEMPER_MASK_FROM;
    h->query = lattice_array(pool, most * d);
    h->key = lattice_array(pool, most * d);
    h->value = lattice_array(pool, most * v);
    h->output = lattice_array(pool, most * v);
    h->output_changed = arena_zalloc(a, v, sizeof *h->output_changed);
    h->key_unit = rational_array(pool, 1);
    h->whole_keys = arena_zalloc(a, most * d, sizeof(int64_t));
    h->largest_key = arena_zalloc(a, d, sizeof(double));
    h->largest_query = arena_zalloc(a, d, sizeof(double));
    h->apart = rational_array(pool, d * (most + 1));
    h->closest = arena_zalloc(a, d, sizeof *h->closest);
    for (size_t k = 0; k < d; k++) {
        h->closest[k].least = rational_array(pool, most + 1);
        h->closest[k].step = rational_array(pool, 1);
        h->closest[k].places = rational_array(pool, most);
        h->closest[k].sorted = arena_zalloc(a, most, sizeof(size_t));
        h->closest[k].kind = arena_zalloc(a, most, sizeof(size_t));
        h->closest[k].twice = arena_zalloc(a, most, sizeof(bool));
    }
    h->twin = arena_zalloc(a, most, sizeof *h->twin);
    h->running = lattice_array(pool, v);
    h->winners = (set_winners){.query = lattice_array(pool, d),
                               .output = lattice_array(pool, v),
                               .low = rational_array(pool, 1),
                               .high = rational_array(pool, 1),
                               .step = rational_array(pool, 1),
                               .top = rational_array(pool, 1)};
}

static bool writes(const model_rows *rows, uint32_t channel) {
    for (uint32_t k = 0; k < rows->start[rows->count]; k++)
        if (rows->terms[k].channel == channel) return true;
    return false;
}

/* Whether a sublayer adds to a channel: heads are the even ones, nets the odd ones. */
static bool adds_to(const hard_choices *g, size_t sublayer, uint32_t channel) {
    const model_layer *l = &g->model->layers[sublayer / 2];
    if (sublayer % 2) return writes(&l->out, channel);
    for (uint32_t h = 0; h < l->head_count; h++)
        if (writes(&l->heads[h].output, channel)) return true;
    return false;
}

/* A channel to which a sublayer adds nothing is after it what it was. */
static void copy_extents(const set_run *s) {
    const hard_choices *g = s->g;
    for (size_t stage = 1; stage <= 2 * (size_t)g->model->layer_count; stage++)
        for (uint32_t c = 0; c < g->channels; c++) {
            const extent *from = &choices_stage(g, stage - 1)[c];
            if (!is_written(s, stage, c) && from->seen)
                extent_see_ends(&choices_stage(g, stage)[c], &from->ends[0], &from->ends[1], from->grid);
        }
}

static void allocate(set_run *s) {
    hard_choices *g = s->g;
    rational_pool *pool = &g->pool;
    arena *a = g->audit->arena;
    size_t rows = 0, stages = 2 * (size_t)g->model->layer_count + 1, widest = g->channels;
    s->most = choices_positions(g, g->length);
    for (size_t k = 0; k < g->head_count; k++) {
        const model_head *h = g->heads[k].exact.head;
        rows += 3 * (size_t)h->query.count + 2 * (size_t)h->value.count;
        widest = h->value.count > widest ? h->value.count : widest;
    }
    for (uint32_t l = 0; l < g->model->layer_count; l++) {
        const model_rows *out = &g->model->layers[l].out;
        rows += out->start[out->count]; /* what nets add, at most */
    }
    if ((double)s->most * (double)(rows + stages * g->channels) > 0x1p25)
        trap_raise(g->audit->trap, TEMPER_LIMIT, 0, 0, "the model has too many channels and rows for a run on sets");
    lattice_work_init(&s->work, pool);
    s->x = arena_alloc(a, stages, sizeof *s->x);
    s->changed = arena_alloc(a, stages, sizeof *s->changed);
    for (size_t k = 0; k < stages; k++) {
        s->x[k] = arena_alloc(a, g->channels, sizeof **s->x);
        for (uint32_t c = 0; c < g->channels; c++)
            s->x[k][c] = k == 0 || adds_to(g, k - 1, c) ? lattice_array(pool, s->most) : s->x[k - 1][c];
        s->changed[k] = arena_zalloc(a, g->channels, sizeof **s->changed);
    }
    s->again = arena_zalloc(a, g->channels, sizeof *s->again);
    s->s = lattice_array(pool, 5);
    s->t = rational_array(pool, 8);
    s->scores = lattice_array(pool, s->most);
    s->remainders = rational_array(pool, s->most);
    s->mark = arena_zalloc(a, s->most, sizeof *s->mark);
    s->whole_scores = arena_alloc(a, s->most, sizeof *s->whole_scores);
    s->order = arena_zalloc(a, s->most, sizeof *s->order);
    set_layers_allocate(s, a);
    s->heads = arena_zalloc(a, g->head_count, sizeof *s->heads);
    for (size_t k = 0; k < g->head_count; k++) allocate_head(s, &s->heads[k], &g->heads[k]);
    set_mean_begin(s);
    s->adds = rational_array(pool, g->channels);
    s->made = lattice_array(pool, widest);
    set_units_allocate(s);
    make_lcm(s, pool);
}

/* A layer's heads, from its first stage to its second; then its nets, to the third. */
static void run_layer(set_run *s, uint32_t l) {
    const hard_choices *g = s->g;
    for (size_t k = g->layer_heads[l]; k < g->layer_heads[l + 1]; k++) run_head(s, &s->heads[k], 2 * (size_t)l);
    add_outputs(s, l);
    set_units(s, l);
}

double choices_run_lengths(hard_choices *g, size_t first, size_t end) {
    set_run s = {.g = g};
    allocate(&s);
    for (s.n = first; s.n < end; s.n++) {
        s.positions = choices_positions(g, s.n);
        choices_features(g, s.n);
        embed(&s);
        for (uint32_t l = 0; l < g->model->layer_count; l++) run_layer(&s, l);
        read_out(&s);
        s.old = s.positions;
        choices_tell(g, false, s.n);
    }
    copy_extents(&s);
    return s.cost;
}
