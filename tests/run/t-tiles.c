/* Runs in the order of fused kernels (doc/numerics.md, "Fused kernels"): in f64, f32, f16 (where the compiler has it)
   and bf16 the bits of a plain run in the compiler's own types, block by block as the papers have it. All masks,
   lengths around the edges of tiles, first tiles that are masked or hold negative infinities only, rows of one key;
   passes over the string and all pairs; captured runs. A string within one tile is run as without tiles. */
#include <stdio.h>

#include "bound_page.h"
#include "native_formats.h"
#include "number/number_type.h"
#include "random_formula.h"
#include "random_model.h"
#include "run/dense.h"
#include "run/run_string.h"
#include "test.h"

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || f64_bits(a) == f64_bits(b); }

typedef struct emulation {
    arena stream, scratch;
    trap trap;
    temper_error error;
    dense_answer answer;
} emulation;

static bool emulate(emulation *e, const temper_model *m, const uint32_t *word, size_t n, const number_type *t,
                    bool pairs) {
    dense_setting s = {.storage = t->storage, .accumulation = t->accumulation, .tile = t->tile, .pairs = pairs};
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

static unsigned long compared, broken, rescaled;

/* The largest number of the compiler's run is not finite where the emulated run says so. */
static bool is_whole(const double *x, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!isfinite(x[k])) return false;
    return true;
}

static void compare(const char *name, const temper_model *m, const uint32_t *word, size_t n, const struct native *f,
                    size_t tile) {
    const number_type *t = number_type_of(temper_type_tiled(f->type, tile)), *plain = number_type_of(f->type);
    size_t size = n + 1 + m->has_end, count = size * m->channel_count;
    double *x = calloc(count, sizeof *x);
    unsigned char *truth = calloc(size, 1);
    emulation e;
    if (!CHECK(t && x && truth, "tiles of %zu", tile)) return;
    f->run(x, truth, m, word, n, false, tile);
    for (int pairs = 0; pairs < 2; pairs++) {
        if (emulate(&e, m, word, n, t, pairs)) {
            bool ok = e.answer.broken || memcmp(truth, e.answer.truth, size) == 0;
            for (size_t k = 0; ok && !e.answer.broken && k < count; k++) ok = same(x[k], e.answer.x[k]);
            CHECK(ok, "%s in %s%s differs from the plain run on a string of length %zu", name, t->name,
                  pairs ? ", all pairs," : "", n);
            CHECK(!e.answer.broken || !is_whole(x, count), "%s in %s, length %zu: only the plain run has answers",
                  name, t->name, n);
            compared++;
            broken += e.answer.broken;
        }
        stop(&e);
    }
    if (emulate(&e, m, word, n, plain, false) && !e.answer.broken) {
        bool equal = true;
        for (size_t k = 0; equal && k < count; k++) equal = same(x[k], e.answer.x[k]);
        CHECK(equal || size > tile, "%s in %s: one tile of %zu positions differs from a row", name, t->name, size);
        rescaled += !equal;
    }
    stop(&e);
    free(x);
    free(truth);
}

/* A captured run has the same answers and channels, and its weights add up to the outputs. */
static void capture(const char *name, const temper_model *m, const uint32_t *word, size_t n, temper_type type) {
    temper_run *r;
    temper_error error;
    temper_run_options o = {.capture = 1, .type = type};
    run_request q = {.model = m, .letters = word, .n = n, .options = &o, .way = WAY_FAST};
    emulation e;
    if (run_string(&r, &q, &error) != TEMPER_OK) return;
    if (emulate(&e, m, word, n, number_type_of(type), false)) {
        bool ok = !e.answer.broken;
        for (size_t i = 0; ok && i < e.answer.size; i++) {
            const double *x = temper_run_channels(r, m->layer_count, i);
            for (uint32_t c = 0; ok && c < m->channel_count; c++)
                ok = same(x[c], e.answer.x[i * m->channel_count + c]);
        }
        CHECK(ok, "%s in %s, length %zu: the captured run differs", name, temper_type_name(type), n);
    }
    double u = ldexp(1, -number_type_of(type)->storage->precision) + 3 * (double)n * 0x1p-24;
    for (size_t i = 0; i < temper_run_about(r).size; i++) {
        const double *weights = temper_run_head(r, 1, 1).weights + i * temper_run_about(r).size;
        double sum = 0;
        for (size_t j = 0; j < temper_run_about(r).size; j++) sum += weights[j] * temper_run_row(r, 1, 1, j).value[0];
        CHECK(fabs(sum - temper_run_row(r, 1, 1, i).output[0]) <= 4 * u * 40, "%s in %s: row %zu: %g is not %g", name,
              temper_type_name(type), i, sum, temper_run_row(r, 1, 1, i).output[0]);
    }
    stop(&e);
    temper_run_free(r);
}

/* ---- one head on positions ---- */

static const char *const MASKS[] = {"j<=i", "j<i", "j>=i", "j>i", "all"};

/* A softmax head whose logits are `scale` times key features, whose values are letters and a feature with digits. */
static temper_model *head_on(const char *mask, const char *query, const char *key, const char *scale) {
    char source[1000];
    snprintf(source, sizeof source,
             "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nat last\nend no\n"
             "channel 0 \"a\"\nchannel 1 \"q\" position \"%s\"\nchannel 2 \"k\" position \"%s\"\n"
             "channel 3 \"v\" position \"1/(i + 3) - 1/7\"\nchannel 4 \"o\"\nchannel 5 \"p\"\n"
             "embed \"a\" 0:1\nembed \"b\" 0:0.3125\nembed start\nembed end\nlayer 1\n"
             "head \"h\" mask %s choice softmax for average scale \"%s\"\n  query 1:1\n  key 0:0.5 2:1\n"
             "  value 0:1\n  value 3:1\n  output 4:1\n  output 5:1\nread 4:1\n",
             query, key, mask, scale);
    return model_from(source);
}

static const struct {
    const char *name, *query, *key, *scale;
} HEADS[] = {
    {"rising", "1", "i/64", "1"},      /* every tile rescales, and most keys of a tile raise the maximum */
    {"falling", "1", "0 - i/64", "1"}, /* none does */
    {"waves", "1", "(i*3) % 211/211", "5"},
    {"queries", "(i % 5)/5", "(i*3) % 197/197 - 1/3", "4"},
    {"flat", "0", "i/N", "1"},      /* all equal */
    {"steep", "1", "i/N", "100*N"}, /* earlier tiles underflow to 0 */
    {"minus infinity before 70", "1e30", "0 - [i <= 70]*1e30", "1"},
    {"minus infinity after 70", "1e30", "0 - [70 <= i]*1e30", "1"},
    {"minus infinity but one", "1e30", "0 - [i != 66]*1e30", "1"},
    {"minus infinity", "1e30", "0 - 1e30", "1"},
    {"infinity", "1e30", "[i = 65]*1e30", "1"},
    {"no number", "1", "0/(i - 65)", "1"},
};

enum { FINITE = 6 }; /* these heads overflow in no format */

static void heads(test_random *r) {
    static const size_t around[] = {0, 1, 2, 62, 63, 64, 65, 66, 126, 127, 128, 129, 130, 191, 192, 193, 200};
    uint32_t word[200];
    random_word(word, 200, 2, r);
    for (size_t k = 0; k < sizeof HEADS / sizeof *HEADS; k++)
        for (size_t mask = 0; mask < 5; mask++) {
            temper_model *m = head_on(MASKS[mask], HEADS[k].query, HEADS[k].key, HEADS[k].scale);
            for (size_t at = 0; m && at < sizeof around / sizeof *around; at++) {
                const struct native *f = &natives[random_below(r, sizeof natives / sizeof *natives)];
                if (k >= FINITE && random_below(r, 2)) continue;
                compare(HEADS[k].name, m, word, around[at], f, around[at] < 130 && random_below(r, 2) ? 128 : 64);
                if (around[at] == 65 || around[at] == 130)
                    capture(HEADS[k].name, m, word, around[at], temper_type_tiled(TEMPER_TYPE_BF16_F32, 64));
            }
            temper_model_free(m);
        }
}

/* ---- random models ---- */

static void random_ones(test_random *r) {
    uint32_t word[600];
    for (size_t k = 0; k < 24 * test_effort(); k++) {
        char source[RANDOM_MODEL_TEXT];
        random_model_options o = {.average = k % 2, .fractions = k % 3 == 0, .varied = k % 4 == 1};
        temper_model *hard = random_model(source, r, &o), *soft;
        if (!hard) continue;
        size_t tile = k % 8 == 7 ? 512 : k % 2 ? 64 : 128, edge = tile * (1 + (tile < 512 && random_below(r, 2)));
        size_t n = edge - 3 + random_below(r, 6);
        random_word(word, n, (unsigned)hard->letters.count, r);
        temper_soften_options s = {.length = 4, .gap = TEMPER_GAP_GIVEN, .gap_value = 0.5};
        s.method = k % 3 ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS;
        if (temper_soften(&soft, NULL, hard, &s, NULL) == TEMPER_OK) {
            compare(source, soft, word, n, &natives[random_below(r, sizeof natives / sizeof *natives)], tile);
            temper_model_free(soft);
        }
        temper_model_free(hard);
    }
}

/* ---- names ---- */

static void names(void) {
    static const struct {
        int type;
        const char *name;
    } numbers[] = {{F32_TILE64, "f32@tile64"},
                   {BF16_F32_TILE64, "bf16/f32@tile64"},
                   {BF16_TILE64, "bf16@tile64"},
                   {E4M3_TILE64, "e4m3@tile64"},
                   {BF16_F32_TILE128, "bf16/f32@tile128"},
                   {F16_F32_TILE128, "f16/f32@tile128"},
                   {F32_F64_TILE512, "f32/f64@tile512"}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        CHECK(!strcmp(temper_type_name((temper_type)numbers[k].type), numbers[k].name), "%s", numbers[k].name);
    CHECK(!strcmp(temper_type_name(temper_type_tiled(TEMPER_TYPE_BF16_F32, 128)), "bf16/f32@tile128"), "the name");
    CHECK(temper_type_tiled(temper_type_tiled(TEMPER_TYPE_F16, 64), 0) == TEMPER_TYPE_F16, "without tiles");
    CHECK(!*temper_type_name(temper_type_tiled(TEMPER_TYPE_F16, 65)), "no tiles of 65");
    CHECK(!*temper_type_name(temper_type_tiled(TEMPER_TYPE_EXACT, 64)), "no rationals in tiles");
    CHECK(!*temper_type_name(temper_type_tiled((temper_type)99, 64)), "no such type");
}

int main(void) {
    test_random r = test_seed(77);
    names();
    heads(&r);
    random_ones(&r);
    CHECK(compared > 4 * broken && rescaled > 60, "%lu runs, %lu overflowed, %lu differ from rows", compared, broken,
          rescaled);
    return test_finish("t-tiles");
}
