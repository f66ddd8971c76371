/* Scales as users write them: names of schedules, and what is said of a factor that is no number. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/print.h"
#include "lab/schedules.h"

/* ---- names ---- */

/* A name, a colon and a number, which stands for %s; others are in the table of schedules. */
static const struct {
    const char *name, *factor;
} names[] = {{"yarn", "(0.1*ln(%s) + 1)*(0.1*ln(%s) + 1)"}, {"ssmax", "%s*ln(N)"}};
static const char KNOWN[] =
    "schedules with names: constant, llama4, yarn, yarn:4, ssmax:0.43, log, log2, linear; or write "
    "an expression of N, n and i";

/* i, n and N are expressions. */
static bool is_word(const char *word) {
    size_t length = strcspn(word, ":"), letters = 0;
    while (ascii_is_name(word[letters])) letters++;
    return ascii_is_letter(*word) && letters == length && (word[length] || length > 1);
}

/* The factor with the number in place of each %s. */
static const char *with_number(const char *factor, const char *number, arena *a) {
    text t;
    text_init(&t, a);
    for (const char *p = factor; *p; p++)
        if (*p == '%' && p[1] == 's')
            text_puts(&t, number), p++;
        else
            text_putc(&t, *p);
    return text_string(&t);
}

const char *schedule_factor(const char *written, arena *a) {
    size_t length = strcspn(written, ":");
    const char *number = written[length] ? written + length + 1 : NULL;
    double x;
    for (size_t k = 0; k < schedule_count; k++)
        if (schedules[k].word &&
            (ascii_same(schedules[k].word, written, SIZE_MAX) || ascii_same(schedules[k].name, written, SIZE_MAX)))
            return schedules[k].factor;
    if (ascii_same("log2", written, SIZE_MAX)) return "log2(N)";
    if (!is_word(written)) return written;
    bool plain = number && strspn(number, "0123456789.") == strlen(number) &&
                 text_to_double(&x, number, strlen(number)) && x > 0 && x <= 1e6;
    for (size_t k = 0; plain && k < sizeof names / sizeof *names; k++)
        if (strlen(names[k].name) == length && ascii_same(names[k].name, written, length))
            return with_number(names[k].factor, number, a);
    trap_raise_hint(a->trap, TEMPER_RANGE, 0, 0, KNOWN, "there is no schedule '%s'",
                    text_escaped(a, written, strlen(written), 40));
}

/* ---- factors that are no numbers ---- */

static const char HINT[] =
    "a factor is a number of at least 0 in every row: max(x, 1) keeps a logarithm from falling "
    "below 0";

static void refuse(const expression *e, const char *written, double i, double n, double size, trap *t) {
    char said[160], where[40] = "";
    arena a;
    arena_init(&a, t);
    const char *fault = expression_fault(e, i, n, size, &a);
    if (expression_uses(e, EXPR_I)) print_to(where, sizeof where, " and i = %.0f", i);
    if (fault)
        snprintf(said, sizeof said, "%s", fault);
    else
        print_to(said, sizeof said, "is %.6g at n = %.0f%s", expression_eval(e, i, n, size), n, where);
    arena_free(&a);
    trap_raise_hint(t, TEMPER_RANGE, 0, 0, HINT, "the scale '%.60s' %s", written, said);
}

void schedule_range(double *low, double *high, const expression *factor, const char *written, double first,
                    double last, double n, double size, trap *t) {
    bool rows = expression_uses(factor, EXPR_I);
    *low = INFINITY, *high = 0;
    for (double i = rows ? first : last; i <= last; i++) {
        double x = expression_eval(factor, i, n, size);
        if (!(x >= 0) || !isfinite(x)) refuse(factor, written, i, n, size, t);
        *low = fmin(*low, x), *high = fmax(*high, x);
    }
}
