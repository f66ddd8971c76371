/* What a stepper's formats have in common: sizes, the memory of a thread, places. */
#include "run/stepper_program.h"

#include <math.h>

#include "number/elementary.h"

static size_t number_size(const stepper *s) { return s->single ? sizeof(float) : sizeof(double); }

size_t stepper_state_size(const stepper *s) { return s->state_count * number_size(s); }

void stepper_start(const stepper *s, void *state) {
    s->single ? stepper_start_f32(s, state) : stepper_start_f64(s, state);
}

bool stepper_step(const stepper *s, step_work *w, void *state, const step_place *p, uint32_t token) {
    return s->single ? stepper_step_f32(s, w, state, p, token) : stepper_step_f64(s, w, state, p, token);
}

double stepper_logit(const stepper *s, const step_work *w, size_t output) {
    return s->single ? stepper_logit_f32(s, w, output) : stepper_logit_f64(s, w, output);
}

bool stepper_output(const stepper *s, const step_work *w, size_t output) {
    return s->single ? stepper_output_f32(s, w, output) : stepper_output_f64(s, w, output);
}

/* ---- the memory of a thread ---- */

void step_work_init(step_work *w, const stepper *s, arena *a) {
    w->x = arena_zalloc(a, s->register_count, number_size(s));
    w->out = arena_zalloc(a, s->most_outputs, number_size(s));
    w->hidden = arena_zalloc(a, s->most_units, number_size(s));
    w->memo = arena_alloc(a, s->memo_count, number_size(s));
    w->base = arena_alloc(a, s->register_count, number_size(s));
    s->single ? stepper_prepare_f32(s, w) : stepper_prepare_f64(s, w);
    w->margins = arena_alloc(a, s->head_count, sizeof *w->margins);
    step_work_reset(w, s);
}

void step_work_reset(step_work *w, const stepper *s) {
    w->broken = false;
    w->culprit = NULL;
    for (uint32_t l = 0; l < s->layer_count; l++)
        for (uint32_t k = 0; k < s->layers[l].head_count; k++)
            w->margins[s->layers[l].heads[k].number] = s->layers[l].heads[k].role == ROLE_COUNT ? -1 : 0;
}

double step_work_margin(const step_work *w, const stepper *s) {
    double largest = 0;
    for (uint32_t k = 0; k < s->head_count; k++)
        if (!(w->margins[k] <= largest) && !isnan(largest)) largest = w->margins[k];
    return largest;
}

/* ---- places ---- */

void step_place_init(step_place *p, const stepper *s, arena *a) {
    *p = (step_place){.near = {1, 0, 0}};
    p->features = arena_zalloc(a, s->feature_count, sizeof *p->features);
}

void step_place_set(step_place *p, const stepper *s, size_t i, size_t n) {
    p->i = (double)i;
    p->size = (double)n + 1 + s->mirrored;
    p->is_letter = i > 0 && i <= n;
    p->once = s->decay[1] / p->size;
    if (s->has_lookup && !s->hard) {
        p->near[1] = exp_f64(-MODEL_KAPPA_LOOKUP * (p->size / (p->i + 1)));
        p->near[2] = exp_f64(-4 * MODEL_KAPPA_LOOKUP * (p->size / (p->i + 1)));
    }
    double position = s->mirrored ? p->size - 1 - p->i : p->i;
    for (size_t k = 0; k < s->feature_count; k++)
        p->features[k] = expression_eval(s->features[k].position, position, (double)n, p->size);
}
