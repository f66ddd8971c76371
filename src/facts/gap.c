/* temper gap: how far apart the scores of each head are, measured on strings, on all strings up to a length, and
   proved; and what ties. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/exact_run.h"
#include "facts/facts_exhaustive.h"

enum { PROVED_LIMIT = 1 << 14, EXHAUSTIVE_LIMIT = 1 << 30 };

typedef struct gap_head {
    double *measured, *exhaustive, *proved; /* [longest + 1] log2, NAN: not looked at */
    bool differs, ties; /* seen on some string: a row with different scores, and with several largest */
    bool proved_uniform, proved_tieless;
    temper_gap_head about;
} gap_head;

struct temper_gap {
    arena memory;
    size_t longest;
    uint32_t layer_count;
    uint32_t *head_start; /* [layers + 1] */
    gap_head *heads;
};

typedef struct finder {
    temper_gap *gap;
    const temper_model *m;
    const temper_gap_options *o;
    arena *scratch;
    rational *t;
    const uint32_t *letters; /* of the present string */
    size_t n;
    bool exhaustive; /* where its gaps are written */
} finder;

static uint32_t head_count(const temper_gap *g) { return g->head_start[g->layer_count]; }

/* ---- strings ---- */

static void see_row(void *context, const exact_row *row) {
    finder *f = context;
    gap_head *h = &f->gap->heads[f->gap->head_start[row->layer] + row->head];
    double *to = (f->exhaustive ? h->exhaustive : h->measured) + f->n;
    if (row->ties > 1 && (!h->ties || f->n < h->about.witness_length)) { /* a short one is easier to look at */
        arena *a = &f->gap->memory;
        uint32_t *copy = arena_alloc(a, f->n, sizeof *copy);
        if (f->n) memcpy(copy, f->letters, f->n * sizeof *copy);
        h->ties = true;
        h->about.witness = copy;
        h->about.witness_length = f->n;
        h->about.position = row->i;
        h->about.key = row->best;
        h->about.other_key = row->last_best;
    }
    if (row->next == SIZE_MAX) return;
    h->differs = true;
    rational_sub(f->t, &row->scores[row->best], &row->scores[row->next]);
    *to = fmin(*to, rational_log2(f->t));
}

/* One string in exact arithmetic. The first one of a length sets "none differs". */
static void look_at(finder *f, const uint32_t *letters, size_t n) {
    exact_observer observer = {.context = f, .row = see_row};
    rational_pool pool;
    f->letters = letters;
    f->n = n;
    for (uint32_t h = 0; h < head_count(f->gap); h++) {
        double *to = (f->exhaustive ? f->gap->heads[h].exhaustive : f->gap->heads[h].measured) + n;
        if (isnan(*to)) *to = INFINITY;
    }
    arena_reset(f->scratch);
    rational_pool_init(&pool, f->scratch);
    f->t = rational_array(&pool, 1);
    exact_run(f->m, letters, n, &observer, &pool, f->scratch);
    arena_reset(f->scratch);
}

static void look_at_given(finder *f, string_watch *watch, uint32_t *letters, trap *t) {
    f->exhaustive = false;
    for (size_t k = 0; k < f->o->string_count; k++) {
        for (size_t i = 0; i < f->o->lengths[k]; i++)
            if (f->o->strings[k][i] >= f->m->letters.count)
                trap_raise(t, TEMPER_RANGE, 0, i + 1, "letter number %u at position %zu is not in the alphabet",
                           f->o->strings[k][i], i + 1);
        look_at(f, f->o->strings[k], f->o->lengths[k]);
        string_watch_step(watch, t);
    }
    uint64_t state = f->o->seed;
    for (uint64_t k = 0; k < f->o->random; k++) { /* lengths go round, so that each is seen */
        size_t n = (size_t)(k % (f->o->length + 1));
        random_string(letters, n, f->m->letters.count, &state);
        look_at(f, letters, n);
        string_watch_step(watch, t);
    }
}

static void look_at_all(finder *f, string_watch *watch, uint32_t *letters, trap *t) {
    f->exhaustive = true;
    for (size_t n = 0; n <= f->o->exhaustive && f->o->exhaustive; n++) {
        memset(letters, 0, n * sizeof *letters);
        do {
            look_at(f, letters, n);
            string_watch_step(watch, t);
        } while (next_string(letters, n, f->m->letters.count));
    }
}

/* ---- proofs ---- */

static void take_length(finder *f, const facts *known_of, size_t n) {
    for (uint32_t l = 0; l < f->m->layer_count; l++)
        for (uint32_t k = 0; k < f->m->layers[l].head_count; k++) {
            gap_head *h = &f->gap->heads[f->gap->head_start[l] + k];
            const head_facts *from = &known_of->layers[l].heads[k];
            h->proved[n] = from->log2_gap;
            if (!from->uniform) h->proved_uniform = false;
            if (!from->tieless) h->proved_tieless = false;
        }
}

static void prove_lengths(finder *f, const string_watch *watch, arena *keep) {
    subject_model s;
    subject_model_init(&s, f->m, keep);
    facts_run *run = facts_run_begin(&s, 0, keep);
    for (size_t n = 0; n <= f->o->proved; n++) {
        arena_reset(f->scratch);
        take_length(f, facts_run_next(run, f->scratch), n);
        if (f->o->progress && f->o->progress(f->o->context, watch->done + n + 1, watch->total))
            trap_raise(keep->trap, TEMPER_LIMIT, 0, 0, "stopped at length %zu of %zu", n, f->o->proved);
    }
    arena_reset(f->scratch);
}

/* ---- conclusions ---- */

static void conclude(const finder *f, gap_head *h, const model_head *head) {
    size_t all = f->o->exhaustive, proved = f->o->proved;
    bool complete = all > 0, any = complete || proved > 0;
    temper_gap_head *a = &h->about;
    if (head_is_zero(head)) {
        a->tie = TEMPER_TIE_UNIFORM;
        a->proved = SIZE_MAX;
    } else if (!h->differs && any && (h->proved_uniform || complete)) {
        a->tie = TEMPER_TIE_UNIFORM;
        a->proved = h->proved_uniform && proved > all ? proved : all;
    } else if (!h->ties && any && (h->proved_tieless || complete)) {
        a->tie = TEMPER_TIE_TIELESS;
        a->proved = h->proved_tieless && proved > all ? proved : all;
    } else if (h->ties && h->differs) {
        a->tie = TEMPER_TIE_TIED;
        return;
    }
    a->witness = NULL;
    a->witness_length = a->position = a->key = a->other_key = 0;
}

/* ---- the public functions ---- */

static void check_options(const temper_model *m, const temper_gap_options *o, trap *t) {
    if (o->proved > PROVED_LIMIT)
        trap_raise(t, TEMPER_LIMIT, 0, 0, "gaps are proved up to length %d, not %zu", PROVED_LIMIT, o->proved);
    if (strings_up_to(m->letters.count, o->exhaustive) > EXHAUSTIVE_LIMIT)
        trap_raise(t, TEMPER_LIMIT, 0, 0, "there are too many strings up to length %zu to look at them all",
                   o->exhaustive);
    double cost = ((double)o->proved + 2) * ((double)m->channel_count + 16) * 8;
    if (cost > 0x1p27)
        trap_raise(t, TEMPER_LIMIT, 0, 0,
                   "length %zu with %u channels needs more exact numbers than are allowed (2^27)", o->proved,
                   m->channel_count);
    exact_require(m, t);
}

static size_t longest_of(const temper_gap_options *o) {
    size_t longest = o->exhaustive > o->proved ? o->exhaustive : o->proved;
    if (o->random && o->length > longest) longest = o->length;
    for (size_t k = 0; k < o->string_count; k++)
        if (o->lengths[k] > longest) longest = o->lengths[k];
    return longest;
}

static double *not_looked_at(arena *a, size_t count) {
    double *x = arena_alloc(a, count, sizeof *x);
    for (size_t k = 0; k < count; k++) x[k] = NAN;
    return x;
}

static void prepare(temper_gap *g, const temper_model *m, const temper_gap_options *o) {
    arena *a = &g->memory;
    g->longest = longest_of(o);
    g->layer_count = m->layer_count;
    g->head_start = arena_zalloc(a, (size_t)m->layer_count + 1, sizeof *g->head_start);
    for (uint32_t l = 0; l < m->layer_count; l++) g->head_start[l + 1] = g->head_start[l] + m->layers[l].head_count;
    g->heads = arena_zalloc(a, head_count(g), sizeof *g->heads);
    for (uint32_t h = 0; h < head_count(g); h++) {
        gap_head *head = &g->heads[h];
        head->measured = not_looked_at(a, g->longest + 1);
        head->exhaustive = not_looked_at(a, g->longest + 1);
        head->proved = not_looked_at(a, g->longest + 1);
        head->proved_uniform = head->proved_tieless = o->proved > 0;
    }
}

typedef struct find_call {
    temper_gap **out;
    const temper_model *model;
    temper_gap_options options;
} find_call;

static void free_gap(void *gap) { temper_gap_free(gap); }

static void find(entry *e, void *context) {
    const find_call *c = context;
    const temper_model *m = c->model;
    const temper_gap_options *o = &c->options;
    check_options(m, o, e->trap);
    temper_gap *g = caller_alloc(e->trap, 1, sizeof *g);
    memset(g, 0, sizeof *g);
    arena_init(&g->memory, e->trap);
    entry_on_failure(e, free_gap, g);
    prepare(g, m, o);
    finder f = {.gap = g, .m = m, .o = o, .scratch = &e->scratch};
    uint32_t *letters = arena_zalloc(&g->memory, g->longest, sizeof *letters);
    string_watch watch = {.progress = o->progress, .context = o->context};
    watch.total = o->string_count + o->random + (o->exhaustive ? strings_up_to(m->letters.count, o->exhaustive) : 0) +
                  (o->proved ? o->proved + 1 : 0);
    look_at_given(&f, &watch, letters, e->trap);
    look_at_all(&f, &watch, letters, e->trap);
    if (o->proved) prove_lengths(&f, &watch, &e->memory);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            conclude(&f, &g->heads[g->head_start[l] + h], &m->layers[l].heads[h]);
    g->memory.trap = NULL;
    *c->out = g;
}

temper_status temper_gap_find(temper_gap **out, const temper_model *m, const temper_gap_options *options,
                              temper_error *err) {
    find_call call = {out, m, options ? *options : (temper_gap_options){0}};
    *out = NULL;
    return entry_run(err, find, &call);
}

void temper_gap_free(temper_gap *gap) {
    if (!gap) return;
    arena_free(&gap->memory);
    free(gap);
}

size_t temper_gap_longest(const temper_gap *gap) { return gap->longest; }

static const gap_head *find_head(const temper_gap *g, size_t layer, size_t head) {
    if (layer < 1 || layer > g->layer_count || head < 1) return NULL;
    size_t k = g->head_start[layer - 1] + (head - 1);
    return k < g->head_start[layer] ? &g->heads[k] : NULL;
}

temper_gap_row temper_gap_at(const temper_gap *gap, size_t layer, size_t head, size_t n) {
    const gap_head *h = find_head(gap, layer, head);
    if (!h || n > gap->longest) return (temper_gap_row){NAN, NAN, NAN};
    return (temper_gap_row){h->measured[n], h->exhaustive[n], h->proved[n]};
}

temper_status temper_gap_about(temper_gap_head *out, const temper_gap *gap, size_t layer, size_t head,
                               temper_error *err) {
    const gap_head *h = find_head(gap, layer, head);
    if (!h) return error_write(err, TEMPER_RANGE, 0, 0, "", "there is no such head");
    *out = h->about;
    return TEMPER_OK;
}
