/* One pass over the nodes in order, kids first; each node fills a row of n bytes from its kids' rows by the
   recurrence of its operator. A row is given back after the last node that reads it. Counts have no rows of their
   own: the sums above them read the rows of what is counted. */
#include "logic/formula_eval.h"
#include "logic/match.h"

#include <string.h>

typedef unsigned char row_value;

enum { FOR_EVER = UINT32_MAX }; /* the last use of a root: its row is not given back */

typedef struct term {
    const row_value *counted;
    int64_t weight;
    bool future;
} term;

typedef struct evaluation {
    const formula *f;
    const uint32_t *word;
    size_t n;
    arena *scratch;
    row_value **rows;  /* per node, NULL unless live */
    node_id *last_use; /* per node: the last node that reads its row */
    row_value **spare; /* rows that are free again */
    size_t spare_count, spare_capacity;
    term *terms; /* of the sum that is being evaluated */
    size_t term_capacity;
} evaluation;

static row_value *take_row(evaluation *e) {
    if (e->spare_count) return e->spare[--e->spare_count];
    return arena_alloc(e->scratch, e->n, 1);
}

/* A kid that occurs twice below one node is given back once. */
static void give_back(evaluation *e, node_id id, node_id reader) {
    if (e->last_use[id] != reader || !e->rows[id]) return;
    array_push(e->scratch, e->spare, e->spare_count, e->spare_capacity, e->rows[id]);
    e->rows[id] = NULL;
}

static const row_value *kid_row(const evaluation *e, node_id id, size_t k) {
    return e->rows[formula_kid(e->f, id, k)];
}

static bool is_count(const formula *f, node_id id) {
    formula_op op = formula_at(f, id)->op;
    return op == OP_COUNT_PAST || op == OP_COUNT_FUTURE;
}

static node_id highest_of(const node_id *roots, size_t count) {
    node_id highest = 0;
    for (size_t k = 0; k < count; k++)
        if (roots[k] > highest) highest = roots[k];
    return highest;
}

/* Reading a count means reading the row of what it counts. 0 for nodes that nobody reads: what a MATCH means in
   other operators is not read, unless all rows are wanted. */
static node_id *find_last_uses(const formula *f, const node_id *roots, size_t count, bool all, arena *scratch) {
    node_id *last = arena_zalloc(scratch, f->count, sizeof *last);
    for (size_t k = 0; k < count; k++) last[roots[k]] = FOR_EVER;
    for (node_id id = highest_of(roots, count); id > 0; id--) {
        if (!last[id]) continue;
        const formula_node *node = formula_at(f, id);
        node_id reader = is_count(f, id) ? last[id] : id;
        for (size_t k = 0; k < node->kid_count - (node->op == OP_MATCH && !all); k++) {
            node_id kid = formula_kid(f, id, k);
            if (last[kid] < reader) last[kid] = reader;
        }
    }
    return last;
}

static void eval_letters(row_value *out, const evaluation *e, node_id id) {
    for (size_t i = 0; i < e->n; i++) out[i] = formula_has_letter(e->f, id, e->word[i]);
}

static void eval_matches(row_value *out, const evaluation *e, const formula_node *node) {
    const dfa *d = e->f->languages[node->set].automaton;
    uint32_t state = d->start;
    for (size_t i = 0; i < e->n; i++) {
        state = dfa_next(d, state, d->class_of[e->word[i]]);
        out[i] = d->accepts[state];
    }
}

static void eval_matches_rest(row_value *out, const evaluation *e, const formula_node *node) {
    const dfa *d = e->f->languages[node->set].reversed;
    uint32_t state = d->start;
    for (size_t i = e->n; i-- > 0;) {
        state = dfa_next(d, state, d->class_of[e->word[i]]);
        out[i] = d->accepts[state];
    }
}

static void eval_nary(row_value *out, const evaluation *e, node_id id) {
    const formula_node *node = formula_at(e->f, id);
    bool is_and = node->op == OP_AND;
    memset(out, is_and, e->n);
    for (size_t k = 0; k < node->kid_count; k++) {
        const row_value *a = kid_row(e, id, k);
        if (is_and)
            for (size_t i = 0; i < e->n; i++) out[i] &= a[i];
        else
            for (size_t i = 0; i < e->n; i++) out[i] |= a[i];
    }
}

/* F and G (O and H): is a true at one, or at all, of the positions from here to the end (from the start to here)? */
static void eval_range(row_value *out, const row_value *a, size_t n, bool back, bool all) {
    row_value v = all;
    for (size_t k = 0; k < n; k++) {
        size_t i = back ? k : n - 1 - k;
        v = all ? v & a[i] : v | a[i];
        out[i] = v;
    }
}

static void eval_unary(row_value *out, formula_op op, const row_value *a, size_t n) {
    switch (op) {
    case OP_NOT:
        for (size_t i = 0; i < n; i++) out[i] = !a[i];
        break;
    case OP_NEXT:
    case OP_WEAK_NEXT:
        memcpy(out, a + 1, n - 1);
        out[n - 1] = op == OP_WEAK_NEXT;
        break;
    case OP_YESTERDAY:
    case OP_WEAK_YESTERDAY:
        memcpy(out + 1, a, n - 1);
        out[0] = op == OP_WEAK_YESTERDAY;
        break;
    case OP_EVENTUALLY: eval_range(out, a, n, false, false); break;
    case OP_ALWAYS: eval_range(out, a, n, false, true); break;
    case OP_ONCE: eval_range(out, a, n, true, false); break;
    case OP_HISTORICALLY: eval_range(out, a, n, true, true); break;
    default: break;
    }
}

/* u = b | (a & u'), with u' the next (or previous) position's value, `edge` beyond the string: U and S with edge 0,
   W with edge 1. Its dual r = b & (a | r'): R and T with edge 1, M with edge 0. */
static void eval_step(row_value *out, formula_op op, const row_value *a, const row_value *b, size_t n) {
    bool back = op == OP_SINCE || op == OP_TRIGGERED;
    bool dual = op == OP_RELEASE || op == OP_STRONG_RELEASE || op == OP_TRIGGERED;
    row_value v = op == OP_WEAK_UNTIL || op == OP_RELEASE || op == OP_TRIGGERED;
    for (size_t k = 0; k < n; k++) {
        size_t i = back ? k : n - 1 - k;
        v = dual ? b[i] & (a[i] | v) : b[i] | (a[i] & v);
        out[i] = v;
    }
}

static void eval_binary(row_value *out, formula_op op, const row_value *a, const row_value *b, size_t n) {
    switch (op) {
    case OP_XOR:
        for (size_t i = 0; i < n; i++) out[i] = a[i] ^ b[i];
        break;
    case OP_IFF:
        for (size_t i = 0; i < n; i++) out[i] = a[i] == b[i];
        break;
    case OP_IMPLIES:
        for (size_t i = 0; i < n; i++) out[i] = (!a[i]) | b[i];
        break;
    default: eval_step(out, op, a, b, n);
    }
}

/* The sum runs along the string: position i enters the counts of j <= i when it is reached and leaves those of j >= i
   when it is passed. |sum| < 2^63 * (n * terms + 1), and n * terms bytes of rows are in memory: 128 bits hold it. */
static void eval_sum(row_value *out, const evaluation *e, node_id id) {
    const formula *f = e->f;
    const formula_node *node = formula_at(f, id);
    size_t before = node->op == OP_AT, terms = node->kid_count - before; /* AT's first kid is no count */
    const row_value *value = before ? kid_row(e, id, 0) : NULL;
    __int128 sum = node->constant;
    for (size_t k = 0; k < terms; k++) {
        node_id count = formula_kid(f, id, before + k);
        term *t = &e->terms[k];
        *t = (term){e->rows[formula_kid(f, count, 0)], formula_weight(f, id, before + k),
                    formula_at(f, count)->op == OP_COUNT_FUTURE};
        int64_t total = 0;
        for (size_t i = 0; t->future && i < e->n; i++) total += t->counted[i];
        sum += (__int128)t->weight * total;
    }
    for (size_t i = 0; i < e->n; i++) {
        __int128 leaving = 0;
        for (size_t k = 0; k < terms; k++) {
            const term *t = &e->terms[k];
            if (t->future)
                leaving += t->counted[i] ? t->weight : 0;
            else
                sum += t->counted[i] ? t->weight : 0;
        }
        if (value)
            out[i] = sum >= 1 && sum <= (__int128)e->n ? value[(size_t)sum - 1] : 0;
        else
            out[i] = sum_holds(node, sum);
        sum -= leaving;
    }
}

/* Scans away from the far end of the mask. The candidate met last is the nearest to i; the one met first is kept when
   the choice is for the far end. Average is "there is one": all candidates have the value 1. */
static void eval_attend(row_value *out, const formula_node *node, const row_value *where, const row_value *value,
                        size_t n) {
    bool forward = node->mask != TEMPER_MASK_AFTER && node->mask != TEMPER_MASK_FROM;
    bool self = node->mask == TEMPER_MASK_UP_TO || node->mask == TEMPER_MASK_FROM;
    bool nearest = node->choice == (forward ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST);
    bool found = false;
    row_value chosen = 0;
    for (size_t k = 0; k < n; k++) {
        size_t i = forward ? k : n - 1 - k;
        if (!self) out[i] = chosen;
        if (where[i] && (nearest || !found)) {
            found = true;
            chosen = value[i];
        }
        if (self) out[i] = chosen;
    }
    if (node->mask == TEMPER_MASK_ALL) memset(out, chosen, n);
}

static void eval_match(row_value *out, const evaluation *e, node_id id) {
    const formula_node *node = formula_at(e->f, id);
    size_t conditions = match_conditions(node);
    const row_value **there = arena_alloc(e->scratch, conditions, sizeof *there);
    const row_value **here = arena_alloc(e->scratch, conditions, sizeof *here);
    for (size_t k = 0; k < conditions; k++) {
        there[k] = kid_row(e, id, 2 * k);
        here[k] = kid_row(e, id, 2 * k + 1);
    }
    match_eval(out, node, there, here, kid_row(e, id, 2 * conditions), e->n, e->scratch);
}

static void eval_node(row_value *out, evaluation *e, node_id id) {
    const formula_node *node = formula_at(e->f, id);
    size_t n = e->n;
    switch (node->op) {
    case OP_TRUE:
    case OP_FALSE: memset(out, node->op == OP_TRUE, n); break;
    case OP_FIRST:
        memset(out, 0, n);
        out[0] = 1;
        break;
    case OP_LAST:
        memset(out, 0, n);
        out[n - 1] = 1;
        break;
    case OP_LETTERS: eval_letters(out, e, id); break;
    case OP_MATCHES: eval_matches(out, e, node); break;
    case OP_MATCHES_REST: eval_matches_rest(out, e, node); break;
    case OP_AND:
    case OP_OR: eval_nary(out, e, id); break;
    case OP_COMPARE:
    case OP_MODULO:
    case OP_AT:
        e->terms = arena_grow(e->scratch, e->terms, &e->term_capacity, node->kid_count, sizeof *e->terms);
        eval_sum(out, e, id);
        break;
    case OP_ATTEND: eval_attend(out, node, kid_row(e, id, 0), kid_row(e, id, 1), n); break;
    case OP_MATCH: eval_match(out, e, id); break;
    default:
        if (node->kid_count == 1)
            eval_unary(out, node->op, kid_row(e, id, 0), n);
        else
            eval_binary(out, node->op, kid_row(e, id, 0), kid_row(e, id, 1), n);
    }
}

/* Fills rows of all nodes below the roots; those that nobody reads any more are given back, unless all are kept. */
static void evaluate(evaluation *e, const node_id *roots, size_t count, bool keep) {
    const formula *f = e->f;
    node_id highest = highest_of(roots, count);
    e->rows = arena_zalloc(e->scratch, (size_t)highest + 1, sizeof *e->rows);
    e->last_use = find_last_uses(f, roots, count, keep, e->scratch);
    for (node_id id = 1; id <= highest; id++) {
        const formula_node *node = formula_at(f, id);
        if (!e->last_use[id] || is_count(f, id)) continue;
        row_value *out = take_row(e);
        eval_node(out, e, id);
        e->rows[id] = out;
        for (size_t k = 0; !keep && k < node->kid_count; k++) {
            node_id kid = formula_kid(f, id, k);
            if (is_count(f, kid)) kid = formula_kid(f, kid, 0);
            give_back(e, kid, id);
        }
    }
}

void formula_eval_roots(unsigned char *truth, const formula *f, const node_id *roots, size_t count,
                        const uint32_t *word, size_t n, arena *scratch) {
    if (n == 0) return;
    evaluation e = {.f = f, .word = word, .n = n, .scratch = scratch};
    evaluate(&e, roots, count, false);
    for (size_t k = 0; k < count; k++) memcpy(truth + k * n, e.rows[roots[k]], n);
}

void formula_eval(unsigned char *truth, const formula *f, node_id root, const uint32_t *word, size_t n,
                  arena *scratch) {
    formula_eval_roots(truth, f, &root, 1, word, n, scratch);
}

const unsigned char *const *formula_eval_all(const formula *f, node_id root, const uint32_t *word, size_t n,
                                             arena *scratch) {
    evaluation e = {.f = f, .word = word, .n = n, .scratch = scratch};
    evaluate(&e, &root, 1, true);
    return (const unsigned char *const *)e.rows;
}
