/* Running a model: the checks, the choice between plans and the dense reference, one string or many. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/safe_length.h"
#include "number/number_type.h"
#include "run/batch.h"
#include "run/forward.h"
#include "run/hard_answer.h"
#include "run/positions.h"

_Noreturn void run_not_finite(trap *t, size_t position) {
    trap_raise(t, TEMPER_RANGE, 0, position, "a score or an answer at position %zu is infinite or not a number",
               position);
}

/* ---- lengths ---- */

/* The proved length of a run's number format, and why it ends there. */
static size_t proved_length(const temper_model *m, temper_type type, const char **why) {
    *why = type == TEMPER_TYPE_F32 ? m->safe_reason_f32 : m->safe_reason;
    if (type == TEMPER_TYPE_F32 && m->output_margin > 0) { /* the error recursion counts roundings in f64 */
        *why = "the bound of this model's error is for f64";
        return 0;
    }
    return type == TEMPER_TYPE_F32 ? m->safe_length_f32 : m->safe_length;
}

static bool is_emulated(temper_type type, trap *t) {
    if (!number_type_of(type)) trap_raise(t, TEMPER_RANGE, 0, 0, "there is no number format %d", (int)type);
    return number_type_is_emulated(type);
}

/* An unproved model proves nothing, not even of the empty string. */
static bool is_proved(size_t n, size_t proved) { return proved > 0 && n <= proved; }

static void check_length(size_t n, size_t proved, const char *reason, trap *t) {
    if (is_proved(n, proved)) return;
    if (proved == 0)
        trap_raise_remedy(t, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_UNCHECKED, "no length is proved safe: %s", reason);
    trap_raise_remedy(t, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_UNCHECKED,
                      "length %zu is beyond the proved length %zu: %s", n, proved, reason);
}

static void check_letters(const temper_model *m, const uint32_t *letters, size_t n, trap *t) {
    for (size_t k = 0; k < n; k++)
        if (letters[k] >= m->letters.count)
            trap_raise(t, TEMPER_RANGE, 0, k + 1, "letter number %u at position %zu is not in the alphabet",
                       letters[k], k + 1);
}

/* Asking the system takes longer than running a short string, so it is asked once. */
static unsigned thread_count(unsigned asked) {
    static atomic_uint known;
    if (asked) return asked;
    unsigned cores = atomic_load(&known);
    if (cores == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        cores = online > 0 ? (unsigned)online : 1;
        atomic_store(&known, cores);
    }
    return cores;
}

/* ---- one string ---- */

static bool execute(execution *e, temper_type type) {
    return type == TEMPER_TYPE_F32 ? execute_f32(e) : execute_f64(e);
}

/* By plan; false if a plan did not hold. */
static bool run_planned(temper_run *r, const temper_model *m, const uint32_t *letters, size_t n,
                        const temper_run_options *o, arena *memory) {
    model_plan plan;
    plan_make(&plan, m, o->hard, memory);
    if (plan.adaptive) return false;
    size_t heads = plan.head_start[m->layer_count];
    execution e = {.model = m,
                   .plan = &plan,
                   .kernels = kernels_select(),
                   .letters = letters,
                   .n = n,
                   .size = r->size,
                   .hard = o->hard,
                   .threads = thread_count(o->threads),
                   .truth = r->truth,
                   .margins = arena_zalloc(memory, heads, sizeof(double)),
                   .memory = memory};
    if (!execute(&e, o->type)) return false;
    for (size_t h = 0; h < heads; h++) r->heads[h].margin = e.margins[h];
    return true;
}

static void check_format(const temper_run_options *o, trap *t) {
    if (!o->unchecked)
        trap_raise_remedy(t, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_UNCHECKED,
                          "answers in %s are not certified at any length", temper_type_name(o->type));
}

static void prepare_run(temper_run *r, const temper_model *m, size_t size) {
    arena *a = &r->memory;
    r->size = size;
    r->layer_count = m->layer_count;
    r->channel_count = m->channel_count;
    r->truth = arena_zalloc(a, size, 1);
    r->head_start = arena_zalloc(a, (size_t)m->layer_count + 1, sizeof *r->head_start);
    for (uint32_t l = 0; l < m->layer_count; l++) r->head_start[l + 1] = r->head_start[l] + m->layers[l].head_count;
    r->heads = arena_zalloc(a, r->head_start[m->layer_count], sizeof *r->heads);
}

temper_status temper_model_run(temper_run **out, const temper_model *m, const uint32_t *letters, size_t n,
                               const temper_run_options *options, temper_error *err) {
    trap t;
    arena stream, scratch;
    rational_pool pool = {0};
    temper_run *volatile run = NULL;
    temper_run_options o = options ? *options : (temper_run_options){0};
    *out = NULL;
    arena_init(&stream, &t);
    arena_init(&scratch, &t);
    if (trap_set(&t, err)) {
        rational_pool_clear(&pool);
        arena_free(&stream);
        arena_free(&scratch);
        temper_run_free(run);
        return t.error.code;
    }
    const char *why;
    bool emulated = is_emulated(o.type, &t);
    size_t proved = proved_length(m, o.type, &why);
    check_letters(m, letters, n, &t);
    hard_way way = hard_way_of(m, &o, &t);
    if (emulated) check_format(&o, &t);
    if (!o.unchecked && (way == WAY_FAST || m->changed)) check_length(n, proved, why, &t);
    temper_run *r = run = caller_alloc(&t, 1, sizeof *r);
    memset(r, 0, sizeof *r);
    arena_init(&r->memory, &t);
    prepare_run(r, m, n + 1 + m->has_end);
    r->type = o.type;
    r->proved = !emulated && is_proved(n, proved) && !(o.hard && m->output_margin > 0);
    if (way != WAY_FAST) {
        hard_answer(r, way, m, letters, n, &o, &pool, &scratch);
    } else if (emulated || o.capture || o.dense || !run_planned(r, m, letters, n, &o, &scratch)) {
        arena_reset(&scratch);
        forward_run(r, m, letters, n, &o, &stream, &scratch);
    }
    r->accept = r->truth[verdict_position(m, n)];
    arena_free(&stream);
    arena_free(&scratch);
    r->memory.trap = NULL;
    *out = r;
    trap_clear(&t);
    return TEMPER_OK;
}

/* ---- many strings ---- */

enum { CHUNK = 64, GROUPS = 8 }; /* strings run alone, and groups of equal lengths, that a thread takes at a time */

typedef struct many {
    const temper_model *m;
    const uint32_t *const *letters;
    const size_t *n;
    size_t count, proved;
    hard_way way;
    bool refusable; /* single strings may be refused though the model is not */
    const temper_run_options *o;
    const model_plan *plan;
    unsigned char *accept;
    temper_error *errors; /* [chunks] */
    batch_groups groups;
    atomic_size_t next_group;
    unsigned char *done; /* [count] by a group */
} many;

/* By itself, with everything that temper_model_run does; a string that is refused is unproved, not an error. */
static void run_alone(const many *w, size_t k, trap *t) {
    temper_run *r;
    temper_error error;
    temper_run_options o = *w->o;
    o.threads = 1;
    o.dense = 1; /* no plan holds, or none was wanted */
    w->accept[k] = 2;
    temper_status status = temper_model_run(&r, w->m, w->letters[k], w->n[k], &o, &error);
    if (status == TEMPER_OK) w->accept[k] = (unsigned char)temper_run_accept(r);
    if (status == TEMPER_OK)
        temper_run_free(r);
    else if (!w->refusable || (status != TEMPER_UNSUPPORTED && status != TEMPER_LIMIT))
        trap_reraise(t, &error);
}

static void run_one(const many *w, size_t k, trap *t, arena *memory) {
    size_t n = w->n[k], size = n + 1 + w->m->has_end;
    if (w->way != WAY_FAST) {
        run_alone(w, k, t);
        return;
    }
    if (!w->o->unchecked && !is_proved(n, w->proved)) {
        w->accept[k] = 2;
        return;
    }
    check_letters(w->m, w->letters[k], n, t);
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

static void run_chunk(void *context, size_t part) {
    many *w = context;
    trap t;
    arena memory;
    arena_init(&memory, &t);
    if (trap_set(&t, &w->errors[part])) {
        arena_free(&memory);
        return;
    }
    size_t end = (part + 1) * CHUNK < w->count ? (part + 1) * CHUNK : w->count;
    for (size_t k = part * CHUNK; k < end; k++)
        if (!w->done[k]) run_one(w, k, &t, &memory);
    arena_free(&memory);
    trap_clear(&t);
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
static void run_groups(void *context, size_t part) {
    many *w = context;
    trap t;
    arena memory;
    batch b;
    (void)part;
    arena_init(&memory, &t);
    if (trap_set(&t, NULL)) { /* no memory: run_one needs less, or says so */
        arena_free(&memory);
        return;
    }
    b.n = SIZE_MAX;
    for (size_t first; (first = atomic_fetch_add(&w->next_group, GROUPS)) < w->groups.count;)
        for (size_t k = first; k < first + GROUPS && k < w->groups.count; k++) {
            const batch_group *g = &w->groups.groups[k];
            if (!w->o->unchecked && !is_proved(g->n, w->proved)) continue;
            if (g->n != b.n || g->count > b.lanes || g->count <= b.lanes / 2) {
                arena_reset(&memory);
                batch_init(&b, w->m, w->plan, g->n, g->count, w->o->hard, w->o->type, &memory);
            }
            run_group(w, g, &b);
        }
    arena_free(&memory);
    trap_clear(&t);
}

temper_status temper_model_run_many(unsigned char *accept, const temper_model *m, const uint32_t *const *letters,
                                    const size_t *n, size_t count, const temper_run_options *options,
                                    temper_error *err) {
    trap t;
    arena memory;
    temper_run_options o = options ? *options : (temper_run_options){0};
    arena_init(&memory, &t);
    if (trap_set(&t, err)) {
        arena_free(&memory);
        return t.error.code;
    }
    if (o.capture) trap_raise(&t, TEMPER_RANGE, 0, 0, "many strings at once cannot be captured");
    if (is_emulated(o.type, &t))
        trap_raise(&t, TEMPER_UNSUPPORTED, 0, 0, "strings in %s are run one by one", temper_type_name(o.type));
    const char *why;
    model_plan plan;
    plan_make(&plan, m, o.hard, &memory);
    size_t chunks = (count + CHUNK - 1) / CHUNK;
    many w = {.m = m, .letters = letters, .n = n, .count = count, .o = &o, .plan = &plan, .accept = accept};
    w.proved = proved_length(m, o.type, &why);
    w.way = hard_way_of(m, &o, &t);
    w.refusable = w.way != WAY_FAST || plan.adaptive;
    w.errors = arena_zalloc(&memory, chunks, sizeof *w.errors);
    w.done = arena_zalloc(&memory, count, 1);
    if (!o.dense && w.way == WAY_FAST && !plan.adaptive) {
        batch_group_lengths(&w.groups, n, count, &plan, 1 + m->has_end, &memory);
        size_t parts = (w.groups.count + GROUPS - 1) / GROUPS, threads = thread_count(o.threads);
        run_parallel((unsigned)threads, parts < threads ? parts : threads, run_groups, &w);
    }
    /* FLINT keeps memory for each thread that ever used it, so rationals stay on the caller's. */
    unsigned threads = w.way == WAY_FAST ? thread_count(o.threads) : 1;
    if (memchr(w.done, 0, count)) run_parallel(threads, chunks, run_chunk, &w);
    for (size_t k = 0; k < chunks; k++)
        if (w.errors[k].code != TEMPER_OK) trap_reraise(&t, &w.errors[k]);
    arena_free(&memory);
    trap_clear(&t);
    return TEMPER_OK;
}

/* ---- what explain prints ---- */

temper_status temper_model_plans(const char **plans, double *costs, const temper_model *m, size_t n, int hard,
                                 temper_error *err) {
    trap t;
    arena memory;
    arena_init(&memory, &t);
    if (trap_set(&t, err)) {
        arena_free(&memory);
        return t.error.code;
    }
    model_plan plan;
    plan_make(&plan, m, hard, &memory);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            uint32_t k = plan.head_start[l] + h;
            if (plans) plans[k] = plan_name(plan.heads[k]);
            if (costs) costs[k] = plan_cost(plan.heads[k], &m->layers[l].heads[h], (double)(n + 1 + m->has_end));
        }
    arena_free(&memory);
    trap_clear(&t);
    return TEMPER_OK;
}
