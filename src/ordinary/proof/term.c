#include "ordinary/proof/term.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ideals *ideals_new(arena *a, size_t positions, size_t letters) {
    ideals *x = arena_zalloc(a, 1, sizeof *x);
    x->arena = a;
    x->positions = positions;
    x->letters = letters;
    table_init(&x->known, a);
    return x;
}

/* ---- keys: bytes by which nodes and forms are known ---- */

static void put_byte(text *t, char c) { text_putc(t, c); }

/* -0 is 0. */
static void put_number(text *t, double x) {
    x = x == 0 ? 0 : x;
    text_add(t, (const char *)&x, sizeof x);
}

static void put_terms(text *t, const ideal_form *f) {
    uint64_t count = f->count;
    text_add(t, (const char *)&count, sizeof count);
    if (f->count) text_add(t, (const char *)f->terms, f->count * sizeof *f->terms);
}

static text key_of(const ideals *x, ideal_kind kind) {
    text t;
    text_init(&t, x->arena);
    put_byte(&t, (char)('A' + kind));
    return t;
}

static uint32_t form_number(ideals *x, const ideal_form *f) {
    text t;
    text_init(&t, x->arena);
    put_byte(&t, 'f');
    put_number(&t, f->one);
    put_number(&t, f->start);
    put_terms(&t, f);
    bool fresh;
    uint32_t *n = table_put(&x->known, t.data, t.length, (uint32_t)x->form_count, &fresh);
    if (fresh) array_push(x->arena, x->forms, x->form_count, x->form_capacity, *f);
    return *n;
}

static void put_form(ideals *x, text *t, const ideal_form *f) {
    uint32_t n = form_number(x, f);
    text_add(t, (const char *)&n, sizeof n);
}

static ideal_node_id node_for(ideals *x, const text *key, ideal_node made) {
    bool fresh;
    uint32_t *n = table_put(&x->known, key->data, key->length, (uint32_t)x->node_count, &fresh);
    if (fresh) array_push(x->arena, x->nodes, x->node_count, x->node_capacity, made);
    return *n;
}

static ideal_form node_form(ideals *x, ideal_node_id node, double start) {
    ideal_form f = {.start = start};
    array_push(x->arena, f.terms, f.count, f.capacity, (ideal_term){.node = node, .weight = 1});
    return f;
}

/* ---- forms ---- */

ideal_form ideal_constant(double one, double start) { return (ideal_form){.one = one, .start = start}; }

void ideal_add_node(ideals *x, ideal_form *f, ideal_node_id node, double weight) {
    array_push(x->arena, f->terms, f->count, f->capacity, (ideal_term){.node = node, .weight = weight});
}

void ideal_add(ideals *x, ideal_form *f, const ideal_form *other, double factor) {
    for (size_t k = 0; k < other->count; k++)
        ideal_add_node(x, f, other->terms[k].node, factor * other->terms[k].weight);
    f->one += factor * other->one;
    f->start += factor * other->start;
}

ideal_form ideal_quotient(ideals *x, const ideal_form *f, double divisor) {
    ideal_form out = {.one = f->one / divisor, .start = f->start / divisor};
    for (size_t k = 0; k < f->count; k++) ideal_add_node(x, &out, f->terms[k].node, f->terms[k].weight / divisor);
    return out;
}

/* Terms of one node in the order in which they came, which `padding` holds meanwhile: their sum must not depend on
   what a library's qsort does with equal ones. */
static int by_node(const void *a, const void *b) {
    const ideal_term *x = a, *y = b;
    if (x->node != y->node) return x->node > y->node ? 1 : -1;
    return (x->padding > y->padding) - (x->padding < y->padding);
}

static void merge_terms(ideal_form *f) {
    size_t kept = 0;
    for (size_t k = 0; k < f->count; k++) f->terms[k].padding = (uint32_t)k;
    if (f->count) qsort(f->terms, f->count, sizeof *f->terms, by_node);
    for (size_t k = 0; k < f->count; k++) {
        f->terms[k].padding = 0;
        if (kept && f->terms[kept - 1].node == f->terms[k].node)
            f->terms[kept - 1].weight += f->terms[k].weight;
        else
            f->terms[kept++] = f->terms[k];
    }
    f->count = 0;
    for (size_t k = 0; k < kept; k++)
        if (f->terms[k].weight != 0) f->terms[f->count++] = f->terms[k];
}

/* The largest number that all of them are whole multiples of; 0: they are 0, or there is none above 2^-20. */
static double common_factor(const double *x, size_t count) {
    int64_t factor = 0;
    for (size_t k = 0; k < count; k++) {
        double scaled = x[k] * 0x1p20;
        if (scaled != rint(scaled) || fabs(scaled) > 0x1p52) return 0;
        int64_t a = (int64_t)fabs(scaled);
        while (a) {
            int64_t rest = factor % a;
            factor = a;
            a = rest;
        }
    }
    return (double)factor / 0x1p20;
}

/* The node of a table, added to a form. The table is a constant, and a factor times whole numbers of which the least
   is 0, so that it does not matter how the form was split. */
static void add_table(ideals *x, ideal_form *f, const double *values) {
    size_t n = x->positions;
    double least = INFINITY, most = 0, *kept = arena_zalloc(x->arena, n, sizeof *kept);
    for (size_t i = 1; i < n; i++) least = fmin(least, values[i]);
    for (size_t i = 1; i < n; i++) kept[i] = values[i] - least;
    f->one += n > 1 ? least : 0;
    double factor = common_factor(kept + 1, n - 1);
    bool whole = factor != 0;
    for (size_t i = 1; i < n; i++) {
        if (whole) kept[i] /= factor;
        most = fmax(most, kept[i]);
    }
    if (most == 0) return;
    text key = key_of(x, IDEAL_PLACE);
    text_add(&key, (const char *)kept, n * sizeof *kept);
    ideal_node made = {.kind = IDEAL_PLACE, .most = most, .whole = whole, .values = kept};
    ideal_add_node(x, f, node_for(x, &key, made), whole ? factor : 1);
}

/* Tables become one table, so that it does not matter how a function of the position was put together. */
static void merge_places(ideals *x, ideal_form *f) {
    size_t kept = 0, places = 0;
    for (size_t k = 0; k < f->count; k++) places += x->nodes[f->terms[k].node].kind == IDEAL_PLACE;
    if (places < 2) return;
    double *sum = arena_zalloc(x->arena, x->positions, sizeof *sum);
    for (size_t k = 0; k < f->count; k++) {
        const ideal_node *n = &x->nodes[f->terms[k].node];
        if (n->kind != IDEAL_PLACE) {
            f->terms[kept++] = f->terms[k];
            continue;
        }
        for (size_t i = 1; i < x->positions; i++) sum[i] += f->terms[k].weight * n->values[i];
    }
    f->count = kept;
    add_table(x, f, sum);
    merge_terms(f);
}

void ideal_finish(ideals *x, ideal_form *f) {
    merge_terms(f);
    merge_places(x, f);
}

bool ideal_is_constant(const ideal_form *f) { return f->count == 0; }

bool ideal_is_equal(const ideal_form *a, const ideal_form *b) {
    return a->one == b->one && a->start == b->start && a->count == b->count &&
           (!a->count || memcmp(a->terms, b->terms, a->count * sizeof *a->terms) == 0);
}

/* ---- ranges ---- */

/* Steps of one sum take all values up to some step together: of those that begin at term k, adds the least and the
   largest partial sum. */
static int by_step(const ideals *x, const ideal_term *a, const ideal_term *b) {
    const ideal_node *m = &x->nodes[a->node], *n = &x->nodes[b->node];
    if (m->sum != n->sum) return m->sum < n->sum ? -1 : 1;
    return (m->at > n->at) - (m->at < n->at);
}

static void add_steps(const ideals *x, const ideal_form *f, double *least, double *most) {
    size_t count = 0;
    ideal_term *steps = arena_alloc(x->arena, f->count, sizeof *steps);
    for (size_t k = 0; k < f->count; k++) { /* insertion sort: there are few */
        if (x->nodes[f->terms[k].node].kind != IDEAL_STEP) continue;
        size_t at = count++;
        for (; at && by_step(x, &steps[at - 1], &f->terms[k]) > 0; at--) steps[at] = steps[at - 1];
        steps[at] = f->terms[k];
    }
    for (size_t k = 0; k < count;) {
        double sum = 0, low = 0, high = 0;
        uint32_t group = x->nodes[steps[k].node].sum;
        for (; k < count && x->nodes[steps[k].node].sum == group; k++) {
            sum += steps[k].weight;
            low = fmin(low, sum);
            high = fmax(high, sum);
        }
        *least += low;
        *most += high;
    }
}

void ideal_letter_range(const ideals *x, const ideal_form *f, double *least, double *most) {
    *least = *most = f->one;
    for (size_t k = 0; k < f->count; k++) {
        const ideal_node *n = &x->nodes[f->terms[k].node];
        double w = f->terms[k].weight;
        if (n->kind == IDEAL_STEP) continue;
        *least += w > 0 ? w * n->least : w * n->most;
        *most += w > 0 ? w * n->most : w * n->least;
    }
    add_steps(x, f, least, most);
}

void ideal_range(const ideals *x, const ideal_form *f, double *least, double *most) {
    ideal_letter_range(x, f, least, most);
    *least = fmin(*least, f->start);
    *most = fmax(*most, f->start);
}

static bool is_multiple(double x, double grid) { return x / grid == rint(x / grid); }

bool ideal_is_whole(const ideals *x, const ideal_form *f, double grid) {
    bool whole = is_multiple(f->one, grid) && is_multiple(f->start, grid);
    for (size_t k = 0; k < f->count && whole; k++)
        whole = x->nodes[f->terms[k].node].whole && is_multiple(f->terms[k].weight, grid);
    return whole;
}

/* ---- leaves ---- */

ideal_form ideal_letters(ideals *x, const double *values, double start) {
    bool same = true, whole = true;
    double least = INFINITY, most = -INFINITY;
    for (size_t k = 0; k < x->letters; k++) {
        same = same && values[k] == values[0];
        whole = whole && values[k] == rint(values[k]);
        least = fmin(least, values[k]);
        most = fmax(most, values[k]);
    }
    if (same) return ideal_constant(x->letters ? values[0] : 0, start);
    text key = key_of(x, IDEAL_LETTERS);
    double *kept = arena_alloc(x->arena, x->letters, sizeof *kept);
    for (size_t k = 0; k < x->letters; k++) put_number(&key, kept[k] = values[k]);
    ideal_node made = {.kind = IDEAL_LETTERS, .least = least, .most = most, .whole = whole, .values = kept};
    return node_form(x, node_for(x, &key, made), start);
}

ideal_form ideal_place(ideals *x, const double *values) {
    ideal_form f = {.start = values[0]};
    add_table(x, &f, values);
    return f;
}

bool ideal_is_place(const ideals *x, const ideal_form *f, double *out) {
    for (size_t k = 0; k < f->count; k++)
        if (x->nodes[f->terms[k].node].kind != IDEAL_PLACE) return false;
    out[0] = f->start;
    for (size_t i = 1; i < x->positions; i++) {
        out[i] = f->one;
        for (size_t k = 0; k < f->count; k++) out[i] += f->terms[k].weight * x->nodes[f->terms[k].node].values[i];
    }
    return true;
}

/* ---- what is made of forms ---- */

ideal_form ideal_settled(ideals *x, const ideal_form *f) {
    bool is_place = true;
    for (size_t k = 0; k < f->count; k++) is_place = is_place && x->nodes[f->terms[k].node].kind == IDEAL_PLACE;
    bool single = f->count == 1 && f->one == 0;
    if (is_place || (single && (f->terms[0].weight == 1 || !x->nodes[f->terms[0].node].whole))) return *f;
    ideal_form on_letters = *f;
    on_letters.start = 0;
    ideal_node made = {.kind = IDEAL_GATE, .value = form_number(x, &on_letters)};
    ideal_letter_range(x, &on_letters, &made.least, &made.most);
    made.whole = ideal_is_whole(x, &on_letters, 1);
    text key = key_of(x, IDEAL_GATE);
    put_form(x, &key, &on_letters);
    return node_form(x, node_for(x, &key, made), f->start);
}

ideal_form ideal_before(ideals *x, const ideal_form *f, double own) {
    double *values = arena_alloc(x->arena, x->positions, sizeof *values);
    if (f->count == 0 && f->one == f->start) return ideal_constant(f->one, own);
    if (ideal_is_place(x, f, values)) {
        memmove(values + 1, values, (x->positions - 1) * sizeof *values);
        values[0] = own;
        return ideal_place(x, values);
    }
    ideal_node made = {.kind = IDEAL_BEFORE, .whole = ideal_is_whole(x, f, 1)};
    ideal_range(x, f, &made.least, &made.most);
    made.value = form_number(x, f);
    text key = key_of(x, IDEAL_BEFORE);
    put_form(x, &key, f);
    return node_form(x, node_for(x, &key, made), own);
}

/* By cases, and the start sentinel. */
static void find_range(const ideals *x, const ideal_form *f, ideal_node *made) {
    ideal_case_range(x, f, &made->least, &made->most);
    made->least = fmin(made->least, f->start);
    made->most = fmax(made->most, f->start);
}

ideal_form ideal_once(ideals *x, const ideal_form *key_form) {
    text key = key_of(x, IDEAL_ONCE);
    put_form(x, &key, key_form);
    ideal_node made = {.kind = IDEAL_ONCE, .whole = ideal_is_whole(x, key_form, 1)};
    made.value = form_number(x, key_form);
    find_range(x, key_form, &made);
    return node_form(x, node_for(x, &key, made), key_form->start);
}

/* The last position where a number is largest, asked for that number, says what the largest is. */
ideal_form ideal_nearest(ideals *x, const ideal_product *products, size_t count, bool last, const ideal_form *value) {
    bool asks = count == 1 && ideal_is_constant(&products[0].query) && products[0].query.one > 0 &&
                products[0].query.one == products[0].query.start;
    if (asks && ideal_is_equal(&products[0].key, value)) return ideal_once(x, value);
    text key = key_of(x, IDEAL_NEAREST);
    put_byte(&key, last ? 'l' : 'f');
    for (size_t k = 0; k < count; k++) {
        put_form(x, &key, &products[k].query);
        put_form(x, &key, &products[k].key);
    }
    put_form(x, &key, value);
    ideal_node made = {.kind = IDEAL_NEAREST, .whole = ideal_is_whole(x, value, 1), .value = form_number(x, value)};
    find_range(x, value, &made);
    return node_form(x, node_for(x, &key, made), value->start);
}

ideal_form ideal_mean(ideals *x, const ideal_form *value) {
    text key = key_of(x, IDEAL_MEAN);
    put_form(x, &key, value);
    ideal_node made = {.kind = IDEAL_MEAN, .value = form_number(x, value)};
    ideal_range(x, value, &made.least, &made.most);
    return node_form(x, node_for(x, &key, made), value->start);
}

ideal_form ideal_weighed(ideals *x, const ideal_form *value, uint32_t head, double least, double most) {
    text key = key_of(x, IDEAL_WEIGHED);
    text_add(&key, (const char *)&head, sizeof head);
    put_form(x, &key, value);
    ideal_node made = {
        .kind = IDEAL_WEIGHED, .value = form_number(x, value), .head = head, .least = least, .most = most};
    return node_form(x, node_for(x, &key, made), 0);
}

ideal_form ideal_lookup(ideals *x, const ideal_form *number, const ideal_form *value) {
    text key = key_of(x, IDEAL_LOOKUP);
    put_form(x, &key, number);
    put_form(x, &key, value);
    ideal_node made = {.kind = IDEAL_LOOKUP, .whole = ideal_is_whole(x, value, 1), .value = form_number(x, value)};
    find_range(x, value, &made);
    return node_form(x, node_for(x, &key, made), value->start);
}

/* Only the sign of the query counts: it is divided by the size of its first weight. */
ideal_form ideal_positive(ideals *x, const ideal_form *query, const ideal_form *key_form, const ideal_form *value) {
    ideal_form sign = ideal_quotient(x, query, query->count ? fabs(query->terms[0].weight) : 1);
    sign.start = 0;
    text key = key_of(x, IDEAL_POSITIVE);
    put_form(x, &key, &sign);
    put_form(x, &key, key_form);
    put_form(x, &key, value);
    ideal_node made = {.kind = IDEAL_POSITIVE, .whole = ideal_is_whole(x, value, 1), .value = form_number(x, value)};
    ideal_range(x, value, &made.least, &made.most);
    return node_form(x, node_for(x, &key, made), value->start);
}

/* ---- nets ---- */

/* [sum >= m]: a table where the sum is one, and a Boolean itself where the sum is that. */
static void add_step(ideals *x, ideal_form *f, uint32_t sum, double m, double weight) {
    const ideal_form *s = &x->forms[sum];
    double *values = arena_alloc(x->arena, x->positions, sizeof *values);
    if (ideal_is_place(x, s, values)) {
        for (size_t i = 0; i < x->positions; i++) values[i] = i && values[i] >= m ? weight : 0;
        add_table(x, f, values);
        return;
    }
    if (s->count == 1 && s->terms[0].weight == 1) {
        const ideal_node *n = &x->nodes[s->terms[0].node];
        if (n->least == 0 && n->most == 1 && n->whole && m == 1) {
            ideal_add_node(x, f, s->terms[0].node, weight);
            return;
        }
    }
    text key = key_of(x, IDEAL_STEP);
    text_add(&key, (const char *)&sum, sizeof sum);
    put_number(&key, m);
    ideal_add_node(x, f,
                   node_for(x, &key, (ideal_node){.kind = IDEAL_STEP, .most = 1, .whole = true, .sum = sum, .at = m}),
                   weight);
}

static const char *prepare(ideals *x, ideal_unit *u) {
    ideal_form sum = {0};
    u->constant = u->in.one;
    u->sum = UINT32_MAX;
    u->factor = u->least = u->most = 0;
    if (ideal_is_constant(&u->in)) return NULL;
    for (size_t k = 0; k < u->in.count; k++)
        if (!x->nodes[u->in.terms[k].node].whole) return "a unit of a net reads what is no whole number";
    double *weights = arena_alloc(x->arena, u->in.count, sizeof *weights);
    for (size_t k = 0; k < u->in.count; k++) weights[k] = u->in.terms[k].weight;
    u->factor = common_factor(weights, u->in.count);
    if (u->factor == 0) return "a unit of a net has weights without a common factor";
    for (size_t k = 0; k < u->in.count; k++)
        ideal_add_node(x, &sum, u->in.terms[k].node, u->in.terms[k].weight / u->factor);
    ideal_letter_range(x, &sum, &u->least, &u->most);
    if (u->most - u->least > 4096) return "a unit of a net reads a sum of too many values";
    u->sum = form_number(x, &sum);
    return NULL;
}

static double relu(double x) { return x > 0 ? x : 0; }

static double weight_at(const ideal_unit *u, uint32_t column) {
    double w = 0;
    for (size_t k = 0; k < u->count; k++) w += u->columns[k] == column ? u->weights[k] : 0;
    return w;
}

/* What all units of the sum of `first` write to a column. */
static void add_group(ideals *x, ideal_form *out, const ideal_unit *units, size_t count, const ideal_unit *first,
                      uint32_t column) {
    double before = 0;
    for (double s = first->least; s <= first->most; s++) {
        double value = 0;
        for (size_t k = 0; k < count; k++)
            if (units[k].sum == first->sum) {
                double w = weight_at(&units[k], column);
                if (w != 0) value += w * relu(units[k].factor * s + units[k].constant);
            }
        if (s == first->least)
            out->one += value;
        else if (value != before)
            add_step(x, out, first->sum, s, value - before);
        before = value;
    }
}

const char *ideal_net(ideals *x, ideal_form *columns, size_t column_count, ideal_unit *units, size_t count) {
    ideal_form *made = arena_zalloc(x->arena, column_count, sizeof *made);
    bool *touched = arena_zalloc(x->arena, column_count, sizeof *touched);
    uint32_t *written = arena_alloc(x->arena, column_count, sizeof *written);
    for (size_t k = 0; k < count; k++) {
        const char *why = prepare(x, &units[k]);
        if (why) return why;
    }
    for (size_t k = 0; k < count; k++) {
        ideal_unit *u = &units[k];
        bool first = true;
        for (size_t t = 0; t < u->count; t++) {
            ideal_form *f = &made[u->columns[t]];
            f->start += u->weights[t] * relu(u->in.start);
            if (u->sum == UINT32_MAX) f->one += u->weights[t] * relu(u->constant);
            touched[u->columns[t]] = true;
        }
        for (size_t e = 0; e < k && first; e++) first = units[e].sum != u->sum;
        if (u->sum == UINT32_MAX || !first) continue;
        size_t group = 0; /* the columns that units of this sum write */
        for (size_t e = k; e < count; e++)
            for (size_t t = 0; units[e].sum == u->sum && t < units[e].count; t++) {
                bool known = false;
                for (size_t g = 0; g < group && !known; g++) known = written[g] == units[e].columns[t];
                if (!known) written[group++] = units[e].columns[t];
            }
        for (size_t g = 0; g < group; g++) add_group(x, &made[written[g]], units, count, u, written[g]);
    }
    for (size_t c = 0; c < column_count; c++) {
        if (!touched[c]) continue;
        ideal_add(x, &columns[c], &made[c], 1);
        ideal_finish(x, &columns[c]);
    }
    return NULL;
}
