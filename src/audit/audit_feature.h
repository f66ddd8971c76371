/* Position features and scales: which quantity of doc/certificate.md, "Notation", an expression is. Only the forms
   that the compiler writes are known. Everything else is UNKNOWN, and whoever asked refuses it. */
#ifndef AUDIT_AUDIT_FEATURE_H
#define AUDIT_AUDIT_FEATURE_H

#include "model/expression.h"

/* coefficient * N^size * p^power / q * [edge]: p is i, or N - 1 - i if `mirrored`; q is i + 1 or N - i. */
typedef enum feature_kind {
    FEATURE_UNKNOWN,
    FEATURE_CONSTANT,    /* c */
    FEATURE_FIRST,       /* [i = 1]*[1 <= n] */
    FEATURE_LAST,        /* [i = n]*[1 <= n] */
    FEATURE_RESIDUE,     /* [(a p + b) % m = r], or <= r; 0 <= a, b, r < m */
    FEATURE_LETTER,      /* the same times [1 <= i]*[i <= n] */
    FEATURE_PLACE,       /* C*p, C > 0 */
    FEATURE_SIZE,        /* C*N^k, k = 1, 2, 3; as a feature k = 1 */
    FEATURE_SIZE_PLACE,  /* C*N*p */
    FEATURE_SIZE_SQUARE, /* C*N*p*p */
    FEATURE_SHARE,       /* p/N */
    FEATURE_INVERSE,     /* 1/(i + 1), 1/(N - i) */
    FEATURE_SMALL,       /* p/(N*N) */
    FEATURE_SQUARE,      /* p*p/(N*N) */
    FEATURE_EDGE_SHARE,  /* [p = 0]/N */
    FEATURE_EDGE_SIZE,   /* [p = 0]*C*N */
    FEATURE_WEIGHTED,    /* C*N*N/(i + 1) */
    FEATURE_LOG,         /* ln(N) + C */
    FEATURE_NORMALISER,  /* ln(max(p, 1))/(C*N) */
    FEATURE_CENTRED,     /* i - floor(N/2) */
    FEATURE_DIGIT,  /* with the sign of that: floor(|i - floor(N/2)|/divisor) % modulus, or not reduced (modulus 0) */
    FEATURE_POWER,  /* ceil2(C*N)/divisor */
    FEATURE_STEPPED /* -4*floor(-(ln(N) + C)/4) */
} feature_kind;

typedef struct feature {
    feature_kind kind;
    bool mirrored;
    double constant;                /* c or C */
    int power;                      /* SIZE: k */
    int64_t a, b, modulus, residue; /* RESIDUE, LETTER; DIGIT: modulus */
    double divisor;                 /* DIGIT, POWER */
    bool at_most;
} feature;

feature audit_feature_of(const expression *e);
feature audit_scale_of(const expression *e); /* LOG or SIZE */

/* A second look that does not go by the form: is the expression worth what the feature is, at position i of `size`?
   It must be so in exact arithmetic. In f64 it must be so exactly where doc/certificate.md says that, and within four
   roundings elsewhere. */
bool audit_feature_agrees(const feature *f, const expression *e, uint64_t i, uint64_t n, uint64_t size,
                          arena *scratch);

#endif
