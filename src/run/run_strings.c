#include "run/run_strings.h"

#include <stdatomic.h>
#include <string.h>

#include "base/entry.h"
#include "job/parallel.h"
#include "run/batch.h"
#include "run/positions.h"

enum { CHUNK = 64, GROUPS = 8 }; /* strings run alone, and groups of equal lengths, that a thread takes at a time */

typedef struct many {
    const temper_model *m;
    const uint32_t *const *letters;
    const size_t *n;
    size_t count;
    const strings_request *q;
    bool refusable; /* single strings may be refused though the model is not */
    const temper_run_options *o;
    const model_plan *plan;
    unsigned char *accept;
    temper_error *errors; /* [chunks] */
    batch_groups groups;
    atomic_size_t next_group;
    unsigned char *done; /* [count] by a group */
} many;

static bool is_proved(const many *w, size_t n) { return n < w->q->proved; }
static hard_way way_of(const many *w, size_t n) { return is_proved(w, n) ? w->q->way : w->q->beyond; }
static bool is_refused(const many *w, size_t n) { return !is_proved(w, n) && w->q->refuse; }

/* By itself, in one of the ways that do not go by a plan; a string that is refused is unproved, not an error. */
static void run_alone(const many *w, size_t k, trap *t) {
    temper_run *r;
    temper_error error;
    temper_run_options o = *w->o;
    o.threads = 1;
    o.dense = 1; /* no plan holds, or none was wanted */
    w->accept[k] = 2;
    run_request q = {.model = w->m,
                     .letters = w->letters[k],
                     .n = w->n[k],
                     .options = &o,
                     .way = way_of(w, w->n[k]),
                     .claim = is_proved(w, w->n[k]) ? TEMPER_CLAIM_CHOICES : TEMPER_CLAIM_NONE};
    temper_status status = run_string(&r, &q, &error);
    if (status == TEMPER_OK) w->accept[k] = (unsigned char)temper_run_about(r).accept;
    if (status == TEMPER_OK)
        temper_run_free(r);
    else if (!w->refusable || (status != TEMPER_UNSUPPORTED && status != TEMPER_LIMIT))
        trap_reraise(t, &error);
}

static bool execute(execution *e, temper_type type) {
    return type == TEMPER_TYPE_F32 ? execute_f32(e) : execute_f64(e);
}

static void run_one(const many *w, size_t k, trap *t, arena *memory) {
    size_t n = w->n[k], size = n + 1 + w->m->has_end;
    if (is_refused(w, n)) {
        w->accept[k] = 2;
        return;
    }
    if (way_of(w, n) != WAY_FAST) {
        run_alone(w, k, t);
        return;
    }
    run_check_letters(w->m, w->letters[k], n, t);
    arena_reset(memory);
    unsigned char *truth = arena_alloc(memory, size, 1);
    size_t heads = w->plan->head_start[w->m->layer_count];
    execution e = {.model = w->m,
                   .plan = w->plan,
                   .kernels = kernels_select(),
                   .letters = w->letters[k],
                   .n = n,
                   .size = size,
                   .hard = w->o->hard,
                   .threads = 1,
                   .truth = truth,
                   .margins = arena_alloc(memory, heads, sizeof(double)),
                   .memory = memory};
    if (!w->o->dense && !w->plan->adaptive && execute(&e, w->o->type)) {
        w->accept[k] = truth[verdict_position(w->m, n)];
        return;
    }
    run_alone(w, k, t);
}

typedef struct chunk_call {
    const many *w;
    size_t part;
} chunk_call;

static void run_part(entry *e, void *context) {
    const chunk_call *c = context;
    size_t end = (c->part + 1) * CHUNK < c->w->count ? (c->part + 1) * CHUNK : c->w->count;
    for (size_t k = c->part * CHUNK; k < end; k++)
        if (!c->w->done[k]) run_one(c->w, k, e->trap, &e->scratch);
}

static void run_chunk(void *context, size_t part) {
    const many *w = context;
    chunk_call call = {w, part};
    entry_run(&w->errors[part], run_part, &call);
}

static bool has_letters(const many *w, size_t k) {
    bool all = true;
    for (size_t i = 0; i < w->n[k]; i++) all &= w->letters[k][i] < w->m->letters.count;
    return all;
}

/* Strings of one length at once; a string that is odd in some way is left for run_one, which says in what way. */
static void run_group(many *w, const batch_group *g, batch *b) {
    const size_t *members = w->groups.order + g->first;
    const uint32_t *letters[BATCH_MOST];
    size_t which[BATCH_MOST], used = 0;
    for (size_t k = 0; k < g->count; k++)
        if (has_letters(w, members[k])) {
            letters[used] = w->letters[members[k]];
            which[used++] = members[k];
        }
    if (used == 0 || !batch_run(b, letters, used)) return;
    const unsigned char *truth = b->truth + verdict_position(w->m, b->n) * b->lanes;
    for (size_t k = 0; k < used; k++) {
        w->accept[which[k]] = truth[k];
        w->done[which[k]] = 1;
    }
}

/* One thread: groups until there are none, in the memory of the one before if the length is the same. */
static void take_groups(entry *e, void *context) {
    many *w = context;
    batch b;
    b.n = SIZE_MAX;
    for (size_t first; (first = atomic_fetch_add(&w->next_group, GROUPS)) < w->groups.count;)
        for (size_t k = first; k < first + GROUPS && k < w->groups.count; k++) {
            const batch_group *g = &w->groups.groups[k];
            if (is_refused(w, g->n) || way_of(w, g->n) != WAY_FAST) continue;
            if (g->n != b.n || g->count > b.lanes || g->count <= b.lanes / 2) {
                arena_reset(&e->scratch);
                batch_init(&b, w->m, w->plan, g->n, g->count, w->o->hard, w->o->type, &e->scratch);
            }
            run_group(w, g, &b);
        }
}

/* Without memory run_one is left to do it, which needs less, or says so. */
static void run_groups(void *context, size_t part) {
    (void)part;
    entry_run(NULL, take_groups, context);
}

void run_strings(unsigned char *accept, const temper_model *m, const uint32_t *const *letters, const size_t *n,
                 size_t count, const strings_request *q, arena *memory) {
    const temper_run_options *o = q->options;
    model_plan plan;
    plan_make(&plan, m, o->hard, memory);
    size_t chunks = (count + CHUNK - 1) / CHUNK;
    many w = {.m = m, .letters = letters, .n = n, .count = count, .q = q, .o = o, .plan = &plan, .accept = accept};
    bool all_fast = q->way == WAY_FAST && (q->refuse || q->beyond == WAY_FAST);
    w.refusable = !all_fast || plan.adaptive;
    w.errors = arena_zalloc(memory, chunks, sizeof *w.errors);
    w.done = arena_zalloc(memory, count, 1);
    if (!o->dense && q->way == WAY_FAST && !plan.adaptive) {
        batch_group_lengths(&w.groups, n, count, &plan, 1 + m->has_end, memory);
        size_t parts = (w.groups.count + GROUPS - 1) / GROUPS, threads = run_thread_count(o->threads);
        run_parallel((unsigned)threads, parts < threads ? parts : threads, run_groups, &w);
    }
    /* FLINT keeps memory for each thread that ever used it, so rationals stay on the caller's. */
    unsigned threads = all_fast ? run_thread_count(o->threads) : 1;
    if (memchr(w.done, 0, count)) run_parallel(threads, chunks, run_chunk, &w);
    for (size_t k = 0; k < chunks; k++)
        if (w.errors[k].code != TEMPER_OK) trap_reraise(memory->trap, &w.errors[k]);
}
