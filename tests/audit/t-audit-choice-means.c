/* Prover and auditor on queries that are means of at most so many values (rule 9 of doc/certificate.md, "Facts about
   the hard model"): one model that the rule is for, and models that differ from it in one thing, so that it is not, or
   that other pairs of keys count. Both write the same certificate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice_twins.h"

/* What may differ; NULL: as below. Channel 1 is the mean of [b] over the letters a and b so far. */
typedef struct changes {
    const char *feature;   /* of channel 1 */
    const char *now;       /* the feature of channel 7 */
    const char *a, *start; /* further weights of tokens */
    const char *before;    /* another head of the first layer */
    const char *mask, *choice, *query, *key, *value, *output;
    const char *unit; /* of the first layer */
    const char *queries, *keys;
} changes;

static const char *or_else(const char *x, const char *y) { return x ? x : y; }

static void write_model(char out[RANDOM_MODEL_TEXT], const changes *c) {
    snprintf(out, RANDOM_MODEL_TEXT,
             "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\" \"c\"\nat last\nend no\n"
             "channel 0 \"one\" position \"1\"\nchannel 1 \"mean\"%s\nchannel 2 \"start\"\nchannel 3 \"a or b\"\n"
             "channel 4 \"b\"\nchannel 5 \"third\" position \"[i = 3]\"\nchannel 6 \"first\" position \"[i = 1]\"\n"
             "channel 7 \"now and then\" position \"%s\"\nchannel 8 \"out\"\n"
             "embed \"a\" %s 3:1\nembed \"b\" 3:1 4:1\nembed \"c\"\nembed start %s 2:1\nembed end\n"
             "layer 1\n%shead \"mean\" mask %s choice %s\n query %s\n key %s\n value %s\n output %s\n%s"
             "layer 2\nhead \"h\" mask j<=i choice leftmost\n%s%s value 6:1\n output 8:1\nread 0:1\n",
             or_else(c->feature, ""), or_else(c->now, "[i = n]"), or_else(c->a, ""), or_else(c->start, ""),
             or_else(c->before, ""), or_else(c->mask, "j<=i"), or_else(c->choice, "average"),
             or_else(c->query, "0:1"), or_else(c->key, "3:1"), or_else(c->value, "4:1"), or_else(c->output, "1:1"),
             or_else(c->unit, ""), or_else(c->queries, " query 1:1\n query 0:1\n"),
             or_else(c->keys, " key 2:1 5:5\n key 5:4\n"));
}

int main(void) {
#define OTHER(output)                                                                                                \
    "head \"other\" mask j<=i choice average\n query 0:1\n key 3:1\n value 4:1\n output " output "\n"
#define NEAR " key 2:1\n key 6:-1\n"
    static const changes all[] = {
        {0},
        {.feature = " position \"1/(i + 3)\""},
        {.a = "1:0x1p-1"},
        {.start = "1:0x1p-1"},
        {.before = OTHER("1:0x1p-1")},
        {.before = OTHER("8:1")},
        {.unit = "unit 0 3:1 -> 1:0x1p-1\n"},
        {.unit = "unit 0 3:1 -> 8:1\n"},
        {.unit = "unit 0 3:1 -> 1:0x1p-1 8:1\n"},
        {.mask = "j<i"},
        {.mask = "all"},
        {.mask = "j>=i"},
        {.mask = "j>i"},
        {.choice = "leftmost"},
        {.output = "1:0x1.8p+0"},
        {.value = "4:3"},
        {.queries = " query 1:1 5:1\n query 0:1\n"},
        {.queries = " query 0:1\n query 1:1\n"},
        {.queries = " query 1:1\n query 1:1\n"},
        {.queries = " query 1:3\n query 0:0x1p-1\n"},
        /* keys that are no numbers, in either dimension */
        {.keys = " key 2:1 4:1\n key 5:4\n"},
        {.keys = " key 2:1\n key 4:1 5:4\n"},
        /* kinds that differ in the first dimension alone, or in the second */
        {.keys = " key 2:1 5:5\n key 0:1\n"},
        {.keys = " key 0:1 5:4\n key 2:1 5:4\n"},
        {.keys = " key 2:1 5:5 6:2\n key 5:4 6:1\n"},
        /* what is never looked at is a value all the same, and is there at some lengths alone */
        {.query = "0:1 3:1", .key = "5:-3", .value = "4:1 7:0x1p-1", .keys = NEAR},
        {.query = "0:1 3:1", .key = "5:-3", .value = "4:1 7:0x1p-1", .keys = NEAR, .now = "[i = 3]*[n <= 3]"},
        {.query = "0:1 3:1", .key = "5:-3", .value = "4:1 7:0x1p-1", .keys = NEAR, .now = "[i = 3]*[4 <= n]"},
    };
    static char source[RANDOM_MODEL_TEXT], opened[RANDOM_MODEL_TEXT];
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (size_t n = 2; n <= 7; n++) {
            write_model(source, &all[k]);
            choice_opened(opened, source, 1, 0);
            CHECK(choice_twins(opened, n, TEMPER_TYPE_F64, false, NULL, NULL), "model %zu is not proved at %zu\n%s",
                  k, n, source);
        }
    return test_finish("t-audit-choice-means");
}
