/* The proof that an ordinary model computes what forms say, in any kernel of doc/ordinary.md, "What is assumed of
   kernels": from the tensors as they are in the file. Every column of the residual stream has a form, its ideal
   value, and a bound of how far any run is from it. Hints say what a head is meant to be; a hint that is wrong proves
   nothing.

   Bounds are doubles, every operation rounds up (number/upward.h). */
#ifndef ORDINARY_PROOF_PROVER_H
#define ORDINARY_PROOF_PROVER_H

#include "base/text.h"
#include "number/upward.h"
#include "ordinary/lower/ordinary_from_model.h"
#include "ordinary/proof/term.h"

/* Unit roundoffs. */
static const double UNIT = 0x1p-24, HALF_UNIT = 0x1p-11;
static const double HALF_TINY = 0x1p-25; /* half the least f16 */
static const double HALF_MOST = 65504;

/* Columns of a GPT-2 before its zero sums: two pins and the ground. */
enum { GPT2_PINS = 3 };

/* What is proved of a column: |computed - ideal| <= relative |ideal| + error, and at most `zero` where the ideal
   value is 0. */
typedef struct proved_column {
    ideal_form form;
    double error, zero, relative;
    size_t weighed; /* from 1: the weighed mean that it holds, and nothing else; 0: none */
    /* as the norm hands it on; filled by prover_norm */
    ideal_form seen;
    double grid; /* all ideal values are multiples of it, a power of two; 0: not known */
    double size; /* of the ideal value, at most */
    /* Errors beside the scale that all columns of a norm share. sure: with a mean in f64, and activations in f16
       or not. plain: with a mean in f32. nought: where the ideal value is 0. */
    double sure, plain, nought;
    double seen_relative; /* of means */
} proved_column;

typedef struct proved_head {
    const struct ordinary_hint *hint;
    double score, rounding, gap, leak,
        error; /* largest score, its error, the least gap, what others get, of values */
} proved_head;

/* A mean in which the start sentinel weighs more than a letter. */
typedef struct weighed_mean {
    uint32_t layer, slot; /* of its head */
    ideal_node_id node;
    double weight;        /* of the sentinel */
    double off;           /* relative: of that weight */
    double apart[2];      /* the same of the weights of two letters, in f32 and with an f16 cache */
    double number_off[2]; /* of what letters add up to, in units of one letter's share: as computed in f32, and with
                             an f16 cache */
    double least, most;   /* of the mean */
} weighed_mean;

typedef struct proved_layer {
    double attention_norm, net_norm; /* relative errors of the two norms; 0: they are the identity */
    double saturation;               /* the least size of an argument of GELU or SiLU */
    double error;                    /* the largest of a column after the layer */
} proved_layer;

typedef struct prover {
    arena *arena;
    const struct ordinary_model *m;
    struct ordinary_options options;
    ideals *x;
    size_t width, positions;
    uint32_t first;         /* the first column that is no pin, ground or zero-sum column */
    proved_column *columns; /* [width] */
    double imbalance;       /* GPT-2: the sum of all columns, at most */
    double norm_error;      /* of the last norm, relative: of the scale that all columns share ... */
    double norm_own;        /* ... and of each column */
    double pin_error;       /* of the constant 1 */
    /* GPT-2, of the last norm: the mean in f64, what a row that takes it off leaves of one in f32, and that one */
    double mean_sure, mean_plain, mean_raw;
    proved_head *heads; /* [hint_count] */
    size_t head_count;
    weighed_mean *weighed;
    size_t weighed_count, weighed_capacity;
    proved_layer *layers;
    double logit_error; /* of the logits */
    const char *reason; /* NULL: nothing is in the way */
    uint32_t at_layer, at_head;
} prover;

/* A row of weights, as a form and its error. */
typedef struct proved_row {
    ideal_form form;
    double error;    /* of the computed number, ... */
    double relative; /* ... beside this times the ideal one */
    double zero;     /* at most, where the ideal number is 0 */
    double share;    /* beside `relative` it is off by no more than zero and this share of the ideal number */
    bool is_mean;    /* it reads one mean and nothing else, whose relative error is in `relative` */
    double size;     /* of the ideal number, at most */
    double grid;
    bool is_zero; /* no weight at all */
} proved_row;

/* The first reason stays. Returns false. */
bool prover_fail(prover *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A weight as the file has it. */
double prover_weight(const prover *p, float w);

/* prover_norm.c: columns as readers see them after a norm; rows that read them. */
bool prover_norm(prover *p, const float *gain);
bool prover_row(prover *p, proved_row *out, const float *row);
/* Whether the row gives numbers of at most `most` in size: also what nobody reads must stay finite, since 0 times an
   infinity is none. */
bool prover_is_finite(prover *p, const float *row, double most);
/* The largest power of two that divides x; 0 for 0. */
double prover_lowest_bit(double x);
bool prover_is_power(double w);
/* How far a sum of products is off that are added up in any order: `products` is the size of those that may be
   rounded, `partial` of what some of them add up to, and `result` of the sum. A product with a power of two is
   exact. */
double prover_sum_rounding(double terms, double products, double partial, double result);
double prover_grid(const ideals *x, const ideal_form *f);
/* Of numbers that may be rounded to f16: multiples of grid (0: any), of this size, with this error. */
double prover_half(double size, double grid, double error);
/* A number is added to a column. */
typedef struct proved_number {
    double error, zero, relative, rounding;
    size_t weighed; /* as of columns */
} proved_number;
void prover_write(prover *p, uint32_t column, const ideal_form *form, proved_number n);
/* All of a row's error. */
double prover_row_error(const proved_row *r);
void prover_sum_to_zero(prover *p, double rounding);
/* Whether the zero sums of a GPT-2 get equal parts: entries[c * stride] is what column c gets. */
bool prover_is_zero_sum(const prover *p, const float *entries, size_t stride);
/* Whether nobody writes pins and the ground, and zero sums keep the sum at 0: of matrix[width][columns]. */
bool prover_writes(prover *p, const float *matrix, size_t columns);

/* prover_net.c */
bool prover_net(prover *p, const struct ordinary_layer *l, proved_layer *out);

/* prover_heads.c */
bool prover_heads(prover *p, const struct ordinary_layer *l, uint32_t layer);

/* One head: what its scores are made of. */
typedef struct head_work {
    const struct ordinary_hint *hint;
    proved_row *query, *key, *value; /* [head_size] */
    double root;                     /* of head_size */
    size_t products;                 /* dimensions with a query and a key */
    weighed_mean *weighed;           /* of a weighed mean: what its values share */
} head_work;

static inline bool prover_is_llama(const prover *p) { return p->m->architecture == ORDINARY_LLAMA; }

/* Of the dimension's product, as it is added to scores: how far it is from query times key, divided by the root.
   Where a Llama turns, dimensions must hardly turn. */
double head_product_error(prover *p, const head_work *h, uint32_t dimension);
/* Whether the dimension takes part in scores at all, by its own numbers or by those that are turned into it. */
bool head_uses(const prover *p, const head_work *h, uint32_t dimension);
double head_product_size(const head_work *h, uint32_t dimension);
/* The error of all products but those of one pair that turns (UINT32_MAX: none); beside those that the hint names
   there are only partners that hardly turn. ties: between keys whose content is equal. */
bool head_all_errors(prover *p, const head_work *h, uint32_t turning, double *error, double *ties);
/* How far a pair turns over all positions. */
double head_angle(const prover *p, uint32_t dimension);
/* By how much scores of two candidates with the same key differ, with an f16 cache. Where f16 rounds the key back,
   its first number is the same for both, and only what turns into the second one differs. Where all keys are 0 there
   is no candidate, and any mean of zeros will do. */
double head_candidates_apart(const prover *p, const head_work *h, uint32_t dimension);

/* prover_units.c: whether the scores of two keys differ by a whole number in every row. Queries are whole.
   Where what a key has beside whole numbers is not the same at all positions, the query must be odd, or even, for
   good: then the sum over all products is looked at. In the row of the start sentinel there is one key. */
bool prover_is_apart_by_units(const prover *p, const ideal_product *products, size_t count);

/* prover_lookup.c: `error` is that of a score; *out is what the head's values share, and is filled. */
bool prove_weighed(prover *p, const head_work *h, double error, proved_head *out);
bool prove_weighed_value(prover *p, const proved_row *value, weighed_mean *out);
/* *number: the form that is added up to the number of the position. */
bool prove_lookup(prover *p, const head_work *h, proved_head *out, ideal_form *number);

/* prover_turns.c: heads whose scores come from turning pairs. */
double prover_frequency(const prover *p, uint32_t pair);
/* How far a turned number may be from the exact one, for a vector of length 1: angle and functions. */
double prover_turn_error(const prover *p, uint32_t pair, double position);
bool prove_turning_yesterday(prover *p, head_work *h, proved_head *out);
bool prove_ramp(prover *p, head_work *h, double worth, double content_error, double ties, proved_head *out);
bool prove_wave(prover *p, head_work *h, proved_head *out, double *says);

#endif
