#include "decide/coordinates.h"

#include <string.h>

#include "decide/letter_classes.h"

typedef struct walk {
    arena *a;
    machine *m;
    const dfa *d;
    bool mirrored;
    decide_limits limits;
    size_t width;           /* of a memory */
    const uint32_t *letter; /* of each class */
    table index;            /* memory and state -> pair */
    slot **pairs;           /* the memory, then the state */
    size_t count, capacity;
    uint32_t *from, *by; /* which pair it was first met from, and the letter */
    size_t from_count, from_capacity, by_count, by_capacity;
    uint64_t work;
} walk;

static uint32_t pair_number(walk *w, const slot *pair, uint32_t from, uint32_t letter) {
    size_t bytes = (w->width + 1) * sizeof *pair;
    const uint32_t *known = table_find(&w->index, pair, bytes);
    if (known) return *known;
    if (w->count >= w->limits.states)
        trap_raise_remedy(w->a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "there are more than %u pairs of coordinates and states", w->limits.states);
    slot *kept = arena_alloc(w->a, w->width + 1, sizeof *kept);
    bool fresh;
    memcpy(kept, pair, bytes);
    table_put(&w->index, kept, bytes, (uint32_t)w->count, &fresh);
    array_push(w->a, w->from, w->from_count, w->from_capacity, from);
    array_push(w->a, w->by, w->by_count, w->by_capacity, letter);
    array_push(w->a, w->pairs, w->count, w->capacity, kept);
    return (uint32_t)w->count - 1;
}

/* The string that leads to a pair and then has one letter more. */
static void spell(coordinates_answer *out, const walk *w, uint32_t pair, uint32_t letter) {
    size_t n = 1;
    for (uint32_t p = pair; p; p = w->from[p]) n++;
    out->word = arena_alloc(w->a, n, sizeof *out->word);
    out->n = n;
    size_t at = n;
    out->word[--at] = letter;
    for (uint32_t p = pair; p; p = w->from[p]) out->word[--at] = w->by[p];
    for (size_t k = 0; w->mirrored && k < n / 2; k++) {
        uint32_t held = out->word[k];
        out->word[k] = out->word[n - 1 - k];
        out->word[n - 1 - k] = held;
    }
}

static void begin(walk *w) {
    slot *first = arena_zalloc(w->a, w->width + 1, sizeof *first);
    if (w->mirrored)
        machine_end(w->m, first);
    else
        machine_start(w->m, first);
    first[w->width] = w->d->start;
    table_init(&w->index, w->a);
    w->count = w->from_count = w->by_count = 0;
    pair_number(w, first, 0, 0);
}

/* One letter after a pair. false: a comparison must be widened */
static bool step(walk *w, slot *after, bool *truth, uint32_t pair, uint32_t class) {
    const slot *before = w->pairs[pair];
    uint32_t letter = w->letter[class];
    w->work += machine_node_count(w->m) + w->width + 1;
    if (w->work > w->limits.work)
        trap_raise_remedy(w->a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "going through all coordinates takes more than %llu steps",
                          (unsigned long long)w->limits.work);
    slot none;
    bool fine = w->mirrored ? machine_step(w->m, truth, &none, after, &none, before, letter)
                            : machine_step(w->m, truth, after, &none, before, &none, letter);
    after[w->width] = dfa_next(w->d, (uint32_t)before[w->width], w->d->class_of[letter]);
    return fine;
}

typedef enum walk_outcome { WALK_SAME, WALK_DIFFERS, WALK_AGAIN } walk_outcome;

/* Everything that can be met, in order; next and holds are filled as far as it goes. */
static walk_outcome walk_all(walk *w, coordinates_answer *out, uint32_t classes) {
    coordinate_table *t = &out->table;
    size_t next_count = 0, next_capacity = 0, holds_count = 0, holds_capacity = 0;
    slot *after = arena_alloc(w->a, w->width + 1, sizeof *after);
    *t = (coordinate_table){.class_count = classes, .coordinate_count = (uint32_t)w->width};
    begin(w);
    for (uint32_t p = 0; p < w->count; p++)
        for (uint32_t c = 0; c < classes; c++) {
            bool truth;
            if (!step(w, after, &truth, p, c)) return WALK_AGAIN;
            if (truth != w->d->accepts[after[w->width]]) {
                spell(out, w, p, w->letter[c]);
                out->formula_holds = truth;
                return WALK_DIFFERS;
            }
            array_push(w->a, t->next, next_count, next_capacity, pair_number(w, after, p, w->letter[c]));
            array_push(w->a, t->holds, holds_count, holds_capacity, truth);
        }
    return WALK_SAME;
}

static void list_pairs(coordinate_table *t, const walk *w) {
    node_id *nodes = arena_alloc(w->a, w->width, sizeof *nodes);
    for (size_t k = 0; k < w->width; k++) nodes[k] = machine_slot_at(w->m, k).node;
    t->nodes = nodes;
    t->pair_count = (uint32_t)w->count;
    t->values = arena_alloc(w->a, w->count * w->width, sizeof *t->values);
    t->states = arena_alloc(w->a, w->count, sizeof *t->states);
    for (size_t p = 0; p < w->count; p++) {
        if (w->width) memcpy(t->values + p * w->width, w->pairs[p], w->width * sizeof *t->values);
        t->states[p] = (uint32_t)w->pairs[p][w->width];
    }
}

void coordinates_decide(coordinates_answer *out, arena *a, const formula *f, node_id root, const alphabet *names,
                        const dfa *d, bool mirrored, const decide_limits *limits) {
    walk w = {.a = a, .m = machine_new(a, f, root), .d = d, .mirrored = mirrored};
    size_t other = mirrored ? machine_back_slots(w.m) : machine_forward_slots(w.m);
    uint32_t own_classes, classes;
    *out = (coordinates_answer){0};
    if (other)
        trap_raise(a->trap, TEMPER_UNSUPPORTED, 0, 0, "the formula looks %s, so it has no coordinates that %s",
                   mirrored ? "back" : "forward", mirrored ? "what follows settles" : "what was before settles");
    w.width = mirrored ? machine_forward_slots(w.m) : machine_back_slots(w.m);
    w.limits = limits ? *limits : decide_limits_usual();
    const uint32_t *own = formula_letter_classes(&own_classes, f, root, (uint32_t)names->count, a);
    uint32_t *class_of = classes_join(&classes, own, d->class_of, (uint32_t)names->count, a);
    w.letter = class_first_letters(class_of, classes, (uint32_t)names->count, a);
    walk_outcome outcome;
    while ((outcome = walk_all(&w, out, classes)) == WALK_AGAIN) machine_widen(w.m, names);
    out->same = outcome == WALK_SAME;
    if (!out->same) return;
    out->table.class_of = class_of;
    list_pairs(&out->table, &w);
}
