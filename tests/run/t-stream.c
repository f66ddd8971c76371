/* Streams: the verdict after i letters is that of temper_model_run on the first i letters, hard and soft, by every
   method; the formula's own steps against the evaluator of whole strings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "model/model.h"
#include "corpus.h"
#include "logic/formula_eval.h"
#include "logic/formula_print.h"
#include "logic/formula_step.h"
#include "random_formula.h"
#include "proved.h"

enum { LONGEST = 400 };

static const char *shown(const uint32_t *word, size_t n) {
    static char out[2 * LONGEST + 1];
    for (size_t k = 0; k < n; k++) out[k] = (char)(word[k] < 26 ? 'a' + word[k] : '?');
    out[n] = 0;
    return out;
}

/* What a certificate says of a head; of a hard model there is none, and it rounds a share of 1 at most. */
static double certified_error(const temper_certificate *k, size_t layer, size_t head) {
    temper_certified_head x;
    for (size_t c = 0; k && c < temper_certificate_about(k).heads; c++)
        if (!temper_certificate_head(&x, k, c, NULL) && x.layer == layer && x.head == head)
            return strtod(x.error, NULL);
    return 0x1p-20;
}

static bool margins_hold(const char *name, const temper_model *m, const temper_stream *s, const uint32_t *word,
                         size_t n, bool single) {
    temper_certificate *k = NULL;
    temper_certify_options o = {.length = n, .type = single ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64};
    bool ok = CHECK(!temper_certify(&k, m, NULL, 0, &o, NULL), "%s: certify", name);
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            const model_head *head = &m->layers[l].heads[h];
            double margin = temper_stream_error(s, l + 1, h + 1), bound = certified_error(k, l + 1, h + 1);
            bool counts = head->role == ROLE_COUNT;
            if (!CHECK(counts ? margin == -1 : margin >= 0 && margin <= bound,
                       "%s on %s: head %u.%u (%s) off by %g, bound %g", name, shown(word, n), l + 1, h + 1,
                       head->label, margin, bound))
                ok = false;
        }
    temper_certificate_free(k);
    return ok;
}

/* The stream against runs on prefixes, and against the formula. `every`: compare runs on every prefix. */
static bool stream_on(const char *name, const temper_spec *spec, const temper_model *m, temper_run_options o,
                      const uint32_t *word, size_t n, bool every) {
    temper_error e;
    temper_stream *s;
    bool single = o.type == TEMPER_TYPE_F32;
    size_t proved = proved_lengths(m, o.type, o.hard);
    if (!CHECK(!temper_stream_open(&s, m, &o, &e), "%s: %s", name, e.text)) return false;
    bool ok = CHECK(temper_stream_about(s).length == 0 &&
                        temper_stream_about(s).accept == temper_spec_about(spec).accepts_empty,
                    "%s: the empty string", name);
    for (size_t k = 0; k < n && ok; k++) {
        int accept = -1, want = -1;
        if (k + 1 >= proved) {
            ok = CHECK(temper_stream_push(s, word[k], &accept, &e) == TEMPER_LIMIT, "%s: went on after %zu", name, k);
            n = k;
            break;
        }
        ok = CHECK(!temper_stream_push(s, word[k], &accept, &e), "%s: %s", name, e.text);
        if (ok && (every || k + 1 == n)) {
            temper_run *run;
            ok = CHECK(!temper_model_run(&run, m, word, k + 1, &o, &e), "%s: %s", name, e.text);
            if (!ok) break;
            want = temper_run_about(run).accept;
            temper_run_free(run);
        } else if (ok) {
            CHECK(!temper_spec_eval(&want, NULL, spec, word, k + 1, &e), "%s: %s", name, e.text);
        }
        ok = ok && CHECK(accept == want && accept == temper_stream_about(s).accept, "%s, %s%s%s, on %s: %d, run %d",
                         name, temper_method_name(m->method), o.hard ? " (hard)" : "", single ? " (f32)" : "",
                         shown(word, k + 1), accept, want);
    }
    ok = ok && CHECK(temper_stream_about(s).length == n && temper_stream_about(s).proved == (proved > 0),
                     "%s: length", name);
    ok = ok && margins_hold(name, m, s, word, n, single);
    temper_stream_free(s);
    return ok;
}

static bool set_on(const agree_set *s, const uint32_t *word, size_t n, bool every) {
    bool ok = true;
    for (temper_type type = TEMPER_TYPE_F64; type <= TEMPER_TYPE_F32; type++) {
        temper_run_options soft = {.type = type}, hard = {.hard = 1, .type = type};
        ok = ok && stream_on(s->name, s->spec, s->hard, hard, word, n, every);
        for (int k = 0; k < 2; k++) {
            ok = ok && stream_on(s->name, s->spec, s->soft[k], soft, word, n, every);
            ok = ok && stream_on(s->name, s->spec, s->soft[k], hard, word, n, every);
        }
    }
    return ok;
}

static unsigned directions(const temper_spec *spec) {
    node_id back, forward;
    trap t;
    arena *a = spec->graph.arena;
    trap *held = a->trap;
    a->trap = &t; /* the marks are made in the formula's arena */
    if (trap_set(&t, NULL)) abort();
    unsigned d = formula_directions(&spec->graph, spec->root, &back, &forward);
    a->trap = held;
    return d;
}

/* What is read at a computed position may stand anywhere: no memory of a fixed size holds it. */
static bool reads_places(const temper_spec *spec) {
    for (size_t id = 1; id < spec->graph.count; id++)
        if (spec->graph.nodes[id].op == OP_AT) return true;
    return false;
}

/* Can the model be streamed? What looks only back always can; what cannot is named. */
static bool opens(const agree_set *s) {
    temper_error e;
    temper_stream *stream;
    bool ok = temper_stream_open(&stream, s->hard, NULL, &e) == TEMPER_OK;
    for (int k = 0; k < 2; k++) {
        temper_stream *soft;
        bool soft_ok = temper_stream_open(&soft, s->soft[k], NULL, &e) == TEMPER_OK;
        CHECK(soft_ok == ok, "%s: hard %d, soft %d: %s", s->name, ok, soft_ok, e.text);
        bool named =
            strstr(e.text, "looks forward") || (reads_places(s->spec) && strstr(e.text, "reads at a position"));
        CHECK(soft_ok || (e.code == TEMPER_UNSUPPORTED && named), "%s: %s", s->name, e.text);
        temper_stream_free(soft);
    }
    temper_stream_free(stream);
    CHECK(ok || directions(s->spec) & 2 || reads_places(s->spec), "%s looks only back: %s", s->name, e.text);
    return ok;
}

static void test_corpus(void) {
    test_random r = test_seed(31);
    size_t streamed = 0, step = test_effort() > 1 ? 1 : 2;
    for (size_t k = 0; k < corpus_size(); k += step) {
        const corpus_entry *item = corpus_at(k);
        temper_spec *spec = corpus_parse(item);
        agree_set s;
        uint32_t word[LONGEST];
        if (!spec) continue;
        temper_model *trial;
        if (temper_build(&trial, spec, NULL, NULL) == TEMPER_LIMIT) { /* numbers that only the evaluator can take */
            temper_spec_free(spec);
            continue;
        }
        temper_model_free(trial);
        if (agree_compile(&s, item->name, spec) && opens(&s)) {
            streamed++;
            for (int w = 0; w < 3; w++) {
                size_t n = 1 + random_below(&r, 16);
                random_word(word, n, (unsigned)spec->letters.count, &r);
                set_on(&s, word, n, true);
            }
            random_word(word, 150, (unsigned)spec->letters.count, &r);
            set_on(&s, word, 150, false);
        }
        agree_free(&s);
        temper_spec_free(spec);
    }
    CHECK(streamed > corpus_size() / step / 4, "%zu of %zu streamed", streamed, corpus_size() / step);
}

/* formula_step against formula_eval, letter by letter (mirrored: from the last), from copied states too. */
static void step_formula(const char *name, const temper_spec *spec, const uint32_t *word, size_t n, bool mirrored) {
    trap t;
    arena a;
    unsigned char truth[LONGEST];
    arena_init(&a, &t);
    if (trap_set(&t, NULL)) abort();
    formula_eval(truth, &spec->graph, spec->root, word, n, &a);
    formula_stepper *f = formula_stepper_new(&a, &spec->graph, &spec->root, 1, mirrored);
    if (reads_places(spec)) {
        CHECK(!f, "%s: stepped in a state of a fixed size", name);
    } else if (CHECK(f, "%s: not stepped", name)) {
        size_t size = formula_stepper_state_size(f);
        void *state = arena_alloc(&a, 1, size), *copy = arena_alloc(&a, 1, size);
        unsigned char *values = arena_alloc(&a, 1, formula_stepper_value_size(f));
        formula_stepper_start(f, state);
        for (size_t k = 0; k < n; k++) {
            memcpy(copy, state, size);
            formula_stepper_step(f, copy, values, word[n - 1 - k]); /* a branch not taken */
            size_t at = mirrored ? n - 1 - k : k;
            bool v = formula_stepper_step(f, state, values, word[at]);
            if (!CHECK(v == truth[at], "%s on %s at %zu: step %d, row %d", name, shown(word, n), at + 1, v,
                       truth[at]))
                break;
        }
    }
    arena_free(&a);
}

static void test_random_formulas(void) {
    test_random r = test_seed(32);
    size_t formulas = (size_t)(300 * test_effort());
    for (size_t k = 0; k < formulas; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 3),
                              .size = 1 + random_below(&r, 20),
                              .depth = 1 + random_below(&r, 8),
                              .past = true,
                              .counting = random_below(&r, 2),
                              .modulo = random_below(&r, 3) == 0,
                              .mixed_attend = random_below(&r, 4) == 0};
        temper_spec *spec = random_spec(&r, &shape, random_below(&r, 4) ? TEMPER_AT_LAST : TEMPER_AT_FIRST);
        trap t;
        arena a;
        text label;
        uint32_t word[LONGEST];
        arena_init(&a, &t);
        if (trap_set(&t, NULL)) abort();
        text_init(&label, &a);
        formula_label(&label, &spec->graph, &spec->letters, spec->root, 0);
        const char *name = text_string(&label);
        bool back = !(directions(spec) & 2);
        agree_set s;
        if (agree_compile(&s, name, spec) && opens(&s))
            for (int w = 0; w < 3; w++) {
                size_t n = w == 2 ? 1 + random_below(&r, 100) : 1 + random_below(&r, 12);
                random_word(word, n, shape.letters, &r);
                set_on(&s, word, n, w < 2);
            }
        size_t n = 1 + random_below(&r, 40);
        random_word(word, n, shape.letters, &r);
        if (back) step_formula(name, spec, word, n, false);
        agree_free(&s);
        arena_free(&a);
        temper_spec_free(spec);
    }
}

static void test_mirrored_formulas(void) {
    test_random r = test_seed(34);
    size_t formulas = (size_t)(500 * test_effort());
    for (size_t k = 0; k < formulas; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 3),
                              .size = 1 + random_below(&r, 20),
                              .depth = 1 + random_below(&r, 8),
                              .future = true,
                              .counting = random_below(&r, 2),
                              .modulo = random_below(&r, 3) == 0,
                              .mixed_attend = random_below(&r, 4) == 0,
                              .large = random_below(&r, 8) == 0};
        temper_spec *spec = random_spec(&r, &shape, TEMPER_AT_FIRST);
        uint32_t word[LONGEST];
        size_t n = 1 + random_below(&r, 40);
        char name[40];
        snprintf(name, sizeof name, "mirrored formula %zu", k);
        random_word(word, n, shape.letters, &r);
        if (!(directions(spec) & 1)) step_formula(name, spec, word, n, true);
        temper_spec_free(spec);
    }
}

static temper_model *model_from(const char *source, const char *letters, temper_method method) {
    temper_spec *spec = spec_of(source, letters, TEMPER_AT_LAST);
    temper_model *m = spec ? model_of(spec, method) : NULL;
    temper_spec_free(spec);
    return m;
}

static void refused(const char *source, const char *named) {
    for (temper_method method = TEMPER_METHOD_HARD; method <= TEMPER_METHOD_DIGITS; method++) {
        temper_model *m = model_from(source, "ab", method);
        temper_error e = {0};
        temper_stream *s;
        CHECK(m && temper_stream_open(&s, m, NULL, &e) == TEMPER_UNSUPPORTED && !s && strstr(e.text, named),
              "%s: '%s'", source, e.text);
        temper_model_free(m);
    }
}

/* It is proved by what its heads and gates are, not by a look at every string. */
static bool is_recognised(const temper_model *m) {
    temper_certify_options o = {.length = 2};
    temper_certificate *c = NULL;
    bool is = !temper_certify(&c, m, NULL, 0, &o, NULL) && *temper_certificate_about(c).read_off;
    temper_certificate_free(c);
    return is;
}

/* Replaces `from` in the text of a model; the result must be refused on opening or on the way, or answer as a run
   does. */
static void edited(const char *source, temper_method method, const char *from, const char *to, bool must_refuse) {
    temper_model *m = model_from(source, "abc", method), *changed = NULL;
    temper_error e = {0};
    char *printed = NULL;
    size_t length;
    if (!m || !CHECK(!temper_model_print(&printed, &length, m, &e), "%s", e.text)) return;
    char *at = strstr(printed, from), *digest = strstr(printed, "\ndigest");
    if (CHECK(at && digest, "'%s' in the model of %s", from, source)) {
        size_t size = length + strlen(to) + 1;
        char *other = malloc(size);
        digest[1] = 0;
        int used = snprintf(other, size, "%.*s%s%s", (int)(at - printed), printed, to, at + strlen(from));
        if (CHECK(!temper_model_read(&changed, other, (size_t)used, &e), "%s: %s", to, e.text)) {
            temper_run_options o = {.unchecked = 1};
            temper_stream *s = NULL;
            static const uint32_t word[] = {0, 1, 1, 0, 2, 1, 0, 0, 0, 2, 1, 1, 0};
            temper_status status = temper_stream_open(&s, changed, &o, &e);
            for (size_t k = 0; !status && k < sizeof word / sizeof *word; k++) {
                int accept;
                temper_run *run;
                status = temper_stream_push(s, word[k], &accept, &e);
                if (status) break;
                CHECK(!temper_stream_about(s).proved || is_recognised(changed),
                      "%s, %s -> %s is proved without its roles", source, from, to);
                CHECK(temper_stream_about(s).claim != TEMPER_CLAIM_FORMULA, "%s, %s -> %s is not its source", source,
                      from, to);
                if (CHECK(!temper_model_run(&run, changed, word, k + 1, &o, &e), "%s", e.text))
                    CHECK(temper_run_about(run).accept == accept, "%s, %s -> %s, after %zu letters", source, from, to,
                          k + 1);
                temper_run_free(run);
            }
            CHECK(!status || (status == TEMPER_UNSUPPORTED && strstr(e.text, "head ")), "%s -> %s: %s", from, to,
                  e.text);
            CHECK(!must_refuse || status, "%s: %s -> %s is not refused", source, from, to);
            temper_stream_free(s);
        }
        free(other);
    }
    temper_model_free(changed);
    temper_model_free(m);
    temper_free(printed);
}

static void test_refusals(void) {
    refused("F a", "head 1.1 (F a) looks forward");
    refused("O a & X b", "(X b) looks forward");
    refused("#>[a] >= 2", "looks forward");
    refused("#[a] >= #>[b]", "looks forward");
    refused("O (a & last)", "(last");
    edited("O a", TEMPER_METHOD_TEMPERATURE, "scale \"ln(N) + 8\"", "scale \"ln(N) + 9\"", true);
    edited("O a", TEMPER_METHOD_TEMPERATURE, "role once", "role nearest", true);
    edited("a S b", TEMPER_METHOD_TEMPERATURE, "scale \"8*N\"", "scale \"4*N\"", true);
    edited("a S b", TEMPER_METHOD_TEMPERATURE, "soft \"i/N\"", "soft \"i/N/2\"", true);
    edited("a S b", TEMPER_METHOD_POSITIONS, "position \"8*N\"", "position \"9*N\"", true);
    edited("a S b", TEMPER_METHOD_DIGITS, "position \"ceil2(16*N)\"", "position \"ceil2(8*N)\"", true);
    edited("a S b", TEMPER_METHOD_DIGITS, "/256) % 256)\"\n", "/256) % 128)\"\n", true);
    edited("a S b", TEMPER_METHOD_DIGITS, "query 1:2048", "query 1:1024", true);
    edited("a S b", TEMPER_METHOD_DIGITS, "method digits bf16", "method digits e4m3", true);
    edited("O a", TEMPER_METHOD_DIGITS, "position \"-4*floor", "position \"-5*floor", true);
    edited("a S b", TEMPER_METHOD_TEMPERATURE, "mask j<=i", "mask j<i", false);
    edited("#[a] >= #[b]", TEMPER_METHOD_TEMPERATURE, "role count", "role compare", true);
    edited("#[a] >= #[b]", TEMPER_METHOD_POSITIONS, "position \"[i = 0]*16*N\"", "position \"[i = 1]*16*N\"", true);
    edited("#[a] >= #[b]", TEMPER_METHOD_TEMPERATURE, "unit 0 1:1 -> 1:-1\n",
           "unit 0 1:1 -> 1:-1\nunit 0 1:1 -> 1:-1\n", false); /* x - 2 relu(x) clears nothing */
    edited("#[a] % 3 = 1", TEMPER_METHOD_TEMPERATURE, "scale \"16*N*N*N\"", "scale \"16*N*N\"", true);
    edited("#[a] % 3 = 1", TEMPER_METHOD_TEMPERATURE, "position \"[i % 3 = 1]\"", "position \"[i % 3 = N]\"", true);
    edited("O (a & Y b)", TEMPER_METHOD_TEMPERATURE, "-0x1.2p+2", "-0x1.1p+2",
           true); /* a gate that is no longer exact */
}

/* To the end of the proved length in f32, on one string: against the formula, letter by letter. */
static void test_long_f32(void) {
    static const char *const sources[] = {"(a S b) & Y Y a", "#[a] >= #[b] & O(a & Y b)", "#[a] % 3 = 1",
                                          "#[a] = 2*#[b] + 1"};
    test_random r = test_seed(35);
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
        for (temper_method method = TEMPER_METHOD_HARD; method <= TEMPER_METHOD_DIGITS; method++) {
            temper_spec *spec = spec_of(sources[k], "ab", TEMPER_AT_LAST);
            temper_model *m = spec ? model_of(spec, method) : NULL;
            temper_run_options o = {.type = TEMPER_TYPE_F32};
            temper_stream *s = NULL;
            temper_error e;
            size_t proved = m ? proved_lengths(m, TEMPER_TYPE_F32, false) : 0;
            if (!CHECK(proved > 0, "%s, %s: nothing is proved in f32", sources[k], temper_method_name(method)))
                continue;
            if (m && CHECK(!temper_stream_open(&s, m, &o, &e), "%s: %s", sources[k], e.text)) {
                size_t n = proved < 100001 ? proved - 1 : 100000, wrong = 0;
                uint32_t *word = malloc((n + 1) * sizeof *word);
                unsigned char *truth = malloc(n + 1);
                random_word(word, n, 2, &r);
                CHECK(!temper_spec_eval(NULL, truth, spec, word, n, &e), "%s", e.text);
                for (size_t i = 0; i < n; i++) {
                    int accept = -1;
                    if (!CHECK(!temper_stream_push(s, word[i], &accept, &e), "%s at %zu: %s", sources[k], i, e.text))
                        break;
                    wrong += accept != (truth[i] != 0);
                }
                CHECK(wrong == 0, "%s, %s, f32: %zu of %zu answers are wrong", sources[k], temper_method_name(method),
                      wrong, n);
                if (n + 1 == proved)
                    CHECK(temper_stream_push(s, 0, NULL, &e) == TEMPER_LIMIT && strstr(e.text, "f32"), "%s: '%s'",
                          sources[k], e.text);
                free(word);
                free(truth);
            }
            temper_stream_free(s);
            temper_model_free(m);
            temper_spec_free(spec);
        }
}

/* A hard run letter by letter counts distances in floats, so nothing is proved where these no longer tell positions
   apart: beyond 2^24 the letter before the last would count as the last one. */
static void test_hard_distances(void) {
    static const char *const sources[] = {"Y a", "a S b", "rightmost[j<i, Y letter is letter] a"};
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        temper_model *m = model_from(sources[k], "abc", TEMPER_METHOD_TEMPERATURE);
        temper_proof p;
        CHECK(!temper_model_proof(&p, m, TEMPER_TYPE_F32, 1, NULL) && p.length == (1u << 24) - 1,
              "%s: hard runs in f32 are proved to %zu letters", sources[k], p.length);
        temper_model_free(m);
    }
}

static void test_calls(void) {
    temper_model *m = model_from("(a S b) & #[a] % 2 = 0 | #[a] >= 3*#[b]", "ab", TEMPER_METHOD_TEMPERATURE);
    temper_stream *s;
    temper_error e;
    int accept, again[64];
    if (!m || !CHECK(!temper_stream_open(&s, m, NULL, &e), "%s", e.text)) return;
    CHECK(temper_stream_push(s, 2, &accept, &e) == TEMPER_RANGE && temper_stream_about(s).length == 0, "%s", e.text);
    test_random r = test_seed(33);
    uint32_t word[64];
    random_word(word, 64, 2, &r);
    for (size_t k = 0; k < 64; k++) temper_stream_push(s, word[k], &again[k], &e);
    temper_stream_reset(s);
    for (size_t k = 0; k < 64; k++)
        CHECK(!temper_stream_push(s, word[k], &accept, NULL) && accept == again[k], "after a reset, at %zu", k);
    /* Constant memory: no push allocates anything, once the proof is known. */
    CHECK(proved_lengths(m, TEMPER_TYPE_F64, false) > 100064, "the proved length");
    arena_fail_after(1);
    for (size_t k = 0; k < 100000; k++)
        if (temper_stream_push(s, (uint32_t)random_below(&r, 2), &accept, &e)) break;
    arena_fail_after(0);
    CHECK(temper_stream_about(s).length == 100064, "%zu letters", temper_stream_about(s).length);
    CHECK(temper_stream_error(s, 1, 99) == -1 && temper_stream_error(s, 0, 1) == -1, "no such head");
    temper_stream_free(s);
    temper_stream_free(NULL);

    bool done = false;
    for (unsigned long k = 1; !done && k < 1000; k++) {
        arena_fail_after(k);
        temper_status status = temper_stream_open(&s, m, NULL, &e);
        arena_fail_after(0);
        done = !status;
        CHECK(done || (status == TEMPER_NO_MEMORY && !s), "allocation %lu: %s", k, e.text);
        temper_stream_free(s);
    }
    CHECK(done, "it ends");
    temper_model_free(m);

    m = model_from("1000000000000000*#[a] >= #[b]", "ab", TEMPER_METHOD_POSITIONS);
    if (!m) return;
    temper_run_options o = {0};
    size_t proved = proved_lengths(m, TEMPER_TYPE_F64, false);
    for (o.unchecked = 0; o.unchecked <= 1; o.unchecked++) {
        if (!CHECK(!temper_stream_open(&s, m, &o, &e), "%s", e.text)) continue;
        temper_status status = TEMPER_OK;
        size_t n = 0;
        while (!status && n <= proved + 5) status = temper_stream_push(s, (uint32_t)(n++ % 2), &accept, &e);
        CHECK(status == (o.unchecked ? TEMPER_OK : TEMPER_LIMIT), "%zu letters: %s", n, e.text);
        CHECK(temper_stream_about(s).proved == !o.unchecked, "proved after %zu", temper_stream_about(s).length);
        CHECK(o.unchecked || temper_stream_about(s).length + 1 == proved, "%zu read", temper_stream_about(s).length);
        temper_stream_free(s);
    }
    temper_model_free(m);
}

int main(void) {
    test_corpus();
    test_random_formulas();
    test_mirrored_formulas();
    test_refusals();
    test_long_f32();
    test_hard_distances();
    test_calls();
    return test_finish("t-stream");
}
