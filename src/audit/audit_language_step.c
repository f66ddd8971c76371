/* What a letter does to the coordinates of a formula, and the formula's truth there (doc/certificate.md, "Regular
   languages"). */
#include "audit/audit_language.h"
#include "audit/audit_operator.h"

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

static unsigned left_of(const language_stepping *s, node_id id) {
    return s->truth[formula_kid(&s->t->spec->graph, id, 0)];
}
static unsigned right_of(const language_stepping *s, node_id id) {
    return s->truth[formula_kid(&s->t->spec->graph, id, 1)];
}

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
static bool amount_here(const language_stepping *s, node_id id, __int128 *sum) {
    const formula *f = &s->t->spec->graph;
    *sum = 0;
    for (size_t k = 0; k < formula_at(f, id)->kid_count; k++) {
        unsigned x = left_of(s, formula_kid(f, id, k));
        if (x == EITHER) return false;
        if (x == YES) *sum += formula_weight(f, id, k);
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
    if (before == ANYTHING || !amount_here(s, id, &here)) return EITHER;
    __int128 sum = ((before + here) % m + m) % m;
    *after = (uint32_t)sum;
    return compared(n->compare, ((sum + n->constant) % m + m) % m, n->residue);
}

static unsigned amount_test(const language_stepping *s, node_id id, uint32_t before, uint32_t most, uint32_t *after) {
    const formula_node *n = node_at(s->t, id);
    __int128 here;
    *after = ANYTHING;
    if (before == ANYTHING || !amount_here(s, id, &here)) return EITHER;
    bool negative = language_weighs_down(s->t, id, 0);
    __int128 sum = before + (negative ? -here : here);
    if (sum > most) sum = most;
    *after = (uint32_t)sum;
    return compared(n->compare, (negative ? -sum : sum) + n->constant, 0);
}

/* Attention to the nearest candidate, or to the first one that came. Nothing is open in sources. */
static unsigned choice_of(const language_stepping *s, node_id id, uint32_t before, uint32_t *after) {
    const formula_node *n = node_at(s->t, id);
    bool nearest = n->choice == (s->t->forward ? TEMPER_CHOICE_LEFTMOST : TEMPER_CHOICE_RIGHTMOST);
    bool here = n->mask == TEMPER_MASK_UP_TO || n->mask == TEMPER_MASK_FROM;
    *after = left_of(s, id) == YES && (nearest || before == 0) ? 1 + right_of(s, id) : before;
    return (here ? *after : before) == 2 ? YES : NO;
}

static unsigned truth_here(language_stepping *s, node_id id, uint32_t letter, const uint32_t *before) {
    const formula *f = &s->t->spec->graph;
    const formula_node *n = formula_at(f, id);
    uint32_t k = s->coordinate_of[id];
    switch (audit_operator_of(n->op).reading) {
    case READS_TRUE: return YES;
    case READS_LETTERS: return formula_has_letter(f, id, letter) ? YES : NO;
    case READS_NOT: return not_of(left_of(s, id));
    case READS_AND:
    case READS_OR: return nary_of(s, id);
    case READS_XOR: return xor_of(left_of(s, id), right_of(s, id));
    case READS_IFF: return not_of(xor_of(left_of(s, id), right_of(s, id)));
    case READS_IMPLIES: return or_of(not_of(left_of(s, id)), right_of(s, id));
    case READS_EDGE:
    case READS_STEP:
    case READS_WEAK_STEP: return truth_of(before[k]);
    case READS_SOMEWHERE: return or_of(left_of(s, id), truth_of(before[k]));
    case READS_EVERYWHERE: return and_of(left_of(s, id), truth_of(before[k]));
    /* y here, or x here and the same one position before */
    case READS_SINCE:
    case READS_WEAK_SINCE: return or_of(right_of(s, id), and_of(left_of(s, id), truth_of(before[k])));
    /* y here, and x here or the same one position before */
    case READS_TRIGGERED:
    case READS_STRONG_TRIGGERED: return and_of(right_of(s, id), or_of(left_of(s, id), truth_of(before[k])));
    case READS_LANGUAGE: {
        const automaton *x_of = s->t->languages[n->set];
        s->after[k] = x_of->next[(size_t)before[k] * x_of->classes + x_of->class_of[letter]];
        return x_of->accepts[s->after[k]] ? YES : NO;
    }
    case READS_ATTEND: return choice_of(s, id, before[k], &s->after[k]);
    case READS_MATCH: return s->truth[formula_kid(f, id, (size_t)n->kid_count - 1)];
    case READS_MODULO: return rest_of(s, id, before[k], &s->after[k]);
    case READS_COMPARE: return amount_test(s, id, before[k], s->t->coordinates[k].most, &s->after[k]);
    default: return NO; /* FALSE; counts are read by their sums */
    }
}

unsigned language_step(language_stepping *s, const uint32_t *before, uint32_t letter) {
    const language_table *t = s->t;
    for (size_t k = 0; k < t->node_count; k++)
        s->truth[t->nodes[k]] = (unsigned char)truth_here(s, t->nodes[k], letter, before);
    for (size_t k = 0; k < t->width; k++) {
        const coordinate *c = &t->coordinates[k];
        unsigned x = c->kind == REMEMBERS_KID    ? left_of(s, c->node)
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
    s->coordinate_of = arena_zalloc(t->arena, t->spec->graph.count, sizeof *s->coordinate_of);
    for (size_t k = 0; k < t->width; k++) s->coordinate_of[t->coordinates[k].node] = (uint32_t)k;
}
