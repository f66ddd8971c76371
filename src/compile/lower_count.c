/* Counting. A count is the mean over a range times the number of positions in it; means come from uniform heads, all
   counts of a layer and range from one. The half unit that separates "at least 0" from "at most -1" is put on the
   sentinel of the range, so it is summed with the counts: sums of integers and one half are exact, and the mean has a
   single rounding, so its sign is right whatever the length. */
#include "compile/lower.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double HALF_UNIT_LIMIT = 0x1p51; /* weights and constants up to here are exact with a half added */

static uint32_t kids_level(const lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t level = 0;
    for (size_t k = 0; k < n->kid_count; k++) level = max_u32(level, w->level[formula_kid(w->g, id, k)]);
    return level;
}

uint32_t compare_level(const lowering *w, node_id id) { return kids_level(w, id) + 2; }

static bool is_future(const lowering *w, node_id count) { return formula_at(w->g, count)->op == OP_COUNT_FUTURE; }

double exact_weight(const lowering *w, int64_t weight) {
    double x = (double)weight;
    if (fabs(x) > HALF_UNIT_LIMIT)
        trap_raise(
            w->arena->trap, TEMPER_LIMIT, 0, 0,
            "a coefficient or constant beyond 2^51 has no exact weight in a transformer (eval can still answer)");
    return x;
}

/* Weights of one channel add up, and negations all meet in `real`: within 2^52 together, every such sum is exact. The
   own parts of forward counts are summed with a rounding each, which the bound of balance heads has room for up to
   2^46. */
static void check_weights(const lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    double total = fabs((double)n->constant) + 0.5, forward = 0, forward_count = 0;
    for (size_t k = 0; k < n->kid_count; k++) {
        double weight = fabs((double)formula_weight(w->g, id, k));
        total += weight;
        if (!is_future(w, formula_kid(w->g, id, k))) continue;
        forward += weight;
        forward_count++;
    }
    bool both = forward_count > 0 && forward_count < (double)n->kid_count;
    if (total > 0x1p52 || (both && forward * forward_count > 0x1p46))
        trap_raise(
            w->arena->trap, TEMPER_LIMIT, 0, 0,
            "coefficients that are too large together for exact sums in a transformer (eval can still answer)");
}

/* The uniform head of a layer for a mask. */
draft_head *count_head(lowering *w, uint32_t layer, temper_mask mask) {
    return draft_head_for(w->d, layer, ROLE_COUNT, mask, TEMPER_CHOICE_AVERAGE, NULL, NULL, 0);
}

const char *lower_label(lowering *w, const char *format, const char *label) {
    text t;
    text_init(&t, w->arena);
    text_printf(&t, format, label);
    return text_string(&t);
}

/* sum >= 0 with all counts on one side: a head that puts y = (sum + 1/2)/(size of the range) on the sentinel and 0 on
   the other positions, and reads the sentinel's indicator. */
static void lower_one_sided(lowering *w, node_id id, bool future) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t layer = w->level[id];
    channel_id sentinel = future ? end_channel(w) : start_channel(w);
    temper_mask mask = future ? TEMPER_MASK_FROM : TEMPER_MASK_UP_TO;
    draft_form sum = {0}, query = {0}, key = {0};
    for (size_t k = 0; k < n->kid_count; k++) {
        draft_form kid = exact_form(w, formula_kid(w->g, formula_kid(w->g, id, k), 0));
        form_add_form(w->d, &sum, &kid, exact_weight(w, formula_weight(w->g, id, k)));
    }
    form_add(w->d, &sum, sentinel, exact_weight(w, n->constant) + 0.5);
    channel_id y = draft_value(w->d, count_head(w, layer - 1, mask), layer - 1, &sum,
                               lower_label(w, "mean for %s", w->labels[id]), true);
    form_add(w->d, &query, y, 1);
    form_add(w->d, &key, sentinel, 1);
    draft_head *h = draft_head_for(w->d, layer, ROLE_COMPARE, mask, TEMPER_CHOICE_AVERAGE, &query, &key, 1);
    w->raw[id] = draft_value(w->d, h, layer, &key, w->labels[id], false);
    w->d->places[id] = (draft_place){.layer = layer, .head = h->number, .channel = w->raw[id]};
}

/* A copy of the mean t that is zero except on the start sentinel: relu(t - C(real + end)) with C above |t|. */
static channel_id start_copy(lowering *w, uint32_t layer, channel_id t, double largest, const char *label) {
    double c = 2; /* by far, so that the planner's coarse ranges can see it, too; C times 0 is 0 whatever C */
    while (c < 16 * largest) c *= 2;
    channel_id out = draft_channel_add(
        w->d, (draft_channel){.label = label, .born = layer, .last_read = layer, .may_be_negative = true});
    for (int sign = 1; sign >= -1; sign -= 2) {
        draft_unit *u = draft_unit_add(w->d, layer, 0);
        form_add(w->d, &u->in, t, sign);
        form_add(w->d, &u->in, real_channel(w), -c);
        form_add(w->d, &u->in, end_channel(w), -c);
        form_add(w->d, &u->out, out, sign);
        draft_read(w->d, &u->in, layer);
    }
    return out;
}

/* Adds factor * [x at i]/(i+1) to channel out: relu(1/(i+1) - real + x) is 1/(i+1) where x holds, else 0. */
static void emit_own(lowering *w, uint32_t layer, const draft_form *x, double factor, channel_id out) {
    draft_unit *u = draft_unit_add(w->d, layer, 0);
    form_add(w->d, &u->in, feature_channel(w, "1/(i + 1)"), 1);
    form_add(w->d, &u->in, real_channel(w), -1);
    form_add_form(w->d, &u->in, x, 1);
    form_add(w->d, &u->out, out, factor);
    draft_read(w->d, &u->in, layer);
}

/* A sum of what excludes each other is counted part by part: a unit has room for one. */
static void emit_own_parts(lowering *w, uint32_t layer, const draft_form *x, double factor, channel_id out) {
    bool literal = x->count == 2 && x->terms[0].channel == real_channel(w) && x->terms[0].weight == 1 &&
                   x->terms[1].weight == -1;
    if (x->count == 1 || literal) {
        emit_own(w, layer, x, factor, out);
        return;
    }
    for (size_t k = 0; k < x->count; k++) {
        draft_form part = {0};
        form_add(w->d, &part, x->terms[k].channel, 1);
        emit_own(w, layer, &part, factor * x->terms[k].weight, out);
    }
}

/* sum >= 0 with counts on both sides. A count over j >= i is the total, minus the count over j <= i, plus the own
   position. So the sum is A + T with A over j <= i (half unit included) and T a total, and

       (A + T)/(N (i+1)) = A/(i+1) * 1/N + 1/(i+1) * T/N

   is a dot product of (A/(i+1), 1/(i+1)) at i with (1/N, T/N) at the start sentinel: means of two uniform heads. This
   needs no look-up and is right as long as the sums stay far below 2^53. */
static void lower_two_sided(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t layer = w->level[id], before = layer - 1;
    draft_form here = {0}, total = {0};
    double largest = 0;
    channel_id own = draft_channel_add(w->d, (draft_channel){.label = lower_label(w, "own part of %s", w->labels[id]),
                                                             .born = before,
                                                             .last_read = before,
                                                             .may_be_negative = true});
    for (size_t k = 0; k < n->kid_count; k++) {
        node_id count = formula_kid(w->g, id, k);
        double weight = exact_weight(w, formula_weight(w->g, id, k));
        draft_form kid = exact_form(w, formula_kid(w->g, count, 0));
        form_add_form(w->d, &here, &kid, is_future(w, count) ? -weight : weight);
        if (!is_future(w, count)) continue;
        form_add_form(w->d, &total, &kid, weight);
        emit_own_parts(w, before, &kid, weight, own);
        largest += fabs(weight);
    }
    form_add(w->d, &here, start_channel(w), exact_weight(w, n->constant) + 0.5);
    channel_id y = draft_value(w->d, count_head(w, before, TEMPER_MASK_UP_TO), before, &here,
                               lower_label(w, "mean for %s", w->labels[id]), true);
    channel_id t = draft_value(w->d, count_head(w, before, TEMPER_MASK_ALL), before, &total,
                               lower_label(w, "total for %s", w->labels[id]), true);
    channel_id at_start = start_copy(w, before, t, largest, lower_label(w, "total at start for %s", w->labels[id]));
    draft_form query[2] = {{0}}, key[2] = {{0}}, value = {0};
    form_add(w->d, &query[0], y, 1);
    form_add(w->d, &query[0], own, 1);
    form_add(w->d, &key[0], feature_channel(w, "[i = 0]/N"), 1);
    form_add(w->d, &query[1], feature_channel(w, "1/(i + 1)"), 1);
    form_add(w->d, &key[1], at_start, 1);
    form_add(w->d, &value, start_channel(w), 1);
    draft_head *h =
        draft_head_for(w->d, layer, ROLE_BALANCE, TEMPER_MASK_UP_TO, TEMPER_CHOICE_AVERAGE, query, key, 2);
    w->raw[id] = draft_value(w->d, h, layer, &value, w->labels[id], false);
    w->d->places[id] = (draft_place){.layer = layer, .head = h->number, .channel = w->raw[id]};
}

void lower_compare(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    size_t future = 0;
    check_weights(w, id);
    for (size_t k = 0; k < n->kid_count; k++) future += is_future(w, formula_kid(w->g, id, k));
    if (future == 0 || future == n->kid_count)
        lower_one_sided(w, id, future != 0);
    else
        lower_two_sided(w, id);
}

/* ---- residues ---- */

/* One-hot residues of a partial sum: channel[k] says that the sum is value[k] modulo m. */
typedef struct residues {
    int64_t *value;
    gate_input *input;
    size_t count;
    uint32_t ready; /* the first feed-forward net that can read it */
    bool raw;
} residues;

/* How many residues a_k * c takes. */
static size_t orbit(int64_t weight, int64_t modulus) { return (size_t)(modulus / common_divisor(modulus, weight)); }

static _Noreturn void too_large(const lowering *w, int64_t modulus) {
    trap_raise(
        w->arena->trap, TEMPER_LIMIT, 0, 0,
        "modulus %lld is too large for the remainder of a sum of several counts (more than %d pairs of residues)",
        (long long)modulus, RESIDUE_PAIR_LIMIT);
}

/* The two groups that are ready first are added first. Returns their indices a < b. */
static void two_earliest(const uint32_t *ready, size_t count, size_t *a, size_t *b) {
    size_t first = 0, second = SIZE_MAX;
    for (size_t k = 1; k < count; k++) {
        if (ready[k] < ready[first])
            second = first, first = k;
        else if (second == SIZE_MAX || ready[k] < ready[second])
            second = k;
    }
    *a = first < second ? first : second;
    *b = first < second ? second : first;
}

static uint32_t lookup_layer(const lowering *w, node_id count) { return w->level[count] + 2; }

/* Several counts: the nets of the adders, simulated on their times alone; also the cost, before anything is made. */
uint32_t modulo_level(lowering *w, node_id id, bool *is_attention) {
    const formula_node *n = formula_at(w->g, id);
    *is_attention = n->kid_count == 1;
    if (n->kid_count == 1) return lookup_layer(w, formula_kid(w->g, id, 0));
    if (n->modulus > RESIDUE_PAIR_LIMIT) too_large(w, n->modulus);
    size_t count = n->kid_count, pairs = 0;
    uint32_t *ready = arena_alloc(w->arena, count, sizeof *ready);
    for (size_t k = 0; k < count; k++) {
        ready[k] = lookup_layer(w, formula_kid(w->g, id, k)) + !w->gates.fuse; /* count_residues rounds then */
        if (k > 0) pairs += (size_t)n->modulus * (size_t)n->modulus;
        if (pairs > RESIDUE_PAIR_LIMIT) too_large(w, n->modulus);
    }
    while (count > 1) {
        size_t a, b;
        two_earliest(ready, count, &a, &b);
        ready[a] = max_u32(ready[a], ready[b]) + 1;
        ready[b] = ready[--count];
    }
    return ready[0] - 1;
}

draft_head *lookup_head(lowering *w, uint32_t layer, temper_mask mask, channel_id mean, temper_mask averaged,
                        bool from_end) {
    draft_form query[2] = {{0}}, key[2] = {{0}};
    form_add(w->d, &query[0], mean, 2);
    form_add(w->d, &query[1], feature_channel(w, averaged == TEMPER_MASK_FROM ? "1/(N - i)" : "1/(i + 1)"), -1);
    form_add(w->d, &key[0], feature_channel(w, from_end ? "(N - 1 - i)/(N*N)" : "i/(N*N)"), 1);
    form_add(w->d, &key[1], feature_channel(w, from_end ? "(N - 1 - i)*(N - 1 - i)/(N*N)" : "i*i/(N*N)"), 1);
    return draft_head_for(w->d, layer, ROLE_LOOKUP, mask, TEMPER_CHOICE_AVERAGE, query, key, 2);
}

/* The look-up of a count. Counts over j >= i number the positions from the end. */
static draft_head *count_lookup(lowering *w, node_id count, uint32_t layer) {
    bool future = is_future(w, count);
    temper_mask mask = future ? TEMPER_MASK_FROM : TEMPER_MASK_UP_TO;
    draft_form value = exact_form(w, formula_kid(w->g, count, 0));
    channel_id mean = draft_value(w->d, count_head(w, layer - 1, mask), layer - 1, &value,
                                  lower_label(w, "mean of %s", w->labels[count]), false);
    return lookup_head(w, layer, mask, mean, mask, future);
}

channel_id residue_feature(lowering *w, bool future, const formula_node *n, int64_t weight, int64_t residue,
                           bool on_letters) {
    const char *j = future ? "(N - 1 - i)" : "i";
    int64_t constant = on_letters || n->kid_count == 1 ? n->constant : 0, modulus = n->modulus;
    compare_op op = n->kid_count == 1 ? n->compare : CMP_EQ;
    char e[280];
    if (modulus > (weight == 1 ? (int64_t)1 << 51 : (int64_t)1 << 26))
        trap_raise(w->arena->trap, TEMPER_LIMIT, 0, 0, "modulus %lld is too large for an exact position feature",
                   (long long)modulus);
    const char *relation = op == CMP_EQ ? "=" : "<=";
    if (weight == 1 && constant == 0)
        snprintf(e, sizeof e, "[%s %% %lld %s %lld]", j, (long long)modulus, relation, (long long)residue);
    else if (weight == 1)
        snprintf(e, sizeof e, "[(%s + %lld) %% %lld %s %lld]", j, (long long)constant, (long long)modulus, relation,
                 (long long)residue);
    else
        snprintf(e, sizeof e, "[(%s %% %lld*%lld + %lld) %% %lld %s %lld]", j, (long long)modulus, (long long)weight,
                 (long long)constant, (long long)modulus, relation, (long long)residue);
    if (on_letters) strcat(e, "*[1 <= i]*[i <= n]");
    return feature_channel(w, e);
}

static void lower_single(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    node_id count = formula_kid(w->g, id, 0);
    uint32_t layer = w->level[id];
    draft_head *h = count_lookup(w, count, layer);
    draft_form value = {0};
    channel_id feature = residue_feature(w, is_future(w, count), n, formula_weight(w->g, id, 0), n->residue, false);
    form_add(w->d, &value, feature, 1);
    w->raw[id] = draft_value(w->d, h, layer, &value, w->labels[id], false);
    w->d->places[id] = (draft_place){.layer = layer, .head = h->number, .channel = w->raw[id]};
}

/* Residues read after the net of their own layer are rounded in it. */
static void settle(lowering *w, residues *r, uint32_t layer) {
    if (!r->raw || layer == r->ready) return;
    for (size_t s = 0; s < r->count; s++) {
        channel_id out = gate_channel(w, r->ready, w->d->channels[r->input[s].channel].label);
        emit_all(w, r->ready, &r->input[s], 1, out);
        r->input[s] = (gate_input){.channel = out};
    }
    r->raw = false;
    r->ready++;
}

/* One count's residues, a look-up with one value per residue. */
static residues count_residues(lowering *w, node_id id, size_t k) {
    const formula_node *n = formula_at(w->g, id);
    node_id count = formula_kid(w->g, id, k);
    int64_t weight = formula_weight(w->g, id, k), step = common_divisor(n->modulus, weight);
    uint32_t layer = lookup_layer(w, count);
    residues r = {.count = orbit(weight, n->modulus), .ready = layer, .raw = true};
    r.value = arena_alloc(w->arena, r.count, sizeof *r.value);
    r.input = arena_alloc(w->arena, r.count, sizeof *r.input);
    draft_head *h = count_lookup(w, count, layer);
    for (size_t s = 0; s < r.count; s++) {
        r.value[s] = (int64_t)s * step;
        draft_form value = {0};
        form_add(w->d, &value, residue_feature(w, is_future(w, count), n, weight, r.value[s], false), 1);
        text what;
        text_init(&what, w->arena);
        text_printf(&what, "%lld*%s %% %lld = %lld", (long long)weight, w->labels[count], (long long)n->modulus,
                    (long long)r.value[s]);
        channel_id raw = draft_value(w->d, h, layer, &value, text_string(&what), false);
        r.input[s] = (gate_input){.channel = raw, .raw = true};
    }
    if (!w->gates.fuse) settle(w, &r, layer + 1);
    return r;
}

/* All pairs, each pair's AND added to the channel of its sum: at most one pair is true. */
static residues add_residues(lowering *w, residues *a, residues *b, int64_t modulus) {
    uint32_t layer = max_u32(a->ready, b->ready);
    settle(w, a, layer);
    settle(w, b, layer);
    residues r = {.ready = layer + 1};
    channel_id *out = arena_alloc(w->arena, (size_t)modulus, sizeof *out);
    for (int64_t v = 0; v < modulus; v++) out[v] = NO_CHANNEL;
    r.value = arena_alloc(w->arena, (size_t)modulus, sizeof *r.value);
    r.input = arena_alloc(w->arena, (size_t)modulus, sizeof *r.input);
    for (size_t s = 0; s < a->count; s++)
        for (size_t t = 0; t < b->count; t++) {
            int64_t v = (a->value[s] + b->value[t]) % modulus;
            if (out[v] == NO_CHANNEL) {
                char what[60];
                snprintf(what, sizeof what, "partial sum %% %lld = %lld", (long long)modulus, (long long)v);
                out[v] = gate_channel(w, layer, lower_label(w, "%s", what));
                r.value[r.count] = v;
                r.input[r.count++] = (gate_input){.channel = out[v]};
            }
            gate_input pair[2] = {a->input[s], b->input[t]};
            emit_all(w, layer, pair, 2, out[v]);
        }
    return r;
}

/* The last addition writes one channel: is the residue wanted? */
static void add_last(lowering *w, node_id id, residues *a, residues *b) {
    const formula_node *n = formula_at(w->g, id);
    uint32_t layer = w->level[id];
    settle(w, a, layer);
    settle(w, b, layer);
    channel_id out = w->exact[id] = gate_channel(w, layer, w->labels[id]);
    for (size_t s = 0; s < a->count; s++)
        for (size_t t = 0; t < b->count; t++) {
            int64_t v = (a->value[s] + b->value[t] + n->constant) % n->modulus;
            if (!(n->compare == CMP_EQ ? v == n->residue : v <= n->residue)) continue;
            gate_input pair[2] = {a->input[s], b->input[t]};
            emit_all(w, layer, pair, 2, out);
        }
    w->d->places[id] = (draft_place){.layer = layer, .head = -1, .channel = out};
}

void lower_modulo(lowering *w, node_id id) {
    const formula_node *n = formula_at(w->g, id);
    if (n->kid_count == 1) {
        lower_single(w, id);
        return;
    }
    size_t count = n->kid_count;
    residues *groups = arena_alloc(w->arena, count, sizeof *groups);
    uint32_t *ready = arena_alloc(w->arena, count, sizeof *ready);
    for (size_t k = 0; k < count; k++) {
        groups[k] = count_residues(w, id, k);
        ready[k] = groups[k].ready;
    }
    for (;;) {
        size_t a, b;
        two_earliest(ready, count, &a, &b);
        if (count == 2) {
            add_last(w, id, &groups[a], &groups[b]);
            return;
        }
        groups[a] = add_residues(w, &groups[a], &groups[b], n->modulus);
        ready[a] = groups[a].ready;
        groups[b] = groups[--count];
        ready[b] = ready[count];
    }
}
