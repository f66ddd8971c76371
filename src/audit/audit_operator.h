/* What the auditor reads each operator as, by its definition in doc/language.md. Nobody else reads this, and the
   auditor reads no other table: the prover has its own (logic/core.h). */
#ifndef AUDIT_OPERATOR_H
#define AUDIT_OPERATOR_H

#include "logic/formula.h"

typedef enum operator_reading {
    READS_TRUE,
    READS_FALSE,
    READS_EDGE, /* this is the first position; forward: the last */
    READS_LETTERS,
    READS_NOT,
    READS_AND,
    READS_OR,
    READS_XOR,
    READS_IMPLIES,
    READS_IFF,
    READS_STEP,             /* there is a position before, and phi holds there */
    READS_WEAK_STEP,        /* if there is a position before, phi holds there */
    READS_SOMEWHERE,        /* phi at some j <= i */
    READS_EVERYWHERE,       /* phi at every j <= i */
    READS_SINCE,            /* psi at some j <= i, and phi at every k behind it up to i */
    READS_TRIGGERED,        /* at every j <= i psi, or phi at some k behind it up to i */
    READS_WEAK_SINCE,       /* phi since psi, or phi at every j <= i */
    READS_STRONG_TRIGGERED, /* phi triggers psi, and phi at some j <= i */
    READS_COUNT,
    READS_COMPARE,
    READS_MODULO,
    READS_AT,
    READS_ATTEND,
    READS_MATCH,
    READS_LANGUAGE
} operator_reading;

/* Forward: the mirror image. */
typedef struct audit_operator {
    operator_reading reading;
    bool forward;
} audit_operator;

audit_operator audit_operator_of(formula_op op);

#endif
