/* Look-ups: a count of what is up to here, whose remainder is read, or any position that a sum names
   (doc/certificate.md, "Look-up"). */
#include <math.h>

#include "recognise/head_rows.h"

/* The keys: positions, or their squares, with this factor of N; *grown: by positions. */
static void find_keys(recognising *w, head_shape *s, bool *from_end) {
    const model_head *h = head_of(w);
    const model_term *k = single_term(&h->key, 0);
    const position_form *f = k ? term_form(w, k) : NULL;
    bool end = *from_end = f && f->mirrored;
    bool grown =
        is_feature(w, &h->key, 0, POSITION_SIZE_INDEX, end) && is_feature(w, &h->key, 1, POSITION_SIZE_INDEX_2, end);
    bool shares =
        is_feature(w, &h->key, 0, POSITION_SHARE_2, end) && is_feature(w, &h->key, 1, POSITION_SQUARE_2, end);
    if (!grown && !shares) unlike(w, "its keys are not positions and their squares");
    if (is_soft(w)) {
        if (grown == s->scaled) unlike(w, "its keys do not fit its scale");
        if (s->scaled && !(s->scale.size == FORM_POWER && s->scale.power == 3))
            unlike(w, "its scale is not a multiple of N*N*N");
        s->kappa = s->scale.c;
    }
    if (grown) {
        double c = term_form(w, rows_begin_of(&h->key, 0))->size.c;
        if (term_form(w, rows_begin_of(&h->key, 1))->size.c != c) unlike(w, "its two keys have different factors");
        s->kappa = c;
    } else if (!is_soft(w)) { /* scores by temperature, without their scale */
        s->kappa = s->scaled ? s->scale.c : MODEL_KAPPA_LOOKUP;
        s->scaled = true;
    }
}

/* The condition that a mean counts; 0: none. */
static fn counted_condition(recognising *w, const content *mean) {
    const count_form *form = count_at(&w->q.counts, mean->sum);
    if (form->count == 1 && form->letters == FN_FALSE && form->terms[0].weight == 1) return form->terms[0].f;
    if (form->count == 0) return fn_is_boolean(&w->q.d, form->letters) ? form->letters : 0;
    /* 1 - [f] is kept as [not f]; what is left are sums of several conditions, at most one of which holds */
    double least, most;
    count_extremes(&w->q.counts, mean->sum, &least, &most);
    if (least < 0) return 0;
    fn *parts = arena_alloc(w->arena, form->count + 1, sizeof *parts);
    for (size_t k = 0; k < form->count; k++) parts[k] = fn_times(&w->q.d, form->terms[k].f, form->terms[k].weight);
    parts[form->count] = form->letters;
    fn x = fn_add_all(&w->q.d, parts, form->count + 1);
    return fn_is_boolean(&w->q.d, x) ? x : 0;
}

/* Under a mask that ends at i, keys beyond i are missing: the position must never lie there. */
static void check_reach(recognising *w, const content *mean, const lookup_place *p) {
    const model_head *h = head_of(w);
    double least, most;
    if (h->mask == TEMPER_MASK_ALL) {
        if (!w->m->has_end) unlike(w, "it looks up anywhere, and there is no end sentinel");
        return;
    }
    if (h->mask != mean->mask || p->from_end != p->forward)
        unlike(w, "it looks up under a mask that its mean does not have");
    count_extremes(&w->q.counts, count_merge(&w->q.counts, p->sum), &least, &most);
    if (!p->x && (most > 1 || p->constant > 0)) unlike(w, "it may look up a position that its mask hides");
}

void recognise_lookup(recognising *w, head_shape *s, lookup_place *p) {
    const model_head *h = head_of(w);
    const model_term *q = single_term(&h->query, 0), *b = single_term(&h->query, 1);
    const content *mean = q ? term_content(w, q) : NULL;
    if (!mean || mean->kind != HOLDS_MEAN || q->weight != 2) unlike(w, "a query of twice a mean was expected");
    bool forward = mean->mask == TEMPER_MASK_FROM;
    if (forward ? !w->m->has_end : mean->mask != TEMPER_MASK_UP_TO)
        unlike(w, "it looks up a mean under a mask without a sentinel");
    const position_form *inverse = b ? term_form(w, b) : NULL;
    if (!inverse || inverse->kind != POSITION_INVERSE || inverse->mirrored != forward || b->weight != -1 ||
        is_soft_only(w, b))
        unlike(w, "a second query of -1/(i + 1) was expected");
    find_keys(w, s, &p->from_end);
    double constant = forward ? mean->end : mean->start, other = forward ? mean->start : mean->end;
    if (!mean->whole || constant != floor(constant) || fabs(constant) > 0x1p52 || other != 0)
        unlike(w, "the mean that it looks up is not one of whole numbers");
    p->forward = forward;
    p->sum = mean->sum;
    p->constant = constant;
    p->x = constant == 0 && h->mask == mean->mask && p->from_end == forward ? counted_condition(w, mean) : 0;
    check_reach(w, mean, p);
    s->anywhere = !p->x;
    if (s->anywhere) s->weight = mean->weight;
}

fn looked_up(recognising *w, const lookup_place *p, uint32_t v) {
    const model_head *h = head_of(w);
    const model_term *t = single_term(&h->value, v);
    const position_form *f = t ? term_form(w, t) : NULL;
    if (f && f->kind == POSITION_RESIDUE) {
        if (!p->x || f->mirrored != p->from_end || t->weight != 1 || is_soft_only(w, t))
            unlike(w, "it reads a remainder of something that is no count");
        return ask_residue(&w->q, p->forward, p->x, f->factor, f->constant, f->modulus, f->at_most, f->remainder);
    }
    fn y = condition_row(w, &h->value, v, "a value");
    count_id sum = p->from_end ? count_combine(&w->q.counts, p->sum, -1, 0) : p->sum;
    fn x = ask_read(&w->q, p->forward, sum, p->from_end, p->from_end ? 0 - p->constant : p->constant, y);
    if (!x) unlike(w, "it reads at a position with numbers that are too large");
    return x;
}
