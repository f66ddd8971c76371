/* One proved length everywhere: what temper_model_proof says is what runs, streams, certificates, tables of limits,
   exported folders and pages go by, in every type. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"
#include "logic/formula_print.h"
#include "number/number_type.h"
#include "random_formula.h"
#include "test.h"

enum { FORMULAS = 200, RUN_MOST = 2000, EMULATED_MOST = 60 };

/* Whether a run of n letters is proved; -1: it fails for another reason. */
static int runs_proved(const temper_model *m, temper_type type, bool hard, size_t n) {
    uint32_t *word = calloc(n + 1, sizeof *word);
    temper_run *run;
    temper_run_options o = {.type = type, .hard = hard, .unchecked = 1, .threads = 1};
    int proved = -1;
    if (temper_model_run(&run, m, word, n, &o, NULL) == TEMPER_OK) {
        proved = temper_run_about(run).proved;
        temper_run_free(run);
    }
    free(word);
    return proved;
}

static bool certifies(const temper_model *m, temper_type type, size_t n, temper_claim claim) {
    temper_certificate *k;
    temper_certify_options o = {.length = n, .type = type};
    if (temper_certify(&k, m, NULL, 0, &o, NULL) != TEMPER_OK) return false;
    bool proved = temper_certificate_about(k).verdict == TEMPER_PROVED && temper_certificate_about(k).claim == claim;
    temper_certificate_free(k);
    return proved;
}

/* Short strings are run before the longest length is asked for, so that a length is decided in both ways. */
static void check_type(const char *name, const temper_model *m, temper_type type, bool hard, bool certify) {
    temper_proof p;
    temper_error e;
    const char *shown = temper_type_name(type);
    int five = runs_proved(m, type, hard, 5);
    if (!CHECK(!temper_model_proof(&p, m, type, hard, &e), "%s in %s: %s", name, shown, e.text)) return;
    bool some = p.claim != TEMPER_CLAIM_NONE;
    CHECK(five == -1 || five == (some && p.length >= 5), "%s in %s: a run of 5 letters, proved %zu", name, shown,
          p.length);
    CHECK(*p.obstacle && p.length <= TEMPER_LONGEST && (some || p.length == 0), "%s in %s: %zu", name, shown,
          p.length);
    size_t most = number_type_is_emulated(type) ? EMULATED_MOST : RUN_MOST;
    if (some && p.length < most) {
        CHECK(runs_proved(m, type, hard, p.length) != 0, "%s in %s: unproved at %zu", name, shown, p.length);
        CHECK(runs_proved(m, type, hard, p.length + 1) != 1, "%s in %s: proved at %zu", name, shown, p.length + 1);
    }
    if (!certify) return;
    CHECK(certifies(m, type, p.length, p.claim) == some, "%s in %s: certify at %zu", name, shown, p.length);
    CHECK(!some || !certifies(m, type, p.length + 1, p.claim), "%s in %s: certify at %zu", name, shown, p.length + 1);
}

static void check_limits(const char *name, const temper_model *m, temper_type type) {
    temper_limits *l;
    temper_limits_case c = {m, type};
    temper_limits_options o = {.length = 3, .effort = 0.001, .threads = 1};
    temper_proof p = {0};
    temper_error e;
    if (!CHECK(!temper_limits_find(&l, &c, 1, &o, &e), "%s: %s", name, e.text)) return;
    temper_limits_row r = temper_limits_at(l, 0);
    CHECK(!temper_model_proof(&p, m, type, 0, &e) && r.claim == p.claim && r.proved == p.length,
          "%s: limits has %zu, the model %zu", name, r.proved, p.length);
    temper_limits_free(l);
}

/* To the end of the proved length, and not a letter further. */
static void check_stream(const char *name, const temper_model *m, temper_type type) {
    temper_stream *s;
    temper_run_options o = {.type = type};
    temper_proof p;
    temper_error e;
    if (temper_stream_open(&s, m, &o, &e)) return; /* it looks forward */
    size_t n = 0;
    while (n < RUN_MOST && !temper_stream_push(s, 0, NULL, &e)) n++;
    CHECK(!temper_model_proof(&p, m, type, 0, &e), "%s", e.text);
    CHECK(n == (p.length < RUN_MOST ? p.length : RUN_MOST), "%s in %s: the stream ends at %zu, not %zu", name,
          temper_type_name(type), n, p.length);
    temper_stream_free(s);
}

/* ---- exported folders and pages ---- */

/* The files of an exported folder; README.md and config.json are read. */
static void check_export(const char *name, const temper_model *m, const char *folder) {
    static const char *const files[] = {
        "README.md",      "config.json",      "model.safetensors", "modeling_temper.py",    "configuration_temper.py",
        "lens_temper.py", "onnx/model.onnx",  "tokenizer.json",    "tokenizer_config.json", "model.temper",
        "vocab.json",     "testvectors.jsonl"};
    static const char *const in_config[] = {"float64", "float32"};
    temper_export_options o = {.unchecked = 1};
    temper_error e;
    char path[TEST_FOLDER + 40], wanted[100], *held[2] = {NULL, NULL};
    size_t size;
    temper_proof p[2];
    bool made = CHECK(!temper_export(folder, m, &o, &e), "%s: %s", name, e.text);
    for (size_t k = 0; k < 2 && made; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        made = CHECK(!temper_file_read(&held[k], &size, path, &e) &&
                         !temper_model_proof(&p[k], m, k ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64, 0, &e),
                     "%s: %s", name, e.text);
    }
    bool none = made && p[0].claim == TEMPER_CLAIM_NONE && p[1].claim == TEMPER_CLAIM_NONE;
    for (size_t k = 0; k < 2 && made; k++) {
        const char *type = k ? "f32" : "f64";
        if (p[k].claim == TEMPER_CLAIM_NONE) {
            snprintf(wanted, sizeof wanted, "\n- %s: none\n", type);
            CHECK(strstr(held[0], none ? "Nothing is proved" : wanted), "%s: README.md does not say none in %s", name,
                  type);
            snprintf(wanted, sizeof wanted, "\"%s\": null", in_config[k]);
        } else {
            snprintf(wanted, sizeof wanted, "\n- %s: %zu, ", type, p[k].length);
            CHECK(strstr(held[0], wanted), "%s: README.md does not say %zu in %s", name, p[k].length, type);
            snprintf(wanted, sizeof wanted, "\"%s\": %zu", in_config[k], p[k].length);
        }
        CHECK(strstr(held[1], wanted), "%s: config.json does not say %s", name, wanted);
    }
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        remove(path);
    }
    snprintf(path, sizeof path, "%s/onnx", folder);
    remove(path);
    temper_free(held[0]);
    temper_free(held[1]);
}

/* Digits in groups of three, as on pages; the longest length is a power there. */
static void group(char *out, size_t x) {
    if (x == (size_t)1 << 40) {
        strcpy(out, "2^40");
        return;
    }
    char digits[24];
    size_t count = (size_t)sprintf(digits, "%zu", x);
    for (size_t k = 0; k < count; k++) {
        if (k && (count - k) % 3 == 0) *out++ = ',';
        *out++ = digits[k];
    }
    *out = 0;
}

static void check_page(const char *name, const temper_model *m, bool hard) {
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32};
    temper_run_options o = {.hard = hard, .unchecked = 1, .capture = 1};
    temper_draw_options d = {0};
    temper_run *run = NULL;
    temper_error e;
    char *page = NULL, length[40], wanted[100];
    uint32_t word[2] = {0};
    if (CHECK(!temper_model_run(&run, m, word, 2, &o, &e) && !temper_draw_html(&page, m, run, word, &d, &e), "%s: %s",
              name, e.text))
        for (size_t k = 0; k < 3; k++) {
            temper_proof p;
            if (!CHECK(!temper_model_proof(&p, m, types[k], hard, &e), "%s: %s", name, e.text)) continue;
            group(length, p.length);
            snprintf(wanted, sizeof wanted, "%s: %s%s%s", temper_type_name(types[k]), p.claim ? length : "none",
                     p.claim ? " (" : "", p.claim ? temper_claim_name(p.claim) : "");
            CHECK(strstr(page, wanted), "%s: the page does not say %s", name, wanted);
        }
    temper_free(page);
    temper_run_free(run);
}

/* Every length up to the proved one is certified, also where the file must state a longer one. */
static void check_below(const char *name, const temper_model *m, temper_type type, test_random *r) {
    temper_proof p;
    if (temper_model_proof(&p, m, type, 0, NULL) || p.claim == TEMPER_CLAIM_NONE) return;
    for (int k = 0; k < 2; k++) {
        size_t n =
            p.length - (k ? random_below(r, p.length / 2 + 1) : random_below(r, p.length < 9 ? p.length + 1 : 9));
        CHECK(certifies(m, type, n, p.claim), "%s in %s: unable at %zu, below %zu", name, temper_type_name(type), n,
              p.length);
    }
}

/* A transducer of two outputs, or a language model, over the same kind of formulas. */
static temper_spec *random_outputs(test_random *r, const random_shape *shape) {
    static trap unused;
    char source[6000];
    bool next = !shape->future && !shape->counting && random_below(r, 2);
    temper_spec *made = NULL, *s = make_spec(&unused, shape->letters, TEMPER_AT_LAST);
    size_t at = (size_t)snprintf(source, sizeof source, "alphabet");
    for (unsigned l = 0; l < shape->letters; l++)
        at += (size_t)snprintf(source + at, sizeof source - at, " %c", 'a' + (int)l);
    at += (size_t)snprintf(source + at, sizeof source - at, next ? "\nnext\n" : "\ntransduce\n");
    for (int k = 0; k < (next ? 1 : 2); k++) {
        text t;
        text_init(&t, &s->memory);
        formula_label(&t, &s->graph, &s->letters, random_formula(&s->graph, r, shape), 0);
        at += (size_t)snprintf(source + at, sizeof source - at, next ? "%s%s\n" : "emit '%s' = %s\n",
                               next ? ""
                               : k  ? "y"
                                    : "x",
                               text_string(&t));
    }
    finish_spec(s, 0);
    temper_spec_free(s);
    temper_error e;
    CHECK(!temper_spec_parse(&made, source, strlen(source), NULL, &e), "%s: %s", source, e.text);
    return made;
}

int main(void) {
    static const temper_method methods[] = {TEMPER_METHOD_TEMPERATURE, TEMPER_METHOD_POSITIONS, TEMPER_METHOD_DIGITS,
                                            TEMPER_METHOD_HARD};
    test_random r = test_seed(1313);
    size_t formulas = (size_t)(FORMULAS * test_effort());
    bool full = getenv("TEMPER_HUNT") != NULL; /* else exports and pages of a part only: they take their time */
    char folder[TEST_FOLDER];
    if (!test_folder(folder)) return test_finish("t-proved-length");
    for (size_t k = 0; k < formulas; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(&r, 3),
                              .size = 1 + random_below(&r, 6),
                              .depth = 1 + random_below(&r, 3),
                              .past = true,
                              .future = random_below(&r, 4) == 0,
                              .counting = random_below(&r, 3) == 0,
                              .modulo = random_below(&r, 4) == 0,
                              .places = random_below(&r, 4) == 0};
        bool several = k % 5 == 3;
        temper_spec *spec = several ? random_outputs(&r, &shape) : random_spec(&r, &shape, TEMPER_AT_LAST);
        temper_model *m = NULL;
        temper_build_options o = {.method = methods[k % 4]};
        char *name = NULL;
        if (spec && !temper_spec_print(&name, spec, NULL) && !temper_build(&m, spec, &o, NULL)) {
            bool hard = o.method == TEMPER_METHOD_HARD;
            for (temper_type type = TEMPER_TYPE_F64; number_type_of(type); type++) {
                if (number_type_of(type)->tile && type % 12 != k % 12) continue; /* of each tile one */
                if (type == TEMPER_TYPE_EXACT) continue;
                check_type(name, m, type, hard, !hard && (k + type) % 5 == 0);
            }
            check_type(name, m, k % 2 ? TEMPER_TYPE_F64 : TEMPER_TYPE_F32, true, false);
            check_stream(name, m, k % 2 ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64);
            if (full || k % 12 == 0) check_export(name, m, folder);
            if (full || k % 4 == 0) check_page(name, m, hard);
            if (!hard) check_below(name, m, (temper_type)(k % 2 ? TEMPER_TYPE_BF16_F32 + k / 2 % 10 : k / 2 % 2), &r);
            if (!hard && (k % 10 == 0 || (several && k % 20 == 18)))
                check_limits(name, m, (temper_type)(TEMPER_TYPE_BF16_F32 + k / 10 % 4));
        }
        temper_free(name);
        temper_model_free(m);
        temper_spec_free(spec);
    }
    rmdir(folder);
    return test_finish("t-proved-length");
}
