/* Tokenizers make <dead> of text that is no letter (doc/ordinary.md, "Unknown text"): a head for once remembers it,
   and all other logits go down. On strings of letters all of this is 0, so that nothing else would notice it
   missing. */
#include <math.h>

#include "ordinary/lift/lift.h"

static bool reads(const lift_form *f, uint32_t column) {
    for (size_t k = 0; k < f->count; k++)
        if (f->terms[k].channel == column) return true;
    return false;
}

static bool is_column(const lift_form *f, uint32_t column) {
    return f->count == 1 && f->one == 0 && f->terms[0].channel == column;
}

static void check_unread(const lift *u, const lift_form *f) {
    if (reads(f, u->dead) || reads(f, u->died)) lift_refuse(u, f->row, "something else reads what <dead> is for");
}

/* Scores are as sharp as those of other heads for once, and the value is 1 at <dead>. */
static void check_head(lift *u, const lift_head *h) {
    const lift_product *p = &h->products[0];
    bool fits = h->role == LIFT_ONCE && is_column(&p->key, u->dead) && h->value_count == 1 &&
                is_column(&h->values[0].value, u->dead) && h->values[0].value.terms[0].weight == 1;
    if (!fits || u->died != UINT32_MAX)
        lift_refuse(u, h->values[0].value.row, "a head that reads <dead> is not the one that remembers it");
    if (!(p->query.one * p->key.terms[0].weight >= lift_sharp(u)))
        lift_refuse(u, p->key.row, "the head that remembers <dead> is not sharp enough");
    u->died = h->values[0].column;
}

static bool is_about_dead(const lift *u, const lift_head *h) {
    for (size_t k = 0; k < h->product_count; k++)
        if (reads(&h->products[k].query, u->dead) || reads(&h->products[k].key, u->dead)) return true;
    for (size_t v = 0; v < h->value_count; v++)
        if (reads(&h->values[v].value, u->dead)) return true;
    return false;
}

static lift_form without(const lift *u, const lift_form *f, uint32_t column) {
    lift_form out = *f;
    out.terms = arena_alloc(u->arena, f->count, sizeof *out.terms);
    out.count = 0;
    for (size_t k = 0; k < f->count; k++)
        if (f->terms[k].channel != column) out.terms[out.count++] = f->terms[k];
    return out;
}

/* ---- numbers on all strings of tokens ---- */

/* Ranges of columns are about strings of letters, on which much is 0 that is not so after <dead>. */
lift_reach lift_reach_of(const lift *u, const lift_form *f) {
    lift_reach out = {f->one, f->one};
    for (size_t k = 0; k < f->count; k++) {
        const lift_reach *x = &u->reach[f->terms[k].channel];
        double w = f->terms[k].weight;
        out.low += w * (w > 0 ? x->low : x->high);
        out.high += w * (w > 0 ? x->high : x->low);
    }
    return out;
}

static double most_of(lift_reach x) { return fmax(fabs(x.low), fabs(x.high)); }
double lift_most(const lift *u, const lift_form *f) { return most_of(lift_reach_of(u, f)); }

/* The start sentinel one position on. */
static bool is_start_copy(const lift *u, uint32_t column) {
    const lift_column *c = &u->columns[column];
    if (c->writer != LIFT_HEAD || u->heads[c->head].role != LIFT_YESTERDAY) return false;
    const lift_form *f = &lift_value_of(u, column)->value;
    return is_column(f, u->start) && f->terms[0].weight == 1;
}

/* A step that is closed wherever that copy is 0. */
static bool needs_start_copy(const lift *u, const lift_step *s) {
    for (size_t k = 0; k < s->sum.count; k++) {
        uint32_t column = s->sum.terms[k].channel;
        if (!is_start_copy(u, column)) continue;
        lift_form rest = without(u, &s->sum, column);
        rest.one = 0;
        if (lift_reach_of(u, &rest).high < 2 * LIFT_GATE * s->at) return true;
    }
    return false;
}

/* A column that is 0 at all positions but the first letter's, whatever tokens there are. */
static bool is_at_first(const lift *u, uint32_t column) {
    const lift_column *c = &u->columns[column];
    for (uint32_t i = 0; i < u->m->positions; i++)
        if (!c->place || (i != 1 && c->place[i] != 0)) return false;
    if (c->writer == LIFT_TABLE) return true;
    for (size_t k = 0; k < u->step_count; k++)
        for (size_t t = 0; t < u->steps[k].count; t++)
            if (u->steps[k].terms[t].channel == column && !needs_start_copy(u, &u->steps[k])) return false;
    return c->writer == LIFT_NET;
}

/* What a head has of a value: a mean of it, in which the start sentinel may weigh more. */
static lift_reach mean_of(const lift *u, const lift_head *h, const lift_value *v) {
    lift_form rest = v->value;
    double first = 0;
    if (h->role != LIFT_WEIGHED) return lift_reach_of(u, &rest);
    for (size_t k = 0; k < v->value.count; k++) {
        uint32_t column = v->value.terms[k].channel;
        if (!is_at_first(u, column)) continue;
        first += v->value.terms[k].weight * u->reach[column].high;
        rest = without(u, &rest, column);
    }
    lift_reach x = lift_reach_of(u, &rest);
    lift_number number = {x.low, x.high, first};
    return lift_weighed(u, h, &number);
}

/* Balancing columns have as much as all others together, in equal parts. */
static double squares_of(const lift *u) {
    double sum = 0, squares = 0;
    for (uint32_t c = 0; c < u->column_count; c++) {
        double most = most_of(u->reach[c]);
        sum += most;
        squares += most * most;
    }
    return squares + (u->zero_sums ? sum * sum / u->zero_sums : 0);
}

/* Steps are all or nothing, and heads have means of their values, which earlier layers write. */
static void find_reach(lift *u) {
    double pin = lift_pin(u->m);
    u->reach = arena_zalloc(u->arena, u->column_count, sizeof *u->reach);
    for (uint32_t c = 0; c < u->column_count; c++) {
        const lift_column *x = &u->columns[c];
        if (x->writer == LIFT_TABLE) u->reach[c] = (lift_reach){x->low, x->high};
        if (x->writer == LIFT_TOKEN) u->reach[c] = (lift_reach){0, 1};
    }
    for (size_t k = 0; k < u->step_count; k++)
        for (size_t t = 0; t < u->steps[k].count; t++) {
            lift_reach *x = &u->reach[u->steps[k].terms[t].channel];
            x->low += fmin(u->steps[k].terms[t].weight, 0);
            x->high += fmax(u->steps[k].terms[t].weight, 0);
        }
    for (size_t k = 0; k < u->head_count; k++)
        for (size_t v = 0; v < u->heads[k].value_count; v++) {
            const lift_value *value = &u->heads[k].values[v];
            lift_reach x = mean_of(u, &u->heads[k], value);
            u->reach[value->column] = (lift_reach){value->scale * x.low, value->scale * x.high};
        }
    u->squares = squares_of(u);
    if (!(u->squares <= pin * pin / 64))
        lift_refuse(u, u->m->token_embedding, "columns may be as large as the pin after <dead>");
}

static void settle_outputs(lift *u) {
    uint32_t dead = u->m->vocabulary - 1;
    u->outputs = arena_alloc(u->arena, u->m->vocabulary, sizeof *u->outputs);
    for (uint32_t t = 0; t <= dead; t++) {
        const lift_form *f = &u->logits[t];
        double weight = 0;
        for (size_t k = 0; k < f->count; k++)
            if (f->terms[k].channel == u->died) weight = f->terms[k].weight;
        if (reads(f, u->dead) || weight != (t >= ORDINARY_EOS && t < dead ? -ORDINARY_DIED : 0))
            lift_refuse(u, f->row, "after <dead> the logit of token %u is not what it should be", t);
        u->outputs[t] = without(u, f, u->died);
        if (!(lift_reach_of(u, &u->outputs[t]).high <= ORDINARY_DIED / 2))
            lift_refuse(u, f->row, "token %u may be legal after <dead>", t);
    }
}

void lift_settle_dead(lift *u) {
    for (size_t k = 0; k < u->head_count; k++)
        if (is_about_dead(u, &u->heads[k])) check_head(u, &u->heads[k]);
    if (u->died == UINT32_MAX) lift_refuse(u, u->m->token_embedding, "no head remembers <dead>");
    for (size_t k = 0; k < u->head_count; k++) {
        const lift_head *h = &u->heads[k];
        for (size_t p = 0; p < h->product_count; p++) {
            check_unread(u, &h->products[p].query);
            if (!is_column(&h->products[p].key, u->dead)) check_unread(u, &h->products[p].key);
        }
        for (size_t v = 0; v < h->value_count; v++)
            if (h->values[v].column != u->died) check_unread(u, &h->values[v].value);
    }
    for (size_t k = 0; k < u->step_count; k++) check_unread(u, &u->steps[k].sum);
    find_reach(u);
    settle_outputs(u);
}
