/* The digits method: every stored number of it is exact, rounding of head outputs is exact in every format, and
   answers are the formula's in f64, f32 and in short formats, also where the nearest candidate is far and everything
   beside it is none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agree.h"
#include "corpus.h"
#include "model/model.h"
#include "random_formula.h"
#include "proved.h"

static const temper_type stored_in[] = {TEMPER_TYPE_BF16, TEMPER_TYPE_F16, TEMPER_TYPE_E4M3, TEMPER_TYPE_E5M2,
                                        TEMPER_TYPE_F32};

/* ---- one by one: what doc/theory.md, "Digits", claims of the numbers ---- */

static double value_of(const char *source, double i, double size) {
    trap t;
    arena a;
    temper_error e;
    arena_init(&a, &t);
    if (trap_set(&t, &e)) {
        CHECK(false, "%s: %s", source, e.text);
        return NAN;
    }
    double x = expression_eval(expression_parse(&a, source, strlen(source), 0, 0), i, size - 1, size);
    arena_free(&a);
    trap_clear(&t);
    return x;
}

/* Digits and products are stored exactly and add up to 8 d; the bonus is a stored power of two of at least 16 N. */
static void check_numbers(const digit_format *f, double size, double i, arena *a) {
    const number_format *s = digit_storage(f);
    double d = i - floor(size / 2), sum = 0, bonus = value_of(digit_bonus_text(f, a), 0, size);
    for (int b = f->count - 1; b >= 0; b--) {
        double e = value_of(digit_text(f, b, a), i, size), q = ldexp(1, digit_query_power(f, b)),
               k = ldexp(1, digit_key_power(f, b)) * e;
        CHECK(format_round(s, e) == e && format_round(s, q) == q && format_round(s, k) == k,
              "%s: digit %d of %g among %g is %g, in the key %g: not stored exactly", s->name, b, i, size, e, k);
        sum += q * k;
        CHECK((float)sum == sum && e * d >= 0, "%s: digit %d of %g among %g: partial sum %g", s->name, b, i, size,
              sum);
    }
    CHECK(sum == 8 * d, "%s: digits of %g among %g give %g", s->name, i, size, sum);
    double power = ldexp(1, f->bonus);
    CHECK(format_round(s, bonus) == bonus && format_round(s, power) == power && power * bonus >= 16 * size &&
              power * bonus < 32 * size,
          "%s: the bonus of %g positions is %g", s->name, size, power * bonus);
    double once = value_of(DIGITS_ONCE, 0, size);
    CHECK(format_round(s, once) == once && once >= log(size) + 8 - 1e-12 && once < log(size) + 12,
          "%s: once has %g among %g", s->name, once, size);
}

static void numbers(test_random *r) {
    trap t;
    arena a;
    temper_error err;
    arena_init(&a, &t);
    if (trap_set(&t, &err)) {
        CHECK(false, "%s", err.text);
        return;
    }
    for (size_t k = 0; digit_format_at(k); k++) {
        const digit_format *f = digit_format_at(k);
        CHECK(digit_format_of(f->type) == f, "%s is not itself", temper_type_name(f->type));
        for (double size = 1; size <= 40; size++)
            for (double i = 0; i < size; i++) check_numbers(f, size, i, &a);
        for (int n = 0; n < 2000; n++) {
            double size = 1 + floor(exp2((double)random_below(r, 1000) / 1000 * log2(f->size)));
            if (n % 4 == 0) size = ldexp(1, (int)random_below(r, 1 + (uint64_t)log2(f->size)));
            if (size > f->size) size = f->size;
            double i = n % 3 == 0   ? 0
                       : n % 3 == 1 ? size - 1
                                    : floor((double)random_below(r, 1 << 30) * size / 0x1p30);
            check_numbers(f, size, i, &a);
        }
        arena_reset(&a);
    }
    CHECK(!digit_format_of(TEMPER_TYPE_EXACT) && !digit_format_of(TEMPER_TYPE_F64), "digits of f64");
    CHECK(digit_format_of(TEMPER_TYPE_BF16_F64) == digit_format_of(TEMPER_TYPE_BF16),
          "bf16/f64 is not stored in bf16");
    arena_free(&a);
    trap_clear(&t);
}

/* relu(2a + 2r - 5/2) - relu(2a + 2r - 7/2) for every stored a, as the dense pass computes it, both orders of the
   sum. */
static void roundings(void) {
    for (temper_type type = TEMPER_TYPE_BF16_F32; number_type_of(type); type++) {
        const number_format *s = number_type_of(type)->storage, *sum = number_type_of(type)->accumulation;
        if (number_type_of(type)->tile) continue; /* gates know no tiles */
        int64_t last = s->precision == 24 ? 0 : format_last(s);
        for (int64_t k = -last; k <= last; k++)
            for (int real = 0; real < 2; real++)
                for (int order = 0; order < 2; order++) {
                    double a = format_at(s, k), twice = format_round(sum, 2 * a), r = 2 * real, h[2];
                    bool one = real && a >= 0.75 && a <= 1.25;
                    if (!one && !(a <= 0.25) && !(!real && a <= 1.25)) continue;
                    double total = order ? format_round(sum, format_round(sum, 0 + r) + twice)
                                         : format_round(sum, format_round(sum, 0 + twice) + r);
                    for (int u = 0; u < 2; u++)
                        h[u] = format_round(s, fmax(0, format_round(sum, total - format_round(s, 2.5 + u))));
                    double out = format_round(s, format_round(sum, h[0] - h[1]));
                    CHECK(out == one, "%s: %a with real = %d is rounded to %a", temper_type_name(type), a, real, out);
                }
    }
}

/* ---- agreement ---- */

/* Heads that digits or relative errors carry; the others end early in short formats, by whatever method. */
static bool is_short_proof(const temper_model *m, bool compare) {
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t h = 0; h < m->layers[l].head_count; h++) {
            head_role role = m->layers[l].heads[h].role;
            if (role == ROLE_ONCE || role == ROLE_NEAREST) continue;
            if (!compare || (role != ROLE_COUNT && role != ROLE_COMPARE)) return false;
        }
    return true;
}

static bool agrees(const char *name, const temper_model *m, const temper_spec *spec, temper_type type, bool hard,
                   const uint32_t *word, size_t n) {
    temper_run *run;
    temper_error e;
    temper_run_options o = {.type = type, .hard = hard, .unchecked = type >= TEMPER_TYPE_BF16_F32};
    unsigned char *truth = calloc(n + 1, 1);
    int accept = 0;
    size_t bad = 0;
    temper_status status = temper_spec_eval(&accept, truth, spec, word, n, &e);
    if (status == TEMPER_OK) status = temper_model_run(&run, m, word, n, &o, &e);
    bool ok = CHECK(status == TEMPER_OK, "%s, digits of %s in %s, length %zu: %s", name,
                    temper_type_name(m->digits->type), temper_type_name(type), n, e.text);
    if (ok) {
        for (size_t i = 1; i <= n && !bad; i++)
            if (temper_run_about(run).truth[i] != truth[i - 1]) bad = i;
        ok = CHECK(!bad && temper_run_about(run).accept == accept,
                   "%s, digits of %s in %s%s, length %zu: wrong at %zu", name, temper_type_name(m->digits->type),
                   temper_type_name(type), hard ? " (hard)" : "", n, bad);
        temper_run_free(run);
    }
    free(truth);
    return ok;
}

/* Every type that stores what the digits are made for, and the two in which everything is proved. */
static bool agrees_in_all(const char *name, const temper_model *m, const temper_spec *spec, const uint32_t *word,
                          size_t n) {
    bool ok =
        agrees(name, m, spec, TEMPER_TYPE_F64, n % 2, word, n) &&
        (n >= proved_lengths(m, TEMPER_TYPE_F32, false) || agrees(name, m, spec, TEMPER_TYPE_F32, false, word, n));
    bool wide = m->digits->type == TEMPER_TYPE_BF16 || m->digits->type == TEMPER_TYPE_F16;
    for (temper_type type = TEMPER_TYPE_BF16_F32; ok && number_type_of(type); type++) {
        const number_type *t = number_type_of(type);
        if (t->storage != digit_storage(m->digits) || t->tile) continue; /* of tiles, t-tiles */
        bool alone = t->storage == t->accumulation;
        if (alone && (!wide || n > 60)) continue; /* e4m3 and e5m2 cannot sum */
        if (is_short_proof(m, wide && !alone)) ok = agrees(name, m, spec, type, false, word, n);
    }
    return ok;
}

static void corpus(test_random *r) {
    size_t step = test_effort() > 1 ? 1 : 2;
    for (size_t k = 0; k < corpus_size(); k += step) {
        temper_spec *spec = corpus_parse(corpus_at(k));
        temper_error e;
        temper_model *hard = NULL;
        if (!spec) continue;
        if (temper_build(&hard, spec, NULL, &e) == TEMPER_OK) {
            size_t letters = temper_spec_about(spec).letters;
            temper_model *m = digits_of(spec, stored_in[k % 5]), *other = digits_of(spec, TEMPER_TYPE_BF16);
            size_t most = corpus_length(letters, (size_t)(30 * test_effort()), 6);
            bool ok = m && other;
            for (size_t n = 0; ok && n <= most; n++) {
                uint32_t word[16] = {0};
                do {
                    ok = agrees_in_all(corpus_at(k)->name, m, spec, word, n) &&
                         agrees_in_all(corpus_at(k)->name, other, spec, word, n);
                } while (ok && corpus_next_word(word, n, letters));
            }
            for (int n = 0; ok && n < 3; n++) {
                uint32_t word[200];
                size_t length = random_below(r, 201);
                random_word(word, length, (unsigned)letters, r);
                ok = agrees_in_all(corpus_at(k)->name, n ? m : other, spec, word, length);
            }
            temper_model_free(m);
            temper_model_free(other);
        }
        temper_model_free(hard);
        temper_spec_free(spec);
    }
}

static void random_ones(test_random *r) {
    size_t formulas = (size_t)(130 * test_effort());
    for (size_t k = 0; k < formulas; k++) {
        random_shape shape = {.letters = 1 + (unsigned)random_below(r, 3),
                              .size = 1 + random_below(r, 24),
                              .depth = 1 + random_below(r, 8),
                              .past = k % 4 != 1,
                              .future = k % 4 == 1 || k % 4 == 3,
                              .counting = k % 5 == 0,
                              .mixed_attend = k % 7 == 0};
        temper_spec *spec = random_spec(r, &shape, random_below(r, 2) ? TEMPER_AT_FIRST : TEMPER_AT_LAST);
        temper_model *m = digits_of(spec, stored_in[k % 5]);
        bool ok = m != NULL;
        for (int n = 0; ok && n < 6; n++) {
            uint32_t word[120];
            size_t length = random_below(r, n < 4 ? 12 : 121);
            random_word(word, length, shape.letters, r);
            ok = agrees_in_all("a random formula", m, spec, word, length);
        }
        temper_model_free(m);
        temper_spec_free(spec);
    }
}

/* Gates of more inputs than a format counts become trees: 26 inputs for e4m3 (16) and e5m2 (8), 300 for bf16
   (256). */
static void many_inputs(test_random *r) {
    enum { MOST = 300 };
    char source[16 * MOST], letters[8 * MOST];
    for (size_t k = 0; k < 5; k++)
        for (int op = 0; op < 2; op++) {
            size_t used = 0, listed = 0, count = k == 0 ? MOST : 26;
            for (size_t n = 0; n < count; n++) {
                used += (size_t)snprintf(source + used, sizeof source - used, "%s%sY t%zu",
                                         n ? op ? " & " : " | " : "", n % 3 == 0 ? "!" : "", n);
                listed += (size_t)snprintf(letters + listed, sizeof letters - listed, "%st%zu", n ? " " : "", n);
            }
            temper_spec_options o = {.alphabet = letters, .tokens = 1, .at = TEMPER_AT_LAST};
            temper_spec *spec = NULL;
            temper_error e;
            CHECK(!temper_spec_parse(&spec, source, used, &o, &e), "many inputs: %s", e.text);
            temper_model *m = spec ? digits_of(spec, stored_in[k]) : NULL;
            CHECK(!m || m->layer_count == (k == 0 || k == 2 || k == 3 ? 3 : 2), "%zu inputs for %s take %u layers",
                  count, temper_type_name(stored_in[k]), m->layer_count);
            for (int n = 0; m && n < 10; n++) {
                uint32_t word[30];
                random_word(word, 30, (unsigned)count, r);
                if (!agrees_in_all("many inputs", m, spec, word, 30)) break;
            }
            temper_model_free(m);
            temper_spec_free(spec);
        }
}

/* ---- refusals ---- */

static void refusals(void) {
    temper_spec *spec = spec_of("Y a & Y Y b", "ab", TEMPER_AT_LAST), *one = spec_of("Y a", "ab", TEMPER_AT_LAST);
    temper_model *fused = model_of(spec, TEMPER_METHOD_HARD), *alone = model_of(one, TEMPER_METHOD_HARD), *m = NULL;
    temper_error e;
    temper_soften_options digits = {.method = TEMPER_METHOD_DIGITS, .digits = TEMPER_TYPE_BF16};
    temper_build_options build = {.digits = TEMPER_TYPE_EXACT};
    CHECK(temper_soften(&m, NULL, fused, &digits, &e) == TEMPER_UNSUPPORTED && !m, "a fused gate: %s", e.text);
    CHECK(temper_soften(&m, NULL, fused, &(temper_soften_options){.method = TEMPER_METHOD_DIGITS}, &e) ==
                  TEMPER_UNSUPPORTED &&
              !m,
          "a fused gate: %s", e.text);
    digits.digits = TEMPER_TYPE_E5M2_F32;
    if (CHECK(temper_soften(&m, NULL, alone, &digits, &e) == TEMPER_OK, "one input: %s", e.text))
        temper_model_free(m);
    digits.digits = TEMPER_TYPE_EXACT;
    CHECK(temper_soften(&m, NULL, alone, &digits, &e) == TEMPER_RANGE && !m, "exact digits: %s", e.text);
    CHECK(temper_build(&m, spec, &build, &e) == TEMPER_RANGE && !m, "exact gates: %s", e.text);
    temper_model_free(fused);
    temper_model_free(alone);
    temper_spec_free(spec);
    temper_spec_free(one);
}

/* Several components in a key are still one pass. */
static void plans(void) {
    static const char *const formulas[] = {"a S b", "Y a", "O b", "a U b", "X a"};
    for (size_t f = 0; f < 5; f++)
        for (size_t k = 0; k < 5; k++) {
            temper_spec *spec = spec_of(formulas[f], "abc", TEMPER_AT_LAST);
            temper_model *m = digits_of(spec, stored_in[k]);
            const char *plan = "";
            temper_error e;
            CHECK(m && m->layer_count == 1 && m->layers[0].head_count == 1 &&
                      !temper_model_plans(&plan, NULL, m, 100, 0, &e) && strcmp(plan, "scan") == 0,
                  "%s by digits of %s: %s", formulas[f], temper_type_name(stored_in[k]), plan);
            temper_model_free(m);
            temper_spec_free(spec);
        }
}

/* ---- far candidates ---- */

/* A candidate far left with none beside it, candidates beside every other key, none, a long run before and after
   one. */
static void fill(uint32_t *word, size_t n, int kind, test_random *r) {
    for (size_t i = 0; i < n; i++)
        word[i] = kind == 0   ? (i ? 0 : 1)
                  : kind == 1 ? (i ? 0 : 2)
                  : kind == 2 ? (uint32_t)(1 + i % 2)
                  : kind == 3 ? (i == n / 2)
                  : kind == 4 ? (i == n / 2  ? 1
                                 : i > n / 2 ? 0
                                             : 2)
                              : (uint32_t)(random_below(r, 50) ? 0 : random_below(r, 3));
}

static void far(test_random *r) {
    static const char *const formulas[] = {"a S b", "Y a", "Y (a S b)", "O b"};
    static const size_t lengths[] = {100, 255, 256, 257, 512, 1000, 4095, 15000, 100000};
    enum { MOST = 100000, KINDS = 6 };
    uint32_t *word = calloc(MOST, sizeof *word);
    for (size_t f = 0; f < sizeof formulas / sizeof *formulas; f++) {
        temper_spec *spec = spec_of(formulas[f], "abc", TEMPER_AT_LAST);
        for (size_t k = 0; k < 5; k++) {
            temper_model *m = digits_of(spec, stored_in[k]);
            temper_type type = k == 0   ? TEMPER_TYPE_BF16_F32
                               : k == 1 ? TEMPER_TYPE_F16_F32
                               : k == 2 ? TEMPER_TYPE_E4M3_F32
                               : k == 3 ? TEMPER_TYPE_E5M2_F32
                                        : TEMPER_TYPE_F32_F64;
            for (size_t l = 0; m && l < sizeof lengths / sizeof *lengths; l++)
                for (int kind = 0; kind < KINDS; kind++) {
                    size_t n = lengths[l];
                    if (n > 4095 && k == 2) continue; /* beyond e4m3 */
                    if (n > 4095 && test_effort() <= 1 && (f > 1 || kind > 1 || (n > 15000 && k + f > 0))) continue;
                    fill(word, n, kind, r);
                    if (!agrees(formulas[f], m, spec, type, false, word, n)) goto next;
                }
        next:
            temper_model_free(m);
        }
        temper_spec_free(spec);
    }
    /* rounded to nearest, a bonus of 8 N falls below the positions at N = 60,002 */
    temper_spec *spec = spec_of("a S b", "abc", TEMPER_AT_LAST);
    temper_model *m = digits_of(spec, TEMPER_TYPE_BF16);
    for (int k = 0; m && k < 4 * test_effort(); k++) {
        size_t n = k < 3 ? 60000 + (size_t)k : 59000 + random_below(r, 2000);
        fill(word, n, k % 2, r);
        if (!agrees("a S b", m, spec, TEMPER_TYPE_BF16_F32, false, word, n)) break;
    }
    temper_model_free(m);
    temper_spec_free(spec);
    /* forward, where all pairs are looked at */
    spec = spec_of("a U b", "abc", TEMPER_AT_FIRST);
    m = digits_of(spec, TEMPER_TYPE_BF16);
    for (int kind = 0; m && kind < KINDS; kind++) {
        size_t n = kind == 0 ? 1500 : 600;
        fill(word, n, kind, r);
        for (size_t i = 0; i < n / 2; i++) { /* mirrored */
            uint32_t swap = word[i];
            word[i] = word[n - 1 - i];
            word[n - 1 - i] = swap;
        }
        agrees("a U b", m, spec, TEMPER_TYPE_BF16_F32, false, word, n);
    }
    temper_model_free(m);
    temper_spec_free(spec);
    free(word);
}

int main(void) {
    test_random r = test_seed(29);
    numbers(&r);
    roundings();
    refusals();
    corpus(&r);
    random_ones(&r);
    many_inputs(&r);
    plans();
    far(&r);
    return test_finish("t-digits");
}
