/* Nets on the auditor's sets (doc/certificate.md, "Facts about the hard model", rule 7), position by position and
   length after length, against every member of each set by itself; of sets with too many members, against their ends
   and against some members. Units of one bundle are functions of one number, with corners at and between members. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/audit_choices_set_run.h"
#include "base/entry.h"
#include "test.h"

enum { MOST = 10, CHANNELS = 4, UNITS = 3 };

static struct { size_t sets, wide, kept; } total;

typedef struct bench {
    set_run s;
    hard_choices g;
    audit a;
    temper_model model;
    model_layer layer;
    bundle_claim bundle;
    model_rows row;
    lattice *t;  /* [4] */
    rational *r; /* [8] */
    test_random *random;
} bench;

/* a + k g within lo and hi, in quarters. */
static void put(lattice *z, long a, long g, long lo, long hi) {
    rational_set_ratio(&z->a, a, 4);
    rational_set_ratio(&z->g, g, 4);
    rational_set_ratio(&z->lo, g ? lo : a, 4);
    rational_set_ratio(&z->hi, g ? hi : a, 4);
}

static void some_set(lattice *z, bool wide, test_random *r) {
    long a = (long)random_below(r, 41) - 20, g = (long)random_below(r, 4);
    long span = wide ? 300000 : (long)random_below(r, 12);
    put(z, a, wide && g == 0 ? 1 : g, a - (g ? g : 1) * (long)random_below(r, 6), a + (g ? g : 1) * span);
}

/* ---- a bundle ---- */

static void make_rows(model_rows *rows, size_t count, size_t terms, arena *a) {
    *rows = (model_rows){.count = (uint32_t)count};
    rows->start = arena_zalloc(a, count + 1, sizeof *rows->start);
    rows->terms = arena_zalloc(a, count * terms + 1, sizeof *rows->terms);
}

static void make_bundle(bench *b, arena *a) {
    test_random *r = b->random;
    bundle_claim *x = &b->bundle;
    size_t units = 1 + random_below(r, UNITS);
    *x = (bundle_claim){.layer = 1, .count = units};
    make_rows(&b->row, 1, 2, a);
    b->row.terms[0] = (model_term){0, random_below(r, 2) ? 1 : -2};
    b->row.terms[1] = (model_term){1, 0.5};
    b->row.start[1] = 1 + (uint32_t)random_below(r, 2);
    x->row = exact_rows_make(&b->g.pool, &b->row);
    x->units = arena_alloc(a, units, sizeof *x->units);
    x->ratio = arena_alloc(a, units, sizeof *x->ratio);
    x->factor = rational_array(&b->g.pool, units);
    x->bias = rational_array(&b->g.pool, units);
    x->weight = arena_alloc(a, units, sizeof *x->weight);
    x->corners = arena_alloc(a, units, sizeof *x->corners);
    make_rows(&b->layer.out, units, 2, a);
    uint32_t at = 0;
    for (uint32_t u = 0; u < units; u++) {
        double ratio = u == 0               ? 1
                       : random_below(r, 2) ? -1
                                            : 2,
               corner = (double)((long)random_below(r, 81) - 40) / 8;
        x->units[u] = u;
        x->ratio[u] = ratio;
        rational_set_double(&x->factor[u], ratio);
        rational_set_double(&x->bias[u], -corner * ratio);
        size_t k = x->corner_count++;
        for (; k > 0 && x->corners[k - 1] > corner; k--) x->corners[k] = x->corners[k - 1];
        x->corners[k] = corner;
        size_t terms = 1 + random_below(r, 2);
        x->weight[u] = rational_array(&b->g.pool, terms);
        for (size_t t = 0; t < terms; t++) {
            double w = (double)random_below(r, 5) - 2;
            if (w == 0) w = 0.5;
            b->layer.out.terms[at++] = (model_term){2 + (uint32_t)((u + t) % 2), w};
            rational_set_double(&x->weight[u][t], w);
        }
        b->layer.out.start[u + 1] = at;
    }
    size_t kept = 0; /* each corner once */
    for (size_t k = 0; k < x->corner_count; k++)
        if (k == 0 || x->corners[k] != x->corners[kept - 1]) x->corners[kept++] = x->corners[k];
    x->corner_count = kept;
    x->z.ends = rational_array(&b->g.pool, 2);
    x->distance = arena_alloc(a, units + 1, sizeof *x->distance);
    for (size_t k = 0; k <= units; k++) x->distance[k] = INFINITY;
}

static void begin(bench *b, entry *e) {
    arena *a = &e->memory;
    rational_pool *pool = &b->g.pool;
    b->a = (audit){.trap = e->trap, .arena = a, .scratch = &e->scratch};
    b->model = (temper_model){.layer_count = 1, .layers = &b->layer, .channel_count = CHANNELS};
    b->g = (hard_choices){
        .audit = &b->a, .model = &b->model, .channels = CHANNELS, .bundles = &b->bundle, .bundle_count = 1};
    rational_pool_init(pool, a);
    b->g.stages = arena_zalloc(a, 3 * CHANNELS, sizeof *b->g.stages);
    for (size_t k = 0; k < 3 * CHANNELS; k++) b->g.stages[k].ends = rational_array(pool, 2);
    b->g.layer_bundles = arena_zalloc(a, 2, sizeof *b->g.layer_bundles);
    b->g.layer_bundles[1] = 1;
    make_bundle(b, a);
    set_run *s = &b->s;
    *s = (set_run){.g = &b->g, .most = MOST};
    lattice_work_init(&s->work, pool);
    s->s = lattice_array(pool, 5);
    s->t = rational_array(pool, 8);
    s->x = arena_zalloc(a, 3, sizeof *s->x);
    s->changed = arena_zalloc(a, 3, sizeof *s->changed);
    for (size_t k = 0; k < 3; k++) {
        s->x[k] = arena_zalloc(a, CHANNELS, sizeof **s->x);
        for (size_t c = 0; c < CHANNELS; c++) s->x[k][c] = lattice_array(pool, MOST);
        s->changed[k] = arena_zalloc(a, CHANNELS, sizeof **s->changed);
    }
    s->again = arena_zalloc(a, CHANNELS, sizeof *s->again);
    s->adds = rational_array(pool, CHANNELS);
    s->made = lattice_array(pool, CHANNELS);
    set_units_allocate(s);
    b->t = lattice_array(pool, 4);
    b->r = rational_array(pool, 8);
}

/* ---- by itself ---- */

/* What all units add to a channel at z. */
static void add_at(const bench *b, const rational *z, uint32_t channel, rational *out) {
    const bundle_claim *x = &b->bundle;
    rational *hidden = &b->r[4];
    rational_set_int(out, 0);
    for (size_t u = 0; u < x->count; u++) {
        rational_mul(hidden, &x->factor[u], z);
        rational_add(hidden, hidden, &x->bias[u]);
        if (rational_sign(hidden) < 0) rational_set_int(hidden, 0);
        for (uint32_t t = b->layer.out.start[u]; t < b->layer.out.start[u + 1]; t++)
            if (b->layer.out.terms[t].channel == channel)
                rational_add_product(out, &x->weight[u][t - b->layer.out.start[u]], hidden);
    }
}

static void row_at(bench *b, size_t i, lattice *z) {
    lattice_set_zero(z);
    for (uint32_t k = 0; k < b->row.start[1]; k++) {
        lattice_scale(&b->t[3], channel_of(&b->s, 1, b->row.terms[k].channel, i), &b->bundle.row.weights[k],
                      &b->s.work);
        lattice_add(z, z, &b->t[3]);
    }
}

/* A number is a member, after what was there before is taken off. */
static bool holds(bench *b, const lattice *set, const rational *x) {
    rational *t = &b->r[5];
    if (rational_cmp(x, &set->lo) < 0 || rational_cmp(x, &set->hi) > 0) return false;
    rational_sub(t, x, &set->a);
    if (rational_is_zero(&set->g)) return rational_is_zero(t);
    rational_div(t, t, &set->g);
    rational_floor(&b->r[6], t);
    return rational_equal(t, &b->r[6]);
}

static void check_few(bench *b, size_t i, const lattice *z, uint64_t members, const rational *first) {
    lattice *all = &b->t[1], *one = &b->t[2];
    rational *at = &b->r[1], *count = &b->r[2], *out = &b->r[3];
    for (uint32_t c = 0; c < CHANNELS; c++) {
        for (uint64_t k = 0; k < (members ? members : 1); k++) {
            rational_set_int(count, (long)k);
            rational_set(at, first);
            rational_add_product(at, count, &z->g);
            add_at(b, at, c, out);
            lattice_set_number(one, out);
            if (k == 0)
                lattice_set(all, one);
            else
                lattice_join(all, all, one, &b->s.work);
        }
        lattice_add(all, all, channel_of(&b->s, 1, c, i));
        CHECK(lattice_equal(all, channel_of(&b->s, 2, c, i)), "position %zu, channel %u, %llu members", i, c,
              (unsigned long long)members);
    }
    total.sets++;
}

/* Ends are those of the function between the ends of z; members are members. */
static void check_many(bench *b, size_t i, const lattice *z) {
    for (uint32_t c = 2; c < CHANNELS; c++) {
        lattice *is = &b->t[1];
        rational *low = &b->r[1], *high = &b->r[2], *out = &b->r[3], *at = &b->r[7];
        const lattice *before = channel_of(&b->s, 1, c, i);
        lattice_sub(is, channel_of(&b->s, 2, c, i), before, &b->s.work); /* before is a number here */
        add_at(b, &z->lo, c, low);
        rational_set(high, low);
        for (size_t k = 0; k <= b->bundle.corner_count; k++) {
            if (k < b->bundle.corner_count)
                rational_set_double(at, b->bundle.corners[k]);
            else
                rational_set(at, &z->hi);
            if (rational_cmp(at, &z->lo) < 0 || rational_cmp(at, &z->hi) > 0) continue;
            add_at(b, at, c, out);
            if (rational_cmp(out, low) < 0) rational_set(low, out);
            if (rational_cmp(out, high) > 0) rational_set(high, out);
        }
        CHECK(rational_equal(low, &is->lo) && rational_equal(high, &is->hi), "position %zu, channel %u: other ends",
              i, c);
        for (int k = 0; k < 30; k++) {
            rational_sub(at, &z->lo, &z->a);
            rational_div(at, at, &z->g);
            rational_floor(at, at);
            rational_set_int(out, k < 10 ? 1 + k : (long)random_below(b->random, 200000));
            rational_add(out, out, at);
            rational_set(at, &z->a);
            rational_add_product(at, out, &z->g);
            if (rational_cmp(at, &z->hi) > 0 || rational_cmp(at, &z->lo) < 0) continue;
            add_at(b, at, c, out);
            CHECK(holds(b, is, out), "position %zu, channel %u: a member is none", i, c);
        }
    }
    total.wide++;
}

static void check_nets(entry *e, void *context) {
    bench b = {.random = context};
    test_random *r = context;
    bool wide = random_below(r, 6) == 0;
    begin(&b, e);
    set_run *s = &b.s;
    for (s->positions = 0; s->positions < MOST;) {
        size_t old = s->positions;
        s->old = old;
        s->positions += 1 + random_below(r, 3);
        if (s->positions > MOST) s->positions = MOST;
        s->n = s->positions - 1;
        for (uint32_t c = 0; c < CHANNELS; c++) {
            bool changes = old && random_below(r, 4) == 0;
            for (size_t i = changes ? 0 : old; i < s->positions; i++) {
                lattice *to = channel_of(s, 1, c, i);
                if (i < old && random_below(r, 2)) continue;
                if (i && random_below(r, 3) == 0) /* as at the position before */
                    lattice_set(to, to - 1);
                else
                    some_set(to, wide && c < 2, r);
                if (wide && c >= 2) put(to, 3, 0, 0, 0);
            }
            s->changed[1][c] = changes;
        }
        set_units(s, 0);
        for (size_t i = 0; i < s->positions; i++) {
            lattice *z = &b.t[0];
            row_at(&b, i, z);
            uint64_t members = lattice_members(&b.r[0], z, MEMBERS_MOST, &s->work);
            if (members > MEMBERS_MOST)
                check_many(&b, i, z);
            else if (members < 400)
                check_few(&b, i, z, members, &b.r[0]);
            total.kept += i < old;
        }
    }
    /* how near members come to each piece between corners */
    for (size_t k = 0; k <= b.bundle.corner_count; k++) {
        double left = k ? b.bundle.corners[k - 1] : -INFINITY,
               right = k < b.bundle.corner_count ? b.bundle.corners[k] : INFINITY;
        for (size_t i = 0; i < s->positions; i++) {
            row_at(&b, i, &b.t[0]);
            uint64_t members = lattice_members(&b.r[0], &b.t[0], MEMBERS_MOST, &s->work);
            for (uint64_t j = 0; j < members && members < 400; j++) {
                double x = rational_below(&b.r[0]), away = fmax(0, fmax(left - x, x - right));
                CHECK(b.bundle.distance[k] <= away, "piece %zu: a member is %g away, not %g", k, away,
                      b.bundle.distance[k]);
                rational_add(&b.r[0], &b.r[0], &b.t[0].g);
            }
        }
    }
}

int main(void) {
    test_random r = test_seed(4015);
    size_t count = 250 + (size_t)(500 * test_effort());
    for (size_t k = 0; k < count; k++) {
        temper_error e = {0};
        CHECK(entry_run(&e, check_nets, &r) == TEMPER_OK, "%s", e.text);
    }
    printf("%zu sets member by member, %zu with many, %zu kept from a length before\n", total.sets, total.wide,
           total.kept);
    return test_finish("t-audit-choice-set-nets");
}
