/* How likely strings are, and what is proved of it: bounds against logarithms that are computed here; rows of logits
   that were edited; probabilities that no double holds; and logits of streams, which are added up as in runs. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "temper.h"

static temper_model *built(const char *source, temper_error *e) {
    temper_spec *spec = NULL;
    temper_model *m = NULL;
    temper_spec_options o = {0};
    temper_build_options b = {.method = TEMPER_METHOD_TEMPERATURE};
    if (temper_spec_parse(&spec, source, strlen(source), &o, e) == TEMPER_OK) temper_build(&m, spec, &b, e);
    temper_spec_free(spec);
    return m;
}

static temper_model *read_text(const char *text) {
    temper_model *m = NULL;
    temper_error e;
    CHECK(temper_model_read(&m, text, strlen(text), &e) == TEMPER_OK, "%s\n%s", e.text, text);
    return m;
}

/* ---- edited rows ---- */

static const char HEAD[] =
    "temper-model 2\nkind next\nmethod temperature\nsyntax spec\n"
    "source \"next\\nprobabilities {\\n a 3\\n b 1/7\\n end 1/2\\n}\\nregex [ab]*\\n\"\n"
    "alphabet \"a\" \"b\"\ntokens no\nat last\nempty accept\nend no\n"
    "channel 0 \"real\"\nchannel 1 \"start\"\nchannel 2 \"x\"\nchannel 3 \"y\"\n"
    "channel 4 \"z\"\nembed \"a\" 0:1 2:1 3:1 4:1\nembed \"b\" 0:1\nembed start 1:1\nembed end\n"
    "read \"a\" 0:1 1:1\nread \"b\" 0:1 1:1\nread \"\" 0:1 1:1\n";

typedef struct weights {
    double a, b, end; /* of the logits, on letters and on the start */
    const char *more; /* terms of the first row */
} weights;

static temper_model *edited(weights w) {
    char text[2000];
    snprintf(text, sizeof text, "%slogit \"a\" 0:%a 1:%a%s\nlogit \"b\" 0:%a 1:%a\nlogit \"\" 0:%a 1:%a\n", HEAD, w.a,
             w.a, w.more, w.b, w.b, w.end, w.end);
    return read_text(text);
}

static void check_edited(double by, temper_type type) {
    double sum = 3 + 1.0 / 7 + 0.5, a = log(3 / sum), b = log(1 / (7 * sum)), end = log(0.5 / sum);
    uint32_t word[] = {0, 1, 0};
    temper_run_options o = {.type = type, .threads = 1};
    temper_model *m = edited((weights){a + by, b, end, ""});
    temper_likelihood found;
    temper_error e;
    double truth = 2 * a + b + end, each = temper_model_logit_error(m, type);
    if (CHECK(temper_model_likelihood(&found, m, word, 3, &o, &e) == TEMPER_OK, "%s", e.text)) {
        double off = fabs(found.log_probability - truth);
        CHECK(off <= found.error + 1e-14, "%g: %.17g is off by %g, not %g", by, found.log_probability, off,
              found.error);
        CHECK(!found.proved == (by != 0), "%g: proved %d", by, found.proved);
        CHECK(by != 0 ? isinf(each) && isinf(found.error) : each < 1e-5 && found.error < 1e-5, "%g: %g, %g", by, each,
              found.error);
    }
    temper_model_free(m);
}

/* ---- small probabilities ---- */

/* After `steps` letters the letter c has a probability of 10^-(17 steps). */
static void check_small(int steps) {
    char source[6000];
    uint32_t word[40] = {0};
    int at = snprintf(source, sizeof source, "next\nalphabet a b c\nprobabilities {\nstart l0\n");
    for (int k = 0; k < steps; k++)
        at += snprintf(source + at, sizeof source - (size_t)at, "l%d a l%d 1\n%c%d a r%d 0.00000000000000001\n", k,
                       k + 1, k ? 'r' : 'l', k, k + 1);
    snprintf(source + at, sizeof source - (size_t)at, "l%d b e 1\nr%d c e 1\ne end 1\n}\nregex a{%d}(b|c)\n", steps,
             steps, steps);
    temper_error e = {0};
    temper_likelihood found = {0};
    temper_run_options o = {.threads = 1};
    temper_model *m = built(source, &e);
    double truth = -17 * steps * log(10);
    if (truth < log(2) * -1022) {
        CHECK(!m && strstr(e.text, "below 2^-1022"), "%d steps: %s", steps, m ? "built" : e.text);
    } else if (CHECK(m, "%d steps: %s", steps, e.text)) {
        word[steps] = 2;
        temper_model_likelihood(&found, m, word, (size_t)steps + 1, &o, &e);
        CHECK(found.proved && fabs(found.log_probability - truth) <= found.error + 1e-12 && found.error < 1e-8,
              "%d steps: %.17g, not %.17g, off by %g at most", steps, found.log_probability, truth, found.error);
    }
    temper_model_free(m);
}

/* ---- streams ---- */

/* 1024 comes last: what is small before it must be added up first. */
static void check_stream(temper_type type) {
    double unit = type == TEMPER_TYPE_F32 ? 0x1p-13 : 0x1p-42, a = 0.25 * unit, b = 0.24 * unit, c = 0.49 * unit;
    char more[120];
    snprintf(more, sizeof more, " 2:%a 3:%a 4:0x1p+10", b, c);
    temper_model *m = edited((weights){a, -1, -1, more});
    temper_stream *s = NULL;
    temper_run *run = NULL;
    temper_error e;
    temper_run_options o = {.type = type, .threads = 1};
    uint32_t letter = 0;
    int accept;
    if (CHECK(temper_stream_open(&s, m, &o, &e) == TEMPER_OK &&
                  temper_stream_push(s, letter, &accept, &e) == TEMPER_OK &&
                  temper_model_run(&run, m, &letter, 1, &o, &e) == TEMPER_OK,
              "%s", e.text)) {
        double streamed = temper_stream_logit(s, 0), ran = temper_run_logits(run, 0)[1];
        CHECK(streamed == ran && fabs(ran - 1024 - (a + b + c)) < 0.6 * unit, "%a by stream, %a by run", streamed,
              ran);
    }
    temper_run_free(run);
    temper_stream_free(s);
    temper_model_free(m);
}

int main(void) {
    static const double by[] = {0, 0.5, -0x1p-10, 0x1p-12, 1000};
    static const temper_type types[] = {TEMPER_TYPE_F64, TEMPER_TYPE_F32};
    for (size_t t = 0; t < 2; t++) {
        for (size_t k = 0; k < sizeof by / sizeof *by; k++) check_edited(by[k], types[t]);
        check_stream(types[t]);
    }
    for (int steps = 17; steps <= 20; steps++) check_small(steps);
    return test_finish("t-likelihood");
}
