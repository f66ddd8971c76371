#include "random_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_TERMS = 8 };

/* The inputs of a unit. */
typedef struct unit_row {
    int count, channel[ROW_TERMS];
    double weight[ROW_TERMS];
} unit_row;

typedef struct writer {
    char *text;
    size_t length;
    test_random *r;
    int channels;
    bool varied, extreme;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(w->text + w->length, RANDOM_MODEL_TEXT - w->length, format, args);
    va_end(args);
    if (length > 0) w->length += (size_t)length;
    if (w->length >= RANDOM_MODEL_TEXT) w->length = RANDOM_MODEL_TEXT - 1;
}

static const char *pick(writer *w, const char *const *from, size_t count) { return from[random_below(w->r, count)]; }

/* Few different weights, so that scores tie often. */
static const char *weight(writer *w) {
    static const char *const weights[] = {"1", "1", "1", "-1", "2", "-2", "0.5", "-0.5", "0.25", "1.5", "3", "-0.75"};
    static const char *const odd[] = {"3", "0.375", "1000", "0x1p-20", "-1.5", "0.1", "-0.3", "7", "-0x1p-6", "64"};
    static const char *const far[] = {"0x1p30", "-0x1p30", "0x1p-30", "-0x1p-30", "0x1.8p29"};
    if (w->extreme && random_below(w->r, 8) == 0) return pick(w, far, sizeof far / sizeof *far);
    if (w->varied && random_below(w->r, 6) == 0) return pick(w, odd, sizeof odd / sizeof *odd);
    return pick(w, weights, sizeof weights / sizeof *weights);
}

/* A row of up to `most` terms, channels ascending. */
static void put_terms(writer *w, int most) {
    for (int c = 0, left = most; c < w->channels && left > 0; c++)
        if (random_below(w->r, (uint64_t)w->channels) < (uint64_t)most) {
            put(w, " %d:%s", c, weight(w));
            left--;
        }
}

static void put_rows(writer *w, const char *name, size_t count, int most) {
    for (size_t k = 0; k < count; k++) {
        put(w, "  %s", name);
        put_terms(w, most);
        put(w, "\n");
    }
}

static void put_head(writer *w, const random_model_options *o) {
    static const char *const masks[] = {"all", "j<i", "j<=i", "j>i", "j>=i"};
    static const char *const choices[] = {"leftmost", "rightmost", "average"};
    size_t queries = (size_t)random_below(w->r, o->varied ? 4 : 3), values = 1 + (size_t)random_below(w->r, 2);
    put(w, "head \"h\" mask %s choice %s\n", pick(w, masks, 5), pick(w, choices, o->average ? 3 : 2));
    put_rows(w, "query", queries, 2);
    put_rows(w, "key", queries, 2);
    put_rows(w, "value", values, 2);
    put_rows(w, "output", values, 1);
}

/* ---- units that share rows ---- */

static void make_row(unit_row *row, writer *w, int most) {
    row->count = 0;
    for (int c = 0; c < w->channels && row->count < most; c++)
        if (random_below(w->r, (uint64_t)w->channels) < (uint64_t)most) {
            row->channel[row->count] = c;
            row->weight[row->count++] = strtod(weight(w), NULL);
        }
}

/* relu(factor row + bias) to one channel, or to none. */
static void put_unit(writer *w, const unit_row *row, double factor, double bias, int channel, double out) {
    put(w, "unit %a", bias);
    for (int k = 0; k < row->count; k++) put(w, " %d:%a", row->channel[k], factor * row->weight[k]);
    put(w, " ->");
    if (channel >= 0) put(w, " %d:%a", channel, out);
    put(w, "\n");
}

/* A gate that clips to 0 or 1, or a few units that read the same row up to a factor +-2^k. */
static void put_bundle(writer *w) {
    static const double biases[] = {0, 0, 0.5, -0.5, 1, -1, -1.5, 2, -3, 0.25};
    unit_row row;
    int channel = (int)random_below(w->r, (uint64_t)w->channels);
    double shift = 0.5 * (double)(1 + random_below(w->r, 4));
    make_row(&row, w, 2);
    switch (random_below(w->r, 3)) {
    case 0: /* relu(2a - 1/2) - relu(2a - 3/2) */
        put_unit(w, &row, 2, -shift, channel, 1);
        put_unit(w, &row, 2, -shift - 1, channel, -1);
        break;
    case 1: /* a -> 1 - a, clipped */
        put_unit(w, &row, -2, 2.5, channel, 1);
        put_unit(w, &row, -2, 1.5, channel, -1);
        break;
    default:
        for (uint64_t k = 1 + random_below(w->r, 4); k > 0; k--) {
            double factor = ldexp(random_below(w->r, 3) ? 1 : -1, (int)random_below(w->r, 5) - 2);
            double bias = biases[random_below(w->r, sizeof biases / sizeof *biases)];
            put_unit(w, &row, factor, bias, random_below(w->r, 4) ? channel : (int)random_below(w->r, 3),
                     strtod(weight(w), NULL));
        }
    }
}

static void put_channels(writer *w, const random_model_options *o) {
    static const char *const whole[] = {"i", "[i = 0]", "[i = 1]", "i % 2", "N - 1 - i", "i*i", "[i = n]/2"};
    static const char *const broken[] = {"1/(i + 1)", "i/N", "1/3", "(i + 1)/(2*N)", "i/10"};
    static const char *const more[] = {"i*i",           "3*i",          "[i = n]",       "N",
                                       "i*(N - 1 - i)", "[2 < i]",      "min(i, 3)",     "floor(i/2)",
                                       "[i = N - 1]",   "i % 3 - 1",    "max(2 - i, 0)", "i/8",
                                       "2*i - N",       "[i != 0]*i*i", "(2*i - n)/4",   "n % 2"};
    put(w, "channel 0 \"one\" position \"1\"\n");
    for (int c = 1; c < w->channels; c++) {
        put(w, "channel %d \"c%d\"", c, c);
        if (random_below(w->r, 3) == 0)
            put(w, " position \"%s\"",
                o->varied && random_below(w->r, 2)      ? pick(w, more, sizeof more / sizeof *more)
                : o->fractions && random_below(w->r, 2) ? pick(w, broken, sizeof broken / sizeof *broken)
                                                        : pick(w, whole, sizeof whole / sizeof *whole));
        put(w, "\n");
    }
}

void random_model_text(char text[RANDOM_MODEL_TEXT], test_random *r, const random_model_options *o) {
    writer w = {.text = text, .r = r, .channels = 3 + (int)random_below(r, o->small ? 2 : 4)};
    bool third = o->varied && random_below(r, 4) == 0;
    w.varied = o->varied;
    w.extreme = o->extreme;
    int layers = 1 + (int)random_below(r, o->small ? 2 : 3);
    bool end = random_below(r, 3) == 0;
    put(&w, "temper-model 1\nalphabet \"a\" \"b\"%s\nat %s\nend %s\n", third ? " \"c\"" : "",
        random_below(r, 4) ? "last" : "first", end ? "yes" : "no");
    put_channels(&w, o);
    static const char *const tokens[] = {"\"a\"", "\"b\"", "\"c\"", "start", "end"};
    for (int k = 0; k < 5; k++) {
        if (k == 2 && !third) continue;
        put(&w, "embed %s", tokens[k]);
        put_terms(&w, 2);
        put(&w, "\n");
    }
    for (int l = 1; l <= layers; l++) {
        put(&w, "layer %d\n", l);
        for (uint64_t h = o->small ? 1 : 1 + random_below(r, 2); h > 0; h--) put_head(&w, o);
        for (uint64_t u = random_below(r, 3); u > 0; u--) {
            put(&w, "unit %s", random_below(r, 2) ? weight(&w) : "0");
            put_terms(&w, 2);
            put(&w, " ->");
            put_terms(&w, 1);
            put(&w, "\n");
        }
        for (uint64_t b = o->varied ? random_below(r, 3) : 0; b > 0; b--) put_bundle(&w);
    }
    put(&w, "read");
    put_terms(&w, 2);
    put(&w, "\n");
}

temper_model *model_from(const char *text) {
    temper_model *m = NULL;
    temper_error err;
    temper_status status = temper_model_read(&m, text, strlen(text), &err);
    CHECK(status == TEMPER_OK, "line %zu: %s\n%s", err.line, err.text, text);
    return m;
}

temper_model *random_model(char text[RANDOM_MODEL_TEXT], test_random *r, const random_model_options *o) {
    random_model_text(text, r, o);
    return model_from(text);
}
