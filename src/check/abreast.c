#include "check/abreast.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "logic/formula_eval.h"
#include "run/batch.h"

enum {
    UNIT_STRINGS = 2048, /* that a thread takes at a time */
    ROUND_UNITS = 64,    /* between two reports */
    MOST_THREADS = 64
};

/* One thread's machines for the length that is walked. */
typedef struct lane_walker {
    arena memory, scratch;
    size_t n, strings; /* what they are made for; n = SIZE_MAX: nothing yet */
    batch batch[SIDES];
    uint32_t *words, *spec_word; /* [lanes][n], [n] */
    unsigned char *truth;        /* [n] the formula's */
} lane_walker;

/* What came of a unit. */
typedef struct unit_result {
    uint64_t compared; /* strings, the first one with a difference included */
    double margin;
    bool found, broken;
} unit_result;

struct abreast {
    const temper_spec *spec;
    const temper_model *model;
    const uint32_t *spec_letter;
    model_plan plans[SIDES];
    bool soft;
    unsigned threads;
    arena scratch;
    lane_walker walkers[MOST_THREADS];

    /* one walk */
    size_t n;
    uint64_t total, first; /* strings; the rank with which the round begins */
    size_t units;
    atomic_size_t next, limit; /* the next unit; those beyond the first with a difference are not needed */
    unit_result results[ROUND_UNITS];

    /* asking about strings */
    batch_groups groups;
    const uint32_t *const *asked;
    abreast_answer *answers;
};

abreast *abreast_new(arena *a, const temper_spec *spec, const temper_model *model, const uint32_t *spec_letter,
                     unsigned threads) {
    abreast *s = arena_zalloc(a, 1, sizeof *s);
    long cores = threads ? (long)threads : sysconf(_SC_NPROCESSORS_ONLN);
    s->spec = spec;
    s->model = model;
    s->spec_letter = spec_letter;
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

/* ---- one unit ---- */

static void make_machines(const abreast *s, lane_walker *w, size_t n, size_t strings) {
    if (w->n == n && w->strings == strings) return;
    w->n = SIZE_MAX;
    arena_reset(&w->memory);
    for (int side = SIDE_HARD; side <= (s->soft ? SIDE_SOFT : SIDE_HARD); side++)
        batch_init(&w->batch[side], s->model, &s->plans[side], n, strings, side == SIDE_HARD, TEMPER_TYPE_F64,
                   &w->memory);
    w->words = arena_alloc(&w->memory, w->batch[SIDE_HARD].lanes * n, sizeof *w->words);
    w->spec_word = arena_alloc(&w->memory, n, sizeof *w->spec_word);
    w->truth = arena_alloc(&w->memory, n, 1);
    w->n = n;
    w->strings = strings;
}

static bool run_sides(const abreast *s, lane_walker *w, const uint32_t *const *words, size_t count) {
    return batch_run(&w->batch[SIDE_HARD], words, count) &&
           (!s->soft || batch_run(&w->batch[SIDE_SOFT], words, count));
}

static void word_of_rank(const abreast *s, uint32_t *word, uint64_t rank) {
    size_t letters = s->model->letters.count;
    for (size_t k = s->n; k-- > 0; rank /= letters) word[k] = (uint32_t)(rank % letters);
}

static void next_word(const abreast *s, uint32_t *to, const uint32_t *from) {
    size_t k = s->n;
    memcpy(to, from, k * sizeof *to);
    while (k-- > 0) {
        if (++to[k] < s->model->letters.count) return;
        to[k] = 0;
    }
}

static bool model_accepts(const abreast *s, const batch *b, size_t lane) {
    return b->truth[(b->n == 0 ? 0 : s->model->at == TEMPER_AT_FIRST ? 1 : b->n) * b->lanes + lane];
}

/* All present sides are compared with the hard model, which is always there. */
static bool is_odd(const abreast *s, lane_walker *w, const uint32_t *word, size_t lane) {
    const batch *hard = &w->batch[SIDE_HARD], *soft = &w->batch[SIDE_SOFT];
    size_t n = hard->n, lanes = hard->lanes;
    bool odd = false;
    if (s->soft) {
        odd = model_accepts(s, hard, lane) != model_accepts(s, soft, lane);
        for (size_t k = 1; k <= n; k++) odd |= hard->truth[k * lanes + lane] != soft->truth[k * lanes + lane];
    }
    if (!s->spec) return odd;
    bool accept = s->spec->accepts_empty;
    if (n) {
        for (size_t k = 0; k < n; k++) w->spec_word[k] = s->spec_letter[word[k]];
        arena_reset(&w->scratch);
        formula_eval(w->truth, &s->spec->graph, s->spec->root, w->spec_word, n, &w->scratch);
        accept = w->truth[s->spec->at == TEMPER_AT_FIRST ? 0 : n - 1];
    }
    odd |= accept != model_accepts(s, hard, lane);
    for (size_t k = 1; k <= n; k++) odd |= hard->truth[k * lanes + lane] != (w->truth[k - 1] != 0);
    return odd;
}

static void raise_margin(double *margin, const abreast *s, const lane_walker *w, size_t lane) {
    const batch *b = &w->batch[SIDE_SOFT];
    size_t heads = s->soft ? s->plans[SIDE_SOFT].head_start[s->model->layer_count] : 0;
    for (size_t h = 0; h < heads; h++)
        if (b->margins[h * b->lanes + lane] > *margin) *margin = b->margins[h * b->lanes + lane];
}

/* `count` strings from a rank on; true if there is no difference and all could be run. */
static bool compare_lanes(const abreast *s, lane_walker *w, unit_result *r, uint64_t rank, size_t count) {
    const uint32_t *letters[BATCH_MOST];
    for (size_t b = 0; b < count; b++) {
        uint32_t *word = w->words + b * s->n;
        letters[b] = word;
        if (b)
            next_word(s, word, word - s->n);
        else
            word_of_rank(s, word, rank);
    }
    r->broken = !run_sides(s, w, letters, count);
    for (size_t b = 0; b < count && !r->broken; b++) {
        r->compared++;
        raise_margin(&r->margin, s, w, b);
        r->found = is_odd(s, w, letters[b], b);
        if (r->found) return false;
    }
    return !r->broken;
}

static void walk_strings(const abreast *s, lane_walker *w, unit_result *r, uint64_t rank) {
    make_machines(s, w, s->n, SIZE_MAX);
    uint64_t end = s->total - rank < UNIT_STRINGS ? s->total : rank + UNIT_STRINGS;
    size_t lanes = w->batch[SIDE_HARD].lanes;
    for (size_t count; rank < end; rank += count) {
        count = end - rank < lanes ? (size_t)(end - rank) : lanes;
        if (!compare_lanes(s, w, r, rank, count)) return;
    }
}

static void walk_unit(const abreast *s, lane_walker *w, unit_result *r, uint64_t rank) {
    trap t;
    *r = (unit_result){0};
    w->memory.trap = w->scratch.trap = &t;
    if (trap_set(&t, NULL)) { /* no memory: one string after the other needs less, or says so */
        r->broken = true;
        return;
    }
    walk_strings(s, w, r, rank);
    trap_clear(&t);
}

/* ---- one length ---- */

/* One thread: units of the round until there are none, or none before the first difference. */
static void walk_units(void *context, size_t number) {
    abreast *s = context;
    for (size_t unit; (unit = atomic_fetch_add(&s->next, 1)) < s->units && unit <= atomic_load(&s->limit);) {
        unit_result *r = &s->results[unit];
        walk_unit(s, &s->walkers[number], r, s->first + (uint64_t)unit * UNIT_STRINGS);
        size_t limit = atomic_load(&s->limit);
        while ((r->found || r->broken) && unit < limit && !atomic_compare_exchange_weak(&s->limit, &limit, unit))
            continue;
    }
}

/* Units in their order, up to the first that did not agree. */
static tree_outcome add_up(const abreast *s, uint64_t *strings, double *margin) {
    for (size_t k = 0; k < s->units; k++) {
        const unit_result *r = &s->results[k];
        if (r->broken) return TREE_BROKEN;
        *strings += r->compared;
        if (r->margin > *margin) *margin = r->margin;
        if (r->found) return TREE_DIFFERS;
    }
    return TREE_AGREED;
}

tree_outcome abreast_walk(abreast *s, size_t n, uint32_t *word, uint64_t *strings, double *margin,
                          tree_report *report, void *context) {
    double largest = *margin;
    if (batch_lanes(&s->plans[SIDE_HARD], n + 1 + s->model->has_end) == 0) return TREE_BROKEN;
    s->n = n;
    s->total = 1;
    for (size_t k = 0; k < n; k++) s->total *= s->model->letters.count; /* at most 2^62: the caller counted */
    *strings = 0;
    for (s->first = 0; s->first < s->total; s->first += (uint64_t)s->units * UNIT_STRINGS) {
        uint64_t units = (s->total - s->first + UNIT_STRINGS - 1) / UNIT_STRINGS;
        s->units = units < ROUND_UNITS ? (size_t)units : ROUND_UNITS;
        atomic_store(&s->next, 0);
        atomic_store(&s->limit, s->units);
        unsigned threads = s->units < s->threads ? (unsigned)s->units : s->threads;
        run_parallel(threads, threads, walk_units, s);
        tree_outcome outcome = add_up(s, strings, &largest);
        if (outcome == TREE_BROKEN) return outcome;
        *margin = largest;
        if (outcome == TREE_DIFFERS) {
            word_of_rank(s, word, *strings - 1);
            return outcome;
        }
        if (report && s->first + (uint64_t)s->units * UNIT_STRINGS < s->total && report(context, *strings))
            return TREE_STOPPED;
    }
    return TREE_AGREED;
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

/* One thread: groups until there are none. */
static void ask_groups(void *context, size_t number) {
    abreast *s = context;
    lane_walker *w = &s->walkers[number];
    trap t;
    w->memory.trap = w->scratch.trap = &t;
    if (trap_set(&t, NULL)) return; /* no memory: what is not known is asked about alone */
    for (size_t group; (group = atomic_fetch_add(&s->next, 1)) < s->groups.count;)
        ask_group(s, w, &s->groups.groups[group]);
    trap_clear(&t);
}

void abreast_ask(abreast *s, abreast_answer *out, const uint32_t *const *words, const size_t *n, size_t count) {
    arena_reset(&s->scratch);
    memset(out, 0, count * sizeof *out);
    batch_group_lengths(&s->groups, n, count, &s->plans[SIDE_HARD], 1 + s->model->has_end, &s->scratch);
    s->asked = words;
    s->answers = out;
    atomic_store(&s->next, 0);
    unsigned threads = s->groups.count < s->threads ? (unsigned)s->groups.count : s->threads;
    run_parallel(threads, threads, ask_groups, s);
}
