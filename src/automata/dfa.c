#include "automata/dfa.h"

#include <string.h>

#include "automata/partition.h"
#include "base/table.h"

dfa *dfa_new(arena *a, uint32_t states, uint32_t classes, uint32_t letters) {
    dfa *d = arena_zalloc(a, 1, sizeof *d);
    d->state_count = states;
    d->class_count = classes;
    d->letter_count = letters;
    d->next = arena_alloc(a, (size_t)states * classes, sizeof *d->next);
    d->accepts = arena_zalloc(a, states, 1);
    d->class_of = arena_alloc(a, letters, sizeof *d->class_of);
    return d;
}

dfa *dfa_copy(arena *a, const dfa *d) {
    dfa *made = dfa_new(a, d->state_count, d->class_count, d->letter_count);
    made->start = d->start;
    memcpy(made->accepts, d->accepts, d->state_count);
    if (d->class_count) memcpy(made->next, d->next, (size_t)d->state_count * d->class_count * sizeof *d->next);
    if (d->letter_count) memcpy(made->class_of, d->class_of, d->letter_count * sizeof *d->class_of);
    return made;
}

uint32_t dfa_run(const dfa *d, const uint32_t *word, size_t n) {
    uint32_t state = d->start;
    for (size_t k = 0; k < n; k++) state = dfa_next(d, state, d->class_of[word[k]]);
    return state;
}

uint32_t *dfa_class_letters(const dfa *d, arena *a) {
    uint32_t *letter = arena_alloc(a, d->class_count, sizeof *letter);
    for (uint32_t c = 0; c < d->class_count; c++) letter[c] = UINT32_MAX;
    for (uint32_t k = d->letter_count; k-- > 0;) letter[d->class_of[k]] = k;
    return letter;
}

uint32_t *classes_join(uint32_t *count, const uint32_t *x, const uint32_t *y, uint32_t letters, arena *a) {
    uint32_t *class_of = arena_alloc(a, letters, sizeof *class_of);
    uint64_t *key = arena_alloc(a, letters, sizeof *key);
    table seen;
    bool fresh;
    table_init(&seen, a);
    *count = 0;
    for (uint32_t k = 0; k < letters; k++) {
        key[k] = (uint64_t)x[k] << 32 | y[k];
        class_of[k] = *table_put(&seen, &key[k], sizeof key[k], *count, &fresh);
        *count += fresh;
    }
    return class_of;
}

/* ---- the minimal automaton ---- */

/* Classes whose columns agree for all states become one; classes without letters are left out. */
static dfa *merge_classes(arena *a, const dfa *d) {
    uint32_t count = 0, *letter = dfa_class_letters(d, a);
    uint32_t *name = arena_alloc(a, d->class_count, sizeof *name),
             *kept = arena_alloc(a, d->class_count, sizeof *kept);
    size_t column = d->state_count * sizeof *d->next;
    table seen;
    bool fresh;
    table_init(&seen, a);
    for (uint32_t k = 0; k < d->letter_count; k++) {
        uint32_t c = d->class_of[k];
        if (letter[c] != k) continue; /* named at its first letter */
        uint32_t *key = arena_alloc(a, d->state_count, sizeof *key);
        for (uint32_t s = 0; s < d->state_count; s++) key[s] = dfa_next(d, s, c);
        name[c] = *table_put(&seen, key, column, count, &fresh);
        if (fresh) kept[count++] = c;
    }
    dfa *made = dfa_new(a, d->state_count, count, d->letter_count);
    made->start = d->start;
    memcpy(made->accepts, d->accepts, d->state_count);
    for (uint32_t s = 0; s < d->state_count; s++)
        for (uint32_t c = 0; c < count; c++) made->next[(size_t)s * count + c] = dfa_next(d, s, kept[c]);
    for (uint32_t k = 0; k < d->letter_count; k++) made->class_of[k] = name[d->class_of[k]];
    return made;
}

/* The states that can be reached, in the order of the least words that do. Classes are numbered by first letters. */
static dfa *number_states(arena *a, const dfa *d) {
    uint32_t *name = arena_alloc(a, d->state_count, sizeof *name);
    uint32_t *order = arena_alloc(a, d->state_count, sizeof *order), count = 1;
    for (uint32_t s = 0; s < d->state_count; s++) name[s] = UINT32_MAX;
    name[order[0] = d->start] = 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t c = 0; c < d->class_count; c++) {
            uint32_t to = dfa_next(d, order[k], c);
            if (name[to] != UINT32_MAX) continue;
            name[to] = count;
            order[count++] = to;
        }
    dfa *made = dfa_new(a, count, d->class_count, d->letter_count);
    for (uint32_t k = 0; k < count; k++) {
        made->accepts[k] = d->accepts[order[k]];
        for (uint32_t c = 0; c < d->class_count; c++)
            made->next[(size_t)k * d->class_count + c] = name[dfa_next(d, order[k], c)];
    }
    if (d->letter_count) memcpy(made->class_of, d->class_of, d->letter_count * sizeof *d->class_of);
    return made;
}

static dfa *merge_states(arena *a, const dfa *d) {
    uint32_t *colour = arena_alloc(a, d->state_count, sizeof *colour);
    for (uint32_t s = 0; s < d->state_count; s++) colour[s] = d->state_count > 1 ? d->accepts[s] : 0;
    uint32_t count = partition_refine(colour, d->next, d->state_count, d->class_count, a);
    dfa *made = dfa_new(a, count, d->class_count, d->letter_count);
    made->start = colour[d->start];
    for (uint32_t s = 0; s < d->state_count; s++) {
        made->accepts[colour[s]] = d->accepts[s];
        for (uint32_t c = 0; c < d->class_count; c++)
            made->next[(size_t)colour[s] * d->class_count + c] = colour[dfa_next(d, s, c)];
    }
    if (d->letter_count) memcpy(made->class_of, d->class_of, d->letter_count * sizeof *d->class_of);
    return made;
}

dfa *dfa_minimise(arena *a, const dfa *d) {
    dfa *reached = number_states(a, merge_classes(a, d));
    return number_states(a, merge_classes(a, merge_states(a, reached)));
}

bool dfa_equal(const dfa *x, const dfa *y) {
    return x->state_count == y->state_count && x->class_count == y->class_count &&
           x->letter_count == y->letter_count && x->start == y->start &&
           !memcmp(x->accepts, y->accepts, x->state_count) &&
           !memcmp(x->next, y->next, (size_t)x->state_count * x->class_count * sizeof *x->next) &&
           (!x->letter_count || !memcmp(x->class_of, y->class_of, x->letter_count * sizeof *x->class_of));
}

/* ---- two automata ---- */

static uint32_t find_root(uint32_t *parent, uint32_t s) {
    while (parent[s] != s) s = parent[s] = parent[parent[s]];
    return s;
}

typedef struct state_pair {
    uint32_t x, y;
    size_t from;     /* the pair it was first met from */
    uint32_t letter; /* by this letter */
} state_pair;

/* Pairs are met in the order of their least words. A pair that follows from earlier ones (Hopcroft and Karp 1971) is
   left out: a word that tells it apart tells one of those apart, whose own word is earlier. So the first pair that
   differs has the least difference, and no more than |x| + |y| pairs are looked at. */
bool dfa_same_language(uint32_t **word, size_t *n, const dfa *x, const dfa *y, arena *a) {
    uint32_t classes, states = x->state_count + y->state_count;
    const uint32_t *class_of = classes_join(&classes, x->class_of, y->class_of, x->letter_count, a);
    uint32_t *letter = arena_alloc(a, classes, sizeof *letter), *parent = arena_alloc(a, states, sizeof *parent);
    state_pair *pairs = arena_alloc(a, (size_t)states + 1, sizeof *pairs);
    size_t count = 1;
    for (uint32_t k = x->letter_count; k-- > 0;) letter[class_of[k]] = k;
    for (uint32_t s = 0; s < states; s++) parent[s] = s;
    pairs[0] = (state_pair){.x = x->start, .y = y->start};
    parent[x->start] = x->state_count + y->start;
    *word = NULL;
    *n = 0;
    for (size_t k = 0; k < count; k++) {
        state_pair p = pairs[k];
        if (x->accepts[p.x] != y->accepts[p.y]) {
            for (size_t at = k; at; at = pairs[at].from) ++*n;
            *word = arena_alloc(a, *n, sizeof **word);
            for (size_t at = k, i = *n; at; at = pairs[at].from) (*word)[--i] = pairs[at].letter;
            return false;
        }
        for (uint32_t c = 0; c < classes; c++) {
            state_pair next = {.x = dfa_next(x, p.x, x->class_of[letter[c]]),
                               .y = dfa_next(y, p.y, y->class_of[letter[c]]),
                               .from = k,
                               .letter = letter[c]};
            uint32_t s = find_root(parent, next.x), t = find_root(parent, x->state_count + next.y);
            if (s == t) continue;
            parent[s] = t;
            pairs[count++] = next;
        }
    }
    return true;
}

/* Backwards from those that accept: the letters that lead to each state, sorted by it, then a search. */
unsigned char *dfa_alive(arena *a, const dfa *d) {
    uint32_t n = d->state_count, k = d->class_count, *stack = arena_alloc(a, n, sizeof *stack), count = 0;
    unsigned char *alive = arena_alloc(a, n, 1);
    size_t moves = (size_t)n * k, *first = arena_zalloc(a, (size_t)n + 1, sizeof *first);
    uint32_t *from = arena_alloc(a, moves, sizeof *from);
    for (size_t m = 0; m < moves; m++) first[d->next[m]]++;
    for (uint32_t q = 0; q < n; q++) first[q + 1] += first[q];
    for (size_t m = moves; m-- > 0;) from[--first[d->next[m]]] = (uint32_t)(m / k);
    memcpy(alive, d->accepts, n);
    for (uint32_t q = 0; q < n; q++)
        if (alive[q]) stack[count++] = q;
    while (count) {
        uint32_t to = stack[--count];
        for (size_t m = first[to]; m < first[to + 1]; m++) {
            if (alive[from[m]]) continue;
            alive[from[m]] = 1;
            stack[count++] = from[m];
        }
    }
    return alive;
}
