/* Language models without an automaton, whose source says what is viable (doc/certificate.md, "Language models"). The
   end is the source's own formula, and a letter may come where what is viable holds after it. What holds after one
   more letter is said before it, operator by operator. */
#include "audit/audit.h"
#include "audit/audit_operator.h"
#include "audit/audit_source_meaning.h"

enum { OPEN_COUNTS = 8 }; /* counts of a sum that a letter does not settle */

typedef struct after {
    const audit *a;
    formula *f;
    uint32_t letter;
    node_id *of;          /* [nodes of the source] after the letter */
    unsigned char *alone; /* [nodes of the source] at the only position of the string of that letter */
} after;

/* ---- connectives ---- */

static node_id constant(const after *x, bool value) { return formula_atom(x->f, value ? OP_TRUE : OP_FALSE); }
static bool is(const after *x, node_id id, formula_op op) { return formula_at(x->f, id)->op == op; }

static node_id not_of(const after *x, node_id p) {
    if (is(x, p, OP_TRUE) || is(x, p, OP_FALSE)) return constant(x, is(x, p, OP_FALSE));
    if (is(x, p, OP_NOT)) return formula_kid(x->f, p, 0);
    return formula_unary(x->f, OP_NOT, p);
}

static node_id both(const after *x, node_id p, node_id q) {
    if (is(x, p, OP_FALSE) || is(x, q, OP_TRUE)) return p;
    if (is(x, q, OP_FALSE) || is(x, p, OP_TRUE)) return q;
    return formula_binary(x->f, OP_AND, p, q);
}

static node_id either(const after *x, node_id p, node_id q) { return not_of(x, both(x, not_of(x, p), not_of(x, q))); }

static node_id one_of(const after *x, node_id p, node_id q) {
    return either(x, both(x, p, not_of(x, q)), both(x, not_of(x, p), q));
}

/* ---- sums of counts ---- */

static bool holds(compare_op op, __int128 sum, __int128 to) { return compare_holds(op, (sum > to) - (sum < to)); }

static bool sum_alone(const after *x, node_id id) {
    const formula_node *n = formula_at(x->f, id);
    __int128 sum = n->constant;
    for (size_t k = 0; k < n->kid_count; k++)
        if (x->alone[formula_kid(x->f, formula_kid(x->f, id, k), 0)]) sum += formula_weight(x->f, id, k);
    if (n->op == OP_COMPARE) return holds(n->compare, sum, 0);
    __int128 m = n->modulus;
    return holds(n->compare, (sum % m + m) % m, n->residue);
}

/* The node with another number added to its sum. */
static node_id moved(const after *x, node_id id, int64_t more) {
    const formula_node n = *formula_at(x->f, id);
    linear_sum sum;
    int64_t start;
    bool fits = !__builtin_add_overflow(n.constant, more, &start) && start != INT64_MIN;
    if (fits) sum_init(&sum, x->a->arena, start);
    for (size_t k = 0; fits && k < n.kid_count; k++)
        fits = sum_add_count(&sum, formula_kid(x->f, id, k), formula_weight(x->f, id, k));
    if (!fits) audit_refuse(x->a, 0, 0, "what is viable has a sum with numbers that are too large");
    return n.op == OP_COMPARE ? formula_compare(x->f, &sum, n.compare)
                              : formula_modulo(x->f, &sum, n.modulus, n.compare, n.residue);
}

/* By cases of what is counted at the letter, where that is not settled. */
static node_id sum_after(const after *x, node_id id) {
    node_id open[OPEN_COUNTS];
    size_t count = 0, kids = formula_at(x->f, id)->kid_count;
    for (size_t k = 0; k < kids; k++) {
        node_id here = x->of[formula_kid(x->f, formula_kid(x->f, id, k), 0)];
        size_t known = 0;
        if (!is(x, formula_kid(x->f, id, k), OP_COUNT_PAST)) audit_refuse(x->a, 0, 0, "what is viable looks forward");
        while (known < count && open[known] != here) known++;
        if (is(x, here, OP_TRUE) || is(x, here, OP_FALSE) || known < count) continue;
        if (count == OPEN_COUNTS) audit_refuse(x->a, 0, 0, "what is viable has a sum of too many counts");
        open[count++] = here;
    }
    node_id all = constant(x, false);
    for (size_t cases = 0; cases < (size_t)1 << count; cases++) {
        node_id here = constant(x, true);
        int64_t more = 0;
        for (size_t k = 0; k < count; k++) here = both(x, here, cases >> k & 1 ? open[k] : not_of(x, open[k]));
        for (size_t k = 0; k < kids; k++) {
            node_id counted = x->of[formula_kid(x->f, formula_kid(x->f, id, k), 0)];
            bool adds = is(x, counted, OP_TRUE);
            for (size_t j = 0; j < count; j++) adds = adds || (open[j] == counted && (cases >> j & 1));
            if (adds && __builtin_add_overflow(more, formula_weight(x->f, id, k), &more))
                audit_refuse(x->a, 0, 0, "what is viable has a sum with numbers that are too large");
        }
        all = either(x, all, both(x, here, moved(x, id, more)));
    }
    return all;
}

/* ---- what goes on holding ---- */

/* The same comparison, which the second has more room for. */
static bool eases(const after *x, node_id p, node_id q) {
    const formula_node *a = formula_at(x->f, p), *b = formula_at(x->f, q);
    if (a->op != OP_COMPARE || b->op != OP_COMPARE || a->compare != b->compare || a->kid_count != b->kid_count)
        return false;
    for (size_t k = 0; k < a->kid_count; k++)
        if (formula_kid(x->f, p, k) != formula_kid(x->f, q, k) ||
            formula_weight(x->f, p, k) != formula_weight(x->f, q, k))
            return false;
    switch (a->compare) {
    case CMP_GE:
    case CMP_GT: return b->constant >= a->constant;
    case CMP_LE:
    case CMP_LT: return b->constant <= a->constant;
    default: return false;
    }
}

static bool has_part(const after *x, node_id p, node_id q) {
    bool found = p == q || eases(x, p, q);
    for (size_t k = 0; is(x, p, OP_AND) && k < formula_at(x->f, p)->kid_count; k++)
        found = found || formula_kid(x->f, p, k) == q || eases(x, formula_kid(x->f, p, k), q);
    return found;
}

/* Whether p, which holds now, shows that q holds after the letter: every part of q is one of p, or an easier one. */
static bool goes_on(const after *x, node_id p, node_id q) {
    node_id *parts = NULL;
    size_t count = 0, capacity = 0;
    array_push(x->a->arena, parts, count, capacity, q);
    while (count > 0) {
        node_id part = parts[--count];
        if (is(x, part, OP_AND)) {
            for (size_t k = 0; k < formula_at(x->f, part)->kid_count; k++)
                array_push(x->a->arena, parts, count, capacity, formula_kid(x->f, part, k));
        } else if (!is(x, part, OP_TRUE) && !has_part(x, p, part)) {
            return false;
        }
    }
    return true;
}

/* ---- one node ---- */

/* A kid after the letter; and at the only position of the string of that letter. */
static node_id then(const after *x, node_id id, size_t kid) { return x->of[formula_kid(x->f, id, kid)]; }
static bool alone(const after *x, node_id id, size_t kid) { return x->alone[formula_kid(x->f, id, kid)]; }

static _Noreturn void not_followed(const after *x) {
    audit_refuse(x->a, 0, 0, "what is viable has an operator that is not followed");
}

static void look_at(after *x, node_id id) {
    const formula_node n = *formula_at(x->f, id);
    node_id *to = &x->of[id];
    unsigned char *only = &x->alone[id];
    audit_operator o = audit_operator_of(n.op);
    if (o.forward) not_followed(x);
    switch (o.reading) {
    case READS_TRUE: *to = id, *only = true; break;
    case READS_FALSE: *to = id, *only = false; break;
    case READS_EDGE: *to = constant(x, false), *only = true; break;
    case READS_LETTERS: *only = formula_has_letter(x->f, id, x->letter), *to = constant(x, *only); break;
    case READS_NOT: *to = not_of(x, then(x, id, 0)), *only = !alone(x, id, 0); break;
    case READS_AND:
        *to = constant(x, true), *only = true;
        for (size_t k = 0; k < n.kid_count; k++) *to = both(x, *to, then(x, id, k)), *only = *only && alone(x, id, k);
        break;
    case READS_OR:
        *to = constant(x, false), *only = false;
        for (size_t k = 0; k < n.kid_count; k++)
            *to = either(x, *to, then(x, id, k)), *only = *only || alone(x, id, k);
        break;
    case READS_IMPLIES:
        *to = either(x, not_of(x, then(x, id, 0)), then(x, id, 1)), *only = !alone(x, id, 0) || alone(x, id, 1);
        break;
    case READS_XOR: *to = one_of(x, then(x, id, 0), then(x, id, 1)), *only = alone(x, id, 0) ^ alone(x, id, 1); break;
    case READS_IFF:
        *to = not_of(x, one_of(x, then(x, id, 0), then(x, id, 1))), *only = !(alone(x, id, 0) ^ alone(x, id, 1));
        break;
    case READS_STEP: *to = formula_kid(x->f, id, 0), *only = false; break;
    case READS_WEAK_STEP: *to = formula_kid(x->f, id, 0), *only = true; break;
    case READS_SOMEWHERE: *to = either(x, then(x, id, 0), id), *only = alone(x, id, 0); break;
    case READS_EVERYWHERE:
        *to = goes_on(x, formula_kid(x->f, id, 0), then(x, id, 0)) ? id : both(x, then(x, id, 0), id);
        *only = alone(x, id, 0);
        break;
    case READS_SINCE: *to = either(x, then(x, id, 1), both(x, then(x, id, 0), id)), *only = alone(x, id, 1); break;
    case READS_TRIGGERED:
        *to = both(x, then(x, id, 1), either(x, then(x, id, 0), id)), *only = alone(x, id, 1);
        break;
    case READS_COMPARE:
    case READS_MODULO: *to = sum_after(x, id), *only = sum_alone(x, id); break;
    case READS_COUNT: break; /* its sums look at what it counts */
    default: not_followed(x);
    }
}

void audit_viable(audit *a, temper_spec *source, const audit_request *request) {
    size_t letters = a->model->letters.count, before = source->graph.count;
    if (!source->viable) audit_refuse(a, 0, 0, "the model's source does not say what is viable");
    if (source->at != TEMPER_AT_LAST) audit_refuse(a, 0, 0, "the model's source is read at the first position");
    const unsigned char *marks = formula_reachable(&source->graph, source->viable, a->arena);
    after x = {.a = a, .f = &source->graph};
    x.of = arena_zalloc(a->arena, before, sizeof *x.of);
    x.alone = arena_zalloc(a->arena, before, 1);
    source->outputs = arena_zalloc(a->arena, letters + 1, sizeof *source->outputs);
    source->memory.trap = a->trap; /* nodes are made in its graph */
    for (x.letter = 0; x.letter < letters; x.letter++) {
        for (node_id id = 1; id <= source->viable; id++)
            if (marks[id]) look_at(&x, id);
        source->outputs[x.letter] =
            (spec_output){.root = x.of[source->viable], .accepts_empty = x.alone[source->viable]};
    }
    source->memory.trap = NULL;
    source->outputs[letters] = (spec_output){.root = source->root, .accepts_empty = source->accepts_empty};
    source->output_count = letters + 1;
    const dd *meanings = source_meanings(&a->meaning, source, NULL, a->arena);
    for (size_t k = 0; k <= letters; k++) {
        a->outputs[k].meaning = meanings[source->outputs[k].root];
        a->outputs[k].empty = source->outputs[k].accepts_empty;
    }
    a->viable = true;
    audit_viable_scores(a, source, request);
}
