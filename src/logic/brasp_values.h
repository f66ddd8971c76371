/* Values of B-RASP expressions: formulas at i or at j, or cases of both (value_cases.h). */
#ifndef LOGIC_BRASP_VALUES_H
#define LOGIC_BRASP_VALUES_H

#include "logic/match.h"
#include "logic/tokenize.h"
#include "logic/value_cases.h"

enum { AT_I = 1, AT_J = 2 };

/* Conditions of match.h: each pair is looked at at j and at i. */
typedef struct alike {
    node_id pairs[2 * MATCH_CONDITIONS];
    size_t count;
    bool compares; /* some pair looks at both */
} alike;

typedef struct brasp_value {
    unsigned looks; /* AT_I, AT_J, both, or 0: a constant */
    node_id node;   /* unless it looks at both */
    case_id mixed;  /* if it looks at both */
    alike *alike;   /* then: the same as conditions that compare the positions; NULL: it is not known as such */
    token i, j;     /* where it first does */
} brasp_value;

/* A connective of values; what they mention is what the parts mention. */
brasp_value brasp_connect(cases *c, formula_op op, const brasp_value *part, size_t count);
brasp_value brasp_negate(cases *c, const brasp_value *x);

/* Conditions at i, with formulas at j as leaves. */
case_id brasp_cases(cases *c, const brasp_value *v);

#endif
