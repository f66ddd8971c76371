/* What is found for one length after the other, by short ways, is what every length gives by itself, the long way
   (plain_facts.h), bit for bit: the gallery, random models, and models made of features that the short ways are for.
   TEMPER_TEST_EFFORT goes with the length, too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "plain_facts.h"
#include "random_model.h"
#include "run/exact_run.h"

static bool known_are_equal(const known *x, const known *y, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (x[k].lo != y[k].lo || x[k].hi != y[k].hi || x[k].grid != y[k].grid) return false;
    return true;
}

static bool heads_are_equal(const char *source, size_t n, uint32_t layer, uint32_t head, const head_facts *x,
                            const head_facts *y, const model_head *h) {
    size_t qs = h->query.count, vs = h->value.count;
    return CHECK(x->uniform == y->uniform && x->tieless == y->tieless && x->gap == y->gap &&
                     x->log2_gap == y->log2_gap,
                 "length %zu, head %u.%u: uniform %d tieless %d gap %a (%g), by itself %d %d %a (%g)\n%s", n,
                 layer + 1, head + 1, x->uniform, x->tieless, x->gap, x->log2_gap, y->uniform, y->tieless, y->gap,
                 y->log2_gap, source) &&
           CHECK(known_are_equal(x->query, y->query, qs) && known_are_equal(x->key, y->key, qs) &&
                     known_are_equal(x->value, y->value, vs),
                 "length %zu, head %u.%u: its rows differ\n%s", n, layer + 1, head + 1, source) &&
           CHECK(known_are_equal(x->output, y->output, vs), "length %zu, head %u.%u: its output differs\n%s", n,
                 layer + 1, head + 1, source);
}

static bool bundles_are_equal(const bundle_facts *x, const bundle_facts *y, const bundle *b) {
    for (uint32_t p = 0; p <= b->corner_count; p++)
        if (x->distance[p] != y->distance[p]) return false;
    return known_are_equal(&x->input, &y->input, 1);
}

static bool facts_are_equal(const char *source, const subject_model *s, const facts *x, const facts *y) {
    const temper_model *m = s->model;
    size_t n = x->n;
    for (uint32_t l = 0; l < m->layer_count; l++) {
        const layer_facts *p = &x->layers[l], *q = &y->layers[l];
        for (uint32_t h = 0; h < m->layers[l].head_count; h++)
            if (!heads_are_equal(source, n, l, h, &p->heads[h], &q->heads[h], &m->layers[l].heads[h])) return false;
        if (!CHECK(known_are_equal(p->before, q->before, m->channel_count) &&
                       known_are_equal(p->middle, q->middle, m->channel_count),
                   "length %zu, layer %u: channels differ\n%s", n, l + 1, source))
            return false;
        for (uint32_t b = 0; b < s->bundles[l].count; b++)
            if (!CHECK(bundles_are_equal(&p->bundles[b], &q->bundles[b], &s->bundles[l].items[b]),
                       "length %zu, layer %u, bundle %u differs\n%s", n, l + 1, b + 1, source))
                return false;
    }
    return CHECK(known_are_equal(x->after, y->after, m->channel_count) && x->margin == y->margin &&
                     x->margin_everywhere == y->margin_everywhere,
                 "length %zu: margins %a and %a, by itself %a and %a\n%s", n, x->margin, x->margin_everywhere,
                 y->margin, y->margin_everywhere, source);
}

static size_t compared, stopped; /* lengths, and models that were too large for the long way */

/* Lengths from `first` on; those that `step` leaves out are run, not compared. */
static void compare(const char *source, const temper_model *m, size_t first, size_t longest, size_t step) {
    trap t;
    arena keep, one, scratch;
    temper_error e;
    arena_init(&keep, &t);
    arena_init(&one, &t);
    arena_init(&scratch, &t);
    if (trap_set(&t, &e)) {
        CHECK(e.code == TEMPER_LIMIT, "%s\n%s", e.text, source);
        stopped++;
    } else {
        subject_model s;
        subject_model_init(&s, m, &keep);
        facts_run *run = facts_run_begin(&s, first, &keep);
        for (size_t n = first; n <= longest; n++) {
            arena_reset(&one);
            const facts *found = facts_run_next(run, &one);
            if ((n - first) % step && n != longest) continue;
            rational_pool pool;
            arena_reset(&scratch);
            rational_pool_init(&pool, &scratch);
            if (!facts_are_equal(source, &s, found, plain_facts(&s, n, &pool, &one))) break;
            compared++;
        }
        trap_clear(&t);
    }
    arena_free(&keep);
    arena_free(&one);
    arena_free(&scratch);
}

/* ---- models of features ---- */

static const char *const weights[] = {"1", "2", "-1", "-2", "0x1p-1", "-0x1p-1", "4", "0x1.8p+0"};

static const char *weight(test_random *r) {
    return weights[random_below(r, 3) ? random_below(r, 2) : random_below(r, sizeof weights / sizeof *weights)];
}

/* One row: one term, or two. */
static void put_row(text *t, test_random *r, const char *what, const uint32_t *channels, size_t count) {
    uint32_t a = channels[random_below(r, count)], b = channels[random_below(r, count)];
    text_printf(t, "  %s %u:%s", what, a < b ? a : b, weight(r));
    if (a != b && random_below(r, 3) == 0) text_printf(t, " %u:%s", a < b ? b : a, weight(r));
    text_putc(t, '\n');
}

enum { FEATURES = 16, LETTERS = 2, FREE = 8 };

/* The features that models of the gallery have, queries of a constant or of what a layer found, and keys of features
   alone or with a letter: keys that bend, of few kinds, or with remainders that rise. */
static void feature_model_text(text *t, test_random *r) {
    static const char *const features[FEATURES] = {
        "1",           "i",          "i*i",       "1/(i + 1)", "i/(2*N)",        "[i = 1]",
        "[2 <= i]",    "i % 2",      "n + 1 - i", "i/N",       "i + floor(n/2)", "n % 2",
        "2*i - 3*i*i", "[2*i <= n]", "N - i",     "i/64"};
    static const char *const masks[] = {"j<=i", "j<=i", "j<=i", "j<i", "all", "all", "j>i", "j>=i"};
    static const char *const choices[] = {"average", "average", "leftmost", "rightmost"};
    uint32_t channels[FEATURES + LETTERS + FREE], made = FEATURES + LETTERS;
    for (uint32_t c = 0; c < made; c++) channels[c] = c;
    bool end = random_below(r, 8) == 0;
    text_printf(t, "temper-model 1\nalphabet \"a\" \"b\"\nend %s\n", end ? "yes" : "no");
    if (random_below(r, 4) == 0) text_puts(t, "at first\n");
    for (uint32_t c = 0; c < FEATURES; c++) text_printf(t, "channel %u \"\" position \"%s\"\n", c, features[c]);
    for (uint32_t c = FEATURES; c < made + FREE; c++) text_printf(t, "channel %u \"\"\n", c);
    text_printf(t, "embed \"a\" %u:1\nembed \"b\" %u:1\nembed start\nembed end\n", FEATURES, FEATURES + 1);
    for (uint32_t layer = 1; layer <= 3 && made < FEATURES + LETTERS + FREE; layer++) {
        uint32_t heads = 1 + (uint32_t)random_below(r, 2), before = made;
        text_printf(t, "layer %u\n", layer);
        for (uint32_t h = 0; h < heads && made < FEATURES + LETTERS + FREE; h++) {
            text_printf(t, "head \"\" mask %s choice %s\n", masks[random_below(r, sizeof masks / sizeof *masks)],
                        choices[random_below(r, sizeof choices / sizeof *choices)]);
            size_t rows = layer == 1 && h == 0 ? random_below(r, 2) : 1 + random_below(r, 2);
            bool look_up = rows == 2 && random_below(r, 2); /* (x, 1) against (2j, -j^2) */
            for (size_t k = 0; k < rows; k++) {
                if ((look_up && k == 1) || (!look_up && random_below(r, 2)))
                    text_printf(t, "  query 0:%s\n", weight(r));
                else
                    put_row(t, r, "query", channels, before);
            }
            for (size_t k = 0; k < rows; k++) {
                if (look_up)
                    text_printf(t, k ? "  key 2:-1\n" : "  key 1:%s\n", weight(r));
                else
                    put_row(t, r, "key", channels, before);
            }
            put_row(t, r, "value", channels, before);
            text_printf(t, "  output %u:%s\n", made++, weight(r));
        }
        if (random_below(r, 2) && made < FEATURES + LETTERS + FREE) { /* a ramp */
            uint32_t x = channels[FEATURES + random_below(r, before - FEATURES)], y = before;
            text_printf(t, "unit -0x1p-1 %u:2 %u:2 -> %u:1\nunit -0x1.8p+0 %u:2 %u:2 -> %u:-1\n", x < y ? x : y,
                        x < y ? y : x, made, x < y ? x : y, x < y ? y : x, made);
            made++;
        }
        for (uint32_t c = before; c < made; c++) channels[c] = c;
    }
    text_printf(t, "read %u:1\n", made - 1);
}

static void test_features(test_random *r, size_t models, size_t longest) {
    trap errors;
    arena a;
    temper_error e;
    arena_init(&a, &errors);
    if (!trap_set(&errors, &e)) {
        for (size_t k = 0; k < models; k++) {
            text t;
            arena_reset(&a);
            text_init(&t, &a);
            feature_model_text(&t, r);
            temper_model *m = model_from(text_string(&t));
            if (m) compare(text_string(&t), m, k % 4 ? 0 : random_below(r, 9), longest, 1);
            temper_model_free(m);
        }
        trap_clear(&errors);
    } else {
        CHECK(false, "%s", e.text);
    }
    arena_free(&a);
}

static void test_gallery(size_t longest) {
    for (size_t k = 0; k < temper_gallery_count(); k++) {
        temper_gallery_info about;
        temper_model *hard;
        temper_error e;
        if (!CHECK(temper_gallery_about(&about, k, &e) == TEMPER_OK, "%s", e.text)) continue;
        if (!CHECK(temper_gallery_model(&hard, about.name, &e) == TEMPER_OK, "%s", e.text)) continue;
        compare(about.name, hard, 0, longest, longest > 40 ? 1 : 3);
        temper_model_free(hard);
    }
}

/* With the argument "gallery": only that, every length up to 200. */
int main(int argc, char **argv) {
    test_random r = test_seed(4011);
    double effort = test_effort();
    if (argc > 1 && strcmp(argv[1], "gallery") == 0) {
        test_gallery(200);
        return test_finish("t-facts-lengths");
    }
    size_t models = (size_t)(36 * effort);
    char source[RANDOM_MODEL_TEXT];
    for (size_t k = 0; k < models; k++) {
        random_model_options kind = {.average = random_below(&r, 4) > 0,
                                     .fractions = random_below(&r, 3) == 0,
                                     .small = random_below(&r, 2),
                                     .varied = random_below(&r, 4) > 0,
                                     .extreme = random_below(&r, 6) == 0};
        temper_model *m = random_model(source, &r, &kind);
        if (m) compare(source, m, k % 4 ? 0 : random_below(&r, 5), 12, 1);
        temper_model_free(m);
    }
    test_features(&r, models, 14);
    test_gallery(effort < 1 ? 12 : effort > 9 ? 200 : 18);
    printf("facts of %zu lengths; %zu models were left at one\n", compared, stopped);
    CHECK(compared > 8 * models, "only %zu lengths of %zu models", compared, 2 * models);
    return test_finish("t-facts-lengths");
}
