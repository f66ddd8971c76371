/* Hard models in doubles with bounds: wherever the guarded run answers, its answers are those of the exact run; it
   refuses only what rounding makes doubtful. And adaptive heads against their definition, and their failure mode. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "corpus.h"
#include "model/model.h"
#include "random_model.h"
#include "run/forward.h"

enum { LONGEST = 40 };

typedef struct outcome {
    temper_status status;
    int accept, proved;
    unsigned char truth[LONGEST + 2];
    temper_error err;
} outcome;

static outcome ask(const temper_model *m, const uint32_t *word, size_t n, const temper_run_options *o) {
    outcome a = {0};
    temper_run *run = NULL;
    a.status = temper_model_run(&run, m, word, n, o, &a.err);
    if (a.status != TEMPER_OK) return a;
    a.accept = temper_run_about(run).accept;
    a.proved = temper_run_about(run).proved;
    for (size_t i = 0; i < temper_run_about(run).size; i++)
        a.truth[i] = (unsigned char)temper_run_about(run).truth[i];
    temper_run_free(run);
    return a;
}

typedef struct tally {
    size_t strings, refused, plain_wrong;
} tally;

static void compare(const temper_model *m, const char *source, const uint32_t *word, size_t n, bool dyadic,
                    tally *t) {
    temper_run_options hard = {.hard = 1}, exact = {.hard = 1, .type = TEMPER_TYPE_EXACT},
                       plain = {.hard = 1, .unchecked = 1};
    outcome g = ask(m, word, n, &hard), e = ask(m, word, n, &exact), p = ask(m, word, n, &plain);
    t->strings++;
    if (!CHECK(e.status == TEMPER_OK && p.status == TEMPER_OK && e.proved && !p.proved, "%s%s\n%s", e.err.text,
               p.err.text, source))
        return;
    if (memcmp(p.truth, e.truth, n + 1 + m->has_end) != 0) t->plain_wrong++;
    if (g.status != TEMPER_OK) {
        t->refused++;
        CHECK(g.status == TEMPER_UNSUPPORTED && strstr(g.err.hint, "exact"), "%s\n%s", g.err.text, source);
        CHECK(!dyadic, "refused though nothing is rounded: %s\n%s", g.err.text, source);
        return;
    }
    CHECK(g.proved && g.accept == e.accept && memcmp(g.truth, e.truth, n + 1 + m->has_end) == 0,
          "guarded and exact differ on a string of length %zu\n%s", n, source);
}

static void check_random(test_random *r) {
    static char source[RANDOM_MODEL_TEXT];
    tally all = {0};
    for (int round = 0; round < 1200 * test_effort(); round++) {
        random_model_options o = {.average = round % 3 != 0, .fractions = round % 2, .small = round % 4 == 0};
        bool dyadic = !o.average && !o.fractions;
        temper_model *m = random_model(source, r, &o);
        if (!m) return;
        uint32_t word[LONGEST];
        for (size_t n = 0; n <= 4; n++) {
            memset(word, 0, sizeof word);
            do compare(m, source, word, n, dyadic, &all);
            while (corpus_next_word(word, n, 2));
        }
        for (int k = 0; k < 3; k++) {
            size_t n = 5 + random_below(r, LONGEST - 4);
            for (size_t i = 0; i < n; i++) word[i] = (uint32_t)random_below(r, 2);
            compare(m, source, word, n, dyadic, &all);
        }
        temper_model_free(m);
    }
    if (getenv("TEMPER_TEST_VERBOSE"))
        printf("t-guarded: %zu strings, %zu refused, plain arithmetic wrong on %zu\n", all.strings, all.refused,
               all.plain_wrong);
    CHECK(all.refused < all.strings / 3, "%zu of %zu strings refused", all.refused, all.strings);
}

/* ---- ties that rounding breaks or makes ---- */

/* A head whose scores are 1 on a b, and 1/den added `count` times on an a; it tells whether the last best one is a
   b. */
static void sum_model(char *out, size_t size, int count, int den, const char *choice) {
    int length =
        snprintf(out, size,
                 "temper-model 1\nmethod %s\nalphabet \"a\" \"b\"\nchannel 0 \"one\" position \"1\"\n"
                 "channel 1 \"part\" position \"1/%d\"\nchannel 2 \"start\"\nchannel 3 \"b\"\nchannel 4 \"score\"\n"
                 "channel 5 \"out\"\nembed \"a\"\nembed \"b\" 3:1\nembed start 2:1\nembed end\nlayer 1\n",
                 strncmp(choice, "softmax", 7) == 0 ? "temperature" : "hard", den);
    for (int k = 0; k < count; k++)
        length += snprintf(out + length, size - (size_t)length, "unit 0 1:1 2:-2 3:-2 -> 4:1\n");
    snprintf(out + length, size - (size_t)length,
             "unit 0 3:1 -> 4:1\nlayer 2\nhead \"last\" mask j<=i choice %s\n  query 0:1\n  key 4:1\n  value 3:1\n"
             "  output 5:1\nread 5:1\n",
             choice);
}

static void check_sums(void) {
    char source[4096];
    size_t plain_wrong = 0;
    for (int den = 1; den <= 30; den++) {
        sum_model(source, sizeof source, den, den, "rightmost");
        temper_model *m = model_from(source);
        if (!m) return;
        /* on ba the scores tie in truth, so the last letter is chosen, which is no b: rejected */
        const uint32_t word[] = {1, 0};
        temper_run_options guarded = {0}, exact = {.type = TEMPER_TYPE_EXACT}, plain = {.unchecked = 1};
        outcome g = ask(m, word, 2, &guarded), e = ask(m, word, 2, &exact), p = ask(m, word, 2, &plain);
        CHECK(e.status == TEMPER_OK && e.accept == 0, "exact: %d times 1/%d is not 1: %s", den, den, e.err.text);
        bool dyadic = (den & (den - 1)) == 0;
        if (dyadic)
            CHECK(g.status == TEMPER_OK && g.accept == 0, "guarded: %d times 1/%d: %s", den, den, g.err.text);
        else
            CHECK(g.status == TEMPER_UNSUPPORTED &&
                      strstr(g.err.text, "head 2.1 (last) at position 2: positions 1 and "
                                         "2 may tie"),
                  "guarded: %d times 1/%d: %d %s", den, den, g.status, g.err.text);
        plain_wrong += p.accept != 0;
        temper_model_free(m);
    }
    CHECK(plain_wrong > 0, "plain arithmetic was right on every sum");
    /* one part less is clearly less */
    sum_model(source, sizeof source, 9, 10, "rightmost");
    temper_model *m = model_from(source);
    const uint32_t word[] = {1, 0};
    outcome g = ask(m, word, 2, &(temper_run_options){0});
    CHECK(g.status == TEMPER_OK && g.accept == 1 && g.proved, "nine tenths: %s", g.err.text);
    temper_model_free(m);
}

/* The same with shares 1/N that a head computes: b, then as, which tie with it in truth. */
static void check_shares(void) {
    static const char head[] = "layer 1\nhead \"share\" mask all choice average\n  value 2:1\n  output 1:1\n";
    char source[4096], shared[4200];
    uint32_t word[LONGEST] = {1};
    size_t plain_wrong = 0;
    for (int den = 3; den <= 30; den++) {
        sum_model(source, sizeof source, den, den, "rightmost");
        char *feature = strstr(source, " position \"1/"), *layer = strstr(source, "layer 1\n");
        snprintf(shared, sizeof shared, "%.*s%.*s%s%s", (int)(feature - source), source,
                 (int)(layer - strchr(feature, '\n')), strchr(feature, '\n'), head, layer + 8);
        temper_model *m = model_from(shared);
        if (!m) return;
        size_t n = (size_t)den - 1;
        outcome g = ask(m, word, n, &(temper_run_options){0}),
                p = ask(m, word, n, &(temper_run_options){.unchecked = 1});
        outcome e = ask(m, word, n, &(temper_run_options){.type = TEMPER_TYPE_EXACT});
        CHECK(e.status == TEMPER_OK && e.accept == 0, "exact: %d shares", den);
        bool dyadic = (den & (den - 1)) == 0;
        CHECK(g.status == (dyadic ? TEMPER_OK : TEMPER_UNSUPPORTED) && g.accept == 0, "%d shares: %s", den,
              g.err.text);
        plain_wrong += p.accept != 0;
        temper_model_free(m);
    }
    CHECK(plain_wrong > 0, "plain arithmetic was right on every share");
}

/* Half of ten tenths, and a little more: above 1/2 in truth, below it in doubles. */
static void check_read_out(void) {
    char source[4096];
    int length = snprintf(source, sizeof source,
                          "temper-model 1\nalphabet \"a\"\nchannel 0 \"part\" position \"1/10\"\nchannel 1 \"sum\"\n"
                          "embed \"a\"\nembed start\nembed end\nlayer 1\n");
    for (int k = 0; k < 10; k++)
        length += snprintf(source + length, sizeof source - (size_t)length, "unit 0 0:1 -> 1:1\n");
    snprintf(source + length, sizeof source - (size_t)length, "unit 0x1p-70 -> 1:1\nread 1:0.5\n");
    temper_model *m = model_from(source);
    const uint32_t word[] = {0};
    outcome g = ask(m, word, 1, &(temper_run_options){0}), p = ask(m, word, 1, &(temper_run_options){.unchecked = 1});
    outcome e = ask(m, word, 1, &(temper_run_options){.type = TEMPER_TYPE_EXACT});
    CHECK(e.status == TEMPER_OK && e.accept == 1 && p.accept == 0, "exact %d, plain %d", e.accept, p.accept);
    CHECK(g.status == TEMPER_UNSUPPORTED && strstr(g.err.text, "within rounding of 1/2"), "%d %s", g.status,
          g.err.text);
    temper_model_free(m);
}

/* A tie that does not matter: the values of those who may tie are the same. And equal keys tie whatever the query
   is. */
static void check_harmless(void) {
    static const char source[] =
        "temper-model 1\nalphabet \"a\" \"b\"\nchannel 0 \"third\" position \"1/3\"\nchannel 1 \"%s\" position "
        "\"%s\"\n"
        "channel 2 \"b\"\nchannel 3 \"out\"\nembed \"a\"\nembed \"b\" 2:1\nembed start\nembed end\n"
        "layer 1\nhead \"h\" mask all choice %s\n  query 0:1\n  key 1:1\n  value 2:1\n  output 3:1\nread 3:1\n";
    static const struct {
        const char *key, *choice;
        bool refused[2]; /* on bbb; on aba */
    } cases[] = {{"[1 <= i]", "rightmost", {false, false}},
                 {"[1 <= i]", "average", {false, false}},
                 {"[1 <= i]/3", "rightmost", {false, true}},
                 {"[1 <= i]/3", "leftmost", {false, true}},
                 {"[1 <= i]/3", "average", {false, true}}};
    static const uint32_t words[2][3] = {{1, 1, 1}, {0, 1, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char filled[1000];
        snprintf(filled, sizeof filled, source, "key", cases[k].key, cases[k].choice);
        temper_model *m = model_from(filled);
        for (int w = 0; m && w < 2; w++) {
            outcome g = ask(m, words[w], 3, &(temper_run_options){0});
            CHECK((g.status == TEMPER_OK) == !cases[k].refused[w], "%s %s: %d %s", cases[k].key, cases[k].choice,
                  g.status, g.err.text);
            CHECK(g.status != TEMPER_OK || g.accept == (w == 0), "%s %s: accept %d", cases[k].key, cases[k].choice,
                  g.accept);
        }
        temper_model_free(m);
    }
}

/* Many strings: those that are refused are marked, the others answered; captured runs give the same answers. */
static void check_many(void) {
    char source[4096];
    sum_model(source, sizeof source, 10, 10, "rightmost");
    temper_model *m = model_from(source);
    if (!m) return;
    static const uint32_t ba[] = {1, 0}, bb[] = {1, 1}, b[] = {1};
    const uint32_t *words[] = {b, ba, bb};
    const size_t lengths[] = {1, 2, 2};
    unsigned char accept[3];
    temper_error err;
    temper_run_options o = {.type = TEMPER_TYPE_EXACT};
    CHECK(temper_model_run_many(accept, m, words, lengths, 3, NULL, &err) == TEMPER_OK && accept[0] == 1 &&
              accept[1] == 2 && accept[2] == 1,
          "many guarded: %d %d %d", accept[0], accept[1], accept[2]);
    CHECK(temper_model_run_many(accept, m, words, lengths, 3, &o, &err) == TEMPER_OK && accept[0] == 1 &&
              accept[1] == 0 && accept[2] == 1,
          "many exact: %d %d %d", accept[0], accept[1], accept[2]);
    temper_run *run;
    if (CHECK(temper_model_run(&run, m, bb, 2, &(temper_run_options){.capture = 1}, &err) == TEMPER_OK, "%s",
              err.text)) {
        CHECK(temper_run_about(run).proved && temper_run_about(run).accept == 1 &&
                  temper_run_head(run, 2, 1).weights[2 * 3 + 2] == 1,
              "captured");
        temper_run_free(run);
    }
    temper_model_free(m);
}

/* ---- check ---- */

static int agreed(const temper_spec *spec, const temper_model *m) {
    temper_check_result result;
    temper_error err;
    temper_check_options o = {.exhaustive = 4, .random = 5, .length = 12};
    if (!CHECK(temper_check(&result, spec, m, &o, &err) == TEMPER_OK, "%s", err.text)) return -1;
    int agreed = result.agreed;
    temper_check_clear(&result);
    return agreed;
}

/* What plain arithmetic gets wrong is checked exactly; what a model does not claim is not compared. */
static void check_check(void) {
    char source[4096];
    sum_model(source, sizeof source, 10, 10, "rightmost");
    temper_model *tenths = model_from(source);
    temper_spec *last = spec_of("b", "ab", TEMPER_AT_LAST);
    if (tenths && last) CHECK(agreed(last, tenths) == 1, "ten tenths are 1, so the last letter decides");
    temper_model *m = model_from("temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\n"
                                 "channel 0 \"x\" soft \"[i = 1]*[2 <= n]\"\nembed \"a\"\nembed \"b\"\nembed start\n"
                                 "embed end\nread 0:1\n");
    if (m) {
        CHECK(agreed(NULL, m) == 0, "position 1 differs");
        m->record.verdict_only = true;
        CHECK(agreed(NULL, m) == 1, "verdicts do not differ");
    }
    temper_model_free(tenths);
    temper_model_free(m);
    temper_spec_free(last);
}

/* ---- near the ends of the range of doubles ---- */

/* The text of a model with many of its weights and biases moved to other powers of two, and some off by a few
   roundings. */
static void scatter(char *out, const char *from, test_random *r, int kind) {
    static const int exponents[] = {-1074, -1060, -1023, -1022, -970, -540, -537, -500, -53,  -52,
                                    53,    54,    500,   511,   512,  513,  960,  1000, 1022, 1023};
    while (*from) {
        size_t skip = *from == ':' ? 1 : strncmp(from, "unit ", 5) == 0 ? 5 : 0;
        if (skip == 0) {
            *out++ = *from++;
            continue;
        }
        memcpy(out, from, skip);
        char *end;
        double w = strtod(from + skip, &end), sign = w < 0 ? -1 : 1;
        int e = kind == 0   ? exponents[random_below(r, sizeof exponents / sizeof *exponents)]
                : kind == 1 ? -1074 + (int)random_below(r, 2098)
                            : -1074 + (int)random_below(r, 120);
        if (random_below(r, 4) == 0)
            w = ldexp(sign * (1 + (double)random_below(r, 3) / 3), e);
        else if (random_below(r, 8) == 0)
            w *= 1 + (double)random_below(r, 4) * 0x1p-52;
        out += skip;
        out += sprintf(out, "%a", isfinite(w) ? w : 1);
        from = end;
    }
    *out = 0;
}

static void check_far(test_random *r) {
    static char near[RANDOM_MODEL_TEXT], far[4 * RANDOM_MODEL_TEXT];
    size_t answered = 0, strings = 0;
    for (int round = 0; round < 300 * test_effort(); round++) {
        random_model_options o = {.average = round % 2, .fractions = round % 4 > 1, .small = round % 5 < 2};
        random_model_text(near, r, &o);
        scatter(far, near, r, round % 3);
        temper_model *m = model_from(far);
        if (!m) return;
        uint32_t word[LONGEST];
        for (int k = 0; k < 8; k++, strings++) {
            size_t n = (size_t)random_below(r, 7);
            for (size_t i = 0; i < n; i++) word[i] = (uint32_t)random_below(r, 2);
            outcome g = ask(m, word, n, &(temper_run_options){0});
            if (g.status != TEMPER_OK) {
                CHECK(g.status == TEMPER_UNSUPPORTED && strstr(g.err.hint, "exact"), "%s\n%s", g.err.text, far);
                continue;
            }
            outcome e = ask(m, word, n, &(temper_run_options){.type = TEMPER_TYPE_EXACT});
            CHECK(e.status == TEMPER_OK && g.proved && memcmp(g.truth, e.truth, n + 1 + m->has_end) == 0,
                  "guarded and exact differ on a string of length %zu: %s\n%s", n, e.err.text, far);
            answered++;
        }
        temper_model_free(m);
    }
    CHECK(answered > strings / 4, "%zu of %zu strings answered", answered, strings);
}

/* A key or read-out on a, which is b's less or more by what doubles lose; the right answer on ba, which a guarded run
   may refuse. */
static void check_lost(void) {
    static const char source[] =
        "temper-model 1\nalphabet \"a\" \"b\"\nchannel 0 \"one\" position \"1\"\nchannel 1 \"x\"\n"
        "channel 2 \"b\"\nchannel 3 \"out\"\nchannel 4 \"f\" position \"%s\"\nembed \"a\" 1:%s\nembed \"b\" 2:1\n"
        "embed start 2:1\nembed end\nlayer 1\nhead \"h\" mask all choice leftmost\n  query 0:%s\n  key 1:%s\n"
        "  value 2:1\n  output 3:1\nread 3:1\n";
    static const struct {
        const char *feature, *embed, *query, *key;
        int accept;
    } cases[] = {{"0", "0x1p-600", "1", "0x1p-600", 0},    {"0", "-0x1p-600", "1", "0x1p-600", 1},
                 {"0", "0x1p-1074", "0x1p-1", "1", 0},     {"0", "0x1.8p-1074", "0x1p-1074", "1", 0},
                 {"0", "0x1p600", "1", "0x1p600", 0},      {"0", "-0x1p600", "1", "0x1p600", 1},
                 {"0", "0x1p1000", "0x1p600", "1", 0},     {"i*0x1p1023", "1", "1", "1", 0},
                 {"0x1p-1074/3", "1", "1", "0x1p-1074", 0}};
    static const uint32_t ba[] = {1, 0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char filled[1000];
        snprintf(filled, sizeof filled, source, cases[k].feature, cases[k].embed, cases[k].query, cases[k].key);
        temper_model *m = model_from(filled);
        if (!m) return;
        outcome g = ask(m, ba, 2, &(temper_run_options){0});
        outcome e = ask(m, ba, 2, &(temper_run_options){.type = TEMPER_TYPE_EXACT});
        CHECK(e.status == TEMPER_OK && e.accept == cases[k].accept, "case %zu: exact %d %s", k, e.accept, e.err.text);
        CHECK(g.status == TEMPER_OK ? g.accept == e.accept : g.status == TEMPER_UNSUPPORTED, "case %zu: %d %s", k,
              g.status, g.err.text);
        temper_model_free(m);
    }
}

/* One string of several that leaves the range of doubles: it alone is refused, and a check decides it exactly. */
static void check_overflow(void) {
    temper_model *m = model_from("temper-model 1\nalphabet \"a\" \"b\"\nchannel 0 \"big\" position \"1e308\"\n"
                                 "channel 1 \"b\"\nchannel 2 \"sum\"\nembed \"a\"\nembed \"b\" 0:1e308 1:1\n"
                                 "embed start\nembed end\nlayer 1\nunit 0 0:1 -> 2:1\nread 1:1\n");
    temper_spec *last = spec_of("b", "ab", TEMPER_AT_LAST);
    static const uint32_t a[] = {0}, b[] = {1};
    const uint32_t *words[] = {a, b, a};
    const size_t lengths[] = {1, 1, 1};
    unsigned char accept[3];
    temper_error err;
    if (!m || !last) return;
    CHECK(temper_model_run_many(accept, m, words, lengths, 3, NULL, &err) == TEMPER_OK && accept[0] == 0 &&
              accept[1] == 2 && accept[2] == 0,
          "%d %d %d %s", accept[0], accept[1], accept[2], err.text);
    CHECK(agreed(last, m) == 1, "the last letter decides");
    temper_spec_free(last);
    temper_model_free(m);
}

/* What is captured is the exact choice, also where the answer does not depend on it: position 1 has the largest
   score, by less than a double of the sum 0.1 + 0.2 shows. */
static void check_captured_choice(void) {
    temper_model *m =
        model_from("temper-model 1\nalphabet \"a\"\nchannel 0 \"one\" position \"1\"\nchannel 1 \"key\" position "
                   "\"[i = 1]*(0.30000000000000004 - (0.1 + 0.2))\"\nchannel 2 \"v\"\nchannel 3 \"out\"\n"
                   "embed \"a\" 2:1\nembed start\nembed end\nlayer 1\nhead \"h\" mask j<=i choice rightmost\n"
                   "  query 0:1\n  key 1:1\n  value 2:1\n  output 3:1\nread 3:1\n");
    static const uint32_t aa[] = {0, 0};
    temper_run *run;
    temper_error err;
    if (!m) return;
    if (CHECK(temper_model_run(&run, m, aa, 2, &(temper_run_options){.capture = 1}, &err) == TEMPER_OK, "%s",
              err.text)) {
        const double *w = temper_run_head(run, 1, 1).weights + 6;
        CHECK(temper_run_about(run).proved && temper_run_about(run).accept == 1 && w[1] == 1 && w[2] == 0, "%g %g",
              w[1], w[2]);
        temper_run_free(run);
    }
    temper_model_free(m);
}

/* ---- adaptive heads ---- */

/* Weights of a row by the definition of model.h, from the scores of a captured run. */
static void adaptive_weights(long double *w, const double *s, size_t size, const model_head *h, double scale) {
    long double best = -INFINITY, next = -INFINITY, top = -INFINITY, total = 0;
    for (size_t j = 0; j < size; j++)
        if (s[j] > best) best = s[j];
    for (size_t j = 0; j < size; j++)
        if (s[j] < best && s[j] > next) next = s[j];
    for (size_t j = 0; j < size; j++) {
        w[j] = isinf(next) ? (isinf(s[j]) ? -INFINITY : 0) : scale / (best - next) * (s[j] - best);
        if (h->hard_choice == TEMPER_CHOICE_RIGHTMOST) w[j] += (long double)scale / size * j;
        if (h->hard_choice == TEMPER_CHOICE_LEFTMOST) w[j] -= (long double)scale / size * j;
        if (w[j] > top) top = w[j];
    }
    for (size_t j = 0; j < size; j++) total += w[j] = isinf(w[j]) ? 0 : expl(w[j] - top);
    for (size_t j = 0; j < size; j++) w[j] /= total;
}

static void check_adaptive_run(const temper_model *m, const uint32_t *word, size_t n, const char *source) {
    temper_run *run;
    temper_error err;
    temper_run_options o = {.unchecked = 1, .capture = 1};
    if (!CHECK(temper_model_run(&run, m, word, n, &o, &err) == TEMPER_OK, "%s\n%s", err.text, source)) return;
    size_t size = temper_run_about(run).size;
    for (size_t l = 1; l <= m->layer_count; l++)
        for (size_t k = 1; k <= m->layers[l - 1].head_count; k++)
            for (size_t i = 0; i < size; i++) {
                const double *s = temper_run_head(run, l, k).scores + i * size,
                             *w = temper_run_head(run, l, k).weights + i * size;
                long double want[LONGEST + 2];
                bool keys = false;
                for (size_t j = 0; j < size; j++) keys = keys || !isinf(s[j]);
                adaptive_weights(want, s, size, &m->layers[l - 1].heads[k - 1], 5);
                for (size_t j = 0; keys && j < size; j++)
                    CHECK(fabsl(w[j] - want[j]) < 1e-12, "head %zu.%zu row %zu key %zu: %g, want %Lg\n%s", l, k, i, j,
                          w[j], want[j], source);
            }
    temper_run_free(run);
}

static void check_adaptive_random(test_random *r) {
    static char hard[RANDOM_MODEL_TEXT], soft[2 * RANDOM_MODEL_TEXT];
    for (int round = 0; round < 60 * test_effort(); round++) {
        random_model_options o = {.average = true, .fractions = round % 2};
        random_model_text(hard, r, &o);
        char *out = soft;
        for (const char *p = hard; *p;) {
            const char *at = strstr(p, " choice ");
            size_t length = at ? (size_t)(at - p) : strlen(p);
            memcpy(out, p, length);
            out += length;
            p += length;
            if (!at) break;
            const char *end = strchr(p, '\n');
            out += sprintf(out, " choice softmax for %.*s adaptive \"5\"", (int)(end - p - 8), p + 8);
            p = end;
        }
        *out = 0;
        char *place = strstr(soft, "alphabet");
        memmove(place + 19, place, strlen(place) + 1);
        memcpy(place, "method temperature\n", 19);
        temper_model *m = model_from(soft);
        if (!m) return;
        const char *plans[8];
        CHECK(temper_model_plans(plans, NULL, m, 5, 0, NULL) == TEMPER_OK && strcmp(plans[0], "dense") == 0, "plan");
        for (size_t n = 0; n <= 6; n++) {
            uint32_t word[6];
            for (size_t k = 0; k < n; k++) word[k] = (uint32_t)random_below(r, 2);
            check_adaptive_run(m, word, n, soft);
        }
        temper_model_free(m);
    }
}

/* The warning of an unchecked run; "-" if it does not run. */
static void warning_of(char out[300], const temper_model *m, const uint32_t *word, size_t n) {
    temper_run *r;
    bool ran = temper_model_run(&r, m, word, n, &(temper_run_options){.unchecked = 1}, NULL) == TEMPER_OK;
    snprintf(out, 300, "%s", ran ? temper_run_about(r).warning : "-");
    if (ran) temper_run_free(r);
}

/* Nine or ten tenths beside 1: a gap, and one that rounding explains. */
static void check_adaptive_doubt(void) {
    char source[4096], warning[300];
    static const uint32_t ba[] = {1, 0};
    for (int count = 9; count <= 10; count++) {
        sum_model(source, sizeof source, count, 10, "softmax for rightmost adaptive \"64\"");
        temper_model *m = model_from(source);
        if (!m) return;
        outcome a = ask(m, ba, 2, &(temper_run_options){0}), u = ask(m, ba, 2, &(temper_run_options){.unchecked = 1});
        outcome f = ask(m, ba, 2, &(temper_run_options){.type = TEMPER_TYPE_F32, .unchecked = 1});
        CHECK(a.status == TEMPER_LIMIT && u.status == TEMPER_OK && !u.proved, "%d %d", a.status, u.status);
        warning_of(warning, m, ba, 2);
        if (count == 9)
            CHECK(!*warning && u.accept == 1, "%s", warning);
        else
            CHECK(strstr(warning, "head 2.1 at position 2") && strstr(warning, "rounding alone"), "%s", warning);
        temper_model_free(m);
        if (!(m = model_from(source))) return;
        m->record = (model_record){.length = 100, .reason = "", .margin = 0.5}; /* nobody proved that */
        char again[300];
        warning_of(again, m, ba, 2);
        CHECK(strcmp(again, warning) == 0 && !ask(m, ba, 2, &(temper_run_options){0}).proved, "%s", again);
        CHECK(f.status == TEMPER_OK && !f.proved && (count == 10 || f.accept == 1), "f32: %d %s", f.status,
              f.err.text);
        temper_stream *stream = NULL;
        temper_error err;
        CHECK(temper_stream_open(&stream, m, &(temper_run_options){.unchecked = 1}, &err) == TEMPER_UNSUPPORTED,
              "a stream of an adaptive head");
        temper_stream_free(stream);
        temper_model_free(m);
    }
}

/* A doubt that no answer depends on is let pass: through a head and a unit to the read-out, or not. */
static void check_doubt_reaches(void) {
    static const struct {
        const char *rest;
        bool reaches, verdict_only;
    } cases[] = {
        {"read 5:1\n", true, false},
        {"read 3:1\n", false, false},
        {"layer 3\nunit 0 5:1 -> 2:1\nread 2:1\n", true, false},
        {"layer 3\nunit 0 5:1 -> 2:1\nread 3:1\n", false, false},
        {"layer 3\nhead \"h\" mask j<=i choice leftmost\n  value 5:1\n  output 0:1\nread 0:1\n", true, false},
        {"layer 3\nhead \"h\" mask j<=i choice leftmost\n  query 0:1\n  key 5:1\n  value 3:1\n  output 0:1\nread "
         "0:1\n",
         true, false},
        {"layer 3\nhead \"h\" mask j<=i choice leftmost\n  query 0:1\n  key 5:1\n  value\n  output 0:1\nread 0:1\n",
         false, false},
        {"at first", true, false},
        {"at first", false, true}}; /* the doubt is at position 2 */
    char source[4096];
    static const uint32_t ba[] = {1, 0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sum_model(source, sizeof source, 10, 10, "softmax for rightmost adaptive \"64\"");
        bool first = strcmp(cases[k].rest, "at first") == 0;
        if (!first) strcpy(strstr(source, "read 5:1\n"), cases[k].rest);
        temper_model *m = model_from(source);
        if (!m) return;
        m->record.verdict_only = cases[k].verdict_only;
        if (first) m->at = TEMPER_AT_FIRST;
        char warning[300];
        warning_of(warning, m, ba, 2);
        CHECK((*warning != 0) == cases[k].reaches && *warning != '-', "case %zu: %s", k, warning);
        temper_model_free(m);
    }
}

int main(void) {
    test_random r = test_seed(42);
    check_random(&r);
    check_sums();
    check_shares();
    check_read_out();
    check_harmless();
    check_many();
    check_check();
    check_far(&r);
    check_lost();
    check_overflow();
    check_captured_choice();
    check_adaptive_random(&r);
    check_adaptive_doubt();
    check_doubt_reaches();
    return test_finish("t-guarded");
}
