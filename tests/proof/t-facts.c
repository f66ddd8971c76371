/* What is proved of a hard model, against what it does: the facts from the weights alone contain those of all
   strings, run exactly; the facts that softening hands on are those of the softened model, and its proof is the one
   that its facts give; the error recursion bounds every channel and head output of the soft model, layer by layer.
   Random small models; the facts also of wild ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number/elementary.h"
#include "number/rational.h"
#include "number/upward.h"
#include "random_model.h"
#include "run/exact_run.h"
#include "run/forward.h"
#include "facts/facts_exhaustive.h"
#include "bound/choice_errors.h"
#include "soften/soft_proof.h"
#include "soften/soften_build.h"
#include "wild_model.h"

enum { LONGEST = 5, MODELS = 70 };

/* ---- proved facts contain exhaustive ones ---- */

/* Where two facts are compared: what failure messages begin with. */
typedef struct place {
    const char *source;
    size_t n;
    uint32_t layer, part; /* a head, a bundle or a channel */
    const char *what;
} place;

/* Facts are rounded outward, those of short numbers by up to two units of the last place: what is seen may be that
   much looser. */
static bool at_most(double proved, double seen) { return proved <= next_up(next_up(seen)); }

static bool contains(const place *at, const known *proved, const known *seen) {
    return CHECK(at_most(proved->lo, seen->lo) && at_most(-proved->hi, -seen->hi) && proved->grid <= seen->grid,
                 "length %zu, layer %u, %s %u: proved [%a, %a] on 2^%d, seen [%a, %a] on 2^%d\n%s", at->n,
                 at->layer + 1, at->what, at->part + 1, proved->lo, proved->hi, proved->grid, seen->lo, seen->hi,
                 seen->grid, at->source);
}

static bool contains_all(place *at, const char *what, const known *proved, const known *seen, uint32_t count) {
    bool ok = true;
    at->what = what;
    for (uint32_t c = 0; c < count && ok; c++) {
        at->part = c;
        ok = contains(at, &proved[c], &seen[c]);
    }
    return ok;
}

static bool compare_heads(place *at, const head_facts *proved, const head_facts *seen, const model_head *h,
                          uint32_t index) {
    bool ok = contains_all(at, "query row", proved->query, seen->query, h->query.count) &&
              contains_all(at, "key row", proved->key, seen->key, h->key.count) &&
              contains_all(at, "value row", proved->value, seen->value, h->value.count) &&
              contains_all(at, "output", proved->output, seen->output, h->value.count);
    ok &= CHECK(!(proved->uniform && !seen->uniform) && !(proved->tieless && !seen->tieless),
                "length %zu, head %u.%u: proved uniform %d tieless %d, seen %d %d\n%s", at->n, at->layer + 1,
                index + 1, proved->uniform, proved->tieless, seen->uniform, seen->tieless, at->source);
    ok &= CHECK(at_most(proved->gap, seen->gap) &&
                    proved->log2_gap <= seen->log2_gap + 1e-6, /* an estimate, for messages */
                "length %zu, head %u.%u: proved gap %a (log2 %g), seen %a (%g)\n%s", at->n, at->layer + 1, index + 1,
                proved->gap, proved->log2_gap, seen->gap, seen->log2_gap, at->source);
    return ok & CHECK(!proved->uniform || proved->gap == INFINITY, "length %zu, head %u.%u: uniform with a gap\n%s",
                      at->n, at->layer + 1, index + 1, at->source);
}

static bool compare_bundles(place *at, const bundle_facts *proved, const bundle_facts *seen, const bundle *b,
                            uint32_t index) {
    at->what = "bundle";
    at->part = index;
    bool ok = contains(at, &proved->input, &seen->input);
    for (uint32_t p = 0; p <= b->corner_count; p++)
        ok &= CHECK(at_most(proved->distance[p], seen->distance[p]),
                    "length %zu, layer %u, bundle %u, piece %u: proved distance %a, seen %a\n%s", at->n,
                    at->layer + 1, index + 1, p, proved->distance[p], seen->distance[p], at->source);
    return ok;
}

static bool compare_facts(const char *source, const subject_model *s, const facts *proved, const facts *seen) {
    const temper_model *m = s->model;
    place at = {.source = source, .n = proved->n};
    bool ok = true;
    for (uint32_t l = 0; l < m->layer_count && ok; l++) {
        const layer_facts *p = &proved->layers[l], *q = &seen->layers[l];
        at.layer = l;
        ok = contains_all(&at, "channel before", p->before, q->before, m->channel_count) &&
             contains_all(&at, "channel between", p->middle, q->middle, m->channel_count);
        for (uint32_t h = 0; h < m->layers[l].head_count && ok; h++)
            ok = compare_heads(&at, &p->heads[h], &q->heads[h], &m->layers[l].heads[h], h);
        for (uint32_t b = 0; b < s->bundles[l].count && ok; b++)
            ok = compare_bundles(&at, &p->bundles[b], &q->bundles[b], &s->bundles[l].items[b], b);
    }
    if (!ok) return false;
    ok = contains_all(&at, "channel after", proved->after, seen->after, m->channel_count);
    ok &= CHECK(at_most(proved->margin, seen->margin) && at_most(proved->margin_everywhere, seen->margin_everywhere),
                "length %zu: proved margins %a and %a, seen %a and %a\n%s", at.n, proved->margin,
                proved->margin_everywhere, seen->margin, seen->margin_everywhere, source);
    return ok;
}

/* How sharp the proofs are, of all heads that have a gap. */
typedef struct sharpness {
    size_t heads, exact, tieless, proved_tieless;
} sharpness;

static void measure(sharpness *sum, const temper_model *m, const facts *proved, const facts *seen) {
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            const head_facts *p = &proved->layers[l].heads[h], *q = &seen->layers[l].heads[h];
            sum->heads += q->gap < INFINITY;
            sum->exact += q->gap < INFINITY && p->gap >= q->gap * (1 - 1e-9);
            sum->tieless += q->tieless;
            sum->proved_tieless += p->tieless;
        }
}

static bool test_model(sharpness *sum, const char *source, const temper_model *m, size_t longest) {
    trap t;
    arena keep, scratch;
    temper_error e;
    arena_init(&keep, &t);
    arena_init(&scratch, &t);
    if (trap_set(&t, &e)) {
        arena_free(&keep);
        arena_free(&scratch);
        return CHECK(false, "facts: %s\n%s", e.text, source);
    }
    subject_model s;
    subject_model_init(&s, m, &keep);
    facts_run *run = facts_run_begin(&s, 0, &keep);
    bool ok = true;
    for (size_t n = 0; n <= longest && ok; n++) {
        string_watch watch = {0};
        const facts *proved = facts_run_next(run, &keep);
        const facts *seen = facts_exhaustive(&s, n, &watch, &keep, &scratch);
        arena_reset(&scratch);
        ok = compare_facts(source, &s, proved, seen);
        measure(sum, m, proved, seen);
    }
    arena_free(&keep);
    arena_free(&scratch);
    trap_clear(&t);
    return ok;
}

/* ---- the error recursion, channel by channel ---- */

typedef struct error_totals {
    size_t proved, refused, strings, untold;
    double worst; /* the largest measured/proved error of a head's output */
} error_totals;

/* One exact run beside a captured soft one. */
typedef struct beside {
    const char *source;
    const temper_model *soft;
    const temper_run *run;
    const recursion *r;
    const temper_soften_options *o;
    const uint32_t *word;
    size_t n;
    double **channels; /* [layers + 1][channels]: proved */
    rational *t;       /* [2] */
    error_totals *sum;
    bool ok;
} beside;

static void check_near(beside *b, const char *what, uint32_t layer, uint32_t part, size_t i, const rational *exact,
                       double soft, double bound) {
    rational_set_double(b->t, soft);
    rational_sub(b->t, b->t, exact);
    rational_abs(b->t, b->t);
    double off = rational_below(b->t);
    char shown[40] = "";
    for (size_t k = 0; k < b->n && k < sizeof shown - 1; k++) shown[k] = (char)('a' + b->word[k]);
    b->ok &= CHECK(off <= bound, "'%s' at %zu, layer %u, %s %u: off by %a, proved %a\n%s", shown, i, layer, what,
                   part, off, bound, b->source);
    if (*what == 'h' && bound > 1e-9 && bound < INFINITY) b->sum->worst = fmax(b->sum->worst, off / bound);
}

static void see_channels(void *context, uint32_t layer, int stage, const rational *x) {
    beside *b = context;
    uint32_t channels = b->soft->channel_count, after = stage == 0 ? 0 : layer + 1;
    for (size_t i = 0; i < b->n + 1 + b->soft->has_end && stage != 1 && b->ok; i++)
        for (uint32_t c = 0; c < channels && b->ok; c++)
            check_near(b, "channel", after, c, i, &x[i * channels + c], temper_run_channels(b->run, after, i)[c],
                       b->channels[after][c]);
}

static void see_head(void *context, uint32_t layer, uint32_t head, const rational *query, const rational *key,
                     const rational *value, const rational *output) {
    beside *b = context;
    uint32_t k = b->r->f->head_start[layer] + head, width = b->soft->layers[layer].heads[head].value.count;
    (void)query, (void)key, (void)value;
    for (size_t i = 0; i < (b->n + 1 + b->soft->has_end) * width && b->ok; i++)
        check_near(b, "head", layer + 1, head + 1, i / width, &output[i], b->run->heads[k].output[i],
                   ball_upper(&b->r->error[k]));
}

static void check_word(beside *b, rational_pool *pool, arena *scratch) {
    temper_run *run;
    temper_error e;
    temper_run_options o = {.capture = 1};
    temper_status status = temper_model_run(&run, b->soft, b->word, b->n, &o, &e);
    if (status !=
        TEMPER_OK) { /* an adaptive head that nobody listens to may divide by a gap that is next to nothing */
        b->ok = CHECK(b->o->adaptive, "length %zu: %s\n%s", b->n, e.text, b->source);
        b->sum->untold++;
        return;
    }
    exact_observer observer = {.context = b, .channels = see_channels, .head = see_head};
    b->run = run;
    b->t = rational_array(pool, 2);
    size_t verdict = b->n == 0 ? 0 : b->soft->at == TEMPER_AT_FIRST ? 1 : b->n;
    const rational *y = exact_run(b->soft, b->word, b->n, &observer, pool, scratch);
    rational_set_ratio(&b->t[1], 1, 2);
    bool accept = rational_cmp(&y[verdict], &b->t[1]) > 0;
    rational_pool_clear(pool);
    b->ok &= CHECK(accept == temper_run_about(run).accept, "length %zu: soft %d\n%s", b->n, !accept, b->source);
    temper_run_free(run);
    o.capture = 0;
    status = temper_model_run(&run, b->soft, b->word, b->n, &o, &e);
    b->ok &= CHECK(status == TEMPER_OK && accept == temper_run_about(run).accept, "length %zu: planned run %d\n%s",
                   b->n, !accept, b->source);
    if (status == TEMPER_OK) temper_run_free(run);
    b->sum->strings++;
}

/* All strings of length n, or some. */
static void check_length(beside *b, recursion *proof, size_t n, size_t most, test_random *r, arena *keep, trap *t) {
    size_t letters = b->soft->letters.count;
    uint32_t layers = b->soft->layer_count, channels = b->soft->channel_count;
    uint32_t *word = arena_zalloc(keep, n + 1, sizeof *word);
    rational_pool pool;
    b->channels = arena_alloc(keep, (size_t)layers + 1, sizeof *b->channels);
    recursion_start(proof, n, NULL);
    for (uint32_t l = 0; l <= layers; l++) {
        b->channels[l] = arena_alloc(keep, channels, sizeof **b->channels);
        if (l) recursion_layer(proof, l - 1);
        for (uint32_t c = 0; c < channels; c++) b->channels[l][c] = recursion_channel(proof, c);
    }
    b->n = n;
    b->word = word;
    arena scratch;
    arena_init(&scratch, t);
    rational_pool_init(&pool, &scratch);
    bool all = strings_of_length(letters, n) <= most;
    for (size_t k = 0; k < most && b->ok; k++) {
        for (size_t i = 0; i < n && !all; i++)
            word[i] = k % 2 && i && random_below(r, 8) ? word[i - 1] : (uint32_t)random_below(r, letters);
        check_word(b, &pool, &scratch);
        arena_reset(&scratch);
        if (all && !next_string(word, n, letters)) break;
    }
    arena_free(&scratch);
}

typedef struct totals_of {
    bool proved, everywhere;
    double error;
} totals_of;

/* Every length, with facts by sets or by strings that are found for the soft model itself. */
static totals_of check_way(beside *b, bool strings, test_random *r, arena *keep, arena *scratch, trap *t) {
    hard_facts *f = arena_zalloc(keep, 1, sizeof *f);
    recursion *proof = arena_zalloc(keep, 1, sizeof *proof);
    totals_of out = {.proved = true, .everywhere = true};
    certification c = {.model = b->soft, .options = {.length = b->o->length}, .arena = keep, .trap = t};
    hard_facts_find(f, &c, strings, keep, scratch);
    if (!recursion_begin(proof, f, number_type_of(TEMPER_TYPE_F64), false, keep, scratch)) return (totals_of){0};
    b->r = proof;
    for (size_t n = 0; n <= b->o->length && b->ok; n++) {
        recursion_run(proof, n);
        if (proof->too_large) return (totals_of){0};
        double error = ball_upper(proof->answer);
        out.proved = out.proved && error < f->margin[n];
        out.everywhere = out.everywhere && error < f->margin_everywhere[n];
        out.error = fmax(out.error, error);
        check_length(b, proof, n, n <= 3 ? 16 : n < 8 ? 4 : 1, r, keep, t);
    }
    return out;
}

static bool test_errors(error_totals *sum, const char *source, const temper_model *hard,
                        const temper_soften_options *o, test_random *r) {
    trap t;
    arena keep, scratch;
    temper_error e;
    temper_soften_report report;
    temper_model *soft = NULL;
    if (temper_soften(&soft, &report, hard, o, &e) != TEMPER_OK) {
        sum->refused++;
        return true;
    }
    sum->proved++;
    arena_init(&keep, &t);
    arena_init(&scratch, &t);
    if (trap_set(&t, &e)) {
        arena_free(&keep);
        arena_free(&scratch);
        temper_model_free(soft);
        return CHECK(false, "errors: %s\n%s", e.text, source);
    }
    beside b = {.source = source, .soft = soft, .o = o, .sum = sum, .ok = true};
    bool by_strings = false;
    totals_of is = check_way(&b, false, r, &keep, &scratch, &t);
    if (b.ok && !(is.proved && is.everywhere) && hard_facts_by_strings(soft, o->length)) {
        totals_of all = check_way(&b, true, r, &keep, &scratch, &t);
        by_strings = all.proved && (all.everywhere || !is.proved);
        if (by_strings) is = all;
    }
    CHECK(!b.ok || (is.proved && is.error == report.error && is.everywhere == (report.every_position != 0)),
          "softening proved %a at %s, the model's own facts (%s) give %d, %a at %s\n%s", report.error,
          report.every_position ? "every position" : "the verdict", by_strings ? "strings" : "sets", is.proved,
          is.error, is.everywhere ? "every position" : "the verdict", source);
    temper_model_free(soft);
    arena_free(&keep);
    arena_free(&scratch);
    trap_clear(&t);
    return b.ok;
}

int main(void) {
    test_random r = test_seed(4007);
    size_t models = (size_t)(MODELS * test_effort());
    char source[RANDOM_MODEL_TEXT];
    sharpness sharp = {0};
    error_totals sums[3] = {0};
    for (size_t k = 0; k < models; k++) {
        random_model_options kind = {.average = random_below(&r, 4) > 0,
                                     .fractions = random_below(&r, 3) == 0,
                                     .small = random_below(&r, 2),
                                     .varied = random_below(&r, 4) > 0,
                                     .extreme = random_below(&r, 6) == 0};
        temper_model *m = random_model(source, &r, &kind);
        if (!m) continue;
        size_t longest = m->letters.count == 2 && k % 4 == 0 ? LONGEST : 3;
        bool ok = test_model(&sharp, source, m, longest);
        temper_soften_options o = {.length = k % 32 ? 3 + random_below(&r, 5) : 19, .gap = TEMPER_GAP_PROVED};
        o.method = random_below(&r, 2) ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS;
        ok = ok && test_errors(&sums[0], source, m, &o, &r);
        o = (temper_soften_options){.method = o.method, .length = 4, .gap = TEMPER_GAP_EXHAUSTIVE};
        if (k % 3 == 0 && ok) ok = test_errors(&sums[1], source, m, &o, &r);
        o = (temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE, .length = 4, .adaptive = 1};
        if (k % 3 == 1 && ok) test_errors(&sums[2], source, m, &o, &r);
        temper_model_free(m);
    }
    for (size_t k = 0; k < models; k++) { /* numbers of all sizes: facts only */
        wild_model_text(source, &r, k % 2 ? 8 : 300);
        temper_model *m = model_from(source);
        if (m && m->letters.count < 12) test_model(&sharp, source, m, m->letters.count == 2 ? 4 : 3);
        temper_model_free(m);
    }
    static const char *const what[] = {"proved", "exhaustive", "adaptive"};
    printf("facts: %zu heads with gaps, %zu proved exactly; %zu tieless, %zu proved\n", sharp.heads, sharp.exact,
           sharp.tieless, sharp.proved_tieless);
    for (int k = 0; k < 3; k++)
        printf("errors, %s: %zu models, %zu refused, %zu strings (%zu untold), largest error/bound of a head %.3g\n",
               what[k], sums[k].proved, sums[k].refused, sums[k].strings, sums[k].untold, sums[k].worst);
    CHECK(sums[0].proved > models / 10, "only %zu of %zu models were proved", sums[0].proved, models);
    return test_finish("t-facts");
}
