/* "Saturation" of doc/certificate.md: where exp is exactly 0, in every format and at its neighbours; at that distance
   of scores, and one number nearer, what the prover says of a row; and models whose gap is the least one that
   saturates them: certified and audited alike, with weights that are 0 and 1 bit by bit, also where logits are moved
   by a unit in the last place. With the next smaller gap nothing of it is claimed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/choice_share.h"
#include "choice_twins.h"
#include "number/elementary.h"
#include "number/number_type.h"
#include "run/dense.h"
#include "run/kernels_select.h"

static trap no_memory;
static arena memory, scratch;

/* ---- where exp ends ---- */

static const struct {
    const number_format *f;
    double ends; /* by mpmath, at 60 digits: the least number beyond ln(2/t) */
} FORMATS[] = {{&format_f64, 0x1.74910d52d3052p+9},
               {&format_f32, 0x1.9fe36ap+6},
               {&format_bf16, 0x1.74p+6},
               {&format_f16, 0x1.158p+4},
               {&format_e4m3, 7},
               {&format_e5m2, 12}};

static void check_kernels(double x, bool single) {
    const kernels *tables[KERNELS_MOST];
    size_t count = kernels_list(tables);
    for (size_t t = 0; t < count; t++) {
        double wide[2] = {1, 1};
        float narrow[2] = {1, 1}, short_x = (float)x;
        tables[t]->exp_f64(&wide[0], &x, 1);
        tables[t]->exp_down_f64(&wide[1], &x, 1);
        tables[t]->exp_f32(&narrow[0], &short_x, 1);
        tables[t]->exp_down_f32(&narrow[1], &short_x, 1);
        CHECK(single || (wide[0] == 0 && wide[1] == 0), "%s: exp(%a) is %a, %a", tables[t]->name, x, wide[0],
              wide[1]);
        CHECK(narrow[0] == 0 && narrow[1] == 0, "%s in f32: exp(%a) is %a, %a", tables[t]->name, x, (double)narrow[0],
              (double)narrow[1]);
    }
}

static void check_ends(test_random *r) {
    for (size_t k = 0; k < sizeof FORMATS / sizeof *FORMATS; k++) {
        const number_format *f = FORMATS[k].f;
        double z = FORMATS[k].ends, above = format_next(f, z, true), below = format_next(f, z, false);
        CHECK(format_exp_ends(f) == z, "%s: exp ends at %a, not %a", f->name, format_exp_ends(f), z);
        CHECK(format_exp(f, -z) == 0 && format_exp(f, -above) == 0, "%s: exp(-%a) is not 0", f->name, z);
        CHECK(format_exp(f, -below) > 0, "%s: exp(-%a) is 0", f->name, below);
        for (int round = 0; round < 2000; round++) {
            double x =
                -format_round(f, z * (1 + ldexp((double)random_below(r, 1u << 30), (int)random_below(r, 12) - 32)));
            if (isfinite(x)) CHECK(format_exp(f, x) == 0, "%s: exp(%a) is not 0", f->name, x);
            if (isfinite(x) && k < 2) check_kernels(x, k == 1);
        }
        if (k < 2) check_kernels(-z, k == 1);
    }
    CHECK(exp_f64(-FORMATS[0].ends) == 0 && exp_f32((float)-FORMATS[1].ends) == 0, "exp itself");
}

/* ---- rows ---- */

static double share_of(const model_head *h, temper_type type, uint64_t n, bool single, double gap, double scale,
                       double step, double off, row_peak *peak) {
    bounds b;
    arena_reset(&memory);
    bounds_init(&b, number_type_of(type), number_type_is_emulated(type), n, &memory);
    rounding_rules rules = rounding_rules_of(&b);
    share_problem p = {.h = h, .single = single, .gap = gap, .scale = scale, .step = step};
    p.tie_off = p.lose_off = b_double(&b, off);
    p.largest = b.one;
    *peak = share_peak(&p, &rules);
    return b_upper(&b, share_bound(&p, &rules));
}

static void check_rows(temper_type type) {
    const number_format *f = number_type_of(type)->accumulation;
    double z = format_exp_ends(f), near = nextafter(z, 0), far = nextafter(z, INFINITY);
    const struct {
        temper_choice choice;
        bool single;
        double gap, step, off;
        row_peak peak;
    } cases[] = {
        {TEMPER_CHOICE_AVERAGE, true, z, 0, 0, PEAK_ONE_HOT},
        {TEMPER_CHOICE_AVERAGE, true, near, 0, 0, PEAK_SOFT},
        {TEMPER_CHOICE_AVERAGE, true, z, 0, 0x1p-80, PEAK_SOFT},
        {TEMPER_CHOICE_AVERAGE, true, far, 0, 0x1p-80, PEAK_ONE_HOT},
        {TEMPER_CHOICE_AVERAGE, true, INFINITY, 0, 0.5, PEAK_ONE_HOT}, /* rows have one key */
        {TEMPER_CHOICE_LEFTMOST, true, z, 0, 0, PEAK_ONE_HOT},
        {TEMPER_CHOICE_AVERAGE, false, z, 0, 0, PEAK_SILENT},
        {TEMPER_CHOICE_AVERAGE, false, near, 0, 0, PEAK_SOFT},
        {TEMPER_CHOICE_LEFTMOST, false, 8 * z, z, 0, PEAK_ONE_HOT},
        {TEMPER_CHOICE_LEFTMOST, false, 8 * z, near, 0, PEAK_SOFT}, /* ties are too near */
        {TEMPER_CHOICE_LEFTMOST, false, INFINITY, z, 0, PEAK_ONE_HOT},
        {TEMPER_CHOICE_LEFTMOST, false, INFINITY, near, 0, PEAK_SOFT},
        {TEMPER_CHOICE_LEFTMOST, true, z + 5 * 0.25, 0.25, 0, PEAK_ONE_HOT}, /* nothing ties */
        {TEMPER_CHOICE_LEFTMOST, true, near + 5 * 0.25, 0.25, 0, PEAK_SOFT},
        {TEMPER_CHOICE_LEFTMOST, false, 6 * z, z, 0, PEAK_ONE_HOT}, /* N = 6: 6z - 5z */
        {TEMPER_CHOICE_LEFTMOST, false, nextafter(6 * z, 0), z, 0, PEAK_SOFT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int e = -3; e <= 3; e++) { /* scores times 2^-e, and a scale that makes up for it */
            model_head h = {.choice = TEMPER_CHOICE_SOFTMAX, .hard_choice = cases[k].choice};
            row_peak peak, other;
            double back = ldexp(1, -e);
            double share = share_of(&h, type, 6, cases[k].single, cases[k].gap * back, ldexp(1, e),
                                    cases[k].step * back, cases[k].off * back, &peak);
            CHECK(peak == cases[k].peak &&
                      (share == 0) == (peak == PEAK_ONE_HOT || (peak == PEAK_SILENT && cases[k].off == 0)),
                  "%s, case %zu, scale 2^%d: peak %d, share %g", temper_type_name(type), k, e, (int)peak, share);
            h.adaptive = true;
            share_of(&h, type, 6, cases[k].single, cases[k].gap, 1, cases[k].step, cases[k].off, &other);
            h = (model_head){.choice = cases[k].choice, .hard_choice = cases[k].choice};
            share_of(&h, type, 6, cases[k].single, cases[k].gap, 1, cases[k].step, cases[k].off, &peak);
            CHECK(other == PEAK_SOFT && peak == PEAK_SOFT, "case %zu: adaptive and hard heads have no such rows", k);
        }
}

/* ---- models ---- */

/* Each position takes the letter at it: the score of key j is `weight` j. */
static void write_model(char *out, size_t room, double weight) {
    snprintf(out, room,
             "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nempty accept\nchannel 0 \"one\" position "
             "\"1\"\nchannel 1 \"place\" position \"i\"\nchannel 2 \"v\"\nchannel 3 \"out\"\nembed \"a\" 2:%a\n"
             "embed \"b\" 2:%a\nembed start\nembed end\nlayer 1\nhead \"here\" mask j<=i choice softmax for average\n"
             "  query 0:%a\n  key 1:1\n  value 2:1\n  output 3:1\nread 0:4 3:1\n",
             0.3125, 0.875, weight);
}

/* Whether the certificate up to length n has shares of 0 alone; prover and auditor must write the same. */
static bool is_saturated(double weight, size_t n, temper_type type) {
    char source[1500];
    choice_proved proof;
    write_model(source, sizeof source, weight);
    if (!choice_twins(source, n, type, false, NULL, NULL)) return false;
    temper_model *m = model_from(source);
    choice_prove(&proof, m, source, n, type, false);
    temper_model_free(m);
    char zeros[200] = "\"share\": [\"0\"";
    for (size_t k = 0; k < n; k++) strcat(zeros, ", \"0\"");
    strcat(zeros, "], \"error\": [\"0\"");
    for (size_t k = 0; k < n; k++) strcat(zeros, ", \"0\"");
    bool all = strstr(proof.text, zeros) != NULL;
    free(proof.text);
    return all;
}

static void check_weights(double weight, size_t n, temper_type type) {
    char source[1500];
    const number_type *t = number_type_of(type);
    write_model(source, sizeof source, weight);
    temper_model *m = model_from(source);
    for (uint64_t shake = 0; shake < 6 && m; shake++)
        for (uint32_t word = 0; word < 1u << n; word++) {
            uint32_t letters[8];
            dense_answer a;
            dense_setting s = {.storage = t->storage,
                               .accumulation = t->accumulation,
                               .pairs = true,
                               .shake = shake,
                               .keep = &memory};
            for (size_t k = 0; k < n; k++) letters[k] = word >> k & 1;
            arena_reset(&memory);
            arena_reset(&scratch);
            dense_run(&a, m, letters, n, &s, &memory, &scratch);
            for (size_t i = 0; i < a.size && !a.broken; i++) {
                for (size_t j = 0; j <= i; j++)
                    CHECK(a.heads[0].weights[i * a.size + j] == (i == j), "%s, weight %a: %a at %zu, %zu", t->name,
                          weight, a.heads[0].weights[i * a.size + j], i, j);
                CHECK(a.heads[0].output[i] == a.heads[0].value[i], "%s: output %zu", t->name, i);
            }
            CHECK(!a.broken, "%s, weight %a: the run broke", t->name, weight);
        }
    temper_model_free(m);
}

static void check_models(temper_type type, size_t n) {
    const number_format *f = number_type_of(type)->storage;
    double z = format_exp_ends(number_type_of(type)->accumulation);
    int64_t low = (int64_t)format_encode(f, format_round(f, z / 2)),
            high = (int64_t)format_encode(f, format_round(f, 4 * z));
    if (!is_saturated(format_at(f, high), n, type)) { /* formats whose rounding is larger than any gap */
        CHECK(f->precision < 8, "%s: never", temper_type_name(type));
        return;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        *(is_saturated(format_at(f, middle), n, type) ? &high : &low) = middle;
    }
    CHECK(format_at(f, high) >= format_round(f, z), "%s: saturated below the end of exp", temper_type_name(type));
    CHECK(!is_saturated(format_at(f, high - 1), n, type), "%s: below %a", temper_type_name(type), format_at(f, high));
    check_weights(format_at(f, high), n, type);
    if (is_saturated(format_at(f, high + 1), n, type)) /* not so if its products have a bit too many to be exact */
        check_weights(format_at(f, high + 1), n, type);
}

int main(void) {
    static const temper_type types[] = {TEMPER_TYPE_F64,     TEMPER_TYPE_F32,      TEMPER_TYPE_BF16_F32,
                                        TEMPER_TYPE_F16_F32, TEMPER_TYPE_F16,      TEMPER_TYPE_BF16,
                                        TEMPER_TYPE_F32_F64, TEMPER_TYPE_E4M3_F32, TEMPER_TYPE_E5M2};
    test_random r = test_seed(7450);
    arena_init(&memory, &no_memory);
    arena_init(&scratch, &no_memory);
    check_ends(&r);
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        check_rows(types[k]);
        check_models(types[k], 3);
    }
    arena_free(&memory);
    arena_free(&scratch);
    return test_finish("t-saturation");
}
