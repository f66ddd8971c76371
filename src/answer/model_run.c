/* The public runs: a run, and what is proved of it. */
#include "answer/proved.h"
#include "base/entry.h"
#include "model/model_spec.h"
#include "number/number_type.h"
#include "run/exact_run.h"
#include "run/run_strings.h"

static bool is_hard(const temper_model *m, const temper_run_options *o) {
    return o->hard || m->method == TEMPER_METHOD_HARD;
}

/* Hard choices in f64 can be proved string by string where nothing is proved of all strings. Where every choice is
   shown, the numbers are exact: bounds prove answers, but not every choice. */
static bool can_guard(const temper_model *m, const temper_run_options *o) {
    return is_hard(m, o) && o->type == TEMPER_TYPE_F64 && !o->unchecked;
}

static hard_way guarded_way(const temper_run_options *o) { return o->capture ? WAY_EXACT : WAY_GUARDED; }

static void plan_run(run_request *q, trap *t) {
    const temper_model *m = q->model;
    const temper_run_options *o = q->options;
    if (o->type == TEMPER_TYPE_EXACT && is_hard(m, o)) exact_require(m, t);
    length_proof proved =
        o->unchecked ? proved_cheaply(m, o->type, o->hard, q->n, t) : proved_at(m, o->type, o->hard, q->n, t);
    q->way = o->type == TEMPER_TYPE_EXACT ? WAY_EXACT : WAY_FAST;
    q->claim = proved.claim;
    q->every_position = proved.every_position;
    if (proved.claim == TEMPER_CLAIM_NONE && can_guard(m, o)) {
        q->way = guarded_way(o);
        q->claim = TEMPER_CLAIM_CHOICES;
        q->every_position = true;
    } else if (proved.claim == TEMPER_CLAIM_NONE && !o->unchecked) {
        proved_refuse(m, o->type, o->hard, q->n, t);
    }
    if (model_is_from_right(m)) q->every_position = false; /* it is, but of what is left of the string */
    if (q->way != WAY_FAST) exact_require(m, t);
}

static void check_run(entry *e, void *context) {
    run_request *q = context;
    if (q->options->positions) model_need_prefixes(q->model, e->trap);
    run_check_letters(q->model, q->letters, q->n, e->trap);
    plan_run(q, e->trap);
}

temper_status temper_model_run(temper_run **out, const temper_model *m, const uint32_t *letters, size_t n,
                               const temper_run_options *options, temper_error *err) {
    temper_run_options o = options ? *options : (temper_run_options){0};
    run_request q = {.model = m, .letters = letters, .n = n, .options = &o};
    *out = NULL;
    temper_status status = entry_run(err, check_run, &q);
    return status ? status : run_string(out, &q, err);
}

/* ---- many strings ---- */

static bool is_proved(const temper_model *m, size_t n, const temper_run_options *o, trap *t) {
    length_proof here =
        o->unchecked ? proved_cheaply(m, o->type, o->hard, n, t) : proved_at(m, o->type, o->hard, n, t);
    return here.claim != TEMPER_CLAIM_NONE;
}

/* All lengths are asked for, so that each is known to be proved or not. */
static size_t find_proved(const temper_model *m, const size_t *n, size_t count, const temper_run_options *o,
                          trap *t) {
    size_t proved = 0;
    for (size_t k = 0; k < count; k++)
        if (n[k] >= proved && is_proved(m, n[k], o, t)) proved = proved_up_to(m, o->type, o->hard, n[k]) + 1;
    return proved;
}

typedef struct many_call {
    unsigned char *accept;
    const temper_model *model;
    const uint32_t *const *letters;
    const size_t *n;
    size_t count;
    temper_run_options options;
} many_call;

static void run_many(entry *e, void *context) {
    const many_call *c = context;
    const temper_model *m = c->model;
    const temper_run_options *o = &c->options;
    if (m->kind != TEMPER_KIND_ACCEPTOR)
        trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0, "many strings at once have verdicts, but this model has none");
    if (o->capture) trap_raise(e->trap, TEMPER_RANGE, 0, 0, "many strings at once cannot be captured");
    if (number_type_is_emulated(o->type))
        trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0, "strings in %s are run one by one", temper_type_name(o->type));
    if (o->type == TEMPER_TYPE_EXACT && is_hard(m, o)) exact_require(m, e->trap);
    strings_request q = {.options = o, .proved = find_proved(m, c->n, c->count, o, e->trap)};
    q.way = o->type == TEMPER_TYPE_EXACT ? WAY_EXACT : WAY_FAST;
    q.beyond = can_guard(m, o) ? WAY_GUARDED : q.way;
    q.refuse = !o->unchecked && !can_guard(m, o);
    run_strings(c->accept, m, c->letters, c->n, c->count, &q, &e->memory);
}

temper_status temper_model_run_many(unsigned char *accept, const temper_model *m, const uint32_t *const *letters,
                                    const size_t *n, size_t count, const temper_run_options *options,
                                    temper_error *err) {
    many_call call = {.accept = accept, .model = m, .letters = letters, .n = n, .count = count};
    if (options) call.options = *options;
    return entry_run(err, run_many, &call);
}
