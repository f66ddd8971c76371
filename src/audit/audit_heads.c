/* Attention: which of the seven kinds of doc/certificate.md, "Heads", a head is, from its rows and expressions alone,
   and what its output means. A head that fits none is refused. Once and nearest are read here, the kinds that count
   in audit_head_sums.c, and patterns in audit_match.c. */
#include "audit/audit_heads.h"

#include <math.h>
#include <string.h>

#include "audit/audit_match.h"

/* ---- rows ---- */

const feature *head_feature(const head_reader *r, const row_value *row, double weight) {
    if (row->other_count != 1 || row->too_many || row->exact_count) return NULL;
    const content *c = head_content(r, &row->other[0]);
    return c->kind == HOLDS_FEATURE && row->other[0].weight == weight ? &c->feature : NULL;
}

bool head_is_boolean(const head_reader *r, const row_value *row) {
    return row->exact && row->start == 0 && row->end == 0 && dd_is_boolean(&r->a->meaning.d, row->letters);
}

row_value head_value(const head_reader *r, size_t k) {
    return contents_row(r->a, &r->head->value, k, r->layer, r->number);
}

void head_output(const head_reader *r, size_t k, dd letters) {
    r->made[k] =
        (content){.kind = HOLDS_RAW, .letters = letters, .head = (size_t)(r->f - r->a->heads), .not_negative = true};
}

/* A product of numbers that is what it would be on paper. */
static double times(const head_reader *r, double x, double y) {
    double z = x * y;
    NEED(r, fma(x, y, -z) == 0 && (z == 0 ? x == 0 || y == 0 : fabs(z) >= 0x1p-900 && fabs(z) <= 0x1p900),
         "its weights and constants have no exact product");
    return z;
}

/* The number that the row is at every position; NaN if it is none. */
static double constant_of(const head_reader *r, const row_value *row) {
    const diagram *d = &r->a->meaning.d;
    if (!row->exact || !dd_is_leaf(d, row->letters)) return NAN;
    double c = dd_value(d, row->letters);
    return row->start == c && row->end == c ? c : NAN;
}

static bool looks_back(const head_reader *r) {
    return r->head->mask == TEMPER_MASK_BEFORE || r->head->mask == TEMPER_MASK_UP_TO;
}

/* ---- once ---- */

static void read_once(head_reader *r) {
    const feature *log = head_feature(r, &r->query[0], 1);
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
    NEED(r, head_is_boolean(r, key), "its key is not 0 or 1 on letters and 0 on sentinels");
    for (size_t k = 0; k < r->head->value.count; k++) {
        row_value v = head_value(r, k);
        NEED(r, contents_row_is(&v, key->letters, 0, 0), "value %zu is not what its key says", k + 1);
        head_output(r, k, meaning_exists(&r->a->meaning, r->head->mask, key->letters));
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

/* The constants 1 among the exact terms of a key row: their number, and the weight of the last. */
static size_t constants_in(const head_reader *r, size_t row, double *weight) {
    size_t count = 0;
    const model_term *terms = rows_begin_of(&r->head->key, row);
    for (size_t k = 0; k < rows_size(&r->head->key, row); k++) {
        const content *c = head_content(r, &terms[k]);
        if (c->kind != HOLDS_EXACT || c->feature.kind != FEATURE_CONSTANT) continue;
        *weight = terms[k].weight;
        count++;
    }
    return count;
}

/* What a position adds to the product, times `factor`. */
static void read_place(head_reader *r, nearest_parts *p, const feature *f, double factor, double per_size) {
    if (f->kind == FEATURE_DIGIT) {
        NEED(r, !r->scale.kind, "its digits have a scale");
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
        const feature *size = head_feature(r, q, 1);
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
        double constant = 0;
        NEED(r, per_size > 0 && step > 0, "its candidates' advantage does not grow with N");
        /* the head part of the row is c, or K(1 - c) with its constant K: its size is read off that */
        NEED(r, constants_in(r, row, &constant) == power && constant == low,
             "a key row has a constant that is not what its Booleans take away");
        read_candidates(r, p, k, low, step);
        p->bonus = times(r, per_size, step);
        made->boolean = true;
    }
    NEED(r, k->other_count <= 1 && !k->too_many, "a key row reads more than it may");
    if (k->other_count == 0) return;
    const content *c = head_content(r, &k->other[0]);
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
        const content *key = r->key[q].other_count ? head_content(r, &r->key[q].other[0]) : NULL;
        if (key && (key->feature.kind == FEATURE_DIGIT || key->feature.kind == FEATURE_CENTRED))
            r->f->by_digits = true;
    }
    if (p.digit_count) {
        NEED(r, p.tie == 0, "its positions are given twice");
        join_digits(r, &p);
    }
    NEED(r, p.tie != 0, "nothing tells its positions apart");
    r->f->kappa = fabs(p.tie);
    r->f->rightmost = !signbit(p.tie);
    r->f->candidates = p.has_candidates;
    if (p.has_candidates)
        NEED(r, p.bonus >= r->f->kappa, "the advantage of candidates is less than that of a nearer position");
    else
        NEED(r, r->head->mask != TEMPER_MASK_ALL && looks_back(r) == r->f->rightmost,
             "it has no candidates and takes the farthest position");
    for (size_t k = 0; k < r->head->value.count; k++) {
        row_value v = head_value(r, k);
        NEED(r, head_is_boolean(r, &v), "value %zu is not 0 or 1 on letters and 0 on sentinels", k + 1);
        NEED(r, dd_implies(&r->a->meaning.d, v.letters, p.candidates), "value %zu is not 0 where its key is", k + 1);
        head_output(r, k, meaning_chosen(&r->a->meaning, r->head->mask, r->f->rightmost, p.candidates, v.letters));
    }
}

/* ---- all of a layer ---- */

static bool has_kind(const head_reader *r, const row_value *rows, content_kind kind) {
    for (size_t q = 0; q < r->head->query.count; q++)
        for (size_t k = 0; k < rows[q].other_count; k++)
            if (head_content(r, &rows[q].other[k])->kind == kind) return true;
    return false;
}

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
        r->key[k] = contents_key_row(r->a, &h->key, k, r->layer, r->number);
    }
    const feature *first = h->query.count ? head_feature(r, &r->query[0], 1) : NULL;
    if (h->query.count == 0)
        audit_count(r);
    else if (has_kind(r, r->query, HOLDS_OWN) || has_kind(r, r->key, HOLDS_COPY))
        audit_balance(r);
    else if (has_kind(r, r->query, HOLDS_MEAN) && h->query.count == 1)
        audit_compare(r);
    else if (has_kind(r, r->query, HOLDS_MEAN))
        audit_lookup(r);
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
