/* Heads that ask about sums of counts: those that compare them with 0 (doc/certificate.md, "Compare" and "Balance"). */
#include <math.h>

#include "recognise/head_rows.h"

static bool is_half(double x) { return fabs(x) <= 0x1p52 && x - floor(x) == 0.5; }

/* A channel that is 1 on this sentinel and 0 elsewhere, with weight 1. */
static bool is_indicator(const recognising *w, const model_rows *r, uint32_t row, bool end) {
    const model_term *t = single_term(r, row);
    const content *x = t ? term_content(w, t) : NULL;
    return x && x->kind == HOLDS_BOOLEAN && t->weight == 1 && x->f == FN_FALSE && x->start == !end && x->end == end;
}

/* The parts of the first query row: a mean, an own part, a normaliser; all with weight 1. */
typedef struct query_parts {
    const content *mean, *own;
    const position_form *others;
} query_parts;

static query_parts read_query(recognising *w, const model_rows *r) {
    query_parts p = {0};
    for (uint32_t k = r->start[0]; k < r->start[1]; k++) {
        const model_term *t = &r->terms[k];
        const content *x = term_content(w, t);
        if (is_silent(w, t)) continue;
        if (t->weight != 1) unlike(w, "its query has a weight that is not 1");
        if (x->kind == HOLDS_MEAN && !p.mean)
            p.mean = x;
        else if (x->kind == HOLDS_OWN && !p.own)
            p.own = x;
        else if (term_form(w, t)->kind == POSITION_LOG_OTHERS && !p.others && is_soft_only(w, t))
            p.others = term_form(w, t);
        else
            unlike(w, "its query reads channel %u, which is no mean there", t->channel);
    }
    if (!p.mean) unlike(w, "its query reads no mean");
    return p;
}

/* The normaliser of a softmax head, and kappa; c: the factor of N in the logit. */
static void check_others(recognising *w, head_shape *s, const query_parts *p, double c, bool end) {
    s->kappa = c > 0 ? c / 2 : MODEL_KAPPA; /* hard heads have none; their bounds are the same for each */
    if (!is_soft(w)) return;
    if (!p->others || p->others->size.c != c || p->others->mirrored != end)
        unlike(w, "its normaliser does not fit its scale");
}

fn find_compare(recognising *w, head_shape *s) {
    const model_head *h = head_of(w);
    bool end = h->mask == TEMPER_MASK_FROM;
    query_parts p = read_query(w, &h->query);
    position_kind grown = end ? POSITION_END_SIZE : POSITION_START_SIZE;
    double c = s->scale.c;
    if (p.own) unlike(w, "it compares an own part without a total");
    if (end ? !w->m->has_end : h->mask != TEMPER_MASK_UP_TO) unlike(w, "it compares under a mask without a sentinel");
    if (is_feature(w, &h->key, 0, grown, false) && !s->scaled)
        c = term_form(w, rows_begin_of(&h->key, 0))->size.c;
    else if (!is_indicator(w, &h->key, 0, end) || (is_soft(w) && !s->scaled))
        unlike(w, "its key is not the sentinel's indicator");
    if (s->scaled && !(s->scale.size == FORM_POWER && s->scale.power == 1))
        unlike(w, "its scale is not a multiple of N");
    check_others(w, s, &p, c, end);
    for (uint32_t v = 0; v < h->value.count; v++)
        if (!is_indicator(w, &h->value, v, end)) unlike(w, "its value is not the sentinel's indicator");
    double constant = end ? p.mean->end : p.mean->start, other = end ? p.mean->start : p.mean->end;
    if (p.mean->mask != h->mask || !p.mean->whole || !is_half(constant) || other != 0)
        unlike(w, "the mean that it compares with 0 is not one of whole numbers and a half under its own mask");
    s->weight = p.mean->weight;
    count_id sum = p.mean->sum;
    return ask_sum(&w->q, end ? 0 : sum, end ? sum : 0, constant - 0.5);
}

/* The sum over j <= i of P - F, plus F here, plus the total of F, is that over j <= i of P and over j >= i of F. */
fn find_balance(recognising *w, head_shape *s) {
    const model_head *h = head_of(w);
    query_parts p = read_query(w, &h->query);
    const model_term *k = single_term(&h->key, 1);
    const content *copy = k ? term_content(w, k) : NULL;
    double c = s->scale.c;
    bool grown = is_feature(w, &h->query, 1, POSITION_RATIO, false);
    if (!p.own || !copy || copy->kind != HOLDS_COPY || k->weight != 1)
        unlike(w, "a mean with an own part, and a total at the start sentinel, were expected");
    if (h->mask != TEMPER_MASK_UP_TO) unlike(w, "it compares sums of both sides under a mask that is not j <= i");
    if (grown) {
        c = term_form(w, rows_begin_of(&h->query, 1))->size.c;
        bool fits = is_feature(w, &h->key, 0, POSITION_START_SIZE, false) && !s->scaled;
        if (!fits || term_form(w, rows_begin_of(&h->key, 0))->size.c != c)
            unlike(w, "the factors of its two rows do not fit together");
    } else {
        bool fits = is_feature(w, &h->query, 1, POSITION_INVERSE, false) &&
                    is_feature(w, &h->key, 0, POSITION_START_SHARE, false);
        if (!fits || (is_soft(w) && !s->scaled)) unlike(w, "the factors of its two rows do not fit together");
        if (s->scaled && !(s->scale.size == FORM_POWER && s->scale.power == 2))
            unlike(w, "its scale is not a multiple of N*N");
    }
    check_others(w, s, &p, c, false);
    for (uint32_t v = 0; v < h->value.count; v++)
        if (!is_indicator(w, &h->value, v, false)) unlike(w, "its value is not the start sentinel's indicator");
    if (p.mean->mask != TEMPER_MASK_UP_TO || !p.mean->whole || !is_half(p.mean->start) || p.mean->end != 0)
        unlike(w, "the mean that it compares is not one of whole numbers and a half under j <= i");
    if (p.own->sum != copy->sum) unlike(w, "its own part is not what its total adds up");
    s->weight = p.mean->weight;
    s->own = p.own->weight;
    s->own_units = p.own->units;
    s->total = copy->weight;
    count_id past = count_combine(&w->q.counts, p.mean->sum, 1, copy->sum);
    return ask_sum(&w->q, past, copy->sum, p.mean->start - 0.5);
}
