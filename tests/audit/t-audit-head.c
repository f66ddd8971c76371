/* The auditor on single heads that are made by hand, over channels whose contents are given. Every condition of a
   kind of head is met just inside and just outside; of what is accepted, the kind, its numbers and its meaning are
   compared with what the case says. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit_bench.h"

#define A "max(i - floor(N/2), floor(N/2) - i)"
#define S "([floor(N/2) < i] - [i < floor(N/2)])"
static const char *const FEATURES[] = {"i/N",
                                       "8*N",
                                       "8*i",
                                       "i - floor(N/2)",
                                       "ln(N) + 8",
                                       "-4*floor(-(ln(N) + 8)/4)",
                                       "ln(max(i, 1))/(16*N)",
                                       "[i = 0]*16*N",
                                       "[i = 0]/N",
                                       "i/(N*N)",
                                       "i*i/(N*N)",
                                       "16*N*N/(i + 1)",
                                       S "*(" A " % 16)",
                                       S "*floor(" A "/16)",
                                       "ceil2(8*N)/4",
                                       "(N - 1 - i)/N",
                                       "16*N*i",
                                       "16*N*i*i",
                                       "[i % 3 = 1]",
                                       "ln(max(N - 1 - i, 1))/(16*N)",
                                       "[i = N - 1]*16*N",
                                       "1/(N - i)",
                                       "(N - 1 - i)/(N*N)",
                                       "(N - 1 - i)*(N - 1 - i)/(N*N)",
                                       "16*N*N",
                                       "32*N*N/(i + 1)",
                                       "32*N*i*i",
                                       NULL};

/* What is said of contents before the head is read. */
typedef struct given {
    double start, end; /* of the mean */
    temper_mask mask;
    double weight;
    bool whole; /* its letters: 0: a; 1: a and -2 b */
} given;

typedef struct head_case {
    const char *mask, *scale; /* NULL: no scale */
    const char *rows;         /* queries, keys, values */
    const char *words;        /* of the refusal; NULL: accepted */
    given given;
    head_kind kind;
    double kappa;
} head_case;

#define Q(x)   "  query " x "\n"
#define K(x)   "  key " x "\n"
#define V(x)   "  value " x "\n"
#define ONE    Q("1:1")
#define BACK   "j<=i"
#define BEFORE "j<i"
#define AHEAD  "j>=i"
#define UP(start, end)                                                                                               \
    { start, end, TEMPER_MASK_UP_TO, 1, false }
#define HALF UP(0.5, 0)
#define HALF_AHEAD                                                                                                   \
    { 0, 0.5, TEMPER_MASK_FROM, 1, false }
#define NONE UP(0, 0)
#define NONE_AHEAD                                                                                                   \
    { 0, 0, TEMPER_MASK_FROM, 1, false }

/* Channels: 15 i/N, 16 8N, 17 8i, 18 centred, 19 log, 20 stepped, 21 normaliser, 22 edge size, 23 edge share, 24
   small, 25 square, 26 weighted, 27 and 28 digits, 29 power, 30 i/N from the end, 31 16Ni, 32 16Nii, 33 residue,
   34 and 35 normaliser and edge size from the end, 36 1/(N - i), 37 and 38 small and square from the end, 39 16NN, 40
   and 41 weighted and 32Nii;
   8 the mean, 11 a copy of a total, 12 an own part. */
static const head_case CASES[] = {
    /* once */
    {BACK, "ln(N) + 8", ONE K("0:1") V("0:1"), NULL, NONE, KIND_ONCE, 0},
    {BACK, NULL, Q("19:1") K("0:1") V("0:1"), NULL, NONE, KIND_ONCE, 0},
    {BACK, NULL, Q("20:1") K("0:1") V("0:1"), NULL, NONE, KIND_ONCE, 0},
    {BACK, "ln(N) + 8", Q("1:2") K("0:1") V("0:1"), "its query is not 1 everywhere", NONE, 0, 0},
    {BACK, "ln(N) + 8", Q("3:1") K("0:1") V("0:1"), "its query is not 1 everywhere", NONE, 0, 0},
    {BACK, "ln(N) + 8", Q("3:1 4:1") K("0:1") V("0:1"), "its query is not 1 everywhere", NONE, 0, 0},
    {BACK, "ln(N) + 8", Q("3:1 5:1") K("0:1") V("0:1"), "its query is not 1 everywhere", NONE, 0, 0},
    {BACK, "ln(N) + 8", ONE ONE K("0:1") K("0:1") V("0:1"), "more than one query row", NONE, 0, 0},
    {BACK, "ln(N) + 8", ONE K("0:1 4:1") V("0:1"), "its key is not 0 or 1", NONE, 0, 0},
    {BACK, "ln(N) + 8", ONE K("0:1 5:1") V("0:1"), "its key is not 0 or 1", NONE, 0, 0},
    {BACK, "ln(N) + 8", ONE K("0:1") V("0:1 4:1"), "is not what its key says", NONE, 0, 0},
    {BACK, "ln(N) + 8", ONE K("0:1") V("0:1 5:1"), "is not what its key says", NONE, 0, 0},
    {BACK, NULL, Q("16:1") K("0:1 19:1") V("0:1"), "a key row holds something that is no position", NONE, 0, 0},
    {BACK, "ln(N) + 8", Q("0:1") K("0:1") V("0:1"), "it looks for patterns", NONE, 0, 0},
    {BACK, "8*N", Q("19:1") K("0:1") V("0:1"), "its query is not 1 everywhere", NONE, 0, 0},
    {BACK, NULL, Q("19:2") K("0:1") V("0:1"), "neither a number nor C*N", NONE, 0, 0},
    {BACK, NULL, Q("15:1 19:1") K("0:1") V("0:1"), "neither a number nor C*N", NONE, 0, 0},
    /* products that doubles do not hold, or only just */
    {BEFORE, "8*N", Q("1:3") K("15:0x1.fffffffffffffp0") V("0:1"), "no exact product", NONE, 0, 0},
    {BEFORE, "8*N", Q("1:0x1p-600") K("15:0x1p-600") V("0:1"), "no exact product", NONE, 0, 0},
    {BEFORE, "8*N", Q("1:0x1p-500") K("15:0x1p-450") V("0:1"), "no exact product", NONE, 0, 0},
    {BEFORE, "8*N", Q("1:0x1p-500") K("15:0x1p-403") V("0:1"), "no exact product", NONE, 0, 0},
    {BEFORE, "8*N", Q("1:0x1p-500") K("15:0x1p-400") V("0:1"), NULL, NONE, KIND_NEAREST, 0x1p-897},
    {BEFORE, "8*N", Q("1:0x1p500") K("15:0x1p450") V("0:1"), "no exact product", NONE, 0, 0},
    {BEFORE, "8*N", Q("1:0x1p500") K("15:0x1p397") V("0:1"), NULL, NONE, KIND_NEAREST, 0x1p900},
    {BEFORE, "8*N", Q("") K("15:1") V("0:1"), "nothing tells its positions apart", NONE, 0, 0},
    /* nearest */
    {BACK, "8*N", ONE K("15:1") V("0:1"), NULL, NONE, KIND_NEAREST, 8},
    {AHEAD, "8*N", ONE K("15:-1") V("0:1"), NULL, NONE, KIND_NEAREST, 8},
    {BEFORE, "8*N", Q("16:1") ONE K("0:1") K("15:1") V("0:1"), "neither a number nor C*N", NONE, 0, 0},
    {BEFORE, "8*N", Q("15:1") K("15:1") V("0:1"), "neither a number nor C*N", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("15:1") V("0:1"), NULL, NONE, KIND_NEAREST, 8},
    {BEFORE, "1*N", ONE K("15:1") V("0:1"), NULL, NONE, KIND_NEAREST, 1},
    {BEFORE, "8*N", Q("1:0x1p-3") K("15:1") V("0:1"), NULL, NONE, KIND_NEAREST, 1},
    {BEFORE, "8*N", ONE K("15:-1") V("0:1"), "takes the farthest position", NONE, 0, 0},
    {"j>i", "8*N", ONE K("15:-1") V("0:1"), NULL, NONE, KIND_NEAREST, 8},
    {"all", "8*N", ONE K("15:1") V("0:1"), "takes the farthest position", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("0:1 15:1") V("0:1"), NULL, NONE, KIND_NEAREST, 8},
    {"j>i", "8*N", ONE K("0:1 15:1") V("0:1"), NULL, NONE, KIND_NEAREST, 8},
    {"all", "8*N", ONE K("0:1 15:1") V("0:1"), NULL, NONE, KIND_NEAREST, 8},
    {BEFORE, "8*N", Q("1:0x1p-3") K("0:1 15:1") V("0:1"), NULL, NONE, KIND_NEAREST, 1},
    {BEFORE, "8*N", ONE ONE K("0:1") K("15:1") V("0:1"), NULL, NONE, KIND_NEAREST, 8},
    {BEFORE, "8*N", ONE Q("1:2") K("0:1") K("15:1") V("0:1"), "the advantage of candidates is less", NONE, 0, 0},
    {BEFORE, "8*N", ONE ONE K("0:1") K("2:1 15:1") V("0:1"), "two key rows have candidates", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("0:-1 15:1") V("0:1"), "more than two kinds of letters", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("0:1 13:1 15:1") V("0:1"), "more than two kinds of letters", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("0:1 4:1 15:1") V("0:1"), "a sentinel is a candidate", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("0:1 5:1 15:1") V("0:1"), "a sentinel is a candidate", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("0:1 15:1") V("2:1"), "is not 0 where its key is", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("0:1") V("0:1"), "nothing tells its positions apart", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("15:1 30:1") V("0:1"), "a key row reads more than it may", NONE, 0, 0},
    {BEFORE, "8*N", ONE ONE K("15:1") K("15:1") V("0:1"), "two key rows hold positions", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("30:-1") V("0:1"), "holds a feature that is no position", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("17:1") V("0:1"), "holds a feature that is no position", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("18:1") V("0:1"), "holds a feature that is no position", NONE, 0, 0},
    {BEFORE, "8*N", ONE K("27:1") V("0:1"), "its digits have a scale", NONE, 0, 0},
    {BEFORE, "8*N*N", ONE K("15:1") V("0:1"), "its scale is not C*N", NONE, 0, 0},
    {BEFORE, NULL, ONE K("17:1") V("0:1"), NULL, NONE, KIND_NEAREST, 8},
    {BEFORE, NULL, ONE K("18:1") V("0:1"), NULL, NONE, KIND_NEAREST, 1},
    {BEFORE, NULL, ONE K("15:1") V("0:1"), "holds a feature that is no position", NONE, 0, 0},
    {BEFORE, NULL, ONE K("16:1") V("0:1"), "holds a feature that is no position", NONE, 0, 0},
    {BEFORE, NULL, ONE K("24:1") V("0:1"), "holds a feature that is no position", NONE, 0, 0},
    {BEFORE, NULL, ONE K("0:1 17:1") V("0:1"), "its candidates' advantage does not grow", NONE, 0, 0},
    {BEFORE, NULL, Q("16:1") ONE K("0:1") K("17:1") V("0:1"), NULL, NONE, KIND_NEAREST, 8},
    {BEFORE, NULL, Q("39:1") ONE K("0:1") K("17:1") V("0:1"), "neither a number nor C*N", NONE, 0, 0},
    {BEFORE, NULL, Q("16:2") ONE K("0:1") K("17:1") V("0:1"), "neither a number nor C*N", NONE, 0, 0},
    {BEFORE, NULL, Q("29:1") Q("1:0x1p-3") K("0:4 1:-4") K("17:1") V("0:1"), NULL, NONE, KIND_NEAREST, 1},
    {BEFORE, NULL, Q("29:1") Q("1:0x1p-3") K("0:4") K("17:1") V("0:1"), "advantage does not grow", NONE, 0, 0},
    {BEFORE, NULL, Q("29:1") Q("1:0x1p-3") K("0:4 1:4") K("17:1") V("0:1"), "advantage does not grow", NONE, 0, 0},
    {BEFORE, NULL, Q("1:32") Q("1:2") K("28:1") K("27:1") V("0:1"), NULL, NONE, KIND_NEAREST, 2},
    {BEFORE, NULL, Q("1:32") Q("1:2") K("27:1") K("28:1") V("0:1"), "do not add up to a position", NONE, 0, 0},
    {BEFORE, NULL, Q("1:2") K("28:1") V("0:1"), "a digit of its positions is missing", NONE, 0, 0},
    {BEFORE, NULL, Q("1:2") K("27:1") V("0:1"), "a digit of its positions is missing", NONE, 0, 0},
    {BEFORE, NULL, Q("1:2") Q("1:2") Q("1:32") K("27:1") K("27:1") K("28:1") V("0:1"), "do not add up to a position",
     NONE, 0, 0},
    {BEFORE, NULL, Q("1:32") Q("1:2") ONE K("28:1") K("27:1") K("17:1") V("0:1"), "given twice", NONE, 0, 0},
    /* count */
    {BACK, NULL, V("0:1"), NULL, NONE, KIND_COUNT, 0},
    {BACK, "8*N", V("0:1"), "it has a scale and no scores", NONE, 0, 0},
    {BACK, NULL, V("6:1"), "not exactly Boolean", NONE, 0, 0},
    /* compare */
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("4:1"), NULL, HALF, KIND_COMPARE, 8},
    {BACK, NULL, Q("8:1 21:1") K("22:1") V("4:1"), NULL, HALF, KIND_COMPARE, 8},
    {AHEAD, "16*N", Q("8:1 34:1") K("5:1") V("5:1"), NULL, HALF_AHEAD, KIND_COMPARE, 8},
    {AHEAD, NULL, Q("8:1 34:1") K("35:1") V("5:1"), NULL, HALF_AHEAD, KIND_COMPARE, 8},
    {BACK, NULL, Q("8:1 21:1") K("35:1") V("4:1"), "its key is not C*N on the sentinel", HALF, 0, 0},
    {BACK, NULL, Q("8:1 21:1") K("23:1") V("4:1"), "its key is not C*N on the sentinel", HALF, 0, 0},
    {BACK, "16*N", Q("8:1 34:1") K("4:1") V("4:1"), "its normaliser does not fit", HALF, 0, 0},
    {BACK, "8*N", Q("8:1 21:1") K("4:1") V("4:1"), "its normaliser does not fit", HALF, 0, 0},
    {BACK, "16*N", Q("8:1 21:1") K("5:1") V("4:1"), "its key is not the sentinel's indicator", HALF, 0, 0},
    {BACK, "16*N", Q("8:1 21:1") K("4:1 5:1") V("4:1"), "its key is not the sentinel's indicator", HALF, 0, 0},
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("5:1"), "is not the sentinel's indicator", HALF, 0, 0},
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("0:1 4:1"), "is not the sentinel's indicator", HALF, 0, 0},
    {BACK, "16*N", Q("0:1 8:1 21:1") K("4:1") V("4:1"), "its query is not a mean and", HALF, 0, 0},
    {BACK, "16*N", Q("8:1 15:1 21:1") K("4:1") V("4:1"), "its query is not a mean and", HALF, 0, 0},
    {BACK, "16*N", Q("8:1 15:1") K("4:1") V("4:1"), "its query is not a mean and", HALF, 0, 0},
    {BACK, "16*N", Q("8:1") K("4:1") V("4:1"), "its query is not a mean and", HALF, 0, 0},
    {BEFORE, "16*N", Q("8:1 21:1") K("4:1") V("4:1"), "a mask without its sentinel", HALF, 0, 0},
    {AHEAD, "16*N", Q("8:1 34:1") K("5:1") V("5:1"), "over another mask", UP(0, 0.5), 0, 0},
    {BACK, "16*N*N", Q("8:1 21:1") K("4:1") V("4:1"), "its scale is not C*N", HALF, 0, 0},
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("4:1"), "no whole number and a half", NONE, 0, 0},
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("4:1"), "no whole number and a half", UP(0.5, 1), 0, 0},
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("4:1"), "no whole number and a half", UP(0.25, 0), 0, 0},
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("4:1"), "no whole number and a half", UP(1, 0), 0, 0},
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("4:1"), NULL, UP(-2.5, 0), KIND_COMPARE, 8},
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("4:1"), NULL, UP(0x1p52 - 0.5, 0), KIND_COMPARE, 8},
    {AHEAD, "16*N", Q("8:1 34:1") K("5:1") V("5:1"), NULL, {0, -2.5, TEMPER_MASK_FROM, 1, false}, KIND_COMPARE, 8},
    {AHEAD, "16*N", Q("8:1 34:1") K("5:1") V("5:1"), "no whole number", {1, 0.5, TEMPER_MASK_FROM, 1, false}, 0, 0},
    {AHEAD, "16*N", Q("8:1 34:1") K("5:1") V("5:1"), "no whole number", {0, 0.25, TEMPER_MASK_FROM, 1, false}, 0, 0},
    /* whole numbers from which doubles cannot take a half */
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("4:1"), "no whole number and a half", UP(0x1p52 + 1, 0), 0, 0},
    {BACK, "16*N", Q("8:1 21:1") K("4:1") V("4:1"), "no whole number and a half", UP(-0x1p52, 0), 0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "no whole number and a half",
     UP(-0x1p52, 0), 0, 0},
    /* balance */
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), NULL, HALF, KIND_BALANCE, 8},
    {BACK, NULL, Q("8:1 12:1 21:1") Q("26:1") K("22:1") K("11:1") V("4:1"), NULL, HALF, KIND_BALANCE, 8},
    {AHEAD, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "in an unknown way", HALF, 0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") ONE K("23:1") K("11:1") K("4:1") V("4:1"), "in an unknown way", HALF,
     0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 15:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "its first query row is not",
     HALF, 0, 0},
    {BACK, "16*N*N", Q("8:1 12:2 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "its first query row is not", HALF, 0,
     0},
    {BACK, "16*N*N", Q("8:1 12:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "its first query row is not", HALF, 0, 0},
    {BACK, "16*N*N", Q("12:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "its first query row is not", HALF, 0, 0},
    {BACK, "16*N*N", Q("8:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "its first query row is not", HALF, 0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1 15:1") V("4:1"), "its second key row is not", HALF,
     0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("4:1 11:1") V("4:1"), "its second key row is not", HALF,
     0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:2") V("4:1"), "its second key row is not", HALF, 0,
     0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("15:1") V("4:1"), "its second key row is not", HALF, 0,
     0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("36:1") K("23:1") K("11:1") V("4:1"), "not those of a balance", HALF, 0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("15:1") K("23:1") K("11:1") V("4:1"), "do not multiply to C*N*N", HALF, 0,
     0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("22:1") K("11:1") V("4:1"), "do not multiply to C*N*N", HALF, 0,
     0},
    {BACK, "16*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "do not multiply to C*N*N", HALF, 0, 0},
    {BACK, NULL, Q("8:1 12:1 21:1") Q("9:1") K("22:1") K("11:1") V("4:1"), "do not multiply to C*N*N", HALF, 0, 0},
    {BACK, NULL, Q("8:1 12:1 21:1") Q("26:1") K("23:1") K("11:1") V("4:1"), "do not multiply to C*N*N", HALF, 0, 0},
    {BACK, "8*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "its normaliser does not fit", HALF, 0,
     0},
    {BACK, "16*N*N", Q("8:1 12:1 34:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "its normaliser does not fit", HALF, 0,
     0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "over another mask", HALF_AHEAD, 0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "no whole number and a half", NONE, 0,
     0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), "no whole number and a half",
     UP(0.5, 1), 0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1") V("5:1"), "is not the sentinel's indicator",
     HALF, 0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:2") K("23:1") K("11:1") V("4:1"), "not those of a balance", HALF, 0, 0},
    {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:2") K("11:1") V("4:1"), "not those of a balance", HALF, 0, 0},
    {BACK, NULL, Q("8:1 12:1 21:1") Q("26:1") K("35:1") K("11:1") V("4:1"), "not those of a balance", HALF, 0, 0},
    {BACK, NULL, Q("8:1 12:1 21:1") Q("40:1") K("22:1") K("11:1") V("4:1"), "multiply to C*N*N", HALF, 0, 0},
    /* look-up */
    {BACK, NULL, Q("8:2") Q("9:-1") K("31:1") K("41:1") V("33:1"), "do not multiply to C*N", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:2") K("25:1") V("0:1"), "no positions and squares", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:2") V("0:1"), "no positions and squares", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("24:1") V("0:1"), "do not multiply to C*N", NONE, 0, 0},
    {BEFORE,
     "16*N*N*N",
     Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"),
     "mask is without its sentinel",
     {0, 0, TEMPER_MASK_BEFORE, 1, false},
     0,
     0},
    {AHEAD, "16*N*N*N", Q("8:2") Q("36:-1") K("37:1") K("38:1") V("33:1"), "no remainder of a count", NONE_AHEAD, 0,
     0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), NULL, NONE, KIND_LOOKUP, 16},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("33:1"), NULL, NONE, KIND_LOOKUP, 16},
    {BACK, NULL, Q("8:2") Q("9:-1") K("31:1") K("32:1") V("33:1"), NULL, NONE, KIND_LOOKUP, 16},
    {AHEAD, "16*N*N*N", Q("8:2") Q("36:-1") K("37:1") K("38:1") V("0:1"), NULL, NONE_AHEAD, KIND_LOOKUP, 16},
    {BACK, "16*N*N*N", Q("8:1") Q("9:-1") K("24:1") K("25:1") V("0:1"), "is not twice a mean", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2 15:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), "is not twice a mean", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("4:1 8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), "is not twice a mean", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("4:1") Q("8:-1") K("24:1") K("25:1") V("0:1"), "is not twice a mean", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("15:2") Q("8:-1") K("24:1") K("25:1") V("0:1"), "is not twice a mean", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("36:-1") K("24:1") K("25:1") V("0:1"), "its second query row is not", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:1") K("24:1") K("25:1") V("0:1"), "its second query row is not", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("38:1") V("0:1"), "no positions and squares", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("37:1") K("38:1") V("0:1"), "the side that its mask hides", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("25:1") K("24:1") V("0:1"), "do not multiply to C*N", NONE, 0, 0},
    {BACK, "16*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), "do not multiply to C*N", NONE, 0, 0},
    {BACK, NULL, Q("8:2") Q("9:-1") K("31:1") K("31:1") V("0:1"), "do not multiply to C*N", NONE, 0, 0},
    {BACK, NULL, Q("8:2") Q("9:-1") K("32:1") K("32:1") V("0:1"), "do not multiply to C*N", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), "counts the other sentinel", UP(0, 1), 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), "adds no whole number", HALF, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), "that its mask hides", UP(1, 0), 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), NULL, UP(-1, 0), KIND_LOOKUP, 16},
    {"all", "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), NULL, UP(1, 0), KIND_LOOKUP, 16},
    {"all", "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), NULL, UP(0x1p52, 0), KIND_LOOKUP, 16},
    {"all", "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), "adds no whole number",
     UP(0x1.0000000000001p52, 0), 0, 0},
    {"all", "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("33:1"), "no remainder of a count", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("33:1"), "no remainder of a count", UP(-1, 0), 0, 0},
    {BACK,
     "16*N*N*N",
     Q("8:2") Q("9:-1") K("24:1") K("25:1") V("33:1"),
     "no remainder of a count",
     {0, 0, TEMPER_MASK_UP_TO, 1, true},
     0,
     0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("15:1"), "no remainder of a count", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1 4:1"), "is not 0 or 1 on letters", NONE, 0, 0},
    {BEFORE, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), "over another mask", NONE, 0, 0},
    {BACK, "16*N*N*N", Q("8:2") Q("9:-1") ONE K("24:1") K("25:1") K("4:1") V("0:1"), "more than two query rows", NONE,
     0, 0},
};
enum { CASE_COUNT = sizeof CASES / sizeof *CASES };

static void give(audit_bench *b, const given *g) {
    diagram *d = &b->a.meaning.d;
    dd a = b->a.channels[BENCH_A].letters, both = dd_add(d, a, dd_times(d, b->a.channels[BENCH_B].letters, -2));
    content *c = b->a.channels;
    c[BENCH_MEAN] = (content){.kind = HOLDS_MEAN, .letters = g->whole ? both : a, .start = g->start, .end = g->end};
    c[BENCH_MEAN].mask = g->mask;
    c[BENCH_MEAN].weight = g->weight;
    c[BENCH_FREE + 1] = (content){.kind = HOLDS_COPY, .letters = a, .weight = 3};
    c[BENCH_FREE + 2] = (content){.kind = HOLDS_OWN, .letters = a, .weight = 5, .parts = 7};
}

static bool begin(audit_bench *b, const head_case *x) {
    char head[1000];
    size_t values = 0;
    snprintf(head, sizeof head, "head \"x\" role nearest mask %s choice softmax for average%s%s%s\n%s", x->mask,
             x->scale ? " scale \"" : "", x->scale ? x->scale : "", x->scale ? "\"" : "", x->rows);
    for (const char *v = x->rows; (v = strstr(v, "value")); v++) values++;
    if (values) strcat(head, "  output 10:1\n");
    bool ok = bench_begin(b, head, FEATURES, TEMPER_TYPE_F64, 2);
    if (ok) give(b, &x->given);
    return ok;
}

/* What the head's output means, by the case. */
static dd meaning_of(audit_bench *b, const head_case *x) {
    meaning *m = &b->a.meaning;
    const content *c = b->a.channels;
    dd a = c[BENCH_A].letters;
    bool back = strcmp(x->mask, AHEAD) != 0, residue = strstr(x->rows, "value 33") != NULL;
    temper_mask mask = strcmp(x->mask, BACK) == 0     ? TEMPER_MASK_UP_TO
                       : strcmp(x->mask, BEFORE) == 0 ? TEMPER_MASK_BEFORE
                       : strcmp(x->mask, AHEAD) == 0  ? TEMPER_MASK_FROM
                       : strcmp(x->mask, "j>i") == 0  ? TEMPER_MASK_AFTER
                                                      : TEMPER_MASK_ALL;
    switch (x->kind) {
    case KIND_ONCE: return meaning_exists(m, mask, a);
    case KIND_NEAREST:
        return meaning_chosen(m, mask, strstr(x->rows, ":-1\n") == NULL, strstr(x->rows, "key 0:") ? a : 1, a);
    case KIND_COMPARE:
        return meaning_at_least(m, back ? a : 0, back ? 0 : a, floor(back ? x->given.start : x->given.end));
    case KIND_BALANCE: return meaning_at_least(m, dd_add(&m->d, a, a), a, 0);
    case KIND_LOOKUP:
        if (residue) return meaning_residue(m, back, a, 1, 0, 3, RESIDUE_EQUAL, 1);
        return meaning_read(m, back, back ? a : dd_times(&m->d, a, -1), back ? 0 : 1, x->given.start, a);
    default: return a;
    }
}

static void check_case(const head_case *x) {
    audit_bench b;
    if (begin(&b, x)) {
        const char *why = bench_heads(&b);
        const audit_head *f = b.a.heads;
        const content *made = &b.a.channels[BENCH_FREE];
        CHECK(x->words ? why && strstr(why, x->words) : !why, "mask %s scale %s\n%s%s, not %s", x->mask,
              x->scale ? x->scale : "none", x->rows, why ? why : "accepted", x->words ? x->words : "accepted");
        if (!why && !x->words) {
            bool nearest = x->kind == KIND_NEAREST,
                 forward = strcmp(x->mask, "j>i") == 0 || strcmp(x->mask, AHEAD) == 0;
            CHECK(f->kind == x->kind && f->kappa == x->kappa &&
                      f->by_positions == (!x->scale && x->kind != KIND_COUNT),
                  "mask %s\n%skind %d, kappa %g", x->mask, x->rows, (int)f->kind, f->kappa);
            CHECK(made->kind == (x->kind == KIND_COUNT ? HOLDS_MEAN : HOLDS_RAW) &&
                      made->letters == meaning_of(&b, x),
                  "mask %s scale %s\n%smeans something else", x->mask, x->scale ? x->scale : "none", x->rows);
            if (nearest && !strstr(x->rows, "key 0:")) CHECK(f->rightmost == !forward, "%srightmost", x->rows);
            bool digits = strstr(x->rows, "key 28") || strstr(x->rows, "key 18") || strstr(x->rows, "query 29");
            CHECK(f->layer == 1 && f->number == 1 && f->by_digits == digits && !f->logit.size == !nearest, "%sfacts",
                  x->rows);
            if (nearest) CHECK(f->candidates == (strstr(x->rows, "key 0:") != NULL), "%scandidates", x->rows);
            if (x->kind == KIND_ONCE)
                CHECK(f->constant == 8 && f->stepped == (strstr(x->rows, "query 20") != NULL), "%sconstant", x->rows);
            if (x->kind == KIND_COMPARE || x->kind == KIND_BALANCE || x->kind == KIND_LOOKUP)
                CHECK(f->weight == x->given.weight, "%sweight %g", x->rows, f->weight);
            if (x->kind == KIND_BALANCE)
                CHECK(f->total_weight == 3 && f->own_weight == 5 && f->own_parts == 7, "%sweights", x->rows);
            if (x->kind == KIND_LOOKUP)
                CHECK(f->anywhere == (x->given.start != 0 || strcmp(x->mask, "all") == 0), "%sanywhere", x->rows);
        }
    }
    bench_free(&b);
}

/* ---- totals and own parts that do not fit ---- */

static void check_balance(double start, double end, bool other, const char *words) {
    const head_case x = {BACK, "16*N*N", Q("8:1 12:1 21:1") Q("9:1") K("23:1") K("11:1") V("4:1"), NULL, HALF, 0, 0};
    audit_bench b;
    if (begin(&b, &x)) {
        b.a.channels[BENCH_FREE + 1].start = start;
        b.a.channels[BENCH_FREE + 1].end = end;
        if (other) b.a.channels[BENCH_FREE + 2].letters = b.a.channels[BENCH_B].letters;
        const char *why = bench_heads(&b);
        CHECK(why && strstr(why, words), "a total of %g and %g: %s", start, end, why ? why : "accepted");
    }
    bench_free(&b);
}

/* Means of numbers that a look-up cannot read. */
static void check_leaves(const char *mask, double value, const char *words) {
    const head_case x = {mask, "16*N*N*N", Q("8:2") Q("9:-1") K("24:1") K("25:1") V("0:1"), NULL, NONE, 0, 0};
    audit_bench b;
    if (begin(&b, &x)) {
        content *mean = &b.a.channels[BENCH_MEAN];
        mean->letters = dd_times(&b.a.meaning.d, mean->letters, value);
        const char *why = bench_heads(&b);
        CHECK(words ? why && strstr(why, words) : !why, "a mean of %a: %s", value, why ? why : "accepted");
    }
    bench_free(&b);
}

/* ---- counts ---- */

typedef struct count_case {
    const char *values;
    double weight, letters, edges;
    int grid;
    bool not_negative;
} count_case;

static const count_case COUNTS[] = {
    {V("0:1"), 1, 1, 0, 0, true},
    {V("0:0x1p-1"), 0.5, 0.5, 0, -1, true},
    {V("0:-1"), 1, 1, 0, 0, false},
    {V("0:1 4:-0x1p-1"), 1.5, 1, 0.5, -1, false},
    {V("0:1 5:-0x1p-1"), 1.5, 1, 0.5, -1, false},
    {V("0:1 4:3 5:4"), 8, 1, 7, 0, true},
    {V("0:2 2:6"), 8, 8, 0, 1, true},
    {V("4:4 5:8"), 12, 0, 12, 2, true},
    {V("0:1 1:-1 2:1 4:1 5:1"), 5, 3, 2, 0, true},
    {V("4:1 5:0x1p-60"), 0x1.0000000000001p0, 0, 0x1.0000000000001p0, -60, true},
    {V(""), 0, 0, 0, 0, true},
};

static void check_count(const count_case *x) {
    const head_case head = {BACK, NULL, x->values, NULL, NONE, 0, 0};
    audit_bench b;
    if (begin(&b, &head)) {
        b.a.type.pa = b.a.type.ps = 200; /* sums of Booleans have a test of their own */
        const char *why = bench_heads(&b);
        const audit_head *f = b.a.heads;
        const content *made = &b.a.channels[BENCH_FREE];
        CHECK(!why && f->weight == x->weight && f->letter_weight == x->letters && f->edge_weight == x->edges &&
                  f->grid == x->grid && made->not_negative == x->not_negative && made->weight == x->weight &&
                  made->mask == TEMPER_MASK_UP_TO,
              "%s%s: W = %a, W_l = %a, W_e = %a, grid %d%s", x->values, why ? why : "", f->weight, f->letter_weight,
              f->edge_weight, f->grid, made->not_negative ? ", not negative" : "");
    }
    bench_free(&b);
}

/* ---- rows ---- */

/* As many query rows as a head may have, and one more. */
static void check_rows(size_t rows, const char *query, const char *first, const char *others, const char *words) {
    char layer[2000] = "head \"x\" role nearest mask j<i choice softmax for average";
    if (strstr(first, "15")) strcat(layer, " scale \"8*N\"");
    strcat(layer, "\n");
    for (size_t k = 0; k < rows; k++) strcat(layer, query);
    strcat(layer, first);
    for (size_t k = 1; k < rows; k++) strcat(layer, others);
    strcat(layer, "  value 0:1\n  output 10:1\n");
    audit_bench b;
    if (bench_begin(&b, layer, FEATURES, TEMPER_TYPE_F64, 2)) {
        const char *why = bench_heads(&b);
        CHECK(words ? why && strstr(why, words) : !why, "%zu rows: %s", rows, why ? why : "accepted");
    }
    bench_free(&b);
}

/* What is noted for trying lengths: the parts of a score as they are computed. */
static void check_parts(void) {
    const head_case plain = {BEFORE, NULL, Q("16:1") Q("1:2") K("0:1") K("17:0x1p-1") V("0:1"), NULL, NONE, 0, 0};
    const head_case last = {BEFORE, "8*N", ONE K("0:1 15:2") V("0:1"), NULL, NONE, 0, 0};
    const head_case behind = {BEFORE, "8*N", ONE K("9:1 13:1") V("13:1"), NULL, NONE, 0, 0};
    audit_bench b;
    if (begin(&b, &plain)) {
        const char *why = bench_heads(&b);
        const score_part *p = b.a.heads[0].part;
        CHECK(!why && p[0].query_feature == b.model->channels[16].position && p[0].boolean && !p[0].key_feature &&
                  !p[1].query_feature && p[1].query == 2 && !p[1].boolean && p[1].key_weight == 0.5 &&
                  p[1].key_feature == b.model->channels[17].position && p[1].feature_last,
              "parts: %s", why ? why : "");
    }
    bench_free(&b);
    if (begin(&b, &last)) {
        const char *why = bench_heads(&b);
        const score_part *p = b.a.heads[0].part;
        CHECK(why && strstr(why, "the advantage") && p->boolean && p->feature_last && p->key_weight == 2 &&
                  p->key_feature == b.model->channels[15].position,
              "a Boolean and a position: %s", why ? why : "accepted");
    }
    bench_free(&b);
    if (begin(&b, &behind)) {
        b.a.channels[BENCH_INVERSE].feature = b.a.channels[15].feature; /* i/N */
        const char *why = bench_heads(&b);
        const score_part *p = b.a.heads[0].part;
        CHECK(!why && p->boolean && !p->feature_last && p->key_feature == b.model->channels[9].position,
              "a position and a Boolean: %s", why ? why : "");
    }
    bench_free(&b);
}

/* Channel 0 is special in nothing: heads whose rows read it, or do not, while it holds a mean or a total. */
static void check_channel_0(content_kind kind) {
    const head_case x = {BEFORE, "8*N", ONE K("2:1 15:1") V("2:1"), NULL, NONE, KIND_NEAREST, 8};
    audit_bench b;
    if (begin(&b, &x)) {
        b.a.channels[0].kind = kind;
        const char *why = bench_heads(&b);
        CHECK(!why && b.a.heads[0].kind == KIND_NEAREST, "channel 0 is not read: %s", why ? why : "another kind");
    }
    bench_free(&b);
}

/* Outputs: weight 1, to channels that hold nothing. */
static void check_outputs(const char *outputs, const char *words) {
    char layer[400];
    audit_bench b;
    snprintf(layer, sizeof layer, "head \"x\" role nearest mask j<i choice softmax for average scale \"8*N\"\n%s%s",
             ONE K("15:1") V("0:1") V("2:1"), outputs);
    if (bench_begin(&b, layer, FEATURES, TEMPER_TYPE_F64, 2)) {
        const char *why = bench_heads(&b);
        CHECK(words ? why && strstr(why, words) : !why, "%s: %s", outputs, why ? why : "accepted");
        if (!why) {
            meaning *m = &b.a.meaning;
            for (uint32_t k = 0; k < 2; k++)
                CHECK(b.a.channels[BENCH_FREE + k].letters ==
                              meaning_chosen(m, TEMPER_MASK_BEFORE, true, 1,
                                             b.a.channels[k ? BENCH_B : BENCH_A].letters) &&
                          b.a.channels[BENCH_FREE + k].head == 0,
                      "%s: output %u", outputs, k + 1);
        }
    }
    bench_free(&b);
}

int main(void) {
    for (size_t k = 0; k < CASE_COUNT; k++) check_case(&CASES[k]);
    for (size_t k = 0; k < sizeof COUNTS / sizeof *COUNTS; k++) check_count(&COUNTS[k]);
    check_balance(1, 0, false, "counts a sentinel");
    check_balance(0, 1, false, "counts a sentinel");
    check_balance(0, 0, true, "not what its total sums");
    check_leaves("all", 0x1p52, NULL);
    check_leaves("all", -0.5, "not one of whole numbers");
    check_leaves("all", 2, NULL);
    check_leaves(BACK, 2, "that its mask hides");
    check_leaves(BACK, -2, NULL);
    check_leaves("all", 0x1.0000000000001p52, "not one of whole numbers");
    check_leaves("all", 0.5, "not one of whole numbers");
    check_rows(16, "  query 1:1\n", "  key 15:1\n", "  key\n", NULL);
    check_rows(17, "  query 1:1\n", "  key 15:1\n", "  key\n", "more than 16 query rows");
    check_rows(16, "  query 1:1\n", "  key 28:1\n", "  key 28:1\n", "a digit of its positions is missing");
    check_parts();
    check_channel_0(HOLDS_MEAN);
    check_channel_0(HOLDS_COPY);
    check_channel_0(HOLDS_OWN);
    check_outputs("  output 10:1\n  output 11:1\n", NULL);
    check_outputs("  output 10:1\n  output 11:2\n", "a weight that is not 1");
    check_outputs("  output 10:2\n  output 11:1\n", "a weight that is not 1");
    check_outputs("  output 10:1\n  output 10:1\n", "which is not 0 before");
    check_outputs("  output 0:1\n  output 10:1\n", "which is not 0 before");
    return test_finish("t-audit-head");
}
