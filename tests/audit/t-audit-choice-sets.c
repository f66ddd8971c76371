/* Prover and auditor on hard choices: the rules for sets of doc/certificate.md, "Facts about the hard model", up to
   their limits, and tie-breaks. Each certificate shows what both found (choice_twins.h). */
#include <math.h>
#include <string.h>

#include "choice_family.h"

/* ---- sets ---- */

/* Rule 3 up to its limits: beside a dimension with two values (1 and 2) there are constant ones that add the same to
   every score, with numbers at the limits. Keys 2 and 3 never tie, which only the rule finds. */
static void whole_numbers(choice_family *f) {
    static const double ends[] = {0x1p40, 0x1p40 + 1, 0x1p40 - 1, 0x1p39, 0x1p41};
    family_begin(f, TEMPER_TYPE_F64, from_to(f, 1, 2));
    f->letters = 3;
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"k\" position \"2 + i %% 2\"\nchannel 4 \"z\"\n");
    double large = PICK(f, ends), query = 1, key = 1, third = 1, step = 0;
    family_embed(f, 1, (double[]){1, 2, one_in(f, 2) ? 1 : 2}, 3);
    switch (from_to(f, 0, 4)) {
    case 0: query = one_in(f, 2) ? large : -large; break;
    case 1: key = one_in(f, 2) ? large : -large; break;
    case 2: /* the sum of products: 6, third, and this one */
        query = 0x1p40, key = 0x1p22 - 1, third = 0x1p40 - from_to(f, 4, 8);
        if (one_in(f, 2)) query = ldexp(1, from_to(f, 30, 33)), key = ldexp(1, from_to(f, 28, 31)), third = 1;
        break;
    case 3: /* two values, the larger one at the limit */
        step = one_in(f, 2) ? 1 : 3;
        query = large - step * (one_in(f, 2) ? 1 : 2);
        break;
    default: step = large, query = -large / 2; break;
    }
    if (one_in(f, 3)) query = -query - step; /* the same from below */
    BODY(f, "head \"h\" mask all choice average\n query 1:1\n query 0:%a", query);
    if (step != 0) BODY(f, " 1:%a", step);
    BODY(f, "\n query 0:1\n key 3:1\n key 0:%a\n key 0:%a\n value 3:1\n output 2:1\nread 0:1\n", key, third);
    family_check(f, false);
}

/* Queries with about as many values as rule 3 allows, in up to three dimensions. */
static void many_cases(choice_family *f) {
    static const int counts[3][4] = {{65535, 65536, 65537, 4097}, {63, 64, 65, 8}, {15, 16, 17, 4}};
    family_begin(f, TEMPER_TYPE_F64, one_in(f, 2) ? 1 : 2);
    int dims = from_to(f, 1, 3), *which = (int[]){0, 0, 0};
    f->letters = 3;
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"k\" position \"2 + i %% 2\"\nchannel 4 \"i\" position "
                "\"i\"\n");
    for (int d = 0; d < dims; d++) which[d] = dims == 1 ? 0 : dims == 2 ? 1 : 2;
    int most = counts[which[0]][from_to(f, 0, 3)], from = one_in(f, 3) ? 0 : from_to(f, 1, 3);
    family_embed(f, 1, (double[]){from, from + 1, from + most - 1}, 3);
    BODY(f, "head \"h\" mask %s choice %s\n", PICK(f, FAMILY_MASKS), PICK(f, FAMILY_CHOICES));
    for (int d = 0; d < dims; d++) BODY(f, " query 1:%d\n", one_in(f, 3) ? -2 : 1);
    for (int d = 0; d < dims; d++) BODY(f, " key %d:%d\n", one_in(f, 2) ? 3 : 4, one_in(f, 3) ? -1 : 1);
    BODY(f, " value %d:1\n output 2:1\nread 0:1\n", one_in(f, 2) ? 3 : 1);
    family_check(f, false);
}

/* Everything that the rules for heads tell apart: keys that are constants or not, alike or not, values that are keys,
   more keys than pairs are looked at. */
static void set_heads(choice_family *f) {
    static const char *const features[] = {"i", "i % 2", "1/(i + 1)", "N - 1 - i", "[i = 1]", "3*i", "i/N", "i*i"};
    static const double values[] = {0, 1, 2, -1, 3, 0.5, 5, 0.75, -2};
    family_begin(f, one_in(f, 3) ? any_type(f) : TEMPER_TYPE_F64,
                 one_in(f, 12) ? (size_t)from_to(f, 30, 33) : (size_t)from_to(f, 0, 5));
    int dims = from_to(f, 1, 3), rows = from_to(f, 1, 2);
    CHANNELS(f,
             "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"f\" position \"%s\"\nchannel 4 \"g\" position \"%s\"\n"
             "channel 5 \"z\"\n",
             PICK(f, features), PICK(f, features));
    double x[4];
    for (int k = 0; k < 4; k++) x[k] = PICK(f, values);
    family_embed(f, 1, x, 4);
    bool soft = one_in(f, 2);
    BODY(f, "head \"h\" mask %s choice %s%s", PICK(f, FAMILY_MASKS), soft ? "softmax for " : "",
         PICK(f, FAMILY_CHOICES));
    BODY(f, soft ? " scale \"16\"\n" : "\n");
    int key = PICK(f, ((const int[]){1, 3, 4, 0})), weighed = from_to(f, 1, 2);
    for (int d = 0; d < dims; d++) {
        int c = PICK(f, ((const int[]){0, 0, 1, 3}));
        BODY(f, " query %d:%d%s\n", c, from_to(f, 1, 3), c == 0 && one_in(f, 3) ? " 1:1" : "");
    }
    for (int d = 0; d < dims; d++) {
        if (d) key = PICK(f, ((const int[]){1, 3, 4, 0}));
        BODY(f, " key %d:%d%s\n", key, weighed, key < 4 && one_in(f, 4) ? " 4:1" : "");
    }
    for (int r = 0; r < rows; r++) {
        int c = one_in(f, 2) ? key : PICK(f, ((const int[]){1, 3, 4}));
        BODY(f, " value %d:%d%s\n", c, one_in(f, 2) ? weighed : 3, c < 4 && one_in(f, 4) ? " 4:1" : "");
    }
    for (int r = 0; r < rows; r++) BODY(f, " output %d:1\n", r ? 5 : 2);
    if (one_in(f, 2))
        BODY(f, "layer 2\nhead \"h\" mask %s choice %s\n query 0:1\n key 2:1\n value 2:%d\n output 5:1\n",
             PICK(f, FAMILY_MASKS), PICK(f, FAMILY_CHOICES), from_to(f, 1, 2));
    BODY(f, "read 0:1\n");
    family_check(f, f->n < 5 && one_in(f, 4));
}

/* Queries that are others at each length, and keys that are not: rows of equal scores are added up anew. */
static void again_and_again(choice_family *f) {
    family_begin(f, TEMPER_TYPE_F64, (size_t)from_to(f, 2, 4));
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"n\" position \"n\"\nchannel 4 \"i\" position "
                "\"i*i\"\n");
    family_embed(f, 1, (double[]){0, 1}, 2);
    BODY(f, "head \"h\" mask %s choice average\n query 3:1\n key 0:1\n value %d:1\n output 2:1\nread 0:1\n",
         one_in(f, 2) ? "j<i" : "j<=i", one_in(f, 3) ? 1 : 4);
    family_check(f, false);
}

/* Rule 7: about as many members as are looked at one by one, corners at the ends and inside. */
static void set_nets(choice_family *f) {
    static const int counts[] = {65535, 65536, 65537, 70000, 3};
    family_begin(f, one_in(f, 3) ? any_type(f) : TEMPER_TYPE_F64, from_to(f, 0, 1));
    f->letters = 3;
    double step = one_in(f, 2) ? 1 : ldexp(1, -from_to(f, 1, 8)), from = step * from_to(f, -3, 3);
    double to = from + step * (PICK(f, counts) - 1);
    if (one_in(f, 3)) {
        double swap = from;
        from = -to, to = -swap;
    }
    CHANNELS(f, "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"z\"\nchannel 4 \"w\"\n");
    family_embed(f, 1, (double[]){from, from + step, to}, 3);
    int units = from_to(f, 1, 3);
    for (int k = 0; k < units; k++) {
        double ratio = ldexp(k && one_in(f, 2) ? -1 : 1, k ? from_to(f, -2, 2) : 0);
        const double corners[] = {from, to, from + step, to - step / 2, from + 2.5 * step, from - 1, to + 1, 0};
        double corner = PICK(f, corners);
        BODY(f, "unit %a 1:%a -> %d:%a\n", -corner * ratio, ratio, one_in(f, 3) ? 3 : 2, one_in(f, 3) ? -3.0 : 1.0);
    }
    if (one_in(f, 2))
        BODY(f, "layer 2\nunit %a 2:1 -> 4:1\nunit %a 2:-1 3:1 -> 4:1\n", -step * from_to(f, 0, 2), step);
    BODY(f, "read 0:1\n");
    family_check(f, false);
}

/* ---- tie-breaks ---- */

static void tie_breaks(choice_family *f) {
    static const char *const queries[] = {"1",   "1",           "1",           "3",           "0",        "N",
                                          "0.1", "1 + [n = 0]", "1 + [i = 0]", "1 + [i = n]", "0x1p-450", "1e300"};
    static const char *const keys[] = {
        "i",          "i",          "i",     "i*0.5",  "i + 1", "i*i", "0", "i + [i = 0]", "i + [n = 2]*[i = 2]",
        "i*0x1p-450", "i*0x1p-451", "i*0.1", "i*1e300"};
    family_begin(f, one_in(f, 2) ? any_type(f) : TEMPER_TYPE_F64, from_to(f, 0, 3));
    const char *query = PICK(f, queries), *key = PICK(f, keys);
    double turn = one_in(f, 3) ? -1 : 1, fine = one_in(f, 4) ? 1.125 : 1;
    CHANNELS(f,
             "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"q\" %s \"%s\"\nchannel 4 \"k\" %s \"%s\"\n"
             "channel 5 \"z\"\n",
             one_in(f, 10) ? "soft" : "position", query, one_in(f, 10) ? "position" : "soft", key);
    family_embed(f, one_in(f, 10) ? from_to(f, 3, 4) : 1, (double[]){1, 0}, 2);
    bool last = one_in(f, 2), two = one_in(f, 10);
    double scale = strstr(query, "p-450") ? 0x1p460 : 1;
    if (strstr(key, "p-45")) scale *= 0x1p460;
    BODY(f, "head \"h\" mask %s choice softmax for %s scale \"%a\"\n", PICK(f, FAMILY_MASKS),
         turn < 0        ? "leftmost"
         : one_in(f, 10) ? "average"
                         : "rightmost",
         scale * between(f, 1, 64));
    const char *plain = " query 0:4\n", *other = " key 1:1\n";
    BODY(f, "%s query 3:%a%s\n%s", last ? plain : "", turn * (one_in(f, 2) ? fine : 0.25), two ? " 5:1" : "",
         last ? "" : plain);
    BODY(f, "%s key 4:%a%s\n%s", last ? other : "", one_in(f, 3) ? fine : 0.5, two ? " 5:1" : "", last ? "" : other);
    BODY(f, " value 1:1\n output %d:1\n", one_in(f, 12) ? from_to(f, 3, 4) : 2);
    if (one_in(f, 3)) BODY(f, "unit 0 1:1 -> %d:1\n", one_in(f, 4) ? from_to(f, 3, 4) : 5);
    if (one_in(f, 6))
        BODY(f, "layer 2\nhead \"h\" mask all choice average\n value 1:1\n output %d:1\n",
             one_in(f, 2) ? from_to(f, 3, 4) : 5);
    BODY(f, "read 0:1\n");
    family_check(f, one_in(f, 3));
}

/* ---- main ---- */

int main(void) {
    test_random r = test_seed(81113);
    static choice_family f;
    f.r = &r;
    size_t rounds = (size_t)(8 * test_effort()) + 8;
    family_run(&f, "whole_numbers", whole_numbers, 4 * rounds);
    family_run(&f, "many_cases", many_cases, rounds);
    family_run(&f, "set_heads", set_heads, 6 * rounds);
    family_run(&f, "again_and_again", again_and_again, 1 + rounds / 4);
    family_run(&f, "set_nets", set_nets, 2 * rounds);
    family_run(&f, "tie_breaks", tie_breaks, 12 * rounds);
    return test_finish("t-audit-choice-sets");
}
