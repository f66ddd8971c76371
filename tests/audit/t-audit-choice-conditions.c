/* Prover and auditor on hard choices, on either side of every condition of doc/certificate.md, "Errors of sums" to
   "Errors of gates". A family of models is one shape; its numbers are drawn near the place where a condition ceases
   to hold, in a format with few digits where that is near. Each certificate shows what both found
   (choice_twins.h). */
#include <math.h>

#include "choice_family.h"

static const temper_type SHORT[] = {TEMPER_TYPE_E4M3, TEMPER_TYPE_E5M2};
static const temper_type PURE[] = {TEMPER_TYPE_F16, TEMPER_TYPE_BF16, TEMPER_TYPE_F32, TEMPER_TYPE_F64};
static const temper_type MIXED[] = {TEMPER_TYPE_F16_F32,  TEMPER_TYPE_BF16_F32, TEMPER_TYPE_E4M3_F32,
                                    TEMPER_TYPE_E5M2_F32, TEMPER_TYPE_F32_F64,  TEMPER_TYPE_BF16_F64};
/* ---- scores ---- */

/* Queries, keys, scores or logits near half of the largest number. */
static void score_room(choice_family *f) {
    family_begin(f, any_type(f), from_to(f, 0, 2));
    double growth = 1, u = ldexp(1, -f->a->precision), limit = f->a->largest / 2;
    int rows = from_to(f, 1, 3);
    for (int k = 0; k < rows + 4; k++) growth *= 1 + u;
    double target = limit / growth * between(f, 0.3, 2.2);
    double key = fmin(sqrt(f->s->largest) / 4, 0x1p60),
           query = one_in(f, 2) ? 1 : fmin(sqrt(f->s->largest) / 4, 0x1p60);
    double scale = target / query / (one_in(f, 2) ? key * rows : 1);
    if (one_in(f, 4)) scale = 1, query = target / key / rows;
    if (scale > f->a->largest) scale = 1;
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"p\" soft \"i\"\n");
    family_embed(f, 1, (double[]){1, 0, 0.5}, 3);
    bool tie = one_in(f, 3);
    BODY(f, "head \"h\" mask %s choice softmax for %s scale \"%a\"\n", PICK(f, FAMILY_MASKS),
         tie ? "rightmost" : "average", scale);
    for (int k = 0; k < rows; k++) BODY(f, " query 0:%a\n", weight_of(query));
    if (tie) BODY(f, " query 0:%a\n", weight_of(query));
    for (int k = 0; k < rows; k++) BODY(f, " key 1:%a\n", weight_of(key));
    if (tie) BODY(f, " key 3:%a\n", one_in(f, 2) ? key / 8 : 1);
    BODY(f, " value 1:1\n output 2:1\nread 0:1\n");
    family_check(f, one_in(f, 3));
}

/* Tiny numbers, whose products are subnormal, and scales around a quarter. */
static void tiny_scores(choice_family *f) {
    static const double scales[] = {0.25, 0.2, 0.125, 0.3, 1, 3, 0x1p-6, 8, 0.249, 0.251, 0.4};
    family_begin(f, any_type(f), from_to(f, 0, 3));
    int low = ilogb(f->a->least), rows = from_to(f, 1, 3);
    double scale = PICK(f, scales), off = one_in(f, 2) ? 1 : 0.3;
    double query = ldexp(off, from_to(f, low / 2 - 6, low / 2 + 3)),
           key = ldexp(1, from_to(f, low / 2 - 6, low / 2 + 3));
    if (one_in(f, 3)) query = 1, key = ldexp(off, low + from_to(f, 0, 8));
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"p\" soft \"i\"\n");
    family_embed(f, 1, (double[]){1, 0, one_in(f, 2) ? 0.3 : 2, 1}, 4);
    bool tie = one_in(f, 4), hard = one_in(f, 4);
    BODY(f, "head \"h\" mask %s choice ", PICK(f, FAMILY_MASKS));
    if (hard)
        BODY(f, "%s\n", PICK(f, FAMILY_CHOICES));
    else
        BODY(f, "softmax for %s scale \"%a\"\n", tie ? "rightmost" : PICK(f, FAMILY_CHOICES), scale);
    for (int k = 0; k < rows; k++) BODY(f, " query 0:%a\n", weight_of(query));
    if (tie) BODY(f, " query 0:1\n");
    for (int k = 0; k < rows; k++) BODY(f, " key 1:%a\n", weight_of(key));
    if (tie) BODY(f, " key 3:%a\n", fmax(key, f->s->least));
    BODY(f, " value 1:1\n output 2:1\nread 0:1\n");
    family_check(f, one_in(f, 3));
}

/* Scores with many rows, in formats where that is few; an average over equal scores has no other error. */
static void many_rows(choice_family *f) {
    family_begin(f, PICK(f, SHORT), from_to(f, 0, 2));
    int rows = from_to(f, 1, 9), terms = from_to(f, 1, 11);
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\n");
    for (int k = 0; k < terms; k++)
        CHANNELS(f, "channel %d \"c\" position \"%s\"\n", 3 + k, one_in(f, 2) ? "1" : "0.3");
    family_embed(f, 1, (double[]){1, 0}, 2);
    BODY(f, "head \"h\" mask j<=i choice average\n");
    for (int k = 0; k < rows; k++) BODY(f, " query 0:1\n");
    for (int k = 0; k < rows; k++) BODY(f, " key 0:%a\n", one_in(f, 2) ? 1 : 0x1p-5);
    BODY(f, " value 0:%a\n output 2:1\n", one_in(f, 2) ? 1.0 : 0x1p-6);
    BODY(f, "unit %a", one_in(f, 2) ? 0 : 0.3);
    for (int k = 0; k < terms; k++) BODY(f, " %d:%a", 3 + k, one_in(f, 3) ? 0.3 : 1);
    BODY(f, " -> 1:1\nread 0:1\n");
    family_check(f, one_in(f, 3));
}

/* Powers of two as scales: the logits of exact scores are exact, or not. */
static void exact_logits(choice_family *f) {
    static const double scales[] = {1, 2, 4, 16, 64, 0.5, 3, 1024};
    family_begin(f, any_type(f), from_to(f, 0, 3));
    int rows = from_to(f, 1, 2), p = f->a->precision > 20 ? 20 : f->a->precision;
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\n");
    family_embed(f, 1, (double[]){ldexp(1, from_to(f, 0, 3)), 0, 1, ldexp(1, -from_to(f, 0, 3))}, 4);
    BODY(f, "head \"h\" mask %s choice softmax for average scale \"%a\"\n", PICK(f, FAMILY_MASKS), PICK(f, scales));
    for (int k = 0; k < rows; k++) BODY(f, " query 0:%a\n", ldexp(1, -from_to(f, 0, 2)));
    for (int k = 0; k < rows; k++) BODY(f, " key 0:%a 1:1\n", one_in(f, 2) ? 1 : ldexp(1, from_to(f, 0, p - 1)));
    BODY(f, " value 1:%a\n output 2:1\nread 0:1\n", one_in(f, 2) ? 1 : 0x1p-3);
    family_check(f, one_in(f, 3));
}

/* ---- shares ---- */

static void adaptive_heads(choice_family *f) {
    family_begin(f, PICK(f, PURE), from_to(f, 0, 3));
    bool low = one_in(f, 2);
    double least = ldexp(1, 1 - f->a->bias), gap = one_in(f, 2) ? 1 : ldexp(1, -from_to(f, 0, 6));
    double scale = low ? 4 * least * between(f, 0.3, 24) : f->a->largest / 4 * gap * between(f, 0.02, 2);
    if (one_in(f, 4)) scale = between(f, 0.5, 64);
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"i\" position \"i\"\n");
    family_embed(f, 1, (double[]){1, 0, 2}, 3);
    BODY(f, "head \"h\" mask %s choice softmax for %s adaptive \"%a\"\n query 0:%a\n key %d:1\n",
         PICK(f, FAMILY_MASKS), PICK(f, FAMILY_CHOICES), scale, gap,
         one_in(f, 2)   ? 1
         : one_in(f, 2) ? 3
                        : 0);
    BODY(f, " value 1:1\n output 2:1\nread 0:1\n");
    family_check(f, one_in(f, 3));
}

/* Averages over several winners whose logits are near each other, beside losers that are not far. */
static void near_winners(choice_family *f) {
    family_begin(f, one_in(f, 2) ? TEMPER_TYPE_F64 : PICK(f, MIXED), from_to(f, 1, 3));
    f->letters = from_to(f, 2, 3);
    double scale = between(f, 1, 24), large = between(f, 16, 256);
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"z\"\n");
    if (one_in(f, 2)) {
        family_embed(f, 1, (double[]){1, 0}, 2);
        BODY(f,
             "head \"h\" mask %s choice softmax for average scale \"%a\"\n query 0:1\n query 0:%a\n key 1:1\n key "
             "0:%a\n",
             PICK(f, FAMILY_MASKS), scale, one_in(f, 2) ? 1 : 0.75, large);
    } else { /* near where balls can still tell two logits apart */
        f->which = TEMPER_TYPE_F64;
        family_embed(f, 1, (double[]){1, 0}, 2);
        BODY(f,
             "head \"h\" mask j<=i choice softmax for average scale \"%a\"\n query 0:1\n query 0:%a\n key 1:1\n key "
             "0:%a\n",
             between(f, 3, 6), 0.3, between(f, 16, 512));
    }
    BODY(f, " value 1:1\n output 2:1\nread 0:1\n");
    family_check(f, one_in(f, 2));
}

/* Stored weights of winners whose logits are nearly the same. */
static void stored_weights(choice_family *f) {
    family_begin(f, PICK(f, MIXED), from_to(f, 1, 3));
    double us = ldexp(1, -f->s->precision), ua = ldexp(1, -f->a->precision);
    double logit = us / ua / 4 * between(f, 0.01, 1);
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\n");
    family_embed(f, 1, (double[]){1, 0}, 2);
    BODY(f,
         "head \"h\" mask %s choice softmax for average scale \"%a\"\n query 0:0.75\n query 0:0.75\n key 1:1\n key "
         "1:0.25\n",
         PICK(f, FAMILY_MASKS), logit);
    BODY(f, " value 1:1\n output 2:1\nread 0:1\n");
    family_check(f, one_in(f, 2));
}

/* ---- means ---- */

/* Lengths at which averages cease to be even, or sums become too long. */
static void long_means(choice_family *f) {
    static const temper_type types[] = {TEMPER_TYPE_E4M3, TEMPER_TYPE_E5M2, TEMPER_TYPE_BF16, TEMPER_TYPE_BF16};
    static const int positions[] = {16, 8, 11, 4};
    size_t k = random_below(f->r, 4);
    family_begin(f, types[k], 0);
    f->n = (size_t)(positions[k] - 1 - f->end + from_to(f, -1, 2));
    f->letters = 2;
    double value = one_in(f, 3) ? 0 : one_in(f, 2) ? 1 : ldexp(1, -from_to(f, 0, 20));
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\n");
    family_embed(f, 1, (double[]){value, 0}, 2);
    BODY(f, "head \"h\" mask j<=i choice %s\n",
         types[k] == TEMPER_TYPE_BF16 ? "softmax for average scale \"16\"" : "average");
    if (one_in(f, 2)) BODY(f, " query 0:1\n key 0:1\n");
    BODY(f, " value 1:1\n output 2:1\nread 0:1\n");
    family_check(f, false);
}

/* Values near the largest number over their count, and near the least. */
static void value_room(choice_family *f) {
    family_begin(f, any_type(f), from_to(f, 0, 3));
    double count = (double)f->n + 1 + f->end;
    double value =
        one_in(f, 2) ? f->a->largest / 2 / (2 * count) * between(f, 0.3, 2.5) : f->s->least * from_to(f, 1, 40);
    if (!(value <= f->s->largest)) value = f->s->largest / between(f, 1, 5);
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\n");
    family_embed(f, 1, (double[]){1, 0, 0.5}, 3);
    BODY(f, "head \"h\" mask %s choice softmax for average scale \"%a\"\n", PICK(f, FAMILY_MASKS), between(f, 4, 64));
    if (one_in(f, 2)) BODY(f, " query 0:1\n key 1:1\n");
    BODY(f, " value 1:%a\n output 2:%a\nread 0:1\n", value, one_in(f, 2) ? 1 : ldexp(1, -from_to(f, 1, 6)));
    family_check(f, one_in(f, 3));
}

/* ---- nets ---- */

/* Units that share a row; their weights, biases and ratios near the ends of the format. */
static void shared_rows(choice_family *f) {
    family_begin(f, any_type(f), from_to(f, 0, 2));
    int low = ilogb(f->a->least), high = ilogb(f->s->largest);
    double x = one_in(f, 3) ? 0.3 : one_in(f, 2) ? 1 : ldexp(1, from_to(f, low / 2, 0));
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"z\"\n");
    family_embed(f, 1, (double[]){x, 0, -x, 2 * x}, 4);
    int units = from_to(f, 1, 4), terms = from_to(f, 1, 2);
    for (int k = 0; k < units; k++) {
        int power = k == 0         ? 0
                    : one_in(f, 2) ? from_to(f, -2, 2)
                                   : from_to(f, low - ilogb(x) - 2, low - ilogb(x) + 3);
        if (k && one_in(f, 6)) power = high - from_to(f, 0, 4);
        double ratio = ldexp(k && one_in(f, 2) ? -1 : 1, power);
        double bias = one_in(f, 2) ? 0 : ratio * ldexp(from_to(f, -3, 3), from_to(f, -2, 0));
        BODY(f, "unit %a", one_in(f, 8) ? f->s->largest * between(f, 0.2, 1) : bias);
        BODY(f, " 1:%a", weight_of(ratio));
        if (terms == 2) BODY(f, " 2:%a", weight_of(0.5 * ratio));
        BODY(f, " -> 3:%a\n", one_in(f, 2) ? 1 : ldexp(one_in(f, 2) ? 1 : 0.75, from_to(f, -4, 2)));
    }
    BODY(f, "read 0:1\n");
    family_check(f, one_in(f, 3));
}

/* Ratios of rows at the ends of what a bundle may have. */
static void far_ratios(choice_family *f) {
    family_begin(f, TEMPER_TYPE_F64, from_to(f, 0, 2));
    int power = from_to(f, 498, 502);
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"z\"\n");
    family_embed(f, 1, (double[]){1, 0.25}, 2);
    if (one_in(f, 2)) power = -power;
    BODY(f, "unit -1 1:1 -> 2:1\nunit %a 1:%a -> 3:%a\n", one_in(f, 2) ? 0 : ldexp(-0.5, power),
         ldexp(one_in(f, 2) ? -1 : 1, power), ldexp(1, -power));
    if (one_in(f, 3)) BODY(f, "unit 1 -> 2:1\nunit 1 -> 3:1\n");
    BODY(f, "read 0:1\n");
    family_check(f, one_in(f, 2));
}

/* Ramps: each of their conditions fails now and then. */
static void ramps(choice_family *f) {
    family_begin(f, one_in(f, 4) ? any_type(f) : PICK(f, PURE), from_to(f, 0, 2));
    int p = f->a->precision > 24 ? 24 : f->a->precision;
    double edge = ldexp(1, p - 4);
    double bias = one_in(f, 2) ? -0.5 * from_to(f, 0, 5) : -(edge + 0.5 * from_to(f, -2, 1));
    if (one_in(f, 8)) bias = -0.75;
    int power = one_in(f, 3) ? from_to(f, -2, 2) : one_in(f, 2) ? from_to(f, 98, 101) : -from_to(f, 98, 101);
    if (f->s->largest < 0x1p90 || one_in(f, 3))
        power = one_in(f, 2) ? 1 - f->s->bias + from_to(f, -2, 1) : from_to(f, -2, 1);
    double up = ldexp(one_in(f, 10) ? 0.75 : one_in(f, 3) ? -1 : 1, power), down = -up;
    if (one_in(f, 10)) down = -2 * up;
    /* the row's numbers: at the corners, off them by what a weight that is rounded makes, or far away */
    double reach = one_in(f, 2) ? 2 * edge * between(f, 0.9, 1.1) : 4,
           shift = one_in(f, 2) ? 0 : between(f, 0x1p-12, 0.3);
    double top = 1 - bias;
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"z\"\nchannel 4 \"w\"\n");
    family_embed(f, 1, (double[]){top + shift, -bias - shift, fmin(reach, f->s->largest / 8), 0.1},
                 one_in(f, 2) ? 4 : 3);
    const char *rest = one_in(f, 4) ? " 2:1" : "";
    bool turned = one_in(f, 4);
    for (int k = 0; k < 2; k++)
        BODY(f, "unit %a 1:1%s -> 3:%a\n", (k == 0) != turned ? bias : bias - (one_in(f, 12) ? 2 : 1), rest,
             (k == 0) != turned ? up : down);
    if (one_in(f, 4)) BODY(f, "unit %a 1:1%s -> %d:1\n", bias - 0.5, rest, one_in(f, 3) ? 3 : 4);
    if (one_in(f, 6)) BODY(f, "unit -1 1:2%s -> 3:1\n", rest);
    if (one_in(f, 6)) BODY(f, "unit -1 2:1 -> 3:1\n");
    BODY(f, "layer 2\nunit 0 3:1 -> 4:%a\nread 0:1\n", ldexp(1, -power > 120 ? 120 : -power));
    family_check(f, one_in(f, 3));
}

/* Sums near half of the largest number; sums with an error that is stored. */
static void sum_room(choice_family *f) {
    family_begin(f, any_type(f), from_to(f, 0, 2));
    double limit = (one_in(f, 2) ? f->s->largest : f->a->largest) / 2, x = fmin(sqrt(limit), 0x1p40);
    double target = limit * between(f, 0.3, 2.2);
    if (target / x > f->s->largest) target = f->s->largest;
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"z\"\n");
    family_embed(f, 1, (double[]){x, 0}, 2);
    switch (from_to(f, 0, 2)) {
    case 0: BODY(f, "unit 0 1:%a -> 3:%a\n", weight_of(target / x), f->s->least * 4); break;
    case 1: BODY(f, "unit 0 1:1 -> 3:%a\n", weight_of(target / x)); break;
    default:
        BODY(f, "head \"h\" mask all choice average\n value 1:%a\n output 3:%a\n", weight_of(target / x / 8),
             f->s->least * 4);
    }
    BODY(f, "read 0:1\n");
    family_check(f, one_in(f, 3));
}

/* ---- main ---- */

int main(void) {
    test_random r = test_seed(51113);
    static choice_family f;
    f.r = &r;
    size_t rounds = (size_t)(8 * test_effort()) + 8;
    family_run(&f, "score_room", score_room, 3 * rounds);
    family_run(&f, "tiny_scores", tiny_scores, 3 * rounds);
    family_run(&f, "many_rows", many_rows, 3 * rounds);
    family_run(&f, "exact_logits", exact_logits, 3 * rounds);
    family_run(&f, "adaptive_heads", adaptive_heads, 3 * rounds);
    family_run(&f, "near_winners", near_winners, 2 * rounds);
    family_run(&f, "stored_weights", stored_weights, 2 * rounds);
    family_run(&f, "long_means", long_means, 2 * rounds);
    family_run(&f, "value_room", value_room, 2 * rounds);
    family_run(&f, "shared_rows", shared_rows, 4 * rounds);
    family_run(&f, "far_ratios", far_ratios, rounds);
    family_run(&f, "ramps", ramps, 6 * rounds);
    family_run(&f, "sum_room", sum_room, 2 * rounds);
    return test_finish("t-audit-choice-conditions");
}
