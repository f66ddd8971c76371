/* Certificates: what is proved at a length is so. Runs of random formulas in every number type agree with the formula
   up to the certified length, also with every logit moved by a unit in the last place, and no error before rounding
   is above its bound; shorter lengths are proved too; the ranges that are promised are reached; corners. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "corpus.h"
#include "model/model.h"
#include "number/number_type.h"
#include "random_formula.h"
#include "run/dense.h"

static const temper_type TYPES[] = {TEMPER_TYPE_F64,      TEMPER_TYPE_F32,     TEMPER_TYPE_BF16_F32,
                                    TEMPER_TYPE_BF16,     TEMPER_TYPE_F16_F32, TEMPER_TYPE_F16,
                                    TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E4M3,    TEMPER_TYPE_E5M2_F32,
                                    TEMPER_TYPE_E5M2,     TEMPER_TYPE_F32_F64, TEMPER_TYPE_BF16_F64};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES };

static temper_certificate *certify(const temper_model *m, size_t length, temper_type type) {
    temper_certificate *k = NULL;
    temper_error e;
    temper_certify_options o = {.length = length, .type = type};
    CHECK(!temper_certify(&k, m, NULL, 0, &o, &e), "certify: %s", e.text);
    return k;
}

static bool is_proved(const temper_model *m, size_t length, temper_type type) {
    temper_certificate *k = certify(m, length, type);
    bool proved = k && temper_certificate_about(k).verdict == TEMPER_PROVED;
    temper_certificate_free(k);
    return proved;
}

static temper_proof longest(const temper_model *m, temper_type type) {
    temper_proof p = {0};
    temper_error e;
    CHECK(!temper_model_proof(&p, m, type, 0, &e), "longest: %s", e.text);
    return p;
}

/* ---- runs inside a proved range ---- */

typedef struct subject {
    const char *name;
    const temper_spec *spec;
    const temper_model *m;
    temper_type type;
    size_t length; /* certified */
    temper_certificate *certificate;
} subject;

static void show_word(const subject *s, const uint32_t *word, size_t n, char out[200]) {
    size_t used = 0;
    for (size_t k = 0; k < n && used + 20 < 200; k++)
        used += (size_t)snprintf(out + used, 200 - used, "%.8s", temper_spec_letter(s->spec, word[k]));
    out[used] = 0;
}

static bool same_truth(const subject *s, const uint32_t *word, size_t n, const unsigned char *oracle,
                       const unsigned char *run, const char *what) {
    size_t k = 0;
    char string[200];
    while (k < n && oracle[k] == run[k + 1]) k++;
    show_word(s, word, n, string);
    return CHECK(k == n, "%s: %s in %s, certified to %zu: wrong at %zu on %s (n = %zu)", s->name, what,
                 temper_type_name(s->type), s->length, k + 1, string, n);
}

static void margins_hold(const subject *s, const temper_run *r, size_t n) {
    for (size_t h = 0; h < temper_certificate_about(s->certificate).heads; h++) {
        temper_certified_head x;
        temper_certificate_head(&x, s->certificate, h, NULL);
        double margin = temper_run_head(r, x.layer, x.head).error, bound = strtod(x.error, NULL);
        CHECK(margin <= bound, "%s in %s: head %zu.%zu is off by %g at n = %zu, bound %g at %zu", s->name,
              temper_type_name(s->type), x.layer, x.head, margin, n, bound, s->length);
    }
}

/* The run itself, and for emulated types runs with logits moved about. */
static void run_word(const subject *s, const uint32_t *word, size_t n, test_random *r) {
    temper_run *run = NULL;
    temper_error e;
    int accept;
    unsigned char *oracle = calloc(n + 1, 1), *truth = calloc(n + 3, 1);
    temper_run_options o = {.unchecked = 1, .type = s->type, .threads = 1};
    temper_spec_eval(&accept, oracle, s->spec, word, n, NULL);
    if (CHECK(!temper_model_run(&run, s->m, word, n, &o, &e), "%s in %s: %s", s->name, temper_type_name(s->type),
              e.text)) {
        CHECK(temper_run_about(run).accept == accept, "%s in %s: the verdict at n = %zu", s->name,
              temper_type_name(s->type), n);
        for (size_t k = 0; k <= n; k++) truth[k] = (unsigned char)temper_run_about(run).truth[k];
        same_truth(s, word, n, oracle, truth, "run");
        margins_hold(s, run, n);
        temper_run_free(run);
    }
    /* Candidates of once heads must tie where sums are made in a short format: doc/certificate.md, "Operations that
       are covered". */
    bool once = false;
    for (size_t h = 0; h < temper_certificate_about(s->certificate).heads; h++) {
        temper_certified_head x;
        temper_certificate_head(&x, s->certificate, h, NULL);
        once = once || strcmp(x.kind, "once") == 0;
    }
    if (number_type_is_emulated(s->type) && !once) {
        const number_type *type = number_type_of(s->type);
        dense_setting f = {type->storage, type->accumulation, .shake = random_u64(r) | 1};
        dense_answer a;
        arena stream, scratch;
        trap t;
        arena_init(&stream, &t);
        arena_init(&scratch, &t);
        if (!trap_set(&t, NULL)) {
            dense_run(&a, s->m, word, n, &f, &stream, &scratch);
            if (CHECK(!a.broken, "%s in %s: overflow at n = %zu", s->name, type->name, n))
                same_truth(s, word, n, oracle, a.truth, "shaken run");
        }
        arena_free(&stream);
        arena_free(&scratch);
    }
    free(oracle);
    free(truth);
}

/* What is hard: a candidate alone far to one side, all alike, neighbours that differ. */
static void adversarial_word(uint32_t *word, size_t n, unsigned letters, unsigned family, test_random *r) {
    uint32_t x = (uint32_t)random_below(r, letters), y = (uint32_t)random_below(r, letters);
    if (family > 4) {
        random_word(word, n, letters, r);
        return;
    }
    for (size_t k = 0; k < n; k++) {
        bool here[] = {true, k % 2, k == 0, k + 1 == n, k + 2 > n / 2 && k <= n / 2};
        word[k] = here[family] ? x : y;
    }
}

static void run_words(const subject *s, test_random *r, size_t words) {
    enum { MOST = 200 };
    uint32_t word[MOST];
    unsigned letters = (unsigned)temper_spec_about(s->spec).letters;
    size_t most = s->length < MOST ? s->length : MOST;
    for (size_t k = 0; k < words; k++) {
        size_t n = k % 3 == 0 ? most : random_below(r, (k % 3 == 1 ? most : most < 12 ? most : 12) + 1);
        adversarial_word(word, n, letters, (unsigned)random_below(r, 8), r);
        run_word(s, word, n, r);
    }
}

static void check_model(const char *name, const temper_spec *spec, const temper_model *m, temper_type type,
                        test_random *r, size_t words) {
    temper_proof p = longest(m, type);
    subject s = {.name = name, .spec = spec, .m = m, .type = type, .length = p.length};
    bool proved = p.claim != TEMPER_CLAIM_NONE;
    CHECK(is_proved(m, s.length, type) == proved, "%s in %s: the longest length %zu is not proved", name,
          temper_type_name(type), s.length);
    CHECK(!proved || !is_proved(m, s.length + 1, type), "%s in %s: %zu is not the longest", name,
          temper_type_name(type), s.length);
    CHECK(*p.obstacle, "%s in %s: %zu, no reason", name, temper_type_name(type), s.length);
    if (!proved) return;
    size_t shorter = random_below(r, s.length + 1);
    CHECK(is_proved(m, shorter, type), "%s in %s: proved at %zu, not at %zu", name, temper_type_name(type), s.length,
          shorter);
    s.certificate = certify(m, s.length, type);
    run_words(&s, r, words);
    temper_certificate_free(s.certificate);
}

/* NULL also where the compiler has no construction. */
static temper_model *model_or_none(const temper_spec *spec, temper_method method) {
    temper_model *model;
    temper_build_options o = {.method = method};
    temper_build(&model, spec, &o, NULL);
    return model;
}

/* By digits for the storage format of the type; NULL also where there is no construction. */
static temper_model *digits_or_none(const temper_spec *spec, temper_type type) {
    temper_model *model;
    temper_build_options o = {.method = TEMPER_METHOD_DIGITS, .digits = type};
    temper_build(&model, spec, &o, NULL);
    return model;
}

static void random_models(test_random *r) {
    size_t formulas = (size_t)(28 * test_effort());
    for (size_t k = 0; k < formulas; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(r, 3),
                              .size = 1 + random_below(r, 8),
                              .depth = 1 + random_below(r, 4),
                              .past = true,
                              .future = random_below(r, 3) == 0,
                              .counting = random_below(r, 3) == 0,
                              .modulo = random_below(r, 4) == 0,
                              .places = random_below(r, 4) == 0};
        temper_spec *made = random_spec(r, &shape, random_below(r, 2) ? TEMPER_AT_LAST : TEMPER_AT_FIRST),
                    *spec = NULL;
        char *source = NULL;
        temper_spec_options o = {.alphabet = shape.letters == 1   ? "a"
                                             : shape.letters == 2 ? "ab"
                                                                  : "abc",
                                 .at = temper_spec_about(made).at};
        if (temper_spec_print(&source, made, NULL) == TEMPER_OK &&
            temper_spec_parse(&spec, source, strlen(source), &o, NULL) == TEMPER_OK) {
            for (temper_method method = TEMPER_METHOD_TEMPERATURE; method <= TEMPER_METHOD_POSITIONS; method++) {
                temper_model *m = model_or_none(spec, method);
                temper_type type = TYPES[random_below(r, TYPE_COUNT)];
                if (m) check_model(source, spec, m, type, r, 9);
                temper_model_free(m);
            }
            temper_type type = TYPES[random_below(r, TYPE_COUNT)];
            temper_model *m = digits_or_none(spec, type);
            if (m) check_model(source, spec, m, type, r, 9);
            temper_model_free(m);
        }
        temper_free(source);
        temper_spec_free(spec);
        temper_spec_free(made);
    }
}

/* One operator at a time, in every type: the lengths where short types end are short, so the runs reach them. Each
   formula meets each type by one of the three methods; with more effort by all. */
static bool is_tried(size_t number, size_t type, size_t method) {
    return test_effort() > 2 || (number + type + method) % 4 == 2;
}

static void operators(test_random *r) {
    static const char *const formulas[] = {"O a",          "H a",        "a S b",         "Y a",
                                           "F a",          "a U b",      "X a",           "#[a] > #[b]",
                                           "#[a] % 2 = 1", "#>[a] >= 2", "a S (b & Y c)", "Y (a S b) & c"};
    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++)
        for (temper_method method = TEMPER_METHOD_TEMPERATURE; method <= TEMPER_METHOD_POSITIONS; method++) {
            temper_spec *spec = spec_of(formulas[k], "abc", TEMPER_AT_DEFAULT);
            temper_model *m = spec ? model_of(spec, method) : NULL;
            for (size_t t = 0; m && t < TYPE_COUNT; t++)
                if (is_tried(k, t, method)) check_model(formulas[k], spec, m, TYPES[t], r, 6);
            temper_model_free(m);
            for (size_t t = 0; spec && method == TEMPER_METHOD_POSITIONS && t < TYPE_COUNT; t++) {
                m = is_tried(k, t, TEMPER_METHOD_DIGITS) ? digits_or_none(spec, TYPES[t]) : NULL;
                if (m) check_model(formulas[k], spec, m, TYPES[t], r, 6);
                temper_model_free(m);
            }
            temper_spec_free(spec);
        }
}

/* ---- what must be reached ---- */

static void ranges(void) {
    static const struct promise {
        const char *formula;
        temper_type type;
        size_t length;
    } promises[] = {
        {"O a", TEMPER_TYPE_F32, 1000000},
        {"H a", TEMPER_TYPE_F32, 1000000},
        {"O a", TEMPER_TYPE_BF16_F32, 1000000000},
        {"H a", TEMPER_TYPE_BF16_F32, 1000000000},
        {"F a", TEMPER_TYPE_BF16_F32, 1000000000},
        {"a S b", TEMPER_TYPE_F64, 1000000000},
        {"Y a", TEMPER_TYPE_F64, 1000000000},
        {"a U b", TEMPER_TYPE_F64, 1000000000},
        {"a S b", TEMPER_TYPE_F32, 100000},
        {"Y a", TEMPER_TYPE_F32, 100000},
        {"X a", TEMPER_TYPE_F32, 100000},
        {"#[a] > #[b]", TEMPER_TYPE_F64, 1000000},
        {"2*#[a] = 3*#[b]", TEMPER_TYPE_F64, 1000000},
        {"#[a] % 3 = 1", TEMPER_TYPE_F64, 100000},
        {"(#[a] + #[b]) % 5 = 1", TEMPER_TYPE_F64, 100000},
        {"#[a] >= #>[b]", TEMPER_TYPE_F64, 1000000},
    };
    for (size_t k = 0; k < sizeof promises / sizeof *promises; k++)
        for (temper_method method = TEMPER_METHOD_TEMPERATURE; method <= TEMPER_METHOD_POSITIONS; method++) {
            temper_spec *spec = spec_of(promises[k].formula, "abc", TEMPER_AT_LAST);
            temper_model *m = spec ? model_of(spec, method) : NULL;
            temper_certificate *c = m ? certify(m, promises[k].length, promises[k].type) : NULL;
            if (c)
                CHECK(temper_certificate_about(c).verdict == TEMPER_PROVED, "%s, %s, %s at %zu: %s",
                      promises[k].formula, temper_method_name(method), temper_type_name(promises[k].type),
                      promises[k].length, temper_certificate_about(c).reason);
            temper_certificate_free(c);
            temper_model_free(m);
            temper_spec_free(spec);
        }
}

static void digit_ranges(void) {
    static const char *const formulas[] = {"a S b", "Y a", "a U b", "X a", "a S (b & Y c)", "Y a & !(a S b) | H c"};
    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
        temper_spec *spec = spec_of(formulas[k], "abc", TEMPER_AT_LAST);
        temper_model *m = spec ? digits_or_none(spec, TEMPER_TYPE_BF16_F32) : NULL;
        temper_certificate *c = m ? certify(m, 100000, TEMPER_TYPE_BF16_F32) : NULL;
        if (CHECK(c != NULL, "%s: no digits", formulas[k]))
            CHECK(temper_certificate_about(c).verdict == TEMPER_PROVED, "%s by digits: %s", formulas[k],
                  temper_certificate_about(c).reason);
        temper_certificate_free(c);
        temper_model_free(m);
        temper_spec_free(spec);
    }
}

static void corpus(void) {
    for (size_t k = 0; k < corpus_size(); k++) {
        const corpus_entry *e = corpus_at(k);
        temper_spec *spec = corpus_parse(e);
        for (temper_method method = TEMPER_METHOD_TEMPERATURE; spec && method <= TEMPER_METHOD_POSITIONS; method++) {
            temper_model *m = model_or_none(spec, method);
            temper_certificate *c = m ? certify(m, 10000, TEMPER_TYPE_F64) : NULL;
            if (c)
                CHECK(temper_certificate_about(c).verdict == TEMPER_PROVED, "%s, %s: %s", e->name,
                      temper_method_name(method), temper_certificate_about(c).reason);
            temper_certificate_free(c);
            temper_model_free(m);
        }
        temper_spec_free(spec);
    }
}

/* ---- corners ---- */

static void expect(const char *what, const temper_model *m, size_t length, temper_type type, temper_verdict verdict,
                   const char *reason) {
    temper_certificate *c = certify(m, length, type);
    if (!c) return;
    CHECK(temper_certificate_about(c).verdict == verdict, "%s: verdict %d, %s", what,
          (int)temper_certificate_about(c).verdict, temper_certificate_about(c).reason);
    CHECK(strstr(temper_certificate_about(c).reason, reason) != NULL, "%s: reason %s", what,
          temper_certificate_about(c).reason);
    char *json;
    size_t size;
    temper_error e;
    temper_status s = temper_certificate_print(&json, &size, c, &e);
    CHECK((s == TEMPER_OK) == (verdict == TEMPER_PROVED), "%s: print gives %d", what, (int)s);
    if (s == TEMPER_OK) CHECK(size == strlen(json) && json[size - 1] == '\n', "%s: the text's size", what);
    temper_free(json);
    temper_certificate_free(c);
}

/* The text of a model with one word replaced. */
static temper_model *edited(const temper_model *m, const char *from, const char *to) {
    char *printed;
    size_t size;
    temper_error e;
    temper_model *out = NULL;
    temper_model_print(&printed, &size, m, &e);
    char *at = strstr(printed, from), *copy = malloc(size + strlen(to) + 1);
    if (CHECK(at != NULL, "no '%s' in the model", from)) {
        size_t before = (size_t)(at - printed);
        memcpy(copy, printed, before);
        strcpy(copy + before, to);
        strcat(copy, at + strlen(from));
        CHECK(!temper_model_read(&out, copy, strlen(copy), &e), "edited model: %s", e.text);
    }
    free(copy);
    temper_free(printed);
    return out;
}

/* What is proved of an edited model, and what was read off it. */
static void expect_claim(const char *what, const temper_model *m, const char *from, const char *to, const char *claim,
                         const char *read_off) {
    temper_model *changed = edited(m, from, to);
    temper_certificate *c = changed ? certify(changed, 10, TEMPER_TYPE_F64) : NULL;
    if (CHECK(c && temper_certificate_about(c).verdict == TEMPER_PROVED, "%s: %s", what,
              c ? temper_certificate_about(c).reason : "no certificate")) {
        CHECK(strcmp(temper_claim_name(temper_certificate_about(c).claim), claim) == 0, "%s: the claim is %s", what,
              temper_claim_name(temper_certificate_about(c).claim));
        CHECK(strcmp(temper_certificate_about(c).read_off, read_off) == 0, "%s: read off was %s", what,
              temper_certificate_about(c).read_off);
        CHECK((*temper_certificate_about(c).note != 0) == (*read_off != 0), "%s: %s", what,
              temper_certificate_about(c).note);
    }
    temper_certificate_free(c);
    temper_model_free(changed);
}

static void corners(void) {
    temper_spec *spec = spec_of("a S b", "abc", TEMPER_AT_DEFAULT), *once = spec_of("O a", "ab", TEMPER_AT_DEFAULT);
    temper_model *hard = model_of(spec, TEMPER_METHOD_HARD), *m = model_of(spec, TEMPER_METHOD_TEMPERATURE);
    temper_model *o = model_of(once, TEMPER_METHOD_TEMPERATURE);
    temper_certificate *c = NULL;
    temper_error e;
    expect("length 0", m, 0, TEMPER_TYPE_F64, TEMPER_PROVED, "");
    expect("length 0 in e4m3", m, 0, TEMPER_TYPE_E4M3, TEMPER_PROVED, "");
    expect("2^40", o, (size_t)1 << 40, TEMPER_TYPE_F64, TEMPER_PROVED, "");
    expect("2^40 + 1", o, ((size_t)1 << 40) + 1, TEMPER_TYPE_F64, TEMPER_UNABLE,
           "bounds are stated up to 2^40 letters");
    expect("SIZE_MAX", o, SIZE_MAX, TEMPER_TYPE_F64, TEMPER_UNABLE, "bounds are stated up to 2^40 letters");
    expect("SIZE_MAX - 1", o, SIZE_MAX - 1, TEMPER_TYPE_BF16, TEMPER_UNABLE, "bounds are stated up to 2^40 letters");
    expect("2^24 in f32", o, (size_t)1 << 24, TEMPER_TYPE_F32, TEMPER_UNABLE, "f32 counts only up to 2^24");
    expect("nearest in f32", m, 100000000, TEMPER_TYPE_F32, TEMPER_UNABLE,
           "head 1.1 (a S b): two logits may be off by ");
    expect("a hard model", hard, 10, TEMPER_TYPE_F64, TEMPER_UNABLE, "the model is hard");
    temper_certify_options exact = {.length = 3, .type = TEMPER_TYPE_EXACT};
    CHECK(temper_certify(&c, m, NULL, 0, &exact, &e) == TEMPER_RANGE && !c, "exact is no type of a certificate");
    exact.type = (temper_type)99;
    CHECK(temper_certify(&c, m, NULL, 0, &exact, &e) == TEMPER_RANGE && !c, "99 is no type");
    expect_claim("a changed scale", m, "scale \"8*N\"", "scale \"7*N\"", "formula", "");
    expect_claim("another source", m, "source \"a S b\"", "source \"b S a\"", "hard choices", "a S b");
    expect_claim("no source", m, "source \"a S b\"", "source \"\"", "hard choices", "a S b");
    temper_model *changed = edited(m, "scale \"8*N\"", "scale \"8*N*N\"");
    if (changed)
        expect("a scale that grows too fast", changed, 300, TEMPER_TYPE_F64, TEMPER_UNABLE,
               "its scale is not a multiple of N");
    temper_model_free(changed);
    temper_model_free(hard);
    temper_model_free(m);
    temper_model_free(o);
    temper_spec_free(spec);
    temper_spec_free(once);
}

/* Where there is no proof, and the answer is wrong, a string is found that shows it. */
static void refuted(void) {
    temper_spec *spec = spec_of("a S b", "abc", TEMPER_AT_DEFAULT);
    temper_model *m = model_of(spec, TEMPER_METHOD_TEMPERATURE);
    temper_certificate *c = NULL;
    temper_error e;
    temper_certify_options o = {.length = 2000, .type = TEMPER_TYPE_BF16, .search = 1};
    if (CHECK(!temper_certify(&c, m, NULL, 0, &o, &e), "certify: %s", e.text) &&
        CHECK(temper_certificate_about(c).verdict == TEMPER_REFUTED, "a S b in bf16: %s",
              temper_certificate_about(c).reason)) {
        temper_fault f = temper_certificate_about(c).fault;
        unsigned char *oracle = calloc(f.n + 1, 1);
        temper_run *run = NULL;
        int accept;
        temper_run_options options = {.unchecked = 1, .type = TEMPER_TYPE_BF16};
        CHECK(f.n <= 2000 && f.position >= 1 && f.position <= f.n && f.length == f.n, "n %zu, position %zu", f.n,
              f.position);
        temper_spec_eval(&accept, oracle, spec, f.letters, f.n, NULL);
        if (CHECK(!temper_model_run(&run, m, f.letters, f.n, &options, &e), "run: %s", e.text))
            CHECK(temper_run_about(run).truth[f.position] != oracle[f.position - 1], "the answer there is right");
        temper_run_free(run);
        free(oracle);
    }
    temper_certificate_free(c);
    temper_model_free(m);
    temper_spec_free(spec);
}

int main(void) {
    test_random r = test_seed(5);
    corners();
    refuted();
    ranges();
    digit_ranges();
    operators(&r);
    random_models(&r);
    corpus();
    return test_finish("certify");
}
