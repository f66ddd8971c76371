/* A stepper with N = i + 1 at every step: the row that is made is the last one of the string read so far. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/proved.h"
#include "model/model_spec.h"
#include "base/entry.h"
#include "run/stepper.h"

struct temper_stream {
    arena memory;
    const temper_model *model;
    const stepper *program;
    step_work work;
    step_place place;
    void *state;
    uint32_t *head_start; /* [layers + 1] index of a layer's first head */
    size_t length;
    temper_type type;
    size_t proved; /* strings shorter than this are proved; it grows as longer ones are met */
    temper_claim claim;
    bool beyond; /* the length after the last proved one was met, so no longer one is asked for */
    bool hard, unchecked, truth, first_truth;
};

static void take(temper_stream *s, uint32_t token) {
    step_place_set(&s->place, s->program, s->length, s->length);
    s->truth = stepper_step(s->program, &s->work, s->state, &s->place, token);
    if (s->length == 1) s->first_truth = s->truth;
}

void temper_stream_reset(temper_stream *s) {
    s->length = 0;
    step_work_reset(&s->work, s->program);
    stepper_start(s->program, s->state);
    take(s, model_start_token(s->model));
}

/* Whether strings of n letters are proved, and as many longer ones as are known to be. */
static bool ask(temper_stream *s, size_t n, trap *t) {
    length_proof here = proved_cheaply(s->model, s->type, s->hard, n, t);
    if (!here.by_roles) return false;
    s->claim = here.claim;
    s->proved = proved_up_to(s->model, s->type, s->hard, n) + 1;
    return true;
}

/* fills everything but the settings */
static void prepare(temper_stream *s) {
    arena *a = &s->memory;
    const temper_model *m = s->model;
    s->program = stepper_new(a, m, s->hard, false, s->type);
    ask(s, 0, a->trap);
    step_work_init(&s->work, s->program, a);
    step_place_init(&s->place, s->program, a);
    s->state = arena_alloc(a, stepper_state_size(s->program), 1);
    s->head_start = arena_zalloc(a, (size_t)m->layer_count + 1, sizeof *s->head_start);
    for (uint32_t l = 0; l < m->layer_count; l++) s->head_start[l + 1] = s->head_start[l] + m->layers[l].head_count;
    temper_stream_reset(s);
}

void temper_stream_free(temper_stream *s) {
    if (!s) return;
    arena_free(&s->memory);
    free(s);
}

static void drop_stream(void *stream) { temper_stream_free(stream); }

typedef struct open_call {
    temper_stream **out;
    const temper_model *model;
    temper_run_options options;
} open_call;

static void open_stream(entry *e, void *context) {
    const open_call *c = context;
    temper_type type = c->options.type;
    if (type != TEMPER_TYPE_F64 && type != TEMPER_TYPE_F32)
        trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0, "a stream runs in f64 or f32, not in %s",
                   temper_type_name(type));
    model_need_prefixes(c->model, e->trap);
    temper_stream *s = caller_alloc(e->trap, 1, sizeof *s);
    memset(s, 0, sizeof *s);
    arena_init(&s->memory, e->trap);
    entry_on_failure(e, drop_stream, s);
    s->model = c->model;
    s->type = type;
    s->hard = c->options.hard;
    s->unchecked = c->options.unchecked;
    prepare(s);
    s->memory.trap = NULL;
    *c->out = s;
}

temper_status temper_stream_open(temper_stream **out, const temper_model *m, const temper_run_options *options,
                                 temper_error *err) {
    open_call call = {.out = out, .model = m};
    if (options) call.options = *options;
    *out = NULL;
    return entry_run(err, open_stream, &call);
}

typedef struct push_call {
    temper_stream *stream;
    uint32_t letter;
    bool proved;
} push_call;

/* Why the letter was not read, or why what was read means nothing. */
static void refuse(entry *e, void *context) {
    const push_call *c = context;
    const temper_stream *s = c->stream;
    if (s->work.broken)
        trap_raise(e->trap, TEMPER_UNSUPPORTED, 0, 0,
                   "%s, or something beside it, reads numbers that no compiled model makes, so it cannot run letter "
                   "by letter",
                   s->work.culprit ? step_head_name(s->work.culprit, &e->memory) : "a feed-forward net");
    if (c->letter >= s->model->letters.count)
        trap_raise(e->trap, TEMPER_RANGE, 0, s->length + 1, "letter number %u at position %zu is not in the alphabet",
                   c->letter, s->length + 1);
    if (proved_at(s->model, s->type, s->hard, s->length + 1, e->trap).claim != TEMPER_CLAIM_NONE)
        trap_raise_remedy(e->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_UNCHECKED,
                          "nothing is proved of runs letter by letter: its heads and gates have no known roles");
    proved_refuse(s->model, s->type, s->hard, s->length + 1, e->trap);
}

/* Whether the next length is proved. */
static void meet(entry *e, void *context) {
    push_call *c = context;
    c->proved = ask(c->stream, c->stream->length + 1, e->trap);
}

temper_status temper_stream_push(temper_stream *s, uint32_t letter, int *accept, temper_error *err) {
    push_call call = {.stream = s, .letter = letter};
    bool broken = s->work.broken || letter >= s->model->letters.count || s->length >= SIZE_MAX - 3;
    if (!broken && s->length + 1 >= s->proved && !s->beyond) {
        temper_status status = entry_run(err, meet, &call);
        if (status) return status;
        s->beyond = !call.proved;
    }
    bool allowed = s->length + 1 < s->proved || s->unchecked;
    if (broken || !allowed) return entry_run(err, refuse, &call);
    s->length++;
    take(s, letter);
    if (s->work.broken) return entry_run(err, refuse, &call);
    if (accept) *accept = temper_stream_about(s).accept;
    if (err) err->code = TEMPER_OK;
    return TEMPER_OK;
}

temper_stream_info temper_stream_about(const temper_stream *s) {
    bool proved = s->length < s->proved, verdict = s->truth;
    if (s->length && s->model->at == TEMPER_AT_FIRST) verdict = s->first_truth;
    if (s->model->kind == TEMPER_KIND_TRANSDUCER) verdict = false;
    if (s->model->kind == TEMPER_KIND_NEXT) verdict = temper_stream_output(s, model_output_count(s->model) - 1);
    return (temper_stream_info){
        .length = s->length, .accept = verdict, .proved = proved, .claim = proved ? s->claim : TEMPER_CLAIM_NONE};
}

double temper_stream_logit(const temper_stream *s, size_t output) {
    bool known = model_has_logits(s->model) && output < model_output_count(s->model);
    return known ? stepper_logit(s->program, &s->work, output) : NAN;
}

int temper_stream_output(const temper_stream *s, size_t output) {
    return output < model_output_count(s->model) && stepper_output(s->program, &s->work, output);
}

long temper_stream_written(const temper_stream *s) {
    long found = TEMPER_WRITES_NONE;
    for (size_t k = 0; k < model_output_count(s->model); k++) {
        if (!stepper_output(s->program, &s->work, k)) continue;
        if (found != TEMPER_WRITES_NONE) return TEMPER_WRITES_SEVERAL;
        found = (long)k;
    }
    return found;
}

double temper_stream_error(const temper_stream *s, size_t layer, size_t head) {
    if (layer < 1 || layer > s->model->layer_count || head < 1 || head > s->model->layers[layer - 1].head_count)
        return -1;
    return s->work.margins[s->head_start[layer - 1] + head - 1];
}
