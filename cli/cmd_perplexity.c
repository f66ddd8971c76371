/* temper perplexity: how likely a language model finds the lines of a file. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "real.h"
#include "remedy_words.h"
#include "report.h"
#include "run_settings.h"
#include "subject.h"

typedef struct totals {
    double nats, error; /* of all lines together */
    size_t lines, symbols, impossible;
    bool proved;
} totals;

/* False: the line cannot be read or run, and that was said. */
static bool add_line(totals *t, session *s, const temper_model *model, const line *l) {
    uint32_t *letters = NULL;
    size_t n;
    temper_error err;
    temper_likelihood found = {0};
    place at = {l->input, l->number, 0, l->bytes, l->length};
    temper_run_options o = run_settings(s);
    if (!subject_encode(&letters, &n, &err, s, NULL, model, l)) return false;
    bool fine = temper_model_likelihood(&found, model, letters, n, &o, &err) == TEMPER_OK;
    temper_free(letters);
    if (!fine) {
        message_print(s, exit_code_of(err.code), &at, err.text, error_hint(&err));
        return false;
    }
    t->proved = t->proved && found.proved;
    t->lines++;
    t->symbols += n + 1;
    if (isinf(found.log_probability)) {
        t->impossible++;
        message_print(s, EXIT_NO, &at, "the model says that this line cannot be", NULL);
        return true;
    }
    t->nats -= found.log_probability;
    t->error = nextafter(t->error + nextafter(found.error + fabs(t->nats) * DBL_EPSILON, INFINITY), INFINITY);
    return true;
}

static bool add_file(totals *t, session *s, const temper_model *model, const char *path) {
    lines *in = malloc(sizeof *in);
    line l;
    if (!in) {
        message_print(s, EXIT_LIMIT, NULL, "out of memory", NULL);
        return false;
    }
    bool fine = lines_of_file(in, s, path);
    while (fine && lines_next(&l, in)) fine = add_line(t, s, model, &l);
    lines_stop(in);
    free(in);
    return fine && s->exit_code < EXIT_INPUT; /* half a file has no perplexity */
}

static double up(double x) { return nextafter(x, INFINITY); }

enum { SHOWN = 40 };

/* Nine digits of a number, and two digits of how far that text may be off. */
static void show(char number[SHOWN], char bound[SHOWN], double x, double error) {
    temper_real_format(number, SHOWN, "%.9g", x);
    double all = up(error + up(fabs(real_read(number) - x)));
    temper_real_format(bound, SHOWN, "%.2g", all);
    for (double more = all; real_read(bound) < all;) temper_real_format(bound, SHOWN, "%.2g", more *= 1.01);
}

/* Divided by log 2 and by the number of letters and ends: two more roundings, and that of the constant. */
static void print_totals(session *s, const totals *t) {
    static const double LOG_2 = 0x1.62e42fefa39efp-1;
    double symbols = (double)t->symbols, bits = t->nats / LOG_2 / symbols;
    double error = up(up(up(t->error / LOG_2) / symbols) + 4 * DBL_EPSILON * fabs(bits));
    double perplexity = 1 / temper_probability(-t->nats / symbols);
    char number[SHOWN], bound[SHOWN];
    report r = {0};
    report_count(&r, "lines", t->lines);
    report_count(&r, "symbols", t->symbols);
    report_count(&r, "impossible", t->impossible);
    report_real(&r, "bits", t->impossible ? INFINITY : bits);
    report_real(&r, "error", t->impossible ? 0 : error);
    report_real(&r, "perplexity", t->impossible ? INFINITY : perplexity);
    report_flag(&r, "proved", t->proved);
    if (t->impossible) {
        report_say(&r, "impossible\t{impossible} of {lines} lines");
    } else {
        show(number, bound, bits, error);
        report_word(&r, "number", number);
        report_word(&r, "bound", bound);
        report_say(&r, t->proved ? "{number} bits" : "{number} bits (unproved)");
        report_say(&r, "\t+- {bound}\tperplexity {perplexity}\t{lines} lines, {symbols} letters and ends");
    }
    report_print(&r, s);
}

void cmd_perplexity(session *s) {
    subject x;
    totals t = {.proved = true};
    if (subject_language_model(&x, s)) {
        if (s->opt.count != x.first + 1)
            message_usage(s, "temper perplexity MODEL FILE", "perplexity needs one file of lines");
        else if (add_file(&t, s, x.model, s->opt.arguments[x.first].text)) {
            if (!t.symbols)
                message_print(s, EXIT_INPUT, NULL, "the file has no lines", NULL);
            else if (!s->quiet)
                print_totals(s, &t);
        }
    }
    subject_free(&x);
}
