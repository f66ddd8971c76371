/* Single norms, rows, heads and nets of the audit of ordinary transformers against the page's (ordinary_page.h), from
   any state: random errors of columns, numbers of the model that are changed beyond what a lowering writes, and
   errors up to the largest that are taken. Both must say the same: the same verdict, and the same number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/ordinary/audit_ordinary_bounds.h"
#include "ordinary/files/gguf_write.h"
#include "ordinary_page.h"
#include "ordinary_shakes.h"
#include "ordinary_trials.h"

static struct { size_t models, compared, proved, numbers, edges; } total;

typedef struct trial {
    const char *name;
    const temper_spec *spec;
    struct ordinary_options options;
    test_random *random;
} trial;

static const char *setting(const trial *t) { return ordinary_setting_text(t->name, &t->options); }

/* ---- from any state ---- */

typedef struct state {
    const trial *t;
    const lift *u;
    ordinary_bounding b;
    page_view x;
    double size;            /* of all errors of columns, as a factor */
    double imbalance, tilt; /* and a factor of it */
    double *error, *relative, *zero, *number;
    uint32_t layer;
    const lift_head *head;
    double found; /* by the audit */
    ordinary_column_bound *wrote;
    trap *outside;
} state;

static void bound_head(entry *e, void *context) {
    state *s = context;
    s->b.s->trap = e->trap;
    s->b.s->arena = &e->memory;
    ordinary_norm(&s->b, s->layer, false);
    s->found = ordinary_head_bound(&s->b, s->head);
}

static bool is_near(double found, real page) {
    return fabsl((real)found - page) <= fabsl(page) * 0x1p-17L + 0x1p-1000L || (!isfinite(found) && !isfinite(page));
}

static void set_state(state *s) {
    for (uint32_t c = 0; c < s->u->column_count; c++) {
        s->x.error[c] = s->b.columns[c].error = s->error[c] * s->size;
        s->x.relative[c] = s->b.columns[c].relative = s->relative[c] * s->size;
        s->x.zero[c] = s->b.columns[c].zero = s->zero[c] * s->size;
        s->x.number[c] = s->b.columns[c].number = s->number[c] * s->size;
    }
    s->x.imbalance = s->b.imbalance = s->imbalance * s->tilt;
    s->x.refused = NULL;
}

/* What the page says of a head. */
static real ask_page(state *s, bool strict) {
    set_state(s);
    page_be_strict(strict);
    page_norm(&s->x, s->layer, false);
    real error = page_head(&s->x, s->head);
    page_be_strict(false);
    return error;
}

/* Whether that is what was found: the same verdict, the same numbers. */
static bool is_same(const state *s, temper_status status, real error) {
    if ((status == TEMPER_OK) == (s->x.refused != NULL)) return false;
    if (s->x.refused) return true;
    for (size_t v = 0; v < s->head->value_count; v++) {
        uint32_t c = s->head->values[v].column;
        if (!is_near(s->wrote[c].error, s->x.error[c]) || !is_near(s->wrote[c].relative, s->x.relative[c]) ||
            !is_near(s->wrote[c].zero, s->x.zero[c]))
            return false;
        if (s->head->role == LIFT_WEIGHED && !is_near(s->wrote[c].number, s->x.number[c])) return false;
    }
    return is_near(s->found, error);
}

static bool compare_head(state *s) {
    temper_error e = {0};
    set_state(s);
    temper_status status = entry_run(&e, bound_head, s);
    memcpy(s->wrote, s->b.columns, s->u->column_count * sizeof *s->wrote);
    real error = ask_page(s, false);
    bool same = is_same(s, status, error);
    if (!same) same = is_same(s, status, ask_page(s, true));
    total.compared++;
    total.proved += status == TEMPER_OK;
    CHECK(same, "%s, %s of layer %u, errors times %g: the audit: %s, %.17g; the page: %s, %.17Lg", setting(s->t),
          lift_role_name(s->head->role), s->layer, s->size, status ? e.text : "proved", s->found,
          s->x.refused ? s->x.refused : "proved", error);
    return status == TEMPER_OK;
}

static void compare_row(const state *s, const lift_form *f) {
    ordinary_row found = ordinary_row_bound(&s->b, f);
    page_row page = page_read_row(&s->x, f);
    total.numbers++;
    CHECK(is_near(found.size, page.size) && is_near(found.error, page.error) && is_near(found.rounded, page.own) &&
              is_near(found.zero, page.zero) && is_near(found.share, page.share) && found.scale == s->b.common,
          "%s: a row of %zu: size %g %Lg, error %.17g %.17Lg, rounded %g %Lg, zero %.17g %.17Lg", setting(s->t),
          f->count, found.size, page.size, found.error, page.error, found.rounded, page.own, found.zero, page.zero);
}

/* Rows of some columns with some weights. */
static void compare_rows(const state *s, test_random *r) {
    model_term terms[4];
    lift_form f = {.terms = terms, .count = random_below(r, 5)};
    if (random_below(r, 2)) f.one = (double)random_below(r, 9) - 4;
    if (random_below(r, 2)) f.rest = shake_error(r, -10);
    for (size_t k = 0; k < f.count; k++) {
        uint32_t c = (uint32_t)random_below(r, s->u->column_count);
        terms[k] = (model_term){c, ldexp((double)random_below(r, 7) - 3, (int)random_below(r, 6) - 2)};
    }
    compare_row(s, &f);
}

static void compare_norm(state *s, uint32_t layer, bool net) {
    s->b.s->trap = s->outside;
    page_norm(&s->x, layer, net);
    if (s->x.refused) return;
    ordinary_norm(&s->b, layer, net);
    CHECK(is_near(s->b.common, s->x.common) && is_near(s->b.own, s->x.own) && is_near(s->b.mean, s->x.mean) &&
              is_near(s->b.sum, s->x.sum),
          "%s: the norm of layer %u: %.17g %.17Lg, %g %Lg, %.17g %.17Lg, %g %Lg", setting(s->t), layer, s->b.common,
          s->x.common, s->b.own, s->x.own, s->b.mean, s->x.mean, s->b.sum, s->x.sum);
}

/* Sums that are exact up to 2^24 of what all products are multiples of. */
static void compare_exact(state *s, test_random *r) {
    s->size = 0;
    set_state(s);
    s->size = 1;
    s->x.common = s->b.common = s->x.own = s->b.own = s->x.mean = s->b.mean = 0;
    for (uint32_t c = 0; c < s->u->column_count; c++) {
        model_term term = {c, 1};
        lift_form f = {
            .terms = &term, .count = 1, .one = ldexp(1, 22 + (int)random_below(r, 4)) - (double)random_below(r, 3)};
        compare_row(s, &f);
    }
    set_state(s);
}

/* Where a Llama's norm is the identity, and where it is not. */
static void compare_identity(state *s, test_random *r) {
    struct ordinary_model *m;
    memcpy(&m, &s->u->m, sizeof m);
    uint32_t width = m->width, c = (uint32_t)random_below(r, s->u->column_count);
    double epsilon = m->epsilon;
    for (int k = 0; k < 12; k++) {
        m->width = 1u << random_below(r, 10);
        m->epsilon = ldexp((double)(1 + random_below(r, 12)) / 4, 4) / m->width;
        compare_norm(s, m->layer_count + 1, false);
    }
    m->epsilon = 0;
    s->size = 0;
    for (int wide = 0; wide < 2; wide++) { /* what a million squares add up to in f32 may be a good deal more */
        m->width = wide ? 1u << 20 : 256;
        for (double e = 0; e < 8.5; e += 0.0507) {
            set_state(s);
            s->b.columns[c].error = s->b.columns[c].zero = e;
            s->x.error[c] = s->x.zero[c] = e;
            compare_norm(s, m->layer_count + 1, false);
        }
    }
    s->size = 1;
    set_state(s);
    m->width = width;
    m->epsilon = epsilon;
}

/* Errors as large as a head takes them, and larger. */
static void find_largest(state *s) {
    double low = 0, high = 0x1p30;
    s->size = low;
    if (!compare_head(s)) return;
    low = 0x1p-30;
    for (int k = 0; k < 14; k++) {
        s->size = sqrt(low * high);
        if (compare_head(s))
            low = s->size;
        else
            high = s->size;
    }
    total.edges++;
}

/* A GPT-2's yesterday: other numbers at some positions. */
static void change_places(shakes *c, const state *s, test_random *r) {
    for (size_t k = 0; k < s->head->product_count; k++)
        for (int side = 0; side < 2; side++) {
            const lift_form *f = side ? &s->head->products[k].key : &s->head->products[k].query;
            for (size_t j = 0; j < f->count; j++) {
                const lift_column *x = &s->u->columns[f->terms[j].channel];
                uint32_t n = s->u->m->positions, i = n - 1 - (uint32_t)random_below(r, n < 6 ? n : 6);
                if (x->place) shake_put_number(c, &x->place[i], x->place[i] + (double)random_below(r, 5) / 8 - 0.25);
            }
        }
}

/* The head of the weighed means that a look-up divides, or the head itself. */
static const lift_head *mean_of(const state *s) {
    return s->head->role == LIFT_LOOKUP ? &s->u->heads[s->head->of] : s->head;
}

/* Weighed means of other weights, and look-ups of other numbers with other keys and grounds. */
static void shake_lookup(shakes *c, const state *s, test_random *r) {
    const lift_head *mean = mean_of(s);
    size_t k = s->head->product_count;
    switch (random_below(r, 8)) {
    case 5: { /* a pair turns a little */
        const lift_product *p = &s->head->products[random_below(r, k)];
        double turn = ldexp(1.1, -10 - (int)random_below(r, 10)) / lift_positions(s->u);
        if (s->u->frequencies) shake_put_number(c, &s->u->frequencies[p->dimension % (s->u->m->head_size / 2)], turn);
        break;
    }
    case 0:
        shake_put_number(c, &mean->weight, ldexp(1 + (double)random_below(r, 33) / 32, (int)random_below(r, 13)));
        break;
    case 6: /* as much as f16 takes, and about 2^13 with all letters */
        shake_put_number(c, &mean->weight,
                         random_below(r, 2)
                             ? 4095 + (double)random_below(r, 3)
                             : ldexp(1 + (double)random_below(r, 5) / 32, 11 + (int)random_below(r, 4)));
        break;
    case 7: { /* no letter, one, two, and about as many as f16 adds up exactly */
        static const uint32_t sizes[] = {1, 2, 3, 2048, 2049, 2050};
        shake_put_whole(c, &s->u->m->positions, sizes[random_below(r, 6)]);
        break;
    }
    case 1: shake_form(c, &mean->values[random_below(r, mean->value_count)].value, r); break;
    case 2: change_places(c, s, r); break;
    case 3:
        shake_put_number(c, &s->u->columns[mean->values[0].column].scale, ldexp(1, (int)random_below(r, 4)));
        break;
    default: /* what all queries of a column leave of the ground, or one of them */
        for (double rest = shake_error(r, -8); k > 0; k--) {
            const lift_form *q = &s->head->products[k - 1].query;
            if (q->count) shake_put_number(c, &q->rest, rest * q->terms[0].weight);
            if (random_below(r, 8) == 0) break;
        }
    }
}

typedef enum mover {
    MOVE_FACTOR,
    MOVE_FORM,
    MOVE_SIZE,
    MOVE_FREQUENCY,
    MOVE_QUERIES,
    MOVE_WEIGHT,
    MOVE_TILT,
    MOVE_ERRORS,
    MOVERS
} mover;

static void move(state *s, shakes *c, mover kind, double by, test_random *r) {
    const lift_form *f = shake_form_of(s->head, r);
    uint32_t half = s->u->m->head_size / 2;
    if (kind == MOVE_FACTOR)
        shake_move_factor(c, s->head, by, r);
    else if (kind == MOVE_FORM)
        shake_scale_form(c, f, by);
    else if (kind == MOVE_SIZE && f->count)
        shake_scale(c, &s->u->columns[f->terms[0].channel].high, by);
    else if (kind == MOVE_FREQUENCY && s->u->frequencies && s->head->product_count)
        shake_scale(c, &s->u->frequencies[s->head->products[0].dimension % half], fmin(by, 0x1p10));
    else if (kind == MOVE_FREQUENCY && s->head->turn_count)
        shake_scale(c, &s->head->turns[0].frequency, fmin(by, 0x1p4));
    else if (kind == MOVE_QUERIES)
        for (size_t k = 0; k < s->head->product_count; k++) shake_scale_form(c, &s->head->products[k].query, by);
    else if (kind == MOVE_WEIGHT && s->head->role == LIFT_LOOKUP)
        shake_scale(c, &mean_of(s)->weight, by);
    else if (kind == MOVE_TILT)
        s->tilt = by;
    else
        s->size = by;
}

/* Some number is moved to where the verdict changes, if it does, until both verdicts are next to each other. */
static void find_verge(state *s, shakes *c, test_random *r) {
    size_t kept = c->count;
    mover kind = (mover)random_below(r, MOVERS);
    test_random same = *r;
    double low = 1, high = ldexp(1.1, (int)random_below(r, 40) - 20);
    bool first = false, ramp = s->head->role == LIFT_NEAREST && s->head->turn_count;
    for (int k = -2; k < (ramp ? 8 : 17); k++) {
        double by = k == -2 ? low : k == -1 ? high : sqrt(low * high);
        *r = same;
        move(s, c, kind, by, r);
        bool is = compare_head(s);
        shake_undo(c, kept);
        s->size = s->tilt = 1;
        if (k == -2) first = is;
        if (k == -1 && is == first) break;
        if (k >= 0) *(is == first ? &low : &high) = by;
        total.edges += k == 0;
    }
}

/* A ramp with both its numbers the other way, and one that takes the first position in place of the last. */
static void turn_ramp(state *s, test_random *r) {
    shakes c = {.count = 0};
    const lift_turn *t = &s->head->turns[0];
    if (s->u->m->positions > 50) shake_put_whole(&c, &s->u->m->positions, 50);
    for (int k = 0; k < 4; k++) {
        size_t kept = c.count;
        if (k & 1) shake_scale(&c, &t->key_weight, -1);
        if ((k & 1) != (k >> 1)) shake_scale(&c, &t->second, -1);
        if (k & 2) shake_put_truth(&c, &s->head->last, !s->head->last);
        for (int tries = 0; tries < 3; tries++) {
            size_t before = c.count;
            shake_scale(&c, &t->key_weight, 0.5 + (double)random_below(r, 64) / 16);
            compare_head(s);
            shake_undo(&c, before);
        }
        shake_undo(&c, kept);
    }
    shake_undo(&c, 0);
}

/* Scores of candidates so large that those of the same key differ. */
static void sharpen(state *s) {
    shakes c = {.count = 0};
    for (int k = 0; k < 24; k++) {
        shake_scale_form(&c, &s->head->products[0].query, 1.5);
        compare_head(s);
    }
    shake_undo(&c, 0);
}

/* Values that are multiples of about the least number of f16, and about 2,048 of them. */
static void shake_values(state *s, test_random *r) {
    for (int k = 0; k < 8; k++) {
        shakes c = {.count = 0};
        const lift_form *f = &s->head->values[random_below(r, s->head->value_count)].value;
        double grain = lift_grain(s->u, f), bit = ldexp(1, random_below(r, 2) ? -25 + (int)random_below(r, 3) : -5);
        if (!f->count || grain == 0) return;
        shake_scale_form(&c, f, bit / grain);
        const lift_column *x = &s->u->columns[f->terms[0].channel];
        shake_put_number(&c, &x->high, (2046 + (double)random_below(r, 5)) * bit / fabs(f->terms[0].weight));
        s->size = random_below(r, 2) ? 0 : 1;
        compare_head(s);
        shake_undo(&c, 0);
    }
    s->size = 1;
}

static void shake_head(state *s, test_random *r) {
    shakes c = {.count = 0};
    bool ramp = s->head->role == LIFT_NEAREST && s->head->turn_count;
    if (ramp && s->u->m->positions > 50) shake_put_whole(&c, &s->u->m->positions, 50);
    for (size_t k = random_below(r, 4); k > 0; k--) shake_any(&c, s->u, s->head, r);
    if (s->head->role == LIFT_YESTERDAY && !s->head->turn_count && random_below(r, 2)) change_places(&c, s, r);
    if (s->head->role == LIFT_WEIGHED || s->head->role == LIFT_LOOKUP) shake_lookup(&c, s, r);
    s->size = random_below(r, 3) ? 0 : 1;
    compare_head(s);
    s->size = 1;
    find_verge(s, &c, r);
    shake_undo(&c, 0);
}

/* ---- look-ups where a rounding or a verdict changes ---- */

static void set_kernels(state *s, ordinary_kernels k) {
    s->b.k = k;
    s->x.vectors16 = k.f16_vectors;
    s->x.cache16 = k.f16_cache;
    s->x.norms32 = k.f32_norms;
}

/* The threshold of a wave is one product: a large query and a key of which f16 has few bits, or the other way
   round. */
static void thin_threshold(state *s) {
    const lift_product *p = &s->head->products[0];
    double part = p->query.one * p->key.terms[0].weight;
    ordinary_kernels kernels = s->b.k;
    shakes c = {.count = 0};
    set_kernels(s, (ordinary_kernels){.f16_cache = true});
    s->size = 0;
    for (int k = 0; k < 2; k++) {
        shake_put_number(&c, &p->query.one, k ? part / 60000 : 60000);
        shake_put_number(&c, &p->key.terms[0].weight, k ? 60000 : part / 60000);
        compare_head(s);
        shake_undo(&c, 0);
    }
    s->size = 1;
    set_kernels(s, kernels);
}

/* The sentinel as heavy as f16 takes it, and values of both signs with a weight that is nearly a power of two. */
static void weigh_sentinel(state *s, shakes *c) {
    size_t kept = c->count;
    for (int k = 9; k < 15; k++) {
        shake_put_number(c, &s->head->weight, ldexp(1, k));
        compare_head(s);
        shake_undo(c, kept);
    }
    for (int k = 0; k < 48; k++) {
        shake_put_number(c, &s->head->weight, 4 + ldexp(1 + (double)(k & 3) / 4, -k / 4 - 4));
        shake_scale_form(c, &s->head->values[0].value, k & 1 ? -1 : 1);
        compare_head(s);
        shake_undo(c, kept);
    }
}

static void shrink_number(state *s, shakes *c) {
    size_t kept = c->count;
    const double *scale = &s->u->columns[s->head->number].scale;
    for (int k = 0; k < 48; k++) {
        shake_scale(c, scale, ldexp(k & 1 ? 0.7 : 1, -k / 2));
        compare_head(s);
        shake_undo(c, kept);
    }
}

/* A GPT-2's mean of every size beside small columns, whose keys it leaves alone, and scores so small that other keys
   weigh something. */
static void tilt_lookup(state *s, shakes *c) {
    size_t kept = c->count;
    s->imbalance = 1;
    for (int k = 0; k < 128; k++) {
        double small = 0x1p-9, by = ldexp(1 / small, -(k & 3) * 2);
        shake_scale(c, &s->u->columns[s->head->number].scale, small);
        shake_scale(c, &s->u->columns[s->head->inverse].scale, small);
        for (size_t p = 0; p < s->head->product_count; p++) shake_scale_form(c, &s->head->products[p].query, by);
        s->tilt = ldexp(k & 4 ? 0.7 : 1, -k / 8 - 8);
        compare_head(s);
        shake_undo(c, kept);
    }
    s->tilt = 1;
}

/* All the ways above, with columns that are not off. */
static void ask_lookup(state *s) {
    static const uint32_t sizes[] = {2, 4, 8, 32};
    double imbalance = s->imbalance;
    ordinary_kernels kernels = s->b.k;
    size_t products = s->head->product_count;
    if (products < s->u->m->head_size) s->head->products[products] = *s->head->products; /* which nobody may read */
    s->size = 0;
    for (int k = 0; k < 16; k++) {
        shakes c = {.count = 0};
        set_kernels(s, (ordinary_kernels){.f16_vectors = k & 1, .f16_cache = k >> 1 & 1});
        shake_put_whole(&c, &s->u->m->positions, sizes[k >> 2]);
        size_t kept = c.count;
        s->imbalance = 0;
        compare_head(s);
        if (s->head->role == LIFT_WEIGHED) {
            weigh_sentinel(s, &c);
        } else {
            shrink_number(s, &c);
            for (size_t p = 0; p < products && s->u->frequencies; p++) {
                uint32_t pair = s->head->products[p].dimension % (s->u->m->head_size / 2);
                shake_put_number(&c, &s->u->frequencies[pair], 0x1p-15 / lift_positions(s->u));
                compare_head(s);
                shake_undo(&c, kept);
            }
            if (s->u->m->architecture == ORDINARY_GPT2 && k & 1) tilt_lookup(s, &c);
        }
        shake_undo(&c, 0);
    }
    s->imbalance = imbalance;
    s->size = 1;
    set_kernels(s, kernels);
}

/* ---- nets and embeddings ---- */

static void bound_net(entry *e, void *context) {
    state *s = context;
    s->b.s->trap = e->trap;
    s->b.s->arena = &e->memory;
    ordinary_norm(&s->b, s->layer, true);
    ordinary_net(&s->b, s->layer);
}

static bool compare_net(state *s, arena *a) {
    temper_error e = {0};
    double imbalance = s->b.imbalance;
    set_state(s);
    page_norm(&s->x, s->layer, true);
    page_net(&s->x, s->layer, a);
    temper_status status = entry_run(&e, bound_net, s);
    total.compared++;
    CHECK((status == TEMPER_OK) == !s->x.refused, "%s, the net of layer %u: the audit: %s; the page: %s",
          setting(s->t), s->layer, status ? e.text : "proved", s->x.refused ? s->x.refused : "proved");
    if (status == TEMPER_OK && !s->x.refused) {
        CHECK(is_near(s->b.imbalance, s->x.imbalance), "%s: the imbalance after the net of layer %u: %.17g %.17Lg",
              setting(s->t), s->layer, s->b.imbalance, s->x.imbalance);
        for (uint32_t c = 0; c < s->u->column_count; c++)
            CHECK(is_near(s->b.columns[c].error, s->x.error[c]) && is_near(s->b.columns[c].zero, s->x.zero[c]),
                  "%s: column %u after the net of layer %u: %.17g %.17Lg", setting(s->t), c, s->layer,
                  s->b.columns[c].error, s->x.error[c]);
    }
    s->x.imbalance = s->b.imbalance = imbalance;
    return status == TEMPER_OK;
}

static void shake_net(state *s, test_random *r, arena *a) {
    shakes c = {.count = 0};
    const lift_step *x = &s->u->steps[random_below(r, s->u->step_count)];
    s->layer = x->layer;
    uint32_t columns = s->u->column_count;
    for (size_t k = random_below(r, 4); k > 0; k--) switch (random_below(r, 5)) {
        case 0: shake_form(&c, &x->sum, r); break;
        case 1: shake_put_number(&c, &x->rest, shake_error(r, -4)); break;
        case 2: shake_scale(&c, &x->terms[random_below(r, x->count)].weight, shake_factor(r)); break;
        case 3:
            shake_put_whole(&c, &x->terms[random_below(r, x->count)].channel,
                            random_below(r, 2)   ? 0
                            : random_below(r, 2) ? columns - 1
                                                 : (uint32_t)random_below(r, columns));
            break;
        default: shake_column(&c, s->u, (uint32_t)random_below(r, columns), r); break;
        }
    struct ordinary_model *m;
    memcpy(&m, &s->u->m, sizeof m);
    if (random_below(r, 2)) shake_put_number(&c, &m->epsilon, ldexp(1.3, (int)random_below(r, 26)) / m->width);
    double low = 0x1p-30, high = 0x1p30;
    for (int k = 0; k < 23; k++) { /* errors as large as a net takes them */
        s->size = k == 0 ? 1 : sqrt(low * high);
        if (compare_net(s, a))
            low = s->size;
        else
            high = s->size;
    }
    s->size = 1;
    shake_undo(&c, 0);
}

/* A step whose arguments go beyond 2,048, where f16 has only the even numbers. */
static void stretch_step(state *s, arena *a) {
    shakes c = {.count = 0};
    const lift_step *x = &s->u->steps[0];
    ordinary_kernels kernels = s->b.k;
    shake_scale_form(&c, &x->sum, 79);
    set_kernels(s, (ordinary_kernels){.f16_vectors = true});
    s->layer = x->layer;
    for (int k = 0; k < 12; k++) {
        s->size = ldexp(1, 4 - 2 * k);
        compare_net(s, a);
    }
    s->size = 1;
    set_kernels(s, kernels);
    shake_undo(&c, 0);
}

/* Rows of embeddings: one number more at any place. */
static void compare_embedding(const state *s, test_random *r) {
    const struct ordinary_model *m = s->u->m;
    for (int k = 0; k < 12; k++) {
        shakes c = {.count = 0};
        for (int j = 0; j < 2 && m->architecture == ORDINARY_GPT2; j++) {
            uint32_t rows = j ? m->positions : m->vocabulary, row = random_below(r, 2)
                                                                        ? (uint32_t)random_below(r, rows)
                                                                    : random_below(r, 2) ? 0
                                                                                         : rows - 1;
            uint32_t column = random_below(r, 2)   ? (uint32_t)random_below(r, m->width)
                              : random_below(r, 2) ? (uint32_t)random_below(r, 4)
                                                   : m->width - 1;
            float *at = (j ? m->position_embedding : m->token_embedding) + (size_t)row * m->width + column;
            float value = *at + (float)random_below(r, 9) - 4;
            shake_put(&c, at, &value, sizeof value);
        }
        double found = ordinary_embedding(s->u);
        CHECK(is_near(found, page_embedding(s->u)), "%s: an embedding: %.17g, the page %.17Lg", setting(s->t), found,
              page_embedding(s->u));
        shake_undo(&c, 0);
    }
}

/* Norms of which other columns are read: the first and the last may be anybody's. */
static void shake_norm(state *s, test_random *r) {
    shakes c = {.count = 0};
    for (int k = 0; k < 3; k++) {
        uint32_t at = k == 0 ? 0 : k == 1 ? s->u->column_count - 1 : (uint32_t)random_below(r, s->u->column_count);
        const lift_column *x = &s->u->columns[at];
        lift_writer writer = (lift_writer)(LIFT_TABLE + random_below(r, 3));
        if (x->writer == LIFT_TOKEN ? random_below(r, 2) : random_below(r, 4) == 0)
            shake_put(&c, &x->writer, &writer, sizeof writer);
        shake_put_whole(&c, &x->layer, (uint32_t)random_below(r, s->u->m->layer_count + 2));
        shake_column(&c, s->u, at, r);
    }
    s->x.refused = NULL;
    compare_norm(s, (uint32_t)random_below(r, s->u->m->layer_count + 2), random_below(r, 2));
    shake_undo(&c, 0);
}

static void compare_parts(entry *e, const trial *t, const lift *u, bool first) {
    test_random *r = t->random;
    ordinary_audit audited = {.arena = &e->memory, .scratch = &e->scratch, .trap = e->trap};
    state s = {.t = t, .u = u, .size = 1, .tilt = 1, .outside = e->trap};
    s.b =
        (ordinary_bounding){.s = &audited, .u = u, .k = {random_below(r, 2), random_below(r, 2), random_below(r, 2)}};
    s.x = (page_view){.u = u, .vectors16 = s.b.k.f16_vectors, .cache16 = s.b.k.f16_cache, .norms32 = s.b.k.f32_norms};
    s.b.columns = arena_zalloc(&e->memory, u->column_count, sizeof *s.b.columns);
    s.x.error = arena_zalloc(&e->memory, u->column_count, sizeof *s.x.error);
    s.x.relative = arena_zalloc(&e->memory, u->column_count, sizeof *s.x.relative);
    s.x.zero = arena_zalloc(&e->memory, u->column_count, sizeof *s.x.zero);
    s.x.number = arena_zalloc(&e->memory, u->column_count, sizeof *s.x.number);
    s.error = arena_zalloc(&e->memory, u->column_count, sizeof *s.error);
    s.relative = arena_zalloc(&e->memory, u->column_count, sizeof *s.relative);
    s.zero = arena_zalloc(&e->memory, u->column_count, sizeof *s.zero);
    s.number = arena_zalloc(&e->memory, u->column_count, sizeof *s.number);
    s.wrote = arena_zalloc(&e->memory, u->column_count, sizeof *s.wrote);
    int least = -(int)random_below(r, 20);
    for (uint32_t c = 0; c < u->column_count; c++) {
        s.error[c] = shake_error(r, least);
        s.zero[c] = random_below(r, 2) ? s.error[c] : s.error[c] * (double)random_below(r, 1000) / 4000;
        s.relative[c] = u->columns[c].mean ? shake_error(r, -8) : 0;
        s.number[c] = u->columns[c].mean ? shake_error(r, -6) : 0;
    }
    s.imbalance = u->m->architecture == ORDINARY_GPT2 ? shake_error(r, -6) : 0;
    set_state(&s);
    compare_norm(&s, (uint32_t)random_below(r, u->m->layer_count + 2), random_below(r, 2));
    for (int k = 0; k < 12 && !s.x.refused; k++) compare_rows(&s, r);
    for (int k = 0; k < 12; k++) { /* after any norm */
        s.x.common = s.b.common = random_below(r, 3) ? shake_error(r, -10) : 0x1p-12 * (double)random_below(r, 9) / 4;
        s.x.own = s.b.own = shake_error(r, random_below(r, 2) ? -20 : -12);
        s.x.mean = s.b.mean = u->m->architecture == ORDINARY_GPT2 ? shake_error(r, -6) : 0;
        compare_rows(&s, r);
    }
    compare_exact(&s, r);
    if (u->m->architecture == ORDINARY_LLAMA && random_below(r, 4) == 0) compare_identity(&s, r);
    for (int k = 0; k < 4; k++) shake_norm(&s, r);
    compare_embedding(&s, r);
    if (first && u->step_count) stretch_step(&s, &e->memory);
    for (int k = 0; k < 2 && u->step_count; k++) shake_net(&s, r, &e->memory);
    for (size_t h = 0; h < u->head_count; h++) {
        s.head = &u->heads[h];
        s.layer = s.head->layer;
        if (!(s.head->role == LIFT_NEAREST && s.head->turn_count && random_below(r, 4))) find_largest(&s); /* slow */
        bool looks_up = s.head->role == LIFT_WEIGHED || s.head->role == LIFT_LOOKUP;
        if (looks_up && first) ask_lookup(&s);
        for (int k = 0; k < (looks_up ? 30 : 6); k++) shake_head(&s, r);
        if (s.head->role == LIFT_NEAREST && s.head->turn_count && random_below(r, 2) == 0) turn_ramp(&s, r);
        if (s.head->role == LIFT_ONCE) sharpen(&s);
        if (s.head->role == LIFT_WAVE && s.head->product_count) thin_threshold(&s);
        shake_values(&s, r);
    }
}

/* Numbers of f16: as large as it holds, to the letter, and a little more. */
static void compare_f16(test_random *r, size_t count) {
    for (size_t k = 0; k < count; k++) {
        double grain = ldexp((double)(1 + random_below(r, 6)), -(int)random_below(r, 30)),
               bit = ordinary_lowest_bit(grain);
        double size = bit * (2047 + (double)random_below(r, 5) / 2),
               error = grain * 0x1p-12 * (double)random_below(r, 5) / 4;
        double relative = 0x1p-13 * (double)random_below(r, 4);
        if (random_below(r, 2)) size = grain * (double)random_below(r, 9);
        bool back = error + relative * grain != grain * 0x1p-12; /* then the slack decides */
        CHECK(!back || ordinary_f16_back(size, error, relative, grain) == page_is_back(size, error, relative, grain),
              "%g off by %g and %g, multiples of %g", size, error, relative, grain);
        CHECK(is_near(ordinary_f16_error(size, error, relative, grain), page_rounded(size, error, relative, grain)),
              "%g off by %g and %g, multiples of %g: %g", size, error, relative, grain,
              ordinary_f16_error(size, error, relative, grain));
    }
    CHECK(ordinary_lowest_bit(0) == 0 && !ordinary_f16_back(0, 0, 0, 0), "nothing");
}

/* ---- models ---- */

/* What columns hold by position goes on as it ends, so that a model may be given more positions. */
static void widen(const lift *u, arena *a) {
    enum { WIDEST = 2100 };
    for (uint32_t c = 0; c < u->column_count; c++) {
        lift_column *column = &u->columns[c];
        if (!column->place) continue;
        double *place = arena_alloc(a, WIDEST, sizeof *place);
        for (uint32_t i = 0; i < WIDEST; i++) place[i] = column->place[i < u->m->positions ? i : u->m->positions - 1];
        column->place = place;
    }
}

static void run_trial(entry *e, void *context) {
    trial *t = context;
    const temper_spec *read;
    const temper_model *hard = ordinary_hard_model(e, t->spec, &read);
    struct ordinary_model *m = ordinary_from_model(&e->memory, hard, &t->options);
    text bytes;
    gguf_file f;
    struct ordinary_file file;
    text_init(&bytes, &e->memory);
    gguf_print(&bytes, m, ordinary_tokens_make(m, &e->memory), "a name", t->options.weights == ORDINARY_F16);
    gguf_open(&f, bytes.data, bytes.length, &e->memory);
    ordinary_read(&file, &f, &e->memory);
    const lift *u = lift_file(&file, ORDINARY_GGUF, &e->memory);
    total.models++;
    widen(u, &e->memory);
    for (int k = 0; k < 8; k++) compare_parts(e, t, u, k == 0);
}

int main(void) {
    static const char *const sources[] = {"H(b -> O a)",   "(Y a) S (b & Y c)",
                                          "Z (a T b)",     "2 * #[a] >= 3 * #[b] + 1",
                                          "/(ab|ba)*c?/",  "O a & O b | #[c] >= 3",
                                          "/(ab|ba|cc)*/", "#[true] % 3 = 1 & a",
                                          "#[a] % 2 = 0",  "a @ #[b]"};
    test_random r = test_seed(65);
    compare_f16(&r, 4000);
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        temper_spec *s = ordinary_parse(sources[k], "abc");
        for (int positions = 0; s && positions < 3; positions++) { /* a GPT-2, and a Llama's two kinds of positions */
            temper_error e = {0};
            trial t = {.name = sources[k], .spec = s, .options = ordinary_setting(positions > 0, 20), .random = &r};
            t.options.positions = (enum ordinary_positions)positions;
            t.options.length = 1 + random_below(&r, 60);
            /* of fewer letters queries of a look-up share a pair, and nothing else is looked at */
            if (positions == ORDINARY_POSITIONS_DIGITS && k + 3 >= sizeof sources / sizeof *sources)
                t.options.length = 32 + random_below(&r, 29);
            temper_status status = entry_run(&e, run_trial, &t);
            bool no_digits =
                positions == ORDINARY_POSITIONS_RAMP && status == TEMPER_UNSUPPORTED; /* which look-ups need */
            CHECK(status == TEMPER_OK || no_digits, "%s: %s", setting(&t), e.text);
        }
        temper_spec_free(s);
    }
    printf("%zu models, %zu comparisons, %zu proved; %zu numbers, %zu edges\n", total.models, total.compared,
           total.proved, total.numbers, total.edges);
    return test_finish("t-audit-ordinary-parts");
}
