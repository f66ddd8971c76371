/* The automaton of a formula: everything that its coordinates can be, found by following every letter
   (doc/certificate.md, "Language models"). */
#include <string.h>

#include "audit/audit_language.h"
#include "base/work.h"

enum { FORMULA_STATES = 1 << 17 };

typedef struct walk {
    language_table t;
    language_stepping s;
    uint32_t *letters; /* one of each class */
    uint32_t classes;
    uint32_t *class_of;
    table index;      /* a state's numbers -> its number */
    uint32_t **found; /* [states] truth at the last letter, or 2 before the first one; then coordinates */
    size_t count, capacity;
    uint64_t work;
} walk;

/* Letters that neither the formula nor its languages tell apart. */
static void find_classes(walk *w) {
    const temper_spec *spec = w->t.spec;
    const formula *f = &spec->graph;
    size_t letters = spec->letters.count, width = 0;
    arena *a = w->t.arena;
    for (size_t k = 0; k < w->t.node_count; k++) {
        formula_op op = formula_at(f, w->t.nodes[k])->op;
        width += op == OP_LETTERS || op == OP_MATCHES;
    }
    if (width * letters > work_limit(LANGUAGE_WORK) / 64)
        trap_raise_remedy(a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "a source with more sets of letters than are audited");
    w->letters = arena_alloc(a, letters, sizeof *w->letters);
    w->class_of = arena_alloc(a, letters, sizeof *w->class_of);
    table index;
    table_init(&index, a);
    for (uint32_t l = 0; l < letters; l++) {
        uint32_t *key = arena_alloc(a, width, sizeof *key);
        size_t at = 0;
        bool fresh;
        for (size_t k = 0; k < w->t.node_count; k++) {
            const formula_node *n = formula_at(f, w->t.nodes[k]);
            if (n->op == OP_LETTERS) key[at++] = formula_has_letter(f, w->t.nodes[k], l);
            if (n->op == OP_MATCHES) key[at++] = w->t.languages[n->set]->class_of[l];
        }
        w->class_of[l] = *table_put(&index, key, width * sizeof *key, w->classes, &fresh);
        if (fresh) w->letters[w->classes++] = l;
    }
}

static uint32_t state_of(walk *w, const uint32_t *numbers) {
    arena *a = w->t.arena;
    size_t size = (w->t.width + 1) * sizeof *numbers;
    const uint32_t *known = table_find(&w->index, numbers, size);
    if (known) return *known;
    if (w->count >= work_limit(FORMULA_STATES))
        trap_raise_remedy(a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "a source with more states than are audited");
    uint32_t *kept = arena_alloc(a, w->t.width + 1, sizeof *kept), number = (uint32_t)w->count;
    bool fresh;
    memcpy(kept, numbers, size);
    table_put(&w->index, kept, size, number, &fresh);
    array_push(a, w->found, w->count, w->capacity, kept);
    return number;
}

automaton *language_automaton(const temper_spec *spec, bool forward, bool accepts_empty,
                              const automaton *const *languages, arena *a) {
    walk w = {.t = {.spec = spec, .languages = languages, .is_source = true, .forward = forward, .arena = a}};
    language_coordinates(&w.t);
    language_stepping_begin(&w.s, &w.t);
    find_classes(&w);
    table_init(&w.index, a);
    uint32_t *numbers = arena_zalloc(a, w.t.width + 1, sizeof *numbers), *next = NULL;
    size_t next_count = 0, next_capacity = 0;
    w.s.after = numbers + 1;
    numbers[0] = 2;
    for (size_t k = 0; k < w.t.width; k++) numbers[k + 1] = w.t.coordinates[k].start;
    state_of(&w, numbers);
    uint64_t most = work_limit(LANGUAGE_WORK);
    work_begin("following the source for its automaton", most);
    for (size_t q = 0; q < w.count; q++)
        for (uint32_t c = 0; c < w.classes; c++) {
            w.work += w.t.node_count + spec->graph.kid_count + w.t.width + 1;
            work_at(w.work);
            if (w.work > most)
                trap_raise_remedy(a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                                  "the automaton of a source takes more steps than are audited");
            numbers[0] = language_step(&w.s, w.found[q] + 1, w.letters[c]);
            uint32_t to = state_of(&w, numbers);
            array_push(a, next, next_count, next_capacity, to);
        }
    automaton x = {.states = (uint32_t)w.count, .classes = w.classes, .class_of = w.class_of, .next = next};
    x.accepts = arena_zalloc(a, w.count, 1);
    for (size_t q = 0; q < w.count; q++) x.accepts[q] = w.found[q][0] == 2 ? accepts_empty : w.found[q][0] == 1;
    automaton *least = automaton_least(a, &x, spec->letters.count);
    return forward ? automaton_reversed(a, least, spec->letters.count) : least;
}
