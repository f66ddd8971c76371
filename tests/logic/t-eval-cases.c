/* Values by cases: diagrams against tables over every letter and every truth of three other conditions, their order,
   their limits (just met and just exceeded), and the exact formulas that they become. */
#include <stdlib.h>
#include <string.h>

#include "logic/value_cases.h"
#include "in_arena.h"
#include "test.h"

enum { LETTERS = 3, OTHERS = 3, CONDITIONS = LETTERS + OTHERS, POOL = 64, NO_LETTER = LETTERS };

typedef struct world {
    formula f;
    cases c;
    node_id condition[CONDITIONS]; /* letters a, b, c; then three that are no letters */
} world;

static void make_world(world *w, arena *a) {
    formula_init(&w->f, a);
    for (uint32_t k = 0; k < OTHERS; k++) {
        node_id letter = formula_letters(&w->f, &k, 1, false);
        w->condition[LETTERS + k] = formula_unary(&w->f, OP_ONCE, letter);
        w->condition[k] = letter;
    }
    cases_init(&w->c, &w->f, "a hint");
    cases_begin(&w->c, 7, 9);
}

/* Letter l (NO_LETTER: none of the three), and a bit for each of the others. */
static bool holds(const world *w, node_id condition, unsigned letter, unsigned bits) {
    for (unsigned k = 0; k < CONDITIONS; k++)
        if (w->condition[k] == condition) return k < LETTERS ? k == letter : bits >> (k - LETTERS) & 1;
    const formula_node *n = formula_at(&w->f, condition);
    if (n->op == OP_NOT) return !holds(w, formula_kid(&w->f, condition, 0), letter, bits);
    return n->op == OP_TRUE;
}

static uint32_t value_of(const world *w, case_id id, unsigned letter, unsigned bits) {
    while (!cases_is_leaf(&w->c, id)) {
        const case_node *n = &w->c.nodes[id];
        id = holds(w, n->condition, letter, bits) ? n->yes : n->no;
    }
    return cases_payload(&w->c, id);
}

/* Letters first, then by number; nothing twice; no letter below a letter that holds; nothing asked in vain. */
static bool is_ordered(const world *w, case_id id) {
    const case_node *n = &w->c.nodes[id];
    if (!n->condition) return n->depth == 0;
    bool letter = formula_at(&w->f, n->condition)->op == OP_LETTERS, right = n->yes != n->no;
    uint32_t deepest = 0;
    for (int side = 0; side < 2; side++) {
        const case_node *below = &w->c.nodes[side ? n->yes : n->no];
        if (below->depth > deepest) deepest = below->depth;
        if (!below->condition) continue;
        bool other = formula_at(&w->f, below->condition)->op == OP_LETTERS;
        if (other && (!letter || side)) right = false;
        if (other == letter && below->condition <= n->condition) right = false;
    }
    return right && n->depth == deepest + 1 && is_ordered(w, n->yes) && is_ordered(w, n->no);
}

typedef uint32_t expected_value(const void *context, const world *w, unsigned letter, unsigned bits);

static bool check_case(const world *w, case_id id, expected_value *expect, const void *context, const char *what) {
    bool same = CHECK(is_ordered(w, id), "%s: not in order", what);
    for (unsigned letter = 0; letter <= LETTERS && same; letter++)
        for (unsigned bits = 0; bits < 1u << OTHERS && same; bits++) {
            uint32_t found = value_of(w, id, letter, bits), wanted = expect(context, w, letter, bits);
            same =
                CHECK(found == wanted, "%s, letter %u, conditions %u: %u, not %u", what, letter, bits, found, wanted);
        }
    return same;
}

/* ---- splitting and combining ---- */

typedef struct pair {
    node_id condition;
    case_id yes, no;
} pair;

static uint32_t chosen(const void *context, const world *w, unsigned letter, unsigned bits) {
    const pair *p = context;
    return value_of(w, holds(w, p->condition, letter, bits) ? p->yes : p->no, letter, bits);
}

static case_id append(cases *c, void *context, uint32_t x, uint32_t y) {
    (void)context;
    return cases_leaf(c, 10 * x + y);
}

static uint32_t appended(const void *context, const world *w, unsigned letter, unsigned bits) {
    const pair *p = context;
    return 10 * value_of(w, p->yes, letter, bits) + value_of(w, p->no, letter, bits);
}

/* Brings in a condition that may come before those of both. */
static case_id branch(cases *c, void *context, uint32_t x, uint32_t y) {
    const node_id *condition = context;
    return cases_split(c, *condition, cases_leaf(c, 10 * x + y), cases_leaf(c, x + 10 * y));
}

static uint32_t branched(const void *context, const world *w, unsigned letter, unsigned bits) {
    const pair *p = context;
    uint32_t x = value_of(w, p->yes, letter, bits), y = value_of(w, p->no, letter, bits);
    return holds(w, p->condition, letter, bits) ? 10 * x + y : x + 10 * y;
}

/* A pool of diagrams, each made of two before it; every one is checked, and so are all pairs. */
static void split_and_combine(arena *a) {
    world *w = arena_zalloc(a, 1, sizeof *w);
    make_world(w, a);
    node_id asked[2 * CONDITIONS + 2];
    for (size_t k = 0; k < CONDITIONS; k++) {
        asked[2 * k] = w->condition[k];
        asked[2 * k + 1] = formula_unary(&w->f, OP_NOT, w->condition[k]);
    }
    asked[2 * CONDITIONS] = formula_atom(&w->f, OP_TRUE);
    asked[2 * CONDITIONS + 1] = formula_atom(&w->f, OP_FALSE);
    case_id pool[POOL];
    size_t count = 0;
    for (uint32_t leaf = 1; leaf <= 4; leaf++) pool[count++] = cases_leaf(&w->c, leaf);
    for (size_t step = 0; count < POOL; step++) {
        pair p = {asked[step * 5 % (2 * CONDITIONS + 2)], pool[(step * 7 + 1) % count],
                  pool[(step * 11 + 2) % count]};
        cases_begin(&w->c, 1, 1);
        pool[count] = cases_split(&w->c, p.condition, p.yes, p.no);
        if (!check_case(w, pool[count], chosen, &p, "split")) return;
        CHECK(cases_split(&w->c, p.condition, p.yes, p.no) == pool[count], "the same split is another case");
        count++;
    }
    for (size_t x = 0; x < POOL; x += 3)
        for (size_t y = 0; y < POOL; y += 5) {
            pair p = {w->condition[(x + y) % CONDITIONS], pool[x], pool[y]};
            case_id made = cases_combine(&w->c, p.yes, p.no, append, NULL);
            check_case(w, made, appended, &p, "combine");
            made = cases_combine(&w->c, p.yes, p.no, branch, &p.condition);
            check_case(w, made, branched, &p, "combine with a condition");
            for (size_t k = 0; k < 2 * CONDITIONS + 2; k++) {
                p.condition = asked[k];
                cases_begin(&w->c, 1, 1);
                check_case(w, cases_split(&w->c, p.condition, p.yes, p.no), chosen, &p, "split of two");
            }
        }
}

/* Many values: their order stays. */
static void combine_all(arena *a) {
    for (size_t count = 1; count <= 8; count++) {
        world *w = arena_zalloc(a, 1, sizeof *w);
        case_id parts[8], joined[8];
        make_world(w, a);
        uint32_t wanted = 0;
        for (size_t k = 0; k < count; k++) {
            parts[k] = joined[k] = cases_leaf(&w->c, (uint32_t)k + 1);
            wanted = 10 * wanted + (uint32_t)k + 1;
        }
        if (count <= 3) { /* 1, 12, (12)3 */
            static const uint32_t texts[] = {1, 12, 123};
            case_id made = cases_combine_all(&w->c, parts, count, append, NULL);
            CHECK(cases_payload(&w->c, made) == texts[count - 1], "%zu values in a row", count);
        }
        if (count == 4) { /* pairs first */
            case_id made = cases_combine_all(&w->c, parts, count, append, NULL);
            CHECK(cases_payload(&w->c, made) == 12 * 10 + 34, "12 and 34");
        }
        case_id made = joined[0];
        for (size_t k = 1; k < count; k++) made = cases_combine(&w->c, made, joined[k], append, NULL);
        CHECK(cases_payload(&w->c, made) == wanted, "one by one: %u", cases_payload(&w->c, made));
        CHECK(cases_leaf(&w->c, 77) == cases_leaf(&w->c, 77) && cases_leaf(&w->c, 77) != cases_leaf(&w->c, 78),
              "equal leaves are one");
    }
}

/* ---- limits ---- */

static size_t made_of(temper_error *e, size_t wanted, void (*prepare)(world *), void (*step)(world *, size_t)) {
    trap t;
    arena a;
    static size_t done; /* outlives the jump */
    done = 0;
    arena_init(&a, &t);
    *e = (temper_error){0};
    if (trap_set(&t, e)) {
        arena_free(&a);
        return done;
    }
    world *w = arena_zalloc(&a, 1, sizeof *w);
    make_world(w, &a);
    if (prepare) prepare(w);
    for (; done < wanted; done++) step(w, done);
    arena_free(&a);
    trap_clear(&t);
    return done;
}

static void one_leaf(world *w, size_t k) { cases_leaf(&w->c, (uint32_t)k + 1); }

/* Chains of conditions, the last one first: each is an operation of its own. */
static node_id *chain;
static case_id chained;
static void make_chain(world *w) {
    node_id x = w->condition[0];
    chain = arena_alloc(w->f.arena, 5000, sizeof *chain);
    for (size_t k = 0; k < 5000; k++) chain[4999 - k] = x = formula_unary(&w->f, OP_YESTERDAY, x);
    chained = cases_leaf(&w->c, 1);
}
static void one_condition(world *w, size_t k) {
    cases_begin(&w->c, 7, 9);
    chained = cases_split(&w->c, chain[k], cases_leaf(&w->c, (uint32_t)(k % 5) + 2), chained);
}

/* As if many cases had been made before. */
static case_node *many;
static void fill(world *w) {
    many = calloc(4194304 + 16, sizeof *many);
    memcpy(many, w->c.nodes, w->c.count * sizeof *many);
    w->c.nodes = many;
    w->c.capacity = 4194304 + 16;
    w->c.count = 4194304 - 3;
    cases_begin(&w->c, 7, 9);
}

static void test_limits(void) {
    temper_error e;
    size_t made = made_of(&e, 5000, NULL, one_leaf);
    CHECK(made == 4096 && e.code == TEMPER_LIMIT && e.line == 7 && e.column == 9 &&
              !strcmp(e.text, "this needs more than 4096 cases") && !strcmp(e.hint, "a hint"),
          "%zu leaves: %s", made, e.text);
    made = made_of(&e, 5000, make_chain, one_condition);
    CHECK(made == 4096 && e.code == TEMPER_LIMIT && e.line == 7 &&
              !strcmp(e.text, "this needs more than 4096 conditions"),
          "%zu conditions: %s", made, e.text);
    made = made_of(&e, 10, fill, one_leaf);
    CHECK(made == 3 && e.code == TEMPER_LIMIT && !strcmp(e.text, "this needs more than 4194304 cases in one file"),
          "%zu more cases: %s", made, e.text);
    free(many);
}

/* ---- formulas ---- */

/* x op y ...; up to three operands. */
static node_id join(formula *f, formula_op op, node_id x, node_id y, node_id z) {
    node_id kids[] = {x, y, z};
    return formula_nary(f, op, kids, z ? 3 : 2);
}

static void become_formulas(arena *a) {
    world *w = arena_zalloc(a, 1, sizeof *w);
    make_world(w, a);
    formula *f = &w->f;
    node_id x = w->condition[0], y = w->condition[1], p = w->condition[3], q = w->condition[4], r = w->condition[5];
    node_id yes = formula_atom(f, OP_TRUE), no = formula_atom(f, OP_FALSE);
    node_id not_p = formula_unary(f, OP_NOT, p), not_x = formula_unary(f, OP_NOT, x);
    node_id neither = formula_unary(f, OP_NOT, join(f, OP_OR, x, y, 0));
    case_id leaf_q = cases_leaf(&w->c, q), leaf_r = cases_leaf(&w->c, r), leaf_y = cases_leaf(&w->c, yes),
            leaf_n = cases_leaf(&w->c, no);
    case_id second_q = cases_split(&w->c, y, leaf_q, leaf_r), second_yes = cases_split(&w->c, y, leaf_q, leaf_y),
            second_no = cases_split(&w->c, y, leaf_q, leaf_n), second_without = cases_split(&w->c, y, leaf_n, leaf_r);
    const struct {
        const char *what;
        case_id made;
        node_id wanted;
    } known[] = {
        {"q", leaf_q, q},
        {"p ? q : r", cases_split(&w->c, p, leaf_q, leaf_r),
         join(f, OP_OR, join(f, OP_AND, p, q, 0), join(f, OP_AND, not_p, r, 0), 0)},
        {"p ? true : r", cases_split(&w->c, p, leaf_y, leaf_r), join(f, OP_OR, p, r, 0)},
        {"p ? q : true", cases_split(&w->c, p, leaf_q, leaf_y), join(f, OP_OR, not_p, q, 0)},
        {"p ? q : false", cases_split(&w->c, p, leaf_q, leaf_n), join(f, OP_AND, p, q, 0)},
        {"p ? false : r", cases_split(&w->c, p, leaf_n, leaf_r), join(f, OP_AND, not_p, r, 0)},
        {"p ? false : true", cases_split(&w->c, p, leaf_n, leaf_y), not_p},
        {"p ? true : false", cases_split(&w->c, p, leaf_y, leaf_n), p},
        {"a ? true : r", cases_split(&w->c, x, leaf_y, leaf_r), join(f, OP_OR, x, r, 0)},
        {"a ? q : true", cases_split(&w->c, x, leaf_q, leaf_y), join(f, OP_OR, not_x, q, 0)},
        {"a ? r : b ? q : r", cases_split(&w->c, x, leaf_r, second_q),
         join(f, OP_OR, join(f, OP_AND, x, r, 0), join(f, OP_AND, y, q, 0), join(f, OP_AND, neither, r, 0))},
        {"a ? true : b ? q : r", cases_split(&w->c, x, leaf_y, second_q),
         join(f, OP_OR, x, join(f, OP_AND, y, q, 0), join(f, OP_AND, neither, r, 0))},
        {"a ? r : b ? q : true", cases_split(&w->c, x, leaf_r, second_yes),
         join(f, OP_OR, join(f, OP_AND, x, r, 0), join(f, OP_AND, y, q, 0), neither)},
        {"a ? false : b ? q : true", cases_split(&w->c, x, leaf_n, second_yes),
         join(f, OP_OR, join(f, OP_AND, y, q, 0), neither, 0)},
        {"a ? r : b ? q : false", cases_split(&w->c, x, leaf_r, second_no),
         join(f, OP_OR, join(f, OP_AND, x, r, 0), join(f, OP_AND, y, q, 0), 0)},
        {"a ? true : b ? false : r", cases_split(&w->c, x, leaf_y, second_without),
         join(f, OP_OR, x, join(f, OP_AND, neither, r, 0), 0)},
        {"a ? false : b ? false : r", cases_split(&w->c, x, leaf_n, second_without), join(f, OP_AND, neither, r, 0)},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        node_id found = cases_formula(&w->c, known[k].made);
        CHECK(found == known[k].wanted, "%s: node %u, not %u", known[k].what, found, known[k].wanted);
        CHECK(cases_formula(&w->c, known[k].made) == found, "%s: asked again", known[k].what);
    }
}

static void fold(arena *a) {
    world *w = arena_zalloc(a, 1, sizeof *w);
    make_world(w, a);
    formula *f = &w->f;
    node_id p = w->condition[3], q = w->condition[4], r = w->condition[5];
    node_id yes = formula_atom(f, OP_TRUE), no = formula_atom(f, OP_FALSE), not_p = formula_unary(f, OP_NOT, p);
    node_id both = formula_binary(f, OP_AND, p, q), either = formula_binary(f, OP_OR, p, q);
    const struct {
        formula_op op;
        node_id x, y, wanted;
    } known[] = {
        {OP_AND, p, q, both},
        {OP_AND, yes, p, p},
        {OP_AND, p, yes, p},
        {OP_AND, no, p, no},
        {OP_AND, p, no, no},
        {OP_AND, p, p, p},
        {OP_AND, p, both, both},
        {OP_AND, q, both, both},
        {OP_AND, both, p, both},
        {OP_AND, both, q, both},
        {OP_AND, p, not_p, no},
        {OP_AND, not_p, p, no},
        {OP_OR, p, q, either},
        {OP_OR, yes, p, yes},
        {OP_OR, p, yes, yes},
        {OP_OR, no, p, p},
        {OP_OR, p, no, p},
        {OP_OR, p, p, p},
        {OP_OR, p, either, either},
        {OP_OR, q, either, either},
        {OP_OR, either, p, either},
        {OP_OR, either, q, either},
        {OP_OR, p, not_p, yes},
        {OP_OR, not_p, p, yes},
        {OP_IMPLIES, p, q, formula_binary(f, OP_OR, not_p, q)},
        {OP_IMPLIES, yes, q, q},
        {OP_IMPLIES, no, q, yes},
        {OP_IMPLIES, p, no, not_p},
        {OP_IMPLIES, not_p, r, formula_binary(f, OP_OR, p, r)},
        {OP_IFF, p, p, yes},
        {OP_IFF, p, yes, p},
        {OP_IFF, yes, p, p},
        {OP_IFF, no, p, not_p},
        {OP_IFF, p, no, not_p},
        {OP_IFF, p, q, formula_binary(f, OP_IFF, p, q)},
        {OP_XOR, p, p, no},
        {OP_XOR, p, yes, not_p},
        {OP_XOR, yes, p, not_p},
        {OP_XOR, no, p, p},
        {OP_XOR, p, no, p},
        {OP_XOR, p, q, formula_binary(f, OP_XOR, p, q)},
        {OP_XOR, yes, not_p, p},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        CHECK(formula_fold_binary(f, known[k].op, known[k].x, known[k].y) == known[k].wanted, "fold %zu", k);
    CHECK(formula_fold_not(f, yes) == no && formula_fold_not(f, no) == yes && formula_fold_not(f, not_p) == p &&
              formula_fold_not(f, p) == not_p,
          "not");
}

int main(void) {
    test_in_arena(split_and_combine);
    test_in_arena(combine_all);
    test_limits();
    test_in_arena(become_formulas);
    test_in_arena(fold);
    return test_finish("eval-cases");
}
