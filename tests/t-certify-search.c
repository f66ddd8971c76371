/* Where certify finds no proof of a model's hard choices it looks for a string with another answer. What it tells
   is run here: both answers, where they are read, and the words. */
#include <stdio.h>
#include <string.h>

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

int main(void) {
    for (int first = 0; first < 2; first++) {
        check(first, "8", 6, 1, TEMPER_PROVED);
        check(first, "0.25", 6, 1, TEMPER_REFUTED);
        check(first, "0.25", 9, 1, TEMPER_REFUTED);
        check(first, "0.25", 4, 1, TEMPER_REFUTED);
        check(first, "0.25", 6, 0, TEMPER_UNABLE);
        check(first, "0.25", 0, 1, TEMPER_PROVED);
    }
    return test_finish("t-certify-search");
}
