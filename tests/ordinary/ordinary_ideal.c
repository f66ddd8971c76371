#include "ordinary_ideal.h"

#include <math.h>
#include <string.h>

typedef struct board {
    const lift *u;
    size_t rows;
    double *numbers; /* [columns][rows] */
    bool clear;      /* no mean that is compared is 0 */
} board;

static double *column_of(const board *b, uint32_t c) { return b->numbers + (size_t)c * b->rows; }

static bool is_fixed(const board *b, uint32_t c) {
    return b->u->columns[c].place && b->u->columns[c].writer != LIFT_TOKEN;
}

static double read_form(const board *b, const lift_form *f, size_t i) {
    double x = f->one;
    for (size_t k = 0; k < f->count; k++) x += f->terms[k].weight * column_of(b, f->terms[k].channel)[i];
    return x;
}

/* The score of key j for query i, without what positions add. */
static double content(const board *b, const lift_head *h, size_t i, size_t j) {
    double score = 0;
    for (size_t k = 0; k < h->content; k++)
        score += read_form(b, &h->products[k].query, i) * read_form(b, &h->products[k].key, j);
    return score;
}

static size_t chosen(const board *b, const lift_head *h, size_t i) {
    size_t best = h->last ? i : 0;
    for (size_t step = 0; step <= i; step++) {
        size_t j = h->last ? i - step : step;
        if (content(b, h, i, j) > content(b, h, i, best)) best = j;
    }
    return best;
}

/* Where the numbers of all letters so far add up to, or the nearest position to that. */
static size_t looked_up(const board *b, const lift_head *h, size_t i) {
    const lift_form *number = &lift_value_of(b->u, h->number)->value;
    double sum = 0;
    for (size_t j = 1; j <= i; j++) sum += read_form(b, number, j);
    size_t at = 0;
    while (at < i && fabs((double)at + 1 - sum) < fabs((double)at - sum)) at++;
    return at;
}

static double head_value(board *b, const lift_head *h, const lift_value *v, size_t i) {
    double sum = 0, most = -INFINITY, unit;
    switch (h->role) {
    case LIFT_ONCE:
        unit = lift_grain(b->u, &h->products[0].key);
        for (size_t j = 0; j <= i; j++) most = fmax(most, read_form(b, &h->products[0].key, j));
        return unit > 0 ? most / unit : 0;
    case LIFT_NEAREST: return read_form(b, &v->value, chosen(b, h, i));
    case LIFT_YESTERDAY: return read_form(b, &v->value, i ? i - 1 : 0);
    case LIFT_MEAN:
        for (size_t j = 0; j <= i; j++) sum += read_form(b, &v->value, j);
        return v->scale * sum / (double)(i + 1);
    case LIFT_COMPARE:
        sum = read_form(b, &h->products[0].query, i);
        b->clear = b->clear && (i == 0 || sum != 0);
        return i == 0 || sum > 0;
    case LIFT_WEIGHED: /* in letters, of which the sentinel is as many as it weighs */
        for (size_t j = 0; j <= i; j++) sum += (j ? 1 : h->weight) * read_form(b, &v->value, j);
        return v->scale * sum / ((double)i + h->weight);
    case LIFT_LOOKUP: return read_form(b, &v->value, looked_up(b, h, i));
    default: return NAN; /* waves write numbers of the position */
    }
}

static void run_layer(board *b, uint32_t layer, arena *a) {
    const lift *u = b->u;
    for (size_t k = 0; k < u->head_count; k++) {
        const lift_head *h = &u->heads[k];
        for (size_t v = 0; h->layer == layer && v < h->value_count; v++)
            for (size_t i = 0; i < b->rows && !is_fixed(b, h->values[v].column); i++)
                column_of(b, h->values[v].column)[i] = head_value(b, h, &h->values[v], i);
    }
    double *before = arena_alloc(a, u->column_count * b->rows, sizeof *before);
    memcpy(before, b->numbers, u->column_count * b->rows * sizeof *before);
    board read = *b;
    read.numbers = before;
    for (size_t k = 0; k < u->step_count; k++) {
        const lift_step *s = &u->steps[k];
        for (size_t i = 0; s->layer == layer && i < b->rows; i++) {
            lift_form f = s->sum;
            f.one = 0;
            if (read_form(&read, &f, i) < 2 * LIFT_GATE * s->at) continue;
            for (size_t t = 0; t < s->count; t++)
                if (!is_fixed(b, s->terms[t].channel)) column_of(b, s->terms[t].channel)[i] += s->terms[t].weight;
        }
    }
}

static board run_model(const lift *u, const uint32_t *tokens, size_t n, arena *a) {
    board b = {.u = u, .rows = n + 1, .clear = true};
    b.numbers = arena_zalloc(a, u->column_count * b.rows, sizeof *b.numbers);
    for (uint32_t c = 0; c < u->column_count; c++)
        for (size_t i = 0; i <= n; i++) {
            const lift_column *x = &u->columns[c];
            column_of(&b, c)[i] = is_fixed(&b, c) ? x->place[i] : x->writer == LIFT_TOKEN ? x->tokens[tokens[i]] : 0;
        }
    for (uint32_t l = 1; l <= u->m->layer_count; l++) run_layer(&b, l, a);
    return b;
}

const double *ordinary_ideal_columns(const lift *u, const uint32_t *tokens, size_t n, arena *a) {
    return run_model(u, tokens, n, a).numbers;
}

bool ordinary_ideal_run(float *logits, const lift *u, const uint32_t *tokens, size_t n, arena *a) {
    board b = run_model(u, tokens, n, a);
    for (size_t i = 0; i <= n; i++)
        for (uint32_t t = 0; t < u->m->vocabulary; t++)
            logits[i * u->m->vocabulary + t] = (float)read_form(&b, &u->outputs[t], i);
    return b.clear;
}
