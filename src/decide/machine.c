#include "decide/machine.h"

#include <string.h>

#include "logic/core.h"
#include "logic/formula_print.h"

/* How a comparison keeps its sum. Where nothing counted is of the other sign, sums only grow, and one that is
   past the constant stays past it. */
typedef enum sum_mode { SUM_GROWS, SUM_FALLS, SUM_WINDOW, SUM_NONE } sum_mode;

/* Sums of both signs are followed as far as this. Those of formulas that stop counting fit; there is no exact
   test. */
enum { WINDOW = 64 };

enum { CHOSEN = 1, FOUND = 2 };

typedef struct machine_term {
    uint32_t counted; /* index of the node that is counted */
    bool forward;
    int64_t weight;
} machine_term;

typedef struct machine_node {
    core core;
    node_id id;
    uint32_t left, right;          /* indices of the first two kids; 0 where there are none */
    uint32_t kid_start, kid_count; /* AND, OR: into kids; sums: into terms */
    uint32_t back, forward;        /* first slot in each memory; meaningless where there is none */
    bool has_back, has_forward;
    const dfa *automaton; /* LANGUAGE */
    sum_mode mode;
    const formula_node *node;
} machine_node;

struct machine {
    arena *arena;
    const formula *f;
    machine_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *kids;
    size_t kid_count, kid_capacity;
    machine_term *terms;
    size_t term_count, term_capacity;
    size_t slot_count[2];  /* of the back and of the forward memory */
    unsigned char *values; /* [node_count] */
    uint32_t failed;       /* the comparison that machine_step gave up at */
};

static bool is_sum(core_kind kind) { return kind == CORE_COMPARE || kind == CORE_MODULO; }

/* Bit 1: the node remembers what was before, bit 2: what comes after. */
static unsigned memory_of(const machine *m, const machine_node *n) {
    unsigned both = 0;
    char direction;
    switch (n->core.kind) {
    case CORE_ATTEND:
        if (n->node->mask == TEMPER_MASK_ALL) return 3;
        return n->node->mask == TEMPER_MASK_AFTER || n->node->mask == TEMPER_MASK_FROM ? 2 : 1;
    case CORE_COMPARE:
    case CORE_MODULO:
        for (uint32_t k = 0; k < n->kid_count; k++) both |= m->terms[n->kid_start + k].forward ? 2 : 1;
        return both;
    default: direction = operator_direction(n->node->op); return direction == 'b' ? 1 : direction == 'f' ? 2 : 0;
    }
}

static void add_terms(machine *m, machine_node *n, const uint32_t *index) {
    bool plus = false, minus = false;
    n->kid_start = (uint32_t)m->term_count;
    for (uint32_t k = 0; k < n->kid_count; k++) {
        node_id count = formula_kid(m->f, n->id, k);
        int64_t weight = formula_weight(m->f, n->id, k);
        machine_term t = {
            .counted = index[formula_kid(m->f, count, 0)], .forward = core_at(m->f, count).forward, .weight = weight};
        array_push(m->arena, m->terms, m->term_count, m->term_capacity, t);
        plus |= weight > 0;
        minus |= weight < 0;
    }
    n->mode = plus || !minus ? SUM_GROWS : SUM_FALLS;
}

static void add_node(machine *m, const uint32_t *index, node_id id) {
    const formula_node *node = formula_at(m->f, id);
    machine_node n = {.core = core_of(node->op), .id = id, .kid_count = node->kid_count, .node = node};
    if (n.core.kind == CORE_LANGUAGE) {
        const formula_language *l = &m->f->languages[node->set];
        n.automaton = n.core.forward ? l->reversed : l->automaton;
    }
    if (is_sum(n.core.kind)) {
        add_terms(m, &n, index);
    } else {
        n.kid_start = (uint32_t)m->kid_count;
        for (uint32_t k = 0; k < node->kid_count; k++)
            array_push(m->arena, m->kids, m->kid_count, m->kid_capacity, index[formula_kid(m->f, id, k)]);
        if (node->kid_count > 0) n.left = m->kids[n.kid_start];
        if (node->kid_count > 1) n.right = m->kids[n.kid_start + 1];
    }
    unsigned memory = memory_of(m, &n);
    n.has_back = memory & 1;
    n.has_forward = memory & 2;
    if (n.has_back) n.back = (uint32_t)m->slot_count[0]++;
    if (n.has_forward) n.forward = (uint32_t)m->slot_count[1]++;
    array_push(m->arena, m->nodes, m->node_count, m->node_capacity, n);
}

machine *machine_new(arena *a, const formula *f, node_id root) {
    machine *m = arena_zalloc(a, 1, sizeof *m);
    const unsigned char *marks = formula_reachable(f, root, a);
    uint32_t *index = arena_zalloc(a, (size_t)root + 1, sizeof *index);
    m->arena = a;
    m->f = f;
    for (node_id id = 1; id <= root; id++) {
        core_kind kind = core_at(f, id).kind;
        if (!marks[id] || kind == CORE_COUNT) continue; /* sums count themselves */
        if (kind == CORE_AT)
            trap_raise(a->trap, TEMPER_UNSUPPORTED, f->notes[id].line, f->notes[id].column,
                       "'@' reads at a computed position: no finite memory is known that holds what may stand there");
        index[id] = (uint32_t)m->node_count;
        add_node(m, index, id);
    }
    m->values = arena_zalloc(a, m->node_count, 1);
    return m;
}

size_t machine_back_slots(const machine *m) { return m->slot_count[0]; }
size_t machine_forward_slots(const machine *m) { return m->slot_count[1]; }
size_t machine_node_count(const machine *m) { return m->node_count + m->kid_count + m->term_count; }

/* What a memory holds where there are no letters. */
static slot initial(const machine_node *n) {
    switch (n->core.kind) {
    case CORE_LANGUAGE: return n->automaton->start;
    case CORE_EDGE: return 0; /* no position was met */
    default: return n->core.beyond;
    }
}

void machine_start(const machine *m, slot *back) {
    for (size_t k = 0; k < m->node_count; k++)
        if (m->nodes[k].has_back) back[m->nodes[k].back] = initial(&m->nodes[k]);
}

void machine_end(const machine *m, slot *forward) {
    for (size_t k = 0; k < m->node_count; k++)
        if (m->nodes[k].has_forward) forward[m->nodes[k].forward] = initial(&m->nodes[k]);
}

/* ---- sums ---- */

/* Magnitudes from which on a sum that only grows (falls) has the sign of its growth, whatever follows. */
static uint64_t saturation(const machine_node *n) {
    int64_t c = n->node->constant;
    if (n->mode == SUM_GROWS) return c < 0 ? (uint64_t)-c + 1 : 1;
    return c > 0 ? (uint64_t)c + 1 : 1;
}

/* memory + step as a memory; false: the mode cannot hold it. */
static bool sum_move(slot *after, const machine_node *n, slot memory, __int128 step) {
    if (n->core.kind == CORE_MODULO) {
        __int128 rest = ((__int128)memory + step) % n->node->modulus;
        *after = (slot)(rest < 0 ? rest + n->node->modulus : rest);
        return true;
    }
    if (n->mode == SUM_WINDOW) {
        __int128 sum = (int64_t)memory + step;
        *after = (slot)(int64_t)sum;
        return sum >= -WINDOW && sum <= WINDOW;
    }
    if (n->mode == SUM_FALLS) step = -step;
    if (step < 0) return false;
    uint64_t most = saturation(n);
    *after = (__int128)memory + step > (__int128)most ? most : (slot)((__int128)memory + step);
    return true;
}

static bool sum_verdict(const machine_node *n, slot before, slot after) {
    __int128 sum = (__int128)before + (__int128)after;
    if (n->mode == SUM_WINDOW)
        sum = (__int128)(int64_t)before + (int64_t)after;
    else if (n->mode == SUM_FALLS && n->core.kind == CORE_COMPARE)
        sum = -sum;
    return sum_holds(n->node, sum + n->node->constant);
}

static bool step_sum(machine *m, machine_node *n, unsigned char *v, slot *back_after, slot *forward_before,
                     const slot *back, const slot *forward) {
    __int128 step[2] = {0, 0};
    slot moved[2] = {0, 0};
    for (uint32_t k = n->kid_start; k < n->kid_start + n->kid_count; k++)
        if (m->values[m->terms[k].counted]) step[m->terms[k].forward] += m->terms[k].weight;
    if (n->has_back) {
        if (!sum_move(&moved[0], n, back[n->back], step[0])) return false;
        back_after[n->back] = moved[0];
    }
    if (n->has_forward) {
        if (!sum_move(&moved[1], n, forward[n->forward], step[1])) return false;
        forward_before[n->forward] = moved[1];
    }
    *v = sum_verdict(n, moved[0], moved[1]);
    return true;
}

/* ---- attention ---- */

static slot attend_move(slot memory, bool nearest, bool where, bool value) {
    if (!where || ((memory & FOUND) && !nearest)) return memory;
    return FOUND | (value ? CHOSEN : 0);
}

/* Among letters before, here and after, the leftmost choice takes the first group that has a candidate. */
static unsigned char step_attend(const machine_node *n, slot *back_after, slot *forward_before, const slot *back,
                                 const slot *forward, bool where, bool value) {
    bool rightmost = n->node->choice == TEMPER_CHOICE_RIGHTMOST;
    slot before = 0, after = 0, with_before = 0, with_after = 0;
    if (n->has_back) {
        before = back[n->back];
        with_before = back_after[n->back] = attend_move(before, rightmost, where, value);
    }
    if (n->has_forward) {
        after = forward[n->forward];
        with_after = forward_before[n->forward] =
            attend_move(after, n->node->choice == TEMPER_CHOICE_LEFTMOST, where, value);
    }
    switch (n->node->mask) {
    case TEMPER_MASK_BEFORE: return before & CHOSEN;
    case TEMPER_MASK_UP_TO: return with_before & CHOSEN;
    case TEMPER_MASK_AFTER: return after & CHOSEN;
    case TEMPER_MASK_FROM: return with_after & CHOSEN;
    case TEMPER_MASK_ALL: break;
    }
    if (rightmost) return (after & FOUND ? after : with_before) & CHOSEN;
    return (before & FOUND ? before : with_after) & CHOSEN;
}

/* ---- one position ---- */

static unsigned char step_nary(const machine *m, const machine_node *n) {
    unsigned char v = n->core.all;
    for (uint32_t k = n->kid_start; k < n->kid_start + n->kid_count; k++)
        v = n->core.all ? v & m->values[m->kids[k]] : v | m->values[m->kids[k]];
    return v;
}

/* A node whose memory is the last value it had, its kid's or its own; `kept` is it. */
static unsigned char step_temporal(const machine_node *n, slot *kept, slot last, unsigned char a, unsigned char b) {
    unsigned char v = (unsigned char)last;
    switch (n->core.kind) {
    case CORE_EDGE: *kept = 1; return !v;
    case CORE_STEP: *kept = a; return v;
    case CORE_RANGE: v = n->core.all ? v & a : v | a; break;
    default: v = n->core.all ? b & (a | v) : b | (a & v); break; /* SINCE */
    }
    *kept = v;
    return v;
}

static unsigned char step_language(const dfa *d, slot *kept, slot state, uint32_t letter) {
    *kept = dfa_next(d, (uint32_t)state, d->class_of[letter]);
    return d->accepts[*kept];
}

bool machine_step(machine *m, bool *truth, slot *back_after, slot *forward_before, const slot *back,
                  const slot *forward, uint32_t letter) {
    unsigned char v = 0;
    for (size_t k = 0; k < m->node_count; k++) {
        machine_node *n = &m->nodes[k];
        unsigned char a = m->values[n->left], b = m->values[n->right];
        switch (n->core.kind) {
        case CORE_CONSTANT: v = n->core.all; break;
        case CORE_LETTERS: v = formula_has_letter(m->f, n->id, letter); break;
        case CORE_NOT: v = !a; break;
        case CORE_GATE: v = step_nary(m, n); break;
        case CORE_XOR: v = a ^ b ^ n->core.all; break;
        case CORE_IMPLIES: v = (!a) | b; break;
        case CORE_COMPARE:
        case CORE_MODULO:
            if (!step_sum(m, n, &v, back_after, forward_before, back, forward)) {
                m->failed = (uint32_t)k;
                return false;
            }
            break;
        case CORE_LANGUAGE:
            v = n->has_back ? step_language(n->automaton, &back_after[n->back], back[n->back], letter)
                            : step_language(n->automaton, &forward_before[n->forward], forward[n->forward], letter);
            break;
        case CORE_ATTEND: v = step_attend(n, back_after, forward_before, back, forward, a, b); break;
        case CORE_MATCH: v = m->values[m->kids[n->kid_start + n->kid_count - 1]]; break; /* in other operators */
        default:
            if (n->has_back)
                v = step_temporal(n, &back_after[n->back], back[n->back], a, b);
            else
                v = step_temporal(n, &forward_before[n->forward], forward[n->forward], a, b);
        }
        m->values[k] = v;
    }
    *truth = v;
    return true;
}

void machine_widen(machine *m, const alphabet *letters) {
    machine_node *n = &m->nodes[m->failed];
    n->mode++;
    if (n->mode < SUM_NONE) return;
    const formula_note *note = &m->f->notes[n->id];
    text label;
    text_init(&label, m->arena);
    formula_label(&label, m->f, letters, n->id, 80);
    trap_raise_hint(m->arena->trap, TEMPER_UNSUPPORTED, note->line, note->column,
                    "counts compared with a constant, and remainders, have finite automata",
                    "'%s' compares counts that grow without a bound: no finite automaton was found for it",
                    text_escaped(m->arena, text_string(&label), label.length, 0));
}
