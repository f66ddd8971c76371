/* The forms that position features and scales take in models of formulas: exactly those that the compiler writes,
   found in the tree of the expression (doc/certificate.md, "Notation"). Everything else is unknown. */
#ifndef RECOGNISE_POSITION_FORM_H
#define RECOGNISE_POSITION_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "model/expression.h"

/* How large a feature is, and on which grid: what bounds need. */
typedef enum form_size {
    FORM_UNKNOWN,
    FORM_CONSTANT, /* |c| */
    FORM_BOOLEAN,  /* 1 */
    FORM_POWER,    /* c M^power */
    FORM_SHARE,    /* at most 1, on no grid */
    FORM_RATIO,    /* c M^power, on no grid */
    FORM_LOG,      /* ln M + c, on no grid */
    FORM_LOG_STEP, /* the least multiple of 4 that is not below ln N + c */
    FORM_DIGIT,    /* below c, and M/(2 d): whole */
    FORM_TOP,      /* M/(2 c), whole */
    FORM_CEIL2     /* the least power of two that is not below c N, divided by d */
} form_size;

typedef struct feature_form {
    form_size size;
    int power;
    int squares;    /* shares: how many of i*i and N*N are in it */
    bool logarithm; /* shares: ln(max(i, 1))/(c*N) */
    double c, d;    /* constants found in it */
} feature_form;

/* What a feature is: what recognition needs. i stands for the position, counted from the end where the form is
   mirrored. */
typedef enum position_kind {
    POSITION_UNKNOWN,
    POSITION_CONSTANT,     /* c */
    POSITION_FIRST,        /* [i = 1]*[1 <= n] */
    POSITION_LAST,         /* [i = n]*[1 <= n] */
    POSITION_RESIDUE,      /* [(i % m*a + b) % m = r], or <= r */
    POSITION_PLACE,        /* the same times [1 <= i]*[i <= n] */
    POSITION_INDEX,        /* i, C*i */
    POSITION_SIZE,         /* C*N */
    POSITION_SIZE_2,       /* C*N*N */
    POSITION_SIZE_3,       /* C*N*N*N */
    POSITION_SIZE_INDEX,   /* C*N*i */
    POSITION_SIZE_INDEX_2, /* C*N*i*i */
    POSITION_START_SIZE,   /* [i = 0]*C*N */
    POSITION_END_SIZE,     /* [i = N - 1]*C*N */
    POSITION_SHARE,        /* i/N */
    POSITION_INVERSE,      /* 1/(i + 1); mirrored: 1/(N - i) */
    POSITION_SHARE_2,      /* i/(N*N) */
    POSITION_SQUARE_2,     /* i*i/(N*N) */
    POSITION_START_SHARE,  /* [i = 0]/N */
    POSITION_LOG_OTHERS,   /* ln(max(i, 1))/(C*N) */
    POSITION_RATIO,        /* C*N*N/(i + 1) */
    POSITION_LOG,          /* ln(N) + C */
    POSITION_LOG_STEP,     /* -4*floor(-(ln(N) + C)/4) */
    POSITION_CENTRED,      /* i - floor(N/2) */
    POSITION_DIGIT,        /* floor(|i - floor(N/2)|/d) % c with the sign of i - floor(N/2); c, d powers of two */
    POSITION_TOP,          /* floor(|i - floor(N/2)|/c) with that sign */
    POSITION_CEIL2         /* ceil2(C*N)/d, d a power of two */
} position_kind;

typedef struct position_form {
    position_kind kind;
    bool mirrored;
    bool at_most;                                 /* RESIDUE, PLACE: <= r, not = r */
    int64_t factor, constant, modulus, remainder; /* RESIDUE, PLACE: a, b, m, r */
    feature_form size;                            /* with c and d of the kind */
} position_form;

position_form position_form_of(const expression *e);

#endif
