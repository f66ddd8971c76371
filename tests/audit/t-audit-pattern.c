/* The auditor on single heads that look for patterns (doc/certificate.md, "Match"), made by hand: every condition
   just inside and just outside, and of what is accepted T, W and what the output means. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit_bench.h"

static const char *const FEATURES[] = {"i/N",
                                       "(N - 1 - i)/N",
                                       "[i % 3 = 1]*[1 <= i]*[i <= n]",
                                       "[i % 3 = 0]*[1 <= i]*[i <= n]",
                                       "[(N - 1 - i) % 3 = 1]*[1 <= i]*[i <= n]",
                                       "[(N - 1 - i) % 3 = 0]*[1 <= i]*[i <= n]",
                                       "[i % 2 = 1]*[1 <= i]*[i <= n]",
                                       NULL};

/* What the output means: one line for each set of positions i that agree. */
typedef enum sense {
    NOTHING,
    ALIKE,      /* past at the nearest j that is a iff i is */
    ONLY_B,     /* the same, and i is b */
    STEPS_1,    /* past at i - 1 or i + 1, if i is in channel 17 */
    STEPS_2,    /* at i - 2 or i + 2 */
    STEPS_3,    /* at i - 3 or i + 3 */
    MIRRORED_1, /* the same for channel 19 */
    MIRRORED_2,
    CHOSEN /* past at the nearest j in channel 18, if i is in channel 17 */
} sense;

typedef struct pattern_case {
    const char *mask, *scale, *rows;
    const char *words; /* of the refusal; NULL: accepted */
    double total, weight;
    sense sense;
} pattern_case;

#define Q(x)   "  query " x "\n"
#define K(x)   "  key " x "\n"
#define BEFORE "j<i"
#define AFTER  "j>i"
#define LIKE   Q("0:2 3:-1") Q("1:1") K("0:1 3:-0.5") /* a or b, as i */
#define LAST   K("4:0.5 15:1")
#define SCALE  "8*N"

/* Channels: 0 a, 1 one, 2 b, 3 a letter, 4 start, 5 end, 13 past; 15 i/N, 16 the same from the end, 17 and 18 i %
   3 = 1 and 0, 19 and 20 the same from the end, 21 i % 2 = 1. */
static const pattern_case CASES[] = {
    {BEFORE, SCALE, LIKE LAST, NULL, 0.5, 3, ALIKE},
    {"j<=i", SCALE, LIKE LAST, NULL, 0.5, 3, ALIKE},
    {AFTER, SCALE, LIKE K("5:0.5 15:-1"), NULL, 0.5, 3, ALIKE},
    {"j>=i", SCALE, LIKE K("5:0.5 15:-1"), NULL, 0.5, 3, ALIKE},
    {"all", SCALE, LIKE LAST, "under a mask without a sentinel", 0, 0, 0},
    {BEFORE, SCALE, Q("0:1") K("0:1"), "under a mask without a sentinel", 0, 0, 0},
    {BEFORE, NULL, LIKE LAST, "its scale is not C*N", 0, 0, 0},
    {BEFORE, "8*N*N", LIKE LAST, "its scale is not C*N", 0, 0, 0},
    {BEFORE, "ln(N) + 8", LIKE LAST, "its scale is not C*N", 0, 0, 0},
    /* rows */
    {BEFORE, SCALE, Q("0:2 3:-1") Q("6:1") Q("1:1") K("0:1 3:-0.5") K("0:1") LAST, "row 2 of its pattern reads", 0, 0,
     0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("1:1") K("0:1 6:1") LAST, "row 1 of its pattern reads", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("1:1") K("0:1 3:-0.5 4:0.5") LAST, "is not 0 on the sentinel", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("1:1") K("0:1 3:-0.5 5:3") LAST, NULL, 3, 3, ALIKE},
    {AFTER, SCALE, Q("0:2 3:-1") Q("1:1") K("0:1 3:-0.5 5:3") K("5:0.5 15:-1"), "is not 0 on the sentinel", 0, 0, 0},
    {AFTER, SCALE, Q("0:2 3:-1") Q("1:1") K("0:1 3:-0.5 4:3") K("5:0.5 15:-1"), NULL, 3, 3, ALIKE},
    {BEFORE, SCALE, Q("0:2.5 3:-1") Q("1:1") K("0:1 3:-0.5") LAST, "a weight is no multiple of 1", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1.5") Q("1:1") K("0:1 3:-0.5") LAST, "a weight is no multiple of 1", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("1:1") K("0:1 3:-0.25") LAST, "a weight is no multiple of 0.5", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("1:1") K("0:0.75 3:-0.5") LAST, "a weight is no multiple of 0.5", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("1:1") K("0:0x1p40 3:-0x1p39") K("4:0x1p39 15:1"), NULL, 0x1p39, 3, ALIKE},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("1:1") K("0:0x1.8p40 3:-0x1p39") K("4:0x1p40 15:1"), "a weight is no multiple", 0,
     0, 0},
    {BEFORE, SCALE, LIKE K("4:0.75 15:1"), "a weight is no multiple of 0.5", 0, 0, 0},
    /* the last row */
    {BEFORE, SCALE, Q("0:2 3:-1") Q("1:2") K("0:1 3:-0.5") LAST, "its last query row is not 1", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("3:1") K("0:1 3:-0.5") LAST, "its last query row is not 1", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("3:1 4:1") K("0:1 3:-0.5") LAST, "its last query row is not 1", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("3:1 5:1") K("0:1 3:-0.5") LAST, "its last query row is not 1", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("3:1 4:1 5:1") K("0:1 3:-0.5") LAST, "its last query row is not 1", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("0:1") K("0:1 3:-0.5") LAST, "its last query row is not 1", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("4:0.5"), "has no tie-break", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("4:0.5 16:-1"), "has no tie-break", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("4:0.5 9:1"), "has no tie-break", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("4:0.5 15:1 16:1"), "has no tie-break", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("4:0.5 15:2"), "does not prefer the nearest", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("4:0.5 15:-1"), "does not prefer the nearest", 0, 0, 0},
    {AFTER, SCALE, LIKE K("5:0.5 15:1"), "does not prefer the nearest", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("0:0.5 4:0.5 15:1"), "not a number above 0 on the sentinel alone", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("4:0.5 5:0.5 15:1"), "not a number above 0 on the sentinel alone", 0, 0, 0},
    {AFTER, SCALE, LIKE K("4:0.5 5:0.5 15:-1"), "not a number above 0 on the sentinel alone", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("15:1"), "not a number above 0 on the sentinel alone", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("4:-0.5 15:1"), "not a number above 0 on the sentinel alone", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("11:0.5 15:1"), "not a number above 0 on the sentinel alone", 0, 0, 0},
    /* scores */
    {BEFORE, SCALE, LIKE K("4:1 15:1"), "less than 1 below a candidate's", 0, 0, 0},
    {BEFORE, SCALE, LIKE K("4:1.5 15:1"), NULL, 1.5, 3, NOTHING},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("3:1") Q("1:1") K("0:1 3:-0.5") K("2:-1") LAST, "larger than the sentinel's", 0,
     0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("3:1") Q("1:1") K("0:1 3:-0.5") K("2:1") LAST, "larger than the sentinel's", 0, 0,
     0},
    {BEFORE, SCALE, Q("3:1") Q("0:2 3:-1") Q("1:1") K("3:1") K("0:1 3:-0.5") K("4:1.5 15:1"), NULL, 1.5, 3, ALIKE},
    {BEFORE, SCALE, Q("0:1 2:-3") Q("1:1") K("0:1 3:-0.5") K("4:1.5 15:1"), NULL, 1.5, 4, ONLY_B},
    {BEFORE, SCALE, Q("0:1 2:-3") Q("1:1") K("0:1 3:-0.5 5:4") K("4:1.5 15:1"), NULL, 12, 4, ONLY_B},
    {BEFORE, SCALE, Q("0:2 3:-1 4:5") Q("1:1") K("0:1 3:-0.5") LAST, NULL, 2.5, 8, ALIKE},
    {BEFORE, SCALE, Q("0:2 3:-1 5:5") Q("1:1") K("0:1 3:-0.5") LAST, NULL, 2.5, 8, ALIKE},
    {BEFORE, SCALE, Q("0:2 3:-1") Q("4:5") Q("1:1") K("0:1 3:-0.5") K("5:2") LAST, NULL, 10, 5, ALIKE},
    {BEFORE, SCALE, Q("0:2 3:-1 4:5") Q("4:5") Q("1:1") K("0:1 3:-0.5") K("5:2") LAST, NULL, 12.5, 8, ALIKE},
    {BEFORE, SCALE, Q("0:2 3:-1 5:5") Q("5:5") Q("1:1") K("0:1 3:-0.5") K("5:-2") LAST, NULL, 12.5, 8, ALIKE},
    {BEFORE, SCALE, Q("0:1 4:5") Q("1:1") K("0:0.5 2:-0.5") LAST, "less than 1 below", 0, 0, 0},
    {BEFORE, SCALE, Q("2:1 4:5") Q("1:1") K("0:-3 2:0.5") K("4:3.5 15:1"), NULL, 15, 6, NOTHING},
    {BEFORE, SCALE, Q("2:1 4:5") Q("1:1") K("0:-0.5 2:3") K("4:4 15:1"), NULL, 15, 6, NOTHING},
    {BEFORE, SCALE, Q("0:2 3:-1 4:0x1p20") Q("1:1") K("0:1 3:-0.5 5:0x1p30") LAST, NULL, 0x1p50, 0x1p20 + 3, ALIKE},
    {BEFORE, SCALE, Q("0:2 3:-1 4:0x1p20") Q("1:1") K("0:1 3:-0.5 5:0x1.8p30") LAST, "too large", 0, 0, 0},
    {BEFORE, SCALE, Q("0:2 3:-1 5:0x1p20") Q("1:1") K("0:1 3:-0.5 5:0x1.8p30") LAST, "too large", 0, 0, 0},
    /* remainders of positions: how far j is */
    {BEFORE, SCALE, Q("17:1") Q("1:1") K("18:1") K("4:1 15:1"), NULL, 1, 1, STEPS_1},
    {AFTER, SCALE, Q("17:1") Q("1:1") K("18:1") K("5:1 15:-1"), NULL, 1, 1, STEPS_2},
    {BEFORE, SCALE, Q("17:1") Q("1:1") K("17:1") K("4:1 15:1"), NULL, 1, 1, STEPS_3},
    {AFTER, SCALE, Q("17:1") Q("1:1") K("17:1") K("5:1 15:-1"), NULL, 1, 1, STEPS_3},
    {"j<=i", SCALE, Q("17:1") Q("1:1") K("18:1") K("4:1 15:1"), NULL, 1, 1, CHOSEN},
    {"j>=i", SCALE, Q("17:1") Q("1:1") K("18:1") K("5:1 15:-1"), NULL, 1, 1, CHOSEN},
    {BEFORE, SCALE, Q("19:1") Q("1:1") K("20:1") K("4:1 15:1"), NULL, 1, 1, MIRRORED_2},
    {AFTER, SCALE, Q("19:1") Q("1:1") K("20:1") K("5:1 15:-1"), NULL, 1, 1, MIRRORED_1},
    {BEFORE, SCALE, Q("17:1") Q("4:1") Q("1:1") K("18:1") K("21:1") K("4:1 15:1"), NULL, 1, 1, STEPS_1},
    {BEFORE, SCALE, Q("4:1") Q("17:1") Q("1:1") K("21:1") K("18:1") K("4:1 15:1"), NULL, 1, 1, STEPS_1},
    {BEFORE, SCALE, Q("4:1") Q("19:1") Q("1:1") K("17:1") K("20:1") K("4:1 15:1"), NULL, 1, 1, MIRRORED_2},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static bool begin(audit_bench *b, const pattern_case *x, const char *value) {
    char head[1000];
    snprintf(head, sizeof head,
             "head \"x\" role match mask %s choice softmax for average%s%s%s\n%s  value %s\n  output 10:1\n", x->mask,
             x->scale ? " scale \"" : "", x->scale ? x->scale : "", x->scale ? "\"" : "", x->rows, value);
    return bench_begin(b, head, FEATURES, TEMPER_TYPE_F64, 2);
}

static dd steps(meaning *m, bool past, dd f, int count) {
    for (int k = 0; k < count; k++) f = meaning_step(m, past, f);
    return f;
}

/* What the case says, of the value in channel 13. */
static dd meaning_of(audit_bench *b, const pattern_case *x) {
    meaning *m = &b->a.meaning;
    diagram *d = &m->d;
    const content *c = b->a.channels;
    bool past = strchr(x->mask, '<') != NULL, strict = strchr(x->mask, '=') == NULL;
    temper_mask mask = past     ? strict ? TEMPER_MASK_BEFORE : TEMPER_MASK_UP_TO
                       : strict ? TEMPER_MASK_AFTER
                                : TEMPER_MASK_FROM;
    dd value = c[BENCH_PAST].letters, a = c[BENCH_A].letters, is_b = c[BENCH_B].letters;
    dd of_a = dd_and(d, a, meaning_chosen(m, mask, past, a, dd_and(d, a, value)));
    dd of_b = dd_and(d, is_b, meaning_chosen(m, mask, past, is_b, dd_and(d, is_b, value)));
    switch (x->sense) {
    case NOTHING: return 0;
    case ALIKE: return dd_or(d, of_a, of_b);
    case ONLY_B: return of_b;
    case STEPS_1: return dd_and(d, c[17].letters, steps(m, past, value, 1));
    case STEPS_2: return dd_and(d, c[17].letters, steps(m, past, value, 2));
    case STEPS_3: return dd_and(d, c[17].letters, steps(m, past, value, 3));
    case MIRRORED_1: return dd_and(d, c[19].letters, steps(m, past, value, 1));
    case MIRRORED_2: return dd_and(d, c[19].letters, steps(m, past, value, 2));
    default:
        return dd_and(d, c[17].letters,
                      meaning_chosen(m, mask, past, c[18].letters, dd_and(d, c[18].letters, value)));
    }
}

static void check_case(const pattern_case *x) {
    audit_bench b;
    if (begin(&b, x, "13:1")) {
        const char *why = bench_heads(&b);
        const audit_head *f = b.a.heads;
        const content *made = &b.a.channels[BENCH_FREE];
        CHECK(x->words ? why && strstr(why, x->words) : !why, "mask %s\n%s%s, not %s", x->mask, x->rows,
              why ? why : "accepted", x->words ? x->words : "accepted");
        if (!why && !x->words) {
            CHECK(f->kind == KIND_MATCH && f->kappa == 8 && f->total_weight == x->total && f->weight == x->weight &&
                      f->rightmost == (strchr(x->mask, '<') != NULL) && f->logit.size,
                  "mask %s\n%sT = %g, W = %g", x->mask, x->rows, f->total_weight, f->weight);
            CHECK(made->kind == HOLDS_RAW && made->head == 0 && made->letters == meaning_of(&b, x),
                  "mask %s\n%smeans something else", x->mask, x->rows);
        }
    }
    bench_free(&b);
}

static void check_value(const char *value, const char *words) {
    audit_bench b;
    if (begin(&b, &CASES[0], value)) {
        const char *why = bench_heads(&b);
        CHECK(words ? why && strstr(why, words) : !why, "value %s: %s", value, why ? why : "accepted");
    }
    bench_free(&b);
}

int main(void) {
    for (size_t k = 0; k < CASE_COUNT; k++) check_case(&CASES[k]);
    check_value("0:1", NULL);
    check_value("0:2", "is not 0 or 1 on letters");
    check_value("0:1 4:1", "is not 0 or 1 on letters");
    check_value("0:1 5:1", "is not 0 or 1 on letters");
    check_value("6:1", "is not 0 or 1 on letters");
    return test_finish("t-audit-pattern");
}
