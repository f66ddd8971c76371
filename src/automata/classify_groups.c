/* Star-free and solvable, by the skeleton: the groups of an automaton are made of those by which words permute
   the tiles of a set that they lead back to itself (Zeiger 1967, Eilenberg 1976). So none of the elements of
   the syntactic monoid, of which there may be millions, has to be listed. */
#include "automata/classify.h"

#include <string.h>

#include "automata/group.h"
#include "automata/skeleton.h"
#include "base/work.h"

/* Sets times classes of letters; these times tiles, of all components. */
enum { SKELETON_CELLS = 1 << 22, PERMUTATION_WORK = 1 << 28 };

/* Permutations of the tiles of one component by its words, and the moves that make them. */
typedef struct permutations {
    uint32_t *moves; /* [count][degree] */
    uint32_t *set, *letter;
    size_t count, move_capacity, set_capacity, letter_capacity;
} permutations;

/* False: it would take too long. */
static bool find_permutations(permutations *out, const skeleton *s, uint32_t component, uint64_t *work, arena *a) {
    uint32_t degree = s->tile_count[s->first_member[component]];
    uint32_t *move = arena_alloc(a, degree, sizeof *move);
    size_t room = 0;
    table seen;
    table_init(&seen, a);
    *out = (permutations){0};
    for (uint32_t set = 0; set < s->set_count; set++)
        for (uint32_t c = 0; s->component[set] == component && c < s->d->class_count; c++) {
            uint32_t to = skeleton_image(s, set, c);
            bool fresh;
            if (to == NO_SET || s->component[to] != component) continue;
            *work += degree;
            if (*work > work_limit(PERMUTATION_WORK)) return false;
            if (!skeleton_move_tiles(move, s, set, c)) continue;
            if (table_find(&seen, move, degree * sizeof *move)) continue;
            uint32_t *kept = arena_alloc(a, degree, sizeof *kept);
            memcpy(kept, move, degree * sizeof *kept);
            table_put(&seen, kept, degree * sizeof *kept, 0, &fresh);
            for (uint32_t t = 0; t < degree; t++) array_push(a, out->moves, room, out->move_capacity, move[t]);
            size_t sets = out->count;
            array_push(a, out->set, sets, out->set_capacity, set);
            array_push(a, out->letter, out->count, out->letter_capacity, c);
        }
    return true;
}

static word_part path(const skeleton *s, uint32_t from, uint32_t to, arena *a) {
    word_part made = {0};
    made.word = skeleton_path(&made.length, s, from, to, a);
    return made;
}

static uint32_t run(const dfa *d, uint32_t state, word_part word) {
    for (size_t k = 0; k < word.length; k++) state = dfa_next(d, state, word.word[k]);
    return state;
}

/* A state of the set that the word moves; UINT32_MAX: it moves none. */
static uint32_t moved_state(const skeleton *s, uint32_t set, word_part word) {
    for (uint32_t q = 0; q < s->d->state_count; q++)
        if (skeleton_has(s, set, q) && run(s->d, q, word) != q) return q;
    return UINT32_MAX;
}

/* A word that leads the representative of a component back to itself and moves states of it, found from a move of
   tiles. The way to the set, the letter and a way back may cancel the move; then the way to the letter's image and
   the same way back moves as much. */
static word_part word_of(const skeleton *s, uint32_t component, uint32_t set, uint32_t letter, arena *a) {
    uint32_t root = s->first_member[component], to = skeleton_image(s, set, letter);
    word_part back = path(s, to, root, a);
    word_part there = words_joined(path(s, root, set, a), word_of_letter(letter, a), a);
    word_part made = words_joined(there, back, a);
    return moved_state(s, root, made) != UINT32_MAX ? made : words_joined(path(s, root, to, a), back, a);
}

/* The word permutes the states of the set, not all of them in place: u (v^p)^n z and u (v^p)^n v z. */
static void find_cycle(class_verdict *out, const dfa *d, const skeleton *s, uint32_t set, word_part v, arena *a) {
    uint32_t state = moved_state(s, set, v), period = 1;
    for (uint32_t at = run(d, state, v); at != state; at = run(d, at, v)) period++;
    word_part u = {0}, z = {0}, turn = {.power = true, .length = period * v.length};
    bool first = false;
    turn.word = arena_alloc(a, turn.length, sizeof *turn.word);
    for (uint32_t k = 0; k < period; k++) memcpy(turn.word + k * v.length, v.word, v.length * sizeof *v.word);
    dfa_path(&u, d, d->start, state, 0, a);
    dfa_tell_apart(&z, &first, d, state, run(d, state, v), a);
    word_family even = {0}, odd;
    if (u.length) even.parts[even.count++] = u;
    even.parts[even.count++] = turn;
    odd = even;
    odd.parts[odd.count++] = v;
    if (z.length) even.parts[even.count++] = odd.parts[odd.count++] = z;
    out->accepted = first ? even : odd;
    out->rejected = first ? odd : even;
}

/* One component; true if it settles both questions: a group that is not solvable. */
static bool look_at(class_verdict *star_free, class_verdict *solvable, const skeleton *s, uint32_t component,
                    uint64_t *work, arena *a) {
    uint32_t root = s->first_member[component], degree = s->tile_count[root];
    permutations p;
    group g;
    group_series series;
    if (!degree) return false;
    if (!find_permutations(&p, s, component, work, a)) {
        *solvable = class_unknown("moves of sets of states take", work_limit(PERMUTATION_WORK), "steps");
        if (star_free->answer == CLASS_YES) *star_free = *solvable;
        return false;
    }
    if (!p.count) return false;
    if (star_free->answer != CLASS_NO) {
        star_free->answer = CLASS_NO;
        star_free->group_states = s->sizes[root];
        find_cycle(star_free, s->d, s, root, word_of(s, component, p.set[0], p.letter[0], a), a);
    }
    if (!group_generate(&g, p.moves, p.count, degree, a)) {
        *solvable = class_unknown("words permute states in", group_most(degree), "ways");
        return false;
    }
    group_derive(&series, &g, a);
    if (series.core_order == 1) return false;
    solvable->answer = CLASS_NO;
    solvable->group_states = s->sizes[root];
    solvable->group_order = g.order;
    solvable->core_order = series.core_order;
    solvable->generator_count = p.count < 2 ? p.count : 2;
    for (size_t k = 0; k < solvable->generator_count; k++)
        solvable->generators[k] = word_of(s, component, p.set[k], p.letter[k], a);
    return true;
}

void classify_groups(class_verdict *star_free, class_verdict *solvable, const dfa *d, arena *a) {
    unsigned char *live = arena_alloc(a, d->state_count, 1);
    skeleton s;
    bool any = false;
    for (uint32_t k = 0; k < d->state_count; k++) { /* where nothing is accepted any more has no part in it */
        live[k] = d->accepts[k];
        for (uint32_t c = 0; c < d->class_count; c++) live[k] |= dfa_next(d, k, c) != k;
        any |= live[k];
    }
    *star_free = *solvable = (class_verdict){.answer = CLASS_YES};
    if (!any) return;
    uint64_t most = work_limit(SKELETON_CELLS) / (d->class_count ? d->class_count : 1) + 1;
    uint64_t steps = work_limit(SKELETON_WORK);
    if (most > work_limit(SKELETON_SET_LIMIT)) most = work_limit(SKELETON_SET_LIMIT);
    if (!skeleton_build(&s, d, live, most, steps, a)) {
        *star_free = *solvable = s.over_work ? class_unknown("sets of states take", steps, "steps to find")
                                             : class_unknown("words lead to", most, "sets of states");
        return;
    }
    uint64_t work = 0;
    for (uint32_t c = 0; c < s.component_count; c++)
        if (look_at(star_free, solvable, &s, c, &work, a)) return;
}
