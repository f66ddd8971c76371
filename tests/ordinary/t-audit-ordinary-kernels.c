/* Single heads of an ordinary transformer against kernels: what the audit says that a head may be off, and what
   comes out if every number is off by as much as it says, in the directions that a random attack finds. It knows
   nothing of the page's formulas: rows are off as ordinary_row_bound has it, the scale that columns of a norm share
   is one number of each position, and f16 rounds queries, keys, values and sums. Slopes are taken to where the
   audit's verdict changes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/ordinary/audit_ordinary_bounds.h"
#include "number/format.h"
#include "test.h"

static struct {
    size_t heads, accepted, runs;
    double closest;
} total;

enum {
    LETTERS = 3,
    ROWS = 40,
    TOKENS = LETTERS + 3,
    REAL = 0,
    START = 1,
    FIRST = 2,
    PLACE = FIRST + LETTERS,
    COLUMNS
};

/* A GPT-2's head that takes the last (or first) of the best letters, by one or two products. */
typedef struct subject {
    lift u;
    struct ordinary_model m;
    lift_column columns[COLUMNS + 1];
    lift_head head;
    lift_product products[3];
    lift_value value;
    model_term terms[3][4], digit, real;
    double tokens[COLUMNS][TOKENS], place[ROWS];
    ordinary_bounding b;
    ordinary_column_bound bounds[COLUMNS + 1];
    double found; /* by the audit */
} subject;

static double f16(double x) { return format_round(&format_f16, x); }

static double share_of(test_random *r) { return (double)random_below(r, 1 << 20) / (1 << 20); }

/* -1 to 1, most often one of the ends. */
static double push(test_random *r) {
    return random_below(r, 4) ? (random_below(r, 2) ? 1 : -1) : 2 * share_of(r) - 1;
}

/* ---- heads ---- */

/* Two pairs of a query and a key with the same product. f16 has both keys and one query, and of the other it makes a
   number that is as far away as a random search finds, if the norm is off by `scale`. */
typedef struct tie {
    double query, key, other_query, other_key;
} tie;

static tie find_tie(double scale, test_random *r) {
    tie best = {8, 1, 4, 2};
    double worst = -1;
    for (int k = 0; k < 200; k++) {
        double query = (double)(1 + random_below(r, 200)), key = (double)(1 + random_below(r, 2047)), factor = 1;
        while (query * key / factor >= 2048) factor *= 2;
        double other = query * key / factor, off = fabs(f16(other * (1 + scale)) - other) / other;
        if (off <= worst) continue;
        worst = off;
        best = (tie){query, key, other, factor};
    }
    return best;
}

static void make_columns(subject *s) {
    s->m = (struct ordinary_model){.architecture = ORDINARY_GPT2, .positions = ROWS, .width = 64, .head_size = 16};
    s->m.vocabulary = TOKENS;
    s->m.layer_count = 1;
    s->u = (lift){.m = &s->m, .letters = LETTERS, .columns = s->columns, .column_count = COLUMNS + 1, .zero_sums = 1};
    s->u.real = REAL;
    s->u.start = START;
    for (uint32_t c = 0; c <= COLUMNS; c++)
        s->columns[c] = (lift_column){.writer = LIFT_TOKEN, .scale = 1, .is_read = true, .grain = 1, .high = 1};
    for (uint32_t c = 0; c < PLACE; c++) s->columns[c].tokens = s->tokens[c];
    for (uint32_t t = 0; t < LETTERS; t++) s->tokens[REAL][2 + t] = s->tokens[FIRST + t][2 + t] = 1;
    s->tokens[START][0] = 1;
    s->columns[PLACE].writer = LIFT_TABLE;
    s->columns[PLACE].place = s->place;
    s->columns[PLACE].high = ROWS - 1;
    for (uint32_t i = 0; i < ROWS; i++) s->place[i] = i;
    s->columns[COLUMNS].writer = LIFT_HEAD;
    s->columns[COLUMNS].layer = 1;
}

static void put_form(lift_form *f, model_term *terms, uint32_t column, double weight) {
    f->terms = terms;
    f->terms[f->count++] = (model_term){column, weight};
}

/* Letter 0 is as good as letter 1, by other products; letter 2 is nothing. */
static void make_head(subject *s, test_random *r) {
    size_t products = 1 + random_below(r, 2);
    tie t = find_tie(random_below(r, 2) ? s->b.common : -s->b.common, r);
    double unit = ldexp(1, (int)random_below(r, 4)), factor = ldexp(1, (int)random_below(r, 4) - 2);
    lift_head *h = &s->head;
    *h = (lift_head){.role = LIFT_NEAREST, .layer = 1, .content = products, .product_count = products + 1};
    h->products = s->products;
    h->last = random_below(r, 2);
    memset(s->products, 0, sizeof s->products);
    for (uint32_t k = 0; k <= products; k++) s->products[k].dimension = k;
    s->products[0].query.one = t.query * factor;
    put_form(&s->products[0].key, s->terms[0], FIRST, t.key * unit);
    if (products == 2) {
        bool both = random_below(r, 2); /* letters that are as good by both products, which are the opposite */
        double key = t.key * unit, other = t.other_key * unit;
        s->products[1].query.one = t.other_query * factor;
        put_form(&s->products[1].key, s->terms[1], FIRST + 1, both ? -other : other);
        if (both) {
            put_form(&s->products[1].key, s->terms[1], FIRST, other);
            s->terms[0][0].weight = -key;
            put_form(&s->products[0].key, s->terms[0], FIRST + 1, key);
            put_form(&s->products[0].key, s->terms[0], FIRST + 2, -4 * key);
            put_form(&s->products[0].key, s->terms[0], START, -4 * key);
        }
    }
    put_form(&s->products[products].key, s->terms[2], PLACE, 1);
    s->value = (lift_value){.column = COLUMNS, .scale = 1};
    s->real = (model_term){FIRST, 1};
    s->value.value = (lift_form){.terms = &s->real, .count = 1};
    h->value_count = 1;
    h->values = &s->value;
}

static void set_slope(subject *s, double slope) {
    lift_head *h = &s->head;
    h->slope = h->last ? slope : -slope;
    h->products[h->content].query.one = h->slope;
}

/* ---- the audit ---- */

static void bound_head(entry *e, void *context) {
    subject *s = context;
    ordinary_audit audited = {.trap = e->trap, .arena = &e->memory, .scratch = &e->scratch};
    s->u.arena = &e->memory;
    s->b.s = &audited;
    s->found = ordinary_head_bound(&s->b, &s->head);
}

static bool is_proved(subject *s) {
    temper_error why;
    return entry_run(&why, bound_head, s) == TEMPER_OK;
}

/* ---- a kernel ---- */

static double ideal_form(const subject *s, const lift_form *f, const uint32_t *tokens, size_t i) {
    double x = f->one;
    for (size_t k = 0; k < f->count; k++) {
        const lift_column *c = &s->columns[f->terms[k].channel];
        x += f->terms[k].weight * (c->writer == LIFT_TOKEN ? c->tokens[tokens[i]] : c->place[i]);
    }
    return x;
}

/* The number that a kernel has, whose norm at that position is off by `scale`. */
static double computed(const subject *s, const lift_form *f, const uint32_t *tokens, size_t i, double scale,
                       test_random *r) {
    ordinary_row row = ordinary_row_bound(&s->b, f);
    double x = ideal_form(s, f, tokens, i), off = x == 0 ? fmin(row.zero, row.error) : row.error;
    return x * (1 + scale) + push(r) * off;
}

static size_t chosen(const subject *s, const uint32_t *tokens, size_t i) {
    size_t best = 0;
    double most = -INFINITY;
    for (size_t j = 0; j <= i; j++) {
        double score = 0;
        for (size_t k = 0; k < s->head.content; k++)
            score += ideal_form(s, &s->head.products[k].query, tokens, i) *
                     ideal_form(s, &s->head.products[k].key, tokens, j);
        if (score > most || (score == most && s->head.last)) best = j;
        most = fmax(most, score);
    }
    return best;
}

/* One pass over the keys, in their order; sums of values in f16 if the cache is. */
static double attend(const subject *s, const uint32_t *tokens, size_t i, bool round_query, test_random *r) {
    bool cache16 = s->b.k.f16_cache;
    double query[3], top = -INFINITY, sum = 0, weights = 0, own = push(r) * s->b.common;
    for (size_t k = 0; k < s->head.product_count; k++) {
        query[k] = computed(s, &s->head.products[k].query, tokens, i, own, r);
        if (cache16 && round_query) query[k] = f16(query[k]);
    }
    for (size_t j = 0; j <= i; j++) {
        double score = 0, scale = push(r) * s->b.common;
        for (size_t k = 0; k < s->head.product_count; k++) {
            double key = computed(s, &s->head.products[k].key, tokens, j, scale, r);
            score += query[k] * (cache16 ? f16(key) : key);
        }
        double value = computed(s, &s->value.value, tokens, j, scale, r);
        if (cache16) value = f16(value);
        score /= sqrt((double)s->m.head_size);
        if (score > top) {
            double down = exp(top - score);
            sum = cache16 ? f16(sum * down) : sum * down;
            weights *= down;
            top = score;
        }
        double weight = exp(score - top);
        sum = cache16 ? f16(sum + weight * value) : sum + weight * value;
        weights += weight;
    }
    return sum / weights;
}

static void attack(subject *s, test_random *r) {
    for (int tries = 0; tries < 24; tries++) {
        uint32_t tokens[ROWS] = {0};
        size_t i = 1 + random_below(r, ROWS - 1);
        for (size_t j = 1; j < ROWS; j++) tokens[j] = 2 + (uint32_t)random_below(r, random_below(r, 4) ? 2 : LETTERS);
        double is = attend(s, tokens, i, random_below(r, 2), r);
        double right = ideal_form(s, &s->value.value, tokens, chosen(s, tokens, i)), off = fabs(is - right);
        total.runs++;
        total.closest = fmax(total.closest, off / s->found);
        CHECK(off <= s->found,
              "%zu products, slope %g, f16 cache %d, norm off by %g: position %zu is off by %g, the "
              "audit says %g",
              s->head.content, s->head.slope, s->b.k.f16_cache, s->b.common, i, off, s->found);
    }
}

/* The slope next to which the verdict changes; `yes` is proved and `no` is not. */
static double find_verge(subject *s, double yes, double no) {
    for (int k = 0; k < 30; k++) {
        double middle = (yes + no) / 2;
        set_slope(s, middle);
        *(is_proved(s) ? &yes : &no) = middle;
    }
    return yes;
}

/* Slopes from the least that is proved to the largest, where content is hardly ahead of all positions together. */
static void try_head(subject *s, test_random *r) {
    double some = 0x1p15;
    for (; some > 4; some *= 0.7) {
        set_slope(s, some);
        if (is_proved(s)) break;
    }
    total.heads++;
    if (some <= 4) return;
    double least = find_verge(s, some, 0), most = find_verge(s, some, some * 2);
    total.accepted++;
    for (int k = 0; k < 6; k++) {
        set_slope(s, k < 2 ? least : k < 4 ? most : least + (most - least) * share_of(r));
        if (is_proved(s)) attack(s, r);
    }
}

int main(void) {
    test_random r = test_seed(68);
    size_t count = 40 + (size_t)(400 * test_effort());
    for (size_t k = 0; k < count; k++) {
        subject s = {.found = 0};
        make_columns(&s);
        s.b = (ordinary_bounding){.u = &s.u, .k = {.f16_cache = random_below(&r, 4) != 0}, .columns = s.bounds};
        s.b.common = ldexp(random_below(&r, 2) ? 0.99 : share_of(&r), -10 - (int)random_below(&r, 6));
        s.b.own = 4 * F32;
        for (uint32_t c = 0; c < COLUMNS && random_below(&r, 2); c++)
            s.bounds[c].error = s.bounds[c].zero = ldexp(share_of(&r), -10 - (int)random_below(&r, 12));
        make_head(&s, &r);
        try_head(&s, &r);
    }
    printf("%zu heads, %zu proved; %zu runs, off by %.3g of what is proved at most\n", total.heads, total.accepted,
           total.runs, total.closest);
    CHECK(2 * total.accepted > total.heads, "only %zu of %zu heads are proved", total.accepted, total.heads);
    return test_finish("t-audit-ordinary-kernels");
}
