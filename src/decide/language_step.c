#include "decide/language_step.h"

#include "base/work.h"
#include "decide/letter_classes.h"
#include "logic/core.h"

/* ---- coordinates ---- */

/* False: none is listed. */
static bool memory_of(memory *m, core_kind kind) {
    switch (kind) {
    case CORE_EDGE: *m = MEMORY_EDGE; return true;
    case CORE_STEP: *m = MEMORY_KID; return true;
    case CORE_RANGE:
    case CORE_SINCE: *m = MEMORY_SELF; return true;
    case CORE_MODULO: *m = MEMORY_REMAINDER; return true;
    case CORE_COMPARE: *m = MEMORY_SUM; return true;
    case CORE_AT:
    case CORE_ATTEND:
    case CORE_MATCH:
    case CORE_LANGUAGE: return false;
    default: *m = MEMORY_NONE; return true;
    }
}

/* A sum that only grows, or only falls, is settled one beyond its constant. */
static bool sum_range(const language_step *m, node_id id, uint32_t *most) {
    const formula_node *n = formula_at(m->f, id);
    bool up = false, down = false;
    for (size_t k = 0; k < n->kid_count; k++) {
        up = up || formula_weight(m->f, id, k) > 0;
        down = down || formula_weight(m->f, id, k) < 0;
    }
    int64_t size = n->constant < 0 ? -n->constant : n->constant;
    *most = (uint32_t)size + 1;
    return !(up && down) && size < NUMBERS_BELOW;
}

static void list_nodes(language_step *m) {
    const unsigned char *marks = formula_reachable(m->f, m->root, m->arena);
    m->coordinate_of = arena_zalloc(m->arena, m->f->count, sizeof *m->coordinate_of);
    for (node_id id = 1; id <= m->root && !m->why_not; id++) {
        const formula_node *n = formula_at(m->f, id);
        memory kind;
        if (!marks[id]) continue;
        if (!memory_of(&kind, core_of(n->op).kind)) {
            m->why_not = "it has operators whose memory is not listed";
            return;
        }
        if (operator_direction(n->op) == (m->forward ? 'b' : 'f')) m->why_not = "it looks the other way";
        uint32_t most = 1;
        if (kind == MEMORY_REMAINDER) {
            most = (uint32_t)(n->modulus - 1);
            if (n->modulus > NUMBERS_BELOW) m->why_not = "a remainder has too many values";
        }
        if (kind == MEMORY_SUM && !sum_range(m, id, &most)) m->why_not = "a comparison has too many sums";
        array_push(m->arena, m->nodes, m->node_count, m->node_capacity, id);
        if (kind == MEMORY_NONE) continue;
        m->coordinate_of[id] = (uint32_t)m->width;
        node_id remembers = kind == MEMORY_KID ? formula_kid(m->f, id, 0) : id;
        array_push(m->arena, m->coordinates, m->width, m->capacity,
                   (coordinate){id, remembers, kind, core_of(n->op).beyond, most});
    }
}

static void list_letters(language_step *m) {
    uint32_t classes, letters = m->d->letter_count;
    const uint32_t *of = formula_letter_classes(&classes, m->f, m->root, letters, m->arena);
    const uint32_t *both = classes_join(&classes, of, m->d->class_of, letters, m->arena);
    m->letters = class_first_letters(both, classes, letters, m->arena);
    m->letter_count = classes;
    size_t blocks = (classes + LANES - 1) / LANES;
    m->member = arena_zalloc(m->arena, blocks * m->f->count + 1, sizeof *m->member);
    for (size_t k = 0; k < m->node_count; k++) {
        if (formula_at(m->f, m->nodes[k])->op != OP_LETTERS) continue;
        for (uint32_t l = 0; l < classes; l++)
            if (formula_has_letter(m->f, m->nodes[k], m->letters[l]))
                m->member[l / LANES * m->f->count + m->nodes[k]] |= (uint64_t)1 << (l % LANES);
    }
}

/* ---- one position, many letters ---- */

static lanes lanes_not(lanes x) { return (lanes){x.no, x.yes}; }
static lanes lanes_and(lanes x, lanes y) { return (lanes){x.yes & y.yes, x.no | y.no}; }
static lanes lanes_or(lanes x, lanes y) { return (lanes){x.yes | y.yes, x.no & y.no}; }
static lanes lanes_xor(lanes x, lanes y) {
    return (lanes){(x.yes & y.no) | (x.no & y.yes), (x.yes & y.yes) | (x.no & y.no)};
}

static lanes lanes_of(uint32_t value, uint64_t all) {
    return (lanes){value != 0 ? all : 0, value != 1 ? all : 0}; /* OPEN is neither */
}

static lanes gate(const language_step *m, node_id id, uint64_t all) {
    bool is_and = formula_at(m->f, id)->op == OP_AND;
    lanes x = is_and ? (lanes){all, 0} : (lanes){0, all};
    for (size_t k = 0; k < formula_at(m->f, id)->kid_count; k++) {
        lanes y = m->truth[formula_kid(m->f, id, k)];
        x = is_and ? lanes_and(x, y) : lanes_or(x, y);
    }
    return x;
}

/* The sum of a comparison or remainder after one lane's letter; OPEN if that is not known. */
static uint32_t sum_after(const language_step *m, node_id id, uint32_t before, uint32_t lane, uint32_t most) {
    const formula_node *n = formula_at(m->f, id);
    bool remainder = n->op == OP_MODULO;
    __int128 sum = before;
    if (before == OPEN) return OPEN;
    for (size_t k = 0; k < n->kid_count; k++) {
        lanes x = m->truth[formula_kid(m->f, formula_kid(m->f, id, k), 0)];
        bool yes = x.yes >> lane & 1, no = x.no >> lane & 1;
        int64_t w = formula_weight(m->f, id, k);
        if (yes && no && w) return OPEN;
        if (yes) sum += remainder ? (w % n->modulus + n->modulus) % n->modulus : w < 0 ? -w : w;
    }
    return (uint32_t)(remainder ? sum % n->modulus : sum > most ? most : sum);
}

static bool holds(const language_step *m, node_id id, uint32_t sum) {
    const formula_node *n = formula_at(m->f, id);
    bool falls = n->op == OP_COMPARE && n->kid_count && formula_weight(m->f, id, 0) < 0;
    return sum_holds(n, (__int128)n->constant + (falls ? -(int64_t)sum : (int64_t)sum));
}

static lanes sum_truth(language_step *m, node_id id, uint32_t before, uint32_t count) {
    uint32_t k = m->coordinate_of[id];
    lanes x = {0, 0};
    for (uint32_t lane = 0; lane < count; lane++) {
        uint32_t sum = sum_after(m, id, before, lane, m->coordinates[k].most);
        m->number[(size_t)k * LANES + lane] = sum;
        if (sum == OPEN || holds(m, id, sum)) x.yes |= (uint64_t)1 << lane;
        if (sum == OPEN || !holds(m, id, sum)) x.no |= (uint64_t)1 << lane;
    }
    return x;
}

void language_step_make(language_step *m, const uint32_t *before, uint32_t block) {
    uint32_t count = language_step_lanes(m, block);
    uint64_t all = count == LANES ? UINT64_MAX : ((uint64_t)1 << count) - 1;
    const uint64_t *member = m->member + (size_t)block * m->f->count;
    m->work += m->node_count;
    for (size_t k = 0; k < m->node_count; k++) {
        node_id id = m->nodes[k];
        const formula_node *n = formula_at(m->f, id);
        lanes none = {0, all}, x = n->kid_count > 0 ? m->truth[formula_kid(m->f, id, 0)] : none;
        lanes y = n->kid_count > 1 ? m->truth[formula_kid(m->f, id, 1)] : none;
        uint32_t was = before[m->coordinate_of[id]];
        lanes old = lanes_of(was, all), z = none;
        m->work += n->kid_count;
        core c = core_of(n->op);
        switch (c.kind) {
        case CORE_CONSTANT: z = c.all ? (lanes){all, 0} : none; break;
        case CORE_LETTERS: z = (lanes){member[id], all & ~member[id]}; break;
        case CORE_NOT: z = lanes_not(x); break;
        case CORE_GATE: z = gate(m, id, all); break;
        case CORE_XOR: z = c.all ? lanes_not(lanes_xor(x, y)) : lanes_xor(x, y); break;
        case CORE_IMPLIES: z = lanes_or(lanes_not(x), y); break;
        case CORE_EDGE:
        case CORE_STEP: z = old; break;
        case CORE_RANGE: z = c.all ? lanes_and(x, old) : lanes_or(x, old); break;
        case CORE_SINCE: z = c.all ? lanes_and(y, lanes_or(x, old)) : lanes_or(y, lanes_and(x, old)); break;
        case CORE_MODULO:
        case CORE_COMPARE: z = sum_truth(m, id, was, count); break;
        default: break; /* counts are read by their sums */
        }
        m->truth[id] = z;
    }
    work_at(m->work);
}

uint32_t language_step_after(const language_step *m, size_t k, uint32_t lane) {
    const coordinate *c = &m->coordinates[k];
    if (c->kind == MEMORY_EDGE) return 0;
    if (c->kind == MEMORY_REMAINDER || c->kind == MEMORY_SUM) return m->number[k * LANES + lane];
    lanes x = m->truth[c->remembers];
    bool yes = x.yes >> lane & 1, no = x.no >> lane & 1;
    return yes && no ? OPEN : yes;
}

uint64_t language_step_lanes_after(const language_step *m, size_t k, uint32_t value) {
    const coordinate *c = &m->coordinates[k];
    if (c->kind == MEMORY_EDGE) return value ? 0 : UINT64_MAX;
    if (c->kind == MEMORY_REMAINDER || c->kind == MEMORY_SUM) {
        uint64_t all = 0;
        for (uint32_t lane = 0; lane < LANES; lane++) all |= (uint64_t)(m->number[k * LANES + lane] == value) << lane;
        return all;
    }
    lanes x = m->truth[c->remembers];
    return value == OPEN ? x.yes & x.no : value ? x.yes & ~x.no : x.no & ~x.yes;
}

uint32_t language_step_lanes(const language_step *m, uint32_t block) {
    uint32_t left = m->letter_count - block * LANES;
    return left < LANES ? left : LANES;
}

void language_step_begin(language_step *m) {
    list_nodes(m);
    if (m->why_not) return;
    list_letters(m);
    m->truth = arena_zalloc(m->arena, m->f->count, sizeof *m->truth);
    m->number = arena_zalloc(m->arena, m->width * LANES + 1, sizeof *m->number);
}
