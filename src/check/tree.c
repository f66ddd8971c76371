#include "check/tree.h"

#include <math.h>
#include <string.h>

#include "base/entry.h"
#include "logic/formula_step.h"
#include "run/stepper.h"

enum {
    PLACES = 64,             /* places of strings up to here are kept in a table; longer ones have one letter only */
    REPORT_STRINGS = 1 << 12 /* between two reports */
};

/* The machines. Slot k holds the states at depth k; with one letter there is one slot. */
struct tree {
    check_sides c;
    const temper_spec *spec;
    const temper_model *model;
    const formula_stepper *formula; /* NULL: no formula */
    const stepper *machine[SIDES];  /* NULL: no such side */
    bool mirrored;
    size_t offset[SIDES], stride; /* of a side's state in a slot */
    size_t slots, longest;
    step_place *places[SIDES];   /* [PLACES + 2], for length n */
    uint64_t weight[PLACES + 1]; /* mirrored: what a letter adds to the rank, by depth */
    size_t n;                    /* SIZE_MAX: none yet */

    step_work work[SIDES];
    step_place place[SIDES]; /* beyond the table */
    unsigned char *values;
    unsigned char *states;     /* [slots][stride] */
    uint32_t *path;            /* [longest] digits in the order of the steps */
    uint64_t rank[PLACES + 1]; /* mirrored: by depth, of the first string with that suffix */
    bool truth[SIDES], first[SIDES];
    size_t outputs;
    unsigned char *held[SIDES]; /* [outputs] what holds here; NULL for acceptors, whose only output is `truth` */

    /* one walk */
    size_t top;     /* letters of path that stay */
    uint64_t least; /* mirrored: the rank of the first string with a difference, UINT64_MAX: none */
    uint64_t more;  /* strings since the last report */
    tree_report *report;
    void *context;
};

/* ---- making ---- */

static size_t letter_count(const tree *t) { return t->c.classes; }

/* letters to the power of n, at most 2^62 (the caller counted the strings). */
static uint64_t power(uint64_t letters, size_t n) {
    uint64_t p = 1;
    if (letters > 1)
        for (size_t k = 0; k < n; k++) p *= letters;
    return p;
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
    for (int side = SIDE_HARD; side < SIDES; side++)
        if (t->machine[side]) {
            step_work_init(&t->work[side], t->machine[side], a);
            step_place_init(&t->place[side], t->machine[side], a);
        }
    if (t->formula) t->values = arena_zalloc(a, formula_stepper_value_size(t->formula), 1);
    t->states = arena_zalloc(a, t->slots, t->stride);
    for (int side = 0; side < SIDES && t->model->kind != TEMPER_KIND_ACCEPTOR; side++)
        t->held[side] = arena_zalloc(a, t->outputs, 1);
    t->path = arena_zalloc(a, t->longest, sizeof *t->path);
}

typedef struct tree_call {
    tree *tree;
    arena *arena;
    bool possible;
} tree_call;

static void fill_tree(void *context) {
    tree_call *c = context;
    tree *t = c->tree;
    node_id *roots = arena_alloc(c->arena, t->outputs, sizeof *roots);
    for (size_t k = 0; t->spec && k < t->outputs; k++) roots[k] = spec_output_root(t->spec, t->c.spec_output[k]);
    if (t->spec) t->formula = formula_stepper_new(c->arena, &t->spec->graph, roots, t->outputs, t->mirrored);
    c->possible = (!t->spec || t->formula) && !(letter_count(t) > 1 && t->longest > PLACES);
    if (c->possible) make_sides(t, c->arena);
}

tree *tree_new(arena *a, const check_sides *sides, size_t longest) {
    trap inner, *outer = a->trap;
    tree *t = arena_zalloc(a, 1, sizeof *t);
    tree_call call = {t, a, false};
    t->c = *sides;
    t->spec = sides->spec;
    t->model = sides->model;
    t->outputs = model_output_count(t->model);
    t->longest = longest;
    t->n = SIZE_MAX;
    t->mirrored = t->model->has_end;
    a->trap = &inner;
    bool done = trap_attempt(&inner, NULL, fill_tree, &call);
    a->trap = outer;
    if (!done && inner.error.code != TEMPER_UNSUPPORTED) trap_reraise(outer, &inner.error);
    return done && call.possible ? t : NULL;
}

bool tree_is_mirrored(const tree *t) { return t->mirrored; }

/* ---- one node ---- */

static const step_place *place_at(tree *t, int side, size_t i) {
    if (t->n <= PLACES) return &t->places[side][i];
    step_place_set(&t->place[side], t->machine[side], i, t->n);
    return &t->place[side];
}

static unsigned char *slot(const tree *t, size_t depth) { return t->states + (t->slots > 1 ? depth * t->stride : 0); }

static void step_machines(tree *t, unsigned char *states, size_t i, uint32_t token) {
    for (int side = SIDE_HARD; side < SIDES; side++)
        if (t->machine[side])
            t->truth[side] =
                stepper_step(t->machine[side], &t->work[side], states + t->offset[side], place_at(t, side, i), token);
    for (int side = SIDE_HARD; side < SIDES; side++)
        for (size_t k = 0; t->machine[side] && t->held[side] && k < t->outputs; k++)
            t->held[side][k] = stepper_output(t->machine[side], &t->work[side], k);
}

/* The row before all letters; the formula's answer for the empty string is a setting, the model's is its start
   sentinel's. */
static void start(tree *t) {
    unsigned char *states = slot(t, 0);
    if (t->formula) formula_stepper_start(t->formula, states);
    for (int side = SIDE_HARD; side < SIDES; side++)
        if (t->machine[side]) stepper_start(t->machine[side], states + t->offset[side]);
    step_machines(t, states, 0, t->mirrored ? model_end_token(t->model) : model_start_token(t->model));
    if (t->mirrored && t->n == 0) step_machines(t, states, 1, model_start_token(t->model));
    t->truth[SIDE_FORMULA] = t->spec && t->spec->accepts_empty;
    for (size_t k = 0; t->formula && t->held[SIDE_FORMULA] && k < t->outputs; k++)
        t->held[SIDE_FORMULA][k] = spec_output_empty(t->spec, t->c.spec_output[k]);
}

static bool is_present(const tree *t, int side) {
    return side == SIDE_FORMULA ? t->formula != NULL : t->machine[side] != NULL;
}

/* The verdict of a string that ends here. */
static bool verdict(const tree *t, int side) {
    temper_at at = side == SIDE_FORMULA ? t->spec->at : t->model->at;
    return t->n > 0 && at == (t->mirrored ? TEMPER_AT_LAST : TEMPER_AT_FIRST) ? t->first[side] : t->truth[side];
}

/* All present sides are compared with the hard model, which is always there. */
static bool is_odd(const tree *t, bool ends) {
    for (int side = 0; side < SIDES; side++) {
        if (!is_present(t, side)) continue;
        if (t->held[side]) {
            if (memcmp(t->held[side], t->held[SIDE_HARD], t->outputs) != 0) return true;
            continue;
        }
        if (t->truth[side] != t->truth[SIDE_HARD]) return true;
        if (ends && verdict(t, side) != verdict(t, SIDE_HARD)) return true;
    }
    return false;
}

/* Goes to the child of depth - 1 that path names; true if two sides differ there. */
static bool visit(tree *t, size_t depth) {
    uint32_t letter = t->c.letter[t->path[depth - 1]];
    unsigned char *states = slot(t, depth);
    if (t->slots > 1) memcpy(states, states - t->stride, t->stride);
    if (t->formula)
        t->truth[SIDE_FORMULA] = formula_stepper_step(t->formula, states, t->values, t->c.spec_letter[letter]);
    for (size_t k = 0; t->formula && t->held[SIDE_FORMULA] && k < t->outputs; k++)
        t->held[SIDE_FORMULA][k] = formula_stepper_output(t->formula, t->values, k);
    step_machines(t, states, depth, letter);
    if (depth == 1) memcpy(t->first, t->truth, sizeof t->first);
    return is_odd(t, depth == t->n);
}

/* ---- many strings ---- */

static void reset_margins(tree *t) {
    for (int side = SIDE_HARD; side < SIDES; side++)
        if (t->machine[side]) step_work_reset(&t->work[side], t->machine[side]);
}

static double larger(double margin, double other) {
    return isnan(margin) || isnan(other) ? NAN : other > margin ? other : margin;
}

static double largest_margin(const tree *t) {
    return t->machine[SIDE_SOFT] ? step_work_margin(&t->work[SIDE_SOFT], t->machine[SIDE_SOFT]) : 0;
}

static bool is_broken(const tree *t) {
    bool broken = false;
    for (int side = SIDE_HARD; side < SIDES; side++) broken |= t->machine[side] && t->work[side].broken;
    return broken;
}

static bool report_leaf(tree *t) {
    if (++t->more < REPORT_STRINGS) return false;
    uint64_t more = t->more;
    t->more = 0;
    return t->report && t->report(t->context, more);
}

/* The first letters of path: the digits of a number, in the order of the strings. */
static void enter(tree *t, uint64_t number) {
    size_t letters = letter_count(t);
    for (size_t k = 0; k < t->top; k++, number /= letters)
        t->path[t->mirrored ? k : t->top - 1 - k] = (uint32_t)(number % letters);
    if (t->n) memset(t->path + t->top, 0, (t->n - t->top) * sizeof *t->path);
    start(t);
}

/* From a node at `depth` to the parent of the next one that is not below it; false after the last. */
static bool advance(tree *t, size_t *depth) {
    size_t letters = letter_count(t);
    while (*depth > t->top && t->path[*depth - 1] + 1 == letters) t->path[--*depth] = 0;
    if (*depth == t->top) return false;
    t->path[--*depth]++;
    return true;
}

/* All strings with one prefix. TREE_DIFFERS: path is the first that shows a difference. */
static tree_outcome walk_prefixes(tree *t, uint64_t prefix) {
    size_t depth = 0;
    enter(t, prefix);
    if (t->held[SIDE_HARD] && t->n && is_odd(t, false)) return TREE_DIFFERS; /* before the first letter */
    if (t->n == 0) return is_odd(t, true) ? TREE_DIFFERS : report_leaf(t) ? TREE_STOPPED : TREE_AGREED;
    do {
        while (depth < t->n)
            if (visit(t, ++depth)) return TREE_DIFFERS;
        if (report_leaf(t)) return TREE_STOPPED;
    } while (advance(t, &depth));
    return TREE_AGREED;
}

/* Mirrored: goes to a child. False if nothing below it is wanted: all strings there come after the first difference
   known so far, or differ, and the first of them is noted. */
static bool descend(tree *t, size_t depth) {
    uint64_t first = 0; /* with one letter every rank is 0 */
    if (t->slots > 1) first = t->rank[depth] = t->rank[depth - 1] + t->path[depth - 1] * t->weight[depth];
    if (first > t->least) return false;
    if (!visit(t, depth)) return true;
    if (first < t->least) t->least = first;
    return false;
}

/* All strings with one suffix. Prepended letters weigh more than those that are there, so any of them may come before
   all strings seen so far. */
static tree_outcome walk_suffixes(tree *t, uint64_t suffix) {
    size_t depth = 0;
    bool wanted = true;
    enter(t, suffix);
    if (t->n == 0 && is_odd(t, true)) t->least = 0;
    do {
        while (depth < t->n && wanted) wanted = descend(t, ++depth);
        if (depth < t->top) return TREE_AGREED;
        if (depth == t->n && report_leaf(t)) return TREE_STOPPED;
        wanted = true;
    } while (advance(t, &depth));
    return TREE_AGREED;
}

/* What a side says where we are: at index k of its truth. */
static void tell(const tree *t, answers *a, int side, size_t k) {
    if (!t->held[side]) a->truth[k] = t->truth[side];
    for (size_t o = 0; t->held[side] && o < t->outputs; o++) a->truth[o * t->n + k] = t->held[side][o];
}

/* The string of path from its beginning to its end; sides may be NULL. In the mirror the start sentinel comes last,
   and is only met by the empty string. */
static void follow(tree *t, answers sides[SIDES]) {
    start(t);
    for (int side = 0; sides && side < SIDES; side++) {
        if (!sides[side].present || !t->held[side]) continue;
        memset(sides[side].start, 0, t->outputs);
        if (!t->mirrored || t->n == 0) memcpy(sides[side].start, t->held[side], t->outputs);
    }
    for (size_t depth = 1; depth <= t->n; depth++) {
        visit(t, depth);
        for (int side = 0; sides && side < SIDES; side++)
            if (sides[side].present) tell(t, &sides[side], side, t->mirrored ? t->n - depth : depth - 1);
    }
    for (int side = 0; sides && side < SIDES; side++)
        if (sides[side].present) sides[side].accept = !t->held[side] && verdict(t, side);
}

static void set_length(tree *t, size_t n) {
    if (t->n == n) return;
    t->n = n;
    for (int side = SIDE_HARD; side < SIDES; side++)
        for (size_t i = 0; t->machine[side] && n <= PLACES && i <= n + t->mirrored; i++)
            step_place_set(&t->places[side][i], t->machine[side], i, n);
}

static void set_path(tree *t, const uint32_t *word) {
    for (size_t k = 0; k < t->n; k++) t->path[k] = (uint32_t)t->c.classes + word[t->mirrored ? t->n - 1 - k : k];
}

static void get_path(const tree *t, uint32_t *word) {
    for (size_t k = 0; k < t->n; k++) word[t->mirrored ? t->n - 1 - k : k] = t->c.letter[t->path[k]];
}

static void path_of_rank(tree *t, uint64_t rank) {
    for (size_t k = t->n; k-- > 0; rank /= letter_count(t))
        t->path[t->mirrored ? t->n - 1 - k : k] = (uint32_t)(rank % letter_count(t));
}

static tree_outcome walk_part(tree *t, const tree_part *part, double *margin) {
    for (uint64_t k = 0; k < part->count; k++) {
        tree_outcome outcome = t->mirrored ? walk_suffixes(t, part->first + k) : walk_prefixes(t, part->first + k);
        if (outcome != TREE_AGREED) return outcome;
    }
    if (t->least != UINT64_MAX) {
        path_of_rank(t, t->least);
        return TREE_DIFFERS;
    }
    *margin = larger(*margin, largest_margin(t));
    return TREE_AGREED;
}

tree_outcome tree_walk(tree *t, const tree_part *part, uint32_t *word, double *margin, tree_report *report,
                       void *context) {
    set_length(t, part->n);
    t->top = part->depth;
    t->least = UINT64_MAX;
    t->more = 0;
    t->report = report;
    t->context = context;
    *margin = 0;
    reset_margins(t);
    tree_outcome outcome = walk_part(t, part, margin);
    if (is_broken(t)) return TREE_BROKEN;
    if (outcome == TREE_DIFFERS) {
        reset_margins(t);
        follow(t, NULL);
        *margin = larger(*margin, largest_margin(t));
        get_path(t, word);
    }
    if (t->more && report && report(context, t->more) && outcome == TREE_AGREED) return TREE_STOPPED;
    return outcome;
}

void tree_ask(tree *t, answers sides[SIDES], const uint32_t *word, size_t n) {
    set_length(t, n);
    set_path(t, word);
    follow(t, sides);
}
