#include "compile/normal_form.h"

#include "compile/normal_nodes.h"
#include "compile/normal_place.h"

/* A literal: a node of the source, possibly negated. */
typedef struct literal {
    node_id id;
    bool negated;
} literal;

typedef struct simplifier {
    normal_maker make;
    const formula *source;
    node_id *of;
    uint32_t *uses;        /* [source.count] edges from reachable parents */
    unsigned char *needed; /* [source.count] gets a normal node of its own */
    literal *stack;        /* scratch of gather */
    size_t stack_count, stack_capacity;
    literal *leaves;
    size_t leaf_count, leaf_capacity;
    node_id *operands; /* scratch of gate_from */
    size_t operand_count, operand_capacity;
} simplifier;

/* ---- patterns ---- */

static bool is_constant(const simplifier *s, node_id x) {
    return normal_op(&s->make, x) == OP_TRUE || normal_op(&s->make, x) == OP_FALSE;
}

/* A head that looks for the pattern of i takes the nearest one, and a sentinel stands for "none". */
static bool is_head(const formula_node *n) {
    bool past = n->mask == TEMPER_MASK_BEFORE || n->mask == TEMPER_MASK_UP_TO;
    return n->mask != TEMPER_MASK_ALL && (n->choice == TEMPER_CHOICE_RIGHTMOST) == past;
}

static node_id make_match(simplifier *s, node_id id) {
    const formula_node *n = formula_at(s->source, id);
    size_t given = (n->kid_count - 2) / 2, count = 0, fixed = 0;
    node_id *kids = arena_alloc(s->make.arena, 2 * given + 1, sizeof *kids);
    node_id *where = arena_alloc(s->make.arena, given, sizeof *where),
            value = s->of[formula_kid(s->source, id, 2 * given)];
    for (size_t k = 0; k < given; k++) {
        node_id there = s->of[formula_kid(s->source, id, 2 * k)], here = s->of[formula_kid(s->source, id, 2 * k + 1)];
        if (is_constant(s, here)) {
            where[fixed++] = normal_op(&s->make, here) == OP_TRUE ? there : normal_not(&s->make, there);
            continue;
        }
        kids[2 * count] = there;
        kids[2 * count++ + 1] = here;
    }
    node_id candidates = normal_gate(&s->make, OP_AND, where, fixed); /* where what is asked does not depend on i */
    if (normal_op(&s->make, candidates) == OP_FALSE || normal_op(&s->make, value) == OP_FALSE)
        return normal_constant(&s->make, false);
    if (!count)
        return normal_nearest(&s->make, n->choice, n->mask, candidates, normal_and(&s->make, candidates, value));
    if (normal_op(&s->make, candidates) != OP_TRUE) {
        kids[2 * count] = candidates;
        kids[2 * count++ + 1] = normal_constant(&s->make, true);
    }
    kids[2 * count] = value;
    return formula_match(s->make.g, n->choice, n->mask, kids, 2 * count + 1);
}

/* ---- counting ---- */

/* The sum of a COMPARE, MODULO or AT node with its counts over normal nodes. */
static linear_sum sum_of(simplifier *s, node_id id) {
    const formula *f = s->source;
    const formula_node *n = formula_at(f, id);
    linear_sum sum;
    sum_init(&sum, s->make.arena, n->constant);
    for (size_t k = n->op == OP_AT; k < n->kid_count; k++) { /* AT's first kid is no count */
        node_id count = formula_kid(f, id, k), what = s->of[formula_kid(f, count, 0)];
        if (normal_op(&s->make, what) == OP_FALSE) continue;
        if (!sum_add_count(&sum, formula_unary(s->make.g, formula_at(f, count)->op, what), formula_weight(f, id, k)))
            trap_raise(s->make.arena->trap, TEMPER_LIMIT, f->notes[id].line, f->notes[id].column,
                       "a coefficient that does not fit in 64 bits, after equal counts were added up");
    }
    return sum;
}

static node_id make_compare(simplifier *s, node_id id) {
    linear_sum sum = sum_of(s, id);
    return normal_compare(&s->make, &sum, formula_at(s->source, id)->compare, &s->source->notes[id]);
}

static node_id make_modulo(simplifier *s, node_id id) {
    const formula_node *n = formula_at(s->source, id);
    linear_sum sum = sum_of(s, id);
    return normal_modulo(&s->make, &sum, n->modulus, n->compare, n->residue);
}

/* x at a computed position */
static node_id make_read(simplifier *s, node_id id, node_id x) {
    linear_sum sum = sum_of(s, id);
    node_id read = 0;
    if (normal_op(&s->make, x) == OP_FALSE) return x;
    switch (normal_place(&read, s->make.g, x, &sum, &s->source->notes[id])) {
    case PLACE_READ: return read;
    case PLACE_HERE: return x;
    case PLACE_BEFORE: return normal_step(&s->make, true, x);
    case PLACE_AFTER: return normal_step(&s->make, false, x);
    case PLACE_NOWHERE: break;
    }
    return normal_constant(&s->make, false);
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
    array_push(s->make.arena, s->stack, s->stack_count, s->stack_capacity, (literal){id, negated});
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
            array_push(s->make.arena, s->leaves, s->leaf_count, s->leaf_capacity, x);
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
            bool match = n->op == OP_MATCH, head = match && s->make.use.match && is_head(n);
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
        if (s->leaves[k].negated) x = normal_not(&s->make, x);
        array_push(s->make.arena, s->operands, s->operand_count, s->operand_capacity, x);
    }
    return normal_gate(&s->make, op, s->operands, s->operand_count);
}

/* requires the kids' normal nodes */
static node_id normal_of(simplifier *s, node_id id) {
    const formula_node *n = formula_at(s->source, id);
    node_id x = n->kid_count > 0 ? s->of[formula_kid(s->source, id, 0)] : 0;
    node_id y = n->kid_count > 1 ? s->of[formula_kid(s->source, id, 1)] : 0;
    core c = core_of(n->op);
    switch (c.kind) {
    case CORE_CONSTANT: return normal_constant(&s->make, c.all);
    case CORE_EDGE: return formula_atom(s->make.g, n->op);
    case CORE_LETTERS: return normal_letters(&s->make, normal_letter_bits(&s->make, s->source, id, false));
    case CORE_NOT: return normal_not(&s->make, x);
    case CORE_GATE:
    case CORE_IMPLIES: return gate_from(s, id);
    case CORE_XOR: x = normal_xor(&s->make, x, y); return c.all ? normal_not(&s->make, x) : x;
    case CORE_STEP:
        return c.beyond ? normal_not(&s->make, normal_step(&s->make, !c.forward, normal_not(&s->make, x)))
                        : normal_step(&s->make, !c.forward, x);
    case CORE_RANGE: return normal_range(&s->make, c, x);
    case CORE_SINCE: return normal_binary(&s->make, c, x, y);
    case CORE_COUNT: return formula_unary(s->make.g, n->op, x);
    case CORE_COMPARE: return make_compare(s, id);
    case CORE_MODULO: return make_modulo(s, id);
    case CORE_AT: return make_read(s, id, x);
    case CORE_ATTEND:
        if (n->choice == TEMPER_CHOICE_AVERAGE) return normal_exists(&s->make, n->mask, x);
        return normal_nearest(&s->make, n->choice, n->mask, x, normal_and(&s->make, x, y));
    case CORE_MATCH:
        if (s->make.use.match && is_head(n)) return make_match(s, id);
        return s->of[formula_kid(s->source, id, (size_t)n->kid_count - 1)]; /* in other operators */
    case CORE_LANGUAGE:
        trap_raise(s->make.arena->trap, TEMPER_UNSUPPORTED, s->source->notes[id].line, s->source->notes[id].column,
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
    simplifier s = {.make = {.g = &out->graph, .arena = a, .letters = spec->letters.count, .use = use},
                    .source = source};
    table_init(&s.make.chains, a);
    formula_init(&out->graph, a);
    exclusion_init(&s.make.related, &out->graph, a);
    table_init(&s.make.strict, a);
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
