/* Heads: what each chooses, how much weight the others get, and how far values are off (doc/ordinary.md, "Heads that
   choose" and "Means and comparisons"). */
#include <math.h>
#include <string.h>

#include "ordinary/proof/prover.h"

/* ---- roles ---- */

static bool is_one_constant(const ideal_form *f) { return f->count == 0 && f->one == f->start && f->one > 0; }
static bool is_start(const ideal_form *f) { return f->count == 0 && f->one == 0 && f->start != 0; }

/* Products of content, as what they mean. */
static bool read_content(prover *p, const head_work *h, ideal_product *out) {
    for (uint32_t r = 0; r < h->hint->content; r++) {
        uint32_t d = h->hint->dimensions[r];
        out[r].query = ideal_quotient(p->x, &h->query[d].form, h->hint->query);
        out[r].key = ideal_quotient(p->x, &h->key[d].form, h->hint->key);
    }
    return prover_is_apart_by_units(p, out, h->hint->content) ||
           prover_fail(p, "scores of keys may differ by less than a unit");
}

/* Digits of the position: scores go up (or down) from key to key. */
static bool prove_digits(prover *p, const head_work *h, double worth, double error, double ties, proved_head *out) {
    size_t n = p->positions;
    double *sum = arena_zalloc(p->arena, n, sizeof *sum), *values = arena_alloc(p->arena, n, sizeof *values);
    double sign = h->hint->last ? 1 : -1, step = INFINITY;
    for (uint32_t r = h->hint->content; r < h->hint->rows; r++) {
        uint32_t d = h->hint->dimensions[r];
        const ideal_form *q = &h->query[d].form;
        if (q->count || q->one != q->start || !ideal_is_place(p->x, &h->key[d].form, values))
            return prover_fail(p, "a tie-break is made of something else than the position");
        for (size_t j = 0; j < n; j++) sum[j] += q->one * values[j];
    }
    for (size_t j = 1; j < n; j++) step = fmin(step, sign * (sum[j] - sum[j - 1]));
    if (n == 1) step = worth * h->root;
    double spread = next_up(fabs(sum[n - 1] - sum[0]) / h->root);
    step = next_down(next_down(step / h->root) - 2 * ties);
    double gap = next_down(next_down(worth - spread) - 2 * error);
    out->gap = fmin(step, gap);
    out->rounding = error;
    out->score = up_add(worth, spread);
    out->leak = INFINITY;
    if (step > 0 && gap > 0) out->leak = up_div(up_add(up_exp(-step), up_exp(-gap)), next_down(1 - up_exp(-step)));
    return true;
}

static bool prove_nearest(prover *p, head_work *h, proved_head *out, ideal_product *products) {
    enum { RAMP = 4 };
    double error, ties, worth = next_down(h->hint->query * h->hint->key / h->root);
    bool ramp = prover_is_llama(p) && h->hint->rows == h->hint->content;
    if (!(h->hint->query > 0 && h->hint->key > 0)) return prover_fail(p, "a score has no unit");
    if (!read_content(p, h, products)) return false;
    if (!head_all_errors(p, h, ramp ? RAMP : UINT32_MAX, &error, &ties)) return false;
    return ramp ? prove_ramp(p, h, worth, error, ties, out) : prove_digits(p, h, worth, error, ties, out);
}

/* Every pair of positions: the one before has the largest score. */
static bool prove_yesterday(prover *p, head_work *h, proved_head *out) {
    size_t n = p->positions, rows = h->hint->rows;
    double error, ties, **q = arena_alloc(p->arena, rows, sizeof *q), **k = arena_alloc(p->arena, rows, sizeof *k);
    if (prover_is_llama(p)) return prove_turning_yesterday(p, h, out);
    if (!head_all_errors(p, h, UINT32_MAX, &error, &ties)) return false;
    for (size_t r = 0; r < rows; r++) {
        uint32_t d = h->hint->dimensions[r];
        q[r] = arena_alloc(p->arena, n, sizeof **q);
        k[r] = arena_alloc(p->arena, n, sizeof **k);
        if (!ideal_is_place(p->x, &h->query[d].form, q[r]) || !ideal_is_place(p->x, &h->key[d].form, k[r]))
            return prover_fail(p, "a head for the position before reads something else than the position");
    }
    double gap = INFINITY, leak = 0, size = 0;
    for (size_t r = 0; r < rows; r++) size = up_add(size, head_product_size(h, h->hint->dimensions[r]));
    double slack = up_add(2 * error, up_mul(size, 0x1p-48));
    for (size_t i = 1; i < n; i++) {
        double best = 0, others = 0;
        size_t far = 0;
        for (size_t r = 0; r < rows; r++) best += q[r][i] * k[r][i - 1];
        for (size_t j = 0; j <= i; j++) {
            double score = 0;
            if (j == i - 1) continue;
            for (size_t r = 0; r < rows; r++) score += q[r][i] * k[r][j];
            double below = (best - score) / h->root - slack;
            gap = fmin(gap, below);
            if (below > 64)
                far++;
            else
                others = up_add(others, up_exp(-below));
        }
        leak = fmax(leak, up_add(others, up_mul((double)far, 0x1p-92)));
    }
    out->gap = gap;
    out->leak = leak;
    out->rounding = error;
    out->score = size;
    return true;
}

static bool is_nothing(const ideal_form *f) { return !f->count && f->one == 0 && f->start == 0; }

static bool prove_once(prover *p, head_work *h, proved_head *out, ideal_form *key) {
    uint32_t d = h->hint->rows == 1 ? h->hint->dimensions[0] : UINT32_MAX;
    double error, ties, least, most, unit;
    if (d == UINT32_MAX || !is_one_constant(&h->query[d].form))
        return prover_fail(p, "a head for candidates has no constant query");
    if (!head_all_errors(p, h, UINT32_MAX, &error, &ties)) return false;
    *key = h->key[d].form;
    out->rounding = error;
    if (is_nothing(key)) return true; /* on strings of letters nothing is ever found */
    ideal_case_range(p->x, key, &least, &most);
    least = fmin(least, key->start);
    most = fmax(most, key->start);
    if (!(most > 0)) most = 1;
    unit = most;
    *key = ideal_quotient(p->x, &h->key[d].form, unit);
    if (!ideal_is_whole(p->x, key, 1)) { /* not seen to be 0 or 1: some whole number */
        unit = h->key[d].grid;
        if (least < 0 || !(unit > 0)) return prover_fail(p, "a key is no whole number, or may be negative");
        *key = ideal_quotient(p->x, &h->key[d].form, unit);
    }
    if (least < 0) return prover_fail(p, "a key may be negative");
    double score = next_down(h->query[d].form.one * unit / h->root);
    out->score = next_up(score);
    out->gap = next_down(score - 2 * error);
    out->leak = up_mul((double)p->positions, up_exp(-out->gap));
    /* sums in f16 are exact: candidates have the same key, and so the same share */
    if (p->options.kv == ORDINARY_F16 && !(up_mul((double)p->positions, most / unit) <= 2048))
        return prover_fail(p, "sums of more than 2,048 candidates are not exact in f16");
    return true;
}

/* The mean of a column: |y| is at least so much over the number of positions. 0: it may be 0. */
static double least_numerator(const prover *p, const ideal_form *value) {
    double grid = 0;
    ideal_form letters = *value;
    letters.start = 0;
    grid = prover_grid(p->x, &letters);
    if (grid == 0) return 0;
    return fabs(value->start - grid * rint(value->start / grid));
}

static bool prove_compare(prover *p, head_work *h, proved_head *out, ideal_form *query) {
    uint32_t d = h->hint->rows == 1 ? h->hint->dimensions[0] : UINT32_MAX;
    if (d == UINT32_MAX || !is_start(&h->key[d].form) || !(h->key[d].form.start > 0))
        return prover_fail(p, "a comparison has no key on the start sentinel alone");
    const proved_row *q = &h->query[d];
    double error, ties, n = (double)p->positions;
    if (!head_all_errors(p, h, UINT32_MAX, &error, &ties)) return false;
    bool mean = q->form.count == 1 && q->form.one == 0 && p->x->nodes[q->form.terms[0].node].kind == IDEAL_MEAN;
    if (!mean || !q->is_mean) return prover_fail(p, "a comparison asks something else than one mean");
    const ideal_node *node = &p->x->nodes[q->form.terms[0].node];
    double numerator = least_numerator(p, &p->x->forms[node->value]);
    double least = next_down(fabs(q->form.terms[0].weight) * numerator / n); /* of the ideal query */
    double relative = q->relative, off = q->error;
    if (p->options.kv == ORDINARY_F16) {
        relative = up_add(relative, 1.01 * HALF_UNIT);
        off = up_add(off, HALF_TINY);
    }
    /* keys on letters are 0 up to `stray`; what they make of the query is a share of the score itself */
    double angle = fmin(head_angle(p, d), 1), stray = up_div(up_mul(4, h->key[d].error), h->key[d].form.start);
    relative = up_add(relative, up_add(stray, 16 * UNIT));
    relative = up_add(relative, up_mul(h->key[d].relative, 2));
    if (prover_is_llama(p)) {
        double turn = prover_turn_error(p, d % (p->m->head_size / 2), n);
        relative = up_add(relative, up_add(up_mul(angle, angle), up_mul(2, turn)));
    }
    double sure = next_down(next_down(least * (1 - relative)) - off);
    double score = next_down(sure * h->key[d].form.start * (1 - stray) / h->root);
    *query = q->form;
    out->score = up_mul(head_product_size(h, d), 1 + relative);
    out->rounding = up_div(up_mul(up_add(off, up_mul(relative, least)), h->key[d].form.start), h->root);
    out->gap = score;
    out->leak = score > 0 ? up_mul(n, up_exp(-score)) : INFINITY;
    return true;
}

/* ---- values ---- */

/* What a cache does to values. */
static double value_error(const prover *p, const proved_row *v) {
    double error = prover_row_error(v);
    return p->options.kv == ORDINARY_F16 ? fmax(error, prover_half(v->size, v->grid, error)) : error;
}

/* A choice: others have the share `leak` at most, and what is added to a sum is rounded by no more than itself, which
   may be more than values differ. */
static double chosen_error(const prover *p, double leak, double wide, double size, double error) {
    double all = up_add(fmax(wide, size), up_mul(2, error));
    double off = up_add(up_mul(up_mul(2.01, leak), all), up_add(error, up_mul(4 * UNIT, up_add(size, error))));
    if (p->options.kv == ORDINARY_F16)
        off = up_add(off, up_add(4 * HALF_TINY, leak >= 0x1p-13 ? up_mul(HALF_UNIT, size) : 0));
    return off;
}

/* A mean: exact in f16 while sums are multiples of the grid up to 2048 times it. What is not 0 is rounded to its
   ideal number, and what is 0 stays so small that it vanishes beside that. */
static bool mean_error(prover *p, const proved_row *v, double *relative, double *error) {
    double n = (double)p->positions, all = up_mul(n, v->size), e = prover_row_error(v), noise = up_mul(2, v->zero);
    *relative = 8 * UNIT;
    *error = up_add(e, up_mul(up_mul(n + 4, 1.01 * UNIT), up_add(v->size, e)));
    /* sums of whole numbers that are exact stay so, and are then divided, or multiplied by one share */
    if (e == 0 && v->grid > 0 && all <= ldexp(v->grid, 22)) *error = up_mul(up_mul(n + 4, 1.01 * UNIT), v->size);
    if (p->options.kv != ORDINARY_F16) return true;
    if (!(all <= HALF_MOST)) return prover_fail(p, "sums of up to %g are beyond f16", all);
    if (!(v->grid > 0 && all <= 2048 * v->grid))
        return prover_fail(p, "counts go beyond %g, where sums of f16 are not exact", 2048 * v->grid);
    if (!(e < 0x1p-12 * v->grid && up_mul(4 * n, noise) < 0x1p-13 * v->grid))
        return prover_fail(p, "values of a count are not exact in f16: off by %.3g, and by %.3g where they are 0", e,
                           v->zero);
    *relative = up_add(*relative, 1.01 * HALF_UNIT);
    *error = fmax(*error, up_mul(4, noise));
    return true;
}

typedef struct head_value {
    ideal_form form;
    double error, zero, relative, size; /* zero: where the ideal value is 0 */
    size_t weighed;                     /* from 1: which weighed mean; 0: none */
} head_value;

/* Candidates of a once head, with an f16 cache: doc/ordinary.md, "Heads that choose". Where f16 has their key, and
   nothing turns, they all have the same share, and sums of whole numbers are exact. Where shares are the same up to
   2^-12, less what others get, sums in f16 are rounded back to whole numbers; up to 2^-10 they stay within ten units;
   else every sum may be rounded, and every time that it is scaled down. A kernel with two passes rounds every
   share. */
static bool once_error(prover *p, const head_work *h, const proved_row *value, double leak, double *error) {
    uint32_t d = h->hint->dimensions[0];
    double off = prover_row_error(&h->key[d]), unit = fmin(h->key[d].grid, h->key[d].size),
           apart = head_candidates_apart(p, h, d);
    bool whole = prover_row_error(value) < 0x1p-12; /* f16 has the value, 1 */
    *error = 1.01 * HALF_UNIT;
    if (!prover_is_llama(p) && whole && off < unit * 0x1p-12) return true;
    *error = up_add(*error, up_mul(3, apart));
    double all = up_add(apart, up_mul(2, leak)), sums = up_mul(2.2, (double)p->positions);
    if (whole && all < 0x1p-12) return true;
    if (whole && all < 0x1p-10) sums = fmin(sums, 20);
    *error = up_add(*error, up_mul(HALF_UNIT, sums));
    return *error < 0.125 || prover_fail(p, "candidates differ too much in f16: scores by %.3g", apart);
}

/* Two means of one head have the same weights, so that each is a number times the share of one letter. */
static bool say_weighed(prover *p, const head_work *h, const proved_row *value, head_value *out) {
    weighed_mean w = *h->weighed;
    if (!prove_weighed_value(p, value, &w)) return false;
    w.layer = h->hint->layer;
    w.slot = h->hint->slot;
    out->form = ideal_weighed(p->x, &value->form, w.layer * p->m->heads + w.slot, w.least, w.most);
    w.node = out->form.terms[0].node;
    out->relative = 16 * UNIT;
    out->size = fmax(fabs(w.least), fabs(w.most));
    out->error = up_mul(fmax(w.number_off[0], w.number_off[1]),
                        up_div(1.01, up_add(1, w.weight))); /* the largest share of a letter */
    array_push(p->arena, p->weighed, p->weighed_count, p->weighed_capacity, w);
    out->weighed = p->weighed_count;
    return true;
}

/* What a head says with one of its values. */
static bool say(prover *p, head_work *h, const proved_head *made, uint32_t v, const ideal_product *products,
                const ideal_form *asked, const double *says, head_value *out) {
    const proved_row *value = &h->value[v];
    double least, most, size, error = value_error(p, value);
    ideal_range(p->x, &value->form, &least, &most);
    out->size = value->size;
    out->relative = 0;
    out->error = chosen_error(p, made->leak, most - least, value->size, error);
    switch (h->hint->role) {
    case ORDINARY_ONCE:
        if (!ideal_is_equal(&value->form, asked)) return prover_fail(p, "a value is not the candidate itself");
        if (is_nothing(asked)) { /* any mean of zeros will do */
            out->error = out->zero = up_mul(8, error);
            return true;
        }
        out->form = ideal_once(p->x, asked);
        /* others are 0 and only take their share of a Boolean; of other numbers they are added, and rounded */
        size = fmax(value->size, 1);
        out->error = up_add(up_mul(size > 1 ? up_mul(3.01, size) : 1.01, made->leak), up_mul(8, error));
        out->zero = up_mul(8, value->zero); /* a mean of values that are all 0 */
        out->error = up_add(out->error, up_mul((double)p->positions + 4, up_mul(4 * UNIT, size)));
        if (p->options.kv == ORDINARY_F16) {
            double sums = 0;
            if (!once_error(p, h, value, made->leak, &sums)) return false;
            out->error = up_add(out->error, up_mul(size, sums));
        }
        return true;
    case ORDINARY_MEAN:
        out->form = ideal_mean(p->x, &value->form);
        return mean_error(p, value, &out->relative, &out->error);
    case ORDINARY_COMPARE:
        if (!is_start(&value->form)) return prover_fail(p, "a comparison has a value on letters");
        out->form = ideal_positive(p->x, asked, &(ideal_form){.start = 1}, &value->form);
        return true;
    case ORDINARY_NEAREST:
    case ORDINARY_MATCH:
        out->form = ideal_nearest(p->x, products, h->hint->content, h->hint->last, &value->form);
        return true;
    case ORDINARY_YESTERDAY: out->form = ideal_before(p->x, &value->form, value->form.start); return true;
    case ORDINARY_WAVE: {
        if (!is_start(&value->form)) return prover_fail(p, "a wave has a value on letters");
        ideal_form place = ideal_place(p->x, says);
        out->form = (ideal_form){0};
        ideal_add(p->x, &out->form, &place, value->form.start);
        return true;
    }
    case ORDINARY_WEIGHED: return say_weighed(p, h, value, out);
    case ORDINARY_LOOKUP: out->form = ideal_lookup(p->x, asked, &value->form); return true;
    }
    return prover_fail(p, "a head has no role");
}

/* ---- a head ---- */

static bool prove_scores(prover *p, head_work *h, proved_head *out, ideal_product *products, ideal_form *asked,
                         double *says) {
    double error, ties;
    for (uint32_t d = 0; d < p->m->head_size; d++) h->products += head_uses(p, h, d);
    switch (h->hint->role) {
    case ORDINARY_ONCE: return prove_once(p, h, out, asked);
    case ORDINARY_MEAN:
        for (uint32_t d = 0; d < p->m->head_size; d++)
            if (!h->query[d].is_zero) return prover_fail(p, "a mean has queries");
        return true;
    case ORDINARY_COMPARE: return prove_compare(p, h, out, asked);
    case ORDINARY_NEAREST:
    case ORDINARY_MATCH: return prove_nearest(p, h, out, products);
    case ORDINARY_YESTERDAY: return prove_yesterday(p, h, out);
    case ORDINARY_WAVE: return prove_wave(p, h, out, says);
    case ORDINARY_WEIGHED:
        h->weighed = arena_zalloc(p->arena, 1, sizeof *h->weighed);
        return head_all_errors(p, h, UINT32_MAX, &error, &ties) && prove_weighed(p, h, error, out);
    case ORDINARY_LOOKUP: return head_all_errors(p, h, UINT32_MAX, &error, &ties) && prove_lookup(p, h, out, asked);
    }
    return prover_fail(p, "a head has no role");
}

/* Rounded to f16 where weights are f16, mixed, and added to columns. */
static void write_value(prover *p, const float *mix, size_t all, size_t at, const double *terms, head_value v) {
    double grid = prover_grid(p->x, &v.form), error = v.error, zero = v.zero;
    if (p->options.weights == ORDINARY_F16) {
        if (v.relative > 0) {
            v.relative = up_add(v.relative, 1.01 * HALF_UNIT);
            error = up_add(up_mul(error, 1 + HALF_UNIT), HALF_TINY);
        } else {
            error = fmax(error, prover_half(v.size, grid, error));
            zero = up_mul(2, zero);
        }
    }
    for (uint32_t c = p->first; c < p->width; c++) {
        double w = prover_weight(p, mix[c * all + at]);
        if (w == 0) continue;
        int e;
        bool exact = terms[c] == 1 && fabs(frexp(w, &e)) == 0.5;
        double size = up_mul(fabs(w), up_add(v.size, error));
        double rounding = exact ? 0 : up_mul(up_mul(terms[c] + 1, 1.01 * UNIT), size);
        ideal_form form = {0};
        ideal_add(p->x, &form, &v.form, w);
        double off = up_add(up_mul(fabs(w), error), rounding);
        prover_write(p, c, &form,
                     (proved_number){off, fmin(off, up_mul(1.01 * fabs(w), zero)), v.relative, rounding, v.weighed});
        prover_sum_to_zero(p,
                           p->m->architecture == ORDINARY_GPT2 ? up_mul(up_mul((double)all, 1.01 * UNIT), size) : 0);
    }
}

static const struct ordinary_hint *hint_of(const prover *p, uint32_t layer, uint32_t slot) {
    for (size_t k = 0; k < p->m->hint_count; k++)
        if (p->m->hints[k].layer == layer && p->m->hints[k].slot == slot) return &p->m->hints[k];
    return NULL;
}

typedef struct pending {
    uint32_t at;
    head_value value;
} pending;

static bool prove_head(prover *p, const struct ordinary_layer *l, uint32_t layer, uint32_t slot, pending *values,
                       size_t *count) {
    const struct ordinary_model *m = p->m;
    size_t size = m->head_size, all = (size_t)m->heads * size, first = slot * size;
    bool writes = false;
    double most = p->options.kv == ORDINARY_F16 ? HALF_MOST : 1e18;
    const float *matrices[3] = {l->query, l->key, l->value};
    p->at_layer = layer + 1;
    p->at_head = slot + 1;
    for (size_t k = 0; k < 3; k++)
        for (size_t d = 0; d < size; d++)
            if (!prover_is_finite(p, matrices[k] + (first + d) * p->width, most)) return false;
    for (size_t v = first; v < first + size; v++)
        for (uint32_t c = 0; c < p->width; c++) writes = writes || l->mix[c * all + v] != 0;
    if (!writes) return true;
    const struct ordinary_hint *hint = hint_of(p, layer, slot);
    if (!hint) return prover_fail(p, "a head writes and nobody says what it is meant to be");
    for (uint32_t r = 0; r < hint->rows; r++) {
        if (hint->dimensions[r] >= size)
            return prover_fail(p, "a hint names a dimension that the head does not have");
        for (uint32_t e = 0; e < r; e++)
            if (hint->dimensions[e] == hint->dimensions[r]) return prover_fail(p, "a hint names a dimension twice");
    }
    if (hint->content > hint->rows) return prover_fail(p, "a hint names more products than rows");
    head_work h = {.hint = hint, .root = sqrt((double)size)};
    proved_row **rows[3] = {&h.query, &h.key, &h.value};
    for (size_t k = 0; k < 3; k++) {
        *rows[k] = arena_alloc(p->arena, size, sizeof **rows[k]);
        for (size_t d = 0; d < size; d++)
            if (!prover_row(p, &(*rows[k])[d], matrices[k] + (first + d) * p->width)) return false;
    }
    proved_head *made = &p->heads[p->head_count++];
    *made = (proved_head){.hint = hint};
    ideal_product *products = arena_zalloc(p->arena, hint->content, sizeof *products);
    ideal_form asked = {0};
    double *says = arena_zalloc(p->arena, p->positions, sizeof *says);
    if (!prove_scores(p, &h, made, products, &asked, says)) return false;
    if (!(made->leak < 0.25) && !(made->gap > 0))
        return prover_fail(
            p,
            "other positions may get all of the weight: scores of up to %.4g are off by %.3g, more than "
            "half of what tells the chosen one from the others",
            made->score, made->rounding);
    if (!(made->leak < 0.25))
        return prover_fail(p,
                           "other positions may get %.3g of the weight: scores of up to %.4g are off by %.3g, and a "
                           "gap of %.3g is left",
                           made->leak, made->score, made->rounding, made->gap);
    for (uint32_t v = 0; v < size; v++) {
        bool written = false;
        for (uint32_t c = 0; c < p->width; c++) written = written || l->mix[c * all + first + v] != 0;
        if (!written) continue;
        pending *to = &values[(*count)++];
        to->at = (uint32_t)(first + v);
        to->value = (head_value){.zero = INFINITY};
        if (!say(p, &h, made, v, products, &asked, says, &to->value)) return false;
        to->value.zero = fmin(to->value.zero, to->value.error);
        made->error = fmax(made->error, to->value.error);
    }
    return true;
}

bool prover_heads(prover *p, const struct ordinary_layer *l, uint32_t layer) {
    size_t all = (size_t)p->m->heads * p->m->head_size, count = 0;
    pending *values = arena_alloc(p->arena, all, sizeof *values);
    double *terms = arena_zalloc(p->arena, p->width, sizeof *terms);
    if (!prover_writes(p, l->mix, all)) return false;
    for (uint32_t c = 0; c < p->width; c++)
        for (size_t u = 0; u < all; u++) terms[c] += l->mix[c * all + u] != 0;
    for (uint32_t slot = 0; slot < p->m->heads; slot++)
        if (!prove_head(p, l, layer, slot, values, &count)) return false;
    p->at_layer = p->at_head = 0;
    for (size_t k = 0; k < count; k++) write_value(p, l->mix, all, values[k].at, terms, values[k].value);
    return true;
}
