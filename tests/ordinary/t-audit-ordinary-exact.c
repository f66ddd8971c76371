/* The audit of ordinary transformers adds up weights in doubles, and asks before that no sum is rounded: numbers of
   columns, rows and scores are multiples of a power of two and at most 2^52 times that. Models made by hand get
   numbers near to where that ends; here the powers of two are counted by dividing, and sizes are long doubles. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/ordinary/audit_ordinary.h"
#include "ordinary_made.h"
#include "ordinary_shakes.h"

static struct { size_t models, held, refused; } total;

typedef struct width {
    int bit; /* all are multiples of 2^bit */
    long double size;
    bool zero;
} width;

static const width NOTHING = {.zero = true};

static int lowest(double x) {
    int e = 0;
    for (; x != floor(x); e--) x *= 2;
    for (; fmod(x, 2) == 0; e++) x /= 2;
    return e;
}

static width number(double x) {
    if (x == 0) return NOTHING;
    return (width){lowest(x), fabsl((long double)x), false};
}

static width product(width x, width y) {
    if (x.zero || y.zero) return NOTHING;
    return (width){x.bit + y.bit, x.size * y.size, false};
}

static width sum(width x, width y) {
    if (x.zero) return y;
    if (y.zero) return x;
    return (width){x.bit < y.bit ? x.bit : y.bit, x.size + y.size, false};
}

static bool is_held(width x) { return x.zero || x.size <= ldexpl(1, x.bit + 52); }

static width column(const lift *u, uint32_t c) {
    const lift_column *x = &u->columns[c];
    double size = fmax(fabs(x->low), fabs(x->high));
    if (size == 0 || x->grain == 0) return NOTHING;
    return (width){lowest(x->grain), size, false};
}

static width form(const lift *u, const lift_form *f) {
    width all = number(f->one);
    for (size_t k = 0; k < f->count; k++)
        all = sum(all, product(number(f->terms[k].weight), column(u, f->terms[k].channel)));
    return all;
}

static bool is_head_held(const lift *u, const lift_head *h) {
    width score = NOTHING;
    bool held = true;
    for (size_t k = 0; k < h->content && h->role != LIFT_COMPARE; k++) {
        width q = form(u, &h->products[k].query), x = form(u, &h->products[k].key);
        held = held && is_held(q) && is_held(x);
        score = sum(score, product(q, x));
    }
    for (size_t v = 0; v < h->value_count; v++) {
        width x = form(u, &h->values[v].value);
        if (h->role == LIFT_MEAN) x.size *= u->m->positions;
        held = held && is_held(x);
    }
    return held && is_held(score);
}

static bool is_model_held(const lift *u) {
    bool held = true;
    for (size_t k = 0; k < u->head_count; k++) held = held && is_head_held(u, &u->heads[k]);
    for (uint32_t c = 0; c < u->column_count; c++) held = held && (u->columns[c].mean || is_held(column(u, c)));
    for (size_t k = 0; k < u->step_count; k++) held = held && is_held(form(u, &u->steps[k].sum));
    for (uint32_t t = 0; t < u->m->vocabulary; t++) held = held && is_held(form(u, &u->logits[t]));
    return held;
}

/* ---- numbers near to the end ---- */

/* One bit, or some at the ends of 53. */
static double some_number(test_random *r) {
    double x = 1;
    if (random_below(r, 2)) x = ldexp(1, 45 + (int)random_below(r, 8)) + (double)random_below(r, 3) - 1;
    return ldexp(random_below(r, 4) ? x : -x, (int)random_below(r, 9) - 4);
}

/* One number of the model becomes one with many bits, so that sums are next to where they are held. */
static void put_bits(shakes *c, const lift *u, test_random *r) {
    const lift_head *h = &u->heads[random_below(r, u->head_count)];
    const lift_form *f = NULL;
    size_t kind = random_below(r, 6);
    if (kind == 0 && h->content) f = &h->products[random_below(r, h->content)].query;
    if (kind == 1 && h->content) f = &h->products[random_below(r, h->content)].key;
    if (kind == 2) f = &h->values[random_below(r, h->value_count)].value;
    if (kind == 3 && u->step_count) f = &u->steps[random_below(r, u->step_count)].sum;
    if (kind == 4) f = &u->logits[random_below(r, u->m->vocabulary)];
    if (kind == 5) {
        const lift_column *x = &u->columns[random_below(r, u->column_count)];
        bool none = random_below(r, 8) == 0;
        shake_put_number(c, &x->grain,
                         none ? 0 : ldexp(3, -(int)random_below(r, 12) - (random_below(r, 2) ? 44 : 0)));
        shake_put_number(c, &x->high, none ? 0 : (double)random_below(r, 4));
        shake_put_number(c, &x->low, none ? 0 : -(double)random_below(r, 4));
    }
    if (f && f->count && random_below(r, 2))
        shake_put_number(c, &f->terms[random_below(r, f->count)].weight, some_number(r));
    else if (f)
        shake_put_number(c, &f->one, random_below(r, 8) ? some_number(r) : 0);
}

static void ask(entry *e, void *context) {
    ordinary_audit s = {.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch, .u = context};
    ordinary_exact_check(&s);
}

typedef struct trial {
    made_shape shape;
    test_random *random;
} trial;

static void run_trial(entry *e, void *context) {
    const trial *t = context;
    ordinary_made *x = ordinary_made_random(t->random, &t->shape, &e->memory);
    ordinary_made_reads(x, t->random, &e->memory);
    for (int k = 0; k < 60; k++) {
        shakes c = {.count = 0};
        temper_error why = {0};
        for (size_t n = 1 + random_below(t->random, 3); n > 0; n--) put_bits(&c, &x->u, t->random);
        bool held = is_model_held(&x->u), found = entry_run(&why, ask, &x->u) == TEMPER_OK;
        total.held += held;
        total.refused += !held;
        CHECK(held == found, "what is %s is %s: %s", held ? "held" : "not held", found ? "taken" : "refused",
              why.text);
        shake_undo(&c, 0);
    }
    total.models++;
}

int main(void) {
    test_random r = test_seed(69);
    size_t count = 60 + (size_t)(200 * test_effort());
    for (size_t k = 0; k < count; k++) {
        temper_error e = {0};
        uint32_t positions = 1u << random_below(&r, 3);
        trial t = {
            {1 + (uint32_t)random_below(&r, 3), positions, 1 + (uint32_t)random_below(&r, 2), true, .any = true}, &r};
        CHECK(entry_run(&e, run_trial, &t) == TEMPER_OK, "%s", e.text);
    }
    printf("%zu models; %zu times all is held, %zu times not\n", total.models, total.held, total.refused);
    return test_finish("t-audit-ordinary-exact");
}
