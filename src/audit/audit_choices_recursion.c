/* Errors from the embedding to the read-out, length by length, and whether they are below the margins
   (doc/certificate.md, "Errors of sums" to "When hard choices are proved"). */
#include <math.h>

#include "audit/audit_choices_errors.h"

typedef struct recursion {
    errors e;
    tie_break *ties;  /* of each head */
    ball *read_error; /* [n + 1] */
} recursion;

static const char *bound_text(arena *a, const ball *x) {
    char *out = arena_alloc(a, BALL_TEXT, 1);
    ball_upper_text(out, x);
    return out;
}

/* ---- heads ---- */

static const ball *mean_error(errors *e, const head_claim *f, const score_error *s, const ball *share, uint32_t r,
                              const ball *ev) {
    calculus *c = e->c;
    const type_facts *t = e->t;
    const extent *value = &f->value[r], *out = &f->output[r];
    const ball *count = num(c, (double)e->positions), *size = num(c, value->size), *all = add(c, size, ev);
    bool near = error_fits(e, t->storage, num(c, out->size), out->grid), tied = error_is_zero(e, s->tied);
    error_room(e, mul(c, mul(c, num(c, 2), count), all), t->fa, f->layer, f->number, "a sum of values");
    if (share_is_one_hot(e, f, s)) return ev;
    bool even = f->exact.head->hard_choice == TEMPER_CHOICE_AVERAGE && f->gap[e->n] == INFINITY && tied;
    if (even && error_is_zero(e, ev) && (double)e->positions <= ldexp(1, t->pa) &&
        error_fits(e, t->storage, size, value->grid) && error_fits(e, t->sums, mul(c, count, size), value->grid)) {
        if (near) return e->zero;
        const ball *eta = add(c, mul(c, size, num(c, t->ua)), mul(c, num(c, 4), e->tau));
        return error_store(e, eta, size, NULL);
    }
    uint64_t steps = 4 * (uint64_t)e->positions + 12;
    const ball *theta = sub(c, up(c, t->ua, steps), e->one);
    if (!ball_is_at_most(theta, num(c, 0.25)))
        audit_refuse(e->a, f->layer, f->number, "at length %zu its sums are too long for the type", e->n);
    const ball *stored = e->more; /* how far weights move when they are stored */
    const ball *spread = mul(c, num(c, s->scale), s->tied);
    if (f->single || tied)
        stored = mul(c, share, e->more);
    else if (ball_is_at_most(spread, over(c, e->more, num(c, 4))))
        stored = add(c, mul(c, share, e->more), mul(c, num(c, 2), spread));
    const ball *relative = sub(c, over(c, up(c, t->ua, steps + 1), sub(c, e->one, theta)), e->one);
    if (!error_is_zero(e, e->more)) relative = add(c, relative, mul(c, num(c, 2), stored));
    const ball *eta = add(c, ev, mul(c, share, num(c, value->width)));
    eta = add(c, eta, mul(c, all, relative));
    eta = add(c, eta, mul(c, mul(c, num(c, 16 * (double)e->positions), e->tau), add(c, all, e->one)));
    return error_store(e, eta, all, near ? eta : NULL);
}

static void keep_largest(ball *largest, const ball *x) { ball_max(largest, largest, x); }

static void run_heads(recursion *w, uint32_t l) {
    errors *e = &w->e;
    hard_choices *g = e->g;
    const extent *stage = choices_stage(g, 2 * (size_t)l);
    error_sum *sums = arena_zalloc(e->a->scratch, g->channels, sizeof *sums);
    for (size_t k = g->layer_heads[l]; k < g->layer_heads[l + 1]; k++) {
        head_claim *f = &g->heads[k];
        const model_head *h = f->exact.head;
        score_error s = score_find(e, f, &w->ties[k]);
        const ball *share = share_find(e, f, &s), *worst = e->zero;
        for (uint32_t r = 0; r < h->value.count; r++) {
            error_sum row = sum_row(e, &h->value, r, stage, f->layer, f->number);
            const ball *off = mean_error(e, f, &s, share, r, sum_error(e, &row, SUM_STORED));
            worst = larger(e->c, worst, off);
            const model_term *terms = rows_begin_of(&h->output, r);
            for (size_t t = 0; t < rows_size(&h->output, r); t++) {
                uint32_t c = terms[t].channel;
                if (!sums[c].terms) {
                    sums[c] = sum_begin(e, l + 1, 0);
                    sum_fact(e, &sums[c], 1, &stage[c], e->channel[c]);
                }
                sum_fact(e, &sums[c], terms[t].weight, &f->output[r], off);
            }
        }
        keep_largest(f->logit, s.logit);
        keep_largest(f->rounding, mul(e->c, num(e->c, s.scale), s.lost));
        f->share[e->n] = bound_text(e->a->arena, share);
        f->error[e->n] = bound_text(e->a->arena, worst);
    }
    const ball **after = arena_alloc(e->a->scratch, g->channels, sizeof *after);
    for (size_t c = 0; c < g->channels; c++)
        after[c] = sums[c].terms ? sum_error(e, &sums[c], SUM_CHANNEL) : e->channel[c];
    for (size_t c = 0; c < g->channels; c++) e->channel[c] = after[c];
}

/* ---- one length ---- */

static void begin(errors *e, size_t n) {
    const type_facts *t = e->t;
    calc_begin(e->c);
    arena_reset(e->a->scratch);
    e->n = n;
    e->positions = choices_positions(e->g, n);
    e->zero = num(e->c, 0);
    e->one = num(e->c, 1);
    e->tau = add(e->c, num(e->c, t->ts), num(e->c, t->any_order ? t->ma : t->ta));
    e->more = num(e->c, t->ps < t->pa ? t->us : 0);
}

static void run_length(recursion *w, size_t n) {
    errors *e = &w->e;
    const temper_model *m = e->g->model;
    begin(e, n);
    choices_features(e->g, n);
    choices_embedding(e);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        run_heads(w, l);
        choices_gates(e, l);
    }
    error_sum read = sum_row(e, &m->read, 0, choices_stage(e->g, 2 * (size_t)m->layer_count), 0, 0);
    ball_set(&w->read_error[n], sum_error(e, &read, SUM_PLAIN));
    e->g->errors[n] = bound_text(e->a->arena, &w->read_error[n]);
    keep_largest(e->g->largest, &w->read_error[n]);
}

/* ---- all lengths ---- */

/* The first length at which the error is not certainly below the margin; SIZE_MAX: none. */
static size_t first_failure(const recursion *w, const double *margin) {
    hard_choices *g = w->e.g;
    for (size_t n = 0; n <= g->length; n++) {
        double m = margin[n];
        if (m != INFINITY && !ball_is_less(&w->read_error[n], num(w->e.c, m))) return n;
    }
    return SIZE_MAX;
}

void choices_recursion(hard_choices *g) {
    audit *a = g->audit;
    recursion w = {.e = {.g = g, .a = a, .c = &a->calculus, .t = &a->type}};
    w.e.channel = arena_alloc(a->arena, g->channels, sizeof *w.e.channel);
    w.ties = arena_alloc(a->arena, g->head_count, sizeof *w.ties);
    w.read_error = ball_array(a->arena, g->length + 1);
    g->errors = arena_alloc(a->arena, g->length + 1, sizeof *g->errors);
    g->largest = ball_array(a->arena, 1);
    for (size_t k = 0; k < g->head_count; k++) {
        head_claim *f = &g->heads[k];
        w.ties[k] = slope_find(g, f->exact.head);
        f->logit = ball_array(a->arena, 2);
        f->rounding = f->logit + 1;
        f->share = arena_alloc(a->arena, g->length + 1, sizeof *f->share);
        f->error = arena_alloc(a->arena, g->length + 1, sizeof *f->error);
    }
    calc_begin(w.e.c);
    w.e.silence = share_silence(&w.e);
    for (size_t n = 0; n <= g->length; n++) {
        run_length(&w, n);
        choices_tell(g, true, n);
    }
    g->every = first_failure(&w, g->margin) == SIZE_MAX;
    size_t failure = g->every ? SIZE_MAX : first_failure(&w, g->verdict);
    if (failure != SIZE_MAX)
        audit_refuse(a, 0, 0,
                     "at length %zu the read-out may be off by %s, and the hard model's is within %.6g of 1/2",
                     failure, g->errors[failure], g->verdict[failure]);
}
