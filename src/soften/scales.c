#include "soften/scales.h"

#include <stdio.h>
#include <string.h>

#include "number/upward.h"
#include "run/exact_run.h"
#include "facts/facts_exhaustive.h"
#include "facts/facts_job.h"
#include "facts/facts_lengths.h"
#include "soften/soft_facts.h"

enum {
    LENGTH_LIMIT = 1 << 14,
    SHARP_LEAST = 6, /* the logarithm of how much the right key outweighs the others together */
    SHARP_MOST = 120,
    SHARP_STEP = 2
};

/* ---- what is known ---- */

/* The caller's gap stands where less is proved; strings that have a smaller one refute it. */
static void give_gap(scale_search *g, size_t n) {
    string_watch silent = {0};
    uint64_t all = strings_of_length(g->hard->letters.count, n), some = n <= 64 ? 40 : 4;
    bool exhaustive = all <= 256;
    facts *seen = exhaustive ? facts_exhaustive(&g->s, n, &silent, g->keep, g->scratch)
                             : facts_sampled(&g->s, n, some, n, &silent, g->keep, g->scratch);
    facts *f = g->facts[n];
    for (uint32_t l = 0; l < g->hard->layer_count; l++)
        for (uint32_t h = 0; h < g->hard->layers[l].head_count; h++) {
            head_facts *to = &f->layers[l].heads[h];
            if (seen->layers[l].heads[h].gap < g->o->gap_value)
                trap_raise(
                    g->trap, TEMPER_RANGE, 0, 0,
                    "head %u.%u has the gap %.6g on a string of length %zu: smaller than the %.6g that was given",
                    l + 1, h + 1, seen->layers[l].heads[h].gap, n, g->o->gap_value);
            if (to->gap < g->o->gap_value) to->gap = g->o->gap_value;
        }
    if (f->margin == 0) f->margin = seen->margin;
    if (f->margin_everywhere == 0) f->margin_everywhere = seen->margin_everywhere;
}

static bool report_lengths(void *context, size_t done) {
    const scale_search *g = context;
    return g->o->progress && g->o->progress(g->o->context, done, g->o->length + 1);
}

static void find_by_sets(scale_search *g) {
    size_t length = g->o->length;
    if (g->o->facts)
        facts_job_take(g->facts, &g->s, g->o->facts, 0, length, g->keep);
    else if (!facts_lengths_find(g->facts, &g->s, 0, length, g->o->threads, report_lengths, g, g->keep))
        trap_raise(g->trap, TEMPER_LIMIT, 0, 0, "stopped before length %zu", length);
    for (size_t n = 0; n <= length && g->o->gap == TEMPER_GAP_GIVEN; n++) give_gap(g, n);
}

static void find_facts(scale_search *g) {
    size_t length = g->o->length;
    g->facts = arena_zalloc(g->keep, length + 1, sizeof *g->facts);
    string_watch watch = {.progress = g->o->progress, .context = g->o->context};
    bool exhaustive = g->o->gap == TEMPER_GAP_EXHAUSTIVE;
    watch.total = exhaustive ? strings_up_to(g->hard->letters.count, length) : length + 1;
    if (exhaustive && watch.total > (uint64_t)1 << 30)
        trap_raise_remedy(g->trap, TEMPER_LIMIT, 0, 0, TEMPER_REMEDY_GAP_PROVED,
                          "there are more than a thousand million strings up to length %zu: too many to run them all",
                          length);
    if (!exhaustive) find_by_sets(g);
    for (size_t n = 0; n <= length && exhaustive; n++)
        g->facts[n] = facts_exhaustive(&g->s, n, &watch, g->keep, g->scratch);
}

static void classify_heads(scale_search *g) {
    double most = power_of_two_above((double)g->facts[g->o->length]->size);
    for (uint32_t l = 0; l < g->hard->layer_count; l++)
        for (uint32_t h = 0; h < g->hard->layers[l].head_count; h++) {
            head_class *c = &g->heads[g->head_start[l] + h];
            double gap = INFINITY;
            *c = (head_class){.uniform = true, .tieless = true};
            for (size_t n = 0; n <= g->o->length; n++) {
                const head_facts *f = scale_facts(g, n, l, h);
                if (!f->uniform) c->uniform = false;
                if (!f->tieless) c->tieless = false;
                gap = fmin(gap, f->gap);
            }
            if (g->hard->layers[l].heads[h].choice == TEMPER_CHOICE_AVERAGE || c->tieless) continue;
            double unit = gap == INFINITY ? 1 : gap > 0x1p-900 ? power_of_two_below(gap) : 0;
            c->step = unit / most;
            if (c->step == 0)
                trap_raise(g->trap, TEMPER_LIMIT, 0, 0,
                           "head %u.%u: scores up to length %zu may differ by less than f64 can scale up (2^%.0f)",
                           l + 1, h + 1, g->o->length, scale_facts(g, g->o->length, l, h)->log2_gap);
        }
}

/* The distance of answers from 1/2 that is counted on: at every position if there is one, else where the verdict
   is. */
static void find_margin(scale_search *g, bool everywhere) {
    g->everywhere = everywhere;
    g->margin = INFINITY;
    for (size_t n = 0; n <= g->o->length; n++)
        g->margin = fmin(g->margin, everywhere ? g->facts[n]->margin_everywhere : g->facts[n]->margin);
}

static void mark_rows(unsigned char *live, const model_rows *r) {
    for (uint32_t k = 0; k < r->start[r->count]; k++) live[r->terms[k].channel] = 1;
}

static void find_live(scale_search *g) {
    uint32_t layers = g->hard->layer_count, channels = g->hard->channel_count;
    g->live = arena_zalloc(g->keep, layers + 1, sizeof *g->live);
    for (uint32_t l = layers + 1; l-- > 0;) {
        g->live[l] = arena_zalloc(g->keep, channels, 1);
        if (l == layers) {
            mark_rows(g->live[l], &g->hard->read);
            continue;
        }
        const model_layer *layer = &g->hard->layers[l];
        memcpy(g->live[l], g->live[l + 1], channels);
        mark_rows(g->live[l], &layer->in);
        for (uint32_t h = 0; h < layer->head_count; h++) {
            mark_rows(g->live[l], &layer->heads[h].query);
            mark_rows(g->live[l], &layer->heads[h].key);
            mark_rows(g->live[l], &layer->heads[h].value);
        }
    }
}

/* ---- scales ---- */

/* The scale of a head of a rung, for a sharpness. */
static double scale_for(const scale_search *g, const rung *r, uint32_t layer, uint32_t head, double sharpness) {
    const head_class *c = &g->heads[g->head_start[layer] + head];
    double scale = 1;
    if (c->step > 0)
        return fmax(1, power_of_two_above(sharpness / c->step)); /* below 1 weights could be lost to underflow */
    if (c->uniform) return 1;
    for (size_t n = r->first; n <= r->last; n++) {
        double gap = scale_facts(g, n, layer, head)->gap;
        if (gap == INFINITY) continue;
        scale = fmax(scale, (log_f64((double)g->facts[n]->size) + sharpness) / fmax(gap, 0x1p-900));
    }
    return power_of_two_above(scale);
}

/* The scales of the rung at length n. */
static void set_scales(scale_search *g, const rung *r, size_t n) {
    double size = (double)g->facts[n]->size;
    for (uint32_t l = 0; l < g->hard->layer_count; l++)
        for (uint32_t h = 0; h < g->hard->layers[l].head_count; h++) {
            uint32_t k = g->head_start[l] + h;
            bool average = g->hard->layers[l].heads[h].choice == TEMPER_CHOICE_AVERAGE;
            double sharp = r->sharpness[l];
            g->scales[k] = !g->o->adaptive ? r->scale[k] : average ? log_f64(size) + sharp : sharp * size;
        }
}

static void sharpen(scale_search *g, rung *r, uint32_t layer, double sharpness) {
    r->sharpness[layer] = sharpness;
    for (uint32_t h = 0; h < g->hard->layers[layer].head_count; h++)
        r->scale[g->head_start[layer] + h] = scale_for(g, r, layer, h, sharpness);
}

/* What an error of `before` on every channel that counts becomes after the layer (of the last one: in the answer), at
   length n. */
static double layer_gives(scale_search *g, const rung *r, uint32_t layer, double before, size_t n) {
    uint32_t channels = g->hard->channel_count;
    for (uint32_t c = 0; c < channels; c++) g->channels[c] = g->live[layer][c] ? before : 0;
    set_scales(g, r, n);
    recursion_start(&g->recursion, n, g->channels);
    recursion_layer(&g->recursion, layer);
    if (layer + 1 == g->hard->layer_count) return recursion_answer(&g->recursion);
    double most = 0;
    for (uint32_t c = 0; c < channels; c++)
        if (g->live[layer + 1][c]) most = fmax(most, recursion_channel(&g->recursion, c));
    return most;
}

static double layer_at_ends(scale_search *g, const rung *r, uint32_t layer, double before) {
    return fmax(layer_gives(g, r, layer, before, r->first), layer_gives(g, r, layer, before, r->last));
}

/* The sharpness to try after s; 0: none. Beyond all others is what saturates a head whose scores are off by little,
   or by up to half of its gap: keys that lose weigh exactly 0 then (doc/certificate.md, "Saturation"). */
static double sharper(double s, bool saturate) {
    double silent = 1.02 * format_exp_ends(&format_f64);
    if (s < SHARP_MOST) return s + SHARP_STEP;
    return !saturate || s >= 2 * silent ? 0 : s < silent ? silent : 2 * silent;
}

/* From the last layer down: as blunt as leaves half of the error allowed, and how much error may then come in from
   below. */
static void choose_scales(scale_search *g, rung *r, double allowed, bool saturate) {
    for (uint32_t layer = g->hard->layer_count; layer-- > 0;) {
        double best = INFINITY, sharpness = SHARP_LEAST;
        for (double s = SHARP_LEAST; s > 0; s = sharper(s, saturate)) {
            sharpen(g, r, layer, s);
            double gives = layer_at_ends(g, r, layer, 0);
            if (gives < best) {
                best = gives;
                sharpness = s;
            }
            if (gives <= allowed / 2) break;
        }
        sharpen(g, r, layer, sharpness);
        double before = allowed;
        for (int k = 0; k < 200 && !(layer_at_ends(g, r, layer, before) <= allowed); k++) before /= 2;
        allowed = before;
    }
}

/* ---- whether they do ---- */

/* What gates that round to 0 or 1 would do after a layer: channels that are one of the two, and off by less than a
   quarter, are exact. */
static void round_truths(scale_search *g, uint32_t next, size_t n) {
    if (next == g->hard->layer_count) return;
    const known *x = g->facts[n]->layers[next].before;
    for (uint32_t c = 0; c < g->hard->channel_count; c++) {
        bool truth = x[c].lo >= 0 && x[c].hi <= 1 && x[c].grid >= 0;
        double off = truth ? recursion_channel(&g->recursion, c) : 0;
        if (off > 0 && off < 0.25) recursion_settle(&g->recursion, c);
    }
}

/* The bound on the answer at length n, guessed. */
static double answer_error(scale_search *g, const rung *r, size_t n) {
    set_scales(g, r, n);
    recursion_start(&g->recursion, n, NULL);
    for (uint32_t l = 0; l < g->hard->layer_count; l++) {
        recursion_layer(&g->recursion, l);
        if (g->gates) round_truths(g, l + 1, n);
    }
    return recursion_answer(&g->recursion);
}

/* The length at which the rung fails, or SIZE_MAX; g->error grows to the largest error. */
static size_t rung_fails(scale_search *g, const rung *r) {
    for (size_t n = r->first; n <= r->last; n++) {
        double error = answer_error(g, r, n);
        if (!(error < g->margin)) return n;
        g->error = fmax(g->error, error);
    }
    return SIZE_MAX;
}

static bool settle_rung(scale_search *g, rung *r, size_t *fails) {
    static const double even[] = {8, 12, 16, 20, 24, 28, 32, 36, 40};
    choose_scales(g, r, g->margin / 2, false);
    if ((*fails = rung_fails(g, r)) == SIZE_MAX) return true;
    double *sharpness = arena_alloc(g->keep, g->hard->layer_count, sizeof *sharpness);
    memcpy(sharpness, r->sharpness, g->hard->layer_count * sizeof *sharpness);
    for (size_t k = 0; k < sizeof even / sizeof *even;
         k++) { /* the same for all layers: sometimes enough where budgets are not */
        for (uint32_t l = 0; l < g->hard->layer_count; l++) sharpen(g, r, l, even[k]);
        if (rung_fails(g, r) == SIZE_MAX) return true;
    }
    if (!g->o->adaptive) {
        choose_scales(g, r, g->margin / 2, true);
        if (rung_fails(g, r) == SIZE_MAX) return true;
        for (uint32_t l = 0; l < g->hard->layer_count; l++) sharpen(g, r, l, 2.04 * format_exp_ends(&format_f64));
        if (rung_fails(g, r) == SIZE_MAX) return true;
    }
    for (uint32_t l = 0; l < g->hard->layer_count; l++) sharpen(g, r, l, sharpness[l]);
    return false;
}

void scales_at(scale_search *g, size_t n) {
    const rung *r = g->rungs;
    while (n > r->last) r++;
    set_scales(g, r, n);
}

/* Lengths in rungs: N up to 4, 8, 16, ...; one rung if scales cannot depend on the length. */
static void make_rungs(scale_search *g) {
    bool one = g->o->adaptive || g->o->method == TEMPER_METHOD_POSITIONS;
    size_t sentinels = 1 + g->hard->has_end, n = 0;
    for (size_t size = 4; n <= g->o->length; size *= 2) {
        rung *r = &g->rungs[g->rung_count++];
        r->first = n;
        r->last = one || size - sentinels >= g->o->length ? g->o->length : size - sentinels;
        r->sharpness = arena_zalloc(g->keep, g->hard->layer_count, sizeof *r->sharpness);
        r->scale = arena_zalloc(g->keep, scale_search_heads(g), sizeof *r->scale);
        n = r->last + 1;
    }
}

/* False: there is a length at which no scales seem to do. */
static bool settle(scale_search *g, size_t *fails) {
    g->error = 0;
    for (size_t k = 0; k < g->rung_count; k++)
        if (!settle_rung(g, &g->rungs[k], fails)) return false;
    return true;
}

/* ---- the draft ---- */

void scales_add_tie_break(model_head *h, double step, uint32_t one, uint32_t place, double unit, arena *a) {
    rows_builder q, k;
    rows_begin(&q, a);
    rows_begin(&k, a);
    for (uint32_t r = 0; r < h->query.count; r++) {
        for (uint32_t t = h->query.start[r]; t < h->query.start[r + 1]; t++)
            rows_term(&q, h->query.terms[t].channel, h->query.terms[t].weight);
        rows_end_row(&q);
        for (uint32_t t = h->key.start[r]; t < h->key.start[r + 1]; t++)
            rows_term(&k, h->key.terms[t].channel, h->key.terms[t].weight);
        rows_end_row(&k);
    }
    rows_term(&q, one, step / unit);
    rows_end_row(&q);
    rows_term(&k, place, h->hard_choice == TEMPER_CHOICE_RIGHTMOST ? 1 : -1);
    rows_end_row(&k);
    h->query = rows_finish(&q);
    h->key = rows_finish(&k);
}

/* The hard model with two channels more, softmax and tie-breaks. It borrows the rest, lives in `keep` and is never
   freed by itself. */
static void draft_model(scale_search *g) {
    const temper_model *hard = g->hard;
    arena *a = g->keep;
    uint32_t one = hard->channel_count, place = one + 1;
    double most = power_of_two_above((double)g->facts[g->o->length]->size);
    temper_model *m = g->draft = arena_alloc(a, 1, sizeof *m);
    *m = *hard;
    m->channel_count = place + 1;
    m->channels = arena_alloc(a, m->channel_count, sizeof *m->channels);
    memcpy(m->channels, hard->channels, one * sizeof *m->channels);
    m->channels[one] = (model_channel){.label = "1", .position = expression_make(a, "1")};
    m->channels[place] =
        (model_channel){.label = "i", .position = expression_make(a, "i/%.0f", most), .soft_only = true};
    m->layers = arena_alloc(a, hard->layer_count, sizeof *m->layers);
    for (uint32_t l = 0; l < hard->layer_count; l++) {
        m->layers[l] = hard->layers[l];
        m->layers[l].heads = arena_alloc(a, hard->layers[l].head_count, sizeof *m->layers[l].heads);
        for (uint32_t h = 0; h < hard->layers[l].head_count; h++) {
            model_head *head = &m->layers[l].heads[h];
            double step = g->heads[g->head_start[l] + h].step;
            *head = hard->layers[l].heads[h];
            head->choice = TEMPER_CHOICE_SOFTMAX;
            head->adaptive = g->o->adaptive;
            if (step > 0 && !g->o->adaptive) scales_add_tie_break(head, step, one, place, 1 / most, a);
        }
    }
    uint32_t *source = arena_alloc(a, m->channel_count, sizeof *source);
    for (uint32_t c = 0; c < m->channel_count; c++) source[c] = c < one ? c : CHANNEL_ADDED;
    soft_facts_find(&g->about, &(soft_model){.model = m, .source = source}, hard, g->facts, g->o->length, a,
                    g->scratch);
    if (!recursion_begin(&g->recursion, &g->about, number_type_of(TEMPER_TYPE_F64), false, a, g->scratch))
        trap_raise(g->trap, TEMPER_LIMIT, 0, 0, "a weight is too large or too small for f64");
    g->recursion.guess = true;
    g->scales = arena_zalloc(a, scale_search_heads(g), sizeof *g->scales);
    g->recursion.scales = g->scales;
    g->channels = arena_zalloc(a, m->channel_count, sizeof *g->channels);
}

/* ---- the search ---- */

static void check_options(const temper_model *hard, const temper_soften_options *o, trap *t) {
    if (o->method != TEMPER_METHOD_TEMPERATURE && o->method != TEMPER_METHOD_POSITIONS)
        trap_raise(t, TEMPER_RANGE, 0, 0, "the method must be temperature or positions");
    if (hard->method != TEMPER_METHOD_HARD) trap_raise(t, TEMPER_RANGE, 0, 0, "the model is soft already");
    if (o->adaptive && o->method != TEMPER_METHOD_TEMPERATURE)
        trap_raise(t, TEMPER_RANGE, 0, 0, "an adaptive temperature belongs to the temperature method");
    if (o->gap > TEMPER_GAP_GIVEN) trap_raise(t, TEMPER_RANGE, 0, 0, "an unknown source of gaps");
    if (o->gap == TEMPER_GAP_GIVEN && !(o->gap_value > 0 && o->gap_value < INFINITY))
        trap_raise(t, TEMPER_RANGE, 0, 0, "the gap must be a number above 0");
    if (o->length > LENGTH_LIMIT)
        trap_raise(t, TEMPER_LIMIT, 0, 0, "a model is softened for strings of at most %d letters, not %zu",
                   LENGTH_LIMIT, o->length);
    /* numbers of one length's run on sets: four for each of a channel's values, twice */
    double cost = ((double)o->length + 2) * ((double)hard->channel_count + 16) * 8;
    if (cost > 0x1p27)
        trap_raise(t, TEMPER_LIMIT, 0, 0,
                   "length %zu with %u channels needs more exact numbers than are allowed (2^27)", o->length,
                   hard->channel_count);
}

/* Bounds are relative, and hold far from the ends of the range of doubles. Nothing sensible is lost there. */
static void check_range(const scale_search *g, const model_rows *r, const char *what, uint32_t layer) {
    for (uint32_t k = 0; k < r->start[r->count]; k++) {
        double size = fabs(r->terms[k].weight);
        if (size < 0x1p-200 || size > 0x1p200)
            trap_raise(
                g->trap, TEMPER_LIMIT, 0, 0,
                "%s of layer %u: a weight of %.3g is too %s for a proof at any length; it takes 2^-200 to 2^200",
                what, layer, r->terms[k].weight, size < 1 ? "small" : "large");
    }
}

static void check_ranges(const scale_search *g) {
    const temper_model *m = g->hard;
    check_range(g, &m->embedding, "the embedding", 0);
    check_range(g, &m->read, "the read-out", m->layer_count);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *layer = &m->layers[l];
        for (uint32_t h = 0; h < layer->head_count; h++) {
            check_range(g, &layer->heads[h].query, "a query", l + 1);
            check_range(g, &layer->heads[h].key, "a key", l + 1);
            check_range(g, &layer->heads[h].value, "a value", l + 1);
            check_range(g, &layer->heads[h].output, "an output", l + 1);
        }
        check_range(g, &layer->in, "a unit", l + 1);
        check_range(g, &layer->out, "a unit", l + 1);
        for (uint32_t u = 0; u < layer->in.count; u++)
            if (layer->bias[u] != 0 && (fabs(layer->bias[u]) < 0x1p-200 || fabs(layer->bias[u]) > 0x1p200))
                trap_raise(g->trap, TEMPER_LIMIT, 0, 0,
                           "a unit of layer %u: a bias of %.3g is too %s for a proof at any length; it takes 2^-200 "
                           "to 2^200",
                           l + 1, layer->bias[u], fabs(layer->bias[u]) < 1 ? "small" : "large");
    }
}

/* No quantity may come near the end of the range either. */
static void check_values(const scale_search *g, const known *x, uint32_t layer, size_t n) {
    for (uint32_t c = 0; c < g->hard->channel_count; c++)
        if (!(fabs(x[c].lo) <= 0x1p400 && fabs(x[c].hi) <= 0x1p400))
            trap_raise(g->trap, TEMPER_LIMIT, 0, 0,
                       "channel %u after layer %u may get beyond 2^400 at length %zu: too large for a proof", c,
                       layer, n);
}

static void begin_search(scale_search *g) {
    const temper_model *m = g->hard;
    g->head_start = arena_zalloc(g->keep, (size_t)m->layer_count + 1, sizeof *g->head_start);
    for (uint32_t l = 0; l < m->layer_count; l++) g->head_start[l + 1] = g->head_start[l] + m->layers[l].head_count;
    g->heads = arena_zalloc(g->keep, scale_search_heads(g), sizeof *g->heads);
    subject_model_init(&g->s, m, g->keep);
    exact_require(m, g->trap);
    check_ranges(g);
    find_facts(g);
    for (size_t n = 0; n <= g->o->length; n++) {
        for (uint32_t l = 0; l < m->layer_count; l++) {
            check_values(g, g->facts[n]->layers[l].before, l, n);
            check_values(g, g->facts[n]->layers[l].middle, l + 1, n);
        }
        check_values(g, g->facts[n]->after, m->layer_count, n);
    }
}

void scales_begin(scale_search *g) {
    check_options(g->hard, g->o, g->trap);
    begin_search(g);
}

bool scales_settle(scale_search *g, size_t *fails) {
    g->rung_count = 0;
    classify_heads(g);
    find_live(g);
    make_rungs(g);
    draft_model(g);
    *fails = 0;
    find_margin(g, true); /* at every position if that can be had, else of the verdict */
    if (g->margin > 0 && settle(g, fails)) return true;
    find_margin(g, false);
    return g->margin > 0 && settle(g, fails);
}

void scales_find(scale_search *g) {
    size_t fails;
    scales_begin(g);
    if (!scales_settle(g, &fails)) scales_refuse(g, fails);
}
