/* Where certify finds no proof of a model's hard choices it looks for a string with another answer. What it tells
   is run here: both answers, where they are read, and the words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "corpus.h"
#include "temper.h"
#include "test.h"

/* The letter next to i is b, by a head that is not sharp: with three letters more beside it the answer is wrong. */
static const char MODEL[] =
    "temper-model 1\nmethod temperature\nsyntax spec\nsource \"\"\nalphabet \"a\" \"b\"\ntokens no\nat %s\nempty "
    "reject\n"
    "end yes\nchannel 0 \"one\" position \"1\"\nchannel 1 \"b\"\nchannel 2 \"real\"\nchannel 3 \"raw\"\nchannel 4 "
    "\"out\"\n"
    "channel 5 \"i/N\" soft \"i/N\"\nembed \"a\" 2:1\nembed \"b\" 1:1 2:1\nembed start\nembed end\nlayer 1\n"
    "head \"x\" role nearest mask %s choice softmax for %s scale \"%s*N\"\n  query 0:1\n  key 5:%s\n  value 1:1\n"
    "  output 3:1\nunit -2.5 2:2 3:2 -> 4:1\nunit -3.5 2:2 3:2 -> 4:-1\nread 4:1\n";

static int accepts(const temper_model *m, const uint32_t *letters, size_t n, int hard) {
    temper_run *run = NULL;
    temper_error e;
    temper_run_options o = {.hard = hard, .unchecked = 1, .threads = 1};
    int accept = -1;
    if (CHECK(temper_model_run(&run, m, letters, n, &o, &e) == TEMPER_OK, "%s", e.text))
        accept = temper_run_about(run).accept;
    temper_run_free(run);
    return accept;
}

static void check(int first, const char *sharp, size_t length, int search, temper_verdict expected) {
    char written[2000], words[200];
    temper_model *m = NULL;
    temper_certificate *c = NULL;
    temper_error e;
    temper_certify_options o = {.length = length, .search = search};
    snprintf(written, sizeof written, MODEL, first ? "first" : "last", first ? "j>i" : "j<i",
             first ? "leftmost" : "rightmost", sharp, first ? "-1" : "1");
    if (!CHECK(temper_model_read(&m, written, strlen(written), &e) == TEMPER_OK, "%s", e.text)) return;
    if (CHECK(temper_certify(&c, m, NULL, 0, &o, &e) == TEMPER_OK, "%s", e.text)) {
        temper_certificate_info about = temper_certificate_about(c);
        temper_certified_head head = {0};
        CHECK(about.verdict == expected, "at %s, %s*N, length %zu: verdict %d, %s", first ? "first" : "last", sharp,
              length, (int)about.verdict, about.reason);
        if (about.verdict == TEMPER_REFUTED) {
            int soft = accepts(m, about.fault.letters, about.fault.n, 0),
                hard = accepts(m, about.fault.letters, about.fault.n, 1);
            CHECK(soft >= 0 && soft != hard, "both answers are %d", soft);
            CHECK(about.fault.n <= length && about.fault.length == about.fault.n &&
                      about.fault.position == (first ? 1 : about.fault.n) && about.fault.output == 0,
                  "a string of %zu letters, at %zu", about.fault.n, about.fault.position);
            snprintf(words, sizeof words, "a string of length %zu is %s in f64, but %s by the model's hard choices",
                     about.fault.n, soft ? "accepted" : "rejected", hard ? "accepted" : "rejected");
            CHECK(strcmp(about.reason, words) == 0, "%s, not %s", about.reason, words);
        }
        if (about.verdict == TEMPER_PROVED)
            CHECK(about.heads == 1 && temper_certificate_head(&head, c, 0, &e) == TEMPER_OK && head.layer == 1 &&
                      head.head == 1 && strcmp(head.label, "x") == 0 && *about.error && *about.allowed &&
                      !*about.reason && about.claim == TEMPER_CLAIM_CHOICES,
                  "what is proved: %s, %zu heads", about.error, about.heads);
        else
            CHECK(about.heads == 0 && *about.reason && about.claim == TEMPER_CLAIM_NONE && !about.every_position,
                  "%s", about.reason);
        CHECK(temper_certificate_head(&head, c, about.heads, &e) == TEMPER_RANGE, "no head beyond the last");
    }
    temper_certificate_free(c);
    temper_model_free(m);
}

/* ---- the first string, and where ---- */

/* A head that is not sharp, and 1 on a sentinel that its hard choice never is: looking back at itself and what came
   before it is wrong on a alone and in the row of the end, but not in that of the start. Looking ahead at what comes
   after it is wrong before the first letter of a, and right in the row of the last letter. */
static const char EDGE[] =
    "temper-model 1\nmethod temperature\nsyntax spec\nsource \"\"\nalphabet \"a\" \"b\"\ntokens no\nat %s\nempty "
    "reject\n"
    "end yes\nchannel 0 \"one\" position \"1\"\nchannel 1 \"value\"\nchannel 2 \"real\"\nchannel 3 \"raw\"\nchannel "
    "4 \"out\"\n"
    "channel 5 \"i/N\" soft \"i/N\"\nembed \"a\" 2:1\nembed \"b\" 1:1 2:1\nembed start%s\nembed end%s\nlayer 1\n"
    "head \"x\" role nearest mask %s choice softmax for %s scale \"0.25*N\"\n  query 0:1\n  key 5:%s\n  value 1:1\n"
    "  output 3:1\nunit -0.3125 3:2 -> 4:1\nunit -1.3125 3:2 -> 4:-1\nread 4:%s\n";

static void check_edge(bool ahead, bool first, const char *weight, temper_verdict expected) {
    char written[2000];
    temper_model *m = NULL;
    temper_certificate *c = NULL;
    temper_error e;
    temper_certify_options o = {.length = 4, .search = 1};
    snprintf(written, sizeof written, EDGE, first ? "first" : "last", ahead ? "" : " 1:1", ahead ? " 1:1" : "",
             ahead ? "j>i" : "j<=i", ahead ? "leftmost" : "rightmost", ahead ? "-1" : "1", weight);
    if (!CHECK(temper_model_read(&m, written, strlen(written), &e) == TEMPER_OK, "%s\n%s", e.text, written)) return;
    if (CHECK(temper_certify(&c, m, NULL, 0, &o, &e) == TEMPER_OK, "%s", e.text)) {
        temper_certificate_info about = temper_certificate_about(c);
        CHECK(about.verdict == expected, "%s: verdict %d, %s", written, (int)about.verdict, about.reason);
        if (about.verdict == TEMPER_REFUTED)
            CHECK(about.fault.n == 1 && about.fault.letters[0] == 0 && about.fault.position == 1 &&
                      strstr(about.reason, "a string of length 1 is accepted"),
                  "%s: %zu letters, position %zu, %s", written, about.fault.n, about.fault.position, about.reason);
    }
    temper_certificate_free(c);
    temper_model_free(m);
}

/* ---- several outputs ---- */

typedef struct difference {
    bool found;
    size_t position, output;
    bool soft;
} difference;

/* The first answer of a string that differs. */
static difference find_difference(const temper_model *m, const uint32_t *letters, size_t n, temper_type type) {
    temper_run *soft = NULL, *hard = NULL;
    temper_error e;
    temper_run_options o = {.unchecked = 1, .threads = 1, .type = type}, x = {.hard = 1, .type = TEMPER_TYPE_EXACT};
    difference d = {0};
    if (CHECK(temper_model_run(&soft, m, letters, n, &o, &e) == TEMPER_OK &&
                  temper_model_run(&hard, m, letters, n, &x, &e) == TEMPER_OK,
              "%s", e.text))
        for (size_t i = 0; i <= n && !d.found; i++)
            for (size_t k = 0; k < 2 && !d.found; k++)
                if (temper_run_output(soft, k)[i] != temper_run_output(hard, k)[i])
                    d = (difference){true, i, k, temper_run_output(soft, k)[i]};
    temper_run_free(soft);
    temper_run_free(hard);
    return d;
}

/* The second output looks ahead and is wrong in a short format; the model has no source. No short string is wrong
   before it. */
static void check_several(void) {
    static const char source[] = "alphabet a b c\ntransduce\nemit 'x' = a\nemit 'y' = a U b\n";
    temper_spec *spec = NULL;
    temper_model *m = NULL, *bare = NULL;
    temper_certificate *c = NULL;
    temper_error e;
    temper_build_options b = {.method = TEMPER_METHOD_TEMPERATURE};
    temper_certify_options o = {.length = 20, .type = TEMPER_TYPE_E4M3, .search = 1};
    bytes printed = {0};
    if (CHECK(temper_spec_parse(&spec, source, strlen(source), NULL, &e) == TEMPER_OK &&
                  temper_build(&m, spec, &b, &e) == TEMPER_OK &&
                  temper_model_print(&printed.data, &printed.length, m, &e) == TEMPER_OK,
              "%s", e.text)) {
        bytes file = copy_of(&printed, 0);
        char *at = strstr(file.data, "\nsource "), *digest;
        splice(&file, (size_t)(at - file.data), (size_t)(strchr(at + 1, '\n') - at), "");
        digest = strstr(file.data, "\ndigest ") + 1;
        splice(&file, (size_t)(digest - file.data), file.length - (size_t)(digest - file.data), "");
        if (CHECK(temper_model_read(&bare, file.data, file.length, &e) == TEMPER_OK &&
                      temper_certify(&c, bare, NULL, 0, &o, &e) == TEMPER_OK,
                  "%s", e.text)) {
            temper_certificate_info about = temper_certificate_about(c);
            char words[300];
            if (CHECK(about.verdict == TEMPER_REFUTED && about.fault.n <= 20, "verdict %d, %s", (int)about.verdict,
                      about.reason)) {
                difference d = find_difference(bare, about.fault.letters, about.fault.n, o.type);
                CHECK(d.found && d.position == about.fault.position && d.output == 1 && about.fault.output == 1,
                      "position %zu of %zu letters", about.fault.position, about.fault.n);
                snprintf(
                    words, sizeof words,
                    "after %zu letters of a string of length %zu output 2 ('y') %s in e4m3, but %s by the model's "
                    "hard choices",
                    d.position, about.fault.n, d.soft ? "holds" : "does not hold", d.soft ? "does not" : "it does");
                CHECK(strcmp(about.reason, words) == 0, "%s, not %s", about.reason, words);
                for (size_t n = 0; n < about.fault.n && n < 6; n++) {
                    uint32_t word[8] = {0};
                    do CHECK(!find_difference(bare, word, n, o.type).found, "a shorter string, of %zu letters", n);
                    while (corpus_next_word(word, n, 3));
                }
            }
        }
        free(file.data);
    }
    temper_certificate_free(c);
    temper_model_free(bare);
    temper_model_free(m);
    temper_spec_free(spec);
    temper_free(printed.data);
}

int main(void) {
    for (int first = 0; first < 2; first++) {
        check_edge(false, first, "1", TEMPER_REFUTED);
    }
    for (int first = 0; first < 2; first++) {
        check(first, "8", 6, 1, TEMPER_PROVED);
        check(first, "0.25", 6, 1, TEMPER_REFUTED);
        check(first, "0.25", 9, 1, TEMPER_REFUTED);
        check(first, "0.25", 4, 1, TEMPER_REFUTED);
        check(first, "0.25", 6, 0, TEMPER_UNABLE);
        check(first, "0.25", 0, 1, TEMPER_PROVED);
    }
    static const char *const weights[] = {"1", "0.75", "0.625", "0.5", "0.375"}; /* both answers are right */
    for (int k = 0; k < 5; k++) check_edge(true, false, weights[k], TEMPER_UNABLE);
    check_several();
    return test_finish("t-certify-search");
}
