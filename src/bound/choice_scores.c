/* How far computed scores and logits are off: doc/certificate.md, "Errors of scores". */
#include "bound/choice_work.h"

double scale_at(const at_length *w, uint32_t layer, uint32_t head) {
    const model_head *h = &w->r->m->layers[layer].heads[head];
    if (h->choice != TEMPER_CHOICE_SOFTMAX) return 1;
    if (w->r->scales) return w->r->scales[w->r->f->head_start[layer] + head];
    if (!h->scale) return 1;
    if (head_reads_position(h)) return NAN; /* each row has its own: nothing is known */
    return format_round(w->b->a, expression_eval(h->scale, 0, (double)w->n, (double)w->size));
}

/* The sums over dimensions. */
typedef struct dimensions {
    const ball *largest; /* S */
    const ball *off;     /* delta_0 */
    const ball *query;   /* the largest component of a query */
    const ball *keys;    /* of all keys together */
    int grid;            /* of exact scores */
    bool clean;          /* no row is off */
    bool constant;       /* all scores of a row are the same sum of the same numbers */
} dimensions;

/* On paper: "Errors of scores". */
static void add_dimension(const at_length *w, dimensions *s, uint32_t layer, uint32_t head, uint32_t d) {
    const bounds *b = w->b;
    const model_head *h = &w->r->m->layers[layer].heads[head];
    const layer_facts *known_of = &w->r->f->all->layers[layer];
    const known *query = &known_of->heads[head].query[d], *key = &known_of->heads[head].key[d];
    const ball *eq = length_row_error(w, &h->query, d, known_of->before, layer + 1, head + 1);
    const ball *ek = length_row_error(w, &h->key, d, known_of->before, layer + 1, head + 1);
    const ball *q = b_add(b, b_double(b, known_size(query)), eq), *k = b_add(b, b_double(b, known_size(key)), ek);
    double width = known_width(key);
    s->clean = s->clean && b_is_zero(b, eq) && b_is_zero(b, ek);
    s->largest = b_add(b, s->largest, b_mul(b, q, k));
    s->query = b_max(b, s->query, q);
    s->keys = b_add(b, s->keys, k);
    if (!b_is_zero(b, q) && !(width == 0 && b_is_zero(b, ek))) {
        s->constant = false;
        s->off = b_add(b, s->off, b_add(b, b_mul(b, eq, b_double(b, width)), b_shift(b, b_mul(b, q, ek), 1)));
    }
    if (known_size(query) > 0 && known_size(key) > 0) {
        bool none = query->grid <= GRID_NONE || key->grid <= GRID_NONE;
        int grid = none ? GRID_NONE : query->grid + key->grid;
        if (grid < s->grid) s->grid = grid;
    }
}

/* On paper: "Errors of scores". */
static void add_tie_break(const at_length *w, dimensions *s, const tie_break *tie) {
    const bounds *b = w->b;
    const ball *reach = b_mul(b, b_double(b, tie->step), b_int(b, (int64_t)w->size - 1));
    const ball *query = b_double(b, tie->query);
    s->largest = b_add(b, s->largest, reach);
    s->query = b_max(b, s->query, query);
    s->keys = b_add(b, s->keys, b_div(b, reach, query));
    s->constant = false;
    if (double_grid(tie->step) < s->grid) s->grid = double_grid(tie->step);
}

/* rho: what the rounding of two scores and logits can do to their difference. `moved`: each logit by a unit in the
   last place, too. */
/* On paper: "Errors of scores". */
static const ball *score_rounding(const at_length *w, const dimensions *s, uint64_t rows, double scale, bool moved) {
    const bounds *b = w->b;
    const ball *tau = w->rules.tau, *lambda = b_double(b, scale);
    const ball *factor = b_grow(b, b->unit_a, moved ? rows + 4 : rows + 2);
    const ball *rho = b_shift(b, b_mul(b, s->largest, factor), 1);
    rho = b_add(b, rho, b_times(b, 8 * ((int64_t)rows + 2), tau));
    if (scale < 0.25) { /* what subnormal products and logits lose does not shrink with the scale */
        const ball *lost = b_times(b, 2 * ((int64_t)rows + 2), b_sub(b, tau, b->tiny_s));
        rho = b_add(b, rho, b_div(b, lost, lambda));
    }
    if (!b->ascending) /* queries are multiplied by the scale, and what a small product loses is multiplied by keys */
        rho = b_add(b, rho, b_div(b, b_shift(b, b_mul(b, tau, s->keys), 1), lambda));
    return rho;
}

/* upsilon: how far two equal logits are apart once each is moved by a unit in the last place. */
/* On paper: "Errors of scores". */
static const ball *last_places(const at_length *w, const dimensions *s, uint64_t rows, double scale) {
    const bounds *b = w->b;
    if (b_is_zero(b, s->largest)) return b->zero;
    const ball *factor = b_mul(b, b_more(b, b->unit_a, rows + 2), b_grow(b, b->unit_a, 2));
    const ball *lost = b_div(b, b_sub(b, w->rules.tau, b->tiny_s), b_double(b, scale));
    return b_shift(b, b_add(b, b_mul(b, s->largest, factor), lost), 1);
}

/* Neither a logit nor a difference of two overflows, and errors stay in proportion. */
/* On paper: "Errors of scores". */
static bool scores_have_room(const at_length *w, const dimensions *s, const ball *logit, uint64_t rows,
                             double scale) {
    const bounds *b = w->b;
    if (!growth_is_small(&w->rules, rows + 4)) return false;
    const ball *grown = b_more(b, b->unit_a, rows + 4), *query = b_mul(b, b_double(b, scale), s->query);
    return sum_has_room(&w->rules, b_mul(b, grown, s->largest), b->a) &&
           sum_has_room(&w->rules, b_mul(b, grown, logit), b->a) &&
           sum_has_room(&w->rules, b_mul(b, grown, query), b->a);
}

/* On paper: "Errors of scores". */
score_error score_errors(const at_length *w, uint32_t layer, uint32_t head, double scale) {
    const bounds *b = w->b;
    const model_head *h = &w->r->m->layers[layer].heads[head];
    const tie_break *tie = &w->r->ties[w->r->f->head_start[layer] + head];
    bool broken = tie->step > 0;
    uint64_t rows = h->query.count;
    dimensions s = {b->zero, b->zero, b->zero, b->zero, GRID_ANY, true, true};
    for (uint32_t d = 0; d < rows; d++)
        if (!(broken && d == tie->row)) add_dimension(w, &s, layer, head, d);
    if (broken) add_tie_break(w, &s, tie);
    const ball *logit = b_mul(b, b_double(b, scale), s.largest);
    if (!scores_have_room(w, &s, logit, rows, scale)) length_too_large(w, layer + 1, head + 1);
    int shift = log2_of(scale);
    bool exact = s.clean && shift >= 0 && sum_fits(&w->rules, s.largest, s.grid, b->a) &&
                 sum_fits(&w->rules, logit, s.grid <= GRID_NONE ? GRID_NONE : s.grid + shift, b->a);
    bool moved = h->choice == TEMPER_CHOICE_SOFTMAX && !h->adaptive;
    const ball *apart = moved ? last_places(w, &s, rows, scale) : b->zero;
    score_error out = {.tie_off = apart, .lose_off = apart, .largest = s.largest, .logit = logit};
    if (s.constant || exact) return out;
    out.lose_off = score_rounding(w, &s, rows, scale, moved && !b_is_zero(b, s.largest));
    if (s.clean && rows == 1 && !broken) return out; /* keys that tie are the same number */
    out.tie_off = out.lose_off = b_add(b, s.off, out.lose_off);
    return out;
}
