/* Heads whose keys move with the length by a share of the position, such as i/(2N), are kept as integers
   (src/facts/drift.h): what is found so from length to length is what a run finds that begins at the length and
   looks at every set, bit for bit. Models of the gallery, edited: other shares, weights, masks and letters, so that
   the short way begins, ends and is taken up again. (t-facts-lengths compares the gallery with the long way.) An
   argument is the longest length. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/set_run.h"
#include "facts_equal.h"
#include "random_model.h"

enum { ROOM = 1 << 14 };

static size_t compared, by_lines;

static bool same_as_alone(const char *source, const subject_model *s, const facts *found, arena *one) {
    arena work;
    arena_init(&work, one->trap);
    facts_run *alone = facts_run_begin(s, found->n, &work);
    bool same = facts_are_equal(source, s, found, facts_run_next(alone, one));
    arena_free(&work);
    compared++;
    return same;
}

static void compare(const char *source, const temper_model *m, size_t first, size_t longest, size_t from) {
    trap t;
    arena keep, one;
    temper_error e;
    arena_init(&keep, &t);
    arena_init(&one, &t);
    if (trap_set(&t, &e)) {
        CHECK(e.code == TEMPER_LIMIT, "%s\n%s", e.text, source);
    } else {
        subject_model s;
        bool same = true;
        subject_model_init(&s, m, &keep);
        facts_run *run = facts_run_begin(&s, first, &keep);
        for (size_t n = first; n <= longest && same; n++) {
            arena_reset(&one);
            const facts *found = facts_run_next(run, &one);
            if (n >= from) same = same_as_alone(source, &s, found, &one);
        }
        by_lines += run->drift_heads;
        trap_clear(&t);
    }
    arena_free(&one);
    arena_free(&keep);
}

/* ---- edits ---- */

static void replace(char *model, const char *old, const char *new, size_t which) {
    char *at = model, rest[ROOM];
    for (size_t k = 0; at && k <= which; k++) at = strstr(k ? at + 1 : at, old);
    if (!at || strlen(model) + strlen(new) >= ROOM) return;
    strcpy(rest, at + strlen(old));
    strcpy(at, new);
    strcat(model, rest);
}

static const char *pick(test_random *r, const char *const *from) {
    size_t count = 0;
    while (from[count]) count++;
    return from[random_below(r, count)];
}

static void edit(char *model, test_random *r) {
    static const char *const shares[] = {
        "i/(2*N)", "i/N",          "(2*i + 1)/(3*N)", "(0 - i)/(2*N)", "i/(4*n + 2)", "i*i/(N*N)", "(i % 8)/(2*N)",
        "i/(N*N)", "3*i/(N + 50)", "i/(64 + n % 2)",  "(N - i)/(2*N)", "i/(N/2)",     NULL};
    static const char *const weights[] = {"key 4:1 ", "key 4:2 ",      "key 4:-1 ", "key 4:0x1p-1 ",
                                          "key 4:4 ", "key 4:0x1p-9 ", NULL};
    static const char *const starts[] = {"embed start 1:1", "embed start 1:1 4:1", "embed start 1:1 4:0x1p-2", NULL};
    static const char *const queries[] = {"query 0:1\n  key 4", "query 0:2\n  key 4",     "query 0:-1\n  key 4",
                                          "query 1:1\n  key 4", "query 0:1 5:1\n  key 4", NULL};
    replace(model, "i/(2*N)", pick(r, shares), 0);
    if (random_below(r, 2)) replace(model, "key 4:1 ", pick(r, weights), random_below(r, 2));
    if (random_below(r, 4) == 0) replace(model, "embed start 1:1", pick(r, starts), 0);
    if (random_below(r, 3) == 0) replace(model, "query 0:1\n  key 4", pick(r, queries), 0);
    if (random_below(r, 4) == 0) replace(model, "j<=i", "j<i", 2 + random_below(r, 3));
    if (random_below(r, 4) == 0) replace(model, "choice average", "choice leftmost", 2 + random_below(r, 3));
    if (random_below(r, 4) == 0) replace(model, "embed \"(\" 5:1", "embed \"(\" 4:0x1p-3 5:1", 0);
    if (random_below(r, 6) == 0) replace(model, "key 4:1 5:1 7:1", "key 4:1 5:1 7:2", 0);
    if (random_below(r, 6) == 0) replace(model, "key 14:2", "key 14:3", 0);
}

/* The model, without its digest and what it says of its source, which edits make wrong. */
static bool gallery_text(char *model, const char *name) {
    temper_model *hard;
    temper_error e;
    char *printed = NULL;
    size_t length = 0;
    if (!CHECK(temper_gallery_model(&hard, name, &e) == TEMPER_OK, "%s", e.text)) return false;
    bool done = CHECK(temper_model_print(&printed, &length, hard, &e) == TEMPER_OK && length < ROOM, "%s", name);
    if (done) {
        memcpy(model, printed, length);
        model[length] = 0;
        char *digest = strstr(model, "\ndigest ");
        if (digest) digest[1] = 0;
        char *source = strstr(model, "source \""), *end = source ? strchr(source, '\n') : NULL;
        if (end) memmove(source, end + 1, strlen(end + 1) + 1);
    }
    temper_free(printed);
    temper_model_free(hard);
    return done;
}

/* All keys are numbers, with a common unit that is too small at even lengths only: at odd ones every value of the
   query is tried (rule 3 of doc/certificate.md, "Facts about the hard model"). */
static const char numbers[] = "temper-model 1\nmethod hard\nalphabet \"a\" \"b\"\n"
                              "channel 0 \"\"\nchannel 1 \"\" position \"1\"\nchannel 2 \"\" position \"1 + i % 2\"\n"
                              "channel 3 \"\" position \"(3*i)/(1 + [n % 2 = 0]*1073741823)\"\nchannel 4 \"\"\n"
                              "embed \"a\" 0:1\nembed \"b\"\nembed start\nembed end\n"
                              "layer 1\nhead \"\" mask j<=i choice rightmost\n  query 1:1\n  query 0:1\n"
                              "  key 3:1\n  key 2:1048576\n  value 0:1\n  output 4:1\nread 4:1\n";

static void check_numbers(void) {
    temper_model *m = model_from(numbers);
    size_t before = compared;
    if (m) compare(numbers, m, 60, 70, 64);
    CHECK(compared - before == 7, "only %zu of 7 lengths are compared", compared - before);
    temper_model_free(m);
}

int main(int argc, char **argv) {
    static const char *const names[] = {"dyck-1", "shuffle-dyck-2", "dyck-2", "sort"};
    static char model[ROOM];
    test_random r = test_seed(2064);
    size_t models = (size_t)(10 * test_effort());
    size_t longest = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 84;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        temper_model *m = gallery_text(model, names[k]) ? model_from(model) : NULL;
        size_t before = by_lines;
        if (m) compare(model, m, 0, longest, 64);
        CHECK(k == 3 || by_lines - before > 10, "%s: only %zu heads and lengths by lines", names[k],
              by_lines - before);
        temper_model_free(m);
    }
    for (size_t k = 0; k < models; k++) {
        if (!gallery_text(model, names[random_below(&r, 4)])) continue;
        edit(model, &r);
        temper_model *m = model_from(model);
        if (m) compare(model, m, random_below(&r, 3) ? 50 : 60 + random_below(&r, 9), longest, 64);
        temper_model_free(m);
    }
    check_numbers();
    printf("%zu lengths, %zu heads of them by lines\n", compared, by_lines);
    return test_finish("t-facts-drift");
}
