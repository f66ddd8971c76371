/* The audit of ordinary transformers asks that every weight is at most 2^40 and that no row gives more than 10^18, so
   that kernels have a number for everything. Models made by hand get one or two numbers next to where that ends, at
   every place that has a weight; here all places are listed first, and sizes are long doubles. */
#include <math.h>
#include <stdio.h>

#include "audit/ordinary/audit_ordinary.h"
#include "ordinary_made.h"
#include "ordinary_shakes.h"

static struct { size_t models, fine, refused; } total;

/* ---- all places ---- */

typedef struct places {
    const double *weights[4096];
    size_t count;
    const lift_form *rows[1024];
    size_t row_count;
} places;

static void list_row(places *p, const lift_form *f) {
    p->rows[p->row_count++] = f;
    p->weights[p->count++] = &f->one;
    for (size_t k = 0; k < f->count; k++) p->weights[p->count++] = &f->terms[k].weight;
}

static void list_all(places *p, const lift *u) {
    p->count = p->row_count = 0;
    for (size_t h = 0; h < u->head_count; h++) {
        const lift_head *x = &u->heads[h];
        for (size_t k = 0; k < x->product_count; k++) {
            list_row(p, &x->products[k].query);
            list_row(p, &x->products[k].key);
        }
        for (size_t k = 0; k < x->turn_count; k++) {
            p->weights[p->count++] = &x->turns[k].first;
            p->weights[p->count++] = &x->turns[k].second;
            p->weights[p->count++] = &x->turns[k].key_weight;
        }
        for (size_t v = 0; v < x->value_count; v++) {
            list_row(p, &x->values[v].value);
            p->weights[p->count++] = &x->values[v].scale;
        }
    }
    for (size_t k = 0; k < u->step_count; k++) {
        list_row(p, &u->steps[k].sum);
        for (size_t t = 0; t < u->steps[k].count; t++) p->weights[p->count++] = &u->steps[k].terms[t].weight;
    }
    for (uint32_t t = 0; t < u->m->vocabulary; t++) list_row(p, &u->logits[t]);
}

static bool is_fine(const places *p, const lift *u) {
    for (size_t k = 0; k < p->count; k++)
        if (fabs(*p->weights[k]) > 1099511627776.0) return false;
    for (size_t k = 0; k < p->row_count; k++) {
        const lift_form *f = p->rows[k];
        long double most = fabsl((long double)f->one);
        for (size_t t = 0; t < f->count; t++) {
            const lift_column *c = &u->columns[f->terms[t].channel];
            long double size = fmaxl(fabsl((long double)c->low), fabsl((long double)c->high)) + 1;
            most += size * fabsl((long double)f->terms[t].weight);
        }
        if (most > 1e18L) return false;
    }
    return true;
}

/* ---- one model ---- */

/* A weight next to 2^40; or a column next to 10^18 beside a weight that reads it. */
static void put_large(shakes *c, const places *p, const lift *u, test_random *r) {
    const double ends[] = {0x1p40, -0x1p40, 0x1.0000000000001p40, -0x1.0000000000001p40, 0x1.fffffffffffffp39};
    if (random_below(r, 3)) {
        shake_put_number(c, p->weights[random_below(r, p->count)], ends[random_below(r, sizeof ends / sizeof *ends)]);
        return;
    }
    const lift_form *f = p->rows[random_below(r, p->row_count)];
    if (!f->count) return;
    const model_term *t = &f->terms[random_below(r, f->count)];
    double size = (random_below(r, 2) ? 0.875e18 : 1.125e18) / 0x1p20;
    shake_put_number(c, &t->weight, random_below(r, 2) ? 0x1p20 : -0x1p20);
    if (random_below(r, 2))
        shake_put_number(c, &u->columns[t->channel].high, size);
    else
        shake_put_number(c, &u->columns[t->channel].low, -size);
}

static void ask(entry *e, void *context) {
    ordinary_audit s = {.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch, .u = context};
    ordinary_finite_check(&s);
}

typedef struct trial {
    made_shape shape;
    test_random *random;
} trial;

static void run_trial(entry *e, void *context) {
    static places p;
    const trial *t = context;
    ordinary_made *x = ordinary_made_random(t->random, &t->shape, &e->memory);
    ordinary_made_reads(x, t->random, &e->memory);
    for (size_t h = 0; h < x->u.head_count; h++) { /* a pair that turns, which those made by hand have not */
        lift_head *head = &x->u.heads[h];
        head->turns = arena_zalloc(&e->memory, 1, sizeof *head->turns);
        head->turn_count = random_below(t->random, 2);
    }
    list_all(&p, &x->u);
    for (int k = 0; k < 60; k++) {
        shakes c = {.count = 0};
        temper_error why = {0};
        for (size_t n = random_below(t->random, 3); n > 0; n--) put_large(&c, &p, &x->u, t->random);
        bool fine = is_fine(&p, &x->u), found = entry_run(&why, ask, &x->u) == TEMPER_OK;
        total.fine += fine;
        total.refused += !fine;
        CHECK(fine == found, "what is %s is %s: %s", fine ? "fine" : "too large", found ? "taken" : "refused",
              why.text);
        shake_undo(&c, 0);
    }
    total.models++;
}

int main(void) {
    test_random r = test_seed(71);
    size_t count = 30 + (size_t)(100 * test_effort());
    for (size_t k = 0; k < count; k++) {
        temper_error e = {0};
        uint32_t positions = 1u << random_below(&r, 3);
        trial t = {
            {1 + (uint32_t)random_below(&r, 3), positions, 1 + (uint32_t)random_below(&r, 2), true, .any = true}, &r};
        CHECK(entry_run(&e, run_trial, &t) == TEMPER_OK, "%s", e.text);
    }
    printf("%zu models; %zu times all is fine, %zu times not\n", total.models, total.fine, total.refused);
    return test_finish("t-audit-ordinary-finite");
}
