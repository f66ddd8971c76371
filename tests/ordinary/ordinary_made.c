#include "ordinary_made.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 96, HEADS = 24, STEPS = 32, TERMS = 8, NOBODY = 1, PLACES = 3, START_TOKEN = 0, FIRST_LETTER = 2 };

typedef struct maker {
    ordinary_made *made;
    lift *u;
    test_random *r;
    const made_shape *s;
    arena *a;
    uint32_t *letter;  /* [letters] their columns */
    uint32_t *shifted; /* [letters] columns that are letters one position before; UINT32_MAX: none yet */
    uint32_t layer;
} maker;

static bool one_in(maker *k, uint64_t n) { return random_below(k->r, n) == 0; }

/* ---- columns ---- */

static uint32_t add_column(maker *k, lift_writer writer, made_column about) {
    uint32_t c = k->u->column_count++;
    k->u->columns[c] = (lift_column){.writer = writer, .layer = k->layer, .is_read = true, .grain = 1, .high = 1};
    k->u->columns[c].scale = 1;
    k->made->about[c] = about;
    return c;
}

static uint32_t add_token(maker *k, uint32_t from, uint32_t to, double start) {
    uint32_t c = add_column(k, LIFT_TOKEN, (made_column){.boolean = start == 0, .known = true, .start = start});
    double *tokens = arena_zalloc(k->a, k->made->m.vocabulary, sizeof *tokens);
    for (uint32_t t = from; t < to; t++) tokens[FIRST_LETTER + t] = 1;
    tokens[START_TOKEN] = start;
    k->u->columns[c].tokens = tokens;
    return c;
}

typedef enum place_kind { PLACE_REPEATS, PLACE_ONE, PLACE_SHIFTED, PLACE_ANY, PLACE_KINDS } place_kind;

/* What repeats, a single one, what repeats one position later, and anything. */
static void add_place(maker *k) {
    enum { LONGEST_WAVE = 64 };
    uint32_t n = k->s->positions, most = n > 3 ? n - 2 : 1;
    if (most > 6) most = one_in(k, 3) && most >= LONGEST_WAVE ? LONGEST_WAVE : 6;
    uint32_t period = 1 + (uint32_t)random_below(k->r, most);
    place_kind kind = (place_kind)random_below(k->r, PLACE_KINDS);
    double *place = arena_zalloc(k->a, n, sizeof *place), wave[LONGEST_WAVE];
    bool boolean = !one_in(k, 4);
    for (int j = 0; j < LONGEST_WAVE; j++) wave[j] = (double)random_below(k->r, boolean ? 2 : 4) - (boolean ? 0 : 1);
    for (uint32_t i = 1; i < n; i++) switch (kind) {
        case PLACE_REPEATS: place[i] = wave[i % period]; break;
        case PLACE_SHIFTED: place[i] = i == 1 ? 0 : wave[(i - 1) % period]; break;
        case PLACE_ANY: place[i] = (double)random_below(k->r, 2); break;
        default: break;
        }
    if (kind == PLACE_ONE && n > 1) place[1 + random_below(k->r, n - 1 < 16 ? n - 1 : 16)] = boolean ? 1 : 3;
    if (kind == PLACE_ANY || one_in(k, 6)) place[0] = (double)random_below(k->r, 3);
    if (kind == PLACE_SHIFTED && one_in(k, 3) && n > 1) place[1] = 1;
    bool known = kind == PLACE_REPEATS || kind == PLACE_ONE;
    if (kind == PLACE_SHIFTED) known = boolean && n > 2 && place[0] == 0 && place[1] == 0;
    uint32_t c = add_column(k, LIFT_TABLE, (made_column){.known = known, .start = place[0]});
    bool ones = true;
    for (uint32_t i = 1; i < n; i++) ones = ones && (place[i] == 0 || place[i] == 1);
    k->made->about[c].boolean = known && ones && place[0] == 0;
    k->made->about[c].copy = kind == PLACE_SHIFTED && known;
    lift_column *x = &k->u->columns[c];
    x->place = place;
    for (uint32_t i = 0; i < n; i++) {
        x->low = fmin(x->low, place[i]);
        x->high = fmax(x->high, place[i]);
    }
}

/* In any order, since loops over columns may forget the first or the last. */
static void add_embedding(maker *k) {
    uint32_t letters = k->s->letters, kinds = 2 + letters + NOBODY + PLACES, order[64];
    for (uint32_t j = 0; j < kinds; j++) {
        uint32_t at = (uint32_t)random_below(k->r, j + 1);
        order[j] = order[at];
        order[at] = j;
    }
    for (uint32_t j = 0; j < kinds; j++) {
        uint32_t kind = order[j];
        if (kind == 0) {
            k->u->real = add_token(k, 0, letters, 0);
        } else if (kind == 1) {
            k->u->start = add_token(k, 0, 0, 1);
        } else if (kind < 2 + letters) {
            k->letter[kind - 2] = add_token(k, kind - 2, kind - 1, 0);
        } else if (kind == 2 + letters) {
            uint32_t c = add_column(k, LIFT_NOBODY, (made_column){.boolean = true, .known = true});
            k->u->columns[c].grain = k->u->columns[c].high = 0;
            if (one_in(k, 2)) k->u->columns[c].place = k->u->zeros;
        } else {
            add_place(k);
        }
    }
}

/* ---- forms ---- */

static lift_form empty_form(maker *k) {
    return (lift_form){.terms = arena_alloc(k->a, TERMS + 8, sizeof(model_term))};
}

static void add_term(lift_form *f, uint32_t c, double w) {
    for (size_t k = 0; k < f->count; k++)
        if (f->terms[k].channel == c) return;
    f->terms[f->count++] = (model_term){c, w};
}

static bool is_ready(const maker *k, uint32_t c) {
    const lift_column *x = &k->u->columns[c];
    return (x->layer < k->layer || k->layer == 0) && !x->mean && k->made->about[c].known;
}

/* A column that is 0 or 1; UINT32_MAX: there is none of that kind. */
static uint32_t some_boolean(maker *k, bool copy) {
    for (int tries = 0; tries < 40; tries++) {
        uint32_t c = (uint32_t)random_below(k->r, k->u->column_count);
        if (k->made->about[c].boolean && is_ready(k, c) && (!copy || k->made->about[c].copy)) return c;
    }
    return copy ? UINT32_MAX : k->letter[random_below(k->r, k->s->letters)];
}

/* A set of letters, here or (copies) one position before; some of it is in *part. */
static bool letter_sum(maker *k, bool copy, lift_form *all, lift_form *part) {
    *all = empty_form(k);
    *part = empty_form(k);
    for (uint32_t t = 0; t < k->s->letters; t++) {
        uint32_t c = copy ? k->shifted[t] : k->letter[t];
        if (c == UINT32_MAX || !is_ready(k, c) || one_in(k, 3)) continue;
        add_term(all, c, 1);
        if (one_in(k, 2) || (copy && !part->count)) add_term(part, c, 1);
    }
    return all->count > 0;
}

/* Something that is 0 or 1, and something that implies it. */
static void some_choice(maker *k, bool copy, lift_form *key, lift_form *value) {
    if (one_in(k, 2) && letter_sum(k, copy, key, value)) return;
    uint32_t c = some_boolean(k, copy);
    if (c == UINT32_MAX) c = some_boolean(k, false);
    *key = empty_form(k);
    *value = empty_form(k);
    if (!copy && one_in(k, 2)) { /* every letter, and anything; or what does not hold */
        bool not = one_in(k, 2);
        add_term(key, k->u->real, 1);
        add_term(value, c, 1);
        if (not &&c != k->u->real) {
            add_term(key, c, -1);
            *value = *key;
        }
        return;
    }
    add_term(key, c, 1);
    add_term(value, c, 1);
}

static lift_form scaled(maker *k, const lift_form *f, double by) {
    lift_form out = empty_form(k);
    for (size_t j = 0; j < f->count; j++) add_term(&out, f->terms[j].channel, f->terms[j].weight * by);
    out.one = f->one * by;
    return out;
}

static double some_unit(maker *k) {
    static const double units[] = {1, 0.5, 3, 0.25, 12};
    return units[random_below(k->r, 5)];
}

/* ---- heads ---- */

static lift_head *add_head(maker *k, lift_role role, size_t content, size_t values) {
    lift_head *h = &k->u->heads[k->u->head_count++];
    *h = (lift_head){.role = role, .layer = k->layer, .slot = (uint32_t)k->u->head_count - 1};
    h->content = h->product_count = content;
    h->products = arena_zalloc(k->a, content + 1, sizeof *h->products);
    h->value_count = values;
    h->values = arena_zalloc(k->a, values, sizeof *h->values);
    return h;
}

static uint32_t put_value(maker *k, const lift_head *h, size_t v, lift_form f, made_column about) {
    uint32_t c = add_column(k, LIFT_HEAD, about);
    k->u->columns[c].head = k->u->head_count - 1;
    h->values[v] = (lift_value){.dimension = (uint32_t)v, .value = f, .column = c, .scale = 1};
    return c;
}

static const made_column BOOLEAN = {.boolean = true, .known = true};

static void add_threshold(maker *k, uint32_t c, double at) {
    lift_step *s = &k->u->steps[k->u->step_count++];
    *s = (lift_step){.layer = k->layer, .unit = 2 * (uint32_t)(k->u->step_count - 1), .at = at, .count = 1};
    s->sum = empty_form(k);
    add_term(&s->sum, c, 2 * LIFT_GATE);
    s->sum.one = (0.75 - at) * 2 * LIFT_GATE;
    s->terms = arena_alloc(k->a, 1, sizeof *s->terms);
    s->terms[0] = (model_term){add_column(k, LIFT_NET, (made_column){.known = true, .boolean = at > 0}), 1};
}

static void make_once(maker *k) {
    lift_head *h = add_head(k, LIFT_ONCE, 1, 1 + random_below(k->r, 2));
    lift_form key, part;
    bool several = k->s->any && one_in(k, 3);
    some_choice(k, one_in(k, 3), &key, &part);
    if (several) { /* the largest of some numbers */
        key = empty_form(k);
        for (uint32_t t = 0; t < k->s->letters; t++) add_term(&key, k->letter[t], (double)(t + 1));
    }
    h->products[0].query.one = some_unit(k);
    h->products[0].key = one_in(k, 8) ? empty_form(k) : scaled(k, &key, some_unit(k));
    made_column about = BOOLEAN;
    about.boolean = !several;
    for (size_t v = 0; v < h->value_count; v++) {
        uint32_t c = put_value(k, h, v, key, about);
        if (several) k->u->columns[c].high = k->s->letters;
        if (several) add_threshold(k, c, 1 + (double)random_below(k->r, k->s->letters));
    }
}

static void make_nearest(maker *k) {
    lift_head *h = add_head(k, LIFT_NEAREST, 1, 1 + random_below(k->r, 2));
    lift_form key, value;
    bool copy = one_in(k, 3);
    some_choice(k, copy, &key, &value);
    h->last = one_in(k, 2);
    h->products[0].query.one = some_unit(k);
    h->products[0].key = scaled(k, &key, one_in(k, 8) ? 0 : some_unit(k));
    for (size_t j = 0; j < h->products[0].key.count; j++)
        if (h->products[0].key.terms[j].weight == 0) { /* nobody is better than anybody */
            h->products[0].key.count = 0;
            value.count = 0;
        }
    for (size_t v = 0; v < h->value_count; v++) put_value(k, h, v, value, BOOLEAN);
}

/* Products of letters with numbers; keys may hold the start sentinel, too. */
static void make_match(maker *k) {
    lift_head *h = add_head(k, LIFT_NEAREST, 1 + random_below(k->r, 3), 1 + random_below(k->r, 2));
    bool copy = one_in(k, 2);
    for (uint32_t t = 0; t < k->s->letters; t++)
        copy = copy && k->shifted[t] != UINT32_MAX && is_ready(k, k->shifted[t]);
    h->last = !k->s->any || one_in(k, 2);
    for (size_t p = 0; p < h->content; p++) {
        lift_form *query = &h->products[p].query, *key = &h->products[p].key;
        *query = empty_form(k);
        *key = empty_form(k);
        if (one_in(k, 2)) query->one = (double)random_below(k->r, 5) - 2;
        for (uint32_t t = 0; t < k->s->letters; t++) {
            double q = (double)random_below(k->r, 5) - 2, x = ((double)random_below(k->r, 7) - 3) / 2;
            if (q != 0) add_term(query, k->letter[t], q);
            if (x != 0) add_term(key, copy ? k->shifted[t] : k->letter[t], x);
        }
        if (one_in(k, 3)) add_term(query, some_boolean(k, false), 2);
        if (h->content == 1 && one_in(k, 4)) query->count = 0, query->one = -(double)random_below(k->r, 2);
        if (h->content == 1 && !query->count) query->one = -fabs(query->one); /* else it is a nearest head */
        if (!copy && one_in(k, 2)) add_term(key, k->u->start, ((double)random_below(k->r, 9) - 4) / 2);
        if (!copy && one_in(k, 4)) key->one = ((double)random_below(k->r, 5) - 2) / 2;
    }
    for (size_t v = 0; v < h->value_count; v++) {
        lift_form value, part;
        some_choice(k, copy, &value, &part);
        put_value(k, h, v, value, BOOLEAN);
    }
}

static void make_yesterday(maker *k) {
    lift_head *h = add_head(k, LIFT_YESTERDAY, 0, 1 + random_below(k->r, 2));
    for (size_t v = 0; v < h->value_count; v++) {
        lift_form value, part;
        uint32_t letter = (uint32_t)random_below(k->r, k->s->letters);
        some_choice(k, one_in(k, 4), &value, &part);
        bool is_letter = k->shifted[letter] == UINT32_MAX || one_in(k, 3);
        if (is_letter) {
            value = empty_form(k);
            add_term(&value, k->letter[letter], 1);
        }
        made_column about = BOOLEAN;
        about.copy = true;
        uint32_t c = put_value(k, h, v, value, about);
        if (is_letter) k->shifted[letter] = c;
    }
}

/* Sums of letters, and a number and a half on the start sentinel; whether they are positive. */
static void make_count(maker *k, uint32_t later) {
    lift_head *h = add_head(k, LIFT_MEAN, 0, 1);
    lift_form value = empty_form(k);
    double sign = one_in(k, 2) ? 1 : -1;
    for (uint32_t t = 0; t < k->s->letters; t++) {
        double w = (double)random_below(k->r, 3);
        if (w != 0) add_term(&value, k->letter[t], w * (k->s->bounded || one_in(k, 2) ? sign : -sign));
    }
    add_term(&value, k->u->start, (double)random_below(k->r, 7) - 3.5);
    uint32_t mean = put_value(k, h, 0, value, (made_column){.known = false});
    double scale = some_unit(k);
    h->values[0].scale = k->u->columns[mean].scale = scale;
    k->u->columns[mean].mean = true;
    k->layer = later;
    h = add_head(k, LIFT_COMPARE, 1, 1);
    h->products[0].query = empty_form(k);
    h->products[0].key = empty_form(k);
    add_term(&h->products[0].query, mean, some_unit(k));
    add_term(&h->products[0].key, k->u->start, 1);
    lift_form start = empty_form(k);
    add_term(&start, k->u->start, 1);
    put_value(k, h, 0, start, (made_column){.known = true, .start = 1});
}

/* A table from position 0 on that repeats. */
static uint32_t add_table(maker *k, uint32_t period) {
    uint32_t n = k->s->positions;
    double *place = arena_zalloc(k->a, n, sizeof *place);
    for (uint32_t i = 0; i < n; i++) place[i] = i < period ? (double)random_below(k->r, 2) : place[i - period];
    uint32_t layer = k->layer;
    k->layer = 0;
    uint32_t c = add_column(k, LIFT_TABLE, (made_column){.known = false, .start = place[0]});
    k->layer = layer;
    k->u->columns[c].place = place;
    return c;
}

/* 1 at the first letter: the mean of it is what a number is divided by. */
static uint32_t add_first(maker *k) {
    uint32_t c = add_table(k, 1);
    double *place = k->u->columns[c].place;
    for (uint32_t i = 0; i < k->s->positions; i++) place[i] = i == 1;
    return c;
}

static uint32_t put_mean(maker *k, const lift_head *h, size_t v, lift_form f) {
    uint32_t c = put_value(k, h, v, f, (made_column){.known = false});
    k->u->columns[c].mean = true;
    return c;
}

static void look_up(maker *k, uint32_t number, uint32_t inverse, bool tables) {
    lift_head *h = add_head(k, LIFT_LOOKUP, 0, 1 + random_below(k->r, 2));
    h->number = number;
    h->inverse = inverse;
    for (size_t v = 0; v < h->value_count; v++) {
        lift_form value;
        if (tables) {
            uint32_t most = k->s->positions > 5 ? 4 : k->s->positions - 1;
            uint32_t at = add_table(k, 1 + (uint32_t)random_below(k->r, most));
            bool starts = k->u->columns[at].place[0] != 0;
            value = empty_form(k);
            add_term(&value, at, 1);
            put_value(k, h, v, value, (made_column){.boolean = !starts, .known = true, .start = starts});
        } else {
            some_choice(k, false, &value, &(lift_form){0});
            put_value(k, h, v, value, BOOLEAN);
        }
    }
}

/* How many letters there were of some kind, perhaps less a number; and what is at that position: of a table that
   repeats, or anything that is 0 or 1. */
static void make_lookup(maker *k, uint32_t later) {
    lift_head *h = add_head(k, LIFT_WEIGHED, 0, 2);
    lift_form count, part, first = empty_form(k);
    bool tables = k->s->bounded || one_in(k, 2);
    h->weight = 16;
    letter_sum(k, false, &count, &part);
    if (!count.count) add_term(&count, k->letter[random_below(k->r, k->s->letters)], 1);
    add_term(&first, add_first(k), 1);
    if (!tables && one_in(k, 2)) add_term(&count, first.terms[0].channel, -(1 + (double)random_below(k->r, 2)));
    uint32_t number = put_mean(k, h, 0, count), inverse = put_mean(k, h, 1, first);
    k->layer = later;
    for (size_t heads = 1 + random_below(k->r, 2); heads > 0; heads--) look_up(k, number, inverse, tables);
}

static bool is_same_layer(const lift_head *x, const lift_head *y) { return x->layer == y->layer; }

/* Heads of a layer stand together. */
static void sort_heads(lift *u) {
    for (size_t k = 1; k < u->head_count; k++)
        for (size_t j = k; j > 0 && u->heads[j].layer < u->heads[j - 1].layer; j--) {
            lift_head kept = u->heads[j];
            u->heads[j] = u->heads[j - 1];
            u->heads[j - 1] = kept;
        }
    for (size_t k = 0; k < u->head_count; k++) {
        u->heads[k].slot = k && is_same_layer(&u->heads[k], &u->heads[k - 1]) ? u->heads[k - 1].slot + 1 : 0;
        for (size_t v = 0; v < u->heads[k].value_count; v++) u->columns[u->heads[k].values[v].column].head = k;
    }
    for (size_t k = 0; k < u->head_count; k++)
        if (u->heads[k].role == LIFT_LOOKUP) u->heads[k].of = u->columns[u->heads[k].number].head;
}

/* ---- steps ---- */

/* What heads of the layer wrote may be read, and no column of nets of the same one. */
static bool is_for_step(const maker *k, uint32_t c) {
    const lift_column *x = &k->u->columns[c];
    return !x->mean && k->made->about[c].known &&
           (x->layer < k->layer || (x->layer == k->layer && x->writer == LIFT_HEAD));
}

static void make_step(maker *k) {
    lift_step *s = &k->u->steps[k->u->step_count++];
    lift_form sum = empty_form(k);
    double start = 0, low = 0, high = 0;
    uint32_t copy = UINT32_MAX;
    bool settled = false;
    for (int tries = 0; tries < 20 && one_in(k, 2); tries++) {
        uint32_t c = (uint32_t)random_below(k->r, k->u->column_count);
        if (is_for_step(k, c) && k->made->about[c].copy) copy = c;
    }
    if (copy != UINT32_MAX) { /* a copy that is settled */
        bool swap = one_in(k, 2);
        add_term(&sum, swap ? k->u->real : copy, (one_in(k, 8) ? 4 : 2) * LIFT_GATE);
        add_term(&sum, swap ? copy : k->u->real, (one_in(k, 8) ? 4 : 2) * LIFT_GATE);
        settled = sum.terms[0].weight == sum.terms[1].weight && sum.terms[0].weight == 2 * LIFT_GATE;
    }
    for (int tries = 0; copy == UINT32_MAX && tries < 4; tries++) {
        uint32_t c = (uint32_t)random_below(k->r, k->u->column_count);
        if (is_for_step(k, c))
            add_term(&sum, c, 2 * LIFT_GATE * (one_in(k, 3) ? -1 : 1 + (double)random_below(k->r, 2)));
    }
    for (size_t j = 0; j < sum.count; j++) {
        double w = sum.terms[j].weight / (2 * LIFT_GATE);
        const lift_column *x = &k->u->columns[sum.terms[j].channel];
        start += w * k->made->about[sum.terms[j].channel].start;
        low += fmin(w * x->low, w * x->high);
        high += fmax(w * x->low, w * x->high);
    }
    s->layer = k->layer;
    s->unit = 2 * (uint32_t)(k->u->step_count - 1);
    s->sum = sum;
    s->at = copy != UINT32_MAX ? 2 : ceil(low + (high - low) * (double)random_below(k->r, 5) / 4);
    s->sum.one = (0.75 - s->at) * 2 * LIFT_GATE;
    s->count = 1 + random_below(k->r, 2);
    s->terms = arena_alloc(k->a, s->count, sizeof *s->terms);
    for (size_t j = 0; j < s->count; j++) {
        bool is = start >= s->at;
        double weight = one_in(k, 4) ? -1 : 1;
        uint32_t c = UINT32_MAX;
        for (uint32_t other = 0; other < k->u->column_count && one_in(k, 3); other++)
            if (k->u->columns[other].writer == LIFT_NET && (j == 0 || s->terms[0].channel != other)) c = other;
        if (c == UINT32_MAX) {
            c = add_column(k, LIFT_NET, (made_column){.known = true, .boolean = weight == 1 && !is});
            k->u->columns[c].low = fmin(weight, 0);
            k->u->columns[c].high = fmax(weight, 0);
            k->made->about[c].copy = settled && weight == 1;
        } else { /* added to what is there */
            k->made->about[c].boolean = k->made->about[c].copy = false;
            k->u->columns[c].low += fmin(weight, 0);
            k->u->columns[c].high += fmax(weight, 0);
            k->u->columns[c].layer = k->layer;
        }
        k->made->about[c].start += is ? weight : 0;
        s->terms[j] = (model_term){c, weight};
    }
}

/* ---- all ---- */

static void make_head(maker *k) {
    switch (random_below(k->r, 5)) {
    case 0: make_once(k); break;
    case 1: make_nearest(k); break;
    case 2: make_match(k); break;
    case 3: make_yesterday(k); break;
    default:
        if (k->s->counts && k->layer < k->s->layers) {
            uint32_t layer = k->layer;
            if (k->s->positions > 1 && one_in(k, 2))
                make_lookup(k, layer + 1);
            else
                make_count(k, layer + 1);
            k->layer = layer;
        } else {
            make_yesterday(k);
        }
    }
}

ordinary_made *ordinary_made_random(test_random *r, const made_shape *s, arena *a) {
    ordinary_made *made = arena_zalloc(a, 1, sizeof *made);
    lift *u = &made->u;
    maker k = {.made = made, .u = u, .r = r, .s = s, .a = a};
    made->m =
        (struct ordinary_model){.positions = s->positions, .layer_count = s->layers, .head_size = 64, .heads = HEADS};
    made->m.vocabulary = s->letters + 3;
    made->m.mirrored = s->mirrored;
    made->about = arena_zalloc(a, COLUMNS, sizeof *made->about);
    *u = (lift){.arena = a, .m = &made->m, .letters = s->letters};
    u->columns = arena_zalloc(a, COLUMNS, sizeof *u->columns);
    u->heads = arena_zalloc(a, HEADS, sizeof *u->heads);
    u->steps = arena_zalloc(a, STEPS, sizeof *u->steps);
    u->zeros = arena_zalloc(a, s->positions, sizeof *u->zeros);
    u->logits = u->outputs = arena_zalloc(a, made->m.vocabulary, sizeof *u->outputs);
    k.letter = arena_alloc(a, s->letters, sizeof *k.letter);
    k.shifted = arena_alloc(a, s->letters, sizeof *k.shifted);
    for (uint32_t t = 0; t < s->letters; t++) k.shifted[t] = UINT32_MAX;
    add_embedding(&k);
    for (k.layer = 1; k.layer <= s->layers; k.layer++) {
        for (size_t n = 1 + random_below(r, 3); n > 0; n--) make_head(&k);
        for (size_t n = random_below(r, 3); n > 0; n--) make_step(&k);
    }
    sort_heads(u);
    return made;
}

void ordinary_made_reads(ordinary_made *x, test_random *r, arena *a) {
    for (uint32_t token = 0; token < x->m.vocabulary; token++) {
        lift_form *f = &x->u.outputs[token];
        f->terms = arena_alloc(a, 1, sizeof *f->terms);
        f->terms[0] = (model_term){(uint32_t)random_below(r, x->u.column_count), 256};
        f->count = 1;
    }
}
