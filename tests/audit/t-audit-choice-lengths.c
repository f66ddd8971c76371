/* Prover and auditor on hard choices up to some dozens of letters, where both keep what lengths share and take short
   ways of their own: models of features (feature_model.h) and the gallery, opened such that certificates show what
   both found (choice_twins.h). t-facts-lengths compares the prover's facts with those of each length by itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "choice_twins.h"
#include "feature_model.h"

static size_t test_model(arena *a, test_random *r, size_t n) {
    text t;
    arena_reset(a);
    text_init(&t, a);
    feature_model_text(&t, r);
    return choice_twins_opened(text_string(&t), n, TEMPER_TYPE_F64, false, r);
}

static size_t test_models(test_random *r, size_t models) {
    trap errors;
    arena a;
    temper_error e;
    size_t volatile proved = 0;
    arena_init(&a, &errors);
    if (!trap_set(&errors, &e)) {
        for (size_t k = 0; k < models; k++) proved += test_model(&a, r, k % 8 ? random_below(r, 14) : 40);
        trap_clear(&errors);
    } else {
        CHECK(false, "%s", e.text);
    }
    arena_free(&a);
    return proved;
}

/* A hard model as text, with softmax for every choice. */
static char *softened(const temper_model *hard) {
    static const char *const names[] = {"leftmost", "rightmost", "average"};
    temper_error e;
    char *printed = NULL;
    size_t length = 0;
    if (!CHECK(temper_model_print(&printed, &length, hard, &e) == TEMPER_OK, "%s", e.text)) return NULL;
    char *out = calloc(length + 4096, 1), *to = out;
    for (char *line = strtok(printed, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "digest ", 7) == 0) break;
        char *choice = strncmp(line, "head ", 5) == 0 ? strstr(line, " choice ") : NULL;
        if (strcmp(line, "method hard") == 0) {
            to += sprintf(to, "method temperature\n");
        } else if (choice) {
            size_t k = 0;
            while (k < 2 && strcmp(choice + 8, names[k]) != 0) k++;
            to += sprintf(to, "%.*s choice softmax for %s\n", (int)(choice - line), line, names[k]);
        } else {
            to += sprintf(to, "%s\n", line);
        }
    }
    temper_free(printed);
    return out;
}

/* Every gap and margin up to the longest length, and all ranges at every `step`-th. */
static void test_gallery(test_random *r, size_t longest, size_t step) {
    for (size_t k = 0; k < temper_gallery_count(); k++) {
        temper_gallery_info about;
        temper_model *hard;
        temper_error e;
        if (!CHECK(temper_gallery_about(&about, k, &e) == TEMPER_OK, "%s", e.text)) continue;
        if (!CHECK(temper_gallery_model(&hard, about.name, &e) == TEMPER_OK, "%s", e.text)) continue;
        char *source = softened(hard);
        size_t proved = 0;
        for (size_t n = step; n <= longest && source; n += step)
            proved += choice_twins_opened(source, n, TEMPER_TYPE_F64, false, r);
        CHECK(proved > 0 || !source, "%s: no certificate", about.name);
        free(source);
        temper_model_free(hard);
    }
}

/* Queries change with the length, and keys and values do not: rows are made again from the first, and the sums of
   values with them. */
static void test_sums(test_random *r) {
    static const char *const masks[] = {"j<=i", "j<i", "j>=i", "all"};
    for (size_t k = 0; k < 4; k++) {
        char source[700];
        snprintf(source, sizeof source,
                 "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nchannel 0 \"one\" position \"1\"\n"
                 "channel 1 \"x\"\nchannel 2 \"y\"\nchannel 3 \"n\" position \"N\"\nembed \"a\" 1:1\n"
                 "embed \"b\" 1:0.25\nembed start\nembed end\nlayer 1\n"
                 "head \"h\" mask %s choice softmax for average\n query 3:1\n key 0:1\n value 1:1\n output 2:1\n"
                 "read 0:4 2:1\n",
                 masks[k]);
        for (size_t n = 2; n < 8; n++)
            CHECK(choice_twins_opened(source, n, TEMPER_TYPE_F64, false, r) > 0, "mask %s: no certificate", masks[k]);
    }
}

/* With the argument "gallery": only that, up to 200 letters. */
int main(int argc, char **argv) {
    test_random r = test_seed(4013);
    if (argc > 1 && strcmp(argv[1], "gallery") == 0) {
        test_gallery(&r, 200, 40);
        return test_finish("t-audit-choice-lengths");
    }
    test_gallery(&r, 16, 16);
    test_sums(&r);
    size_t models = 60 + (size_t)(60 * test_effort()), proved = test_models(&r, models);
    CHECK(proved > models / 4, "only %zu certificates of %zu models", proved, models);
    return test_finish("t-audit-choice-lengths");
}
