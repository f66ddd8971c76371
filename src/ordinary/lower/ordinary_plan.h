/* Between the hard model and the weights: columns of the residual stream, as many as needed, heads with a role each,
   and steps. Everything is placed in the first layer that can hold it, when it is made; makers come before readers.

   A step is what all gates become: 1 where a whole number, a sum of Booleans, is at least so much. */
#ifndef ORDINARY_LOWER_PLAN_H
#define ORDINARY_LOWER_PLAN_H

#include "base/table.h"
#include "ordinary/lower/ordinary_from_model.h"

typedef uint32_t column_id;
enum { NO_COLUMN = UINT32_MAX, PLACE_COLUMN = UINT32_MAX - 1 };

/* Instead of a channel of the hard model in token_channel. */
enum {
    ORDINARY_REAL_CHANNEL = UINT32_MAX - 1,
    ORDINARY_START_CHANNEL = UINT32_MAX - 2,
    ORDINARY_DEAD_CHANNEL = UINT32_MAX - 3
};

/* A linear combination of columns and of the constant 1. */
typedef struct ordinary_form {
    model_term *terms; /* channel: a column_id */
    size_t count, capacity;
    double one;
} ordinary_form;

typedef enum column_writer { WRITER_EMBEDDING, WRITER_HEAD, WRITER_NET } column_writer;

typedef struct ordinary_column {
    const char *label;
    column_writer writer;
    uint32_t layer;             /* that writes it, from 1; 0: the embedding */
    uint32_t token_channel;     /* embedding: the channel of the hard model whose rows it has; UINT32_MAX: none */
    const expression *position; /* embedding: NULL or what is added at position i - shift, from `shift` on */
    uint32_t shift;
    bool own;     /* the expression is not the hard model's, and never mirrored */
    double scale; /* the column holds scale times what it stands for; 1 but for means */
} ordinary_column;

typedef struct ordinary_head {
    ordinary_role role;
    const char *label;                /* for messages: the hard model's */
    uint32_t hard_layer, hard_head;   /* from 1 */
    uint32_t layer, slot;             /* from 1; from 0 */
    const ordinary_form *query, *key; /* [rows] */
    size_t rows;                      /* of the score, content first, then digits of the position */
    size_t content;                   /* nearest, match: rows whose products choose before positions do */
    double sign;                      /* 1: the last, -1: the first */
    double weight;                    /* of the start sentinel, a power of two */
    uint32_t pair;                    /* wave: the pair of dimensions */
    double phase, offset, amplitude;  /* wave: amplitude (cos(frequency i - phase) - offset) */
    ordinary_form *values;            /* [value_count] */
    column_id *outputs;               /* [value_count] */
    size_t value_count, value_capacity, output_capacity;
} ordinary_head;

typedef struct ordinary_step {
    const ordinary_form *sum;
    double at;         /* 1 from here on */
    model_term *terms; /* where it goes, with which weight; channel: a column_id */
    size_t term_count;
    uint32_t layer;
} ordinary_step;

typedef struct ordinary_plan {
    arena *arena; /* of the plan */
    const temper_model *hard;
    struct ordinary_options options;
    bool digits;               /* a Llama with bits of the position */
    bool mirrored;             /* the hard model looks forward only, and its strings are read backwards */
    uint32_t head_size, slots; /* slots: heads of a layer */
    uint32_t layer_count;
    ordinary_column *columns;
    size_t column_count, column_capacity;
    ordinary_head **heads;
    size_t head_count, head_capacity;
    ordinary_step *steps;
    size_t step_count, step_capacity;
    uint32_t *slots_used; /* [layer], from 1 */
    size_t slots_capacity;
    ordinary_head **shifts; /* [layer] the head for yesterday that has room for a value */
    size_t shifts_capacity;
    column_id *at;      /* [channels of the hard model] the column of what is there now; PLACE_COLUMN: an
                            expression of the position that nobody has read */
    column_id *inverse; /* [channels] of a mean for look-ups: 1 divided by the same weights */
    column_id real, start;
    column_id died;     /* 1 once there was a token <dead> */
    column_id *shifted; /* [column] what it was one position before; NO_COLUMN: not made */
    size_t shifted_capacity;
    table places; /* text of a position expression -> a form of `forms` */
    ordinary_form *forms;
    size_t form_count, form_capacity;
    uint32_t bits;   /* Llama: frequencies pi, pi/2, ... of the first pairs */
    uint32_t waves;  /* Llama: pairs with frequencies of their own, after these */
    double *periods; /* [waves] */
    size_t periods_capacity;
    size_t need_rows;      /* content and digits of the largest score: what head_size must have room for */
    uint32_t zero_sums;    /* GPT-2: columns that keep the mean at 0 */
    ordinary_form *reads;  /* [outputs] */
    ordinary_form *logits; /* [outputs] or NULL */
} ordinary_plan;

/* Letters and the start sentinel. */
static inline double plan_positions(const ordinary_plan *p) { return (double)p->options.length + 1; }

/* What a ramp is made for: in a shorter one the pair that is free for content would turn too far. */
static inline double plan_ramp_positions(const ordinary_plan *p) {
    return p->options.length < 1023 ? 1024 : plan_positions(p);
}

/* ---- making a plan (ordinary_plan.c) ---- */

void ordinary_form_add(ordinary_plan *p, ordinary_form *f, column_id column, double weight);
void ordinary_form_add_form(ordinary_plan *p, ordinary_form *f, const ordinary_form *other, double factor);

column_id plan_column(ordinary_plan *p, ordinary_column c);

/* A head in the first layer after what it reads that has a free slot; values are added with plan_value. */
ordinary_head *plan_head(ordinary_plan *p, ordinary_role role, const ordinary_form *query, const ordinary_form *key,
                         size_t rows, const ordinary_form *values, size_t value_count);
column_id plan_value(ordinary_plan *p, ordinary_head *h, const ordinary_form *value, const char *label, double scale);

/* Whether the head's layer can read the value. */
bool plan_can_read(const ordinary_plan *p, const ordinary_head *h, const ordinary_form *value);

/* A head for yesterday that can read the value and has room for it. */
ordinary_head *plan_shift_head(ordinary_plan *p, const ordinary_form *value);

/* Adds weights of `terms` where the sum is at least `at`; the columns are written in its layer at the latest. */
void plan_step(ordinary_plan *p, const ordinary_form *sum, double at, const model_term *terms, size_t count);

/* The exact Boolean of an unrounded one, 0 on the start sentinel. */
column_id plan_settle(ordinary_plan *p, column_id raw, const char *label);

/* What the form was one position before; all of it 0 on the start sentinel. requires Booleans */
ordinary_form plan_shifted(ordinary_plan *p, const ordinary_form *f);

/* ---- positions (ordinary_place.c) ---- */

/* The number that an expression has at each position, as a form. Raises if the string's end changes it. */
ordinary_form plan_place(ordinary_plan *p, const expression *e, uint32_t shift);

/* The number that a column of the embedding has by its position. */
double plan_place_at(const ordinary_plan *p, const ordinary_column *c, double i);

/* floor(j/2^from) % 2^count at j, a whole number. */
ordinary_form plan_digit(ordinary_plan *p, uint32_t from, uint32_t count);

/* cos and sin of pi j/2. */
void plan_quarter(ordinary_plan *p, ordinary_form *cosine, ordinary_form *sine);

/* The product of the two numbers floor(j/2^from) % 2^count at j. */
ordinary_form plan_digit_product(ordinary_plan *p, uint32_t from, uint32_t with, uint32_t count);

/* ---- hard model to plan (ordinary_lower.c) ---- */

void plan_from_model(ordinary_plan *p);

/* ordinary_net.c: the feed-forward net of a layer as steps. */
void plan_net(ordinary_plan *p, const model_layer *layer);

/* A channel of the hard model, read as it is now. */
void plan_add_channel(ordinary_plan *p, ordinary_form *f, uint32_t channel, double weight);

/* ---- plan to weights (ordinary_emit.c, ordinary_scores.c) ---- */

/* Bits of the digits of a position: the lower one, the upper one, and both of look-ups. */
enum { ORDINARY_DIGIT = 7, ORDINARY_TOP_DIGIT = 8, ORDINARY_SQUARE_DIGIT = 5 };

/* Raises TEMPER_LIMIT where a setting does not go as far as the length (ordinary_reach.c). */
void plan_check_reach(const ordinary_plan *p);

/* Rows of scores of one head into query and key. */
typedef struct score_writer {
    const ordinary_plan *plan;
    const ordinary_head *head;
    float *query, *key; /* [head_size][width] of this head */
    uint32_t width;
    uint32_t row; /* content rows so far */
    struct ordinary_hint *hint;
} score_writer;

void ordinary_scores(score_writer *w);

/* ---- Llama: pairs of dimensions (ordinary_rope.c) ---- */

/* The pair of the k-th wave. */
uint32_t plan_wave_pair(const ordinary_plan *p, uint32_t k);

/* How far a pair turns from one position to the next. */
double plan_frequency(const ordinary_plan *p, uint32_t pair);

/* Whether these are the frequencies of a base alone. */
bool plan_has_factors(const ordinary_plan *p);
double plan_rope_base(const ordinary_plan *p);

/* The dimension of a head for the r-th product of content. */
uint32_t plan_content_dimension(const ordinary_plan *p, uint32_t r);

/* Dimensions that are free of positions. */
uint32_t plan_content_rows(const ordinary_plan *p);

/* matrix[row][...] += factor * form, as the norm gives it. */
void ordinary_put_form(const ordinary_plan *p, float *row, const ordinary_form *f, double factor);

/* GPT-2: how many columns keep the mean at 0, a power of two; 0: the width has no room for one. */
uint32_t ordinary_zero_sums(size_t columns, uint32_t width);

struct ordinary_model *ordinary_emit(const ordinary_plan *p, arena *a, uint32_t width);

/* The constants of heads and gates. */
#define ORDINARY_KAPPA        12.0
#define ORDINARY_KAPPA_LOOKUP 24.0
#define ORDINARY_GATE         64.0 /* K of a gate: act(2 K (t - 1/4)) - act(2 K (t - 3/4)) = K */

#endif
