#include "random_formula.h"

#include "logic/match.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct generator {
    formula *f;
    test_random *r;
    const random_shape *shape;
    size_t left;     /* operators that may still be made */
    node_id made[8]; /* some subformulas to use again */
    size_t made_count;
} generator;

static bool one_in(generator *g, unsigned k) { return random_below(g->r, k) == 0; }

static node_id build(generator *g, size_t depth);

static node_id build_letters(generator *g) {
    uint32_t chosen[26], count = 0;
    unsigned letters = g->shape->letters;
    if (letters == 1 || !one_in(g, 4)) {
        chosen[0] = (uint32_t)random_below(g->r, letters);
        return formula_letters(g->f, chosen, 1, one_in(g, 8) && letters > 1);
    }
    bool negated = one_in(g, 2);
    while (count == 0 || count == letters) { /* the empty and the full set have no class of their own */
        count = 0;
        for (uint32_t k = 0; k < letters; k++)
            if (one_in(g, 2)) chosen[count++] = k;
    }
    return formula_letters(g->f, chosen, count, negated);
}

static node_id build_atom(generator *g) {
    const random_shape *s = g->shape;
    switch (random_below(g->r, 12)) {
    case 0: return formula_atom(g->f, OP_TRUE);
    case 1: return formula_atom(g->f, OP_FALSE);
    case 2: return s->past && !s->attend ? formula_atom(g->f, OP_FIRST) : build_letters(g);
    case 3: return s->future && !s->attend ? formula_atom(g->f, OP_LAST) : build_letters(g);
    default: return build_letters(g);
    }
}

static int64_t random_coefficient(generator *g) {
    static const int64_t corners[] = {INT64_MAX,        2 - INT64_MAX,       INT64_MAX - 1, -INT64_MAX,
                                      (int64_t)1 << 62, -((int64_t)1 << 62), 1000000007,    -4294967296};
    if (g->shape->large && one_in(g, 6)) return corners[random_below(g->r, sizeof corners / sizeof *corners)];
    return (int64_t)random_below(g->r, 9) - 4;
}

static void build_sum(linear_sum *sum, generator *g, size_t depth) {
    sum_init(sum, g->f->arena, random_coefficient(g));
    size_t terms = 1 + random_below(g->r, one_in(g, 4) ? 5 : 2);
    for (size_t k = 0; k < terms; k++) {
        bool past = g->shape->past && (!g->shape->future || one_in(g, 2));
        node_id counted = build(g, depth > 1 ? depth - 1 : 1);
        node_id count = formula_unary(g->f, past ? OP_COUNT_PAST : OP_COUNT_FUTURE, counted);
        int64_t weight = random_coefficient(g);
        bool again = false; /* a second mention might not fit in 64 bits */
        for (size_t j = 0; j < sum->count; j++) again = again || sum->counts[j] == count;
        if (!again) sum_add_count(sum, count, weight ? weight : 1);
    }
}

static node_id build_comparison(generator *g, size_t depth, bool modulo) {
    linear_sum sum;
    build_sum(&sum, g, depth);
    compare_op op = (compare_op)random_below(g->r, 6);
    if (!modulo) return formula_compare(g->f, &sum, op);
    int64_t modulus = 1 + (int64_t)random_below(g->r, 6);
    int64_t residue = (int64_t)random_below(g->r, (uint64_t)modulus + 2) - 1;
    if (g->shape->large && one_in(g, 8)) {
        modulus = INT64_MAX - (int64_t)random_below(g->r, 3);
        residue = random_coefficient(g);
    }
    return formula_modulo(g->f, &sum, modulus, op, residue);
}

static void add_count_of(generator *g, linear_sum *sum, formula_op direction, node_id counted, int64_t weight) {
    sum_add_count(sum, formula_unary(g->f, direction, counted), weight);
}

/* A position that is never above i. */
static void build_place_before(linear_sum *sum, generator *g, size_t depth) {
    node_id counted = one_in(g, 2) ? formula_atom(g->f, OP_TRUE) : build(g, depth);
    sum_init(sum, g->f->arena, -(int64_t)random_below(g->r, 4));
    add_count_of(g, sum, OP_COUNT_PAST, counted, 1);
    if (one_in(g, 4)) add_count_of(g, sum, OP_COUNT_PAST, build(g, depth), -1);
}

/* Counts of one direction, i, n and a constant, as doc/language.md, "At a position", allows. */
static void build_place_anywhere(linear_sum *sum, generator *g, size_t depth) {
    static const int64_t weights[] = {1, 1, 1, 2, -1, -2};
    formula_op there = one_in(g, 2) ? OP_COUNT_PAST : OP_COUNT_FUTURE;
    int64_t ends = (int64_t)random_below(g->r, 2), each = (int64_t)random_below(g->r, 4) - 2;
    node_id yes = formula_atom(g->f, OP_TRUE);
    sum_init(sum, g->f->arena, (int64_t)random_below(g->r, 8) - 3);
    for (uint64_t k = random_below(g->r, 3); k > 0; k--) {
        int64_t weight = weights[random_below(g->r, 6)]; /* first: compilers differ in the order of arguments */
        add_count_of(g, sum, there, build(g, depth), weight);
    }
    if (each == 1) each = 0;
    add_count_of(g, sum, there, yes, each);
    add_count_of(g, sum, OP_COUNT_PAST, yes, ends);
    add_count_of(g, sum, OP_COUNT_FUTURE, yes, ends);
}

static void build_sum(linear_sum *sum, generator *g, size_t depth);

static node_id build_place(generator *g, size_t depth) {
    linear_sum sum;
    size_t inside = depth > 2 ? depth - 2 : 1;
    node_id value = build(g, depth - 1);
    if (g->shape->large && one_in(g, 2))
        build_sum(&sum, g, inside);
    else if (!g->shape->future || one_in(g, 3))
        build_place_before(&sum, g, inside);
    else
        build_place_anywhere(&sum, g, inside);
    return formula_read_at(g->f, value, &sum);
}

static temper_mask random_mask(generator *g) {
    static const temper_mask past[] = {TEMPER_MASK_BEFORE, TEMPER_MASK_UP_TO},
                             future[] = {TEMPER_MASK_AFTER, TEMPER_MASK_FROM};
    bool both = g->shape->past && g->shape->future;
    if (both && one_in(g, 5)) return TEMPER_MASK_ALL;
    return g->shape->past && (!both || one_in(g, 2)) ? past[random_below(g->r, 2)] : future[random_below(g->r, 2)];
}

/* Often the same on both sides, and letters. */
static node_id build_recall(generator *g, size_t depth) {
    size_t count = 1 + random_below(g->r, 3);
    node_id conditions[6];
    for (size_t k = 0; k < count; k++) {
        conditions[2 * k] = one_in(g, 2) ? build_letters(g) : build(g, depth - 1);
        conditions[2 * k + 1] = one_in(g, 2)   ? conditions[2 * k]
                                : one_in(g, 2) ? build_letters(g)
                                               : build(g, depth - 1);
    }
    temper_choice choice = one_in(g, 4) ? TEMPER_CHOICE_LEFTMOST : TEMPER_CHOICE_RIGHTMOST;
    temper_mask mask = random_mask(g);
    bool future = mask == TEMPER_MASK_AFTER || mask == TEMPER_MASK_FROM;
    if (future) choice = choice == TEMPER_CHOICE_LEFTMOST ? TEMPER_CHOICE_RIGHTMOST : TEMPER_CHOICE_LEFTMOST;
    return match_make(g->f, choice, mask, conditions, count, build(g, depth - 1), 0, 0);
}

static node_id build_attend(generator *g, size_t depth) {
    temper_mask mask = random_mask(g);
    node_id where = build(g, depth - 1);
    if (one_in(g, 4)) return formula_attend(g->f, TEMPER_CHOICE_AVERAGE, mask, where, where);
    temper_choice choice = one_in(g, 2) ? TEMPER_CHOICE_LEFTMOST : TEMPER_CHOICE_RIGHTMOST;
    return formula_attend(g->f, choice, mask, where, build(g, depth - 1));
}

static node_id build_boolean(generator *g, size_t depth) {
    static const formula_op pairs[] = {OP_XOR, OP_IMPLIES, OP_IFF};
    node_id kids[4];
    size_t count = 2 + random_below(g->r, 8) / 6;
    switch (random_below(g->r, 6)) {
    case 0: return formula_unary(g->f, OP_NOT, build(g, depth - 1));
    case 1:
        kids[0] = build(g, depth - 1);
        kids[1] = build(g, depth - 1);
        return formula_binary(g->f, pairs[random_below(g->r, 3)], kids[0], kids[1]);
    default:
        for (size_t k = 0; k < count; k++) kids[k] = build(g, depth - 1);
        return formula_nary(g->f, one_in(g, 2) ? OP_AND : OP_OR, kids, count);
    }
}

static node_id build_temporal(generator *g, size_t depth) {
    static const formula_op future[] = {OP_NEXT,  OP_WEAK_NEXT, OP_EVENTUALLY, OP_ALWAYS,
                                        OP_UNTIL, OP_RELEASE,   OP_WEAK_UNTIL, OP_STRONG_RELEASE};
    static const formula_op past[] = {OP_YESTERDAY,    OP_WEAK_YESTERDAY, OP_ONCE,
                                      OP_HISTORICALLY, OP_SINCE,          OP_TRIGGERED};
    bool back = g->shape->past && (!g->shape->future || one_in(g, 2));
    formula_op op = back ? past[random_below(g->r, sizeof past / sizeof *past)]
                         : future[random_below(g->r, sizeof future / sizeof *future)];
    node_id left = build(g, depth - 1);
    bool steps = op == OP_YESTERDAY || op == OP_WEAK_YESTERDAY || op == OP_NEXT || op == OP_WEAK_NEXT;
    for (size_t k = steps && one_in(g, 4) ? random_below(g->r, 5) : 0; k > 0; k--)
        left = formula_unary(g->f, op, left);
    return operator_kids(op) == 1 ? formula_unary(g->f, op, left)
                                  : formula_binary(g->f, op, left, build(g, depth - 1));
}

static node_id build_operator(generator *g, size_t depth) {
    const random_shape *s = g->shape;
    bool looks = s->past || s->future;
    if (!looks) return build_boolean(g, depth);
    if (s->attend) return one_in(g, 2) ? build_attend(g, depth) : build_boolean(g, depth);
    if (s->mixed_attend && one_in(g, 6)) return build_attend(g, depth);
    if (s->places && s->past && one_in(g, 5)) return build_place(g, depth);
    if (one_in(g, 16)) return build_recall(g, depth);
    if (s->counting && one_in(g, 4)) return build_comparison(g, depth, false);
    if (s->modulo && one_in(g, 5)) return build_comparison(g, depth, true);
    return one_in(g, 2) ? build_temporal(g, depth) : build_boolean(g, depth);
}

static node_id build(generator *g, size_t depth) {
    if (g->made_count && one_in(g, 12)) return g->made[random_below(g->r, g->made_count)];
    if (depth <= 1 || g->left == 0) return build_atom(g);
    g->left--;
    node_id id = build_operator(g, depth);
    size_t slot = g->made_count < 8 ? g->made_count++ : random_below(g->r, 8);
    g->made[slot] = id;
    return id;
}

node_id random_formula(formula *f, test_random *r, const random_shape *shape) {
    generator g = {.f = f, .r = r, .shape = shape, .left = shape->size};
    node_id root = 0;
    while (g.left > 0) { /* chance may stop early: join what has been made until the size is reached */
        node_id more = build(&g, shape->depth);
        node_id pair[2] = {root, more};
        if (g.left) g.left--;
        root = root ? formula_nary(f, random_below(r, 2) ? OP_AND : OP_OR, pair, 2) : more;
    }
    return root ? root : build_atom(&g);
}

temper_spec *make_spec(trap *t, unsigned letters, temper_at at) {
    arena memory;
    arena_init(&memory, t);
    temper_spec *s = arena_zalloc(&memory, 1, sizeof *s); /* lives in its own arena, as temper_spec_free expects */
    s->memory = memory;
    formula_init(&s->graph, &s->memory);
    alphabet_init(&s->letters, &s->memory, false);
    for (unsigned k = 0; k < letters; k++) {
        char letter = (char)('a' + k);
        alphabet_add(&s->letters, &letter, 1);
    }
    s->at = at;
    s->source = "";
    return s;
}

void finish_spec(temper_spec *s, node_id root) {
    s->root = root;
    const unsigned char *marks = formula_reachable(&s->graph, root, &s->memory);
    for (size_t k = 0; k < s->graph.count; k++) s->node_count += marks[k];
    s->memory.trap = NULL;
}

temper_spec *random_spec(test_random *r, const random_shape *shape, temper_at at) {
    trap t;
    if (trap_set(&t, NULL)) {
        fprintf(stderr, "random_spec: %s\n", t.error.text);
        abort();
    }
    temper_spec *s = make_spec(&t, shape->letters, at);
    if (shape->attend) s->syntax = TEMPER_SYNTAX_BRASP;
    finish_spec(s, random_formula(&s->graph, r, shape));
    return s;
}

void random_word(uint32_t *word, size_t n, unsigned letters, test_random *r) {
    uint64_t kind = random_below(r, 4), period = 1 + random_below(r, 5), rare = 2 + random_below(r, 12);
    uint32_t current = (uint32_t)random_below(r, letters);
    for (size_t i = 0; i < n; i++) {
        uint32_t fresh = (uint32_t)random_below(r, letters);
        bool change = random_below(r, rare) == 0;
        if (kind == 0) word[i] = fresh;
        if (kind == 1) word[i] = change ? fresh : current;
        if (kind == 2) word[i] = i < period || change ? fresh : word[i - period];
        if (kind == 3) word[i] = change ? (current = fresh) : current;
    }
}
