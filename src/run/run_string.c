#include "run/run_string.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/entry.h"
#include "number/number_type.h"
#include "run/execute.h"
#include "run/positions.h"

_Noreturn void run_not_finite(trap *t, size_t position) {
    trap_raise(t, TEMPER_RANGE, 0, position, "a score or an answer at position %zu is infinite or not a number",
               position);
}

void run_check_letters(const temper_model *m, const uint32_t *letters, size_t n, trap *t) {
    for (size_t k = 0; k < n; k++)
        if (letters[k] >= m->letters.count)
            trap_raise(t, TEMPER_RANGE, 0, k + 1, "letter number %u at position %zu is not in the alphabet",
                       letters[k], k + 1);
}

/* Asking the system takes longer than running a short string, so it is asked once. */
unsigned run_thread_count(unsigned asked) {
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
                   .threads = run_thread_count(o->threads),
                   .truth = r->truth,
                   .logits = r->logits,
                   .margins = arena_zalloc(memory, heads, sizeof(double)),
                   .memory = memory};
    if (!(o->type == TEMPER_TYPE_F32 ? execute_f32(&e) : execute_f64(&e))) return false;
    for (size_t h = 0; h < heads; h++) r->heads[h].margin = e.margins[h];
    return true;
}

static void prepare_run(temper_run *r, const temper_model *m, size_t size) {
    arena *a = &r->memory;
    r->size = size;
    r->layer_count = m->layer_count;
    r->channel_count = m->channel_count;
    r->output_count = model_output_count(m);
    r->truth = arena_zalloc(a, r->output_count * size, 1);
    if (model_has_logits(m)) r->logits = arena_zalloc(a, r->output_count * size, sizeof *r->logits);
    r->head_start = arena_zalloc(a, (size_t)m->layer_count + 1, sizeof *r->head_start);
    for (uint32_t l = 0; l < m->layer_count; l++) r->head_start[l + 1] = r->head_start[l] + m->layers[l].head_count;
    r->heads = arena_zalloc(a, r->head_start[m->layer_count], sizeof *r->heads);
}

static void drop_pool(void *pool) { rational_pool_clear(pool); }
static void drop_run(void *run) { temper_run_free(run); }

typedef struct string_call {
    temper_run **out;
    const run_request *q;
    rational_pool pool;
} string_call;

/* A scale that somebody wrote may be no number at some length: that is told before everything else becomes so. */
static void check_scales(const temper_model *m, size_t n, size_t size, arena *scratch) {
    for (uint32_t l = 0; m->rescaled && l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            const model_head *head = &m->layers[l].heads[h];
            size_t rows = head_reads_position(head) ? size : 1;
            for (size_t i = 0; head->scale && i < rows; i++) {
                const char *fault = expression_fault(head->scale, (double)i, (double)n, (double)size, scratch);
                if (fault)
                    trap_raise(scratch->trap, TEMPER_RANGE, 0, i, "the scale '%.60s' of head %u.%u %s",
                               head->scale_text, l + 1, h + 1, fault);
            }
        }
}

/* The entry's memory holds the residual stream, its scratch one layer's work. */
static void run(entry *e, void *context) {
    string_call *c = context;
    const run_request *q = c->q;
    const temper_model *m = q->model;
    const temper_run_options *o = q->options;
    run_check_letters(m, q->letters, q->n, e->trap);
    if (!o->hard) check_scales(m, q->n, q->n + 1 + m->has_end, &e->scratch);
    temper_run *r = caller_alloc(e->trap, 1, sizeof *r);
    memset(r, 0, sizeof *r);
    arena_init(&r->memory, e->trap);
    entry_on_failure(e, drop_run, r);
    entry_on_failure(e, drop_pool, &c->pool);
    prepare_run(r, m, q->n + 1 + m->has_end);
    r->type = o->type;
    r->claim = q->claim;
    r->every_position = q->every_position;
    bool emulated = number_type_is_emulated(o->type);
    if (q->way != WAY_FAST) {
        r->logits = NULL; /* proofs of hard choices are about truth alone */
        hard_answer(r, q->way, m, q->letters, q->n, o, &c->pool, &e->scratch);
    } else if (emulated || o->capture || o->dense || !run_planned(r, m, q->letters, q->n, o, &e->scratch)) {
        if (q->unplanned) {
            *q->unplanned = true;
            temper_run_free(r);
            return;
        }
        arena_reset(&e->scratch);
        forward_run(r, m, q->letters, q->n, o, &e->memory, &e->scratch);
    }
    if (m->kind == TEMPER_KIND_ACCEPTOR) r->accept = r->truth[verdict_position(m, q->n)];
    if (m->kind == TEMPER_KIND_NEXT) r->accept = r->truth[(r->output_count - 1) * r->size + q->n];
    r->memory.trap = NULL;
    *c->out = r;
}

temper_status run_string(temper_run **out, const run_request *q, temper_error *err) {
    string_call call = {.out = out, .q = q};
    *out = NULL;
    return entry_run(err, run, &call);
}
