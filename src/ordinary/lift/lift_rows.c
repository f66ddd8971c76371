/* Rows of weights as sums of columns, and what is known of such sums. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ordinary/lift/lift.h"

enum { PIN, COUNTER_PIN, GROUND }; /* the last two in a GPT-2 */

/* ---- messages ---- */

/* Where the file has the number; false: this tensor does not have it. */
static bool find_place(const ordinary_tensor *t, const float *at, uint64_t place[2]) {
    uint64_t shape[2];
    ordinary_tensor_shape(shape, t);
    for (uint32_t p = 0; p < t->part_count; p++) {
        const float *part = t->parts[p];
        if (!part || at < part || at >= part + (size_t)t->rows * t->columns) continue;
        for (place[0] = 0; place[0] < shape[0]; place[0]++)
            for (place[1] = 0; place[1] < shape[1]; place[1]++)
                if (ordinary_tensor_at(t, place[0], place[1]) == at) return true;
    }
    return false;
}

void lift_refuse(const lift *u, const float *at, const char *format, ...) {
    char why[400];
    uint64_t place[2] = {0};
    va_list arguments;
    va_start(arguments, format);
    print_list(why, sizeof why, format, arguments);
    va_end(arguments);
    for (size_t k = 0; k < u->names.count; k++)
        if (find_place(&u->names.all[k], at, place))
            trap_raise(u->arena->trap, TEMPER_FORMAT, 0, 0, "tensor '%s', row %llu, column %llu: %s",
                       u->names.all[k].name, (unsigned long long)place[0], (unsigned long long)place[1], why);
    trap_raise(u->arena->trap, TEMPER_FORMAT, 0, 0, "%s", why);
}

/* ---- rows ---- */

/* How far sums of weights may be off 0 because each was rounded to what the file has. */
static double rounding(const lift *u) { return u->as_f16 ? 0x1p-10 : 0x1p-22; }

lift_form lift_row(const lift *u, const float *row) {
    lift_form f = {.one = (double)row[PIN], .row = row};
    bool gpt2 = u->m->architecture == ORDINARY_GPT2;
    double sum = 0, size = 0;
    for (uint32_t k = gpt2 ? COUNTER_PIN : PIN + 1; k < u->first; k++)
        if (k != GROUND && row[k] != 0) lift_refuse(u, &row[k], "a weight of a column that nothing may read");
    for (uint32_t c = 0; c < u->column_count; c++) f.count += row[u->first + c] != 0;
    f.terms = arena_alloc(u->arena, f.count, sizeof *f.terms);
    f.count = 0;
    for (uint32_t c = 0; c < u->column_count; c++) {
        double w = (double)row[u->first + c];
        if (w == 0) continue;
        f.terms[f.count++] = (model_term){c, w};
        sum += w;
        size += fabs(w);
    }
    if (!gpt2) return f;
    f.rest = sum + (double)row[GROUND];
    if (fabs(f.rest) > rounding(u) * size)
        lift_refuse(u, &row[GROUND], "the weight of the ground is not minus the sum of the others");
    return f;
}

model_term *lift_writes(const lift *u, const float *matrix, size_t stride, double pin, size_t *count, double *rest) {
    bool gpt2 = u->m->architecture == ORDINARY_GPT2;
    double sum = 0, size = 0;
    *count = 0;
    *rest = 0;
    for (uint32_t k = PIN; k <= (gpt2 ? GROUND : PIN); k++) {
        double expected = k == PIN ? pin : k == COUNTER_PIN ? 0 - pin : 0;
        if ((double)matrix[k * stride] != expected)
            lift_refuse(u, &matrix[k * stride], "%.9g is written to a pin or the ground, not %g",
                        (double)matrix[k * stride], expected);
    }
    for (uint32_t c = 0; c < u->column_count; c++) *count += matrix[(u->first + c) * stride] != 0;
    model_term *terms = arena_alloc(u->arena, *count, sizeof *terms);
    *count = 0;
    for (uint32_t c = 0; c < u->column_count; c++) {
        double w = (double)matrix[(u->first + c) * stride];
        if (w == 0) continue;
        terms[(*count)++] = (model_term){c, w};
        sum += w;
        size += fabs(w);
    }
    for (uint32_t k = GROUND + 1; k < u->first; k++) { /* a GPT-2's zero-sum columns */
        double w = (double)matrix[k * stride];
        if (fabs(w * u->zero_sums + sum) > rounding(u) * size)
            lift_refuse(u, &matrix[k * stride], "a zero-sum columns is not minus its part of what is written");
        *rest += w;
    }
    if (gpt2) *rest += sum;
    return terms;
}

/* ---- what sums are worth ---- */

/* Both are dyadic, so that the remainders are exact and end at 0. */
double lift_common(double x, double y) {
    x = fabs(x);
    y = fabs(y);
    while (y > 0) {
        double r = fmod(x, y);
        x = y;
        y = r;
    }
    return x;
}

double lift_grain(const lift *u, const lift_form *f) {
    double grain = f->one;
    for (size_t k = 0; k < f->count; k++)
        grain = lift_common(grain, f->terms[k].weight * u->columns[f->terms[k].channel].grain);
    return fabs(grain);
}

/* What the columns of tokens add up to, of which a position has one: the least or the largest sum. */
static double token_sum(const lift *u, const lift_form *f, bool most) {
    enum { END = 1 };
    double found = most ? -INFINITY : INFINITY;
    for (uint32_t t = 0; t < END + 1 + u->letters; t++) {
        double sum = 0;
        if (t == END) continue;
        for (size_t k = 0; k < f->count; k++) {
            const lift_column *c = &u->columns[f->terms[k].channel];
            if (c->writer == LIFT_TOKEN) sum += f->terms[k].weight * c->tokens[t];
        }
        found = most ? fmax(found, sum) : fmin(found, sum);
    }
    return found;
}

/* The number of a form that depends on the position alone. */
static double place_sum(const lift *u, const lift_form *f, uint32_t i) {
    double x = f->one;
    for (size_t k = 0; k < f->count; k++) x += f->terms[k].weight * u->columns[f->terms[k].channel].place[i];
    return x;
}

static bool is_place(const lift *u, const lift_form *f) {
    for (size_t k = 0; k < f->count; k++)
        if (!u->columns[f->terms[k].channel].place) return false;
    return true;
}

void lift_range(const lift *u, const lift_form *f, double *low, double *high) {
    if (f->count && is_place(u, f)) { /* tables never have some numbers together */
        *low = INFINITY;
        *high = -INFINITY;
        for (uint32_t i = 0; i < u->m->positions; i++) {
            double x = place_sum(u, f, i);
            *low = fmin(*low, x);
            *high = fmax(*high, x);
        }
        return;
    }
    *low = f->one + token_sum(u, f, false);
    *high = f->one + token_sum(u, f, true);
    for (size_t k = 0; k < f->count; k++) {
        const lift_column *c = &u->columns[f->terms[k].channel];
        double w = f->terms[k].weight;
        if (c->writer == LIFT_TOKEN) continue;
        *low += w * (w > 0 ? c->low : c->high);
        *high += w * (w > 0 ? c->high : c->low);
    }
}

double *lift_place(const lift *u, const lift_form *f) {
    if (!is_place(u, f)) return NULL;
    double *x = arena_alloc(u->arena, u->m->positions, sizeof *x);
    for (uint32_t i = 0; i < u->m->positions; i++) x[i] = place_sum(u, f, i);
    return x;
}

double lift_at_start(const lift *u, const lift_form *f) {
    double x = f->one;
    for (size_t k = 0; k < f->count; k++) x += f->terms[k].weight * u->columns[f->terms[k].channel].start;
    return x;
}

double lift_at_first(const lift *u, const lift_form *f) {
    double x = f->one;
    for (size_t k = 0; k < f->count; k++) x += f->terms[k].weight * u->columns[f->terms[k].channel].first;
    return x;
}

void lift_check_reads(const lift *u, const lift_form *f, uint32_t layer, lift_reader by) {
    for (size_t k = 0; k < f->count; k++) {
        lift_column *c = &u->columns[f->terms[k].channel];
        const float *at = &f->row[u->first + f->terms[k].channel];
        bool same = by == LIFT_BY_NET && c->writer == LIFT_HEAD, number = c->writer == LIFT_HEAD;
        /* a table's column may be 0 at all positions that there are */
        if (c->writer == LIFT_NOBODY && u->m->architecture != ORDINARY_GPT2)
            lift_refuse(u, at, "a column is read that nobody writes");
        if (c->layer > layer || (c->layer == layer && c->layer && !same))
            lift_refuse(u, at, "a column is read before it is written");
        if (number && c->mean && by != LIFT_BY_MEANS) lift_refuse(u, at, "a mean is read where none may be");
        /* zeros on all strings of letters need no step: there was no <dead> */
        bool nothing = c->low == 0 && c->high == 0;
        if (number && !nothing && !c->mean && by != LIFT_BY_NET)
            lift_refuse(u, at, "a head's number is read without a step");
        c->is_read = true;
    }
}
