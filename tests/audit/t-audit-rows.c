/* The auditor on rows: what is embedded, sums of Booleans, position features and read-outs, each just inside its
   limit and just outside. */
#include <stdio.h>
#include <string.h>

#include "audit_bench.h"

#define Q(x) "  query " x "\n"
#define K(x) "  key " x "\n"
#define V(x) "  value " x "\n"
#define ONE  Q("1:1")

#define A "max(i - floor(N/2), floor(N/2) - i)"
#define S "([floor(N/2) < i] - [i < floor(N/2)])"
static const char *const PLACES[] = {"i/N", "i - floor(N/2)", S "*(" A " % 16)", S "*floor(" A "/16)", "ceil2(8*N)/4",
                                     NULL};

/* Sums of Booleans in e4m3: 4 digits, and 448 is the largest number. */
static void check_sums(temper_type type) {
    static const struct {
        const char *rows, *words;
    } sums[] = {
        {V("0:1 2:15"), NULL},
        {V("0:2 2:15"), "may be rounded"},
        {V("0:1 2:16"), "may be rounded"},
        {V("0:16 2:1"), "may be rounded"},
        {V("0:224 2:-224"), NULL},
        {V("0:256 2:224"), "may overflow"},
        {V("0:0x1p-9"), NULL},
        {V("0:0x1.1p0"), "no number of the storage format"},
        {ONE K("0:1 2:-15 15:1") V("0:1"), "more than two kinds"},
        {ONE K("0:2 2:-15 15:1") V("0:1"), "may be rounded"},
        {Q("0:1") K("0:1") V("0:1"), "a mask without a sentinel"}, /* a pattern of one row */
    };
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
        char layer[400];
        audit_bench b;
        snprintf(layer, sizeof layer,
                 "head \"x\" role count mask j<i choice softmax for average%s\n%s  output 10:1\n",
                 strstr(sums[k].rows, "key") ? " scale \"8*N\"" : "", sums[k].rows);
        if (bench_begin(&b, layer, PLACES, type, 2)) {
            const char *why = bench_heads(&b);
            CHECK(sums[k].words ? why && strstr(why, sums[k].words) : !why, "%s in %s: %s", sums[k].rows,
                  temper_type_name(type), why ? why : "accepted");
        }
        bench_free(&b);
    }
}

/* What is embedded. */
static void check_contents(void) {
    static const char *const features[] = {"-3", "0", "0.5", "[i = 1]*[1 <= n]", "[i = n]*[1 <= n]", "i/N", NULL};
    audit_bench b;
    if (bench_begin(&b, "unit 0 0:1 -> 10:1\n", features, TEMPER_TYPE_F64, 2)) {
        const content *c = b.a.channels;
        for (uint32_t k = 0; k < BENCH_FREE + 3; k++) CHECK(c[k].not_negative, "channel %u", k);
        CHECK(!c[15].not_negative && c[16].not_negative && c[17].not_negative && c[18].not_negative &&
                  c[20].not_negative,
              "constants that are below 0");
        CHECK(c[18].letters == b.a.meaning.first && c[19].letters == b.a.meaning.last, "first and last");
        CHECK(c[BENCH_START].start == 1 && c[BENCH_START].end == 0 && c[BENCH_END].start == 0 &&
                  c[BENCH_END].end == 1 && c[BENCH_START].letters == 0 && c[BENCH_END].letters == 0,
              "sentinels");
        CHECK(c[BENCH_ONE].letters == 1 && c[BENCH_ONE].start == 1 && c[BENCH_ONE].end == 1 &&
                  c[BENCH_REAL].letters == 1,
              "letters");
    }
    bench_free(&b);
    if (bench_begin(&b, "unit 0 0:1 -> 10:1\n", PLACES, TEMPER_TYPE_F64, 2)) {
        const content *c = b.a.channels;
        CHECK(!c[16].not_negative && !c[17].not_negative && !c[18].not_negative && c[15].not_negative &&
                  c[19].not_negative && c[15].kind == HOLDS_FEATURE,
              "positions that are below 0");
    }
    bench_free(&b);
}

/* Every position feature must be a number of the type, also one that no head reads. */
static void check_features(const char *written, uint32_t channel, bool fits) {
    const char *const features[] = {written, NULL};
    audit_bench b;
    if (bench_begin(&b, "unit 0 0:1 -> 10:1\n", features, TEMPER_TYPE_E4M3, 2)) {
        const content kept = b.a.channels[BENCH_FEATURES];
        b.a.channels[BENCH_FEATURES] = b.a.channels[BENCH_FREE];
        b.a.channels[channel] = kept;
        const char *why = bench_try(&b, audit_check_features);
        CHECK(fits ? !why : why && strstr(why, "a position feature may be beyond"), "%s in channel %u: %s", written,
              channel, why ? why : "accepted");
    }
    bench_free(&b);
}

/* Read-outs. Channel 13 holds what channel 0 does: their difference is 0. */
static void check_read_out(const char *row, bool nothing, const char *words, temper_type type) {
    char layer[200];
    audit_bench b;
    snprintf(layer, sizeof layer, "unit 0 0:1 -> 10:1\nread %s\n", row);
    if (bench_begin(&b, layer, NULL, type, 2)) {
        audited_output output = {.meaning = nothing ? 0 : b.a.channels[BENCH_A].letters, .label = "it"};
        b.a.outputs = &output;
        b.a.channels[BENCH_PAST] = b.a.channels[BENCH_A];
        const char *why = bench_try(&b, audit_read_out);
        CHECK(words ? why && strstr(why, words) : !why, "read %s in %s: %s", row, temper_type_name(type),
              why ? why : "accepted");
    }
    bench_free(&b);
}

static void check_read_outs(void) {
    check_read_out("0:1", false, NULL, TEMPER_TYPE_F64);
    check_read_out("2:1", false, "does not mean it", TEMPER_TYPE_F64);
    check_read_out("0:1 4:1", false, "the answer for the empty string", TEMPER_TYPE_F64);
    check_read_out("0:1 4:2", false, "at the start sentinel is not 0 or 1", TEMPER_TYPE_F64);
    check_read_out("0:1 4:-1", false, "at the start sentinel is not 0 or 1", TEMPER_TYPE_F64);
    check_read_out("0:1 5:1", false, NULL, TEMPER_TYPE_F64); /* nobody reads the end */
    check_read_out("0:0.5 13:1", false, "a weight that is not whole", TEMPER_TYPE_F64);
    check_read_out("0:1 13:0.5", false, "a weight that is not whole", TEMPER_TYPE_F64);
    check_read_out("6:1", false, "not exactly Boolean", TEMPER_TYPE_F64);
    check_read_out("0:8 13:-7", false, NULL, TEMPER_TYPE_E4M3);
    check_read_out("0:9 13:-8", false, "may be rounded", TEMPER_TYPE_E4M3);
    check_read_out("0:9 13:-8", false, NULL, TEMPER_TYPE_E4M3_F32); /* only sums count */
    check_read_out("0:8 13:-8", true, NULL, TEMPER_TYPE_E4M3);
    check_read_out("0:10 13:-10", true, "the read-out may be rounded", TEMPER_TYPE_E4M3);
}

/* A model whose first channel is a position. */
static void check_first_channel(void) {
    static const char model[] =
        "temper-model 1\nmethod temperature\nsyntax spec\nsource \"Y b\"\nalphabet \"a\" \"b\"\ntokens no\nat last\n"
        "empty reject\nend no\nchannel 0 \"i/N\" position \"i/N\"\nchannel 1 \"b\"\nchannel 2 \"one\" position "
        "\"1\"\n"
        "channel 3 \"raw\"\nchannel 4 \"Y b\"\nchannel 5 \"real\"\nembed \"a\" 5:1\nembed \"b\" 1:1 5:1\nembed "
        "start\n"
        "embed end\nlayer 1\nhead \"Y b\" role nearest mask j<i choice softmax for rightmost scale \"8*N\"\n  query "
        "2:1\n"
        "  key 0:1\n  value 1:1\n  output 3:1\nunit -0x1.4p+1 3:2 5:2 -> 4:1\nunit -0x1.cp+1 3:2 5:2 -> 4:-1\n"
        "read 4:1\n";
    char *found = NULL;
    size_t length;
    temper_error e = {0};
    CHECK(audit_certificate(&found, &length, model, strlen(model), 20, TEMPER_TYPE_F64, &e) == TEMPER_OK,
          "a position in channel 0: %s", e.text);
    temper_free(found);
}

int main(void) {
    check_sums(TEMPER_TYPE_E4M3);
    check_sums(TEMPER_TYPE_E4M3_F32);
    check_contents();
    check_first_channel();
    check_features("64*i", BENCH_FEATURES, true);
    check_features("1024*i", BENCH_FEATURES, false);
    check_features("1024*i", 0, false);
    check_read_outs();
    return test_finish("t-audit-rows");
}
