/* Gates of the feed-forward net. Booleans are 0/1 on letters and 0 on sentinels; `real` is 1 on letters. With P plain
   and Q negated inputs, k = P + Q and s = (sum of plain) - (sum of negated):

       and  s + (1 - P) real >= 1        exact inputs: relu(s + (1 - P) real)
       or   s + Q real       >= 1        exact inputs: relu(s + Q real) - relu(s + (Q - 1) real)

   With unrounded inputs a ramp ramp(t) = relu(2t - 1/2) - relu(2t - 3/2) rounds on the way, and sentinel rows, where
   an unrounded input may be anything in [0, 1], are pushed down by a constant that `real` cancels on letters:

       and  ramp(s + (Q + 1) real - k)
       or   ramp(s + k real - P)

   The bias is added last, so both units of a ramp subtract from the same sum, exactly. */
#include "compile/lower.h"

static void unit_inputs(lowering *w, draft_unit *u, const gate_input *inputs, size_t count, double factor) {
    for (size_t k = 0; k < count; k++)
        form_add(w->d, &u->in, inputs[k].channel, inputs[k].negated ? -factor : factor);
}

/* One unit relu(factor * s + real_weight * real + bias) with weight `out_weight` to `out`. */
static void emit_unit(lowering *w, uint32_t layer, const gate_input *inputs, size_t count, double factor,
                      double real_weight, double bias, channel_id out, double out_weight) {
    draft_unit *u = draft_unit_add(w->d, layer, bias);
    unit_inputs(w, u, inputs, count, factor);
    if (real_weight != 0) form_add(w->d, &u->in, real_channel(w), real_weight);
    form_add(w->d, &u->out, out, out_weight);
    draft_read(w->d, &u->in, layer);
}

static void emit_ramp(lowering *w, uint32_t layer, const gate_input *inputs, size_t count, double real_weight,
                      double bias, channel_id out, double out_weight) {
    emit_unit(w, layer, inputs, count, 2, 2 * real_weight, 2 * bias - 0.5, out, out_weight);
    emit_unit(w, layer, inputs, count, 2, 2 * real_weight, 2 * bias - 1.5, out, -out_weight);
}

typedef struct tally {
    double plain, negated;
    bool raw;
} tally;

static tally count_inputs(const gate_input *inputs, size_t count) {
    tally t = {0};
    for (size_t k = 0; k < count; k++) {
        if (inputs[k].negated)
            t.negated++;
        else
            t.plain++;
        if (inputs[k].raw) t.raw = true;
    }
    return t;
}

void emit_and(lowering *w, uint32_t layer, const gate_input *inputs, size_t count, channel_id out) {
    tally t = count_inputs(inputs, count);
    if (t.raw)
        emit_ramp(w, layer, inputs, count, t.negated + 1, -(t.plain + t.negated), out, 1);
    else
        emit_unit(w, layer, inputs, count, 1, 1 - t.plain, 0, out, 1);
}

void emit_or(lowering *w, uint32_t layer, const gate_input *inputs, size_t count, channel_id out) {
    tally t = count_inputs(inputs, count);
    if (t.raw) {
        emit_ramp(w, layer, inputs, count, t.plain + t.negated, -t.plain, out, 1);
    } else {
        emit_unit(w, layer, inputs, count, 1, t.negated, 0, out, 1);
        emit_unit(w, layer, inputs, count, 1, t.negated - 1, 0, out, -1);
    }
}

/* s = x + y, both plain: 1 where s is 1. Exact: relu(s) - 2 relu(s - real); else a ramp up at 1/2 and down at 3/2. */
void emit_xor(lowering *w, uint32_t layer, const gate_input *x, const gate_input *y, channel_id out) {
    gate_input inputs[2] = {*x, *y};
    if (x->raw || y->raw) {
        emit_ramp(w, layer, inputs, 2, 2, -2, out, 1);
        emit_ramp(w, layer, inputs, 2, 2, -3, out, -1);
    } else {
        emit_unit(w, layer, inputs, 2, 1, 0, 0, out, 1);
        emit_unit(w, layer, inputs, 2, 1, -1, 0, out, -2);
    }
}

channel_id gate_channel(lowering *w, uint32_t layer, const char *label) {
    return draft_channel_add(w->d, (draft_channel){.label = label, .born = layer, .last_read = layer});
}
