#include "compile/weighted_machine.h"

#include <float.h>
#include <string.h>

#include "number/elementary.h"

enum { BELIEFS = 256, PAIRS = 1024 };

/* How likely each state of the weights is, given what was read: a vector that sums to 1; all 0 where what was read
   has probability 0. */
typedef struct belief {
    const rational *of; /* [weight states] */
} belief;

typedef struct pair {
    uint32_t state, belief;
    size_t parent; /* for messages: how it was reached */
    uint32_t letter;
} pair;

typedef struct product {
    const temper_spec *s;
    const dfa *d;
    const unsigned char *alive;
    const letter_odds *w;
    rational_pool *pool;
    arena *a;
    belief *beliefs;
    size_t belief_count, belief_capacity;
    pair *pairs;
    size_t pair_count, pair_capacity;
    table index;
    uint32_t *next; /* [pairs][letters] */
    size_t next_count, next_capacity;
    size_t *first; /* [weight states + 1] of the moves, which are sorted by their state */
    odds_move *moves;
    rational *after; /* [weight states] a belief that may be known already */
} product;

static void sort_moves(product *p) {
    const letter_odds *w = p->w;
    p->first = arena_zalloc(p->a, (size_t)w->state_count + 2, sizeof *p->first);
    p->moves = arena_alloc(p->a, w->move_count + 1, sizeof *p->moves);
    for (size_t k = 0; k < w->move_count; k++) p->first[w->moves[k].from + 1]++;
    for (uint32_t q = 0; q < w->state_count; q++) p->first[q + 1] += p->first[q];
    size_t *place = arena_alloc(p->a, (size_t)w->state_count + 1, sizeof *place);
    memcpy(place, p->first, ((size_t)w->state_count + 1) * sizeof *place);
    for (size_t k = 0; k < w->move_count; k++) p->moves[place[w->moves[k].from]++] = w->moves[k];
}

/* The weight of a letter under a belief, and with `after` the belief behind it, not yet divided by its sum. */
static void weigh(const product *p, rational *out, rational *after, uint32_t number, uint32_t letter) {
    const belief *b = &p->beliefs[number];
    rational *term = rational_array(p->pool, 1);
    rational_set_int(out, 0);
    for (uint32_t q = 0; q < p->w->state_count; q++) {
        if (rational_is_zero(&b->of[q])) continue;
        for (size_t k = p->first[q]; k < p->first[q + 1]; k++) {
            if (p->moves[k].letter != letter) continue;
            rational_mul(term, &b->of[q], p->moves[k].weight);
            rational_add(out, out, term);
            if (after) rational_add(&after[p->moves[k].to], &after[p->moves[k].to], term);
        }
    }
}

static uint32_t find_belief(product *p, const rational *of) {
    for (uint32_t k = 0; k < p->belief_count; k++) {
        bool same = true;
        for (uint32_t q = 0; q < p->w->state_count && same; q++) same = rational_equal(&p->beliefs[k].of[q], &of[q]);
        if (same) return k;
    }
    if (p->belief_count == BELIEFS + p->w->state_count)
        trap_raise_hint(
            p->a->trap, TEMPER_LIMIT, p->s->probabilities.line, p->s->probabilities.column,
            "give each state one move for each letter",
            "the weights are nondeterministic, and a deterministic automaton of them has more than %d states",
            BELIEFS);
    rational *kept = rational_array(p->pool, p->w->state_count);
    for (uint32_t q = 0; q < p->w->state_count; q++) rational_set(&kept[q], &of[q]);
    array_push(p->a, p->beliefs, p->belief_count, p->belief_capacity, (belief){kept});
    return (uint32_t)p->belief_count - 1;
}

static uint32_t belief_after(product *p, uint32_t number, uint32_t letter) {
    rational *of = p->after, *sum = rational_array(p->pool, 1);
    for (uint32_t q = 0; q < p->w->state_count; q++) rational_set_int(&of[q], 0);
    weigh(p, sum, of, number, letter);
    for (uint32_t q = 0; q < p->w->state_count && !rational_is_zero(sum); q++) rational_div(&of[q], &of[q], sum);
    return find_belief(p, of);
}

static uint32_t find_pair(product *p, uint32_t state, uint32_t belief_number, size_t parent, uint32_t letter) {
    uint32_t key[2] = {state, p->alive[state] ? belief_number : 0}; /* where nothing is legal it does not matter */
    bool fresh;
    const uint32_t *known = table_find(&p->index, key, sizeof key);
    if (known) return *known;
    if (p->pair_count == PAIRS)
        trap_raise(p->a->trap, TEMPER_LIMIT, p->s->probabilities.line, p->s->probabilities.column,
                   "language and weights together have more than %d states", PAIRS);
    uint32_t found = (uint32_t)p->pair_count;
    table_put(&p->index, arena_copy(p->a, (const char *)key, sizeof key), sizeof key, found, &fresh);
    array_push(p->a, p->pairs, p->pair_count, p->pair_capacity, (pair){key[0], key[1], parent, letter});
    return found;
}

/* Weights divided by their sum; false: all are 0, and stay so. */
static bool divide_by_sum(rational *of, size_t outputs, rational *sum) {
    rational_set_int(sum, 0);
    for (size_t k = 0; k < outputs; k++) rational_add(sum, sum, &of[k]);
    if (rational_is_zero(sum)) return false;
    for (size_t k = 0; k < outputs; k++) rational_div(&of[k], &of[k], sum);
    return true;
}

void chances_logits(double *logits, const rational *chances, size_t outputs) {
    for (size_t k = 0; k < outputs; k++)
        logits[k] = rational_is_zero(&chances[k]) ? LOGIT_NEVER : log_f64(rational_to_double(&chances[k]));
}

bool letter_odds_chances(rational *chances, const bool *legal, size_t letters, const letter_odds *w,
                         rational_pool *pool) {
    for (size_t k = 0; k <= letters; k++) rational_set_int(&chances[k], 0);
    for (size_t k = 0; k < w->move_count; k++) {
        rational *x = &chances[w->moves[k].letter];
        if (legal[w->moves[k].letter]) rational_add(x, x, w->moves[k].weight);
    }
    return divide_by_sum(chances, letters + 1, rational_array(pool, 1));
}

static bool is_lost(const product *p, uint32_t number) {
    bool lost = true;
    for (uint32_t q = 0; q < p->w->state_count && lost; q++) lost = rational_is_zero(&p->beliefs[number].of[q]);
    return lost;
}

static _Noreturn void refuse_row(const product *p, size_t at, const char *why) {
    text t;
    size_t count = 0, capacity = 0;
    uint32_t *word = NULL;
    for (; at; at = p->pairs[at].parent) array_push(p->a, word, count, capacity, p->pairs[at].letter);
    text_init(&t, p->a);
    while (count--) text_printf(&t, "%s%s", p->s->letters.letters[word[count]], p->s->letters.tokens ? " " : "");
    trap_raise(p->a->trap, TEMPER_RANGE, p->s->probabilities.line, p->s->probabilities.column, "after '%s' %s",
               text_escaped(p->a, text_string(&t), t.length, 60), why);
}

static rational *row_of(product *p, size_t at) {
    size_t letters = p->s->letters.count;
    const pair x = p->pairs[at];
    rational *of = rational_array(p->pool, letters + 1);
    for (uint32_t k = 0; k <= letters; k++) {
        bool legal = k == letters ? p->d->accepts[x.state] : p->alive[dfa_next(p->d, x.state, p->d->class_of[k])];
        if (legal) weigh(p, &of[k], NULL, x.belief, k);
    }
    bool any = divide_by_sum(of, letters + 1, rational_array(p->pool, 1));
    if (!any && p->alive[x.state] && !is_lost(p, x.belief))
        refuse_row(p, at, "everything that is legal has the weight 0");
    /* doubles below have fewer digits, or none, and a logarithm of them is none of the probability */
    for (size_t k = 0; k <= letters; k++)
        if (!rational_is_zero(&of[k]) && rational_to_double(&of[k]) < DBL_MIN)
            refuse_row(p, at, "something has a probability above 0, but below 2^-1022");
    return of;
}

static bool same_row(const rational *x, const rational *y, size_t count) {
    size_t k = 0;
    while (k < count && rational_equal(&x[k], &y[k])) k++;
    return k == count;
}

static void find_rows(product *p, weighted_machine *out) {
    size_t outputs = p->s->letters.count + 1, capacity = 0, count = 0;
    out->row = arena_alloc(p->a, p->pair_count, sizeof *out->row);
    for (size_t k = 0; k < p->pair_count; k++) {
        const rational *row = row_of(p, k);
        size_t r = 0;
        while (r < count && !same_row(row, out->rows[r], outputs)) r++;
        out->row[k] = (uint32_t)r;
        if (r == count) array_push(p->a, out->rows, count, capacity, row);
    }
    out->row_count = (uint32_t)count;
}

/* ---- states that nothing tells apart ---- */

/* kind[k] for each pair: equal iff state, row and all that follows are; *count of them. */
static uint32_t *refine(const product *p, const weighted_machine *m, uint32_t *count) {
    size_t letters = p->s->letters.count, n = p->pair_count, known = 0, bytes = (letters + 2) * sizeof(uint32_t);
    uint32_t *kind = arena_zalloc(p->a, n, sizeof *kind), *key = arena_alloc(p->a, letters + 2, sizeof *key);
    for (;;) {
        table seen;
        uint32_t *now = arena_alloc(p->a, n, sizeof *now), found = 0;
        table_init(&seen, p->a);
        for (size_t k = 0; k < n; k++) {
            bool fresh;
            key[0] = p->pairs[k].state;
            key[1] = m->row[k];
            for (size_t x = 0; x < letters; x++) key[x + 2] = known ? kind[p->next[k * letters + x]] : 0;
            const uint32_t *old = table_find(&seen, key, bytes);
            now[k] = old ? *old : found++;
            if (!old) table_put(&seen, arena_copy(p->a, (const char *)key, bytes), bytes, now[k], &fresh);
        }
        kind = now;
        if (found == known) break;
        known = found;
    }
    *count = (uint32_t)known;
    return kind;
}

/* Letters with equal columns are one class. */
static void fill_classes(dfa *d, const uint32_t *columns, uint32_t states, uint32_t letters, arena *a) {
    table seen;
    uint32_t classes = 0, *first = arena_alloc(a, (size_t)letters + 1, sizeof *first);
    table_init(&seen, a);
    for (uint32_t x = 0; x < letters; x++) {
        bool fresh;
        d->class_of[x] = *table_put(&seen, columns + (size_t)x * states, states * sizeof *columns, classes, &fresh);
        if (fresh) first[classes++] = x;
    }
    d->class_count = classes;
    for (uint32_t q = 0; q < states; q++)
        for (uint32_t c = 0; c < classes; c++)
            d->next[(size_t)q * classes + c] = columns[(size_t)first[c] * states + q];
}

static void join(product *p, weighted_machine *out) {
    uint32_t count, letters = (uint32_t)p->s->letters.count;
    const uint32_t *kind = refine(p, out, &count), *row = out->row;
    uint32_t *columns = arena_zalloc(p->a, (size_t)count * letters + 1, sizeof *columns);
    out->d = dfa_new(p->a, count, letters, letters);
    out->state = arena_alloc(p->a, count, sizeof *out->state);
    out->row = arena_alloc(p->a, count, sizeof *out->row);
    for (size_t k = 0; k < p->pair_count; k++) {
        out->state[kind[k]] = p->pairs[k].state;
        out->row[kind[k]] = row[k];
        for (uint32_t x = 0; x < letters; x++) columns[(size_t)x * count + kind[k]] = kind[p->next[k * letters + x]];
    }
    out->d->start = kind[0];
    fill_classes(out->d, columns, count, letters, p->a);
}

void weighted_machine_make(weighted_machine *out, const temper_spec *s, const dfa *d, const unsigned char *alive,
                           const letter_odds *w, rational_pool *pool, arena *a) {
    product p = {.s = s, .d = d, .alive = alive, .w = w, .pool = pool, .a = a};
    uint32_t letters = (uint32_t)s->letters.count;
    *out = (weighted_machine){0};
    table_init(&p.index, a);
    sort_moves(&p);
    rational *first = rational_array(pool, w->state_count);
    p.after = rational_array(pool, w->state_count);
    rational_set_int(&first[w->start], 1);
    find_pair(&p, d->start, find_belief(&p, first), 0, 0);
    for (size_t k = 0; k < p.pair_count; k++)
        for (uint32_t x = 0; x < letters; x++) {
            uint32_t to = dfa_next(d, p.pairs[k].state, d->class_of[x]);
            uint32_t b = alive[to] ? belief_after(&p, p.pairs[k].belief, x) : 0;
            uint32_t next = find_pair(&p, to, b, k, x);
            array_push(a, p.next, p.next_count, p.next_capacity, next);
        }
    find_rows(&p, out);
    join(&p, out);
}
