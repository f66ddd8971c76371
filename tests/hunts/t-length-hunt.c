/* The hunt at lengths that only the short ways of facts reach: models that soften has proved are run in f64 on
   strings of about that length, all plans and kernels as they come, and compared with exact arithmetic (random
   models made of features, random_model) or with the programs of the gallery, which know nothing of transformers.
   Exact arithmetic is that of integer_run, which takes milliseconds at a thousand letters, and on short strings that
   of the library, too; both must agree. `make test` gives it a second; `make length-hunt` (TEMPER_HUNT=full) goes on
   until 10^5 strings of 64 to 300 letters and 10^5 of 400 to 2,000 were run, and has the gallery at 2,000 and 16,384
   letters. TEMPER_HUNT=models, long, gallery or means does one of the parts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "feature_model.h"
#include "integer_run.h"
#include "random_model.h"

enum { BATCH = 40, LONGEST = 16384 };

/* Strings of models that were proved; unfit: exact answers take longer numbers than integer_run has. */
static struct { size_t models, proved, strings, accepted, unfit, letters; } met;

static uint32_t *words[BATCH];
static size_t sizes[BATCH];

/* ---- strings ---- */

/* Runs, halves that are alike or mirrored, balanced brackets with a slip: what the models of the gallery tell
   apart. */
static void choose_word(test_random *r, uint32_t *word, size_t n, size_t letters) {
    uint32_t a = (uint32_t)random_below(r, letters), b = (uint32_t)random_below(r, letters);
    size_t kind = random_below(r, 8), depth = 0, run = 1 + random_below(r, 40);
    for (size_t k = 0; k < n; k++) word[k] = (uint32_t)random_below(r, letters);
    for (size_t k = 0; k < n && kind == 1; k++) word[k] = k / run % 2 ? a : b;
    for (size_t k = 0; k < n / 2 && kind == 2; k++) word[n - 1 - k] = word[k];
    for (size_t k = 0; k < n / 2 && kind == 3; k++) word[n - n / 2 + k] = word[k];
    for (size_t k = 0; k < n && kind == 4; k++) word[k] = (uint32_t)(k * letters / n);
    for (size_t k = 0; k < n && kind == 5; k++) word[k] = a;
    if (kind >= 6) { /* letters 2k and 2k + 1 as brackets; what is open is closed in time */
        static uint32_t open[LONGEST];
        for (size_t k = 0; k < n; k++) {
            bool close = depth && (n - k <= depth || random_below(r, kind == 6 ? 2 : 40) == 0);
            uint32_t pair = letters < 4 ? 0 : (uint32_t)random_below(r, letters / 2);
            if (!close) open[depth] = pair;
            word[k] = close ? 2 * open[depth - 1] + 1 : 2 * pair;
            if (word[k] >= letters) word[k] = 0;
            depth += close ? (size_t)-1 : 1;
        }
    }
    if (n && random_below(r, 3)) word[random_below(r, n)] = b;
}

static void choose_words(test_random *r, size_t longest, size_t letters) {
    for (size_t k = 0; k < BATCH; k++) {
        sizes[k] = random_below(r, 4) ? longest - random_below(r, 3) : longest - random_below(r, longest / 3 + 1);
        choose_word(r, words[k], sizes[k], letters);
    }
}

/* ---- models ---- */

enum { PROOF_SECONDS = 10 }; /* of processor time: a longer proof is left, so that there are many models */

static int is_too_long(void *began, uint64_t done, uint64_t total) {
    (void)done, (void)total;
    return clock() - *(const clock_t *)began > (clock_t)PROOF_SECONDS * CLOCKS_PER_SEC;
}

static temper_model *softened(const temper_model *hard, size_t length, bool patient) {
    temper_model *soft = NULL;
    clock_t began = clock();
    temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = length, .threads = 1};
    temper_error e = {0};
    if (!patient) o.progress = is_too_long, o.context = &began;
    temper_soften(&soft, NULL, hard, &o, &e);
    return soft;
}

/* Exact answers; both ways where `twice`. False: a number did not fit. */
static bool answer_exactly(unsigned char *wanted, const char *source, const temper_model *hard, size_t count,
                           bool twice) {
    temper_run_options exact = {.type = TEMPER_TYPE_EXACT, .hard = 1, .threads = 1, .unchecked = 1};
    temper_error e;
    bool fits = true;
    for (size_t k = 0; k < count && fits; k++) {
        bool accepts;
        fits = integer_run(&accepts, hard, words[k], sizes[k]);
        wanted[k] = accepts;
    }
    met.unfit += !fits;
    if (fits && !twice) return true;
    if (!twice) return false;
    unsigned char other[BATCH];
    if (!CHECK(temper_model_run_many(other, hard, (const uint32_t *const *)words, sizes, count, &exact, &e) ==
                   TEMPER_OK,
               "%s\n%s", e.text, source))
        return false;
    for (size_t k = 0; k < count && fits; k++)
        CHECK(wanted[k] == other[k], "integers say %u of a string of %zu letters, rationals %u\n%s", wanted[k],
              sizes[k], other[k], source);
    memcpy(wanted, other, count);
    return true;
}

/* The batch, in f64 and exactly. */
static bool compare(const char *source, const temper_model *hard, const temper_model *soft, size_t count,
                    bool twice) {
    unsigned char found[BATCH], wanted[BATCH];
    temper_error e;
    temper_run_options quick = {.type = TEMPER_TYPE_F64, .threads = 1, .unchecked = 1};
    if (!answer_exactly(wanted, source, hard, count, twice)) return false;
    if (!CHECK(temper_model_run_many(found, soft, (const uint32_t *const *)words, sizes, count, &quick, &e) ==
                   TEMPER_OK,
               "%s\n%s", e.text, source))
        return false;
    for (size_t k = 0; k < count; k++) {
        met.strings++;
        met.letters += sizes[k];
        met.accepted += wanted[k] == 1;
        CHECK(found[k] == wanted[k], "a string of %zu letters is %u in f64, exactly %u\n%s", sizes[k], found[k],
              wanted[k], source);
    }
    return true;
}

static void hunt_model(const char *source, test_random *r, size_t length, size_t strings, bool twice) {
    temper_model *hard = model_from(source), *soft = hard ? softened(hard, length, false) : NULL;
    bool goes_on = soft;
    met.models++;
    met.proved += goes_on;
    for (size_t done = 0; done < strings && goes_on; done += BATCH) {
        choose_words(r, length, temper_model_about(hard).letters);
        goes_on = compare(source, hard, soft, strings - done < BATCH ? strings - done : BATCH, twice);
    }
    temper_model_free(soft);
    temper_model_free(hard);
}

/* A feature model with hard choices, read so that answers are off 1/2 now and then. */
static void feature_text(text *t, test_random *r) {
    static const char method[] = "method temperature", hard[] = "method hard       ";
    feature_model_text(t, r);
    char *at = strstr(text_string(t), method);
    if (at) memcpy(at, hard, sizeof hard - 1);
}

static void hunt_models(test_random *r, size_t goal, size_t shortest, size_t longest, size_t strings, bool twice) {
    static char source[RANDOM_MODEL_TEXT];
    trap errors;
    arena a;
    temper_error e;
    arena_init(&a, &errors);
    memset(&met, 0, sizeof met);
    if (!trap_set(&errors, &e)) {
        while (met.strings < goal && met.models < 40 * goal) {
            /* exact runs take the square of the length: one model in eight is of any length, the others are short */
            size_t most = random_below(r, 8) ? shortest + (longest - shortest) / 8 : longest;
            size_t length = shortest + random_below(r, most - shortest + 1);
            if (random_below(r, 2)) {
                random_model_options kind = {
                    .average = random_below(r, 4) > 0, .small = true, .varied = random_below(r, 2)};
                random_model_text(source, r, &kind);
                hunt_model(source, r, length, strings, twice);
            } else {
                text t;
                arena_reset(&a);
                text_init(&t, &a);
                feature_text(&t, r);
                hunt_model(text_string(&t), r, length, strings, twice);
            }
        }
        trap_clear(&errors);
    } else {
        CHECK(false, "%s", e.text);
    }
    arena_free(&a);
    printf("%zu models, %zu proved, %zu strings of %.0f letters on average, %zu accepted; integers too short for %zu "
           "batches\n",
           met.models, met.proved, met.strings, (double)met.letters / (double)(met.strings + !met.strings),
           met.accepted, met.unfit);
    fflush(stdout);
}

/* ---- the gallery ---- */

static void hunt_entry(const char *name, test_random *r, size_t length, size_t strings) {
    temper_model *hard, *soft;
    temper_error e;
    unsigned char found[BATCH];
    size_t accepted = 0;
    if (!CHECK(temper_gallery_model(&hard, name, &e) == TEMPER_OK, "%s", e.text)) return;
    soft = softened(hard, length, true);
    temper_run_options quick = {.type = TEMPER_TYPE_F64, .threads = 1, .unchecked = 1};
    if (CHECK(soft, "%s is not proved at %zu letters", name, length))
        for (size_t done = 0; done < strings; done += BATCH) {
            size_t count = strings - done < BATCH ? strings - done : BATCH;
            choose_words(r, length, temper_model_about(hard).letters);
            if (!CHECK(temper_model_run_many(found, soft, (const uint32_t *const *)words, sizes, count, &quick, &e) ==
                           TEMPER_OK,
                       "%s: %s", name, e.text))
                break;
            for (size_t k = 0; k < count; k++) {
                int wanted = 0;
                temper_gallery_oracle(&wanted, name, words[k], sizes[k], &e);
                CHECK(found[k] == wanted, "%s: a string of %zu letters is %u, not %d", name, sizes[k], found[k],
                      wanted);
                accepted += wanted == 1;
                met.strings++;
            }
        }
    printf("%-16s %5zu letters: %zu strings, %zu accepted\n", name, length, strings, accepted);
    fflush(stdout);
    temper_model_free(soft);
    temper_model_free(hard);
}

static void hunt_gallery(test_random *r, size_t shared, size_t others, size_t strings) {
    static const char *const left[] = {"first", "majority", "parity", "exact-half"};
    static const char *const rest[] = {"palindrome", "copy", "dyck-1", "sort", "shuffle-dyck-2", "dyck-2"};
    for (size_t k = 0; k < sizeof left / sizeof *left; k++) hunt_entry(left[k], r, shared, strings);
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) hunt_entry(rest[k], r, others, strings);
}

/* Ties of fractions: proved by bounded denominators. */
static void hunt_means(test_random *r, size_t length, size_t strings) {
    hunt_entry("tied", r, length, strings);
    hunt_entry("best-prefix", r, length, strings);
}

int main(void) {
    test_random r = test_seed(1638);
    const char *how = getenv("TEMPER_HUNT");
    bool full = how && *how;
    for (size_t k = 0; k < BATCH; k++) words[k] = calloc(LONGEST, sizeof **words);
    if (!full) {
        hunt_models(&r, (size_t)(200 * test_effort()), 64, 80, 20, true);
        CHECK(met.proved > 4 * test_effort(), "only %zu models were proved", met.proved);
        hunt_gallery(&r, 300, 64, 20);
        hunt_means(&r, 64, 20);
    } else {
        bool all = !strcmp(how, "full");
        size_t goal = (size_t)(100000 * test_effort());
        if (all || !strcmp(how, "models")) hunt_models(&r, goal, 64, 300, 200, true);
        if (all || !strcmp(how, "long")) hunt_models(&r, goal, 400, 2000, 2000, false);
        if (all || !strcmp(how, "gallery")) hunt_gallery(&r, 16384, 2000, 200);
        if (all || !strcmp(how, "gallery") || !strcmp(how, "means")) hunt_means(&r, 1500, 200);
    }
    for (size_t k = 0; k < BATCH; k++) free(words[k]);
    return test_finish("t-length-hunt");
}
