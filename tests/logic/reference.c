#include "reference.h"

#include <stdlib.h>

typedef struct reference {
    const formula *f;
    const uint32_t *word; /* word[i - 1] is the letter at i */
    long n;
    signed char *memo; /* [node][i]: -1 not known yet */
} reference;

static bool holds(reference *r, node_id id, long i);

/* The number a count stands for. */
static __int128 count_value(reference *r, node_id id, long i) {
    const formula_node *node = formula_at(r->f, id);
    node_id phi = formula_kid(r->f, id, 0);
    __int128 many = 0;
    for (long j = 1; j <= r->n; j++)
        if ((node->op == OP_COUNT_PAST ? j <= i : j >= i) && holds(r, phi, j)) many++;
    return many;
}

static __int128 sum_value(reference *r, node_id id, long i) {
    const formula_node *node = formula_at(r->f, id);
    __int128 sum = node->constant;
    for (size_t k = 0; k < node->kid_count; k++)
        sum += (__int128)formula_weight(r->f, id, k) * count_value(r, formula_kid(r->f, id, k), i);
    return sum;
}

/* phi @ e: there is a position j that is e, and phi holds there. */
static bool read_at(reference *r, node_id id, long i) {
    const formula_node *node = formula_at(r->f, id);
    __int128 place = node->constant;
    for (size_t k = 1; k < node->kid_count; k++)
        place += (__int128)formula_weight(r->f, id, k) * count_value(r, formula_kid(r->f, id, k), i);
    for (long j = 1; j <= r->n; j++)
        if (j == place && holds(r, formula_kid(r->f, id, 0), j)) return true;
    return false;
}

static bool compare(__int128 left, compare_op op, __int128 right) {
    switch (op) {
    case CMP_EQ: return left == right;
    case CMP_NE: return left != right;
    case CMP_LT: return left < right;
    case CMP_LE: return left <= right;
    case CMP_GT: return left > right;
    case CMP_GE: return left >= right;
    }
    abort();
}

static __int128 remainder_of(__int128 x, __int128 m) { return ((x % m) + m) % m; }

/* phi U psi: there is j >= i with psi, and phi at every k with i <= k < j. */
static bool until(reference *r, node_id phi, node_id psi, long i) {
    for (long j = i; j <= r->n; j++) {
        if (!holds(r, psi, j)) continue;
        bool all = true;
        for (long k = i; k < j; k++) all = all && holds(r, phi, k);
        if (all) return true;
    }
    return false;
}

/* phi S psi: there is j <= i with psi, and phi at every k with j < k <= i. */
static bool since(reference *r, node_id phi, node_id psi, long i) {
    for (long j = 1; j <= i; j++) {
        if (!holds(r, psi, j)) continue;
        bool all = true;
        for (long k = j + 1; k <= i; k++) all = all && holds(r, phi, k);
        if (all) return true;
    }
    return false;
}

/* phi R psi: for every j >= i, psi at j or phi at some k with i <= k < j. */
static bool release(reference *r, node_id phi, node_id psi, long i) {
    for (long j = i; j <= r->n; j++) {
        bool released = false;
        for (long k = i; k < j; k++) released = released || holds(r, phi, k);
        if (!released && !holds(r, psi, j)) return false;
    }
    return true;
}

/* phi T psi: for every j <= i, psi at j or phi at some k with j < k <= i. */
static bool triggered(reference *r, node_id phi, node_id psi, long i) {
    for (long j = 1; j <= i; j++) {
        bool released = false;
        for (long k = j + 1; k <= i; k++) released = released || holds(r, phi, k);
        if (!released && !holds(r, psi, j)) return false;
    }
    return true;
}

static bool everywhere(reference *r, node_id phi, long from, long to) {
    for (long j = from; j <= to; j++)
        if (!holds(r, phi, j)) return false;
    return true;
}

static bool somewhere(reference *r, node_id phi, long from, long to) {
    for (long j = from; j <= to; j++)
        if (holds(r, phi, j)) return true;
    return false;
}

static bool in_mask(temper_mask mask, long i, long j) {
    switch (mask) {
    case TEMPER_MASK_ALL: return true;
    case TEMPER_MASK_BEFORE: return j < i;
    case TEMPER_MASK_UP_TO: return j <= i;
    case TEMPER_MASK_AFTER: return j > i;
    case TEMPER_MASK_FROM: return j >= i;
    }
    abort();
}

static bool attend(reference *r, node_id id, long i) {
    const formula_node *node = formula_at(r->f, id);
    long chosen = 0;
    for (long j = 1; j <= r->n; j++) {
        if (!in_mask(node->mask, i, j) || !holds(r, formula_kid(r->f, id, 0), j)) continue;
        if (chosen == 0 || node->choice != TEMPER_CHOICE_LEFTMOST) chosen = j;
    }
    return chosen != 0 && holds(r, formula_kid(r->f, id, 1), chosen);
}

static bool match(reference *r, node_id id, long i) {
    const formula_node *node = formula_at(r->f, id);
    size_t conditions = ((size_t)node->kid_count - 2) / 2;
    long chosen = 0;
    for (long j = 1; j <= r->n; j++) {
        bool alike = in_mask(node->mask, i, j);
        for (size_t k = 0; k < conditions; k++)
            alike =
                alike && holds(r, formula_kid(r->f, id, 2 * k), j) == holds(r, formula_kid(r->f, id, 2 * k + 1), i);
        if (alike && (chosen == 0 || node->choice == TEMPER_CHOICE_RIGHTMOST)) chosen = j;
    }
    return chosen != 0 && holds(r, formula_kid(r->f, id, 2 * conditions), chosen);
}

static bool any_kid(reference *r, node_id id, long i, bool value) {
    for (size_t k = 0; k < formula_at(r->f, id)->kid_count; k++)
        if (holds(r, formula_kid(r->f, id, k), i) == value) return true;
    return false;
}

static bool define(reference *r, node_id id, long i) {
    const formula_node *node = formula_at(r->f, id);
    node_id a = node->kid_count > 0 ? formula_kid(r->f, id, 0) : 0;
    node_id b = node->kid_count > 1 ? formula_kid(r->f, id, 1) : 0;
    long n = r->n;
    switch (node->op) {
    case OP_TRUE: return true;
    case OP_FALSE: return false;
    case OP_FIRST: return i == 1;
    case OP_LAST: return i == n;
    case OP_LETTERS: return formula_has_letter(r->f, id, r->word[i - 1]);
    case OP_NOT: return !holds(r, a, i);
    case OP_AND: return !any_kid(r, id, i, false);
    case OP_OR: return any_kid(r, id, i, true);
    case OP_XOR: return holds(r, a, i) != holds(r, b, i);
    case OP_IMPLIES: return holds(r, a, i) ? holds(r, b, i) : true;
    case OP_IFF: return holds(r, a, i) ? holds(r, b, i) : !holds(r, b, i);
    case OP_NEXT: return i < n && holds(r, a, i + 1);
    case OP_WEAK_NEXT: return i == n || holds(r, a, i + 1);
    case OP_EVENTUALLY: return somewhere(r, a, i, n);
    case OP_ALWAYS: return everywhere(r, a, i, n);
    case OP_UNTIL: return until(r, a, b, i);
    case OP_RELEASE: return release(r, a, b, i);
    case OP_WEAK_UNTIL: return until(r, a, b, i) || everywhere(r, a, i, n);
    case OP_STRONG_RELEASE: return release(r, a, b, i) && somewhere(r, a, i, n);
    case OP_YESTERDAY: return i > 1 && holds(r, a, i - 1);
    case OP_WEAK_YESTERDAY: return i == 1 || holds(r, a, i - 1);
    case OP_ONCE: return somewhere(r, a, 1, i);
    case OP_HISTORICALLY: return everywhere(r, a, 1, i);
    case OP_SINCE: return since(r, a, b, i);
    case OP_TRIGGERED: return triggered(r, a, b, i);
    case OP_COMPARE: return compare(sum_value(r, id, i), node->compare, 0);
    case OP_MODULO: return compare(remainder_of(sum_value(r, id, i), node->modulus), node->compare, node->residue);
    case OP_AT: return read_at(r, id, i);
    case OP_MATCHES: return dfa_accepts(r->f->languages[node->set].automaton, r->word, (size_t)i);
    case OP_MATCHES_REST:
        return dfa_accepts(r->f->languages[node->set].automaton, r->word + i - 1, (size_t)(n - i + 1));
    case OP_ATTEND: return attend(r, id, i);
    case OP_MATCH: return match(r, id, i);
    case OP_COUNT_PAST:
    case OP_COUNT_FUTURE:
    case OP_COUNT_OF_OPERATORS: break;
    }
    abort(); /* a number where a truth value is asked for */
}

static bool holds(reference *r, node_id id, long i) {
    signed char *known = &r->memo[(size_t)id * (size_t)(r->n + 1) + (size_t)i];
    if (*known < 0) *known = define(r, id, i);
    return *known;
}

void reference_eval(unsigned char *truth, const formula *f, node_id root, const uint32_t *word, size_t n) {
    size_t cells = ((size_t)root + 1) * (n + 1);
    reference r = {.f = f, .word = word, .n = (long)n, .memo = malloc(cells)};
    if (!r.memo) abort();
    for (size_t k = 0; k < cells; k++) r.memo[k] = -1;
    for (size_t i = 1; i <= n; i++) truth[i - 1] = holds(&r, root, (long)i);
    free(r.memo);
}
