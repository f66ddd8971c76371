/* Certificates of models without Boolean channels: whatever was certified, on random softened models and on the
   gallery, the run in the number format gives the answers of the exact hard run, also where every other run has its
   logits moved by a unit in the last place, its channels at the end and its read-out are as near to the exact ones as
   was derived, and the runners that add in other orders agree. The closed form for winners that tie is compared with
   its box problems. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bound/choice_proof.h"
#include "certify/choices_search.h"
#include "bound/choice_errors.h"
#include "bound/choice_share.h"
#include "number/score_box.h"
#include "random_model.h"
#include "run/exact_run.h"
#include "run/dense.h"
#include "facts/facts_exhaustive.h"

typedef struct bench {
    trap trap;
    arena keep, one, scratch, run;
    size_t certified, tried, strings;
    double tightest; /* the largest measured error over its bound */
} bench;

static const temper_type types[] = {TEMPER_TYPE_F64,  TEMPER_TYPE_F32, TEMPER_TYPE_BF16_F32, TEMPER_TYPE_F16_F32,
                                    TEMPER_TYPE_BF16, TEMPER_TYPE_F16, TEMPER_TYPE_E4M3_F32};
enum { TYPES = sizeof types / sizeof *types };

/* The channels after the last layer. */
typedef struct last_channels {
    rational *x;
    size_t count;
    uint32_t layers;
} last_channels;

static void see_channels(void *context, uint32_t layer, int stage, const rational *x) {
    last_channels *l = context;
    if (l->layers ? stage != 2 || layer + 1 != l->layers : stage != 0) return;
    for (size_t k = 0; k < l->count; k++) rational_set(&l->x[k], &x[k]);
}

/* Whether |stored - exact| <= bound; keeps the ratio. */
static bool is_near(bench *b, double stored, const rational *exact, const ball *bound, rational *t) {
    if (!isfinite(stored)) return false;
    rational_set_double(t, stored);
    rational_sub(t, t, exact);
    rational_abs(t, t);
    double off = rational_above(t), most = ball_upper(bound);
    if (most > 0 && off / most > b->tightest) b->tightest = off / most;
    return off == 0 || off <= most * (1 + 1e-12);
}

static void check_string(bench *b, const char *name, const temper_model *m, const recursion *r,
                         const number_type *type, const uint32_t *letters, size_t n, bool everywhere,
                         uint64_t shake) {
    char word[80] = "";
    for (size_t i = 0; i < n && i < 70; i++) word[i] = (char)('0' + letters[i]);
    arena_reset(&b->one);
    arena_reset(&b->run);
    dense_setting setting = {
        .storage = type->storage, .accumulation = type->accumulation, .tile = type->tile, .shake = shake};
    dense_answer soft;
    dense_run(&soft, m, letters, n, &setting, &b->run, &b->one);
    CHECK(!soft.broken, "%s: %s in %s overflows", name, word, type->name);
    if (soft.broken) return;
    rational_pool pool;
    arena_reset(&b->one);
    rational_pool_init(&pool, &b->run);
    size_t size = n + 1 + m->has_end;
    rational *t = rational_array(&pool, 3);
    last_channels last = {rational_array(&pool, size * m->channel_count), size * m->channel_count, m->layer_count};
    exact_observer observer = {.context = &last, .channels = see_channels};
    const rational *y = exact_run(m, letters, n, &observer, &pool, &b->one);
    rational_set_ratio(&t[1], 1, 2);
    size_t verdict = n == 0 ? 0 : m->at == TEMPER_AT_FIRST ? 1 : n;
    for (size_t i = n ? 1 : 0; i <= n; i++)
        if (everywhere || i == verdict)
            CHECK((rational_cmp(&y[i], &t[1]) > 0) == (soft.truth[i] != 0), "%s: the answer to %s in %s at %zu", name,
                  word, type->name, i);
    for (size_t i = 0; i < size; i++)
        for (uint32_t c = 0; c < m->channel_count; c++)
            CHECK(is_near(b, soft.x[i * m->channel_count + c], &last.x[i * m->channel_count + c], &r->channels[c],
                          &t[0]),
                  "%s: channel %u at position %zu of %s in %s is %.17g, not %.17g within %.3g", name, c, i, word,
                  type->name, soft.x[i * m->channel_count + c], rational_to_double(&last.x[i * m->channel_count + c]),
                  ball_upper(&r->channels[c]));
    temper_run *run = NULL; /* the runner of the type, which may add in another order */
    temper_run_options o = {.unchecked = 1, .threads = 1};
    for (int k = 0; k < 2; k++) {
        o.type = k ? TEMPER_TYPE_F32 : TEMPER_TYPE_F64;
        if (number_type_of(o.type) != type) continue;
        temper_error err;
        temper_status status = temper_model_run(&run, m, letters, n, &o, &err);
        CHECK(status == TEMPER_OK || status == TEMPER_UNSUPPORTED, "%s: %s: %s", name, word, err.text);
        if (status != TEMPER_OK) continue; /* no plan in f32 */
        for (size_t i = n ? 1 : 0; i <= n; i++)
            if (everywhere || i == verdict)
                CHECK((rational_cmp(&y[i], &t[1]) > 0) == temper_run_about(run).truth[i],
                      "%s: the answer to %s by the runner of %s", name, word, type->name);
        temper_run_free(run);
    }
    b->strings++;
}

/* Certifies for strings up to `length`; checks strings of each length: all if they are few, else `some` at random. */
static bool check_model(bench *b, const char *name, const temper_model *m, temper_type which, size_t length,
                        size_t some, test_random *dice) {
    const number_type *type = number_type_of(which);
    temper_error err;
    arena_reset(&b->keep);
    if (trap_set(&b->trap, &err)) {
        CHECK(false, "%s in %s: %s", name, type->name, err.text);
        return false;
    }
    b->tried++;
    certification c = {.model = m,
                       .bytes = "model",
                       .size = 5,
                       .options = {.length = length, .type = which, .search = 0},
                       .type = type,
                       .ascending = number_type_is_emulated(which),
                       .arena = &b->keep,
                       .trap = &b->trap,
                       .verdict = TEMPER_UNABLE};
    text_init(&c.reason, &b->keep);
    text_init(&c.json, &b->keep);
    choice_proof_try(&c, true);
    CHECK(c.verdict != TEMPER_UNABLE || c.reason.length, "%s in %s: no reason", name, type->name);
    if (c.verdict != TEMPER_PROVED) return false;
    b->certified++;
    bool everywhere = strstr(text_string(&c.json), "\"positions\": \"every\"") != NULL;
    hard_facts *f = arena_zalloc(&b->keep, 1, sizeof *f);
    recursion *r = arena_zalloc(&b->keep, 1, sizeof *r);
    hard_facts_find(f, &c, hard_facts_by_strings(m, length), &b->keep, &b->scratch);
    CHECK(recursion_begin(r, f, type, c.ascending, &b->keep, &b->scratch), "%s in %s", name, type->name);
    uint32_t *letters = arena_zalloc(&b->keep, length + 1, sizeof *letters);
    size_t letter_count = m->letters.count;
    for (size_t n = 0; n <= length; n++) {
        recursion_run(r, n);
        bool all = strings_of_length(letter_count, n) <= some;
        memset(letters, 0, (length + 1) * sizeof *letters);
        for (size_t k = 0; all || k < some; k++) {
            for (size_t i = 0; i < n && !all; i++) letters[i] = (uint32_t)random_below(dice, letter_count);
            check_string(b, name, m, r, type, letters, n, everywhere, k % 2 ? random_u64(dice) | 1 : 0);
            if (all && !next_string(letters, n, letter_count)) break;
        }
    }
    return true;
}

/* The model with every scale changed as a person might, who knows nothing of powers of two; NULL if it has none. */
static temper_model *other_scales(const temper_model *m, test_random *dice) {
    static const char *const changes[] = {"*0.7", "*1.1", "*3", "/5 + ln(N)", "*0.5"};
    char *source;
    size_t length;
    if (temper_model_print(&source, &length, m, NULL) != TEMPER_OK) return NULL;
    char changed[RANDOM_MODEL_TEXT * 2] = "", *to = changed, *end = strstr(source, "\ndigest"), *from = source;
    if (end) end[1] = 0; /* edited: no digest */
    for (char *at; (at = strstr(from, " scale \"")) && to - changed < RANDOM_MODEL_TEXT; from = at) {
        char *close = strchr(at += 8, '"');
        to += sprintf(to, "%.*s(%.*s)%s", (int)(at - from), from, (int)(close - at), at,
                      changes[random_below(dice, 5)]);
        at = close;
    }
    bool any = from != source && strlen(from) < RANDOM_MODEL_TEXT / 2;
    if (any) strcpy(to, from);
    temper_free(source);
    return any ? model_from(changed) : NULL;
}

static void report(const char *what, bench *b) {
    printf("%s: %zu of %zu certified, %zu strings, largest error over its bound %.3g\n", what, b->certified, b->tried,
           b->strings, b->tightest);
    b->certified = b->tried = b->strings = 0;
    b->tightest = 0;
}

static void test_random_models(bench *b) {
    test_random r = test_seed(5008);
    size_t models = (size_t)(50 * test_effort()), certified[TYPES] = {0};
    char source[RANDOM_MODEL_TEXT], name[RANDOM_MODEL_TEXT + 100];
    for (size_t k = 0; k < models; k++) {
        random_model_options kind = {.average = random_below(&r, 3) > 0,
                                     .fractions = random_below(&r, 3) == 0,
                                     .varied = random_below(&r, 3) == 0,
                                     .extreme = random_below(&r, 8) == 0};
        temper_model *hard = random_model(source, &r, &kind), *soft;
        if (!hard) continue;
        snprintf(name, sizeof name, "random model %zu\n%s", k, source);
        size_t length = 2 + random_below(&r, 4);
        temper_soften_options o = {.method =
                                       random_below(&r, 2) ? TEMPER_METHOD_TEMPERATURE : TEMPER_METHOD_POSITIONS,
                                   .length = length,
                                   .gap = random_below(&r, 2) ? TEMPER_GAP_EXHAUSTIVE : TEMPER_GAP_PROVED,
                                   .adaptive = random_below(&r, 5) == 0};
        if (o.adaptive) o.method = TEMPER_METHOD_TEMPERATURE;
        if (temper_soften(&soft, NULL, hard, &o, NULL) == TEMPER_OK) {
            size_t t = random_below(&r, TYPES), f = random_below(&r, 2);
            certified[f] += check_model(b, name, soft, types[f], length, 32, &r);
            certified[t] += check_model(b, name, soft, types[t], length, 32, &r);
            temper_model *other = other_scales(soft, &r);
            if (other) check_model(b, name, other, types[f], length, 32, &r);
            temper_model_free(other);
            temper_model_free(soft);
        }
        temper_model_free(hard);
    }
    for (size_t t = 0; t < TYPES; t++) printf("%s: %zu\n", number_type_of(types[t])->name, certified[t]);
    CHECK(test_effort() < 1 || (certified[0] > 5 && certified[1] > 5 && certified[2] > 0),
          "only %zu, %zu, %zu random models were certified", certified[0], certified[1], certified[2]);
    report("random models", b);
}

static void test_gallery(bench *b) {
    test_random r = test_seed(5009);
    size_t certified[2] = {0};
    for (size_t k = 0; k < temper_gallery_count(); k++) {
        temper_gallery_info info;
        temper_model *hard, *soft;
        if (temper_gallery_about(&info, k, NULL) != TEMPER_OK ||
            temper_gallery_model(&hard, info.name, NULL) != TEMPER_OK)
            continue;
        temper_soften_options o = {.method = TEMPER_METHOD_TEMPERATURE, .length = 20};
        if (temper_soften(&soft, NULL, hard, &o, NULL) == TEMPER_OK) {
            for (int t = 0; t < 2; t++) certified[t] += check_model(b, info.name, soft, types[t], 20, 1, &r);
            temper_model_free(soft);
        }
        temper_model_free(hard);
    }
    CHECK(certified[0] >= 23, "%zu gallery models in f64", certified[0]);
    CHECK(certified[1] >= 20, "%zu gallery models in f32", certified[1]);
    report("gallery", b);
}

/* t winners, k of them with value 1, within B of each other, and N - t others with value 1, A below: never more than
   the closed form, and at some (t, k) nearly as much. */
static void test_shares(bench *b) {
    test_random r = test_seed(5010);
    model_head h = {.choice = TEMPER_CHOICE_SOFTMAX, .hard_choice = TEMPER_CHOICE_AVERAGE};
    if (trap_set(&b->trap, NULL)) {
        CHECK(false, "shares: an error was raised");
        return;
    }
    int rounds = (int)(60 * test_effort());
    for (int round = 0; round < rounds; round++) {
        arena_reset(&b->keep);
        bounds letters;
        size_t size = 2 + random_below(&r, 20);
        bounds_init(&letters, number_type_of(TEMPER_TYPE_F64), false, size, &b->keep);
        rounding_rules rules = rounding_rules_of(&letters);
        double gap = ldexp(1 + (double)random_below(&r, 100) / 64, (int)random_below(&r, 5) - 1);
        double within = random_below(&r, 4) ? gap * (double)random_below(&r, 60) / 64 : 0,
               scale = 1 + (double)random_below(&r, 9);
        ball *x = ball_array(&b->keep, 5);
        ball_set_double(&x[0], within);
        share_problem p = {
            .h = &h, .gap = gap, .scale = scale, .tie_off = &x[0], .lose_off = &x[0], .largest = &x[0]};
        ball_set(&x[1], share_bound(&p, &rules));
        double most = 0;
        for (size_t t = 1; t <= size; t++)
            for (size_t k = 0; k <= t; k++) {
                double half = scale * within / 2, top = -scale * gap + half;
                score_box boxes[] = {
                    {-half, half, 1, 1, k}, {-half, half, 0, 0, t - k}, {-INFINITY, top, 1, 1, size - t}};
                score_box_extremes(&x[2], &x[3], boxes, 3, &b->keep);
                ball_set_int(&x[2], (int64_t)k);
                ball_set_int(&x[4], (int64_t)t);
                ball_div(&x[2], &x[2], &x[4]);
                ball_sub(&x[3], &x[3], &x[2]);
                most = fmax(most, ball_lower(&x[3]));
            }
        double bound = ball_upper(&x[1]);
        CHECK(bound >= most * (1 - 1e-12), "N %zu gap %g within %g scale %g: share %.17g, a box gives %.17g", size,
              gap, within, scale, bound, most);
        CHECK(bound <= 1.5 * most || scale * within > 1,
              "N %zu gap %g within %g scale %g: share %g, boxes give %g only", size, gap, within, scale, bound, most);
    }
}

static void check_verdict(bench *b, const temper_model *m, const char *source, temper_verdict verdict,
                          const char *says) {
    arena_reset(&b->keep);
    if (trap_set(&b->trap, NULL)) {
        CHECK(false, "an error was raised: %s\n%s", b->trap.error.text, source);
        return;
    }
    certification c = {.model = m,
                       .bytes = source,
                       .size = strlen(source),
                       .options = {.length = 6, .type = TEMPER_TYPE_F32, .search = 1},
                       .type = number_type_of(TEMPER_TYPE_F32),
                       .arena = &b->keep,
                       .trap = &b->trap,
                       .verdict = TEMPER_UNABLE};
    text_init(&c.reason, &b->keep);
    text_init(&c.json, &b->keep);
    if (!choice_proof_try(&c, true)) choices_search(&c);
    CHECK(c.verdict == verdict && strstr(text_string(&c.reason), says), "verdict %d, '%s'\n%s", (int)c.verdict,
          text_string(&c.reason), source);
}

/* Nothing is certified where there is nothing to compare with, or where an answer lies at the threshold; wrong ones
   are found. */
static void test_refusals(bench *b) {
    static const char *const head = "method temperature\nalphabet \"a\" \"b\"\n"
                                    "channel 0 \"one\" position \"1\"\nchannel 1 \"a\"\nchannel 2 \"x\"\n"
                                    "embed \"a\" 1:1\nembed \"b\"\nembed start\nembed end\nlayer 1\n";
    static const struct {
        const char *rest, *says;
        temper_verdict verdict;
    } cases[] = {
        {"head \"h\" mask j<=i choice softmax\n query 0:1\n key 1:1\n value 1:1\n output 2:1\nread 2:1\n",
         "stands for no hard choice", TEMPER_UNABLE},
        {"head \"h\" mask j<=i choice softmax for average scale \"0.25\"\n query 0:1\n key 1:1\n value 1:1\n output "
         "2:1\nread 2:1\n",
         "is rejected in", TEMPER_REFUTED},
        {"head \"h\" mask j<=i choice softmax for leftmost scale \"64\"\n query 0:1\n key 1:1\n value 1:1\n output "
         "2:1\nread 2:1\n",
         "cannot be told apart", TEMPER_UNABLE},
        {"head \"h\" mask all choice softmax for average\n query 0:1\n key 0:1\n value 1:1\n output 2:1\nread 2:1\n",
         "threshold 1/2", TEMPER_UNABLE},
        {"head \"h\" mask j<=i choice softmax for average scale \"ln(N) + 8 + i\"\n query 0:1\n key 1:1\n value "
         "1:1\n output 2:1\nread 2:1\n",
         "reads the position", TEMPER_UNABLE},
        {"head \"h\" mask j<=i choice softmax for average scale \"ln(N) + 8\"\n query 0:1\n key 1:1\n value 1:1\n "
         "output 2:1\nread 2:1\n",
         "", TEMPER_PROVED},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char source[2000];
        int version = strstr(cases[k].rest, "+ i") ? 2 : 1; /* of models with such a scale */
        snprintf(source, sizeof source, "temper-model %d\n%s%s", version, head, cases[k].rest);
        temper_model *m = model_from(source);
        if (m) check_verdict(b, m, source, cases[k].verdict, cases[k].says);
        temper_model_free(m);
    }
}

/* Soft models may have heads that choose one key: few different keys, or keys in convex position, are no reason to
   average them. */
static void test_hard_heads(bench *b) {
    static const char *const keys[] = {"query 1:1\n key 0:1\n", "query 1:1\n query 1:-1\n key 3:1\n key 4:1\n"};
    static const char *const masks[] = {"j<i", "j<=i", "j>=i", "j>i", "all"};
    test_random r = test_seed(5010);
    for (size_t k = 0; k < 2 * 5 * 2; k++) {
        char source[1000];
        snprintf(source, sizeof source,
                 "temper-model 1\nmethod temperature\nalphabet \"a\" \"b\"\nchannel 0 \"start\"\nchannel 1 \"b\"\n"
                 "channel 2 \"chosen\"\nchannel 3 \"i\" position \"i\"\nchannel 4 \"i*i\" position \"i*i\"\n"
                 "embed \"a\"\nembed \"b\" 1:1\nembed start 0:1\nembed end\nlayer 1\n"
                 "head \"h\" mask %s choice %s\n %s value 1:1\n output 2:1\nread 2:1\n",
                 masks[k % 5], k / 5 % 2 ? "leftmost" : "rightmost", keys[k / 10]);
        temper_model *m = model_from(source);
        for (int t = 0; t < 2 && m; t++)
            CHECK(check_model(b, source, m, types[t], 4, 16, &r), "not proved:\n%s", source);
        temper_model_free(m);
    }
    report("hard heads", b);
}

int main(void) {
    bench b = {0};
    arena_init(&b.keep, &b.trap);
    arena_init(&b.one, &b.trap);
    arena_init(&b.scratch, &b.trap);
    arena_init(&b.run, &b.trap);
    test_shares(&b);
    test_refusals(&b);
    test_hard_heads(&b);
    test_random_models(&b);
    test_gallery(&b);
    arena_free(&b.keep);
    arena_free(&b.one);
    arena_free(&b.scratch);
    arena_free(&b.run);
    return test_finish("t-certify-choices");
}
