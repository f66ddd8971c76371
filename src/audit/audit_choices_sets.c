/* Facts from one run per length on sets of rationals (doc/certificate.md, "Facts about the hard model"): embedding,
   channels, nets and margins. */
#include "audit/audit_choices_set_run.h"

static const double steps_most = 0x1p32;

void set_spend(set_run *s, double steps) {
    s->cost += steps;
    if (s->cost > steps_most)
        trap_raise(s->g->audit->trap, TEMPER_LIMIT, 0, 0, "the facts take too many steps at length %zu", s->n);
}

int lattice_grid(const lattice *x) {
    int a = exact_grid(&x->a), g = exact_grid(&x->g);
    return a < g ? a : g;
}

void extent_see_lattice(extent *e, const lattice *x) { extent_see_ends(e, &x->lo, &x->hi, lattice_grid(x)); }

static void see_stage(const set_run *s, size_t stage) {
    for (size_t k = 0; k < s->positions * s->g->channels; k++) {
        rational_require_short(&s->g->pool, &s->x[k].g);
        rational_require_short(&s->g->pool, &s->x[k].a);
        extent_see_lattice(&general_stage(s->g, stage)[k % s->g->channels], &s->x[k]);
    }
}

/* ---- rule 1 ---- */

/* The weight of a token on channel c, 0 if there is none. */
static void token_weight(const general *g, uint32_t token, uint32_t c, rational *out) {
    const model_rows *rows = &g->model->embedding;
    rational_set_int(out, 0);
    for (uint32_t k = rows->start[token]; k < rows->start[token + 1]; k++)
        if (rows->terms[k].channel == c) rational_set(out, &g->embedding.weights[k]);
}

static void embed(set_run *s) {
    const general *g = s->g;
    lattice *letter = &s->s[0], *letters = &s->s[1], *here = &s->s[2];
    for (uint32_t c = 0; c < g->channels; c++) {
        for (uint32_t k = 0; k < g->model->letters.count; k++) {
            token_weight(g, k, c, &s->t[0]);
            lattice_set_number(letter, &s->t[0]);
            if (k == 0)
                lattice_set(letters, letter);
            else
                lattice_join(letters, letters, letter, &s->work);
        }
        for (size_t i = 0; i < s->positions; i++) {
            lattice *x = &s->x[i * g->channels + c];
            token_weight(g, i == 0 ? model_start_token(g->model) : model_end_token(g->model), c, &s->t[0]);
            if (i == 0 || i > s->n)
                lattice_set_number(x, &s->t[0]);
            else
                lattice_set(x, letters);
            lattice_set_number(here, &g->features[i * g->channels + c]);
            lattice_add(x, x, here);
        }
    }
    see_stage(s, 0);
}

/* ---- rules 2 and 6 ---- */

static void apply(set_run *s, lattice *out, const exact_rows *m, uint32_t r, const lattice *x) {
    lattice *product = &s->s[3];
    lattice_set_zero(out);
    for (uint32_t k = m->rows->start[r]; k < m->rows->start[r + 1]; k++) {
        lattice_scale(product, &x[m->rows->terms[k].channel], &m->weights[k], &s->work);
        lattice_add(out, out, product);
    }
}

static void run_head(set_run *s, head_claim *f) {
    const exact_head *e = &f->exact;
    set_head *h = &s->head;
    size_t channels = s->g->channels;
    h->claim = f;
    h->d = e->head->query.count;
    h->v = e->head->value.count;
    for (size_t i = 0; i < s->positions; i++) {
        for (uint32_t r = 0; r < h->d; r++) {
            apply(s, &h->query[i * h->d + r], &e->query, r, &s->x[i * channels]);
            apply(s, &h->key[i * h->d + r], &e->key, r, &s->x[i * channels]);
            extent_see_lattice(&f->query[r], &h->query[i * h->d + r]);
            extent_see_lattice(&f->key[r], &h->key[i * h->d + r]);
        }
        for (uint32_t r = 0; r < h->v; r++) {
            apply(s, &h->value[i * h->v + r], &e->value, r, &s->x[i * channels]);
            extent_see_lattice(&f->value[r], &h->value[i * h->v + r]);
        }
    }
    set_head_begin(s);
    for (size_t i = 0; i < s->positions; i++) {
        set_attend(s, i);
        for (uint32_t r = 0; r < h->v; r++) {
            const lattice *out = &h->output[i * h->v + r];
            extent_see_lattice(&f->output[r], out);
            for (uint32_t k = e->head->output.start[r]; k < e->head->output.start[r + 1]; k++) {
                lattice *to = &s->sum[i * channels + e->head->output.terms[k].channel];
                lattice_scale(&s->s[0], out, &e->output.weights[k], &s->work);
                lattice_add(to, to, &s->s[0]);
            }
        }
    }
}

/* ---- rule 8 ---- */

static void read_out(set_run *s) {
    general *g = s->g;
    size_t verdict = s->n == 0 ? 0 : g->model->at == TEMPER_AT_FIRST ? 1 : s->n;
    rational *half = &s->t[0], *away = &s->t[1];
    rational_set_ratio(half, 1, 2);
    for (size_t i = s->n == 0 ? 0 : 1; i <= s->n; i++) {
        apply(s, &s->s[0], &g->read, 0, &s->x[i * g->channels]);
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

static void allocate(set_run *s) {
    general *g = s->g;
    rational_pool *pool = &g->pool;
    arena *a = g->audit->arena;
    size_t d = 0, v = 0;
    for (size_t k = 0; k < g->head_count; k++) {
        const model_head *h = g->heads[k].exact.head;
        d = h->query.count > d ? h->query.count : d;
        v = h->value.count > v ? h->value.count : v;
    }
    s->most = general_positions(g, g->length);
    if ((double)s->most * (double)(d + v) > 0x1p22)
        trap_raise(g->audit->trap, TEMPER_LIMIT, 0, 0, "a head has too many rows for a run on sets");
    lattice_work_init(&s->work, pool);
    s->x = lattice_array(pool, s->most * g->channels);
    s->sum = lattice_array(pool, s->most * g->channels);
    s->s = lattice_array(pool, 4);
    s->t = rational_array(pool, 8);
    s->scores = lattice_array(pool, s->most);
    s->remainders = rational_array(pool, s->most);
    s->mark = arena_zalloc(a, s->most, sizeof *s->mark);
    s->order = arena_zalloc(a, s->most, sizeof *s->order);
    s->head.query = lattice_array(pool, s->most * d);
    s->head.key = lattice_array(pool, s->most * d);
    s->head.value = lattice_array(pool, s->most * v);
    s->head.output = lattice_array(pool, s->most * v);
    s->head.key_unit = rational_array(pool, 1);
    s->head.whole_keys = arena_zalloc(a, s->most * d, sizeof(int64_t));
    s->head.largest_key = arena_zalloc(a, d, sizeof(double));
    s->head.joined = lattice_array(pool, d * (s->most + 1));
    s->head.closest = rational_array(pool, d * (s->most + 1));
    s->head.closest_known = arena_zalloc(a, d, sizeof(bool));
    make_lcm(s, pool);
}

void general_run_sets(general *g) {
    set_run s = {.g = g};
    allocate(&s);
    for (s.n = 0; s.n <= g->length; s.n++) {
        s.positions = general_positions(g, s.n);
        size_t count = s.positions * g->channels;
        general_features(g, s.n);
        embed(&s);
        for (uint32_t l = 0; l < g->model->layer_count; l++) {
            for (size_t k = 0; k < count; k++) lattice_set(&s.sum[k], &s.x[k]);
            for (size_t k = g->layer_heads[l]; k < g->layer_heads[l + 1]; k++) run_head(&s, &g->heads[k]);
            for (size_t k = 0; k < count; k++) lattice_set(&s.x[k], &s.sum[k]);
            see_stage(&s, 2 * (size_t)l + 1);
            set_units(&s, l);
            for (size_t k = 0; k < count; k++) lattice_set(&s.x[k], &s.sum[k]);
            see_stage(&s, 2 * (size_t)l + 2);
        }
        read_out(&s);
    }
}
