/* What a head gives, and how far that is off: doc/certificate.md, "Errors of means". */
#include "bound/choice_share.h"
#include "bound/choice_work.h"

/* What is known of a head's rows before its values are looked at. */
typedef struct row_weights {
    const ball *share; /* D */
    bool one_hot;      /* one weight of a row is exactly 1, the others are exactly 0 */
    bool even;         /* all weights of a row are exactly 1 */
    bool settled;      /* those of winners are */
    const ball *apart; /* Lambda delta_T: how far the logits of winners are apart */
} row_weights;

/* nu: how far the stored weights of a row are from those that were added up, in proportion. Winners that are close
   weigh 1 once they are stored. */
/* On paper: "Errors of means". */
static const ball *stored_weights(const rounding_rules *r, const row_weights *x) {
    const bounds *b = r->b;
    const ball *losers = b_mul(b, x->share, r->storing);
    if (x->settled || b_is_zero(b, r->storing)) return losers;
    if (!b_is_at_most(b, x->apart, b_shift(b, r->storing, -2))) return r->storing;
    return b_add(b, losers, b_shift(b, x->apart, 1));
}

/* A mean of values that are exact, all with weight 1; NULL: its sum may be rounded. */
/* On paper: "Errors of means". */
static const ball *even_mean_error(const rounding_rules *r, const known *value, const known *output) {
    const bounds *b = r->b;
    const ball *size = b_double(b, known_size(value));
    if ((double)b->size > ldexp(1, b->a->precision) || !sum_fits(r, size, value->grid, b->s) ||
        !sum_fits(r, b_mul(b, b->m, size), value->grid, b->a))
        return NULL;
    if (sum_fits(r, b_double(b, known_size(output)), output->grid, b->s)) return b->zero;
    return stored_error(r, b_add(b, b_mul(b, size, b->unit_a), b_times(b, 4, r->tau)), size, NULL);
}

/* The error e_o of a stored mean of values that are off by `off` (e_v). */
/* On paper: "Errors of means". */
static const ball *mean_error(const rounding_rules *r, const known *value, const known *output, const ball *off,
                              const row_weights *x) {
    const bounds *b = r->b;
    if (x->one_hot) return off; /* the mean is a stored value, bit by bit */
    if (x->even && b_is_zero(b, off)) {
        const ball *even = even_mean_error(r, value, output);
        if (even) return even;
    }
    const ball *most = b_add(b, b_double(b, known_size(value)), off);
    const ball *theta = b_grow(b, b->unit_a, 4 * b->size + 12);
    if (!b_is_at_most(b, theta, b->quarter)) return b_none(b);
    /* (1 + u)^(4N+13)/(1 - theta) - 1 */
    const ball *quotient = b_div(b, b_add(b, b_grow(b, b->unit_a, 4 * b->size + 13), theta), b_sub(b, b->one, theta));
    const ball *rounding = b_add(b, quotient, b_shift(b, stored_weights(r, x), 1));
    const ball *tiny = b_mul(b, b_times(b, 16 * (int64_t)b->size, r->tau), b_add(b, most, b->one));
    const ball *error = b_add(b, off, b_mul(b, x->share, b_double(b, known_width(value))));
    error = b_add(b, b_add(b, error, b_mul(b, most, rounding)), tiny);
    bool holds = sum_fits(r, b_double(b, known_size(output)), output->grid, b->s);
    return stored_error(r, error, most, holds ? error : NULL);
}

/* On paper: "Errors of means". */
static row_weights weights_of(const at_length *w, const head_facts *f, const model_head *h, double gap, double scale,
                              const score_error *off, double step) {
    const bounds *b = w->b;
    share_problem p = {.h = h,
                       .single = f->tieless,
                       .gap = gap,
                       .scale = scale,
                       .step = step,
                       .tie_off = off->tie_off,
                       .lose_off = off->lose_off,
                       .largest = off->largest};
    bool same = b_is_zero(b, off->tie_off);
    return (row_weights){.share = share_bound(&p, &w->rules),
                         .one_hot = share_peak(&p, &w->rules) == PEAK_ONE_HOT,
                         .even = h->hard_choice == TEMPER_CHOICE_AVERAGE && gap == INFINITY && same,
                         .settled = f->tieless || same,
                         .apart = b_mul(b, b_double(b, scale), off->tie_off)};
}

/* What a proof keeps of the head's scores. */
/* On paper: "Errors of means". */
static void keep_scores(const at_length *w, uint32_t index, const score_error *off, double scale) {
    if (w->r->guess) return;
    ball_set(&w->r->logit[index], off->logit);
    ball_set(&w->r->off[index], b_mul(w->b, b_double(w->b, scale), off->lose_off));
}

/* On paper: "Errors of means". */
void head_errors(const at_length *w, error_sum *to, uint32_t layer, uint32_t head) {
    const bounds *b = w->b;
    const model_head *h = &w->r->m->layers[layer].heads[head];
    const layer_facts *known_of = &w->r->f->all->layers[layer];
    const head_facts *f = &known_of->heads[head];
    uint32_t index = w->r->f->head_start[layer] + head;
    double scale = scale_at(w, layer, head), gap = w->r->f->gap[index][w->n];
    if (!(scale > 0) || !isfinite(scale)) {
        length_too_large(w, layer + 1, head + 1);
        return;
    }
    score_error off = score_errors(w, layer, head, scale);
    keep_scores(w, index, &off, scale);
    if (w->r->too_large) return;
    row_weights x = weights_of(w, f, h, gap, scale, &off, w->r->ties[index].step);
    if (!b_is_finite(b, x.share)) {
        length_too_large(w, layer + 1, head + 1);
        return;
    }
    const ball *worst = b->zero;
    for (uint32_t d = 0; d < h->value.count && !w->r->too_large; d++) {
        const ball *ev = length_row_error(w, &h->value, d, known_of->before, layer + 1, head + 1);
        const ball *e = mean_error(&w->rules, &f->value[d], &f->output[d], ev, &x);
        const ball *most = b_mul(b, b_shift(b, b->m, 1), b_add(b, b_double(b, known_size(&f->value[d])), ev));
        if (!b_is_finite(b, e) || !sum_has_room(&w->rules, most, b->a)) length_too_large(w, layer + 1, head + 1);
        worst = b_max(b, worst, e);
        const model_term *term = rows_begin_of(&h->output, d);
        for (size_t k = rows_size(&h->output, d); k-- > 0; term++)
            length_add(w, &to[term->channel], term->weight, &f->output[d], e);
    }
    if (w->r->guess) return;
    ball_set(&w->r->share[index], x.share);
    ball_set(&w->r->error[index], worst);
}
