/* What the audit of ordinary transformers says that columns mean, against ideal numbers (ordinary_ideal.h), at
   every position of every string that the model has positions for. Models are made by hand (ordinary_made.h), and
   everything in them must be understood; with other numbers what is understood must be right. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/ordinary/audit_ordinary.h"
#include "meaning_values.h"
#include "ordinary_ideal.h"
#include "ordinary_made.h"
#include "ordinary_shakes.h"

static struct { size_t models, columns, shifted, places, accepted, refused, ahead; } total;

typedef struct trial {
    made_shape shape;
    test_random *random;
    size_t longest;
    const ordinary_made *made;
    bool shaken;
} trial;

static const double *ideal_columns(const ordinary_made *x, const meaning_point *p, arena *a) {
    uint32_t *tokens = arena_zalloc(a, p->n + 1, sizeof *tokens);
    for (size_t j = 0; j < p->n; j++) tokens[j + 1] = ORDINARY_LETTERS + p->word[x->m.mirrored ? p->n - 1 - j : j];
    return ordinary_ideal_columns(&x->u, tokens, p->n, a);
}

/* Of one column. Where the model stands at letter i it has read i of them, or n + 1 - i. */
static void check_column(meaning_values *v, const ordinary_made *x, const ordinary_sense *is, uint32_t c,
                         const double *const *ideal) {
    const double *letters = meaning_values_of(v, is->letters),
                 *before = is->shifted ? meaning_values_of(v, is->before) : NULL;
    total.columns++;
    total.shifted += is->shifted;
    for (size_t k = 0; k < v->count; k++) {
        const meaning_point *p = &v->points[k];
        size_t at = x->m.mirrored ? p->n + 1 - p->i : p->i;
        const double *row = ideal[p->first] + (size_t)c * (p->n + 1);
        bool same = letters[k] == row[at] && is->start == row[0];
        if (before && at < p->n) same = same && before[k] == row[at + 1];
        if (before && at == 1) same = same && is->copied == row[1];
        if (!CHECK(same, "column %u, written by %d in layer %u, letter %zu of %zu: %g, ideal %g; start %g, ideal %g",
                   c, (int)x->u.columns[c].writer, x->u.columns[c].layer, p->i, p->n, letters[k], row[at], is->start,
                   row[0]))
            return;
    }
}

static void check_model(entry *e, const trial *t, const ordinary_made *x, const ordinary_sense *is, meaning *m) {
    meaning_values v = {.m = m, .arena = &e->memory};
    v.points = meaning_points(&v.count, t->shape.letters, t->longest, &e->memory);
    const double **ideal = arena_zalloc(&e->memory, v.count, sizeof *ideal);
    for (size_t k = 0; k < v.count; k++)
        if (v.points[k].i == 1) ideal[k] = ideal_columns(x, &v.points[k], &e->memory);
    for (uint32_t c = 0; c < x->u.column_count; c++) {
        if (x->u.columns[c].mean) continue;
        if (!t->shaken) {
            CHECK(is[c].known || !x->about[c].known, "column %u is not understood", c);
            CHECK(is[c].shifted || !x->about[c].copy, "column %u is not seen to be a copy", c);
        }
        if (x->u.columns[c].place && is[c].known) total.places++;
        if (is[c].known) check_column(&v, x, &is[c], c, ideal);
    }
}

static void read_model(entry *e, void *context) {
    trial *t = context;
    const ordinary_made *x = t->made;
    audit shell = {.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch};
    ordinary_claim claim = {.mirrored = x->m.mirrored};
    ordinary_audit s = {.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch, .u = &x->u};
    s.claim = &claim;
    s.shell = &shell;
    meaning_init(&shell.meaning, t->shape.letters, &e->memory, &e->scratch);
    check_model(e, t, x, ordinary_read_meaning(&s), &shell.meaning);
}

/* ---- other numbers ---- */

static void change_form(shakes *c, const lift_form *f, test_random *r) {
    static const double factors[] = {-1, 0, 2, 0.5, 3};
    if (f->count && random_below(r, 2))
        shake_scale(c, &f->terms[random_below(r, f->count)].weight, factors[random_below(r, 5)]);
    else
        shake_put_number(c, &f->one, f->one + ((double)random_below(r, 5) - 2) / 2);
}

/* Columns keep what they are multiples of. */
static void change_any(shakes *c, const lift *u, test_random *r) {
    const lift_head *h = &u->heads[random_below(r, u->head_count)];
    const lift_column *x = &u->columns[random_below(r, u->column_count)];
    const lift_step *s = u->step_count ? &u->steps[random_below(r, u->step_count)] : NULL;
    switch (random_below(r, 8)) {
    case 0:
        if (h->role != LIFT_ONCE) change_form(c, &h->values[random_below(r, h->value_count)].value, r);
        return;
    case 1:
        if (h->content && h->role != LIFT_COMPARE) change_form(c, &h->products[random_below(r, h->content)].query, r);
        return;
    case 2:
    case 3:
        if (h->content && h->role != LIFT_COMPARE) change_form(c, &h->products[random_below(r, h->content)].key, r);
        return;
    case 4:
        if (x->writer == LIFT_TOKEN) shake_put_number(c, &x->tokens[random_below(r, 2 + u->letters)], 1);
        return;
    case 5:
        if (x->place && x->place != u->zeros)
            shake_put_number(c, &x->place[random_below(r, u->m->positions)], (double)random_below(r, 2));
        return;
    case 6:
        if (s) shake_put_number(c, &s->at, s->at + (double)random_below(r, 3) - 1);
        return;
    default:
        if (s && s->sum.count)
            shake_scale(c, &s->sum.terms[random_below(r, s->sum.count)].weight, random_below(r, 2) ? 2 : -1);
    }
}

/* Sums of numbers that are not whole are not understood, even if only the least of them is not. */
static void halve_means(trial *t) {
    const lift *u = &t->made->u;
    for (size_t k = 0; k < u->head_count; k++) {
        const lift_form *f = &u->heads[k].values[0].value;
        double *least = NULL;
        if (u->heads[k].role != LIFT_MEAN) continue;
        for (size_t j = 0; j < f->count; j++)
            if (f->terms[j].channel != u->start && f->terms[j].weight < (least ? *least : 0))
                least = &f->terms[j].weight;
        shakes c = {.count = 0};
        temper_error why;
        if (!least) continue;
        shake_put_number(&c, least, *least - 0.5);
        CHECK(entry_run(&why, read_model, t) == TEMPER_RANGE, "a mean of halves is understood");
        shake_undo(&c, 0);
    }
}

/* One more than a count may be a position that is not there yet. */
static void look_ahead(trial *t) {
    const lift *u = &t->made->u;
    for (size_t k = 0; k < u->head_count; k++) {
        const lift_value *v = u->heads[k].values;
        if (u->heads[k].role != LIFT_WEIGHED) continue;
        for (size_t j = 0; j < v[0].value.count; j++) {
            shakes c = {.count = 0};
            temper_error why;
            if (v[0].value.terms[j].channel != v[1].value.terms[0].channel) continue; /* the first letter */
            shake_put_number(&c, &v[0].value.terms[j].weight, 1);
            CHECK(entry_run(&why, read_model, t) == TEMPER_RANGE, "one more than a count is understood");
            shake_undo(&c, 0);
            total.ahead++;
        }
    }
}

static void run_trial(entry *e, void *context) {
    trial *t = context;
    temper_error why = {0};
    t->made = ordinary_made_random(t->random, &t->shape, &e->memory);
    t->shaken = false;
    total.models++;
    CHECK(entry_run(&why, read_model, t) == TEMPER_OK, "%u letters, %zu positions: %s", t->shape.letters, t->longest,
          why.text);
    t->shaken = true;
    halve_means(t);
    look_ahead(t);
    for (int k = 0; k < (t->longest > 20 ? 2 : 8); k++) {
        shakes c = {.count = 0};
        for (size_t n = 1 + random_below(t->random, 2); n > 0; n--) change_any(&c, &t->made->u, t->random);
        bool ok = entry_run(&why, read_model, t) == TEMPER_OK; /* what is understood is right */
        total.accepted += ok;
        total.refused += !ok;
        shake_undo(&c, 0);
    }
}

/* ---- many patterns ---- */

/* Letters one position before, two, and so on; then a head that looks for a pattern of that many of them. */
static void read_patterns(entry *e, void *context) {
    const size_t *bits = context;
    arena *a = &e->memory;
    ordinary_made *x = arena_zalloc(a, 1, sizeof *x);
    uint32_t n = (uint32_t)*bits + 2;
    x->m = (struct ordinary_model){.positions = 4, .layer_count = n, .vocabulary = 5};
    x->u = (lift){.arena = a, .m = &x->m, .letters = 2, .column_count = n + 1, .head_count = *bits + 1};
    x->u.columns = arena_zalloc(a, n + 1, sizeof *x->u.columns);
    x->u.heads = arena_zalloc(a, *bits + 1, sizeof *x->u.heads);
    model_term *terms = arena_zalloc(a, n + 1, sizeof *terms);
    for (uint32_t k = 0; k <= n; k++) {
        x->u.columns[k] = (lift_column){.writer = k ? LIFT_HEAD : LIFT_TOKEN, .layer = k, .grain = 1, .high = 1};
        terms[k] = (model_term){k, 1};
    }
    x->u.columns[0].tokens = arena_zalloc(a, 5, sizeof(double));
    x->u.columns[0].tokens[ORDINARY_LETTERS] = 1;
    for (uint32_t k = 0; k <= *bits; k++) {
        lift_head *h = &x->u.heads[k];
        *h = (lift_head){.role = LIFT_YESTERDAY, .layer = k + 1, .value_count = 1, .last = true};
        h->values = arena_zalloc(a, 1, sizeof *h->values);
        h->values[0] = (lift_value){.value = {.terms = &terms[k], .count = 1}, .column = k + 1, .scale = 1};
        if (k < *bits) continue;
        h->role = LIFT_NEAREST;
        h->content = h->product_count = *bits;
        h->products = arena_zalloc(a, *bits, sizeof *h->products);
        for (uint32_t j = 0; j < *bits; j++) {
            h->products[j].query = (lift_form){.terms = &terms[j + 1], .count = 1};
            h->products[j].key = (lift_form){.terms = &terms[0], .count = 1};
        }
    }
    trial t = {.shape = {.letters = 2}, .longest = 3, .made = x, .shaken = true};
    read_model(e, &t);
}

/* 2^12 patterns are told apart, and not 2^13. */
static void check_patterns(void) {
    for (size_t bits = 11; bits <= 13; bits++) {
        temper_error e = {0};
        temper_status s = entry_run(&e, read_patterns, &bits);
        CHECK(bits <= 12 ? s == TEMPER_OK : s == TEMPER_RANGE && strstr(e.text, "patterns apart"), "2^%zu: %s", bits,
              e.text);
    }
}

static void try_shape(made_shape shape, size_t longest, test_random *r) {
    temper_error e = {0};
    shape.positions = (uint32_t)longest + 1;
    trial t = {.shape = shape, .random = r, .longest = longest};
    CHECK(entry_run(&e, run_trial, &t) == TEMPER_OK, "%u letters, %zu positions: %s", shape.letters, longest, e.text);
}

int main(void) {
    test_random r = test_seed(66);
    size_t rounds = 120 + (size_t)(120 * test_effort());
    for (size_t k = 0; k < rounds; k++) {
        uint32_t letters = 1 + (uint32_t)random_below(&r, 3), layers = 1 + (uint32_t)random_below(&r, 3);
        size_t longest = letters == 3   ? 1 + random_below(&r, 4)
                         : letters == 2 ? random_below(&r, 6)
                                        : random_below(&r, 12);
        if (letters == 1 && k % 4 == 0) longest = 62 + random_below(&r, 12); /* where places need not repeat */
        bool mirrored = random_below(&r, 3) == 0;
        try_shape((made_shape){letters, 0, layers, .counts = random_below(&r, 2), .mirrored = mirrored}, longest, &r);
    }
    check_patterns();
    CHECK(total.ahead > 2, "only %zu look-ups ask for more than a count", total.ahead);
    printf("%zu models, %zu columns, %zu of them copies, %zu places; other numbers: %zu understood, %zu refused\n",
           total.models, total.columns, total.shifted, total.places, total.accepted, total.refused);
    return test_finish("t-audit-ordinary-meaning");
}
