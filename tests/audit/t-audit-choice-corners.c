/* Prover and auditor on hard choices: models for single conditions of doc/certificate.md, "Errors of sums" to "Errors of
   gates", on either side of each. What random models meet too rarely (t-audit-choice-conditions) stands here, one by
   one; every channel is looked at (choice_twins.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "choice_twins.h"

static char source[RANDOM_MODEL_TEXT];

typedef struct frame {
    const char *channels, *embedding, *body;
    bool end;
} frame;

static bool twice(frame f, size_t n, temper_type type) {
    snprintf(source, sizeof source,
             "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nend %s\nchannel 0 \"one\" position "
             "\"1\"\n%s%slayer "
             "1\n%sread 0:1\n",
             f.end ? "yes" : "no", f.channels, f.embedding, f.body);
    return choice_twins_everywhere(source, n, type, false);
}

#define CHANNELS_4 "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"z\"\nchannel 4 \"w\"\n"
#define NOTHING    "embed start\nembed end\n"

/* ---- nets ---- */

static void check_ramps(void) {
    static const char *const nets[] = {
        "unit -0.5 1:1 -> 3:1\nunit -1.5 1:1 -> 3:-1\n",
        "unit -1.5 1:1 -> 3:-1\nunit -0.5 1:1 -> 3:1\n",
        "unit -1.5 1:1 -> 3:1\nunit -0.5 1:1 -> 3:-1\n",
        "unit -0.5 1:1 -> 3:1\nunit -1.5 2:1 -> 3:-1\n", /* of two rows */
        "unit -0.5 2:1 -> 3:1\nunit -1.5 1:1 -> 3:-1\n",
        "unit -0.5 1:0.5 -> 4:1\nunit -0.5 1:1 -> 3:1\nunit -1.5 1:1 -> 3:-1\n", /* twice the row of the bundle */
        "unit -0.5 1:1 -> 3:1\nunit -1.5 1:2 -> 3:-1\n",
        "unit -1.5 1:1 -> 3:-1\nunit -0.5 1:2 -> 3:1\n",
        "unit -0.5 1:1 -> 3:1\nunit -0.5 1:1 -> 3:-1\n", /* no slope, a steep one */
        "unit -0.5 1:1 -> 3:1\nunit -2.5 1:1 -> 3:-1\n",
        "unit -0.5 1:1 -> 3:1\nunit -1.5 1:1 -> 3:-1\nunit -1 1:1 -> 4:1\n", /* a third one, beside or with it */
        "unit -0.5 1:1 -> 3:1\nunit -1.5 1:1 -> 3:-1\nunit -1 1:1 -> 3:1\n",
        "unit -0.5 1:1 -> 3:1\nunit -1.5 1:1 -> 3:-1\nunit -1 1:1 -> 3:1\nunit -2 2:1 -> 3:1\n",
        "head \"h\" mask j<=i choice average\n value 0:1\n output 3:1\nunit -0.5 1:1 -> 3:1\nunit -1.5 1:1 -> "
        "3:-1\n",
        "head \"h\" mask j<=i choice average\n value 0:1\n output 4:1\nlayer 2\nhead \"h\" mask j<=i choice "
        "average\n value 0:1\n output 3:1\nunit -0.5 1:1 -> 3:1\nunit -1.5 1:1 -> 3:-1\n",
        "head \"h\" mask j<=i choice average\n value 0:1\n output 4:1\nlayer 2\nunit -0.5 1:1 -> 3:1\nunit -1.5 1:1 "
        "-> 3:-1\n",
    };
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++) {
        frame f = {CHANNELS_4, "embed \"a\" 1:2.001 2:0.3\nembed \"b\" 1:0.3 2:2.001\n" NOTHING, nets[k], false};
        twice(f, 1, TEMPER_TYPE_F16);
        f.embedding = "embed \"a\" 1:2.001 3:1\nembed \"b\" 1:0.3\n" NOTHING;
        twice(f, 1, TEMPER_TYPE_BF16);
    }
    for (int sign = -1; sign < 2; sign += 2)
        for (int power = 98; power < 102; power++) { /* their weights are 2^k, |k| < 100 */
            char net[200];
            double w = ldexp(1, sign * power);
            snprintf(net, sizeof net, "unit -0.5 1:1 -> 3:%a\nunit -1.5 1:1 -> 3:%a\n", w, -w);
            frame f = {CHANNELS_4, "embed \"a\" 1:2.001\nembed \"b\" 1:0.3\n" NOTHING, net, false};
            twice(f, 1, TEMPER_TYPE_F32);
            twice(f, 1, TEMPER_TYPE_F64);
        }
    static const double reaches[] = {15.7, 16.3, 31.6, 32.3, 63.7, 64.3, 127.3, 128.1, 255.7, 256.3, 511.7, 512.3};
    for (size_t k = 0; k < sizeof reaches / sizeof *reaches; k++) { /* the row is below 2^(p - 3) */
        char embedding[200];
        snprintf(embedding, sizeof embedding, "embed \"a\" 1:%a\nembed \"b\" 1:-9\nembed start 1:-9\nembed end\n",
                 reaches[k]);
        frame f = {CHANNELS_4, embedding, nets[0], false};
        twice(f, 1, TEMPER_TYPE_F16);
        twice(f, 1, TEMPER_TYPE_BF16);
    }
}

/* On which pieces a bundle's function may be met, and how steep it is there. */
static void check_moves(void) {
    static const char *const nets[] = {
        "unit 0 1:1 -> 3:1\nunit 0 1:-2 -> 3:3\n",
        "unit 0 1:2 -> 3:0.25\nunit 0 1:1 -> 3:8\n", /* half of the bundle's row */
        "unit -100 1:1 -> 3:1\n",
        "unit -100 1:1 -> 3:1\nunit 50 1:-1 -> 3:5\n",
        "unit -100 1:1 -> 3:1\nunit -50 1:-1 -> 3:5\n",
        "unit 100 1:1 -> 3:1\nunit -50 1:1 -> 3:-7\n",
        "unit 0.25 1:1 -> 3:1\nunit 0.25 1:-1 -> 3:5\nunit -0.25 1:4 -> 3:2\n",
        "unit -100 1:-1 -> 3:1\nunit -100 1:1 -> 3:1\nunit 0 1:2 -> 3:1\n",
    };
    for (size_t k = 0; k < sizeof nets / sizeof *nets; k++)
        for (int side = 0; side < 3; side++) {
            static const char *const embeddings[] = {
                "embed \"a\" 1:0.3\nembed \"b\" 1:-0.7\n" NOTHING,
                "embed \"a\" 1:0.3\nembed \"b\" 1:0.7\nembed start 1:0.9\nembed end\n",
                "embed \"a\" 1:-0.3\nembed \"b\" 1:-0.7\nembed start 1:-0.9\nembed "
                "end\n"};
            frame f = {CHANNELS_4, embeddings[side], nets[k], false};
            twice(f, 1, TEMPER_TYPE_F16);
            twice(f, 1, TEMPER_TYPE_BF16);
        }
}

/* Products with a unit's ratio at the least number of the format, and one step below. */
static void check_ratios(void) {
    static const struct {
        temper_type type;
        int least;
    } formats[] = {{TEMPER_TYPE_F16, -24}, {TEMPER_TYPE_E4M3, -9}, {TEMPER_TYPE_E5M2, -16}};
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        for (int power = -2; power < 3; power++)
            for (int half = 0; half < 2; half++) {
                char net[200];
                snprintf(net, sizeof net, "unit 0 1:1 -> 2:1\nunit 0 1:%a -> 3:1\n",
                         ldexp(1, formats[k].least + power));
                frame f = {CHANNELS_4,
                           half ? "embed \"a\" 1:0.5\nembed \"b\"\n" NOTHING
                                : "embed \"a\" 1:1\nembed \"b\"\n" NOTHING,
                           net, false};
                twice(f, 1, formats[k].type);
            }
}

/* Rows with about as many terms as the format allows. */
static void check_terms(void) {
    for (int terms = 1; terms < 13; terms++) {
        char channels[1000], net[400];
        int used = snprintf(channels, sizeof channels, "channel 1 \"x\"\n"),
            put = snprintf(net, sizeof net, "unit 0");
        for (int k = 0; k < terms; k++) {
            used += snprintf(channels + used, sizeof channels - (size_t)used, "channel %d \"c\" position \"0.3\"\n",
                             2 + k);
            put += snprintf(net + put, sizeof net - (size_t)put, " %d:0.3", 2 + k);
        }
        snprintf(net + put, sizeof net - (size_t)put, " -> 1:0.25\n");
        frame f = {channels, "embed \"a\"\nembed \"b\"\n" NOTHING, net, false};
        twice(f, 0, TEMPER_TYPE_E4M3);
        twice(f, 0, TEMPER_TYPE_E5M2);
    }
}

/* ---- heads ---- */

/* Averages over 2^p positions are even; over one more they are not. */
static void check_even(void) {
    static const char *const values[] = {"embed \"a\"\nembed \"b\"\n" NOTHING,
                                         "embed \"a\" 1:1\nembed \"b\"\n" NOTHING};
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 2; k++)
            for (size_t n = 5; n < 18; n++) {
                frame f = {CHANNELS_4, values[k], "head \"h\" mask all choice average\n value 1:1\n output 2:1\n",
                           end};
                if (n >= 14) twice(f, n, TEMPER_TYPE_E4M3);
                if (n <= 9) twice(f, n, TEMPER_TYPE_E5M2);
            }
}

/* Winners whose logits are nearly the same, so that their weights are stored as 1. */
static void check_stored_weights(void) {
    static const temper_type types[] = {TEMPER_TYPE_F16_F32, TEMPER_TYPE_BF16_F32};
    static const double limits[] = {0x1p10, 0x1p13};
    for (size_t k = 0; k < 2; k++)
        for (int step = 0; step < 24; step++) {
            char head[300];
            snprintf(head, sizeof head,
                     "head \"h\" mask all choice softmax for average scale \"%a\"\n query 0:0.75\n query 0:0.75\n "
                     "key 1:1\n "
                     "key 1:0.25\n value 1:1\n output 2:1\n",
                     limits[k] * pow(1.2, -step));
            frame f = {CHANNELS_4, "embed \"a\" 1:1\nembed \"b\"\n" NOTHING, head, false};
            twice(f, 1, types[k]);
        }
}

/* Logits that tie within about 2^-40, beside losers that are not far. */
static void check_near_ties(void) {
    for (int step = 0; step < 40; step++) {
        char head[300];
        snprintf(
            head, sizeof head,
            "head \"h\" mask all choice softmax for average scale \"4\"\n query 0:1\n query 0:0.3\n key 1:1\n key "
            "0:%a\n value 1:1\n output 2:1\n",
            16 * pow(1.15, step));
        frame f = {CHANNELS_4, "embed \"a\" 1:1\nembed \"b\"\n" NOTHING, head, false};
        twice(f, 1, TEMPER_TYPE_F64);
    }
}

/* Adaptive heads whose factor is near the largest number over 4, by the gap or by the scores. */
static void check_adaptive(void) {
    for (int step = 0; step < 24; step++)
        for (int large = 0; large < 2; large++) {
            char head[300];
            snprintf(head, sizeof head,
                     "head \"h\" mask all choice softmax for average adaptive \"%a\"\n query 0:1\n key %s1:1\n value "
                     "1:1\n "
                     "output 2:1\n",
                     (large ? 16000.0 : 40000.0) * pow(1.15, -step), large ? "0:4 " : "");
            frame f = {CHANNELS_4, "embed \"a\" 1:1\nembed \"b\"\n" NOTHING, head, false};
            twice(f, 1, TEMPER_TYPE_F16);
        }
}

/* Tiny queries and large keys: kernels in any order multiply queries by the scale first. */
static void check_tiny_queries(void) {
    static const char *const scales[] = {"1", "0.5", "8"};
    for (int power = 0; power < 40; power += 8)
        for (size_t k = 0; k < 3; k++) {
            char head[300];
            snprintf(
                head, sizeof head,
                "head \"h\" mask all choice softmax for average scale \"%s\"\n query 0:0x1.8p-115\n key 1:%a\n value "
                "1:1\n output 2:1\n",
                scales[k], ldexp(1, power));
            frame f = {CHANNELS_4, "embed \"a\" 1:1\nembed \"b\" 1:0.3\n" NOTHING, head, false};
            twice(f, 1, TEMPER_TYPE_F32);
            twice(f, 1, TEMPER_TYPE_F16_F32);
        }
}

/* ---- tie-breaks ---- */

typedef struct tie_case {
    const char *query, *key;         /* features */
    const char *query_row, *key_row; /* terms */
    const char *embedded;            /* of the letter a */
    const char *choice;
} tie_case;

static void check_ties(void) {
    static const tie_case cases[] = {
        {"1", "i", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i", "4:1", "5:1", "1:1", "leftmost"},
        {"1", "i", "4:0.5", "5:1", "1:1", "leftmost"}, /* the wrong way */
        {"1", "i", "4:-0.5", "5:1", "1:1", "rightmost"},
        {"1", "i", "4:-1", "5:1", "1:1", "leftmost"},
        {"3", "i*0.5", "4:0.25", "5:-1", "1:1", "leftmost"},
        {"0", "i", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "0", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i + 1", "4:1", "5:1", "1:1", "rightmost"},
        {"i", "i", "4:1", "5:1", "1:1", "rightmost"},
        {"N", "i", "4:1", "5:1", "1:1", "rightmost"},
        {"1 + [n = 0]", "i", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i + [n = 1]*i", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i + [n = 2]*[i = 2]", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i + [n = 2]*[i = N - 1]", "4:1", "5:1", "1:1", "rightmost"},
        {"1 + [n = 2]*[i = 2]", "i", "4:1", "5:1", "1:1", "rightmost"},
        {"1 + [i = 0]", "i", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i + [i = 0]", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i + [i = N]", "4:1", "5:1", "1:1", "rightmost"}, /* where no position is */
        {"1 + [i = N]", "i", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i", "4:1", "5:1", "4:1", "rightmost"}, /* in the embedding */
        {"1", "i", "4:1", "5:1", "5:1", "rightmost"},
        {"1", "i", "1:1 4:1", "5:1", "1:1", "rightmost"},
        {"1", "i", "4:1", "1:1 5:1", "1:1", "rightmost"},
        {"0x1p-450", "i*0x1p-450", "4:1", "5:1", "1:1", "rightmost"}, /* products around 2^-900 */
        {"0x1p-450", "i*0x1p-451", "4:1", "5:1", "1:1", "rightmost"},
        {"0x1.8p-451", "i*0x1p-450", "4:1", "5:1", "1:1", "rightmost"},
        {"0x1.8p-450", "i*0x1p-450", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i*0x1p-901", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i*0x1p-900", "4:1", "5:1", "1:1", "rightmost"},
        {"0.1", "i", "4:0.3", "5:1", "1:1", "rightmost"}, /* products that are rounded */
        {"1", "i*0.1", "4:1", "5:0.3", "1:1", "rightmost"},
        {"0.1", "i*0.1", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i*0.1", "4:1", "5:1", "1:1", "rightmost"},
        {"1e300", "i*1e300", "4:1", "5:1", "1:1", "rightmost"},
        {"1.125", "i", "4:1", "5:1", "1:1", "rightmost"}, /* of the format, or not */
        {"1", "i", "4:1.125", "5:1", "1:1", "rightmost"},
        {"1", "i", "4:1", "5:1.125", "1:1", "rightmost"},
        {"1.25", "i", "4:1.25", "5:1", "1:1", "rightmost"},
        {"1", "i*1.25", "4:1", "5:1.25", "1:1", "rightmost"},
        {"1", "i*0x1p-10", "4:1", "5:1", "1:1", "rightmost"},
        {"1", "i*0x1p-9", "4:1", "5:0.5", "1:1", "rightmost"},
    };
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F16, TEMPER_TYPE_E4M3_F32};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int other = 0; other < 2; other++) { /* a second tie-break, which counts if the first is none at all */
            const tie_case *c = &cases[k];
            char channels[400], embedding[100], head[600];
            snprintf(channels, sizeof channels,
                     "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"z\"\nchannel 4 \"q\" position \"%s\"\n"
                     "channel 5 \"k\" soft \"%s\"\nchannel 6 \"j\" soft \"i\"\n",
                     c->query, c->key);
            snprintf(embedding, sizeof embedding, "embed \"a\" %s\nembed \"b\" 1:1\n" NOTHING, c->embedded);
            bool far = strstr(c->query, "p-45") || strstr(c->key, "p-90"); /* brought back by the scale */
            const char *scale = far ? "0x1p+908" : strstr(c->key, "p-") ? "0x1p+12" : "8";
            snprintf(head, sizeof head,
                     "head \"h\" mask all choice softmax for %s scale \"%s\"\n query 1:1\n query %s\n%s key 1:1\n "
                     "key %s\n%s "
                     "value 1:1\n output 2:1\n",
                     c->choice, scale, c->query_row, other ? " query 0:0.5\n" : "", c->key_row,
                     other ? c->choice[0] == 'r' ? " key 6:1\n" : " key 6:-1\n" : "");
            frame f = {channels, embedding, head, k % 2};
            for (size_t t = 0; t < sizeof types / sizeof *types; t++) twice(f, 1 + (k + t) % 2, types[t]);
        }
    for (size_t n = 6; n < 19; n++) /* how far positions are numbers of the format */
        for (int end = 0; end < 2; end++) {
            frame f = {
                "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"k\" soft \"i\"\n",
                "embed \"a\" 1:1\nembed \"b\"\n" NOTHING,
                "head \"h\" mask all choice softmax for rightmost scale \"8\"\n query 0:1\n key 3:1\n value 1:1\n "
                "output 2:1\n",
                end};
            if (n >= 14) twice(f, n, TEMPER_TYPE_E4M3_F32);
            if (n <= 9) twice(f, n, TEMPER_TYPE_E5M2_F32);
        }
}

/* ---- grids ---- */

/* Numbers so small that their grid is just one, or none: 2^-8998 to 2^-9001 after five layers. */
static void check_far_grids(void) {
    for (int last = 998; last < 1002; last++) {
        char channels[300] = "", body[1000] = "";
        for (int k = 1; k < 6; k++) {
            size_t used = strlen(channels), put = strlen(body);
            char layer[20] = "";
            if (k > 1) snprintf(layer, sizeof layer, "layer %d\n", k);
            snprintf(channels + used, sizeof channels - used, "channel %d \"c\"\n", k);
            snprintf(body + put, sizeof body - put,
                     "%shead \"h\" mask all choice leftmost\n value %d:%a\n output %d:%a\n", layer, k - 1,
                     ldexp(1, k < 5 ? -1000 : -500), k, ldexp(1, k < 5 ? -1000 : 500 - last));
        }
        frame f = {channels, "embed \"a\"\nembed \"b\"\n" NOTHING, body, false};
        twice(f, 0, TEMPER_TYPE_F64);
    }
}

int main(void) {
    check_ramps();
    check_moves();
    check_ratios();
    check_terms();
    check_even();
    check_stored_weights();
    check_near_ties();
    check_adaptive();
    check_tiny_queries();
    check_ties();
    check_far_grids();
    return test_finish("t-audit-choice-corners");
}
