/* Questions about a string that a head can answer, in one form each, and the variables that stand for their answers.
   A variable asks about other positions only: whatever includes the position itself is put together from the strict
   question and what holds here. So "x or once x" is "once x" without a rule for it. doc/certificate.md, "What each
   channel means". */
#ifndef RECOGNISE_QUESTIONS_H
#define RECOGNISE_QUESTIONS_H

#include "recognise/count_form.h"
#include "temper.h"

typedef enum question_kind {
    ASK_LETTER,
    ASK_EDGE,    /* the first position; forward: the last one */
    ASK_EXISTS,  /* there is an earlier position with x; forward: a later one */
    ASK_STEP,    /* x at the position before; false at the first one */
    ASK_NEAREST, /* y at the nearest earlier position with x; y implies x */
    ASK_SUM, /* the sum over j <= i of `past`, plus that over j >= i of `future`, plus the constant is at least 0 */
    ASK_REMAINDER, /* how many j <= i (forward: j >= i) have x, modulo m: not Boolean */
    ASK_UNSAID,    /* a comparison of the source with numbers that are too large: node x. No head asks it */
    ASK_READ, /* y at the position `past`, or `future`, + factor times n + 1 + constant; false if there is none */
    ASK_TEST  /* whether (a times that number + b) modulo a large m is r, or at most r */
} question_kind;

typedef struct question {
    question_kind kind;
    bool forward;
    fn x, y;
    count_id past, future;
    double constant; /* SUM, READ: whole */
    int64_t factor, add, modulus, remainder;
    bool at_most;
} question;

/* A function that is "the strict question or here", and the strict question. */
typedef struct loose_question {
    fn strict;
    bool exists;
} loose_question;

enum {
    QUESTION_MODULUS = 1 << 16, /* larger moduli have a variable for each test */
    QUESTION_SIBLINGS = 192,    /* values of one choice that are compared with each other */
    QUESTION_DEPTH = 32         /* variables of an answer that others are said to exclude */
};

/* A value that was asked for at the nearest position with some x, and the answer. */
typedef struct sibling {
    fn y, answer;
    uint32_t next; /* + 1; 0: none */
} sibling;

/* All that were asked for at the nearest position with one x. */
typedef struct sibling_list {
    fn values, answers; /* OR of all */
    uint32_t first, count;
} sibling_list;

typedef struct questions {
    decisions d;
    count_forms counts;
    arena *arena;
    question *asked; /* [variables] */
    size_t asked_count, asked_capacity;
    table index;
    loose_question *loose;
    size_t loose_count, loose_capacity;
    table loose_index[2], everywhere; /* functions: -> loose; "there is a j" without a mask */
    table found[2], stepped[2];       /* functions: -> the strict question; what was answered once stays so */
    sibling *siblings;
    size_t sibling_count, sibling_capacity;
    sibling_list *lists;
    size_t list_count, list_capacity;
    table list_index, chosen; /* a position -> its list; a position and y -> the answer */
    table asked_as;           /* an answer that is no variable alone -> its variable */
} questions;

void questions_init(questions *q, uint32_t letters, arena *a);

fn ask_edge(questions *q, bool forward);

/* Is there a j of the mask with x? The value of y at the chosen j of the mask with x, where y implies x. */
fn ask_exists(questions *q, temper_mask mask, fn x);
fn ask_choice(questions *q, temper_mask mask, temper_choice choice, fn x, fn y);
fn ask_step(questions *q, bool forward, fn x);

/* A condition of which nothing is known. */
fn ask_unsaid(questions *q, uint32_t name);

/* The sums plus the constant, a whole number, are at least 0. */
fn ask_sum(questions *q, count_id past, count_id future, double constant);

/* y at the position that the sum over j <= i (forward: j >= i), plus `ends` times n + 1, plus the constant is; whole
   numbers. False if there is none. */
fn ask_read(questions *q, bool forward, count_id sum, double ends, double constant, fn y);

/* The variable of a remainder: its values are 0 ... modulus - 1. */
uint32_t ask_remainder(questions *q, bool forward, fn x, int64_t modulus);

/* (a c + b) modulo m is r, or at most r, where c is how many j <= i (forward: j >= i) have x; 0 <= a, b < m, 0 <=
   r. */
fn ask_residue(questions *q, bool forward, fn x, int64_t a, int64_t b, int64_t m, bool at_most, int64_t r);

#endif
