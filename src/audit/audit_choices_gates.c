/* Nets (doc/certificate.md, "Errors of gates"): what the units of a layer make of their inputs' errors. */
#include <math.h>

#include "audit/audit_choices_errors.h"

typedef struct unit_error {
    const ball *ideal, *computed, *error; /* X_u, Y_u, e_u */
    int grid;
    bool moves; /* its bundle's row has an error */
} unit_error;

typedef struct gates {
    errors *e;
    const model_layer *layer;
    uint32_t number;    /* of the layer, from 1 */
    unit_error *units;  /* [hidden] */
    const ball **moved; /* [channels] sum of moves_c, NULL: none */
    const ball **row;   /* e_z of each bundle */
    size_t first, end;  /* bundles */
} gates;

static const ball *size_of(calculus *c, const ball *x) {
    ball *z = calc_ball(c);
    ball_neg(z, x);
    return larger(c, x, z);
}

/* ---- units ---- */

static void check_rows(const gates *w, const bundle_claim *b, size_t u) {
    const model_rows *in = &w->layer->in;
    const model_term *first = rows_begin_of(in, b->units[0]), *terms = rows_begin_of(in, b->units[u]);
    const number_format *f = w->e->t->storage;
    for (size_t k = 0; k < rows_size(in, b->units[u]); k++)
        if (format_round(f, terms[k].weight) != b->ratio[u] * format_round(f, first[k].weight))
            audit_refuse(w->e->a, w->number, 0, "units %u and %u are multiples of each other, but not in the type",
                         b->units[0], b->units[u]);
}

static void find_unit(gates *w, const bundle_claim *b, size_t u, const error_sum *row, const ball *ez, bool exact) {
    errors *e = w->e;
    calculus *c = e->c;
    double r = fabs(b->ratio[u]), bias = w->layer->bias[b->units[u]], stored = format_round(e->t->storage, bias);
    if (!isfinite(stored)) audit_refuse(e->a, w->number, 0, "a bias is too large for the type");
    const ball *z = num(c, b->z.size), *factor = num(c, r);
    unit_error *out = &w->units[b->units[u]];
    check_rows(w, b, u);
    out->ideal = add(c, mul(c, factor, z), num(c, fabs(bias)));
    out->computed = add(c, mul(c, factor, add(c, z, ez)), num(c, fabs(stored)));
    out->moves = !error_is_zero(e, ez);
    error_sum sum = sum_begin(e, w->number, 0);
    sum_term(e, &sum, b->ratio[u], z, z, e->zero, b->z.grid);
    sum_term(e, &sum, bias, e->one, e->one, e->zero, 0);
    out->grid = sum.grid;
    error_room(e, out->computed, e->t->fs, w->number, 0, "a unit");
    error_room(e, mul(c, factor, row->size), e->t->fa, w->number, 0, "a unit's sum");
    bool kept = ldexp(r, row->grid) >= e->t->ta; /* its products, which may be finer than their sum */
    if (exact && kept && sum_is_exact(e, &sum, true)) {
        out->error = e->zero;
        return;
    }
    const ball *relative = sub(c, up(c, e->t->ua, 2), e->one);
    const ball *eta = mul(c, out->computed, relative);
    eta = add(c, eta, size_of(c, sub(c, num(c, stored), num(c, bias))));
    eta = add(c, eta, mul(c, num(c, 4 * (double)(row->terms + 4)), e->tau));
    bool near = error_fits(e, e->t->storage, sum.ideal, sum.grid);
    out->error = error_store(e, eta, out->computed, near ? add(c, mul(c, factor, ez), eta) : NULL);
}

/* ---- how far a bundle's function moves ---- */

static size_t corner_index(const bundle_claim *b, double corner) {
    size_t k = 0;
    while (k < b->corner_count && b->corners[k] != corner) k++;
    return k;
}

static double corner_of(const gates *w, const bundle_claim *b, size_t u) {
    double bias = w->layer->bias[b->units[u]];
    return bias == 0 ? 0 : -bias / b->ratio[u];
}

static double stored_weight(const gates *w, uint32_t unit, size_t channel) {
    const model_term *terms = rows_begin_of(&w->layer->out, unit);
    for (size_t t = 0; t < rows_size(&w->layer->out, unit); t++)
        if (terms[t].channel == channel) return format_round(w->e->t->storage, terms[t].weight);
    return 0;
}

static const ball *moves_of(const gates *w, const bundle_claim *b, size_t channel, const ball *ez) {
    errors *e = w->e;
    calculus *c = e->c;
    const ball *steepest = e->zero;
    for (size_t piece = 0; piece <= b->corner_count; piece++) {
        if (b->distance[piece] == INFINITY || ball_is_less(ez, num(c, b->distance[piece]))) continue;
        const ball *slope = e->zero;
        for (size_t u = 0; u < b->count; u++) {
            size_t at = corner_index(b, corner_of(w, b, u));
            bool active = b->ratio[u] < 0 ? piece <= at : piece > at;
            double weight = active ? stored_weight(w, b->units[u], channel) : 0;
            if (weight != 0) slope = add(c, slope, mul(c, num(c, weight), num(c, b->ratio[u])));
        }
        steepest = larger(c, steepest, size_of(c, slope));
    }
    return mul(c, ez, steepest);
}

static void find_moves(gates *w, const bundle_claim *b, const ball *ez) {
    size_t channels = w->e->g->channels;
    bool *seen = arena_zalloc(w->e->a->scratch, channels, sizeof *seen);
    if (error_is_zero(w->e, ez)) return;
    for (size_t u = 0; u < b->count; u++) {
        const model_term *terms = rows_begin_of(&w->layer->out, b->units[u]);
        for (size_t t = 0; t < rows_size(&w->layer->out, b->units[u]); t++) {
            uint32_t k = terms[t].channel;
            if (seen[k]) continue;
            seen[k] = true;
            const ball *m = moves_of(w, b, k, ez);
            w->moved[k] = w->moved[k] ? add(w->e->c, w->moved[k], m) : m;
        }
    }
}

/* ---- ramps ---- */

/* The weights of the layer's units to a channel. */
typedef struct writer {
    const bundle_claim *bundle;
    const ball *row;
    size_t unit; /* within the bundle */
    double weight;
} writer;

/* How many there are; if two, both. */
static size_t find_writers(const gates *w, size_t channel, writer *first, writer *second) {
    size_t count = 0;
    for (size_t k = w->first; k < w->end; k++) {
        const bundle_claim *b = &w->e->g->bundles[k];
        for (size_t u = 0; u < b->count; u++) {
            const model_term *terms = rows_begin_of(&w->layer->out, b->units[u]);
            for (size_t t = 0; t < rows_size(&w->layer->out, b->units[u]); t++) {
                if (terms[t].channel != channel) continue;
                *(count ? second : first) = (writer){b, w->row[k - w->first], u, terms[t].weight};
                count++;
            }
        }
    }
    return count;
}

/* Two units make exactly 0 or a power of two of a number that is off by less than its distance from the slope
   between. */
static bool is_ramp(const gates *w, size_t channel) {
    const errors *e = w->e;
    const type_facts *t = e->t;
    calculus *c = e->c;
    writer low, high; /* the units that begin to rise at -b and at 1 - b */
    if (t->storage != t->sums || find_writers(w, channel, &low, &high) != 2 || low.bundle != high.bundle)
        return false;
    const bundle_claim *b = low.bundle;
    if (w->layer->bias[b->units[low.unit]] < w->layer->bias[b->units[high.unit]]) {
        writer other = low;
        low = high;
        high = other;
    }
    double weight = low.weight, upper = w->layer->bias[b->units[low.unit]], size = fabs(weight);
    int power;
    if (b->ratio[low.unit] != 1 || b->ratio[high.unit] != 1) return false;
    if (w->layer->bias[b->units[high.unit]] != upper - 1) return false;
    if (!(upper < 0) || 2 * upper != floor(2 * upper) || !(-upper < ldexp(1, t->pa - 4))) return false;
    if (high.weight != -weight || fabs(frexp(weight, &power)) != 0.5) return false;
    if (size >= 0x1p100 || size <= 0x1p-100 || !audit_is_stored(e->a, weight) || size < t->ma) return false;
    if (choices_stage(e->g, 2 * (size_t)w->number - 1)[channel].size != 0) return false;
    if (!error_is_zero(e, e->channel[channel])) return false;
    for (size_t k = corner_index(b, -upper) + 1; k <= corner_index(b, 1 - upper); k++)
        if (b->distance[k] != INFINITY && !ball_is_at_most(low.row, num(c, b->distance[k]))) return false;
    return ball_is_less(add(c, num(c, b->z.size), low.row), two_to(c, t->pa - 3));
}

/* ---- the layer ---- */

static const ball *channel_after(gates *w, size_t channel, error_sum *sum) {
    errors *e = w->e;
    if (is_ramp(w, channel)) {
        error_room(e, sum->size, e->t->fs, w->number, 0, "a sum");
        return e->zero;
    }
    if (w->moved[channel]) sum->error = add(e->c, sum->error, w->moved[channel]);
    return sum_error(e, sum, SUM_CHANNEL);
}

void choices_gates(errors *e, uint32_t l) {
    const hard_choices *g = e->g;
    const model_layer *layer = &g->model->layers[l];
    arena *scratch = e->a->scratch;
    gates w = {.e = e,
               .layer = layer,
               .number = l + 1,
               .units = arena_zalloc(scratch, layer->in.count, sizeof *w.units),
               .moved = arena_zalloc(scratch, g->channels, sizeof *w.moved),
               .first = g->layer_bundles[l],
               .end = g->layer_bundles[l + 1]};
    const extent *stage = choices_stage(g, 2 * (size_t)l + 1);
    w.row = arena_zalloc(scratch, w.end - w.first, sizeof *w.row);
    for (size_t k = w.first; k < w.end; k++) {
        const bundle_claim *b = &g->bundles[k];
        error_sum row = sum_row(e, &layer->in, b->units[0], stage, l + 1, 0);
        const ball *ez = w.row[k - w.first] = sum_error(e, &row, SUM_PLAIN);
        bool exact = sum_is_exact(e, &row, false);
        for (size_t u = 0; u < b->count; u++) find_unit(&w, b, u, &row, ez, exact);
        find_moves(&w, b, ez);
    }
    error_sum *sums = arena_zalloc(scratch, g->channels, sizeof *sums);
    for (uint32_t u = 0; u < layer->in.count; u++) {
        const model_term *terms = rows_begin_of(&layer->out, u);
        for (size_t t = 0; t < rows_size(&layer->out, u); t++) {
            uint32_t c = terms[t].channel;
            if (!sums[c].terms) {
                sums[c] = sum_begin(e, l + 1, 0);
                sum_fact(e, &sums[c], 1, &stage[c], e->channel[c]);
            }
            const unit_error *x = &w.units[u];
            sum_term(e, &sums[c], terms[t].weight, x->ideal, x->computed, x->error, x->grid);
            if (x->moves) sums[c].clean = false;
        }
    }
    const ball **after = arena_alloc(scratch, g->channels, sizeof *after);
    for (size_t c = 0; c < g->channels; c++)
        after[c] = sums[c].terms ? channel_after(&w, c, &sums[c]) : e->channel[c];
    for (size_t c = 0; c < g->channels; c++) e->channel[c] = after[c];
}
