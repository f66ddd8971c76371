/* The way to the automaton. Let B be the memories of the back machine and F those of the forward machine (machine.h).

   1. Close: every b in B meets every f in F on each class of letters, and the b' and f' that come of it are members,
      too. That may be more than really meet. It is never less: give a node the level of how often directions change
      below it. Slots of level 0 need no other machine, so B and F hold every combination of theirs that is met, and
      those of level n + 1 follow from level n of the other machine, by induction along the string.
   2. Merge: members of F that no b and no letters tell apart, and members of B likewise, until nothing changes.
   3. Read: after a prefix, what can be said is a map from F to B: with f as what follows the prefix, b is what the
      back machine would remember. The map after one more letter is found from the map before it: with f after the
      letter, exactly one b fits, namely the one whose step gives an f' that the map sends to b. It is exactly one
      because prefix and f settle the truth of every node at every position of the prefix, by induction over the
      nodes.
   4. The maps are the states. A map accepts if the memory that it gives to the end of the string says so. */
#include "decide/formula_dfa.h"

#include <string.h>

#include "automata/partition.h"
#include "base/work.h"
#include "decide/letter_classes.h"
#include "decide/machine.h"

/* Distinct vectors of numbers, numbered in the order of being met. */
typedef struct memories {
    table index;
    slot **vectors;
    size_t count, capacity, width;
} memories;

typedef struct meeting {
    uint32_t back, forward; /* numbers of b' and f' */
} meeting;

typedef struct construction {
    arena *a;
    machine *m;
    const alphabet *names;
    bool at_first;
    uint32_t classes;
    const uint32_t *letter; /* of each class */
    memories back, forward;
    slot *new_back, *new_forward;
    decide_limits limits;
    uint64_t work;
} construction;

/* After closing: table[(b * classes + c) * forwards + f]. b = 0 is the start, f = 0 the end. */
typedef struct closed {
    uint32_t backs, forwards, classes;
    meeting *table;
    unsigned char *accepts; /* [backs] */
} closed;

/* The verdict is kept in front of the back memory: bit 1, and for a verdict at the first position bit 2 once it is
   there. So `at first` is one more thing that looks back. */
enum { VERDICT = 1, GIVEN = 2 };

/* States times classes of letters: each takes some 30 bytes while the automaton is made minimal. */
enum { CELLS = 1 << 23 };

static void refuse_cells(const construction *k, uint64_t cells) {
    if (cells > work_limit(CELLS))
        trap_raise_remedy(k->a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "its automaton has more than %llu moves before it is made minimal",
                          (unsigned long long)work_limit(CELLS));
}

static _Noreturn void refuse_states(const construction *k, uint64_t most) {
    trap_raise_remedy(k->a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                      "its automaton has more than %llu states before it is made minimal", (unsigned long long)most);
}

static void spend(construction *k, uint64_t work) {
    work_at(k->work += work);
    if (k->work > k->limits.work)
        trap_raise_remedy(k->a->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_EFFORT,
                          "its automaton takes more than %llu steps to make", (unsigned long long)k->limits.work);
}

static uint32_t memory_number(construction *k, memories *set, const slot *vector) {
    size_t bytes = set->width * sizeof *vector;
    const uint32_t *known = table_find(&set->index, vector, bytes);
    if (known) return *known;
    if (set->count >= k->limits.states) refuse_states(k, k->limits.states);
    slot *kept = arena_alloc(k->a, set->width, sizeof *kept);
    if (bytes) memcpy(kept, vector, bytes);
    bool fresh;
    table_put(&set->index, kept, bytes, (uint32_t)set->count, &fresh);
    array_push(k->a, set->vectors, set->count, set->capacity, kept);
    return (uint32_t)set->count - 1;
}

static void begin_memories(construction *k, memories *set, size_t width) {
    memset(set, 0, sizeof *set);
    set->width = width;
    table_init(&set->index, k->a);
}

/* b and f meet at a letter; false: begin again, a comparison has been widened */
static bool meet(construction *k, meeting *out, uint32_t b, uint32_t f, uint32_t class) {
    const slot *back = k->back.vectors[b], *forward = k->forward.vectors[f];
    bool truth;
    spend(k, machine_node_count(k->m) + 1);
    if (!machine_step(k->m, &truth, k->new_back + 1, k->new_forward, back + 1, forward, k->letter[class])) {
        machine_widen(k->m, k->names);
        return false;
    }
    if (k->at_first)
        k->new_back[0] = back[0] & GIVEN ? back[0] : GIVEN | (truth ? VERDICT : 0);
    else
        k->new_back[0] = truth ? VERDICT : 0;
    out->back = memory_number(k, &k->back, k->new_back);
    out->forward = memory_number(k, &k->forward, k->new_forward);
    return true;
}

/* The meetings of one b: rows[f * classes + c], as far as there are f. */
typedef struct meeting_list {
    meeting *rows;
    size_t count, capacity;
    size_t done; /* members of F that it has met */
} meeting_list;

/* All b meet all f, and whatever comes of it, until nothing new comes. false: begin again */
static bool close_memories(construction *k, closed *out, bool accepts_empty) {
    meeting_list *lists = NULL;
    size_t list_count = 0, list_capacity = 0;
    uint64_t met_count = 0;
    begin_memories(k, &k->back, machine_back_slots(k->m) + 1);
    begin_memories(k, &k->forward, machine_forward_slots(k->m));
    k->new_back[0] = accepts_empty ? VERDICT : 0;
    machine_start(k->m, k->new_back + 1);
    machine_end(k->m, k->new_forward);
    memory_number(k, &k->back, k->new_back);
    memory_number(k, &k->forward, k->new_forward);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t b = 0; b < k->back.count; b++) {
            if (b == list_count) array_push(k->a, lists, list_count, list_capacity, (meeting_list){0});
            meeting_list *l = &lists[b];
            for (; l->done < k->forward.count; l->done++) {
                more = true;
                refuse_cells(k, met_count += k->classes);
                for (uint32_t c = 0; c < k->classes; c++) {
                    meeting met;
                    if (!meet(k, &met, b, (uint32_t)l->done, c)) return false;
                    array_push(k->a, l->rows, l->count, l->capacity, met);
                }
            }
        }
    }
    *out = (closed){.backs = (uint32_t)k->back.count, .forwards = (uint32_t)k->forward.count, .classes = k->classes};
    size_t row = (size_t)out->classes * out->forwards;
    out->table = arena_alloc(k->a, out->backs * row, sizeof *out->table);
    out->accepts = arena_alloc(k->a, out->backs, 1);
    for (uint32_t b = 0; b < out->backs; b++) {
        out->accepts[b] = k->back.vectors[b][0] & VERDICT;
        for (uint32_t f = 0; f < out->forwards; f++)
            for (uint32_t c = 0; c < out->classes; c++)
                out->table[b * row + (size_t)c * out->forwards + f] = lists[b].rows[(size_t)f * out->classes + c];
    }
    return true;
}

/* ---- merging ---- */

/* Colours rows of `width` numbers: equal rows, equal colours. */
static void colour_rows(uint32_t *colour, const uint32_t *rows, uint32_t count, size_t width, arena *a) {
    table seen;
    bool fresh;
    table_init(&seen, a);
    for (uint32_t k = 0; k < count; k++)
        colour[k] = *table_put(&seen, rows + k * width, width * sizeof *rows, k, &fresh);
}

/* Colours of the members of F (forward) or B, as many as are returned; equal: nothing tells them apart. */
static uint32_t colour_side(uint32_t *colour, const closed *t, bool forward, arena *a) {
    uint32_t count = forward ? t->forwards : t->backs, others = forward ? t->backs : t->forwards;
    uint32_t moves = others * t->classes;
    uint32_t *next = arena_alloc(a, (size_t)count * moves, sizeof *next);
    size_t width = (size_t)moves + 1;
    uint32_t *said =
        arena_alloc(a, count * width, sizeof *said); /* what the other machine is told, and the verdict */
    for (uint32_t b = 0; b < t->backs; b++)
        for (uint32_t c = 0; c < t->classes; c++)
            for (uint32_t f = 0; f < t->forwards; f++) {
                const meeting *e = &t->table[((size_t)b * t->classes + c) * t->forwards + f];
                uint32_t mine = forward ? f : b, other = forward ? b : f;
                size_t move = (size_t)other * t->classes + c;
                next[(size_t)mine * moves + move] = forward ? e->forward : e->back;
                said[mine * width + move] = forward ? e->back : e->forward;
            }
    for (uint32_t k = 0; k < count; k++) said[k * width + moves] = forward ? 0 : t->accepts[k];
    colour_rows(colour, said, count, width, a);
    return partition_refine(colour, next, count, moves, a);
}

/* Members of one side with the same colour become one. Colours are numbered by first members, so 0 stays 0. */
static void merge_side(closed *t, bool forward, const uint32_t *colour, uint32_t colours, arena *a) {
    closed made = *t;
    *(forward ? &made.forwards : &made.backs) = colours;
    made.table = arena_alloc(a, (size_t)made.backs * made.classes * made.forwards, sizeof *made.table);
    made.accepts = arena_alloc(a, made.backs, 1);
    for (uint32_t b = 0; b < t->backs; b++) {
        uint32_t to_b = forward ? b : colour[b];
        made.accepts[to_b] = t->accepts[b];
        for (uint32_t c = 0; c < t->classes; c++)
            for (uint32_t f = 0; f < t->forwards; f++) {
                meeting e = t->table[((size_t)b * t->classes + c) * t->forwards + f];
                *(forward ? &e.forward : &e.back) = colour[forward ? e.forward : e.back];
                made.table[((size_t)to_b * t->classes + c) * made.forwards + (forward ? colour[f] : f)] = e;
            }
    }
    *t = made;
}

/* Merging pays where maps have more than one entry, and takes memory; tables that are larger are left as they are. */
enum { MERGE_TABLE = 1 << 21 };

static void merge(construction *k, closed *t) {
    for (bool more = t->forwards > 1; more;) {
        more = false;
        for (int forward = 1; forward >= 0; forward--) {
            uint32_t count = forward ? t->forwards : t->backs;
            size_t size = (size_t)t->backs * t->classes * t->forwards;
            if (count < 2 || size > MERGE_TABLE) continue;
            uint32_t *colour = arena_alloc(k->a, count, sizeof *colour);
            spend(k, 16 * (uint64_t)size);
            uint32_t colours = colour_side(colour, t, forward, k->a);
            if (colours == count) continue;
            merge_side(t, forward, colour, colours, k->a);
            more = true;
        }
    }
}

/* ---- reading ---- */

/* The map after a letter. `present` lists the distinct values of the map before. */
static void read_letter(uint32_t *after, const closed *t, const uint32_t *map, uint32_t class,
                        const uint32_t *present, uint32_t present_count) {
    for (uint32_t f = 0; f < t->forwards; f++)
        for (uint32_t k = 0; k < present_count; k++) {
            const meeting *e = &t->table[((size_t)present[k] * t->classes + class) * t->forwards + f];
            if (map[e->forward] != present[k]) continue;
            after[f] = e->back;
            break;
        }
}

static uint32_t list_present(uint32_t *present, uint32_t *seen, uint32_t stamp, const uint32_t *map, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t f = 0; f < n; f++) {
        if (seen[map[f]] == stamp) continue;
        seen[map[f]] = stamp;
        present[count++] = map[f];
    }
    return count;
}

/* A map of many entries is a large state: together they may have this many. */
enum { MAP_ENTRIES = 1 << 24 };

static dfa *read_maps(construction *k, const closed *t, uint32_t letters) {
    uint32_t **maps = NULL, *next = NULL, *map = arena_zalloc(k->a, t->forwards, sizeof *map);
    size_t count = 0, capacity = 0, next_count = 0, next_capacity = 0, bytes = t->forwards * sizeof *map;
    uint32_t *present = arena_alloc(k->a, t->forwards, sizeof *present);
    uint32_t *seen = arena_zalloc(k->a, t->backs, sizeof *seen);
    uint32_t *after = arena_alloc(k->a, t->forwards, sizeof *after);
    table index;
    bool fresh;
    table_init(&index, k->a);
    array_push(k->a, maps, count, capacity, map); /* all zeros: whatever follows, the start */
    table_put(&index, map, bytes, 0, &fresh);
    for (uint32_t s = 0; s < count; s++) {
        uint32_t present_count = list_present(present, seen, s + 1, maps[s], t->forwards);
        spend(k, (uint64_t)t->classes * t->forwards * present_count);
        refuse_cells(k, ((uint64_t)s + 1) * t->classes);
        for (uint32_t c = 0; c < t->classes; c++) {
            read_letter(after, t, maps[s], c, present, present_count);
            const uint32_t *known = table_find(&index, after, bytes);
            uint32_t to = known ? *known : (uint32_t)count;
            if (!known) {
                if (count >= k->limits.states || (count + 1) * t->forwards > work_limit(MAP_ENTRIES))
                    refuse_states(k, count);
                map = arena_alloc(k->a, t->forwards, sizeof *map);
                memcpy(map, after, bytes);
                table_put(&index, map, bytes, to, &fresh);
                array_push(k->a, maps, count, capacity, map);
            }
            array_push(k->a, next, next_count, next_capacity, to);
        }
    }
    dfa *d = dfa_new(k->a, (uint32_t)count, t->classes, letters);
    if (next_count) memcpy(d->next, next, next_count * sizeof *next);
    for (uint32_t s = 0; s < count; s++) d->accepts[s] = t->accepts[maps[s][0]];
    return d;
}

decide_limits decide_limits_usual(void) {
    return (decide_limits){.states = (uint32_t)work_limit(DECIDE_STATES), .work = work_limit(DECIDE_WORK)};
}

dfa *formula_dfa(arena *a, const formula *f, node_id root, const alphabet *names, uint32_t letters, temper_at at,
                 bool accepts_empty, const decide_limits *limits) {
    construction k = {.a = a, .m = machine_new(a, f, root), .names = names, .at_first = at == TEMPER_AT_FIRST};
    uint32_t *class_of = formula_letter_classes(&k.classes, f, root, letters, a);
    closed t;
    k.letter = class_first_letters(class_of, k.classes, letters, a);
    k.limits = limits ? *limits : decide_limits_usual();
    work_begin("making the automaton", k.limits.work);
    k.new_back = arena_alloc(a, machine_back_slots(k.m) + 1, sizeof *k.new_back);
    k.new_forward = arena_alloc(a, machine_forward_slots(k.m), sizeof *k.new_forward);
    while (!close_memories(&k, &t, accepts_empty)) continue;
    merge(&k, &t);
    dfa *d = read_maps(&k, &t, letters);
    if (letters) memcpy(d->class_of, class_of, letters * sizeof *class_of);
    return dfa_minimise(a, d);
}

dfa *spec_dfa(arena *a, const temper_spec *s, const decide_limits *limits) {
    if (!s->root) spec_need_acceptor(s, a->trap);
    return formula_dfa(a, &s->graph, s->root, &s->letters, (uint32_t)s->letters.count, s->at, s->accepts_empty,
                       limits);
}
