/* Attention: which of the seven kinds of doc/certificate.md, "Heads", a head is, from its rows and expressions alone,
   and what its output means. A head that fits none is refused. */
#include <math.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/audit_match.h"

typedef struct head_reader {
    audit *a;
    audit_head *f;
    const model_head *head;
    uint32_t layer, number; /* from 1 */
    feature scale;          /* UNKNOWN: none */
    row_value query[HEAD_ROWS], key[HEAD_ROWS];
    content *made; /* [values] what goes to the output channels */
} head_reader;

#define REFUSE(r, ...) audit_refuse((r)->a, (r)->layer, (r)->number, __VA_ARGS__)
#define NEED(r, c, ...)                                                                                              \
    do {                                                                                                             \
        if (!(c)) REFUSE(r, __VA_ARGS__);                                                                            \
    } while (0)

static const content *content_of(const head_reader *r, const model_term *t) { return &r->a->channels[t->channel]; }

/* The feature of a row that has no other term, with this weight; NULL: it is another row. Booleans that cancel out
   are terms, too: a feature that is added to one of them loses its last bits. */
static const feature *lone_feature(const head_reader *r, const row_value *row, double weight) {
    if (row->other_count != 1 || row->too_many || row->exact_count) return NULL;
    const content *c = content_of(r, &row->other[0]);
    return c->kind == HOLDS_FEATURE && row->other[0].weight == weight ? &c->feature : NULL;
}

/* Whether the row has this many terms, none of which is exact. */
static bool has_terms(const row_value *row, size_t count) {
    return row->other_count == count && !row->too_many && !row->exact_count;
}

/* A product of numbers that is what it would be on paper. */
static double times(const head_reader *r, double x, double y) {
    double z = x * y;
    NEED(r, fma(x, y, -z) == 0 && (z == 0 ? x == 0 || y == 0 : fabs(z) >= 0x1p-900 && fabs(z) <= 0x1p900),
         "its weights and constants have no exact product");
    return z;
}

/* The term with weight 1 that holds this kind of thing; NULL: none. */
static const content *find_term(const head_reader *r, const row_value *row, content_kind kind, feature_kind of) {
    for (size_t k = 0; k < row->other_count; k++) {
        const content *c = content_of(r, &row->other[k]);
        if (c->kind == kind && row->other[k].weight == 1 && (kind != HOLDS_FEATURE || c->feature.kind == of))
            return c;
    }
    return NULL;
}

static bool has_kind(const head_reader *r, const row_value *rows, content_kind kind) {
    for (size_t q = 0; q < r->head->query.count; q++)
        for (size_t k = 0; k < rows[q].other_count; k++)
            if (content_of(r, &rows[q].other[k])->kind == kind) return true;
    return false;
}

/* The number that the row is at every position; NaN if it is none. */
static double constant_of(const head_reader *r, const row_value *row) {
    const diagram *d = &r->a->meaning.d;
    if (!row->exact || !dd_is_leaf(d, row->letters)) return NAN;
    double c = dd_value(d, row->letters);
    return row->start == c && row->end == c ? c : NAN;
}

static bool is_boolean_on_letters(const head_reader *r, const row_value *row) {
    return row->exact && row->start == 0 && row->end == 0 && dd_is_boolean(&r->a->meaning.d, row->letters);
}

static row_value value_row(const head_reader *r, size_t k) {
    return contents_row(r->a, &r->head->value, k, r->layer, r->number);
}

static bool looks_back(const head_reader *r) {
    return r->head->mask == TEMPER_MASK_BEFORE || r->head->mask == TEMPER_MASK_UP_TO;
}

static void make_raw(const head_reader *r, size_t k, dd letters) {
    r->made[k] =
        (content){.kind = HOLDS_RAW, .letters = letters, .head = (size_t)(r->f - r->a->heads), .not_negative = true};
}

/* ---- once ---- */

static void read_once(head_reader *r) {
    const feature *log = lone_feature(r, &r->query[0], 1);
    const row_value *key = &r->key[0];
    r->f->kind = KIND_ONCE;
    r->f->by_positions = !r->scale.kind;
    NEED(r, r->head->query.count == 1, "it has more than one query row, and a logarithm");
    if (r->scale.kind) {
        NEED(r, r->scale.kind == FEATURE_LOG && constant_of(r, &r->query[0]) == 1, "its query is not 1 everywhere");
        r->f->constant = r->scale.constant;
    } else {
        NEED(r, log && (log->kind == FEATURE_LOG || log->kind == FEATURE_STEPPED), "its query is not ln(N) + C");
        r->f->constant = log->constant;
        r->f->stepped = log->kind == FEATURE_STEPPED;
    }
    NEED(r, is_boolean_on_letters(r, key), "its key is not 0 or 1 on letters and 0 on sentinels");
    for (size_t k = 0; k < r->head->value.count; k++) {
        row_value v = value_row(r, k);
        NEED(r, contents_row_is(&v, key->letters, 0, 0), "value %zu is not what its key says", k + 1);
        make_raw(r, k, meaning_exists(&r->a->meaning, r->head->mask, key->letters));
    }
}

/* ---- nearest ---- */

typedef struct nearest_parts {
    bool has_candidates;
    dd candidates;
    double bonus; /* candidates are ahead by at least bonus*N */
    double tie;   /* the coefficient of j */
    size_t digit_count;
    struct {
        double divisor, modulus, coefficient;
    } digit[HEAD_ROWS];
} nearest_parts;

static double equals_number(void *context, double x) { return x == *(const double *)context; }

/* The exact part of a key row is `low` for those that are no candidates, sentinels too, and `low` + `step` for
   candidates. */
static void read_candidates(head_reader *r, nearest_parts *p, const row_value *k, double low, double step) {
    size_t count;
    diagram *d = &r->a->meaning.d;
    double high = low + step;
    NEED(r, !p->has_candidates, "two key rows have candidates");
    arena_reset(r->a->scratch);
    const double *leaves = dd_leaves(d, k->letters, &count, r->a->scratch);
    for (size_t l = 0; l < count; l++)
        NEED(r, leaves[l] == low || leaves[l] == high, "its key tells more than two kinds of letters apart");
    NEED(r, k->start == low && k->end == low, "a sentinel is a candidate");
    p->has_candidates = true;
    p->candidates = dd_map(d, k->letters, equals_number, &high);
}

/* What a position adds to the product, times `factor`. */
static void read_place(head_reader *r, nearest_parts *p, const feature *f, double factor, double per_size) {
    if (f->kind == FEATURE_DIGIT) {
        NEED(r, !r->scale.kind && p->digit_count < HEAD_ROWS, "its digits have a scale");
        p->digit[p->digit_count].divisor = f->divisor;
        p->digit[p->digit_count].modulus = (double)f->modulus;
        p->digit[p->digit_count++].coefficient = factor;
        return;
    }
    NEED(r, p->tie == 0, "two key rows hold positions");
    if (f->kind == FEATURE_SHARE && !f->mirrored && r->scale.kind)
        p->tie = per_size;
    else if (f->kind == FEATURE_PLACE && !f->mirrored && !r->scale.kind)
        p->tie = times(r, factor, f->constant);
    else if (f->kind == FEATURE_CENTRED && !r->scale.kind)
        p->tie = factor;
    else
        REFUSE(r, "a key row holds a feature that is no position, or does not fit its scale");
}

/* One product of a query and a key row, times the scale: the query is a number, C*N or a power of two that is at
   least C*N. */
static void add_product(head_reader *r, nearest_parts *p, size_t row) {
    const row_value *q = &r->query[row], *k = &r->key[row];
    score_part *made = &r->f->part[row];
    double factor = constant_of(r, q), per_size = 0; /* the query is factor, or at least per_size * N */
    bool power = false;
    if (isnan(factor)) {
        const feature *size = lone_feature(r, q, 1);
        power = size && size->kind == FEATURE_POWER;
        NEED(r, size && !r->scale.kind && (power || (size->kind == FEATURE_SIZE && size->power == 1)),
             "a query row is neither a number nor C*N");
        per_size = power ? size->constant / size->divisor : size->constant; /* exact: a power of two */
        if (power) r->f->by_digits = true; /* its keys need not be 0 and 1, as those that are tried */
        made->query_feature = r->a->model->channels[q->other[0].channel].position;
    } else if (r->scale.kind) {
        NEED(r, r->scale.kind == FEATURE_SIZE && r->scale.power == 1, "its scale is not C*N");
        per_size = times(r, factor, r->scale.constant);
    }
    made->query = factor;
    if (k->exact_count) { /* perhaps none ever holds */
        double low = power ? k->start : 0, step = power ? -low : 1;
        NEED(r, per_size > 0 && step > 0, "its candidates' advantage does not grow with N");
        read_candidates(r, p, k, low, step);
        p->bonus = times(r, per_size, step);
        made->boolean = true;
    }
    NEED(r, k->other_count <= 1 && !k->too_many, "a key row reads more than it may");
    if (k->other_count == 0) return;
    const content *c = content_of(r, &k->other[0]);
    double w = k->other[0].weight;
    NEED(r, c->kind == HOLDS_FEATURE && !isnan(factor), "a key row holds something that is no position");
    read_place(r, p, &c->feature, times(r, factor, w), times(r, per_size, w));
    const model_term *terms = rows_begin_of(&r->head->key, row);
    made->key_feature = r->a->model->channels[k->other[0].channel].position;
    made->key_weight = w;
    made->feature_last = terms[rows_size(&r->head->key, row) - 1].channel == k->other[0].channel;
}

/* Digits put together again: each counts what the ones below it leave over, and the highest is not reduced. */
static void join_digits(head_reader *r, nearest_parts *p) {
    double next = 1;
    size_t used = 0;
    while (next) {
        size_t k = 0;
        while (k < p->digit_count && p->digit[k].divisor != next) k++;
        NEED(r, k < p->digit_count, "a digit of its positions is missing");
        if (used == 0) p->tie = p->digit[k].coefficient;
        NEED(r, p->digit[k].coefficient == p->tie * next, "its digits do not add up to a position");
        next = p->digit[k].modulus * next;
        used++;
        NEED(r, next <= 0x1p60, "its digits do not add up to a position");
    }
    NEED(r, used == p->digit_count, "its digits do not add up to a position");
}

static void read_nearest(head_reader *r) {
    nearest_parts p = {.candidates = 1};
    r->f->kind = KIND_NEAREST;
    r->f->by_positions = !r->scale.kind;
    for (size_t q = 0; q < r->head->query.count; q++) {
        add_product(r, &p, q);
        const content *key = r->key[q].other_count ? content_of(r, &r->key[q].other[0]) : NULL;
        if (key && (key->feature.kind == FEATURE_DIGIT || key->feature.kind == FEATURE_CENTRED))
            r->f->by_digits = true;
    }
    if (p.digit_count) {
        NEED(r, p.tie == 0, "its positions are given twice");
        join_digits(r, &p);
    }
    NEED(r, p.tie != 0, "nothing tells its positions apart");
    r->f->kappa = fabs(p.tie);
    r->f->rightmost = p.tie > 0;
    r->f->candidates = p.has_candidates;
    if (p.has_candidates)
        NEED(r, p.bonus >= r->f->kappa, "the advantage of candidates is less than that of a nearer position");
    else
        NEED(r, r->head->mask != TEMPER_MASK_ALL && looks_back(r) == r->f->rightmost,
             "it has no candidates and takes the farthest position");
    for (size_t k = 0; k < r->head->value.count; k++) {
        row_value v = value_row(r, k);
        NEED(r, is_boolean_on_letters(r, &v), "value %zu is not 0 or 1 on letters and 0 on sentinels", k + 1);
        NEED(r, dd_implies(&r->a->meaning.d, v.letters, p.candidates), "value %zu is not 0 where its key is", k + 1);
        make_raw(r, k, meaning_chosen(&r->a->meaning, r->head->mask, r->f->rightmost, p.candidates, v.letters));
    }
}

/* ---- count ---- */

/* x + y of numbers above 0, never below the truth. */
static double sum_above(double x, double y) {
    double sum = x + y;
    return sum - x == y && sum - y == x ? sum : nextafter(sum, INFINITY);
}

/* What one letter can add, and what the sentinels add together; channels of sentinels are 0 on letters. */
static void split_weights(head_reader *r, size_t row) {
    double letters = 0, edges = 0;
    const model_term *t = rows_begin_of(&r->head->value, row);
    for (size_t k = 0; k < rows_size(&r->head->value, row); k++, t++) {
        const content *c = content_of(r, t);
        if (c->letters != 0) {
            letters = sum_above(letters, fabs(t->weight));
            continue;
        }
        if (c->start != 0) edges = sum_above(edges, fabs(t->weight) * fabs(c->start));
        if (c->end != 0) edges = sum_above(edges, fabs(t->weight) * fabs(c->end));
    }
    r->f->letter_weight = fmax(r->f->letter_weight, letters);
    r->f->edge_weight = fmax(r->f->edge_weight, edges);
}

static void read_count(head_reader *r) {
    int grid = 1 << 20;
    r->f->kind = KIND_COUNT;
    NEED(r, !r->scale.kind, "it has a scale and no scores");
    for (size_t k = 0; k < r->head->value.count; k++) {
        row_value v = value_row(r, k);
        NEED(r, v.exact, "value %zu reads a channel that is not exactly Boolean", k + 1);
        const model_term *terms = rows_begin_of(&r->head->value, k);
        for (size_t t = 0; t < rows_size(&r->head->value, k); t++)
            if (audit_grid_of(terms[t].weight) < grid) grid = audit_grid_of(terms[t].weight);
        double low, high;
        dd_range(&r->a->meaning.d, v.letters, &low, &high);
        r->made[k] = (content){.kind = HOLDS_MEAN,
                               .letters = v.letters,
                               .start = v.start,
                               .end = v.end,
                               .mask = r->head->mask,
                               .weight = v.weight,
                               .not_negative = low >= 0 && v.start >= 0 && v.end >= 0};
        r->f->weight = fmax(r->f->weight, v.weight);
        split_weights(r, k);
    }
    r->f->grid = r->f->weight > 0 ? grid : 0;
}

/* ---- compare ---- */

/* Both kinds that compare attend to one sentinel: its indicator is what they read. */
static void read_verdicts(head_reader *r, double start, double end, dd letters) {
    for (size_t k = 0; k < r->head->value.count; k++) {
        row_value v = value_row(r, k);
        NEED(r, contents_row_is(&v, 0, start, end), "value %zu is not the sentinel's indicator", k + 1);
        make_raw(r, k, letters);
    }
}

static void read_compare(head_reader *r) {
    bool back = r->head->mask == TEMPER_MASK_UP_TO;
    const row_value *q = &r->query[0], *k = &r->key[0];
    const content *mean = find_term(r, q, HOLDS_MEAN, FEATURE_UNKNOWN);
    const content *log = find_term(r, q, HOLDS_FEATURE, FEATURE_NORMALISER);
    r->f->kind = KIND_COMPARE;
    r->f->by_positions = !r->scale.kind;
    NEED(r, back || (r->head->mask == TEMPER_MASK_FROM && r->a->model->has_end),
         "it compares means, under a mask without its sentinel");
    NEED(r, mean && log && has_terms(q, 2), "its query is not a mean and ln(max(i, 1))/(C*N)");
    double twice;
    if (r->scale.kind) {
        NEED(r, r->scale.kind == FEATURE_SIZE && r->scale.power == 1, "its scale is not C*N");
        NEED(r, contents_row_is(k, 0, back, !back), "its key is not the sentinel's indicator");
        twice = r->scale.constant;
    } else {
        const feature *edge = lone_feature(r, k, 1);
        NEED(r, edge && edge->kind == FEATURE_EDGE_SIZE && edge->mirrored == !back,
             "its key is not C*N on the sentinel");
        twice = edge->constant;
    }
    NEED(r, log->feature.constant == twice && log->feature.mirrored == !back, "its normaliser does not fit");
    NEED(r, mean->mask == r->head->mask, "its mean is taken over another mask");
    double half = (back ? mean->start : mean->end) - 0.5;
    NEED(r, half == floor(half) && fabs(half) <= 0x1p52 && (back ? mean->end : mean->start) == 0,
         "its mean has no whole number and a half on the sentinel");
    r->f->kappa = twice / 2;
    r->f->weight = mean->weight;
    dd holds = back ? meaning_at_least(&r->a->meaning, mean->letters, 0, half)
                    : meaning_at_least(&r->a->meaning, 0, mean->letters, half);
    read_verdicts(r, back, !back, holds);
}

/* ---- balance ---- */

/* Sum over j <= i of h and b, over all j of g, and g at i: the counts over j >= i are all of them, less those over j
   <= i, and i itself again. So it is a sum of h + g over j <= i and of g over j >= i. */
static void read_balance(head_reader *r) {
    const row_value *q = r->query, *k = r->key;
    const content *mean = find_term(r, &q[0], HOLDS_MEAN, FEATURE_UNKNOWN);
    const content *own = find_term(r, &q[0], HOLDS_OWN, FEATURE_UNKNOWN);
    const content *log = find_term(r, &q[0], HOLDS_FEATURE, FEATURE_NORMALISER);
    const content *copy = find_term(r, &k[1], HOLDS_COPY, FEATURE_UNKNOWN);
    const feature *per = lone_feature(r, &q[1], 1), *edge = lone_feature(r, &k[0], 1);
    r->f->kind = KIND_BALANCE;
    r->f->by_positions = !r->scale.kind;
    NEED(r, r->head->query.count == 2 && r->head->mask == TEMPER_MASK_UP_TO,
         "it balances two sums in an unknown way");
    NEED(r, mean && own && log && has_terms(&q[0], 3),
         "its first query row is not a mean, an own part and ln(max(i, 1))/(C*N)");
    NEED(r, copy && has_terms(&k[1], 1), "its second key row is not a total copied to the start");
    double twice;
    NEED(r, per && edge && !edge->mirrored && !per->mirrored, "its features are not those of a balance");
    if (r->scale.kind) {
        NEED(r,
             r->scale.kind == FEATURE_SIZE && r->scale.power == 2 && per->kind == FEATURE_INVERSE &&
                 edge->kind == FEATURE_EDGE_SHARE,
             "its features do not multiply to C*N*N");
        twice = r->scale.constant;
    } else {
        NEED(r, per->kind == FEATURE_WEIGHTED && edge->kind == FEATURE_EDGE_SIZE && per->constant == edge->constant,
             "its features do not multiply to C*N*N");
        twice = per->constant;
    }
    NEED(r, log->feature.constant == twice && !log->feature.mirrored, "its normaliser does not fit");
    NEED(r, mean->mask == TEMPER_MASK_UP_TO, "its mean is taken over another mask");
    NEED(r, copy->start == 0 && copy->end == 0, "its total counts a sentinel");
    NEED(r, own->letters == copy->letters, "its own part is not what its total sums");
    double half = mean->start - 0.5;
    NEED(r, half == floor(half) && fabs(half) <= 0x1p52 && mean->end == 0,
         "its mean has no whole number and a half on the sentinel");
    r->f->kappa = twice / 2;
    r->f->weight = mean->weight;
    r->f->total_weight = copy->weight;
    r->f->own_weight = own->weight;
    r->f->own_parts = own->parts;
    meaning *m = &r->a->meaning;
    read_verdicts(r, 1, 0, meaning_at_least(m, dd_add(&m->d, mean->letters, copy->letters), copy->letters, half));
}

/* ---- look-up ---- */

/* The second query and the keys; *ahead: positions are numbered from the end. */
static void read_lookup_rows(head_reader *r, bool back, bool *ahead) {
    const row_value *q = r->query, *k = r->key;
    const feature *per = lone_feature(r, &q[1], -1), *one = lone_feature(r, &k[0], 1),
                  *two = lone_feature(r, &k[1], 1);
    NEED(r, per && per->kind == FEATURE_INVERSE && per->mirrored == !back, "its second query row is not -1/(i + 1)");
    NEED(r, one && two && one->mirrored == two->mirrored, "its keys are no positions and squares");
    *ahead = one->mirrored;
    if (r->scale.kind) {
        NEED(r,
             r->scale.kind == FEATURE_SIZE && r->scale.power == 3 && one->kind == FEATURE_SMALL &&
                 two->kind == FEATURE_SQUARE,
             "its features do not multiply to C*N");
        r->f->kappa = r->scale.constant;
    } else {
        NEED(r, one->kind == FEATURE_SIZE_PLACE && two->kind == FEATURE_SIZE_SQUARE && one->constant == two->constant,
             "its features do not multiply to C*N");
        r->f->kappa = one->constant;
    }
    r->f->first_key = *one;
    r->f->second_key = *two;
    r->f->scale = r->scale;
}

/* What a look-up is about: a mean under j <= i (back) or j >= i, a whole number on its sentinel, and whether keys are
   numbered from the end. */
typedef struct looked_up {
    const content *mean;
    double constant;
    bool back, ahead, counts;
} looked_up;

/* Whether the position is always that of a key of the row, or beyond its last one on the sentinel's side. */
static void check_keys(head_reader *r, const looked_up *p) {
    double low, high;
    if (r->head->mask == TEMPER_MASK_ALL) {
        NEED(r, r->a->model->has_end, "it looks up any position, and there is no end sentinel");
        return;
    }
    NEED(r, r->head->mask == p->mean->mask, "its mean is taken over another mask");
    NEED(r, p->ahead == !p->back, "its keys are numbered from the side that its mask hides");
    dd_range(&r->a->meaning.d, p->mean->letters, &low, &high);
    NEED(r, p->constant <= 0 && high <= 1, "it may look up a position that its mask hides");
}

static void read_lookup(head_reader *r) {
    const row_value *q = r->query;
    looked_up p = {.mean = q[0].other_count == 1 ? content_of(r, &q[0].other[0]) : NULL};
    meaning *m = &r->a->meaning;
    size_t count;
    r->f->kind = KIND_LOOKUP;
    r->f->by_positions = !r->scale.kind;
    NEED(r, r->head->query.count == 2, "it looks a count up with more than two query rows");
    NEED(r, p.mean && p.mean->kind == HOLDS_MEAN && q[0].other[0].weight == 2 && has_terms(&q[0], 1),
         "its first query row is not twice a mean");
    p.back = p.mean->mask == TEMPER_MASK_UP_TO;
    NEED(r, p.back || (p.mean->mask == TEMPER_MASK_FROM && r->a->model->has_end),
         "it looks a mean up whose mask is without its sentinel");
    read_lookup_rows(r, p.back, &p.ahead);
    p.constant = p.back ? p.mean->start : p.mean->end;
    NEED(r, (p.back ? p.mean->end : p.mean->start) == 0, "its mean counts the other sentinel");
    NEED(r, p.constant == floor(p.constant) && fabs(p.constant) <= 0x1p52, "its sentinel adds no whole number");
    arena_reset(r->a->scratch);
    const double *adds = dd_leaves(&m->d, p.mean->letters, &count, r->a->scratch);
    for (size_t k = 0; k < count; k++)
        NEED(r, adds[k] == floor(adds[k]) && fabs(adds[k]) <= 0x1p52, "its mean is not one of whole numbers");
    check_keys(r, &p);
    p.counts = p.constant == 0 && dd_is_boolean(&m->d, p.mean->letters) && r->head->mask == p.mean->mask;
    r->f->anywhere = !p.counts;
    r->f->weight = p.mean->weight;
    dd sum = p.ahead ? dd_times(&m->d, p.mean->letters, -1) : p.mean->letters;
    for (size_t v = 0; v < r->head->value.count; v++) {
        row_value row = value_row(r, v);
        const feature *x = lone_feature(r, &row, 1);
        if (x) {
            NEED(r, x->kind == FEATURE_RESIDUE && x->mirrored == p.ahead && p.counts,
                 "value %zu is no remainder of a count", v + 1);
            make_raw(r, v,
                     meaning_residue(m, p.back, p.mean->letters, x->a, x->b, x->modulus,
                                     x->at_most ? RESIDUE_AT_MOST : RESIDUE_EQUAL, x->residue));
            continue;
        }
        NEED(r, is_boolean_on_letters(r, &row), "value %zu is not 0 or 1 on letters and 0 on sentinels", v + 1);
        double constant = p.ahead ? 0 - p.constant : p.constant;
        make_raw(r, v, meaning_read(m, p.back, sum, p.ahead ? 1 : 0, constant, row.letters));
    }
}

/* ---- all of a layer ---- */

static void read_head(head_reader *r) {
    const model_head *h = r->head;
    NEED(r, h->choice == TEMPER_CHOICE_SOFTMAX && !h->adaptive, "it makes a hard choice, or adapts to its scores");
    if (h->scale) {
        NEED(r, !expression_uses(h->scale, EXPR_I), "its scale reads the position");
        r->scale = audit_scale_of(h->scale);
        NEED(r, r->scale.kind, "no scale of this form is understood: %s",
             text_escaped(r->a->arena, h->scale_text, strlen(h->scale_text), 80));
        NEED(r, audit_feature_holds(r->a, &r->scale, h->scale), "its scale is not worth what its form says");
    }
    if (audit_is_match(r->a, h, r->layer, r->number)) {
        audit_match_head(r->a, r->f, &r->scale, r->made);
        audit_logit(r->a, r->f);
        return;
    }
    NEED(r, h->query.count <= HEAD_ROWS, "it has more than %d query rows", HEAD_ROWS);
    for (size_t k = 0; k < h->query.count; k++) {
        r->query[k] = contents_row(r->a, &h->query, k, r->layer, r->number);
        r->key[k] = contents_row(r->a, &h->key, k, r->layer, r->number);
    }
    const feature *first = h->query.count ? lone_feature(r, &r->query[0], 1) : NULL;
    if (h->query.count == 0)
        read_count(r);
    else if (has_kind(r, r->query, HOLDS_OWN) || has_kind(r, r->key, HOLDS_COPY))
        read_balance(r);
    else if (has_kind(r, r->query, HOLDS_MEAN) && h->query.count == 1)
        read_compare(r);
    else if (has_kind(r, r->query, HOLDS_MEAN))
        read_lookup(r);
    else if (r->scale.kind == FEATURE_LOG ||
             (first && (first->kind == FEATURE_LOG || first->kind == FEATURE_STEPPED)))
        read_once(r);
    else
        read_nearest(r);
    if (r->f->kind == KIND_NEAREST) audit_logit(r->a, r->f);
}

/* All heads read what was there before the layer; then each output takes its place in a channel that was exactly
   0. */
void audit_heads(audit *a, uint32_t layer) {
    const model_layer *l = &a->model->layers[layer];
    content **made = arena_alloc(a->arena, l->head_count, sizeof *made);
    for (uint32_t h = 0; h < l->head_count; h++) {
        audit_head *f = &a->heads[a->head_count];
        *f = (audit_head){.layer = layer + 1, .number = h + 1, .head = &l->heads[h]};
        a->head_count++;
        head_reader r = {.a = a, .f = f, .head = &l->heads[h], .layer = layer + 1, .number = h + 1};
        r.made = made[h] = arena_zalloc(a->arena, l->heads[h].value.count, sizeof **made);
        read_head(&r);
    }
    for (uint32_t h = 0; h < l->head_count; h++) {
        const model_rows *out = &l->heads[h].output;
        for (uint32_t k = 0; k < out->count; k++)
            for (uint32_t t = out->start[k]; t < out->start[k + 1]; t++) {
                uint32_t channel = out->terms[t].channel;
                if (out->terms[t].weight != 1)
                    audit_refuse(a, layer + 1, h + 1, "output %u has a weight that is not 1", k + 1);
                if (!contents_are_zero(&a->channels[channel]))
                    audit_refuse(a, layer + 1, h + 1, "output %u goes to channel %u, which is not 0 before", k + 1,
                                 channel);
                a->channels[channel] = made[h][k];
            }
    }
}
