/* Nets on sets: rule 7 of doc/certificate.md, "Facts about the hard model". */
#include "audit/audit_choices_set_run.h"

typedef struct unit_work {
    set_run *s;
    const model_rows *out;
    const bundle_claim *b;
    const uint32_t *writes; /* [width] channels */
    size_t width;
    rational *z, *hidden, *first, *count; /* scratch */
} unit_work;

/* relu(r z + b) of unit u. */
static void hidden_at(const unit_work *w, size_t u, const rational *z, rational *hidden) {
    rational_mul(hidden, &w->b->factor[u], z);
    rational_add(hidden, hidden, &w->b->bias[u]);
    if (rational_sign(hidden) < 0) rational_set_int(hidden, 0);
}

/* What the bundle adds to each channel at z. */
static void evaluate(const unit_work *w, const rational *z) {
    for (size_t k = 0; k < w->width; k++) rational_set_int(&w->s->adds[w->writes[k]], 0);
    for (size_t u = 0; u < w->b->count; u++) {
        const model_term *terms = rows_begin_of(w->out, w->b->units[u]);
        hidden_at(w, u, z, w->hidden);
        for (size_t t = 0; t < rows_size(w->out, w->b->units[u]); t++)
            rational_add_product(&w->s->adds[terms[t].channel], &w->b->weight[u][t], w->hidden);
    }
}

/* The bundle at member k of z. */
static void see_member(const unit_work *w, uint64_t k, const lattice *z, bundle_claim *claim) {
    set_run *s = w->s;
    rational_set_int(w->count, (long)k);
    rational_set(w->z, w->first);
    rational_add_product(w->z, w->count, &z->g);
    bundle_see(claim, w->z, w->z, exact_grid(w->z));
    evaluate(w, w->z);
    for (size_t c = 0; c < w->width; c++) {
        if (k == 0) {
            lattice_set_number(&s->made[c], &s->adds[w->writes[c]]);
        } else {
            lattice_set_number(&s->s[1], &s->adds[w->writes[c]]);
            lattice_join(&s->made[c], &s->made[c], &s->s[1], &s->work);
        }
    }
}

/* The last member that is at most x, counted from 0; -1 if there is none such. */
static int64_t member_up_to(const unit_work *w, double x, const lattice *z, uint64_t members) {
    rational *t = w->count;
    int64_t k = 0;
    rational_set_double(t, x);
    rational_sub(t, t, w->first);
    if (rational_sign(t) < 0) return -1;
    if (members == 1) return 0;
    rational_div(t, t, &z->g);
    rational_floor(t, t);
    return rational_to_int64(&k, t) && (uint64_t)k < members ? k : (int64_t)members - 1;
}

/* Members come in runs between corners, on which the function is linear: the first two of a run and its last one give
   the values of all, and are as near to any piece as any of it. */
static void by_members(const unit_work *w, uint64_t members, const lattice *z, bundle_claim *claim) {
    int64_t from = 0;
    set_spend(w->s, (double)w->b->count * (double)(3 * w->b->corner_count + 3));
    rational_set(w->first, w->z);
    for (size_t k = 0; k <= w->b->corner_count; k++) {
        int64_t last = k < w->b->corner_count ? member_up_to(w, w->b->corners[k], z, members) : (int64_t)members - 1;
        if (last < from) continue;
        see_member(w, (uint64_t)from, z, claim);
        if (last > from) see_member(w, (uint64_t)from + 1, z, claim);
        if (last > from + 1) see_member(w, (uint64_t)last, z, claim);
        from = last + 1;
    }
}

static void widen_ends(const unit_work *w, const rational *z, bool first) {
    evaluate(w, z);
    for (size_t c = 0; c < w->width; c++) {
        lattice *m = &w->s->made[c];
        const rational *adds = &w->s->adds[w->writes[c]];
        if (first || rational_cmp(adds, &m->lo) < 0) rational_set(&m->lo, adds);
        if (first || rational_cmp(adds, &m->hi) > 0) rational_set(&m->hi, adds);
    }
}

static void by_units(const unit_work *w, const lattice *z, bundle_claim *claim) {
    set_run *s = w->s;
    rational *low = &s->t[0], *high = &s->t[1], *a = &s->t[2], *g = &s->t[3], *t = &s->t[4];
    bundle_see(claim, &z->lo, &z->hi, lattice_grid(z));
    for (size_t c = 0; c < w->width; c++) lattice_set_zero(&s->made[c]);
    for (size_t u = 0; u < w->b->count; u++) {
        const rational *r = &w->b->factor[u];
        rational_mul(low, r, &z->lo);
        rational_add(low, low, &w->b->bias[u]);
        rational_mul(high, r, &z->hi);
        rational_add(high, high, &w->b->bias[u]);
        if (rational_sign(low) <= 0 && rational_sign(high) <= 0) continue;
        rational_mul(a, r, &z->a);
        rational_add(a, a, &w->b->bias[u]);
        rational_mul(g, r, &z->g);
        rational_abs(g, g);
        if (rational_sign(low) < 0 || rational_sign(high) < 0) {
            rational_gcd(g, g, a);
            rational_set_int(a, 0);
        }
        const model_term *terms = rows_begin_of(w->out, w->b->units[u]);
        for (size_t k = 0; k < rows_size(w->out, w->b->units[u]); k++) {
            size_t at = 0;
            while (w->writes[at] != terms[k].channel) at++;
            lattice *m = &s->made[at];
            rational_add_product(&m->a, &w->b->weight[u][k], a);
            rational_mul(t, &w->b->weight[u][k], g);
            rational_gcd(&m->g, &m->g, t);
        }
    }
    widen_ends(w, &z->lo, true);
    widen_ends(w, &z->hi, false);
    for (size_t k = 0; k < w->b->corner_count; k++) {
        rational_set_double(w->z, w->b->corners[k]);
        if (rational_cmp(w->z, &z->lo) > 0 && rational_cmp(w->z, &z->hi) < 0) widen_ends(w, w->z, false);
    }
}

static bool reads_changed(const set_run *s, const bundle_claim *b, size_t stage) {
    const model_rows *row = b->row.rows;
    for (uint32_t k = 0; k < row->start[1]; k++)
        if (s->changed[stage][row->terms[k].channel]) return true;
    return false;
}

/* What the bundle adds, at the positions where its row is new; marks channels that it changes in s->again. */
static void run_bundle(unit_work *w, size_t index, size_t stage) {
    set_run *s = w->s;
    bundle_claim *claim = &s->g->bundles[index];
    const model_rows *row = claim->row.rows;
    lattice *z = &s->s[0];
    w->b = claim;
    w->writes = s->bundle_writes[index];
    w->width = s->bundle_width[index];
    bool all = s->old == 0 || reads_changed(s, claim, stage);
    for (size_t i = all ? 0 : s->old; i < s->positions; i++) {
        lattice_set_zero(z);
        for (uint32_t k = 0; k < row->start[1]; k++) {
            lattice_scale(&s->s[1], channel_of(s, stage, row->terms[k].channel, i), &claim->row.weights[k], &s->work);
            lattice_add(z, z, &s->s[1]);
        }
        bool same = i > (all ? 0 : s->old) && lattice_equal(z, &s->s[4]); /* s->made is still what it gives */
        if (!same) {
            uint64_t members = lattice_members(w->z, z, MEMBERS_MOST, &s->work);
            if (members <= MEMBERS_MOST)
                by_members(w, members ? members : 1, z, claim);
            else
                by_units(w, z, claim);
            lattice_set(&s->s[4], z);
        }
        for (size_t c = 0; c < w->width; c++)
            if (set_put(s, &s->bundle_output[index][i * w->width + c], &s->made[c], i, NULL))
                s->again[w->writes[c]] = true;
    }
}

/* The channels after the nets. */
static void add_up(set_run *s, uint32_t layer) {
    hard_choices *g = s->g;
    size_t from = 2 * (size_t)layer + 1, channels = g->channels;
    for (uint32_t c = 0; c < channels; c++) {
        bool *changed = &s->changed[from + 1][c];
        *changed = !is_written(s, from + 1, c) && s->changed[from][c];
        if (!is_written(s, from + 1, c)) continue;
        for (size_t i = s->again[c] ? 0 : s->old; i < s->positions; i++) {
            lattice *sum = &s->s[0];
            lattice_set(sum, channel_of(s, from, c, i));
            for (size_t b = g->layer_bundles[layer]; b < g->layer_bundles[layer + 1]; b++)
                for (size_t k = 0; k < s->bundle_width[b]; k++)
                    if (s->bundle_writes[b][k] == c)
                        lattice_add(sum, sum, &s->bundle_output[b][i * s->bundle_width[b] + k]);
            if (set_put(s, channel_of(s, from + 1, c, i), sum, i, &choices_stage(g, from + 1)[c])) *changed = true;
        }
    }
}

void set_units(set_run *s, uint32_t layer) {
    hard_choices *g = s->g;
    unit_work w = {.s = s, .out = &g->model->layers[layer].out, .z = s->unit_scratch};
    w.hidden = w.z + 1;
    w.first = w.z + 2;
    w.count = w.z + 3;
    for (size_t c = 0; c < g->channels; c++) s->again[c] = s->old == 0 || s->changed[2 * (size_t)layer + 1][c];
    for (size_t k = g->layer_bundles[layer]; k < g->layer_bundles[layer + 1]; k++)
        run_bundle(&w, k, 2 * (size_t)layer + 1);
    add_up(s, layer);
}

void set_units_allocate(set_run *s) {
    const hard_choices *g = s->g;
    arena *a = g->audit->arena;
    s->unit_scratch = rational_array(&s->g->pool, 4);
    s->bundle_output = arena_zalloc(a, g->bundle_count, sizeof *s->bundle_output);
    s->bundle_writes = arena_zalloc(a, g->bundle_count, sizeof *s->bundle_writes);
    s->bundle_width = arena_zalloc(a, g->bundle_count, sizeof *s->bundle_width);
    for (size_t b = 0; b < g->bundle_count; b++) {
        const bundle_claim *claim = &g->bundles[b];
        const model_rows *out = &g->model->layers[claim->layer - 1].out;
        s->bundle_writes[b] = arena_zalloc(a, g->channels, sizeof **s->bundle_writes);
        for (uint32_t c = 0; c < g->channels; c++) {
            bool writes = false;
            for (size_t u = 0; u < claim->count; u++)
                for (size_t t = 0; t < rows_size(out, claim->units[u]); t++)
                    writes = writes || rows_begin_of(out, claim->units[u])[t].channel == c;
            if (writes) s->bundle_writes[b][s->bundle_width[b]++] = c;
        }
        s->bundle_output[b] = lattice_array(&s->g->pool, s->most * s->bundle_width[b]);
    }
}
