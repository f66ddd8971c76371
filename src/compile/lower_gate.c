/* Gates of the feed-forward net. Booleans are 0/1 on letters and 0 on sentinels; `real` is 1 on letters. A gate of k
   literals, each a channel, a negation real - x or a sum of such, knows the sum of their values, s + C real with
   channels in s:

       and  s + (C + 1 - k) real >= 1        exact inputs: relu(s + (C + 1 - k) real)
       or   s + C real           >= 1        exact inputs: relu(s + C real) - relu(s + (C - 1) real)

   With unrounded inputs a ramp ramp(t) = relu(2t - 1/2) - relu(2t - 3/2) rounds on the way, and sentinel rows, where
   an unrounded input may be anything in [0, 1], are pushed down by a constant b that `real` cancels on letters, and
   that is at least the sum of the positive weights in s:

       and  ramp(s + (C + 1 - k + b) real - b)
       or   ramp(s + (C + b) real - b)

   The bias is added last, so both units of a ramp subtract from the same sum, exactly. */
#include <math.h>

#include "compile/lower.h"

/* One unit relu(factor * s + real_weight * real + bias) with weight `out_weight` to `out`. */
static void emit_unit(lowering *w, uint32_t layer, const channel_sum *s, double factor, double real_weight,
                      double bias, channel_id out, double out_weight) {
    draft_unit *u = draft_unit_add(w->d, layer, bias);
    for (size_t k = 0; k < s->count; k++)
        if (s->terms[k].weight != 0) form_add(w->d, &u->in, s->terms[k].channel, factor * s->terms[k].weight);
    if (real_weight != 0) form_add(w->d, &u->in, real_channel(w), real_weight);
    form_add(w->d, &u->out, out, out_weight);
    draft_read(w->d, &u->in, layer);
}

static void emit_ramp(lowering *w, uint32_t layer, const channel_sum *s, double real_weight, double bias,
                      channel_id out, double out_weight) {
    emit_unit(w, layer, s, 2, 2 * real_weight, 2 * bias - 0.5, out, out_weight);
    emit_unit(w, layer, s, 2, 2 * real_weight, 2 * bias - 1.5, out, -out_weight);
}

static bool has_raw(const channel_sum *s) {
    for (size_t k = 0; k < s->count; k++)
        if (s->terms[k].raw && s->terms[k].weight != 0) return true;
    return false;
}

static double positive_weights(const channel_sum *s) {
    double sum = 0;
    for (size_t k = 0; k < s->count; k++) sum += fmax(s->terms[k].weight, 0);
    return sum;
}

void emit_and(lowering *w, uint32_t layer, const channel_sum *s, size_t literals, channel_id out) {
    double k = (double)literals, b = fmax(k, positive_weights(s));
    if (has_raw(s))
        emit_ramp(w, layer, s, s->real + 1 - k + b, -b, out, 1);
    else
        emit_unit(w, layer, s, 1, s->real + 1 - k, 0, out, 1);
}

void emit_or(lowering *w, uint32_t layer, const channel_sum *s, channel_id out) {
    double b = positive_weights(s);
    if (has_raw(s)) {
        emit_ramp(w, layer, s, s->real + b, -b, out, 1);
    } else {
        emit_unit(w, layer, s, 1, s->real, 0, out, 1);
        emit_unit(w, layer, s, 1, s->real - 1, 0, out, -1);
    }
}

/* Two literals: 1 where their sum is 1. Exact: relu(s) - 2 relu(s - real); else a ramp up at 1/2 and down at 3/2. */
void emit_xor(lowering *w, uint32_t layer, const channel_sum *s, channel_id out) {
    double b = fmax(2, positive_weights(s));
    if (has_raw(s)) {
        emit_ramp(w, layer, s, s->real + b, -b, out, 1);
        emit_ramp(w, layer, s, s->real + b, -b - 1, out, -1);
    } else {
        emit_unit(w, layer, s, 1, s->real, 0, out, 1);
        emit_unit(w, layer, s, 1, s->real - 1, 0, out, -2);
    }
}

void emit_all(lowering *w, uint32_t layer, const gate_input *inputs, size_t count, channel_id out) {
    channel_sum s = {0};
    for (size_t k = 0; k < count; k++)
        array_push(w->arena, s.terms, s.count, s.capacity, (struct sum_term){inputs[k].channel, inputs[k].raw, 1});
    emit_and(w, layer, &s, count, out);
}

channel_id gate_channel(lowering *w, uint32_t layer, const char *label) {
    return draft_channel_add(w->d, (draft_channel){.label = label, .born = layer, .last_read = layer});
}
