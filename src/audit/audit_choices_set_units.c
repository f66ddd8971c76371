/* Nets on sets: rule 7 of doc/certificate.md, "Facts about the hard model". Adds what the units of a layer make of
   s->x to s->sum. */
#include "audit/audit_choices_set_run.h"

typedef struct unit_work {
    set_run *s;
    const model_rows *out;
    const bundle_claim *b;
    rational *z, *hidden, *step;
    rational *adds; /* [channels], of one z */
    lattice *made;  /* [channels] */
    bool *written;  /* [channels] that the bundle writes */
} unit_work;

/* relu(r z + b) of unit u. */
static void hidden_at(const unit_work *w, size_t u, const rational *z, rational *hidden) {
    rational_mul(hidden, &w->b->factor[u], z);
    rational_add(hidden, hidden, &w->b->bias[u]);
    if (rational_sign(hidden) < 0) rational_set_int(hidden, 0);
}

/* What the bundle adds to each channel at z. */
static void evaluate(const unit_work *w, const rational *z) {
    for (size_t c = 0; c < w->s->g->channels; c++)
        if (w->written[c]) rational_set_int(&w->adds[c], 0);
    for (size_t u = 0; u < w->b->count; u++) {
        const model_term *terms = rows_begin_of(w->out, w->b->units[u]);
        hidden_at(w, u, z, w->hidden);
        for (size_t t = 0; t < rows_size(w->out, w->b->units[u]); t++)
            rational_add_product(&w->adds[terms[t].channel], &w->b->weight[u][t], w->hidden);
    }
}

static void by_members(const unit_work *w, uint64_t members, const lattice *z, bundle_claim *claim) {
    set_run *s = w->s;
    set_spend(s, (double)members * (double)w->b->count);
    rational_set(w->step, &z->g);
    for (uint64_t k = 0; k < members; k++) {
        bundle_see(claim, w->z, w->z, exact_grid(w->z));
        evaluate(w, w->z);
        for (size_t c = 0; c < s->g->channels; c++) {
            if (!w->written[c]) continue;
            if (k == 0) {
                lattice_set_number(&w->made[c], &w->adds[c]);
            } else {
                lattice_set_number(&s->s[1], &w->adds[c]);
                lattice_join(&w->made[c], &w->made[c], &s->s[1], &s->work);
            }
        }
        rational_add(w->z, w->z, w->step);
    }
}

static void widen_ends(const unit_work *w, const rational *z, bool first) {
    evaluate(w, z);
    for (size_t c = 0; c < w->s->g->channels; c++) {
        if (!w->written[c]) continue;
        lattice *m = &w->made[c];
        if (first || rational_cmp(&w->adds[c], &m->lo) < 0) rational_set(&m->lo, &w->adds[c]);
        if (first || rational_cmp(&w->adds[c], &m->hi) > 0) rational_set(&m->hi, &w->adds[c]);
    }
}

static void by_units(const unit_work *w, const lattice *z, bundle_claim *claim) {
    set_run *s = w->s;
    rational *low = &s->t[0], *high = &s->t[1], *a = &s->t[2], *g = &s->t[3], *t = &s->t[4];
    bundle_see(claim, &z->lo, &z->hi, lattice_grid(z));
    for (size_t c = 0; c < s->g->channels; c++)
        if (w->written[c]) lattice_set_zero(&w->made[c]);
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
            lattice *m = &w->made[terms[k].channel];
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

static void run_bundle(unit_work *w, bundle_claim *claim) {
    set_run *s = w->s;
    size_t channels = s->g->channels;
    const model_rows *row = claim->row.rows;
    lattice *z = &s->s[0];
    w->b = claim;
    for (size_t c = 0; c < channels; c++) w->written[c] = false;
    for (size_t u = 0; u < claim->count; u++)
        for (size_t t = 0; t < rows_size(w->out, claim->units[u]); t++)
            w->written[rows_begin_of(w->out, claim->units[u])[t].channel] = true;
    for (size_t i = 0; i < s->positions; i++) {
        lattice_set_zero(z);
        for (uint32_t k = 0; k < row->start[1]; k++) {
            lattice_scale(&s->s[1], &s->x[i * channels + row->terms[k].channel], &claim->row.weights[k], &s->work);
            lattice_add(z, z, &s->s[1]);
        }
        uint64_t members = lattice_members(w->z, z, MEMBERS_MOST, &s->work);
        if (members <= MEMBERS_MOST)
            by_members(w, members, z, claim);
        else
            by_units(w, z, claim);
        for (size_t c = 0; c < channels; c++)
            if (w->written[c]) lattice_add(&s->sum[i * channels + c], &s->sum[i * channels + c], &w->made[c]);
    }
}

void set_units(set_run *s, uint32_t layer) {
    general *g = s->g;
    unit_work w = {.s = s, .out = &g->model->layers[layer].out};
    if (g->layer_bundles[layer] == g->layer_bundles[layer + 1]) return;
    w.z = rational_array(&g->pool, 3);
    w.hidden = w.z + 1;
    w.step = w.z + 2;
    w.adds = rational_array(&g->pool, g->channels);
    w.made = lattice_array(&g->pool, g->channels);
    w.written = arena_zalloc(g->audit->arena, g->channels, sizeof(bool));
    for (size_t k = g->layer_bundles[layer]; k < g->layer_bundles[layer + 1]; k++) run_bundle(&w, &g->bundles[k]);
}
