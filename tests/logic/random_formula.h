/* Random formulas and strings, biased to corners. */
#ifndef TESTS_RANDOM_FORMULA_H
#define TESTS_RANDOM_FORMULA_H

#include "logic/formula.h"
#include "test.h"

typedef struct random_shape {
    unsigned letters;  /* 1 .. 26: a b c ... */
    size_t size;       /* about how many operators */
    size_t depth;      /* at most this nesting */
    bool past, future; /* temporal operators and counts of that direction; `first` looks back, `last` forward */
    bool counting;     /* comparisons of sums of counts */
    bool modulo;
    bool places;       /* formulas at computed positions, where a head can read; none if nothing looks back */
    bool attend;       /* ATTEND nodes: then no temporal operators and no sums, as in B-RASP */
    bool mixed_attend; /* ATTEND nodes beside everything else */
    bool large;        /* now and then coefficients near the limits of 64 bits */
} random_shape;

/* A node over letters 0 .. shape->letters - 1. */
node_id random_formula(formula *f, test_random *r, const random_shape *shape);

/* A specification over a b c ... with that formula, made without the parser; read at `at`. */
temper_spec *random_spec(test_random *r, const random_shape *shape, temper_at at);

/* An empty specification over the first letters of a b c ...: the caller fills graph and root, raising errors through
   `t`, and then calls finish_spec. */
temper_spec *make_spec(trap *t, unsigned letters, temper_at at);
void finish_spec(temper_spec *s, node_id root);

/* Letters 0 .. letters - 1: uniform, or mostly one letter, or periodic, or with few changes. */
void random_word(uint32_t *word, size_t n, unsigned letters, test_random *r);

#endif
