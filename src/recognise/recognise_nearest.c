/* Heads that take the nearest candidate (doc/certificate.md, "Nearest"): candidates, and positions, which may be in
   digits. */
#include <math.h>

#include "recognise/head_rows.h"

typedef struct digit {
    double place, modulus; /* modulus 0: the highest */
    double factor;
} digit;

enum { MOST_DIGITS = 16, MOST_ROWS = 16 };

typedef struct nearest_parts {
    boolean_sum test;
    bool tests;
    double test_factor; /* of c_j, times N: alpha >= test_factor N */
    double index;       /* factor of j in the logit, signed */
    digit digits[MOST_DIGITS];
    size_t digit_count;
} nearest_parts;

/* The positions in the key of a row whose query is the constant q. */
static void nearest_positions(recognising *w, nearest_parts *p, const head_shape *s, double q, const model_term *t) {
    const position_form *f = term_form(w, t);
    double factor = exact_mul(w->arena, q, t->weight);
    if (!is_soft_only(w, t)) unlike(w, "its tie-break is not marked as one");
    if (f->mirrored) unlike(w, "it counts positions from the end");
    if (s->scaled ? f->kind != POSITION_SHARE : f->kind == POSITION_SHARE)
        unlike(w, "i/N under a scale, or i without one, was expected");
    switch (f->kind) {
    case POSITION_SHARE:
    case POSITION_INDEX:
        if (p->index != 0 || p->digit_count) unlike(w, "it reads positions twice");
        p->index = exact_mul(w->arena, factor, f->kind == POSITION_SHARE ? s->scale.c : f->size.c);
        break;
    case POSITION_CENTRED:
    case POSITION_DIGIT:
    case POSITION_TOP:
        if (p->index != 0 || p->digit_count == MOST_DIGITS) unlike(w, "it reads positions twice");
        p->digits[p->digit_count++] = (digit){.place = f->kind == POSITION_DIGIT ? f->size.d
                                                       : f->kind == POSITION_TOP ? f->size.c
                                                                                 : 1,
                                              .modulus = f->kind == POSITION_DIGIT ? f->size.c : 0,
                                              .factor = factor};
        break;
    default: unlike(w, "its key reads a feature that is no position");
    }
}

/* The digits of i - floor(N/2), each times its place: the place of a digit is the product of the moduli before it. */
static double put_digits_together(recognising *w, nearest_parts *p) {
    double place = 1, lowest = 0;
    for (size_t done = 0; done < p->digit_count; done++) {
        const digit *found = NULL;
        for (size_t k = 0; k < p->digit_count; k++)
            if (p->digits[k].place == place && p->digits[k].factor != 0) {
                if (found) unlike(w, "it reads a digit of positions twice");
                found = &p->digits[k];
            }
        bool highest = done + 1 == p->digit_count;
        if (!found || (found->modulus == 0) != highest) unlike(w, "its digits of positions do not fit together");
        if (done == 0) lowest = found->factor;
        if (found->factor != exact_mul(w->arena, lowest, place)) unlike(w, "a digit of positions has a wrong weight");
        if (!highest) place = exact_mul(w->arena, place, found->modulus);
    }
    return lowest;
}

static bool is_constant_one(const recognising *w, const model_term *t) {
    return term_form(w, t)->kind == POSITION_CONSTANT && term_form(w, t)->size.c == 1;
}

static void nearest_row(recognising *w, nearest_parts *p, const head_shape *s, uint32_t row) {
    const model_head *h = head_of(w);
    const model_term *q = single_term(&h->query, row);
    const position_form *f = q ? term_form(w, q) : NULL;
    if (!f || is_soft_only(w, q) || !(q->weight > 0)) unlike(w, "a query of one feature was expected");
    bool constant = f->kind == POSITION_CONSTANT && f->size.c == 1, power = f->kind == POSITION_CEIL2;
    if (!constant && !power && f->kind != POSITION_SIZE)
        unlike(w, "its query is neither a weight of the constant 1 nor a multiple of N");
    if (!constant && (q->weight != 1 || s->scaled))
        unlike(w, "a query that grows with N has a weight that is not 1, or a scale");
    double value = exact_mul(w->arena, q->weight, f->size.c), offset = 0;
    size_t places = 0;
    boolean_sum test = {.f = FN_FALSE};
    for (uint32_t k = h->key.start[row]; k < h->key.start[row + 1]; k++) {
        const model_term *t = &h->key.terms[k];
        if (term_content(w, t)->kind == HOLDS_BOOLEAN) {
            add_boolean(w, &test, t);
        } else if (is_constant_one(w, t) && power && !is_soft_only(w, t)) {
            if (offset != 0) unlike(w, "its key has two constants");
            offset = t->weight;
        } else if (is_silent(w, t)) {
            continue;
        } else if (constant && places++ == 0) {
            nearest_positions(w, p, s, value, t);
        } else {
            unlike(w, "its key reads something that is neither a Boolean nor one position");
        }
    }
    if (!test.terms) {
        if (offset != 0) unlike(w, "its key is a constant");
        return;
    }
    if (p->tests) unlike(w, "it has candidates in two rows");
    double most = 0, size = 0;
    int grid = GRID_OF_ZERO;
    decisions *d = &w->q.d;
    /* 0 for others, the same number above 0 for candidates */
    for (uint32_t k = h->key.start[row]; k < h->key.start[row + 1]; k++) {
        double weight = fabs(h->key.terms[k].weight);
        if (term_content(w, &h->key.terms[k])->kind != HOLDS_BOOLEAN) continue;
        most = fmax(most, weight);
        size = exact_add(w->arena, size, weight);
        if (grid_of(weight) < grid) grid = grid_of(weight);
    }
    keep_sum(w, EXACT_ROW, size, grid);
    fn x = fn_equal(d, test.f, most);
    if (fn_times(d, x, most) != test.f) unlike(w, "its key is not 0 or one other number on every letter");
    if (test.start != 0 || test.end != 0) unlike(w, "its key is not 0 on sentinels");
    if (power ? offset != -most : most != 1) unlike(w, "its candidates do not count as 1");
    p->tests = true;
    p->test = test;
    p->test.f = x;
    double factor = exact_mul(w->arena, value, most);
    if (power) factor = exact_mul(w->arena, factor, 1 / f->size.d); /* d is a power of two */
    if (s->scaled) factor = exact_mul(w->arena, factor, s->scale.c);
    if (is_soft(w) && (constant != s->scaled)) unlike(w, "its candidates' bonus does not grow with N");
    p->test_factor = factor;
}

fn find_nearest(recognising *w, head_shape *s) {
    const model_head *h = head_of(w);
    nearest_parts p = {0};
    if (s->scaled && !(s->scale.size == FORM_POWER && s->scale.power == 1))
        unlike(w, "its scale is not a multiple of N");
    if (h->query.count > MOST_ROWS) unlike(w, "it has more than %d rows of queries", MOST_ROWS);
    for (uint32_t row = 0; row < h->query.count; row++) nearest_row(w, &p, s, row);
    s->rightmost = h->hard_choice == TEMPER_CHOICE_RIGHTMOST;
    s->tests = p.tests;
    if (is_soft(w)) {
        double factor = p.digit_count ? put_digits_together(w, &p) : p.index;
        if (factor == 0) unlike(w, "positions were not found in its scores");
        if ((factor > 0) != s->rightmost) unlike(w, "its positions count the wrong way for its choice");
        s->kappa = fabs(factor);
        if (p.tests && p.test_factor < s->kappa)
            unlike(w, "its candidates' bonus is less than all positions together");
    }
    bool forward = h->mask == TEMPER_MASK_AFTER || h->mask == TEMPER_MASK_FROM;
    if (!p.tests && (h->mask == TEMPER_MASK_ALL || s->rightmost == forward))
        unlike(w, "without candidates it does not choose the nearest position");
    return p.tests ? p.test.f : FN_TRUE;
}
