/* Heads that add up letters (doc/certificate.md, "Heads"): counts, and the three kinds that read a count. */
#include <math.h>

#include "audit/audit_heads.h"

/* ---- rows ---- */

/* Whether the row has this many terms, none of which is exact. */
static bool has_terms(const row_value *row, size_t count) {
    return row->other_count == count && !row->too_many && !row->exact_count;
}

/* The term with weight 1 that holds this kind of thing; NULL: none. */
static const content *find_term(const head_reader *r, const row_value *row, content_kind kind, feature_kind of) {
    for (size_t k = 0; k < row->other_count; k++) {
        const content *c = head_content(r, &row->other[k]);
        if (c->kind == kind && row->other[k].weight == 1 && (kind != HOLDS_FEATURE || c->feature.kind == of))
            return c;
    }
    return NULL;
}

/* ---- count ---- */

/* What one letter can add, and what the sentinels add together; channels of sentinels are 0 on letters. */
static void split_weights(head_reader *r, size_t row) {
    double letters = 0, edges = 0;
    const model_term *t = rows_begin_of(&r->head->value, row);
    for (size_t k = 0; k < rows_size(&r->head->value, row); k++, t++) {
        const content *c = head_content(r, t);
        if (c->letters != 0)
            letters = audit_add_up(letters, fabs(t->weight));
        else
            edges = audit_add_up(edges, fabs(t->weight) * (c->start + c->end)); /* each is 0 or 1 */
    }
    r->f->letter_weight = fmax(r->f->letter_weight, letters);
    r->f->edge_weight = fmax(r->f->edge_weight, edges);
}

void audit_count(head_reader *r) {
    int grid = 1 << 20;
    r->f->kind = KIND_COUNT;
    NEED(r, !r->scale.kind, "it has a scale and no scores");
    for (size_t k = 0; k < r->head->value.count; k++) {
        row_value v = head_value(r, k);
        NEED(r, v.exact, "value %zu reads a channel that is not exactly Boolean", k + 1);
        const model_term *terms = rows_begin_of(&r->head->value, k);
        for (size_t t = 0; t < rows_size(&r->head->value, k); t++) {
            int g = audit_grid_of(terms[t].weight);
            if (g < grid) grid = g;
        }
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
        row_value v = head_value(r, k);
        NEED(r, contents_row_is(&v, 0, start, end), "value %zu is not the sentinel's indicator", k + 1);
        head_output(r, k, letters);
    }
}

void audit_compare(head_reader *r) {
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
        const feature *sharp = head_feature(r, k, 1);
        NEED(r, sharp && sharp->kind == FEATURE_EDGE_SIZE && sharp->mirrored == !back,
             "its key is not C*N on the sentinel");
        twice = sharp->constant;
    }
    NEED(r, log->feature.constant == twice && log->feature.mirrored == !back, "its normaliser does not fit");
    NEED(r, mean->mask == r->head->mask, "its mean is taken over another mask");
    double edge = back ? mean->start : mean->end, whole = floor(edge);
    NEED(r, edge - whole == 0.5 && (back ? mean->end : mean->start) == 0,
         "its mean has no whole number and a half on the sentinel");
    r->f->kappa = twice / 2;
    r->f->weight = mean->weight;
    dd holds = back ? meaning_at_least(&r->a->meaning, mean->letters, 0, whole)
                    : meaning_at_least(&r->a->meaning, 0, mean->letters, whole);
    read_verdicts(r, back, !back, holds);
}

/* ---- balance ---- */

/* Sum over j <= i of h and b, over all j of g, and g at i: the counts over j >= i are all of them, less those over j
   <= i, and i itself again. So it is a sum of h + g over j <= i and of g over j >= i. */
void audit_balance(head_reader *r) {
    const row_value *q = r->query, *k = r->key;
    const content *mean = find_term(r, &q[0], HOLDS_MEAN, FEATURE_UNKNOWN);
    const content *own = find_term(r, &q[0], HOLDS_OWN, FEATURE_UNKNOWN);
    const content *log = find_term(r, &q[0], HOLDS_FEATURE, FEATURE_NORMALISER);
    const content *copy = find_term(r, &k[1], HOLDS_COPY, FEATURE_UNKNOWN);
    const feature *per = head_feature(r, &q[1], 1), *edge = head_feature(r, &k[0], 1);
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
    double whole = floor(mean->start);
    NEED(r, mean->start - whole == 0.5 && mean->end == 0, "its mean has no whole number and a half on the sentinel");
    r->f->kappa = twice / 2;
    r->f->weight = mean->weight;
    r->f->total_weight = copy->weight;
    r->f->own_weight = own->weight;
    r->f->own_parts = own->parts;
    meaning *m = &r->a->meaning;
    read_verdicts(r, 1, 0, meaning_at_least(m, dd_add(&m->d, mean->letters, copy->letters), copy->letters, whole));
}

/* ---- look-up ---- */

/* The second query and the keys; *ahead: positions are numbered from the end. */
static void read_lookup_rows(head_reader *r, bool back, bool *ahead) {
    const row_value *q = r->query, *k = r->key;
    const feature *per = head_feature(r, &q[1], -1), *one = head_feature(r, &k[0], 1),
                  *two = head_feature(r, &k[1], 1);
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

void audit_lookup(head_reader *r) {
    const row_value *q = r->query;
    looked_up p = {.mean = head_content(r, q->other)};
    meaning *m = &r->a->meaning;
    size_t count;
    r->f->kind = KIND_LOOKUP;
    r->f->by_positions = !r->scale.kind;
    NEED(r, r->head->query.count == 2, "it looks a count up with more than two query rows");
    NEED(r, has_terms(q, 1) && p.mean->kind == HOLDS_MEAN && q->other->weight == 2,
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
        row_value row = head_value(r, v);
        const feature *x = head_feature(r, &row, 1);
        if (x) {
            NEED(r, x->kind == FEATURE_RESIDUE && x->mirrored == p.ahead && p.counts,
                 "value %zu is no remainder of a count", v + 1);
            head_output(r, v,
                        meaning_residue(m, p.back, p.mean->letters, x->a, x->b, x->modulus,
                                        x->at_most ? RESIDUE_AT_MOST : RESIDUE_EQUAL, x->residue));
            continue;
        }
        NEED(r, head_is_boolean(r, &row), "value %zu is not 0 or 1 on letters and 0 on sentinels", v + 1);
        double constant = p.ahead ? 0 - p.constant : p.constant;
        head_output(r, v, meaning_read(m, p.back, sum, p.ahead ? 1 : 0, constant, row.letters));
    }
}
