/* How far a hard model can be softened, and what stands in the way of more: the head, how close its scores come by
   proof and on which string, and what precision, saturation or gates would do. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/entry.h"
#include "facts/facts_exhaustive.h"
#include "run/exact_run.h"
#include "soften/scales.h"

enum { ALL_STRINGS = 9000, RANDOM_STRINGS = 300, TRIES = 64 };

/* ---- the witness ---- */

typedef struct witness_search {
    temper_soften_limit *out;
    const uint32_t *letters;
    size_t n;
    uint32_t layer, head; /* from 0 */
    rational *t;          /* [3] */
} witness_search;

/* "-3/5"; "" where it is too long. */
static void write_fraction(char out[TEMPER_LIMIT_TEXT], const rational *x, rational *t) {
    int64_t below, above;
    rational_set_int(&t[1], 1);
    rational_gcd(&t[0], x, &t[1]); /* 1 over the denominator */
    rational_div(&t[1], &t[1], &t[0]);
    rational_mul(&t[0], x, &t[1]);
    out[0] = 0;
    if (!rational_to_int64(&below, &t[1]) || !rational_to_int64(&above, &t[0])) return;
    snprintf(out, TEMPER_LIMIT_TEXT, below == 1 ? "%lld" : "%lld/%lld", (long long)above, (long long)below);
}

static void see_row(void *context, const exact_row *row) {
    witness_search *w = context;
    temper_soften_limit *out = w->out;
    if (row->layer != w->layer || row->head != w->head || row->next == SIZE_MAX) return;
    rational_sub(&w->t[2], &row->scores[row->best], &row->scores[row->next]);
    double log2 = rational_log2(&w->t[2]);
    if (out->witness_length != SIZE_MAX && !(log2 < out->log2_seen)) return;
    out->log2_seen = log2;
    out->witness_length = w->n;
    if (w->n) memcpy(out->witness, w->letters, w->n * sizeof *w->letters);
    out->position = row->i;
    out->key = row->best;
    out->other_key = row->next;
    write_fraction(out->score, &row->scores[row->best], w->t);
    write_fraction(out->other_score, &row->scores[row->next], w->t);
}

static void run_string(witness_search *w, const temper_model *m, arena *scratch) {
    exact_observer observer = {.context = w, .row = see_row};
    rational_pool pool;
    arena_reset(scratch);
    rational_pool_init(&pool, scratch);
    w->t = rational_array(&pool, 3);
    exact_run(m, w->letters, w->n, &observer, &pool, scratch);
}

/* Of all short strings some have a gap of a bit a letter, and near the length that fails the proof has no more. A
   power of the length would lose less and less with each letter. */
static bool is_exponential(const temper_soften_limit *out) {
    enum { SHORT = 8, LONG = 16 };
    return out->all_up_to >= SHORT && out->log2_seen <= -(double)out->all_up_to && out->fails >= LONG &&
           out->bits_per_letter >= 1;
}

static void find_witness(temper_soften_limit *out, const scale_search *g) {
    uint32_t letters[TEMPER_LIMIT_LETTERS] = {0};
    size_t count = g->hard->letters.count,
           longest = out->fails < TEMPER_LIMIT_LETTERS ? out->fails : TEMPER_LIMIT_LETTERS;
    witness_search w = {.out = out, .letters = letters};
    w.layer = (uint32_t)out->layer - 1;
    w.head = (uint32_t)out->head - 1;
    for (size_t n = 0; n <= longest && strings_up_to(count, n) <= ALL_STRINGS; n++) {
        memset(letters, 0, sizeof letters);
        w.n = out->all_up_to = n;
        do run_string(&w, g->hard, g->scratch);
        while (next_string(letters, n, count));
    }
    out->exponential = out->witness_length != SIZE_MAX && is_exponential(out);
    uint64_t state = 1;
    for (size_t k = 0; k < RANDOM_STRINGS; k++) {
        w.n = longest - k % (longest / 2 + 1);
        random_string(letters, w.n, count, &state);
        run_string(&w, g->hard, g->scratch);
    }
    arena_reset(g->scratch);
}

/* ---- what would help ---- */

/* log2 of the head's proved gap at a length. */
static double gap_at(const scale_search *g, const temper_soften_limit *out, size_t n) {
    return scale_facts(g, n, (uint32_t)out->layer - 1, (uint32_t)out->head - 1)->log2_gap;
}

static void find_growth(temper_soften_limit *out, const scale_search *g) {
    size_t n = out->fails, letters = n < 8 ? 1 : n / 8;
    double here = gap_at(g, out, n);
    out->log2_gap = here;
    if (n < 2 || !isfinite(here)) return;
    if (isfinite(gap_at(g, out, n - letters)))
        out->bits_per_letter = (gap_at(g, out, n - letters) - here) / (double)letters;
    if (isfinite(gap_at(g, out, n / 2))) out->bits_per_doubling = gap_at(g, out, n / 2) - here;
}

/* Rounding errors are in proportion to 2^-precision, so as many bits more as the scores are too far off. Where keys
   tie and are averaged, they must be nearer by the factor that the scale makes of a gap, some 2^7. */
static void find_bits(temper_soften_limit *out, const scale_blame *b, double margin) {
    double room = out->can_saturate ? 1 : 0x1p7;
    double too_far = b->obstacle == TEMPER_OBSTACLE_GAP      ? b->off / b->needs * room
                     : b->obstacle == TEMPER_OBSTACLE_OUTPUT ? b->answer / margin
                                                             : 0;
    if (too_far > 0 && isfinite(too_far)) out->bits = 53 + fmax(1, ceil(log2(too_far)) + 1);
}

static void describe(temper_soften_limit *out, scale_search *g, size_t fails) {
    scale_blame b = scales_blame(g, fails);
    *out = (temper_soften_limit){.obstacle = b.obstacle,
                                 .fails = b.n,
                                 .layer = b.layer,
                                 .head = b.head,
                                 .log2_gap = NAN,
                                 .log2_off = b.off > 0 ? log2(b.off) : -INFINITY,
                                 .bits_per_letter = NAN,
                                 .bits_per_doubling = NAN,
                                 .witness_length = SIZE_MAX,
                                 .log2_seen = NAN};
    if (b.head) {
        const head_class *c = &g->heads[g->head_start[b.layer - 1] + b.head - 1];
        out->can_saturate = c->tieless || c->step > 0;
        out->saturated = out->can_saturate && !g->o->adaptive;
        out->log2_step = c->step > 0 ? log2(c->step) : -INFINITY;
        find_growth(out, g);
    }
    find_bits(out, &b, g->margin);
}

/* The search as if truths were rounded after every layer. */
static bool gates_would_do(scale_search *g) {
    size_t fails;
    g->gates = true;
    bool would = scales_settle(g, &fails);
    g->gates = false;
    return would;
}

/* ---- how far ---- */

/* A gap that a double does not hold is refused before any search. */
static size_t first_length_to_try(const scale_search *g) {
    size_t n = 0;
    for (; n <= g->o->length; n++)
        for (uint32_t l = 0; l < g->hard->layer_count; l++)
            for (uint32_t h = 0; h < g->hard->layers[l].head_count; h++)
                if (scale_facts(g, n, l, h)->log2_gap < -800) return n ? n - 1 : 0;
    return g->o->length;
}

/* From the longest to one that works; false: none does. */
static bool go_down(temper_soften_limit *out, scale_search *g, temper_soften_options *o, size_t length) {
    size_t fails;
    o->length = length;
    for (int k = 0; !scales_settle(g, &fails); k++) {
        describe(out, g, fails);
        if (out->obstacle == TEMPER_OBSTACLE_MARGIN) fails = out->fails;
        if (fails == 0) return false;
        o->length = k < TRIES ? fails - 1 : (fails - 1) / 2;
    }
    return true;
}

/* Scales that fail for long strings may do for shorter ones beyond the length at which they failed. */
static bool go_up(temper_soften_limit *out, scale_search *g, temper_soften_options *o, size_t length) {
    size_t fails;
    while (o->length < length) {
        o->length++;
        if (scales_settle(g, &fails)) continue;
        describe(out, g, fails);
        o->length--;
        break;
    }
    return true;
}

/* A gap that has no double. */
static void describe_tiny_gap(temper_soften_limit *out, const scale_search *g, size_t n) {
    *out = (temper_soften_limit){.obstacle = TEMPER_OBSTACLE_LOGITS,
                                 .works = n - 1,
                                 .fails = n,
                                 .log2_gap = INFINITY,
                                 .log2_off = NAN,
                                 .bits_per_letter = NAN,
                                 .bits_per_doubling = NAN,
                                 .witness_length = SIZE_MAX,
                                 .log2_seen = NAN};
    for (uint32_t l = 0; l < g->hard->layer_count; l++)
        for (uint32_t h = 0; h < g->hard->layers[l].head_count; h++)
            if (scale_facts(g, n, l, h)->log2_gap < out->log2_gap) {
                out->layer = l + 1;
                out->head = h + 1;
                out->log2_gap = scale_facts(g, n, l, h)->log2_gap;
            }
    find_growth(out, g);
}

typedef struct explain_call {
    temper_soften_limit *out;
    const temper_model *hard;
    temper_soften_options options;
} explain_call;

static void explain(entry *e, void *context) {
    explain_call *c = context;
    temper_soften_limit out = {.works = c->options.length, .fails = c->options.length, .witness_length = SIZE_MAX};
    scale_search g = {.hard = c->hard, .o = &c->options, .trap = e->trap, .keep = &e->memory, .scratch = &e->scratch};
    size_t asked = c->options.length;
    scales_begin(&g);
    size_t last = first_length_to_try(&g);
    bool works = go_down(&out, &g, &c->options, last) && go_up(&out, &g, &c->options, last);
    out.works = works ? c->options.length : 0;
    if (works && out.works == last && last < asked) describe_tiny_gap(&out, &g, last + 1);
    if (out.obstacle != TEMPER_OBSTACLE_NONE) out.fails = works ? out.works + 1 : 0;
    if (out.head) {
        find_witness(&out, &g);
        c->options.length = out.fails;
        out.gates = out.obstacle != TEMPER_OBSTACLE_LOGITS && gates_would_do(&g);
    }
    *c->out = out;
}

temper_status temper_soften_explain(temper_soften_limit *out, const temper_model *hard,
                                    const temper_soften_options *options, temper_error *err) {
    explain_call call = {out, hard, *options};
    return entry_run(err, explain, &call);
}

const char *temper_obstacle_name(temper_obstacle obstacle) {
    static const char *const names[] = {"none", "gap", "output", "logits", "margin"};
    return (size_t)obstacle < sizeof names / sizeof *names ? names[obstacle] : "";
}
