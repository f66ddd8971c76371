#include "bound/feature_form.h"

#include <stdlib.h>
#include <string.h>

/* In a pattern C and D stand for whole numbers above 0. */
typedef struct pattern {
    const char *text;
    form_size size;
    int power, squares;
    bool logarithm;
} pattern;

#define SIGN     "([floor(N/2) < i] - [i < floor(N/2)])"
#define DISTANCE "max(i - floor(N/2), floor(N/2) - i)"

static const pattern PATTERNS[] = {
    {"i", FORM_POWER, .power = 1},
    {"C*i", FORM_POWER, .power = 1},
    {"C*N", FORM_POWER, .power = 1},
    {"C*N*i", FORM_POWER, .power = 2},
    {"C*N*i*i", FORM_POWER, .power = 3},
    {"[i = 0]*C*N", FORM_POWER, .power = 1},
    {"[i = N - 1]*C*N", FORM_POWER, .power = 1},
    {"C*N*N", FORM_POWER, .power = 2},
    {"C*N*N*N", FORM_POWER, .power = 3},
    {"i/N", FORM_SHARE, .power = 0},
    {"1/(i + 1)", FORM_SHARE, .power = 0},
    {"1/(N - i)", FORM_SHARE, .power = 0},
    {"i/(N*N)", FORM_SHARE, .squares = 1},
    {"i*i/(N*N)", FORM_SHARE, .squares = 2},
    {"[i = 0]/N", FORM_SHARE, .power = 0},
    {"ln(max(i, 1))/(C*N)", FORM_SHARE, .logarithm = true},
    {"C*N*N/(i + 1)", FORM_RATIO, .power = 2},
    {"ln(N) + C", FORM_LOG, .power = 0},
    {"-4*floor(-(ln(N) + C)/4)", FORM_LOG_STEP, .power = 0},
    {"i - floor(N/2)", FORM_TOP, .power = 0},
    {SIGN "*(" DISTANCE " % C)", FORM_DIGIT, .power = 0},
    {SIGN "*(floor(" DISTANCE "/D) % C)", FORM_DIGIT, .power = 0},
    {SIGN "*floor(" DISTANCE "/C)", FORM_TOP, .power = 0},
    {"ceil2(C*N)", FORM_CEIL2, .power = 0},
    {"ceil2(C*N)/D", FORM_CEIL2, .power = 0},
};

/* A whole number above 0 at *at, moving it on; 0 if there is none. */
static double read_whole(const char **at) {
    size_t digits = strspn(*at, "0123456789");
    if (!digits || digits > 15 || **at == '0') return 0;
    double x = strtod(*at, NULL);
    *at += digits;
    return x;
}

static bool matches(feature_form *out, const char *form, const char *found) {
    *out = (feature_form){.c = 1, .d = 1};
    for (; *form; form++) {
        if (*form != 'C' && *form != 'D') {
            if (*found++ != *form) return false;
            continue;
        }
        double x = read_whole(&found);
        if (x == 0) return false;
        if (*form == 'C')
            out->c = x;
        else
            out->d = x;
    }
    return !*found;
}

/* 0 or 1 at every position; the parser bounds the depth. */
static bool is_test(const expression *e) {
    if (e->op == EXPR_MUL) return is_test(e->a) && is_test(e->b);
    return e->op == EXPR_EQ || e->op == EXPR_NE || e->op == EXPR_LT || e->op == EXPR_LE;
}

/* text with every `from` replaced by "i" */
static const char *from_the_start(const char *text_in, const char *from, arena *a) {
    text out;
    text_init(&out, a);
    for (const char *p = text_in; *p;) {
        bool here = strncmp(p, from, strlen(from)) == 0;
        text_add(&out, here ? "i" : p, 1);
        p += here ? strlen(from) : 1;
    }
    return text_string(&out);
}

feature_form feature_form_of(const expression *e, arena *scratch) {
    feature_form f = {0};
    if (e->op == EXPR_CONSTANT) return (feature_form){.size = FORM_CONSTANT, .c = e->constant, .d = 1};
    if (is_test(e)) return (feature_form){.size = FORM_BOOLEAN, .c = 1, .d = 1};
    text printed;
    text_init(&printed, scratch);
    expression_print(&printed, e);
    const char *plain = from_the_start(text_string(&printed), "(N - 1 - i)", scratch);
    plain = from_the_start(plain, "N - 1 - i", scratch);
    for (size_t k = 0; k < sizeof PATTERNS / sizeof *PATTERNS; k++)
        if (matches(&f, PATTERNS[k].text, plain)) {
            f.size = PATTERNS[k].size;
            f.power = PATTERNS[k].power;
            f.squares = PATTERNS[k].squares;
            f.logarithm = PATTERNS[k].logarithm;
            return f;
        }
    return (feature_form){0};
}
