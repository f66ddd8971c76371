/* What numbers of a transformer stand for, as terms that two transformers can share: a column of an ordinary model is
   right if its term is the one of the hard model (doc/ordinary.md, "The same function").

   A form is a linear combination of nodes on letters, and a number on the start sentinel. A node is a function of a
   string and of a position from 1 on. Nodes are made once each: the same function made in the same way is the same
   node, so that forms can be compared. Functions of the position alone are tables, however they were made. */
#ifndef ORDINARY_PROOF_TERM_H
#define ORDINARY_PROOF_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "base/text.h"

typedef uint32_t ideal_node_id;

typedef enum ideal_kind {
    IDEAL_LETTERS, /* a number for each letter */
    IDEAL_PLACE,   /* a number for each position */
    IDEAL_STEP,    /* 1 where a whole number is at least so much, else 0 */
    IDEAL_GATE,    /* a form as a number of its own: what a net wrote to a column */
    IDEAL_BEFORE,  /* a form one position before */
    IDEAL_ONCE,    /* the largest key up to here: of a Boolean, whether there was one */
    IDEAL_NEAREST, /* the value at the last (or first) position with the largest product of query and key */
    IDEAL_MEAN,    /* the mean of the values */
    IDEAL_WEIGHED, /* the sum of the values on letters, divided by what all positions weigh in a head */
    IDEAL_LOOKUP,  /* the value at the position whose number is a sum, or the nearest to it that there is */
    IDEAL_POSITIVE /* the sign of a mean: the value at the start sentinel, or the mean of all others */
} ideal_kind;

typedef struct ideal_term {
    ideal_node_id node;
    uint32_t padding; /* 0: terms are compared as bytes */
    double weight;
} ideal_term;

typedef struct ideal_form {
    ideal_term *terms; /* sorted by node, no weight is 0 */
    size_t count, capacity;
    double one;   /* on letters */
    double start; /* the whole of it on the start sentinel */
} ideal_form;

typedef struct ideal_node {
    ideal_kind kind;
    double least, most;
    bool whole;           /* its values are whole numbers */
    const double *values; /* letters: [letters]; place: [positions], the first is 0 */
    uint32_t sum;         /* step: the number of its sum among forms */
    double at;            /* step: 1 from here on */
    uint32_t head;        /* weighed: in which head, since another has other weights */
    uint32_t value; /* gate, mean, weighed, once, nearest, positive, before: the number of its form among forms */
} ideal_node;

typedef struct ideals {
    arena *arena;
    size_t positions, letters;
    table known; /* bytes of a node or form -> its number */
    ideal_node *nodes;
    size_t node_count, node_capacity;
    ideal_form *forms; /* those that nodes are made of */
    size_t form_count, form_capacity;
} ideals;

ideals *ideals_new(arena *a, size_t positions, size_t letters);

ideal_form ideal_constant(double one, double start);
void ideal_add(ideals *x, ideal_form *f, const ideal_form *other, double factor);
void ideal_add_node(ideals *x, ideal_form *f, ideal_node_id node, double weight);

ideal_form ideal_quotient(ideals *x, const ideal_form *f, double divisor);

/* Sorts and merges: forms are compared and read only after that. */
void ideal_finish(ideals *x, ideal_form *f);
bool ideal_is_equal(const ideal_form *a, const ideal_form *b);
bool ideal_is_constant(const ideal_form *f);

/* The range on letters and the start sentinel together, and whether all values are whole numbers times grid, which is
   a power of two. */
void ideal_range(const ideals *x, const ideal_form *f, double *least, double *most);
void ideal_letter_range(const ideals *x, const ideal_form *f, double *least, double *most);
bool ideal_is_whole(const ideals *x, const ideal_form *f, double grid);

/* The same range, of letters, by all cases of what the form is made of, where these are few: Booleans that exclude
   each other add up to a Boolean (term_cases.c). */
void ideal_case_range(const ideals *x, const ideal_form *f, double *least, double *most);

/* Values of letters or of positions; the one at the start sentinel is values[0] of a place, and given of letters. */
ideal_form ideal_letters(ideals *x, const double *values, double start);
ideal_form ideal_place(ideals *x, const double *values);

/* Whether the form is a function of the position alone; fills out[positions]. */
bool ideal_is_place(const ideals *x, const ideal_form *f, double *out);

/* The form as one node, or a constant. */
ideal_form ideal_settled(ideals *x, const ideal_form *f);

/* One position before; `own`: what it is at the start sentinel. */
ideal_form ideal_before(ideals *x, const ideal_form *f, double own);

typedef struct ideal_product {
    ideal_form query, key;
} ideal_product;

ideal_form ideal_once(ideals *x, const ideal_form *key);
ideal_form ideal_nearest(ideals *x, const ideal_product *products, size_t count, bool last, const ideal_form *value);
ideal_form ideal_mean(ideals *x, const ideal_form *value);
/* It lies between least and most. */
ideal_form ideal_weighed(ideals *x, const ideal_form *value, uint32_t head, double least, double most);
/* `number` is a form that is 0 on the start sentinel and is added up; the sentinel is position 0. */
ideal_form ideal_lookup(ideals *x, const ideal_form *number, const ideal_form *value);
ideal_form ideal_positive(ideals *x, const ideal_form *query, const ideal_form *key, const ideal_form *value);

/* A rectified unit of a net: what it reads, and where it goes. */
typedef struct ideal_unit {
    ideal_form in;
    const uint32_t *columns; /* [count] */
    const double *weights;   /* [count] */
    size_t count;
    /* filled by ideal_net */
    uint32_t sum;            /* the number of the sum; UINT32_MAX: a constant */
    double factor, constant; /* it reads factor times the sum and the constant, on letters */
    double least, most;      /* of the sum, on letters */
} ideal_unit;

/* Adds what units write to columns. NULL, or why it is not a net of gates. */
const char *ideal_net(ideals *x, ideal_form *columns, size_t column_count, ideal_unit *units, size_t count);

#endif
