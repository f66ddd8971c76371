/* Nets: steps that saturate (doc/ordinary.md, "Steps"). */
#include <math.h>

#include "number/format.h"
#include "ordinary/proof/prover.h"

/* From here on the activation is the identity, and below minus this it is 0, or a SiLU's tail. */
static double saturation(const prover *p) { return p->m->architecture == ORDINARY_GPT2 ? 10 : 17; }

typedef struct net_unit {
    proved_row row;
    const float *weights; /* of the row */
    double common;        /* the error of its sum, times the factor: what units of the same rows share */
    double own;           /* the rest: roundings of its own */
    double pin;           /* its weight of the constant */
    double error;         /* all of it */
} net_unit;

typedef struct net_work {
    prover *p;
    ideal_unit *units; /* [count] */
    net_unit *more;    /* [count] */
    size_t count;
    double least; /* size of an argument */
    double terms; /* of a row of `down` */
} net_work;

/* The error of a row, in what all units with the same weights share, what the pin does, and roundings. */
static void split_error(const prover *p, net_unit *u) {
    double sure = 0, plain = 0;
    for (uint32_t c = 1; c < p->width; c++) {
        if (u->weights[c] == 0) continue;
        double w = fabs(prover_weight(p, u->weights[c]));
        if (c < p->first) {
            sure = up_add(sure, up_mul(w, p->mean_sure));
            plain = up_add(plain, up_mul(w, p->mean_plain));
            continue;
        }
        const proved_column *k = &p->columns[c];
        double mean = up_mul(k->seen_relative, k->size);
        sure = up_add(sure, up_mul(w, up_add(k->sure, mean)));
        plain = up_add(plain, up_mul(w, up_add(k->plain, mean)));
    }
    u->pin = prover_weight(p, u->weights[0]);
    u->common = fmax(sure, plain);
    u->own = fmax(0, sub_up(u->row.error, up_add(u->common, up_mul(fabs(u->pin), p->pin_error))));
    u->own = up_add(u->own, up_mul(u->row.error, 0x1p-40)); /* the split itself was rounded */
    if (u->row.error == 0) u->own = 0;
    u->error = prover_row_error(&u->row);
}

/* Whether two rows are the same but for the pin and a factor. */
static bool is_same_row(const prover *p, const net_unit *a, const net_unit *b, double ratio) {
    for (uint32_t c = 1; c < p->width; c++)
        if (prover_weight(p, a->weights[c]) * ratio != prover_weight(p, b->weights[c])) return false;
    return true;
}

static double weight_to(const ideal_unit *u, uint32_t column) {
    for (size_t k = 0; k < u->count; k++)
        if (u->columns[k] == column) return u->weights[k];
    return 0;
}

/* Of what a group writes: the largest errors, in all and where it is 0; the least value; the largest sum of sizes. */
typedef struct point_error {
    double error, zero, least, written;
    bool returns; /* it is 0 somewhere though units are active, whose sum is then rounded */
} point_error;

/* f16 has the ideal number, and rounds to it. */
static bool snaps(double a, double off) { return a == 32 * rint(a / 32) && off < a * 0x1p-12; }

/* How far what a unit says is off, if its argument is off by so much: of a Llama that is times the other projection,
   which is 1 up to an error. */
static double activation_off(const prover *p, double argument, double off) {
    if (p->m->architecture != ORDINARY_LLAMA || p->pin_error == 0) return off;
    return up_add(off, up_mul(up_add(argument, off), up_add(up_add(p->norm_error, p->pin_error), 4 * UNIT)));
}

/* One value of the sum of a group: how far what its units write to the column is from the ideal. The argument of unit
   k is arguments[k]. */
static bool add_point(net_work *w, const size_t *group, size_t size, const double *arguments, bool shared,
                      uint32_t column, point_error *out) {
    prover *p = w->p;
    double slope = 0, constant = 0, own = 0, tails = 0, value = 0, all = 0, scale = 0;
    bool snap = true; /* if one unit is rounded back and another is not, what they share does not cancel out */
    for (size_t g = 0; g < size; g++) {
        const net_unit *m = &w->more[group[g]];
        double a = arguments[g], off = up_add(m->row.error, up_mul(m->row.relative, fabs(a)));
        if (a > 0 && weight_to(&w->units[group[g]], column) != 0) snap = snap && snaps(a, activation_off(p, a, off));
    }
    for (size_t g = 0; g < size; g++) {
        const ideal_unit *u = &w->units[group[g]];
        const net_unit *m = &w->more[group[g]];
        double to = weight_to(u, column), a = arguments[g];
        double off = up_add(m->row.error, up_mul(m->row.relative, fabs(a)));
        double from = sub_down(fabs(a), off);
        if (to == 0) continue;
        w->least = fmin(w->least, from);
        if (!(from >= saturation(p)))
            return prover_fail(p, "an argument of %g, off by up to %.3g, is too small for a step", a, off);
        if (!(up_add(fabs(a), off) <= HALF_MOST / 2)) return prover_fail(p, "an argument of %g is too large", a);
        if (a < 0) {
            /* in f16 what is left may be rounded, by at most itself */
            double twice = p->options.weights == ORDINARY_F16 ? 2.02 : 1.01;
            if (p->m->architecture == ORDINARY_LLAMA)
                tails = up_add(tails, up_mul(fabs(to), up_mul(up_mul(twice, fabs(a)), up_exp(-from))));
            continue;
        }
        slope += to * (shared ? u->factor : 0);
        constant += to * m->pin;
        own = up_add(own, up_mul(fabs(to), shared ? m->own : off));
        scale = fmax(scale, m->row.relative);
        double said = activation_off(p, a, off), half = up_add(up_mul(HALF_UNIT, up_add(a, said)), HALF_TINY);
        if (format_round(&format_f16, a) == a) half = fmin(half, said); /* no further than to a number that it has */
        if (p->options.weights == ORDINARY_F16 && !snap) own = up_add(own, up_mul(fabs(to), half));
        value += to * a;
        all = up_add(all, up_mul(fabs(to), up_add(a, off)));
    }
    const net_unit *first = &w->more[group[0]];
    double sum_error = shared && w->units[group[0]].factor > 0 ? up_div(first->common, w->units[group[0]].factor) : 0;
    double off = up_add(up_mul(fabs(slope), sum_error), own);
    if (shared) off = up_add(off, up_mul(fabs(constant), p->pin_error));
    if (shared) off = up_add(off, up_mul(fabs(value), scale)); /* one scale for all: it multiplies what they write */
    off = up_add(off, tails);
    if (p->m->architecture == ORDINARY_LLAMA && p->pin_error > 0) /* the other projection is 1 up to this */
        off = up_add(
            off, up_add(up_mul(fabs(value), up_add(p->norm_error, up_mul(2, p->pin_error))), up_mul(4 * UNIT, all)));
    out->error = fmax(out->error, off);
    out->written = fmax(out->written, all);
    out->least = fmin(out->least, value);
    if (value == 0) {
        out->zero = fmax(out->zero, off);
        out->returns = out->returns || all > 0;
    }
    return true;
}

/* All values of the sum of the group of unit `first`, and the start sentinel. */
static bool add_group(net_work *w, size_t first, uint32_t column, point_error *sum) {
    prover *p = w->p;
    const ideal_unit *f = &w->units[first];
    size_t size = 0, *group = arena_alloc(p->arena, w->count, sizeof *group);
    double *arguments = arena_alloc(p->arena, w->count, sizeof *arguments);
    bool shared = f->sum != UINT32_MAX;
    for (size_t k = first; k < w->count; k++)
        if (w->units[k].sum == f->sum && (f->sum != UINT32_MAX || k == first)) group[size++] = k;
    for (size_t g = 1; g < size && shared; g++)
        shared = is_same_row(p, &w->more[first], &w->more[group[g]], w->units[group[g]].factor / f->factor);
    point_error one = {.least = INFINITY};
    for (double s = f->least; s <= f->most; s++) {
        for (size_t g = 0; g < size; g++) {
            const ideal_unit *u = &w->units[group[g]];
            arguments[g] = u->factor * s + u->constant;
        }
        if (!add_point(w, group, size, arguments, shared, column, &one)) return false;
    }
    for (size_t g = 0; g < size; g++) arguments[g] = w->units[group[g]].in.start;
    if (!add_point(w, group, size, arguments, shared, column, &one)) return false;
    sum->error = up_add(sum->error, one.error);
    sum->zero = up_add(sum->zero, one.zero);
    sum->written = up_add(sum->written, one.written);
    sum->least = fmin(sum->least, one.least);
    sum->returns = sum->returns || one.returns;
    return true;
}

/* What the net writes to one column. */
static bool write_column(net_work *w, uint32_t column, const ideal_form *form) {
    prover *p = w->p;
    double terms = 0, least, most;
    point_error sum = {0};
    bool exact = true, powers = true;
    for (size_t k = 0; k < w->count; k++) {
        double to = weight_to(&w->units[k], column);
        bool first = true;
        if (to == 0) continue;
        terms++;
        powers = powers && prover_is_power(to);
        exact = exact && w->more[k].error == 0 && w->more[k].row.grid >= 1 && fabs(to) >= 0x1p-12 &&
                to * 0x1p12 == rint(to * 0x1p12);
        for (size_t e = 0; e < k && first; e++)
            first = w->units[k].sum == UINT32_MAX || w->units[e].sum != w->units[k].sum ||
                    weight_to(&w->units[e], column) == 0;
        if (first && !add_group(w, k, column, &sum)) return false;
    }
    exact = exact && p->pin_error == 0 && sum.written <= 0x1p12;
    ideal_range(p->x, form, &least, &most);
    double all = up_add(sum.written, sum.error), result = up_add(fmax(fabs(least), fabs(most)), sum.error);
    double rounding = exact ? 0 : prover_sum_rounding(terms, powers ? 0 : all, all, result);
    proved_number n = {.error = up_add(sum.error, rounding), .rounding = rounding};
    /* a sum of numbers that are not negative is 0 only where each is, and nothing is rounded if no unit is active */
    n.zero = sum.least < 0 ? n.error : up_add(up_mul(1.01, sum.zero), sum.returns ? rounding : 0);
    prover_write(p, column, form, n);
    double zero_sums = up_mul(up_mul(w->terms + 1, 1.01 * UNIT), up_add(sum.written, sum.error));
    prover_sum_to_zero(p, p->m->architecture == ORDINARY_GPT2 ? zero_sums : 0);
    return true;
}

static bool read_unit(net_work *w, const struct ordinary_layer *l, uint32_t unit) {
    prover *p = w->p;
    size_t width = p->width, hidden = p->m->hidden, count = 0;
    bool llama = p->m->architecture == ORDINARY_LLAMA;
    const float *row = (llama ? l->gate : l->up) + unit * width;
    uint32_t *columns = arena_alloc(p->arena, width, sizeof *columns);
    double *weights = arena_alloc(p->arena, width, sizeof *weights);
    for (uint32_t c = p->first; c < width; c++) {
        double to = prover_weight(p, l->down[c * hidden + unit]);
        if (to == 0) continue;
        columns[count] = c;
        weights[count++] = to;
    }
    double most = p->options.weights == ORDINARY_F16 ? HALF_MOST : 1e18;
    if (!prover_is_finite(p, row, most) || !prover_is_finite(p, l->up + unit * width, most)) return false;
    net_unit *m = &w->more[w->count];
    *m = (net_unit){.weights = row};
    if (count == 0) return true;
    if (!prover_row(p, &m->row, row)) return false;
    if (m->row.is_zero) return true; /* 0 is 0 after an activation */
    if (m->row.is_mean) return prover_fail(p, "a step reads a mean");
    for (uint32_t c = 0; llama && c < width; c++)
        if (prover_weight(p, l->up[unit * width + c]) != (c == 0))
            return prover_fail(p, "a unit of a net is multiplied by something else than 1");
    split_error(p, m);
    w->units[w->count++] = (ideal_unit){.in = m->row.form, .columns = columns, .weights = weights, .count = count};
    return true;
}

bool prover_net(prover *p, const struct ordinary_layer *l, proved_layer *out) {
    net_work w = {.p = p, .least = INFINITY};
    w.units = arena_zalloc(p->arena, p->m->hidden, sizeof *w.units);
    w.more = arena_zalloc(p->arena, p->m->hidden, sizeof *w.more);
    if (!prover_writes(p, l->down, p->m->hidden)) return false;
    for (uint32_t u = 0; u < p->m->hidden; u++)
        if (!read_unit(&w, l, u)) return false;
    w.terms = (double)w.count;
    ideal_form *made = arena_zalloc(p->arena, p->width, sizeof *made);
    const char *why = ideal_net(p->x, made, p->width, w.units, w.count);
    if (why) return prover_fail(p, "%s", why);
    for (uint32_t c = p->first; c < p->width; c++) {
        bool written = false;
        for (size_t k = 0; k < w.count && !written; k++) written = weight_to(&w.units[k], c) != 0;
        if (written && !write_column(&w, c, &made[c])) return false;
    }
    out->saturation = w.least;
    return true;
}
