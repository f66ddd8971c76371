#include "rewrite.h"

#include "logic/match.h"

#include <stdlib.h>

typedef struct rewriter {
    formula *to;
    const formula *f;
    node_id *made; /* per node of f */
    unsigned letters;
    test_random *r;
} rewriter;

static node_id not_of(formula *to, node_id x) { return formula_unary(to, OP_NOT, x); }
static node_id both(formula *to, formula_op op, node_id x, node_id y) {
    node_id kids[2] = {x, y};
    return formula_nary(to, op, kids, 2);
}

/* The same operator with the same kids. */
static node_id plain(rewriter *w, node_id id) {
    const formula_node *n = formula_at(w->f, id);
    node_id kids[256];
    if (n->kid_count > 256) abort();
    for (size_t k = 0; k < n->kid_count; k++) kids[k] = w->made[formula_kid(w->f, id, k)];
    switch (n->op) {
    case OP_LETTERS: return formula_letter_set(w->to, &w->f->sets[n->set]);
    case OP_AND:
    case OP_OR: return formula_nary(w->to, n->op, kids, n->kid_count);
    case OP_ATTEND: return formula_attend(w->to, n->choice, n->mask, kids[0], kids[1]);
    case OP_MATCH:
        return match_make(w->to, n->choice, n->mask, kids, match_conditions(n), kids[n->kid_count - 2], 0, 0);
    case OP_AT: {
        linear_sum sum;
        sum_init(&sum, w->to->arena, n->constant);
        for (size_t k = 1; k < n->kid_count; k++) sum_add_count(&sum, kids[k], formula_weight(w->f, id, k));
        return formula_read_at(w->to, kids[0], &sum);
    }
    case OP_COMPARE:
    case OP_MODULO: {
        linear_sum sum;
        sum_init(&sum, w->to->arena, n->constant);
        for (size_t k = 0; k < n->kid_count; k++) sum_add_count(&sum, kids[k], formula_weight(w->f, id, k));
        return n->op == OP_COMPARE ? formula_compare(w->to, &sum, n->compare)
                                   : formula_modulo(w->to, &sum, n->modulus, n->compare, n->residue);
    }
    default:
        if (n->kid_count == 0) return formula_atom(w->to, n->op);
        if (n->kid_count == 1) return formula_unary(w->to, n->op, kids[0]);
        return formula_binary(w->to, n->op, kids[0], kids[1]);
    }
}

static node_id other_words_unary(rewriter *w, formula_op op, node_id a) {
    formula *to = w->to;
    node_id yes = formula_atom(to, OP_TRUE), no = formula_atom(to, OP_FALSE);
    switch (op) {
    case OP_NEXT: return not_of(to, formula_unary(to, OP_WEAK_NEXT, not_of(to, a)));
    case OP_WEAK_NEXT: return both(to, OP_OR, formula_atom(to, OP_LAST), formula_unary(to, OP_NEXT, a));
    case OP_YESTERDAY: return not_of(to, formula_unary(to, OP_WEAK_YESTERDAY, not_of(to, a)));
    case OP_WEAK_YESTERDAY: return both(to, OP_OR, formula_atom(to, OP_FIRST), formula_unary(to, OP_YESTERDAY, a));
    case OP_EVENTUALLY: return formula_binary(to, OP_UNTIL, yes, a);
    case OP_ALWAYS: return formula_binary(to, OP_RELEASE, no, a);
    case OP_ONCE: return formula_attend(to, TEMPER_CHOICE_AVERAGE, TEMPER_MASK_UP_TO, a, a);
    case OP_HISTORICALLY: return not_of(to, formula_binary(to, OP_SINCE, yes, not_of(to, a)));
    default: return 0;
    }
}

static node_id other_words_binary(rewriter *w, formula_op op, node_id a, node_id b) {
    formula *to = w->to;
    node_id not_a = not_of(to, a), not_b = not_of(to, b);
    switch (op) {
    case OP_XOR: return not_of(to, formula_binary(to, OP_IFF, a, b));
    case OP_IFF: return formula_binary(to, OP_XOR, not_a, b);
    case OP_IMPLIES: return both(to, OP_OR, not_a, b);
    case OP_UNTIL: /* one step, then the same */
        return both(to, OP_OR, b, both(to, OP_AND, a, formula_unary(to, OP_NEXT, formula_binary(to, op, a, b))));
    case OP_SINCE: /* at the last place without a, or with b, there was b */
        return formula_attend(to, TEMPER_CHOICE_RIGHTMOST, TEMPER_MASK_UP_TO, both(to, OP_OR, not_a, b), b);
    case OP_RELEASE: return not_of(to, formula_binary(to, OP_UNTIL, not_a, not_b));
    case OP_TRIGGERED: return not_of(to, formula_binary(to, OP_SINCE, not_a, not_b));
    case OP_WEAK_UNTIL: return both(to, OP_OR, formula_unary(to, OP_ALWAYS, a), formula_binary(to, OP_UNTIL, a, b));
    case OP_STRONG_RELEASE: return formula_binary(to, OP_UNTIL, b, both(to, OP_AND, a, b));
    default: return 0;
    }
}

static node_id other_words(rewriter *w, node_id id) {
    const formula_node *n = formula_at(w->f, id);
    formula *to = w->to;
    node_id yes = formula_atom(to, OP_TRUE), kids[256], made = 0;
    switch (n->op) {
    case OP_FIRST: return not_of(to, formula_unary(to, OP_YESTERDAY, yes));
    case OP_LAST: return not_of(to, formula_unary(to, OP_NEXT, yes));
    case OP_AND:
    case OP_OR:
        for (size_t k = 0; k < n->kid_count; k++) kids[k] = not_of(to, w->made[formula_kid(w->f, id, k)]);
        return not_of(to, formula_nary(to, n->op == OP_AND ? OP_OR : OP_AND, kids, n->kid_count));
    case OP_MATCH: return w->made[formula_kid(w->f, id, (size_t)n->kid_count - 1)];
    case OP_ATTEND:
        if (n->mask == TEMPER_MASK_BEFORE && n->choice == TEMPER_CHOICE_RIGHTMOST)
            return formula_unary(to, OP_YESTERDAY,
                                 formula_attend(to, n->choice, TEMPER_MASK_UP_TO, w->made[formula_kid(w->f, id, 0)],
                                                w->made[formula_kid(w->f, id, 1)]));
        break;
    default: break;
    }
    if (operator_kids(n->op) == 1) made = other_words_unary(w, n->op, w->made[formula_kid(w->f, id, 0)]);
    if (operator_kids(n->op) == 2 && n->op != OP_ATTEND)
        made = other_words_binary(w, n->op, w->made[formula_kid(w->f, id, 0)], w->made[formula_kid(w->f, id, 1)]);
    if (made) return made;
    return n->op == OP_COUNT_PAST || n->op == OP_COUNT_FUTURE ? plain(w, id) : not_of(to, not_of(to, plain(w, id)));
}

/* Something near. */
static node_id changed(rewriter *w, node_id id) {
    const formula_node *n = formula_at(w->f, id);
    uint32_t letter = (uint32_t)random_below(w->r, w->letters);
    int kids = operator_kids(n->op);
    if (n->op == OP_LETTERS) return formula_letters(w->to, &letter, 1, random_below(w->r, 2));
    if ((kids == 1 || kids == 2) && n->op != OP_ATTEND && n->op != OP_COUNT_PAST && n->op != OP_COUNT_FUTURE)
        for (;;) {
            formula_op op = (formula_op)random_below(w->r, OP_COUNT_OF_OPERATORS);
            if (operator_kids(op) != kids || op == OP_ATTEND || op == OP_COUNT_PAST || op == OP_COUNT_FUTURE)
                continue;
            node_id a = w->made[formula_kid(w->f, id, 0)];
            return kids == 1 ? formula_unary(w->to, op, a)
                             : formula_binary(w->to, op, a, w->made[formula_kid(w->f, id, 1)]);
        }
    return n->op == OP_COUNT_PAST || n->op == OP_COUNT_FUTURE
               ? plain(w, id)
               : both(w->to, OP_AND, plain(w, id), formula_letters(w->to, &letter, 1, true));
}

node_id rewrite(formula *to, const formula *f, node_id root, node_id change, unsigned letters, test_random *r) {
    const unsigned char *marks = formula_reachable(f, root, to->arena);
    rewriter w = {.to = to, .f = f, .letters = letters, .r = r};
    w.made = arena_zalloc(to->arena, (size_t)root + 1, sizeof *w.made);
    for (node_id id = 1; id <= root; id++) {
        if (!marks[id]) continue;
        w.made[id] = id == change ? changed(&w, id) : random_below(r, 3) == 0 ? other_words(&w, id) : plain(&w, id);
    }
    return w.made[root];
}
