#include "compile/exclusive.h"

#include <string.h>

/* Formulas may nest as deep as their writer likes, so rules stop at a depth, and after so many steps for one
   formula. */
enum { DEPTH = 40, STEPS = 1 << 19, MOST_KIDS = 256, MOST_VALUES = 128 };

typedef enum relation { IMPLIES, EXCLUDES } relation;

void exclusion_init(exclusion *e, const formula *g, arena *a) {
    *e = (exclusion){.g = g, .steps = STEPS};
    table_init(&e->known, a);
}

static const formula_node *at(const exclusion *e, node_id id) { return formula_at(e->g, id); }
static formula_op op_of(const exclusion *e, node_id id) { return e->g->nodes[id].op; }
static node_id kid(const exclusion *e, node_id id, size_t k) { return formula_kid(e->g, id, k); }

static bool holds(exclusion *e, relation r, node_id x, node_id y);

static bool any_kid(exclusion *e, relation r, node_id x, node_id y) {
    for (size_t k = 0; k < at(e, x)->kid_count; k++)
        if (holds(e, r, kid(e, x, k), y)) return true;
    return false;
}

static bool all_kids(exclusion *e, relation r, node_id x, node_id y) {
    for (size_t k = 0; k < at(e, x)->kid_count; k++)
        if (!holds(e, r, kid(e, x, k), y)) return false;
    return true;
}

static bool implies_any_kid(exclusion *e, node_id x, node_id y) {
    for (size_t k = 0; k < at(e, y)->kid_count; k++)
        if (holds(e, IMPLIES, x, kid(e, y, k))) return true;
    return false;
}

static bool implies_all_kids(exclusion *e, node_id x, node_id y) {
    for (size_t k = 0; k < at(e, y)->kid_count; k++)
        if (!holds(e, IMPLIES, x, kid(e, y, k))) return false;
    return true;
}

/* ---- atoms and heads ---- */

static uint64_t word(const letter_set *s, size_t k) { return k < s->words ? s->bits[k] : s->rest ? ~(uint64_t)0 : 0; }

static bool letters_related(const exclusion *e, relation r, node_id x, node_id y) {
    const letter_set *a = &e->g->sets[at(e, x)->set], *b = &e->g->sets[at(e, y)->set];
    uint32_t words = a->words > b->words ? a->words : b->words;
    for (size_t k = 0; k <= words; k++) /* one word more: the letters beyond both */
        if (word(a, k) & (r == IMPLIES ? ~word(b, k) : word(b, k))) return false;
    return true;
}

static bool is_nearest(const formula_node *n) {
    bool back = n->mask == TEMPER_MASK_BEFORE || n->mask == TEMPER_MASK_UP_TO;
    bool forward = n->mask == TEMPER_MASK_AFTER || n->mask == TEMPER_MASK_FROM;
    return n->op == OP_ATTEND &&
           ((n->choice == TEMPER_CHOICE_RIGHTMOST && back) || (n->choice == TEMPER_CHOICE_LEFTMOST && forward));
}

typedef struct head_key {
    uint32_t choice, mask, where;
} head_key;

static head_key key_of(const exclusion *e, node_id id) {
    return (head_key){at(e, id)->choice, at(e, id)->mask, kid(e, id, 0)};
}

void exclusion_of_heads(exclusion *e) {
    table_init(&e->heads, e->known.arena);
    e->by_heads = true;
    for (node_id id = 1; id < e->g->count; id++) {
        if (!is_nearest(at(e, id))) continue;
        head_key key = key_of(e, id), *kept = arena_alloc(e->known.arena, 1, sizeof *kept);
        bool fresh;
        *kept = key;
        uint32_t *values = table_put(&e->heads, kept, sizeof *kept, 0, &fresh);
        (*values)++;
    }
}

/* Two values of one head that takes the nearest position: what holds of them holds of what it reads, since it reads
   both at one position. Provers compare the values of a head with each other, up to a number of them. */
static bool same_head(const exclusion *e, node_id x, node_id y) {
    if (!e->by_heads || !is_nearest(at(e, x)) || !is_nearest(at(e, y))) return false;
    head_key a = key_of(e, x), b = key_of(e, y);
    return memcmp(&a, &b, sizeof a) == 0 && *table_find(&e->heads, &a, sizeof a) <= MOST_VALUES;
}

/* Two values of one head that looks for a pattern; the pattern is all kids but the last. */
static bool same_pattern(const exclusion *e, node_id x, node_id y) {
    const formula_node *a = at(e, x), *b = at(e, y);
    if (!e->by_heads || a->op != OP_MATCH || b->op != OP_MATCH) return false;
    if (a->choice != b->choice || a->mask != b->mask || a->kid_count != b->kid_count) return false;
    for (size_t k = 0; k + 1 < a->kid_count; k++)
        if (kid(e, x, k) != kid(e, y, k)) return false;
    return true;
}

static node_id pattern_value(const exclusion *e, node_id x) { return kid(e, x, (size_t)at(e, x)->kid_count - 1); }

/* Two remainders of one sum. */
static bool other_remainder(const exclusion *e, node_id x, node_id y) {
    const formula_node *a = at(e, x), *b = at(e, y);
    if (a->op != OP_MODULO || b->op != OP_MODULO || a->compare != CMP_EQ || b->compare != CMP_EQ) return false;
    if (a->modulus != b->modulus || a->constant != b->constant || a->kid_count != b->kid_count) return false;
    if (a->residue == b->residue) return false;
    for (size_t k = 0; k < a->kid_count; k++)
        if (kid(e, x, k) != kid(e, y, k) || formula_weight(e->g, x, k) != formula_weight(e->g, y, k)) return false;
    return true;
}

/* ---- rules ---- */

static bool implies(exclusion *e, node_id x, node_id y) {
    if (x == y || op_of(e, x) == OP_FALSE || op_of(e, y) == OP_TRUE) return true;
    if (op_of(e, y) == OP_NOT) return holds(e, EXCLUDES, x, kid(e, y, 0));
    if (op_of(e, x) == OP_LETTERS && op_of(e, y) == OP_LETTERS) return letters_related(e, IMPLIES, x, y);
    if (op_of(e, x) == OP_OR) return all_kids(e, IMPLIES, x, y);
    if (op_of(e, y) == OP_AND) return implies_all_kids(e, x, y);
    if (op_of(e, y) == OP_OR && implies_any_kid(e, x, y)) return true;
    if (op_of(e, x) == OP_AND) return any_kid(e, IMPLIES, x, y);
    if (same_pattern(e, x, y)) return holds(e, IMPLIES, pattern_value(e, x), pattern_value(e, y));
    return same_head(e, x, y) && holds(e, IMPLIES, kid(e, x, 1), kid(e, y, 1));
}

static bool excludes(exclusion *e, node_id x, node_id y) {
    if (op_of(e, x) == OP_FALSE || op_of(e, y) == OP_FALSE) return true;
    if (x == y) return false;
    if (op_of(e, x) == OP_NOT) return holds(e, IMPLIES, y, kid(e, x, 0));
    if (op_of(e, y) == OP_NOT) return holds(e, IMPLIES, x, kid(e, y, 0));
    if (op_of(e, x) == OP_LETTERS && op_of(e, y) == OP_LETTERS) return letters_related(e, EXCLUDES, x, y);
    if (op_of(e, x) == OP_OR) return all_kids(e, EXCLUDES, x, y);
    if (op_of(e, y) == OP_OR) return all_kids(e, EXCLUDES, y, x);
    if (op_of(e, x) == OP_AND && any_kid(e, EXCLUDES, x, y)) return true;
    if (op_of(e, y) == OP_AND) return any_kid(e, EXCLUDES, y, x);
    if (same_head(e, x, y)) return holds(e, EXCLUDES, kid(e, x, 1), kid(e, y, 1));
    if (same_pattern(e, x, y)) return holds(e, EXCLUDES, pattern_value(e, x), pattern_value(e, y));
    return other_remainder(e, x, y);
}

static bool holds(exclusion *e, relation r, node_id x, node_id y) {
    if (e->depth >= DEPTH || e->steps == 0) return false;
    uint32_t key[3] = {(uint32_t)r, x, y};
    const uint32_t *known = table_find(&e->known, key, sizeof key);
    if (known) return *known;
    e->depth++;
    e->steps--;
    bool result = r == IMPLIES ? implies(e, x, y) : excludes(e, x, y);
    e->depth--;
    uint32_t *kept = arena_alloc(e->known.arena, 3, sizeof *kept);
    bool fresh;
    for (size_t k = 0; k < 3; k++) kept[k] = key[k];
    table_put(&e->known, kept, sizeof key, result, &fresh);
    return result;
}

bool node_implies(exclusion *e, node_id x, node_id y) { return holds(e, IMPLIES, x, y); }

/* One of them always holds: "not x" and "not y" exclude each other. */
static bool cover(exclusion *e, node_id x, node_id y) {
    if (op_of(e, x) == OP_NOT) return holds(e, IMPLIES, kid(e, x, 0), y);
    return op_of(e, y) == OP_NOT && holds(e, IMPLIES, kid(e, y, 0), x);
}

bool kids_exclude(exclusion *e, node_id id, bool negated) {
    size_t count = at(e, id)->kid_count;
    if (count > MOST_KIDS) return false;
    for (size_t k = 1; k < count; k++)
        for (size_t j = 0; j < k; j++) {
            node_id x = kid(e, id, j), y = kid(e, id, k);
            if (!(negated ? cover(e, x, y) : holds(e, EXCLUDES, x, y))) return false;
        }
    return true;
}
