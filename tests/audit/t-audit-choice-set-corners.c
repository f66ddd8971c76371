/* Prover and auditor on hard choices: models for single rules of doc/certificate.md, "Facts about the hard model", up to
   the limits of each. What random models meet too rarely (t-audit-choice-sets) stands here, one by one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice_twins.h"

typedef struct frame {
    const char *channels, *embedding, *body, *at;
    bool end;
} frame;

/* Three letters; the read-out is that of the body. */
static void write_model(char out[RANDOM_MODEL_TEXT], frame f) {
    snprintf(
        out, RANDOM_MODEL_TEXT,
        "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\" \"c\"\nat %s\nend %s\nchannel 0 \"one\" position "
        "\"1\"\n%s%slayer 1\n%s",
        f.at ? f.at : "last", f.end ? "yes" : "no", f.channels, f.embedding, f.body);
}

/* Facts show in the certificate, whatever is read. */
static void facts_twice(frame f, size_t n, bool strings) {
    static char source[RANDOM_MODEL_TEXT], opened[RANDOM_MODEL_TEXT];
    write_model(source, f);
    choice_opened(opened, source, 1, 0);
    CHECK(choice_twins(opened, n, TEMPER_TYPE_F64, strings, NULL, NULL), "not proved:\n%s", opened);
}

#define NOTHING "embed start\nembed end\n"

/* ---- rule 3 ---- */

static void check_whole_numbers(void) {
    static const char *const heads[] = {
        " query 1:1\n query 0:1\n key 3:1\n key 0:1\n",
        " query 1:0x1p41\n query 0:0x1p41\n key 3:1\n key 0:1\n", /* in units of their gcd */
        " query 1:1\n query 0:1\n key 3:0x1p41\n key 0:0x1p41\n",
        " query 1:0x1p-3\n query 0:0x1p-3\n key 3:0x1p-5\n key 0:0x1p-5\n",
        " query 1:1\n query 0:0x1p40\n query 0:1\n key 3:1\n key 0:0x1.fffff8p+21\n key 0:0x1.fffffffff6p+39\n",
        " query 1:1\n query 0:0x1p40\n query 0:1\n key 3:1\n key 0:0x1.fffff8p+21\n key 0:0x1.fffffffff4p+39\n",
        " query 1:1\n query 0:0x1p40\n query 0:1\n key 3:1\n key 0:0x1.fffff8p+21\n key 0:0x1.fffffffff2p+39\n",
        " query 1:1\n query 0:0x1p40\n query 0:0x1p40\n key 3:1\n key 0:0x1.fffff8p+21\n key 4:1\n", /* keys that are 0 */
        " query 0:0x1p40\n query 0:0x1p40\n query 1:1\n key 4:1\n key 0:0x1.fffff8p+21\n key 3:1\n",
    };
    frame f = {"channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"k\" position \"2 + i % 2\"\nchannel 4 \"z\"\n",
               "embed \"a\" 1:1\nembed \"b\" 1:2\nembed \"c\" 1:2\nembed start 1:1\nembed end 1:2\n", NULL, NULL,
               false};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        char body[1000];
        snprintf(body, sizeof body, "head \"h\" mask all choice average\n%s value 3:1\n output 2:1\nread 0:1\n",
                 heads[k]);
        f.body = body;
        facts_twice(f, 2, false);
        snprintf(body, sizeof body,
                 "head \"g\" mask all choice average\n query 0:1\n query 1:1\n key 0:0x1p40\n key 3:1\n value 3:1\n "
                 "output 2:1\n"
                 "head \"h\" mask all choice average\n%s value 3:1\n output 2:1\nread 0:1\n",
                 heads[k]); /* after one with large keys */
        facts_twice(f, 1, false);
        snprintf(body, sizeof body,
                 "head \"g\" mask all choice average\n query 0:1\n query 1:1\n key 0:0x1p40\n key 3:1\n value 3:1\n "
                 "output 2:1\n"
                 "head \"h\" mask all choice average\n query 0:0x1p40\n query 1:1\n key 0:1\n key 3:1\n value 3:1\n "
                 "output 2:1\n"
                 "read 0:1\n");
        facts_twice(f, 1, false);
    }
}

/* ---- rules 4 and 5 ---- */

static const char *const MASKS[] = {"all", "j<i", "j<=i", "j>i", "j>=i"};

/* Keys that are sets: differences of one dimension, and of two. */
static void check_gaps(void) {
    static const char *const features[] = {"i", "2*i", "i*i", "7*i", "3", "8*i"};
    static const char *const rows[] = {" query 0:1\n key 1:1 3:1\n", " query 0:3\n key 1:2 3:4\n",
                                       " query 0:1\n query 0:3\n key 1:1\n key 1:2 3:1\n",
                                       " query 0:1\n query 0:1\n key 1:6\n key 3:4\n",
                                       " query 0:1\n query 0:1\n key 3:4\n key 1:6\n"};
    static const char *const embeddings[] = {
        "embed \"a\"\nembed \"b\" 1:5\nembed \"c\" 1:5\n" NOTHING,
        "embed \"a\" 1:4\nembed \"b\" 1:8\nembed \"c\" 1:4\nembed start 1:4\nembed end\n",
        "embed \"a\" 1:1\nembed \"b\" 1:12\nembed \"c\" 1:23\n" NOTHING};
    for (size_t k = 0; k < 6; k++)
        for (size_t r = 0; r < 5; r++)
            for (size_t e = 0; e < 3; e++) {
                char channels[200], body[400];
                snprintf(channels, sizeof channels,
                         "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"f\" position \"%s\"\n", features[k]);
                snprintf(body, sizeof body, "head \"h\" mask %s choice %s\n%s value 1:1\n output 2:1\nread 0:1\n",
                         MASKS[(k + r + e) % 5], (k + e) % 2 ? "average" : "rightmost", rows[r]);
                frame f = {channels, embeddings[e], body, NULL, r % 2};
                facts_twice(f, 4, false);
            }
}

/* Up to 32 keys are looked at in pairs; of more keys a gap is what all differences are multiples of. */
static void check_many_keys(void) {
    static const char *const keys[] = {" key 1:4\n key 3:10\n", " key 3:10\n key 1:4\n"};
    for (size_t n = 31; n < 33; n++)
        for (int k = 0; k < 2; k++) {
            char body[300];
            snprintf(body, sizeof body,
                     "head \"h\" mask j<=i choice rightmost\n query 0:1\n query 0:1\n%s value 1:1\n output 2:1\nread "
                     "0:1\n",
                     keys[k]);
            frame f = {"channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"i\" position \"i\"\n",
                       "embed \"a\"\nembed \"b\" 1:1\nembed \"c\" 1:1\n" NOTHING, body, NULL, false};
            facts_twice(f, n, false);
            /* the last key alone is not 4 times a whole number away, in the second dimension or in the first */
            f.channels = "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"i\" position \"(4*i + [i = 36])/10\"\n";
            if (n == 32) facts_twice(f, 36, false);
        }
}

/* Values that are the keys, or nearly so: then a mean of equal keys is one of them. */
static void check_ties(void) {
    static const char *const keys[] = {"1:1 3:1", "1:1", "1:1 3:1 4:1"};
    static const char *const values[] = {"1:1 3:1",     "1:1 3:2",     "1:2 3:1",     "1:1 4:1",
                                         "3:1 4:1",     "1:3",         "3:1",         "1:1",
                                         "1:1 3:1 4:1", "1:1 3:1 4:2", "1:2 3:1 4:1", "0:1 3:1 4:1"};
    static const char *const queries[] = {"0:1", "1:1", "0:1 1:1"};
    for (size_t k = 0; k < 3; k++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            for (size_t q = 0; q < 3; q++) {
                char body[400];
                snprintf(body, sizeof body,
                         "head \"h\" mask j<=i choice %s\n query %s\n key %s\n value %s\n output 2:1\nread 0:1\n",
                         (k + v + q) % 7 ? "average" : "leftmost", queries[q], keys[k], values[v]);
                frame f = {"channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"f\" position \"i % 2\"\nchannel 4 \"g\" "
                           "position \"3\"\n",
                           "embed \"a\"\nembed \"b\" 1:1\nembed \"c\" 1:2\n" NOTHING, body, NULL, false};
                facts_twice(f, 2, false);
            }
}

/* Groups of keys that may tie, in an order that must be sorted. Seventeen dimensions are too many for rule 3; sixteen
   are not. */
static void check_groups(void) {
    static const char *const features[] = {"3 - i % 2",       "2 + i % 2", "3",
                                           "2 + (i + 1) % 3", "4 - i % 3", "3 + i % 4 % 3"};
    for (size_t k = 0; k < sizeof features / sizeof *features; k++)
        for (size_t n = 2; n < 6; n++) {
            char channels[200], body[2000] = "";
            snprintf(channels, sizeof channels,
                     "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"f\" position \"%s\"\n"
                     "channel 4 \"i\" position \"%s\"\nchannel 5 \"z\"\n",
                     features[k], n % 2 ? "i % 2" : "i");
            snprintf(body, sizeof body, "head \"h\" mask %s choice %s\n", MASKS[(k + n) % 3 == 0 ? 2 : 0],
                     n % 2 ? "average" : "leftmost");
            int others = k == 0 ? 13 + (int)n : 16;
            for (int d = 0; d < others; d++) strcat(body, " query 0:1\n");
            strcat(body, " query 1:1\n");
            for (int d = 0; d < others; d++) strcat(body, " key 0:1\n");
            strcat(body, " key 3:1\n value 4:1\n output 2:1\n");
            strcat(body, "layer 2\nhead \"h\" mask j<=i choice average\n query 0:1\n key 2:1\n value 2:1\n output "
                         "5:1\nread 0:1\n");
            frame f = {channels, "embed \"a\" 1:1\nembed \"b\" 1:3\nembed \"c\" 1:5\nembed start 1:1\nembed end\n",
                       body, NULL, false};
            facts_twice(f, n, false);
        }
}

/* ---- rule 7 ---- */

static void check_nets(void) {
    static const struct {
        double from, step, count;
    } ranges[] = {{0, 1, 4096},  {0, 1, 4097},      {-12, 4, 5000},   {4, 4, 4500},
                  {-3, 1, 4096}, {-20000, 4, 5001}, {-19996, 4, 5000}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        double lo = ranges[k].from, step = ranges[k].step, hi = lo + step * (ranges[k].count - 1),
               c = lo + 7.5 * step;
        char embedding[300], nets[14][300];
        const double letters[] = {lo, lo + step, hi};
        for (size_t t = 0, used = 0; t < 3; t++) {
            char term[40] = "";
            if (letters[t] != 0) snprintf(term, sizeof term, " 1:%a", letters[t]);
            used += (size_t)snprintf(embedding + used, sizeof embedding - used, "embed \"%c\"%s\n%s", (int)('a' + t),
                                     term, t == 2 ? NOTHING : "");
        }
        snprintf(nets[0], 300, "unit %a 1:1 -> 3:1\n", -hi);
        snprintf(nets[1], 300, "unit %a 1:1 -> 3:1\n", -lo);
        snprintf(nets[2], 300, "unit %a 1:-1 -> 3:1\n", hi);
        snprintf(nets[3], 300, "unit %a 1:-1 -> 3:1\n", lo);
        snprintf(nets[4], 300, "unit %a 1:1 -> 3:1\nunit %a 1:-1 -> 3:1\n", -c, c);   /* a valley */
        snprintf(nets[5], 300, "unit %a 1:1 -> 3:1\nunit %a 1:1 -> 3:-2\n", -lo, -c); /* a hill */
        snprintf(nets[6], 300, "unit %a 1:1 -> 3:1\nunit %a 1:1 -> 3:-2\nunit %a 1:1 -> 3:1\n", -c, -(c + 8),
                 -(c + 16));
        snprintf(nets[7], 300, "unit %a 1:1 -> 0:0x1p-30 3:1\nunit %a 1:-2 -> 0:0x1p-30\n", -c, c);
        snprintf(nets[8], 300, "unit %a 1:1 -> 3:4\nunit 0 1:1 4:1 -> 0:0x1p-30\n", -(lo + 2 * step));
        snprintf(nets[9], 300, "unit %a 1:1 -> 3:1\nunit %a 1:1 -> 2:1\n", -(hi + 1), 1 - lo);
        snprintf(nets[10], 300, "unit %a 1:-1 -> 3:1\nunit %a 1:-4 -> 2:1\n", hi + 8, 4 * (lo - 8));
        snprintf(nets[11], 300, "unit %a 1:1 -> 3:1\nunit %a 1:1 -> 3:-1\n", -(lo + step), -(hi - step));
        snprintf(nets[12], 300, "unit 1 1:1 -> 0:0x1p-30 3:1\n");
        snprintf(nets[13], 300, "unit %a 1:1 -> 2:1\nunit %a 1:-1 -> 3:1\n", -c, lo); /* 0 at lo, and nowhere more */
        for (size_t j = 0; j < 14; j++) {
            char body[5000];
            snprintf(body, sizeof body, "%slayer 2\nunit 1 3:1 -> 4:1\nunit 0 3:-1 -> 4:1\nread 0:1\n", nets[j]);
            frame f = {"channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"z\"\nchannel 4 \"w\"\n", embedding, body, NULL,
                       false};
            if (ranges[k].count < 4500 ? j % 3 == k % 3 : true) facts_twice(f, 1, false);
        }
    }
}

/* Ends that are no members: a corner between them. Margins tell {7.75 + k/2} from {k/4}. */
static void check_ends_between(void) {
    static const char *const units[] = {"unit 7.75 2:-1 -> 3:1\n", "unit -7.75 2:1 -> 3:1\n", "unit 8 2:-1 -> 3:1\n",
                                        "unit -7.75 2:1 -> 3:1\nunit 7.75 2:-1 -> 3:1\n"};
    static char source[RANDOM_MODEL_TEXT];
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        for (int read = 0; read < 2; read++) {
            char body[400];
            snprintf(body, sizeof body, "unit -2.5 1:1 -> 2:1\nunit -10.25 1:1 -> 2:-2\nlayer 2\n%sread %s3:1\n",
                     units[k], read ? "0:0.25 " : "");
            frame f = {"channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"z\"\n",
                       "embed \"a\"\nembed \"b\" 1:1\nembed \"c\" 1:6000\n" NOTHING, body, NULL, false};
            write_model(source, f);
            choice_twins(source, 1, TEMPER_TYPE_F64, false, NULL, NULL);
        }
}

/* What a bundle adds to channel 0 at one position is not added at the next one: {3 + 4k} and 1, over 4. */
static void check_first_channel(void) {
    static char source[RANDOM_MODEL_TEXT];
    frame f = {"channel 1 \"x\"\nchannel 2 \"y\" position \"100\"\n",
               "embed \"a\" 1:4\nembed \"b\" 1:8\nembed \"c\" 1:20000\n" NOTHING,
               "unit -1 1:1 -> 0:1\nread 0:0.25 2:-1\n", NULL, false};
    write_model(source, f);
    for (size_t n = 0; n < 4; n++)
        CHECK(choice_twins(source, n, TEMPER_TYPE_F64, false, NULL, NULL), "not proved to %zu:\n%s", n, source);
}

/* ---- rule 8, and strings ---- */

/* Answers that are safe at the verdict's position alone. */
static void check_verdicts(void) {
    static char source[RANDOM_MODEL_TEXT];
    for (size_t n = 0; n < 4; n++)
        for (int k = 0; k < 8; k++) {
            bool first = k & 1, end = k & 2, strings = k & 4;
            char channels[200];
            snprintf(channels, sizeof channels, "channel 1 \"v\" position \"%s\"\nchannel 2 \"x\"\n",
                     first ? "[i = 1] + [n = 0]" : "[i = n]");
            frame f = {channels, "embed \"a\" 2:0.25\nembed \"b\"\nembed \"c\" 2:0.125\n" NOTHING,
                       "read 0:0.5 1:0.5\n", first ? "first" : "last", end};
            write_model(source, f);
            CHECK(choice_twins(source, n, TEMPER_TYPE_F64, strings, NULL, NULL), "not proved to %zu:\n%s", n, source);
            f.body = "read 0:0.5 1:0.5 2:-1\n";
            write_model(source, f);
            choice_twins(source, n, TEMPER_TYPE_F64, strings, NULL, NULL);
        }
}

/* 4,096 strings are few, 4,097 are not. */
static void check_number_of_strings(void) {
    for (int letters = 4095; letters < 4097; letters++) {
        size_t size = (size_t)letters * 24 + 400, used = 0;
        char *source = malloc(size);
        if (!source) abort();
        used += (size_t)snprintf(source, size, "temper-model 1\nmethod temperature\nalphabet");
        for (int k = 0; k < letters; k++) { /* U+4E00 on, in UTF-8 */
            int code = 0x4e00 + k;
            used += (size_t)snprintf(source + used, size - used, " \"%c%c%c\"", 0xe0 | code >> 12,
                                     0x80 | (code >> 6 & 0x3f), 0x80 | (code & 0x3f));
        }
        used += (size_t)snprintf(source + used, size - used, "\nchannel 0 \"one\" position \"1\"\n");
        for (int k = 0; k < letters; k++) {
            int code = 0x4e00 + k;
            used += (size_t)snprintf(source + used, size - used, "embed \"%c%c%c\"\n", 0xe0 | code >> 12,
                                     0x80 | (code >> 6 & 0x3f), 0x80 | (code & 0x3f));
        }
        snprintf(source + used, size - used, NOTHING "layer 1\nread 0:1\n");
        CHECK(choice_twins(source, 1, TEMPER_TYPE_F64, true, NULL, NULL) == (letters == 4095), "%d letters", letters);
        CHECK(choice_twins(source, 0, TEMPER_TYPE_F64, true, NULL, NULL), "%d letters and the empty string", letters);
        free(source);
    }
}

int main(void) {
    check_whole_numbers();
    check_gaps();
    check_many_keys();
    check_ties();
    check_groups();
    check_nets();
    check_ends_between();
    check_first_channel();
    check_verdicts();
    check_number_of_strings();
    return test_finish("t-audit-choice-set-corners");
}
