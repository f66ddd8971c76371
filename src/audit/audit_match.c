#include "audit/audit_match.h"

#include <math.h>
#include <string.h>

enum { MOST_PATTERNS = 1 << 13, MOST_MODULI = 8 };

/* A set of positions i that agree on the conditions so far, and the j that agree with them. */
typedef struct pairing {
    dd here, there;
    double size; /* of heads: no sum of some of the products is larger */
} pairing;

/* Both sides of one condition; what no position can have is left out. Returns how many there are. */
static size_t split(diagram *d, pairing *out, const pairing *x, size_t count, dd there, dd here) {
    size_t made = 0;
    for (size_t k = 0; k < count; k++)
        for (int holds = 0; holds < 2; holds++) {
            pairing y = {.here = dd_and(d, x[k].here, holds ? here : dd_not(d, here)),
                         .there = dd_and(d, x[k].there, holds ? there : dd_not(d, there))};
            if (y.here != 0 && y.there != 0) out[made++] = y;
        }
    return made;
}

dd audit_alike(meaning *m, temper_mask mask, bool last, const dd *there, const dd *here, size_t count, dd value) {
    diagram *d = &m->d;
    pairing *x = arena_alloc(m->arena, MOST_PATTERNS, sizeof *x);
    pairing *next = arena_alloc(m->arena, 2 * MOST_PATTERNS, sizeof *next);
    size_t found = 1;
    x[0] = (pairing){.here = 1, .there = 1};
    for (size_t k = 0; k < count; k++) {
        found = split(d, next, x, found, there[k], here[k]);
        if (found > MOST_PATTERNS)
            trap_raise(m->arena->trap, TEMPER_RANGE, 0, 0, "conditions tell more than %d patterns apart",
                       MOST_PATTERNS);
        memcpy(x, next, found * sizeof *x);
    }
    dd answer = 0;
    for (size_t k = 0; k < found; k++) {
        dd chosen = meaning_chosen(m, mask, last, x[k].there, dd_and(d, x[k].there, value));
        answer = dd_or(d, answer, dd_and(d, x[k].here, chosen));
    }
    return answer;
}

/* ---- heads ---- */

#define NEED(m, c, ...)                                                                                              \
    do {                                                                                                             \
        if (!(c)) audit_refuse((m)->a, (m)->f->layer, (m)->f->number, __VA_ARGS__);                                  \
    } while (0)

typedef struct match_reader {
    audit *a;
    audit_head *f;
    const model_head *head;
    size_t rows; /* of patterns: all but the last */
    row_value *query, *key;
    bool past;
    double most; /* M: the sentinel's score */
    struct {
        int64_t by;
        bool from_end; /* positions are counted from the end */
    } modulus[MOST_MODULI];
    size_t modulus_count;
} match_reader;

/* By what channels are, not by what they are worth: a Boolean that is true everywhere is still asked for. What stands
   for an average is none of these heads, and is refused as one if its queries differ between letters. */
bool audit_is_match(audit *a, const model_head *h, uint32_t layer, uint32_t number) {
    bool nearest = h->hard_choice != TEMPER_CHOICE_AVERAGE;
    for (uint32_t k = 0; nearest && k < h->query.start[h->query.count]; k++) {
        uint32_t channel = h->query.terms[k].channel;
        if (a->channels[channel].kind == HOLDS_EXACT && !contents_are_constant(a, channel)) return true;
    }
    for (size_t k = 0; !nearest && k < h->query.count; k++) {
        row_value q = contents_row(a, &h->query, k, layer, number);
        if (q.exact && !dd_is_leaf(&a->meaning.d, q.letters)) return true;
    }
    return false;
}

static void check_weights(const match_reader *m, const model_rows *rows, size_t row, double unit) {
    const model_term *t = rows_begin_of(rows, row);
    for (size_t k = 0; k < rows_size(rows, row); k++)
        NEED(m, fabs(t[k].weight) <= 0x1p40 && fmod(t[k].weight, unit) == 0, "a weight is no multiple of %g", unit);
}

static void read_rows(match_reader *m) {
    for (size_t k = 0; k < m->rows; k++) {
        row_value *q = &m->query[k], *key = &m->key[k];
        *q = contents_row(m->a, &m->head->query, k, m->f->layer, m->f->number);
        *key = contents_row(m->a, &m->head->key, k, m->f->layer, m->f->number);
        NEED(m, q->exact && key->exact, "row %zu of its pattern reads a channel that is not Boolean", k + 1);
        NEED(m, (m->past ? key->start : key->end) == 0, "key row %zu is not 0 on the sentinel", k + 1);
        check_weights(m, &m->head->query, k, 1);
        check_weights(m, &m->head->key, k, 0.5);
        m->f->weight = fmax(m->f->weight, q->weight);
    }
}

/* 1 times M on the sentinel, and a tie-break; nothing else, which might cancel out on paper and yet be rounded. */
static void read_last_row(match_reader *m) {
    const diagram *d = &m->a->meaning.d;
    row_value q = contents_row(m->a, &m->head->query, m->rows, m->f->layer, m->f->number);
    row_value k = contents_row(m->a, &m->head->key, m->rows, m->f->layer, m->f->number);
    bool one = q.exact && dd_is_leaf(d, q.letters) && dd_value(d, q.letters) == 1 && q.start == 1 && q.end == 1 &&
               rows_size(&m->head->query, m->rows) == 1;
    const content *tie = k.other_count == 1 && !k.too_many ? &m->a->channels[k.other[0].channel] : NULL;
    NEED(m, one, "its last query row is not 1");
    NEED(m, tie && tie->kind == HOLDS_FEATURE && tie->feature.kind == FEATURE_SHARE && !tie->feature.mirrored,
         "its last key row has no tie-break i/N");
    double w = k.other[0].weight;
    NEED(m, fabs(w) == 1 && !signbit(w) == m->past, "its tie-break does not prefer the nearest position");
    m->f->rightmost = m->past;
    m->most = m->past ? k.start : k.end;
    NEED(m, k.letters == 0 && (m->past ? k.end : k.start) == 0 && m->most > 0 && k.exact_count == 1,
         "its last key row is not a number above 0 on the sentinel alone");
    m->f->end_weight = m->past ? 0 : m->most;
    check_weights(m, &m->head->key, m->rows, 0.5);
}

/* How far from 0 a row may be, at any position. */
static double farthest(const match_reader *m, const row_value *row) {
    size_t count;
    const double *x = dd_leaves(&m->a->meaning.d, row->letters, &count, m->a->arena);
    return fmax(fmax(fabs(row->start), fabs(row->end)), fmax(fabs(x[0]), fabs(x[count - 1])));
}

/* T, the largest sum of some of the products, or M. Multiples of a half up to 2^50 add up exactly here. */
static void bound_products(match_reader *m, const pairing *x, size_t count) {
    double start = 0, end = 0, most = m->most;
    for (size_t k = 0; k < m->rows; k++) {
        start += fabs(m->query[k].start) * farthest(m, &m->key[k]);
        end += fabs(m->query[k].end) * farthest(m, &m->key[k]);
    }
    for (size_t k = 0; k < count; k++) most = fmax(most, x[k].size);
    m->f->total_weight = fmax(most, fmax(start, end));
    NEED(m, m->f->total_weight <= 0x1p50, "the products of its rows are too large");
}

/* The numbers by which keys take remainders of the position. */
static void find_moduli(match_reader *m) {
    for (uint32_t k = 0; k < m->head->key.start[m->rows]; k++) {
        const content *c = &m->a->channels[m->head->key.terms[k].channel];
        if (c->kind != HOLDS_EXACT || c->feature.kind != FEATURE_LETTER) continue;
        size_t known = 0;
        while (known < m->modulus_count &&
               (m->modulus[known].by != c->feature.modulus || m->modulus[known].from_end != c->feature.mirrored))
            known++;
        if (known < m->modulus_count || known == MOST_MODULI || c->feature.modulus > MOST_PATTERNS) continue;
        m->modulus[m->modulus_count].by = c->feature.modulus;
        m->modulus[m->modulus_count++].from_end = c->feature.mirrored;
    }
}

/* The remainder by modulus k that the positions of f have, and no others; -1: there is none. */
static int64_t remainder_in(match_reader *m, size_t k, dd f) {
    for (int64_t r = 0; r < m->modulus[k].by; r++)
        if (f ==
            meaning_residue(&m->a->meaning, !m->modulus[k].from_end, 1, 1, 0, m->modulus[k].by, RESIDUE_EQUAL, r))
            return r;
    return -1;
}

/* How far the nearest j of a pairing is, if its positions are those with one remainder. 0: they are not. */
static int64_t distance(match_reader *m, const pairing *x) {
    bool strict = m->head->mask == TEMPER_MASK_BEFORE || m->head->mask == TEMPER_MASK_AFTER;
    for (size_t k = 0; strict && k < m->modulus_count; k++) {
        int64_t there = remainder_in(m, k, x->there), here = there < 0 ? -1 : remainder_in(m, k, x->here);
        if (here < 0) continue;
        /* from i to j, which lies before i if the mask looks back, positions counted from the start get less */
        int64_t off = (m->past != m->modulus[k].from_end ? here - there : there - here) % m->modulus[k].by;
        return off <= 0 ? off + m->modulus[k].by : off;
    }
    return 0;
}

static double is_number(void *context, double x) { return x == *(const double *)context; }

/* Goes on with each number that a query row can be. */
static size_t split_row(match_reader *m, size_t row, const pairing *x, size_t count, pairing *out) {
    diagram *d = &m->a->meaning.d;
    size_t made = 0, numbers, sums;
    arena *keep = m->a->arena;
    double *values = dd_leaves(d, m->query[row].letters, &numbers, keep), key = farthest(m, &m->key[row]);
    for (size_t k = 0; k < count; k++)
        for (size_t v = 0; v < numbers; v++) {
            pairing y = {.here = dd_and(d, x[k].here, dd_map(d, m->query[row].letters, is_number, &values[v])),
                         .size = x[k].size + fabs(values[v]) * key};
            if (y.here == 0) continue;
            NEED(m, made < MOST_PATTERNS, "it tells more than %d patterns apart", MOST_PATTERNS);
            y.there = x[k].there;
            if (values[v] != 0) y.there = dd_add(d, y.there, dd_times(d, m->key[row].letters, values[v]));
            const double *s = dd_leaves(d, y.there, &sums, keep);
            NEED(m, s[0] >= -m->most && s[sums - 1] <= m->most, "a part of its scores is larger than the sentinel's");
            out[made++] = y;
        }
    return made;
}

/* Candidates have the sentinel's score; all others at least 1 less. */
static void find_candidates(match_reader *m, pairing *x) {
    size_t count;
    diagram *d = &m->a->meaning.d;
    const double *s = dd_leaves(d, x->there, &count, m->a->arena);
    for (size_t k = 0; k < count; k++)
        NEED(m, s[k] == m->most || s[k] <= m->most - 1, "a score is less than 1 below a candidate's");
    x->there = dd_map(d, x->there, is_number, &m->most);
}

static dd value_found(match_reader *m, const pairing *x, dd value) {
    meaning *all = &m->a->meaning;
    int64_t steps = distance(m, x);
    for (int64_t k = 0; k < steps; k++) value = meaning_step(all, m->past, value);
    if (!steps) value = meaning_chosen(all, m->head->mask, m->past, x->there, dd_and(&all->d, x->there, value));
    return dd_and(&all->d, x->here, value);
}

void audit_match_head(audit *a, audit_head *f, const feature *scale, content *made) {
    match_reader m = {.a = a, .f = f, .head = f->head, .rows = f->head->query.count - 1};
    diagram *d = &a->meaning.d;
    temper_mask mask = f->head->mask;
    f->kind = KIND_MATCH;
    m.past = mask == TEMPER_MASK_BEFORE || mask == TEMPER_MASK_UP_TO;
    NEED(&m, m.rows >= 1 && mask != TEMPER_MASK_ALL && (m.past || a->model->has_end),
         "it looks for patterns under a mask without a sentinel");
    NEED(&m, scale->kind == FEATURE_SIZE && scale->power == 1, "it looks for patterns, and its scale is not C*N");
    f->kappa = scale->constant;
    m.query = arena_alloc(a->arena, m.rows, sizeof *m.query);
    m.key = arena_alloc(a->arena, m.rows, sizeof *m.key);
    read_rows(&m);
    read_last_row(&m);
    find_moduli(&m);
    pairing *x = arena_alloc(a->arena, MOST_PATTERNS, sizeof *x);
    pairing *next = arena_alloc(a->arena, MOST_PATTERNS, sizeof *next);
    size_t count = 1;
    x[0] = (pairing){.here = 1};
    for (size_t row = 0; row < m.rows; row++) {
        count = split_row(&m, row, x, count, next);
        memcpy(x, next, count * sizeof *x);
    }
    bound_products(&m, x, count);
    for (size_t k = 0; k < count; k++) find_candidates(&m, &x[k]);
    for (size_t v = 0; v < f->head->value.count; v++) {
        row_value row = contents_row(a, &f->head->value, v, f->layer, f->number);
        NEED(&m, row.exact && row.start == 0 && row.end == 0 && dd_is_boolean(d, row.letters),
             "value %zu is not 0 or 1 on letters and 0 on sentinels", v + 1);
        dd answer = 0;
        for (size_t k = 0; k < count; k++) answer = dd_or(d, answer, value_found(&m, &x[k], row.letters));
        made[v] =
            (content){.kind = HOLDS_RAW, .letters = answer, .head = (size_t)(f - a->heads), .not_negative = true};
    }
}
