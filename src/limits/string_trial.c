#include "limits/string_trial.h"

#include <math.h>
#include <string.h>

#include "run/dense.h"
#include "run/plan.h"
#include "run/positions.h"
#include "run/run_string.h"

enum {
    MOST_BYTES = 1 << 30, /* of a run, about */
    REPORT = 20 << 20     /* budget between two ticks */
};

/* ---- memory and costs ---- */

static void release_arena(void *memory) { arena_free(memory); }

arena *trial_arena(arena *a) {
    arena *fresh = arena_zalloc(a, 1, sizeof *fresh);
    arena_init(fresh, a->trap);
    arena_on_release(a, release_arena, fresh);
    return fresh;
}

void trial_make_room(trial *t, size_t n) {
    size_t truth_room = t->room;
    if (n < t->room) return;
    t->word = arena_grow(t->a, t->word, &t->room, n + 1, sizeof *t->word);
    t->truth = arena_grow(t->a, t->truth, &truth_room, t->room, 1);
}

static size_t count_terms(const model_rows *r) { return r->start[r->count]; }

/* Emulated runs make every number one by one; the runner of f64 and f32 goes by its plan. Whether that holds is seen
   only when it runs: else it looks at all pairs of all heads. */
static void estimate(trial *t) {
    const temper_model *m = t->m;
    bool emulated = number_type_is_emulated(t->type_id);
    double terms = (double)count_terms(&m->read), heads = 0, planned = 0;
    model_plan plan;
    plan_make(&plan, m, false, t->a);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        terms += (double)(count_terms(&layer->in) + count_terms(&layer->out));
        for (uint32_t h = 0; h < layer->head_count; h++) {
            const model_head *head = &layer->heads[h];
            head_plan how = plan.heads[plan.head_start[l] + h];
            terms += (double)(count_terms(&head->query) + count_terms(&head->key) + count_terms(&head->value));
            heads++;
            t->all_pairs += plan_cost(PLAN_DENSE, head, 1);
            if (how == PLAN_DENSE && !emulated)
                t->pair_cost += plan_cost(how, head, 1);
            else
                planned += plan_cost(how, head, 1);
        }
    }
    t->unplanned = plan.adaptive ? 0 : SIZE_MAX;
    t->letter_cost = emulated ? 60 + 20 * (double)m->channel_count + 12 * terms + 60 * heads : 10 + terms + planned;
    t->bytes = emulated ? 16 * (double)m->channel_count + 100 : plan.future ? 40 + 16 * (double)m->channel_count : 40;
}

double trial_cost(const trial *t, size_t n) {
    double size = (double)n + 2;
    bool planned = n < t->unplanned || number_type_is_emulated(t->type_id);
    return 300 + size * t->letter_cost + size * size * (planned ? t->pair_cost : t->all_pairs) +
           answer_key_cost(t->key, n);
}

bool trial_is_affordable(const trial *t, size_t n, double share) {
    return t->bytes * (double)n < MOST_BYTES && trial_cost(t, n) < share * t->budget;
}

void trial_spend(trial *t, double cost) {
    t->spent += cost;
    t->unreported += cost;
    if (!t->watch || t->unreported < REPORT) return;
    t->stopped |= t->watch->tick(t->watch->context, (uint64_t)t->unreported);
    t->unreported = 0;
}

void trial_start(trial *t, const temper_model *m, temper_type type, const adversary_options *o, arena *a) {
    *t = (trial){.m = m, .type_id = type, .type = number_type_of(type), .watch = o->watch, .a = a};
    if (!t->type || !t->type->storage) trap_raise(a->trap, TEMPER_RANGE, 0, 0, "there is no rounding in this type");
    t->stream = trial_arena(a);
    t->scratch = trial_arena(a);
    t->key = answer_key_new(m, a);
    t->budget = (double)o->budget;
    estimate(t);
}

/* ---- one string ---- */

typedef struct outcome {
    bool broken;                /* overflow: no answer */
    const unsigned char *truth; /* [outputs][N] */
    double margin;              /* the largest of the heads that mean a Boolean */
    size_t position;            /* broken: where */
} outcome;

static double larger(double margin, double other) { return !(other <= margin) ? other : margin; }

static outcome run_emulated(trial *t, const uint32_t *letters, size_t n) {
    dense_setting setting = {
        .storage = t->type->storage, .accumulation = t->type->accumulation, .tile = t->type->tile};
    dense_answer answer;
    double size = (double)n + 2;
    size_t h = 0;
    arena_reset(t->stream);
    arena_reset(t->scratch);
    dense_run(&answer, t->m, letters, n, &setting, t->stream, t->scratch);
    /* 12 ns a multiply-add; what a scan does is in the cost of a letter */
    if (answer.work > 64 * size) t->pair_cost = fmax(t->pair_cost, 12 * answer.work / (size * size));
    outcome r = {.broken = answer.broken, .truth = answer.truth, .position = answer.position};
    for (uint32_t l = 0; l < t->m->layer_count; l++)
        for (uint32_t k = 0; k < t->m->layers[l].head_count; k++)
            r.margin = larger(r.margin, answer.heads[h++].margin);
    return r;
}

/* f64 and f32: the runner that answers users, as it runs without a proof. False: it would cost too much. */
static bool run_fast(outcome *out, trial *t, const uint32_t *letters, size_t n) {
    temper_run_options o = {.type = t->type_id, .unchecked = 1, .threads = 1};
    bool unplanned = n >= t->unplanned;
    run_request q = {.model = t->m, .letters = letters, .n = n, .options = &o, .way = WAY_FAST};
    temper_run *run = NULL;
    temper_error error;
    temper_status status = TEMPER_OK;
    if (!unplanned) {
        q.unplanned = &unplanned;
        status = run_string(&run, &q, &error);
    }
    if (unplanned) {
        if (n < t->unplanned) t->unplanned = n;
        if (t->spent + trial_cost(t, n) > t->budget) return false;
        q.unplanned = NULL;
        status = run_string(&run, &q, &error);
    }
    if (status == TEMPER_RANGE) {
        *out = (outcome){.broken = true, .position = error.column};
        return true;
    }
    if (status) trap_reraise(t->a->trap, &error);
    arena_reset(t->stream);
    size_t size = temper_run_about(run).size;
    size_t outputs = model_output_count(t->m);
    unsigned char *truth = arena_alloc(t->stream, outputs * size, 1);
    *out = (outcome){.truth = truth};
    for (size_t k = 0; k < outputs; k++) memcpy(truth + k * size, temper_run_output(run, k), size);
    for (uint32_t l = 0; l < t->m->layer_count; l++)
        for (uint32_t k = 0; k < t->m->layers[l].head_count; k++)
            out->margin = larger(out->margin, temper_run_head(run, l + 1, k + 1).error);
    temper_run_free(run);
    return true;
}

static void keep_wrong(trial *t, const uint32_t *letters, size_t n, size_t output, size_t position, bool expected) {
    if (t->found && n >= t->best.n) return;
    if (n > t->best_room || !t->best.letters)
        t->best.letters = arena_alloc(t->a, (t->best_room = n) + 1, sizeof *t->best.letters);
    memcpy(t->best.letters, letters, n * sizeof *letters);
    t->best.n = n;
    t->best.position = position;
    t->best.output = output;
    t->expected = expected;
    t->found = true;
}

bool trial_is_wrong(trial *t, double *margin, const uint32_t *letters, size_t n) {
    size_t from, to;
    outcome r;
    trial_make_room(t, n);
    *margin = 0;
    if (number_type_is_emulated(t->type_id)) {
        r = run_emulated(t, letters, n);
    } else if (!run_fast(&r, t, letters, n)) {
        t->skipped++;
        trial_spend(t, 300 + ((double)n + 2) * t->letter_cost); /* the plan that did not hold */
        return false;
    }
    trial_spend(t, trial_cost(t, n));
    if (n > t->best.tried) t->best.tried = n;
    *margin = r.margin;
    for (size_t k = 0; k < model_output_count(t->m); k++) {
        const unsigned char *found = r.broken ? NULL : r.truth + k * (n + 1 + t->m->has_end);
        answer_key_truth(t->truth, &from, &to, t->key, k, letters, n);
        if (r.broken) {
            size_t at = r.position < from ? from : r.position > to ? to : r.position;
            keep_wrong(t, letters, n, k, at, t->truth[at ? at - 1 : 0]);
            return true;
        }
        for (size_t i = from; i <= to; i++) {
            bool expected = t->truth[i ? i - 1 : 0];
            if (found[i] == expected) continue;
            keep_wrong(t, letters, n, k, i, expected);
            return true;
        }
    }
    return false;
}
