/* Norms and rows (doc/ordinary.md, "Norms" and "Rows"). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "number/format.h"
#include "ordinary/proof/prover.h"

bool prover_fail(prover *p, const char *format, ...) {
    char line[300];
    va_list arguments;
    if (p->reason) return false;
    va_start(arguments, format);
    print_list(line, sizeof line, format, arguments);
    va_end(arguments);
    p->reason = arena_copy(p->arena, line, strlen(line));
    return false;
}

double prover_weight(const prover *p, float w) {
    return p->options.weights == ORDINARY_F16 ? format_round(&format_f16, (double)w) : (double)w;
}

/* ---- grids ---- */

double prover_lowest_bit(double x) {
    int e;
    if (x == 0) return 0;
    double m = ldexp(frexp(fabs(x), &e), 53);
    uint64_t bits = (uint64_t)m;
    return ldexp((double)(bits & -bits), e - 53);
}

static double finer(double grid, double x) {
    double bit = prover_lowest_bit(x);
    return bit != 0 && (grid == 0 || bit < grid) ? bit : grid;
}

double prover_grid(const ideals *x, const ideal_form *f) {
    double grid = finer(finer(0, f->one), f->start);
    for (size_t k = 0; k < f->count; k++) {
        if (!x->nodes[f->terms[k].node].whole) return 0;
        grid = finer(grid, f->terms[k].weight);
    }
    return grid == 0 ? 1 : grid; /* 0 alone is a multiple of anything */
}

/* How far `around` lies from what f16 makes of numbers within error of it. Rounding keeps order. */
static double ends(double around, double error) {
    double low = format_round(&format_f16, next_down(around - error)),
           high = format_round(&format_f16, next_up(around + error));
    return fmax(next_up(around - low), next_up(high - around));
}

/* A number of f16 that is off by less than half of the distance to its neighbours is rounded back. Other numbers are
   rounded by at most half a unit of theirs, and by no more than they are off from a number of f16. */
double prover_half(double size, double grid, double error) {
    double general = up_add(up_mul(error, 1 + HALF_UNIT), up_add(up_mul(HALF_UNIT, size), HALF_TINY));
    if (!(up_add(size, error) <= HALF_MOST)) return INFINITY;
    if (!(grid >= 2 * HALF_TINY && size <= 2048 * grid)) return general;
    double zero = fmin(up_mul(2, error), up_add(up_mul(error, 1 + HALF_UNIT), error > 0 ? HALF_TINY : 0));
    if (error < grid * 0x1p-12) return zero;
    if (grid >= size && size > 0) return fmax(zero, ends(size, error)); /* nothing but 0 and the size */
    return fmin(general, up_mul(2, error));
}

/* ---- the norm ---- */

static bool is_power_of_four(uint32_t d) {
    while (d > 1 && d % 4 == 0) d /= 4;
    return d == 1;
}

static const double LLAMA_PIN = 0x1p15, GPT2_PIN = 0x1p13;

static bool check_gains(prover *p, const float *gain) {
    bool gpt2 = p->m->architecture == ORDINARY_GPT2;
    double pin = gpt2 ? GPT2_PIN : LLAMA_PIN;
    float spread = (float)(gpt2 ? pin * sqrt(2.0 / p->m->width) : pin / sqrt((double)p->m->width));
    bool right = gain[0] == (float)((double)spread / pin);
    if (gpt2) right = right && gain[1] == 0 && gain[2] == spread;
    for (uint32_t c = 3; gpt2 && c < p->first; c++) right = right && gain[c] == 0;
    for (uint32_t c = p->first; c < p->width; c++) right = right && gain[c] == spread;
    return right || prover_fail(p, "the gains of a norm are not those that make it the identity");
}

/* Sum of squares of all columns beside the pins, and of sizes. */
static void add_sizes(prover *p, double *squares, double *sizes) {
    *squares = *sizes = 0;
    for (uint32_t c = p->first; c < p->width; c++) {
        proved_column *k = &p->columns[c];
        double least, most;
        k->seen = ideal_settled(p->x, &k->form);
        ideal_range(p->x, &k->form, &least, &most);
        k->size = fmax(fabs(least), fabs(most));
        k->grid = prover_grid(p->x, &k->form);
        double all = up_add(k->size, up_add(k->error, up_mul(k->relative, k->size)));
        *squares = up_add(*squares, up_mul(all, all));
        *sizes = up_add(*sizes, all);
    }
    uint32_t zero_sums = p->first > 3 ? p->first - 3 : 0;
    if (zero_sums) { /* together minus the sum of all others, in equal parts, up to roundings */
        double sum = up_add(*sizes, p->imbalance);
        *squares = up_add(*squares, up_div(up_mul(sum, sum), zero_sums));
        *sizes = up_add(*sizes, sum);
    }
}

/* A column as readers see it, beside the scale that all columns share. Where activations are rounded to f16, numbers
   of f16 are rounded back to what they were before the mean was taken off; the ground is not. */
static void see_column(prover *p, proved_column *k, double mean) {
    bool half = p->options.weights == ORDINARY_F16, is_mean = k->relative > 0;
    double left = up_mul(mean, 8 * UNIT), more = 1 + 0x1p-9;
    double e = up_add(up_mul(k->error, more), up_mul(p->norm_own, up_add(k->size, k->error)));
    k->seen_relative = is_mean ? up_add(up_mul(k->relative, more), p->norm_own) : 0;
    k->plain = up_add(e, p->mean_plain);
    k->sure = up_add(e, left);
    k->nought = up_add(up_mul(k->zero, more), fmax(left, p->mean_plain));
    if (!half) return;
    if (is_mean) {
        k->seen_relative = up_add(k->seen_relative, 1.01 * HALF_UNIT);
        k->sure = up_add(up_mul(up_add(e, mean), 1 + HALF_UNIT), HALF_TINY);
    } else {
        double full = up_add(e, up_add(mean, up_mul(p->norm_error, k->size)));
        /* the norm's part is a share of the number: of a larger one f16 rounds away as much more */
        double least =
            up_add(up_add(up_mul(k->error, more), mean), up_mul(up_add(p->norm_error, p->norm_own), k->grid));
        bool has = k->grid >= 2 * HALF_TINY && k->size <= 2048 * k->grid;
        if (has && least < 0x1p-12 * k->grid && up_add(p->norm_error, p->norm_own) < 0x1p-12)
            full = up_add(up_mul(k->zero, more), mean); /* where it is 0; others are rounded back */
        k->sure = fmax(k->sure, prover_half(k->size, k->grid, full));
    }
    if (k->zero > 0) k->nought = up_mul(2, up_add(k->nought, mean));
}

bool prover_norm(prover *p, const float *gain) {
    double squares, sizes, mean = 0, raw = 0, d = p->m->width, epsilon = p->m->epsilon;
    bool gpt2 = p->m->architecture == ORDINARY_GPT2;
    if (!check_gains(p, gain)) return false;
    add_sizes(p, &squares, &sizes);
    if (!gpt2) {
        double pin = LLAMA_PIN * LLAMA_PIN;
        squares = up_mul(squares, 1 + 2 * d * UNIT); /* each is rounded, and what some of them add up to, too */
        bool identity = is_power_of_four(p->m->width) && squares < 63 && epsilon < ldexp(pin / d, -25);
        p->norm_error = identity ? 0 : up_add(up_div(up_add(squares, up_mul(epsilon, d)), pin), 4 * UNIT);
        p->norm_own = identity ? 0 : 4 * UNIT;
    } else {
        prover_sum_to_zero(p, up_mul(UNIT, sizes)); /* zero sums were added to, and rounded */
        double pin = GPT2_PIN, all = up_add(sizes, 2 * pin), own = up_div(p->imbalance, d);
        mean = up_mul(2, up_add(own, up_mul(all, 0x1p-50)));
        raw = up_add(own, up_mul(all, 4 * UNIT)); /* added up in f32 in any order */
        double moved = up_add(squares, up_mul(up_mul(2, sizes), raw));
        moved = up_add(moved, up_mul(d, up_mul(raw, raw)));
        p->norm_error =
            up_add(up_div(up_add(up_mul(2, moved), up_mul(epsilon, d)), 4 * pin * pin), up_mul(d / 2 + 8, UNIT));
        p->norm_own = 4 * UNIT;
    }
    p->mean_raw = raw;
    p->mean_plain = up_mul(raw, 8 * UNIT); /* what a row that takes the mean off leaves of it */
    p->mean_sure = p->options.weights == ORDINARY_F16 ? mean : up_mul(mean, 8 * UNIT);
    if (!(p->norm_error < 0x1p-10)) return prover_fail(p, "columns are too large beside the pin for the norm");
    p->pin_error = up_add(p->norm_own, gpt2 ? up_div(raw, GPT2_PIN) : 0);
    /* in f16 the constant is rounded back to 1, or by as much as numbers are */
    if (p->options.weights == ORDINARY_F16 && !(up_add(p->norm_error, p->pin_error) < 0x1p-12))
        p->pin_error = up_add(p->pin_error, 1.01 * HALF_UNIT);
    for (uint32_t c = p->first; c < p->width; c++) see_column(p, &p->columns[c], mean);
    return true;
}

/* ---- rows ---- */

bool prover_is_power(double w) {
    int e;
    return w != 0 && fabs(frexp(w, &e)) == 0.5;
}

double prover_sum_rounding(double terms, double products, double partial, double result) {
    double added = terms < 2 ? 0 : up_add(up_mul(terms - 2, partial), fmin(partial, result));
    return up_mul(UNIT * 1.01, up_add(products, added));
}

double prover_row_error(const proved_row *r) { return up_add(r->error, up_mul(r->relative, r->size)); }

typedef struct row_sums {
    double sure, plain, nought; /* errors */
    double sizes, grid, terms, weights, means, grounds, mean_error;
    double products;                      /* sizes of those that may be rounded */
    double above, below;                  /* sizes of products of each sign */
    double mean;                          /* what is left of it in the ground */
    double share;                         /* the largest error of a column, beside its least number that is not 0 */
    double positive, negative, sentinels; /* terms of each sign, and of the start sentinel alone */
    double starts;                        /* columns that are not 0 on the start sentinel, the pin among them */
    bool exact, letters;                  /* letters: all columns that it reads are functions of the letter */
} row_sums;

static void add_column(const prover *p, const proved_column *k, double w, row_sums *s, proved_row *out) {
    double size = fabs(w);
    bool never_negative = true;
    ideal_add(p->x, &out->form, &k->seen, w);
    for (size_t t = 0; t < k->seen.count; t++) {
        const ideal_node *n = &p->x->nodes[k->seen.terms[t].node];
        s->letters = s->letters && n->kind == IDEAL_LETTERS;
        never_negative = never_negative && n->least >= 0 && k->seen.terms[t].weight > 0;
    }
    never_negative = never_negative && k->seen.one >= 0;
    bool sentinel = k->seen.count == 0 && k->seen.one == 0; /* 0 on letters */
    s->sentinels += sentinel && k->seen.start != 0;
    s->starts += k->seen.start != 0;
    s->positive += !sentinel && (w > 0 || !never_negative);
    s->negative += !sentinel && (w < 0 || !never_negative);
    s->weights += w;
    s->sure = up_add(s->sure, up_mul(size, k->sure));
    s->plain = up_add(s->plain, up_mul(size, k->plain));
    s->nought = up_add(s->nought, up_mul(size, k->nought));
    s->sizes = up_add(s->sizes, up_mul(size, up_add(k->size, k->sure)));
    double product = up_mul(size, up_add(k->size, k->sure)), off = fmax(k->sure, k->plain);
    if (w > 0 || !never_negative) s->above = up_add(s->above, product);
    if (w < 0 || !never_negative) s->below = up_add(s->below, product);
    if (p->options.weights != ORDINARY_F16) /* what the norm does to a number is a share of it */
        off = up_mul(1.01, up_add(up_mul(p->norm_own, k->grid), up_add(k->error, p->mean_plain)));
    s->share = fmax(s->share, k->grid > 0 && k->seen_relative == 0 ? up_div(off, k->grid) : INFINITY);
    if (!prover_is_power(w)) s->products = up_add(s->products, up_mul(size, up_add(k->size, k->sure)));
    s->exact = s->exact && k->sure == 0 && k->plain == 0 && k->seen_relative == 0 && k->grid > 0;
    if (k->seen_relative > 0) {
        s->means++;
        out->relative = k->seen_relative;
        s->mean_error = up_mul(size, up_mul(k->seen_relative, k->size));
    }
    s->grid = finer(s->grid, prover_lowest_bit(w) * k->grid);
}

/* The largest error at a letter where the row is 0. All columns are functions of the letter. */
static double zero_by_letters(const prover *p, const float *row, double rounding) {
    double most = 0;
    for (size_t t = 0; t < p->x->letters; t++) {
        double value = 0, error = 0;
        for (uint32_t c = p->first; c < p->width; c++) {
            if (row[c] == 0) continue;
            const proved_column *k = &p->columns[c];
            double x = k->seen.one, w = prover_weight(p, row[c]);
            for (size_t e = 0; e < k->seen.count; e++)
                x += k->seen.terms[e].weight * p->x->nodes[k->seen.terms[e].node].values[t];
            value += w * x;
            error = up_add(error, up_mul(fabs(w), x == 0 ? k->nought : fmax(k->sure, k->plain)));
            if (x != 0) error = up_add(error, rounding);
        }
        if (value == 0) most = fmax(most, error);
    }
    return most;
}

bool prover_row(prover *p, proved_row *out, const float *row) {
    bool gpt2 = p->m->architecture == ORDINARY_GPT2;
    row_sums s = {.exact = true, .letters = true};
    *out = (proved_row){.is_zero = true};
    for (uint32_t c = 0; c < p->width; c++) {
        if (row[c] == 0) continue;
        double w = prover_weight(p, row[c]), size = fabs(w);
        out->is_zero = false;
        s.terms++;
        if (c == 0) {
            out->form.one += w;
            out->form.start += w;
            s.sure = up_add(s.sure, up_mul(size, p->pin_error));
            s.plain = up_add(s.plain, up_mul(size, p->pin_error));
            s.sizes = up_add(s.sizes, size);
            if (p->pin_error > 0) s.products = up_add(s.products, size);
            double *side = w > 0 ? &s.above : &s.below;
            *side = up_add(*side, up_mul(size, 1.01));
            s.share = INFINITY;
            s.grid = finer(s.grid, w);
            s.exact = s.exact && p->pin_error == 0;
            s.positive++;
            s.negative++;
            s.starts++;
            s.letters = false;
        } else if (gpt2 && c == 2) {                     /* the ground */
            double mean = up_mul(size, 2 * p->mean_raw); /* also the mean in f64 is no more than that */
            s.weights += w;
            s.grounds++;
            s.sizes = up_add(s.sizes, mean);
            s.products = up_add(s.products, mean);
            s.above = up_add(s.above, mean);
            s.below = up_add(s.below, mean);
            s.mean = up_add(s.mean, up_mul(size, fmax(p->mean_sure, p->mean_plain)));
            s.sure = up_add(s.sure, up_mul(size, p->mean_sure));
            s.plain = up_add(s.plain, up_mul(size, p->mean_plain));
            s.exact = false;
        } else if (c < p->first) {
            return prover_fail(p, "a row reads a pin or a zero-sum column");
        } else {
            add_column(p, &p->columns[c], w, &s, out);
        }
    }
    if (out->is_zero) return true;
    ideal_finish(p->x, &out->form);
    if (gpt2 && s.weights != 0) s.plain = up_add(s.plain, up_mul(fabs(s.weights), p->mean_raw));
    double least, most;
    ideal_range(p->x, &out->form, &least, &most);
    out->size = fmax(fabs(least), fabs(most));
    out->grid = prover_grid(p->x, &out->form);
    out->error = fmax(s.sure, s.plain);
    if (s.means > 1) return prover_fail(p, "a row reads more than one mean");
    out->is_mean = s.means == 1 && s.terms == 1 + s.grounds;
    if (s.means == 1 && !out->is_mean) out->error = up_add(out->error, s.mean_error);
    if (!out->is_mean) out->relative = 0;
    out->relative = up_add(out->relative, p->norm_error);
    s.exact = s.exact && s.sizes <= ldexp(s.grid, 24);
    double rounding =
        s.exact ? 0
                : prover_sum_rounding(s.terms, up_add(s.products, out->error),
                                      up_add(fmax(s.above, s.below), out->error), up_add(out->size, out->error));
    if (out->is_mean) { /* products of one number and the ground */
        out->relative = up_add(out->relative, 4 * UNIT);
        out->error = up_mul(out->error, 1 + 8 * UNIT);
    } else {
        out->error = up_add(out->error, rounding);
    }
    /* the row is 0 only where all columns are */
    bool one_sign = (s.positive == 0 || s.negative == 0) && (s.sentinels == 0 || out->form.start != 0);
    out->zero = one_sign    ? up_mul(s.nought, 1 + 8 * UNIT)
                : s.letters ? zero_by_letters(p, row, rounding)
                            : out->error;
    /* products of one sign are no larger than their sum, and what is 0 is in `zero`; the ground may have another
       sign, and products with powers of two are not rounded */
    double additions = gpt2 ? s.terms + 1 : s.terms - 1 + (s.products > 0);
    out->share = one_sign && s.exact ? 0
                 : one_sign && s.sentinels == 0
                     ? up_mul(1.01, up_add(up_add(s.share, out->grid > 0 ? up_div(s.mean, out->grid) : 0),
                                           up_mul(additions, 1.01 * UNIT)))
                     : INFINITY;
    /* on the start sentinel columns may cancel out */
    if (out->form.start == 0 && s.starts > 0) out->zero = fmax(out->zero, out->error);
    return true;
}

bool prover_is_finite(prover *p, const float *row, double most) {
    double sum = 0;
    for (uint32_t c = 0; c < p->width; c++) {
        const proved_column *k = &p->columns[c];
        bool ground = p->m->architecture == ORDINARY_GPT2 && c == GPT2_PINS - 1;
        double seen = ground         ? up_mul(4, p->mean_raw)
                      : c < p->first ? 2
                                     : up_add(up_mul(k->size, 1.01 + k->seen_relative), fmax(k->sure, k->plain));
        double w = fabs(prover_weight(p, row[c]));
        if (!(w <= 0x1p40)) return prover_fail(p, "a weight is no number, or too large");
        sum = up_add(sum, up_mul(w, seen));
    }
    return sum <= most || prover_fail(p, "a row may give numbers beyond %g", most);
}

/* ---- writing ---- */

void prover_write(prover *p, uint32_t column, const ideal_form *form, proved_number n) {
    proved_column *k = &p->columns[column];
    bool fresh = k->form.count == 0 && k->form.one == 0 && k->form.start == 0 && k->error == 0;
    double least, most;
    ideal_add(p->x, &k->form, form, 1);
    ideal_finish(p->x, &k->form);
    ideal_range(p->x, &k->form, &least, &most);
    double size = fmax(fabs(least), fabs(most)), grid = prover_grid(p->x, &k->form);
    bool exact = fresh || (n.error == 0 && k->error == 0 && n.relative == 0 && k->relative == 0 && grid > 0 &&
                           size <= ldexp(grid, 23));
    double added = exact ? 0 : up_mul(2 * UNIT, up_add(size, up_add(n.error, k->error)));
    k->weighed = fresh ? n.weighed : 0;
    if (fresh) {
        k->relative = n.relative;
        k->error = n.error;
        k->zero = fmin(n.zero, n.error);
    } else { /* a mean that is not alone in its column has an error like others */
        double lost = up_mul(up_add(n.relative, k->relative), size);
        k->relative = 0;
        k->error = up_add(up_add(k->error, n.error), up_add(added, lost));
        k->zero = k->error;
    }
    prover_sum_to_zero(p, up_add(n.rounding, added));
}

bool prover_is_zero_sum(const prover *p, const float *entries, size_t stride) {
    if (p->m->architecture != ORDINARY_GPT2) return true;
    for (uint32_t c = GPT2_PINS; c < p->first; c++)
        if (prover_weight(p, entries[c * stride]) != prover_weight(p, entries[GPT2_PINS * stride])) return false;
    return true;
}

/* Every column and every zero-sum column may round its own part. */
void prover_sum_to_zero(prover *p, double rounding) { p->imbalance = up_add(p->imbalance, up_mul(2, rounding)); }

bool prover_writes(prover *p, const float *matrix, size_t columns) {
    bool gpt2 = p->m->architecture == ORDINARY_GPT2;
    for (size_t u = 0; u < columns; u++) {
        double sum = 0;
        for (uint32_t c = 0; c < p->width; c++) {
            double w = prover_weight(p, matrix[c * columns + u]);
            if (c < (gpt2 ? 3u : 1u) && w != 0) return prover_fail(p, "something writes to the pin of the norms");
            if (w != 0 && (!(fabs(w) <= 0x1p10) || prover_lowest_bit(w) < 0x1p-28))
                return prover_fail(p, "a weight that writes has too many bits to be added up");
            sum += w;
        }
        if (gpt2 && sum != 0) return prover_fail(p, "what is written does not keep the mean at 0");
        if (!prover_is_zero_sum(p, matrix + u, columns)) return prover_fail(p, "zero-sum columns get unequal parts");
    }
    return true;
}
