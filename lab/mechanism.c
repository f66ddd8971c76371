/* The table of all families, masks, defaults, and the few loops that every family uses. */
#include "lab/mechanism.h"

#include "number/elementary.h"

#include <math.h>
#include <string.h>

static const mechanism *const families[] = {softmax_family, periodic_family, pointwise_family,
                                            sparse_family,  kernel_family,   matrix_family};
enum { FAMILIES = sizeof families / sizeof *families };

size_t mechanism_count(void) {
    size_t count = 0;
    for (size_t f = 0; f < FAMILIES; f++)
        for (const mechanism *m = families[f]; m->name; m++) count++;
    return count;
}

const mechanism *mechanism_at(size_t k) {
    for (size_t f = 0; f < FAMILIES; f++)
        for (const mechanism *m = families[f]; m->name; m++)
            if (k-- == 0) return m;
    return NULL;
}

const mechanism *mechanism_find(const char *name) {
    for (size_t f = 0; f < FAMILIES; f++)
        for (const mechanism *m = families[f]; m->name; m++)
            if (!strcmp(m->name, name)) return m;
    return NULL;
}

size_t mechanism_defaults(double p[MECHANISM_PARAMETERS], const mechanism *m) {
    size_t count = 0;
    for (; count < MECHANISM_PARAMETERS && m->parameters[count].name; count++)
        p[count] = m->parameters[count].fallback;
    return count;
}

/* ---- masks ---- */

/* The row without its masked keys; values (may be NULL) likewise. */
static attention_row compact(const double **values, const attention_row *in, arena *scratch) {
    attention_row out = *in;
    size_t rows = in->queries ? in->queries : 1;
    size_t *place = arena_alloc(scratch, in->n + 1, sizeof *place);
    out.n = 0;
    for (size_t j = 0; j < in->n; j++)
        if (!in->masked[j]) place[out.n++] = j;
    double *scores = arena_alloc(scratch, rows * out.n + 1, sizeof *scores);
    double *second = arena_alloc(scratch, out.n + 1, sizeof *second);
    double *keys = arena_alloc(scratch, in->size * out.n + 1, sizeof *keys);
    double *kept = arena_alloc(scratch, out.n + 1, sizeof *kept);
    for (size_t j = 0; j < out.n; j++) {
        for (size_t i = 0; in->scores && i < rows; i++) scores[i * out.n + j] = in->scores[i * in->n + place[j]];
        if (in->second) second[j] = in->second[place[j]];
        if (*values) kept[j] = (*values)[place[j]];
        for (size_t c = 0; in->keys && c < in->size; c++) keys[j * in->size + c] = in->keys[place[j] * in->size + c];
    }
    for (size_t j = 0; in->place && j < out.n; j++) place[j] = in->place[place[j]];
    if (in->scores) out.scores = scores;
    if (in->second) out.second = second;
    if (in->keys) out.keys = keys;
    if (*values) *values = kept;
    out.masked = NULL;
    out.place = place;
    return out;
}

/* ---- weights ---- */

static bool all_finite(const double *x, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!isfinite(x[k])) return false;
    return true;
}

/* What the mechanism looks at, of a row without masked keys. */
static bool is_finite_row(const mechanism *m, const attention_row *in) {
    if (m->input == INPUT_VECTORS) return all_finite(in->query, in->size) && all_finite(in->keys, in->n * in->size);
    return all_finite(in->scores, (m->input == INPUT_MATRIX ? in->queries : 1) * in->n) &&
           (m->input != INPUT_TWO || all_finite(in->second, in->n));
}

/* No formula says what an infinite score weighs, so none is asked: sorting, comparing and converting see finite
   numbers only. */
static void weigh_row(double *w, const mechanism *m, const attention_row *in, const double *p, arena *scratch) {
    if (in->n == 0) return;
    if (is_finite_row(m, in)) {
        m->weigh(w, in, p, scratch);
        return;
    }
    for (size_t j = 0; j < in->n; j++) w[j] = NAN;
}

void mechanism_weights(double *w, const mechanism *m, const attention_row *in, const double *p, arena *scratch) {
    double fallback[MECHANISM_PARAMETERS];
    if (!p) {
        mechanism_defaults(fallback, m);
        p = fallback;
    }
    if (!in->masked) {
        weigh_row(w, m, in, p, scratch);
        return;
    }
    const double *values = NULL;
    attention_row row = compact(&values, in, scratch);
    double *kept = arena_alloc(scratch, row.n + 1, sizeof *kept);
    weigh_row(kept, m, &row, p, scratch);
    for (size_t j = 0, k = 0; j < in->n; j++) w[j] = in->masked[j] ? 0 : kept[k++];
}

double mechanism_output(const mechanism *m, const attention_row *in, const double *values, const double *p,
                        arena *scratch) {
    double fallback[MECHANISM_PARAMETERS];
    if (!p) {
        mechanism_defaults(fallback, m);
        p = fallback;
    }
    attention_row row = *in;
    if (in->masked) row = compact(&values, in, scratch);
    if (row.n == 0) return 0;
    if (!is_finite_row(m, &row) || !all_finite(values, row.n)) return NAN;
    if (m->attend) return m->attend(values, &row, p, scratch);
    double *w = arena_alloc(scratch, row.n, sizeof *w), out = 0;
    m->weigh(w, &row, p, scratch);
    for (size_t j = 0; j < row.n; j++) out += w[j] * values[j];
    return out;
}

/* ---- loops ---- */

double row_largest(const double *s, size_t n) {
    double most = -INFINITY;
    for (size_t j = 0; j < n; j++)
        if (s[j] > most) most = s[j];
    return most;
}

double row_least(const double *s, size_t n) {
    double least = INFINITY;
    for (size_t j = 0; j < n; j++)
        if (s[j] < least) least = s[j];
    return least;
}

double row_sum(const double *s, size_t n) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += s[j];
    return sum;
}

void row_normalise(double *w, size_t n) {
    double sum = row_sum(w, n);
    for (size_t j = 0; j < n; j++) w[j] /= sum;
}

void row_softmax(double *w, const double *s, size_t n, double b) {
    double most = b < 0 ? row_least(s, n) : row_largest(s, n);
    for (size_t j = 0; j < n; j++) w[j] = b == 0 ? 1 : exp_f64(b * (s[j] - most)); /* the difference may overflow */
    row_normalise(w, n);
}
