#include "lab/scale_proof.h"

#include <math.h>
#include <string.h>

#include "bound/every_length.h"
#include "bound/language_proof.h"
#include "bound/proof.h"
#include "bound/role_bounds.h"
#include "bound/role_conditions.h"
#include "number/elementary.h"
#include "number/ieee.h"

struct scale_proof {
    certification c;
    const recognised_model *recognised; /* NULL: the format does not hold the model, and c says why */
    arena *arena, scratch;
};

static void release(void *scratch) { arena_free(scratch); }

scale_proof *scale_proof_begin(const temper_model *m, temper_type type, arena *a) {
    scale_proof *p = arena_zalloc(a, 1, sizeof *p);
    temper_certify_options o = {.type = type};
    p->arena = a;
    arena_init(&p->scratch, a->trap);
    arena_on_release(a, release, &p->scratch);
    certification_begin(&p->c, m, &o, false, a, a->trap);
    if (!bounds_cover(p->c.type, p->c.ascending)) {
        certification_unable(&p->c, 0, 0, "the lemmas do not hold for %s", p->c.type->name);
        return p;
    }
    p->recognised = recognition_model(recognise_source(m, false, a).recognition);
    if (!p->recognised || !role_conditions(&p->c, p->recognised)) p->recognised = NULL;
    return p;
}

/* ---- heads ---- */

/* A little less and a little more than x: doubles that were rounded a few times. */
static double less(double x) { return x * (1 - 0x1p-48); }
static double more(double x) { return x * (1 + 0x1p-48); }

/* kappa of a scale c. */
static double sharpness(head_role role, double c, double size) {
    switch (role) {
    case ROLE_NEAREST: return c / size;
    case ROLE_COMPARE: return c / (2 * size);
    case ROLE_BALANCE: return c / (2 * size * size);
    case ROLE_LOOKUP: return c / (size * size * size);
    default: return c - log_f64(size);
    }
}

/* The largest scale. Where it stands for others that are less, its last bit makes sure that no short format holds
   it. */
static feature_form largest_scale(double low, double high) {
    if (low < high) high = f64_from_bits(f64_bits(high) | 1);
    return (feature_form){.size = FORM_CONSTANT, .c = high};
}

/* Gaps by the least scale, sizes by the largest one. Below 1 no bound is of use, and normalisers may exceed 1. */
static head_certificate certify_scaled(const bounds *b, const head_shape *of, double low, double high) {
    head_shape s = *of;
    if (s.role == ROLE_COUNT) return head_certify(b, &s);
    double size = (double)b->size, kappa = sharpness(s.role, low, size);
    s.scale = largest_scale(low, high);
    s.kappa = s.role == ROLE_ONCE ? kappa - 0x1p-40 * (1 + fabs(low)) : less(kappa);
    if (!(s.kappa >= 1) || !isfinite(high))
        return (head_certificate){
            .logit = b->zero, .rounding = b->zero, .error = b->one, .failure = "the scale is too small"};
    head_certificate h = head_certify(b, &s);
    if (s.role != ROLE_ONCE && s.role != ROLE_NEAREST) { /* what may overflow does so at the largest scale */
        s.kappa = more(sharpness(s.role, high, size));
        const char *failure = head_certify(b, &s).failure;
        if (!h.failure) h.failure = failure;
    }
    return h;
}

/* Short rows of one scale in short formats: as runs compute them. */
static bool try_length(scale_proof *p, head_certificate *h, const bounds *b, const head_shape *s, double scale) {
    double rest, logit;
    if (s->role != ROLE_NEAREST || !b->ascending || b->size > EVERY_LENGTH_MOST) return false;
    every_length *e = every_length_begin(&p->c, s);
    expression *number = arena_zalloc(p->arena, 1, sizeof *number);
    *number = (expression){.op = EXPR_CONSTANT, .constant = scale};
    if (!e || !e->scale) return false;
    e->scale = number;
    if (!every_length_bound(&rest, &logit, e, b->size)) return false;
    *h = head_certify_rest(b, rest, logit);
    return !h->failure;
}

/* ---- all of it ---- */

/* The gates of the model, as doc/certificate.md, "Gates", has them: exactly 0 or 1. */
static bool gates_hold(const scale_proof *p, const bounds *b, const head_certificate *heads) {
    for (size_t k = 0; k < p->recognised->ramp_count; k++)
        if (!ball_is_at_most(ramp_bound(b, &p->recognised->ramps[k], heads), b->quarter)) return false;
    return true;
}

/* A gate that joins two such heads, 2 x + 2 y + 2 against 5, is on the right side, too: what a no is about. */
static bool can_be_joined(const bounds *b, double error) {
    const ball *sum = b_mul(b, b_int(b, 6), b_sub(b, b_more(b, b->unit_a, 5), b->one));
    sum = b_add(b, sum, b_mul(b, b_int(b, 4), b_double(b, error)));
    return ball_is_at_most(sum, b_sub(b, b->one, b_power_of_two(b, -5)));
}

static bool features_fit(const scale_proof *p, const bounds *b) {
    for (size_t k = 0; k < p->recognised->feature_count; k++) {
        quantity q = quantity_feature(b, &p->recognised->features[k]);
        if (!quantity_fits(&q, b->most_s)) return false;
    }
    return true;
}

static bool is_within(const bounds *b, const head_certificate *h) {
    return !h->failure && ball_is_at_most(h->error, b->quarter);
}

static const char *why_not(const scale_proof *p, const bounds *b, const head_certificate *h) {
    text t;
    text_init(&t, p->arena);
    if (h->failure && (ball_is_at_most(h->error, b->quarter) || !(ball_upper(h->error) < 1)))
        text_puts(&t, h->failure);
    else
        text_printf(&t, "the bound of a head's error, %.3g, is more than a quarter", ball_upper(h->error));
    return text_string(&t);
}

bool scale_proof_holds(scale_proof *p, size_t size, double low, double high, double *error, const char **why) {
    *error = 1;
    *why = p->c.reason.length ? text_string(&p->c.reason) : "the model was not recognised";
    if (!p->recognised) return false;
    bounds b;
    arena_reset(&p->scratch);
    bounds_init(&b, p->c.type, p->c.ascending, size, &p->scratch);
    b.close = true;
    *why = "a position feature overflows";
    if (!features_fit(p, &b)) return false;
    head_certificate *heads = arena_alloc(&p->scratch, p->recognised->shape_count, sizeof *heads);
    double largest = 0;
    for (size_t k = 0; k < p->recognised->shape_count; k++) {
        heads[k] = certify_scaled(&b, &p->recognised->shapes[k], low, high);
        if (!is_within(&b, &heads[k]) && low == high) try_length(p, &heads[k], &b, &p->recognised->shapes[k], low);
        if (!is_within(&b, &heads[k])) {
            *why = why_not(p, &b, &heads[k]);
            return false;
        }
        largest = fmax(largest, ball_upper(heads[k].error));
    }
    *why = "the bound of a head's error is almost a quarter, so that a gate may be wrong";
    if (!gates_hold(p, &b, heads) || !can_be_joined(&b, largest)) return false;
    *error = largest;
    *why = NULL;
    return true;
}
