#include "decide/language_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/work.h"
#include "decide/language_reason.h"

#define NONE UINT32_MAX

/* Each state of the automaton has a tree of questions about coordinates, and its leaves are the rows: a row says the
   answers on its way, and leaves all else open. Trees begin as one leaf. Where a row has too little to settle the
   formula, or a question of a next state's tree, it becomes a question itself. */
typedef struct tree_node {
    uint32_t coordinate;    /* NONE: a leaf */
    uint32_t value, parent; /* the answer that led here; NONE: a root */
    uint32_t kid, sibling;  /* NONE: none */
    uint32_t *actual;       /* of a leaf that was met: the coordinates of some string that leads to it */
    uint32_t pass;          /* the last one in which it was met */
} tree_node;

/* The letters of a block that lead from a state to one and the same state. */
typedef struct move {
    uint32_t to;
    uint64_t lanes;
} move;

typedef struct moves {
    move *all;
    size_t count, capacity;
} moves;

typedef struct maker {
    language_step step;
    size_t width;
    moves *moves; /* [states][blocks] */
    language_reason reason;
    arena *arena;
    tree_node *nodes; /* the roots first, by state */
    size_t node_count, node_capacity;
    uint32_t *state_of; /* [nodes] */
    size_t state_count, state_capacity;
    uint32_t *met; /* rows of this pass, in the order in which they are met */
    size_t count, capacity;
    uint32_t pass;
    uint32_t *said, *trial, *after; /* [width + 2] */
    bool grown;                     /* a row of this pass had too little */
    table_limits limits;
    const char *why_not;
} maker;

static uint32_t add_node(maker *m, uint32_t state, uint32_t parent, uint32_t value) {
    tree_node n = {.coordinate = NONE, .value = value, .parent = parent, .kid = NONE, .sibling = NONE};
    if (parent != NONE) {
        n.sibling = m->nodes[parent].kid;
        m->nodes[parent].kid = (uint32_t)m->node_count;
    }
    array_push(m->arena, m->state_of, m->state_count, m->state_capacity, state);
    array_push(m->arena, m->nodes, m->node_count, m->node_capacity, n);
    return (uint32_t)m->node_count - 1;
}

static uint32_t kid_of(maker *m, uint32_t node, uint32_t value) {
    for (uint32_t k = m->nodes[node].kid; k != NONE; k = m->nodes[k].sibling)
        if (m->nodes[k].value == value) return k;
    return add_node(m, m->state_of[node], node, value);
}

static uint32_t block_count(const maker *m) { return (m->step.letter_count + LANES - 1) / LANES; }

static uint32_t next_state(const maker *m, uint32_t state, uint32_t block, uint32_t lane) {
    const dfa *d = m->step.d;
    return dfa_next(d, state, d->class_of[m->step.letters[block * LANES + lane]]);
}

static moves *moves_of(const maker *m, uint32_t state, uint32_t block) {
    return &m->moves[(size_t)state * block_count(m) + block];
}

static void list_moves(maker *m) {
    uint32_t blocks = block_count(m);
    m->moves = arena_zalloc(m->arena, (size_t)m->step.d->state_count * blocks, sizeof *m->moves);
    for (uint32_t state = 0; state < m->step.d->state_count; state++)
        for (uint32_t block = 0; block < blocks; block++)
            for (uint32_t lane = 0; lane < language_step_lanes(&m->step, block); lane++) {
                moves *all = moves_of(m, state, block);
                uint32_t to = next_state(m, state, block, lane);
                size_t k = 0;
                while (k < all->count && all->all[k].to != to) k++;
                if (k == all->count) array_push(m->arena, all->all, all->count, all->capacity, (move){.to = to});
                all->all[k].lanes |= (uint64_t)1 << lane;
            }
}

static void refuse_work(maker *m) {
    text t;
    text_init(&t, m->arena);
    text_printf(&t, "too much would have to be looked at, more than %llu steps; more effort allows more",
                (unsigned long long)m->limits.work);
    m->why_not = text_string(&t);
}

/* The row of a state that these coordinates fall into, as a step has left them in a lane. NONE: a question is open.
   */
static uint32_t row_after(maker *m, uint32_t state, uint32_t lane) {
    uint32_t node = state;
    while (m->nodes[node].coordinate != NONE) {
        uint32_t value = language_step_after(&m->step, m->nodes[node].coordinate, lane);
        m->step.work++;
        if (value == OPEN) return NONE;
        node = kid_of(m, node, value);
    }
    return node;
}

/* Whether the questions below a node are settled in all of these lanes. Each call has fewer lanes than the last. */
static bool falls_into_rows(maker *m, uint32_t node, uint64_t lanes_here) {
    while (m->nodes[node].coordinate != NONE) {
        uint32_t lane = (uint32_t)__builtin_ctzll(lanes_here);
        uint32_t value = language_step_after(&m->step, m->nodes[node].coordinate, lane);
        uint64_t same = language_step_lanes_after(&m->step, m->nodes[node].coordinate, value) & lanes_here;
        m->step.work++;
        if (value == OPEN) return false;
        if (same != lanes_here && !falls_into_rows(m, node, lanes_here & ~same)) return false;
        node = kid_of(m, node, value);
        lanes_here = same;
    }
    return true;
}

/* The questions below a node that these lanes are asked, for their reasons; none is open. */
static void ask_questions(maker *m, uint32_t node, uint64_t lanes_here) {
    while (m->nodes[node].coordinate != NONE) {
        uint32_t lane = (uint32_t)__builtin_ctzll(lanes_here);
        uint32_t value = language_step_after(&m->step, m->nodes[node].coordinate, lane);
        uint64_t same = language_step_lanes_after(&m->step, m->nodes[node].coordinate, value) & lanes_here;
        language_reason_ask_after(&m->reason, m->nodes[node].coordinate, lanes_here);
        if (same != lanes_here) ask_questions(m, node, lanes_here & ~same);
        node = kid_of(m, node, value);
        lanes_here = same;
    }
}

/* Whether coordinates are enough for all letters: the formula is settled, and right, and so are the rows that
   follow. */
static bool is_enough(maker *m, uint32_t state, const uint32_t *coordinates) {
    language_step *s = &m->step;
    for (uint32_t block = 0; block < block_count(m); block++) {
        const moves *all = moves_of(m, state, block);
        language_step_make(s, coordinates, block);
        lanes root = s->truth[s->root];
        for (size_t k = 0; k < all->count; k++)
            if ((s->d->accepts[all->all[k].to] ? root.no : root.yes) & all->all[k].lanes) return false;
        for (size_t k = 0; k < all->count; k++)
            if (!falls_into_rows(m, all->all[k].to, all->all[k].lanes)) return false;
    }
    return true;
}

/* What a row says, in m->said. */
static void say(maker *m, uint32_t row) {
    for (size_t k = 0; k < m->width; k++) m->said[k] = OPEN;
    for (uint32_t k = row; m->nodes[k].parent != NONE; k = m->nodes[k].parent)
        m->said[m->nodes[m->nodes[k].parent].coordinate] = m->nodes[k].value;
}

/* Leaves open, in m->trial, what does not matter to the reasons for which actual coordinates are enough;
   none of these is open. */
static void keep_reasons(maker *m, uint32_t state, const uint32_t *actual) {
    language_step *s = &m->step;
    language_reason_begin(&m->reason, m->said);
    for (uint32_t block = 0; block < block_count(m); block++) {
        const moves *all = moves_of(m, state, block);
        language_step_make(s, actual, block);
        for (size_t k = 0; k < all->count; k++) {
            language_reason_ask(&m->reason, s->root, all->all[k].lanes);
            ask_questions(m, all->all[k].to, all->all[k].lanes);
        }
        language_reason_find(&m->reason, actual);
        s->work += s->node_count;
    }
    for (size_t k = 0; k < m->width; k++) m->trial[k] = m->reason.wanted[k] ? actual[k] : OPEN;
}

/* Opens as many as possible of the coordinates from..to-1 of m->trial that m->said leaves open, halves first, so that
   few steps are made where few matter. Later ones are nearer to the root, so earlier ones are opened first. The depth
   is the logarithm of the width. */
static void open_some(maker *m, uint32_t state, const uint32_t *actual, size_t from, size_t to) {
    size_t any = 0;
    for (size_t k = from; k < to; k++)
        if (m->said[k] == OPEN && m->trial[k] != OPEN) m->trial[k] = OPEN, any++;
    if (!any || is_enough(m, state, m->trial)) return;
    for (size_t k = from; k < to; k++)
        if (m->reason.wanted[k]) m->trial[k] = actual[k];
    if (any == 1) return;
    size_t middle = from + (to - from) / 2;
    open_some(m, state, actual, from, middle);
    open_some(m, state, actual, middle, to);
}

/* Makes questions of a row that has too little; returns the row that its string falls into then. */
static uint32_t learn(maker *m, uint32_t row) {
    uint32_t state = m->state_of[row], *actual = m->nodes[row].actual;
    if (m->width) memcpy(m->trial, actual, m->width * sizeof *m->trial);
    if (!is_enough(m, state, m->trial)) {
        m->why_not = "it is not the language everywhere";
        return row;
    }
    keep_reasons(m, state, actual);
    open_some(m, state, actual, 0, m->width);
    for (size_t k = 0; k < m->width; k++)
        if (m->trial[k] != OPEN && m->said[k] == OPEN) {
            m->nodes[row].coordinate = (uint32_t)k;
            row = kid_of(m, row, m->trial[k]);
        }
    m->nodes[row].actual = actual;
    m->nodes[row].pass = m->pass;
    m->grown = true;
    if (m->node_count > 16 * m->limits.rows) m->why_not = "its operators remember too much";
    return row;
}

static bool has_enough(maker *m, uint32_t row) {
    say(m, row);
    return is_enough(m, m->state_of[row], m->said);
}

static void meet(maker *m, uint32_t row, const uint32_t *actual) {
    tree_node *n = &m->nodes[row];
    if (n->pass == m->pass) return;
    n->pass = m->pass;
    n->actual = arena_zalloc(m->arena, m->width + 2, sizeof *n->actual);
    if (m->width) memcpy(n->actual, actual, m->width * sizeof *actual);
    array_push(m->arena, m->met, m->count, m->capacity, row);
    if (m->count > m->limits.rows) m->why_not = "its operators remember too much";
}

/* Strings that fall into a row are led on by their actual coordinates: these fall into the row that any other string
   of this row falls into, where the row has enough. */
static void follow(maker *m, uint32_t row) {
    language_step *s = &m->step;
    const uint32_t *actual = m->nodes[row].actual;
    for (uint32_t block = 0; block < block_count(m) && !m->why_not; block++) {
        language_step_make(s, actual, block);
        for (uint32_t lane = 0; lane < language_step_lanes(s, block) && !m->why_not; lane++) {
            uint32_t to = row_after(m, next_state(m, m->state_of[row], block, lane), lane);
            if (m->nodes[to].pass == m->pass) continue;
            for (size_t k = 0; k < m->width; k++) m->after[k] = language_step_after(s, k, lane);
            meet(m, to, m->after);
        }
        if (s->work > m->limits.work) refuse_work(m);
    }
}

/* All rows that can be met; then, from the last to the first, since what a row needs its predecessors must know,
   those that have too little. */
static void make_pass(maker *m) {
    uint32_t start = m->step.d->start;
    m->pass++;
    m->count = 0;
    m->grown = false;
    for (size_t k = 0; k < m->width; k++) m->after[k] = m->step.coordinates[k].start;
    uint32_t first = start;
    while (m->nodes[first].coordinate != NONE) first = kid_of(m, first, m->after[m->nodes[first].coordinate]);
    meet(m, first, m->after);
    for (size_t k = 0; k < m->count && !m->why_not; k++) {
        if (!has_enough(m, m->met[k])) m->met[k] = learn(m, m->met[k]);
        if (!m->why_not) follow(m, m->met[k]);
    }
    for (bool again = m->grown; again && !m->why_not;) {
        again = false;
        for (size_t k = m->count; k-- > 0 && !m->why_not;) {
            if (m->nodes[m->met[k]].coordinate != NONE || has_enough(m, m->met[k])) continue;
            m->met[k] = learn(m, m->met[k]);
            again = true;
            if (m->step.work > m->limits.work) refuse_work(m);
        }
    }
}

/* ---- the result ---- */

/* Rows have their width in front while they are sorted. */
static int by_row(const void *a, const void *b) {
    const uint32_t *x = *(const uint32_t *const *)a, *y = *(const uint32_t *const *)b;
    for (uint32_t k = 1; k <= x[0]; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

static const char *row_text(const maker *m, const uint32_t *row) {
    text t;
    text_init(&t, m->arena);
    text_printf(&t, "%u:", row[0]);
    for (size_t k = 1; k <= m->width; k++)
        if (row[k] == OPEN)
            text_putc(&t, '-');
        else if (row[k] >= 36)
            text_printf(&t, "(%u)", row[k]);
        else
            text_putc(&t, (char)(row[k] < 10 ? '0' + row[k] : 'a' + row[k] - 10));
    return text_string(&t);
}

static void write_rows(language_rows *out, maker *m) {
    uint32_t **sorted = arena_alloc(m->arena, m->count, sizeof *sorted);
    for (size_t k = 0; k < m->count; k++) {
        sorted[k] = arena_alloc(m->arena, m->width + 2, sizeof **sorted);
        say(m, m->met[k]);
        sorted[k][0] = (uint32_t)m->width + 1;
        sorted[k][1] = m->state_of[m->met[k]];
        if (m->width) memcpy(sorted[k] + 2, m->said, m->width * sizeof **sorted);
    }
    qsort(sorted, m->count, sizeof *sorted, by_row);
    out->rows = arena_alloc(m->arena, m->count, sizeof *out->rows);
    out->count = m->count;
    for (size_t k = 0; k < m->count; k++) out->rows[k] = row_text(m, sorted[k] + 1);
}

table_limits language_table_allowed(void) {
    return (table_limits){work_limit(LANGUAGE_TABLE_LIMITS.work), (size_t)work_limit(LANGUAGE_TABLE_LIMITS.rows)};
}

language_rows language_table_of(const formula *f, node_id root, const dfa *d, bool forward,
                                const table_limits *limits, arena *a) {
    maker m = {.limits = *limits, .step = {.f = f, .d = d, .root = root, .forward = forward, .arena = a}, .arena = a};
    language_rows out = {0};
    work_begin("proving the language", limits->work);
    language_step_begin(&m.step);
    m.why_not = m.step.why_not;
    if (!m.why_not) {
        m.width = m.step.width;
        uint32_t **rows[] = {&m.said, &m.trial, &m.after}; /* a step may read one behind the last coordinate */
        for (size_t k = 0; k < 3; k++) *rows[k] = arena_zalloc(a, m.width + 2, sizeof **rows[k]);
        for (uint32_t q = 0; q < d->state_count; q++) add_node(&m, q, NONE, 0);
        list_moves(&m);
        m.reason = language_reason_for(&m.step, a);
    }
    do
        if (!m.why_not) make_pass(&m);
    while (m.grown && !m.why_not);
    if (!m.why_not) write_rows(&out, &m);
    out.why_not = m.why_not;
    out.work = m.step.work;
    return out;
}
