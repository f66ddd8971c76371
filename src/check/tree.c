#include "check/tree.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "logic/formula_step.h"
#include "run/execute.h"
#include "run/stepper.h"

enum {
    PLACES = 64,           /* places of strings up to here are kept in a table; longer ones have one letter only */
    SMALL = 1 << 13,       /* so many strings are one unit */
    UNIT_LEAVES = 1 << 15, /* strings of a unit, at most, but for the limits on units: */
    LEAST_UNITS = 128,
    MOST_UNITS = 1 << 20,
    MOST_THREADS = 64
};

/* One thread's machines. Slot k holds the states at depth k; with one letter there is one slot. */
typedef struct walker {
    step_work work[SIDES];
    step_place place[SIDES]; /* beyond the table */
    unsigned char *values;
    unsigned char *states;     /* [slots][stride] */
    uint32_t *path;            /* [longest] letters in the order of the steps */
    uint64_t rank[PLACES + 1]; /* mirrored: by depth, of the first string with that suffix */
    bool truth[SIDES], first[SIDES];
} walker;

struct tree {
    const temper_spec *spec;
    const temper_model *model;
    const uint32_t *spec_letter;
    const formula_stepper *formula; /* NULL: no formula */
    const stepper *machine[SIDES];  /* NULL: no such side */
    bool mirrored;
    size_t offset[SIDES], stride; /* of a side's state in a slot */
    size_t slots, longest;
    uint64_t weight[PLACES + 1]; /* mirrored: what a letter adds to the rank, by depth */
    unsigned threads;
    walker *walkers;           /* [threads] */
    step_place *places[SIDES]; /* [PLACES + 2] */

    /* one walk */
    size_t n, unit_depth, unit_count;
    uint64_t unit_strings;
    atomic_size_t next, found;  /* the next unit; the first unit with a difference */
    atomic_uint_fast64_t least; /* mirrored: the rank of the first string with a difference */
    bool bounded;               /* mirrored: `least` is known; only margins are wanted */
    atomic_uint_fast64_t done;
    atomic_bool stop, broken;
    double *margins; /* [units] */
    pthread_t caller;
    tree_report *report;
    void *context;
};

/* ---- making ---- */

static unsigned thread_count(unsigned asked) {
    long cores = asked ? (long)asked : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (unsigned)cores;
}

static size_t letter_count(const tree *t) { return t->model->letters.count; }

/* letters to the power of n, at most 2^62 (the caller counted the strings). */
static uint64_t power(uint64_t letters, size_t n) {
    uint64_t p = 1;
    if (letters > 1)
        for (size_t k = 0; k < n; k++) p *= letters;
    return p;
}

/* fills n and the units */
static void set_units(tree *t, size_t n) {
    uint64_t letters = letter_count(t), strings = power(letters, n), units = 1;
    t->n = n;
    t->unit_depth = 0;
    if (strings > SMALL)
        while (units < LEAST_UNITS || (strings / units > UNIT_LEAVES && units * letters <= MOST_UNITS)) {
            units *= letters;
            t->unit_depth++;
        }
    t->unit_count = units;
    t->unit_strings = strings / units;
}

static void init_walker(tree *t, walker *w, arena *a) {
    for (int side = SIDE_HARD; side < SIDES; side++)
        if (t->machine[side]) {
            step_work_init(&w->work[side], t->machine[side], a);
            step_place_init(&w->place[side], t->machine[side], a);
        }
    if (t->formula) w->values = arena_zalloc(a, formula_stepper_value_size(t->formula), 1);
    w->states = arena_zalloc(a, t->slots, t->stride);
    w->path = arena_zalloc(a, t->longest, sizeof *w->path);
}

static size_t rounded(size_t size) { return (size + 15) / 16 * 16; }

static void make_sides(tree *t, arena *a) {
    if (t->formula) t->stride = rounded(formula_stepper_state_size(t->formula));
    t->machine[SIDE_HARD] = stepper_new(a, t->model, true, t->mirrored, TEMPER_TYPE_F64);
    if (t->model->method != TEMPER_METHOD_HARD)
        t->machine[SIDE_SOFT] = stepper_new(a, t->model, false, t->mirrored, TEMPER_TYPE_F64);
    for (int side = SIDE_HARD; side < SIDES; side++) {
        if (!t->machine[side]) continue;
        t->offset[side] = t->stride;
        t->stride += rounded(stepper_state_size(t->machine[side]));
        t->places[side] = arena_alloc(a, PLACES + 2, sizeof *t->places[side]);
        for (size_t k = 0; k < PLACES + 2; k++) step_place_init(&t->places[side][k], t->machine[side], a);
    }
    t->slots = letter_count(t) > 1 ? t->longest + 1 : 1;
    for (size_t k = 1; k <= PLACES && k <= t->longest; k++) t->weight[k] = power(letter_count(t), k - 1);
    t->walkers = arena_zalloc(a, t->threads, sizeof *t->walkers);
    for (unsigned k = 0; k < t->threads; k++) init_walker(t, &t->walkers[k], a);
    size_t most = 1;
    for (size_t n = 0; letter_count(t) > 1 && n <= t->longest; n++) {
        set_units(t, n);
        most = t->unit_count > most ? t->unit_count : most;
    }
    t->margins = arena_zalloc(a, most, sizeof *t->margins);
}

tree *tree_new(arena *a, const temper_spec *spec, const temper_model *model, const uint32_t *spec_letter,
               size_t longest, unsigned threads) {
    trap inner, *outer = a->trap;
    a->trap = &inner;
    if (trap_set(&inner, NULL)) {
        a->trap = outer;
        if (inner.error.code == TEMPER_UNSUPPORTED) return NULL;
        trap_reraise(outer, &inner.error);
    }
    tree *t = arena_zalloc(a, 1, sizeof *t);
    t->spec = spec;
    t->model = model;
    t->spec_letter = spec_letter;
    t->longest = longest;
    t->threads = thread_count(threads);
    t->mirrored = model->has_end;
    if (spec) t->formula = formula_stepper_new(a, &spec->graph, spec->root, t->mirrored);
    bool possible = (!spec || t->formula) && !(letter_count(t) > 1 && longest > PLACES);
    if (possible) make_sides(t, a);
    a->trap = outer;
    return possible ? t : NULL;
}

/* ---- one node ---- */

static const step_place *place_at(const tree *t, walker *w, int side, size_t i) {
    if (t->n <= PLACES) return &t->places[side][i];
    step_place_set(&w->place[side], t->machine[side], i, t->n);
    return &w->place[side];
}

static unsigned char *slot(const tree *t, const walker *w, size_t depth) {
    return w->states + (t->slots > 1 ? depth * t->stride : 0);
}

static void step_machines(const tree *t, walker *w, unsigned char *states, size_t i, uint32_t token) {
    for (int side = SIDE_HARD; side < SIDES; side++)
        if (t->machine[side])
            w->truth[side] = stepper_step(t->machine[side], &w->work[side], states + t->offset[side],
                                          place_at(t, w, side, i), token);
}

/* The row before all letters; the formula's answer for the empty string is a setting, the model's is its start sentinel's. */
static void start(const tree *t, walker *w) {
    unsigned char *states = slot(t, w, 0);
    if (t->formula) formula_stepper_start(t->formula, states);
    for (int side = SIDE_HARD; side < SIDES; side++)
        if (t->machine[side]) stepper_start(t->machine[side], states + t->offset[side]);
    step_machines(t, w, states, 0, t->mirrored ? model_end_token(t->model) : model_start_token(t->model));
    if (t->mirrored && t->n == 0) step_machines(t, w, states, 1, model_start_token(t->model));
    w->truth[SIDE_FORMULA] = t->spec && t->spec->accepts_empty;
}

static bool is_present(const tree *t, int side) {
    return side == SIDE_FORMULA ? t->formula != NULL : t->machine[side] != NULL;
}

/* The verdict of a string that ends here. */
static bool verdict(const tree *t, const walker *w, int side) {
    temper_at at = side == SIDE_FORMULA ? t->spec->at : t->model->at;
    return t->n > 0 && at == (t->mirrored ? TEMPER_AT_LAST : TEMPER_AT_FIRST) ? w->first[side] : w->truth[side];
}

/* All present sides are compared with the hard model, which is always there. */
static bool is_odd(const tree *t, const walker *w, bool ends) {
    for (int side = 0; side < SIDES; side++) {
        if (!is_present(t, side)) continue;
        if (w->truth[side] != w->truth[SIDE_HARD]) return true;
        if (ends && verdict(t, w, side) != verdict(t, w, SIDE_HARD)) return true;
    }
    return false;
}

/* Goes to the child of depth - 1 that path names; true if two sides differ there. */
static bool visit(const tree *t, walker *w, size_t depth) {
    uint32_t letter = w->path[depth - 1];
    unsigned char *states = slot(t, w, depth);
    if (t->slots > 1) memcpy(states, states - t->stride, t->stride);
    if (t->formula)
        w->truth[SIDE_FORMULA] = formula_stepper_step(t->formula, states, w->values, t->spec_letter[letter]);
    step_machines(t, w, states, depth, letter);
    if (depth == 1) memcpy(w->first, w->truth, sizeof w->first);
    return is_odd(t, w, depth == t->n);
}

/* ---- one unit: all strings with one prefix, or mirrored one suffix ---- */

static void enter_unit(const tree *t, walker *w, size_t unit) {
    size_t letters = letter_count(t), top = t->unit_depth;
    for (size_t k = top; k-- > 0; unit /= letters) w->path[k] = (uint32_t)(unit % letters);
    memset(w->path + top, 0, (t->n - top) * sizeof *w->path);
    start(t, w);
}

/* From a node at `depth` to the parent of the next one that is not below it; false after the last of the unit. */
static bool advance(const tree *t, walker *w, size_t *depth) {
    size_t letters = letter_count(t), top = t->unit_depth;
    while (*depth > top && w->path[*depth - 1] + 1 == letters) w->path[--*depth] = 0;
    if (*depth == top) return false;
    w->path[--*depth]++;
    return true;
}

/* True if there is a difference; path is then the first string that shows it. */
static bool walk_prefixes(const tree *t, walker *w, size_t unit) {
    size_t depth = 0;
    enter_unit(t, w, unit);
    if (t->n == 0) return is_odd(t, w, true);
    do {
        while (depth < t->n)
            if (visit(t, w, ++depth)) return true;
    } while (advance(t, w, &depth));
    return false;
}

/* Mirrored: goes to a child. False if nothing below it is wanted: all strings there come after the first difference known so far,
   or differ, and the first of them is noted. */
static bool descend(tree *t, walker *w, size_t depth) {
    uint64_t first = 0, least = atomic_load(&t->least); /* with one letter every rank is 0 */
    if (t->slots > 1) first = w->rank[depth] = w->rank[depth - 1] + w->path[depth - 1] * t->weight[depth];
    if (first > least) return false;
    if (!visit(t, w, depth) || t->bounded) return true;
    while (first < least && !atomic_compare_exchange_weak(&t->least, &least, first)) continue;
    return false;
}

/* Prepended letters weigh more than those that are there, so every unit may have a string that comes before all those seen. */
static void walk_suffixes(tree *t, walker *w, size_t unit) {
    size_t depth = 0;
    bool wanted = true;
    enter_unit(t, w, unit);
    if (t->n == 0 && is_odd(t, w, true)) atomic_store(&t->least, 0);
    do {
        while (depth < t->n && wanted) wanted = descend(t, w, ++depth);
        if (depth < t->unit_depth) return;
        wanted = true;
    } while (advance(t, w, &depth));
}

/* The string of path from its beginning to its end; sides may be NULL. */
static void follow(const tree *t, walker *w, answers sides[SIDES]) {
    start(t, w);
    for (size_t depth = 1; depth <= t->n; depth++) {
        visit(t, w, depth);
        for (int side = 0; sides && side < SIDES; side++)
            if (sides[side].present) sides[side].truth[t->mirrored ? t->n - depth : depth - 1] = w->truth[side];
    }
    for (int side = 0; sides && side < SIDES; side++)
        if (sides[side].present) sides[side].accept = verdict(t, w, side);
}

static void reset_margins(const tree *t, walker *w) {
    for (int side = SIDE_HARD; side < SIDES; side++)
        if (t->machine[side]) step_work_reset(&w->work[side], t->machine[side]);
}

static double larger(double margin, double other) {
    return isnan(margin) || isnan(other) ? NAN : other > margin ? other : margin;
}

static double largest_margin(const tree *t, const walker *w) {
    return t->machine[SIDE_SOFT] ? step_work_margin(&w->work[SIDE_SOFT], t->machine[SIDE_SOFT]) : 0;
}

static bool is_broken(const tree *t, const walker *w) {
    bool broken = false;
    for (int side = SIDE_HARD; side < SIDES; side++) broken |= t->machine[side] && w->work[side].broken;
    return broken;
}

static void note_found(tree *t, size_t unit) {
    size_t first = atomic_load(&t->found);
    while (unit < first && !atomic_compare_exchange_weak(&t->found, &first, unit)) continue;
}

/* One thread: takes units until there are none, or none before the first difference. */
static void walk_units(void *context, size_t number) {
    tree *t = context;
    walker *w = &t->walkers[number];
    bool reports = t->report && pthread_equal(pthread_self(), t->caller);
    for (;;) {
        size_t unit = atomic_fetch_add(&t->next, 1);
        if (unit >= t->unit_count || unit > atomic_load(&t->found) || atomic_load(&t->stop)) return;
        reset_margins(t, w);
        if (t->mirrored)
            walk_suffixes(t, w, unit);
        else if (walk_prefixes(t, w, unit))
            note_found(t, unit);
        t->margins[unit] = largest_margin(t, w);
        if (is_broken(t, w)) {
            atomic_store(&t->broken, true);
            atomic_store(&t->stop, true);
        }
        uint64_t strings = t->bounded ? 0 : t->unit_strings, done = atomic_fetch_add(&t->done, strings) + strings;
        if (reports && t->report(t->context, done)) atomic_store(&t->stop, true);
    }
}

/* ---- one length ---- */

static void set_length(tree *t, size_t n) {
    set_units(t, n);
    for (int side = SIDE_HARD; side < SIDES; side++)
        for (size_t i = 0; t->machine[side] && n <= PLACES && i <= n + t->mirrored; i++)
            step_place_set(&t->places[side][i], t->machine[side], i, n);
}

/* The number of a word among those of its length, from 0. */
static uint64_t rank(const tree *t, const uint32_t *word) {
    uint64_t r = 0;
    for (size_t k = 0; k < t->n; k++) r = r * letter_count(t) + word[k];
    return r;
}

static void word_of_rank(const tree *t, uint32_t *word, uint64_t r) {
    for (size_t k = t->n; k-- > 0; r /= letter_count(t)) word[k] = (uint32_t)(r % letter_count(t));
}

static void walk_all(tree *t) {
    atomic_store(&t->next, 0);
    memset(t->margins, 0, t->unit_count * sizeof *t->margins);
    unsigned threads = t->unit_count > 1 ? t->threads : 1;
    run_parallel(threads, threads, walk_units, t);
}

static void raise_margin(const tree *t, double *margin, size_t units) {
    for (size_t k = 0; k < units; k++) *margin = larger(*margin, t->margins[k]);
}

/* The first unit with a difference is walked once more, for the string. */
static void find_by_prefix(tree *t, uint32_t *word, uint64_t *strings, double *margin) {
    size_t found = atomic_load(&t->found);
    walker *w = &t->walkers[0];
    raise_margin(t, margin, found);
    reset_margins(t, w);
    walk_prefixes(t, w, found);
    follow(t, w, NULL);
    *margin = larger(*margin, largest_margin(t, w));
    if (t->n) memcpy(word, w->path, t->n * sizeof *word);
    *strings = rank(t, word) + 1;
}

/* The margins of the strings up to the first with a difference need a walk that knows which it is. After a stop it is the first
   that was met. */
static void find_by_suffix(tree *t, uint32_t *word, uint64_t *strings, double *margin) {
    uint64_t least = atomic_load(&t->least);
    if (!atomic_load(&t->stop)) {
        t->bounded = true;
        *strings = least + 1;
        walk_all(t);
    }
    raise_margin(t, margin, t->unit_count);
    word_of_rank(t, word, least);
}

tree_outcome tree_walk(tree *t, size_t n, uint32_t *word, uint64_t *strings, double *margin, tree_report *report,
                       void *context) {
    set_length(t, n);
    atomic_store(&t->found, SIZE_MAX);
    atomic_store(&t->least, UINT64_MAX);
    atomic_store(&t->done, 0);
    atomic_store(&t->stop, false);
    atomic_store(&t->broken, false);
    t->bounded = false;
    t->caller = pthread_self();
    t->report = report;
    t->context = context;
    walk_all(t);
    if (atomic_load(&t->broken)) return TREE_BROKEN;
    *strings = atomic_load(&t->done);
    if (atomic_load(&t->found) != SIZE_MAX) {
        find_by_prefix(t, word, strings, margin);
        return TREE_DIFFERS;
    }
    if (atomic_load(&t->least) != UINT64_MAX) {
        find_by_suffix(t, word, strings, margin);
        return TREE_DIFFERS;
    }
    raise_margin(t, margin, t->unit_count);
    return atomic_load(&t->stop) ? TREE_STOPPED : TREE_AGREED;
}

void tree_ask(tree *t, answers sides[SIDES], const uint32_t *word, size_t n) {
    walker *w = &t->walkers[0];
    set_length(t, n);
    for (size_t k = 0; k < n; k++) w->path[k] = word[t->mirrored ? n - 1 - k : k];
    follow(t, w, sides);
}
