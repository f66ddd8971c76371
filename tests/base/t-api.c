/* The conventions of temper.h that hold for every function: NULL where it is allowed, indices and letters that do not
   exist, outputs after a failure. */
#include "test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "temper.h"

static void check_frees(void) {
    temper_free(NULL);
    temper_spec_free(NULL);
    temper_model_free(NULL);
    temper_run_free(NULL);
    temper_stream_free(NULL);
    temper_job_free(NULL);
    temper_worker_free(NULL);
    temper_gap_free(NULL);
    temper_certificate_free(NULL);
    CHECK(temper_journal_close(NULL, NULL) == TEMPER_OK, "closing no journal");
}

/* Failures leave NULL, whatever was there before, and need no temper_error. */
static void check_failures(const temper_spec *spec, const temper_model *hard, const temper_model *soft) {
    temper_spec *s = (temper_spec *)1;
    temper_model *m = (temper_model *)1;
    temper_run *r = (temper_run *)1;
    temper_stream *stream = (temper_stream *)1;
    temper_certificate *certificate = (temper_certificate *)1;
    uint32_t *letters = (uint32_t *)1, wrong = 99;
    char *text = (char *)1;
    size_t n = 5;
    int accept = 7;
    CHECK(temper_spec_parse(&s, "(", 1, NULL, NULL) == TEMPER_SYNTAX && !s, "parse");
    s = (temper_spec *)1;
    CHECK(temper_spec_parse(&s, "a\0b", 3, NULL, NULL) == TEMPER_SYNTAX && !s, "a NUL byte");
    CHECK(temper_spec_encode(&letters, &n, spec, "x", 1, NULL) == TEMPER_RANGE && !letters, "encode");
    CHECK(temper_spec_eval(&accept, NULL, spec, &wrong, 1, NULL) == TEMPER_RANGE, "eval of a letter that is none");
    CHECK(temper_soften(&m, NULL, hard, &(temper_soften_options){.method = TEMPER_METHOD_HARD}, NULL) ==
                  TEMPER_RANGE &&
              !m,
          "soften to hard");
    m = (temper_model *)1;
    CHECK(temper_soften(&m, NULL, soft, &(temper_soften_options){.method = TEMPER_METHOD_POSITIONS}, NULL) ==
                  TEMPER_RANGE &&
              !m,
          "soften a soft one");
    m = (temper_model *)1;
    CHECK(temper_model_read(&m, "", 0, NULL) == TEMPER_FORMAT && !m, "read");
    m = (temper_model *)1;
    CHECK(temper_model_load(&m, "/nowhere/at/all", NULL) == TEMPER_IO && !m, "load");
    m = (temper_model *)1;
    CHECK(temper_gallery_model(&m, "nothing", NULL) == TEMPER_RANGE && !m, "gallery");
    CHECK(temper_file_read(&text, &n, "/nowhere/at/all", NULL) == TEMPER_IO && !text, "file");
    CHECK(temper_model_run(&r, soft, &wrong, 1, NULL, NULL) == TEMPER_RANGE && !r, "run of a letter that is none");
    temper_run_options bf16 = {.type = TEMPER_TYPE_BF16};
    CHECK(temper_stream_open(&stream, soft, &bf16, NULL) != TEMPER_OK && !stream, "stream");
    temper_certify_options exact = {.length = 5, .type = TEMPER_TYPE_EXACT};
    CHECK(temper_certify(&certificate, soft, NULL, 0, &exact, NULL) != TEMPER_OK && !certificate, "certify in exact");
}

/* Indices that do not exist. */
static void check_indices(const temper_spec *spec, const temper_model *m) {
    temper_head_info head;
    temper_channel_info channel;
    temper_part_info part;
    temper_gallery_info entry;
    static const size_t wrong[] = {0, 3, 1000, SIZE_MAX};
    CHECK(!temper_spec_letter(spec, 3) && !temper_spec_letter(spec, SIZE_MAX), "letters of a formula");
    CHECK(!temper_model_letter(m, 3) && !temper_model_letter(m, SIZE_MAX), "letters of a model");
    for (size_t k = 0; k < 4; k++) {
        CHECK(temper_model_layer(m, wrong[k]).heads == 0, "heads of layer %zu", wrong[k]);
        CHECK(temper_model_layer(m, wrong[k]).hidden == 0, "units of layer %zu", wrong[k]);
        CHECK(temper_model_head(&head, m, wrong[k], 1, NULL) == TEMPER_RANGE, "head in layer %zu", wrong[k]);
        CHECK(temper_model_head(&head, m, 1, wrong[k], NULL) == TEMPER_RANGE, "head %zu", wrong[k]);
        if (wrong[k] < 4) continue;
        CHECK(temper_model_channel(&channel, m, wrong[k], NULL) == TEMPER_RANGE, "channel %zu", wrong[k]);
        CHECK(temper_model_part(&part, m, wrong[k], NULL) == TEMPER_RANGE, "part %zu", wrong[k]);
        CHECK(temper_gallery_about(&entry, wrong[k], NULL) == TEMPER_RANGE, "entry %zu", wrong[k]);
    }
}

/* What is not there is 0 or NULL: without capture, and at wrong places with it. */
static void check_run(const temper_model *m) {
    temper_run *r;
    uint32_t letters[] = {0, 1};
    for (int capture = 0; capture < 2; capture++) {
        temper_run_options o = {.capture = capture};
        if (!CHECK(temper_model_run(&r, m, letters, 2, &o, NULL) == TEMPER_OK, "run")) return;
        size_t size = temper_run_about(r).size;
        size_t layer = capture ? 9 : 1;
        CHECK(!temper_run_head(r, layer, 1).weights && !temper_run_head(r, layer, 1).scores, "weights");
        CHECK(!temper_run_row(r, layer, 1, 0).query && !temper_run_row(r, layer, 1, 0).key, "query and key");
        CHECK(!temper_run_row(r, layer, 1, 0).value && !temper_run_row(r, layer, 1, 0).output, "value and output");
        CHECK(!temper_run_channels(r, layer, 0) && temper_run_row(r, layer, 1, 0).scale == 0, "channels and scale");
        if (capture)
            CHECK(!temper_run_row(r, 1, 1, size).output && !temper_run_channels(r, 1, size),
                  "positions after the end");
        temper_run_free(r);
    }
    if (CHECK(temper_model_run(&r, m, NULL, 0, NULL, NULL) == TEMPER_OK, "the empty string")) {
        CHECK(temper_run_about(r).accept == 0, "its verdict");
        temper_run_free(r);
    }
}

static void check_type(const char *name, const char *expected) {
    const char *found = temper_type_name(temper_type_named(name));
    CHECK(!strcmp(found, expected), "%s is '%s', not '%s'", name, found, expected);
}

/* Every type by its own name, every format by its aliases, alone and in pairs. */
static void check_type_names(void) {
    static const char *const named[][2] = {
        {"float32", "f32"},
        {"HALF", "f16"},
        {"bfloat16/float32", "bf16/f32"},
        {"half/half", "f16"},
        {"fp8_e5m2/single@tile64", "e5m2/f32@tile64"},
        {"Float64@tile512", "f64@tile512"},
        {"rational", "exact"},
        {"float8_e4m3fn", "e4m3"},
        {"", ""},
        {"/", ""},
        {"f32/", ""},
        {"/f32", ""},
        {"f64/bf16", ""},
        {"exact@tile64", ""},
        {"f32@tile65", ""},
        {"f32@", ""},
        {"f32/f64/f64", ""},
        {"f3", ""},
        {"f322", ""},
        {"fp8", ""},
    };
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) check_type(named[k][0], named[k][1]);
    for (temper_type type = TEMPER_TYPE_F64; *temper_type_name(type); type++)
        check_type(temper_type_name(type), temper_type_name(type));
    size_t count = 0;
    for (; *temper_type_alias(count); count++)
        CHECK(*temper_type_name(temper_type_named(temper_type_alias(count))), "%s is no type",
              temper_type_alias(count));
    CHECK(count > 20 && !strcmp(temper_type_alias((size_t)-1), ""), "%zu aliases", count);
}

static void check_names(void) {
    CHECK(!strcmp(temper_status_name(TEMPER_OK), "ok"), "ok");
    check_type_names();
    CHECK(!strcmp(temper_type_name((temper_type)999), ""), "no type");
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", TEMPER_VERSION_MAJOR, TEMPER_VERSION_MINOR, TEMPER_VERSION_PATCH);
    CHECK(!strcmp(temper_version(), version), "%s is not %s", temper_version(), version);
}

/* The driver makes what its two halves make, to the byte. */
static bool same_text(const temper_model *x, const temper_model *y) {
    char *left = NULL, *right = NULL;
    size_t n = 0, m = 0;
    bool same = !temper_model_print(&left, &n, x, NULL) && !temper_model_print(&right, &m, y, NULL) && n == m &&
                !memcmp(left, right, n);
    temper_free(left);
    temper_free(right);
    return same;
}

/* The hard model that a soft one is made from can be had with it. */
static void check_kept(const temper_spec *spec, const temper_model *hard) {
    temper_model *soft, *kept, *softened = NULL;
    temper_build_options o = {.method = TEMPER_METHOD_TEMPERATURE, .hard = &kept};
    temper_soften_options by = {.method = TEMPER_METHOD_TEMPERATURE};
    CHECK(temper_build(&soft, spec, &o, NULL) == TEMPER_OK && kept && same_text(kept, hard),
          "the hard model is kept");
    CHECK(temper_soften(&softened, NULL, kept, &by, NULL) == TEMPER_OK && same_text(softened, soft),
          "of the kept one");
    temper_model_free(soft);
    temper_model_free(softened);
    temper_model_free(kept);
    kept = (temper_model *)1;
    o.method = TEMPER_METHOD_HARD;
    CHECK(temper_build(&soft, spec, &o, NULL) == TEMPER_OK && !kept && same_text(soft, hard), "the model itself");
    temper_model_free(soft);
    kept = (temper_model *)1;
    o.method = (temper_method)99;
    CHECK(temper_build(&soft, spec, &o, NULL) == TEMPER_RANGE && !soft && !kept, "nothing is kept after an error");
}

static void check_build(const temper_spec *spec, const temper_model *hard) {
    static const temper_method methods[] = {TEMPER_METHOD_HARD, TEMPER_METHOD_TEMPERATURE, TEMPER_METHOD_POSITIONS,
                                            TEMPER_METHOD_DIGITS};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        temper_build_options o = {.method = methods[k]}, gates = {.digits = TEMPER_TYPE_BF16};
        temper_model *built = NULL, *halves = NULL, *apart = NULL;
        bool ok = temper_build(&built, spec, &o, NULL) == TEMPER_OK;
        if (methods[k] == TEMPER_METHOD_HARD)
            ok = ok && temper_build(&halves, spec, NULL, NULL) == TEMPER_OK;
        else if (methods[k] == TEMPER_METHOD_DIGITS)
            ok = ok && temper_build(&apart, spec, &gates, NULL) == TEMPER_OK &&
                 temper_soften(&halves, NULL, apart, &(temper_soften_options){.method = methods[k]}, NULL) ==
                     TEMPER_OK;
        else
            ok = ok && temper_soften(&halves, NULL, hard, &(temper_soften_options){.method = methods[k]}, NULL) ==
                           TEMPER_OK;
        CHECK(ok && same_text(built, halves), "%s: built otherwise than in two halves", temper_method_name(o.method));
        temper_model_free(built);
        temper_model_free(halves);
        temper_model_free(apart);
    }
    temper_model *m = (temper_model *)1;
    temper_build_options none = {.method = (temper_method)99};
    CHECK(temper_build(&m, spec, &none, NULL) == TEMPER_RANGE && !m, "no such method");
    temper_soften_options adaptive = {.method = TEMPER_METHOD_TEMPERATURE, .adaptive = 1};
    m = (temper_model *)1;
    CHECK(temper_soften(&m, NULL, hard, &adaptive, NULL) == TEMPER_RANGE && !m, "adaptive without a length");
}

int main(void) {
    temper_spec_options options = {.alphabet = "abc"};
    temper_spec *spec;
    temper_model *hard, *soft;
    int accept = 1;
    if (!CHECK(temper_spec_parse(&spec, "H(b -> O a)", 11, &options, NULL) == TEMPER_OK, "parse")) return 1;
    if (!CHECK(temper_build(&hard, spec, NULL, NULL) == TEMPER_OK, "compile")) return 1;
    if (!CHECK(temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE},
                             NULL) == TEMPER_OK,
               "soften"))
        return 1;
    CHECK(temper_spec_eval(&accept, NULL, spec, NULL, 0, NULL) == TEMPER_OK && accept == 0, "the empty string");
    check_frees();
    check_failures(spec, hard, soft);
    check_indices(spec, soft);
    check_run(soft);
    check_names();
    check_build(spec, hard);
    check_kept(spec, hard);
    temper_spec_free(spec);
    temper_model_free(hard);
    temper_model_free(soft);
    return test_finish("t-api");
}
