#include "automata/cycle_witness.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_SHOWN = 24, STATES_SHOWN = 12 };

/* Loops at the representative R: from R to a set of the component, perhaps a letter, and back to R by shortest paths.
   Every loop is a product of these and their inverses, so their permutations generate all. */
typedef struct loop_list {
    class_word *words;
    size_t count, capacity;
} loop_list;

static void add_loop(loop_list *l, const skeleton *s, uint32_t root, uint32_t set, uint32_t letter, arena *a) {
    size_t there, back;
    bool by_letter = letter != NO_SET;
    uint32_t *out = skeleton_path(&there, s, root, set, a);
    uint32_t *home = skeleton_path(&back, s, by_letter ? skeleton_image(s, set, letter) : set, root, a);
    class_word w = {.length = there + by_letter + back};
    w.classes = arena_alloc(a, w.length + 1, sizeof *w.classes);
    memcpy(w.classes, out, there * sizeof *out);
    if (by_letter) w.classes[there] = letter;
    memcpy(w.classes + there + by_letter, home, back * sizeof *home);
    array_push(a, l->words, l->count, l->capacity, w);
}

static int by_length(const void *x, const void *y) {
    const class_word *a = x, *b = y;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return a->length ? memcmp(a->classes, b->classes, a->length * sizeof *a->classes) : 0;
}

enum { LOOP_SET_LIMIT = 200 }; /* sets of a component whose loops are looked at */

static void find_loops(loop_list *l, const skeleton *s, uint32_t component, arena *a) {
    uint32_t root = s->first_member[component], seen = 0;
    for (uint32_t k = 0; k < s->set_count && seen < LOOP_SET_LIMIT; k++) {
        if (s->component[k] != component) continue;
        seen++;
        if (k != root) add_loop(l, s, root, k, NO_SET, a);
        for (uint32_t c = 0; c < s->d->class_count; c++) {
            uint32_t to = skeleton_image(s, k, c);
            if (to != NO_SET && s->component[to] == component) add_loop(l, s, root, k, c, a);
        }
    }
    if (l->count > 1) qsort(l->words, l->count, sizeof *l->words, by_length);
}

static uint32_t after(const dfa *d, uint32_t state, const class_word *w) {
    for (size_t k = 0; k < w->length; k++) state = dfa_next(d, state, w->classes[k]);
    return state;
}

void cycle_find(cycle_witness *out, const skeleton *s, uint32_t component, arena *a) {
    loop_list loops = {0};
    find_loops(&loops, s, component, a);
    *out = (cycle_witness){0};
    for (size_t k = 0; k < loops.count; k++)
        for (uint32_t q = 0; q < s->d->state_count; q++) {
            if (!skeleton_has(s, s->first_member[component], q)) continue;
            uint32_t next = after(s->d, q, &loops.words[k]);
            if (next == q) continue;
            out->word = loops.words[k];
            out->states = arena_alloc(a, s->d->state_count, sizeof *out->states);
            for (uint32_t p = q; !out->state_count || p != q; p = after(s->d, p, &out->word))
                out->states[out->state_count++] = p;
            return;
        }
}

/* How a loop moves the tiles of the representative. */
static void tile_permutation(uint32_t *out, const skeleton *s, uint32_t root, const class_word *w) {
    for (uint32_t t = 0; t < s->tile_count[root]; t++) {
        uint32_t set = s->tiles[root][t];
        for (size_t k = 0; k < w->length; k++) set = skeleton_image(s, set, w->classes[k]);
        for (out[t] = 0; s->tiles[root][out[t]] != set;) out[t]++;
    }
}

size_t generating_words(class_word *out, size_t most, const skeleton *s, uint32_t component, arena *a) {
    loop_list loops = {0};
    uint32_t root = s->first_member[component], degree = s->tile_count[root], order = 1;
    uint32_t *generators = arena_alloc(a, (most + 1) * degree, sizeof *generators);
    size_t count = 0;
    find_loops(&loops, s, component, a);
    for (size_t k = 0; k < loops.count && count < most; k++) {
        group g;
        tile_permutation(generators + count * degree, s, root, &loops.words[k]);
        if (!group_generate(&g, generators, count + 1, degree, a)) {
            out[count++] = loops.words[k];
            break;
        }
        if (g.order == order) continue;
        order = g.order;
        out[count++] = loops.words[k];
    }
    return count;
}

const char *class_word_text(const class_word *w, const dfa *d, const alphabet *letters, arena *a) {
    uint32_t *least = dfa_class_letters(d, a);
    text t;
    text_init(&t, a);
    for (size_t k = 0; k < w->length; k++) {
        if (k == WORD_SHOWN) {
            text_puts(&t, letters->tokens ? " ..." : "...");
            break;
        }
        if (k && letters->tokens) text_putc(&t, ' ');
        text_puts(&t, letters->letters[least[w->classes[k]]]);
    }
    return text_escaped(a, text_string(&t), t.length, 0);
}

const char *state_set_text(const skeleton *s, uint32_t set, arena *a) {
    text t;
    uint32_t shown = 0;
    text_init(&t, a);
    for (uint32_t q = 0; q < s->d->state_count; q++) {
        if (!skeleton_has(s, set, q)) continue;
        if (shown == STATES_SHOWN) {
            text_puts(&t, ", ...");
            break;
        }
        text_printf(&t, "%s%u", shown++ ? ", " : "{", q);
    }
    text_putc(&t, '}');
    return text_string(&t);
}
