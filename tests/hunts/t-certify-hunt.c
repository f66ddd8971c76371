/* The hunt for a contradiction: what certify proves of a model in a number format is run, on strings that were chosen
   to break it. Formulas of the corpus and random ones, all methods, all types; models without Boolean channels,
   random, wild and from the gallery, against their hard choices; strings up to 64 letters, with logits as they come
   and moved by one unit in the last place, and strings up to 100,000 letters. `make test` gives it 8 seconds; `make
   certify-hunt` goes on until 10^7 short and 10^4 long strings were run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "corpus.h"
#include "model/model.h"
#include "number/number_type.h"
#include "random_formula.h"
#include "run/dense.h"
#include "wild_model.h"

enum { SHORT = 64, BATCH = 250, METHODS = 3, GENERAL_MOST = 24 };

static const size_t ladder[] = {100000, 20000, 4000, 1000, 300, 100, SHORT, 30, 16, 8, 4, 2, 1};
enum { RUNGS = sizeof ladder / sizeof *ladder };

typedef struct hunt {
    test_random r;
    double until; /* seconds */
    uint64_t short_goal, long_goal;
    uint64_t short_strings, long_strings, shaken, proofs, formulas;
    uint64_t general_strings, general_proofs, models; /* without Boolean channels */
    unsigned char *truth;                             /* [ladder[0] + 2] */
    uint32_t *word;                                   /* [ladder[0]] */
    unsigned char seen_type[NUMBER_TYPES], seen_method[8], *seen_entry;
} hunt;

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- strings ---- */

/* Few changes, one odd letter, a far candidate: what since, until and look-ups dislike; else random_word. */
static void choose_word(hunt *h, uint32_t *word, size_t n, size_t letters) {
    uint32_t a = (uint32_t)random_below(&h->r, letters), b = (uint32_t)random_below(&h->r, letters);
    switch (n == 0 ? 0 : random_below(&h->r, 8)) {
    case 0: /* one letter, and another at one place near an end or anywhere */
        for (size_t k = 0; k < n; k++) word[k] = a;
        if (n) word[random_below(&h->r, 3) == 0 ? 0 : random_below(&h->r, n)] = b;
        return;
    case 1: /* a first part and a last part */
        for (size_t k = 0, cut = random_below(&h->r, n + 1); k < n; k++) word[k] = k < cut ? a : b;
        return;
    case 2: /* alternating, with one slip */
        for (size_t k = 0; k < n; k++) word[k] = k % 2 ? a : b;
        word[random_below(&h->r, n)] = (uint32_t)random_below(&h->r, letters);
        return;
    case 3: /* neighbours in the middle of a run */
        for (size_t k = 0; k < n; k++) word[k] = a;
        word[n / 2] = b;
        if (n > 1) word[n / 2 - 1] = (uint32_t)random_below(&h->r, letters);
        return;
    default: random_word(word, n, letters < 26 ? (unsigned)letters : 26, &h->r);
    }
}

/* ---- one run ---- */

typedef struct target {
    const char *name;
    const temper_spec *spec; /* NULL: the model's own hard choices are what is proved */
    const temper_model *model;
    temper_type type;
    size_t proved;
    bool verdict_only;
} target;

/* What was proved of the string: h->truth of its letters, and the verdict. False if nobody knows. */
static bool consult(hunt *h, const target *t, const uint32_t *word, size_t n, int *accept) {
    temper_error error;
    temper_run *r;
    if (t->spec)
        return CHECK(temper_spec_eval(accept, h->truth, t->spec, word, n, &error) == TEMPER_OK, "%s: %s", t->name,
                     error.text);
    temper_run_options o = {
        .type = TEMPER_TYPE_F64, .hard = 1, .threads = 1}; /* proved string by string, or refused */
    temper_status status = temper_model_run(&r, t->model, word, n, &o, &error);
    if (status != TEMPER_OK) {
        o.type = TEMPER_TYPE_EXACT;
        if (!CHECK(temper_model_run(&r, t->model, word, n, &o, &error) == TEMPER_OK, "%s: %s", t->name, error.text))
            return false;
    }
    *accept = temper_run_about(r).accept;
    for (size_t k = 0; k < n; k++) h->truth[k] = (unsigned char)temper_run_about(r).truth[k + 1];
    temper_run_free(r);
    return true;
}

/* Whether an answer at a letter (from 0) was promised. */
static bool is_promised(const target *t, size_t k, size_t n) {
    return !t->verdict_only || k == (t->model->at == TEMPER_AT_FIRST ? 0 : n - 1);
}

static const char *show(const uint32_t *word, size_t n) {
    static char shown[100];
    size_t k = 0;
    for (; k < n && k < 80; k++) shown[k] = word[k] < 26 ? (char)('a' + word[k]) : '?';
    strcpy(shown + k, n > 80 ? "..." : "");
    return shown;
}

static void blame(const target *t, const uint32_t *word, size_t n, size_t position, uint64_t shake) {
    CHECK(false, "PROVED AND WRONG: %s, method %d, type %s, proved to %zu: length %zu, position %zu, shake %llx, %s",
          t->name, (int)t->model->method, temper_type_name(t->type), t->proved, n, position,
          (unsigned long long)shake, show(word, n));
}

/* The run of doc/numerics.md for the type's formats, logits moved as `shake` says, against the oracle at every
   position. */
static void emulate(hunt *h, const target *t, const uint32_t *word, size_t n, uint64_t shake) {
    const number_type *type = number_type_of(t->type);
    dense_setting s = {
        .storage = type->storage, .accumulation = type->accumulation, .tile = type->tile, .shake = shake};
    trap guard;
    temper_error error;
    arena stream, scratch;
    dense_answer answer;
    int accept = 0;
    arena_init(&stream, &guard);
    arena_init(&scratch, &guard);
    if (!consult(h, t, word, n, &accept)) {
        /* said so */
    } else if (trap_set(&guard, &error)) {
        CHECK(false, "%s: %s", t->name, error.text);
    } else {
        dense_run(&answer, t->model, word, n, &s, &stream, &scratch);
        if (answer.broken) blame(t, word, n, answer.position, shake);
        for (size_t k = 0; !answer.broken && k < n; k++)
            if (answer.truth[k + 1] != h->truth[k] && is_promised(t, k, n)) {
                blame(t, word, n, k + 1, shake);
                break;
            }
        if (!answer.broken && n == 0 && answer.truth[0] != accept) blame(t, word, n, 0, shake);
        trap_clear(&guard);
    }
    arena_free(&stream);
    arena_free(&scratch);
}

/* The runner of f64 and f32, every position. */
static void run(hunt *h, const target *t, const uint32_t *word, size_t n) {
    temper_run_options o = {.type = t->type, .unchecked = 1, .threads = 1};
    temper_run *r;
    temper_error error;
    int accept = 0;
    if (!consult(h, t, word, n, &accept)) return;
    temper_status status = temper_model_run(&r, t->model, word, n, &o, &error);
    if (status == TEMPER_UNSUPPORTED && !t->spec) return; /* no plan in f32 */
    if (!CHECK(status == TEMPER_OK, "%s: %s", t->name, error.text)) return;
    if (temper_run_about(r).accept != accept) blame(t, word, n, 0, 0);
    for (size_t k = 0; k < n; k++)
        if (temper_run_about(r).truth[k + 1] != h->truth[k] && is_promised(t, k, n)) {
            blame(t, word, n, k + 1, 0);
            break;
        }
    temper_run_free(r);
}

/* ---- a proof under attack ---- */

/* Many short strings together, verdicts only: f64 and f32. */
static void attack_batch(hunt *h, const target *t) {
    static uint32_t words[BATCH * 8][SHORT];
    static const uint32_t *letters[BATCH * 8];
    static size_t lengths[BATCH * 8];
    static unsigned char got[BATCH * 8];
    size_t most = t->proved < SHORT ? t->proved : SHORT, count = t->spec ? BATCH * 8 : BATCH / 2;
    temper_run_options o = {.type = t->type, .unchecked = 1, .threads = 1};
    temper_error error;
    for (size_t k = 0; k < count; k++) {
        lengths[k] = random_below(&h->r, 3) ? random_below(&h->r, most + 1) : most;
        choose_word(h, words[k], lengths[k], t->model->letters.count);
        letters[k] = words[k];
    }
    temper_status status = temper_model_run_many(got, t->model, letters, lengths, count, &o, &error);
    if (status == TEMPER_UNSUPPORTED && !t->spec) return; /* no plan in f32 */
    if (!CHECK(status == TEMPER_OK, "%s: %s", t->name, error.text)) return;
    for (size_t k = 0; k < count; k++) {
        int accept = 0;
        if (!consult(h, t, words[k], lengths[k], &accept)) continue;
        if (got[k] != 2 && got[k] != accept) blame(t, words[k], lengths[k], 0, 0);
    }
    h->short_strings += count;
}

static void attack_short(hunt *h, const target *t) {
    size_t most = t->proved < SHORT ? t->proved : SHORT, count = BATCH / (1 + t->model->layer_count);
    if (!number_type_is_emulated(t->type)) attack_batch(h, t);
    if (!t->spec) count /= 4;
    for (size_t k = 0; k < count; k++) {
        size_t n = random_below(&h->r, 3) ? random_below(&h->r, most + 1) : most;
        uint64_t shake = k % 2 ? random_u64(&h->r) | 1 : 0;
        choose_word(h, h->word, n, t->model->letters.count);
        emulate(h, t, h->word, n, shake);
        h->short_strings++;
        h->shaken += shake != 0;
    }
}

/* Whether every head goes along the string in one pass in an emulated run: else all pairs are looked at. */
static bool one_pass(const temper_model *m) {
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t k = 0; k < m->layers[l].head_count; k++) {
            const model_head *h = &m->layers[l].heads[k];
            bool back = h->mask == TEMPER_MASK_BEFORE || h->mask == TEMPER_MASK_UP_TO;
            if (!back || (h->role != ROLE_ONCE && h->role != ROLE_NEAREST && h->role != ROLE_COUNT)) return false;
        }
    return true;
}

static void attack_long(hunt *h, const target *t) {
    bool emulated = number_type_is_emulated(t->type);
    size_t most = t->proved, heads = 1 + t->model->layer_count;
    if (emulated) {
        size_t cap = one_pass(t->model) ? 100000 / heads : 1500 / heads;
        if (!number_type_of(t->type)->accumulation->infinities) cap = 1500 / heads;
        if (most > cap) most = cap;
    }
    if (most <= SHORT) return;
    for (int k = 0; k < 4; k++) {
        size_t n = k == 0 ? most : SHORT + random_below(&h->r, most - SHORT + 1);
        choose_word(h, h->word, n, t->model->letters.count);
        if (emulated)
            emulate(h, t, h->word, n, 0);
        else
            run(h, t, h->word, n);
        h->long_strings++;
    }
}

/* ---- what to attack ---- */

/* The highest rung of the ladder that is proved; 0: none. */
static size_t proved_length(const temper_model *m, temper_type type, size_t first_rung) {
    for (size_t k = first_rung; k < RUNGS; k++) {
        temper_certify_options o = {.length = ladder[k], .type = type};
        temper_certificate *c;
        temper_error error;
        if (temper_certify(&c, m, NULL, 0, &o, &error)) {
            CHECK(false, "certify: %s", error.text);
            return 0;
        }
        bool proved = temper_certificate_about(c).verdict == TEMPER_PROVED;
        temper_certificate_free(c);
        if (proved) return ladder[k];
    }
    return 0;
}

/* Digits are made for one of the storage formats. */
static bool soften(hunt *h, temper_model **out, const temper_spec *spec, temper_method method, temper_error *error) {
    static const temper_type storages[] = {TEMPER_TYPE_BF16, TEMPER_TYPE_BF16, TEMPER_TYPE_F16,
                                           TEMPER_TYPE_E4M3, TEMPER_TYPE_E5M2, TEMPER_TYPE_F32};
    temper_type storage = storages[random_below(&h->r, sizeof storages / sizeof *storages)];
    temper_build_options o = {.method = method};
    if (method == TEMPER_METHOD_DIGITS) o.digits = storage;
    return temper_build(out, spec, &o, error) == TEMPER_OK;
}

static void attack(hunt *h, const char *name, const temper_spec *spec) {
    static const temper_method methods[METHODS] = {TEMPER_METHOD_TEMPERATURE, TEMPER_METHOD_POSITIONS,
                                                   TEMPER_METHOD_DIGITS};
    temper_method method = methods[random_below(&h->r, METHODS)];
    temper_model *m;
    temper_error error;
    if (!soften(h, &m, spec, method, &error)) return; /* a coefficient beyond the limits */
    for (int k = 0; k < 3; k++) {
        temper_type type = (temper_type)random_below(&h->r, NUMBER_TYPES);
        if (!number_type_of(type) || type == TEMPER_TYPE_EXACT) continue;
        size_t first = random_below(&h->r, 2) ? 0 : random_below(&h->r, RUNGS);
        target t = {name, spec, m, type, proved_length(m, type, first), false};
        CHECK(true, "%s", name);
        if (t.proved == 0) continue;
        h->proofs++;
        h->seen_type[type] = h->seen_method[method] = 1;
        attack_short(h, &t);
        if (k == 0) attack_long(h, &t);
    }
    temper_model_free(m);
}

static void attack_corpus(hunt *h) {
    size_t k = random_below(&h->r, corpus_size());
    temper_spec *spec = corpus_parse(corpus_at(k));
    if (!spec) return;
    h->formulas += !h->seen_entry[k];
    h->seen_entry[k] = 1;
    attack(h, corpus_at(k)->name, spec);
    temper_spec_free(spec);
}

static void attack_random(hunt *h) {
    random_shape shape = {
        .letters = 1 + (unsigned)random_below(&h->r, 4), .size = 1 + random_below(&h->r, 12), .depth = 6};
    shape.past = random_below(&h->r, 3) != 0;
    shape.future = !shape.past || random_below(&h->r, 3) == 0;
    shape.counting = random_below(&h->r, 3) == 0;
    shape.modulo = random_below(&h->r, 6) == 0;
    shape.places = random_below(&h->r, 4) == 0;
    temper_spec *spec = random_spec(&h->r, &shape, random_below(&h->r, 2) ? TEMPER_AT_LAST : TEMPER_AT_FIRST);
    char *source = NULL;
    temper_error error;
    if (spec && temper_spec_print(&source, spec, &error) == TEMPER_OK) {
        h->formulas++;
        attack(h, source, spec);
    }
    temper_free(source);
    temper_spec_free(spec);
}

/* ---- models without Boolean channels ---- */

static void attack_general(hunt *h, const char *name, const temper_model *m, temper_type type, size_t length) {
    temper_certify_options o = {.length = length, .type = type};
    temper_certificate *c;
    temper_error error;
    char *json = NULL;
    size_t size;
    if (!CHECK(temper_certify(&c, m, NULL, 0, &o, &error) == TEMPER_OK, "certify: %s", error.text)) return;
    if (temper_certificate_about(c).verdict == TEMPER_PROVED &&
        CHECK(temper_certificate_print(&json, &size, c, &error) == TEMPER_OK, "%s: %s", name, error.text)) {
        uint64_t before = h->short_strings;
        target t = {name, NULL, m, type, length, strstr(json, "\"positions\": \"every\"") == NULL};
        attack_short(h, &t);
        if (!number_type_is_emulated(type))
            for (int k = 0; k < 8; k++) {
                size_t n = random_below(&h->r, length + 1);
                choose_word(h, h->word, n, m->letters.count);
                run(h, &t, h->word, n);
                h->short_strings++;
            }
        h->general_proofs++;
        h->general_strings += h->short_strings - before;
    }
    temper_free(json);
    temper_certificate_free(c);
}

static temper_type any_type(hunt *h) {
    for (;;) {
        temper_type type = (temper_type)random_below(&h->r, NUMBER_TYPES);
        if (number_type_of(type) && type != TEMPER_TYPE_EXACT) return type;
    }
}

/* A hard model softened by general means, or a wild one; the first type is one that is often proved. */
static void attack_model(hunt *h) {
    static char source[RANDOM_MODEL_TEXT];
    temper_gallery_info info = {.name = source};
    temper_model *hard = NULL, *soft = NULL;
    size_t length = 1 + random_below(&h->r, 5);
    uint64_t which = random_below(&h->r, 4);
    if (which == 0) {
        length = 1 + random_below(&h->r, GENERAL_MOST);
        if (temper_gallery_about(&info, random_below(&h->r, temper_gallery_count()), NULL) == TEMPER_OK)
            temper_gallery_model(&hard, info.name, NULL);
    } else if (which == 1) {
        random_model_options kind = {.average = random_below(&h->r, 3) > 0,
                                     .fractions = random_below(&h->r, 3) == 0,
                                     .varied = random_below(&h->r, 3) == 0,
                                     .extreme = random_below(&h->r, 8) == 0};
        hard = random_model(source, &h->r, &kind);
    } else {
        int reach = (int)random_below(&h->r, 150);
        if (random_below(&h->r, 2)) reach /= 10;
        wild_model_text(source, &h->r, reach);
        soft = model_from(source);
    }
    temper_soften_options o = {.method = random_below(&h->r, 2) ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS,
                               .length = length};
    if (hard) temper_soften(&soft, NULL, hard, &o, NULL);
    temper_model_free(hard);
    if (!soft) return;
    h->models++;
    attack_general(h, info.name, soft, random_below(&h->r, 2) ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64, length);
    attack_general(h, info.name, soft, any_type(h), length);
    temper_model_free(soft);
}

static size_t ones(const unsigned char *seen, size_t count) {
    size_t sum = 0;
    for (size_t k = 0; k < count; k++) sum += seen[k];
    return sum;
}

int main(void) {
    static hunt h;
    const char *full = getenv("TEMPER_HUNT");
    h.r = test_seed(1905);
    h.until = now() + (full ? 86400 : 8 * (test_effort() < 1 ? test_effort() : 1));
    h.short_goal = 10000000, h.long_goal = 10000;
    h.truth = malloc(ladder[0] + 2);
    h.word = malloc(ladder[0] * sizeof *h.word);
    h.seen_entry = calloc(corpus_size(), 1);
    if (!h.truth || !h.word || !h.seen_entry) return 1;
    double told = now();
    while (now() < h.until &&
           !(full && h.short_strings >= h.short_goal + h.general_strings && h.long_strings >= h.long_goal)) {
        uint64_t kind = random_below(&h.r, 5);
        if (kind == 0)
            attack_model(&h);
        else if (kind < 4)
            attack_corpus(&h);
        else
            attack_random(&h);
        if (full && now() > told + 10) {
            told = now();
            fprintf(stderr, "%llu short, %llu long\n", (unsigned long long)h.short_strings,
                    (unsigned long long)h.long_strings);
        }
    }
    printf("%llu formulas, %llu proofs in %zu types by %zu methods: %llu strings to length %d (%llu with moved "
           "logits), %llu longer\n",
           (unsigned long long)h.formulas, (unsigned long long)h.proofs, ones(h.seen_type, sizeof h.seen_type),
           ones(h.seen_method, sizeof h.seen_method), (unsigned long long)h.short_strings, SHORT,
           (unsigned long long)h.shaken, (unsigned long long)h.long_strings);
    printf("of these %llu strings of %llu proofs of %llu models without Boolean channels\n",
           (unsigned long long)h.general_strings, (unsigned long long)h.general_proofs, (unsigned long long)h.models);
    CHECK(h.proofs > 0 && h.short_strings > 0, "nothing was proved");
    CHECK(test_effort() < 1 || h.general_proofs > 0, "nothing was proved of models without Boolean channels");
    free(h.truth);
    free(h.word);
    free(h.seen_entry);
    return test_finish("t-certify-hunt");
}
