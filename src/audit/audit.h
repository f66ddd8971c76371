/* The auditor: what a certificate must say of a model, found from its weights alone (doc/certificate.md).

       source_meaning   what every subformula of the source means
       contents         what every channel holds, layer by layer; audit_heads.c and audit_units.c are the two halves
                        of a layer
       head_bounds      how far a head's output may be off in the type; gate_bounds: whether gates repair it
       audit_text       the certificate that follows

   It shares with the prover the readers of files and src/number, and nothing else. Whatever is not understood is
   refused. */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include "audit/audit_calculus.h"
#include "audit/audit_feature.h"
#include "audit/audit_language.h"
#include "audit/audit_meaning.h"
#include "audit/audit_sheet.h"
#include "model/model.h"
#include "number/ball.h"
#include "number/number_type.h"

/* ---- what a channel holds ---- */

typedef enum content_kind {
    HOLDS_EXACT,   /* exactly this number: a function on letters, constants on the sentinels */
    HOLDS_FEATURE, /* a position feature that is neither constant nor first nor last */
    /* a head's output in the net of its layer: `letters` within the head's error, anything in [0, 1 + D] on
       sentinels */
    HOLDS_RAW,
    HOLDS_MEAN, /* the mean of the row (letters, start, end) over a mask */
    HOLDS_OWN,  /* letters/(i + 1) on letters */
    HOLDS_COPY, /* the mean of the row over all positions on the start sentinel, 0 elsewhere */
    HOLDS_REST  /* a head's output after its layer: nobody may read it */
} content_kind;

typedef struct content {
    content_kind kind;
    dd letters;
    double start, end;
    feature feature;  /* FEATURE, and EXACT ones that are a constant */
    temper_mask mask; /* MEAN */
    double weight;    /* MEAN, COPY: sum of |w| of the row; OWN: sum of |a_k| */
    size_t parts;     /* OWN: how many units */
    size_t head;      /* RAW: which head of the model, counted through */
    bool not_negative;
} content;

/* A row of weights over contents. */
typedef struct row_value {
    dd letters; /* what the EXACT channels add up to */
    double start, end;
    size_t exact_count; /* terms of such channels */
    bool exact;         /* there is nothing else */
    size_t other_count;
    model_term other[4]; /* terms of other channels */
    bool too_many;
    double weight; /* sum of |w| */
} row_value;

/* ---- what is found ---- */

typedef enum head_kind {
    KIND_ONCE,
    KIND_NEAREST,
    KIND_COUNT,
    KIND_COMPARE,
    KIND_BALANCE,
    KIND_LOOKUP,
    KIND_MATCH
} head_kind;

typedef struct quantity {
    ball *size, *computed, *error; /* X, Y and e */
    int grid;
    bool on_grid; /* else nothing is known */
    bool nothing; /* 0: on every grid */
    bool shifts;  /* a constant, +-2^k with k >= 0: products with it are exact */
} quantity;

enum { HEAD_ROWS = 16 }; /* of a head's query */

/* One product of a nearest head's score, as it is computed. */
typedef struct score_part {
    double query;                    /* the query row, if it is a number ... */
    const expression *query_feature; /* ... else this, with weight 1 */
    bool boolean;                    /* the key row has Boolean terms */
    const expression *key_feature;   /* and perhaps this, times key_weight */
    double key_weight;
    bool feature_last; /* behind the Boolean terms */
} score_part;

typedef struct audit_head {
    uint32_t layer, number; /* from 1 */
    const model_head *head;
    head_kind kind;
    bool by_positions; /* no scale */
    double kappa;      /* nearest, compare, balance, lookup */
    double constant;   /* once: C of ln(N) + C */
    bool stepped;      /* once: the logarithm is rounded up to a multiple of 4 */
    double weight;     /* count: W; compare, lookup: W of the mean's row; balance: W_h; match: W of the query rows */
    bool anywhere;     /* lookup: of a computed position, not of a count */
    double letter_weight, edge_weight;    /* count: W_l and W_e */
    double total_weight;                  /* balance: W_t; match: T */
    double end_weight;                    /* match: M, where the sentinel is the end; 0: the start */
    double own_weight;                    /* balance: W_o */
    feature first_key, second_key, scale; /* lookup: what they hold; UNKNOWN for a scale that there is not */
    size_t own_parts;                     /* balance: K */
    int grid;                             /* count: of the value rows */
    bool rightmost, candidates;           /* nearest */
    score_part part[HEAD_ROWS];           /* nearest */
    quantity logit;                       /* nearest; its error is eta */
    const char *failure;                  /* what of it is too large for the type; NULL: nothing */
    bool by_digits;                       /* nearest: is not tried at every length */
    bool every_length;
    ball *size, *rounding, *error; /* the certificate's X, E and D */
} audit_head;

typedef struct ramp_facts {
    uint32_t layer;
    uint32_t terms, raw_count;
    const double *raw_weight; /* |w| */
    const size_t *raw_head;
    double size;  /* X */
    double reach; /* the largest S - c, raw inputs at 5/4 */
    bool alone;   /* one raw input, of weight 2 */
    bool plain;   /* its own sum is never rounded across */
    bool paired;  /* as an exclusive or */
} ramp_facts;

typedef struct layer_facts {
    size_t first_ramp, ramp_count;
    uint32_t raw; /* R */
    ball *error;  /* G */
} layer_facts;

/* The constants of the type (doc/certificate.md, "Notation"). */
typedef struct type_facts {
    const number_type *type;
    const number_format *storage, *sums;
    bool any_order;
    size_t tile; /* keys of a tile; 0: all of a row */
    int ps, pa;
    double us, ua, ms, ma, ts, ta, fs, fa;
    double stored;   /* u'_s: what storing a sum rounds */
    double embedded; /* u_e: what storing the value of an expression rounds */
    double scaled;   /* u_lambda: what rounding a scale does */
} type_facts;

/* What a certificate says of a regular language, or of an output: its formula, and the rows of the table that shows
   it. */
typedef struct language_claim {
    const char *formula;
    const char **rows;
    size_t row_count, row_capacity;
} language_claim;

/* The certificate that the audit would write, in memory->arena; raises where the claim is not proved. */
typedef struct audit_request {
    uint64_t length;
    temper_type type;
    bool choices;         /* the claim "hard choices" */
    const char *read_off; /* that claim by roles: the formula that the weights are said to compute; else NULL */
    bool strings;         /* that claim without roles: its facts are from strings, else from sets */
    const language_claim *languages; /* of the source, in its order */
    size_t language_count;
    const language_claim *outputs; /* of models with several, in their order */
    size_t output_count;
    bool chances;                 /* logits are claimed to be logarithms of probabilities ... */
    const language_claim *scores; /* ... of which each holds where its formula does */
    size_t score_count;
    bool by_bound;                     /* no head is said to have been tried at every length */
    const temper_audit_options *watch; /* NULL: nobody looks */
} audit_request;

/* A language of the source, and the formula that stands for it. */
typedef struct audited_language {
    const formula_language *language;
    const automaton *automaton;
    const char *formula; /* the text */
    language_table table;
} audited_language;

/* What an output is proved to be. */
typedef struct audited_output {
    dd meaning;                  /* on letters */
    const char *label;           /* of an acceptor's: for messages */
    bool empty;                  /* before the first letter */
    const char *formula;         /* NULL: it is the source's */
    const automaton *automaton;  /* of a language model's: what the table is about */
    const language_table *table; /* NULL: none */
} audited_output;

/* A row of probabilities, and where it holds. */
typedef struct audited_score {
    dd meaning;
    const rational *chances; /* [outputs] */
    const char *formula;     /* with the table that shows it; NULL: the outputs say where */
    const language_table *table;
} audited_score;

typedef struct audit {
    trap *trap;
    arena *arena, *scratch; /* scratch is reset by whoever uses it */
    const temper_model *model;
    const char *bytes;
    size_t size;
    uint64_t length; /* n */
    bool strings;    /* as requested */
    bool by_bound;   /* likewise */
    const temper_audit_options *watch;
    bool choices; /* the claim is "hard choices", by roles */
    const char *read_off;
    double positions; /* M */
    type_facts type;
    calculus calculus;
    audit_sheet sheet;
    meaning meaning;
    content *channels;
    audit_head *heads; /* all, in order */
    size_t head_count;
    ramp_facts *ramps;
    size_t ramp_count, ramp_capacity;
    layer_facts *layers;
    ball *largest; /* of all D and G */
    audited_language *languages;
    size_t language_count;
    audited_output *outputs; /* [outputs] */
    bool viable;             /* what may come follows from a line of the source that is not proved */
    const ball *logits;      /* how far they may be off; NULL: there are none */
    audited_score *scores;   /* NULL: nothing is claimed of probabilities */
    size_t score_count;
    const rational *first_chances; /* [outputs] before the first letter */
    ball **off;                    /* [outputs] how far rows of logits are from the logarithms */
    const ball *chances;           /* how far computed logits may be from them; NULL: not claimed */
} audit;

/* ---- the passes ---- */

/* Shows that the formulas of the certificate are the languages of the source, and fills a->languages. Returns their
   meanings, one for each language of the source's graph; NULL: it names none. */
const dd *audit_languages(audit *a, const temper_spec *source, const audit_request *request);

/* What each output of the model must be, by the claim: fills a->outputs and returns the specification that parts are
   subformulas of, with the meanings of its nodes; NULL: no part is claimed. */
const temper_spec *audit_outputs(audit *a, const audit_request *request, temper_spec **keep, const dd **meanings);

/* Whether the read-out rows are what a->outputs says; contents must be those after the last layer. */
void audit_read_out(audit *a);

/* How far logits may be off in the type, if there are any: fills a->logits, and a->chances. */
void audit_logits(audit *a);

/* The outputs of a language model: their automata and tables. */
void audit_next(audit *a, const temper_spec *source, const audit_request *request);

/* The same by the line `viable` of the source, whose graph gets further nodes. */
void audit_viable(audit *a, temper_spec *source, const audit_request *request);

/* If that is claimed: the probabilities that a source gives, and where. The first is for a source whose language has
   this automaton, the second is by the outputs. */
void audit_scores(audit *a, const temper_spec *source, const automaton *language, const unsigned char *alive,
                  const audit_request *request);
void audit_viable_scores(audit *a, const temper_spec *source, const audit_request *request);

/* Whether rows of logits are their logarithms: fills a->off; contents must be those after the last layer. */
void audit_log_probabilities(audit *a);

/* The automaton of a language of a source; of the reversed words if the model reads it from the right. */
const automaton *audit_language_automaton(const audit *a, const formula_language *l);

/* The model's source is one language, and its truth at i is whether the letters from i to the end are a word. */
bool audit_reads_from_right(const temper_model *m);

/* A text of the certificate or the model with the model's letters and settings; `what` begins messages. */
temper_spec *audit_read_spec(const audit *a, const char *source, temper_syntax syntax, temper_kind kind,
                             const char *what);

/* Raises TEMPER_RANGE: the proof fails, and where. layer and head count from 1; head 0: the net. */
_Noreturn void audit_refuse(const audit *a, uint32_t layer, uint32_t head, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Refuses a model whose hard choices need not be what its softmax heads were recognised as. */
void audit_hard_choices(const audit *a);

/* The certificate of the claim "hard choices" for models without Boolean channels. */
const char *audit_general(audit *a, size_t *length);

/* What the expression was recognised as is what it is worth, at a number of positions and lengths up to that of the
   certificate. */
bool audit_feature_holds(const audit *a, const feature *f, const expression *e);

void contents_begin(audit *a); /* the embedding */
row_value contents_row(audit *a, const model_rows *rows, size_t row, uint32_t layer, uint32_t head);
/* The same where a constant may be beyond the storage format together with the Booleans that take it away. */
row_value contents_key_row(audit *a, const model_rows *rows, size_t row, uint32_t layer, uint32_t head);
/* Whether the channel holds a position feature that is a constant. */
bool contents_are_constant(const audit *a, uint32_t channel);
bool contents_row_is(const row_value *r, dd letters, double start, double end); /* exactly, and nothing else */
bool contents_are_zero(const content *c);
/* x + y of numbers from 0 on, never below the truth, and exactly if that is a double. */
double audit_add_up(double x, double y);
void audit_heads(audit *a, uint32_t layer); /* layer from 0 */
void audit_units(audit *a, uint32_t layer);

void audit_type_begin(audit *a, temper_type type);
bool audit_is_stored(const audit *a, double x); /* a number of the storage format */
int audit_grid_of(double x);                    /* the largest g with x a multiple of 2^g; x != 0 */

/* Fills quantities and errors of all heads, then of all gates; raises where something is beyond its bound. */
void audit_bounds(audit *a);

/* Every position feature is small enough for the type; the embedding must be read. */
void audit_check_features(audit *a);
/* X and eta of a nearest head, whose channels must be as the head reads them. */
void audit_logit(audit *a, audit_head *f);
/* The largest sum of the other weights, tried at every length; *largest is the largest |logit|. From 1 on nothing is
   proved, and longer lengths were not tried. */
enum { EVERY_LENGTH_MOST = 4096 };
#define EVERY_LENGTH_STEPS ((uint64_t)1 << 31) /* heads times the square of the positions: some minutes */
double audit_every_length(audit *a, const audit_head *f, double *largest);

void audit_write(text *out, const audit *a);
/* What both kinds of certificates are written with. */
void audit_write_claim(text *out, const audit *a, const char *claim); /* up to "order" */
void audit_put_text(text *out, const char *key, const char *value);
void audit_put_bound(text *out, const char *key, const ball *x);
void audit_put_member(text *out, const char *key, const char *value); /* a line */
void audit_next_element(text *out, size_t before);
void audit_end_array(text *out, size_t count);

/* Whoever calls frees all of this, also after an error; model and spec are NULL before. */
typedef struct audit_memory {
    arena *arena, *scratch;
    temper_model **model;
    temper_spec **spec;
} audit_memory;

const char *audit_text(size_t *length, const char *model, size_t size, const audit_request *request,
                       const audit_memory *memory);

/* What certificates claim, in the order of temper_claim from TEMPER_CLAIM_FORMULA on; NULL ends it. */
extern const char *const audit_claims[];

/* A certificate and the bytes of what it is about. */
typedef struct audit_call {
    const char *certificate;
    size_t length;
    const char *model;
    size_t size;
    const temper_audit_options *watch; /* NULL: nobody looks */
} audit_call;

/* Raises what is wrong with a certificate of a model of temper's own. */
void audit_check(entry *e, const audit_call *x);

/* Whether the words stand between quotes in a JSON text, where a quote within a text has a backslash before it. */
bool audit_quotes(const char *bytes, size_t length, const char *words);

/* The same as an entry point of its own, for tests: *out is freed with temper_free. */
temper_status audit_certificate(char **out, size_t *length, const char *model, size_t size, uint64_t n,
                                temper_type type, temper_error *err);
temper_status audit_requested(char **out, size_t *length, const char *model, size_t size,
                              const audit_request *request, temper_error *err);

#endif
