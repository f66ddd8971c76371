/* Queries that are the mean of values of keys, by another head (doc/certificate.md, "Facts about the hard model",
   rule 9): the mean of t numbers of a + gZ is in a + (g/t)Z for one t of at most as many as there are keys. So it
   differs from any number by more than the lattice of all t together tells, which has g/lcm(1..t). */
#include "facts/set_run.h"

enum { KINDS = 16 };

/* ---- where there are some ---- */

static size_t count_terms(const model_rows *rows, uint32_t channel) {
    size_t count = 0;
    for (uint32_t k = 0; k < rows->start[rows->count]; k++) count += rows->terms[k].channel == channel;
    return count;
}

static bool is_embedded(const temper_model *m, uint32_t channel) {
    if (m->channels[channel].position && !m->channels[channel].soft_only) return true;
    for (uint32_t k = 0; k < m->embedding.start[m->embedding.count]; k++)
        if (m->embedding.terms[k].channel == channel && m->embedding.terms[k].weight != 0) return true;
    return false;
}

static size_t count_writers(const temper_model *m, uint32_t channel) {
    size_t count = 0;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        count += count_terms(&m->layers[l].out, channel);
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            count += count_terms(&m->layers[l].heads[h].output, channel);
    }
    return count;
}

/* The head whose output is all that the channel holds. */
static bool find_source(facts_run *p, mean_source *out, uint32_t channel, uint32_t layers) {
    const temper_model *m = p->m;
    if (is_embedded(m, channel) || count_writers(m, channel) != 1) return false;
    for (uint32_t l = 0; l < layers; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            const model_head *head = &m->layers[l].heads[h];
            if (head->hard_choice != TEMPER_CHOICE_AVERAGE) continue;
            if (head->mask != TEMPER_MASK_UP_TO && head->mask != TEMPER_MASK_BEFORE) continue;
            for (uint32_t r = 0; r < head->value.count; r++)
                for (uint32_t k = head->output.start[r]; k < head->output.start[r + 1]; k++) {
                    if (head->output.terms[k].channel != channel) continue;
                    out->head = &p->layers[l].heads[h];
                    out->row = r;
                    rational_set_double(out->factor, head->output.terms[k].weight);
                    return true;
                }
        }
    return false;
}

void set_means_find(facts_run *p) {
    for (uint32_t l = 0; l < p->m->layer_count; l++)
        for (uint32_t h = 0; h < p->m->layers[l].head_count; h++) {
            set_head *w = &p->layers[l].heads[h];
            const model_rows *query = &w->h->query;
            w->means = arena_zalloc(p->pool.arena, w->qs, sizeof *w->means);
            for (uint32_t d = 0; d < w->qs; d++) {
                mean_source *mean = &w->means[d];
                mean->factor = rational_array(&p->pool, 1);
                if (rows_size(query, d) != 1 || !find_source(p, mean, rows_begin_of(query, d)->channel, l)) continue;
                rational_set_double(&p->r[0], rows_begin_of(query, d)->weight);
                rational_mul(mean->factor, mean->factor, &p->r[0]);
                if (!mean->head->unions) mean->head->unions = columns_new(&p->room, mean->head->vs);
                w->drift.channel = mean->head->drift.channel = NULL; /* these have no such rows */
            }
        }
}

bool set_means_moved(const set_head *w) {
    for (size_t d = 0; d < w->qs; d++)
        if (w->means[d].head && w->means[d].head->unions[w->means[d].row].moved) return true;
    return false;
}

/* ---- a row ---- */

static bool is_alike(const set_head *w, size_t i, size_t j) {
    for (size_t d = 0; d < w->qs; d++)
        if (!rational_equal(&column_at(&w->k[d], i)->a, &column_at(&w->k[d], j)->a)) return false;
    return true;
}

/* The first key of each kind among those of the row; 0: too many, or no numbers. */
static size_t find_kinds(facts_run *p, const set_head *w, size_t kinds[KINDS]) {
    size_t count = 0;
    p->steps += (double)(w->end - w->first) / 4;
    for (size_t j = w->first; j < w->end; j++) {
        size_t k = 0;
        for (size_t d = 0; d < w->qs; d++)
            if (!spread_is_constant(column_at(&w->k[d], j))) return 0;
        while (k < count && !is_alike(w, kinds[k], j)) k++;
        if (k < count) continue;
        if (count == KINDS) return 0;
        kinds[count++] = j;
    }
    return count;
}

/* At least how far two kinds' scores are apart if they are not equal; 0: they always are. */
static void pair_bound(facts_run *p, const set_head *w, size_t i, size_t d, size_t x, size_t y, rational *out) {
    const mean_source *mean = &w->means[d];
    const spread *values = column_at(&mean->head->unions[mean->row], i);
    rational *rest = &p->r[1], *factor = &p->r[2], *t = &p->r[3];
    rational_set_int(rest, 0);
    for (size_t e = 0; e < w->qs; e++) {
        rational_sub(t, &column_at(&w->k[e], x)->a, &column_at(&w->k[e], y)->a);
        if (e == d)
            rational_mul(factor, t, mean->factor);
        else
            rational_add_product(rest, t, &column_at(&w->q[e], i)->a);
    }
    if (rational_is_zero(factor)) {
        rational_abs(out, rest);
        return;
    }
    rational_div(t, rest, factor); /* factor times the mean, plus rest, is 0 where the mean is -t */
    rational_add(t, t, &values->a);
    rational_div(t, t, &values->g); /* r/s: the mean differs from -t by g |k/m + r/s|, not 0, m up to `most` */
    rational_set_int(rest, 1);
    rational_gcd(t, t, rest); /* 1/s */
    rational_mul(t, t, &values->g);
    rational_mul(t, t, factor);
    rational_abs(t, t);
    rational_div_int(out, t, i + (mean->head->h->mask == TEMPER_MASK_UP_TO));
}

void set_means_gap(facts_run *p, set_head *w, size_t i) {
    size_t varying = 0, d = 0, kinds[KINDS];
    for (size_t e = 0; e < w->qs; e++)
        if (!spread_is_constant(column_at(&w->q[e], i))) varying++, d = e;
    if (varying != 1 || !w->means[d].head) return;
    const mean_source *mean = &w->means[d];
    if (mean->head->h->mask == TEMPER_MASK_BEFORE && i == 0) return;
    if (spread_is_constant(column_at(&mean->head->unions[mean->row], i))) return;
    size_t count = find_kinds(p, w, kinds);
    rational *bound = &p->r[4], *least = &p->r[6];
    rational_set_int(least, 0);
    for (size_t k = 1; k < count; k++)
        for (size_t l = 0; l < k; l++) {
            pair_bound(p, w, i, d, kinds[k], kinds[l], bound);
            if (rational_is_zero(bound)) continue;
            if (rational_is_zero(least) || rational_cmp(bound, least) < 0) rational_set(least, bound);
        }
    if (rational_cmp(least, w->gap) > 0) rational_set(w->gap, least);
}
