/* The transformer, hard or soft: one structure. What a researcher would draw on a board: labelled channels, layers,
   heads with mask, choice and scale, feed-forward units. A pass reads one model and builds another.

   A string w1...wn becomes N positions: 0 the start sentinel, 1..n the letters, and n+1 the end sentinel if has_end.
   Position i starts with the vector x_i = embedding(token) + position features. A layer is

       x_i += sum over heads of output(sum_j weight_ij value(x_j))        attention
       x_i += sum over units of relu(in . x_i + bias) out                 feed-forward net

   Weights are doubles, each an exact dyadic rational. Matrices are rows of (channel, weight) terms, sorted by
   channel: a head reads two or three channels of hundreds. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/alphabet.h"
#include "base/entry.h"
#include "model/digits.h"
#include "model/expression.h"

typedef struct model_term {
    uint32_t channel;
    double weight;
} model_term;

/* Row r holds terms[start[r]] ... terms[start[r+1]-1]. */
typedef struct model_rows {
    uint32_t count;
    uint32_t *start;   /* [count + 1] */
    model_term *terms; /* [start[count]] */
} model_rows;

typedef struct model_channel {
    const char *label;
    const expression *position; /* added to the embedding; NULL: nothing */
    const char *position_text;  /* the same as text; model_seal fills it, "" for none */
    bool soft_only;             /* a tie-break or normaliser: zero when heads use their hard choice */
} model_channel;

/* What a head of a compiled formula does; soften and the error bounds go by it. */
typedef enum head_role {
    ROLE_NONE,
    ROLE_ONCE,    /* is there a j with c_j: average over scores c_j in {0,1}, value c_j */
    ROLE_NEAREST, /* the value at the right- or leftmost j with c_j: scores c_j in {0,1} */
    ROLE_COUNT,   /* the mean of the values: no scores */
    ROLE_COMPARE, /* is y_i > 0, |y_i| >= 1/(2(i+1)): score y_i on one sentinel, 0 elsewhere */
    ROLE_BALANCE, /* the same for sums that look both ways: score (y_i)/N + t/(i+1) on the start sentinel */
    ROLE_LOOKUP,  /* the value at j = c_i, a count: score 2 c_i j/(i+1) - j^2/(i+1), up to a factor */
    ROLE_MATCH,   /* the value at the nearest j whose pattern is that of i: scores q_i . k_j, largest for such j */
    ROLE_LAST_ = ROLE_MATCH
} head_role;

typedef struct model_head {
    const char *label;
    head_role role;
    temper_mask mask;
    temper_choice choice;      /* what it does */
    temper_choice hard_choice; /* what it stands for; equal to choice in a hard model */
    const expression *scale;   /* of the scores, softmax only; NULL: 1. One that reads i makes the file version 2 */
    bool adaptive;             /* softmax with the scale divided by the row's own gap: see below */
    const char *scale_text;    /* the same as text; model_seal fills it */
    model_rows query, key;     /* [query_size] rows over channels */
    model_rows value;          /* [value_size] rows over channels */
    model_rows output;         /* [value_size] rows: where each value goes */
} model_head;

/* An adaptive head stands for a hard choice. In a row with scores s_j, best score b and next different score b - g
   its logits are

       (scale/g) (s_j - b)                     for average
       (scale/g) (s_j - b) +- (scale/N) j      for rightmost and leftmost

   and without the first term where no two scores differ. */

typedef struct model_layer {
    uint32_t head_count;
    model_head *heads;
    model_rows in;  /* [hidden] rows over channels */
    double *bias;   /* [hidden], added last */
    model_rows out; /* [hidden] rows: where each unit goes */
} model_layer;

typedef struct model_part {
    const char *formula;
    uint32_t layer;
    int64_t head, channel; /* -1: none */
} model_part;

/* What temper_soften proved in f64 when it made the model: up to `length` letters the read-out is within `error`
   of the hard one's, which is at least `margin` away from 1/2. All fields are 0 where there is no record; a record
   has a margin above 0. Reading a file whose digest is wrong or missing drops the record. A record that was read is
   no evidence, for digests can be computed by anybody: it only says how far a proof is worth trying. */
typedef struct model_record {
    size_t length;
    const char *reason; /* "" without a record */
    double error, margin;
    bool verdict_only; /* it covers the verdict, not the truth at other positions */
    bool made_here;    /* proved by this process, not read */
} model_record;

static inline bool model_has_record(const model_record *r) { return r->margin > 0; }
#define MODEL_NO_RECORD ((model_record){.reason = ""})

/* What was found out about a model and need not be found out again. The slot is empty until somebody needs it;
   threads that fill it at the same time agree by compare-and-exchange. */
typedef struct model_memo {
    void (*release)(struct model_memo *memo); /* called when the model is freed */
} model_memo;
typedef _Atomic(model_memo *) model_memo_slot;

/* Whose they are: src/bound keeps what a model was recognised as, src/answer what is proved. */
enum { MEMO_RECOGNITION, MEMO_PROOFS, MODEL_MEMOS };

struct temper_model {
    arena memory;
    alphabet letters;
    temper_kind kind;   /* what the outputs are; other kinds than acceptors make the file version 2 */
    const char *source; /* the specification, "" if there is none */
    temper_spec *spec;  /* the same, of a model that was compiled just now; NULL: it is read from the text */
    /* Of a model that was compiled just now from one regular language: the formula that stands for it. In no file;
       the prover takes it for a guess. NULL: not known. */
    const char *expansion;
    temper_syntax syntax;
    temper_at at;
    bool accepts_empty;
    bool has_end;
    temper_method method;
    const digit_format *digits; /* method digits, else NULL */
    model_record record;        /* of models that were softened for a length */
    model_memo_slot *memo;      /* [MODEL_MEMOS] what later folders keep with the model */
    bool rescaled;              /* made by temper_model_with_scale: nothing is claimed of it */
    uint32_t channel_count;
    model_channel *channels;
    model_rows embedding; /* [letters + 2] rows: letters, then the start and the end sentinel */
    uint32_t layer_count;
    model_layer *layers;
    model_rows read;           /* [outputs] rows: the answer of an output at a position is its row . x, 0 or 1 */
    const char **output_names; /* [outputs] what each stands for; an acceptor has one output, without a name: "" */
    model_rows logits;         /* [outputs] rows of numbers that are not answers, such as log-probabilities; or none:
                                  count 0 and start NULL */
    size_t part_count;
    model_part *parts;
};

/* Outputs are numbered from 0 in the order of their read-outs. */
static inline uint32_t model_output_count(const temper_model *m) { return m->read.count; }
static inline bool model_has_logits(const temper_model *m) { return m->logits.start != NULL; }

/* The start and end sentinel's row of the embedding. */
static inline uint32_t model_start_token(const temper_model *m) { return (uint32_t)m->letters.count; }
static inline uint32_t model_end_token(const temper_model *m) { return (uint32_t)m->letters.count + 1; }

/* An empty model in its own arena, which reports to t while it is being built. */
temper_model *model_new(trap *t);
/* The same in the body of a public function: it is freed if the body fails. */
temper_model *entry_model(entry *e);

/* model_scale.c: a copy that can be changed until it is sealed. The text form has all of a model, so reading it again
   is the copy. */
temper_model *model_copy(entry *e, const temper_model *m);
/* The same for a model on the way to another: it is freed when the body is left. */
temper_model *entry_passing_model(entry *e);

/* Ends building: fills the texts of expressions; from here on the model is immutable and belongs to the caller. */
void model_seal(temper_model *m);

/* Every invariant of the structure; raises TEMPER_FORMAT naming the first that fails. Run after every pass. */
void model_check(const temper_model *m, trap *t);

/* The version of a file that can hold the model. */
unsigned model_version(const temper_model *m);

/* ---- rows are made one term at a time ---- */

typedef struct rows_builder {
    arena *arena;
    size_t count, start_capacity, term_count, term_capacity;
    uint32_t *start;
    model_term *terms;
} rows_builder;

void rows_begin(rows_builder *b, arena *a);
void rows_term(rows_builder *b, uint32_t channel, double weight); /* to the row being built; equal channels add up */
void rows_end_row(rows_builder *b);                               /* sorts the row, drops zeros */
model_rows rows_finish(rows_builder *b);
model_rows rows_copy(arena *a, const model_rows *rows);

static inline const model_term *rows_begin_of(const model_rows *r, size_t row) { return r->terms + r->start[row]; }
static inline size_t rows_size(const model_rows *r, size_t row) { return r->start[row + 1] - r->start[row]; }

/* The dot product of a row with a vector, terms in order. */
static inline double rows_dot(const model_rows *r, size_t row, const double *x) {
    double sum = 0;
    for (uint32_t k = r->start[row]; k < r->start[row + 1]; k++) sum += r->terms[k].weight * x[r->terms[k].channel];
    return sum;
}

/* Whether the scale depends on the row, and where the first such head of a model is, from 1 (both may be NULL). */
bool head_reads_position(const model_head *h);
bool model_reads_position(const temper_model *m, size_t *layer, size_t *head);

/* ---- names ---- */

const char *head_role_name(head_role role);
temper_growth head_growth(head_role role);

/* Compiled heads separate the right key from the others by at least this much logit. A power of two, so that products
   with it are exact. */
#define MODEL_KAPPA        8.0
#define MODEL_KAPPA_LOOKUP 16.0 /* look-ups: rounding grows with n^2 and takes its share of the gap */

/* doc/theory.md, "Heads": the error before rounding in real arithmetic of a head that separates keys by kappa; 0 for
   heads that make none. */
double head_bound(head_role role, double kappa);

/* ---- text form ---- */

void model_print(text *out, const temper_model *m);
/* Fills a new model, checks and seals it. */
void model_read(temper_model *m, const char *bytes, size_t length, arena *scratch);

/* A number that changes when any byte of the text form does (FNV-1a, 64 bits): it guards the proved length against
   edits by hand, not against malice. */
uint64_t model_digest(const char *bytes, size_t length);

#endif
