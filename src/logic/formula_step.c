#include "logic/formula_step.h"

#include "logic/core.h"

/* One node; kids are indices of earlier nodes' values. */
typedef struct step_node {
    core core;
    bool strict;  /* attention: not at the position itself */
    bool nearest; /* attention: the candidate met last */
    node_id id;
    uint32_t left, right;          /* the first two kids; 0 where there are fewer, which nobody looks at */
    uint32_t kid_start, kid_count; /* sums: what is counted */
    uint32_t memory;               /* temporal nodes: offset of their byte; sums and languages: number of their sum */
    const dfa *automaton;          /* languages; its state is kept as a sum */
    const formula_node *node;
} step_node;

/* The state is the sums (and the states of automata), then a byte for every node that remembers something: the kid's
   last value (STEP), the node's own (RANGE, SINCE), or what was chosen and whether anything was
   (attention; bits 1 and 2). */
struct formula_stepper {
    const formula *f;
    step_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *kids;
    int64_t *weights;
    size_t kid_count, kid_capacity, weight_count, weight_capacity;
    size_t sum_count, byte_count;
    uint32_t *roots; /* [root_count] their nodes */
};

enum { CHOSEN = 1, FOUND = 2 };

static bool looks_one_way(const formula_node *n, bool mirrored) {
    if (n->op == OP_AT) return false; /* it may look at any position so far: no state of a fixed size holds them */
    if (n->op != OP_ATTEND) return operator_direction(n->op) != (mirrored ? 'b' : 'f');
    if (mirrored) return n->mask == TEMPER_MASK_AFTER || n->mask == TEMPER_MASK_FROM;
    return n->mask == TEMPER_MASK_BEFORE || n->mask == TEMPER_MASK_UP_TO;
}

static bool is_sum(core_kind kind) { return kind == CORE_COMPARE || kind == CORE_MODULO; }

static bool remembers(core_kind kind) {
    return kind == CORE_EDGE || kind == CORE_ATTEND || kind == CORE_STEP || kind == CORE_RANGE || kind == CORE_SINCE;
}

static void add_node(formula_stepper *s, arena *a, const uint32_t *index, node_id id) {
    const formula_node *n = formula_at(s->f, id);
    core c = core_of(n->op);
    bool sum = is_sum(c.kind), matches = c.kind == CORE_LANGUAGE;
    bool forward = n->mask == TEMPER_MASK_AFTER || n->mask == TEMPER_MASK_FROM;
    step_node made = {.core = c,
                      .strict = n->mask == TEMPER_MASK_BEFORE || n->mask == TEMPER_MASK_AFTER,
                      .nearest = n->choice == (forward ? TEMPER_CHOICE_LEFTMOST : TEMPER_CHOICE_RIGHTMOST),
                      .id = id,
                      .kid_start = (uint32_t)s->kid_count,
                      .kid_count = n->kid_count,
                      .node = n};
    if (matches) {
        const formula_language *l = &s->f->languages[n->set];
        made.automaton = c.forward ? l->reversed : l->automaton;
    }
    for (size_t k = 0; k < n->kid_count; k++) {
        node_id kid = formula_kid(s->f, id, k);
        array_push(a, s->weights, s->weight_count, s->weight_capacity, sum ? formula_weight(s->f, id, k) : 0);
        array_push(a, s->kids, s->kid_count, s->kid_capacity, index[sum ? formula_kid(s->f, kid, 0) : kid]);
    }
    if (n->kid_count > 0) made.left = s->kids[made.kid_start];
    if (n->kid_count > 1) made.right = s->kids[made.kid_start + 1];
    if (sum || matches) made.memory = (uint32_t)s->sum_count++;
    if (remembers(c.kind)) made.memory = (uint32_t)s->byte_count++;
    array_push(a, s->nodes, s->node_count, s->node_capacity, made);
}

formula_stepper *formula_stepper_new(arena *a, const formula *f, const node_id *roots, size_t count, bool mirrored) {
    formula_stepper *s = arena_zalloc(a, 1, sizeof *s);
    const unsigned char *marks = formula_reachable_from(f, roots, count, a);
    uint32_t *index = arena_zalloc(a, f->count, sizeof *index);
    s->f = f;
    for (node_id id = 1; id < f->count; id++) {
        const formula_node *n = formula_at(f, id);
        if (!marks[id]) continue;
        if (!looks_one_way(n, mirrored)) return NULL;
        if (core_of(n->op).kind == CORE_COUNT) continue; /* its sum counts */
        index[id] = (uint32_t)s->node_count;
        add_node(s, a, index, id);
    }
    s->roots = arena_alloc(a, count, sizeof *s->roots);
    for (size_t k = 0; k < count; k++) s->roots[k] = index[roots[k]];
    return s;
}

size_t formula_stepper_state_size(const formula_stepper *s) {
    return s->sum_count * sizeof(__int128) + (s->byte_count + 15) / 16 * 16;
}

size_t formula_stepper_value_size(const formula_stepper *s) { return s->node_count; }

void formula_stepper_start(const formula_stepper *s, void *state) {
    __int128 *sums = state;
    unsigned char *memory = (unsigned char *)(sums + s->sum_count);
    for (size_t k = 0; k < s->node_count; k++) {
        const step_node *n = &s->nodes[k];
        if (is_sum(n->core.kind)) sums[n->memory] = n->node->constant;
        if (n->core.kind == CORE_LANGUAGE) sums[n->memory] = n->automaton->start;
        if (remembers(n->core.kind)) memory[n->memory] = n->core.beyond; /* an edge: it was not asked yet */
    }
}

static unsigned char step_sum(const formula_stepper *s, const step_node *n, __int128 *sum,
                              const unsigned char *values) {
    for (uint32_t k = n->kid_start; k < n->kid_start + n->kid_count; k++)
        if (values[s->kids[k]]) *sum += s->weights[k];
    return sum_holds(n->node, *sum);
}

static unsigned char step_attend(const step_node *n, unsigned char *memory, unsigned char where,
                                 unsigned char value) {
    unsigned char before = *memory;
    bool takes = where && (n->nearest || !(before & FOUND));
    if (takes) *memory = (unsigned char)(FOUND | (value ? CHOSEN : 0));
    return (n->strict ? before : *memory) & CHOSEN;
}

static unsigned char step_matches(const dfa *d, __int128 *state, uint32_t letter) {
    *state = dfa_next(d, (uint32_t)*state, d->class_of[letter]);
    return d->accepts[(uint32_t)*state];
}

static unsigned char step_nary(const formula_stepper *s, const step_node *n, const unsigned char *values) {
    unsigned char v = n->core.all;
    for (uint32_t k = n->kid_start; k < n->kid_start + n->kid_count; k++)
        v = n->core.all ? v & values[s->kids[k]] : v | values[s->kids[k]];
    return v;
}

bool formula_stepper_step(const formula_stepper *s, void *state, unsigned char *values, uint32_t letter) {
    __int128 *sums = state;
    unsigned char *bytes = (unsigned char *)(sums + s->sum_count);
    values[0] = 0; /* before the first node there is none */
    for (size_t k = 0; k < s->node_count; k++) {
        const step_node *n = &s->nodes[k];
        unsigned char a = values[n->left], b = values[n->right];
        unsigned char *memory = bytes + n->memory, v = 0;
        switch (n->core.kind) {
        case CORE_CONSTANT: v = n->core.all; break;
        case CORE_LETTERS: v = formula_has_letter(s->f, n->id, letter); break;
        case CORE_EDGE:
            v = *memory;
            *memory = 0;
            break;
        case CORE_NOT: v = !a; break;
        case CORE_GATE: v = step_nary(s, n, values); break;
        case CORE_XOR: v = a ^ b ^ n->core.all; break;
        case CORE_IMPLIES: v = (!a) | b; break;
        case CORE_STEP:
            v = *memory;
            *memory = a;
            break;
        case CORE_RANGE: v = *memory = n->core.all ? a & *memory : a | *memory; break;
        case CORE_SINCE: v = *memory = n->core.all ? b & (a | *memory) : b | (a & *memory); break;
        case CORE_COMPARE:
        case CORE_MODULO: v = step_sum(s, n, &sums[n->memory], values); break;
        case CORE_LANGUAGE: v = step_matches(n->automaton, &sums[n->memory], letter); break;
        case CORE_ATTEND: v = step_attend(n, memory, a, b); break;
        case CORE_MATCH: v = values[s->kids[n->kid_start + n->kid_count - 1]]; break; /* in other operators */
        default: break;
        }
        values[k] = v;
    }
    return values[s->roots[0]];
}

bool formula_stepper_output(const formula_stepper *s, const unsigned char *values, size_t root) {
    return values[s->roots[root]];
}
