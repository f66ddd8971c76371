/* Models with other softmax scales (temper_model_with_scale): a factor of 1 and the model's own scale change no
   bit; smaller scales leak as the theory says; scales that read the position give what a plain second
   implementation gives, whichever way the model is run, and nothing is proved of them; their files are of version
   2, and all others stay of version 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corpus.h"
#include "plain_net.h"
#include "random_formula.h"
#include "test.h"

static char folder[TEST_FOLDER];

static temper_model *scaled(const temper_model *m, const char *scale) {
    temper_model *out = NULL;
    temper_error e;
    temper_scale all = {.scale = scale};
    CHECK(temper_model_with_scale(&out, m, &all, 1, &e) == TEMPER_OK, "%s: %s", scale, e.text);
    return out;
}

static temper_model *soft_model(const char *source, const char *letters, temper_method method) {
    temper_spec *spec;
    temper_model *hard = NULL, *soft = NULL;
    temper_spec_options o = {.alphabet = letters};
    if (temper_spec_parse(&spec, source, strlen(source), &o, NULL) != TEMPER_OK) return NULL;
    if (temper_build(&hard, spec, NULL, NULL) == TEMPER_OK)
        temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = method}, NULL);
    temper_model_free(hard);
    temper_spec_free(spec);
    CHECK(soft != NULL, "%s", source);
    return soft;
}

/* ---- the same scale ---- */

/* All channels after the last layer, all scales and weights. */
static bool same_runs(const temper_model *a, const temper_model *b, const uint32_t *word, size_t n,
                      temper_type type) {
    temper_run *x = NULL, *y = NULL;
    temper_model_info info;
    temper_run_options o = {.unchecked = 1, .capture = 1, .type = type};
    info = temper_model_about(a);
    bool first = temper_model_run(&x, a, word, n, &o, NULL) == TEMPER_OK,
         second = temper_model_run(&y, b, word, n, &o, NULL) == TEMPER_OK, same = first == second;
    for (size_t i = 0; same && x && i < temper_run_about(x).size; i++)
        same = !memcmp(temper_run_channels(x, info.layers, i), temper_run_channels(y, info.layers, i),
                       info.channels * sizeof(double));
    for (size_t l = 1; l <= info.layers; l++)
        for (size_t h = 1; same && x && h <= temper_model_layer(a, l).heads; h++)
            same = temper_run_row(x, l, h, n).scale == temper_run_row(y, l, h, n).scale &&
                   !memcmp(temper_run_head(x, l, h).weights, temper_run_head(y, l, h).weights,
                           temper_run_about(x).size * temper_run_about(x).size * sizeof(double));
    temper_run_free(x);
    temper_run_free(y);
    return same;
}

/* Every head's own scale, named head by head. */
static temper_model *with_own_scales(const temper_model *m) {
    temper_scale scales[256];
    temper_model_info info;
    temper_model *out = NULL;
    size_t count = 0;
    info = temper_model_about(m);
    for (size_t l = 1; l <= info.layers; l++)
        for (size_t h = 1; h <= temper_model_layer(m, l).heads && count < 256; h++) {
            temper_head_info head;
            temper_model_head(&head, m, l, h, NULL);
            if (head.choice == TEMPER_CHOICE_SOFTMAX) scales[count++] = (temper_scale){l, h, head.scale};
        }
    temper_error e;
    if (count) CHECK(temper_model_with_scale(&out, m, scales, count, &e) == TEMPER_OK, "%s", e.text);
    return out;
}

static void check_unproved(const temper_model *m, const uint32_t *word, size_t n) {
    temper_run *r;
    temper_model_info info = temper_model_about(m);
    CHECK(info.rescaled, "a model with other scales is not marked");
    CHECK(temper_model_run(&r, m, word, n, NULL, NULL) == TEMPER_LIMIT, "it runs as if it were proved");
    if (CHECK(temper_model_run(&r, m, word, n, &(temper_run_options){.unchecked = 1}, NULL) == TEMPER_OK,
              "it does not run")) {
        CHECK(!temper_run_about(r).proved, "its answers are called proved");
        temper_run_free(r);
    }
}

static void check_same_scale(test_random *r) {
    uint32_t word[24];
    for (size_t k = 0; k < corpus_size(); k++) {
        const corpus_entry *c = corpus_at(k);
        temper_spec *spec = (double)random_below(r, 1000) < 250 * test_effort() ? corpus_parse(c) : NULL;
        temper_model *hard = NULL, *soft;
        size_t n = random_below(r, 24);
        if (!spec) continue;
        random_word(word, n, (unsigned)temper_spec_about(spec).letters, r);
        if (temper_build(&hard, spec, NULL, NULL) == TEMPER_OK)
            for (temper_method how = TEMPER_METHOD_TEMPERATURE; how <= TEMPER_METHOD_POSITIONS; how++) {
                temper_model_info info;
                if (temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = how}, NULL) != TEMPER_OK)
                    continue;
                info = temper_model_about(soft);
                temper_model *one = info.heads ? scaled(soft, "1x") : NULL, *own = with_own_scales(soft);
                for (int t = 0; one && own && t < 3; t++) {
                    temper_type type = (temper_type[]){TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32}[t];
                    CHECK(same_runs(soft, one, word, n, type), "%s, 1x in %s", c->name, temper_type_name(type));
                    CHECK(same_runs(soft, own, word, n, type), "%s, its own scales in %s", c->name,
                          temper_type_name(type));
                }
                if (one) check_unproved(one, word, n);
                temper_model_free(one);
                temper_model_free(own);
                temper_model_free(soft);
            }
        temper_model_free(hard);
        temper_spec_free(spec);
    }
}

/* ---- leaks ---- */

/* On bcbc... every key is a candidate of a S b and neighbours have different values. With the scale 8 f N a key d
   steps away weighs x^d, x = exp(-8 f), so the row's error is x/(1 + x) where it is largest; by positions and by
   temperature alike. */
static void check_leak(void) {
    static const char *const factors[] = {"1x", "0.5x", "0.2x", "0.1x", "2x"};
    temper_model *soft = soft_model("a S b", "abc", TEMPER_METHOD_TEMPERATURE);
    uint32_t word[60];
    for (size_t k = 0; k < 60; k++) word[k] = 1 + k % 2;
    for (size_t k = 0; soft && k < sizeof factors / sizeof *factors; k++) {
        temper_model *m = scaled(soft, factors[k]);
        temper_run *r;
        double x = exp(-8 * strtod(factors[k], NULL)), leak = x / (1 + x);
        for (int capture = 0; m && capture < 2; capture++) { /* by plan, and densely */
            temper_run_options o = {.unchecked = 1, .capture = capture};
            if (!CHECK(temper_model_run(&r, m, word, 60, &o, NULL) == TEMPER_OK, "%s", factors[k])) continue;
            double margin = temper_run_head(r, 1, 1).error;
            CHECK(fabs(margin - leak) < 1e-6 * leak + 1e-15, "%s: an error of %.9g, not %.9g", factors[k], margin,
                  leak);
            temper_run_free(r);
        }
        temper_model_free(m);
    }
    temper_model_free(soft);
}

/* Softmax that does not know its scores: 0x makes every head average. */
static void check_zero(void) {
    temper_model *soft = soft_model("a S b", "abc", TEMPER_METHOD_POSITIONS), *m = soft ? scaled(soft, "0x") : NULL;
    const uint32_t word[] = {1, 2, 0};
    temper_run *r;
    temper_run_options o = {.unchecked = 1, .capture = 1};
    if (m && CHECK(temper_model_run(&r, m, word, 3, &o, NULL) == TEMPER_OK, "0x does not run")) {
        for (size_t j = 0; j < 4; j++) CHECK(temper_run_head(r, 1, 1).weights[3 * 4 + j] == 0.25, "key %zu", j);
        temper_run_free(r);
    }
    temper_model_free(m);
    temper_model_free(soft);
}

/* ---- scales that read the position, twice ---- */

static double llama_scale(size_t i, size_t size) { return 1 + log(1 + floor((double)i / 2)) / (double)size; }
static const char llama[] = "1 + ln(1 + floor(i/2))/N";
static double growing_scale(size_t i, size_t size) { return ((double)i + 1) / 2 - (double)size / 8; }
static const char growing[] = "(i + 1)/2 - N/8"; /* negative at first */

static temper_model *import_net(const net *n, import_config *c, trap *t) {
    char weights[80], config[80];
    plain_file *f = calloc(1, sizeof *f);
    temper_model *m;
    temper_error e;
    snprintf(weights, sizeof weights, "%s/w.safetensors", folder);
    snprintf(config, sizeof config, "%s/c.json", folder);
    f->r = n->r;
    arena_init(&f->memory, t);
    plain_put_net(f, n);
    plain_write(f, weights);
    arena_free(&f->memory);
    free(f);
    config_describe(c, n);
    config_write(c, config);
    CHECK(temper_model_import(&m, weights, config, &e) == TEMPER_OK, "%s", e.text);
    unlink(weights);
    unlink(config);
    return m;
}

static bool is_near(double x, double y) { return fabs(x - y) <= 1e-9 * (1 + fabs(x) + fabs(y)); }

static unsigned long compared;

static void compare_net(const net *n, const temper_model *m, const uint32_t *word, size_t length) {
    net_stream x;
    size_t size = length + 1 + n->has_end, place = length == 0 ? 0 : n->at_first ? 1 : length;
    unsigned char accept = 9;
    const uint32_t *words[] = {word};
    temper_run_options ways[] = {{.unchecked = 1, .capture = 1}, {.unchecked = 1}, {.unchecked = 1, .dense = 1}};
    if (n->contexts && size > n->contexts) return;
    net_run(n, word, length, x);
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        temper_run *run;
        temper_error e;
        if (!CHECK(temper_model_run(&run, m, word, length, &ways[k], &e) == TEMPER_OK, "%s", e.text)) return;
        for (size_t i = 0; i < size; i++) {
            double above = net_margin(n, x[i]);
            if (fabs(above) > 1e-9)
                CHECK(temper_run_about(run).truth[i] == (above > 0), "way %zu, position %zu: %g", k, i, above);
            const double *y = ways[k].capture ? temper_run_channels(run, n->layers, i) : NULL;
            for (size_t c = 0; y && c < n->width; c++)
                CHECK(is_near(x[i][c], y[c]), "length %zu position %zu channel %zu: %g, %g", length, i, c, x[i][c],
                      y[c]);
        }
        temper_run_free(run);
    }
    compared++;
    if (fabs(net_margin(n, x[place])) <= 1e-9) return;
    if (CHECK(temper_model_run_many(&accept, m, words, &length, 1, &ways[1], NULL) == TEMPER_OK, "many strings"))
        CHECK(accept == (net_margin(n, x[place]) > 0), "one of many strings: %d", accept);
}

static void check_rows(trap *t) {
    test_random r = test_seed(91);
    import_config *c = malloc(sizeof *c);
    for (size_t k = 0; k < 300 * test_effort(); k++) {
        net n;
        net_random(&n, &r);
        if (n.soft && (n.layer[0].heads || n.layer[1].heads || n.layer[2].heads)) {
            temper_model *plain = import_net(&n, c, t), *m = plain ? scaled(plain, k % 2 ? llama : growing) : NULL;
            n.row_scale = k % 2 ? llama_scale : growing_scale;
            for (size_t length = 0; m && length <= NET_LONGEST; length++) {
                uint32_t word[NET_LONGEST] = {0};
                for (int s = 0; s < 4; s++) {
                    random_word(word, length, 2, &r);
                    compare_net(&n, m, word, length);
                }
            }
            temper_model_free(m);
            temper_model_free(plain);
        }
        net_free(&n);
    }
    free(c);
    CHECK(compared > 100 * test_effort(), "%lu runs compared", compared);
}

/* ---- files, proofs, and what is refused ---- */

static void check_file(const temper_model *m, const char *name, const char *first_line) {
    char path[80], *a = NULL, *b = NULL;
    size_t x = 0, y = 0;
    temper_model *back = NULL;
    temper_error e;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK(temper_model_save(path, m, &e) == TEMPER_OK && temper_model_load(&back, path, &e) == TEMPER_OK, "%s",
          e.text);
    temper_model_print(&a, &x, m, NULL);
    if (back) temper_model_print(&b, &y, back, NULL);
    CHECK(a && b && x == y && !memcmp(a, b, x), "%s: saved and loaded", name);
    CHECK(a && !strncmp(a, first_line, strlen(first_line)), "%s begins with %.20s", name, a ? a : "");
    temper_free(a);
    temper_free(b);
    temper_model_free(back);
    unlink(path);
}

/* The text of a version 2 file that calls itself version 1. */
static void check_old_version(const temper_model *m) {
    char *printed;
    size_t length;
    temper_model *back;
    temper_error e;
    if (temper_model_print(&printed, &length, m, NULL) != TEMPER_OK) return;
    CHECK(printed[13] == '2', "version %c", printed[13]);
    printed[13] = '1';
    CHECK(temper_model_read(&back, printed, length, &e) == TEMPER_FORMAT && strstr(e.text, "temper-model 2"), "%s",
          e.text);
    printed[13] = '3';
    CHECK(temper_model_read(&back, printed, length, &e) == TEMPER_FORMAT && strstr(e.text, "versions 1 and 2"), "%s",
          e.text);
    temper_free(printed);
}

static void check_proofs(const temper_model *m) {
    temper_certificate *c = NULL;
    temper_error e;
    for (temper_type type = TEMPER_TYPE_F64; *temper_type_name(type); type++) {
        temper_certify_options o = {.length = 1, .type = type};
        if (type == TEMPER_TYPE_EXACT) continue;
        if (!CHECK(temper_certify(&c, m, NULL, 0, &o, &e) == TEMPER_OK, "%s", e.text)) continue;
        CHECK(temper_certificate_about(c).verdict != TEMPER_PROVED, "a scale that reads the position is proved in %s",
              temper_type_name(type));
        temper_certificate_free(c);
    }
}

static void check_refusals(const temper_model *m) {
    temper_stream *stream = NULL;
    temper_model *out, *hard = NULL;
    temper_error e;
    char path[80];
    CHECK(temper_stream_open(&stream, m, &(temper_run_options){.unchecked = 1}, &e) == TEMPER_UNSUPPORTED,
          "a stream");
    snprintf(path, sizeof path, "%s/export", folder);
    CHECK(temper_export(path, m, &(temper_export_options){.unchecked = 1}, &e) == TEMPER_UNSUPPORTED &&
              strstr(e.text, "reads the position"),
          "export: %s", e.text);
    static const struct {
        temper_scale scale;
        temper_status status;
    } bad[] = {{{1, 2, "1"}, TEMPER_RANGE},  {{2, 1, "1"}, TEMPER_RANGE},     {{0, 1, "1"}, TEMPER_RANGE},
               {{0, 0, NULL}, TEMPER_RANGE}, {{0, 0, ""}, TEMPER_SYNTAX},     {{0, 0, "8*"}, TEMPER_SYNTAX},
               {{0, 0, "x"}, TEMPER_SYNTAX}, {{0, 0, "0.2y"}, TEMPER_SYNTAX}, {{0, 0, "j"}, TEMPER_SYNTAX}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        CHECK(temper_model_with_scale(&out, m, &bad[k].scale, 1, &e) == bad[k].status && !out, "bad scale %zu: %s", k,
              e.text);
    temper_spec *spec;
    if (temper_spec_parse(&spec, "O a", 3, NULL, NULL) == TEMPER_OK) {
        if (temper_build(&hard, spec, NULL, NULL) == TEMPER_OK)
            CHECK(temper_model_with_scale(&out, hard, &(temper_scale){.scale = "2x"}, 1, &e) == TEMPER_RANGE,
                  "a hard model: %s", e.text);
        temper_model_free(hard);
        temper_spec_free(spec);
    }
}

/* The head that is named, and of several scales the last. */
static void check_heads(void) {
    temper_model *soft = soft_model("(a S b) & (b S c) & Y a", "abc", TEMPER_METHOD_TEMPERATURE), *m = NULL;
    temper_scale scales[] = {{.scale = "7"}, {1, 2, "3x"}, {1, 1, "5*N"}, {1, 1, "i + 1"}};
    temper_head_info h, before;
    if (!soft || !CHECK(temper_model_with_scale(&m, soft, scales, 4, NULL) == TEMPER_OK, "four scales")) return;
    CHECK(temper_model_head(&h, m, 1, 1, NULL) == TEMPER_OK && !strcmp(h.scale, "i + 1") && h.row_scale, "1.1: %s",
          h.scale);
    temper_model_head(&before, soft, 1, 2, NULL);
    char triple[80];
    snprintf(triple, sizeof triple, "3*(%s)", before.scale);
    CHECK(temper_model_head(&h, m, 1, 2, NULL) == TEMPER_OK && !strcmp(h.scale, triple) && !h.row_scale,
          "1.2: %s, not %s", h.scale, triple);
    CHECK(temper_model_head(&h, m, 1, 3, NULL) == TEMPER_OK && !strcmp(h.scale, "7"), "1.3: %s", h.scale);
    temper_model_free(m);
    temper_model_free(soft);
}

static void check_files(void) {
    temper_model *soft = soft_model("a S b", "abc", TEMPER_METHOD_TEMPERATURE);
    temper_model *rows = soft ? scaled(soft, "8*(i + 1)") : NULL, *same = soft ? scaled(soft, "8*N") : NULL;
    if (rows && same) {
        check_file(soft, "s.temper", "temper-model 1\n");
        check_file(same, "s.temper", "temper-model 1\n");
        check_file(rows, "s.temper", "temper-model 2\n");
        check_file(rows, "s.safetensors", "temper-model 2\n");
        check_file(same, "s.safetensors", "temper-model 1\n");
        check_old_version(rows);
        check_proofs(rows);
        check_refusals(rows);
    }
    temper_model_free(rows);
    temper_model_free(same);
    temper_model_free(soft);
}

/* Memory that runs out at any moment. */
static void check_memory(void) {
    temper_model *soft = soft_model("a S b", "abc", TEMPER_METHOD_TEMPERATURE), *out;
    temper_status status = soft ? TEMPER_NO_MEMORY : TEMPER_OK;
    for (unsigned long fail = 1; status == TEMPER_NO_MEMORY; fail++) {
        arena_fail_after(fail);
        status = temper_model_with_scale(&out, soft, &(temper_scale){.scale = "2x"}, 1, NULL);
        arena_fail_after(0);
        temper_model_free(out);
        CHECK(status == TEMPER_OK || status == TEMPER_NO_MEMORY, "allocation %lu", fail);
    }
    temper_model_free(soft);
}

int main(void) {
    test_random r = test_seed(90);
    trap t;
    if (!test_folder(folder)) return test_finish("t-scale");
    if (trap_set(&t, NULL)) abort();
    check_same_scale(&r);
    check_leak();
    check_zero();
    check_rows(&t);
    check_heads();
    check_files();
    check_memory();
    CHECK(rmdir(folder) == 0, "temporary files are left in %s", folder);
    return test_finish("t-scale");
}
