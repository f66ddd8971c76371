/* Certificates of models that were made to go wrong (wild_model.h). Whether a model is proved or not, the run in the
   number format is as near to the exact hard run as the recursion says, channel by channel, also with moved logits,
   and exact numbers are where the facts say; whatever is proved, the auditor finds the same certificate, and the
   runners give the hard answers. Models that were once proved wrongly stay here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/choice_proof.h"
#include "certify/choices_search.h"
#include "bound/choice_errors.h"
#include "number/number_type.h"
#include "run/exact_run.h"
#include "run/dense.h"
#include "wild_model.h"

enum { WORDS = 6, LONGEST = 300 };

typedef struct bench {
    trap trap;
    arena keep, one, scratch, run;
    test_random r;
    const char *source;
    const temper_model *m;
    temper_type which;
    const number_type *type;
    size_t length;
    uint64_t models, bounded, proofs, strings, probes;
    double tightest;
} bench;

static const char *show(const uint32_t *word, size_t n) {
    static char shown[100];
    size_t k = 0;
    for (; k < n && k < 80; k++) shown[k] = (char)('a' + word[k]);
    shown[k] = 0;
    return shown;
}

#define BLAME(b, what, word, n)                                                                                      \
    CHECK(false, "%s in %s, proved to %zu: %s\n%s", what, (b)->type->name, (b)->length, show(word, n), (b)->source)

/* ---- bounds ---- */

typedef struct last_channels {
    rational *x;
    size_t count;
    uint32_t layers;
} last_channels;

static void see_channels(void *context, uint32_t layer, int stage, const rational *x) {
    last_channels *l = context;
    if (stage != 2 || layer + 1 != l->layers) return;
    for (size_t k = 0; k < l->count; k++) rational_set(&l->x[k], &x[k]);
}

static bool is_near(bench *b, double stored, const rational *exact, const ball *bound, rational *t) {
    if (!isfinite(stored)) return false;
    rational_set_double(t, stored);
    rational_sub(t, t, exact);
    rational_abs(t, t);
    double off = rational_above(t), most = ball_upper(bound);
    if (most > 0 && off / most > b->tightest) b->tightest = off / most;
    return off == 0 || off <= most * (1 + 1e-12);
}

static bool is_within(const rational *x, const known *k, rational *t) {
    rational_set_double(&t[0], k->lo);
    rational_set_double(&t[1], k->hi);
    return rational_cmp(&t[0], x) <= 0 && rational_cmp(x, &t[1]) <= 0;
}

/* The runners of f64 and f32 show no channels, but a read-out tells on which side of a number one is: both sides of
   what it can be. Channel 0 is 1 everywhere in wild models. */
static void probe(bench *b, const uint32_t *word, size_t n, size_t i, uint32_t channel, double exact, double off) {
    static char source[RANDOM_MODEL_TEXT + 100];
    double u = b->which == TEMPER_TYPE_F32 ? 0x1p-24 : 0x1p-53, room = off * 1.001 + 8 * u * (fabs(exact) + off + 1);
    const char *end = strstr(b->source, "\nread");
    if (channel == 0 || !end || !(fabs(exact) + off < 0x1p60)) return;
    for (int side = 0; side < 2; side++) {
        temper_run_options o = {.type = b->which, .unchecked = 1, .threads = 1};
        temper_run *run;
        temper_error err;
        snprintf(source, sizeof source, "%.*s\nread 0:%a %u:1\n", (int)(end - b->source), b->source,
                 0.5 - (side ? exact + room : exact - room), channel);
        temper_model *m = model_from(source);
        temper_status status = m ? temper_model_run(&run, m, word, n, &o, &err) : TEMPER_UNSUPPORTED;
        CHECK(status == TEMPER_OK || status == TEMPER_UNSUPPORTED, "%s\n%s", err.text, source);
        if (status == TEMPER_OK) {
            CHECK(temper_run_about(run).truth[i] == !side,
                  "channel %u at %zu of %s by the runner of %s is not %.17g within %.3g\n%s", channel, i,
                  show(word, n), b->type->name, exact, off, b->source);
            temper_run_free(run);
            b->probes++;
        }
        temper_model_free(m);
    }
}

static void check_bounds(bench *b, const recursion *r, const uint32_t *word, size_t n, uint64_t shake) {
    const temper_model *m = b->m;
    arena_reset(&b->one);
    arena_reset(&b->run);
    rational_pool pool;
    rational_pool_init(&pool, &b->run);
    size_t size = n + 1 + m->has_end;
    rational *t = rational_array(&pool, 2);
    last_channels last = {rational_array(&pool, size * m->channel_count), size * m->channel_count, m->layer_count};
    exact_observer observer = {.context = &last, .channels = see_channels};
    exact_run(m, word, n, &observer, &pool, &b->one);
    arena_reset(&b->one);
    dense_setting setting = {.storage = b->type->storage, .accumulation = b->type->accumulation, .shake = shake};
    dense_answer soft;
    dense_run(&soft, m, word, n, &setting, &b->run, &b->one);
    b->strings++;
    if (soft.broken) {
        BLAME(b, "overflow", word, n);
        return;
    }
    for (size_t k = 0; k < size * m->channel_count; k++) {
        uint32_t c = (uint32_t)(k % m->channel_count);
        if (!CHECK(is_within(&last.x[k], &r->f->all->after[c], t), "channel %u at %zu of %s is %.17g\n%s", c,
                   k / m->channel_count, show(word, n), rational_to_double(&last.x[k]), b->source))
            return;
        if (!CHECK(is_near(b, soft.x[k], &last.x[k], &r->channels[c], t),
                   "channel %u at %zu of %s in %s (to %zu) is %.17g, not %.17g within %.3g\n%s", c,
                   k / m->channel_count, show(word, n), b->type->name, b->length, soft.x[k],
                   rational_to_double(&last.x[k]), ball_upper(&r->channels[c]), b->source))
            return;
    }
    if (number_type_is_emulated(b->which)) return;
    uint32_t c = (uint32_t)random_below(&b->r, m->channel_count);
    size_t i = random_below(&b->r, size);
    probe(b, word, n, i, c, rational_to_double(&last.x[i * m->channel_count + c]), ball_upper(&r->channels[c]));
}

static void random_letters(bench *b, uint32_t *word, size_t n) {
    size_t letters = b->m->letters.count;
    for (size_t i = 0; i < n; i++)
        word[i] = i && random_below(&b->r, 3) == 0 ? word[i - 1] : (uint32_t)random_below(&b->r, letters);
}

/* Facts and the recursion, length by length. */
static void try_bounds(bench *b) {
    temper_error err;
    arena_reset(&b->keep);
    if (trap_set(&b->trap, &err)) return; /* beyond a limit */
    certification c = {.model = b->m,
                       .options = {.length = b->length, .type = b->which},
                       .type = b->type,
                       .ascending = number_type_is_emulated(b->which),
                       .arena = &b->keep,
                       .trap = &b->trap};
    hard_facts *f = arena_zalloc(&b->keep, 1, sizeof *f);
    recursion *r = arena_zalloc(&b->keep, 1, sizeof *r);
    hard_facts_find(f, &c, hard_facts_by_strings(b->m, b->length), &b->keep, &b->scratch);
    if (!recursion_begin(r, f, b->type, c.ascending, &b->keep, &b->scratch)) return;
    uint32_t word[LONGEST];
    for (size_t n = 0; n <= b->length; n++) {
        recursion_run(r, n);
        if (r->too_large) return;
        b->bounded += n == b->length;
        for (int k = 0; k < WORDS; k++) {
            random_letters(b, word, n);
            check_bounds(b, r, word, n, k % 2 ? random_u64(&b->r) | 1 : 0);
        }
    }
}

/* ---- proofs ---- */

static void check_answers(bench *b, const uint32_t *word, size_t n, bool everywhere) {
    temper_run *exact, *run;
    temper_error err;
    temper_run_options hard = {.type = TEMPER_TYPE_EXACT, .hard = 1}, o = {.type = b->which, .unchecked = 1};
    o.threads = hard.threads = 1;
    if (!CHECK(temper_model_run(&exact, b->m, word, n, &hard, &err) == TEMPER_OK, "%s", err.text)) return;
    b->strings++;
    for (int dense = 0; dense <= (b->which == TEMPER_TYPE_F64); dense++) {
        o.dense = dense;
        temper_status status = temper_model_run(&run, b->m, word, n, &o, &err);
        if (status == TEMPER_UNSUPPORTED) continue; /* no plan in f32 */
        if (status != TEMPER_OK) {
            BLAME(b, err.text, word, n);
            continue;
        }
        bool same = temper_run_about(run).accept == temper_run_about(exact).accept;
        for (size_t i = 1; everywhere && i <= n; i++)
            same = same && temper_run_about(run).truth[i] == temper_run_about(exact).truth[i];
        if (!same) BLAME(b, "PROVED AND WRONG", word, n);
        temper_run_free(run);
    }
    temper_run_free(exact);
}

static bool try_proof(bench *b) {
    temper_certify_options o = {.length = b->length, .type = b->which};
    temper_certificate *c;
    temper_error err;
    size_t size = strlen(b->source), length;
    char *json;
    if (!CHECK(temper_certify(&c, b->m, b->source, size, &o, &err) == TEMPER_OK, "%s\n%s", err.text, b->source))
        return false;
    bool proved = temper_certificate_about(c).verdict == TEMPER_PROVED;
    if (!proved) {
        temper_certificate_free(c);
        return false;
    }
    b->proofs++;
    uint32_t word[LONGEST];
    if (CHECK(temper_certificate_print(&json, &length, c, &err) == TEMPER_OK, "%s", err.text)) {
        bool everywhere = strstr(json, "\"positions\": \"every\"") != NULL;
        CHECK(temper_audit(json, length, b->source, size, NULL, &err) == TEMPER_OK, "in %s to %zu: audit: %s\n%s",
              b->type->name, b->length, err.text, b->source);
        temper_free(json);
        for (int k = 0; k < 3 * WORDS; k++) {
            size_t n = k % 3 ? random_below(&b->r, b->length + 1) : b->length;
            random_letters(b, word, n);
            check_answers(b, word, n, everywhere);
        }
    }
    temper_certificate_free(c);
    return true;
}

static void test_wild(bench *b) {
    static char source[RANDOM_MODEL_TEXT];
    double models = 150 * test_effort();
    for (b->models = 0; (double)b->models < models; b->models++) {
        do b->which = (temper_type)random_below(&b->r, 3 * TEMPER_TYPE_BF16_F64);
        while (b->which == TEMPER_TYPE_EXACT);
        if (b->which > TEMPER_TYPE_BF16_F64) b->which = b->which % 2 ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64;
        b->type = number_type_of(b->which);
        int reach;
        (void)frexp(random_below(&b->r, 2) ? b->type->storage->largest : 1 / b->type->storage->least, &reach);
        wild_model_text(source, &b->r, reach > 1023 ? 1023 : reach);
        temper_model *m = model_from(source);
        if (!m) continue;
        b->source = source;
        b->m = m;
        b->length = m->letters.count > 12 ? 1 + random_below(&b->r, 3) : 1 + random_below(&b->r, 5);
        if (random_below(&b->r, 16) == 0) b->length = 1 + random_below(&b->r, 20);
        try_bounds(b);
        if (random_below(&b->r, 2)) try_proof(b);
        temper_model_free(m);
    }
    printf(
        "%llu models, %llu with bounds at every length, %llu proofs, %llu strings, %llu probes of runners, largest "
        "error over its bound %.3g\n",
        (unsigned long long)b->models, (unsigned long long)b->bounded, (unsigned long long)b->proofs,
        (unsigned long long)b->strings, (unsigned long long)b->probes, b->tightest);
    CHECK(test_effort() < 1 || b->proofs > 10, "only %llu proofs", (unsigned long long)b->proofs);
}

/* ---- models that were once proved wrongly, or whose certificates the auditor once refused ---- */

#define BEGIN                                                                                                        \
    "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nchannel 0 \"one\" position \"1\"\nchannel 1 "         \
    "\"a\"\nchannel 2 "                                                                                              \
    "\"x\"\nchannel 3 \"out\"\nchannel 4 \"i\" soft \"i\"\nembed \"a\" 1:1 2:1\nembed \"b\"\nembed start\nembed "    \
    "end\n"

static void test_known(bench *b) {
    static const struct {
        const char *what, *source;
        temper_type type;
        size_t length;
        bool proved;
    } cases[] = {
        {"a channel that is taken away twice is not empty",
         BEGIN
         "layer 1\nunit 0 2:1 -> 2:-1\nunit 0 2:1 -> 2:-1\nlayer 2\nhead \"h\" mask j<=i choice softmax for average "
         "scale \"ln(N) + 8\"\n query 0:1\n key 2:-1\n value 1:1\n output 3:1\nread 3:1\n",
         TEMPER_TYPE_F64, 6, true},
        {"a scale divided by a small gap overflows",
         BEGIN "layer 1\nhead \"h\" mask j<=i choice softmax for average adaptive \"16\"\n query 0:0x1p-13\n key "
               "1:1\n value "
               "1:1\n output 3:1\nread 3:1\n",
         TEMPER_TYPE_F16, 4, false},
        {"the same where it does not",
         BEGIN "layer 1\nhead \"h\" mask j<=i choice softmax for average adaptive \"16\"\n query 0:0x1p-3\n key "
               "1:1\n value "
               "1:1\n output 3:1\nread 3:1\n",
         TEMPER_TYPE_F16, 4, true},
        {"a remainder by a negative number is not negative, in tiles neither",
         "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nchannel 0 \"m\" position \"-i % -3\"\nchannel 1 "
         "\"out\"\n"
         "embed \"a\"\nembed \"b\"\nembed start\nembed end\nlayer 1\nhead \"h\" mask j>=i choice softmax for "
         "average\n value "
         "0:1\n output 1:1\nread 0:1\n",
         TEMPER_TYPE_F64, 6, true},
        {"the last key of a tie-break has no room, and needs none",
         BEGIN "layer 1\nhead \"h\" mask all choice softmax for rightmost scale \"30*0x1p-14\"\n query 0:1\n key "
               "4:0x1p+14\n value "
               "1:1\n output 3:1\nread 0:0.25 3:0.125\n",
         TEMPER_TYPE_F16_F32, 2, true},
        {"logits that tie within less than balls can tell",
         BEGIN
         "layer 1\nhead \"h\" mask all choice softmax for average scale \"0x1p+524\"\n query 1:0.1\n query 1:-0.1\n "
         "key 2:0x1p-1000\n key 2:0x1p-1000\n value 0:1\n output 3:1\nread 3:1\n",
         TEMPER_TYPE_F64, 4, true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        temper_model *m = model_from(cases[k].source);
        b->source = cases[k].source;
        b->m = m;
        b->which = cases[k].type;
        b->type = number_type_of(b->which);
        b->length = cases[k].length;
        if (m) CHECK(try_proof(b) == cases[k].proved, "%s: %s\n%s", cases[k].what, b->type->name, b->source);
        temper_model_free(m);
    }
}

/* A thousand products of a scale with the least numbers, each rounded up by a third, and huge keys: the dense kernel
   of f32, which is used where queries differ, moves equal logits apart by more than all other roundings. */
static void test_tiny_queries(bench *b) {
    enum { ROWS = 64, TEXT = 100 * ROWS };
    char *source = malloc(TEXT), *p = source;
    if (!source) abort();
    p +=
        sprintf(p, "temper-model 1\nmethod temperature\nalphabet \"a\"\nchannel 0 \"one\" position \"1\"\n"
                   "channel 1 \"sign\" position \"1 - 2*(i %% 2)\"\nchannel 2 \"odd\" position \"i %% 2\"\n"
                   "channel 3 \"i\" position \"i\"\nchannel 4 \"out\"\nembed \"a\"\nembed start\nembed end\nlayer 1\n"
                   "head \"h\" mask all choice softmax for average scale \"0.75\"\n");
    for (int k = 1; k < ROWS; k++) p += sprintf(p, " query 0:0x1p-148\n");
    p += sprintf(p, " query 0:%a\n query 3:0x1p-149\n", -(ROWS - 1) * 0x1p-148);
    for (int k = 0; k < ROWS; k++) p += sprintf(p, " key 1:0x1p126\n");
    sprintf(p, " key 0:1\n value 2:1\n output 4:1\nread 0:0x1.6666666666666p-20 4:1\n");
    temper_model *m = model_from(source);
    b->source = source;
    b->m = m;
    b->which = TEMPER_TYPE_F32;
    b->type = number_type_of(b->which);
    b->length = 17;
    if (m) CHECK(!try_proof(b), "tiny queries are proved in f32");
    b->which = TEMPER_TYPE_F64; /* where they are not tiny */
    b->type = number_type_of(b->which);
    if (m) CHECK(try_proof(b), "queries that are not tiny are not proved");
    temper_model_free(m);
    free(source);
}

int main(void) {
    static bench b;
    b.r = test_seed(8801);
    arena_init(&b.keep, &b.trap);
    arena_init(&b.one, &b.trap);
    arena_init(&b.scratch, &b.trap);
    arena_init(&b.run, &b.trap);
    test_known(&b);
    test_tiny_queries(&b);
    test_wild(&b);
    arena_free(&b.keep);
    arena_free(&b.one);
    arena_free(&b.scratch);
    arena_free(&b.run);
    return test_finish("t-certify-wild");
}
