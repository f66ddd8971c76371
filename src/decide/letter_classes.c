#include "decide/letter_classes.h"

#include <string.h>

/* Letters times sets: a second or so. */
#define LETTER_WORK ((uint64_t)1 << 28)

/* Numbers classes by their first letters; `name` has room for *count names. */
static void number_by_first(uint32_t *class_of, uint32_t *count, uint32_t letters, uint32_t *name) {
    uint32_t named = 0;
    for (uint32_t k = 0; k < *count; k++) name[k] = UINT32_MAX;
    for (uint32_t k = 0; k < letters; k++) {
        uint32_t *to = &name[class_of[k]];
        if (*to == UINT32_MAX) *to = named++;
        class_of[k] = *to;
    }
    *count = named;
}

uint32_t *formula_letter_classes(uint32_t *count, const formula *f, node_id root, uint32_t letters, arena *a) {
    uint32_t *class_of = arena_zalloc(a, letters, sizeof *class_of);
    uint32_t *name = arena_alloc(a, 2 * (size_t)letters + 2, sizeof *name);
    const unsigned char *marks = formula_reachable(f, root, a);
    uint64_t sets = 0;
    for (node_id id = 1; id <= root; id++) sets += marks[id] && formula_at(f, id)->op == OP_LETTERS;
    if (sets * letters > LETTER_WORK)
        trap_raise(a->trap, TEMPER_LIMIT, 0, 0, "%u letters and %llu sets of letters are too many to tell apart",
                   letters, (unsigned long long)sets);
    *count = letters ? 1 : 0;
    for (node_id id = 1; id <= root; id++) {
        const formula_node *n = formula_at(f, id);
        if (marks[id] && (n->op == OP_MATCHES || n->op == OP_MATCHES_REST))
            class_of = classes_join(count, class_of, f->languages[n->set].automaton->class_of, letters, a);
        if (!marks[id] || n->op != OP_LETTERS) continue;
        for (uint32_t k = 0; k < letters; k++) class_of[k] = 2 * class_of[k] + formula_has_letter(f, id, k);
        *count *= 2;
        number_by_first(class_of, count, letters, name);
    }
    return class_of;
}

uint32_t *class_first_letters(const uint32_t *class_of, uint32_t classes, uint32_t letters, arena *a) {
    uint32_t *first = arena_alloc(a, classes, sizeof *first);
    for (uint32_t k = letters; k-- > 0;) first[class_of[k]] = k;
    return first;
}
