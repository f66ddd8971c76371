#define _POSIX_C_SOURCE 200809L
/* Every plan gives the answers of dense evaluation: planned = dense in f64, hard and soft; f32 = the oracle within
   its proved length; one string = many strings; any number of threads; reference kernels = fast kernels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "random_formula.h"
#include "run/plan.h"
#include "test.h"
#include "proved.h"

static unsigned long plans_seen[PLAN_DENSE + 1];

static void count_plans(const temper_model *m, bool hard) {
    trap t;
    arena a;
    model_plan p;
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) abort();
    plan_make(&p, m, hard, &a);
    for (uint32_t h = 0; h < p.head_start[m->layer_count]; h++) plans_seen[p.heads[h]]++;
    arena_free(&a);
}

static bool same_run(const char *name, const temper_model *m, const uint32_t *word, size_t n, temper_run_options left,
                     temper_run_options right, const char *what, bool same_margins) {
    temper_run *a, *b;
    temper_error e;
    if (temper_model_run(&a, m, word, n, &left, &e) != TEMPER_OK)
        return CHECK(false, "%s: %s: %s", name, what, e.text);
    if (temper_model_run(&b, m, word, n, &right, &e) != TEMPER_OK) {
        temper_run_free(a);
        return CHECK(false, "%s: %s: %s", name, what, e.text);
    }
    bool ok = temper_run_about(a).accept == temper_run_about(b).accept;
    for (size_t i = 0; i < temper_run_about(a).size; i++)
        ok = ok && temper_run_about(a).truth[i] == temper_run_about(b).truth[i];
    for (uint32_t l = 1; same_margins && l <= m->layer_count; l++)
        for (uint32_t h = 1; h <= m->layers[l - 1].head_count; h++)
            ok = ok && temper_run_head(a, l, h).error == temper_run_head(b, l, h).error;
    CHECK(ok, "%s: %s differ on a string of length %zu", name, what, n);
    temper_run_free(a);
    temper_run_free(b);
    return ok;
}

static void f32_against_oracle(const char *name, const temper_spec *spec, const temper_model *m, const uint32_t *word,
                               size_t n) {
    temper_run *r;
    temper_error e;
    int accept;
    unsigned char *truth = calloc(n + 1, 1);
    temper_run_options o = {.type = TEMPER_TYPE_F32};
    size_t proved = proved_lengths(m, TEMPER_TYPE_F32, false);
    temper_status status = temper_model_run(&r, m, word, n, &o, &e);
    if (n >= proved) {
        CHECK(status == TEMPER_LIMIT, "%s: ran in f32 beyond its %zu proved lengths", name, proved);
    } else if (CHECK(status == TEMPER_OK, "%s in f32: %s", name, e.text)) {
        temper_spec_eval(&accept, truth, spec, word, n, &e);
        bool ok = temper_run_about(r).accept == accept;
        for (size_t i = 1; i <= n; i++) ok = ok && temper_run_about(r).truth[i] == truth[i - 1];
        CHECK(ok, "%s: f32 differs from the formula on a string of length %zu", name, n);
    }
    if (status == TEMPER_OK) temper_run_free(r);
    free(truth);
}

/* The fast kernels and the reference give the same bits, so the same margins. */
static void same_kernels(const char *name, const temper_model *m, const uint32_t *word, size_t n) {
    temper_run *fast, *plain;
    temper_error e;
    if (temper_model_run(&fast, m, word, n, NULL, &e) != TEMPER_OK) return;
    setenv("TEMPER_KERNELS", "reference", 1);
    temper_status status = temper_model_run(&plain, m, word, n, NULL, &e);
    unsetenv("TEMPER_KERNELS");
    if (CHECK(status == TEMPER_OK, "%s: %s", name, e.text)) {
        bool ok = true;
        for (size_t i = 0; i < temper_run_about(fast).size; i++)
            ok = ok && temper_run_about(fast).truth[i] == temper_run_about(plain).truth[i];
        for (uint32_t l = 1; l <= m->layer_count; l++)
            for (uint32_t h = 1; h <= m->layers[l - 1].head_count; h++)
                ok = ok && temper_run_head(fast, l, h).error == temper_run_head(plain, l, h).error;
        CHECK(ok, "%s: fast and reference kernels differ on a string of length %zu", name, n);
        temper_run_free(plain);
    }
    temper_run_free(fast);
}

static void one_word(const char *name, const temper_spec *spec, const temper_model *m, const uint32_t *word,
                     size_t n) {
    temper_run_options plain = {0}, dense = {.dense = 1}, hard = {.hard = 1}, hard_dense = {.hard = 1, .dense = 1};
    temper_run_options one = {.threads = 1}, three = {.threads = 3};
    same_run(name, m, word, n, plain, dense, "plan and dense", false);
    same_run(name, m, word, n, hard, hard_dense, "hard plan and hard dense", true);
    same_run(name, m, word, n, one, three, "one thread and three", true);
    f32_against_oracle(name, spec, m, word, n);
    same_kernels(name, m, word, n);
    unsigned char accept[3];
    const uint32_t *words[3] = {word, word, word};
    size_t lengths[3] = {n, n / 2, n};
    temper_error e;
    temper_run *r;
    if (CHECK(temper_model_run_many(accept, m, words, lengths, 3, NULL, &e) == TEMPER_OK, "%s: many: %s", name,
              e.text) &&
        temper_model_run(&r, m, word, n, NULL, &e) == TEMPER_OK) {
        CHECK(accept[0] == temper_run_about(r).accept && accept[2] == accept[0], "%s: many strings differ from one",
              name);
        temper_run_free(r);
    }
}

/* ---- models without structure: dense kernels against the dense reference ---- */

static void add_row(char **to, const char *name, unsigned channels, test_random *r) {
    *to += sprintf(*to, "  %s", name);
    for (unsigned c = 0; c < channels; c++)
        if (random_below(r, 2)) *to += sprintf(*to, " %u:%a", c, ((double)random_below(r, 4001) - 2000.5) / 1024);
    *to += sprintf(*to, "\n");
}

static const char *random_model(char *buffer, test_random *r) {
    static const char *const masks[] = {"all", "j<i", "j<=i", "j>i", "j>=i"};
    static const char *const choices[] = {"softmax for average", "softmax for average scale \"ln(N) + 3\"",
                                          "softmax for leftmost"};
    enum { CHANNELS = 5 };
    char *p = buffer;
    p += sprintf(p, "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nat last\nend %s\n",
                 random_below(r, 2) ? "yes" : "no");
    p += sprintf(p, "channel 0 \"a\"\nchannel 1 \"b\"\nchannel 2 \"x\"\nchannel 3 \"p\" position \"(i %% "
                    "3)/4\"\nchannel 4 \"y\"\n");
    p += sprintf(p, "embed \"a\" 0:1\nembed \"b\" 1:1\nembed start 2:1\nembed end 4:1\n");
    for (unsigned layer = 1; layer <= 2; layer++) {
        p += sprintf(p, "layer %u\n", layer);
        for (unsigned head = 0; head < 2; head++) {
            p += sprintf(p, "head \"h\" mask %s choice %s\n", masks[random_below(r, 5)], choices[random_below(r, 3)]);
            unsigned size = (unsigned)random_below(r, 4), width = 1 + (unsigned)random_below(r, 2);
            for (unsigned d = 0; d < size; d++) add_row(&p, "query", CHANNELS, r);
            for (unsigned d = 0; d < size; d++) add_row(&p, "key", CHANNELS, r);
            for (unsigned d = 0; d < width; d++) add_row(&p, "value", CHANNELS, r);
            for (unsigned d = 0; d < width; d++) add_row(&p, "output", CHANNELS, r);
        }
        p += sprintf(p, "unit -0x1p-2 0:1 2:1 -> 4:-0x1p-1\nunit 1 3:-1 -> 1:0x1p-1\n");
    }
    p += sprintf(p, "read 0:1 1:-1 4:1\n");
    return buffer;
}

static void unstructured(test_random *r) {
    static char buffer[20000];
    temper_model *m;
    temper_error e;
    uint32_t word[300];
    size_t n = random_below(r, 3) ? random_below(r, 40) : random_below(r, 300);
    random_model(buffer, r);
    if (!CHECK(temper_model_read(&m, buffer, strlen(buffer), &e) == TEMPER_OK, "%zu:%zu: %s\n%s", e.line, e.column,
               e.text, buffer))
        return;
    count_plans(m, false);
    random_word(word, n, 2, r);
    temper_run_options plain = {.unchecked = 1}, dense = {.unchecked = 1, .dense = 1};
    temper_run_options hard = {.unchecked = 1, .hard = 1}, hard_dense = {.unchecked = 1, .hard = 1, .dense = 1};
    temper_run_options one = {.unchecked = 1, .threads = 1}, three = {.unchecked = 1, .threads = 3};
    if (!same_run("a random model", m, word, n, plain, dense, "plan and dense", false) ||
        !same_run("a random model", m, word, n, hard, hard_dense, "hard plan and hard dense", false) ||
        !same_run("a random model", m, word, n, one, three, "one thread and three", true))
        fprintf(stderr, "%s\n", buffer);
    temper_model_free(m);
}

/* A net may take the same off a channel twice, or put it back: then its keys are not zero. */
static void cleared_twice(void) {
    static const char *const units[] = {
        "unit 0 2:1 -> 2:-1\nunit 0 2:1 -> 2:-1\n", "unit 0 2:1 -> 2:-1\nunit 0 2:-1 -> 2:1\nunit 0 2:1 -> 2:-1\n",
        "unit 0 2:1 -> 2:-1\nunit 0 2:1 -> 2:-1\nunit 0 2:1 -> 2:1\nunit 0 2:-1 -> 2:1\n", "unit 0 2:1 -> 2:-1\n",
        "unit 0 2:1 -> 2:-1\nunit 0 2:-1 -> 2:1\n"};
    static const char *const keys[] = {"2:1", "2:-1"}, *const marks[] = {"1", "-1"};
    for (size_t k = 0; k < 5 * 2 * 2; k++) {
        char source[1000];
        temper_model *m;
        temper_error e;
        snprintf(
            source, sizeof source,
            "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nchannel 0 \"one\" position \"1\"\n"
            "channel 1 \"a\"\nchannel 2 \"x\"\nchannel 3 \"out\"\nembed \"a\" 1:1 2:%s\nembed \"b\"\nembed "
            "start\nembed end\nlayer 1\n%slayer 2\nhead \"h\" mask j<=i choice softmax for average scale \"9\"\n "
            "query 0:1\n key %s\n value 1:1\n output 3:1\nread 3:1\n",
            marks[k / 10], units[k % 5], keys[k / 5 % 2]);
        if (!CHECK(temper_model_read(&m, source, strlen(source), &e) == TEMPER_OK, "%s\n%s", e.text, source))
            continue;
        uint32_t word[] = {1, 0, 1, 1, 0, 1, 1, 1};
        temper_run_options plain = {.unchecked = 1}, dense = {.unchecked = 1, .dense = 1};
        same_run(source, m, word, 8, plain, dense, "plan and dense", false);
        temper_model_free(m);
    }
}

/* Three keys of a concave score. Rounding makes the first look better than the second, but the third is better than
   both, far beyond rounding: a proof says so, and a walk from key to key must not end before it. */
static void peak_behind_rounding(temper_type type, const char *queries, const char *second_keys) {
    char source[1500];
    temper_model *m;
    temper_error e;
    snprintf(source, sizeof source,
             "temper-model 1\nmethod temperature\nalphabet \"a\"\nempty accept\nchannel 0 \"q0\"\nchannel 1 \"q1\"\n"
             "channel 2 \"k0\" position \"[n = 2]*([i = 0]*1000 + [i = 1]*1001 + [i = 2]*2000) + [n <= 1]*i\"\n"
             "channel 3 \"k1\" position \"%s + [n <= 1]*i*i\"\nchannel 4 \"last\" position \"[i = 2]\"\n"
             "channel 5 \"out\"\nembed \"a\" %s\nembed start %s\nembed end\nlayer 1\nhead \"peak\" mask all choice "
             "softmax for average scale \"1e15\"\n query 0:1\n query 1:1\n key 2:1\n key 3:1\n value 4:1\n output "
             "5:1\nread 5:1\n",
             second_keys, queries, queries);
    if (!CHECK(temper_model_read(&m, source, strlen(source), &e) == TEMPER_OK, "%s\n%s", e.text, source)) return;
    count_plans(m, false);
    uint32_t word[] = {0, 0};
    const uint32_t *words[] = {word, word};
    size_t lengths[] = {2, 2};
    unsigned char accept[2] = {0, 0};
    temper_run *r;
    temper_run_options o = {.type = type};
    if (CHECK(temper_model_run(&r, m, word, 2, &o, &e) == TEMPER_OK, "%s: %s", temper_type_name(type), e.text)) {
        CHECK(temper_run_about(r).accept, "%s: the best key is not found", temper_type_name(type));
        temper_run_free(r);
    }
    if (CHECK(temper_model_run_many(accept, m, words, lengths, 2, &o, &e) == TEMPER_OK, "many: %s", e.text))
        CHECK(accept[0] && accept[1], "%s: the best key is not found in a batch", temper_type_name(type));
    temper_model_free(m);
}

static void peaks_behind_rounding(void) {
    unsigned long before = plans_seen[PLAN_PEAKED];
    peak_behind_rounding(
        TEMPER_TYPE_F64, "0:0x1.1e39a5539fae2p-1 1:-0x1.b150a78586a94p-1",
        "[n = 2]*([i = 0]*660.5475043035276 + [i = 1]*661.2080518078311 + [i = 2]*1321.0950086070393)");
    peak_behind_rounding(TEMPER_TYPE_F32, "0:0.6594679951667786 1:-0.6279504895210266",
                         "[n = 2]*([i = 0]*1050.1910400390625 + [i = 1]*1051.2412109375 + [i = 2]*2100.3720703125)");
    CHECK(plans_seen[PLAN_PEAKED] == before + 2, "these heads are not planned as peaked");
}

/* Random heads of that kind in f32, with keys far from evenly spaced and scores that differ by little more than their
   rounding: products of floats are exact in double, so that the best key is known. Whether it was beyond rounding. */
static bool uneven_peak(test_random *r) {
    enum { KEYS = 6 };
    char source[2500], *p = source, keys[2][600], *to[2] = {keys[0], keys[1]};
    float q0 = (float)(1 + random_below(r, 1u << 20) * 0x1p-20),
          q1 = -(float)(1 + random_below(r, 1u << 20) * 0x1p-20);
    double scores[KEYS], size = 0, k0[KEYS], slope = -(double)q0 / (double)q1;
    size_t best = 0, middle = random_below(r, KEYS);
    for (size_t j = 0; j < KEYS; j++)
        k0[j] = (float)((j ? k0[j - 1] : 0) +
                        ldexp(1 + (double)random_below(r, 64) / 64, (int)random_below(r, 2) * 10 + 1));
    double bend = ldexp(1, -19 + (int)random_below(r, 5)) * slope / k0[KEYS - 1];
    for (size_t j = 0; j < KEYS; j++) {
        float k1 = (float)(slope * k0[j] + bend * (k0[j] - k0[middle]) * (k0[j] - k0[middle]));
        scores[j] = (double)q0 * k0[j] + (double)q1 * (double)k1;
        size = fmax(size, (double)q0 * k0[j] - (double)q1 * (double)k1);
        if (scores[j] > scores[best]) best = j;
        to[0] += sprintf(to[0], "%s[i = %zu]*%.9g", j ? " + " : "", j, k0[j]);
        to[1] += sprintf(to[1], "%s[i = %zu]*%.9g", j ? " + " : "", j, (double)k1);
    }
    for (size_t j = 0; j < KEYS; j++)
        if (j != best && scores[best] - scores[j] <= 0x1p-20 * size) return false;
    p += sprintf(p, "temper-model 1\nmethod temperature\nalphabet \"a\"\nchannel 0 \"q0\"\nchannel 1 \"q1\"\n");
    p += sprintf(p, "channel 2 \"k0\" position \"%s\"\nchannel 3 \"k1\" position \"%s\"\n", keys[0], keys[1]);
    p += sprintf(p, "channel 4 \"best\" position \"[i = %zu]\"\nchannel 5 \"out\"\n", best);
    p += sprintf(p, "embed \"a\" 0:%a 1:%a\nembed start 0:%a 1:%a\nembed end\nlayer 1\n", (double)q0, (double)q1,
                 (double)q0, (double)q1);
    sprintf(p, "head \"peak\" mask all choice softmax for average scale \"1e9\"\n query 0:1\n query 1:1\n key 2:1\n "
               "key 3:1\n value 4:1\n output 5:1\nread 5:1\n");
    temper_model *m;
    temper_error e;
    temper_run *run;
    uint32_t word[KEYS] = {0};
    temper_run_options o = {.type = TEMPER_TYPE_F32, .unchecked = 1};
    if (!CHECK(temper_model_read(&m, source, strlen(source), &e) == TEMPER_OK, "%s\n%s", e.text, source))
        return false;
    if (CHECK(temper_model_run(&run, m, word, KEYS - 1, &o, &e) == TEMPER_OK, "%s\n%s", e.text, source)) {
        CHECK(temper_run_about(run).accept, "the best of uneven keys is not found\n%s", source);
        temper_run_free(run);
    }
    temper_model_free(m);
    return true;
}

static void one_spec(const char *name, const temper_spec *spec, test_random *r) {
    static const size_t lengths[] = {0, 1, 7, 40, 150, 511, 512};
    temper_error e;
    temper_model *hard, *soft;
    if (temper_build(&hard, spec, NULL, &e) != TEMPER_OK) {
        CHECK(e.code == TEMPER_LIMIT, "%s: %s", name, e.text);
        return;
    }
    temper_method method = random_below(r, 2) ? TEMPER_METHOD_POSITIONS : TEMPER_METHOD_TEMPERATURE;
    if (CHECK(temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = method}, &e) == TEMPER_OK, "%s: %s",
              name, e.text)) {
        count_plans(soft, false);
        count_plans(soft, true);
        for (size_t k = 0; k < 3; k++) {
            uint32_t word[512];
            size_t n = k == 2 && random_below(r, 8) ? random_below(r, 60) : lengths[random_below(r, 7)];
            random_word(word, n, (unsigned)temper_spec_about(spec).letters, r);
            one_word(name, spec, soft, word, n);
        }
        temper_model_free(soft);
    }
    temper_model_free(hard);
}

int main(void) {
    test_random r = test_seed(23);
    size_t step = test_effort() < 1 ? 5 : test_effort() > 1 ? 1 : 2;
    for (size_t k = 0; k < corpus_size(); k += step) {
        temper_spec *spec = corpus_parse(corpus_at(k));
        one_spec(corpus_at(k)->name, spec, &r);
        temper_spec_free(spec);
    }
    for (size_t k = 0; k < (size_t)(150 * test_effort()); k++) {
        random_shape shape = {.letters = 3,
                              .size = 12,
                              .depth = 6,
                              .past = true,
                              .future = k % 2,
                              .counting = true,
                              .modulo = k % 3 == 0,
                              .places = k % 4 < 2};
        temper_spec *spec = random_spec(&r, &shape, TEMPER_AT_LAST);
        one_spec("a random formula", spec, &r);
        temper_spec_free(spec);
    }
    for (int p = PLAN_UNIFORM; p < PLAN_DENSE; p++)
        CHECK(plans_seen[p] > 0, "no head was planned as %s", plan_name(p));
    CHECK(plans_seen[PLAN_DENSE] == 0, "%lu heads of compiled formulas fell back to dense", plans_seen[PLAN_DENSE]);
    for (size_t k = 0; k < (size_t)(250 * test_effort()); k++) unstructured(&r);
    cleared_twice();
    peaks_behind_rounding();
    size_t uneven = 0;
    for (size_t k = 0; k < (size_t)(3000 * test_effort()); k++) uneven += uneven_peak(&r);
    CHECK(uneven > 0, "no head with uneven keys");
    CHECK(plans_seen[PLAN_DENSE] > 0, "no head of the models without structure was dense");
    return test_finish("t-plan");
}
