/* A stepper with N = i + 1 at every step: the row that is made is the last one of the string read so far. */
#include <stdlib.h>
#include <string.h>

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
    size_t proved; /* the model's safe length in this stream's number format */
    const char *why;
    bool unchecked, truth, first_truth;
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

/* fills everything but the settings */
static void prepare(temper_stream *s, bool hard, temper_type type) {
    arena *a = &s->memory;
    const temper_model *m = s->model;
    s->proved = type == TEMPER_TYPE_F32 ? m->safe_length_f32 : m->safe_length;
    s->why = type == TEMPER_TYPE_F32 ? m->safe_reason_f32 : m->safe_reason;
    s->program = stepper_new(a, m, hard, false, type);
    step_work_init(&s->work, s->program, a);
    step_place_init(&s->place, s->program, a);
    s->state = arena_alloc(a, stepper_state_size(s->program), 1);
    s->head_start = arena_zalloc(a, (size_t)m->layer_count + 1, sizeof *s->head_start);
    for (uint32_t l = 0; l < m->layer_count; l++) s->head_start[l + 1] = s->head_start[l] + m->layers[l].head_count;
    temper_stream_reset(s);
}

temper_status temper_stream_open(temper_stream **out, const temper_model *m, const temper_run_options *options,
                                 temper_error *err) {
    trap t;
    temper_stream *volatile made = NULL;
    *out = NULL;
    if (trap_set(&t, err)) {
        temper_stream_free(made);
        return t.error.code;
    }
    temper_type type = options ? options->type : TEMPER_TYPE_F64;
    if (type != TEMPER_TYPE_F64 && type != TEMPER_TYPE_F32)
        trap_raise(&t, TEMPER_UNSUPPORTED, 0, 0, "a stream runs in f64 or f32, not in %s", temper_type_name(type));
    temper_stream *s = made = caller_alloc(&t, 1, sizeof *s);
    memset(s, 0, sizeof *s);
    arena_init(&s->memory, &t);
    s->model = m;
    s->unchecked = options && options->unchecked;
    prepare(s, options && options->hard, type);
    s->memory.trap = NULL;
    *out = s;
    trap_clear(&t);
    return TEMPER_OK;
}

void temper_stream_free(temper_stream *s) {
    if (!s) return;
    arena_free(&s->memory);
    free(s);
}

/* Why the letter was not read, or why what was read means nothing. */
static temper_status refuse(temper_stream *s, uint32_t letter, temper_error *err) {
    trap t;
    arena scratch;
    arena_init(&scratch, &t);
    if (trap_set(&t, err)) {
        arena_free(&scratch);
        return t.error.code;
    }
    if (s->work.broken)
        trap_raise(&t, TEMPER_UNSUPPORTED, 0, 0,
                   "%s, or something beside it, reads numbers that no compiled model makes, so it cannot run letter "
                   "by letter",
                   s->work.culprit ? step_head_name(s->work.culprit, &scratch) : "a feed-forward net");
    if (letter >= s->model->letters.count)
        trap_raise(&t, TEMPER_RANGE, 0, s->length + 1, "letter number %u at position %zu is not in the alphabet",
                   letter, s->length + 1);
    if (s->proved == 0)
        trap_raise_remedy(&t, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_UNCHECKED, "no length is proved safe: %s", s->why);
    trap_raise_remedy(&t, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_UNCHECKED,
                      "length %zu is beyond the proved length %zu: %s", s->length + 1, s->proved, s->why);
}

temper_status temper_stream_push(temper_stream *s, uint32_t letter, int *accept, temper_error *err) {
    bool allowed = s->length < s->proved || (s->unchecked && s->length < SIZE_MAX - 2);
    if (s->work.broken || letter >= s->model->letters.count || !allowed) return refuse(s, letter, err);
    s->length++;
    take(s, letter);
    if (s->work.broken) return refuse(s, letter, err);
    if (accept) *accept = temper_stream_verdict(s);
    if (err) err->code = TEMPER_OK;
    return TEMPER_OK;
}

int temper_stream_verdict(const temper_stream *s) {
    return s->length && s->model->at == TEMPER_AT_FIRST ? s->first_truth : s->truth;
}

size_t temper_stream_length(const temper_stream *s) { return s->length; }

/* An unproved model proves nothing, not even of the empty string. */
int temper_stream_proved(const temper_stream *s) { return s->proved > 0 && s->length <= s->proved; }

double temper_stream_margin(const temper_stream *s, size_t layer, size_t head) {
    if (layer < 1 || layer > s->model->layer_count || head < 1 || head > s->model->layers[layer - 1].head_count)
        return -1;
    return s->work.margins[s->head_start[layer - 1] + head - 1];
}
