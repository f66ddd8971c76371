/* The hunt for a wrong answer among sums: random comparisons of counts, from one summand to ten thousand, looking
   back, forward or both ways, with coefficients up to what the compiler refuses, and residues of counts; in f32, f64
   and short formats; run at exactly the proved length on strings whose sums stay next to the threshold. Streams and
   hard runs of the same models take part. `make test` gives it some seconds; `make certify-hunt` goes on until 10^4
   formulas were run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agree.h"
#include "model/model.h"
#include "number/number_type.h"
#include "run/dense.h"

enum { MOST_LETTERS = 14, MOST_SUMMANDS = 10000, MOST_TEXT = 1 << 19, LONGEST = 20000, LONGEST_PAIRS = 200 };

typedef struct hunt {
    test_random r;
    double until;
    uint64_t formulas, proved, strings, at_the_length, streams, hard, refused;
    size_t most_summands;
    unsigned char seen_type[NUMBER_TYPES];
    uint32_t *word;
    unsigned char *truth;
} hunt;

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- a sum ---- */

typedef struct sum {
    char text[MOST_TEXT], alphabet[MOST_LETTERS + 1];
    unsigned letters;
    size_t count;
    double back[MOST_LETTERS], ahead[MOST_LETTERS]; /* what a letter adds, before and after the position */
    double constant;
} sum;

/* Mostly few summands, rarely thousands. */
static size_t summand_count(test_random *r) {
    switch (random_below(r, 40)) {
    case 0: return 1000 + random_below(r, MOST_SUMMANDS - 999);
    case 1:
    case 2: return 100 + random_below(r, 900);
    case 3:
    case 4:
    case 5:
    case 6: return 20 + random_below(r, 80);
    default: return 1 + random_below(r, 8);
    }
}

/* Coefficients of about the same number of bits, so that sums may cancel. */
static int64_t coefficient(test_random *r, unsigned bits) {
    int64_t x = 1 + (int64_t)random_below(r, (uint64_t)1 << bits);
    return random_below(r, 2) ? x : -x;
}

static void random_sum(sum *s, test_random *r, bool past, bool future) {
    size_t used = 0;
    unsigned bits = (unsigned)random_below(r, 4) ? (unsigned)random_below(r, 5) : (unsigned)random_below(r, 51);
    *s = (sum){.letters = 2 + (unsigned)random_below(r, MOST_LETTERS - 1), .count = summand_count(r)};
    for (unsigned k = 0; k < s->letters; k++) s->alphabet[k] = (char)('a' + k);
    bool one_sign = random_below(r, 4) == 0;
    for (size_t k = 0; k < s->count && used + 80 < MOST_TEXT; k++) {
        int64_t x = coefficient(r, bits);
        if (one_sign && x < 0) x = -x;
        bool ahead = future && (!past || random_below(r, 2));
        unsigned set = 1 + (unsigned)random_below(r, (1u << s->letters) - 1);
        used +=
            (size_t)snprintf(s->text + used, 40, "%s%lld*#%s[[", k == 0 ? "" : " + ", (long long)x, ahead ? ">" : "");
        for (unsigned l = 0; l < s->letters; l++)
            if (set >> l & 1) {
                s->text[used++] = s->alphabet[l];
                (ahead ? s->ahead : s->back)[l] += (double)x;
            }
        used += (size_t)snprintf(s->text + used, 8, "]]");
    }
    int64_t b = random_below(r, 2) ? 0 : coefficient(r, bits);
    s->constant = (double)b;
    snprintf(s->text + used, 40, " + %lld >= 0", (long long)b);
}

/* Every prefix stays next to the threshold, as far as the letters allow; or all letters are alike; or random. */
static void choose_word(hunt *h, const sum *s, size_t n) {
    uint64_t kind = random_below(&h->r, 4);
    double total = s->constant;
    uint32_t alike = (uint32_t)random_below(&h->r, s->letters);
    for (size_t k = 0; k < n; k++) {
        uint32_t best = (uint32_t)random_below(&h->r, s->letters);
        for (uint32_t tries = 0; tries < s->letters && kind > 1; tries++) {
            uint32_t l = (uint32_t)random_below(&h->r, s->letters);
            double x = total + s->back[l] + (kind == 3 ? s->ahead[l] : 0),
                   y = total + s->back[best] + (kind == 3 ? s->ahead[best] : 0);
            if (fabs(x + 0.5) < fabs(y + 0.5)) best = l;
        }
        h->word[k] = kind == 0 ? alike : best;
        total += s->back[h->word[k]] + (kind == 3 ? s->ahead[h->word[k]] : 0);
    }
}

/* ---- one string ---- */

typedef struct target {
    const char *name;
    const temper_spec *spec;
    const temper_model *model;
    temper_type type;
    size_t proved;
} target;

static void blame(const target *t, size_t n, size_t position, const char *how) {
    CHECK(false, "PROVED AND WRONG: %.300s, method %d, %s in %s, proved to %zu: length %zu, position %zu", t->name,
          (int)t->model->method, how, temper_type_name(t->type), t->proved, n, position);
}

/* Every position, as the type's runner computes it, or the emulated one with logits moved about. */
static void run_dense(hunt *h, const target *t, size_t n, bool hard, uint64_t shake) {
    const number_type *type = number_type_of(t->type);
    dense_setting s = {.storage = type->storage,
                       .accumulation = type->accumulation,
                       .tile = type->tile,
                       .hard = hard,
                       .shake = shake};
    arena stream, scratch;
    trap guard;
    temper_error e;
    dense_answer a;
    arena_init(&stream, &guard);
    arena_init(&scratch, &guard);
    if (trap_set(&guard, &e)) {
        CHECK(false, "%.100s: %s", t->name, e.text);
    } else {
        dense_run(&a, t->model, h->word, n, &s, &stream, &scratch);
        size_t k = 0;
        while (!a.broken && k < n && a.truth[k + 1] == h->truth[k]) k++;
        if (a.broken || k < n) blame(t, n, k + 1, hard ? "a hard run" : shake ? "a shaken run" : "a dense run");
        trap_clear(&guard);
    }
    arena_free(&stream);
    arena_free(&scratch);
}

static void run_planned(hunt *h, const target *t, size_t n, bool hard) {
    temper_run_options o = {.type = t->type, .unchecked = 1, .threads = 1, .hard = hard};
    temper_run *run = NULL;
    temper_error e;
    if (!CHECK(!temper_model_run(&run, t->model, h->word, n, &o, &e), "%.100s: %s", t->name, e.text)) return;
    size_t k = 0;
    while (k < n && temper_run_about(run).truth[k + 1] == h->truth[k]) k++;
    if (k < n) blame(t, n, k + 1, hard ? "a hard run" : "a run");
    temper_run_free(run);
}

static void run_stream(hunt *h, const target *t, size_t n) {
    temper_run_options o = {.type = t->type, .unchecked = 1};
    temper_stream *s = NULL;
    temper_error e;
    int accept;
    if (temper_stream_open(&s, t->model, &o, &e)) return; /* it looks forward */
    size_t k = 0;
    while (k < n && !temper_stream_push(s, h->word[k], &accept, &e) && accept == h->truth[k]) k++;
    if (k < n) blame(t, n, k + 1, "a stream");
    temper_stream_free(s);
    h->streams++;
}

/* Hard choices of the same model, at exactly the length at which they are proved. */
static void attack_hard(hunt *h, const target *soft, const sum *s) {
    target t = *soft;
    temper_error e;
    int accept;
    temper_proof p;
    if (!CHECK(!temper_model_proof(&p, t.model, t.type, 1, &e), "%.100s: %s", t.name, e.text)) return;
    t.proved = p.claim == TEMPER_CLAIM_NONE ? 0 : p.length;
    size_t n = t.proved < LONGEST ? t.proved : LONGEST;
    if (n > LONGEST_PAIRS && number_type_is_emulated(t.type)) n = LONGEST_PAIRS;
    if (s->count * n > 2000000) n = 2000000 / s->count;
    if (n == 0) return;
    choose_word(h, s, n);
    if (!CHECK(!temper_spec_eval(&accept, h->truth, t.spec, h->word, n, &e), "%.100s: %s", t.name, e.text)) return;
    if (n <= LONGEST_PAIRS) run_dense(h, &t, n, true, 0);
    if (!number_type_is_emulated(t.type)) run_planned(h, &t, n, true);
    h->hard++;
}

static void attack_string(hunt *h, const target *t, const sum *s, size_t n) {
    temper_error e;
    int accept;
    choose_word(h, s, n);
    if (!CHECK(!temper_spec_eval(&accept, h->truth, t->spec, h->word, n, &e), "%.100s: %s", t->name, e.text)) return;
    bool emulated = number_type_is_emulated(t->type);
    h->strings++;
    h->at_the_length += n == t->proved;
    if (emulated || n <= LONGEST_PAIRS) run_dense(h, t, n, false, 0);
    if (n <= LONGEST_PAIRS) run_dense(h, t, n, false, random_u64(&h->r) | 1);
    if (emulated) return;
    run_planned(h, t, n, false);
    run_stream(h, t, n);
}

/* ---- one formula ---- */

static temper_type choose_type(test_random *r) {
    static const temper_type types[] = {TEMPER_TYPE_F32,      TEMPER_TYPE_F32,     TEMPER_TYPE_F32,
                                        TEMPER_TYPE_BF16_F32, TEMPER_TYPE_F16_F32, TEMPER_TYPE_BF16_F64,
                                        TEMPER_TYPE_BF16,     TEMPER_TYPE_F16,     TEMPER_TYPE_F64,
                                        TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_F32_F64};
    return types[random_below(r, sizeof types / sizeof *types)];
}

static void attack(hunt *h, const sum *s) {
    static const temper_method methods[] = {TEMPER_METHOD_TEMPERATURE, TEMPER_METHOD_POSITIONS, TEMPER_METHOD_DIGITS};
    temper_method method = methods[random_below(&h->r, 3)];
    temper_spec *spec = spec_of(s->text, s->alphabet, TEMPER_AT_LAST);
    temper_model *m = NULL;
    temper_error e;
    temper_build_options o = {.method = method};
    if (spec) temper_build(&m, spec, &o, &e);
    h->refused += !m;
    for (int k = 0; k < 3 && m; k++) {
        target t = {s->text, spec, m, choose_type(&h->r), 0};
        temper_proof p;
        if (!CHECK(!temper_model_proof(&p, m, t.type, 0, &e), "%.100s: %s", s->text, e.text)) continue;
        t.proved = p.length < LONGEST ? p.length : LONGEST;
        if (t.proved > 0) {
            size_t most = number_type_is_emulated(t.type) && t.proved > LONGEST_PAIRS ? LONGEST_PAIRS : t.proved;
            if (s->count * most > 2000000) most = 2000000 / s->count; /* the oracle's time */
            h->proved++;
            h->seen_type[t.type] = 1;
            attack_string(h, &t, s, most);
            if (most > 1) attack_string(h, &t, s, 1 + random_below(&h->r, most - 1));
        }
        attack_hard(h, &t, s);
    }
    h->formulas++;
    if (m && s->count > h->most_summands) h->most_summands = s->count;
    temper_model_free(m);
    temper_spec_free(spec);
}

static void random_residue(sum *s, test_random *r) {
    *s = (sum){.letters = 2, .count = 1, .alphabet = "ab"};
    unsigned m = 2 + (unsigned)random_below(r, 9);
    snprintf(s->text, 80, "%u*#[a] %% %u = %u", 1 + (unsigned)random_below(r, 20), m, (unsigned)random_below(r, m));
}

/* The sum that a proof without a term for the number of summands once called proved: one count for each set of
   letters that has a. */
static void named_sum(sum *s) {
    size_t used = 0;
    *s = (sum){.letters = MOST_LETTERS, .count = 8192, .alphabet = "abcdefghijklmn"};
    for (unsigned set = 0; set < 8192; set++) {
        used += (size_t)snprintf(s->text + used, 16, "%s#>[[a", set ? " + " : "");
        s->ahead[0] += 1;
        for (unsigned l = 0; l < 13; l++)
            if (set >> l & 1) s->text[used++] = (char)('b' + l), s->ahead[l + 1] += 1;
        used += (size_t)snprintf(s->text + used, 8, "]]");
    }
    snprintf(s->text + used, 40, " >= 2048*#[a]");
    s->back[0] = -2048;
}

static bool has_tried_all(const hunt *h) {
    return h->proved > 0 && h->at_the_length > 0 && h->streams > 0 && h->hard > 0;
}

int main(void) {
    static hunt h;
    static sum s;
    const char *full = getenv("TEMPER_HUNT");
    h.r = test_seed(8192);
    h.until = now() + (full ? 86400 : 12 * (test_effort() < 1 ? test_effort() : 1));
    h.word = malloc(LONGEST * sizeof *h.word);
    h.truth = malloc(LONGEST + 2);
    if (!h.word || !h.truth) return 1;
    named_sum(&s);
    attack(&h, &s);
    /* On a slow machine the time may be up at once: go on until each kind of run was tried. */
    while ((now() < h.until || (!has_tried_all(&h) && h.formulas < 100)) && !(full && h.formulas >= 10000)) {
        uint64_t kind = random_below(&h.r, 8);
        if (kind == 0)
            random_residue(&s, &h.r);
        else
            random_sum(&s, &h.r, kind != 1, kind == 1 || kind > 4);
        attack(&h, &s);
    }
    printf("%llu formulas of up to %zu summands, %llu proofs, %llu strings, %llu of them at exactly the proved "
           "length, %llu streams, %llu hard, %llu refused\n",
           (unsigned long long)h.formulas, h.most_summands, (unsigned long long)h.proved,
           (unsigned long long)h.strings, (unsigned long long)h.at_the_length, (unsigned long long)h.streams,
           (unsigned long long)h.hard, (unsigned long long)h.refused);
    CHECK(has_tried_all(&h), "not every kind of run was tried");
    free(h.word);
    free(h.truth);
    return test_finish("sum-hunt");
}
