/* The auditor on feed-forward nets that are made by hand. Each condition is met just inside and just outside, in
   formats whose limits are near. What is accepted is computed a second way: unit by unit, as numbers, on every kind
   of letter, with inputs from heads as far off as they may be. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit_bench.h"

/* ---- what the units compute ---- */

/* A kind of letter: whether it is a, some a is up to here, some b is from here on. */
typedef struct letter {
    bool a, past, future;
} letter;

static double value_at(uint32_t channel, const letter *x) {
    switch (channel) {
    case BENCH_A: return x->a;
    case BENCH_B: return !x->a;
    case BENCH_ONE:
    case BENCH_REAL: return 1;
    case BENCH_RAW:
    case BENCH_PAST: return x->past;
    case BENCH_RAW_TOO:
    case BENCH_FUTURE: return x->future;
    default: return 0;
    }
}

static double value_at_edge(uint32_t channel, bool start, double raw) {
    switch (channel) {
    case BENCH_ONE: return 1;
    case BENCH_START: return start;
    case BENCH_END: return !start;
    case BENCH_RAW:
    case BENCH_RAW_TOO: return raw;
    default: return 0;
    }
}

/* What the net adds to the channel; on a letter, or on a sentinel if there is none, where outputs of heads are `raw`.
   `off` is what their errors add to a sum that reads them. */
static double added(const model_layer *l, uint32_t channel, const letter *x, bool start, double raw, double off) {
    double sum = 0;
    for (uint32_t u = 0; u < l->in.count; u++)
        for (uint32_t t = l->out.start[u]; t < l->out.start[u + 1]; t++) {
            double in = l->bias[u];
            bool reads = false;
            if (l->out.terms[t].channel != channel) continue;
            for (uint32_t k = l->in.start[u]; k < l->in.start[u + 1]; k++) {
                uint32_t c = l->in.terms[k].channel;
                in += l->in.terms[k].weight * (x ? value_at(c, x) : value_at_edge(c, start, raw));
                reads = reads || c == BENCH_RAW || c == BENCH_RAW_TOO;
            }
            sum += l->out.terms[t].weight * fmax(in + (reads ? off : 0), 0);
        }
    return sum;
}

/* The channel is exact and holds what the units add to it. */
static void check_meaning(audit_bench *b, uint32_t channel, const char *units) {
    const model_layer *l = &b->model->layers[0];
    const content *c = &b->a.channels[channel];
    diagram *d = &b->a.meaning.d;
    const content *of = b->a.channels;
    for (unsigned bits = 0; bits < 8; bits++) {
        letter x = {bits & 1, bits & 2, bits & 4};
        dd cube = of[x.a ? BENCH_A : BENCH_B].letters;
        cube = dd_and(d, cube, x.past ? of[BENCH_PAST].letters : dd_not(d, of[BENCH_PAST].letters));
        cube = dd_and(d, cube, x.future ? of[BENCH_FUTURE].letters : dd_not(d, of[BENCH_FUTURE].letters));
        for (int off = -1; off <= 1 && cube != 0; off++) {
            double truth = added(l, channel, &x, false, 0, off / 2.0);
            CHECK(dd_and(d, c->letters, cube) == (truth == 1 ? cube : 0) && (truth == 0 || truth == 1),
                  "%sadds %g to channel %u where bits are %u and sums are off by %g/2, and the auditor differs",
                  units, truth, channel, bits, (double)off);
        }
    }
    for (int raw = 0; raw <= 2; raw++) {
        double start = added(l, channel, NULL, true, raw / 2.0, raw / 4.0);
        double end = added(l, channel, NULL, false, raw / 2.0, raw / 4.0);
        CHECK(c->start == start && c->end == end, "%sadds %g and %g on sentinels, the auditor says %g and %g", units,
              start, end, c->start, c->end);
    }
}

/* ---- cases ---- */

typedef struct net_case {
    const char *units;
    const char *words; /* of the refusal; NULL: accepted */
    temper_type type;
} net_case;

#define F64      TEMPER_TYPE_F64
#define E4M3     TEMPER_TYPE_E4M3
#define E4M3_F32 TEMPER_TYPE_E4M3_F32
#define BF16     TEMPER_TYPE_BF16

#define RAMP     "unit -0x1.4p+1 3:2 6:2 -> 10:1\nunit -0x1.cp+1 3:2 6:2 -> 10:-1\n"
#define NINE(x)  x x x x x x x x x
#define EIGHT(x) x x x x x x x x

/* Formats: e4m3 has 4 digits, numbers from 2^-9 to 448. */
static const net_case CASES[] = {
    /* clearing */
    {"unit 0 6:1 -> 6:-1\n", NULL, F64},
    {"unit 0 6:1 -> 6:-1\nunit 0 6:-1 -> 6:1\n", NULL, F64},
    {"unit 0 6:-1 -> 6:1\n", "not cleared whole", F64},
    {"unit 0 6:1 -> 6:-1\nunit 0 6:1 -> 6:-1\n", "not cleared whole", F64},
    {"unit 0 6:1 -> 6:-1\nunit 0 6:-1 -> 6:1\nunit 0 6:-1 -> 6:1\n", "not cleared whole", F64},
    {"unit 0 6:2 -> 6:-2\n", "is not 0 before", F64},
    {"unit 0 0:1 -> 0:-1\nunit -1 0:1 2:1 -> 0:1\n", "different kinds", F64},
    {"unit 0 0:1 -> 0:-1\nunit -1 0:1 2:1 -> 0:1\nunit -1 0:1 3:1 -> 0:1\n", "different kinds", F64},
    {"unit -1 0:1 2:1 -> 0:1\n", "is not 0 before", F64},
    /* exact units */
    {"unit 0 0:1 -> 10:1\n", NULL, F64},
    {"unit 0 0:1 -> 10:2\n", "not always 0 or 1", F64},
    {"unit 1 0:-1 -> 10:1\n", NULL, F64},
    {"unit 1 3:-1 -> 10:1\n", NULL, F64}, /* 1 on both sentinels */
    {"unit 0 4:1 -> 10:1\n", NULL, F64},
    {"unit 0 5:1 -> 10:1\n", NULL, F64},
    {"unit 0 4:2 -> 10:1\n", "not always 0 or 1", F64},
    {"unit 0 5:2 -> 10:1\n", "not always 0 or 1", F64},
    {"unit 0 4:1 -> 10:-1\n", "not always 0 or 1", F64},
    {"unit 0 5:1 -> 10:-1\n", "not always 0 or 1", F64},
    {"unit 0 0:1 13:1 -> 10:1\nunit -1 0:1 13:1 -> 10:-1\n", NULL, F64},
    {"unit 0 0:1 13:1 -> 10:1\nunit -1 0:1 13:1 -> 10:-2\n", NULL, F64},
    {"unit 0 0:1 13:1 14:1 -> 10:1\nunit -1 0:1 13:1 14:1 -> 10:-2\nunit -2 0:1 13:1 14:1 -> 10:2\n", NULL, F64},
    {"unit -1 0:1 13:1 14:1 -> 10:-2\nunit 0 0:1 13:1 14:1 -> 10:1\nunit -2 0:1 13:1 14:1 -> 10:2\n", NULL, F64},
    {"unit -1 0:1 13:1 -> 10:1\nunit -1 2:1 14:1 -> 10:1\n", NULL, F64},
    {"unit -1 0:1 14:1 -> 10:1\nunit -1 2:1 14:1 -> 10:1\nunit -2 0:1 2:1 14:1 -> 10:1\n", NULL, F64},
    {"unit 0 0:1 -> 10:1 11:1\nunit 0 2:1 -> 11:1 12:1\n", NULL, F64},
    {"unit 0 13:1 -> 11:1\nunit 0 0:1 -> 10:1\nunit 0 14:1 -> 12:1\n", NULL, F64},
    {"unit -15 0:1 -> 10:1\n", NULL, E4M3}, /* 16 is the last sum of ones */
    {"unit -15 0:1 1:1 -> 10:1\n", "the sum of unit 1 may be rounded", E4M3},
    {"unit 1 0:16 2:-2 -> 10:1\n", "the sum of unit 1 may be rounded", E4M3}, /* the bias has the finest grid */
    {"unit 0 0:-16 2:-2 -> 10:1\n", NULL, E4M3},
    {"unit -8 0:16 2:-3 -> 10:1\n", "the sum of unit 1 may be rounded", E4M3},
    {"unit -8 0:-3 2:-16 -> 10:1\n", "the sum of unit 1 may be rounded", E4M3},
    {"unit 0 0:1 -> 10:1\nunit -15 0:1 1:1 -> 10:1\n", "the sum of unit 2 may be rounded", E4M3},
    {"unit -15 0:1 1:1 -> 10:1\nunit 0 0:1 -> 10:1\n", "the sum of unit 1 may be rounded", E4M3},
    {"unit -384 0:64 -> 10:1\n", NULL, E4M3},
    {"unit -448 0:32 -> 10:1\n", "the sum of unit 1 may overflow", E4M3},
    {"unit -448 0:32 -> 10:1\n", "the sum of unit 1 may overflow", E4M3_F32},
    {"unit -224 0:-32 -> 10:2\n", "what units add to channel 10 may be rounded", E4M3},
    {"unit -224 0:-32 -> 10:2\n", NULL, E4M3_F32},
    {"unit 0 0:-0x1p-9 -> 10:1\n", NULL, E4M3},
    {"unit 0 0:-0x1p-9 -> 10:0x1p-1\n", "what units add to channel 10 may be rounded", E4M3},
    {EIGHT("unit 0 0:1 -> 10:1\n") EIGHT("unit 0 0:1 -> 10:-1\n"), NULL, E4M3},
    {NINE("unit 0 0:1 -> 10:1\n") EIGHT("unit 0 0:1 -> 10:-1\n"), "what units add to channel 10 may be", E4M3},
    {NINE("unit 0 0:1 -> 10:1\n") EIGHT("unit 0 0:1 -> 10:-1\n"), NULL, E4M3_F32},
    {"unit -0x1p51 0:0x1p51 -> 10:1\n", NULL, F64},
    {"unit -0x1p51 0:-0x1p51 -> 10:1\nunit 0 0:1 -> 10:1\n", "what units add to channel 10 may be rounded", F64},
    {"unit -0x1p52 0:-1 -> 10:1\n", "too large together", F64},
    {"unit 0x1.1p0 0:-0x1.1p0 3:-0x1.1p0 -> 10:1\n", "no number of the storage format", E4M3},
    {"unit 0x1.1p0 0:-1 3:-1 -> 10:1\n", "no number of the storage format", E4M3},
    {"unit 0 0:-1 -> 10:0x1.1p0\n", "no number of the storage format", E4M3},
    /* ramps */
    {RAMP, NULL, F64},
    {RAMP, NULL, BF16},
    {RAMP "unit 0 6:1 -> 6:-1\n", NULL, F64},
    {"unit -0x1.4p+1 3:2 6:2 -> 10:1\nunit -0x1.cp+1 3:2 6:2 -> 11:-1\n", "has no partner", F64},
    {"unit -0x1.4p+1 3:2 6:2 -> 10:1\nunit -0x1.8p+1 3:2 6:2 -> 10:-1\n", "make no ramp", F64},
    {"unit -0x1.4p+1 3:2 6:2 -> 10:1\nunit -0x1.cp+1 3:2 7:2 -> 10:-1\n", "make no ramp", F64},
    {"unit -0x1.4p+1 3:2 6:2 -> 10:1\nunit -0x1.cp+1 3:2 6:4 -> 10:-1\n", "make no ramp", F64},
    {"unit -0x1.4p+1 3:2 6:2 -> 10:1\nunit -0x1.cp+1 3:2 6:2 7:2 -> 10:-1\n", "make no ramp", F64},
    {"unit -0x1.4p+1 3:2 6:2 -> 10:2\nunit -0x1.cp+1 3:2 6:2 -> 10:-2\n", "make no ramp", F64},
    {"unit -0x1.cp+1 3:2 6:2 -> 10:-1\nunit -0x1.4p+1 3:2 6:2 -> 10:1\n", NULL, F64},
    {"unit -0x1.4p+1 6:2 -> 10:1\nunit -0x1.cp+1 6:2 -> 10:-1\n", NULL, F64}, /* never open */
    {"unit -2 3:2 6:2 -> 10:1\nunit -3 3:2 6:2 -> 10:-1\n", "their gate may open on a sentinel", F64},
    {"unit -0x1.4p+1 1:1 6:2 -> 10:1\nunit -0x1.cp+1 1:1 6:2 -> 10:-1\n", "may open on a sentinel", F64},
    {"unit -0x1.4p+1 3:2 4:1 6:2 -> 10:1\nunit -0x1.cp+1 3:2 4:1 6:2 -> 10:-1\n", "may open on a sentinel", F64},
    {"unit -0x1.4p+1 3:2 5:1 6:2 -> 10:1\nunit -0x1.cp+1 3:2 5:1 6:2 -> 10:-1\n", "may open on a sentinel", F64},
    {"unit -3 3:2 6:2 -> 10:1\nunit -4 3:2 6:2 -> 10:-1\n", "comes too near to the threshold", F64},
    {"unit -0x1.4p+1 3:0x1p-1 6:3 -> 10:1\nunit -0x1.cp+1 3:0x1p-1 6:3 -> 10:-1\n", "may open on a sentinel", F64},
    {"unit -0x1.cp+1 3:1 6:3 -> 10:1\nunit -0x1.2p+2 3:1 6:3 -> 10:-1\n", "comes too near to the threshold", F64},
    {"unit 0 1:-1 4:-8 5:-8 6:4 -> 10:1\nunit -1 1:-1 4:-8 5:-8 6:4 -> 10:-1\n", "a bias that no ramp has", F64},
    {"unit -0x1p-1 1:-1 4:-8 5:-8 6:4 -> 10:1\nunit -0x1.8p0 1:-1 4:-8 5:-8 6:4 -> 10:-1\n", NULL, F64},
    {"unit -0x1.2p+2 3:0x1.4p1 6:0x1.4p1 7:1 -> 10:1\nunit -0x1.6p+2 3:0x1.4p1 6:0x1.4p1 7:1 -> 10:-1\n",
     "comes too near to the threshold", F64},
    {"unit -0x1.4p+1 3:0x1.ap1 6:0x1.4p0 -> 10:1\nunit -0x1.cp+1 3:0x1.ap1 6:0x1.4p0 -> 10:-1\n",
     "comes too near to the threshold", F64},
    {"unit -0x1.4p+2 3:0x1.4p+1 6:0x1.2p+2 -> 10:1\nunit -0x1.8p+2 3:0x1.4p+1 6:0x1.2p+2 -> 10:-1\n",
     "with a weight that is not whole", F64},
    {"unit -0x1.4p+2 3:0x1.2p+1 6:5 -> 10:1\nunit -0x1.8p+2 3:0x1.2p+1 6:5 -> 10:-1\n", "may open on a sentinel",
     F64},
    {"unit -6 3:0x1.2p+1 6:6 -> 10:1\nunit -7 3:0x1.2p+1 6:6 -> 10:-1\n", "may open on a sentinel", F64},
    {"unit -7 3:0x1.2p+1 6:6 -> 10:1\nunit -8 3:0x1.2p+1 6:6 -> 10:-1\n", "comes too near to the threshold", F64},
    {"unit -7 3:0x1.6p+1 6:6 -> 10:1\nunit -8 3:0x1.6p+1 6:6 -> 10:-1\n", "a weight that no ramp has", F64},
    {RAMP "unit -0x1.4p+1 3:2 7:2 -> 11:1\nunit -0x1.cp+1 3:2 7:2 -> 11:-1\n", NULL, F64},
    {RAMP "unit -0x1.2p+2 0:2 3:4 7:-2 -> 10:1\nunit -0x1.6p+2 0:2 3:4 7:-2 -> 10:-1\n", "not always 0 or 1", F64},
    {"unit -0x1.4p+1 3:2 6:2 -> 10:1 11:1\nunit -0x1.cp+1 3:2 6:2 -> 10:-1\n", "more than one channel", F64},
    /* two ramps of different sums, one taken from the other */
    {"unit -0x1.4p+1 3:2 6:2 -> 10:1\nunit -0x1.cp+1 3:2 6:2 -> 10:-1\n"
     "unit -0x1.2p+2 3:2 6:2 7:2 -> 10:-1\nunit -0x1.6p+2 3:2 6:2 7:2 -> 10:1\n",
     "the difference of several ramps", F64},
    {"unit -0x1.4p+1 3:2 6:2 -> 10:-1\nunit -0x1.cp+1 3:2 6:2 -> 10:1\n", "the difference of several ramps", F64},
    {"unit 0 6:1 9:1 -> 10:1\n", "reads things of different kinds", F64},
    /* own parts: of a/(i + 1) */
    {"unit 0 0:1 3:-1 9:1 -> 10:1\n", NULL, F64},
    {"unit 0 0:1 3:-1 9:1 -> 10:-3\nunit 0 2:1 3:-1 9:1 -> 10:2\n", NULL, F64},
    {"unit 0 0:1 3:-1 9:1 -> 10:0x1p-1\n", "no own part", F64},
    {"unit 0 0:1 3:-1 9:-1 -> 10:1\n", "no own part", F64},
    {"unit 0 3:-2 9:1 -> 10:1\n", "no own part", F64},
    {"unit 0 3:1 9:1 -> 10:1\n", "no own part", F64},
    {"unit 0 0:1 3:-1 9:2 -> 10:1\n", "adds things of a kind", F64},
    {"unit 0 0:0x1p-1 3:-1 9:1 -> 10:1\n", "a weight that is not whole", F64},
    {"unit -1 0:1 9:1 -> 10:1\n", "has a bias", F64},
    {"unit 0 0:1 3:-1 4:-1 9:1 -> 10:1\n", "adds too much to be an own part", F64},
    {"unit 0 3:-1 4:-1 9:1 -> 10:1\n", NULL, F64},
    {"unit 0 3:-1 4:1 9:1 -> 10:1\n", "more on a sentinel", F64},
    {"unit 0 3:-1 5:1 9:1 -> 10:1\n", "more on a sentinel", F64},
    {"unit 0 3:-1 9:1 -> 10:208\nunit 0 0:-1 9:1 -> 10:-16\n", NULL, E4M3},
    {"unit 0 3:-1 9:1 -> 10:208\nunit 0 0:-1 9:1 -> 10:-16\nunit 0 2:-1 9:1 -> 10:1\n", "may overflow", E4M3},
    {"unit 0 3:-1 9:1 -> 10:0x1p52\n", NULL, F64},
    {"unit 0 3:-1 9:1 -> 10:0x1p52\nunit 0 0:-1 9:1 -> 10:1\n", "may overflow", F64},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static bool is_written(const model_layer *l, uint32_t channel) {
    for (uint32_t t = 0; t < l->out.start[l->out.count]; t++)
        if (l->out.terms[t].channel == channel) return true;
    return false;
}

static void check_case(const net_case *x) {
    audit_bench b;
    if (bench_begin(&b, x->units, NULL, x->type, 20)) {
        const char *why = bench_units(&b);
        CHECK(x->words ? why && strstr(why, x->words) : !why, "%sin %s: %s, not %s", x->units,
              temper_type_name(x->type), why ? why : "accepted", x->words ? x->words : "accepted");
        for (uint32_t c = BENCH_FREE; !why && c < BENCH_FREE + 3; c++)
            if (is_written(&b.model->layers[0], c) && b.a.channels[c].kind == HOLDS_EXACT)
                check_meaning(&b, c, x->units);
        if (!why && is_written(&b.model->layers[0], BENCH_RAW))
            CHECK(contents_are_zero(&b.a.channels[BENCH_RAW]), "%s: the channel is cleared", x->units);
    }
    bench_free(&b);
}

/* ---- what is noted of ramps ---- */

typedef struct ramp_case {
    const char *units;
    double size, reach;
    uint32_t terms, raws;
    bool alone, plain, paired;
} ramp_case;

#define TWICE(bias, next, in) "unit " bias " " in " -> 10:1\nunit " next " " in " -> 10:-1\n"

static const ramp_case RAMPS[] = {
    {TWICE("-0x1.4p+1", "-0x1.cp+1", "3:2 6:2"), 8, 2, 2, 1, true, true, false},
    {TWICE("-0x1.4p+1", "-0x1.cp+1", "6:2"), 6, 0, 1, 1, true, true, false},
    {TWICE("-0x1.4p+1", "-0x1.cp+1", "4:-2 5:-2 6:4"), 12.5, 2.5, 3, 1, false, false, false},
    {TWICE("-0x1.2p+2", "-0x1.6p+2", "3:4 6:2"), 12, 2, 2, 1, true, false, false},
    {TWICE("-0x1p-1", "-0x1.8p0", "3:2 6:-2"), 6, 1.5, 2, 1, false, false, false},
    {TWICE("-0x1.4p+1", "-0x1.cp+1", "0:-2 3:2 6:2"), 10, 2, 3, 1, true, false, false},
    {TWICE("-0x1.4p+1", "-0x1.cp+1", "4:-1 5:-1 6:2"), 8, 0, 3, 1, true, false, false},
    {TWICE("-0x1.4p+1", "-0x1.cp+1", "3:0x1p-1 4:-1 6:2 13:0x1.8p0"), 9, 2, 4, 1, true, false, false},
    {TWICE("-0x1.2p+2", "-0x1.6p+2", "3:2 6:2 7:2"), 12.5, 2.5, 3, 2, false, false, false},
    {TWICE("-0x1.4p+1", "-0x1.cp+1", "3:4 6:2"), 10, 4, 2, 1, true, false, false},
    {TWICE("-0x1.4p+1", "-0x1.cp+1", "6:2 13:4"), 10, 4, 2, 1, true, false, false},
    {TWICE("-0x1.4p+1", "-0x1.cp+1", "6:2 13:2"), 8, 2, 2, 1, true, true, false},
    {TWICE("-0x1.4p+1", "-0x1.cp+1", "0:2 6:2"), 8, 2, 2, 1, true, true, false},
};

static void check_ramp(const ramp_case *x) {
    audit_bench b;
    if (bench_begin(&b, x->units, NULL, F64, 20)) {
        const char *why = bench_units(&b);
        const ramp_facts *r = b.a.ramps;
        const layer_facts *l = b.a.layers;
        CHECK(!why && b.a.ramp_count == 1 && l->ramp_count == 1 && l->first_ramp == 0, "%s: %s", x->units,
              why ? why : "ramps");
        if (!why)
            CHECK(r->size == x->size && r->reach == x->reach && r->terms == x->terms && r->raw_count == x->raws &&
                      l->raw == x->raws && r->alone == x->alone && r->plain == x->plain && r->paired == x->paired &&
                      r->layer == 1 && r->raw_head[0] == 0 && (x->raws < 2 || r->raw_head[1] == 1) &&
                      (r->raw_weight[0] == 2 || r->raw_weight[0] == 4),
                  "%sis noted with size %g, reach %g, %u terms, %u from heads%s%s%s", x->units, r->size, r->reach,
                  r->terms, r->raw_count, r->alone ? ", alone" : "", r->plain ? ", plain" : "",
                  r->paired ? ", paired" : "");
    }
    bench_free(&b);
}

/* An exclusive or, with its four units in every order: those of one ramp must stand together. */
static void check_orders(void) {
    static const char *const units[4] = {
        "unit -0x1.2p+2 3:4 6:2 7:2 -> 10:1\n", "unit -0x1.6p+2 3:4 6:2 7:2 -> 10:-1\n",
        "unit -0x1.ap+2 3:4 6:2 7:2 -> 10:-1\n", "unit -0x1.ep+2 3:4 6:2 7:2 -> 10:1\n"};
    for (unsigned order = 0; order < 256; order++) {
        unsigned at[4] = {order & 3, order >> 2 & 3, order >> 4 & 3, order >> 6};
        char all[400];
        audit_bench b;
        if ((1u << at[0] | 1u << at[1] | 1u << at[2] | 1u << at[3]) != 15) continue;
        snprintf(all, sizeof all, "%s%s%s%s", units[at[0]], units[at[1]], units[at[2]], units[at[3]]);
        if (bench_begin(&b, all, NULL, F64, 20)) {
            const char *why = bench_units(&b);
            bool together = at[0] / 2 == at[1] / 2;
            CHECK(together ? !why : why && strstr(why, "the difference of several"), "%s%s", all,
                  why ? why : "accepted");
            if (!why) {
                check_meaning(&b, BENCH_FREE, all);
                CHECK(b.a.ramp_count == 2 && b.a.ramps[0].paired && b.a.ramps[1].paired && b.a.layers[0].raw == 2,
                      "%s: two ramps", all);
            }
        }
        bench_free(&b);
    }
}

/* ---- totals that are copied to the start ---- */

typedef struct copy_case {
    const char *units;
    double weight; /* of the mean */
    const char *words;
    temper_type type;
    bool negative, past; /* the mean may be below 0; it is over j <= i */
} copy_case;

#define COPY(k) "unit 0 3:-" k " 5:-" k " 8:1 -> 10:1\nunit 0 3:-" k " 5:-" k " 8:-1 -> 10:-1\n"

static const copy_case COPIES[] = {
    {COPY("16"), 8, NULL, F64, true, false},
    {COPY("16") "unit 0 0:1 -> 11:1\n", 8, NULL, F64, true, false},
    {COPY("16"), 8, "does not copy a total to the start alone", F64, true, true},
    {COPY("15"), 8, "does not copy a total to the start alone", F64, true, false},
    {COPY("16"), 0x1.0000000000001p3, "does not copy a total to the start alone", F64, true, false},
    {"unit 0 3:-16 5:-15 8:1 -> 10:1\n", 8, "does not copy a total to the start alone", F64, false, false},
    {"unit 0 3:-15 5:-16 8:1 -> 10:1\n", 8, "does not copy a total to the start alone", F64, false, false},
    {"unit 0 3:-16 5:-16 8:1 -> 10:1\n", 8, NULL, F64, false, false},
    {"unit 0 3:-16 5:-16 8:1 -> 10:1\n", 8, "half a copy", F64, true, false},
    {"unit 0 3:-16 5:-16 8:1 -> 10:-1\n", 8, "does not copy a total to the start alone", F64, false, false},
    {"unit 0 3:-16 5:-16 8:-1 -> 10:-1\n", 8, "half a copy", F64, false, false},
    {"unit 0 1:-16 8:1 -> 10:1\n", 8, "adds something to a total", F64, false, false},
    {"unit 0 0:1 3:-16 5:-16 8:1 -> 10:1\n", 8, "adds something to a total", F64, false, false},
    {"unit 0 0:-16 2:-16 5:-16 8:1 -> 10:1\n", 8, "adds too much to be a copy of a total", F64, false, false},
    {"unit 0 0:-16 5:-16 8:1 -> 10:1\n", 8, "does not copy a total to the start alone", F64, false, false},
    {COPY("16") "unit 0 3:-16 5:-16 8:1 -> 10:1\n", 8, "no copy of a total", F64, true, false},
    {"unit 0 3:-96 5:-96 8:1 -> 10:1\n", 32, NULL, E4M3, false, false}, /* 224 is half of 448 */
    {"unit 0 3:-96 5:-96 8:1 -> 10:1\n", 33, "the sum of unit 1 may overflow", E4M3, false, false},
    {"unit 0 3:-96 5:-104 8:1 -> 10:1\n", 32, "the sum of unit 1 may overflow", E4M3, false, false},
    {"unit 0 3:-96 5:-96 8:1 -> 10:1\n", 33, "the sum of unit 1 may overflow", E4M3_F32, false, false},
};

static void check_copy(const copy_case *x) {
    audit_bench b;
    if (bench_begin(&b, x->units, NULL, x->type, 20)) {
        content *mean = &b.a.channels[BENCH_MEAN], *copy = &b.a.channels[BENCH_FREE];
        mean->weight = x->weight;
        mean->not_negative = !x->negative;
        if (x->past) mean->mask = TEMPER_MASK_UP_TO;
        const char *why = bench_units(&b);
        CHECK(x->words ? why && strstr(why, x->words) : !why, "%s of weight %g in %s: %s, not %s", x->units,
              x->weight, temper_type_name(x->type), why ? why : "accepted", x->words ? x->words : "accepted");
        if (!why)
            CHECK(copy->kind == HOLDS_COPY && copy->letters == mean->letters && copy->weight == x->weight &&
                      !copy->not_negative,
                  "%s: the copy", x->units);
    }
    bench_free(&b);
}

/* ---- what is left of heads ---- */

/* A number that may be below 0 needs both halves of a clearing. */
static void check_cleared(const char *units, bool cleared) {
    audit_bench b;
    if (bench_begin(&b, units, NULL, F64, 20)) {
        b.a.channels[BENCH_MEAN].not_negative = false;
        const char *why = bench_units(&b);
        CHECK(!why == cleared, "%s: %s", units, why ? why : "accepted");
        if (!why) CHECK(contents_are_zero(&b.a.channels[BENCH_MEAN]), "%s: the channel is cleared", units);
    }
    bench_free(&b);
}

/* Nobody may read their outputs after the layer. */
static void check_rest(void) {
    static const char layer[] = "head \"x\" role count mask j<=i choice softmax for average\n"
                                "  value 0:1\n  value 2:1\n  output 6:1\n  output 7:1\n"
                                "head \"y\" role count mask j<=i choice softmax for average\n"
                                "  value 0:1\n  output 11:1\n" RAMP;
    audit_bench b;
    if (bench_begin(&b, layer, NULL, F64, 20)) {
        b.a.channels[BENCH_FREE + 1].kind = HOLDS_RAW;
        const char *why = bench_units(&b);
        CHECK(!why && b.a.channels[BENCH_RAW].kind == HOLDS_REST && b.a.channels[BENCH_RAW_TOO].kind == HOLDS_REST &&
                  b.a.channels[BENCH_FREE + 1].kind == HOLDS_REST && b.a.channels[BENCH_FREE].kind == HOLDS_EXACT,
              "outputs of heads are not read later: %s", why ? why : "accepted");
    }
    bench_free(&b);
}

/* What an own part holds. */
static void check_own(void) {
    audit_bench b;
    if (bench_begin(&b, "unit 0 0:1 3:-1 9:1 -> 10:-3\nunit 0 2:1 3:-1 9:1 -> 10:2\n", NULL, F64, 20)) {
        const char *why = bench_units(&b);
        const content *c = &b.a.channels[BENCH_FREE];
        diagram *d = &b.a.meaning.d;
        dd sum =
            dd_add(d, dd_times(d, b.a.channels[BENCH_A].letters, -3), dd_times(d, b.a.channels[BENCH_B].letters, 2));
        CHECK(!why && c->kind == HOLDS_OWN && c->parts == 2 && c->weight == 5 && c->letters == sum, "an own part: %s",
              why ? why : "accepted");
    }
    bench_free(&b);
}

int main(void) {
    for (size_t k = 0; k < CASE_COUNT; k++) check_case(&CASES[k]);
    for (size_t k = 0; k < sizeof RAMPS / sizeof *RAMPS; k++) check_ramp(&RAMPS[k]);
    for (size_t k = 0; k < sizeof COPIES / sizeof *COPIES; k++) check_copy(&COPIES[k]);
    check_orders();
    check_rest();
    check_cleared("unit 0 8:1 -> 8:-1\n", false);
    check_cleared("unit 0 8:1 -> 8:-1\nunit 0 8:-1 -> 8:1\n", true);
    check_own();
    return test_finish("t-audit-net");
}
