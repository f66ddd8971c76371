/* The lowering undone (doc/ordinary.md): from the weights of an ordinary transformer alone its columns, heads with
   their roles, and steps. It is written from the page and knows nothing of the lowering. A weight that is not as
   the page describes is refused, with its tensor and place. So is a head whose numbers do not make the choice that
   its form stands for. */
#ifndef ORDINARY_LIFT_H
#define ORDINARY_LIFT_H

#include "model/model.h"
#include "ordinary/files/ordinary_read.h"
#include "ordinary/files/ordinary_tensors.h"

/* A row that reads: a sum of columns and of the constant 1, which is the pin after a norm. */
typedef struct lift_form {
    model_term *terms; /* channel: a column; none is 0 */
    size_t count;
    double one;
    double rest;      /* GPT-2: what the weights of columns and of the ground add up to; 0 but for rounding */
    const float *row; /* [width] in the model */
} lift_form;

typedef enum lift_writer {
    LIFT_NOBODY, /* 0 everywhere */
    LIFT_TOKEN,  /* the embedding of tokens */
    LIFT_TABLE,  /* GPT-2: the table of positions */
    LIFT_HEAD,   /* one value of a head */
    LIFT_NET     /* steps */
} lift_writer;

typedef struct lift_column {
    lift_writer writer;
    uint32_t layer;   /* the last that writes it, from 1; 0: the embedding */
    size_t head;      /* LIFT_HEAD: which */
    double scale;     /* LIFT_HEAD: the column holds so many times the head's value */
    bool is_read;     /* by somebody */
    bool mean;        /* LIFT_HEAD: a number, not a choice between whole ones */
    double *tokens;   /* [vocabulary] LIFT_TOKEN */
    double *place;    /* [positions] the number at each position, if nothing else matters for it; else NULL */
    double start;     /* the number at position 0 */
    double first;     /* the number at position 1; NaN: it depends on the letter */
    double grain;     /* every number of it is a multiple of this; 0: all are 0. Not of means. */
    double low, high; /* all numbers are between them */
    bool returns;     /* LIFT_NET: it may be 0 where steps write to it, and is then off by all that they are */
    bool *busy;       /* [positions] with `place`: whether a step writes to it there */
} lift_column;

typedef enum lift_role {
    LIFT_MEAN,
    LIFT_WEIGHED,   /* a mean in which the start sentinel weighs `weight` */
    LIFT_ONCE,      /* where the key is largest */
    LIFT_COMPARE,   /* is the query positive: the start sentinel, or all others */
    LIFT_NEAREST,   /* the last (first) position with the largest content */
    LIFT_YESTERDAY, /* the position before */
    LIFT_LOOKUP,    /* the position whose number is one weighed mean divided by another */
    LIFT_WAVE       /* is a wave of the own position positive: the start sentinel, or all others */
} lift_role;

const char *lift_role_name(lift_role role);

/* One product of a score, in a dimension that does not turn. */
typedef struct lift_product {
    uint32_t dimension;
    lift_form query, key;
} lift_product;

/* A pair of dimensions that turns: key (first + second cos and sin of frequency (i - j)). */
typedef struct lift_turn {
    uint32_t pair;
    double frequency;
    double first, second; /* of the query, both constants */
    lift_form key;        /* in the first dimension: a constant, or a multiple of the start sentinel */
    double key_weight;
} lift_turn;

typedef struct lift_value {
    uint32_t dimension;
    lift_form value;
    uint32_t column;
    double scale;
    double rest; /* GPT-2: what the weights that write add up to, with zero-sum columns */
} lift_value;

typedef struct lift_head {
    lift_role role;
    uint32_t layer, slot;          /* from 1; from 0 */
    size_t product_count, content; /* content: how many of the products choose before positions do */
    lift_product *products;
    size_t turn_count;
    lift_turn *turns;
    size_t value_count;
    lift_value *values;
    bool last;     /* nearest: else the first */
    double slope;  /* nearest, yesterday of a GPT-2: what a position adds to the score, before it is divided */
    double weight; /* weighed */
    size_t of;     /* look-up: the head of the mean; compare: the same */
    uint32_t number, inverse; /* look-up: the columns of the two means */
} lift_head;

/* 1 where the sum is at least `at`, and 0 below: two units. */
typedef struct lift_step {
    uint32_t layer, unit; /* from 1; from 0 */
    lift_form sum;        /* as it is in the file, 2 K times; `one` is that of the first unit */
    double at;
    model_term *terms; /* columns, and what is added there */
    size_t count;
    double rest; /* GPT-2, as of values */
} lift_step;

/* The numbers of a column on all strings of tokens, <dead> among them. */
typedef struct lift_reach {
    double low, high;
} lift_reach;

typedef struct lift {
    arena *arena;
    const struct ordinary_model *m;
    bool as_f16;
    ordinary_tensors names; /* for messages */
    uint32_t zero_sums;     /* GPT-2 */
    uint32_t first;         /* the place of column 0 */
    uint32_t column_count;
    lift_column *columns;
    uint32_t letters; /* tokens 2 and on */
    uint32_t real, start;
    uint32_t dead, died; /* columns: 1 at <dead>, and 1 from there on; both are 0 on strings of letters */
    lift_head *heads;
    size_t head_count, head_capacity;
    lift_step *steps; /* in the order of layers */
    size_t step_count, step_capacity;
    lift_reach *reach;   /* [column] */
    double squares;      /* of all columns together at most, zero_sums included, on all strings of tokens */
    double *zeros;       /* [positions] the `place` of columns that nobody writes */
    lift_form *logits;   /* [vocabulary] rows of the output */
    lift_form *outputs;  /* [vocabulary] the same on strings of letters: without `died` */
    double ramp;         /* of a Llama: pairs of a ramp turn by this to the power -k/4; 0: there is none */
    double *frequencies; /* [head_size / 2] of a Llama: how far a pair turns from one position to the next */
} lift;

/* Constants of the page. */
#define LIFT_GATE        64.0 /* K */
#define LIFT_LEAST_KAPPA 8.0  /* a head that keeps others less far away is refused */
#define LIFT_LLAMA_PIN   0x1p15
#define LIFT_GPT2_PIN    0x1p13

static inline double lift_pin(const struct ordinary_model *m) {
    return m->architecture == ORDINARY_GPT2 ? LIFT_GPT2_PIN : LIFT_LLAMA_PIN;
}

static inline double lift_positions(const lift *u) { return (double)u->m->positions; }

/* In arena a. Raises TEMPER_FORMAT. */
lift *lift_file(const struct ordinary_file *file, ordinary_naming naming, arena *a);

/* Of a nearest head: by how much the largest content is above any other that is not as large; 0: all are the same. */
double lift_content_gap(const lift *u, const lift_head *h);

/* What pairs that turn add at a distance. */
double lift_turned(const lift_head *h, double distance);

/* The least product of a query and a key that keeps all other positions together far away. */
double lift_sharp(const lift *u);

/* Of a mean that is compared: how far it is from 0 at least and at most; 0: it may be 0. */
double lift_least_mean(const lift *u, uint32_t column);
double lift_most_mean(const lift *u, uint32_t column);

/* What is added up to the number of a look-up: between low and high at each letter, and `first` at the first one
   besides. */
typedef struct lift_number {
    double low, high, first;
} lift_number;

lift_number lift_number_of(const lift *u, const lift_form *value);

/* Between what the mean of such a number lies: letters have together less than all, and the first one no more than it
   has in a string of one letter. */
lift_reach lift_weighed(const lift *u, const lift_head *h, const lift_number *x);

/* The value of a column that a head writes. */
const lift_value *lift_value_of(const lift *u, uint32_t column);

/* ---- its parts ---- */

/* Raises TEMPER_FORMAT: "tensor, row, column: ...". `at` is a number of the model. */
_Noreturn void lift_refuse(const lift *u, const float *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A row of `width` numbers that reads what a norm gives. */
lift_form lift_row(const lift *u, const float *row);

/* What is written to the residual stream, whose place k is at matrix[k * stride], with `pin` on the pins; *rest as in
   lift_value. */
model_term *lift_writes(const lift *u, const float *matrix, size_t stride, double pin, size_t *count, double *rest);

/* The largest number that both are multiples of. */
double lift_common(double x, double y);

/* What all numbers of a form are multiples of, its constant included (not of means), and between what they lie. */
double lift_grain(const lift *u, const lift_form *f);
void lift_range(const lift *u, const lift_form *f, double *low, double *high);

/* [positions] the numbers of a form that depends on nothing but the position; else NULL. */
double *lift_place(const lift *u, const lift_form *f);

/* The number of the form at position 0, and at position 1; NaN: it depends on the letter there. */
double lift_at_start(const lift *u, const lift_form *f);
double lift_at_first(const lift *u, const lift_form *f);

/* Whether a pair of dimensions of a Llama turns, or may hold content. */
bool lift_turns(const lift *u, uint32_t pair);

void lift_layer_heads(lift *u, uint32_t layer); /* from 1 */
void lift_layer_steps(lift *u, uint32_t layer);

/* Fills `died` and `outputs`; refuses a model in which a string may go on after <dead> (doc/ordinary.md, "Unknown
   text"). */
void lift_settle_dead(lift *u);

/* A form on all strings of tokens; and how large it is at most. */
lift_reach lift_reach_of(const lift *u, const lift_form *f);
double lift_most(const lift *u, const lift_form *f);

/* Refuses a form that reads a column which nobody writes, or which is written in this layer or later (of nets: by
   steps), or a mean where none may be, or a head's number where only nets may read it. */
typedef enum lift_reader { LIFT_BY_HEAD, LIFT_BY_MEANS, LIFT_BY_NET, LIFT_BY_OUTPUT } lift_reader;
void lift_check_reads(const lift *u, const lift_form *f, uint32_t layer, lift_reader by);

#endif
