#include "wild_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CHANNELS = 60, ROWS = 4 };

typedef struct wild {
    char *text;
    size_t length;
    test_random *r;
    int letters, channels, reach;
    int power[MOST_CHANNELS]; /* the channel's numbers are small ones times 2^power */
    char channel_lines[6000], body[RANDOM_MODEL_TEXT];
    size_t lines, used;
    int wildness; /* one in so many numbers is odd; 0: none */
} wild;

/* x 2^e, but neither 0 nor infinite. */
static double times2(double x, int e) {
    double y = ldexp(x, e);
    if (y == 0) return x < 0 ? -0x1p-1074 : 0x1p-1074;
    return isfinite(y) ? y : x < 0 ? -0x1p1023 : 0x1p1023;
}

static bool one_in(wild *w, uint64_t k) { return random_below(w->r, k) == 0; }

__attribute__((format(printf, 2, 3))) static void put(wild *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->body + w->used, sizeof w->body - w->used, format, args);
    va_end(args);
    if (n > 0) w->used += (size_t)n;
    if (w->used >= sizeof w->body) w->used = sizeof w->body - 1;
}

__attribute__((format(printf, 2, 3))) static void put_line(wild *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->channel_lines + w->lines, sizeof w->channel_lines - w->lines, format, args);
    va_end(args);
    if (n > 0) w->lines += (size_t)n;
    if (w->lines >= sizeof w->channel_lines) w->lines = sizeof w->channel_lines - 1;
}

static int new_channel(wild *w, int power) {
    if (w->channels == MOST_CHANNELS) return MOST_CHANNELS - 1;
    w->power[w->channels] = power;
    return w->channels++;
}

static int plain_channel(wild *w, int power) {
    int c = new_channel(w, power);
    put_line(w, "channel %d \"c%d\"\n", c, c);
    return c;
}

static int feature_channel(wild *w, const char *kind, const char *expression, int power) {
    int c = new_channel(w, power);
    put_line(w, "channel %d \"c%d\" %s \"%s\"\n", c, c, kind, expression);
    return c;
}

/* An exponent: mostly 0, else anything to the ends. */
static int exponent(wild *w) {
    if (!one_in(w, 4)) return 0;
    int e = (int)random_below(w->r, (uint64_t)w->reach + 1);
    if (one_in(w, 3)) e = w->reach - (int)random_below(w->r, 4);
    return one_in(w, 2) ? e : -e;
}

static double small(wild *w) {
    static const double plain[] = {1, 1, 1, 1, -1, 2, -2, 0.5, 3, -0.5, 1.5};
    static const double odd[] = {0.1, 1.0 / 3, 0.75, -0.3,   1.0625, 1.125, 1.875, 7,
                                 -9,  13,      1e-3, 1.0001, 0.9999, 17,    255,   257};
    if (w->wildness && one_in(w, (uint64_t)w->wildness)) return odd[random_below(w->r, sizeof odd / sizeof *odd)];
    return plain[random_below(w->r, sizeof plain / sizeof *plain)];
}

/* A weight that takes a channel's numbers to small ones times 2^power. */
static double weight_to(wild *w, int channel, int power) { return times2(small(w), power - w->power[channel]); }

/* A row of up to `most` channels whose value is a small number times 2^power; channels ascend. */
static void put_row(wild *w, const char *name, int most, int power) {
    put(w, "  %s", name);
    int left = 1 + (int)random_below(w->r, (uint64_t)most);
    for (int c = 1; c < w->channels && left > 0; c++)
        if (random_below(w->r, (uint64_t)(w->channels - c)) < (uint64_t)left) {
            put(w, " %d:%a", c, weight_to(w, c, power));
            left--;
        }
    put(w, "\n");
}

/* ---- embedding ---- */

static void put_embedding(wild *w) {
    static const char *const features[] = {"i",       "[i = 0]",       "[i = n]",           "[i = N - 1]",
                                           "i % 2",   "N - 1 - i",     "min(i, 2)",         "i/N",
                                           "1/3",     "1/(i + 1)",     "floor(i/2)",        "ceil2(i)",
                                           "i*i",     "max(i - 2, 0)", "[1 <= i]*[i <= n]", "i/4",
                                           "2*i - N", "0.1",           "[i = 1]*[1 <= n]",  "0*i",
                                           "-i % -3", "(i - 3) % -2",  "(2 - i) % 3",       "floor(-i/2)",
                                           "-i"};
    feature_channel(w, "position", "1", 0);
    int first = w->channels, count = 1 + (int)random_below(w->r, 3);
    for (int k = 0; k < count; k++) plain_channel(w, exponent(w));
    for (uint64_t k = random_below(w->r, 3); k > 0; k--)
        feature_channel(w, one_in(w, 6) ? "soft" : "position",
                        features[random_below(w->r, sizeof features / sizeof *features)], 0);
    if (one_in(w, 8)) feature_channel(w, "position", "0x1p-100", -100);
    for (int t = 0; t < w->letters + 2; t++) {
        char name[8];
        snprintf(name, sizeof name, "\"%c\"", 'a' + t);
        put(w, "embed %s", t < w->letters ? name : t == w->letters ? "start" : "end");
        for (int c = first; c < w->channels; c++)
            if (one_in(w, c < first + count ? 2 : 20))
                put(w, " %d:%a", c, times2(one_in(w, 2) ? 1 : small(w), w->power[c]));
        put(w, "\n");
    }
}

/* ---- heads ---- */

static void put_head(wild *w) {
    static const char *const masks[] = {"all", "j<i", "j<=i", "j>i", "j>=i", "j<=i", "all"};
    static const char *const choices[] = {"leftmost", "rightmost", "average", "average"};
    static const char *const scales[] = {
        "64",    "ln(N) + 8", "8*N", "32*N", "ceil2(N)*16",      "min(N, 4)*30", "max(n, 3)*9", "ln(N) + 20",
        "100/N", "7",         "256", "4",    "max(ln(N), 1)*20", "1000",         "23.7"};
    const char *choice = choices[random_below(w->r, 4)];
    int queries = one_in(w, 5) ? 0 : one_in(w, 2) ? 1 : 1 + (int)random_below(w->r, ROWS);
    int values = 1 + (one_in(w, 4) ? 1 : 0);
    int q = exponent(w), k = exponent(w), v = one_in(w, 3) ? exponent(w) : 0;
    const char *scale = scales[random_below(w->r, sizeof scales / sizeof *scales)];
    int off = -(q + k); /* the scale brings the scores back */
    bool tie = choice[0] != 'a' && one_in(w, 2), hard = one_in(w, 8), adaptive = !hard && one_in(w, 6);
    int soft = 0;
    if (tie) soft = feature_channel(w, "soft", "i", 0);
    put(w, "head \"h\" mask %s choice ", masks[random_below(w->r, 7)]);
    if (hard)
        put(w, "%s\n", choice);
    else if (off == 0 || adaptive)
        put(w, "softmax for %s %s \"%s\"\n", choice, adaptive ? "adaptive" : "scale", scale);
    else
        put(w, "softmax for %s scale \"(%s)*%a\"\n", choice, scale,
            times2(1, off > 1000    ? 1000
                      : off < -1000 ? -1000
                                    : off));
    /* keys and queries do not read the tie-break's channel but in its own row, which comes last */
    int channels = w->channels;
    if (tie) w->channels--;
    for (int d = 0; d < queries; d++) {
        if (one_in(w, 2))
            put(w, "  query 0:%a\n", times2(small(w), q));
        else
            put_row(w, "query", 2, q);
    }
    if (tie) put(w, "  query 0:1\n");
    for (int d = 0; d < queries; d++) put_row(w, "key", 2, k);
    if (tie) put(w, "  key %d:%a\n", soft, times2(choice[0] == 'r' ? 1 : -1, q + k - (int)random_below(w->r, 9)));
    for (int d = 0; d < values; d++) put_row(w, "value", 2, v);
    w->channels = channels;
    for (int d = 0; d < values; d++) {
        int power = one_in(w, 3) ? exponent(w) : 0, to = plain_channel(w, power);
        put(w, "  output %d:%a", to, times2(one_in(w, 4) ? small(w) : 1, power - v));
        put(w, "\n");
    }
}

/* ---- nets ---- */

static void put_units(wild *w) {
    int c = 1 + (int)random_below(w->r, (uint64_t)w->channels - 1), power = w->power[c];
    int to = one_in(w, 5) ? 1 + (int)random_below(w->r, (uint64_t)w->channels - 1)
                          : plain_channel(w, one_in(w, 3) ? exponent(w) : 0);
    double out = times2(1, w->power[to]);
    int d = 1 + (int)random_below(w->r, (uint64_t)w->channels - 1);
    switch (random_below(w->r, 7)) {
    case 0:
    case 1: /* round */
        for (int k = 0; k < 2; k++) {
            put(w, "unit %a", -0.5 - k);
            put(w, " %d:%a -> %d:%a\n", c, times2(2, -power), to, k ? -out : out);
        }
        break;
    case 2: /* and: 2x + 2y - 5/2 */
        for (int k = 0; k < 2; k++) {
            put(w, "unit %a", -2.5 - k);
            if (d < c) put(w, " %d:%a", d, times2(2, -w->power[d]));
            put(w, " %d:%a", c, times2(2, -power));
            if (d > c) put(w, " %d:%a", d, times2(2, -w->power[d]));
            put(w, " -> %d:%a\n", to, k ? -out : out);
        }
        break;
    case 3: /* take it away, once or twice */
        for (uint64_t k = 1 + random_below(w->r, 2); k > 0; k--) put(w, "unit 0 %d:1 -> %d:-1\n", c, c);
        if (one_in(w, 2)) put(w, "unit 0 %d:-1 -> %d:1\n", c, c);
        break;
    case 4: { /* units that share a row */
        double x = small(w);
        for (uint64_t k = 1 + random_below(w->r, 4); k > 0; k--)
            put(w, "unit %a %d:%a -> %d:%a\n", (double)((int)random_below(w->r, 9) - 4) / 2, c,
                times2(one_in(w, 2) ? x : -x, (int)random_below(w->r, 5) - 2 - power), to,
                times2(small(w), w->power[to]));
        break;
    }
    case 5: /* no input */ put(w, "unit %a -> %d:%a\n", small(w), to, out); break;
    default: { /* many inputs */
        put(w, "unit %a", small(w));
        for (int k = 0; k < w->channels; k++) put(w, " %d:%a", k, times2(small(w), -w->power[k]));
        put(w, " -> %d:%a\n", to, times2(small(w), w->power[to]));
    }
    }
}

void wild_model_text(char text[RANDOM_MODEL_TEXT], test_random *r, int reach) {
    static const int wildnesses[] = {0, 0, 3, 6, 12};
    static wild w;
    memset(&w, 0, sizeof w);
    w.r = r;
    w.reach = reach;
    w.wildness = wildnesses[random_below(r, 5)];
    w.letters = one_in(&w, 10) ? 1 : one_in(&w, 6) ? 17 + (int)random_below(r, 10) : 2 + (int)random_below(r, 2);
    bool end = one_in(&w, 3);
    put_embedding(&w);
    int layers = 1 + (int)random_below(r, 3);
    for (int l = 1; l <= layers; l++) {
        put(&w, "layer %d\n", l);
        for (uint64_t h = 1 + random_below(r, 2); h > 0; h--) put_head(&w);
        for (uint64_t k = random_below(r, 3); k > 0; k--) put_units(&w);
    }
    int c = one_in(&w, 4) ? 1 + (int)random_below(r, (uint64_t)w.channels - 1) : w.channels - 1;
    put(&w, "read");
    if (one_in(&w, 6)) put(&w, " 0:%a", small(&w) / 4);
    put(&w, " %d:%a\n", c, times2(one_in(&w, 3) ? small(&w) : 1, -w.power[c]));
    size_t used = (size_t)snprintf(text, RANDOM_MODEL_TEXT, "temper-model 1\nmethod %s\nalphabet",
                                   one_in(&w, 2) ? "temperature" : "positions");
    for (int k = 0; k < w.letters; k++)
        used += (size_t)snprintf(text + used, RANDOM_MODEL_TEXT - used, " \"%c\"", 'a' + k);
    snprintf(text + used, RANDOM_MODEL_TEXT - used, "\nat %s\nend %s\n%s%s", one_in(&w, 4) ? "first" : "last",
             end ? "yes" : "no", w.channel_lines, w.body);
}
