#include "decide/language_reason.h"

#include "logic/core.h"

language_reason language_reason_for(const language_step *s, arena *a) {
    return (language_reason){
        .s = s, .need = arena_zalloc(a, s->f->count, sizeof(uint64_t)), .wanted = arena_zalloc(a, s->width + 1, 1)};
}

void language_reason_begin(language_reason *r, const uint32_t *said) {
    for (size_t k = 0; k < r->s->width; k++) r->wanted[k] = said[k] != OPEN;
}

void language_reason_ask(language_reason *r, node_id id, uint64_t lanes_here) { r->need[id] |= lanes_here; }

/* A number is settled by its own memory and by what it counts, as its truth is. */
void language_reason_ask_after(language_reason *r, size_t k, uint64_t lanes_here) {
    const coordinate *c = &r->s->coordinates[k];
    if (c->kind != MEMORY_EDGE) language_reason_ask(r, c->remembers, lanes_here);
}

static uint64_t is_true(const language_reason *r, node_id id) { return r->s->truth[id].yes & ~r->s->truth[id].no; }
static uint64_t is_false(const language_reason *r, node_id id) { return r->s->truth[id].no & ~r->s->truth[id].yes; }

/* What it takes to ask a node: nothing, a coordinate that is wanted already, or one more. */
static unsigned cost(const language_reason *r, node_id id, uint64_t lanes_here) {
    const language_step *s = r->s;
    while (core_at(s->f, id).kind == CORE_NOT && lanes_here & ~r->need[id]) id = formula_kid(s->f, id, 0);
    core_kind kind = core_at(s->f, id).kind;
    if (kind == CORE_LETTERS || kind == CORE_CONSTANT || !(lanes_here & ~r->need[id])) return 0;
    if (kind == CORE_EDGE || kind == CORE_STEP) return r->wanted[s->coordinate_of[id]] ? 0 : 1;
    return 2;
}

/* In lanes where one operand settles a gate, one that does is asked, the cheapest first; elsewhere all are. */
static void ask_gate(language_reason *r, node_id id, uint64_t lanes_here) {
    const language_step *s = r->s;
    bool is_and = formula_at(s->f, id)->op == OP_AND;
    size_t count = formula_at(s->f, id)->kid_count;
    uint64_t by_one = lanes_here & (is_and ? is_false(r, id) : is_true(r, id)), by_all = lanes_here & ~by_one;
    for (size_t k = 0; k < count && by_all; k++) language_reason_ask(r, formula_kid(s->f, id, k), by_all);
    for (unsigned price = 0; price < 3 && by_one; price++)
        for (size_t k = count; k-- > 0 && by_one;) {
            node_id x = formula_kid(s->f, id, k);
            uint64_t settles = by_one & (is_and ? is_false(r, x) : is_true(r, x));
            if (!settles || cost(r, x, settles) > price) continue;
            language_reason_ask(r, x, settles);
            by_one &= ~settles;
        }
}

/* y or (x and old), and the same with all negated. */
static void ask_since(language_reason *r, node_id id, uint64_t lanes_here, bool negated) {
    node_id x = formula_kid(r->s->f, id, 0), y = formula_kid(r->s->f, id, 1);
    uint64_t by_y = lanes_here & (negated ? is_false(r, y) : is_true(r, y)), rest = lanes_here & ~by_y;
    uint64_t by_x = rest & (negated ? is_true(r, x) : is_false(r, x));
    uint64_t holds = rest & (negated ? is_false(r, id) : is_true(r, id));
    language_reason_ask(r, y, lanes_here & ~holds);
    language_reason_ask(r, x, by_x | holds);
    if (rest & ~by_x) r->wanted[r->s->coordinate_of[id]] = 1;
}

static void ask_once(language_reason *r, node_id id, uint64_t lanes_here, bool always, uint32_t before) {
    node_id x = formula_kid(r->s->f, id, 0);
    uint64_t by_x = lanes_here & (always ? is_false(r, x) : is_true(r, x));
    bool by_old = always ? before == 0 : before == 1;
    if (by_old && r->wanted[r->s->coordinate_of[id]]) return;
    language_reason_ask(r, x, by_old ? by_x : lanes_here);
    if (lanes_here & ~by_x) r->wanted[r->s->coordinate_of[id]] = 1;
}

static void ask_sum(language_reason *r, node_id id, uint64_t lanes_here) {
    const formula *f = r->s->f;
    r->wanted[r->s->coordinate_of[id]] = 1;
    for (size_t k = 0; k < formula_at(f, id)->kid_count; k++)
        language_reason_ask(r, formula_kid(f, formula_kid(f, id, k), 0), lanes_here);
}

/* Parents stand behind their kids, so from the last node to the first all is asked for before it is looked at. */
void language_reason_find(language_reason *r, const uint32_t *before) {
    const language_step *s = r->s;
    for (size_t k = s->node_count; k-- > 0;) {
        node_id id = s->nodes[k];
        uint64_t here = r->need[id];
        const formula_node *n = formula_at(s->f, id);
        if (!here) continue;
        core c = core_of(n->op);
        switch (c.kind) {
        case CORE_NOT: language_reason_ask(r, formula_kid(s->f, id, 0), here); break;
        case CORE_GATE: ask_gate(r, id, here); break;
        case CORE_XOR:
        case CORE_IMPLIES:
            for (size_t i = 0; i < 2; i++) language_reason_ask(r, formula_kid(s->f, id, i), here);
            break;
        case CORE_EDGE:
        case CORE_STEP: r->wanted[s->coordinate_of[id]] = 1; break;
        case CORE_RANGE: ask_once(r, id, here, c.all, before[s->coordinate_of[id]]); break;
        case CORE_SINCE: ask_since(r, id, here, c.all); break;
        case CORE_MODULO:
        case CORE_COMPARE: ask_sum(r, id, here); break;
        default: break; /* letters and constants */
        }
        r->need[id] = 0;
    }
}
