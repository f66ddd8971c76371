/* Which question a head asks, from its rows and what the channels hold that they read: one function per role. The
   structure that each bound needs is doc/certificate.md, "Heads". */
#include <math.h>

#include "recognise/recognise_work.h"

static const model_head *head_of(const recognising *w) { return &w->m->layers[w->layer - 1].heads[w->head - 1]; }

/* Softmax as it stands; else its hard choice. */
static bool is_soft(const recognising *w) { return !w->hard && head_of(w)->choice == TEMPER_CHOICE_SOFTMAX; }

/* ---- rows ---- */

/* A sum of Booleans: its value on letters and sentinels. */
typedef struct boolean_sum {
    fn f; /* numbers */
    double start, end;
    size_t terms;
} boolean_sum;

static void add_boolean(recognising *w, boolean_sum *s, const model_term *t) {
    const content *x = &w->now[t->channel];
    decisions *d = &w->q.d;
    s->f = s->terms++ ? fn_add(d, s->f, fn_times(d, x->f, t->weight)) : fn_times(d, x->f, t->weight);
    s->start = exact_add(w->arena, s->start, exact_mul(w->arena, x->start, t->weight));
    s->end = exact_add(w->arena, s->end, exact_mul(w->arena, x->end, t->weight));
}

static const content *term_content(const recognising *w, const model_term *t) { return &w->now[t->channel]; }
static const position_form *term_form(const recognising *w, const model_term *t) {
    static const position_form none = {.kind = POSITION_UNKNOWN};
    return w->now[t->channel].kind == HOLDS_FEATURE ? &w->forms[t->channel] : &none;
}
static bool is_soft_only(const recognising *w, const model_term *t) { return w->m->channels[t->channel].soft_only; }

/* A hard run has 0 there: the feature is left out. What letters or layers write to a soft channel stays. */
static bool is_silent(const recognising *w, const model_term *t) {
    return w->hard && is_soft_only(w, t) && term_content(w, t)->kind == HOLDS_FEATURE;
}

/* A row of Booleans only. */
static boolean_sum boolean_row(recognising *w, const model_rows *r, uint32_t row, const char *what) {
    boolean_sum s = {.f = FN_FALSE};
    int grid;
    for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++) {
        if (term_content(w, &r->terms[k])->kind != HOLDS_BOOLEAN)
            unlike(w, "%s reads channel %u, which holds no Boolean there", what, r->terms[k].channel);
        add_boolean(w, &s, &r->terms[k]);
    }
    double size = row_weight(w, r, row, &grid);
    keep_sum(w, EXACT_ROW, size, grid);
    return s;
}

/* The same, with 0 or 1 on letters and 0 on sentinels. */
static fn condition_row(recognising *w, const model_rows *r, uint32_t row, const char *what) {
    boolean_sum s = boolean_row(w, r, row, what);
    if (!fn_is_boolean(&w->q.d, s.f)) unlike(w, "%s is not 0 or 1 on every letter", what);
    if (s.start != 0 || s.end != 0) unlike(w, "%s is not 0 on sentinels", what);
    return s.f;
}

/* A row with one term; NULL if it has more, or none. */
static const model_term *single_term(const model_rows *r, uint32_t row) {
    return rows_size(r, row) == 1 ? rows_begin_of(r, row) : NULL;
}

/* A row that is this feature with weight 1. */
static bool is_feature(const recognising *w, const model_rows *r, uint32_t row, position_kind kind, bool mirrored) {
    const model_term *t = single_term(r, row);
    const position_form *f = t ? term_form(w, t) : NULL;
    return f && f->kind == kind && f->mirrored == mirrored && t->weight == 1 && !is_soft_only(w, t);
}

static const row_shape *shape_rows(recognising *w, const model_rows *r) {
    row_shape *rows = arena_alloc(w->arena, r->count, sizeof *rows);
    for (uint32_t row = 0; row < r->count; row++) {
        const model_term *t = rows_begin_of(r, row);
        term_shape *terms = arena_alloc(w->arena, rows_size(r, row), sizeof *terms);
        rows[row] = (row_shape){.terms = terms};
        for (size_t k = 0; k < rows_size(r, row); k++, t++) {
            if (is_silent(w, t)) continue;
            const content *x = term_content(w, t);
            terms[rows[row].count++] =
                (term_shape){.weight = t->weight,
                             .form = x->kind == HOLDS_FEATURE ? w->forms[t->channel].size
                                                              : (feature_form){.size = FORM_BOOLEAN, .c = 1, .d = 1}};
        }
    }
    return rows;
}

/* ---- once ---- */

static fn find_once(recognising *w, head_shape *s) {
    const model_head *h = head_of(w);
    const model_term *q = h->query.count == 1 ? single_term(&h->query, 0) : NULL;
    const position_form *f = q ? term_form(w, q) : NULL;
    if (!f || q->weight != 1 || is_soft_only(w, q))
        unlike(w, "it averages, so a query of one feature with weight 1 was expected");
    bool one = f->kind == POSITION_CONSTANT && f->size.c == 1;
    bool log = f->kind == POSITION_LOG || f->kind == POSITION_LOG_STEP;
    if (!one && !log) unlike(w, "its query is neither 1 nor ln(N) and a constant");
    if (is_soft(w)) {
        if (one != s->scaled) unlike(w, "one factor ln(N) + C was expected, in its scale or in its query");
        if (log) s->scale = f->size;
        bool fits = s->scale.size == FORM_LOG || (log && s->scale.size == FORM_LOG_STEP);
        if (!fits) unlike(w, "its scale is not ln(N) and a constant");
        s->kappa = s->scale.c;
    }
    fn x = condition_row(w, &h->key, 0, "its key");
    for (uint32_t v = 0; v < h->value.count; v++)
        if (condition_row(w, &h->value, v, "a value") != x)
            unlike(w, "it averages, so its values were expected to be its key");
    return x;
}

/* ---- nearest ---- */

typedef struct digit {
    double place, modulus; /* modulus 0: the highest */
    double factor;
} digit;

enum { MOST_DIGITS = 16, MOST_ROWS = 16 };

typedef struct nearest_parts {
    boolean_sum test;
    bool tests;
    double test_factor; /* of c_j, times N: alpha >= test_factor N */
    double index;       /* factor of j in the logit, signed */
    digit digits[MOST_DIGITS];
    size_t digit_count;
} nearest_parts;

/* The positions in the key of a row whose query is the constant q. */
static void nearest_positions(recognising *w, nearest_parts *p, const head_shape *s, double q, const model_term *t) {
    const position_form *f = term_form(w, t);
    double factor = exact_mul(w->arena, q, t->weight);
    if (!is_soft_only(w, t)) unlike(w, "its tie-break is not marked as one");
    if (f->mirrored) unlike(w, "it counts positions from the end");
    if (s->scaled ? f->kind != POSITION_SHARE : f->kind == POSITION_SHARE)
        unlike(w, "i/N under a scale, or i without one, was expected");
    switch (f->kind) {
    case POSITION_SHARE:
    case POSITION_INDEX:
        if (p->index != 0 || p->digit_count) unlike(w, "it reads positions twice");
        p->index = exact_mul(w->arena, factor, f->kind == POSITION_SHARE ? s->scale.c : f->size.c);
        break;
    case POSITION_CENTRED:
    case POSITION_DIGIT:
    case POSITION_TOP:
        if (p->index != 0 || p->digit_count == MOST_DIGITS) unlike(w, "it reads positions twice");
        p->digits[p->digit_count++] = (digit){.place = f->kind == POSITION_DIGIT ? f->size.d
                                                       : f->kind == POSITION_TOP ? f->size.c
                                                                                 : 1,
                                              .modulus = f->kind == POSITION_DIGIT ? f->size.c : 0,
                                              .factor = factor};
        break;
    default: unlike(w, "its key reads a feature that is no position");
    }
}

/* The digits of i - floor(N/2), each times its place: the place of a digit is the product of the moduli before it. */
static double put_digits_together(recognising *w, nearest_parts *p) {
    double place = 1, lowest = 0;
    for (size_t done = 0; done < p->digit_count; done++) {
        const digit *found = NULL;
        for (size_t k = 0; k < p->digit_count; k++)
            if (p->digits[k].place == place && p->digits[k].factor != 0) {
                if (found) unlike(w, "it reads a digit of positions twice");
                found = &p->digits[k];
            }
        bool highest = done + 1 == p->digit_count;
        if (!found || (found->modulus == 0) != highest) unlike(w, "its digits of positions do not fit together");
        if (done == 0) lowest = found->factor;
        if (found->factor != exact_mul(w->arena, lowest, place)) unlike(w, "a digit of positions has a wrong weight");
        if (!highest) place = exact_mul(w->arena, place, found->modulus);
    }
    return lowest;
}

static bool is_constant_one(const recognising *w, const model_term *t) {
    return term_form(w, t)->kind == POSITION_CONSTANT && term_form(w, t)->size.c == 1;
}

static void nearest_row(recognising *w, nearest_parts *p, const head_shape *s, uint32_t row) {
    const model_head *h = head_of(w);
    const model_term *q = single_term(&h->query, row);
    const position_form *f = q ? term_form(w, q) : NULL;
    if (!f || is_soft_only(w, q) || !(q->weight > 0)) unlike(w, "a query of one feature was expected");
    bool constant = f->kind == POSITION_CONSTANT && f->size.c == 1, power = f->kind == POSITION_CEIL2;
    if (!constant && !power && f->kind != POSITION_SIZE)
        unlike(w, "its query is neither a weight of the constant 1 nor a multiple of N");
    if (!constant && (q->weight != 1 || s->scaled))
        unlike(w, "a query that grows with N has a weight that is not 1, or a scale");
    double value = exact_mul(w->arena, q->weight, f->size.c), offset = 0;
    size_t places = 0;
    boolean_sum test = {.f = FN_FALSE};
    for (uint32_t k = h->key.start[row]; k < h->key.start[row + 1]; k++) {
        const model_term *t = &h->key.terms[k];
        if (term_content(w, t)->kind == HOLDS_BOOLEAN) {
            add_boolean(w, &test, t);
        } else if (is_constant_one(w, t) && power && !is_soft_only(w, t)) {
            if (offset != 0) unlike(w, "its key has two constants");
            offset = t->weight;
        } else if (is_silent(w, t)) {
            continue;
        } else if (constant && places++ == 0) {
            nearest_positions(w, p, s, value, t);
        } else {
            unlike(w, "its key reads something that is neither a Boolean nor one position");
        }
    }
    if (!test.terms) {
        if (offset != 0) unlike(w, "its key is a constant");
        return;
    }
    if (p->tests) unlike(w, "it has candidates in two rows");
    double most = 0, size = 0;
    int grid = GRID_OF_ZERO;
    decisions *d = &w->q.d;
    /* 0 for others, the same number above 0 for candidates */
    for (uint32_t k = h->key.start[row]; k < h->key.start[row + 1]; k++) {
        double weight = fabs(h->key.terms[k].weight);
        if (term_content(w, &h->key.terms[k])->kind != HOLDS_BOOLEAN) continue;
        most = fmax(most, weight);
        size = exact_add(w->arena, size, weight);
        if (grid_of(weight) < grid) grid = grid_of(weight);
    }
    keep_sum(w, EXACT_ROW, size, grid);
    fn x = fn_equal(d, test.f, most);
    if (fn_times(d, x, most) != test.f) unlike(w, "its key is not 0 or one other number on every letter");
    if (test.start != 0 || test.end != 0) unlike(w, "its key is not 0 on sentinels");
    if (power ? offset != -most : most != 1) unlike(w, "its candidates do not count as 1");
    p->tests = true;
    p->test = test;
    p->test.f = x;
    double factor = exact_mul(w->arena, value, most);
    if (power) factor = exact_mul(w->arena, factor, 1 / f->size.d); /* d is a power of two */
    if (s->scaled) factor = exact_mul(w->arena, factor, s->scale.c);
    if (is_soft(w) && (constant != s->scaled)) unlike(w, "its candidates' bonus does not grow with N");
    p->test_factor = factor;
}

static fn find_nearest(recognising *w, head_shape *s) {
    const model_head *h = head_of(w);
    nearest_parts p = {0};
    if (s->scaled && !(s->scale.size == FORM_POWER && s->scale.power == 1))
        unlike(w, "its scale is not a multiple of N");
    if (h->query.count > MOST_ROWS) unlike(w, "it has more than %d rows of queries", MOST_ROWS);
    for (uint32_t row = 0; row < h->query.count; row++) nearest_row(w, &p, s, row);
    s->rightmost = h->hard_choice == TEMPER_CHOICE_RIGHTMOST;
    s->tests = p.tests;
    if (is_soft(w)) {
        double factor = p.digit_count ? put_digits_together(w, &p) : p.index;
        if (factor == 0) unlike(w, "positions were not found in its scores");
        if ((factor > 0) != s->rightmost) unlike(w, "its positions count the wrong way for its choice");
        s->kappa = fabs(factor);
        if (p.tests && p.test_factor < s->kappa)
            unlike(w, "its candidates' bonus is less than all positions together");
    }
    bool forward = h->mask == TEMPER_MASK_AFTER || h->mask == TEMPER_MASK_FROM;
    if (!p.tests && (h->mask == TEMPER_MASK_ALL || s->rightmost == forward))
        unlike(w, "without candidates it does not choose the nearest position");
    return p.tests ? p.test.f : FN_TRUE;
}

/* ---- count ---- */

static void find_count(recognising *w, head_shape *s) {
    const model_head *h = head_of(w);
    if (s->scaled) unlike(w, "it has a scale and no scores");
    s->grid = GRID_OF_ZERO;
    for (uint32_t v = 0; v < h->value.count; v++) {
        int grid;
        double sum = row_weight(w, &h->value, v, &grid);
        s->weight = fmax(s->weight, sum);
        if (grid < s->grid) s->grid = grid;
        double letters = 0, edges = 0; /* exact, as the sum of all */
        for (uint32_t k = h->value.start[v]; k < h->value.start[v + 1]; k++) {
            const content *x = term_content(w, &h->value.terms[k]);
            double size = fabs(h->value.terms[k].weight);
            if (x->kind != HOLDS_BOOLEAN)
                unlike(w, "it counts channel %u, which holds no Boolean there", h->value.terms[k].channel);
            if (x->f != FN_FALSE)
                letters += size;
            else /* a sentinel's alone */
                edges += size * (x->start + x->end);
        }
        s->letters = fmax(s->letters, letters);
        s->edges = fmax(s->edges, edges);
    }
}

static content mean_of(recognising *w, uint32_t value) {
    const model_head *h = head_of(w);
    const model_rows *r = &h->value;
    content x = {.kind = HOLDS_MEAN, .mask = h->mask};
    count_term *terms = arena_alloc(w->arena, rows_size(r, value), sizeof *terms);
    int grid;
    size_t count = 0;
    for (uint32_t k = r->start[value]; k < r->start[value + 1]; k++) {
        const content *c = term_content(w, &r->terms[k]);
        terms[count++] = (count_term){c->f, r->terms[k].weight};
        x.start = exact_add(w->arena, x.start, exact_mul(w->arena, c->start, r->terms[k].weight));
        x.end = exact_add(w->arena, x.end, exact_mul(w->arena, c->end, r->terms[k].weight));
    }
    x.sum = count_from_terms(&w->q.counts, terms, count);
    x.whole = count_is_whole(&w->q.counts, x.sum);
    x.weight = row_weight(w, r, value, &grid);
    return x;
}

/* ---- compare and balance ---- */

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

static fn find_compare(recognising *w, head_shape *s) {
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
static fn find_balance(recognising *w, head_shape *s) {
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

/* ---- look-up ---- */

static fn find_lookup(recognising *w, head_shape *s) {
    const model_head *h = head_of(w);
    const model_term *q = single_term(&h->query, 0), *b = single_term(&h->query, 1);
    const content *mean = q ? term_content(w, q) : NULL;
    bool end = h->mask == TEMPER_MASK_FROM;
    if (end ? !w->m->has_end : h->mask != TEMPER_MASK_UP_TO) unlike(w, "it looks up under a mask without a sentinel");
    if (!mean || mean->kind != HOLDS_MEAN || q->weight != 2) unlike(w, "a query of twice a mean was expected");
    const position_form *inverse = b ? term_form(w, b) : NULL;
    if (!inverse || inverse->kind != POSITION_INVERSE || inverse->mirrored != end || b->weight != -1 ||
        is_soft_only(w, b))
        unlike(w, "a second query of -1/(i + 1) was expected");
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
    const count_form *form = count_at(&w->q.counts, mean->sum);
    bool single = form->count == 1 && form->letters == FN_FALSE && form->terms[0].weight == 1;
    bool letters = form->count == 0 && fn_is_boolean(&w->q.d, form->letters);
    if (mean->mask != h->mask || mean->start != 0 || mean->end != 0) unlike(w, "its mean has another mask");
    if (single) return form->terms[0].f;
    if (letters) return form->letters;
    /* 1 - [f] is kept as [not f]; what is left are sums of several conditions, at most one of which holds */
    fn *parts = arena_alloc(w->arena, form->count + 1, sizeof *parts);
    for (size_t k = 0; k < form->count; k++) parts[k] = fn_times(&w->q.d, form->terms[k].f, form->terms[k].weight);
    parts[form->count] = form->letters;
    fn x = fn_add_all(&w->q.d, parts, form->count + 1);
    if (!fn_is_boolean(&w->q.d, x)) unlike(w, "the mean that it looks up does not count a condition");
    return x;
}

/* What the look-up of the count of x reads as value v. */
static fn looked_up(recognising *w, fn x, uint32_t v) {
    const model_head *h = head_of(w);
    const model_term *t = single_term(&h->value, v);
    const position_form *f = t ? term_form(w, t) : NULL;
    bool end = h->mask == TEMPER_MASK_FROM;
    if (!f || f->kind != POSITION_RESIDUE || f->mirrored != end || t->weight != 1 || is_soft_only(w, t))
        unlike(w, "it looks up something that is no test of a remainder");
    return ask_residue(&w->q, end, x, f->factor, f->constant, f->modulus, f->at_most, f->remainder);
}

/* ---- equal shapes ---- */

static void describe_form(text *t, const feature_form *f) {
    text_printf(t, "%d %d %d %d %a %a,", (int)f->size, f->power, f->squares, f->logarithm, f->c, f->d);
}

static void describe_rows(text *t, const row_shape *rows, uint32_t count) {
    for (uint32_t r = 0; rows && r < count; r++) {
        text_putc(t, '[');
        for (size_t k = 0; k < rows[r].count; k++) {
            describe_form(t, &rows[r].terms[k].form);
            text_printf(t, "%a;", rows[r].terms[k].weight);
        }
        text_putc(t, ']');
    }
}

static uint32_t number_of(recognising *w, const head_shape *s) {
    text key;
    bool fresh;
    text_init(&key, w->arena);
    text_printf(&key, "%d %a %d %d ", (int)s->role, s->kappa, s->scaled, s->soft_ties);
    text_printf(&key, "%d %d %u ", s->rightmost, s->tests, s->rows);
    text_printf(&key, "%a %a %a %zu %d ", s->weight, s->total, s->own, s->own_units, s->grid);
    text_printf(&key, "%a %a ", s->letters, s->edges);
    describe_form(&key, &s->scale);
    describe_rows(&key, s->query, s->rows);
    describe_rows(&key, s->key, s->rows);
    uint32_t number = *table_put(&w->shape_index, key.data, key.length, (uint32_t)w->out->shape_count, &fresh);
    if (fresh) array_push(w->arena, w->out->shapes, w->out->shape_count, w->out->shape_capacity, *s);
    return number;
}

/* ---- heads ---- */

static bool reads_mean(const recognising *w, const model_rows *r) {
    for (uint32_t k = 0; r->count && k < r->start[1]; k++)
        if (term_content(w, &r->terms[k])->kind == HOLDS_MEAN) return true;
    return false;
}

static head_role role_of(const recognising *w) {
    const model_head *h = head_of(w);
    if (h->query.count == 0) return ROLE_COUNT;
    if (h->hard_choice != TEMPER_CHOICE_AVERAGE) return ROLE_NEAREST;
    if (!reads_mean(w, &h->query)) return ROLE_ONCE;
    if (h->query.count == 1) return ROLE_COMPARE;
    const model_term *q = single_term(&h->query, 0);
    return q && q->weight == 2 ? ROLE_LOOKUP : ROLE_BALANCE;
}

static void check_choice(const recognising *w, head_role role) {
    const model_head *h = head_of(w);
    bool softmax = h->choice == TEMPER_CHOICE_SOFTMAX;
    if (h->adaptive) unlike(w, "it is adaptive");
    if (h->hard_choice == TEMPER_CHOICE_SOFTMAX) unlike(w, "it stands for no hard choice");
    if (!w->hard && softmax != (w->m->method != TEMPER_METHOD_HARD))
        unlike(w, "it is %s in a model of the other kind", softmax ? "softmax" : "a hard choice");
    if (role == ROLE_COUNT && h->hard_choice != TEMPER_CHOICE_AVERAGE)
        unlike(w, "it has no scores, and does not average");
    if ((role == ROLE_BALANCE || role == ROLE_LOOKUP) && h->query.count != 2)
        unlike(w, "two rows of queries were expected");
}

/* Writes a value: its channels were 0, and nothing else writes them in this layer. */
static void write_value(recognising *w, uint32_t v, const content *x) {
    const model_rows *r = &head_of(w)->output;
    for (uint32_t k = r->start[v]; k < r->start[v + 1]; k++) {
        uint32_t c = r->terms[k].channel;
        if (r->terms[k].weight != 1) unlike(w, "it writes with a weight that is not 1");
        if (!is_zero(&w->now[c]) || w->written[c] == w->layer)
            unlike(w, "it writes to channel %u, which is not 0 there", c);
        w->written[c] = w->layer;
        array_push(w->arena, w->changes, w->change_count, w->change_capacity, (change){c, *x});
        if (x->kind == HOLDS_RAW) array_push(w->arena, w->raw, w->raw_count, w->raw_capacity, c);
    }
}

static uint32_t recognise_head(recognising *w) {
    const model_head *h = head_of(w);
    head_shape s = {.role = role_of(w), .soft_ties = true, .first_layer = w->layer - 1, .first_head = w->head - 1};
    check_choice(w, s.role);
    s.scaled = h->choice == TEMPER_CHOICE_SOFTMAX && h->scale;
    if (s.scaled && head_reads_position(h)) unlike(w, "its scale reads the position");
    if (s.scaled) {
        position_form f = position_form_of(h->scale);
        bool known = f.kind == POSITION_LOG || f.kind == POSITION_SIZE || f.kind == POSITION_SIZE_2 ||
                     f.kind == POSITION_SIZE_3;
        if (!known) unlike(w, "its scale, %.80s, is none that is known", h->scale_text);
        s.scale = f.size;
    }
    fn x = FN_FALSE, exists = FN_FALSE;
    switch (s.role) {
    case ROLE_ONCE:
        x = find_once(w, &s);
        exists = ask_exists(&w->q, h->mask, x);
        break;
    case ROLE_NEAREST: x = find_nearest(w, &s); break;
    case ROLE_COUNT: find_count(w, &s); break;
    case ROLE_COMPARE: x = find_compare(w, &s); break;
    case ROLE_BALANCE: x = find_balance(w, &s); break;
    case ROLE_LOOKUP: x = find_lookup(w, &s); break;
    case ROLE_NONE: break;
    }
    if (s.role == ROLE_ONCE || s.role == ROLE_NEAREST) {
        s.rows = h->query.count;
        s.query = shape_rows(w, &h->query);
        s.key = shape_rows(w, &h->key);
    }
    uint32_t number = number_of(w, &s);
    for (uint32_t v = 0; v < h->value.count; v++) {
        content out = {.kind = HOLDS_RAW, .shape = number};
        if (s.role == ROLE_COUNT) {
            out = mean_of(w, v);
        } else if (s.role == ROLE_NEAREST) {
            fn y = condition_row(w, &h->value, v, "a value");
            if (fn_and(&w->q.d, y, fn_not(&w->q.d, x)) != FN_FALSE)
                unlike(w, "a value is not 0 where its key has no candidate");
            out.f = ask_choice(&w->q, h->mask, h->hard_choice, x, y);
        } else {
            out.f = s.role == ROLE_ONCE ? exists : s.role == ROLE_LOOKUP ? looked_up(w, x, v) : x;
        }
        write_value(w, v, &out);
    }
    return number;
}

void recognise_heads(recognising *w) {
    const model_layer *l = &w->m->layers[w->layer - 1];
    uint32_t *shapes = arena_alloc(w->arena, l->head_count, sizeof *shapes);
    w->change_count = w->raw_count = 0;
    for (w->head = 1; w->head <= l->head_count; w->head++) {
        const model_head *h = head_of(w);
        keep_stored(w, &h->query, w->layer, w->head);
        keep_stored(w, &h->key, w->layer, w->head);
        keep_stored(w, &h->value, w->layer, w->head);
        keep_stored(w, &h->output, w->layer, w->head);
        shapes[w->head - 1] = recognise_head(w);
    }
    w->head = 0;
    w->out->layers[w->layer - 1].head_shapes = shapes;
    for (size_t k = 0; k < w->change_count; k++) w->now[w->changes[k].channel] = w->changes[k].to;
    w->change_count = 0;
}
