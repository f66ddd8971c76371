/* From functions back to formulas: each function is written the way it came about, if that is known, else case by
   case. Operators are those of the specification syntax, so that the text can be parsed again. */
#include <string.h>

#include "logic/formula_print.h"
#include "logic/value_cases.h"
#include "recognise/recognise_work.h"

enum { READ_OFF_NODES = 1 << 18 }; /* more are not written down */

typedef struct writing {
    recognising *w;
    decisions *d;
    questions *q;
    formula *f;
    node_id *node;          /* [fn] 0: not made */
    unsigned char *needed;  /* [fn] */
    const uint32_t *origin; /* [fn] index of its origin + 1; 0: none */
    fn most;                /* fns up to here existed when writing began */
} writing;

/* ---- which way a function is written ---- */

typedef enum way { WAY_LEAF, WAY_LOOSE, WAY_STRICT, WAY_GATE, WAY_CASES } way;

/* The question that this function answers; NULL: none. */
static const question *strict_question_of(const writing *t, fn f) {
    const decision_node *n = decision_at(t->d, f);
    const uint32_t *as = table_find(&t->q->asked_as, &f, sizeof f);
    if (as) return &t->q->asked[*as];
    bool plain = n->count == 2 && n->runs[0].to == FN_FALSE && n->runs[1].to == FN_TRUE;
    return plain ? &t->q->asked[n->variable] : NULL;
}

/* The strict question of "or here". */
static const question *loose_question_of(const writing *t, fn f) {
    for (int forward = 0; forward < 2; forward++) {
        const uint32_t *known = table_find(&t->q->loose_index[forward], &f, sizeof f);
        fn strict = known ? t->q->loose[*known].strict : 0;
        if (!strict || fn_is_leaf(t->d, strict) || strict > f) continue;
        const question *asked = strict_question_of(t, strict);
        if (asked && (asked->kind == ASK_EXISTS || asked->kind == ASK_NEAREST)) return asked;
    }
    return NULL;
}

typedef enum gate_kind { GATE_NONE, GATE_AND, GATE_OR, GATE_XOR, GATE_IFF } gate_kind;

/* Which connective of its inputs a gate is. */
static gate_kind gate_of(const writing *t, const origin *o) {
    fn *parts = arena_alloc(t->w->arena, o->count, sizeof *parts);
    memcpy(parts, o->parts, o->count * sizeof *parts);
    if (fn_and_all(t->d, parts, o->count) == o->result) return GATE_AND;
    if (fn_or_all(t->d, parts, o->count) == o->result) return GATE_OR;
    if (o->count != 2) return GATE_NONE;
    fn x = fn_xor(t->d, parts[0], parts[1]);
    return x == o->result ? GATE_XOR : fn_not(t->d, x) == o->result ? GATE_IFF : GATE_NONE;
}

static const origin *origin_of(const writing *t, fn f) {
    return t->origin[f] ? &t->w->origins[t->origin[f] - 1] : NULL;
}

static way way_of(const writing *t, fn f) {
    const decision_node *n = decision_at(t->d, f);
    if (n->variable == DECISION_LEAF) return WAY_LEAF;
    if (n->letters) return WAY_CASES;
    if (loose_question_of(t, f)) return WAY_LOOSE;
    if (table_find(&t->q->asked_as, &f, sizeof f)) return WAY_STRICT;
    return origin_of(t, f) ? WAY_GATE : WAY_CASES;
}

/* ---- what must be written before ---- */

static void need(writing *t, fn f) {
    if (f) t->needed[f] = 1;
}

static void need_counts(writing *t, count_id id) {
    const count_form *c = count_at(&t->q->counts, id);
    for (size_t k = 0; k < c->count; k++) need(t, c->terms[k].f);
}

static void need_question(writing *t, const question *asked) {
    need(t, asked->x);
    need(t, asked->y);
    need_counts(t, asked->past);
    need_counts(t, asked->future);
}

static void need_parts(writing *t, fn f) {
    const decision_node *n = decision_at(t->d, f);
    const origin *o = origin_of(t, f);
    switch (way_of(t, f)) {
    case WAY_LEAF: break;
    case WAY_LOOSE: need_question(t, loose_question_of(t, f)); break;
    case WAY_STRICT: need_question(t, strict_question_of(t, f)); break;
    case WAY_GATE:
        for (size_t k = 0; k < o->count; k++) need(t, o->parts[k]);
        break;
    case WAY_CASES:
        for (size_t k = 0; k < n->count; k++) need(t, n->runs[k].to);
        if (!n->letters) need_question(t, &t->q->asked[n->variable]);
    }
}

/* ---- connectives ---- */

static node_id not_of(writing *t, node_id x) {
    const formula_node *n = formula_at(t->f, x);
    if (n->op != OP_LETTERS) return formula_fold_not(t->f, x);
    size_t letters = t->w->m->letters.count, words = (letters + 63) / 64;
    uint64_t *bits = arena_zalloc(t->w->arena, words, sizeof *bits);
    for (uint32_t l = 0; l < letters; l++)
        if (!formula_has_letter(t->f, x, l)) bits[l / 64] |= (uint64_t)1 << (l % 64);
    return formula_letter_set(t->f, &(letter_set){.bits = bits, .words = (uint32_t)words});
}

static node_id nary(writing *t, formula_op op, node_id *kids, size_t count) {
    if (count == 2) return formula_fold_binary(t->f, op, kids[0], kids[1]);
    return formula_nary(t->f, op, kids, count);
}

static node_id unary(writing *t, formula_op op, node_id x) { return formula_unary(t->f, op, x); }

/* ---- questions ---- */

/* y at the nearest position with x: "x or y never since y" is any p S y with p between "not x" and "not x, or y". If
   x is written as "y or z" then p = not z reads best. */
static node_id nearest(writing *t, const question *a) {
    node_id x = t->node[a->x], y = t->node[a->y], p = not_of(t, x);
    const formula_node *n = formula_at(t->f, x);
    if (n->op == OP_OR && n->kid_count == 2 && formula_kid(t->f, x, 0) == y) p = not_of(t, formula_kid(t->f, x, 1));
    if (n->op == OP_OR && n->kid_count == 2 && formula_kid(t->f, x, 1) == y) p = not_of(t, formula_kid(t->f, x, 0));
    return formula_binary(t->f, a->forward ? OP_UNTIL : OP_SINCE, p, y);
}

static node_id loose(writing *t, const question *a) {
    if (a->kind == ASK_NEAREST) return nearest(t, a);
    return unary(t, a->forward ? OP_EVENTUALLY : OP_ONCE, t->node[a->x]);
}

static void add_count(writing *t, linear_sum *sum, formula_op direction, node_id counted, double weight) {
    if (!sum_add_count(sum, formula_unary(t->f, direction, counted), (int64_t)weight))
        trap_raise(t->w->arena->trap, TEMPER_LIMIT, 0, 0, "coefficients that do not fit in 64 bits");
}

/* Letters that add the same are counted together. */
static void add_counts(writing *t, linear_sum *sum, count_id id, bool forward) {
    const count_form *c = count_at(&t->q->counts, id);
    formula_op op = forward ? OP_COUNT_FUTURE : OP_COUNT_PAST;
    const decision_node *n = decision_at(t->d, c->letters);
    if (n->variable == DECISION_LEAF && n->value != 0) add_count(t, sum, op, formula_atom(t->f, OP_TRUE), n->value);
    table done;
    table_init(&done, t->w->arena);
    for (size_t k = 0; n->variable != DECISION_LEAF && k < n->count; k++) {
        const fn *to = &n->runs[k].to;
        bool fresh;
        table_put(&done, to, sizeof *to, 1, &fresh);
        if (!fresh || *to == FN_FALSE) continue;
        size_t words = (t->w->m->letters.count + 63) / 64;
        uint64_t *bits = arena_zalloc(t->w->arena, words, sizeof *bits);
        uint32_t from = 0;
        for (size_t r = 0; r < n->count; from = n->runs[r++].end)
            for (uint32_t l = from; n->runs[r].to == *to && l < n->runs[r].end; l++)
                bits[l / 64] |= (uint64_t)1 << (l % 64);
        node_id set = formula_letter_set(t->f, &(letter_set){.bits = bits, .words = (uint32_t)words});
        add_count(t, sum, op, set, decision_at(t->d, *to)->value);
    }
    for (size_t k = 0; k < c->count; k++) add_count(t, sum, op, t->node[c->terms[k].f], c->terms[k].weight);
}

static node_id modulo(writing *t, const question *a, int64_t factor, int64_t add, compare_op op, int64_t rest) {
    linear_sum sum;
    sum_init(&sum, t->w->arena, add);
    add_count(t, &sum, a->forward ? OP_COUNT_FUTURE : OP_COUNT_PAST, t->node[a->x], (double)factor);
    return formula_modulo(t->f, &sum, a->modulus, op, rest);
}

static node_id strict(writing *t, const question *a) {
    formula_op step = a->forward ? OP_NEXT : OP_YESTERDAY;
    linear_sum sum;
    switch (a->kind) {
    case ASK_EDGE: return formula_atom(t->f, a->forward ? OP_LAST : OP_FIRST);
    case ASK_STEP: return unary(t, step, t->node[a->x]);
    case ASK_EXISTS:
    case ASK_NEAREST: return unary(t, step, loose(t, a));
    case ASK_SUM:
        sum_init(&sum, t->w->arena, (int64_t)a->constant);
        add_counts(t, &sum, a->past, false);
        add_counts(t, &sum, a->future, true);
        return formula_compare(t->f, &sum, CMP_GE);
    case ASK_READ:
        sum_init(&sum, t->w->arena, (int64_t)a->constant);
        add_counts(t, &sum, a->past, false);
        add_counts(t, &sum, a->future, true);
        if (a->factor) { /* n + 1 */
            add_count(t, &sum, OP_COUNT_PAST, formula_atom(t->f, OP_TRUE), (double)a->factor);
            add_count(t, &sum, OP_COUNT_FUTURE, formula_atom(t->f, OP_TRUE), (double)a->factor);
        }
        return formula_read_at(t->f, t->node[a->y], &sum);
    case ASK_TEST: return modulo(t, a, a->factor, a->add, a->at_most ? CMP_LE : CMP_EQ, a->remainder);
    case ASK_LETTER:
    case ASK_UNSAID: /* of the source only */
    case ASK_REMAINDER: break;
    }
    return 0;
}

/* ---- cases ---- */

/* The values of all runs that go to one place, as a condition. */
static node_id values(writing *t, const decision_node *n, fn to) {
    const question *a = &t->q->asked[n->variable];
    uint32_t from = 0, size = t->d->sizes[n->variable];
    if (n->variable == DECISION_LETTER) {
        size_t words = (size + 63) / 64;
        uint64_t *bits = arena_zalloc(t->w->arena, words, sizeof *bits);
        for (size_t r = 0; r < n->count; from = n->runs[r++].end)
            for (uint32_t l = from; n->runs[r].to == to && l < n->runs[r].end; l++)
                bits[l / 64] |= (uint64_t)1 << (l % 64);
        return formula_letter_set(t->f, &(letter_set){.bits = bits, .words = (uint32_t)words});
    }
    if (a->kind != ASK_REMAINDER) {
        node_id x = strict(t, a);
        return n->runs[1].to == to ? x : not_of(t, x);
    }
    node_id *kids = arena_alloc(t->w->arena, n->count, sizeof *kids);
    size_t count = 0;
    for (size_t r = 0; r < n->count; from = n->runs[r++].end) {
        uint32_t last = n->runs[r].end - 1;
        if (n->runs[r].to != to) continue;
        if (from == last)
            kids[count++] = modulo(t, a, 1, 0, CMP_EQ, from);
        else if (from == 0)
            kids[count++] = modulo(t, a, 1, 0, CMP_LE, last);
        else if (last + 1 == size)
            kids[count++] = modulo(t, a, 1, 0, CMP_GE, from);
        else {
            node_id both[2] = {modulo(t, a, 1, 0, CMP_GE, from), modulo(t, a, 1, 0, CMP_LE, last)};
            kids[count++] = nary(t, OP_AND, both, 2);
        }
    }
    return nary(t, OP_OR, kids, count);
}

static node_id cases_of(writing *t, const decision_node *n) {
    node_id *kids = arena_alloc(t->w->arena, n->count, sizeof *kids);
    size_t count = 0;
    bool two = n->count == 2;
    table done;
    table_init(&done, t->w->arena);
    for (size_t k = 0; k < n->count; k++) {
        const fn *to = &n->runs[k].to;
        bool fresh;
        table_put(&done, to, sizeof *to, 1, &fresh);
        if (!fresh || *to == FN_FALSE) continue;
        node_id yes = t->node[*to];
        fn other = two ? n->runs[1 - k].to : 0;
        /* c ? x : true is !c | x, and c ? true : x is c | x */
        node_id pair[2] = {values(t, n, *to), yes};
        if (other == FN_TRUE) {
            pair[0] = values(t, n, FN_TRUE);
            return nary(t, OP_OR, pair, 2);
        }
        kids[count++] = nary(t, OP_AND, pair, 2);
    }
    return nary(t, OP_OR, kids, count);
}

static node_id gate(writing *t, const origin *o) {
    static const formula_op ops[] = {OP_TRUE, OP_AND, OP_OR, OP_XOR, OP_IFF};
    node_id *kids = arena_alloc(t->w->arena, o->count, sizeof *kids);
    for (size_t k = 0; k < o->count; k++) kids[k] = t->node[o->parts[k]];
    return nary(t, ops[gate_of(t, o)], kids, o->count);
}

/* "Not" of something that is written already; else 0. */
static node_id negation(writing *t, fn f) {
    fn other = fn_not(t->d, f);
    return other < f && t->node[other] ? not_of(t, t->node[other]) : 0;
}

static node_id write_fn(writing *t, fn f) {
    switch (way_of(t, f)) {
    case WAY_LEAF: return formula_atom(t->f, f == FN_TRUE ? OP_TRUE : OP_FALSE);
    case WAY_LOOSE: return loose(t, loose_question_of(t, f));
    case WAY_STRICT: return strict(t, strict_question_of(t, f));
    case WAY_GATE: return gate(t, origin_of(t, f));
    case WAY_CASES: break;
    }
    node_id shorter = decision_at(t->d, f)->letters ? 0 : negation(t, f);
    return shorter ? shorter : cases_of(t, decision_at(t->d, f));
}

/* ---- all of it ---- */

/* A gate is written as one if its inputs were there before it. */
static const uint32_t *list_origins(writing *t) {
    uint32_t *of = arena_zalloc(t->w->arena, (size_t)t->most + 1, sizeof *of);
    for (size_t k = 0; k < t->w->origin_count; k++) {
        const origin *o = &t->w->origins[k];
        bool earlier = o->count > 1 && !of[o->result];
        for (size_t p = 0; p < o->count; p++) earlier = earlier && o->parts[p] < o->result;
        if (earlier && gate_of(t, o) != GATE_NONE) of[o->result] = (uint32_t)k + 1;
    }
    return of;
}

const char *read_off(recognising *w, fn answer) {
    formula graph;
    formula_init(&graph, w->arena);
    writing t = {.w = w, .d = &w->q.d, .q = &w->q, .f = &graph, .most = (fn)w->q.d.count - 1};
    t.origin = list_origins(&t);
    t.node = arena_zalloc(w->arena, w->q.d.count, sizeof *t.node);
    t.needed = arena_zalloc(w->arena, w->q.d.count, 1);
    need(&t, answer);
    for (fn f = answer; f > 0; f--)
        if (t.needed[f]) need_parts(&t, f);
    size_t limit = w->q.d.count;
    for (fn f = 1; f <= answer; f++) {
        if (!t.needed[f]) continue;
        t.node[f] = write_fn(&t, f);
        if (graph.count > READ_OFF_NODES || w->q.d.count > 4 * limit + READ_OFF_NODES) return NULL;
    }
    /* letters that are blanks are named by a line of the text only */
    bool blank = false;
    for (size_t k = 0; k < w->m->letters.count; k++) blank = blank || strchr(" \t\r\n", w->m->letters.letters[k][0]);
    temper_spec spec = {.graph = graph, .root = t.node[answer], .letters = w->m->letters, .at = w->m->at};
    text out;
    text_init(&out, w->arena);
    if (blank)
        spec_print(&out, &spec);
    else
        spec_print_formula(&out, &spec);
    while (out.length && out.data[out.length - 1] == '\n') out.data[--out.length] = 0;
    return text_string(&out);
}
