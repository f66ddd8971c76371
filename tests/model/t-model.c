/* The text form of models: what is printed reads back to the same bytes and the same answers; edited files lose their
   proof; damaged files and failing memory give an error and nothing else; the examples of doc/model.md do what they
   say. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "corpus.h"
#include "model/model.h"
#include "random_formula.h"
#include "temper.h"

enum { MODELS = 4 }; /* hard, temperature, positions, digits */

/* False with nothing counted if there is no transformer for the formula within the limits. */
static bool make_models(temper_model *out[MODELS], const temper_spec *spec, const char *name) {
    temper_error e = {0};
    memset(out, 0, MODELS * sizeof *out);
    temper_status s = temper_build(&out[0], spec, NULL, &e);
    if (s == TEMPER_LIMIT || s == TEMPER_UNSUPPORTED) return false;
    if (s == TEMPER_OK)
        s = temper_soften(&out[1], NULL, out[0], &(temper_soften_options){.method = TEMPER_METHOD_TEMPERATURE}, &e);
    if (s == TEMPER_OK)
        s = temper_soften(&out[2], NULL, out[0], &(temper_soften_options){.method = TEMPER_METHOD_POSITIONS}, &e);
    static const temper_type types[] = {TEMPER_TYPE_BF16, TEMPER_TYPE_F16, TEMPER_TYPE_E4M3, TEMPER_TYPE_E5M2,
                                        TEMPER_TYPE_F32};
    temper_type type = types[strlen(name) % 5];
    temper_build_options o = {.method = TEMPER_METHOD_DIGITS, .digits = type};
    if (s == TEMPER_OK) s = temper_build(&out[3], spec, &o, &e);
    return CHECK(s == TEMPER_OK, "%s: %s", name, e.text);
}

static void free_models(temper_model *models[MODELS]) {
    for (int k = 0; k < MODELS; k++) temper_model_free(models[k]);
}

static temper_spec *parse(const char *source) {
    temper_error e;
    temper_spec *s;
    temper_spec_options o = {.alphabet = "ab", .at = TEMPER_AT_LAST};
    CHECK(temper_spec_parse(&s, source, strlen(source), &o, &e) == TEMPER_OK, "%s: %s", source, e.text);
    return s;
}

static temper_model *read_text(const char *bytes, size_t length, const char *name) {
    temper_model *m;
    temper_error e = {0};
    temper_status status = temper_model_read(&m, bytes, length, &e);
    CHECK(status == TEMPER_OK, "%s: %zu:%zu: %s", name, e.line, e.column, e.text);
    return m;
}

/* ---- there and back ---- */

static void check_same_run(const temper_model *x, const temper_model *y, const uint32_t *word, size_t n, bool hard,
                           const char *name) {
    temper_run *rx, *ry;
    temper_error e;
    temper_run_options o = {.hard = hard, .capture = 1};
    temper_status sx = temper_model_run(&rx, x, word, n, &o, &e), sy = temper_model_run(&ry, y, word, n, &o, &e);
    bool same = sx == sy;
    if (same && rx) {
        temper_model_info info = temper_model_about(x);
        same = temper_run_about(rx).accept == temper_run_about(ry).accept &&
               temper_run_about(rx).size == temper_run_about(ry).size;
        for (size_t i = 0; same && i < temper_run_about(rx).size; i++)
            same = temper_run_about(rx).truth[i] == temper_run_about(ry).truth[i] &&
                   (info.channels == 0 ||
                    !memcmp(temper_run_channels(rx, info.layers, i), temper_run_channels(ry, info.layers, i),
                            info.channels * sizeof(double)));
    }
    CHECK(same, "%s: the model read back runs otherwise on a string of length %zu (hard %d)", name, n, hard);
    temper_run_free(rx);
    temper_run_free(ry);
}

static void check_round_trip(const temper_model *m, const char *name, test_random *r) {
    char *first, *second;
    size_t length, length2;
    temper_error e;
    CHECK(temper_model_print(&first, &length, m, &e) == TEMPER_OK, "%s: %s", name, e.text);
    temper_model *back = read_text(first, length, name);
    if (back) {
        CHECK(temper_model_print(&second, &length2, back, &e) == TEMPER_OK, "%s: %s", name, e.text);
        CHECK(length == length2 && !memcmp(first, second, length), "%s: prints otherwise\n%s\n%s", name, first,
              second);
        temper_free(second);
        temper_model_info x, y;
        x = temper_model_about(m);
        y = temper_model_about(back);
        CHECK(x.output_margin == y.output_margin && x.output_error == y.output_error &&
                  x.parameters == y.parameters && x.at == y.at && x.accepts_empty == y.accepts_empty &&
                  x.tokens == y.tokens,
              "%s: other properties", name);
        for (int k = 0; k < 4; k++) {
            uint32_t word[16];
            size_t n = k == 0 ? 0 : 1 + random_below(r, k == 1 ? 3 : 12);
            for (size_t i = 0; i < n; i++) word[i] = (uint32_t)random_below(r, x.letters);
            check_same_run(m, back, word, n, k % 2, name);
        }
    }
    temper_model_free(back);
    temper_free(first);
}

static void check_spec(const temper_spec *spec, const char *name, test_random *r) {
    temper_model *models[MODELS];
    if (spec && make_models(models, spec, name))
        for (int k = 0; k < MODELS; k++) check_round_trip(models[k], name, r);
    if (spec) free_models(models);
}

static void test_round_trip(void) {
    test_random r = test_seed(4);
    for (size_t k = 0; k < corpus_size(); k++) {
        temper_spec *spec = corpus_parse(corpus_at(k));
        check_spec(spec, corpus_at(k)->name, &r);
        temper_spec_free(spec);
    }
    size_t rounds = (size_t)(200 * test_effort());
    for (size_t k = 0; k < rounds; k++) {
        char name[40];
        snprintf(name, sizeof name, "random formula %zu", k);
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 4),
                              .size = 1 + random_below(&r, 24),
                              .depth = 1 + random_below(&r, 8),
                              .past = true,
                              .future = k % 2,
                              .counting = k % 3,
                              .modulo = k % 3 == 2,
                              .places = k % 4 == 1,
                              .mixed_attend = k % 7 == 0,
                              .large = k % 5 == 0};
        temper_spec *spec = random_spec(&r, &shape, random_below(&r, 2) ? TEMPER_AT_FIRST : TEMPER_AT_LAST);
        check_spec(spec, name, &r);
        temper_spec_free(spec);
    }
}

/* Long labels of four-byte letters, shifted byte by byte: a text cut inside a letter would not read back. */
static void test_wide_letters(void) {
    test_random r = test_seed(5);
    char class[200] = "", letters[300] = "";
    for (unsigned k = 0; k < 40; k++) {
        char letter[5] = {(char)0xF0, (char)0x9F, (char)0x98, (char)(0x80 + k), 0};
        strcat(class, letter);
        strcat(strcat(letters, " "), letter);
    }
    for (size_t k = 0; k < 16; k++) {
        char source[2048];
        const char *shift = &"YYYY"[k % 4]; /* one to four operators before the letters */
        snprintf(source, sizeof source,
                 k < 8 ? "alphabet%s a\nat last\n#[%s [%s]] %% %zu = 1"
                       : "alphabet%s a\nat last\n(#[%s [%s]] + 2*#[a]) %% %zu = 1",
                 letters, shift, class, 2 + k % 3);
        temper_spec *spec = NULL;
        temper_error e;
        CHECK(temper_spec_parse(&spec, source, strlen(source), NULL, &e) == TEMPER_OK, "%s: %s", source, e.text);
        check_spec(spec, "wide letters", &r);
        temper_spec_free(spec);
    }
}

/* ---- edits ---- */

static const char *const small[] = {"#[a] > 2*#[b]", "a S b", "#[a] % 3 = 1", "Y a & H b"};

/* A proved answer is that of the claim, whatever was done to the file: of the specification, or of the model's own
   hard choices. */
static void check_claim(const temper_model *m, const temper_run *run, const uint32_t *word, size_t n) {
    temper_error e;
    int want = -1;
    if (temper_run_about(run).claim == TEMPER_CLAIM_FORMULA) {
        temper_spec *spec;
        if (!CHECK(temper_model_spec(&spec, m, &e) == TEMPER_OK, "%s", e.text)) return;
        CHECK(temper_spec_eval(&want, NULL, spec, word, n, &e) == TEMPER_OK, "%s", e.text);
        temper_spec_free(spec);
    } else {
        temper_run *exact;
        temper_run_options o = {.hard = 1, .type = TEMPER_TYPE_EXACT};
        if (!CHECK(temper_model_run(&exact, m, word, n, &o, &e) == TEMPER_OK, "%s", e.text)) return;
        want = temper_run_about(exact).accept;
        temper_run_free(exact);
    }
    CHECK(temper_run_about(run).accept == want, "an edited model is proved (%s) to say %d, but says %d",
          temper_claim_name(temper_run_about(run).claim), want, temper_run_about(run).accept);
}

/* A digit behind the weight at `at` makes it another number. */
static void check_edit(const char *printed, size_t length, size_t at) {
    size_t end = at + strcspn(printed + at, " \n");
    char *edited = malloc(length + 2);
    memcpy(edited, printed, end);
    edited[end] = '0';
    memcpy(edited + end + 1, printed + end, length - end);
    temper_model *m = read_text(edited, length + 1, "edited");
    if (m) {
        temper_run *run;
        temper_error e;
        uint32_t word[2] = {0, 0};
        CHECK(!model_has_record(&m->record), "an edit at byte %zu keeps the record:\n%s", at, printed);
        temper_status status = temper_model_run(&run, m, word, 2, NULL, &e);
        if (status == TEMPER_OK) {
            check_claim(m, run, word, 2);
            temper_run_free(run);
        } else {
            CHECK(status == TEMPER_LIMIT || status == TEMPER_UNSUPPORTED, "an edited model: %s", e.text);
        }
    }
    temper_model_free(m);
    free(edited);
}

static void test_edits(void) {
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        temper_spec *spec = parse(small[k]);
        temper_model *models[MODELS];
        if (spec && make_models(models, spec, small[k]))
            for (int j = 0; j < MODELS; j++) {
                char *printed;
                size_t length;
                temper_error e;
                CHECK(temper_model_print(&printed, &length, models[j], &e) == TEMPER_OK, "%s", e.text);
                const char *body = strstr(printed, "\nembed");
                for (const char *p = body; (p = strchr(p, ':')) && strncmp(p, "\npart", 5); p++)
                    if (p[-1] >= '0' && p[-1] <= '9' && (p[1] == '-' || (p[1] >= '0' && p[1] <= '9')))
                        check_edit(printed, length, (size_t)(p - printed) + 1);
                char *digest = strstr(printed, "\ndigest ");
                temper_model *m = read_text(printed, (size_t)(digest - printed) + 1, "without its digest");
                CHECK(m && !model_has_record(&m->record), "a record without a digest");
                temper_model_free(m);
                temper_free(printed);
            }
        free_models(models);
        temper_spec_free(spec);
    }
}

/* ---- failing memory ---- */

/* Everything from a formula to an answer; stops at the first failure. */
static temper_status whole_way(const temper_spec *spec, temper_method method, temper_error *e) {
    temper_model *hard = NULL, *soft = NULL, *back = NULL;
    temper_run *run = NULL;
    char *printed = NULL;
    size_t length;
    uint32_t word[3] = {0, 1, 0};
    temper_run_options o = {.capture = method == TEMPER_METHOD_POSITIONS};
    temper_status s = temper_build(&hard, spec, NULL, e);
    if (!s) s = temper_soften(&soft, NULL, hard, &(temper_soften_options){.method = method}, e);
    if (!s) s = temper_model_print(&printed, &length, soft, e);
    if (!s) s = temper_model_read(&back, printed, length, e);
    if (!s) s = temper_model_run(&run, back, word, 3, &o, e);
    CHECK(s == e->code && !run == (s != TEMPER_OK), "a result beside an error");
    temper_run_free(run);
    temper_model_free(back);
    temper_free(printed);
    temper_model_free(soft);
    temper_model_free(hard);
    return s;
}

static void test_memory(void) {
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        temper_spec *spec = parse(small[k]);
        temper_error e;
        unsigned long fail = 1;
        temper_status s = TEMPER_NO_MEMORY;
        for (; spec && s == TEMPER_NO_MEMORY && fail < 2000; fail++) {
            arena_fail_after(fail);
            s = whole_way(spec, k % 2 ? TEMPER_METHOD_POSITIONS : TEMPER_METHOD_TEMPERATURE, &e);
            arena_fail_after(0);
            CHECK(s == TEMPER_OK || s == TEMPER_NO_MEMORY, "%s: allocation %lu: %s", small[k], fail, e.text);
        }
        CHECK(s == TEMPER_OK && fail > 5, "%s: never succeeds", small[k]);
        temper_spec_free(spec);
    }
}

/* ---- damage ---- */

/* Reads what may be damaged; what reads must survive running, printing, reading again and softening. */
static bool survive(const char *bytes, size_t length) {
    temper_model *m, *again, *soft;
    temper_error e;
    if (temper_model_read(&m, bytes, length, &e) != TEMPER_OK) {
        CHECK(!m && *e.text && (e.code == TEMPER_FORMAT || e.code == TEMPER_LIMIT), "no message: %s", e.text);
        return false;
    }
    for (int hard = 0; hard < 2; hard++) {
        static const uint32_t word[3] = {0, 0, 0};
        temper_run *run;
        temper_run_options o = {.hard = hard, .unchecked = 1, .capture = hard};
        for (size_t n = 0; n <= 3; n += 3)
            if (temper_model_run(&run, m, word, n, &o, &e) == TEMPER_OK) temper_run_free(run);
        temper_run_options proved = {.hard = 1, .type = hard ? TEMPER_TYPE_F64 : TEMPER_TYPE_EXACT};
        if (temper_model_run(&run, m, word, 2, &proved, &e) == TEMPER_OK) temper_run_free(run);
    }
    char *printed, *twice;
    size_t size, size2;
    CHECK(temper_model_print(&printed, &size, m, &e) == TEMPER_OK, "%s", e.text);
    if (CHECK(temper_model_read(&again, printed, size, &e) == TEMPER_OK, "%s\n%s", e.text, printed)) {
        CHECK(temper_model_print(&twice, &size2, again, &e) == TEMPER_OK, "%s", e.text);
        CHECK(size == size2 && !memcmp(printed, twice, size), "prints otherwise:\n%s\n%s", printed, twice);
        temper_free(twice);
    }
    temper_model_free(again);
    if (temper_soften(&soft, NULL, m, &(temper_soften_options){.method = TEMPER_METHOD_POSITIONS}, &e) == TEMPER_OK)
        temper_model_free(soft);
    temper_free(printed);
    temper_model_free(m);
    return true;
}

static void test_damage(void) {
    test_random r = test_seed(6);
    size_t flips = (size_t)(3000 * test_effort()), read = 0, tried = 0;
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        temper_spec *spec = parse(small[k]);
        temper_model *models[MODELS];
        if (spec && make_models(models, spec, small[k]))
            for (int j = 0; j < MODELS; j++) {
                char *printed;
                size_t length;
                temper_error e;
                CHECK(temper_model_print(&printed, &length, models[j], &e) == TEMPER_OK, "%s", e.text);
                for (size_t n = 0; n < length && j == (int)(k % MODELS); n++) {
                    char *prefix = malloc(n ? n : 1); /* exactly as long, so that reading beyond is seen */
                    memcpy(prefix, printed, n);
                    survive(prefix, n);
                    free(prefix);
                }
                for (size_t f = 0; f < flips / 4; f++, tried++) {
                    size_t at = random_below(&r, length);
                    char before = printed[at];
                    printed[at] = (char)(before ^ (1 << random_below(&r, 8)));
                    if (random_below(&r, 4) == 0) printed[at] = "09:-. \"\\\n+*/%[i"[random_below(&r, 15)];
                    read += survive(printed, length);
                    printed[at] = before;
                }
                temper_free(printed);
            }
        free_models(models);
        temper_spec_free(spec);
    }
    CHECK(read * 20 > tried, "only %zu of %zu damaged files can be read", read, tried);
}

/* Numbers that overflow while running, and expressions without a value. */
static void test_extremes(void) {
    static const char *const positions[] = {"1/0", "0/0", "ln(0)", "-ln(0)", "1e308*i*i", "i % 0", "1e-320", "0/i"};
    static const char *const weights[] = {"1e308", "-1e308", "0x1p-1074", "1"};
    static const char *const choices[] = {"leftmost",
                                          "rightmost",
                                          "average",
                                          "softmax for leftmost",
                                          "softmax for average scale \"1/(n - 3)\"",
                                          "softmax scale \"-1e308*N\""};
    for (size_t p = 0; p < sizeof positions / sizeof *positions; p++)
        for (size_t w = 0; w < sizeof weights / sizeof *weights; w++)
            for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
                char file[1024];
                int length =
                    snprintf(file, sizeof file,
                             "temper-model 1\nmethod temperature\nalphabet \"a\"\n"
                             "channel 0 \"x\" position \"%s\"\nchannel 1 \"y\" soft \"%s\"\n"
                             "embed \"a\" 0:%s\nembed start 1:%s\nembed end\nlayer 1\n"
                             "head \"h\" mask all choice %s\nquery 0:%s\nkey 1:%s\nvalue 0:%s\noutput 1:%s\n"
                             "unit %s 0:%s -> 1:%s\nread 1:%s\n",
                             positions[p], positions[(p + 1) % 8], weights[w], weights[w], choices[c], weights[w],
                             weights[w], weights[w], weights[w], weights[w], weights[w], weights[w], weights[w]);
                CHECK(survive(file, (size_t)length), "not read:\n%s", file);
            }
}

/* ---- rows without terms ---- */

static bool has_places(const model_rows *r) { return r->start && r->terms; }

static bool all_have_places(const temper_model *m) {
    bool all = has_places(&m->embedding) && has_places(&m->read);
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const model_layer *x = &m->layers[l];
        all = all && has_places(&x->in) && has_places(&x->out);
        for (uint32_t h = 0; h < x->head_count; h++)
            all = all && has_places(&x->heads[h].query) && has_places(&x->heads[h].key) &&
                  has_places(&x->heads[h].value) && has_places(&x->heads[h].output);
    }
    return all;
}

/* Runners add row starts to the terms, which a null pointer does not allow, not even for 0. */
static void test_empty_rows(void) {
    static const char file[] = "temper-model 1\nmethod temperature\nalphabet \"a\"\nchannel 0 \"x\"\n"
                               "embed \"a\"\nembed start\nembed end\nlayer 1\n"
                               "head \"no scores\" mask all choice softmax for average\nvalue 0:1\noutput 0:1\n"
                               "head \"nothing\" mask all choice softmax for average\nlayer 2\nread\n";
    char folder[TEST_FOLDER], path[TEST_FOLDER + 20];
    temper_error e;
    temper_model *m = read_text(file, sizeof file - 1, "a model without terms"), *loaded = NULL;
    if (!m || !test_folder(folder)) return;
    CHECK(all_have_places(m), "rows of a model that was read point nowhere");
    snprintf(path, sizeof path, "%s/m.safetensors", folder);
    if (CHECK(temper_model_save(path, m, &e) == TEMPER_OK && temper_model_load(&loaded, path, &e) == TEMPER_OK, "%s",
              e.text))
        CHECK(all_have_places(loaded), "rows of a model that was loaded point nowhere");
    CHECK(survive(file, sizeof file - 1), "not run");
    temper_model_free(loaded);
    temper_model_free(m);
    remove(path);
    remove(folder);
}

/* ---- the examples of the documentation ---- */

/* A line "-- accept" or "-- reject" lists strings, "" for the empty one. */
static size_t check_claims(const temper_model *m, const char *block, const char *end) {
    size_t claims = 0;
    for (const char *line = block; line < end; line = strchr(line, '\n') + 1) {
        bool accept = !strncmp(line, "-- accept ", 10);
        if (!accept && strncmp(line, "-- reject ", 10) != 0) continue;
        for (const char *word = line + 10; word[-1] != '\n'; word += strcspn(word, " \n") + 1) {
            size_t length = strcspn(word, " \n"), n;
            if (!strncmp(word, "\"\"", 2)) length = 0;
            for (int hard = 0; hard < 2; hard++) {
                uint32_t *letters;
                temper_run *run = NULL;
                temper_error e;
                temper_run_options o = {.hard = hard,
                                        .unchecked = !hard}; /* hard choices are proved as they are made */
                temper_status s = temper_model_encode(&letters, &n, m, word, length, &e);
                if (!s) s = temper_model_run(&run, m, letters, n, &o, &e);
                CHECK(!s && temper_run_about(run).accept == accept, "'%.*s' is not %sed (hard %d) by\n%.*s",
                      (int)length, word, accept ? "accept" : "reject", hard, (int)(end - block), block);
                claims += !s;
                if (!s) temper_run_free(run);
                temper_free(letters);
            }
        }
    }
    return claims;
}

static void test_documentation(void) {
    const char *folder = getenv("TEMPER_DOC_DIR");
    char path[1024], *page;
    size_t length, blocks = 0, claims = 0;
    temper_error e;
    snprintf(path, sizeof path, "%s/model.md", folder ? folder : "doc");
    if (!CHECK(temper_file_read(&page, &length, path, &e) == TEMPER_OK, "%s", e.text)) return;
    for (const char *p = page; (p = strstr(p, "\n```model\n")); blocks++) {
        const char *block = p + 10, *end = strstr(block, "\n```");
        if (!CHECK(end != NULL, "a block without an end")) break;
        end++;
        temper_model *m = read_text(block, (size_t)(end - block), "an example of doc/model.md");
        if (m) claims += check_claims(m, block, end);
        temper_model_free(m);
        p = end;
    }
    CHECK(blocks >= 3 && claims >= 40, "%zu examples, %zu claims", blocks, claims);
    temper_free(page);
}

int main(void) {
    test_round_trip();
    test_wide_letters();
    test_edits();
    test_memory();
    test_damage();
    test_extremes();
    test_empty_rows();
    test_documentation();
    return test_finish("model");
}
