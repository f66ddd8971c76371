/* Position features and scales are recognised by their exact tree. The tables below list every form that the compiler
   writes, and nothing else is understood. Each form has few operations in a known order, so its roundings can be
   counted. The range of its constants keeps every intermediate result exact, or at least a normal number, in f64. A
   pattern is the tree in Polish notation. */
#include "audit/audit_feature.h"

#include <math.h>
#include <string.h>

/* The letters of patterns:

       i n N 0 1 2 4    themselves; m is the number -4
       + - * / %        the operator, then its two operands; = < l are the tests =, <, <=; X is max
       _ L F P          -x, ln, floor, ceil2, then the operand
       p q e            i, i + 1, [i = 0]; or all of them mirrored: N - 1 - i, N - i, [i = N - 1]
       H A S            floor(N/2), the distance from it, the sign of i - floor(N/2)
       C D M R B W      a number; the same letter is the same number */
static const char NUMBERS[] = "CDMRBW";
enum { NUMBER_C, NUMBER_D, NUMBER_M, NUMBER_R, NUMBER_B, NUMBER_W, NUMBER_COUNT };

typedef struct match {
    double number[NUMBER_COUNT];
    bool known[NUMBER_COUNT];
    enum { SIDE_UNKNOWN, SIDE_START, SIDE_END } side;
} match;

static bool fits(const char **pattern, const expression *e, match *m);

static bool fits_whole(const char *pattern, const expression *e, match *m) { return fits(&pattern, e, m); }

/* A form and its mirror image; one feature has only one of them. */
static bool fits_side(const expression *e, match *m, const char *straight, const char *mirrored) {
    int side = fits_whole(straight, e, m) ? SIDE_START : fits_whole(mirrored, e, m) ? SIDE_END : SIDE_UNKNOWN;
    if (side == SIDE_UNKNOWN || (m->side != SIDE_UNKNOWN && (int)m->side != side)) return false;
    m->side = side;
    return true;
}

static bool fits_number(const expression *e, double value) { return e->op == EXPR_CONSTANT && e->constant == value; }

static bool fits_unknown(const expression *e, match *m, size_t which) {
    if (e->op != EXPR_CONSTANT || (m->known[which] && m->number[which] != e->constant)) return false;
    m->known[which] = true;
    m->number[which] = e->constant;
    return true;
}

static bool fits_operator(const char **pattern, const expression *e, match *m, expression_op op) {
    return e->op == op && fits(pattern, e->a, m) && (!e->b || fits(pattern, e->b, m));
}

/* Patterns are finite and nest only downwards, so this ends. */
static bool fits(const char **pattern, const expression *e, match *m) {
    char letter = *(*pattern)++;
    switch (letter) {
    case 'i': return e->op == EXPR_I;
    case 'n': return e->op == EXPR_LENGTH;
    case 'N': return e->op == EXPR_SIZE;
    case '0':
    case '1':
    case '2':
    case '4': return fits_number(e, letter - '0');
    case 'm': return fits_number(e, -4);
    case '+': return fits_operator(pattern, e, m, EXPR_ADD);
    case '-': return fits_operator(pattern, e, m, EXPR_SUB);
    case '*': return fits_operator(pattern, e, m, EXPR_MUL);
    case '/': return fits_operator(pattern, e, m, EXPR_DIV);
    case '%': return fits_operator(pattern, e, m, EXPR_MOD);
    case '=': return fits_operator(pattern, e, m, EXPR_EQ);
    case '<': return fits_operator(pattern, e, m, EXPR_LT);
    case 'l': return fits_operator(pattern, e, m, EXPR_LE);
    case 'X': return fits_operator(pattern, e, m, EXPR_MAX);
    case '_': return fits_operator(pattern, e, m, EXPR_NEG);
    case 'L': return fits_operator(pattern, e, m, EXPR_LN);
    case 'F': return fits_operator(pattern, e, m, EXPR_FLOOR);
    case 'P': return fits_operator(pattern, e, m, EXPR_CEIL2);
    case 'p': return fits_side(e, m, "i", "--N1i");
    case 'q': return fits_side(e, m, "+i1", "-Ni");
    case 'e': return fits_side(e, m, "=i0", "=i-N1");
    case 'H': return fits_whole("F/N2", e, m);
    case 'A': return fits_whole("X-iH-Hi", e, m);
    case 'S': return fits_whole("-<Hi<iH", e, m);
    default: return fits_unknown(e, m, (size_t)(strchr(NUMBERS, letter) - NUMBERS));
    }
}

/* ---- the forms ---- */

typedef struct form {
    feature_kind kind;
    const char *pattern;
    int power; /* of N, SIZE */
} form;

static const form features[] = {
    {FEATURE_CONSTANT, "C", 0},                 /* c */
    {FEATURE_FIRST, "*=i1l1n", 0},              /* [i = 1]*[1 <= n] */
    {FEATURE_LAST, "*=inl1n", 0},               /* [i = n]*[1 <= n] */
    {FEATURE_RESIDUE, "=%pMR", 0},              /* [i % M = R], and <= */
    {FEATURE_RESIDUE, "l%pMR", 0},              /* */
    {FEATURE_RESIDUE, "=%+pBMR", 0},            /* [(i + B) % M = R] */
    {FEATURE_RESIDUE, "l%+pBMR", 0},            /* */
    {FEATURE_RESIDUE, "=%+*%pMWBMR", 0},        /* [(i % M*W + B) % M = R] */
    {FEATURE_RESIDUE, "l%+*%pMWBMR", 0},        /* */
    {FEATURE_LETTER, "**=%pMRl1ilin", 0},       /* these times [1 <= i]*[i <= n] */
    {FEATURE_LETTER, "**l%pMRl1ilin", 0},       /* */
    {FEATURE_LETTER, "**=%+pBMRl1ilin", 0},     /* */
    {FEATURE_LETTER, "**l%+pBMRl1ilin", 0},     /* */
    {FEATURE_LETTER, "**=%+*%pMWBMRl1ilin", 0}, /* */
    {FEATURE_LETTER, "**l%+*%pMWBMRl1ilin", 0}, /* */
    {FEATURE_PLACE, "p", 0},                    /* i */
    {FEATURE_PLACE, "*Cp", 0},                  /* C*i */
    {FEATURE_SIZE, "*CN", 1},                   /* C*N */
    {FEATURE_SIZE, "**CNN", 2},                 /* C*N*N */
    {FEATURE_SIZE, "***CNNN", 3},               /* C*N*N*N */
    {FEATURE_SIZE_PLACE, "**CNp", 0},           /* C*N*i */
    {FEATURE_SIZE_SQUARE, "***CNpp", 0},        /* C*N*i*i */
    {FEATURE_SHARE, "/pN", 0},                  /* i/N */
    {FEATURE_INVERSE, "/1q", 0},                /* 1/(i + 1) */
    {FEATURE_SMALL, "/p*NN", 0},                /* i/(N*N) */
    {FEATURE_SQUARE, "/*pp*NN", 0},             /* i*i/(N*N) */
    {FEATURE_EDGE_SHARE, "/eN", 0},             /* [i = 0]/N */
    {FEATURE_EDGE_SIZE, "**eCN", 0},            /* [i = 0]*C*N */
    {FEATURE_WEIGHTED, "/**CNN+i1", 0},         /* C*N*N/(i + 1) */
    {FEATURE_LOG, "+LNC", 0},                   /* ln(N) + C */
    {FEATURE_NORMALISER, "/LXp1*CN", 0},        /* ln(max(i, 1))/(C*N) */
    {FEATURE_CENTRED, "-iH", 0},                /* i - floor(N/2) */
    {FEATURE_DIGIT, "*S%AM", 0},                /* S*(A % M) */
    {FEATURE_DIGIT, "*SF/AD", 0},               /* S*floor(A/D) */
    {FEATURE_DIGIT, "*S%F/ADM", 0},             /* S*(floor(A/D) % M) */
    {FEATURE_POWER, "P*CN", 0},                 /* ceil2(C*N) */
    {FEATURE_POWER, "/P*CND", 0},               /* ceil2(C*N)/D */
    {FEATURE_STEPPED, "*mF/_+LNC4", 0},         /* -4*floor(-(ln(N) + C)/4) */
};

static const form scales[] = {
    {FEATURE_LOG, "+LNC", 0},     /* ln(N) + C */
    {FEATURE_SIZE, "*CN", 1},     /* C*N */
    {FEATURE_SIZE, "**CNN", 2},   /* C*N*N */
    {FEATURE_SIZE, "***CNNN", 3}, /* C*N*N*N */
};

/* ---- the range of their constants ---- */

static bool is_whole(double x, double least, double most) { return x == floor(x) && x >= least && x <= most; }

static bool is_power(double x) {
    int exponent;
    return is_whole(x, 1, 0x1p40) && frexp(x, &exponent) == 0.5;
}

/* A positive multiple of 2^-20 up to 2^20. With N up to 2^41 nothing that is made of it overflows or becomes
   subnormal. */
static bool is_plain(double x) { return is_whole(x * 0x1p20, 1, 0x1p40); }

/* i + B and (i % M)*W + B stay below 2^53, so that every operation is exact. */
static bool is_residue(const match *m) {
    double modulus = m->number[NUMBER_M], limit = m->known[NUMBER_W] ? 0x1p26 : 0x1p51;
    return is_whole(modulus, 1, limit) && is_whole(m->number[NUMBER_R], 0, modulus - 1) &&
           is_whole(m->number[NUMBER_B], 0, modulus - 1) && is_whole(m->number[NUMBER_W], 0, modulus - 1);
}

static bool in_range(feature_kind kind, const match *m) {
    switch (kind) {
    case FEATURE_CONSTANT: return isfinite(m->number[NUMBER_C]);
    case FEATURE_RESIDUE:
    case FEATURE_LETTER: return is_residue(m);
    case FEATURE_DIGIT:
        return (!m->known[NUMBER_M] || is_whole(m->number[NUMBER_M], 2, 0x1p40)) &&
               (!m->known[NUMBER_D] || is_power(m->number[NUMBER_D]));
    case FEATURE_POWER:
        return is_whole(m->number[NUMBER_C], 1, 0x1p12) && (!m->known[NUMBER_D] || is_power(m->number[NUMBER_D]));
    default: return !m->known[NUMBER_C] || is_plain(m->number[NUMBER_C]);
    }
}

/* ---- recognising ---- */

static feature feature_from(const form *f, const match *m) {
    bool letter = f->kind == FEATURE_LETTER;
    return (feature){.kind = f->kind,
                     .mirrored = m->side == SIDE_END,
                     .constant = m->known[NUMBER_C] ? m->number[NUMBER_C] : 1,
                     .power = f->power,
                     .a = m->known[NUMBER_W] ? (int64_t)m->number[NUMBER_W] : 1,
                     .b = (int64_t)m->number[NUMBER_B],
                     .modulus = (int64_t)m->number[NUMBER_M],
                     .residue = (int64_t)m->number[NUMBER_R],
                     .divisor = m->known[NUMBER_D] ? m->number[NUMBER_D] : 1,
                     .at_most = f->pattern[letter ? 2 : 0] == 'l'};
}

static feature recognise(const expression *e, const form *forms, size_t count) {
    for (size_t k = 0; k < count; k++) {
        match m = {0};
        if (fits_whole(forms[k].pattern, e, &m) && in_range(forms[k].kind, &m)) return feature_from(&forms[k], &m);
    }
    return (feature){.kind = FEATURE_UNKNOWN};
}

feature audit_feature_of(const expression *e) { return recognise(e, features, sizeof features / sizeof *features); }
feature audit_scale_of(const expression *e) { return recognise(e, scales, sizeof scales / sizeof *scales); }
