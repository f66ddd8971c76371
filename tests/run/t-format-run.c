/* Runs in number formats: in f64, f32, f16 (where the compiler has it) and bf16 the bits of a plain run in the
   compiler's own types; passes over the string the bits of all pairs, in every format; captured runs the bits of runs
   that keep nothing, and numbers that lead from each to the next. Compiled models, random ones, softened ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "native_formats.h"
#include "number/number_type.h"
#include "proved.h"
#include "random_formula.h"
#include "random_model.h"
#include "run/dense.h"
#include "run/positions.h"
#include "run/run_string.h"
#include "test.h"

/* ---- comparing ---- */

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || f64_bits(a) == f64_bits(b); }

typedef struct emulation {
    arena stream, scratch;
    trap trap;
    temper_error error;
    dense_answer answer;
} emulation;

/* The caller frees with stop. */
static bool emulate(emulation *e, const temper_model *m, const uint32_t *word, size_t n, temper_type type, bool hard,
                    bool dense) {
    const number_type *t = number_type_of(type);
    dense_setting s = {
        .storage = t->storage, .accumulation = t->accumulation, .tile = t->tile, .hard = hard, .pairs = dense};
    arena_init(&e->stream, &e->trap);
    arena_init(&e->scratch, &e->trap);
    if (trap_set(&e->trap, &e->error)) return CHECK(false, "%s: %s", t->name, e->error.text);
    dense_run(&e->answer, m, word, n, &s, &e->stream, &e->scratch);
    trap_clear(&e->trap);
    return true;
}

static void stop(emulation *e) {
    arena_free(&e->stream);
    arena_free(&e->scratch);
}

static unsigned long broken_runs, whole_runs;

/* Passes and all pairs. */
static void compare_dense(const char *name, const temper_model *m, const uint32_t *word, size_t n, temper_type type,
                          bool hard) {
    emulation a, b;
    size_t heads = 0;
    for (uint32_t l = 0; l < m->layer_count; l++) heads += m->layers[l].head_count;
    if (emulate(&a, m, word, n, type, hard, false)) {
        if (emulate(&b, m, word, n, type, hard, true)) {
            const dense_answer *x = &a.answer, *y = &b.answer;
            bool ok = x->broken == y->broken && x->layer == y->layer && x->head == y->head;
            for (size_t k = 0; ok && !x->broken && k < x->size * m->channel_count; k++) ok = same(x->x[k], y->x[k]);
            for (size_t k = 0; ok && !x->broken && k < heads; k++) ok = same(x->heads[k].margin, y->heads[k].margin);
            ok = ok && (x->broken || memcmp(x->truth, y->truth, x->size) == 0);
            CHECK(ok, "%s%s in %s, length %zu: passes and all pairs differ", name, hard ? " (hard)" : "",
                  temper_type_name(type), n);
            broken_runs += x->broken;
            whole_runs += !x->broken;
        }
        stop(&b);
    }
    stop(&a);
}

/* ---- captured runs ---- */

/* The answers, margins and last channels of a run that keeps nothing. */
static void compare_captured(const char *name, const temper_model *m, const temper_run *r, const dense_answer *a,
                             const char *what) {
    bool ok = !a->broken;
    size_t index = 0;
    for (size_t i = 0; ok && i < a->size; i++) {
        const double *x = temper_run_channels(r, m->layer_count, i);
        ok = a->truth[i] == temper_run_about(r).truth[i];
        for (uint32_t c = 0; ok && c < m->channel_count; c++) ok = same(x[c], a->x[i * m->channel_count + c]);
    }
    for (uint32_t l = 1; l <= m->layer_count; l++)
        for (uint32_t h = 1; h <= m->layers[l - 1].head_count; h++, index++)
            ok = ok && same(a->heads[index].margin, temper_run_head(r, l, h).error);
    CHECK(ok, "%s in %s: the captured run differs", name, what);
}

/* A row of a head again, from the numbers that the run kept before it: query and keys to scores, scores to weights,
   weights and values to the output. */
static bool row_follows(const number_type *t, const model_head *h, const temper_run *r, uint32_t l, uint32_t k,
                        size_t i, bool hard) {
    size_t size = temper_run_about(r).size, chosen = SIZE_MAX;
    const double *scores = temper_run_head(r, l, k).scores + i * size,
                 *weights = temper_run_head(r, l, k).weights + i * size;
    const double *q = temper_run_row(r, l, k, i).query, *out = temper_run_row(r, l, k, i).output;
    const number_format *s = t->storage, *a = t->accumulation;
    double scale = temper_run_row(r, l, k, i).scale, best = -INFINITY, total = 0, *p = calloc(size, sizeof *p);
    temper_choice choice = hard ? h->hard_choice : h->choice;
    key_range keys = mask_keys(h->mask, i, size);
    bool ok = p != NULL;
    for (size_t j = 0; ok && j < size; j++) {
        bool seen = j >= keys.first && j < keys.end;
        double score = 0;
        for (uint32_t d = 0; d < h->query.count; d++)
            score = format_round(a, score + format_round(a, q[d] * temper_run_row(r, l, k, j).key[d]));
        ok = seen ? same(scores[j], score) : scores[j] == -INFINITY && weights[j] == 0;
        if (seen && score > best) best = score;
    }
    for (size_t j = keys.first; ok && j < keys.end; j++)
        if (scores[j] == best && (chosen == SIZE_MAX || choice == TEMPER_CHOICE_RIGHTMOST)) chosen = j;
    for (size_t j = keys.first; ok && j < keys.end; j++) {
        double low = format_round(a, format_round(a, scale * scores[j]) - format_round(a, scale * best));
        p[j] = choice == TEMPER_CHOICE_SOFTMAX   ? format_exp(a, low)
               : choice == TEMPER_CHOICE_AVERAGE ? scores[j] == best
                                                 : j == chosen;
        total = format_round(a, total + p[j]);
    }
    for (size_t j = keys.first; ok && j < keys.end; j++)
        ok = same(weights[j], format_round(a, format_round(s, p[j]) / total));
    for (uint32_t d = 0; ok && d < h->value.count; d++) {
        double sum = 0;
        for (size_t j = keys.first; j < keys.end; j++)
            sum = format_round(a, sum + format_round(a, format_round(s, p[j]) * temper_run_row(r, l, k, j).value[d]));
        ok = same(out[d], keys.first < keys.end ? format_round(s, format_round(a, sum / total)) : 0);
    }
    free(p);
    return ok;
}

static void rows_follow(const char *name, const temper_model *m, const temper_run *r, temper_type type, bool hard) {
    for (uint32_t l = 1; l <= m->layer_count; l++)
        for (uint32_t k = 1; k <= m->layers[l - 1].head_count; k++) {
            const model_head *h = &m->layers[l - 1].heads[k - 1];
            if (h->adaptive && !hard) continue;
            for (size_t i = 0; i < temper_run_about(r).size; i++)
                if (!CHECK(row_follows(number_type_of(type), h, r, l, k, i, hard), "%s%s in %s: head %u.%u, row %zu",
                           name, hard ? " (hard)" : "", temper_type_name(type), l, k, i))
                    return;
        }
}

static void check_capture(const char *name, const temper_model *m, const uint32_t *word, size_t n, temper_type type,
                          bool hard) {
    temper_run *r;
    emulation e;
    temper_error error;
    temper_run_options o = {.hard = hard, .capture = 1, .type = type};
    run_request q = {.model = m, .letters = word, .n = n, .options = &o, .way = WAY_FAST}; /* proofs take longer */
    if (run_string(&r, &q, &error) != TEMPER_OK) {
        if (emulate(&e, m, word, n, type, hard, true))
            CHECK(e.answer.broken, "%s in %s: %s", name, temper_type_name(type), error.text);
        stop(&e);
        return;
    }
    for (int pairs = 0; pairs < 2; pairs++) {
        if (emulate(&e, m, word, n, type, hard, pairs))
            compare_captured(name, m, r, &e.answer, temper_type_name(type));
        stop(&e);
    }
    rows_follow(name, m, r, type, hard);
    temper_run_free(r);
}

static bool has_adaptive(const temper_model *m) {
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            if (m->layers[l].heads[h].adaptive) return true;
    return false;
}

static void compare_native(const char *name, const temper_model *m, const uint32_t *word, size_t n, bool hard) {
    size_t size = n + 1 + m->has_end, channels = m->channel_count;
    double *x = calloc(size * channels, sizeof *x);
    unsigned char *truth = calloc(size, 1);
    emulation e;
    for (size_t k = 0; k < sizeof natives / sizeof *natives; k++) {
        if (emulate(&e, m, word, n, natives[k].type, hard, false) && !e.answer.broken) {
            natives[k].run(x, truth, m, word, n, hard, 0);
            bool ok = memcmp(truth, e.answer.truth, size) == 0;
            for (size_t c = 0; ok && c < size * channels; c++) ok = same(x[c], e.answer.x[c]);
            CHECK(ok, "%s%s in %s differs from the compiler's arithmetic on a string of length %zu", name,
                  hard ? " (hard)" : "", temper_type_name(natives[k].type), n);
        }
        stop(&e);
    }
    free(x);
    free(truth);
}

static void compare_all(const char *name, const temper_model *m, const uint32_t *word, size_t n) {
    for (int hard = 0; hard < 2; hard++) {
        if (hard || !has_adaptive(m)) compare_native(name, m, word, n, hard);
        for (temper_type type = TEMPER_TYPE_F64; type <= TEMPER_TYPE_BF16_F64; type++) /* t-tiles has the others */
            if (type != TEMPER_TYPE_EXACT) {
                compare_dense(name, m, word, n, type, hard);
                check_capture(name, m, word, n, type, hard);
            }
    }
}

/* ---- models ---- */

static void compiled(test_random *r) {
    uint32_t word[100];
    double share = 0.15 * test_effort();
    for (size_t k = 0; k < corpus_size(); k++) {
        const corpus_entry *c = corpus_at(k);
        temper_spec *spec = (double)random_below(r, 1000) < 1000 * share ? corpus_parse(c) : NULL;
        temper_model *hard, *apart, *soft;
        if (!spec) continue;
        size_t n = random_below(r, 40);
        random_word(word, n, (unsigned)temper_spec_about(spec).letters, r);
        if (temper_build(&hard, spec, NULL, NULL) == TEMPER_OK) {
            CHECK(temper_build(&apart, spec, &(temper_build_options){.digits = TEMPER_TYPE_BF16}, NULL) == TEMPER_OK,
                  "%s: gates apart", c->name);
            for (temper_method how = TEMPER_METHOD_TEMPERATURE; how <= TEMPER_METHOD_DIGITS; how++)
                if (CHECK(temper_soften(&soft, NULL, how == TEMPER_METHOD_DIGITS ? apart : hard,
                                        &(temper_soften_options){.method = how}, NULL) == TEMPER_OK,
                          "%s by %s", c->name, temper_method_name(how))) {
                    compare_all(c->name, soft, word, n);
                    temper_model_free(soft);
                }
            temper_model_free(hard);
            temper_model_free(apart);
        }
        temper_spec_free(spec);
    }
}

static void random_ones(test_random *r) {
    uint32_t word[40];
    for (size_t k = 0; k < 40 * test_effort(); k++) {
        char source[RANDOM_MODEL_TEXT];
        random_model_options o = {.average = k % 2, .fractions = k % 3 == 0, .varied = k % 4 == 1};
        temper_model *hard = random_model(source, r, &o), *soft;
        if (!hard) continue;
        size_t n = random_below(r, 30);
        random_word(word, n, (unsigned)hard->letters.count, r);
        compare_all(source, hard, word, n);
        temper_soften_options s = {.length = 4, .gap = TEMPER_GAP_GIVEN, .gap_value = 0.125, .adaptive = k % 5 == 0};
        s.method = s.adaptive || k % 2 ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS;
        if (temper_soften(&soft, NULL, hard, &s, NULL) == TEMPER_OK) {
            compare_all(source, soft, word, n);
            temper_model_free(soft);
        }
        temper_model_free(hard);
    }
}

/* Weights that are 0 until, in e4m3, the difference of two logits is too large for a number. */
static void steep(void) {
    static const char source[] = "temper-model 1\nmethod temperature\nalphabet \"a\"\nat last\nend no\n"
                                 "channel 0 \"a\"\nchannel 1 \"1\" position \"1\"\n"
                                 "channel 2 \"i\" position \"i*100 - 400\"\nembed \"a\" 0:1\nembed start\nembed "
                                 "end\nlayer 1\nhead \"h\" mask j<=i choice softmax for average\n  query 1:1\n"
                                 "  key 2:1\n  value 0:1\n  output 0:1\nread 0:1\n";
    const uint32_t word[8] = {0};
    temper_model *m = model_from(source);
    if (m) compare_all("steep", m, word, 8);
    temper_model_free(m);
}

/* ---- what is refused ---- */

static void refusals(void) {
    static const char source[] =
        "temper-model 1\nmethod temperature\nalphabet \"a\"\nat last\nend no\n"
        "channel 0 \"a\"\nchannel 1 \"i\" position \"i*1000\"\nembed \"a\" 0:1\nembed start\nembed end\nlayer 1\n"
        "head \"h\" mask j<=i choice softmax for average\n  query 1:1\n  key 1:1\n  value 0:1\n"
        "  output 0:1\nread 0:1\n";
    temper_model *m = model_from(source);
    temper_run *r;
    temper_error e;
    temper_stream *stream;
    unsigned char accept[1];
    const uint32_t word[9] = {0}, *words[1] = {word};
    size_t n = 9;
    if (!m) return;
    for (temper_type type = TEMPER_TYPE_BF16_F32; number_type_of(type); type++) {
        temper_run_options o = {.type = type};
        size_t proved = proved_lengths(m, type, false);
        temper_status checked = temper_model_run(&r, m, word, 9, &o, &e);
        CHECK(checked == (proved > 9 ? TEMPER_OK : TEMPER_LIMIT) || checked == TEMPER_RANGE, "%s: %s",
              temper_type_name(type), e.text);
        CHECK(checked != TEMPER_LIMIT || strstr(e.text, temper_type_name(type)), "%s", e.text);
        if (checked == TEMPER_OK) temper_run_free(r);
        o.unchecked = 1;
        if (CHECK(temper_model_run(&r, m, word, 0, &o, &e) == TEMPER_OK, "%s: %s", temper_type_name(type), e.text)) {
            CHECK(temper_run_about(r).proved == (proved > 0), "%s: proved", temper_type_name(type));
            temper_run_free(r);
        }
        CHECK(temper_stream_open(&stream, m, &o, &e) == TEMPER_UNSUPPORTED, "%s: a stream", temper_type_name(type));
        CHECK(temper_model_run_many(accept, m, words, &n, 1, &o, &e) == TEMPER_UNSUPPORTED, "%s: many strings",
              temper_type_name(type));
        /* scores up to 81 million: beyond f16 and the two short formats, as sums or already as stored */
        temper_type plain = number_type_plain(type);
        bool fits = plain != TEMPER_TYPE_F16 && plain != TEMPER_TYPE_E5M2 && plain != TEMPER_TYPE_E4M3 &&
                    plain != TEMPER_TYPE_E4M3_F32;
        temper_status status = temper_model_run(&r, m, word, 9, &o, &e);
        if (status == TEMPER_OK) temper_run_free(r);
        CHECK(status == (fits ? TEMPER_OK : TEMPER_RANGE), "%s: %s", temper_type_name(type),
              status == TEMPER_OK ? "no overflow" : e.text);
        CHECK(fits || strstr(e.text, "overflows"), "%s: %s", temper_type_name(type), e.text);
    }
    temper_run_options none = {.type = (temper_type)99, .unchecked = 1};
    CHECK(temper_model_run(&r, m, word, 0, &none, &e) == TEMPER_RANGE, "type 99: %s", e.text);
    CHECK(temper_model_run_many(accept, m, words, &n, 1, &none, &e) == TEMPER_RANGE, "type 99: %s", e.text);
    temper_model_free(m);
}

int main(void) {
    test_random r = test_seed(17);
    compiled(&r);
    random_ones(&r);
    steep();
    refusals();
    CHECK(whole_runs > 5 * (broken_runs + 1), "%lu runs overflowed, %lu did not", broken_runs, whole_runs);
    return test_finish("t-format-run");
}
