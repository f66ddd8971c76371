/* Rule 9 of doc/certificate.md, "Facts about the hard model": a query that is the mean of at most t values has a
   denominator of at most t, so scores that differ do so by more than the common lattice says. */
#include "audit/audit_choices_set_run.h"

enum { KINDS_MOST = 16 };

/* ---- which queries are means ---- */

/* How many terms of the model's sublayers end in the channel; the last head of them, and its value row. */
static size_t writers(const hard_choices *g, uint32_t channel, size_t *head, uint32_t *row, rational **weight) {
    size_t count = 0;
    for (uint32_t l = 0; l < g->model->layer_count; l++) {
        const model_rows *out = &g->model->layers[l].out;
        for (uint32_t t = 0; t < out->start[out->count]; t++)
            if (out->terms[t].channel == channel) count++, *head = SIZE_MAX;
    }
    for (size_t k = 0; k < g->head_count; k++) {
        const exact_rows *out = &g->heads[k].exact.output;
        for (uint32_t r = 0; r < out->rows->count; r++)
            for (uint32_t t = out->rows->start[r]; t < out->rows->start[r + 1]; t++) {
                if (out->rows->terms[t].channel != channel) continue;
                count++;
                *head = k;
                *row = r;
                *weight = &out->weights[t];
            }
    }
    return count;
}

/* The channel is 0 before all layers. */
static bool begins_empty(const hard_choices *g, uint32_t channel) {
    const model_channel *c = &g->model->channels[channel];
    for (uint32_t t = 0; t < g->model->embedding.start[g->model->embedding.count]; t++)
        if (g->model->embedding.terms[t].channel == channel && !rational_is_zero(&g->embedding.weights[t]))
            return false;
    return !c->position || c->soft_only;
}

static bool looks_left(const head_claim *h) {
    return h->exact.head->mask == TEMPER_MASK_UP_TO || h->exact.head->mask == TEMPER_MASK_BEFORE;
}

void set_mean_begin(set_run *s) {
    hard_choices *g = s->g;
    for (size_t k = 0; k < g->head_count; k++) {
        set_head *h = &s->heads[k];
        const exact_rows *query = &h->claim->exact.query;
        h->mean = arena_zalloc(g->audit->arena, h->d, sizeof *h->mean);
        for (uint32_t d = 0; d < h->d; d++) {
            uint32_t term = query->rows->start[d], row = 0;
            size_t from = SIZE_MAX;
            rational *weight = NULL;
            if (query->rows->start[d + 1] - term != 1) continue;
            uint32_t channel = query->rows->terms[term].channel;
            if (!begins_empty(g, channel) || writers(g, channel, &from, &row, &weight) != 1 || from == SIZE_MAX)
                continue;
            const head_claim *source = &g->heads[from];
            if (source->layer >= h->claim->layer || !looks_left(source)) continue;
            if (source->exact.head->hard_choice != TEMPER_CHOICE_AVERAGE) continue;
            set_mean *m = &h->mean[d];
            m->of = &s->heads[from];
            m->row = row;
            m->times = rational_array(&g->pool, 1);
            rational_mul(m->times, weight, &query->weights[term]);
            if (m->of->span) continue;
            m->of->span = lattice_array(&g->pool, s->most * m->of->v);
            m->of->span_changed = arena_zalloc(g->audit->arena, m->of->v, sizeof *m->of->span_changed);
        }
    }
}

/* ---- what values can be together ---- */

void set_mean_span(set_run *s, bool all) {
    set_head *h = s->head;
    if (!h->span) return;
    size_t back = h->claim->exact.head->mask == TEMPER_MASK_BEFORE;
    for (uint32_t r = 0; r < h->v; r++) {
        h->span_changed[r] = false;
        for (size_t i = all ? 0 : s->old; i < s->positions; i++) {
            lattice *now = &s->s[0], *to = &h->span[i * h->v + r];
            if (i < back)
                lattice_set_zero(now);
            else if (i == back)
                lattice_set(now, value_of(h, 0, r));
            else
                lattice_join(now, to - h->v, value_of(h, i - back, r), &s->work);
            if (i < s->old && !lattice_equal(now, to)) h->span_changed[r] = true;
            lattice_set(to, now);
        }
    }
}

bool set_mean_changed(const set_head *h) {
    for (uint32_t d = 0; d < h->d; d++)
        if (h->mean[d].of && h->mean[d].of->span_changed[h->mean[d].row]) return true;
    return false;
}

/* ---- the gap ---- */

/* Whether all keys of the row are numbers, of few kinds: one key of each in `kind`. */
static size_t kinds_of(const set_head *h, key_range keys, size_t *kind) {
    size_t count = 0;
    for (size_t j = keys.first; j < keys.end; j++) {
        bool seen = false;
        for (uint32_t d = 0; d < h->d; d++)
            if (!rational_is_zero(&key_of(h, j, d)->g)) return 0;
        for (size_t k = 0; k < count && !seen; k++) {
            seen = true;
            for (uint32_t d = 0; d < h->d; d++)
                seen = seen && rational_equal(&key_of(h, j, d)->a, &key_of(h, kind[k], d)->a);
        }
        if (seen) continue;
        if (count == KINDS_MOST) return 0;
        kind[count++] = j;
    }
    return count;
}

/* |c x + b| for a mean x of at most `most` numbers of a + gZ: where it is not 0 it is at least |c| g/(s most), s
   being the denominator of (x0 - a)/g at x0 = -b/c. */
static void least_apart(set_run *s, const rational *c, const rational *b, const lattice *values, size_t most,
                        rational *out) {
    rational *one = &s->work.t[0];
    if (rational_is_zero(c)) {
        rational_abs(out, b);
        return;
    }
    rational_div(out, b, c);
    rational_neg(out, out);
    rational_sub(out, out, &values->a);
    rational_div(out, out, &values->g);
    rational_set_int(one, 1);
    rational_gcd(out, out, one);
    rational_mul(out, out, c);
    rational_mul(out, out, &values->g);
    rational_abs(out, out);
    rational_set_ratio(one, 1, most);
    rational_mul(out, out, one);
}

void set_mean_gap(set_run *s, set_row *row) {
    const set_head *h = s->head;
    const set_mean *m = NULL;
    uint32_t open = 0, at = 0;
    for (uint32_t d = 0; d < h->d; d++)
        if (!rational_is_zero(&query_of(h, row->i, d)->g)) open++, at = d;
    if (open != 1 || !h->mean[at].of) return;
    m = &h->mean[at];
    size_t most = row->i + (m->of->claim->exact.head->mask == TEMPER_MASK_UP_TO);
    const lattice *values = &m->of->span[row->i * m->of->v + m->row];
    if (most == 0 || rational_is_zero(&values->g)) return;
    size_t kind[KINDS_MOST], count = kinds_of(h, row->keys, kind);
    rational *c = &s->t[0], *b = &s->t[1], *x = &s->t[2], *least = &s->t[3];
    set_spend(s, (double)(row->keys.end - row->keys.first) / 4 + (double)count);
    rational_set_int(least, 0);
    for (size_t k = 0; k < count; k++)
        for (size_t l = k + 1; l < count; l++) {
            rational_set_int(b, 0);
            for (uint32_t d = 0; d < h->d; d++) {
                rational_sub(x, &key_of(h, kind[k], d)->a, &key_of(h, kind[l], d)->a);
                if (d == at)
                    rational_mul(c, x, m->times);
                else
                    rational_add_product(b, x, &query_of(h, row->i, d)->a);
            }
            least_apart(s, c, b, values, most, x);
            if (!rational_is_zero(x) && (rational_is_zero(least) || rational_cmp(x, least) < 0))
                rational_set(least, x);
        }
    if (rational_cmp(least, row->gap) > 0) rational_set(row->gap, least);
}
