/* What a letter does to the coordinates of a formula, and the formula's truth there (doc/certificate.md, "Regular
   languages"). */
#include "audit/audit_language.h"

static const formula_node *node_at(const language_table *t, node_id id) { return formula_at(&t->spec->graph, id); }

enum { NO, YES, EITHER = LANGUAGE_OPEN };

static unsigned not_of(unsigned x) { return x == EITHER ? EITHER : !x; }
static unsigned and_of(unsigned x, unsigned y) {
    return x == NO || y == NO ? NO : x == YES && y == YES ? YES : EITHER;
}
static unsigned or_of(unsigned x, unsigned y) {
    return x == YES || y == YES ? YES : x == NO && y == NO ? NO : EITHER;
}
static unsigned xor_of(unsigned x, unsigned y) { return x == EITHER || y == EITHER ? EITHER : x != y; }
static unsigned truth_of(uint32_t x) { return x == ANYTHING ? EITHER : x; }

static unsigned nary_of(const language_stepping *s, node_id id) {
    const formula *f = &s->t->spec->graph;
    bool is_or = formula_at(f, id)->op == OP_OR;
    unsigned x = is_or ? NO : YES;
    for (size_t k = 0; k < formula_at(f, id)->kid_count; k++) {
        unsigned y = s->truth[formula_kid(f, id, k)];
        x = is_or ? or_of(x, y) : and_of(x, y);
    }
    return x;
}

/* What the letter here adds to a sum of counts; false: that is open. Sums of 2^16 terms below 2^63 fit. */
static bool amount_here(const language_stepping *s, node_id id, int64_t modulus, __int128 *sum) {
    const formula *f = &s->t->spec->graph;
    *sum = 0;
    for (size_t k = 0; k < formula_at(f, id)->kid_count; k++) {
        unsigned x = s->truth[formula_kid(f, formula_kid(f, id, k), 0)];
        if (x == EITHER) return false;
        if (x == NO) continue;
        __int128 w = formula_weight(f, id, k);
        *sum += modulus ? w % modulus : w < 0 ? -w : w;
    }
    return true;
}

static unsigned compared(compare_op op, __int128 x, __int128 y) {
    return compare_holds(op, (x > y) - (x < y)) ? YES : NO;
}

static unsigned rest_of(const language_stepping *s, node_id id, uint32_t before, uint32_t *after) {
    const formula_node *n = node_at(s->t, id);
    __int128 here, m = n->modulus;
    *after = ANYTHING;
    if (before == ANYTHING || !amount_here(s, id, n->modulus, &here)) return EITHER;
    __int128 sum = ((before + here) % m + m) % m;
    *after = (uint32_t)sum;
    return compared(n->compare, ((sum + n->constant) % m + m) % m, n->residue);
}

static unsigned amount_test(const language_stepping *s, node_id id, uint32_t before, uint32_t most, uint32_t *after) {
    const formula_node *n = node_at(s->t, id);
    __int128 here;
    *after = ANYTHING;
    if (before == ANYTHING || !amount_here(s, id, 0, &here)) return EITHER;
    __int128 sum = before + here;
    if (sum > most) sum = most;
    *after = (uint32_t)sum;
    bool negative = n->kid_count && formula_weight(&s->t->spec->graph, id, 0) < 0;
    return compared(n->compare, (negative ? -sum : sum) + n->constant, 0);
}

static unsigned truth_here(language_stepping *s, node_id id, uint32_t letter, const uint32_t *before) {
    const formula *f = &s->t->spec->graph;
    const formula_node *n = formula_at(f, id);
    unsigned x = n->kid_count > 0 ? s->truth[formula_kid(f, id, 0)] : 0;
    unsigned y = n->kid_count > 1 ? s->truth[formula_kid(f, id, 1)] : 0;
    uint32_t k = s->coordinate_of[id], *after = &s->after[k];
    unsigned was = k < s->t->width ? truth_of(before[k]) : EITHER;
    switch (n->op) {
    case OP_TRUE: return YES;
    case OP_LETTERS: return formula_has_letter(f, id, letter) ? YES : NO;
    case OP_NOT: return not_of(x);
    case OP_AND:
    case OP_OR: return nary_of(s, id);
    case OP_XOR: return xor_of(x, y);
    case OP_IFF: return not_of(xor_of(x, y));
    case OP_IMPLIES: return or_of(not_of(x), y);
    case OP_FIRST:
    case OP_LAST: return was;
    case OP_YESTERDAY:
    case OP_WEAK_YESTERDAY:
    case OP_NEXT:
    case OP_WEAK_NEXT: return was;
    case OP_ONCE:
    case OP_EVENTUALLY: return or_of(x, was);
    case OP_HISTORICALLY:
    case OP_ALWAYS: return and_of(x, was);
    /* y here, or x here and the same one position before */
    case OP_SINCE:
    case OP_UNTIL:
    case OP_WEAK_UNTIL: return or_of(y, and_of(x, was));
    /* y here, and x here or the same one position before */
    case OP_TRIGGERED:
    case OP_RELEASE:
    case OP_STRONG_RELEASE: return and_of(y, or_of(x, was));
    case OP_MATCHES: {
        const automaton *x_of = s->t->languages[n->set];
        *after = x_of->next[(size_t)before[k] * x_of->classes + x_of->class_of[letter]];
        return x_of->accepts[*after] ? YES : NO;
    }
    case OP_MODULO: return rest_of(s, id, before[k], after);
    case OP_COMPARE: return amount_test(s, id, before[k], s->t->coordinates[k].most, after);
    default: return NO; /* FALSE; counts are read by their sums */
    }
}

unsigned language_step(language_stepping *s, const uint32_t *before, uint32_t letter) {
    const language_table *t = s->t;
    for (size_t k = 0; k < t->node_count; k++)
        s->truth[t->nodes[k]] = (unsigned char)truth_here(s, t->nodes[k], letter, before);
    for (size_t k = 0; k < t->width; k++) {
        const coordinate *c = &t->coordinates[k];
        unsigned x = c->kind == REMEMBERS_KID    ? s->truth[formula_kid(&t->spec->graph, c->node, 0)]
                     : c->kind == REMEMBERS_SELF ? s->truth[c->node]
                                                 : NO;
        if (c->kind == REMEMBERS_KID || c->kind == REMEMBERS_SELF || c->kind == REMEMBERS_EDGE)
            s->after[k] = x == EITHER ? ANYTHING : x;
    }
    return s->truth[t->spec->root];
}

void language_stepping_begin(language_stepping *s, const language_table *t) {
    *s = (language_stepping){.t = t};
    s->truth = arena_zalloc(t->arena, t->spec->graph.count, 1);
    s->coordinate_of = arena_alloc(t->arena, t->spec->graph.count, sizeof *s->coordinate_of);
    for (size_t k = 0; k < t->spec->graph.count; k++) s->coordinate_of[k] = (uint32_t)t->width;
    for (size_t k = 0; k < t->width; k++) s->coordinate_of[t->coordinates[k].node] = (uint32_t)k;
}
