#include "compile/normal_form.h"

#include <stdlib.h>
#include <string.h>

#include "compile/exclusive.h"
#include "compile/normal_place.h"
#include "logic/core.h"

/* A literal: a node of the source, possibly negated. */
typedef struct literal {
    node_id id;
    bool negated;
} literal;

/* x so many positions before, or after. */
typedef struct step_chain {
    bool past;
    int64_t steps;
    node_id x;
} step_chain;

typedef struct simplifier {
    const formula *source;
    formula *g; /* the normal graph */
    arena *arena;
    size_t letters;
    node_id *of;
    uint32_t *uses;        /* [source.count] edges from reachable parents */
    unsigned char *needed; /* [source.count] gets a normal node of its own */
    literal *stack;        /* scratch of gather */
    size_t stack_count, stack_capacity;
    literal *leaves;
    size_t leaf_count, leaf_capacity;
    node_id *operands; /* scratch of make_gate */
    size_t operand_count, operand_capacity;
    exclusion related; /* of normal nodes */
    table strict;      /* ORs that make_strict_remainder made */
    match_use use;
    table chains; /* nodes that make_steps made -> chain */
    step_chain *chain;
    size_t chain_count, chain_capacity;
} simplifier;

/* ---- smart constructors on normal nodes ---- */

static formula_op op_of(const simplifier *s, node_id id) { return s->g->nodes[id].op; }

static node_id make_constant(simplifier *s, bool value) { return formula_atom(s->g, value ? OP_TRUE : OP_FALSE); }

/* A LETTERS node from bits over the whole alphabet, or a constant. */
static node_id make_letters(simplifier *s, uint64_t *bits) {
    size_t words = (s->letters + 63) / 64, members = 0;
    for (size_t k = 0; k < words; k++) {
        if (k == words - 1 && s->letters % 64) bits[k] &= ((uint64_t)1 << (s->letters % 64)) - 1;
        members += (size_t)__builtin_popcountll(bits[k]);
    }
    if (members == 0 || members == s->letters) return make_constant(s, members != 0);
    letter_set set = {.bits = bits, .words = (uint32_t)words, .rest = false};
    return formula_letter_set(s->g, &set);
}

static uint64_t *letter_bits(simplifier *s, const formula *f, node_id id, bool negated) {
    uint64_t *bits = arena_zalloc(s->arena, (s->letters + 63) / 64 + 1, sizeof *bits);
    for (uint32_t l = 0; l < s->letters; l++)
        if (formula_has_letter(f, id, l) != negated) bits[l / 64] |= (uint64_t)1 << (l % 64);
    return bits;
}

static node_id make_not(simplifier *s, node_id x) {
    switch (op_of(s, x)) {
    case OP_TRUE: return make_constant(s, false);
    case OP_FALSE: return make_constant(s, true);
    case OP_NOT: return formula_kid(s->g, x, 0);
    case OP_LETTERS: return make_letters(s, letter_bits(s, s->g, x, true));
    default: return formula_unary(s->g, OP_NOT, x);
    }
}

static int by_id(const void *x, const void *y) {
    node_id a = *(const node_id *)x, b = *(const node_id *)y;
    return (a > b) - (a < b);
}

static bool contains(const node_id *sorted, size_t count, node_id id) {
    return count && bsearch(&id, sorted, count, sizeof id, by_id);
}

/* x implies "there is a j <= i with x": beside each other, OR keeps the latter and AND the former. Returns how many
   of the sorted kids are left. */
static size_t drop_implied(const simplifier *s, formula_op op, node_id *kids, size_t count) {
    unsigned char *drop = arena_zalloc(s->arena, count, 1);
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        const formula_node *n = formula_at(s->g, kids[k]);
        bool loose = n->mask == TEMPER_MASK_UP_TO || n->mask == TEMPER_MASK_FROM || n->mask == TEMPER_MASK_ALL;
        if (n->op != OP_ATTEND || n->choice != TEMPER_CHOICE_AVERAGE || !loose) continue;
        node_id inner = formula_kid(s->g, kids[k], 0);
        const node_id *found = bsearch(&inner, kids, count, sizeof inner, by_id);
        if (found) drop[op == OP_AND ? k : (size_t)(found - kids)] = 1;
    }
    for (size_t k = 0; k < count; k++)
        if (!drop[k]) kids[kept++] = kids[k];
    return kept;
}

static node_id make_gate(simplifier *s, formula_op op, node_id *kids, size_t count);

enum { MOST_SPLIT = 2 };

/* An AND with the remainder of a count one position before, which is "a and b, or c and d", is an OR of two ANDs: a
   gate for each, in the net of the look-up, instead of a gate after them. 0: it has none, or many. */
static node_id make_split(simplifier *s, const node_id *kids, size_t count) {
    size_t found = 0, at = 0;
    for (size_t k = 0; k < count; k++) {
        if (!table_find(&s->strict, &kids[k], sizeof *kids)) continue;
        found++;
        at = k;
    }
    if (found == 0 || found > MOST_SPLIT) return 0;
    node_id either = kids[at], sides[2];
    for (size_t side = 0; side < 2; side++) {
        node_id part = formula_kid(s->g, either, side);
        size_t more = formula_at(s->g, part)->kid_count, total = 0;
        node_id *all = arena_alloc(s->arena, count + more, sizeof *all);
        for (size_t k = 0; k < count; k++)
            if (k != at) all[total++] = kids[k];
        for (size_t k = 0; k < more; k++) all[total++] = formula_kid(s->g, part, k);
        sides[side] = make_gate(s, OP_AND, all, total);
    }
    return make_gate(s, OP_OR, sides, 2);
}

/* AND or OR of normal nodes (kids is scratch and is changed): constants, duplicates, complements and letters
   folded. */
static node_id make_gate(simplifier *s, formula_op op, node_id *kids, size_t count) {
    formula_op absorbing = op == OP_AND ? OP_FALSE : OP_TRUE, neutral = op == OP_AND ? OP_TRUE : OP_FALSE;
    size_t kept = 0;
    node_id letters = 0, split = op == OP_AND && count > 1 ? make_split(s, kids, count) : 0;
    if (split) return split;
    for (size_t k = 0; k < count; k++) {
        formula_op kind = op_of(s, kids[k]);
        if (kind == absorbing) return make_constant(s, absorbing == OP_TRUE);
        if (kind == neutral) continue;
        if (kind != OP_LETTERS) {
            kids[kept++] = kids[k];
        } else if (!letters) {
            letters = kids[k];
        } else {
            uint64_t *a = letter_bits(s, s->g, letters, false), *b = letter_bits(s, s->g, kids[k], false);
            for (size_t w = 0; w < (s->letters + 63) / 64; w++) a[w] = op == OP_AND ? a[w] & b[w] : a[w] | b[w];
            letters = make_letters(s, a);
            if (op_of(s, letters) == absorbing) return letters;
        }
    }
    if (letters) kids[kept++] = letters; /* cannot be neutral: each part was a proper subset, or it was absorbed */
    if (kept > 1) qsort(kids, kept, sizeof *kids, by_id);
    size_t distinct = 0;
    for (size_t k = 0; k < kept; k++)
        if (!distinct || kids[distinct - 1] != kids[k]) kids[distinct++] = kids[k];
    for (size_t k = 0; k < distinct; k++)
        if (op_of(s, kids[k]) == OP_NOT && contains(kids, distinct, formula_kid(s->g, kids[k], 0)))
            return make_constant(s, absorbing == OP_TRUE);
    return formula_nary(s->g, op, kids, drop_implied(s, op, kids, distinct));
}

static node_id make_and(simplifier *s, node_id x, node_id y) {
    node_id kids[2] = {x, y};
    return make_gate(s, OP_AND, kids, 2);
}

static node_id make_or(simplifier *s, node_id x, node_id y) {
    node_id kids[2] = {x, y};
    return make_gate(s, OP_OR, kids, 2);
}

/* Negations are pulled out; constants and equal operands folded; two letter sets are one. */
static node_id make_xor(simplifier *s, node_id x, node_id y) {
    bool negated = false;
    if (op_of(s, x) == OP_LETTERS && op_of(s, y) == OP_LETTERS) {
        uint64_t *a = letter_bits(s, s->g, x, false), *b = letter_bits(s, s->g, y, false);
        for (size_t w = 0; w < (s->letters + 63) / 64; w++) a[w] ^= b[w];
        return make_letters(s, a);
    }
    if (op_of(s, x) == OP_NOT) x = formula_kid(s->g, x, 0), negated = !negated;
    if (op_of(s, y) == OP_NOT) y = formula_kid(s->g, y, 0), negated = !negated;
    if (op_of(s, x) == OP_TRUE || op_of(s, x) == OP_FALSE) {
        bool flip = (op_of(s, x) == OP_TRUE) != negated;
        return flip ? make_not(s, y) : y;
    }
    if (op_of(s, y) == OP_TRUE || op_of(s, y) == OP_FALSE) {
        bool flip = (op_of(s, y) == OP_TRUE) != negated;
        return flip ? make_not(s, x) : x;
    }
    if (x == y) return make_constant(s, negated);
    node_id z = x < y ? formula_binary(s->g, OP_XOR, x, y) : formula_binary(s->g, OP_XOR, y, x);
    return negated ? make_not(s, z) : z;
}

/* Is there a j in the mask with x? */
static node_id make_exists(simplifier *s, temper_mask mask, node_id x) {
    if (op_of(s, x) == OP_FALSE) return x;
    if (op_of(s, x) == OP_TRUE) {
        if (mask == TEMPER_MASK_BEFORE) return make_not(s, formula_atom(s->g, OP_FIRST));
        if (mask == TEMPER_MASK_AFTER) return make_not(s, formula_atom(s->g, OP_LAST));
        return x;
    }
    const formula_node *n = formula_at(s->g, x);
    bool same_reach = n->op == OP_ATTEND && n->choice == TEMPER_CHOICE_AVERAGE && n->mask == mask &&
                      (mask == TEMPER_MASK_UP_TO || mask == TEMPER_MASK_FROM || mask == TEMPER_MASK_ALL);
    if (same_reach) return x; /* O O x = O x */
    return formula_attend(s->g, TEMPER_CHOICE_AVERAGE, mask, x, x);
}

static node_id make_range(simplifier *s, core c, node_id x) {
    temper_mask mask = c.forward ? TEMPER_MASK_FROM : TEMPER_MASK_UP_TO;
    return c.all ? make_not(s, make_exists(s, mask, make_not(s, x))) : make_exists(s, mask, x);
}

/* The value at the right- or leftmost j of the mask where `where` holds; value implies where. */
static node_id make_nearest(simplifier *s, temper_choice choice, temper_mask mask, node_id where, node_id value) {
    if (op_of(s, where) == OP_FALSE || op_of(s, value) == OP_FALSE) return make_constant(s, false);
    if (value == where) return make_exists(s, mask, where);
    bool own = (choice == TEMPER_CHOICE_RIGHTMOST && mask == TEMPER_MASK_UP_TO) ||
               (choice == TEMPER_CHOICE_LEFTMOST && mask == TEMPER_MASK_FROM);
    if (own && op_of(s, where) == OP_TRUE) return value; /* the chosen j is i itself */
    return formula_attend(s->g, choice, mask, where, value);
}

/* phi S psi, or phi U psi: the nearest j with psi or not phi, read psi there. Where one of these two implies the
   other the key is the other alone, and all values that have one "not phi" share a head. */
static node_id make_since(simplifier *s, bool past, node_id phi, node_id psi) {
    temper_mask mask = past ? TEMPER_MASK_UP_TO : TEMPER_MASK_FROM;
    temper_choice choice = past ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST;
    if (op_of(s, phi) == OP_FALSE || op_of(s, psi) == OP_TRUE) return psi;
    if (op_of(s, phi) == OP_TRUE) return make_exists(s, mask, psi);
    node_id fails = make_not(s, phi);
    node_id where = node_implies(&s->related, psi, fails)   ? fails
                    : node_implies(&s->related, fails, psi) ? psi
                                                            : make_or(s, psi, fails);
    return make_nearest(s, choice, mask, where, psi);
}

/* Not (not phi since not psi), where phi T psi holds, or phi R psi. */
static node_id make_triggered(simplifier *s, bool past, node_id phi, node_id psi) {
    node_id right = make_not(s, psi), left = make_not(s, phi);
    return make_not(s, make_since(s, past, left, right));
}

/* x M y = y U (x & y); x W y = y R (x | y) */
static node_id make_binary(simplifier *s, core c, node_id x, node_id y) {
    bool past = !c.forward;
    if (c.all) return c.beyond ? make_triggered(s, past, x, y) : make_since(s, past, y, make_and(s, x, y));
    return c.beyond ? make_triggered(s, past, y, make_or(s, x, y)) : make_since(s, past, x, y);
}

/* Of a remainder of one count that looks the same way as the step; else 0. One position before, the count was less by
   one if x holds here: (a (c - 1) + b) mod m. So two values of the same look-up are read and no head steps back. */
static node_id make_strict_remainder(simplifier *s, bool past, node_id id, node_id edge) {
    const formula_node n = *formula_at(s->g, id);
    if (n.op != OP_MODULO || n.kid_count != 1) return 0;
    node_id count = formula_kid(s->g, id, 0), x = formula_kid(s->g, count, 0);
    if (op_of(s, count) != (past ? OP_COUNT_PAST : OP_COUNT_FUTURE)) return 0;
    int64_t weight = formula_weight(s->g, id, 0); /* in 0..modulus-1, as the constant */
    linear_sum sum;
    sum_init(&sum, s->arena, n.constant - weight + (n.constant < weight ? n.modulus : 0));
    sum_add_count(&sum, count, weight);
    node_id without[3] = {make_not(s, edge), make_not(s, x), id};
    node_id with[3] = {make_not(s, edge), x, formula_modulo(s->g, &sum, n.modulus, n.compare, n.residue)};
    node_id right = make_gate(s, OP_AND, with, 3), left = make_gate(s, OP_AND, without, 3);
    node_id made = make_or(s, left, right);
    const formula_node *either = formula_at(s->g, made);
    if (either->op == OP_OR && either->kid_count == 2 && op_of(s, formula_kid(s->g, made, 0)) == OP_AND &&
        op_of(s, formula_kid(s->g, made, 1)) == OP_AND) {
        node_id *key = arena_alloc(s->arena, 1, sizeof *key);
        bool fresh;
        *key = made;
        table_put(&s->strict, key, sizeof *key, 1, &fresh);
    }
    return made;
}

enum { MOST_STEPS = 64 }; /* of one head: it has a row for each */

/* x so many positions before: the nearest j whose position has the remainder of i (doc/theory.md, "Match"). */
static node_id make_steps(simplifier *s, bool past, int64_t steps, node_id x) {
    node_id all = formula_unary(s->g, past ? OP_COUNT_PAST : OP_COUNT_FUTURE, make_constant(s, true));
    node_id *kids = arena_alloc(s->arena, 2 * (size_t)steps + 1, sizeof *kids);
    linear_sum place;
    sum_init(&place, s->arena, 0);
    sum_add_count(&place, all, 1);
    for (int64_t r = 0; r < steps; r++)
        kids[2 * r] = kids[2 * r + 1] = formula_modulo(s->g, &place, steps, CMP_EQ, r);
    kids[2 * steps] = x;
    node_id made = formula_match(s->g, past ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST,
                                 past ? TEMPER_MASK_BEFORE : TEMPER_MASK_AFTER, kids, 2 * (size_t)steps + 1);
    node_id *key = arena_alloc(s->arena, 1, sizeof *key);
    bool fresh;
    *key = made;
    table_put(&s->chains, key, sizeof *key, (uint32_t)s->chain_count, &fresh);
    if (fresh) array_push(s->arena, s->chain, s->chain_count, s->chain_capacity, (step_chain){past, steps, x});
    return made;
}

/* One step of what is a step already, or several; 0: it is none, or there are many. */
static node_id make_longer(simplifier *s, bool past, node_id x) {
    const uint32_t *known = table_find(&s->chains, &x, sizeof x);
    const formula_node *n = formula_at(s->g, x);
    if (!s->use.steps) return 0;
    if (known && s->chain[*known].past == past)
        return s->chain[*known].steps < MOST_STEPS
                   ? make_steps(s, past, s->chain[*known].steps + 1, s->chain[*known].x)
                   : 0;
    bool step = n->op == OP_ATTEND && n->mask == (past ? TEMPER_MASK_BEFORE : TEMPER_MASK_AFTER) &&
                n->choice == (past ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST) &&
                op_of(s, formula_kid(s->g, x, 0)) == OP_TRUE;
    return step ? make_steps(s, past, 2, formula_kid(s->g, x, 1)) : 0;
}

/* Y x, or X x. Y of a non-strict head is the same head with a strict mask: one layer instead of two. */
static node_id make_step(simplifier *s, bool past, node_id x) {
    temper_mask strict = past ? TEMPER_MASK_BEFORE : TEMPER_MASK_AFTER;
    temper_mask loose = past ? TEMPER_MASK_UP_TO : TEMPER_MASK_FROM;
    node_id edge = formula_atom(s->g, past ? OP_FIRST : OP_LAST);
    if (op_of(s, x) == OP_FALSE) return x;
    if (op_of(s, x) == OP_TRUE) return make_not(s, edge);
    bool negated = op_of(s, x) == OP_NOT;
    node_id inner = negated ? formula_kid(s->g, x, 0) : x;
    formula_node n = *formula_at(s->g, inner);
    if (n.op == OP_ATTEND && n.mask == loose) {
        node_id head =
            formula_attend(s->g, n.choice, strict, formula_kid(s->g, inner, 0), formula_kid(s->g, inner, 1));
        return negated ? make_not(s, make_or(s, edge, head)) : head;
    }
    node_id longer = make_longer(s, past, inner);
    if (longer) return negated ? make_not(s, make_or(s, edge, longer)) : longer;
    node_id remainder = make_strict_remainder(s, past, inner, edge);
    if (remainder) return negated ? make_not(s, make_or(s, edge, remainder)) : remainder;
    return formula_attend(s->g, past ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST, strict,
                          make_constant(s, true), x);
}

/* ---- patterns ---- */

static bool is_constant(const simplifier *s, node_id x) { return op_of(s, x) == OP_TRUE || op_of(s, x) == OP_FALSE; }

/* A head that looks for the pattern of i takes the nearest one, and a sentinel stands for "none". */
static bool is_head(const formula_node *n) {
    bool past = n->mask == TEMPER_MASK_BEFORE || n->mask == TEMPER_MASK_UP_TO;
    return n->mask != TEMPER_MASK_ALL && (n->choice == TEMPER_CHOICE_RIGHTMOST) == past;
}

static node_id make_match(simplifier *s, node_id id) {
    const formula_node *n = formula_at(s->source, id);
    size_t given = (n->kid_count - 2) / 2, count = 0, fixed = 0;
    node_id *kids = arena_alloc(s->arena, 2 * given + 1, sizeof *kids);
    node_id *where = arena_alloc(s->arena, given, sizeof *where),
            value = s->of[formula_kid(s->source, id, 2 * given)];
    for (size_t k = 0; k < given; k++) {
        node_id there = s->of[formula_kid(s->source, id, 2 * k)], here = s->of[formula_kid(s->source, id, 2 * k + 1)];
        if (is_constant(s, here)) {
            where[fixed++] = op_of(s, here) == OP_TRUE ? there : make_not(s, there);
            continue;
        }
        kids[2 * count] = there;
        kids[2 * count++ + 1] = here;
    }
    node_id candidates = make_gate(s, OP_AND, where, fixed); /* where what is asked does not depend on i */
    if (op_of(s, candidates) == OP_FALSE || op_of(s, value) == OP_FALSE) return make_constant(s, false);
    if (!count) return make_nearest(s, n->choice, n->mask, candidates, make_and(s, candidates, value));
    if (op_of(s, candidates) != OP_TRUE) {
        kids[2 * count] = candidates;
        kids[2 * count++ + 1] = make_constant(s, true);
    }
    kids[2 * count] = value;
    return formula_match(s->g, n->choice, n->mask, kids, 2 * count + 1);
}

/* ---- counting ---- */

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/* The sum of a COMPARE, MODULO or AT node with its counts over normal nodes. */
static linear_sum normal_sum(simplifier *s, node_id id) {
    const formula *f = s->source;
    const formula_node *n = formula_at(f, id);
    linear_sum sum;
    sum_init(&sum, s->arena, n->constant);
    for (size_t k = n->op == OP_AT; k < n->kid_count; k++) { /* AT's first kid is no count */
        node_id count = formula_kid(f, id, k), what = s->of[formula_kid(f, count, 0)];
        if (op_of(s, what) == OP_FALSE) continue;
        if (!sum_add_count(&sum, formula_unary(s->g, formula_at(f, count)->op, what), formula_weight(f, id, k)))
            trap_raise(s->arena->trap, TEMPER_LIMIT, f->notes[id].line, f->notes[id].column,
                       "a coefficient that does not fit in 64 bits, after equal counts were added up");
    }
    return sum;
}

/* Where all weights have one sign, all counts one direction and the bound is below the smallest weight, the
   comparison only asks whether anything was counted: a once head (log n) instead of a compare head (n). Returns 0 if
   not so. */
static node_id make_some(simplifier *s, const linear_sum *sum) {
    bool positive = sum->weights[0] > 0;
    formula_op direction = op_of(s, sum->counts[0]);
    for (size_t k = 0; k < sum->count; k++) {
        if ((sum->weights[k] > 0) != positive || op_of(s, sum->counts[k]) != direction) return 0;
        if (positive ? !(sum->constant < 0 && sum->constant >= -sum->weights[k])
                     : !(sum->constant >= 0 && sum->constant + sum->weights[k] < 0))
            return 0;
    }
    node_id *kids = arena_alloc(s->arena, sum->count, sizeof *kids);
    for (size_t k = 0; k < sum->count; k++) kids[k] = formula_kid(s->g, sum->counts[k], 0);
    node_id some = make_exists(s, direction == OP_COUNT_PAST ? TEMPER_MASK_UP_TO : TEMPER_MASK_FROM,
                               make_gate(s, OP_OR, kids, sum->count));
    return positive ? some : make_not(s, some);
}

/* sum >= 0 */
static node_id make_at_least(simplifier *s, const linear_sum *given) {
    if (given->count == 0) return make_constant(s, given->constant >= 0);
    bool all_up = given->constant >= 0, all_down = given->constant < 0;
    int64_t common = 0;
    for (size_t k = 0; k < given->count; k++) {
        all_up = all_up && given->weights[k] > 0;
        all_down = all_down && given->weights[k] < 0;
        common = common_divisor(common, given->weights[k]);
    }
    if (all_up || all_down) return make_constant(s, all_up);
    linear_sum sum;
    sum_init(&sum, s->arena, floor_div(given->constant, common));
    for (size_t k = 0; k < given->count; k++) sum_add_count(&sum, given->counts[k], given->weights[k] / common);
    node_id some = make_some(s, &sum);
    return some ? some : formula_compare(s->g, &sum, CMP_GE);
}

/* sum - 1 >= 0, i.e. sum > 0 */
static node_id make_above(simplifier *s, linear_sum sum, const formula_note *place) {
    if (__builtin_sub_overflow(sum.constant, 1, &sum.constant))
        trap_raise(s->arena->trap, TEMPER_LIMIT, place->line, place->column, "a constant beyond 64 bits");
    return make_at_least(s, &sum);
}

/* C leaves it open which argument is evaluated first, and nodes are numbered as they are made. So that models are the
   same with every compiler, what makes nodes stands in statements of its own, the right operand first. */
static node_id make_compare(simplifier *s, node_id id) {
    linear_sum sum = normal_sum(s, id);
    const formula_note *place = &s->source->notes[id];
    node_id above;
    switch (formula_at(s->source, id)->compare) {
    case CMP_GE: return make_at_least(s, &sum);
    case CMP_LT: return make_not(s, make_at_least(s, &sum));
    case CMP_GT: return make_above(s, sum, place);
    case CMP_LE: return make_not(s, make_above(s, sum, place));
    case CMP_EQ: above = make_not(s, make_above(s, sum, place)); return make_and(s, make_at_least(s, &sum), above);
    case CMP_NE: above = make_above(s, sum, place); return make_or(s, make_not(s, make_at_least(s, &sum)), above);
    }
    return 0;
}

static int64_t remainder_of(int64_t a, int64_t m) {
    int64_t r = a % m;
    return r < 0 ? r + m : r;
}

static node_id make_modulo(simplifier *s, node_id id) {
    const formula_node *n = formula_at(s->source, id);
    linear_sum sum = normal_sum(s, id), reduced;
    int64_t m = n->modulus, r = n->residue;
    sum_init(&reduced, s->arena, remainder_of(sum.constant, m));
    for (size_t k = 0; k < sum.count; k++) sum_add_count(&reduced, sum.counts[k], remainder_of(sum.weights[k], m));
    compare_op op = n->compare;
    bool negated = op == CMP_NE || op == CMP_GT || op == CMP_GE;
    /* x < r is x <= r - 1; x >= r is not that; x > r is not x <= r */
    if (op == CMP_LT || op == CMP_GE) {
        if (r <= 0) return make_constant(s, op == CMP_GE);
        r--;
    }
    bool equal = op == CMP_EQ || op == CMP_NE;
    if (r < 0 || (equal && r >= m)) return make_constant(s, negated);
    if (!equal && r >= m - 1) return make_constant(s, !negated);
    node_id x = formula_modulo(s->g, &reduced, m, equal ? CMP_EQ : CMP_LE, r);
    return negated ? make_not(s, x) : x;
}

/* x at a computed position */
static node_id make_read(simplifier *s, node_id id, node_id x) {
    linear_sum sum = normal_sum(s, id);
    node_id read = 0;
    if (op_of(s, x) == OP_FALSE) return x;
    switch (normal_place(&read, s->g, x, &sum, &s->source->notes[id])) {
    case PLACE_READ: return read;
    case PLACE_HERE: return x;
    case PLACE_BEFORE: return make_step(s, true, x);
    case PLACE_AFTER: return make_step(s, false, x);
    case PLACE_NOWHERE: break;
    }
    return make_constant(s, false);
}

/* ---- the pass ---- */

static bool is_gate(formula_op op) { return core_of(op).kind == CORE_GATE || core_of(op).kind == CORE_IMPLIES; }

/* A node that a gate of kind `op` can swallow: the same connective seen through negations, used nowhere else. */
static bool absorbed(const simplifier *s, formula_op op, literal x) {
    formula_op kind = s->source->nodes[x.id].op;
    if (kind == OP_NOT) return true;
    if (s->uses[x.id] != 1) return false;
    return is_gate(kind) && op == (core_of(kind).all != x.negated ? OP_AND : OP_OR);
}

static void push(simplifier *s, node_id id, bool negated) {
    array_push(s->arena, s->stack, s->stack_count, s->stack_capacity, (literal){id, negated});
}

/* The operands of a source AND, OR or IMPLIES, nested ones included, into s->leaves. */
static void gather(simplifier *s, node_id id) {
    const formula *f = s->source;
    formula_op op = f->nodes[id].op == OP_AND ? OP_AND : OP_OR;
    s->leaf_count = s->stack_count = 0;
    literal x = {id, false};
    bool top = true;
    for (;; top = false) {
        if (top || absorbed(s, op, x)) {
            const formula_node *n = &f->nodes[x.id];
            for (size_t k = n->kid_count; k-- > 0;) {
                bool flip = n->op == OP_NOT || (n->op == OP_IMPLIES && k == 0);
                push(s, f->kids[n->kid_start + k], x.negated != flip);
            }
        } else {
            array_push(s->arena, s->leaves, s->leaf_count, s->leaf_capacity, x);
        }
        if (!s->stack_count) return;
        x = s->stack[--s->stack_count];
    }
}

/* Parents come after kids, so going down from the root settles who needs a node of its own. */
static void mark_needed(simplifier *s, const temper_spec *spec) {
    const formula *f = s->source;
    for (size_t k = 0; k < spec_root_count(spec); k++) s->needed[spec_root_at(spec, k)] = 1;
    for (node_id id = (node_id)(f->count - 1); id > 0; id--) {
        if (!s->needed[id]) continue;
        const formula_node *n = &f->nodes[id];
        if (is_gate(n->op)) {
            gather(s, id);
            for (size_t k = 0; k < s->leaf_count; k++) s->needed[s->leaves[k].id] = 1;
        } else {
            /* of a MATCH either its meaning in other operators, or all else */
            bool match = n->op == OP_MATCH, head = match && s->use.match && is_head(n);
            size_t first = match && !head ? n->kid_count - 1 : 0, end = n->kid_count - head;
            for (size_t k = first; k < end; k++) s->needed[f->kids[n->kid_start + k]] = 1;
        }
    }
}

static node_id gate_from(simplifier *s, node_id id) {
    formula_op op = s->source->nodes[id].op == OP_AND ? OP_AND : OP_OR;
    gather(s, id);
    s->operand_count = 0;
    for (size_t k = 0; k < s->leaf_count; k++) {
        node_id x = s->of[s->leaves[k].id];
        if (s->leaves[k].negated) x = make_not(s, x);
        array_push(s->arena, s->operands, s->operand_count, s->operand_capacity, x);
    }
    return make_gate(s, op, s->operands, s->operand_count);
}

/* requires the kids' normal nodes */
static node_id normal_of(simplifier *s, node_id id) {
    const formula_node *n = formula_at(s->source, id);
    node_id x = n->kid_count > 0 ? s->of[formula_kid(s->source, id, 0)] : 0;
    node_id y = n->kid_count > 1 ? s->of[formula_kid(s->source, id, 1)] : 0;
    core c = core_of(n->op);
    switch (c.kind) {
    case CORE_CONSTANT: return make_constant(s, c.all);
    case CORE_EDGE: return formula_atom(s->g, n->op);
    case CORE_LETTERS: return make_letters(s, letter_bits(s, s->source, id, false));
    case CORE_NOT: return make_not(s, x);
    case CORE_GATE:
    case CORE_IMPLIES: return gate_from(s, id);
    case CORE_XOR: x = make_xor(s, x, y); return c.all ? make_not(s, x) : x;
    case CORE_STEP:
        return c.beyond ? make_not(s, make_step(s, !c.forward, make_not(s, x))) : make_step(s, !c.forward, x);
    case CORE_RANGE: return make_range(s, c, x);
    case CORE_SINCE: return make_binary(s, c, x, y);
    case CORE_COUNT: return formula_unary(s->g, n->op, x);
    case CORE_COMPARE: return make_compare(s, id);
    case CORE_MODULO: return make_modulo(s, id);
    case CORE_AT: return make_read(s, id, x);
    case CORE_ATTEND:
        if (n->choice == TEMPER_CHOICE_AVERAGE) return make_exists(s, n->mask, x);
        return make_nearest(s, n->choice, n->mask, x, make_and(s, x, y));
    case CORE_MATCH:
        if (s->use.match && is_head(n)) return make_match(s, id);
        return s->of[formula_kid(s->source, id, (size_t)n->kid_count - 1)]; /* in other operators */
    case CORE_LANGUAGE:
        trap_raise(s->arena->trap, TEMPER_UNSUPPORTED, s->source->notes[id].line, s->source->notes[id].column,
                   "a regular language that was not expanded (compile/regular_expand.h)");
    }
    return 0;
}

unsigned char *normal_reachable(const normal_form *n, arena *a) {
    return formula_reachable_from(&n->graph, n->roots, n->root_count, a);
}

/* A root that another output uses is not counted as a use of its own: it may be swallowed there, which saves nets,
   and is made here as well, which costs units. */
void formula_simplify(normal_form *out, const temper_spec *spec, match_use use, arena *a) {
    const formula *source = &spec->graph;
    simplifier s = {.source = source, .g = &out->graph, .arena = a, .letters = spec->letters.count, .use = use};
    table_init(&s.chains, a);
    formula_init(&out->graph, a);
    exclusion_init(&s.related, &out->graph, a);
    table_init(&s.strict, a);
    unsigned char *marks = spec_outputs_reachable(spec, a);
    s.of = out->of = arena_zalloc(a, source->count, sizeof *s.of);
    s.uses = arena_zalloc(a, source->count, sizeof *s.uses);
    s.needed = arena_zalloc(a, source->count, 1);
    for (size_t id = 1; id < source->count; id++) {
        if (!marks[id]) continue;
        const formula_node *n = &source->nodes[id];
        for (size_t k = 0; k < n->kid_count; k++) s.uses[source->kids[n->kid_start + k]]++;
    }
    mark_needed(&s, spec);
    for (node_id id = 1; id < source->count; id++)
        if (s.needed[id]) out->of[id] = normal_of(&s, id);
    out->root_count = spec_root_count(spec);
    out->roots = arena_alloc(a, out->root_count, sizeof *out->roots);
    for (size_t k = 0; k < out->root_count; k++) out->roots[k] = out->of[spec_root_at(spec, k)];
}
