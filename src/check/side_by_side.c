#include "check/side_by_side.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/entry.h"
#include "logic/formula_eval.h"
#include "run/batch.h"

enum { MOST_THREADS = 64 };

/* One thread's machines for the length that is walked. */
typedef struct lane_walker {
    arena memory, scratch;
    size_t n, strings; /* what they are made for; n = SIZE_MAX: nothing yet */
    batch batch[SIDES];
    uint32_t *words, *spec_word; /* [lanes][n], [n] */
    unsigned char *truth;        /* [outputs][n] the formula's */
} lane_walker;

struct abreast {
    const temper_spec *spec;
    const temper_model *model;
    check_sides sides;
    const uint32_t *spec_letter;
    node_id *roots; /* [outputs] of the formula, as the model numbers them */
    const uint32_t *spec_output;
    size_t outputs;
    model_plan plans[SIDES];
    bool soft;
    unsigned threads;
    arena scratch;
    lane_walker walkers[MOST_THREADS];

    atomic_size_t next; /* group */

    batch_groups groups;
    const uint32_t *const *asked;
    abreast_answer *answers;
};

abreast *abreast_new(arena *a, const check_sides *sides, unsigned threads) {
    abreast *s = arena_zalloc(a, 1, sizeof *s);
    long cores = threads ? (long)threads : sysconf(_SC_NPROCESSORS_ONLN);
    const temper_spec *spec = s->spec = sides->spec;
    const temper_model *model = s->model = sides->model;
    s->sides = *sides;
    s->spec_letter = sides->spec_letter;
    s->spec_output = sides->spec_output;
    s->outputs = model_output_count(model);
    s->roots = arena_alloc(a, s->outputs, sizeof *s->roots);
    for (size_t k = 0; spec && k < s->outputs; k++) s->roots[k] = spec_output_root(spec, s->spec_output[k]);
    s->soft = model->method != TEMPER_METHOD_HARD;
    s->threads = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (unsigned)cores;
    plan_make(&s->plans[SIDE_HARD], model, true, a);
    plan_make(&s->plans[SIDE_SOFT], model, false, a);
    arena_init(&s->scratch, a->trap);
    for (size_t k = 0; k < MOST_THREADS; k++) {
        arena_init(&s->walkers[k].memory, NULL);
        arena_init(&s->walkers[k].scratch, NULL);
        s->walkers[k].n = SIZE_MAX;
    }
    return s->plans[SIDE_HARD].dense || (s->soft && s->plans[SIDE_SOFT].dense) ? NULL : s;
}

void abreast_free(abreast *s) {
    if (s) arena_free(&s->scratch);
    for (size_t k = 0; s && k < MOST_THREADS; k++) {
        arena_free(&s->walkers[k].memory);
        arena_free(&s->walkers[k].scratch);
    }
}

/* ---- one machine ---- */

static void make_machines(const abreast *s, lane_walker *w, size_t n, size_t strings) {
    if (w->n == n && w->strings == strings) return;
    w->n = SIZE_MAX;
    arena_reset(&w->memory);
    for (int side = SIDE_HARD; side <= (s->soft ? SIDE_SOFT : SIDE_HARD); side++)
        batch_init(&w->batch[side], s->model, &s->plans[side], n, strings, side == SIDE_HARD, TEMPER_TYPE_F64,
                   &w->memory);
    w->words = arena_alloc(&w->memory, w->batch[SIDE_HARD].lanes * n, sizeof *w->words);
    w->spec_word = arena_alloc(&w->memory, n, sizeof *w->spec_word);
    w->truth = arena_alloc(&w->memory, s->outputs * n, 1);
    w->n = n;
    w->strings = strings;
}

static bool run_sides(const abreast *s, lane_walker *w, const uint32_t *const *words, size_t count) {
    return batch_run(&w->batch[SIDE_HARD], words, count) &&
           (!s->soft || batch_run(&w->batch[SIDE_SOFT], words, count));
}

static void word_of_rank(const abreast *s, uint32_t *word, size_t n, uint64_t rank) {
    for (size_t k = n; k-- > 0; rank /= s->sides.classes) word[k] = s->sides.letter[rank % s->sides.classes];
}

static void next_word(const abreast *s, uint32_t *to, const uint32_t *from, size_t n) {
    size_t k = n;
    memcpy(to, from, k * sizeof *to);
    while (k-- > 0) {
        uint32_t class = s->sides.class_of[to[k]] + 1;
        to[k] = s->sides.letter[class < s->sides.classes ? class : 0];
        if (class < s->sides.classes) return;
    }
}

static bool model_accepts(const abreast *s, const batch *b, size_t lane) {
    if (s->model->kind != TEMPER_KIND_ACCEPTOR) return false;
    return b->truth[(b->n == 0 ? 0 : s->model->at == TEMPER_AT_FIRST ? 1 : b->n) * b->lanes + lane];
}

/* All present sides are compared with the hard model, which is always there. */
static bool is_odd(const abreast *s, lane_walker *w, const uint32_t *word, size_t lane) {
    const batch *hard = &w->batch[SIDE_HARD], *soft = &w->batch[SIDE_SOFT];
    size_t n = hard->n, lanes = hard->lanes;
    bool odd = false, several = s->model->kind != TEMPER_KIND_ACCEPTOR;
    if (s->soft) {
        odd = model_accepts(s, hard, lane) != model_accepts(s, soft, lane);
        for (size_t o = 0; o < s->outputs; o++)
            for (size_t k = !several; k <= n; k++) {
                size_t at = (o * hard->size + k) * lanes + lane;
                odd |= hard->truth[at] != soft->truth[at];
            }
    }
    if (!s->spec) return odd;
    bool accept = !several && s->spec->accepts_empty;
    if (n) {
        for (size_t k = 0; k < n; k++) w->spec_word[k] = s->spec_letter[word[k]];
        arena_reset(&w->scratch);
        formula_eval_roots(w->truth, &s->spec->graph, s->roots, s->outputs, w->spec_word, n, &w->scratch);
        if (!several) accept = w->truth[s->spec->at == TEMPER_AT_FIRST ? 0 : n - 1];
    }
    odd |= accept != model_accepts(s, hard, lane);
    for (size_t o = 0; o < s->outputs; o++) {
        const unsigned char *truth = hard->truth + o * hard->size * lanes;
        if (several) odd |= truth[lane] != spec_output_empty(s->spec, s->spec_output[o]);
        for (size_t k = 1; k <= n; k++) odd |= truth[k * lanes + lane] != (w->truth[o * n + k - 1] != 0);
    }
    return odd;
}

static void raise_margin(double *margin, const abreast *s, const lane_walker *w, size_t lane) {
    const batch *b = &w->batch[SIDE_SOFT];
    size_t heads = s->soft ? s->plans[SIDE_SOFT].head_start[s->model->layer_count] : 0;
    for (size_t h = 0; h < heads; h++)
        if (b->margins[h * b->lanes + lane] > *margin) *margin = b->margins[h * b->lanes + lane];
}

/* ---- strings in their order ---- */

/* `count` strings, no more than there are lanes, from a number on. TREE_DIFFERS: word, and its margin. */
static tree_outcome compare_lanes(const abreast *s, lane_walker *w, uint64_t first, size_t count, uint32_t *word,
                                  double *margin) {
    const uint32_t *letters[BATCH_MOST];
    for (size_t b = 0; b < count; b++) {
        uint32_t *to = w->words + b * w->n;
        letters[b] = to;
        if (b)
            next_word(s, to, to - w->n, w->n);
        else
            word_of_rank(s, to, w->n, first);
    }
    if (!run_sides(s, w, letters, count)) return TREE_BROKEN;
    for (size_t b = 0; b < count; b++) {
        if (is_odd(s, w, letters[b], b)) {
            memcpy(word, letters[b], w->n * sizeof *word);
            *margin = 0;
            raise_margin(margin, s, w, b);
            return TREE_DIFFERS;
        }
        raise_margin(margin, s, w, b);
    }
    return TREE_AGREED;
}

static tree_outcome walk_strings(const abreast *s, lane_walker *w, size_t n, uint64_t first, uint64_t count,
                                 uint32_t *word, double *margin, tree_report *report, void *context) {
    make_machines(s, w, n, SIZE_MAX);
    size_t lanes = w->batch[SIDE_HARD].lanes;
    for (size_t some; count > 0; first += some, count -= some) {
        some = count < lanes ? (size_t)count : lanes;
        tree_outcome outcome = compare_lanes(s, w, first, some, word, margin);
        if (outcome != TREE_AGREED) return outcome;
        if (report && report(context, some)) return TREE_STOPPED;
    }
    return TREE_AGREED;
}

typedef struct walk_call {
    abreast *s;
    size_t n;
    uint64_t first, count;
    uint32_t *word;
    double *margin;
    tree_report *report;
    void *context;
    tree_outcome outcome;
} walk_call;

static void walk_all(void *context) {
    walk_call *c = context;
    c->outcome =
        walk_strings(c->s, &c->s->walkers[0], c->n, c->first, c->count, c->word, c->margin, c->report, c->context);
}

tree_outcome abreast_walk(abreast *s, size_t n, uint64_t first, uint64_t count, uint32_t *word, double *margin,
                          tree_report *report, void *context) {
    trap t;
    lane_walker *w = &s->walkers[0];
    walk_call call = {s, n, first, count, word, margin, report, context, TREE_BROKEN};
    *margin = 0;
    if (batch_lanes(&s->plans[SIDE_HARD], n + 1 + s->model->has_end) == 0) return TREE_BROKEN;
    w->memory.trap = w->scratch.trap = &t;
    /* no memory: one string after the other needs less, or says so */
    return trap_attempt(&t, NULL, walk_all, &call) ? call.outcome : TREE_BROKEN;
}

/* ---- any strings ---- */

static void ask_group(const abreast *s, lane_walker *w, const batch_group *g) {
    const size_t *members = s->groups.order + g->first;
    const uint32_t *words[BATCH_MOST];
    make_machines(s, w, g->n, g->count);
    for (size_t k = 0; k < g->count; k++) words[k] = s->asked[members[k]];
    if (!run_sides(s, w, words, g->count)) return;
    for (size_t k = 0; k < g->count; k++) {
        abreast_answer *a = &s->answers[members[k]];
        a->odd = is_odd(s, w, words[k], k);
        raise_margin(&a->margin, s, w, k);
        a->known = true;
    }
}

typedef struct ask_call {
    abreast *s;
    lane_walker *walker;
} ask_call;

static void ask_groups(void *context) {
    const ask_call *c = context;
    abreast *s = c->s;
    for (size_t group; (group = atomic_fetch_add(&s->next, 1)) < s->groups.count;)
        ask_group(s, c->walker, &s->groups.groups[group]);
}

/* One thread: groups until there are none, or no memory: what is not known is asked about alone. */
static void ask_in_thread(void *context, size_t number) {
    abreast *s = context;
    ask_call call = {s, &s->walkers[number]};
    trap t;
    call.walker->memory.trap = call.walker->scratch.trap = &t;
    trap_attempt(&t, NULL, ask_groups, &call);
}

void abreast_ask(abreast *s, abreast_answer *out, const uint32_t *const *words, const size_t *n, size_t count) {
    arena_reset(&s->scratch);
    memset(out, 0, count * sizeof *out);
    batch_group_lengths(&s->groups, n, count, &s->plans[SIDE_HARD], 1 + s->model->has_end, &s->scratch);
    s->asked = words;
    s->answers = out;
    atomic_store(&s->next, 0);
    unsigned threads = s->groups.count < s->threads ? (unsigned)s->groups.count : s->threads;
    run_parallel(threads, threads, ask_in_thread, s);
}
