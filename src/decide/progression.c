/* With prog for "after letter x", by the recurrences of the evaluator:

       prog(letters)    is x one of them                 prog(Y a) = prog(Z a) = a
       prog(O a)        O a | prog a                     prog(H a) = H a & prog a; H a, if a implies prog a
       prog(a S b)      prog b | (prog a & a S b)        prog(a T b) = prog b & (prog a | a T b)
       prog(#[a])       #[a] + 1 if prog a, else #[a]
       prog(first)      false: there is a letter already

   The row before the first letter has no node: whoever asks evaluates the string of one letter. */
#include "decide/progression.h"

#include "automata/dfa.h"
#include "logic/core.h"

#include <string.h>

static bool is_constant(const formula *f, node_id x, bool value) {
    return formula_at(f, x)->op == (value ? OP_TRUE : OP_FALSE);
}

static node_id constant(formula *f, bool value) { return formula_atom(f, value ? OP_TRUE : OP_FALSE); }

node_id logic_not(formula *f, node_id x) {
    const formula_node *n = formula_at(f, x);
    if (n->op == OP_NOT) return formula_kid(f, x, 0);
    if (n->op == OP_TRUE || n->op == OP_FALSE) return constant(f, n->op == OP_FALSE);
    return formula_unary(f, OP_NOT, x);
}

static node_id connect(formula *f, formula_op op, node_id x, node_id y) {
    bool settles = op == OP_OR; /* the constant that decides */
    if (is_constant(f, x, settles) || is_constant(f, y, settles)) return constant(f, settles);
    if (is_constant(f, x, !settles) || x == y) return y;
    if (is_constant(f, y, !settles)) return x;
    return formula_binary(f, op, x, y);
}

node_id logic_and(formula *f, node_id x, node_id y) { return connect(f, OP_AND, x, y); }
node_id logic_or(formula *f, node_id x, node_id y) { return connect(f, OP_OR, x, y); }

static node_id logic_xor(formula *f, node_id x, node_id y) {
    if (is_constant(f, x, false)) return y;
    if (is_constant(f, y, false)) return x;
    if (is_constant(f, x, true)) return logic_not(f, y);
    if (is_constant(f, y, true)) return logic_not(f, x);
    return formula_binary(f, OP_XOR, x, y);
}

/* ---- what follows from what, as far as forms show ---- */

/* A comparison with less to spare implies the same one with more. */
static bool sum_implies(const formula *f, node_id x, node_id y) {
    const formula_node *a = formula_at(f, x), *b = formula_at(f, y);
    if (a->op != OP_COMPARE || b->op != OP_COMPARE || a->compare != b->compare || a->kid_count != b->kid_count)
        return false;
    for (size_t k = 0; k < a->kid_count; k++)
        if (formula_kid(f, x, k) != formula_kid(f, y, k) || formula_weight(f, x, k) != formula_weight(f, y, k))
            return false;
    bool up = a->compare == CMP_GE || a->compare == CMP_GT, down = a->compare == CMP_LE || a->compare == CMP_LT;
    return (up && a->constant <= b->constant) || (down && a->constant >= b->constant);
}

static bool part_implies(const formula *f, node_id x, node_id y) {
    if (x == y || is_constant(f, y, true) || sum_implies(f, x, y)) return true;
    if (formula_at(f, x)->op != OP_AND) return false;
    for (size_t k = 0; k < formula_at(f, x)->kid_count; k++)
        if (formula_kid(f, x, k) == y || sum_implies(f, formula_kid(f, x, k), y)) return true;
    return false;
}

/* Every part of y follows from x, or from a part of it. */
static bool implies(const formula *f, node_id x, node_id y, arena *scratch) {
    node_id *rest = NULL;
    size_t count = 0, capacity = 0;
    array_push(scratch, rest, count, capacity, y);
    while (count) {
        y = rest[--count];
        if (formula_at(f, y)->op != OP_AND && !part_implies(f, x, y)) return false;
        for (size_t k = 0; formula_at(f, y)->op == OP_AND && k < formula_at(f, y)->kid_count; k++)
            array_push(scratch, rest, count, capacity, formula_kid(f, y, k));
    }
    return true;
}

typedef struct progression {
    formula *f;
    node_id *of; /* [nodes before] after the letter */
    uint32_t letter;
    arena *scratch;
} progression;

static node_id after_kid(const progression *p, node_id id, size_t k) { return p->of[formula_kid(p->f, id, k)]; }

static _Noreturn void refuse(const progression *p, node_id id) {
    const formula_note *note = &p->f->notes[id];
    const char *spelling = operator_spelling(formula_at(p->f, id)->op);
    trap_raise_hint(p->scratch->trap, TEMPER_UNSUPPORTED, note->line, note->column,
                    "use operators that look back: Y O H S, and # for counts",
                    "what comes next must be known from what was read, but %s%s%s looks forward",
                    *spelling ? "'" : "", *spelling ? spelling : "the attention here", *spelling ? "'" : "");
}

/* ---- sums of counts ---- */

/* The operands of counts that the letter does not settle, each once. */
typedef struct doubts {
    node_id *nodes; /* after the letter */
    size_t count;
} doubts;

static doubts find_doubts(const progression *p, node_id id) {
    const formula *f = p->f;
    size_t kids = formula_at(f, id)->kid_count;
    doubts d = {.nodes = arena_alloc(p->scratch, kids + 1, sizeof *d.nodes)};
    for (size_t k = 0; k < kids; k++) {
        node_id x = after_kid(p, formula_kid(f, id, k), 0);
        bool known = is_constant(f, x, true) || is_constant(f, x, false);
        for (size_t i = 0; i < d.count && !known; i++) known = d.nodes[i] == x;
        if (!known) d.nodes[d.count++] = x;
    }
    return d;
}

/* The comparison with what the letter adds, where bit k of `yes` says whether doubt k holds. */
static node_id sum_after(const progression *p, node_id id, const doubts *d, size_t yes) {
    formula *f = p->f;
    formula_node n = *formula_at(f, id);
    linear_sum sum, more;
    sum_init(&sum, p->scratch, n.constant);
    bool fits = true;
    for (size_t k = 0; k < n.kid_count; k++) {
        node_id count = formula_kid(f, id, k), x = after_kid(p, count, 0);
        bool adds = is_constant(f, x, true);
        for (size_t i = 0; i < d->count; i++) adds = adds || (d->nodes[i] == x && (yes >> i & 1));
        sum_init(&more, p->scratch, adds ? formula_weight(f, id, k) : 0);
        fits = fits && sum_add(&sum, &more, 1) && sum_add_count(&sum, count, formula_weight(f, id, k));
    }
    if (!fits)
        trap_raise(p->scratch->trap, TEMPER_LIMIT, f->notes[id].line, f->notes[id].column,
                   "a coefficient that does not fit in 64 bits, after one more letter was counted");
    return n.op == OP_COMPARE ? formula_compare(f, &sum, n.compare)
                              : formula_modulo(f, &sum, n.modulus, n.compare, n.residue);
}

static node_id sum_by_cases(const progression *p, node_id id) {
    formula *f = p->f;
    doubts d = find_doubts(p, id);
    if (d.count >= sizeof(size_t) * 8 - 1 || (size_t)1 << d.count > PROGRESSION_CASES)
        trap_raise(p->scratch->trap, TEMPER_LIMIT, f->notes[id].line, f->notes[id].column,
                   "a sum of %zu counts of what one more letter does not settle; at most %d cases are written out",
                   d.count, PROGRESSION_CASES);
    node_id all = constant(f, false);
    for (size_t yes = 0; yes < (size_t)1 << d.count; yes++) {
        node_id this = sum_after(p, id, &d, yes);
        for (size_t k = 0; k < d.count; k++)
            this = logic_and(f, yes >> k & 1 ? d.nodes[k] : logic_not(f, d.nodes[k]), this);
        all = logic_or(f, all, this);
    }
    return all;
}

/* ---- attention, languages ---- */

/* Candidates up to i are known; the new position is one more, on the right of all. */
static node_id attend_after(const progression *p, node_id id) {
    formula *f = p->f;
    formula_node n = *formula_at(f, id);
    node_id where = formula_kid(f, id, 0), value = formula_kid(f, id, 1);
    if (n.mask != TEMPER_MASK_BEFORE && n.mask != TEMPER_MASK_UP_TO) refuse(p, id);
    node_id known = formula_attend(f, n.choice, TEMPER_MASK_UP_TO, where, value);
    if (n.mask == TEMPER_MASK_BEFORE) return known;
    node_id here = p->of[where], both = logic_and(f, here, p->of[value]);
    if (n.choice == TEMPER_CHOICE_AVERAGE) return logic_or(f, known, here);
    if (n.choice == TEMPER_CHOICE_RIGHTMOST) return logic_or(f, both, logic_and(f, logic_not(f, here), known));
    node_id none = logic_not(f, formula_unary(f, OP_ONCE, where));
    return logic_or(f, known, logic_and(f, none, both));
}

/* The states from which the letter leads into the language. */
static node_id matches_after(const progression *p, node_id id) {
    formula *f = p->f;
    formula_language l = f->languages[formula_at(f, id)->set];
    const dfa *d = l.kind == LANGUAGE_STATES ? l.machine : l.automaton;
    const unsigned char *in = l.kind == LANGUAGE_STATES ? l.states : d->accepts;
    unsigned char *states = arena_alloc(f->arena, d->state_count, 1);
    for (uint32_t q = 0; q < d->state_count; q++) states[q] = in[dfa_next(d, q, d->class_of[p->letter])];
    text name;
    text_init(&name, f->arena);
    text_printf(&name, "(%.*s after letter %u)", (int)(l.source_length > 40 ? 40 : l.source_length), l.source,
                p->letter + 1);
    return formula_states(f, d, states, text_string(&name));
}

static node_id node_after(const progression *p, node_id id) {
    formula *f = p->f;
    formula_node n = *formula_at(f, id);
    node_id x = n.kid_count > 0 ? after_kid(p, id, 0) : 0, y = n.kid_count > 1 ? after_kid(p, id, 1) : 0;
    core c = core_of(n.op);
    if (c.forward) refuse(p, id);
    switch (c.kind) {
    case CORE_CONSTANT:
    case CORE_COUNT: return id; /* the sum above a count asks what is counted */
    case CORE_EDGE: return constant(f, false);
    case CORE_LETTERS: return constant(f, formula_has_letter(f, id, p->letter));
    case CORE_NOT: return logic_not(f, x);
    case CORE_GATE:
        for (size_t k = 1; k < n.kid_count; k++) x = connect(f, n.op, x, after_kid(p, id, k));
        return x ? x : id;
    case CORE_XOR: x = logic_xor(f, x, y); return c.all ? logic_not(f, x) : x;
    case CORE_IMPLIES: return logic_or(f, logic_not(f, x), y);
    case CORE_STEP: return formula_kid(f, id, 0);
    case CORE_RANGE:
        if (!c.all) return logic_or(f, id, x);
        /* a holds now, if it has held so far */
        return implies(f, formula_kid(f, id, 0), x, p->scratch) ? id : logic_and(f, id, x);
    case CORE_SINCE: return c.all ? logic_and(f, y, logic_or(f, x, id)) : logic_or(f, y, logic_and(f, x, id));
    case CORE_COMPARE:
    case CORE_MODULO: return sum_by_cases(p, id);
    case CORE_ATTEND: return attend_after(p, id);
    case CORE_MATCH: return after_kid(p, id, n.kid_count - 1); /* the same in other operators */
    case CORE_LANGUAGE: return matches_after(p, id);
    case CORE_AT:
        trap_raise(p->scratch->trap, TEMPER_UNSUPPORTED, f->notes[id].line, f->notes[id].column,
                   "what comes next must be a formula of what was read, and none is known for '@' one letter later");
    }
    return 0;
}

node_id formula_after(formula *f, node_id root, uint32_t letter, arena *scratch) {
    progression p = {.f = f, .letter = letter, .scratch = scratch};
    unsigned char *marks = formula_reachable(f, root, scratch);
    p.of = arena_zalloc(scratch, (size_t)root + 1, sizeof *p.of);
    for (node_id id = 1; id <= root; id++)
        if (marks[id]) p.of[id] = node_after(&p, id);
    return p.of[root];
}
