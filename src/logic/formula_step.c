#include "logic/formula_step.h"

/* One node; kids are indices of earlier nodes' values. */
typedef struct step_node {
    formula_op op; /* mirrored: the operator that looks back */
    bool strict;   /* attention: not at the position itself */
    bool nearest;  /* attention: the candidate met last */
    node_id id;
    uint32_t left, right;          /* the first two kids; 0 where there are fewer, which nobody looks at */
    uint32_t kid_start, kid_count; /* sums: what is counted */
    uint32_t memory;               /* temporal nodes: offset of their byte; sums and languages: number of their sum */
    const dfa *automaton;          /* languages; its state is kept as a sum */
    const formula_node *node;
} step_node;

/* The state is the sums (and the states of automata), then a byte for every node that remembers something: the kid's
   last value (Y, Z), the node's own (O, H, S, T, and W and M mirrored), or what was chosen and whether anything was
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

/* What an operator that looks forward is in the mirror. W and M have no names there. */
static formula_op mirror(formula_op op) {
    switch (op) {
    case OP_LAST: return OP_FIRST;
    case OP_NEXT: return OP_YESTERDAY;
    case OP_WEAK_NEXT: return OP_WEAK_YESTERDAY;
    case OP_EVENTUALLY: return OP_ONCE;
    case OP_ALWAYS: return OP_HISTORICALLY;
    case OP_UNTIL: return OP_SINCE;
    case OP_RELEASE: return OP_TRIGGERED;
    case OP_MATCHES_REST: return OP_MATCHES;
    default: return op;
    }
}

static bool remembers(formula_op op) {
    return op == OP_FIRST || op == OP_ATTEND || op == OP_YESTERDAY || op == OP_WEAK_YESTERDAY || op == OP_ONCE ||
           op == OP_HISTORICALLY || op == OP_SINCE || op == OP_TRIGGERED || op == OP_WEAK_UNTIL ||
           op == OP_STRONG_RELEASE;
}

static void add_node(formula_stepper *s, arena *a, const uint32_t *index, node_id id) {
    const formula_node *n = formula_at(s->f, id);
    bool sum = n->op == OP_COMPARE || n->op == OP_MODULO, matches = mirror(n->op) == OP_MATCHES;
    bool forward = n->mask == TEMPER_MASK_AFTER || n->mask == TEMPER_MASK_FROM;
    step_node made = {.op = mirror(n->op),
                      .strict = n->mask == TEMPER_MASK_BEFORE || n->mask == TEMPER_MASK_AFTER,
                      .nearest = n->choice == (forward ? TEMPER_CHOICE_LEFTMOST : TEMPER_CHOICE_RIGHTMOST),
                      .id = id,
                      .kid_start = (uint32_t)s->kid_count,
                      .kid_count = n->kid_count,
                      .node = n};
    if (matches) {
        const formula_language *l = &s->f->languages[n->set];
        made.automaton = n->op == OP_MATCHES ? l->automaton : l->reversed;
    }
    for (size_t k = 0; k < n->kid_count; k++) {
        node_id kid = formula_kid(s->f, id, k);
        array_push(a, s->weights, s->weight_count, s->weight_capacity, sum ? formula_weight(s->f, id, k) : 0);
        array_push(a, s->kids, s->kid_count, s->kid_capacity, index[sum ? formula_kid(s->f, kid, 0) : kid]);
    }
    if (n->kid_count > 0) made.left = s->kids[made.kid_start];
    if (n->kid_count > 1) made.right = s->kids[made.kid_start + 1];
    if (sum || matches) made.memory = (uint32_t)s->sum_count++;
    if (remembers(made.op)) made.memory = (uint32_t)s->byte_count++;
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
        if (n->op == OP_COUNT_PAST || n->op == OP_COUNT_FUTURE) continue; /* its sum counts */
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

/* Values before the first position: nothing has happened. FIRST remembers that it has not been asked. */
static unsigned char initial(formula_op op) {
    return op == OP_FIRST || op == OP_WEAK_YESTERDAY || op == OP_HISTORICALLY || op == OP_TRIGGERED ||
           op == OP_WEAK_UNTIL;
}

void formula_stepper_start(const formula_stepper *s, void *state) {
    __int128 *sums = state;
    unsigned char *memory = (unsigned char *)(sums + s->sum_count);
    for (size_t k = 0; k < s->node_count; k++) {
        const step_node *n = &s->nodes[k];
        if (n->op == OP_COMPARE || n->op == OP_MODULO) sums[n->memory] = n->node->constant;
        if (n->op == OP_MATCHES) sums[n->memory] = n->automaton->start;
        if (remembers(n->op)) memory[n->memory] = initial(n->op);
    }
}

static unsigned char step_sum(const formula_stepper *s, const step_node *n, __int128 *sum,
                              const unsigned char *values) {
    for (uint32_t k = n->kid_start; k < n->kid_start + n->kid_count; k++)
        if (values[s->kids[k]]) *sum += s->weights[k];
    if (n->op == OP_COMPARE) return compare_holds(n->node->compare, (*sum > 0) - (*sum < 0));
    bool small = *sum >= INT64_MIN && *sum <= INT64_MAX;
    int64_t rest = small ? (int64_t)*sum % n->node->modulus : (int64_t)(*sum % n->node->modulus);
    if (rest < 0) rest += n->node->modulus;
    return compare_holds(n->node->compare, (rest > n->node->residue) - (rest < n->node->residue));
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
    unsigned char v = n->op == OP_AND;
    for (uint32_t k = n->kid_start; k < n->kid_start + n->kid_count; k++)
        v = n->op == OP_AND ? v & values[s->kids[k]] : v | values[s->kids[k]];
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
        switch (n->op) {
        case OP_TRUE: v = 1; break;
        case OP_LETTERS: v = formula_has_letter(s->f, n->id, letter); break;
        case OP_FIRST:
            v = *memory;
            *memory = 0;
            break;
        case OP_NOT: v = !a; break;
        case OP_AND:
        case OP_OR: v = step_nary(s, n, values); break;
        case OP_XOR: v = a ^ b; break;
        case OP_IMPLIES: v = (!a) | b; break;
        case OP_IFF: v = a == b; break;
        case OP_YESTERDAY:
        case OP_WEAK_YESTERDAY:
            v = *memory;
            *memory = a;
            break;
        case OP_ONCE: v = *memory |= a; break;
        case OP_HISTORICALLY: v = *memory &= a; break;
        case OP_SINCE:
        case OP_WEAK_UNTIL: v = *memory = (unsigned char)(b | (a & *memory)); break;
        case OP_TRIGGERED:
        case OP_STRONG_RELEASE: v = *memory = (unsigned char)(b & (a | *memory)); break;
        case OP_COMPARE:
        case OP_MODULO: v = step_sum(s, n, &sums[n->memory], values); break;
        case OP_MATCHES: v = step_matches(n->automaton, &sums[n->memory], letter); break;
        case OP_ATTEND: v = step_attend(n, memory, a, b); break;
        case OP_MATCH: v = values[s->kids[n->kid_start + n->kid_count - 1]]; break; /* in other operators */
        default: break;
        }
        values[k] = v;
    }
    return values[s->roots[0]];
}

bool formula_stepper_output(const formula_stepper *s, const unsigned char *values, size_t root) {
    return values[s->roots[root]];
}
