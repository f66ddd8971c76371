/* Nodes of the normal form: what is made is simpler than it is asked for, where that can be seen. */
#include "compile/normal_nodes.h"

#include <stdlib.h>

node_id normal_constant(normal_maker *m, bool value) { return formula_atom(m->g, value ? OP_TRUE : OP_FALSE); }

/* A LETTERS node from bits over the whole alphabet, or a constant. */
node_id normal_letters(normal_maker *m, uint64_t *bits) {
    size_t words = (m->letters + 63) / 64, members = 0;
    for (size_t k = 0; k < words; k++) {
        if (k == words - 1 && m->letters % 64) bits[k] &= ((uint64_t)1 << (m->letters % 64)) - 1;
        members += (size_t)__builtin_popcountll(bits[k]);
    }
    if (members == 0 || members == m->letters) return normal_constant(m, members != 0);
    letter_set set = {.bits = bits, .words = (uint32_t)words, .rest = false};
    return formula_letter_set(m->g, &set);
}

uint64_t *normal_letter_bits(normal_maker *m, const formula *f, node_id id, bool negated) {
    uint64_t *bits = arena_zalloc(m->arena, (m->letters + 63) / 64 + 1, sizeof *bits);
    for (uint32_t l = 0; l < m->letters; l++)
        if (formula_has_letter(f, id, l) != negated) bits[l / 64] |= (uint64_t)1 << (l % 64);
    return bits;
}

node_id normal_not(normal_maker *m, node_id x) {
    switch (normal_op(m, x)) {
    case OP_TRUE: return normal_constant(m, false);
    case OP_FALSE: return normal_constant(m, true);
    case OP_NOT: return formula_kid(m->g, x, 0);
    case OP_LETTERS: return normal_letters(m, normal_letter_bits(m, m->g, x, true));
    default: return formula_unary(m->g, OP_NOT, x);
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
static size_t drop_implied(const normal_maker *m, formula_op op, node_id *kids, size_t count) {
    unsigned char *drop = arena_zalloc(m->arena, count, 1);
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        const formula_node *n = formula_at(m->g, kids[k]);
        bool loose = n->mask == TEMPER_MASK_UP_TO || n->mask == TEMPER_MASK_FROM || n->mask == TEMPER_MASK_ALL;
        if (n->op != OP_ATTEND || n->choice != TEMPER_CHOICE_AVERAGE || !loose) continue;
        node_id inner = formula_kid(m->g, kids[k], 0);
        const node_id *found = bsearch(&inner, kids, count, sizeof inner, by_id);
        if (found) drop[op == OP_AND ? k : (size_t)(found - kids)] = 1;
    }
    for (size_t k = 0; k < count; k++)
        if (!drop[k]) kids[kept++] = kids[k];
    return kept;
}

enum { MOST_SPLIT = 2 };

/* An AND with the remainder of a count one position before, which is "a and b, or c and d", is an OR of two ANDs: a
   gate for each, in the net of the look-up, instead of a gate after them. 0: it has none, or many. */
static node_id make_split(normal_maker *m, const node_id *kids, size_t count) {
    size_t found = 0, at = 0;
    for (size_t k = 0; k < count; k++) {
        if (!table_find(&m->strict, &kids[k], sizeof *kids)) continue;
        found++;
        at = k;
    }
    if (found == 0 || found > MOST_SPLIT) return 0;
    node_id either = kids[at], sides[2];
    for (size_t side = 0; side < 2; side++) {
        node_id part = formula_kid(m->g, either, side);
        size_t more = formula_at(m->g, part)->kid_count, total = 0;
        node_id *all = arena_alloc(m->arena, count + more, sizeof *all);
        for (size_t k = 0; k < count; k++)
            if (k != at) all[total++] = kids[k];
        for (size_t k = 0; k < more; k++) all[total++] = formula_kid(m->g, part, k);
        sides[side] = normal_gate(m, OP_AND, all, total);
    }
    return normal_gate(m, OP_OR, sides, 2);
}

/* AND or OR of normal nodes (kids is scratch and is changed): constants, duplicates, complements and letters
   folded. */
node_id normal_gate(normal_maker *m, formula_op op, node_id *kids, size_t count) {
    formula_op absorbing = op == OP_AND ? OP_FALSE : OP_TRUE, neutral = op == OP_AND ? OP_TRUE : OP_FALSE;
    size_t kept = 0;
    node_id letters = 0, split = op == OP_AND && count > 1 ? make_split(m, kids, count) : 0;
    if (split) return split;
    for (size_t k = 0; k < count; k++) {
        formula_op kind = normal_op(m, kids[k]);
        if (kind == absorbing) return normal_constant(m, absorbing == OP_TRUE);
        if (kind == neutral) continue;
        if (kind != OP_LETTERS) {
            kids[kept++] = kids[k];
        } else if (!letters) {
            letters = kids[k];
        } else {
            uint64_t *a = normal_letter_bits(m, m->g, letters, false),
                     *b = normal_letter_bits(m, m->g, kids[k], false);
            for (size_t w = 0; w < (m->letters + 63) / 64; w++) a[w] = op == OP_AND ? a[w] & b[w] : a[w] | b[w];
            letters = normal_letters(m, a);
            if (normal_op(m, letters) == absorbing) return letters;
        }
    }
    if (letters) kids[kept++] = letters; /* cannot be neutral: each part was a proper subset, or it was absorbed */
    if (kept > 1) qsort(kids, kept, sizeof *kids, by_id);
    size_t distinct = 0;
    for (size_t k = 0; k < kept; k++)
        if (!distinct || kids[distinct - 1] != kids[k]) kids[distinct++] = kids[k];
    for (size_t k = 0; k < distinct; k++)
        if (normal_op(m, kids[k]) == OP_NOT && contains(kids, distinct, formula_kid(m->g, kids[k], 0)))
            return normal_constant(m, absorbing == OP_TRUE);
    return formula_nary(m->g, op, kids, drop_implied(m, op, kids, distinct));
}

node_id normal_and(normal_maker *m, node_id x, node_id y) {
    node_id kids[2] = {x, y};
    return normal_gate(m, OP_AND, kids, 2);
}

node_id normal_or(normal_maker *m, node_id x, node_id y) {
    node_id kids[2] = {x, y};
    return normal_gate(m, OP_OR, kids, 2);
}

/* Negations are pulled out; constants and equal operands folded; two letter sets are one. */
node_id normal_xor(normal_maker *m, node_id x, node_id y) {
    bool negated = false;
    if (normal_op(m, x) == OP_LETTERS && normal_op(m, y) == OP_LETTERS) {
        uint64_t *a = normal_letter_bits(m, m->g, x, false), *b = normal_letter_bits(m, m->g, y, false);
        for (size_t w = 0; w < (m->letters + 63) / 64; w++) a[w] ^= b[w];
        return normal_letters(m, a);
    }
    if (normal_op(m, x) == OP_NOT) x = formula_kid(m->g, x, 0), negated = !negated;
    if (normal_op(m, y) == OP_NOT) y = formula_kid(m->g, y, 0), negated = !negated;
    if (normal_op(m, x) == OP_TRUE || normal_op(m, x) == OP_FALSE) {
        bool flip = (normal_op(m, x) == OP_TRUE) != negated;
        return flip ? normal_not(m, y) : y;
    }
    if (normal_op(m, y) == OP_TRUE || normal_op(m, y) == OP_FALSE) {
        bool flip = (normal_op(m, y) == OP_TRUE) != negated;
        return flip ? normal_not(m, x) : x;
    }
    if (x == y) return normal_constant(m, negated);
    node_id z = x < y ? formula_binary(m->g, OP_XOR, x, y) : formula_binary(m->g, OP_XOR, y, x);
    return negated ? normal_not(m, z) : z;
}

/* Is there a j in the mask with x? */
node_id normal_exists(normal_maker *m, temper_mask mask, node_id x) {
    if (normal_op(m, x) == OP_FALSE) return x;
    if (normal_op(m, x) == OP_TRUE) {
        if (mask == TEMPER_MASK_BEFORE) return normal_not(m, formula_atom(m->g, OP_FIRST));
        if (mask == TEMPER_MASK_AFTER) return normal_not(m, formula_atom(m->g, OP_LAST));
        return x;
    }
    const formula_node *n = formula_at(m->g, x);
    bool same_reach = n->op == OP_ATTEND && n->choice == TEMPER_CHOICE_AVERAGE && n->mask == mask &&
                      (mask == TEMPER_MASK_UP_TO || mask == TEMPER_MASK_FROM || mask == TEMPER_MASK_ALL);
    if (same_reach) return x; /* O O x = O x */
    return formula_attend(m->g, TEMPER_CHOICE_AVERAGE, mask, x, x);
}

node_id normal_range(normal_maker *m, core c, node_id x) {
    temper_mask mask = c.forward ? TEMPER_MASK_FROM : TEMPER_MASK_UP_TO;
    return c.all ? normal_not(m, normal_exists(m, mask, normal_not(m, x))) : normal_exists(m, mask, x);
}

/* The value at the right- or leftmost j of the mask where `where` holds; value implies where. */
node_id normal_nearest(normal_maker *m, temper_choice choice, temper_mask mask, node_id where, node_id value) {
    if (normal_op(m, where) == OP_FALSE || normal_op(m, value) == OP_FALSE) return normal_constant(m, false);
    if (value == where) return normal_exists(m, mask, where);
    bool own = (choice == TEMPER_CHOICE_RIGHTMOST && mask == TEMPER_MASK_UP_TO) ||
               (choice == TEMPER_CHOICE_LEFTMOST && mask == TEMPER_MASK_FROM);
    if (own && normal_op(m, where) == OP_TRUE) return value; /* the chosen j is i itself */
    return formula_attend(m->g, choice, mask, where, value);
}

/* phi S psi, or phi U psi: the nearest j with psi or not phi, read psi there. Where one of these two implies the
   other the key is the other alone, and all values that have one "not phi" share a head. */
static node_id make_since(normal_maker *m, bool past, node_id phi, node_id psi) {
    temper_mask mask = past ? TEMPER_MASK_UP_TO : TEMPER_MASK_FROM;
    temper_choice choice = past ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST;
    if (normal_op(m, phi) == OP_FALSE || normal_op(m, psi) == OP_TRUE) return psi;
    if (normal_op(m, phi) == OP_TRUE) return normal_exists(m, mask, psi);
    node_id fails = normal_not(m, phi);
    node_id where = node_implies(&m->related, psi, fails)   ? fails
                    : node_implies(&m->related, fails, psi) ? psi
                                                            : normal_or(m, psi, fails);
    return normal_nearest(m, choice, mask, where, psi);
}

/* Not (not phi since not psi), where phi T psi holds, or phi R psi. */
static node_id make_triggered(normal_maker *m, bool past, node_id phi, node_id psi) {
    node_id right = normal_not(m, psi), left = normal_not(m, phi);
    return normal_not(m, make_since(m, past, left, right));
}

/* x M y = y U (x & y); x W y = y R (x | y) */
node_id normal_binary(normal_maker *m, core c, node_id x, node_id y) {
    bool past = !c.forward;
    if (c.all) return c.beyond ? make_triggered(m, past, x, y) : make_since(m, past, y, normal_and(m, x, y));
    return c.beyond ? make_triggered(m, past, y, normal_or(m, x, y)) : make_since(m, past, x, y);
}

/* Of a remainder of one count that looks the same way as the step; else 0. One position before, the count was less by
   one if x holds here: (a (c - 1) + b) mod m. So two values of the same look-up are read and no head steps back. */
static node_id make_strict_remainder(normal_maker *m, bool past, node_id id, node_id edge) {
    const formula_node n = *formula_at(m->g, id);
    if (n.op != OP_MODULO || n.kid_count != 1) return 0;
    node_id count = formula_kid(m->g, id, 0), x = formula_kid(m->g, count, 0);
    if (normal_op(m, count) != (past ? OP_COUNT_PAST : OP_COUNT_FUTURE)) return 0;
    int64_t weight = formula_weight(m->g, id, 0); /* in 0..modulus-1, as the constant */
    linear_sum sum;
    sum_init(&sum, m->arena, n.constant - weight + (n.constant < weight ? n.modulus : 0));
    sum_add_count(&sum, count, weight);
    node_id without[3] = {normal_not(m, edge), normal_not(m, x), id};
    node_id with[3] = {normal_not(m, edge), x, formula_modulo(m->g, &sum, n.modulus, n.compare, n.residue)};
    node_id right = normal_gate(m, OP_AND, with, 3), left = normal_gate(m, OP_AND, without, 3);
    node_id made = normal_or(m, left, right);
    const formula_node *either = formula_at(m->g, made);
    if (either->op == OP_OR && either->kid_count == 2 && normal_op(m, formula_kid(m->g, made, 0)) == OP_AND &&
        normal_op(m, formula_kid(m->g, made, 1)) == OP_AND) {
        node_id *key = arena_alloc(m->arena, 1, sizeof *key);
        bool fresh;
        *key = made;
        table_put(&m->strict, key, sizeof *key, 1, &fresh);
    }
    return made;
}

enum { MOST_STEPS = 64 }; /* of one head: it has a row for each */

/* x so many positions before: the nearest j whose position has the remainder of i (doc/theory.md, "Match"). */
static node_id make_steps(normal_maker *m, bool past, int64_t steps, node_id x) {
    node_id all = formula_unary(m->g, past ? OP_COUNT_PAST : OP_COUNT_FUTURE, normal_constant(m, true));
    node_id *kids = arena_alloc(m->arena, 2 * (size_t)steps + 1, sizeof *kids);
    linear_sum place;
    sum_init(&place, m->arena, 0);
    sum_add_count(&place, all, 1);
    for (int64_t r = 0; r < steps; r++)
        kids[2 * r] = kids[2 * r + 1] = formula_modulo(m->g, &place, steps, CMP_EQ, r);
    kids[2 * steps] = x;
    node_id made = formula_match(m->g, past ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST,
                                 past ? TEMPER_MASK_BEFORE : TEMPER_MASK_AFTER, kids, 2 * (size_t)steps + 1);
    node_id *key = arena_alloc(m->arena, 1, sizeof *key);
    bool fresh;
    *key = made;
    table_put(&m->chains, key, sizeof *key, (uint32_t)m->chain_count, &fresh);
    if (fresh) array_push(m->arena, m->chain, m->chain_count, m->chain_capacity, (step_chain){past, steps, x});
    return made;
}

/* One step of what is a step already, or several; 0: it is none, or there are many. */
static node_id make_longer(normal_maker *m, bool past, node_id x) {
    const uint32_t *known = table_find(&m->chains, &x, sizeof x);
    const formula_node *n = formula_at(m->g, x);
    if (!m->use.steps) return 0;
    if (known && m->chain[*known].past == past)
        return m->chain[*known].steps < MOST_STEPS
                   ? make_steps(m, past, m->chain[*known].steps + 1, m->chain[*known].x)
                   : 0;
    bool step = n->op == OP_ATTEND && n->mask == (past ? TEMPER_MASK_BEFORE : TEMPER_MASK_AFTER) &&
                n->choice == (past ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST) &&
                normal_op(m, formula_kid(m->g, x, 0)) == OP_TRUE;
    return step ? make_steps(m, past, 2, formula_kid(m->g, x, 1)) : 0;
}

/* Y x, or X x. Y of a non-strict head is the same head with a strict mask: one layer instead of two. */
node_id normal_step(normal_maker *m, bool past, node_id x) {
    temper_mask strict = past ? TEMPER_MASK_BEFORE : TEMPER_MASK_AFTER;
    temper_mask loose = past ? TEMPER_MASK_UP_TO : TEMPER_MASK_FROM;
    node_id edge = formula_atom(m->g, past ? OP_FIRST : OP_LAST);
    if (normal_op(m, x) == OP_FALSE) return x;
    if (normal_op(m, x) == OP_TRUE) return normal_not(m, edge);
    bool negated = normal_op(m, x) == OP_NOT;
    node_id inner = negated ? formula_kid(m->g, x, 0) : x;
    formula_node n = *formula_at(m->g, inner);
    if (n.op == OP_ATTEND && n.mask == loose) {
        node_id head =
            formula_attend(m->g, n.choice, strict, formula_kid(m->g, inner, 0), formula_kid(m->g, inner, 1));
        return negated ? normal_not(m, normal_or(m, edge, head)) : head;
    }
    node_id longer = make_longer(m, past, inner);
    if (longer) return negated ? normal_not(m, normal_or(m, edge, longer)) : longer;
    node_id remainder = make_strict_remainder(m, past, inner, edge);
    if (remainder) return negated ? normal_not(m, normal_or(m, edge, remainder)) : remainder;
    return formula_attend(m->g, past ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST, strict,
                          normal_constant(m, true), x);
}
